// The spacing of a liquid's particles: the divergence that gives it back to them.
#include "operate/liquid_surface.h"

#include "base/extremes.h"
#include "domain/solid_faces.h"

// How far a share may be off beside solids, whose cut cells are known no better.
static const float share_error = 0.2f;

// Shares that are farther off than this are corrected as if they were this far.
static const float crowding_max = 1.0f, lack_max = 0.5f;

// A cell that holds so much is crowded, and not only uneven.
static const float crowded_share = 1.25f;

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    float rate; // 1/s
    BwUnsure unsure;
} Job;

// Liquid, solids and what lies beyond walls. Liquid does not touch tiles that are asleep, so those count as
// filled.
static void find_filled(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->surface->filled, slot)[k] = bw_mask_tile(&job->surface->liquid, slot)[k] |
                                                           bw_mask_tile(&job->domain->solid, slot)[k] |
                                                           ~job->grid->tiles[slot].live[k];
    }
}

static void spread_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *share = bw_field_tile(&job->surface->share, slot),
                    *room = bw_field_tile(&job->surface->room, slot),
                    *open = bw_field_tile(&job->surface->open, slot);
        float *spread = bw_field_tile(&job->surface->spread, slot);
        bool is_near = job->domain->cut != NULL && bw_solids_are_near(job->domain->cut, slot);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t inside = bw_mask_tile(&job->surface->filled, slot)[k],
                     unsure = job->unsure.cells != NULL ? bw_mask_tile(job->unsure.cells, slot)[k] : 0;
            for (int side = 0; side < 2 * grid->dimension; side++)
                inside &= bw_bits_beside(grid, &job->surface->filled, slot, side, k);
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
                float error = bw_smaller(share[n] - 1.0f, crowding_max);
                if (is_near && room[n] < 1.0f)
                    error -= bw_smaller(bw_larger(error, -share_error), share_error);
                if (unsure >> (n & 63) & 1)
                    error *= job->unsure.part;
                float least = inside >> (n & 63) & 1 ? -lack_max : 0.0f;
                spread[n] = open[n] * job->rate * bw_larger(error, room[n] >= BW_ROOM_MIN ? least : 0.0f);
            }
        }
    }
}

void bw_liquid_surface_find_spread(BwLiquidSurface *surface, const BwDomain *domain, float part, float dt,
                                   BwUnsure unsure)
{
    Job job = {surface, domain, domain->grid, part / dt, unsure};
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, find_filled, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 32, spread_range, &job);
}

// The sums of a block: all that cells hold, or what they hold too much of.
typedef struct Crowd {
    Job job;
    bool only_excess;
} Crowd;

static double crowd_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Crowd *crowd = context;
    const BwLiquidSurface *surface = crowd->job.surface;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = crowd->job.grid->order[m];
        const float *share = bw_field_tile(&surface->share, slot),
                    *room = bw_field_tile(&surface->room, slot);
        for (int n = 0; n < crowd->job.grid->tile_cells; n++)
            sum += (double)(room[n] *
                            (crowd->only_excess ? bw_larger(share[n] - crowded_share, 0.0f) : share[n]));
    }
    return sum;
}

double bw_liquid_surface_crowding(BwLiquidSurface *surface, const BwDomain *domain)
{
    Crowd crowd = {{.surface = surface, .domain = domain, .grid = domain->grid}, true};
    double excess = bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, crowd_range, &crowd);
    crowd.only_excess = false;
    double all = bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, crowd_range, &crowd);
    return all > 0.0 ? excess / all : 0.0;
}
