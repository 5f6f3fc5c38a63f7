// Which fine nodes a coarse one stands for. Fine unknowns of one coarse cell that are not connected within it
// become different unknowns, which keeps coarse levels honest about walls thinner than their cells: the
// largest part is the coarse cell itself, each other part an extra, and the nodes of those parts are
// exceptions.
#include "poisson/coarsen.h"

#include <stdlib.h>
#include <string.h>

// Fine nodes in a coarse cell that are told apart; where there are more, all of them go to the cell itself.
enum { CLUSTER_MAX = 256 };

// The fine nodes in one coarse cell, and the connected part each is in.
typedef struct Cluster {
    int count;
    int32_t node[CLUSTER_MAX];
    int part[CLUSTER_MAX]; // index of a node that stands for the part
    bool is_coupled[CLUSTER_MAX];
    bool is_too_large;
} Cluster;

static int find_part(Cluster *cluster, int n)
{
    while (cluster->part[n] != n)
        n = cluster->part[n] = cluster->part[cluster->part[n]];
    return n;
}

static void join_parts(Cluster *cluster, int a, int b)
{
    a = find_part(cluster, a);
    b = find_part(cluster, b);
    if (a < b)
        cluster->part[b] = a;
    else
        cluster->part[a] = b;
}

static void add_node(Cluster *cluster, int32_t node, bool is_coupled)
{
    if (cluster->count == CLUSTER_MAX) {
        cluster->is_too_large = true;
        return;
    }
    cluster->node[cluster->count] = node;
    cluster->part[cluster->count] = cluster->count;
    cluster->is_coupled[cluster->count] = is_coupled;
    cluster->count++;
}

// First cells of the 2x2x2 blocks of a tile: 64 of them, 16 in 2-D.
static int block_cell(int n)
{
    return 2 * (n & 3) + 16 * (n >> 2 & 3) + 128 * (n >> 4);
}

static int corner_cell(int first, int corner)
{
    return first + (corner & 1) + 8 * (corner >> 1 & 1) + 64 * (corner >> 2);
}

static bool has_coupling(const BwTileCouplings *couplings, int cell)
{
    float sum = 0.0f;
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        sum += couplings->coupling[side][cell];
    return sum > 0.0f;
}

static bool is_explicit(const BwLevel *level, int32_t t, int32_t node)
{
    for (int32_t n = level->explicit_first[t]; n < level->explicit_first[t + 1]; n++)
        if (level->explicit_node[n] == node)
            return true;
    return false;
}

// Nearly every block is full and open inside, and needs no look at its parts.
static bool is_whole(const BwLevel *fine, const BwTileCouplings *couplings, int first)
{
    int corners = fine->layers == 1 ? 4 : 8;
    for (int corner = 0; corner < corners; corner++) {
        int cell = corner_cell(first, corner);
        for (int axis = 0; axis < (fine->layers == 1 ? 2 : 3); axis++)
            if (!(corner >> axis & 1) && !(couplings->coupling[2 * axis + 1][cell] > 0.0f))
                return false;
    }
    return true;
}

// Cells of the block, joined by the couplings inside it.
static void collect_cells(const BwLevel *fine, int32_t t, const BwTileCouplings *couplings, int first,
                          Cluster *cluster)
{
    int index[8];
    int corners = fine->layers == 1 ? 4 : 8;
    for (int corner = 0; corner < corners; corner++) {
        int cell = corner_cell(first, corner);
        index[corner] = couplings->unknown[cell] > 0.0f ? cluster->count : -1;
        if (index[corner] < 0)
            continue;
        int32_t node = t * fine->cells + bw_place_of(cell, fine->half);
        add_node(cluster, node, has_coupling(couplings, cell) || is_explicit(fine, t, node));
    }
    for (int corner = 0; corner < corners; corner++)
        for (int axis = 0; axis < 3; axis++)
            if (!(corner >> axis & 1) && index[corner] >= 0 &&
                couplings->coupling[2 * axis + 1][corner_cell(first, corner)] > 0.0f)
                join_parts(cluster, index[corner], index[corner | 1 << axis]);
}

static int find_node(const Cluster *cluster, int32_t node)
{
    for (int n = 0; n < cluster->count; n++)
        if (cluster->node[n] == node)
            return n;
    return -1;
}

// Extras of the fine level in the block, joined by their couplings.
static void collect_extras(const BwLevel *fine, int32_t t, int first, Cluster *cluster)
{
    int32_t first_node = (fine->count + 1) * fine->cells;
    int cells = cluster->count;
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++)
        if ((fine->extra_cell[e] & ~(1 | 8 | 64)) == first)
            add_node(cluster, first_node + e, fine->coupling_first[e] < fine->coupling_first[e + 1]);
    for (int n = cells; n < cluster->count; n++) {
        int32_t e = cluster->node[n] - first_node;
        for (int32_t l = fine->coupling_first[e]; l < fine->coupling_first[e + 1]; l++) {
            int other = find_node(cluster, fine->couplings[l].other);
            if (other >= 0)
                join_parts(cluster, n, other);
        }
    }
}

// The part that the coarse cell itself stands for: the largest one with couplings, -1 where none has.
static int main_part(Cluster *cluster)
{
    int size[CLUSTER_MAX], best = -1;
    memset(size, 0, (size_t)cluster->count * sizeof *size);
    for (int n = 0; n < cluster->count; n++)
        if (cluster->is_coupled[n])
            size[find_part(cluster, n)]++;
    for (int n = 0; n < cluster->count; n++)
        if (size[n] > 0 && (best < 0 || size[n] > size[best]))
            best = n;
    return best;
}

typedef struct Split {
    int32_t extras, exceptions;
} Split;

// Decides where the nodes of one block go. `first_extra` is the coarse node of the next extra; with
// `is_counting` nothing is written.
static Split split_block(const BwCoarsening *job, int32_t t, Cluster *cluster, int32_t first_extra,
                         int32_t exception, int cell, bool is_counting)
{
    BwLevel *fine = job->fine, *coarse = job->coarse;
    int32_t first_node = (fine->count + 1) * fine->cells, first_coarse = (coarse->count + 1) * coarse->cells;
    int32_t cell_node = fine->parent[t] * coarse->cells + bw_place_of(cell, coarse->half);
    int main = main_part(cluster);
    int32_t goes_to[CLUSTER_MAX];
    Split split = {0};
    for (int n = 0; n < cluster->count; n++) {
        int part = find_part(cluster, n);
        if (part == main)
            goes_to[n] = cell_node;
        else if (!cluster->is_coupled[n])
            goes_to[n] = -1;
        else if (part != n)
            goes_to[n] = goes_to[part];
        else {
            goes_to[n] = first_extra + split.extras++;
            if (!is_counting) {
                coarse->extra_cell[goes_to[n] - first_coarse] = cell;
                coarse->extra_tile[goes_to[n] - first_coarse] = fine->parent[t];
            }
        }
        if (cluster->node[n] >= first_node) {
            if (!is_counting)
                fine->extra_coarse[cluster->node[n] - first_node] = goes_to[n];
        } else if (goes_to[n] != cell_node) {
            if (!is_counting)
                fine->exceptions[exception + split.exceptions] = (BwException){cluster->node[n], goes_to[n]};
            split.exceptions++;
        }
    }
    return split;
}

static int compare_exceptions(const void *a, const void *b)
{
    int32_t x = ((const BwException *)a)->node, y = ((const BwException *)b)->node;
    return x < y ? -1 : x > y;
}

static Split split_tile(const BwCoarsening *job, int32_t t, bool is_counting)
{
    BwLevel *fine = job->fine;
    Split sum = {0};
    bool has_extras = fine->extra_first[t] < fine->extra_first[t + 1];
    if (fine->uniform[t] > 0.0f && bw_level_masks(fine, t) == NULL && !has_extras)
        return sum;
    BwTileCouplings couplings;
    bw_level_load_couplings(fine, t, &couplings);
    for (int n = 0; n < fine->cells >> (fine->layers == 1 ? 2 : 3); n++) {
        int first = block_cell(n);
        if (!has_extras && is_whole(fine, &couplings, first))
            continue;
        Cluster cluster;
        cluster.count = 0;
        cluster.is_too_large = false;
        collect_cells(fine, t, &couplings, first, &cluster);
        if (has_extras)
            collect_extras(fine, t, first, &cluster);
        if (cluster.is_too_large || cluster.count == 0)
            continue;
        Split split = split_block(job, t, &cluster, is_counting ? 0 : job->extras_of_tile[t] + sum.extras,
                                  fine->exception_first[t] + sum.exceptions, bw_coarse_cell(fine, t, first),
                                  is_counting);
        sum.extras += split.extras;
        sum.exceptions += split.exceptions;
    }
    if (!is_counting)
        qsort(fine->exceptions + fine->exception_first[t], (size_t)sum.exceptions, sizeof(BwException),
              compare_exceptions);
    return sum;
}

static void count_splits(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        Split split = split_tile(job, t, true);
        job->extras_of_tile[t] = split.extras;
        job->fine->exception_first[t] = split.exceptions;
    }
}

static void fill_splits(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwCoarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        if (job->fine->exception_first[t] < job->fine->exception_first[t + 1] ||
            job->fine->extra_first[t] < job->fine->extra_first[t + 1])
            split_tile(job, t, false);
}

// Counts become first numbers: exceptions by fine tile, extras by coarse tile and then by fine tile.
static void number_splits(BwCoarsening *job)
{
    BwLevel *fine = job->fine, *coarse = job->coarse;
    int32_t exceptions = 0, extras = 0;
    for (int32_t t = 1; t <= fine->count + 1; t++) {
        int32_t count = t <= fine->count ? fine->exception_first[t] : 0;
        fine->exception_first[t] = exceptions;
        exceptions += count;
    }
    for (int32_t t = 1; t <= coarse->count; t++) {
        coarse->extra_first[t] = extras;
        for (int octant = 0; octant < 8; octant++) {
            int32_t child = coarse->child[t][octant];
            if (child == 0)
                continue;
            int32_t count = job->extras_of_tile[child];
            job->extras_of_tile[child] = (coarse->count + 1) * coarse->cells + extras;
            extras += count;
        }
    }
    coarse->extra_first[coarse->count + 1] = coarse->extra_count = extras;
}

BwResult bw_coarsen_split(BwCoarsening *job, BwError *err)
{
    BwLevel *fine = job->fine, *coarse = job->coarse;
    const BwPyramid *pyramid = job->pyramid;
    job->extras_of_tile = bw_level_alloc(pyramid, (size_t)fine->count + 1, sizeof(int32_t));
    if (job->extras_of_tile == NULL)
        return bw_fail_memory(err);
    bw_parallel_for(pyramid->pool, fine->count, BW_POISSON_GRAIN, count_splits, job);
    number_splits(job);
    size_t extras = (size_t)coarse->extra_count;
    fine->exceptions =
        bw_level_alloc(pyramid, (size_t)fine->exception_first[fine->count + 1], sizeof *fine->exceptions);
    fine->extra_coarse = bw_level_alloc(pyramid, (size_t)fine->extra_count, sizeof *fine->extra_coarse);
    coarse->extra_cell = bw_level_alloc(pyramid, extras, sizeof *coarse->extra_cell);
    coarse->extra_tile = bw_level_alloc(pyramid, extras, sizeof *coarse->extra_tile);
    coarse->extra_diagonal = bw_workspace_alloc_zeroed(pyramid->workspace, extras * sizeof(float));
    coarse->extra_mass = bw_workspace_alloc_zeroed(pyramid->workspace, extras * sizeof(float));
    coarse->extra_inverse = bw_level_alloc(pyramid, extras, sizeof *coarse->extra_inverse);
    coarse->coupling_first = bw_workspace_alloc_zeroed(pyramid->workspace, (extras + 1) * sizeof(int32_t));
    if (fine->exceptions == NULL || fine->extra_coarse == NULL || coarse->extra_cell == NULL ||
        coarse->extra_tile == NULL || coarse->extra_diagonal == NULL || coarse->extra_mass == NULL ||
        coarse->extra_inverse == NULL || coarse->coupling_first == NULL)
        return bw_fail_memory(err);
    // Where a cell holds more than CLUSTER_MAX this stays.
    for (int32_t e = 0; e < fine->extra_count; e++)
        fine->extra_coarse[e] =
            fine->parent[fine->extra_tile[e]] * coarse->cells +
            bw_place_of(bw_coarse_cell(fine, fine->extra_tile[e], fine->extra_cell[e]), coarse->half);
    bw_parallel_for(pyramid->pool, fine->count, BW_POISSON_GRAIN, fill_splits, job);
    return BW_OK;
}

int32_t bw_level_coarse_node(const BwLevel *fine, const BwLevel *coarse, int32_t node)
{
    if (bw_is_extra(fine, node))
        return fine->extra_coarse[node - (fine->count + 1) * fine->cells];
    int32_t t = node / fine->cells;
    const BwException *exception = bw_exception_find(fine, t, node);
    if (exception != NULL)
        return exception->coarse;
    int cell = bw_coarse_cell(fine, t, bw_cell_of(node % fine->cells, fine->half));
    return fine->parent[t] * coarse->cells + bw_place_of(cell, coarse->half);
}
