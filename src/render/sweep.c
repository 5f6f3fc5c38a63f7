// Optical depth by short characteristics: plane after plane away from the lamp, each point looks one plane
// back along the ray and adds what lies between. A point costs the same however deep the smoke is, where a
// ray for each would cost its whole length. Where the ray comes out of a brick that does not exist, one real
// ray is marched; inside smoke the repeated interpolation blurs far shadows a little, as scattering does.
#include "render/sweep.h"
#include "render/light.h"

#include <stdlib.h>

enum { PATCH = BW_BRICK + 1 };

#define MARCH_STEP 2.0f // spacings, of the rays that are marched at the rim of the smoke

typedef struct Plane {
    const BwVolume *volume;
    float *depth;
    const int64_t *bricks; // keys of this layer; the low 32 bits are the index
    BwVec3 direction;
    int axis, across[2]; // the axis nearest to the lamp's direction, and the other two
    int towards;         // +1 or -1: the lamp's side along `axis`
    int base[2];         // the ray crosses the plane before at this whole offset across
    float blend[2];      //  and this much more
    float length;        // from plane to plane along the ray
    int level;           // of the plane in its bricks, 0 to 7
} Plane;

static int point_index(const Plane *plane, int level, int m, int n, int side)
{
    int at[3];
    at[plane->axis] = level;
    at[plane->across[0]] = m;
    at[plane->across[1]] = n;
    return (at[2] * side + at[1]) * side + at[0];
}

// Depth and extinction in the plane before, over the brick and one point beyond it across.
typedef struct Patch {
    float depth[PATCH][PATCH], extinction[PATCH][PATCH];
} Patch;

static float march_from(const Plane *plane, const int32_t brick[3], float level, float m, float n)
{
    float at[3];
    at[plane->axis] = (float)(BW_BRICK * brick[plane->axis]) + level;
    at[plane->across[0]] = (float)(BW_BRICK * brick[plane->across[0]]) + m;
    at[plane->across[1]] = (float)(BW_BRICK * brick[plane->across[1]]) + n;
    return bw_volume_depth(plane->volume, at, plane->direction, MARCH_STEP);
}

// A part of the patch: points low to high - 1 of one brick, across; shift is from them to the patch's own.
typedef struct Part {
    int low[2], high[2], shift[2];
} Part;

// Where between the ends and the middle of low..high - 1 a point lies: 0 to 2.
static float half_steps_to(int n, int low, int high)
{
    return high - 1 > low ? 2.0f * (float)(n - low) / (float)(high - 1 - low) : 0.0f;
}

// Rays are marched from the ends and the middle of the part only, and interpolated: in the open, depth
// changes slowly from point to point.
static void march_part(const Plane *plane, const int32_t place[3], int level, const Part *part, Patch *patch)
{
    float marched[3][3] = {{0.0f}};
    int last[2] = {part->high[0] - 1 > part->low[0] ? 2 : 0, part->high[1] - 1 > part->low[1] ? 2 : 0};
    for (int n = 0; n <= last[1]; n++)
        for (int m = 0; m <= last[0]; m++) {
            float x = (float)part->low[0] + 0.5f * (float)(m * (part->high[0] - 1 - part->low[0]));
            float y = (float)part->low[1] + 0.5f * (float)(n * (part->high[1] - 1 - part->low[1]));
            marched[n][m] = march_from(plane, place, (float)level, x, y);
        }
    for (int n = part->low[1]; n < part->high[1]; n++)
        for (int m = part->low[0]; m < part->high[0]; m++) {
            float x = half_steps_to(m, part->low[0], part->high[0]),
                  y = half_steps_to(n, part->low[1], part->high[1]);
            int i = x < 1.0f ? 0 : 1, j = y < 1.0f ? 0 : 1;
            x -= (float)i;
            y -= (float)j;
            float low = marched[j][i] + x * (marched[j][i + 1] - marched[j][i]);
            float high = marched[j + 1][i] + x * (marched[j + 1][i + 1] - marched[j + 1][i]);
            patch->extinction[n + part->shift[1]][m + part->shift[0]] = 0.0f;
            patch->depth[n + part->shift[1]][m + part->shift[0]] = low + y * (high - low);
        }
}

static void copy_part(const Plane *plane, int32_t brick, int level, const Part *part, Patch *patch)
{
    const float *extinction = plane->volume->bricks[brick].extinction;
    const float *depth = plane->depth + (size_t)brick * BW_SWEEP_POINTS;
    for (int n = part->low[1]; n < part->high[1]; n++)
        for (int m = part->low[0]; m < part->high[0]; m++) {
            int row = n + part->shift[1], column = m + part->shift[0];
            patch->extinction[row][column] = extinction[point_index(plane, level, m, n, BW_BRICK_SIDE)];
            patch->depth[row][column] = depth[point_index(plane, level, m, n, BW_BRICK)];
        }
}

// The part of the patch that lies in the brick at `place`, which is `beyond` bricks across from the patch's
// own.
static void gather_part(const Plane *plane, const int32_t place[3], int level, const int beyond[2],
                        Patch *patch)
{
    Part part;
    for (int c = 0; c < 2; c++) {
        int from = plane->base[c] - BW_BRICK * beyond[c], to = from + PATCH;
        part.low[c] = from > 0 ? from : 0;
        part.high[c] = to < BW_BRICK ? to : BW_BRICK;
        part.shift[c] = -from;
    }
    int32_t brick = bw_volume_brick(plane->volume, place[0], place[1], place[2]);
    if (brick >= 0)
        copy_part(plane, brick, level, &part, patch);
    else
        march_part(plane, place, level, &part, patch);
}

// The patch lies in up to four bricks: the one itself and its neighbours on the side the ray comes from.
static void gather_patch(const Plane *plane, const int32_t place[3], Patch *patch)
{
    int level = plane->level + plane->towards;
    int32_t at[3] = {place[0], place[1], place[2]};
    if (level < 0 || level >= BW_BRICK) {
        at[plane->axis] += plane->towards;
        level &= BW_BRICK - 1;
    }
    int beyond[2] = {plane->base[0] < 0 ? -1 : 1, plane->base[1] < 0 ? -1 : 1};
    for (int n = 0; n < 4; n++) {
        const int part[2] = {n & 1 ? beyond[0] : 0, n & 2 ? beyond[1] : 0};
        int32_t brick[3] = {at[0], at[1], at[2]};
        brick[plane->across[0]] += part[0];
        brick[plane->across[1]] += part[1];
        gather_part(plane, brick, level, part, patch);
    }
}

static float patch_value(const float values[PATCH][PATCH], int m, int n, const float blend[2])
{
    float low = values[n][m] + blend[0] * (values[n][m + 1] - values[n][m]);
    float high = values[n + 1][m] + blend[0] * (values[n + 1][m + 1] - values[n + 1][m]);
    return low + blend[1] * (high - low);
}

static void sweep_plane(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Plane *plane = context;
    for (int64_t b = begin; b < end; b++) {
        int64_t brick = plane->bricks[b] & INT32_MAX;
        const BwBrick *own = &plane->volume->bricks[brick];
        float *depth = plane->depth + brick * BW_SWEEP_POINTS;
        Patch patch;
        gather_patch(plane, own->place, &patch);
        for (int n = 0; n < BW_BRICK; n++)
            for (int m = 0; m < BW_BRICK; m++) {
                float before = patch_value(patch.extinction, m, n, plane->blend);
                float here = own->extinction[point_index(plane, plane->level, m, n, BW_BRICK_SIDE)];
                depth[point_index(plane, plane->level, m, n, BW_BRICK)] =
                    patch_value(patch.depth, m, n, plane->blend) + 0.5f * plane->length * (before + here);
            }
    }
}

static int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static Plane plane_for(const BwVolume *volume, BwVec3 direction, float *depth)
{
    const float d[3] = {direction.x, direction.y, direction.z};
    int axis = fabsf(d[0]) > fabsf(d[1]) ? 0 : 1;
    axis = fabsf(d[2]) > fabsf(d[axis]) ? 2 : axis;
    Plane plane = {.volume = volume, .depth = depth, .direction = direction, .axis = axis};
    plane.across[0] = axis == 0 ? 1 : 0;
    plane.across[1] = axis == 2 ? 1 : 2;
    plane.towards = d[axis] > 0.0f ? 1 : -1;
    plane.length = 1.0f / fabsf(d[axis]);
    for (int c = 0; c < 2; c++) {
        float offset = d[plane.across[c]] * plane.length;
        plane.base[c] = offset < 0.0f ? -1 : 0;
        plane.blend[c] = offset - (float)plane.base[c];
    }
    return plane;
}

// Bricks by their layer, those next to the lamp first, else in their own order.
static void sort_bricks(BwSweep *sweep, const BwVolume *volume, const Plane *plane)
{
    for (int64_t n = 0; n < volume->brick_count; n++) {
        int64_t layer = volume->bricks[n].place[plane->axis];
        sweep->order[n] = -plane->towards * layer * ((int64_t)1 << 32) + n;
    }
    qsort(sweep->order, (size_t)volume->brick_count, sizeof *sweep->order, compare_keys);
}

BwResult bw_sweep_run(BwSweep *sweep, const BwVolume *volume, BwPool *pool, BwVec3 direction, BwError *err)
{
    int64_t count = volume->brick_count;
    BW_TRY(bw_reserve(&sweep->allocator, (void **)&sweep->depth, &sweep->depth_capacity,
                      count * BW_SWEEP_POINTS, sizeof *sweep->depth, err));
    BW_TRY(bw_reserve(&sweep->allocator, (void **)&sweep->order, &sweep->order_capacity, count,
                      sizeof *sweep->order, err));
    Plane plane = plane_for(volume, direction, sweep->depth);
    sort_bricks(sweep, volume, &plane);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && sweep->order[end] >> 32 == sweep->order[begin] >> 32)
            end++;
        plane.bricks = sweep->order + begin;
        for (int step = 0; step < BW_BRICK; step++) {
            plane.level = plane.towards > 0 ? BW_BRICK - 1 - step : step;
            bw_parallel_for(pool, end - begin, 4, sweep_plane, &plane);
        }
    }
    return BW_OK;
}

void bw_sweep_free(BwSweep *sweep)
{
    bw_free(&sweep->allocator, sweep->depth, (size_t)sweep->depth_capacity * sizeof *sweep->depth, BW_ALIGN);
    bw_free(&sweep->allocator, sweep->open, (size_t)sweep->open_capacity * sizeof *sweep->open, BW_ALIGN);
    bw_free(&sweep->allocator, sweep->order, (size_t)sweep->order_capacity * sizeof *sweep->order, BW_ALIGN);
    *sweep = (BwSweep){.allocator = sweep->allocator};
}
