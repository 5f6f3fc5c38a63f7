// What a run is said to take before it starts (tools/billow/estimate.c), against what the allocator gave out:
// boxes of smoke, and all that adds fields to them; tanks of liquid at rest; liquid in the open.
#include "mesh_maker.h"
#include "meter.h"
#include "run.h"
#include "scratch_folder.h"

#include "../../tools/billow/estimate.h"

enum { FRAMES = 2, SOUP_MAX = 16384 };

#define WATER "fluid = 'liquid' } fill { shape = box { min = {0, 0, -1}, max = {1, 0.5, 1} } } "
#define BALL  "obstacle { shape = sphere { center = {0.5, 0.6, z}, radius = 0.2 }"

static const struct {
    const char *name;
    int dimension, cells; // along a side
    const char *text;
} cases[] = {
    {"plain", 3, 64, "fluid = 'smoke' }"},
    {"semi_lagrangian", 3, 64, "fluid = 'smoke' } smoke { advection = 'semi_lagrangian' }"},
    {"reflection", 3, 48, "fluid = 'smoke' } smoke { advection = 'reflection' }"},
    {"miccg", 3, 48, "fluid = 'smoke' } solver { pressure = 'miccg' } output { checkpoint_every = 0 }"},
    {"solid", 3, 64, "fluid = 'smoke' } " BALL " }"},
    {"color", 3, 64,
     "fluid = 'smoke' } emitter { shape = sphere { center = {0.5, 0.6, z}, radius = 0.1 }, "
     "density = 1, color = {1, 0, 0} }"},
    {"viscosity", 3, 64, "fluid = 'smoke' } smoke { viscosity = 1e-3 }"},
    {"conductivity", 3, 48, "fluid = 'smoke' } smoke { conductivity = 1e-3 }"},
    {"sticky_solid", 3, 48, "fluid = 'smoke' } smoke { viscosity = 1e-3 } " BALL ", slip = 0 }"},
    {"mesh", 3, 24, "fluid = 'smoke' } obstacle { shape = mesh { file = 'ball.obj' } }"},
    {"flat", 2, 248, "fluid = 'smoke' }"},
    {"flat_viscous_solid", 2, 248, "fluid = 'smoke' } smoke { viscosity = 1e-3 } " BALL " }"},
    {"fire", 3, 48, "fluid = 'fire' } fire { model = 'simple', expansion = 0 }"},
    {"flame", 3, 48, "fluid = 'fire' }"},
    {"liquid", 3, 48, WATER "liquid { narrow_band = 0 }"},
    {"liquid_flip", 3, 48, WATER "liquid { narrow_band = 0, method = 'flip' }"},
    {"liquid_solid", 3, 48, WATER "liquid { narrow_band = 0 } " BALL " }"},
    {"liquid_band", 3, 48, WATER "liquid { seeding = 'lattice' }"},
    {"liquid_markers", 3, 48, WATER "liquid { narrow_band = 0, method = 'markers' }"},
    {"liquid_thick", 3, 48, WATER "liquid { narrow_band = 0, viscosity = 0.1 }"},
    {"liquid_melting", 3, 48, WATER "liquid { narrow_band = 0, melt = { viscosity_solid = 0.1 } }"},
    {"liquid_tension", 3, 48, WATER "liquid { narrow_band = 0, surface_tension = 1 }"},
    {"liquid_elastic", 3, 40, WATER "liquid { elastic = { modulus = 1000 } }"},
    {"levelset_thick", 3, 48, WATER "liquid { method = 'levelset', viscosity = 0.1 }"},
    {"flat_levelset_thick", 2, 248, WATER "liquid { method = 'levelset', viscosity = 0.1 }"},
    {"levelset_elastic", 3, 40, WATER "liquid { method = 'levelset', elastic = { modulus = 1000 } }"},
    {"flat_levelset_elastic", 2, 248, WATER "liquid { method = 'levelset', elastic = { modulus = 1000 } }"},
    {"flat_thick_liquid", 2, 248, WATER "liquid { narrow_band = 0, viscosity = 0.1 }"},
    {"flat_liquid", 2, 248, WATER "liquid { narrow_band = 0 }"},
    {"stable", 3, 48, "fluid = 'stable' }"},
    {"flat_stable_cg", 2, 248, "fluid = 'stable' } stable { solver = 'cg' }"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void must(BwResult result, const BwError *err)
{
    if (result != BW_OK)
        fail_msg("%s", err->message);
}

// Many small triangles, so that the mesh weighs something beside its small box.
static int write_mesh(void **state)
{
    static Soup soup[SOUP_MAX];
    if (make_folder(state) != 0)
        return -1;
    write_obj("ball.obj", soup, make_soup(soup, 128, 64, 0.2, 0.0));
    return 0;
}

static BwScene *load_case(int n, Meter *meter)
{
    char text[1000];
    BwError err = {0};
    BwScene *scene;
    BwSceneLoad load = {.allocator = metered(meter), .folder = "."};
    bool is_smoke = strstr(cases[n].text, "'smoke'") != NULL; // a stable box knows no heat
    snprintf(text, sizeof text,
             "local z = %g\n"
             "walls { min = {0, 0, 0}, max = {1, 1, 2 * z}, top = '%s' }\n"
             "fill { shape = sphere { center = {0.5, 0.3, z}, radius = 0.15 }, velocity = {0, 1, 0}%s }\n"
             "scene { dimension = %d, cell = 1 / %d, frames = 2, steps = 1, %s",
             cases[n].dimension == 3 ? 0.5 : 0.0, strcmp(cases[n].name, "flame") == 0 ? "open" : "wall",
             is_smoke ? ", temperature = 400" : "", cases[n].dimension, cases[n].cells, cases[n].text);
    must(bw_scene_load_text(&scene, text, strlen(text), "case.lua", &load, &err), &err);
    return scene;
}

static void run_scene(const BwSceneDef *scene, Meter *meter)
{
    BwError err = {0};
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.allocator = metered(meter);
    def.worker_count = 2;
    BwWorld *world;
    BwCheckpointWrite *write = NULL;
    must(bw_world_create(&world, &def, &err), &err);
    for (int frame = 0; frame < FRAMES; frame++) {
        if (write != NULL)
            must(bw_checkpoint_finish(write, &err), &err);
        write = NULL;
        must(bw_world_step_frame(world, NULL, &err), &err);
        if (scene->output.checkpoint_every > 0)
            must(bw_checkpoint_begin(&write, world, "state.h5", false, &err), &err);
    }
    if (write != NULL)
        must(bw_checkpoint_finish(write, &err), &err);
    bw_world_destroy(world);
}

static void estimates_are_near_the_truth(void **state)
{
    (void)state;
    for (int n = 0; n < CASES; n++) {
        Meter meter = {0};
        BwScene *scene = load_case(n, &meter);
        run_scene(bw_scene_view_def(scene), &meter);
        double ratio = estimate_run(scene, FRAMES).memory / (double)meter.peak;
        bw_scene_destroy(scene);
        char name[64];
        snprintf(name, sizeof name, "estimate.%s", cases[n].name);
        gate(name, fabs(ratio - 1.0), GATE_BELOW, 0.15);
        assert_int_equal(meter.bytes, 0);
    }
}

// A ball of water in the open: tiles at its rim are awake that it does not fill.
static void open_liquid_takes_no_less(void **state)
{
    (void)state;
    static const char text[] =
        "scene { fluid = 'liquid', cell = 1 / 48, frames = 2, steps = 1, gravity = {0, 0, 0} }\n"
        "fill { shape = sphere { center = {0, 0, 0}, radius = 0.5 }, velocity = {1, 0, 0} }";
    Meter meter = {0};
    BwError err = {0};
    BwScene *scene;
    BwSceneLoad load = {.allocator = metered(&meter)};
    must(bw_scene_load_text(&scene, text, strlen(text), "open.lua", &load, &err), &err);
    run_scene(bw_scene_view_def(scene), &meter);
    Estimate estimate = estimate_run(scene, FRAMES);
    bw_scene_destroy(scene);
    assert_true(estimate.is_known && estimate.is_least);
    gate("estimate.open_liquid_most", estimate.memory / (double)meter.peak, GATE_BELOW, 1.0);
    gate("estimate.open_liquid_least", estimate.memory / (double)meter.peak, GATE_ABOVE, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_liquid_takes_no_less),
        cmocka_unit_test(estimates_are_near_the_truth),
    };
    return cmocka_run_group_tests(tests, write_mesh, remove_folder);
}
