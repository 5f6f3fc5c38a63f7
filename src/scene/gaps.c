// The table of gaps, and finding them in a scene.
#include "scene/gaps.h"

#include "scene/carried.h"
#include "scene/check.h"
#include "scene/gas.h"
#include "scene/walk.h"

#include <stdio.h>
#include <string.h>

// Anything but sliding freely.
static bool sticks(const BwCurve *slip)
{
    return bw_curve_is_given(slip) && !(slip->kind == BW_CURVE_CONSTANT && slip->value[0] == 1.0f);
}

static bool side_sticks(const BwSceneDef *scene, const void *def)
{
    (void)scene;
    return sticks(&((const BwWallSideDef *)def)->slip);
}

static bool obstacle_sticks(const BwSceneDef *scene, const void *def)
{
    (void)scene;
    return sticks(&((const BwObstacleDef *)def)->slip);
}

static bool side_changes(const BwSceneDef *scene, const void *def)
{
    (void)scene;
    return bw_curve_is_given(&((const BwWallSideDef *)def)->kind_curve);
}

static bool closed_side_moves(const BwSceneDef *scene, const void *def)
{
    (void)scene;
    const BwWallSideDef *side = def;
    return side->kind != BW_WALL_INFLOW && bw_curve_is_given(&side->velocity);
}

// Without gravity is how the stable box is anyway, and the default is nobody's wish.
static bool is_heavy(const BwSceneDef *scene, const void *def)
{
    (void)def;
    const BwCurve *gravity = &scene->gravity;
    BwSceneDef plain = bw_scene_def_default();
    const float none[3] = {0.0f, 0.0f, 0.0f};
    return gravity->kind != BW_CURVE_CONSTANT ||
           (memcmp(gravity->value, plain.gravity.value, sizeof none) != 0 &&
            (gravity->value[0] != 0.0f || gravity->value[1] != 0.0f || gravity->value[2] != 0.0f));
}

static bool is_level_set(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_LEVELSET || scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET;
}

// A level set has no particles that could carry anything.
static bool levelset_with_loads(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return scene->liquid.method == BW_LIQUID_LEVELSET && bw_scene_carried(scene) != 0;
}

static bool particle_levelset_with_loads(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET && bw_scene_carried(scene) != 0;
}

static bool is_height(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_HEIGHT;
}

static bool is_chain(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_CHAIN;
}

static bool has_no_particles(const BwSceneDef *scene)
{
    return is_level_set(scene) || is_height(scene) || is_chain(scene);
}

static bool chain_in_3d(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_chain(scene) && scene->dimension == 3;
}

static bool chain_with_loads(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_chain(scene) && bw_scene_carried(scene) != 0;
}

static bool chain_with_tension(const BwSceneDef *scene, const void *def)
{
    return is_chain(scene) && ((const BwLiquidDef *)def)->surface_tension != 0.0f;
}

static bool sprays(const BwSceneDef *scene)
{
    return scene->liquid.spray.speed > 0.0f;
}

static bool height_with_loads(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_height(scene) && bw_scene_carried(scene) != 0;
}

static bool height_with_tension(const BwSceneDef *scene, const void *def)
{
    return is_height(scene) && ((const BwLiquidDef *)def)->surface_tension != 0.0f;
}

// What has a surface below, too.
static bool height_with_blob(const BwSceneDef *scene, const void *def)
{
    return is_height(scene) && ((const BwEmitterDef *)def)->kind == BW_EMIT_BLOB;
}

static bool spray_without_height(const BwSceneDef *scene, const void *def)
{
    return !is_height(scene) && ((const BwSprayDef *)def)->speed > 0.0f;
}

static bool turns_without_chains(const BwSceneDef *scene, const void *def)
{
    return scene->liquid.method != BW_LIQUID_CHAIN && ((const BwLookDef *)def)->revolve;
}

static bool level_set_spreads(const BwSceneDef *scene, const void *def)
{
    return has_no_particles(scene) && ((const BwEmitterDef *)def)->spread != 0.0f;
}

static bool moves_without_particles(const BwSceneDef *scene, const void *def)
{
    return has_no_particles(scene) && bw_curve_is_given(&((const BwEmitterDef *)def)->offset);
}

// What is no stream: a blob, or a spring anywhere inside of its shape.
static bool moves_and_is_no_stream(const BwSceneDef *scene, const void *def)
{
    (void)scene;
    const BwEmitterDef *emitter = def;
    bool is_stream = emitter->kind == BW_EMIT_SPOUT || bw_shape_is_flat(&emitter->shape) ||
                     !bw_curve_is_given(&emitter->flow);
    return bw_curve_is_given(&emitter->offset) && (emitter->kind == BW_EMIT_BLOB || !is_stream);
}

static bool level_set_writes_particles(const BwSceneDef *scene, const void *def)
{
    return (is_level_set(scene) || (is_height(scene) && !sprays(scene))) &&
           ((const BwOutputDef *)def)->particles;
}

static bool level_set_writes_ply(const BwSceneDef *scene, const void *def)
{
    return (is_level_set(scene) || (is_height(scene) && !sprays(scene))) &&
           ((const BwOutputDef *)def)->particles_ply;
}

static bool level_set_wraps_particles(const BwSceneDef *scene, const void *def)
{
    return has_no_particles(scene) && ((const BwOutputDef *)def)->mesh_from == BW_MESH_FROM_PARTICLES;
}

static bool level_set_shows_particles(const BwSceneDef *scene, const void *def)
{
    return has_no_particles(scene) && !is_chain(scene) &&
           ((const BwLookDef *)def)->water == BW_WATER_PARTICLES;
}

static bool blends(const void *control)
{
    const BwCurve *blend = &((const BwSurfaceControlDef *)control)->blend;
    return blend->kind != BW_CURVE_CONSTANT || blend->value[0] != 0.0f;
}

// What moves the air moves the surface of a level set. Particles move by their own velocity, chains and
// columns by that of the liquid.
static bool particles_blend(const BwSceneDef *scene, const void *def)
{
    return !has_no_particles(scene) && blends(def);
}

static bool height_blends(const BwSceneDef *scene, const void *def)
{
    return is_height(scene) && blends(def);
}

static bool chain_blends(const BwSceneDef *scene, const void *def)
{
    return is_chain(scene) && blends(def);
}

static bool has_many_viscosities(const BwSceneDef *scene)
{
    return scene->liquid.yield_stress > 0.0f || scene->liquid.shear_exponent != 1.0f ||
           bw_scene_varies_viscosity(scene);
}

// Each component by itself knows one viscosity for all of the liquid.
static bool components_vary(const BwSceneDef *scene, const void *def)
{
    return ((const BwLiquidDef *)def)->viscosity_scheme == BW_VISCOSITY_COMPONENTS &&
           has_many_viscosities(scene);
}

// The grid of a core knows no particles, and so nothing that they carry.
static bool has_band_and_loads(const BwSceneDef *scene, const void *def)
{
    return ((const BwLiquidDef *)def)->narrow_band > 0.0f && bw_scene_carried(scene) != 0;
}

// What is within chains is turned about an axis.
static bool has_no_mesh(const BwSceneDef *scene)
{
    return scene->dimension == 2 && !is_chain(scene);
}

static bool mesh_in_2d(const BwSceneDef *scene, const void *def)
{
    return has_no_mesh(scene) && ((const BwOutputDef *)def)->mesh;
}

static bool obj_in_2d(const BwSceneDef *scene, const void *def)
{
    return has_no_mesh(scene) && ((const BwOutputDef *)def)->obj;
}

static bool gltf_in_2d(const BwSceneDef *scene, const void *def)
{
    return has_no_mesh(scene) && ((const BwOutputDef *)def)->gltf;
}

// Smoke that is awake only where sources are has no cells for functions of space to fill.
static bool density_without_walls(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return !scene->has_walls && scene->initial.density.function != NULL;
}

static bool density_with_envelope(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return scene->has_walls && bw_scene_gas(scene)->envelope != 0.0f &&
           scene->initial.density.function != NULL;
}

static bool heat_without_walls(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return !scene->has_walls && scene->initial.temperature.function != NULL;
}

static bool heat_with_envelope(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return scene->has_walls && bw_scene_gas(scene)->envelope != 0.0f &&
           scene->initial.temperature.function != NULL;
}

static bool is_explicit(const BwSceneDef *scene)
{
    return scene->liquid.scheme == BW_SCHEME_EXPLICIT;
}

static bool explicit_without_markers(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_explicit(scene) && scene->liquid.method != BW_LIQUID_MARKERS &&
           scene->liquid.method != BW_LIQUID_HEIGHT && !is_chain(scene);
}

static bool explicit_varies(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_explicit(scene) && has_many_viscosities(scene);
}

static bool explicit_conducts(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_explicit(scene) && bw_scene_conducts_in_liquid(scene);
}

// Foster and Metaxas' viscosity is explicit, their surface free of tension, and their markers are everywhere.
static bool explicit_components(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwLiquidDef *)def)->viscosity_scheme != BW_VISCOSITY_COUPLED;
}

static bool explicit_tension(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwLiquidDef *)def)->surface_tension != 0.0f;
}

static bool explicit_confinement(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwLiquidDef *)def)->confinement != 0.0f;
}

static bool explicit_elastic(const BwSceneDef *scene, const void *def)
{
    (void)def;
    return is_explicit(scene) && scene->liquid.elastic.modulus != 0.0f;
}

static bool explicit_band(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwLiquidDef *)def)->narrow_band > 0.0f;
}

// Their pressure is found by relaxation, down to a divergence.
static bool explicit_miccg(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwSolverDef *)def)->pressure == BW_PRESSURE_MICCG;
}

static bool explicit_cg(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) && ((const BwSolverDef *)def)->pressure == BW_PRESSURE_CG;
}

static bool explicit_tolerance(const BwSceneDef *scene, const void *def)
{
    return is_explicit(scene) &&
           ((const BwSolverDef *)def)->tolerance != bw_scene_def_default().solver.tolerance;
}

// What reflection keeps of a velocity is its divergence.
static bool reflects_charge(const BwSceneDef *scene, const void *def)
{
    return scene->charge_count > 0 && ((const BwSmokeDef *)def)->advection == BW_ADVECT_REFLECTION;
}

#define ANY      BW_ALL_FLUIDS
#define SMOKE    (1u << BW_FLUID_SMOKE)
#define LIQUID   (1u << BW_FLUID_LIQUID)
#define FIRE     (1u << BW_FLUID_FIRE)
#define STABLE   (1u << BW_FLUID_STABLE)
#define RECORDED (1u << BW_FLUID_RECORDED)
#define GAS      (SMOKE | FIRE)

// An emitter's fields are those of what an obstacle emits as well.
#define OF_EMITTER(name)                                                                                     \
    {GAS | STABLE, name, "kind", "blob", "run", NULL, NULL},                                                 \
        {GAS | STABLE, name, "kind", "spout", "run", NULL, NULL},                                            \
        {SMOKE | LIQUID | STABLE, name, "fuel", NULL, "run", NULL, NULL},                                    \
        {GAS | STABLE, name, "flow", NULL, "run", NULL, NULL},                                               \
        {GAS | STABLE, name, "spread", NULL, "run", NULL, NULL},                                             \
        {FIRE | STABLE, name, "color", NULL, "run", NULL, NULL},                                             \
        {GAS | STABLE, name, "viscosity", NULL, "run", NULL, NULL},                                          \
        {GAS | STABLE, name, "offset", NULL, "run", NULL, NULL},                                             \
        {LIQUID, name, "density", NULL, "run", NULL, NULL},                                                  \
        {LIQUID, name, "density_rate", NULL, "run", NULL, NULL},                                             \
        {LIQUID, name, "falloff", NULL, "run", NULL, NULL},                                                  \
    {                                                                                                        \
        STABLE, name, "temperature", NULL, "run", NULL, NULL                                                 \
    }

// Rows stay rows.
// clang-format off
const BwGap bw_gaps[] = {
    // Fluids without a solver.
    {ANY, "scene", "fluid", "waves", "run", NULL, NULL},
    {ANY, "scene", "fluid", "sph", "run", NULL, NULL},
    // Of fire.
    {FIRE, "fire", "advection", "reflection", "run", NULL, NULL},
    {SMOKE, "smoke", "advection", "reflection", "run", "with a charge", reflects_charge},
    {SMOKE | LIQUID | STABLE, "fill", "fuel", NULL, "run", NULL, NULL},
    {SMOKE | LIQUID | STABLE, "obstacle", "fuel", NULL, "run", NULL, NULL},
    // What only liquids have, and solids that float.
    {GAS | STABLE, "body", NULL, NULL, "run", NULL, NULL},
    {LIQUID | STABLE, "charge", NULL, NULL, "run", NULL, NULL},
    {FIRE | STABLE, "flow", "velocity", NULL, "run", NULL, NULL},
    {GAS | STABLE, "surface_control", NULL, NULL, "run", NULL, NULL},
    {LIQUID, "surface_control", "blend", NULL, "run", "carried by particles", particles_blend},
    {LIQUID, "surface_control", "blend", NULL, "run", "below a height field", height_blends},
    {LIQUID, "surface_control", "blend", NULL, "run", "within chains", chain_blends},
    {GAS | STABLE, "surface_pressure", NULL, NULL, "run", NULL, NULL},
    {GAS | STABLE, "output", "mesh", NULL, "written", NULL, NULL},
    {GAS | STABLE, "output", "obj", NULL, "written", NULL, NULL},
    {GAS | STABLE, "output", "gltf", NULL, "written", NULL, NULL},
    {LIQUID | RECORDED, "output", "mesh", NULL, "written", "in 2-D", mesh_in_2d},
    {LIQUID | RECORDED, "output", "obj", NULL, "written", "in 2-D", obj_in_2d},
    {LIQUID | RECORDED, "output", "gltf", NULL, "written", "in 2-D", gltf_in_2d},
    {GAS | STABLE, "output", "particles", NULL, "written", NULL, NULL},
    {GAS | STABLE, "output", "particles_ply", NULL, "written", NULL, NULL},
    OF_EMITTER("emitter"),
    OF_EMITTER("emit"),
    {FIRE | STABLE, "fill", "color", NULL, "run", NULL, NULL},
    {GAS | STABLE, "fill", "viscosity", NULL, "run", NULL, NULL},
    {LIQUID, "liquid", "method", "chain", "run", "in 3-D", chain_in_3d},
    {LIQUID, "liquid", "method", "chain", "run", "that carries color, temperature, viscosity, age or source",
     chain_with_loads},
    {LIQUID, "liquid", "surface_tension", NULL, "run", "within chains", chain_with_tension},
    {LIQUID, "liquid", "scheme", "explicit", "run", "without method = \"markers\", \"chain\" or \"height\"", explicit_without_markers},
    {LIQUID, "liquid", "scheme", "explicit", "run", "whose viscosity is not one number", explicit_varies},
    {LIQUID, "liquid", "scheme", "explicit", "run", "that conducts heat", explicit_conducts},
    {LIQUID, "liquid", "viscosity_scheme", "components", "run", "by the explicit scheme", explicit_components},
    {LIQUID, "liquid", "surface_tension", NULL, "run", "by the explicit scheme", explicit_tension},
    {LIQUID, "liquid", "narrow_band", NULL, "run", "by the explicit scheme", explicit_band},
    {LIQUID, "solver", "pressure", "miccg", "run", "by the explicit scheme", explicit_miccg},
    {LIQUID, "solver", "pressure", "cg", "run", "by the explicit scheme", explicit_cg},
    {LIQUID, "solver", "tolerance", NULL, "run", "by the explicit scheme", explicit_tolerance},
    {LIQUID, "liquid", "confinement", NULL, "run", "by the explicit scheme", explicit_confinement},
    {LIQUID, "elastic", "modulus", NULL, "run", "by the explicit scheme", explicit_elastic},
    {LIQUID, "liquid", "method", "levelset", "run", "that carries color, temperature, viscosity, age or source",
     levelset_with_loads},
    {LIQUID, "liquid", "method", "particle_levelset", "run", "that carries color, temperature, viscosity, age or source",
     particle_levelset_with_loads},
    {LIQUID, "liquid", "method", "height", "run", "that carries color, temperature, viscosity, age or source",
     height_with_loads},
    {LIQUID, "liquid", "surface_tension", NULL, "run", "below a height field", height_with_tension},
    {LIQUID, "emitter", "kind", "blob", "run", "below a height field", height_with_blob},
    {LIQUID, "spray", "speed", NULL, "run", "without method = \"height\"", spray_without_height},
    {LIQUID, "emitter", "spread", NULL, "run", "carried by a level set or a height field", level_set_spreads},
    {LIQUID, "emitter", "offset", NULL, "run", "carried by a level set or a height field", moves_without_particles},
    {LIQUID, "emitter", "offset", NULL, "run", "of a blob or a spring", moves_and_is_no_stream},
    {LIQUID, "output", "particles", NULL, "written", "carried by a level set or a height field", level_set_writes_particles},
    {LIQUID, "output", "particles_ply", NULL, "written", "carried by a level set or a height field", level_set_writes_ply},
    {LIQUID, "output", "mesh_from", "particles", "written", "carried by a level set or a height field", level_set_wraps_particles},
    {LIQUID, "look", "revolve", NULL, "run", "without method = \"chain\"", turns_without_chains},
    {GAS | STABLE | RECORDED, "look", "revolve", NULL, "run", NULL, NULL},
    {LIQUID, "look", "water", "particles", "run", "carried by a level set or a height field", level_set_shows_particles},
    {LIQUID, "liquid", "viscosity_scheme", "components", "run", "whose viscosity is not one number", components_vary},
    {GAS | STABLE, "sink", "flow", NULL, "run", NULL, NULL},
    {LIQUID, "noise", "amplitude", NULL, "run", NULL, NULL},
    {LIQUID, "obstacle", "emit", NULL, "run", NULL, NULL},
    {LIQUID, "fill", "density", NULL, "run", NULL, NULL},
    {LIQUID, "liquid", "narrow_band", NULL, "run", "that carries color, temperature, viscosity, age or source",
     has_band_and_loads},
    {GAS | STABLE, "side", "color", NULL, "run", NULL, NULL},
    {GAS | STABLE, "output", "age", NULL, "written", NULL, NULL},
    {GAS | STABLE, "output", "source", NULL, "written", NULL, NULL},
    {LIQUID, "initial", "density", NULL, "run", NULL, NULL},
    {LIQUID, "initial", "temperature", NULL, "run", NULL, NULL},
    {GAS, "initial", "density", NULL, "run", "without walls", density_without_walls},
    {GAS, "initial", "density", NULL, "run", "with an envelope", density_with_envelope},
    {GAS, "initial", "temperature", NULL, "run", "without walls", heat_without_walls},
    {GAS, "initial", "temperature", NULL, "run", "with an envelope", heat_with_envelope},
    // Nothing of a recorded run is computed again, and only bodies are added to it.
    {RECORDED, "fill", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "emitter", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "emit", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "sink", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "pump", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "force", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "charge", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "surface_control", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "surface_pressure", NULL, NULL, "run", NULL, NULL},
    {RECORDED, "scene", "cfl", NULL, "run", NULL, NULL},
    {RECORDED, "flow", "velocity", NULL, "run", NULL, NULL},
    {RECORDED, "initial", "velocity", NULL, "run", NULL, NULL},
    {RECORDED, "initial", "density", NULL, "run", NULL, NULL},
    {RECORDED, "initial", "temperature", NULL, "run", NULL, NULL},
    {RECORDED, "obstacle", "fuel", NULL, "run", NULL, NULL},
    {RECORDED, "solver", "pressure", NULL, "run", NULL, NULL},
    {RECORDED, "solver", "tolerance", NULL, "run", NULL, NULL},
    {RECORDED, "solver", "divergence_max", NULL, "run", NULL, NULL},
    {RECORDED, "solver", "iterations_max", NULL, "run", NULL, NULL},
    {RECORDED, "solver", "relaxation", NULL, "run", NULL, NULL},
    {RECORDED, "output", "age", NULL, "written", NULL, NULL},
    {RECORDED, "output", "source", NULL, "written", NULL, NULL},
    {GAS | STABLE | RECORDED, "output", "record", NULL, "written", NULL, NULL},
    // The stable box knows no weight and no heat, its walls stand still and are smooth, and it has solvers of
    // its own. Any step is stable, so none is cut.
    {STABLE, "scene", "cfl", NULL, "run", NULL, NULL},
    {STABLE, "scene", "gravity", NULL, "run", NULL, is_heavy},
    {STABLE, "solver", "pressure", NULL, "run", NULL, NULL},
    {STABLE, "solver", "tolerance", NULL, "run", NULL, NULL},
    {STABLE, "solver", "divergence_max", NULL, "run", NULL, NULL},
    {STABLE, "solver", "iterations_max", NULL, "run", NULL, NULL},
    {STABLE, "solver", "relaxation", NULL, "run", NULL, NULL},
    {STABLE, "initial", "temperature", NULL, "run", NULL, NULL},
    {STABLE, "walls", "slip", NULL, "run", NULL, NULL},
    {STABLE, "side", "kind", BW_OVER_TIME, "run", NULL, side_changes},
    {STABLE, "side", "velocity", NULL, "run", "at a side without inflow", closed_side_moves},
    {STABLE, "side", "temperature", NULL, "run", NULL, NULL},
    {STABLE, "side", "slip", NULL, "run", NULL, side_sticks},
    {STABLE, "fill", "temperature", NULL, "run", NULL, NULL},
    {STABLE, "obstacle", "temperature", NULL, "run", NULL, NULL},
    {STABLE, "obstacle", "slip", NULL, "run", NULL, obstacle_sticks},
    {STABLE, "obstacle", "emit", NULL, "run", NULL, NULL},
    {STABLE, "output", "pressure", NULL, "run", NULL, NULL},
};
// clang-format on

const int bw_gap_count = sizeof bw_gaps / sizeof *bw_gaps;

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_of_fluid(const BwGap *gap, const char *name)
{
    return strcmp(gap->constructor, "scene") == 0 && is_same(gap->field, "fluid") &&
           is_same(gap->choice, name);
}

const BwGap *bw_gap_next(const BwGap *before, const BwConstructor *constructor, const BwSceneField *field,
                         const char *choice)
{
    const char *name = field != NULL ? field->name : NULL;
    for (const BwGap *gap = before != NULL ? before + 1 : bw_gaps; gap < bw_gaps + bw_gap_count; gap++)
        if ((strcmp(gap->constructor, constructor->name) == 0 && is_same(gap->field, name) &&
             is_same(gap->choice, choice)) ||
            (field == NULL && is_of_fluid(gap, constructor->name)))
            return gap;
    return NULL;
}

// `run with fluid "smoke", "fire" or "stable" without walls`, of some of the gap's fluids.
static void verb_text(const BwGap *gap, unsigned fluids, const char *before_fluid, char text[BW_GAP_TEXT])
{
#define X(name, text) text,
    static const char *const names[] = {BW_FLUIDS(X)};
#undef X
    int length = snprintf(text, BW_GAP_TEXT, "%s%s", gap->verb, before_fluid);
    unsigned left = gap->fluids != ANY ? gap->fluids & fluids : 0;
    const char *word = " with fluid";
    for (size_t n = 0; n < sizeof names / sizeof *names && left != 0; n++)
        if (left >> n & 1) {
            length += snprintf(text + length, BW_GAP_TEXT - (size_t)length, "%s \"%s\"", word, names[n]);
            left &= ~(1u << n);
            word = (left & (left - 1)) != 0 ? "," : " or"; // the last one
        }
    if (gap->condition != NULL)
        snprintf(text + length, BW_GAP_TEXT - (size_t)length, " %s", gap->condition);
}

void bw_gap_text(const BwGap *gap, char text[BW_GAP_TEXT])
{
    verb_text(gap, ~0u, " by this version", text);
}

static bool has_choice(const BwSceneField *field, const void *at, const char *choice)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value >= 0 && value < field->names->count && strcmp(field->names->texts[value], choice) == 0;
}

static bool is_asked(const BwGap *gap, const BwSceneDef *scene, const BwConstructor *constructor,
                     const void *def)
{
    if (gap->is_asked != NULL || gap->field == NULL)
        return gap->is_asked == NULL || gap->is_asked(scene, def);
    const BwSceneField *field = bw_field_find(constructor, gap->field);
    const char *at = (const char *)def + field->offset;
    if (gap->choice != NULL)
        return has_choice(field, at, gap->choice);
    _Alignas(BwSceneDef) char fresh[sizeof(BwSceneDef)]; // the largest Def
    bw_constructor_defaults(constructor, fresh);
    return bw_field_differs(field, at, fresh + field->offset);
}

// "emitter.kind "blob"": the name that a message starts with. Of the fluids it names the scene's own.
static BwResult refuse(const BwGap *gap, unsigned fluid, const BwPlace *place, BwError *err)
{
    char verb[BW_GAP_TEXT], choice[64] = "";
    verb_text(gap, fluid, "", verb);
    if (gap->choice != NULL)
        snprintf(choice, sizeof choice, strcmp(gap->choice, BW_OVER_TIME) == 0 ? " %s" : " \"%s\"",
                 gap->choice);
    return bw_fail(err, BW_ERR_SCENE, "%s%s%s%s cannot be %s by this version", place->path,
                   gap->field != NULL ? "." : "", gap->field != NULL ? gap->field : "", choice, verb);
}

static BwResult check_def(BwWalk *walk, const BwConstructor *constructor, const void *def,
                          const BwPlace *place, BwError *err)
{
    const BwSceneDef *scene = walk->context;
    unsigned fluid = scene->fluid < 32 ? 1u << scene->fluid : 0;
    for (const BwGap *gap = bw_gaps; gap < bw_gaps + bw_gap_count; gap++)
        if (strcmp(gap->constructor, constructor->name) == 0 && (gap->fluids == ANY || gap->fluids & fluid) &&
            is_asked(gap, scene, constructor, def))
            return refuse(gap, fluid, place, err);
    return BW_OK;
}

BwResult bw_check_gaps(const BwSceneDef *scene, BwError *err)
{
    BwWalk walk = {.visit_def = check_def, .context = (void *)(uintptr_t)scene};
    return bw_walk_scene(&walk, scene, NULL, err);
}
