// A walk over every Def and field of a scene, down through groups and shapes. Shapes may share parts, so a
// small script can build one with more leaves than could ever be visited: the walk counts, and ends with an
// error.
#pragma once

#include "scene/vocabulary.h"

enum { BW_SHAPE_NODES_MAX = 10000, BW_SHAPE_DEPTH_MAX = 200 };

typedef struct BwWalk BwWalk;
struct BwWalk {
    // Called for each Def before its fields; may be NULL.
    BwResult (*visit_def)(BwWalk *walk, const BwConstructor *constructor, const void *def,
                          const BwPlace *place, BwError *err);
    // Called for each field that is no group; `at` points to its value, `place` is its Def's; may be NULL.
    BwResult (*visit_field)(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                            BwError *err);
    void *context;
    int nodes, depth; // of the shape that is walked
};

BwResult bw_walk_def(BwWalk *walk, const BwConstructor *constructor, const void *def, const BwPlace *place,
                     BwError *err);

// Lines of a script at which each Def of a scene was made; all zero for a C caller's.
typedef struct BwOrigins {
    const char *file;
    const int *const *lines; // by constructor's index in the table, then by instance
} BwOrigins;

BwPlace bw_origin(const BwOrigins *origins, const BwConstructor *constructor, int index);

BwResult bw_walk_scene(BwWalk *walk, const BwSceneDef *def, const BwOrigins *origins, BwError *err);
