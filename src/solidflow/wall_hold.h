// How walls and solids hold the samples beside them: of each line from a sample to its neighbour, whether a
// surface cuts it, how far away, what speed or temperature the surface has, and how firmly it holds.
//
// A line that a surface cuts carries nothing to the sample behind it. In its place the surface pulls with
// weight grip / length, length in cells: the one-sided difference to a value that sits on the surface itself,
// which is second order and keeps the matrix symmetric (Gibou, Fedkiw, Cheng and Kang 2002, A Second-Order-
// Accurate Symmetric Discretization of the Poisson Equation on Irregular Domains). A surface that lets go
// (grip 0) is one that nothing passes: no stress, no heat.
#pragma once

#include "domain/domain.h"

// Samples of one field among walls. Velocity components feel the walls' speed and slip, cell fields their
// temperature.
typedef struct BwHeld {
    const BwDomain *domain;
    const BwSolidPose *solids; // where there are any, the domain has measured them (its `cut`)
    int solid_count;
    float dt; // s, over which solids came from where they were
    BwField *field;
} BwHeld;

// Which samples are free, and which of those are so near to a solid that one may cut their lines.
typedef struct BwHeldMasks {
    BwMask free, near;
} BwHeldMasks;

BwResult bw_held_masks_create(BwHeldMasks *masks, BwGrid *grid, BwError *err);
void bw_held_masks_destroy(BwHeldMasks *masks);

// Finds the free samples. Those that lie inside solids are not, and take what the solid makes of them.
void bw_held_find_free(const BwHeld *held, BwHeldMasks *masks);

// What all surfaces together do to each sample of a tile: sum of the weights, and of weights times values,
// which count from the field's background.
typedef struct BwPull {
    float weight[BW_TILE * BW_TILE_LAYER], value[BW_TILE * BW_TILE_LAYER];
    uint64_t link[3][BW_TILE]; // lines to the low neighbours that nothing cuts, both samples free
} BwPull;

// Of the free samples of a tile. Counts `true` lengths, or all as one cell: then a weight is a plain grip,
// and surfaces that a velocity component is normal to do not count.
typedef enum BwPullKind { BW_PULL_BY_LENGTH, BW_PULL_BY_TOUCH } BwPullKind;
void bw_held_pull(const BwHeld *held, const BwHeldMasks *masks, int32_t slot, BwPullKind kind, BwPull *pull);

// One surface's part in the pull on a sample. Surfaces count sides of the box as BwSide, then solids.
typedef struct BwContact {
    int sample, surface;
    int side;            // the line of the sample, by the side it goes towards
    float weight, value; // weight 0: no hold, but nothing passes
    float length;        // of the line up to the surface, in cells
} BwContact;

typedef struct BwContacts {
    int count;
    BwContact list[BW_TILE * BW_TILE_LAYER * BW_SIDE_COUNT]; // at most one for each line of a sample
} BwContacts;

// The same by BW_PULL_BY_LENGTH, with the part of each surface. Values are the surface's own.
void bw_held_contacts(const BwHeld *held, const BwHeldMasks *masks, int32_t slot, BwPull *pull,
                      BwContacts *contacts);
