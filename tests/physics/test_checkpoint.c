// Checkpoints: a world that goes on from one gives the same bits as a world that never stopped, with any
// number of threads; and a file that is not whole is refused by name.
#include "scenes_to_keep.h"
#include "state_file.h"
#include "world/world_record.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 8 };

static void save(BwWorld *world, bool compress)
{
    BwError err = {0};
    must(bw_checkpoint_save(world, state_path, compress, &err), &err);
}

// Differing frames of a world that stops at `stop` and goes on in a new one, against hashes of one that did
// not stop.
static int differences_after(const BwSceneDef *scene, int stop, const uint64_t hashes[FRAMES + 1])
{
    BwError err = {0};
    BwWorld *world = make_world(scene, 2);
    step_frames(world, stop);
    save(world, stop % 2 == 1);
    bw_world_destroy(world);
    world = make_world(scene, stop % 3 + 1);
    must(bw_checkpoint_load(world, state_path, &err), &err);
    int differences = bw_frame_hash(frame_of(world)) != hashes[stop];
    for (int frame = stop + 1; frame <= FRAMES; frame++) {
        step_frames(world, 1);
        differences += bw_frame_hash(frame_of(world)) != hashes[frame];
    }
    bw_world_destroy(world);
    return differences;
}

static void going_on_gives_the_same_bits(void **state)
{
    (void)state;
    for (int n = 0; n < KEPT_SCENES; n++) {
        BwScene *scene = load_kept_scene(n);
        const BwSceneDef *def = bw_scene_view_def(scene);
        uint64_t hashes[FRAMES + 1];
        BwWorld *world = make_world(def, 2);
        hashes[0] = bw_frame_hash(frame_of(world));
        for (int frame = 1; frame <= FRAMES; frame++) {
            step_frames(world, 1);
            hashes[frame] = bw_frame_hash(frame_of(world));
            assert_true(hashes[frame] != hashes[frame - 1]);
        }
        bw_world_destroy(world);
        int differences = 0;
        for (int stop = IS_FULL ? 0 : n % 4; stop <= FRAMES; stop += IS_FULL ? 1 : 4)
            differences += differences_after(def, stop, hashes);
        char name[64];
        snprintf(name, sizeof name, "resume_differing_frames_%s", kept_scenes[n].name);
        gate(name, differences, GATE_BELOW, 0);
        bw_scene_destroy(scene);
    }
}

static char *read_bytes(size_t *size)
{
    FILE *stream = fopen(state_path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *size = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, stream), *size);
    fclose(stream);
    return bytes;
}

static void write_bytes(const char *bytes, size_t size)
{
    FILE *stream = fopen(state_path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

static void the_same_state_is_the_same_file(void **state)
{
    (void)state;
    BwScene *scene = load_kept_scene(0);
    char *first = NULL;
    size_t first_size = 0;
    for (int trial = 0; trial < 2; trial++) {
        BwWorld *world = make_world(bw_scene_view_def(scene), 1 + trial);
        step_frames(world, 2);
        save(world, false);
        bw_world_destroy(world);
        size_t size;
        char *bytes = read_bytes(&size);
        if (trial == 1) {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
            free(bytes);
        } else {
            first = bytes;
            first_size = size;
        }
    }
    free(first);
    bw_scene_destroy(scene);
}

static void expect_refused(const char *text)
{
    BwError err = {0};
    assert_int_equal(bw_checkpoint_check(state_path, &err), BW_ERR_FORMAT);
    if (strstr(err.message, state_path) == NULL || strstr(err.message, text) == NULL)
        fail_msg("\"%s\" does not name the file and \"%s\"", err.message, text);
}

static void files_that_are_not_whole_are_refused(void **state)
{
    (void)state;
    BwScene *scene = load_kept_scene(2);
    BwWorld *world = make_world(bw_scene_view_def(scene), 1);
    save(world, false);
    BwError err = {0};
    must(bw_checkpoint_check(state_path, &err), &err);
    size_t size;
    char *bytes = read_bytes(&size);
    for (size_t part = 0; part < 200; part++) {
        size_t cut = part < 100 ? 6 * part : size - 1 - (part - 100) * (size / 125);
        write_bytes(bytes, cut);
        expect_refused(cut < 8 ? "is not a checkpoint" : "is cut short");
    }
    srand(7);
    for (int trial = 0; trial < 1000; trial++) {
        size_t at = trial < 700 ? (size_t)trial : (size_t)rand() % size;
        char mask = (char)(1 << (rand() & 7));
        bytes[at] = (char)(bytes[at] ^ mask);
        write_bytes(bytes, size);
        assert_int_equal(bw_checkpoint_load(world, state_path, &err), BW_ERR_FORMAT);
        expect_refused(at < 8 ? "is not a checkpoint" : "is damaged");
        bytes[at] = (char)(bytes[at] ^ mask);
    }
    static const char foreign[] = "\211HDF\r\n\032\n of somebody else, long enough to be something";
    write_bytes(foreign, sizeof foreign);
    expect_refused("is not a checkpoint");
    write_bytes(bytes, size);
    must(bw_checkpoint_load(world, state_path, &err), &err);
    free(bytes);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

static void a_checkpoint_of_another_scene_is_refused(void **state)
{
    (void)state;
    for (int n = 0; n < KEPT_SCENES; n++) {
        BwScene *scene = load_kept_scene(n), *other = load_kept_scene((n + 1) % KEPT_SCENES);
        BwWorld *world = make_world(bw_scene_view_def(scene), 1);
        step_frames(world, 1);
        save(world, false);
        bw_world_destroy(world);
        world = make_world(bw_scene_view_def(other), 1);
        BwError err = {0};
        assert_int_equal(bw_checkpoint_load(world, state_path, &err), BW_ERR_FORMAT);
        assert_non_null(strstr(err.message, "is of another scene"));
        bw_world_destroy(world);
        bw_scene_destroy(scene);
        bw_scene_destroy(other);
    }
}

static const char box_of_smoke[] = "scene { cell = 0.125, frames = %d }\n"
                                   "walls { min = {0, 0, 0}, max = {1, 1, 1}, top = %s }\n"
                                   "emitter { shape = sphere { center = {0.5, 0.3, 0.5}, radius = 0.2 },\n"
                                   "    density = %s, temperature = 400 }\n"
                                   "look { ground = {%g, 0, 0} }";

static BwScene *load_box(int frames, const char *top, const char *density, double ground)
{
    char text[600];
    BwError err = {0};
    BwScene *scene;
    snprintf(text, sizeof text, box_of_smoke, frames, top, density, ground);
    must(bw_scene_load_text(&scene, text, strlen(text), "box.lua", NULL, &err), &err);
    return scene;
}

// Cells of the same size do not make the same scene; another length and other pictures do not make another.
static void a_checkpoint_knows_its_scene(void **state)
{
    (void)state;
    const struct {
        int frames;
        const char *top, *density;
        double ground;
        bool is_same;
    } cases[] = {
        {8, "'open'", "1", 0.0, true},
        {50, "'open'", "1", 0.5, true},
        {8, "'open'", "2", 0.0, false},
        {8, "'wall'", "1", 0.0, false},
        {8, "keys { {0, 'open'}, {1, 'wall'} }", "1", 0.0, false},
        {8, "'open'", "function(t) return 1 + t end", 0.0, false},
    };
    BwScene *scene = load_box(8, "'open'", "1", 0.0);
    BwWorld *world = make_world(bw_scene_view_def(scene), 1);
    step_frames(world, 1);
    save(world, false);
    bw_world_destroy(world);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        BwError err = {0};
        BwScene *other = load_box(cases[n].frames, cases[n].top, cases[n].density, cases[n].ground);
        world = make_world(bw_scene_view_def(other), 1);
        BwResult result = bw_checkpoint_load(world, state_path, &err);
        assert_int_equal(result, cases[n].is_same ? BW_OK : BW_ERR_FORMAT);
        assert_true(cases[n].is_same || strstr(err.message, "is of another scene") != NULL);
        must(bw_checkpoint_adopt(world, state_path, &err), &err);
        bw_world_destroy(world);
        bw_scene_destroy(other);
    }
    bw_scene_destroy(scene);
}

// Checkpoints had no identity at first.
static void a_state_without_identity_is_taken(void **state)
{
    (void)state;
    BwError err = {0};
    BwScene *scene = load_box(8, "'open'", "1", 0.0), *other = load_box(8, "'open'", "2", 0.0);
    BwWorld *world = make_world(bw_scene_view_def(scene), 1), *into = make_world(bw_scene_view_def(other), 1);
    const BwRecord *record = bw_world_record(world, &err);
    assert_int_equal(bw_world_restore(into, record, false, &err), BW_ERR_FORMAT);
    BwRecord old = *record;
    for (int n = 0; n < old.count; n++)
        if (strcmp(old.arrays[n].name, "scene") == 0)
            strcpy(old.arrays[n].name, "nothing");
    must(bw_world_restore(into, &old, false, &err), &err);
    bw_world_destroy(world);
    bw_world_destroy(into);
    bw_scene_destroy(scene);
    bw_scene_destroy(other);
}

// A checkpoint that cannot be written leaves the older one, and says how much it would have taken.
static void a_file_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    BwScene *scene = load_kept_scene(2);
    BwWorld *world = make_world(bw_scene_view_def(scene), 1);
    BwError err = {0};
    assert_int_equal(bw_checkpoint_save(world, "/tmp/no/such/folder/a.h5", false, &err), BW_ERR_FILE);
    assert_non_null(strstr(err.message, "/tmp/no/such/folder/a.h5"));
    assert_non_null(strstr(err.message, " bytes)"));
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_on_gives_the_same_bits),
        cmocka_unit_test(the_same_state_is_the_same_file),
        cmocka_unit_test(files_that_are_not_whole_are_refused),
        cmocka_unit_test(a_checkpoint_of_another_scene_is_refused),
        cmocka_unit_test(a_checkpoint_knows_its_scene),
        cmocka_unit_test(a_state_without_identity_is_taken),
        cmocka_unit_test(a_file_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, name_state_file, remove_state_file);
}
