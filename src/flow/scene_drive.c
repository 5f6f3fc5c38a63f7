// Curves of sources, looked up for how fast and how strong they are.
#include "flow/scene_drive.h"

#include "flow/flow.h"
#include "flow/scene_sources.h"
#include "flow/solid_pace.h"
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
    bool is_on = bw_is_on(emitter->start, emitter->stop, time) && bw_curve_is_given(&emitter->velocity) &&
                 emitter->kind != BW_EMIT_BLOB;
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
static float solid_displacement_max(const BwSolidPose *solid, BwBox room)
{
    BwBox near = bw_solid_near(solid, room);
    float way = bw_length(bw_solid_displacement(solid, solid->pose.position));
    for (int n = 0; n < 8 && !bw_box_is_empty(near); n++) {
        BwVec3 corner = bw_vec3(n & 1 ? near.high.x : near.low.x, n & 2 ? near.high.y : near.low.y,
                                n & 4 ? near.high.z : near.low.z);
        way = fmaxf(way, bw_length(bw_solid_displacement(solid, bw_pose_to_world(solid->pose, corner))));
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

// The size of the box, or of the tiles that are awake; infinite where the scene is periodic.
static float length_of(const BwSceneDef *scene, BwBox room)
{
    BwVec3 size = bw_sub(room.high, room.low);
    for (int a = 0; a < scene->dimension && scene->has_walls; a++)
        if (scene->walls.periodic[a])
            return INFINITY;
    return bw_box_is_empty(room) ? 0.0f : fmaxf(fmaxf(size.x, size.y), size.z);
}

BwResult bw_scene_drive(const BwSceneSolids *solids, const BwGrid *grid, float dt, double time,
                        BwDrive *drive, BwError *err)
{
    const BwSceneDef *scene = solids->scene;
    BwBox room = bw_awake_box(grid);
    drive->length = length_of(scene, room);
    for (int n = 0; n < scene->emitter_count; n++)
        BW_TRY(add_emitter(&scene->emitters[n], time, drive, err));
    for (int n = 0; n < scene->pump_count; n++)
        if (bw_is_on(scene->pumps[n].start, scene->pumps[n].stop, time))
            BW_TRY(speed_at(&scene->pumps[n].velocity, time, &drive->imposed_speed, err));
    for (int n = 0; n < scene->obstacle_count; n++) {
        if (scene->obstacles[n].emit != NULL)
            BW_TRY(add_emitter(scene->obstacles[n].emit, time, drive, err));
        if (solids->poses[n].has_jumped)
            continue;
        float way = solid_displacement_max(&solids->poses[n], room);
        drive->imposed_speed = fmaxf(drive->imposed_speed, way / dt);
    }
    for (int n = 0; n < scene->charge_count; n++)
        if (bw_charge_acts(scene, &scene->charges[n], time - (double)dt, time))
            drive->imposed_speed = fmaxf(drive->imposed_speed, bw_charge_speed(scene, &scene->charges[n]));
    drive->jump = solids->first_jump;
    BW_TRY(add_sides(scene, time, drive, err));
    return add_forces(scene, time, drive, err);
}
