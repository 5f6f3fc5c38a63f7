// Signed distances from the centres of a flat lattice to closed polygons, up to a band: below 0 inside. An
// edge tells the cells around it how far away it is; which side they are on is counted along rows, so that
// holes go round the other way.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct BwPolygonDistance {
    double low[2]; // m, the corner of the first cell
    double side;   // m, of a cell
    int32_t count[2];
    double band;      // m
    float *distance;  // m, of each cell, x fastest
    int32_t *winding; // how many polygons are around its centre
    int32_t *nearest; // the number of the nearest edge; -1: none is in the band. NULL: nobody asks
} BwPolygonDistance;

// The lists are the caller's. Begin, add edges with their numbers, end.
void bw_polygon_distance_begin(BwPolygonDistance *lattice);
void bw_polygon_distance_add(BwPolygonDistance *lattice, const double from[2], const double to[2],
                             int32_t number);
void bw_polygon_distance_end(BwPolygonDistance *lattice);
