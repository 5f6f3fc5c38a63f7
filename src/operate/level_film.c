// All films are lowered by one number, found by bisection, so that the order of tiles does not matter.
#include "operate/level_film.h"

#include "grid/bits.h"
#include "operate/level_volume.h"

// The number is found to this part of a cell.
enum { HALVINGS = 10 };

// A film is where phi grows this fast away from the wall, in m a m: at the rim of deep water that stands at a
// wall it grows along the wall.
static const float slope_min = 0.7f;

typedef struct Job {
    const BwField *phi;
    BwField *kept;
    const BwDomain *domain;
    const BwGrid *grid;
    float lowered; // m
} Job;

static bool is_open_beside(const Job *job, int32_t slot, int cell, int side)
{
    return bw_bits_beside(job->grid, &job->domain->open, slot, side, cell >> 6) >> (cell & 63) & 1;
}

// Whether a cell outside of the liquid holds a film on what is beside it.
static bool holds_film(const Job *job, int32_t slot, int cell)
{
    float own = bw_field_tile(job->phi, slot)[cell], h = job->grid->cell_size;
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        if (!is_open_beside(job, slot, cell, side) && is_open_beside(job, slot, cell, side ^ 1) &&
            bw_value_beside(job->phi, slot, cell, side ^ 1) - own > slope_min * h)
            return true;
    return false;
}

static void keep_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        const uint64_t *open = bw_mask_tile(&job->domain->open, slot);
        float *kept = bw_field_tile(job->kept, slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            bool is_thin = phi[n] >= 0.0f && phi[n] < job->lowered && bw_bit(open, n);
            kept[n] = is_thin && holds_film(job, slot, n) ? phi[n] - job->lowered : phi[n];
        }
    }
}

static double volume_of(Job *job, const BwField *open, float lowered)
{
    job->lowered = lowered;
    bw_parallel_for(job->domain->pool, job->grid->tile_count, 16, keep_range, job);
    return bw_level_volume(job->kept, open, job->domain);
}

bool bw_level_keep_films(const BwField *phi, BwField *kept, const BwField *open, const BwDomain *domain,
                         double volume)
{
    Job job = {.phi = phi, .kept = kept, .domain = domain, .grid = domain->grid};
    float low = 0.0f, high = 0.5f * domain->grid->cell_size;
    double before = bw_level_volume(phi, open, domain), most = volume_of(&job, open, high);
    for (int n = 0; n < HALVINGS && most > volume; n++) {
        float middle = 0.5f * (low + high);
        if (volume_of(&job, open, middle) > volume)
            high = middle;
        else
            low = middle;
    }
    return volume_of(&job, open, most > volume ? low : high) > before;
}
