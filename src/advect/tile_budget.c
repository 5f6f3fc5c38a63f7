// Flow through the sides of tiles.
//
// Through a face passes, over the step, what lies along the path of its centre: the mean over the path, by
// two points of Gauss, times the velocity there. A velocity without divergence brings as much fluid in as
// out, so a field that is even stays so.
#include "advect/tile_budget.h"

#include "advect/source_cells.h"
#include "base/extremes.h"
#include "domain/solid_faces.h"
#include <math.h>
#include <string.h>

BwResult bw_tile_budget_create(BwTileBudget *budget, BwGrid *grid, BwError *err)
{
    *budget = (BwTileBudget){0};
    BwResult result = bw_notes_create_wide(&budget->parts, grid, sizeof(BwPartFlow) / sizeof(uint64_t), err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++) {
        result = bw_notes_create(&budget->passed[a], grid, err);
        if (result == BW_OK)
            result = bw_notes_create(&budget->to_source[a], grid, err);
        if (result == BW_OK)
            result = bw_notes_create(&budget->of_source[a], grid, err);
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
        bw_notes_destroy(&budget->to_source[a]);
        bw_notes_destroy(&budget->of_source[a]);
    }
    bw_notes_destroy(&budget->from_source);
    bw_notes_destroy(&budget->left);
    bw_notes_destroy(&budget->parts);
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
            flow->at[a][flow->count + g] = bw_smaller(bw_larger(place, tracer->low[a]), tracer->high[a]);
        }
    }
}

// Both places in the cell that the fluid comes out of, where a source holds one of the two: what comes out of
// the source has its value, and nothing of it goes back in.
static void stay_upwind(BwSideFlow *flow, const BwGrid *grid, const BwMask *sources, int axis, int32_t slot,
                        int cell, float speed)
{
    int from[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
    flow->is_to_source[flow->count] = bw_is_in_source(grid, sources, slot, from);
    from[axis]--;
    flow->is_of_source[flow->count] = bw_is_in_source(grid, sources, slot, from);
    from[axis] += speed <= 0.0f;
    if (!flow->is_of_source[flow->count] && !flow->is_to_source[flow->count])
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
    memset(flow->is_to_source, 0, sizeof flow->is_to_source);
    memset(flow->is_of_source, 0, sizeof flow->is_of_source);
    memset(flow->at, 0, sizeof flow->at); // places that no face uses are looked up too
    for (int a = 0; a < grid->dimension; a++) {
        const float *u = bw_field_tile(&velocity->u[a], slot);
        int step = 1 << 3 * a;
        for (int first = 0; first < grid->tile_cells; first += BW_TILE * step)
            for (int cell = first; cell < first + step; cell++, flow->count += 2) {
                follow_face(flow, tracer, paths, a, slot, cell);
                if (options->sources != NULL)
                    stay_upwind(flow, grid, options->sources, a, slot, cell, u[cell]);
                float half = 0.5f * options->cells_per_speed * flow_through(domain, velocity, a, slot, cell);
                flow->passed[flow->count] = flow->passed[flow->count + 1] = half;
            }
    }
    bw_block_points_find(&flow->places, grid, options->samples, slot, at, options->stencil,
                         tracer->places.reach);
}

void bw_tile_budget_note(BwTileBudget *budget, BwSideFlow *flow, BwInterpolationBlock *block,
                         const BwGrid *grid, BwStencil stencil, int f, int32_t slot)
{
    if (stencil == BW_STENCIL_CUBIC)
        bw_interpolate_cubic(block, grid, &flow->places, NULL, flow->value);
    else
        bw_interpolate_linear(block, grid, &flow->places, NULL, flow->value);
    int part = flow->count / grid->dimension;
    for (int a = 0; a < grid->dimension; a++) {
        float sum = 0.0f, to_source = 0.0f, of_source = 0.0f;
        for (int n = a * part; n < (a + 1) * part; n++) {
            float passed = flow->passed[n] * (flow->value[n] - block->background);
            sum += passed;
            to_source += flow->is_to_source[n & ~1] ? passed : 0.0f;
            of_source += flow->is_of_source[n & ~1] ? passed : 0.0f;
        }
        *number_of(&budget->passed[a], f, slot) = sum;
        *number_of(&budget->to_source[a], f, slot) = to_source;
        *number_of(&budget->of_source[a], f, slot) = of_source;
    }
    *number_of(&budget->from_source, f, slot) = *number_of(&budget->left, f, slot) = 0.0f;
}

static BwPartFlow *part_flow(const BwTileBudget *budget, int32_t slot)
{
    return (BwPartFlow *)(void *)bw_note(&budget->parts, slot);
}

static int part_count(const BwTileBudget *budget, int32_t slot)
{
    int count = (int)part_flow(budget, slot)->count;
    return count > 1 ? count : 1;
}

void bw_tile_budget_set_parts(BwTileBudget *budget, int32_t slot, int count)
{
    part_flow(budget, slot)->count = (uint64_t)count;
}

static void clear_part_flow(BwPartFlow *sums, int f, float value)
{
    for (int p = 0; p < BW_PARTS_MAX; p++) {
        for (int a = 0; a < 3; a++)
            for (int q = 0; q < BW_PARTS_MAX; q++)
                sums->passed[a][p][q][f] = value;
        sums->left[p][f] = 0.0f;
    }
}

void bw_tile_budget_note_parts(BwTileBudget *budget, const BwSideFlow *flow, float background,
                               const BwTileParts *own, const BwTileParts *const below[3], int f, int32_t slot,
                               float otherwise)
{
    const BwGrid *grid = budget->parts.store.grid;
    BwPartFlow *sums = part_flow(budget, slot);
    clear_part_flow(sums, f, flow != NULL ? 0.0f : otherwise);
    for (int a = 0, n = 0; a < grid->dimension && flow != NULL; a++) {
        int step = 1 << 3 * a;
        for (int first = 0; first < grid->tile_cells; first += BW_TILE * step)
            for (int cell = first; cell < first + step; cell++, n += 2) {
                int p = own != NULL ? bw_part_of(own, cell) : 0;
                int q = below[a] != NULL ? bw_part_of(below[a], cell + 7 * step) : 0;
                sums->passed[a][p][q][f] += flow->passed[n] * (flow->value[n] - background) +
                                            flow->passed[n + 1] * (flow->value[n + 1] - background);
            }
    }
}

static int32_t tile_beside(const BwGrid *grid, int32_t slot, int side)
{
    int axis = side / 2, way = side % 2 == 0 ? -1 : 1;
    return grid->tiles[slot]
        .neighbour[bw_neighbour(axis == 0 ? way : 0, axis == 1 ? way : 0, axis == 2 ? way : 0)];
}

// What came into a part of a tile through one of its sides from a part of the tile there.
static float came_from(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, int part,
                       int side, int other_part)
{
    int32_t other = tile_beside(grid, slot, side), upper = side % 2 == 0 ? slot : other;
    bool is_whole = part_count(budget, slot) == 1 && part_count(budget, other) == 1;
    int of_upper = side % 2 == 0 ? part : other_part, of_lower = side % 2 == 0 ? other_part : part;
    float up = is_whole ? *number_of(&budget->passed[side / 2], f, upper)
                        : part_flow(budget, upper)->passed[side / 2][of_upper][of_lower][f];
    return upper == 0 ? 0.0f : side % 2 == 0 ? up : -up;
}

double bw_tile_budget_gain_of_part(const BwTileBudget *budget, int part, int f, int32_t slot)
{
    const BwGrid *grid = budget->parts.store.grid;
    double gain = 0.0;
    for (int side = 0; side < 2 * grid->dimension; side++)
        for (int other = 0; other < part_count(budget, tile_beside(grid, slot, side)); other++)
            gain += (double)came_from(budget, grid, f, slot, part, side, other);
    return gain;
}

// Upwind: a source fills up what passes through it at once, and what goes into one has just come from beside
// it.
void bw_tile_budget_note_sources(BwTileBudget *budget, const BwSideFlow *flow, const BwDomain *domain,
                                 const BwVelocity *velocity, const BwMask *sources, const BwField *field,
                                 int f, int32_t slot)
{
    const BwGrid *grid = domain->grid;
    const uint64_t *is_source = bw_mask_tile(sources, slot);
    const float *values = bw_field_tile(field, slot);
    float background = bw_field_background(field), sum = 0.0f;
    for (int a = 0; a < grid->dimension; a++) {
        for (int n = 0, step = 1 << 3 * a; n < grid->tile_cells; n++) {
            bool is_inside = (n >> 3 * a & 7) != 0;
            if (!is_inside || bw_bit(is_source, n) == bw_bit(is_source, n - step))
                continue;
            float u = flow_through(domain, velocity, a, slot, n);
            float passed = flow->cells_per_speed * u * (values[u > 0.0f ? n - step : n] - background);
            sum += bw_bit(is_source, n) ? -passed : passed;
        }
    }
    *number_of(&budget->from_source, f, slot) = sum;
}

void bw_tile_budget_note_none(BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, bool is_known)
{
    for (int a = 0; a < grid->dimension; a++) {
        *number_of(&budget->passed[a], f, slot) = is_known ? 0.0f : NAN;
        *number_of(&budget->to_source[a], f, slot) = *number_of(&budget->of_source[a], f, slot) = 0.0f;
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
        gain -= (double)*number_of(&budget->to_source[a], f, slot) -
                (double)*number_of(&budget->of_source[a], f, next);
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

void bw_tile_budget_note_left(BwTileBudget *budget, int part, int f, int32_t slot, float left)
{
    if (part_count(budget, slot) > 1)
        part_flow(budget, slot)->left[part][f] = left;
    else
        *number_of(&budget->left, f, slot) = left;
}

static float left_of(const BwTileBudget *budget, int part, int f, int32_t slot)
{
    return part_count(budget, slot) > 1 ? part_flow(budget, slot)->left[part][f]
                                        : *number_of(&budget->left, f, slot);
}

// All that came into a part, in the sense of what it had no room for.
static float all_that_came(const BwTileBudget *budget, const BwGrid *grid, int f, int32_t slot, int part,
                           float sense)
{
    float all = 0.0f;
    for (int side = 0; side < 2 * grid->dimension; side++)
        for (int other = 0; other < part_count(budget, tile_beside(grid, slot, side)); other++)
            all += fmaxf(sense * came_from(budget, grid, f, slot, part, side, other), 0.0f);
    return all;
}

float bw_tile_budget_returned(const BwTileBudget *budget, const BwGrid *grid, int part, int f, int32_t slot)
{
    float returned = 0.0f;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int32_t other = tile_beside(grid, slot, side);
        for (int p = 0; p < part_count(budget, other); p++) {
            float left = left_of(budget, p, f, other), sense = left < 0.0f ? -1.0f : 1.0f;
            float all = left != 0.0f ? all_that_came(budget, grid, f, other, p, sense) : 0.0f;
            if (all > 0.0f)
                returned +=
                    left * fmaxf(sense * came_from(budget, grid, f, other, p, side ^ 1, part), 0.0f) / all;
        }
    }
    return returned;
}
