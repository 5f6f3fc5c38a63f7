// Running ahead. Nothing here may depend on the clock but where `seconds_max` says so: the camera follows
// what a scout sees, and a run that goes on must see the same.
#include "scout.h"

#include "base/clock.h"
#include "base/error.h"
#include "grid/frame_bounds.h"
#include "scene/gas.h"

#include <math.h>

// Of the thickest smoke so far: thinner smoke hardly shows.
static const float visible_share = 0.05f;

// The side of a cube, or of a square, as large as its bounds; of flat shapes, as their face.
static float source_width(const BwShape *shape, int dimension)
{
    BwBox box = bw_shape_bounds(shape);
    BwVec3 size = bw_sub(box.high, box.low);
    const float sides[3] = {size.x, size.y, size.z};
    float longest = fmaxf(size.x, size.y), product = 1.0f;
    int count = 0;
    for (int a = 0; a < dimension; a++)
        if (sides[a] > 0.0f && !(bw_shape_is_flat(shape) && sides[a] < 0.1f * longest)) {
            product *= sides[a];
            count++;
        }
    return count > 0 ? powf(product, 1.0f / (float)count) : INFINITY;
}

float scout_source_width(const BwSceneDef *scene)
{
    float width = INFINITY;
    for (int n = 0; n < scene->emitter_count; n++)
        width = fminf(width, source_width(&scene->emitters[n].shape, scene->dimension));
    for (int n = 0; n < scene->fill_count; n++)
        width = fminf(width, source_width(&scene->fills[n].shape, scene->dimension));
    return width;
}

// The same scene on wider cells and with fewer frames; steps stay as short as its speeds ask.
static BwSceneDef coarse_scene(const ScoutDef *def, int samples)
{
    BwSceneDef coarse = *def->scene;
    coarse.cell = def->cell;
    coarse.frames = samples;
    coarse.duration = 0.0;
    coarse.fps = (double)samples * def->scene->fps / def->frame_count;
    const BwInitialDef *initial = &coarse.initial;
    bool has_functions = initial->density.function != NULL || initial->temperature.function != NULL ||
                         initial->velocity.function != NULL;
    BwSmokeDef *gas = coarse.fluid == BW_FLUID_FIRE ? &coarse.fire.smoke : &coarse.smoke;
    if (def->is_sparse && bw_is_gas(coarse.fluid) && !has_functions)
        gas->envelope = fmaxf(gas->envelope, 3.0f * coarse.cell);
    return coarse;
}

static int tile_cells(const BwFrame *frame)
{
    return BW_TILE * BW_TILE * frame->layers;
}

// The cells of a tile whose value times `sign` is above `least`.
static BwBox tile_box(const BwFrame *frame, const float *values, BwTileCoord at, float sign, float least)
{
    BwBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    float h = frame->cell_size;
    for (int n = 0; n < tile_cells(frame); n++) {
        if (!(sign * values[n] > least))
            continue;
        int x = n % BW_TILE, y = n / BW_TILE % BW_TILE, z = n / (BW_TILE * BW_TILE);
        BwVec3 low = bw_vec3(h * (float)(at.x * BW_TILE + x), h * (float)(at.y * BW_TILE + y),
                             h * (float)(at.z * BW_TILE + z));
        box = bw_box_union(box, (BwBox){low, bw_add(low, bw_vec3(h, h, h))});
    }
    return box;
}

// `thickest` is the largest density seen so far.
static BwBox smoke_box(const BwFrame *frame, float *thickest)
{
    BwBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const BwFrameField *density = bw_frame_field(frame, "density");
    int64_t count = density != NULL ? (int64_t)frame->tile_count * tile_cells(frame) : 0;
    for (int64_t n = 0; n < count; n++)
        *thickest = fmaxf(*thickest, density->values[n]);
    for (int32_t n = 0; density != NULL && n < frame->tile_count; n++)
        box = bw_box_union(box, tile_box(frame, density->values + (int64_t)n * tile_cells(frame),
                                         frame->tiles[n], 1.0f, visible_share * *thickest));
    return box;
}

// Inside of the surface of water, below 0 of its level set.
static BwBox water_box(const BwFrame *frame)
{
    BwBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    for (int32_t n = 0; phi != NULL && n < frame->tile_count; n++)
        box = bw_box_union(
            box, tile_box(frame, phi->values + (int64_t)n * tile_cells(frame), frame->tiles[n], -1.0f, 0.0f));
    return box;
}

BwBox scout_fluid_box(const BwFrame *frame, float *thickest)
{
    BwBox box = bw_box_union(smoke_box(frame, thickest), water_box(frame));
    for (int n = 0; n < frame->particle_set_count; n++)
        box = bw_box_union(box, bw_particles_bounds(frame, &frame->particles[n]));
    return box;
}

static BwResult take_samples(Scout *scout, BwWorld *world, const ScoutDef *def, BwError *err)
{
    double began = bw_clock_seconds(), work = 0.0;
    float thickest = 0.0f;
    while (scout->count < scout->wanted) {
        double start = bw_clock_seconds();
        BwResult result = bw_world_step_frame(world, NULL, err);
        if (result != BW_OK)
            return result == BW_ERR_NUMERICS && scout->count > 0 ? BW_OK : result;
        double end = bw_clock_seconds();
        const BwStats *stats = bw_world_view_stats(world);
        const BwFrame *frame = bw_world_view_frame(world, err);
        if (frame == NULL)
            return err->code;
        scout->samples[scout->count++] = (ScoutSample){.seconds = end - start,
                                                       .cells = (double)stats->cells,
                                                       .steps = stats->steps,
                                                       .fluid = scout_fluid_box(frame, &thickest)};
        work += (double)stats->cells * stats->steps;
        if (end - began > def->seconds_max || work > def->work_max)
            break;
    }
    return BW_OK;
}

BwResult scout_run(Scout *scout, BwSceneDef *coarse, BwWorld **world, const ScoutDef *def, BwError *err)
{
    int samples = def->frame_count < SCOUT_SAMPLES ? def->frame_count : SCOUT_SAMPLES;
    *coarse = coarse_scene(def, samples);
    *scout = (Scout){.cell = def->cell, .interval = 1.0 / coarse->fps, .wanted = samples};
    *world = NULL;
    BwWorldDef world_def = bw_world_def_default();
    world_def.scene = coarse;
    world_def.worker_count = def->worker_count;
    BW_TRY(bw_world_create(world, &world_def, err));
    return take_samples(scout, *world, def, err);
}
