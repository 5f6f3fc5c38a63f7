// Reading JSON without a tree: a value is skipped by counting brackets outside of texts.
#include "base/json_read.h"

#include "base/number_text.h"

#include <math.h>
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

bool bw_json_next(BwJsonText object, const char **at, BwJsonText *name, BwJsonText *value)
{
    const char *end = object.end, *c = skip_space(*at, end);
    if (c == end || *c != (*at == object.begin ? '{' : ','))
        return false;
    c = skip_space(c + 1, end);
    const char *name_end = c < end && *c == '"' ? skip_text(c, end) : NULL;
    if (name_end == NULL)
        return false;
    *name = (BwJsonText){c + 1, name_end - 1};
    c = skip_space(name_end, end);
    if (c == end || *c != ':')
        return false;
    value->begin = skip_space(c + 1, end);
    value->end = skip_value(value->begin, end);
    *at = value->end;
    return value->end != NULL && value->end != value->begin;
}

bool bw_json_next_item(BwJsonText list, const char **at, BwJsonText *item)
{
    const char *end = list.end, *c = skip_space(*at, end);
    if (c == end || *c != (*at == list.begin ? '[' : ','))
        return false;
    item->begin = skip_space(c + 1, end);
    item->end = skip_value(item->begin, end);
    *at = item->end;
    return item->end != NULL && item->end != item->begin;
}

// Deeper values are taken for damage.
enum { DEPTH_MAX = 64 };

static const char *check_value(const char *at, const char *end, int depth);

// A text without bare control characters, or a number, or one of three words: past it, or NULL.
static const char *check_plain(const char *at, const char *end)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '"') {
        const char *past = skip_text(at, end);
        for (const char *c = at; past != NULL && c < past; c++)
            if ((unsigned char)*c < 0x20)
                return NULL;
        return past;
    }
    for (int n = 0; n < 3; n++) {
        size_t length = strlen(words[n]);
        if ((size_t)(end - at) >= length && memcmp(at, words[n], length) == 0)
            return at + length;
    }
    const char *c = at;
    bool has_digit = false;
    for (; c < end && *c != '\0' && strchr("+-.eE0123456789", *c) != NULL; c++)
        has_digit |= *c >= '0' && *c <= '9';
    return has_digit && *at != '+' && *at != '.' ? c : NULL;
}

// The members of an object or a list, from its opening bracket on.
static const char *check_members(const char *at, const char *end, int depth)
{
    bool is_object = *at == '{';
    char close = is_object ? '}' : ']';
    at = skip_space(at + 1, end);
    if (at < end && *at == close)
        return at + 1;
    for (;;) {
        if (is_object) {
            at = at < end && *at == '"' ? check_plain(at, end) : NULL;
            at = at != NULL ? skip_space(at, end) : NULL;
            if (at == NULL || at == end || *at != ':')
                return NULL;
            at = skip_space(at + 1, end);
        }
        at = check_value(at, end, depth + 1);
        at = at != NULL ? skip_space(at, end) : NULL;
        if (at == NULL || at == end || (*at != ',' && *at != close))
            return NULL;
        if (*at == close)
            return at + 1;
        at = skip_space(at + 1, end);
    }
}

static const char *check_value(const char *at, const char *end, int depth)
{
    if (at == end || depth > DEPTH_MAX)
        return NULL;
    return *at == '{' || *at == '[' ? check_members(at, end, depth) : check_plain(at, end);
}

bool bw_json_is_whole(BwJsonText text)
{
    const char *past = check_value(skip_space(text.begin, text.end), text.end, 0);
    return past != NULL && skip_space(past, text.end) == text.end;
}

bool bw_json_find(BwJsonText object, const char *key, BwJsonText *value)
{
    BwJsonText name;
    size_t length = strlen(key);
    const char *at = object.begin;
    while (bw_json_next(object, &at, &name, value))
        if ((size_t)(name.end - name.begin) == length && memcmp(name.begin, key, length) == 0)
            return true;
    return false;
}

bool bw_json_find_number(BwJsonText object, const char *key, double *number)
{
    BwJsonText value;
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
    *number = bw_number_read(text, &end);
    return strchr("-0123456789", text[0]) != NULL && *end == '\0';
}

// The number of four hexadecimal digits, or -1.
static int read_hex(const char *at)
{
    int number = 0;
    for (int n = 0; n < 4; n++) {
        const char *digits = "0123456789abcdef", *found = strchr(digits, at[n] | 0x20);
        if (at[n] == '\0' || found == NULL)
            return -1;
        number = 16 * number + (int)(found - digits);
    }
    return number;
}

static bool is_between(int code, int low, int high)
{
    return code >= low && code <= high;
}

// Past an escape by number, \u and four digits, at most two of them for one character; -1 where it is none.
// A lone surrogate from dc80 to dcff is a byte that was not UTF-8.
static int read_code(const char **at, const char *end)
{
    const char *c = *at;
    int code = end - c >= 6 ? read_hex(c + 2) : -1;
    *at = code >= 0 ? c + 6 : c + 2;
    if (!is_between(code, 0xd800, 0xdbff) || end - c < 12 || c[6] != '\\' || c[7] != 'u')
        return code;
    int low = read_hex(c + 8);
    if (!is_between(low, 0xdc00, 0xdfff))
        return code;
    *at = c + 12;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

// UTF-8; gives the number of bytes.
static int write_code(int code, char bytes[4])
{
    if (is_between(code, 0xdc80, 0xdcff) || code < 0x80) {
        bytes[0] = (char)(code <= 0 ? '?' : code & 0xff);
        return 1;
    }
    int count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int n = count - 1; n > 0; n--, code >>= 6)
        bytes[n] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(first[count] | code);
    return count;
}

// One character of a text, which is moved past it; gives its bytes.
static int read_character(const char **at, const char *end, char bytes[4])
{
    static const char names[] = "\"\\/nrtbf", meant[] = "\"\\/\n\r\t\b\f";
    const char *c = *at;
    if (*c == '\\' && c + 1 < end && c[1] == 'u')
        return write_code(read_code(at, end), bytes);
    const char *name = *c == '\\' && c + 1 < end && c[1] != '\0' ? strchr(names, c[1]) : NULL;
    bool is_escape = *c == '\\' && c + 1 < end;
    bytes[0] = name != NULL ? meant[name - names] : is_escape ? '?' : *c;
    *at = c + (is_escape ? 2 : 1);
    return 1;
}

static void copy_characters(const char *at, const char *end, char *text, size_t size)
{
    size_t length = 0;
    while (at < end) {
        char bytes[4];
        int count = read_character(&at, end, bytes);
        if (length + (size_t)count >= size)
            break;
        memcpy(text + length, bytes, (size_t)count);
        length += (size_t)count;
    }
    text[length] = '\0';
}

bool bw_json_read_text(BwJsonText value, char *text, size_t size)
{
    if (value.end - value.begin < 2 || *value.begin != '"')
        return false;
    copy_characters(value.begin + 1, value.end - 1, text, size);
    return true;
}

bool bw_json_find_text(BwJsonText object, const char *key, char *text, size_t size)
{
    BwJsonText value;
    return bw_json_find(object, key, &value) && bw_json_read_text(value, text, size);
}
