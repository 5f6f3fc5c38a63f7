// Checkpoints: a world's record as a sealed file.
#include "base/file.h"
#include "cache/record_file.h"
#include "cache/seal.h"
#include "world/world_record.h"
#include <billow/cache.h>

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

BwResult bw_checkpoint_save(BwWorld *world, const char *path, bool compress, BwError *err)
{
    BwFileImage image;
    const BwRecord *record = bw_world_record(world, err);
    if (record == NULL)
        return BW_ERR_MEMORY;
    BW_TRY(bw_record_write(record, BW_SEAL_SIZE, compress, &image, err));
    bw_seal_write(image.bytes, image.size);
    BwResult result = write_image(&image, path, err);
    bw_file_image_free(&image);
    return result;
}

// The content of a file whose seal is whole.
static BwResult read_sealed(const BwAllocator *allocator, const char *path, char **bytes, size_t *size,
                            BwError *err)
{
    BW_TRY(bw_file_read(allocator, path, SIZE_MAX - 1, bytes, size, err));
    BwResult result = bw_seal_check(*bytes, *size, path, err);
    if (result != BW_OK)
        bw_free(allocator, *bytes, *size + 1, BW_ALIGN);
    return result;
}

BwResult bw_checkpoint_load(BwWorld *world, const char *path, BwError *err)
{
    const BwAllocator *allocator = bw_world_allocator(world);
    BwRecord record = {.allocator = *allocator};
    BwError reason = {0};
    char *bytes;
    size_t size;
    BW_TRY(read_sealed(allocator, path, &bytes, &size, err));
    BwResult result = bw_record_read(&record, bytes, size, path, err);
    bw_free(allocator, bytes, size + 1, BW_ALIGN);
    if (result == BW_OK) {
        result = bw_world_restore(world, &record, &reason);
        if (result != BW_OK)
            bw_fail(err, result, "%s: %s", path, reason.message);
    }
    bw_record_free(&record);
    return result;
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
    const BwRecord *record = bw_world_record(world, err);
    if (record == NULL)
        return BW_ERR_MEMORY;
    *bytes = bw_record_bytes(record) + (16 << 10);
    return BW_OK;
}
