// Accelerations of the velocity over a step, on faces that fluid may pass: forces of the scene, gravity, and
// the wind at the rim of sparse fluid. Buoyancy has a file of its own (operate/buoyancy.h).
#pragma once

#include "domain/domain.h"

// A force of the scene with its curves already looked up for this step.
typedef struct BwForce {
    const BwShape *shape; // NULL: everywhere
    BwForceField field;
    BwVec3 acceleration, center, axis;
    float strength, radius;
    int dimension;      // used by turbulence only
    float scale, phase; // m, and changes since time 0
    int32_t shift;      // patches along x: another stretch of the same noise
} BwForce;

// Turbulence is nowhere stronger than this many times its root mean square.
#define BW_TURBULENCE_PEAK 5.0f

// The strongest that a force accelerates anywhere, m/s^2. Drag is not counted: it only slows.
float bw_force_max(const BwForce *force);

// The turbulence of a force at a face of an axis, of root mean square `strength`, and without divergence.
float bw_turbulence_at(const BwForce *force, BwVec3 point, int axis, float h);

// On the faces of three masks.
void bw_add_forces(const BwDomain *domain, const BwMask faces[3], BwVelocity *velocity, const BwForce *forces,
                   int count, float dt);
void bw_add_gravity(const BwDomain *domain, const BwMask faces[3], BwVelocity *velocity, BwVec3 gravity,
                    float dt);

// Velocity at the rim of the air envelope goes towards the wind, by rate * dt of the way (Cline et al. 2005,
// eq. 26).
void bw_add_wind(const BwDomain *domain, BwVelocity *velocity, BwVec3 wind, float rate, float dt);
