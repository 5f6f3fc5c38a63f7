// Wet cells, and those that are connected.
#include "mesh/bodies.h"

#include "grid/connect.h"
#include "grid/frame_check.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

// The tile that was last asked for, and its number in the frame. Vertices come tile by tile.
typedef struct NearTile {
    BwTileCoord tile;
    int32_t number;
} NearTile;

static int32_t cell_along(float place)
{
    int32_t cell = (int32_t)place;
    return cell - ((float)cell > place);
}

// The number of a cell among those of the frame's tiles; -1: it is in none.
static int64_t cell_at(const BwLevel *level, BwVec3 place, NearTile *last)
{
    const int32_t *anchor = level->lattice->anchor;
    if (!(fabsf(place.x) < 1e8f && fabsf(place.y) < 1e8f && fabsf(place.z) < 1e8f))
        return -1;
    int32_t x = cell_along(place.x), y = cell_along(place.y), z = cell_along(place.z);
    BwTileCoord tile = {(x >> 3) + anchor[0], (y >> 3) + anchor[1], (z >> 3) + anchor[2]};
    if (tile.x != last->tile.x || tile.y != last->tile.y || tile.z != last->tile.z)
        *last = (NearTile){tile, bw_frame_find_tile(level->frame, tile)};
    return last->number >= 0 ? (int64_t)last->number * TILE_CELLS + ((x & 7) | (y & 7) << 3 | (z & 7) << 6)
                             : -1;
}

static BwResult reserve(BwBodies *bodies, int64_t cells, int64_t vertices, BwError *err)
{
    const BwAllocator *allocator = &bodies->allocator;
    BW_TRY(bw_reserve(allocator, (void **)&bodies->vertex_cell, &bodies->vertex_capacity, vertices,
                      sizeof *bodies->vertex_cell, err));
    BW_TRY(bw_reserve(allocator, (void **)&bodies->filled, &bodies->filled_capacity, cells,
                      sizeof *bodies->filled, err));
    BW_TRY(bw_reserve(allocator, (void **)&bodies->body, &bodies->body_capacity, cells, sizeof *bodies->body,
                      err));
    return BW_OK;
}

static bool is_between_walls(const BwLattice *lattice, BwTileCoord tile, int cell)
{
    const int32_t at[3] = {BW_TILE * tile.x + (cell & 7), BW_TILE * tile.y + (cell >> 3 & 7),
                           BW_TILE * tile.z + (cell >> 6)};
    for (int a = 0; a < 3 && lattice->has_walls; a++)
        if (at[a] < lattice->low[a] || at[a] >= lattice->high[a])
            return false;
    return true;
}

// Cells deep inside hold no particles where the grid advects the liquid: they are full, outside of solids.
static void add_deep_cells(BwBodies *bodies)
{
    const BwLevel *level = bodies->level;
    for (int32_t tile = 0; tile < level->frame->tile_count; tile++) {
        const BwNodeBlock block = {.level = level, .tile = level->frame->tiles[tile]};
        bool has_solids = bw_tile_has_solids(level, block.tile);
        for (int n = 0; n < TILE_CELLS; n++) {
            int64_t cell = (int64_t)tile * TILE_CELLS + n;
            if (!(level->values[cell] < -BW_DEEP) || bodies->filled[cell] > 0.0f ||
                !is_between_walls(level->lattice, block.tile, n))
                continue;
            const double middle[3] = {BW_TILE * (double)block.tile.x + (n & 7) + 0.5,
                                      BW_TILE * (double)block.tile.y + (n >> 3 & 7) + 0.5,
                                      BW_TILE * (double)block.tile.z + (n >> 6) + 0.5};
            if (!has_solids || !bw_node_block_is_in_solid(&block, middle))
                bodies->filled[cell] = 1.0f;
        }
    }
}

static void join(int32_t *parent, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || parent[a] < 0 || parent[b] < 0 || parent[a] == parent[b])
        return;
    bw_roots_join(parent, (int32_t)a, (int32_t)b);
}

static void join_tile(BwBodies *bodies, int32_t tile)
{
    const BwFrame *frame = bodies->level->frame;
    BwTileCoord at = frame->tiles[tile];
    const int32_t after[3] = {bw_frame_find_tile(frame, (BwTileCoord){at.x + 1, at.y, at.z}),
                              bw_frame_find_tile(frame, (BwTileCoord){at.x, at.y + 1, at.z}),
                              bw_frame_find_tile(frame, (BwTileCoord){at.x, at.y, at.z + 1})};
    for (int n = 0; n < TILE_CELLS; n++)
        for (int a = 0; a < 3 && bodies->body[(int64_t)tile * TILE_CELLS + n] >= 0; a++) {
            bool is_last = (n >> 3 * a & 7) == BW_TILE - 1;
            int64_t beside = is_last ? (int64_t)after[a] * TILE_CELLS + (n & ~(7 << 3 * a))
                                     : (int64_t)tile * TILE_CELLS + n + (1 << 3 * a);
            join(bodies->body, (int64_t)tile * TILE_CELLS + n, is_last && after[a] < 0 ? -1 : beside);
        }
}

// Numbers the bodies in the order of their first cells. A cell hangs on one before it, which has its number
// by then.
static BwResult number_bodies(BwBodies *bodies, int64_t cells, BwError *err)
{
    int32_t *body = bodies->body;
    bodies->count = 0;
    for (int64_t n = 0; n < cells; n++)
        if (body[n] >= 0)
            body[n] = body[n] == n ? (int32_t)bodies->count++ : body[body[n]];
    BW_TRY(bw_reserve(&bodies->allocator, (void **)&bodies->volumes, &bodies->volume_capacity,
                      bodies->count + 1, sizeof *bodies->volumes, err));
    memset(bodies->volumes, 0, (size_t)bodies->count * sizeof *bodies->volumes);
    for (int64_t n = 0; n < cells; n++)
        if (body[n] >= 0)
            bodies->volumes[body[n]] += (double)bodies->filled[n];
    return BW_OK;
}

BwResult bw_bodies_set(BwBodies *bodies, const BwLevel *level, const BwWetCells *wet,
                       const BwPatches *patches, BwError *err)
{
    int64_t cells = (int64_t)level->frame->tile_count * TILE_CELLS;
    NearTile last = {{INT32_MIN, 0, 0}, -1};
    bodies->level = level;
    BW_TRY(reserve(bodies, cells, patches->vertex_count, err));
    memcpy(bodies->filled, wet->filled, (size_t)cells * sizeof *bodies->filled);
    add_deep_cells(bodies);
    for (int64_t n = 0; n < cells; n++)
        bodies->body[n] = bodies->filled[n] > 0.0f ? (int32_t)n : -1;
    for (int64_t n = 0; n < patches->vertex_count; n++) {
        int64_t cell = cell_at(level, patches->places[n], &last);
        bodies->vertex_cell[n] = (int32_t)cell;
        if (cell >= 0)
            bodies->body[cell] = (int32_t)cell;
    }
    for (int32_t tile = 0; tile < level->frame->tile_count; tile++)
        join_tile(bodies, tile);
    return number_bodies(bodies, cells, err);
}

int32_t bw_body_of_vertex(const BwBodies *bodies, int64_t vertex)
{
    int32_t cell = bodies->vertex_cell[vertex];
    return cell >= 0 ? bodies->body[cell] : -1;
}

void bw_bodies_free(BwBodies *bodies)
{
    const BwAllocator *allocator = &bodies->allocator;
    bw_free(allocator, bodies->vertex_cell, (size_t)bodies->vertex_capacity * sizeof *bodies->vertex_cell,
            BW_ALIGN);
    bw_free(allocator, bodies->filled, (size_t)bodies->filled_capacity * sizeof *bodies->filled, BW_ALIGN);
    bw_free(allocator, bodies->body, (size_t)bodies->body_capacity * sizeof *bodies->body, BW_ALIGN);
    bw_free(allocator, bodies->volumes, (size_t)bodies->volume_capacity * sizeof *bodies->volumes, BW_ALIGN);
    *bodies = (BwBodies){.allocator = bodies->allocator};
}
