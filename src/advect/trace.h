// Paths through a velocity: how far the fluid at each cell's centre has come in a step, and how far it will
// go on. Samples at faces take the mean of the two cells beside them, so that all fields share one trace; the
// error of that is of second order, as that of a velocity between its samples is.
#pragma once

#include "advect/interpolation.h"
#include "domain/domain.h"

typedef struct BwPaths {
    BwField *back;  // three: from the centre of a cell to where its fluid was before the step, in cells
    BwField *ahead; // and to where it will be after one; only for schemes of two passes, else NULL
    BwField own[6];
} BwPaths;

// `lent`: three fields of background 0 that nobody else uses while paths are; NULL: all memory is its own.
BwResult bw_paths_create(BwPaths *paths, BwGrid *grid, bool with_ahead, BwField *lent, BwError *err);
void bw_paths_destroy(BwPaths *paths);

typedef struct BwTraceOptions {
    float cells_per_speed; // dt / h
    bool is_third_order;   // Runge-Kutta of order 3, else 2
    BwSampleBox face[3];   // the velocity's
} BwTraceOptions;

// One worker's memory. Places count cells from the tile's first cell.
typedef struct BwTracer {
    BwInterpolationBlock velocity[3];
    BwBlockPoints places;
    float start[3][BW_TILE_CELLS_MAX];
    _Alignas(BW_ALIGN) float at[3][BW_TILE_CELLS_MAX];
    float speed[3][3][BW_TILE_CELLS_MAX]; // of each stage, m/s
    float low[3], high[3];                // the grid's bounds as the tile sees them
} BwTracer;

// Traces the paths of a tile's cells. `is_full` tells for each component whether blocks need no weights.
void bw_paths_trace(BwPaths *paths, BwTracer *tracer, const BwDomain *domain, const BwVelocity *velocity,
                    const bool is_full[3], int32_t slot, const BwTraceOptions *options);

// Positions of a tile's samples at a location, in tracer->start.
void bw_path_starts(BwTracer *tracer, const BwGrid *grid, BwLocation location);

// The ends of the paths of a tile's samples at a location, in tracer->at; those that leave the box end at its
// side. `paths` is one of back and ahead.
void bw_path_ends(BwTracer *tracer, const BwField paths[3], BwLocation location, int32_t slot);

// Whether the path of a sample ended on an open side of the box: its fluid came from outside.
bool bw_path_is_outside(const BwTracer *tracer, const BwDomain *domain, int sample);

// Whether that of any does, of paths whose places were found.
bool bw_path_meets_open_side(const BwTracer *tracer, const BwDomain *domain);
