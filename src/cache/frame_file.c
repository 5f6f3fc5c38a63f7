// Frames for pictures: a record of sparse fields, particles, columns and meshes in a sealed file.
#include "cache/frame_file.h"

#include "base/need.h"
#include "base/record.h"
#include "cache/record_file.h"
#include "cache/seal.h"
#include "grid/frame_record.h"

#include <stdio.h>
#include <string.h>

enum { LIVE_WORDS = 17 }; // a tile's number and 16 words of its live cells

// A forged file that names a field takes memory for all its tiles: there are not many of them.
enum { FIELDS_MAX = 32 };

struct BwFrameFile {
    BwAllocator allocator;
    uint64_t run_id;
    BwRecord record;
    BwFrame frame;
    BwFrameField fields[FIELDS_MAX];
    char names[FIELDS_MAX][BW_RECORD_NAME_SIZE], units[FIELDS_MAX][BW_UNIT_SIZE];
    float *values[FIELDS_MAX];
    uint64_t (*live)[8];
    BwFrameSolid *solids;
    BwSetView *views; // of the sets below, all kinds one after the other
    int view_count;
    BwFrameParticles *particles;
    BwFrameColumns *columns;
    BwFrameMesh *meshes;
};

static size_t tile_cells(const BwFrame *frame)
{
    return (size_t)(64 * frame->layers);
}

static bool is_background(const float *values, size_t count, float background)
{
    for (size_t c = 0; c < count; c++)
        if (memcmp(&values[c], &background, sizeof background) != 0)
            return false;
    return true;
}

static int64_t count_tiles(const BwFrame *frame, const BwFrameField *field)
{
    int64_t count = 0;
    for (int32_t n = 0; n < frame->tile_count; n++)
        count += !is_background(field->values + (size_t)n * tile_cells(frame), tile_cells(frame),
                                field->background);
    return count;
}

static BwResult name_part(char name[BW_RECORD_NAME_SIZE], const char *field, const char *part, BwError *err)
{
    if (snprintf(name, BW_RECORD_NAME_SIZE, "%s%s", field, part) < BW_RECORD_NAME_SIZE)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "a field's name has %zu characters; that is too long", strlen(field));
}

static BwResult add_unit(BwRecord *record, const BwFrameField *field, BwError *err)
{
    char name[BW_RECORD_NAME_SIZE];
    void *values;
    const char *unit = field->unit != NULL ? field->unit : "1";
    if (!bw_frame_is_unit(unit))
        return bw_fail(err, BW_ERR_DEF, "the unit of \"%s\" is not of at most %d letters", field->name,
                       BW_UNIT_SIZE - 1);
    BW_TRY(name_part(name, field->name, "_unit", err));
    BW_TRY(bw_record_add(record, name, BW_RECORD_INT32, 1, BW_UNIT_SIZE, &values, err));
    bw_record_put_text(values, BW_UNIT_SIZE, unit);
    return BW_OK;
}

// Four arrays: the values of the tiles that have any, the numbers of these tiles, what they are, and the
// letters of their unit.
static BwResult add_field(BwRecord *record, const BwFrame *frame, const BwFrameField *field, BwError *err)
{
    char name[BW_RECORD_NAME_SIZE];
    void *values, *numbers, *about;
    size_t cells = tile_cells(frame);
    int64_t count = count_tiles(frame, field);
    if (bw_record_has(record, field->name))
        return bw_fail(err, BW_ERR_DEF, "there are two of \"%s\"", field->name);
    BW_TRY(bw_record_add(record, field->name, BW_RECORD_FLOAT, count, (int64_t)cells, &values, err));
    BW_TRY(name_part(name, field->name, "_tiles", err));
    BW_TRY(bw_record_add(record, name, BW_RECORD_INT32, count, 1, &numbers, err));
    BW_TRY(name_part(name, field->name, "_about", err));
    BW_TRY(bw_record_add(record, name, BW_RECORD_DOUBLE, 1, 2, &about, err));
    memcpy(about, (double[2]){(double)field->location, (double)field->background}, 2 * sizeof(double));
    BW_TRY(add_unit(record, field, err));
    int64_t at = 0;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const float *tile = field->values + (size_t)n * cells;
        if (is_background(tile, cells, field->background))
            continue;
        memcpy((float *)values + (size_t)at * cells, tile, cells * sizeof *tile);
        ((int32_t *)numbers)[at++] = n;
    }
    return BW_OK;
}

// What moves a body that is added later.
static bool is_of_flow(const BwFrameField *field)
{
    static const char *const names[] = {"u", "v", "w", "pressure", "fluid"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (strcmp(field->name, names[n]) == 0)
            return true;
    return false;
}

static bool is_kept(const BwFrameField *field, bool with_flow)
{
    return !field->is_detail || (with_flow && is_of_flow(field));
}

// A detail stays one: pictures of the frame that is read back do not show it either.
static BwResult add_detail(BwRecord *record, const BwFrameField *field, BwError *err)
{
    char name[BW_RECORD_NAME_SIZE];
    if (!field->is_detail)
        return BW_OK;
    BW_TRY(name_part(name, field->name, "_detail", err));
    return bw_record_add_number(record, name, 1.0, err);
}

static BwResult add_fields(BwRecord *record, const BwFrame *frame, bool with_flow, BwError *err)
{
    int count = 0;
    for (int n = 0; n < frame->field_count; n++)
        count += is_kept(&frame->fields[n], with_flow);
    if (count > FIELDS_MAX)
        return bw_fail(err, BW_ERR_DEF, "the frame has %d fields; a file keeps at most %d", count,
                       FIELDS_MAX);
    for (int n = 0; n < frame->field_count; n++)
        if (is_kept(&frame->fields[n], with_flow)) {
            BW_TRY(add_field(record, frame, &frame->fields[n], err));
            BW_TRY(add_detail(record, &frame->fields[n], err));
        }
    return BW_OK;
}

// The box of a frame that is recorded; no row: there is none.
static BwResult add_walls(BwRecord *record, const BwFrame *frame, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "walls", BW_RECORD_DOUBLE, frame->has_walls ? 1 : 0, 6, &values, err));
    for (int a = 0; a < 3 && frame->has_walls; a++) {
        ((double *)values)[a] = (double)bw_component(frame->walls.low, a);
        ((double *)values)[3 + a] = (double)bw_component(frame->walls.high, a);
    }
    return BW_OK;
}

// What the sides of the box are, where it is told.
static BwResult add_sides(BwRecord *record, const BwFrame *frame, BwError *err)
{
    void *values;
    if (!frame->has_walls || frame->sides[0] == 0)
        return BW_OK;
    BW_TRY(bw_record_add(record, "sides", BW_RECORD_INT32, 1, 6, &values, err));
    for (int side = 0; side < 6; side++)
        ((int32_t *)values)[side] = frame->sides[side];
    return BW_OK;
}

static bool is_all_live(const BwFrame *frame, int32_t tile)
{
    for (int k = 0; k < frame->layers; k++)
        if (frame->live[tile][k] != UINT64_MAX)
            return false;
    return true;
}

static BwResult add_live(BwRecord *record, const BwFrame *frame, BwError *err)
{
    int64_t count = 0;
    void *values;
    for (int32_t n = 0; n < frame->tile_count; n++)
        count += !is_all_live(frame, n);
    BW_TRY(bw_record_add(record, "live", BW_RECORD_INT32, count, LIVE_WORDS, &values, err));
    int32_t *row = values;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        if (is_all_live(frame, n))
            continue;
        row[0] = n;
        memcpy(row + 1, frame->live[n], sizeof frame->live[n]);
        row += LIVE_WORDS;
    }
    return BW_OK;
}

// Solids that were removed keep their number; most frames have none, and no such array.
static BwResult add_removed(BwRecord *record, const BwFrame *frame, BwError *err)
{
    void *values;
    int64_t count = 0, at = 0;
    for (int n = 0; n < frame->solid_count; n++)
        count += frame->solids[n].shape->kind == BW_SHAPE_NONE;
    if (count == 0)
        return BW_OK;
    BW_TRY(bw_record_add(record, "solids_removed", BW_RECORD_INT32, count, 1, &values, err));
    for (int n = 0; n < frame->solid_count; n++)
        if (frame->solids[n].shape->kind == BW_SHAPE_NONE)
            ((int32_t *)values)[at++] = n;
    return BW_OK;
}

// What burning has taken of their colours: frames of solids that do not burn have no such array.
static BwResult add_darkened(BwRecord *record, const BwFrame *frame, BwError *err)
{
    void *values;
    bool has_any = false;
    for (int n = 0; n < frame->solid_count; n++)
        has_any = has_any || frame->solids[n].darkened != 0.0f;
    if (!has_any)
        return BW_OK;
    BW_TRY(bw_record_add(record, "solids_darkened", BW_RECORD_FLOAT, frame->solid_count, 1, &values, err));
    for (int n = 0; n < frame->solid_count; n++)
        ((float *)values)[n] = frame->solids[n].darkened;
    return BW_OK;
}

static BwResult add_solids(BwRecord *record, const BwFrame *frame, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "solids", BW_RECORD_FLOAT, frame->solid_count, 7, &values, err));
    for (int n = 0; n < frame->solid_count; n++)
        memcpy((float *)values + 7 * n, &frame->solids[n].pose, 7 * sizeof(float));
    if (frame->body_count > 0)
        BW_TRY(bw_record_add_number(record, "body_count", (double)frame->body_count, err));
    BW_TRY(add_darkened(record, frame, err));
    return add_removed(record, frame, err);
}

static BwResult add_sets(BwRecord *record, const BwFrame *frame, BwError *err)
{
    for (int n = 0; n < frame->particle_set_count; n++)
        BW_TRY(bw_record_add_particles(record, &frame->particles[n], err));
    for (int n = 0; n < frame->column_set_count; n++)
        BW_TRY(bw_record_add_columns(record, &frame->columns[n], err));
    for (int n = 0; n < frame->mesh_count; n++)
        BW_TRY(bw_record_add_mesh(record, &frame->meshes[n], err));
    return BW_OK;
}

static BwResult fill_record(BwRecord *record, const BwFrame *frame, bool with_flow, BwError *err)
{
    void *tiles;
    _Static_assert(sizeof(BwPose) == 7 * sizeof(float), "a pose is seven floats");
    BW_TRY(bw_record_add_number(record, "frame", (double)frame->number, err));
    BW_TRY(bw_record_add_number(record, "time", frame->time, err));
    BW_TRY(bw_record_add_number(record, "dimension", (double)frame->dimension, err));
    BW_TRY(bw_record_add_number(record, "cell", (double)frame->cell_size, err));
    BW_TRY(bw_record_add(record, "tiles", BW_RECORD_INT32, frame->tile_count, 3, &tiles, err));
    if (frame->tile_count > 0)
        memcpy(tiles, frame->tiles, (size_t)frame->tile_count * sizeof *frame->tiles);
    BW_TRY(add_live(record, frame, err));
    BW_TRY(add_solids(record, frame, err));
    BW_TRY(add_fields(record, frame, with_flow, err));
    if (with_flow) {
        BW_TRY(add_walls(record, frame, err));
        BW_TRY(add_sides(record, frame, err));
    }
    return add_sets(record, frame, err);
}

static BwResult write_record(const BwRecord *record, const char *path, uint64_t run_id, BwFileWriter *writer,
                             BwError *err)
{
    BwFileImage image;
    BW_TRY(bw_record_write(record, BW_SEAL_SIZE, false, &image, err));
    bw_seal_write(image.bytes, image.size, run_id);
    BwResult result = bw_file_begin(writer, &record->allocator, path, err);
    if (result == BW_OK)
        fwrite(image.bytes, 1, image.size, writer->stream); // what goes wrong the commit tells
    bw_file_image_free(&image);
    return result;
}

// As the reader does: what it would refuse is not written.
static BwResult check_numbers(const BwRecord *record, BwError *err)
{
    BwError reason = {0};
    if (bw_record_check_finite(record, NULL, &reason) == BW_OK)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "the frame cannot be saved: %s", reason.message);
}

BwResult bw_frame_write(const BwFrame *frame, bool with_flow, const char *path, uint64_t run_id,
                        BwFileWriter *writer, BwError *err)
{
    BwRecord record = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    BwResult result = fill_record(&record, frame, with_flow, err);
    if (result == BW_OK)
        result = check_numbers(&record, err);
    if (result == BW_OK)
        result = write_record(&record, path, run_id, writer, err);
    bw_record_free(&record);
    return result;
}

static BwResult save(const BwFrame *frame, bool with_flow, const char *path, uint64_t run_id, BwError *err)
{
    BwFileWriter writer;
    BW_TRY(bw_frame_check(frame, err));
    BW_TRY(bw_need(path, "the path of the frame", err));
    BW_TRY(bw_frame_write(frame, with_flow, path, run_id, &writer, err));
    return bw_file_commit(&writer, err);
}

BwResult bw_frame_save(const BwFrame *frame, const char *path, uint64_t run_id, BwError *err)
{
    return save(frame, false, path, run_id, err);
}

BwResult bw_frame_record(const BwFrame *frame, const char *path, uint64_t run_id, BwError *err)
{
    if (frame != NULL && (bw_frame_field(frame, "phi") == NULL || bw_frame_field(frame, "u") == NULL ||
                          bw_frame_field(frame, "pressure") == NULL))
        return bw_fail(err, BW_ERR_DEF,
                       "the frame has not all of a liquid's surface, velocity and pressure; a scene with "
                       "output.record has");
    return save(frame, true, path, run_id, err);
}

static BwResult take_tiles(BwFrameFile *file, BwError *err)
{
    BwError reason = {0};
    const void *tiles;
    int64_t count = -1;
    BW_TRY(bw_record_find(&file->record, "tiles", BW_RECORD_INT32, &count, 3, &tiles, err));
    if (bw_tiles_check(tiles, count, &reason) != BW_OK)
        return bw_fail(err, BW_ERR_FORMAT, "%s", reason.message);
    file->frame.tiles = tiles;
    file->frame.tile_count = (int32_t)count;
    return BW_OK;
}

// Rows name tiles in ascending order.
static BwResult check_tile_numbers(const BwFrameFile *file, const int32_t *numbers, int64_t count, int stride,
                                   BwError *err)
{
    int32_t before = -1;
    for (int64_t n = 0; n < count; n++) {
        int32_t tile = numbers[n * stride];
        if (tile <= before || tile >= file->frame.tile_count)
            return bw_fail(err, BW_ERR_FORMAT, "the frame names tile %d of %d", tile, file->frame.tile_count);
        before = tile;
    }
    return BW_OK;
}

static BwResult take_live(BwFrameFile *file, BwError *err)
{
    const void *rows;
    int64_t count = -1;
    size_t size = (size_t)file->frame.tile_count * sizeof *file->live;
    BW_TRY(bw_record_find(&file->record, "live", BW_RECORD_INT32, &count, LIVE_WORDS, &rows, err));
    BW_TRY(check_tile_numbers(file, rows, count, LIVE_WORDS, err));
    file->live = bw_alloc(&file->allocator, size, BW_ALIGN);
    if (file->live == NULL && size > 0)
        return bw_fail_memory(err);
    if (size > 0)
        memset(file->live, 0xff, size);
    for (int64_t n = 0; n < count; n++) {
        const int32_t *row = (const int32_t *)rows + n * LIVE_WORDS;
        memcpy(file->live[row[0]], row + 1, sizeof *file->live);
    }
    file->frame.live = (const uint64_t(*)[8])file->live;
    return BW_OK;
}

// Files from before units were kept have none.
static BwResult take_unit(BwFrameFile *file, int n, BwError *err)
{
    char part[BW_RECORD_NAME_SIZE];
    const void *letters;
    int64_t one = 1;
    snprintf(file->units[n], BW_UNIT_SIZE, "1");
    BW_TRY(name_part(part, file->names[n], "_unit", err));
    if (!bw_record_has(&file->record, part))
        return BW_OK;
    BW_TRY(bw_record_find(&file->record, part, BW_RECORD_INT32, &one, BW_UNIT_SIZE, &letters, err));
    if (!bw_record_take_text(file->units[n], BW_UNIT_SIZE, letters))
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the frame is no text", part);
    return BW_OK;
}

static BwResult take_field(BwFrameFile *file, const char *field_name, BwError *err)
{
    char part[BW_RECORD_NAME_SIZE];
    const void *values, *numbers, *about;
    int n = file->frame.field_count;
    size_t cells = tile_cells(&file->frame), size = (size_t)file->frame.tile_count * cells * sizeof(float);
    int64_t count = -1, one = 1;
    BW_TRY(bw_record_find(&file->record, field_name, BW_RECORD_FLOAT, &count, (int64_t)cells, &values, err));
    BW_TRY(name_part(part, field_name, "_tiles", err));
    BW_TRY(bw_record_find(&file->record, part, BW_RECORD_INT32, &count, 1, &numbers, err));
    BW_TRY(check_tile_numbers(file, numbers, count, 1, err));
    BW_TRY(name_part(part, field_name, "_about", err));
    BW_TRY(bw_record_find(&file->record, part, BW_RECORD_DOUBLE, &one, 2, &about, err));
    double location = ((const double *)about)[0];
    if (!(location >= BW_AT_CELL && location <= BW_AT_NODE))
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the frame is at location %g", field_name, location);
    file->values[n] = bw_alloc(&file->allocator, size, BW_ALIGN);
    if (file->values[n] == NULL && size > 0)
        return bw_fail_memory(err);
    file->frame.field_count++;
    snprintf(file->names[n], sizeof file->names[n], "%s", field_name);
    BW_TRY(take_unit(file, n, err));
    BW_TRY(name_part(part, field_name, "_detail", err));
    file->fields[n] = (BwFrameField){.name = file->names[n],
                                     .unit = file->units[n],
                                     .location = (BwLocation)location,
                                     .background = (float)((const double *)about)[1],
                                     .values = file->values[n],
                                     .is_detail = bw_record_has(&file->record, part)};
    for (size_t c = 0; c < (size_t)file->frame.tile_count * cells; c++)
        file->values[n][c] = file->fields[n].background;
    for (int64_t row = 0; row < count; row++)
        memcpy(file->values[n] + (size_t)((const int32_t *)numbers)[row] * cells,
               (const float *)values + (size_t)row * cells, cells * sizeof(float));
    return BW_OK;
}

// A field is what has an "_about" of its own.
static BwResult take_fields(BwFrameFile *file, BwError *err)
{
    for (int n = 0; n < file->record.count; n++) {
        const BwRecordArray *about = &file->record.arrays[n];
        size_t length = strlen(about->name), ending = strlen("_about");
        char field[BW_RECORD_NAME_SIZE];
        if (length < ending || strcmp(about->name + length - ending, "_about") != 0 ||
            about->type != BW_RECORD_DOUBLE)
            continue;
        if (file->frame.field_count == FIELDS_MAX)
            return bw_fail(err, BW_ERR_FORMAT, "the frame has more than %d fields", FIELDS_MAX);
        snprintf(field, sizeof field, "%.*s", (int)(length - ending), about->name);
        BW_TRY(take_field(file, field, err));
    }
    file->frame.fields = file->fields;
    return BW_OK;
}

static BwResult take_removed(BwFrameFile *file, BwError *err)
{
    static const BwShape none = {.kind = BW_SHAPE_NONE};
    const void *values;
    int64_t count = -1;
    if (!bw_record_has(&file->record, "solids_removed"))
        return BW_OK;
    BW_TRY(bw_record_find(&file->record, "solids_removed", BW_RECORD_INT32, &count, 1, &values, err));
    for (int64_t n = 0; n < count; n++) {
        int32_t solid = ((const int32_t *)values)[n];
        if (solid < 0 || solid >= file->frame.solid_count)
            return bw_fail(err, BW_ERR_FORMAT, "the frame says that solid %d of %d was removed", solid,
                           file->frame.solid_count);
        file->solids[solid].shape = &none;
    }
    return BW_OK;
}

// Bodies that the scene does not know are the last ones.
static BwResult take_darkened(BwFrameFile *file, int64_t left_out, BwError *err)
{
    const void *values;
    int64_t rows = file->frame.solid_count + left_out;
    if (!bw_record_has(&file->record, "solids_darkened"))
        return BW_OK;
    BW_TRY(bw_record_find(&file->record, "solids_darkened", BW_RECORD_FLOAT, &rows, 1, &values, err));
    for (int n = 0; n < file->frame.solid_count; n++) {
        BwFrameSolid *solid = &file->solids[n];
        solid->darkened = ((const float *)values)[n];
        if (!(solid->darkened >= 0.0f && solid->darkened <= 1.0f))
            return bw_fail(err, BW_ERR_FORMAT, "the frame says that %g of the colour of solid %d has burnt",
                           (double)solid->darkened, n);
        for (int c = 0; c < 3; c++)
            solid->color[c] *= 1.0f - solid->darkened;
    }
    return BW_OK;
}

// Bodies of the file that a scene without any does not know.
static BwResult count_left_out(const BwFrameFile *file, const BwSceneDef *scene, int64_t *count, BwError *err)
{
    double bodies = 0.0;
    if (scene->body_count == 0 && bw_record_has(&file->record, "body_count"))
        BW_TRY(bw_record_find_number(&file->record, "body_count", &bodies, err));
    if (!(bodies >= 0.0 && bodies < 1e9))
        return bw_fail(err, BW_ERR_FORMAT, "the frame has %g bodies", bodies);
    *count = (int64_t)bodies;
    return BW_OK;
}

// Shapes and colours are those the scene has now, but for what has burnt.
static BwResult take_solids(BwFrameFile *file, const BwSceneDef *scene, BwError *err)
{
    const void *poses;
    if (scene == NULL)
        return BW_OK;
    int64_t left_out = 0, count = (int64_t)scene->obstacle_count + scene->body_count;
    BW_TRY(count_left_out(file, scene, &left_out, err));
    count += left_out;
    BW_TRY(bw_record_find(&file->record, "solids", BW_RECORD_FLOAT, &count, 7, &poses, err));
    count -= left_out;
    if (count == 0)
        return take_removed(file, err);
    file->solids = bw_alloc_zeroed(&file->allocator, (size_t)count * sizeof *file->solids, BW_ALIGN);
    if (file->solids == NULL)
        return bw_fail_memory(err);
    for (int64_t n = 0; n < count; n++) {
        bool is_body = n >= scene->obstacle_count;
        const BwBodyDef *body = is_body ? &scene->bodies[n - scene->obstacle_count] : NULL;
        const BwObstacleDef *obstacle = is_body ? NULL : &scene->obstacles[n];
        file->solids[n].shape = is_body ? &body->shape : &obstacle->shape;
        memcpy(&file->solids[n].pose, (const float *)poses + 7 * n, 7 * sizeof(float));
        memcpy(file->solids[n].color, is_body ? body->color : obstacle->color, sizeof file->solids[n].color);
        file->solids[n].is_glass = !is_body && obstacle->is_glass;
    }
    file->frame.solids = file->solids;
    file->frame.solid_count = (int)count;
    file->frame.body_count = scene->body_count;
    BW_TRY(take_darkened(file, left_out, err));
    return take_removed(file, err);
}

// Memory for so many things, none of which need be there.
static BwResult make_list(const BwFrameFile *file, int count, size_t size, void **list, BwError *err)
{
    *list = count > 0 ? bw_alloc_zeroed(&file->allocator, (size_t)count * size, BW_ALIGN) : NULL;
    return count > 0 && *list == NULL ? bw_fail_memory(err) : BW_OK;
}

static BwResult make_sets(BwFrameFile *file, BwError *err)
{
    const BwRecord *record = &file->record;
    int particles = bw_record_count_sets(record, BW_SET_PARTICLES);
    int columns = bw_record_count_sets(record, BW_SET_COLUMNS);
    int meshes = bw_record_count_sets(record, BW_SET_MESH);
    BW_TRY(make_list(file, particles + columns + meshes, sizeof *file->views, (void **)&file->views, err));
    file->view_count = particles + columns + meshes;
    BW_TRY(make_list(file, particles, sizeof *file->particles, (void **)&file->particles, err));
    file->frame.particle_set_count = particles;
    BW_TRY(make_list(file, columns, sizeof *file->columns, (void **)&file->columns, err));
    file->frame.column_set_count = columns;
    BW_TRY(make_list(file, meshes, sizeof *file->meshes, (void **)&file->meshes, err));
    file->frame.mesh_count = meshes;
    return BW_OK;
}

static BwResult take_sets(BwFrameFile *file, BwError *err)
{
    char name[BW_FRAME_NAME_SIZE];
    const BwRecord *record = &file->record;
    BW_TRY(make_sets(file, err));
    BwSetView *view = file->views;
    for (int n = 0; n < file->frame.particle_set_count; n++, view++) {
        BW_TRY(bw_record_name_set(record, BW_SET_PARTICLES, n, name, err));
        BW_TRY(bw_record_find_particles(record, name, view, err));
        file->particles[n] = view->particles;
    }
    for (int n = 0; n < file->frame.column_set_count; n++, view++) {
        BW_TRY(bw_record_name_set(record, BW_SET_COLUMNS, n, name, err));
        BW_TRY(bw_record_find_columns(record, name, view, err));
        file->columns[n] = view->columns;
    }
    for (int n = 0; n < file->frame.mesh_count; n++, view++) {
        BW_TRY(bw_record_name_set(record, BW_SET_MESH, n, name, err));
        BW_TRY(bw_record_find_mesh(record, name, view, err));
        file->meshes[n] = view->mesh;
    }
    file->frame.particles = file->particles;
    file->frame.columns = file->columns;
    file->frame.meshes = file->meshes;
    return BW_OK;
}

// A world that stands between two frames has the number of the earlier one.
static bool is_of_scene(const BwFrame *frame, const BwSceneDef *scene)
{
    return frame->dimension == scene->dimension && frame->cell_size == scene->cell &&
           frame->time - frame->number / scene->fps >= -1e-9 * (1.0 + frame->time) &&
           frame->time < (frame->number + 1) / scene->fps;
}

static BwResult take_head(BwFrameFile *file, const BwSceneDef *scene, BwError *err)
{
    double number, time, dimension, cell;
    BW_TRY(bw_record_find_number(&file->record, "frame", &number, err));
    BW_TRY(bw_record_find_number(&file->record, "time", &time, err));
    BW_TRY(bw_record_find_number(&file->record, "dimension", &dimension, err));
    BW_TRY(bw_record_find_number(&file->record, "cell", &cell, err));
    bool is_frame = number >= 0.0 && number < 1e9 && (dimension == 2.0 || dimension == 3.0) &&
                    cell == (double)(float)cell && cell > 0.0;
    if (is_frame)
        file->frame = (BwFrame){.number = (int)number,
                                .time = time,
                                .dimension = (int)dimension,
                                .layers = dimension == 3.0 ? BW_TILE : 1,
                                .cell_size = (float)cell};
    if (!is_frame || (scene != NULL && !is_of_scene(&file->frame, scene)))
        return bw_fail(err, BW_ERR_FORMAT,
                       "the frame is of another scene: number %g at %g s, in %g dimensions of cells of %g m",
                       number, time, dimension, cell);
    if (scene != NULL) {
        file->frame.has_walls = scene->has_walls;
        file->frame.walls = (BwBox){scene->walls.min, scene->walls.max};
    }
    return BW_OK;
}

// Frames that were recorded know their box.
static BwResult take_walls(BwFrameFile *file, BwError *err)
{
    const void *values;
    int64_t rows = -1;
    if (!bw_record_has(&file->record, "walls"))
        return BW_OK;
    BW_TRY(bw_record_find(&file->record, "walls", BW_RECORD_DOUBLE, &rows, 6, &values, err));
    if (rows > 1)
        return bw_fail(err, BW_ERR_FORMAT, "the frame has %lld boxes", (long long)rows);
    const double *ends = values;
    file->frame.has_walls = rows == 1;
    if (rows == 1)
        file->frame.walls = (BwBox){bw_vec3((float)ends[0], (float)ends[1], (float)ends[2]),
                                    bw_vec3((float)ends[3], (float)ends[4], (float)ends[5])};
    return BW_OK;
}

static BwResult take_sides(BwFrameFile *file, BwError *err)
{
    const void *values;
    int64_t rows = 1;
    if (!bw_record_has(&file->record, "sides"))
        return BW_OK;
    BW_TRY(bw_record_find(&file->record, "sides", BW_RECORD_INT32, &rows, 6, &values, err));
    for (int side = 0; side < 6; side++) {
        int32_t kind = ((const int32_t *)values)[side];
        if (kind < 0 || kind > 1 + BW_WALL_OUTFLOW)
            return bw_fail(err, BW_ERR_FORMAT, "side %d of the frame's box is of kind %d", side, (int)kind);
        file->frame.sides[side] = (uint8_t)kind;
    }
    return BW_OK;
}

static BwResult take_record(BwFrameFile *file, const BwSceneDef *scene, BwError *err)
{
    BW_TRY(bw_record_check_finite(&file->record, NULL, err));
    BW_TRY(take_head(file, scene, err));
    BW_TRY(take_walls(file, err));
    BW_TRY(take_sides(file, err));
    BW_TRY(take_tiles(file, err));
    BW_TRY(take_live(file, err));
    BW_TRY(take_fields(file, err));
    BW_TRY(take_sets(file, err));
    return take_solids(file, scene, err);
}

static BwResult read_record(BwFrameFile *file, const char *path, uint64_t run_id, BwError *err)
{
    BwRecord *record = &file->record;
    char *bytes;
    size_t size;
    BW_TRY(bw_file_read(&record->allocator, path, SIZE_MAX - 1, &bytes, &size, err));
    BwResult result = bw_seal_check(bytes, size, path, err);
    if (result == BW_OK && run_id != 0 && bw_seal_run_id(bytes) != run_id)
        result = bw_fail(err, BW_ERR_FORMAT, "%s is of another run", path);
    if (result == BW_OK) {
        file->run_id = bw_seal_run_id(bytes);
        result = bw_record_read(record, bytes, size, path, err);
    }
    bw_free(&record->allocator, bytes, size + 1, BW_ALIGN);
    return result;
}

static BwFrameFile *make_file(void)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    BwFrameFile *file = bw_alloc_zeroed(&allocator, sizeof *file, BW_ALIGN);
    if (file != NULL)
        file->allocator = file->record.allocator = allocator;
    return file;
}

BwResult bw_frame_load(BwFrameFile **out, const char *path, const BwSceneDef *scene, uint64_t run_id,
                       BwError *err)
{
    BW_TRY(bw_need(out, "the place for the frame", err));
    *out = NULL;
    BW_TRY(bw_need(path, "the path of the frame", err));
    BwError reason = {0};
    BwFrameFile *file = make_file();
    if (file == NULL)
        return bw_fail_memory(err);
    BwResult result = read_record(file, path, run_id, err);
    if (result == BW_OK) {
        result = take_record(file, scene, &reason);
        if (result != BW_OK)
            bw_fail(err, result, "%s: %s", path, reason.message);
    }
    if (result == BW_OK)
        *out = file;
    else
        bw_frame_file_destroy(file);
    return result;
}

BwResult bw_frame_hold(BwFrameFile **out, const BwFrame *frame, const BwSceneDef *scene, BwError *err)
{
    BwFrameFile *file = make_file();
    *out = NULL;
    if (file == NULL)
        return bw_fail_memory(err);
    BwResult result = fill_record(&file->record, frame, false, err);
    if (result == BW_OK)
        result = take_record(file, scene, err);
    if (result == BW_OK)
        *out = file;
    else
        bw_frame_file_destroy(file);
    return result;
}

const BwFrame *bw_frame_file_view(const BwFrameFile *file)
{
    return file != NULL ? &file->frame : NULL;
}

uint64_t bw_frame_file_run_id(const BwFrameFile *file)
{
    return file != NULL ? file->run_id : 0;
}

void bw_frame_file_destroy(BwFrameFile *file)
{
    if (file == NULL)
        return;
    BwAllocator allocator = file->allocator;
    size_t tiles = (size_t)file->frame.tile_count, cells = tile_cells(&file->frame);
    for (int n = 0; n < FIELDS_MAX; n++)
        bw_free(&allocator, file->values[n], tiles * cells * sizeof(float), BW_ALIGN);
    bw_free(&allocator, file->live, tiles * sizeof *file->live, BW_ALIGN);
    bw_free(&allocator, file->solids, (size_t)file->frame.solid_count * sizeof *file->solids, BW_ALIGN);
    bw_free(&allocator, file->views, (size_t)file->view_count * sizeof *file->views, BW_ALIGN);
    bw_free(&allocator, file->particles, (size_t)file->frame.particle_set_count * sizeof *file->particles,
            BW_ALIGN);
    bw_free(&allocator, file->columns, (size_t)file->frame.column_set_count * sizeof *file->columns,
            BW_ALIGN);
    bw_free(&allocator, file->meshes, (size_t)file->frame.mesh_count * sizeof *file->meshes, BW_ALIGN);
    bw_record_free(&file->record);
    bw_free(&allocator, file, sizeof *file, BW_ALIGN);
}
