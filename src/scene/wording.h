// The words in which fields, ranges and defaults are told to people: in messages and by `billow describe`.
#pragma once

#include "scene/vocabulary.h"

enum { BW_WORDING = 200 };

// "a number above 0 (m)": what a field's value is at one time.
void bw_wanted_value_text(const BwSceneField *field, char text[BW_WORDING]);

// The same, with the ways in which it may change over time.
void bw_wanted_text(const BwSceneField *field, char text[BW_WORDING]);

// "24", "{0, -9.81, 0}", "gravity / ambient": the default.
void bw_default_text(const BwSceneField *field, char text[BW_WORDING]);

// After a number that a float does not hold.
#define BW_TOO_LARGE ", too large a number (3.4e+38 is the largest)"
bool bw_number_is_too_large(double value);

// "1.5", "nan", "-inf".
void bw_number_text(double value, char text[40]);

// "smoke, liquid, fire".
void bw_names_text(const BwNames *names, char *text, size_t size);

// The name most like `wrong`, or NULL when none is close.
const char *bw_nearest_name(const char *wrong, const char *const *names, int count);
