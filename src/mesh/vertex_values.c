// Fields at vertices, patch by patch: the tiles around one are found once for all its vertices.
#include "mesh/vertex_values.h"

#include "base/extremes.h"
#include "grid/sample.h"
#include "mesh/tiles_around.h"

#include <math.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

typedef struct Job {
    const BwPatches *patches;
    const BwFrame *frame;
    const BwFrameField *fields[3];
    BwVec3 *values;
} Job;

// A field around a tile.
typedef struct Source {
    const BwFrame *frame;
    const BwFrameField *field;
    int32_t tiles[27]; // see bw_tiles_around
} Source;

// The sample of a cell counted from the tile's first; false where there is none: centres of cells that are
// not live hold nothing, faces may be those of a live neighbour.
static bool find_sample(const Source *source, const int cell[3], float *value)
{
    int x = cell[0] + BW_TILE, y = cell[1] + BW_TILE, z = cell[2] + BW_TILE;
    int32_t tile = source->tiles[(x >> 3) + 3 * (y >> 3) + 9 * (z >> 3)];
    int n = (x & 7) + 8 * (y & 7) + 64 * (z & 7);
    if (tile < 0 ||
        (source->field->location == BW_AT_CELL && !(source->frame->live[tile][n >> 6] >> (n & 63) & 1)))
        return false;
    *value = source->field->values[(size_t)tile * TILE_CELLS + (size_t)n];
    return isfinite(*value);
}

// The eight samples around a place: the first of them, and how far the place is from it.
typedef struct Around {
    int low[3];
    float share[3];
} Around;

// `place` is in cells from the tile's first sample.
static Around samples_around(const float place[3])
{
    Around around;
    for (int a = 0; a < 3; a++) {
        float at = bw_smaller(bw_larger(place[a], -(float)BW_TILE), 2.0f * BW_TILE - 2.0f);
        around.low[a] = (int)(at + BW_TILE) - BW_TILE; // downwards, also below 0
        around.share[a] = at - (float)around.low[a];
    }
    return around;
}

// The mean of the samples by linear weights, of those that are there; 0 without any.
static float interpolate_some(const Source *source, const Around *around)
{
    const float *share = around->share;
    float sum = 0.0f, weights = 0.0f, value;
    for (int c = 0; c < 8; c++) {
        const int cell[3] = {around->low[0] + (c & 1), around->low[1] + (c >> 1 & 1),
                             around->low[2] + (c >> 2)};
        float weight = (c & 1 ? share[0] : 1.0f - share[0]) * (c & 2 ? share[1] : 1.0f - share[1]) *
                       (c & 4 ? share[2] : 1.0f - share[2]);
        if (find_sample(source, cell, &value)) {
            sum += weight * value;
            weights += weight;
        }
    }
    return weights > 0.0f ? sum / weights : 0.0f;
}

static float along_x(const float *first, float share)
{
    return first[0] + share * (first[1] - first[0]);
}

// The same where all are faces of one tile.
static float interpolate_in_tile(const float *first, const float share[3])
{
    float low = along_x(first, share[0]), high = along_x(first + 64, share[0]);
    low += share[1] * (along_x(first + 8, share[0]) - low);
    high += share[1] * (along_x(first + 72, share[0]) - high);
    return low + share[2] * (high - low);
}

static float interpolate(const Source *source, const float place[3])
{
    Around around = samples_around(place);
    const int *low = around.low;
    unsigned last = BW_TILE - 1;
    bool is_within = (unsigned)low[0] < last && (unsigned)low[1] < last && (unsigned)low[2] < last;
    if (!is_within || source->tiles[13] < 0 || source->field->location == BW_AT_CELL)
        return interpolate_some(source, &around);
    const float *first =
        source->field->values + (size_t)source->tiles[13] * TILE_CELLS + low[0] + 8 * low[1] + 64 * low[2];
    float value = interpolate_in_tile(first, around.share);
    return isfinite(value) ? value : interpolate_some(source, &around);
}

static void set_patch(const Job *job, const BwPatch *patch, int component)
{
    const BwFrameField *field = job->fields[component];
    Source source = {.frame = job->frame, .field = field};
    const int32_t tile[3] = {patch->tile.x, patch->tile.y, patch->tile.z};
    bw_tiles_around(job->frame, patch->tile, source.tiles);
    for (int64_t n = patch->first_vertex; n < patch->first_vertex + patch->vertex_count; n++) {
        float place[3];
        for (int a = 0; a < 3; a++)
            place[a] = bw_component(job->patches->places[n], a) -
                       (float)(BW_TILE * (tile[a] - job->patches->lattice->anchor[a])) -
                       bw_location_shift(field->location, a);
        float *out = component == 0   ? &job->values[n].x
                     : component == 1 ? &job->values[n].y
                                      : &job->values[n].z;
        *out = interpolate(&source, place);
    }
}

static void set_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++)
        for (int c = 0; c < 3 && job->patches->list[n].vertex_count > 0; c++)
            set_patch(job, &job->patches->list[n], c);
}

static bool find_fields(Job *job, const char *const names[3])
{
    bool is_found = true;
    for (int c = 0; c < 3; c++) {
        job->fields[c] = bw_frame_field(job->frame, names[c]);
        is_found &= job->fields[c] != NULL;
    }
    return is_found;
}

// Three fields as one attribute.
static void add_attribute(BwVertexValues *values, Job *job, BwFrameAttribute attribute, BwVec3 *block,
                          BwPool *pool)
{
    job->values = block;
    bw_parallel_for(pool, job->patches->count, 4, set_range, job);
    attribute.components = 3;
    attribute.values = (const float *)(const void *)block;
    values->attributes[values->attribute_count++] = attribute;
}

// The velocity of the grid or, in frames that are kept without it, of the particles.
static BwResult add_velocity(BwVertexValues *values, Job *job, BwPool *pool, BwError *err)
{
    static const char *const names[3] = {"u", "v", "w"};
    if (!find_fields(job, names)) {
        BW_TRY(bw_particle_velocity_set(&values->of_particles, job->frame, err));
        if (values->of_particles.fields[0].values == NULL)
            return BW_OK;
        for (int c = 0; c < 3; c++)
            job->fields[c] = &values->of_particles.fields[c];
    }
    BW_TRY(bw_reserve(&values->allocator, (void **)&values->velocities, &values->velocity_capacity,
                      job->patches->vertex_count, sizeof *values->velocities, err));
    add_attribute(values, job, (BwFrameAttribute){.name = "velocity", .unit = "m/s"}, values->velocities,
                  pool);
    return BW_OK;
}

static BwResult add_color(BwVertexValues *values, Job *job, BwPool *pool, BwError *err)
{
    static const char *const names[3] = {"color_r", "color_g", "color_b"};
    if (!find_fields(job, names))
        return BW_OK;
    BW_TRY(bw_reserve(&values->allocator, (void **)&values->colors, &values->color_capacity,
                      job->patches->vertex_count, sizeof *values->colors, err));
    add_attribute(values, job, (BwFrameAttribute){.name = "color", .unit = "1"}, values->colors, pool);
    return BW_OK;
}

BwResult bw_vertex_values_set(BwVertexValues *values, const BwPatches *patches, const BwFrame *frame,
                              BwPool *pool, BwError *err)
{
    Job job = {.patches = patches, .frame = frame};
    values->attribute_count = 0;
    values->of_particles.allocator = values->allocator;
    if (patches->vertex_count == 0)
        return BW_OK;
    BW_TRY(add_velocity(values, &job, pool, err));
    return add_color(values, &job, pool, err);
}

void bw_vertex_values_free(BwVertexValues *values)
{
    const BwAllocator *allocator = &values->allocator;
    bw_free(allocator, values->velocities, (size_t)values->velocity_capacity * sizeof *values->velocities,
            BW_ALIGN);
    bw_free(allocator, values->colors, (size_t)values->color_capacity * sizeof *values->colors, BW_ALIGN);
    bw_particle_velocity_free(&values->of_particles);
    *values = (BwVertexValues){.allocator = values->allocator};
}
