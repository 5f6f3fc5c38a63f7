// Gathering and weighing.
#include "operate/surface_block.h"

#include "base/extremes.h"
#include "domain/solid_faces.h"

#include <math.h>
#include <string.h>

// Around a foot, in which points may be near enough.
enum { CELLS_LOW = 3, CELLS_HIGH = 4 };

// Walls beyond this are none.
static const float no_wall = 8.0f;

static BwVec3 place_of(int at)
{
    return bw_vec3((float)bw_block_coordinate(at, 0), (float)bw_block_coordinate(at, 1),
                   (float)bw_block_coordinate(at, 2));
}

// Adds a mask, or the live cells where it is NULL, to a byte a cell.
static void add_mask(const BwGrid *grid, const BwMask *mask, int32_t slot, uint8_t *bytes)
{
    int layers = bw_block_layers(grid);
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < BW_BLOCK; j++)
            for (int i = 0; i < BW_BLOCK; i++) {
                int x = i - BW_HALO, y = j - BW_HALO, z = layers == 1 ? 0 : k - BW_HALO;
                int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(x >> 3, y >> 3, z >> 3)];
                uint64_t word = bw_words(grid, mask, tile)[z & 7];
                if (word >> ((x & 7) + 8 * (y & 7)) & 1)
                    bytes[i + BW_BLOCK * j + BW_BLOCK_LAYER * k]++;
            }
}

// Whether a wall stands at a side of the box, and not water that comes in or goes out, beside a place.
static bool is_wall_at(const BwDomain *domain, int side, BwVec3 place)
{
    const BwBoxSide *kind = &domain->side[side];
    if (kind->kind == BW_WALL_CLOSED || kind->part == NULL)
        return kind->kind == BW_WALL_CLOSED;
    return !bw_box_side_holds(kind, domain->grid, place);
}

// Distances of the block's cells to one side of the box, where they are less.
static void add_side(const BwCurvatureDef *def, int32_t slot, int side, BwSurfaceBlock *block)
{
    const BwGrid *grid = def->domain->grid;
    int axis = side / 2, count = BW_BLOCK_LAYER * bw_block_layers(grid);
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++)
        first[a] -= BW_HALO;
    float plane =
        (float)((side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis]) - first[axis]) - 0.5f;
    if (plane < -2.0f || plane > BW_BLOCK + 1.0f) // none of the cells is within two of it
        return;
    for (int at = 0; at < count; at++) {
        float place = (float)bw_block_coordinate(at, axis),
              distance = side % 2 == 0 ? place - plane : plane - place;
        if (!(distance < block->wall[at]))
            continue;
        float beside[3];
        for (int a = 0; a < 3; a++)
            beside[a] = grid->cell_size * ((float)(first[a] + bw_block_coordinate(at, a)) + 0.5f);
        beside[axis] =
            grid->cell_size * (float)(side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis]);
        if (is_wall_at(def->domain, side, bw_vec3(beside[0], beside[1], beside[2])))
            block->wall[at] = distance;
    }
}

void bw_surface_block_find_walls(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot)
{
    const BwGrid *grid = def->domain->grid;
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    if (def->solid != NULL) {
        bw_block_gather(def->solid, slot, block->wall);
        for (int at = 0; at < count; at++)
            block->wall[at] /= grid->cell_size;
    } else
        for (int at = 0; at < count; at++)
            block->wall[at] = no_wall;
    for (int side = 0; side < 2 * grid->dimension && grid->has_bounds; side++)
        if (grid->period[side / 2] == 0)
            add_side(def, slot, side, block);
    block->has_walls = false;
    for (int at = 0; at < count && !block->has_walls; at++)
        block->has_walls = block->wall[at] < 2.0f;
}

// Whether solids are near a tile or one beside it.
static bool has_solids(const BwCurvatureDef *def, int32_t slot)
{
    const struct BwSolidFaces *cut = def->domain->cut;
    int first = bw_first_beside(def->domain->grid);
    for (int c = first; c < 27 - first && cut != NULL; c++)
        if (bw_solids_are_near(cut, def->domain->grid->tiles[slot].neighbour[c]))
            return true;
    return false;
}

// Where the surface passes between two open cells of the block, and the way between them is open.
static void find_crossings(const BwCurvatureDef *def, int32_t slot, BwSurfaceBlock *block)
{
    const BwGrid *grid = def->domain->grid;
    const struct BwSolidFaces *cut = def->domain->cut;
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    bool is_cut = has_solids(def, slot);
    float way[BW_BLOCK_CELLS];
    memset(block->crossed, 0, sizeof block->crossed);
    memset(block->beside, 0, sizeof block->beside);
    for (int a = 0; a < grid->dimension; a++) {
        if (is_cut)
            bw_block_gather(&cut->open[a], slot, way);
        for (int at = bw_block_stride[a]; at < count; at++) {
            int low = at - bw_block_stride[a];
            if (bw_block_coordinate(at, a) == 0 || (block->phi[at] < 0.0f) == (block->phi[low] < 0.0f) ||
                block->open[at] == 0 || block->open[low] == 0)
                continue;
            block->beside[at] = block->beside[low] = 1;
            if (block->open[at] == 2 && block->open[low] == 2 && !(is_cut && way[at] == 0.0f))
                block->crossed[at] |= (uint8_t)(1 << a);
        }
    }
}

// The slope of values along an axis, from the cells beside that are as open as the cell itself.
static float slope_along(const BwSurfaceBlock *block, const float *values, int at, int axis)
{
    int c = bw_block_coordinate(at, axis), low = at, high = at;
    if (c > 0 && block->open[at - bw_block_stride[axis]] >= block->open[at])
        low -= bw_block_stride[axis];
    if (c + 1 < BW_BLOCK && block->open[at + bw_block_stride[axis]] >= block->open[at])
        high += bw_block_stride[axis];
    return low == high ? 0.0f : (values[high] - values[low]) / (float)((high - low) / bw_block_stride[axis]);
}

static void find_normals(const BwCurvatureDef *def, BwSurfaceBlock *block)
{
    int count = BW_BLOCK_LAYER * bw_block_layers(def->domain->grid);
    for (int at = 0; at < count; at++) {
        float slope[3] = {0};
        for (int a = 0; a < def->domain->grid->dimension && block->beside[at] != 0; a++)
            slope[a] = slope_along(block, block->phi, at, a);
        block->normal[at] = bw_normalize(bw_vec3(slope[0], slope[1], slope[2]));
    }
}

float bw_surface_bend(const BwSurfaceBlock *block, int at, int axis)
{
    int c = bw_block_coordinate(at, axis), step = bw_block_stride[axis];
    if (c == 0 || c + 1 == BW_BLOCK || block->open[at - step] != 2 || block->open[at + step] != 2)
        return 0.0f;
    return block->phi[at - step] - 2.0f * block->phi[at] + block->phi[at + step];
}

// Where phi is 0 on the way from the low cell: by a straight line, and by the bend that both cells agree on.
static float crossing(const BwSurfaceBlock *block, int at, int axis, bool is_straight)
{
    float own = block->phi[at], low = block->phi[at - bw_block_stride[axis]], part = low / (low - own);
    if (is_straight)
        return part;
    float here = bw_surface_bend(block, at, axis),
          before = bw_surface_bend(block, at - bw_block_stride[axis], axis);
    float bend = here * before > 0.0f ? (fabsf(here) < fabsf(before) ? here : before) : 0.0f;
    part += 0.5f * part * (1.0f - part) * bend / (own - low);
    return bw_larger(bw_smaller(part, 1.0f), 0.0f);
}

static BwSurfacePoint point_at(const BwSurfaceBlock *block, int at, int axis, bool is_straight)
{
    int low = at - bw_block_stride[axis];
    BwSurfacePoint point = {.at = (uint16_t)at, .low = (uint16_t)low};
    BwVec3 way = {(float)(axis == 0), (float)(axis == 1), (float)(axis == 2)};
    point.part = crossing(block, at, axis, is_straight);
    point.place = bw_add(place_of(at), bw_mul(way, point.part - 1.0f));
    point.normal = bw_normalize(
        bw_add(bw_mul(block->normal[at], point.part), bw_mul(block->normal[low], 1.0f - point.part)));
    point.share = fabsf(bw_component(point.normal, axis));
    return point;
}

static void list_points(const BwCurvatureDef *def, BwSurfaceBlock *block)
{
    int count = BW_BLOCK_LAYER * bw_block_layers(def->domain->grid), found = 0;
    for (int at = 0; at < count; at++) {
        block->first[at] = (uint16_t)found;
        for (int a = 0; a < def->domain->grid->dimension && block->crossed[at] != 0; a++)
            if (block->crossed[at] >> a & 1)
                block->points[found++] = point_at(block, at, a, def->is_noisy);
    }
    block->first[count] = (uint16_t)found;
}

void bw_surface_block_gather(BwSurfaceBlock *block, const BwCurvatureDef *def, int32_t slot)
{
    const BwGrid *grid = def->domain->grid;
    int count = BW_BLOCK_LAYER * bw_block_layers(grid);
    bw_block_gather(def->phi, slot, block->phi);
    for (int at = 0; at < count; at++)
        block->phi[at] /= grid->cell_size;
    memset(block->open, 0, sizeof block->open);
    add_mask(grid, NULL, slot, block->open);
    add_mask(grid, &def->domain->open, slot, block->open);
    find_crossings(def, slot, block);
    find_normals(def, block);
    list_points(def, block);
}

BwSurfaceFoot bw_surface_foot(const BwSurfaceBlock *block, int at, int dimension)
{
    BwSurfaceFoot foot = {.normal = block->normal[at]};
    float way = bw_larger(bw_smaller(block->phi[at], 1.0f), -1.0f);
    foot.place = bw_sub(place_of(at), bw_mul(foot.normal, way));
    for (int a = 0; a < dimension; a++) {
        int nearest = (int)lrintf(bw_component(foot.place, a));
        foot.low[a] = nearest > CELLS_LOW + 1 ? nearest - CELLS_LOW : 1;
        foot.high[a] = nearest + CELLS_HIGH < BW_BLOCK ? nearest + CELLS_HIGH : BW_BLOCK - 1;
    }
    return foot;
}
