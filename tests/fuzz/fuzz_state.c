// A state that was tampered with and sealed again: a world takes it or refuses it, and if it takes it, it
// goes on to a frame or breaks down with a report. The bytes are edits of a good state.
#include "fuzz.h"

#include "world/world_record.h"
#include <billow/billow.h>
#include <stdbool.h>
#include <string.h>

static const char script[] =
    "scene { dimension = 2, cell = 1 / 12, fps = 24, steps = 1 }\n"
    "walls { min = {0, 0}, max = {1, 1}, top = 'open' }\n"
    "smoke { envelope = 0.1 }\n"
    "obstacle { shape = sphere { center = {0.5, 0.7}, radius = 0.1 } }\n"
    "fill { shape = sphere { center = {0.5, 0.3}, radius = 0.2 }, temperature = 350 }";

static const BwSceneDef *scene(void)
{
    static BwScene *loaded;
    BwError err;
    if (loaded == NULL)
        must_hold(bw_scene_load_text(&loaded, script, sizeof script - 1, "state", NULL, &err) == BW_OK);
    return bw_scene_view_def(loaded);
}

static BwWorld *make_world(void)
{
    BwWorldDef def = bw_world_def_default();
    BwWorld *world;
    BwError err;
    def.scene = scene();
    def.worker_count = 1;
    must_hold(bw_world_create(&world, &def, &err) == BW_OK);
    return world;
}

static void copy_record(BwRecord *to, const BwRecord *from)
{
    for (int n = 0; n < from->count; n++) {
        const BwRecordArray *array = &from->arrays[n];
        void *values;
        must_hold(bw_record_add(to, array->name, array->type, array->rows, array->columns, &values, NULL) ==
                  BW_OK);
        memcpy(values, array->values, bw_record_array_bytes(array));
    }
}

// Five bytes an edit: which array, what to do, where, and with what.
static void edit(BwRecord *record, const uint8_t *bytes)
{
    BwRecordArray *array = &record->arrays[bytes[0] % record->count];
    size_t size = bw_record_array_bytes(array), at = (bytes[2] * 256u + bytes[3]) * 4;
    switch (bytes[1] % 5) {
    case 0:
        array->rows -= array->rows > 0;
        break;
    case 1:
        array->name[0] ^= (char)(bytes[4] & 15);
        break;
    case 2:
        array->columns = array->columns > 1 ? array->columns - 1 : 1;
        break;
    default: // four bytes: a coordinate, or a number of any size
        if (at + 4 <= size)
            memset((char *)array->values + at, bytes[4], bytes[1] % 5 == 3 ? 4 : 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    BwError err = {0};
    BwWorld *world = make_world();
    BwRecord record = {.allocator = *bw_world_allocator(world)};
    must_hold(bw_world_step_frame(world, NULL, &err) == BW_OK);
    const BwRecord *good = bw_world_record(world, &err);
    must_hold(good != NULL);
    copy_record(&record, good);
    for (size_t n = 0; n + 5 <= size && n < 100; n += 5)
        edit(&record, bytes + n);
    BwResult result = bw_world_restore(world, &record, true, &err);
    if (result == BW_OK)
        result = bw_world_step_frame(world, NULL, &err);
    must_hold(result == BW_OK || err.message[0] != '\0');
    bw_record_free(&record);
    bw_world_destroy(world);
    return 0;
}
