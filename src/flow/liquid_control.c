// Curves of surface controls.
#include "flow/liquid_control.h"

#include "flow/scene_sources.h"
#include "scene/curve.h"

#include <math.h>

BwResult bw_liquid_controls_create(BwLiquidControls *controls, const BwFlow *flow, BwError *err)
{
    size_t count = (size_t)flow->scene->surface_control_count;
    *controls = (BwLiquidControls){.flow = flow};
    if (count == 0)
        return BW_OK;
    controls->list = bw_alloc(&flow->allocator, count * sizeof *controls->list, BW_ALIGN);
    return controls->list == NULL ? bw_fail_memory(err) : BW_OK;
}

void bw_liquid_controls_destroy(BwLiquidControls *controls)
{
    if (controls->list != NULL)
        bw_free(&controls->flow->allocator, controls->list,
                (size_t)controls->flow->scene->surface_control_count * sizeof *controls->list, BW_ALIGN);
}

static BwResult control_at(const BwSurfaceControlDef *def, const BwSceneDef *scene, double time,
                           BwSurfaceControl *control, BwError *err)
{
    BwForceDef churn = bw_force_def_default();
    churn.field = BW_FORCE_TURBULENCE;
    churn.strength = def->strength;
    churn.scale = def->scale;
    churn.speed = def->speed;
    *control = (BwSurfaceControl){.shape = def->shape.kind != BW_SHAPE_NONE ? &def->shape : NULL};
    BW_TRY(bw_scene_force_at(&churn, scene, time, &control->churn, err));
    BW_TRY(bw_curve_vector_at(&def->velocity, time, &control->velocity, err));
    BW_TRY(bw_curve_number_at(&def->blend, time, 0.0f, &control->blend, err));
    return bw_curve_number_at(&def->drag, time, 0.0f, &control->drag, err);
}

BwResult bw_liquid_controls_plan(BwLiquidControls *controls, double time, BwError *err)
{
    const BwSceneDef *scene = controls->flow->scene;
    controls->count = 0;
    for (int n = 0; n < scene->surface_control_count; n++)
        if (bw_is_on(scene->surface_controls[n].start, scene->surface_controls[n].stop, time))
            BW_TRY(control_at(&scene->surface_controls[n], scene, time, &controls->list[controls->count++],
                              err));
    return BW_OK;
}

float bw_liquid_controls_air_speed(const BwLiquidControls *controls)
{
    float most = 0.0f;
    for (int n = 0; n < controls->count; n++)
        most = fmaxf(most, controls->list[n].blend * bw_surface_control_speed(&controls->list[n]));
    return most;
}

BwResult bw_liquid_controls_add_speed(const BwSceneDef *scene, double time, float *air, float *liquid,
                                      BwError *err)
{
    for (int n = 0; n < scene->surface_control_count; n++) {
        const BwSurfaceControlDef *def = &scene->surface_controls[n];
        BwSurfaceControl control;
        if (!bw_is_on(def->start, def->stop, time))
            continue;
        BW_TRY(control_at(def, scene, time, &control, err));
        float speed = bw_surface_control_speed(&control);
        *air = fmaxf(*air, control.blend * speed);
        *liquid = fmaxf(*liquid, speed);
    }
    return BW_OK;
}
