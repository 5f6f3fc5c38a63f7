// The filter, and the volume of components.
#include "mesh/fairing.h"

#include "base/extremes.h"
#include "grid/connect.h"

#include <math.h>
#include <string.h>

// The order of the filter's polynomial for a round and an edge as long as a cell; and where it falls to a
// half, in parts of what that order can tell apart: wide enough that no long wave is made smaller.
enum { ORDER_OF_ROUND = 3 };
static const double pass_band = 2.5;

// Cells: no vertex leaves its place farther than this along the surface or across it, and offsets are no
// larger.
static const float reach = 0.25f, offset_max = 0.1f;

enum { GRAIN = 2048, OFFSET_ROUNDS = 6, SUMS = 3 };

typedef struct Job {
    BwFairing *fairing;
    BwPatches *patches;
    float share;          // of the next polynomial in the filter
    const BwVec3 *latest; // what the last polynomial moves vertices by
    BwVec3 *next;         // what the one before it does, and then what the next does
    const BwVec3 *shape;  // places that normals are those of
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
    for (int n = 0; n < BW_FAIRING_MOVES; n++)
        BW_TRY(bw_reserve(allocator, (void **)&fairing->moves[n], &fairing->move_capacity[n], vertices,
                          sizeof *fairing->moves[n], err));
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

// Without a kink, which would show: small moves stay as they are, larger ones come near the bound. `square`
// is the bound's.
static BwVec3 within(BwVec3 move, float square)
{
    float part = bw_dot(move, move) / square, eighth = part * part * part * part;
    return bw_mul(move, 1.0f / sqrtf(sqrtf(sqrtf(1.0f + eighth))));
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

// How far the mean of the vertices around one is from it, of places or of moves, along the ways that are
// free. The faces on walls say nothing of where the surface is that they end at.
static BwVec3 towards_mean(const Job *job, const BwVec3 *values, int64_t n)
{
    const BwFairing *fairing = job->fairing;
    const uint8_t *holds = job->patches->holds;
    const unsigned faces = BW_ON_CAP | BW_ON_SOLID;
    bool is_free = !(holds[n] & faces);
    BwVec3 sum = bw_vec3(0.0f, 0.0f, 0.0f);
    int count = 0;
    for (int32_t m = fairing->fan_start[n]; m < fairing->fan_start[n + 1]; m++) {
        int32_t near = fairing->near[m];
        if (is_free && (holds[near] & faces))
            continue;
        sum = bw_add(sum, bw_sub(values[near], values[n]));
        count++;
    }
    return count > 0 ? free_part(job, n, bw_mul(sum, 1.0f / (float)count)) : sum;
}

// The first polynomial of Chebyshev is the mean of the vertices around.
static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFairing *fairing = job->fairing;
    const BwVec3 none = {0.0f, 0.0f, 0.0f};
    for (int64_t n = begin; n < end; n++) {
        BwVec3 move = fairing->still[n] ? none : towards_mean(job, job->patches->places, n);
        fairing->moves[BW_MOVE_FIRST][n] = fairing->moves[BW_MOVE_ODD][n] = move;
        fairing->moves[BW_MOVE_EVEN][n] = none;
        fairing->moves[BW_MOVE_SUM][n] = bw_mul(move, job->share);
    }
}

// T_(n+1) = 2 t T_n - T_(n-1), where t is the mean around a vertex, written for what they move vertices by.
static void next_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFairing *fairing = job->fairing;
    for (int64_t n = begin; n < end; n++) {
        if (fairing->still[n])
            continue;
        BwVec3 move = bw_add(job->latest[n],
                             bw_add(fairing->moves[BW_MOVE_FIRST][n], towards_mean(job, job->latest, n)));
        job->next[n] = bw_sub(bw_mul(move, 2.0f), job->next[n]);
        BwVec3 *sum = &fairing->moves[BW_MOVE_SUM][n];
        *sum = bw_add(*sum, bw_mul(job->next[n], job->share));
    }
}

// Where the filter alone would put vertices; the first polynomial is no longer needed.
static void filter_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFairing *fairing = job->fairing;
    for (int64_t n = begin; n < end; n++)
        fairing->moves[BW_MOVE_FIRST][n] = bw_add(job->patches->places[n], fairing->moves[BW_MOVE_SUM][n]);
}

static void set_normal(const Job *job, int64_t n)
{
    const BwFairing *fairing = job->fairing;
    const BwVec3 *places = job->shape;
    BwVec3 sum = bw_vec3(0.0f, 0.0f, 0.0f);
    for (int32_t m = fairing->fan_start[n]; m < fairing->fan_start[n + 1]; m++)
        sum = bw_add(sum, bw_cross(bw_sub(places[fairing->near[m]], places[n]),
                                   bw_sub(places[fairing->after[m]], places[n])));
    fairing->normals[n] = bw_mul(sum, 0.5f);
}

static void normal_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    for (int64_t n = begin; n < end; n++)
        set_normal(context, n);
}

// Moves across the smooth surface keep within the reach, and those along it within what that leaves. The
// latter even out slivers and are often the longer ones: bounded together they would keep ripples that are
// far below the reach.
static void move_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwVec3 *places = job->patches->places;
    const float square = reach * reach;
    for (int64_t n = begin; n < end; n++) {
        BwVec3 move = job->fairing->moves[BW_MOVE_SUM][n], normal = bw_normalize(job->fairing->normals[n]);
        BwVec3 across = bw_mul(normal, bw_dot(move, normal)), along = bw_sub(move, across);
        BwVec3 bounded = within(across, square);
        float left = fmaxf(square - bw_dot(bounded, bounded), 1e-6f * square);
        places[n] = bw_add(places[n], free_part(job, n, bw_add(bounded, within(along, left))));
    }
}

// The share of polynomial n in a filter of an order: the series of a step at `edge` in the angle that
// the polynomials are cosines of, with Hamming's window against ripples.
static double share_of(int n, int order, double edge)
{
    const double pi = 3.14159265358979323846;
    double window = 0.54 + 0.46 * cos(pi * n / (order + 1));
    return n == 0 ? edge / pi : window * 2.0 * sin(n * edge) / (n * pi);
}

// As many cells are smoothed over at every resolution: where edges are shorter, the order is higher.
static void smooth(Job *job, int rounds, BwPool *pool)
{
    const BwFairing *fairing = job->fairing;
    int64_t count = job->patches->vertex_count;
    int order = ORDER_OF_ROUND * rounds * job->patches->lattice->refine;
    double edge = fmin(pass_band / order, 1.0) * 3.14159265358979323846, sum = 0.0;
    for (int n = 0; n <= order; n++)
        sum += share_of(n, order, edge);
    bw_parallel_for(pool, count, GRAIN, still_range, job);
    job->share = (float)(share_of(1, order, edge) / sum);
    bw_parallel_for(pool, count, GRAIN, begin_range, job);
    for (int n = 2; n <= order; n++) {
        job->share = (float)(share_of(n, order, edge) / sum);
        job->latest = fairing->moves[n % 2 == 0 ? BW_MOVE_ODD : BW_MOVE_EVEN];
        job->next = fairing->moves[n % 2 == 0 ? BW_MOVE_EVEN : BW_MOVE_ODD];
        bw_parallel_for(pool, count, GRAIN, next_range, job);
    }
    bw_parallel_for(pool, count, GRAIN, filter_range, job);
    job->shape = fairing->moves[BW_MOVE_FIRST];
    bw_parallel_for(pool, count, GRAIN, normal_range, job);
    bw_parallel_for(pool, count, GRAIN, move_range, job);
}

// Numbers the connected components, in the order of their first vertices.
static int64_t find_components(BwFairing *fairing, const BwPatches *patches)
{
    int32_t *parent = fairing->component;
    for (int64_t n = 0; n < patches->vertex_count; n++)
        parent[n] = (int32_t)n;
    for (int64_t t = 0; t < patches->triangle_count; t++)
        for (int c = 0; c < 2; c++)
            bw_roots_join(parent, patches->triangles[t][c], patches->triangles[t][c + 1]);
    int32_t count = 0;
    for (int64_t n = 0; n < patches->vertex_count; n++)
        parent[n] = bw_root_of(parent, (int32_t)n);
    for (int64_t n = 0; n < patches->vertex_count; n++) // a root comes before what hangs on it
        parent[n] = parent[n] == n ? count++ : parent[parent[n]];
    return count;
}

// Lets components that lie in one body share its volume, and bodies that one component lies in: these touch
// by edges of their cells alone.
static BwResult join_bodies(BwFairing *fairing, const BwPatches *patches, const BwBodies *bodies,
                            int64_t *components, BwError *err)
{
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->owner, &fairing->owner_capacity, *components,
                      sizeof *fairing->owner, err));
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->joined, &fairing->joined_capacity,
                      bodies->count, sizeof *fairing->joined, err));
    for (int64_t n = 0; n < *components; n++)
        fairing->owner[n] = -1;
    for (int64_t n = 0; n < bodies->count; n++)
        fairing->joined[n] = (int32_t)n;
    for (int64_t n = 0; n < patches->vertex_count; n++) {
        int32_t body = bw_body_of_vertex(bodies, n), *owner = &fairing->owner[fairing->component[n]];
        if (body >= 0 && *owner >= 0)
            bw_roots_join(fairing->joined, body, *owner);
        *owner = body >= 0 ? body : *owner;
    }
    for (int64_t n = 0; n < patches->vertex_count; n++) {
        int32_t component = fairing->component[n], body = fairing->owner[component];
        fairing->component[n] =
            body >= 0 ? bw_root_of(fairing->joined, body) : (int32_t)bodies->count + component;
    }
    *components += bodies->count;
    return BW_OK;
}

// Of one triangle to its component.
static void add_volume(const Job *job, double *sums, int64_t t, int which)
{
    const BwPatches *patches = job->patches;
    const int32_t *at = patches->triangles[t];
    BwVec3 a = patches->places[at[0]], b = patches->places[at[1]], c = patches->places[at[2]];
    double x = (double)b.y * (double)c.z - (double)b.z * (double)c.y,
           y = (double)b.z * (double)c.x - (double)b.x * (double)c.z,
           z = (double)b.x * (double)c.y - (double)b.y * (double)c.x;
    sums[SUMS * job->fairing->component[at[0]] + which] +=
        ((double)a.x * x + (double)a.y * y + (double)a.z * z) / 6.0;
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
    const BwFairing *fairing = job->fairing;
    for (int64_t m = 0; m < fairing->open_vertex_count; m++) {
        int32_t n = fairing->open_vertices[m];
        sums[SUMS * fairing->component[n] + 2] +=
            (double)bw_dot(offset_way(job, n), fairing->normals[n]) / 3.0;
    }
}

static void open_normal_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        set_normal(job, job->fairing->open_vertices[m]);
}

static void offset_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t n = job->fairing->open_vertices[m];
        const double *sums = job->sums + SUMS * job->fairing->component[n];
        double offset = sums[2] > 0.0 ? (sums[0] - sums[1]) / sums[2] : 0.0;
        float most = bw_smaller(bw_larger((float)offset, -offset_max), offset_max);
        job->patches->places[n] = bw_add(job->patches->places[n], bw_mul(offset_way(job, n), most));
    }
}

// Volumes are met where what is missing or too much is no larger a part of what there is.
static const double met_share = 1e-6;

static bool is_open(const double *sums, int64_t component)
{
    double volume = sums[SUMS * component], off = volume - sums[SUMS * component + 1];
    return fabs(off) > met_share * fabs(volume);
}

static BwResult open_all(BwFairing *fairing, const BwPatches *patches, BwError *err)
{
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->open_vertices, &fairing->open_vertex_capacity,
                      patches->vertex_count, sizeof *fairing->open_vertices, err));
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->open_triangles,
                      &fairing->open_triangle_capacity, patches->triangle_count,
                      sizeof *fairing->open_triangles, err));
    fairing->open_vertex_count = patches->vertex_count;
    fairing->open_triangle_count = patches->triangle_count;
    for (int64_t n = 0; n < patches->vertex_count; n++)
        fairing->open_vertices[n] = (int32_t)n;
    for (int64_t t = 0; t < patches->triangle_count; t++)
        fairing->open_triangles[t] = (int32_t)t;
    return BW_OK;
}

// Leaves out the components that are met: drops take more rounds than the large bodies that most of the mesh
// belongs to.
static void keep_open(BwFairing *fairing, const BwPatches *patches)
{
    const int32_t *component = fairing->component;
    int64_t vertices = 0, triangles = 0;
    for (int64_t m = 0; m < fairing->open_vertex_count; m++) {
        int32_t n = fairing->open_vertices[m];
        fairing->open_vertices[vertices] = n;
        vertices += is_open(fairing->sums, component[n]);
    }
    for (int64_t m = 0; m < fairing->open_triangle_count; m++) {
        int32_t t = fairing->open_triangles[m];
        fairing->open_triangles[triangles] = t;
        triangles += is_open(fairing->sums, component[patches->triangles[t][0]]);
    }
    fairing->open_vertex_count = vertices;
    fairing->open_triangle_count = triangles;
}

// Gives every component the volume back that it had.
static BwResult restore_volumes(Job *job, int64_t components, BwPool *pool, BwError *err)
{
    BwFairing *fairing = job->fairing;
    double *sums = fairing->sums;
    job->shape = job->patches->places;
    for (int64_t n = 0; n < components; n++)
        sums[SUMS * n + 1] = INFINITY; // open
    BW_TRY(open_all(fairing, job->patches, err));
    for (int round = 0; round < OFFSET_ROUNDS; round++) {
        for (int64_t n = 0; n < components; n++)
            if (is_open(sums, n))
                sums[SUMS * n + 1] = sums[SUMS * n + 2] = 0.0;
        for (int64_t m = 0; m < fairing->open_triangle_count; m++)
            add_volume(job, sums, fairing->open_triangles[m], 1);
        keep_open(fairing, job->patches);
        if (fairing->open_vertex_count == 0)
            break;
        bw_parallel_for(pool, fairing->open_vertex_count, GRAIN, open_normal_range, job);
        add_offset_volumes(job, sums);
        bw_parallel_for(pool, fairing->open_vertex_count, GRAIN, offset_range, job);
    }
    return BW_OK;
}

// What the mesh has in bodies is to become what these hold.
static void take_volumes(BwFairing *fairing, const BwBodies *bodies)
{
    for (int64_t n = 0; n < bodies->count; n++)
        fairing->sums[SUMS * n] = 0.0;
    for (int64_t n = 0; n < bodies->count; n++)
        fairing->sums[SUMS * bw_root_of(fairing->joined, (int32_t)n)] += bodies->volumes[n];
}

BwResult bw_fair_mesh(BwFairing *fairing, BwPatches *patches, const BwBodies *bodies, const BwClip *clip,
                      int rounds, BwPool *pool, BwError *err)
{
    if (rounds == 0 || patches->vertex_count == 0)
        return BW_OK;
    Job job = {.fairing = fairing, .patches = patches};
    BW_TRY(list_fans(fairing, patches, err));
    BW_TRY(reserve(fairing, patches->vertex_count, err));
    int64_t components = find_components(fairing, patches);
    if (bodies != NULL)
        BW_TRY(join_bodies(fairing, patches, bodies, &components, err));
    BW_TRY(bw_reserve(&fairing->allocator, (void **)&fairing->sums, &fairing->sum_capacity, SUMS * components,
                      sizeof *fairing->sums, err));
    job.sums = fairing->sums;
    memset(fairing->sums, 0, (size_t)(SUMS * components) * sizeof *fairing->sums);
    for (int64_t t = 0; t < patches->triangle_count; t++)
        add_volume(&job, fairing->sums, t, 0);
    if (bodies != NULL)
        take_volumes(fairing, bodies);
    smooth(&job, rounds, pool);
    bw_clip_mesh(clip, patches, pool);
    BW_TRY(restore_volumes(&job, components, pool, err));
    bw_clip_mesh(clip, patches, pool);
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
    for (int n = 0; n < BW_FAIRING_MOVES; n++)
        bw_free(allocator, fairing->moves[n], (size_t)fairing->move_capacity[n] * sizeof *fairing->moves[n],
                BW_ALIGN);
    bw_free(allocator, fairing->normals, (size_t)fairing->normal_capacity * sizeof *fairing->normals,
            BW_ALIGN);
    bw_free(allocator, fairing->component, (size_t)fairing->component_capacity * sizeof *fairing->component,
            BW_ALIGN);
    bw_free(allocator, fairing->owner, (size_t)fairing->owner_capacity * sizeof *fairing->owner, BW_ALIGN);
    bw_free(allocator, fairing->joined, (size_t)fairing->joined_capacity * sizeof *fairing->joined, BW_ALIGN);
    bw_free(allocator, fairing->open_vertices,
            (size_t)fairing->open_vertex_capacity * sizeof *fairing->open_vertices, BW_ALIGN);
    bw_free(allocator, fairing->open_triangles,
            (size_t)fairing->open_triangle_capacity * sizeof *fairing->open_triangles, BW_ALIGN);
    bw_free(allocator, fairing->sums, (size_t)fairing->sum_capacity * sizeof *fairing->sums, BW_ALIGN);
    *fairing = (BwFairing){.allocator = fairing->allocator};
}
