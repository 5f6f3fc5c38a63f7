// What depends on the fluid. Emitters must give some of it. Parameters of another than the scene runs would
// be read and never used, which hides a mistake.
#include "scene/carried.h"
#include "scene/check.h"
#include "scene/curve.h"

#include <string.h>

#define X(name, text) text,
static const char *const fluid_names[] = {BW_FLUIDS(X)};
#undef X

typedef struct Comparison {
    const char *def, *fresh;
    bool differs;
} Comparison;

static BwResult compare_field(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                              BwError *err)
{
    (void)place, (void)err;
    Comparison *comparison = walk->context;
    ptrdiff_t offset = (const char *)at - comparison->def;
    comparison->differs |= bw_field_differs(field, at, comparison->fresh + offset);
    return BW_OK;
}

// A script gives parameters by calling their constructor; in a C caller's Def given is what differs from the
// default.
static bool is_given(const BwSceneDef *def, const BwOrigins *origins, const BwConstructor *constructor)
{
    if (origins != NULL)
        return origins->lines[constructor - bw_constructors] != NULL;
    static const BwPlace nowhere;
    BwSceneDef fresh = bw_scene_def_default();
    Comparison comparison = {bw_instance_at(def, constructor, 0), bw_instance_at(&fresh, constructor, 0),
                             false};
    BwWalk walk = {.visit_field = compare_field, .context = &comparison};
    bw_walk_def(&walk, constructor, comparison.def, &nowhere, NULL);
    return comparison.differs;
}

BwResult bw_check_other_fluids(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    for (int fluid = 0; fluid < (int)(sizeof fluid_names / sizeof *fluid_names); fluid++) {
        const BwConstructor *parameters = bw_constructor_find(fluid_names[fluid]);
        if (def->fluid == (BwFluid)fluid || !is_given(def, origins, parameters))
            continue;
        BwPlace place = bw_origin(origins, parameters, 0);
        return bw_fail_at(err, &place, NULL,
                          "is given, but scene.fluid is \"%s\" and has no use for it; leave it out",
                          fluid_names[def->fluid]);
    }
    return BW_OK;
}

// What particles carry is given to them once, and the elastic force counts on one viscosity.
BwResult bw_check_viscosities(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    bool changes =
        def->liquid.viscosity.kind != BW_CURVE_CONSTANT && bw_curve_is_given(&def->liquid.viscosity);
    bool is_elastic = def->liquid.elastic.modulus > 0.0f;
    if (!(changes || is_elastic) || (bw_scene_carried(def) & BW_CARRIES_VISCOSITY) == 0)
        return BW_OK;
    BwPlace place = bw_origin(origins, bw_constructor_find("liquid"), 0);
    if (is_elastic)
        return bw_fail_at(
            err, &place, "elastic",
            "is given, and a fill or an emitter has a viscosity of its own; it cannot have both");
    return bw_fail_at(err, &place, "viscosity",
                      "changes over time, and a fill or an emitter has a viscosity of its own; give all of "
                      "them theirs, or none");
}

static BwResult check_gives(BwWalk *walk, const BwConstructor *constructor, const void *def,
                            const BwPlace *place, BwError *err)
{
    const BwSceneDef *scene = walk->context;
    if (strcmp(constructor->name, "emitter") != 0 && strcmp(constructor->name, "emit") != 0)
        return BW_OK;
    const BwEmitterDef *emitter = def;
    const BwCurve *gifts[] = {&emitter->velocity,    &emitter->density, &emitter->density_rate,
                              &emitter->temperature, &emitter->fuel,    &emitter->flow};
    bool gives = emitter->kind == BW_EMIT_BLOB;
    for (size_t n = 0; n < sizeof gifts / sizeof *gifts; n++)
        gives |= bw_curve_is_given(gifts[n]);
    if (gives)
        return BW_OK;
    return bw_fail_at(err, place, NULL, "emits nothing; give it %s",
                      scene->fluid == BW_FLUID_LIQUID
                          ? "velocity, flow or kind = \"blob\""
                          : "density, density_rate, temperature, fuel, flow or velocity");
}

// Columns of water stand on the closed floor of a box, and have one surface.
static BwResult check_below_height(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                   const BwPlace *place, BwError *err)
{
    (void)walk;
    if (strcmp(constructor->name, "sink") == 0 && !bw_curve_is_given(&((const BwSinkDef *)def)->flow))
        return bw_fail_at(err, place, "flow", "is not given; liquid.method = \"height\" needs one");
    if (strcmp(constructor->name, "walls") != 0)
        return BW_OK;
    const BwWallSideDef *bottom = &((const BwWallsDef *)def)->side[BW_BOTTOM],
                        *top = &((const BwWallsDef *)def)->side[BW_TOP];
    if (bw_curve_is_given(&bottom->kind_curve) || bottom->kind != BW_WALL_CLOSED)
        return bw_fail_at(err, place, "bottom",
                          "is no wall; liquid.method = \"height\" has its water stand on one");
    if (top->kind == BW_WALL_INFLOW || bw_curve_may_be(&top->kind_curve, (float)BW_WALL_INFLOW))
        return bw_fail_at(err, place, "top",
                          "is an inflow; with liquid.method = \"height\" water comes in through the other "
                          "sides, and from emitters");
    return BW_OK;
}

static BwResult check_height(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    BwPlace place = bw_origin(origins, bw_constructor_find("liquid"), 0);
    BwWalk walk = {.visit_def = check_below_height, .context = (void *)(uintptr_t)def};
    if (def->fluid != BW_FLUID_LIQUID || def->liquid.method != BW_LIQUID_HEIGHT)
        return BW_OK;
    if (!def->has_walls)
        return bw_fail_at(err, &place, "method", "is \"height\", which needs walls: columns stand in a box");
    return bw_walk_scene(&walk, def, origins, err);
}

// Nothing puts liquid into chains or takes it out, but for sides that are open.
static BwResult check_within_chains(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                    const BwPlace *place, BwError *err)
{
    static const char *const sources[] = {"emitter", "sink", "pump", "surface_control"};
    static const char *const sides[] = {"left", "right", "bottom", "top", "back", "front"};
    (void)walk;
    for (size_t n = 0; n < sizeof sources / sizeof *sources; n++)
        if (strcmp(constructor->name, sources[n]) == 0)
            return bw_fail_at(
                err, place, NULL,
                "is given; liquid.method = \"chain\" cannot: its chains close around what is there "
                "at the start, and nothing but an open side takes of it");
    if (strcmp(constructor->name, "walls") != 0)
        return BW_OK;
    for (int n = 0; n < BW_SIDE_COUNT; n++) {
        const BwWallSideDef *side = &((const BwWallsDef *)def)->side[n];
        if (bw_curve_is_given(&side->kind_curve) || side->kind == BW_WALL_INFLOW ||
            side->kind == BW_WALL_OUTFLOW)
            return bw_fail_at(err, place, sides[n],
                              "is neither a wall nor open; liquid.method = \"chain\" needs one of them");
    }
    return BW_OK;
}

// Chains are closed in a box, and know no joined sides.
static BwResult check_chain(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    BwPlace place = bw_origin(origins, bw_constructor_find("liquid"), 0);
    if (def->fluid != BW_FLUID_LIQUID || def->liquid.method != BW_LIQUID_CHAIN)
        return BW_OK;
    if (!def->has_walls)
        return bw_fail_at(err, &place, "method", "is \"chain\", which needs walls: chains lie in a box");
    if (def->walls.periodic[0] || def->walls.periodic[1]) {
        place = bw_origin(origins, bw_constructor_find("walls"), 0);
        return bw_fail_at(err, &place, "periodic", "joins sides; liquid.method = \"chain\" cannot");
    }
    BwWalk walk = {.visit_def = check_within_chains, .context = (void *)(uintptr_t)def};
    return bw_walk_scene(&walk, def, origins, err);
}

// What flat chains enclose has a profile that can be turned; of others gaps tell.
static BwResult check_revolve(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    BwPlace place = bw_origin(origins, bw_constructor_find("look"), 0);
    bool is_within_chains = def->fluid == BW_FLUID_LIQUID && def->liquid.method == BW_LIQUID_CHAIN;
    if (!def->look.revolve || !is_within_chains)
        return BW_OK;
    if (def->look.water == BW_WATER_PARTICLES)
        return bw_fail_at(err, &place, "revolve",
                          "turns the surface, and look.water = \"particles\" shows none; leave one out");
    if (!(def->walls.max.x > 0.0f))
        return bw_fail_at(err, &place, "revolve",
                          "turns what is right of x = 0, where the box of walls has nothing");
    return BW_OK;
}

BwResult bw_check_emitters(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    BwWalk walk = {.visit_def = check_gives, .context = (void *)(uintptr_t)def};
    BW_TRY(check_height(def, origins, err));
    BW_TRY(check_chain(def, origins, err));
    BW_TRY(check_revolve(def, origins, err));
    return bw_walk_scene(&walk, def, origins, err);
}
