// What the window draws, and what of a frame that takes.
#pragma once

#include "camera.h"
#include "snapshot.h"

typedef enum Show {
    SHOW_FLUID,   // 2-D fields by colour, smoke as a volume, water as lit balls
    SHOW_SOFT,    // smoke as soft dots, water as a smooth surface
    SHOW_ARROWS,  // velocity
    SHOW_STREAKS, // velocity, as short paths
    SHOW_PRESSURE,
    SHOW_VORTICITY,
    SHOW_TEMPERATURE,
    SHOW_COUNT
} Show;

typedef struct Look {
    Show show;
    bool shows_cells; // and tiles
    bool hides_solids;
    bool shows_emitters;
    const BwVec3 *emitter_offsets; // m, how far the mouse has moved the first ones
    int offset_count;
} Look;

const char *show_name(Show show);

// The fields that a picture of the stage takes.
unsigned look_channels(const Look *look);

// What all that draws needs to know of a picture.
typedef struct View {
    const Snapshot *snapshot;
    const Camera *camera;
    Matrix view, projection, both; // both: projection times view
    bool is_new;                   // the snapshot is another than in the last picture
    BwVec3 light;                  // towards it, of length one
} View;
