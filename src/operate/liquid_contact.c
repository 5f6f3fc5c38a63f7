// Where a liquid's surface meets solids. A share tells the distance of a whole cell from a flat surface; of a
// cell that solids cut it does so only where the surface stands upright on them. There the share counts that
// the cell would have without solids: below the plane below which as much of what they leave of the hat
// function lies as particles fill. Whole cells nearby tell which way the plane looks.
#include "operate/liquid_surface.h"

#include "base/extremes.h"
#include "domain/cut_box.h"
#include "domain/solid_faces.h"
#include "grid/block.h"

#include <string.h>

// Shares near to none or all tell no distance, nor do distances near to what a share reaches, in cells. What
// they tell begins at the first number and is believed from the second on, so that nothing jumps.
static const float share_none = 0.01f, share_all = 0.05f, reach_none = 0.9f, reach_all = 0.8f;

// The same of the slope of phi that whole cells nearby tell, which is 1.
static const float slope_none = 0.5f, slope_all = 0.6f;

// No part of a cell is thinner along the normal, in cells.
static const float thinnest = 0.02f;

// A cell with all of its room, but for rounding.
static const float whole_room = 0.999f;

enum { AROUND = 2, HALVINGS = 24, PARTS_MAX = 216 };

typedef struct Job {
    BwLiquidSurface *surface;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwSolidPose *solids;
    int solid_count;
} Job;

// What is around a cell: the solids near its tile, and whether their edges are looked for.
typedef struct Around {
    BwNearSolids near;
    float size;
    int axes;
    bool has_edges;
} Around;

// A part of the hat function, as solids leave it or as if there were none: its middle along the normal, give
// or take so much, how much of the function there is if it is full, and how much for its size if it is nearly
// empty, which is full at its lower end. In cells.
typedef struct Part {
    float place, half, full, first;
} Part;

typedef struct Parts {
    Part list[PARTS_MAX];
    int count;
    float sum; // of what all of them are if they are full
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

static void add_part(Parts *parts, const float middle[3], float share, float half, BwVec3 normal, int axes)
{
    Part part = {.half = half, .full = share, .first = share};
    for (int a = 0; a < axes; a++) {
        float n = bw_component(normal, a);
        part.full *= 0.5f * hat(middle[a]);
        part.first *= 0.5f * hat(middle[a] - half * n);
        part.place += n * middle[a];
    }
    parts->list[parts->count++] = part;
    parts->sum += part.full;
}

// Half of what a part spans along the normal, if solids leave all of it.
static float half_of_part(BwVec3 normal, int axes)
{
    float half = 0.0f;
    for (int a = 0; a < axes; a++)
        half += 0.25f * fabsf(bw_component(normal, a));
    return half;
}

// Adds a part as it would be without solids, and what they leave of it.
static void add_parts(Parts *all, Parts *left, const float at[3], const BwCutBox *box, BwVec3 normal,
                      int axes)
{
    float middle[3] = {0.0f}, half = half_of_part(normal, axes), shift = 0.0f;
    for (int a = 0; a < axes; a++) {
        middle[a] = at[a] + 0.5f * box->middle[a];
        shift += 0.5f * box->middle[a] * bw_component(normal, a);
    }
    add_part(all, at, 1.0f, half, normal, axes);
    if (box->share > 0.0f)
        add_part(left, middle, box->share, bw_larger(half - fabsf(shift), thinnest), normal, axes);
}

// The parts of the hat function around a cell's centre, in that cell and those beside it.
static void find_parts(const Around *around, BwVec3 center, BwVec3 normal, Parts *all, Parts *left)
{
    const BwCutBox whole = {.share = 1.0f}, none = {0};
    float size = around->size;
    int axes = around->axes;
    all->count = left->count = 0;
    all->sum = left->sum = 0.0f;
    for (int c = 0; c < (axes == 3 ? 27 : 9); c++) {
        float beside[3] = {(float)(c % 3 - 1), (float)(c / 3 % 3 - 1), axes == 3 ? (float)(c / 9 - 1) : 0.0f};
        BwVec3 offset = bw_vec3(size * beside[0], size * beside[1], size * beside[2]);
        BwCutCell cell = bw_cut_cell(&around->near, bw_add(center, offset), size, axes, around->has_edges);
        for (int n = 0; n < 1 << axes; n++) {
            float at[3], reach = 0.0f;
            for (int a = 0; a < 3; a++) {
                at[a] = beside[a] + bw_part_offset(n, a);
                reach = a < axes ? bw_larger(reach, fabsf(at[a])) : reach;
            }
            const BwCutBox *box = cell.is_cut ? &cell.part[n] : cell.left > 0.0f ? &whole : &none;
            if (reach < 1.0f)
                add_parts(all, left, at, box, normal, axes);
        }
    }
}

// What a part holds of the hat function below a plane.
static float part_below(const Part *part, float place)
{
    float filled = bw_smaller(bw_larger(0.5f + 0.5f * (place - part->place) / part->half, 0.0f), 1.0f);
    return filled * (part->first + filled * (part->full - part->first));
}

static float share_below(const Parts *parts, float place)
{
    float sum = 0.0f;
    for (int n = 0; n < parts->count; n++)
        sum += part_below(&parts->list[n], place);
    return sum / parts->sum;
}

// How far out the plane lies below which such a share of the parts is.
static float plane_of_share(const Parts *parts, float share)
{
    float low = -1.5f, high = 1.5f;
    for (int round = 0; round < HALVINGS; round++) {
        float place = 0.5f * (low + high);
        *(share_below(parts, place) < share ? &low : &high) = place;
    }
    return 0.5f * (low + high);
}

// The share that a cell would have without solids, below the same plane.
static float share_without_solids(const Around *around, BwVec3 center, BwVec3 normal, float share)
{
    Parts all, left;
    find_parts(around, center, normal, &all, &left);
    return left.sum > 0.0f ? share_below(&all, plane_of_share(&left, share)) : share;
}

static bool meets_surface(float share, float room)
{
    return room >= BW_ROOM_MIN && room < whole_room && share > share_none && share < 1.0f - share_none;
}

// How sure it is that the surface is a plane in a cell that solids cut, and that its share tells of it.
static float sureness(float share, BwVec3 gradient)
{
    return between(bw_smaller(share, 1.0f - share), share_none, share_all) *
           between(bw_length(gradient), slope_none, slope_all);
}

// Cells with too little room tell nothing, and are not among what is around others.
static void find_in_tile(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float phi[BW_BLOCK_CELLS], room[BW_BLOCK_CELLS], h = grid->cell_size;
    float *share = bw_field_tile(&job->surface->smooth, slot);
    Around around = {.size = h, .axes = grid->dimension, .has_edges = !job->surface->is_rough};
    bw_block_gather(&job->surface->phi, slot, phi);
    bw_block_gather(&job->surface->room, slot, room);
    for (int n = 0; n < BW_BLOCK_LAYER * bw_block_layers(grid); n++)
        phi[n] /= h;
    bw_near_solids_find(&around.near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
    for (int n = 0; n < grid->tile_cells; n++) {
        int at = bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        if (room[at] < BW_ROOM_MIN)
            share[n] = 0.0f;
        if (!meets_surface(share[n], room[at]))
            continue;
        BwVec3 gradient = gradient_around(phi + at, room + at, around.axes);
        float sure = sureness(share[n], gradient);
        if (sure <= 0.0f)
            continue;
        BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL);
        float told = share_without_solids(&around, center, bw_normalize(gradient), share[n]);
        share[n] += sure * (told - share[n]);
    }
}

static void find_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        memcpy(bw_field_tile(&job->surface->smooth, slot), bw_field_tile(&job->surface->share, slot),
               (size_t)job->grid->tile_cells * sizeof(float));
        if (bw_solids_are_near(job->domain->cut, slot))
            find_in_tile(job, slot);
    }
}

// The shares go into `smooth`.
void bw_liquid_surface_find_contact(BwLiquidSurface *surface, const BwDomain *domain,
                                    const BwSolidPose *solids, int solid_count)
{
    Job job = {surface, domain, domain->grid, solids, solid_count};
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, find_range, &job);
}
