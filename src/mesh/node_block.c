// Interpolation of the level set to nodes, distances to solids, and crossings.
#include "mesh/node_block.h"

#include "base/extremes.h"
#include "mesh/wrap.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"

#include <math.h>
#include <string.h>

// Shares of an edge that its vertex keeps from both ends, so that no two vertices are at one place.
static const float end_share = 0.002f;

// Cells of the lattice: beyond this from the liquid nobody asks whether a node is inside a solid.
static const float solid_reach = 2.0f;

int64_t bw_node_block_floats(int refine)
{
    int64_t side = BW_TILE * refine + 1;
    return 2 * side * side * side + BW_LEVEL_SIDE * side * (side + BW_LEVEL_SIDE);
}

void bw_node_block_create(BwNodeBlock *block, const BwLevel *level, float *memory)
{
    size_t side = (size_t)level->lattice->nodes + 1;
    block->level = level;
    block->side = (int)side;
    block->phi = memory;
    block->solid = memory + side * side * side;
    block->scratch = memory + 2 * side * side * side;
}

// The tile's middle and how far its nodes are from it, m. One more cell: nodes on walls and of the next tile.
static BwVec3 tile_middle(const BwLattice *lattice, BwTileCoord tile)
{
    double half = 0.5 * BW_TILE, h = (double)lattice->cell;
    return bw_vec3((float)(h * ((double)BW_TILE * tile.x + half)),
                   (float)(h * ((double)BW_TILE * tile.y + half)),
                   (float)(h * ((double)BW_TILE * tile.z + half)));
}

// Half as much again, for distances of meshes are not exact: tiles that share a node must agree whether it is
// inside.
static float tile_radius(const BwLattice *lattice)
{
    return 1.5f * lattice->cell * (0.5f * BW_TILE + 1.0f) * 1.7320508f;
}

bool bw_solid_is_hollow(const BwFrameSolid *solid)
{
    return solid->shape == NULL || solid->shape->kind == BW_SHAPE_NONE || bw_shape_is_flat(solid->shape);
}

static bool solid_is_near(const BwLevel *level, const BwFrameSolid *solid, BwTileCoord tile)
{
    if (bw_solid_is_hollow(solid))
        return false;
    BwVec3 at = bw_pose_to_local(solid->pose, tile_middle(level->lattice, tile));
    return bw_shape_distance_bounds(solid->shape, at).low <= tile_radius(level->lattice);
}

bool bw_tile_has_solids(const BwLevel *level, BwTileCoord tile)
{
    for (int n = 0; n < level->frame->solid_count; n++)
        if (solid_is_near(level, &level->frame->solids[n], tile))
            return true;
    return false;
}

static bool meets_walls(const BwLattice *lattice, BwTileCoord tile)
{
    const int32_t at[3] = {tile.x, tile.y, tile.z};
    bool meets = false;
    for (int a = 0; a < 3; a++)
        meets |=
            (int64_t)BW_TILE * at[a] < lattice->low[a] || (int64_t)BW_TILE * (at[a] + 1) >= lattice->high[a];
    return lattice->has_walls && meets;
}

bool bw_tile_may_cross(const BwLevel *level, BwTileCoord tile)
{
    float range[2];
    if (level->wrap != NULL)
        bw_wrap_range(level->wrap, tile, range);
    else
        bw_level_range(level, tile, range);
    if (range[0] >= 0.0f)
        return false;
    return range[1] >= 0.0f || meets_walls(level->lattice, tile) || bw_tile_has_solids(level, tile);
}

static void along_x(const BwNodeBlock *block, const float *restrict cells, float *restrict out)
{
    const BwNodeAxis *axis = &block->axes[0];
    for (int row = 0; row < BW_LEVEL_SIDE * BW_LEVEL_SIDE; row++)
        for (int i = 0; i < block->side; i++) {
            const float *at = cells + row * BW_LEVEL_SIDE + axis->first[i], *w = axis->weight[i];
            out[row * block->side + i] = (w[0] * at[0] + w[3] * at[3]) + (w[1] * at[1] + w[2] * at[2]);
        }
}

// The weighted sum of four rows or layers of `count` numbers, `stride` apart. Linear weights leave two out.
static void blend(const float *restrict from, int stride, const float w[BW_SUPPORT], int count,
                  float *restrict out)
{
    if (w[0] == 0.0f && w[3] == 0.0f) {
        for (int n = 0; n < count; n++)
            out[n] = w[1] * from[n + stride] + w[2] * from[n + 2 * stride];
        return;
    }
    for (int n = 0; n < count; n++)
        out[n] = (w[0] * from[n] + w[3] * from[n + 3 * stride]) +
                 (w[1] * from[n + stride] + w[2] * from[n + 2 * stride]);
}

// Whether all nodes of a row are centres of cells, one after the other.
static bool are_centres(const BwNodeAxis *axis)
{
    bool are = true;
    for (int n = 0; n <= BW_TILE; n++)
        are &= axis->first[n] == axis->first[0] + n && axis->weight[n][1] == 0.0f;
    return are;
}

// At resolution 1 nodes are cell centres, or lie on walls, between the last cell and the first behind: they
// are the third cell of their support, or between that and the second.
static void interpolate_linearly(BwNodeBlock *block, const float *cells)
{
    enum { SIDE = BW_TILE + 1, Y = BW_LEVEL_SIDE, Z = BW_LEVEL_SIDE * BW_LEVEL_SIDE };
    const BwNodeAxis *axes = block->axes;
    bool has_centres = are_centres(&axes[0]);
    float *out = block->phi, mixed[BW_LEVEL_SIDE];
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++, out += SIDE) {
            const float *row = cells + Z * (axes[2].first[k] + 2) + Y * (axes[1].first[j] + 2);
            const float *y = axes[1].weight[j] + 1, *z = axes[2].weight[k] + 1;
            if (y[0] != 0.0f || z[0] != 0.0f) {
                for (int i = 0; i < BW_LEVEL_SIDE; i++)
                    mixed[i] = z[0] * (y[0] * row[i - Y - Z] + y[1] * row[i - Z]) +
                               z[1] * (y[0] * row[i - Y] + y[1] * row[i]);
                row = mixed;
            }
            if (has_centres)
                memcpy(out, row + axes[0].first[0] + 2, SIDE * sizeof *out);
            for (int i = 0; i < SIDE && !has_centres; i++) {
                const float *at = row + axes[0].first[i] + 1, *x = axes[0].weight[i] + 1;
                out[i] = x[0] * at[0] + x[1] * at[1];
            }
        }
}

static void interpolate(BwNodeBlock *block, const float cells[BW_LEVEL_CELLS])
{
    int side = block->side, layer = side * side;
    if (block->level->lattice->refine == 1) {
        interpolate_linearly(block, cells);
        return;
    }
    float *rows = block->scratch, *layers = rows + BW_LEVEL_SIDE * BW_LEVEL_SIDE * side;
    along_x(block, cells, rows);
    for (int k = 0; k < BW_LEVEL_SIDE; k++)
        for (int j = 0; j < side; j++)
            blend(rows + (k * BW_LEVEL_SIDE + block->axes[1].first[j]) * side, side, block->axes[1].weight[j],
                  side, layers + k * layer + j * side);
    for (int k = 0; k < side; k++)
        blend(layers + block->axes[2].first[k] * layer, layer, block->axes[2].weight[k], layer,
              block->phi + k * layer);
}

static BwVec3 node_place(const BwNodeBlock *block, int i, int j, int k)
{
    const BwLattice *lattice = block->level->lattice;
    const int at[3] = {i, j, k};
    double place[3];
    for (int a = 0; a < 3; a++)
        place[a] = (double)lattice->cell *
                   ((double)BW_TILE * lattice->anchor[a] + (double)block->axes[a].place[at[a]]);
    return bw_vec3((float)place[0], (float)place[1], (float)place[2]);
}

BwVec3 bw_solid_slope(const BwShape *shape, BwVec3 at, float step)
{
    BwVec3 slope;
    float distance;
    if (bw_shape_slope(shape, at, &slope, &distance))
        return slope;
    slope.x = bw_shape_distance_inline(shape, bw_vec3(at.x + step, at.y, at.z)) -
              bw_shape_distance_inline(shape, bw_vec3(at.x - step, at.y, at.z));
    slope.y = bw_shape_distance_inline(shape, bw_vec3(at.x, at.y + step, at.z)) -
              bw_shape_distance_inline(shape, bw_vec3(at.x, at.y - step, at.z));
    slope.z = bw_shape_distance_inline(shape, bw_vec3(at.x, at.y, at.z + step)) -
              bw_shape_distance_inline(shape, bw_vec3(at.x, at.y, at.z - step));
    return bw_normalize(slope);
}

// Cells: a node so far from where a solid begins has no neighbour on the other side, and nobody asks how far
// it is.
static const float far_cells = 2.0f;

// How deep a place is inside the part of a solid that liquid does not reach into, cells; it reaches `into`
// cells deep, but where the solid is thin no more than half through: a place near its surface looks to the
// other side.
static float depth_behind(const BwShape *shape, BwVec3 at, float cell, float into)
{
    BwDistanceBounds bounds = bw_shape_distance_bounds(shape, at);
    if (bounds.low > far_cells * cell)
        return -bounds.low / cell;
    if (bounds.high < -(into + far_cells) * cell)
        return -bounds.high / cell - into;
    float depth = -bw_shape_distance_inline(shape, at) / cell;
    if (depth < 0.0f || into == 0.0f)
        return depth;
    if (depth >= into)
        return depth - into;
    BwVec3 way = bw_mul(bw_solid_slope(shape, at, 0.1f * cell), (depth - 2.0f * into) * cell);
    float thickness = 2.0f * into - bw_shape_distance_inline(shape, bw_add(at, way)) / cell;
    return depth - bw_smaller(into, bw_larger(0.5f * thickness, 0.0f));
}

static void add_solid(BwNodeBlock *block, const BwFrameSolid *solid)
{
    const BwLattice *lattice = block->level->lattice;
    float reach = solid_reach / (float)lattice->refine;
    for (int k = 0; k < block->side; k++)
        for (int j = 0; j < block->side; j++)
            for (int i = 0; i < block->side; i++) {
                int n = bw_node(block, i, j, k);
                if (block->phi[n] >= reach)
                    continue;
                BwVec3 at = bw_pose_to_local(solid->pose, node_place(block, i, j, k));
                block->solid[n] = bw_larger(block->solid[n], depth_behind(solid->shape, at, lattice->cell,
                                                                          block->level->into_solids));
            }
}

void bw_node_block_find_solids(BwNodeBlock *block)
{
    const BwFrame *frame = block->level->frame;
    block->has_solids = false;
    for (int n = 0; n < frame->solid_count; n++) {
        if (!solid_is_near(block->level, &frame->solids[n], block->tile))
            continue;
        for (int m = 0; m < block->side * block->side * block->side && !block->has_solids; m++)
            block->solid[m] = -INFINITY;
        block->has_solids = true;
        add_solid(block, &frame->solids[n]);
    }
}

bool bw_node_block_is_in_solid(const BwNodeBlock *block, const double place[3])
{
    const BwFrame *frame = block->level->frame;
    double h = (double)frame->cell_size;
    BwVec3 at = bw_vec3((float)(h * place[0]), (float)(h * place[1]), (float)(h * place[2]));
    for (int n = 0; n < frame->solid_count; n++)
        if (solid_is_near(block->level, &frame->solids[n], block->tile) &&
            bw_shape_distance(frame->solids[n].shape, bw_pose_to_local(frame->solids[n].pose, at)) < 0.0f)
            return true;
    return false;
}

static void find_inside(BwNodeBlock *block)
{
    uint64_t between = 0; // nodes that are not behind walls across x
    for (int i = 0; i < block->side; i++)
        between |= (uint64_t)(block->axes[0].kind[i] != BW_NODE_OUTSIDE) << i;
    for (int k = 0; k < block->side; k++)
        for (int j = 0; j < block->side; j++) {
            bool is_behind =
                block->axes[1].kind[j] == BW_NODE_OUTSIDE || block->axes[2].kind[k] == BW_NODE_OUTSIDE;
            const float *phi = block->phi + bw_node(block, 0, j, k);
            uint64_t bits = 0;
            for (int i = 0; i < block->side; i++)
                bits |= (uint64_t)(phi[i] < 0.0f) << i;
            for (int i = 0; i < block->side && block->has_solids; i++)
                bits &= ~((uint64_t)(block->solid[bw_node(block, i, j, k)] >= 0.0f) << i);
            block->inside[k][j] = is_behind ? 0 : bits & between;
        }
}

static void set_axes(BwNodeBlock *block, BwTileCoord tile)
{
    block->tile = tile;
    for (int a = 0; a < 3; a++)
        bw_node_axis_set(&block->axes[a], block->level->lattice, tile, a);
}

void bw_node_block_interpolate(BwNodeBlock *block, BwTileCoord tile)
{
    float cells[BW_LEVEL_CELLS];
    set_axes(block, tile);
    bw_level_gather(block->level, tile, cells);
    interpolate(block, cells);
}

void bw_node_block_set(BwNodeBlock *block, BwTileCoord tile)
{
    if (block->level->wrap != NULL) {
        if (block->level->wrap->is_of_thin)
            bw_node_block_interpolate(block, tile);
        else
            set_axes(block, tile);
        bw_wrap_gather(block->level->wrap, tile, block->phi);
    } else
        bw_node_block_interpolate(block, tile);
    bw_node_block_find_solids(block);
    find_inside(block);
}

// How far along the edge from node `in`, inside, to node `out` the liquid ends: at its surface or at a
// solid's, whichever comes first.
static float crossing_share(const BwNodeBlock *block, int in, int out, bool *is_solid)
{
    float phi_in = block->phi[in], phi_out = block->phi[out];
    float share = phi_out >= 0.0f ? phi_in / (phi_in - phi_out) : 1.0f;
    if (block->has_solids && block->solid[out] >= 0.0f) {
        float solid_in = bw_larger(block->solid[in], -1e6f);
        float solid_share = solid_in / (solid_in - block->solid[out]);
        *is_solid = solid_share < share;
        share = bw_smaller(share, solid_share);
    }
    return bw_smaller(bw_larger(share, end_share), 1.0f - end_share);
}

// The direction out of the solid at a node, from the nodes around it that know how deep they are.
static BwVec3 solid_normal(const BwNodeBlock *block, const int at[3])
{
    float slope[3];
    for (int a = 0; a < 3; a++) {
        int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
        low[a] -= at[a] > 0;
        high[a] += at[a] + 1 < block->side;
        float before = block->solid[bw_node(block, low[0], low[1], low[2])],
              after = block->solid[bw_node(block, high[0], high[1], high[2])];
        float width = block->axes[a].place[high[a]] - block->axes[a].place[low[a]];
        slope[a] = isfinite(before) && isfinite(after) && width > 0.0f ? (before - after) / width : 0.0f;
    }
    return bw_normalize(bw_vec3(slope[0], slope[1], slope[2]));
}

BwVertex bw_node_crossing(const BwNodeBlock *block, const int at[3], int axis)
{
    int end[3] = {at[0], at[1], at[2]};
    end[axis]++;
    const BwNodeAxis *along = &block->axes[axis];
    bool is_cap = along->kind[at[axis]] == BW_NODE_OUTSIDE || along->kind[end[axis]] == BW_NODE_OUTSIDE;
    bool is_in = bw_node_is_inside(block, at), is_solid = false;
    float place[3];
    unsigned hold = is_cap ? BW_ON_CAP | 1u << axis : 0u;
    for (int a = 0; a < 3; a++) {
        const BwNodeAxis *nodes = &block->axes[a];
        place[a] = is_cap ? nodes->inset[at[a]] : nodes->place[at[a]];
        if (a != axis && nodes->kind[at[a]] == BW_NODE_ON_WALL)
            hold |= 1u << a;
    }
    float first = along->place[at[axis]], last = along->place[end[axis]];
    place[axis] = first;
    if (!is_cap) {
        int low = bw_node(block, at[0], at[1], at[2]), high = bw_node(block, end[0], end[1], end[2]);
        float share = crossing_share(block, is_in ? low : high, is_in ? high : low, &is_solid);
        place[axis] = is_in ? first + share * (last - first) : last + share * (first - last);
    }
    BwVertex vertex = {.place = bw_vec3(place[0], place[1], place[2]), .hold = (uint8_t)hold};
    if (is_solid) {
        vertex.hold |= BW_ON_SOLID;
        vertex.normal = solid_normal(block, is_in ? at : end);
    }
    return vertex;
}
