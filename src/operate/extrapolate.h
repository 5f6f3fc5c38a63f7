// A liquid's velocity extended into the air around it. Layer after layer: each new face takes the mean of
// those beside it that are known (Cline, Cardon and Egbert 2005, Fluid Flow for the Rest of Us, step 3f). Or
// in the order of phi, where grad u . grad phi = 0 (Adalsteinsson and Sethian 1999, The Fast Construction of
// Extension Velocities in Level Set Methods; (1.17) of Fedkiw 2003).
#pragma once

#include "domain/domain.h"

// Which faces particles give a velocity to; which hold one so far, and get one in the layer at work; and
// which nothing closes.
typedef struct BwFaceMasks {
    BwMask held[3]; // particles are near
    BwMask known[3], front[3], passable[3];
    BwMask sliver[3]; // passable, but hardly: they take the velocity of those beside them
    BwMask fresh[3];  // known since the last round
    BwNotes tiles;    // of each tile a bit for each axis: it has fresh faces across it
} BwFaceMasks;

BwResult bw_face_masks_create(BwFaceMasks *masks, BwGrid *grid, BwError *err);
void bw_face_masks_destroy(BwFaceMasks *masks);

// Finds the faces between two live cells that solids leave open, at least in part.
void bw_find_passable_faces(BwFaceMasks *masks, const BwDomain *domain);

// What a projection has changed from `before` to `velocity` on the faces that pressure acts on, extended by
// so many layers to those beyond it that hold a velocity of their own: particles that the surface does not
// reach round rest on the liquid below them, and keep what velocity they have besides. It fades out a cell
// above the surface of domain->terms, or not, where the liquid holds on to them.
void bw_extrapolate_change(BwFaceMasks *masks, const BwDomain *domain, const BwVelocity *before,
                           BwVelocity *velocity, int layers, bool fades);

// Where the velocity is known: on the faces that particles give one to, or on these and all that border
// fluid, as after a projection.
typedef enum BwExtrapolateFrom { BW_FROM_PARTICLES, BW_FROM_FLUID } BwExtrapolateFrom;

typedef struct BwExtrapolation {
    BwExtrapolateFrom from;
    int layers; // to extend by
    float band; // m; above 0: up to there it goes in the order of phi, of domain->terms, so that nothing
                // changes along its slope; layers then take what no way leads up to
    bool stays; // the explicit scheme moves surface cells by rules of its own: no flow goes on through low
                // sides
} BwExtrapolation;

// Of a thick liquid: faces beyond the fluid take its velocity in place of their own, led on as it changes
// towards them, so that what turns as a whole goes on turning.
void bw_extrapolate_to_loose(BwFaceMasks *masks, const BwDomain *domain, BwVelocity *velocity, int layers);

// Extends over passable faces.
void bw_extrapolate(BwFaceMasks *masks, const BwDomain *domain, BwExtrapolation extrapolation,
                    BwVelocity *velocity);

// Makes no passable face that the last extrapolation has not reached, of air that is far from any liquid,
// faster than the liquid is: forces would make it ever faster, and what moves with it is stable for the
// liquid's speed.
void bw_slow_far_air(BwFaceMasks *masks, const BwDomain *domain, BwVelocity *velocity);
