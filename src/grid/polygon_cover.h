// The share of each cell of a flat lattice that polygons cover, exactly. An edge adds all that is to the left
// of it along x where it goes up and takes it away where it goes down, so that what edges of closed polygons
// add up to is their inside; holes go round the other way.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct BwPolygonCover {
    double low[2]; // m, the corner of the first cell
    double side;   // m, of a cell
    int32_t count[2];
    double *share; // of each cell, x fastest; the caller's, and cleared before the first edge
} BwPolygonCover;

// Told each cell of the lattice that an edge passes, in order, with the length of its way there, in cells.
typedef void BwEdgeFn(void *context, int32_t i, int32_t j, double length);

// Adds an edge; `pass`, which may be NULL, is told of the cells.
void bw_cover_add_edge(BwPolygonCover *cover, const double from[2], const double to[2], BwEdgeFn *pass,
                       void *context);

// Once all edges are there: what they add up to.
void bw_cover_finish(BwPolygonCover *cover);
