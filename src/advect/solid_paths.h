// Paths beside solids: clipped where they meet one, and told which samples around their ends lie on its other
// side (Fedkiw, Stam and Jensen 2001). Each path is followed in the solid's own moving frame, from where its
// sample is in the solid's pose at one end of the step to where the fluid was, or will be, in its pose at the
// other; so nothing gets through a plate, however thin it is and however fast it moves.
#pragma once

#include "advect/path_way.h"
#include "advect/rest_distance.h"
#include "advect/sight_memo.h"
#include "advect/trace.h"
#include "domain/places.h"

// What is found out about the paths of cells once a step, for all fields that are advected.
typedef struct BwPathMarks {
    BwMask near[4]; // the path back from this cell may have to do with a solid; that from its low faces along
                    // x, y, z
    BwMask met;     // the path ahead from this cell meets a solid, or starts deep in one
    BwMask cut;     // the path back of the field at work is cut
    BwNotes solids; // of a tile with such cells, the solids that any of its paths back may have to do with: a
                    // bit each, the last one for all from there on
    BwNotes thick; // a float, m: all of those are thick (solid/local_thickness.h) for paths shorter than that
    BwRestDistance rest;
} BwPathMarks;

// `keeps_distances`: from solids that rest.
BwResult bw_path_marks_create(BwPathMarks *marks, BwGrid *grid, bool keeps_distances, BwError *err);
void bw_path_marks_destroy(BwPathMarks *marks);

// The path of a cell past the solids that have to do with it.
typedef struct BwPassing {
    uint64_t set; // of solids that may have
    int count;    // of those that have: the path is not told to be clear of them
    bool is_cut;
    int solid; // the last one that has, and the way past it
    BwWayEnd from, to;
    float length;
} BwPassing;

// The paths of some cells of a tile past one solid, side by side, in its frame.
typedef struct BwWays {
    BwPlaces from, to;
    _Alignas(BW_ALIGN) float length[BW_PLACES_MAX]; // m
    int16_t cell[BW_PLACES_MAX];
    uint64_t deep[BW_TILE];             // a bit each of those that start too deep in the solid to count
    uint64_t entering[BW_PLACES_WORDS]; // of those that enter a box
} BwWays;

typedef struct BwClipped {
    uint8_t is_cut[BW_TILE_CELLS_MAX]; // the path was clipped, or some samples around its end are hidden
    uint8_t hidden[BW_TILE_CELLS_MAX]; // bit per corner, x first: a solid stands between
    BwSightMemo memo;                  // of the tile at work
    BwWays ways;
    BwPassing passing[BW_TILE_CELLS_MAX];
} BwClipped;

// Whether any path of the tile's samples, at most so many cells long, may come near a solid.
bool bw_solids_may_cut(BwPathSolids solids, const BwGrid *grid, int32_t slot, float cells);

// Marks the cells of such a tile, once the paths of it and of the tiles around are traced; and of any other.
void bw_paths_mark(const BwPathMarks *marks, const BwPaths *paths, BwTracer *tracer, BwWays *ways,
                   BwPathSolids solids, int32_t slot);
void bw_paths_mark_none(const BwPathMarks *marks, int32_t slot);

// Clips the paths back that end at tracer->at, and keeps which are cut.
void bw_clip_paths(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, BwPathSolids solids,
                   BwLocation location, int32_t slot);

// The same paths once more. Nothing more is taken from the end of one that is cut: it becomes its start.
void bw_clip_paths_again(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, int32_t slot);

// Cuts paths ahead: those of cells that meet solids, and of faces beside such cells. Their ends become their
// starts.
void bw_clip_paths_ahead(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, BwLocation location,
                         int32_t slot);
