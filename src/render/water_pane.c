// Water in the pixels of a pane. A mesh is met by eight rays of each pixel, spread over its area and over the
// time that the shutter is open, and by more where it glitters. To the level set rays go through the corners
// of pixels, which neighbours share; a pixel whose corners see much the same is their mean, and others get
// four rays of their own. So do pixels with particles, which are known along those.
#include "base/extremes.h"
#include "render/glass.h"
#include "render/optics.h"
#include "render/water_light.h"
#include "render/water_mesh.h"

enum { CORNERS = BW_PANE + 1 };

// What the corners of a pixel may differ by: so much of their mean, and a little more in the dark.
#define SPREAD_SHARE 0.25f
#define SPREAD_DARK  0.02f

#define DROP_DEPTH                                                                                           \
    8.0f // times its width that a drop counts for where it is coloured: it is part of deeper water
#define TINT_SCATTER 0.15f // and what it scatters then
#define DROP_SCATTER 0.06f // of the light of spray: drops are not as round and smooth as they are drawn

// Times what a white card sends: the light of one ray counts for no more, so that a glint that only one of
// them meets does not flicker from frame to frame.
#define SAMPLE_MOST 3.0f

// Where the eight rays go through a pixel, when, in eighths of the shutter, and which of the four rays that
// particles are known along is near.
enum { SAMPLES = 8 };
static const struct {
    float x, y;
    int time, subsample;
} samples[SAMPLES] = {
    {0.5625f, 0.3125f, 0, 0}, {0.4375f, 0.6875f, 5, 3}, {0.8125f, 0.5625f, 2, 1}, {0.3125f, 0.1875f, 7, 0},
    {0.1875f, 0.8125f, 4, 2}, {0.0625f, 0.4375f, 1, 2}, {0.6875f, 0.9375f, 6, 3}, {0.9375f, 0.0625f, 3, 1},
};

// Where one of them is so many times as bright as their mean, and a little more, it met a glint that is
// smaller than the pixel: so many more rays tell how much smaller, so that it does not sparkle.
enum { GLINT_SIDE = 4, GLINT_SAMPLES = GLINT_SIDE * GLINT_SIDE };
#define GLINT_SHARE 2.0f
#define GLINT_DARK  0.1f

typedef struct PaneWater {
    const BwPicture *picture;
    const BwPane *pane;
    BwWaterRay rays[CORNERS * CORNERS];
    bool is_wet[CORNERS * CORNERS], is_lit[CORNERS * CORNERS];
    BwLight3 light[CORNERS * CORNERS];
} PaneWater;

static BwWaterRay ray_from_eye(const BwPicture *picture, float x_px, float y_px)
{
    const double *eye = picture->camera.eye;
    return (BwWaterRay){.origin = {eye[0], eye[1], eye[2]},
                        .direction = bw_picture_ray(picture, x_px, y_px),
                        .time = 0.5f,
                        .x_px = x_px,
                        .y_px = y_px,
                        .is_from_eye = true};
}

static const BwLight3 *corner_light(PaneWater *water, int n)
{
    if (!water->is_lit[n])
        water->light[n] = bw_water_ray_light(water->picture, &water->rays[n], &(BwKeptShades){.count = 0});
    water->is_lit[n] = true;
    return &water->light[n];
}

static void corners_of(int x, int y, int corners[4])
{
    corners[0] = y * CORNERS + x;
    corners[1] = corners[0] + 1;
    corners[2] = corners[0] + CORNERS;
    corners[3] = corners[2] + 1;
}

// The mean of the corners of a pixel. False where they do not agree.
static bool mean_of_corners(PaneWater *water, const int corners[4], BwLight3 *mean)
{
    bool agrees = true;
    for (int n = 1; n < 4; n++)
        agrees &= water->is_wet[corners[n]] == water->is_wet[corners[0]];
    for (int c = 0; c < 3; c++) {
        float low = INFINITY, high = -INFINITY, sum = 0.0f;
        for (int n = 0; n < 4; n++) {
            float light = corner_light(water, corners[n])->c[c];
            low = bw_smaller(low, light);
            high = bw_larger(high, light);
            sum += 0.25f * light;
        }
        mean->c[c] = sum;
        agrees &= high - low < SPREAD_SHARE * sum + SPREAD_DARK;
    }
    return agrees;
}

// What a white card that faces all lights a little sends back.
static BwLight3 scattered_light(const BwPicture *picture)
{
    const BwRig *rig = &picture->rig;
    BwLight3 light;
    for (int c = 0; c < 3; c++) {
        light.c[c] = rig->sky[c];
        for (int n = 0; n < rig->lamp_count; n++)
            light.c[c] += 0.5f * rig->lamps[n].light[c];
    }
    return light;
}

// The colour that a drop carries, over the way through it.
static void tint_drop(const BwPicture *picture, const BwBall *drop, float way, BwLight3 *through,
                      BwLight3 *scattered)
{
    for (int c = 0; c < 3; c++) {
        through->c[c] *= bw_falloff(DROP_DEPTH * picture->optics.strength * (1.0f - drop->color[c]) * way);
        scattered->c[c] *= drop->color[c];
    }
}

// A drop of a murky liquid hides what is behind it, over the way through it, and is lit as the rest of the
// liquid.
static void cloud_drop(const BwPicture *picture, const BwBall *drop, const double place[3], BwVec3 ray,
                       BwVec3 normal, float way, BwLight3 *through)
{
    const BwWaterOptics *optics = &picture->optics;
    const float white[3] = {1.0f, 1.0f, 1.0f},
                *color = bw_water_has_tint(picture->tint) ? drop->color : optics->color;
    BwShade shade = bw_shade_at(picture, place, ray, normal);
    BwLight3 lit = bw_shade_light(picture, &shade, white);
    float darkest = bw_smaller(color[0], bw_smaller(color[1], color[2])),
          hidden = optics->murk * (1.0f - bw_falloff(optics->strength * (1.0f - darkest) * way));
    for (int c = 0; c < 3; c++)
        through->c[c] += hidden * (bw_water_scattered(optics, c, color[c], lit.c[c]) - through->c[c]);
}

// A drop turns what is behind it upside down: a ray is bent at its front and once more, by as much, at its
// back. One smaller than a pixel lets what is behind be seen as it is, and the rest of the pixel too.
static BwLight3 drop_light(const BwPicture *picture, const BwWaterRay *ray, const BwBall *drop, float time,
                           float t, BwKeptShades *kept)
{
    float cosine_in, reflected;
    BwVec3 center = bw_add(drop->center, bw_mul(drop->way, time - 0.5f));
    BwVec3 hit = bw_mul(ray->direction, t), normal = bw_normalize(bw_sub(hit, center));
    float cosine = bw_larger(-bw_dot(normal, ray->direction), 0.0f);
    reflected = bw_fresnel(1.0f / BW_WATER_INDEX, cosine, &cosine_in);
    BwVec3 inner = bw_refract(ray->direction, normal, 1.0f / BW_WATER_INDEX, cosine, cosine_in);
    BwVec3 exit = bw_add(hit, bw_mul(inner, 2.0f * drop->radius * cosine_in));
    BwVec3 outward = bw_normalize(bw_sub(exit, center));
    BwWaterRay behind = {.direction =
                             bw_refract(inner, bw_mul(outward, -1.0f), BW_WATER_INDEX, cosine_in, cosine)};
    BwWaterRay mirrored = {.direction = bw_reflect(ray->direction, normal, cosine)};
    behind.origin[0] = mirrored.origin[0] = ray->origin[0] + (double)exit.x;
    behind.origin[1] = mirrored.origin[1] = ray->origin[1] + (double)exit.y;
    behind.origin[2] = mirrored.origin[2] = ray->origin[2] + (double)exit.z;
    BwLight3 through = bw_water_ray_light(picture, drop->share < 1.0f ? ray : &behind, kept);
    BwLight3 light = bw_far_light(picture, &mirrored), scattered = scattered_light(picture);
    bool has_tint = bw_water_has_tint(picture->tint);
    float scatter = (has_tint ? TINT_SCATTER : DROP_SCATTER) * (1.0f - picture->optics.murk);
    if (has_tint)
        tint_drop(picture, drop, 2.0f * drop->radius * cosine_in, &through, &scattered);
    if (picture->optics.murk > 0.0f) {
        double place[3] = {ray->origin[0] + (double)hit.x, ray->origin[1] + (double)hit.y,
                           ray->origin[2] + (double)hit.z};
        cloud_drop(picture, drop, place, ray->direction, normal, 2.0f * drop->radius * cosine_in, &through);
    }
    for (int c = 0; c < 3; c++) {
        light.c[c] = reflected * light.c[c] + (1.0f - reflected) * through.c[c];
        light.c[c] += scatter * (scattered.c[c] - light.c[c]);
        light.c[c] = through.c[c] + drop->share * (light.c[c] - through.c[c]);
    }
    return light;
}

// What a ray sees, with the particles that are known along ray n of its pixel.
static BwLight3 light_along(const BwPicture *picture, BwWaterRay *ray, int x_px, int y_px, int n,
                            BwKeptShades *kept)
{
    float t;
    int32_t thing =
        bw_things_is_empty(picture->things) ? -1 : bw_things_trace(picture->things, x_px, y_px, n, &t);
    if (thing < 0 || !(t < bw_water_ray_end(picture, ray)))
        return bw_water_ray_light(picture, ray, kept);
    const BwBall *drop = bw_things_drop(picture->things, thing);
    return drop != NULL ? drop_light(picture, ray, drop, bw_subsample_time(x_px, y_px, n), t, kept)
                        : bw_thing_light(picture, thing, ray->direction, t);
}

static BwLight3 subsample_light(const BwPicture *picture, int x_px, int y_px, int n, BwKeptShades *kept)
{
    BwWaterRay ray = ray_from_eye(picture, (float)x_px + bw_subsample_offsets[n][0],
                                  (float)y_px + bw_subsample_offsets[n][1]);
    return light_along(picture, &ray, x_px, y_px, n, kept);
}

static bool has_thing(const BwPicture *picture, int x_px, int y_px)
{
    float t;
    bool has = false;
    for (int n = 0; n < BW_SUBSAMPLES && !has && !bw_things_is_empty(picture->things); n++)
        has = bw_things_trace(picture->things, x_px, y_px, n, &t) >= 0;
    return has;
}

static BwLight3 pixel_light(PaneWater *water, int x, int y, const int corners[4])
{
    const BwPicture *picture = water->picture;
    int x_px = water->pane->x_px + x, y_px = water->pane->y_px + y;
    BwLight3 light;
    if (!has_thing(picture, x_px, y_px) && mean_of_corners(water, corners, &light))
        return light;
    light = (BwLight3){{0.0f, 0.0f, 0.0f}};
    BwKeptShades kept = {.count = 0};
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        BwLight3 part = subsample_light(picture, x_px, y_px, n, &kept);
        for (int c = 0; c < 3; c++)
            light.c[c] += part.c[c] / (float)BW_SUBSAMPLES;
    }
    return light;
}

static bool has_drop(const BwPicture *picture, int x_px, int y_px)
{
    float t;
    bool has = false;
    for (int n = 0; n < BW_SUBSAMPLES && !has && picture->things->has_drops; n++) {
        int32_t thing = bw_things_trace(picture->things, x_px, y_px, n, &t);
        has = thing >= 0 && bw_things_drop(picture->things, thing) != NULL;
    }
    return has;
}

static float nearest_water(const PaneWater *water, const int corners[4])
{
    float nearest = INFINITY;
    for (int n = 0; n < 4; n++)
        if (water->is_wet[corners[n]])
            nearest = bw_smaller(nearest, water->rays[corners[n]].first.t * water->picture->water->cell);
    return nearest;
}

static void see_corners(PaneWater *water)
{
    const BwPane *pane = water->pane;
    for (int y = 0; y <= pane->height_px; y++)
        for (int x = 0; x <= pane->width_px; x++) {
            int n = y * CORNERS + x;
            water->rays[n] = ray_from_eye(water->picture, (float)(pane->x_px + x), (float)(pane->y_px + y));
            water->is_wet[n] = bw_clear_is_seen(water->picture, &water->rays[n]);
            water->is_lit[n] = false;
        }
}

// The light of the rays of a pixel so far.
typedef struct PixelSum {
    BwLight3 light;
    float brightest;
    int count;
} PixelSum;

static void add_sample(PixelSum *sum, BwLight3 light)
{
    for (int c = 0; c < 3; c++) {
        float part = bw_smaller(light.c[c], SAMPLE_MOST);
        sum->light.c[c] += part;
        sum->brightest = bw_larger(sum->brightest, part);
    }
    sum->count++;
}

static bool has_glint(const PixelSum *sum)
{
    float most = bw_larger(sum->light.c[0], bw_larger(sum->light.c[1], sum->light.c[2]));
    return sum->brightest > GLINT_SHARE * most / (float)sum->count + GLINT_DARK;
}

// One in each of 4 x 4 parts of the pixel, and in each of 16 rows and columns, at times in mixed order.
static void add_glint_samples(PixelSum *sum, const BwPicture *picture, int x_px, int y_px)
{
    BwKeptShades kept = {.count = 0};
    float noise = bw_pixel_noise(x_px, y_px);
    for (int s = 0; s < GLINT_SAMPLES; s++) {
        int i = s % GLINT_SIDE, j = s / GLINT_SIDE;
        float x = ((float)(GLINT_SIDE * i + j) + 0.5f) / GLINT_SAMPLES,
              y = ((float)(GLINT_SIDE * j + i) + 0.5f) / GLINT_SAMPLES;
        BwWaterRay ray = ray_from_eye(picture, (float)x_px + x, (float)y_px + y);
        ray.time = ((float)(7 * s % GLINT_SAMPLES) + noise) / GLINT_SAMPLES;
        bw_clear_is_seen(picture, &ray);
        // The four rays that particles are known along lie in four rows.
        add_sample(sum, light_along(picture, &ray, x_px, y_px, (int)((float)BW_SUBSAMPLES * y), &kept));
    }
}

// Pixels of which no ray meets water or a drop stay as they are.
static void draw_pixel(const BwPicture *picture, BwPane *pane, int n, PixelSum *sum)
{
    int x_px = pane->x_px + n % BW_PANE, y_px = pane->y_px + n / BW_PANE;
    BwWaterRay rays[SAMPLES];
    bool is_wet = false;
    float nearest = INFINITY, noise = bw_pixel_noise(x_px, y_px);
    for (int s = 0; s < SAMPLES; s++) {
        rays[s] = ray_from_eye(picture, (float)x_px + samples[s].x, (float)y_px + samples[s].y);
        rays[s].time = ((float)samples[s].time + noise) / SAMPLES;
        if (!bw_clear_is_seen(picture, &rays[s]))
            continue;
        is_wet = true;
        nearest = bw_smaller(nearest, rays[s].first.t * picture->water->cell);
    }
    if (!is_wet && !has_drop(picture, x_px, y_px))
        return;
    BwKeptShades kept = {.count = 0};
    for (int s = 0; s < SAMPLES; s++)
        add_sample(sum, light_along(picture, &rays[s], x_px, y_px, samples[s].subsample, &kept));
    pane->distance[n] = bw_smaller(pane->distance[n], nearest);
}

static bool is_by_glint(const uint8_t *glints, int n)
{
    int x = n % BW_PANE, y = n / BW_PANE;
    return glints[n] || (x > 0 && glints[n - 1]) || (x + 1 < BW_PANE && glints[n + 1]) ||
           (y > 0 && glints[n - BW_PANE]) || (y + 1 < BW_PANE && glints[n + BW_PANE]);
}

// A pane is narrow: a cone round its middle tells whether any of its pixels may see water.
static bool may_see_clear(const BwPicture *picture, const BwPane *pane)
{
    float half = 0.5f * (float)BW_PANE,
          pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px, place[3];
    BwVec3 middle = bw_picture_ray(picture, (float)pane->x_px + half, (float)pane->y_px + half);
    bw_water_place(picture->water, picture->camera.eye, place);
    return picture->is_eye_in_water || picture->things->has_drops ||
           (bw_has_glass(picture) &&
            bw_solids_may_hit(picture->glass, picture->camera.eye, middle, 1.5f * half * pixel)) ||
           picture->water->mesh == NULL ||
           bw_water_mesh_may_hit(picture->water->mesh, place, middle, 1.5f * half * pixel);
}

static void draw_samples(const BwPicture *picture, BwPane *pane)
{
    PixelSum sums[BW_PANE_PIXELS] = {{.count = 0}};
    uint8_t glints[BW_PANE_PIXELS] = {0};
    if (!may_see_clear(picture, pane))
        return;
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        if (n % BW_PANE < pane->width_px && n / BW_PANE < pane->height_px) {
            draw_pixel(picture, pane, n, &sums[n]);
            glints[n] = sums[n].count > 0 && has_glint(&sums[n]);
        }
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        PixelSum *sum = &sums[n];
        if (sum->count > 0 && is_by_glint(glints, n))
            add_glint_samples(sum, picture, pane->x_px + n % BW_PANE, pane->y_px + n / BW_PANE);
        for (int c = 0; c < 3 && sum->count > 0; c++)
            pane->light[n].c[c] = sum->light.c[c] / (float)sum->count;
    }
}

static void draw_level_set(const BwPicture *picture, BwPane *pane)
{
    PaneWater water;
    water.picture = picture;
    water.pane = pane;
    see_corners(&water);
    for (int y = 0; y < pane->height_px; y++)
        for (int x = 0; x < pane->width_px; x++) {
            int corners[4], n = y * BW_PANE + x;
            bool is_wet = false;
            corners_of(x, y, corners);
            for (int c = 0; c < 4; c++)
                is_wet |= water.is_wet[corners[c]];
            if (!is_wet && !has_drop(picture, pane->x_px + x, pane->y_px + y))
                continue;
            pane->light[n] = pixel_light(&water, x, y, corners);
            if (is_wet)
                pane->distance[n] = bw_smaller(pane->distance[n], nearest_water(&water, corners));
        }
}

void bw_water_draw(const BwPicture *picture, BwPane *pane)
{
    if (bw_water_is_empty(picture->water) && !picture->things->has_drops && !bw_has_glass(picture))
        return;
    if (picture->water->mesh != NULL || bw_has_glass(picture))
        draw_samples(picture, pane);
    else
        draw_level_set(picture, pane);
}
