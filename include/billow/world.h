/// A world: one fluid and all that happens in it, made from a scene. Create, step, read frames.
/// ```c
/// BwSceneDef scene = bw_scene_def_default();
/// scene.cell = 0.05f; // and what happens in it: billow/scene.h
/// BwWorldDef def = bw_world_def_default();
/// def.scene = &scene;
/// BwWorld *world;
/// BwError err;
/// BwResult result = bw_world_create(&world, &def, &err);
/// for (int n = 0; n < 60 && result == BW_OK; n++)
///     result = bw_world_step(world, 1.0 / 60.0, NULL, &err);
/// if (result == BW_OK)
///     printf("%g m^3 of smoke\n", bw_world_view_stats(world)->mass);
/// else
///     puts(err.message);
/// bw_world_destroy(world);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/frame.h>
#include <billow/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Life of a world: created from a Def, stepped, destroyed. Not shared between threads.
typedef struct BwWorld BwWorld;

typedef struct BwWorldDef {
    uint32_t cookie;         // set by bw_world_def_default
    BwAllocator allocator;   // zero: malloc and free
    BwLog log;               // zero: silence
    BwWatch watch;           // of the creation, which may fill the scene's `initial`; zero: nobody
    BwScheduler scheduler;   // zero: threads of our own
    int worker_count;        // default 0: one per core
    const BwSceneDef *scene; // required; copied, but for functions that a C caller wrote and their `user`
    uint64_t run_id;         // kept in checkpoints; one of another run is refused; default 0: of any run
} BwWorldDef;

/// Why a linear solve stopped.
typedef enum BwStop { BW_STOP_CONVERGED, BW_STOP_ITERATIONS, BW_STOP_STALLED, BW_STOP_EMPTY } BwStop;

/// Where smoke or liquid goes that is no longer there.
#define BW_REMOVALS(X)                                                                                       \
    X(SLEEP, "sleep")           /* left behind in tiles that went to sleep */                                \
    X(DISSIPATED, "dissipated") /* by smoke.dissipation */                                                   \
    X(SOLID, "solid")           /* a solid moved over it */                                                  \
    X(SINK, "sink")                                                                                          \
    X(OPEN, "open") /* through sides that are not closed, or past the rim of the awake tiles */

typedef enum BwRemoval {
#define X(name, text) BW_REMOVED_##name,
    BW_REMOVALS(X)
#undef X
        BW_REMOVED_COUNT
} BwRemoval;

#define BW_STAGES_MAX 16

/// The air that smoke is in, for numbers in SI: density, kg/m^3, and heat capacity at constant pressure,
/// J/(kg K).
#define BW_AIR_DENSITY       1.2
#define BW_AIR_HEAT_CAPACITY 1005.0

/// What the fluid does to one obstacle, at the end of a frame: means over its last step.
typedef struct BwObstacleStats {
    double pressure_force[3]; // N, without the hydrostatic lift of the air around
    double viscous_force[3];  // N
    double torque[3];         // N m, of both, about the obstacle's own origin
    double heat_flux;         // W, from the obstacle to the fluid; NaN: not heated, or nothing conducts
} BwObstacleStats;

/// Where a body is at the end of a frame.
typedef struct BwBodyStats {
    double position[3]; // m, of its centre of mass
    double velocity[3]; // m/s, of the same
    double spin[3];     // rad/s
    double wet;         // 1, share of its volume that is below the surface
} BwBodyStats;

/// A connected region of a liquid carried by a level set, at the end of a frame.
typedef struct BwRegionStats {
    double volume; // m^3
    double lacks;  // m^3, that it has lost; below 0: it has too much
    double got;    // m^3, that the volume correction gave it since the last frame; below 0: took
} BwRegionStats;

/// Regions that stats tell of, the largest.
#define BW_REGIONS_TOLD 8

/// What happened in a step of the world. Sums and extremes are over its substeps. The mass of a liquid is the
/// volume that should be there: that of the start and all that was emitted, less all that was removed.
typedef struct BwStats {
    int frame;             // the last at or before `time`
    double time;           // s, at its end
    int steps;             // taken for it
    int steps_capped;      // of them, longer than cfl asks, because steps_max was reached
    double dt_min, dt_max; // s
    int64_t tiles, cells;  // at its end
    int64_t particles;     // at its end; of fluids that have a volume
    double volume;         // m^3, inside the level set; NaN: the fluid has no surface
    double volume_drift;   // 1, volume / mass - 1; NaN: as above
    double mass;           // m^3; smoke: density times volume, summed; liquids: see below
    double emitted;        // added by emitters since the last frame, m^3
    double fuel, burnt;    // m^3 of pure fuel: at its end, and burnt since the last frame; NaN: nothing burns
    double gasified;       // m^3 of solid fuel that turned to gas since the last frame; NaN: there is none
    double expanded;       // m^3, volume that the gas was asked to gain since then; NaN: it keeps its volume
    double removed[BW_REMOVED_COUNT]; // taken away since the last frame, by reason, m^3
    float max_speed;                  // m/s
    double divergence;                // 1/s, largest left in any fluid cell after the last projection
    double kinetic_energy;            // J
    double heat;                      // J, above the ambient temperature; NaN: the fluid has none
    double dissipation;               // W, of kinetic energy by viscosity; NaN: no viscosity
    double heat_flux[6];              // W, from each side of the box (BwSide) to the fluid; NaN: as above
    const BwObstacleStats *obstacles; // in the order of the scene; borrowed like the stats
    int obstacle_count;               // 0 where the fluid does not tell
    const BwBodyStats *bodies;        // the same of bodies
    int body_count;
    int64_t region_count; // of a level-set liquid whose volume is corrected, also those not told of
    double given_back;    // m^3, that they all got since the last frame
    double films_kept;    // m^3 of films too thin for the grid that were kept since then
    BwRegionStats regions[BW_REGIONS_TOLD]; // from the largest on
    int64_t spray, foam;                    // drops and patches of foam at the frame
    double elastic_energy;                  // J, that the strain of elastic liquids holds
    int iterations;                         // of the pressure solve, summed
    int viscosity_iterations;               // of the viscous solve of liquids, summed; 0: there was none
    double residual;                        // largest relative true residual; NaN: not looked at
    BwStop stop_reason;                     // the worst
    struct {
        bool is_found;         // the flow grows faster than anything in the scene explains
        float explained_speed; // m/s, what would be
        BwVec3 place;          // m, where it is fastest; only when found
    } runaway;
    int retries;
    double seconds; // wall clock
    int threads;    // that the fluid is given; 0: nobody looked
    int stage_count;
    struct {
        const char *name;
        double seconds;
        double worked; // s, of all threads together; threads times seconds at best
    } stages[BW_STAGES_MAX];
} BwStats;

BW_API BwWorldDef bw_world_def_default(void);

/// A world at frame 0. Fails when the scene is not valid, its fluid does not exist yet, or memory is short.
BW_API BwResult bw_world_create(BwWorld **world, const BwWorldDef *def, BwError *err);
BW_API void bw_world_destroy(BwWorld *world);

/// Advance by dt seconds, in as many substeps as the scene's limits ask, none longer than a frame of the
/// scene; what the scene says of steps a frame counts for dt in proportion. A step that would end a millionth
/// of itself beside the time of a frame ends on it; one that rounding would lose is refused. `stop`, when not
/// NULL, is looked at between the stages of each substep, and may be set by another thread (relaxed, by
/// __atomic_store_n or the like) or a signal handler: once it is not 0 the call returns
/// BW_ERR_INTERRUPTED. A step whose numbers go wrong is begun again in shorter substeps, a few times; then
/// the call returns BW_ERR_NUMERICS. After any failure the world is where it was before the call, and may be
/// stepped again.
BW_API BwResult bw_world_step(BwWorld *world, double dt, const volatile int *stop, BwError *err);

/// Advance to the time of the next frame, 1 / fps later where the world stands at a frame, less where steps
/// of other lengths led past one. All else is as above.
BW_API BwResult bw_world_step_frame(BwWorld *world, const volatile int *stop, BwError *err);

/// The world as it is; borrowed until the next step. Its number is that of the last frame at or before its
/// time. NULL when there is no world or memory is short.
BW_API const BwFrame *bw_world_view_frame(BwWorld *world, BwError *err);

/// What the last step that succeeded did, of whatever length; borrowed until the next. NULL when there is no
/// world.
BW_API const BwStats *bw_world_view_stats(const BwWorld *world);

#ifdef __cplusplus
}
#endif
