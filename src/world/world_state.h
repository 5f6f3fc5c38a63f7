// The state of a world, shared by the files that make it up: world.c (life, records, views), advance.c
// (steps) and live.c (what a program sets between them).
#pragma once

#include "solvers/solver.h"
#include "world/event_log.h"
#include "world/live_scene.h"
#include "world/runaway.h"
#include "world/world_record.h"

// The run that was replayed last, and how much of the world's own past is known to be its beginning.
typedef struct BwReplay {
    const BwEvent *list; // the caller's; NULL: none
    int64_t count, steps;
    int64_t same; // events of steps that both have taken
} BwReplay;

struct BwWorld {
    BwAllocator allocator;
    BwLog log;
    BwLiveScene live;
    const BwSceneDef *scene; // the live one
    uint64_t identity;       // of the first scene
    uint64_t run_id;         // 0: none
    BwPool *pool;
    const BwSolverType *type;
    void *solver;
    int frame_number; // the last frame that was reached
    double time;      // s
    int64_t step;     // whole steps taken
    BwEventLog events;
    BwReplay replay;
    BwFrame frame;
    bool has_frame;           // `frame` shows the present
    const volatile int *stop; // of the step that is being made, or NULL
    BwRecord record;          // the state after `step` whole steps
    bool has_record;          // `record` is filled
    int record_states;        // arrays of it before the events, which only checkpoints need
    int64_t record_events;    // events in it
    bool is_torn;             // the solver is not in the state of the record, which it must be taken back to
    BwStats stats;            // of the last whole step
    BwObstacleStats *obstacle_stats; // those of `stats`, which the solver's own step overwrites
    BwBodyStats *body_stats;         // the same
    BwRunawayWatch watch;
    bool has_told_runaway, has_told_cap, has_told_squeeze, has_told_crowd, has_told_jump, has_told_loss,
        has_told_gone, has_told_covered, has_told_nozzle; // said once
    bool has_long_parts; // the liquid has crossed more cells in a step than its surface may be moved by
};

// Fills the world's own record, but for the events.
BwResult bw_world_keep_state(BwWorld *world, BwError *err);

// Takes the solver and the clock back to the state of the world's own record, after the last whole step.
BwResult bw_world_go_back(BwWorld *world, BwError *err);

// The same where a failure left the solver elsewhere.
BwResult bw_world_mend(BwWorld *world, BwError *err);

// Makes the stats the world's own, so that the solver may begin another step.
void bw_world_keep_stats(BwWorld *world);

// Writes down what happens before the next step. Fails when it may not.
BwResult bw_world_add_event(BwWorld *world, const BwEvent *event, BwError *err);
