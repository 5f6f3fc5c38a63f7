// Reading JSON without a tree: a value is skipped by counting brackets outside of texts.
#include "base/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at) != NULL && *at != '\0')
        at++;
    return at;
}

// From the opening quote to past the closing one; NULL when there is none.
static const char *skip_text(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\')
            at++;
    }
    return NULL;
}

// To past the value; NULL when it does not end.
static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_text(at, end);
            if (at == NULL || depth == 0)
                return at;
            continue;
        }
        if (depth == 0 && strchr(",}] \t\r\n", *at) != NULL)
            return at;
        if (*at == '{' || *at == '[')
            depth++;
        if (*at == '}' || *at == ']')
            depth--;
        at++;
        if (depth == 0 && (at[-1] == '}' || at[-1] == ']'))
            return at;
    }
    return depth == 0 ? at : NULL;
}

bool bw_json_next(BwJsonSpan object, const char **at, BwJsonSpan *name, BwJsonSpan *value)
{
    const char *end = object.end, *c = skip_space(*at, end);
    if (c == end || *c != (*at == object.begin ? '{' : ','))
        return false;
    c = skip_space(c + 1, end);
    const char *name_end = c < end && *c == '"' ? skip_text(c, end) : NULL;
    if (name_end == NULL)
        return false;
    *name = (BwJsonSpan){c + 1, name_end - 1};
    c = skip_space(name_end, end);
    if (c == end || *c != ':')
        return false;
    value->begin = skip_space(c + 1, end);
    value->end = skip_value(value->begin, end);
    *at = value->end;
    return value->end != NULL && value->end != value->begin;
}

bool bw_json_find(BwJsonSpan object, const char *key, BwJsonSpan *value)
{
    BwJsonSpan name;
    size_t length = strlen(key);
    const char *at = object.begin;
    while (bw_json_next(object, &at, &name, value))
        if ((size_t)(name.end - name.begin) == length && memcmp(name.begin, key, length) == 0)
            return true;
    return false;
}

bool bw_json_find_number(BwJsonSpan object, const char *key, double *number)
{
    BwJsonSpan value;
    char text[64];
    if (!bw_json_find(object, key, &value))
        return false;
    size_t length = (size_t)(value.end - value.begin);
    if (length >= sizeof text)
        return false;
    memcpy(text, value.begin, length);
    text[length] = '\0';
    if (strcmp(text, "null") == 0) {
        *number = NAN;
        return true;
    }
    char *end;
    *number = strtod(text, &end);
    return strchr("-0123456789", text[0]) != NULL && *end == '\0';
}

// One character of a text, which is moved past it. Only what our writer escapes is told apart.
static char read_character(const char **at, const char *end)
{
    const char *c = *at;
    if (*c != '\\' || c + 1 == end) {
        *at = c + 1;
        return *c;
    }
    if (c[1] == '"' || c[1] == '\\' || c[1] == '/') {
        *at = c + 2;
        return c[1];
    }
    bool is_number = c[1] == 'u' && end - c >= 6;
    *at = c + (is_number ? 6 : 2);
    return '?';
}

static void copy_characters(const char *at, const char *end, char *text, size_t size)
{
    size_t length = 0;
    while (at < end && length + 1 < size)
        text[length++] = read_character(&at, end);
    text[length] = '\0';
}

bool bw_json_read_text(BwJsonSpan value, char *text, size_t size)
{
    if (value.end - value.begin < 2 || *value.begin != '"')
        return false;
    copy_characters(value.begin + 1, value.end - 1, text, size);
    return true;
}

bool bw_json_find_text(BwJsonSpan object, const char *key, char *text, size_t size)
{
    BwJsonSpan value;
    return bw_json_find(object, key, &value) && bw_json_read_text(value, text, size);
}
