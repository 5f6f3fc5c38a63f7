// A layer reads only cells known before it and writes only others, so that the order of tiles does not
// matter.
#include "operate/level_extend.h"

#include "base/extremes.h"
#include "domain/solid_faces.h"

#include <math.h>

typedef struct Job {
    BwField *phi;
    const BwMask *known;
    BwMask *front;
    const BwDomain *domain;
    const BwGrid *grid;
    bool may_wait; // for a layer more
} Job;

// What a known cell beside one says of its distance: as it goes on from the cell behind that, if it is known
// too.
static float carried_on(const Job *job, int32_t slot, int cell, int side)
{
    const BwGrid *grid = job->grid;
    int next = cell;
    int32_t beside = bw_cell_beside(grid, slot, &next, side);
    float own = bw_field_tile(job->phi, beside)[next];
    bool is_known = bw_bits_beside(grid, job->known, beside, side, next >> 6) >> (next & 63) & 1;
    if (!is_known || fabsf(own) > grid->cell_size)
        return own;
    float change = own - bw_value_beside(job->phi, beside, next, side);
    return own + bw_smaller(bw_larger(change, -grid->cell_size), grid->cell_size);
}

// Whether the face towards one of a cell's sides is open.
static bool side_is_open(const Job *job, int32_t slot, int cell, int side)
{
    const BwField *open = &job->domain->cut->open[side / 2];
    return (side % 2 == 0 ? bw_field_tile(open, slot)[cell] : bw_value_beside(open, slot, cell, side)) > 0.0f;
}

// The distance of a cell from what those beside it say that tell one: the mean of those that the way is open
// to, if there are any, for a wall may be wet on one side and dry on the other. Of those again the ones near
// the surface tell where it meets the wall: one far from it would move it there, and water beside a sloping
// wall would never come to rest. But it is no farther out than all of those are: deep in an edge between
// walls, where cells seem near the surface for want of room, there is no air.
static float mean_beside(const Job *job, int32_t slot, int cell, const uint64_t telling[6])
{
    float sum[4] = {0.0f}, h = job->grid->cell_size, most = -INFINITY;
    int count[4] = {0}, best = 3;
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        if (telling[side] >> (cell & 63) & 1) {
            float phi = carried_on(job, slot, cell, side);
            bool is_open = side_is_open(job, slot, cell, side), is_near = fabsf(phi) <= h;
            sum[2 * is_open + is_near] += phi;
            count[2 * is_open + is_near]++;
            most = bw_larger(most, bw_value_beside(job->phi, slot, cell, side));
        }
    while (count[best] == 0 && best > 0)
        best--;
    return bw_smaller(sum[best] / (float)count[best], most);
}

// Whether a cell waits for a layer more: those beside it that the way is open to tell nothing yet, and what
// is behind a wall may be another liquid, or none.
static bool must_wait(const Job *job, int32_t slot, int cell, const uint64_t telling[6])
{
    bool has_open = false;
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        bool is_open = side_is_open(job, slot, cell, side);
        if (is_open && telling[side] >> (cell & 63) & 1)
            return false;
        has_open |= is_open;
    }
    return has_open;
}

// Cells that tell nothing of their own, beside ones that do.
static void extend_layer(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->grid;
    uint64_t wanted = grid->tiles[slot].live[k] & ~bw_mask_tile(job->known, slot)[k], beside[6] = {0},
             reached = 0;
    for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++)
        reached |= beside[side] = bw_bits_beside(grid, job->known, slot, side, k);
    uint64_t *front = &bw_mask_tile(job->front, slot)[k];
    *front = wanted & reached;
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        if (job->may_wait && must_wait(job, slot, cell, beside))
            *front &= ~(bits & -bits);
        else
            bw_field_tile(job->phi, slot)[cell] = mean_beside(job, slot, cell, beside);
    }
}

static void extend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            extend_layer(job, job->grid->order[m], k);
}

void bw_level_extend(BwField *phi, BwMask *known, BwMask *front, const BwDomain *domain, int layers)
{
    for (int n = 0; n < layers && domain->cut != NULL; n++) {
        Job job = {phi, known, front, domain, domain->grid, domain->cut->closes_split && n + 1 < layers};
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, extend_range, &job);
        bw_mask_join(known, front);
    }
}
