// The seal of a cache file: its first 512 bytes, which HDF5 leaves to us as a user block. It holds a magic
// word, the version of the layout, and length and checksum of all that follows, so that a file that was cut
// short, damaged or never ours is known before any library reads it.
#pragma once

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

enum { BW_SEAL_SIZE = 512, BW_CACHE_VERSION = 2 };

// Fills the first BW_SEAL_SIZE bytes of a file that is whole otherwise. `run_id` is that of the run it
// belongs to.
void bw_seal_write(char *file, size_t size, uint64_t run_id);

// Whether the file is whole, ours, and of a version that this build reads. `path` is for the message.
BwResult bw_seal_check(const char *file, size_t size, const char *path, BwError *err);

// Of a file whose seal is whole. The run is 0 in files of version 1.
uint32_t bw_seal_version(const char *file);
uint64_t bw_seal_run_id(const char *file);
