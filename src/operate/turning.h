// Flow that turns, in steps in which particles go straight on (particle/advance.h).
//
// A particle that circles must be drawn to the centre within a step, else it leaves its circle: particles
// that go straight on by u keep their spacing if u has the divergence dt/2 tr((grad u)^2), to second order in
// dt. The pressure that gives it that points to the centre, and takes no angular momentum; with no divergence
// at all each step would lose (omega dt)^2 / 2 of it.
//
// What flows at fixed places in the middle of the step is u - dt/2 (u . grad) u: that has no divergence.
// Only differences between places enter, so what flies turns as it does at rest.
//
// Both fade out where paths are not straight, for the velocity differs too much from cell to cell.
#pragma once

#include "domain/domain.h"

// The velocity on these faces, and the step.
typedef struct BwTurning {
    const BwDomain *domain;
    const BwMask *faces; // by axis
    const BwVelocity *velocity;
    float dt;
} BwTurning;

// 1/s. Where too few faces are told of, 0.
void bw_find_turning_divergence(const BwTurning *turning, BwField *divergence);

// On other faces the velocity as it is.
void bw_find_midway_velocity(const BwTurning *turning, BwVelocity *midway);
