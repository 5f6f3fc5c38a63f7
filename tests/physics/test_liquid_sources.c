// Sources of liquids: what spouts emit is area times speed times time, however long the steps are, and falls
// on its parabola; emitters and sinks inside a tank change its level by their flow; a stream through a
// channel keeps its volume; sides draw as much as they are told; and the account of all that comes and goes
// is exact.
#include "liquid_run.h"

#include <stdio.h>

#ifdef FULL_SIZE
enum { CELLS = 64, CELLS_3D = 48, CHANNEL_CELLS = 48 };
static const double channel_seconds = 20.0;
#else
enum { CELLS = 48, CELLS_3D = 24, CHANNEL_CELLS = 24 };
static const double channel_seconds = 20.0;
#endif

static const double pi = 3.14159265358979;

typedef struct Account {
    double start, emitted, sink, open; // m^3
    double error;                      // the largest of mass - (start + emitted - removed), over the mass
    double drift;                      // the last
} Account;

static void watch(BwWorld *world, int frames, Account *account)
{
    if (account->start == 0.0)
        account->start = bw_world_view_stats(world)->mass;
    for (int n = 0; n < frames; n++) {
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        account->emitted += stats->emitted;
        account->sink += stats->removed[BW_REMOVED_SINK];
        account->open += stats->removed[BW_REMOVED_OPEN];
        double wanted = account->start + account->emitted - account->sink - account->open;
        account->error = worse(account->error, fabs(stats->mass - wanted) / fmax(wanted, 1e-9));
        account->drift = stats->volume_drift;
    }
}

static BwEmitterDef spout_of(BwShape shape, float x, float y)
{
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = shape;
    emitter.velocity = bw_curve_vector(x, y, 0.0f);
    return emitter;
}

static void gate_named(const char *what, const char *name, double value, double bound)
{
    char text[96];
    snprintf(text, sizeof text, "liquid_%s_%s", what, name);
    gate(text, value, GATE_BELOW, bound);
}

// The particles of a stream along x in slices of a cell: how far the fullest and the emptiest are from the
// mean, without the two at each end.
static double unevenness(const BwFrame *frame, double start, double cell)
{
    enum { SLICES = 512 };
    const BwFrameParticles *water = water_of(frame);
    int count[SLICES] = {0}, last = 0;
    double sum = 0.0, worst = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        int slice = (int)floor((place[0] - start) / cell);
        if (slice < 0 || slice >= SLICES)
            continue;
        count[slice]++;
        last = slice > last ? slice : last;
    }
    for (int n = 2; n < last - 2; n++)
        sum += (double)count[n] / (last - 4);
    for (int n = 2; n < last - 2; n++)
        worst = fmax(worst, fabs(count[n] / sum - 1.0));
    return worst;
}

// In space the stream fills a duct, whose walls leave the level set two flat ends.
static void gate_spout(int dimension, float cfl, int fps)
{
    char name[64];
    int cells = dimension == 3 ? CELLS_3D : CELLS;
    float radius = 0.125f, speed = 3.0f;
    BwSceneDef scene = liquid_scene(dimension, 1.0f / (float)cells, BW_LIQUID_APIC);
    BwShape disc = bw_disc(bw_vec3(0.01f, 0.02f, 0.0f), bw_vec3(1.0f, 0.0f, 0.0f), radius);
    BwShape across = bw_rectangle(bw_vec3(0.11f, 0.25f, 0.25f), bw_vec3(1.0f, 0.0f, 0.0f), 0.5f, 0.5f);
    BwEmitterDef spout = spout_of(dimension == 3 ? across : disc, speed, 0.0f);
    if (dimension == 3)
        set_box(&scene, 2.0f, 0.5f, 0.5f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.cfl = cfl;
    scene.fps = fps;
    scene.emitters = &spout;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    Account account = {0};
    watch(world, fps / 2, &account);
    double area = 0.25;
    double wanted = area * (double)speed * 0.5;
    double unit = pow(0.5 / cells, dimension), count = (double)bw_world_view_stats(world)->particles;
    snprintf(name, sizeof name, "%dd_cfl_%g_fps_%d", dimension, (double)cfl, fps);
    gate_named("spout_emitted", name, fabs(account.emitted / wanted - 1.0), 1e-3);
    gate_named("spout_particles", name, fabs(unit * count / wanted - 1.0), 1e-2);
    gate_named("spout_level_set", name, fabs(bw_world_view_stats(world)->volume / wanted - 1.0), 1e-2);
    gate_named("spout_unevenness", name,
               unevenness(frame_of(world), dimension == 3 ? 0.11 : 0.01, 1.0 / cells), 0.35);
    bw_world_destroy(world);
}

static void a_spout_emits_area_times_speed(void **state)
{
    (void)state;
    const float cfls[] = {0.5f, 2.0f, 5.0f};
    const int rates[] = {24, 60};
    for (int n = 0; n < 6; n++)
        gate_spout(2, cfls[n / 2], rates[n % 2]);
    gate_spout(3, 2.0f, 24);
    gate_spout(3, 5.0f, 60);
}

// A round jet in the open, whose level set is curved.
static void a_round_jet_emits_as_much(void **state)
{
    (void)state;
    float radius = 0.25f, speed = 2.0f;
    BwSceneDef scene = liquid_scene(3, 1.0f / CELLS_3D, BW_LIQUID_APIC);
    BwEmitterDef spout =
        spout_of(bw_disc(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(1.0f, 1.0f, 0.0f), radius), speed, speed);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.liquid.narrow_band = NAN;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    scene.emitters = &spout;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    Account account = {0};
    watch(world, 8, &account);
    double wanted = pi * (double)(radius * radius * speed) * sqrt(2.0) / 3.0;
    gate_named("round_jet", "emitted", fabs(account.emitted / wanted - 1.0), 1e-3);
    gate_named("round_jet", "account", account.error, 1e-6);
    gate_wanted("liquid_round_jet_level_set", fabs(bw_world_view_stats(world)->volume / wanted - 1.0), 0.05,
                0.01);
    bw_world_destroy(world);
}

// The flow is given and the speed follows; curves, a start and a stop amid frames; a solid shape.
static BwResult rising(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = (float)(0.2 * time);
    return BW_OK;
}

static void flows_are_as_given(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwEmitterDef spouts[3] = {bw_emitter_def_default(), bw_emitter_def_default(),
                              spout_of(ball(4.0f, 0.0f, 0.0f, 0.125f), 0.0f, -2.0f)};
    spouts[0].shape = bw_disc(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), 0.1f);
    spouts[0].flow = bw_curve_function(rising, NULL, 1);
    spouts[1].shape = ball(2.0f, 0.0f, 0.0f, 0.1f);
    spouts[1].flow = bw_curve_number(0.15f);
    spouts[2].start = 0.111;
    spouts[2].stop = 0.456;
    scene.emitters = spouts;
    const double wanted[3] = {0.1, 0.15, 0.25 * 2.0 * 0.345};
    const char *const names[3] = {"of_time", "in_a_volume", "of_a_ball"};
    for (int n = 0; n < 3; n++) {
        Account account = {0};
        scene.emitters = &spouts[n];
        scene.emitter_count = 1;
        BwWorld *world = make_world(&scene, 2);
        watch(world, 24, &account);
        gate_named("flow", names[n], fabs(account.emitted / wanted[n] - 1.0), 5e-3);
        gate_named("account", names[n], account.error, 1e-6);
        bw_world_destroy(world);
    }
}

// How far the axis of a jet is from its parabola, in cells: the worst of the means over half a cell's time.
static double off_parabola(const BwFrame *frame, double cell, double x, double y)
{
    enum { BINS = 64 };
    const BwFrameParticles *water = water_of(frame);
    double sum[BINS] = {0.0}, count[BINS] = {0.0}, worst = 0.0;
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        double t = place[0] / x, axis = y * t - 0.5 * liquid_gravity * t * t;
        int bin = (int)floor(0.25 * place[0] / cell);
        if (bin >= 0 && bin < BINS) {
            sum[bin] += place[1] - axis;
            count[bin] += 1.0;
        }
    }
    for (int n = 1; n + 1 < BINS && count[n + 1] > 0.0; n++)
        worst = worse(worst, fabs(sum[n] / count[n]) / cell);
    return worst;
}

static void a_free_jet_falls_on_its_parabola(void **state)
{
    (void)state;
    const float cfls[] = {0.5f, 2.0f, 5.0f, 2.0f, 0.5f, 2.0f};
    const BwLiquidMethod methods[] = {BW_LIQUID_APIC, BW_LIQUID_APIC,    BW_LIQUID_APIC,
                                      BW_LIQUID_FLIP, BW_LIQUID_MARKERS, BW_LIQUID_MARKERS};
    for (int n = 0; n < 6; n++) {
        char name[64];
        BwLiquidMethod method = methods[n];
        float cfl = cfls[n];
        BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, method);
        BwEmitterDef spout =
            spout_of(bw_disc(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(1.0f, 0.0f, 0.0f), 0.1f), 3.0f, 1.5f);
        scene.liquid.seeding = BW_SEEDING_JITTERED;
        scene.cfl = cfl;
        scene.emitters = &spout;
        scene.emitter_count = 1;
        BwWorld *world = make_world(&scene, 2);
        step_frames(world, 16);
        snprintf(name, sizeof name, "liquid_jet_off_parabola_%s_cfl_%g", method_name(method), (double)cfl);
        double off = off_parabola(frame_of(world), 1.0 / CELLS, 3.0, 1.5);
        gate_wanted(name, off, method == BW_LIQUID_MARKERS ? 1.5 : 0.2, 0.2);
        bw_world_destroy(world);
    }
}

// A nozzle that is carried along, faster and faster, and shoots down. What has left it keeps the velocity
// that it left with, so each particle tells when that was by how far down it is.
static const float nozzle_push = 1.5f, nozzle_speed = 2.0f; // m/s^2, m/s

static BwResult carried_along(void *user, double time, float value[4], BwError *err)
{
    (void)user, (void)err;
    value[0] = 0.5f * nozzle_push * (float)(time * time);
    value[1] = value[2] = 0.0f;
    return BW_OK;
}

// The worst distance of the jet's axis from where it should be, in cells, over layers of eight cells.
static double off_carried_jet(const BwFrame *frame, double time)
{
    enum { LAYERS = CELLS / 8 };
    const BwFrameParticles *water = water_of(frame);
    double sum[LAYERS] = {0}, worst = 0.0;
    int count[LAYERS] = {0};
    for (int64_t p = 0; p < water->count; p++) {
        double place[3];
        bw_frame_particle_place(frame, water, p, place);
        double after = -place[1] / (double)nozzle_speed, then = time - after;
        double x = (double)nozzle_push * (0.5 * then * then + then * after);
        int layer = (int)floor(-place[1] * CELLS / 8.0);
        if (layer < 0 || layer >= LAYERS)
            continue;
        sum[layer] += (place[0] - x) * CELLS;
        count[layer]++;
    }
    for (int n = 0; n < LAYERS; n++)
        worst = count[n] >= 100 ? fmax(worst, fabs(sum[n] / count[n])) : worst;
    return worst;
}

static void a_nozzle_may_move(void **state)
{
    (void)state;
    const float viscosities[] = {0.0f, 0.01f}; // the thick one is held by its spout
    for (int n = 0; n < 2; n++) {
        BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
        BwEmitterDef nozzle = spout_of(bw_disc(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(0.0f, -1.0f, 0.0f), 0.1f),
                                       0.0f, -nozzle_speed);
        nozzle.offset = bw_curve_function(carried_along, NULL, 3);
        scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
        scene.liquid.viscosity = bw_curve_number(viscosities[n]);
        scene.emitters = &nozzle;
        scene.emitter_count = 1;
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 10);
        double time = 10.0 / scene.fps, wanted = 0.2 * (double)nozzle_speed * time;
        gate_named("moving_nozzle", n == 0 ? "emitted" : "emitted_thick",
                   fabs(water_volume(frame_of(world)) / wanted - 1.0), 1e-3);
        if (n == 0) // what is thick is pulled along by what follows
            gate_named("moving_nozzle", "off_its_way", off_carried_jet(frame_of(world), time), 0.1);
        bw_world_destroy(world);
    }
}

// The mean height of the surface, m.
static double level_of(const BwFrame *frame, int cells)
{
    double sum = 0.0;
    for (int x = 0; x < cells; x++)
        sum += surface_height(frame, x, 0, cells) / cells;
    return sum / cells;
}

static void gate_tank(float band, float emitted, float drained, const char *name)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    BwEmitterDef emitter = bw_emitter_def_default();
    BwSinkDef sink = bw_sink_def_default();
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.liquid.narrow_band = band;
    scene.fills = &fill;
    scene.fill_count = 1;
    emitter.shape = ball(0.3f, 0.2f, 0.0f, 0.1f);
    emitter.flow = bw_curve_number(emitted);
    sink.shape = ball(0.7f, 0.15f, 0.0f, 0.1f);
    sink.flow = bw_curve_number(drained);
    scene.emitters = &emitter;
    scene.emitter_count = emitted > 0.0f;
    scene.sinks = &sink;
    scene.sink_count = drained > 0.0f;
    BwWorld *world = make_world(&scene, 2);
    Account account = {0};
    double before = level_of(frame_of(world), CELLS), seconds = 4.0;
    watch(world, 96, &account);
    double change = level_of(frame_of(world), CELLS) - before,
           wanted = seconds * ((double)emitted - (double)drained);
    gate_named("tank_account", name, account.error, 1e-6);
    gate_named("tank_drift", name, fabs(account.drift), 0.01);
    gate_named("tank_emitted", name, fabs(account.emitted - seconds * (double)emitted), 1e-3);
    gate_named("tank_drained", name, fabs(account.sink - seconds * (double)drained), 1e-3);
    gate_named("tank_level", name, fabs(change - wanted),
               wanted != 0.0 ? 0.02 * fabs(wanted) + 0.001 : 0.005);
    bw_world_destroy(world);
}

static void sources_inside_a_tank_change_its_level(void **state)
{
    (void)state;
    gate_tank(0.0f, 0.05f, 0.0f, "filled");
    gate_tank(NAN, 0.05f, 0.0f, "filled_core");
    gate_tank(0.0f, 0.0f, 0.075f, "drained");
    gate_tank(NAN, 0.0f, 0.075f, "drained_core");
    gate_tank(NAN, 0.1f, 0.1f, "circulated");
}

// A spout below the surface pushes water away, and its account holds.
static void a_spout_works_below_the_surface(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    BwEmitterDef spouts[2] = {
        spout_of(bw_disc(bw_vec3(0.5f, 0.2f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f), 0.05f), 0.0f, 0.5f),
        spout_of(bw_disc(bw_vec3(0.0f, 0.3f, 0.0f), bw_vec3(1.0f, 0.0f, 0.0f), 0.05f), 0.5f, 0.0f)};
    Account account = {0};
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.narrow_band = NAN;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = spouts;
    scene.emitter_count = 2;
    BwWorld *world = make_world(&scene, 2);
    double before = level_of(frame_of(world), CELLS);
    watch(world, 48, &account);
    double change = level_of(frame_of(world), CELLS) - before;
    gate_named("submerged_spout", "account", account.error, 1e-6);
    gate_named("submerged_spout", "drift", fabs(account.drift), 0.01);
    gate_named("submerged_spout", "level", fabs(change / 0.2 - 1.0), 0.03);
    bw_world_destroy(world);
}

static BwSceneDef channel(const BwFillDef *fill, const BwShape *part, float speed)
{
    BwSceneDef scene = liquid_scene(2, 1.0f / CHANNEL_CELLS, BW_LIQUID_APIC);
    BwWallSideDef *left = &scene.walls.side[BW_LEFT];
    set_box(&scene, 2.0f, 1.0f, 1.0f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    left->kind = BW_WALL_INFLOW;
    left->velocity = bw_curve_vector(speed, 0.0f, 0.0f);
    left->part = *part;
    scene.fills = fill;
    scene.fill_count = 1;
    return scene;
}

static void gate_channel(BwWallKind right, float band, const char *name)
{
    char text[96];
    float speed = 0.5f, depth = 0.5f;
    BwFillDef fill = fill_corner(2.0f, depth, 1.0f);
    BwShape part = bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(3.0f, depth, 1.0f));
    BwSceneDef scene = channel(&fill, &part, speed);
    Account account = {0};
    fill.velocity = bw_vec3(speed, 0.0f, 0.0f);
    scene.liquid.narrow_band = band;
    scene.walls.side[BW_RIGHT].kind = right;
    if (right == BW_WALL_INFLOW) {
        scene.walls.side[BW_RIGHT].velocity = bw_curve_vector(speed, 0.0f, 0.0f);
        scene.walls.side[BW_RIGHT].part = part;
    }
    BwWorld *world = make_world(&scene, 2);
    double volume = bw_world_view_stats(world)->volume;
    watch(world, (int)(24.0 * channel_seconds), &account);
    double now = bw_world_view_stats(world)->volume;
    gate_named("channel_account", name, account.error, 1e-6);
    gate_named("channel_emitted", name,
               fabs(account.emitted / ((double)(speed * depth) * channel_seconds) - 1.0), 1e-3);
    snprintf(text, sizeof text, "liquid_channel_volume_%s", name);
    gate_wanted(text, fabs(now / volume - 1.0), right == BW_WALL_INFLOW ? 0.08 : 0.01, 0.01);
    bw_world_destroy(world);
}

static void a_stream_through_a_channel_is_steady(void **state)
{
    (void)state;
    gate_channel(BW_WALL_OUTFLOW, 0.0f, "outflow");
    gate_channel(BW_WALL_OUTFLOW, NAN, "outflow_core");
    gate_channel(BW_WALL_INFLOW, 0.0f, "drawn_out");
}

// An inflow that points outwards, over the lower quarter of the right side, draws area times speed times time
// out of water that covers it: a tank loses just that, and where as much comes in on the left it keeps its
// volume.
static void gate_drawing(int dimension, float band, float cfl, bool is_fed, const char *name)
{
    const float speed = 0.5f, depth = 0.85f, height = 0.25f;
    const int seconds = is_fed ? 8 : 4;
    BwFillDef fill = fill_corner(2.0f, depth, 0.5f);
    BwShape part = bw_box(bw_vec3(-1.0f, -1.0f, -1.0f), bw_vec3(3.0f, height, 1.0f));
    BwSceneDef scene = channel(&fill, &part, is_fed ? speed : 0.0f);
    BwWallSideDef *right = &scene.walls.side[BW_RIGHT];
    Account account = {0};
    scene.dimension = dimension;
    scene.cfl = cfl;
    scene.liquid.narrow_band = band;
    if (dimension == 3)
        set_box(&scene, 2.0f, 1.0f, 0.5f);
    if (!is_fed)
        scene.walls.side[BW_LEFT].kind = BW_WALL_CLOSED;
    right->kind = BW_WALL_INFLOW;
    right->velocity = bw_curve_vector(speed, 0.0f, 0.0f);
    right->part = part;
    BwWorld *world = make_world(&scene, 2);
    double start = bw_world_view_stats(world)->volume;
    watch(world, 24 * seconds, &account);
    double drawn = (double)(speed * height) * (dimension == 3 ? 0.5 : 1.0) * (double)seconds;
    double left = start - (is_fed ? 0.0 : drawn);
    gate_named("drawn_account", name, account.error, 1e-6);
    gate_named("drawn_volume", name, fabs(account.open / drawn - 1.0), 0.005);
    gate_named("drawn_left", name, fabs(bw_world_view_stats(world)->volume / left - 1.0), 0.005);
    bw_world_destroy(world);
}

static void sides_draw_area_times_speed(void **state)
{
    (void)state;
    gate_drawing(2, 0.0f, 0.5f, false, "short_steps");
    gate_drawing(2, 0.0f, 5.0f, false, "long_steps");
    gate_drawing(2, NAN, 2.0f, false, "core");
    gate_drawing(2, NAN, 2.0f, true, "fed");
    gate_drawing(3, NAN, 2.0f, false, "3d");
}

// Through a sink without a flow water falls as fast as its depth drives it, and a tank empties; blobs are
// their shape, once, less what was liquid before.
static void sinks_empty_and_blobs_fill(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.25f, 1.0f);
    BwSinkDef sink = bw_sink_def_default();
    BwEmitterDef blobs[2] = {bw_emitter_def_default(), bw_emitter_def_default()};
    Account account = {0};
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.liquid.narrow_band = NAN;
    scene.fills = &fill;
    scene.fill_count = 1;
    for (int n = 0; n < 2; n++)
        blobs[n].kind = BW_EMIT_BLOB;
    blobs[0].shape = bw_box(bw_vec3(0.25f, 0.5f, -1.0f), bw_vec3(0.5f, 0.75f, 1.0f));
    blobs[0].start = 0.05;
    blobs[1].shape = bw_box(bw_vec3(0.5f, 0.0f, -1.0f), bw_vec3(0.75f, 0.5f, 1.0f));
    scene.emitters = blobs;
    scene.emitter_count = 2;
    sink.shape = bw_box(bw_vec3(0.4f, -0.1f, -1.0f), bw_vec3(0.6f, 0.0625f, 1.0f));
    sink.start = 0.5;
    scene.sinks = &sink;
    scene.sink_count = 1;
    BwWorld *world = make_world(&scene, 2);
    watch(world, 12, &account);
    gate_named("blobs", "emitted", fabs(account.emitted / 0.125 - 1.0), 0.05);
    watch(world, 120, &account);
    gate_named("blobs_and_sink", "account", account.error, 1e-6);
    gate_named("sink", "left_over", bw_world_view_stats(world)->mass / 0.375, 0.1);
    bw_world_destroy(world);
}

// A sink that is open from the start takes with the first step: what is told of the start is all there.
static void a_start_is_told_before_sinks_take(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.25f, 1.0f);
    BwSinkDef sink = bw_sink_def_default();
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    sink.shape = bw_box(bw_vec3(-0.1f, -0.1f, -1.0f), bw_vec3(1.1f, 1.0f, 1.0f));
    scene.sinks = &sink;
    scene.sink_count = 1;
    BwWorld *world = make_world(&scene, 2);
    const BwStats *stats = bw_world_view_stats(world);
    gate("liquid_sink_start_mass", fabs(stats->mass / 0.25 - 1.0), GATE_BELOW, 0.001);
    gate("liquid_sink_start_drift", fabs(stats->volume_drift), GATE_BELOW, 0.005);
    step_frames(world, 1);
    gate("liquid_sink_end_volume", bw_world_view_stats(world)->volume, GATE_BELOW, 1e-9);
    bw_world_destroy(world);
}

// A pump gives its water the velocity it says, and none is gained.
static void a_pump_drives_water(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / CELLS, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(1.0f, 0.5f, 1.0f);
    BwPumpDef pump = bw_pump_def_default();
    Account account = {0};
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fills = &fill;
    scene.fill_count = 1;
    pump.shape = bw_box(bw_vec3(0.4f, 0.15f, -1.0f), bw_vec3(0.6f, 0.3f, 1.0f));
    pump.velocity = bw_curve_vector(0.0f, 0.5f, 0.0f);
    scene.pumps = &pump;
    scene.pump_count = 1;
    BwWorld *world = make_world(&scene, 2);
    watch(world, 48, &account);
    const BwFrame *frame = frame_of(world);
    const BwFrameField *v = bw_frame_field(frame, "v");
    double speed = (double)frame_value(frame, v, CELLS / 2, (int)(0.225 * CELLS), 0);
    gate_named("pump", "speed", fabs(speed / 0.5 - 1.0), 0.1);
    gate_named("pump", "account", account.error, 1e-6);
    gate_named("pump", "drift", fabs(account.drift), 0.01);
    bw_world_destroy(world);
}

// A spring of 3 m^2/s in a full tank runs over through its top, which is an outflow: the water that has left
// does not pile up behind it, where nothing moves it on and the spacing would be solved for again and again.
static void a_full_tank_runs_over(void **state)
{
    (void)state;
    BwSceneDef scene = bw_scene_def_default();
    BwFillDef fill = fill_corner(2.0f, 1.0f, 1.0f);
    BwEmitterDef spring = bw_emitter_def_default();
    spring.shape = bw_box(bw_vec3(0.049f, 0.728f, -1.0f), bw_vec3(0.086f, 0.937f, 1.0f));
    spring.flow = bw_curve_number(3.0f);
    scene.fluid = BW_FLUID_LIQUID;
    scene.dimension = 2;
    scene.cell = 1.0f / 32.0f;
    scene.fps = 5.0;
    set_box(&scene, 2.0f, 1.0f, 0.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OUTFLOW;
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.emitters = &spring;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double mass = 0.0, lost = 0.0, iterations = 0.0;
    for (int n = 0; n < (IS_FULL ? 20 : 8);
         n++) { // in 8, 1.6 s, more than twice what the tank holds comes in
        step_frames(world, 1);
        const BwStats *stats = bw_world_view_stats(world);
        mass = fmax(mass, stats->mass);
        lost = fmax(lost, -stats->volume_drift);
        iterations = fmax(iterations, (double)stats->iterations / stats->steps);
    }
    gate_named("full_tank", "mass", mass, 2.005);
    gate_named("full_tank", "lost", lost, 0.01);
    gate_named("full_tank", "iterations_a_step", iterations, 25.0);
    bw_world_destroy(world);
}

// A sink of half a cell, or a flat one, in a tank draws its flow all the same, out of the cells that it is
// in.
static void a_small_sink_draws_its_flow(void **state)
{
    (void)state;
    const BwLiquidMethod methods[] = {BW_LIQUID_APIC, BW_LIQUID_LEVELSET};
    for (int n = 0; n < 4; n++) {
        BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, methods[n % 2]);
        BwFillDef fill = fill_corner(2.0f, 0.6f, 1.0f);
        BwSinkDef sink = bw_sink_def_default();
        double drawn = 0.0;
        set_box(&scene, 1.0f, 1.0f, 0.0f);
        sink.shape = n < 2 ? ball(0.51f, 0.21f, 0.0f, 0.016f)
                           : bw_disc(bw_vec3(0.51f, 0.21f, 0.0f), bw_vec3(0.0f, 1.0f, 0.0f), 0.1f);
        sink.flow = bw_curve_number(0.2f);
        scene.fills = &fill;
        scene.fill_count = 1;
        scene.sinks = &sink;
        scene.sink_count = 1;
        BwWorld *world = make_world(&scene, 1);
        for (int frame = 0; frame < 12; frame++) {
            step_frames(world, 1);
            drawn += bw_world_view_stats(world)->removed[BW_REMOVED_SINK];
        }
        gate_named(n < 2 ? "small_sink_drawn" : "flat_sink_drawn", method_name(methods[n % 2]),
                   fabs(drawn / (0.2 * 12.0 / 24.0) - 1.0), 0.01);
        bw_world_destroy(world);
    }
}

// A sink that asks for more than any pump draws empties a tank, in steps that are short for what it can draw
// and not for what it asks for, and keeps its account.
static void a_greedy_sink_takes_what_there_is(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(2, 1.0f / 16.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(2.0f, 0.3f, 1.0f);
    BwSinkDef sink = bw_sink_def_default();
    Account account = {0};
    int steps = 0;
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    sink.shape = bw_box(bw_vec3(0.25f, 0.0f, -1.0f), bw_vec3(0.75f, 0.25f, 1.0f));
    sink.flow = bw_curve_number(1e7f);
    scene.fills = &fill;
    scene.fill_count = 1;
    scene.sinks = &sink;
    scene.sink_count = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int frame = 0; frame < 24; frame++) {
        watch(world, 1, &account);
        steps = steps > bw_world_view_stats(world)->steps ? steps : bw_world_view_stats(world)->steps;
    }
    gate("greedy_sink_steps_a_frame", steps, GATE_BELOW, 12); // 14 m/s through 1.5 m, 0.125 m^2: 170 a second
    gate("greedy_sink_left_over", bw_world_view_stats(world)->mass / 0.3, GATE_BELOW, 0.02);
    gate("greedy_sink_account", account.error * bw_world_view_stats(world)->mass, GATE_BELOW, 1e-6);
    bw_world_destroy(world);
}

// A spring is a divergence of cells, however small its shape is: its flow over a tiny area chooses no steps.
static void a_tiny_spring_takes_long_steps(void **state)
{
    (void)state;
    BwSceneDef scene = liquid_scene(3, 1.0f / 16.0f, BW_LIQUID_APIC);
    BwFillDef pool = fill_corner(1.0f, 0.5f, 1.0f);
    BwEmitterDef spring = bw_emitter_def_default();
    spring.shape = bw_sphere(bw_vec3(0.5f, 0.2f, 0.5f), 0.001f);
    spring.flow = bw_curve_number(0.2f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    scene.fills = &pool;
    scene.fill_count = 1;
    scene.emitters = &spring;
    scene.emitter_count = 1;
    BwWorld *world = make_world(&scene, 2);
    Account account = {0};
    int steps = 0;
    for (int frame = 0; frame < 6; frame++) {
        watch(world, 1, &account);
        steps = bw_world_view_stats(world)->steps > steps ? bw_world_view_stats(world)->steps : steps;
    }
    gate("liquid_tiny_spring_emitted", fabs(account.emitted / (0.2 * 6.0 / 24.0) - 1.0), GATE_BELOW, 1e-3);
    gate("liquid_tiny_spring_steps", steps, GATE_BELOW, 10.0);
    bw_world_destroy(world);
}

// A side whose speed is the time lets in half a second's square times its area, whatever the steps: its
// velocity is that of the middle of a step, as the liquid's is.
static void gate_ramp(BwLiquidMethod method, int fps, int steps)
{
    static const char *text =
        "scene { fluid = 'liquid', cell = 1 / 16, duration = 1, fps = %d, steps = %d }\n"
        "walls { min = {0, 0, 0}, max = {1, 1, 1}, left = { kind = 'inflow',\n"
        "    velocity = function(t) return {t, 0, 0} end, part = box { min = {-1, 0, 0}, max = {1, 0.5, 1} } "
        "} }\n"
        "liquid { method = '%s' }";
    char script[500], name[64];
    BwError err = {0};
    BwScene *scene;
    snprintf(script, sizeof script, text, fps, steps, method_name(method));
    if (bw_scene_load_text(&scene, script, strlen(script), "ramp.lua", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    BwWorld *world = make_world(bw_scene_view_def(scene), 2);
    Account account = {0};
    watch(world, fps, &account);
    snprintf(name, sizeof name, "%s_fps_%d_steps_%d", method_name(method), fps, steps);
    gate_named("ramp_emitted", name, fabs(account.emitted / 0.25 - 1.0), 1e-4);
    bw_world_destroy(world);
    bw_scene_destroy(scene);
}

static void sides_with_a_ramp_let_in_its_mean(void **state)
{
    (void)state;
    gate_ramp(BW_LIQUID_APIC, 24, 2);
    gate_ramp(BW_LIQUID_APIC, 4, 1);
    gate_ramp(BW_LIQUID_HEIGHT, 4, 1);
}

// Water falls freely out of a box without a floor, or without a lid below a gravity that points up, all of it
// as fast: what leaves is neither held up nor pressed together in the cells along the open side.
static void water_falls_out_of_open_sides(void **state)
{
    (void)state;
    static const int sides[2] = {2, 3};
    for (int n = 0; n < 2; n++) {
        BwSceneDef scene = liquid_scene(3, 1.0f / 16.0f, BW_LIQUID_APIC);
        BwFillDef pool = fill_of(
            bw_box(bw_vec3(0.0f, 0.5f * (float)n, 0.0f), bw_vec3(1.0f, 0.5f + 0.5f * (float)n, 1.0f)));
        set_box(&scene, 1.0f, 1.0f, 1.0f);
        scene.walls.side[sides[n]].kind = BW_WALL_OPEN;
        scene.gravity = bw_curve_vector(0.0f, n == 0 ? -9.81f : 9.81f, 0.0f);
        scene.fills = &pool;
        scene.fill_count = 1;
        BwWorld *world = make_world(&scene, 2);
        double drift = 0.0, speed = 0.0;
        for (int frame = 1; frame <= 6; frame++) {
            step_frames(world, 1);
            const BwStats *stats = bw_world_view_stats(world);
            drift = worse(drift, fabs(stats->volume_drift));
            speed = worse(speed, fabs((double)stats->max_speed / (9.81 * (frame - 0.5) / 24.0) - 1.0));
        }
        gate_named("falling_out_drift", n == 0 ? "low" : "high", drift, 0.04);
        gate_named("falling_out_speed", n == 0 ? "low" : "high", speed, 1e-3);
        bw_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spout_emits_area_times_speed),
        cmocka_unit_test(a_round_jet_emits_as_much),
        cmocka_unit_test(flows_are_as_given),
        cmocka_unit_test(a_free_jet_falls_on_its_parabola),
        cmocka_unit_test(a_nozzle_may_move),
        cmocka_unit_test(sources_inside_a_tank_change_its_level),
        cmocka_unit_test(a_spout_works_below_the_surface),
        cmocka_unit_test(sides_draw_area_times_speed),
        cmocka_unit_test(a_stream_through_a_channel_is_steady),
        cmocka_unit_test(sinks_empty_and_blobs_fill),
        cmocka_unit_test(a_start_is_told_before_sinks_take),
        cmocka_unit_test(a_small_sink_draws_its_flow),
        cmocka_unit_test(a_greedy_sink_takes_what_there_is),
        cmocka_unit_test(a_pump_drives_water),
        cmocka_unit_test(a_full_tank_runs_over),
        cmocka_unit_test(sides_with_a_ramp_let_in_its_mean),
        cmocka_unit_test(water_falls_out_of_open_sides),
        cmocka_unit_test(a_tiny_spring_takes_long_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
