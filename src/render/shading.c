// Shading of surfaces, pane by pane. A rectangle of pixels that see one smooth surface is shaded at its
// corners and at its middle; where these agree the rest is interpolated, else its quarters are tried, down to
// single pixels.
#include "render/shading.h"

#include "base/extremes.h"
#include "render/caustics.h"
#include "render/falloff.h"
#include "render/glass.h"
#include "render/water_light.h"

#include <math.h>

// Lattice spacings between samples of the smoke that shades a surface: half of it where they are the cells of
// a finer lattice.
#define SHADOW_STEP 1.5f
#define SKY_STEP    4.0f

#define ASIDE 0.3f // how far light that comes along a solid stands off from it

// What corners may differ by, and what the middle may differ from their mean by, as shares of a lamp: dark
// surfaces show a half of a byte's step at the latter.
#define SPREAD_MAX 0.12f
#define ERROR_MAX  0.006f
#define CREASE_MAX 0.6f // pixels: a surface that bends more has an edge

void bw_place_on_ray(const BwPicture *picture, BwVec3 ray, float t, double place[3])
{
    place[0] = picture->camera.eye[0] + (double)ray.x * (double)t;
    place[1] = picture->camera.eye[1] + (double)ray.y * (double)t;
    place[2] = picture->camera.eye[2] + (double)ray.z * (double)t;
}

static float depth_towards(const BwPicture *picture, const double place[3], BwVec3 direction, float step)
{
    const BwVolume *volume = picture->coarse;
    float at[3];
    for (int a = 0; a < 3; a++)
        at[a] = (float)((place[a] - volume->origin[a]) / (double)volume->spacing);
    return bw_volume_depth(volume, at, direction, volume->smoothed_as > 1 ? 0.5f * step : step);
}

// What water leaves of a lamp at a place, and of the sky.
static float water_light(const BwPicture *picture, const double place[3], int lamp, float *open)
{
    float share;
    if (bw_caustics_at(picture->caustics, place, lamp, &share, open))
        return share;
    return bw_water_shadow(picture, place, picture->rig.lamps[lamp].direction, open);
}

// What water leaves of the sky. Above a place that looks down is the solid that it is on, so light comes
// along that.
static float sky_through_water(const BwPicture *picture, const double place[3], BwVec3 normal)
{
    const BwVec3 up = bw_vec3(0.0f, 1.0f, 0.0f);
    float open;
    if (bw_water_is_empty(picture->water))
        return 1.0f;
    if (normal.y < 0.0f)
        return bw_water_shadow(picture, place, bw_normalize(bw_add(up, bw_mul(normal, ASIDE - normal.y))),
                               &open);
    bw_water_shadow(picture, place, up, &open);
    return open;
}

// Each lamp as far as smoke, water and solids let it through, and the sky as far as it is open. A trace of
// every lamp gets round: smoke scatters light into its own shadow.
BwShade bw_shade_at(const BwPicture *picture, const double place[3], BwVec3 ray, BwVec3 normal)
{
    const BwRig *rig = &picture->rig;
    BwShade shade = {.facing = fmaxf(-bw_dot(normal, ray), 0.0f)};
    float water_open = -1.0f; // below 0: not known yet
    for (int n = 0; n < rig->lamp_count; n++) {
        const BwLamp *lamp = &rig->lamps[n];
        float light = fmaxf(bw_dot(normal, lamp->direction), 0.0f);
        if (light > 0.0f)
            light *= bw_solids_light(picture->solids, place, lamp->direction) *
                     bw_glass_light(picture, place, lamp->direction);
        if (light > 0.0f) {
            float depth = depth_towards(picture, place, lamp->direction, SHADOW_STEP);
            light *= 0.85f * bw_falloff(depth) + 0.15f * bw_falloff(0.25f * depth);
            light *= water_light(picture, place, n, &water_open);
        }
        shade.lamps[n] = light;
    }
    float above =
        depth_towards(picture, place, bw_normalize(bw_add(normal, bw_vec3(0.0f, 0.5f, 0.0f))), SKY_STEP);
    shade.open =
        bw_solids_openness(picture->solids, place, normal) * (0.4f + 0.6f * bw_falloff(0.3f * above));
    shade.open *= 0.65f + 0.35f * normal.y;
    shade.open *= water_open < 0.0f ? sky_through_water(picture, place, normal) : water_open;
    if (picture->fire.count > 0)
        bw_fire_light_at(&picture->fire, picture->solids, place, normal, shade.fire);
    return shade;
}

BwLight3 bw_shade_light(const BwPicture *picture, const BwShade *shade, const float albedo[3])
{
    const BwRig *rig = &picture->rig;
    BwLight3 light;
    for (int c = 0; c < 3; c++) {
        float sum = shade->open * rig->sky[c];
        for (int n = 0; n < rig->lamp_count; n++)
            sum += shade->lamps[n] * rig->lamps[n].light[c];
        light.c[c] = albedo[c] * (sum + shade->fire[c]);
    }
    return light;
}

// Pixels of a pane, high ends excluded.
typedef struct Rect {
    int x, y, x_end, y_end;
} Rect;

typedef struct Job {
    const BwPicture *picture;
    BwSurfacePane *pane;
} Job;

static int pixel_of(int x, int y)
{
    return y * BW_PANE + x;
}

static const BwShade *shade_pixel(const Job *job, int x, int y)
{
    BwSurfacePane *pane = job->pane;
    int n = pixel_of(x, y), solid = pane->surfaces[n] - BW_SURFACE_SOLID;
    if (!pane->is_shaded[n]) {
        double place[3];
        bw_place_on_ray(job->picture, pane->rays[n], pane->t[n], place);
        BwVec3 normal =
            solid >= 0 ? bw_solids_normal(job->picture->solids, solid, place) : bw_vec3(0.0f, 1.0f, 0.0f);
        pane->shades[n] = bw_shade_at(job->picture, place, pane->rays[n], normal);
        pane->is_shaded[n] = true;
    }
    return &pane->shades[n];
}

// The corners of a rectangle in the order of bilinear weights, and those weights.
static void corners_of(Rect rect, int corners[4])
{
    corners[0] = pixel_of(rect.x, rect.y);
    corners[1] = pixel_of(rect.x_end - 1, rect.y);
    corners[2] = pixel_of(rect.x, rect.y_end - 1);
    corners[3] = pixel_of(rect.x_end - 1, rect.y_end - 1);
}

static void weights_at(Rect rect, int x, int y, float weights[4])
{
    float a = (float)(x - rect.x) / (float)(rect.x_end - 1 - rect.x);
    float b = (float)(y - rect.y) / (float)(rect.y_end - 1 - rect.y);
    weights[0] = (1.0f - a) * (1.0f - b);
    weights[1] = a * (1.0f - b);
    weights[2] = (1.0f - a) * b;
    weights[3] = a * b;
}

// On a plane the inverse of the distance is linear over the image, up to the length of the rays, which hardly
// differs in a pane. What is off by a part of a pixel has a crease, or is not one surface.
static bool is_smooth(const Job *job, Rect rect)
{
    const BwSurfacePane *pane = job->pane;
    const BwPicture *picture = job->picture;
    float most = CREASE_MAX * 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    int corners[4];
    corners_of(rect, corners);
    for (int y = rect.y; y < rect.y_end; y++)
        for (int x = rect.x; x < rect.x_end; x++) {
            float weights[4], inverse = 0.0f;
            weights_at(rect, x, y, weights);
            for (int c = 0; c < 4; c++)
                inverse += weights[c] / pane->t[corners[c]];
            if (!(fabsf(inverse * pane->t[pixel_of(x, y)] - 1.0f) < most))
                return false;
        }
    return true;
}

// Whether one value may be interpolated, by those at the corners and in the middle.
static bool agrees(const float values[5], const float weights[4])
{
    float low = values[0], high = values[0], mean = 0.0f;
    for (int c = 0; c < 4; c++) {
        low = bw_smaller(low, values[c]);
        high = bw_larger(high, values[c]);
        mean += weights[c] * values[c];
    }
    return high - low < SPREAD_MAX && fabsf(values[4] - mean) < ERROR_MAX;
}

static bool shades_agree(const Job *job, Rect rect)
{
    int x = (rect.x + rect.x_end) / 2, y = (rect.y + rect.y_end) / 2;
    const BwShade *shades[5] = {shade_pixel(job, rect.x, rect.y), shade_pixel(job, rect.x_end - 1, rect.y),
                                shade_pixel(job, rect.x, rect.y_end - 1),
                                shade_pixel(job, rect.x_end - 1, rect.y_end - 1), shade_pixel(job, x, y)};
    float weights[4], values[5];
    weights_at(rect, x, y, weights);
    for (int lamp = 0; lamp < job->picture->rig.lamp_count; lamp++) {
        for (int c = 0; c < 5; c++)
            values[c] = shades[c]->lamps[lamp];
        if (!agrees(values, weights))
            return false;
    }
    for (int c = 0; c < 5; c++)
        values[c] = shades[c]->open;
    if (!agrees(values, weights))
        return false;
    for (int c = 0; c < 5; c++)
        values[c] = shades[c]->fire[0];
    if (!agrees(values, weights))
        return false;
    for (int c = 0; c < 5; c++)
        values[c] = shades[c]->facing;
    return agrees(values, weights);
}

static void interpolate(const Job *job, Rect rect)
{
    BwSurfacePane *pane = job->pane;
    int corners[4];
    corners_of(rect, corners);
    for (int y = rect.y; y < rect.y_end; y++)
        for (int x = rect.x; x < rect.x_end; x++) {
            int n = pixel_of(x, y);
            float weights[4];
            if (pane->is_shaded[n])
                continue;
            weights_at(rect, x, y, weights);
            BwShade sum = {0};
            for (int c = 0; c < 4; c++) {
                const BwShade *corner = &pane->shades[corners[c]];
                sum.facing += weights[c] * corner->facing;
                sum.open += weights[c] * corner->open;
                for (int color = 0; color < 3; color++)
                    sum.fire[color] += weights[c] * corner->fire[color];
                for (int lamp = 0; lamp < job->picture->rig.lamp_count; lamp++)
                    sum.lamps[lamp] += weights[c] * corner->lamps[lamp];
            }
            pane->shades[n] = sum;
            pane->is_shaded[n] = true;
        }
}

// The surface that all pixels of a rectangle see; -1 when they see more than one.
static int surface_of(const BwSurfacePane *pane, Rect rect)
{
    int surface = pane->surfaces[pixel_of(rect.x, rect.y)];
    for (int y = rect.y; y < rect.y_end; y++)
        for (int x = rect.x; x < rect.x_end; x++)
            if (pane->surfaces[pixel_of(x, y)] != surface)
                return -1;
    return surface;
}

static void shade_each(const Job *job, Rect rect)
{
    for (int y = rect.y; y < rect.y_end; y++)
        for (int x = rect.x; x < rect.x_end; x++)
            if (job->pane->surfaces[pixel_of(x, y)] != BW_SURFACE_NONE)
                shade_pixel(job, x, y);
}

static void shade_rect(const Job *job, Rect rect)
{
    int width = rect.x_end - rect.x, height = rect.y_end - rect.y;
    int surface = surface_of(job->pane, rect);
    if (surface == BW_SURFACE_NONE)
        return;
    if (width <= 2 || height <= 2) {
        shade_each(job, rect);
        return;
    }
    if (surface > 0 && is_smooth(job, rect) && shades_agree(job, rect)) {
        interpolate(job, rect);
        return;
    }
    int x = rect.x + width / 2, y = rect.y + height / 2;
    shade_rect(job, (Rect){rect.x, rect.y, x, y});
    shade_rect(job, (Rect){x, rect.y, rect.x_end, y});
    shade_rect(job, (Rect){rect.x, y, x, rect.y_end});
    shade_rect(job, (Rect){x, y, rect.x_end, rect.y_end});
}

void bw_shade_pane(const BwPicture *picture, BwSurfacePane *pane, int width_px, int height_px)
{
    Job job = {picture, pane};
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        pane->is_shaded[n] = false;
    shade_rect(&job, (Rect){0, 0, width_px, height_px});
}
