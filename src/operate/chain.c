// Life of chains, and what is measured on them.
#include "operate/chain.h"

#include <math.h>
#include <string.h>

// Of a cell.
static const double link_max = 0.35, link_min = 0.1, join_distance = 0.25;

double bw_chain_link_max(const BwChains *chains)
{
    return link_max * (double)chains->grid->cell_size;
}

double bw_chain_link_min(const BwChains *chains)
{
    return link_min * (double)chains->grid->cell_size;
}

double bw_chain_join_distance(const BwChains *chains)
{
    return join_distance * (double)chains->grid->cell_size;
}

typedef struct CellList {
    void **list;
    size_t size;
} CellList;

enum { CELL_LISTS = 9 };

static void list_cells(BwChains *chains, CellList lists[CELL_LISTS])
{
    const CellList all[CELL_LISTS] = {{(void **)&chains->share, sizeof *chains->share},
                                      {(void **)&chains->open, sizeof *chains->open},
                                      {(void **)&chains->distance, sizeof *chains->distance},
                                      {(void **)&chains->nearest, sizeof *chains->nearest},
                                      {(void **)&chains->winding, sizeof *chains->winding},
                                      {(void **)&chains->kind, sizeof *chains->kind},
                                      {(void **)&chains->owner, sizeof *chains->owner},
                                      {(void **)&chains->held, sizeof *chains->held},
                                      {(void **)&chains->stack, sizeof *chains->stack}};
    memcpy(lists, all, sizeof all);
}

BwResult bw_chains_create(BwChains *chains, const BwAllocator *allocator, const BwGrid *grid, BwError *err)
{
    CellList lists[CELL_LISTS];
    *chains = (BwChains){.allocator = *allocator, .grid = grid, .cells = 1};
    for (int a = 0; a < 2; a++) {
        chains->low[a] = grid->bounds.low[a];
        chains->count[a] = grid->bounds.high[a] - grid->bounds.low[a];
        chains->cells *= chains->count[a];
    }
    list_cells(chains, lists);
    for (int n = 0; n < CELL_LISTS; n++) {
        *lists[n].list = bw_alloc_zeroed(allocator, (size_t)chains->cells * lists[n].size, BW_ALIGN);
        if (*lists[n].list == NULL)
            return bw_fail_memory(err);
    }
    return bw_chains_reserve(chains, 0, 0, err);
}

void bw_chains_destroy(BwChains *chains)
{
    CellList lists[CELL_LISTS];
    const BwAllocator *allocator = &chains->allocator;
    if (chains->grid == NULL)
        return;
    list_cells(chains, lists);
    for (int n = 0; n < CELL_LISTS; n++)
        bw_free(allocator, *lists[n].list, (size_t)chains->cells * lists[n].size, BW_ALIGN);
#define FREE(list, capacity) bw_free(allocator, list, (size_t)(capacity) * sizeof *(list), BW_ALIGN)
    FREE(chains->points, chains->point_capacity);
    FREE(chains->other, chains->other_capacity);
    FREE(chains->starts, chains->start_capacity);
    FREE(chains->other_starts, chains->other_start_capacity);
    FREE(chains->next, chains->next_capacity);
    FREE(chains->previous, chains->previous_capacity);
    FREE(chains->body, chains->body_capacity);
    FREE(chains->bins, chains->bin_capacity);
    FREE(chains->binned, chains->binned_capacity);
    FREE(chains->volumes, chains->volume_capacity);
#undef FREE
    *chains = (BwChains){0};
}

BwResult bw_chains_reserve(BwChains *chains, int64_t points, int64_t count, BwError *err)
{
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->points, &chains->point_capacity, points + 1,
                      sizeof *chains->points, err));
    bool is_first = chains->starts == NULL;
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->starts, &chains->start_capacity, count + 1,
                      sizeof *chains->starts, err));
    if (is_first)
        chains->starts[0] = 0;
    return BW_OK;
}

void bw_chain_normal(const BwChains *chains, int64_t chain, int64_t n, double normal[2])
{
    const double *before = chains->points[bw_chain_previous(chains, chain, n)].place,
                 *after = chains->points[bw_chain_next(chains, chain, n)].place;
    double along[2] = {after[0] - before[0], after[1] - before[1]}, length = hypot(along[0], along[1]);
    normal[0] = length > 0.0 ? along[1] / length : 0.0;
    normal[1] = length > 0.0 ? -along[0] / length : 0.0;
}

double bw_chain_signed_area(const BwChains *chains, int64_t n)
{
    double sum = 0.0;
    for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
        const double *a = chains->points[p].place, *b = chains->points[bw_chain_next(chains, n, p)].place;
        sum += 0.5 * (a[0] * b[1] - b[0] * a[1]);
    }
    return sum;
}

static BwPolygonCover cover_of(const BwChains *chains, double *share)
{
    double h = (double)chains->grid->cell_size;
    return (BwPolygonCover){.low = {chains->low[0] * h, chains->low[1] * h},
                            .side = h,
                            .count = {chains->count[0], chains->count[1]},
                            .share = share};
}

static void add_chain(const BwChains *chains, int64_t n, BwPolygonCover *cover, BwEdgeFn *pass, void *context)
{
    for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++)
        bw_cover_add_edge(cover, chains->points[p].place, chains->points[bw_chain_next(chains, n, p)].place,
                          pass, context);
}

// m^2, of the room that the shares cover.
static double open_area(const BwChains *chains)
{
    double sum = 0.0, h = (double)chains->grid->cell_size;
    for (int64_t n = 0; n < chains->cells; n++)
        sum += chains->share[n] * (double)chains->open[n];
    return sum * h * h;
}

double bw_chain_area(BwChains *chains, int64_t n)
{
    BwPolygonCover cover = cover_of(chains, chains->share);
    memset(chains->share, 0, (size_t)chains->cells * sizeof *chains->share);
    add_chain(chains, n, &cover, NULL, NULL);
    bw_cover_finish(&cover);
    return open_area(chains);
}

// A chain on its way through cells.
typedef struct Passing {
    BwChains *chains;
    int32_t number;
} Passing;

// By more than a touch.
static void mark_passed(void *context, int32_t i, int32_t j, double length)
{
    const Passing *passing = context;
    BwChains *chains = passing->chains;
    int64_t cell = (int64_t)j * chains->count[0] + i;
    if (!(length > 1e-6) || chains->kind[cell] == BW_CHAIN_SHUT)
        return;
    bool is_other = chains->kind[cell] == BW_CHAIN_SURFACE && chains->owner[cell] != passing->number;
    chains->owner[cell] = is_other ? BW_CHAIN_SEVERAL : passing->number;
    chains->kind[cell] = BW_CHAIN_SURFACE;
}

static void cover_all(BwChains *chains, BwEdgeFn *pass)
{
    BwPolygonCover cover = cover_of(chains, chains->share);
    memset(chains->share, 0, (size_t)chains->cells * sizeof *chains->share);
    for (int64_t n = 0; n < chains->chain_count; n++) {
        Passing passing = {chains, (int32_t)n};
        add_chain(chains, n, &cover, pass, &passing);
    }
    bw_cover_finish(&cover);
}

double bw_chains_area(BwChains *chains)
{
    cover_all(chains, NULL);
    return open_area(chains);
}

int bw_chain_cells_beside(const BwChains *chains, int64_t cell, int64_t beside[4])
{
    int64_t columns = chains->count[0], i = cell % columns, j = cell / columns;
    int count = 0;
    if (i > 0)
        beside[count++] = cell - 1;
    if (i + 1 < columns)
        beside[count++] = cell + 1;
    if (j > 0)
        beside[count++] = cell - columns;
    if (j + 1 < chains->count[1])
        beside[count++] = cell + columns;
    return count;
}

// All that is not known around a cell becomes what it is.
static void grow_region(BwChains *chains, int64_t seed, BwChainCell kind)
{
    int64_t count = 0;
    chains->kind[seed] = (uint8_t)kind;
    chains->stack[count++] = (int32_t)seed;
    while (count > 0) {
        int64_t beside[4];
        int found = bw_chain_cells_beside(chains, chains->stack[--count], beside);
        for (int n = 0; n < found; n++)
            if (chains->kind[beside[n]] == BW_CHAIN_UNKNOWN) {
                chains->kind[beside[n]] = (uint8_t)kind;
                chains->stack[count++] = (int32_t)beside[n];
            }
    }
}

static bool is_wet(const BwChains *chains, int64_t cell)
{
    return chains->kind[cell] == BW_CHAIN_SURFACE || chains->kind[cell] == BW_CHAIN_FULL;
}

// Whether something solid is below a cell, as gravity pulls.
static bool rests(const BwChains *chains, int64_t cell, BwVec3 gravity)
{
    int64_t columns = chains->count[0], at[2] = {cell % columns, cell / columns};
    int axis = fabsf(gravity.x) > fabsf(gravity.y) ? 0 : 1;
    at[axis] += bw_component(gravity, axis) > 0.0f ? 1 : -1;
    if (at[axis] < 0 || at[axis] >= chains->count[axis])
        return true;
    return chains->kind[at[1] * columns + at[0]] == BW_CHAIN_SHUT;
}

// All liquid that hangs together with some that rests is held.
void bw_chains_hold(BwChains *chains, BwVec3 gravity)
{
    memset(chains->held, 0, (size_t)chains->cells);
    for (int64_t seed = 0; seed < chains->cells; seed++) {
        int64_t count = 0;
        if (chains->held[seed] || !is_wet(chains, seed) || !rests(chains, seed, gravity))
            continue;
        chains->held[seed] = 1;
        chains->stack[count++] = (int32_t)seed;
        while (count > 0) {
            int64_t beside[4];
            int found = bw_chain_cells_beside(chains, chains->stack[--count], beside);
            for (int n = 0; n < found; n++)
                if (!chains->held[beside[n]] && is_wet(chains, beside[n])) {
                    chains->held[beside[n]] = 1;
                    chains->stack[count++] = (int32_t)beside[n];
                }
        }
    }
}

void bw_chains_grow(BwChains *chains)
{
    for (int64_t n = 0; n < chains->cells; n++) {
        chains->kind[n] = chains->open[n] > 0.0f ? BW_CHAIN_UNKNOWN : BW_CHAIN_SHUT;
        chains->owner[n] = BW_CHAIN_NONE;
    }
    cover_all(chains, mark_passed);
    for (int64_t n = 0; n < chains->cells; n++)
        if (chains->kind[n] == BW_CHAIN_UNKNOWN)
            grow_region(chains, n, chains->winding[n] > 0 ? BW_CHAIN_FULL : BW_CHAIN_EMPTY);
}
