// What an emitter lets out does not depend on the grid: its volume, and area times speed times density of the
// true shape each second; or its rate times its volume.
#include "run.h"

static const float pi = 3.14159265f;

typedef struct Case {
    int dimension;
    float cells; // a metre
    float cfl;
    BwShape shape;
    double volume, area; // of the shape: m^3, and m^2 across the velocity; in 2-D of 1 m depth
    BwVec3 velocity;     // m/s
    float temperature;   // K; 0: not given
    float rate;          // 1/s; 0: held at density 1
    BwAdvection scheme;
} Case;

static const float seconds = 1.0f;

// Smoke in the box after a second, over what it should be.
static double let_out(const Case *c)
{
    BwSceneDef scene = smoke_scene(c->dimension, 1.0f / c->cells);
    set_box(&scene, 1.0f, 2.0f, 1.0f);
    scene.cfl = c->cfl;
    scene.smoke.advection = c->scheme;
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = c->shape;
    if (c->rate > 0.0f)
        emitter.density_rate = bw_curve_number(c->rate);
    else
        emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(c->velocity.x, c->velocity.y, c->velocity.z);
    if (c->temperature > 0.0f)
        emitter.temperature = bw_curve_number(c->temperature);
    scene.emitters = &emitter;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, (int)(seconds * scene.fps));
    double mass = bw_world_view_stats(world)->mass;
    bw_world_destroy(world);
    double held = c->volume + c->area * (double)bw_length(c->velocity) * (double)seconds;
    return mass / (c->rate > 0.0f ? (double)(c->rate * seconds) * c->volume : held);
}

// The largest distance from 1 over grids and steps.
static double worst(Case c, const float *cells, int cell_count, const float *cfl, int cfl_count)
{
    double most = 0.0;
    for (int n = 0; n < cell_count; n++)
        for (int m = 0; m < cfl_count; m++) {
            c.cells = cells[n];
            c.cfl = cfl[m];
            most = fmax(most, fabs(let_out(&c) - 1.0));
        }
    return most;
}

static const float flat_cells[] = {16.0f, 20.0f, 24.0f, 28.0f, 32.0f}, all_cfl[] = {0.5f, 1.0f, 2.0f, 4.0f};
#ifdef FULL_SIZE
static const float deep_cells[] = {16.0f, 20.0f, 24.0f, 28.0f, 32.0f}, deep_cfl[] = {0.5f, 2.0f, 4.0f};
#else
static const float deep_cells[] = {16.0f, 20.0f}, deep_cfl[] = {2.0f};
#endif
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static double worst_flat(Case c)
{
    c.dimension = 2;
    return worst(c, flat_cells, COUNT(flat_cells), all_cfl, COUNT(all_cfl));
}

static double worst_deep(Case c)
{
    c.dimension = 3;
    return worst(c, deep_cells, COUNT(deep_cells), deep_cfl, COUNT(deep_cfl));
}

static Case disc_case(void)
{
    return (Case){.shape = ball(0.5f, 0.4f, 0.0f, 0.1f),
                  .volume = (double)(pi * 0.1f * 0.1f),
                  .area = 0.2,
                  .velocity = bw_vec3(0.0f, 0.5f, 0.0f),
                  .scheme = BW_ADVECT_MACCORMACK};
}

static Case ball_case(void)
{
    return (Case){.shape = ball(0.5f, 0.4f, 0.5f, 0.1f),
                  .volume = 4.0 / 3.0 * (double)(pi * 0.1f * 0.1f * 0.1f),
                  .area = (double)(pi * 0.1f * 0.1f),
                  .velocity = bw_vec3(0.0f, 0.5f, 0.0f),
                  .scheme = BW_ADVECT_MACCORMACK};
}

// A box that is no whole number of cells.
static Case box_case(void)
{
    const float half = 0.087f;
    Case c = disc_case();
    c.shape = (BwShape){.kind = BW_SHAPE_BOX,
                        .a = bw_vec3(0.5f - half, 0.4f - half, -1.0f),
                        .b = bw_vec3(0.5f + half, 0.4f + half, 1.0f)};
    c.volume = 4.0 * (double)(half * half);
    c.area = 2.0 * (double)half;
    return c;
}

static Case cylinder_case(void)
{
    Case c = ball_case();
    c.shape = (BwShape){.kind = BW_SHAPE_CYLINDER,
                        .a = bw_vec3(0.5f, 0.33f, 0.5f),
                        .b = bw_vec3(0.5f, 0.5f, 0.5f),
                        .radius = 0.11f};
    c.area = (double)(pi * 0.11f * 0.11f);
    c.volume = 0.17 * c.area;
    return c;
}

static void a_blown_source_lets_out_area_times_speed(void **state)
{
    (void)state;
    Case hot = disc_case(), slanted = disc_case();
    hot.temperature = 400.0f;
    slanted.velocity = bw_vec3(0.3f, 0.4f, 0.0f);
    gate("emit_rate_disc", worst_flat(disc_case()), GATE_BELOW, 0.03);
    gate("emit_rate_hot_disc", worst_flat(hot), GATE_BELOW, 0.03);
    gate("emit_rate_slanted", worst_flat(slanted), GATE_BELOW, 0.03);
    gate("emit_rate_box", worst_flat(box_case()), GATE_BELOW, 0.03);
    for (BwAdvection scheme = BW_ADVECT_CUBIC; scheme <= BW_ADVECT_REFLECTION; scheme++) {
        hot.scheme = scheme;
        hot.dimension = 2;
        gate("emit_rate_by_scheme", worst(hot, flat_cells, COUNT(flat_cells), &all_cfl[2], 1), GATE_BELOW,
             0.03);
    }
}

static void so_it_does_in_space(void **state)
{
    (void)state;
    Case hot = ball_case();
    hot.temperature = 400.0f;
    gate("emit_rate_hot_ball", worst_deep(hot), GATE_BELOW, 0.03);
    gate("emit_rate_cylinder", worst_deep(cylinder_case()), GATE_BELOW, 0.03);
}

static void what_is_added_by_the_second_is_rate_times_volume(void **state)
{
    (void)state;
    Case flat = disc_case(), deep = ball_case();
    flat.rate = deep.rate = 2.0f;
    gate("emit_density_rate_disc", worst_flat(flat), GATE_BELOW, 0.02);
    gate("emit_density_rate_ball", worst_deep(deep), GATE_BELOW, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blown_source_lets_out_area_times_speed),
        cmocka_unit_test(so_it_does_in_space),
        cmocka_unit_test(what_is_added_by_the_second_is_rate_times_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
