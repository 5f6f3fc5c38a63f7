// Fields at vertices, patch by patch: the tiles around one are found once for all its vertices.
#include "mesh/vertex_values.h"

#include "base/extremes.h"
#include "grid/sample.h"
#include "mesh/tiles_around.h"

#include <math.h>
#include <string.h>

enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE };

typedef struct Job {
    const BwPatches *patches;
    const BwFrame *frame;
    int components;
    const BwFrameField *fields[3];
    const BwFrameField *others[3]; // where those have no value; or NULL
    float *values;
} Job;

// A field around a tile.
typedef struct Source {
    const BwFrame *frame;
    const BwFrameField *field;
    const int32_t *tiles; // 27, see bw_tiles_around
} Source;

// The eight samples around a place: the first of them, counted from the tile's, and how far the place is from
// it; and where they are in fields. -1: there is none.
typedef struct Around {
    int low[3];
    float share[3];
    int64_t at[8];
    float weight[8];
} Around;

// The sample of a cell counted from the tile's first: centres of cells that are not live hold nothing, faces
// may be those of a live neighbour.
static int64_t sample_of(const Source *source, int x, int y, int z)
{
    int32_t tile = source->tiles[(x >> 3) + 1 + 3 * ((y >> 3) + 1) + 9 * ((z >> 3) + 1)];
    int n = (x & 7) + 8 * (y & 7) + 64 * (z & 7);
    if (tile < 0 ||
        (source->field->location == BW_AT_CELL && !(source->frame->live[tile][n >> 6] >> (n & 63) & 1)))
        return -1;
    return (int64_t)tile * TILE_CELLS + n;
}

// `place` is in cells from the tile's first sample.
static void find_around(Around *around, const float place[3])
{
    for (int a = 0; a < 3; a++) {
        float at = bw_smaller(bw_larger(place[a], -(float)BW_TILE), 2.0f * BW_TILE - 2.0f);
        around->low[a] = (int)(at + BW_TILE) - BW_TILE; // downwards, also below 0
        around->share[a] = at - (float)around->low[a];
    }
}

static void list_samples(Around *around, const Source *source)
{
    const float *share = around->share;
    const float along[3][2] = {
        {1.0f - share[0], share[0]}, {1.0f - share[1], share[1]}, {1.0f - share[2], share[2]}};
    for (int c = 0; c < 8; c++) {
        int i = c & 1, j = c >> 1 & 1, k = c >> 2;
        around->weight[c] = along[0][i] * along[1][j] * along[2][k];
        around->at[c] = sample_of(source, around->low[0] + i, around->low[1] + j, around->low[2] + k);
    }
}

// The mean of the samples by linear weights, of those that are there; false without any.
static bool mean_of_some(const float *values, const Around *around, float *mean)
{
    float sum = 0.0f, weights = 0.0f;
    for (int c = 0; c < 8; c++) {
        float value = around->at[c] >= 0 ? values[around->at[c]] : INFINITY;
        if (isfinite(value)) {
            sum += around->weight[c] * value;
            weights += around->weight[c];
        }
    }
    *mean = weights > 0.0f ? sum / weights : 0.0f;
    return weights > 0.0f;
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

// All eight are faces of the tile.
static bool is_in_tile(const Source *source, const int low[3])
{
    unsigned last = BW_TILE - 1;
    bool is_within = (unsigned)low[0] < last && (unsigned)low[1] < last && (unsigned)low[2] < last;
    return is_within && source->tiles[13] >= 0 && source->field->location != BW_AT_CELL;
}

static bool interpolate(const Source *source, Around *around, float *value)
{
    const int *low = around->low;
    if (is_in_tile(source, low)) {
        const float *first = source->field->values + (size_t)source->tiles[13] * TILE_CELLS + low[0] +
                             8 * low[1] + 64 * low[2];
        *value = interpolate_in_tile(first, around->share);
        if (isfinite(*value))
            return true;
    }
    list_samples(around, source);
    return mean_of_some(source->field->values, around, value);
}

// What is around a vertex of a patch.
static void look_around(const Job *job, const Source *source, const BwPatch *patch, int64_t vertex,
                        Around *around)
{
    const int32_t tile[3] = {patch->tile.x, patch->tile.y, patch->tile.z};
    float place[3];
    for (int a = 0; a < 3; a++)
        place[a] = bw_component(job->patches->places[vertex], a) -
                   (float)(BW_TILE * (tile[a] - job->patches->lattice->anchor[a])) -
                   bw_location_shift(source->field->location, a);
    find_around(around, place);
}

// The values of all components at a vertex. Those at centres of cells have the same samples.
static void set_vertex(const Job *job, Source *source, const BwPatch *patch, int64_t vertex)
{
    float *values = &job->values[job->components * vertex];
    Around around, centres;
    bool has_centres = false;
    for (int c = 0; c < job->components; c++) {
        bool is_found;
        source->field = job->fields[c];
        if (source->field->location == BW_AT_CELL) {
            if (!has_centres) {
                look_around(job, source, patch, vertex, &centres);
                list_samples(&centres, source);
            }
            has_centres = true;
            is_found = mean_of_some(source->field->values, &centres, &values[c]);
        } else {
            look_around(job, source, patch, vertex, &around);
            is_found = interpolate(source, &around, &values[c]);
        }
        if (is_found || job->others[c] == NULL)
            continue;
        source->field = job->others[c];
        look_around(job, source, patch, vertex, &around);
        interpolate(source, &around, &values[c]);
    }
}

static void set_patch(const Job *job, const BwPatch *patch)
{
    int32_t tiles[27];
    bw_tiles_around(job->frame, patch->tile, tiles);
    Source source = {.frame = job->frame, .tiles = tiles};
    for (int64_t n = patch->first_vertex; n < patch->first_vertex + patch->vertex_count; n++)
        set_vertex(job, &source, patch, n);
}

static void set_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++)
        if (job->patches->list[n].vertex_count > 0)
            set_patch(job, &job->patches->list[n]);
}

static bool find_fields(Job *job, const char *const *names, int count)
{
    bool is_found = true;
    job->components = count;
    for (int c = 0; c < count; c++) {
        job->fields[c] = bw_frame_field(job->frame, names[c]);
        is_found &= job->fields[c] != NULL;
    }
    return is_found;
}

// The fields of the job as one attribute.
static BwResult add_attribute(BwVertexValues *values, Job *job, const char *name, const char *unit,
                              BwPool *pool, BwError *err)
{
    int n = values->attribute_count;
    BW_TRY(bw_reserve(&values->allocator, (void **)&values->values[n], &values->capacities[n],
                      job->patches->vertex_count * job->components, sizeof *values->values[n], err));
    job->values = values->values[n];
    bw_parallel_for(pool, job->patches->count, 4, set_range, job);
    values->attributes[n] = (BwFrameAttribute){
        .name = name, .unit = unit, .components = job->components, .values = values->values[n]};
    values->attribute_count++;
    return BW_OK;
}

// The velocity of the particles around, or of the grid where there are none: faces beyond the liquid have
// none.
static BwResult add_velocity(BwVertexValues *values, Job *job, BwPool *pool, BwError *err)
{
    static const char *const names[3] = {"u", "v", "w"};
    bool has_grid = find_fields(job, names, 3);
    BW_TRY(bw_particle_velocity_set(&values->of_particles, job->frame, err));
    bool has_particles = values->of_particles.fields[0].values != NULL;
    for (int c = 0; c < 3 && has_particles; c++) {
        job->others[c] = has_grid ? job->fields[c] : NULL;
        job->fields[c] = &values->of_particles.fields[c];
    }
    if (has_grid || has_particles)
        BW_TRY(add_attribute(values, job, "velocity", "m/s", pool, err));
    memset(job->others, 0, sizeof job->others);
    return BW_OK;
}

// What liquids carry, where they do.
static BwResult add_carried(BwVertexValues *values, Job *job, BwPool *pool, BwError *err)
{
    static const char *const color[3] = {"color_r", "color_g", "color_b"};
    static const char *const temperature = "temperature", *const age = "age";
    if (find_fields(job, color, 3))
        BW_TRY(add_attribute(values, job, "color", "1", pool, err));
    if (find_fields(job, &temperature, 1))
        BW_TRY(add_attribute(values, job, temperature, "K", pool, err));
    return find_fields(job, &age, 1) ? add_attribute(values, job, age, "s", pool, err) : BW_OK;
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
    return add_carried(values, &job, pool, err);
}

void bw_vertex_values_free(BwVertexValues *values)
{
    const BwAllocator *allocator = &values->allocator;
    for (int n = 0; n < 4; n++)
        bw_free(allocator, values->values[n], (size_t)values->capacities[n] * sizeof *values->values[n],
                BW_ALIGN);
    bw_particle_velocity_free(&values->of_particles);
    *values = (BwVertexValues){.allocator = values->allocator};
}
