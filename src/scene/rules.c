// Rules between the fields of one constructor. Each field alone is already good when they run.
#include "scene/rules.h"

#include "scene/carried.h"
#include "scene/fuel.h"

#include <billow/scene.h>
#include <math.h>

BwResult bw_rule_scene(const void *def, const BwPlace *place, BwError *err)
{
    const BwSceneDef *scene = def;
    if (scene->dt_min > scene->dt_max)
        return bw_fail_at(err, place, "dt_min",
                          "is %g s, scene.dt_max is %g s; dt_min must not be above dt_max", scene->dt_min,
                          scene->dt_max);
    if (scene->duration * scene->fps > 1e6)
        return bw_fail_at(err, place, "duration",
                          "is %g s; at %g frames per second that is more than a million frames",
                          scene->duration, scene->fps);
    return BW_OK;
}

static BwResult check_walls_axis(const BwWallsDef *walls, int axis, const BwPlace *place, BwError *err)
{
    static const char *const side_names[] = {"left", "right", "bottom", "top", "back", "front"};
    static const char axis_names[] = "xyz";
    const float low[3] = {walls->min.x, walls->min.y, walls->min.z};
    const float high[3] = {walls->max.x, walls->max.y, walls->max.z};
    bool flat = axis == 2 && low[2] == 0.0f && high[2] == 0.0f; // a 2-D scene; check_walls_depth knows
    if (!flat && !(high[axis] > low[axis]))
        return bw_fail_at(err, place, "max", "has %c = %g, min has %c = %g; max must be above min",
                          axis_names[axis], (double)high[axis], axis_names[axis], (double)low[axis]);
    for (int side = 2 * axis; side <= 2 * axis + 1 && walls->periodic[axis]; side++)
        if (walls->side[side].kind != BW_WALL_CLOSED || bw_curve_is_given(&walls->side[side].kind_curve))
            return bw_fail_at(err, place, side_names[side], "is given, and %c is periodic; leave one out",
                              axis_names[axis]);
    return BW_OK;
}

// What a constant velocity of a wall has across it.
static BwResult check_lid(const BwWallSideDef *side, int number, const BwPlace *place, BwError *err)
{
    static const char *const names[] = {"left", "right", "bottom", "top", "back", "front"};
    bool is_wall = side->kind == BW_WALL_CLOSED && !bw_curve_is_given(&side->kind_curve);
    if (is_wall && side->velocity.kind == BW_CURVE_CONSTANT && side->velocity.value[number / 2] != 0.0f)
        return bw_fail_at(err, place, names[number],
                          "is a wall with velocity %g m/s across itself; a wall moves along itself only",
                          (double)side->velocity.value[number / 2]);
    return BW_OK;
}

BwResult bw_rule_walls(const void *def, const BwPlace *place, BwError *err)
{
    for (int axis = 0; axis < 3; axis++)
        BW_TRY(check_walls_axis(def, axis, place, err));
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        BW_TRY(check_lid(&((const BwWallsDef *)def)->side[side], side, place, err));
    return BW_OK;
}

BwResult bw_rule_side(const void *def, const BwPlace *place, BwError *err)
{
    const BwWallSideDef *side = def;
    if (side->kind == BW_WALL_INFLOW && !bw_curve_is_given(&side->velocity))
        return bw_fail_at(err, place, "velocity", "is missing; an inflow needs it");
    if (bw_curve_is_given(&side->kind_curve))
        return BW_OK;
    bool is_outflow = side->kind == BW_WALL_OUTFLOW;
    if ((is_outflow || side->kind == BW_WALL_OPEN) && bw_curve_is_given(&side->velocity))
        return bw_fail_at(err, place, "velocity", "is given, but the side is %s; an inflow or a wall has one",
                          is_outflow ? "an outflow" : "open");
    if (side->kind != BW_WALL_INFLOW && bw_color_is_given(side->color))
        return bw_fail_at(err, place, "color", "is given; only what flows in has one");
    if (is_outflow && bw_curve_is_given(&side->temperature))
        return bw_fail_at(err, place, "temperature", "is given, but nothing comes in through an outflow");
    return BW_OK;
}

// What a flat shape lets out is its area times the speed across it; all else would depend on the cell.
static BwResult check_flat_emitter(const BwEmitterDef *emitter, const BwPlace *place, BwError *err)
{
    if (!bw_shape_is_flat(&emitter->shape))
        return BW_OK;
    if (bw_curve_is_given(&emitter->density_rate))
        return bw_fail_at(err, place, "density_rate",
                          "is given, and the shape is flat: it has no volume to fill; give density and "
                          "velocity, or a shape with an inside");
    if (emitter->falloff != 0.0f)
        return bw_fail_at(err, place, "falloff",
                          "is given, and the shape is flat: it has no inside for a soft edge");
    if (!bw_curve_is_given(&emitter->velocity) && !bw_curve_is_given(&emitter->flow))
        return bw_fail_at(err, place, "velocity",
                          "is missing, and the shape is flat: without a flow across it nothing comes out; "
                          "give velocity, or a shape with an inside");
    return BW_OK;
}

BwResult bw_rule_fill(const void *def, const BwPlace *place, BwError *err)
{
    if (bw_shape_is_flat(&((const BwFillDef *)def)->shape))
        return bw_fail_at(err, place, "shape", "is flat: it has no volume to fill");
    return BW_OK;
}

// A blob is its shape; a spout has a direction, and a speed that its area makes a flow, or the other way.
static BwResult check_emitter_kind(const BwEmitterDef *emitter, const BwPlace *place, BwError *err)
{
    bool has_flow = bw_curve_is_given(&emitter->flow), has_velocity = bw_curve_is_given(&emitter->velocity),
         is_flat = bw_shape_is_flat(&emitter->shape), is_blob = emitter->kind == BW_EMIT_BLOB,
         is_spout = emitter->kind == BW_EMIT_SPOUT;
    if (is_blob && is_flat)
        return bw_fail_at(err, place, "shape", "is flat: a blob of it has no volume");
    if (is_blob && has_flow)
        return bw_fail_at(err, place, "flow", "is given; a blob is its shape full, once");
    if (has_flow && has_velocity && (is_flat || is_spout))
        return bw_fail_at(err, place, "flow",
                          "is given, and so is velocity: either follows from the other by the area");
    if (is_spout && !has_velocity && !(has_flow && is_flat))
        return bw_fail_at(err, place, "velocity",
                          "is missing; a spout needs it, or flow and a flat shape whose normal is its way");
    if (emitter->spread != 0.0f && !is_spout)
        return bw_fail_at(err, place, "spread", "is given; only kind = \"spout\" has a use for it");
    return BW_OK;
}

BwResult bw_rule_emitter(const void *def, const BwPlace *place, BwError *err)
{
    const BwEmitterDef *emitter = def;
    BW_TRY(check_emitter_kind(emitter, place, err));
    return check_flat_emitter(emitter, place, err);
}

BwResult bw_rule_emit(const void *def, const BwPlace *place, BwError *err)
{
    if (((const BwEmitterDef *)def)->shape.kind != BW_SHAPE_NONE)
        return bw_fail_at(err, place, "shape", "is given; leave it out, the obstacle's own surface emits");
    if (((const BwEmitterDef *)def)->falloff != 0.0f)
        return bw_fail_at(err, place, "falloff", "is given; what a surface emits has no soft edge");
    if (bw_curve_is_given(&((const BwEmitterDef *)def)->offset))
        return bw_fail_at(err, place, "offset", "is given; what a surface emits moves with its obstacle");
    return bw_rule_emitter(def, place, err);
}

// A force of one field has no use for another's numbers: leaving them in would hide a mistake.
static BwResult check_force_field(const BwCurve *curve, const char *name, bool needed, const BwPlace *place,
                                  BwError *err)
{
    if (needed && !bw_curve_is_given(curve))
        return bw_fail_at(err, place, name, "is missing; this field needs it");
    if (!needed && bw_curve_is_given(curve))
        return bw_fail_at(err, place, name, "is given; this field has no use for it");
    return BW_OK;
}

BwResult bw_rule_force(const void *def, const BwPlace *place, BwError *err)
{
    const BwForceDef *force = def;
    bool is_uniform = force->field == BW_FORCE_UNIFORM;
    bool has_center = force->field == BW_FORCE_POINT || force->field == BW_FORCE_VORTEX;
    BW_TRY(check_force_field(&force->acceleration, "acceleration", is_uniform, place, err));
    BW_TRY(check_force_field(&force->strength, "strength", !is_uniform, place, err));
    BW_TRY(check_force_field(&force->center, "center", has_center, place, err));
    if (force->field != BW_FORCE_VORTEX)
        BW_TRY(check_force_field(&force->axis, "axis", false, place, err));
    if (!has_center && force->radius != bw_force_def_default().radius)
        return bw_fail_at(err, place, "radius", "is given; this field has no use for it");
    const BwForceDef standard = bw_force_def_default();
    if (force->field != BW_FORCE_TURBULENCE && force->scale != standard.scale)
        return bw_fail_at(err, place, "scale", "is given; only turbulence has a use for it");
    if (force->field != BW_FORCE_TURBULENCE && force->speed != standard.speed)
        return bw_fail_at(err, place, "speed", "is given; only turbulence has a use for it");
    return BW_OK;
}

BwResult bw_rule_surface_control(const void *def, const BwPlace *place, BwError *err)
{
    const BwSurfaceControlDef *control = def, plain = bw_surface_control_def_default();
    bool is_wind = control->kind == BW_CONTROL_WIND, is_churn = control->kind == BW_CONTROL_CHURN;
    const struct {
        const char *field, *kind;
        bool is_needed, is_given, is_used;
    } cases[] = {
        {"velocity", "wind", is_wind, bw_curve_is_given(&control->velocity), is_wind},
        {"strength", "churn", is_churn, bw_curve_is_given(&control->strength), is_churn},
        {"scale", "churn", false, control->scale != plain.scale, is_churn},
        {"speed", "churn", false, control->speed != plain.speed, is_churn},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        if (cases[n].is_needed && !cases[n].is_given)
            return bw_fail_at(err, place, cases[n].field, "is missing; kind = \"%s\" needs it",
                              cases[n].kind);
        if (cases[n].is_given && !cases[n].is_used)
            return bw_fail_at(err, place, cases[n].field, "is given; only kind = \"%s\" has a use for it",
                              cases[n].kind);
    }
    return BW_OK;
}

BwResult bw_rule_solver(const void *def, const BwPlace *place, BwError *err)
{
    const BwSolverDef *solver = def;
    if (solver->pressure != BW_PRESSURE_RELAXATION &&
        solver->relaxation != bw_scene_def_default().solver.relaxation)
        return bw_fail_at(err, place, "relaxation",
                          "is given; only pressure = \"relaxation\" has a use for it");
    return BW_OK;
}

static bool is_level_set(const BwLiquidDef *liquid)
{
    return liquid->method == BW_LIQUID_LEVELSET || liquid->method == BW_LIQUID_PARTICLE_LEVELSET;
}

// What only level sets have, and what only particles that carry the liquid have.
static BwResult check_method(const BwLiquidDef *liquid, const BwLiquidDef *plain, const BwPlace *place,
                             BwError *err)
{
    bool is_level = is_level_set(liquid), is_height = liquid->method == BW_LIQUID_HEIGHT,
         has_none = is_level || is_height || liquid->method == BW_LIQUID_CHAIN,
         has_guards = liquid->method == BW_LIQUID_PARTICLE_LEVELSET;
    const struct {
        const char *field;
        bool is_wrong;
        const char *users;
    } cases[] = {
        {"advection", !is_level && liquid->advection != plain->advection, "level sets have"},
        {"redistance", !is_level && liquid->redistance != plain->redistance, "level sets have"},
        {"correction_side", !has_guards && liquid->correction_side != plain->correction_side,
         "method = \"particle_levelset\" has"},
        {"surface_particles", !has_guards && liquid->surface_particles != plain->surface_particles,
         "method = \"particle_levelset\" has"},
        {"donor_cell", liquid->scheme != BW_SCHEME_EXPLICIT && !isnan(liquid->donor_cell),
         "scheme = \"explicit\" has"},
        {"outflow", liquid->scheme != BW_SCHEME_EXPLICIT && liquid->outflow != plain->outflow,
         "scheme = \"explicit\" has"},
        {"narrow_band", has_none && !isnan(liquid->narrow_band), "liquids carried by particles have"},
        {"particles_per_cell", has_none && liquid->particles_per_cell != plain->particles_per_cell,
         "liquids carried by particles have"},
        {"seeding", has_none && liquid->seeding != plain->seeding, "liquids carried by particles have"},
        {"volume_correction", is_height && liquid->volume_correction != plain->volume_correction,
         "liquids carried by particles or level sets have"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        if (cases[n].is_wrong)
            return bw_fail_at(err, place, cases[n].field, "is given; only %s a use for it", cases[n].users);
    return BW_OK;
}

// The force is a part of the coupled viscous solve, of one viscosity.
static BwResult check_elastic(const BwLiquidDef *liquid, const BwLiquidDef *plain, const BwPlace *place,
                              BwError *err)
{
    const BwElasticDef *elastic = &liquid->elastic;
    if (elastic->modulus > 0.0f && (liquid->method == BW_LIQUID_HEIGHT || liquid->method == BW_LIQUID_CHAIN))
        return bw_fail_at(err, place, "elastic", "is given; a %s has nothing to carry its strain",
                          liquid->method == BW_LIQUID_CHAIN ? "chain" : "height field");
    if (elastic->modulus > 0.0f && liquid->viscosity_scheme != BW_VISCOSITY_COUPLED)
        return bw_fail_at(err, place, "viscosity_scheme",
                          "is \"components\"; an elastic liquid has to couple them");
    if (elastic->modulus > 0.0f && liquid->melt.viscosity_solid > 0.0f)
        return bw_fail_at(err, place, "melt", "is given, and so is elastic: it does either");
    if (elastic->modulus > 0.0f && (liquid->yield_stress > 0.0f || liquid->shear_exponent != 1.0f))
        return bw_fail_at(err, place, liquid->yield_stress > 0.0f ? "yield_stress" : "shear_exponent",
                          "is given, and so is elastic: use elastic.yield");
    if (!(elastic->modulus > 0.0f) &&
        (elastic->yield != plain->elastic.yield || elastic->flow != plain->elastic.flow))
        return bw_fail_at(err, place, "elastic", "has no modulus; yield and flow have no use without");
    return BW_OK;
}

// What has no use without drops.
static BwResult check_spray(const BwLiquidDef *liquid, const BwLiquidDef *plain, const BwPlace *place,
                            BwError *err)
{
    const BwSprayDef *spray = &liquid->spray, *unset = &plain->spray;
    bool is_told = spray->rate != unset->rate || spray->radius != unset->radius ||
                   spray->spread != unset->spread || spray->breakup != unset->breakup ||
                   spray->drag != unset->drag || bw_curve_is_given(&spray->wind) ||
                   spray->life != unset->life || spray->count_max != unset->count_max;
    if (!(spray->speed > 0.0f) && is_told)
        return bw_fail_at(err, place, "spray", "has no speed at which the surface throws drops");
    if (!(spray->speed > 0.0f) &&
        (liquid->foam.life != plain->foam.life || liquid->foam.spread != plain->foam.spread))
        return bw_fail_at(err, place, "foam", "is given without spray, which leaves it");
    return BW_OK;
}

BwResult bw_rule_liquid(const void *def, const BwPlace *place, BwError *err)
{
    const BwLiquidDef *liquid = def;
    BwLiquidDef plain = bw_scene_def_default().liquid;
    if (liquid->method != BW_LIQUID_FLIP && liquid->flip_ratio != plain.flip_ratio)
        return bw_fail_at(err, place, "flip_ratio", "is given; only method = \"flip\" has a use for it");
    BW_TRY(check_elastic(liquid, &plain, place, err));
    BW_TRY(check_spray(liquid, &plain, place, err));
    return check_method(liquid, &plain, place, err);
}

BwResult bw_rule_charge(const void *def, const BwPlace *place, BwError *err)
{
    const BwChargeDef *charge = def;
    if (bw_shape_is_flat(&charge->shape))
        return bw_fail_at(err, place, "shape", "is flat: it has no volume to expand");
    if (!(charge->energy > 0.0f) && !(charge->volume > 0.0f))
        return bw_fail_at(err, place, "energy", "is missing; give it, or volume");
    if (charge->energy > 0.0f && charge->volume > 0.0f)
        return bw_fail_at(err, place, "energy", "is given, and so is volume: either follows from the other");
    return BW_OK;
}

BwResult bw_rule_fuel(const void *def, const BwPlace *place, BwError *err)
{
    BwFuelDef fuel = bw_fuel_numbers(def);
    if (!(fuel.temperature_max > fuel.ignition))
        return bw_fail_at(err, place, "temperature_max", "is %g K, %s.ignition is %g K; it must be above",
                          (double)fuel.temperature_max, place->path, (double)fuel.ignition);
    if (!(fuel.density > fuel.density_products))
        return bw_fail_at(err, place, "density_products",
                          "is %g kg/m^3, %s.density is %g kg/m^3; what has burnt must be lighter",
                          (double)fuel.density_products, place->path, (double)fuel.density);
    return BW_OK;
}

// A model has no use for the other's numbers.
static BwResult check_fire_model(const BwFireDef *fire, const BwPlace *place, BwError *err)
{
    const BwFireDef plain = bw_scene_def_default().fire;
    bool is_thin = fire->model == BW_FIRE_THIN;
    const char *wrong = NULL;
    if (is_thin)
        wrong = fire->burn_rate != plain.burn_rate   ? "burn_rate"
                : fire->fade != plain.fade           ? "fade"
                : fire->expansion != plain.expansion ? "expansion"
                                                     : NULL;
    else
        wrong = fire->rise != plain.rise              ? "rise"
                : fire->quench != plain.quench        ? "quench"
                : !isnan(fire->fuel.flame_speed)      ? "fuel.flame_speed"
                : !isnan(fire->fuel.density)          ? "fuel.density"
                : !isnan(fire->fuel.density_products) ? "fuel.density_products"
                : !isnan(fire->fuel.blue)             ? "fuel.blue"
                                                      : NULL;
    if (wrong == NULL)
        return BW_OK;
    return bw_fail_at(err, place, wrong, "is given; only model = \"%s\" has a use for it",
                      is_thin ? "simple" : "thin");
}

BwResult bw_rule_fire(const void *def, const BwPlace *place, BwError *err)
{
    const BwFireDef *fire = def;
    BwFuelDef fuel = bw_fuel_numbers(&fire->fuel);
    if (!(fuel.ignition > fire->smoke.ambient))
        return bw_fail_at(err, place, "fuel.ignition",
                          "is %g K, fire.ambient is %g K; fuel that burns in still air cannot be kept",
                          (double)fuel.ignition, (double)fire->smoke.ambient);
    return check_fire_model(fire, place, err);
}

BwResult bw_rule_surface_pressure(const void *def, const BwPlace *place, BwError *err)
{
    const BwSurfacePressureDef *surface = def;
    if (surface->wavelength > 0.0f && surface->pressure.kind == BW_CURVE_PLACE)
        return bw_fail_at(err, place, "wavelength",
                          "is given with a function for the pressure; the function says where it is high");
    if (surface->speed != 0.0f && !(surface->wavelength > 0.0f))
        return bw_fail_at(err, place, "speed",
                          "is %g m/s, and no wavelength is given; what is even cannot "
                          "travel",
                          (double)surface->speed);
    return BW_OK;
}

BwResult bw_rule_melt(const void *def, const BwPlace *place, BwError *err)
{
    const BwMeltDef *melt = def;
    if (melt->liquid > melt->solid)
        return BW_OK;
    return bw_fail_at(err, place, "liquid", "is %g K, %s.solid is %g K; liquid must be above solid",
                      (double)melt->liquid, place->path, (double)melt->solid);
}

BwResult bw_rule_output(const void *def, const BwPlace *place, BwError *err)
{
    const BwOutputDef *output = def;
    if (output->movie && output->width % 2 != 0)
        return bw_fail_at(err, place, "width", "is %d; a movie needs an even number of pixels",
                          output->width);
    if (output->movie && output->height % 2 != 0)
        return bw_fail_at(err, place, "height", "is %d; a movie needs an even number of pixels",
                          output->height);
    return BW_OK;
}

BwResult bw_rule_box(const void *def, const BwPlace *place, BwError *err)
{
    const BwShape *box = def;
    if (box->b.x > box->a.x && box->b.y > box->a.y && box->b.z > box->a.z)
        return BW_OK;
    return bw_fail_at(err, place, "max",
                      "is {%g, %g, %g}, box.min is {%g, %g, %g}; max must be above min on every axis",
                      (double)box->b.x, (double)box->b.y, (double)box->b.z, (double)box->a.x,
                      (double)box->a.y, (double)box->a.z);
}

BwResult bw_rule_from_to(const void *def, const BwPlace *place, BwError *err)
{
    const BwShape *shape = def;
    if (bw_length(bw_sub(shape->b, shape->a)) > 0.0f)
        return BW_OK;
    return bw_fail_at(err, place, "to", "is where %s.from is; they must be apart", place->path);
}

BwResult bw_rule_torus(const void *def, const BwPlace *place, BwError *err)
{
    const BwShape *torus = def;
    if (torus->thickness <= torus->radius)
        return BW_OK;
    return bw_fail_at(err, place, "thickness",
                      "is %g m, torus.radius is %g m; the tube must not be thicker than the ring",
                      (double)torus->thickness, (double)torus->radius);
}
