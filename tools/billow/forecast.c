// Two coarse runs tell what a step costs by itself and by the cell, how many cells are awake, and how fast
// the smoke gets; each is carried on in a straight line to the scene's own cells. Small pictures are drawn
// for what pictures cost.
#include "forecast.h"

#include "liquid_amount.h"
#include "scout.h"

#include "base/clock.h"
#include "base/pool.h"
#include "flow/scene_surfaces.h"

#include <math.h>
#include <stdio.h>

// Wall clock for the first run, at most, and for the second. A picture comes on top.
#define FIRST_SECONDS  0.8
#define SECOND_SECONDS 1.0

// Cells of the first run, where its box is solved as a whole: enough for a plume to look like one.
#define BOX_CELLS  6000.0
#define FLAT_CELLS 4000.0
#define CELLS_MAX  20000.0

// Cells of liquid at the start of the first run: enough for a splash to look like one.
#define LIQUID_CELLS 2500.0

// Files and the movie, beside the drawing of a picture.
#define PICTURE_EXTRA 1.4

// A checkpoint and the frame kept with it: until they are on the disk, and by the cell. As measured.
#define CHECKPOINT_SECONDS      0.025
#define CHECKPOINT_CELL_SECONDS 1e-7

// Width and height of the pictures that are drawn for the time of one, of its own.
#define PICTURE_LITTLE 0.125
#define PICTURE_SOME   0.5

typedef struct Level {
    Scout scout;
    double steps, work, seconds; // sums over the samples; work is cells times steps
} Level;

static float first_cell(const BwSceneDef *scene)
{
    float cell = scout_source_width(scene) / 3.0f;
    BwVec3 size = bw_sub(scene->walls.max, scene->walls.min);
    if (bw_scene_is_whole_box(scene)) {
        bool is_flat = scene->dimension == 2;
        double room = (double)size.x * (double)size.y * (is_flat ? 1.0 : (double)size.z);
        double power = is_flat ? 0.5 : 1.0 / 3.0;
        float wanted = (float)pow(room / (is_flat ? FLAT_CELLS : BOX_CELLS), power);
        float least = (float)pow(room / CELLS_MAX, power);
        cell = fmaxf(fminf(wanted, 2.0f * cell), least);
    }
    if (scene->fluid == BW_FLUID_LIQUID) {
        LiquidAmount amount = liquid_amount_at_end(scene);
        cell = amount.volume > 0.0 ? (float)pow(amount.volume / LIQUID_CELLS, 1.0 / scene->dimension) : cell;
    }
    return isfinite(cell) ? fmaxf(cell, scene->cell) : 4.0f * scene->cell;
}

// Even, as movies have them.
static int small_side(double scale, int side)
{
    return 2 * (int)fmax(round(0.5 * scale * side), 8.0);
}

static void sum_up(Level *level)
{
    for (int n = 0; n < level->scout.count; n++) {
        const ScoutSample *sample = &level->scout.samples[n];
        level->steps += sample->steps;
        level->work += sample->steps * sample->cells;
        level->seconds += sample->seconds;
    }
}

// Seconds of a picture of the coarse run's last frame, so many times as wide: the least of two, for the first
// has memory to get and maps to make that the others find, and a busy machine may hold up either.
static double time_picture(const BwSceneDef *coarse, const BwFrame *frame, double scale, int worker_count)
{
    BwRenderer *renderer = NULL;
    BwRendererDef def = bw_renderer_def_default();
    BwSceneDef scene = *coarse;
    scene.output.width = small_side(scale, coarse->output.width);
    scene.output.height = small_side(scale, coarse->output.height);
    def.scene = &scene;
    def.worker_count = worker_count;
    double seconds = (double)INFINITY;
    if (bw_renderer_create(&renderer, &def, NULL) == BW_OK)
        for (int n = 0; n < 2; n++) {
            double began = bw_clock_seconds();
            bw_renderer_draw(renderer, frame, NULL);
            seconds = fmin(seconds, bw_clock_seconds() - began);
        }
    bw_renderer_destroy(renderer);
    return isfinite(seconds) ? seconds : 0.0;
}

// Seconds of one at full size, from two small ones: a part that pixels do not change, and one by the pixel.
static double picture_seconds(const BwSceneDef *coarse, BwWorld *world, int worker_count)
{
    const BwFrame *frame = bw_world_view_frame(world, NULL);
    if (frame == NULL)
        return 0.0;
    double little = time_picture(coarse, frame, PICTURE_LITTLE, worker_count),
           some = time_picture(coarse, frame, PICTURE_SOME, worker_count),
           parts = PICTURE_SOME * PICTURE_SOME - PICTURE_LITTLE * PICTURE_LITTLE,
           by_pixels = fmax(some - little, 0.0) / parts;
    return some + by_pixels * (1.0 - PICTURE_SOME * PICTURE_SOME);
}

static bool run_level(Level *level, const ScoutDef *def, double *picture)
{
    BwSceneDef coarse;
    BwWorld *world;
    BwError err;
    *level = (Level){0};
    bool is_run = scout_run(&level->scout, &coarse, &world, def, &err) == BW_OK && level->scout.count > 0;
    if (is_run && picture != NULL && (coarse.output.movie || coarse.output.images))
        *picture = picture_seconds(&coarse, world, def->worker_count);
    bw_world_destroy(world);
    sum_up(level);
    return is_run;
}

// Cells awake, as a length: linear in the width of a cell, for tiles and the air about the smoke add a rim.
static double awake_width(const Level *level, int count, int dimension)
{
    double cells = 0.0;
    for (int n = 0; n < count; n++)
        cells += level->scout.samples[n].cells;
    return pow(cells / count, 1.0 / dimension) * (double)level->scout.cell;
}

// Cells that smoke crosses in a second, as a speed over cfl: what sets the number of steps.
static double pace(const Level *level, int count)
{
    double steps = 0.0;
    for (int n = 0; n < count; n++)
        steps += fmax(level->scout.samples[n].steps - 0.5, 0.5);
    return steps / count / level->scout.interval * (double)level->scout.cell;
}

// In a straight line from the coarse and the fine value on to the scene's own cell, within reason.
static double carried_on(double coarse, double fine, const Level levels[2], float cell)
{
    float h[2] = {levels[0].scout.cell, levels[1].scout.cell};
    double slope = (coarse - fine) / (double)(h[0] - h[1]);
    double value = fine - slope * (double)(h[1] - cell);
    return fmin(fmax(value, 0.6 * fine), 1.6 * fine);
}

typedef struct Growth {
    double cells, pace; // of the scene's own over those of the last level
} Growth;

static Growth growth(const Level levels[2], int level_count, const BwSceneDef *scene)
{
    const Level *last = &levels[level_count - 1];
    double ratio = (double)(last->scout.cell / scene->cell), cells = pow(ratio, scene->dimension);
    if (level_count == 1)
        return (Growth){cells, 1.0};
    int count = last->scout.count;
    double coarse = awake_width(&levels[0], count, scene->dimension),
           fine = awake_width(&levels[1], count, scene->dimension);
    double width = bw_scene_is_whole_box(scene) ? fine : carried_on(coarse, fine, levels, scene->cell);
    double paces[2] = {pace(&levels[0], count), pace(&levels[1], count)};
    return (Growth){cells * pow(width / fine, scene->dimension),
                    carried_on(paces[0], paces[1], levels, scene->cell) / paces[1]};
}

// Seconds of a step by itself and of a cell in it.
typedef struct Cost {
    double step, cell;
} Cost;

static Cost cost(const Level levels[2], int level_count)
{
    const Level *a = &levels[0], *b = &levels[level_count - 1];
    double det = a->steps * b->work - b->steps * a->work;
    Cost both = {(a->seconds * b->work - b->seconds * a->work) / det,
                 (a->steps * b->seconds - b->steps * a->seconds) / det};
    if (level_count == 2 && both.step >= 0.0 && both.cell > 0.0)
        return both;
    return (Cost){0.0, b->seconds / b->work};
}

// The longest step that surface tension takes (operate/surface_tension.h), s.
static double capillary_time(const BwSceneDef *scene)
{
    double h = (double)scene->cell, tension = (double)scene->liquid.surface_tension;
    bool has_tension = scene->fluid == BW_FLUID_LIQUID && tension > 0.0;
    return has_tension ? sqrt((double)scene->liquid.density * h * h * h / tension) : INFINITY;
}

static double steps_a_frame(const BwSceneDef *scene, const ScoutSample *sample, const Scout *scout,
                            double faster)
{
    if (scene->steps > 0)
        return scene->steps;
    double speed = fmax(sample->steps - 0.5, 0.5) / scout->interval * (double)scout->cell * faster;
    double steps = ceil(speed / (double)scene->cell / scene->fps);
    if (scene->dt_min > 0.0)
        steps = fmin(steps, ceil(1.0 / (scene->fps * scene->dt_min)));
    steps = fmax(steps, ceil(1.0 / (scene->fps * scene->dt_max)));
    steps = fmax(steps, ceil(1.0 / (scene->fps * capillary_time(scene))));
    return fmin(fmax(steps, 1.0), scene->steps_max);
}

static double checkpoint_seconds(const BwSceneDef *scene, double cells, int frame_count)
{
    int every = scene->output.checkpoint_every;
    return every > 0 ? (CHECKPOINT_SECONDS + CHECKPOINT_CELL_SECONDS * cells) * frame_count / every : 0.0;
}

// The first level has the most samples: its course over the scene, with the sizes of the last. What it did
// not get to is taken to be as its last sample.
static double simulation_seconds(const Level levels[2], int level_count, const BwSceneDef *scene,
                                 int frame_count)
{
    const Scout *course = &levels[0].scout;
    Growth by = growth(levels, level_count, scene);
    Cost each = cost(levels, level_count);
    double to_last = 1.0, faster = by.pace, seconds = 0.0, all_cells = 0.0;
    if (level_count == 2) {
        int count = levels[1].scout.count;
        double cells[2] = {0.0, 0.0};
        for (int n = 0; n < count; n++)
            for (int l = 0; l < 2; l++)
                cells[l] += levels[l].scout.samples[n].cells;
        to_last = cells[1] / cells[0];
        faster *= pace(&levels[1], count) / pace(&levels[0], count);
    }
    for (int n = 0; n < course->wanted; n++) {
        const ScoutSample *sample = &course->samples[n < course->count ? n : course->count - 1];
        double steps = steps_a_frame(scene, sample, course, faster);
        double cells = sample->cells * to_last * by.cells;
        seconds += steps * (each.step + each.cell * cells);
        all_cells += cells;
    }
    return seconds * frame_count / course->wanted +
           checkpoint_seconds(scene, all_cells / course->wanted, frame_count);
}

// What is carried on further is less sure; smoke that wakes its cells as it goes, less still.
static double doubt(const Level levels[2], int level_count, const BwSceneDef *scene)
{
    double doublings = log2((double)(levels[level_count - 1].scout.cell / scene->cell));
    double unseen = 1.0 - (double)levels[0].scout.count / levels[0].scout.wanted;
    return 1.3 + (bw_scene_is_whole_box(scene) ? 0.15 : 0.35) * fmax(doublings, 0.0) + unseen;
}

// Half the width takes some sixteen times as long; a sample of the second run must not take all of its time.
static float second_share(const Level *first)
{
    return 16.0 * first->seconds / first->scout.count < SECOND_SECONDS ? 0.5f : 0.75f;
}

Forecast forecast_run(const BwSceneDef *scene, int frame_count, int worker_count)
{
    static Level levels[2];
    double picture = 0.0;
    BwPool *pool;
    Forecast forecast = {.threads = worker_count};
    if (scene->fluid == BW_FLUID_RECORDED) // which has but the cells of its run
        return forecast;
    if (bw_pool_create(&pool, &(BwPoolDef){.worker_count = worker_count}, NULL) == BW_OK) {
        forecast.threads = bw_pool_worker_count(pool);
        bw_pool_destroy(pool);
    }
    ScoutDef def = {.scene = scene,
                    .cell = first_cell(scene),
                    .frame_count = frame_count,
                    .worker_count = worker_count,
                    .seconds_max = FIRST_SECONDS,
                    .work_max = (double)INFINITY};
    if (!run_level(&levels[0], &def, &picture))
        return forecast;
    def.cell = fmaxf(second_share(&levels[0]) * def.cell, scene->cell);
    def.seconds_max = SECOND_SECONDS;
    bool has_second = def.cell < 0.8f * levels[0].scout.cell && run_level(&levels[1], &def, NULL);
    int level_count = has_second ? 2 : 1;
    double pictures = PICTURE_EXTRA * picture * (frame_count + 1), by = doubt(levels, level_count, scene);
    forecast.is_known = true;
    forecast.seconds = simulation_seconds(levels, level_count, scene, frame_count) + pictures;
    forecast.low = forecast.seconds / by;
    forecast.high = forecast.seconds * by;
    return forecast;
}

static const struct {
    double seconds;
    const char *name;
} units[] = {{1.0, "s"}, {60.0, "min"}, {3600.0, "h"}, {86400.0, "days"}};

static int unit_of(double seconds)
{
    int unit = 0;
    while (unit < 3 && seconds >= 1.5 * units[unit + 1].seconds)
        unit++;
    return unit;
}

// Two digits are more than it is worth.
static double rounded(double value)
{
    double step = pow(10.0, floor(log10(fmax(value, 1e-9))) - (value >= 10.0 ? 1.0 : 0.0));
    return fmax(round(value / step), 1.0) * step;
}

void forecast_write(char *text, size_t size, const Forecast *forecast)
{
    int unit = unit_of(forecast->seconds);
    const double *one = &units[unit].seconds;
    snprintf(text, size, "about %.4g %s on %d thread%s (estimate: %.4g to %.4g %s)",
             rounded(forecast->seconds / *one), units[unit].name, forecast->threads,
             forecast->threads == 1 ? "" : "s", rounded(forecast->low / *one), rounded(forecast->high / *one),
             units[unit].name);
}
