// Whether a frame is one that can be read: those of a world always are, one that a caller put together may
// not be.
#pragma once

#include <billow/frame.h>

// Of the names of particles, columns, meshes and their attributes, and of units in files, with the zero byte
// at the end.
enum { BW_FRAME_NAME_SIZE = 32, BW_UNIT_SIZE = 16 };

bool bw_frame_is_name(const char *name);
bool bw_frame_is_unit(const char *unit);

// The order of tiles in a frame: by z, then y, then x.
bool bw_tile_is_before(BwTileCoord a, BwTileCoord b);

// In tiles of that order: the first that is not before a tile; `count` when all are.
int32_t bw_tiles_first_from(const BwTileCoord *tiles, int32_t count, BwTileCoord tile);

// The index of a tile, or -1.
int32_t bw_tiles_find(const BwTileCoord *tiles, int32_t count, BwTileCoord tile);
BwResult bw_tiles_check(const BwTileCoord *tiles, int64_t count, BwError *err);

BwResult bw_frame_check(const BwFrame *frame, BwError *err);

// Only what readers of fields count on, in a time that does not grow with the frame.
BwResult bw_frame_check_fields(const BwFrame *frame, BwError *err);

// One part of a frame by itself.
BwResult bw_particles_check(const BwFrameParticles *set, BwError *err);
BwResult bw_columns_check(const BwFrameColumns *set, BwError *err);
BwResult bw_mesh_check(const BwFrameMesh *mesh, BwError *err);
