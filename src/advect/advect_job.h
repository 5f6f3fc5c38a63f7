// What the files of advection share: the job, a worker's memory, what is noted about tiles, and the ends of
// paths.
#pragma once

#include "advect/advect.h"
#include "advect/redistribution.h"
#include "advect/tile_budget.h"

// One worker's memory.
typedef struct BwAdvectWorker {
    BwTracer tracer;
    BwInterpolationBlock block;
    BwSideFlow sides;
    bool knows_sides;                       // what passes the sides of the tile can be told
    BwClipped clipped;                      // paths of the tile, where it is near solids
    bool is_from_source[BW_TILE_CELLS_MAX]; // read a source cell, where the tile is near one
    float entered[BW_TILE_CELLS_MAX];       // share of a value that came from outside, where any did
    // Of the tile at work: what comes out, and its limits. In the fields themselves, where they may be, else
    // in the scratch.
    float *result, *low, *high;
    struct {
        float result[BW_TILE_CELLS_MAX], low[BW_TILE_CELLS_MAX], high[BW_TILE_CELLS_MAX];
    } scratch;
} BwAdvectWorker;

struct BwAdvector {
    BwGrid *grid;
    const BwSchemeTraits *scheme;
    BwPaths paths;
    BwField *lent_paths; // of the paths, those that are another's; or NULL
    // Of the batch at work: by schemes of two passes what the first gave; and the limits of what may come of
    // it. The lower one, of a set that does not keep totals, waits in the field that will hold the result.
    BwField advected[BW_ADVECT_FIELDS];
    BwField *low[BW_ADVECT_FIELDS], own_low[BW_ADVECT_FIELDS];
    BwField *high[BW_ADVECT_FIELDS], own_high[BW_ADVECT_FIELDS];
    BwNotes before, around, between; // see below
    BwNotes longest;                 // path back of a tile's cells along any axis, a float, in cells
    BwPathMarks marks;               // where solids are near
    BwTileBudget budget;             // of the set at work
    BwNotes parts;                   // a BwTileParts, of tiles that are noted as parted
    BwNotes walled;                  // not 0: a tile beside solids shares nothing with those around it
    BwRedistribution redistribution; // of the deficits of its tiles
    int worker_count;
    BwAdvectWorker *workers;
};

// A set, with those of its fields that are at work.
typedef struct BwAdvectBatch {
    const BwField *from[BW_ADVECT_FIELDS];
    BwField *to[BW_ADVECT_FIELDS];
    int count;
    const BwMask *valid, *sources;
    bool keeps_total;
    BwEntry entry;
    float air;
} BwAdvectBatch;

// What is noted about a tile before anything is advected. For each mask of samples whether it fills the tile,
// then whether it does so all around, which leaves blocks without weights; for each field at cells whether
// the tile holds anything but the background (that also of what was advected); whether its paths may meet
// solids, and such as move; whether sources hold any of its cells; and of a tile near solids, for each mask
// whether every sample of the tile and of all 26 around it exists.
enum {
    BW_NOTE_FILLS = 0,
    BW_NOTE_FULL = 8,
    BW_NOTE_HOLDS = 16,
    BW_NOTE_SOLIDS = 24,
    BW_NOTE_SOURCE = 25,
    BW_NOTE_MOVING = 26,
    BW_NOTE_PARTED = 27,
    BW_NOTE_WHOLE = 32,
};

enum { BW_ADVECT_MASKS = 3 + BW_ADVECT_SETS }; // of the faces, and of each set

// Sets at faces share the mask of those.
static inline int bw_mask_of_set(const BwDomain *domain, const BwAdvectBatch *sets, int s)
{
    for (int a = 0; a < domain->grid->dimension; a++)
        if (sets[s].valid == &domain->face[a])
            return a;
    return 3 + s;
}

static inline uint64_t bw_holds_bit(int s, int f)
{
    return (uint64_t)1 << (BW_NOTE_HOLDS + BW_ADVECT_FIELDS * s + f);
}

typedef struct BwAdvectJob {
    BwAdvector *advector;
    const BwDomain *domain;
    const BwVelocity *velocity;
    BwPathSolids solids;
    const BwNotes *wanted;              // how near tiles are to those that are wanted; NULL: all are
    BwAdvectBatch sets[BW_ADVECT_SETS]; // of each set the first batch, or the one at work
    int set_count;
    int s;         // the set at work
    int32_t first; // of the tiles at work, in the grid's order
    BwTraceOptions trace;
    BwSampleBox samples[BW_ADVECT_MASKS]; // .valid is NULL where there is no such mask
} BwAdvectJob;

static inline uint64_t bw_full_bit(int mask)
{
    return (uint64_t)1 << (BW_NOTE_FULL + mask);
}

static inline uint64_t bw_whole_bit(int mask)
{
    return (uint64_t)1 << (BW_NOTE_WHOLE + mask);
}

static inline bool bw_is_near_solids(const BwAdvectJob *job, int32_t slot)
{
    return *bw_note(&job->advector->around, slot) >> BW_NOTE_SOLIDS & 1;
}

// The parts that walls leave of a tile's cells; NULL where there is one only.
static inline const BwTileParts *bw_parts_of_tile(const BwAdvectJob *job, int32_t slot)
{
    bool is_parted = *bw_note(&job->advector->around, slot) >> BW_NOTE_PARTED & 1;
    return is_parted ? (const BwTileParts *)(void *)bw_note(&job->advector->parts, slot) : NULL;
}

// Whether neither a tile nor its neighbours have the bit: paths that start there start in the background.
bool bw_is_empty_around(const BwGrid *grid, const BwNotes *notes, uint64_t bit, int32_t slot);

static inline bool bw_is_near_source(const BwAdvectJob *job, int32_t slot)
{
    return job->sets[job->s].sources != NULL && !bw_is_empty_around(job->domain->grid, &job->advector->before,
                                                                    (uint64_t)1 << BW_NOTE_SOURCE, slot);
}

static inline BwStencil bw_stencil_of(const BwAdvectJob *job)
{
    return job->advector->scheme->stencil;
}

// Of the set at work.
static inline const BwSampleBox *bw_sample_box_of_set(const BwAdvectJob *job)
{
    return &job->samples[bw_mask_of_set(job->domain, job->sets, job->s)];
}

// Notes of tiles, each by itself, as a job.
BwRangeFn bw_note_range;

// Notes anew what the fields of the batch at work hold.
BwRangeFn bw_note_batch_range;

// The masks, as bits, that fill a tile and all its neighbours; once all are noted.
uint64_t bw_full_around(const BwAdvectJob *job, int32_t slot);

// The masks, as bits, that every sample of a tile and of all around it belongs to.
uint64_t bw_whole_around(const BwAdvectJob *job, int32_t slot);

// Paths to samples of the set at work, cut where they meet solids, and where their ends lie in a block.
void bw_find_ends(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField paths[3], int32_t slot);

// The paths back once more. Nothing is read at the ends of those that solids cut.
void bw_find_ends_again(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot);

// The block of a field of the set at work, as far as places need.
void bw_gather_set(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                   const BwBlockPoints *places);

// What a field is at the ends of the present paths, as worker->result; where asked, with the limits of what
// was around them.
void bw_sample_ends(BwAdvectWorker *worker, const BwAdvectJob *job, const BwField *field, int32_t slot,
                    const float *fallback, bool with_limits);

// The low corner of the samples around the end of a path, counted from the tile's first and rounded as
// bw_block_points_find does, and how far beyond it the end lies.
void bw_end_corner(const BwTracer *tracer, const BwGrid *grid, BwLocation location, int n, int corner[3],
                   float part[3]);

// A sample around the tile, counted from its first, where no block reaches; false where it does not exist.
// Beyond the bounds, the last one inside.
bool bw_fetch_far(const BwAdvectJob *job, const BwField *field, int32_t slot, const int sample[3],
                  float *value);

// What comes in from outside along the present paths (advect/advect_entry.c). Where the set was sampled:
// finds whether anything does, and as worker->entered how much of each value; what it brings; and that it has
// no limits.
bool bw_find_entered(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot);
void bw_let_air_enter(BwAdvectWorker *worker, const BwAdvectJob *job, float background);
void bw_drop_limits_of_entered(BwAdvectWorker *worker, int count);

// Limits about worker->result of the samples of a tile near solids whose paths are cut, back or ahead
// (advect/advect_limits.c). Those that sources hold get none, and none do near solids that move.
void bw_limit_cut(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot);

// Totals of the set at work (advect/advect_settle.c). Notes a tile's deficit of worker->result, or where
// nobody knows that, the other number; then settles the tiles of a slab, once all around are noted; then,
// over all tiles, what is left.
void bw_note_deficit(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot, double otherwise);
BwRangeFn bw_settle_range;
BwRangeFn bw_return_range;
