// What a liquid does to bodies that ride in it: it does not feel them (Foster and Metaxas 1996, section 5).
// Each node of a body that is below the surface is pushed by the gradient of the pressure, as the liquid in
// its place would be, and dragged along by the flow. In still water that is the weight of the liquid in its
// place: a body floats as deep as its density asks.
#pragma once

#include "domain/domain.h"
#include "solid/rigid_body.h"

// The liquid as the last projection left it; or, of one that was recorded, at two moments, between which
// bodies are moved.
typedef struct BwBodyWater {
    const BwDomain *domain;
    const BwVelocity *velocity; // m/s, known in the liquid and around
    const BwField *phi;         // m
    const BwMask *liquid;
    const BwField *pressure; // times pressure_scale in Pa; NULL: not known at this moment
    double pressure_scale;
    BwVec3 gravity;                  // m/s^2
    const struct BwBodyWater *later; // the other moment; NULL: there is but this one
    double share, share_after;       // 1, of the later one at the start of the step and after it
} BwBodyWater;

typedef struct BwBodyLoad {
    double force[3], torque[3]; // N, N m about the centre of mass; weight and all
    BwBodyDrag drag;            // of a body whose drag is stiff, and no part of the force then
    double wet;                 // 1, share of its volume below the surface
} BwBodyLoad;

// The loads of all bodies where they are; each by its nodes in their order.
void bw_body_loads(const BwBodyWater *water, const BwRigidBody *bodies, int count, BwBodyLoad *loads);
