// Cell by cell.
#include "operate/liquid_heat.h"

#include "grid/bits.h"

#include <math.h>

BwResult bw_liquid_heat_create(BwLiquidHeat *heat, BwGrid *grid, bool loses, BwError *err)
{
    *heat = (BwLiquidHeat){.loses = loses};
    BwField *fields[] = {&heat->before, &heat->capacity, &heat->gain, &heat->loss};
    for (int n = 0; n < (loses ? 4 : 3); n++)
        BW_TRY(bw_field_create(fields[n], grid, BW_AT_CELL, 0.0f, err));
    return BW_OK;
}

void bw_liquid_heat_destroy(BwLiquidHeat *heat)
{
    bw_field_destroy(&heat->before);
    bw_field_destroy(&heat->capacity);
    bw_field_destroy(&heat->gain);
    bw_field_destroy(&heat->loss);
}

typedef struct Job {
    BwLiquidHeat *heat;
    const BwDomain *domain;
    BwCellHeat *cells;
    float exchange;
} Job;

// Heat per kelvin on the way between two temperatures, K.
static float slope_between(const BwHeatLaw *law, float from, float to)
{
    float way = to - from, least = 1e-3f;
    if (fabsf(way) < least) {
        from -= least;
        way = to + least - from;
        to += least;
    }
    return (bw_heat_of_temperature(law, to) - bw_heat_of_temperature(law, from)) / way;
}

// The area of the surface in a cell, in faces: what it has open along each axis are the sides of a triangle
// or a square whose area is meant.
static float open_area(const Job *job, int32_t slot, int cell)
{
    const BwGrid *grid = job->domain->grid;
    float square = 0.0f;
    for (int a = 0; a < grid->dimension; a++) {
        float count = 0.0f;
        for (int side = 2 * a; side < 2 * a + 2; side++) {
            int other = cell;
            int32_t beside = bw_cell_beside(grid, slot, &other, side);
            bool is_air = bw_bit(bw_mask_tile(&job->domain->open, beside), other) &&
                          !bw_bit(bw_mask_tile(&job->cells->cells, beside), other);
            count += is_air ? 1.0f : 0.0f;
        }
        square += count * count;
    }
    return sqrtf(square);
}

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwHeatLaw *law = &job->cells->law;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const uint64_t *has = bw_mask_tile(&job->cells->cells, slot);
        const float *now = bw_field_tile(&job->cells->temperature, slot),
                    *share = bw_field_tile(&job->cells->share, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++) {
            bw_field_tile(&job->heat->before, slot)[n] = now[n];
            bw_field_tile(&job->heat->capacity, slot)[n] = share[n] * slope_between(law, now[n], now[n]);
            if (job->heat->loses)
                bw_field_tile(&job->heat->loss, slot)[n] =
                    bw_bit(has, n) ? job->exchange * open_area(job, slot, n) : 0.0f;
        }
    }
}

void bw_liquid_heat_begin(BwLiquidHeat *heat, const BwDomain *domain, const BwCellHeat *cells, float exchange)
{
    Job job = {heat, domain, (BwCellHeat *)(uintptr_t)cells, exchange};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, begin_range, &job);
}

static void end_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *before = bw_field_tile(&job->heat->before, slot),
                    *share = bw_field_tile(&job->cells->share, slot);
        float *now = bw_field_tile(&job->cells->temperature, slot),
              *capacity = bw_field_tile(&job->heat->capacity, slot),
              *gain = bw_field_tile(&job->heat->gain, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++) {
            gain[n] = share[n] > 0.0f ? capacity[n] / share[n] * (now[n] - before[n]) : 0.0f;
            capacity[n] = share[n] * slope_between(&job->cells->law, before[n], now[n]);
            now[n] = before[n];
        }
    }
}

void bw_liquid_heat_end_round(BwLiquidHeat *heat, const BwDomain *domain, BwCellHeat *cells)
{
    Job job = {.heat = heat, .domain = domain, .cells = cells};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, end_range, &job);
}
