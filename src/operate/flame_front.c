// Loops over the faces and cells near the front. Most tiles have no slope of phi and are passed over.
#include "operate/flame_front.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "operate/field_math.h"
#include "operate/flame_extinction.h"
#include "operate/front_block.h"

#include <math.h>
#include <string.h>

// Flames are unstable at all lengths but those that their thickness smooths (Landau 1944), at
// a rate that grows as lengths get smaller: unsmoothed, waves of a few cells would take over. So many cells
// times S is what diffuses them, in passes of which there are no more than these.
static const float smoothing_cells = 2.0f;
enum { PASSES_MAX = 16 };

// The second difference over four cells on a curve of a radius of some five cells, in cells.
static const float far_bend_max = 3.0f;

// How deep in the fuel its velocity at the front is read, and twice as deep.
static const float depth_cells = 0.75f;

typedef struct Faces {
    const BwDomain *domain;
    const BwField *phi, *lit; // lit: NULL where all of the front is alight
    const BwVelocity *fuel;
    BwVelocity *velocity;
    BwFrontSide side;
    const BwNotes *notes;
    uint64_t mark;
    float speed;
    void (*of_tile)(const struct Faces *job, int32_t slot, int axis, const float *origin,
                    const float *lit); // one axis
} Faces;

// phi in the low neighbours of a layer's cells along an axis; of one that is not live, the cell's own.
static void low_neighbours(const BwField *phi, int32_t slot, int axis, int k, float *low)
{
    const BwGrid *grid = phi->store.grid;
    const float *own = bw_field_tile(phi, slot) + BW_TILE_LAYER * k;
    uint64_t live = bw_bits_beside(grid, NULL, slot, 2 * axis, k);
    for (int n = 0; n < BW_TILE_LAYER; n++)
        low[n] = live >> n & 1 ? bw_value_beside(phi, slot, BW_TILE_LAYER * k + n, 2 * axis) : own[n];
}

static BwFrontSide side_of(float phi, float low)
{
    return phi + low < 0.0f ? BW_FUEL_SIDE : BW_PRODUCTS_SIDE;
}

// The speed of the flame, or of the gas that it drives, on a face of a cell, where not all of it is alight.
static float speed_on_face(const Faces *job, const float *lit, int n, int axis)
{
    if (lit == NULL)
        return job->speed;
    const float *at = bw_cell_in_block(lit, n);
    return 0.5f * job->speed * (bw_is_lit(at[0]) + bw_is_lit(at[-bw_front_stride[axis]]));
}

static void shift_tile(const Faces *job, int32_t slot, int axis, const float *origin, const float *lit)
{
    const BwGrid *grid = job->domain->grid;
    float *u = bw_field_tile(&job->velocity->u[axis], slot), scale = 1.0f / grid->cell_size;
    for (int n = 0; n < grid->tile_cells; n++) {
        const float *at = bw_cell_in_block(origin, n);
        float low = at[-bw_front_stride[axis]],
              slope = bw_smaller(bw_larger(scale * (at[0] - low), -1.0f), 1.0f);
        if (side_of(at[0], low) == job->side && slope != 0.0f)
            u[n] += speed_on_face(job, lit, n, axis) * slope;
    }
}

// Goes over the tiles in which phi has a slope, with the cells around them.
static void block_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Faces *job = context;
    const BwGrid *grid = job->domain->grid;
    float block[BW_BLOCK_CELLS], lit[BW_BLOCK_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (!bw_front_is_near(grid, bw_field_tile(job->phi, slot)))
            continue;
        bw_block_gather(job->phi, slot, block);
        if (job->lit != NULL)
            bw_block_gather(job->lit, slot, lit);
        for (int a = 0; a < grid->dimension; a++)
            job->of_tile(job, slot, a, block + bw_block_origin(grid),
                         job->lit != NULL ? lit + bw_block_origin(grid) : NULL);
    }
}

void bw_front_shift(const BwDomain *domain, const BwField *phi, const BwField *lit, BwFrontSide side,
                    float speed, BwVelocity *velocity)
{
    Faces job = {.domain = domain,
                 .phi = phi,
                 .lit = lit,
                 .velocity = velocity,
                 .side = side,
                 .speed = speed,
                 .of_tile = shift_tile};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, block_range, &job);
}

// The slope of phi on a face, of length 1 or 0.
static void normal_at(const float *at, int axis, int dimension, float normal[3])
{
    const float *low = at - bw_front_stride[axis];
    float square = 0.0f;
    for (int a = 0; a < 3; a++) {
        int s = bw_front_stride[a];
        normal[a] = a >= dimension ? 0.0f
                    : a == axis    ? at[0] - low[0]
                                   : 0.25f * (at[s] - at[-s] + low[s] - low[-s]);
        square += normal[a] * normal[a];
    }
    float scale = square > 0.0f ? 1.0f / sqrtf(square) : 0.0f;
    for (int a = 0; a < 3; a++)
        normal[a] *= scale;
}

// The fuel's velocity at the place of the front that is nearest to a face: as it goes on from two places in
// the fuel, for what is behind the front is a guess. Where there is none it stays as it is.
static float fuel_at_front(const Faces *job, int32_t slot, int axis, const float place[3],
                           const float normal[3], float u)
{
    const BwMask *valid = &job->domain->face[axis];
    float near = u, deep;
    for (int n = 1; n <= 2; n++) {
        float at[3];
        for (int a = 0; a < 3; a++)
            at[a] = place[a] - (float)n * depth_cells * normal[a];
        if (!bw_sample_local(&job->fuel->u[axis], valid, slot, at, n == 1 ? &near : &deep))
            return near;
    }
    return 2.0f * near - deep;
}

static void front_speed_of_tile(const Faces *job, int32_t slot, int axis, const float *origin,
                                const float *lit)
{
    const BwGrid *grid = job->domain->grid;
    BwLocation location = job->fuel->u[axis].location;
    const float *fuel = bw_field_tile(&job->fuel->u[axis], slot);
    float *u = bw_field_tile(&job->velocity->u[axis], slot), scale = 1.0f / grid->cell_size;
    for (int n = 0; n < grid->tile_cells; n++) {
        const float *at = bw_cell_in_block(origin, n);
        float normal[3], place[3], cells = 0.5f * scale * (at[0] + at[-bw_front_stride[axis]]);
        normal_at(at, axis, grid->dimension, normal);
        for (int a = 0; a < 3; a++)
            place[a] = (float)(n >> 3 * a & 7) + bw_location_shift(location, a) - cells * normal[a];
        if (normal[0] != 0.0f || normal[1] != 0.0f || normal[2] != 0.0f)
            u[n] = fuel_at_front(job, slot, axis, place, normal, fuel[n]) -
                   speed_on_face(job, lit, n, axis) * normal[axis];
    }
}

void bw_front_velocity(const BwDomain *domain, const BwField *phi, const BwField *lit, const BwVelocity *fuel,
                       float speed, BwVelocity *front)
{
    Faces job = {.domain = domain,
                 .phi = phi,
                 .lit = lit,
                 .fuel = fuel,
                 .velocity = front,
                 .speed = speed,
                 .of_tile = front_speed_of_tile};
    bw_velocity_clear(domain, front);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, block_range, &job);
}

typedef struct Noting {
    const BwGrid *grid;
    const BwField *phi;
    BwNotes *notes;
    uint64_t mark;
} Noting;

// Whether fuel is in a tile or near to it.
static bool has_fuel(const BwGrid *grid, const float *phi)
{
    return phi[0] <= 0.0f || bw_front_is_near(grid, phi);
}

static void note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Noting *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        *bw_note(job->notes, slot) = has_fuel(job->grid, bw_field_tile(job->phi, slot)) ? job->mark : 0;
    }
}

void bw_front_note(const BwDomain *domain, const BwField *phi, uint64_t mark, BwNotes *notes)
{
    Noting job = {domain->grid, phi, notes, mark};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, note_range, &job);
}

static void select_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Faces *job = context;
    const BwGrid *grid = job->domain->grid;
    float low[BW_TILE_LAYER];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        if (!has_fuel(grid, phi) || (job->notes != NULL && *bw_note(job->notes, slot) != job->mark))
            continue;
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                const float *from = bw_field_tile(&job->fuel->u[a], slot) + BW_TILE_LAYER * k;
                float *u = bw_field_tile(&job->velocity->u[a], slot) + BW_TILE_LAYER * k;
                uint64_t faces = bw_mask_tile(&job->domain->face[a], slot)[k];
                low_neighbours(job->phi, slot, a, k, low);
                for (int n = 0; n < BW_TILE_LAYER; n++)
                    if ((faces >> n & 1) && side_of(phi[BW_TILE_LAYER * k + n], low[n]) == BW_FUEL_SIDE)
                        u[n] = from[n];
            }
    }
}

void bw_front_select(const BwDomain *domain, const BwField *phi, const BwVelocity *fuel, const BwNotes *notes,
                     uint64_t mark, BwVelocity *velocity)
{
    Faces job = {
        .domain = domain, .phi = phi, .fuel = fuel, .notes = notes, .mark = mark, .velocity = velocity};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, select_range, &job);
}

// How far the curvature of a few cells is from that of more, 1/m: the Laplacian of phi over one cell less
// that over four. Of a front that is smooth as the grid sees it, it is none. Along an axis on which those
// four cells lead past another part of the front nothing can be told.
static float roughness_at(const float *at, int dimension, float h)
{
    float sum = 0.0f;
    for (int a = 0; a < dimension; a++) {
        float near = at[bw_front_stride[a]] + at[-bw_front_stride[a]] - 2.0f * at[0],
              far = at[4 * bw_front_stride[a]] + at[-4 * bw_front_stride[a]] - 2.0f * at[0];
        sum += fabsf(far) < far_bend_max * h ? near - far * (1.0f / 16.0f) : 0.0f;
    }
    return bw_smaller(bw_larger(sum, -h), h) / (h * h);
}

// How far from the front, in cells, phi is smoothed.
static const float smoothed_cells = 1.5f;

typedef struct Smoothing {
    const BwGrid *grid;
    const BwField *from;
    BwField *to;
    BwNotes *near; // of each tile: whether any of it is smoothed
    float amount;  // m^2, of a pass
} Smoothing;

// Tiles that no pass changes are the same in both fields from here on.
static void note_near_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Smoothing *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *from = bw_field_tile(job->from, slot);
        int count = 0;
        for (int n = 0; n < grid->tile_cells; n++)
            count += fabsf(from[n]) < smoothed_cells * grid->cell_size;
        *bw_note(job->near, slot) = count > 0;
        if (count == 0)
            memcpy(bw_field_tile(job->to, slot), from, (size_t)grid->tile_cells * sizeof *from);
    }
}

static void smooth_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Smoothing *job = context;
    const BwGrid *grid = job->grid;
    float block[BW_BLOCK_CELLS], h = grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (*bw_note(job->near, slot) == 0)
            continue;
        const float *from = bw_field_tile(job->from, slot);
        float *to = bw_field_tile(job->to, slot);
        bw_block_gather(job->from, slot, block);
        for (int n = 0; n < grid->tile_cells; n++) {
            const float *at = bw_cell_in_block(block + bw_block_origin(grid), n);
            bool is_front = fabsf(from[n]) < smoothed_cells * h;
            to[n] = is_front ? from[n] + job->amount * roughness_at(at, grid->dimension, h) : from[n];
        }
    }
}

void bw_front_smooth(const BwDomain *domain, BwField *phi, BwField *scratch, BwNotes *notes, float speed,
                     float dt)
{
    int64_t tiles = domain->grid->tile_count;
    float h = domain->grid->cell_size, most = 0.2f * h * h / (float)domain->grid->dimension;
    float amount = smoothing_cells * h * speed * dt;
    int passes = (int)bw_smaller(ceilf(amount / most), (float)PASSES_MAX);
    bw_field_set_background(scratch, bw_field_background(phi));
    for (int n = 0; n < passes; n++) {
        Smoothing job = {domain->grid, phi, scratch, notes, bw_smaller(amount / (float)passes, most)};
        if (n == 0)
            bw_parallel_for(domain->pool, tiles, 16, note_near_range, &job);
        bw_parallel_for(domain->pool, tiles, 8, smooth_range, &job);
        bw_field_swap(phi, scratch);
    }
}

typedef struct Cells {
    const BwDomain *domain;
    const BwField *phi, *from;
    BwField *to;
    float ratio;
    float cells; // over which the share of fuel falls from 1 to 0
} Cells;

static void in_tiles(const Cells *job, BwRangeFn *loop)
{
    bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 32, loop, (void *)job);
}

// Whether any is emitted in a tile or in one beside it.
static bool has_fuel_near(const BwField *share, int32_t slot)
{
    const BwGrid *grid = share->store.grid;
    for (int side = -1; side < 2 * grid->dimension; side++) {
        const float *values =
            bw_field_tile(share, side < 0 ? slot : grid->tiles[slot].neighbour[bw_side_neighbour[side]]);
        int count = 0;
        for (int n = 0; n < grid->tile_cells; n++)
            count += values[n] > 0.0f;
        if (count > 0)
            return true;
    }
    return false;
}

// How far the front is along the axes from a cell that is all fuel, or has none, in cells: behind the first
// cell that is otherwise, of two. Where the front runs along the grid it is exact, where it is aslant the
// lines of equal values still run along it. What is measured from it (operate/distance.h) asks for two cells.
static float cells_to_front(const float *share, int dimension)
{
    const bool is_fuel = share[0] >= 1.0f;
    float nearest = INFINITY;
    for (int axis = 0; axis < dimension; axis++)
        for (int way = -1; way <= 1; way += 2)
            for (int cells = 1; cells <= 2; cells++) {
                float other = share[way * cells * bw_front_stride[axis]],
                      part = is_fuel ? other : 1.0f - other;
                if (part >= 1.0f)
                    continue;
                nearest = bw_smaller(nearest, (float)cells - 0.5f + part);
                break;
            }
    return nearest;
}

// In cells, below 0 in fuel.
static float front_distance(const float *share, int dimension)
{
    if (share[0] > 0.0f && share[0] < 1.0f)
        return 0.5f - share[0];
    float cells = cells_to_front(share, dimension);
    return share[0] >= 1.0f ? -bw_smaller(cells, 2.5f) : cells;
}

static void add_fuel_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwGrid *grid = job->domain->grid;
    float block[BW_BLOCK_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *phi = bw_field_tile(job->to, slot);
        if (!has_fuel_near(job->from, slot))
            continue;
        bw_block_gather(job->from, slot, block);
        for (int n = 0; n < grid->tile_cells; n++) {
            const float *share = bw_cell_in_block(block + bw_block_origin(grid), n);
            phi[n] = bw_smaller(phi[n], front_distance(share, grid->dimension) * grid->cell_size);
        }
    }
}

void bw_front_add_fuel(const BwDomain *domain, BwField *phi, const BwField *share)
{
    in_tiles(&(Cells){.domain = domain, .from = share, .to = phi}, add_fuel_range);
}

static void densities_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *density = bw_field_tile(job->to, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            density[n] = phi[n] < 0.0f ? job->ratio : 1.0f;
    }
}

void bw_front_densities(const BwDomain *domain, const BwField *phi, float ratio, BwField *density)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .to = density, .ratio = ratio}, densities_range);
}

static void share_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    float scale = 1.0f / (job->cells * job->domain->grid->cell_size);
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *share = bw_field_tile(job->to, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            share[n] = bw_smaller(bw_larger(0.5f - scale * phi[n], 0.0f), 1.0f);
    }
}

void bw_front_share(const BwDomain *domain, const BwField *phi, float cells, BwField *share)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .to = share, .cells = cells}, share_range);
}

// The smooth delta function of Osher and Fedkiw 2003, 1/m, over one and a half cells to each side.
static inline float area_at(float phi, float h)
{
    float width = 1.5f * h;
    return fabsf(phi) < width ? 0.5f / width * (1.0f + cosf(3.14159265f * phi / width)) : 0.0f;
}

static void spread_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwDomain *domain = job->domain;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        float *area = bw_field_tile(job->to, slot);
        const uint64_t *open = bw_mask_tile(&domain->open, slot);
        for (int n = 0; n < domain->grid->tile_cells; n++)
            area[n] = bw_bit(open, n) ? area_at(phi[n], domain->grid->cell_size) : 0.0f;
    }
}

void bw_front_spread(const BwDomain *domain, const BwField *phi, BwField *area)
{
    in_tiles(&(Cells){.domain = domain, .phi = phi, .to = area}, spread_range);
}

static double area_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Cells *job = context;
    const BwDomain *domain = job->domain;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = domain->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot),
                    *lit = job->from != NULL ? bw_field_tile(job->from, slot) : NULL;
        const uint64_t *open = bw_mask_tile(&domain->open, slot), *fluid = bw_mask_tile(&domain->fluid, slot);
        for (int n = 0; n < domain->grid->tile_cells; n++)
            if (bw_bit(open, n) && bw_bit(fluid, n))
                sum += (double)(area_at(phi[n], domain->grid->cell_size) *
                                (lit != NULL ? bw_is_lit(lit[n]) : 1.0f));
    }
    return sum;
}

double bw_front_area(const BwDomain *domain, const BwField *phi, const BwField *lit)
{
    Cells job = {.domain = domain, .phi = phi, .from = lit};
    return bw_cell_volume(domain->grid) *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, area_range, &job);
}
