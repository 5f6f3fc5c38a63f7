// What a scene may ask for and this version does not do yet is refused, never ignored: each part of the
// program lists its gaps here, and a gap goes when the code that closes it comes.
#pragma once

#include <billow/scene.h>

typedef struct BwGap {
    const char *field; // "viscosity", or with its value: "kind \"spout\""
    bool is_asked;
} BwGap;

// Fails for the first gap of a list that the scene asks for: "owner.field cannot be VERB by this version".
// The list ends with a NULL field; the owner may be NULL.
BwResult bw_refuse_gaps(const char *owner, const char *verb, const BwGap *gaps, BwError *err);

// "walls.left" and so on: the owners of gaps at the sides of the box.
extern const char *const bw_side_owners[BW_SIDE_COUNT];

// Anything but sliding freely.
bool bw_asks_to_stick(const BwCurve *slip);

// Anything but white.
bool bw_asks_for_color(const float color[3]);

// What each fluid does not do.
BwResult bw_check_smoke_runnable(const BwSceneDef *def, BwError *err);
BwResult bw_check_stable_runnable(const BwSceneDef *def, BwError *err);
