// Smoke does not know where tiles meet. A hot plume leaves a vent on a ball, in a cross wind; faces where its
// smoke ends at once are counted by their place in the tile. The scene is run at eight places of the grid, so
// that each of its faces is once at every place of a tile: whatever its shape, places should come out alike.
#include "run.h"

#include <stdio.h>

static const float cell = 1.0f / 16.0f;

typedef struct Counts {
    double ends[BW_TILE], all;
} Counts;

// Beside the source, it and not the carrying makes the ends of the smoke.
static bool is_at_source(int x, int y, int z, int shift)
{
    double across = hypot(x + 0.5 - shift, z + 0.5 - shift), up = y + 0.5 - shift;
    return across < 4.0 + 1.5 && up > 6.0 && up < 10.0 + 1.5;
}

// Between two cells of air, one of them full and the other one clean.
static void count_faces(const BwFrame *frame, int shift, Counts *counts)
{
    const BwFrameField *density = bw_frame_field(frame, "density"), *solid = bw_frame_field(frame, "solid");
    for (int32_t tile = 0; tile < frame->tile_count; tile++)
        for (int n = 0; n < 512; n++) {
            const int in_tile[3] = {n & 7, n >> 3 & 7, n >> 6};
            int x = 8 * frame->tiles[tile].x + in_tile[0], y = 8 * frame->tiles[tile].y + in_tile[1],
                z = 8 * frame->tiles[tile].z + in_tile[2];
            size_t at = (size_t)tile * 512 + (size_t)n;
            for (int a = 0; a < 3 && solid->values[at] == 0.0f && !is_at_source(x, y, z, shift); a++) {
                int bx = x - (a == 0), by = y - (a == 1), bz = z - (a == 2);
                if (frame_value(frame, solid, bx, by, bz) != 0.0f || is_at_source(bx, by, bz, shift))
                    continue;
                float here = density->values[at], before = frame_value(frame, density, bx, by, bz);
                bool is_end = fmaxf(here, before) > 0.2f && fminf(here, before) < 1e-3f;
                counts->ends[in_tile[a]] += is_end;
                counts->all += is_end;
            }
        }
}

static void run_plume(int shift, BwAdvection advection, int frames, Counts *counts)
{
    float s = cell * (float)shift;
    BwSceneDef scene = smoke_scene(3, cell);
    scene.smoke.wind = bw_curve_vector(1.3f, 0.0f, 0.2f);
    scene.smoke.confinement = 0.15f;
    scene.smoke.advection = advection;
    BwObstacleDef solid = bw_obstacle_def_default();
    solid.shape = ball(s, s, s, 0.4f);
    BwEmitterDef vent = bw_emitter_def_default();
    vent.shape = (BwShape){.kind = BW_SHAPE_CYLINDER,
                           .a = bw_vec3(s, 0.42f + s, s),
                           .b = bw_vec3(s, 0.62f + s, s),
                           .radius = 0.25f};
    vent.density = bw_curve_number(1.0f);
    vent.temperature = bw_curve_number(370.0f);
    vent.velocity = bw_curve_vector(0.0f, 1.2f, 0.0f);
    scene.obstacles = &solid;
    scene.obstacle_count = 1;
    scene.emitters = &vent;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        count_faces(frame_of(world), shift, counts);
    }
    bw_world_destroy(world);
}

static void check(const char *scheme, BwAdvection advection, int frames)
{
    Counts counts = {0};
    for (int shift = 0; shift < BW_TILE; shift++)
        run_plume(shift, advection, frames, &counts);
    for (int n = 0; n < BW_TILE; n++)
        printf("%s: %g ends of smoke at place %d of a tile\n", scheme, counts.ends[n], n);
    char name[64];
    snprintf(name, sizeof name, "seams_ends_of_smoke_%s", scheme); // so that there is something to count
    gate(name, counts.all, GATE_ABOVE, 100.0);
    snprintf(name, sizeof name, "seams_at_border_over_elsewhere_%s", scheme);
    gate(name, 7.0 * counts.ends[0] / (counts.all - counts.ends[0]), GATE_BELOW, 1.5);
}

static void smoke_ends_at_sides_of_tiles_no_more_than_elsewhere(void **state)
{
    (void)state;
    check("maccormack", BW_ADVECT_MACCORMACK, 14);
}

static void nor_does_it_by_cubics(void **state)
{
    (void)state;
    check("cubic", BW_ADVECT_CUBIC, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoke_ends_at_sides_of_tiles_no_more_than_elsewhere),
        cmocka_unit_test(nor_does_it_by_cubics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
