// Checkpoints: a world's record as a sealed file.
#include "base/file.h"
#include "base/need.h"
#include "cache/record_file.h"
#include "cache/seal.h"
#include "world/world_record.h"
#include <billow/cache.h>

#include <pthread.h>

bool bw_checkpoint_is_built(void)
{
    return bw_record_file_is_built();
}

static BwResult write_image(const BwFileImage *image, const char *path, BwError *err)
{
    BwFileWriter writer;
    BwError reason = {0};
    BwResult result = bw_file_begin(&writer, &image->allocator, path, &reason);
    if (result == BW_OK) {
        // What is wrong with a write that falls short is learned by the commit.
        fwrite(image->bytes, 1, image->size, writer.stream);
        result = bw_file_commit(&writer, &reason);
    }
    if (result == BW_OK)
        return BW_OK;
    return bw_fail(err, result, "%s (a checkpoint of %zu bytes)", reason.message, image->size);
}

struct BwCheckpointWrite {
    BwFileImage image;
    uint64_t run_id;
    char *path;
    pthread_t thread;
    bool has_thread; // else the work was done at once, for there was none to be had
    BwResult result;
    BwError err;
};

static void *write_file(void *context)
{
    BwCheckpointWrite *write = context;
    bw_seal_write(write->image.bytes, write->image.size, write->run_id);
    write->result = write_image(&write->image, write->path, &write->err);
    return NULL;
}

static void free_write(BwCheckpointWrite *write)
{
    BwAllocator allocator = write->image.allocator;
    bw_file_image_free(&write->image);
    bw_text_free(&allocator, write->path);
    bw_free(&allocator, write, sizeof *write, BW_ALIGN);
}

static BwResult prepare(BwCheckpointWrite *write, const BwRecord *record, const char *path, bool compress,
                        BwError *err)
{
    write->path = bw_text_join(&record->allocator, path, "");
    if (write->path == NULL)
        return bw_fail_memory(err);
    return bw_record_write(record, BW_SEAL_SIZE, compress, &write->image, err);
}

BwResult bw_checkpoint_begin(BwCheckpointWrite **out, BwWorld *world, const char *path, bool compress,
                             BwError *err)
{
    BW_TRY(bw_need(out, "the place for the write", err));
    *out = NULL;
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(bw_need(path, "the path of the checkpoint", err));
    const BwRecord *record = bw_world_record(world, err);
    if (record == NULL)
        return BW_ERR_MEMORY;
    BwCheckpointWrite *write = bw_alloc_zeroed(&record->allocator, sizeof *write, BW_ALIGN);
    if (write == NULL)
        return bw_fail_memory(err);
    write->image.allocator = record->allocator;
    write->run_id = bw_world_run_id(world);
    BwResult result = prepare(write, record, path, compress, err);
    if (result != BW_OK) {
        free_write(write);
        return result;
    }
    write->has_thread = pthread_create(&write->thread, NULL, write_file, write) == 0;
    if (!write->has_thread)
        write_file(write);
    *out = write;
    return BW_OK;
}

BwResult bw_checkpoint_finish(BwCheckpointWrite *write, BwError *err)
{
    BW_TRY(bw_need(write, "the write of a checkpoint", err));
    if (write->has_thread)
        pthread_join(write->thread, NULL);
    BwResult result = write->result;
    if (result != BW_OK)
        bw_fail(err, result, "%s", write->err.message);
    free_write(write);
    return result;
}

BwResult bw_checkpoint_save(BwWorld *world, const char *path, bool compress, BwError *err)
{
    BwCheckpointWrite *write;
    BW_TRY(bw_checkpoint_begin(&write, world, path, compress, err));
    return bw_checkpoint_finish(write, err);
}

// The content of a file whose seal is whole.
static BwResult read_sealed(const BwAllocator *allocator, const char *path, char **bytes, size_t *size,
                            BwError *err)
{
    BW_TRY(bw_need(path, "the path of the checkpoint", err));
    BW_TRY(bw_file_read(allocator, path, SIZE_MAX - 1, bytes, size, err));
    BwResult result = bw_seal_check(*bytes, *size, path, err);
    if (result != BW_OK)
        bw_free(allocator, *bytes, *size + 1, BW_ALIGN);
    return result;
}

// A file of version 1 knows neither its run nor, at first, its scene.
static BwResult check_run(const BwWorld *world, const char *bytes, const char *path, BwError *err)
{
    uint64_t wanted = bw_world_run_id(world), found = bw_seal_run_id(bytes);
    if (wanted == 0 || wanted == found)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%s is of another run: of %016llx, not of %016llx", path,
                   (unsigned long long)found, (unsigned long long)wanted);
}

static BwResult read_record(BwRecord *record, const BwWorld *world, const char *path, BwError *err)
{
    char *bytes;
    size_t size;
    const void *identity;
    int64_t rows = 1;
    BwError reason = {0};
    BW_TRY(read_sealed(&record->allocator, path, &bytes, &size, err));
    BwResult result = check_run(world, bytes, path, err);
    if (result == BW_OK)
        result = bw_record_read(record, bytes, size, path, err);
    if (result == BW_OK && bw_seal_version(bytes) > 1) {
        result = bw_record_find(record, "scene", BW_RECORD_INT32, &rows, 2, &identity, &reason);
        if (result != BW_OK)
            bw_fail(err, result, "%s: %s", path, reason.message);
    }
    bw_free(&record->allocator, bytes, size + 1, BW_ALIGN);
    return result;
}

static BwResult load(BwWorld *world, const char *path, bool of_any_scene, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    const BwAllocator *allocator = bw_world_allocator(world);
    BwRecord record = {.allocator = *allocator};
    BwError reason = {0};
    BwResult result = read_record(&record, world, path, err);
    if (result == BW_OK) {
        result = bw_world_restore(world, &record, of_any_scene, &reason);
        if (result != BW_OK)
            bw_fail(err, result, "%s: %s", path, reason.message);
    }
    bw_record_free(&record);
    return result;
}

BwResult bw_checkpoint_load(BwWorld *world, const char *path, BwError *err)
{
    return load(world, path, false, err);
}

BwResult bw_checkpoint_adopt(BwWorld *world, const char *path, BwError *err)
{
    return load(world, path, true, err);
}

BwResult bw_checkpoint_check(const char *path, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *bytes;
    size_t size;
    BW_TRY(read_sealed(&allocator, path, &bytes, &size, err));
    bw_free(&allocator, bytes, size + 1, BW_ALIGN);
    return BW_OK;
}

BwResult bw_checkpoint_size(BwWorld *world, uint64_t *bytes, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(bw_need(bytes, "the place for the bytes", err));
    const BwRecord *record = bw_world_record(world, err);
    if (record == NULL)
        return BW_ERR_MEMORY;
    *bytes = bw_record_bytes(record) + (16 << 10);
    return BW_OK;
}
