// What a scene puts into a fluid and takes out of it: fills and functions of place at the start, emitters,
// sinks, pumps and forces in every step. Curves are looked up once a step and reach the operations as plain
// numbers.
#pragma once

#include "operate/color_hull.h"
#include "operate/forces.h"
#include "operate/prescribe.h"
#include <billow/world.h>

// The area of an emitter projected along its velocity, as last found.
typedef struct BwProjectedArea {
    BwVec3 direction; // 0: not found yet
    BwShape shape;    // whose area it is
    double area;      // m^2
} BwProjectedArea;

// The fields that sources write to.
typedef struct BwSourceFields {
    const BwDomain *domain;
    BwVelocity *velocity;
    const BwMask *flow[3]; // where a component of the velocity may be set
    BwField *density;
    BwField *temperature;             // NULL: the fluid has none
    float ambient;                    // K
    BwField *fuel;                    // share of the gas; NULL: the fluid does not burn
    const BwColorHull *hull;          // of the colours of what sources let out; NULL: it has none
    BwField *const *color;            // its coordinates times density, as many as it has dimensions
    const BwSolidPose *solids;        // of the scene's obstacles, as they stand at the end of the step
    BwProjectedArea *projected_areas; // one an emitter; NULL: what they let out is not limited by it
    BwCoverage *coverage;             // one a source (bw_scene_source_count); NULL: found anew in every step
} BwSourceFields;

// What an obstacle emits appears this far out from its surface, in cells.
#define BW_EMIT_SHELL 1.5f

// Whether anything that brings density has a colour but white; and the colours that do, as many as fit, and
// their number. Colours of what brings none are no colours of smoke.
bool bw_scene_has_color(const BwSceneDef *scene);
int bw_scene_colors(const BwSceneDef *scene, float (*colors)[3], int capacity);

// What is there at the start. Functions of place may take long, so somebody may watch.
BwResult bw_scene_fill(const BwSceneDef *scene, const BwSourceFields *fields, BwWatch watch, BwError *err);

// Emitters, pumps and sinks.
int bw_scene_source_count(const BwSceneDef *scene);

// Emitters, the surfaces of obstacles that emit, sinks and pumps over one step.
BwResult bw_scene_run_sources(const BwSceneDef *scene, const BwSourceFields *fields, double time, double dt,
                              BwStats *stats, BwError *err);

// Prescribes the velocity in emitters that have one, and in pumps, as it is at that time.
BwResult bw_scene_prescribe(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                            BwPrescribed *prescribed, BwError *err);

// The same of pumps alone.
BwResult bw_scene_prescribe_pumps(const BwSceneDef *scene, const BwSourceFields *fields, double time,
                                  BwPrescribed *prescribed, BwError *err);

// Whether a scene prescribes any velocity, at any time.
bool bw_scene_prescribes(const BwSceneDef *scene);

// Adds the cells to a mask in which emitters, and obstacles that emit, set a value at that time; or a
// temperature.
void bw_scene_mark_sources(const BwSceneDef *scene, const BwSourceFields *fields, double time, BwMask *mask);
void bw_scene_mark_heated(const BwSceneDef *scene, const BwSourceFields *fields, double time, BwMask *mask);

// A force as it is at that time. A vortex without an axis turns about y, in 2-D about z.
BwResult bw_scene_force_at(const BwForceDef *def, const BwSceneDef *scene, double time, BwForce *force,
                           BwError *err);
