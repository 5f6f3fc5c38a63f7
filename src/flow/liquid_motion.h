// What moves a liquid in a step, whatever carries it: gravity, forces, walls, viscosity, sources, surface
// tension; and how far and how fast that may be.
#pragma once

#include "flow/liquid_sources.h"
#include "operate/extrapolate.h"
#include "operate/surface_tension.h"

// Bounds on a step from one moment to another, m/s and m/s^2: of the liquid, its sources, walls and forces.
BwResult bw_liquid_limits(const BwLiquidSources *sources, double time, double end, float *speed,
                          float *acceleration, BwError *err);

// The longest step that they and surface tension allow, s.
BwResult bw_liquid_step_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err);

// How long one velocity may move a surface that the grid alone knows, a level set or chains, s: for so many
// cells. Farther on the air's velocity is none of the liquid's, and what meets a wall there is lost. But no
// frame takes more than steps_max such parts.
enum { BW_SURFACE_CELLS = 3 };
BwResult bw_liquid_surface_limit(const BwLiquidSources *sources, double time, double *limit, BwError *err);

// The strongest that surface tension accelerates anything in a step, m/s^2.
float bw_liquid_tension_acceleration(const BwSceneDef *scene, double dt);

// The scene's pressure on the surface over the time that forces of a step act; before all that asks how far
// the liquid may go in it.
BwResult bw_liquid_find_pressure(BwLiquidSources *sources, double time, double dt, double last_dt,
                                 BwError *err);

// Cells that the liquid may cross in a step.
BwResult bw_liquid_reach(const BwLiquidSources *sources, double time, double dt, int *cells, BwError *err);

// What drives the liquid, for the watch on runaway flows, but for what is measured on what carries it.
BwResult bw_liquid_drive(const BwLiquidSources *sources, double time, BwDrive *drive, BwError *err);

// How the viscosity follows the rate of strain and the temperature.
BwViscosityLaw bw_liquid_viscosity_law(const BwSceneDef *scene);
BwMeltRamp bw_liquid_melt_ramp(const BwSceneDef *scene);

// Whether it is elastic.
bool bw_liquid_is_elastic(const BwSceneDef *scene);

// The scene's forces of a step, and gravity, as they are at its beginning; the flow's viscosity is looked up
// too.
typedef struct BwLiquidForces {
    double time, dt; // s, of the step
    BwVec3 gravity;
    int count;     // of flow->forces
    float seconds; // that they act for
} BwLiquidForces;

// Velocities are those of the middle of a step, so forces act from the middle of the last step, of last_dt,
// to that of this one.
BwResult bw_liquid_look_up_forces(BwFlow *flow, double last_dt, BwLiquidForces *forces, BwError *err);

// Gravity and forces on all passable faces, walls and solids, viscosity of thin liquids, and what sources
// prescribe.
BwResult bw_liquid_add_forces(BwLiquidSources *sources, const BwFaceMasks *faces,
                              const BwLiquidForces *forces, BwStats *stats, BwError *err);

// The viscosity of a thick liquid (bw_flow_is_thick), once forces and what presses on the surface have acted,
// by a projection; another one is done.
BwResult bw_liquid_thicken(BwLiquidSources *sources, const BwFaceMasks *faces, double dt, BwStats *stats,
                           BwError *err);

// Hangs what acts on the surface on the liquid's terms for a projection: the pressure of what stands outside,
// that which the scene applies, and that of surface tension, where there is one. bw_liquid_sources_pull takes
// it off.
void bw_liquid_press(BwLiquidSources *sources, BwSurfaceTension *tension, float seconds);

// The velocity in the middle of a step of a liquid whose velocity the grid carries: confinement, forces,
// walls and solids, sources; and then, by a projection, pressure and viscosity. `divergence` is told what is
// left, 1/s, where it is due.
BwResult bw_liquid_force(BwLiquidSources *sources, const BwFaceMasks *faces, const BwLiquidForces *forces,
                         BwStats *stats, BwError *err);
BwResult bw_liquid_project(BwLiquidSources *sources, const BwFaceMasks *faces, BwSurfaceTension *tension,
                           const BwLiquidForces *forces, double *divergence, BwStats *stats, BwError *err);

// Where nothing tells a surface of its own motion within a step, short waves limit that: shortens it, s.
BwResult bw_liquid_limit_waves(const BwLiquidSources *sources, double time, double *limit, BwError *err);
