// Places and weights of the lattice's nodes.
#include "mesh/lattice.h"

#include "scene/box_cells.h"

// Cells from the origin up to which places count from it: floats are exact to a thousandth of a cell there.
static const int32_t near_cells = 1 << 14;

// Cells. Two faces of the box that meet in an edge have vertices of their own there, so far from it.
static const float edge_inset = 0.02f;

static int32_t tile_along(BwTileCoord tile, int axis)
{
    return axis == 0 ? tile.x : axis == 1 ? tile.y : tile.z;
}

static void set_anchor(BwLattice *lattice, const BwFrame *frame)
{
    for (int a = 0; a < 3; a++) {
        int32_t least = INT32_MAX, most = INT32_MIN;
        for (int32_t n = 0; n < frame->tile_count; n++) {
            int32_t at = tile_along(frame->tiles[n], a);
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        bool is_near = least > -near_cells / BW_TILE && most < near_cells / BW_TILE;
        lattice->anchor[a] = is_near ? 0 : least;
    }
}

void bw_lattice_set(BwLattice *lattice, const BwFrame *frame, int refine)
{
    *lattice = (BwLattice){
        .refine = refine, .nodes = BW_TILE * refine, .cell = frame->cell_size, .has_walls = frame->has_walls};
    for (int a = 0; a < 3 && frame->has_walls; a++) {
        lattice->low[a] = bw_cell_floor(bw_component(frame->walls.low, a), frame->cell_size);
        lattice->high[a] = bw_cell_ceil(bw_component(frame->walls.high, a), frame->cell_size);
    }
    set_anchor(lattice, frame);
}

// Weights of the four cells around a place: linear, which gives the samples back where nodes are at cell
// centres, or those of the cubic B-spline. `share` is how far it is from the second cell to the third.
static void set_weights(float weight[BW_SUPPORT], float share, bool is_linear)
{
    float s = share, r = 1.0f - share;
    weight[0] = is_linear ? 0.0f : r * r * r / 6.0f;
    weight[1] = is_linear ? r : (4.0f - 6.0f * s * s + 3.0f * s * s * s) / 6.0f;
    weight[2] = is_linear ? s : (4.0f - 6.0f * r * r + 3.0f * r * r * r) / 6.0f;
    weight[3] = is_linear ? 0.0f : s * s * s / 6.0f;
}

// A node in a cell of its tile, `within` cells from its low side. All numbers but the cell's are the same
// whichever tile asks, so that tiles agree to the bit on the nodes they share.
static void set_node(BwNodeAxis *nodes, const BwLattice *lattice, int n, int cell, float within)
{
    bool is_before = within <= 0.5f; // its centre
    nodes->first[n] = cell - 1 - is_before + BW_LEVEL_BEFORE;
    set_weights(nodes->weight[n], within - 0.5f + (is_before ? 1.0f : 0.0f), lattice->refine == 1);
}

void bw_node_axis_set(BwNodeAxis *nodes, const BwLattice *lattice, BwTileCoord tile, int axis)
{
    int refine = lattice->refine;
    int64_t first_cell = (int64_t)BW_TILE * tile_along(tile, axis);
    int64_t low = lattice->low[axis] - first_cell, high = lattice->high[axis] - first_cell;
    int32_t start = BW_TILE * (tile_along(tile, axis) - lattice->anchor[axis]);
    for (int n = 0; n <= lattice->nodes; n++) {
        bool is_low = lattice->has_walls && n < low * refine,
             is_high = lattice->has_walls && n >= high * refine;
        bool is_outside = (is_low && n + 1 < low * refine) || (is_high && n > high * refine);
        int64_t cell = is_outside ? n / refine : is_low ? low : is_high ? high : n / refine;
        float within = is_low || is_high ? 0.0f : ((float)(n % refine) + 0.5f) / (float)refine;
        int64_t wall = is_low ? low : high; // of nodes outside, which edges to the wall end at
        float place = (float)(start + (is_low || is_high ? wall : cell)) + within;
        nodes->kind[n] = is_outside ? BW_NODE_OUTSIDE : is_low || is_high ? BW_NODE_ON_WALL : BW_NODE_INSIDE;
        nodes->place[n] = place;
        nodes->inset[n] = place + (is_low ? edge_inset : is_high ? -edge_inset : 0.0f);
        set_node(nodes, lattice, n, (int)cell, within);
    }
}
