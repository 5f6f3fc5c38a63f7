// What a program sets between steps. Setting only writes an event down: it is done when
// the next step begins, so that a live run, a replay and a run from a checkpoint all take the same road.
#include "world/world_state.h"

#include "base/need.h"

// The generation of everything that the scene came with.
enum { FIRST_GENERATION = 1 };

BwResult bw_world_add_event(BwWorld *world, const BwEvent *event, BwError *err)
{
    BW_TRY(bw_event_log_reserve(&world->events, err));
    BW_TRY(bw_live_take(&world->live, event, err));
    return bw_event_log_add(&world->events, event, err);
}

static BwResult set(BwWorld *world, BwEvent event, const float *values, int count, BwError *err)
{
    BW_TRY(bw_need(world, "the world", err));
    BW_TRY(bw_world_mend(world, err)); // for the time
    event.step = world->step;
    event.time = world->time;
    for (int n = 0; n < count; n++) {
        if (fabsf(values[n]) > BW_EVENT_VALUE_MAX)
            return bw_fail(err, BW_ERR_DEF, "%s is set to %g; it must be within %g",
                           bw_event_name(event.kind), (double)values[n], (double)BW_EVENT_VALUE_MAX);
        event.value[n] = values[n];
    }
    return bw_world_add_event(world, &event, err);
}

static bool is_there(const BwWorld *world, int number, int count, int first)
{
    return number >= 0 && number < count && !world->live.is_removed[first + number];
}

BwEmitterId bw_world_emitter(const BwWorld *world, int number)
{
    if (world == NULL || !is_there(world, number, world->scene->emitter_count, 0))
        return (BwEmitterId){0};
    return (BwEmitterId){number, FIRST_GENERATION};
}

BwObstacleId bw_world_obstacle(const BwWorld *world, int number)
{
    if (world == NULL || !is_there(world, number, world->scene->obstacle_count, world->scene->emitter_count))
        return (BwObstacleId){0};
    return (BwObstacleId){number, FIRST_GENERATION};
}

BwForceId bw_world_force(const BwWorld *world, int number)
{
    if (world == NULL || !is_there(world, number, world->scene->force_count,
                                   world->scene->emitter_count + world->scene->obstacle_count))
        return (BwForceId){0};
    return (BwForceId){number, FIRST_GENERATION};
}

static BwResult set_emitter(BwWorld *world, BwEventKind kind, BwEmitterId id, const float *values, int count,
                            BwError *err)
{
    BwEvent event = {.kind = kind, .index = id.index, .generation = id.generation};
    return set(world, event, values, count, err);
}

static BwResult set_force(BwWorld *world, BwEventKind kind, BwForceId id, const float *values, int count,
                          BwError *err)
{
    BwEvent event = {.kind = kind, .index = id.index, .generation = id.generation};
    return set(world, event, values, count, err);
}

static BwResult set_obstacle(BwWorld *world, BwEventKind kind, BwObstacleId id, const float *values,
                             int count, BwError *err)
{
    BwEvent event = {.kind = kind, .index = id.index, .generation = id.generation};
    return set(world, event, values, count, err);
}

BwResult bw_world_set_emitter_on(BwWorld *world, BwEmitterId emitter, bool is_on, BwError *err)
{
    float value = is_on ? 1.0f : 0.0f;
    return set_emitter(world, BW_EVENT_EMITTER_ON, emitter, &value, 1, err);
}

BwResult bw_world_set_emitter_density(BwWorld *world, BwEmitterId emitter, float density, BwError *err)
{
    return set_emitter(world, BW_EVENT_EMITTER_DENSITY, emitter, &density, 1, err);
}

BwResult bw_world_set_emitter_rate(BwWorld *world, BwEmitterId emitter, float density_rate, BwError *err)
{
    return set_emitter(world, BW_EVENT_EMITTER_RATE, emitter, &density_rate, 1, err);
}

BwResult bw_world_set_emitter_temperature(BwWorld *world, BwEmitterId emitter, float temperature,
                                          BwError *err)
{
    return set_emitter(world, BW_EVENT_EMITTER_TEMPERATURE, emitter, &temperature, 1, err);
}

BwResult bw_world_set_emitter_velocity(BwWorld *world, BwEmitterId emitter, BwVec3 velocity, BwError *err)
{
    const float values[] = {velocity.x, velocity.y, velocity.z};
    return set_emitter(world, BW_EVENT_EMITTER_VELOCITY, emitter, values, 3, err);
}

BwResult bw_world_set_emitter_capsule(BwWorld *world, BwEmitterId emitter, BwVec3 from, BwVec3 to,
                                      float radius, BwError *err)
{
    const float values[] = {from.x, from.y, from.z, to.x, to.y, to.z, radius};
    return set_emitter(world, BW_EVENT_EMITTER_CAPSULE, emitter, values, 7, err);
}

BwResult bw_world_set_emitter_offset(BwWorld *world, BwEmitterId emitter, BwVec3 offset, BwError *err)
{
    const float values[] = {offset.x, offset.y, offset.z};
    return set_emitter(world, BW_EVENT_EMITTER_OFFSET, emitter, values, 3, err);
}

BwResult bw_world_set_obstacle_pose(BwWorld *world, BwObstacleId obstacle, BwPose pose, BwError *err)
{
    const float values[] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.x,
                            pose.rotation.y, pose.rotation.z, pose.rotation.w};
    return set_obstacle(world, BW_EVENT_OBSTACLE_POSE, obstacle, values, 7, err);
}

BwResult bw_world_set_obstacle_velocity(BwWorld *world, BwObstacleId obstacle, BwVec3 velocity, BwVec3 spin,
                                        BwError *err)
{
    const float values[] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    return set_obstacle(world, BW_EVENT_OBSTACLE_VELOCITY, obstacle, values, 6, err);
}

BwResult bw_world_set_force_on(BwWorld *world, BwForceId force, bool is_on, BwError *err)
{
    float value = is_on ? 1.0f : 0.0f;
    return set_force(world, BW_EVENT_FORCE_ON, force, &value, 1, err);
}

BwResult bw_world_set_force_acceleration(BwWorld *world, BwForceId force, BwVec3 acceleration, BwError *err)
{
    const float values[] = {acceleration.x, acceleration.y, acceleration.z};
    return set_force(world, BW_EVENT_FORCE_ACCELERATION, force, values, 3, err);
}

BwResult bw_world_set_force_strength(BwWorld *world, BwForceId force, float strength, BwError *err)
{
    return set_force(world, BW_EVENT_FORCE_STRENGTH, force, &strength, 1, err);
}

BwResult bw_world_set_force_center(BwWorld *world, BwForceId force, BwVec3 center, BwError *err)
{
    const float values[] = {center.x, center.y, center.z};
    return set_force(world, BW_EVENT_FORCE_CENTER, force, values, 3, err);
}

BwResult bw_world_set_force_capsule(BwWorld *world, BwForceId force, BwVec3 from, BwVec3 to, float radius,
                                    BwError *err)
{
    const float values[] = {from.x, from.y, from.z, to.x, to.y, to.z, radius};
    return set_force(world, BW_EVENT_FORCE_CAPSULE, force, values, 7, err);
}

BwResult bw_world_set_number(BwWorld *world, BwLiveNumber number, float value, BwError *err)
{
    BwEvent event = {.kind = BW_EVENT_NUMBER, .index = (int32_t)number, .generation = FIRST_GENERATION};
    return set(world, event, &value, 1, err);
}

BwResult bw_world_set_gravity(BwWorld *world, BwVec3 gravity, BwError *err)
{
    const float values[] = {gravity.x, gravity.y, gravity.z};
    BwEvent event = {.kind = BW_EVENT_GRAVITY, .generation = FIRST_GENERATION};
    return set(world, event, values, 3, err);
}

BwResult bw_world_remove_emitter(BwWorld *world, BwEmitterId emitter, BwError *err)
{
    return set_emitter(world, BW_EVENT_EMITTER_REMOVED, emitter, NULL, 0, err);
}

BwResult bw_world_remove_obstacle(BwWorld *world, BwObstacleId obstacle, BwError *err)
{
    return set_obstacle(world, BW_EVENT_OBSTACLE_REMOVED, obstacle, NULL, 0, err);
}

BwResult bw_world_remove_force(BwWorld *world, BwForceId force, BwError *err)
{
    return set_force(world, BW_EVENT_FORCE_REMOVED, force, NULL, 0, err);
}

BwEvents bw_world_view_events(const BwWorld *world)
{
    if (world == NULL)
        return (BwEvents){0};
    return (BwEvents){world->events.list, world->events.count, world->step, world->scene->title};
}
