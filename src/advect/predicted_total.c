// Foreseen sums, tile by tile. What a cell that solids leave will hold is the mean of the cells of its tile
// around it; of cells in the midst of others, the mean of all that.
#include "advect/predicted_total.h"

#include "domain/measure.h"
#include "grid/bits.h"
#include <math.h>

typedef struct Tile {
    const BwGrid *grid;
    const uint64_t *swept;
    uint64_t known[BW_TILE]; // cells that hold what they will hold
    const float *values;
    const BwTileParts *parts;
    int part;
} Tile;

static bool is_of_part(const Tile *tile, int cell)
{
    return tile->parts == NULL || bw_part_of(tile->parts, cell) == tile->part;
}

// Of the mean of the known cells around a cell, what those of the part add to it; NaN where there are none.
static double mean_around(const Tile *tile, int cell)
{
    double sum = 0.0;
    int count = 0;
    for (int side = 0; side < 2 * tile->grid->dimension; side++) {
        int shift = 3 * (side / 2), at = cell >> shift & 7, next = side % 2 == 0 ? at - 1 : at + 1;
        int beside = cell + (next - at) * (1 << shift);
        if (next < 0 || next >= BW_TILE || !bw_bit(tile->known, beside))
            continue;
        sum += is_of_part(tile, beside) ? (double)tile->values[beside] : 0.0;
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

// In eight sums, one a column, so that rows add up side by side.
static double sum_of_known(const Tile *tile, int *count)
{
    double columns[BW_TILE] = {0}, sum = 0.0;
    *count = 0;
    for (int row = 0; row < tile->grid->tile_cells / BW_TILE; row++) {
        unsigned known = tile->known[row / BW_TILE] >> BW_TILE * (row % BW_TILE) & 0xff;
        const float *values = tile->values + BW_TILE * row;
        *count += __builtin_popcount(known);
        for (int n = 0; n < BW_TILE && known == 0xff && tile->parts == NULL; n++)
            columns[n] += (double)values[n];
        for (int n = 0; n < BW_TILE && (known != 0xff || tile->parts != NULL); n++)
            if ((known >> n & 1) && is_of_part(tile, BW_TILE * row + n))
                columns[n] += (double)values[n];
    }
    for (int n = 0; n < BW_TILE; n++)
        sum += columns[n];
    return sum;
}

static double sum_of_swept(const Tile *tile)
{
    double sum = 0.0;
    int beside = 0, inner = 0, known;
    for (int n = 0; n < tile->grid->tile_cells; n++) {
        if (!bw_bit(tile->swept, n))
            continue;
        double mean = mean_around(tile, n);
        bool is_inner = isnan(mean);
        sum += is_inner ? 0.0 : mean;
        beside += !is_inner;
        inner += is_inner;
    }
    if (beside > 0)
        return sum * (beside + inner) / beside;
    double all = sum_of_known(tile, &known);
    return inner > 0 && known > 0 ? inner * all / known : 0.0;
}

static double sum_of_predicted(const Tile *tile)
{
    int count;
    return sum_of_known(tile, &count) + sum_of_swept(tile);
}

double bw_predicted_sum(const BwDomain *domain, const uint64_t cells[BW_TILE], const float *values,
                        const BwTileParts *parts, int part, int32_t slot)
{
    static const uint64_t none[BW_TILE] = {0};
    const uint64_t *solid = domain->has_prediction ? bw_mask_tile(&domain->next_solid, slot) : none;
    Tile tile = {.grid = domain->grid,
                 .swept = domain->has_prediction ? bw_mask_tile(&domain->next_swept, slot) : none,
                 .values = values,
                 .parts = parts,
                 .part = part};
    for (int k = 0; k < domain->grid->layers; k++)
        tile.known[k] = cells[k] & ~solid[k] & ~tile.swept[k];
    return sum_of_predicted(&tile);
}

typedef struct Total {
    const BwDomain *domain;
    const BwField *field;
} Total;

static double total_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Total *job = context;
    double sum = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        sum += bw_predicted_sum(job->domain, bw_mask_tile(&job->domain->open, slot),
                                bw_field_tile(job->field, slot), NULL, 0, slot);
    }
    return sum;
}

double bw_predicted_total(const BwDomain *domain, const BwField *field)
{
    Total job = {domain, field};
    return bw_cell_volume(domain->grid) *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, total_range, &job);
}

typedef struct Levelling {
    const BwDomain *domain;
    BwField *field;
    BwField *const *others;
    int other_count;
} Levelling;

// Of what the swept cells hold, what they should hold.
static float level_of_tile(const Tile *tile)
{
    int known;
    double wanted = sum_of_swept(tile), sources = 0.0;
    sum_of_known(tile, &known);
    for (int n = 0; n < tile->grid->tile_cells; n++)
        sources += bw_bit(tile->swept, n) ? (double)tile->values[n] : 0.0;
    double level = sources > 0.0 && known > 0 ? wanted / sources : 1.0;
    return (float)fmin(fmax(level, 0.0), 1.0);
}

static void scale_swept(const Tile *tile, float *values, float level)
{
    for (int n = 0; n < tile->grid->tile_cells; n++)
        values[n] *= bw_bit(tile->swept, n) ? level : 1.0f;
}

static void level_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Levelling *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        float *values = bw_field_tile(job->field, slot);
        Tile tile = {.grid = domain->grid, .swept = bw_mask_tile(&domain->swept, slot), .values = values};
        uint64_t any = 0;
        for (int k = 0; k < domain->grid->layers; k++) {
            tile.known[k] = bw_mask_tile(&domain->open, slot)[k] & ~tile.swept[k];
            any |= tile.swept[k];
        }
        float level = any != 0 ? level_of_tile(&tile) : 1.0f;
        if (level >= 1.0f)
            continue;
        scale_swept(&tile, values, level);
        for (int m = 0; m < job->other_count; m++)
            scale_swept(&tile, bw_field_tile(job->others[m], slot), level);
    }
}

void bw_level_swept(const BwDomain *domain, BwField *field, BwField *const *others, int other_count)
{
    Levelling job = {domain, field, others, other_count};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, level_range, &job);
}
