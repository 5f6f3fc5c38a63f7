/// Changing a world while it runs: obstacles and emitters that a program moves, emitters and forces that it
/// turns up, down and off and draws strokes with. All of it between steps. What is set takes effect with the
/// next step, is kept in checkpoints, and is written down as an event, so that the run can be repeated bit
/// for bit.
/// ```c
/// BwWorld *world = NULL; // of bw_world_create
/// BwObstacleId ball = bw_world_obstacle(world, 0);
/// BwPose pose = bw_pose_identity();
/// BwError err;
/// for (int n = 0; n < 60; n++) {
///     pose.position = bw_vec3(0.5f + 0.3f * sinf(0.1f * (float)n), 1.0f, 0.5f);
///     if (bw_world_set_obstacle_pose(world, ball, pose, &err) != BW_OK ||
///         bw_world_step(world, 1.0 / 60.0, NULL, &err) != BW_OK)
///         break;
/// }
/// BwEvents events = bw_world_view_events(world);
/// if (bw_events_save(&events, "run.events", &err) != BW_OK)
///     return;
/// ```
#pragma once

#include <billow/base.h>
#include <billow/vec.h>
#include <billow/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Names of things in a world, by value. All zero is none. An id of something that was removed is refused.
typedef struct BwEmitterId {
    int32_t index;
    uint32_t generation;
} BwEmitterId;

typedef struct BwObstacleId {
    int32_t index;
    uint32_t generation;
} BwObstacleId;

typedef struct BwForceId {
    int32_t index;
    uint32_t generation;
} BwForceId;

/// The id of the scene's emitter, obstacle or force of that number, from 0 in the order of the scene; none
/// when there is no such thing or it was removed.
BW_API BwEmitterId bw_world_emitter(const BwWorld *world, int number);
BW_API BwObstacleId bw_world_obstacle(const BwWorld *world, int number);
BW_API BwForceId bw_world_force(const BwWorld *world, int number);

/// Every setter fails, and changes nothing, when the id is of nothing in this world, when a value is not one
/// that a scene could have, or when memory is short. A value replaces what the scene says of it, from the
/// next step on and for good. Only what the scene gives can be set: an emitter without a density gets none.

/// On or off, whatever `start` and `stop` say. A blob comes out, once, whenever it is set on.
BW_API BwResult bw_world_set_emitter_on(BwWorld *world, BwEmitterId emitter, bool is_on, BwError *err);
BW_API BwResult bw_world_set_emitter_density(BwWorld *world, BwEmitterId emitter, float density,
                                             BwError *err); // 1, held inside
BW_API BwResult bw_world_set_emitter_rate(BwWorld *world, BwEmitterId emitter, float density_rate,
                                          BwError *err); // 1/s
BW_API BwResult bw_world_set_emitter_temperature(BwWorld *world, BwEmitterId emitter, float temperature,
                                                 BwError *err); // K
BW_API BwResult bw_world_set_emitter_velocity(BwWorld *world, BwEmitterId emitter, BwVec3 velocity,
                                              BwError *err); // m/s

/// Where it emits from the next step on: in a capsule between two points, which is what a hand has swept that
/// moved from one to the other; or in the shape of the scene, moved by `offset` from where the scene has it.
/// m.
BW_API BwResult bw_world_set_emitter_capsule(BwWorld *world, BwEmitterId emitter, BwVec3 from, BwVec3 to,
                                             float radius, BwError *err);
BW_API BwResult bw_world_set_emitter_offset(BwWorld *world, BwEmitterId emitter, BwVec3 offset, BwError *err);

/// Where an obstacle is to be at the end of the next step. It moves there evenly over that step, however many
/// substeps it takes, and pushes the fluid along at the speed this needs; the limit on substeps counts it.
/// Then it rests until it is told more. The motion of the scene ends.
BW_API BwResult bw_world_set_obstacle_pose(BwWorld *world, BwObstacleId obstacle, BwPose pose, BwError *err);

/// How an obstacle moves from here on, instead of the motion of the scene: m/s, and rad/s about the axis.
BW_API BwResult bw_world_set_obstacle_velocity(BwWorld *world, BwObstacleId obstacle, BwVec3 velocity,
                                               BwVec3 spin, BwError *err);

/// On or off, whatever `start` and `stop` say.
BW_API BwResult bw_world_set_force_on(BwWorld *world, BwForceId force, bool is_on, BwError *err);
/// Of uniform forces, m/s^2.
BW_API BwResult bw_world_set_force_acceleration(BwWorld *world, BwForceId force, BwVec3 acceleration,
                                                BwError *err);
/// Of all others, in the unit of BwForceDef.strength.
BW_API BwResult bw_world_set_force_strength(BwWorld *world, BwForceId force, float strength, BwError *err);
/// Of points and vortices, m.
BW_API BwResult bw_world_set_force_center(BwWorld *world, BwForceId force, BwVec3 center, BwError *err);

/// Where it acts from the next step on: in a capsule between two points, m.
BW_API BwResult bw_world_set_force_capsule(BwWorld *world, BwForceId force, BwVec3 from, BwVec3 to,
                                           float radius, BwError *err);

/// Numbers of the fluid that may be set, with the constructor and the field of the scene whose ranges they
/// have. Of some a solver prepares for what the scene gives: the scene must give those, and they stay above
/// 0.
#define BW_LIVE_NUMBERS(X)                                                                                   \
    X(SMOKE_BUOYANCY_HEAT, "smoke", "buoyancy_heat", false)                                                  \
    X(SMOKE_BUOYANCY_WEIGHT, "smoke", "buoyancy_weight", false)                                              \
    X(SMOKE_DISSIPATION, "smoke", "dissipation", false)                                                      \
    X(SMOKE_COOLING, "smoke", "cooling", false)                                                              \
    X(SMOKE_CONFINEMENT, "smoke", "confinement", true)                                                       \
    X(SMOKE_VISCOSITY, "smoke", "viscosity", true)                                                           \
    X(SMOKE_SUBGRID, "smoke", "subgrid", true)                                                               \
    X(LIQUID_FLIP_RATIO, "liquid", "flip_ratio", false)                                                      \
    X(LIQUID_VOLUME_CORRECTION, "liquid", "volume_correction", true)                                         \
    X(STABLE_VISCOSITY, "stable", "viscosity", false)                                                        \
    X(STABLE_DIFFUSION, "stable", "diffusion", false)                                                        \
    X(STABLE_CONFINEMENT, "stable", "confinement", false)

typedef enum BwLiveNumber {
#define X(name, constructor, field, is_prepared) BW_LIVE_##name,
    BW_LIVE_NUMBERS(X)
#undef X
        BW_LIVE_NUMBER_COUNT
} BwLiveNumber;

BW_API BwResult bw_world_set_number(BwWorld *world, BwLiveNumber number, float value, BwError *err);
/// Of smoke and liquids, m/s^2.
BW_API BwResult bw_world_set_gravity(BwWorld *world, BwVec3 gravity, BwError *err);

/// Takes a thing out for good; its id is none of this world's any more. Where an obstacle was there is air.
/// Frames and stats keep its place in their lists, with a shape of kind NONE. Nothing can be added to a
/// running world: give the scene what will be needed, and switch it on when it is.
BW_API BwResult bw_world_remove_emitter(BwWorld *world, BwEmitterId emitter, BwError *err);
BW_API BwResult bw_world_remove_obstacle(BwWorld *world, BwObstacleId obstacle, BwError *err);
BW_API BwResult bw_world_remove_force(BwWorld *world, BwForceId force, BwError *err);

/// What happened to a world: the name in files, and how many numbers belong to it.
#define BW_EVENTS(X)                                                                                         \
    X(STEP, "step", 0) /* steps are of another length from here on */                                        \
    X(EMITTER_ON, "emitter_on", 1)                                                                           \
    X(EMITTER_DENSITY, "emitter_density", 1)                                                                 \
    X(EMITTER_RATE, "emitter_rate", 1)                                                                       \
    X(EMITTER_TEMPERATURE, "emitter_temperature", 1)                                                         \
    X(EMITTER_VELOCITY, "emitter_velocity", 3)                                                               \
    X(EMITTER_REMOVED, "emitter_removed", 0)                                                                 \
    X(OBSTACLE_POSE, "obstacle_pose", 7)         /* position, rotation x y z w */                            \
    X(OBSTACLE_VELOCITY, "obstacle_velocity", 6) /* velocity, spin */                                        \
    X(OBSTACLE_REMOVED, "obstacle_removed", 0)                                                               \
    X(FORCE_ON, "force_on", 1)                                                                               \
    X(FORCE_ACCELERATION, "force_acceleration", 3)                                                           \
    X(FORCE_STRENGTH, "force_strength", 1)                                                                   \
    X(FORCE_CENTER, "force_center", 3)                                                                       \
    X(FORCE_REMOVED, "force_removed", 0)                                                                     \
    X(EMITTER_CAPSULE, "emitter_capsule", 7) /* from, to, radius */                                          \
    X(EMITTER_OFFSET, "emitter_offset", 3)                                                                   \
    X(FORCE_CAPSULE, "force_capsule", 7)                                                                     \
    X(NUMBER, "number", 1) /* its index is a BwLiveNumber */                                                 \
    X(GRAVITY, "gravity", 3)

typedef enum BwEventKind {
#define X(name, text, count) BW_EVENT_##name,
    BW_EVENTS(X)
#undef X
        BW_EVENT_COUNT
} BwEventKind;

#define BW_EVENT_VALUES 7

/// What is set must be within this, in its unit: more is a mistake.
#define BW_EVENT_VALUE_MAX 1e20f

typedef struct BwEvent {
    BwEventKind kind;
    int32_t index; // of the thing it was set for, with its generation
    uint32_t generation;
    int64_t step; // the step that it came before, from 0
    double time;  // s, of the world when it was set
    double dt;    // s, as asked of that step; 0: bw_world_step_frame, or not taken yet
    float value[BW_EVENT_VALUES];
} BwEvent;

/// The events of a run, in order, and the number of steps it has taken: calls of bw_world_step and
/// bw_world_step_frame that succeeded.
typedef struct BwEvents {
    const BwEvent *list;
    int64_t count;
    int64_t steps;
    const char *scene; // its title; NULL: not known
} BwEvents;

/// All events since the start, those before a checkpoint included; borrowed until the next set or step. An
/// event takes 72 bytes of a list that doubles when it is full, and from the first checkpoint on 104 more.
BW_API BwEvents bw_world_view_events(const BwWorld *world);

/// Takes the next `steps` steps of a recorded run, or all that are left where that is fewer: before each what
/// was set then, and as long as it was then. After the last it sets what waited when the run ended. The world
/// must be of the same scene and have seen what the run had by then: a new one, one from a checkpoint of the
/// run, or one that replayed a part; else it is refused. It ends with the same bits. A run may be replayed in
/// many calls; its list may grow between them, but what was replayed of it is not compared in full again.
/// Where both scenes have a title and they differ, the world's log warns.
BW_API BwResult bw_world_replay(BwWorld *world, const BwEvents *events, int64_t steps,
                                const volatile int *stop, BwError *err);

/// Events as JSON lines (docs/formats.md). The file appears whole or not at all.
BW_API BwResult bw_events_save(const BwEvents *events, const char *path, BwError *err);

/// Events read back; the view lives as long as the file. A NULL allocator is malloc and free.
typedef struct BwEventFile BwEventFile;
BW_API BwResult bw_events_load(BwEventFile **file, const char *path, const BwAllocator *allocator,
                               BwError *err);
BW_API BwEvents bw_event_file_view(const BwEventFile *file);
BW_API void bw_event_file_destroy(BwEventFile *file);

#ifdef __cplusplus
}
#endif
