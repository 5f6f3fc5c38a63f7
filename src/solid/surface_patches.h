// The surface of a shape as small flat patches that know their neighbours, for what goes on along it: one in
// every cube of a lattice that the surface passes through.
#pragma once

#include "base/memory.h"
#include <billow/shape.h>

typedef struct BwSurfacePatch {
    BwVec3 place, normal; // m, in the shape's own coordinates; out of it, of length 1
    float area;           // m^2; in 2-D of a metre's depth
    int32_t cube[3];      // of the lattice
} BwSurfacePatch;

typedef struct BwSurfacePatches {
    BwAllocator allocator;
    BwSurfacePatch *list;
    int64_t count, capacity;
    int64_t *first;  // count + 1 of them: where in `beside` the neighbours of each begin
    int32_t *beside; // their numbers
    int64_t beside_count, beside_capacity;
} BwSurfacePatches;

// The surface where the distance is 0, cut along tetrahedra (in 2-D triangles) of cubes that are `spacing` m
// wide; the shape must have an end. After a failure destroy frees what was made.
BwResult bw_surface_patches_create(BwSurfacePatches *patches, const BwShape *shape, int dimension,
                                   float spacing, BwAllocator allocator, BwError *err);
void bw_surface_patches_destroy(BwSurfacePatches *patches);

// Mean curvature at a patch, 1/m, above 0 where the surface bulges: by how much the normals of its neighbours
// turn away from its own.
float bw_patch_curvature(const BwSurfacePatches *patches, int64_t n);
