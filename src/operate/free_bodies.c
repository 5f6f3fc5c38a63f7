// Sums are by part of a tile, then of bodies in the order of parts: the same for any number of workers.
#include "operate/free_bodies.h"

#include "domain/sides.h"
#include "domain/solid_faces.h"
#include "operate/prescribe.h"

BwResult bw_free_bodies_create(BwFreeBodies *bodies, const BwAllocator *allocator, BwGrid *grid, BwError *err)
{
    *bodies = (BwFreeBodies){.allocator = *allocator};
    BW_TRY(bw_mask_create(&bodies->cells, grid, err));
    return bw_components_create(&bodies->components, allocator, grid, err);
}

void bw_free_bodies_destroy(BwFreeBodies *bodies)
{
    const BwAllocator *allocator = &bodies->allocator;
    bw_mask_destroy(&bodies->cells);
    bw_components_destroy(&bodies->components);
    bw_free(allocator, bodies->bound, (size_t)bodies->bound_capacity * sizeof *bodies->bound, BW_ALIGN);
    bw_free(allocator, bodies->sums, (size_t)bodies->sum_capacity * sizeof *bodies->sums, BW_ALIGN);
    *bodies = (BwFreeBodies){0};
}

typedef struct Job {
    BwFreeBodies *bodies;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwInnerChange *change;
    BwVelocity *velocity;
} Job;

static void find_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t word = 0;
            for (int a = 0; a < job->grid->dimension; a++)
                word |= bw_mask_tile(&job->change->held[a], slot)[k] |
                        bw_bits_beside(job->grid, &job->change->held[a], slot, 2 * a + 1, k);
            bw_mask_tile(&job->bodies->cells, slot)[k] = word & job->grid->tiles[slot].live[k];
        }
    }
}

// The cells of a layer that have a face of a mask, on either side.
static uint64_t beside_faces(const Job *job, const BwMask *faces, int32_t slot, int axis, int k)
{
    return bw_mask_tile(faces, slot)[k] | bw_bits_beside(job->grid, faces, slot, 2 * axis + 1, k);
}

static uint64_t beside_closed_faces(const Job *job, int32_t slot, int axis, int k)
{
    const BwMask *face = &job->domain->face[axis], *flow = &job->domain->flow[axis];
    uint64_t low = bw_mask_tile(face, slot)[k] & ~bw_mask_tile(flow, slot)[k],
             high = bw_bits_beside(job->grid, face, slot, 2 * axis + 1, k) &
                    ~bw_bits_beside(job->grid, flow, slot, 2 * axis + 1, k);
    return low | high;
}

// The cells of a layer, out of some, that solids cut a face of.
static uint64_t cut_cells(const Job *job, int32_t slot, int axis, int k, uint64_t cells)
{
    const struct BwSolidFaces *cut = job->domain->cut;
    uint64_t found = 0;
    for (uint64_t bits = cells; bits != 0; bits &= bits - 1) {
        int cell = 64 * k + __builtin_ctzll(bits);
        bool is_cut = bw_field_tile(&cut->open[axis], slot)[cell] < 1.0f ||
                      bw_value_beside(&cut->open[axis], slot, cell, 2 * axis + 1) < 1.0f;
        found |= is_cut ? bits & (~bits + 1) : 0;
    }
    return found;
}

// The cells of a layer that lie at sides of the box across an axis which are closed, and slid along.
static uint64_t sliding_cells(const Job *job, int32_t slot, int axis, int k)
{
    uint64_t cells = 0;
    for (int side = 2 * axis; side < 2 * axis + 2 && job->grid->has_bounds; side++)
        if (job->domain->side[side].slip >= 1.0f && job->grid->period[axis] == 0)
            cells |= bw_side_cells(job->domain, slot, side, k).closed;
    return cells;
}

// The cells of a layer that walls, solids or sources hold, by axis that they are held along. Walls that they
// slide along hold them along the normal.
static void bound_cells(const Job *job, int32_t slot, int k, uint64_t along[3])
{
    const BwDomain *domain = job->domain;
    uint64_t cells = bw_mask_tile(&job->bodies->cells, slot)[k], bound = 0;
    bool has_solids = domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
    for (int a = 0; a < 3; a++)
        along[a] = 0;
    for (int a = 0; a < job->grid->dimension && cells != 0; a++) {
        uint64_t walls = beside_closed_faces(job, slot, a, k);
        for (int side = 2 * a; side < 2 * a + 2; side++) {
            walls |= ~bw_bits_beside(job->grid, NULL, slot, side, k);
            bound |= bw_bits_beside(job->grid, &domain->inflow, slot, side, k) |
                     bw_bits_beside(job->grid, &domain->outflow, slot, side, k) |
                     bw_bits_beside(job->grid, &domain->solid, slot, side, k);
        }
        along[a] = walls;
        bound |= (walls & cells) != 0 ? walls & ~sliding_cells(job, slot, a, k) : 0;
        if (domain->prescribed != NULL && domain->prescribed->has_any)
            bound |= beside_faces(job, &domain->prescribed->face[a], slot, a, k);
        if (has_solids)
            bound |= cut_cells(job, slot, a, k, cells);
    }
    for (int a = 0; a < 3; a++)
        along[a] = cells & (along[a] | bound);
}

static void mark_bound(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers && bw_tile_has_parts(&job->bodies->components, slot); k++) {
            uint64_t along[3];
            bound_cells(job, slot, k, along);
            for (int a = 0; a < job->grid->dimension; a++)
                for (uint64_t bits = along[a]; bits != 0; bits &= bits - 1)
                    job->bodies
                        ->bound[bw_part_of(&job->bodies->components, slot, 64 * k + __builtin_ctzll(bits))] |=
                        (uint8_t)(1 << a);
        }
    }
}

// Whether a cell belongs to a body that is free along an axis, and to which.
static bool find_body(const Job *job, int32_t slot, int cell, int axis, int32_t *body)
{
    if (!bw_bit(bw_mask_tile(&job->bodies->cells, slot), cell))
        return false;
    *body = job->bodies->components.parent[bw_part_of(&job->bodies->components, slot, cell)];
    return (job->bodies->bound[*body] >> axis & 1) == 0;
}

// Whether all of a tile is one part of a body that something holds along an axis, or empty, as most tiles
// are.
static bool is_settled(const BwFreeBodies *bodies, int32_t slot, int axis)
{
    const uint64_t *tile = bw_note(&bodies->components.parts, slot);
    return tile[BW_FIRST_LABEL] == bw_no_part ||
           (tile[BW_FIRST_LABEL] == bw_one_part &&
            bodies->bound[bodies->components.parent[tile[BW_FIRST_PART]]] >> axis & 1);
}

static void sum_tile(const Job *job, int32_t slot, int axis)
{
    const float *weight = bw_field_tile(&job->change->weight->u[axis], slot),
                *before = bw_field_tile(&job->change->before->u[axis], slot),
                *u = bw_field_tile(&job->velocity->u[axis], slot);
    for (int k = 0; k < job->grid->layers; k++)
        for (uint64_t bits = bw_mask_tile(&job->change->held[axis], slot)[k]; bits != 0; bits &= bits - 1) {
            int face = 64 * k + __builtin_ctzll(bits);
            int32_t body;
            if (!find_body(job, slot, face, axis, &body))
                continue;
            double *sums = job->bodies->sums[bw_part_of(&job->bodies->components, slot, face)] + 2 * axis;
            sums[0] += (double)weight[face] * ((double)u[face] - (double)before[face]);
            sums[1] += (double)weight[face];
        }
}

static void sum_change(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < job->grid->dimension; a++)
            if (!is_settled(job->bodies, job->grid->order[m], a))
                sum_tile(job, job->grid->order[m], a);
}

static BwResult reserve(BwFreeBodies *bodies, int64_t part_count, BwError *err)
{
    BW_TRY(bw_reserve(&bodies->allocator, (void **)&bodies->bound, &bodies->bound_capacity, part_count + 1,
                      sizeof *bodies->bound, err));
    return bw_reserve(&bodies->allocator, (void **)&bodies->sums, &bodies->sum_capacity, part_count + 1,
                      sizeof *bodies->sums, err);
}

// What holds bodies, by their first part.
static void bind_bodies(const BwFreeBodies *bodies, int32_t part_count)
{
    for (int32_t n = 0; n < part_count; n++)
        bodies->bound[bodies->components.parent[n]] |= bodies->bound[n];
}

// The sums of bodies, by their first part.
static void add_up_bodies(const BwFreeBodies *bodies, int32_t part_count)
{
    for (int32_t n = 0; n < part_count; n++)
        for (int c = 0; c < 6 && bodies->components.parent[n] != n; c++)
            bodies->sums[bodies->components.parent[n]][c] += bodies->sums[n][c];
}

static void slow_tile(const Job *job, int32_t slot, int axis)
{
    float *u = bw_field_tile(&job->velocity->u[axis], slot);
    for (int k = 0; k < job->grid->layers; k++) {
        uint64_t faces =
            bw_mask_tile(&job->change->held[axis], slot)[k] |
            (bw_mask_tile(&job->domain->face[axis], slot)[k] & bw_mask_tile(&job->bodies->cells, slot)[k]);
        for (uint64_t bits = faces; bits != 0; bits &= bits - 1) {
            int face = 64 * k + __builtin_ctzll(bits);
            int32_t body;
            if (!find_body(job, slot, face, axis, &body))
                continue;
            const double *sums = job->bodies->sums[body] + 2 * axis;
            u[face] -= sums[1] > 0.0 ? (float)(sums[0] / sums[1]) : 0.0f;
        }
    }
}

static void slow_bodies(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < job->grid->dimension; a++)
            if (!is_settled(job->bodies, job->grid->order[m], a))
                slow_tile(job, job->grid->order[m], a);
}

BwResult bw_free_bodies_keep_momentum(BwFreeBodies *bodies, const BwDomain *domain,
                                      const BwInnerChange *change, BwVelocity *velocity, BwError *err)
{
    Job job = {bodies, domain, domain->grid, change, velocity};
    int64_t tiles = domain->grid->tile_count;
    bw_parallel_for(domain->pool, tiles, 32, find_cells, &job);
    BW_TRY(bw_components_find(&bodies->components, &bodies->cells, domain, err));
    int32_t part_count = bodies->components.part_count;
    BW_TRY(reserve(bodies, part_count, err));
    memset(bodies->bound, 0, (size_t)part_count * sizeof *bodies->bound);
    memset(bodies->sums, 0, (size_t)part_count * sizeof *bodies->sums);
    bw_parallel_for(domain->pool, tiles, 32, mark_bound, &job);
    bind_bodies(bodies, part_count);
    bw_parallel_for(domain->pool, tiles, 32, sum_change, &job);
    add_up_bodies(bodies, part_count);
    bw_parallel_for(domain->pool, tiles, 32, slow_bodies, &job);
    return BW_OK;
}
