// Rays through water: where they cross its surface, by steps no longer than the distance to it (Hart 1996),
// and how long their way through it is.
#include "base/extremes.h"
#include "render/ray_walk.h"
#include "render/ripples.h"
#include "render/water_mesh.h"
#include "render/water_spline.h"

#define ROUGH      1.4f  // cells: farther than this a linear distance will do
#define STEP_SHARE 0.9f  // of the distance to the surface, for phi is no exact distance
#define STEP_MIN   0.12f // cells: water or air thinner than this may be missed
#define SETTLE_MAX 0.5f  // cells within which a ray must be on the side where it is said to start
#define CUT_REACH  1e-3f // cells: what ends a ray so close before a wall lies on it
#define ROOT_STEPS 5

#define LENGTH_STEP 0.5f // cells
#define FAR_OUT     4.0f // the distance where there is no water near

void bw_water_place(const BwWater *water, const double point[3], float place[3])
{
    for (int a = 0; a < 3; a++)
        place[a] = (float)((point[a] - water->origin[a]) / (double)water->cell);
}

static float distance_in(const BwWater *water, const BwWaterBrick *brick, const float place[3],
                         BwVec3 *gradient)
{
    if (brick->values < 0)
        return -FAR_OUT;
    const float *values = water->values[brick->values];
    const float at[3] = {place[0] - (float)(BW_BRICK * brick->place[0]),
                         place[1] - (float)(BW_BRICK * brick->place[1]),
                         place[2] - (float)(BW_BRICK * brick->place[2])};
    if (gradient != NULL)
        *gradient = bw_spline_gradient(values, at);
    return bw_spline_value(values, at);
}

// The same, only roughly where the surface is far.
static float rough_distance_in(const BwWater *water, const BwWaterBrick *brick, const float place[3])
{
    const float *values = water->values[brick->values];
    const float at[3] = {place[0] - (float)(BW_BRICK * brick->place[0]),
                         place[1] - (float)(BW_BRICK * brick->place[1]),
                         place[2] - (float)(BW_BRICK * brick->place[2])};
    float rough = bw_linear_value(values, at);
    return fabsf(rough) > ROUGH ? rough : bw_spline_value(values, at);
}

static const BwWaterBrick *brick_at(const BwWater *water, const float place[3])
{
    int32_t at[3];
    for (int a = 0; a < 3; a++) {
        float brick = floorf(place[a] / (float)BW_BRICK);
        if (!(brick >= (float)water->map.low[a] && brick <= (float)water->map.high[a]))
            return NULL;
        at[a] = (int32_t)brick;
    }
    const BwRegion *region = bw_brick_map_region(&water->map, at[0] >> 3, at[1] >> 3, at[2] >> 3);
    int32_t n = region != NULL ? region->bricks[bw_brick_slot(at)] : -1;
    return n >= 0 ? &water->bricks[n] : NULL;
}

float bw_water_distance(const BwWater *water, const float place[3], BwVec3 *gradient)
{
    const BwWaterBrick *brick = brick_at(water, place);
    if (gradient != NULL)
        *gradient = bw_vec3(0.0f, 0.0f, 0.0f);
    return brick != NULL ? distance_in(water, brick, place, gradient) : FAR_OUT;
}

bool bw_water_holds(const BwWater *water, const float place[3])
{
    if (water->mesh != NULL)
        return bw_water_mesh_holds(water->mesh, place);
    for (int a = 0; a < 3; a++)
        if (!(place[a] >= water->low[a] && place[a] <= water->high[a]))
            return false;
    return bw_water_distance(water, place, NULL) < 0.0f;
}

// A ray, and the part of it between the walls.
typedef struct Path {
    const BwWater *water;
    float origin[3], direction[3];
    float t_in, t_out;
    int axis_in, axis_out; // of the walls there; -1: the ray begins or ends between them
} Path;

static bool find_path(Path *path, const BwWater *water, const float origin[3], BwVec3 direction, float t_max)
{
    *path = (Path){
        water, {origin[0], origin[1], origin[2]}, {direction.x, direction.y, direction.z}, 0.0f, t_max, -1,
        -1};
    for (int a = 0; a < 3; a++) {
        float inverse = 1.0f / (fabsf(path->direction[a]) > 1e-9f ? path->direction[a] : 1e-9f);
        float t_low = (water->low[a] - origin[a]) * inverse, t_high = (water->high[a] - origin[a]) * inverse;
        float first = bw_smaller(t_low, t_high), last = bw_larger(t_low, t_high);
        if (first > path->t_in) {
            path->t_in = first;
            path->axis_in = a;
        }
        if (last < path->t_out) {
            path->t_out = last;
            path->axis_out = a;
        }
    }
    return path->t_in < path->t_out;
}

static void place_on(const Path *path, float t, float place[3])
{
    for (int a = 0; a < 3; a++)
        place[a] = path->origin[a] + t * path->direction[a];
}

static float distance_on(const Path *path, float t)
{
    float place[3];
    place_on(path, t, place);
    return bw_water_distance(path->water, place, NULL);
}

static BwVec3 wall_normal(const Path *path, int axis, float sign)
{
    float along = path->direction[axis] > 0.0f ? sign : -sign;
    return bw_vec3(axis == 0 ? along : 0.0f, axis == 1 ? along : 0.0f, axis == 2 ? along : 0.0f);
}

// A ray on its way to a crossing. It has settled once it was seen on the side where it is.
typedef struct Search {
    Path path;
    bool is_inside, has_settled;
    bool is_at_wall;   // nothing was sampled since it came in through a wall
    float t, distance; // of the last sample
} Search;

// The root between two samples of unlike sign, by false position, with bisection where that is slow.
static void find_root(const Path *path, float t_a, float a, float t_b, float b, BwCrossing *crossing)
{
    float side = a < 0.0f ? 1.0f : -1.0f;
    for (int n = 0; n < ROOT_STEPS; n++) {
        float share = a / (a - b);
        share = bw_smaller(bw_larger(share, 0.08f), 0.92f);
        float t = t_a + share * (t_b - t_a), value = distance_on(path, t);
        if ((value < 0.0f) == (a < 0.0f)) {
            t_a = t;
            a = value;
        } else {
            t_b = t;
            b = value;
        }
    }
    crossing->t = t_a + a / (a - b) * (t_b - t_a);
    float place[3];
    BwVec3 gradient;
    place_on(path, crossing->t, place);
    bw_water_distance(path->water, place, &gradient);
    if (!(bw_dot(gradient, gradient) > 0.0f)) // at the end of what is known of the water
        gradient = bw_vec3(side * path->direction[0], side * path->direction[1], side * path->direction[2]);
    crossing->normal = bw_normalize(gradient);
}

// Takes a sample into the search. True where the ray has crossed the surface before it.
static bool take(Search *search, float t, float distance, BwCrossing *crossing)
{
    bool is_water = distance < 0.0f;
    if (is_water == search->is_inside) {
        search->has_settled = true;
    } else if (search->has_settled) {
        if (search->is_at_wall && t <= search->t + CUT_REACH) { // which cuts the water here
            crossing->t = t;
            crossing->normal = wall_normal(&search->path, search->path.axis_in, -1.0f);
        } else {
            find_root(&search->path, search->t, search->distance, t, distance, crossing);
        }
        return true;
    } else if (t > SETTLE_MAX) {
        search->is_inside = is_water;
        search->has_settled = true;
    }
    search->is_at_wall = false;
    search->t = t;
    search->distance = distance;
    return false;
}

static bool search_brick(Search *search, const BwWaterBrick *brick, float t_in, float t_out,
                         BwCrossing *crossing)
{
    float t = bw_larger(search->t, t_in);
    if (brick->values < 0)
        return take(search, t, -FAR_OUT, crossing) || take(search, t_out, -FAR_OUT, crossing);
    while (t < t_out) {
        float place[3];
        place_on(&search->path, t, place);
        float distance = rough_distance_in(search->path.water, brick, place);
        if (take(search, t, distance, crossing))
            return true;
        t += bw_larger(STEP_SHARE * fabsf(distance), STEP_MIN);
    }
    return false;
}

// Behind the last brick there is air, or a wall.
static bool search_end(Search *search, float t_max, BwCrossing *crossing)
{
    const Path *path = &search->path;
    bool is_cut = path->axis_out >= 0 && path->t_out < t_max - CUT_REACH;
    if (!search->is_inside || !is_cut)
        return false;
    crossing->t = path->t_out;
    crossing->normal = wall_normal(path, path->axis_out, 1.0f);
    return true;
}

static bool search_level_set(const BwWater *water, const float origin[3], BwVec3 direction, float t_max,
                             bool *is_inside, BwCrossing *crossing)
{
    Search search = {.is_inside = *is_inside};
    BwRayWalk walk;
    float t_in, t_out, t_end = 0.0f;
    bool has_crossed = false;
    if (!find_path(&search.path, water, origin, direction, t_max) ||
        !bw_ray_walk_begin(&walk, &water->map, origin, search.path.direction, search.path.t_in,
                           search.path.t_out))
        return false;
    search.t = search.path.t_in;
    search.distance = FAR_OUT;
    search.has_settled = search.is_at_wall = !*is_inside && search.path.axis_in >= 0;
    t_end = walk.t;
    for (int32_t n; !has_crossed && (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0; t_end = t_out) {
        if (t_in > t_end + CUT_REACH) // bricks that are not there are air
            has_crossed = take(&search, bw_larger(t_end, search.t), FAR_OUT, crossing);
        has_crossed = has_crossed || search_brick(&search, &water->bricks[n], t_in, t_out, crossing);
    }
    if (!has_crossed && t_end < search.path.t_out - CUT_REACH)
        has_crossed = take(&search, bw_larger(t_end, search.t), FAR_OUT, crossing);
    has_crossed = has_crossed || search_end(&search, t_max, crossing);
    *is_inside = search.is_inside;
    crossing->face = crossing->normal;
    return has_crossed;
}

bool bw_water_cross_at(const BwWater *water, float time, const float origin[3], BwVec3 direction, float t_max,
                       bool *is_inside, BwCrossing *crossing)
{
    if (water->mesh != NULL)
        return bw_water_mesh_cross(water->mesh, origin, direction, t_max, time, is_inside, crossing);
    return search_level_set(water, origin, direction, t_max, is_inside, crossing);
}

bool bw_water_cross(const BwWater *water, const float origin[3], BwVec3 direction, float t_max,
                    bool *is_inside, BwCrossing *crossing)
{
    return bw_water_cross_at(water, 0.5f, origin, direction, t_max, is_inside, crossing);
}

bool bw_water_cross_rippled(const BwWater *water, float time, const float origin[3], BwVec3 direction,
                            float t_max, bool *is_inside, BwCrossing *crossing)
{
    bool crosses = bw_water_cross_at(water, time, origin, direction, t_max, is_inside, crossing);
    if (crosses && water->ripples != NULL)
        bw_ripples_tilt(water->ripples, origin, direction, crossing);
    return crosses;
}

static float length_in(const BwWater *water, const Path *path, const BwWaterBrick *brick, float t_in,
                       float t_out)
{
    float length = 0.0f, at[3];
    if (brick->values < 0)
        return t_out - t_in;
    const float *values = water->values[brick->values];
    for (float t = t_in; t < t_out;) {
        for (int a = 0; a < 3; a++)
            at[a] = path->origin[a] + t * path->direction[a] - (float)(BW_BRICK * brick->place[a]);
        float distance = bw_linear_value(values, at);
        float step = bw_smaller(bw_larger(STEP_SHARE * fabsf(distance), LENGTH_STEP), t_out - t);
        length += step * bw_smaller(bw_larger(0.5f - distance, 0.0f), 1.0f);
        t += bw_larger(step, 1e-3f);
    }
    return length;
}

float bw_water_length(const BwWater *water, const float origin[3], BwVec3 direction)
{
    Path path;
    BwRayWalk walk;
    float t_in, t_out, length = 0.0f;
    bool is_inside;
    if (water->mesh != NULL)
        return bw_water_mesh_length(water->mesh, origin, direction, &is_inside);
    if (!find_path(&path, water, origin, direction, INFINITY) ||
        !bw_ray_walk_begin(&walk, &water->map, origin, path.direction, path.t_in, path.t_out))
        return 0.0f;
    for (int32_t n; (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;)
        length += length_in(water, &path, &water->bricks[n], t_in, t_out);
    return length;
}
