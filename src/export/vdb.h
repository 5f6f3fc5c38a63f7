// The way into the C++ of vdb.cc. Compiles as C and as C++.
#pragma once

#include <billow/volume.h>
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

#ifdef __cplusplus
}
#endif
