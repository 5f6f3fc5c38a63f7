// The front of a dam break against Martin and Moyce 1952, and against itself: at other Courant numbers, frame
// rates and resolutions; and how fast it splashes. T = t sqrt(2 g / a), Z = front / a, of a column a wide and
// twice as high.
#include "liquid_run.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef FULL_SIZE
enum { WIDTH_2D = 32, WIDTH_3D = 32, WIDTH_FINE = 64 };
#else
enum { WIDTH_2D = 32, WIDTH_3D = 12, WIDTH_FINE = 64 };
#endif

enum { POINTS_MAX = 32, SAMPLES_MAX = 512 };

static const double last_time = 3.2; // in T
static const float a = 0.05715f;     // m, 2.25 inches

typedef struct Table {
    double time[POINTS_MAX], front[POINTS_MAX];
    int count;
} Table;

static void read_table(Table *table)
{
    char line[256];
    FILE *stream = fopen("tests/reference/martin_moyce_table.csv", "r");
    assert_non_null(stream);
    table->count = 0;
    while (table->count < POINTS_MAX && fgets(line, sizeof line, stream) != NULL)
        table->count += sscanf(line, "%lf,%lf", &table->time[table->count], &table->front[table->count]) == 2;
    fclose(stream);
    assert_int_equal(table->count, 14);
}

typedef struct Front {
    double time[SAMPLES_MAX], place[SAMPLES_MAX]; // T and Z
    int count;
} Front;

// How far the liquid on the floor reaches, over a: where the surface's distance changes its sign in the
// lowest cells, the farthest of them.
static double front_of(const BwFrame *frame, int width)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    double farthest = 0.0;
    for (int z = 0; z < (frame->dimension == 3 ? width / 2 : 1); z++)
        for (int x = 5 * width - 1; x > 0; x--) {
            double here = (double)frame_value(frame, phi, x, 0, z),
                   before = (double)frame_value(frame, phi, x - 1, 0, z);
            if (before <= 0.0 && here > 0.0) {
                farthest = fmax(farthest, (x - 0.5 + before / (before - here)) / width);
                break;
            }
        }
    return farthest;
}

typedef struct DamCase {
    const char *name;
    int dimension, width; // cells
    BwLiquidMethod method;
    float cfl;
    double fps;
    float band;
} DamCase;

// Frames a second are told for a dam a metre wide: what is the same in T is the same in the picture.
static void run(const DamCase *c, Front *front)
{
    BwSceneDef scene = liquid_scene(c->dimension, a / (float)c->width, c->method);
    BwFillDef fill = fill_corner(a, 2.0f * a, 1.0f);
    double unit = sqrt((double)a / (2.0 * liquid_gravity)), metre = sqrt(1.0 / (2.0 * liquid_gravity));
    set_box(&scene, 5.0f * a, 2.5f * a, 0.5f * a);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.liquid.narrow_band = c->band;
    scene.cfl = c->cfl;
    scene.fps = c->fps * metre / unit;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    *front = (Front){.place = {1.0}, .count = 1};
    while (front->time[front->count - 1] < last_time && front->count < SAMPLES_MAX) {
        step_frames(world, 1);
        const BwFrame *frame = frame_of(world);
        front->time[front->count] = frame->time / unit;
        front->place[front->count++] = front_of(frame, c->width);
    }
    bw_world_destroy(world);
}

static double front_at(const Front *front, double time)
{
    int n = 1;
    while (n + 1 < front->count && front->time[n] < time)
        n++;
    double part = (time - front->time[n - 1]) / (front->time[n] - front->time[n - 1]);
    return front->place[n - 1] + part * (front->place[n] - front->place[n - 1]);
}

// The largest difference from the measured front between T of 1 and 2.96, at the shift of up to .2 that fits
// best: the film's first picture and the gate's release are not one moment.
static double best_difference(const Front *front, const Table *table, double *shift)
{
    double best = 1e9;
    for (int n = -20; n <= 20; n++) {
        double worst = 0.0;
        for (int p = 0; p < table->count; p++)
            if (table->time[p] >= 1.0)
                worst = fmax(worst, fabs(front_at(front, table->time[p] + 0.01 * n) - table->front[p]));
        if (worst < best) {
            best = worst;
            *shift = 0.01 * n;
        }
    }
    return best;
}

static void fronts_are_as_measured(void **state)
{
    (void)state;
    static const DamCase cases[] = {
        {"2d_apic", 2, WIDTH_2D, BW_LIQUID_APIC, 2.0f, 24.0, 0.0f},
        {"2d_flip", 2, WIDTH_2D, BW_LIQUID_FLIP, 2.0f, 24.0, 0.0f},
        {"3d_apic", 3, WIDTH_3D, BW_LIQUID_APIC, 2.0f, 24.0, 0.0f},
        {"3d_flip", 3, WIDTH_3D, BW_LIQUID_FLIP, 2.0f, 24.0, 0.0f},
        {"2d_apic_band", 2, WIDTH_2D, BW_LIQUID_APIC, 2.0f, 24.0, NAN},
        {"3d_apic_band", 3, WIDTH_3D, BW_LIQUID_APIC, 2.0f, 24.0, NAN},
        {"2d_markers", 2, WIDTH_2D, BW_LIQUID_MARKERS, 2.0f, 24.0, 0.0f},
        {"2d_levelset", 2, WIDTH_2D, BW_LIQUID_LEVELSET, 2.0f, 24.0, NAN},
        {"2d_particle_levelset", 2, WIDTH_2D, BW_LIQUID_PARTICLE_LEVELSET, 2.0f, 24.0, NAN},
    };
    Table table;
    read_table(&table);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        static Front front;
        char name[96];
        double shift = 0.0;
        run(&cases[n], &front);
        double difference = best_difference(&front, &table, &shift);
        printf("%s: at a shift of %.2f\n", cases[n].name, shift);
        snprintf(name, sizeof name, "liquid_dam_front_%s", cases[n].name);
        gate(name, difference, GATE_BELOW, 0.25);
    }
}

// The largest difference of two fronts between T of 1 and 3, over how far the first has come.
static double difference_of(const Front *front, const Front *other)
{
    double worst = 0.0;
    for (double time = 1.0; time <= 3.0; time += 0.05)
        worst = fmax(worst, fabs(front_at(other, time) / front_at(front, time) - 1.0));
    return worst;
}

static void fronts_agree(void **state)
{
    (void)state;
    static const DamCase cases[] = {
        {"cfl_1", 2, WIDTH_2D, BW_LIQUID_APIC, 1.0f, 24.0, 0.0f},
        {"cfl_4", 2, WIDTH_2D, BW_LIQUID_APIC, 4.0f, 24.0, 0.0f},
        {"60_frames_a_second", 2, WIDTH_2D, BW_LIQUID_APIC, 2.0f, 60.0, 0.0f},
        {"twice_the_resolution", 2, WIDTH_FINE, BW_LIQUID_APIC, 2.0f, 24.0, 0.0f},
    };
    static Front base, other;
    run(&(DamCase){"base", 2, WIDTH_2D, BW_LIQUID_APIC, 2.0f, 24.0, 0.0f}, &base);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char name[96];
        run(&cases[n], &other);
        snprintf(name, sizeof name, "liquid_dam_front_agrees_%s", cases[n].name);
        gate(name, difference_of(&base, &other), GATE_BELOW, 0.05);
    }
}

// The fastest of all particles while a dam of 12 cells breaks against a wall.
static double fastest_at(float cfl)
{
    BwSceneDef scene = liquid_scene(3, 1.0f / 16.0f, BW_LIQUID_APIC);
    BwFillDef fill = fill_corner(0.75f, 0.75f, 0.75f);
    set_box(&scene, 2.0f, 1.5f, 0.75f);
    scene.liquid.seeding = BW_SEEDING_JITTERED;
    scene.cfl = cfl;
    scene.fps = 24.0;
    scene.steps_max = 1000;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwWorld *world = make_world(&scene, 1);
    double fastest = 0.0;
    for (int n = 0; n < 24; n++) {
        step_frames(world, 1);
        fastest = fmax(fastest, (double)bw_world_view_stats(world)->max_speed);
    }
    bw_world_destroy(world);
    return fastest;
}

// What splashes up the wall is as fast at whatever step, but for chance: shorter ones throw no drops.
static void short_steps_throw_nothing(void **state)
{
    (void)state;
    double base = fastest_at(2.0f);
    gate("liquid_dam_fastest_cfl_0.5", fastest_at(0.5f) / base, GATE_BELOW, 1.5);
    gate("liquid_dam_fastest_cfl_0.1", fastest_at(0.1f) / base, GATE_BELOW, 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fronts_are_as_measured),
                                       cmocka_unit_test(fronts_agree),
                                       cmocka_unit_test(short_steps_throw_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
