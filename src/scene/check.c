// Checks of Defs. Comparisons are written so that NaN fails.
#include "scene/check.h"

#include "scene/reach.h"
#include "scene/wording.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static BwResult fail_wanted(const BwSceneField *field, const char *found, const BwPlace *place, BwError *err)
{
    char wanted[BW_WORDING];
    bw_wanted_text(field, wanted);
    return bw_fail_at(err, place, field->name, "is %s; it must be %s", found, wanted);
}

bool bw_number_is_good(const BwSceneField *field, double value)
{
    if (isnan(value))
        return false;
    if (isinf(value))
        return value > 0.0 && (field->flags & BW_ENDLESS);
    BwRange range = field->range;
    bool is_float =
        field->kind != BW_FIELD_DOUBLE && field->kind != BW_FIELD_SEED && field->kind != BW_FIELD_INTEGER;
    if (is_float) { // a bound is still in range after it has been rounded, and so is no cell of 1e-60 m
        if (fabs(value) > (double)FLT_MAX)
            return false;
        value = (double)(float)value;
        range = (BwRange){(double)(float)range.low, (double)(float)range.high, range.low_is_out};
    }
    return (range.low_is_out ? value > range.low : value >= range.low) && value <= range.high;
}

BwResult bw_check_number(const BwSceneField *field, double value, const BwPlace *place, BwError *err)
{
    if (bw_number_is_good(field, value))
        return BW_OK;
    char found[80];
    bw_number_text(value, found);
    if (bw_number_is_too_large(value))
        snprintf(found + strlen(found), sizeof found - strlen(found), BW_TOO_LARGE);
    return fail_wanted(field, found, place, err);
}

static BwResult check_stored_number(const BwSceneField *field, double value, const BwPlace *place,
                                    BwError *err)
{
    bool unset =
        ((field->flags & BW_ZERO_UNSET) && value == 0.0) || ((field->flags & BW_NAN_UNSET) && isnan(value));
    return unset ? BW_OK : bw_check_number(field, value, place, err);
}

static BwResult check_choice(const BwSceneField *field, const void *at, const BwPlace *place, BwError *err)
{
    int number;
    memcpy(&number, at, sizeof number);
    if (number >= 0 && number < field->names->count)
        return BW_OK;
    char found[40], known[BW_WORDING];
    bw_number_text(number, found);
    bw_names_text(field->names, known, sizeof known);
    return bw_fail_at(err, place, field->name, "is %s; known: %s", found, known);
}

BwResult bw_check_numbers(const BwSceneField *field, const float *values, int count, const BwPlace *place,
                          BwError *err)
{
    for (int n = 0; n < count; n++)
        BW_TRY(bw_check_number(field, (double)values[n], place, err));
    return BW_OK;
}

static BwResult check_vector(const BwSceneField *field, BwVec3 vector, const BwPlace *place, BwError *err)
{
    bool z_is_endless = (field->flags & (BW_LOW_CORNER | BW_HIGH_CORNER)) && isinf(vector.z);
    float values[3] = {vector.x, vector.y, z_is_endless ? 0.0f : vector.z};
    BW_TRY(bw_check_numbers(field, values, 3, place, err));
    if ((field->flags & BW_DIRECTION) && !(bw_length(vector) > 0.0f))
        return fail_wanted(field, "{0, 0, 0}", place, err);
    return BW_OK;
}

static BwResult fail_key_time(const BwSceneField *field, int index, double time, const BwPlace *place,
                              BwError *err)
{
    char found[40];
    bw_number_text(time, found);
    return bw_fail_at(err, place, field->name, "has key %d at t = %s; times must be finite and ascend",
                      index + 1, found);
}

static BwResult check_keys(const BwSceneField *field, const BwCurve *curve, const BwPlace *place,
                           BwError *err)
{
    if (curve->key_count < 1 || curve->keys == NULL)
        return bw_fail_at(err, place, field->name, "has no keys; it must have one or more");
    for (int n = 0; n < curve->key_count; n++) {
        double time = curve->keys[n].time;
        if (!isfinite(time) || (n > 0 && !(time > curve->keys[n - 1].time)))
            return fail_key_time(field, n, time, place, err);
        BW_TRY(bw_check_numbers(field, curve->keys[n].value, curve->components, place, err));
    }
    return BW_OK;
}

static BwResult check_curve(const BwSceneField *field, const BwCurve *curve, const BwPlace *place,
                            BwError *err)
{
    int components = bw_field_is_vector_curve(field) ? 3 : 1;
    if (curve->kind != BW_CURVE_NONE && curve->components != components)
        return bw_fail_at(err, place, field->name, "has %d components; it must have %d", curve->components,
                          components);
    switch (curve->kind) {
    case BW_CURVE_NONE:
        break;
    case BW_CURVE_CONSTANT:
        return bw_check_numbers(field, curve->value, components, place, err);
    case BW_CURVE_KEYS:
    case BW_CURVE_STEPS:
        return check_keys(field, curve, place, err);
    case BW_CURVE_FUNCTION:
        if (curve->function == NULL)
            return bw_fail_at(err, place, field->name, "is a function of time without a function");
        break;
    case BW_CURVE_PLACE:
        if (field->kind != BW_FIELD_PLACE_CURVE && field->kind != BW_FIELD_VECTOR_PLACE_CURVE)
            return bw_fail_at(err, place, field->name, "is a function of place; it must be one of time");
        if (curve->place_function == NULL)
            return bw_fail_at(err, place, field->name, "is a function of place without a function");
        break;
    default:
        return bw_fail_at(err, place, field->name, "is a curve of unknown kind %d", (int)curve->kind);
    }
    return BW_OK;
}

// Numbers of names over time.
static BwResult check_choice_curve(const BwSceneField *field, const BwCurve *curve, const BwPlace *place,
                                   BwError *err)
{
    BwSceneField number = {.name = field->name,
                           .kind = BW_FIELD_CURVE,
                           .range = {0.0, (double)(field->names->count - 1), false}};
    return check_curve(&number, curve, place, err);
}

static bool is_missing(const BwSceneField *field, const void *at)
{
    switch (field->kind) {
    case BW_FIELD_TEXT:
        return *(const char *const *)at == NULL;
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return !bw_curve_is_given(at);
    case BW_FIELD_SHAPE:
        return ((const BwShape *)at)->kind == BW_SHAPE_NONE;
    case BW_FIELD_PARTS:
        return *(const BwShape *const *)at == NULL;
    default:
        return false; // numbers have ranges
    }
}

static BwResult check_field(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                            BwError *err)
{
    (void)walk;
    if ((field->flags & BW_REQUIRED) && is_missing(field, at)) {
        char wanted[BW_WORDING];
        bw_wanted_text(field, wanted);
        return bw_fail_at(err, place, field->name, "is missing; it must be %s", wanted);
    }
    switch (field->kind) {
    case BW_FIELD_INTEGER:
        return check_stored_number(field, *(const int *)at, place, err);
    case BW_FIELD_NUMBER:
        return check_stored_number(field, (double)*(const float *)at, place, err);
    case BW_FIELD_DOUBLE:
        return check_stored_number(field, *(const double *)at, place, err);
    case BW_FIELD_COLOR:
        return bw_check_numbers(field, at, 3, place, err);
    case BW_FIELD_PAIR:
        return bw_check_numbers(field, at, 2, place, err);
    case BW_FIELD_VECTOR:
        return check_vector(field, *(const BwVec3 *)at, place, err);
    case BW_FIELD_CHOICE:
        return check_choice(field, at, place, err);
    case BW_FIELD_CHOICE_CURVE:
        BW_TRY(check_choice(field, at, place, err));
        return check_choice_curve(
            field, (const void *)((const char *)at - field->offset + field->curve_offset), place, err);
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return check_curve(field, at, place, err);
    default:
        return BW_OK;
    }
}

// Whatever has a start and a stop runs from the one to the other, or never: both are infinite then.
static BwResult check_start_stop(const BwConstructor *constructor, const void *def, const BwPlace *place,
                                 BwError *err)
{
    const BwSceneField *first = bw_field_find(constructor, "start"),
                       *last = bw_field_find(constructor, "stop");
    if (first == NULL || last == NULL)
        return BW_OK;
    double start = *(const double *)((const char *)def + first->offset);
    double stop = *(const double *)((const char *)def + last->offset);
    if (stop > start || (isinf(start) && isinf(stop)))
        return BW_OK;
    return bw_fail_at(err, place, "stop", "is %g s, %s.start is %g s; stop must be above start", stop,
                      place->path, start);
}

static BwResult check_rule(BwWalk *walk, const BwConstructor *constructor, const void *def,
                           const BwPlace *place, BwError *err)
{
    (void)walk;
    BW_TRY(check_start_stop(constructor, def, place, err));
    return constructor->rule != NULL ? constructor->rule(def, place, err) : BW_OK;
}

// Fields before rules: a rule may then trust each field alone.
BwResult bw_check_def(const BwConstructor *constructor, const void *def, const BwPlace *place, BwError *err)
{
    BwWalk fields = {.visit_field = check_field}, rules = {.visit_def = check_rule};
    BW_TRY(bw_walk_def(&fields, constructor, def, place, err));
    return bw_walk_def(&rules, constructor, def, place, err);
}

static bool is_given(const BwConstructor *constructor, uint64_t given, const char *name)
{
    const BwSceneField *field = bw_field_find(constructor, name);
    return (given >> (field - constructor->fields)) & 1;
}

BwResult bw_check_conflicts(const BwConstructor *constructor, uint64_t given, const BwPlace *place,
                            BwError *err)
{
    for (int n = 0; constructor->conflicts != NULL && constructor->conflicts[n][0] != NULL; n++) {
        const char *a = constructor->conflicts[n][0], *b = constructor->conflicts[n][1];
        if (is_given(constructor, given, a) && is_given(constructor, given, b))
            return bw_fail_at(err, place, a, "and %s.%s are both given; leave one out", place->path, b);
    }
    return BW_OK;
}

static bool curve_differs(const BwCurve *curve, const BwCurve *standard)
{
    if (curve->kind != standard->kind)
        return true;
    return curve->kind == BW_CURVE_CONSTANT &&
           memcmp(curve->value, standard->value, (size_t)curve->components * sizeof *curve->value) != 0;
}

// All that are no number are the same: not given.
static bool number_differs(float value, float standard)
{
    return isnan(value) ? !isnan(standard) : memcmp(&value, &standard, sizeof value) != 0;
}

bool bw_field_differs(const BwSceneField *field, const void *at, const void *standard)
{
    switch (field->kind) {
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return curve_differs(at, standard);
    case BW_FIELD_INTEGER:
    case BW_FIELD_CHOICE:
        return memcmp(at, standard, sizeof(int)) != 0;
    case BW_FIELD_NUMBER:
        return number_differs(*(const float *)at, *(const float *)standard);
    case BW_FIELD_FLAG:
        return *(const bool *)at != *(const bool *)standard;
    case BW_FIELD_COLOR:
        return memcmp(at, standard, 3 * sizeof(float)) != 0;
    case BW_FIELD_DOUBLE:
        return memcmp(at, standard, sizeof(double)) != 0;
    case BW_FIELD_TEXT:
    case BW_FIELD_OWNED_GROUP:
        return memcmp(at, standard, sizeof(void *)) != 0;
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
        return ((const BwPlaceCurve *)at)->function != NULL;
    default:
        return false; // no other kind is part of a conflict, a gap, or the parameters of a fluid
    }
}

static BwResult check_conflicts_by_difference(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                              const BwPlace *place, BwError *err)
{
    (void)walk;
    if (constructor->conflicts == NULL)
        return BW_OK;
    _Alignas(BwSceneDef) char fresh[sizeof(BwSceneDef)]; // the largest Def
    bw_constructor_defaults(constructor, fresh);
    uint64_t given = 0;
    for (int n = 0; n < constructor->field_count; n++)
        if (bw_field_differs(&constructor->fields[n], (const char *)def + constructor->fields[n].offset,
                             fresh + constructor->fields[n].offset))
            given |= (uint64_t)1 << n;
    return bw_check_conflicts(constructor, given, place, err);
}

BwResult bw_check_in_plane(const BwSceneField *field, const float v[3], const BwPlace *place, BwError *err)
{
    if ((field->flags & BW_ABOUT_Z) && !(v[0] == 0.0f && v[1] == 0.0f))
        return bw_fail_at(err, place, field->name,
                          "is {%g, %g, %g}; a scene of dimension 2 turns about z only", (double)v[0],
                          (double)v[1], (double)v[2]);
    if ((field->flags & BW_IN_PLANE) && v[2] != 0.0f)
        return bw_fail_at(err, place, field->name, "has z = %g; the scene has dimension 2, so z must be 0",
                          (double)v[2]);
    return BW_OK;
}

static BwResult check_vector_in_plane(BwWalk *walk, const BwSceneField *field, const void *at,
                                      const BwPlace *place, BwError *err)
{
    (void)walk;
    const BwCurve *curve = bw_field_is_vector_curve(field) ? at : NULL;
    bool is_list = curve != NULL && curve->kind == BW_CURVE_KEYS;
    bool is_single = field->kind == BW_FIELD_VECTOR || (curve != NULL && curve->kind == BW_CURVE_CONSTANT);
    for (int n = 0; n < (is_list ? curve->key_count : is_single); n++) {
        const float *v = is_list ? curve->keys[n].value : curve != NULL ? curve->value : at;
        BW_TRY(bw_check_in_plane(field, v, place, err));
    }
    return BW_OK;
}

static BwResult check_walls_depth(const BwSceneDef *def, const BwPlace *place, BwError *err)
{
    const BwWallsDef *walls = &def->walls;
    if (def->dimension == 3) {
        if (!(walls->max.z > walls->min.z))
            return bw_fail_at(err, place, "max", "has z = %g, min has z = %g; max must be above min",
                              (double)walls->max.z, (double)walls->min.z);
        return BW_OK;
    }
    if (walls->periodic[2])
        return bw_fail_at(err, place, "periodic", "has \"z\"; the scene has dimension 2");
    for (int side = BW_BACK; side <= BW_FRONT; side++)
        if (walls->side[side].kind != BW_WALL_CLOSED || bw_curve_is_given(&walls->side[side].kind_curve))
            return bw_fail_at(err, place, side == BW_BACK ? "back" : "front",
                              "is given; the scene has dimension 2 and no such side");
    return BW_OK;
}

static BwResult check_between_constructors(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    if (def->has_walls) {
        BwPlace walls = bw_origin(origins, bw_constructor_find("walls"), 0);
        BW_TRY(check_walls_depth(def, &walls, err));
    }
    if (def->dimension == 2) {
        BwWalk walk = {.visit_field = check_vector_in_plane};
        BW_TRY(bw_walk_scene(&walk, def, origins, err));
    }
    if (def->fluid == BW_FLUID_RECORDED && def->recorded.run == NULL) {
        BwPlace recorded = bw_origin(origins, bw_constructor_find("recorded"), 0);
        return bw_fail_at(err, &recorded, "run",
                          "is missing; scene.fluid \"recorded\" needs the folder of a run");
    }
    return BW_OK;
}

static BwResult check_fields_and_rules(BwWalk *walk, const BwConstructor *constructor, const void *def,
                                       const BwPlace *place, BwError *err)
{
    BW_TRY(check_rule(walk, constructor, def, place, err));
    return walk->context == NULL ? check_conflicts_by_difference(walk, constructor, def, place, err) : BW_OK;
}

// Lists of a C caller: nobody else can get these wrong.
static BwResult check_lists(const BwSceneDef *def, BwError *err)
{
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        if (constructor->use != BW_USE_LIST)
            continue;
        int count = bw_instance_count(def, constructor);
        const void *items;
        memcpy(&items, (const char *)def + constructor->offset, sizeof items);
        if (count < 0)
            return bw_fail(err, BW_ERR_DEF, "the BwSceneDef has %d of %s; it must be 0 or more", count,
                           constructor->name);
        if (count > 0 && items == NULL)
            return bw_fail(err, BW_ERR_DEF, "the BwSceneDef has %d of %s, and their list is NULL", count,
                           constructor->name);
    }
    return BW_OK;
}

BwResult bw_check_scene(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    BW_TRY(check_lists(def, err));
    BwWalk fields = {.visit_field = check_field};
    // A script's conflicts were seen when it was read, by the fields it wrote.
    BwWalk rules = {.visit_def = check_fields_and_rules, .context = (void *)(uintptr_t)origins};
    BW_TRY(bw_walk_scene(&fields, def, origins, err));
    BW_TRY(bw_walk_scene(&rules, def, origins, err));
    BW_TRY(check_between_constructors(def, origins, err));
    BW_TRY(bw_check_reach(def, origins, err));
    BW_TRY(bw_check_periods(def, origins, err));
    BW_TRY(bw_check_emitters(def, origins, err));
    BW_TRY(bw_check_other_fluids(def, origins, err));
    BW_TRY(bw_check_viscosities(def, origins, err));
    BW_TRY(bw_check_given_flow(def, origins, err));
    return bw_check_functions(def, origins, err);
}

BwResult bw_scene_def_check(const BwSceneDef *def, BwError *err)
{
    if (def == NULL)
        return bw_fail(err, BW_ERR_DEF, "the BwSceneDef is NULL");
    if (def->cookie != BW_SCENE_COOKIE)
        return bw_fail(err, BW_ERR_DEF,
                       "this BwSceneDef was not made by bw_scene_def_default(); start from it");
    return bw_check_scene(def, NULL, err);
}
