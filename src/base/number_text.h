// Numbers as text in files and messages: with a point, whatever locale the host program has set.
#pragma once

#include <billow/base.h>

#include <stdarg.h>
#include <stddef.h>

enum { BW_NUMBER_TEXT_SIZE = 48 };

// As "%.*g" of the "C" locale; gives the text.
const char *bw_number_print(char text[BW_NUMBER_TEXT_SIZE], int digits, double value);

// As few digits as read back the same, from 6 on.
const char *bw_number_print_exact(char text[BW_NUMBER_TEXT_SIZE], double value);

// As snprintf and vsnprintf of the "C" locale.
void bw_text_print(char *text, size_t size, const char *format, ...) BW_PRINTF(3, 4);
void bw_text_print_list(char *text, size_t size, const char *format, va_list args) BW_PRINTF(3, 0);

// As strtod of the "C" locale.
double bw_number_read(const char *text, char **end);
