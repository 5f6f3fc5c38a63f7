// JSON lines: one object a line, written straight to a stream. Numbers are shortest that read back the same;
// what is not finite becomes null, for JSON has no word for it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct BwJson {
    FILE *stream;
    int depth;
    bool needs_comma;
    bool keeps_bytes; // text that is not UTF-8 reads back the same: such a byte b is the lone surrogate dc00
                      // + b
} BwJson;

BwJson bw_json_line(FILE *stream);

// Open and close an object or array; key NULL inside arrays and at the top.
void bw_json_open(BwJson *json, const char *key, char bracket); // '{' or '['
void bw_json_close(BwJson *json, char bracket);                 // '}' or ']'; ends the line at the outermost
void bw_json_number(BwJson *json, const char *key, double value);
void bw_json_integer(BwJson *json, const char *key, int64_t value);
void bw_json_text(BwJson *json, const char *key, const char *value);
void bw_json_bool(BwJson *json, const char *key, bool value);
