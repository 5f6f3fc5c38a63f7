// The finest level of a viscous solve: which faces are unknowns, masses, weights and walls.
#pragma once

#include "viscous/viscosity.h"
#include "viscous/viscous_level.h"

// What surfaces pull the faces towards: sums of their weights times their speed, and times its square.
typedef struct BwWallPull {
    BwViscousVector speed, square;
} BwWallPull;

typedef struct BwViscousAssembly {
    BwViscosity *viscosity;
    const BwViscosityDef *def;
    BwVelocity *velocity;
    BwViscousLevel *level;
    int32_t *slot; // by tile of the level
    BwViscositySource source;
    BwWallPull pull;
} BwViscousAssembly;

// Memory comes from the viscosity's workspace. Of the assembly the first four are given.
BwResult bw_viscous_assemble(BwViscousAssembly *assembly, BwError *err);

// The first step of it: which faces are free, and what surfaces are around them, by component.
void bw_viscous_find_free(const BwViscousAssembly *assembly);
BwBoundaryField bw_viscous_boundary(const BwViscousAssembly *assembly, int axis);

// Of a component, in a tile: its terms, and the surfaces beside its faces but those that were let go.
void bw_viscous_contacts(const BwViscousAssembly *assembly, int axis, int32_t slot, BwBoundaryTerms *terms,
                         BwContacts *contacts);

// Faces beside the liquid that the stress at its surface reaches weigh next to nothing, in cells: their
// velocity is an extrapolated one, which must not hold up liquid that spins.
#define BW_VISCOUS_MASS_MIN 1e-5f

// Once the velocity is found: adds to the loads of the definition what the liquid's friction does to the
// solids.
void bw_viscous_add_loads(BwViscousAssembly *assembly);
