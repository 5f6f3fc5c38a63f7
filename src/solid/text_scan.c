// Splitting text into words.
#include "solid/text_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

BwTextScan bw_text_scan(const char *name, const char *text, size_t size)
{
    return (BwTextScan){name, text, text + size, 1};
}

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

BwWord bw_scan_word(BwTextScan *scan)
{
    while (scan->at < scan->end && is_gap(*scan->at))
        scan->at++;
    const char *first = scan->at;
    while (scan->at < scan->end && !is_gap(*scan->at) && *scan->at != '\n' && scan->at - first < 4096)
        scan->at++;
    return (BwWord){first, (int)(scan->at - first)};
}

bool bw_scan_next_line(BwTextScan *scan)
{
    const char *end = scan->at < scan->end ? memchr(scan->at, '\n', (size_t)(scan->end - scan->at)) : NULL;
    scan->at = end != NULL ? end + 1 : scan->end;
    scan->line += end != NULL;
    return scan->at < scan->end;
}

BwWord bw_scan_word_anywhere(BwTextScan *scan)
{
    BwWord word = bw_scan_word(scan);
    while (word.length == 0 && bw_scan_next_line(scan))
        word = bw_scan_word(scan);
    return word;
}

bool bw_word_is(BwWord word, const char *text)
{
    return strlen(text) == (size_t)word.length && memcmp(word.text, text, (size_t)word.length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int read_sign(const char **at, const char *end)
{
    if (*at < end && (**at == '-' || **at == '+'))
        return *(*at)++ == '-' ? -1 : 1;
    return 1;
}

// The digits of a number; those behind the point lower the exponent.
static double read_digits(const char **at, const char *end, int *exponent, int *count)
{
    double value = 0.0;
    bool is_behind_point = false;
    for (; *at < end && (is_digit(**at) || (**at == '.' && !is_behind_point)); (*at)++) {
        if (**at == '.') {
            is_behind_point = true;
            continue;
        }
        value = 10.0 * value + (**at - '0');
        *exponent -= is_behind_point;
        (*count)++;
    }
    return value;
}

static bool read_exponent(const char **at, const char *end, int *exponent)
{
    if (*at == end || (**at != 'e' && **at != 'E'))
        return true;
    (*at)++;
    int sign = read_sign(at, end), value = 0;
    if (*at == end || !is_digit(**at))
        return false;
    for (; *at < end && is_digit(**at); (*at)++)
        value = value < 10000 ? 10 * value + (**at - '0') : value;
    *exponent += sign * value;
    return true;
}

bool bw_word_number(BwWord word, double *value)
{
    const char *at = word.text, *end = word.text + word.length;
    int exponent = 0, digits = 0;
    int sign = read_sign(&at, end);
    double size = read_digits(&at, end, &exponent, &digits);
    if (digits == 0 || !read_exponent(&at, end, &exponent) || at != end)
        return false;
    *value = size == 0.0 ? 0.0 : sign * size * pow(10.0, exponent);
    return fabs(*value) <= 3.4e38; // false for NaN as well
}

bool bw_word_integer(BwWord word, long long *value)
{
    const char *at = word.text, *end = word.text + word.length;
    int sign = read_sign(&at, end);
    if (at == end || end - at > 15)
        return false;
    for (*value = 0; at < end && is_digit(*at); at++)
        *value = 10 * *value + (*at - '0');
    *value *= sign;
    return at == end;
}

BwResult bw_fail_word(BwError *err, const BwTextScan *scan, BwWord word, const char *wanted)
{
    char shown[44];
    int length = word.length < 40 ? word.length : 40;
    for (int n = 0; n < length; n++)
        shown[n] = word.text[n] >= ' ' && word.text[n] < 127 ? word.text[n] : '?';
    shown[length] = '\0';
    if (word.length == 0)
        return bw_fail(err, BW_ERR_FORMAT, "%s:%lld: %s ends here; there must be %s", scan->name, scan->line,
                       scan->at < scan->end ? "the line" : "the file", wanted);
    return bw_fail(err, BW_ERR_FORMAT, "%s:%lld: \"%s%s\" stands where there must be %s", scan->name,
                   scan->line, shown, word.length > 40 ? "..." : "", wanted);
}
