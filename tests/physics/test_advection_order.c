// Advection of a smooth bump through a quarter turn and through shear, at a fixed Courant number and three
// resolutions: the observed order of the error in the 2-norm.
#include "advect/advect.h"
#include "gate.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double sigma = 0.08;
static const double start[2] = {0.5, 0.63};

// Velocity in the unit box: a turn about its middle, or a shear.
static void flow_velocity(int flow, double x, double y, double velocity[2])
{
    velocity[0] = flow == 0 ? -(y - 0.5) : y - 0.5;
    velocity[1] = flow == 0 ? x - 0.5 : 0.0;
}

// Where the fluid that ends at (x, y) began.
static void flow_origin(int flow, double time, double x, double y, double origin[2])
{
    double dx = x - 0.5, dy = y - 0.5;
    origin[0] = 0.5 + (flow == 0 ? cos(time) * dx + sin(time) * dy : dx - time * dy);
    origin[1] = 0.5 + (flow == 0 ? cos(time) * dy - sin(time) * dx : dy);
}

static double bump(double x, double y)
{
    double dx = x - start[0], dy = y - start[1];
    return exp(-(dx * dx + dy * dy) / (2.0 * sigma * sigma));
}

static void fill(const BwGrid *grid, BwField *field, int flow, int component)
{
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, field->location);
            double velocity[2];
            flow_velocity(flow, (double)at.x, (double)at.y, velocity);
            bw_field_tile(field, slot)[c] =
                (float)(component < 0 ? bump((double)at.x, (double)at.y) : velocity[component]);
        }
}

static double error_after(int flow, double time, int cells, BwScheme carry, bool keeps_total,
                          double *overshoot)
{
    BwGridDef def = {.cell_size = 1.0f / (float)cells,
                     .dimension = 2,
                     .has_bounds = true,
                     .bounds = {{0}, {cells, cells, 0}}};
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity;
    BwField from, to;
    BwAdvector *advector;
    assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
    for (int n = 0; n < cells / 8 * (cells / 8); n++) {
        BwTileCoord coord = {n % (cells / 8), n / (cells / 8), 0};
        assert_int_equal(bw_grid_wake(grid, &coord, 1, NULL), BW_OK);
    }
    assert_int_equal(bw_domain_create(&domain, grid, NULL, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&velocity, grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_field_create(&from, grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&to, grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_advector_create(&advector, grid, NULL, carry, (BwLentFields){0}, NULL), BW_OK);
    bw_domain_label(&domain, NULL, 0);
    for (int a = 0; a < 2; a++)
        fill(grid, &velocity.u[a], flow, a);
    fill(grid, &from, flow, -1);
    int steps = (int)ceil(time * 0.5 * cells / 0.8); // Courant number .8 at the rim
    for (int n = 0; n < steps; n++) {
        BwAdvectField field = {&from, &to};
        BwAdvectSet set = {.fields = &field, .count = 1, .valid = &domain.open, .keeps_total = keeps_total};
        bw_advect(advector, &domain, &velocity, (BwPathSolids){0}, &set, 1, (float)(time / steps));
        bw_field_swap(&from, &to);
    }
    double sum = 0.0, norm = 0.0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, BW_AT_CELL);
            double origin[2];
            flow_origin(flow, time, (double)at.x, (double)at.y, origin);
            double exact = bump(origin[0], origin[1]),
                   difference = (double)bw_field_tile(&from, slot)[c] - exact;
            sum += difference * difference;
            double value = (double)bw_field_tile(&from, slot)[c];
            *overshoot = fmax(*overshoot, fmax(value - 1.0, -value));
            norm += exact * exact;
        }
    bw_advector_destroy(advector);
    bw_field_destroy(&from);
    bw_field_destroy(&to);
    bw_velocity_destroy(&velocity);
    bw_domain_destroy(&domain);
    bw_grid_destroy(grid);
    return sqrt(sum / norm);
}

static void check_orders(const char *method, BwScheme carry, double least)
{
    const char *names[] = {"quarter_turn", "shear"};
    const double times[] = {pi / 2.0, 0.8};
    for (int flow = 0; flow < 2; flow++) {
        // Sigma is 6.4 cells on the coarsest grid.
        double error[3], overshoot = 0.0;
        for (int n = 0; n < 3; n++)
            error[n] = error_after(flow, times[flow], 80 << n, carry, false, &overshoot);
        // Holding tiles to their totals must not cost exactness.
        double held = error_after(flow, times[flow], 160, carry, true, &overshoot);
        char name[64];
        snprintf(name, sizeof name, "%s_order_%s", method, names[flow]);
        printf("%s: errors %.5f %.5f %.5f\n", name, error[0], error[1], error[2]);
        gate(name, log2(error[1] / error[2]), GATE_ABOVE, least);
        snprintf(name, sizeof name, "%s_error_with_totals_held_%s", method, names[flow]);
        gate(name, held / error[1], GATE_BELOW, 1.05);
        snprintf(name, sizeof name, "%s_new_extremes_%s", method, names[flow]);
        gate(name, overshoot, GATE_BELOW, 1e-6);
    }
}

static void semi_lagrangian_converges(void **state)
{
    (void)state;
    check_orders("semi_lagrangian", BW_SCHEME_LINEAR, 0.8);
}

static void maccormack_converges(void **state)
{
    (void)state;
    check_orders("maccormack", BW_SCHEME_MACCORMACK, 1.8);
}

static void cubic_converges(void **state)
{
    (void)state;
    check_orders("cubic", BW_SCHEME_CUBIC, 1.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semi_lagrangian_converges),
        cmocka_unit_test(maccormack_converges),
        cmocka_unit_test(cubic_converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
