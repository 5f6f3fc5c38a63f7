// Labels of cells and faces, 64 cells at a time in words of bits.
#include "domain/domain.h"

#include "base/checksum.h"
#include "domain/places.h"
#include "domain/sides.h"
#include "domain/solid_faces.h"
#include "grid/sample.h"
#include "solid/shape_file.h"
#include <math.h>
#include <string.h>

// A solid that comes this near to a point has touched it, in cells.
static const float close_in_cells = 1e-3f;

// Distances to triangles are interpolated where they are far, and then up to a twentieth too long.
static const float safely = 1.06f;

enum { TRACE_STEPS_MAX = 64 };

BwResult bw_domain_create(BwDomain *domain, BwGrid *grid, BwPool *pool, BwError *err)
{
    *domain = (BwDomain){.grid = grid, .pool = pool};
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        domain->side[side] = bw_box_side_plain();
    BwMask *masks[] = {&domain->swept,   &domain->was_solid,  &domain->solid,     &domain->fluid,
                       &domain->inflow,  &domain->outflow,    &domain->open,      &domain->face[0],
                       &domain->face[1], &domain->face[2],    &domain->flow[0],   &domain->flow[1],
                       &domain->flow[2], &domain->next_solid, &domain->next_swept};
    BwResult result = BW_OK;
    for (size_t n = 0; n < sizeof masks / sizeof *masks && result == BW_OK; n++)
        result = bw_mask_create(masks[n], grid, err);
    if (result == BW_OK)
        result = bw_mask_create_full(&domain->scalar, grid, err);
    if (result != BW_OK)
        bw_domain_destroy(domain);
    return result;
}

void bw_domain_destroy(BwDomain *domain)
{
    bw_mask_destroy(&domain->was_solid);
    bw_mask_destroy(&domain->swept);
    bw_mask_destroy(&domain->next_solid);
    bw_mask_destroy(&domain->next_swept);
    bw_mask_destroy(&domain->solid);
    bw_mask_destroy(&domain->fluid);
    bw_mask_destroy(&domain->inflow);
    bw_mask_destroy(&domain->outflow);
    bw_mask_destroy(&domain->open);
    bw_mask_destroy(&domain->scalar);
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&domain->face[a]);
        bw_mask_destroy(&domain->flow[a]);
    }
}

BwResult bw_velocity_create(BwVelocity *velocity, BwGrid *grid, BwVec3 background, BwError *err)
{
    *velocity = (BwVelocity){0};
    const float values[3] = {background.x, background.y, background.z};
    BwResult result = BW_OK;
    for (int a = 0; a < 3 && result == BW_OK; a++)
        result = bw_field_create(&velocity->u[a], grid, (BwLocation)(BW_AT_FACE_X + a), values[a], err);
    if (result != BW_OK)
        bw_velocity_destroy(velocity);
    return result;
}

void bw_velocity_destroy(BwVelocity *velocity)
{
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&velocity->u[a]);
}

BwVec3 bw_sample_position(const BwGrid *grid, BwTileCoord tile, int index, BwLocation location)
{
    int32_t first[3];
    bw_tile_first_cell(grid, tile, first);
    const int local[3] = {index & 7, index >> 3 & 7, index >> 6};
    float at[3] = {0};
    for (int a = 0; a < 3 && a < grid->dimension;
         a++) // with 3 named, compilers see that nothing is left unset
        at[a] =
            (float)((first[a] + local[a] + (double)bw_location_shift(location, a)) * (double)grid->cell_size);
    return bw_vec3(at[0], at[1], at[2]);
}

// The turn of a solid over the step: axis times angle.
static BwVec3 turn_of(const BwSolidPose *solid)
{
    BwQuat turn = bw_quat_mul(solid->pose.rotation, bw_quat_conjugate(solid->before.rotation));
    BwVec3 axis = bw_mul(bw_vec3(turn.x, turn.y, turn.z), turn.w < 0.0f ? -1.0f : 1.0f);
    float sine = bw_length(axis);
    float angle = (float)(2.0 * atan2((double)sine, fabs((double)turn.w))); // the same on every processor
    return bw_mul(axis, sine > 0.0f ? angle / sine : 0.0f);
}

bool bw_solid_is_at_rest(const BwSolidPose *solid)
{
    return memcmp(&solid->pose, &solid->before, sizeof solid->pose) == 0;
}

static uint64_t mix_shape(uint64_t key, const BwShape *shape)
{
    key = bw_mix_bytes(key, shape, sizeof *shape);
    for (int n = 0; n < shape->part_count; n++)
        key = mix_shape(key, &shape->parts[n]);
    return key;
}

uint64_t bw_solid_mix(uint64_t key, const BwSolidPose *solid)
{
    return bw_mix_bytes(mix_shape(key, solid->shape), &solid->pose, sizeof solid->pose);
}

BwVec3 bw_solid_displacement(const BwSolidPose *solid, BwVec3 point)
{
    return bw_solid_displacement_by(&(BwSolidTurn){0}, solid, point);
}

BwVec3 bw_solid_displacement_by(BwSolidTurn *turn, const BwSolidPose *solid, BwVec3 point)
{
    if (turn->solid != solid)
        *turn = (BwSolidTurn){solid, turn_of(solid)};
    BwVec3 turned = bw_cross(turn->turn, bw_sub(point, solid->pose.position));
    return bw_add(turned, bw_sub(solid->pose.position, solid->before.position));
}

static float solid_distance(const BwSolidPose *solid, BwVec3 point)
{
    return bw_shape_distance(solid->shape, bw_pose_to_local(solid->pose, point));
}

static BwDistanceBounds solid_span(const BwSolidPose *solid, BwVec3 point)
{
    return bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->pose, point));
}

// Whether a point is inside, where bounds of its distance may tell.
static bool holds(const BwSolidPose *solid, BwVec3 point, BwDistanceBounds span)
{
    return span.high < 0.0f || (span.low < 0.0f && solid_distance(solid, point) < 0.0f);
}

// Whether any cell of the tile can lie in the solid, or in its way: the distance at its centre tells.
static bool may_meet(const BwGrid *grid, BwTileCoord coord, const BwSolidPose *solid)
{
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    float h = grid->cell_size, half = 0.5f * BW_TILE * h, z_half = grid->layers == 1 ? 0.0f : half;
    BwVec3 middle =
        bw_vec3((float)first[0] * h + half, (float)first[1] * h + half, (float)first[2] * h + z_half);
    float radius = sqrtf(2.0f * half * half + z_half * z_half) + h;
    float way = bw_length(bw_solid_displacement(solid, middle)) + bw_length(turn_of(solid)) * radius;
    return solid_span(solid, middle).low <= radius + way;
}

// Whether a solid has passed over a point, at this distance or farther from it: followed in its own frame,
// where the point moves (sphere tracing, Hart 1996).
static bool has_passed(const BwSolidPose *solid, BwVec3 point, float distance, float close)
{
    BwVec3 from = bw_pose_to_local(solid->before, point), to = bw_pose_to_local(solid->pose, point);
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along), at = 0.0f;
    if (distance >= length)
        return false;
    if (bw_shape_is_triangles(solid->shape))
        return bw_shape_cross(solid->shape, from, to) <= 1.0f;
    for (int step = 0; step < TRACE_STEPS_MAX && at < length; step++) {
        float clear = bw_shape_distance(solid->shape, bw_add(from, bw_mul(along, at / length)));
        if (clear < close)
            return true;
        at += clear;
    }
    return false;
}

// Half a tile along each axis.
enum { SIZE = BW_TILE / 2 };

// Bounds of the distance at the centres of a block of cells.
static void measure_block(const BwGrid *grid, BwTileCoord coord, const BwSolidPose *solid, int first,
                          BwPlaces *places)
{
    places->count = SIZE * SIZE * (grid->layers == 1 ? 1 : SIZE);
    for (int n = 0; n < places->count; n++) {
        int cell = first + n % SIZE + BW_TILE * (n / SIZE % SIZE) + BW_TILE_LAYER * (n / SIZE / SIZE);
        bw_place_put(places, n, bw_sample_position(grid, coord, cell, BW_AT_CELL));
    }
    bw_places_to_local(places, solid->pose);
    bw_places_measure(places, solid->shape);
}

// The cells of one block of a tile whose centre is in the solid, and those it has passed over. Where the
// distance at the centre of the block tells, cells are not looked at.
static void add_block(const BwGrid *grid, BwTileCoord coord, const BwSolidPose *solid, int block,
                      uint64_t inside[BW_TILE], uint64_t passed[BW_TILE])
{
    int low[3] = {SIZE * (block & 1), SIZE * (block >> 1 & 1), SIZE * (block >> 2)};
    int layers = grid->layers == 1 ? 1 : SIZE;
    int first = low[0] + 8 * low[1] + 64 * low[2], last = first + (SIZE - 1) * 9 + 64 * (layers - 1);
    BwVec3 from = bw_sample_position(grid, coord, first, BW_AT_CELL),
           to = bw_sample_position(grid, coord, last, BW_AT_CELL);
    BwVec3 middle = bw_mul(bw_add(from, to), 0.5f);
    float radius = 0.5f * bw_length(bw_sub(to, from));
    BwDistanceBounds distance = solid_span(solid, middle);
    float way = bw_length(bw_solid_displacement(solid, middle)) + bw_length(turn_of(solid)) * radius,
          close = close_in_cells * grid->cell_size;
    if (distance.low > radius + way + close)
        return;
    bool is_inside = distance.high < -radius;
    BwPlaces places;
    if (!is_inside)
        measure_block(grid, coord, solid, first, &places);
    for (int n = 0; n < SIZE * SIZE * layers; n++) {
        int i = low[0] + n % SIZE, j = low[1] + n / SIZE % SIZE, k = low[2] + n / SIZE / SIZE;
        uint64_t bit = (uint64_t)1 << (i + 8 * j);
        BwDistanceBounds own = is_inside ? distance : (BwDistanceBounds){places.low[n], places.high[n]};
        if (own.low > safely * way + close)
            continue; // no bit of the solid has come so far
        BwVec3 center = bw_sample_position(grid, coord, i + 8 * j + 64 * k, BW_AT_CELL);
        if (holds(solid, center, own))
            inside[k] |= bit;
        else if (!(passed[k] & bit) && has_passed(solid, center, own.low, close))
            passed[k] |= bit;
    }
}

typedef struct Labels {
    BwDomain *domain;
    const BwSolidPose *solids;
    int solid_count;
} Labels;

// The cells of a tile that are solid where the solids are now, and those that they have swept.
static void find_solid_cells(const Labels *labels, int32_t slot, uint64_t solid[BW_TILE],
                             uint64_t swept[BW_TILE])
{
    const BwGrid *grid = labels->domain->grid;
    const BwGridTile *tile = &grid->tiles[slot];
    for (int k = 0; k < grid->layers; k++) {
        swept[k] = bw_mask_tile(&labels->domain->solid, slot)[k];
        solid[k] = 0;
    }
    for (int s = 0; s < labels->solid_count; s++)
        if (may_meet(grid, tile->coord, &labels->solids[s]))
            for (int block = 0; block < (grid->layers == 1 ? 4 : 8); block++)
                add_block(grid, tile->coord, &labels->solids[s], block, solid, swept);
    for (int k = 0; k < grid->layers; k++) {
        solid[k] &= tile->live[k];
        swept[k] &= tile->live[k] & ~solid[k];
    }
}

static void predict_solids(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Labels *labels = context;
    BwDomain *domain = labels->domain;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        find_solid_cells(labels, slot, bw_mask_tile(&domain->next_solid, slot),
                         bw_mask_tile(&domain->next_swept, slot));
    }
}

void bw_domain_predict_solids(BwDomain *domain, const BwSolidPose *solids, int solid_count)
{
    Labels labels = {domain, solids, solid_count};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, predict_solids, &labels);
    domain->has_prediction = true;
}

static void label_solids(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Labels *labels = context;
    BwDomain *domain = labels->domain;
    size_t bytes = (size_t)domain->grid->layers * sizeof(uint64_t);
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = domain->grid->order[n];
        uint64_t solid[BW_TILE], swept[BW_TILE];
        if (domain->has_prediction) {
            memcpy(solid, bw_mask_tile(&domain->next_solid, slot), bytes);
            memcpy(swept, bw_mask_tile(&domain->next_swept, slot), bytes);
        } else {
            find_solid_cells(labels, slot, solid, swept);
        }
        for (int k = 0; k < domain->grid->layers; k++) {
            uint64_t *was = bw_mask_tile(&domain->solid, slot);
            bw_mask_tile(&domain->was_solid, slot)[k] = was[k];
            was[k] = solid[k];
            bw_mask_tile(&domain->swept, slot)[k] = swept[k];
            bw_mask_tile(&domain->open, slot)[k] = bw_mask_tile(&domain->scalar, slot)[k] =
                domain->grid->tiles[slot].live[k] & ~solid[k];
        }
    }
}

// Cells that fluid may be in.
static const BwMask *room_of(const BwDomain *domain)
{
    return domain->cut != NULL ? &domain->cut->room : &domain->open;
}

// Of those, the cells of a layer that it is in.
static uint64_t filled_bits(const BwDomain *domain, int32_t slot, int k)
{
    const BwMask *liquid = domain->terms != NULL ? domain->terms->liquid : NULL;
    return liquid != NULL ? bw_mask_tile(liquid, slot)[k] : ~(uint64_t)0;
}

static void label_fluid(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Labels *labels = context;
    const BwDomain *domain = labels->domain;
    const BwGrid *grid = domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *room = bw_mask_tile(room_of(domain), slot);
        uint64_t *fluid = bw_mask_tile(&domain->fluid, slot);
        uint64_t *inflow = bw_mask_tile(&domain->inflow, slot),
                 *outflow = bw_mask_tile(&domain->outflow, slot);
        for (int k = 0; k < grid->layers; k++) {
            fluid[k] = room[k] & filled_bits(domain, slot, k);
            inflow[k] = outflow[k] = 0;
            for (int side = 0; side < 2 * grid->dimension; side++) {
                BwSideCells cells = bw_side_cells(domain, slot, side, k);
                fluid[k] &= bw_bits_beside(grid, NULL, slot, side, k) | cells.closed;
                inflow[k] |= domain->side[side].kind == BW_WALL_INFLOW ? cells.opening & room[k] : 0;
                outflow[k] |= domain->side[side].kind == BW_WALL_OUTFLOW ? cells.opening & room[k] : 0;
            }
        }
    }
}

// The faces of a layer that solids leave open.
static uint64_t open_bits(const BwDomain *domain, int32_t slot, int axis, int k)
{
    if (domain->cut == NULL || !bw_solids_are_near(domain->cut, slot))
        return ~(uint64_t)0;
    const float *share = bw_field_tile(&domain->cut->open[axis], slot) + BW_TILE_LAYER * k;
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(share[n] > 0.0f) << n;
    return bits;
}

// Faces inside cut solids, which hold the flow beside them (solidflow/solid_flow.h).
static uint64_t inner_bits(const BwDomain *domain, int32_t slot, int axis, uint64_t room, uint64_t room_below,
                           int k)
{
    if (domain->cut == NULL || !bw_solids_are_near(domain->cut, slot))
        return 0;
    uint64_t live_below = bw_bits_beside(domain->grid, NULL, slot, 2 * axis, k);
    return domain->grid->tiles[slot].live[k] & live_below & ~room & ~room_below;
}

static void label_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Labels *labels = context;
    const BwDomain *domain = labels->domain;
    const BwGrid *grid = domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const uint64_t *fluid = bw_mask_tile(&domain->fluid, slot),
                       *room = bw_mask_tile(room_of(domain), slot),
                       *inflow = bw_mask_tile(&domain->inflow, slot);
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                uint64_t fluid_below = bw_bits_beside(grid, &domain->fluid, slot, 2 * a, k);
                uint64_t room_below = bw_bits_beside(grid, room_of(domain), slot, 2 * a, k);
                uint64_t held = inflow[k] | bw_bits_beside(grid, &domain->inflow, slot, 2 * a, k);
                uint64_t inner = inner_bits(domain, slot, a, room[k], room_below, k);
                bw_mask_tile(&domain->face[a], slot)[k] = fluid[k] | fluid_below | held | inner;
                bw_mask_tile(&domain->flow[a], slot)[k] =
                    ((fluid[k] & room_below) | (fluid_below & room[k])) & ~held &
                    open_bits(domain, slot, a, k);
            }
    }
}

void bw_domain_label(BwDomain *domain, const BwSolidPose *solids, int solid_count)
{
    Labels labels = {domain, solids, solid_count};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, label_solids, &labels);
    domain->has_prediction = false;
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, label_fluid, &labels);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, label_faces, &labels);
}

static void keep_solids(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Labels *labels = context;
    const BwDomain *domain = labels->domain;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < domain->grid->layers; k++) {
            int32_t slot = domain->grid->order[n];
            bw_mask_tile(&domain->was_solid, slot)[k] = bw_mask_tile(&domain->solid, slot)[k];
            bw_mask_tile(&domain->swept, slot)[k] = 0;
        }
}

void bw_domain_label_sides(BwDomain *domain)
{
    Labels labels = {.domain = domain};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, keep_solids, &labels);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, label_fluid, &labels);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, label_faces, &labels);
}

typedef struct WallVelocity {
    const BwDomain *domain;
    BwVelocity *velocity;
    const BwSolidPose *solids;
    int solid_count;
    float dt;
} WallVelocity;

// Speed of the solid nearest to a face, from where that bit of it was a step ago; 0 where a wall is nearer.
static float solid_speed(const WallVelocity *job, int32_t slot, int cell, int axis)
{
    const BwDomain *domain = job->domain;
    if (domain->cut != NULL)
        return bw_field_tile(&domain->cut->speed[axis], slot)[cell];
    BwVec3 point = bw_sample_position(domain->grid, domain->grid->tiles[slot].coord, cell,
                                      (BwLocation)(BW_AT_FACE_X + axis));
    float nearest = job->domain->grid->cell_size;
    BwVec3 speed = {0};
    for (int s = 0; s < job->solid_count; s++) {
        const BwSolidPose *solid = &job->solids[s];
        float distance = solid_distance(solid, point);
        if (distance >= nearest)
            continue;
        nearest = distance;
        speed = bw_mul(bw_solid_displacement(solid, point), 1.0f / job->dt);
    }
    return axis == 0 ? speed.x : axis == 1 ? speed.y : speed.z;
}

static void set_wall_velocity(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const WallVelocity *job = context;
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                uint64_t closed =
                    bw_mask_tile(&domain->face[a], slot)[k] & ~bw_mask_tile(&domain->flow[a], slot)[k];
                float *u = bw_field_tile(&job->velocity->u[a], slot) + BW_TILE_LAYER * k;
                uint64_t held = bw_mask_tile(&domain->inflow, slot)[k] |
                                bw_bits_beside(grid, &domain->inflow, slot, 2 * a, k);
                for (; closed != 0; closed &= closed - 1) {
                    int index = __builtin_ctzll(closed);
                    int cell = BW_TILE_LAYER * k + index;
                    u[index] = held >> index & 1 ? bw_inflow_speed(domain, slot, cell, a)
                                                 : solid_speed(job, slot, cell, a);
                }
            }
    }
}

void bw_domain_set_wall_velocity(const BwDomain *domain, BwVelocity *velocity, const BwSolidPose *solids,
                                 int solid_count, float dt)
{
    WallVelocity job = {domain, velocity, solids, solid_count, dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, set_wall_velocity, &job);
}
