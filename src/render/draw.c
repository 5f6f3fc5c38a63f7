// From a frame to an image. The extent of the scene is taken once, at the first frame, so camera, ground and
// thickness of the smoke stay the same over a run.
#include "grid/polygon_cover.h"
#include "mesh/chain_curve.h"
#include "render/caustics.h"
#include "render/renderer_parts.h"
#include "render/tank.h"
#include "render/water_light.h"
#include "render/water_mesh.h"
#include "scene/extent.h"
#include "scene/fuel.h"

#include <string.h>

// Default thickness: smoke of density 1 over a forty-fifth of the scene lets 1/e of the light through.
#define DEPTHS_PER_SIZE 45.0f
// In 2-D a layer of density 1 covers what is behind by 95 %.
#define FLAT_ABSORPTION 3.0f

// Cells drawn larger than this many pixels are refined, as long as the bricks stay this few.
#define GROUND_RIM        0.15f // of the view: room below the lowest that is shown
#define CELL_PIXELS_MAX   5.0f
#define MESH_PIXELS_MAX   4.0f // of a cell of the water's mesh, where the scene asks for no finer one
#define MESH_REFINE_MAX   3
#define INTO_SOLIDS       1.0f // cells: more than the mesh is blunt by where it ends on a solid
#define REFINED_TILES_MAX 12000

// The side of a cube as large as the extent, or of a square in 2-D.
static float extent_side(BwBox extent)
{
    BwVec3 size = bw_sub(extent.high, extent.low);
    return cbrtf(size.x * size.y * size.z);
}

// The size of a cell in pixels in the middle of the scene.
static float cell_pixels(const BwPicture *picture)
{
    float x, y, depth = bw_camera_project(&picture->camera, picture->center, &x, &y);
    float pixel = 2.0f * picture->camera.tan_y * fmaxf(depth, 1e-6f) / (float)picture->image->height_px;
    return picture->frame->cell_size / pixel;
}

// How many lattice points a cell should get along an axis.
static int wanted_refinement(const BwPicture *picture)
{
    float pixels = cell_pixels(picture);
    return pixels > 2.0f * CELL_PIXELS_MAX ? 4 : pixels > CELL_PIXELS_MAX ? 2 : 1;
}

// And how many it gets: no more than there is room for. Fire fills a small part of the tiles around it.
static int choose_refinement(const BwPicture *picture, bool glows)
{
    const BwFrame *frame = picture->frame;
    int refine = wanted_refinement(picture);
    int32_t tiles = glows && refine > 1 ? bw_volume_count_tiles(frame) : frame->tile_count;
    while (refine > 1 && tiles > REFINED_TILES_MAX / (refine * refine * refine))
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
    renderer->framed = renderer->extent;
    BW_TRY(bw_scene_cut_open_top(&renderer->framed, renderer->scene, err));
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
                           .water = &renderer->water,
                           .tint = &renderer->tint,
                           .solids = &renderer->solids,
                           .glass = &renderer->glass,
                           .things = &renderer->things,
                           .sky = &renderer->sky,
                           .tones = &renderer->tones};
    BwBox extent = renderer->extent;
    picture->size = bw_length(bw_sub(extent.high, extent.low));
    picture->center[0] = 0.5 * ((double)extent.low.x + (double)extent.high.x);
    picture->center[1] = 0.5 * ((double)extent.low.y + (double)extent.high.y);
    picture->center[2] = 0.5 * ((double)extent.low.z + (double)extent.high.z);
    picture->ground = renderer->ground;
    BW_TRY(bw_tank_sides(scene, frame, picture->ground, &picture->tank_sides, err));
    picture->shutter = scene->fps > 0.0 ? scene->camera.shutter / (float)scene->fps : 0.0f;
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
    bw_sky_fill(&renderer->sky, look->sky, &picture->rig, picture->backdrop);
    picture->optics = bw_water_optics(scene, &picture->rig, extent_side(renderer->extent));
    float aspect = (float)renderer->image.width_px / (float)renderer->image.height_px;
    return bw_camera_at(&picture->camera, scene, renderer->framed, frame->time, aspect, err);
}

// False where the frame holds nothing that glows.
static bool fill_glow(const BwPicture *picture, BwGlowTable *table)
{
    const BwLookDef *look = &picture->scene->look;
    if (bw_frame_field(picture->frame, "flame") == NULL)
        return false;
    bw_glow_table_fill(table, look->fire_brightness, look->white_temperature);
    bw_core_light(look->core_brightness * bw_fuel_front_light(&picture->scene->fire.fuel), table->core);
    return true;
}

static void add_edge(void *context, const double from[2], const double to[2])
{
    bw_cover_add_edge(context, from, to, NULL, NULL);
}

// What chains enclose, pixel by pixel, finer than the level set of their cells.
static BwResult cover_pixels(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    const BwFrameParticles *chains = bw_frame_chains(picture->frame);
    const BwCamera *camera = &picture->camera;
    int64_t width = renderer->image.width_px, height = renderer->image.height_px;
    if (chains == NULL || picture->scene->look.water != BW_WATER_SURFACE)
        return BW_OK;
    BW_TRY(bw_reserve(&renderer->allocator, (void **)&renderer->cover, &renderer->cover_capacity,
                      width * height, sizeof *renderer->cover, err));
    memset(renderer->cover, 0, (size_t)(width * height) * sizeof *renderer->cover);
    double pixel = 2.0 * (double)camera->tan_y * camera->eye[2] / (double)height;
    BwPolygonCover cover = {
        .low = {camera->eye[0] - 0.5 * pixel * (double)width, camera->eye[1] - 0.5 * pixel * (double)height},
        .side = pixel,
        .count = {(int32_t)width, (int32_t)height},
        .share = renderer->cover};
    bw_chain_curves(picture->frame, chains, add_edge, &cover);
    bw_cover_finish(&cover);
    picture->cover = renderer->cover;
    return BW_OK;
}

static BwResult draw_flat(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    BwGlowTable table;
    bool may_glow = fill_glow(picture, &table) && bw_frame_field(picture->frame, "temperature") != NULL;
    picture->glow = may_glow ? &table : NULL;
    BW_TRY(cover_pixels(renderer, picture, err));
    bw_parallel_for(renderer->pool, renderer->image.height_px, 4, bw_flat_rows, picture);
    return BW_OK;
}

// The smoke and the light in it. Depth towards lamps is smooth, and cells are fine enough for it.
static BwResult light_smoke(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    BwVolume *volume = &renderer->volume, *coarse = volume;
    BwPool *pool = renderer->pool;
    BwGlowTable table;
    bool may_glow = fill_glow(picture, &table);
    volume->table = may_glow ? &table : NULL;
    volume->hides_cells = may_glow && wanted_refinement(picture) > 1; // light changes tenfold between them
    if (may_glow)
        bw_fire_light_gather(&picture->fire, picture->frame, &table, picture->absorption);
    else if (bw_water_has_tint(picture->tint) && picture->tint->heat != NULL)
        bw_liquid_light_gather(&picture->fire, picture->frame, &picture->tint->glow);
    BW_TRY(bw_volume_build(volume, pool, picture->frame, picture->absorption,
                           choose_refinement(picture, may_glow), err));
    if (volume->refine > 1) {
        coarse = &renderer->coarse;
        BW_TRY(bw_volume_coarsen(coarse, pool, volume, picture->frame, picture->absorption, err));
    }
    picture->coarse = coarse;
    return bw_volume_light(volume, coarse, &renderer->sweep, pool, &picture->rig, &picture->camera,
                           &renderer->solids, &picture->fire, err);
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

// That of a fall over the height of the picture.
static BwResult find_fast(BwPicture *picture, BwError *err)
{
    float gravity[4];
    BW_TRY(bw_curve_at(&picture->scene->gravity, picture->frame->time, gravity, err));
    float height = picture->extent.high.y - picture->extent.low.y;
    float pull = bw_length(bw_vec3(gravity[0], gravity[1], gravity[2]));
    picture->fast = pull > 0.0f ? sqrtf(2.0f * pull * height) : height;
    return BW_OK;
}

// The mesh that the scene would write, or a finer one where its cells are drawn large.
static BwSurfaceDef mesh_def(const BwRenderer *renderer, const BwPicture *picture)
{
    const BwOutputDef *output = &picture->scene->output;
    BwSurfaceDef def = bw_surface_def_default();
    def.allocator = renderer->allocator;
    def.scheduler = renderer->scheduler;
    def.worker_count = renderer->worker_count;
    def.smoothing = output->mesh_smoothing;
    def.into_solids = INTO_SOLIDS;
    def.resolution = output->mesh_resolution > 1 ? output->mesh_resolution : 1;
    while (def.resolution < MESH_REFINE_MAX && cell_pixels(picture) > MESH_PIXELS_MAX * (float)def.resolution)
        def.resolution++;
    return def;
}

static BwResult build_water(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    BwWater *water = &renderer->water;
    const BwLookDef *look = &picture->scene->look;
    BW_TRY(bw_water_build(water, renderer->pool, picture->frame, err));
    if (look->water == BW_WATER_LEVELSET || !bw_mesh_rays_are_there() || picture->frame->tile_count == 0)
        return BW_OK;
    BwWaterMeshDef def = {.frame = picture->frame,
                          .water = water,
                          .solids = &renderer->solids,
                          .ground = look->show_ground ? (double)picture->ground : -INFINITY,
                          .shutter = picture->shutter,
                          .surface = mesh_def(renderer, picture)};
    BW_TRY(bw_water_mesh_build(&renderer->water_mesh, renderer->pool, &def, err));
    water->mesh = renderer->water_mesh.triangle_count > 0 ? &renderer->water_mesh : NULL;
    return BW_OK;
}

static void find_eye(BwPicture *picture)
{
    float place[3];
    picture->is_eye_in_water = false;
    if (bw_water_is_empty(picture->water))
        return;
    bw_water_place(picture->water, picture->camera.eye, place);
    picture->is_eye_in_water = bw_water_holds(picture->water, place);
}

// The water, as a surface or as particles, and whatever else the frame holds beside fields.
static BwResult gather_things(BwRenderer *renderer, BwPicture *picture, BwError *err)
{
    const BwFrame *frame = picture->frame;
    const BwLookDef *look = &picture->scene->look;
    BwDropLook drops = {.water = &renderer->water, .walls = bw_flat_walls(frame, picture->scene)};
    bool has_surface = look->water != BW_WATER_PARTICLES && bw_frame_field(frame, "phi") != NULL;
    if (look->water == BW_WATER_PARTICLES)
        drops.mode = BW_DROPS_BY_SPEED;
    else if (has_surface)
        drops.mode = BW_DROPS_OUTSIDE;
    for (int c = 0; c < 3; c++)
        drops.color[c] = fminf(fmaxf(look->water_color[c], 0.0f), 1.0f);
    BW_TRY(find_fast(picture, err));
    drops.fast = picture->fast;
    drops.shutter = frame->dimension == 3 ? picture->shutter : 0.0f;
    bw_water_clear(&renderer->water, frame);
    if (has_surface && frame->dimension == 3)
        BW_TRY(build_water(renderer, picture, err));
    float pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    BW_TRY(bw_ripples_set(&renderer->ripples, picture->scene, &renderer->water, frame->time, pixel, err));
    renderer->water.ripples = renderer->ripples.count > 0 ? &renderer->ripples : NULL;
    find_eye(picture);
    BW_TRY(bw_water_tint_build(&renderer->tint, frame, look, err));
    bw_water_optics_tint(&picture->optics, &renderer->tint);
    return bw_things_build(&renderer->things, renderer->pool, frame, &drops, &picture->camera,
                           renderer->extent.low.y, renderer->image.width_px, renderer->image.height_px, err);
}

BwResult bw_renderer_draw_image(BwRenderer *renderer, const BwFrame *frame, BwError *err)
{
    BwPicture picture;
    if (renderer->scene->look.revolve && frame->dimension == 2)
        BW_TRY(bw_revolve(&renderer->revolve, frame, &frame, err));
    BW_TRY(compose(&picture, renderer, frame, err));
    BW_TRY(bw_solids_set(&renderer->solids, frame, false, picture.size, err));
    BW_TRY(bw_solids_set(&renderer->glass, frame, true, picture.size, err));
    BW_TRY(gather_things(renderer, &picture, err));
    if (frame->dimension == 2)
        return draw_flat(renderer, &picture, err);
    BW_TRY(bw_caustics_build(&renderer->caustics, renderer->pool, &picture, err));
    picture.caustics = &renderer->caustics;
    BW_TRY(recall_sightings(renderer, &picture, err));
    BW_TRY(light_smoke(renderer, &picture, err));
    bw_parallel_for(renderer->pool, (renderer->image.height_px + BW_PANE - 1) / BW_PANE, 1, bw_picture_panes,
                    &picture);
    renderer->sightings.is_known = picture.sightings != NULL;
    bw_water_mesh_clear(&renderer->water_mesh);
    return BW_OK;
}
