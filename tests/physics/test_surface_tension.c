// Surface tension of liquids, by particles and by level sets: drops at rest have the pressure of Laplace's
// law and stay where they are, drops that were pulled swing at their theoretical period (Rayleigh 1879),
// columns break up as fast as they should (Plateau 1873; Rayleigh 1878), and drops on a plate come to their
// contact angle.
//
// Lengths are those of the drop, density and tension are 1.
#include "liquid_run.h"

#include <stdio.h>

static const double pi = 3.141592653589793;
static const double radius = 0.5;

// s, sqrt(rho R^3 / sigma), and m/s, sqrt(sigma / (rho R)).
static double drop_time(void)
{
    return sqrt(radius * radius * radius);
}

static double drop_speed(void)
{
    return sqrt(1.0 / radius);
}

static void gate_method(const char *what, int dimension, BwLiquidMethod method, double value, double bound)
{
    char name[96];
    snprintf(name, sizeof name, "tension_%s_%dd_%s", what, dimension, method_name(method));
    gate(name, value, GATE_BELOW, bound);
}

static BwSceneDef drop_scene(int dimension, int cells, BwLiquidMethod method)
{
    BwSceneDef scene = liquid_scene(dimension, 1.0f / (float)cells, method);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.density = 1.0f;
    scene.liquid.surface_tension = 1.0f;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.fps = 40.0 / drop_time();
    return scene;
}

static BwFillDef drop_fill(int dimension)
{
    return fill_of(ball(0.013f, 0.021f, dimension == 3 ? 0.017f : 0.0f, (float)radius));
}

// The mean pressure in the inner half of a drop around a centre, Pa.
static double inner_pressure(const BwFrame *frame, const double center[3], int dimension)
{
    const BwFrameField *pressure = bw_frame_field(frame, "pressure");
    assert_non_null(pressure);
    double h = (double)frame->cell_size, sum = 0.0;
    int reach = (int)(0.6 / h), count = 0;
    for (int z = dimension == 3 ? -reach : 0; z <= (dimension == 3 ? reach : 0); z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double dx = (x + 0.5) * h - center[0], dy = (y + 0.5) * h - center[1],
                       dz = dimension == 3 ? (z + 0.5) * h - center[2] : 0.0;
                if (dx * dx + dy * dy + dz * dz > 0.25 * radius * radius)
                    continue;
                sum += (double)frame_value(frame, pressure, x, y, z);
                count++;
            }
    return sum / count;
}

// A drop at rest, 16 cells wide: from the time on that the ripples of its seeds have calmed.
static void gate_static(int dimension, BwLiquidMethod method, int times)
{
    BwSceneDef scene = drop_scene(dimension, 16, method);
    BwFillDef fill = drop_fill(dimension);
    double jump = 0.0, speed = 0.0, mean = 0.0;
    int count = 0;
    scene.output.pressure = true;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    WaterSums start = water_sums(frame_of(world)), now = start;
    for (int n = 1; n <= 40 * times; n++) {
        step_frames(world, 1);
        if (n <= 80)
            continue;
        now = water_sums(frame_of(world));
        jump += inner_pressure(frame_of(world), now.center, dimension);
        count++;
        speed = fmax(speed, now.speed_max);
        mean = fmax(mean, sqrt(now.velocity[0] * now.velocity[0] + now.velocity[1] * now.velocity[1] +
                               now.velocity[2] * now.velocity[2]));
    }
    gate_method("jump_error", dimension, method, fabs(jump / count / ((dimension - 1) / radius) - 1.0), 0.1);
    gate_method("spurious_speed", dimension, method, speed / drop_speed(), 0.1);
    gate_method("own_momentum", dimension, method, mean / drop_speed(), 0.02);
    bw_world_destroy(world);
}

static void drops_at_rest_have_their_pressure_and_stay(void **state)
{
    (void)state;
    gate_static(2, BW_LIQUID_APIC, 5);
    gate_static(2, BW_LIQUID_FLIP, 5);
    gate_static(2, BW_LIQUID_MARKERS, 5);
#ifdef FULL_SIZE
    gate_static(2, BW_LIQUID_APIC, 12);
    gate_static(3, BW_LIQUID_APIC, 4);
    gate_static(3, BW_LIQUID_FLIP, 4);
#endif
}

// The flow of the second mode as it passes through the round state, for an amplitude of 5%: the potential is
// x^2 - y^2, in the plane and in space.
static double mode_omega;

static BwResult second_mode(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    double rate = 0.05 * mode_omega;
    value[0] = (float)(rate * ((double)point.x - 0.013));
    value[1] = (float)(-rate * ((double)point.y - 0.021));
    value[2] = 0.0f;
    return BW_OK;
}

// Second moments of a drop along x and y, and along z in space, to what it is pulled along x and pressed
// along y, over its size.
static double elongation_of(double along, double across, double out)
{
    return 0.5 * (along - across) / (out > 0.0 ? (along + across + out) / 1.5 : along + across);
}

// Of what is inside of the surface, by its distance: moments of a ball of 1.4 radii of cells.
static double level_elongation(const BwFrame *frame)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    double h = (double)frame->cell_size, sum = 0.0, mean[3] = {0}, square[3] = {0};
    int reach = (int)(0.7 / h), layers = frame->dimension == 3 ? reach : 0;
    for (int z = -layers; z <= layers; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const int at[3] = {x, y, z};
                double part = fmin(fmax(0.5 - (double)frame_value(frame, phi, x, y, z) / h, 0.0), 1.0);
                sum += part;
                for (int axis = 0; axis < frame->dimension; axis++) {
                    double place = (at[axis] + 0.5) * h;
                    mean[axis] += part * place;
                    square[axis] += part * place * place;
                }
            }
    for (int axis = 0; axis < 3; axis++)
        square[axis] = square[axis] / sum - mean[axis] * mean[axis] / (sum * sum);
    return elongation_of(square[0], square[1], square[2]);
}

// How far a drop is pulled along x and pressed along y, over its size, by the moments of its particles.
static double elongation(const BwFrame *frame)
{
    if (bw_frame_particles(frame, "water") == NULL)
        return level_elongation(frame);
    const BwFrameParticles *water = water_of(frame);
    WaterSums sums = water_sums(frame);
    double along = 0.0, across = 0.0, out = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3], part = (double)water_volumes(water)[p];
        bw_frame_particle_place(frame, water, p, place);
        for (int a = 0; a < 3; a++)
            place[a] -= sums.center[a];
        along += part * place[0] * place[0];
        across += part * place[1] * place[1];
        out += part * place[2] * place[2];
    }
    return elongation_of(along, across, out);
}

typedef struct Swing {
    double half_period; // s, mean
    double first, last; // amplitudes, by size: of the first whole half period and of the last
} Swing;

static Swing look_at(const double *shape, int count, double dt)
{
    Swing swing = {0};
    double first = NAN, last = NAN, crest = 0.0;
    int crossings = 0;
    for (int n = 1; n + 1 < count; n++) {
        crest = fmax(crest, fabs(shape[n]));
        if (n < 5 || (shape[n] < 0.0) == (shape[n + 1] < 0.0))
            continue;
        last = dt * (n + shape[n] / (shape[n] - shape[n + 1]));
        first = crossings++ == 0 ? last : first;
        swing.first = crossings == 2 ? crest : swing.first;
        swing.last = crest;
        crest = 0.0;
    }
    swing.half_period = (last - first) / (crossings - 1);
    return swing;
}

// omega^2 = n (n^2 - 1) sigma / (rho R^3) in the plane, n (n - 1) (n + 2) in space.
static void gate_swing(int dimension, BwLiquidMethod method, float band, int cells, double times, double most)
{
    enum { SAMPLES_MAX = 1000 };
    static double shape[SAMPLES_MAX];
    BwSceneDef scene = drop_scene(dimension, cells, method);
    BwFillDef fill = drop_fill(dimension);
    int count = 0;
    const char *what = isnan(band) ? "period_error_band" : "period_error";
    if (!is_level_set(method))
        scene.liquid.narrow_band = band;
    mode_omega = sqrt(dimension == 3 ? 8.0 : 6.0) / drop_time();
    scene.initial.velocity.function = second_mode;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (; count < 40.0 * times; count++) {
        shape[count] = elongation(frame_of(world));
        step_frames(world, 1);
    }
    bw_world_destroy(world);
    Swing swing = look_at(shape, count, drop_time() / 40.0);
    gate_method(what, dimension, method, fabs(swing.half_period * mode_omega / pi - 1.0), most);
    gate_method("amplitude_growth", dimension, method, swing.last / swing.first, 1.0);
    printf("amplitude %.4f, then %.4f\n", swing.first, swing.last);
}

static void drops_swing_at_their_period(void **state)
{
    (void)state;
    gate_swing(2, BW_LIQUID_APIC, 0.0f, 25, 6.8, 0.03);
    gate_swing(2, BW_LIQUID_FLIP, 0.0f, 25, 6.8, 0.03);
    gate_swing(2, BW_LIQUID_LEVELSET, 0.0f, 25, 6.8, 0.03);
    gate_swing(2, BW_LIQUID_PARTICLE_LEVELSET, 0.0f, 25, 6.8, 0.03);
#ifdef FULL_SIZE
    gate_swing(2, BW_LIQUID_APIC, (float)NAN, 25, 6.8, 0.03);
    gate_swing(2, BW_LIQUID_MARKERS, 0.0f, 25, 6.8, 0.03);
    gate_swing(3, BW_LIQUID_APIC, 0.0f, 25, 4.8, 0.05);
    gate_swing(3, BW_LIQUID_FLIP, 0.0f, 25, 4.8, 0.05);
    gate_swing(3, BW_LIQUID_LEVELSET, 0.0f, 25, 4.8, 0.05);
    gate_swing(3, BW_LIQUID_PARTICLE_LEVELSET, 0.0f, 25, 4.8, 0.05);
#else
    gate_swing(3, BW_LIQUID_APIC, 0.0f, 16, 2.5, 0.05);
    gate_swing(3, BW_LIQUID_LEVELSET, 0.0f, 16, 2.5, 0.06);
#endif
}

// A circle x^2 + y^2 = a x + b y + c through points, by least squares.
typedef struct Circle {
    double sums[3][4];
} Circle;

static void circle_add(Circle *circle, double x, double y)
{
    double row[4] = {x, y, 1.0, x * x + y * y};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            circle->sums[i][j] += row[i] * row[j];
}

// The angle between it and the line y = 0, through its inside, in degrees.
static double circle_angle(Circle circle)
{
    double(*m)[4] = circle.sums;
    for (int i = 0; i < 3; i++) {
        for (int j = 3; j >= i; j--)
            m[i][j] /= m[i][i];
        for (int k = 0; k < 3; k++)
            for (int j = 3; j >= i && k != i; j--)
                m[k][j] -= m[k][i] * m[i][j];
    }
    double x = 0.5 * m[0][3], y = 0.5 * m[1][3];
    return acos(-y / sqrt(m[2][3] + x * x + y * y)) * 180.0 / pi;
}

// The contact angle of a drop on a plate at a height, by its points in the plane through its middle.
static double contact_angle(const BwFrame *frame, double plate)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    Circle circle = {0};
    double h = (double)frame->cell_size;
    int wide = (int)(3.0 / h);
    for (int y = 0; y < wide; y++)
        for (int x = -wide; x < wide; x++)
            for (int axis = 0; axis < 2; axis++) {
                double own = (double)frame_value(frame, phi, x, y, 0),
                       next = (double)frame_value(frame, phi, x + (axis == 0), y + (axis == 1), 0);
                double part = own / (own - next), above = (y + 0.5 + (axis == 1 ? part : 0.0)) * h - plate;
                if ((own < 0.0) != (next < 0.0) && above > 0.2 * h)
                    circle_add(&circle, (x + 0.5 + (axis == 0 ? part : 0.0)) * h, above);
            }
    return circle_angle(circle);
}

// A half drop on the bottom of a box, or on a plate that ends inside of cells, gets the angle it is told;
// viscosity calms it.
static void gate_contact(int dimension, BwLiquidMethod method, int degrees, float plate, int cells)
{
    char name[96];
    BwSceneDef scene = liquid_scene(dimension, 1.0f / (float)cells, method);
    BwObstacleDef solid = solid_of(bw_box(bw_vec3(-9.0f, -9.0f, -9.0f), bw_vec3(9.0f, plate, 9.0f)));
    BwFillDef fill = fill_of(ball(0.01f, plate, dimension == 3 ? 0.02f : 0.0f, 1.0f));
    set_box(&scene, 3.0f, 2.5f, 3.0f);
    scene.walls.min = bw_vec3(-3.0f, 0.0f, dimension == 3 ? -3.0f : 0.0f);
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.density = 1.0f;
    scene.liquid.surface_tension = 1.0f;
    scene.liquid.viscosity = bw_curve_number(0.3f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.liquid.contact_angle = (float)(degrees * pi / 180.0);
    scene.obstacles = &solid;
    scene.obstacle_count = plate > 0.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = 2.0;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24);
    double worst = 0.0;
    for (int n = 0; n < 4; n++) {
        step_frames(world, 1);
        worst = worse(worst, fabs(contact_angle(frame_of(world), (double)plate) - degrees));
    }
    bw_world_destroy(world);
    snprintf(name, sizeof name, "tension_contact_error_%dd_%s_%d%s_%d_cells", dimension, method_name(method),
             degrees, plate > 0.0f ? "_plate" : "", cells);
    gate(name, worst, GATE_BELOW, 4.0);
}

static void drops_on_a_plate_come_to_their_angle(void **state)
{
    (void)state;
    for (int degrees = 60; degrees <= 120; degrees += 30)
        gate_contact(2, BW_LIQUID_APIC, degrees, 0.0f, 12);
    for (int degrees = 60; degrees <= 120; degrees += 30)
        gate_contact(2, BW_LIQUID_LEVELSET, degrees, 0.0f, 12);
    gate_contact(2, BW_LIQUID_PARTICLE_LEVELSET, 60, 0.0f, 12);
    gate_contact(2, BW_LIQUID_LEVELSET, 120, 0.53f, 12);
    gate_contact(2, BW_LIQUID_FLIP, 60, 0.0f, 12);
    gate_contact(2, BW_LIQUID_APIC, 60, 0.53f, 12);
    gate_contact(2, BW_LIQUID_APIC, 120, 0.53f, 12);
#ifdef FULL_SIZE
    for (int degrees = 60; degrees <= 120; degrees += 30)
        gate_contact(2, BW_LIQUID_LEVELSET, degrees, 0.0f, 24);
    for (int degrees = 60; degrees <= 120; degrees += 30)
        gate_contact(3, BW_LIQUID_APIC, degrees, 0.0f, 8);
    for (int degrees = 60; degrees <= 120; degrees += 30)
        gate_contact(3, BW_LIQUID_LEVELSET, degrees, 0.0f, 8);
#endif
}

// Steps that are far too long for the waves of a drop: it stays whole, and about as round.
static void long_steps_are_stable(void **state)
{
    (void)state;
    BwSceneDef scene = drop_scene(2, 16, BW_LIQUID_APIC);
    BwFillDef fill = drop_fill(2);
    scene.fps = 1.0 / (20.0 * sqrt(1.0 / (16.0 * 16.0 * 16.0)));
    scene.steps = 1;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 40);
    WaterSums now = water_sums(frame_of(world));
    gate("tension_long_steps_speed", now.speed_max / drop_speed(), GATE_BELOW, 0.1);
    gate("tension_long_steps_shape", fabs(elongation(frame_of(world))), GATE_BELOW, 0.05);
    bw_world_destroy(world);
}

// As many steps as the shortest waves ask for, whatever the speed.
static void steps_follow_the_waves(void **state)
{
    (void)state;
    BwSceneDef scene = drop_scene(2, 16, BW_LIQUID_APIC);
    BwFillDef fill = drop_fill(2);
    double unit = sqrt(1.0 / (16.0 * 16.0 * 16.0));
    scene.fps = 1.0 / (10.0 * unit);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 1);
    gate("tension_longest_step", bw_world_view_stats(world)->dt_max / unit, GATE_BELOW, 1.0 + 1e-6);
    gate("tension_shortest_step", bw_world_view_stats(world)->dt_min / unit, GATE_ABOVE, 0.5);
    bw_world_destroy(world);
}

#ifdef FULL_SIZE
// A column along x, one wavelength long; the potential of its wave is I0(k r) cos(k x).
static double column_k, column_radius, column_speed;

static double bessel(int order, double x)
{
    double term = order == 0 ? 1.0 : 0.5 * x, sum = term;
    for (int n = 1; n < 30; n++) {
        term *= 0.25 * x * x / (n * (n + order));
        sum += term;
    }
    return sum;
}

static BwResult column_wave(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    double y = (double)point.y, z = (double)point.z, r = hypot(y, z), x = column_k * (double)point.x;
    double size = column_speed / bessel(1, column_k * column_radius);
    double radial = size * bessel(1, column_k * r) * cos(x);
    value[0] = (float)(-size * bessel(0, column_k * r) * sin(x));
    value[1] = r > 0.0 ? (float)(radial * y / r) : 0.0f;
    value[2] = r > 0.0 ? (float)(radial * z / r) : 0.0f;
    return BW_OK;
}

// Of the faces whose cells a level set says are inside.
static double axial_level_speed(const BwFrame *frame)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi"), *u = bw_frame_field(frame, "u");
    double h = (double)frame->cell_size, sum = 0.0;
    int length = (int)lround(1.0 / h), across = (int)(1.6 * column_radius / h), count = 0;
    for (int z = -across; z < across; z++)
        for (int y = -across; y < across; y++)
            for (int x = 0; x < length; x++)
                if (frame_value(frame, phi, x, y, z) < 0.0f) {
                    sum += (double)frame_value(frame, u, x, y, z) * sin(column_k * x * h);
                    count++;
                }
    return sum / count;
}

// How fast the liquid moves along the column in the wave.
static double axial_speed(const BwFrame *frame)
{
    if (bw_frame_particles(frame, "water") == NULL)
        return axial_level_speed(frame);
    const BwFrameParticles *water = water_of(frame);
    double sum = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        sum += (double)water_velocities(water)[3 * p] * sin(column_k * place[0]);
    }
    return sum / (double)water->count;
}

// The speed of the wave after a time, over that at the start. Given a speed and no shape it grows as
// cosh(omega t).
static double column_growth(BwLiquidMethod method, double kr, double times)
{
    column_k = 2.0 * pi;
    column_radius = kr / column_k;
    int cells = 8 * (int)lround(7.0 / column_radius / 8.0);
    double h = 1.0 / cells, half = 8.0 * h * ceil(2.2 * column_radius / h / 8.0);
    double unit = sqrt(column_radius * column_radius * column_radius);
    BwSceneDef scene = liquid_scene(3, (float)h, method);
    BwFillDef fill = fill_of((BwShape){.kind = BW_SHAPE_CYLINDER,
                                       .a = bw_vec3(-1.0f, 0.0f, 0.0f),
                                       .b = bw_vec3(2.0f, 0.0f, 0.0f),
                                       .radius = (float)column_radius});
    set_box(&scene, 1.0f, (float)half, (float)half);
    scene.walls.min = bw_vec3(0.0f, -(float)half, -(float)half);
    scene.walls.periodic[0] = true;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.density = 1.0f;
    scene.liquid.surface_tension = 1.0f;
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.initial.velocity.function = column_wave;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.fps = 10.0 / unit;
    column_speed = 0.05 * column_radius * 0.3 / unit;
    BwWorld *world = make_world(&scene, 0);
    double start = axial_speed(frame_of(world));
    step_frames(world, (int)lround(10.0 * times));
    double growth = axial_speed(frame_of(world)) / start;
    bw_world_destroy(world);
    return growth;
}

static void gate_columns(BwLiquidMethod method, const char *name_of_method)
{
    static const double waves[] = {0.3, 0.5, 0.7, 0.9}, rates[] = {0.201, 0.302, 0.343, 0.265};
    for (size_t n = 0; n < sizeof waves / sizeof *waves; n++) {
        char name[64];
        double times = 1.4 / rates[n], growth = column_growth(method, waves[n], times);
        snprintf(name, sizeof name, "tension_column_growth_error_%.1f%s", waves[n], name_of_method);
        gate(name, fabs(acosh(growth) / times / rates[n] - 1.0), GATE_BELOW, 0.1);
    }
    char name[64];
    snprintf(name, sizeof name, "tension_column_growth_1.2%s", name_of_method);
    gate(name, fabs(column_growth(method, 1.2, 6.0)), GATE_BELOW, 1.0);
}

static void a_column_breaks_up(void **state)
{
    (void)state;
    gate_columns(BW_LIQUID_APIC, "");
    gate_columns(BW_LIQUID_LEVELSET, "_levelset");
}
#else
static void a_column_breaks_up(void **state)
{
    (void)state; // in the full test
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drops_at_rest_have_their_pressure_and_stay),
                                       cmocka_unit_test(drops_swing_at_their_period),
                                       cmocka_unit_test(drops_on_a_plate_come_to_their_angle),
                                       cmocka_unit_test(long_steps_are_stable),
                                       cmocka_unit_test(steps_follow_the_waves),
                                       cmocka_unit_test(a_column_breaks_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
