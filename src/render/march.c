// Pixels of a 3-D picture: what is behind, seen through the smoke in front of it.
#include "render/picture.h"
#include "render/ray_walk.h"
#include "render/tone.h"

#include <math.h>

#define STEP            0.9f   // lattice spacings
#define NEAR            3.0f   // so far before a surface, steps are finer
#define FINER           6.0f   // by as much
#define TRANSMITTED_MIN 0.004f // less than a step of the display is left of what is behind

// Light along a ray so far, and what still gets through.
typedef struct Sum {
    BwFloat4 light;
    float through;
} Sum;

// Along a step of length s with extinction e and source S the light added is S (1 - exp(-e s)), exact for a
// uniform step.
static void add_step(Sum *sum, const BwRayWalk *walk, const BwVolume *volume, int32_t brick, float t,
                     float length)
{
    BwFloat4 here = bw_sample4(volume->lit[brick].points, bw_in_brick(walk, volume->bricks[brick].place, t));
    if (here[3] < 1e-6f)
        return;
    float left = expf(-length * here[3]);
    sum->light += here * (sum->through * (1.0f - left) / here[3]);
    sum->through *= left;
}

// The first step begins a random part of a step in, the same for a pixel in every frame, so that steps do not
// show as bands. Smoke may hug the surface that the ray ends at, so the last steps are fine, and end just
// there: else the random part would show as grain on what stands in the smoke.
typedef struct Steps {
    float jitter;      // steps
    float begin, fine; // of the fine ones, lattice spacings, and their length
} Steps;

static Steps steps_before(float t_max, float jitter)
{
    Steps steps = {jitter, t_max, STEP / FINER};
    if (!isfinite(t_max))
        return steps;
    steps.begin = fmaxf(STEP * (floorf((t_max - NEAR) / STEP - jitter + 0.5f) + jitter - 0.5f), 0.0f);
    steps.fine = (t_max - steps.begin) / ceilf((t_max - steps.begin) * FINER / STEP);
    return steps;
}

static void add_brick(Sum *sum, const BwRayWalk *walk, const BwVolume *volume, int32_t brick, Steps steps,
                      float t_in, float t_out)
{
    float t = STEP * (ceilf(t_in / STEP - steps.jitter) + steps.jitter);
    for (; t < fminf(t_out, steps.begin); t += STEP)
        add_step(sum, walk, volume, brick, t, STEP);
    float first = fmaxf(ceilf((t_in - steps.begin) / steps.fine - 0.5f), 0.0f);
    for (t = steps.begin + (first + 0.5f) * steps.fine; t < t_out; t += steps.fine)
        add_step(sum, walk, volume, brick, t, steps.fine);
}

// Adds up light along the ray; w is what still gets through.
static BwFloat4 march(const BwVolume *volume, const float eye[3], BwVec3 direction, float t_max, float jitter)
{
    Sum sum = {.through = 1.0f};
    Steps steps = steps_before(t_max, jitter);
    float t_in, t_out;
    BwRayWalk walk;
    if (!bw_ray_walk_begin(&walk, volume, eye, (float[3]){direction.x, direction.y, direction.z}, 0.0f,
                           t_max))
        return (BwFloat4){0.0f, 0.0f, 0.0f, 1.0f};
    for (int32_t n; sum.through > 0.0f && (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;) {
        add_brick(&sum, &walk, volume, n, steps, t_in, t_out);
        sum.through = sum.through < TRANSMITTED_MIN ? 0.0f : sum.through;
    }
    sum.light[3] = sum.through;
    return sum.light;
}

void bw_picture_put(const BwPicture *picture, int x_px, int y_px, BwLight3 light)
{
    uint8_t *pixel =
        picture->image->pixels + 3 * ((size_t)y_px * (size_t)picture->image->width_px + (size_t)x_px);
    float noise = bw_pixel_noise(x_px + 57, y_px + 113);
    for (int c = 0; c < 3; c++)
        pixel[c] = bw_dithered_byte(bw_srgb_encode(bw_tone_curve(picture->exposure * light.c[c])), noise);
}

static BwLight3 pixel_light(const BwPicture *picture, const float eye[3], int x_px, int y_px)
{
    float distance;
    BwLight3 light = bw_backdrop_seen(picture, x_px, y_px, &distance);
    if (picture->volume->brick_count == 0)
        return light;
    float x = 2.0f * ((float)x_px + 0.5f) / (float)picture->image->width_px - 1.0f;
    float y = 1.0f - 2.0f * ((float)y_px + 0.5f) / (float)picture->image->height_px;
    BwVec3 direction = bw_camera_ray(&picture->camera, x, y);
    BwFloat4 smoke = march(picture->volume, eye, direction, distance / picture->volume->spacing,
                           bw_pixel_noise(x_px, y_px));
    for (int c = 0; c < 3; c++)
        light.c[c] = smoke[c] + smoke[3] * light.c[c];
    return light;
}

void bw_picture_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPicture *picture = context;
    const BwVolume *volume = picture->volume;
    float eye[3];
    for (int a = 0; a < 3; a++)
        eye[a] = (float)((picture->camera.eye[a] - volume->origin[a]) / (double)volume->spacing);
    for (int y = (int)begin; y < end; y++)
        for (int x = 0; x < picture->image->width_px; x++)
            bw_picture_put(picture, x, y, pixel_light(picture, eye, x, y));
}
