// Dirichlet conditions of walls and solids on the samples beside them: of each line from a sample to its
// neighbour, whether a surface cuts it, how far away, what velocity or temperature the surface has, and its
// grip: 1 is no-slip, or the temperature of the surface; 0 is free slip, or insulation.
//
// A line that a surface cuts does not couple its two samples. In its place stands a term of weight grip /
// length, length in cells: the one-sided difference to a value that sits on the surface itself, which is
// second order and keeps the matrix symmetric (Gibou, Fedkiw, Cheng and Kang 2002, A Second-Order- Accurate
// Symmetric Discretization of the Poisson Equation on Irregular Domains). A surface of grip 0 is a
// homogeneous Neumann condition: no stress, no heat.
#pragma once

#include "domain/domain.h"

// One field and the surfaces in it. Velocity components feel the walls' speed and slip, cell fields their
// temperature.
typedef struct BwBoundaryField {
    const BwDomain *domain;
    const BwSolidPose *solids; // where there are any, the domain has measured them (its `cut`)
    int solid_count;
    float dt; // s, over which solids came from where they were
    BwField *field;
    const BwMask *candidates; // samples that may be free; NULL: those that the domain's cells and faces say
} BwBoundaryField;

// Which samples are free (unknowns of diffusion), and which of those are so near to a solid that one may cut
// their lines.
typedef struct BwBoundaryMasks {
    BwMask free, near;
} BwBoundaryMasks;

BwResult bw_boundary_masks_create(BwBoundaryMasks *masks, BwGrid *grid, BwError *err);
void bw_boundary_masks_destroy(BwBoundaryMasks *masks);

// Finds the free samples. Those that lie inside solids are not, and take what the solid makes of them.
void bw_boundary_find_free(const BwBoundaryField *boundary, BwBoundaryMasks *masks);

// The terms of all surfaces on each sample of a tile: sum of the weights, and of weights times values,
// which count from the field's background.
typedef struct BwBoundaryTerms {
    float weight[BW_TILE * BW_TILE_LAYER], value[BW_TILE * BW_TILE_LAYER];
    uint64_t link[3][BW_TILE]; // lines to the low neighbours that nothing cuts, both samples free
} BwBoundaryTerms;

// Of the free samples of a tile. Counts `true` lengths, or all as one cell: then a weight is a plain grip,
// and surfaces that a velocity component is normal to do not count.
typedef enum BwBoundaryTermsKind { BW_TERMS_BY_DISTANCE, BW_TERMS_BY_TOUCH } BwBoundaryTermsKind;
void bw_boundary_terms(const BwBoundaryField *boundary, const BwBoundaryMasks *masks, int32_t slot,
                       BwBoundaryTermsKind kind, BwBoundaryTerms *terms);

// One surface's term on a sample. Surfaces count sides of the box as BwSide, then solids.
typedef struct BwContact {
    int sample, surface;
    int side;            // the line of the sample, by the side it goes towards
    float weight, value; // weight 0: Neumann
    float length, grip;  // of the line up to the surface, in cells; of the surface
} BwContact;

typedef struct BwContacts {
    int count;
    BwContact list[BW_TILE * BW_TILE_LAYER * BW_SIDE_COUNT]; // at most one for each line of a sample
} BwContacts;

// The same by BW_TERMS_BY_DISTANCE, with the part of each surface. Values are the surface's own.
void bw_boundary_contacts(const BwBoundaryField *boundary, const BwBoundaryMasks *masks, int32_t slot,
                          BwBoundaryTerms *terms, BwContacts *contacts);
