// Rays through water. At a surface a ray is split into what is reflected and what is refracted (Fresnel);
// the larger part goes on, the other waits, as long as it would show. In water light is swallowed (Beer and
// Lambert), and a little is scattered, so that deep water has a colour of its own.
#include "render/water_light.h"

#include "base/extremes.h"
#include "render/glass.h"
#include "render/optics.h"
#include "render/water_mesh.h"
#include "scene/carried.h"

#include <math.h>
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

#define SCATTERED 0.28f // of the light that falls into deep clear water comes back, in its colour squared
// Water that carries its colour: cells of a piece of a ray, which has one colour, and pieces at most.
#define PIECE 1.5f
enum { PIECES_MAX = 48 };
// Shadows of water: refraction takes light away from where it would go, and brings as much elsewhere.
#define SHADOW_IN_WATER 0.95f
#define SHADOW_OF_WATER 0.62f
#define SHADOW_LIFT     0.3f // cells off a surface: the ground may lie in the plane of a wall

// A liquid whose light gets no farther than a small part of the scene is murky: what it scatters back is
// light that fell in close by, so it shows which way the surface looks and what shades it, and is brighter,
// for such light leaves before much of it is lost. Half of it does where light gets a sixtieth of the scene's
// size.
#define MURKY       60.0f
#define MURK_MIN    0.02f // less would not show
#define MURK_MOST   0.9f  // some light has come around inside
#define MURKY_WHITE 0.8f  // of the light on a white murky liquid comes back
#define MURK_LIFT   0.5f  // cells off a surface that may be rough
enum { LIQUID = -2 };     // beside the ground and solids, as what is lit

#define SAME_NORMAL 0.99f // cosine: surfaces that differ less have the same light within a pixel

// Default absorption: over this share of the scene's size the colours that water lacks fall to 1/e.
#define SIZE_SHARE 0.5f
// The same of liquid that carries a colour: over what is as thick as its source the colours that it lacks
// fall to 1/e^3.
#define COLOR_DEPTHS 3.0f

// How thick a liquid is that comes from a shape, m: of a flat one how narrow that is.
static float thickness_of(const BwShape *shape, int dimension)
{
    BwBox bounds = bw_shape_bounds(shape);
    BwVec3 size = bw_sub(bounds.high, bounds.low);
    float least = bw_smaller(size.x, size.y), most = bw_larger(size.x, size.y);
    if (dimension < 3)
        return bw_shape_is_flat(shape) ? most : least;
    float middle = bw_larger(least, bw_smaller(most, size.z));
    return bw_shape_is_flat(shape) ? middle : bw_smaller(least, size.z);
}

// The thickness of the thinnest liquid that has a colour of its own, m; infinity: none has.
static float colored_thickness(const BwSceneDef *scene)
{
    float least = INFINITY;
    for (int n = 0; n < scene->fill_count; n++)
        if (bw_color_is_given(scene->fills[n].color))
            least = bw_smaller(least, thickness_of(&scene->fills[n].shape, scene->dimension));
    for (int n = 0; n < scene->emitter_count; n++)
        if (bw_color_is_given(scene->emitters[n].color))
            least = bw_smaller(least, thickness_of(&scene->emitters[n].shape, scene->dimension));
    return least;
}

static float default_absorption(const BwSceneDef *scene, float scene_size)
{
    float thickness = bw_larger(colored_thickness(scene), scene->cell);
    return bw_larger(1.0f / (SIZE_SHARE * scene_size), COLOR_DEPTHS / thickness);
}

BwWaterOptics bw_water_optics(const BwSceneDef *scene, const BwRig *rig, float scene_size)
{
    const BwLookDef *look = &scene->look;
    float absorption =
        look->water_absorption > 0.0f ? look->water_absorption : default_absorption(scene, scene_size);
    BwWaterOptics optics = {.strength = absorption};
    for (int c = 0; c < 3; c++) {
        float color = fminf(fmaxf(look->water_color[c], 0.0f), 1.0f), light = rig->sky[c];
        for (int n = 0; n < rig->lamp_count; n++)
            light += fmaxf(rig->lamps[n].direction.y, 0.0f) * rig->lamps[n].light[c];
        optics.light[c] = light;
        optics.color[c] = color;
        optics.absorption[c] = absorption * (1.0f - color);
        optics.mean += optics.absorption[c] / 3.0f;
    }
    float murky = absorption * scene_size / MURKY, murk = murky * murky / (1.0f + murky * murky);
    optics.murk = murk < MURK_MIN ? 0.0f : bw_smaller(murk, MURK_MOST);
    return optics;
}

void bw_water_optics_tint(BwWaterOptics *optics, const BwWaterTint *tint)
{
    if (!bw_water_has_tint(tint) || tint->field[0] == NULL)
        return;
    optics->mean = 0.0f;
    for (int c = 0; c < 3; c++)
        optics->mean += optics->strength * (1.0f - tint->mean[c]) / 3.0f;
}

typedef enum Medium { AIR, WATER, GLASS } Medium;

static const float indices[] = {[AIR] = 1.0f, [WATER] = BW_WATER_INDEX, [GLASS] = BW_GLASS_INDEX};

// A ray that waits to be followed, and what of its light gets into the pixel.
typedef struct Branch {
    BwWaterRay ray;
    float weight[3];
    Medium medium;
    int glass; // the solid that it is in, in GLASS
    int crossings;
    float lit[3]; // light on the surface where it came in, in WATER
} Branch;

// Where a ray goes from one medium into another.
typedef struct Border {
    float t; // m
    BwVec3 normal;
    BwVec3 face; // the same without smoothing
    Medium beyond;
    int glass;  // where that is GLASS
    float lift; // m, that rays go on from it
} Border;

typedef struct Paths {
    const BwPicture *picture;
    BwLight3 light;
    Branch branches[BRANCHES_MAX];
    int count, segments;
    BwKeptShades *kept;
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

// Whether two places are less than a pixel apart, as the eye would see them.
static bool is_same_pixel(const BwPicture *picture, const double a[3], const double b[3])
{
    double pixel = 2.0 * (double)picture->camera.tan_y / (double)picture->image->height_px, apart = 0.0,
           away = 0.0;
    for (int n = 0; n < 3; n++) {
        apart += (a[n] - b[n]) * (a[n] - b[n]);
        away += (a[n] - picture->camera.eye[n]) * (a[n] - picture->camera.eye[n]);
    }
    return apart < pixel * pixel * away;
}

static BwShade shade_at(const BwPicture *picture, const double place[3], BwVec3 ray, BwVec3 normal, int solid,
                        BwKeptShades *kept)
{
    for (int n = 0; n < kept->count; n++)
        if (kept->kept[n].solid == solid && bw_dot(kept->kept[n].normal, normal) > SAME_NORMAL &&
            is_same_pixel(picture, place, kept->kept[n].place)) {
            BwShade shade = kept->kept[n].shade;
            shade.facing = bw_larger(-bw_dot(normal, ray), 0.0f);
            return shade;
        }
    BwShade shade = bw_shade_at(picture, place, ray, normal);
    if (kept->count < BW_SHADES_KEPT) {
        int n = kept->count++;
        kept->kept[n].solid = solid;
        memcpy(kept->kept[n].place, place, sizeof kept->kept[n].place);
        kept->kept[n].normal = normal;
        kept->kept[n].shade = shade;
    }
    return shade;
}

static BwLight3 end_light(const BwPicture *picture, const BwWaterRay *ray, const RayEnd *end,
                          BwKeptShades *kept)
{
    double place[3];
    if (end->solid < 0 && !end->is_ground)
        return bw_far_light(picture, ray);
    end_place(ray, end->t, place);
    if (end->solid >= 0) {
        BwVec3 normal = bw_solids_normal(picture->solids, end->solid, place);
        BwShade shade = shade_at(picture, place, ray->direction, normal, end->solid, kept);
        return bw_surface_light(picture, &shade, picture->solids->views[end->solid].solid->color);
    }
    float fade = bw_ground_fade(picture, ray->origin, ray->direction, end->t);
    BwLight3 far = bw_far_light(picture, ray);
    if (fade >= 1.0f)
        return far;
    BwShade shade = shade_at(picture, place, ray->direction, bw_vec3(0.0f, 1.0f, 0.0f), -1, kept);
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
              branch.medium != AIR ? bw_sky_at(paths->picture, branch.ray.direction)
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
static Branch part_of(const Branch *from, const BwPicture *picture, const Border *border, BwVec3 direction,
                      BwVec3 off)
{
    Branch part = {.medium = from->medium, .glass = from->glass, .crossings = from->crossings + 1};
    memcpy(part.lit, from->lit, sizeof part.lit);
    double lift = (double)border->lift;
    end_place(&from->ray, border->t, part.ray.origin);
    part.ray.origin[0] += lift * (double)off.x;
    part.ray.origin[1] += lift * (double)off.y;
    part.ray.origin[2] += lift * (double)off.z;
    keep_above_ground(picture, part.ray.origin);
    part.ray.direction = direction;
    part.ray.time = from->ray.time;
    return part;
}

// The light on the surface of a murky liquid where a ray enters it; `normal` points out of it.
static void light_entry(const Paths *paths, const Branch *from, const Border *border, BwVec3 normal,
                        float lit[3])
{
    const BwPicture *picture = paths->picture;
    const float white[3] = {1.0f, 1.0f, 1.0f};
    if (from->medium != AIR || picture->optics.murk <= 0.0f) {
        memcpy(lit, picture->optics.light, sizeof picture->optics.light);
        return;
    }
    double place[3], lift = (double)(MURK_LIFT * picture->water->cell);
    end_place(&from->ray, border->t, place);
    place[0] += lift * (double)normal.x;
    place[1] += lift * (double)normal.y;
    place[2] += lift * (double)normal.z;
    BwShade shade = shade_at(picture, place, from->ray.direction, normal, LIQUID, paths->kept);
    BwLight3 light = bw_shade_light(picture, &shade, white);
    memcpy(lit, light.c, sizeof light.c);
}

// The smaller part is put first, so that the larger is followed next and the list stays short.
static void split(Paths *paths, const Branch *branch, const Border *border)
{
    BwVec3 ray = branch->ray.direction, normal = border->normal, face = border->face;
    float cosine = -bw_dot(normal, ray), cosine_out;
    if (cosine < 0.0f) {
        normal = bw_mul(normal, -1.0f);
        cosine = -cosine;
    }
    if (bw_dot(face, ray) > 0.0f)
        face = bw_mul(face, -1.0f);
    float ratio = indices[branch->medium] / indices[border->beyond];
    float reflected = bw_fresnel(ratio, cosine, &cosine_out);
    Branch back = part_of(branch, paths->picture, border, bw_reflect(ray, normal, cosine), face);
    if (reflected >= 1.0f) {
        put_branch(paths, branch, &back, 1.0f);
        return;
    }
    Branch on = part_of(branch, paths->picture, border, bw_refract(ray, normal, ratio, cosine, cosine_out),
                        bw_mul(face, -1.0f));
    on.medium = border->beyond;
    on.glass = border->glass;
    if (on.medium == WATER)
        light_entry(paths, branch, border, normal, on.lit);
    bool is_back_larger = reflected > 0.5f;
    put_branch(paths, branch, is_back_larger ? &on : &back, is_back_larger ? 1.0f - reflected : reflected);
    put_branch(paths, branch, is_back_larger ? &back : &on, is_back_larger ? reflected : 1.0f - reflected);
}

float bw_water_scattered(const BwWaterOptics *optics, int c, float color, float lit)
{
    float clear = SCATTERED * color * color * optics->light[c];
    return clear + optics->murk * (MURKY_WHITE * color * color * lit - clear);
}

// Water whose colour changes along the way, piece by piece. What it swallows most of tells how much it
// scatters of all colours: else water that swallows no red would have none to show before a dark ground. What
// is hot sends out as much of its own light as it would swallow (Kirchhoff's law).
static void pass_tinted(Paths *paths, Branch *branch, float t)
{
    const BwWaterOptics *optics = &paths->picture->optics;
    const BwWaterTint *tint = paths->picture->tint;
    int pieces = (int)bw_smaller(t / (PIECE * tint->frame->cell_size), (float)PIECES_MAX - 1.0f) + 1;
    float piece = t / (float)pieces, clear = 1.0f;
    const float first[3] = {branch->weight[0], branch->weight[1], branch->weight[2]};
    for (int n = 0; n < pieces; n++) {
        double place[3];
        float color[3], glow[3];
        end_place(&branch->ray, ((float)n + 0.5f) * piece, place);
        bw_water_tint_at(tint, place, color, glow);
        float darkest = bw_smaller(color[0], bw_smaller(color[1], color[2]));
        float shown = clear * (1.0f - bw_falloff(optics->strength * (1.0f - darkest) * piece));
        clear -= shown;
        for (int c = 0; c < 3; c++) {
            paths->light.c[c] +=
                first[c] * shown * (bw_water_scattered(optics, c, color[c], branch->lit[c]) + glow[c]);
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
        paths->light.c[c] += branch->weight[c] * (1.0f - through) *
                             bw_water_scattered(optics, c, optics->color[c], branch->lit[c]);
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
    if (branch->medium == AIR)
        pass_smoke(paths, branch, t);
    else if (branch->medium == GLASS && isfinite(t))
        bw_glass_pass(paths->picture, branch->glass, t, branch->weight);
    else if (isfinite(t))
        pass_water(paths, branch, t);
}

static bool is_in_water(const BwPicture *picture, const double place[3])
{
    float at[3];
    if (bw_water_is_empty(picture->water))
        return false;
    bw_water_place(picture->water, place, at);
    return bw_water_holds(picture->water, at);
}

static Border water_border(const BwWater *water, const BwCrossing *crossing, bool is_inside)
{
    return (Border){.t = crossing->t * water->cell,
                    .normal = crossing->normal,
                    .face = crossing->face,
                    .beyond = is_inside ? AIR : WATER,
                    .lift = (water->mesh != NULL ? MESH_LIFT : LIFT) * water->cell};
}

// What is behind a surface of glass, as seen from its inside, is water or air.
static Border glass_border(const BwPicture *picture, const Branch *branch, BwGlassHit *hit)
{
    bool is_exit = branch->medium == GLASS;
    Border border = {.t = hit->t, .beyond = GLASS, .glass = hit->solid, .lift = bw_glass_lift(picture)};
    double place[3];
    end_place(&branch->ray, hit->t, place);
    bw_glass_look(picture, place, branch->ray.direction, hit);
    border.normal = hit->normal;
    border.face = hit->face;
    if (is_exit) {
        place[0] += (double)(border.lift * hit->face.x);
        place[1] += (double)(border.lift * hit->face.y);
        place[2] += (double)(border.lift * hit->face.z);
        border.beyond = is_in_water(picture, place) ? WATER : AIR;
    }
    return border;
}

// The surface of water or of glass that comes first on a ray in air or water, if one comes before the end.
static bool find_border(const BwPicture *picture, Branch *branch, float t_end, Border *border)
{
    const BwWater *water = picture->water;
    const BwWaterRay *ray = &branch->ray;
    BwGlassHit hit;
    BwCrossing crossing;
    float place[3];
    bool meets_glass = bw_glass_enter(picture, ray->origin, ray->direction, t_end, &hit), crosses = false,
         is_inside = branch->medium == WATER;
    if (!bw_water_is_empty(water)) {
        bw_water_place(water, ray->origin, place);
        crosses = bw_water_cross_rippled(water, ray->time, place, ray->direction,
                                         (meets_glass ? hit.t : t_end) / water->cell, &is_inside, &crossing);
        branch->medium = is_inside ? WATER : AIR;
    }
    if (crosses)
        *border = water_border(water, &crossing, is_inside);
    else if (meets_glass)
        *border = glass_border(picture, branch, &hit);
    return crosses || meets_glass;
}

// The way out of glass, unless the ray ends before.
static bool find_way_out(const BwPicture *picture, const Branch *branch, float t_end, Border *border)
{
    BwGlassHit hit;
    if (!bw_glass_leave(picture, branch->glass, branch->ray.origin, branch->ray.direction, t_end, &hit))
        return false;
    *border = glass_border(picture, branch, &hit);
    return true;
}

// What a ray from the eye was found to meet first.
static Border seen_border(const BwPicture *picture, const Branch *branch)
{
    const BwWaterRay *ray = &branch->ray;
    if (ray->glass_seen == 0)
        return water_border(picture->water, &ray->first, branch->medium == WATER);
    BwGlassHit hit = {.solid = ray->glass_seen - 1, .t = ray->first.t * picture->water->cell};
    return glass_border(picture, branch, &hit);
}

static void follow(Paths *paths, Branch *branch)
{
    const BwPicture *picture = paths->picture;
    Border border;
    paths->segments++;
    if (branch->ray.is_seen) {
        border = seen_border(picture, branch);
        if (branch->medium == WATER)
            pass_segment(paths, branch, border.t);
        split(paths, branch, &border);
        return;
    }
    RayEnd end = find_end(picture, &branch->ray);
    bool has_border = branch->medium == GLASS ? find_way_out(picture, branch, end.t, &border)
                                              : find_border(picture, branch, end.t, &border);
    pass_segment(paths, branch, has_border ? border.t : end.t);
    if (has_border)
        split(paths, branch, &border);
    else
        add_light(paths, branch->weight, 1.0f, end_light(picture, &branch->ray, &end, paths->kept));
}

static bool starts_in_water(const BwPicture *picture, const BwWaterRay *ray)
{
    if (ray->is_from_eye)
        return ray->is_seen ? ray->is_inside : picture->is_eye_in_water;
    return is_in_water(picture, ray->origin);
}

BwLight3 bw_water_ray_light(const BwPicture *picture, const BwWaterRay *ray, BwKeptShades *kept)
{
    Paths paths = {.picture = picture, .kept = kept};
    Branch *first = &paths.branches[paths.count++];
    *first = (Branch){
        .ray = *ray, .weight = {1.0f, 1.0f, 1.0f}, .medium = starts_in_water(picture, ray) ? WATER : AIR};
    memcpy(first->lit, picture->optics.light, sizeof first->lit);
    while (paths.count > 0) {
        Branch branch = paths.branches[--paths.count];
        follow(&paths, &branch);
    }
    for (int c = 0; c < 3; c++)
        paths.light.c[c] = bw_smaller(paths.light.c[c], DISC_MOST);
    return paths.light;
}

bool bw_clear_is_seen(const BwPicture *picture, BwWaterRay *ray)
{
    const BwWater *water = picture->water;
    BwGlassHit hit = {.t = INFINITY};
    float place[3], t = INFINITY;
    bool is_inside = picture->is_eye_in_water, crosses = false;
    if (is_inside)
        return true;
    bool meets_glass = bw_glass_enter(picture, ray->origin, ray->direction, INFINITY, &hit);
    if (!bw_water_is_empty(water)) {
        bw_water_place(water, ray->origin, place);
        crosses = bw_water_cross_rippled(water, ray->time, place, ray->direction, hit.t / water->cell,
                                         &is_inside, &ray->first);
    }
    if (!crosses && !meets_glass)
        return false;
    if (!crosses)
        ray->first.t = hit.t / water->cell;
    ray->glass_seen = crosses ? 0 : hit.solid + 1;
    ray->is_inside = crosses && is_inside;
    t = ray->first.t * water->cell;
    ray->is_seen = bw_ground_distance(picture, ray->origin, ray->direction) >= t &&
                   bw_solids_trace(picture->solids, ray->origin, ray->direction, &t) < 0;
    return ray->is_seen;
}

float bw_water_ray_end(const BwPicture *picture, BwWaterRay *ray)
{
    return bw_clear_is_seen(picture, ray) ? ray->first.t * picture->water->cell : find_end(picture, ray).t;
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
