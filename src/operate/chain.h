// The surface of a flat liquid as chains of particles (Foster and Metaxas 1996, Realistic Animation of
// Liquids, section 4.2): closed, each particle linked to the next, the liquid to the left. Chains move with
// the flow; particles are put in and taken out so that their distance stays even, and chains that come too
// close are joined, or one that meets itself is cut in two.
//
// What a chain encloses goes on into solids and behind walls: there it means nothing, and only what is
// outside of them counts as liquid. So no particle has to follow a wall, and what touches one has no surface
// between.
#pragma once

#include "domain/domain.h"
#include "grid/polygon_cover.h"

typedef struct BwChainPoint {
    double place[2]; // m
    double lack;     // m^2, that the liquid around has lost by moving and is to get back
} BwChainPoint;

// What a cell is.
typedef enum BwChainCell {
    BW_CHAIN_UNKNOWN,
    BW_CHAIN_SHUT, // no room: solid, or outside
    BW_CHAIN_EMPTY,
    BW_CHAIN_SURFACE, // a chain passes it
    BW_CHAIN_FULL,
} BwChainCell;

enum { BW_CHAIN_NONE = -1, BW_CHAIN_SEVERAL = -2 };

typedef struct BwChains {
    BwAllocator allocator;
    const BwGrid *grid;
    int32_t low[2], count[2]; // cells that chains are looked at in: those of the bounds
    BwChainPoint *points;     // chain after chain
    int64_t point_count;
    int64_t *starts; // of each chain in `points`, and the end of the last
    int64_t chain_count;

    // Of each cell, x fastest.
    double *share;    // of it that is liquid, solids or not
    float *open;      // of it that is room for liquid
    float *distance;  // m, signed, to the nearest link, up to the band that was asked for
    int32_t *nearest; // the point that link begins at; -1: none is near
    int32_t *winding; // of chains around its centre
    uint8_t *kind;    // BwChainCell
    int32_t *owner;   // the chain that passes it; BW_CHAIN_NONE, BW_CHAIN_SEVERAL
    uint8_t *held;    // 1: Surface or Full, and of liquid that something holds up against gravity
    int32_t *stack;   // scratch
    int64_t cells;

    // Scratch of points.
    BwChainPoint *other;
    int64_t *next, *previous, *body, *other_starts;
    int32_t *bins, *binned;
    double *volumes;
    int64_t point_capacity, other_capacity, start_capacity, other_start_capacity, next_capacity,
        previous_capacity, body_capacity, bin_capacity, binned_capacity, volume_capacity;
} BwChains;

BwResult bw_chains_create(BwChains *chains, const BwAllocator *allocator, const BwGrid *grid, BwError *err);
void bw_chains_destroy(BwChains *chains);

// m: particles farther apart get one in between; nearer ones become one; and chains that come so near to
// each other are joined.
double bw_chain_link_max(const BwChains *chains);
double bw_chain_link_min(const BwChains *chains);
double bw_chain_join_distance(const BwChains *chains);

// Room for so many particles and chains; what is there is kept.
BwResult bw_chains_reserve(BwChains *chains, int64_t points, int64_t count, BwError *err);

// Makes chains of the links in `next`; a particle with a link below 0 is gone. And takes over as many of the
// particles in `other`.
BwResult bw_chains_collect(BwChains *chains, BwError *err);
void bw_chains_take_other(BwChains *chains, int64_t count);

// Chains around what shapes fill together.
BwResult bw_chains_trace(BwChains *chains, const BwShape *const *shapes, int count, BwError *err);

// Puts particles in and takes them out.
BwResult bw_chains_space(BwChains *chains, BwError *err);

// Takes away what is as short as two links.
BwResult bw_chains_smooth(BwChains *chains, BwError *err);

// Joins what has come close, and drops what is left too small to matter.
BwResult bw_chains_join(BwChains *chains, BwError *err);

// Takes over what cells have room for: `share` is what solids leave of them; NULL: they are whole cells.
void bw_chains_find_room(BwChains *chains, const BwDomain *domain, const BwField *share);

// Moves along a velocity for a time: by the one half way.
void bw_chains_move(BwChains *chains, const BwVelocity *velocity, double dt, BwPool *pool);

// Lets chains that have come close to walls and solids touch them.
void bw_chains_touch(BwChains *chains);

// m^2, of liquid, of all chains; of one.
double bw_chains_area(BwChains *chains);
double bw_chain_area(BwChains *chains, int64_t n);

// m^2, within one chain, solids or not; below 0: it is a hole.
double bw_chain_signed_area(const BwChains *chains, int64_t n);

// Notes what the liquid has lost since its areas were last looked at: bw_chains_remember before it moves.
BwResult bw_chains_remember(BwChains *chains, BwError *err);
void bw_chains_note_loss(BwChains *chains);

// What all particles together lack becomes this, m^2: the difference is spread over them.
void bw_chains_spread(BwChains *chains, double lack);

// Gives a share of what is lacking back, by a move along the normal.
BwResult bw_chains_give_back(BwChains *chains, double share, BwError *err);

// Distances to the chains, m, up to the band, and how many are around, for all cells.
void bw_chains_find_distance(BwChains *chains, double band);

// What cells are, once distances are found: those that a chain passes are Surface cells, and from there on
// regions grow until they meet a chain or something solid, Empty or Full.
void bw_chains_grow(BwChains *chains);

// What of the liquid something solid holds up against gravity.
void bw_chains_hold(BwChains *chains, BwVec3 gravity);

// The same as fields: phi; liquid where a cell is Surface or Full, or, where are_crossed is not set, where
// its centre is inside; and gaps between two chains: cells that one passes, whose centre is in the air, and
// that another passes too, or a cell beside.
typedef struct BwChainLabels {
    BwField *phi;
    BwMask *liquid, *gaps;
    bool are_crossed;
} BwChainLabels;
void bw_chains_label(const BwChains *chains, const BwChainLabels *labels, BwPool *pool);

// What the liquid above the centre of a Surface cell adds to its pressure over density, m^2/s^2; below 0
// where the surface is below.
void bw_chains_find_head(const BwChains *chains, BwVec3 gravity, BwField *head, BwPool *pool);

// m/s, at a place.
void bw_chain_velocity(const BwChains *chains, const BwVelocity *velocity, const double place[2],
                       double value[2]);

// The next particle of a chain, and the one before.
static inline int64_t bw_chain_next(const BwChains *chains, int64_t chain, int64_t n)
{
    return n + 1 < chains->starts[chain + 1] ? n + 1 : chains->starts[chain];
}

static inline int64_t bw_chain_previous(const BwChains *chains, int64_t chain, int64_t n)
{
    return n > chains->starts[chain] ? n - 1 : chains->starts[chain + 1] - 1;
}

// The neighbours of a cell that are not outside of the bounds; gives how many.
int bw_chain_cells_beside(const BwChains *chains, int64_t cell, int64_t beside[4]);

// Out of the liquid, of length 1, at a particle.
void bw_chain_normal(const BwChains *chains, int64_t chain, int64_t n, double normal[2]);

// The cell that a place is in; false: it is outside of the bounds.
static inline bool bw_chain_cell(const BwChains *chains, const double place[2], int64_t *cell)
{
    double h = (double)chains->grid->cell_size, at[2];
    for (int a = 0; a < 2; a++) {
        at[a] = __builtin_floor(place[a] / h) - chains->low[a];
        if (!(at[a] >= 0.0 && at[a] < chains->count[a]))
            return false;
    }
    *cell = (int64_t)at[1] * chains->count[0] + (int64_t)at[0];
    return true;
}
