// The scene as it is now: what the world was made from, with all that was set since. The solver reads it like
// any scene, curves and all; what is set replaces curves of the world's own copy. Invariant: the live scene
// is what applying the events of the past, in order, makes of the first one.
#pragma once

#include "base/record.h"
#include "scene/scene_copy.h"
#include <billow/live.h>

// How a program moves an obstacle: evenly from one pose to another, at rest before and after.
typedef struct BwMove {
    BwPose from, to;
    double begin, end; // s
    float speed;       // m/s, the fastest that a bit of it goes in the present step, as far as it is bounded
} BwMove;

// What events change.
typedef struct BwLiveLists {
    BwEmitterDef *emitters;
    BwObstacleDef *obstacles;
    BwForceDef *forces;
    BwMove *moves; // of the obstacles
} BwLiveLists;

typedef struct BwLiveScene {
    BwAllocator allocator;
    BwSceneCopy first; // as the world was given it
    BwSceneDef def;    // as it is, with the lists of `now`
    BwLiveLists now, kept;
    BwSceneDef kept_def; // for its numbers
    bool *is_removed;    // of emitters, then obstacles, then forces
} BwLiveScene;

// The time that a step spans, and where the obstacles stand at its beginning.
typedef struct BwStepInterval {
    double begin, end; // s
    const BwPose *poses;
    size_t stride; // bytes from one obstacle's pose to the next
} BwStepInterval;

BwResult bw_live_create(BwLiveScene *live, const BwSceneDef *def, BwAllocator allocator, BwError *err);
void bw_live_destroy(BwLiveScene *live);

// Forgets all that was set.
void bw_live_reset(BwLiveScene *live);

// Whether this may happen to the scene. What it removes is gone for checks from then on.
BwResult bw_live_take(BwLiveScene *live, const BwEvent *event, BwError *err);

// Remembers the scene before the events of a step are applied; undo takes it back there when the step fails.
// What was removed stays removed for checks: the event waits for the next step.
void bw_live_keep(BwLiveScene *live);
void bw_live_undo(BwLiveScene *live);

// What a program moved stands still, until it is moved again.
void bw_live_rest(BwLiveScene *live);

// Makes it so. A pose is reached at the end of the span. Gives whether cells change their kind at once.
bool bw_live_apply(BwLiveScene *live, const BwEvent *event, const BwStepInterval *span);

// The fastest that a program moves an obstacle in the present step, m/s.
float bw_live_speed(const BwLiveScene *live);

// The moves, as "moves" of a record. One without them has none.
BwResult bw_live_save_moves(const BwLiveScene *live, BwRecord *record, BwError *err);
BwResult bw_live_load_moves(BwLiveScene *live, const BwRecord *record, BwError *err);
