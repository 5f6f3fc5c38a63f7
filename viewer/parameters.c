// The sliders of a scene: gravity, and the numbers of its fluid that may change while it runs.
#include "viewer_state.h"

#include <stddef.h>

// The slider of gravity has no number of its own.
enum { GRAVITY = -1 };

typedef struct Parameter {
    BwFluid fluid;
    int number; // a BwLiveNumber
    const char *name, *unit;
    size_t offset; // of the scene's value
    float low, high;
    bool is_logarithmic;
} Parameter;

#define AT(field) offsetof(BwSceneDef, field)

static const Parameter parameters[] = {
    {BW_FLUID_STABLE, BW_LIVE_STABLE_CONFINEMENT, "confinement", "1/s", AT(stable.confinement), 0, 10, false},
    {BW_FLUID_STABLE, BW_LIVE_STABLE_VISCOSITY, "viscosity", "m^2/s", AT(stable.viscosity), 0, 0.1f, true},
    {BW_FLUID_STABLE, BW_LIVE_STABLE_DIFFUSION, "diffusion", "m^2/s", AT(stable.diffusion), 0, 0.1f, true},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_BUOYANCY_WEIGHT, "weight", "m/s^2", AT(smoke.buoyancy_weight), -5, 5,
     false},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_DISSIPATION, "dissipation", "1/s", AT(smoke.dissipation), 0, 5, true},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_COOLING, "cooling", "1/s", AT(smoke.cooling), 0, 5, true},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_CONFINEMENT, "confinement", "1/s", AT(smoke.confinement), 0.01f, 20,
     false},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_VISCOSITY, "viscosity", "m^2/s", AT(smoke.viscosity), 1e-6f, 0.1f, true},
    {BW_FLUID_SMOKE, BW_LIVE_SMOKE_SUBGRID, "subgrid", "", AT(smoke.subgrid), 0.01f, 1, false},
    {BW_FLUID_LIQUID, BW_LIVE_LIQUID_FLIP_RATIO, "FLIP's share", "", AT(liquid.flip_ratio), 0, 1, false},
    {BW_FLUID_LIQUID, BW_LIVE_LIQUID_VOLUME_CORRECTION, "volume correction", "", AT(liquid.volume_correction),
     0.01f, 1, false},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

// Numbers that nothing was prepared for, because the scene has 0, and those of other methods have no slider.
static bool is_offered(const BwSceneDef *scene, const Parameter *parameter, float value)
{
    bool is_prepared = parameter->low > 0.0f;
    bool is_flip = parameter->number != BW_LIVE_LIQUID_FLIP_RATIO || scene->liquid.method == BW_LIQUID_FLIP;
    return parameter->fluid == scene->fluid && is_flip && (!is_prepared || value > 0.0f);
}

static void add_gravity(Viewer *viewer, const BwSceneDef *scene)
{
    Slider slider = {.name = "gravity", .unit = "m/s^2", .low = -20.0f, .high = 20.0f, .id = GRAVITY};
    if (scene->fluid == BW_FLUID_STABLE || scene->gravity.kind != BW_CURVE_CONSTANT)
        return;
    slider.value = scene->gravity.value[1];
    panel_add(&viewer->panel, slider);
}

void viewer_add_sliders(Viewer *viewer)
{
    const BwSceneDef *scene = stage_scene(viewer->stage);
    panel_clear(&viewer->panel);
    if (viewer->def.simulation.recording != NULL)
        return;
    add_gravity(viewer, scene);
    for (int n = 0; n < PARAMETERS; n++) {
        const Parameter *p = &parameters[n];
        float value;
        memcpy(&value, (const char *)scene + p->offset, sizeof value);
        if (is_offered(scene, p, value))
            panel_add(&viewer->panel,
                      (Slider){p->name, p->unit, value, p->low, p->high, p->is_logarithmic, p->number});
    }
}

void viewer_set_number(Viewer *viewer, int slider, float value)
{
    int id = viewer->panel.list[slider].id;
    if (id == GRAVITY)
        simulation_set_gravity(viewer->simulation, bw_vec3(0.0f, value, 0.0f));
    else
        simulation_set_number(viewer->simulation, (BwLiveNumber)id, value);
}
