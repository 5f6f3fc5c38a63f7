// What a run will take, told before it starts: memory and disk, from the size of the scene.
#pragma once

#include <billow/scene.h>

typedef struct Estimate {
    bool is_known;       // smoke in the open grows as it goes, so nobody knows
    bool is_least;       // liquid in the open takes this much where it starts, and more as it spreads
    double memory, disk; // bytes; memory is that of the fluid, its solids and checkpoints, not of pictures
} Estimate;

Estimate estimate_run(const BwScene *scene, int frame_count);

// Fails when the run cannot fit into what is free now, in memory or where `folder` is or will be.
BwResult estimate_check(const BwScene *scene, int frame_count, const char *folder, BwError *err);

// "about", or "at least".
const char *estimate_word(const Estimate *estimate);

// "12.3 GiB".
void estimate_write_bytes(char *text, size_t size, double bytes);
