// Lines of stats: what does not apply to a fluid is left out of them.
#include "gate.h"
#include "world/stats_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *line_of(const BwStats *stats)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    bw_stats_write(stream, stats);
    fclose(stream);
    assert_true(size > 0 && text[size - 1] == '\n');
    return text;
}

static BwStats plain(void)
{
    BwStats stats = {.volume = (double)NAN,
                     .volume_drift = (double)NAN,
                     .heat = (double)NAN,
                     .dissipation = (double)NAN,
                     .residual = (double)NAN};
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        stats.heat_flux[side] = (double)NAN;
    return stats;
}

static void what_does_not_apply_is_left_out(void **state)
{
    (void)state;
    static const char *const absent[] = {"particles",   "volume",    "volume_drift", "heat", "residual",
                                         "dissipation", "heat_flux", "regions",      "null"};
    BwStats stats = plain();
    stats.particles = 7; // of a fluid without a surface
    char *line = line_of(&stats);
    for (size_t n = 0; n < sizeof absent / sizeof *absent; n++)
        if (strstr(line, absent[n]) != NULL)
            fail_msg("%s is in %s", absent[n], line);
    free(line);
}

static void stages_tell_how_well_they_are_shared(void **state)
{
    (void)state;
    BwStats stats = plain();
    char *line = line_of(&stats);
    assert_null(strstr(line, "threads"));
    free(line);
    stats.threads = 4;
    stats.stage_count = 2;
    stats.stages[0].name = "advect";
    stats.stages[0].seconds = 0.5;
    stats.stages[0].worked = 1.5;
    stats.stages[1].name = "forces"; // too short for the clock
    line = line_of(&stats);
    assert_non_null(strstr(line, "\"threads\":4,\"stage_efficiency\":{\"advect\":0.75}"));
    free(line);
}

static void a_liquid_tells_its_volume(void **state)
{
    (void)state;
    BwStats stats = plain();
    stats.volume = 0.5;
    stats.mass = 0.5;
    stats.volume_drift = 0.0;
    char *line = line_of(&stats); // also one that has lost all of its particles
    assert_non_null(strstr(line, "\"particles\":0,\"volume\":0.5,\"volume_drift\":0,\"mass\":0.5,"));
    free(line);
    stats.particles = 5000000000;
    stats.volume_drift = -0.25;
    line = line_of(&stats);
    assert_non_null(strstr(line, "\"particles\":5000000000,\"volume\":0.5,\"volume_drift\":-0.25,"));
    free(line);
}

static void a_level_set_tells_its_regions(void **state)
{
    (void)state;
    BwStats stats = plain();
    stats.region_count = 2;
    stats.given_back = 0.25;
    stats.regions[0] = (BwRegionStats){1.0, 0.5, 0.375};
    stats.regions[1] = (BwRegionStats){0.5, -0.25, -0.125};
    char *line = line_of(&stats);
    assert_non_null(strstr(line,
                           "\"regions\":{\"count\":2,\"given_back\":0.25,\"films\":0,\"volume\":[1,0.5],"
                           "\"lacks\":[0.5,-0.25],\"got\":[0.375,-0.125]}"));
    free(line);
    stats.region_count = 100; // of which the largest are told
    line = line_of(&stats);
    assert_non_null(strstr(line, "\"volume\":[1,0.5,0,0,0,0,0,0]"));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_apply_is_left_out),
        cmocka_unit_test(stages_tell_how_well_they_are_shared),
        cmocka_unit_test(a_liquid_tells_its_volume),
        cmocka_unit_test(a_level_set_tells_its_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
