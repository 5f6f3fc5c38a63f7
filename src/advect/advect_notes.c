// What is noted about tiles before anything is advected.
#include "advect/advect_job.h"

bool bw_is_empty_around(const BwGrid *grid, const BwNotes *notes, uint64_t bit, int32_t slot)
{
    for (int n = 0; n < 27; n++)
        if (*bw_note(notes, grid->tiles[slot].neighbour[n]) & bit)
            return false;
    return true;
}

static bool holds_anything(const float *restrict values, int count, float background)
{
    for (int begin = 0; begin < count; begin += BW_TILE_LAYER) {
        int differ = 0;
        for (int n = begin; n < begin + BW_TILE_LAYER; n++)
            differ |= values[n] != background;
        if (differ)
            return true;
    }
    return false;
}

static bool has_bits(const uint64_t *words, int count)
{
    uint64_t all = 0;
    for (int k = 0; k < count; k++)
        all |= words[k];
    return all != 0;
}

// Whether the tile holds anything of the fields of a set.
static uint64_t note_of_fields(const BwAdvectJob *job, int s, int32_t slot)
{
    const BwAdvectBatch *set = &job->sets[s];
    uint64_t note = 0;
    for (int f = 0; f < set->count && set->from[f]->location == BW_AT_CELL; f++)
        if (holds_anything(bw_field_tile(set->from[f], slot), job->domain->grid->tile_cells,
                           bw_field_background(set->from[f])))
            note |= bw_holds_bit(s, f);
    return note;
}

static void note_tile(const BwAdvectJob *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t note = 0;
    for (int m = 0; m < BW_ADVECT_MASKS; m++)
        if (job->samples[m].valid != NULL && bw_sample_box_fill_tile(&job->samples[m], grid, slot))
            note |= (uint64_t)1 << (BW_NOTE_FILLS + m);
    for (int s = 0; s < job->set_count; s++) {
        const BwAdvectBatch *set = &job->sets[s];
        if (set->sources != NULL && has_bits(bw_mask_tile(set->sources, slot), grid->layers))
            note |= (uint64_t)1 << BW_NOTE_SOURCE;
        note |= note_of_fields(job, s, slot);
    }
    *bw_note(&job->advector->before, slot) = note;
}

void bw_note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAdvectJob *job = context;
    for (int64_t n = begin; n < end; n++)
        note_tile(job, job->domain->grid->order[n]);
}

void bw_note_batch_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwAdvectJob *job = context;
    uint64_t all = 0;
    for (int f = 0; f < BW_ADVECT_FIELDS; f++)
        all |= bw_holds_bit(job->s, f);
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->domain->grid->order[n];
        uint64_t *note = bw_note(&job->advector->before, slot);
        *note = (*note & ~all) | note_of_fields(job, job->s, slot);
    }
}

// The masks, as bits, that a missing tile leaves no gap in.
static uint64_t fills_beyond(const BwAdvectJob *job, BwTileCoord coord)
{
    uint64_t note = 0;
    for (int m = 0; m < BW_ADVECT_MASKS; m++)
        if (job->samples[m].valid != NULL &&
            bw_sample_box_fill_beyond(&job->samples[m], job->domain->grid, coord))
            note |= (uint64_t)1 << (BW_NOTE_FILLS + m);
    return note;
}

uint64_t bw_full_around(const BwAdvectJob *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t fills = bw_full_bit(BW_ADVECT_MASKS) - bw_full_bit(0);
    fills >>= BW_NOTE_FULL - BW_NOTE_FILLS;
    for (int n = bw_first_beside(grid); n < 27 - bw_first_beside(grid); n++) {
        int32_t other = grid->tiles[slot].neighbour[n];
        fills &= other != 0 ? *bw_note(&job->advector->before, other)
                            : fills_beyond(job, bw_tile_beside(grid, slot, n));
    }
    return fills << (BW_NOTE_FULL - BW_NOTE_FILLS);
}

static bool are_all_set(const BwGrid *grid, const BwMask *mask, int32_t slot)
{
    uint64_t all = ~UINT64_C(0);
    for (int k = 0; k < grid->layers; k++)
        all &= bw_mask_tile(mask, slot)[k];
    return slot != 0 && all == ~UINT64_C(0);
}

uint64_t bw_whole_around(const BwAdvectJob *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t note = 0;
    for (int m = 0; m < BW_ADVECT_MASKS; m++) {
        bool is_whole = job->samples[m].valid != NULL;
        for (int n = bw_first_beside(grid); n < 27 - bw_first_beside(grid) && is_whole; n++)
            is_whole = are_all_set(grid, job->samples[m].valid, grid->tiles[slot].neighbour[n]);
        note |= is_whole ? bw_whole_bit(m) : 0;
    }
    return note;
}
