// The closed walls of a liquid's box as a tank of thin glass: panes that mirror a little and bend nothing,
// and their edges. They are put before what pixels see; what water and solids mirror is without them.
#pragma once

#include "render/picture.h"

// The sides that are drawn, a bit each: closed ones, where look.show_walls asks for them. Not one that lies
// on the ground.
BwResult bw_tank_sides(const BwSceneDef *scene, const BwFrame *frame, float ground, uint8_t *sides,
                       BwError *err);

// Puts the walls before the pixels of a pane.
void bw_tank_draw(const BwPicture *picture, BwPane *pane);
