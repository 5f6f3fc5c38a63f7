// Scenes are compared as lists of lines, "emitter 2 density" and its value. Functions of time are compared by
// what they give.
#include "scene_changes.h"

#include "scene/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 8, SAMPLES = 65 };

typedef struct Listing {
    FILE *stream;
    double duration; // s, over which functions are looked at
} Listing;

static const char *const no_matter[] = {"fill", "initial", "camera", "light", "look", "output", NULL};
static const char *const no_matter_in_scene[] = {"title", "frames", "duration", NULL};

static bool is_among(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static void write_numbers(FILE *stream, const float *values, int count)
{
    for (int n = 0; n < count; n++)
        fprintf(stream, " %.9g", (double)values[n]);
}

static BwResult write_curve(const Listing *listing, const BwCurve *curve, int components, BwError *err)
{
    float value[4];
    if (curve->kind == BW_CURVE_NONE) {
        fprintf(listing->stream, " not given");
        return BW_OK;
    }
    if (curve->kind == BW_CURVE_CONSTANT) {
        BW_TRY(bw_curve_at(curve, 0.0, value, err));
        write_numbers(listing->stream, value, components);
        return BW_OK;
    }
    fprintf(listing->stream, " over time");
    for (int n = 0; n < SAMPLES; n++) {
        BW_TRY(bw_curve_at(curve, listing->duration * n / (SAMPLES - 1), value, err));
        write_numbers(listing->stream, value, components);
    }
    return BW_OK;
}

static BwResult write_value(const Listing *listing, const BwSceneField *field, const void *at, BwError *err)
{
    FILE *stream = listing->stream;
    switch (field->kind) {
    case BW_FIELD_TEXT:
        fprintf(stream, " %s", *(const char *const *)at != NULL ? *(const char *const *)at : "");
        return BW_OK;
    case BW_FIELD_FLAG:
        fprintf(stream, " %s", *(const bool *)at ? "true" : "false");
        return BW_OK;
    case BW_FIELD_CHOICE:
    case BW_FIELD_CHOICE_CURVE:
        fprintf(stream, " %s", field->names->texts[*(const int *)at]);
        return BW_OK;
    case BW_FIELD_INTEGER:
        fprintf(stream, " %d", *(const int *)at);
        return BW_OK;
    case BW_FIELD_SEED:
        fprintf(stream, " %llu", (unsigned long long)*(const uint64_t *)at);
        return BW_OK;
    case BW_FIELD_NUMBER:
        write_numbers(stream, at, 1);
        return BW_OK;
    case BW_FIELD_DOUBLE:
        fprintf(stream, " %.17g", *(const double *)at);
        return BW_OK;
    case BW_FIELD_PAIR:
        write_numbers(stream, at, 2);
        return BW_OK;
    case BW_FIELD_VECTOR:
    case BW_FIELD_COLOR:
        write_numbers(stream, at, 3);
        return BW_OK;
    case BW_FIELD_AXES:
        for (int a = 0; a < 3; a++)
            fprintf(stream, " %d", ((const bool *)at)[a]);
        return BW_OK;
    case BW_FIELD_CURVE:
        return write_curve(listing, at, 1, err);
    case BW_FIELD_VECTOR_CURVE:
        return write_curve(listing, at, 3, err);
    default:
        return BW_OK; // shapes and groups are told by their own fields
    }
}

static BwResult write_field(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                            BwError *err)
{
    const Listing *listing = walk->context;
    if (strcmp(place->path, "scene") == 0 && is_among(field->name, no_matter_in_scene))
        return BW_OK;
    fprintf(listing->stream, "%s %s\t", place->path, field->name);
    BW_TRY(write_value(listing, field, at, err));
    fputc('\n', listing->stream);
    return BW_OK;
}

static BwResult write_instances(BwWalk *walk, const BwSceneDef *def, const BwConstructor *constructor,
                                BwError *err)
{
    const Listing *listing = walk->context;
    int count = bw_instance_count(def, constructor);
    if (constructor->use == BW_USE_LIST)
        fprintf(listing->stream, "number of %ss\t %d\n", constructor->name, count);
    for (int n = 0; n < count; n++) {
        char name[64];
        if (constructor->use == BW_USE_LIST)
            snprintf(name, sizeof name, "%s %d", constructor->name, n + 1);
        else
            snprintf(name, sizeof name, "%s", constructor->name);
        BwPlace place = bw_place(NULL, 0, name);
        BW_TRY(bw_walk_def(walk, constructor, bw_instance_at(def, constructor, n), &place, err));
    }
    return BW_OK;
}

// The caller frees the text; NULL when memory is short or a function of the scene fails.
static char *list_scene(const BwSceneDef *def)
{
    char *text = NULL;
    size_t size;
    BwError err;
    Listing listing = {open_memstream(&text, &size), bw_scene_def_frame_count(def) / def->fps};
    if (listing.stream == NULL)
        return NULL;
    BwWalk walk = {.visit_field = write_field, .context = &listing};
    BwResult result = BW_OK;
    for (int n = 0; n < bw_constructor_count && result == BW_OK; n++)
        if (!is_among(bw_constructors[n].name, no_matter))
            result = write_instances(&walk, def, &bw_constructors[n], &err);
    if (fclose(listing.stream) != 0 || result != BW_OK) {
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
        else
            fprintf(stream, "  %s was%s, is%s\n", old_name, old_value, new_value);
    }
    return count;
}

int scene_changes(FILE *stream, const BwSceneDef *was, const BwSceneDef *is)
{
    char *old_text = list_scene(was), *new_text = list_scene(is);
    int count = old_text != NULL && new_text != NULL ? compare(stream, old_text, new_text) : -1;
    free(old_text);
    free(new_text);
    return count;
}
