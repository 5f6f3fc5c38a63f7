// What solids leave open of each face, and how fast they move there (Batty, Bertails and Bridson 2007): area
// fractions from distances at nodes, faces closed by solids thinner than a cell, walls of the box.
#pragma once

#include "domain/domain.h"

typedef struct BwSolidFaces {
    BwField open[3]; // share of the face outside solids, 0 to 1
    BwField
        speed[3];  // of the nearest solid along the face's normal, m/s; counts where a face is not all open
    BwMask room;   // live cells with an open face
    BwMask near;   // by tile, all bits alike: whether a solid is near; elsewhere all faces are open
    bool is_whole; // solids are whole cells, those whose centre is inside: faces are open or closed
    bool closes_split; // cells with room on both sides of a wall are closed, for they would join the sides
} BwSolidFaces;

BwResult bw_solid_faces_create(BwSolidFaces *faces, BwGrid *grid, BwError *err);
void bw_solid_faces_destroy(BwSolidFaces *faces);

// Measures the faces of the awake tiles. Tiles without a solid near cost a look. Of the domain only grid,
// pool and sides are read.
void bw_solid_faces_measure(BwSolidFaces *faces, const BwDomain *domain, const BwSolidPose *solids,
                            int solid_count, float dt);

static inline bool bw_solids_are_near(const BwSolidFaces *faces, int32_t slot)
{
    return bw_mask_tile(&faces->near, slot)[0] != 0;
}
