// Checkpoints that were tampered with and sealed again: each array of a state is taken away, renamed,
// resized, given another type or other numbers, one at a time. What no run would have written is refused by
// the file's name and never crashes a world; after it the world takes the good file.
#include "cache/record_file.h"
#include "cache/seal.h"
#include "scenes_to_keep.h"
#include "state_file.h"
#include "world/world_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum Forgery {
    NONE,
    REMOVED,
    RENAMED,
    ROW_LESS,
    ROW_MORE,
    COLUMN_MORE,
    OTHER_TYPE,
    FIRST_NAN,
    LAST_NAN,
    INFINITE,
    PLUS_ONE, // as numbers of its type
    NEGATIVE,
    HUGE_NUMBERS,
    TINY_CHANGE,
    FORGERIES
} Forgery;

static void copy_array(BwRecord *to, const BwRecordArray *from, const char *name, BwRecordType type,
                       int64_t rows, int64_t columns)
{
    void *values;
    BwError err = {0};
    must(bw_record_add(to, name, type, rows, columns, &values, &err), &err);
    size_t size = (size_t)(rows * columns) * bw_record_type_size(type), had = bw_record_array_bytes(from);
    if (size > 0)
        memset(values, 0, size);
    if (size > 0 && had > 0)
        memcpy(values, from->values, size < had ? size : had);
}

static double value_at(const BwRecordArray *array, int64_t n)
{
    return array->type == BW_RECORD_INT32   ? ((const int32_t *)array->values)[n]
           : array->type == BW_RECORD_FLOAT ? (double)((const float *)array->values)[n]
                                            : ((const double *)array->values)[n];
}

static void set_value(BwRecordArray *array, int64_t n, double value)
{
    if (array->type == BW_RECORD_INT32)
        ((int32_t *)array->values)[n] = (int32_t)fmin(fmax(value, -2147483648.0), 2147483647.0);
    else if (array->type == BW_RECORD_FLOAT)
        ((float *)array->values)[n] = (float)value;
    else
        ((double *)array->values)[n] = value;
}

static double forged_value(double value, Forgery forgery)
{
    switch (forgery) {
    case PLUS_ONE:
        return value + 1.0;
    case NEGATIVE:
        return -value - 1.0;
    case HUGE_NUMBERS:
        return 3e37;
    case TINY_CHANGE:
        return value * 1.01 + 1e-3;
    default:
        return value;
    }
}

static void forge_values(BwRecordArray *array, Forgery forgery)
{
    int64_t count = array->rows * array->columns;
    if (forgery == FIRST_NAN)
        set_value(array, 0, NAN);
    else if (forgery == LAST_NAN)
        set_value(array, count - 1, NAN);
    else if (forgery == INFINITE)
        set_value(array, count / 2, INFINITY);
    else
        for (int64_t n = 0; n < count; n++)
            set_value(array, n, forged_value(value_at(array, n), forgery));
}

// Whether the forgery means something for the array.
static bool applies(const BwRecordArray *array, Forgery forgery)
{
    bool is_empty = array->rows == 0, is_whole = array->type == BW_RECORD_INT32;
    if (is_empty && (forgery >= FIRST_NAN || forgery == ROW_LESS))
        return false;
    return !(is_whole && (forgery == TINY_CHANGE || (forgery >= FIRST_NAN && forgery <= INFINITE)));
}

static void forge(BwRecord *to, const BwRecord *from, int which, Forgery forgery)
{
    bw_record_clear(to);
    for (int n = 0; n < from->count; n++) {
        const BwRecordArray *array = &from->arrays[n];
        Forgery how = n == which ? forgery : NONE;
        if (how == REMOVED)
            continue;
        BwRecordType type = how != OTHER_TYPE                ? array->type
                            : array->type == BW_RECORD_FLOAT ? BW_RECORD_DOUBLE
                                                             : BW_RECORD_FLOAT;
        int64_t rows = array->rows + (how == ROW_MORE) - (how == ROW_LESS && array->rows > 0);
        copy_array(to, array, how == RENAMED ? "other" : array->name, type, rows,
                   array->columns + (how == COLUMN_MORE));
        if (how >= FIRST_NAN)
            forge_values(&to->arrays[to->count - 1], how);
    }
}

static void write_sealed(const BwRecord *record, uint64_t run_id)
{
    BwError err = {0};
    BwFileImage image;
    must(bw_record_write(record, BW_SEAL_SIZE, false, &image, &err), &err);
    bw_seal_write(image.bytes, image.size, run_id);
    FILE *stream = fopen(state_path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(image.bytes, 1, image.size, stream), image.size);
    fclose(stream);
    bw_file_image_free(&image);
}

// Of a liquid: particles may be anywhere in their tiles and as fast as they like, and may have been told by
// other numbers; what was there at the start and has left since is not below 0, and steps are no longer than
// a frame.
static bool might_be_liquid(const char *name, Forgery forgery)
{
    static const char *const numbers[] = {"max_speed",   "volume_start",     "volume_gone",
                                          "particle_id", "particle_next_id", "last_dt"};
    if (forgery < PLUS_ONE)
        return false;
    if (strcmp(name, "source_clocks") == 0 || strcmp(name, "emitted_particles") == 0)
        return forgery == PLUS_ONE || forgery == TINY_CHANGE; // a particle more
    if (strcmp(name, "last_dt") == 0 || strcmp(name, "core_left_over") == 0)
        return forgery == TINY_CHANGE;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        if (strcmp(name, numbers[n]) == 0)
            return forgery == PLUS_ONE || forgery == TINY_CHANGE ||
                   (forgery == HUGE_NUMBERS && strncmp(name, "particle", 8) != 0);
    return strncmp(name, "particle_", 9) == 0 && strcmp(name, "particle_counts") != 0;
}

// Values that another run of the scene might have had: nothing but a comparison with that run could tell.
static bool might_be_true(const char *name, Forgery forgery, const BwSceneDef *scene)
{
    if (scene->fluid == BW_FLUID_LIQUID && might_be_liquid(name, forgery))
        return true;
    if (strcmp(name, "tiles") == 0) // smoke in the open may be anywhere
        return forgery == PLUS_ONE && !scene->has_walls;
    // Files from before these were written have none, and nothing else tells what they were; but they are
    // what they must be where they are there.
    static const char *const newer[] = {"runaway_watch",  "pressure",    "first_flow",    "side_clocks",
                                        "region_volumes", "spray_drops", "outside_volume"};
    for (size_t n = 0; n < sizeof newer / sizeof *newer; n++)
        if (strcmp(name, newer[n]) == 0 && (forgery == REMOVED || forgery == RENAMED))
            return true;
    if (strcmp(name, "max_speed") == 0 && scene->fluid == BW_FLUID_STABLE)
        return forgery == REMOVED || forgery == RENAMED;
    if (strcmp(name, "runaway_watch") == 0)
        return forgery == PLUS_ONE;
    bool is_substance = strcmp(name, "density") == 0 || strcmp(name, "temperature") == 0 ||
                        strcmp(name, "fuel") == 0 || strcmp(name, "flame") == 0;
    bool is_gas = scene->fluid == BW_FLUID_SMOKE || scene->fluid == BW_FLUID_FIRE;
    if (is_substance && is_gas && forgery == NEGATIVE)
        return false;
    if (strcmp(name, "solids_dt") == 0) // steps may be a little longer
        return forgery == TINY_CHANGE;
    if (strcmp(name, "emitted_fuel") == 0) // shares of cells
        return forgery == PLUS_ONE || forgery == TINY_CHANGE;
    // A start that was changed is no other scene, and pressures are free.
    static const char *const fields[] = {"density",
                                         "temperature",
                                         "pressure_guess",
                                         "push_u",
                                         "push_v",
                                         "push_w",
                                         "pressure",
                                         "first_flow",
                                         "carried_u",
                                         "carried_v",
                                         "carried_w",
                                         "fuel",
                                         "flame",
                                         "divergence",
                                         "level_steps",
                                         "spray_steps",
                                         "spray_thrown",
                                         "spray",
                                         "column_water",
                                         "given_volume",
                                         "bodies",
                                         "explicit_pressure",
                                         "surface_pressure_slope"};
    bool is_gradient = strncmp(name, "particle_", 9) == 0 && strlen(name) == 11;
    if (is_gradient || strncmp(name, "strain_", 7) == 0)
        return forgery >= PLUS_ONE;
    if (strcmp(name, "outside_volume") == 0) // cells outside may hold more
        return forgery == TINY_CHANGE;
    if (forgery < PLUS_ONE)
        return false;
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++)
        if (strcmp(name, fields[n]) == 0)
            return true;
    return false;
}

typedef struct Tally {
    int forged, taken;
} Tally;

static void try_forgery(BwWorld *world, const BwSceneDef *scene, const BwRecordArray *array, Forgery forgery,
                        Tally *tally)
{
    BwError err = {0};
    BwResult result = bw_checkpoint_load(world, state_path, &err);
    tally->forged++;
    if (result != BW_OK) {
        if (result != BW_ERR_FORMAT)
            fail_msg("%s, forgery %d: %s", array->name, (int)forgery, err.message);
        if (strstr(err.message, state_path) == NULL)
            fail_msg("\"%s\" does not name the file", err.message);
        return;
    }
    if (might_be_true(array->name, forgery, scene)) {
        result = bw_world_step_frame(world, NULL, &err); // goes on, or tells that it cannot
        assert_true(result == BW_OK || err.message[0] != '\0');
        return;
    }
    tally->taken++;
    print_message("taken: %s, forgery %d\n", array->name, (int)forgery);
}

// Scenes have most arrays in common: but for the full size each tries a fifth of the forgeries of each array,
// the next scene another fifth.
static bool is_turn(int n)
{
    return IS_FULL || n % 5 == 0;
}

static void forge_scene(int scene_number, Tally *tally)
{
    BwError err = {0};
    BwScene *scene = load_kept_scene(scene_number);
    BwWorldDef def = bw_world_def_default();
    BwWorld *world, *victim;
    def.scene = bw_scene_view_def(scene);
    def.worker_count = 1;
    def.run_id = 77;
    must(bw_world_create(&world, &def, &err), &err);
    must(bw_world_create(&victim, &def, &err), &err);
    step_frames(world, 2);
    const BwRecord *good = bw_world_record(world, &err);
    BwRecord forged = {.allocator = good->allocator};
    for (int n = 0; n < good->count; n++)
        for (Forgery forgery = REMOVED; forgery < FORGERIES; forgery++) {
            if (!applies(&good->arrays[n], forgery) || !is_turn(n + (int)forgery + scene_number))
                continue;
            forge(&forged, good, n, forgery);
            write_sealed(&forged, 77);
            try_forgery(victim, def.scene, &good->arrays[n], forgery, tally);
        }
    write_sealed(good, 77);
    must(bw_checkpoint_load(victim, state_path, &err), &err);
    assert_true(bw_frame_hash(frame_of(victim)) == bw_frame_hash(frame_of(world)));
    bw_record_free(&forged);
    bw_world_destroy(victim);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

static void forged_states_are_refused(void **state)
{
    (void)state;
    Tally tally = {0};
    for (int n = 0; n < KEPT_SCENES; n++)
        forge_scene(n, &tally);
    gate("forged_states", tally.forged, GATE_ABOVE, 500);
    gate("forged_states_taken", tally.taken, GATE_BELOW, 0);
}

// The frame and its time say 3, all else is of frame 2.
static void a_later_frame_is_refused(void **state)
{
    (void)state;
    BwError err = {0};
    BwScene *scene = load_kept_scene(1);
    BwWorld *world = make_world(bw_scene_view_def(scene), 1);
    step_frames(world, 2);
    const BwRecord *good = bw_world_record(world, &err);
    BwRecord forged = {.allocator = good->allocator};
    forge(&forged, good, -1, NONE);
    for (int n = 0; n < forged.count; n++) {
        if (strcmp(forged.arrays[n].name, "frame") == 0)
            set_value(&forged.arrays[n], 0, 3.0);
        if (strcmp(forged.arrays[n].name, "time") == 0)
            set_value(&forged.arrays[n], 0, 3.0 / 24.0);
    }
    write_sealed(&forged, 0);
    assert_int_equal(bw_checkpoint_load(world, state_path, &err), BW_ERR_FORMAT);
    assert_non_null(strstr(err.message, "walls_time"));
    bw_record_free(&forged);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

static void a_checkpoint_of_another_run_is_refused(void **state)
{
    (void)state;
    BwError err = {0};
    BwScene *scene = load_kept_scene(2);
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    def.scene = bw_scene_view_def(scene);
    def.worker_count = 1;
    for (uint64_t run_id = 0; run_id < 3; run_id++) {
        def.run_id = run_id;
        must(bw_world_create(&world, &def, &err), &err);
        if (run_id == 1)
            must(bw_checkpoint_save(world, state_path, false, &err), &err);
        if (run_id == 0)
            must(bw_checkpoint_save(world, state_path, false, &err), &err);
        BwResult result = bw_checkpoint_load(world, state_path, &err);
        assert_int_equal(result, run_id < 2 ? BW_OK : BW_ERR_FORMAT);
        bw_world_destroy(world);
    }
    assert_non_null(strstr(err.message, "is of another run: of 0000000000000001, not of 0000000000000002"));
    bw_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_states_are_refused),
        cmocka_unit_test(a_later_frame_is_refused),
        cmocka_unit_test(a_checkpoint_of_another_run_is_refused),
    };
    return cmocka_run_group_tests(tests, name_state_file, remove_state_file);
}
