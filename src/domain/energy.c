// Energies are sums in double over tiles, in block order.
#include "domain/energy.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"

typedef struct Job {
    const BwDomain *domain;
    const BwVelocity *velocity;
    const BwMask *cells;
} Job;

// By eight lanes, which the compilers make vectors of.
static double sum_of_squares(const float *restrict u)
{
    float lane[BW_TILE] = {0.0f};
    for (int first = 0; first < BW_TILE_LAYER; first += BW_TILE)
        for (int i = 0; i < BW_TILE; i++)
            lane[i] += u[first + i] * u[first + i];
    double sum = 0.0;
    for (int i = 0; i < BW_TILE; i++)
        sum += (double)lane[i];
    return sum;
}

// Sum of weight u^2 over a layer of faces: 1 between two fluid cells, 1/2 where only one is fluid. Layers
// without gaps, nearly all of them, run without looking at bits.
static double layer_energy(const float *restrict u, const float *restrict open, uint64_t own, uint64_t low)
{
    double lane[BW_TILE] = {0.0};
    if ((own & low) == ~(uint64_t)0 && open == NULL)
        return sum_of_squares(u);
    for (int first = 0; first < BW_TILE_LAYER; first += BW_TILE)
        for (int i = 0; i < BW_TILE; i++) {
            int n = first + i;
            double weight = 0.5 * (double)((int)(own >> n & 1) + (int)(low >> n & 1));
            double share = open != NULL ? (double)open[n] : 1.0;
            lane[i] += weight * share * (double)u[n] * (double)u[n];
        }
    double sum = 0.0;
    for (int i = 0; i < BW_TILE; i++)
        sum += lane[i];
    return sum;
}

static double face_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        bool is_cut = domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
        for (int a = 0; a < grid->dimension; a++) {
            const float *u = bw_field_tile(&job->velocity->u[a], slot);
            const float *open = is_cut ? bw_field_tile(&domain->cut->open[a], slot) : NULL;
            for (int k = 0, n = 0; k < grid->layers; k++, n += BW_TILE_LAYER)
                sum +=
                    layer_energy(u + n, open != NULL ? open + n : NULL, bw_mask_tile(&domain->fluid, slot)[k],
                                 bw_bits_beside(grid, &domain->fluid, slot, 2 * a, k));
        }
    }
    return sum;
}

double bw_kinetic_energy(const BwDomain *domain, const BwVelocity *velocity)
{
    Job job = {domain, velocity, NULL};
    double sum = bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, face_range, &job);
    return 0.5 * sum * bw_cell_volume(domain->grid);
}

static double cell_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        for (int a = 0; a < grid->dimension; a++) {
            const float *u = bw_field_tile(&job->velocity->u[a], slot);
            for (int k = 0, n = 0; k < grid->layers; k++, n += BW_TILE_LAYER) {
                uint64_t bits = bw_mask_tile(job->cells, slot)[k];
                sum += layer_energy(u + n, NULL, bits, bits);
            }
        }
    }
    return sum;
}

double bw_kinetic_energy_at_cells(const BwDomain *domain, const BwVelocity *velocity, const BwMask *cells)
{
    Job job = {domain, velocity, cells};
    double sum = bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, cell_range, &job);
    return 0.5 * sum * bw_cell_volume(domain->grid);
}
