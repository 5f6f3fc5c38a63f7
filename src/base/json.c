// JSON lines writer. Text must be UTF-8; bytes that are not become U+FFFD, so a line always parses, or
// lone surrogates where they must come back as they were.
#include "base/json.h"

#include "base/number_text.h"
#include "base/utf8.h"

#include <math.h>

BwJson bw_json_line(FILE *stream)
{
    return (BwJson){.stream = stream};
}

static void write_text(const BwJson *json, const char *text)
{
    FILE *stream = json->stream;
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        int length = bw_utf8_length(c);
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(stream, "\\u%04x", *c);
        else if (length == 0)
            fprintf(stream, "\\u%04x", json->keeps_bytes ? 0xdc00u + *c : 0xfffdu);
        else
            fwrite(c, 1, (size_t)length, stream);
        c += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

static void begin_value(BwJson *json, const char *key)
{
    if (json->needs_comma)
        fputc(',', json->stream);
    json->needs_comma = true;
    if (key == NULL)
        return;
    write_text(json, key);
    fputc(':', json->stream);
}

void bw_json_open(BwJson *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->needs_comma = false;
}

void bw_json_close(BwJson *json, char bracket)
{
    fputc(bracket, json->stream);
    json->depth--;
    json->needs_comma = json->depth > 0;
    if (json->depth == 0)
        fputc('\n', json->stream);
}

void bw_json_number(BwJson *json, const char *key, double value)
{
    begin_value(json, key);
    if (!isfinite(value)) {
        fputs("null", json->stream);
        return;
    }
    char text[BW_NUMBER_TEXT_SIZE];
    fputs(bw_number_print_exact(text, value), json->stream);
}

void bw_json_integer(BwJson *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->stream, "%lld", (long long)value);
}

void bw_json_text(BwJson *json, const char *key, const char *value)
{
    begin_value(json, key);
    write_text(json, value);
}

void bw_json_bool(BwJson *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->stream);
}
