// Fire as a source of light: what glows is gathered into a few lamps, each in the middle of a cube of tiles,
// that light the ground, solids and smoke around. So does liquid that glows. Solids throw shadows in their
// light, as soft as the lamps are large; smoke between does not.
#pragma once

#include "render/black_body.h"
#include "render/surface.h"
#include <billow/frame.h>

enum { BW_FIRE_LAMPS_MAX = 32 };

typedef struct BwFireLamp {
    double place[3];    // m, the middle of what glows
    float intensity[3]; // light m^2: what it sends each way, as a white card at 1 m sends it back
    float size;         // m, of what glows
} BwFireLamp;

typedef struct BwFireLight {
    BwFireLamp lamps[BW_FIRE_LAMPS_MAX];
    int count;
} BwFireLight;

// Soot that glows in a flame stops so much of the light that smoke of density 1 does.
#define BW_FLAME_OPACITY 0.12f

// Gathers the lamps of a frame; none where it has no flame. `absorption` is in 1/m per unit of density.
void bw_fire_light_gather(BwFireLight *fire, const BwFrame *frame, const BwGlowTable *table,
                          float absorption);

// The same of a liquid that glows, by the cells at its surface.
void bw_liquid_light_gather(BwFireLight *fire, const BwFrame *frame, const BwGlowTable *table);

// What reaches a surface from all lamps, with the cosine to each.
void bw_fire_light_at(const BwFireLight *fire, const BwSolids *solids, const double place[3], BwVec3 normal,
                      float light[3]);
