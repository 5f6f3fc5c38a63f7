// The spacing of a liquid's particles: the divergence that gives it back to them.
#include "operate/liquid_surface.h"

#include "base/extremes.h"
#include "domain/solid_faces.h"

// How far a share may be off beside solids, where they leave all room: particles that lie at a wall do not
// make way as those inside of the liquid do, and to correct the last of it would stir them for ever.
static const float share_error = 0.03f;

// The same where it is to be told that liquid is pressed together: a solid that pushes crowds what is at it.
static const float certain_error = 0.2f;

// The same where they leave so little that a particle more or less is a large part of it.
static const float cramped_error = 0.3f;

// The part of the correction that is done beside solids in a step, for the same reason.
static const float part_beside_solids = 0.5f;

// Shares that are less by more than this are corrected as if they were less by this.
static const float lack_max = 0.5f;

// A cell with little room that holds so much has got it from elsewhere.
static const float crammed_share = 2.0f;

// A cell that holds so much is crowded, and not only uneven.
static const float crowded_share = 1.25f;

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwSpreadDef *def;
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

// How far a share may be off that is measured beside solids: the more, the less room they leave. Where a cell
// tells nothing, only a crowd is seen.
static float unknown_part(float room, bool is_near)
{
    if (!is_near || room >= 1.0f)
        return 0.0f;
    return (room < BW_ROOM_MIN ? cramped_error : share_error) / room;
}

// How far a cell's share is off, as far as that is to be corrected.
static float error_of(const BwSpreadDef *def, float share, float room, bool is_near, bool is_inside)
{
    float error = share - 1.0f, unknown = unknown_part(room, is_near);
    error -= bw_smaller(bw_larger(error, -unknown), unknown);
    return bw_smaller(bw_larger(error, is_inside ? -lack_max : 0.0f), def->crowding_max);
}

// Cells whose face towards one of their sides is not closed. A wall may be wet on one side and dry on the
// other.
static uint64_t passable_bits(const BwDomain *domain, int32_t slot, int side, int k)
{
    const BwMask *flow = &domain->flow[side / 2];
    return side % 2 == 0 ? bw_mask_tile(flow, slot)[k] : bw_bits_beside(domain->grid, flow, slot, side, k);
}

static void spread_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    const BwSpreadDef *def = job->def;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        const float *share = bw_field_tile(&job->surface->share, slot),
                    *room = bw_field_tile(&job->surface->room, slot),
                    *open = bw_field_tile(&job->surface->open, slot);
        float *spread = bw_field_tile(&job->surface->spread, slot);
        bool is_near = job->domain->cut != NULL && bw_solids_are_near(job->domain->cut, slot);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t inside = bw_mask_tile(&job->surface->filled, slot)[k],
                     unsure = def->unsure != NULL ? bw_mask_tile(def->unsure, slot)[k] : 0;
            for (int side = 0; side < 2 * grid->dimension; side++)
                inside &= bw_bits_beside(grid, &job->surface->filled, slot, side, k) |
                          (is_near ? ~passable_bits(job->domain, slot, side, k) : 0);
            uint64_t crammed = 0;
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
                float error = error_of(def, share[n], room[n], is_near, inside >> (n & 63) & 1);
                float part = unsure >> (n & 63) & 1 ? def->unsure_part * def->part : def->part;
                part *= is_near && room[n] < 1.0f ? part_beside_solids : 1.0f;
                spread[n] = open[n] * (part / def->dt) * error;
                crammed |= (uint64_t)(is_near && room[n] < BW_ROOM_MIN && share[n] > crammed_share)
                           << (n & 63);
            }
            bw_mask_tile(&job->surface->crammed, slot)[k] = crammed;
        }
    }
}

void bw_liquid_surface_find_spread(BwLiquidSurface *surface, const BwDomain *domain, const BwSpreadDef *def)
{
    Job job = {surface, domain, domain->grid, def};
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, find_filled, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 32, spread_range, &job);
}

// The sums of a block: all that cells hold, or what they hold beyond a share.
typedef struct Crowd {
    Job job;
    bool only_excess, is_certain;
    float beyond;
} Crowd;

static double crowd_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Crowd *crowd = context;
    const BwLiquidSurface *surface = crowd->job.surface;
    const BwDomain *domain = crowd->job.domain;
    double sum = 0.0;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = crowd->job.grid->order[m];
        const float *share = bw_field_tile(&surface->share, slot),
                    *room = bw_field_tile(&surface->room, slot);
        bool is_near = domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
        for (int n = 0; n < crowd->job.grid->tile_cells; n++) {
            float unknown = unknown_part(room[n], is_near),
                  doubt = is_near && room[n] < 1.0f ? certain_error / room[n] : 0.0f,
                  most = crowd->beyond + (crowd->is_certain ? bw_larger(unknown, doubt) : unknown);
            sum += (double)(room[n] * (crowd->only_excess ? bw_larger(share[n] - most, 0.0f) : share[n]));
        }
    }
    return sum;
}

static double part_beyond(BwLiquidSurface *surface, const BwDomain *domain, float share, bool is_certain)
{
    Crowd crowd = {{.surface = surface, .domain = domain, .grid = domain->grid}, true, is_certain, share};
    double excess = bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, crowd_range, &crowd);
    crowd.only_excess = false;
    double all = bw_parallel_sum(domain->pool, domain->grid->tile_count, 64, crowd_range, &crowd);
    return all > 0.0 ? excess / all : 0.0;
}

double bw_liquid_surface_crowding(BwLiquidSurface *surface, const BwDomain *domain)
{
    return part_beyond(surface, domain, crowded_share, false);
}

double bw_liquid_surface_overlap(BwLiquidSurface *surface, const BwDomain *domain)
{
    return part_beyond(surface, domain, 1.0f, true);
}
