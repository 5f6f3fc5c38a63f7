// Grey pictures as heights.
#pragma once

#include "solid/mesh_read.h"

enum { BW_HEIGHTS_SIDE_MAX = 4096 };

typedef struct BwHeights {
    BwAllocator allocator;
    int columns, rows;
    float *values; // 0 for black to 1 for white, row after row from the top of the picture
} BwHeights;

// Room for a picture; fails when a side is not 2 to 4096 pixels long (one row is enough).
BwResult bw_heights_create(BwHeights *heights, const BwFileBytes *file, long long columns, long long rows,
                           BwError *err);
void bw_heights_free(BwHeights *heights);

// A grey PNG of up to 16 bits a pixel.
BwResult bw_heights_read_png(BwHeights *heights, const BwFileBytes *file, BwError *err);

// A picture as ground: a PNG, or a PGM, plain or raw. A pixel stands at each whole x and z, the picture's top
// left at the origin, its rows towards z; white is `height` up. Where `detail` is above 0 smooth patches go
// through the pixels, with noise of that mean height. The ground goes down as far below black as
// the picture is long. A picture of one row is the ground's profile, and goes as far to both sides of z = 0.
BwResult bw_mesh_read_heights(BwMesh *mesh, const BwFileBytes *file, float height, float detail,
                              BwError *err);
