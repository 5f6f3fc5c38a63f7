// From a frame to bricks: clean the cells, find which bricks hold smoke, fill them side by side. Everything
// is done in the order of the frame's tiles, so bricks are numbered the same way on any number of threads.
#include "render/volume.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE, BLOCK_SIDE = 10 };

// Less extinction per spacing than this is no smoke: a whole brick of it hides a ten-thousandth of what is
// behind.
#define EXTINCTION_MIN 1.5e-5f

static uint64_t place_hash(int32_t x, int32_t y, int32_t z)
{
    uint64_t hash = (uint64_t)(uint32_t)x * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (uint32_t)y) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (uint32_t)z) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 29;
}

static bool is_at(const BwRegion *region, int32_t x, int32_t y, int32_t z)
{
    return region->place[0] == x && region->place[1] == y && region->place[2] == z;
}

// The hash slot that holds the region, or the free one where it would go.
static int64_t region_slot(const BwVolume *volume, int32_t x, int32_t y, int32_t z)
{
    uint64_t mask = (uint64_t)volume->slot_count - 1;
    uint64_t slot = place_hash(x, y, z) & mask;
    while (volume->slots[slot] != 0 && !is_at(&volume->regions[volume->slots[slot] - 1], x, y, z))
        slot = (slot + 1) & mask;
    return (int64_t)slot;
}

const BwRegion *bw_volume_region(const BwVolume *volume, int32_t x, int32_t y, int32_t z)
{
    if (volume->region_count == 0)
        return NULL;
    int32_t index = volume->slots[region_slot(volume, x, y, z)];
    return index > 0 ? &volume->regions[index - 1] : NULL;
}

int32_t bw_volume_brick(const BwVolume *volume, int32_t x, int32_t y, int32_t z)
{
    const BwRegion *region = bw_volume_region(volume, x >> 3, y >> 3, z >> 3);
    return region != NULL ? region->bricks[bw_brick_slot((int32_t[3]){x, y, z})] : -1;
}

// Doubles the hash before it is more than half full.
static BwResult grow_slots(BwVolume *volume, BwError *err)
{
    int64_t wanted = 64;
    while (wanted < 2 * (volume->region_count + 1))
        wanted *= 2;
    if (wanted <= volume->slot_count)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->slots, &volume->slot_capacity, wanted,
                      sizeof *volume->slots, err));
    volume->slot_count = wanted;
    memset(volume->slots, 0, (size_t)wanted * sizeof *volume->slots);
    for (int64_t n = 0; n < volume->region_count; n++) {
        const int32_t *place = volume->regions[n].place;
        volume->slots[region_slot(volume, place[0], place[1], place[2])] = (int32_t)n + 1;
    }
    return BW_OK;
}

static BwResult make_region(BwVolume *volume, const int32_t brick[3], BwRegion **region, BwError *err)
{
    int32_t x = brick[0] >> 3, y = brick[1] >> 3, z = brick[2] >> 3;
    BW_TRY(grow_slots(volume, err));
    int64_t slot = region_slot(volume, x, y, z);
    if (volume->slots[slot] == 0) {
        BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->regions, &volume->region_capacity,
                          volume->region_count + 1, sizeof *volume->regions, err));
        BwRegion *fresh = &volume->regions[volume->region_count++];
        memcpy(fresh->place, (int32_t[3]){x, y, z}, sizeof fresh->place);
        memset(fresh->bricks, -1, sizeof fresh->bricks);
        volume->slots[slot] = (int32_t)volume->region_count;
    }
    *region = &volume->regions[volume->slots[slot] - 1];
    return BW_OK;
}

static BwResult make_brick(BwVolume *volume, const int32_t place[3], BwError *err)
{
    BwRegion *region;
    BW_TRY(make_region(volume, place, &region, err));
    int32_t *index = &region->bricks[bw_brick_slot(place)];
    if (*index >= 0)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->bricks, &volume->brick_capacity,
                      volume->brick_count + 1, sizeof *volume->bricks, err));
    *index = (int32_t)volume->brick_count++;
    memcpy(volume->bricks[*index].place, place, sizeof(int32_t[3]));
    for (int a = 0; a < 3; a++) {
        volume->low[a] = place[a] < volume->low[a] ? place[a] : volume->low[a];
        volume->high[a] = place[a] > volume->high[a] ? place[a] : volume->high[a];
    }
    return BW_OK;
}

// A job over tiles or bricks.
typedef struct Build {
    BwVolume *volume;
    const BwFrame *frame;
    const BwFrameField *density, *solid;
    float scale;                  // density to extinction per spacing
    const BwFrameField *color[3]; // NULL: it has none
} Build;

static bool is_live(const BwFrame *frame, int32_t tile, int cell)
{
    return frame->live[tile][cell >> 6] >> (cell & 63) & 1;
}

// A cube of cells cut out of the tiles.
typedef struct Block {
    int32_t low[3];
    int side;
    float values[BLOCK_SIDE * BLOCK_SIDE * BLOCK_SIDE]; // side^3 of them, i fastest
} Block;

// The part of `tile`, whose first cell is `begin`, that lies in the block.
static void copy_overlap(Block *block, const float *tile, const int32_t begin[3])
{
    int32_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
        int32_t end = block->low[a] + block->side;
        from[a] = begin[a] > block->low[a] ? begin[a] : block->low[a];
        to[a] = begin[a] + BW_TILE < end ? begin[a] + BW_TILE : end;
    }
    for (int32_t k = from[2]; k < to[2]; k++)
        for (int32_t j = from[1]; j < to[1]; j++) {
            int32_t row = ((k - block->low[2]) * block->side + (j - block->low[1])) * block->side;
            int32_t tile_row = ((k - begin[2]) * BW_TILE + (j - begin[1])) * BW_TILE;
            memcpy(block->values + row + (from[0] - block->low[0]), tile + tile_row + (from[0] - begin[0]),
                   (size_t)(to[0] - from[0]) * sizeof *tile);
        }
}

// Fills the block from the tiles it meets; zero where there is none.
static void gather(Block *block, const BwFrame *frame, const float *values)
{
    memset(block->values, 0, (size_t)(block->side * block->side * block->side) * sizeof *block->values);
    int32_t low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = block->low[a] >> 3;
        high[a] = (block->low[a] + block->side - 1) >> 3;
    }
    BwTileCoord at;
    for (at.z = low[2]; at.z <= high[2]; at.z++)
        for (at.y = low[1]; at.y <= high[1]; at.y++)
            for (at.x = low[0]; at.x <= high[0]; at.x++) {
                int32_t tile = bw_frame_find_tile(frame, at);
                if (tile >= 0)
                    copy_overlap(block, values + (size_t)tile * TILE_CELLS,
                                 (int32_t[3]){BW_TILE * at.x, BW_TILE * at.y, BW_TILE * at.z});
            }
}

static bool holds_solid(const Build *build, int32_t tile)
{
    if (build->solid == NULL)
        return false;
    const float *solid = build->solid->values + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (solid[cell] > 0.5f)
            return true;
    return false;
}

// The mean density of the fluid cells round a solid one, so that smoke reaches the surface of a solid instead
// of fading out half a cell before it. What is inside is hidden anyway.
static float mean_of_fluid_neighbours(const Block *density, const Block *solid, int i, int j, int k)
{
    float sum = 0.0f;
    int count = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                int n = ((k + dk) * density->side + (j + dj)) * density->side + (i + di);
                if (solid->values[n] <= 0.5f) {
                    sum += fmaxf(density->values[n], 0.0f);
                    count++;
                }
            }
    return count > 0 ? sum / (float)count : 0.0f;
}

static void fill_solid_cells(const Build *build, int32_t tile, float *cells)
{
    BwTileCoord at = build->frame->tiles[tile];
    Block density = {.low = {BW_TILE * at.x - 1, BW_TILE * at.y - 1, BW_TILE * at.z - 1},
                     .side = BW_TILE + 2};
    Block solid = density;
    gather(&density, build->frame, build->density->values);
    gather(&solid, build->frame, build->solid->values);
    for (int cell = 0; cell < TILE_CELLS; cell++) {
        int i = (cell & 7) + 1, j = (cell >> 3 & 7) + 1, k = (cell >> 6) + 1;
        if (solid.values[(k * solid.side + j) * solid.side + i] > 0.5f)
            cells[cell] = mean_of_fluid_neighbours(&density, &solid, i, j, k);
    }
}

// Density of live cells, never negative nor NaN.
static void clean_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    for (int32_t tile = (int32_t)begin; tile < end; tile++) {
        const float *density = build->density->values + (size_t)tile * TILE_CELLS;
        float *cells = build->volume->cells + (size_t)tile * TILE_CELLS;
        for (int cell = 0; cell < TILE_CELLS; cell++) {
            bool is_smoke =
                density[cell] > 0.0f && isfinite(density[cell]) && is_live(build->frame, tile, cell);
            cells[cell] = is_smoke ? density[cell] : 0.0f;
        }
        if (holds_solid(build, tile))
            fill_solid_cells(build, tile, cells);
    }
}

// A cubic of the family of Mitchell and Netravali (1988) with 2 C = 1 - B: weights of the four cells round a
// place that lies `x` of the way from the second to the third. B = 1/3 hardly blurs and hardly rings; B = 1
// is the B-spline, which hides cells however large they are drawn.
static void cubic_weights(float x, float b, float weights[4])
{
    float c = 0.5f * (1.0f - b);
    for (int n = 0; n < 4; n++) {
        float d = fabsf(x + 1.0f - (float)n);
        float near = (12.0f - 9.0f * b - 6.0f * c) * d * d * d + (-18.0f + 12.0f * b + 6.0f * c) * d * d +
                     (6.0f - 2.0f * b);
        float far = (-b - 6.0f * c) * d * d * d + (6.0f * b + 30.0f * c) * d * d +
                    (-12.0f * b - 48.0f * c) * d + (8.0f * b + 24.0f * c);
        weights[n] = (d < 1.0f ? near : far) / 6.0f;
    }
}

// One axis of the refinement: `count` rows of `side` values become rows of nine, and the axes rotate, so that
// three calls do all of them and end in the order they began.
static void refine_axis(const float *from, int side, int count, int refine, float *to)
{
    for (int n = 0; n < BW_BRICK_SIDE; n++) {
        float x = ((float)n + 0.5f) / (float)refine - 0.5f;
        int first = (int)floorf(x);
        float weights[4];
        cubic_weights(x - (float)first, refine == 4 ? 1.0f : 1.0f / 3.0f, weights);
        for (int row = 0; row < count; row++) {
            const float *cells = from + row * side + first + 1; // the block begins two cells before the brick
            to[n * count + row] =
                weights[0] * cells[0] + weights[1] * cells[1] + weights[2] * cells[2] + weights[3] * cells[3];
        }
    }
}

static void refine_block(const Block *block, int refine, float *points)
{
    float a[BW_BRICK_SIDE * BLOCK_SIDE * BLOCK_SIDE], b[BW_BRICK_SIDE * BW_BRICK_SIDE * BLOCK_SIDE];
    int side = block->side;
    refine_axis(block->values, side, side * side, refine, a);
    refine_axis(a, side, BW_BRICK_SIDE * side, refine, b);
    refine_axis(b, side, BW_BRICK_SIDE * BW_BRICK_SIDE, refine, points);
}

// Takes a brick that turned out to hold nothing out of its region.
static void drop_brick(const BwVolume *volume, const int32_t place[3])
{
    int32_t slot = volume->slots[region_slot(volume, place[0] >> 3, place[1] >> 3, place[2] >> 3)];
    volume->regions[slot - 1].bricks[bw_brick_slot(place)] = -1;
}

// The block of cells that a brick's points are interpolated from.
static Block block_of(const BwVolume *volume, const BwBrick *brick)
{
    int stride = BW_BRICK / volume->refine;
    Block block = {.side = volume->refine == 1 ? BW_BRICK_SIDE : stride + 4};
    for (int a = 0; a < 3; a++)
        block.low[a] = stride * (brick->place[a] + volume->anchor[a]) - (volume->refine == 1 ? 0 : 2);
    return block;
}

static void interpolate(const BwVolume *volume, const Block *block, float *points)
{
    if (volume->refine == 1)
        memcpy(points, block->values, BW_BRICK_POINTS * sizeof *points);
    else
        refine_block(block, volume->refine, points);
}

// Smoke that has a colour, of the smoke around a brick: what was put into solids for looks has none.
static void gather_colored(const Build *build, Block *block)
{
    Block smoke = *block;
    gather(block, build->frame, build->density->values);
    gather(&smoke, build->frame, build->volume->cells);
    for (int n = 0; n < block->side * block->side * block->side; n++)
        block->values[n] = block->values[n] > 0.0f ? smoke.values[n] : 0.0f;
}

// Colour times density is what can be interpolated; where there is nothing to divide by, the mean will do.
static void tint_points(const Build *build, const Block *colored, const float *density, int c, float *tint)
{
    Block block = *colored;
    float all = 0.0f, sum = 0.0f;
    gather(&block, build->frame, build->color[c]->values);
    for (int n = 0; n < block.side * block.side * block.side; n++) {
        float share = isfinite(block.values[n]) ? fminf(fmaxf(block.values[n], 0.0f), 1.0f) : 1.0f;
        block.values[n] = share * colored->values[n];
        all += colored->values[n];
        sum += block.values[n];
    }
    interpolate(build->volume, &block, tint);
    float mean = all > 0.0f ? sum / all : 1.0f, least = 1e-4f * all / (float)BW_BRICK_POINTS;
    for (int point = 0; point < BW_BRICK_POINTS; point++)
        tint[point] = density[point] > least ? fminf(fmaxf(tint[point] / density[point], 0.0f), 1.0f) : mean;
}

static void tint_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    for (int64_t n = begin; n < end; n++) {
        float density[BW_BRICK_POINTS];
        Block colored = block_of(build->volume, &build->volume->bricks[n]);
        gather_colored(build, &colored);
        interpolate(build->volume, &colored, density);
        for (int c = 0; c < 3; c++)
            tint_points(build, &colored, density, c, build->volume->tints[n].tint[c]);
    }
}

static BwResult build_tints(Build *build, BwPool *pool, BwError *err)
{
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    BwVolume *volume = build->volume;
    volume->has_tint = true;
    for (int c = 0; c < 3; c++) {
        build->color[c] = bw_frame_field(build->frame, names[c]);
        volume->has_tint &= build->color[c] != NULL;
    }
    if (!volume->has_tint)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->tints, &volume->tint_capacity,
                      volume->brick_count, sizeof *volume->tints, err));
    bw_parallel_for(pool, volume->brick_count, 16, tint_bricks, build);
    return BW_OK;
}

static void fill_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Build *build = context;
    BwVolume *volume = build->volume;
    for (int64_t n = begin; n < end; n++) {
        BwBrick *brick = &volume->bricks[n];
        Block block = block_of(volume, brick);
        gather(&block, build->frame, volume->cells);
        interpolate(volume, &block, brick->extinction);
        float most = 0.0f;
        for (int point = 0; point < BW_BRICK_POINTS; point++) {
            brick->extinction[point] = fmaxf(brick->extinction[point] * build->scale, 0.0f);
            most = fmaxf(most, brick->extinction[point]);
        }
        if (most < EXTINCTION_MIN)
            drop_brick(volume, brick->place);
    }
}

static bool has_smoke(const Build *build, int32_t tile)
{
    const float *cells = build->volume->cells + (size_t)tile * TILE_CELLS;
    for (int cell = 0; cell < TILE_CELLS; cell++)
        if (cells[cell] * build->scale >= EXTINCTION_MIN)
            return true;
    return false;
}

// The bricks that hold points of a tile, and those one lower that hold them as their last points.
static BwResult make_bricks_of(BwVolume *volume, BwTileCoord tile, BwError *err)
{
    const int32_t at[3] = {tile.x, tile.y, tile.z};
    int32_t low[3], high[3], place[3];
    for (int a = 0; a < 3; a++) {
        low[a] = volume->refine * at[a] - volume->anchor[a] - 1;
        high[a] = low[a] + volume->refine;
    }
    for (place[2] = low[2]; place[2] <= high[2]; place[2]++)
        for (place[1] = low[1]; place[1] <= high[1]; place[1]++)
            for (place[0] = low[0]; place[0] <= high[0]; place[0]++)
                BW_TRY(make_brick(volume, place, err));
    return BW_OK;
}

static void set_anchor(BwVolume *volume, const BwFrame *frame)
{
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int32_t n = 0; n < frame->tile_count; n++) {
        const int32_t at[3] = {frame->tiles[n].x, frame->tiles[n].y, frame->tiles[n].z};
        for (int a = 0; a < 3; a++)
            low[a] = at[a] < low[a] ? at[a] : low[a];
    }
    for (int a = 0; a < 3; a++) {
        volume->anchor[a] = volume->refine * low[a];
        volume->origin[a] = ((double)BW_BRICK * volume->anchor[a] + 0.5) * (double)volume->spacing;
    }
}

static void clear(BwVolume *volume)
{
    volume->brick_count = volume->region_count = volume->slot_count = 0;
    volume->has_tint = false;
    for (int a = 0; a < 3; a++) {
        volume->low[a] = INT32_MAX;
        volume->high[a] = INT32_MIN;
    }
}

BwResult bw_volume_build(BwVolume *volume, BwPool *pool, const BwFrame *frame, float absorption, int refine,
                         BwError *err)
{
    BW_ASSERT(frame->layers == BW_TILE && (refine == 1 || refine == 2 || refine == 4));
    clear(volume);
    volume->refine = refine;
    volume->spacing = frame->cell_size / (float)refine;
    const BwFrameField *density = bw_frame_field(frame, "density");
    if (density == NULL || frame->tile_count == 0)
        return BW_OK;
    BW_TRY(bw_reserve(&volume->allocator, (void **)&volume->cells, &volume->cell_capacity,
                      (int64_t)frame->tile_count * TILE_CELLS, sizeof *volume->cells, err));
    set_anchor(volume, frame);
    Build build = {.volume = volume,
                   .frame = frame,
                   .density = density,
                   .solid = bw_frame_field(frame, "solid"),
                   .scale = absorption * volume->spacing};
    bw_parallel_for(pool, frame->tile_count, 16, clean_tiles, &build);
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        if (has_smoke(&build, tile))
            BW_TRY(make_bricks_of(volume, frame->tiles[tile], err));
    bw_parallel_for(pool, volume->brick_count, 16, fill_bricks, &build);
    BW_TRY(build_tints(&build, pool, err));
    return bw_reserve(&volume->allocator, (void **)&volume->lit, &volume->lit_capacity, volume->brick_count,
                      sizeof *volume->lit, err);
}

void bw_volume_free(BwVolume *volume)
{
    const BwAllocator *allocator = &volume->allocator;
    bw_free(allocator, volume->bricks, (size_t)volume->brick_capacity * sizeof *volume->bricks, BW_ALIGN);
    bw_free(allocator, volume->lit, (size_t)volume->lit_capacity * sizeof *volume->lit, BW_ALIGN);
    bw_free(allocator, volume->tints, (size_t)volume->tint_capacity * sizeof *volume->tints, BW_ALIGN);
    bw_free(allocator, volume->regions, (size_t)volume->region_capacity * sizeof *volume->regions, BW_ALIGN);
    bw_free(allocator, volume->slots, (size_t)volume->slot_capacity * sizeof *volume->slots, BW_ALIGN);
    bw_free(allocator, volume->cells, (size_t)volume->cell_capacity * sizeof *volume->cells, BW_ALIGN);
    *volume = (BwVolume){.allocator = *allocator};
}
