// Which paths of a tile a solid may have to do with: the tile is asked first, then cubes of its cells, then
// cells, side by side. Bounds reject and never decide anything else.
#include "advect/path_concern.h"

#include "base/extremes.h"
#include "solid/shape_file.h"

#include <math.h>
#include <string.h>

float bw_path_tile_moved(const BwPathTile *tile, const BwSolidPose *solid)
{
    float moved = 0.0f;
    if (bw_solid_is_at_rest(solid))
        return moved;
    for (int corner = 0; corner < 1 << tile->grid->dimension; corner++) {
        const float at[3] = {corner & 1 ? BW_TILE : 0.0f, corner & 2 ? BW_TILE : 0.0f,
                             corner & 4 ? BW_TILE : 0.0f};
        BwVec3 point = bw_path_position(tile, at);
        moved = bw_larger(moved, bw_length(bw_sub(bw_pose_to_local(solid->pose, point),
                                                  bw_pose_to_local(solid->before, point))));
    }
    return moved;
}

static void find_squares(const BwField paths[3], int32_t slot, float squares[BW_TILE_CELLS_MAX])
{
    const BwGrid *grid = paths[0].store.grid;
    memset(squares, 0, (size_t)grid->tile_cells * sizeof *squares);
    for (int a = 0; a < grid->dimension; a++) {
        const float *restrict way = bw_field_tile(&paths[a], slot);
        for (int n = 0; n < grid->tile_cells; n++)
            squares[n] += way[n] * way[n];
    }
}

// How long the paths of a tile's cells are, in metres. The path of a face is a mean of two, so no longer than
// the longer one: each cell takes that of its own and of those before it.
static void find_lengths(const BwField paths[3], int32_t slot, float lengths[BW_TILE_CELLS_MAX])
{
    const BwGrid *grid = paths[0].store.grid;
    float own[BW_TILE_CELLS_MAX], before[BW_TILE_CELLS_MAX];
    find_squares(paths, slot, own);
    memcpy(lengths, own, (size_t)grid->tile_cells * sizeof *own);
    for (int a = 0; a < grid->dimension; a++) {
        int step = 1 << 3 * a, last = 7 << 3 * a;
        int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(-(a == 0), -(a == 1), -(a == 2))];
        find_squares(paths, tile != 0 ? tile : slot, before);
        for (int n = 0; n < grid->tile_cells; n++) {
            float other = n & last ? own[n - step] : before[n + last];
            lengths[n] = bw_larger(lengths[n], other);
        }
    }
    for (int n = 0; n < grid->tile_cells; n++)
        lengths[n] = bw_safely * grid->cell_size * sqrtf(lengths[n]);
}

// Whether a solid may have to do with any path of those lengths that starts in a cube of cells: all starts
// are within a radius of its centre.
static bool may_concern(const BwPathTile *tile, const BwSolidPose *solid, const float low[3], float size,
                        float length)
{
    const float middle[3] = {low[0] + 0.5f * size, low[1] + 0.5f * size, low[2] + 0.5f * size};
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    BwDistanceBounds distance =
        bw_shape_distance_bounds(solid->shape, bw_pose_to_local(pose, bw_path_position(tile, middle)));
    float h = tile->grid->cell_size,
          radius = bw_safely * 0.5f * size * h * sqrtf((float)tile->grid->dimension);
    return distance.low <= bw_path_reach(tile, length) + radius &&
           (!tile->is_back || distance.high >= -bw_path_deep * h - radius);
}

// Keeps those cubes of cells, each given by its first one, that a solid may concern, of paths as long as
// `lengths` tells of their first cells. Gives how many those are.
static int keep_concerned(const BwPathTile *tile, const BwSolidPose *solid, int size, const float *lengths,
                          int count, BwWays *ways)
{
    float h = tile->grid->cell_size,
          radius = bw_safely * 0.5f * (float)size * h * sqrtf((float)tile->grid->dimension);
    float around = bw_path_reach(tile, 0.0f) + radius,
          deepest = tile->is_back ? -bw_path_deep * h - radius : -INFINITY;
    ways->from.count = count;
    for (int n = 0; n < count; n++) {
        int cell = ways->cell[n];
        const float middle[3] = {(float)(cell & 7) + 0.5f * (float)size,
                                 (float)(cell >> 3 & 7) + 0.5f * (float)size,
                                 (float)(cell >> 6) + 0.5f * (float)size};
        bw_place_put(&ways->from, n, bw_path_position(tile, middle));
    }
    bw_places_to_local(&ways->from, tile->is_back ? solid->pose : solid->before);
    bw_places_measure(&ways->from, solid->shape);
    int kept = 0;
    for (int n = 0; n < count; n++) {
        int16_t cell = ways->cell[n];
        if (ways->from.low[n] <= bw_safely * lengths[cell] + around && ways->from.high[n] >= deepest)
            ways->cell[kept++] = cell;
    }
    return kept;
}

static bool mark_cells(const int16_t *cell, int count, uint64_t *bits)
{
    for (int n = 0; n < count; n++)
        bits[cell[n] >> 6] |= UINT64_C(1) << (cell[n] & 63);
    return count > 0;
}

// The cells of the first `count` cubes of ways->cell instead of these.
static int cells_of_cubes(const BwPathTile *tile, int size, int count, BwWays *ways)
{
    int16_t cube[BW_TILE_CELLS_MAX];
    int cells = 0, layers = tile->grid->layers == 1 ? 1 : size;
    memcpy(cube, ways->cell, (size_t)count * sizeof *cube);
    for (int n = 0; n < count; n++)
        for (int m = 0; m < size * size * layers; m++)
            ways->cell[cells++] = (int16_t)(cube[n] + m % size + BW_TILE * (m / size % size) +
                                            BW_TILE_LAYER * (m / size / size));
    return cells;
}

// Cells that a solid may concern; true if there are any. The whole tile is asked first, then cubes of 4x4x4.
static bool mark_near(const BwPathTile *tile, const BwSolidPose *solid, const float *lengths,
                      float longest_of_tile, BwWays *ways, uint64_t *bits)
{
    enum { CUBE = 4 };
    float moved = bw_path_tile_moved(tile, solid), each[BW_TILE_CELLS_MAX];
    if (!may_concern(tile, solid, (const float[3]){0}, BW_TILE, longest_of_tile + moved))
        return false;
    int count = tile->grid->tile_cells / (CUBE * CUBE * (tile->grid->layers == 1 ? 1 : CUBE));
    for (int n = 0; n < count; n++) {
        ways->cell[n] =
            (int16_t)(CUBE * (n & 1) + CUBE * BW_TILE * (n >> 1 & 1) + CUBE * BW_TILE_LAYER * (n >> 2));
        each[ways->cell[n]] = longest_of_tile + moved;
    }
    count = keep_concerned(tile, solid, CUBE, each, count, ways);
    for (int n = 0; n < tile->grid->tile_cells; n++)
        each[n] = lengths[n] + moved;
    count = cells_of_cubes(tile, CUBE, count, ways);
    return mark_cells(ways->cell, keep_concerned(tile, solid, 1, each, count, ways), bits);
}

// The same of a solid that rests, by what is kept of distances. Deep inside, paths start nowhere that counts.
static bool mark_near_resting(const BwPathTile *tile, BwPathSolids solids, int s, const float *lengths,
                              BwWays *ways, uint64_t *bits)
{
    const float *low = tile->rest[bw_neighbour(0, 0, 0)];
    float radius = bw_safely * 0.5f * tile->grid->cell_size * sqrtf((float)tile->grid->dimension),
          around = bw_path_reach(tile, 0.0f) + radius;
    int count = 0;
    bool has_any = false;
    for (int n = 0; n < tile->grid->tile_cells; n++) {
        if (low[n] > bw_safely * lengths[n] + around)
            continue;
        bool is_sure = solids.count == 1 && low[n] >= 0.0f;
        bits[n >> 6] |= (uint64_t)is_sure << (n & 63);
        has_any |= is_sure;
        ways->cell[count] = (int16_t)n;
        count += !is_sure;
    }
    count = keep_concerned(tile, &solids.list[s], 1, lengths, count, ways);
    return mark_cells(ways->cell, count, bits) || has_any;
}

uint64_t bw_paths_concern(const BwPathTile *tile, const BwField paths[3], BwPathSolids solids, int32_t slot,
                          BwWays *ways, uint64_t *bits)
{
    float lengths[BW_TILE_CELLS_MAX], longest = 0.0f;
    memset(bits, tile->is_plain ? 0xff : 0, (size_t)tile->grid->layers * sizeof *bits);
    if (tile->is_plain)
        return ~UINT64_C(0);
    find_lengths(paths, slot, lengths);
    for (int n = 0; n < tile->grid->tile_cells; n++)
        longest = bw_larger(longest, lengths[n]);
    uint64_t set = 0;
    for (int s = 0; s < solids.count; s++) {
        bool is_kept = bw_solid_rests(solids, s) && tile->rest[bw_neighbour(0, 0, 0)] != NULL;
        if (is_kept ? mark_near_resting(tile, solids, s, lengths, ways, bits)
                    : mark_near(tile, &solids.list[s], lengths, longest, ways, bits))
            set |= bw_solid_bit(s);
    }
    return set;
}
