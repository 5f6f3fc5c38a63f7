// Listing a scene by the table of its words.
#include "scene/listing.h"

#include "base/checksum.h"
#include "base/number_text.h"
#include "scene/walk.h"
#include <billow/shape.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const no_matter[] = {"fill", "initial", "camera", "light", "look", "output", NULL};
static const char *const no_matter_in_scene[] = {"title", "frames", "duration", NULL};

static bool is_among(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static void add(const BwListing *listing, const char *format, ...) BW_PRINTF(2, 3);

static void add(const BwListing *listing, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    bw_text_print_list(text, sizeof text, format, args);
    va_end(args);
    listing->add(listing->context, text);
}

static void add_numbers(const BwListing *listing, const float *values, int count)
{
    for (int n = 0; n < count; n++)
        add(listing, " %.9g", (double)values[n]);
}

static BwResult add_curve(const BwListing *listing, const BwCurve *curve, int components, BwError *err)
{
    float value[4];
    if (curve->kind == BW_CURVE_NONE) {
        add(listing, " not given");
        return BW_OK;
    }
    if (curve->kind == BW_CURVE_CONSTANT) {
        add_numbers(listing, curve->value, components);
        return BW_OK;
    }
    add(listing, " over time");
    for (int n = 0; n < listing->samples; n++) {
        BwVec3 point = bw_vec3(0.31f * (float)(n % 7), 0.17f * (float)(n % 5), 0.23f * (float)(n % 3));
        double time = listing->until * n / (listing->samples - 1);
        BwResult result = bw_curve_at_place(curve, point, time, value, err);
        if (result == BW_ERR_MEMORY)
            return result;
        if (result == BW_OK)
            add_numbers(listing, value, components);
        else
            add(listing, " fails");
    }
    return BW_OK;
}

static BwResult add_choice(const BwListing *listing, const BwSceneField *field, const void *at, BwError *err)
{
    add(listing, " %s", field->names->texts[*(const int *)at]);
    if (field->kind == BW_FIELD_CHOICE)
        return BW_OK;
    const char *curve = (const char *)at - field->offset + field->curve_offset;
    return add_curve(listing, (const BwCurve *)curve, 1, err);
}

static BwResult add_value(const BwListing *listing, const BwSceneField *field, const void *at, BwError *err)
{
    switch (field->kind) {
    case BW_FIELD_TEXT:
        listing->add(listing->context, " ");
        listing->add(listing->context, *(const char *const *)at != NULL ? *(const char *const *)at : "");
        return BW_OK;
    case BW_FIELD_FLAG:
        add(listing, " %s", *(const bool *)at ? "true" : "false");
        return BW_OK;
    case BW_FIELD_CHOICE:
    case BW_FIELD_CHOICE_CURVE:
        return add_choice(listing, field, at, err);
    case BW_FIELD_INTEGER:
        add(listing, " %d", *(const int *)at);
        return BW_OK;
    case BW_FIELD_SEED:
        add(listing, " %llu", (unsigned long long)*(const uint64_t *)at);
        return BW_OK;
    case BW_FIELD_NUMBER:
        add_numbers(listing, at, 1);
        return BW_OK;
    case BW_FIELD_DOUBLE:
        add(listing, " %.17g", *(const double *)at);
        return BW_OK;
    case BW_FIELD_PAIR:
        add_numbers(listing, at, 2);
        return BW_OK;
    case BW_FIELD_VECTOR:
    case BW_FIELD_COLOR:
        add_numbers(listing, at, 3);
        return BW_OK;
    case BW_FIELD_AXES:
        for (int a = 0; a < 3; a++)
            add(listing, " %d", ((const bool *)at)[a]);
        return BW_OK;
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
        return add_curve(listing, at, 1, err);
    case BW_FIELD_VECTOR_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
        return add_curve(listing, at, 3, err);
    default:
        return BW_OK; // shapes and groups are told by their own fields
    }
}

static BwResult list_field(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                           BwError *err)
{
    const BwListing *listing = walk->context;
    if (strcmp(place->path, "scene") == 0 && is_among(field->name, no_matter_in_scene))
        return BW_OK;
    add(listing, "%s %s\t", place->path, field->name);
    BW_TRY(add_value(listing, field, at, err));
    add(listing, "\n");
    return BW_OK;
}

// What a shape's file held, wherever it lies now.
static BwResult list_file(BwWalk *walk, const BwConstructor *constructor, const void *def,
                          const BwPlace *place, BwError *err)
{
    (void)err;
    const BwShape *shape = constructor->use == BW_USE_SHAPE ? def : NULL;
    if (shape != NULL && shape->content != NULL)
        add(walk->context, "%s content\t %016llx\n", place->path,
            (unsigned long long)bw_shape_file_hash(shape->content));
    return BW_OK;
}

static BwResult list_instances(BwWalk *walk, const BwSceneDef *def, const BwConstructor *constructor,
                               BwError *err)
{
    int count = bw_instance_count(def, constructor);
    if (constructor->use == BW_USE_LIST)
        add(walk->context, "number of %ss\t %d\n", constructor->name, count);
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

BwResult bw_scene_list(const BwSceneDef *def, const BwListing *listing, BwError *err)
{
    BwWalk walk = {.visit_def = list_file, .visit_field = list_field, .context = (void *)(uintptr_t)listing};
    for (int n = 0; n < bw_constructor_count; n++)
        if (!is_among(bw_constructors[n].name, no_matter))
            BW_TRY(list_instances(&walk, def, &bw_constructors[n], err));
    return BW_OK;
}

static void mix_text(void *context, const char *text)
{
    uint64_t *hash = context;
    *hash = bw_mix_bytes(*hash, text, strlen(text));
}

BwResult bw_scene_identity(const BwSceneDef *def, uint64_t *identity, BwError *err)
{
    *identity = 0;
    BwListing listing = {mix_text, identity, .until = 2.0, .samples = 33};
    return bw_scene_list(def, &listing, err);
}
