// Rays through water. At a surface a ray is split into what is reflected and what is refracted (Fresnel);
// the larger part goes on, the other waits, as long as it would show. In water light is swallowed (Beer and
// Lambert), and a little is scattered, so that deep water has a colour of its own.
#include "render/water_light.h"

#include "base/extremes.h"
#include "render/optics.h"

#include <string.h>

enum { BRANCHES_MAX = 12, CROSSINGS_MAX = 8, SEGMENTS_MAX = 32 };

#define SHARE_MIN 0.03f // of the light of a pixel: less is taken from the sky, whatever stands there
#define LIFT      0.02f // cells by which a ray starts off the surface

// The lamp as it is seen: a disc with a soft rim, of this half width, that sends as much light as the lamp.
#define DISC_WIDTH 0.07f
#define DISC_MOST  8.0f // times what a white card sends: more would only make single pixels glitter

#define SCATTERED 0.28f // of the light that falls into deep water comes back, in its colour
// Shadows of water: refraction takes light away from where it would go, and brings as much elsewhere.
#define SHADOW_IN_WATER 0.95f
#define SHADOW_OF_WATER 0.62f
#define SHADOW_LIFT     0.3f // cells off a surface: the ground may lie in the plane of a wall

// Default absorption: over this share of the scene's size the colours that water lacks fall to 1/e.
#define SIZE_SHARE 0.5f

BwWaterOptics bw_water_optics(const BwSceneDef *scene, const BwRig *rig, float scene_size)
{
    const BwLookDef *look = &scene->look;
    float absorption =
        look->water_absorption > 0.0f ? look->water_absorption : 1.0f / (SIZE_SHARE * scene_size);
    BwWaterOptics optics = {.mean = 0.0f};
    for (int c = 0; c < 3; c++) {
        float color = fminf(fmaxf(look->water_color[c], 0.0f), 1.0f), light = rig->sky[c];
        for (int n = 0; n < rig->lamp_count; n++)
            light += fmaxf(rig->lamps[n].direction.y, 0.0f) * rig->lamps[n].light[c];
        optics.absorption[c] = absorption * (1.0f - color);
        optics.body[c] = SCATTERED * color * color * light;
        optics.mean += optics.absorption[c] / 3.0f;
    }
    return optics;
}

// A ray that waits to be followed, and what of its light gets into the pixel.
typedef struct Branch {
    BwWaterRay ray;
    float weight[3];
    bool is_inside;
    int crossings;
} Branch;

typedef struct Paths {
    const BwPicture *picture;
    BwLight3 light;
    Branch branches[BRANCHES_MAX];
    int count, segments;
} Paths;

static void add_light(Paths *paths, const float weight[3], float share, BwLight3 light)
{
    for (int c = 0; c < 3; c++)
        paths->light.c[c] += share * weight[c] * light.c[c];
}

static float largest(const float weight[3])
{
    return bw_larger(weight[0], bw_larger(weight[1], weight[2]));
}

// Lamps as discs in the sky.
static BwLight3 sky_with_lamps(const BwPicture *picture, BwVec3 direction)
{
    const BwRig *rig = &picture->rig;
    BwLight3 light = bw_sky_at(picture, direction);
    for (int n = 0; n < rig->lamp_count; n++) {
        BwVec3 aside = bw_sub(direction, rig->lamps[n].direction);
        float x = bw_dot(aside, aside) / (DISC_WIDTH * DISC_WIDTH);
        float rim = bw_larger(1.0f - 0.25f * x, 0.0f);
        float disc = bw_smaller(1.0f / (DISC_WIDTH * DISC_WIDTH) * rim * rim, 1e3f);
        for (int c = 0; c < 3 && disc > 0.0f; c++)
            light.c[c] += disc * rig->lamps[n].light[c];
    }
    return light;
}

BwLight3 bw_far_light(const BwPicture *picture, const BwWaterRay *ray)
{
    return ray->is_from_eye ? bw_backdrop_at(picture, ray->x_px, ray->y_px)
                            : sky_with_lamps(picture, ray->direction);
}

// What is at the end of a ray: a solid, the ground, or neither.
typedef struct RayEnd {
    int solid; // -1: none
    float t;   // m
    bool is_ground;
} RayEnd;

static RayEnd find_end(const BwPicture *picture, const BwWaterRay *ray)
{
    RayEnd end = {.solid = -1, .t = bw_ground_distance(picture, ray->origin, ray->direction)};
    end.is_ground = isfinite(end.t);
    float t = end.t;
    end.solid = bw_solids_trace(picture->solids, ray->origin, ray->direction, &t);
    if (end.solid >= 0) {
        end.t = t;
        end.is_ground = false;
    }
    return end;
}

static void end_place(const BwWaterRay *ray, float t, double place[3])
{
    place[0] = ray->origin[0] + (double)ray->direction.x * (double)t;
    place[1] = ray->origin[1] + (double)ray->direction.y * (double)t;
    place[2] = ray->origin[2] + (double)ray->direction.z * (double)t;
}

static BwLight3 end_light(const BwPicture *picture, const BwWaterRay *ray, const RayEnd *end)
{
    double place[3];
    if (end->solid < 0 && !end->is_ground)
        return bw_far_light(picture, ray);
    end_place(ray, end->t, place);
    if (end->solid >= 0) {
        BwVec3 normal = bw_solids_normal(picture->solids, end->solid, place);
        BwShade shade = bw_shade_at(picture, place, ray->direction, normal);
        return bw_surface_light(picture, &shade, picture->solids->views[end->solid].solid->color);
    }
    float fade = bw_ground_fade(picture, ray->origin, ray->direction, end->t);
    BwLight3 far = bw_far_light(picture, ray);
    if (fade >= 1.0f)
        return far;
    BwShade shade = bw_shade_at(picture, place, ray->direction, bw_vec3(0.0f, 1.0f, 0.0f));
    BwLight3 light = bw_shade_light(picture, &shade, picture->ground_albedo);
    for (int c = 0; c < 3; c++)
        light.c[c] += fade * (far.c[c] - light.c[c]);
    return light;
}

// Lets one part of a split ray wait. What would hardly show is guessed to be the sky.
static void put_branch(Paths *paths, const Branch *from, const Branch *part, float share)
{
    Branch branch = *part;
    for (int c = 0; c < 3; c++)
        branch.weight[c] = share * from->weight[c];
    bool is_shown = largest(branch.weight) >= SHARE_MIN && branch.crossings <= CROSSINGS_MAX &&
                    paths->count < BRANCHES_MAX && paths->segments < SEGMENTS_MAX;
    if (is_shown) {
        paths->branches[paths->count++] = branch;
        return;
    }
    add_light(paths, branch.weight, 1.0f,
              branch.is_inside ? bw_sky_at(paths->picture, branch.ray.direction)
                               : bw_far_light(paths->picture, &branch.ray));
}

static Branch part_of(const Branch *from, const BwPicture *picture, float t, BwVec3 direction, BwVec3 off,
                      bool is_inside)
{
    Branch part = {.is_inside = is_inside, .crossings = from->crossings + 1};
    double lift = (double)(LIFT * picture->water->cell);
    end_place(&from->ray, t, part.ray.origin);
    part.ray.origin[0] += lift * (double)off.x;
    part.ray.origin[1] += lift * (double)off.y;
    part.ray.origin[2] += lift * (double)off.z;
    part.ray.direction = direction;
    return part;
}

// The smaller part is put first, so that the larger is followed next and the list stays short.
static void split(Paths *paths, const Branch *branch, float t, BwVec3 normal)
{
    BwVec3 ray = branch->ray.direction;
    float cosine = -bw_dot(normal, ray), cosine_out;
    if (cosine < 0.0f) {
        normal = bw_mul(normal, -1.0f);
        cosine = -cosine;
    }
    float ratio = branch->is_inside ? BW_WATER_INDEX : 1.0f / BW_WATER_INDEX;
    float reflected = bw_fresnel(ratio, cosine, &cosine_out);
    Branch back =
        part_of(branch, paths->picture, t, bw_reflect(ray, normal, cosine), normal, branch->is_inside);
    if (reflected >= 1.0f) {
        put_branch(paths, branch, &back, 1.0f);
        return;
    }
    Branch on = part_of(branch, paths->picture, t, bw_refract(ray, normal, ratio, cosine, cosine_out),
                        bw_mul(normal, -1.0f), !branch->is_inside);
    bool is_back_larger = reflected > 0.5f;
    put_branch(paths, branch, is_back_larger ? &on : &back, is_back_larger ? 1.0f - reflected : reflected);
    put_branch(paths, branch, is_back_larger ? &back : &on, is_back_larger ? reflected : 1.0f - reflected);
}

// Water along a way of t metres: what it swallows, and what it adds.
static void pass_water(Paths *paths, Branch *branch, float t)
{
    const BwWaterOptics *optics = &paths->picture->optics;
    for (int c = 0; c < 3; c++) {
        float through = bw_falloff(optics->absorption[c] * t);
        paths->light.c[c] += branch->weight[c] * (1.0f - through) * optics->body[c];
        branch->weight[c] *= through;
    }
}

static void follow(Paths *paths, Branch *branch)
{
    const BwPicture *picture = paths->picture;
    const BwWater *water = picture->water;
    BwCrossing crossing;
    float place[3];
    paths->segments++;
    if (branch->ray.is_seen) {
        split(paths, branch, branch->ray.first.t * water->cell, branch->ray.first.normal);
        return;
    }
    RayEnd end = find_end(picture, &branch->ray);
    bw_water_place(water, branch->ray.origin, place);
    bool crosses = bw_water_cross(water, place, branch->ray.direction, end.t / water->cell,
                                  &branch->is_inside, &crossing);
    float t = crosses ? crossing.t * water->cell : end.t;
    if (branch->is_inside && isfinite(t))
        pass_water(paths, branch, t);
    if (crosses)
        split(paths, branch, t, crossing.normal);
    else
        add_light(paths, branch->weight, 1.0f, end_light(picture, &branch->ray, &end));
}

BwLight3 bw_water_ray_light(const BwPicture *picture, const BwWaterRay *ray)
{
    float place[3];
    Paths paths = {.picture = picture};
    bw_water_place(picture->water, ray->origin, place);
    paths.branches[paths.count++] =
        (Branch){*ray, {1.0f, 1.0f, 1.0f}, bw_water_holds(picture->water, place), 0};
    while (paths.count > 0) {
        Branch branch = paths.branches[--paths.count];
        follow(&paths, &branch);
    }
    for (int c = 0; c < 3; c++)
        paths.light.c[c] = bw_smaller(paths.light.c[c], DISC_MOST);
    return paths.light;
}

bool bw_water_is_seen(const BwPicture *picture, BwWaterRay *ray)
{
    const BwWater *water = picture->water;
    float place[3];
    bw_water_place(water, ray->origin, place);
    bool is_inside = bw_water_holds(water, place);
    if (is_inside)
        return true;
    if (!bw_water_cross(water, place, ray->direction, INFINITY, &is_inside, &ray->first))
        return false;
    float t = ray->first.t * water->cell;
    ray->is_seen = bw_ground_distance(picture, ray->origin, ray->direction) >= t &&
                   bw_solids_trace(picture->solids, ray->origin, ray->direction, &t) < 0;
    return ray->is_seen;
}

float bw_water_ray_end(const BwPicture *picture, BwWaterRay *ray)
{
    return bw_water_is_seen(picture, ray) ? ray->first.t * picture->water->cell : find_end(picture, ray).t;
}

float bw_water_shadow(const BwPicture *picture, const double place[3], BwVec3 direction, float *open)
{
    const BwWater *water = picture->water;
    float at[3];
    *open = 1.0f;
    if (bw_water_is_empty(water))
        return 1.0f;
    bw_water_place(water, place, at);
    at[0] += SHADOW_LIFT * direction.x;
    at[1] += SHADOW_LIFT * direction.y;
    at[2] += SHADOW_LIFT * direction.z;
    float length = bw_water_length(water, at, direction);
    if (!(length > 0.0f))
        return 1.0f;
    *open = bw_falloff(picture->optics.mean * water->cell * length * fabsf(direction.y));
    float least = bw_water_holds(water, at) ? SHADOW_IN_WATER : SHADOW_OF_WATER;
    float lost = (1.0f - least) * (1.0f - bw_falloff(length));
    return (1.0f - lost) * bw_falloff(picture->optics.mean * water->cell * length);
}
