// What of a scene can set its fluid in motion, as the watch on runaway flows asks (world/runaway.h).
#pragma once

#include "domain/domain.h"
#include "solvers/solver.h"

// Emitters, pumps, inflows, lids, forces and obstacles at a time. The obstacles stand as `solids` tell, and
// came there in `dt`. Adds to what the drive holds already; the length becomes infinite where forces work
// along closed paths.
BwResult bw_scene_drive(const BwSceneDef *scene, const BwSolidPose *solids, float dt, double time,
                        BwDrive *drive, BwError *err);

// The size of the box, or of the tiles that are awake; infinite where the scene is periodic.
float bw_scene_drive_length(const BwSceneDef *scene, const BwGrid *grid);

// The sample of largest magnitude of any component, in metres; of all awake tiles.
BwVec3 bw_fastest_place(const BwGrid *grid, const BwVelocity *velocity);
