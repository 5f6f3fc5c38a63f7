// A frame as the window needs it: the dense fields and the particles that are drawn, copied out of a BwFrame
// so that the solver may go on. Invariant: it borrows nothing but its stage, of which it is an owner.
#pragma once

#include "stage.h"

// What a picture can show of fields. The first ones are scalars; velocity comes as three.
typedef enum Channel {
    CHANNEL_DENSITY,
    CHANNEL_TEMPERATURE,
    CHANNEL_PRESSURE,
    CHANNEL_PHI,
    CHANNEL_RED, // of the smoke's colour
    CHANNEL_GREEN,
    CHANNEL_BLUE,
    CHANNEL_FLAME, // glowing soot
    CHANNEL_U,     // m/s, at the centres of cells
    CHANNEL_V,
    CHANNEL_W,
    CHANNEL_COUNT
} Channel;

#define CHANNEL_BIT(channel) (1u << (channel))

typedef struct Snapshot {
    Stage *stage;  // NULL: nothing was taken yet
    int64_t steps; // of the world, or the number of a recorded frame
    double time;   // s
    uint64_t hash; // of the whole frame, where it is asked for
    int dimension;
    float cell_size; // m, of the fields
    BwVec3 origin;   // m, low corner of the fields
    int size[3];     // in their cells
    float *values[CHANNEL_COUNT];
    bool has[CHANNEL_COUNT];
    size_t capacity[CHANNEL_COUNT];
    BwTileCoord *tiles;
    int32_t tile_count;
    size_t tile_capacity;
    float tile_size;  // m
    float *particles; // x, y, z and speed, m and m/s
    int64_t particle_count;
    size_t particle_capacity;
    float particle_radius; // m
    BwPose *poses;         // of the scene's obstacles
    bool *is_removed;
    int solid_count;
    size_t pose_capacity, removed_capacity;
    BwStats stats; // its obstacles and bodies are left out
} Snapshot;

// Copies what `channels` asks for and the frame has. The snapshot's memory is used again.
BwResult snapshot_take(Snapshot *snapshot, Stage *stage, const BwFrame *frame, unsigned channels,
                       BwError *err);
void snapshot_free(Snapshot *snapshot);
