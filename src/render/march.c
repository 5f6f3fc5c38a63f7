// Pixels of a 3-D picture: what is behind, seen through the smoke in front of it.
#include "render/falloff.h"
#include "render/picture.h"
#include "render/ray_walk.h"
#include "render/smoke_pane.h"
#include "render/tank.h"
#include "render/tone.h"

#include <math.h>
#include <string.h>

#define STEP            0.9f   // lattice spacings, of a step through dense smoke
#define STEP_THIN       0.7f   // cells, of a step through thin smoke
#define THIN            0.6f   // optical depth of a step that is thin
#define FAINT           0.01f  // optical depth of a step that hardly shows, however long it is
#define NEAR            3.0f   // so far before a surface, steps are finer
#define STEP_NEAR       0.15f  // spacings
#define TRANSMITTED_MIN 0.004f // less than a step of the display is left of what is behind

enum { BATCH = 8 };

// Light along a ray so far, and what still gets through. Steps are added some at a time, across bricks, so
// that what does not depend on the step before is done for all of them at once; there is room for one batch
// that waits and one that comes.
typedef struct Sum {
    BwFloat4 light;
    float through;
    const BwFloat4 *points;   // of the first brick
    int count;                // steps that wait
    int32_t index[2 * BATCH]; // of the point below each place
    float x[2 * BATCH], y[2 * BATCH], z[2 * BATCH], length[2 * BATCH];
} Sum;

// The ray as it is inside a brick.
typedef struct InBrick {
    int32_t index;                 // of the brick's first point
    float origin[3], direction[3]; // in spacings from that point
} InBrick;

// Rounding may put a place a hair outside of the brick, no more.
static inline BwInt8 split_place(const InBrick *ray, int axis, BwFloat8 t, float *rest)
{
    BwFloat8 at = ray->origin[axis] + t * ray->direction[axis];
    BwInt8 whole = __builtin_convertvector(at, BwInt8), is_last = whole >= BW_BRICK - 1;
    whole = (whole & ~is_last) | (is_last & (BW_BRICK - 1));
    at -= __builtin_convertvector(whole, BwFloat8);
    memcpy(rest, &at, sizeof at);
    return whole;
}

// Puts a batch of places behind those that wait.
static inline void find_places(Sum *sum, const InBrick *ray, float t, float length)
{
    const BwFloat8 steps = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
    BwFloat8 at = t + steps * length, lengths = length + 0.0f * steps;
    BwInt8 i = split_place(ray, 0, at, sum->x + sum->count), j = split_place(ray, 1, at, sum->y + sum->count),
           k = split_place(ray, 2, at, sum->z + sum->count);
    BwInt8 index = (k * BW_BRICK_SIDE + j) * BW_BRICK_SIDE + i + ray->index;
    memcpy(sum->index + sum->count, &index, sizeof index);
    memcpy(sum->length + sum->count, &lengths, sizeof lengths);
}

// Along a step of length s with extinction e and source S the light added is S (1 - exp(-e s)), exact for a
// uniform step.
static void add_batch(Sum *sum, int count)
{
    BwFloat4 light[BATCH], all = sum->light;
    BwFloat8 extinction = {0.0f}, length;
    float through = sum->through;
    memcpy(&length, sum->length, sizeof length);
    for (int n = 0; n < count; n++) {
        light[n] = bw_sample4(sum->points + sum->index[n], sum->x[n], sum->y[n], sum->z[n]);
        extinction[n] = light[n][3];
    }
    BwFloat8 left = bw_falloff8(length * extinction), weight = (1.0f - left) / (extinction + 1e-9f);
    for (int n = 0; n < count; n++) {
        all += light[n] * (through * weight[n]);
        through *= left[n];
    }
    sum->light = all;
    sum->through = through;
}

static void move_up(Sum *sum)
{
    memcpy(sum->index, sum->index + BATCH, BATCH * sizeof *sum->index);
    memcpy(sum->x, sum->x + BATCH, BATCH * sizeof *sum->x);
    memcpy(sum->y, sum->y + BATCH, BATCH * sizeof *sum->y);
    memcpy(sum->z, sum->z + BATCH, BATCH * sizeof *sum->z);
    memcpy(sum->length, sum->length + BATCH, BATCH * sizeof *sum->length);
    sum->count -= BATCH;
}

// No longer than a spacing, or than a good half of a cell where the smoke is thin: the lattice may be finer
// than the cells, and the smoke is not. Where it hardly shows, as long as it takes to be seen. A flame's
// front is as fine as the lattice, however little it hides.
static float step_in(const BwBrick *brick, int refine)
{
    if (brick->has_sheet)
        return STEP;
    float thin = bw_smaller(THIN / brick->most, STEP_THIN * (float)refine), faint = FAINT / brick->most;
    return bw_larger(bw_larger(thin, faint), STEP);
}

// Equal steps from t to t_end, each with the smoke in its middle: their error is of second order whatever the
// steps before and after, so that no noise is needed to hide them.
static void add_steps(Sum *sum, const InBrick *ray, float t, float t_end, float step)
{
    int count = (int)((t_end - t) / step) + 1;
    float length = (t_end - t) / (float)count;
    for (int n = 0; n < count && sum->through >= TRANSMITTED_MIN; n += BATCH) {
        find_places(sum, ray, t + ((float)n + 0.5f) * length, length);
        sum->count += count - n < BATCH ? count - n : BATCH;
        if (sum->count >= BATCH) {
            add_batch(sum, BATCH);
            move_up(sum);
        }
    }
}

// Smoke may hug the surface that the ray ends at, so the last steps are fine.
static void add_brick(Sum *sum, const BwVolume *volume, const BwRayWalk *walk, int32_t n, float t_in,
                      float t_out, float t_near)
{
    const BwBrick *brick = &volume->bricks[n];
    InBrick ray = {.index = n * BW_BRICK_POINTS};
    for (int a = 0; a < 3; a++) {
        ray.origin[a] = walk->origin[a] - (float)(BW_BRICK * brick->place[a]);
        ray.direction[a] = walk->direction[a];
    }
    float t = bw_smaller(bw_larger(t_in, t_near), t_out);
    if (t > t_in)
        add_steps(sum, &ray, t_in, t, step_in(brick, volume->refine));
    if (t_out > t)
        add_steps(sum, &ray, t, t_out, STEP_NEAR);
}

BwFloat4 bw_march(const BwVolume *volume, const float eye[3], BwVec3 direction, float t_max)
{
    Sum sum;
    float t_in, t_out;
    BwRayWalk walk;
    if (!bw_ray_walk_begin(&walk, &volume->map, eye, (float[3]){direction.x, direction.y, direction.z}, 0.0f,
                           t_max))
        return (BwFloat4){0.0f, 0.0f, 0.0f, 1.0f};
    sum.light = (BwFloat4){0.0f, 0.0f, 0.0f, 0.0f};
    sum.through = 1.0f;
    sum.points = volume->lit[0].points;
    sum.count = 0;
    memset(sum.length, 0, sizeof sum.length); // a batch that is not full is still eight steps long
    for (int32_t n; sum.through >= TRANSMITTED_MIN && (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;)
        add_brick(&sum, volume, &walk, n, t_in, t_out, t_max - NEAR);
    add_batch(&sum, sum.count);
    sum.light[3] = sum.through < TRANSMITTED_MIN ? 0.0f : sum.through;
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

static void draw_pane(const BwSmokeView *view, BwPane *pane)
{
    const BwPicture *picture = view->picture;
    bw_backdrop_draw(picture, pane);
    bw_water_draw(picture, pane);
    bw_tank_draw(picture, BW_TANK_BEHIND, pane);
    bw_smoke_draw(view, pane);
    bw_tank_draw(picture, BW_TANK_BEFORE, pane);
    for (int y = 0; y < pane->height_px; y++)
        for (int x = 0; x < pane->width_px; x++)
            bw_picture_put(picture, pane->x_px + x, pane->y_px + y, pane->light[y * BW_PANE + x]);
}

void bw_picture_panes(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwPicture *picture = context;
    const BwImage *image = picture->image;
    const BwSmokeView view = bw_smoke_view(picture);
    BwPane pane;
    for (int y = BW_PANE * (int)begin; y < BW_PANE * end && y < image->height_px; y += BW_PANE)
        for (int x = 0; x < image->width_px; x += BW_PANE) {
            pane.x_px = x;
            pane.y_px = y;
            pane.width_px = image->width_px - x < BW_PANE ? image->width_px - x : BW_PANE;
            pane.height_px = image->height_px - y < BW_PANE ? image->height_px - y : BW_PANE;
            draw_pane(&view, &pane);
        }
}
