// Sums of kernels on nodes, tile by tile: every tile adds up the kernels that reach into it, in their order.
#include "mesh/wrap.h"

#include "base/extremes.h"
#include "mesh/tiles_around.h"

#include <math.h>
#include <string.h>

// TOLD: cells around thin liquid that kernels tell of.
enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE, LANES = 4, TOLD = 1 };

// Cells: what nodes far from the surface are given.
static const float far = 4.0f;

// How much of a kernel must be outside of solids before its sum is taken for what it would be without them.
static const float open_least = 0.25f;

// How much larger sums are on solids that bear a film.
static const float film_gain = 10.0f;

// Differences between the sum of kernels and what it would be by the level set that are taken for none, and
// those with which the level set is not believed: in thin liquid, and near liquid that is deep.
static const float alike[2] = {0.16f, 0.3f}, unlike[2] = {0.28f, 0.5f};

typedef struct Job {
    BwWrap *wrap;
    int nodes; // of a tile along an axis
} Job;

// What a tile is worked on with.
typedef struct Canvas {
    BwNodeBlock *block;
    int nodes;
    float *share;           // the sum of kernels
    float *depths;          // the sum of kernels times their depths
    float *level;           // the level set
    float bulk[TILE_CELLS]; // 1 in cells that a body of liquid is near, 0 where liquid is thin
    uint32_t told[BW_NODES_MAX][BW_NODES_MAX]; // by k and j, bit i: nodes that kernels tell of
    int bounds[3][2];                          // of these
    float slack[3];                            // see find_slack
    int8_t cell[BW_NODES_MAX];                 // of each node along an axis
} Canvas;

// Of a place near the nodes of a tile. floorf is a call where processors of old are counted on.
static int floor_of(float place)
{
    enum { BEFORE = 4 * BW_NODES_MAX };
    return (int)(place + (float)BEFORE) - BEFORE;
}

// Nodes: how much farther than it reaches a kernel is asked for. Nodes on walls are half a node from where
// they would be.
static const float slack_inside = 0.01f, slack_at_walls = 0.51f;

static void find_slack(Canvas *canvas)
{
    for (int a = 0; a < 3; a++) {
        const uint8_t *kind = canvas->block->axes[a].kind;
        bool has_wall = false;
        for (int n = 0; n < canvas->nodes; n++)
            has_wall |= kind[n] == BW_NODE_ON_WALL;
        canvas->slack[a] = has_wall ? slack_at_walls : slack_inside;
    }
}

// The nodes that a kernel may reach along an axis.
static void find_span(const Canvas *canvas, const BwKernel *kernel, int axis, int span[2])
{
    int refine = canvas->nodes / BW_TILE;
    const BwLattice *lattice = canvas->block->level->lattice;
    const int32_t tile[3] = {canvas->block->tile.x, canvas->block->tile.y, canvas->block->tile.z};
    float start = (float)(BW_TILE * (tile[axis] - lattice->anchor[axis]));
    float middle = (bw_component(kernel->place, axis) - start) * (float)refine - 0.5f,
          reach = kernel->reach[axis] * (float)refine + canvas->slack[axis];
    int low = floor_of(middle - reach) + 1, high = floor_of(middle + reach) + 1;
    const int *told = canvas->bounds[axis];
    span[0] = low < told[0] ? told[0] : low;
    span[1] = high > told[1] ? told[1] : high;
}

// Along a row of nodes: `rest` is what y and z give to the distance squared, `slope` twice what they give to
// its slope along x.
static void add_row(const float *restrict places, float x, float across, float slope, float rest, float peak,
                    float depth, float *restrict share, float *restrict depths)
{
    for (int n = 0; n < LANES; n++) {
        float at = places[n] - x, left = 1.0f - (rest + at * (across * at + slope));
        left = left > 0.0f ? left : 0.0f;
        float value = peak * left * left * left;
        share[n] += value;
        depths[n] += depth * value;
    }
}

static void add_kernel(const Canvas *canvas, const BwKernel *kernel)
{
    int span[3][2];
    for (int a = 0; a < 3; a++) {
        find_span(canvas, kernel, a, span[a]);
        if (span[a][0] >= span[a][1])
            return;
    }
    const float *m = kernel->metric;
    const BwNodeAxis *axes = canvas->block->axes;
    float per_across = 1.0f / (4.0f * m[0]);
    uint32_t reached = (uint32_t)(((uint64_t)1 << span[0][1]) - ((uint64_t)1 << span[0][0]));
    int first = span[0][0] & ~(LANES - 1);
    for (int k = span[2][0]; k < span[2][1]; k++)
        for (int j = span[1][0]; j < span[1][1]; j++) {
            if (!(canvas->told[k][j] & reached))
                continue;
            float y = axes[1].place[j] - kernel->place.y, z = axes[2].place[k] - kernel->place.z;
            float rest = y * (m[1] * y + 2.0f * m[5] * z) + m[2] * z * z,
                  slope = 2.0f * (m[3] * y + m[4] * z);
            if (rest - slope * slope * per_across >= 1.0f)
                continue;
            int row = (k * canvas->nodes + j) * canvas->nodes;
            for (int i = first; i < span[0][1]; i += LANES)
                add_row(axes[0].place + i, kernel->place.x, m[0], slope, rest, kernel->peak, kernel->depth,
                        canvas->share + row + i, canvas->depths + row + i);
        }
}

// The kernels of one tile that may reach nodes of another which they tell of; `step` leads from that to this.
static void add_tile(const Canvas *canvas, const BwKernels *kernels, int64_t tile, const int step[3])
{
    int low[3], high[3], refine = canvas->nodes / BW_TILE;
    for (int a = 0; a < 3; a++) {
        int first = canvas->bounds[a][0] / refine - BW_NEAR_REACH - BW_TILE * step[a],
            last = (canvas->bounds[a][1] - 1) / refine + BW_NEAR_REACH - BW_TILE * step[a];
        low[a] = first < 0 ? 0 : first;
        high[a] = last < BW_TILE ? last + 1 : BW_TILE;
        if (low[a] >= high[a])
            return;
    }
    const int32_t *starts = kernels->near.starts + tile * TILE_CELLS;
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++) {
            int row = 64 * k + 8 * j;
            for (int32_t n = starts[row + low[0]]; n < starts[row + high[0]]; n++)
                add_kernel(canvas, &kernels->list[n]);
        }
}

static void add_kernels(const Canvas *canvas, const BwKernels *kernels)
{
    const BwNearParticles *near = &kernels->near;
    int32_t around[27];
    size_t bytes = (size_t)canvas->nodes * (size_t)canvas->nodes * (size_t)canvas->nodes * sizeof(float);
    memset(canvas->share, 0, bytes);
    memset(canvas->depths, 0, bytes);
    bw_tiles_around_in(near->tiles, (int32_t)near->tile_count, canvas->block->tile, around);
    for (int n = 0; n < 27; n++) {
        const int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        if (around[n] >= 0)
            add_tile(canvas, kernels, around[n], step);
    }
}

// How far a node is out of a flat surface, in depths of kernels, by the share of their sum: the inverse of
// the kernel's integral up to a plane, within .05.
static float distance_of(float share)
{
    float v = bw_smaller(bw_larger(1.0f - 2.0f * share, -1.0f), 1.0f), square = v * v;
    return v * (0.457f + 0.1f * square + 0.25f * square * square * square * square);
}

// The part of a kernel on one side of a plane that is so far from its middle on that side, in depths.
static float part_of_kernel(float distance)
{
    float u = bw_smaller(bw_larger(distance, -1.0f), 1.0f), square = u * u;
    return 0.5f + 1.09375f * u * (1.0f - square * (1.0f - square * (0.6f - square / 7.0f)));
}

// Puts the level set aside.
static void keep_level(const Canvas *canvas)
{
    const BwNodeBlock *block = canvas->block;
    size_t row = (size_t)canvas->nodes * sizeof *canvas->level;
    for (int k = 0; k < canvas->nodes; k++)
        for (int j = 0; j < canvas->nodes; j++)
            memcpy(canvas->level + (k * canvas->nodes + j) * canvas->nodes,
                   block->phi + bw_node(block, 0, j, k), row);
}

// Marks the nodes that kernels reach as liquid, so that solids beside them are found.
static void mark_reached(const Canvas *canvas)
{
    const BwNodeBlock *block = canvas->block;
    const float *share = canvas->share;
    for (int k = 0; k < canvas->nodes; k++)
        for (int j = 0; j < canvas->nodes; j++)
            for (int i = 0; i < canvas->nodes; i++) {
                float *phi = &block->phi[bw_node(block, i, j, k)];
                *phi = *share++ > 0.0f ? bw_smaller(*phi, 0.0f) : *phi;
            }
}

// Where kernels and level set nearly agree the level set is taken, which is smoother: it tells of thick
// liquid, and kernels of what it does not see.
static float blend(float level, float share, float depth, float bulk)
{
    float value = depth * distance_of(share);
    float difference = fabsf(part_of_kernel(-level / depth) - bw_smaller(share, 1.0f));
    float least = alike[0] + bulk * (alike[1] - alike[0]), most = unlike[0] + bulk * (unlike[1] - unlike[0]);
    float part = bw_smaller(bw_larger((most - difference) / (most - least), 0.0f), 1.0f);
    return value + part * (bw_smaller(bw_larger(level, -depth), depth) - value);
}

// What the sum of kernels is scaled by beside a solid that takes a part of them. Films on solids have nodes
// on one side alone: they are made thicker where they are thinner than nodes are apart.
static float beside_solid(const Canvas *canvas, float depth_in_solid, float depth, float bulk)
{
    float above = bw_larger(-depth_in_solid * (float)(canvas->nodes / BW_TILE), 0.0f); // nodes
    float thicker = 1.0f + film_gain * (1.0f - bulk) * bw_larger(1.0f - above, 0.0f);
    return thicker / bw_larger(part_of_kernel(-depth_in_solid / depth), open_least);
}

static float node_value(const Canvas *canvas, int i, int j, int k)
{
    int own = (k * canvas->nodes + j) * canvas->nodes + i;
    const BwNodeBlock *block = canvas->block;
    float share = canvas->share[own], level = canvas->level[own], value = far;
    if (!(canvas->told[k][j] >> i & 1))
        return level;
    if (share > 0.0f) {
        float depth = canvas->depths[own] / share,
              bulk = canvas->bulk[canvas->cell[i] + 8 * canvas->cell[j] + 64 * canvas->cell[k]];
        if (block->has_solids)
            share *= beside_solid(canvas, block->solid[bw_node(block, i, j, k)], depth, bulk);
        value = blend(level, share, depth, bulk);
    }
    return level < -BW_DEEP ? bw_smaller(level + BW_DEEP, value) : value;
}

static void widen(int bounds[2], int first, int last)
{
    bounds[0] = first < bounds[0] ? first : bounds[0];
    bounds[1] = last > bounds[1] ? last : bounds[1];
}

// Marks the nodes that kernels tell of, of so many cells around thin liquid or all; false: there are none.
static bool find_told(Canvas *canvas, const BwWrap *wrap, BwTileCoord tile)
{
    uint64_t cells[BW_TILE];
    int nodes = canvas->nodes;
    memset(cells, 0xff, sizeof cells);
    if (wrap->is_of_thin)
        bw_thin_liquid_around(&wrap->thin, wrap->level->frame, tile, TOLD, cells);
    for (int a = 0; a < 3; a++) {
        canvas->bounds[a][0] = nodes;
        canvas->bounds[a][1] = 0;
    }
    for (int k = 0; k < nodes; k++)
        for (int j = 0; j < nodes; j++) {
            uint32_t row = (uint32_t)(cells[canvas->cell[k]] >> 8 * canvas->cell[j] & 0xff),
                     *told = &canvas->told[k][j];
            *told = 0;
            for (int i = 0; i < nodes && row != 0; i++)
                *told |= (row >> canvas->cell[i] & 1) << i;
            if (*told == 0)
                continue;
            widen(canvas->bounds[0], __builtin_ctz(*told), 32 - __builtin_clz(*told));
            widen(canvas->bounds[1], j, j + 1);
            widen(canvas->bounds[2], k, k + 1);
        }
    return canvas->bounds[0][1] > 0;
}

static void set_values(const Canvas *canvas, float *values, float range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int k = 0; k < canvas->nodes; k++)
        for (int j = 0; j < canvas->nodes; j++)
            for (int i = 0; i < canvas->nodes; i++) {
                float value = node_value(canvas, i, j, k);
                *values++ = value;
                range[0] = bw_smaller(range[0], value);
                range[1] = bw_larger(range[1], value);
            }
}

static void set_tile(Canvas *canvas, BwWrap *wrap, int64_t number)
{
    int64_t cube = (int64_t)canvas->nodes * canvas->nodes * canvas->nodes;
    BwTileCoord tile = wrap->kernels.near.tiles[number];
    wrap->is_told[number] = find_told(canvas, wrap, tile);
    if (!wrap->is_told[number])
        return;
    bw_node_block_interpolate(canvas->block, tile);
    keep_level(canvas);
    find_slack(canvas);
    add_kernels(canvas, &wrap->kernels);
    mark_reached(canvas);
    bw_node_block_find_solids(canvas->block);
    bw_find_bulk(canvas->block, canvas->bulk);
    set_values(canvas, wrap->values + number * cube, wrap->ranges[number]);
}

static void set_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Job *job = context;
    BwWrap *wrap = job->wrap;
    int64_t cube = (int64_t)job->nodes * job->nodes * job->nodes;
    float *floats = wrap->floats + worker * (bw_node_block_floats(job->nodes / BW_TILE) + 3 * cube);
    Canvas canvas = {.block = &wrap->blocks[worker],
                     .nodes = job->nodes,
                     .share = floats,
                     .depths = floats + cube,
                     .level = floats + 2 * cube};
    for (int n = 0; n < job->nodes; n++)
        canvas.cell[n] = (int8_t)(n / (job->nodes / BW_TILE));
    for (int64_t tile = begin; tile < end; tile++)
        set_tile(&canvas, wrap, tile);
}

static BwResult reserve(const Job *job, BwPool *pool, BwError *err)
{
    BwWrap *wrap = job->wrap;
    const BwAllocator *allocator = &wrap->allocator;
    int workers = bw_pool_worker_count(pool);
    int64_t tiles = wrap->kernels.near.tile_count, cube = (int64_t)job->nodes * job->nodes * job->nodes;
    int64_t floats = bw_node_block_floats(job->nodes / BW_TILE) + 3 * cube;
    BW_TRY(bw_reserve(allocator, (void **)&wrap->values, &wrap->value_capacity, tiles * cube,
                      sizeof *wrap->values, err));
    BW_TRY(bw_reserve(allocator, (void **)&wrap->ranges, &wrap->range_capacity, tiles, sizeof *wrap->ranges,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&wrap->is_told, &wrap->told_capacity, tiles, sizeof *wrap->is_told,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&wrap->blocks, &wrap->block_capacity, workers, sizeof *wrap->blocks,
                      err));
    BW_TRY(bw_reserve(allocator, (void **)&wrap->floats, &wrap->float_capacity, workers * floats,
                      sizeof *wrap->floats, err));
    for (int n = 0; n < workers; n++)
        bw_node_block_create(&wrap->blocks[n], wrap->level, wrap->floats + n * floats + 3 * cube);
    return BW_OK;
}

BwResult bw_wrap_set(BwWrap *wrap, const BwLevel *level, bool is_of_thin, BwPool *pool, BwError *err)
{
    Job job = {wrap, level->lattice->nodes};
    const BwFrameParticles *water = bw_water_with_volume(level->frame, err);
    if (water == NULL)
        return BW_ERR_DEF;
    wrap->level = level;
    wrap->is_of_thin = is_of_thin;
    wrap->wet.allocator = wrap->kernels.allocator = wrap->thin.allocator = wrap->allocator;
    BW_TRY(bw_wet_cells_set(&wrap->wet, level->frame, water, pool, err));
    if (is_of_thin)
        BW_TRY(bw_thin_liquid_set(&wrap->thin, level, &wrap->wet, pool, err));
    BW_TRY(bw_kernels_set(&wrap->kernels, level, &wrap->wet, is_of_thin ? &wrap->thin : NULL, pool, err));
    BW_TRY(reserve(&job, pool, err));
    bw_parallel_for(pool, wrap->kernels.near.tile_count, 2, set_range, &job);
    return BW_OK;
}

// The value of all nodes of a tile that kernels do not reach into.
static float value_beyond(const BwWrap *wrap, BwTileCoord tile)
{
    int32_t n = bw_frame_find_tile(wrap->level->frame, tile);
    return n >= 0 && wrap->level->ranges[n][1] < -BW_DEEP ? -far : far;
}

// The tile `side` of the eight after a tile, itself first.
static BwTileCoord tile_after(BwTileCoord tile, int side)
{
    return (BwTileCoord){tile.x + (side & 1), tile.y + (side >> 1 & 1), tile.z + (side >> 2)};
}

void bw_wrap_gather(const BwWrap *wrap, BwTileCoord tile, float *out)
{
    int nodes = wrap->level->lattice->nodes, side = nodes + 1;
    int64_t cube = (int64_t)nodes * nodes * nodes;
    for (int s = 0; s < 8; s++) {
        BwTileCoord at = tile_after(tile, s);
        int32_t number = bw_near_tile(&wrap->kernels.near, at);
        if (wrap->is_of_thin && (number < 0 || !wrap->is_told[number]))
            continue;
        const float *values = number >= 0 ? wrap->values + number * cube : NULL;
        float beyond = number >= 0 ? 0.0f : value_beyond(wrap, at);
        int count[3];
        for (int a = 0; a < 3; a++)
            count[a] = s >> a & 1 ? 1 : nodes;
        float *corner =
            out + (s & 1 ? nodes : 0) + (s & 2 ? nodes : 0) * side + (s & 4 ? nodes : 0) * side * side;
        for (int k = 0; k < count[2]; k++)
            for (int j = 0; j < count[1]; j++)
                for (int i = 0; i < count[0]; i++)
                    corner[(k * side + j) * side + i] =
                        values != NULL ? values[(k * nodes + j) * nodes + i] : beyond;
    }
}

void bw_wrap_range(const BwWrap *wrap, BwTileCoord tile, float range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    if (wrap->is_of_thin)
        bw_level_range(wrap->level, tile, range);
    for (int s = 0; s < 8; s++) {
        BwTileCoord at = tile_after(tile, s);
        int32_t number = bw_near_tile(&wrap->kernels.near, at);
        if (wrap->is_of_thin && (number < 0 || !wrap->is_told[number]))
            continue;
        float beyond = number >= 0 ? 0.0f : value_beyond(wrap, at);
        range[0] = bw_smaller(range[0], number >= 0 ? wrap->ranges[number][0] : beyond);
        range[1] = bw_larger(range[1], number >= 0 ? wrap->ranges[number][1] : beyond);
    }
}

void bw_wrap_free(BwWrap *wrap)
{
    const BwAllocator *allocator = &wrap->allocator;
    bw_kernels_free(&wrap->kernels);
    bw_wet_cells_free(&wrap->wet);
    bw_thin_liquid_free(&wrap->thin);
    bw_free(allocator, wrap->values, (size_t)wrap->value_capacity * sizeof *wrap->values, BW_ALIGN);
    bw_free(allocator, wrap->ranges, (size_t)wrap->range_capacity * sizeof *wrap->ranges, BW_ALIGN);
    bw_free(allocator, wrap->is_told, (size_t)wrap->told_capacity * sizeof *wrap->is_told, BW_ALIGN);
    bw_free(allocator, wrap->blocks, (size_t)wrap->block_capacity * sizeof *wrap->blocks, BW_ALIGN);
    bw_free(allocator, wrap->floats, (size_t)wrap->float_capacity * sizeof *wrap->floats, BW_ALIGN);
    *wrap = (BwWrap){.allocator = wrap->allocator};
}
