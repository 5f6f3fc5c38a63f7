// The flow extended into cut solids, so that whatever reads velocities beside a wall finds the fluid's
// there: along the wall that of the fluid beside it, as far as it slides, across it the solid's. What slides
// along a tilted wall is then not braked by the faces the wall closes, and a path beside a curved wall
// follows it. And what the cells hold that a solid has moved away from.
#pragma once

#include "domain/solid_faces.h"
#include "solidflow/rest_normals.h"

// Which faces hold a value so far, and which get one in this sweep.
typedef struct BwSolidFlow {
    BwMask known[3], front[3];
    BwRestNormals rest;
} BwSolidFlow;

BwResult bw_solid_flow_create(BwSolidFlow *flow, BwGrid *grid, BwError *err);
void bw_solid_flow_destroy(BwSolidFlow *flow);

// Sets the velocity on the closed faces of the domain's solids that are within two faces of the fluid; those
// further in keep the speed of the solid, as bw_domain_set_wall_velocity left it. `scratch` is written over.
void bw_extend_into_solids(BwSolidFlow *flow, const BwDomain *domain, BwVelocity *velocity,
                           BwVelocity *scratch, const BwSolidPose *solids, int solid_count, float dt);

// Cells that solids have left or passed over hold nothing of their own: they take the mean of the cells
// beside them, from the fluid inwards. Nothing reaches across a closed face.
void bw_fill_uncovered(BwSolidFlow *flow, const BwDomain *domain, BwField *const *fields, int field_count);
