// Tiles find their connected parts by themselves, parts are joined to bodies in the order of tiles, and sums
// are by part: the same for any number of workers.
#include "operate/free_bodies.h"

#include "domain/solid_faces.h"
#include "grid/connect.h"
#include "operate/prescribe.h"

enum { FIRST_PART, FIRST_LABEL, TILE_WORDS };

// Instead of the first label: the tile is one part, or holds none.
static const uint64_t one_part = UINT64_MAX, no_part = UINT64_MAX - 1;

BwResult bw_free_bodies_create(BwFreeBodies *bodies, const BwAllocator *allocator, BwGrid *grid, BwError *err)
{
    *bodies = (BwFreeBodies){.allocator = *allocator};
    BW_TRY(bw_mask_create(&bodies->cells, grid, err));
    return bw_notes_create_wide(&bodies->parts, grid, TILE_WORDS, err);
}

void bw_free_bodies_destroy(BwFreeBodies *bodies)
{
    const BwAllocator *allocator = &bodies->allocator;
    bw_mask_destroy(&bodies->cells);
    bw_notes_destroy(&bodies->parts);
    bw_free(allocator, bodies->parent, (size_t)bodies->parent_capacity * sizeof *bodies->parent, BW_ALIGN);
    bw_free(allocator, bodies->labels, (size_t)bodies->label_capacity * sizeof *bodies->labels, BW_ALIGN);
    bw_free(allocator, bodies->is_bound, (size_t)bodies->bound_capacity * sizeof *bodies->is_bound, BW_ALIGN);
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

static bool has_parts(const BwFreeBodies *bodies, int32_t slot)
{
    return bw_note(&bodies->parts, slot)[FIRST_LABEL] != no_part;
}

static int32_t part_of(const BwFreeBodies *bodies, int32_t slot, int cell)
{
    const uint64_t *tile = bw_note(&bodies->parts, slot);
    return (int32_t)tile[FIRST_PART] +
           (tile[FIRST_LABEL] == one_part ? 0 : bodies->labels[tile[FIRST_LABEL] + (uint64_t)cell]);
}

// The faces between two cells of the mask, by axis.
static void find_open_faces(const Job *job, int32_t slot, uint64_t open[3][BW_TILE])
{
    const BwMask *cells = &job->bodies->cells;
    for (int a = 0; a < job->grid->dimension; a++)
        for (int k = 0; k < job->grid->layers; k++)
            open[a][k] = bw_mask_tile(cells, slot)[k] & bw_bits_beside(job->grid, cells, slot, 2 * a, k);
}

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

// Leaves the count in place of the first part.
static void count_parts(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t open[3][BW_TILE] = {{0}}, left[BW_TILE] = {0}, part[BW_TILE], count = 0;
        find_open_faces(job, slot, open);
        memcpy(left, bw_mask_tile(&job->bodies->cells, slot), (size_t)job->grid->layers * sizeof *left);
        while (bw_part_take(open, job->grid->layers, left, part))
            count++;
        bw_note(&job->bodies->parts, slot)[FIRST_PART] = count;
    }
}

static BwResult number_parts(const Job *job, int32_t *part_count, BwError *err)
{
    BwFreeBodies *bodies = job->bodies;
    uint64_t parts = 0, labels = 0;
    for (int32_t m = 0; m < job->grid->tile_count; m++) {
        uint64_t *tile = bw_note(&bodies->parts, job->grid->order[m]), count = tile[FIRST_PART];
        tile[FIRST_PART] = parts;
        tile[FIRST_LABEL] = count == 0 ? no_part : count == 1 ? one_part : labels;
        parts += count;
        labels += count > 1 ? (uint64_t)job->grid->tile_cells : 0;
    }
    *part_count = (int32_t)parts;
    BW_TRY(bw_reserve(&bodies->allocator, (void **)&bodies->parent, &bodies->parent_capacity,
                      (int64_t)parts + 1, sizeof *bodies->parent, err));
    BW_TRY(bw_reserve(&bodies->allocator, (void **)&bodies->labels, &bodies->label_capacity,
                      (int64_t)labels + 1, sizeof *bodies->labels, err));
    BW_TRY(bw_reserve(&bodies->allocator, (void **)&bodies->is_bound, &bodies->bound_capacity,
                      (int64_t)parts + 1, sizeof *bodies->is_bound, err));
    return bw_reserve(&bodies->allocator, (void **)&bodies->sums, &bodies->sum_capacity, (int64_t)parts + 1,
                      sizeof *bodies->sums, err);
}

static void label_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t first = bw_note(&job->bodies->parts, slot)[FIRST_LABEL];
        if (first == one_part || first == no_part)
            continue;
        uint64_t open[3][BW_TILE] = {{0}}, left[BW_TILE] = {0}, part[BW_TILE];
        find_open_faces(job, slot, open);
        memcpy(left, bw_mask_tile(&job->bodies->cells, slot), (size_t)job->grid->layers * sizeof *left);
        for (uint16_t number = 0; bw_part_take(open, job->grid->layers, left, part); number++)
            for (int k = 0; k < job->grid->layers; k++)
                for (uint64_t bits = part[k]; bits != 0; bits &= bits - 1)
                    job->bodies->labels[first + (uint64_t)(64 * k + __builtin_ctzll(bits))] = number;
    }
}

// Joins the parts of a tile to those of the tile before it along an axis.
static void join_tile(const Job *job, int32_t slot, int axis)
{
    static const uint64_t rim[3] = {BW_COLUMN, BW_ROW, ~UINT64_C(0)};
    const BwMask *cells = &job->bodies->cells;
    int layers = axis == 2 ? 1 : job->grid->layers;
    for (int k = 0; k < layers; k++) {
        uint64_t open = bw_mask_tile(cells, slot)[k] & bw_bits_beside(job->grid, cells, slot, 2 * axis, k);
        for (uint64_t bits = open & rim[axis]; bits != 0; bits &= bits - 1) {
            int cell = 64 * k + __builtin_ctzll(bits), other = cell;
            int32_t beside = bw_cell_beside(job->grid, slot, &other, 2 * axis);
            bw_roots_join(job->bodies->parent, part_of(job->bodies, slot, cell),
                          part_of(job->bodies, beside, other));
        }
    }
}

static void join_parts(const Job *job, int32_t part_count)
{
    for (int32_t n = 0; n < part_count; n++)
        job->bodies->parent[n] = n;
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int a = 0; a < job->grid->dimension && has_parts(job->bodies, job->grid->order[m]); a++)
            join_tile(job, job->grid->order[m], a);
    for (int32_t n = 0; n < part_count; n++)
        job->bodies->parent[n] = bw_root_of(job->bodies->parent, n);
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

// The cells of a layer that walls, solids or sources hold.
static uint64_t bound_cells(const Job *job, int32_t slot, int k)
{
    const BwDomain *domain = job->domain;
    uint64_t cells = bw_mask_tile(&job->bodies->cells, slot)[k], bound = 0;
    bool has_solids = domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
    for (int a = 0; a < job->grid->dimension && cells != 0; a++) {
        for (int side = 2 * a; side < 2 * a + 2; side++)
            bound |= ~bw_bits_beside(job->grid, NULL, slot, side, k) |
                     bw_bits_beside(job->grid, &domain->inflow, slot, side, k) |
                     bw_bits_beside(job->grid, &domain->outflow, slot, side, k) |
                     bw_bits_beside(job->grid, &domain->solid, slot, side, k);
        bound |= beside_closed_faces(job, slot, a, k);
        if (domain->prescribed != NULL && domain->prescribed->has_any)
            bound |= beside_faces(job, &domain->prescribed->face[a], slot, a, k);
        if (has_solids)
            bound |= cut_cells(job, slot, a, k, cells);
    }
    return cells & bound;
}

static void mark_bound(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers && has_parts(job->bodies, slot); k++)
            for (uint64_t bits = bound_cells(job, slot, k); bits != 0; bits &= bits - 1)
                job->bodies->is_bound[part_of(job->bodies, slot, 64 * k + __builtin_ctzll(bits))] = true;
    }
}

// Whether a cell belongs to a body in free flight, and to which.
static bool find_body(const Job *job, int32_t slot, int cell, int32_t *body)
{
    if (!bw_bit(bw_mask_tile(&job->bodies->cells, slot), cell))
        return false;
    *body = job->bodies->parent[part_of(job->bodies, slot, cell)];
    return !job->bodies->is_bound[*body];
}

// Whether all of a tile is one part of a body that something holds, or empty, as most tiles are.
static bool is_settled(const BwFreeBodies *bodies, int32_t slot)
{
    const uint64_t *tile = bw_note(&bodies->parts, slot);
    return tile[FIRST_LABEL] == no_part ||
           (tile[FIRST_LABEL] == one_part && bodies->is_bound[bodies->parent[tile[FIRST_PART]]]);
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
            if (!find_body(job, slot, face, &body))
                continue;
            double *sums = job->bodies->sums[part_of(job->bodies, slot, face)] + 2 * axis;
            sums[0] += (double)weight[face] * ((double)u[face] - (double)before[face]);
            sums[1] += (double)weight[face];
        }
}

static void sum_change(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < job->grid->dimension && !is_settled(job->bodies, job->grid->order[m]); a++)
            sum_tile(job, job->grid->order[m], a);
}

// Which bodies something holds, by their first part.
static void bind_bodies(const BwFreeBodies *bodies, int32_t part_count)
{
    for (int32_t n = 0; n < part_count; n++)
        bodies->is_bound[bodies->parent[n]] |= bodies->is_bound[n];
}

// The sums of bodies, by their first part.
static void add_up_bodies(const BwFreeBodies *bodies, int32_t part_count)
{
    for (int32_t n = 0; n < part_count; n++)
        for (int c = 0; c < 6 && bodies->parent[n] != n; c++)
            bodies->sums[bodies->parent[n]][c] += bodies->sums[n][c];
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
            if (!find_body(job, slot, face, &body))
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
        for (int a = 0; a < job->grid->dimension && !is_settled(job->bodies, job->grid->order[m]); a++)
            slow_tile(job, job->grid->order[m], a);
}

BwResult bw_free_bodies_keep_momentum(BwFreeBodies *bodies, const BwDomain *domain,
                                      const BwInnerChange *change, BwVelocity *velocity, BwError *err)
{
    Job job = {bodies, domain, domain->grid, change, velocity};
    int64_t tiles = domain->grid->tile_count;
    int32_t part_count;
    bw_parallel_for(domain->pool, tiles, 32, find_cells, &job);
    bw_parallel_for(domain->pool, tiles, 32, count_parts, &job);
    BW_TRY(number_parts(&job, &part_count, err));
    memset(bodies->is_bound, 0, (size_t)part_count * sizeof *bodies->is_bound);
    memset(bodies->sums, 0, (size_t)part_count * sizeof *bodies->sums);
    bw_parallel_for(domain->pool, tiles, 32, label_cells, &job);
    join_parts(&job, part_count);
    bw_parallel_for(domain->pool, tiles, 32, mark_bound, &job);
    bind_bodies(bodies, part_count);
    bw_parallel_for(domain->pool, tiles, 32, sum_change, &job);
    add_up_bodies(bodies, part_count);
    bw_parallel_for(domain->pool, tiles, 32, slow_bodies, &job);
    return BW_OK;
}
