// The strain rate on the grid. Each tile adds the slopes of its own lines, and of the surfaces that cut them;
// an edge knows its rate when both of the lines that cross there have given theirs.
#include "viscous/elastic_scatter.h"

#include "particle/strain.h"

#include <math.h>

BwResult bw_elastic_create(BwElastic *elastic, BwGrid *grid, BwError *err)
{
    *elastic = (BwElastic){.grid = grid};
    BW_TRY(bw_padded_create(&elastic->sums, grid, BW_STRAIN_RATE_VALUES, err));
    BW_TRY(bw_padded_create(&elastic->strain, grid, BW_STRAIN_COMPONENTS, err));
    BW_TRY(bw_padded_create(&elastic->rate, grid, BW_STRAIN_RATE_VALUES, err));
    return bw_mask_create(&elastic->released, grid, err);
}

void bw_elastic_destroy(BwElastic *elastic)
{
    bw_padded_destroy(&elastic->sums);
    bw_padded_destroy(&elastic->strain);
    bw_padded_destroy(&elastic->rate);
    bw_mask_destroy(&elastic->released);
}

// Adds the slope of a component along another axis to an edge; a line is half of what an edge needs to know.
static void add_slope(const BwElasticScatter *job, int32_t slot, int a, int b, int sample, float slope,
                      float lines)
{
    const BwPadded *sums = &job->elastic->sums;
    int edge = 3 - a - b;
    bw_padded_values(sums, slot, BW_STRAIN_SHEAR + edge)[sample] += 0.5f * slope;
    bw_padded_values(sums, slot, BW_STRAIN_SPIN + edge)[sample] += a < b ? 0.5f * slope : -0.5f * slope;
    bw_padded_values(sums, slot, BW_STRAIN_EDGE_WEIGHT + edge)[sample] += 0.5f * lines;
}

static void add_diagonal(const BwElasticScatter *job, int32_t slot, int a)
{
    const BwGrid *grid = job->elastic->grid;
    const uint64_t *fluid = bw_mask_tile(&job->assembly.def->domain->fluid, slot);
    const BwField *u = &job->assembly.velocity->u[a];
    float *rate = bw_padded_values(&job->elastic->sums, slot, a),
          *weight = bw_padded_values(&job->elastic->sums, slot, BW_STRAIN_WEIGHT);
    for (int n = 0; n < grid->tile_cells; n++) {
        int sample = bw_padded_of_cell(grid, n);
        if (!bw_bit(fluid, n))
            continue;
        rate[sample] = (bw_value_beside(u, slot, n, 2 * a + 1) - bw_field_tile(u, slot)[n]) / grid->cell_size;
        weight[sample] = 1.0f;
    }
}

// Lines of a component along another axis that lead from one face of the liquid to another, or along what
// bounds it.
static void add_lines(const BwElasticScatter *job, int32_t slot, int a, int b, const BwBoundaryTerms *terms)
{
    const BwGrid *grid = job->elastic->grid;
    const BwDomain *domain = job->assembly.def->domain;
    const BwField *u = &job->assembly.velocity->u[a];
    for (int k = 0; k < grid->layers; k++) {
        uint64_t closed = bw_mask_tile(&domain->face[a], slot)[k] & ~bw_mask_tile(&domain->flow[a], slot)[k],
                 closed_before = bw_bits_beside(grid, &domain->face[a], slot, 2 * b, k) &
                                 ~bw_bits_beside(grid, &domain->flow[a], slot, 2 * b, k);
        uint64_t lines = bw_elastic_lines(domain, terms, slot, a, b, k) |
                         (closed & closed_before & grid->tiles[slot].live[k]);
        for (; lines != 0; lines &= lines - 1) {
            int n = BW_TILE_LAYER * k + __builtin_ctzll(lines);
            float slope = (bw_field_tile(u, slot)[n] - bw_value_beside(u, slot, n, 2 * b)) / grid->cell_size;
            add_slope(job, slot, a, b, bw_padded_of_cell(grid, n), slope, 1.0f);
        }
    }
}

// Slopes towards surfaces that the liquid sticks to. Along a far wall nothing is stored; its own velocity is
// the same all over.
static void add_contacts(const BwElasticScatter *job, int32_t slot, int a, const BwContacts *contacts)
{
    const BwGrid *grid = job->elastic->grid;
    const uint64_t *flow = bw_mask_tile(&job->assembly.def->domain->flow[a], slot);
    const float *u = bw_field_tile(&job->assembly.velocity->u[a], slot);
    for (int c = 0; c < contacts->count; c++) {
        const BwContact *contact = &contacts->list[c];
        int b = contact->side / 2, is_high = contact->side % 2;
        if (b == a || !(contact->weight > 0.0f) || !bw_bit(flow, contact->sample))
            continue;
        float slope = (u[contact->sample] - contact->value) / (bw_elastic_reach(contact) * grid->cell_size);
        bool is_far = is_high && contact->surface < BW_SIDE_COUNT;
        add_slope(job, slot, a, b, bw_padded_of_cell(grid, contact->sample) + is_high * bw_padded_stride[b],
                  is_high ? -slope : slope, is_far ? 2.0f : 1.0f);
    }
}

// A rate is known where all of it was given, once; elsewhere it is 0, of weight 0.
static void settle_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwElasticScatter *job = context;
    const BwPadded *rate = &job->elastic->rate;
    for (int64_t m = begin; m < end; m++)
        for (int edge = 0; edge < 3; edge++) {
            int32_t slot = job->elastic->grid->order[m];
            float *weight = bw_padded_values(rate, slot, BW_STRAIN_EDGE_WEIGHT + edge),
                  *shear = bw_padded_values(rate, slot, BW_STRAIN_SHEAR + edge),
                  *spin = bw_padded_values(rate, slot, BW_STRAIN_SPIN + edge);
            for (int n = 0; n < rate->samples; n++) {
                bool is_known = weight[n] == 1.0f;
                weight[n] = is_known ? 1.0f : 0.0f;
                shear[n] = is_known ? shear[n] : 0.0f;
                spin[n] = is_known ? spin[n] : 0.0f;
            }
        }
}

void bw_elastic_find_rate(BwElastic *elastic, const BwElasticForce *force, BwVelocity *velocity)
{
    const BwGrid *grid = elastic->grid;
    BwPool *pool = force->def->domain->pool;
    BwElasticScatter job = {
        .elastic = elastic,
        .assembly = {.viscosity = force->viscosity, .def = force->def, .velocity = velocity},
        .cells = add_diagonal,
        .lines = add_lines,
        .contacts = add_contacts};
    bw_viscous_find_free(&job.assembly);
    bw_elastic_scatter(&job);
    bw_padded_add_up(&elastic->sums, &elastic->rate, BW_STRAIN_RATE_VALUES, pool);
    bw_parallel_for(pool, grid->tile_count, 8, settle_range, &job);
}
