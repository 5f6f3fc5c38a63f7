// One pass over the tiles for the boxes of cells that matter.
#include "operate/occupied.h"

#include "domain/measure.h"
#include <math.h>

typedef struct Search {
    const BwGrid *grid;
    const BwPresence *presence;
    int count;
    BwTileSpan *spans;
} Search;

// The box of the cells that are set, from the bits of each layer.
static BwTileSpan span_of_bits(const uint64_t *bits, int layers)
{
    uint64_t all = 0;
    BwTileSpan span = {{8, 8, 8}, {0, 0, 0}};
    for (int k = 0; k < layers; k++) {
        if (bits[k] == 0)
            continue;
        all |= bits[k];
        span.low[2] = (int8_t)(span.low[2] < k ? span.low[2] : k);
        span.high[2] = (int8_t)(k + 1);
    }
    for (int n = 0; n < BW_TILE && all != 0; n++) {
        bool has_row = (all >> (8 * n) & BW_ROW) != 0, has_column = (all >> n & BW_COLUMN) != 0;
        span.low[1] = (int8_t)(has_row && n < span.low[1] ? n : span.low[1]);
        span.high[1] = (int8_t)(has_row ? n + 1 : span.high[1]);
        span.low[0] = (int8_t)(has_column && n < span.low[0] ? n : span.low[0]);
        span.high[0] = (int8_t)(has_column ? n + 1 : span.high[0]);
    }
    return span;
}

static bool matters(const BwPresence *presence, float value)
{
    float apart = value - presence->neutral;
    return (presence->above_only ? apart : fabsf(apart)) > presence->threshold;
}

static void spans_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Search *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t n = begin; n < end; n++) {
        uint64_t bits[BW_TILE] = {0};
        for (int f = 0; f < job->count; f++) {
            const BwPresence presence = job->presence[f];
            const float *values = bw_field_tile(presence.field, grid->order[n]);
            for (int c = 0; c < grid->tile_cells; c++)
                bits[c >> 6] |= (uint64_t)matters(&presence, values[c]) << (c & 63);
        }
        job->spans[n] = span_of_bits(bits, grid->layers);
    }
}

void bw_find_occupied(const BwDomain *domain, const BwPresence *presence, int count, BwTileSpan *spans)
{
    Search job = {domain->grid, presence, count, spans};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, spans_range, &job);
}

double bw_sleeping_total(const BwGrid *grid, const BwField *field, const BwFollowPlan *plan)
{
    double sum = 0.0;
    for (int64_t n = 0; n < plan->sleep_count; n++) {
        const float *values = bw_field_tile(field, plan->sleep[n]);
        for (int c = 0; c < grid->tile_cells; c++)
            sum += (double)values[c];
    }
    return sum * bw_cell_volume(grid);
}
