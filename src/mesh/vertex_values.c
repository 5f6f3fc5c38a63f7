// Fields at vertices, patch by patch: the samples around a tile are gathered once for all its vertices.
#include "mesh/vertex_values.h"

#include "grid/sample.h"

#include <math.h>

enum {
    TILE_CELLS = BW_TILE * BW_TILE * BW_TILE,
    RIM = 3,
    SIDE = BW_TILE + 2 * RIM,
    CELLS = SIDE * SIDE * SIDE
};

typedef struct Job {
    const BwPatches *patches;
    const BwFrame *frame;
    const BwFrameField *fields[3];
    BwVec3 *values;
} Job;

// Samples of a field around a tile; NaN where the frame has none.
typedef struct Samples {
    float value[CELLS];
} Samples;

// Centres of cells that are not live hold nothing; faces may be those of a live neighbour.
static float sample_of_tile(const Job *job, const BwFrameField *field, int32_t tile, int n)
{
    bool is_there = field->location != BW_AT_CELL || (job->frame->live[tile][n >> 6] >> (n & 63) & 1);
    return is_there ? field->values[(size_t)tile * TILE_CELLS + (size_t)n] : NAN;
}

static void gather(const Job *job, const BwFrameField *field, BwTileCoord tile, Samples *samples)
{
    int32_t tiles[27];
    for (int n = 0; n < 27; n++)
        tiles[n] = bw_frame_find_tile(
            job->frame, (BwTileCoord){tile.x + n % 3 - 1, tile.y + n / 3 % 3 - 1, tile.z + n / 9 - 1});
    float *value = samples->value;
    for (int k = 0; k < SIDE; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                int x = i - RIM + BW_TILE, y = j - RIM + BW_TILE, z = k - RIM + BW_TILE;
                int32_t found = tiles[(x >> 3) + 3 * (y >> 3) + 9 * (z >> 3)];
                *value++ = found >= 0
                               ? sample_of_tile(job, field, found, (x & 7) + 8 * (y & 7) + 64 * (z & 7))
                               : NAN;
            }
}

// The mean of the samples around a place by linear weights, of those that are there; 0 without any. `place`
// is in cells from the first sample.
static float interpolate(const Samples *samples, const float place[3])
{
    int low[3];
    float share[3], sum = 0.0f, weights = 0.0f;
    for (int a = 0; a < 3; a++) {
        float at = fminf(fmaxf(place[a], 0.0f), (float)(SIDE - 1) - 0.001f);
        low[a] = (int)at;
        share[a] = at - (float)low[a];
    }
    const float *first = samples->value + (low[2] * SIDE + low[1]) * SIDE + low[0];
    for (int c = 0; c < 8; c++) {
        float weight = (c & 1 ? share[0] : 1.0f - share[0]) * (c & 2 ? share[1] : 1.0f - share[1]) *
                       (c & 4 ? share[2] : 1.0f - share[2]);
        float value = first[(c & 1) + SIDE * (c >> 1 & 1) + SIDE * SIDE * (c >> 2)];
        bool is_there = isfinite(value);
        sum += is_there ? weight * value : 0.0f;
        weights += is_there ? weight : 0.0f;
    }
    return weights > 0.0f ? sum / weights : 0.0f;
}

static void set_patch(const Job *job, const BwPatch *patch, int component)
{
    Samples samples;
    const BwFrameField *field = job->fields[component];
    const int32_t tile[3] = {patch->tile.x, patch->tile.y, patch->tile.z};
    gather(job, field, patch->tile, &samples);
    for (int64_t n = patch->first_vertex; n < patch->first_vertex + patch->vertex_count; n++) {
        float place[3];
        for (int a = 0; a < 3; a++)
            place[a] = bw_component(job->patches->places[n], a) -
                       (float)(BW_TILE * (tile[a] - job->patches->lattice->anchor[a]) - RIM) -
                       bw_location_shift(field->location, a);
        float value = interpolate(&samples, place);
        float *out = component == 0   ? &job->values[n].x
                     : component == 1 ? &job->values[n].y
                                      : &job->values[n].z;
        *out = value;
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

// Three fields of a frame as one attribute, where it has them.
static BwResult add_attribute(BwVertexValues *values, Job *job, const char *const names[3], const char *name,
                              const char *unit, BwPool *pool, BwError *err)
{
    bool is_velocity = unit[0] == 'm';
    for (int c = 0; c < 3; c++)
        if ((job->fields[c] = bw_frame_field(job->frame, names[c])) == NULL)
            return BW_OK;
    BwVec3 **block = is_velocity ? &values->velocities : &values->colors;
    BW_TRY(bw_reserve(&values->allocator, (void **)block,
                      is_velocity ? &values->velocity_capacity : &values->color_capacity,
                      job->patches->vertex_count, sizeof **block, err));
    job->values = *block;
    bw_parallel_for(pool, job->patches->count, 4, set_range, job);
    values->attributes[values->attribute_count++] = (BwFrameAttribute){
        .name = name, .unit = unit, .components = 3, .values = (const float *)(const void *)*block};
    return BW_OK;
}

BwResult bw_vertex_values_set(BwVertexValues *values, const BwPatches *patches, const BwFrame *frame,
                              BwPool *pool, BwError *err)
{
    static const char *const velocity[3] = {"u", "v", "w"};
    static const char *const color[3] = {"color_r", "color_g", "color_b"};
    Job job = {.patches = patches, .frame = frame};
    values->attribute_count = 0;
    if (patches->vertex_count == 0)
        return BW_OK;
    BW_TRY(add_attribute(values, &job, velocity, "velocity", "m/s", pool, err));
    return add_attribute(values, &job, color, "color", "1", pool, err);
}

void bw_vertex_values_free(BwVertexValues *values)
{
    const BwAllocator *allocator = &values->allocator;
    bw_free(allocator, values->velocities, (size_t)values->velocity_capacity * sizeof *values->velocities,
            BW_ALIGN);
    bw_free(allocator, values->colors, (size_t)values->color_capacity * sizeof *values->colors, BW_ALIGN);
    *values = (BwVertexValues){.allocator = values->allocator};
}
