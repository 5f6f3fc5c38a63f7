// Faces take the slope of phi over them for the normal, which is of length one where phi is a distance.
#include "operate/level_grow.h"

#include "base/extremes.h"
#include "domain/measure.h"

#include <math.h>

typedef struct Job {
    const BwField *phi, *open;
    const BwDomain *domain;
    const BwGrid *grid;
    BwVelocity *velocity;
    float band, speed;
} Job;

// The smooth delta function of Osher and Fedkiw 2003, over a cell to each side, times the side of a cell.
static double area_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    float h = job->grid->cell_size;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot), *open = bw_field_tile(job->open, slot);
        for (int n = 0; n < job->grid->tile_cells; n++)
            if (fabsf(phi[n]) < h && bw_bit(job->grid->tiles[slot].live, n))
                sum += (double)(0.5f * open[n] * (1.0f + cosf(3.14159265f * phi[n] / h)));
    }
    return sum;
}

double bw_level_area(const BwField *phi, const BwField *open, const BwDomain *domain)
{
    Job job = {.phi = phi, .open = open, .domain = domain, .grid = domain->grid};
    return bw_cell_volume(domain->grid) / (double)domain->grid->cell_size *
           bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, area_range, &job);
}

static void grow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < grid->dimension; a++) {
            int32_t slot = grid->order[m];
            float *u = bw_field_tile(&job->velocity->u[a], slot);
            const float *phi = bw_field_tile(job->phi, slot);
            for (int n = 0; n < grid->tile_cells; n++) {
                uint64_t live =
                    grid->tiles[slot].live[n >> 6] & bw_bits_beside(grid, NULL, slot, 2 * a, n >> 6);
                if (fabsf(phi[n]) < job->band && (live >> (n & 63) & 1))
                    u[n] +=
                        job->speed * (phi[n] - bw_value_beside(job->phi, slot, n, 2 * a)) / grid->cell_size;
            }
        }
}

void bw_level_grow(BwVelocity *velocity, const BwField *phi, const BwDomain *domain, float band, float speed)
{
    Job job = {.phi = phi,
               .domain = domain,
               .grid = domain->grid,
               .velocity = velocity,
               .band = band,
               .speed = speed};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, grow_range, &job);
}
