// The coefficients of coarse tiles: sums over the fine tiles inside, less what became explicit couplings,
// with additions. A tile made of uniform ones is uniform and needs no sums.
#include "poisson/coarsen.h"

#include <string.h>

// A coarse tile is uniform where eight inner tiles of one coefficient meet, untouched by explicit couplings.
static float uniform_of_children(const BwCoarsening *job, int32_t t)
{
    const BwLevel *fine = job->fine, *coarse = job->coarse;
    int32_t first = coarse->child[t][0];
    for (int octant = 0; octant < (coarse->layers == 1 ? 4 : 8); octant++) {
        int32_t child = coarse->child[t][octant];
        if (child == 0 || !fine->is_inner[child] || fine->uniform[child] != fine->uniform[first] ||
            bw_touches_seam(job, child))
            return 0.0f;
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (bw_has_exceptions(fine, fine->beside[child][side]))
                return 0.0f;
    }
    return fine->uniform[first] * (coarse->layers == 1 ? 1.0f : 2.0f);
}

static void find_coarse_uniform(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    BwLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        bool has_explicit_tile = coarse->explicit_first[t] < coarse->explicit_first[t + 1];
        coarse->uniform[t] = has_explicit_tile ? 0.0f : uniform_of_children(job, t);
        coarse->is_inner[t] = coarse->uniform[t] > 0.0f;
        coarse->filled[t][0] = coarse->filled[t][1] = (uint16_t)((1 << 2 * coarse->layers) - 1);
    }
}

static bool is_near_exceptions(const BwLevel *fine, int32_t t)
{
    bool is_near = bw_has_exceptions(fine, t);
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        is_near |= bw_has_exceptions(fine, fine->beside[t][side]);
    return is_near;
}

// Takes out of a tile's couplings those of one of its cells, on both sides.
static void leave_out_cell(const BwLevel *fine, BwTileCouplings *couplings, int cell)
{
    for (int side = 0; side < BW_BESIDE_COUNT; side++) {
        int axis = side / 2, place = cell >> (3 * axis) & 7, step = (side % 2 ? 1 : -1) * (1 << (3 * axis));
        int last = axis == 2 ? fine->layers - 1 : BW_TILE - 1;
        couplings->coupling[side][cell] = 0.0f;
        if (place != (side % 2 ? last : 0))
            couplings->coupling[side ^ 1][cell + step] = 0.0f;
    }
    couplings->extra[cell] = couplings->mass[cell] = couplings->unknown[cell] = 0.0f;
}

// The same of a cell of the tile across one side: the coupling to it, where it lies next to us.
static void leave_out_beside(const BwLevel *fine, BwTileCouplings *couplings, int side, int cell)
{
    int axis = side / 2, last = axis == 2 ? fine->layers - 1 : BW_TILE - 1;
    if ((cell >> (3 * axis) & 7) == (side % 2 ? 0 : last))
        couplings->coupling[side][cell + (side % 2 ? last : -last) * (1 << (3 * axis))] = 0.0f;
}

static void leave_out_seam(const BwCoarsening *job, int32_t t, BwTileCouplings *couplings)
{
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        for (int cell = 0; cell < job->fine->cells; cell++)
            if (bw_crosses_seam(job, t, cell, side))
                couplings->coupling[side][cell] = 0.0f;
}

// Takes out of a fine tile what explicit couplings stand for: exceptions, couplings to exceptions, couplings
// across the seam.
static void leave_out_explicit(const BwCoarsening *job, int32_t t, BwTileCouplings *couplings)
{
    const BwLevel *fine = job->fine;
    for (int32_t n = fine->exception_first[t]; n < fine->exception_first[t + 1]; n++)
        leave_out_cell(fine, couplings, bw_cell_of(fine->exceptions[n].node - t * fine->cells, fine->half));
    for (int side = 0; side < BW_BESIDE_COUNT; side++) {
        int32_t other = fine->beside[t][side];
        for (int32_t n = fine->exception_first[other]; n < fine->exception_first[other + 1]; n++)
            leave_out_beside(fine, couplings, side,
                             bw_cell_of(fine->exceptions[n].node - other * fine->cells, fine->half));
    }
    if (bw_touches_seam(job, t))
        leave_out_seam(job, t, couplings);
}

// Two rows of layer k and the two above them in layer k + 1: what goes to four coarse cells.
typedef struct PairRows {
    BwSixteen low, high;
} PairRows;

static PairRows load_pair(const BwLevel *fine, const float *values, int at)
{
    const BwSixteen none = {0};
    return (PairRows){bw_sixteen_load(values + at),
                      fine->layers == 1 ? none : bw_sixteen_load(values + at + 64)};
}

static BwSixteen sum_of_pair(const BwLevel *fine, const float *values, int at)
{
    PairRows pair = load_pair(fine, values, at);
    return bw_sixteen_add(pair.low, pair.high);
}

// Adds to four coarse cells of a row the even and the odd cells of the first and of the second row.
static void add_columns(const BwSixteen *rows, float factor, bool takes_even, bool takes_odd, float *coarse)
{
    for (int i = 0; i < 4; i++) {
        float sum = 0.0f;
        if (takes_even)
            sum += bw_sixteen_cell(rows, 2 * i) + bw_sixteen_cell(rows, 8 + 2 * i);
        if (takes_odd)
            sum += bw_sixteen_cell(rows, 2 * i + 1) + bw_sixteen_cell(rows, 8 + 2 * i + 1);
        coarse[i] += factor * sum;
    }
}

static void add_row(const BwSixteen *rows, int row, float factor, float *coarse)
{
    for (int i = 0; i < 4; i++)
        coarse[i] +=
            factor * (bw_sixteen_cell(rows, 8 * row + 2 * i) + bw_sixteen_cell(rows, 8 * row + 2 * i + 1));
}

// Of the diagonal beyond the couplings, what fixes values grows less than what a mass adds.
static BwSixteen scaled_extra(BwSixteen extra, const BwSixteen *mass)
{
    for (int part = 0; part < BW_PARTS; part++)
        extra.part[part] = BW_FIXED_SCALE * (extra.part[part] - mass->part[part]) + mass->part[part];
    return extra;
}

static BwSixteen one_where_positive(BwSixteen rows)
{
    for (int part = 0; part < BW_PARTS; part++)
        rows.part[part] = bw_lanes_keep(bw_lanes_of(1.0f), rows.part[part] > 0.0f);
    return rows;
}

// Adds a fine tile to the coarse one that holds it: of each coupling the two layers, rows or columns that lie
// on that side of the coarse cells.
static void aggregate(const BwLevel *fine, int32_t t, const BwTileCouplings *couplings,
                      BwTileCouplings *coarse)
{
    for (int k = 0; k < fine->layers; k += 2)
        for (int j = 0; j < BW_TILE; j += 2) {
            int at = 64 * k + 8 * j, to = bw_coarse_cell(fine, t, at);
            BwSixteen sum[4];
            for (int side = 0; side < 4; side++)
                sum[side] = sum_of_pair(fine, couplings->coupling[side], at);
            add_columns(&sum[0], BW_COUPLING_SCALE, true, false, coarse->coupling[0] + to);
            add_columns(&sum[1], BW_COUPLING_SCALE, false, true, coarse->coupling[1] + to);
            add_row(&sum[2], 0, BW_COUPLING_SCALE, coarse->coupling[2] + to);
            add_row(&sum[3], 1, BW_COUPLING_SCALE, coarse->coupling[3] + to);
            PairRows z_low = load_pair(fine, couplings->coupling[4], at),
                     z_high = load_pair(fine, couplings->coupling[5], at);
            add_columns(&z_low.low, BW_COUPLING_SCALE, true, true, coarse->coupling[4] + to);
            add_columns(&z_high.high, BW_COUPLING_SCALE, true, true, coarse->coupling[5] + to);
            BwSixteen mass = sum_of_pair(fine, couplings->mass, at);
            BwSixteen extra = scaled_extra(sum_of_pair(fine, couplings->extra, at), &mass);
            BwSixteen unknown = one_where_positive(sum_of_pair(fine, couplings->unknown, at));
            add_columns(&extra, 1.0f, true, true, coarse->extra + to);
            add_columns(&mass, 1.0f, true, true, coarse->mass + to);
            add_columns(&unknown, 1.0f, true, true, coarse->unknown + to);
        }
}

// Sums of fine couplings that were explicit and are plain ones now.
static void add_carried(const BwCoarsening *job, int32_t t, BwTileCouplings *couplings)
{
    const BwLevel *coarse = job->coarse;
    int64_t low = 0, high = job->addition_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (job->additions[middle].node < t * coarse->cells)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < job->addition_count && job->additions[low].node < (t + 1) * coarse->cells; low++) {
        BwAddition addition = job->additions[low];
        int cell = bw_cell_of(addition.node % coarse->cells, coarse->half);
        couplings->unknown[cell] = 1.0f;
        if (addition.row == BW_ADD_EXTRA)
            couplings->extra[cell] += addition.value;
        else if (addition.row == BW_ADD_MASS)
            couplings->mass[cell] += addition.value;
        else
            couplings->coupling[addition.row][cell] += addition.value;
    }
}

// Explicit couplings count in the diagonal, which only its inverse knows.
static void invert_explicit(BwLevel *level, int32_t t)
{
    for (int32_t n = level->explicit_first[t]; n < level->explicit_first[t + 1]; n++) {
        int place = level->explicit_node[n] % level->cells;
        float *at = level->blocks + (int64_t)level->block[t] * level->rows * level->cells + place;
        float diagonal = 0.0f;
        for (int row = BW_COUPLING_SAME; row <= BW_COUPLING_EXTRA; row++)
            diagonal += at[row * level->cells];
        for (int32_t l = level->explicit_coupling_first[n]; l < level->explicit_coupling_first[n + 1]; l++)
            diagonal += level->couplings[l].weight;
        at[BW_COUPLING_INVERSE * level->cells] = 1.0f / diagonal;
        level->filled[t][place >= level->half] |= (uint16_t)(1 << (place % level->half >> 4));
    }
}

static void build_coarse_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    BwLevel *fine = job->fine, *coarse = job->coarse;
    BwTileCouplings couplings, sum;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (coarse->uniform[t] > 0.0f)
            continue;
        memset(&sum, 0, sizeof sum);
        for (int octant = 0; octant < 8; octant++) {
            int32_t child = coarse->child[t][octant];
            if (child == 0)
                continue;
            bw_level_load_couplings(fine, child, &couplings);
            if (is_near_exceptions(fine, child) || bw_touches_seam(job, child))
                leave_out_explicit(job, child, &couplings);
            aggregate(fine, child, &couplings, &sum);
        }
        add_carried(job, t, &sum);
        for (int n = 0; n < coarse->cells; n++)
            sum.unknown[n] = sum.unknown[n] > 0.0f ? 1.0f : 0.0f;
        bw_level_store_couplings(coarse, t, &sum);
        invert_explicit(coarse, t);
    }
}

static void invert_extras(BwLevel *level)
{
    for (int32_t e = 0; e < level->extra_count; e++) {
        float diagonal = level->extra_diagonal[e];
        for (int32_t l = level->coupling_first[e]; l < level->coupling_first[e + 1]; l++)
            diagonal += level->couplings[l].weight;
        level->extra_inverse[e] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
}

static double count_unknowns(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwLevel *level = context;
    int64_t count = 0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (level->uniform[t] > 0.0f) {
            count += level->cells;
            continue;
        }
        const float *inverse =
            level->blocks + ((int64_t)level->block[t] * level->rows + BW_COUPLING_INVERSE) * level->cells;
        for (int n = 0; n < level->cells; n++)
            count += inverse[n] > 0.0f;
    }
    return (double)count;
}

BwResult bw_coarsen_tiles(BwCoarsening *job, BwError *err)
{
    BwLevel *coarse = job->coarse;
    BwPool *pool = job->pyramid->pool;
    bw_parallel_for(pool, coarse->count, BW_POISSON_GRAIN, find_coarse_uniform, job);
    BW_TRY(bw_level_reserve_blocks(job->pyramid, coarse, err));
    bw_parallel_for(pool, coarse->count, 1, build_coarse_tiles, job);
    invert_extras(coarse);
    coarse->unknowns = coarse->extra_count + (int64_t)bw_parallel_sum(pool, coarse->count, BW_POISSON_GRAIN,
                                                                      count_unknowns, coarse);
    return bw_level_reserve_values(job->pyramid, coarse, err);
}
