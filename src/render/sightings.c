// Keeping what the pixels see. Everything that decides it is copied and compared byte by byte.
#include "render/sightings.h"

#include <string.h>

static bool is_same_solid(const BwSightings *sightings, const BwFrameSolid *solid, int64_t n)
{
    return sightings->solids[n].shape == solid->shape &&
           memcmp(&sightings->solids[n].pose, &solid->pose, sizeof solid->pose) == 0 &&
           memcmp(&sightings->shapes[n], solid->shape, sizeof *solid->shape) == 0;
}

static bool is_same_scene(const BwSightings *sightings, const BwCamera *camera, float ground,
                          const BwSolids *solids)
{
    bool is_same = sightings->solid_count == solids->count && sightings->ground == ground &&
                   memcmp(&sightings->camera, camera, sizeof *camera) == 0;
    for (int64_t n = 0; n < solids->count && is_same; n++)
        is_same = is_same_solid(sightings, solids->views[n].solid, n);
    return is_same;
}

BwResult bw_sightings_begin(BwSightings *sightings, const BwCamera *camera, float ground,
                            const BwSolids *solids, int64_t pixel_count, BwError *err)
{
    const BwAllocator *allocator = &sightings->allocator;
    if (sightings->is_known && is_same_scene(sightings, camera, ground, solids))
        return BW_OK;
    sightings->is_known = false;
    BW_TRY(bw_reserve(allocator, (void **)&sightings->pixels, &sightings->pixel_capacity, pixel_count,
                      sizeof *sightings->pixels, err));
    BW_TRY(bw_reserve(allocator, (void **)&sightings->solids, &sightings->solid_capacity, solids->count,
                      sizeof *sightings->solids, err));
    BW_TRY(bw_reserve(allocator, (void **)&sightings->shapes, &sightings->shape_capacity, solids->count,
                      sizeof *sightings->shapes, err));
    memcpy(&sightings->camera, camera, sizeof *camera);
    sightings->ground = ground;
    sightings->solid_count = solids->count;
    for (int64_t n = 0; n < solids->count; n++) {
        memcpy(&sightings->solids[n], solids->views[n].solid, sizeof *sightings->solids);
        memcpy(&sightings->shapes[n], solids->views[n].solid->shape, sizeof *sightings->shapes);
    }
    return BW_OK;
}

void bw_sightings_free(BwSightings *sightings)
{
    const BwAllocator *allocator = &sightings->allocator;
    bw_free(allocator, sightings->pixels, (size_t)sightings->pixel_capacity * sizeof *sightings->pixels,
            BW_ALIGN);
    bw_free(allocator, sightings->solids, (size_t)sightings->solid_capacity * sizeof *sightings->solids,
            BW_ALIGN);
    bw_free(allocator, sightings->shapes, (size_t)sightings->shape_capacity * sizeof *sightings->shapes,
            BW_ALIGN);
    *sightings = (BwSightings){.allocator = *allocator};
}
