// What a flat emitter lets out: area times the speed across it times density, whatever the grid, the step and
// the way it faces.
#include "run.h"

static const float pi = 3.14159265f, speed = 0.5f, seconds = 0.5f;

typedef struct Case {
    const char *name;
    BwShape shape;
    double area;     // m^2, in 2-D of 1 m depth
    BwVec3 velocity; // m/s
    float tilt;      // rad, between the velocity and the shape's normal
} Case;

static BwVec3 tilted(float angle)
{
    return bw_vec3(sinf(angle), cosf(angle), 0.0f);
}

static Case disc_case(float angle)
{
    const float radius = 0.15f;
    return (Case){.shape = {.kind = BW_SHAPE_DISC,
                            .a = bw_vec3(0.51f, 0.42f, 0.47f),
                            .b = tilted(angle),
                            .radius = radius},
                  .area = (double)(pi * radius * radius),
                  .velocity = bw_mul(tilted(angle), speed)};
}

static Case rectangle_case(float angle)
{
    return (Case){.shape = {.kind = BW_SHAPE_RECTANGLE,
                            .a = bw_vec3(0.51f, 0.42f, 0.47f),
                            .b = tilted(angle),
                            .size = {0.27f, 0.22f}},
                  .area = 0.27 * 0.22,
                  .velocity = bw_mul(tilted(angle), speed)};
}

static BwEmitterDef emitter_of(const Case *c)
{
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = c->shape;
    emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(c->velocity.x, c->velocity.y, c->velocity.z);
    return emitter;
}

static double largest_density(const BwFrame *frame)
{
    const BwFrameField *density = bw_frame_field(frame, "density");
    double largest = 0.0;
    for (int64_t n = 0; n < (int64_t)frame->tile_count * 64 * frame->layers; n++)
        largest = fmax(largest, (double)density->values[n]);
    return largest;
}

// Smoke in the scene at the end over what it should be, less 1.
static double error_of(const Case *c, BwSceneDef scene)
{
    BwEmitterDef emitter = emitter_of(c);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, (int)(seconds * (float)scene.fps));
    double mass = bw_world_view_stats(world)->mass;
    assert_true(largest_density(frame_of(world)) < 1.0 + 1e-5);
    bw_world_destroy(world);
    double wanted = c->area * (double)bw_length(c->velocity) * (double)(cosf(c->tilt) * seconds);
    return fabs(mass / wanted - 1.0);
}

// The largest error over grids, between walls.
static double worst(const Case *c, int dimension, float cfl, double fps)
{
    static const float cells[] = {16.0f, 20.0f, 24.0f};
    double most = 0.0;
    for (int n = 0; n < 3; n++) {
        BwSceneDef scene = smoke_scene(dimension, 1.0f / cells[n]);
        set_box(&scene, 1.0f, 1.25f, 1.0f);
        scene.cfl = cfl;
        scene.fps = fps;
        most = fmax(most, error_of(c, scene));
    }
    return most;
}

static void a_flat_emitter_lets_out_area_times_speed(void **state)
{
    (void)state;
    const float turn = pi / 6.0f;
    Case straight = disc_case(0.0f), turned = disc_case(turn), level = rectangle_case(0.0f),
         slanted = rectangle_case(turn);
    gate("emit_flat_disc", worst(&straight, 3, 2.0f, 24.0), GATE_BELOW, 0.03);
    gate("emit_flat_disc_tilted", worst(&turned, 3, 2.0f, 24.0), GATE_BELOW, 0.03);
    gate("emit_flat_rectangle", worst(&level, 3, 2.0f, 24.0), GATE_BELOW, 0.03);
    gate("emit_flat_rectangle_tilted", worst(&slanted, 3, 2.0f, 24.0), GATE_BELOW, 0.03);
}

// Only the part of the speed across it counts.
static void a_slanted_flow_lets_out_less(void **state)
{
    (void)state;
    Case c = disc_case(0.0f);
    c.tilt = pi / 6.0f;
    c.velocity = bw_mul(tilted(c.tilt), speed);
    gate("emit_flat_slanted_flow", worst(&c, 3, 2.0f, 24.0), GATE_BELOW, 0.03);
}

// In 2-D it is a line, at any length of the step.
static void so_does_a_line_at_any_step(void **state)
{
    (void)state;
    for (float cfl = 0.5f; cfl <= 4.0f; cfl *= 2.0f) {
        Case straight = disc_case(0.0f), turned = disc_case(pi / 6.0f);
        straight.shape.a.z = turned.shape.a.z = 0.0f;
        straight.area = turned.area = (double)(2.0f * straight.shape.radius);
        gate("emit_flat_line", worst(&straight, 2, cfl, 4.0), GATE_BELOW, 0.03);
        gate("emit_flat_line_tilted", worst(&turned, 2, cfl, 4.0), GATE_BELOW, 0.03);
    }
}

// Nothing is awake in open air but what the emitter wakes.
static void so_it_does_in_open_air(void **state)
{
    (void)state;
    Case c = disc_case(0.0f);
    for (int n = 0; n < 2; n++) {
        c.shape.a.y = n == 0 ? 0.5f : 0.53125f; // on faces, and in the middle of cells
        gate("emit_flat_open_air", error_of(&c, smoke_scene(3, 1.0f / 16.0f)), GATE_BELOW, 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_emitter_lets_out_area_times_speed),
        cmocka_unit_test(a_slanted_flow_lets_out_less),
        cmocka_unit_test(so_does_a_line_at_any_step),
        cmocka_unit_test(so_it_does_in_open_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
