// Boxes around the parts of a frame.
#include "grid/frame_bounds.h"

#include <math.h>

static BwBox grown(BwBox box, const double place[3], float radius)
{
    BwVec3 at = bw_vec3((float)place[0], (float)place[1], (float)place[2]);
    BwVec3 rim = bw_vec3(radius, radius, radius);
    return isfinite(bw_length(at)) ? bw_box_union(box, (BwBox){bw_sub(at, rim), bw_add(at, rim)}) : box;
}

static BwBox nothing(void)
{
    return (BwBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

BwBox bw_particles_bounds(const BwFrame *frame, const BwFrameParticles *set)
{
    BwBox box = nothing();
    for (int64_t n = 0; n < set->count; n++) {
        double place[3];
        bw_frame_particle_place(frame, set, n, place);
        box = grown(box, place, set->radius);
    }
    return box;
}

BwBox bw_columns_bounds(const BwFrameColumns *set)
{
    BwBox box = nothing();
    double h = (double)set->cell_size;
    for (int32_t k = 0; k < set->count[1]; k++)
        for (int32_t i = 0; i < set->count[0]; i++) {
            const double place[3] = {(set->low[0] + i + 0.5) * h,
                                     (double)set->heights[(int64_t)k * set->count[0] + i],
                                     (set->low[1] + k + 0.5) * h};
            box = grown(box, place, 0.0f);
        }
    return box;
}

BwBox bw_mesh_bounds(const BwFrameMesh *mesh)
{
    BwBox box = nothing();
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 vertex = mesh->vertices[n];
        const double place[3] = {mesh->origin[0] + (double)vertex.x, mesh->origin[1] + (double)vertex.y,
                                 mesh->origin[2] + (double)vertex.z};
        box = grown(box, place, 0.0f);
    }
    return box;
}
