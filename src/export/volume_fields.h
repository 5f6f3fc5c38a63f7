// What both kinds of volumes share: which fields of a frame they hold, and how its axes are turned. Compiles
// as C and as C++.
//
// Up "z" turns the scene by a quarter about x: (x, y, z) becomes (x, -z, y). Cell (i, j, k) thus becomes cell
// (i, -k - 1, j), tiles stay tiles, and cell centres keep their half-cell offset along every axis.
#pragma once

#include <billow/volume.h>

#include <string.h>

// As a number a cell; the colour is one vector.
static inline bool bw_volume_holds(const BwFrameField *field)
{
    return field->location == BW_AT_CELL && strcmp(field->name, "fluid") != 0 &&
           strcmp(field->name, "solid") != 0 && strncmp(field->name, "color_", 6) != 0;
}

// The colour of a frame: its fields "color_r", "color_g" and "color_b". All NULL where the frame has none.
typedef struct BwVolumeColor {
    const BwFrameField *part[3];
} BwVolumeColor;

static inline BwVolumeColor bw_volume_color(const BwFrame *frame)
{
    BwVolumeColor none = {{NULL, NULL, NULL}};
    BwVolumeColor color = {{bw_frame_field(frame, "color_r"), bw_frame_field(frame, "color_g"),
                            bw_frame_field(frame, "color_b")}};
    bool is_whole = color.part[0] != NULL && color.part[1] != NULL && color.part[2] != NULL;
    return is_whole ? color : none;
}

static inline BwVec3 bw_volume_turn(BwVec3 v, BwUp up)
{
    return up == BW_UP_Z ? bw_vec3(v.x, -v.z, v.y) : v;
}

// The velocity of a frame: its fields "u", "v" and, in 3-D, "w". All NULL where the frame has none.
typedef struct BwVolumeVelocity {
    const BwFrameField *u, *v, *w;
} BwVolumeVelocity;

static inline BwVolumeVelocity bw_volume_velocity(const BwFrame *frame)
{
    BwVolumeVelocity none = {NULL, NULL, NULL};
    BwVolumeVelocity velocity = {bw_frame_field(frame, "u"), bw_frame_field(frame, "v"),
                                 bw_frame_field(frame, "w")};
    bool is_whole = velocity.u != NULL && velocity.v != NULL && (velocity.w != NULL || frame->dimension == 2);
    return is_whole ? velocity : none;
}

static inline BwVec3 bw_volume_background(BwVolumeVelocity velocity)
{
    return bw_vec3(velocity.u->background, velocity.v->background,
                   velocity.w != NULL ? velocity.w->background : 0.0f);
}

// Cell n of a tile, counted like its values.
static inline bool bw_volume_is_live(const BwFrame *frame, int32_t tile, int n)
{
    return frame->live[tile][n >> 6] >> (n & 63) & 1;
}
