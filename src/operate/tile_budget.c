// Flow through the sides of tiles.
//
// Through a face passes, over the step, what lies along the path of its middle: the mean over the path, by
// two points of Gauss, times the velocity there. A velocity without divergence brings as much fluid in as
// out, so a field that is even stays so.
#include "operate/tile_budget.h"

#include "operate/held.h"
#include "operate/solid_faces.h"
#include <math.h>
#include <string.h>

BwResult bw_tile_budget_create(BwTileBudget *budget, BwGrid *grid, BwError *err)
{
    *budget = (BwTileBudget){0};
    BwResult result = BW_OK;
    for (int a = 0; a < grid->dimension && result == BW_OK; a++) {
        result = bw_notes_create(&budget->passed[a], grid, err);
        if (result == BW_OK)
            result = bw_notes_create(&budget->to_held[a], grid, err);
        if (result == BW_OK)
            result = bw_notes_create(&budget->of_held[a], grid, err);
    }
    if (result == BW_OK)
        result = bw_notes_create(&budget->from_source, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&budget->left, grid, err);
    if (result != BW_OK)
        bw_tile_budget_destroy(budget);
    return result;
}

void bw_tile_budget_destroy(BwTileBudget *budget)
{
    for (int a = 0; a < 3; a++) {
        bw_notes_destroy(&budget->passed[a]);
        bw_notes_destroy(&budget->to_held[a]);
        bw_notes_destroy(&budget->of_held[a]);
    }
    bw_notes_destroy(&budget->from_source);
    bw_notes_destroy(&budget->left);
}

static float *number_of(const BwNotes *notes, int f, int32_t slot)
{
    return (float *)(void *)bw_note(notes, slot) + f;
}

// Two places on the path through a face.
static void follow_face(BwSideFlow *flow, const BwTracer *tracer, const BwPaths *paths, int axis,
                        int32_t slot, int cell)
{
    static const float gauss[2] = {0.2113249f, 0.7886751f};
    const BwGrid *grid = paths->back[0].store.grid;
    int32_t other = grid->tiles[slot].neighbour[bw_neighbour(-(axis == 0), -(axis == 1), -(axis == 2))];
    int before = other == 0 ? cell : cell + 7 * (1 << 3 * axis);
    const int whole[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
    for (int a = 0; a < grid->dimension; a++) {
        float way = 0.5f * (bw_field_tile(&paths->back[a], slot)[cell] +
                            bw_field_tile(&paths->back[a], other == 0 ? slot : other)[before]);
        for (int g = 0; g < 2; g++) {
            float place = (float)whole[a] + (a == axis ? 0.0f : 0.5f) + gauss[g] * way;
            flow->at[a][flow->count + g] = fminf(fmaxf(place, tracer->low[a]), tracer->high[a]);
        }
    }
}

// Both places in the cell that the fluid comes out of, where a source holds one of the two: what comes out of
// the source has its value, and nothing of it goes back in.
static void stay_upwind(BwSideFlow *flow, const BwGrid *grid, const BwMask *held, int axis, int32_t slot,
                        int cell, float speed)
{
    int from[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
    flow->is_to_held[flow->count] = bw_is_held(grid, held, slot, from);
    from[axis]--;
    flow->is_of_held[flow->count] = bw_is_held(grid, held, slot, from);
    from[axis] += speed <= 0.0f;
    if (!flow->is_of_held[flow->count] && !flow->is_to_held[flow->count])
        return;
    for (int a = 0; a < grid->dimension; a++)
        flow->at[a][flow->count] = flow->at[a][flow->count + 1] = (float)from[a] + 0.5f;
}

// Speed of the fluid through a face, by the whole of it: solids leave their share open.
static float flow_through(const BwDomain *domain, const BwVelocity *velocity, int axis, int32_t slot,
                          int cell)
{
    bool is_open = bw_bit(bw_mask_tile(&domain->flow[axis], slot), cell);
    float u = is_open ? bw_field_tile(&velocity->u[axis], slot)[cell] : 0.0f;
    bool is_cut = domain->cut != NULL && bw_solids_are_near(domain->cut, slot);
    return is_cut ? u * bw_field_tile(&domain->cut->open[axis], slot)[cell] : u;
}

void bw_side_flow_find(BwSideFlow *flow, const BwTracer *tracer, const BwPaths *paths, const BwDomain *domain,
                       const BwVelocity *velocity, int32_t slot, const BwSideFlowOptions *options)
{
    const BwGrid *grid = domain->grid;
    float *const at[3] = {flow->at[0], flow->at[1], flow->at[2]};
    flow->count = 0;
    flow->cells_per_speed = options->cells_per_speed;
    memset(flow->is_to_held, 0, sizeof flow->is_to_held);
    memset(flow->is_of_held, 0, sizeof flow->is_of_held);
    memset(flow->at, 0, sizeof flow->at); // places that no face uses are looked up too
    for (int a = 0; a < grid->dimension; a++) {
        const float *u = bw_field_tile(&velocity->u[a], slot);
        int step = 1 << 3 * a;
        for (int first = 0; first < grid->tile_cells; first += BW_TILE * step)
            for (int cell = first; cell < first + step; cell++, flow->count += 2) {
                follow_face(flow, tracer, paths, a, slot, cell);
                if (options->held != NULL)
                    stay_upwind(flow, grid, options->held, a, slot, cell, u[cell]);
                float half = 0.5f * options->cells_per_speed * flow_through(domain, velocity, a, slot, cell);
                flow->passed[flow->count] = flow->passed[flow->count + 1] = half;
            }
    }
    bw_places_find(&flow->places, grid, options->samples, slot, at, options->stencil, tracer->places.reach);
}

void bw_tile_budget_note(BwTileBudget *budget, BwSideFlow *flow, BwSamplerBlock *block, const BwGrid *grid,
                         BwStencil stencil, int f, int32_t slot)
{
    if (stencil == BW_STENCIL_CUBIC)
        bw_sampler_cubic(block, grid, &flow->places, NULL, flow->value);
    else
        bw_sampler_linear(block, grid, &flow->places, NULL, flow->value);
    int part = flow->count / grid->dimension;
    for (int a = 0; a < grid->dimension; a++) {
        float sum = 0.0f, to_held = 0.0f, of_held = 0.0f;
        for (int n = a * part; n < (a + 1) * part; n++) {
            float passed = flow->passed[n] * (flow->value[n] - block->background);
            sum += passed;
            to_held += flow->is_to_held[n & ~1] ? passed : 0.0f;
            of_held += flow->is_of_held[n & ~1] ? passed : 0.0f;
        }
        *number_of(&budget->passed[a], f, slot) = sum;
        *number_of(&budget->to_held[a], f, slot) = to_held;
        *number_of(&budget->of_held[a], f, slot) = of_held;
    }
    *number_of(&budget->from_source, f, slot) = *number_of(&budget->left, f, slot) = 0.0f;
}

// Upwind: a source fills up what passes through it at once, and what goes into one has just come from beside
// it.
void bw_tile_budget_note_sources(BwTileBudget *budget, const BwSideFlow *flow, const BwDomain *domain,
                                 const BwVelocity *velocity, const BwMask *held, const BwField *field, int f,
                                 int32_t slot)
{
    const BwGrid *grid = domain->grid;
    const uint64_t *is_held = bw_mask_tile(held, slot);
    const float *values = bw_field_tile(field, slot);
    float background = bw_field_background(field), sum = 0.0f;
    for (int a = 0; a < grid->dimension; a++) {
        for (int n = 0, step = 1 << 3 * a; n < grid->tile_cells; n++) {
            bool is_inside = (n >> 3 * a & 7) != 0;
            if (!is_inside || bw_bit(is_held, n) == bw_bit(is_held, n - step))
                continue;
            float u = flow_through(domain, velocity, a, slot, n);
            float passed = flow->cells_per_speed * u * (values[u > 0.0f ? n - step : n] - background);
            sum += bw_bit(is_held, n) ? -passed : passed;
        }
    }
    *number_of(&budget->from_source, f, slot) = sum;
}

void bw_tile_budget_note_none(BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, bool is_known)
{
    for (int a = 0; a < grid->dimension; a++) {
        *number_of(&budget->passed[a], f, slot) = is_known ? 0.0f : NAN;
        *number_of(&budget->to_held[a], f, slot) = *number_of(&budget->of_held[a], f, slot) = 0.0f;
    }
    *number_of(&budget->from_source, f, slot) = *number_of(&budget->left, f, slot) = 0.0f;
}

// Outside air swells and shrinks as it likes, which does no harm where it holds nothing.
static bool is_empty_outside(const BwDomain *domain, const BwField *field, int32_t slot)
{
    const float *values = bw_field_tile(field, slot);
    float background = bw_field_background(field), all = 0.0f, outside = 0.0f;
    for (int k = 0; k < domain->grid->layers; k++) {
        uint64_t live = domain->grid->tiles[slot].live[k],
                 air = live & ~bw_mask_tile(&domain->fluid, slot)[k];
        for (int n = 0; n < BW_TILE_LAYER && air != 0; n++) {
            float above = fabsf(values[BW_TILE_LAYER * k + n] - background);
            all += live >> n & 1 ? above : 0.0f;
            outside += air >> n & 1 ? above : 0.0f;
        }
    }
    return outside <= 0.01f * all;
}

double bw_tile_budget_gain(const BwTileBudget *budget, const BwDomain *domain, const BwField *field, int f,
                           int32_t slot)
{
    const BwGrid *grid = domain->grid;
    if (!is_empty_outside(domain, field, slot))
        return (double)NAN;
    double gain =
        (double)*number_of(&budget->from_source, f, slot) + bw_tile_budget_gain_of_all(budget, grid, f, slot);
    for (int a = 0; a < grid->dimension; a++) {
        int32_t next = grid->tiles[slot].neighbour[bw_neighbour(a == 0, a == 1, a == 2)];
        gain -= (double)*number_of(&budget->to_held[a], f, slot) -
                (double)*number_of(&budget->of_held[a], f, next);
    }
    return gain;
}

double bw_tile_budget_gain_of_all(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot)
{
    double gain = 0.0;
    for (int a = 0; a < grid->dimension; a++) {
        int32_t next = grid->tiles[slot].neighbour[bw_neighbour(a == 0, a == 1, a == 2)];
        gain +=
            (double)*number_of(&budget->passed[a], f, slot) - (double)*number_of(&budget->passed[a], f, next);
    }
    return gain;
}

void bw_tile_budget_note_left(BwTileBudget *budget, int f, int32_t slot, float left)
{
    *number_of(&budget->left, f, slot) = left;
}

static int32_t tile_beside(const BwGrid *grid, int32_t slot, int side)
{
    int axis = side / 2, way = side % 2 == 0 ? -1 : 1;
    return grid->tiles[slot]
        .neighbour[bw_neighbour(axis == 0 ? way : 0, axis == 1 ? way : 0, axis == 2 ? way : 0)];
}

// What came into a tile through a side, in the sense of what it had no room for.
static float came_in(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, int side)
{
    float left = *number_of(&budget->left, f, slot);
    float up = *number_of(&budget->passed[side / 2], f, side % 2 == 0 ? slot : tile_beside(grid, slot, side));
    float in = side % 2 == 0 ? up : -up;
    return fmaxf(left < 0.0f ? -in : in, 0.0f);
}

float bw_tile_budget_returned(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot)
{
    float returned = 0.0f;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int32_t other = tile_beside(grid, slot, side);
        float left = *number_of(&budget->left, f, other), all = 0.0f;
        for (int s = 0; s < 2 * grid->dimension && left != 0.0f; s++)
            all += came_in(budget, grid, f, other, s);
        if (all > 0.0f)
            returned += left * came_in(budget, grid, f, other, side ^ 1) / all;
    }
    return returned;
}
