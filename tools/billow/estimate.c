// Estimates from bytes a cell, as measured: they are meant to catch runs that are hopeless, not those that
// are tight.
#include "estimate.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// Smoke with MacCormack advection and multigrid, in a box of 128 cells a side: 145 bytes a cell, with the
// copy of the last frame, and 30 for a checkpoint on its way to the disk. A checkpoint has five floats and a
// double a cell, or four floats.
typedef struct CellBytes {
    double memory, checkpoint;
} CellBytes;

static CellBytes cell_bytes(BwFluid fluid)
{
    return fluid == BW_FLUID_STABLE ? (CellBytes){100.0, 16.0} : (CellBytes){175.0, 28.0};
}

// A picture of smoke as PNG, and its part of the movie.
static const double bytes_a_pixel = 0.6;

// Tiles are whole, so a flat box has more cells than it shows.
static double tiles_along(float low, float high, float cell)
{
    return ceil((double)(high - low) / (double)cell / 8.0 - 1e-4);
}

static double box_cells(const BwSceneDef *scene)
{
    const BwWallsDef *walls = &scene->walls;
    double tiles = tiles_along(walls->min.x, walls->max.x, scene->cell) *
                   tiles_along(walls->min.y, walls->max.y, scene->cell);
    return scene->dimension == 2 ? 64.0 * tiles
                                 : 512.0 * tiles * tiles_along(walls->min.z, walls->max.z, scene->cell);
}

Estimate estimate_run(const BwSceneDef *scene, int frame_count)
{
    const BwOutputDef *output = &scene->output;
    bool is_full_box = scene->has_walls && (scene->fluid == BW_FLUID_STABLE || scene->smoke.envelope == 0.0f);
    if (!is_full_box)
        return (Estimate){false, 0.0, 0.0};
    double cells = box_cells(scene), checkpoints = 0.0;
    CellBytes bytes = cell_bytes(scene->fluid);
    if (output->checkpoint_every > 0) // the last two, and the one that is being written
        checkpoints = output->keep_checkpoints ? (double)frame_count / output->checkpoint_every : 3.0;
    bool has_pictures = output->images || output->movie;
    double pictures = has_pictures ? bytes_a_pixel * output->width * output->height * frame_count : 0.0;
    return (Estimate){true, cells * bytes.memory, cells * bytes.checkpoint * checkpoints + pictures};
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

BwResult estimate_check(const BwSceneDef *scene, int frame_count, const char *folder, BwError *err)
{
    Estimate estimate = estimate_run(scene, frame_count);
    if (!estimate.is_known)
        return BW_OK;
    BW_TRY(check(estimate.memory, free_memory(), "memory", BW_ERR_MEMORY, err));
    return check(estimate.disk, free_disk(folder), "disk", BW_ERR_FILE, err);
}
