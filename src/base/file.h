// Whole files or none: output is written beside its final name, flushed to the disk, and renamed when it is
// complete. A full disk, a kill or a power cut leaves the old file or no file, never half of one.
#pragma once

#include "base/memory.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct BwFileWriter {
    FILE *stream;    // write here; NULL when not open
    char *path;      // where it will be
    char *temporary; // where it grows: path + ".part"
    BwAllocator allocator;
} BwFileWriter;

BwResult bw_file_begin(BwFileWriter *writer, const BwAllocator *allocator, const char *path, BwError *err);

// Flushes, renames and closes. On failure the temporary is removed and an older file of that name is
// untouched.
BwResult bw_file_commit(BwFileWriter *writer, BwError *err);

// Gives up: closes and removes the temporary. Does nothing after a commit.
void bw_file_abandon(BwFileWriter *writer);

// For libraries that write by name: move a finished file of theirs to its final name, flushed.
BwResult bw_file_publish(const char *temporary, const char *path, BwError *err);

// The whole file; the caller frees `size` + 1 bytes aligned to BW_ALIGN. A zero byte follows the content.
// Refuses more than `size_max`.
BwResult bw_file_read(const BwAllocator *allocator, const char *path, size_t size_max, char **content,
                      size_t *size, BwError *err);

bool bw_file_exists(const char *path);

// Makes a folder and those above it; one that is there already is fine.
BwResult bw_folder_make(const char *path, BwError *err);
