// The limits of the sandbox hold for all that a script can reach: every function that a walk over its globals
// finds, every operator, and the parser, on texts and tables as large as they get. Time is that of the
// processor, which does not count what other programs take.
#include "gate.h"

#include <billow/scene.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOAD_SECONDS 0.8  // what a script has
#define CALL_SECONDS 0.25 // what a call of a function of time has

#ifdef FULL_SIZE
#define LIST_LENGTH "500000"
#else
#define LIST_LENGTH "100000"
#endif

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double load_seconds(const char *text, size_t length, const BwSceneLoad *load, BwError *err)
{
    BwScene *scene;
    double began = processor_seconds();
    if (bw_scene_load_text(&scene, text, length, "test.lua", load, err) == BW_OK)
        bw_scene_destroy(scene);
    return processor_seconds() - began;
}

typedef struct Names {
    char texts[400][40];
    int count;
} Names;

static void note_name(void *user, BwLogLevel level, const char *message)
{
    (void)level;
    Names *names = user;
    if (strncmp(message, "test.lua", 8) == 0) // a doubt about the scene
        return;
    assert_true(names->count < 400 && strlen(message) < 40);
    strcpy(names->texts[names->count++], message);
}

// Every function that a script can name.
static void find_functions(Names *names)
{
    static const char text[] = "local seen = {}\n"
                               "local function walk(path, t)\n"
                               "    seen[t] = true\n"
                               "    for name, value in pairs(t) do\n"
                               "        if type(value) == 'function' then print(path .. name)\n"
                               "        elseif type(value) == 'table' and not seen[value] then\n"
                               "            walk(path .. name .. '.', value)\n"
                               "        end\n"
                               "    end\n"
                               "end\n"
                               "walk('', _G)\n"
                               "scene { cell = 1 }\n";
    BwSceneLoad load = {.log = {note_name, names}};
    BwError err = {0};
    load_seconds(text, sizeof text - 1, &load, &err);
    assert_int_equal(err.code, BW_OK);
}

// Values as large as they get, and lists of arguments made of them.
static const char large[] =
    "local x = ('x'):rep(65000)\n"
    "local zeros, digits, questions = ('\\0'):rep(65000), ('7'):rep(65000), ('x?'):rep(32000)\n"
    "local spaces, escapes, formats = (' '):rep(65000), ('%1'):rep(32000), ('%99.99f'):rep(9000)\n"
    "local list, keyed, holes, nested = {}, {}, {}, {}\n"
    "for n = 1, " LIST_LENGTH " do list[n] = n end\n"
    "for n = 1, " LIST_LENGTH " // 4 do keyed['k' .. n] = n; holes[n * 3] = n; nested = {nested} end\n"
    "for n = 0, 62 do holes[1 << n] = 1 end\n" // a length of 2^62
    "local ball = sphere { center = {0, 0, 0}, radius = 1 }\n"
    "local balls, moments, bad, named = {}, {}, {}, {}\n"
    "for n = 1, 9000 do balls[n] = ball; moments[n] = {n, 1}; bad[n] = {n, x} end\n"
    "for n = 1, 9000 do named['field' .. n] = x end\n"
    "local function f(...) return ... end\n"
    "local lying = setmetatable({}, { __len = function() return 1e18 end, __index = f,\n"
    "    __lt = function() return true end, __tostring = function() return x end })\n"
    "local sets = {\n"
    "    {x}, {zeros}, {digits}, {spaces}, {list}, {keyed}, {holes}, {nested}, {lying}, {f}, {1e18}, "
    "{-1e18},\n"
    "    {x, 1, 1e18}, {x, -1e18, -1}, {x, x}, {x, questions}, {x, '(.-)(.-)(.-)y'}, {zeros, zeros .. 'a'},\n"
    "    {x, '.*', escapes}, {x, '', 'x'}, {x, '.', f}, {x, 'x', list}, {x, 1e18, x}, {1e18, x}, {digits, "
    "36},\n"
    "    {digits, 10}, {'%99.99s', x}, {'%q', zeros}, {formats, 1e300}, {list, x}, {list, 1, 1e18},\n"
    "    {list, 1, 8000}, {list, 1, 1e18, 2}, {list, 1, 2}, {list, f}, {list, x, 1, 1e18}, {holes, 1, "
    "1e18},\n"
    "    {lying, 1, 1e18}, {f, lying}, {f, list}, {keyed, x}, {keyed, x, x}, {keyed, 'k1', 1}, {nested, "
    "nested},\n"
    "    {list, {}}, {named}, {balls}, {moments}, {bad}, {{x}}, {{shape = ball, density = keys(moments)}},\n"
    "    {{center = list, min = list, from = x, shape = balls, velocity = lying, title = x, cell = x}},\n"
    "}\n";

static double time_calls(const char *name, const char *loop_begin, const char *loop_end)
{
    char text[8192];
    BwError err = {0};
    int length =
        snprintf(text, sizeof text,
                 "%slocal call = %s\n%s for n = 1, #sets do pcall(call, table.unpack(sets[n])) end %s\n",
                 large, name, loop_begin, loop_end);
    assert_true(length < (int)sizeof text);
    double seconds = load_seconds(text, (size_t)length, NULL, &err);
    if (seconds > 2.0 * LOAD_SECONDS)
        printf("%s: %.2f s, %s\n", name, seconds, err.message);
    return seconds;
}

// Once with each list of arguments; in the full test for ever.
static void no_function_runs_past_its_time(void **state)
{
    (void)state;
    static Names names;
    double longest = 0.0;
    find_functions(&names);
    assert_true(names.count > 80);
    for (int n = 0; n < names.count; n++) {
        double seconds =
            IS_FULL ? time_calls(names.texts[n], "while true do", "end") : time_calls(names.texts[n], "", "");
        longest = seconds > longest ? seconds : longest;
    }
    printf("%d functions\n", names.count);
    gate("sandbox function, s", longest, GATE_BELOW, 2.0 * LOAD_SECONDS);
}

// What is no function: operators, calls and the collector. The first few are for the quick test as well.
static const char *const endless[] = {
    "while true do local a = zeros < more end",
    "while true do local a = digits + 1 end",
    "while true do pcall(x.find, x, questions) end",
    "while true do pass(x:byte(1, -1)) end",
    "local t = {} for n = 1, 60000 do t[n] = {} end\n"
    "local weak = setmetatable({}, kind) kind['__mo' .. 'de'] = 'k'\n"
    "local at = 0 for n = 1, 60000 do local to = (at + 37211) % 60000 weak[t[at + 1]] = t[to + 1] at = to "
    "end\n"
    "local first = t[1] t = nil while true do first[1] = {} end",
    "while true do local a = x == other end",
    "while true do local a = zeros <= more end",
    "while true do local a = -digits end",
    "while true do local a = digits | 1 end",
    "while true do local a = digits // 1 .. '' end",
    "while true do local a = x .. x end",
    "while true do pcall(function() return x .. x .. x .. x end) end",
    "while true do local t = {[x] = 1} end",
    "while true do local a = kind[x .. n] end",
    "while true do local a = kind[other] end",
    "while true do local a = #holes end",
    "while true do for a in pairs(holes) do break end end",
    "while true do for a, b in ipairs(long) do break end end",
    "while true do pass(table.unpack(long, 1, 8000)) end",
    "while true do local t = {table.unpack(long, 1, 8000)} end",
    "local function grow(...) return grow(1, 2, 3, 4, 5, 6, 7, 8, ...) end grow()",
    "local function deep() return 1 + deep() end while true do pcall(deep) end",
    "while true do long.a = nil long.b = 1 long.b = nil long.a = 1 end",
    "while true do long[#long + 1] = 1 end",
    "while true do local t = {} for n = 1, 1000 do t[n] = {t} end end",
    "while true do error_text = pcall(error, x) end",
    "while true do print(x, x, x) end",
    "while true do local t = setmetatable({}, {}) end",
    "while true do undefined_name = nil; pcall(function() return _G[x] end) end",
    "while true do pcall(string.rep, x, 1e18) end",
};

static void no_operator_runs_past_its_time(void **state)
{
    (void)state;
    enum { ALL = sizeof endless / sizeof *endless, QUICK = 5 };
    double longest = 0.0;
    for (int n = 0; n < (IS_FULL ? ALL : QUICK); n++) {
        char text[4096];
        BwError err = {0};
        int length =
            snprintf(text, sizeof text,
                     "local x, zeros, digits = ('x'):rep(65000), ('\\0'):rep(65000), ('7'):rep(65000)\n"
                     "local other, more, questions, n, kind = ('x'):rep(64999) .. 'y', zeros .. 'a', "
                     "('x?'):rep(32000), 1, {}\n"
                     "local long, holes = {}, {} for n = 1, 500000 do long[n] = n end\n"
                     "for n = 0, 62 do holes[1 << n] = 1 end for n = 1, 100000 do holes[-n] = n end\n"
                     "for n = 1, 99990 do holes[-n] = nil end\n"
                     "local function pass(...) return ... end\n%s\n",
                     endless[n]);
        assert_true(length < (int)sizeof text);
        double seconds = load_seconds(text, (size_t)length, NULL, &err);
        if (err.code != BW_ERR_SCENE || seconds > 2.0 * LOAD_SECONDS)
            fail_msg("%s: %.2f s, \"%s\"", endless[n], seconds, err.message);
        longest = seconds > longest ? seconds : longest;
    }
    gate("sandbox operator, s", longest, GATE_BELOW, 2.0 * LOAD_SECONDS);
}

// In a function of time the same limits hold, for a call.
static void no_function_of_time_runs_past_its_time(void **state)
{
    (void)state;
    static const char text[] =
        "local zeros = ('\\0'):rep(65000) local more = zeros .. 'a'\n"
        "scene { cell = 1, frames = 1 }\n"
        "emitter { shape = sphere { center = {0, 0, 0}, radius = 1 }, density = function(t)\n"
        "    for n = 1, 100000 do local a = zeros < more end return 1 end }\n";
    BwError err = {0};
    double seconds = load_seconds(text, sizeof text - 1, NULL, &err);
    assert_int_equal(err.code, BW_ERR_SCENE);
    gate("sandbox function of time, s", seconds, GATE_BELOW, 2.0 * CALL_SECONDS);
}

// Compares each label with those before it, and with every goto that waits for one.
static void the_parser_runs_within_its_time(void **state)
{
    (void)state;
    enum { SIZE = 1000000, COUNT = 30000 };
    char *text = malloc(SIZE), *at = text;
    assert_non_null(text);
    at += sprintf(at, "local a local function f() ");
    for (int n = 0; n < COUNT; n++)
        at += sprintf(at, "goto g ");
    for (int n = 0; n < COUNT; n++)
        at += sprintf(at, "::l%d::a=1 ", n);
    at += sprintf(at, "::g:: end");
    BwError err = {0};
    double seconds = load_seconds(text, (size_t)(at - text), NULL, &err);
    free(text);
    gate("sandbox parser, s", seconds, GATE_BELOW, 2.0 * LOAD_SECONDS);
}

// Tables that nobody uses any more go, also those that were metatables, over many calls.
static void memory_is_given_back(void **state)
{
    (void)state;
    static const char text[] = "local kind = {}\n"
                               "kind.__index = kind\n"
                               "local text = ('x'):rep(3000)\n"
                               "for n = 1, 30000 do\n"
                               "    local object = setmetatable({ n, text .. n }, { __index = kind })\n"
                               "end\n"
                               "scene { cell = 1 }\n";
    BwError err = {0};
    load_seconds(text, sizeof text - 1, NULL, &err);
    if (err.code != BW_OK)
        fail_msg("%s", err.message);
}

// Texts that look like messages of our own are texts.
static void any_error_text_is_told(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"billow:x", "test.lua:1: billow:x"},
                                           {"billow:", "test.lua:1: billow:"},
                                           {"billow:12", "test.lua:1: billow:12"},
                                           {"billow:12: why", "test.lua:1: why"},
                                           {"", "test.lua:1: "}};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        char script[80];
        BwError err = {0};
        snprintf(script, sizeof script, "error('%s', 0)", texts[n][0]);
        load_seconds(script, strlen(script), NULL, &err);
        assert_string_equal(err.message, texts[n][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_error_text_is_told),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(the_parser_runs_within_its_time),
        cmocka_unit_test(no_function_of_time_runs_past_its_time),
        cmocka_unit_test(no_operator_runs_past_its_time),
        cmocka_unit_test(no_function_runs_past_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
