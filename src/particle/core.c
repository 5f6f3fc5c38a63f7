// Life of the core, and what its cells hold.
#include "particle/core.h"

#include "grid/bits.h"

#include <math.h>
#include <string.h>

// Rounds in which cells share what they hold with those beside them, and the part of a difference that one
// gives the other.
enum { DIFFUSION_ROUNDS = 6 };
static const float diffusivity = 0.15f;

BwResult bw_core_create(BwCore *core, BwGrid *grid, BwError *err)
{
    *core = (BwCore){0};
    BW_TRY(bw_field_create(&core->excess, grid, BW_AT_CELL, BW_NOT_CORE, err));
    BW_TRY(bw_field_create(&core->smooth, grid, BW_AT_CELL, BW_NOT_CORE, err));
    BW_TRY(bw_mask_create(&core->full, grid, err));
    BW_TRY(bw_mask_create(&core->next, grid, err));
    BW_TRY(bw_mask_create(&core->around, grid, err));
    BW_TRY(bw_mask_create(&core->stays, grid, err));
    BW_TRY(bw_mask_create(&core->scratch, grid, err));
    return bw_notes_create(&core->count, grid, err);
}

void bw_core_destroy(BwCore *core)
{
    bw_field_destroy(&core->excess);
    bw_field_destroy(&core->smooth);
    bw_mask_destroy(&core->full);
    bw_mask_destroy(&core->next);
    bw_mask_destroy(&core->around);
    bw_mask_destroy(&core->stays);
    bw_mask_destroy(&core->scratch);
    bw_notes_destroy(&core->count);
}

int64_t bw_core_begin(BwCore *core)
{
    const BwGrid *grid = core->excess.store.grid;
    int64_t count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        float *excess = bw_field_tile(&core->excess, grid->order[m]);
        uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        for (int k = 0; k < grid->layers; k++) {
            full[k] = bw_mask_tile(&core->next, grid->order[m])[k];
            count += __builtin_popcountll(full[k]);
        }
        for (int n = 0; n < grid->tile_cells; n++)
            excess[n] = full[n >> 6] >> (n & 63) & 1 ? 0.0f : BW_NOT_CORE;
    }
    return count;
}

bool bw_core_is_there(const BwCore *core)
{
    const BwGrid *grid = core->excess.store.grid;
    for (int32_t m = 0; m < grid->tile_count; m++)
        for (int k = 0; k < grid->layers; k++)
            if ((bw_mask_tile(&core->full, grid->order[m])[k] |
                 bw_mask_tile(&core->next, grid->order[m])[k]) != 0)
                return true;
    return false;
}

BwResult bw_core_load(BwCore *core, BwError *err)
{
    const BwGrid *grid = core->excess.store.grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const float *excess = bw_field_tile(&core->excess, grid->order[m]);
        uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        for (int k = 0; k < grid->layers; k++)
            full[k] = 0;
        for (int n = 0; n < grid->tile_cells; n++) {
            if (excess[n] != BW_NOT_CORE && !(fabsf(excess[n]) < BW_CORE_EXCESS_MAX))
                return bw_fail(err, BW_ERR_FORMAT, "\"core\" of the state holds %.9g", (double)excess[n]);
            full[n >> 6] |= (uint64_t)(excess[n] != BW_NOT_CORE) << (n & 63);
        }
    }
    return BW_OK;
}

typedef struct Diffusion {
    BwCore *core;
    const BwGrid *grid;
} Diffusion;

// What cells hold of particles is uncertain by one or two; diffused between neighbours, who give as
// much as they take, it tells more of the liquid.
static void diffuse_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Diffusion *job = context;
    const BwField *excess = &job->core->excess;
    int sides = 2 * job->grid->dimension;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *from = bw_field_tile(excess, slot);
        float *to = bw_field_tile(&job->core->smooth, slot);
        memcpy(to, from, (size_t)job->grid->tile_cells * sizeof *to);
        for (int side = 0; side < sides; side++)
            for (int k = 0; k < job->grid->layers; k++) {
                uint64_t bits = bw_mask_tile(&job->core->full, slot)[k] &
                                bw_bits_beside(job->grid, &job->core->full, slot, side, k);
                for (; bits != 0; bits &= bits - 1) {
                    int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                    to[cell] += diffusivity * (bw_value_beside(excess, slot, cell, side) - from[cell]);
                }
            }
    }
}

void bw_core_diffuse(BwCore *core, BwPool *pool)
{
    Diffusion job = {core, core->excess.store.grid};
    for (int n = 0; n < DIFFUSION_ROUNDS; n++) {
        bw_parallel_for(pool, job.grid->tile_count, 16, diffuse_range, &job);
        bw_field_swap(&core->excess, &core->smooth);
    }
}

void bw_core_widen_spans(const BwCore *core, BwTileSpan *spans)
{
    const BwGrid *grid = core->excess.store.grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const uint64_t *full = bw_mask_tile(&core->full, grid->order[m]);
        uint64_t any = 0;
        for (int k = 0; k < grid->layers; k++)
            any |= full[k];
        if (any != 0)
            spans[m] = (BwTileSpan){{0, 0, 0}, {BW_TILE, BW_TILE, (int8_t)grid->layers}};
    }
}
