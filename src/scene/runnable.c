// What this version can run of what a scene may ask for. Grows with every solver and every kind of solid.
#include "scene/runnable.h"

#include "scene/walk.h"

// One line for each fluid that has a solver.
static bool fluid_exists(BwFluid fluid)
{
    switch (fluid) {
    case BW_FLUID_SMOKE:
    case BW_FLUID_STABLE:
        return true;
    default:
        return false;
    }
}

// A script's files are read with it; a C caller reads them before.
static BwResult check_shape_is_read(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                    const BwPlace *place, BwError *err)
{
    (void)walk;
    bool has_file = constructor->use == BW_USE_SHAPE && bw_field_find(constructor, "file") != NULL;
    if (!has_file || ((const BwShape *)def)->content != NULL)
        return BW_OK;
    return bw_fail_at(err, place, "content", "is not there; bw_shape_file_load reads a shape's file");
}

BwResult bw_refuse_gaps(const char *owner, const char *verb, const BwGap *gaps, BwError *err)
{
    for (const BwGap *gap = gaps; gap->field != NULL; gap++)
        if (gap->is_asked)
            return bw_fail(err, BW_ERR_SCENE, "%s%s%s cannot be %s by this version",
                           owner != NULL ? owner : "", owner != NULL ? "." : "", gap->field, verb);
    return BW_OK;
}

const char *const bw_side_owners[BW_SIDE_COUNT] = {"walls.left", "walls.right", "walls.bottom",
                                                   "walls.top",  "walls.back",  "walls.front"};

bool bw_asks_to_stick(const BwCurve *slip)
{
    return bw_curve_is_given(slip) && !(slip->kind == BW_CURVE_CONSTANT && slip->value[0] == 1.0f);
}

bool bw_asks_for_color(const float color[3])
{
    return color[0] != 1.0f || color[1] != 1.0f || color[2] != 1.0f;
}

static BwResult check_output(const BwOutputDef *output, BwError *err)
{
    const BwGap gaps[] = {
        {"mesh", output->mesh},
        {"particles", output->particles},
        {NULL, false},
    };
    return bw_refuse_gaps("output", "written", gaps, err);
}

BwResult bw_scene_def_check_runnable(const BwSceneDef *def, BwError *err)
{
#define X(name, text) text,
    static const char *const names[] = {BW_FLUIDS(X)};
#undef X
    if (def == NULL)
        return bw_fail(err, BW_ERR_DEF, "the BwSceneDef is NULL");
    if (!fluid_exists(def->fluid))
        return bw_fail(err, BW_ERR_SCENE, "fluid \"%s\" cannot be run by this version", names[def->fluid]);
    if (def->fluid == BW_FLUID_SMOKE)
        BW_TRY(bw_check_smoke_runnable(def, err));
    if (def->fluid == BW_FLUID_STABLE)
        BW_TRY(bw_check_stable_runnable(def, err));
    BW_TRY(check_output(&def->output, err));
    BwWalk walk = {.visit_def = check_shape_is_read};
    return bw_walk_scene(&walk, def, NULL, err);
}
