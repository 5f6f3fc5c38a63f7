// Building the pyramid: the finest level from the system, coefficient blocks, and the direct factor of the
// last level. How a level becomes the next one is in coarsen.c.
#include "operate/pyramid.h"

#include <math.h>
#include <string.h>

// At most so many unknowns are solved directly: the factor then costs less than a sweep over a few tiles.
enum { DIRECT_MAX = 96 };

// Pivots below this share of the diagonal are those of a region that nothing fixes.
static const double pivot_min = 1e-5;

static bool is_unknown_at(const BwLevel *level, int32_t t, int cell)
{
    if (t == 0 || level->uniform[t] > 0.0f)
        return t != 0;
    const float *block = level->blocks + (int64_t)level->block[t] * level->rows * level->cells;
    return block[BW_LINK_INVERSE * level->cells + bw_place_of(cell, level->half)] > 0.0f;
}

// A uniform tile's links to cells that hold no unknown are part of its diagonal.
static void fix_rim(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    static const int step[3] = {1, 8, 64};
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        int axis = side / 2;
        int across = (side % 2 ? -7 : 7) * step[axis];
        for (int n = 0; n < level->cells; n++) {
            if ((n >> (3 * axis) & 7) != (side % 2 ? 7 : 0) ||
                is_unknown_at(level, level->beside[t][side], n + across))
                continue;
            links->extra[n] += links->link[side][n];
            links->link[side][n] = 0.0f;
        }
    }
}

static void load_uniform(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    for (int side = 0; side < BW_BESIDE_COUNT; side++) {
        float value = level->layers == 1 && side >= BW_Z_LOW ? 0.0f : level->uniform[t];
        for (int n = 0; n < level->cells; n++)
            links->link[side][n] = value;
    }
    for (int n = 0; n < level->cells; n++) {
        links->extra[n] = links->mass[n] = 0.0f;
        links->is_unknown[n] = true;
    }
    if (!level->is_inner[t])
        fix_rim(level, t, links);
}

// In which row of the block the link of a cell to one side is kept.
static int row_of_side(int cell, int side)
{
    if (side >= BW_Y_LOW)
        return side;
    return (cell & 1) == side ? BW_LINK_SHIFTED : BW_LINK_SAME;
}

void bw_level_load_links(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    if (level->uniform[t] > 0.0f) {
        load_uniform(level, t, links);
        return;
    }
    const float *block = level->blocks + (int64_t)level->block[t] * level->rows * level->cells;
    for (int n = 0; n < level->cells; n++) {
        const float *at = block + bw_place_of(n, level->half);
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            links->link[side][n] = at[row_of_side(n, side) * level->cells];
        links->extra[n] = at[BW_LINK_EXTRA * level->cells];
        links->mass[n] = level->rows > BW_LINK_MASS ? at[BW_LINK_MASS * level->cells] : 0.0f;
        links->is_unknown[n] = at[BW_LINK_INVERSE * level->cells] > 0.0f;
    }
}

void bw_level_store_links(BwLevel *level, int32_t t, const BwTileLinks *links)
{
    float *block = level->blocks + (int64_t)level->block[t] * level->rows * level->cells;
    level->filled[t][0] = level->filled[t][1] = 0;
    for (int n = 0; n < level->cells; n++) {
        int place = bw_place_of(n, level->half);
        float *at = block + place;
        float diagonal = links->extra[n];
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            at[row_of_side(n, side) * level->cells] = links->link[side][n];
            diagonal += links->link[side][n];
        }
        at[BW_LINK_EXTRA * level->cells] = links->extra[n];
        if (level->rows > BW_LINK_MASS)
            at[BW_LINK_MASS * level->cells] = links->mass[n];
        bool is_unknown = links->is_unknown[n] && diagonal > 0.0f;
        at[BW_LINK_INVERSE * level->cells] = is_unknown ? 1.0f / diagonal : 0.0f;
        if (is_unknown)
            level->filled[t][bw_color_of(n)] |= (uint16_t)(1 << (n >> 5));
    }
}

void *bw_level_alloc(const BwPyramid *pyramid, size_t count, size_t size)
{
    return bw_workspace_alloc(pyramid->workspace, count * size);
}

BwResult bw_level_reserve_tiles(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)level->count + 1;
    level->coord = bw_level_alloc(pyramid, count, sizeof *level->coord);
    level->beside = bw_level_alloc(pyramid, count, sizeof *level->beside);
    level->child = bw_level_alloc(pyramid, count, sizeof *level->child);
    level->parent = bw_level_alloc(pyramid, count, sizeof *level->parent);
    level->uniform = bw_level_alloc(pyramid, count, sizeof *level->uniform);
    level->is_inner = bw_level_alloc(pyramid, count, sizeof *level->is_inner);
    level->block = bw_level_alloc(pyramid, count, sizeof *level->block);
    level->filled = bw_level_alloc(pyramid, count, sizeof *level->filled);
    level->extra_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->tied_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->exception_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    if (level->coord == NULL || level->beside == NULL || level->child == NULL || level->parent == NULL ||
        level->uniform == NULL || level->is_inner == NULL || level->block == NULL || level->filled == NULL ||
        level->extra_first == NULL || level->tied_first == NULL || level->exception_first == NULL)
        return bw_fail_memory(err);
    memset(level->beside[0], 0, sizeof level->beside[0]);
    level->uniform[0] = 0.0f;
    level->filled[0][0] = level->filled[0][1] = 0;
    return BW_OK;
}

BwResult bw_level_reserve_values(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)bw_level_nodes(level) + BW_TILE_LAYER;
    level->x = bw_level_alloc(pyramid, count, sizeof(float));
    level->b = bw_level_alloc(pyramid, count, sizeof(float));
    if (level->x == NULL || level->b == NULL)
        return bw_fail_memory(err);
    memset(level->x, 0, (size_t)level->cells * sizeof(float));
    memset(level->b, 0, (size_t)level->cells * sizeof(float));
    return BW_OK;
}

// Numbers the blocks of the tiles that are not uniform and makes room for them.
BwResult bw_level_reserve_blocks(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    int32_t count = 0;
    for (int32_t t = 1; t <= level->count; t++)
        level->block[t] = level->uniform[t] > 0.0f ? -1 : count++;
    level->blocks =
        bw_level_alloc(pyramid, (size_t)count * (size_t)(level->rows * level->cells), sizeof(float));
    return level->blocks != NULL ? BW_OK : bw_fail_memory(err);
}

typedef struct FinestJob {
    const BwPoissonTiles *tiles;
    BwLevel *level;
} FinestJob;

static bool all_equal(const float *values, int count, int step, float value)
{
    bool differs = false;
    for (int n = 0; n < count; n++)
        differs |= values[n * step] != value;
    return !differs;
}

// The one coefficient of a tile that is full of unknowns and has no other, or 0.
static float uniform_coefficient(const BwPoissonTiles *tiles, int32_t t)
{
    BwPoissonStar star = bw_poisson_star(tiles, t);
    float value = star.face[0][0];
    for (int k = 0; k < tiles->layers; k++)
        if (tiles->tile[t].unknown[k] != UINT64_MAX)
            return 0.0f;
    for (int axis = 0; axis < tiles->system->grid->dimension; axis++)
        if (!all_equal(star.face[axis], tiles->cells, 1, value))
            return 0.0f;
    bool is_same = all_equal(star.face_high[0], tiles->cells / 8, 8, value);
    for (int k = 0; k < tiles->layers; k++)
        is_same = is_same && all_equal(star.face_high[1] + 64 * k, 8, 1, value);
    if (tiles->layers > 1)
        is_same = is_same && all_equal(star.face_high[2], 64, 1, value);
    if (star.mass != NULL)
        is_same = is_same && all_equal(star.mass, tiles->cells, 1, 0.0f);
    return is_same ? value : 0.0f;
}

static void find_uniform(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const FinestJob *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        uint64_t fixed = 0;
        for (int k = 0; k < job->tiles->layers; k++)
            fixed |= job->tiles->tile[t].fixed[k];
        job->level->uniform[t] = uniform_coefficient(job->tiles, t);
        job->level->is_inner[t] = job->level->uniform[t] > 0.0f && fixed == 0;
        job->level->filled[t][0] = job->level->filled[t][1] = (uint16_t)((1 << 2 * job->tiles->layers) - 1);
    }
}

// Open high faces of a layer: the low faces of the next cells.
static uint64_t open_high(const BwPoissonTiles *tiles, int32_t t, int axis, int k)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    const uint64_t *next = tiles->tile[tile->beside[2 * axis + 1]].open[axis];
    uint64_t own = tile->open[axis][k];
    if (axis == 0)
        return (own >> 1 & 0x7f7f7f7f7f7f7f7fu) | (next[k] & 0x0101010101010101u) << 7;
    if (axis == 1)
        return own >> 8 | next[k] << 56;
    return k + 1 < tiles->layers ? tile->open[2][k + 1] : next[0];
}

static float high_face(const BwPoissonStar *star, int axis, int n)
{
    static const int step[3] = {1, 8, 64};
    int last = axis == 2 ? star->layers - 1 : 7;
    if ((n >> (3 * axis) & 7) < last)
        return star->face[axis][n + step[axis]];
    return star->face_high[axis][n - last * step[axis]];
}

static void finest_links(const BwPoissonTiles *tiles, int32_t t, BwTileLinks *links)
{
    BwPoissonStar star = bw_poisson_star(tiles, t);
    for (int n = 0; n < tiles->cells; n++) {
        links->is_unknown[n] = bw_bit(star.unknown, n);
        links->mass[n] = star.mass != NULL && links->is_unknown[n] ? star.mass[n] : 0.0f;
        links->extra[n] = links->mass[n];
    }
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < tiles->layers; k++) {
            uint64_t low = tiles->tile[t].open[axis][k], high = open_high(tiles, t, axis, k);
            for (int m = 0; m < BW_TILE_LAYER; m++) {
                int n = 64 * k + m;
                float a_low = links->is_unknown[n] ? star.face[axis][n] : 0.0f;
                float a_high = links->is_unknown[n] ? high_face(&star, axis, n) : 0.0f;
                links->link[2 * axis][n] = low >> m & 1 ? a_low : 0.0f;
                links->link[2 * axis + 1][n] = high >> m & 1 ? a_high : 0.0f;
                links->extra[n] += (low >> m & 1 ? 0.0f : a_low) + (high >> m & 1 ? 0.0f : a_high);
            }
        }
}

static void fill_blocks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const FinestJob *job = context;
    BwTileLinks links;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (job->level->uniform[t] > 0.0f)
            continue;
        finest_links(job->tiles, t, &links);
        bw_level_store_links(job->level, t, &links);
    }
}

// Where the pyramid counts from: coordinates must not be negative, or halving them would never bring the two
// sides of the origin together.
static BwTileCoord lowest_coord(const BwPoissonTiles *tiles)
{
    const BwGrid *grid = tiles->system->grid;
    BwTileCoord low = grid->tiles[tiles->tile[1].slot].coord;
    for (int32_t t = 2; t <= tiles->count; t++) {
        BwTileCoord coord = grid->tiles[tiles->tile[t].slot].coord;
        low.x = coord.x < low.x ? coord.x : low.x;
        low.y = coord.y < low.y ? coord.y : low.y;
        low.z = coord.z < low.z ? coord.z : low.z;
    }
    return (BwTileCoord){grid->period[0] > 0 ? grid->period_low[0] : low.x,
                         grid->period[1] > 0 ? grid->period_low[1] : low.y,
                         grid->period[2] > 0 ? grid->period_low[2] : low.z};
}

static BwResult build_finest(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    const BwGrid *grid = tiles->system->grid;
    BwLevel *level = &pyramid->level[0];
    *level = (BwLevel){.layers = tiles->layers,
                       .cells = tiles->cells,
                       .half = tiles->cells / 2,
                       .rows = tiles->system->mass != NULL ? BW_LINK_ROWS : BW_LINK_MASS,
                       .count = tiles->count,
                       .unknowns = tiles->unknowns};
    BW_TRY(bw_level_reserve_tiles(pyramid, level, err));
    BwTileCoord low = lowest_coord(tiles);
    for (int32_t t = 1; t <= level->count; t++) {
        BwTileCoord coord = grid->tiles[tiles->tile[t].slot].coord;
        level->coord[t] = (BwTileCoord){coord.x - low.x, coord.y - low.y, coord.z - low.z};
        memcpy(level->beside[t], tiles->tile[t].beside, sizeof level->beside[t]);
    }
    for (int axis = 0; axis < 3; axis++)
        level->period[axis] = grid->period[axis] * BW_TILE;
    FinestJob job = {tiles, level};
    bw_parallel_for(pyramid->pool, level->count, BW_POISSON_GRAIN, find_uniform, &job);
    BW_TRY(bw_level_reserve_blocks(pyramid, level, err));
    bw_parallel_for(pyramid->pool, level->count, BW_POISSON_GRAIN, fill_blocks, &job);
    return bw_level_reserve_values(pyramid, level, err);
}

// Fills one row of the dense matrix of the last level: links of a cell of a tile.
static void direct_row_of_cell(const BwLevel *level, int32_t node, const int32_t *number, double *row)
{
    static const int step[3] = {1, 8, 64};
    int32_t t = node / level->cells;
    int cell = bw_cell_of(node % level->cells, level->half);
    BwTileLinks links;
    bw_level_load_links(level, t, &links);
    row[number[node]] += (double)links.extra[cell];
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        double a = (double)links.link[side][cell];
        int place = cell >> (3 * (side / 2)) & 7;
        bool is_inside = side % 2 ? place < 7 : place > 0;
        int other = cell + (side % 2 == (int)is_inside ? 1 : -1) * step[side / 2] * (is_inside ? 1 : 7);
        if (a == 0.0)
            continue;
        int32_t other_node =
            (is_inside ? t : level->beside[t][side]) * level->cells + bw_place_of(other, level->half);
        row[number[node]] += a;
        row[number[other_node]] -= a;
    }
}

static void direct_links(const BwLevel *level, int32_t node, int32_t first, int32_t end,
                         const int32_t *number, double *row)
{
    for (int32_t l = first; l < end; l++) {
        row[number[node]] += (double)level->links[l].weight;
        row[number[level->links[l].other]] -= (double)level->links[l].weight;
    }
}

static void direct_matrix(const BwPyramid *pyramid, const BwLevel *level, const int32_t *number, double *a)
{
    int32_t count = pyramid->direct_count;
    memset(a, 0, (size_t)count * (size_t)count * sizeof *a);
    for (int32_t n = 0; n < count; n++) {
        int32_t node = pyramid->direct_node[n];
        if (!bw_is_extra(level, node)) {
            direct_row_of_cell(level, node, number, a + (size_t)n * (size_t)count);
            continue;
        }
        int32_t e = node - (level->count + 1) * level->cells;
        a[(size_t)n * (size_t)count + (size_t)n] += (double)level->extra_diagonal[e];
        direct_links(level, node, level->link_first[e], level->link_first[e + 1], number,
                     a + (size_t)n * (size_t)count);
    }
    for (int32_t tied = 0; tied < level->tied_first[level->count + 1]; tied++) {
        int32_t node = level->tied_node[tied];
        if (number[node] >= 0)
            direct_links(level, node, level->tied_link_first[tied], level->tied_link_first[tied + 1], number,
                         a + (size_t)number[node] * (size_t)count);
    }
}

// L D L^T in place, D's reciprocal on the diagonal; 0 for the pivots of singular regions.
static void direct_factor(double *a, int count)
{
    for (int j = 0; j < count; j++) {
        double *row = a + (size_t)j * (size_t)count;
        double diagonal = row[j];
        for (int k = 0; k < j; k++) {
            const double *other = a + (size_t)k * (size_t)count;
            double sum = row[k];
            for (int m = 0; m < k; m++)
                sum -= row[m] * other[m];
            row[k] = sum; // l_jk d_k, divided below once it is not needed any more
        }
        double pivot = diagonal;
        for (int k = 0; k < j; k++) {
            double l = row[k] * a[(size_t)k * (size_t)count + (size_t)k];
            pivot -= l * row[k];
            row[k] = l;
        }
        row[j] = pivot > pivot_min * diagonal ? 1.0 / pivot : 0.0;
    }
}

// Numbers the unknowns of the last level; gives how many there are.
static int32_t number_unknowns(const BwLevel *level, int32_t *number, int32_t *nodes, int32_t most)
{
    int32_t count = 0, first_extra = (level->count + 1) * level->cells;
    for (int32_t node = 0; node < first_extra + level->extra_count; node++) {
        bool is_unknown = node >= first_extra ? level->extra_inverse[node - first_extra] > 0.0f
                                              : is_unknown_at(level, node / level->cells,
                                                              bw_cell_of(node % level->cells, level->half));
        number[node] = is_unknown ? count : -1;
        if (!is_unknown)
            continue;
        if (count < most)
            nodes[count] = node;
        count++;
    }
    return count;
}

static BwResult build_direct(BwPyramid *pyramid, BwError *err)
{
    const BwLevel *level = &pyramid->level[pyramid->level_count - 1];
    pyramid->direct_count = 0;
    if (level->unknowns > DIRECT_MAX)
        return BW_OK;
    int32_t *number = bw_level_alloc(pyramid, (size_t)bw_level_nodes(level), sizeof *number);
    pyramid->direct_node = bw_level_alloc(pyramid, DIRECT_MAX, sizeof *pyramid->direct_node);
    pyramid->direct_factor = bw_level_alloc(pyramid, (size_t)DIRECT_MAX * DIRECT_MAX, sizeof(double));
    pyramid->direct_value = bw_level_alloc(pyramid, DIRECT_MAX, sizeof(double));
    if (number == NULL || pyramid->direct_node == NULL || pyramid->direct_factor == NULL ||
        pyramid->direct_value == NULL)
        return bw_fail_memory(err);
    pyramid->direct_count = number_unknowns(level, number, pyramid->direct_node, DIRECT_MAX);
    direct_matrix(pyramid, level, number, pyramid->direct_factor);
    direct_factor(pyramid->direct_factor, pyramid->direct_count);
    return BW_OK;
}

BwResult bw_pyramid_build(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    *pyramid = (BwPyramid){.pool = tiles->pool, .workspace = tiles->workspace, .level_count = 1};
    BW_TRY(build_finest(pyramid, tiles, err));
    while (pyramid->level_count < BW_LEVELS_MAX) {
        BwLevel *fine = &pyramid->level[pyramid->level_count - 1];
        if (fine->unknowns <= DIRECT_MAX)
            break;
        BW_TRY(bw_level_coarsen(pyramid, fine, fine + 1, err));
        pyramid->level_count++;
        // Unknowns without links are solved by one sweep and go no further, so a pyramid may end early.
        if (fine[1].unknowns == 0)
            break;
    }
    return build_direct(pyramid, err);
}
