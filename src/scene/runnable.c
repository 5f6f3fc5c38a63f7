// Whether this version can run a scene: what it does not do at all is in the table of gaps; here is what it
// does only of some shapes and places.
#include "scene/fuel.h"
#include "scene/gaps.h"
#include "scene/gas.h"
#include "scene/walk.h"
#include <billow/shape.h>

#include <math.h>

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

static const char *const side_names[BW_SIDE_COUNT] = {"left", "right", "bottom", "top", "back", "front"};

// A flat emitter drives the air through itself: there must be air behind it, or half of a cell of it.
static BwResult check_flat_on_wall(const BwSceneDef *def, const BwEmitterDef *emitter, BwError *err)
{
    if (!def->has_walls || !bw_shape_is_flat(&emitter->shape))
        return BW_OK;
    BwBox box = bw_shape_bounds(&emitter->shape);
    const BwWallsDef *walls = &def->walls;
    const float low[3] = {box.low.x, box.low.y, box.low.z}, high[3] = {box.high.x, box.high.y, box.high.z};
    const float ends[2][3] = {{walls->min.x, walls->min.y, walls->min.z},
                              {walls->max.x, walls->max.y, walls->max.z}};
    for (int side = 0; side < 2 * def->dimension; side++) {
        int axis = side / 2;
        bool is_level = high[axis] - low[axis] < 0.1f * def->cell;
        bool is_on = fabsf(low[axis] - ends[side % 2][axis]) < 0.6f * def->cell;
        if (is_level && is_on && !walls->periodic[axis] && walls->side[side].kind == BW_WALL_CLOSED)
            return bw_fail(err, BW_ERR_SCENE,
                           "emitter.shape is flat and lies on walls.%s, which lets no air through to it; "
                           "move it a cell (%g m) away",
                           side_names[side], (double)def->cell);
    }
    return BW_OK;
}

// A fluid is followed wherever there is a source of it, so without walls a source must end somewhere.
static BwResult check_has_end(const BwSceneDef *def, const BwShape *shape, const char *owner, BwError *err)
{
    BwBox box = bw_shape_bounds(shape);
    bool is_endless = isinf(box.high.x - box.low.x) || isinf(box.high.y - box.low.y) ||
                      (def->dimension == 3 && isinf(box.high.z - box.low.z));
    if (def->has_walls || bw_box_is_empty(box) || !is_endless)
        return BW_OK;
    return bw_fail(err, BW_ERR_SCENE,
                   "%s has no end; without walls { min, max } the %s would have none either", owner,
                   def->fluid == BW_FLUID_LIQUID ? "liquid"
                   : def->fluid == BW_FLUID_FIRE ? "fire"
                                                 : "smoke");
}

// Its surface is cut into patches, and gas that leaves it is lighter than it was.
static BwResult check_solid_fuel(const BwSceneDef *def, const BwObstacleDef *obstacle, BwError *err)
{
    if (obstacle->fuel == NULL)
        return BW_OK;
    BwBox box = bw_shape_bounds(&obstacle->shape);
    bool is_endless = isinf(box.high.x - box.low.x) || isinf(box.high.y - box.low.y) ||
                      (def->dimension == 3 && isinf(box.high.z - box.low.z));
    float gas = bw_fuel_numbers(&def->fire.fuel).density;
    if (is_endless && !bw_box_is_empty(box))
        return bw_fail(err, BW_ERR_SCENE, "obstacle.shape has no end; one that burns must have one");
    if (bw_shape_is_flat(&obstacle->shape))
        return bw_fail(err, BW_ERR_SCENE, "obstacle.shape is flat; one that burns must have an inside");
    if (!(obstacle->fuel->density > gas))
        return bw_fail(err, BW_ERR_SCENE,
                       "obstacle.fuel.density is %g kg/m^3; it must be above that of its gas, "
                       "fire.fuel.density, %g kg/m^3",
                       (double)obstacle->fuel->density, (double)gas);
    return BW_OK;
}

static BwResult check_sources_end(const BwSceneDef *def, BwError *err)
{
    for (int n = 0; n < def->emitter_count; n++)
        BW_TRY(check_has_end(def, &def->emitters[n].shape, "emitter.shape", err));
    for (int n = 0; n < def->pump_count; n++)
        BW_TRY(check_has_end(def, &def->pumps[n].shape, "pump.shape", err));
    for (int n = 0; n < def->charge_count; n++)
        BW_TRY(check_has_end(def, &def->charges[n].shape, "charge.shape", err));
    for (int n = 0; n < def->fill_count; n++)
        BW_TRY(check_has_end(def, &def->fills[n].shape, "fill.shape", err));
    for (int n = 0; n < def->obstacle_count; n++)
        BW_TRY(check_solid_fuel(def, &def->obstacles[n], err));
    for (int n = 0; n < def->obstacle_count; n++)
        if (def->obstacles[n].emit != NULL)
            BW_TRY(check_has_end(def, &def->obstacles[n].shape, "obstacle.shape, which emits,", err));
    return BW_OK;
}

// Heat alone is no liquid that could carry it.
static BwResult check_gives_liquid(const BwEmitterDef *emitter, BwError *err)
{
    if (emitter->kind == BW_EMIT_BLOB || bw_curve_is_given(&emitter->velocity) ||
        bw_curve_is_given(&emitter->flow))
        return BW_OK;
    return bw_fail(err, BW_ERR_SCENE, "emitter gives no liquid; give it velocity, flow or kind = \"blob\"");
}

// Gas that expands pushes something out.
static BwResult check_not_sealed(const BwSceneDef *def, BwError *err)
{
    if (!def->has_walls || bw_scene_gas(def)->envelope != 0.0f || !bw_scene_expands(def))
        return BW_OK;
    for (int side = 0; side < 2 * def->dimension; side++) {
        const BwWallSideDef *wall = &def->walls.side[side];
        bool lets_out = wall->kind == BW_WALL_OPEN || wall->kind == BW_WALL_OUTFLOW ||
                        bw_curve_is_given(&wall->kind_curve);
        if (lets_out && !def->walls.periodic[side / 2])
            return BW_OK;
    }
    return bw_fail(err, BW_ERR_SCENE,
                   "walls: the box is sealed, and %s makes gas expand, which has nowhere to go; make a side, "
                   "or a part of one, \"open\"%s",
                   def->charge_count > 0 ? "charge" : "fire",
                   def->charge_count == 0 && !bw_scene_has_solid_fuel(def) &&
                           def->fire.model == BW_FIRE_SIMPLE
                       ? ", or set fire.expansion = 0"
                       : "");
}

static BwResult check_places(const BwSceneDef *def, BwError *err)
{
    if (def->fluid == BW_FLUID_STABLE && !def->has_walls)
        return bw_fail(err, BW_ERR_SCENE,
                       "fluid \"stable\" lives in a box; the scene needs walls { min, max }");
    for (int n = 0; n < def->emitter_count && bw_is_gas(def->fluid); n++)
        BW_TRY(check_flat_on_wall(def, &def->emitters[n], err));
    for (int n = 0; n < def->emitter_count && def->fluid == BW_FLUID_LIQUID; n++)
        BW_TRY(check_gives_liquid(&def->emitters[n], err));
    if (bw_is_gas(def->fluid) || def->fluid == BW_FLUID_LIQUID)
        BW_TRY(check_sources_end(def, err));
    if (bw_is_gas(def->fluid))
        BW_TRY(check_not_sealed(def, err));
    return BW_OK;
}

BwResult bw_scene_def_check_runnable(const BwSceneDef *def, BwError *err)
{
    if (def == NULL)
        return bw_fail(err, BW_ERR_DEF, "the BwSceneDef is NULL");
    BW_TRY(bw_check_gaps(def, err));
    BW_TRY(check_places(def, err));
    BwWalk walk = {.visit_def = check_shape_is_read};
    return bw_walk_scene(&walk, def, NULL, err);
}
