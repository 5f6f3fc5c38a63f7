// The lid-driven cavity against the table of Ghia, Ghia and Shin 1982 (tests/reference): a box of side 1 m
// whose lid slides at 1 m/s over gas that sticks to all walls, run until it no longer changes.
#include "run.h"

#include <stdlib.h>

typedef struct Profile {
    int count;
    double at[32], value[32];
} Profile;

// A column of a table of the reference: the first is the place, from 0 to 1. Places where the print is known
// to be wrong are left out.
static Profile read_profile(const char *path, const char *column, double misprint)
{
    Profile profile = {0};
    char line[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int wanted = 0;
    assert_non_null(fgets(line, sizeof line, file));
    char *rest = NULL;
    for (char *word = strtok_r(line, ",\n", &rest); strcmp(word, column) != 0; wanted++) {
        word = strtok_r(NULL, ",\n", &rest);
        assert_non_null(word);
    }
    while (fgets(line, sizeof line, file) != NULL) {
        double numbers[16];
        int count = 0;
        for (char *word = strtok_r(line, ",\n", &rest); word != NULL; word = strtok_r(NULL, ",\n", &rest))
            numbers[count++] = strtod(word, NULL);
        if (count <= wanted || numbers[0] == misprint)
            continue;
        profile.at[profile.count] = numbers[0];
        profile.value[profile.count++] = numbers[wanted];
    }
    fclose(file);
    return profile;
}

// A line of samples through the middle of the box, walls at both ends.
typedef struct Line {
    int count;
    double at[512], value[512];
} Line;

// u along the vertical line (axis 0) or v along the horizontal one (axis 1), at n cells a side.
static Line middle_line(const BwFrame *frame, int axis, int n)
{
    const BwFrameField *field = bw_frame_field(frame, axis == 0 ? "u" : "v");
    Line line = {.count = n + 2};
    line.at[n + 1] = 1.0;
    line.value[n + 1] = axis == 0 ? 1.0 : 0.0;
    for (int m = 0; m < n; m++) {
        line.at[m + 1] = (m + 0.5) / n;
        line.value[m + 1] = (double)(axis == 0 ? frame_value(frame, field, n / 2, m, 0)
                                               : frame_value(frame, field, m, n / 2, 0));
    }
    return line;
}

static double line_value(const Line *line, double at)
{
    int n = 0;
    while (n < line->count - 2 && line->at[n + 1] < at)
        n++;
    double share = (at - line->at[n]) / (line->at[n + 1] - line->at[n]);
    return line->value[n] + share * (line->value[n + 1] - line->value[n]);
}

static double worst_error(const BwFrame *frame, int axis, int n, const Profile *profile)
{
    Line line = middle_line(frame, axis, n);
    double worst = 0.0;
    for (int m = 0; m < profile->count; m++)
        worst = fmax(worst, fabs(line_value(&line, profile->at[m]) - profile->value[m]));
    return worst;
}

static double largest_change(const BwFrame *frame, float *kept)
{
    double most = 0.0;
    int cells = frame->tile_count * 64;
    for (int a = 0; a < 2; a++) {
        const float *values = bw_frame_field(frame, a == 0 ? "u" : "v")->values;
        for (int c = 0; c < cells; c++) {
            most = fmax(most, fabs((double)values[c] - (double)kept[a * cells + c]));
            kept[a * cells + c] = values[c];
        }
    }
    return most;
}

// One frame a second. Steady: nothing changes by more than this in a second.
static const double steady_change = 2e-4;

static void run_until_steady(BwWorld *world)
{
    float *kept = calloc((size_t)frame_of(world)->tile_count * 128, sizeof *kept);
    double change = INFINITY;
    int seconds = 0;
    for (; seconds < 100 && change > steady_change; seconds++) {
        step_frames(world, 1);
        change = largest_change(frame_of(world), kept);
    }
    printf("steady after %d s\n", seconds);
    free(kept);
    assert_true(change <= steady_change);
}

static void check_cavity(int n, double reynolds, float cfl, double bound)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / (float)n);
    scene.fps = 1.0f;
    scene.cfl = cfl;
    scene.steps_max = 100000;
    scene.smoke.viscosity = (float)(1.0 / reynolds);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.slip = 0.0f;
    scene.walls.side[BW_TOP].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    char column[32], name[64];
    snprintf(column, sizeof column, "Re%g", reynolds);
    // A comma is out of place there: v of Re 400 at .9063.
    Profile u = read_profile("tests/reference/ghia1982_u_vertical.csv", column, -1.0);
    Profile v =
        read_profile("tests/reference/ghia1982_v_horizontal.csv", column, reynolds == 400.0 ? 0.9063 : -1.0);
    BwWorld *world = make_world(&scene, 2);
    run_until_steady(world);
    const BwFrame *frame = frame_of(world);
    snprintf(name, sizeof name, "cavity_re%g_%d_cfl%g_u", reynolds, n, (double)cfl);
    gate(name, worst_error(frame, 0, n, &u), GATE_BELOW, bound);
    snprintf(name, sizeof name, "cavity_re%g_%d_cfl%g_v", reynolds, n, (double)cfl);
    gate(name, worst_error(frame, 1, n, &v), GATE_BELOW, bound);
    bw_world_destroy(world);
}

#ifdef FULL_SIZE
static void cavity_re100(void **state)
{
    (void)state;
    check_cavity(64, 100.0, 1.0f, 0.015);
}

static void cavity_re400(void **state)
{
    (void)state;
    check_cavity(128, 400.0, 1.0f, 0.02);
}

static void cavity_re1000(void **state)
{
    (void)state;
    check_cavity(128, 1000.0, 1.0f, 0.03);
}
#else
static void small_cavity_re100(void **state)
{
    (void)state;
    check_cavity(32, 100.0, 1.0f, 0.012);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FULL_SIZE
        cmocka_unit_test(cavity_re100),
        cmocka_unit_test(cavity_re400),
        cmocka_unit_test(cavity_re1000),
#else
        cmocka_unit_test(small_cavity_re100),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
