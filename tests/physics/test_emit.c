// What surfaces and textured sources emit: as much each second whatever the step, where the solid is and
// nowhere else.
#include "run.h"

static const float radius = 0.15f, cell = 1.0f / 32.0f;

typedef struct Smoking {
    BwSceneDef scene;
    BwObstacleDef obstacle;
    BwEmitterDef emit;
} Smoking;

// A ball in a box whose surface smokes.
static Smoking *smoking_ball(float x, float y)
{
    static Smoking s;
    s.scene = smoke_scene(3, cell);
    s.scene.smoke.buoyancy_weight = 0.0f;
    set_box(&s.scene, 1.0f, 1.0f, 1.0f);
    s.emit = bw_emitter_def_default();
    s.emit.density_rate = bw_curve_number(2.0f);
    s.obstacle = bw_obstacle_def_default();
    s.obstacle.shape = ball(0.0f, 0.0f, 0.0f, radius);
    s.obstacle.motion.position = bw_curve_vector(x, y, 0.5f);
    s.obstacle.emit = &s.emit;
    s.scene.obstacles = &s.obstacle;
    s.scene.obstacle_count = 1;
    return &s;
}

// Emitted in a quarter of a second.
static double emitted(BwSceneDef *scene, int steps)
{
    scene->steps = steps;
    BwWorld *world = make_world(scene, 2);
    double sum = 0.0;
    for (int n = 0; n < 6; n++) {
        step_frames(world, 1);
        sum += bw_world_view_stats(world)->emitted;
    }
    bw_world_destroy(world);
    return sum;
}

static double spread(BwSceneDef *scene, double *mean)
{
    double one = emitted(scene, 1), three = emitted(scene, 3), eight = emitted(scene, 8);
    *mean = (one + three + eight) / 3.0;
    return (fmax(one, fmax(three, eight)) - fmin(one, fmin(three, eight))) / *mean;
}

static void a_surface_emits_by_the_second(void **state)
{
    (void)state;
    double mean;
    Smoking *s = smoking_ball(0.5f, 0.5f);
    gate("emit_rate_spread_over_steps", spread(&s->scene, &mean), GATE_BELOW, 1e-4);
    // Coverage rises from a half at the surface to 1 and falls again: 1.375 cells of shell.
    double middle = (double)radius + 0.8 * (double)cell;
    double wanted = 0.25 * 2.0 * 4.0 * 3.14159265 * middle * middle * 1.375 * (double)cell;
    gate("emit_mass_error", fabs(mean / wanted - 1.0), GATE_BELOW, 0.05);
}

static void noise_does_not_depend_on_the_step(void **state)
{
    (void)state;
    double mean;
    Smoking *s = smoking_ball(0.5f, 0.5f);
    s->emit.noise = (BwNoiseDef){.amplitude = 0.8f, .size = 0.05f, .speed = 1.0f};
    gate("emit_noise_spread_over_steps", spread(&s->scene, &mean), GATE_BELOW, 0.03);
    s->emit.shape = ball(0.5f, 0.5f, 0.5f, 0.2f);
    s->scene.obstacle_count = 0;
    s->scene.emitters = &s->emit;
    s->scene.emitter_count = 1;
    gate("source_noise_spread_over_steps", spread(&s->scene, &mean), GATE_BELOW, 0.03);
}

// Sum of density near a place, and at the solid's own cells.
static void measure(BwWorld *world, float x, float y, double *near, double *inside)
{
    const BwFrame *frame = frame_of(world);
    const BwFrameField *density = bw_frame_field(frame, "density");
    *near = *inside = 0.0;
    for (int32_t t = 0; t < frame->tile_count; t++)
        for (int c = 0; c < 512; c++) {
            BwVec3 p = bw_vec3((8.0f * (float)frame->tiles[t].x + (float)(c & 7) + 0.5f) * cell,
                               (8.0f * (float)frame->tiles[t].y + (float)(c >> 3 & 7) + 0.5f) * cell,
                               (8.0f * (float)frame->tiles[t].z + (float)(c >> 6) + 0.5f) * cell);
            float away = bw_length(bw_sub(p, bw_vec3(x, y, 0.5f)));
            double value = (double)density->values[512 * t + c];
            *near += away >= radius && away < radius + 2.0f * cell ? value : 0.0;
            *inside += away < radius - 0.1f * cell ? value : 0.0;
        }
}

// Three cells a step, in a box and in the open, where tiles must wake before the ball gets there.
static void smoke_comes_from_where_the_solid_is(void **state)
{
    (void)state;
    for (int is_open = 0; is_open < 2; is_open++) {
        Smoking *s = smoking_ball(0.0f, 0.0f);
        const BwKey keys[] = {{0.0, {0.25f, 0.5f, 0.5f}}, {1.0, {2.5f, 0.5f, 0.5f}}};
        s->obstacle.motion.position =
            (BwCurve){.kind = BW_CURVE_KEYS, .components = 3, .keys = keys, .key_count = 2};
        s->scene.has_walls = is_open == 0;
        s->scene.walls.max.x = 3.0f;
        s->scene.steps = 1;
        double near, inside;
        BwWorld *world = make_world(&s->scene, 2);
        step_frames(world, 6);
        measure(world, 0.25f + 2.25f * 0.25f, 0.5f, &near, &inside);
        gate("emit_moving_near", near, GATE_ABOVE, 20.0);
        gate("emit_moving_inside", inside, GATE_BELOW, 0.0);
        bw_world_destroy(world);
    }
}

// A nozzle that has been turned round blows the other way.
static void what_is_blown_turns_with_the_solid(void **state)
{
    (void)state;
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        Smoking *s = smoking_ball(0.5f, 0.5f);
        s->emit.velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
        s->obstacle.motion.rotation = bw_curve_vector(0.0f, is_turned ? 3.14159265f : 0.0f, 0.0f);
        BwWorld *world = make_world(&s->scene, 2);
        step_frames(world, 2);
        const BwFrame *frame = frame_of(world);
        // Above the ball, a cell from its surface.
        float u = frame_value(frame, bw_frame_field(frame, "u"), 16, 21, 16);
        gate("emit_velocity_turns", (double)(is_turned ? -u : u), GATE_ABOVE, 0.2);
        bw_world_destroy(world);
    }
}

// A held block in a wind gives off what the wind takes through its far side, from the first step on: after
// half a second there are the block itself and a streak as wide as it.
typedef struct BlockInWind {
    BwAdvection scheme;
    float courant;     // cells that the wind goes in a step
    float begin, side; // of the block, in cells, along each axis
} BlockInWind;

static double blown_off_error(BlockInWind block)
{
    const float wind = 0.5f;
    BwSceneDef scene = smoke_scene(3, cell);
    scene.has_walls = false;
    scene.fps = wind / (block.courant * cell);
    scene.steps = 1;
    scene.smoke.advection = block.scheme;
    scene.smoke.wind = bw_curve_vector(wind, 0.0f, 0.0f);
    scene.smoke.buoyancy_weight = 0.0f;
    BwEmitterDef emitter = bw_emitter_def_default();
    float low = block.begin * cell, high = low + block.side * cell;
    emitter.shape =
        (BwShape){.kind = BW_SHAPE_BOX, .a = bw_vec3(low, low, low), .b = bw_vec3(high, high, high)};
    emitter.density = bw_curve_number(1.0f);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    int frames = (int)(0.5f * scene.fps);
    step_frames(world, frames + 1); // the first only fills the block
    double side = (double)(block.side * cell), way = frames * (double)(block.courant * cell);
    double error = bw_world_view_stats(world)->mass / (side * side * (side + way)) - 1.0;
    bw_world_destroy(world);
    return fabs(error);
}

static void a_wind_takes_what_it_passes(void **state)
{
    (void)state;
    static const BwAdvection schemes[] = {BW_ADVECT_SEMI_LAGRANGIAN, BW_ADVECT_CUBIC, BW_ADVECT_MACCORMACK,
                                          BW_ADVECT_REFLECTION};
    for (int s = 0; s < 4; s++) {
        BlockInWind inside = {schemes[s], 0.25f, 2.0f, 4.0f}, tile = {schemes[s], 0.25f, 0.0f, 8.0f},
                    fast = {schemes[s], 1.6f, 2.0f, 4.0f};
        gate("emit_blown_off_inside_a_tile", blown_off_error(inside), GATE_BELOW, 1e-5);
        gate("emit_blown_off_a_whole_tile", blown_off_error(tile), GATE_BELOW, 1e-5);
        gate("emit_blown_off_fast", blown_off_error(fast), GATE_BELOW, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_surface_emits_by_the_second),
        cmocka_unit_test(noise_does_not_depend_on_the_step),
        cmocka_unit_test(smoke_comes_from_where_the_solid_is),
        cmocka_unit_test(what_is_blown_turns_with_the_solid),
        cmocka_unit_test(a_wind_takes_what_it_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
