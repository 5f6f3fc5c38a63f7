// How long a run will take on this machine as it is now: measured on coarse copies of the scene in a second
// or two, and carried over to its own cells.
#pragma once

#include <billow/scene.h>

typedef struct Forecast {
    bool is_known;
    double seconds;   // most likely
    double low, high; // between which it should lie
    int threads;
} Forecast;

// `worker_count` 0: one per core.
Forecast forecast_run(const BwSceneDef *scene, int frame_count, int worker_count);

// "about 4 min on 2 threads (estimate: 3 to 6 min)".
void forecast_write(char *text, size_t size, const Forecast *forecast);
