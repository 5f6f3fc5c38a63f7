// Waking, sleeping and linking tiles. Invariants: a tile is listed once in `order`, which is sorted; a tile
// and its 26 neighbours are linked both ways; a slot is in use or its bit in free_slots is set. Everything
// that can fail happens before anything changes.
#include "grid/grid.h"

#include "grid/field.h"
#include <stdlib.h>
#include <string.h>

static BwResult check_def(const BwGridDef *def, BwError *err)
{
    if (!(def->cell_size > 0.0f))
        return bw_fail(err, BW_ERR_DEF, "cell_size is %g m; it must be positive", (double)def->cell_size);
    if (def->dimension != 2 && def->dimension != 3)
        return bw_fail(err, BW_ERR_DEF, "dimension is %d; it must be 2 or 3", def->dimension);
    for (int a = 0; a < 3; a++) {
        if (def->period[a] < 0 || def->period[a] > BW_TILE_COORD_MAX)
            return bw_fail(err, BW_ERR_DEF, "period is %d tiles; it must be 0 to %d", def->period[a],
                           BW_TILE_COORD_MAX);
        bool is_used = def->has_bounds && def->period[a] == 0 && (a < 2 || def->dimension == 3);
        if (is_used && def->bounds.low[a] >= def->bounds.high[a])
            return bw_fail(err, BW_ERR_DEF,
                           "the bounds along %c go from cell %d to cell %d; they must hold one at least",
                           "xyz"[a], def -> bounds.low[a], def->bounds.high[a]);
    }
    return BW_OK;
}

// Periodic axes have no bounds, and 2-D has none along z: as far as cells can reach.
static BwCellBox effective_bounds(const BwGridDef *def)
{
    BwCellBox bounds = def->bounds;
    for (int a = 0; a < 3; a++) {
        if (def->has_bounds && def->period[a] == 0 && (a < 2 || def->dimension == 3))
            continue;
        bounds.low[a] = -BW_TILE_COORD_MAX * BW_TILE;
        bounds.high[a] = BW_TILE_COORD_MAX * BW_TILE - 1;
    }
    return bounds;
}

BwResult bw_grid_create(BwGrid **out, const BwGridDef *def, BwError *err)
{
    *out = NULL;
    BW_TRY(check_def(def, err));
    BwAllocator allocator = bw_allocator_or_default(def->allocator);
    BwGrid *grid = bw_alloc_zeroed(&allocator, sizeof *grid, BW_ALIGN);
    if (grid == NULL)
        return bw_fail_memory(err);
    grid->allocator = allocator;
    grid->cell_size = def->cell_size;
    grid->dimension = def->dimension;
    grid->layers = def->dimension == 3 ? BW_TILE : 1;
    grid->tile_cells = BW_TILE_LAYER * grid->layers;
    grid->pool = def->pool;
    grid->has_bounds = def->has_bounds;
    grid->bounds = effective_bounds(def);
    for (int a = 0; a < 3; a++)
        grid->far_wall[a] = grid->bounds.high[a] < BW_TILE_COORD_MAX * BW_TILE - 1 && !def->is_open[a];
    memcpy(grid->period, def->period, sizeof grid->period);
    memcpy(grid->period_low, def->period_low, sizeof grid->period_low);
    if (grid->layers == 1)
        grid->period[2] = 0;
    BwResult result =
        bw_reserve(&allocator, (void **)&grid->tiles, &grid->tile_capacity, 1, sizeof *grid->tiles, err);
    if (result == BW_OK)
        result =
            bw_reserve(&allocator, (void **)&grid->chunk_use, &grid->chunk_capacity, 1, sizeof(int32_t), err);
    if (result != BW_OK) {
        bw_grid_destroy(grid);
        return result;
    }
    memset(grid->tiles, 0, sizeof *grid->tiles); // the missing tile
    memset(grid->chunk_use, 0, (size_t)grid->chunk_capacity * sizeof(int32_t));
    grid->slot_count = 1;
    *out = grid;
    return BW_OK;
}

void bw_grid_destroy(BwGrid *grid)
{
    if (grid == NULL)
        return;
    BW_ASSERT(grid->stores == NULL);
    BwAllocator allocator = grid->allocator;
    bw_tile_hash_free(&grid->hash, &allocator);
    bw_free(&allocator, grid->tiles, (size_t)grid->tile_capacity * sizeof *grid->tiles, BW_ALIGN);
    bw_free(&allocator, grid->order, (size_t)grid->order_capacity * sizeof *grid->order, BW_ALIGN);
    bw_free(&allocator, grid->merged, (size_t)grid->merged_capacity * sizeof *grid->merged, BW_ALIGN);
    bw_free(&allocator, grid->free_slots, (size_t)grid->free_capacity * sizeof *grid->free_slots, BW_ALIGN);
    bw_free(&allocator, grid->chunk_use, (size_t)grid->chunk_capacity * sizeof *grid->chunk_use, BW_ALIGN);
    bw_free(&allocator, grid->scratch, (size_t)grid->scratch_capacity * sizeof *grid->scratch, BW_ALIGN);
    bw_free(&allocator, grid, sizeof *grid, BW_ALIGN);
}

// Bits of one layer whose cells lie in [low, high), counted from the layer's first cell.
static uint64_t layer_bits(const int32_t low[2], const int32_t high[2])
{
    uint64_t bits = 0;
    for (int32_t j = low[1] > 0 ? low[1] : 0; j < BW_TILE && j < high[1]; j++)
        for (int32_t i = low[0] > 0 ? low[0] : 0; i < BW_TILE && i < high[0]; i++)
            bits |= (uint64_t)1 << (BW_TILE * j + i);
    return bits;
}

static void set_live_cells(const BwGrid *grid, BwGridTile *tile)
{
    int32_t first[3], low[3], high[3];
    bw_tile_first_cell(grid, tile->coord, first);
    for (int a = 0; a < 3; a++) {
        low[a] = grid->bounds.low[a] - first[a];
        high[a] = grid->bounds.high[a] - first[a];
    }
    uint64_t bits = layer_bits(low, high);
    memset(tile->live, 0, sizeof tile->live);
    for (int32_t k = 0; k < grid->layers; k++)
        tile->live[k] = k >= low[2] && k < high[2] ? bits : 0;
}

static bool meets_bounds(const BwGrid *grid, BwTileCoord coord)
{
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    for (int a = 0; a < 3; a++) {
        int32_t size = a == 2 ? grid->layers : BW_TILE;
        if (first[a] >= grid->bounds.high[a] || first[a] + size <= grid->bounds.low[a])
            return false;
    }
    return true;
}

static int compare_coords(const void *a, const void *b)
{
    return bw_tile_coord_compare(*(const BwTileCoord *)a, *(const BwTileCoord *)b);
}

// Puts the tiles that are really new into grid->scratch, sorted, each once.
static BwResult collect_new_tiles(BwGrid *grid, const BwTileCoord *coords, int64_t count, int64_t *new_count,
                                  BwError *err)
{
    BW_TRY(bw_reserve(&grid->allocator, (void **)&grid->scratch, &grid->scratch_capacity, count,
                      sizeof *grid->scratch, err));
    int64_t found = 0;
    bool is_sorted = true;
    for (int64_t n = 0; n < count; n++) {
        BwTileCoord coord = bw_grid_wrap_coord(grid, coords[n]);
        if (grid->layers == 1)
            coord.z = 0;
        if (abs(coord.x) > BW_TILE_COORD_MAX - 2 || abs(coord.y) > BW_TILE_COORD_MAX - 2 ||
            abs(coord.z) > BW_TILE_COORD_MAX - 2)
            return bw_fail(err, BW_ERR_NUMERICS,
                           "tile (%d, %d, %d) is out of reach; at most %d tiles from the origin", coord.x,
                           coord.y, coord.z, BW_TILE_COORD_MAX - 2);
        if (!meets_bounds(grid, coord) || bw_grid_find_wrapped(grid, coord) != 0)
            continue;
        is_sorted = is_sorted && (found == 0 || bw_tile_coord_compare(grid->scratch[found - 1], coord) < 0);
        grid->scratch[found++] = coord;
    }
    if (!is_sorted)
        qsort(grid->scratch, (size_t)found, sizeof *grid->scratch, compare_coords);
    int64_t unique = 0;
    for (int64_t n = 0; n < found; n++)
        if (unique == 0 || !bw_tile_coord_equal(grid->scratch[unique - 1], grid->scratch[n]))
            grid->scratch[unique++] = grid->scratch[n];
    *new_count = unique;
    return BW_OK;
}

// The lowest free slot at or after `from`, or slot_count when none is left: low slots first keep chunks full.
static int32_t next_free_slot(const BwGrid *grid, int32_t from)
{
    for (int64_t word = from >> 6; word < (grid->slot_count + 63) >> 6; word++) {
        uint64_t bits = grid->free_slots[word];
        if (word == from >> 6)
            bits &= ~(uint64_t)0 << (from & 63);
        if (bits != 0)
            return (int32_t)(word * 64 + __builtin_ctzll(bits));
    }
    return grid->slot_count;
}

// Those too that were reserved for slots which were then not taken.
static void release_unused_chunks(BwGrid *grid)
{
    for (int32_t chunk = 1; chunk < grid->chunk_capacity; chunk++)
        if (grid->chunk_use[chunk] == 0)
            bw_stores_release_chunk(grid, chunk);
}

static BwResult grow_cleared(BwGrid *grid, void **block, int64_t *capacity, int64_t needed, size_t size,
                             BwError *err)
{
    int64_t before = *capacity;
    BW_TRY(bw_reserve(&grid->allocator, block, capacity, needed, size, err));
    memset((char *)*block + (size_t)before * size, 0, (size_t)(*capacity - before) * size);
    return BW_OK;
}

// Memory for `count` more tiles: the grid's own arrays, and room in every store for each slot that will be
// taken.
static BwResult reserve_tiles(BwGrid *grid, int64_t count, BwError *err)
{
    int64_t fresh = count > grid->free_count ? count - grid->free_count : 0;
    int64_t slots = grid->slot_count + fresh;
    if (slots > INT32_MAX / 2)
        return bw_fail_memory(err);
    int64_t tiles = grid->tile_count + count;
    int64_t chunks = bw_chunk_of((int32_t)slots - 1) + 1;
    const BwAllocator *allocator = &grid->allocator;
    BW_TRY(grow_cleared(grid, (void **)&grid->tiles, &grid->tile_capacity, slots, sizeof *grid->tiles, err));
    BW_TRY(
        bw_reserve(allocator, (void **)&grid->order, &grid->order_capacity, tiles, sizeof *grid->order, err));
    BW_TRY(bw_reserve(allocator, (void **)&grid->merged, &grid->merged_capacity, tiles, sizeof *grid->merged,
                      err));
    BW_TRY(grow_cleared(grid, (void **)&grid->free_slots, &grid->free_capacity, (slots + 63) / 64,
                        sizeof(uint64_t), err));
    BW_TRY(
        grow_cleared(grid, (void **)&grid->chunk_use, &grid->chunk_capacity, chunks, sizeof(int32_t), err));
    BW_TRY(bw_tile_hash_reserve(&grid->hash, allocator, tiles, err));
    int32_t slot = 0;
    for (int64_t n = 0; n < count; n++) {
        int32_t next = slot < grid->slot_count ? next_free_slot(grid, slot + 1) : slot + 1;
        if (bw_chunk_of(next) != bw_chunk_of(slot))
            BW_TRY(bw_stores_reserve_slot(grid, slot, err));
        slot = next;
    }
    return bw_stores_reserve_slot(grid, slot, err);
}

static int32_t take_slot(BwGrid *grid, int32_t from)
{
    int32_t slot = next_free_slot(grid, from);
    if (slot == grid->slot_count) {
        grid->slot_count++;
    } else {
        grid->free_slots[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
        grid->free_count--;
    }
    grid->chunk_use[bw_chunk_of(slot)]++;
    return slot;
}

// Links a tile with all its neighbours, both ways. Half of the look-ups suffice: the link back is the
// opposite one. A tile alone in a period is its own neighbour.
static void link_tile(BwGrid *grid, int32_t slot)
{
    BwGridTile *tile = &grid->tiles[slot];
    tile->neighbour[13] = slot;
    for (int n = 0; n < 13; n++) {
        int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
        if (dz != 0 && grid->layers == 1)
            continue;
        BwTileCoord low = {tile->coord.x + dx, tile->coord.y + dy, tile->coord.z + dz};
        BwTileCoord high = {tile->coord.x - dx, tile->coord.y - dy, tile->coord.z - dz};
        int32_t low_slot = bw_grid_find(grid, low), high_slot = bw_grid_find(grid, high);
        tile->neighbour[n] = low_slot;
        tile->neighbour[26 - n] = high_slot;
        if (low_slot != 0)
            grid->tiles[low_slot].neighbour[26 - n] = slot;
        if (high_slot != 0)
            grid->tiles[high_slot].neighbour[n] = slot;
    }
}

static void unlink_tile(BwGrid *grid, int32_t slot)
{
    BwGridTile *tile = &grid->tiles[slot];
    for (int n = 0; n < 27; n++) {
        int32_t other = tile->neighbour[n];
        if (other != 0)
            grid->tiles[other].neighbour[26 - n] = 0;
    }
}

static void renumber(BwGrid *grid)
{
    for (int32_t n = 0; n < grid->tile_count; n++)
        grid->tiles[grid->order[n]].rank = n;
}

// Merges the new slots, which stand in grid->scratch's order, into the sorted order.
static void merge_into_order(BwGrid *grid, int64_t count)
{
    int64_t old = 0, fresh = 0, total = grid->tile_count + count;
    for (int64_t n = 0; n < total; n++) {
        bool take_old = fresh == count ||
                        (old < grid->tile_count && bw_tile_coord_compare(grid->tiles[grid->order[old]].coord,
                                                                         grid->scratch[fresh]) < 0);
        grid->merged[n] = take_old ? grid->order[old++] : bw_grid_find_wrapped(grid, grid->scratch[fresh++]);
    }
    int32_t *order = grid->order;
    int64_t capacity = grid->order_capacity;
    grid->order = grid->merged;
    grid->order_capacity = grid->merged_capacity;
    grid->merged = order;
    grid->merged_capacity = capacity;
    grid->tile_count = (int32_t)total;
    renumber(grid);
}

// Memory that is new is given its pages here, which takes longer than anything else that waking does.
static void clear_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwGrid *grid = context;
    for (int64_t n = begin; n < end; n++)
        bw_stores_clear_tile(grid, bw_grid_find_wrapped(grid, grid->scratch[n]));
}

BwResult bw_grid_wake(BwGrid *grid, const BwTileCoord *coords, int64_t count, BwError *err)
{
    int64_t new_count = 0;
    BW_TRY(collect_new_tiles(grid, coords, count, &new_count, err));
    if (new_count == 0)
        return BW_OK;
    BwResult result = reserve_tiles(grid, new_count, err);
    if (result != BW_OK) {
        release_unused_chunks(grid);
        return result;
    }
    int32_t slot = 0;
    for (int64_t n = 0; n < new_count; n++) {
        slot = take_slot(grid, slot + 1);
        BwGridTile *tile = &grid->tiles[slot];
        *tile = (BwGridTile){.coord = grid->scratch[n], .is_awake = true};
        set_live_cells(grid, tile);
        bw_tile_hash_insert(&grid->hash, tile->coord, slot);
    }
    bw_parallel_for(grid->pool, new_count, 64, clear_range, grid);
    merge_into_order(grid, new_count);
    for (int64_t n = 0; n < new_count; n++)
        link_tile(grid, bw_grid_find_wrapped(grid, grid->scratch[n]));
    return BW_OK;
}

void bw_grid_sleep(BwGrid *grid, const int32_t *slots, int64_t count)
{
    for (int64_t n = 0; n < count; n++) {
        int32_t slot = slots[n];
        BwGridTile *tile = &grid->tiles[slot];
        BW_ASSERT(slot > 0 && slot < grid->slot_count && tile->is_awake);
        unlink_tile(grid, slot);
        bw_tile_hash_remove(&grid->hash, tile->coord, slot);
        *tile = (BwGridTile){0};
        grid->free_slots[slot >> 6] |= (uint64_t)1 << (slot & 63);
        grid->free_count++;
        grid->chunk_use[bw_chunk_of(slot)]--;
    }
    int32_t kept = 0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        if (grid->tiles[grid->order[n]].is_awake)
            grid->order[kept++] = grid->order[n];
    grid->tile_count = kept;
    renumber(grid);
    release_unused_chunks(grid);
}

void bw_grid_sleep_all(BwGrid *grid)
{
    while (grid->tile_count > 0) {
        // The list of slots changes while tiles fall asleep.
        int32_t slots[1024];
        int32_t count = grid->tile_count < 1024 ? grid->tile_count : 1024;
        memcpy(slots, grid->order, (size_t)count * sizeof *slots);
        bw_grid_sleep(grid, slots, count);
    }
}

int64_t bw_grid_live_cells(const BwGrid *grid)
{
    int64_t cells = 0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int k = 0; k < grid->layers; k++)
            cells += __builtin_popcountll(grid->tiles[grid->order[n]].live[k]);
    return cells;
}
