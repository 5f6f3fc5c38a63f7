// A surface burns when something has heated it to its ignition: what lit it, gas that is hot enough, a
// temperature that the scene gives it, or fire that creeps along it from where it burns already.
#include "scene/fuel_doubts.h"

#include "base/number_text.h"
#include "scene/curve.h"
#include "scene/fuel.h"
#include <billow/shape.h>

#include <math.h>

static float constant_or(const BwCurve *curve, float otherwise)
{
    return curve->kind == BW_CURVE_CONSTANT ? curve->value[0] : otherwise;
}

static float ignition_of(const BwSceneDef *def, const BwSolidFuelDef *fuel)
{
    return isnan(fuel->ignition) ? bw_fuel_numbers(&def->fire.fuel).ignition : fuel->ignition;
}

// Both are in the obstacle's own coordinates.
static bool lit_misses(const BwObstacleDef *obstacle, int dimension)
{
    BwBox lit = bw_shape_bounds(&obstacle->fuel->lit), own = bw_shape_bounds(&obstacle->shape);
    for (int a = 0; a < dimension; a++)
        if (bw_component(lit.high, a) < bw_component(own.low, a) ||
            bw_component(lit.low, a) > bw_component(own.high, a))
            return true;
    return false;
}

// Of an emitter, a fill, a side or a solid: K, infinite where only the run can tell; 0 where it has none.
static float heat_of(const BwCurve *temperature)
{
    return bw_curve_is_given(temperature) ? constant_or(temperature, INFINITY) : 0.0f;
}

// What emits fuel makes it as hot as what has burnt, once it is alight.
static float heat_of_emitter(const BwEmitterDef *emitter)
{
    return emitter == NULL                     ? 0.0f
           : bw_curve_is_given(&emitter->fuel) ? INFINITY
                                               : heat_of(&emitter->temperature);
}

// Of all that the scene heats by, but an obstacle's own fuel; K.
static float hottest_source(const BwSceneDef *def, int obstacle)
{
    float most = def->charge_count > 0 || def->initial.temperature.function != NULL ? INFINITY : 0.0f;
    for (int n = 0; n < def->emitter_count; n++)
        most = fmaxf(most, heat_of_emitter(&def->emitters[n]));
    for (int n = 0; n < def->fill_count; n++)
        most = fmaxf(most, def->fills[n].fuel > 0.0f ? INFINITY : def->fills[n].temperature);
    for (int n = 0; n < def->obstacle_count; n++) {
        const BwObstacleDef *other = &def->obstacles[n];
        most = fmaxf(most, fmaxf(heat_of_emitter(other->emit), heat_of(&other->temperature)));
        if (n != obstacle && other->fuel != NULL && other->fuel->lit.kind != BW_SHAPE_NONE)
            most = INFINITY;
    }
    for (int n = 0; n < BW_SIDE_COUNT && def->has_walls; n++)
        most = fmaxf(most, heat_of(&def->walls.side[n].temperature));
    return most;
}

bool bw_fuel_never_burns(const BwSceneDef *def, int obstacle, char *why, size_t size)
{
    const BwObstacleDef *solid = &def->obstacles[obstacle];
    const BwSolidFuelDef *fuel = solid->fuel;
    if (fuel == NULL)
        return false;
    double ignition = (double)ignition_of(def, fuel), held = (double)constant_or(&solid->temperature, NAN);
    bool is_lit = fuel->lit.kind != BW_SHAPE_NONE, is_held = bw_curve_is_given(&solid->temperature);
    double hottest = (double)hottest_source(def, obstacle);
    if (constant_or(&fuel->rate, 1.0f) == 0.0f)
        bw_text_print(why, size, "its rate is 0 m/s");
    else if (held < ignition)
        bw_text_print(why, size, "the obstacle is held at %g K, and its ignition is %g K", held, ignition);
    else if (is_lit && !is_held && lit_misses(solid, def->dimension) && hottest < ignition)
        bw_text_print(why, size, "lit lies beside the obstacle");
    else if (!is_lit && !is_held && fuel->heating == 0.0f)
        bw_text_print(why, size, "it is lit nowhere, and heating is 0");
    else if (!is_lit && !is_held && hottest < ignition)
        bw_text_print(why, size,
                      "it is lit nowhere, and nothing in the scene gets as hot as its ignition, %g K",
                      ignition);
    else
        return false;
    return true;
}
