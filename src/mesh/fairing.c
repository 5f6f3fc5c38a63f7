// Rounds of smoothing, and the volume of components.
#include "mesh/fairing.h"

#include "base/extremes.h"

#include <math.h>
#include <string.h>

// The step towards the mean, and Taubin's pass band (section 3 of his paper) at one cell an edge: waves
// longer than some twenty cells are left as they are.
static const float step_in = 0.5f, pass_band = 0.1f;

// Cells: no vertex leaves its place farther than this, and offsets are no larger.
static const float reach = 0.25f, offset_max = 0.1f;

enum { GRAIN = 2048, OFFSET_ROUNDS = 2, SUMS = 3 };

typedef struct Job {
    BwFairing *fairing;
    BwPatches *patches;
    float step;
    const BwVec3 *from; // places before a step, and after it
    BwVec3 *to;
    const double *sums;
} Job;

// The triangles at each vertex. Every edge has two triangles in opposite directions, so that the next corners
// of all triangles at a vertex are its neighbours, each once.
static BwResult list_fans(BwFairing *fairing, const BwPatches *patches, BwError *err)
{
    const BwAllocator *allocator = &fairing->allocator;
    int64_t vertices = patches->vertex_count, corners = 3 * patches->triangle_count;
    BW_TRY(bw_reserve(allocator, (void **)&fairing->fan_start, &fairing->start_capacity, vertices + 2,
                      sizeof *fairing->fan_start, err));
    BW_TRY(bw_reserve(allocator, (void **)&fairing->near, &fairing->near_capacity, corners,
                      sizeof *fairing->near, err));
    BW_TRY(bw_reserve(allocator, (void **)&fairing->after, &fairing->after_capacity, corners,
                      sizeof *fairing->after, err));
    int32_t *start = fairing->fan_start + 1; // while filled, `start` of a vertex is where its next one goes
    memset(fairing->fan_start, 0, (size_t)(vertices + 2) * sizeof *start);
    for (int64_t t = 0; t < patches->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            start[patches->triangles[t][c] + 1]++;
    for (int64_t n = 0; n < vertices; n++)
        start[n + 1] += start[n];
    for (int64_t t = 0; t < patches->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            const int32_t *triangle = patches->triangles[t];
            int32_t at = start[triangle[c]]++;
            fairing->near[at] = triangle[(c + 1) % 3];
            fairing->after[at] = triangle[(c + 2) % 3];
        }
    return BW_OK;
}

static BwResult reserve(BwFairing *fairing, int64_t vertices, BwError *err)
{
    const BwAllocator *allocator = &fairing->allocator;
    BW_TRY(bw_reserve(allocator, (void **)&fairing->still, &fairing->still_capacity, vertices,
                      sizeof *fairing->still, err));
    BW_TRY(bw_reserve(allocator, (void **)&fairing->first, &fairing->first_capacity, vertices,
                      sizeof *fairing->first, err));
    BW_TRY(bw_reserve(allocator, (void **)&fairing->next, &fairing->next_capacity, vertices,
                      sizeof *fairing->next, err));
    BW_TRY(bw_reserve(allocator, (void **)&fairing->normals, &fairing->normal_capacity, vertices,
                      sizeof *fairing->normals, err));
    return bw_reserve(allocator, (void **)&fairing->component, &fairing->component_capacity, vertices,
                      sizeof *fairing->component, err);
}

// A move without its parts across what the vertex is held by.
static BwVec3 free_part(const Job *job, int64_t n, BwVec3 move)
{
    unsigned hold = job->patches->holds[n];
    if (hold & BW_ON_SOLID) {
        BwVec3 normal = job->patches->solid_normals[n];
        move = bw_sub(move, bw_mul(normal, bw_dot(move, normal)));
    }
    return bw_vec3(hold & 1 ? 0.0f : move.x, hold & 2 ? 0.0f : move.y, hold & 4 ? 0.0f : move.z);
}

static BwVec3 within_reach(BwVec3 place, BwVec3 first)
{
    BwVec3 way = bw_sub(place, first);
    float length = bw_length(way);
    return length > reach ? bw_add(first, bw_mul(way, reach / length)) : place;
}

// The flat faces on walls stay as they are but for the vertices beside the surface's, which give way to it.
static void still_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFairing *fairing = job->fairing;
    for (int64_t n = begin; n < end; n++) {
        bool is_still = job->patches->holds[n] & BW_ON_CAP;
        for (int32_t m = fairing->fan_start[n]; m < fairing->fan_start[n + 1] && is_still; m++)
            is_still = job->patches->holds[fairing->near[m]] & BW_ON_CAP;
        fairing->still[n] = is_still;
    }
}

// The mean of the vertices around one. The faces on walls say nothing of where the surface is that they end
// at.
static BwVec3 mean_around(const Job *job, int64_t n)
{
    const BwFairing *fairing = job->fairing;
    const uint8_t *holds = job->patches->holds;
    bool is_cap = holds[n] & BW_ON_CAP;
    BwVec3 sum = bw_vec3(0.0f, 0.0f, 0.0f);
    int count = 0;
    for (int32_t m = fairing->fan_start[n]; m < fairing->fan_start[n + 1]; m++) {
        int32_t near = fairing->near[m];
        if (!is_cap && (holds[near] & BW_ON_CAP))
            continue;
        sum = bw_add(sum, job->from[near]);
        count++;
    }
    return count > 0 ? bw_mul(sum, 1.0f / (float)count) : job->from[n];
}

static void smooth_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        if (job->fairing->still[n])
            continue;
        BwVec3 place = job->from[n], first = job->fairing->first[n];
        BwVec3 move = bw_mul(bw_sub(mean_around(job, n), place), job->step);
        BwVec3 next = bw_add(place, free_part(job, n, move));
        job->to[n] = within_reach(next, first);
    }
}

static void take_step(Job *job, float step, const BwVec3 *from, BwVec3 *to, BwPool *pool)
{
    job->step = step;
    job->from = from;
    job->to = to;
    bw_parallel_for(pool, job->patches->vertex_count, GRAIN, smooth_range, job);
}

// As many cells are smoothed over at every resolution: where edges are shorter, more rounds are needed.
static void smooth(Job *job, int rounds, BwPool *pool)
{
    BwPatches *patches = job->patches;
    BwFairing *fairing = job->fairing;
    size_t bytes = (size_t)patches->vertex_count * sizeof *patches->places;
    int parts = patches->lattice->refine * patches->lattice->refine;
    float step_back = 1.0f / (pass_band / (float)parts - 1.0f / step_in);
    bw_parallel_for(pool, patches->vertex_count, GRAIN, still_range, job);
    memcpy(fairing->first, patches->places, bytes);
    memcpy(fairing->next, patches->places, bytes);
    for (int round = 0; round < rounds * parts; round++) {
        take_step(job, step_in, patches->places, fairing->next, pool);
        take_step(job, step_back, fairing->next, patches->places, pool);
    }
}

// The oldest vertex that a vertex is known to be connected with.
static int32_t root_of(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

// Numbers the connected components, in the order of their first vertices.
static int64_t find_components(BwFairing *fairing, const BwPatches *patches)
{
    int32_t *parent = fairing->component;
    for (int64_t n = 0; n < patches->vertex_count; n++)
        parent[n] = (int32_t)n;
    for (int64_t t = 0; t < patches->triangle_count; t++)
        for (int c = 0; c < 2; c++) {
            int32_t a = root_of(parent, patches->triangles[t][c]),
                    b = root_of(parent, patches->triangles[t][c + 1]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    int32_t count = 0;
    for (int64_t n = 0; n < patches->vertex_count; n++)
        parent[n] = root_of(parent, (int32_t)n);
    for (int64_t n = 0; n < patches->vertex_count; n++) // a root comes before what hangs on it
        parent[n] = parent[n] == n ? count++ : parent[parent[n]];
    return count;
}

static void add_volumes(const Job *job, double *sums, int which)
{
    const BwPatches *patches = job->patches;
    for (int64_t t = 0; t < patches->triangle_count; t++) {
        const int32_t *at = patches->triangles[t];
        BwVec3 a = patches->places[at[0]], b = patches->places[at[1]], c = patches->places[at[2]];
        double x = (double)b.y * (double)c.z - (double)b.z * (double)c.y,
               y = (double)b.z * (double)c.x - (double)b.x * (double)c.z,
               z = (double)b.x * (double)c.y - (double)b.y * (double)c.x;
        sums[SUMS * job->fairing->component[at[0]] + which] +=
            ((double)a.x * x + (double)a.y * y + (double)a.z * z) / 6.0;
    }
}

static void normal_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFairing *fairing = job->fairing;
    const BwVec3 *places = job->patches->places;
    for (int64_t n = begin; n < end; n++) {
        BwVec3 sum = bw_vec3(0.0f, 0.0f, 0.0f);
        for (int32_t m = fairing->fan_start[n]; m < fairing->fan_start[n + 1]; m++)
            sum = bw_add(sum, bw_cross(bw_sub(places[fairing->near[m]], places[n]),
                                       bw_sub(places[fairing->after[m]], places[n])));
        fairing->normals[n] = bw_mul(sum, 0.5f);
    }
}

// The way that a vertex moves by an offset of one cell. Faces on walls and solids stay as they are.
static BwVec3 offset_way(const Job *job, int64_t n)
{
    if (job->patches->holds[n] & (BW_ON_CAP | BW_ON_SOLID))
        return bw_vec3(0.0f, 0.0f, 0.0f);
    return free_part(job, n, bw_normalize(job->fairing->normals[n]));
}

// How much volume an offset gives each component per cell: a vertex that moves takes a third of the triangles
// around it along.
static void add_offset_volumes(const Job *job, double *sums)
{
    for (int64_t n = 0; n < job->patches->vertex_count; n++)
        sums[SUMS * job->fairing->component[n] + 2] +=
            (double)bw_dot(offset_way(job, n), job->fairing->normals[n]) / 3.0;
}

static void offset_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        const double *sums = job->sums + SUMS * job->fairing->component[n];
        double offset = sums[2] > 0.0 ? (sums[0] - sums[1]) / sums[2] : 0.0;
        float most = bw_smaller(bw_larger((float)offset, -offset_max), offset_max);
        job->patches->places[n] = bw_add(job->patches->places[n], bw_mul(offset_way(job, n), most));
    }
}

// Gives every component the volume back that it had.
static void restore_volumes(Job *job, int64_t components, BwPool *pool)
{
    double *sums = job->fairing->sums;
    for (int round = 0; round < OFFSET_ROUNDS; round++) {
        for (int64_t n = 0; n < components; n++)
            sums[SUMS * n + 1] = sums[SUMS * n + 2] = 0.0;
        add_volumes(job, sums, 1);
        bw_parallel_for(pool, job->patches->vertex_count, GRAIN, normal_range, job);
        add_offset_volumes(job, sums);
        bw_parallel_for(pool, job->patches->vertex_count, GRAIN, offset_range, job);
    }
}

BwResult bw_fair_mesh(BwFairing *fairing, BwPatches *patches, int rounds, BwPool *pool, BwError *err)
{
    if (rounds == 0 || patches->vertex_count == 0)
        return BW_OK;
    Job job = {.fairing = fairing, .patches = patches};
    BW_TRY(list_fans(fairing, patches, err));
    BW_TRY(reserve(fairing, patches->vertex_count, err));
    int64_t components = find_components(fairing, patches);
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->sums, &fairing->sum_capacity, SUMS * components,
                      sizeof *fairing->sums, err));
    job.sums = fairing->sums;
    memset(fairing->sums, 0, (size_t)(SUMS * components) * sizeof *fairing->sums);
    add_volumes(&job, fairing->sums, 0);
    smooth(&job, rounds, pool);
    restore_volumes(&job, components, pool);
    return BW_OK;
}

void bw_fairing_free(BwFairing *fairing)
{
    const BwAllocator *allocator = &fairing->allocator;
    bw_free(allocator, fairing->fan_start, (size_t)fairing->start_capacity * sizeof *fairing->fan_start,
            BW_ALIGN);
    bw_free(allocator, fairing->near, (size_t)fairing->near_capacity * sizeof *fairing->near, BW_ALIGN);
    bw_free(allocator, fairing->after, (size_t)fairing->after_capacity * sizeof *fairing->after, BW_ALIGN);
    bw_free(allocator, fairing->still, (size_t)fairing->still_capacity * sizeof *fairing->still, BW_ALIGN);
    bw_free(allocator, fairing->first, (size_t)fairing->first_capacity * sizeof *fairing->first, BW_ALIGN);
    bw_free(allocator, fairing->next, (size_t)fairing->next_capacity * sizeof *fairing->next, BW_ALIGN);
    bw_free(allocator, fairing->normals, (size_t)fairing->normal_capacity * sizeof *fairing->normals,
            BW_ALIGN);
    bw_free(allocator, fairing->component, (size_t)fairing->component_capacity * sizeof *fairing->component,
            BW_ALIGN);
    bw_free(allocator, fairing->sums, (size_t)fairing->sum_capacity * sizeof *fairing->sums, BW_ALIGN);
    *fairing = (BwFairing){.allocator = fairing->allocator};
}
