// Limits of samples whose paths solids cut, from the cells around them: the range of what was in the cell and
// across its open faces, and of what was advected. Faces that a solid closes, however thin it is, let
// nothing in; but faces are those of the start of the step. Near a solid that has moved since, and one that
// takes whole cells and so closes no face by being thin, only paths tell what can get to a cell.
#include "advect/advect_job.h"

#include "base/extremes.h"
#include <math.h>

// Cells of a layer that something may come into from across a side.
static uint64_t reached_across(const BwAdvectJob *job, int32_t slot, int side, int k)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = &job->domain->flow[side / 2];
    uint64_t faces = side % 2 == 0 ? bw_mask_tile(flow, slot)[k] : bw_bits_beside(grid, flow, slot, side, k);
    return faces & bw_bits_beside(grid, job->sets[job->s].valid, slot, side, k);
}

static void limit_cells(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot, int k,
                        uint64_t cells)
{
    const BwField *from = job->sets[job->s].from[f];
    int sides = 2 * job->domain->grid->dimension;
    uint64_t across[6] = {0};
    for (int side = 0; side < sides && cells != 0; side++)
        across[side] = reached_across(job, slot, side, k);
    for (; cells != 0; cells &= cells - 1) {
        int bit = __builtin_ctzll(cells), n = BW_TILE_LAYER * k + bit;
        float own = bw_field_tile(from, slot)[n];
        float low = bw_smaller(worker->result[n], own), high = bw_larger(worker->result[n], own);
        for (int side = 0; side < sides; side++)
            if (across[side] >> bit & 1) {
                float value = bw_value_beside(from, slot, n, side);
                low = bw_smaller(value, low);
                high = bw_larger(value, high);
            }
        worker->low[n] = low;
        worker->high[n] = high;
    }
}

// Cells of a layer whose paths are cut, but for those that sources hold.
static uint64_t cut_cells(const BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot, int k)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    uint64_t cut = bw_mask_tile(&job->advector->marks.cut, slot)[k];
    for (int n = 0; n < BW_TILE_LAYER; n++)
        cut |= (uint64_t)(worker->clipped.is_cut[BW_TILE_LAYER * k + n] != 0) << n;
    if (set->sources != NULL)
        cut &= ~bw_mask_tile(set->sources, slot)[k];
    return cut & bw_mask_tile(set->valid, slot)[k];
}

void bw_limit_cut(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    if (job->domain->cut == NULL || *bw_note(&job->advector->around, slot) >> BW_NOTE_MOVING & 1)
        return;
    for (int k = 0; k < job->domain->grid->layers; k++)
        limit_cells(worker, job, f, slot, k, cut_cells(worker, job, slot, k));
}
