// Stats as JSON: one object a frame, each key explained in docs/stats.md.
#pragma once

#include <billow/world.h>
#include <stdio.h>

// Writes one line.
void bw_stats_write(FILE *stream, const BwStats *stats);

// "converged", "iterations", "stalled", "empty".
const char *bw_stop_text(BwStop reason);
