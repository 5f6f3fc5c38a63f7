// From one level of the pyramid to the next: aggregation of 2x2x2 cells (2x2 in 2-D), split by connectivity.
//
// A coarse link is half the sum of the fine links it stands for: piecewise-constant transfer makes
// corrections too small, and the half makes up for it. What ties a cell to fixed values is scaled by 0.6,
// which was found to save an iteration against 0.5; mass is summed as it is.
//
// Splitting keeps coarse levels honest about walls thinner than their cells: fine unknowns of one coarse cell
// that are not connected within it become different unknowns.
#include "operate/pyramid.h"

#include <stdlib.h>
#include <string.h>

static const float link_scale = 0.5f;
static const float fixed_scale = 0.9f;

// Fine nodes in a coarse cell that are told apart; where there are more, all of them go to the cell itself.
enum { CLUSTER_MAX = 256 };

// Where a coarse value changes for what a fine link or an extra brings: a row of BwTileLinks, then the
// diagonal beyond links, then mass.
enum { ADD_EXTRA = BW_BESIDE_COUNT, ADD_MASS };

typedef struct Addition {
    int32_t node;
    int32_t row;
    float value;
} Addition;

typedef struct Tie {
    int32_t node, other;
    float weight;
} Tie;

typedef struct Coarsening {
    const BwPyramid *pyramid;
    BwLevel *fine, *coarse;
    int32_t *extras_of_tile; // by fine tile: coarse extras made there, then the number of the first
    Tie *ties;
    Addition *additions;
    int64_t tie_count, addition_count;
} Coarsening;

static int compare_coords(const void *a, const void *b)
{
    return bw_tile_coord_compare(*(const BwTileCoord *)a, *(const BwTileCoord *)b);
}

// The tile at a coordinate, or 0.
static int32_t find_tile(const BwLevel *level, BwTileCoord coord)
{
    int32_t low = 1, high = level->count;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        int order = bw_tile_coord_compare(level->coord[middle], coord);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return 0;
}

static BwTileCoord coarse_coord(BwTileCoord fine)
{
    return (BwTileCoord){fine.x >> 1, fine.y >> 1, fine.z >> 1};
}

static int octant_of(BwTileCoord fine)
{
    return (fine.x & 1) | (fine.y & 1) << 1 | (fine.z & 1) << 2;
}

// The coordinate across a face; wraps where the level's tiles fit the period.
static BwTileCoord coord_beside(const BwLevel *level, BwTileCoord coord, int side)
{
    int32_t *axis = side / 2 == 0 ? &coord.x : side / 2 == 1 ? &coord.y : &coord.z;
    int32_t period = level->period[side / 2];
    *axis += side % 2 ? 1 : -1;
    if (period > 0 && period % BW_TILE == 0)
        *axis = (*axis + period / BW_TILE) % (period / BW_TILE);
    return coord;
}

static void link_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Coarsening *job = context;
    BwLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            coarse->beside[t][side] = coarse->layers == 1 && side >= BW_Z_LOW
                                          ? 0
                                          : find_tile(coarse, coord_beside(coarse, coarse->coord[t], side));
}

static void find_parents(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Coarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        job->fine->parent[t] = find_tile(job->coarse, coarse_coord(job->fine->coord[t]));
}

static BwResult build_topology(Coarsening *job, BwError *err)
{
    BwLevel *fine = job->fine, *coarse = job->coarse;
    BwTileCoord *coords = bw_level_alloc(job->pyramid, (size_t)fine->count, sizeof *coords);
    if (coords == NULL)
        return bw_fail_memory(err);
    int32_t count = 0;
    for (int32_t t = 1; t <= fine->count; t++) {
        BwTileCoord coord = coarse_coord(fine->coord[t]);
        if (count == 0 || !bw_tile_coord_equal(coords[count - 1], coord))
            coords[count++] = coord;
    }
    qsort(coords, (size_t)count, sizeof *coords, compare_coords);
    coarse->count = 0;
    for (int32_t n = 0; n < count; n++)
        if (n == 0 || !bw_tile_coord_equal(coords[n - 1], coords[n]))
            coords[coarse->count++] = coords[n];
    BW_TRY(bw_level_reserve_tiles(job->pyramid, coarse, err));
    memcpy(coarse->coord + 1, coords, (size_t)coarse->count * sizeof *coords);
    bw_parallel_for(job->pyramid->pool, coarse->count, 64, link_tiles, job);
    bw_parallel_for(job->pyramid->pool, fine->count, 64, find_parents, job);
    memset(coarse->child, 0, ((size_t)coarse->count + 1) * sizeof *coarse->child);
    for (int32_t t = 1; t <= fine->count; t++)
        coarse->child[fine->parent[t]][octant_of(fine->coord[t])] = t;
    return BW_OK;
}

// The coarse cell, in its tile, of a cell in a fine tile.
static int coarse_cell(const BwLevel *fine, int32_t t, int cell)
{
    BwTileCoord c = fine->coord[t];
    int x = (cell & 7) + 8 * (c.x & 1), y = (cell >> 3 & 7) + 8 * (c.y & 1);
    int z = fine->layers == 1 ? 0 : (cell >> 6) + 8 * (c.z & 1);
    return x / 2 + 8 * (y / 2) + 64 * (z / 2);
}

static const BwException *find_exception(const BwLevel *fine, int32_t t, int32_t node)
{
    int32_t low = fine->exception_first[t], high = fine->exception_first[t + 1] - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        if (fine->exceptions[middle].node == node)
            return &fine->exceptions[middle];
        if (fine->exceptions[middle].node < node)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

int32_t bw_level_coarse_node(const BwLevel *fine, const BwLevel *coarse, int32_t node)
{
    if (bw_is_extra(fine, node))
        return fine->extra_coarse[node - (fine->count + 1) * fine->cells];
    int32_t t = node / fine->cells;
    const BwException *exception = find_exception(fine, t, node);
    if (exception != NULL)
        return exception->coarse;
    int cell = coarse_cell(fine, t, bw_cell_of(node % fine->cells, fine->half));
    return fine->parent[t] * coarse->cells + bw_place_of(cell, coarse->half);
}

// The fine nodes in one coarse cell, and the connected part each is in.
typedef struct Cluster {
    int count;
    int32_t node[CLUSTER_MAX];
    int part[CLUSTER_MAX]; // index of a node that stands for the part
    bool is_linked[CLUSTER_MAX];
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

static void add_node(Cluster *cluster, int32_t node, bool is_linked)
{
    if (cluster->count == CLUSTER_MAX) {
        cluster->is_too_large = true;
        return;
    }
    cluster->node[cluster->count] = node;
    cluster->part[cluster->count] = cluster->count;
    cluster->is_linked[cluster->count] = is_linked;
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

static bool has_link(const BwTileLinks *links, int cell)
{
    float sum = 0.0f;
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        sum += links->link[side][cell];
    return sum > 0.0f;
}

static bool is_tied(const BwLevel *level, int32_t t, int32_t node)
{
    for (int32_t n = level->tied_first[t]; n < level->tied_first[t + 1]; n++)
        if (level->tied_node[n] == node)
            return true;
    return false;
}

// Nearly every block is full and open inside, and needs no look at its parts.
static bool is_whole(const BwLevel *fine, const BwTileLinks *links, int first)
{
    int corners = fine->layers == 1 ? 4 : 8;
    for (int corner = 0; corner < corners; corner++) {
        int cell = corner_cell(first, corner);
        for (int axis = 0; axis < (fine->layers == 1 ? 2 : 3); axis++)
            if (!(corner >> axis & 1) && !(links->link[2 * axis + 1][cell] > 0.0f))
                return false;
    }
    return true;
}

// Cells of the block, joined by the links inside it.
static void collect_cells(const BwLevel *fine, int32_t t, const BwTileLinks *links, int first,
                          Cluster *cluster)
{
    int index[8];
    int corners = fine->layers == 1 ? 4 : 8;
    for (int corner = 0; corner < corners; corner++) {
        int cell = corner_cell(first, corner);
        index[corner] = links->unknown[cell] > 0.0f ? cluster->count : -1;
        if (index[corner] < 0)
            continue;
        int32_t node = t * fine->cells + bw_place_of(cell, fine->half);
        add_node(cluster, node, has_link(links, cell) || is_tied(fine, t, node));
    }
    for (int corner = 0; corner < corners; corner++)
        for (int axis = 0; axis < 3; axis++)
            if (!(corner >> axis & 1) && index[corner] >= 0 &&
                links->link[2 * axis + 1][corner_cell(first, corner)] > 0.0f)
                join_parts(cluster, index[corner], index[corner | 1 << axis]);
}

static int find_node(const Cluster *cluster, int32_t node)
{
    for (int n = 0; n < cluster->count; n++)
        if (cluster->node[n] == node)
            return n;
    return -1;
}

// Extras of the fine level in the block, joined by their links.
static void collect_extras(const BwLevel *fine, int32_t t, int first, Cluster *cluster)
{
    int32_t first_node = (fine->count + 1) * fine->cells;
    int cells = cluster->count;
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++)
        if ((fine->extra_cell[e] & ~(1 | 8 | 64)) == first)
            add_node(cluster, first_node + e, fine->link_first[e] < fine->link_first[e + 1]);
    for (int n = cells; n < cluster->count; n++) {
        int32_t e = cluster->node[n] - first_node;
        for (int32_t l = fine->link_first[e]; l < fine->link_first[e + 1]; l++) {
            int other = find_node(cluster, fine->links[l].other);
            if (other >= 0)
                join_parts(cluster, n, other);
        }
    }
}

// The part that the coarse cell itself stands for: the largest one with links, -1 where none has.
static int main_part(Cluster *cluster)
{
    int size[CLUSTER_MAX] = {0};
    int best = -1;
    for (int n = 0; n < cluster->count; n++)
        if (cluster->is_linked[n])
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
static Split split_block(const Coarsening *job, int32_t t, Cluster *cluster, int32_t first_extra,
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
        else if (!cluster->is_linked[n])
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

static Split split_tile(const Coarsening *job, int32_t t, bool is_counting)
{
    BwLevel *fine = job->fine;
    Split sum = {0};
    bool has_extras = fine->extra_first[t] < fine->extra_first[t + 1];
    if (fine->uniform[t] > 0.0f && bw_level_masks(fine, t) == NULL && !has_extras)
        return sum;
    BwTileLinks links;
    bw_level_load_links(fine, t, &links);
    for (int n = 0; n < fine->cells >> (fine->layers == 1 ? 2 : 3); n++) {
        int first = block_cell(n);
        if (!has_extras && is_whole(fine, &links, first))
            continue;
        Cluster cluster;
        cluster.count = 0;
        cluster.is_too_large = false;
        collect_cells(fine, t, &links, first, &cluster);
        if (has_extras)
            collect_extras(fine, t, first, &cluster);
        if (cluster.is_too_large)
            continue;
        Split split =
            split_block(job, t, &cluster, is_counting ? 0 : job->extras_of_tile[t] + sum.extras,
                        fine->exception_first[t] + sum.exceptions, coarse_cell(fine, t, first), is_counting);
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
    const Coarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        Split split = split_tile(job, t, true);
        job->extras_of_tile[t] = split.extras;
        job->fine->exception_first[t] = split.exceptions;
    }
}

static void fill_splits(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Coarsening *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        if (job->fine->exception_first[t] < job->fine->exception_first[t + 1] ||
            job->fine->extra_first[t] < job->fine->extra_first[t + 1])
            split_tile(job, t, false);
}

// Counts become first numbers: exceptions by fine tile, extras by coarse tile and then by fine tile.
static void number_splits(Coarsening *job)
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

static BwResult split_aggregates(Coarsening *job, BwError *err)
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
    coarse->link_first = bw_workspace_alloc_zeroed(pyramid->workspace, (extras + 1) * sizeof(int32_t));
    if (fine->exceptions == NULL || fine->extra_coarse == NULL || coarse->extra_cell == NULL ||
        coarse->extra_tile == NULL || coarse->extra_diagonal == NULL || coarse->extra_mass == NULL ||
        coarse->extra_inverse == NULL || coarse->link_first == NULL)
        return bw_fail_memory(err);
    // Where a cell holds more than CLUSTER_MAX this stays.
    for (int32_t e = 0; e < fine->extra_count; e++)
        fine->extra_coarse[e] =
            fine->parent[fine->extra_tile[e]] * coarse->cells +
            bw_place_of(coarse_cell(fine, fine->extra_tile[e], fine->extra_cell[e]), coarse->half);
    bw_parallel_for(pyramid->pool, fine->count, BW_POISSON_GRAIN, fill_splits, job);
    return BW_OK;
}

// Does the link of this cell to one side cross a period that the coarse tiles do not fit?
static bool crosses_seam(const Coarsening *job, int32_t t, int cell, int side)
{
    int axis = side / 2;
    int32_t period = job->fine->period[axis];
    if (period == 0 || period % BW_TILE != 0 || job->coarse->period[axis] % BW_TILE == 0)
        return false;
    BwTileCoord coord = job->fine->coord[t];
    int32_t tile = axis == 0 ? coord.x : axis == 1 ? coord.y : coord.z;
    int32_t at = tile * BW_TILE + (cell >> (3 * axis) & 7);
    return side % 2 ? at == period - 1 : at == 0;
}

static bool touches_seam(const Coarsening *job, int32_t t)
{
    return crosses_seam(job, t, 0, BW_X_LOW) || crosses_seam(job, t, 7, BW_X_HIGH) ||
           crosses_seam(job, t, 0, BW_Y_LOW) || crosses_seam(job, t, 56, BW_Y_HIGH) ||
           crosses_seam(job, t, 0, BW_Z_LOW) || crosses_seam(job, t, 448, BW_Z_HIGH);
}

static int32_t node_beside(const BwLevel *level, int32_t t, int cell, int side)
{
    static const int step[3] = {1, 8, 64};
    int place = cell >> (3 * (side / 2)) & 7, sign = side % 2 ? 1 : -1;
    bool is_inside = side % 2 ? place < 7 : place > 0;
    int other = cell + (is_inside ? sign : -7 * sign) * step[side / 2];
    return (is_inside ? t : level->beside[t][side]) * level->cells + bw_place_of(other, level->half);
}

static bool has_exceptions(const BwLevel *level, int32_t t)
{
    return level->exception_first[t] < level->exception_first[t + 1];
}

static bool is_exception(const BwLevel *level, int32_t node)
{
    return find_exception(level, node / level->cells, node) != NULL;
}

static void add_value(Coarsening *job, int32_t node, int row, float value)
{
    if (node < 0 || value == 0.0f)
        return;
    int32_t e = node - (job->coarse->count + 1) * job->coarse->cells;
    if (e >= 0 && row == ADD_EXTRA)
        job->coarse->extra_diagonal[e] += value;
    else if (e >= 0)
        job->coarse->extra_mass[e] += value;
    else
        job->additions[job->addition_count++] = (Addition){node, row, value};
}

// A tie between coarse nodes. Nodes of one colour cannot be tied, which an odd period would ask for. There
// w (x - y)^2 <= 2 w (x^2 + y^2) goes to the two diagonals: the coarse matrix may be stiffer than it should,
// but were it softer the cycle would overshoot and not be positive.
static void add_tie(Coarsening *job, int32_t node, int32_t other, float weight)
{
    if (node < 0 || other < 0 || node == other)
        return;
    if (bw_node_color(job->coarse, node) == bw_node_color(job->coarse, other))
        add_value(job, node, ADD_EXTRA, 2.0f * link_scale * weight);
    else
        job->ties[job->tie_count++] = (Tie){node, other, link_scale * weight};
}

// Diagonal that a fine node brings, beyond links.
static void add_diagonal(Coarsening *job, int32_t node, float extra, float mass)
{
    add_value(job, node, ADD_EXTRA, fixed_scale * (extra - mass) + mass);
    add_value(job, node, ADD_MASS, mass);
}

// What the exceptions of a tile bring: their diagonal, and ties in place of their links.
static void tie_exceptions(Coarsening *job, int32_t t, const BwTileLinks *links)
{
    const BwLevel *fine = job->fine;
    for (int32_t n = fine->exception_first[t]; n < fine->exception_first[t + 1]; n++) {
        BwException exception = fine->exceptions[n];
        int cell = bw_cell_of(exception.node % fine->cells, fine->half);
        add_diagonal(job, exception.coarse, links->extra[cell], links->mass[cell]);
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            float weight = links->link[side][cell];
            if (weight == 0.0f)
                continue;
            int32_t other = node_beside(fine, t, cell, side);
            int32_t coarse_other = bw_level_coarse_node(fine, job->coarse, other);
            add_tie(job, exception.coarse, coarse_other, weight);
            if (!is_exception(fine, other) && !crosses_seam(job, t, cell, side))
                add_tie(job, coarse_other, exception.coarse, weight);
        }
    }
}

static void tie_seam(Coarsening *job, int32_t t, const BwTileLinks *links)
{
    const BwLevel *fine = job->fine;
    for (int cell = 0; cell < fine->cells; cell++)
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            int32_t node = t * fine->cells + bw_place_of(cell, fine->half);
            if (links->link[side][cell] == 0.0f || !crosses_seam(job, t, cell, side) ||
                is_exception(fine, node))
                continue;
            add_tie(job, bw_level_coarse_node(fine, job->coarse, node),
                    bw_level_coarse_node(fine, job->coarse, node_beside(fine, t, cell, side)),
                    links->link[side][cell]);
        }
}

// The side on which one coarse cell of a tile lies beside another, or -1.
static int side_between(const BwLevel *coarse, int32_t node, int32_t other)
{
    if (bw_is_extra(coarse, node) || bw_is_extra(coarse, other))
        return -1;
    int cell = bw_cell_of(node % coarse->cells, coarse->half);
    for (int side = 0; side < (coarse->layers == 1 ? 4 : 6); side++)
        if (node_beside(coarse, node / coarse->cells, cell, side) == other)
            return side;
    return -1;
}

// A link of the fine level that was explicit already.
static void carry_link(Coarsening *job, int32_t node, BwLink link)
{
    int32_t from = bw_level_coarse_node(job->fine, job->coarse, node);
    int32_t to = bw_level_coarse_node(job->fine, job->coarse, link.other);
    if (from < 0 || to < 0 || from == to)
        return;
    int side = side_between(job->coarse, from, to);
    if (side >= 0)
        add_value(job, from, side, link_scale * link.weight);
    else
        add_tie(job, from, to, link.weight);
}

static void carry_tile(Coarsening *job, int32_t t)
{
    const BwLevel *fine = job->fine;
    int32_t first_extra = (fine->count + 1) * fine->cells;
    for (int32_t n = fine->tied_first[t]; n < fine->tied_first[t + 1]; n++)
        for (int32_t l = fine->tied_link_first[n]; l < fine->tied_link_first[n + 1]; l++)
            carry_link(job, fine->tied_node[n], fine->links[l]);
    for (int32_t e = fine->extra_first[t]; e < fine->extra_first[t + 1]; e++) {
        add_diagonal(job, fine->extra_coarse[e], fine->extra_diagonal[e], fine->extra_mass[e]);
        for (int32_t l = fine->link_first[e]; l < fine->link_first[e + 1]; l++)
            carry_link(job, first_extra + e, fine->links[l]);
    }
}

static int compare_ties(const void *a, const void *b)
{
    const Tie *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->other != y->other)
        return x->other < y->other ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static int compare_additions(const void *a, const void *b)
{
    const Addition *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static BwResult reserve_ties(Coarsening *job, BwError *err)
{
    const BwLevel *fine = job->fine;
    int64_t seam_cells = 0;
    for (int32_t t = 1; t <= fine->count; t++)
        seam_cells += touches_seam(job, t) ? BW_BESIDE_COUNT * BW_TILE_LAYER : 0;
    int64_t exceptions = fine->exception_first[fine->count + 1];
    size_t ties = (size_t)(12 * exceptions + fine->link_count + seam_cells);
    size_t additions = ties + (size_t)(fine->link_count + 2 * (int64_t)fine->extra_count);
    job->ties = bw_level_alloc(job->pyramid, ties, sizeof *job->ties);
    job->additions = bw_level_alloc(job->pyramid, additions, sizeof *job->additions);
    return job->ties != NULL && job->additions != NULL ? BW_OK : bw_fail_memory(err);
}

static void collect_ties(Coarsening *job)
{
    const BwLevel *fine = job->fine;
    for (int32_t t = 1; t <= fine->count; t++) {
        bool is_at_seam = touches_seam(job, t);
        if (has_exceptions(fine, t) || is_at_seam) {
            BwTileLinks links;
            bw_level_load_links(fine, t, &links);
            tie_exceptions(job, t, &links);
            if (is_at_seam)
                tie_seam(job, t, &links);
        }
        carry_tile(job, t);
    }
    qsort(job->ties, (size_t)job->tie_count, sizeof *job->ties, compare_ties);
    qsort(job->additions, (size_t)job->addition_count, sizeof *job->additions, compare_additions);
}

// Sorted ties become links: of tied cells first, in the order of tiles, then of extras.
static BwResult store_ties(Coarsening *job, BwError *err)
{
    BwLevel *coarse = job->coarse;
    int32_t first_extra = (coarse->count + 1) * coarse->cells;
    coarse->links = bw_level_alloc(job->pyramid, (size_t)job->tie_count, sizeof *coarse->links);
    coarse->tied_node = bw_level_alloc(job->pyramid, (size_t)job->tie_count, sizeof *coarse->tied_node);
    coarse->tied_link_first =
        bw_level_alloc(job->pyramid, (size_t)job->tie_count + 1, sizeof *coarse->tied_link_first);
    if (coarse->links == NULL || coarse->tied_node == NULL || coarse->tied_link_first == NULL)
        return bw_fail_memory(err);
    int32_t tied = 0, e = 0, t = 0, count = 0;
    int32_t last_node = -1, last_other = -1;
    for (int64_t n = 0; n < job->tie_count; n++) {
        Tie tie = job->ties[n];
        if (tie.node == last_node && tie.other == last_other) {
            coarse->links[count - 1].weight += tie.weight;
            continue;
        }
        if (tie.node != last_node && tie.node < first_extra) {
            while (t <= tie.node / coarse->cells)
                coarse->tied_first[t++] = tied;
            coarse->tied_link_first[tied] = count;
            coarse->tied_node[tied++] = tie.node;
        }
        if (tie.node >= first_extra) {
            if (last_node < first_extra)
                coarse->tied_link_first[tied] = count;
            while (e <= tie.node - first_extra)
                coarse->link_first[e++] = count;
        }
        last_node = tie.node;
        last_other = tie.other;
        coarse->links[count++] = (BwLink){tie.other, tie.weight};
    }
    if (last_node < first_extra)
        coarse->tied_link_first[tied] = count;
    while (t <= coarse->count + 1)
        coarse->tied_first[t++] = tied;
    while (e <= coarse->extra_count)
        coarse->link_first[e++] = count;
    coarse->link_count = count;
    return BW_OK;
}

// A coarse tile is uniform where eight inner tiles of one coefficient meet, untouched by ties.
static float uniform_of_children(const Coarsening *job, int32_t t)
{
    const BwLevel *fine = job->fine, *coarse = job->coarse;
    int32_t first = coarse->child[t][0];
    for (int octant = 0; octant < (coarse->layers == 1 ? 4 : 8); octant++) {
        int32_t child = coarse->child[t][octant];
        if (child == 0 || !fine->is_inner[child] || fine->uniform[child] != fine->uniform[first] ||
            touches_seam(job, child))
            return 0.0f;
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (has_exceptions(fine, fine->beside[child][side]))
                return 0.0f;
    }
    return fine->uniform[first] * (coarse->layers == 1 ? 1.0f : 2.0f);
}

static void find_coarse_uniform(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Coarsening *job = context;
    BwLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        bool is_tied_tile = coarse->tied_first[t] < coarse->tied_first[t + 1];
        coarse->uniform[t] = is_tied_tile ? 0.0f : uniform_of_children(job, t);
        coarse->is_inner[t] = coarse->uniform[t] > 0.0f;
        coarse->filled[t][0] = coarse->filled[t][1] = (uint16_t)((1 << 2 * coarse->layers) - 1);
    }
}

static bool is_near_exceptions(const BwLevel *fine, int32_t t)
{
    bool is_near = has_exceptions(fine, t);
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        is_near |= has_exceptions(fine, fine->beside[t][side]);
    return is_near;
}

// Takes out of a fine tile what ties stand for: exceptions, links to exceptions, links across the seam.
static void leave_out_ties(const Coarsening *job, int32_t t, BwTileLinks *links)
{
    const BwLevel *fine = job->fine;
    for (int cell = 0; cell < fine->cells; cell++) {
        bool is_out = is_exception(fine, t * fine->cells + bw_place_of(cell, fine->half));
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (links->link[side][cell] > 0.0f && (is_out || crosses_seam(job, t, cell, side) ||
                                                   is_exception(fine, node_beside(fine, t, cell, side))))
                links->link[side][cell] = 0.0f;
        if (is_out) {
            links->extra[cell] = links->mass[cell] = 0.0f;
            links->unknown[cell] = 0.0f;
        }
    }
}

// Sums of neighbours in pairs of rows and of layers: what eight fine cells of a row pair give to four coarse
// ones.
typedef struct PairRows {
    BwRows low, high; // layers k and k + 1
} PairRows;

static PairRows load_pair(const BwLevel *fine, const float *values, int at)
{
    BwRows none = {0};
    return (PairRows){bw_rows_load(values + at), fine->layers == 1 ? none : bw_rows_load(values + at + 64)};
}

static void add_to_cells(BwRows rows, float factor, bool takes_even, bool takes_odd, float *coarse)
{
    for (int i = 0; i < 4; i++) {
        float sum = 0.0f;
        if (takes_even)
            sum += rows[2 * i] + rows[8 + 2 * i];
        if (takes_odd)
            sum += rows[2 * i + 1] + rows[8 + 2 * i + 1];
        coarse[i] += factor * sum;
    }
}

// Adds a fine tile to the coarse one that holds it: of each link the two layers, rows or columns that lie on
// that side of the coarse cells.
static void aggregate(const BwLevel *fine, int32_t t, const BwTileLinks *links, BwTileLinks *coarse)
{
    const BwRows zero = {0};
    const BwLanes first_row = bw_lanes(0x00ff), second_row = bw_lanes(0xff00);
    for (int k = 0; k < fine->layers; k += 2)
        for (int j = 0; j < BW_TILE; j += 2) {
            int at = 64 * k + 8 * j, to = coarse_cell(fine, t, at);
            PairRows pair[BW_BESIDE_COUNT];
            for (int side = 0; side < BW_BESIDE_COUNT; side++)
                pair[side] = load_pair(fine, links->link[side], at);
            add_to_cells(pair[0].low + pair[0].high, link_scale, true, false, coarse->link[0] + to);
            add_to_cells(pair[1].low + pair[1].high, link_scale, false, true, coarse->link[1] + to);
            add_to_cells(bw_rows_keep(pair[2].low + pair[2].high, first_row), link_scale, true, true,
                         coarse->link[2] + to);
            add_to_cells(bw_rows_keep(pair[3].low + pair[3].high, second_row), link_scale, true, true,
                         coarse->link[3] + to);
            add_to_cells(pair[4].low, link_scale, true, true, coarse->link[4] + to);
            add_to_cells(pair[5].high, link_scale, true, true, coarse->link[5] + to);
            PairRows extra = load_pair(fine, links->extra, at), mass = load_pair(fine, links->mass, at);
            BwRows mass_sum = mass.low + mass.high;
            add_to_cells(fixed_scale * (extra.low + extra.high - mass_sum) + mass_sum, 1.0f, true, true,
                         coarse->extra + to);
            add_to_cells(mass_sum, 1.0f, true, true, coarse->mass + to);
            PairRows unknown = load_pair(fine, links->unknown, at);
            add_to_cells(bw_rows_keep(zero + 1.0f, unknown.low + unknown.high > 0.0f), 1.0f, true, true,
                         coarse->unknown + to);
        }
}

// Sums of fine links that were explicit and are plain ones now.
static void add_carried(const Coarsening *job, int32_t t, BwTileLinks *links)
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
        Addition addition = job->additions[low];
        int cell = bw_cell_of(addition.node % coarse->cells, coarse->half);
        links->unknown[cell] = 1.0f;
        if (addition.row == ADD_EXTRA)
            links->extra[cell] += addition.value;
        else if (addition.row == ADD_MASS)
            links->mass[cell] += addition.value;
        else
            links->link[addition.row][cell] += addition.value;
    }
}

// Ties count in the diagonal, which only its inverse knows.
static void invert_tied(BwLevel *level, int32_t t)
{
    for (int32_t n = level->tied_first[t]; n < level->tied_first[t + 1]; n++) {
        int place = level->tied_node[n] % level->cells;
        float *at = level->blocks + (int64_t)level->block[t] * level->rows * level->cells + place;
        float diagonal = 0.0f;
        for (int row = BW_LINK_SAME; row <= BW_LINK_EXTRA; row++)
            diagonal += at[row * level->cells];
        for (int32_t l = level->tied_link_first[n]; l < level->tied_link_first[n + 1]; l++)
            diagonal += level->links[l].weight;
        at[BW_LINK_INVERSE * level->cells] = 1.0f / diagonal;
        level->filled[t][place >= level->half] |= (uint16_t)(1 << (place % level->half >> 4));
    }
}

static void build_coarse_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Coarsening *job = context;
    BwLevel *fine = job->fine, *coarse = job->coarse;
    BwTileLinks links, sum;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (coarse->uniform[t] > 0.0f)
            continue;
        memset(&sum, 0, sizeof sum);
        for (int octant = 0; octant < 8; octant++) {
            int32_t child = coarse->child[t][octant];
            if (child == 0)
                continue;
            bw_level_load_links(fine, child, &links);
            if (is_near_exceptions(fine, child) || touches_seam(job, child))
                leave_out_ties(job, child, &links);
            aggregate(fine, child, &links, &sum);
        }
        add_carried(job, t, &sum);
        for (int n = 0; n < coarse->cells; n++)
            sum.unknown[n] = sum.unknown[n] > 0.0f ? 1.0f : 0.0f;
        bw_level_store_links(coarse, t, &sum);
        invert_tied(coarse, t);
    }
}

static void invert_extras(BwLevel *level)
{
    for (int32_t e = 0; e < level->extra_count; e++) {
        float diagonal = level->extra_diagonal[e];
        for (int32_t l = level->link_first[e]; l < level->link_first[e + 1]; l++)
            diagonal += level->links[l].weight;
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
            level->blocks + ((int64_t)level->block[t] * level->rows + BW_LINK_INVERSE) * level->cells;
        for (int n = 0; n < level->cells; n++)
            count += inverse[n] > 0.0f;
    }
    return (double)count;
}

BwResult bw_level_coarsen(const BwPyramid *pyramid, BwLevel *fine, BwLevel *coarse, BwError *err)
{
    *coarse = (BwLevel){.layers = fine->layers, .cells = fine->cells, .half = fine->half, .rows = fine->rows};
    for (int axis = 0; axis < 3; axis++)
        coarse->period[axis] = (fine->period[axis] + 1) / 2;
    Coarsening job = {.pyramid = pyramid, .fine = fine, .coarse = coarse};
    BW_TRY(build_topology(&job, err));
    BW_TRY(split_aggregates(&job, err));
    BW_TRY(reserve_ties(&job, err));
    collect_ties(&job);
    BW_TRY(store_ties(&job, err));
    bw_parallel_for(pyramid->pool, coarse->count, BW_POISSON_GRAIN, find_coarse_uniform, &job);
    BW_TRY(bw_level_reserve_blocks(pyramid, coarse, err));
    bw_parallel_for(pyramid->pool, coarse->count, 1, build_coarse_tiles, &job);
    invert_extras(coarse);
    coarse->unknowns =
        coarse->extra_count +
        (int64_t)bw_parallel_sum(pyramid->pool, coarse->count, BW_POISSON_GRAIN, count_unknowns, coarse);
    return bw_level_reserve_values(pyramid, coarse, err);
}
