// A Lua state for text that nobody trusts. No files, no system, no bytecode, no randomness, no addresses;
// memory, the number of instructions and time are limited. Once a limit has been passed the sandbox is over:
// every further instruction fails, so no pcall can live on.
#pragma once

#include "base/memory.h"
#include <billow/base.h>
#include <locale.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BW_PRELUDE_NAME "billow" // stands for a file in messages of the library's own Lua

typedef enum BwTrip {
    BW_TRIP_NONE,
    BW_TRIP_STEPS,
    BW_TRIP_TIME,
    BW_TRIP_MEMORY,
    BW_TRIP_HOST_MEMORY, // the host's allocator refused, not the limit
    BW_TRIP_TEXT,        // one that is too long
    BW_TRIP_WEAK,        // a weak table
} BwTrip;

typedef struct BwSandbox {
    lua_State *L;
    BwAllocator host;
    BwLog log;        // of print
    const char *name; // of the script, in messages; its chunk is "@name"
    locale_t locale;  // of the calls
    size_t used;
    size_t collect_at; // when `used` gets there
    bool is_heavy;     // there has been an object on which one instruction may take long
    int64_t steps, steps_max;
    double seconds;         // of the budget
    double deadline;        // on bw_clock_seconds
    double thread_deadline; // on bw_clock_thread_seconds; 0: the other one has not run out
    int hooks;
    BwTrip trip;
    char trip_text[300]; // where and why
    int error_line;      // of the script, when the last error was raised
} BwSandbox;

// Opens an empty state.
BwResult bw_sandbox_open(BwSandbox *sandbox, const char *name, BwAllocator host, BwLog log, BwError *err);
void bw_sandbox_close(BwSandbox *sandbox);

BwSandbox *bw_sandbox_of(lua_State *L);

// The line of the script that is being run, 0 when none is.
int bw_sandbox_line(lua_State *L);

// Memory for what scripts make outside Lua; it counts against the same limit.
BwAllocator bw_sandbox_allocator(BwSandbox *sandbox);

// Fresh limits for what runs next: a load, or one call of a function.
typedef enum BwSandboxBudget { BW_BUDGET_LOAD, BW_BUDGET_CALL } BwSandboxBudget;
void bw_sandbox_begin(BwSandbox *sandbox, BwSandboxBudget budget);

// lua_pcall, and the error's text in err: the limit that was passed, or what Lua says. Pops the error.
BwResult bw_sandbox_call(BwSandbox *sandbox, int argument_count, int result_count, BwError *err);

// To be run inside a protected call, as all that follows. Charges work in C, in bytes looked at or written,
// and ends the script where it has no budget left.
void bw_sandbox_pay(lua_State *L, size_t bytes);

// Pushes a function for scripts, whose calls pay for the arguments and results; it may ask for its context.
void bw_sandbox_push_function(lua_State *L, lua_CFunction function, void *context);
void *bw_sandbox_context(lua_State *L);

// Keeps an eye on the table at an index, which becomes a metatable; `watch` comes first, once.
void bw_sandbox_watch_metatables(lua_State *L);
void bw_sandbox_note_metatable(lua_State *L, int index);

// The text of a script, or what is left of it.
typedef struct BwSource {
    const char *text;
    size_t length;
} BwSource;

// lua_load: pushes the script's function or the error. Pays as it reads.
int bw_sandbox_parse(lua_State *L, BwSource source, const char *chunk);

// The globals that scripts may have.
void bw_sandbox_fill_globals(lua_State *L);
