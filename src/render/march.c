// Pixels of a 3-D picture: what is behind, seen through the smoke in front of it.
#include "render/falloff.h"
#include "render/picture.h"
#include "render/ray_walk.h"
#include "render/tone.h"

#include <math.h>

#define STEP            0.9f   // lattice spacings, of a step through dense smoke
#define STEP_THIN       0.7f   // cells, of a step through thin smoke
#define THIN            0.6f   // optical depth of a step that is thin
#define FAINT           0.01f  // optical depth of a step that hardly shows, however long it is
#define NEAR            3.0f   // so far before a surface, steps are finer
#define STEP_NEAR       0.15f  // spacings
#define TRANSMITTED_MIN 0.004f // less than a step of the display is left of what is behind

// Light along a ray so far, and what still gets through.
typedef struct Sum {
    BwFloat4 light;
    float through;
} Sum;

// The ray as it is inside a brick, and what it goes through there.
typedef struct InBrick {
    const BwFloat4 *points;
    float origin[3], direction[3]; // in spacings from the brick's first point
} InBrick;

enum { BATCH = 8 };

// Some steps at a time, so that what does not depend on the one before is done for all of them at once.
typedef struct Batch {
    BwInt8 index; // of the point below each place
    BwFloat8 x, y, z, extinction;
    BwFloat4 light[BATCH];
} Batch;

// Rounding may put a place a hair outside of the brick, no more.
static inline BwInt8 split_place(const InBrick *ray, int axis, BwFloat8 t, BwFloat8 *rest)
{
    BwFloat8 at = ray->origin[axis] + t * ray->direction[axis];
    BwInt8 whole = __builtin_convertvector(at, BwInt8), is_last = whole >= BW_BRICK - 1;
    whole = (whole & ~is_last) | (is_last & (BW_BRICK - 1));
    *rest = at - __builtin_convertvector(whole, BwFloat8);
    return whole;
}

static inline void find_places(Batch *batch, const InBrick *ray, float t, float length)
{
    const BwFloat8 steps = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
    BwFloat8 at = t + steps * length;
    BwInt8 i = split_place(ray, 0, at, &batch->x), j = split_place(ray, 1, at, &batch->y),
           k = split_place(ray, 2, at, &batch->z);
    batch->index = (k * BW_BRICK_SIDE + j) * BW_BRICK_SIDE + i;
}

// Along a step of length s with extinction e and source S the light added is S (1 - exp(-e s)), exact for a
// uniform step.
static inline void add_batch(Sum *sum, Batch *batch, const InBrick *ray, int count, float length)
{
    for (int n = 0; n < count; n++) {
        batch->light[n] = bw_sample4(ray->points + batch->index[n], batch->x[n], batch->y[n], batch->z[n]);
        batch->extinction[n] = batch->light[n][3];
    }
    BwFloat8 left = bw_falloff8(length * batch->extinction);
    BwFloat8 weight = (1.0f - left) / (batch->extinction + 1e-9f);
    for (int n = 0; n < count; n++) {
        sum->light += batch->light[n] * (sum->through * weight[n]);
        sum->through *= left[n];
    }
}

// No longer than a spacing, or than a good half of a cell where the smoke is thin: the lattice may be finer
// than the cells, and the smoke is not. Where it hardly shows, as long as it takes to be seen.
static float step_in(const BwBrick *brick, int refine)
{
    float thin = bw_smaller(THIN / brick->most, STEP_THIN * (float)refine), faint = FAINT / brick->most;
    return bw_larger(bw_larger(thin, faint), STEP);
}

// Equal steps from t to t_end. Each looks at the smoke a random part of a step in, the same for a pixel in
// every frame, so that steps do not show as bands.
static void add_steps(Sum *sum, const InBrick *ray, float t, float t_end, float step, float jitter)
{
    int count = (int)((t_end - t) / step) + 1;
    float length = (t_end - t) / (float)count;
    Batch batch = {.extinction = {0.0f}};
    for (int n = 0; n < count && sum->through >= TRANSMITTED_MIN; n += BATCH) {
        find_places(&batch, ray, t + ((float)n + jitter) * length, length);
        add_batch(sum, &batch, ray, count - n < BATCH ? count - n : BATCH, length);
    }
}

// Smoke may hug the surface that the ray ends at, so the last steps are fine: else the random part would show
// as grain on what stands in the smoke.
static void add_brick(Sum *sum, const BwRayWalk *walk, int32_t n, float jitter, float t_in, float t_out,
                      float t_near)
{
    const BwVolume *volume = walk->volume;
    const BwBrick *brick = &volume->bricks[n];
    InBrick ray = {.points = volume->lit[n].points};
    for (int a = 0; a < 3; a++) {
        ray.origin[a] = walk->origin[a] - (float)(BW_BRICK * brick->place[a]);
        ray.direction[a] = walk->direction[a];
    }
    Sum own = *sum; // in registers
    float t = bw_smaller(bw_larger(t_in, t_near), t_out);
    if (t > t_in)
        add_steps(&own, &ray, t_in, t, step_in(brick, volume->refine), jitter);
    if (t_out > t)
        add_steps(&own, &ray, t, t_out, STEP_NEAR, jitter);
    *sum = own;
}

BwFloat4 bw_march(const BwVolume *volume, const float eye[3], BwVec3 direction, float t_max, float jitter)
{
    Sum sum = {.through = 1.0f};
    float t_in, t_out;
    BwRayWalk walk;
    if (!bw_ray_walk_begin(&walk, volume, eye, (float[3]){direction.x, direction.y, direction.z}, 0.0f,
                           t_max))
        return (BwFloat4){0.0f, 0.0f, 0.0f, 1.0f};
    for (int32_t n; sum.through > 0.0f && (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;) {
        add_brick(&sum, &walk, n, jitter, t_in, t_out, t_max - NEAR);
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
        pixel[c] = bw_dithered_byte(bw_tone_look_up(picture->tones, picture->exposure * light.c[c]), noise);
}

static void draw_pane(const BwPicture *picture, const float eye[3], BwPane *pane)
{
    const BwVolume *volume = picture->volume;
    bw_backdrop_draw(picture, pane);
    for (int y = 0; y < pane->height_px; y++)
        for (int x = 0; x < pane->width_px; x++) {
            int n = y * BW_PANE + x, x_px = pane->x_px + x, y_px = pane->y_px + y;
            BwLight3 light = pane->light[n];
            BwFloat4 smoke = bw_march(volume, eye, pane->rays[n], pane->distance[n] / volume->spacing,
                                      bw_pixel_noise(x_px, y_px));
            for (int c = 0; c < 3; c++)
                light.c[c] = smoke[c] + smoke[3] * light.c[c];
            bw_picture_put(picture, x_px, y_px, light);
        }
}

void bw_picture_panes(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPicture *picture = context;
    const BwVolume *volume = picture->volume;
    const BwImage *image = picture->image;
    float eye[3];
    for (int a = 0; a < 3; a++)
        eye[a] = (float)((picture->camera.eye[a] - volume->origin[a]) / (double)volume->spacing);
    BwPane pane;
    for (int y = BW_PANE * (int)begin; y < BW_PANE * end && y < image->height_px; y += BW_PANE)
        for (int x = 0; x < image->width_px; x += BW_PANE) {
            pane.x_px = x;
            pane.y_px = y;
            pane.width_px = image->width_px - x < BW_PANE ? image->width_px - x : BW_PANE;
            pane.height_px = image->height_px - y < BW_PANE ? image->height_px - y : BW_PANE;
            draw_pane(picture, eye, &pane);
        }
}
