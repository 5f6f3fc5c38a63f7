// Functions of a script that live on after it has been read: of time, of position for the start, or of both.
// Each call has its own limits, and a failure names the function's line, the constructor, the field and the
// moment.
#include "base/number_text.h"
#include "scene/check.h"
#include "scene/script.h"
#include "scene/wording.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

typedef struct ScriptFunction {
    BwScene *scene;
    const BwSceneField *field;
    BwPlace place; // the function's line, the constructor's path
    int reference; // in Lua's registry
} ScriptFunction;

static ScriptFunction *keep_function(BwScene *scene, const BwSceneField *field, const BwPlace *place)
{
    lua_State *L = scene->sandbox.L;
    ScriptFunction *function = bw_arena_alloc(&scene->arena, sizeof *function, _Alignof(ScriptFunction));
    if (function == NULL)
        return NULL;
    *function = (ScriptFunction){.scene = scene, .field = field, .place = *place};
    lua_Debug ar;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &ar);
    if (ar.linedefined > 0)
        function->place.line = ar.linedefined;
    function->reference = luaL_ref(L, LUA_REGISTRYINDEX);
    return function;
}

static bool read_choice(lua_State *L, const BwNames *names, float value[4])
{
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    for (int n = 0; n < names->count; n++) {
        value[0] = (float)n;
        if (strcmp(lua_tostring(L, -1), names->texts[n]) == 0)
            return true;
    }
    return false;
}

static bool read_vector(lua_State *L, const ScriptFunction *function, float value[4])
{
    int count;
    bool is_flat_scene = function->scene->def.dimension == 2;
    if (lua_type(L, -1) == LUA_TNUMBER && is_flat_scene && (function->field->flags & BW_ABOUT_Z)) {
        value[2] = (float)lua_tonumber(L, -1);
        return true;
    }
    return bw_vector_at(L, -1, value, &count) && (count == 3 || is_flat_scene);
}

// The result on top of the stack. Raw reads only: a metamethod would be more of the script.
static bool read_result(lua_State *L, const ScriptFunction *function, float value[4], int *components)
{
    BwFieldKind kind = function->field->kind;
    *components = 1;
    if (kind == BW_FIELD_CHOICE_CURVE) {
        *components = 0;
        return read_choice(L, function->field->names, value);
    }
    if (bw_field_is_vector_curve(function->field) || kind == BW_FIELD_VECTOR_PLACE) {
        *components = 3;
        return read_vector(L, function, value);
    }
    value[0] = (float)lua_tonumber(L, -1);
    return lua_type(L, -1) == LUA_TNUMBER;
}

// The field and the moment or the point of a call, for messages. It costs ten calls to write, so only a call
// that has failed does.
typedef struct CallName {
    char text[160];
} CallName;

static CallName call_name(const ScriptFunction *function, const double *arguments, int count)
{
    CallName name;
    if (count == 1)
        bw_text_print(name.text, sizeof name.text, "%s at t = %g", function->field->name, arguments[0]);
    else if (count == 4)
        bw_text_print(name.text, sizeof name.text, "%s at (%g, %g, %g), t = %g", function->field->name,
                      arguments[0], arguments[1], arguments[2], arguments[3]);
    else
        bw_text_print(name.text, sizeof name.text, "%s at (%g, %g, %g)", function->field->name, arguments[0],
                      arguments[1], arguments[2]);
    return name;
}

static BwResult fail_call(const ScriptFunction *function, const double *arguments, int count,
                          const BwError *inner, BwError *err)
{
    CallName name = call_name(function, arguments, count);
    return bw_fail_at(err, &function->place, name.text, "failed: %s", inner->message);
}

static BwResult fail_value(const ScriptFunction *function, const double *arguments, int count,
                           const char *found, BwError *err)
{
    char wanted[BW_WORDING];
    CallName name = call_name(function, arguments, count);
    bw_wanted_value_text(function->field, wanted);
    return bw_fail_at(err, &function->place, name.text, "is %s; it must be %s", found, wanted);
}

static bool read_good_result(lua_State *L, const ScriptFunction *function, float value[4])
{
    int components;
    memset(value, 0, 4 * sizeof *value);
    bool is_good = read_result(L, function, value, &components);
    for (int n = 0; n < components; n++)
        is_good = is_good && bw_number_is_good(function->field, (double)value[n]);
    return is_good;
}

static BwResult call_function(const ScriptFunction *function, const double *arguments, int count,
                              float value[4], BwError *err)
{
    BwSandbox *sandbox = &function->scene->sandbox;
    lua_State *L = sandbox->L;
    bw_sandbox_begin(sandbox, BW_BUDGET_CALL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, function->reference);
    for (int n = 0; n < count; n++)
        lua_pushnumber(L, arguments[n]);
    BwError inner;
    BwResult result = bw_sandbox_call(sandbox, count, 1, &inner);
    if (result == BW_ERR_MEMORY)
        return bw_fail_memory(err);
    if (result != BW_OK)
        return fail_call(function, arguments, count, &inner, err);
    char found[BW_FOUND];
    bool is_good = read_good_result(L, function, value);
    if (!is_good)
        bw_found_value_text(L, -1, found);
    lua_pop(L, 1);
    return is_good ? BW_OK : fail_value(function, arguments, count, found, err);
}

static BwResult call_at_time(void *user, double time, float value[4], BwError *err)
{
    return call_function(user, &time, 1, value, err);
}

static BwResult call_at_point(void *user, BwVec3 point, float value[4], BwError *err)
{
    const double arguments[3] = {(double)point.x, (double)point.y, (double)point.z};
    return call_function(user, arguments, 3, value, err);
}

static BwResult call_at_place_and_time(void *user, BwVec3 point, double time, float value[4], BwError *err)
{
    const double arguments[4] = {(double)point.x, (double)point.y, (double)point.z, time};
    return call_function(user, arguments, 4, value, err);
}

BwResult bw_function_curve(BwScene *scene, const BwSceneField *field, const BwPlace *place, BwCurve *curve,
                           BwError *err)
{
    ScriptFunction *function = keep_function(scene, field, place);
    if (function == NULL)
        return bw_fail_memory(err);
    if (field->kind == BW_FIELD_PLACE_CURVE) {
        *curve = bw_curve_place_function(call_at_place_and_time, function);
        return BW_OK;
    }
    if (field->kind == BW_FIELD_VECTOR_PLACE_CURVE) {
        *curve = bw_curve_place_vector(call_at_place_and_time, function);
        return BW_OK;
    }
    int components = field->kind == BW_FIELD_VECTOR_CURVE ? 3 : 1;
    *curve = (BwCurve){
        .kind = BW_CURVE_FUNCTION, .components = components, .function = call_at_time, .user = function};
    return BW_OK;
}

BwResult bw_function_place(BwScene *scene, const BwSceneField *field, const BwPlace *place,
                           BwPlaceCurve *curve, BwError *err)
{
    ScriptFunction *function = keep_function(scene, field, place);
    if (function == NULL)
        return bw_fail_memory(err);
    *curve = (BwPlaceCurve){call_at_point, function};
    return BW_OK;
}

BwScene *bw_curve_script(const BwCurve *curve)
{
    bool is_of_script = curve->function == call_at_time || curve->place_function == call_at_place_and_time;
    return is_of_script ? ((const ScriptFunction *)curve->user)->scene : NULL;
}

BwScene *bw_place_script(const BwPlaceCurve *curve)
{
    return curve->function == call_at_point ? ((const ScriptFunction *)curve->user)->scene : NULL;
}
