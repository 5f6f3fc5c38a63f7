// billow info SCENE|DIR|FILE: what a scene, a run, a frame, a checkpoint or an exported file holds, in a few
// lines.
#include "estimate.h"
#include "forecast.h"
#include "info_export.h"
#include "info_frame.h"
#include "info_run.h"
#include "liquid_amount.h"
#include "options.h"
#include "run_folder.h"
#include "say.h"

#include "scene/box_cells.h"
#include "scene/gas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *fluid_name(BwFluid fluid)
{
#define X(name, text) text,
    static const char *const names[] = {BW_FLUIDS(X)};
#undef X
    return names[fluid];
}

// What the solver makes of walls: whole cells.
static bool has_cells(BwFluid fluid)
{
    return bw_is_gas(fluid) || fluid == BW_FLUID_LIQUID || fluid == BW_FLUID_STABLE ||
           fluid == BW_FLUID_RECORDED;
}

static int cells_along(const BwSceneDef *def, float low, float high, double ends[2])
{
    int32_t first = bw_cell_floor(low, def->cell), last = bw_cell_ceil(high, def->cell);
    ends[0] = has_cells(def->fluid) ? first * (double)def->cell : (double)low;
    ends[1] = has_cells(def->fluid) ? last * (double)def->cell : (double)high;
    return last - first;
}

static void print_domain(const BwSceneDef *def)
{
    if (!def->has_walls) {
        printf("domain     unbounded\n");
        return;
    }
    const BwWallsDef *walls = &def->walls;
    double ends[3][2] = {{0}};
    int x = cells_along(def, walls->min.x, walls->max.x, ends[0]);
    int y = cells_along(def, walls->min.y, walls->max.y, ends[1]);
    int z = def->dimension == 3 ? cells_along(def, walls->min.z, walls->max.z, ends[2]) : 1;
    printf("domain     (%g, %g, %g) to (%g, %g, %g) m\n", ends[0][0], ends[1][0], ends[2][0], ends[0][1],
           ends[1][1], ends[2][1]);
    printf("cells      %d x %d x %d = %.0f\n", x, y, z, (double)x * (double)y * (double)z);
}

static void print_liquid(const BwSceneDef *def)
{
    if (def->fluid != BW_FLUID_LIQUID)
        return;
    LiquidAmount amount = liquid_amount(def), end = liquid_amount_at_end(def);
    if (amount.is_known)
        printf("liquid     %.4g m^3 at the start: about %.0f cells and %.0f particles\n", amount.volume,
               amount.cells, amount.particles);
    if (amount.is_known && end.volume > amount.volume)
        printf("sources    give up to %.4g m^3: about %.0f cells and %.0f particles\n",
               end.volume - amount.volume, end.cells - amount.cells, end.particles - amount.particles);
}

static void print_counts(const BwSceneDef *def)
{
    const struct {
        const char *name;
        int count;
    } parts[] = {{"fills", def->fill_count},         {"emitters", def->emitter_count},
                 {"sinks", def->sink_count},         {"pumps", def->pump_count},
                 {"obstacles", def->obstacle_count}, {"bodies", def->body_count},
                 {"forces", def->force_count},       {"lights", def->light_count}};
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
        if (parts[n].count > 0)
            printf("%-10s %d\n", parts[n].name, parts[n].count);
}

static void print_params(const BwScene *scene)
{
    int count;
    const BwParam *params = bw_scene_view_params(scene, &count);
    for (int n = 0; n < count; n++) {
        const char *const parts[][2] = {{"param      ", params[n].name},
                                        {" = ", params[n].value},
                                        {" (default ", params[n].default_value}};
        for (int part = 0; part < 3; part++) {
            printf("%s", parts[part][0]);
            say(stdout, parts[part][1]);
        }
        printf(")\n");
    }
}

static void print_estimate(const BwScene *scene, int frames)
{
    char memory[32], disk[32];
    Estimate estimate = estimate_run(scene, frames);
    if (!estimate.is_known)
        return;
    estimate_write_bytes(memory, sizeof memory, estimate.memory);
    estimate_write_bytes(disk, sizeof disk, estimate.disk);
    printf("takes      %s %s of memory and %s of disk\n", estimate_word(&estimate), memory, disk);
}

// Only a scene that runs takes time.
static void print_time(const BwSceneDef *def, int frames)
{
    char text[200];
    Forecast forecast = forecast_run(def, frames, 0);
    if (!forecast.is_known)
        return;
    forecast_write(text, sizeof text, &forecast);
    printf("time       %s\n", text);
}

static int tell_scene(const Options *options)
{
    BwScene *scene;
    BwError err;
    int code = load_scene(&scene, options);
    if (code != EXIT_DONE)
        return code;
    const BwSceneDef *def = bw_scene_view_def(scene);
    int frames = bw_scene_def_frame_count(def);
    printf("title      ");
    say(stdout, def->title);
    printf("\nfluid      %s\ndimension  %d\ncell       %g m\n", fluid_name(def->fluid), def->dimension,
           (double)def->cell);
    print_domain(def);
    print_liquid(def);
    printf("frames     %d at %g a second: %g s\n", frames, def->fps, frames / def->fps);
    print_estimate(scene, frames);
    if (bw_scene_def_check_runnable(def, &err) == BW_OK)
        print_time(def, frames);
    print_counts(def);
    print_params(scene);
    if (bw_scene_def_check_runnable(def, &err) != BW_OK) {
        printf("note       ");
        say(stdout, err.message);
        printf("\n");
    }
    bw_scene_destroy(scene);
    return EXIT_DONE;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int refuse_binary(const char *path)
{
    fprintf(stderr, "billow: ");
    say(stderr, path);
    fprintf(stderr,
            " is no scene; info reads scenes, folders of runs, frames and checkpoints, and " EXPORT_FILES
            " files\n");
    return EXIT_USE;
}

// The folder of a run's own file run.json; false where the path is of another file.
static bool find_run_of(const char *path, char folder[RUN_PATH_SIZE])
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    if (strcmp(name, "run.json") != 0 || length >= RUN_PATH_SIZE)
        return false;
    snprintf(folder, RUN_PATH_SIZE, "%.*s", length, slash == NULL ? "." : path);
    return true;
}

int run_info(const Command *command, int argument_count, char **arguments)
{
    Options options;
    char folder[RUN_PATH_SIZE];
    if (!options_read(&options, command, true, NULL, argument_count, arguments) ||
        !options_need_target(&options, command, "SCENE, DIR or FILE"))
        return EXIT_USE;
    if (find_run_of(options.target, folder))
        return tell_run(folder);
    if (is_folder(options.target))
        return tell_run(options.target);
    if (is_cache_file(options.target))
        return tell_cache_file(options.target);
    if (is_export_file(options.target))
        return tell_export_file(options.target);
    if (is_binary_file(options.target))
        return refuse_binary(options.target);
    return tell_scene(&options);
}
