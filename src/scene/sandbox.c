// The sandbox's limits. The count hook sees Lua instructions only, so nothing that can loop for long inside C
// is left in the globals: such library functions are written in Lua (prelude.lua). Coroutines are out too: an
// error thrown by a hook leaves hooks off in the coroutine's closing handlers.
#include "scene/sandbox.h"

#include "base/clock.h"
#include "base/log.h"
#include "scene/prelude.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_A_HOOK = 100, HOOKS_A_CLOCK = 64 };
#define MEMORY_MAX   ((size_t)64 << 20)
#define STRING_MAX   ((size_t)1 << 20) // so that no single operation on one takes long
#define PRELUDE_NAME "billow"
#define BYTES_A_STEP 64 // filling memory is work as well

static const struct {
    int64_t steps;
    double seconds;
} budgets[] = {[BW_BUDGET_LOAD] = {30000000, 0.8}, [BW_BUDGET_CALL] = {1000000, 0.25}};

BwSandbox *bw_sandbox_of(lua_State *L)
{
    return *(BwSandbox **)lua_getextraspace(L);
}

int bw_sandbox_line(lua_State *L)
{
    lua_Debug ar;
    for (int level = 0; lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "Sl", &ar);
        if (ar.source[0] == '@' && ar.currentline > 0) // the prelude's chunk is no file
            return ar.currentline;
    }
    return 0;
}

static void count_steps(lua_State *L, lua_Debug *ar);

// From now on every instruction fails.
static void set_trip(BwSandbox *sandbox, BwTrip trip)
{
    static const char *const texts[] = {
        [BW_TRIP_STEPS] = "the script does not end: too many instructions",
        [BW_TRIP_TIME] = "the script does not end: it takes too long",
        [BW_TRIP_MEMORY] = "the script needs too much memory",
        [BW_TRIP_HOST_MEMORY] = "out of memory",
    };
    if (sandbox->trip != BW_TRIP_NONE || sandbox->L == NULL)
        return;
    sandbox->trip = trip;
    snprintf(sandbox->trip_text, sizeof sandbox->trip_text, "%s:%d: %s", sandbox->name,
             bw_sandbox_line(sandbox->L), texts[trip]);
    lua_sethook(sandbox->L, count_steps, LUA_MASKCOUNT, 1);
}

static void count_steps(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    BwSandbox *sandbox = bw_sandbox_of(L);
    sandbox->steps += STEPS_A_HOOK;
    if (sandbox->steps > sandbox->steps_max)
        set_trip(sandbox, BW_TRIP_STEPS);
    else if (++sandbox->hooks % HOOKS_A_CLOCK == 0 && bw_clock_seconds() > sandbox->deadline)
        set_trip(sandbox, BW_TRIP_TIME);
    if (sandbox->trip == BW_TRIP_NONE)
        return;
    lua_pushliteral(L, "limit passed");
    lua_error(L);
}

static void *resize(BwSandbox *sandbox, void *block, size_t old_size, size_t new_size, size_t align)
{
    if (new_size > old_size) {
        sandbox->steps += (int64_t)((new_size - old_size) / BYTES_A_STEP);
        if (new_size - old_size > MEMORY_MAX - sandbox->used) {
            set_trip(sandbox, BW_TRIP_MEMORY);
            return NULL;
        }
    }
    void *fresh = sandbox->host.resize(sandbox->host.user, block, old_size, new_size, align);
    if (fresh == NULL && new_size > 0) {
        set_trip(sandbox, BW_TRIP_HOST_MEMORY);
        return NULL;
    }
    sandbox->used = sandbox->used - old_size + new_size;
    return fresh;
}

static void *resize_for_lua(void *user, void *block, size_t old_size, size_t new_size)
{
    BwSandbox *sandbox = user;
    if (block == NULL) {
        // Lua tells the kind of a new object in place of the old size.
        if (old_size == LUA_TSTRING && new_size > STRING_MAX) {
            set_trip(sandbox, BW_TRIP_MEMORY);
            return NULL;
        }
        if (new_size == 0)
            return NULL; // Lua frees what it never had; hosts need not know of that
        old_size = 0;
    }
    return resize(sandbox, block, old_size, new_size, _Alignof(max_align_t));
}

static void *resize_for_host(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    return resize(user, block, old_size, new_size, align);
}

BwAllocator bw_sandbox_allocator(BwSandbox *sandbox)
{
    return (BwAllocator){resize_for_host, sandbox};
}

BwResult bw_sandbox_open(BwSandbox *sandbox, const char *name, BwAllocator host, BwLog log, BwError *err)
{
    *sandbox = (BwSandbox){.host = bw_allocator_or_default(host), .log = log, .name = name};
    lua_State *L = lua_newstate(resize_for_lua, sandbox);
    if (L == NULL)
        return bw_fail_memory(err);
    *(BwSandbox **)lua_getextraspace(L) = sandbox;
    sandbox->L = L;
    bw_sandbox_begin(sandbox, BW_BUDGET_LOAD);
    return BW_OK;
}

void bw_sandbox_close(BwSandbox *sandbox)
{
    if (sandbox->L != NULL)
        lua_close(sandbox->L);
    sandbox->L = NULL;
}

void bw_sandbox_begin(BwSandbox *sandbox, BwSandboxBudget budget)
{
    sandbox->steps = 0;
    sandbox->steps_max = budgets[budget].steps;
    sandbox->deadline = bw_clock_seconds() + budgets[budget].seconds;
    if (sandbox->trip == BW_TRIP_NONE)
        lua_sethook(sandbox->L, count_steps, LUA_MASKCOUNT, STEPS_A_HOOK);
}

// Notes where the script was, for errors that come without a place. No more than that: a handler runs without
// limits.
static int note_line(lua_State *L)
{
    bw_sandbox_of(L)->error_line = bw_sandbox_line(L);
    return 1;
}

// The error on top of the stack. Only text is read: a table's __tostring would be more of the script.
static BwResult fail_with_lua_error(const BwSandbox *sandbox, BwError *err)
{
    lua_State *L = sandbox->L;
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error that is not text";
    bool has_place =
        strstr(text, ".lua:") != NULL || strncmp(text, sandbox->name, strlen(sandbox->name)) == 0;
    if (has_place)
        return bw_fail(err, BW_ERR_SCENE, "%s", text);
    if (strncmp(text, PRELUDE_NAME ":", strlen(PRELUDE_NAME ":")) == 0) // a line of ours helps nobody
        text = strchr(text, ' ') + 1;
    if (sandbox->error_line == 0) // not even begun
        return bw_fail(err, BW_ERR_SCENE, "%s: %s", sandbox->name, text);
    return bw_fail(err, BW_ERR_SCENE, "%s:%d: %s", sandbox->name, sandbox->error_line, text);
}

BwResult bw_sandbox_call(BwSandbox *sandbox, int argument_count, int result_count, BwError *err)
{
    lua_State *L = sandbox->L;
    int handler = lua_gettop(L) - argument_count;
    lua_pushcfunction(L, note_line);
    lua_insert(L, handler);
    sandbox->error_line = 0;
    int status = lua_pcall(L, argument_count, result_count, handler);
    lua_remove(L, handler);
    if (sandbox->trip == BW_TRIP_HOST_MEMORY)
        return bw_fail_memory(err);
    if (sandbox->trip != BW_TRIP_NONE)
        return bw_fail(err, BW_ERR_SCENE, "%s", sandbox->trip_text);
    if (status == LUA_OK)
        return BW_OK;
    BwResult result = fail_with_lua_error(sandbox, err);
    lua_pop(L, 1);
    return result;
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

// A finalizer would run when the collector likes, outside of every limit.
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
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

// Keeps the named entries of the table on top of the stack, and nothing else.
static void keep_only(lua_State *L, const char *const *names)
{
    lua_newtable(L);
    for (int n = 0; names[n] != NULL; n++) {
        lua_getfield(L, -2, names[n]);
        lua_setfield(L, -2, names[n]);
    }
    lua_remove(L, -2);
}

static void add_library(lua_State *L, const char *name, lua_CFunction open, const char *const *kept)
{
    luaL_requiref(L, name, open, 0);
    keep_only(L, kept);
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
    if (luaL_loadbufferx(L, bw_prelude, bw_prelude_size, "=" PRELUDE_NAME, "t") != LUA_OK)
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
    static const char *const table[] = {"pack", "unpack", NULL};
    luaL_requiref(L, "_G", luaopen_base, 0);
    keep_only(L, base);
    add_library(L, "string", luaopen_string, string);
    add_library(L, "math", luaopen_math, math);
    add_library(L, "table", luaopen_table, table);
    guard_strings(L);
    lua_pushcfunction(L, script_tostring);
    lua_setfield(L, -2, "tostring");
    lua_pushcfunction(L, script_print);
    lua_setfield(L, -2, "print");
    lua_pushcfunction(L, script_setmetatable);
    lua_setfield(L, -2, "setmetatable");
    run_prelude(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "_G");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
