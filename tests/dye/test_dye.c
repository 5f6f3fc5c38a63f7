// Dye, the fluid of docs/architecture.md: it goes where the flow takes it, none of it is lost, and it is
// stepped, shown, saved and loaded like any other.
#include "dye.h"
#include "physics/run.h"
#include "world/world_record.h"
#include "world/world_solver.h"

static BwResult drift(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)point, (void)err;
    value[0] = 1.0f;
    value[1] = 0.5f;
    return BW_OK;
}

// A Gaussian, so smooth that a scheme of second order keeps it.
static BwResult blob(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    float x = point.x - 0.5f, y = point.y - 0.5f;
    value[0] = expf(-(x * x + y * y) / (2.0f * 0.01f));
    return BW_OK;
}

// A box of a metre whose ends are joined: after two seconds the dye is back where it was.
static BwSceneDef joined_box(int cells)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / (float)cells);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    scene.walls.periodic[0] = scene.walls.periodic[1] = true;
    scene.fps = 16.0;
    scene.initial.velocity.function = drift;
    scene.initial.density.function = blob;
    return scene;
}

static BwWorld *make_dye(const BwSceneDef *scene)
{
    BwWorld *world;
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = 2;
    if (bw_world_create_of(&world, &def, &dye_solver, &err) != BW_OK)
        fail_msg("%s", err.message);
    return world;
}

// What the dye differs by after a turn, over all of it; and its total is kept.
static double error_after_a_turn(int cells)
{
    BwSceneDef scene = joined_box(cells);
    BwWorld *world = make_dye(&scene);
    double before = bw_world_view_stats(world)->mass, apart = 0.0, sum = 0.0;
    step_frames(world, 32);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *density = bw_frame_field(frame, "density");
    for (int j = 0; j < cells; j++)
        for (int i = 0; i < cells; i++) {
            float wanted[4], h = scene.cell;
            blob(NULL, bw_vec3(((float)i + 0.5f) * h, ((float)j + 0.5f) * h, 0.0f), wanted, NULL);
            apart += fabs((double)frame_value(frame, density, i, j, 0) - (double)wanted[0]);
            sum += (double)wanted[0];
        }
    gate("dye_total_change", fabs(bw_world_view_stats(world)->mass / before - 1.0), GATE_BELOW, 1e-5);
    bw_world_destroy(world);
    return apart / sum;
}

static void dye_comes_back(void **state)
{
    (void)state;
    double coarse = error_after_a_turn(64), fine = error_after_a_turn(128);
    gate("dye_after_a_turn_apart", fine, GATE_BELOW, 0.05);
    gate("dye_order", log2(coarse / fine), GATE_ABOVE, 1.7); // MacCormack's is 2
}

static void dye_goes_on_from_a_saved_state(void **state)
{
    (void)state;
    BwError err = {0};
    BwSceneDef scene = joined_box(32);
    BwWorld *first = make_dye(&scene), *second = make_dye(&scene);
    step_frames(first, 3);
    const BwRecord *record = bw_world_record(first, &err);
    assert_non_null(record);
    if (bw_world_restore(second, record, false, &err) != BW_OK)
        fail_msg("%s", err.message);
    step_frames(first, 3);
    step_frames(second, 3);
    assert_true(bw_frame_hash(frame_of(first)) == bw_frame_hash(frame_of(second)));
    bw_world_destroy(first);
    bw_world_destroy(second);
}

static void dye_refuses_what_it_cannot_do(void **state)
{
    (void)state;
    BwError err = {0};
    BwWorld *world = NULL;
    BwSceneDef scene = joined_box(32);
    scene.has_walls = false;
    BwWorldDef def = bw_world_def_default();
    def.scene = &scene;
    assert_int_equal(bw_world_create_of(&world, &def, &dye_solver, &err), BW_ERR_SCENE);
    assert_null(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dye_comes_back),
        cmocka_unit_test(dye_goes_on_from_a_saved_state),
        cmocka_unit_test(dye_refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
