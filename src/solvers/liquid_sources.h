// Sources of a liquid: emitters, inflow sides, sinks and pumps, from the scene's curves to operations.
//
// A source has a clock that counts the particles it was to emit or to take so far, with fractions. What the
// clock passes in a step is emitted in it, each particle at its own moment, so that the volume that came out
// never differs by more than a particle from area times speed times time, or from the flow that is asked.
#pragma once

#include "flow/flow.h"
#include "operate/liquid_outflow.h"
#include "operate/spout.h"
#include "particle/collide.h"

// How an emitter works.
typedef enum BwLiquidEmission {
    BW_EMITS_BLOB,   // its shape, once
    BW_EMITS_STREAM, // across its shape
    BW_EMITS_VOLUME, // anywhere inside
} BwLiquidEmission;

// A source over a step.
typedef struct BwSourceStep {
    bool is_on;
    double begin, seconds; // s, when in the step it emits
    double flow;           // m^3/s
    double particles;      // that its clock passes
    bool has_velocity;
    BwVec3 velocity; // m/s
} BwSourceStep;

typedef struct BwLiquidSources {
    int count;           // of emitters, then of the sides of the box
    int clocks;          // of these, then of sinks
    double *clock;       // particles
    BwSourceStep *steps; // of all that emit
    BwSpout *spouts;     // of all that emit
    BwCellBox *boxes;    // where tiles have to be awake
    int box_count;
    double *drained;                       // m^3, the liquid that each sink covers
    double emitted;                        // particles since the start
    BwOutflowState outside[BW_SIDE_COUNT]; // along sides that may be outflows
    BwField divergence, pressure;
    bool has_divergence, has_pressure; // those fields are there
    bool is_divergent, has_outflow;    // in this step
} BwLiquidSources;

struct BwLiquid;

// Whether a scene has any source of liquid.
bool bw_liquid_has_sources(const BwSceneDef *scene);

// Life; nothing to do for scenes without sources.
BwResult bw_liquid_sources_create(struct BwLiquid *liquid, BwError *err);
void bw_liquid_sources_destroy(struct BwLiquid *liquid);

// Looks at the water along outflows, as the scene begins.
BwResult bw_liquid_sources_start(struct BwLiquid *liquid, BwError *err);

// The fastest that an emitter lets anything out between two moments, m/s.
BwResult bw_liquid_source_speed(const struct BwLiquid *liquid, double from, double to, float *speed,
                                BwError *err);

// What continuity makes of all that sources push in or sinks take out, m/s: a box of liquid has to let it
// through.
BwResult bw_liquid_forced_speed(const struct BwLiquid *liquid, double time, float *speed, BwError *err);

// A step, in this order. Plan looks up curves; act finds divergence, pressure behind outflows and velocities
// of pumps, once cells are labelled; push and pull hang the first two on the liquid's terms for a projection,
// over so many seconds, and take them off; emit adds particles, after the core has added its own; drain
// removes some, after the sort.
BwResult bw_liquid_sources_plan(struct BwLiquid *liquid, double time, double dt, BwError *err);
BwResult bw_liquid_sources_act(struct BwLiquid *liquid, double time, double dt, BwError *err);
BwResult bw_liquid_sources_prescribe(struct BwLiquid *liquid, double time, BwError *err);
void bw_liquid_sources_push(struct BwLiquid *liquid, float seconds);
void bw_liquid_sources_pull(struct BwLiquid *liquid);
BwResult bw_liquid_sources_emit(struct BwLiquid *liquid, const BwCollision *collision, double time, double dt,
                                BwStats *stats, BwError *err);
BwResult bw_liquid_sources_drain(struct BwLiquid *liquid, double dt, BwStats *stats, BwError *err);

// Once the velocity is found: lets particles in the mouths of spouts on solids have that of the stream.
void bw_liquid_sources_open_mouths(struct BwLiquid *liquid);

// The divergence asked, added to that of the particles' spacing.
void bw_liquid_sources_add_divergence(struct BwLiquid *liquid, BwField *divergence);

// Keeps the core away from where particles with a velocity of their own come up.
void bw_liquid_sources_clear_core(struct BwLiquid *liquid, double dt);

// Takes the sinks that are open out of the surface.
void bw_liquid_sources_carve(struct BwLiquid *liquid);

// State.
BwResult bw_liquid_sources_save(const struct BwLiquid *liquid, BwRecord *record, BwError *err);
BwResult bw_liquid_sources_load(struct BwLiquid *liquid, const BwRecord *record, BwError *err);
