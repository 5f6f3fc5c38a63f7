// Prescribed velocities, tile by tile.
#include "operate/prescribe.h"

#include "domain/solid_faces.h"
#include <math.h>
#include <string.h>

BwResult bw_prescribed_create(BwPrescribed *prescribed, BwGrid *grid, BwError *err)
{
    *prescribed = (BwPrescribed){0};
    BwResult result = bw_mask_create(&prescribed->unbalanced, grid, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++)
        result = bw_mask_create(&prescribed->face[a], grid, err);
    if (result != BW_OK)
        bw_prescribed_destroy(prescribed);
    return result;
}

void bw_prescribed_destroy(BwPrescribed *prescribed)
{
    bw_mask_destroy(&prescribed->unbalanced);
    for (int a = 0; a < 3; a++)
        bw_mask_destroy(&prescribed->face[a]);
}

void bw_prescribed_clear(BwPrescribed *prescribed, const BwDomain *domain)
{
    const BwGrid *grid = domain->grid;
    size_t bytes = (size_t)grid->layers * sizeof(uint64_t);
    prescribed->has_any = false;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int a = 0; a < grid->dimension; a++)
            memset(bw_mask_tile(&prescribed->face[a], grid->order[n]), 0, bytes);
}

typedef struct Job {
    BwPrescribed *prescribed;
    const BwDomain *domain;
    const BwVelocity *velocity;
    const BwPrescription *prescription;
} Job;

static bool is_within(const BwBox *box, BwVec3 p)
{
    return p.x >= box->low.x && p.y >= box->low.y && p.z >= box->low.z && p.x <= box->high.x &&
           p.y <= box->high.y && p.z <= box->high.z;
}

// Covered by as little as a hundredth, a face has the source's velocity. At a soft edge the flow is no faster
// than the fluid takes it up.
static float least_covered(const BwStamp *stamp, const BwGrid *grid)
{
    return bw_stamp_is_soft(stamp, grid) ? 1.0f : 0.01f;
}

static void prescribe_tile(const Job *job, int axis, float value, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    const BwField *field = &job->velocity->u[axis];
    float found[BW_TILE_CELLS_MAX], least = least_covered(job->prescription->stamp, grid);
    const float *coverage = bw_stamp_coverage(job->prescription->stamp, grid, slot, field->location, found);
    if (coverage == NULL)
        return;
    float *u = bw_field_tile(field, slot);
    const uint64_t *flow = bw_mask_tile(&job->domain->flow[axis], slot);
    uint64_t *prescribed = bw_mask_tile(&job->prescribed->face[axis], slot);
    for (int n = 0; n < grid->tile_cells; n++) {
        BwVec3 point = bw_sample_position(grid, grid->tiles[slot].coord, n, field->location);
        if (coverage[n] < least || !bw_bit(flow, n) || !is_within(&job->prescription->within, point))
            continue;
        u[n] = value;
        prescribed[n >> 6] |= (uint64_t)1 << (n & 63);
    }
}

static void prescribe_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwVec3 v = job->prescription->velocity;
    const float value[3] = {v.x, v.y, v.z};
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < job->domain->grid->dimension; a++)
            prescribe_tile(job, a, value[a], job->domain->grid->order[n]);
}

// Solids nearer than this, in cells, leave no room for what they push away beside prescribed faces: there the
// pressure is free to change all.
static const float clearance = 4.0f;

static bool is_cut(const BwDomain *domain, int32_t slot, int n)
{
    if (bw_bit(bw_mask_tile(&domain->solid, slot), n))
        return true;
    for (int a = 0; a < domain->grid->dimension; a++)
        if (bw_field_tile(&domain->cut->open[a], slot)[n] < 1.0f)
            return true;
    return false;
}

static bool meets_solids(const BwDomain *domain, const BwStamp *stamp)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count && domain->cut != NULL; m++) {
        int32_t slot = grid->order[m];
        BwTileCoord coord = grid->tiles[slot].coord;
        if (!bw_stamp_is_near(grid, coord, stamp))
            continue;
        for (int n = 0; n < grid->tile_cells; n++)
            if (is_cut(domain, slot, n) &&
                bw_stamp_distance(stamp, bw_sample_position(grid, coord, n, BW_AT_CELL)) <
                    clearance * grid->cell_size)
                return true;
    }
    return false;
}

void bw_prescribed_add(BwPrescribed *prescribed, const BwDomain *domain, BwVelocity *velocity,
                       const BwPrescription *prescription)
{
    Job job = {prescribed, domain, velocity, prescription};
    if (meets_solids(domain, prescription->stamp))
        return;
    prescribed->has_any = true;
    for (int a = 0; a < domain->grid->dimension; a++)
        bw_coverage_prepare(domain, prescription->stamp, velocity->u[a].location);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, prescribe_range, &job);
}

// What passes a face per area.
static double flux_at(const Job *job, int axis, int32_t slot, int n)
{
    double u = (double)bw_field_tile(&job->velocity->u[axis], slot)[n];
    const BwSolidFaces *cut = job->domain->cut;
    if (cut == NULL)
        return u;
    double open = (double)bw_field_tile(&cut->open[axis], slot)[n];
    return open * u + (1.0 - open) * (double)bw_field_tile(&cut->speed[axis], slot)[n];
}

static double net_outflow(const Job *job, int32_t slot, int n, double *largest)
{
    const BwGrid *grid = job->domain->grid;
    double net = 0.0;
    *largest = 0.0;
    for (int a = 0; a < grid->dimension; a++) {
        int step = 1 << 3 * a;
        bool is_rim = (n >> 3 * a & 7) == 7;
        double low = flux_at(job, a, slot, n);
        double high =
            is_rim ? flux_at(job, a, grid->tiles[slot].neighbour[bw_side_neighbour[2 * a + 1]], n - 7 * step)
                   : flux_at(job, a, slot, n + step);
        net += high - low;
        *largest = fmax(*largest, fmax(fabs(low), fabs(high)));
    }
    return net;
}

// Fluid cells of a layer that have a prescribed face and no free one.
static uint64_t enclosed(const Job *job, int32_t slot, int k)
{
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    uint64_t free_bits = 0, prescribed_bits = 0;
    for (int a = 0; a < grid->dimension; a++) {
        const BwMask *flow = &domain->flow[a], *prescribed = &job->prescribed->face[a];
        uint64_t low = bw_mask_tile(prescribed, slot)[k],
                 high = bw_bits_beside(grid, prescribed, slot, 2 * a + 1, k);
        prescribed_bits |= low | high;
        free_bits |=
            (bw_mask_tile(flow, slot)[k] & ~low) | (bw_bits_beside(grid, flow, slot, 2 * a + 1, k) & ~high);
    }
    return bw_mask_tile(&domain->fluid, slot)[k] & prescribed_bits & ~free_bits;
}

static void find_unbalanced(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t unbalanced = 0;
            for (uint64_t bits = enclosed(job, slot, k); bits != 0; bits &= bits - 1) {
                int n = __builtin_ctzll(bits);
                double largest, net = net_outflow(job, slot, BW_TILE_LAYER * k + n, &largest);
                unbalanced |= (uint64_t)(fabs(net) > 1e-5 * largest) << n;
            }
            bw_mask_tile(&job->prescribed->unbalanced, slot)[k] = unbalanced;
        }
}

static void release_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    const BwMask *unbalanced = &job->prescribed->unbalanced;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                int32_t slot = grid->order[m];
                bw_mask_tile(&job->prescribed->face[a], slot)[k] &=
                    ~(bw_mask_tile(unbalanced, slot)[k] | bw_bits_beside(grid, unbalanced, slot, 2 * a, k));
            }
}

void bw_prescribed_release(BwPrescribed *prescribed, const BwDomain *domain, const BwVelocity *velocity)
{
    Job job = {prescribed, domain, velocity, NULL};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, find_unbalanced, &job);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, release_faces, &job);
}
