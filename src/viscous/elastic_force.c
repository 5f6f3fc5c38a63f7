// The impulse of the strain on faces: each tile adds the forces of its own lines to the faces at their ends,
// and those of the surfaces that its faces stick to.
#include "particle/strain.h"
#include "viscous/elastic_scatter.h"
#include "viscous/liquid_fractions.h"

#include <math.h>

// Shear waves that cross so many cells in a step are followed as well as they can be; those that cross so
// many more are only damped.
static const double cells_followed = 2.0, cells_more = 6.0;

// A face with less liquid around it, in cells, is as heavy as this: the strain of few particles must not
// throw it about.
static const float mass_min = 0.5f;

static float fraction_of(const BwLiquidFractions *fractions, const float *values, int n)
{
    return fractions->is_full ? 1.0f : fractions->is_empty ? 0.0f : values[n];
}

// The impulse of the strain at a sample, along an axis.
static float force_at(const BwElasticScatter *job, int32_t slot, int a, int b, int sample)
{
    int value = a == b ? a : BW_STRAIN_SHEAR + 3 - a - b;
    int lattice = a == b ? BW_STRAIN_WEIGHT : BW_STRAIN_EDGE_WEIGHT + 3 - a - b;
    float strain = bw_padded_values(&job->elastic->strain, slot, value)[sample],
          rate = bw_padded_values(&job->elastic->rate, slot, value)[sample],
          known = bw_padded_values(&job->elastic->rate, slot, lattice)[sample];
    return known * job->k * (strain - job->before * rate);
}

static void push_ends(const BwElasticScatter *job, int32_t slot, int a, int b, int sample, float force)
{
    float *sums = bw_padded_values(&job->elastic->sums, slot, a);
    sums[sample] -= force;
    sums[sample - bw_padded_stride[b]] += force;
}

// Pressing along an axis: of cells, on their two faces.
static void add_diagonal(const BwElasticScatter *job, int32_t slot, int a)
{
    const BwGrid *grid = job->elastic->grid;
    const uint64_t *fluid = bw_mask_tile(&job->assembly.def->domain->fluid, slot);
    for (int n = 0; n < grid->tile_cells; n++) {
        int sample = bw_padded_of_cell(grid, n);
        if (bw_bit(fluid, n))
            push_ends(job, slot, a, a, sample + bw_padded_stride[a], force_at(job, slot, a, a, sample));
    }
}

static void add_lines(const BwElasticScatter *job, int32_t slot, int a, int b, const BwBoundaryTerms *terms)
{
    const BwGrid *grid = job->elastic->grid;
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t lines = bw_elastic_lines(job->assembly.def->domain, terms, slot, a, b, k); lines != 0;
             lines &= lines - 1) {
            int sample = bw_padded_of_cell(grid, BW_TILE_LAYER * k + __builtin_ctzll(lines));
            push_ends(job, slot, a, b, sample, force_at(job, slot, a, b, sample));
        }
}

// Surfaces that a component sticks to.
static void add_contacts(const BwElasticScatter *job, int32_t slot, int a, const BwContacts *contacts)
{
    const BwGrid *grid = job->elastic->grid;
    float *sums = bw_padded_values(&job->elastic->sums, slot, a);
    for (int c = 0; c < contacts->count; c++) {
        const BwContact *contact = &contacts->list[c];
        int b = contact->side / 2, is_high = contact->side % 2,
            sample = bw_padded_of_cell(grid, contact->sample);
        if (b == a)
            continue;
        float force = contact->grip / bw_elastic_reach(contact) *
                      force_at(job, slot, a, b, sample + is_high * bw_padded_stride[b]);
        sums[sample] += is_high ? force : -force;
    }
}

static void push_faces(const BwElasticScatter *job, int32_t slot, int a, const BwLiquidFractions *fractions)
{
    const BwGrid *grid = job->elastic->grid;
    const uint64_t *flow = bw_mask_tile(&job->assembly.def->domain->flow[a], slot),
                   *free = bw_mask_tile(&job->assembly.viscosity->masks[a].free, slot);
    const float *sums = bw_padded_values(&job->elastic->rate, slot, a);
    float *u = bw_field_tile(&job->assembly.velocity->u[a], slot);
    for (int n = 0; n < grid->tile_cells; n++)
        if (bw_bit(flow, n) && bw_bit(free, n))
            u[n] += sums[bw_padded_of_cell(grid, n)] /
                    fmaxf(fraction_of(fractions, fractions->face[a], n), mass_min);
}

static void push_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwElasticScatter *job = context;
    BwLiquidFractions fractions;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->elastic->grid->order[m];
        bw_liquid_fractions_find(&fractions, job->assembly.def->phi, slot);
        for (int a = 0; a < job->elastic->grid->dimension; a++)
            push_faces(job, slot, a, &fractions);
    }
}

void bw_elastic_push(BwElastic *elastic, const BwElasticForce *force, BwVelocity *velocity)
{
    const BwGrid *grid = elastic->grid;
    BwPool *pool = force->def->domain->pool;
    double cells = sqrt(force->modulus) * force->def->dt / (double)grid->cell_size,
           damped = fmin(fmax((cells - cells_followed) / cells_more, 0.0), 1.0),
           part_before = 0.25 * (1.0 - damped), part_after = 0.5 + 1.5 * damped;
    BwElasticScatter job = {
        .elastic = elastic,
        .assembly = {.viscosity = force->viscosity, .def = force->def, .velocity = velocity},
        .cells = add_diagonal,
        .lines = add_lines,
        .contacts = add_contacts,
        .k = (float)(2.0 * force->modulus * force->seconds / (double)grid->cell_size),
        .before = (float)(part_before * force->last_dt)};
    elastic->viscosity = part_after * force->modulus * force->seconds;
    bw_elastic_scatter(&job);
    bw_padded_add_up(&elastic->sums, &elastic->rate, grid->dimension, pool); // the rate has been used
    bw_parallel_for(pool, grid->tile_count, 8, push_range, &job);
}
