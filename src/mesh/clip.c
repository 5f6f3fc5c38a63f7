// Vertex by vertex.
#include "mesh/clip.h"

#include "base/extremes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"

// The ways out beside edges lead past these, and then on.
enum { ROUNDS = 3 };

// Cells: a vertex that is deeper in a solid is on the other side of a thin one.
static const float deepest = 1.0f;

typedef struct Job {
    const BwClip *clip;
    BwPatches *patches;
} Job;

static float between_walls(const BwLattice *lattice, int axis, float place)
{
    int64_t start = (int64_t)BW_TILE * lattice->anchor[axis];
    return bw_smaller(bw_larger(place, (float)(lattice->low[axis] - start)),
                      (float)(lattice->high[axis] - start));
}

// The way out of a solid, in cells.
static BwVec3 way_out(const BwFrameSolid *solid, const BwLattice *lattice, BwVec3 place)
{
    const BwVec3 none = {0.0f, 0.0f, 0.0f};
    const int32_t *anchor = lattice->anchor;
    double h = (double)lattice->cell;
    BwVec3 at =
        bw_pose_to_local(solid->pose, bw_vec3((float)(h * ((double)BW_TILE * anchor[0] + (double)place.x)),
                                              (float)(h * ((double)BW_TILE * anchor[1] + (double)place.y)),
                                              (float)(h * ((double)BW_TILE * anchor[2] + (double)place.z))));
    if (bw_shape_distance_bounds(solid->shape, at).low >= 0.0f)
        return none;
    float depth = -bw_shape_distance_inline(solid->shape, at) / lattice->cell;
    if (!(depth > 0.0f && depth < deepest))
        return none;
    BwVec3 slope = bw_solid_slope(solid->shape, at, 0.1f * lattice->cell);
    return bw_mul(bw_quat_rotate(solid->pose.rotation, slope), depth);
}

static BwVec3 out_of_solid(const BwFrameSolid *solid, const BwLattice *lattice, BwVec3 place)
{
    for (int round = 0; round < ROUNDS; round++) {
        BwVec3 way = way_out(solid, lattice, place);
        if (!(bw_dot(way, way) > 0.0f))
            break;
        place = bw_add(place, way);
    }
    return place;
}

static void clip_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFrame *frame = job->clip->frame;
    const BwLattice *lattice = job->patches->lattice;
    for (int64_t n = begin; n < end; n++) {
        BwVec3 place = job->patches->places[n];
        for (int s = 0; s < frame->solid_count && job->clip->is_of_solids; s++)
            if (!bw_solid_is_hollow(&frame->solids[s]))
                place = out_of_solid(&frame->solids[s], lattice, place);
        if (lattice->has_walls)
            place = bw_vec3(between_walls(lattice, 0, place.x), between_walls(lattice, 1, place.y),
                            between_walls(lattice, 2, place.z));
        job->patches->places[n] = place;
    }
}

void bw_clip_mesh(const BwClip *clip, BwPatches *patches, BwPool *pool)
{
    Job job = {clip, patches};
    bw_parallel_for(pool, patches->vertex_count, 2048, clip_range, &job);
}
