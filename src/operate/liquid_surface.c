// From shares to distances.
#include "operate/liquid_surface.h"

#include "domain/solid_faces.h"
#include "operate/level_extend.h"
#include "operate/liquid_share.h"

#include <math.h>
#include <string.h>

// Shares are of no less room than this.
static const float cramped_room = 0.1f;

// What cells fill at least that are known to be inside.
static const float inside_share = 0.9f;

// Distances are those of shares so far from the surface, in cells; they are carried on by marching, and end
// at the band.
static const float near_cells = 0.9f, far_cells = 3.0f;

BwResult bw_liquid_surface_create(BwLiquidSurface *surface, BwGrid *grid, BwError *err)
{
    *surface = (BwLiquidSurface){0};
    BW_TRY(bw_field_create(&surface->share, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&surface->room, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_field_create(&surface->open, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_field_create(&surface->phi, grid, BW_AT_CELL, far_cells * grid->cell_size, err));
    BW_TRY(bw_field_create(&surface->smooth, grid, BW_AT_CELL, far_cells * grid->cell_size, err));
    BW_TRY(bw_distance_create(&surface->distance, grid, err));
    BW_TRY(bw_field_create(&surface->spread, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_mask_create(&surface->liquid, grid, err));
    BW_TRY(bw_mask_create(&surface->known, grid, err));
    BW_TRY(bw_mask_create(&surface->bulk, grid, err));
    BW_TRY(bw_mask_create(&surface->crammed, grid, err));
    BW_TRY(bw_mask_create_full(&surface->filled, grid, err));
    BW_TRY(bw_notes_create(&surface->measured, grid, err));
    return bw_mask_create(&surface->front, grid, err);
}

void bw_liquid_surface_destroy(BwLiquidSurface *surface)
{
    bw_field_destroy(&surface->share);
    bw_field_destroy(&surface->room);
    bw_field_destroy(&surface->open);
    bw_field_destroy(&surface->phi);
    bw_field_destroy(&surface->spread);
    bw_field_destroy(&surface->smooth);
    bw_distance_destroy(&surface->distance);
    bw_mask_destroy(&surface->liquid);
    bw_mask_destroy(&surface->known);
    bw_mask_destroy(&surface->bulk);
    bw_mask_destroy(&surface->crammed);
    bw_mask_destroy(&surface->filled);
    bw_notes_destroy(&surface->measured);
    bw_mask_destroy(&surface->front);
}

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwMask *inside; // or NULL
    const BwField *share; // or what it would be without solids
    bool only_near_solids;
    float smoothing;
} Job;

// How far a centre is from a flat surface when the liquid fills that share of the hat function around it, in
// cells.
static float distance_of_share(float share)
{
    if (share < 0.5f)
        return 1.0f - sqrtf(2.0f * bw_larger(share, 0.0f));
    return sqrtf(2.0f * bw_larger(1.0f - share, 0.0f)) - 1.0f;
}

// Shares over the room there is for them; cells without enough of it tell nothing.
static void normalize_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *share = bw_field_tile(&job->surface->share, slot);
        const float *room = bw_field_tile(&job->surface->room, slot);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t known = 0;
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
                bool is_known = room[n] >= BW_ROOM_MIN;
                share[n] /= bw_larger(room[n], cramped_room);
                known |= (uint64_t)is_known << (n & 63);
            }
            bw_mask_tile(&job->surface->known, slot)[k] = known & grid->tiles[slot].live[k];
        }
    }
}

// Distances of a tile that the surface may cross. A sheet or a drop that nowhere fills a hat function is
// measured by as much as it fills at most: it is then as thick as a cell, and not lost.
static void find_in_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    const float *share = bw_field_tile(job->share, slot);
    float *phi = bw_field_tile(&job->surface->phi, slot), block[BW_BLOCK_CELLS];
    bw_block_gather(job->share, slot, block);
    bw_largest_around(block, grid->layers, 0);
    const float *around = block + bw_block_origin(grid);
    for (int k = 0; k < grid->layers; k++) {
        uint64_t bulk = 0;
        for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1); n++) {
            float most = around[(n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * k];
            float full = bw_smaller(bw_larger(most, BW_THIN_SHARE), 1.0f), filled = share[n] / full;
            if (job->inside != NULL && bw_bit(bw_mask_tile(job->inside, slot), n))
                filled = bw_larger(filled, inside_share);
            phi[n] = grid->cell_size * distance_of_share(filled);
            bulk |= (uint64_t)(most >= BW_BULK_SHARE) << (n & 63);
        }
        bw_mask_tile(&job->surface->bulk, slot)[k] = bulk;
    }
}

// Whether solids are near a tile or one beside it.
static bool solids_are_around(const Job *job, int32_t slot)
{
    int first = bw_first_beside(job->grid);
    for (int c = first; c < 27 - first; c++) {
        int32_t beside = job->grid->tiles[slot].neighbour[c];
        if (beside != 0 && bw_solids_are_near(job->domain->cut, beside))
            return true;
    }
    return false;
}

static void find_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (job->only_near_solids && !solids_are_around(job, slot))
            continue;
        BwShareFill fill = bw_share_fill(bw_field_tile(job->share, slot), grid->tile_cells);
        if (fill == BW_SHARE_PART) {
            find_in_tile(job, slot);
            continue;
        }
        float *phi = bw_field_tile(&job->surface->phi, slot);
        for (int n = 0; n < grid->tile_cells; n++)
            phi[n] = fill == BW_SHARE_EMPTY ? grid->cell_size : -grid->cell_size;
        memset(bw_mask_tile(&job->surface->bulk, slot), 0, (size_t)grid->layers * sizeof(uint64_t));
    }
}

// The distance in the cell beside one; the cell's own where a wall is between.
static float phi_beside(const Job *job, int32_t slot, int cell, int side)
{
    int next = cell;
    int32_t beside = bw_cell_beside(job->grid, slot, &next, side);
    bool is_live = bw_bit(job->grid->tiles[beside].live, next);
    return bw_field_tile(&job->surface->phi, is_live ? beside : slot)[is_live ? next : cell];
}

// Whether a cell's neighbour is behind a wall or a solid.
static bool side_is_wall(const Job *job, int32_t slot, int cell, int side)
{
    const BwGrid *grid = job->grid;
    uint64_t live = bw_bits_beside(grid, NULL, slot, side, cell >> 6),
             solid = bw_bits_beside(grid, &job->domain->solid, slot, side, cell >> 6);
    return !(live >> (cell & 63) & 1) || (solid >> (cell & 63) & 1);
}

// The mean of the cells beside one, and the largest.
typedef struct Around {
    float mean, most;
} Around;

static Around phi_around(const Job *job, int32_t slot, int cell)
{
    int sides = 2 * job->grid->dimension;
    Around around = {0.0f, -INFINITY};
    for (int side = 0; side < sides; side++) {
        float beside = phi_beside(job, slot, cell, side);
        around.mean += beside / (float)sides;
        around.most = bw_larger(around.most, side_is_wall(job, slot, cell, side) ? -INFINITY : beside);
    }
    return around;
}

// A single cell of air inside a body of liquid is no bubble that the grid could tell from a gap between
// particles, and is closed. Where there is surface tension the surface of a body is smoothed besides:
// particles stand at random, a cell's share of them is uncertain by some percent, and a curvature by more. A
// plane stays as it is; sheets and drops are left alone. Without tension it is not, for a surface that is
// smoother than the particles lie does not bear them where they are, and waves grow out of nothing.
static void smooth_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    const float *phi = bw_field_tile(&job->surface->phi, slot);
    float *smooth = bw_field_tile(&job->surface->smooth, slot);
    memcpy(smooth, phi, (size_t)grid->tile_cells * sizeof *phi);
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t bits = bw_mask_tile(&job->surface->bulk, slot)[k]; bits != 0; bits &= bits - 1) {
            int n = BW_TILE_LAYER * k + __builtin_ctzll(bits);
            if (fabsf(phi[n]) > grid->cell_size)
                continue;
            Around around = phi_around(job, slot, n);
            bool is_gap = phi[n] >= 0.0f && around.most < 0.0f && around.most > -INFINITY;
            smooth[n] = is_gap ? around.most : phi[n] + job->smoothing * (around.mean - phi[n]);
        }
}

static void smooth_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        smooth_tile(job, job->grid->order[m]);
}

void bw_liquid_surface_find(BwLiquidSurface *surface, const BwDomain *domain, const BwLiquidSurfaceDef *def)
{
    Job job = {.surface = surface,
               .domain = domain,
               .grid = domain->grid,
               .inside = def->inside,
               .share = &surface->share,
               .smoothing = def->is_smooth ? 0.5f : 0.0f};
    bw_parallel_for(domain->pool, job.grid->tile_count, 32, normalize_range, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, find_range, &job);
    if (domain->cut != NULL && def->solid_count > 0) {
        bw_liquid_surface_find_contact(surface, domain, def->solids, def->solid_count);
        job.share = &surface->smooth;
        job.only_near_solids = true;
        bw_parallel_for(domain->pool, job.grid->tile_count, 8, find_range, &job);
    }
    float h = job.grid->cell_size;
    BwRedistance how = {.valid = &surface->known, .kept = near_cells * h, .band = far_cells * h};
    bw_redistance(&surface->distance, &surface->phi, domain->pool, &how);
    bw_level_extend(&surface->phi, &surface->known, &surface->front, domain, 2);
    bw_parallel_for(domain->pool, job.grid->tile_count, 16, smooth_range, &job);
    bw_field_swap(&surface->phi, &surface->smooth);
    bw_mark_liquid(&surface->liquid, &surface->phi, domain->pool);
}
