// Faces whose velocity a source prescribes, so that the pressure does not change it: a Dirichlet condition on
// the velocity inside the source. A projection that may change it takes a third to a half of the speed away,
// and gives it back over as many steps as the flow needs, so that what comes out depends on the step and the
// cell.
#pragma once

#include "operate/emit.h"

typedef struct BwPrescription {
    const BwStamp *stamp; // where; its value does not matter
    BwVec3 velocity;      // m/s
    BwBox within;         // m: faces outside of it stay free
} BwPrescription;

typedef struct BwPrescribed {
    BwMask face[3];    // the faces
    BwMask unbalanced; // cells that they would leave with a divergence that nothing can mend
    bool has_any;
} BwPrescribed;

BwResult bw_prescribed_create(BwPrescribed *prescribed, BwGrid *grid, BwError *err);
void bw_prescribed_destroy(BwPrescribed *prescribed);

// Prescribes nothing any more.
void bw_prescribed_clear(BwPrescribed *prescribed, const BwDomain *domain);

// Sets the velocity on all faces that the source covers, be it in part, and that fluid may pass. A cell at
// the edge of the source holds the covered part of its smoke; all of it leaves at the full speed, so that the
// sum is area times speed times density of the shape, whatever the grid.
void bw_prescribed_add(BwPrescribed *prescribed, const BwDomain *domain, BwVelocity *velocity,
                       const BwPrescription *prescription);

// Frees the faces of cells that have no free one and a net outflow: beside solids, and where sources overlap.
void bw_prescribed_release(BwPrescribed *prescribed, const BwDomain *domain, const BwVelocity *velocity);
