// Looks values up in one JSON object, as the writer of json.h makes them. Nothing is kept and nothing is
// allocated: each look-up reads the text from its start, and stops at what is not JSON.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct BwJsonText {
    const char *begin, *end;
} BwJsonText;

// The value of a key of the object itself, not of objects inside it.
bool bw_json_find(BwJsonText object, const char *key, BwJsonText *value);

// The members of an object one after another: `at` is the object's beginning at first, and is moved along.
// `name` is without its quotes. False after the last one.
bool bw_json_next(BwJsonText object, const char **at, BwJsonText *name, BwJsonText *value);

// The items of a list one after another, in the same way.
bool bw_json_next_item(BwJsonText list, const char **at, BwJsonText *item);

// Whether a text is one value of JSON by its grammar, all of it but for spaces around it.
bool bw_json_is_whole(BwJsonText text);

// What a value that is a text says, cut to `size` bytes with its end; false for other values.
bool bw_json_read_text(BwJsonText value, char *text, size_t size);

// A number; null, which stands for what is not finite, gives NaN.
bool bw_json_find_number(BwJsonText object, const char *key, double *number);

// A text, cut to `size` bytes with its end; never longer than the value is in the file.
bool bw_json_find_text(BwJsonText object, const char *key, char *text, size_t size);
