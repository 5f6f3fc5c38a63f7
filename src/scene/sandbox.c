// The sandbox's limits. The count hook sees Lua instructions only, so no single instruction may take long:
// texts are short, calls of C pay for what they do (sandbox_library.c), and the collector runs only where a
// limit can follow it. The clock is looked at every so many instructions, the more often the larger the
// script's largest object is.
#include "scene/sandbox.h"

#include "base/clock.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

// Instructions between two looks at the budget, and looks between two at the clock. A text or a block of
// memory that is not small makes an instruction a thousand times as long as the next one: comparing 64 KiB
// takes a millisecond.
enum { STEPS_A_HOOK = 100, HOOKS_A_CLOCK = 8, STEPS_A_HEAVY_HOOK = 16 };
enum { HEAVY_TEXT = 4096, HEAVY_BLOCK = 1 << 16, PAYMENT_A_CLOCK = 4096 };

#define MEMORY_MAX ((size_t)64 << 20)
#define MEMORY_HARD                                                                                          \
    (4 * MEMORY_MAX) // no script gets there: an object doubles at most, then the next hook ends it
#define WASTE_MIN    ((size_t)1 << 20) // before the collector is worth its while
#define TEXT_MAX     65536
#define TEXT_HEADER  64   // what Lua adds at most
#define BYTES_A_STEP 64   // filling memory is work as well
#define LEVELS_MAX   1000 // of calls that are looked through for the script's line: each look begins at the top

static const char metatables_key = 0; // its address is the key of the set of all metatables

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
    for (int level = 0; level < LEVELS_MAX && lua_getstack(L, level, &ar); level++) {
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
        [BW_TRIP_TEXT] = "the script makes a text of more than 65536 bytes",
        [BW_TRIP_WEAK] = "__mode is not there in scene scripts",
    };
    if (sandbox->trip != BW_TRIP_NONE || sandbox->L == NULL)
        return;
    sandbox->trip = trip;
    int line = bw_sandbox_line(sandbox->L);
    if (line > 0)
        snprintf(sandbox->trip_text, sizeof sandbox->trip_text, "%s:%d: %s", sandbox->name, line,
                 texts[trip]);
    else // it is still being parsed
        snprintf(sandbox->trip_text, sizeof sandbox->trip_text, "%s: %s", sandbox->name, texts[trip]);
    lua_sethook(sandbox->L, count_steps, LUA_MASKCOUNT, 1);
}

static void set_hook(BwSandbox *sandbox)
{
    if (sandbox->trip == BW_TRIP_NONE)
        lua_sethook(sandbox->L, count_steps, LUA_MASKCOUNT,
                    sandbox->is_heavy ? STEPS_A_HEAVY_HOOK : STEPS_A_HOOK);
}

static void become_heavy(BwSandbox *sandbox)
{
    if (sandbox->is_heavy || sandbox->L == NULL)
        return;
    sandbox->is_heavy = true;
    set_hook(sandbox);
}

// Whether a metatable of the script makes weak tables. The collector goes through a chain of these once for
// nearly each link, which no limit could stop.
static bool has_weak_tables(lua_State *L)
{
    bool is_weak = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatables_key);
    lua_pushnil(L);
    while (!is_weak && lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        lua_pushliteral(L, "__mode");
        is_weak = lua_rawget(L, -2) != LUA_TNIL;
        lua_pop(L, is_weak ? 2 : 1);
    }
    lua_pop(L, 1);
    return is_weak;
}

// Lua's own collector is off; this is where memory that is no longer used is found, when it may have doubled.
static void collect_if_due(BwSandbox *sandbox)
{
    if (sandbox->used < sandbox->collect_at || sandbox->trip != BW_TRIP_NONE)
        return;
    if (has_weak_tables(sandbox->L)) {
        set_trip(sandbox, BW_TRIP_WEAK);
        return;
    }
    sandbox->steps += (int64_t)(sandbox->used / BYTES_A_STEP);
    lua_gc(sandbox->L, LUA_GCCOLLECT);
    size_t used = sandbox->used, twice = 2 * used + WASTE_MIN, middle = (used + MEMORY_MAX) / 2;
    sandbox->collect_at = twice < middle ? twice : middle;
}

// The set of the script's metatables. It does not keep them.
void bw_sandbox_watch_metatables(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatables_key);
}

void bw_sandbox_note_metatable(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    lua_pushliteral(L, "__mode");
    if (lua_rawget(L, index) != LUA_TNIL)
        luaL_error(L, "__mode is not there in scene scripts");
    lua_pop(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatables_key);
    lua_pushvalue(L, index);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// On a busy machine a thread may wait for as long as a budget while it does nothing. So when the wall clock,
// which is cheap to read, has run out, half of the budget is granted anew, in the thread's own time.
static bool is_out_of_time(BwSandbox *sandbox)
{
    if (bw_clock_seconds() <= sandbox->deadline)
        return false;
    double now = bw_clock_thread_seconds();
    if (sandbox->thread_deadline == 0.0)
        sandbox->thread_deadline = now + 0.5 * sandbox->seconds;
    return now > sandbox->thread_deadline;
}

// Ends the script where a limit has been passed.
static void obey_limits(lua_State *L, BwSandbox *sandbox, bool look_at_clock)
{
    if (sandbox->steps > sandbox->steps_max)
        set_trip(sandbox, BW_TRIP_STEPS);
    else if (look_at_clock && is_out_of_time(sandbox))
        set_trip(sandbox, BW_TRIP_TIME);
    if (sandbox->trip == BW_TRIP_NONE)
        return;
    lua_pushliteral(L, "limit passed");
    lua_error(L);
}

static void count_steps(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    BwSandbox *sandbox = bw_sandbox_of(L);
    sandbox->steps += sandbox->is_heavy ? STEPS_A_HEAVY_HOOK : STEPS_A_HOOK;
    collect_if_due(sandbox);
    obey_limits(L, sandbox, sandbox->is_heavy || ++sandbox->hooks % HOOKS_A_CLOCK == 0);
}

void bw_sandbox_pay(lua_State *L, size_t bytes)
{
    BwSandbox *sandbox = bw_sandbox_of(L);
    sandbox->steps += (int64_t)(bytes / BYTES_A_STEP);
    obey_limits(L, sandbox, bytes >= PAYMENT_A_CLOCK);
}

static void *resize(BwSandbox *sandbox, void *block, size_t old_size, size_t new_size, size_t align)
{
    if (new_size > old_size)
        sandbox->steps += (int64_t)((new_size - old_size) / BYTES_A_STEP);
    void *fresh = sandbox->host.resize(sandbox->host.user, block, old_size, new_size, align);
    if (fresh == NULL && new_size > 0) {
        set_trip(sandbox, BW_TRIP_HOST_MEMORY);
        return NULL;
    }
    sandbox->used = sandbox->used - old_size + new_size;
    return fresh;
}

// Whether a block may grow. Passing the limit ends the script at its next instruction, but Lua still gets its
// memory: without it, it would run the collector first.
static bool allow_growth(BwSandbox *sandbox, size_t growth, size_t limit)
{
    if (growth > MEMORY_MAX || sandbox->used > MEMORY_MAX - growth)
        set_trip(sandbox, BW_TRIP_MEMORY);
    return growth <= limit && sandbox->used <= limit - growth;
}

static void *resize_for_lua(void *user, void *block, size_t old_size, size_t new_size)
{
    BwSandbox *sandbox = user;
    if (block == NULL) {
        // Lua tells the kind of a new object in place of the old size.
        if (old_size == LUA_TSTRING && new_size > TEXT_MAX + TEXT_HEADER)
            set_trip(sandbox, BW_TRIP_TEXT);
        if (old_size == LUA_TSTRING && new_size > HEAVY_TEXT)
            become_heavy(sandbox);
        if (new_size == 0)
            return NULL; // Lua frees what it never had; hosts need not know of that
        old_size = 0;
    }
    if (new_size > HEAVY_BLOCK)
        become_heavy(sandbox);
    if (new_size > old_size && !allow_growth(sandbox, new_size - old_size, MEMORY_HARD))
        return NULL;
    return resize(sandbox, block, old_size, new_size, _Alignof(max_align_t));
}

static void *resize_for_host(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    if (new_size > old_size && !allow_growth(user, new_size - old_size, MEMORY_MAX))
        return NULL;
    return resize(user, block, old_size, new_size, align);
}

BwAllocator bw_sandbox_allocator(BwSandbox *sandbox)
{
    return (BwAllocator){resize_for_host, sandbox};
}

BwResult bw_sandbox_open(BwSandbox *sandbox, const char *name, BwAllocator host, BwLog log, BwError *err)
{
    *sandbox =
        (BwSandbox){.host = bw_allocator_or_default(host), .log = log, .name = name, .collect_at = WASTE_MIN};
    // Numbers and the order of texts are the same wherever the host is.
    sandbox->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (sandbox->locale == (locale_t)0)
        return bw_fail_memory(err);
    lua_State *L = lua_newstate(resize_for_lua, sandbox);
    if (L == NULL)
        return bw_fail_memory(err);
    *(BwSandbox **)lua_getextraspace(L) = sandbox;
    sandbox->L = L;
    lua_gc(L, LUA_GCSTOP);
    bw_sandbox_begin(sandbox, BW_BUDGET_LOAD);
    return BW_OK;
}

void bw_sandbox_close(BwSandbox *sandbox)
{
    if (sandbox->L != NULL)
        lua_close(sandbox->L);
    if (sandbox->locale != (locale_t)0)
        freelocale(sandbox->locale);
    sandbox->L = NULL;
    sandbox->locale = (locale_t)0;
}

void bw_sandbox_begin(BwSandbox *sandbox, BwSandboxBudget budget)
{
    sandbox->steps = 0;
    sandbox->steps_max = budgets[budget].steps;
    sandbox->seconds = budgets[budget].seconds;
    sandbox->deadline = bw_clock_seconds() + sandbox->seconds;
    sandbox->thread_deadline = 0.0;
    if (budget == BW_BUDGET_CALL)
        collect_if_due(sandbox);
    set_hook(sandbox);
}

static const char *read_piece(lua_State *L, void *user, size_t *size)
{
    BwSource *source = user;
    *size = source->length < PAYMENT_A_CLOCK ? source->length : PAYMENT_A_CLOCK;
    const char *piece = source->text;
    source->text += *size;
    source->length -= *size;
    bw_sandbox_pay(L, *size);
    return piece;
}

int bw_sandbox_parse(lua_State *L, BwSource source, const char *chunk)
{
    return lua_load(L, read_piece, &source, chunk, "t");
}

// Notes where the script was, for errors that come without a place. No more than that: a handler runs without
// limits.
static int note_line(lua_State *L)
{
    bw_sandbox_of(L)->error_line = bw_sandbox_line(L);
    return 1;
}

// "billow:12: what" without the place, which helps nobody. A script may make such a text as well.
static const char *without_our_line(const char *text)
{
    static const char name[] = BW_PRELUDE_NAME ":";
    if (strncmp(text, name, sizeof name - 1) != 0)
        return text;
    const char *line = text + sizeof name - 1, *end = line + strspn(line, "0123456789");
    return end > line && strncmp(end, ": ", 2) == 0 ? end + 2 : text;
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
    text = without_our_line(text);
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
    locale_t outer = uselocale(sandbox->locale);
    int status = lua_pcall(L, argument_count, result_count, handler);
    uselocale(outer);
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
