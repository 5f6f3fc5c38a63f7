// Meshes as solids of a flow: a ball of triangles is as good as a ball, and a sheet without any thickness
// keeps smoke on its side.
#include "run.h"

#include "mesh_maker.h"

enum { CELLS = 20 };
static const float cell = 1.0f / CELLS;

// A blast of smoke from below against an obstacle, for a quarter of a second.
static BwWorld *run_blast(BwSceneDef *scene, const BwObstacleDef *obstacle, int workers)
{
    static BwEmitterDef emitter;
    *scene = smoke_scene(3, cell);
    set_box(scene, 1.0f, 1.0f, 1.0f);
    scene->walls.side[BW_TOP].kind = BW_WALL_OPEN;
    emitter = bw_emitter_def_default();
    emitter.shape = ball(0.5f, 0.2f, 0.5f, 0.12f);
    emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(0.0f, 2.0f, 0.0f);
    scene->emitters = &emitter;
    scene->emitter_count = 1;
    scene->obstacles = obstacle;
    scene->obstacle_count = 1;
    BwWorld *world = make_world(scene, workers);
    step_frames(world, 6);
    return world;
}

// Sums of density: of the first, and of where the two differ.
static double difference(BwWorld *a, BwWorld *b)
{
    const BwFrame *frame = frame_of(a), *other = frame_of(b);
    const float *left = bw_frame_field(frame, "density")->values,
                *right = bw_frame_field(other, "density")->values;
    double sum = 0.0, apart = 0.0;
    assert_int_equal(frame->tile_count, other->tile_count);
    for (int64_t n = 0; n < (int64_t)512 * frame->tile_count; n++) {
        sum += (double)left[n];
        apart += fabs((double)left[n] - (double)right[n]);
    }
    return apart / sum;
}

static void a_ball_of_triangles_is_a_ball(void **state)
{
    (void)state;
    static Soup soup[8000];
    BwSceneDef scene, other;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.motion.position = bw_curve_vector(0.5f, 0.55f, 0.5f);
    obstacle.motion.spin = bw_curve_vector(0.0f, 0.0f, 5.0f);
    obstacle.shape = ball(0.0f, 0.0f, 0.0f, 0.15f);
    BwWorld *exact = run_blast(&scene, &obstacle, 2);
    obstacle.shape = load_soup(soup, make_soup(soup, 64, 32, 0.15, 0.0));
    BwWorld *mesh = run_blast(&other, &obstacle, 2), *alone = run_blast(&scene, &obstacle, 1);
    gate("mesh_solid_difference", difference(exact, mesh), GATE_BELOW, 0.02);
    assert_true(bw_frame_hash(frame_of(mesh)) == bw_frame_hash(frame_of(alone)));
    bw_world_destroy(exact);
    bw_world_destroy(mesh);
    bw_world_destroy(alone);
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)obstacle.shape.content);
}

// A sloping sheet right across the box: smoke is blown against it and stays below.
static void a_sheet_keeps_smoke_on_its_side(void **state)
{
    (void)state;
    const BwVec3 low = {-0.5f, 0.45f, -0.5f}, high = {1.5f, 0.75f, 1.5f};
    const Soup sheet[] = {{{low, {low.x, low.y, high.z}, {high.x, high.y, high.z}}},
                          {{low, {high.x, high.y, high.z}, {high.x, high.y, low.z}}}};
    BwSceneDef scene;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = load_soup(sheet, 2);
    assert_non_null(strstr(bw_shape_file_warning(obstacle.shape.content), "4 open edges"));
    BwWorld *world = run_blast(&scene, &obstacle, 2);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *density = bw_frame_field(frame, "density");
    double above = 0.0, below = 0.0;
    for (int k = 0; k < CELLS; k++)
        for (int j = 0; j < CELLS; j++)
            for (int i = 0; i < CELLS; i++) {
                float x = ((float)i + 0.5f) * cell, y = ((float)j + 0.5f) * cell;
                bool is_above = y > low.y + (x - low.x) * (high.y - low.y) / (high.x - low.x);
                *(is_above ? &above : &below) += (double)frame_value(frame, density, i, j, k);
            }
    gate("mesh_sheet_leak", above / below, GATE_BELOW, 0);
    gate("mesh_sheet_smoke_below", below, GATE_ABOVE, 100.0);
    bw_world_destroy(world);
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)obstacle.shape.content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_of_triangles_is_a_ball),
        cmocka_unit_test(a_sheet_keeps_smoke_on_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
