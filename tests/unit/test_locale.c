// A host with decimal commas: every file that holds numbers as text has the bytes that it has without, and is
// read all the same; messages have points too.
#include "base/error.h"
#include "base/log.h"
#include "base/number_text.h"
#include "comma_locale.h"
#include "frame_parts.h"
#include "puff.h"
#include "scratch_folder.h"

#include <billow/live.h>
#include <billow/scene.h>
#include <billow/volume.h>

static FrameParts parts;
static BwError err;

static void must(BwResult result)
{
    if (result != BW_OK)
        fail_msg("%s", err.message);
}

static float cloud(const void *context, float x, float y, float z)
{
    (void)context;
    return x + y + z;
}

static const char *const names[] = {"a.vti", "a.pvd", "particles.vtp", "mesh.vtp", "a.vts",
                                    "a.ply", "a.obj", "a.jsonl",       "a.glb"};
enum { FILES = sizeof names / sizeof *names };

static void save_all(void)
{
    Puff *puff = puff_make(0.03f, (int32_t[3]){0, 0, 0}, (int32_t[3]){1, 1, 1}, cloud, NULL);
    const BwVolumeFile file = {0.7, "a.vti"};
    const BwEvent event = {.kind = BW_EVENT_EMITTER_ON, .time = 0.125, .dt = 0.3, .value = {0.1f}};
    const BwEvents events = {&event, 1, 1, NULL};
    parts_make(&parts);
    parts.frame.time = puff->frame.time = 0.3;
    must(bw_volume_save_vti(&puff->frame, NULL, names[0], &err));
    must(bw_volume_save_pvd(&file, 1, names[1], &err));
    must(bw_particles_save_vtp(&parts.frame, &parts.particles, NULL, names[2], &err));
    must(bw_mesh_save_vtp(&parts.frame, &parts.mesh, NULL, names[3], &err));
    must(bw_columns_save_vts(&parts.frame, &parts.columns, NULL, names[4], &err));
    must(bw_mesh_save_ply(&parts.mesh, NULL, names[5], &err));
    must(bw_mesh_save_obj(&parts.mesh, NULL, names[6], &err));
    must(bw_mesh_save_gltf(&parts.mesh, NULL, names[8], &err));
    must(bw_events_save(&events, names[7], &err));
    puff_free(puff);
}

static size_t read_bytes(const char *name, char *bytes, size_t size)
{
    FILE *stream = fopen(name, "rb");
    size_t count = fread(bytes, 1, size, stream);
    fclose(stream);
    return count;
}

static void files_have_the_same_bytes(void **state)
{
    (void)state;
    static char with[FILES][1 << 16], without[1 << 16];
    size_t sizes[FILES];
    if (!comma_locale_begin())
        skip();
    save_all();
    setlocale(LC_NUMERIC, "C");
    for (int n = 0; n < FILES; n++)
        sizes[n] = read_bytes(names[n], with[n], sizeof with[n]);
    save_all();
    for (int n = 0; n < FILES; n++)
        if (sizes[n] == 0 || read_bytes(names[n], without, sizeof without) != sizes[n] ||
            memcmp(with[n], without, sizes[n]) != 0)
            fail_msg("%s differs where the host has decimal commas", names[n]);
}

static void events_are_read(void **state)
{
    (void)state;
    save_all();
    if (!comma_locale_begin())
        skip();
    BwEventFile *file;
    must(bw_events_load(&file, names[7], NULL, &err));
    BwEvents events = bw_event_file_view(file);
    assert_int_equal(events.count, 1);
    assert_true(events.list[0].time == 0.125 && events.list[0].dt == 0.3 && events.list[0].value[0] == 0.1f);
    bw_event_file_destroy(file);
    setlocale(LC_NUMERIC, "C");
}

// With commas and without; the host's own numbers have its commas still.
static void numbers_have_points(void **state)
{
    (void)state;
    for (int with_commas = 0; with_commas < 2; with_commas++) {
        char text[BW_NUMBER_TEXT_SIZE], *end;
        if (with_commas && !comma_locale_begin())
            skip();
        assert_string_equal(bw_number_print(text, 17, -0.5e-300), "-5.0000000000000001e-301");
        assert_string_equal(bw_number_print(text, 6, (double)NAN) + (text[0] == '-'), "nan");
        assert_string_equal(bw_number_print_exact(text, 0.1), "0.1");
        assert_string_equal(bw_number_print_exact(text, 12.0), "12");
        assert_true(bw_number_read("-2.5e3,7", &end) == -2500.0);
        assert_string_equal(end, ",7");
        assert_true(bw_number_read("x", &end) == 0.0);
        assert_string_equal(end, "x");
        snprintf(text, sizeof text, "%g", 0.5);
        assert_string_equal(text, with_commas ? "0,5" : "0.5");
    }
    setlocale(LC_NUMERIC, "C");
}

static void take_message(void *user, BwLogLevel level, const char *message)
{
    (void)level;
    snprintf((char *)user, sizeof err.message, "%s", message);
}

// What the library tells has points in it: errors, those of scenes with their places, and the log.
static void messages_have_points(void **state)
{
    (void)state;
    static const char *const scenes[][2] = {
        {"scene { fluid = 'smoke', cell = -0.25 }", "-0.25"},
        {"scene { fluid = 'smoke', cell = 0.1, frames = 9 } smoke { wind = function(t) return {0, 0.5, t < "
         "0.01 and 0 or 'x'} end }",
         "at t = 0."},
    };
    char told[sizeof err.message] = "";
    const BwLog log = {.write = take_message, .user = told};
    if (!comma_locale_begin())
        skip();
    bw_fail(&err, BW_ERR_DEF, "%g and %.3f of %d", 0.5, 1234.25, 7);
    assert_string_equal(err.message, "0.5 and 1234.250 of 7");
    bw_log(&log, BW_LOG_WARNING, "%.2g s", 0.125);
    assert_string_equal(told, "0.12 s");
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; n++) {
        BwScene *scene = NULL;
        const char *text = scenes[n][0];
        assert_int_not_equal(bw_scene_load_text(&scene, text, strlen(text), "a.lua", NULL, &err), BW_OK);
        if (strstr(err.message, scenes[n][1]) == NULL)
            fail_msg("\"%s\"; wanted \"%s\"", err.message, scenes[n][1]);
    }
    snprintf(told, sizeof told, "%g", 0.5);
    assert_string_equal(told, "0,5");
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_the_same_bytes),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(numbers_have_points),
        cmocka_unit_test(messages_have_points),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
