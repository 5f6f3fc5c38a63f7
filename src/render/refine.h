// Cubes of values cut out of tiles or bricks, which both hold 8^3 values, and the cubics that bring them to
// the 9^3 points of a brick.
#pragma once

#include "render/volume.h"

enum { BW_CUBE_SIDE_MAX = 12 };

typedef struct BwCube {
    int32_t low[3]; // of its first value, in the lattice of the tiles
    int side;
    float values[BW_CUBE_SIDE_MAX * BW_CUBE_SIDE_MAX * BW_CUBE_SIDE_MAX]; // side^3 of them, i fastest
} BwCube;

void bw_cube_fill(BwCube *cube, float value);

// Takes the part of an 8^3 tile, whose first value is at `begin`, that lies in the cube.
void bw_cube_copy(BwCube *cube, const float *tile, const int32_t begin[3]);

// The cube that the points of a brick are interpolated from. `low` is the place of the brick's first point in
// the lattice of the cells, rounded down: whole cells lie between bricks for every refinement.
BwCube bw_cube_to_refine(const int32_t low[3], int refine);

// The points of a brick, on a lattice that is `refine` times finer than the values: by the cubic of Mitchell
// and Netravali (1988) with 2 C = 1 - B. B = 0 goes through the values, B = 1/3 hardly blurs and hardly
// rings, and B = 1 is the B-spline, which hides cells however large they are drawn. A refinement of 1 copies.
void bw_cube_refine(const BwCube *cube, int refine, float b, float points[BW_BRICK_POINTS]);

// The same cubic at the places of the values themselves; the cube begins one value before the brick and has
// a side of 12.
void bw_cube_smooth(const BwCube *cube, float b, float points[BW_BRICK_POINTS]);
