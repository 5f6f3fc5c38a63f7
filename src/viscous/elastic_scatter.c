// Tile by tile: each clears its own sums and adds to them alone.
#include "viscous/elastic_scatter.h"

#include <math.h>

static void scatter_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwElasticScatter *scatter = context;
    const BwGrid *grid = scatter->elastic->grid;
    BwBoundaryTerms terms;
    BwContacts contacts;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        bw_padded_clear_tile(&scatter->elastic->sums, slot);
        for (int a = 0; a < grid->dimension; a++) {
            bw_viscous_contacts(&scatter->assembly, a, slot, &terms, &contacts);
            scatter->cells(scatter, slot, a);
            for (int b = 0; b < grid->dimension; b++)
                if (b != a)
                    scatter->lines(scatter, slot, a, b, &terms);
            scatter->contacts(scatter, slot, a, &contacts);
        }
    }
}

float bw_elastic_reach(const BwContact *contact)
{
    return fmaxf(contact->length, 0.5f);
}

void bw_elastic_scatter(const BwElasticScatter *scatter)
{
    BwElasticScatter job = *scatter;
    bw_parallel_for(scatter->assembly.def->domain->pool, scatter->elastic->grid->tile_count, 1, scatter_range,
                    &job);
}

uint64_t bw_elastic_lines(const BwDomain *domain, const BwBoundaryTerms *terms, int32_t slot, int component,
                          int axis, int layer)
{
    return terms->link[axis][layer] & bw_mask_tile(&domain->flow[component], slot)[layer] &
           bw_bits_beside(domain->grid, &domain->flow[component], slot, 2 * axis, layer);
}
