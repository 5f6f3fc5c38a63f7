// Totals of what was carried. A tile is held to what it had and what came in through its sides. What it then
// lacks is a matter of the scheme and not of the tile, so the cells of all tiles around share it
// (operate/spread.h): a tile that holds a wisp of smoke would else lose all of it at its side.
#include "operate/advect_job.h"

#include "operate/sides.h"
#include <math.h>

// What all cells of a tile lack of what they had and what came in from other tiles.
static double lack_of_all(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    const float *old = bw_field_tile(job->sets[job->s].from[f], slot);
    const uint64_t *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    double sum = bw_tile_budget_gain_of_all(&job->advector->budget, job->domain->grid, f, slot);
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        sum += bw_bit(valid, n) ? (double)(old[n] - result[n]) : 0.0;
    return sum;
}

// Where outside air holds some, nobody knows what goes out; but what comes in is clean. What is farther from
// the background than all that the tile had and got is too much; else NaN.
static double excess_of_tile(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    const BwField *from = job->sets[job->s].from[f];
    const uint64_t *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    double lack = lack_of_all(job, f, slot, result), above = 0.0;
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        above += bw_bit(valid, n) ? (double)(bw_field_tile(from, slot)[n] - bw_field_background(from)) : 0.0;
    return lack * above < 0.0 ? lack : (double)NAN;
}

// What a tile lacks of what it had and what came in; what sources hold of it does not count.
static double lack_of_tile(const BwAdvectJob *job, int f, int32_t slot, const float *result)
{
    const float *old = bw_field_tile(job->sets[job->s].from[f], slot);
    const uint64_t *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    double sum = bw_tile_budget_gain(&job->advector->budget, job->domain, job->sets[job->s].from[f], f, slot);
    const uint64_t *held = bw_is_near_source(job, slot) ? bw_mask_tile(job->sets[job->s].held, slot) : NULL;
    for (int n = 0; n < job->domain->grid->tile_cells; n++)
        sum += bw_bit(valid, n) && (held == NULL || !bw_bit(held, n)) ? (double)(old[n] - result[n]) : 0.0;
    bool is_held_below = isnan(sum) && bw_outside_is_clean(job->domain, slot);
    return is_held_below ? excess_of_tile(job, f, slot, result) : sum;
}

void bw_note_lack(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot, double otherwise)
{
    double lack = lack_of_tile(job, f, slot, worker->result);
    if (!isnan(lack) && bw_is_near_solids(job, slot))
        bw_limit_cut(worker, job, f, slot);
    bw_spread_note(&job->advector->spread, f, slot, (BwLimited){worker->result, worker->low, worker->high},
                   (float)(isnan(lack) ? otherwise : lack));
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
    const uint64_t *held = bw_mask_tile(job->sets[job->s].held, slot),
                   *valid = bw_mask_tile(job->sets[job->s].valid, slot);
    int count = 0;
    for (int n = 0; n < grid->tile_cells; n++)
        count += bw_bit(held, n) && bw_bit(valid, n);
    if (count == 0 || isnan(amount))
        return false;
    for (int n = 0; n < grid->tile_cells; n++)
        result[n] += bw_bit(held, n) && bw_bit(valid, n) ? (float)(amount / count) : 0.0f;
    return true;
}

// Sources give what their tile lacks beyond what was settled, and leave nothing to return.
static void settle_field(BwAdvectWorker *worker, const BwAdvectJob *job, int f, int32_t slot)
{
    const BwSpread *spread = &job->advector->spread;
    BwLimited cells = limited_cells(worker, job, f, slot);
    bool is_near_source = bw_is_near_source(job, slot);
    double lack = is_near_source ? lack_of_all(job, f, slot, cells.value) : 0.0;
    float left = bw_spread_settle(spread, f, slot, cells);
    double settled = (double)bw_spread_lack(spread, f, slot) - (double)left;
    if (is_near_source && add_to_sources(job, slot, cells.value, lack - settled))
        left = 0.0f;
    bw_tile_budget_note_left(&job->advector->budget, f, slot, left);
}

void bw_settle_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++)
        for (int f = 0; f < job->sets[job->s].count; f++) {
            int32_t slot = job->domain->grid->order[job->first + n];
            if (bw_spread_has_limits(&job->advector->spread, f, slot))
                settle_field(&job->advector->workers[worker], job, f, slot);
        }
}

// Adds so much to the tile. Every sample takes part in proportion to its distance from the limit on that
// side, so that none passes it.
static void add_within_limits(BwLimited cells, int count, float amount)
{
    const float *restrict limit = amount < 0.0f ? cells.low : cells.high;
    float room = 0.0f;
    for (int n = 0; n < count; n++)
        room += cells.low[n] <= cells.high[n] ? fabsf(limit[n] - cells.value[n]) : 0.0f;
    float part = room > fabsf(amount) ? fabsf(amount) / room : room > 0.0f ? 1.0f : 0.0f;
    for (int n = 0; n < count; n++)
        cells.value[n] += cells.low[n] <= cells.high[n] ? part * (limit[n] - cells.value[n]) : 0.0f;
}

// What nobody around had room for comes back to the tiles it came from.
void bw_return_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvectJob *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int f = 0; f < job->sets[job->s].count; f++) {
            float returned = bw_tile_budget_returned(&job->advector->budget, grid, f, grid->order[n]);
            if (returned != 0.0f && bw_spread_has_limits(&job->advector->spread, f, grid->order[n]))
                add_within_limits(limited_cells(&job->advector->workers[worker], job, f, grid->order[n]),
                                  grid->tile_cells, returned);
        }
}
