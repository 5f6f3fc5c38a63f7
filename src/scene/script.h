// A scene script while it is read and while it runs. The reader (script_read.c) turns tables into Defs by the
// table of fields, script_values.c the single values, script_functions.c keeps functions of time, script.c
// loads and owns it all.
#pragma once

#include "scene/sandbox.h"
#include "scene/vocabulary.h"
#include "scene/walk.h"

#include <stdatomic.h>

enum { BW_CONSTRUCTORS_MAX = 64, BW_FOUND = 200, BW_FOUND_CUT = 120 };

// The Defs that one constructor made, and the lines they stand at.
typedef struct BwScriptList {
    void *items;
    int *lines;
    int64_t item_capacity, line_capacity;
    int count;
} BwScriptList;

struct BwScene {
    BwAllocator host;
    atomic_int owners; // who loaded it, and copies of its Defs that call its functions
    BwSandbox sandbox;
    BwArena arena; // of the sandbox's memory
    char *name;
    BwSceneDef def;
    BwScriptList lists[BW_CONSTRUCTORS_MAX];
    const int *lines[BW_CONSTRUCTORS_MAX];
    bool is_loading;
    BwError error;       // the first one; a pcall in the script cannot hide it
    BwError flat_vector; // says where a vector of two numbers stands, an error in 3-D
    BwWatch watch;       // of the load
    const BwSetting *settings;
    int setting_count;
    BwParam *params;
    int64_t param_capacity;
    int param_count;
    const char *folder; // of the files that shapes name; NULL while it is not known
    BwSceneFile *files; // of the host's memory
    int64_t file_capacity;
    int file_count;
};

// Reads the files that the scene's shapes name, each once, and points the shapes to them.
BwResult bw_scene_read_files(BwScene *scene, BwError *err);
void bw_scene_free_files(BwScene *scene);

BwScene *bw_scene_of(lua_State *L);

// One more owner; each calls bw_scene_destroy.
void bw_scene_share(BwScene *scene);

// What the value at an index looks like to a reader of messages: 12, "smok", a table, {1, "a"}.
void bw_found_text(lua_State *L, int index, char text[BW_FOUND]);

// The same of a value that should be a number or a vector: it may be too large for one.
void bw_found_value_text(lua_State *L, int index, char text[BW_FOUND]);

// Pushes shapes and keys as values that scripts can hold but not forge.
void bw_values_register(lua_State *L);
void bw_shape_push(lua_State *L, const BwShape *shape);
const BwShape *bw_shape_at(lua_State *L, int index); // NULL: no shape

typedef struct BwScriptKeys {
    int count, components; // components 0: texts
    const BwKey *keys;
    const char *const *texts;
} BwScriptKeys;

const BwScriptKeys *bw_keys_at(lua_State *L, int index); // NULL: no keys
int bw_script_keys(lua_State *L);                        // the constructor

// Two or three numbers of a plain list; *count tells. False when it is anything else. Never raises.
bool bw_vector_at(lua_State *L, int index, float values[3], int *count);

// The function on top of the stack, popped, as a curve.
BwResult bw_function_curve(BwScene *scene, const BwSceneField *field, const BwPlace *place, BwCurve *curve,
                           BwError *err);
BwResult bw_function_place(BwScene *scene, const BwSceneField *field, const BwPlace *place,
                           BwPlaceCurve *curve, BwError *err);

// The script whose function it is; NULL: a C caller's.
BwScene *bw_curve_script(const BwCurve *curve);
BwScene *bw_place_script(const BwPlaceCurve *curve);

// Reads the table at an index into a Def that holds its defaults, and checks it.
BwResult bw_script_read(BwScene *scene, const BwConstructor *constructor, int index, void *def,
                        const BwPlace *place, BwError *err);
