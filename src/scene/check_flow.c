// A flow that a scene gives leaves nothing to solve for. What would push the fluid, resist it or bring more
// of it at a speed of its own would be read and never used, which hides a mistake: it is refused.
#include "scene/check.h"

#include <math.h>

// Something that a given flow has no use for, where it is in the scene.
typedef struct Unused {
    bool is_there;
    const char *constructor, *field; // no field: all of the first one of them
} Unused;

static BwResult refuse_first(const Unused *list, int count, const BwOrigins *origins, BwError *err)
{
    for (int n = 0; n < count; n++) {
        BwPlace place = bw_origin(origins, bw_constructor_find(list[n].constructor), 0);
        if (list[n].is_there)
            return bw_fail_at(err, &place, list[n].field,
                              "is given, and flow.velocity says how the fluid moves; leave one out");
    }
    return BW_OK;
}

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

// A wish of the scene: neither the default, which nobody has asked for, nor none at all.
static bool asks_for_gravity(const BwCurve *gravity)
{
    const BwCurve plain = bw_scene_def_default().gravity;
    if (gravity->kind != BW_CURVE_CONSTANT)
        return bw_curve_is_given(gravity);
    bool is_plain = true, is_none = true;
    for (int a = 0; a < 3; a++) {
        is_plain &= gravity->value[a] == plain.value[a];
        is_none &= gravity->value[a] == 0.0f;
    }
    return !is_plain && !is_none;
}

static BwResult check_of_all(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    const Unused list[] = {
        {asks_for_gravity(&def->gravity), "scene", "gravity"},
        {def->initial.velocity.function != NULL, "initial", "velocity"},
        {def->pump_count > 0, "pump", NULL},
        {def->body_count > 0, "body", NULL},
        {def->force_count > 0, "force", NULL},
        {def->charge_count > 0, "charge", NULL},
        {def->surface_control_count > 0, "surface_control", NULL},
        {def->surface_pressure_count > 0, "surface_pressure", NULL},
    };
    return refuse_first(list, COUNT(list), origins, err);
}

static BwResult check_of_liquid(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    const BwLiquidDef *liquid = &def->liquid, plain = bw_scene_def_default().liquid;
    bool is_viscous = liquid->viscosity.kind != BW_CURVE_CONSTANT || liquid->viscosity.value[0] != 0.0f;
    const Unused list[] = {
        {def->emitter_count > 0, "emitter", NULL},
        {def->sink_count > 0, "sink", NULL},
        {liquid->method == BW_LIQUID_HEIGHT, "liquid", "method"},
        {liquid->scheme == BW_SCHEME_EXPLICIT, "liquid", "scheme"},
        {is_viscous, "liquid", "viscosity"},
        {liquid->yield_stress != 0.0f, "liquid", "yield_stress"},
        {liquid->shear_exponent != plain.shear_exponent, "liquid", "shear_exponent"},
        {liquid->surface_tension != 0.0f, "liquid", "surface_tension"},
        {liquid->contact_angle != plain.contact_angle, "liquid", "contact_angle"},
        {liquid->confinement != 0.0f, "liquid", "confinement"},
        {liquid->narrow_band > 0.0f, "liquid", "narrow_band"},
        {liquid->elastic.modulus != 0.0f, "liquid", "elastic"},
        {liquid->melt.viscosity_solid != 0.0f, "liquid", "melt"},
    };
    return refuse_first(list, COUNT(list), origins, err);
}

static BwResult check_of_smoke(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    const BwSmokeDef *smoke = &def->smoke, plain = bw_scene_def_default().smoke;
    const BwCurve *wind = &smoke->wind;
    bool has_wind = wind->kind != BW_CURVE_CONSTANT && bw_curve_is_given(wind);
    for (int a = 0; a < 3 && wind->kind == BW_CURVE_CONSTANT; a++)
        has_wind |= wind->value[a] != 0.0f;
    const Unused list[] = {
        {has_wind, "smoke", "wind"},
        {smoke->viscosity != 0.0f, "smoke", "viscosity"},
        {smoke->subgrid != plain.subgrid, "smoke", "subgrid"},
        {smoke->confinement != plain.confinement, "smoke", "confinement"},
        {!isnan(smoke->buoyancy_heat), "smoke", "buoyancy_heat"},
        {smoke->buoyancy_weight != plain.buoyancy_weight, "smoke", "buoyancy_weight"},
        {smoke->advection == BW_ADVECT_REFLECTION, "smoke", "advection"},
    };
    return refuse_first(list, COUNT(list), origins, err);
}

// Of lists, the one that has a velocity of its own.
static BwResult check_velocities(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    static const char text[] = "is given, and flow.velocity says how the fluid moves; leave one out";
    for (int n = 0; n < def->fill_count; n++) {
        BwPlace place = bw_origin(origins, bw_constructor_find("fill"), n);
        if (bw_length(def->fills[n].velocity) != 0.0f)
            return bw_fail_at(err, &place, "velocity", text);
    }
    for (int n = 0; n < def->emitter_count; n++) {
        BwPlace place = bw_origin(origins, bw_constructor_find("emitter"), n);
        if (bw_curve_is_given(&def->emitters[n].velocity))
            return bw_fail_at(err, &place, "velocity", text);
    }
    return BW_OK;
}

BwResult bw_check_given_flow(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    const BwConstructor *flow = bw_constructor_find("flow");
    if (!bw_curve_is_given(&def->flow.velocity)) {
        BwPlace place = bw_origin(origins, flow, 0);
        if (origins != NULL && origins->lines[flow - bw_constructors] != NULL)
            return bw_fail_at(
                err, &place, "velocity",
                "is missing; it must be a vector {x, y, z} (m/s), keys or a function(x, y, z, t)");
        return BW_OK;
    }
    BW_TRY(check_of_all(def, origins, err));
    if (def->fluid == BW_FLUID_LIQUID)
        BW_TRY(check_of_liquid(def, origins, err));
    if (def->fluid == BW_FLUID_SMOKE)
        BW_TRY(check_of_smoke(def, origins, err));
    return check_velocities(def, origins, err);
}
