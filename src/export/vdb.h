// The way into the C++ of vdb.cc and vdb_list.cc. Compiles as C and as C++.
#pragma once

#include <billow/volume.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BW_VDB_TROUBLE_SIZE 512

typedef struct BwPool BwPool;

// Writes the frame to a stream that can seek. Lets no exception out: on failure the code tells the kind, and
// `trouble` the reason.
BwResult bw_vdb_write(const BwFrame *frame, const BwVolumeDef *def, BwPool *pool, FILE *stream,
                      char trouble[BW_VDB_TROUBLE_SIZE]);

// A grid of a file, as its metadata tells; texts are cut to fit.
typedef struct BwVdbGrid {
    char name[64], type[32], unit[32]; // "density", "float", "1"; the unit may be ""
    int64_t voxels;                    // that are active; below 0: the file does not tell
} BwVdbGrid;

// Fills in up to `grids_max` grids of a file, and how many it has. No values are read. Fails as bw_vdb_write
// does.
BwResult bw_vdb_list(const char *path, BwVdbGrid *grids, int grids_max, int *count,
                     char trouble[BW_VDB_TROUBLE_SIZE]);

#ifdef __cplusplus
}
#endif
