// Events of brushes.
#include "brush.h"

#include "simulation.h"

// The mouse is as fast as this at most, in sides of the scene a second; of its speed the push gives the fluid
// this share in one step.
static const float speed_most = 3.0f, push_share = 0.4f;

static BwVec3 limited(const Stage *stage, BwVec3 velocity)
{
    BwBox box = stage_box(stage);
    float most = speed_most * bw_length(bw_sub(box.high, box.low)), speed = bw_length(velocity);
    return speed > most ? bw_mul(velocity, most / speed) : velocity;
}

static BwResult draw_push(BwWorld *world, const Stage *stage, BwForceId force, const StrokePiece *piece,
                          BwError *err)
{
    float rate = push_share / (float)SIMULATION_STEP;
    BwVec3 acceleration = bw_mul(limited(stage, piece->velocity), rate);
    BwResult result =
        bw_world_set_force_capsule(world, force, piece->from, piece->to, stage_brush_radius(stage), err);
    return result == BW_OK ? bw_world_set_force_acceleration(world, force, acceleration, err) : result;
}

static BwResult draw_piece(BwWorld *world, const Stage *stage, Brush brush, BwEmitterId emitter,
                           const StrokePiece *piece, BwError *err)
{
    BwResult result =
        bw_world_set_emitter_capsule(world, emitter, piece->from, piece->to, stage_brush_radius(stage), err);
    if (result == BW_OK && brush == BRUSH_WATER)
        result = bw_world_set_emitter_velocity(world, emitter, limited(stage, piece->velocity), err);
    return result;
}

static BwResult apply_piece(BwWorld *world, const Stage *stage, Brush brush, int n, const StrokePiece *piece,
                            BwError *err)
{
    int number = stage_brush_first(stage, brush) + n;
    BwResult result = BW_OK;
    if (brush == BRUSH_PUSH) {
        BwForceId force = bw_world_force(world, number);
        if (piece != NULL)
            result = draw_push(world, stage, force, piece, err);
        return result == BW_OK ? bw_world_set_force_on(world, force, piece != NULL, err) : result;
    }
    BwEmitterId emitter = bw_world_emitter(world, number);
    if (piece != NULL)
        result = draw_piece(world, stage, brush, emitter, piece, err);
    return result == BW_OK ? bw_world_set_emitter_on(world, emitter, piece != NULL, err) : result;
}

BwResult brush_apply(BwWorld *world, const Stage *stage, Brush brush, BrushState *state,
                     const StrokePiece *pieces, int count, BwError *err)
{
    BwResult result = BW_OK;
    for (int n = 0; n < BRUSH_PIECES && result == BW_OK && stage_has_brush(stage, brush); n++) {
        const StrokePiece *piece = n < count ? &pieces[n] : NULL;
        if (piece != NULL || state->is_on[n])
            result = apply_piece(world, stage, brush, n, piece, err);
        state->is_on[n] = piece != NULL;
    }
    return result;
}
