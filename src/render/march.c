// Pixels of a 3-D picture: what is behind, seen through the smoke in front of it.
#include "render/picture.h"
#include "render/tone.h"
#include "render/walk.h"

#define STEP            0.9f   // lattice spacings
#define TRANSMITTED_MIN 0.004f // less than a step of the display is left of what is behind

// Adds up light along the ray; w is what still gets through. Along a step of length s with extinction e and
// source S the light added is S (1 - exp(-e s)), exact for a uniform step. The first step begins a random
// part of a step in, the same for a pixel in every frame, so that steps do not show as bands.
static BwFloat4 march(const BwVolume *volume, const float eye[3], BwVec3 direction, float t_max, float jitter)
{
    BwFloat4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    float through = 1.0f, t_in, t_out;
    BwWalk walk;
    if (!bw_walk_begin(&walk, volume, eye, (float[3]){direction.x, direction.y, direction.z}, 0.0f, t_max))
        return (BwFloat4){0.0f, 0.0f, 0.0f, 1.0f};
    for (int32_t n; (n = bw_walk_next(&walk, &t_in, &t_out)) >= 0;) {
        const BwFloat4 *points = volume->lit[n].points;
        const int32_t *place = volume->bricks[n].place;
        float t = STEP * (ceilf(t_in / STEP - jitter) + jitter);
        for (; t < t_out; t += STEP) {
            BwFloat4 here = bw_sample4(points, bw_in_brick(&walk, place, t));
            if (here[3] < 1e-6f)
                continue;
            float left = expf(-STEP * here[3]);
            sum += here * (through * (1.0f - left) / here[3]);
            through *= left;
        }
        if (through < TRANSMITTED_MIN) {
            through = 0.0f;
            break;
        }
    }
    sum[3] = through;
    return sum;
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
