// Estimates from bytes a cell, as measured: they are meant to catch runs that are hopeless, not those that
// are tight.
#include "estimate.h"

#include "base/error.h"
#include "flow/scene_sources.h"
#include "flow/scene_surfaces.h"
#include "grid/grid.h"
#include <billow/shape.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// Bytes a cell.
typedef struct CellBytes {
    double fields, scratch;
    double state; // at a frame; kept once to go back to, and once more while a checkpoint is on its way
    double least; // bytes that even a box of a few cells takes
} CellBytes;

// As measured, by what is asked for; test_estimate holds these to what the allocator gives out.
static CellBytes smoke_bytes(const BwSceneDef *scene)
{
    static const double of_advection[] = {[BW_ADVECT_MACCORMACK] = 20.0, [BW_ADVECT_REFLECTION] = 32.0};
    static const double of_pressure[] = {[BW_PRESSURE_MULTIGRID] = 36.0,
                                         [BW_PRESSURE_MICCG] = 66.0,
                                         [BW_PRESSURE_CG] = 52.0,
                                         [BW_PRESSURE_RELAXATION] = 6.0};
    CellBytes bytes = {
        .fields = 66.0, .scratch = of_pressure[scene->solver.pressure], .state = 28.0, .least = 1.9e6};
    if (scene->smoke.advection == BW_ADVECT_MACCORMACK || scene->smoke.advection == BW_ADVECT_REFLECTION)
        bytes.fields += of_advection[scene->smoke.advection];
    if (scene->obstacle_count > 0)
        bytes.fields += 25.0;
    if (bw_scene_has_color(scene)) { // with one to three fields to carry it
        bytes.fields += 20.0;
        bytes.state += 12.0;
    }
    if (scene->smoke.subgrid > 0.0f)
        bytes.fields += 1.5;
    if (scene->smoke.viscosity > 0.0f || scene->smoke.conductivity > 0.0f) {
        bytes.fields += 29.0;
        bytes.scratch += 67.0;
    }
    if (scene->smoke.viscosity > 0.0f &&
        bw_scene_has_no_slip(scene)) { // the acceleration by pressure is kept
        bytes.fields += 12.0;
        bytes.state += 12.0;
    }
    if (scene->dimension == 2) {
        bytes.fields -= 9.0;
        bytes.scratch *= 1.3;
        bytes.state -= 4.0;
    }
    return bytes;
}

static CellBytes stable_bytes(const BwSceneDef *scene)
{
    bool is_flat = scene->dimension == 2;
    CellBytes bytes = {
        .fields = 16.0, .scratch = is_flat ? 43.0 : 54.0, .state = is_flat ? 12.0 : 16.0, .least = 0.4e6};
    if (scene->stable.solver != BW_STABLE_RELAXATION)
        bytes.scratch += 15.0;
    return bytes;
}

// A picture of smoke as PNG, and its part of the movie.
static const double bytes_a_pixel = 0.6;

// Tiles are whole, so a flat box has more cells than it shows.
static double tiles_along(float low, float high, float cell)
{
    return ceil((double)(high - low) / (double)cell / 8.0 - 1e-4);
}

static double box_tiles(const BwSceneDef *scene)
{
    const BwWallsDef *walls = &scene->walls;
    double tiles = tiles_along(walls->min.x, walls->max.x, scene->cell) *
                   tiles_along(walls->min.y, walls->max.y, scene->cell);
    return scene->dimension == 2 ? tiles : tiles * tiles_along(walls->min.z, walls->max.z, scene->cell);
}

static double file_bytes(const BwScene *scene)
{
    int count;
    const BwSceneFile *files = bw_scene_view_files(scene, &count);
    double bytes = 0.0;
    for (int n = 0; n < count; n++)
        bytes += (double)bw_shape_file_bytes(files[n].content);
    return bytes;
}

Estimate estimate_run(const BwScene *scene, int frame_count)
{
    const BwSceneDef *def = bw_scene_view_def(scene);
    const BwOutputDef *output = &def->output;
    if (!bw_scene_is_whole_box(def))
        return (Estimate){false, 0.0, 0.0};
    CellBytes bytes = def->fluid == BW_FLUID_STABLE ? stable_bytes(def) : smoke_bytes(def);
    double tiles = box_tiles(def), tile_cells = def->dimension == 2 ? 64.0 : 512.0, checkpoints = 0.0;
    double slots = ceil(tiles / BW_CHUNK_GROWTH) * BW_CHUNK_GROWTH;
    double states = output->checkpoint_every > 0 ? 2.0 : 1.0;
    double memory = bytes.least + file_bytes(scene) +
                    tile_cells * (slots * bytes.fields + tiles * (bytes.scratch + states * bytes.state));
    if (output->checkpoint_every > 0) // the last two, and the one that is being written
        checkpoints = output->keep_checkpoints ? (double)frame_count / output->checkpoint_every : 3.0;
    bool has_color = def->fluid == BW_FLUID_SMOKE && bw_scene_has_color(def);
    double frames = tiles * tile_cells * (has_color ? 16.0 : 4.0) * frame_count; // at most, all smoke
    frames = output->checkpoint_every > 0 ? fmin(frames, 1e6 * (double)output->keep_frames) : 0.0;
    bool has_pictures = output->images || output->movie;
    double pictures = has_pictures ? bytes_a_pixel * output->width * output->height * frame_count : 0.0;
    return (Estimate){true, memory, tiles * tile_cells * bytes.state * checkpoints + frames + pictures};
}

void estimate_write_bytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    for (; bytes >= 1000.0 && unit < 5; unit++)
        bytes /= 1024.0;
    snprintf(text, size, "%.3g %s", bytes, units[unit]);
}

// Infinity where the system does not tell.
static double free_memory(void)
{
    FILE *stream = fopen("/proc/meminfo", "r");
    char line[256];
    double kib = (double)INFINITY;
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
        if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1)
            break;
    if (stream != NULL)
        fclose(stream);
    return kib * 1024.0;
}

// Of the file system of the nearest folder above that is there.
static double free_disk(const char *folder)
{
    char path[4096];
    struct statvfs status;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return (double)INFINITY;
    while (statvfs(path, &status) != 0) {
        char *slash = strrchr(path, '/');
        if (slash == path || strcmp(path, ".") == 0)
            return (double)INFINITY;
        if (slash != NULL)
            *slash = '\0';
        else
            strcpy(path, ".");
    }
    // A file system without blocks, such as /proc, has no size to speak of; writing there will say what is
    // wrong.
    return status.f_blocks > 0 ? (double)status.f_bavail * (double)status.f_frsize : (double)INFINITY;
}

static BwResult check(double needed, double free_bytes, const char *what, BwResult code, BwError *err)
{
    char needs[32], has[32];
    if (needed <= free_bytes)
        return BW_OK;
    estimate_write_bytes(needs, sizeof needs, needed);
    estimate_write_bytes(has, sizeof has, free_bytes);
    return bw_fail(err, code, "the run would take about %s of %s and %s are free; --force tries all the same",
                   needs, what, has);
}

BwResult estimate_check(const BwScene *scene, int frame_count, const char *folder, BwError *err)
{
    Estimate estimate = estimate_run(scene, frame_count);
    if (!estimate.is_known)
        return BW_OK;
    BW_TRY(check(estimate.memory, free_memory(), "memory", BW_ERR_MEMORY, err));
    return check(estimate.disk, free_disk(folder), "disk", BW_ERR_FILE, err);
}
