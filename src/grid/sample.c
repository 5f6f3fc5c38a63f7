// Interpolation with missing samples, in its plain form: the truth that faster kernels are tested against,
// and their fall-back for long traces.
#include "grid/sample.h"

#include "base/extremes.h"

#include <math.h>
#include <stdlib.h>

// Finds tiles around a home tile: linked neighbours near it, the hash beyond.
typedef struct Finder {
    const BwGrid *grid;
    const int32_t *neighbour; // NULL: always the hash
    BwTileCoord home;
} Finder;

static int32_t find_tile(const Finder *finder, int dx, int dy, int dz)
{
    if (finder->neighbour != NULL && abs(dx) <= 1 && abs(dy) <= 1 && abs(dz) <= 1)
        return finder->neighbour[bw_neighbour(dx, dy, dz)];
    BwTileCoord coord = {finder->home.x + dx, finder->home.y + dy, finder->home.z + dz};
    return bw_grid_find(finder->grid, coord);
}

static bool is_in_bounds(const Finder *finder, const int cell[3])
{
    int32_t first[3];
    bw_tile_first_cell(finder->grid, finder->home, first);
    for (int a = 0; a < finder->grid->dimension; a++) {
        int64_t at = (int64_t)first[a] + cell[a];
        if (at < finder->grid->bounds.low[a] || at >= finder->grid->bounds.high[a])
            return false;
    }
    return true;
}

// A mask may count the missing tile as valid: then its background is a sample like any other, up to the
// bounds.
static bool is_valid_cell(const Finder *finder, const BwMask *valid, const int cell[3], int32_t *slot,
                          int *index)
{
    int layer_shift = finder->grid->layers == 1 ? 0 : cell[2] >> 3;
    *slot = find_tile(finder, cell[0] >> 3, cell[1] >> 3, layer_shift);
    *index = (cell[0] & 7) + 8 * (cell[1] & 7) + (finder->grid->layers == 1 ? 0 : 64 * (cell[2] & 7));
    const uint64_t *words = valid != NULL ? bw_mask_tile(valid, *slot) : finder->grid->tiles[*slot].live;
    return bw_bit(words, *index) && (*slot != 0 || is_in_bounds(finder, cell));
}

// A sample by its cell, counted from the home tile's first.
static bool fetch(const Finder *finder, const BwField *field, const BwMask *valid, const int cell[3],
                  float *value)
{
    int32_t slot;
    int index;
    bool is_there = is_valid_cell(finder, valid, cell, &slot, &index);
    int normal = bw_location_normal(field->location);
    if (!is_there && normal >= 0 && finder->grid->far_wall[normal]) {
        int32_t first[3];
        bw_tile_first_cell(finder->grid, finder->home, first);
        int before[3] = {cell[0] - (normal == 0), cell[1] - (normal == 1), cell[2] - (normal == 2)};
        int32_t other_slot;
        int other_index;
        is_there = first[normal] + cell[normal] == finder->grid->bounds.high[normal] &&
                   is_valid_cell(finder, valid, before, &other_slot, &other_index);
    }
    if (is_there)
        *value = bw_field_tile(field, slot)[index];
    return is_there;
}

// No tile is so far from another. A point may be, that a flow too fast to follow was traced to; its cell must
// be an int.
static const float far_cells = 1 << 30;

// The share of a corner of the cell of samples around a place.
static inline float corner_weight(int corner, int axes, const float part[3])
{
    float weight = 1.0f;
    for (int a = 0; a < axes; a++)
        weight *= corner >> a & 1 ? part[a] : 1.0f - part[a];
    return weight;
}

// Places in tables are looked up for each corner where its loop is not unrolled, as it cannot be where checks
// of bounds lead out of it.
#ifdef __SANITIZE_ADDRESS__
#define UNROLL_CORNERS
#else
#define UNROLL_CORNERS _Pragma("GCC unroll 8")
#endif

// The same where all the samples around belong to tiles that are linked, as they mostly do; false where they
// do not. `axes` is a constant wherever this is called, so that its loops are unrolled.
static inline bool sample_linked(const Finder *finder, const BwField *field, const BwMask *valid,
                                 const int base[3], const float part[3], int axes, float *value)
{
    static const int tile_step[3] = {1, 3, 9};
    int tile[3][2] = {{0}}, cell[3][2] = {{0}};
    for (int a = 0; a < axes; a++) {
        if (base[a] < -BW_TILE || base[a] >= 2 * BW_TILE - 1)
            return false;
        for (int high = 0; high <= 1; high++) {
            tile[a][high] = ((base[a] + high) >> 3) * tile_step[a];
            cell[a][high] = ((base[a] + high) & 7) << 3 * a;
        }
    }
    float sum = 0.0f, weights = 0.0f;
    UNROLL_CORNERS
    for (int corner = 0; corner < 1 << axes; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2, at = cell[0][x] + cell[1][y] + cell[2][z];
        int32_t slot = finder->neighbour[bw_neighbour(0, 0, 0) + tile[0][x] + tile[1][y] + tile[2][z]];
        const uint64_t *words = valid != NULL ? bw_mask_tile(valid, slot) : finder->grid->tiles[slot].live;
        if (slot == 0 || !bw_bit(words, at))
            return false;
        float weight = corner_weight(corner, axes, part);
        sum += weight > 0.0f ? weight * bw_field_tile(field, slot)[at] : 0.0f;
        weights += weight;
    }
    *value = sum / weights;
    return true;
}

static bool sample(const Finder *finder, const BwField *field, const BwMask *valid, const float local[3],
                   float *value)
{
    int axes = finder->grid->dimension;
    int base[3] = {0};
    float part[3] = {0};
    for (int a = 0; a < axes; a++) {
        float position = local[a] - bw_location_shift(field->location, a);
        float floor_position = floorf(position);
        base[a] = (int)bw_smaller(bw_larger(floor_position, -far_cells), far_cells);
        part[a] = position - floor_position;
    }
    if (finder->neighbour != NULL && (axes == 3 ? sample_linked(finder, field, valid, base, part, 3, value)
                                                : sample_linked(finder, field, valid, base, part, 2, value)))
        return true;
    float sum = 0.0f, weights = 0.0f;
    for (int corner = 0; corner < 1 << axes; corner++) {
        float weight = corner_weight(corner, axes, part);
        const int cell[3] = {base[0] + (corner & 1), base[1] + (corner >> 1 & 1), base[2] + (corner >> 2)};
        float sample_value;
        if (weight <= 0.0f || !fetch(finder, field, valid, cell, &sample_value))
            continue;
        sum += weight * sample_value;
        weights += weight;
    }
    if (weights <= 0.0f)
        return false;
    *value = sum / weights;
    return true;
}

bool bw_sample_local(const BwField *field, const BwMask *valid, int32_t slot, const float local[3],
                     float *value)
{
    const BwGrid *grid = field->store.grid;
    Finder finder = {grid, grid->tiles[slot].neighbour, grid->tiles[slot].coord};
    return sample(&finder, field, valid, local, value);
}

bool bw_sample(const BwField *field, const BwMask *valid, BwPlace place, float *value)
{
    const BwGrid *grid = field->store.grid;
    int32_t cell[3];
    float local[3];
    for (int a = 0; a < 3; a++) {
        float whole = floorf(place.offset[a]);
        cell[a] = place.cell[a] + (int32_t)whole;
        local[a] = (float)(cell[a] & 7) + (place.offset[a] - whole);
    }
    BwTileCoord home = bw_grid_wrap_coord(grid, bw_tile_of_cell(grid, cell));
    int32_t slot = bw_grid_find_wrapped(grid, home);
    Finder finder = {grid, slot != 0 ? grid->tiles[slot].neighbour : NULL, home};
    return sample(&finder, field, valid, local, value);
}

bool bw_fetch(const BwField *field, const BwMask *valid, const int32_t cell[3], float *value)
{
    const BwGrid *grid = field->store.grid;
    Finder finder = {grid, NULL, bw_grid_wrap_coord(grid, bw_tile_of_cell(grid, cell))};
    int local[3] = {cell[0] & 7, cell[1] & 7, grid->layers == 1 ? 0 : cell[2] & 7};
    return fetch(&finder, field, valid, local, value);
}
