// Rasterising triangles and balls. A ray from the eye along d meets the triangle a, b, c where the triple
// products d.(a x b), d.(b x c) and d.(c x a) have one sign; the product of a shared edge is the same number
// in both of its triangles, so that no ray slips between them.
#include "render/things.h"

#include "render/things_gather.h"

#include <math.h>
#include <string.h>

#define BAND_ROWS 16 // drawn by one thread, with a list of the items in them

const float bw_subsample_offsets[BW_SUBSAMPLES][2] = {
    {0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};

typedef struct Raster {
    BwThings *things;
    const BwCamera *camera;
    int width_px, height_px;
    float step[2]; // of a pixel, at distance 1
} Raster;

// The image of a box in the camera's own axes, which lies in front of it: from -1 to 1 inside the picture.
static void image_of_span(float low, float high, float near, float far, float tangent, float image[2])
{
    image[0] = low / (low < 0.0f ? near : far) / tangent;
    image[1] = high / (high > 0.0f ? near : far) / tangent;
}

static int32_t pixel_at(float image, int size_px)
{
    float at = (0.5f * image + 0.5f) * (float)size_px;
    return (int32_t)fminf(fmaxf(floorf(at), 0.0f), (float)size_px);
}

// The pixels of a box in the camera's axes: right, up, forward. One that the camera is in may be anywhere.
static BwReach reach_of_box(const Raster *raster, const float low[3], const float high[3])
{
    BwReach reach = {{0, 0}, {0, 0}};
    for (int a = 0; a < 3; a++)
        if (!isfinite(low[a]) || !isfinite(high[a]))
            return reach;
    if (high[2] <= 0.0f)
        return reach;
    reach = (BwReach){{0, 0}, {raster->width_px, raster->height_px}};
    if (low[2] <= 0.0f)
        return reach;
    float x[2], y[2];
    image_of_span(low[0], high[0], low[2], high[2], raster->camera->tan_x, x);
    image_of_span(low[1], high[1], low[2], high[2], raster->camera->tan_y, y);
    reach.low[0] = pixel_at(x[0], raster->width_px);
    reach.high[0] = x[1] < -1.0f ? 0 : pixel_at(x[1], raster->width_px) + 1;
    reach.low[1] = pixel_at(-y[1], raster->height_px);
    reach.high[1] = y[0] > 1.0f ? 0 : pixel_at(-y[0], raster->height_px) + 1;
    for (int a = 0; a < 2; a++) {
        int32_t size = a == 0 ? raster->width_px : raster->height_px;
        reach.high[a] = reach.high[a] < size ? reach.high[a] : size;
    }
    return reach;
}

static void to_camera(const BwCamera *camera, BwVec3 place, float at[3])
{
    at[0] = bw_dot(place, camera->right);
    at[1] = bw_dot(place, camera->up);
    at[2] = bw_dot(place, camera->forward);
}

static BwReach reach_of_triangle(const Raster *raster, const int32_t corners[3])
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < 3; c++) {
        float at[3];
        to_camera(raster->camera, raster->things->places[corners[c]], at);
        for (int a = 0; a < 3; a++) {
            if (!isfinite(at[a]))
                return (BwReach){{0, 0}, {0, 0}};
            low[a] = fminf(low[a], at[a]);
            high[a] = fmaxf(high[a], at[a]);
        }
    }
    return reach_of_box(raster, low, high);
}

// A ball smaller than a pixel would be lost between rays: it is drawn as large as one.
static BwReach reach_of_ball(const Raster *raster, BwBall *ball)
{
    float at[3], low[3], high[3];
    to_camera(raster->camera, ball->center, at);
    float pixel = 2.0f * raster->camera->tan_y * at[2] / (float)raster->height_px;
    float drawn = fmaxf(ball->radius, 0.6f * pixel);
    if (ball->is_drop)
        ball->share = ball->radius * ball->radius / (drawn * drawn);
    ball->radius = drawn;
    if (!(bw_length(ball->center) > ball->radius))
        return (BwReach){{0, 0}, {0, 0}}; // the camera is inside
    float way[3];
    to_camera(raster->camera, ball->way, way);
    for (int a = 0; a < 3; a++) {
        low[a] = at[a] - ball->radius - 0.5f * fabsf(way[a]);
        high[a] = at[a] + ball->radius + 0.5f * fabsf(way[a]);
    }
    return reach_of_box(raster, low, high);
}

static void find_reaches(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Raster *raster = context;
    BwThings *things = raster->things;
    for (int64_t n = begin; n < end; n++)
        things->reaches[n] = n < things->triangle_count
                                 ? reach_of_triangle(raster, things->triangles[n])
                                 : reach_of_ball(raster, &things->balls[n - things->triangle_count]);
}

// The share of each corner where a ray meets a triangle; false where it does not.
static bool meet_triangle(const BwThings *things, const int32_t corners[3], BwVec3 direction, float share[3])
{
    BwVec3 a = things->places[corners[0]], b = things->places[corners[1]], c = things->places[corners[2]];
    share[0] = bw_dot(direction, bw_cross(b, c));
    share[1] = bw_dot(direction, bw_cross(c, a));
    share[2] = bw_dot(direction, bw_cross(a, b));
    bool is_outside = (share[0] < 0.0f || share[1] < 0.0f || share[2] < 0.0f) &&
                      (share[0] > 0.0f || share[1] > 0.0f || share[2] > 0.0f);
    float sum = share[0] + share[1] + share[2];
    if (is_outside || sum == 0.0f)
        return false;
    for (int n = 0; n < 3; n++)
        share[n] /= sum;
    return true;
}

static float distance_to_triangle(const BwThings *things, const int32_t corners[3], BwVec3 direction)
{
    float share[3], distance = 0.0f;
    if (!meet_triangle(things, corners, direction, share))
        return INFINITY;
    for (int n = 0; n < 3; n++)
        distance += share[n] * bw_dot(things->places[corners[n]], direction);
    return distance > 0.0f ? distance : INFINITY;
}

static BwVec3 ray_of(const Raster *raster, int x_px, int y_px, int n)
{
    float x = 2.0f * ((float)x_px + bw_subsample_offsets[n][0]) / (float)raster->width_px - 1.0f;
    float y = 1.0f - 2.0f * ((float)y_px + bw_subsample_offsets[n][1]) / (float)raster->height_px;
    return bw_camera_ray(raster->camera, x, y);
}

static void draw_triangle(const Raster *raster, int32_t item, int x_px, int y_px)
{
    BwThings *things = raster->things;
    size_t at = BW_SUBSAMPLES * ((size_t)y_px * (size_t)raster->width_px + (size_t)x_px);
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        float distance = distance_to_triangle(things, things->triangles[item], ray_of(raster, x_px, y_px, n));
        if (distance < things->distances[at + (size_t)n]) {
            things->distances[at + (size_t)n] = distance;
            things->items[at + (size_t)n] = item;
        }
    }
}

// A ball in the camera's axes.
typedef struct CameraBall {
    int32_t item;
    float center[3], way[3], radius, nearest;
    bool moves;
} CameraBall;

static CameraBall camera_ball(const Raster *raster, int32_t item)
{
    const BwBall *ball = &raster->things->balls[item - (int32_t)raster->things->triangle_count];
    CameraBall seen = {.item = item, .radius = ball->radius};
    to_camera(raster->camera, ball->center, seen.center);
    to_camera(raster->camera, ball->way, seen.way);
    seen.moves = bw_dot(ball->way, ball->way) > 0.0f;
    seen.nearest = bw_length(ball->center) - ball->radius - 0.5f * bw_length(ball->way);
    return seen;
}

// A ray along d = (x, y, 1) passes the center c at the distance |c x d| / |d|.
static void draw_ball(const Raster *raster, const CameraBall *ball, int x_px, int y_px)
{
    BwThings *things = raster->things;
    size_t at = BW_SUBSAMPLES * ((size_t)y_px * (size_t)raster->width_px + (size_t)x_px);
    float c[3] = {ball->center[0], ball->center[1], ball->center[2]};
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        float ahead = ball->moves ? bw_subsample_time(x_px, y_px, n) - 0.5f : 0.0f;
        for (int i = 0; i < 3 && ball->moves; i++)
            c[i] = ball->center[i] + ahead * ball->way[i];
        if (!(ball->nearest < things->distances[at + (size_t)n]))
            continue;
        float x = raster->step[0] * ((float)x_px + bw_subsample_offsets[n][0]) - raster->camera->tan_x;
        float y = raster->camera->tan_y - raster->step[1] * ((float)y_px + bw_subsample_offsets[n][1]);
        float a = c[1] - c[2] * y, b = c[2] * x - c[0], e = c[0] * y - c[1] * x;
        float square = x * x + y * y + 1.0f, along = c[0] * x + c[1] * y + c[2];
        float half = ball->radius * ball->radius * square - (a * a + b * b + e * e);
        if (half < 0.0f || along <= 0.0f)
            continue;
        float distance = (along - sqrtf(half)) / sqrtf(square);
        if (distance < things->distances[at + (size_t)n]) {
            things->distances[at + (size_t)n] = distance;
            things->items[at + (size_t)n] = ball->item;
        }
    }
}

// Items come in their order, and of equally near ones the first stays: threads do not matter.
static void draw_band(const Raster *raster, int32_t band)
{
    const BwThings *things = raster->things;
    int32_t first = band * BAND_ROWS, last = first + BAND_ROWS;
    for (int64_t n = things->band_starts[band]; n < things->band_starts[band + 1]; n++) {
        int32_t item = things->band_items[n];
        const BwReach *reach = &things->reaches[item];
        int32_t low = reach->low[1] > first ? reach->low[1] : first;
        int32_t high = reach->high[1] < last ? reach->high[1] : last;
        bool is_ball = item >= things->triangle_count;
        CameraBall ball = is_ball ? camera_ball(raster, item) : (CameraBall){0};
        for (int32_t y = low; y < high; y++)
            for (int32_t x = reach->low[0]; x < reach->high[0]; x++)
                if (is_ball)
                    draw_ball(raster, &ball, x, y);
                else
                    draw_triangle(raster, item, x, y);
    }
}

static void draw_bands(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    for (int64_t band = begin; band < end; band++)
        draw_band(context, (int32_t)band);
}

static bool is_drawn(const BwReach *reach)
{
    return reach->low[0] < reach->high[0] && reach->low[1] < reach->high[1];
}

// Lists the items of each band, in their order: counts them, and puts them where the counts say.
static BwResult list_bands(BwThings *things, int32_t band_count, BwError *err)
{
    const BwAllocator *allocator = &things->allocator;
    int64_t items = things->triangle_count + things->ball_count;
    BW_TRY(bw_reserve(allocator, (void **)&things->band_starts, &things->band_capacity, band_count + 2,
                      sizeof *things->band_starts, err));
    int64_t *starts = things->band_starts;
    memset(starts, 0, (size_t)(band_count + 2) * sizeof *starts);
    for (int64_t n = 0; n < items; n++)
        if (is_drawn(&things->reaches[n]))
            for (int32_t b = things->reaches[n].low[1] / BAND_ROWS;
                 b <= (things->reaches[n].high[1] - 1) / BAND_ROWS; b++)
                starts[b + 2]++;
    for (int32_t b = 2; b < band_count + 2; b++)
        starts[b] += starts[b - 1];
    BW_TRY(bw_reserve(allocator, (void **)&things->band_items, &things->band_item_capacity,
                      starts[band_count + 1], sizeof *things->band_items, err));
    for (int64_t n = 0; n < items; n++)
        if (is_drawn(&things->reaches[n]))
            for (int32_t b = things->reaches[n].low[1] / BAND_ROWS;
                 b <= (things->reaches[n].high[1] - 1) / BAND_ROWS; b++)
                things->band_items[starts[b + 1]++] = (int32_t)n;
    return BW_OK;
}

static BwResult make_room(BwThings *things, int width_px, int height_px, BwError *err)
{
    int64_t items = things->triangle_count + things->ball_count;
    int64_t rays = (int64_t)BW_SUBSAMPLES * width_px * height_px;
    const BwAllocator *allocator = &things->allocator;
    if (items > INT32_MAX)
        return bw_fail(err, BW_ERR_DEF, "the frame has %lld particles and triangles; pictures take %d",
                       (long long)items, INT32_MAX);
    BW_TRY(bw_reserve(allocator, (void **)&things->reaches, &things->reach_capacity, items,
                      sizeof *things->reaches, err));
    BW_TRY(bw_reserve(allocator, (void **)&things->distances, &things->distance_capacity, rays,
                      sizeof *things->distances, err));
    BW_TRY(bw_reserve(allocator, (void **)&things->items, &things->item_capacity, rays, sizeof *things->items,
                      err));
    for (int64_t n = 0; n < rays; n++)
        things->distances[n] = INFINITY;
    memset(things->items, -1, (size_t)rays * sizeof *things->items);
    things->width_px = width_px;
    return BW_OK;
}

BwResult bw_things_build(BwThings *things, BwPool *pool, const BwFrame *frame, const BwDropLook *look,
                         const BwCamera *camera, float bottom, int width_px, int height_px, BwError *err)
{
    BW_TRY(bw_things_gather(things, pool, frame, look, camera->eye, bottom, err));
    if (bw_things_is_empty(things))
        return BW_OK;
    BW_TRY(make_room(things, width_px, height_px, err));
    Raster raster = {
        things,
        camera,
        width_px,
        height_px,
        {2.0f * camera->tan_x / (float)width_px, 2.0f * camera->tan_y / (float)height_px},
    };
    int32_t band_count = (height_px + BAND_ROWS - 1) / BAND_ROWS;
    bw_parallel_for(pool, things->triangle_count + things->ball_count, 1024, find_reaches, &raster);
    BW_TRY(list_bands(things, band_count, err));
    bw_parallel_for(pool, band_count, 1, draw_bands, &raster);
    return BW_OK;
}

void bw_things_free(BwThings *things)
{
    const BwAllocator *allocator = &things->allocator;
    bw_free(allocator, things->places, (size_t)things->place_capacity * sizeof *things->places, BW_ALIGN);
    bw_free(allocator, things->normals, (size_t)things->normal_capacity * sizeof *things->normals, BW_ALIGN);
    bw_free(allocator, things->colors, (size_t)things->color_capacity * sizeof *things->colors, BW_ALIGN);
    bw_free(allocator, things->triangles, (size_t)things->triangle_capacity * sizeof *things->triangles,
            BW_ALIGN);
    bw_free(allocator, things->balls, (size_t)things->ball_capacity * sizeof *things->balls, BW_ALIGN);
    bw_free(allocator, things->reaches, (size_t)things->reach_capacity * sizeof *things->reaches, BW_ALIGN);
    bw_free(allocator, things->distances, (size_t)things->distance_capacity * sizeof *things->distances,
            BW_ALIGN);
    bw_free(allocator, things->items, (size_t)things->item_capacity * sizeof *things->items, BW_ALIGN);
    bw_free(allocator, things->band_starts, (size_t)things->band_capacity * sizeof *things->band_starts,
            BW_ALIGN);
    bw_free(allocator, things->band_items, (size_t)things->band_item_capacity * sizeof *things->band_items,
            BW_ALIGN);
    *things = (BwThings){.allocator = *allocator};
}

// The smooth normal of the surface; where it has none there, that of the triangle.
static void look_at_triangle(const BwThings *things, const int32_t corners[3], BwVec3 direction,
                             BwVec3 *normal, float color[3])
{
    float share[3];
    BwVec3 sum = {0.0f, 0.0f, 0.0f};
    if (!meet_triangle(things, corners, direction, share))
        share[0] = share[1] = share[2] = 1.0f / 3.0f;
    memset(color, 0, 3 * sizeof *color);
    for (int n = 0; n < 3; n++) {
        sum = bw_add(sum, bw_mul(things->normals[corners[n]], share[n]));
        for (int c = 0; c < 3; c++)
            color[c] += share[n] * things->colors[corners[n]][c];
    }
    if (!(bw_length(sum) > 1e-3f))
        sum = bw_cross(bw_sub(things->places[corners[1]], things->places[corners[0]]),
                       bw_sub(things->places[corners[2]], things->places[corners[0]]));
    *normal = bw_normalize(sum);
}

void bw_things_look(const BwThings *things, int32_t item, BwVec3 direction, float distance, BwVec3 *normal,
                    float color[3])
{
    if (item < things->triangle_count) {
        look_at_triangle(things, things->triangles[item], direction, normal, color);
    } else {
        const BwBall *ball = &things->balls[item - (int32_t)things->triangle_count];
        *normal = bw_normalize(bw_sub(bw_mul(direction, distance), ball->center));
        memcpy(color, ball->color, sizeof ball->color);
    }
    // Surfaces have two sides.
    if (bw_dot(*normal, direction) > 0.0f)
        *normal = bw_mul(*normal, -1.0f);
}
