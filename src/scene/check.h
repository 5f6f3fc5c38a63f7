// Checks of Defs, the same for scripts and C callers.
#pragma once

#include "scene/walk.h"

#define BW_SCENE_COOKIE 0xb1110d5cu

bool bw_number_is_good(const BwSceneField *field, double value);

// One number of a field: finite where it must be, in range.
BwResult bw_check_number(const BwSceneField *field, double value, const BwPlace *place, BwError *err);

BwResult bw_check_numbers(const BwSceneField *field, const float *values, int count, const BwPlace *place,
                          BwError *err);

// A vector of a scene of dimension 2.
BwResult bw_check_in_plane(const BwSceneField *field, const float v[3], const BwPlace *place, BwError *err);

// One Def with all that is inside it: every field, and rules between fields.
BwResult bw_check_def(const BwConstructor *constructor, const void *def, const BwPlace *place, BwError *err);

// Fields that exclude each other; bit n of `given` is set when field n was given.
BwResult bw_check_conflicts(const BwConstructor *constructor, uint64_t given, const BwPlace *place,
                            BwError *err);

// Whether a field of a Def differs from what it holds by default: given, where no script can tell. For the
// kinds of field that conflicts, gaps and parameters of fluids have.
bool bw_field_differs(const BwSceneField *field, const void *at, const void *standard);

// Emitters that give none of the scene's fluid, parameters of fluids that the scene does not run, and
// viscosities that are of sources and of time at once (check_fluid.c).
BwResult bw_check_emitters(const BwSceneDef *def, const BwOrigins *origins, BwError *err);
BwResult bw_check_viscosities(const BwSceneDef *def, const BwOrigins *origins, BwError *err);

// check_flow.c: what makes no sense in a flow that is given.
BwResult bw_check_given_flow(const BwSceneDef *def, const BwOrigins *origins, BwError *err);
BwResult bw_check_other_fluids(const BwSceneDef *def, const BwOrigins *origins, BwError *err);

// Periods that are no whole tiles (check_period.c); walls must be within reach.
BwResult bw_check_periods(const BwSceneDef *def, const BwOrigins *origins, BwError *err);

// The whole scene, functions of time included.
BwResult bw_check_scene(const BwSceneDef *def, const BwOrigins *origins, BwError *err);

// Calls every function of the scene over its whole duration, twice and out of order (check_functions.c).
BwResult bw_check_functions(const BwSceneDef *def, const BwOrigins *origins, BwError *err);
