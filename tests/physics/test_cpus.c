// One binary holds the engine for several instruction sets, and once with one lane: the plain form of every
// kernel. All of them give the same bits.
#include "scenes_to_keep.h"

#include "base/cpu.h"
#include "mesh_maker.h"

#include <stdlib.h>

enum { FRAMES = 4 };

static const char *const names[] = {"baseline", "v3", "v4", "scalar"};
static const char *const methods[] = {"miccg", "cg", "relaxation"};

static void choose(const char *name)
{
    if (name == NULL)
        unsetenv("BILLOW_CPU");
    else
        setenv("BILLOW_CPU", name, 1);
}

// Whether this build and this processor have it.
static bool is_there(const char *name)
{
    BwCpu cpu;
    choose(name);
    bool is = bw_cpu_choose(&cpu, NULL) == BW_OK;
    choose(NULL);
    return is;
}

// Hashes of a scene's frames under a name; NULL: under the set that is chosen by itself.
static void find_hashes(const BwSceneDef *def, const char *name, uint64_t hashes[FRAMES])
{
    choose(name);
    BwWorld *world = make_world(def, 2);
    for (int frame = 0; frame < FRAMES; frame++) {
        step_frames(world, 1);
        hashes[frame] = bw_frame_hash(frame_of(world));
    }
    bw_world_destroy(world);
    choose(NULL);
}

// The hashes are printed for scripts/arm, which compares them with those of another processor.
static void gate_scene(const BwSceneDef *def, const char *scene)
{
    uint64_t chosen[FRAMES], named[FRAMES];
    find_hashes(def, NULL, chosen);
    for (int frame = 0; frame < FRAMES; frame++)
        printf("HASH %s %d %016llx\n", scene, frame + 1, (unsigned long long)chosen[frame]);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char gate_name[96];
        int differing = 0;
        if (!is_there(names[n]))
            continue;
        find_hashes(def, names[n], named);
        for (int frame = 0; frame < FRAMES; frame++)
            differing += named[frame] != chosen[frame];
        snprintf(gate_name, sizeof gate_name, "cpu_differing_frames_%s_%s", scene, names[n]);
        gate(gate_name, differing, GATE_BELOW, 0);
    }
}

static void every_solver_gives_the_same_bits(void **state)
{
    (void)state;
    for (int n = 0; n < KEPT_SCENES; n++) {
        BwScene *scene = load_kept_scene(n);
        gate_scene(bw_scene_view_def(scene), kept_scenes[n].name);
        bw_scene_destroy(scene);
    }
}

static void every_pressure_method_gives_the_same_bits(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof methods / sizeof *methods; n++) {
        char text[512];
        BwScene *scene;
        BwError err = {0};
        int length = snprintf(text, sizeof text,
                              "scene { cell = 1 / 12, fps = 24, frames = 4, steps = 1 }\n"
                              "walls { min = {0, 0, 0}, max = {1, 1.1, 0.9}, top = 'open' }\n"
                              "solver { pressure = '%s' }\n"
                              "emitter { shape = sphere { center = {0.5, 0.2, 0.5}, radius = 0.2 },\n"
                              "    density = 1, temperature = 500 }\n"
                              "obstacle { shape = sphere { center = {0.5, 0.6, 0.5}, radius = 0.17 } }",
                              methods[n]);
        if (bw_scene_load_text(&scene, text, (size_t)length, methods[n], NULL, &err) != BW_OK)
            fail_msg("%s", err.message);
        gate_scene(bw_scene_view_def(scene), methods[n]);
        bw_scene_destroy(scene);
    }
}

static void a_moving_mesh_gives_the_same_bits(void **state)
{
    (void)state;
    static Soup soup[2000];
    BwSceneDef scene = smoke_scene(3, 1.0f / 14.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    BwObstacleDef obstacle = bw_obstacle_def_default();
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    emitter.shape = ball(0.5f, 0.2f, 0.5f, 0.15f);
    emitter.density = bw_curve_number(1.0f);
    emitter.velocity = bw_curve_vector(0.0f, 3.0f, 0.0f);
    obstacle.shape = load_soup(soup, make_soup(soup, 24, 12, 0.25, 0.1));
    obstacle.motion.position = bw_curve_vector(0.5f, 0.6f, 0.5f);
    obstacle.motion.spin = bw_curve_vector(1.0f, 0.0f, 2.0f);
    scene.emitters = &emitter;
    scene.obstacles = &obstacle;
    scene.emitter_count = scene.obstacle_count = 1;
    gate_scene(&scene, "mesh");
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)obstacle.shape.content);
}

// Bytes of a picture that are not those of the set chosen by itself.
static int differing_bytes(const BwSceneDef *def, const BwFrame *frame, const char *name)
{
    enum { WIDTH = 160, HEIGHT = 120, BYTES = 3 * WIDTH * HEIGHT };
    static uint8_t first[BYTES];
    int count = 0;
    for (int run = 0; run < 2; run++) {
        BwError err = {0};
        BwRenderer *renderer;
        BwRendererDef renderer_def = bw_renderer_def_default();
        renderer_def.scene = def;
        renderer_def.width_px = WIDTH;
        renderer_def.height_px = HEIGHT;
        choose(run == 0 ? NULL : name);
        assert_int_equal(bw_renderer_create(&renderer, &renderer_def, &err), BW_OK);
        const BwImage *image = bw_renderer_draw(renderer, frame, &err);
        if (image == NULL)
            fail_msg("%s", err.message);
        for (int n = 0; n < BYTES && run == 1; n++)
            count += image->pixels[n] != first[n];
        memcpy(first, image->pixels, BYTES);
        bw_renderer_destroy(renderer);
    }
    choose(NULL);
    return count;
}

static void pictures_are_the_same_bytes(void **state)
{
    (void)state;
    for (int s = 0; s < KEPT_SCENES; s++) {
        BwScene *scene = load_kept_scene(s);
        const BwSceneDef *def = bw_scene_view_def(scene);
        BwWorld *world = make_world(def, 2);
        step_frames(world, FRAMES);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            char gate_name[96];
            if (!is_there(names[n]))
                continue;
            snprintf(gate_name, sizeof gate_name, "cpu_differing_bytes_%s_%s", kept_scenes[s].name, names[n]);
            gate(gate_name, differing_bytes(def, frame_of(world), names[n]), GATE_BELOW, 0);
        }
        bw_world_destroy(world);
        bw_scene_destroy(scene);
    }
}

// The best of this build and processor, but for the twin, which tests ask for by name.
static void the_best_is_chosen(void **state)
{
    (void)state;
    BwCpu cpu;
    choose(NULL);
    assert_int_equal(bw_cpu_choose(&cpu, NULL), BW_OK);
    const char *best = is_there("v4")       ? "v4"
                       : is_there("v3")     ? "v3"
                       : is_there("native") ? "native"
                                            : "baseline";
    assert_string_equal(bw_instruction_set(), best);
    assert_true(is_there("native") || is_there("baseline"));
}

static void another_name_is_refused(void **state)
{
    (void)state;
    BwError err = {0};
    BwScene *scene = load_kept_scene(0);
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    def.scene = bw_scene_view_def(scene);
    choose("v9");
    assert_int_equal(bw_world_create(&world, &def, &err), BW_ERR_DEF);
    assert_null(world);
    assert_non_null(strstr(err.message, "BILLOW_CPU is \"v9\""));
    assert_string_equal(bw_instruction_set(), "unknown");
    choose(NULL);
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_chosen),
        cmocka_unit_test(another_name_is_refused),
        cmocka_unit_test(every_solver_gives_the_same_bits),
        cmocka_unit_test(every_pressure_method_gives_the_same_bits),
        cmocka_unit_test(a_moving_mesh_gives_the_same_bits),
        cmocka_unit_test(pictures_are_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
