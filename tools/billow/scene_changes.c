// Scenes are compared as their listings, line by line.
#include "scene_changes.h"

#include "say.h"
#include "scene/listing.h"

#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 8, SAMPLES = 65 };

static void put(void *stream, const char *text)
{
    fputs(text, stream);
}

// The caller frees the text; NULL when memory is short.
static char *list_scene(const BwSceneDef *def, double until)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    BwListing listing = {put, stream, until, SAMPLES};
    BwResult result = bw_scene_list(def, &listing, NULL);
    if (fclose(stream) != 0 || result != BW_OK) {
        free(text);
        return NULL;
    }
    return text;
}

// Cuts the next line off, and its value: the text after the tab.
static char *next_line(char **rest, char **value)
{
    char *line = strsep(rest, "\n");
    if (line == NULL || *line == '\0')
        return NULL;
    *value = strchr(line, '\t');
    *(*value)++ = '\0';
    return line;
}

static bool is_long(const char *value)
{
    return strlen(value) > 60;
}

// Lists that do not have the same lines are told apart by the number of emitters and so on, which comes
// first.
static int compare(FILE *stream, char *was, char *is)
{
    int count = 0;
    char *old_value = NULL, *new_value = NULL;
    while (count < CHANGES_MAX) {
        char *old_name = next_line(&was, &old_value), *new_name = next_line(&is, &new_value);
        if (old_name == NULL && new_name == NULL)
            return count;
        if (old_name == NULL || new_name == NULL || strcmp(old_name, new_name) != 0) {
            fprintf(stream, "  %s is new or gone\n", new_name != NULL ? new_name : old_name);
            return count + 1;
        }
        if (strcmp(old_value, new_value) == 0)
            continue;
        count++;
        if (is_long(old_value) || is_long(new_value))
            fprintf(stream, "  %s has changed\n", old_name);
        else {
            const char *const parts[][2] = {{"  ", old_name}, {" was", old_value}, {", is", new_value}};
            for (int part = 0; part < 3; part++) {
                fputs(parts[part][0], stream);
                say(stream, parts[part][1]);
            }
            fputs("\n", stream);
        }
    }
    return count;
}

static double end_of(const BwSceneDef *def)
{
    return bw_scene_def_frame_count(def) / def->fps;
}

// Functions are looked at over one and the same time, for another length is no change.
int scene_changes(FILE *stream, const BwSceneDef *was, const BwSceneDef *is)
{
    double until = end_of(was) > end_of(is) ? end_of(was) : end_of(is);
    char *old_text = list_scene(was, until), *new_text = list_scene(is, until);
    int count = old_text != NULL && new_text != NULL ? compare(stream, old_text, new_text) : -1;
    free(old_text);
    free(new_text);
    return count;
}

int output_changes(FILE *stream, const BwOutputDef *was, const BwOutputDef *is)
{
    static const char *const from[] = {"levelset", "particles"}, *const up[] = {"y", "z"};
    int count = 0;
    bool has_mesh = is->mesh || is->obj || is->gltf;
    const struct {
        const char *name;
        int was, is;
    } numbers[] = {{"mesh_resolution", was->mesh_resolution, is->mesh_resolution},
                   {"mesh_smoothing", was->mesh_smoothing, is->mesh_smoothing}};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers && has_mesh; n++)
        if (numbers[n].was != numbers[n].is) {
            fprintf(stream, "  output.%s was %d, is %d\n", numbers[n].name, numbers[n].was, numbers[n].is);
            count++;
        }
    if (has_mesh && was->mesh_from != is->mesh_from)
        fprintf(stream, "  output.mesh_from was \"%s\", is \"%s\"\n",
                from[was->mesh_from == BW_MESH_FROM_PARTICLES],
                from[is->mesh_from == BW_MESH_FROM_PARTICLES]);
    if (was->up != is->up)
        fprintf(stream, "  output.up was \"%s\", is \"%s\"\n", up[was->up == BW_UP_Z], up[is->up == BW_UP_Z]);
    if (was->half != is->half)
        fprintf(stream, "  output.half was %s, is %s\n", was->half ? "true" : "false",
                is->half ? "true" : "false");
    return count + (has_mesh && was->mesh_from != is->mesh_from) + (was->up != is->up) +
           (was->half != is->half);
}
