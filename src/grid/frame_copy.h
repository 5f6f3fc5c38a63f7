// Frames from grids: tiles in sorted order, values tile after tile, in memory kept from frame to frame.
#pragma once

#include "base/pool.h"
#include "base/record.h"
#include "grid/field.h"

#define BW_FRAME_FIELDS_MAX 20

// What a field is called in a frame.
typedef struct BwFrameSource {
    const char *name, *unit;
    const BwField *field; // or
    const BwMask *mask;   // 1 where set
    bool is_detail;       // pictures do not show it
} BwFrameSource;

typedef struct BwFrameCopy {
    BwTileCoord *tiles;
    int64_t tile_capacity;
    uint64_t (*live)[8];
    int64_t live_capacity;
    float *values[BW_FRAME_FIELDS_MAX];
    int64_t value_capacity[BW_FRAME_FIELDS_MAX];
    BwFrameField fields[BW_FRAME_FIELDS_MAX];
} BwFrameCopy;

// Fills the frame's tiles and fields from the grid. A field that `kept` holds under its name, in the form
// that bw_field_save gives it, is shown from there and not copied; NULL: all are copied.
BwResult bw_frame_copy(BwFrameCopy *copy, BwFrame *frame, const BwGrid *grid, BwPool *pool,
                       const BwRecord *kept, const BwFrameSource *sources, int count, BwError *err);
void bw_frame_copy_free(BwFrameCopy *copy, const BwAllocator *allocator);
