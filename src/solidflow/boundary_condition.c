// Surfaces around samples. Solids are asked where each line near them meets one, so that a sheet thinner than
// a cell cuts it too; sides of the box are found by counting cells.
#include "solidflow/boundary_condition.h"

#include "domain/near_solids.h"
#include "domain/solid_faces.h"
#include "grid/bits.h"
#include "grid/sample.h"
#include <math.h>
#include <string.h>

// A line that comes this near to a solid meets it, and a sample this near lies in it, in cells.
static const float touch = 1e-3f;

// Lines are a cell long; distances to meshes may be a twentieth too long.
static const float near_cells = 1.1f;

// No shorter than this counts: the sample is at the surface, and a larger weight would impose it no better.
static const float length_min = 1e-2f;

BwResult bw_boundary_masks_create(BwBoundaryMasks *masks, BwGrid *grid, BwError *err)
{
    *masks = (BwBoundaryMasks){0};
    BwResult result = bw_mask_create(&masks->free, grid, err);
    if (result == BW_OK)
        result = bw_mask_create(&masks->near, grid, err);
    if (result != BW_OK)
        bw_boundary_masks_destroy(masks);
    return result;
}

void bw_boundary_masks_destroy(BwBoundaryMasks *masks)
{
    bw_mask_destroy(&masks->free);
    bw_mask_destroy(&masks->near);
}

// The velocity component that the samples are, or -1 for cell fields.
static int component_of(const BwBoundaryField *boundary)
{
    return bw_location_normal(boundary->field->location);
}

// What a surface wants a sample to be, and how firmly.
typedef struct Condition {
    float value, grip;
} Condition;

static BwVec3 moved(BwVec3 point, int axis, float by)
{
    return bw_vec3(point.x + (axis == 0 ? by : 0.0f), point.y + (axis == 1 ? by : 0.0f),
                   point.z + (axis == 2 ? by : 0.0f));
}

static Condition condition_of_solid(const BwBoundaryField *boundary, const BwSolidPose *solid, BwVec3 at)
{
    int axis = component_of(boundary);
    if (axis < 0)
        return isnan(solid->temperature) ? (Condition){0} : (Condition){solid->temperature, 1.0f};
    return (Condition){bw_component(bw_solid_displacement(solid, at), axis) / boundary->dt,
                       1.0f - solid->slip};
}

// The point of a side that is nearest to a sample.
static BwVec3 on_side(const BwGrid *grid, int side, BwVec3 point)
{
    int axis = side / 2;
    int32_t at = side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis];
    return moved(point, axis, (float)((double)at * (double)grid->cell_size) - bw_component(point, axis));
}

// Where a part of a side is meant, the rest of it is a closed wall at rest, of the same slip.
static Condition condition_of_side(const BwBoundaryField *boundary, int side, BwVec3 point)
{
    const BwGrid *grid = boundary->domain->grid;
    BwBoxSide wall = boundary->domain->side[side];
    if (!bw_box_side_holds(&wall, grid, on_side(grid, side, point))) {
        float slip = wall.slip;
        wall = bw_box_side_plain();
        wall.slip = slip;
    }
    int axis = component_of(boundary);
    bool flows = wall.kind == BW_WALL_OPEN || wall.kind == BW_WALL_OUTFLOW;
    if (flows || (axis < 0 && isnan(wall.temperature)))
        return (Condition){0};
    if (axis < 0)
        return (Condition){wall.temperature, 1.0f};
    bool is_fixed = axis == side / 2 || wall.kind == BW_WALL_INFLOW;
    return (Condition){bw_component(wall.velocity, axis), is_fixed ? 1.0f : 1.0f - wall.slip};
}

// Whether any line of the tile's samples can meet a solid.
static bool is_tile_near(const BwBoundaryField *boundary, int32_t slot)
{
    return boundary->solid_count > 0 && bw_solids_are_near(boundary->domain->cut, slot);
}

static void find_solids(const BwBoundaryField *boundary, int32_t slot, BwNearSolids *solids)
{
    const BwGrid *grid = boundary->domain->grid;
    bw_near_solids_find(solids, boundary->solids, boundary->solid_count, grid, grid->tiles[slot].coord);
}

// The samples that can be free as far as cells and faces tell.
static const BwMask *candidates(const BwBoundaryField *boundary)
{
    if (boundary->candidates != NULL)
        return boundary->candidates;
    int axis = component_of(boundary);
    return axis < 0 ? &boundary->domain->open : &boundary->domain->flow[axis];
}

static void find_free_near_solids(const BwBoundaryField *boundary, const BwNearSolids *solids, int32_t slot,
                                  int k, uint64_t *free, uint64_t *near)
{
    const BwGrid *grid = boundary->domain->grid;
    float h = grid->cell_size, *value = bw_field_tile(boundary->field, slot) + BW_TILE_LAYER * k;
    for (uint64_t bits = *free; bits != 0; bits &= bits - 1) {
        int n = __builtin_ctzll(bits);
        float distance = nextafterf(near_cells * h, INFINITY);
        BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, BW_TILE_LAYER * k + n,
                                       boundary->field->location);
        const BwSolidPose *solid = bw_solids_nearest_within(solids->list, solids->count, at, &distance);
        if (solid == NULL)
            continue;
        *near |= (uint64_t)1 << n;
        if (distance > touch * h)
            continue;
        Condition condition = condition_of_solid(boundary, solid, at);
        *free &= ~((uint64_t)1 << n);
        value[n] += condition.grip * (condition.value - value[n]);
    }
}

typedef struct Search {
    const BwBoundaryField *boundary;
    BwBoundaryMasks *masks;
} Search;

static void find_free_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Search *job = context;
    const BwGrid *grid = job->boundary->domain->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        BwNearSolids solids;
        bool is_near = is_tile_near(job->boundary, slot);
        if (is_near)
            find_solids(job->boundary, slot, &solids);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t *free = &bw_mask_tile(&job->masks->free, slot)[k];
            uint64_t *near = &bw_mask_tile(&job->masks->near, slot)[k];
            *free = bw_mask_tile(candidates(job->boundary), slot)[k];
            *near = 0;
            if (is_near)
                find_free_near_solids(job->boundary, &solids, slot, k, free, near);
        }
    }
}

void bw_boundary_find_free(const BwBoundaryField *boundary, BwBoundaryMasks *masks)
{
    Search job = {boundary, masks};
    bw_parallel_for(boundary->domain->pool, boundary->domain->grid->tile_count, 16, find_free_range, &job);
}

typedef struct Meeting {
    const BwSolidPose *solid; // NULL: the line meets none
    float cells;              // how far along the line
    BwVec3 at;
} Meeting;

// The first solid on the way from a sample to the one beside it.
static Meeting first_meeting(const BwNearSolids *solids, BwVec3 from, BwVec3 to, float close)
{
    Meeting first = {.cells = 1.0f};
    for (int s = 0; s < solids->count; s++) {
        const BwSolidPose *solid = &solids->list[s];
        float cells = bw_shape_meet(solid->shape, bw_pose_to_local(solid->pose, from),
                                    bw_pose_to_local(solid->pose, to), close);
        if (cells <= first.cells)
            first = (Meeting){solid, cells, bw_add(from, bw_mul(bw_sub(to, from), cells))};
    }
    return first;
}

// One layer of a tile at work.
typedef struct Work {
    const BwBoundaryField *boundary;
    const BwBoundaryMasks *masks;
    const BwNearSolids *solids; // of the tile
    int32_t slot;
    int k;
    BwBoundaryTermsKind kind;
    BwBoundaryTerms *terms;
    BwContacts *contacts;        // NULL: nobody asks
    uint64_t cut[BW_SIDE_COUNT]; // lines towards each side that a solid cuts
} Work;

// Who pulls, and along which line.
typedef struct Origin {
    int surface, side;
} Origin;

static void add_term(const Work *work, int n, float length, Condition condition, Origin origin)
{
    float weight =
        work->kind == BW_TERMS_BY_TOUCH ? condition.grip : condition.grip / fmaxf(length, length_min);
    work->terms->weight[n] += weight;
    work->terms->value[n] += weight * (condition.value - bw_field_background(work->boundary->field));
    if (work->contacts != NULL)
        work->contacts->list[work->contacts->count++] =
            (BwContact){n, origin.surface, origin.side, weight, condition.value, length, condition.grip};
}

static int surface_of_solid(const Work *work, const BwSolidPose *solid)
{
    return BW_SIDE_COUNT + bw_near_solid_index(work->solids, solid);
}

// The line from a sample towards one side. It is cut when a solid is met from either end: at a grazing angle
// the two may differ.
static void look_along_line(Work *work, int bit, BwVec3 at, int side)
{
    const BwBoundaryField *boundary = work->boundary;
    float h = boundary->domain->grid->cell_size;
    BwVec3 beside = moved(at, side / 2, side % 2 == 0 ? -h : h);
    Meeting meeting = first_meeting(work->solids, at, beside, touch * h);
    if (meeting.solid == NULL) {
        meeting = first_meeting(work->solids, beside, at, touch * h);
        meeting.cells = 1.0f;
    }
    if (meeting.solid == NULL)
        return;
    work->cut[side] |= (uint64_t)1 << bit;
    add_term(work, BW_TILE_LAYER * work->k + bit, meeting.cells,
             condition_of_solid(boundary, meeting.solid, meeting.at),
             (Origin){surface_of_solid(work, meeting.solid), side});
}

static BwVec3 position(const Work *work, int bit)
{
    const BwGrid *grid = work->boundary->domain->grid;
    return bw_sample_position(grid, grid->tiles[work->slot].coord, BW_TILE_LAYER * work->k + bit,
                              work->boundary->field->location);
}

static void add_solids(Work *work, uint64_t free)
{
    uint64_t bits = bw_mask_tile(&work->masks->near, work->slot)[work->k] & free;
    for (; bits != 0; bits &= bits - 1)
        for (int side = 0; side < 2 * work->boundary->domain->grid->dimension; side++)
            look_along_line(work, __builtin_ctzll(bits), position(work, __builtin_ctzll(bits)), side);
}

// The cells of a layer that touch a side of the box.
static uint64_t cells_at_side(const BwGrid *grid, BwTileCoord coord, int side, int k)
{
    int axis = side / 2;
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    int64_t at = side % 2 == 0 ? (int64_t)grid->bounds.low[axis] - first[axis]
                               : (int64_t)grid->bounds.high[axis] - 1 - first[axis];
    if (!grid->has_bounds || grid->period[axis] != 0 || at < 0 || at >= BW_TILE)
        return 0;
    return axis == 0 ? BW_COLUMN << at : axis == 1 ? BW_ROW << (BW_TILE * at) : at == k ? ~(uint64_t)0 : 0;
}

// Sides of the box: half a cell from samples in the middle of their cells; for the speed across a far side,
// a whole one.
static void add_sides(Work *work, uint64_t free)
{
    const BwGrid *grid = work->boundary->domain->grid;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        uint64_t bits =
            free & ~work->cut[side] & cells_at_side(grid, grid->tiles[work->slot].coord, side, work->k);
        bool is_normal = component_of(work->boundary) == side / 2;
        if (is_normal && (side % 2 == 0 || work->kind == BW_TERMS_BY_TOUCH))
            continue;
        for (; bits != 0; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits);
            Condition condition = condition_of_side(work->boundary, side, position(work, bit));
            add_term(work, BW_TILE_LAYER * work->k + bit, is_normal ? 1.0f : 0.5f, condition,
                     (Origin){side, side});
        }
    }
}

// What closes the face beside a sample: the side of the box that it lies on, or the nearest solid.
static Origin origin_beside(const Work *work, int bit, int side)
{
    const BwBoundaryField *boundary = work->boundary;
    const BwGrid *grid = boundary->domain->grid;
    float h = grid->cell_size;
    BwVec3 at = moved(position(work, bit), side / 2, side % 2 == 0 ? -h : h);
    int axis = component_of(boundary);
    float from_wall = bw_component(at, axis) - bw_component(on_side(grid, 2 * axis, at), axis);
    bool is_on_wall = grid->has_bounds && grid->period[axis] == 0 && fabsf(from_wall) < 0.5f * h;
    const BwSolidPose *solid =
        is_on_wall ? NULL : bw_solids_nearest(work->solids->list, work->solids->count, at);
    return (Origin){solid != NULL ? surface_of_solid(work, solid) : 2 * axis, side};
}

// Faces that border fluid but let nothing pass origin the speed of what closes them, a whole cell away. Those
// on far sides of the box are counted by add_sides.
static void add_closed_faces(Work *work, uint64_t free)
{
    const BwBoundaryField *boundary = work->boundary;
    const BwGrid *grid = boundary->domain->grid;
    int axis = component_of(boundary);
    for (int side = 0; axis >= 0 && side < 2 * grid->dimension; side++) {
        uint64_t bits = free & ~work->cut[side] &
                        bw_bits_beside(grid, &boundary->domain->face[axis], work->slot, side, work->k) &
                        ~bw_bits_beside(grid, &work->masks->free, work->slot, side, work->k);
        if (side % 2 == 1)
            bits &= ~cells_at_side(grid, grid->tiles[work->slot].coord, side, work->k);
        for (; bits != 0; bits &= bits - 1) {
            int bit = __builtin_ctzll(bits), n = BW_TILE_LAYER * work->k + bit;
            add_term(work, n, 1.0f, (Condition){bw_value_beside(boundary->field, work->slot, n, side), 1.0f},
                     work->contacts != NULL ? origin_beside(work, bit, side) : (Origin){0});
        }
    }
}

static void look_around_tile(const BwBoundaryField *boundary, const BwBoundaryMasks *masks, int32_t slot,
                             BwBoundaryTermsKind kind, BwBoundaryTerms *terms, BwContacts *contacts)
{
    const BwGrid *grid = boundary->domain->grid;
    BwNearSolids solids = {0};
    memset(terms, 0, sizeof *terms);
    if (is_tile_near(boundary, slot) || contacts != NULL)
        find_solids(boundary, slot, &solids);
    for (int k = 0; k < grid->layers; k++) {
        Work work = {.boundary = boundary,
                     .masks = masks,
                     .solids = &solids,
                     .slot = slot,
                     .k = k,
                     .kind = kind,
                     .terms = terms,
                     .contacts = contacts};
        uint64_t free = bw_mask_tile(&masks->free, slot)[k];
        add_solids(&work, free);
        add_sides(&work, free);
        if (kind == BW_TERMS_BY_DISTANCE)
            add_closed_faces(&work, free);
        for (int a = 0; a < grid->dimension; a++)
            terms->link[a][k] = free & bw_bits_beside(grid, &masks->free, slot, 2 * a, k) & ~work.cut[2 * a];
    }
}

void bw_boundary_terms(const BwBoundaryField *boundary, const BwBoundaryMasks *masks, int32_t slot,
                       BwBoundaryTermsKind kind, BwBoundaryTerms *terms)
{
    look_around_tile(boundary, masks, slot, kind, terms, NULL);
}

void bw_boundary_contacts(const BwBoundaryField *boundary, const BwBoundaryMasks *masks, int32_t slot,
                          BwBoundaryTerms *terms, BwContacts *contacts)
{
    contacts->count = 0;
    look_around_tile(boundary, masks, slot, BW_TERMS_BY_DISTANCE, terms, contacts);
}
