// From a script's table to a Def, field by field as the vocabulary says. Reads raw: no metamethod of the
// script runs here.
#include "scene/check.h"
#include "scene/script.h"
#include "scene/wording.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
    BwScene *scene;
    lua_State *L;
    const BwPlace *place; // of the Def that is read
    BwError *err;
} Reader;

static BwResult fail_found(const Reader *reader, const BwSceneField *field)
{
    char found[BW_FOUND], wanted[BW_WORDING];
    bw_found_value_text(reader->L, -1, found);
    bw_wanted_text(field, wanted);
    return bw_fail_at(reader->err, reader->place, field->name, "is %s; it must be %s", found, wanted);
}

static BwResult read_number(const Reader *reader, const BwSceneField *field, double *value)
{
    if (lua_type(reader->L, -1) != LUA_TNUMBER)
        return fail_found(reader, field);
    *value = lua_tonumber(reader->L, -1);
    bool is_whole =
        field->kind != BW_FIELD_INTEGER && field->kind != BW_FIELD_SEED ? true : *value == floor(*value);
    if (!is_whole)
        return fail_found(reader, field);
    return bw_check_number(field, *value, reader->place, reader->err);
}

static BwResult read_text(const Reader *reader, const BwSceneField *field, const char **text)
{
    size_t length;
    if (lua_type(reader->L, -1) != LUA_TSTRING)
        return fail_found(reader, field);
    const char *found = lua_tolstring(reader->L, -1, &length);
    if (length == 0 || strlen(found) != length)
        return bw_fail_at(reader->err, reader->place, field->name,
                          "is empty or holds a zero byte; it must be text");
    *text = bw_arena_copy_text(&reader->scene->arena, found, length);
    return *text != NULL ? BW_OK : bw_fail_memory(reader->err);
}

static BwResult find_choice(const Reader *reader, const BwSceneField *field, const char *text, int *choice)
{
    for (int n = 0; n < field->names->count; n++) {
        if (strcmp(field->names->texts[n], text) == 0) {
            *choice = n;
            return BW_OK;
        }
    }
    char known[BW_WORDING], found[BW_FOUND];
    lua_pushstring(reader->L, text);
    bw_found_text(reader->L, -1, found);
    lua_pop(reader->L, 1);
    bw_names_text(field->names, known, sizeof known);
    return bw_fail_at(reader->err, reader->place, field->name, "is %s; known: %s", found, known);
}

static BwResult read_choice(const Reader *reader, const BwSceneField *field, void *at)
{
    int choice = 0;
    if (lua_type(reader->L, -1) != LUA_TSTRING)
        return fail_found(reader, field);
    BW_TRY(find_choice(reader, field, lua_tostring(reader->L, -1), &choice));
    memcpy(at, &choice, sizeof choice);
    return BW_OK;
}

// Two numbers are enough in 2-D. Whether the scene is, is known at its end.
static void note_flat_vector(const Reader *reader, const BwSceneField *field)
{
    BwError *note = &reader->scene->flat_vector;
    if (note->code != BW_OK)
        return;
    char found[BW_FOUND];
    bw_found_text(reader->L, -1, found);
    bw_fail_at(note, reader->place, field->name,
               "is %s; in a scene of dimension 3 it must be a vector {x, y, z}", found);
}

static BwResult read_vector(const Reader *reader, const BwSceneField *field, float values[3])
{
    int count = 2;
    bool is_turn = (field->flags & BW_ABOUT_Z) && lua_type(reader->L, -1) == LUA_TNUMBER;
    if (is_turn) {
        values[0] = values[1] = 0.0f;
        values[2] = (float)lua_tonumber(reader->L, -1);
    } else if (!bw_vector_at(reader->L, -1, values, &count)) {
        return fail_found(reader, field);
    }
    for (int n = 0; n < 3; n++)
        if (!bw_number_is_good(field, (double)values[n]))
            return fail_found(reader, field);
    if (count == 3)
        return BW_OK;
    note_flat_vector(reader, field);
    if (field->flags & BW_LOW_CORNER)
        values[2] = -INFINITY;
    if (field->flags & BW_HIGH_CORNER)
        values[2] = INFINITY;
    return BW_OK;
}

static BwResult read_list(const Reader *reader, const BwSceneField *field, float *values, int count)
{
    lua_State *L = reader->L;
    if (lua_type(L, -1) != LUA_TTABLE || lua_rawlen(L, -1) != (size_t)count)
        return fail_found(reader, field);
    for (int n = 0; n < count; n++) {
        int type = lua_rawgeti(L, -1, n + 1);
        double value = lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (type != LUA_TNUMBER || !bw_number_is_good(field, value))
            return fail_found(reader, field);
        values[n] = (float)value;
    }
    return BW_OK;
}

static BwResult read_axes(const Reader *reader, const BwSceneField *field, bool axes[3])
{
    lua_State *L = reader->L;
    if (lua_type(L, -1) != LUA_TTABLE)
        return fail_found(reader, field);
    for (int n = 0; n < (int)lua_rawlen(L, -1); n++) {
        bool is_text = lua_rawgeti(L, -1, n + 1) == LUA_TSTRING;
        const char *name = is_text ? lua_tostring(L, -1) : "";
        bool is_axis = name[0] >= 'x' && name[0] <= 'z' && name[1] == '\0';
        if (is_axis)
            axes[name[0] - 'x'] = true;
        lua_pop(L, 1);
        if (!is_axis)
            return fail_found(reader, field);
    }
    return BW_OK;
}

// Plain numbers become turns about z. The keys may serve other fields too, so they stay as they are.
static const BwKey *keys_about_z(const Reader *reader, const BwScriptKeys *keys)
{
    BwKey *list = bw_arena_alloc(&reader->scene->arena, (size_t)keys->count * sizeof *list, _Alignof(BwKey));
    for (int n = 0; list != NULL && n < keys->count; n++)
        list[n] = (BwKey){keys->keys[n].time, {0.0f, 0.0f, keys->keys[n].value[0]}};
    return list;
}

static BwResult keys_of_numbers(const Reader *reader, const BwSceneField *field, const BwScriptKeys *keys,
                                BwCurve *curve)
{
    int components = bw_field_is_vector_curve(field) ? 3 : 1;
    bool is_turn = components == 3 && keys->components == 1 && (field->flags & BW_ABOUT_Z);
    bool is_flat = components == 3 && (keys->components == 2 || is_turn);
    if (keys->components != components && !is_flat) {
        char wanted[BW_WORDING];
        bw_wanted_value_text(field, wanted);
        return bw_fail_at(reader->err, reader->place, field->name,
                          "is keys of other values; each value must be %s", wanted);
    }
    if (is_flat)
        note_flat_vector(reader, field);
    const BwKey *list = is_turn ? keys_about_z(reader, keys) : keys->keys;
    if (list == NULL)
        return bw_fail_memory(reader->err);
    *curve =
        (BwCurve){.kind = BW_CURVE_KEYS, .components = components, .keys = list, .key_count = keys->count};
    return BW_OK;
}

static BwResult keys_of_choices(const Reader *reader, const BwSceneField *field, const BwScriptKeys *keys,
                                BwCurve *curve)
{
    if (keys->components != 0)
        return fail_found(reader, field);
    BwKey *list = bw_arena_alloc(&reader->scene->arena, (size_t)keys->count * sizeof *list, _Alignof(BwKey));
    if (list == NULL)
        return bw_fail_memory(reader->err);
    for (int n = 0; n < keys->count; n++) {
        int choice = 0;
        BW_TRY(find_choice(reader, field, keys->texts[n], &choice));
        list[n] = (BwKey){keys->keys[n].time, {(float)choice}};
    }
    *curve = (BwCurve){.kind = BW_CURVE_STEPS, .components = 1, .keys = list, .key_count = keys->count};
    return BW_OK;
}

// What may change over time: keys or a function. False when the value is neither.
static bool read_change(const Reader *reader, const BwSceneField *field, BwCurve *curve, BwResult *result)
{
    lua_State *L = reader->L;
    const BwScriptKeys *keys = bw_keys_at(L, -1);
    if (keys != NULL) {
        *result = field->kind == BW_FIELD_CHOICE_CURVE ? keys_of_choices(reader, field, keys, curve)
                                                       : keys_of_numbers(reader, field, keys, curve);
        return true;
    }
    if (lua_type(L, -1) != LUA_TFUNCTION)
        return false;
    lua_pushvalue(L, -1);
    *result = bw_function_curve(reader->scene, field, reader->place, curve, reader->err);
    return true;
}

static BwResult read_curve(const Reader *reader, const BwSceneField *field, BwCurve *curve)
{
    BwResult result;
    if (read_change(reader, field, curve, &result))
        return result;
    if (bw_field_is_vector_curve(field)) {
        float v[3];
        BW_TRY(read_vector(reader, field, v));
        *curve = bw_curve_vector(v[0], v[1], v[2]);
        return BW_OK;
    }
    double value;
    BW_TRY(read_number(reader, field, &value));
    *curve = bw_curve_number((float)value);
    return BW_OK;
}

static BwResult read_choice_curve(const Reader *reader, const BwSceneField *field, char *def)
{
    BwResult result;
    if (read_change(reader, field, (BwCurve *)(def + field->curve_offset), &result))
        return result;
    return read_choice(reader, field, def + field->offset);
}

static BwResult read_place(const Reader *reader, const BwSceneField *field, BwPlaceCurve *curve)
{
    if (lua_type(reader->L, -1) != LUA_TFUNCTION)
        return fail_found(reader, field);
    lua_pushvalue(reader->L, -1);
    return bw_function_place(reader->scene, field, reader->place, curve, reader->err);
}

static BwResult read_shape(const Reader *reader, const BwSceneField *field, BwShape *shape)
{
    const BwShape *found = bw_shape_at(reader->L, -1);
    if (found == NULL)
        return fail_found(reader, field);
    *shape = *found;
    return BW_OK;
}

// The shapes that stand without a name in the constructor's table, on top of the stack.
static BwResult read_parts(const Reader *reader, const BwSceneField *field, BwShape *shape)
{
    lua_State *L = reader->L;
    int count = (int)lua_rawlen(L, -1);
    if ((field->flags & BW_ONE_PART) && count != 1)
        return bw_fail_at(reader->err, reader->place, NULL, "has %d shapes; it must have one", count);
    BwShape *parts = bw_arena_alloc(&reader->scene->arena, (size_t)count * sizeof *parts, _Alignof(BwShape));
    if (parts == NULL)
        return bw_fail_memory(reader->err);
    for (int n = 0; n < count; n++) {
        lua_rawgeti(L, -1, n + 1);
        const BwShape *part = bw_shape_at(L, -1);
        if (part == NULL) {
            char found[BW_FOUND];
            bw_found_text(L, -1, found);
            return bw_fail_at(reader->err, reader->place, NULL, "has %s as part %d; it must be a shape",
                              found, n + 1);
        }
        parts[n] = *part;
        lua_pop(L, 1);
    }
    shape->parts = parts;
    shape->part_count = count;
    return BW_OK;
}

static BwResult read_group(const Reader *reader, const BwSceneField *field, void *def)
{
    BwPlace inside = bw_place_inside(reader->place, field->name);
    if (lua_type(reader->L, -1) != LUA_TTABLE && !field->group->first_alone)
        return fail_found(reader, field);
    return bw_script_read(reader->scene, field->group, lua_gettop(reader->L), def, &inside, reader->err);
}

static BwResult read_owned_group(const Reader *reader, const BwSceneField *field, const void **at)
{
    void *def = bw_arena_alloc(&reader->scene->arena, field->group->size, _Alignof(max_align_t));
    if (def == NULL)
        return bw_fail_memory(reader->err);
    bw_constructor_defaults(field->group, def);
    *at = def;
    return read_group(reader, field, def);
}

// The value on top of the stack into the Def.
static BwResult read_field(const Reader *reader, const BwSceneField *field, char *def)
{
    char *at = def + field->offset;
    double number = 0.0;
    switch (field->kind) {
    case BW_FIELD_TEXT:
        return read_text(reader, field, (const char **)at);
    case BW_FIELD_FLAG:
        if (lua_type(reader->L, -1) != LUA_TBOOLEAN)
            return fail_found(reader, field);
        *(bool *)at = lua_toboolean(reader->L, -1);
        return BW_OK;
    case BW_FIELD_INTEGER:
        BW_TRY(read_number(reader, field, &number));
        *(int *)at = (int)number;
        return BW_OK;
    case BW_FIELD_SEED:
        BW_TRY(read_number(reader, field, &number));
        *(uint64_t *)at = (uint64_t)number;
        return BW_OK;
    case BW_FIELD_NUMBER:
        BW_TRY(read_number(reader, field, &number));
        *(float *)at = (float)number;
        return BW_OK;
    case BW_FIELD_DOUBLE:
        return read_number(reader, field, (double *)at);
    case BW_FIELD_CHOICE:
        return read_choice(reader, field, at);
    case BW_FIELD_VECTOR: {
        float v[3];
        BW_TRY(read_vector(reader, field, v));
        *(BwVec3 *)at = bw_vec3(v[0], v[1], v[2]);
        return BW_OK;
    }
    case BW_FIELD_COLOR:
        return read_list(reader, field, (float *)at, 3);
    case BW_FIELD_PAIR:
        return read_list(reader, field, (float *)at, 2);
    case BW_FIELD_AXES:
        return read_axes(reader, field, (bool *)at);
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return read_curve(reader, field, (BwCurve *)at);
    case BW_FIELD_CHOICE_CURVE:
        return read_choice_curve(reader, field, def);
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
        return read_place(reader, field, (BwPlaceCurve *)at);
    case BW_FIELD_SHAPE:
        return read_shape(reader, field, (BwShape *)at);
    case BW_FIELD_GROUP:
        return read_group(reader, field, at);
    case BW_FIELD_OWNED_GROUP:
        return read_owned_group(reader, field, (const void **)at);
    case BW_FIELD_PARTS:
        return read_parts(reader, field, (BwShape *)def);
    }
    return BW_OK;
}

static BwResult fail_unknown_field(const Reader *reader, const BwConstructor *constructor, const char *name)
{
    const char *names[64];
    for (int n = 0; n < constructor->field_count; n++)
        names[n] = constructor->fields[n].name;
    char known[400], found[BW_FOUND], hint[100] = "";
    bw_names_text(&(BwNames){names, constructor->field_count}, known, sizeof known);
    const char *nearest = bw_nearest_name(name, names, constructor->field_count);
    if (nearest != NULL)
        snprintf(hint, sizeof hint, "did you mean \"%s\"? ", nearest);
    lua_pushstring(reader->L, name);
    bw_found_text(reader->L, -1, found);
    lua_pop(reader->L, 1);
    return bw_fail_at(reader->err, reader->place, NULL, "has no field %s; %sknown: %s", found, hint, known);
}

static bool takes_parts(const BwConstructor *constructor)
{
    return constructor->fields[0].kind == BW_FIELD_PARTS;
}

// Is the key, on the stack below its value, one that this constructor knows?
static bool key_is_known(const Reader *reader, const BwConstructor *constructor)
{
    lua_State *L = reader->L;
    if (lua_type(L, -2) != LUA_TSTRING)
        return lua_type(L, -2) == LUA_TNUMBER && takes_parts(constructor);
    const BwSceneField *field = bw_field_find(constructor, lua_tostring(L, -2));
    return field != NULL && field->kind != BW_FIELD_PARTS;
}

// Of several unknown keys the first in the alphabet is told, so that the message does not depend on the hash.
static BwResult check_keys_are_known(const Reader *reader, const BwConstructor *constructor, int index)
{
    lua_State *L = reader->L;
    const char *unknown = NULL; // lives in the table
    bool has_nameless = false;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        if (!key_is_known(reader, constructor)) {
            const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
            has_nameless |= name == NULL;
            if (name != NULL && (unknown == NULL || strcmp(name, unknown) < 0))
                unknown = name;
        }
        lua_pop(L, 1);
    }
    if (unknown != NULL)
        return fail_unknown_field(reader, constructor, unknown);
    if (has_nameless)
        return bw_fail_at(reader->err, reader->place, NULL, "has a value without a name; write name = value");
    return BW_OK;
}

// Pushes the field's value from the table; parts are the table itself. False and nothing pushed when not
// given.
static bool push_field(lua_State *L, const BwSceneField *field, int index)
{
    if (field->kind == BW_FIELD_PARTS) {
        lua_pushvalue(L, index);
        if (lua_rawlen(L, index) > 0)
            return true;
    } else {
        lua_pushstring(L, field->name);
        if (lua_rawget(L, index) != LUA_TNIL)
            return true;
    }
    lua_pop(L, 1);
    return false;
}

static BwResult read_fields(const Reader *reader, const BwConstructor *constructor, int index, char *def)
{
    uint64_t given = 0;
    for (int n = 0; n < constructor->field_count; n++) {
        const BwSceneField *field = &constructor->fields[n];
        if (!push_field(reader->L, field, index)) {
            if (!(field->flags & BW_REQUIRED))
                continue;
            char wanted[BW_WORDING];
            bw_wanted_text(field, wanted);
            return bw_fail_at(reader->err, reader->place, field->name, "is missing; it must be %s", wanted);
        }
        BW_TRY(read_field(reader, field, def));
        lua_pop(reader->L, 1);
        given |= (uint64_t)1 << n;
    }
    return bw_check_conflicts(constructor, given, reader->place, reader->err);
}

BwResult bw_script_read(BwScene *scene, const BwConstructor *constructor, int index, void *def,
                        const BwPlace *place, BwError *err)
{
    Reader reader = {scene, scene->sandbox.L, place, err};
    luaL_checkstack(reader.L, 10, NULL);
    if (lua_type(reader.L, index) != LUA_TTABLE) { // stands for the first field alone
        lua_pushvalue(reader.L, index);
        BW_TRY(read_field(&reader, &constructor->fields[0], def));
        lua_pop(reader.L, 1);
        return BW_OK;
    }
    BW_TRY(check_keys_are_known(&reader, constructor, index));
    return read_fields(&reader, constructor, index, def);
}
