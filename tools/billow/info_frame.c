// Frames and checkpoints are read as records: what they hold can be told without their scene.
#include "info_frame.h"

#include "base/file.h"
#include "cache/record_file.h"
#include "cache/seal.h"
#include "grid/frame_record.h"
#include "options.h"
#include "run_cache.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

bool is_cache_file(const char *path)
{
    char magic[8] = "";
    FILE *stream = fopen(path, "rb");
    bool is_ours =
        stream != NULL && fread(magic, sizeof magic, 1, stream) == 1 && memcmp(magic, "BWCACHE\n", 8) == 0;
    if (stream != NULL)
        fclose(stream);
    return is_ours;
}

static void print_attributes(const BwFrameAttribute *attributes, int count)
{
    for (int n = 0; n < count; n++)
        printf("%s%s (%s)", n == 0 ? ": " : ", ", attributes[n].name, attributes[n].unit);
    printf("\n");
}

static void print_particles(const BwFrameParticles *set)
{
    printf("particles  %s, %lld of them", set->name, (long long)set->count);
    print_attributes(set->attributes, set->attribute_count);
}

static void print_columns(const BwFrameColumns *set)
{
    printf("columns    %s, %d x %d of %g m", set->name, set->count[0], set->count[1], (double)set->cell_size);
    print_attributes(set->attributes, set->attribute_count);
}

static void print_mesh(const BwFrameMesh *mesh)
{
    printf("mesh       %s, %d triangles of %d vertices", mesh->name, mesh->triangle_count,
           mesh->vertex_count);
    print_attributes(mesh->attributes, mesh->attribute_count);
}

static void print_sets(const BwFrame *frame)
{
    for (int n = 0; n < frame->particle_set_count; n++)
        print_particles(&frame->particles[n]);
    for (int n = 0; n < frame->column_set_count; n++)
        print_columns(&frame->columns[n]);
    for (int n = 0; n < frame->mesh_count; n++)
        print_mesh(&frame->meshes[n]);
}

BwResult tell_last_frame(const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BwFrameFile *file;
    int number;
    BW_TRY(run_newest_frame(folder, INT_MAX, &number, err));
    if (number < 0)
        return BW_OK;
    BW_TRY(run_frame_path(path, folder, number, err));
    if (bw_frame_load(&file, path, NULL, 0, NULL) == BW_OK)
        print_sets(bw_frame_file_view(file));
    bw_frame_file_destroy(file);
    return BW_OK;
}

// Sets of a record, each checked as a reader would.
static BwResult tell_sets(const BwRecord *record, BwError *err)
{
    static BwSetView view; // too much for the stack
    char name[BW_FRAME_NAME_SIZE];
    for (int n = 0; n < bw_record_count_sets(record, BW_SET_PARTICLES); n++) {
        BW_TRY(bw_record_name_set(record, BW_SET_PARTICLES, n, name, err));
        BW_TRY(bw_record_find_particles(record, name, &view, err));
        print_particles(&view.particles);
    }
    for (int n = 0; n < bw_record_count_sets(record, BW_SET_COLUMNS); n++) {
        BW_TRY(bw_record_name_set(record, BW_SET_COLUMNS, n, name, err));
        BW_TRY(bw_record_find_columns(record, name, &view, err));
        print_columns(&view.columns);
    }
    for (int n = 0; n < bw_record_count_sets(record, BW_SET_MESH); n++) {
        BW_TRY(bw_record_name_set(record, BW_SET_MESH, n, name, err));
        BW_TRY(bw_record_find_mesh(record, name, &view, err));
        print_mesh(&view.mesh);
    }
    return BW_OK;
}

// Arrays of as many numbers a row as a tile has cells.
static void print_fields(const BwRecord *record, double dimension)
{
    int64_t cells = dimension == 2.0 ? 64 : 512;
    bool is_first = true;
    for (int n = 0; n < record->count; n++) {
        const BwRecordArray *array = &record->arrays[n];
        if (array->columns != cells || array->type == BW_RECORD_INT32)
            continue;
        printf("%s%s", is_first ? "fields     " : ", ", array->name);
        is_first = false;
    }
    if (!is_first)
        printf("\n");
}

static BwResult tell_record(const BwRecord *record, BwError *err)
{
    double frame, time, dimension, cell;
    const void *tiles;
    int64_t tile_count = -1;
    BW_TRY(bw_record_find_number(record, "frame", &frame, err));
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    BW_TRY(bw_record_find_number(record, "dimension", &dimension, err));
    BW_TRY(bw_record_find_number(record, "cell", &cell, err));
    BW_TRY(bw_record_find(record, "tiles", BW_RECORD_INT32, &tile_count, 3, &tiles, err));
    printf("kind       %s\n", bw_record_has(record, "fluid") ? "checkpoint" : "frame");
    printf("frame      %g, at %g s\ndimension  %g\ncell       %g m\ntiles      %lld\n", frame, time,
           dimension, cell, (long long)tile_count);
    print_fields(record, dimension);
    return tell_sets(record, err);
}

static BwResult read_and_tell(BwRecord *record, const char *path, BwError *err)
{
    char *bytes;
    size_t size;
    BwError reason = {0};
    BW_TRY(bw_file_read(&record->allocator, path, SIZE_MAX - 1, &bytes, &size, err));
    BwResult result = bw_seal_check(bytes, size, path, err);
    if (result == BW_OK)
        result = bw_record_read(record, bytes, size, path, err);
    bw_free(&record->allocator, bytes, size + 1, BW_ALIGN);
    BW_TRY(result);
    result = tell_record(record, &reason);
    return result == BW_OK ? BW_OK : bw_fail(err, result, "%s: %s", path, reason.message);
}

int tell_cache_file(const char *path)
{
    BwError err = {0};
    BwRecord record = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    BwResult result = read_and_tell(&record, path, &err);
    bw_record_free(&record);
    return report(result, &err);
}
