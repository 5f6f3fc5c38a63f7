// Particles that live on a grid's tiles, as a structure of arrays: one column of four-byte numbers for each
// coordinate, velocity component and attribute. Invariant between steps: particles stand in the order of
// their tiles (the grid's order) and, within a tile, of their cells, so that a tile's particles are one range
// of every column. Places count in cells from the low corner of the tile: a splash a kilometre from the
// origin is as exact as one at it.
//
// A particle stands for a volume of liquid, 1 for as much as it was seeded with. All that it carries into the
// grid is weighted by that volume, so particles may be split and merged without changing volume or momentum.
// What else they carry goes with them: two colours in a cell stay two.
#pragma once

#include "base/pool.h"
#include "grid/field.h"
#include "grid/follow.h"
#include "scene/carried.h"

#include <math.h>

typedef enum BwParticleColumn {
    BW_PARTICLE_X, // cells, from the tile's low corner
    BW_PARTICLE_Y,
    BW_PARTICLE_Z,
    BW_PARTICLE_U, // m/s
    BW_PARTICLE_V,
    BW_PARTICLE_W,
    BW_PARTICLE_VOLUME, // 1, of what a particle is seeded with
    BW_PARTICLE_ID,     // int32_t, never given twice
    BW_PARTICLE_UX,     // m/s a cell: how u changes along x, along y, along z; then v and w
    BW_PARTICLE_UY,
    BW_PARTICLE_UZ,
    BW_PARTICLE_VX,
    BW_PARTICLE_VY,
    BW_PARTICLE_VZ,
    BW_PARTICLE_WX,
    BW_PARTICLE_WY,
    BW_PARTICLE_WZ,
    BW_PARTICLE_RED, // 1, from here on what the scene lets particles carry (scene/carried.h)
    BW_PARTICLE_GREEN,
    BW_PARTICLE_BLUE,
    BW_PARTICLE_TEMPERATURE, // K
    BW_PARTICLE_VISCOSITY,   // the logarithm of m^2/s, so that a mean is a geometric one
    BW_PARTICLE_BORN,        // s, when it came to be; a mean of those that were merged
    BW_PARTICLE_SOURCE,      // int32_t, what gave it
    BW_PARTICLE_EXX,         // 1, elastic strain (particle/strain.h)
    BW_PARTICLE_EYY,
    BW_PARTICLE_EZZ,
    BW_PARTICLE_EYZ,
    BW_PARTICLE_EXZ,
    BW_PARTICLE_EXY,
    BW_PARTICLE_COLUMNS
} BwParticleColumn;

// The largest place that is still in a tile, in cells.
#define BW_PARTICLE_LAST_PLACE 7.9999995f

// A tile's particles: begin <= n < end.
typedef struct BwParticleRange {
    int64_t begin, end;
} BwParticleRange;

typedef struct BwParticles {
    BwAllocator allocator;
    BwGrid *grid;
    BwPool *pool;
    int64_t count;
    int32_t next_id;
    bool has_gradient;                  // the columns from BW_PARTICLE_UX to WZ are there
    unsigned carried;                   // of BwCarried: which of those behind them are
    float *column[BW_PARTICLE_COLUMNS]; // NULL: not there, as those of z in 2-D
    BwNotes ranges;                     // two words a tile, see bw_particle_range

    // Scratch of the sort (particle/sort.c), and how many particles each array has room for.
    float *spare;
    int32_t *permutation, *list;
    uint16_t *cell;
    int64_t capacity[BW_PARTICLE_COLUMNS + 4];
    BwNotes moves;
    struct BwFarMove *far; // and, between steps, where particles that were added go
    int64_t far_count, far_capacity;
    int64_t *starts; // by place in the grid's order
    int64_t start_capacity;
} BwParticles;

// Words a tile of `moves`: how many of its particles go to each of the 27 tiles around, farther, nowhere, and
// into the core.
enum { BW_PARTICLE_MOVE_WORDS = 30 };

typedef struct BwParticlesDef {
    BwAllocator allocator;
    BwGrid *grid;
    BwPool *pool;
    bool has_gradient; // carries the velocity's gradient, for affine transfers
    unsigned carried;  // of BwCarried: what else it does
} BwParticlesDef;

BwResult bw_particles_create(BwParticles *particles, const BwParticlesDef *def, BwError *err);
void bw_particles_destroy(BwParticles *particles); // nothing to do for all zero

// Room for so many; contents stay.
BwResult bw_particles_reserve(BwParticles *particles, int64_t count, BwError *err);

// Whether a column is of whole numbers, which have no mean.
static inline bool bw_particle_is_whole(int column)
{
    return column == BW_PARTICLE_ID || column == BW_PARTICLE_SOURCE;
}

// Whether a column is there, and the identities, which are whole numbers.
static inline bool bw_particles_have(const BwParticles *particles, int column)
{
    static const unsigned carried[] = {BW_CARRIES_COLOR,       BW_CARRIES_COLOR,     BW_CARRIES_COLOR,
                                       BW_CARRIES_TEMPERATURE, BW_CARRIES_VISCOSITY, BW_CARRIES_AGE,
                                       BW_CARRIES_SOURCE};
    if (column >= BW_PARTICLE_EXX)
        return (particles->carried & BW_CARRIES_STRAIN) != 0 &&
               (particles->grid->dimension == 3 || column <= BW_PARTICLE_EYY || column == BW_PARTICLE_EXY);
    if (column >= BW_PARTICLE_RED)
        return (particles->carried & carried[column - BW_PARTICLE_RED]) != 0;
    int axis = column <= BW_PARTICLE_W ? column % 3 : (column - BW_PARTICLE_UX) % 3;
    int component = column < BW_PARTICLE_UX ? 0 : (column - BW_PARTICLE_UX) / 3;
    if (column == BW_PARTICLE_VOLUME || column == BW_PARTICLE_ID)
        return true;
    return axis < particles->grid->dimension && component < particles->grid->dimension &&
           (column < BW_PARTICLE_UX || particles->has_gradient);
}

static inline int32_t *bw_particle_ids(const BwParticles *particles)
{
    return (int32_t *)(void *)particles->column[BW_PARTICLE_ID];
}

static inline int32_t *bw_particle_sources(const BwParticles *particles)
{
    return (int32_t *)(void *)particles->column[BW_PARTICLE_SOURCE];
}

static inline BwParticleRange bw_particle_range(const BwParticles *particles, int32_t slot)
{
    const uint64_t *words = bw_note(&particles->ranges, slot);
    return (BwParticleRange){(int64_t)words[0], (int64_t)words[1]};
}

static inline void bw_particle_set_range(const BwParticles *particles, int32_t slot, BwParticleRange range)
{
    uint64_t *words = bw_note(&particles->ranges, slot);
    words[0] = (uint64_t)range.begin;
    words[1] = (uint64_t)range.end;
}

// The cell of its tile that a particle is in; places outside of the tile belong to the cell at its rim.
static inline int bw_particle_cell(const BwParticles *particles, int64_t n)
{
    int cell = 0;
    for (int a = 0; a < particles->grid->dimension; a++) {
        float at = particles->column[BW_PARTICLE_X + a][n];
        int i = at > 0.0f ? (int)at : 0;
        cell += (i < BW_TILE ? i : BW_TILE - 1) << (3 * a);
    }
    return cell;
}

// The same of a place in its tile.
static inline int bw_particle_cell_at(const BwGrid *grid, const float place[3])
{
    int cell = 0;
    for (int a = 0; a < grid->dimension; a++)
        cell += (int)place[a] << (3 * a);
    return cell;
}

// Where something is a part of the way through a cell of a tile, along an axis. A part just below 1 may round
// up to the next cell, but not to the next tile.
static inline float bw_particle_place(int cell, int axis, float part)
{
    return fminf((float)(cell >> (3 * axis) & 7) + part, BW_PARTICLE_LAST_PLACE);
}

// From a place counted from one tile to the tile that it is in, and the place there; gives 0 where that is
// not awake.
int32_t bw_particle_settle(const BwGrid *grid, int32_t slot, float place[3]);

// What a source gives its particles to carry.
typedef struct BwParticleLoad {
    float color[3];    // 0 to 1
    float temperature; // K
    float viscosity;   // m^2/s
    float born;        // s
    int32_t source;    // see scene/carried.h
} BwParticleLoad;

// Writes a fresh particle, of the volume that one is seeded with and without a gradient, to a place in the
// columns that there is room for; of the load, what they have columns for.
void bw_particle_write(BwParticles *particles, int64_t n, const float place[3], BwVec3 velocity, int32_t id,
                       const BwParticleLoad *load);

// Marks the cells that hold a particle.
void bw_particles_mark_cells(const BwParticles *particles, BwMask *cells);

// The cells of each tile that hold particles, for bw_follow_plan, in the grid's order.
void bw_particles_find_spans(const BwParticles *particles, BwTileSpan *spans);
