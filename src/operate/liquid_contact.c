// Where a liquid's surface meets solids. A share tells the distance of a whole cell from a flat surface; of a
// cell that solids cut it does so only where the surface stands upright on them. There the distance is that
// of the plane below which as much of what solids leave of the hat function lies as particles fill; whole
// cells nearby tell which way the plane looks.
#include "operate/liquid_surface.h"

#include "base/extremes.h"
#include "domain/cut_box.h"
#include "domain/solid_faces.h"
#include "grid/block.h"

#include <string.h>

// Shares near to none or all tell no distance, nor do distances near to what a share reaches, in cells. What
// they tell begins at the first number and is believed from the second on, so that nothing jumps.
static const float share_none = 0.02f, share_all = 0.1f, reach_none = 0.9f, reach_all = 0.8f;

// The same of the slope of phi that whole cells nearby tell, which is 1.
static const float slope_none = 0.5f, slope_all = 0.6f;

// No part of a cell is thinner along the normal, in cells.
static const float thinnest = 0.02f;

// A cell with all of its room, but for rounding.
static const float whole_room = 0.999f;

enum { AROUND = 2, HALVINGS = 20, PARTS_MAX = 216 };

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwSolidPose *solids;
    int solid_count;
} Job;

// A part of the hat function: how much of it there is if solids leave all, and as they are, and where that
// is along the normal, give or take half its width; in cells.
typedef struct Part {
    float all, all_place, left, left_place, left_half;
} Part;

typedef struct Parts {
    Part list[PARTS_MAX];
    int count;
    float half, all, left; // half the width of a whole part, and sums
} Parts;

static float hat(float place)
{
    return bw_larger(1.0f - fabsf(place), 0.0f);
}

// 0 at the first bound, 1 at the second.
static float between(float value, float none, float all)
{
    return bw_smaller(bw_larger((value - none) / (all - none), 0.0f), 1.0f);
}

// How far a cell tells where the surface is.
static float weight_of(float phi, float room)
{
    return room >= whole_room ? between(fabsf(phi), reach_none, reach_all) : 0.0f;
}

// The mean change of phi along an axis, over pairs of whole cells around one.
static float slope_around(const float *phi, const float *room, int axes, int axis)
{
    static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    const int low = -AROUND, high[3] = {AROUND - (axis == 0), AROUND - (axis == 1), AROUND - (axis == 2)};
    float sum = 0.0f, weights = 0.0f;
    for (int k = axes == 3 ? low : 0; k <= (axes == 3 ? high[2] : 0); k++)
        for (int j = low; j <= high[1]; j++)
            for (int i = low; i <= high[0]; i++) {
                int at = i + BW_BLOCK * j + BW_BLOCK_LAYER * k, next = at + stride[axis];
                float weight = bw_smaller(weight_of(phi[at], room[at]), weight_of(phi[next], room[next]));
                sum += weight * (phi[next] - phi[at]);
                weights += weight;
            }
    return sum / bw_larger(weights, 1.0f);
}

// The slope of phi, out of the liquid; distances are in cells.
static BwVec3 gradient_around(const float *phi, const float *room, int axes)
{
    return bw_vec3(slope_around(phi, room, axes, 0), slope_around(phi, room, axes, 1),
                   axes == 3 ? slope_around(phi, room, axes, 2) : 0.0f);
}

static void add_part(Parts *parts, const float at[3], const BwCutBox *box, BwVec3 normal, int axes)
{
    float all = 1.0f, left = box->share, place = 0.0f, shift = 0.0f;
    for (int a = 0; a < axes; a++) {
        float n = bw_component(normal, a), middle = 0.5f * box->middle[a];
        all *= 0.5f * hat(at[a]);
        left *= 0.5f * hat(at[a] + middle);
        place += n * at[a];
        shift += n * middle;
    }
    if (all <= 0.0f)
        return;
    parts->list[parts->count++] =
        (Part){all, place, left, place + shift, bw_larger(parts->half - fabsf(shift), thinnest)};
    parts->all += all;
    parts->left += left;
}

// The parts of the hat function around a cell's centre, in that cell and those beside it.
static void find_parts(const BwNearSolids *near, BwVec3 center, float size, int axes, BwVec3 normal,
                       Parts *parts)
{
    const BwCutBox whole = {.share = 1.0f}, none = {0};
    *parts = (Parts){.count = 0};
    for (int a = 0; a < axes; a++)
        parts->half += 0.25f * fabsf(bw_component(normal, a));
    for (int c = 0; c < (axes == 3 ? 27 : 9); c++) {
        float beside[3] = {(float)(c % 3 - 1), (float)(c / 3 % 3 - 1), axes == 3 ? (float)(c / 9 - 1) : 0.0f};
        BwVec3 offset = bw_vec3(size * beside[0], size * beside[1], size * beside[2]);
        BwCutCell cell = bw_cut_cell(near, bw_add(center, offset), size, axes);
        for (int n = 0; n < 1 << axes; n++) {
            float at[3];
            for (int a = 0; a < 3; a++)
                at[a] = beside[a] + bw_part_offset(n, a);
            const BwCutBox *box = cell.is_cut ? &cell.part[n] : cell.left > 0.0f ? &whole : &none;
            add_part(parts, at, box, normal, axes);
        }
    }
}

static float ramp(float distance, float half)
{
    return bw_smaller(bw_larger(0.5f + 0.5f * distance / half, 0.0f), 1.0f);
}

// How far out the plane lies below which such a share of the parts is.
static float plane_of_share(const Parts *parts, bool is_left, float share)
{
    float low = -1.5f, high = 1.5f, wanted = share * (is_left ? parts->left : parts->all);
    for (int round = 0; round < HALVINGS; round++) {
        float place = 0.5f * (low + high), sum = 0.0f;
        for (int n = 0; n < parts->count; n++) {
            const Part *part = &parts->list[n];
            sum += is_left ? part->left * ramp(place - part->left_place, part->left_half)
                           : part->all * ramp(place - part->all_place, parts->half);
        }
        *(sum < wanted ? &low : &high) = place;
    }
    return 0.5f * (low + high);
}

// What solids change of the distance that a share tells of a whole cell.
static float change_by_solids(const BwNearSolids *near, BwVec3 center, float size, int axes, BwVec3 normal,
                              float share)
{
    Parts parts;
    find_parts(near, center, size, axes, normal, &parts);
    return plane_of_share(&parts, false, share) - plane_of_share(&parts, true, share);
}

static bool meets_surface(float share, float room)
{
    return room >= BW_ROOM_MIN && room < whole_room && share > share_none && share < 1.0f - share_none;
}

static void find_in_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float phi[BW_BLOCK_CELLS], room[BW_BLOCK_CELLS], h = grid->cell_size;
    float *to = bw_field_tile(&job->surface->smooth, slot);
    const float *share = bw_field_tile(&job->surface->share, slot);
    BwNearSolids near;
    bw_block_gather(&job->surface->phi, slot, phi);
    bw_block_gather(&job->surface->room, slot, room);
    for (int n = 0; n < BW_BLOCK_LAYER * bw_block_layers(grid); n++)
        phi[n] /= h;
    bw_near_solids_find(&near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        to[n] = h * phi[at];
        if (!meets_surface(share[n], room[at]))
            continue;
        BwVec3 gradient = gradient_around(phi + at, room + at, grid->dimension);
        float sure = between(bw_smaller(share[n], 1.0f - share[n]), share_none, share_all) *
                     between(bw_length(gradient), slope_none, slope_all);
        BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL);
        if (sure > 0.0f)
            to[n] += h * sure *
                     change_by_solids(&near, center, h, grid->dimension, bw_normalize(gradient), share[n]);
    }
}

static bool is_met(const Job *job, int32_t slot)
{
    if (job->domain->cut == NULL || !bw_solids_are_near(job->domain->cut, slot))
        return false;
    const float *share = bw_field_tile(&job->surface->share, slot),
                *room = bw_field_tile(&job->surface->room, slot);
    for (int n = 0; n < job->grid->tile_cells; n++)
        if (meets_surface(share[n], room[n]))
            return true;
    return false;
}

static void find_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        if (is_met(job, job->grid->order[m]))
            find_in_tile(job, job->grid->order[m]);
}

static void copy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *phi = bw_field_tile(&job->surface->phi, slot);
        if (is_met(job, slot))
            memcpy(phi, bw_field_tile(&job->surface->smooth, slot),
                   (size_t)job->grid->tile_cells * sizeof *phi);
    }
}

void bw_liquid_surface_find_contact(BwLiquidSurface *surface, const BwDomain *domain,
                                    const BwSolidPose *solids, int solid_count)
{
    Job job = {surface, domain, domain->grid, solids, solid_count};
    if (solid_count == 0)
        return;
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, find_range, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 32, copy_range, &job);
}
