// Fields, ranges and defaults in words.
#include "scene/wording.h"

#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool bw_number_is_too_large(double value)
{
    return isfinite(value) && fabs(value) > (double)FLT_MAX;
}

void bw_number_text(double value, char text[40])
{
    if (isnan(value)) {
        snprintf(text, 40, "nan");
        return;
    }
    if (value == floor(value) && fabs(value) < 1e9) {
        snprintf(text, 40, "%.0f", value);
        return;
    }
    // Floats first: 0.1f should read 0.1.
    for (int digits = 6; digits <= 17; digits++) {
        char wide[BW_NUMBER_TEXT_SIZE], *end;
        snprintf(text, 40, "%s", bw_number_print(wide, digits, value));
        double back = bw_number_read(text, &end);
        if (back == value || (digits >= 8 && (float)back == (float)value && (double)(float)value == value))
            return;
    }
}

static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

void bw_names_text(const BwNames *names, char *text, size_t size)
{
    text[0] = '\0';
    for (int n = 0; n < names->count; n++) {
        append(text, size, n > 0 ? ", " : "");
        append(text, size, names->texts[n]);
    }
}

static void append_range(const BwSceneField *field, char *text, size_t size)
{
    BwRange range = field->range;
    char low[40], high[40], words[100] = "";
    bw_number_text(range.low, low);
    bw_number_text(range.high, high);
    if (range.low == -INFINITY)
        return;
    if (range.high == INFINITY)
        snprintf(words, sizeof words, range.low_is_out ? " above %s" : ", %s or more", low);
    else
        snprintf(words, sizeof words, range.low_is_out ? " above %s, to %s" : " from %s to %s", low, high);
    append(text, size, words);
}

static const char *noun(const BwSceneField *field)
{
    switch (field->kind) {
    case BW_FIELD_TEXT:
        return "text";
    case BW_FIELD_FLAG:
        return "true or false";
    case BW_FIELD_INTEGER:
    case BW_FIELD_SEED:
        return "a whole number";
    case BW_FIELD_NUMBER:
    case BW_FIELD_DOUBLE:
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
        return "a number";
    case BW_FIELD_CHOICE:
    case BW_FIELD_CHOICE_CURVE:
        return "one of";
    case BW_FIELD_VECTOR:
    case BW_FIELD_VECTOR_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
        return field->flags & BW_DIRECTION ? "a vector {x, y, z} that is not zero" : "a vector {x, y, z}";
    case BW_FIELD_COLOR:
        return "a color {r, g, b} with numbers";
    case BW_FIELD_PAIR:
        return "two numbers {a, b}";
    case BW_FIELD_AXES:
        return "a list of axes, such as {\"x\", \"z\"}";
    case BW_FIELD_PLACE:
        return "a function(x, y, z) that returns a number";
    case BW_FIELD_VECTOR_PLACE:
        return "a function(x, y, z) that returns a vector {x, y, z}";
    case BW_FIELD_SHAPE:
        return "a shape, such as sphere {...}";
    case BW_FIELD_PARTS:
        return field->flags & BW_ONE_PART ? "one shape" : "shapes, such as sphere {...}";
    case BW_FIELD_GROUP:
    case BW_FIELD_OWNED_GROUP:
        return "a table {...}";
    }
    return "";
}

void bw_wanted_value_text(const BwSceneField *field, char text[BW_WORDING])
{
    snprintf(text, BW_WORDING, "%s", noun(field));
    append_range(field, text, BW_WORDING);
    if (field->names != NULL) {
        append(text, BW_WORDING, " ");
        size_t length = strlen(text);
        bw_names_text(field->names, text + length, BW_WORDING - length);
    }
    if (field->group != NULL && field->group->first_alone) {
        char alone[BW_WORDING];
        bw_wanted_value_text(&field->group->fields[0], alone);
        append(text, BW_WORDING, ", or ");
        append(text, BW_WORDING, alone);
    }
    if (field->unit != NULL && strcmp(field->unit, "1") != 0) {
        append(text, BW_WORDING, " (");
        append(text, BW_WORDING, field->unit);
        append(text, BW_WORDING, strcmp(field->unit, "rad") == 0 ? "; deg(30) is 30 degrees)" : ")");
    }
}

void bw_wanted_text(const BwSceneField *field, char text[BW_WORDING])
{
    bw_wanted_value_text(field, text);
    if (field->kind == BW_FIELD_CURVE || field->kind == BW_FIELD_VECTOR_CURVE ||
        field->kind == BW_FIELD_CHOICE_CURVE)
        append(text, BW_WORDING, ", keys or a function of time");
    if (field->kind == BW_FIELD_PLACE_CURVE || field->kind == BW_FIELD_VECTOR_PLACE_CURVE)
        append(text, BW_WORDING, ", keys or a function(x, y, z, t)");
}

static void vector_text(const double v[3], char *text, size_t size)
{
    char x[40], y[40], z[40];
    bw_number_text(v[0], x);
    bw_number_text(v[1], y);
    bw_number_text(v[2], z);
    snprintf(text, size, "{%s, %s, %s}", x, y, z);
}

void bw_default_text(const BwSceneField *field, char text[BW_WORDING])
{
    text[0] = '\0';
    bool is_curve = field->kind == BW_FIELD_CURVE || field->kind == BW_FIELD_VECTOR_CURVE ||
                    field->kind == BW_FIELD_PLACE_CURVE || field->kind == BW_FIELD_VECTOR_PLACE_CURVE;
    if (field->text != NULL)
        snprintf(text, BW_WORDING, "%s", field->text);
    else if (field->names != NULL)
        snprintf(text, BW_WORDING, "%s", field->names->texts[(int)field->value[0]]);
    else if (field->kind == BW_FIELD_FLAG)
        snprintf(text, BW_WORDING, "%s", field->value[0] != 0.0 ? "true" : "false");
    else if (is_curve && !(field->flags & BW_DEFAULTED))
        snprintf(text, BW_WORDING, "none");
    else if (field->kind == BW_FIELD_VECTOR || field->kind == BW_FIELD_COLOR ||
             bw_field_is_vector_curve(field))
        vector_text(field->value, text, BW_WORDING);
    else if (field->unit != NULL || field->kind == BW_FIELD_INTEGER || field->kind == BW_FIELD_SEED)
        bw_number_text(field->value[0], text);
    else
        snprintf(text, BW_WORDING, "none");
}

// Edits (a letter more, less or other) that turn one word into the other.
static int edit_distance(const char *a, const char *b)
{
    int row[64];
    int length_b = (int)strlen(b);
    if (length_b >= 64 || strlen(a) >= 64)
        return 64;
    for (int j = 0; j <= length_b; j++)
        row[j] = j;
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[length_b];
}

const char *bw_nearest_name(const char *wrong, const char *const *names, int count)
{
    const char *nearest = NULL;
    int least = 1 + (int)strlen(wrong) / 3;
    for (int n = 0; n < count; n++) {
        int distance = edit_distance(wrong, names[n]);
        if (distance < least || (distance == least && nearest == NULL)) {
            least = distance;
            nearest = names[n];
        }
    }
    return nearest;
}
