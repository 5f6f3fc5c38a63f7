// Curves of sources, looked up for how fast and how strong they are.
#include "flow/scene_drive.h"

#include "flow/scene_sources.h"
#include "scene/curve.h"
#include <math.h>

static BwResult speed_at(const BwCurve *curve, double time, float *speed, BwError *err)
{
    BwVec3 velocity;
    BW_TRY(bw_curve_vector_at(curve, time, &velocity, err));
    *speed = fmaxf(*speed, bw_length(velocity));
    return BW_OK;
}

static BwResult add_emitter(const BwEmitterDef *emitter, double time, BwDrive *drive, BwError *err)
{
    bool is_on = bw_is_on(emitter->start, emitter->stop, time) && bw_curve_is_given(&emitter->velocity);
    return is_on ? speed_at(&emitter->velocity, time, &drive->speed, err) : BW_OK;
}

static BwResult add_forces(const BwSceneDef *scene, double time, BwDrive *drive, BwError *err)
{
    for (int n = 0; n < scene->force_count; n++) {
        const BwForceDef *def = &scene->forces[n];
        BwForce force;
        if (!bw_is_on(def->start, def->stop, time) || def->field == BW_FORCE_DRAG)
            continue;
        BW_TRY(bw_scene_force_at(def, scene, time, &force, err));
        float acceleration = bw_force_max(&force);
        drive->acceleration += acceleration;
        // Round a vortex, or through a part of the box again and again, the path has no end.
        bool is_closed_path =
            def->field == BW_FORCE_VORTEX || def->field == BW_FORCE_TURBULENCE || force.shape != NULL;
        if (is_closed_path && acceleration > 0.0f)
            drive->length = INFINITY;
    }
    return BW_OK;
}

// The farthest that any bit of a solid has come in the step, m.
static float solid_displacement_max(const BwSolidPose *solid)
{
    BwBox box = bw_shape_bounds(solid->shape);
    float way = bw_length(bw_solid_displacement(solid, solid->pose.position));
    for (int n = 0; n < 8; n++) {
        BwVec3 corner = bw_vec3(n & 1 ? box.high.x : box.low.x, n & 2 ? box.high.y : box.low.y,
                                n & 4 ? box.high.z : box.low.z);
        float one = bw_length(bw_solid_displacement(solid, bw_pose_to_world(solid->pose, corner)));
        way = isfinite(one) ? fmaxf(way, one) : way; // a plane has no corners
    }
    return way;
}

static BwResult add_sides(const BwSceneDef *scene, double time, BwDrive *drive, BwError *err)
{
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++) {
        const BwCurve *velocity = &scene->walls.side[side].velocity;
        if (bw_curve_is_given(velocity))
            BW_TRY(speed_at(velocity, time, &drive->imposed_speed, err));
    }
    return BW_OK;
}

BwResult bw_scene_drive(const BwSceneDef *scene, const BwSolidPose *solids, float dt, double time,
                        BwDrive *drive, BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(add_emitter(&scene->emitters[n], time, drive, err));
    for (int n = 0; n < scene->pump_count; n++)
        if (bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            BW_TRY(speed_at(&scene->pumps[n].velocity, time, &drive->imposed_speed, err));
    for (int n = 0; n < scene->obstacle_count; n++) {
        if (scene->obstacles[n].emit != NULL)
            BW_TRY(add_emitter(scene->obstacles[n].emit, time, drive, err));
        drive->imposed_speed = fmaxf(drive->imposed_speed, solid_displacement_max(&solids[n]) / dt);
    }
    BW_TRY(add_sides(scene, time, drive, err));
    return add_forces(scene, time, drive, err);
}

float bw_scene_drive_length(const BwSceneDef *scene, const BwGrid *grid)
{
    BwTileCoord low = {INT32_MAX, INT32_MAX, INT32_MAX}, high = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (int a = 0; a < scene->dimension && scene->has_walls; a++)
        if (scene->walls.periodic[a])
            return INFINITY;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        BwTileCoord at = grid->tiles[grid->order[n]].coord;
        low = (BwTileCoord){at.x < low.x ? at.x : low.x, at.y < low.y ? at.y : low.y,
                            at.z < low.z ? at.z : low.z};
        high = (BwTileCoord){at.x > high.x ? at.x : high.x, at.y > high.y ? at.y : high.y,
                             at.z > high.z ? at.z : high.z};
    }
    if (grid->tile_count == 0)
        return 0.0f;
    float tile = (float)BW_TILE * grid->cell_size;
    float depth = grid->layers == 1 ? 0.0f : (float)(high.z - low.z + 1);
    return tile * fmaxf(fmaxf((float)(high.x - low.x + 1), (float)(high.y - low.y + 1)), depth);
}
