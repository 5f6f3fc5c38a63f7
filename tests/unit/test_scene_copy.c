// A world owns its scene: what it was made from may go, or change, as soon as it is there. The sanitizers see
// whether anything of it is read again.
#include "physics/run.h"

#include "scene/listing.h"
#include "scene/scene_copy.h"
#include "strict_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char script[] =
    "scene { title = 'copied', cell = 0.1, dimension = 2, frames = 9 }\n"
    "walls { min = {0, 0}, max = {1, 1.6}, top = { kind = keys { {0, 'wall'}, {0.1, 'open'} } } }\n"
    "smoke { wind = function(t) return {t, 0} end }\n"
    "initial { temperature = function(x, y) return 300 + 20 * y end }\n"
    "emitter { shape = union { sphere { center = {0.5, 0.3}, radius = 0.15 },\n"
    "                          translate { box { min = {0, 0}, max = {0.2, 0.1} }, by = {0.1, 0.2} } },\n"
    "          density = function(t) return 1 + 0.5 * math.sin(9 * t) end,\n"
    "          temperature = keys { {0, 400}, {0.2, 500} }, velocity = {0, 1} }\n"
    "obstacle { shape = difference { box { min = {-0.2, -0.1}, max = {0.2, 0.1} },\n"
    "                                sphere { center = {0, 0}, radius = 0.05 } },\n"
    "           motion = { position = function(t) return {0.5 + 0.1 * math.sin(5 * t), 1} end },\n"
    "           emit = { density_rate = keys { {0, 1}, {1, 2} } } }\n"
    "force { shape = sphere { center = {0.5, 0.8}, radius = 0.3 }, field = 'vortex', strength = 1,\n"
    "        center = function(t) return {0.5, 0.8} end }\n"
    "pump { shape = box { min = {0.4, 1.2}, max = {0.6, 1.4} }, velocity = keys { {0, {0, 1}}, {1, {1, 0}} } "
    "}\n";

static BwScene *load_script(void)
{
    BwScene *scene;
    BwError err = {0};
    if (bw_scene_load_text(&scene, script, sizeof script - 1, "copied.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    return scene;
}

static void append(void *context, const char *text)
{
    strncat(context, text, 60000 - strlen(context));
}

static char *list(const BwSceneDef *def)
{
    BwError err;
    char *text = calloc(1, 65536);
    BwListing listing = {append, text, .until = 0.5, .samples = 5};
    assert_int_equal(bw_scene_list(def, &listing, &err), BW_OK);
    return text;
}

static void copies_are_the_same(void **state)
{
    (void)state;
    BwScene *scene = load_script();
    char *before = list(bw_scene_view_def(scene));
    BwError err;
    BwSceneCopy copy = {.arena = {.allocator = bw_allocator_or_default((BwAllocator){0})}};
    assert_int_equal(bw_scene_copy(&copy, bw_scene_view_def(scene), &err), BW_OK);
    assert_string_equal(copy.def.title, "copied");
    assert_ptr_not_equal(copy.def.title, bw_scene_view_def(scene)->title);
    bw_scene_destroy(scene);
    char *after = list(&copy.def);
    assert_true(strlen(before) > 1000);
    assert_string_equal(before, after);
    float value[4];
    assert_int_equal(copy.def.initial.temperature.function(copy.def.initial.temperature.user,
                                                           bw_vec3(0.0f, 1.0f, 0.0f), value, &err),
                     BW_OK);
    assert_true(value[0] == 320.0f);
    bw_scene_copy_destroy(&copy);
    free(before);
    free(after);
}

static void scripts_may_go(void **state)
{
    (void)state;
    BwScene *scene = load_script(), *kept = load_script();
    BwWorld *world = make_world(bw_scene_view_def(scene), 1),
            *second = make_world(bw_scene_view_def(scene), 1),
            *other = make_world(bw_scene_view_def(kept), 1);
    bw_scene_destroy(scene);
    step_frames(world, 4);
    step_frames(other, 4);
    assert_true(bw_frame_hash(frame_of(world)) == bw_frame_hash(frame_of(other)));
    bw_world_destroy(world);
    step_frames(second, 4);
    assert_true(bw_frame_hash(frame_of(second)) == bw_frame_hash(frame_of(other)));
    bw_world_destroy(second);
    bw_world_destroy(other);
    bw_scene_destroy(kept);
}

// A scene of C, all of whose lists are overwritten and freed.
static BwWorld *world_of_lost_scene(const BwShapeFile *content, bool is_lost)
{
    BwKey *keys = calloc(2, sizeof *keys);
    BwShape *parts = calloc(2, sizeof *parts);
    BwEmitterDef *emitter = calloc(1, sizeof *emitter);
    BwObstacleDef *obstacle = calloc(1, sizeof *obstacle);
    char *title = malloc(32), *file = malloc(32);
    BwSceneDef scene = smoke_scene(3, 0.1f);
    set_box(&scene, 0.8f, 0.8f, 0.8f);
    scene.title = strcpy(title, "lost");
    keys[0] = (BwKey){0.0, {1.0f}};
    keys[1] = (BwKey){0.2, {2.0f}};
    parts[0] = bw_sphere(bw_vec3(0.4f, 0.2f, 0.4f), 0.1f);
    parts[1] = bw_box(bw_vec3(0.3f, 0.1f, 0.3f), bw_vec3(0.5f, 0.2f, 0.5f));
    *emitter = bw_emitter_def_default();
    emitter->shape = bw_union(parts, 2);
    emitter->density = (BwCurve){.kind = BW_CURVE_KEYS, .components = 1, .keys = keys, .key_count = 2};
    emitter->temperature = bw_curve_number(400.0f);
    *obstacle = bw_obstacle_def_default();
    obstacle->shape = bw_mesh(strcpy(file, "block.obj"), 1.0f);
    obstacle->shape.content = content;
    obstacle->motion.position = bw_curve_vector(0.4f, 0.6f, 0.4f);
    scene.emitters = emitter;
    scene.obstacles = obstacle;
    scene.emitter_count = scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 1);
    if (is_lost) {
        memset(keys, 0x55, 2 * sizeof *keys);
        memset(emitter, 0x55, sizeof *emitter);
    }
    step_frames(world, is_lost ? 0 : 3);
    free(keys);
    free(parts);
    free(emitter);
    free(obstacle);
    free(title);
    free(file);
    return world;
}

static BwShapeFile *load_block(void)
{
    static const char text[] = "v -.1 -.1 -.1\nv .1 -.1 -.1\nv .1 .1 -.1\nv -.1 .1 -.1\nv -.1 -.1 .1\n"
                               "v .1 -.1 .1\nv .1 .1 .1\nv -.1 .1 .1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\n"
                               "f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    char path[64];
    snprintf(path, sizeof path, "/tmp/billow_block_%d.obj", (int)getpid());
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
    BwShape shape = bw_mesh(path, 1.0f);
    BwShapeFile *file;
    BwError err = {0};
    if (bw_shape_file_load(&file, &shape, path, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    remove(path);
    return file;
}

static void scenes_of_c_may_go(void **state)
{
    (void)state;
    BwShapeFile *content = load_block();
    BwWorld *kept = world_of_lost_scene(content, false), *lost = world_of_lost_scene(content, true);
    bw_shape_file_destroy(content);
    step_frames(lost, 3);
    assert_true(frame_of(kept)->number == 3 && frame_of(lost)->solid_count == 1);
    assert_true(bw_frame_hash(frame_of(kept)) == bw_frame_hash(frame_of(lost)));
    bw_world_destroy(kept);
    assert_true(bw_shape_distance(frame_of(lost)->solids[0].shape, bw_vec3(0.0f, 0.0f, 0.0f)) < 0.0f);
    bw_world_destroy(lost);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    BwScene *scene = load_script();
    BwResult result = BW_ERR_MEMORY;
    int tries = 0;
    for (; result == BW_ERR_MEMORY; tries++) {
        StrictAllocator strict = {0};
        BwError err;
        BwSceneCopy copy = {.arena = {.allocator = strict_allocator(&strict)}};
        fail_after(&strict, tries);
        result = bw_scene_copy(&copy, bw_scene_view_def(scene), &err);
        bw_scene_copy_destroy(&copy);
        assert_nothing_left(&strict);
    }
    assert_int_equal(result, BW_OK);
    assert_true(tries > 1);
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_the_same),
        cmocka_unit_test(scripts_may_go),
        cmocka_unit_test(scenes_of_c_may_go),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
