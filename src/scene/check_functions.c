// Calls the functions of a scene before anything runs. A function of time must be pure: it is asked over the
// whole duration in a scattered order, then backwards, and must give the same bits. Slow functions are asked
// less often, so that a check stays quick; what is missed here is still caught when the scene runs.
#include "scene/check.h"

#include "base/clock.h"
#include "base/number_text.h"
#include "scene/wording.h"

#include <string.h>

enum { SAMPLES_MAX = 601 };
#define SECONDS_A_FUNCTION 0.2
#define SECONDS_IN_ALL     0.6

typedef struct Samples {
    const BwSceneField *field;
    const BwCurve *curve;      // a function of time, or of place and time; or
    const BwPlaceCurve *place; // one of position
    int count, components, dimension;
    double duration; // s
    BwBox box;       // m
} Samples;

typedef struct Check {
    const BwSceneDef *def;
    double deadline;
} Check;

static double sample_time(const Samples *samples, int index)
{
    return samples->duration * index / (samples->count - 1);
}

static bool is_of_place_and_time(const Samples *samples)
{
    return samples->curve != NULL && samples->curve->kind == BW_CURVE_PLACE;
}

// A lattice of five points a side; over time again and again.
static BwVec3 sample_point(const Samples *samples, int index)
{
    if (is_of_place_and_time(samples))
        index %= samples->dimension == 2 ? 25 : 125;
    BwVec3 size = bw_sub(samples->box.high, samples->box.low);
    BwVec3 share =
        bw_vec3((float)(index % 5) / 4.0f, (float)(index / 5 % 5) / 4.0f, (float)(index / 25) / 4.0f);
    return bw_add(samples->box.low, bw_vec3(size.x * share.x, size.y * share.y, size.z * share.z));
}

static void sample_text(const Samples *samples, int index, char *text, size_t size)
{
    BwVec3 p = sample_point(samples, index);
    if (is_of_place_and_time(samples))
        bw_text_print(text, size, "(%g, %g, %g), t = %g", (double)p.x, (double)p.y, (double)p.z,
                      sample_time(samples, index));
    else if (samples->curve != NULL)
        bw_text_print(text, size, "t = %g", sample_time(samples, index));
    else
        bw_text_print(text, size, "(%g, %g, %g)", (double)p.x, (double)p.y, (double)p.z);
}

static BwResult evaluate(const Samples *samples, int index, float value[4], const BwPlace *place,
                         BwError *err)
{
    memset(value, 0, 4 * sizeof *value); // a function need not set what it leaves at 0
    if (samples->curve != NULL)
        BW_TRY(bw_curve_at_place(samples->curve, sample_point(samples, index), sample_time(samples, index),
                                 value, err));
    else
        BW_TRY(samples->place->function(samples->place->user, sample_point(samples, index), value, err));
    BW_TRY(bw_check_numbers(samples->field, value, samples->components, place, err));
    return samples->dimension == 2 ? bw_check_in_plane(samples->field, value, place, err) : BW_OK;
}

static BwResult fail_not_pure(const Samples *samples, int index, const float *first, const float *second,
                              const BwPlace *place, BwError *err)
{
    char when[80], a[40], b[40];
    int c = 0;
    while (c < samples->components - 1 && first[c] == second[c])
        c++;
    sample_text(samples, index, when, sizeof when);
    bw_number_text((double)first[c], a);
    bw_number_text((double)second[c], b);
    return bw_fail_at(
        err, place, samples->field->name,
        "is a function that is not pure: at %s it gave %s, asked again %s; it must depend on its arguments "
        "alone",
        when, a, b);
}

// Any stride without a common factor visits every sample once.
static int scattered_stride(int count)
{
    int stride = (int)(0.618 * count) | 1;
    for (;; stride++) {
        int a = count, b = stride;
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}

static BwResult check_samples(const Samples *samples, double deadline, const BwPlace *place, BwError *err)
{
    float first[SAMPLES_MAX][4], second[4];
    int stride = scattered_stride(samples->count), done = 0;
    double stop = bw_clock_seconds() + SECONDS_A_FUNCTION;
    if (stop > deadline)
        stop = deadline;
    for (; done < samples->count && bw_clock_seconds() < stop; done++) {
        memset(first[done], 0, sizeof first[done]);
        // The last moment first: it is where functions fail that hold for a while.
        int index = (samples->count - 1 + done * stride) % samples->count;
        BW_TRY(evaluate(samples, index, first[done], place, err));
    }
    for (int n = done - 1; n >= 0 && bw_clock_seconds() < stop; n--) {
        int index = (samples->count - 1 + n * stride) % samples->count;
        BW_TRY(evaluate(samples, index, second, place, err));
        if (memcmp(first[n], second, (size_t)samples->components * sizeof *second) != 0)
            return fail_not_pure(samples, index, first[n], second, place, err);
    }
    return BW_OK;
}

static int components_of(const BwSceneField *field)
{
    return bw_field_is_vector_curve(field) || field->kind == BW_FIELD_VECTOR_PLACE ? 3 : 1;
}

// Where functions of place are asked.
static BwBox sampled_box(const BwSceneDef *def)
{
    BwBox box = {bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(1.0f, 1.0f, 1.0f)};
    if (def->has_walls)
        box = (BwBox){def->walls.min, def->walls.max};
    if (def->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    return box;
}

static BwResult check_function_of_time(const Check *check, const BwSceneField *field, const BwCurve *curve,
                                       const BwPlace *place, BwError *err)
{
    if (curve->kind != BW_CURVE_FUNCTION && curve->kind != BW_CURVE_PLACE)
        return BW_OK;
    int frames = bw_scene_def_frame_count(check->def);
    Samples samples = {.field = field,
                       .curve = curve,
                       .count = frames < SAMPLES_MAX / 2 ? 2 * frames + 1 : SAMPLES_MAX,
                       .components = components_of(field),
                       .dimension = check->def->dimension,
                       .duration = frames / check->def->fps,
                       .box = sampled_box(check->def)};
    return check_samples(&samples, check->deadline, place, err);
}

static BwResult check_function_of_place(const Check *check, const BwSceneField *field,
                                        const BwPlaceCurve *function, const BwPlace *place, BwError *err)
{
    if (function->function == NULL)
        return BW_OK;
    const BwSceneDef *def = check->def;
    Samples samples = {.field = field,
                       .place = function,
                       .count = def->dimension == 2 ? 25 : 125,
                       .components = components_of(field),
                       .dimension = def->dimension,
                       .box = sampled_box(def)};
    return check_samples(&samples, check->deadline, place, err);
}

static BwResult check_function(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                               BwError *err)
{
    const Check *check = walk->context;
    switch (field->kind) {
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        return check_function_of_time(check, field, at, place, err);
    case BW_FIELD_CHOICE_CURVE:
        at = (const char *)at - field->offset + field->curve_offset;
        return check_function_of_time(check, field, at, place, err);
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
        return check_function_of_place(check, field, at, place, err);
    default:
        return BW_OK;
    }
}

BwResult bw_check_functions(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    Check check = {def, bw_clock_seconds() + SECONDS_IN_ALL};
    BwWalk walk = {.visit_field = check_function, .context = &check};
    return bw_walk_scene(&walk, def, origins, err);
}
