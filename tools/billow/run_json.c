// Writing and checking run.json.
#include "run_json.h"

#include "formats.h"

#include "base/checksum.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_FORMAT = 1 }; // grows when a reader of run.json must know

static const char sum_key[] = ",\"sum\":\"";

static const char *fluid_name(BwFluid fluid)
{
#define X(name, text) text,
    static const char *const names[] = {BW_FLUIDS(X)};
#undef X
    return names[fluid];
}

static void write_mark(BwJson *json, const char *key, uint64_t value)
{
    char mark[FILE_MARK];
    snprintf(mark, sizeof mark, "%016" PRIx64, value);
    if (value != 0)
        bw_json_text(json, key, mark);
}

// The path that leads from one folder to a file, both from the root on, without links; false where it is too
// long.
static bool write_way(char way[RUN_PATH_SIZE], const char *folder, const char *file)
{
    size_t shared = 0, length = 0;
    for (size_t n = 0; folder[n] == file[n] && folder[n] != '\0'; n++)
        if (folder[n] == '/')
            shared = n + 1;
    size_t whole = strlen(folder);
    if (strncmp(folder, file, whole) == 0 && file[whole] == '/')
        shared = whole + 1;
    for (const char *c = folder + (shared > whole ? whole : shared); *c != '\0';) {
        if (length + 4 >= RUN_PATH_SIZE)
            return false;
        memcpy(way + length, "../", 4);
        length += 3;
        c += strcspn(c, "/");
        c += *c == '/';
    }
    return snprintf(way + length, RUN_PATH_SIZE - length, "%s", file + shared) <
           (int)(RUN_PATH_SIZE - length);
}

// Where the script is, so that it is found from any working folder, and where it is from the run, so that it
// is found when both were moved.
static void write_script(BwJson *json, const char *scene_path, const char *folder)
{
    char way[RUN_PATH_SIZE];
    char *script = realpath(scene_path, NULL), *run = realpath(folder, NULL);
    if (script != NULL)
        bw_json_text(json, "script", script);
    if (script != NULL && run != NULL && write_way(way, run, script))
        bw_json_text(json, "script_from_run", way);
    free(script);
    free(run);
}

static const char *const view_keys[] = {"min_x", "min_y", "min_z", "max_x", "max_y", "max_z"};

static void write_view(BwJson *json, const View *view)
{
    const float ends[] = {view->box.low.x,  view->box.low.y,  view->box.low.z,
                          view->box.high.x, view->box.high.y, view->box.high.z};
    if (!view->is_narrow)
        return;
    bw_json_open(json, "view", '{');
    for (int n = 0; n < 6; n++)
        bw_json_number(json, view_keys[n], (double)ends[n]);
    bw_json_close(json, '}');
}

View run_json_view(BwJsonText run)
{
    BwJsonText view;
    double ends[6];
    if (!bw_json_find(run, "view", &view))
        return (View){0};
    for (int n = 0; n < 6; n++)
        if (!bw_json_find_number(view, view_keys[n], &ends[n]))
            return (View){0};
    return (View){
        true,
        {{(float)ends[0], (float)ends[1], (float)ends[2]}, {(float)ends[3], (float)ends[4], (float)ends[5]}}};
}

static void write_members(FILE *stream, const RunFolderDef *def, const char *folder, uint64_t script_sum)
{
    const BwSceneDef *scene = def->scene;
    BwJson json = bw_json_line(stream);
    json.keeps_bytes = true; // settings must come back as they were
    bw_json_open(&json, NULL, '{');
    bw_json_integer(&json, "format", RUN_FORMAT);
    bw_json_text(&json, "version", bw_version());
    write_mark(&json, "id", def->run_id);
    bw_json_text(&json, "scene", def->given_path != NULL ? def->given_path : def->scene_path);
    write_script(&json, def->scene_path, folder);
    write_mark(&json, "script_sum", script_sum);
    bw_json_text(&json, "title", scene->title);
    bw_json_text(&json, "fluid", fluid_name(scene->fluid));
    bw_json_integer(&json, "dimension", scene->dimension);
    bw_json_number(&json, "cell", (double)scene->cell);
    bw_json_integer(&json, "frames", def->frame_count);
    bw_json_number(&json, "fps", scene->fps);
    bw_json_open(&json, "params", '{');
    for (int n = 0; n < def->param_count; n++)
        bw_json_text(&json, def->params[n].name, def->params[n].value);
    bw_json_close(&json, '}');
    bw_json_open(&json, "settings", '{');
    for (int n = 0; n < def->setting_count; n++)
        bw_json_text(&json, def->settings[n].name, def->settings[n].value);
    bw_json_close(&json, '}');
    bw_json_open(&json, "files", '{');
    for (int n = 0; n < def->file_count; n++) {
        char mark[FILE_MARK];
        write_file_mark(mark, def->files[n].content);
        bw_json_text(&json, def->files[n].path, mark);
    }
    bw_json_close(&json, '}');
    bw_json_integer(&json, "threads", def->worker_count);
    for (int n = 0; n < format_count; n++)
        if (formats[n].key != NULL)
            bw_json_bool(&json, formats[n].key, formats[n].is_asked(&scene->output));
    bw_json_integer(&json, "width", scene->output.width);
    bw_json_integer(&json, "height", scene->output.height);
    write_view(&json, &def->view);
}

// The object is left open for its last member.
void run_json_write(FILE *stream, const RunFolderDef *def, const char *folder, uint64_t script_sum)
{
    char *text = NULL;
    size_t size = 0;
    FILE *members = open_memstream(&text, &size);
    if (members == NULL)
        return; // the file is empty then, and no run
    write_members(members, def, folder, script_sum);
    if (fclose(members) == 0) {
        fwrite(text, 1, size, stream);
        fprintf(stream, "%s%016" PRIx64 "\"}\n", sum_key, bw_mix_bytes(0, text, size));
    }
    free(text);
}

// The last place of the key.
static const char *find_sum(BwJsonText run)
{
    size_t length = sizeof sum_key - 1;
    for (const char *c = run.end - length; c >= run.begin && run.end - run.begin > (long)length; c--)
        if (memcmp(c, sum_key, length) == 0)
            return c;
    return NULL;
}

BwResult run_json_check(BwJsonText run, const char *path, BwError *err)
{
    char wanted[64];
    BwJsonText id;
    const char *at = find_sum(run);
    if (at == NULL && !bw_json_find(run, "id", &id)) // of a version before runs had checksums
        return BW_OK;
    if (at != NULL)
        snprintf(wanted, sizeof wanted, "%s%016" PRIx64 "\"}\n", sum_key,
                 bw_mix_bytes(0, run.begin, (size_t)(at - run.begin)));
    if (at != NULL && (size_t)(run.end - at) == strlen(wanted) && memcmp(at, wanted, strlen(wanted)) == 0)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its checksum does not agree", path);
}
