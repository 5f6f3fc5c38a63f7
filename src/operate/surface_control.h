// Control of a liquid's surface: wind, calm, churn. The air above the liquid is given a share of a wanted
// velocity, u = (1 - blend) u + blend w (Foster and Fedkiw 2001; Fedkiw 2003, eq. 1.18), which moves the
// surface of level sets; and it drags on the liquid, whose uppermost cell takes up drag (w - u) of momentum a
// second and m^2, over its density, whatever the size of cells.
#pragma once

#include "operate/extrapolate.h"
#include "operate/forces.h"

typedef struct BwSurfaceControl {
    const BwShape *shape; // NULL: everywhere
    BwVec3 velocity;      // m/s, that is wanted
    BwForce churn;        // its turbulence in m/s is added; strength 0: none
    float blend;          // 1
    float drag;           // m/s
} BwSurfaceControl;

// The fastest that is wanted anywhere, m/s.
float bw_surface_control_speed(const BwSurfaceControl *control);

// The air: the extrapolated velocity, on known faces that border no liquid.
void bw_control_air(const BwDomain *domain, const BwFaceMasks *faces, const BwSurfaceControl *controls,
                    int count, BwVelocity *velocity);

// The liquid: passable faces that border it, less than a cell and a half below the surface of domain->terms,
// over dt. Exact for any drag, so that no step turns the flow round.
void bw_control_liquid(const BwDomain *domain, const BwFaceMasks *faces, const BwSurfaceControl *controls,
                       int count, float dt, BwVelocity *velocity);
