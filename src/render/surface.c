// Solids by sphere tracing (Hart 1996): step along the ray by the distance to the nearest surface, which can
// never overshoot. Rays are taken to the frame of the shape in double, so solids far from the origin stay
// exact.
#include "render/surface.h"

#include "base/extremes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"

#include <math.h>

enum { STEPS_MAX = 160 };

#define TRACE_MAX  60.0f // times the size of the scene: farther away is the backdrop
#define TOUCH      1e-4f // times the size of the scene: near enough to be a hit
#define SOFT_FROM  0.01f // times the size of the scene: shadows of what is nearer have sharp rims
#define LOOK_AHEAD 0.3f  // of the way so far, for what stands beside it
#define NEAR       8.0f  // times that: as far off a place on a mesh may be
#define LAMP_WIDTH 0.06f // tangent of half the angle of a lamp, for the softness of shadows

static BwSolidView view_of(const BwFrameSolid *solid)
{
    BwBox box = bw_shape_bounds(solid->shape);
    BwVec3 size = bw_sub(box.high, box.low);
    float radius = 0.5f * bw_length(size);
    bool is_bounded = isfinite(radius);
    return (BwSolidView){solid, is_bounded ? bw_add(box.low, bw_mul(size, 0.5f)) : bw_vec3(0.0f, 0.0f, 0.0f),
                         is_bounded ? radius : INFINITY};
}

BwResult bw_solids_set(BwSolids *solids, const BwFrame *frame, bool is_glass, float scene_size, BwError *err)
{
    BW_TRY(bw_reserve(&solids->allocator, (void **)&solids->views, &solids->capacity, frame->solid_count,
                      sizeof *solids->views, err));
    solids->size = scene_size;
    solids->count = 0;
    for (int n = 0; n < frame->solid_count; n++)
        if (frame->solids[n].is_glass == is_glass)
            solids->views[solids->count++] = view_of(&frame->solids[n]);
    return BW_OK;
}

void bw_solids_free(BwSolids *solids)
{
    bw_free(&solids->allocator, solids->views, (size_t)solids->capacity * sizeof *solids->views, BW_ALIGN);
    *solids = (BwSolids){.allocator = solids->allocator};
}

static BwVec3 to_shape(const BwSolidView *view, const double place[3])
{
    const BwPose *pose = &view->solid->pose;
    BwVec3 offset =
        bw_vec3((float)(place[0] - (double)pose->position.x), (float)(place[1] - (double)pose->position.y),
                (float)(place[2] - (double)pose->position.z));
    return bw_quat_rotate(bw_quat_conjugate(pose->rotation), offset);
}

// A ray in the frame of a shape, and the part of it that may meet the shape.
typedef struct LocalRay {
    BwVec3 origin, direction;
    float t_in, t_out;
} LocalRay;

// The width of a ray: its radius at the origin, and what it grows by per distance.
typedef struct Cone {
    float radius, growth;
} Cone;

// False when the cone round the ray passes the ball that holds the shape.
static bool to_local(const BwSolidView *view, const double origin[3], BwVec3 direction, float t_max,
                     Cone cone, LocalRay *ray)
{
    ray->origin = to_shape(view, origin);
    ray->direction = bw_quat_rotate(bw_quat_conjugate(view->solid->pose.rotation), direction);
    ray->t_in = 0.0f;
    ray->t_out = t_max;
    if (isinf(view->radius))
        return true;
    BwVec3 to_center = bw_sub(view->center, ray->origin);
    float along = bw_dot(to_center, ray->direction);
    float radius = view->radius * 1.001f + cone.radius + cone.growth * bw_larger(along, 0.0f);
    float half = radius * radius - (bw_dot(to_center, to_center) - along * along);
    if (half <= 0.0f)
        return false;
    half = sqrtf(half);
    ray->t_in = bw_larger(ray->t_in, along - half);
    ray->t_out = bw_smaller(ray->t_out, along + half);
    return ray->t_in < ray->t_out;
}

static float distance_at(const BwSolidView *view, const LocalRay *ray, float t)
{
    return bw_shape_distance(view->solid->shape, bw_add(ray->origin, bw_mul(ray->direction, t)));
}

bool bw_solids_may_hit(const BwSolids *solids, const double origin[3], BwVec3 direction, float spread)
{
    LocalRay ray;
    for (int n = 0; n < solids->count; n++)
        if (to_local(&solids->views[n], origin, direction, INFINITY, (Cone){0.0f, spread}, &ray))
            return true;
    return false;
}

bool bw_solids_may_shade(const BwSolids *solids, const double center[3], float radius, BwVec3 direction)
{
    LocalRay ray;
    Cone cone = {radius * (1.0f + LAMP_WIDTH), LAMP_WIDTH};
    for (int n = 0; n < solids->count; n++)
        if (to_local(&solids->views[n], center, direction, INFINITY, cone, &ray))
            return true;
    return false;
}

int bw_solids_trace(const BwSolids *solids, const double origin[3], BwVec3 direction, float *t_hit)
{
    int hit = -1;
    *t_hit = fminf(*t_hit, TRACE_MAX * solids->size);
    for (int n = 0; n < solids->count; n++) {
        LocalRay ray;
        const BwSolidView *view = &solids->views[n];
        if (!to_local(view, origin, direction, *t_hit, (Cone){0.0f, 0.0f}, &ray))
            continue;
        BwVec3 from = bw_add(ray.origin, bw_mul(ray.direction, ray.t_in)),
               to = bw_add(ray.origin, bw_mul(ray.direction, ray.t_out));
        float share = bw_shape_meet(view->solid->shape, from, to, TOUCH * solids->size);
        if (share <= 1.0f) {
            *t_hit = ray.t_in + share * (ray.t_out - ray.t_in);
            hit = n;
        }
    }
    return hit;
}

float bw_solids_touch(const BwSolids *solids)
{
    return TOUCH * solids->size;
}

// By the triangles of a mesh; else by steps as long as the depth allows.
float bw_solids_way_out(const BwSolids *solids, int solid, const double origin[3], BwVec3 direction,
                        float t_max)
{
    const BwSolidView *view = &solids->views[solid];
    LocalRay ray;
    float touch = TOUCH * solids->size, t = 0.0f;
    if (!to_local(view, origin, direction, bw_smaller(t_max, TRACE_MAX * solids->size), (Cone){0.0f, 0.0f},
                  &ray))
        return 0.0f;
    if (bw_shape_is_triangles(view->solid->shape)) {
        BwVec3 end = bw_add(ray.origin, bw_mul(ray.direction, ray.t_out));
        return bw_smaller(bw_shape_cross(view->solid->shape, ray.origin, end), 1.0f) * ray.t_out;
    }
    for (int step = 0; step < STEPS_MAX && t < ray.t_out; step++) {
        float depth = -distance_at(view, &ray, t);
        if (depth < 0.0f)
            break;
        t += bw_larger(depth, touch);
    }
    return bw_smaller(t, ray.t_out);
}

static float rise_along(const BwSolidView *view, BwVec3 place, BwVec3 step)
{
    return bw_shape_distance(view->solid->shape, bw_add(place, step)) -
           bw_shape_distance(view->solid->shape, bw_sub(place, step));
}

BwVec3 bw_solids_normal(const BwSolids *solids, int solid, const double place[3])
{
    const BwSolidView *view = &solids->views[solid];
    BwVec3 p = to_shape(view, place), normal;
    if (!bw_shape_smooth_normal(view->solid->shape, p, NEAR * TOUCH * solids->size, &normal))
        return bw_solids_face(solids, solid, place);
    return bw_quat_rotate(view->solid->pose.rotation, normal);
}

BwVec3 bw_solids_face(const BwSolids *solids, int solid, const double place[3])
{
    const BwSolidView *view = &solids->views[solid];
    BwVec3 p = to_shape(view, place);
    float e = 2.0f * TOUCH * solids->size;
    // Taps on both sides: fewer would lean at edges, which then are lit by nothing.
    BwVec3 gradient =
        bw_vec3(rise_along(view, p, bw_vec3(e, 0.0f, 0.0f)), rise_along(view, p, bw_vec3(0.0f, e, 0.0f)),
                rise_along(view, p, bw_vec3(0.0f, 0.0f, e)));
    return bw_quat_rotate(view->solid->pose.rotation, bw_normalize(gradient));
}

float bw_solids_gap(const BwSolids *solids, const double place[3], float reach)
{
    float distance = reach;
    for (int n = 0; n < solids->count; n++) {
        const BwSolidView *view = &solids->views[n];
        BwVec3 p = to_shape(view, place);
        if (!(bw_length(bw_sub(p, view->center)) < view->radius + reach))
            continue;
        BwDistanceBounds bounds = bw_shape_distance_bounds(view->solid->shape, p);
        if (bounds.high < -reach) // deep inside, where nobody asks how deep
            distance = bw_smaller(distance, bounds.high);
        else if (bounds.low < distance)
            distance = bw_smaller(distance, bw_shape_distance(view->solid->shape, p));
    }
    return distance;
}

// The narrowest gap between ray and shape, measured against the lamp's width there, says how much of the lamp
// is covered.
static float light_past(const BwSolidView *view, const LocalRay *ray, float touch)
{
    float openness = 1.0f;
    float t = fmaxf(ray->t_in, 4.0f * touch);
    for (int step = 0; step < STEPS_MAX && t < ray->t_out; step++) {
        float distance = distance_at(view, ray, t);
        openness = bw_smaller(openness, 0.5f + 0.5f * distance / (LAMP_WIDTH * t));
        if (openness <= 0.0f)
            return 0.0f;
        t += bw_larger(fabsf(distance), 0.02f * t + touch);
    }
    return openness * openness * (3.0f - 2.0f * openness);
}

// The same of triangles, which hide the lamp altogether where the ray crosses one: the gap beside the others
// needs no sign, and no farther a look than tells how long a step may be.
static float light_past_triangles(const BwSolidView *view, const LocalRay *ray, float touch)
{
    float openness = 1.0f, t = fmaxf(ray->t_in, 4.0f * touch);
    const BwShape *shape = view->solid->shape;
    if (t >= ray->t_out)
        return 1.0f;
    if (bw_shape_cross(shape, bw_add(ray->origin, bw_mul(ray->direction, t)),
                       bw_add(ray->origin, bw_mul(ray->direction, ray->t_out))) <= 1.0f)
        return 0.0f;
    t = fmaxf(t, SOFT_FROM / TOUCH * touch);
    for (int step = 0; step < STEPS_MAX && t < ray->t_out; step++) {
        BwVec3 at = bw_add(ray->origin, bw_mul(ray->direction, t));
        float gap = bw_shape_gap(shape, at, LOOK_AHEAD * t);
        openness = bw_smaller(openness, gap / (LAMP_WIDTH * t));
        t += bw_larger(gap, 0.02f * t + touch);
    }
    return openness * openness * (3.0f - 2.0f * openness);
}

float bw_solids_light(const BwSolids *solids, const double place[3], BwVec3 direction)
{
    float light = 1.0f;
    for (int n = 0; n < solids->count && light > 0.0f; n++) {
        LocalRay ray;
        if (to_local(&solids->views[n], place, direction, TRACE_MAX * solids->size, (Cone){0.0f, LAMP_WIDTH},
                     &ray))
            light *= bw_shape_is_triangles(solids->views[n].solid->shape)
                         ? light_past_triangles(&solids->views[n], &ray, TOUCH * solids->size)
                         : light_past(&solids->views[n], &ray, TOUCH * solids->size);
    }
    return light;
}

float bw_solids_openness(const BwSolids *solids, const double place[3], BwVec3 normal)
{
    float openness = 1.0f;
    for (int n = 0; n < solids->count; n++) {
        const BwSolidView *view = &solids->views[n];
        BwVec3 p = to_shape(view, place);
        BwVec3 up = bw_quat_rotate(bw_quat_conjugate(view->solid->pose.rotation), normal);
        float reach = isinf(view->radius) ? 0.1f * solids->size : view->radius;
        if (bw_length(bw_sub(p, view->center)) > view->radius + 3.0f * reach)
            continue;
        float covered = 0.0f, weight = 0.5f;
        for (int tap = 1; tap <= 4; tap++) {
            float height = reach * 0.25f * (float)(tap * tap) / 2.0f;
            float distance = bw_shape_distance(view->solid->shape, bw_add(p, bw_mul(up, height)));
            covered += weight * fmaxf(height - distance, 0.0f) / height;
            weight *= 0.5f;
        }
        openness *= fmaxf(1.0f - covered, 0.0f);
    }
    return openness;
}
