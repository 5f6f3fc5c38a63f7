// The world on a thread of its own. The window asks for things and looks at the last snapshot; neither ever
// waits for a step. All that changes the world goes through requests, which the thread takes between steps
// and turns into events of the world (billow/live.h), so that a live run can be replayed.
#pragma once

#include "snapshot.h"
#include "stroke.h"

typedef struct Simulation Simulation;

// Frames that somebody recorded, shown instead of a world that steps.
typedef struct Recording {
    void *user;
    int frame_count;                                              // the last number, from 0
    const BwFrame *(*view)(void *user, int number, BwError *err); // borrowed until the next call
    const BwScene *scene;                                         // of all of them
    double fps;
} Recording;

typedef struct SimulationDef {
    StageDef stage;
    const Recording *recording; // or NULL
    const char *replay;         // file of events to begin with, or NULL
    const char *record;         // file that the events go to when the window closes, or NULL
    int worker_count;           // 0: one per core
    bool is_paused;             // from the start
    bool keeps_hash;            // of every snapshot's frame
    bool is_unpaced;            // steps follow each other without waiting for their time
} SimulationDef;

// A step of a live world, s.
#define SIMULATION_STEP (1.0 / 60.0)

BwResult simulation_create(Simulation **simulation, const SimulationDef *def, BwError *err);

// Ends the step at work and the thread. The result is that of writing the record, if one was asked for.
BwResult simulation_destroy(Simulation *simulation, BwError *err);

// The newest snapshot, borrowed until the next call; NULL: there is none yet. Only one thread may ask.
// `is_new` tells whether it is another one than the last time.
const Snapshot *simulation_view(Simulation *simulation, bool *is_new);

// What is wrong, copied: a scene that does not load, a step that failed. False: nothing is.
bool simulation_trouble(Simulation *simulation, char *message, size_t size);

// What pictures need from now on.
void simulation_want(Simulation *simulation, unsigned channels);

void simulation_pause(Simulation *simulation, bool is_paused);
bool simulation_is_paused(Simulation *simulation);
bool simulation_is_replaying(Simulation *simulation);
void simulation_step(Simulation *simulation);             // one, while paused
void simulation_restart(Simulation *simulation);          // from the scene as it was loaded
void simulation_reload(Simulation *simulation);           // from the file
void simulation_scrub(Simulation *simulation, int frame); // of a recording

// The mouse: a point of a stroke, where `is_first` says that it does not go on from the last one.
void simulation_draw(Simulation *simulation, Brush brush, BwVec3 point, double seconds, bool is_first);
void simulation_lift(Simulation *simulation); // the button is up

// Where an obstacle of the scene is to be at the end of the next step, and how far an emitter of the scene is
// to be moved from where the scene has it.
void simulation_move_obstacle(Simulation *simulation, int number, BwPose pose);
void simulation_move_emitter(Simulation *simulation, int number, BwVec3 by);

// Numbers of the fluid, from the next step on.
void simulation_set_number(Simulation *simulation, BwLiveNumber number, float value);
void simulation_set_gravity(Simulation *simulation, BwVec3 gravity);
