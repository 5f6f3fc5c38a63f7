// Paths against distances: sphere tracing (Hart 1996) where a formula or a field gives them, rays where there
// are triangles.
#include "particle/collide.h"

#include "base/extremes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"
#include "solid/ways.h"

#include <math.h>

// How far from a surface a particle is kept, in cells.
static const float clearance = 0.01f;

// How near it may come before that matters.
static const float touching = 0.005f;

enum { TRACE_STEPS_MAX = 32 };

void bw_collider_begin(BwCollider *collider, const BwCollision *collision, const BwGrid *grid, int32_t slot)
{
    int32_t first[3];
    float at[3] = {0};
    collider->grid = grid;
    collider->list = collider->few;
    collider->count = 0;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        collider->origin[a] = a < grid->dimension ? first[a] * (double)grid->cell_size : 0.0;
        at[a] = (float)(collider->origin[a] +
                        (a < grid->dimension ? 0.5 * BW_TILE * (double)grid->cell_size : 0.0));
    }
    BwVec3 middle = bw_vec3(at[0], at[1], at[2]);
    float radius = (7.0f + collision->reach) * grid->cell_size; // half of the diagonal, and the way
    for (int s = 0; s < collision->solid_count; s++) {
        const BwSolidPose *solid = &collision->solids[s];
        float before = bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->before, middle)).low;
        float after = bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->pose, middle)).low;
        if (bw_smaller(before, after) > radius)
            continue;
        if (collider->count == BW_NEAR_SOLIDS_MAX) {
            collider->list = collision->solids;
            collider->count = collision->solid_count;
            return;
        }
        collider->few[collider->count++] = *solid;
    }
}

// The share of a path that is free of the solid, 1: all of it. It starts outside. A path along a surface
// makes no way in steps as long as its distance from it: it is free unless it ends on the other side of a
// sheet, where the distance rises the other way, or of a wall.
static float free_part(const BwShape *shape, BwVec3 from, BwVec3 to, float near, float h, bool is_flat)
{
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along), at = 0.0f;
    if (!(length > 0.0f))
        return 1.0f;
    if (bw_shape_is_triangles(shape))
        return bw_smaller(1.0f, bw_shape_cross(shape, from, to));
    for (int step = 0; step < TRACE_STEPS_MAX && at < length; step++) {
        float clear = bw_shape_distance(shape, bw_add(from, bw_mul(along, at / length)));
        if (clear < near)
            return at / length;
        at += clear;
    }
    if (at >= length)
        return 1.0f;
    float step = 0.1f * touching * h;
    bool is_across = bw_dot(bw_shape_slope_at(shape, from, step, is_flat),
                            bw_shape_slope_at(shape, to, step, is_flat)) < -0.5f;
    return is_across || !bw_shape_way_leads_past(shape, from, to, h, is_flat) ? at / length : 1.0f;
}

// A place outside of the solid that the end of a path is moved to. One that starts inside, as a half of a
// particle that was split beside a wall may, is taken to start where it is nearest to being outside: a
// particle that has got a little into a thin wall comes back on the side that it came from.
static BwVec3 put_back(const BwShape *shape, BwVec3 from, BwVec3 to, float h, bool is_flat)
{
    if (bw_shape_distance(shape, from) < 0.0f)
        from = bw_shape_push_out(shape, from, h, is_flat);
    float start = bw_shape_distance(shape, from);
    bool was_outside = start >= 0.0f;
    float part =
        was_outside ? free_part(shape, from, to, bw_smaller(touching * h, 0.5f * start), h, is_flat) : 0.0f;
    BwVec3 end = bw_shape_push_out(shape, to, h, is_flat);
    bool is_out = bw_shape_distance(shape, end) >= touching * h;
    // Out on the side that it came from, and not on the other one.
    if (is_out && (!was_outside || free_part(shape, from, end, 0.0f, h, is_flat) >= 1.0f))
        return end;
    BwVec3 hit = bw_add(from, bw_mul(bw_sub(to, from), bw_larger(0.0f, part - 1e-3f)));
    return was_outside && bw_shape_distance(shape, hit) >= 0.0f ? hit : from;
}

static bool collide_with(const BwSolidPose *solid, float h, bool is_flat, BwVec3 from_world, BwVec3 *to_world)
{
    BwVec3 from = bw_pose_to_local(solid->before, from_world), to = bw_pose_to_local(solid->pose, *to_world);
    float way = bw_length(bw_sub(to, from));
    BwDistanceBounds bounds = bw_shape_distance_bounds(solid->shape, to);
    if (bounds.low > way + touching * h)
        return false;
    bool is_in = bw_shape_distance(solid->shape, to) < touching * h;
    if (!is_in && (way < touching * h || free_part(solid->shape, from, to, 0.0f, h, is_flat) >= 1.0f))
        return false;
    *to_world = bw_pose_to_world(solid->pose, put_back(solid->shape, from, to, h, is_flat));
    return true;
}

static BwParticleContact contact_with(const BwSolidPose *solid, float h, bool is_flat, BwVec3 point)
{
    BwVec3 slope = bw_shape_slope_at(solid->shape, bw_pose_to_local(solid->pose, point), 0.1f * h, is_flat);
    return (BwParticleContact){bw_quat_rotate(solid->pose.rotation, slope),
                               bw_solid_displacement(solid, point)};
}

static BwVec3 point_of(const BwCollider *collider, const float place[3])
{
    double h = (double)collider->grid->cell_size;
    return bw_vec3((float)(collider->origin[0] + h * (double)place[0]),
                   (float)(collider->origin[1] + h * (double)place[1]),
                   (float)(collider->origin[2] + h * (double)place[2]));
}

bool bw_collide(const BwCollider *collider, const float start[3], float place[3], BwParticleContact *contact)
{
    float h = collider->grid->cell_size;
    bool is_flat = collider->grid->dimension == 2, has_met = false;
    if (collider->count == 0)
        return false;
    BwVec3 from = point_of(collider, start), to = point_of(collider, place), end = to;
    for (int s = 0; s < collider->count; s++) {
        if (!collide_with(&collider->list[s], h, is_flat, from, &end))
            continue;
        *contact = contact_with(&collider->list[s], h, is_flat, end);
        has_met = true;
    }
    const float moved[3] = {end.x - to.x, end.y - to.y, end.z - to.z};
    for (int a = 0; a < collider->grid->dimension; a++)
        place[a] += moved[a] / h;
    return has_met;
}

void bw_push_off(const BwCollider *collider, float cells, float place[3])
{
    float h = collider->grid->cell_size, least = INFINITY;
    const BwSolidPose *nearest = NULL;
    BwVec3 point = point_of(collider, place);
    for (int s = 0; s < collider->count; s++) {
        const BwSolidPose *solid = &collider->list[s];
        float distance = bw_shape_distance(solid->shape, bw_pose_to_local(solid->pose, point));
        nearest = distance < least ? solid : nearest;
        least = bw_smaller(distance, least);
    }
    if (nearest == NULL)
        return;
    BwVec3 normal = contact_with(nearest, h, collider->grid->dimension == 2, point).normal;
    for (int a = 0; a < collider->grid->dimension; a++)
        place[a] += cells * bw_component(normal, a);
}

// Whether a side keeps a particle at this place of it.
static bool keeps_in(const BwBoxSide *side, const BwGrid *grid, BwVec3 point)
{
    return side->kind == BW_WALL_CLOSED || !bw_box_side_holds(side, grid, point);
}

static BwVec3 point_in_tile(const BwGrid *grid, const int32_t first[3], const float place[3])
{
    double h = (double)grid->cell_size;
    return bw_vec3((float)(h * (first[0] + (double)place[0])), (float)(h * (first[1] + (double)place[1])),
                   grid->dimension == 3 ? (float)(h * (first[2] + (double)place[2])) : 0.0f);
}

void bw_room_in_box(const BwGrid *grid, int32_t slot, float low[3], float high[3])
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        bool is_free = !grid->has_bounds || a >= grid->dimension || grid->period[a] != 0;
        low[a] = is_free ? -INFINITY : (float)(grid->bounds.low[a] - first[a]) + clearance;
        high[a] = is_free ? INFINITY : (float)(grid->bounds.high[a] - first[a]) - clearance;
    }
}

unsigned bw_keep_in_box(const BwCollision *collision, const BwGrid *grid, int32_t slot, float place[3])
{
    int32_t first[3];
    float low[3], high[3];
    unsigned met = 0;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    bw_room_in_box(grid, slot, low, high);
    for (int a = 0; a < grid->dimension; a++) {
        bool is_low = (place[a] < low[a]), is_high = (place[a] > high[a]);
        if (!is_low && !is_high)
            continue;
        const BwBoxSide *side = &collision->sides[2 * a + is_high];
        if (!keeps_in(side, grid, point_in_tile(grid, first, place)))
            continue;
        place[a] = is_low ? low[a] : high[a];
        met |= 1u << a;
    }
    return met;
}
