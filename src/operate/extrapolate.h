// A liquid's velocity extended into the air around it, layer after layer: each new face takes the mean of
// those beside it that are known (Cline, Cardon and Egbert 2005, Fluid Flow for the Rest of Us, step 3f).
#pragma once

#include "domain/domain.h"

// Which faces particles give a velocity to; which hold one so far, and get one in the layer at work; and
// which nothing closes.
typedef struct BwFaceMasks {
    BwMask held[3]; // particles are near
    BwMask known[3], front[3], passable[3];
    BwMask sliver[3]; // passable, but hardly: they take the velocity of those beside them
} BwFaceMasks;

BwResult bw_face_masks_create(BwFaceMasks *masks, BwGrid *grid, BwError *err);
void bw_face_masks_destroy(BwFaceMasks *masks);

// Finds the faces between two live cells that solids leave open, at least in part.
void bw_find_passable_faces(BwFaceMasks *masks, const BwDomain *domain);

// What a projection has changed from `before` to `velocity` on the faces that pressure acts on, extended by
// so many layers to those beyond it that hold a velocity of their own: particles that the surface does not
// reach round rest on the liquid below them, and keep what velocity they have besides. It fades out a cell
// above the surface of domain->terms.
void bw_extrapolate_change(BwFaceMasks *masks, const BwDomain *domain, const BwVelocity *before,
                           BwVelocity *velocity, int layers);

// Extends by so many layers over passable faces: from those that particles give a velocity to, or from these
// and all that border fluid, as after a projection.
typedef enum BwExtrapolateFrom { BW_FROM_PARTICLES, BW_FROM_FLUID } BwExtrapolateFrom;

void bw_extrapolate(BwFaceMasks *masks, const BwDomain *domain, BwExtrapolateFrom from, BwVelocity *velocity,
                    int layers);
