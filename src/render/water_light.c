// Rays through water. At a surface a ray is split into what is reflected and what is refracted (Fresnel);
// the larger part goes on, the other waits, as long as it would show. In water light is swallowed (Beer and
// Lambert), and a little is scattered, so that deep water has a colour of its own.
#include "render/water_light.h"

#include "base/extremes.h"
#include "render/optics.h"
#include "render/water_mesh.h"

#include <string.h>

enum { BRANCHES_MAX = 12, CROSSINGS_MAX = 8, SEGMENTS_MAX = 32 };

#define SHARE_MIN 0.03f // of the light of a pixel: less is taken from the sky, whatever stands there
#define LIFT      0.02f // cells by which a ray starts off the surface
#define MESH_LIFT 3e-3f // the same off a mesh, where sheets may be thinner
#define BARELY    1e-4  // cells above the ground
#define ROUNDING  0.05  // cells below it

// The lamp as it is seen: a disc with a soft rim, of this half width, that sends as much light as the lamp.
#define DISC_WIDTH 0.07f
#define DISC_MOST  8.0f // times what a white card sends: more would only make single pixels glitter

#define SCATTERED 0.28f // of the light that falls into deep water comes back, in its colour
// Water that carries its colour: cells of a piece of a ray, which has one colour, and pieces at most.
#define PIECE 1.5f
enum { PIECES_MAX = 48 };
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
    BwWaterOptics optics = {.strength = absorption};
    for (int c = 0; c < 3; c++) {
        float color = fminf(fmaxf(look->water_color[c], 0.0f), 1.0f), light = rig->sky[c];
        for (int n = 0; n < rig->lamp_count; n++)
            light += fmaxf(rig->lamps[n].direction.y, 0.0f) * rig->lamps[n].light[c];
        optics.light[c] = SCATTERED * light;
        optics.absorption[c] = absorption * (1.0f - color);
        optics.body[c] = optics.light[c] * color * color;
        optics.mean += optics.absorption[c] / 3.0f;
    }
    return optics;
}

void bw_water_optics_tint(BwWaterOptics *optics, const BwWaterTint *tint)
{
    if (!bw_water_has_tint(tint))
        return;
    optics->mean = 0.0f;
    for (int c = 0; c < 3; c++)
        optics->mean += optics->strength * (1.0f - tint->mean[c]) / 3.0f;
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

// Water that stands on the ground ends with it: rounding puts no ray below.
static void keep_above_ground(const BwPicture *picture, double place[3])
{
    double height = place[1] - (double)picture->ground, cell = (double)picture->water->cell;
    if (picture->scene->look.show_ground && height < BARELY * cell && height > -ROUNDING * cell)
        place[1] = (double)picture->ground + BARELY * cell;
}

// `off` points to the side of the surface that the part is on.
static Branch part_of(const Branch *from, const BwPicture *picture, const BwCrossing *crossing,
                      BwVec3 direction, BwVec3 off, bool is_inside)
{
    const BwWater *water = picture->water;
    Branch part = {.is_inside = is_inside, .crossings = from->crossings + 1};
    double lift = (double)((water->mesh != NULL ? MESH_LIFT : LIFT) * water->cell);
    float t = crossing->t * water->cell;
    end_place(&from->ray, t, part.ray.origin);
    part.ray.origin[0] += lift * (double)off.x;
    part.ray.origin[1] += lift * (double)off.y;
    part.ray.origin[2] += lift * (double)off.z;
    keep_above_ground(picture, part.ray.origin);
    part.ray.direction = direction;
    part.ray.time = from->ray.time;
    return part;
}

// The smaller part is put first, so that the larger is followed next and the list stays short.
static void split(Paths *paths, const Branch *branch, const BwCrossing *crossing)
{
    BwVec3 ray = branch->ray.direction, normal = crossing->normal, face = crossing->face;
    float cosine = -bw_dot(normal, ray), cosine_out;
    if (cosine < 0.0f) {
        normal = bw_mul(normal, -1.0f);
        cosine = -cosine;
    }
    if (bw_dot(face, ray) > 0.0f)
        face = bw_mul(face, -1.0f);
    float ratio = branch->is_inside ? BW_WATER_INDEX : 1.0f / BW_WATER_INDEX;
    float reflected = bw_fresnel(ratio, cosine, &cosine_out);
    Branch back =
        part_of(branch, paths->picture, crossing, bw_reflect(ray, normal, cosine), face, branch->is_inside);
    if (reflected >= 1.0f) {
        put_branch(paths, branch, &back, 1.0f);
        return;
    }
    Branch on = part_of(branch, paths->picture, crossing, bw_refract(ray, normal, ratio, cosine, cosine_out),
                        bw_mul(face, -1.0f), !branch->is_inside);
    bool is_back_larger = reflected > 0.5f;
    put_branch(paths, branch, is_back_larger ? &on : &back, is_back_larger ? 1.0f - reflected : reflected);
    put_branch(paths, branch, is_back_larger ? &back : &on, is_back_larger ? reflected : 1.0f - reflected);
}

// Water whose colour changes along the way, piece by piece. What it swallows most of tells how much it
// scatters of all colours: else water that swallows no red would have none to show before a dark ground.
static void pass_tinted(Paths *paths, Branch *branch, float t)
{
    const BwWaterOptics *optics = &paths->picture->optics;
    const BwWaterTint *tint = paths->picture->tint;
    int pieces = (int)bw_smaller(t / (PIECE * tint->frame->cell_size), (float)PIECES_MAX - 1.0f) + 1;
    float piece = t / (float)pieces, clear = 1.0f;
    const float first[3] = {branch->weight[0], branch->weight[1], branch->weight[2]};
    for (int n = 0; n < pieces; n++) {
        double place[3];
        float color[3];
        end_place(&branch->ray, ((float)n + 0.5f) * piece, place);
        bw_water_tint_at(tint, place, color);
        float darkest = bw_smaller(color[0], bw_smaller(color[1], color[2]));
        float shown = clear * (1.0f - bw_falloff(optics->strength * (1.0f - darkest) * piece));
        clear -= shown;
        for (int c = 0; c < 3; c++) {
            paths->light.c[c] += first[c] * shown * color[c] * color[c] * optics->light[c];
            branch->weight[c] *= bw_falloff(optics->strength * (1.0f - color[c]) * piece);
        }
    }
}

// Water along a way of t metres: what it swallows, and what it adds.
static void pass_water(Paths *paths, Branch *branch, float t)
{
    const BwWaterOptics *optics = &paths->picture->optics;
    if (bw_water_has_tint(paths->picture->tint)) {
        pass_tinted(paths, branch, t);
        return;
    }
    for (int c = 0; c < 3; c++) {
        float through = bw_falloff(optics->absorption[c] * t);
        paths->light.c[c] += branch->weight[c] * (1.0f - through) * optics->body[c];
        branch->weight[c] *= through;
    }
}

// Smoke along a way of t metres through air. What is between the eye and water is added pixel by pixel.
static void pass_smoke(Paths *paths, Branch *branch, float t)
{
    const BwVolume *volume = paths->picture->volume;
    float at[3];
    if (volume->brick_count == 0 || branch->ray.is_from_eye)
        return;
    for (int a = 0; a < 3; a++)
        at[a] = (float)((branch->ray.origin[a] - volume->origin[a]) / (double)volume->spacing);
    BwFloat4 smoke = bw_march(volume, at, branch->ray.direction, t / volume->spacing);
    for (int c = 0; c < 3; c++) {
        paths->light.c[c] += branch->weight[c] * smoke[c];
        branch->weight[c] *= smoke[3];
    }
}

static void pass_segment(Paths *paths, Branch *branch, float t)
{
    if (!branch->is_inside)
        pass_smoke(paths, branch, t);
    else if (isfinite(t))
        pass_water(paths, branch, t);
}

static void follow(Paths *paths, Branch *branch)
{
    const BwPicture *picture = paths->picture;
    const BwWater *water = picture->water;
    BwCrossing crossing;
    float place[3];
    paths->segments++;
    if (branch->ray.is_seen) {
        if (branch->is_inside)
            pass_segment(paths, branch, branch->ray.first.t * water->cell);
        split(paths, branch, &branch->ray.first);
        return;
    }
    RayEnd end = find_end(picture, &branch->ray);
    bw_water_place(water, branch->ray.origin, place);
    bool crosses = bw_water_cross_at(water, branch->ray.time, place, branch->ray.direction,
                                     end.t / water->cell, &branch->is_inside, &crossing);
    pass_segment(paths, branch, crosses ? crossing.t * water->cell : end.t);
    if (crosses)
        split(paths, branch, &crossing);
    else
        add_light(paths, branch->weight, 1.0f, end_light(picture, &branch->ray, &end));
}

static bool starts_in_water(const BwPicture *picture, const BwWaterRay *ray)
{
    float place[3];
    if (ray->is_from_eye)
        return ray->is_seen ? ray->is_inside : picture->is_eye_in_water;
    bw_water_place(picture->water, ray->origin, place);
    return bw_water_holds(picture->water, place);
}

BwLight3 bw_water_ray_light(const BwPicture *picture, const BwWaterRay *ray)
{
    Paths paths = {.picture = picture};
    paths.branches[paths.count++] =
        (Branch){.ray = *ray, .weight = {1.0f, 1.0f, 1.0f}, .is_inside = starts_in_water(picture, ray)};
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
    bool is_inside = picture->is_eye_in_water;
    if (is_inside)
        return true;
    bw_water_place(water, ray->origin, place);
    if (!bw_water_cross_at(water, ray->time, place, ray->direction, INFINITY, &is_inside, &ray->first))
        return false;
    float t = ray->first.t * water->cell;
    ray->is_inside = is_inside;
    ray->is_seen = bw_ground_distance(picture, ray->origin, ray->direction) >= t &&
                   bw_solids_trace(picture->solids, ray->origin, ray->direction, &t) < 0;
    return ray->is_seen;
}

float bw_water_ray_end(const BwPicture *picture, BwWaterRay *ray)
{
    return bw_water_is_seen(picture, ray) ? ray->first.t * picture->water->cell : find_end(picture, ray).t;
}

// The way to a lamp through water, cells, and whether it starts in it.
static float way_to_lamp(const BwWater *water, const double place[3], BwVec3 direction, bool *is_inside)
{
    float at[3], lift = water->mesh != NULL ? MESH_LIFT : SHADOW_LIFT;
    bw_water_place(water, place, at);
    at[0] += lift * direction.x;
    at[1] += lift * direction.y;
    at[2] += lift * direction.z;
    if (water->mesh != NULL)
        return bw_water_mesh_length(water->mesh, at, direction, is_inside);
    float length = bw_water_length(water, at, direction);
    *is_inside = length > 0.0f && bw_water_holds(water, at);
    return length;
}

float bw_water_shadow(const BwPicture *picture, const double place[3], BwVec3 direction, float *open)
{
    const BwWater *water = picture->water;
    bool is_inside;
    *open = 1.0f;
    if (bw_water_is_empty(water))
        return 1.0f;
    float length = way_to_lamp(water, place, direction, &is_inside);
    if (!(length > 0.0f))
        return 1.0f;
    *open = bw_falloff(picture->optics.mean * water->cell * length * fabsf(direction.y));
    float lost = (1.0f - (is_inside ? SHADOW_IN_WATER : SHADOW_OF_WATER)) * (1.0f - bw_falloff(length));
    return (1.0f - lost) * bw_falloff(picture->optics.mean * water->cell * length);
}
