// Patch by patch is vertex by vertex: each is evaluated where it stands.
#include "mesh/drape.h"

#include <math.h>

// A vertex farther from the patch than this is no part of the surface, but of a wall or a ground: in cells.
static const float reach = 0.75f;

typedef struct Job {
    BwPatches *patches;
    const BwFrameColumns *columns;
    const float *depths; // NULL: all are wet
} Job;

static void spline_weights(float t, float weight[4])
{
    float t2 = t * t, t3 = t2 * t;
    weight[0] = 0.5f * (-t3 + 2.0f * t2 - t);
    weight[1] = 0.5f * (3.0f * t3 - 5.0f * t2 + 2.0f);
    weight[2] = 0.5f * (-3.0f * t3 + 4.0f * t2 + t);
    weight[3] = 0.5f * (t3 - t2);
}

static int32_t within(int32_t at, int32_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

// The height of the patch over a place, given in columns from the first; NaN where a column is dry.
static float patch_height(const Job *job, double x, double z)
{
    const BwFrameColumns *columns = job->columns;
    int32_t i = (int32_t)floor(x), k = (int32_t)floor(z);
    float across[4], along[4], sum = 0.0f;
    spline_weights((float)(x - i), across);
    spline_weights((float)(z - k), along);
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            int64_t n = (int64_t)within(k - 1 + b, columns->count[1]) * columns->count[0] +
                        within(i - 1 + a, columns->count[0]);
            if (job->depths != NULL && !(job->depths[n] > 0.0f))
                return NAN;
            sum += along[b] * across[a] * columns->heights[n];
        }
    return sum;
}

static void drape_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwLattice *lattice = job->patches->lattice;
    const int32_t *anchor = lattice->anchor;
    for (int64_t n = begin; n < end; n++) {
        BwVec3 *place = &job->patches->places[n];
        if (job->patches->holds[n] & (1 << 1 | BW_ON_CAP | BW_ON_SOLID))
            continue;
        double x = (double)place->x + BW_TILE * anchor[0] - job->columns->low[0] - 0.5,
               z = (double)place->z + BW_TILE * anchor[2] - job->columns->low[1] - 0.5;
        float height = patch_height(job, x, z) / lattice->cell - (float)(BW_TILE * anchor[1]);
        if (fabsf(height - place->y) < reach)
            place->y = height;
    }
}

void bw_drape_mesh(BwPatches *patches, const BwFrame *frame, BwPool *pool)
{
    const BwFrameColumns *columns = bw_frame_columns(frame, "water");
    if (columns == NULL || columns->count[0] == 0 || columns->count[1] == 0 ||
        columns->cell_size != frame->cell_size)
        return;
    const BwFrameAttribute *depth =
        bw_frame_attribute(columns->attributes, columns->attribute_count, "depth");
    Job job = {patches, columns, depth != NULL && depth->components == 1 ? depth->values : NULL};
    bw_parallel_for(pool, patches->vertex_count, 4096, drape_range, &job);
}
