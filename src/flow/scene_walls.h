// The sides of a scene's box as they are at a time: kinds, speeds, heat and slip from their curves.
#pragma once

#include "domain/domain.h"

// Fills in all sides as they are at a time, with their velocity of a time of its own. Without walls all are
// open. A closed wall keeps only what moves along it of its velocity: nothing passes it.
BwResult bw_scene_walls_look_up(const BwSceneDef *scene, double time, double velocity_time,
                                BwBoxSide sides[BW_SIDE_COUNT], BwError *err);

// Fails when inflows into a box that is wholly awake bring more than anything lets out, or draw more than
// anything lets in: what is incompressible has nowhere to go then.
BwResult bw_scene_walls_check_balance(const BwDomain *domain, const BwVelocity *velocity, double time,
                                      BwError *err);
