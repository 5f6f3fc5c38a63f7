// Blocks with a rim, and their sums.
#include "grid/padded.h"

#include <string.h>

BwResult bw_padded_create(BwPadded *padded, BwGrid *grid, int width, BwError *err)
{
    *padded =
        (BwPadded){.width = width, .samples = BW_PADDED_LAYER * (grid->layers == 1 ? 1 : BW_PADDED_SIDE)};
    size_t bytes = (size_t)(width * padded->samples) * sizeof(float);
    return bw_notes_create_wide(&padded->notes, grid, (bytes + 7) / 8, err);
}

void bw_padded_destroy(BwPadded *padded)
{
    bw_notes_destroy(&padded->notes);
}

void bw_padded_clear_tile(const BwPadded *padded, int32_t slot)
{
    memset(bw_padded_values(padded, slot, 0), 0, (size_t)(padded->width * padded->samples) * sizeof(float));
}

typedef struct Job {
    const BwPadded *from, *to;
    const BwGrid *grid;
    int values;
} Job;

// Along an axis: which samples of a block, counted with the rim, one `step` tiles away has too, and how far
// behind its own they are there.
typedef struct Overlap {
    int begin, end, shift;
} Overlap;

static Overlap overlap(int step)
{
    return step < 0   ? (Overlap){0, 2, BW_TILE}
           : step > 0 ? (Overlap){BW_TILE, BW_PADDED_SIDE, -BW_TILE}
                      : (Overlap){0, BW_PADDED_SIDE, 0};
}

static void add_block(const Job *job, int32_t from, int32_t to, const int step[3], int value)
{
    Overlap x = overlap(step[0]), y = overlap(step[1]),
            z = job->grid->layers > 1 ? overlap(step[2]) : (Overlap){0, 1, 0};
    const float *more = bw_padded_values(job->from, from, value);
    float *sums = bw_padded_values(job->to, to, value);
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            int own = BW_PADDED_SIDE * j + BW_PADDED_LAYER * k,
                other = BW_PADDED_SIDE * (j + y.shift) + BW_PADDED_LAYER * (k + z.shift) + x.shift;
            for (int i = x.begin; i < x.end; i++)
                sums[own + i] += more[other + i];
        }
}

static void add_up_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    int first = bw_first_beside(job->grid);
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        memset(bw_padded_values(job->to, slot, 0), 0,
               (size_t)(job->values * job->to->samples) * sizeof(float));
        for (int c = first; c < 27 - first; c++) {
            int32_t beside = job->grid->tiles[slot].neighbour[c];
            const int step[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
            for (int value = 0; value < job->values && beside != 0; value++)
                add_block(job, beside, slot, step, value);
        }
    }
}

void bw_padded_add_up(const BwPadded *from, const BwPadded *to, int values, BwPool *pool)
{
    const BwGrid *grid = from->notes.store.grid;
    Job job = {from, to, grid, values};
    bw_parallel_for(pool, grid->tile_count, 4, add_up_range, &job);
}
