// Sources of a liquid: emitters, inflow sides, sinks and pumps, from the scene's curves to operations. How
// liquid comes to be and goes is the solver's, which emits and drains; all that the grid is told of it is
// here.
//
// A source has a clock that counts the particles it was to emit or to take so far, with fractions. What the
// clock passes in a step is emitted in it, each particle at its own moment, so that the volume that came out
// never differs by more than a particle from area times speed times time, or from the flow that is asked.
#pragma once

#include "flow/applied_pressure.h"
#include "flow/flow.h"
#include "flow/liquid_control.h"
#include "operate/coverage.h"
#include "operate/liquid_outflow.h"
#include "operate/spout.h"

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
    BwVec3 motion;   // m/s, of the shape itself, which is part of the velocity
    bool is_held;    // by its spout, which it would else fall out of
} BwSourceStep;

typedef struct BwLiquidSources {
    const BwSceneDef *scene;
    BwFlow *flow;
    BwField *phi;   // m, below 0 inside of the liquid
    BwMask *liquid; // cells where it is
    BwFluidTerms *terms;
    bool in_liquid_alone; // springs push only the liquid they are in, streams into the air are drawn
    float spacing;        // m, between particles as they are seeded
    double seed_volume;   // m^3, of one of them
    int count;            // of emitters, then of the sides of the box
    int clocks;           // of these, then of sinks
    double *clock;        // particles
    BwSourceStep *steps;  // of all that emit
    BwSpout *spouts;      // of all that emit
    BwShape *shapes;      // of emitters, where they are in the middle of the step
    BwCellBox *boxes;     // where tiles have to be awake
    int box_count;
    double *drained;             // m^3, the liquid that each sink covers; then, for each again, that of
                                 // the cells it covers any part of
    double emitted;              // particles since the start
    BwSolidJump first_jump;      // of a nozzle that moves, since the world was made
    double drawn[BW_SIDE_COUNT]; // m^3/s, what inflows that point outwards draw through wet faces
    double owed[BW_SIDE_COUNT];  // particles that they have yet to take, or took too many
    BwOutflowState outside[BW_SIDE_COUNT]; // along sides that may be outflows
    BwField divergence, pressure;
    bool has_divergence, has_pressure; // those fields are there
    bool is_divergent, has_outflow;    // in this step
    BwLiquidControls controls;         // of the surface
    BwAppliedPressure applied;         // what the scene puts on the surface
} BwLiquidSources;

// Whether a scene has any source of liquid.
bool bw_liquid_has_sources(const BwSceneDef *scene);

// The volume of a particle as it is seeded, in cells.
float bw_liquid_unit(const BwSceneDef *scene);

// How an emitter works.
BwLiquidEmission bw_liquid_emission(const BwEmitterDef *emitter);

// What the sources act on, all of it the solver's.
typedef struct BwLiquidSourcesDef {
    BwFlow *flow;
    BwField *phi;
    BwMask *liquid;
    BwFluidTerms *terms;
    bool in_liquid_alone;
} BwLiquidSourcesDef;

// Life; little to do for scenes without sources.
BwResult bw_liquid_sources_create(BwLiquidSources *sources, const BwLiquidSourcesDef *def, BwError *err);
void bw_liquid_sources_destroy(BwLiquidSources *sources);

// Looks at the water along outflows, as the scene begins.
BwResult bw_liquid_sources_start(BwLiquidSources *sources, BwError *err);

// The fastest that an emitter lets anything out between two moments, m/s, and that a sink asks steps to be
// short for.
BwResult bw_liquid_source_speed(const BwLiquidSources *sources, double from, double to, float *speed,
                                BwError *err);

// What continuity makes of all that sources push in or sinks take out, m/s: a box of liquid has to let it
// through.
BwResult bw_liquid_forced_speed(const BwLiquidSources *sources, double time, float *speed, BwError *err);

// A step, in this order. Plan looks up curves; act finds divergence, pressure behind outflows and velocities
// of pumps, once cells are labelled; push and pull hang the first two on the liquid's terms for a projection,
// over so many seconds, and take them off.
BwResult bw_liquid_sources_plan(BwLiquidSources *sources, double time, double dt, BwError *err);
BwResult bw_liquid_sources_act(BwLiquidSources *sources, double time, double dt, BwError *err);
BwResult bw_liquid_sources_prescribe(BwLiquidSources *sources, double time, BwError *err);
void bw_liquid_sources_push(BwLiquidSources *sources, float seconds);
void bw_liquid_sources_pull(BwLiquidSources *sources);

// After that: spouts in the air hold streams that gravity, or a thick liquid's own weight, would else draw
// off them, as a tap does by suction. The velocity in their mouths is prescribed too, on passable faces.
void bw_liquid_sources_hold(BwLiquidSources *sources, BwVec3 gravity, const BwMask passable[3]);

// Once the velocity is found: lets what is in the mouths of spouts on solids have that of the stream.
void bw_liquid_sources_open_mouths(BwLiquidSources *sources);

// The divergence asked, added to another.
void bw_liquid_sources_add_divergence(const BwLiquidSources *sources, BwField *divergence);

// Takes the sinks that are open and have no flow out of the surface.
void bw_liquid_sources_carve(BwLiquidSources *sources);

// The cells that a shape may touch; what has no end is cut off far away.
BwCellBox bw_liquid_source_cells(const BwLiquidSources *sources, const BwShape *shape);

// Of a sink: whether it is open; what it covers; and, where it has a flow, what it draws out of the liquid,
// m^3/s: no more than the cells hold that it reaches into.
bool bw_liquid_sink_is_open(const BwLiquidSources *sources, int n);
BwStamp bw_liquid_sink_stamp(const BwLiquidSources *sources, int n);
BwResult bw_liquid_sink_flow(const BwLiquidSources *sources, int n, double dt, double *flow, BwError *err);

// The first emitter, from 1 on, whose stream meets a wall or solid within a few cells over most of its mouth;
// 0: there is none.
int bw_liquid_blocked_emitter(const BwLiquidSources *sources);

// Whether there is no liquid in the shape of an emitter; m^3, that it has room for.
bool bw_liquid_spring_is_dry(BwLiquidSources *sources, int n, double *room);

// State.
BwResult bw_liquid_sources_save(const BwLiquidSources *sources, BwRecord *record, BwError *err);
BwResult bw_liquid_sources_load(BwLiquidSources *sources, const BwRecord *record, BwError *err);
