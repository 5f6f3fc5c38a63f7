// Loads a scene script: opens the sandbox, offers the constructors, runs the text, and checks what came of
// it.
#include "scene/script.h"

#include "base/file.h"
#include "base/need.h"
#include "scene/check.h"
#include "scene/doubts.h"
#include "scene/noise.h"
#include "scene/wording.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCRIPT_SIZE_MAX ((size_t)1 << 20)

// Ends the running constructor with a message. The first such message is the scene's, whatever a pcall does
// with it.
static int raise(lua_State *L, const BwError *err)
{
    BwScene *scene = bw_scene_of(L);
    if (scene->error.code == BW_OK)
        scene->error = *err;
    lua_pushstring(L, err->message);
    return lua_error(L);
}

static BwResult add_line(BwScene *scene, BwScriptList *list, int line, BwError *err)
{
    BwAllocator allocator = bw_sandbox_allocator(&scene->sandbox);
    BW_TRY(bw_reserve(&allocator, (void **)&list->lines, &list->line_capacity, list->count + 1, sizeof(int),
                      err));
    list->lines[list->count++] = line;
    return BW_OK;
}

static BwResult construct_in_list(BwScene *scene, const BwConstructor *constructor, const BwPlace *place,
                                  BwError *err)
{
    BwScriptList *list = &scene->lists[constructor - bw_constructors];
    BwAllocator allocator = bw_sandbox_allocator(&scene->sandbox);
    BW_TRY(
        bw_reserve(&allocator, &list->items, &list->item_capacity, list->count + 1, constructor->size, err));
    void *def = (char *)list->items + (size_t)list->count * constructor->size;
    bw_constructor_defaults(constructor, def);
    BW_TRY(bw_script_read(scene, constructor, 1, def, place, err));
    BW_TRY(bw_check_def(constructor, def, place, err));
    return add_line(scene, list, place->line, err);
}

static BwResult construct_single(BwScene *scene, const BwConstructor *constructor, const BwPlace *place,
                                 BwError *err)
{
    BwScriptList *list = &scene->lists[constructor - bw_constructors];
    if (list->count > 0)
        return bw_fail_at(err, place, NULL, "is given twice, first at line %d; leave one out",
                          list->lines[0]);
    BW_TRY(add_line(scene, list, place->line, err));
    void *def = (char *)&scene->def + constructor->offset;
    if (def == &scene->def.walls)
        scene->def.has_walls = true;
    BW_TRY(bw_script_read(scene, constructor, 1, def, place, err));
    return bw_check_def(constructor, def, place, err);
}

static BwResult construct_shape(BwScene *scene, const BwConstructor *constructor, const BwPlace *place,
                                BwError *err)
{
    BwShape shape;
    bw_constructor_defaults(constructor, &shape);
    BW_TRY(bw_script_read(scene, constructor, 1, &shape, place, err));
    BW_TRY(bw_check_def(constructor, &shape, place, err));
    bw_shape_push(scene->sandbox.L, &shape);
    return BW_OK;
}

static BwResult construct(BwScene *scene, const BwConstructor *constructor, BwError *err)
{
    lua_State *L = scene->sandbox.L;
    BwPlace place = bw_place(scene->name, bw_sandbox_line(L), constructor->name);
    if (!scene->is_loading)
        return bw_fail_at(err, &place, NULL,
                          "is called by a function of time; it may only be called while the scene loads");
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) {
        char found[BW_FOUND] = "nothing";
        if (lua_gettop(L) > 0)
            bw_found_text(L, 1, found);
        return bw_fail_at(err, &place, NULL, "is called with %s; it must be called with one table: %s {...}",
                          found, constructor->name);
    }
    switch (constructor->use) {
    case BW_USE_LIST:
        return construct_in_list(scene, constructor, &place, err);
    case BW_USE_SINGLE:
        return construct_single(scene, constructor, &place, err);
    default:
        return construct_shape(scene, constructor, &place, err);
    }
}

static int call_constructor(lua_State *L)
{
    const BwConstructor *constructor = bw_sandbox_context(L);
    BwError err;
    if (construct(bw_scene_of(L), constructor, &err) != BW_OK)
        return raise(L, &err);
    return constructor->use == BW_USE_SHAPE ? 1 : 0;
}

static const char *setting_of(const BwScene *scene, const char *name)
{
    const char *value = NULL; // the last one holds
    for (int n = 0; n < scene->setting_count; n++)
        if (strcmp(scene->settings[n].name, name) == 0)
            value = scene->settings[n].value;
    return value;
}

// Pushes the text of a --set as a value of the default's type.
static BwResult push_setting(lua_State *L, const char *name, const char *text, const BwPlace *place,
                             BwError *err)
{
    switch (lua_type(L, 2)) {
    case LUA_TNUMBER:
        if (lua_stringtonumber(L, text) == strlen(text) + 1 && isfinite(lua_tonumber(L, -1)))
            return BW_OK;
        return bw_fail_at(err, place, NULL, "\"%s\" is set to \"%s\"; it must be a number", name, text);
    case LUA_TBOOLEAN:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return bw_fail_at(err, place, NULL, "\"%s\" is set to \"%s\"; it must be true or false", name,
                              text);
        lua_pushboolean(L, strcmp(text, "true") == 0);
        return BW_OK;
    default:
        lua_pushstring(L, text);
        return BW_OK;
    }
}

// The value at an index as text that lives as long as the scene.
static const char *keep_text(lua_State *L, int index)
{
    size_t length;
    const char *text = luaL_tolstring(L, index, &length);
    const char *copy = bw_arena_copy_text(&bw_scene_of(L)->arena, text, length);
    lua_pop(L, 1);
    return copy;
}

// Name and default are at 1 and 2, the value is on top.
static BwResult remember_param(lua_State *L, BwScene *scene, const BwPlace *place, BwError *err)
{
    BwParam param = {keep_text(L, 1), keep_text(L, -1), keep_text(L, 2)};
    if (param.name == NULL || param.value == NULL || param.default_value == NULL)
        return bw_fail_memory(err);
    for (int n = 0; n < scene->param_count; n++) {
        if (strcmp(scene->params[n].name, param.name) != 0)
            continue;
        if (strcmp(scene->params[n].default_value, param.default_value) == 0)
            return BW_OK;
        return bw_fail_at(err, place, NULL,
                          "\"%s\" has the default %s here and %s before; they must be the same", param.name,
                          param.default_value, scene->params[n].default_value);
    }
    BwAllocator allocator = bw_sandbox_allocator(&scene->sandbox);
    BW_TRY(bw_reserve(&allocator, (void **)&scene->params, &scene->param_capacity, scene->param_count + 1,
                      sizeof *scene->params, err));
    scene->params[scene->param_count++] = param;
    return BW_OK;
}

static BwResult read_param(lua_State *L, BwScene *scene, BwError *err)
{
    BwPlace place = bw_place(scene->name, bw_sandbox_line(L), "param");
    if (!scene->is_loading)
        return bw_fail_at(err, &place, NULL, "is called by a function of time; keep its value in a local");
    int type = lua_type(L, 2);
    if (lua_type(L, 1) != LUA_TSTRING || (type != LUA_TNUMBER && type != LUA_TBOOLEAN && type != LUA_TSTRING))
        return bw_fail_at(err, &place, NULL,
                          "must be called with a name and a default: a number, true, false or text");
    const char *text = setting_of(scene, lua_tostring(L, 1));
    if (text == NULL)
        lua_pushvalue(L, 2);
    else
        BW_TRY(push_setting(L, lua_tostring(L, 1), text, &place, err));
    return remember_param(L, scene, &place, err);
}

static int script_param(lua_State *L)
{
    BwError err;
    lua_settop(L, 2);
    return read_param(L, bw_scene_of(L), &err) == BW_OK ? 1 : raise(L, &err);
}

static int script_deg(lua_State *L)
{
    lua_pushnumber(L, luaL_checknumber(L, 1) * 3.14159265358979323846 / 180.0);
    return 1;
}

static int script_noise(lua_State *L)
{
    double at[4];
    for (int n = 0; n < 4; n++) {
        at[n] = luaL_optnumber(L, n + 1, 0.0);
        luaL_argcheck(L, isfinite(at[n]), n + 1, "must be finite");
    }
    lua_pushnumber(L, (double)bw_noise(at[0], at[1], at[2], at[3]));
    return 1;
}

static const struct {
    const char *name;
    lua_CFunction function;
    bool is_free; // of a few numbers: its call is all it costs
} script_functions[] = {{"param", script_param, false},
                        {"deg", script_deg, true},
                        {"noise", script_noise, true},
                        {"keys", bw_script_keys, false}};

enum { SCRIPT_FUNCTION_COUNT = sizeof script_functions / sizeof *script_functions };

// Names that Lua has elsewhere.
static const char *why_absent(const char *name)
{
    static const struct {
        const char *name, *why;
    } absent[] = {
        {"os", "a scene has no system"},
        {"io", "a scene has no files"},
        {"require", "a scene is one file"},
        {"package", "a scene is one file"},
        {"dofile", "a scene is one file"},
        {"loadfile", "a scene is one file"},
        {"load", "a scene makes no code"},
        {"loadstring", "a scene makes no code"},
        {"debug", "a scene has no debugger; print shows values"},
        {"coroutine", "a scene runs from top to bottom"},
        {"collectgarbage", "memory is looked after"},
        {"next", "its order is random; use pairs"},
        {"utf8", "texts are plain bytes"},
    };
    for (size_t n = 0; n < sizeof absent / sizeof *absent; n++)
        if (strcmp(absent[n].name, name) == 0)
            return absent[n].why;
    return NULL;
}

// Reading a global that is not there: most often a slip of the pen.
static int undefined_global(lua_State *L)
{
    const char *names[BW_CONSTRUCTORS_MAX + SCRIPT_FUNCTION_COUNT];
    int count = 0;
    char found[BW_FOUND];
    for (; count < bw_constructor_count; count++)
        names[count] = bw_constructors[count].name;
    for (int n = 0; n < SCRIPT_FUNCTION_COUNT; n++)
        names[count++] = script_functions[n].name;
    bw_found_text(L, 2, found);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (why_absent(name) != NULL)
        return luaL_error(L, "%s is not there in scene scripts: %s", found, why_absent(name));
    const char *nearest = bw_nearest_name(name, names, count);
    if (nearest == NULL)
        return luaL_error(L, "%s is not defined", found);
    return luaL_error(L, "%s is not defined; did you mean \"%s\"?", found, nearest);
}

static void add_constructors(lua_State *L)
{
    for (int n = 0; n < bw_constructor_count; n++) {
        bw_sandbox_push_function(L, call_constructor, (void *)(uintptr_t)&bw_constructors[n]);
        lua_setglobal(L, bw_constructors[n].name);
    }
    for (int n = 0; n < SCRIPT_FUNCTION_COUNT; n++) {
        if (script_functions[n].is_free)
            lua_pushcfunction(L, script_functions[n].function);
        else
            bw_sandbox_push_function(L, script_functions[n].function, NULL);
        lua_setglobal(L, script_functions[n].name);
    }
}

static void guard_globals(lua_State *L)
{
    lua_pushglobaltable(L);
    lua_newtable(L);
    lua_pushcfunction(L, undefined_global);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

// Runs inside a protected call.
static int run_script(lua_State *L)
{
    const BwSource *source = lua_touserdata(L, 1);
    BwScene *scene = bw_scene_of(L);
    bw_values_register(L);
    bw_sandbox_fill_globals(L);
    add_constructors(L);
    guard_globals(L);
    const char *chunk = lua_pushfstring(L, "@%s", scene->name);
    if (bw_sandbox_parse(L, *source, chunk) != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
}

static BwResult check_settings(const BwScene *scene, BwError *err)
{
    for (int n = 0; n < scene->setting_count; n++) {
        bool is_known = false;
        char known[400] = "";
        for (int p = 0; p < scene->param_count; p++) {
            is_known |= strcmp(scene->params[p].name, scene->settings[n].name) == 0;
            size_t length = strlen(known);
            snprintf(known + length, sizeof known - length, "%s%s", p > 0 ? ", " : "", scene->params[p].name);
        }
        if (!is_known)
            return bw_fail(err, BW_ERR_SCENE, "%s: there is no param \"%s\" to set; known: %s", scene->name,
                           scene->settings[n].name, scene->param_count > 0 ? known : "none");
    }
    return BW_OK;
}

// The lists now stand still, so the scene may point to them.
static void attach_lists(BwScene *scene)
{
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *constructor = &bw_constructors[n];
        BwScriptList *list = &scene->lists[n];
        scene->lines[n] = list->lines;
        if (constructor->use != BW_USE_LIST)
            continue;
        memcpy((char *)&scene->def + constructor->offset, &list->items, sizeof list->items);
        memcpy((char *)&scene->def + constructor->count_offset, &list->count, sizeof list->count);
    }
}

static BwResult finish(BwScene *scene, BwError *err)
{
    scene->is_loading = false;
    attach_lists(scene);
    if (scene->lines[0] == NULL)
        return bw_fail(err, BW_ERR_SCENE, "%s: scene {...} is missing; it must be called once", scene->name);
    if (scene->def.dimension == 3 && scene->flat_vector.code != BW_OK) {
        if (err != NULL)
            *err = scene->flat_vector;
        return BW_ERR_SCENE;
    }
    BwOrigins origins = {scene->name, scene->lines};
    BW_TRY(bw_check_scene(&scene->def, &origins, err));
    BW_TRY(check_settings(scene, err));
    BW_TRY(bw_scene_read_files(scene, err));
    bw_scene_tell_doubts(&scene->def, &origins, &scene->sandbox.log);
    return BW_OK;
}

static BwResult run(BwScene *scene, const BwSource *source, BwError *err)
{
    lua_State *L = scene->sandbox.L;
    lua_pushcfunction(L, run_script);
    lua_pushlightuserdata(L, (void *)(uintptr_t)source);
    BwError own;
    BwResult result = bw_sandbox_call(&scene->sandbox, 1, 0, &own);
    const BwError *told =
        scene->sandbox.trip == BW_TRIP_NONE && scene->error.code != BW_OK ? &scene->error : &own;
    if (result == BW_OK && scene->error.code == BW_OK)
        return finish(scene, err);
    if (err != NULL)
        *err = *told;
    return told->code;
}

static BwResult create(BwScene **scene, const char *name, const BwSceneLoad *load, BwError *err)
{
    static const BwSceneLoad nothing;
    if (load == NULL)
        load = &nothing;
    BW_TRY(bw_need_list(load->settings, load->setting_count, "a scene's settings", err));
    for (int n = 0; n < load->setting_count; n++) {
        BW_TRY(bw_need(load->settings[n].name, "the name of a setting", err));
        BW_TRY(bw_need(load->settings[n].value, "the value of a setting", err));
    }
    BwAllocator host = bw_allocator_or_default(load->allocator);
    BwScene *fresh = bw_alloc_zeroed(&host, sizeof *fresh, _Alignof(BwScene));
    if (fresh == NULL)
        return bw_fail_memory(err);
    *scene = fresh;
    fresh->host = host;
    atomic_init(&fresh->owners, 1);
    fresh->watch = load->watch;
    fresh->settings = load->settings;
    fresh->setting_count = load->setting_count;
    fresh->folder = load->folder;
    fresh->is_loading = true;
    fresh->def = bw_scene_def_default();
    fresh->arena.allocator = bw_sandbox_allocator(&fresh->sandbox);
    BW_TRY(bw_sandbox_open(&fresh->sandbox, name, host, load->log, err));
    fresh->name = bw_arena_copy_text(&fresh->arena, name, strlen(name));
    if (fresh->name == NULL)
        return bw_fail_memory(err);
    fresh->sandbox.name = fresh->name;
    return BW_OK;
}

BwResult bw_scene_load_text(BwScene **scene, const char *text, size_t length, const char *name,
                            const BwSceneLoad *load, BwError *err)
{
    BwSource source = {text, length};
    BW_TRY(bw_need(scene, "the place for the scene", err));
    *scene = NULL;
    BW_TRY(bw_need(text, "the text of the scene", err));
    BW_TRY(bw_need(name, "the name of the scene", err));
    BwResult result = create(scene, name, load, err);
    if (result == BW_OK)
        result = run(*scene, &source, err);
    if (result != BW_OK) {
        bw_scene_destroy(*scene);
        *scene = NULL;
        return result;
    }
    (*scene)->watch = (BwWatch){0}; // what follows is the caller's memory
    (*scene)->settings = NULL;
    (*scene)->setting_count = 0;
    (*scene)->folder = NULL;
    return BW_OK;
}

// The folder that a file is in: "." when its path has none.
static void folder_of(char *folder, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, size, "%.*s", length > 0 ? length : 1, length > 0 ? path : ".");
}

BwResult bw_scene_load(BwScene **scene, const char *path, const BwSceneLoad *load, BwError *err)
{
    BwSceneLoad own = load != NULL ? *load : (BwSceneLoad){0};
    BwAllocator allocator = bw_allocator_or_default(own.allocator);
    char *text, folder[4096];
    size_t size;
    BW_TRY(bw_need(scene, "the place for the scene", err));
    *scene = NULL;
    BW_TRY(bw_need(path, "the path of the scene", err));
    BW_TRY(bw_file_read(&allocator, path, SCRIPT_SIZE_MAX, &text, &size, err));
    folder_of(folder, sizeof folder, path);
    own.folder = own.folder != NULL ? own.folder : folder;
    BwResult result = bw_scene_load_text(scene, text, size, path, &own, err);
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    return result;
}

void bw_scene_share(BwScene *scene)
{
    atomic_fetch_add(&scene->owners, 1);
}

void bw_scene_destroy(BwScene *scene)
{
    if (scene == NULL || atomic_fetch_sub(&scene->owners, 1) > 1)
        return;
    BwAllocator allocator = bw_sandbox_allocator(&scene->sandbox);
    bw_sandbox_close(&scene->sandbox);
    for (int n = 0; n < bw_constructor_count; n++) {
        BwScriptList *list = &scene->lists[n];
        bw_free(&allocator, list->items, (size_t)list->item_capacity * bw_constructors[n].size, BW_ALIGN);
        bw_free(&allocator, list->lines, (size_t)list->line_capacity * sizeof *list->lines, BW_ALIGN);
    }
    bw_free(&allocator, scene->params, (size_t)scene->param_capacity * sizeof *scene->params, BW_ALIGN);
    bw_scene_free_files(scene);
    bw_arena_clear(&scene->arena);
    BwAllocator host = scene->host;
    bw_free(&host, scene, sizeof *scene, _Alignof(BwScene));
}

const BwSceneDef *bw_scene_view_def(const BwScene *scene)
{
    return scene != NULL ? &scene->def : NULL;
}

const BwSceneFile *bw_scene_view_files(const BwScene *scene, int *count)
{
    if (count != NULL)
        *count = scene != NULL ? scene->file_count : 0;
    return scene != NULL ? scene->files : NULL;
}

const BwParam *bw_scene_view_params(const BwScene *scene, int *count)
{
    if (count != NULL)
        *count = scene != NULL ? scene->param_count : 0;
    return scene != NULL ? scene->params : NULL;
}
