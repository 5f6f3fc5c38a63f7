// What solids leave open of each face, and how fast they move there (row E5): area fractions from distances
// at nodes, faces closed by solids thinner than a cell, walls of the box.
#pragma once

#include "operate/domain.h"

typedef struct BwSolidFaces {
    BwField open[3]; // share of the face outside solids, 0 to 1
    BwField
        speed[3]; // of the nearest solid along the face's normal, m/s; counts where a face is not all open
} BwSolidFaces;

BwResult bw_solid_faces_create(BwSolidFaces *faces, BwGrid *grid, BwError *err);
void bw_solid_faces_destroy(BwSolidFaces *faces);

// Measures all faces of the awake tiles. Of the domain only grid, pool and closed sides are read.
void bw_solid_faces_measure(BwSolidFaces *faces, const BwDomain *domain, const BwSolidPose *solids,
                            int solid_count, float dt);
