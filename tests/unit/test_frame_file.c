// Frames with particles, columns and meshes as files: what was saved comes back bit for bit, and a file that
// is damaged, or says what no frame can, is refused by name.
#include "cache/frame_file.h"
#include "cache/record_file.h"
#include "cache/seal.h"
#include "frame_parts.h"
#include "grid/frame_record.h"
#include "puff.h"
#include "scratch_folder.h"
#include <billow/cache.h>

static const char path[] = "frame.h5";

static FrameParts parts;
static BwError err;

static BwSceneDef scene_of(const BwFrame *frame)
{
    return (BwSceneDef){.dimension = frame->dimension, .cell = frame->cell_size, .fps = 24.0};
}

static float cloud(const void *context, float x, float y, float z)
{
    (void)context;
    return x * y + z > 1.0f ? x + y + z : 0.0f;
}

static void a_frame_comes_back(void **state)
{
    (void)state;
    Puff *puff = puff_make(0.125f, (int32_t[3]){-1, 0, 2}, (int32_t[3]){2, 2, 1}, cloud, NULL);
    parts_make(&parts);
    parts.frame.tiles = puff->tiles;
    parts.frame.live = puff->frame.live;
    parts.frame.tile_count = puff->frame.tile_count;
    parts.frame.fields = &puff->field;
    parts.frame.field_count = 1;
    puff->field.unit = "kg/m^3";
    BwSceneDef scene = scene_of(&parts.frame);
    for (int with_scene = 0; with_scene < 2; with_scene++) {
        BwFrameFile *file;
        assert_int_equal(bw_frame_save(&parts.frame, path, 5, &err), BW_OK);
        if (bw_frame_load(&file, path, with_scene ? &scene : NULL, 5, &err) != BW_OK)
            fail_msg("%s", err.message);
        const BwFrame *frame = bw_frame_file_view(file);
        assert_true(bw_frame_hash(frame) == bw_frame_hash(&parts.frame));
        assert_string_equal(bw_frame_field(frame, "density")->unit, "kg/m^3");
        const BwFrameParticles *water = bw_frame_particles(frame, "water");
        assert_int_equal(water->count, PARTS_PARTICLES);
        assert_memory_equal(water->positions, parts.positions, sizeof parts.positions);
        assert_memory_equal(bw_frame_attribute(water->attributes, 3, "id")->integers, parts.ids,
                            sizeof parts.ids);
        bw_frame_file_destroy(file);
        assert_int_equal(bw_frame_hold(&file, &parts.frame, with_scene ? &scene : NULL, &err), BW_OK);
        puff->values[5] += 1.0f; // what is held does not change with the frame
        assert_true(bw_frame_hash(bw_frame_file_view(file)) != bw_frame_hash(&parts.frame));
        puff->values[5] -= 1.0f;
        assert_true(bw_frame_hash(bw_frame_file_view(file)) == bw_frame_hash(&parts.frame));
        bw_frame_file_destroy(file);
    }
    puff_free(puff);
}

// Several sets keep their order, which is not that of their names; empty ones are sets too.
static void the_order_of_sets_is_kept(void **state)
{
    (void)state;
    parts_make(&parts);
    BwFrameParticles sets[3] = {parts.particles, {.name = "foam"}, parts.particles};
    BwFrameMesh meshes[2] = {{.name = "z"}, {.name = "a"}};
    sets[2].name = "air";
    parts.frame.particles = sets;
    parts.frame.particle_set_count = 3;
    parts.frame.meshes = meshes;
    parts.frame.mesh_count = 2;
    BwFrameFile *file;
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_OK);
    if (bw_frame_load(&file, path, NULL, 0, &err) != BW_OK)
        fail_msg("%s", err.message);
    assert_true(bw_frame_hash(bw_frame_file_view(file)) == bw_frame_hash(&parts.frame));
    bw_frame_file_destroy(file);
}

static const BwFrame *save_and_load(const BwSceneDef *scene, BwFrameFile **file)
{
    if (bw_frame_save(&parts.frame, path, 0, &err) != BW_OK ||
        bw_frame_load(file, path, scene, 0, &err) != BW_OK)
        fail_msg("%s", err.message);
    return bw_frame_file_view(*file);
}

// Sets without a single thing in them keep the kinds of their attributes.
static void empty_sets_come_back(void **state)
{
    (void)state;
    BwFrameFile *file;
    parts_make(&parts);
    parts.columns.count[0] = 0;
    parts.particles.count = 0;
    assert_true(bw_frame_hash(save_and_load(NULL, &file)) == bw_frame_hash(&parts.frame));
    bw_frame_file_destroy(file);
}

// A world may stand between two frames; it has the number of the earlier one.
static void frames_between_frames_come_back(void **state)
{
    (void)state;
    parts_make(&parts);
    BwSceneDef scene = scene_of(&parts.frame);
    const double times[] = {6.0 / 24.0, 6.01 / 24.0, nextafter(7.0 / 24.0, 0.0)};
    for (int n = 0; n < 3; n++) {
        BwFrameFile *file;
        parts.frame.time = times[n];
        assert_true(save_and_load(&scene, &file)->time == times[n]);
        bw_frame_file_destroy(file);
    }
    const double others[] = {5.99 / 24.0, 7.0 / 24.0, -1.0};
    for (int n = 0; n < 3; n++) {
        BwFrameFile *file;
        parts.frame.time = others[n];
        assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_OK);
        assert_int_equal(bw_frame_load(&file, path, &scene, 0, &err), BW_ERR_FORMAT);
        assert_non_null(strstr(err.message, "another scene"));
    }
}

static void removed_solids_stay_removed(void **state)
{
    (void)state;
    BwObstacleDef obstacles[3];
    BwFrameSolid solids[3];
    const BwShape none = bw_shape_of_kind(BW_SHAPE_NONE);
    parts_make(&parts);
    BwSceneDef scene = scene_of(&parts.frame);
    for (int n = 0; n < 3; n++) {
        obstacles[n] = (BwObstacleDef){.shape = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 1.0f)};
        solids[n] = (BwFrameSolid){.shape = n == 1 ? &none : &obstacles[n].shape, .pose = bw_pose_identity()};
    }
    scene.obstacles = obstacles;
    parts.frame.solids = solids;
    scene.obstacle_count = parts.frame.solid_count = 3;
    BwFrameFile *file;
    const BwFrame *frame = save_and_load(&scene, &file);
    assert_int_equal(frame->solid_count, 3);
    for (int n = 0; n < 3; n++)
        assert_int_equal(frame->solids[n].shape->kind, n == 1 ? BW_SHAPE_NONE : BW_SHAPE_SPHERE);
    assert_true(bw_frame_hash(frame) == bw_frame_hash(&parts.frame));
    bw_frame_file_destroy(file);
}

static void not_saved(const char *words)
{
    remove(path);
    if (bw_frame_save(&parts.frame, path, 0, &err) != BW_ERR_DEF || strstr(err.message, words) == NULL)
        fail_msg("\"%s\"; wanted \"%s\"", err.message, words);
    assert_int_equal(files_in_folder(), 0);
    parts_make(&parts);
}

// What could not be read back is refused when it is saved.
static void frames_that_no_reader_takes_are_not_saved(void **state)
{
    (void)state;
    parts_make(&parts);
    parts.positions[3].x = NAN;
    not_saved("water.particles.positions\" of the state holds nan");
    parts.ages[0] = INFINITY;
    not_saved("water.particles.age\" of the state holds inf");
    parts.vertices[1].y = INFINITY;
    not_saved("water.mesh.vertices");
    parts.mesh.origin[0] = (double)NAN;
    not_saved("water.mesh");
    parts.heights[9] = NAN;
    not_saved("water.columns.heights");
    parts.tiles[0].x = INT32_MAX;
    not_saved("out of place");
    parts.columns.low[0] = INT32_MAX;
    not_saved("columns from 2147483647 on");
    parts.frame.number = -3;
    not_saved("number is -3");
    parts.frame.dimension = 5;
    not_saved("dimension 5");
    const BwShape ball = bw_sphere(bw_vec3(0.0f, 0.0f, 0.0f), 1.0f);
    BwFrameSolid solid = {.shape = &ball, .pose = {.position = {NAN, 0.0f, 0.0f}}};
    parts.frame.solids = &solid;
    parts.frame.solid_count = 1;
    not_saved("solids");
}

static void fields_that_no_reader_takes_are_not_saved(void **state)
{
    (void)state;
    Puff *puff = puff_make(0.125f, (int32_t[3]){0, 0, 0}, (int32_t[3]){2, 1, 1}, cloud, NULL);
    parts_make(&parts);
    parts.frame = puff->frame;
    puff->values[700] = NAN;
    not_saved("density");
    puff->values[700] = 0.0f;
    parts.frame = puff->frame;
    puff->field.location = (BwLocation)99;
    not_saved("location 99");
    puff->field.location = BW_AT_CELL;
    parts.frame = puff->frame;
    puff->field.unit = "a unit of too many letters";
    not_saved("unit");
    puff->field.unit = "1";
    parts.frame = puff->frame;
    BwFrameField twice[2] = {puff->field, puff->field};
    parts.frame.fields = twice;
    parts.frame.field_count = 2;
    not_saved("two of \"density\"");
    parts.frame = puff->frame;
    puff->tiles[1] = puff->tiles[0];
    not_saved("tile 1 of the frame is out of place");
    puff_free(puff);
}

// The fields of any fluid are kept, whatever their names, but for those that it marks as details.
static void fields_of_every_fluid_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"phi",  "fuel",   "temperature", "u",     "reaction", "soot",
                                        "dye",  "height", "viscosity",   "color", "charge",   "foam",
                                        "salt", "w",      "pressure",    "open_u"};
    enum { COUNT = sizeof names / sizeof *names };
    Puff *puff = puff_make(0.125f, (int32_t[3]){0, 0, 0}, (int32_t[3]){2, 1, 1}, cloud, NULL);
    BwFrameField fields[COUNT + 1];
    for (int n = 0; n <= COUNT; n++) {
        fields[n] = puff->field;
        fields[n].name = n < COUNT ? names[n] : "scratch";
        fields[n].is_detail = n == 4 || n == COUNT;
    }
    BwFrame frame = puff->frame;
    frame.fields = fields;
    frame.field_count = COUNT + 1;
    BwFrameFile *file;
    assert_int_equal(bw_frame_save(&frame, path, 5, &err), BW_OK);
    assert_int_equal(bw_frame_load(&file, path, NULL, 5, &err), BW_OK);
    const BwFrame *loaded = bw_frame_file_view(file);
    assert_int_equal(loaded->field_count, COUNT - 1);
    for (int n = 0; n < COUNT; n++) {
        const BwFrameField *field = bw_frame_field(loaded, names[n]);
        assert_true((field == NULL) == fields[n].is_detail);
        if (field != NULL)
            assert_memory_equal(field->values, puff->values, 2 * 512 * sizeof(float));
    }
    bw_frame_file_destroy(file);
    puff_free(puff);
}

static void more_fields_than_a_file_keeps_are_not_saved(void **state)
{
    (void)state;
    enum { COUNT = 33 };
    char names[COUNT][24];
    Puff *puff = puff_make(0.125f, (int32_t[3]){0, 0, 0}, (int32_t[3]){1, 1, 1}, cloud, NULL);
    BwFrameField fields[COUNT];
    for (int n = 0; n < COUNT; n++) {
        snprintf(names[n], sizeof names[n], "field_%d", n);
        fields[n] = puff->field;
        fields[n].name = names[n];
    }
    parts_make(&parts);
    parts.frame = puff->frame;
    parts.frame.fields = fields;
    parts.frame.field_count = COUNT;
    not_saved("33 fields; a file keeps at most 32");
    puff_free(puff);
}

// A record of the frame's sets, as files hold it, with the head of a frame.
static void fill_record(BwRecord *record)
{
    void *values;
    bw_record_clear(record);
    bw_record_add_number(record, "frame", 6.0, NULL);
    bw_record_add_number(record, "time", 0.25, NULL);
    bw_record_add_number(record, "dimension", 3.0, NULL);
    bw_record_add_number(record, "cell", 0.125, NULL);
    bw_record_add(record, "tiles", BW_RECORD_INT32, 0, 3, &values, NULL);
    bw_record_add(record, "live", BW_RECORD_INT32, 0, 17, &values, NULL);
    bw_record_add(record, "solids", BW_RECORD_FLOAT, 0, 7, &values, NULL);
    assert_int_equal(bw_record_add_particles(record, &parts.particles, &err), BW_OK);
    assert_int_equal(bw_record_add_columns(record, &parts.columns, &err), BW_OK);
    assert_int_equal(bw_record_add_mesh(record, &parts.mesh, &err), BW_OK);
}

// The record as a file with a whole seal, as a forger would make it.
static void write_forged(const BwRecord *record)
{
    BwFileImage image;
    assert_int_equal(bw_record_write(record, BW_SEAL_SIZE, false, &image, &err), BW_OK);
    bw_seal_write(image.bytes, image.size, 0);
    FILE *stream = fopen(path, "wb");
    fwrite(image.bytes, 1, image.size, stream);
    fclose(stream);
    bw_file_image_free(&image);
}

static void refused(const BwRecord *record, const char *words)
{
    BwFrameFile *file;
    write_forged(record);
    BwResult result = bw_frame_load(&file, path, NULL, 0, &err);
    if (result != BW_ERR_FORMAT || strstr(err.message, words) == NULL ||
        strncmp(err.message, path, strlen(path)) != 0)
        fail_msg("result %d, \"%s\"; wanted \"%s\"", (int)result, err.message, words);
    assert_null(file);
}

static BwRecordArray *array_of(BwRecord *record, const char *name)
{
    for (int n = 0; n < record->count; n++)
        if (strcmp(record->arrays[n].name, name) == 0)
            return &record->arrays[n];
    fail_msg("there is no %s", name);
    return NULL;
}

static const struct {
    const char *array;
    int at;
    double value;
    const char *words;
} forgeries[] = {
    {"water.particles.positions", 7, (double)NAN, "water.particles.positions"},
    {"water.particles.velocity", 0, (double)INFINITY, "water.particles.velocity"},
    {"water.particles.tile", 3, 2.0, "tile 2 of 2"},
    {"water.particles.tile", 3, -1.0, "tile -1 of 2"},
    {"water.particles.tiles", 0, 2e9, "out of place"},
    {"water.particles", 1, -1.0, "radius"},
    {"water.particles", 0, 1.0, "no particles with the number 0"},
    {"water.particles.attributes", 0, 7.0, "has no name"},
    {"water.particles.attributes", 1, 46.0, "has no name"},
    {"water.particles.attributes", 31, 65.0, "has no name"},
    {"water.particles.attributes", 32, 7.0, "no unit"},
    {"water.particles.attributes", 47, 65.0, "no unit"},
    {"water.particles.attributes", 0, 86.0, "\"water.particles.Velocity\""},
    {"water.columns", 1, 0.0, "cell_size"},
    {"water.columns", 4, 8.0, "water.columns.heights"},
    {"water.columns", 4, -7.0, "columns"},
    {"water.columns", 2, 0.5, "holds 0.5"},
    {"water.columns.heights", 2, (double)NAN, "water.columns.heights"},
    {"water.mesh.triangles", 5, 4.0, "vertex 4 of 4"},
    {"water.mesh.triangles", 5, -1.0, "vertex -1 of 4"},
    {"water.mesh", 1, (double)NAN, "water.mesh"},
};

static void put(BwRecordArray *array, int at, double value)
{
    if (array->type == BW_RECORD_INT32)
        ((int32_t *)array->values)[at] = (int32_t)value;
    else if (array->type == BW_RECORD_FLOAT)
        ((float *)array->values)[at] = (float)value;
    else
        ((double *)array->values)[at] = value;
}

static void forged_numbers_are_refused(void **state)
{
    (void)state;
    BwRecord record = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    parts_make(&parts);
    for (size_t n = 0; n < sizeof forgeries / sizeof *forgeries; n++) {
        fill_record(&record);
        put(array_of(&record, forgeries[n].array), forgeries[n].at, forgeries[n].value);
        refused(&record, forgeries[n].words);
    }
    bw_record_free(&record);
}

// Each array cut by a row, and left out.
static void arrays_that_are_cut_or_missing_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"water.particles.tile",     "water.particles.positions",
                                        "water.particles.velocity", "water.particles.age",
                                        "water.particles.id",       "water.columns.heights",
                                        "water.columns.depth",      "water.mesh.color",
                                        "water.mesh.velocity",      "water.particles.attributes"};
    BwRecord record = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    parts_make(&parts);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        bool is_list = strstr(names[n], "attributes") != NULL;
        fill_record(&record);
        array_of(&record, names[n])->rows--;
        if (!is_list) // a list without its last attribute is a set that lacks it
            refused(&record, "rows");
        fill_record(&record);
        snprintf(array_of(&record, names[n])->name, BW_RECORD_NAME_SIZE, "gone");
        refused(&record, names[n]);
    }
    bw_record_free(&record);
}

// Any byte: the seal tells, and nothing is read.
static void damaged_files_are_refused(void **state)
{
    (void)state;
    parts_make(&parts);
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_OK);
    FILE *stream = fopen(path, "rb+");
    fseek(stream, 0, SEEK_END);
    long size = ftell(stream);
    for (long at = 0; at < size; at += size / 61) {
        BwFrameFile *file;
        fseek(stream, at, SEEK_SET);
        int byte = fgetc(stream);
        fseek(stream, at, SEEK_SET);
        fputc(byte ^ 16, stream);
        fflush(stream);
        assert_int_equal(bw_frame_load(&file, path, NULL, 0, &err), BW_ERR_FORMAT);
        assert_non_null(strstr(err.message, path));
        fseek(stream, at, SEEK_SET);
        fputc(byte, stream);
        fflush(stream);
    }
    fclose(stream);
}

// What a record has no room for, or names twice, is refused before a file is made.
static void sets_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static BwFrameAttribute many[17];
    static BwFrameParticles crowd[40];
    parts_make(&parts);
    for (int n = 0; n < 17; n++) {
        static char names[17][16];
        snprintf(names[n], sizeof names[n], "age%d", n);
        many[n] = parts.of_particles[1];
        many[n].name = names[n];
    }
    parts.particles.attributes = many;
    parts.particles.attribute_count = 17;
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "17 attributes"));
    parts.particles.attribute_count = 2;
    many[1].name = many[0].name;
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "two of \"age0\" of \"water\""));
    for (int n = 0; n < 40; n++) {
        static char names[40][16];
        snprintf(names[n], sizeof names[n], "set%d", n);
        crowd[n] = (BwFrameParticles){.name = names[n]};
    }
    parts.frame.particles = crowd;
    parts.frame.particle_set_count = 40;
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "no room"));
    parts_make(&parts);
    parts.particles.name = "a b";
    assert_int_equal(bw_frame_save(&parts.frame, path, 0, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "\"a b\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_back),
        cmocka_unit_test(the_order_of_sets_is_kept),
        cmocka_unit_test(empty_sets_come_back),
        cmocka_unit_test(frames_between_frames_come_back),
        cmocka_unit_test(removed_solids_stay_removed),
        cmocka_unit_test(frames_that_no_reader_takes_are_not_saved),
        cmocka_unit_test(fields_that_no_reader_takes_are_not_saved),
        cmocka_unit_test(fields_of_every_fluid_come_back),
        cmocka_unit_test(more_fields_than_a_file_keeps_are_not_saved),
        cmocka_unit_test(forged_numbers_are_refused),
        cmocka_unit_test(arrays_that_are_cut_or_missing_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(sets_that_do_not_fit_are_refused),
    };
    if (!bw_checkpoint_is_built())
        return 0; // nothing to test
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
