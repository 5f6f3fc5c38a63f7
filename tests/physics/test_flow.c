// A flow without any fluid in it: what every recipe builds on is right by itself.
#include "run.h"

#include "domain/energy.h"
#include "flow/flow.h"

static const float pi = 3.14159265f;

// A cell of Taylor and Green's vortices between walls that slip: it turns for ever, and viscosity slows it by
// exp(-2 nu pi^2 t).
static BwResult vortex(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = sinf(pi * point.x) * cosf(pi * point.y);
    value[1] = -cosf(pi * point.x) * sinf(pi * point.y);
    return BW_OK;
}

typedef struct Case {
    BwSceneDef scene;
    BwObstacleDef obstacle;
    BwPool *pool;
    BwFlow flow;
    BwField density; // nobody's: sources want one to write to
    BwStats stats;
    double time;
} Case;

static void case_create(Case *c, BwAdvection advection, float viscosity, bool has_ball)
{
    BwError err = {0};
    *c = (Case){.scene = smoke_scene(2, 1.0f / 32.0f)};
    set_box(&c->scene, 1.0f, 1.0f, 0.0f);
    c->scene.initial.velocity.function = vortex;
    c->obstacle = bw_obstacle_def_default();
    c->obstacle.shape = ball(0.0f, 0.0f, 0.0f, 0.15f);
    c->obstacle.motion.position = bw_curve_vector(0.3f, 0.5f, 0.0f);
    c->scene.obstacles = &c->obstacle;
    c->scene.obstacle_count = has_ball;
    BwPoolDef pool = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = 2};
    assert_int_equal(bw_pool_create(&c->pool, &pool, &err), BW_OK);
    BwFlowDef def = {.scene = &c->scene,
                     .allocator = pool.allocator,
                     .pool = c->pool,
                     .advection = advection,
                     .viscosity = viscosity,
                     .density = 1.0};
    assert_int_equal(bw_flow_create(&c->flow, &def, &err), BW_OK);
    assert_int_equal(bw_field_create(&c->density, c->flow.grid, BW_AT_CELL, 0.0f, &err), BW_OK);
    assert_int_equal(bw_flow_wake(&c->flow, &err), BW_OK);
    BwSourceFields fields = {
        .domain = &c->flow.domain, .velocity = &c->flow.velocity, .density = &c->density};
    assert_int_equal(bw_scene_fill(&c->scene, &fields, (BwWatch){0}, &err), BW_OK);
    bw_flow_start(&c->flow);
    assert_int_equal(bw_flow_project_last(&c->flow, 0.0, 1.0, &c->stats, &err), BW_OK);
}

static void case_destroy(Case *c)
{
    bw_field_destroy(&c->density);
    bw_flow_destroy(&c->flow);
    bw_pool_destroy(c->pool);
}

// The plainest recipe: a velocity advected along itself.
static void step(Case *c, double dt)
{
    BwError err = {0};
    BwFlow *flow = &c->flow;
    bw_flow_begin_measures(flow, c->time, dt, &c->stats);
    assert_int_equal(bw_flow_move_solids(flow, c->time, dt, &err), BW_OK);
    bw_flow_advect(flow, NULL, dt);
    assert_int_equal(bw_flow_set_walls(flow, c->time + dt, &err), BW_OK);
    bw_flow_label(flow);
    bw_flow_set_wall_velocity(flow);
    if (flow->has_friction)
        assert_int_equal(bw_flow_viscosity(flow, dt, &c->stats, &err), BW_OK);
    assert_int_equal(bw_flow_project_last(flow, c->time, dt, &c->stats, &err), BW_OK);
    c->time += dt;
}

static void viscosity_slows_a_vortex_as_it_should(void **state)
{
    (void)state;
    const float viscosity = 0.02f;
    Case c;
    case_create(&c, BW_ADVECT_MACCORMACK, viscosity, false);
    double before = bw_kinetic_energy(&c.flow.domain, &c.flow.velocity);
    for (int n = 0; n < 100; n++)
        step(&c, 0.0025); // short: the splitting of a step loses energy of its own, in proportion to it
    double kept = bw_kinetic_energy(&c.flow.domain, &c.flow.velocity) / before;
    gate("flow_vortex_energy_over_exact", kept / exp(-4.0 * (double)viscosity * 9.8696044 * c.time) - 1.0,
         GATE_BELOW, 0.02);
    gate("flow_vortex_energy_below_exact", 1.0 - kept / exp(-4.0 * (double)viscosity * 9.8696044 * c.time),
         GATE_BELOW, 0.02);
    gate("flow_vortex_divergence", bw_divergence_max(&c.flow.domain, &c.flow.velocity), GATE_BELOW, 1e-3);
    case_destroy(&c);
}

static void flow_around_a_ball_has_no_divergence(void **state)
{
    (void)state;
    Case c;
    case_create(&c, BW_ADVECT_MACCORMACK, 0.0f, true);
    c.obstacle.motion.position = bw_curve_vector(0.32f, 0.5f, 0.0f); // pushed two thirds of a cell in a step
    step(&c, 0.02);
    gate("flow_beside_a_ball_divergence", bw_divergence_max(&c.flow.domain, &c.flow.velocity), GATE_BELOW,
         1e-2);
    gate("flow_beside_a_ball_speed", (double)c.flow.max_speed, GATE_ABOVE, 1.0); // it moves at 1 m/s
    assert_false(bw_flow_is_closed(&c.flow) && c.flow.scene->obstacle_count == 0);
    case_destroy(&c);
}

static bool has_same_bits(const BwFlow *a, const BwFlow *b)
{
    for (int32_t n = 0; n < a->grid->tile_count; n++)
        for (int axis = 0; axis < 2; axis++)
            if (memcmp(bw_field_tile(&a->velocity.u[axis], a->grid->order[n]),
                       bw_field_tile(&b->velocity.u[axis], b->grid->order[n]),
                       (size_t)a->grid->tile_cells * sizeof(float)) != 0)
                return false;
    return true;
}

static void a_saved_flow_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    BwError err = {0};
    Case first, second;
    case_create(&first, BW_ADVECT_MACCORMACK, 0.01f, true);
    case_create(&second, BW_ADVECT_MACCORMACK, 0.01f, true);
    BwRecord record = {.allocator = first.flow.allocator};
    BwStateField fields[BW_STATE_FIELDS_MAX];
    step(&first, 0.02);
    int count = bw_flow_state_fields(&first.flow, fields, 0);
    assert_int_equal(bw_flow_save(&first.flow, fields, count, &record, &err), BW_OK);
    assert_int_equal(bw_record_add_number(&record, "time", first.time, &err), BW_OK);
    count = bw_flow_state_fields(&second.flow, fields, 0);
    if (bw_flow_load(&second.flow, fields, count, &record, &err) != BW_OK ||
        bw_flow_agree(&second.flow, &record, &err) != BW_OK)
        fail_msg("%s", err.message);
    second.time = first.time;
    step(&first, 0.02);
    step(&second, 0.02);
    assert_true(has_same_bits(&first.flow, &second.flow));
    bw_record_free(&record);
    case_destroy(&first);
    case_destroy(&second);
}

static void a_number_that_is_none_is_reported_with_its_place(void **state)
{
    (void)state;
    BwError err = {0};
    BwStateField fields[BW_STATE_FIELDS_MAX];
    Case c;
    case_create(&c, BW_ADVECT_MACCORMACK, 0.0f, false);
    int count = bw_flow_state_fields(&c.flow, fields, 0);
    assert_int_equal(bw_flow_check(&c.flow, fields, count, 0.02, &err), BW_OK);
    bw_field_tile(&c.flow.velocity.u[1], c.flow.grid->order[3])[5] = NAN;
    assert_int_equal(bw_flow_check(&c.flow, fields, count, 0.02, &err), BW_ERR_NUMERICS);
    assert_non_null(strstr(err.message, "v became"));
    assert_non_null(strstr(err.message, "(0.9219, 0, 0) m"));
    case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscosity_slows_a_vortex_as_it_should),
        cmocka_unit_test(flow_around_a_ball_has_no_divergence),
        cmocka_unit_test(a_saved_flow_goes_on_with_the_same_bits),
        cmocka_unit_test(a_number_that_is_none_is_reported_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
