// The viscosity where the stresses of a tile are: at the cells before, on faces and on edges. What cells have
// is averaged geometrically (Carlson et al. 2002): a thin liquid beside a thick one slides along it. Where
// the viscosity follows the rate of strain, that is measured where the stress is; the strains that live
// elsewhere come in as means.
#pragma once

#include "domain/domain.h"
#include "viscous/viscosity_law.h"

typedef struct BwViscositySource {
    const BwDomain *domain;
    float constant;             // m^2/s, where there is no field
    const BwField *field;       // m^2/s, at cells, known in the liquid and a cell around; or NULL
    BwViscosityLaw law;         // of the rate of strain
    const BwVelocity *velocity; // whose strain it is
    const BwMask *faces;        // [3], whose velocity is the liquid's
} BwViscositySource;

typedef struct BwViscositySamples {
    bool is_constant; // all are `constant`, and the rest is not filled in
    float constant;
    float before[3][BW_TILE_CELLS_MAX]; // m^2/s, of the cell before, along each axis
    float face[3][BW_TILE_CELLS_MAX];   // of a cell's low faces, at a rate of 1/s
    float edge[3][BW_TILE_CELLS_MAX];   // of its low edges along each axis; in 2-D the third alone
    // 1/s^2, for walls beside faces: the square of the rate on either side, without the strain between a
    // face's component and each axis, which the wall knows better.
    float rest[3][3][BW_TILE_CELLS_MAX];
} BwViscositySamples;

void bw_viscosity_samples_find(BwViscositySamples *samples, const BwViscositySource *source, int32_t slot);
