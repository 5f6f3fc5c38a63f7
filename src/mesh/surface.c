// The recipe of a mesh: level set, kernels of particles where they are asked for, patches, smoothing, values
// at vertices, metres.
#include <billow/surface.h>

#include "base/need.h"
#include "grid/frame_check.h"
#include "mesh/chain_curve.h"
#include "mesh/drape.h"
#include "mesh/fairing.h"
#include "mesh/revolve.h"
#include "mesh/vertex_values.h"
#include "mesh/wrap.h"

enum { SURFACE_COOKIE = 0x73757266, SMOOTHING_MAX = 100 };
#define INTO_SOLIDS_MAX 2.0f

struct BwSurface {
    BwAllocator allocator;
    BwSurfaceDef def;
    BwPool *pool;
    BwLattice lattice;
    BwLevel level;
    BwWrap wrap;
    BwPatches patches;
    BwBodies bodies;
    BwFairing fairing;
    BwVertexValues values;
    BwRevolve revolve;
    BwFrameMesh mesh;
};

BwSurfaceDef bw_surface_def_default(void)
{
    return (BwSurfaceDef){.cookie = SURFACE_COOKIE, .resolution = 1, .smoothing = 3};
}

static BwResult check_def(const BwSurfaceDef *def, BwError *err)
{
    if (def->cookie != SURFACE_COOKIE)
        return bw_fail(err, BW_ERR_DEF, "the surface's Def was not made by bw_surface_def_default");
    if (def->resolution < 1 || def->resolution > BW_REFINE_MAX)
        return bw_fail(err, BW_ERR_DEF, "the surface's resolution is %d; it must be from 1 to %d",
                       def->resolution, (int)BW_REFINE_MAX);
    if (def->smoothing < 0 || def->smoothing > SMOOTHING_MAX)
        return bw_fail(err, BW_ERR_DEF, "the surface's smoothing is %d rounds; it must be from 0 to %d",
                       def->smoothing, (int)SMOOTHING_MAX);
    if (!(def->into_solids >= 0.0f && def->into_solids <= INTO_SOLIDS_MAX))
        return bw_fail(err, BW_ERR_DEF, "the surface goes %g cells into solids; it must be from 0 to %g",
                       (double)def->into_solids, (double)INTO_SOLIDS_MAX);
    if (def->from != BW_MESH_FROM_LEVELSET && def->from != BW_MESH_FROM_PARTICLES)
        return bw_fail(err, BW_ERR_DEF,
                       "the surface's from is %d; it must be BW_MESH_FROM_LEVELSET or "
                       "BW_MESH_FROM_PARTICLES",
                       (int)def->from);
    return BW_OK;
}

BwResult bw_surface_create(BwSurface **out, const BwSurfaceDef *def, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the surface", err));
    *out = NULL;
    BwSurfaceDef own = def != NULL ? *def : bw_surface_def_default();
    BW_TRY(check_def(&own, err));
    BwAllocator allocator = bw_allocator_or_default(own.allocator);
    BwSurface *surface = bw_alloc_zeroed(&allocator, sizeof *surface, BW_ALIGN);
    if (surface == NULL)
        return bw_fail_memory(err);
    surface->allocator = surface->level.allocator = surface->wrap.allocator = surface->patches.allocator =
        surface->bodies.allocator = surface->fairing.allocator = surface->values.allocator =
            surface->revolve.allocator = allocator;
    surface->def = own;
    BwPoolDef pool_def = {allocator, own.scheduler, own.worker_count};
    BwResult result = bw_pool_create(&surface->pool, &pool_def, err);
    if (result == BW_OK)
        *out = surface;
    else
        bw_surface_destroy(surface);
    return result;
}

void bw_surface_destroy(BwSurface *surface)
{
    if (surface == NULL)
        return;
    BwAllocator allocator = surface->allocator;
    bw_pool_destroy(surface->pool);
    bw_level_free(&surface->level);
    bw_wrap_free(&surface->wrap);
    bw_patches_free(&surface->patches);
    bw_bodies_free(&surface->bodies);
    bw_fairing_free(&surface->fairing);
    bw_vertex_values_free(&surface->values);
    bw_revolve_free(&surface->revolve);
    bw_free(&allocator, surface, sizeof *surface, BW_ALIGN);
}

static BwResult check_frame(const BwFrame *frame, BwError *err)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    if (frame->dimension != 3)
        return bw_fail(err, BW_ERR_DEF,
                       "the frame is 2-D; meshes are made of 3-D liquids, and of flat ones within chains");
    if (phi == NULL)
        return bw_fail(err, BW_ERR_DEF,
                       "the frame has no level set \"phi\" to make a mesh of; liquids have one");
    if (phi->location != BW_AT_CELL)
        return bw_fail(err, BW_ERR_DEF, "the frame's \"phi\" is not at the centres of cells");
    return BW_OK;
}

static void to_metres(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwSurface *surface = context;
    for (int64_t n = begin; n < end; n++)
        surface->patches.places[n] = bw_mul(surface->patches.places[n], surface->lattice.cell);
}

static BwResult fair(BwSurface *surface, bool has_bodies, BwError *err)
{
    if (has_bodies)
        BW_TRY(bw_bodies_set(&surface->bodies, &surface->level, &surface->wrap.wet, &surface->patches, err));
    BwClip clip = {surface->level.frame, !(surface->def.into_solids > 0.0f)};
    return bw_fair_mesh(&surface->fairing, &surface->patches, has_bodies ? &surface->bodies : NULL, &clip,
                        surface->def.smoothing, surface->pool, err);
}

static bool has_particles(const BwFrame *frame)
{
    BwError none;
    const BwFrameParticles *water = bw_water_with_volume(frame, &none);
    return water != NULL && water->count > 0;
}

// Wraps the mesh around the particles, or around those of thin liquid, if there is any.
static BwResult wrap(BwSurface *surface, BwError *err)
{
    bool is_of_thin = surface->def.from == BW_MESH_FROM_LEVELSET;
    BW_TRY(bw_wrap_set(&surface->wrap, &surface->level, is_of_thin, surface->pool, err));
    surface->level.wrap = is_of_thin && surface->wrap.kernels.near.count == 0 ? NULL : &surface->wrap;
    return BW_OK;
}

static BwResult make_mesh(BwSurface *surface, const BwFrame *frame, BwError *err)
{
    BwPatches *patches = &surface->patches;
    BW_TRY(bw_frame_check(frame, err));
    if (bw_frame_chains(frame) != NULL)
        BW_TRY(bw_revolve(&surface->revolve, frame, &frame, err));
    BW_TRY(check_frame(frame, err));
    // What reaches into solids is not the volume of the particles: pictures draw those that their mesh leaves
    // out as drops.
    bool is_of_particles = surface->def.from == BW_MESH_FROM_PARTICLES,
         keeps_volume = !(surface->def.into_solids > 0.0f) && (is_of_particles || has_particles(frame));
    bw_lattice_set(&surface->lattice, frame, surface->def.resolution);
    surface->level.wrap = NULL;
    surface->level.into_solids = surface->def.into_solids;
    BW_TRY(bw_level_set(&surface->level, frame, &surface->lattice, surface->pool, err));
    if (is_of_particles || keeps_volume)
        BW_TRY(wrap(surface, err));
    BW_TRY(bw_patches_make(patches, &surface->level, surface->pool, err));
    BW_TRY(fair(surface, keeps_volume && surface->def.smoothing > 0, err));
    bw_drape_mesh(patches, frame, surface->pool);
    BW_TRY(bw_vertex_values_set(&surface->values, patches, frame, surface->pool, err));
    bw_parallel_for(surface->pool, patches->vertex_count, 8192, to_metres, surface);
    surface->mesh = (BwFrameMesh){.name = "water",
                                  .vertex_count = (int32_t)patches->vertex_count,
                                  .triangle_count = (int32_t)patches->triangle_count,
                                  .vertices = patches->places,
                                  .triangles = (const int32_t(*)[3])patches->triangles,
                                  .attributes = surface->values.attributes,
                                  .attribute_count = surface->values.attribute_count};
    for (int a = 0; a < 3; a++)
        surface->mesh.origin[a] =
            (double)BW_TILE * surface->lattice.anchor[a] * (double)surface->lattice.cell;
    return BW_OK;
}

const BwFrameMesh *bw_surface_mesh(BwSurface *surface, const BwFrame *frame, BwError *err)
{
    bool is_made = bw_need(surface, "the surface", err) == BW_OK && make_mesh(surface, frame, err) == BW_OK;
    return is_made ? &surface->mesh : NULL;
}
