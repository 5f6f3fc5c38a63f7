// The lattice of nodes on which a surface is looked for: `refine` nodes along a cell, at the centres of its
// equal parts, so that the nodes of refine 1 are the samples of the level set. Where the box of a scene ends
// there is a layer of nodes on the wall itself, and behind it, at the same place, one that is always outside.
// Between these two the liquid is closed by faces that lie exactly on the wall, with the corners of the box.
#pragma once

#include <billow/frame.h>

enum {
    BW_REFINE_MAX = 4,
    BW_NODES_MAX = BW_TILE * BW_REFINE_MAX + 1, // of a tile along an axis, with the first of the next one
    BW_SUPPORT = 4,                             // cells along an axis that a node is interpolated from
    BW_LEVEL_BEFORE = 2, // cells around a tile that its nodes are interpolated from: before it along an axis,
    BW_LEVEL_AFTER = 3,  // and after it
    BW_LEVEL_SIDE = BW_LEVEL_BEFORE + BW_TILE + BW_LEVEL_AFTER,
    BW_LEVEL_CELLS = BW_LEVEL_SIDE * BW_LEVEL_SIDE * BW_LEVEL_SIDE,
};

typedef enum BwNodeKind { BW_NODE_INSIDE, BW_NODE_ON_WALL, BW_NODE_OUTSIDE } BwNodeKind;

typedef struct BwLattice {
    int refine;
    int nodes;  // of a tile along an axis: BW_TILE * refine
    float cell; // m
    bool has_walls;
    int32_t low[3], high[3]; // low <= cell < high between the walls
    int32_t anchor[3];       // the tile that places count from
} BwLattice;

// Finds the walls of a frame in cells, and a tile to count from: the origin's, but for far from it, where
// floats are too coarse.
void bw_lattice_set(BwLattice *lattice, const BwFrame *frame, int refine);

// The nodes of a tile along an axis, from its first to that of the next tile.
typedef struct BwNodeAxis {
    uint8_t kind[BW_NODES_MAX]; // BwNodeKind
    float place[BW_NODES_MAX];  // cells from the anchor
    float inset[BW_NODES_MAX];  // the same, a little inside of walls
    int first[BW_NODES_MAX];    // of the cells it is interpolated from, counted from BW_LEVEL_BEFORE
    float weight[BW_NODES_MAX][BW_SUPPORT]; // of those
} BwNodeAxis;

void bw_node_axis_set(BwNodeAxis *nodes, const BwLattice *lattice, BwTileCoord tile, int axis);
