// A field counts as given where it differs from its default.
#include "scene/liquid_doubts.h"

#include "scene/carried.h"
#include "scene/check.h"
#include "scene/curve.h"

// A yield stress alone does not flow: the exponent is that of what the viscosity adds.
static bool has_viscosity(const BwSceneDef *def)
{
    const BwCurve *viscosity = &def->liquid.viscosity;
    bool is_given =
        bw_curve_is_given(viscosity) && (viscosity->kind != BW_CURVE_CONSTANT || viscosity->value[0] > 0.0f);
    return is_given || bw_scene_varies_viscosity(def);
}

static bool is_heat_told(const BwSceneDef *def)
{
    return (bw_scene_carried(def) & BW_CARRIES_TEMPERATURE) != 0;
}

int bw_liquid_idle_fields(const BwSceneDef *def, BwIdleField list[BW_IDLE_FIELDS_MAX])
{
    const BwSceneDef defaults = bw_scene_def_default();
    const BwLiquidDef *liquid = &def->liquid, *plain = &defaults.liquid;
    const BwMeltDef *melt = &liquid->melt;
    static const char no_heat[] = " does nothing: no heat is conducted here without melt.viscosity_solid, "
                                  "melt.conductivity, or a wall or obstacle with a temperature";
    const bool is_cold = !bw_scene_conducts_in_liquid(def);
    const struct {
        BwIdleField field;
        bool is_idle;
    } cases[BW_IDLE_FIELDS_MAX] = {
        {{"contact_angle", " does nothing without surface_tension"},
         liquid->contact_angle != plain->contact_angle && !(liquid->surface_tension > 0.0f)},
        {{"shear_exponent", " does nothing without viscosity"},
         liquid->shear_exponent != plain->shear_exponent && !has_viscosity(def)},
        {{"heat_capacity", " does nothing: nothing here has a temperature"},
         liquid->heat_capacity != plain->heat_capacity && !is_heat_told(def)},
        {{"melt.latent_heat", no_heat}, is_cold && melt->latent_heat != plain->melt.latent_heat},
        {{"melt.heat_transfer", no_heat}, is_cold && melt->heat_transfer != plain->melt.heat_transfer},
        {{"melt.solid and melt.liquid", " do nothing without melt.viscosity_solid or heat"},
         is_cold && (melt->solid != plain->melt.solid || melt->liquid != plain->melt.liquid)},
    };
    int count = 0;
    for (int n = 0; n < BW_IDLE_FIELDS_MAX && def->fluid == BW_FLUID_LIQUID; n++)
        if (cases[n].is_idle)
            list[count++] = cases[n].field;
    return count;
}
