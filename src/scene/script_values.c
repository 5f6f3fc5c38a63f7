// Single values between Lua and C: shapes, keys, vectors, and how to name what was found.
#include "scene/script.h"

#include "scene/wording.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#define SHAPE_TYPE "shape"
#define KEYS_TYPE  "keys"

BwScene *bw_scene_of(lua_State *L)
{
    return (BwScene *)((char *)bw_sandbox_of(L) - offsetof(BwScene, sandbox));
}

// Text in quotes, cut to a readable length, on one line.
static void quoted_text(const char *text, size_t length, char *out, size_t size)
{
    size_t cut = length > 40 ? 40 : length;
    char safe[41];
    for (size_t n = 0; n < cut; n++)
        safe[n] = text[n] >= ' ' && text[n] != 127 ? text[n] : '?';
    safe[cut] = '\0';
    snprintf(out, size, "\"%s%s\"", safe, cut < length ? "..." : "");
}

static void plain_text(lua_State *L, int index, char *out, size_t size)
{
    char number[40];
    size_t length;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        bw_number_text(lua_tonumber(L, index), number);
        snprintf(out, size, "%s", number);
        break;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(L, index, &length);
        quoted_text(text, length, out, size);
        break;
    }
    case LUA_TBOOLEAN:
        snprintf(out, size, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TUSERDATA:
        snprintf(out, size, bw_keys_at(L, index) != NULL ? "keys" : "a shape");
        break;
    case LUA_TNIL:
        snprintf(out, size, "nil");
        break;
    default:
        snprintf(out, size, "a %s", lua_typename(L, lua_type(L, index)));
    }
}

static void list_text(lua_State *L, int index, char *out, size_t size)
{
    size_t count = lua_rawlen(L, index), length = 1;
    snprintf(out, size, "{");
    for (size_t n = 1; n <= count && n <= 4 && length + 4 < size; n++) {
        char item[BW_FOUND];
        lua_rawgeti(L, index, (lua_Integer)n);
        plain_text(L, -1, item, sizeof item);
        lua_pop(L, 1);
        length += (size_t)snprintf(out + length, size - length, "%s%s", n > 1 ? ", " : "", item);
    }
    if (length < size)
        snprintf(out + length, size - length, "%s}", count > 4 ? ", ..." : "");
}

void bw_found_text(lua_State *L, int index, char text[BW_FOUND])
{
    index = lua_absindex(L, index);
    if (lua_type(L, index) == LUA_TTABLE && lua_rawlen(L, index) > 0)
        list_text(L, index, text, BW_FOUND_CUT);
    else
        plain_text(L, index, text, BW_FOUND_CUT);
}

// Whether the number at an index, or one of the list there, is more than a float holds.
static bool is_too_large(lua_State *L, int index)
{
    if (lua_type(L, index) == LUA_TNUMBER)
        return bw_number_is_too_large(lua_tonumber(L, index));
    bool is_one = false;
    for (int n = 1; n <= 4 && lua_type(L, index) == LUA_TTABLE; n++) {
        if (lua_rawgeti(L, index, n) == LUA_TNUMBER)
            is_one |= bw_number_is_too_large(lua_tonumber(L, -1));
        lua_pop(L, 1);
    }
    return is_one;
}

void bw_found_value_text(lua_State *L, int index, char text[BW_FOUND])
{
    index = lua_absindex(L, index);
    bw_found_text(L, index, text);
    size_t length = strlen(text);
    if (is_too_large(L, index))
        snprintf(text + length, BW_FOUND - length, BW_TOO_LARGE);
}

void bw_values_register(lua_State *L)
{
    static const char *const types[] = {SHAPE_TYPE, KEYS_TYPE};
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        luaL_newmetatable(L, types[n]);
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
        lua_pop(L, 1);
    }
}

void bw_shape_push(lua_State *L, const BwShape *shape)
{
    BwShape *copy = lua_newuserdatauv(L, sizeof *copy, 0);
    *copy = *shape;
    luaL_setmetatable(L, SHAPE_TYPE);
}

// Does not raise, so that results of functions can be looked at outside of protected calls.
static const void *value_of_type(lua_State *L, int index, const char *type)
{
    return lua_type(L, index) == LUA_TUSERDATA ? luaL_testudata(L, index, type) : NULL;
}

const BwShape *bw_shape_at(lua_State *L, int index)
{
    return value_of_type(L, index, SHAPE_TYPE);
}

const BwScriptKeys *bw_keys_at(lua_State *L, int index)
{
    return value_of_type(L, index, KEYS_TYPE);
}

bool bw_vector_at(lua_State *L, int index, float values[3], int *count)
{
    if (lua_type(L, index) != LUA_TTABLE)
        return false;
    size_t length = lua_rawlen(L, index);
    if (length < 2 || length > 3)
        return false;
    values[2] = 0.0f;
    for (int n = 0; n < (int)length; n++) {
        int type = lua_rawgeti(L, index, n + 1);
        values[n] = (float)lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (type != LUA_TNUMBER)
            return false;
    }
    *count = (int)length;
    return true;
}

// Reads the value of key n, on top of the stack, which must be like that of the keys before.
static bool read_key_value(lua_State *L, BwScriptKeys *keys, int n, BwKey *key, const char **text,
                           BwArena *arena)
{
    int components = 0;
    size_t length;
    if (lua_type(L, -1) == LUA_TNUMBER) {
        components = 1;
        key->value[0] = (float)lua_tonumber(L, -1);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        const char *word = lua_tolstring(L, -1, &length);
        *text = bw_arena_copy_text(arena, word, length);
        if (*text == NULL)
            luaL_error(L, "out of memory");
    } else if (!bw_vector_at(L, -1, key->value, &components)) {
        return false;
    }
    if (n == 0)
        keys->components = components;
    return components == keys->components;
}

static void read_key(lua_State *L, BwScriptKeys *keys, int n, BwKey *key, const char **text)
{
    char found[BW_FOUND];
    lua_rawgeti(L, 1, n + 1);
    bw_found_text(L, -1, found);
    if (lua_type(L, -1) != LUA_TTABLE || lua_rawlen(L, -1) != 2)
        luaL_error(L, "keys[%d] is %s; it must be {time, value}", n + 1, found);
    if (lua_rawgeti(L, -1, 1) != LUA_TNUMBER)
        luaL_error(L, "keys[%d] is %s; its time must be a number (s)", n + 1, found);
    key->time = lua_tonumber(L, -1);
    lua_rawgeti(L, -2, 2);
    if (!read_key_value(L, keys, n, key, text, &bw_scene_of(L)->arena))
        luaL_error(L, "keys[%d] is %s; values must be numbers, vectors or texts, all alike", n + 1, found);
    lua_pop(L, 3);
}

int bw_script_keys(lua_State *L)
{
    BwArena *arena = &bw_scene_of(L)->arena;
    if (lua_type(L, 1) != LUA_TTABLE || lua_rawlen(L, 1) == 0)
        return luaL_error(L, "keys must be called with a list: keys { {time, value}, ... }");
    size_t count = lua_rawlen(L, 1);
    BwKey *list = bw_arena_alloc(arena, count * sizeof *list, _Alignof(BwKey));
    const char **texts = bw_arena_alloc(arena, count * sizeof *texts, _Alignof(const char *));
    if (list == NULL || texts == NULL)
        return luaL_error(L, "out of memory");
    BwScriptKeys *keys = lua_newuserdatauv(L, sizeof *keys, 0);
    *keys = (BwScriptKeys){.count = (int)count, .keys = list, .texts = texts};
    luaL_setmetatable(L, KEYS_TYPE);
    for (int n = 0; n < (int)count; n++)
        read_key(L, keys, n, &list[n], &texts[n]);
    return 1;
}
