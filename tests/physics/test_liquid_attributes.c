// What the particles of a liquid carry: colour and heat are neither made nor lost while it splashes, is
// merged and split; ages are the time since birth; sources have what they gave; stirring mixes; and the
// surface has the colour of the liquid beneath it.
#include "liquid_run.h"

#include <billow/surface.h>

#include <stdio.h>

#ifdef FULL_SIZE
enum { CELLS = 64, CELLS_3D = 40, FRAMES = 72 };
#else
enum { CELLS = 32, CELLS_3D = 16, FRAMES = 36 };
#endif

static const float red[3] = {0.9f, 0.15f, 0.1f}, blue[3] = {0.05f, 0.3f, 0.95f};

static const BwFrameAttribute *attribute_of(const BwFrame *frame, const char *name)
{
    const BwFrameParticles *water = water_of(frame);
    return bw_frame_attribute(water->attributes, water->attribute_count, name);
}

static void set_color(float to[3], const float color[3])
{
    memcpy(to, color, 3 * sizeof *to);
}

// Sums over the particles of their volume times what they carry, and how far the volumes are apart.
typedef struct Carried {
    double volume, color[3], heat, age;
    double smallest, largest; // m^3
} Carried;

static Carried carried_by(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    const float *volumes = water_volumes(water), *colors = attribute_of(frame, "color")->values,
                *heat = attribute_of(frame, "temperature")->values,
                *ages = attribute_of(frame, "age")->values;
    Carried sums = {.smallest = INFINITY};
    for (int64_t n = 0; n < water->count; n++) {
        double volume = (double)volumes[n];
        sums.volume += volume;
        sums.smallest = fmin(sums.smallest, volume);
        sums.largest = fmax(sums.largest, volume);
        sums.heat += volume * (double)heat[n];
        sums.age += volume * (double)ages[n];
        for (int c = 0; c < 3; c++)
            sums.color[c] += volume * (double)colors[3 * n + c];
    }
    return sums;
}

// Two dams of different colours, of which one is warm, fall into each other in a closed box.
static void gate_kept(int dimension, BwLiquidMethod method)
{
    float cell = 1.0f / (float)(dimension == 3 ? CELLS_3D : CELLS);
    BwSceneDef scene = liquid_scene(dimension, cell, method);
    BwFillDef fills[2] = {fill_corner(0.3f, 0.7f, 1.0f),
                          fill_of(bw_box(bw_vec3(0.75f, 0.0f, -1.0f), bw_vec3(1.0f, 0.6f, 1.0f)))};
    char name[96];
    double worst = 0.0;
    bool has_resampled = false;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.output.age = true;
    set_color(fills[0].color, red);
    set_color(fills[1].color, blue);
    fills[1].temperature = 350.0f;
    scene.fills = fills;
    scene.fill_count = 2;
    BwWorld *world = make_world(&scene, 2);
    Carried first = carried_by(frame_of(world));
    for (int n = 1; n <= FRAMES; n++) {
        step_frames(world, 1);
        Carried now = carried_by(frame_of(world));
        worst = worse(worst, fabs(now.heat / first.heat - 1.0));
        worst = worse(worst, fabs(now.age / (first.volume * frame_of(world)->time) - 1.0));
        for (int c = 0; c < 3; c++)
            worst = worse(worst, fabs(now.color[c] / first.color[c] - 1.0));
        has_resampled |= now.smallest < 0.9 * first.largest && now.largest > 1.1 * first.largest;
    }
    assert_true(has_resampled); // else it tells nothing of merging and splitting
    snprintf(name, sizeof name, "liquid_carried_%dd_%s", dimension, method_name(method));
    gate(name, worst, GATE_BELOW, 1e-6);
    bw_world_destroy(world);
}

static void what_is_carried_stays(void **state)
{
    (void)state;
    gate_kept(2, BW_LIQUID_APIC);
    gate_kept(2, BW_LIQUID_FLIP);
    gate_kept(3, BW_LIQUID_APIC);
}

// Two jets side by side in the air that never meet, a drop that appears at .1 s, and one that was there.
static void make_jets(BwSceneDef *scene, BwEmitterDef emitters[3], BwFillDef *fill)
{
    *scene = liquid_scene(2, 1.0f / (float)CELLS, BW_LIQUID_APIC);
    scene->gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene->output.age = scene->output.source = true;
    for (int n = 0; n < 3; n++)
        emitters[n] = bw_emitter_def_default();
    emitters[0].shape = bw_disc(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(1.0f, 0.0f, 0.0f), 0.2f);
    emitters[0].velocity = bw_curve_vector(1.5f, 0.0f, 0.0f);
    emitters[1].shape = bw_disc(bw_vec3(0.0f, 1.0f, 0.0f), bw_vec3(1.0f, 0.0f, 0.0f), 0.1f);
    emitters[1].velocity = bw_curve_vector(2.5f, 0.0f, 0.0f);
    emitters[1].start = 0.05;
    emitters[1].stop = 0.3;
    emitters[2].kind = BW_EMIT_BLOB;
    emitters[2].shape = ball(0.0f, 2.0f, 0.0f, 0.2f);
    emitters[2].start = 0.1;
    *fill = fill_of(ball(0.0f, 3.0f, 0.0f, 0.2f));
    scene->emitters = emitters;
    scene->emitter_count = 3;
    scene->fills = fill;
    scene->fill_count = 1;
}

// The n-th particle of a jet comes when its clock stands half past n, and so many are older; one that was
// split counts as two halves of an age.
static double worst_age(const BwFrame *frame, int source, double start, double rate)
{
    const BwFrameParticles *water = water_of(frame);
    const int32_t *sources = attribute_of(frame, "source")->integers;
    const float *ages = attribute_of(frame, "age")->values, *volumes = water_volumes(water);
    double worst = 0.0, unit = 0.25 * (double)frame->cell_size * (double)frame->cell_size;
    for (int64_t n = 0; n < water->count; n++) {
        double number = 0.0;
        for (int64_t other = 0; other < water->count && sources[n] == source; other++)
            number += sources[other] == source && ages[other] > ages[n] ? (double)volumes[other] / unit : 0.0;
        if (sources[n] == source)
            worst = worse(worst, fabs((double)ages[n] - (frame->time - start - (number + 0.5) / rate)));
    }
    return worst;
}

static double volume_from(const BwFrame *frame, int source)
{
    const BwFrameParticles *water = water_of(frame);
    const int32_t *sources = attribute_of(frame, "source")->integers;
    double sum = 0.0;
    for (int64_t n = 0; n < water->count; n++)
        sum += sources[n] == source ? (double)water_volumes(water)[n] : 0.0;
    return sum;
}

static void ages_and_sources_are_told(void **state)
{
    (void)state;
    BwSceneDef scene;
    BwEmitterDef emitters[3];
    BwFillDef fill;
    make_jets(&scene, emitters, &fill);
    BwWorld *world = make_world(&scene, 2);
    double unit = 0.25 * (double)scene.cell * (double)scene.cell, pi = 3.14159265358979;
    const BwFrameAttribute *age = attribute_of(frame_of(world), "age");
    double fresh = 0.0, settled = 0.0;
    for (int64_t n = 0; n < water_of(frame_of(world))->count; n++)
        fresh = fmax(fresh, (double)age->values[n]);
    assert_true(fresh == 0.0);
    step_frames(world, 10);
    const BwFrame *frame = frame_of(world);
    double time = frame->time, rates[2] = {0.4 * 1.5 / unit, 0.2 * 2.5 / unit};
    gate("liquid_age_of_a_stream", worst_age(frame, 2, 0.0, rates[0]), GATE_BELOW, 1e-6);
    gate("liquid_age_of_a_late_stream", worst_age(frame, 3, 0.05, rates[1]), GATE_BELOW, 1e-6);
    const int32_t *sources = attribute_of(frame, "source")->integers;
    for (int64_t n = 0; n < water_of(frame)->count; n++) {
        double wanted = sources[n] == 1 ? time : time - 0.1;
        if (sources[n] == 1 || sources[n] == 4)
            settled = fmax(settled, fabs((double)attribute_of(frame, "age")->values[n] - wanted));
    }
    gate("liquid_age_of_drops", settled, GATE_BELOW, 1e-7);
    gate("liquid_source_stream", fabs(volume_from(frame, 2) - 0.6 * time) / unit, GATE_BELOW, 1.0);
    gate("liquid_source_late_stream", fabs(volume_from(frame, 3) - 0.5 * 0.25) / unit, GATE_BELOW, 1.0);
    gate("liquid_source_fill", fabs(volume_from(frame, 1) / (0.04 * pi) - 1.0), GATE_BELOW, 0.02);
    gate("liquid_source_blob", fabs(volume_from(frame, 4) / (0.04 * pi) - 1.0), GATE_BELOW, 0.02);
    bw_world_destroy(world);
}

// An inflow's water is its own: what was there is pushed out of the other side.
static void sides_give_their_color(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 24.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    double wrong = 0.0, ours = 0.0;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene.walls.side[BW_LEFT].part = bw_box(bw_vec3(-1.0f, 0.0f, -1.0f), bw_vec3(1.0f, 0.5f, 1.0f));
    scene.walls.side[BW_LEFT].temperature = bw_curve_number(320.0f);
    set_color(scene.walls.side[BW_LEFT].color, red);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    scene.output.source = true;
    fill.velocity = bw_vec3(1.0f, 0.0f, 0.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 12);
    const BwFrame *frame = frame_of(world);
    const float *colors = attribute_of(frame, "color")->values,
                *heat = attribute_of(frame, "temperature")->values;
    const int32_t *sources = attribute_of(frame, "source")->integers;
    for (int64_t n = 0; n < water_of(frame)->count; n++) {
        bool is_ours = sources[n] == 2 + BW_LEFT;
        const float *color = is_ours ? red : scene.look.water_color;
        assert_true(is_ours || sources[n] == 1);
        if (fabs((double)water_volumes(water_of(frame))[n] * 4.0 * 576.0 - 1.0) > 1e-3)
            continue; // merged
        wrong += colors[3 * n] != color[0] || heat[n] != (is_ours ? 320.0f : 293.15f);
        ours += is_ours;
    }
    gate("liquid_side_wrong_particles", wrong, GATE_BELOW, 0);
    gate("liquid_side_particles", ours / (0.5 * 0.5 * 4.0 * 576.0), GATE_ABOVE, 0.9);
    bw_world_destroy(world);
}

// Places and velocities of all particles, as bits.
static uint64_t motion_hash(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    BwFrameAttribute velocity = *bw_frame_attribute(water->attributes, water->attribute_count, "velocity");
    BwFrameParticles plain = *water;
    BwFrame bare = *frame;
    plain.attributes = &velocity;
    plain.attribute_count = 1;
    bare.particles = &plain;
    bare.field_count = 0;
    return bw_frame_hash(&bare);
}

// The same splash, with all that it may carry and with nothing.
static void what_is_carried_does_nothing(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int n = 0; n < 2; n++) {
        BwSceneDef scene = liquid_scene(2, 1.0f / (float)CELLS, BW_LIQUID_APIC);
        BwFillDef fills[2] = {fill_corner(0.4f, 0.6f, 1.0f), fill_of(ball(0.7f, 0.6f, 0.0f, 0.2f))};
        set_box(&scene, 1.0f, 1.0f, 1.0f);
        scene.output.age = scene.output.source = n == 1;
        if (n == 1) {
            set_color(fills[1].color, blue);
            fills[0].temperature = 400.0f;
        }
        scene.fills = fills;
        scene.fill_count = 2;
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, FRAMES / 2);
        hashes[n] = motion_hash(frame_of(world));
        bw_world_destroy(world);
    }
    assert_true(hashes[0] != 0 && hashes[0] == hashes[1]);
}

// How far the colours of cells full of liquid are from one another: their standard deviation.
static double deviation(const BwFrame *frame)
{
    const BwFrameField *field = bw_frame_field(frame, "color_r"), *phi = bw_frame_field(frame, "phi");
    double sum = 0.0, squares = 0.0, count = 0.0;
    for (int64_t n = 0; n < (int64_t)frame->tile_count * 64 * frame->layers; n++)
        if (phi->values[n] < -frame->cell_size) {
            sum += (double)field->values[n];
            squares += (double)field->values[n] * (double)field->values[n];
            count += 1.0;
        }
    return sqrt(fmax(squares / count - sum * sum / (count * count), 0.0));
}

// A blue drop falls into red water that a vortex stirs: cells become alike, what there is of both stays, and
// so do particles as they are, but for the few that are merged.
static void stirring_mixes_a_drop(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / (float)CELLS, BW_LIQUID_APIC);
    BwFillDef fills[2] = {fill_corner(1.0f, 0.5f, 1.0f), fill_of(ball(0.5f, 0.65f, 0.0f, 0.25f))};
    BwForceDef force = bw_force_def_default();
    double kept = 0.0;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    set_color(fills[0].color, red);
    set_color(fills[1].color, blue);
    fills[1].temperature = 300.0f;
    force.field = BW_FORCE_VORTEX;
    force.center = bw_curve_vector(0.5f, 0.3f, 0.0f);
    force.strength = bw_curve_number(5.0f);
    force.radius = 0.3f;
    scene.forces = &force;
    scene.force_count = 1;
    scene.fills = fills;
    scene.fill_count = 2;
    scene.output.age = true;
    BwWorld *world = make_world(&scene, 2);
    double first = deviation(frame_of(world));
    Carried before = carried_by(frame_of(world));
    step_frames(world, 2 * FRAMES);
    const BwFrame *frame = frame_of(world);
    Carried after = carried_by(frame);
    const float *colors = attribute_of(frame, "color")->values;
    for (int64_t n = 0; n < water_of(frame)->count; n++)
        kept += colors[3 * n] == red[0] || colors[3 * n] == blue[0];
    gate("liquid_mixed_drop_deviation", deviation(frame) / first, GATE_BELOW, 0.6);
    gate("liquid_mixed_drop_mean", fabs(after.color[0] / before.color[0] - 1.0), GATE_BELOW, 1e-6);
    gate("liquid_mixed_drop_pure_particles", kept / (double)water_of(frame)->count, GATE_ABOVE, 0.5);
    bw_world_destroy(world);
}

// All of a splash is of one colour: so is its mesh, wherever the surface lies, and each cell in it.
static void the_surface_has_the_liquids_color(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / (float)CELLS_3D, BW_LIQUID_APIC);
    BwFillDef fills[2] = {fill_corner(1.0f, 0.25f, 1.0f), fill_of(ball(0.5f, 0.6f, 0.5f, 0.2f))};
    BwObstacleDef obstacle = solid_of(ball(0.3f, 0.1f, 0.5f, 0.15f));
    BwSurface *surface;
    BwError err = {0};
    double worst = 0.0;
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    fills[1].velocity = bw_vec3(0.0f, -3.0f, 0.0f);
    for (int n = 0; n < 2; n++) {
        set_color(fills[n].color, red);
        fills[n].temperature = 333.0f;
    }
    scene.fills = fills;
    scene.fill_count = 2;
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    assert_int_equal(bw_surface_create(&surface, NULL, &err), BW_OK);
    for (int n = 0; n < 10; n++) {
        const BwFrameMesh *mesh = bw_surface_mesh(surface, frame_of(world), &err);
        assert_non_null(mesh);
        const float *colors = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "color")->values,
                    *heat =
                        bw_frame_attribute(mesh->attributes, mesh->attribute_count, "temperature")->values;
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            worst = worse(worst, fabs((double)heat[v] / 333.0 - 1.0));
            for (int c = 0; c < 3; c++)
                worst = worse(worst, fabs((double)(colors[3 * v + c] - red[c])));
        }
        step_frames(world, 1);
    }
    gate("liquid_mesh_color_error", worst, GATE_BELOW, 3e-6);
    bw_surface_destroy(surface);
    bw_world_destroy(world);
}

// A liquid that carries nothing has no columns, fields or time for it, and its particles only near its
// surface; one that does has them everywhere, unless the scene asks for a band: that is refused.
static void a_band_and_colors_exclude_each_other(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 32.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.8f, 1.0f);
    BwWorldDef def = bw_world_def_default();
    BwWorld *refused;
    BwError err = {0};
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.narrow_band = NAN;
    scene.fills = &fill;
    scene.fill_count = 1;
    for (int n = 0; n < 2; n++) {
        BwWorld *world = make_world(&scene, 1);
        const BwFrame *frame = frame_of(world);
        bool is_full = fabs((double)water_of(frame)->count * 0.25 / 1024.0 / 0.8 - 1.0) < 0.05;
        assert_int_equal(is_full, n == 1);
        assert_int_equal(water_of(frame)->attribute_count, 3 + n);
        assert_int_equal(bw_frame_field(frame, "color_b") != NULL, n == 1);
        bw_world_destroy(world);
        set_color(fill.color, blue);
    }
    scene.liquid.narrow_band = 0.1f;
    def.scene = &scene;
    assert_int_equal(bw_world_create(&refused, &def, &err), BW_ERR_SCENE);
    assert_non_null(strstr(err.message, "liquid.narrow_band cannot be run with fluid \"liquid\" that carries "
                                        "color, temperature, viscosity, age or source"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_carried_stays),
        cmocka_unit_test(ages_and_sources_are_told),
        cmocka_unit_test(sides_give_their_color),
        cmocka_unit_test(what_is_carried_does_nothing),
        cmocka_unit_test(stirring_mixes_a_drop),
        cmocka_unit_test(the_surface_has_the_liquids_color),
        cmocka_unit_test(a_band_and_colors_exclude_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
