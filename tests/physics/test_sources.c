// Sources of other kinds: pumps in still air, soft edges, turbulence.
#include "run.h"

#include "domain/measure.h"
#include "operate/forces.h"
#include "operate/project.h"

// A pump drives the air around it from the first step on, smoke or none.
static void a_pump_works_in_still_open_air(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = smoke_scene(dimension, 1.0f / 24.0f);
        BwPumpDef pump = bw_pump_def_default();
        pump.shape = ball(0.5f, 0.5f, dimension == 3 ? 0.5f : 0.0f, 0.1f);
        pump.velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
        scene.pumps = &pump;
        scene.pump_count = 1;
        BwWorld *world = make_world(&scene, 2);
        step_frames(world, 3);
        const BwFrame *frame = frame_of(world);
        float inside = frame_value(frame, bw_frame_field(frame, "u"), 12, 12, 12);
        gate("pump_speed_error", fabs((double)inside - 1.0), GATE_BELOW, 1e-5);
        gate("pump_tiles", frame->tile_count, GATE_ABOVE, 4.0);
        bw_world_destroy(world);
    }
}

// Density of the first frame along a line through the middle of a soft ball.
static void a_soft_edge_is_as_wide_as_asked(void **state)
{
    (void)state;
    const float cell = 1.0f / 64.0f, radius = 0.2f, falloff = 0.16f;
    BwSceneDef scene = smoke_scene(2, cell);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.smoke.buoyancy_weight = 0.0f;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.5f, 0.0f, radius);
    emitter.density = bw_curve_number(1.0f);
    emitter.falloff = falloff;
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *density = bw_frame_field(frame, "density");
    double worst = 0.0, steepest = 0.0;
    float last = 1.0f;
    for (int i = 32; i < 63; i++) {
        float x = ((float)i + 0.5f) * cell - 0.5f, y = 0.5f * cell;
        float s = fminf(fmaxf(0.5f - (sqrtf(x * x + y * y) - radius) / falloff, 0.0f), 1.0f);
        float value = frame_value(frame, density, i, 32, 0);
        worst = fmax(worst, fabs((double)value - (double)(s * s * (3.0f - 2.0f * s))));
        steepest = fmax(steepest, (double)(last - value));
        last = value;
    }
    gate("soft_edge_profile_error", worst, GATE_BELOW, 1e-5);
    gate("soft_edge_steepest", steepest, GATE_BELOW, 1.6 * (double)(cell / falloff));
    // As much outside of the surface as is missing inside, but for the curvature.
    double area = 3.14159265 * (double)(radius * radius);
    gate("soft_edge_volume_error", fabs(bw_world_view_stats(world)->mass / area - 1.0), GATE_BELOW, 0.04);
    bw_world_destroy(world);
}

static const float strength = 2.0f;

// A box that is stirred for one short step from rest.
typedef struct Stirred {
    BwSceneDef scene;
    BwForceDef force;
    BwWorld *world;
} Stirred;

static const double instant = 1e-3; // s

static void stir(Stirred *s, int dimension, uint64_t seed, int workers)
{
    s->scene = smoke_scene(dimension, 1.0f / 32.0f);
    float side = dimension == 3 ? 1.0f : 4.0f;
    set_box(&s->scene, side, side, side);
    for (int a = 0; a < dimension; a++)
        s->scene.walls.periodic[a] = true;
    s->scene.fps = 1.0 / instant;
    s->scene.steps = 1;
    s->scene.seed = seed;
    s->force = bw_force_def_default();
    s->force.field = BW_FORCE_TURBULENCE;
    s->force.strength = bw_curve_number(strength);
    s->force.scale = 0.125f;
    s->scene.forces = &s->force;
    s->scene.force_count = 1;
    s->world = make_world(&s->scene, workers);
    step_frames(s->world, 1);
}

static double energy_of(const BwFrame *frame, int dimension, double *largest)
{
    static const char *const names[] = {"u", "v", "w"};
    double sum = 0.0;
    int64_t count = (int64_t)frame->tile_count * 64 * frame->layers;
    *largest = 0.0;
    for (int a = 0; a < dimension; a++) {
        const BwFrameField *u = bw_frame_field(frame, names[a]);
        for (int64_t n = 0; n < count; n++) {
            sum += (double)u->values[n] * (double)u->values[n];
            *largest = fmax(*largest, fabs((double)u->values[n]));
        }
    }
    return sum / (double)count;
}

static void turbulence_has_the_strength_asked(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Stirred s;
        double largest;
        stir(&s, dimension, 1, 2);
        double rms = sqrt(energy_of(frame_of(s.world), dimension, &largest)) / instant;
        gate("turbulence_rms_error", fabs(rms / (double)strength - 1.0), GATE_BELOW, 0.1);
        gate("turbulence_peak_over_rms", largest / instant / (double)strength, GATE_BELOW, 5.0);
        bw_world_destroy(s.world);
    }
}

// On the faces of the grid, before any pressure: rounding, over a cell.
static void turbulence_has_no_divergence(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwGridDef def = {.cell_size = 1.0f / 32.0f, .dimension = dimension};
        BwGrid *grid;
        BwDomain domain;
        BwVelocity velocity;
        assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
        for (int n = 0; n < (dimension == 3 ? 27 : 9); n++)
            assert_int_equal(bw_grid_wake(grid, &(BwTileCoord){n % 3, n / 3 % 3, n / 9}, 1, NULL), BW_OK);
        assert_int_equal(bw_domain_create(&domain, grid, NULL, NULL), BW_OK);
        assert_int_equal(bw_velocity_create(&velocity, grid, bw_vec3(0, 0, 0), NULL), BW_OK);
        for (int side = 0; side < BW_SIDE_COUNT; side++)
            domain.side[side].kind = BW_WALL_OPEN;
        bw_domain_label(&domain, NULL, 0);
        BwForce force = {.field = BW_FORCE_TURBULENCE,
                         .strength = strength,
                         .scale = 0.125f,
                         .phase = 0.3f,
                         .dimension = dimension};
        bw_add_forces(&domain, domain.flow, &velocity, &force, 1, 1.0f);
        double speed = (double)bw_velocity_max(&domain, &velocity);
        gate("turbulence_reaches", speed, GATE_ABOVE, (double)strength);
        gate("turbulence_divergence_over_gradient", bw_divergence_max(&domain, &velocity) * 0.125 / speed,
             GATE_BELOW, 2e-5);
        bw_velocity_destroy(&velocity);
        bw_domain_destroy(&domain);
        bw_grid_destroy(grid);
    }
}

static void turbulence_depends_on_the_seed_and_not_on_workers(void **state)
{
    (void)state;
    Stirred one, three, other;
    stir(&one, 2, 1, 1);
    stir(&three, 2, 1, 3);
    stir(&other, 2, 2, 1);
    const BwFrame *a = frame_of(one.world), *b = frame_of(three.world), *c = frame_of(other.world);
    size_t bytes = (size_t)a->tile_count * 64 * sizeof(float);
    assert_memory_equal(bw_frame_field(a, "u")->values, bw_frame_field(b, "u")->values, bytes);
    assert_memory_not_equal(bw_frame_field(a, "u")->values, bw_frame_field(c, "u")->values, bytes);
    bw_world_destroy(one.world);
    bw_world_destroy(three.world);
    bw_world_destroy(other.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pump_works_in_still_open_air),
        cmocka_unit_test(a_soft_edge_is_as_wide_as_asked),
        cmocka_unit_test(turbulence_has_the_strength_asked),
        cmocka_unit_test(turbulence_has_no_divergence),
        cmocka_unit_test(turbulence_depends_on_the_seed_and_not_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
