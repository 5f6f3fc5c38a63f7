// What an OpenVDB file holds: the names and kinds of its grids. No values are read. Compiles as C and as C++.
#pragma once

#include <billow/base.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A grid of a file, as its metadata tells; texts are cut to fit.
typedef struct BwVdbGrid {
    char name[64], type[32], unit[32]; // "density", "float", "1"; the unit may be ""
    int64_t voxels;                    // that are active; below 0: the file does not tell
} BwVdbGrid;

// The grids of a file: up to `grids_max` of them, and how many there are. Takes no more time than the file
// has bytes and no memory, whatever they are.
BwResult bw_vdb_list(const char *path, BwVdbGrid *grids, int grids_max, int *count, BwError *err);

#ifdef __cplusplus
}
#endif
