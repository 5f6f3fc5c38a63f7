// A rope of thick liquid that is fed onto a plate coils. Where neither inertia nor weight count, the viscous
// regime of Ribe 2004 (Coiling of viscous jets), nothing but geometry is left: it turns at a rate of
// Q / (H a^2), H the height that it falls from and a its radius where it lands, times a number of about one.
//
// Lengths are in cells, and it comes out at a cell a second.
#include "liquid_run.h"

static const double pi = 3.14159265358979323846;
static const double radius = 2.0;      // that it comes out with: four cells across
static const float viscosity = 2.0e4f; // a Reynolds number of 1e-4

enum { FRAMES_A_TURN = 16, TURNS = 4, TURNS_MEASURED = 2 };

typedef struct Coil {
    double height; // of the nozzle
    double turn;   // s, as theory has it
    double pile;   // height of what lies on the plate
    BwWorld *world;
    BwEmitterDef nozzle;
    BwObstacleDef plate;
} Coil;

// A push to the side that goes around, until it has landed and turned once: so it need not wait for its own
// noise, nor fold to and fro before it coils.
static BwResult nudged(void *user, double time, float value[4], BwError *err)
{
    (void)err;
    double turns = time / ((const Coil *)user)->turn, push = fmin(fmax(0.3 * (2.0 - turns), 0.0), 0.3);
    value[0] = (float)(push * cos(2.0 * pi * turns));
    value[1] = -1.0f;
    value[2] = (float)(push * sin(2.0 * pi * turns));
    return BW_OK;
}

static BwSceneDef coil_scene(Coil *coil)
{
    float height = (float)coil->height, side = height, deep = height;
    BwSceneDef scene = liquid_scene(3, 1.0f, BW_LIQUID_APIC);
    scene.fps = FRAMES_A_TURN / coil->turn;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.liquid.viscosity = bw_curve_number(viscosity);
    set_box(&scene, side, height + 16.0f, side);
    scene.walls.min = bw_vec3(-side, -deep, -side);
    for (int n = 0; n < BW_SIDE_COUNT; n++)
        scene.walls.side[n].kind = BW_WALL_OPEN;
    coil->nozzle = bw_emitter_def_default();
    coil->nozzle.shape = bw_disc(bw_vec3(0.0f, height, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), (float)radius);
    coil->nozzle.velocity = bw_curve_function(nudged, coil, 3);
    coil->plate = solid_of(
        bw_box(bw_vec3(-2.0f * side, -3.0f * deep, -2.0f * side), bw_vec3(2.0f * side, 0.0f, 2.0f * side)));
    coil->plate.slip = bw_curve_number(0.0f);
    scene.emitters = &coil->nozzle;
    scene.obstacles = &coil->plate;
    scene.emitter_count = scene.obstacle_count = 1;
    return scene;
}

typedef struct Layer {
    double area;      // of the rope in it
    double middle[2]; // where that is, x and z
} Layer;

// What is in a layer of two cells around a height.
static Layer layer_at(const BwFrame *frame, double height)
{
    const BwFrameParticles *water = water_of(frame);
    Layer layer = {0};
    for (int64_t p = 0; p < water->count; p++) {
        double place[3], part = 0.5 * (double)water_volumes(water)[p];
        bw_frame_particle_place(frame, water, p, place);
        if (fabs(place[1] - height) > 1.0)
            continue;
        layer.area += part;
        layer.middle[0] += part * place[0];
        layer.middle[1] += part * place[2];
    }
    layer.middle[0] /= layer.area;
    layer.middle[1] /= layer.area;
    return layer;
}

// The square of the rope's radius, a quarter of the way up, where it leans: what pushes it has made it
// thicker there than it came out.
static double radius_squared(const BwFrame *frame, double height)
{
    Layer low = layer_at(frame, 0.25 * height - 1.0), high = layer_at(frame, 0.25 * height + 1.0);
    double along = hypot(high.middle[0] - low.middle[0], high.middle[1] - low.middle[1]);
    return 0.5 * (low.area + high.area) / pi * 2.0 / hypot(2.0, along);
}

// How high that lies which has come to rest, or nearly so.
static double pile_height(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    const float *velocity = water_velocities(water);
    double top = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        const float *u = velocity + 3 * p;
        if (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < 0.04f)
            top = fmax(top, place[1]);
    }
    return top;
}

// The plate is lowered as the rope piles up on it, so that it falls as far as before.
static void lower_plate(Coil *coil)
{
    BwError err;
    double speed = 0.25 * pi * radius / coil->height + fmax(coil->pile, 0.0) / (0.5 * coil->turn);
    BwVec3 down = bw_vec3(0.0f, -(float)fmin(speed, 0.5), 0.0f), none = bw_vec3(0.0f, 0.0f, 0.0f);
    BwObstacleId plate = bw_world_obstacle(coil->world, 0);
    BwResult result = bw_world_set_obstacle_velocity(coil->world, plate, down, none, &err);
    assert_int_equal(result, BW_OK);
}

typedef struct Turning {
    double rate;   // rad/s
    double height; // that it falls
    double square; // of its radius
} Turning;

// Of Q / (H a^2).
static double over_theory(const Turning *turning)
{
    return turning->rate * turning->height * turning->square / (pi * radius * radius);
}

// Over the last turns: how fast the rope goes around, and how far it falls meanwhile.
static Turning coil_from(double height)
{
    Coil coil = {.height = height, .turn = 2.0 * height};
    BwSceneDef scene = coil_scene(&coil);
    coil.world = make_world(&scene, 1);
    Turning mean = {0};
    double last = 0.0;
    int first = FRAMES_A_TURN * (TURNS - TURNS_MEASURED), end = FRAMES_A_TURN * TURNS;
    for (int n = 0; n < end; n++) {
        step_frames(coil.world, 1);
        const BwFrame *frame = frame_of(coil.world);
        Layer layer = layer_at(frame, 0.5 * height);
        coil.pile = pile_height(frame);
        if (2 * n > FRAMES_A_TURN)
            lower_plate(&coil);
        double angle = atan2(layer.middle[1], layer.middle[0]), turned = angle - last;
        turned -= 2.0 * pi * rint(turned / (2.0 * pi));
        last = angle;
        if (n < first)
            continue;
        mean.rate += turned / (coil.turn * TURNS_MEASURED);
        mean.height += (height - coil.pile) / (FRAMES_A_TURN * TURNS_MEASURED);
        mean.square += radius_squared(frame, height) / (FRAMES_A_TURN * TURNS_MEASURED);
    }
    bw_world_destroy(coil.world);
    mean.rate = fabs(mean.rate);
    printf("nozzle at %g: falls %.1f cells, %.3f thick, turns at %.4f/s, %.3f Q / (H a^2)\n", height,
           mean.height, sqrt(mean.square) / radius, mean.rate, over_theory(&mean));
    fflush(stdout);
    return mean;
}

// The slope of log (rate a^2 / Q) over log height, by least squares.
static double exponent_of(const Turning *turning, int count)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int n = 0; n < count; n++) {
        double height = log(turning[n].height), rate = log(turning[n].rate * turning[n].square);
        x += height / count;
        y += rate / count;
        xx += height * height / count;
        xy += height * rate / count;
    }
    return (xy - x * y) / (xx - x * x);
}

static void a_rope_coils_as_it_should(void **state)
{
    (void)state;
    const double heights[] = {26.0, 33.0, 42.0};
    Turning turning[3];
    for (int n = 0; n < 3; n++) {
        turning[n] = coil_from(heights[n]);
        double factor = over_theory(&turning[n]);
        gate("coiling_over_theory", factor, GATE_ABOVE, 0.8);
        gate("coiling_over_theory", factor, GATE_BELOW, 1.5);
    }
    gate("coiling_exponent_error", fabs(exponent_of(turning, 3) + 1.0), GATE_BELOW, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rope_coils_as_it_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
