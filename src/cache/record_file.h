// Records as HDF5 files in memory: each array a dataset of the root group. HDF5 never touches the disk, so a
// full disk or a vanished folder is met by our own code alone.
#pragma once

#include "base/record.h"

typedef struct BwFileImage {
    BwAllocator allocator;
    char *bytes;
    size_t size, capacity;
} BwFileImage;

void bw_file_image_free(BwFileImage *image);

// The image begins with `room` bytes left to the caller (0, or a power of two from 512 on).
BwResult bw_record_write(const BwRecord *record, size_t room, bool compress, BwFileImage *image,
                         BwError *err);

// Reads what bw_record_write made. `path` is for messages.
BwResult bw_record_read(BwRecord *record, const char *bytes, size_t size, const char *path, BwError *err);

bool bw_record_file_is_built(void);
