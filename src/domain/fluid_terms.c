// Where the liquid is, from its distance.
#include "domain/fluid_terms.h"

typedef struct Marking {
    BwMask *liquid;
    const BwField *phi;
} Marking;

static void mark_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Marking *job = context;
    const BwGrid *grid = job->phi->store.grid;
    for (int64_t m = begin; m < end; m++) {
        const float *phi = bw_field_tile(job->phi, grid->order[m]);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t inside = 0;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                inside |= (uint64_t)(phi[BW_TILE_LAYER * k + n] < 0.0f) << n;
            bw_mask_tile(job->liquid, grid->order[m])[k] = inside & grid->tiles[grid->order[m]].live[k];
        }
    }
}

void bw_mark_liquid(BwMask *liquid, const BwField *phi, BwPool *pool)
{
    Marking job = {liquid, phi};
    bw_parallel_for(pool, phi->store.grid->tile_count, 64, mark_range, &job);
}
