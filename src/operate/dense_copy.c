// Rows of tiles and rows of the box, number by number: the box may hold floats or fixed-point numbers.
#include "operate/dense_copy.h"

#include "grid/bits.h"
#include <math.h>

typedef struct Copy {
    const BwField *field;
    int32_t low[3];
    BwStableView box;
    bool to_box;
} Copy;

static float read_number(BwStableView box, ptrdiff_t c)
{
    return box.values != NULL ? box.values[c] : (float)box.fixed[c] / 65536.0f;
}

static void write_number(BwStableView box, ptrdiff_t c, float value)
{
    if (box.values != NULL)
        box.values[c] = value;
    else
        box.fixed[c] = (int32_t)lrintf(fmaxf(fminf(value, 8192.0f), -8192.0f) * 65536.0f);
}

static void copy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Copy *job = context;
    const BwGrid *grid = job->field->store.grid;
    for (int64_t n = begin; n < end; n++) {
        const BwGridTile *tile = &grid->tiles[grid->order[n]];
        float *values = bw_field_tile(job->field, grid->order[n]);
        int32_t first[3];
        bw_tile_first_cell(grid, tile->coord, first);
        for (int m = 0; m < grid->tile_cells; m++) {
            if (!bw_bit(tile->live, m))
                continue;
            ptrdiff_t i = first[0] - job->low[0] + m % 8, j = first[1] - job->low[1] + m / 8 % 8;
            ptrdiff_t c = i + j * job->box.row + (first[2] - job->low[2] + m / 64) * job->box.plane;
            if (job->to_box)
                write_number(job->box, c, values[m]);
            else
                values[m] = read_number(job->box, c);
        }
    }
}

static void copy(const BwField *field, BwPool *pool, const int32_t low[3], BwStableView box, bool to_box)
{
    Copy job = {field, {low[0], low[1], low[2]}, box, to_box};
    bw_parallel_for(pool, field->store.grid->tile_count, 16, copy_range, &job);
}

void bw_field_to_dense(const BwField *field, BwPool *pool, const int32_t low[3], BwStableView box)
{
    copy(field, pool, low, box, true);
}

void bw_field_from_dense(BwField *field, BwPool *pool, const int32_t low[3], BwStableView box)
{
    copy(field, pool, low, box, false);
}
