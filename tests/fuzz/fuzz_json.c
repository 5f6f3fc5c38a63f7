// Any text as a line of run.json or stats.jsonl.
#include "fuzz.h"

#include "base/json_read.h"

static void read_members(BwJsonText object, int depth)
{
    BwJsonText name, value;
    const char *at = object.begin;
    while (bw_json_next(object, &at, &name, &value)) {
        char text[40];
        must_hold(name.begin <= name.end && value.begin < value.end);
        must_hold(value.begin >= object.begin && value.end <= object.end);
        bw_json_read_text(value, text, sizeof text);
        if (depth < 4)
            read_members(value, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    BwJsonText line = {(const char *)bytes, (const char *)bytes + size};
    double number;
    char text[16];
    read_members(line, 0);
    bw_json_find_number(line, "frame", &number);
    bw_json_find_text(line, "scene", text, sizeof text);
    return 0;
}
