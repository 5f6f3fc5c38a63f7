// The explicit step, a tile at a time in padded blocks.
#include "operate/momentum.h"

#include "domain/near_solids.h"
#include "domain/solid_faces.h"
#include "grid/block.h"
#include "solid/shape_file.h"

#include <math.h>

enum { BEYOND = 1, SOLID = 2 }; // what closes a cell

// A tile and what is around it.
typedef struct Around {
    _Alignas(BW_ALIGN) float u[3][BW_BLOCK_CELLS];
    float wall[3][BW_BLOCK_CELLS]; // m/s, of solids; only where they are near
    float slip[BW_BLOCK_CELLS];
    float pressure[BW_BLOCK_CELLS];
    uint8_t closed[BW_BLOCK_CELLS]; // one cell around
    bool has_solids;
} Around;

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

static uint8_t closed_by(const BwDomain *domain, int32_t slot, int cell)
{
    if (!bw_bit(domain->grid->tiles[slot].live, cell))
        return BEYOND;
    return bw_bit(bw_mask_tile(&domain->open, slot), cell) ? 0 : SOLID;
}

// The tile beside that a cell from -1 to 8 along an axis is in, and its place there.
static int step_of(int *place)
{
    int step = *place < 0 ? -1 : *place >= BW_TILE ? 1 : 0;
    *place -= BW_TILE * step;
    return step;
}

static void find_closed(const BwDomain *domain, int32_t slot, Around *around)
{
    const BwGrid *grid = domain->grid;
    int origin = bw_block_origin(grid), deep = grid->layers == 1 ? 0 : 1;
    for (int k = -deep; k < grid->layers + deep; k++)
        for (int j = -1; j <= BW_TILE; j++)
            for (int i = -1; i <= BW_TILE; i++) {
                int x = i, y = j, z = k;
                int32_t beside =
                    grid->tiles[slot]
                        .neighbour[bw_neighbour(step_of(&x), step_of(&y), deep > 0 ? step_of(&z) : 0)];
                around->closed[origin + i + BW_BLOCK * j + BW_BLOCK_LAYER * k] =
                    closed_by(domain, beside, x + BW_TILE * y + BW_TILE_LAYER * z);
            }
}

static void look_around(const BwMomentum *momentum, const BwVelocity *from, int32_t slot, Around *around)
{
    const BwDomain *domain = momentum->domain;
    around->has_solids =
        momentum->slip != NULL && domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
    for (int a = 0; a < domain->grid->dimension; a++) {
        bw_block_gather(&from->u[a], slot, around->u[a]);
        if (around->has_solids)
            bw_block_gather(&domain->cut->speed[a], slot, around->wall[a]);
    }
    bw_block_gather(momentum->pressure, slot, around->pressure);
    if (around->has_solids)
        bw_block_gather(momentum->slip, slot, around->slip);
    find_closed(domain, slot, around);
}

// Component `a` one face up or down axis `b`. Behind a wall it is a ghost value, which makes the velocity on
// the wall the wall's where the liquid sticks, and its slope 0 where it slips.
static float beside(const BwDomain *domain, const Around *around, int a, int b, int sign, int at)
{
    int there = at + sign * stride[b];
    uint8_t closed = around->closed[there];
    if (closed == 0 || around->closed[there - stride[a]] == 0)
        return around->u[a][there];
    const BwBoxSide *side = &domain->side[2 * b + (sign > 0)];
    const float speeds[3] = {side->velocity.x, side->velocity.y, side->velocity.z};
    bool is_solid = closed == SOLID && around->has_solids;
    float slip = is_solid ? around->slip[there] : side->slip,
          speed = is_solid ? around->wall[a][there] : speeds[a];
    return (2.0f * slip - 1.0f) * around->u[a][at] + 2.0f * (1.0f - slip) * speed;
}

// What is advected through a face by a velocity, between two values: their mean, and a share of the donor's.
static inline float flux_of(float speed, float low, float high, float donor)
{
    return 0.5f * (speed * (low + high) + donor * fabsf(speed) * (low - high));
}

// The right side of (2) without the body force, times dt.
static float change_at(const BwMomentum *momentum, const Around *around, int a, int at)
{
    const BwDomain *domain = momentum->domain;
    const float *u = around->u[a];
    float h = domain->grid->cell_size, fluxes = 0.0f, bend = 0.0f;
    for (int b = 0; b < domain->grid->dimension; b++) {
        const float *v = around->u[b];
        float low = a == b ? u[at - stride[a]] : beside(domain, around, a, b, -1, at),
              high = a == b ? u[at + stride[a]] : beside(domain, around, a, b, 1, at);
        float below = a == b ? 0.5f * (low + u[at]) : 0.5f * (v[at] + v[at - stride[a]]),
              above =
                  a == b ? 0.5f * (u[at] + high) : 0.5f * (v[at + stride[b]] + v[at + stride[b] - stride[a]]);
        fluxes += flux_of(above, u[at], high, momentum->donor) - flux_of(below, low, u[at], momentum->donor);
        bend += high - 2.0f * u[at] + low;
    }
    float push = around->pressure[at] - around->pressure[at - stride[a]];
    return momentum->dt / h * (momentum->viscosity / h * bend - fluxes - push);
}

typedef struct Job {
    const BwMomentum *momentum;
    const BwVelocity *from;
    BwVelocity *to;
    const BwSolidPose *solids;
    int solid_count;
    BwField *slip;
} Job;

// The faces of a layer between two cells of liquid that move.
static uint64_t inner_bits(const BwMomentum *momentum, int32_t slot, int axis, int k)
{
    const BwDomain *domain = momentum->domain;
    return bw_mask_tile(&momentum->surface->moves[axis], slot)[k] & bw_mask_tile(&domain->fluid, slot)[k] &
           bw_bits_beside(domain->grid, &domain->fluid, slot, 2 * axis, k);
}

static bool has_faces(const BwMomentum *momentum, int32_t slot)
{
    const BwGrid *grid = momentum->domain->grid;
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++)
            if (inner_bits(momentum, slot, a, k) != 0)
                return true;
    return false;
}

static void step_tile(const Job *job, int32_t slot, Around *around)
{
    const BwGrid *grid = job->momentum->domain->grid;
    int origin = bw_block_origin(grid);
    if (!has_faces(job->momentum, slot))
        return;
    look_around(job->momentum, job->from, slot, around);
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++) {
            float *to = bw_field_tile(&job->to->u[a], slot) + BW_TILE_LAYER * k;
            for (uint64_t faces = inner_bits(job->momentum, slot, a, k); faces != 0; faces &= faces - 1) {
                int n = __builtin_ctzll(faces);
                int at = origin + n % BW_TILE + BW_BLOCK * (n / BW_TILE) + BW_BLOCK_LAYER * k;
                to[n] = around->u[a][at] + change_at(job->momentum, around, a, at);
            }
        }
}

static void step_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->momentum->domain->grid;
    Around around;
    for (int64_t n = begin; n < end; n++)
        step_tile(job, grid->order[n], &around);
}

void bw_momentum_step(const BwMomentum *momentum, const BwVelocity *from, BwVelocity *to)
{
    Job job = {.momentum = momentum, .from = from, .to = to};
    bw_parallel_for(momentum->domain->pool, momentum->domain->grid->tile_count, 4, step_range, &job);
}

// The cells of a layer that an outflow's cell is beside.
static uint64_t beside_outflow(const BwDomain *domain, int32_t slot, int side, int k)
{
    return bw_mask_tile(&domain->fluid, slot)[k] &
           bw_bits_beside(domain->grid, &domain->outflow, slot, side, k);
}

static bool has_pressure_outside(const BwMomentum *momentum)
{
    const BwFluidTerms *terms = momentum->domain->terms;
    return !momentum->follows_outflow && terms != NULL && terms->surface != NULL;
}

static bool is_full(const BwMomentum *momentum, int32_t slot, int cell)
{
    return bw_bit(bw_mask_tile(&momentum->surface->full, slot), cell);
}

// m/s along the axis, by the pressure of the cell outside.
static float push_outside(const BwMomentum *momentum, int32_t slot, int cell, int side)
{
    const BwFluidTerms *terms = momentum->domain->terms;
    float h = momentum->domain->grid->cell_size, density = terms->reference > 0.0f ? terms->reference : 1.0f;
    float outside = bw_value_beside(terms->surface, slot, cell, side) / density;
    float push = momentum->dt / h * (bw_field_tile(momentum->pressure, slot)[cell] - outside);
    return side % 2 == 0 ? -push : push;
}

// A face that a cell has towards a side, and the one on its other side along the same axis.
typedef struct FacePair {
    float *face, *other;
} FacePair;

static FacePair faces_of(const Job *job, int32_t slot, int cell, int side)
{
    const BwField *u = &job->to->u[side / 2];
    int high = cell;
    int32_t behind = bw_cell_beside(job->momentum->domain->grid, slot, &high, side | 1);
    float *low_at = &bw_field_tile(u, slot)[cell], *high_at = &bw_field_tile(u, behind)[high];
    return side % 2 == 0 ? (FacePair){low_at, high_at} : (FacePair){high_at, low_at};
}

// Full cells are driven by the pressure, where there is one outside; else, by the paper's rule, all go on as
// they come.
static void drive_side(const Job *job, int32_t slot, int side, int k)
{
    for (uint64_t cells = beside_outflow(job->momentum->domain, slot, side, k); cells != 0;
         cells &= cells - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(cells);
        FacePair pair = faces_of(job, slot, cell, side);
        if (!has_pressure_outside(job->momentum))
            *pair.face = *pair.other;
        else if (is_full(job->momentum, slot, cell))
            *pair.face += push_outside(job->momentum, slot, cell, side);
    }
}

// Surface cells go on as they come; but nothing comes in faster than into the Full cell below them, which the
// pressure drives, nor where there is none. Else what comes in would raise the column, and so push itself on.
static void follow_side(const Job *job, int32_t slot, int side, int k)
{
    const BwMomentum *momentum = job->momentum;
    const BwDomain *domain = momentum->domain;
    for (uint64_t cells = beside_outflow(domain, slot, side, k); cells != 0; cells &= cells - 1) {
        int cell = BW_TILE_LAYER * k + __builtin_ctzll(cells), below = cell;
        int32_t tile = bw_cell_beside(domain->grid, slot, &below, BW_BOTTOM);
        if (is_full(momentum, slot, cell))
            continue;
        FacePair pair = faces_of(job, slot, cell, side);
        bool is_driven = tile != 0 && side / 2 != BW_BOTTOM / 2 && is_full(momentum, tile, below) &&
                         beside_outflow(domain, tile, side, below >> 6) >> (below & 63) & 1;
        float least = is_driven ? *faces_of(job, tile, below, side).face : 0.0f;
        *pair.face =
            side % 2 == 0 ? fminf(*pair.other, fmaxf(least, 0.0f)) : fmaxf(*pair.other, fminf(least, 0.0f));
    }
}

typedef void SideStep(const Job *job, int32_t slot, int side, int k);

static void step_sides(const Job *job, int64_t begin, int64_t end, SideStep *step)
{
    const BwGrid *grid = job->momentum->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int side = 0; side < 2 * grid->dimension; side++)
            for (int k = 0; k < grid->layers; k++)
                step(job, grid->order[n], side, k);
}

static void drive_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    step_sides(context, begin, end, drive_side);
}

static void follow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    step_sides(context, begin, end, follow_side);
}

void bw_momentum_step_outflow(const BwMomentum *momentum, BwVelocity *velocity)
{
    Job job = {.momentum = momentum, .to = velocity};
    BwPool *pool = momentum->domain->pool;
    int32_t tiles = momentum->domain->grid->tile_count;
    bw_parallel_for(pool, tiles, 16, drive_range, &job);
    if (has_pressure_outside(momentum))
        bw_parallel_for(pool, tiles, 16, follow_range, &job);
}

static float slip_at(const Job *job, BwVec3 point)
{
    float deepest = INFINITY, slip = 1.0f;
    for (int s = 0; s < job->solid_count; s++) {
        const BwSolidPose *solid = &job->solids[s];
        float distance = bw_shape_distance(solid->shape, bw_pose_to_local(solid->pose, point));
        if (distance >= deepest)
            continue;
        deepest = distance;
        slip = solid->slip;
    }
    return slip;
}

static void slip_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->momentum->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        const uint64_t *solid = bw_mask_tile(&domain->solid, slot);
        for (int cell = 0; cell < domain->grid->tile_cells; cell++)
            if (bw_bit(solid, cell))
                bw_field_tile(job->slip, slot)[cell] = slip_at(
                    job, bw_sample_position(domain->grid, domain->grid->tiles[slot].coord, cell, BW_AT_CELL));
    }
}

void bw_find_slip(BwField *slip, const BwDomain *domain, const BwSolidPose *solids, int solid_count)
{
    BwMomentum momentum = {.domain = domain};
    Job job = {.momentum = &momentum, .solids = solids, .solid_count = solid_count, .slip = slip};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 4, slip_range, &job);
}
