// A steady flow that only the scheme can change: Taylor and Green's inviscid vortices in a periodic square.
// What is left of the energy after some turns is what the scheme keeps; and smoke that rides along may never
// get thicker than it was, nor thinner than nothing.
#include "run.h"

static const double pi = 3.14159265358979323846;

static BwResult vortices(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = sinf(at.x) * cosf(at.y);
    value[1] = -cosf(at.x) * sinf(at.y);
    return BW_OK;
}

// Smooth in one place, cut off sharply in another.
static BwResult smoke(void *user, BwVec3 at, float value[4], BwError *err)
{
    (void)user;
    (void)err;
    value[0] = at.x > 3.0f && at.x < 5.0f ? 1.0f : 0.5f + 0.5f * sinf(2.0f * at.y);
    return BW_OK;
}

static double energy(const BwFrame *frame)
{
    double sum = 0.0;
    for (int a = 0; a < 2; a++) {
        const BwFrameField *u = bw_frame_field(frame, a == 0 ? "u" : "v");
        for (int32_t n = 0; n < frame->tile_count * 64; n++)
            sum += (double)u->values[n] * (double)u->values[n];
    }
    return sum;
}

// How far the density reaches beyond 0 and 1.
static double new_extreme(const BwFrame *frame)
{
    const BwFrameField *density = bw_frame_field(frame, "density");
    double worst = 0.0;
    for (int32_t n = 0; n < frame->tile_count * 64; n++) {
        double value = (double)density->values[n];
        worst = fmax(worst, fmax(value - 1.0, -value));
    }
    return worst;
}

typedef struct Kept {
    double energy; // at the end, over that at the start
    double most;   // the largest it ever was
    double extreme;
} Kept;

// One step a frame, at Courant number 1.
static Kept energy_kept(BwAdvection advection, int cells, double duration)
{
    float side = (float)(2.0 * pi);
    BwSceneDef scene = smoke_scene(2, side / (float)cells);
    set_box(&scene, side, side, 0.0f);
    scene.walls.periodic[0] = scene.walls.periodic[1] = true;
    scene.initial.velocity.function = vortices;
    scene.initial.density.function = smoke;
    scene.gravity.value[0] = scene.gravity.value[1] = scene.gravity.value[2] = 0.0f;
    scene.smoke.buoyancy_weight = 0.0f;
    scene.smoke.advection = advection;
    scene.fps = 1.0f / scene.cell;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 2);
    double start = energy(frame_of(world));
    Kept kept = {1.0, 1.0, 0.0};
    int steps = (int)lround(duration / (double)scene.cell);
    for (int n = 0; n < steps; n++) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        kept.energy = energy(frame) / start;
        kept.most = fmax(kept.most, kept.energy);
        kept.extreme = fmax(kept.extreme, new_extreme(frame));
    }
    bw_world_destroy(world);
    return kept;
}

// Sizes, and what each scheme must keep. For every day one turn on a coarse grid, with bounds a little below
// what was measured there (.47, .62, .63, .97).
#ifdef FULL_SIZE
enum { CELLS = 128 };
static const double turns = 10.0;
static const double least[] = {0.0, 0.38, 0.38, 0.97};
#else
enum { CELLS = 32 };
static const double turns = 1.0;
static const double least[] = {0.0, 0.59, 0.59, 0.95};
#endif

static void check(const char *name, BwAdvection advection)
{
    Kept kept = energy_kept(advection, CELLS, turns * 2.0 * pi);
    char line[64];
    snprintf(line, sizeof line, "taylor_green_kept_%s", name);
    gate(line, kept.energy, GATE_ABOVE, least[advection]);
    snprintf(line, sizeof line, "taylor_green_most_%s", name);
    gate(line, kept.most, GATE_BELOW, 1.001);
    snprintf(line, sizeof line, "taylor_green_new_extremes_%s", name);
    gate(line, kept.extreme, GATE_BELOW, 1e-6);
}

static void semi_lagrangian_keeps_little(void **state)
{
    (void)state;
    check("semi_lagrangian", BW_ADVECT_SEMI_LAGRANGIAN);
}

static void cubic_keeps_more(void **state)
{
    (void)state;
    check("cubic", BW_ADVECT_CUBIC);
}

static void maccormack_keeps_more(void **state)
{
    (void)state;
    check("maccormack", BW_ADVECT_MACCORMACK);
}

static void reflection_keeps_nearly_all(void **state)
{
    (void)state;
    check("reflection", BW_ADVECT_REFLECTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semi_lagrangian_keeps_little),
        cmocka_unit_test(cubic_keeps_more),
        cmocka_unit_test(maccormack_keeps_more),
        cmocka_unit_test(reflection_keeps_nearly_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
