// A scene as text, a line a field: "emitter 2 density", a tab, its value. It holds what a simulation would
// notice: not the title, the length, what is there at the start, nor what only pictures show. Functions of
// time are told by what they give.
#pragma once

#include <billow/scene.h>

typedef void BwListFn(void *context, const char *text);

// Calls `add` with the text, piece by piece. Functions are looked at `samples` times, from 0 to `until` (s);
// one that fails is listed as such, unless memory is short.
typedef struct BwListing {
    BwListFn *add;
    void *context;
    double until;
    int samples;
} BwListing;

BwResult bw_scene_list(const BwSceneDef *def, const BwListing *listing, BwError *err);

// 64 bits that stand for the listing: two scenes that differ in it do not go on from each other's states.
// Functions of time are looked at over the first two seconds.
BwResult bw_scene_identity(const BwSceneDef *def, uint64_t *identity, BwError *err);
