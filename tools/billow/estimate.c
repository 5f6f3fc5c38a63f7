// Estimates from bytes a cell, as measured: they are meant to catch runs that are hopeless, not those that
// are tight.
#include "estimate.h"

#include "liquid_amount.h"

#include "base/error.h"
#include "flow/scene_sources.h"
#include "flow/scene_surfaces.h"
#include "grid/grid.h"
#include "scene/carried.h"
#include "scene/gas.h"
#include <billow/shape.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// Bytes a cell, and a particle.
typedef struct CellBytes {
    double fields, scratch;
    double state; // at a frame; kept once to go back to, and once more while a checkpoint is on its way
    double least; // bytes that even a box of a few cells takes
    double particle, particle_state;
    double frame, particle_frame; // of frames kept for pictures
} CellBytes;

// What a run is at its largest.
typedef struct RunSize {
    bool is_known, is_least;
    double tiles, particles;
    CellBytes bytes;
} RunSize;

static double pressure_bytes(const BwSceneDef *scene)
{
    static const double of_method[] = {[BW_PRESSURE_MULTIGRID] = 36.0,
                                       [BW_PRESSURE_MICCG] = 66.0,
                                       [BW_PRESSURE_CG] = 52.0,
                                       [BW_PRESSURE_RELAXATION] = 6.0};
    return of_method[scene->solver.pressure];
}

// As measured, by what is asked for; test_estimate holds these to what the allocator gives out.
static CellBytes smoke_bytes(const BwSceneDef *scene)
{
    const BwSmokeDef *gas = bw_scene_gas(scene);
    static const double of_advection[] = {[BW_ADVECT_MACCORMACK] = 20.0, [BW_ADVECT_REFLECTION] = 32.0};
    CellBytes bytes = {
        .fields = 66.0, .scratch = pressure_bytes(scene), .state = 28.0, .least = 1.9e6, .frame = 4.0};
    if (gas->advection == BW_ADVECT_MACCORMACK || gas->advection == BW_ADVECT_REFLECTION)
        bytes.fields += of_advection[gas->advection];
    if (scene->obstacle_count > 0)
        bytes.fields += 29.0;
    if (bw_scene_has_color(scene)) { // with one to three fields to carry it
        bytes.fields += 20.0;
        bytes.state += 12.0;
        bytes.frame += 12.0;
    }
    bool is_thin = scene->fluid == BW_FLUID_FIRE && scene->fire.model == BW_FIRE_THIN;
    if (is_thin) { // its front, clock, densities and jumps, a second velocity, and what moves the front
        bytes.fields += scene->dimension == 2 ? 57.0 : 65.0;
        bytes.state += 12.0;
        bytes.frame += 12.0;
    } else if (scene->fluid == BW_FLUID_FIRE) { // fuel and glowing soot
        bytes.fields += 16.0;
        bytes.state += 8.0;
        bytes.frame += 8.0;
    }
    if (bw_scene_expands(scene)) {
        bytes.fields += 4.0;
        bytes.state += 4.0;
    }
    if (gas->subgrid > 0.0f)
        bytes.fields += 1.5;
    if (gas->viscosity > 0.0f || gas->conductivity > 0.0f) {
        bytes.fields += 29.0;
        bytes.scratch += 67.0;
    }
    if (gas->viscosity > 0.0f && bw_scene_has_no_slip(scene)) { // the acceleration by pressure is kept
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
    CellBytes bytes = {.fields = 16.0,
                       .scratch = is_flat ? 43.0 : 54.0,
                       .state = is_flat ? 12.0 : 16.0,
                       .least = 0.4e6,
                       .frame = 4.0};
    if (scene->stable.solver != BW_STABLE_RELAXATION)
        bytes.scratch += 15.0;
    return bytes;
}

static bool has_narrow_band(const BwSceneDef *scene)
{
    return scene->liquid.narrow_band != 0.0f && bw_scene_carried(scene) == 0;
}

// Of a particle: colour, temperature, viscosity, age and source. All but the last are fields of frames as
// well.
static int numbers_carried(const BwSceneDef *scene)
{
    unsigned carried = bw_scene_carried(scene);
    return 3 * ((carried & BW_CARRIES_COLOR) != 0) + ((carried & BW_CARRIES_TEMPERATURE) != 0) +
           ((carried & BW_CARRIES_VISCOSITY) != 0) + ((carried & BW_CARRIES_AGE) != 0) +
           ((carried & BW_CARRIES_SOURCE) != 0);
}

static bool is_level_set(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_LEVELSET || scene->liquid.method == BW_LIQUID_PARTICLE_LEVELSET;
}

// The viscous solve of thick liquids keeps vectors, forces and weights of all components. Less of that comes
// on top of a level set's own scratch.
static double viscous_bytes(const BwSceneDef *scene)
{
    if (!bw_scene_is_viscous(scene) || scene->liquid.viscosity_scheme != BW_VISCOSITY_COUPLED ||
        scene->liquid.elastic.modulus > 0.0f) // which counts it
        return 0.0;
    if (is_level_set(scene))
        return scene->dimension == 3 ? 350.0 : 220.0;
    return scene->dimension == 3 ? 500.0 : 300.0;
}

// Components of the strain of an elastic liquid.
static int strains_of(const BwSceneDef *scene)
{
    return scene->dimension == 3 ? 6 : 3;
}

// Its force: blocks with rims, and the levels of the viscous solve.
static void add_elastic(const BwSceneDef *scene, CellBytes *bytes)
{
    bytes->fields += scene->dimension == 3 ? 264.0 : 204.0;
    bytes->scratch += scene->dimension == 3 ? 300.0 : 200.0;
}

// A particle is a place, a velocity, a volume, an identity and, for apic, the gradient of its velocity, all
// of them numbers of four bytes; sorting them takes some more.
static CellBytes particle_liquid_bytes(const BwSceneDef *scene)
{
    int axes = scene->dimension, numbers = 2 * axes + 2;
    if (scene->liquid.method == BW_LIQUID_APIC)
        numbers += axes * axes;
    int carried = numbers_carried(scene);
    numbers += carried;
    CellBytes bytes = {.fields = axes == 2 ? 182.0 : 211.0,
                       .scratch = 80.0 + pressure_bytes(scene),
                       .least = 1.9e6,
                       .particle = 4.0 * numbers + 14.0,
                       .particle_state = 4.0 * numbers,
                       .frame = 4.0 + 4.0 * carried,
                       .particle_frame = 32.0 + 4.0 * carried};
    bytes.fields += 8.0 * carried; // on the grid, and copied to frames
    if (scene->liquid.method == BW_LIQUID_FLIP)
        bytes.fields += 12.0;
    bytes.scratch += viscous_bytes(scene);
    if (bw_scene_conducts_in_liquid(scene)) // temperatures, capacities, and the system
        bytes.fields += 56.0;
    if (scene->obstacle_count > 0)
        bytes.fields += 30.0;
    if (scene->liquid.surface_tension > 0.0f) // the curvature, its change and a copy; distances to solids
        bytes.fields += scene->obstacle_count > 0 ? 16.0 : 12.0;
    if (scene->liquid.elastic.modulus > 0.0f) {
        bytes.particle += 4.0 * strains_of(scene);
        bytes.particle_state += 4.0 * strains_of(scene);
        add_elastic(scene, &bytes);
    }
    bool has_core = has_narrow_band(scene);
    if (has_core || scene->liquid.method == BW_LIQUID_MARKERS) { // the grid carries the velocity as well
        bytes.fields += 8.0 * axes + (has_core ? -20.0 : 0.0);   // as measured
        bytes.state += 4.0 * axes + (has_core ? 4.0 : 0.0);
    }
    return bytes;
}

// Frames of liquids without particles keep phi, and the velocity where it is asked for.
static double frame_bytes_without_particles(const BwSceneDef *scene)
{
    const BwOutputDef *output = &scene->output;
    bool is_moving = output->mesh || output->obj || output->gltf || scene->camera.shutter > 0.0f;
    return is_moving || scene->dimension == 2 ? 4.0 + 4.0 * scene->dimension : 4.0;
}

// A particle of a level set is a place, a radius, an identity and a number for scratch.
static CellBytes level_set_bytes(const BwSceneDef *scene)
{
    int axes = scene->dimension, numbers = 2 * axes + 2;
    CellBytes bytes = {.fields = axes == 2 ? 150.0 : 172.0,
                       .scratch = 80.0 + pressure_bytes(scene),
                       .state = 4.0 + 4.0 * axes,
                       .least = 1.9e6,
                       .particle = 4.0 * numbers + 14.0,
                       .particle_state = 4.0 * numbers,
                       .frame = frame_bytes_without_particles(scene)};
    if (scene->obstacle_count > 0)
        bytes.fields += 30.0;
    if (scene->liquid.surface_tension > 0.0f)
        bytes.fields += scene->obstacle_count > 0 ? 16.0 : 12.0;
    bytes.scratch += viscous_bytes(scene);
    if (scene->liquid.elastic.modulus > 0.0f) { // its strain, and two fields to advect it into
        bytes.fields += 4.0 * (strains_of(scene) + 2);
        bytes.state += 4.0 * strains_of(scene);
        add_elastic(scene, &bytes);
    }
    return bytes;
}

// Columns are few beside the cells below them, all of which are awake.
// Of a liquid below a height field or within chains, whose lists of particles are short.
static bool is_in_whole_box(const BwSceneDef *scene)
{
    return scene->liquid.method == BW_LIQUID_HEIGHT || scene->liquid.method == BW_LIQUID_CHAIN;
}

static CellBytes height_bytes(const BwSceneDef *scene)
{
    int axes = scene->dimension;
    CellBytes bytes = {.fields = axes == 2 ? 110.0 : 130.0,
                       .scratch = 80.0 + pressure_bytes(scene),
                       .state = 4.0 + 4.0 * axes,
                       .least = 1.9e6,
                       .frame = frame_bytes_without_particles(scene)};
    if (scene->obstacle_count > 0)
        bytes.fields += 30.0;
    return bytes;
}

static CellBytes liquid_bytes(const BwSceneDef *scene)
{
    if (is_in_whole_box(scene))
        return height_bytes(scene);
    return is_level_set(scene) ? level_set_bytes(scene) : particle_liquid_bytes(scene);
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

static double cells_a_tile(const BwSceneDef *scene)
{
    return scene->dimension == 2 ? 64.0 : 512.0;
}

// The part of the particles that there are below the surface of so deep a pool: those of the band, and of two
// cells more.
static double kept_particles(const BwSceneDef *scene, double depth)
{
    const double margin = 2.0, band_default = 6.0;
    double band = (double)(scene->liquid.narrow_band / scene->cell);
    if (!has_narrow_band(scene))
        return 1.0;
    return fmin(1.0, ((isnan(band) ? band_default : band) + margin) * (double)scene->cell / depth);
}

// In the open liquid fills its own tiles at least; nobody knows how far it spreads.
static RunSize open_liquid_size(const BwSceneDef *scene, const LiquidAmount *amount)
{
    return (RunSize){.is_known = true,
                     .is_least = true,
                     .tiles = ceil(amount->cells / cells_a_tile(scene)),
                     .particles = amount->particles,
                     .bytes = liquid_bytes(scene)};
}

// Liquid comes to rest on the floor, with a tile of air above; on its way there it takes more room, and has
// more of a surface.
static RunSize liquid_size(const BwSceneDef *scene)
{
    const double spread = 1.1, surface_growth = 1.5;
    const double transfer_bytes[2] = {31.0, 55.0}; // a cell of tiles that hold particles
    const BwWallsDef *walls = &scene->walls;
    BwVec3 room = bw_sub(walls->max, walls->min);
    LiquidAmount amount = liquid_amount_at_end(scene);
    if (!amount.is_known)
        return (RunSize){.is_known = false};
    if (!scene->has_walls)
        return open_liquid_size(scene, &amount);
    double all = box_tiles(scene), upright = tiles_along(walls->min.y, walls->max.y, scene->cell);
    double share =
        amount.volume / ((double)room.x * (double)room.y * (scene->dimension == 2 ? 1.0 : (double)room.z));
    double tiles = all / upright * (ceil(share * upright) + 1.0);
    double dense = amount.cells * pow(scene->liquid.particles_per_cell, scene->dimension);
    double kept = kept_particles(scene, share * (double)room.y);
    RunSize size = {.is_known = true,
                    .tiles = fmin(spread * tiles, all),
                    .particles = kept * fmin(surface_growth * amount.particles, dense),
                    .bytes = liquid_bytes(scene)};
    size.bytes.scratch -= (1.0 - kept) * transfer_bytes[scene->dimension - 2];
    return size;
}

static RunSize run_size(const BwSceneDef *scene)
{
    if (scene->fluid == BW_FLUID_LIQUID && is_in_whole_box(scene) && scene->has_walls)
        return (RunSize){.is_known = true, .tiles = box_tiles(scene), .bytes = liquid_bytes(scene)};
    if (scene->fluid == BW_FLUID_LIQUID)
        return liquid_size(scene);
    if (!bw_scene_is_whole_box(scene) || scene->fluid == BW_FLUID_RECORDED)
        return (RunSize){.is_known = false};
    return (RunSize){.is_known = true,
                     .tiles = box_tiles(scene),
                     .bytes = scene->fluid == BW_FLUID_STABLE ? stable_bytes(scene) : smoke_bytes(scene)};
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
    RunSize size = run_size(def);
    if (!size.is_known)
        return (Estimate){.is_known = false};
    const CellBytes *bytes = &size.bytes;
    double tile_cells = cells_a_tile(def), checkpoints = 0.0;
    double slots = ceil(size.tiles / BW_CHUNK_GROWTH) * BW_CHUNK_GROWTH, cells = size.tiles * tile_cells;
    double state = cells * bytes->state + size.particles * bytes->particle_state;
    double states = output->checkpoint_every > 0 ? 2.0 : 1.0;
    double memory = bytes->least + file_bytes(scene) + tile_cells * slots * bytes->fields +
                    cells * bytes->scratch + size.particles * bytes->particle + states * state;
    if (output->checkpoint_every > 0) // the last two, and the one that is being written
        checkpoints = output->keep_checkpoints ? (double)frame_count / output->checkpoint_every : 3.0;
    double frame = cells * bytes->frame + size.particles * bytes->particle_frame; // at most, all fluid
    double frames =
        output->checkpoint_every > 0 ? fmin(frame * frame_count, 1e6 * (double)output->keep_frames) : 0.0;
    if (output->record) // velocity, pressure and where the fluid is, of every frame
        frames = (frame + 4.0 * (def->dimension + 2) * cells) * frame_count;
    bool has_pictures = output->images || output->movie;
    double pictures = has_pictures ? bytes_a_pixel * output->width * output->height * frame_count : 0.0;
    return (Estimate){.is_known = true,
                      .is_least = size.is_least,
                      .memory = memory,
                      .disk = state * checkpoints + frames + pictures};
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

const char *estimate_word(const Estimate *estimate)
{
    return estimate->is_least ? "at least" : "about";
}

// Fails when `what`, of which an estimate needs that much, has less that is free.
static BwResult check(const Estimate *estimate, double needed, double free_bytes, const char *what,
                      BwResult code, BwError *err)
{
    char needs[32], has[32];
    if (needed <= free_bytes)
        return BW_OK;
    estimate_write_bytes(needs, sizeof needs, needed);
    estimate_write_bytes(has, sizeof has, free_bytes);
    return bw_fail(err, code, "the run would take %s %s of %s and %s are free; --force tries all the same",
                   estimate_word(estimate), needs, what, has);
}

BwResult estimate_check(const BwScene *scene, int frame_count, const char *folder, BwError *err)
{
    Estimate estimate = estimate_run(scene, frame_count);
    if (!estimate.is_known)
        return BW_OK;
    BW_TRY(check(&estimate, estimate.memory, free_memory(), "memory", BW_ERR_MEMORY, err));
    return check(&estimate, estimate.disk, free_disk(folder), "disk", BW_ERR_FILE, err);
}
