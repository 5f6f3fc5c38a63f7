// Rays from lamps to the ground. They are traced side by side, and what they carry is put on the map in their
// order, so threads do not matter.
#include "render/caustics.h"

#include "base/extremes.h"
#include "render/backdrop.h"
#include "render/optics.h"
#include "render/water_mesh.h"

#include <math.h>
#include <string.h>

enum { RAYS = 2, CROSSINGS_MAX = 8 }; // rays across a texel
// Texels around all shadows: two are filled and one not read, two are what the spline spreads light over; and
// standard deviations of the blur.
enum { RIM = 5, RIM_BLURS = 3 };

#define TEXELS_MAX   25000.0 // more are wider
#define TEXEL_CELLS  1.5
#define TEXEL_STEP   0.25  // cells: texels that change their width from frame to frame would flicker
#define LAMP_LOWEST  0.1f  // sine of the height: shadows of lower lamps are too long to be mapped
#define SHADOW_MOST  3.0   // times the size of the water, length of a shadow
#define LIFT         0.02f // cells by which a ray starts off the surface
#define SHARE_MOST   4.0f  // of the lamp: caustics are blurred by its width
#define LAMP_BREADTH 0.03  // of the water's height is what a lamp is blurred by, as a standard deviation
#define BLUR_MOST    4.0   // texels of it: with more, wider ones show as much

typedef struct Shine {
    BwCaustics *caustics;
    const BwPicture *picture;
    BwVec3 direction; // towards the lamp
    double top;       // m, of the water
} Shine;

// The water in metres: its mesh, or the bricks, as far as they are between the walls.
static void water_bounds(const BwWater *water, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        if (water->mesh != NULL) {
            low[a] = water->origin[a] + (double)water->mesh->low[a] * (double)water->cell;
            high[a] = water->origin[a] + (double)water->mesh->high[a] * (double)water->cell;
            continue;
        }
        float first = bw_larger((float)(BW_BRICK * water->map.low[a]), water->low[a]);
        float last = bw_smaller((float)(BW_BRICK * (water->map.high[a] + 1)), water->high[a]);
        low[a] = water->origin[a] + (double)first * (double)water->cell;
        high[a] = water->origin[a] + (double)last * (double)water->cell;
    }
}

// The standard deviation of what the width of a lamp blurs, m.
static double blur_width(const BwCaustics *caustics, double top)
{
    return LAMP_BREADTH * fmax(top - caustics->ground, 0.0);
}

// Lays the map over an area. Its texels keep their places while the area changes a little: else shadows and
// patterns would tremble.
static void lay_map(BwCaustics *caustics, const double first[2], const double last[2], double cell,
                    double top)
{
    double area = (last[0] - first[0]) * (last[1] - first[1]), blur = blur_width(caustics, top);
    double step = TEXEL_STEP * cell, wanted = fmax(sqrt(area / TEXELS_MAX), blur / BLUR_MOST);
    caustics->spacing = (float)fmax(TEXEL_CELLS * cell, step * ceil(wanted / step));
    double spacing = (double)caustics->spacing, rim = RIM + ceil(RIM_BLURS * blur / spacing);
    for (int a = 0; a < 2; a++) {
        double begin = floor(first[a] / spacing) - rim, end = ceil(last[a] / spacing) + rim;
        caustics->low[a] = begin * spacing;
        caustics->count[a] = (int32_t)(end - begin);
    }
}

// Where the water stands and where its shadows fall.
static void find_area(BwCaustics *caustics, const BwPicture *picture, double *top)
{
    double low[3], high[3], first[2], last[2];
    water_bounds(picture->water, low, high);
    double height = fmax(high[1] - caustics->ground, 0.0), size = fmax(high[0] - low[0], high[2] - low[2]);
    *top = high[1];
    for (int a = 0; a < 2; a++) {
        first[a] = low[2 * a];
        last[a] = high[2 * a];
    }
    for (int n = 0; n < picture->rig.lamp_count; n++) {
        BwVec3 lamp = picture->rig.lamps[n].direction;
        caustics->is_mapped[n] = lamp.y > LAMP_LOWEST;
        for (int a = 0; a < 2 && caustics->is_mapped[n]; a++) {
            double shift = -height * (double)(a == 0 ? lamp.x : lamp.z) / (double)lamp.y;
            shift = fmin(fmax(shift, -SHADOW_MOST * size), SHADOW_MOST * size);
            first[a] = fmin(first[a], low[2 * a] + shift);
            last[a] = fmax(last[a], high[2 * a] + shift);
        }
    }
    lay_map(caustics, first, last, (double)picture->water->cell, *top);
}

// Follows light through the surface that it meets. False where it is reflected totally: it is lost then.
static bool pass_surface(double place[3], BwVec3 *direction, const BwCrossing *crossing, float cell,
                         bool is_inside, float *share)
{
    BwVec3 normal = crossing->normal;
    float cosine = -bw_dot(normal, *direction), cosine_out;
    if (cosine < 0.0f) {
        normal = bw_mul(normal, -1.0f);
        cosine = -cosine;
    }
    float ratio = is_inside ? BW_WATER_INDEX : 1.0f / BW_WATER_INDEX;
    float reflected = bw_fresnel(ratio, cosine, &cosine_out);
    double t = (double)(crossing->t * cell), lift = (double)(LIFT * cell);
    BwVec3 off = bw_dot(crossing->face, *direction) > 0.0f ? crossing->face : bw_mul(crossing->face, -1.0f);
    place[0] += t * (double)direction->x + lift * (double)off.x;
    place[1] += t * (double)direction->y + lift * (double)off.y;
    place[2] += t * (double)direction->z + lift * (double)off.z;
    *share *= 1.0f - reflected;
    *direction = reflected < 1.0f ? bw_refract(*direction, normal, ratio, cosine, cosine_out) : *direction;
    return reflected < 1.0f;
}

// Where light lands that would come straight to a place on the ground, and what of it does.
static float follow_light(const Shine *shine, double place[3])
{
    const BwPicture *picture = shine->picture;
    const BwWater *water = picture->water;
    double back = (shine->top - place[1]) / (double)shine->direction.y + (double)water->cell;
    BwVec3 ray = bw_mul(shine->direction, -1.0f);
    place[0] += back * (double)shine->direction.x;
    place[1] += back * (double)shine->direction.y;
    place[2] += back * (double)shine->direction.z;
    float share = 1.0f;
    bool is_inside = false;
    for (int n = 0; n < CROSSINGS_MAX; n++) {
        float at[3], t = bw_ground_distance(picture, place, ray);
        BwCrossing crossing;
        if (!isfinite(t))
            return 0.0f;
        bw_water_place(water, place, at);
        bool crosses = bw_water_cross(water, at, ray, t / water->cell, &is_inside, &crossing);
        float length = crosses ? crossing.t * water->cell : t;
        if (is_inside)
            share *= bw_falloff(picture->optics.mean * length);
        if (!crosses) {
            place[0] += (double)(t * ray.x);
            place[2] += (double)(t * ray.z);
            return share;
        }
        if (!pass_surface(place, &ray, &crossing, water->cell, is_inside, &share))
            return 0.0f;
        is_inside = !is_inside;
    }
    return 0.0f;
}

static void trace_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Shine *shine = context;
    BwCaustics *caustics = shine->caustics;
    int32_t width = RAYS * caustics->count[0];
    double spacing = (double)caustics->spacing;
    for (int64_t row = begin; row < end; row++)
        for (int32_t column = 0; column < width; column++) {
            double place[3] = {caustics->low[0] + spacing * (column + 0.5) / RAYS, caustics->ground,
                               caustics->low[1] + spacing * ((double)row + 0.5) / RAYS};
            float *landed = caustics->landed[row * width + column];
            landed[2] = follow_light(shine, place);
            landed[0] = (float)((place[0] - caustics->low[0]) / spacing);
            landed[1] = (float)((place[2] - caustics->low[1]) / spacing);
        }
}

// Spreads what lands over three texels along each axis by the quadratic B-spline: a grid of rays that nothing
// bends makes an even map.
static void put_light(const BwCaustics *caustics, const float landed[3], float *map)
{
    int32_t first[2];
    float weights[2][3];
    for (int a = 0; a < 2; a++) {
        if (!(landed[a] >= 1.0f && landed[a] < (float)(caustics->count[a] - 1)))
            return;
        int32_t n = (int32_t)landed[a];
        float t = landed[a] - (float)n - 0.5f;
        first[a] = n - 1;
        weights[a][0] = 0.5f * (0.5f - t) * (0.5f - t);
        weights[a][1] = 0.75f - t * t;
        weights[a][2] = 0.5f * (0.5f + t) * (0.5f + t);
    }
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            map[(size_t)(first[1] + j) * (size_t)caustics->count[0] + (size_t)(first[0] + i)] +=
                weights[0][i] * weights[1][j] * landed[2] / (float)(RAYS * RAYS);
}

// At its rim the map lacks the light that was sent beside it; there is no water either.
static void fill_rim(const BwCaustics *caustics, float *map)
{
    for (int32_t j = 0; j < caustics->count[1]; j++)
        for (int32_t i = 0; i < caustics->count[0]; i++)
            if (i < 2 || j < 2 || i >= caustics->count[0] - 2 || j >= caustics->count[1] - 2)
                map[(size_t)j * (size_t)caustics->count[0] + (size_t)i] = 1.0f;
}

// Three neighbours along an axis by 1, 2, 1 over 4; `stride` is to the next of `count` of them.
static void blur_line(float *line, int32_t count, int64_t stride)
{
    float before = line[0];
    for (int32_t n = 1; n + 1 < count; n++) {
        float here = line[n * stride];
        line[n * stride] = 0.25f * (before + 2.0f * here + line[(n + 1) * stride]);
        before = here;
    }
}

static void blur(const BwCaustics *caustics, float *map, int times)
{
    for (int n = 0; n < times; n++) {
        for (int32_t j = 0; j < caustics->count[1]; j++)
            blur_line(map + (int64_t)j * caustics->count[0], caustics->count[0], 1);
        for (int32_t i = 0; i < caustics->count[0]; i++)
            blur_line(map + i, caustics->count[1], caustics->count[0]);
    }
}

static void map_lamp(Shine *shine, BwPool *pool, float *map)
{
    BwCaustics *caustics = shine->caustics;
    int64_t texels = (int64_t)caustics->count[0] * caustics->count[1];
    bw_parallel_for(pool, RAYS * caustics->count[1], 4, trace_rows, shine);
    memset(map, 0, (size_t)texels * sizeof *map);
    for (int64_t n = 0; n < RAYS * RAYS * texels; n++)
        put_light(caustics, caustics->landed[n], map);
    fill_rim(caustics, map);
    double breadth = blur_width(caustics, shine->top) / (double)caustics->spacing;
    blur(caustics, map, (int)(2.0 * breadth * breadth + 0.5)); // each adds half to the variance
    for (int64_t n = 0; n < texels; n++)
        map[n] = bw_smaller(map[n], SHARE_MOST);
}

// What water straight above leaves of the light.
static void map_sky(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Shine *shine = context;
    BwCaustics *caustics = shine->caustics;
    const BwWater *water = shine->picture->water;
    int64_t texels = (int64_t)caustics->count[0] * caustics->count[1];
    float *map = caustics->light + caustics->lamp_count * texels;
    for (int64_t n = begin; n < end; n++) {
        float at[3];
        const double place[3] = {
            caustics->low[0] + (double)caustics->spacing * ((double)(n % caustics->count[0]) + 0.5),
            caustics->ground,
            caustics->low[1] + (double)caustics->spacing * ((double)(n / caustics->count[0]) + 0.5)};
        bw_water_place(water, place, at);
        float length = bw_water_length(water, at, bw_vec3(0.0f, 1.0f, 0.0f));
        map[n] = bw_falloff(shine->picture->optics.mean * water->cell * length);
    }
}

BwResult bw_caustics_build(BwCaustics *caustics, BwPool *pool, const BwPicture *picture, BwError *err)
{
    Shine shine = {.caustics = caustics, .picture = picture};
    caustics->count[0] = caustics->count[1] = 0;
    if (bw_water_is_empty(picture->water) || !picture->scene->look.show_ground)
        return BW_OK;
    caustics->ground = (double)picture->ground;
    caustics->lamp_count = picture->rig.lamp_count;
    find_area(caustics, picture, &shine.top);
    int64_t texels = (int64_t)caustics->count[0] * caustics->count[1];
    BW_TRY(bw_reserve(&caustics->allocator, (void **)&caustics->light, &caustics->light_capacity,
                      (caustics->lamp_count + 1) * texels, sizeof *caustics->light, err));
    BW_TRY(bw_reserve(&caustics->allocator, (void **)&caustics->landed, &caustics->landed_capacity,
                      RAYS * RAYS * texels, sizeof *caustics->landed, err));
    for (int n = 0; n < caustics->lamp_count; n++) {
        shine.direction = picture->rig.lamps[n].direction;
        if (caustics->is_mapped[n])
            map_lamp(&shine, pool, caustics->light + n * texels);
    }
    bw_parallel_for(pool, texels, 256, map_sky, &shine);
    return BW_OK;
}

void bw_caustics_free(BwCaustics *caustics)
{
    const BwAllocator *allocator = &caustics->allocator;
    bw_free(allocator, caustics->light, (size_t)caustics->light_capacity * sizeof *caustics->light, BW_ALIGN);
    bw_free(allocator, caustics->landed, (size_t)caustics->landed_capacity * sizeof *caustics->landed,
            BW_ALIGN);
    *caustics = (BwCaustics){.allocator = *allocator};
}

static float map_value(const float *map, int32_t width, const float at[2])
{
    int32_t i = (int32_t)at[0], j = (int32_t)at[1];
    float x = at[0] - (float)i, y = at[1] - (float)j;
    const float *low = map + (size_t)j * (size_t)width + (size_t)i, *high = low + width;
    float below = low[0] + x * (low[1] - low[0]), above = high[0] + x * (high[1] - high[0]);
    return below + y * (above - below);
}

bool bw_caustics_at(const BwCaustics *caustics, const double place[3], int lamp, float *share, float *open)
{
    float at[2];
    if (caustics == NULL || caustics->count[0] == 0 || !caustics->is_mapped[lamp] ||
        fabs(place[1] - caustics->ground) > 0.05 * (double)caustics->spacing)
        return false;
    for (int a = 0; a < 2; a++) {
        at[a] = (float)((place[2 * a] - caustics->low[a]) / (double)caustics->spacing) - 0.5f;
        if (!(at[a] >= 2.0f && at[a] < (float)(caustics->count[a] - 3)))
            return false;
    }
    int64_t texels = (int64_t)caustics->count[0] * caustics->count[1];
    *share = map_value(caustics->light + lamp * texels, caustics->count[0], at);
    *open = map_value(caustics->light + caustics->lamp_count * texels, caustics->count[0], at);
    return true;
}
