// A single number has what the host's locale made of its point mended, which is fast; text and reading set
// the locale of the calling thread, and of no other, for as long as it takes.
#include "base/number_text.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *bw_number_print(char text[BW_NUMBER_TEXT_SIZE], int digits, double value)
{
    snprintf(text, BW_NUMBER_TEXT_SIZE, "%.*g", digits, value);
    if (!isfinite(value))
        return text;
    // The point may be a comma, or of several bytes.
    bool had_point = false;
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool is_point = strchr("0123456789+-e", *from) == NULL;
        if (!is_point || !had_point)
            *to++ = is_point ? '.' : *from;
        had_point = had_point || is_point;
    }
    *to = '\0';
    return text;
}

const char *bw_number_print_exact(char text[BW_NUMBER_TEXT_SIZE], double value)
{
    char *end;
    for (int digits = 6; digits <= 17; digits++) {
        bw_number_print(text, digits, value);
        if (bw_number_read(text, &end) == value)
            break;
    }
    return text;
}

// Without memory for a locale numbers look as the host's do.
void bw_text_print_list(char *text, size_t size, const char *format, va_list args)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t outer = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    vsnprintf(text, size, format, args);
    if (plain == (locale_t)0)
        return;
    uselocale(outer);
    freelocale(plain);
}

void bw_text_print(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bw_text_print_list(text, size, format, args);
    va_end(args);
}

// Without memory for a locale nothing is read; the systems that Billow runs on keep theirs ready.
double bw_number_read(const char *text, char **end)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    memcpy(end, &text, sizeof text);
    if (plain == (locale_t)0)
        return 0.0;
    locale_t outer = uselocale(plain);
    double number = strtod(text, end);
    uselocale(outer);
    freelocale(plain);
    return number;
}
