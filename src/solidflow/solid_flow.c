// Two sweeps of averages from face to face, then walls are given what they hold. A sweep reads only
// faces known before it and writes only others, and the last step reads what it does not write, so that the
// order of tiles does not matter.
#include "solidflow/solid_flow.h"

#include "domain/near_solids.h"
#include "grid/sample.h"
#include "solid/shape_file.h"
#include <math.h>

enum { SWEEPS = 2 };

// Step for the slope of the distance, in cells.
static const float slope_step = 0.25f;

BwResult bw_solid_flow_create(BwSolidFlow *flow, BwGrid *grid, BwError *err)
{
    *flow = (BwSolidFlow){0};
    BwResult result = BW_OK;
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_mask_create(&flow->known[a], grid, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_mask_create(&flow->front[a], grid, err);
    if (result == BW_OK)
        result = bw_rest_normals_create(&flow->rest, grid, err);
    if (result != BW_OK)
        bw_solid_flow_destroy(flow);
    return result;
}

void bw_solid_flow_destroy(BwSolidFlow *flow)
{
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&flow->known[a]);
        bw_mask_destroy(&flow->front[a]);
    }
    bw_rest_normals_destroy(&flow->rest);
}

typedef struct Job {
    BwSolidFlow *flow;
    const BwDomain *domain;
    BwVelocity *velocity, *scratch;
    const BwSolidPose *solids;
    int solid_count;
    float dt;
    BwRestState rest;
    const BwNearSolids *near; // of the tile at work; NULL: not needed
    BwSolidTurn *turn;        // of a solid of that tile
} Job;

// Closed faces of solids in a tile's layer: those that exist, are not passed, and are no side's own.
static uint64_t closed_bits(const BwDomain *domain, int32_t slot, int axis, int k)
{
    const BwGrid *grid = domain->grid;
    if (!bw_solids_are_near(domain->cut, slot))
        return 0;
    uint64_t held =
        bw_mask_tile(&domain->inflow, slot)[k] | bw_bits_beside(grid, &domain->inflow, slot, 2 * axis, k);
    uint64_t inside = grid->tiles[slot].live[k] & bw_bits_beside(grid, NULL, slot, 2 * axis, k);
    return bw_mask_tile(&domain->face[axis], slot)[k] & ~bw_mask_tile(&domain->flow[axis], slot)[k] & ~held &
           inside;
}

static void start_sweeps(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        for (int a = 0; a < domain->grid->dimension; a++)
            for (int k = 0; k < domain->grid->layers; k++) {
                bw_mask_tile(&job->flow->known[a], slot)[k] =
                    bw_mask_tile(&domain->face[a], slot)[k] & ~closed_bits(domain, slot, a, k);
                bw_mask_tile(&job->flow->front[a], slot)[k] = 0;
            }
    }
}

static void sweep_layer(const Job *job, int32_t slot, int axis, int k)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *known = &job->flow->known[axis];
    uint64_t wanted = closed_bits(job->domain, slot, axis, k) & ~bw_mask_tile(known, slot)[k];
    if (wanted == 0)
        return;
    uint64_t beside[6] = {0}, reached = 0;
    for (int side = 0; side < 2 * grid->dimension; side++)
        reached |= beside[side] = bw_bits_beside(grid, known, slot, side, k);
    BwField *u = &job->velocity->u[axis];
    bw_mask_tile(&job->flow->front[axis], slot)[k] = wanted & reached;
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits), count = 0;
        float sum = 0.0f;
        for (int side = 0; side < 2 * grid->dimension; side++)
            if (beside[side] >> index & 1) {
                sum += bw_value_beside(u, slot, BW_TILE_LAYER * k + index, side);
                count++;
            }
        bw_field_tile(u, slot)[BW_TILE_LAYER * k + index] = sum / (float)count;
    }
}

static void sweep(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                sweep_layer(job, grid->order[n], a, k);
}

static float *axis_of(BwVec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

// Out of the solids, as the distance rises: from the corners of a small tetrahedron, in 2-D of a triangle.
// One of triangles has a slope that need not be measured; in 2-D it may point out of the plane.
static BwVec3 normal_at(const Job *job, const BwSolidPose *solid, BwVec3 point)
{
    static const BwVec3 corners[4] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    static const BwVec3 flat[3] = {{1, 0, 0}, {-0.5f, 0.8660254f, 0}, {-0.5f, -0.8660254f, 0}};
    bool is_flat = job->domain->grid->dimension == 2;
    float step = slope_step * job->domain->grid->cell_size;
    BwVec3 slope = {0};
    float distance;
    if (!is_flat && bw_shape_slope(solid->shape, bw_pose_to_local(solid->pose, point), &slope, &distance))
        return bw_quat_rotate(solid->pose.rotation, slope);
    for (int n = 0; n < (is_flat ? 3 : 4); n++) {
        BwVec3 corner = is_flat ? flat[n] : corners[n];
        BwVec3 at = bw_add(point, bw_mul(corner, step));
        slope = bw_add(slope, bw_mul(corner, bw_solids_distance(job->near->list, job->near->count, at)));
    }
    return bw_length(slope) > 0.0f ? bw_normalize(slope) : slope;
}

// The whole velocity at a face: its own component, and the mean of the four faces around it of each other.
static BwVec3 velocity_at(const Job *job, int32_t slot, int cell, int axis)
{
    int last = 7 << (3 * axis);
    bool is_rim = (cell & last) == 0;
    int32_t slot_below =
        is_rim ? job->domain->grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis]] : slot;
    int below = is_rim ? cell + last : cell - (1 << (3 * axis));
    BwVec3 v = {0};
    for (int a = 0; a < job->domain->grid->dimension; a++) {
        const BwField *u = &job->velocity->u[a];
        *axis_of(&v, a) =
            a == axis ? bw_field_tile(u, slot)[cell]
                      : 0.25f * (bw_field_tile(u, slot)[cell] + bw_value_beside(u, slot, cell, 2 * a + 1) +
                                 bw_field_tile(u, slot_below)[below] +
                                 bw_value_beside(u, slot_below, below, 2 * a + 1));
    }
    return v;
}

static BwRestNormal find_normal(const Job *job, BwVec3 point)
{
    const BwSolidPose *solid = bw_solids_nearest(job->near->list, job->near->count, point);
    if (solid == NULL)
        return (BwRestNormal){.solid = -1};
    return (BwRestNormal){normal_at(job, solid, point), bw_near_solid_index(job->near, solid)};
}

// What a solid makes of a flow at its surface: nothing goes through, and what it does not let slide sticks.
static BwVec3 held_by_solid(const Job *job, BwRestNormal at, BwVec3 point, BwVec3 v)
{
    if (at.solid < 0)
        return v;
    const BwSolidPose *solid = &job->solids[at.solid];
    BwVec3 own = bw_mul(bw_solid_displacement_by(job->turn, solid, point), 1.0f / job->dt),
           past = bw_sub(v, own);
    BwVec3 along = bw_sub(past, bw_mul(at.normal, bw_dot(past, at.normal)));
    return bw_add(own, bw_mul(along, solid->slip));
}

// Faces of a tile's layer that a sweep has filled.
static uint64_t filled_bits(const void *context, int32_t slot, int axis, int k)
{
    const Job *job = context;
    return closed_bits(job->domain, slot, axis, k) & bw_mask_tile(&job->flow->known[axis], slot)[k];
}

// `kept`: the normal that is kept for the face, or where it is to be kept; NULL: it is not.
static void put_right(const Job *job, int32_t slot, int axis, int cell, BwRestNormal *kept)
{
    const BwGrid *grid = job->domain->grid;
    BwVec3 point = bw_sample_position(grid, grid->tiles[slot].coord, cell, job->velocity->u[axis].location);
    BwRestNormal at = job->rest == BW_REST_FOUND ? *kept : find_normal(job, point);
    BwVec3 v = held_by_solid(job, at, point, velocity_at(job, slot, cell, axis));
    bw_field_tile(&job->scratch->u[axis], slot)[cell] = *axis_of(&v, axis);
    if (job->rest == BW_REST_EMPTY)
        *kept = at;
}

static void put_tile_right(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    BwRestNormal *kept = job->rest != BW_REST_NONE ? bw_rest_normals_of(&job->flow->rest, slot) : NULL;
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++)
            for (uint64_t bits = filled_bits(job, slot, a, k); bits != 0; bits &= bits - 1) {
                put_right(job, slot, a, BW_TILE_LAYER * k + __builtin_ctzll(bits), kept);
                kept += kept != NULL;
            }
}

static void put_right_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        if (!bw_solids_are_near(job->domain->cut, slot))
            continue;
        BwNearSolids near;
        if (job->rest != BW_REST_FOUND)
            bw_near_solids_find(&near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
        BwSolidTurn turn = {0};
        Job here = *job;
        here.near = &near;
        here.turn = &turn;
        put_tile_right(&here, slot);
    }
}

static void take_over_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                int32_t slot = grid->order[n];
                float *to = bw_field_tile(&job->velocity->u[a], slot) + BW_TILE_LAYER * k;
                const float *from = bw_field_tile(&job->scratch->u[a], slot) + BW_TILE_LAYER * k;
                for (uint64_t bits = filled_bits(job, slot, a, k); bits != 0; bits &= bits - 1)
                    to[__builtin_ctzll(bits)] = from[__builtin_ctzll(bits)];
            }
}

void bw_extend_into_solids(BwSolidFlow *flow, const BwDomain *domain, BwVelocity *velocity,
                           BwVelocity *scratch, const BwSolidPose *solids, int solid_count, float dt)
{
    Job job = {flow, domain, velocity, scratch, solids, solid_count, dt, BW_REST_NONE, NULL, NULL};
    int32_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 64, start_sweeps, &job);
    for (int n = 0; n < SWEEPS; n++) {
        bw_parallel_for(domain->pool, count, 16, sweep, &job);
        for (int a = 0; a < domain->grid->dimension; a++)
            bw_mask_join(&flow->known[a], &flow->front[a]);
    }
    job.rest = bw_rest_normals_prepare(&flow->rest, domain, solids, solid_count, filled_bits, &job);
    bw_parallel_for(domain->pool, count, 8, put_right_range, &job);
    bw_parallel_for(domain->pool, count, 32, take_over_range, &job);
}

// Cells uncovered in one step are filled this deep, at most.
enum { FILL_SWEEPS_MAX = 64 };

typedef struct Fill {
    BwSolidFlow *flow;
    const BwDomain *domain;
    BwField *const *fields;
    int field_count;
} Fill;

static void start_fill(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Fill *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        for (int k = 0; k < domain->grid->layers; k++) {
            bw_mask_tile(&job->flow->known[0], slot)[k] =
                bw_mask_tile(&domain->open, slot)[k] & ~bw_mask_tile(&domain->swept, slot)[k];
            bw_mask_tile(&job->flow->front[0], slot)[k] = 0;
        }
    }
}

// Which cells of a layer may take what the cell across a side holds.
static uint64_t reach_across(const Fill *job, int32_t slot, int side, int k)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *flow = &job->domain->flow[side / 2];
    uint64_t faces = side % 2 == 0 ? bw_mask_tile(flow, slot)[k] : bw_bits_beside(grid, flow, slot, side, k);
    return faces & bw_bits_beside(grid, &job->flow->known[0], slot, side, k);
}

static bool fill_layer(const Fill *job, int32_t slot, int k)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t wanted =
        bw_mask_tile(&job->domain->open, slot)[k] & ~bw_mask_tile(&job->flow->known[0], slot)[k];
    uint64_t beside[6] = {0}, reached = 0;
    for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++)
        reached |= beside[side] = reach_across(job, slot, side, k);
    bw_mask_tile(&job->flow->front[0], slot)[k] = wanted & reached;
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits), cell = BW_TILE_LAYER * k + index;
        for (int f = 0; f < job->field_count; f++) {
            float sum = 0.0f, count = 0.0f;
            for (int side = 0; side < 2 * grid->dimension; side++)
                if (beside[side] >> index & 1) {
                    sum += bw_value_beside(job->fields[f], slot, cell, side);
                    count += 1.0f;
                }
            bw_field_tile(job->fields[f], slot)[cell] = sum / count;
        }
    }
    return (wanted & reached) != 0;
}

static double fill_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Fill *job = context;
    const BwGrid *grid = job->domain->grid;
    bool has_filled = false;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < grid->layers; k++)
            has_filled |= fill_layer(job, grid->order[n], k);
    return has_filled ? 1.0 : 0.0;
}

void bw_fill_uncovered(BwSolidFlow *flow, const BwDomain *domain, BwField *const *fields, int field_count)
{
    Fill job = {flow, domain, fields, field_count};
    int32_t count = domain->grid->tile_count;
    bw_parallel_for(domain->pool, count, 64, start_fill, &job);
    for (int n = 0; n < FILL_SWEEPS_MAX; n++) {
        if (!(bw_parallel_max(domain->pool, count, 32, fill_range, &job) > 0.0))
            return;
        bw_mask_join(&flow->known[0], &flow->front[0]);
    }
}
