// Totals of what was advected. A tile is held to what it had and what came in through its sides. The deficit
// that it then has is a matter of the scheme and not of the tile, so the cells of all tiles around share it
// (advect/redistribution.h): a tile that holds a wisp of smoke would else lose all of it at its side.
#include "advect/advect_job.h"

#include "advect/predicted_total.h"
#include "domain/sides.h"
#include <math.h>

static bool is_moving(const BwAdvectJob *job, int32_t slot)
{
    return *bw_note(&job->advector->around, slot) >> BW_NOTE_MOVING & 1;
}

// What some cells of a tile, or of a part of it, have less than they had, once solids have moved on.
static double lost_by_cells(const BwAdvectJob *job, const uint64_t cells[BW_TILE], const BwTileParts *parts,
                            int part, int f, int32_t slot, const float *result)
{
    const BwField *from = job->sets[job->s].from[f];
    const float *old = bw_field_tile(from, slot), background = bw_field_background(from);
    float above[BW_TILE_CELLS_MAX];
    double sum = 0.0;
    for (int n = 0; n < job->domain->grid->tile_cells; n++) {
        bool counts = bw_bit(cells, n) && (parts == NULL || bw_part_of(parts, n) == part);
        sum += counts ? (double)(old[n] - background) : 0.0;
        above[n] = result[n] - background;
    }
    return sum - bw_predicted_sum(job->domain, cells, above, parts, part, slot);
}

// The same of the valid cells of a tile, but for those that sources hold, where they are given.
static double lost_by_tile(const BwAdvectJob *job, const uint64_t *sources, int f, int32_t slot,
                           const float *result)
{
    const float *old = bw_field_tile(job->sets[job->s].from[f], slot);
    const uint64_t *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    uint64_t cells[BW_TILE] = {0};
    for (int k = 0; k < job->domain->grid->layers; k++)
        cells[k] = valid[k] & (sources != NULL ? ~sources[k] : ~UINT64_C(0));
    if (is_moving(job, slot))
        return lost_by_cells(job, cells, NULL, 0, f, slot, result);
    double sum = 0.0;
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        sum += bw_bit(cells, n) ? (double)(old[n] - result[n]) : 0.0;
    return sum;
}

// The deficit of all cells of a tile against what they had and what came in from other tiles.
static double deficit_of_all(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    return bw_tile_budget_gain_of_all(&job->advector->budget, job->domain->grid, f, slot) +
           lost_by_tile(job, NULL, f, slot, result);
}

// Where outside air holds some, nobody knows what goes out; but what comes in is clean. What is farther from
// the background than all that the tile had and got is too much; else NaN.
static double excess_of_tile(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    const BwField *from = job->sets[job->s].from[f];
    const uint64_t *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    double deficit = deficit_of_all(job, f, slot, result), above = 0.0;
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        above += bw_bit(valid, n) ? (double)(bw_field_tile(from, slot)[n] - bw_field_background(from)) : 0.0;
    return deficit * above < 0.0 ? deficit : (double)NAN;
}

// The deficit of a tile against what it had and what came in; what sources hold of it does not count.
static double deficit_of_tile(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    const BwAdvectBatch *set = &job->sets[job->s];
    const uint64_t *sources = bw_is_near_source(job, slot) ? bw_mask_tile(set->sources, slot) : NULL;
    double sum = bw_tile_budget_gain(&job->advector->budget, job->domain, set->from[f], f, slot) +
                 lost_by_tile(job, sources, f, slot, result);
    bool is_source_below = isnan(sum) && bw_outside_is_clean(job->domain, slot);
    return is_source_below ? excess_of_tile(job, f, slot, result) : sum;
}

// By a solid that moves; or it passes over the cell.
static bool will_be_covered(const BwAdvectJob *job, int32_t slot, int cell)
{
    const BwDomain *domain = job->domain;
    return domain->has_prediction && (bw_bit(bw_mask_tile(&domain->next_solid, slot), cell) ||
                                      bw_bit(bw_mask_tile(&domain->next_swept, slot), cell));
}

static void drop_limits_of_covered(BwAdvectWorker *worker, const BwAdvectJob *job, int32_t slot)
{
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        if (will_be_covered(job, slot, n))
            worker->low[n] = INFINITY;
}

// Where walls are between tiles, a tile's own cells take its deficit.
static void note_beside_solids(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot,
                               double deficit, double otherwise)
{
    if (isnan(deficit) && (is_moving(job, slot) || bw_parts_of_tile(job, slot) != NULL)) {
        bw_redistribution_note_none(&job->advector->redistribution, f, slot);
        return;
    }
    if (!isnan(deficit))
        bw_limit_cut(worker, job, f, slot);
    if (is_moving(job, slot))
        drop_limits_of_covered(worker, job, slot);
    float amount = (float)(isnan(deficit) ? otherwise : deficit);
    if (*bw_note(&job->advector->walled, slot) != 0)
        bw_redistribution_note_alone(&job->advector->redistribution, f, slot, amount);
    else
        bw_redistribution_note(&job->advector->redistribution, f, slot,
                               (BwLimited){worker->result, worker->low, worker->high}, amount);
}

void bw_note_deficit(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot, double otherwise)
{
    double deficit = deficit_of_tile(job, f, slot, worker->result);
    if (bw_is_near_solids(job, slot))
        note_beside_solids(worker, job, f, slot, deficit, otherwise);
    else
        bw_redistribution_note(&job->advector->redistribution, f, slot,
                               (BwLimited){worker->result, worker->low, worker->high},
                               (float)(isnan(deficit) ? otherwise : deficit));
}

// Dead cells of the fields that limits wait in are not theirs to write to, so they get none here.
static BwLimited limited_cells(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const float *low = bw_field_tile(job->advector->low[f], slot);
    bool is_all_live = bw_tile_is_all_live(grid, slot);
    for (int n = 0; n < grid->tile_cells && !is_all_live; n++)
        worker->scratch.low[n] = bw_bit(grid->tiles[slot].live, n) ? low[n] : INFINITY;
    return (BwLimited){bw_field_tile(job->sets[job->s].to[f], slot), is_all_live ? low : worker->scratch.low,
                       bw_field_tile(job->advector->high[f], slot)};
}

// Adds to the cells that sources hold; false where there are none. They are filled up after the step, and
// what that takes is what came out of them.
static bool add_to_sources(const BwAdvectJob *job, int32_t slot, float *result, double amount)
{
    const BwGrid *grid = job->domain->grid;
    const uint64_t *sources = bw_mask_tile(job->sets[job->s].sources, slot),
                   *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    int count = 0;
    for (int n = 0; n < grid->tile_cells; n++)
        count += bw_bit(sources, n) && bw_bit(valid, n);
    if (count == 0 || isnan(amount))
        return false;
    for (int n = 0; n < grid->tile_cells; n++)
        result[n] += bw_bit(sources, n) && bw_bit(valid, n) ? (float)(amount / count) : 0.0f;
    return true;
}

// The limits of a part's cells; the others get none.
static BwLimited limit_part(const BwAdvectJob *job, const BwTileParts *parts, int part, BwLimited cells,
                            float low[BW_TILE_CELLS_MAX])
{
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        low[n] = bw_part_of(parts, n) == part ? cells.low[n] : INFINITY;
    return (BwLimited){cells.value, low, cells.high};
}

// Each part of a tile by itself.
static void settle_parts(const BwAdvectJob *job, const BwTileParts *parts, BwLimited cells, int f,
                         int32_t slot)
{
    float low[BW_TILE_CELLS_MAX];
    for (int part = 0; part < BW_PARTS_MAX; part++) {
        double deficit = bw_tile_budget_gain_of_part(&job->advector->budget, part, f, slot) +
                         lost_by_cells(job, bw_mask_tile(job->sets[job->s].valid, slot), parts, part, f, slot,
                                       cells.value);
        float left = isnan(deficit) ? 0.0f
                                    : bw_add_within_limits(limit_part(job, parts, part, cells, low),
                                                           job->domain->grid->tile_cells, (float)deficit);
        bw_tile_budget_note_left(&job->advector->budget, part, f, slot, left);
    }
}

// Sources give their tile's deficit beyond what was settled, and leave nothing to return.
static void settle_field(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwRedistribution *redistribution = &job->advector->redistribution;
    BwLimited cells = limited_cells(worker, job, f, slot);
    const BwTileParts *parts = bw_parts_of_tile(job, slot);
    bool is_near_source = bw_is_near_source(job, slot);
    if (parts != NULL && !is_near_source) { // the parts beside sources are not told apart
        settle_parts(job, parts, cells, f, slot);
        return;
    }
    double deficit = is_near_source ? deficit_of_all(job, f, slot, cells.value) : 0.0;
    float left = bw_redistribution_settle(redistribution, f, slot, cells);
    double settled = (double)bw_redistribution_deficit(redistribution, f, slot) - (double)left;
    if (is_near_source && add_to_sources(job, slot, cells.value, deficit - settled))
        left = 0.0f;
    bw_tile_budget_note_left(&job->advector->budget, 0, f, slot, left);
}

void bw_settle_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++)
        for (int f = 0; f < job->sets[job->s].count; f++) {
            int32_t slot = job->domain->grid->order[job->first + n];
            if (bw_redistribution_has_limits(&job->advector->redistribution, f, slot))
                settle_field(&job->advector->workers[worker], job, f, slot);
        }
}

// What nobody around had room for comes back to the tiles it came from.
static void return_to_tile(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const BwTileParts *parts = bw_parts_of_tile(job, slot);
    float low[BW_TILE_CELLS_MAX];
    for (int part = 0; part < (parts != NULL ? BW_PARTS_MAX : 1); part++) {
        float returned = bw_tile_budget_returned(&job->advector->budget, grid, part, f, slot);
        if (returned == 0.0f)
            continue;
        BwLimited cells = limited_cells(worker, job, f, slot);
        if (parts != NULL)
            cells = limit_part(job, parts, part, cells, low);
        bw_add_within_limits(cells, grid->tile_cells, returned);
    }
}

void bw_return_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int f = 0; f < job->sets[job->s].count; f++)
            if (bw_redistribution_has_limits(&job->advector->redistribution, f, grid->order[n]))
                return_to_tile(&job->advector->workers[worker], job, f, grid->order[n]);
}
