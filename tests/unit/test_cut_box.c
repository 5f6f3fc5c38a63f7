// What a plane leaves of a box, beside a sum over its points; and the volume of a cell's parts beside a ball.
#include "domain/cut_box.h"
#include "gate.h"

static float in_range(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

// The worst of the share, and of the middle's place by as much as is there.
static double worst_error(float distance, BwVec3 normal, int axes)
{
    enum { N = 80 };
    BwCutBox box = bw_cut_box(distance, normal, axes);
    double count = 0.0, sum[3] = {0.0}, worst, all = axes == 3 ? (double)N * N * N : (double)N * N;
    for (int k = 0; k < (axes == 3 ? N : 1); k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                float at[3] = {((float)i + 0.5f) / N - 0.5f, ((float)j + 0.5f) / N - 0.5f,
                               axes == 3 ? ((float)k + 0.5f) / N - 0.5f : 0.0f};
                if (distance + bw_dot(normal, bw_vec3(at[0], at[1], at[2])) <= 0.0f)
                    continue;
                count += 1.0;
                for (int a = 0; a < axes; a++)
                    sum[a] += (double)at[a];
            }
    worst = fabs(count / all - (double)box.share);
    for (int a = 0; a < axes; a++)
        worst = fmax(worst, fabs(sum[a] / all - (double)(box.share * box.middle[a])));
    return worst;
}

static void a_plane_leaves_what_a_sum_says(void **state)
{
    (void)state;
    uint32_t random = 7;
    double worst = 0.0;
    for (int n = 0; n < 60; n++) {
        int axes = 2 + n % 2, flat = n % 5 == 4;
        float x = in_range(&random), y = flat ? 0.0f : in_range(&random), z = in_range(&random);
        BwVec3 normal = bw_normalize(bw_vec3(x, y, axes == 3 ? z : 0.0f));
        worst = fmax(worst, worst_error(0.9f * in_range(&random), normal, axes));
    }
    gate("cut_box_error", worst, GATE_BELOW, 0.008); // the sum's own is half a point, .00625
}

// Cells around a ball of five of them: its volume is what they lack.
static void cells_lack_the_volume_of_a_ball(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, radius = 5.0;
    BwShape shape = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), (float)radius);
    BwSolidPose ball = {.shape = &shape, .pose = bw_pose_identity(), .before = bw_pose_identity()};
    BwNearSolids near = {.list = &ball, .count = 1};
    double lack = 0.0;
    for (int k = -7; k < 7; k++)
        for (int j = -7; j < 7; j++)
            for (int i = -7; i < 7; i++) {
                BwVec3 center = bw_vec3((float)i + 0.3f, (float)j + 0.4f, (float)k + 0.7f);
                lack += 1.0 - (double)bw_cut_cell(&near, center, 1.0f, 3, true).left;
            }
    gate("cut_cells_ball_volume", fabs(lack / (4.0 / 3.0 * pi * radius * radius * radius) - 1.0), GATE_BELOW,
         0.01);
}

// The share of a cell that is outside of solids, by points.
static double share_by_points(const BwNearSolids *near, BwVec3 center)
{
    enum { N = 16 };
    int count = 0;
    for (int n = 0; n < N * N * N; n++) {
        BwVec3 at = bw_vec3((float)(n % N), (float)(n / N % N), (float)(n / N / N));
        at = bw_add(center, bw_mul(bw_sub(at, bw_vec3(7.5f, 7.5f, 7.5f)), 1.0f / N));
        count += bw_solids_distance(near->list, near->count, at) > 0.0f;
    }
    return (double)count / (N * N * N);
}

// Cells that edges and corners of a turned box pass, as an obstacle and as a container: what the worst of
// them lacks, and all of them together.
static void edges_of_a_box_are_measured(void **state)
{
    (void)state;
    BwShape box = bw_box(bw_vec3(-3.2f, -2.7f, -3.74f), bw_vec3(3.2f, 2.7f, 3.74f)),
            turned = bw_rotate(&box, bw_vec3(0.0f, 0.0f, 1.0f), 0.3f),
            parts[2] = {bw_box(bw_vec3(-9.0f, -9.0f, -9.0f), bw_vec3(9.0f, 9.0f, 9.0f)), turned},
            container = bw_difference(parts, 2);
    for (int inside = 0; inside < 2; inside++) {
        BwSolidPose pose = {
            .shape = inside ? &container : &turned, .pose = bw_pose_identity(), .before = bw_pose_identity()};
        BwNearSolids near = {.list = &pose, .count = 1};
        double worst = 0.0, sum = 0.0, lack = 0.0;
        for (int k = -5; k < 5; k++)
            for (int j = -5; j < 5; j++)
                for (int i = -5; i < 5; i++) {
                    BwVec3 center = bw_vec3((float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
                    double left = (double)bw_cut_cell(&near, center, 1.0f, 3, true).left;
                    worst = fmax(worst, fabs(left - share_by_points(&near, center)));
                    sum += inside ? left : 1.0 - left;
                }
        lack = fabs(sum / (6.4 * 5.4 * 7.48) - 1.0);
        gate(inside ? "cut_cells_container_worst" : "cut_cells_box_worst", worst, GATE_BELOW, 0.04);
        gate(inside ? "cut_cells_container_volume" : "cut_cells_box_volume", lack, GATE_BELOW, 0.005);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_leaves_what_a_sum_says),
        cmocka_unit_test(cells_lack_the_volume_of_a_ball),
        cmocka_unit_test(edges_of_a_box_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
