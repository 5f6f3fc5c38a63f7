// Fire by a thin flame against what its equations say: a flat flame in a tube, a ball of products that grows,
// a ball of fuel that burns up, and the temperature of what has burnt. Mass is kept. Burners:
// test_flame_cone.c.
#include "flame_scene.h"

// Fuel flows into a tube at the left; products leave at the right, where it is open.
static BwWorld *tube(Flame flame, float inflow, int frames)
{
    BwSceneDef scene = flame_scene(flame);
    float h = flame.cell;
    BwFillDef fill = fuel_in(box_shape(-1.0f, -1.0f, -1.0f, 32.3f * h, 9.0f, 9.0f));
    set_box(&scene, 96.0f * h, 8.0f * h, 8.0f * h);
    fill.velocity = bw_vec3(inflow, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(inflow, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.output.pressure = true;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, frames);
    return world;
}

static double front_of(BwWorld *world, Flame flame)
{
    double h = (double)flame.cell, across = flame.dimension == 2 ? 8.0 * h : 64.0 * h * h;
    return bw_world_view_stats(world)->fuel / across;
}

static void check_flat(Flame flame)
{
    double S = (double)flame.speed, ratio = (double)flame.ratio, h = (double)flame.cell;
    BwWorld *world = tube(flame, 0.7f * flame.speed, 2);
    double before = front_of(world, flame);
    step_frames(world, 6);
    double moved = front_of(world, flame) - before;
    int k = flame.dimension == 3 ? 3 : 0;
    double u_f = value_at(world, "u", 8, 3, k), u_h = value_at(world, "u", 60, 3, k);
    double p_f = value_at(world, "pressure", 8, 3, k), p_h = value_at(world, "pressure", 60, 3, k);
    told("flame.speed_to_fuel", flame, fabs((u_f - moved / 0.25) / S - 1.0), GATE_BELOW, 0.01);
    told("flame.products_faster", flame, fabs((u_h - u_f) / ((ratio - 1.0) * S) - 1.0), GATE_BELOW, 0.01);
    told("flame.pressure_jump", flame, fabs((p_f - p_h) / (1.2 * S * S * (ratio - 1.0)) - 1.0), GATE_BELOW,
         0.03);
    bw_world_destroy(world);
    world = tube(flame, flame.speed, 1);
    before = front_of(world, flame);
    step_frames(world, 12);
    told("flame.drift_cells", flame, fabs(front_of(world, flame) - before) / h, GATE_BELOW, 0.1);
    bw_world_destroy(world);
}

static void flat_flames(void **state)
{
    (void)state;
    const float ratios[3] = {2.0f, 5.0f, 10.0f};
    for (int n = 0; n < 3; n++) {
        check_flat((Flame){2, 1.0f / 32.0f, 0.5f, ratios[n]});
        check_flat((Flame){3, 1.0f / 32.0f, 0.5f, ratios[n]});
    }
}

// Behind a flame that stands still a parcel's age is its distance over its speed.
static void products_heat_up_and_cool(void **state)
{
    (void)state;
    Flame flame = {2, 1.0f / 32.0f, 0.5f, 5.0f};
    BwWorld *world = tube(flame, flame.speed, 30);
    BwFuelDef fuel = {.ignition = 743.0f, .temperature_max = 2267.0f};
    double rise = 0.05, front = front_of(world, flame), worst = 0.0, hottest = 0.0;
    double low = 293.15, span = (double)fuel.temperature_max - low;
    for (int i = 34; i < 92; i++) {
        double age = ((i + 0.5) / 32.0 - front) / 2.5, rest = fmax(age - rise, 0.0);
        double T =
            (double)fuel.ignition + (double)(fuel.temperature_max - fuel.ignition) * fmin(age / rise, 1.0);
        if (rest > 0.0)
            T = low + span / cbrt(1.0 + 3.0 * 1500.0 / span * rest);
        worst = fmax(worst, fabs(value_at(world, "temperature", i, 3, 0) / T - 1.0));
        hottest = fmax(hottest, value_at(world, "temperature", i, 3, 0));
    }
    gate("flame.parcel_temperature", worst, GATE_BELOW, 0.02);
    gate("flame.hottest", fabs(hottest / 2267.0 - 1.0), GATE_BELOW, 0.03);
    double soot = value_at(world, "density", 60, 3, 0);
    gate("flame.soot", fabs(soot / (0.4 / 5.0) - 1.0), GATE_BELOW, 0.03);
    const BwStats *stats = bw_world_view_stats(world);
    gate("flame.soot_account", fabs(stats->emitted / stats->removed[BW_REMOVED_OPEN] - 1.0), GATE_BELOW,
         0.02);
    bw_world_destroy(world);
}

// What leaves through the open sides of a box of n cells a side, m^3/s; the outermost cells belong to the
// outside.
static double outflow(BwWorld *world, Flame flame, int n)
{
    static const char *const names[3] = {"u", "v", "w"};
    int last = n - 1, deep = flame.dimension == 3 ? last : 1;
    double sum = 0.0, h = (double)flame.cell, area = flame.dimension == 3 ? h * h : h;
    for (int a = 0; a < flame.dimension; a++)
        for (int i = 1; i < last; i++)
            for (int j = flame.dimension == 3 ? 1 : 0; j < deep; j++) {
                int low[3] = {i, i, j}, high[3];
                if (a == 2)
                    low[1] = j;
                low[a] = 1;
                if (a == 1)
                    low[0] = i;
                for (int c = 0; c < 3; c++)
                    high[c] = low[c];
                high[a] = last;
                sum += area * (value_at(world, names[a], high[0], high[1], high[2]) -
                               value_at(world, names[a], low[0], low[1], low[2]));
            }
    return sum;
}

static double radius_of(double volume, int dimension)
{
    return dimension == 2 ? sqrt(volume / M_PI) : cbrt(0.75 * volume / M_PI);
}

typedef struct Growth {
    double rate, mass, kept; // m/s; kg at the start; kg, at the end and left
} Growth;

// A box that is open all round, a ball in its middle: of products in fuel, or of fuel in the open. One step a
// frame, so that what leaves can be added up.
static Growth grow_ball(Flame flame, int n, float radius, bool is_fuel, int steps, double dt)
{
    BwSceneDef scene = flame_scene(flame);
    float size = (float)n * flame.cell, half = 0.5f * size, z = flame.dimension == 3 ? half : 0.0f;
    BwShape parts[2] = {box_shape(-9.0f, -9.0f, -9.0f, 9.0f, 9.0f, 9.0f), ball(half, half, z, radius)};
    BwShape hollow = bw_difference(parts, 2);
    BwFillDef fill = fuel_in(is_fuel ? parts[1] : hollow);
    set_box(&scene, size, size, size);
    for (int side = 0; side < 2 * flame.dimension; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = 1.0 / dt;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    Growth growth = {0};
    double box = pow((double)size, flame.dimension), rho_f = 1.2, rho_h = rho_f / (double)flame.ratio;
    double start = 0.0, out = 0.0, fuel = 0.0;
    const int settle = 2;
    for (int m = 0; m < steps; m++) {
        step_frames(world, 1);
        assert_int_equal(bw_world_view_stats(world)->retries, 0);
        fuel = bw_world_view_stats(world)->fuel;
        if (m == settle) {
            start = radius_of(is_fuel ? fuel : box - fuel, flame.dimension);
            growth.mass = rho_f * fuel + rho_h * (box - fuel);
        } else if (m > settle)
            out += outflow(world, flame, n) * dt;
    }
    double now = radius_of(is_fuel ? fuel : box - fuel, flame.dimension);
    growth.rate = (now - start) / ((steps - 1 - settle) * dt);
    growth.kept = rho_f * fuel + rho_h * (box - fuel) + (is_fuel ? rho_h : rho_f) * out;
    printf("radius %g to %g m in %d steps, mass %g, then %g kg\n", start, now, steps - 1 - settle,
           growth.mass, growth.kept);
    bw_world_destroy(world);
    return growth;
}

static void check_ball(Flame flame, int n)
{
    double S = (double)flame.speed, ratio = (double)flame.ratio;
    float radius = 0.2f * (float)n * flame.cell;
    double dt = 0.4 * (double)flame.cell / (S * ratio);
    Growth products = grow_ball(flame, n, radius, false, (int)(1.1 * (double)radius / (S * ratio) / dt), dt);
    told("flame.ball_of_products", flame, fabs(products.rate / (S * ratio) - 1.0), GATE_BELOW, 0.03);
    told("flame.ball_of_products_mass", flame, fabs(products.kept / products.mass - 1.0), GATE_BELOW, 0.01);
    dt = 0.5 * (double)flame.cell / (S * ratio);
    Growth fuel = grow_ball(flame, n, 1.5f * radius, true, (int)(0.75 * (double)radius / S / dt), dt);
    told("flame.ball_of_fuel", flame, fabs(fuel.rate / -S - 1.0), GATE_BELOW, 0.03);
    told("flame.ball_of_fuel_mass", flame, fabs(fuel.kept / fuel.mass - 1.0), GATE_BELOW, 0.01);
}

static void balls_grow_and_shrink(void **state)
{
    (void)state;
    check_ball((Flame){2, 1.0f / 64.0f, 0.5f, 5.0f}, 56);
    if (IS_FULL)
        check_ball((Flame){3, 1.0f / 32.0f, 0.5f, 5.0f}, 40);
}

static void sealed_boxes_are_refused(void **state)
{
    (void)state;
    BwSceneDef scene = flame_scene((Flame){2, 0.1f, 0.5f, 5.0f});
    BwError err = {0};
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    assert_int_not_equal(bw_scene_def_check_runnable(&scene, &err), BW_OK);
    assert_non_null(strstr(err.message, "the box is sealed, and fire makes gas expand"));
}

// Fuel at the start is what its shape holds, however coarse the cells: the front is where its surface is.
static void fills_hold_their_volume(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int cells = 2; cells <= 8; cells *= 2) {
            Flame flame = {dimension, 1.0f / 32.0f, 0.5f, 5.0f};
            float radius = (float)cells * flame.cell;
            BwSceneDef scene = flame_scene(flame);
            BwFillDef fill = fuel_in(ball(0.51f, 0.495f, dimension == 3 ? 0.503f : 0.0f, radius));
            set_box(&scene, 1.0f, 1.0f, 1.0f);
            scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
            scene.fills = &fill;
            scene.fill_count = 1;
            BwWorld *world = make_world(&scene, 1);
            double r = (double)radius, volume = dimension == 2 ? M_PI * r * r : 4.0 / 3.0 * M_PI * r * r * r;
            told("flame.fill_front_in_cells", flame,
                 fabs(pow(bw_world_view_stats(world)->fuel / volume, 1.0 / dimension) - 1.0) * cells,
                 GATE_BELOW, 0.03);
            bw_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_flames),
        cmocka_unit_test(products_heat_up_and_cool),
        cmocka_unit_test(balls_grow_and_shrink),
        cmocka_unit_test(fills_hold_their_volume),
        cmocka_unit_test(sealed_boxes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
