// Open cells are counted by the plane that they lie in.
#include "domain/sections.h"

#include <stdint.h>

// Planes across one axis, from the first that a tile has.
typedef struct Planes {
    int32_t first;
    int64_t count;
    int64_t *cells;
} Planes;

static int32_t coord_of(const BwGridTile *tile, int axis)
{
    return axis == 0 ? tile->coord.x : axis == 1 ? tile->coord.y : tile->coord.z;
}

static Planes planes_across(const BwGrid *grid, int axis)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t at = coord_of(&grid->tiles[grid->order[n]], axis);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return (Planes){.first = low * BW_TILE, .count = BW_TILE * ((int64_t)high - low + 1)};
}

static int64_t bits_of(uint64_t word)
{
    return __builtin_popcountll(word);
}

static void count_layer(uint64_t open, int axis, int64_t *cells, int layer)
{
    for (int n = 0; n < BW_TILE && axis < 2; n++)
        cells[n] += bits_of(open & (axis == 0 ? BW_COLUMN << n : BW_ROW << (BW_TILE * n)));
    if (axis == 2)
        cells[layer] += bits_of(open);
}

static int64_t fewest(const BwDomain *domain, const Planes *planes, int axis)
{
    const BwGrid *grid = domain->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *open = bw_mask_tile(&domain->open, slot);
        int64_t *cells = planes->cells + coord_of(&grid->tiles[slot], axis) * BW_TILE - planes->first;
        for (int k = 0; k < grid->layers; k++)
            count_layer(open[k], axis, cells, k);
    }
    int64_t least = INT64_MAX;
    for (int64_t n = 0; n < planes->count; n++)
        least = planes->cells[n] > 0 && planes->cells[n] < least ? planes->cells[n] : least;
    return least;
}

BwResult bw_narrowest_section(const BwDomain *domain, const BwAllocator *allocator, double *area,
                              BwError *err)
{
    const BwGrid *grid = domain->grid;
    int64_t least = INT64_MAX;
    for (int axis = 0; axis < grid->dimension && grid->tile_count > 0; axis++) {
        Planes planes = planes_across(grid, axis);
        size_t bytes = (size_t)planes.count * sizeof *planes.cells;
        planes.cells = bw_alloc_zeroed(allocator, bytes, BW_ALIGN);
        if (planes.cells == NULL)
            return bw_fail_memory(err);
        int64_t here = fewest(domain, &planes, axis);
        bw_free(allocator, planes.cells, bytes, BW_ALIGN);
        least = here < least ? here : least;
    }
    double h = (double)grid->cell_size;
    *area = least == INT64_MAX ? 0.0 : (double)least * (grid->dimension == 3 ? h * h : h);
    return BW_OK;
}
