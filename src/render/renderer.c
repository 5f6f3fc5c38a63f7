// The renderer: from a frame to an image. The extent of the scene is taken once, at the first frame, so
// camera, ground and thickness of the smoke stay the same over a run.
#include "base/need.h"
#include "base/pool.h"
#include "grid/frame_check.h"
#include "render/picture.h"
#include "render/tone.h"

#include <string.h>

#define RENDERER_COOKIE 0x72656e64u
#define SIDE_MAX        16384

// Default thickness: smoke of density 1 over a forty-fifth of the scene lets 1/e of the light through.
#define DEPTHS_PER_SIZE 45.0f
// In 2-D a layer of density 1 covers what is behind by 95 %.
#define FLAT_ABSORPTION 3.0f

// Cells drawn larger than this many pixels are refined, as long as the bricks stay this few.
#define GROUND_RIM        0.15f // of the view: room below the lowest that is shown
#define CELL_PIXELS_MAX   5.0f
#define REFINED_TILES_MAX 12000

struct BwRenderer {
    BwAllocator allocator;
    const BwSceneDef *scene;
    BwPool *pool;
    BwImage image;
    BwVolume volume, coarse; // the latter where the lattice is finer than the cells
    BwSweep sweep;
    BwSolids solids;
    BwThings things;
    BwSightings sightings;
    BwToneTable tones;
    bool has_view, has_extent;
    BwBox view;   // asked for, when has_view
    BwBox extent; // what the camera frames
    float ground; // m, height of the floor
};

BwRendererDef bw_renderer_def_default(void)
{
    return (BwRendererDef){.cookie = RENDERER_COOKIE};
}

static BwResult check_def(const BwRendererDef *def, int width, int height, BwError *err)
{
    if (def->cookie != RENDERER_COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the renderer's Def was not made by bw_renderer_def_default");
    if (def->scene == NULL)
        return bw_fail(err, BW_ERR_DEF, "the renderer's Def has no scene");
    if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX)
        return bw_fail(err, BW_ERR_DEF, "the picture is %d x %d pixels; it must be 1 x 1 to %d x %d", width,
                       height, SIDE_MAX, SIDE_MAX);
    BwVec3 size = bw_sub(def->view.high, def->view.low);
    if (def->has_view && !(isfinite(bw_length(size)) && size.x > 0.0f && size.y > 0.0f &&
                           (def->scene->dimension == 2 || size.z > 0.0f)))
        return bw_fail(err, BW_ERR_DEF, "the renderer's view is no box with an inside and an end");
    return BW_OK;
}

static size_t image_size(const BwImage *image)
{
    return 3 * (size_t)image->width_px * (size_t)image->height_px;
}

BwResult bw_renderer_create(BwRenderer **out, const BwRendererDef *def, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the renderer", err));
    *out = NULL;
    BW_TRY(bw_need(def, "the BwRendererDef", err));
    int width = def->width_px, height = def->height_px;
    if (def->scene != NULL && width == 0)
        width = def->scene->output.width;
    if (def->scene != NULL && height == 0)
        height = def->scene->output.height;
    BW_TRY(check_def(def, width, height, err));
    BwAllocator allocator = bw_allocator_or_default(def->allocator);
    BwRenderer *renderer = bw_alloc_zeroed(&allocator, sizeof *renderer, BW_ALIGN);
    if (renderer == NULL)
        return bw_fail_memory(err);
    renderer->allocator = renderer->volume.allocator = renderer->coarse.allocator =
        renderer->solids.allocator = renderer->sweep.allocator = renderer->things.allocator =
            renderer->sightings.allocator = allocator;
    renderer->scene = def->scene;
    bw_tone_table_fill(&renderer->tones);
    renderer->has_view = def->has_view;
    renderer->view = def->view;
    renderer->image = (BwImage){width, height, NULL};
    renderer->image.pixels = bw_alloc(&allocator, image_size(&renderer->image), BW_ALIGN);
    BwPoolDef pool_def = {allocator, def->scheduler, def->worker_count};
    BwResult result = renderer->image.pixels == NULL ? bw_fail_memory(err)
                                                     : bw_pool_create(&renderer->pool, &pool_def, err);
    if (result == BW_OK)
        *out = renderer;
    else
        bw_renderer_destroy(renderer);
    return result;
}

void bw_renderer_destroy(BwRenderer *renderer)
{
    if (renderer == NULL)
        return;
    BwAllocator allocator = renderer->allocator;
    bw_pool_destroy(renderer->pool);
    bw_volume_free(&renderer->volume);
    bw_volume_free(&renderer->coarse);
    bw_sweep_free(&renderer->sweep);
    bw_solids_free(&renderer->solids);
    bw_things_free(&renderer->things);
    bw_sightings_free(&renderer->sightings);
    bw_free(&allocator, renderer->image.pixels, image_size(&renderer->image), BW_ALIGN);
    bw_free(&allocator, renderer, sizeof *renderer, BW_ALIGN);
}

// The side of a cube as large as the extent, or of a square in 2-D.
static float extent_side(BwBox extent)
{
    BwVec3 size = bw_sub(extent.high, extent.low);
    return cbrtf(size.x * size.y * size.z);
}

// How many lattice points a cell gets along an axis, from its size in pixels in the middle of the scene.
static int choose_refinement(const BwPicture *picture)
{
    float x, y, depth = bw_camera_project(&picture->camera, picture->center, &x, &y);
    float pixel = 2.0f * picture->camera.tan_y * fmaxf(depth, 1e-6f) / (float)picture->image->height_px;
    float pixels = picture->frame->cell_size / pixel;
    int refine = pixels > 2.0f * CELL_PIXELS_MAX ? 4 : pixels > CELL_PIXELS_MAX ? 2 : 1;
    while (refine > 1 && picture->frame->tile_count > REFINED_TILES_MAX / (refine * refine * refine))
        refine /= 2;
    return refine;
}

// The floor is that of the scene, also where the camera shows a part of it, with some room below; but smoke
// that sinks further than was expected does not sink into it.
static BwResult find_extent(BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    BwBox whole;
    if (renderer->has_extent)
        return BW_OK;
    BW_TRY(bw_picture_extent(&whole, renderer->scene, frame, err));
    renderer->extent = renderer->has_view ? renderer->view : whole;
    BwVec3 size = bw_sub(renderer->extent.high, renderer->extent.low);
    float rim = GROUND_RIM * fmaxf(size.x, fmaxf(size.y, size.z));
    bool sinks = renderer->extent.low.y < whole.low.y - rim;
    renderer->ground = sinks ? renderer->extent.low.y : whole.low.y;
    renderer->has_extent = true;
    return BW_OK;
}

static BwResult compose(BwPicture *picture, BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    const BwSceneDef *scene = renderer->scene;
    const BwLookDef *look = &scene->look;
    BW_TRY(find_extent(renderer, frame, err));
    *picture = (BwPicture){.image = &renderer->image,
                           .scene = scene,
                           .frame = frame,
                           .extent = renderer->extent,
                           .volume = &renderer->volume,
                           .solids = &renderer->solids,
                           .things = &renderer->things,
                           .tones = &renderer->tones};
    BwBox extent = renderer->extent;
    picture->size = bw_length(bw_sub(extent.high, extent.low));
    picture->center[0] = 0.5 * ((double)extent.low.x + (double)extent.high.x);
    picture->center[1] = 0.5 * ((double)extent.low.y + (double)extent.high.y);
    picture->center[2] = 0.5 * ((double)extent.low.z + (double)extent.high.z);
    picture->ground = renderer->ground;
    picture->exposure = exp2f(look->exposure_stops);
    for (int c = 0; c < 3; c++) {
        float wanted = fminf(fmaxf(look->background[c], 0.0f), 1.0f);
        picture->backdrop[c] = bw_tone_inverse(bw_srgb_decode(wanted)) / picture->exposure;
    }
    for (int c = 0; c < 3; c++)
        picture->ground_albedo[c] = bw_srgb_decode(fminf(fmaxf(look->ground[c], 0.0f), 1.0f));
    picture->absorption = look->absorption > 0.0f ? look->absorption
                          : frame->dimension == 2 ? FLAT_ABSORPTION
                                                  : DEPTHS_PER_SIZE / extent_side(renderer->extent);
    BW_TRY(bw_rig_make(&picture->rig, scene, err));
    float aspect = (float)renderer->image.width_px / (float)renderer->image.height_px;
    return bw_camera_at(&picture->camera, scene, renderer->extent, frame->time, aspect, err);
}

// The smoke and the light in it. Depth towards lamps is smooth, and cells are fine enough for it.
static BwResult light_smoke(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    BwVolume *volume = &renderer->volume, *coarse = volume;
    BwPool *pool = renderer->pool;
    BW_TRY(
        bw_volume_build(volume, pool, picture->frame, picture->absorption, choose_refinement(picture), err));
    if (volume->refine > 1) {
        coarse = &renderer->coarse;
        BW_TRY(bw_volume_coarsen(coarse, pool, volume, picture->frame, picture->absorption, err));
    }
    picture->coarse = coarse;
    return bw_volume_light(volume, coarse, &renderer->sweep, pool, &picture->rig, &picture->camera,
                           &renderer->solids, err);
}

// What pixels see of the solids is kept where nothing else may be before them.
static BwResult recall_sightings(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    int64_t count = renderer->solids.count;
    if (count == 0 || count > INT16_MAX || !bw_things_is_empty(&renderer->things))
        return BW_OK;
    picture->sightings = &renderer->sightings;
    return bw_sightings_begin(picture->sightings, &picture->camera, picture->ground, &renderer->solids,
                              (int64_t)renderer->image.width_px * renderer->image.height_px, err);
}

static BwResult draw(BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    BwPicture picture;
    BW_TRY(compose(&picture, renderer, frame, err));
    BW_TRY(bw_things_build(&renderer->things, renderer->pool, frame, &picture.camera, renderer->extent.low.y,
                           renderer->image.width_px, renderer->image.height_px, err));
    if (frame->dimension == 2) {
        bw_parallel_for(renderer->pool, renderer->image.height_px, 4, bw_flat_rows, &picture);
        return BW_OK;
    }
    BW_TRY(bw_solids_set(&renderer->solids, frame, picture.size, err));
    BW_TRY(recall_sightings(renderer, &picture, err));
    BW_TRY(light_smoke(renderer, &picture, err));
    bw_parallel_for(renderer->pool, (renderer->image.height_px + BW_PANE - 1) / BW_PANE, 1, bw_picture_panes,
                    &picture);
    renderer->sightings.is_known = picture.sightings != NULL;
    return BW_OK;
}

const BwImage *bw_renderer_draw(BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    bool is_good = bw_need(renderer, "the renderer", err) == BW_OK && bw_frame_check(frame, err) == BW_OK;
    return is_good && draw(renderer, frame, err) == BW_OK ? &renderer->image : NULL;
}
