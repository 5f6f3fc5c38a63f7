// What polygons cover of cells, and how far centres are from them, against formulas.
#include "gate.h"
#include "grid/polygon_cover.h"
#include "grid/polygon_distance.h"

#include <math.h>
#include <string.h>

enum { CELLS = 24, POINTS = 200 };

static const double pi = 3.14159265358979;

// A star with a round hole, partly outside of the lattice; its edges one after the other.
static void edge_of(int n, bool is_hole, double place[2])
{
    double angle = 2.0 * pi * (is_hole ? -n : n) / POINTS,
           radius = is_hole ? 0.2 : 0.4 + 0.1 * cos(5.0 * angle);
    place[0] = 0.55 + radius * cos(angle);
    place[1] = 0.6 + radius * sin(angle);
}

static double area_of(bool is_hole)
{
    double sum = 0.0, a[2], b[2];
    for (int n = 0; n < POINTS; n++) {
        edge_of(n, is_hole, a);
        edge_of(n + 1, is_hole, b);
        sum += 0.5 * (a[0] * b[1] - b[0] * a[1]);
    }
    return sum;
}

static void shares_add_up_to_the_area(void **state)
{
    (void)state;
    static double share[2 * CELLS * 2 * CELLS];
    double sum = 0.0, low = 0.0, high = 1.0, a[2], b[2];
    BwPolygonCover cover = {
        .low = {-0.5, -0.5}, .side = 1.0 / CELLS, .count = {2 * CELLS, 2 * CELLS}, .share = share};
    memset(share, 0, sizeof share);
    for (int hole = 0; hole < 2; hole++)
        for (int n = 0; n < POINTS; n++) {
            edge_of(n, hole == 1, a);
            edge_of(n + 1, hole == 1, b);
            bw_cover_add_edge(&cover, a, b, NULL, NULL);
        }
    bw_cover_finish(&cover);
    for (int n = 0; n < 4 * CELLS * CELLS; n++) {
        sum += share[n] / CELLS / CELLS;
        low = fmin(low, share[n]);
        high = fmax(high, share[n]);
    }
    gate("polygon_cover_area", fabs(sum / (area_of(false) + area_of(true)) - 1.0), GATE_BELOW, 1e-9);
    gate("polygon_cover_below_0", -low, GATE_BELOW, 1e-9);
    gate("polygon_cover_above_1", high - 1.0, GATE_BELOW, 1e-9);
}

// A round polygon's distances are those of its circle, but for the edges' bulge.
static void distances_are_those_of_the_circle(void **state)
{
    (void)state;
    static float distance[CELLS * CELLS];
    static int32_t winding[CELLS * CELLS], nearest[CELLS * CELLS];
    BwPolygonDistance lattice = {.side = 1.0 / CELLS,
                                 .count = {CELLS, CELLS},
                                 .band = 0.15,
                                 .distance = distance,
                                 .winding = winding,
                                 .nearest = nearest};
    double a[2], b[2], worst = 0.0;
    int wrong = 0;
    bw_polygon_distance_begin(&lattice);
    for (int n = 0; n < POINTS; n++) {
        edge_of(-n, true, a); // counter-clockwise
        edge_of(-n - 1, true, b);
        bw_polygon_distance_add(&lattice, a, b, n);
    }
    bw_polygon_distance_end(&lattice);
    for (int n = 0; n < CELLS * CELLS; n++) {
        double x = (n % CELLS + 0.5) / CELLS - 0.55, y = (n / CELLS + 0.5) / CELLS - 0.6,
               wanted = hypot(x, y) - 0.2;
        worst = fmax(worst, fabs((double)distance[n] - fmin(fmax(wanted, -0.15), 0.15)));
        wrong += winding[n] != (wanted < 0.0 ? 1 : 0);
        wrong += (nearest[n] < 0) != (fabs(wanted) > 0.15);
    }
    gate("polygon_distance", worst, GATE_BELOW, 1e-3);
    gate("polygon_distance_sides_wrong", wrong, GATE_BELOW, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_add_up_to_the_area),
        cmocka_unit_test(distances_are_those_of_the_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
