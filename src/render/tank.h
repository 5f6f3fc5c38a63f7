// The closed walls of the box as a tank of thin glass: panes that mirror a little and bend nothing, and their
// edges. They are put before what pixels see of water and solids, in two parts: what is behind smoke and what
// is before it. What water and solids mirror is without them.
#pragma once

#include "render/picture.h"

// The sides that are drawn, a bit each: closed ones, where look.show_walls asks for them. Not one that lies
// on the ground.
BwResult bw_tank_sides(const BwSceneDef *scene, const BwFrame *frame, float ground, uint8_t *sides,
                       BwError *err);

typedef enum BwTankPart { BW_TANK_BEHIND, BW_TANK_BEFORE } BwTankPart;

// Puts those walls before the pixels of a pane that face away from the eye, or those that face it.
void bw_tank_draw(const BwPicture *picture, BwTankPart part, BwPane *pane);
