// Rules between the fields of one constructor; the table names them.
#pragma once

#include "scene/place.h"

BwResult bw_rule_scene(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_walls(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_side(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_fill(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_emitter(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_emit(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_surface_control(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_force(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_solver(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_liquid(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_surface_pressure(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_charge(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_fuel(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_fire(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_melt(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_output(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_box(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_from_to(const void *def, const BwPlace *place, BwError *err);
BwResult bw_rule_torus(const void *def, const BwPlace *place, BwError *err);
