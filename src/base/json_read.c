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

bool bw_json_find(BwJsonSpan object, const char *key, BwJsonSpan *value)
{
    const char *end = object.end, *at = skip_space(object.begin, end);
    size_t length = strlen(key);
    if (at == end || *at != '{')
        return false;
    for (at = skip_space(at + 1, end); at < end && *at == '"'; at = skip_space(at + 1, end)) {
        const char *name = at + 1, *name_end = skip_text(at, end);
        if (name_end == NULL)
            return false;
        at = skip_space(name_end, end);
        if (at == end || *at != ':')
            return false;
        value->begin = skip_space(at + 1, end);
        value->end = at = skip_value(value->begin, end);
        if (at == NULL || at == value->begin)
            return false;
        if ((size_t)(name_end - 1 - name) == length && memcmp(name, key, length) == 0)
            return true;
        at = skip_space(at, end);
        if (at == end || *at != ',')
            return false;
    }
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

bool bw_json_find_text(BwJsonSpan object, const char *key, char *text, size_t size)
{
    BwJsonSpan value;
    if (!bw_json_find(object, key, &value) || *value.begin != '"')
        return false;
    const char *at = value.begin + 1, *end = value.end - 1;
    size_t length = 0;
    while (at < end && length + 1 < size)
        text[length++] = read_character(&at, end);
    text[length] = '\0';
    return true;
}
