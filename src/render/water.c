// From a frame to bricks of water: clean and sharpen phi; its range in each tile tells which tiles have a
// surface, and their coefficients are copied side by side. Everything is done in the order of the frame's
// tiles, so bricks are numbered the same way on any number of threads.
#include "render/water.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

// Cells: phi is trusted no further from the surface.
#define REACH 4.0f

// Sums of second differences, cells, up to which phi is smoothed; how much it is; and how much of the rest is
// made up for.
#define BEND_GENTLE 0.4f
#define SMOOTHNESS  1.0f
#define SHARPNESS   1.6f
#define SHARP_REACH 0.75f // cells above water, to where nothing is made up for

typedef struct Build {
    BwWater *water;
    const BwFrame *frame;
    const BwFrameField *phi;
    int32_t first[3], last[3]; // cells between the walls, both inclusive
} Build;

static float clean(const Build *build, float phi)
{
    float value = (isfinite(phi) ? phi : build->phi->background) / build->frame->cell_size;
    return isfinite(value) ? fminf(fmaxf(value, -REACH), REACH) : REACH;
}

static bool is_live(const BwFrame *frame, int32_t tile, int cell)
{
    return frame->live[tile][cell >> 6] >> (cell & 63) & 1;
}

static void clean_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    for (int32_t tile = (int32_t)begin; tile < end; tile++) {
        const float *phi = build->phi->values + (size_t)tile * TILE_CELLS;
        float *cells = build->water->cells + (size_t)tile * TILE_CELLS;
        for (int cell = 0; cell < TILE_CELLS; cell++)
            cells[cell] =
                clean(build, is_live(build->frame, tile, cell) ? phi[cell] : build->phi->background);
    }
}

// The values of the tiles that the cube meets.
static void gather(const Build *build, const float *values, BwCube *cube)
{
    bw_cube_fill(cube, clean(build, build->phi->background));
    BwTileCoord at;
    for (at.z = cube->low[2] >> 3; at.z <= (cube->low[2] + cube->side - 1) >> 3; at.z++)
        for (at.y = cube->low[1] >> 3; at.y <= (cube->low[1] + cube->side - 1) >> 3; at.y++)
            for (at.x = cube->low[0] >> 3; at.x <= (cube->low[0] + cube->side - 1) >> 3; at.x++) {
                int32_t tile = bw_frame_find_tile(build->frame, at);
                if (tile >= 0)
                    bw_cube_copy(cube, values + (size_t)tile * TILE_CELLS,
                                 (int32_t[3]){BW_TILE * at.x, BW_TILE * at.y, BW_TILE * at.z});
            }
}

// Behind a wall phi is that of the cell before it, so that water meets walls at a right angle.
static int inside_walls(const Build *build, const BwCube *cube, int axis, int n)
{
    int first = build->first[axis] - cube->low[axis], last = build->last[axis] - cube->low[axis];
    n = n < first ? first : n > last ? last : n;
    return n < 0 ? 0 : n >= cube->side ? cube->side - 1 : n;
}

static void continue_behind_walls(const Build *build, const BwCube *cube, float *values)
{
    int x[BW_CUBE_SIDE_MAX], side = cube->side;
    for (int i = 0; i < side; i++)
        x[i] = inside_walls(build, cube, 0, i);
    for (int k = 0; k < side; k++)
        for (int j = 0; j < side; j++) {
            const float *row =
                cube->values +
                (inside_walls(build, cube, 2, k) * side + inside_walls(build, cube, 1, j)) * side;
            for (int i = 0; i < side; i++)
                values[(k * side + j) * side + i] = row[x[i]];
        }
}

// The spline raises phi by about a sixth of the sum of its second differences, which is 2 in the middle of a
// thin sheet and little on gentle slopes. There as much is added once more, for liquids carried by particles
// are rough; the rest is made up for, so that sheets and drops stay.
static float sharpened(const float *phi, int side)
{
    float bend =
        phi[-1] + phi[1] + phi[-side] + phi[side] + phi[-side * side] + phi[side * side] - 6.0f * *phi;
    float gentle = fminf(fmaxf(bend, -BEND_GENTLE), BEND_GENTLE), more = fmaxf(bend - BEND_GENTLE, 0.0f);
    float near = fminf(fmaxf(1.0f - *phi / SHARP_REACH, 0.0f), 1.0f); // 1 in water
    return *phi + SMOOTHNESS / 6.0f * gentle - near * SHARPNESS / 6.0f * more;
}

static void sharpen_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    enum { SIDE = BW_TILE + 2 };
    const Build *build = context;
    for (int32_t tile = (int32_t)begin; tile < end; tile++) {
        BwTileCoord at = build->frame->tiles[tile];
        BwCube cube = {.low = {BW_TILE * at.x - 1, BW_TILE * at.y - 1, BW_TILE * at.z - 1}, .side = SIDE};
        float phi[SIDE * SIDE * SIDE], *sharp = build->water->sharp + (size_t)tile * TILE_CELLS;
        float *range = build->water->ranges[tile];
        gather(build, build->water->cells, &cube);
        continue_behind_walls(build, &cube, phi);
        range[0] = INFINITY;
        range[1] = -INFINITY;
        for (int n = 0; n < TILE_CELLS; n++) {
            int i = (n & 7) + 1, j = (n >> 3 & 7) + 1, k = (n >> 6) + 1;
            sharp[n] = sharpened(&phi[(k * SIDE + j) * SIDE + i], SIDE);
            range[0] = fminf(range[0], sharp[n]);
            range[1] = fmaxf(range[1], sharp[n]);
        }
    }
}

// The range of phi in a tile and those around it, which its spline reaches into.
static void range_around(const Build *build, BwTileCoord at, float range[2])
{
    const BwFrame *frame = build->frame;
    float background = clean(build, build->phi->background);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int n = 0; n < 27; n++) {
        BwTileCoord near = {at.x + n % 3 - 1, at.y + n / 3 % 3 - 1, at.z + n / 9 - 1};
        int32_t tile = bw_frame_find_tile(frame, near);
        range[0] = fminf(range[0], tile >= 0 ? build->water->ranges[tile][0] : background);
        range[1] = fmaxf(range[1], tile >= 0 ? build->water->ranges[tile][1] : background);
    }
}

static BwResult make_brick(BwWater *water, BwTileCoord at, bool is_full, BwError *err)
{
    const int32_t place[3] = {at.x - water->anchor[0], at.y - water->anchor[1], at.z - water->anchor[2]};
    int32_t *index;
    BW_TRY(bw_brick_map_make(&water->map, &water->allocator, place, &index, err));
    BW_TRY(bw_reserve(&water->allocator, (void **)&water->bricks, &water->brick_capacity,
                      water->brick_count + 1, sizeof *water->bricks, err));
    *index = (int32_t)water->brick_count;
    BwWaterBrick *brick = &water->bricks[water->brick_count++];
    memcpy(brick->place, place, sizeof place);
    brick->values = is_full ? BW_ALL_WATER : (int32_t)water->value_count++;
    bw_brick_map_include(&water->map, place);
    return BW_OK;
}

static BwResult make_bricks(const Build *build, BwError *err)
{
    BwWater *water = build->water;
    for (int32_t tile = 0; tile < build->frame->tile_count; tile++) {
        BwTileCoord at = build->frame->tiles[tile];
        float range[2];
        range_around(build, at, range);
        if (range[0] < 0.0f)
            BW_TRY(make_brick(water, at, range[1] < 0.0f, err));
    }
    return bw_reserve(&water->allocator, (void **)&water->values, &water->value_capacity, water->value_count,
                      sizeof *water->values, err);
}

static void fill_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    BwWater *water = build->water;
    for (int64_t n = begin; n < end; n++) {
        BwWaterBrick *brick = &water->bricks[n];
        if (brick->values < 0)
            continue;
        BwCube cube = {.side = BW_WATER_SIDE};
        for (int a = 0; a < 3; a++)
            cube.low[a] = BW_TILE * (brick->place[a] + water->anchor[a]) - 2;
        gather(build, water->sharp, &cube);
        float *values = water->values[brick->values], least = INFINITY, most = -INFINITY;
        continue_behind_walls(build, &cube, values);
        for (int point = 0; point < BW_WATER_POINTS; point++) {
            least = fminf(least, values[point]);
            most = fmaxf(most, values[point]);
        }
        brick->values = most < 0.0f ? BW_ALL_WATER : least >= 0.0f ? BW_ALL_AIR : brick->values;
    }
}

// Rays pass air faster where there is no brick.
static void drop_air(BwWater *water)
{
    bw_brick_map_unbound(&water->map);
    for (int64_t n = 0; n < water->brick_count; n++)
        if (water->bricks[n].values == BW_ALL_AIR)
            *bw_brick_map_at(&water->map, water->bricks[n].place) = -1;
        else
            bw_brick_map_include(&water->map, water->bricks[n].place);
}

static void set_anchor(BwWater *water, const BwFrame *frame)
{
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t at[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        for (int a = 0; a < 3; a++)
            low[a] = at[a] < low[a] ? at[a] : low[a];
    }
    for (int a = 0; a < 3; a++) {
        water->anchor[a] = low[a];
        water->origin[a] = (double)BW_TILE * low[a] * (double)frame->cell_size;
    }
}

// The walls as places, and the cells whose middles lie between them.
static void set_walls(Build *build)
{
    BwWater *water = build->water;
    const BwFrame *frame = build->frame;
    for (int a = 0; a < 3; a++) {
        water->low[a] = -INFINITY;
        water->high[a] = INFINITY;
        build->first[a] = INT32_MIN / 2;
        build->last[a] = INT32_MAX / 2;
        if (!frame->has_walls)
            continue;
        double low = (double)bw_component(frame->walls.low, a),
               high = (double)bw_component(frame->walls.high, a);
        double h = (double)frame->cell_size;
        water->low[a] = (float)((low - water->origin[a]) / h);
        water->high[a] = (float)((high - water->origin[a]) / h);
        if (fabs(low / h) < 1e9)
            build->first[a] = (int32_t)ceil(low / h - 0.51);
        if (fabs(high / h) < 1e9)
            build->last[a] = (int32_t)floor(high / h - 0.49);
    }
}

void bw_water_clear(BwWater *water, const BwFrame *frame)
{
    water->brick_count = water->value_count = 0;
    water->mesh = NULL;
    water->cell = frame->cell_size;
    bw_brick_map_clear(&water->map);
}

static BwResult make_room(BwWater *water, int64_t tiles, BwError *err)
{
    const BwAllocator *allocator = &water->allocator;
    BW_TRY(bw_reserve(allocator, (void **)&water->cells, &water->cell_capacity, tiles * TILE_CELLS,
                      sizeof *water->cells, err));
    BW_TRY(bw_reserve(allocator, (void **)&water->sharp, &water->sharp_capacity, tiles * TILE_CELLS,
                      sizeof *water->sharp, err));
    return bw_reserve(allocator, (void **)&water->ranges, &water->range_capacity, tiles,
                      sizeof *water->ranges, err);
}

BwResult bw_water_build(BwWater *water, BwPool *pool, const BwFrame *frame, BwError *err)
{
    BW_ASSERT(frame->layers == BW_TILE);
    Build build = {.water = water, .frame = frame, .phi = bw_frame_field(frame, "phi")};
    bw_water_clear(water, frame);
    if (build.phi == NULL || frame->tile_count == 0)
        return BW_OK;
    BW_TRY(make_room(water, frame->tile_count, err));
    set_anchor(water, frame);
    set_walls(&build);
    bw_parallel_for(pool, frame->tile_count, 16, clean_tiles, &build);
    bw_parallel_for(pool, frame->tile_count, 16, sharpen_tiles, &build);
    BW_TRY(make_bricks(&build, err));
    bw_parallel_for(pool, water->brick_count, 16, fill_bricks, &build);
    drop_air(water);
    return BW_OK;
}

void bw_water_free(BwWater *water)
{
    const BwAllocator *allocator = &water->allocator;
    bw_free(allocator, water->bricks, (size_t)water->brick_capacity * sizeof *water->bricks, BW_ALIGN);
    bw_free(allocator, water->values, (size_t)water->value_capacity * sizeof *water->values, BW_ALIGN);
    bw_free(allocator, water->cells, (size_t)water->cell_capacity * sizeof *water->cells, BW_ALIGN);
    bw_free(allocator, water->sharp, (size_t)water->sharp_capacity * sizeof *water->sharp, BW_ALIGN);
    bw_free(allocator, water->ranges, (size_t)water->range_capacity * sizeof *water->ranges, BW_ALIGN);
    bw_brick_map_free(&water->map, allocator);
    *water = (BwWater){.allocator = *allocator};
}
