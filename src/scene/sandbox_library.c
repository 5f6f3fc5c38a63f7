// What scripts may call. Invariant: every function in C is offered by bw_sandbox_push_function, which charges
// the texts and values that a call gets and gives against the budget of instructions (those of a few numbers,
// which cost no more than the instruction that calls them, come as they are), and nothing that can loop for
// long inside C is offered at all: such library functions are written in Lua (prelude.lua), where the count
// hook sees each turn. Coroutines are out too: an error thrown by a hook leaves hooks off in their closing
// handlers.
#include "scene/sandbox.h"

#include "base/log.h"
#include "scene/prelude.h"

#include <lauxlib.h>
#include <lualib.h>

enum { VALUE_BYTES = 16, VALUES_MAX = 8000 };
enum { SMALL_CALL = 256 }; // bytes that the instruction of the call pays for

// Upvalue 1 is the function itself, which runs in this call's place.
static int call_function(lua_State *L)
{
    int count = lua_gettop(L);
    size_t bytes = VALUE_BYTES * (size_t)count;
    for (int n = 1; n <= count; n++)
        if (lua_type(L, n) == LUA_TSTRING)
            bytes += lua_rawlen(L, n);
    if (bytes > SMALL_CALL)
        bw_sandbox_pay(L, bytes);
    int result_count = lua_tocfunction(L, lua_upvalueindex(1))(L);
    if (VALUE_BYTES * (size_t)result_count > SMALL_CALL)
        bw_sandbox_pay(L, VALUE_BYTES * (size_t)result_count);
    return result_count;
}

void bw_sandbox_push_function(lua_State *L, lua_CFunction function, void *context)
{
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, call_function, 2);
}

void *bw_sandbox_context(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(2));
}

// tostring without addresses, which differ from run to run.
static void push_text(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    bool has_own = luaL_getmetafield(L, index, "__tostring") != LUA_TNIL;
    if (has_own)
        lua_pop(L, 1);
    int type = lua_type(L, index);
    if (has_own || type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING)
        luaL_tolstring(L, index, NULL);
    else
        lua_pushstring(L, luaL_typename(L, index));
}

static int script_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    push_text(L, 1);
    return 1;
}

static int script_print(lua_State *L)
{
    luaL_Buffer buffer;
    int count = lua_gettop(L);
    luaL_buffinit(L, &buffer);
    for (int n = 1; n <= count; n++) {
        if (n > 1)
            luaL_addchar(&buffer, '\t');
        push_text(L, n);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    bw_log(&bw_sandbox_of(L)->log, BW_LOG_INFO, "%s", lua_tostring(L, -1));
    return 0;
}

// As table.unpack, for so many values that a call stays short.
static int script_unpack(lua_State *L)
{
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
    if (first > last)
        return 0;
    lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first + 1; // 0: all of them
    if (count == 0 || count > VALUES_MAX)
        return luaL_error(L, "too many results to unpack; %d at most", VALUES_MAX);
    luaL_checkstack(L, (int)count, "too many results to unpack");
    for (lua_Unsigned n = 0; n < count; n++)
        lua_geti(L, 1, (lua_Integer)((lua_Unsigned)first + n));
    return (int)count;
}

// A finalizer would run when the collector likes, outside of every limit; what becomes of weak tables depends
// on when it runs, and chains of them keep it busy for as long as it likes.
static int script_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "__gc is not there in scene scripts");
        lua_pop(L, 1);
        bw_sandbox_note_metatable(L, 2);
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

// Keeps the named entries of the table on top of the stack, and nothing else. Free functions do not pay.
static void keep_only(lua_State *L, const char *const *names, bool is_free)
{
    lua_newtable(L);
    for (int n = 0; names[n] != NULL; n++) {
        lua_getfield(L, -2, names[n]);
        if (!is_free && lua_iscfunction(L, -1)) {
            bw_sandbox_push_function(L, lua_tocfunction(L, -1), NULL);
            lua_remove(L, -2);
        }
        lua_setfield(L, -2, names[n]);
    }
    lua_remove(L, -2);
}

static void add_library(lua_State *L, const char *name, lua_CFunction open, const char *const *kept,
                        bool is_free)
{
    luaL_requiref(L, name, open, 0);
    keep_only(L, kept, is_free);
    lua_setfield(L, -2, name);
}

// The string library's own table stays behind the metatable of strings; ours takes its place, out of the
// script's reach.
static void guard_strings(lua_State *L)
{
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_getfield(L, -3, "string");
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
}

static void run_prelude(lua_State *L)
{
    BwSource source = {bw_prelude, bw_prelude_size};
    if (bw_sandbox_parse(L, source, "=" BW_PRELUDE_NAME) != LUA_OK)
        lua_error(L);
    lua_pushvalue(L, -2);
    lua_call(L, 1, 0);
}

void bw_sandbox_fill_globals(lua_State *L)
{
    static const char *const base[] = {"_VERSION", "assert", "error",    "getmetatable", "ipairs",
                                       "next",     "pcall",  "rawequal", "rawget",       "rawlen",
                                       "rawset",   "select", "tonumber", "type",         NULL};
    static const char *const string[] = {"byte",    "char", "format", "len", "lower",
                                         "reverse", "sub",  "upper",  NULL};
    static const char *const math[] = {"abs", "acos",       "asin", "atan", "ceil", "cos", "deg",
                                       "exp", "floor",      "fmod", "huge", "log",  "max", "maxinteger",
                                       "min", "mininteger", "modf", "pi",   "rad",  "sin", "sqrt",
                                       "tan", "tointeger",  "type", "ult",  NULL};
    static const char *const table[] = {"pack", NULL};
    static const luaL_Reg own[] = {{"tostring", script_tostring},
                                   {"print", script_print},
                                   {"setmetatable", script_setmetatable},
                                   {NULL, NULL}};
    bw_sandbox_watch_metatables(L);
    luaL_requiref(L, "_G", luaopen_base, 0);
    keep_only(L, base, false);
    add_library(L, "string", luaopen_string, string, false);
    add_library(L, "math", luaopen_math, math, true);
    add_library(L, "table", luaopen_table, table, false);
    guard_strings(L);
    for (const luaL_Reg *entry = own; entry->name != NULL; entry++) {
        bw_sandbox_push_function(L, entry->func, NULL);
        lua_setfield(L, -2, entry->name);
    }
    lua_getfield(L, -1, "table");
    bw_sandbox_push_function(L, script_unpack, NULL);
    lua_setfield(L, -2, "unpack");
    lua_pop(L, 1);
    run_prelude(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "_G");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
