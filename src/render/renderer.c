// The renderer: what it is made from, and the drawing of the instruction set at work.
#include "base/cpu.h"
#include "base/need.h"
#include "grid/frame_check.h"
#include "render/caustics.h"
#include "render/renderer_parts.h"

#include <string.h>

#define RENDERER_COOKIE 0x72656e64u
#define SIDE_MAX        16384

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
                           (bw_picture_is_flat(def->scene) || size.z > 0.0f)))
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
        renderer->solids.allocator = renderer->glass.allocator = renderer->sweep.allocator =
            renderer->things.allocator = renderer->sightings.allocator = renderer->water.allocator =
                renderer->water_mesh.allocator = renderer->tint.allocator = renderer->caustics.allocator =
                    renderer->revolve.allocator = allocator;
    renderer->scene = def->scene;
    renderer->scheduler = def->scheduler;
    renderer->worker_count = def->worker_count;
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
    bw_water_free(&renderer->water);
    bw_water_mesh_free(&renderer->water_mesh);
    bw_water_tint_free(&renderer->tint);
    bw_caustics_free(&renderer->caustics);
    bw_solids_free(&renderer->solids);
    bw_solids_free(&renderer->glass);
    bw_things_free(&renderer->things);
    bw_sightings_free(&renderer->sightings);
    bw_revolve_free(&renderer->revolve);
    bw_free(&allocator, renderer->cover, (size_t)renderer->cover_capacity * sizeof *renderer->cover,
            BW_ALIGN);
    bw_free(&allocator, renderer->image.pixels, image_size(&renderer->image), BW_ALIGN);
    bw_free(&allocator, renderer, sizeof *renderer, BW_ALIGN);
}

bool bw_water_mesh_is_built(void)
{
    return bw_mesh_rays_are_there();
}

#if BW_HAS_V3
BwDrawFn bw_renderer_draw_image_v3;
#endif
#if BW_HAS_V4
BwDrawFn bw_renderer_draw_image_v4;
#endif
#if BW_HAS_SCALAR
BwDrawFn bw_renderer_draw_image_scalar;
#endif

static BwDrawFn *const draw_of[BW_CPU_COUNT] = {
    [BW_CPU_BASELINE] = bw_renderer_draw_image,
#if BW_HAS_V3
    [BW_CPU_V3] = bw_renderer_draw_image_v3,
#endif
#if BW_HAS_V4
    [BW_CPU_V4] = bw_renderer_draw_image_v4,
#endif
#if BW_HAS_SCALAR
    [BW_CPU_SCALAR] = bw_renderer_draw_image_scalar,
#endif
};

const BwImage *bw_renderer_draw(BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    BwCpu cpu;
    bool is_good = bw_need(renderer, "the renderer", err) == BW_OK && bw_frame_check(frame, err) == BW_OK &&
                   bw_cpu_choose(&cpu, err) == BW_OK;
    return is_good && draw_of[cpu](renderer, frame, err) == BW_OK ? &renderer->image : NULL;
}
