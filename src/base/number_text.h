// Numbers as text in files: with a point, whatever locale the host program has set.
#pragma once

enum { BW_NUMBER_TEXT_SIZE = 48 };

// As "%.*g" of the "C" locale; gives the text.
const char *bw_number_print(char text[BW_NUMBER_TEXT_SIZE], int digits, double value);

// As few digits as read back the same, from 6 on.
const char *bw_number_print_exact(char text[BW_NUMBER_TEXT_SIZE], double value);

// As strtod of the "C" locale.
double bw_number_read(const char *text, char **end);
