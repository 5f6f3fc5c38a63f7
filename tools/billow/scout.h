// A scene run ahead at coarse cells, to learn before the run where its fluid will go and how much work that
// is. Cheap: a few dozen samples over the whole length, on cells several times as wide.
#pragma once

#include <billow/billow.h>

enum { SCOUT_SAMPLES = 40 };

typedef struct ScoutSample {
    double seconds; // of wall clock
    double cells;   // at its end
    int steps;
    BwBox fluid; // where smoke is thick enough to be seen, water or particles are; empty: nowhere
} ScoutSample;

typedef struct Scout {
    float cell;      // m
    double interval; // s of the scene, between samples
    int count;       // of samples taken
    int wanted;      // that make the whole length; fewer were taken where a limit was met
    ScoutSample samples[SCOUT_SAMPLES];
} Scout;

typedef struct ScoutDef {
    const BwSceneDef *scene;
    float cell;         // m
    int frame_count;    // of the run to come, at the scene's rate
    int worker_count;   // 0: one per core
    bool is_sparse;     // cells only about smoke, also where the scene solves all of its box
    double seconds_max; // of wall clock, looked at after each sample; INFINITY: no limit
    double work_max;    // cells times steps, the same on every machine; INFINITY: no limit
} ScoutDef;

// Fails when the scene cannot be run so coarsely. A scout that meets a limit, or whose numbers go wrong, has
// the samples up to there. The world, left at its last sample, and the scene that it needs are the caller's,
// to destroy also on failure.
BwResult scout_run(Scout *scout, BwSceneDef *coarse, BwWorld **world, const ScoutDef *def, BwError *err);

// The width of the smallest source of the scene, m; INFINITY where there is none with an end.
float scout_source_width(const BwSceneDef *scene);

// Where a frame shows fluid: smoke that is thick enough to be seen, water, particles. `thickest` is the
// largest density of the run so far, to be kept from frame to frame.
BwBox scout_fluid_box(const BwFrame *frame, float *thickest);
