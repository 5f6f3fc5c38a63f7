// Panes and edges of the tank along the rays of pixels. A pane is thin: of its two surfaces one mirrors
// r and the other what is left, again and again, 2 r / (1 + r) together, and light goes on straight. What is
// behind the nearest water or solid of a pixel is left out.
#include "render/tank.h"

#include "base/extremes.h"
#include "render/backdrop.h"
#include "render/glass.h"
#include "render/optics.h"
#include "scene/curve.h"

#define EDGE_WIDTH 0.0012f // half the width of an edge, in sizes of the scene
#define EDGE_HIDES 0.45f   // of what is behind it
#define BEFORE     1e-3f   // sizes of the scene: water touches the pane from behind

// Glass is greenish along the way through an edge.
static const float edge_color[3] = {0.62f, 0.86f, 0.80f};

typedef struct Tank {
    const BwPicture *picture;
    BwVec3 low, high; // m, from the eye
    uint8_t sides;
    float width, reach;
} Tank;

// Sides may open and close over time.
static BwResult side_is_closed(const BwSceneDef *scene, int side, double time, bool *is_closed, BwError *err)
{
    const BwWallSideDef *wall = &scene->walls.side[side];
    float kind;
    BW_TRY(bw_curve_number_at(&wall->kind_curve, time, (float)wall->kind, &kind, err));
    bool is_part = wall->part.kind != BW_SHAPE_NONE; // of a closed side
    *is_closed = ((int)kind == BW_WALL_CLOSED || is_part) && !scene->walls.periodic[side / 2];
    return BW_OK;
}

BwResult bw_tank_sides(const BwSceneDef *scene, const BwFrame *frame, float ground, uint8_t *sides,
                       BwError *err)
{
    *sides = 0;
    if (!scene->look.show_walls || scene->look.revolve || !scene->has_walls || !frame->has_walls)
        return BW_OK;
    for (int side = 0; side < BW_SIDE_COUNT; side++) {
        bool is_closed;
        BW_TRY(side_is_closed(scene, side, frame->time, &is_closed, err));
        *sides = (uint8_t)(*sides | (is_closed ? 1u << side : 0u));
    }
    // It stands on the ground, which needs no pane.
    if (scene->look.show_ground && fabsf(frame->walls.low.y - ground) < 0.5f * frame->cell_size)
        *sides &= (uint8_t) ~(1u << BW_BOTTOM);
    return BW_OK;
}

static Tank find_tank(const BwPicture *picture)
{
    const BwBox *walls = &picture->frame->walls;
    const double *eye = picture->camera.eye;
    return (Tank){
        .picture = picture,
        .sides = picture->tank_sides,
        .width = EDGE_WIDTH * picture->size,
        .reach = BEFORE * picture->size,
        .low = bw_vec3((float)((double)walls->low.x - eye[0]), (float)((double)walls->low.y - eye[1]),
                       (float)((double)walls->low.z - eye[2])),
        .high = bw_vec3((float)((double)walls->high.x - eye[0]), (float)((double)walls->high.y - eye[1]),
                        (float)((double)walls->high.z - eye[2]))};
}

static bool is_closed(const Tank *tank, int side)
{
    return tank->sides >> side & 1;
}

// The distance to a side along a ray, infinite where it is passed by.
static float pane_distance(const Tank *tank, int side, BwVec3 ray)
{
    int axis = side / 2;
    float along = bw_component(ray, axis);
    float t =
        bw_component(side % 2 == 0 ? tank->low : tank->high, axis) / (fabsf(along) > 1e-9f ? along : 1e-9f);
    if (!(t > 0.0f))
        return INFINITY;
    for (int a = 0; a < 3; a++) {
        float at = t * bw_component(ray, a);
        if (a != axis && !(at > bw_component(tank->low, a) && at < bw_component(tank->high, a)))
            return INFINITY;
    }
    return t;
}

static void add_pane(const Tank *tank, int side, BwVec3 ray, float cover, BwLight3 *light)
{
    int axis = side / 2;
    float out, along = bw_component(ray, axis), r = bw_fresnel(1.0f / BW_GLASS_INDEX, fabsf(along), &out);
    float mirrored = cover * 2.0f * r / (1.0f + r);
    BwVec3 back = bw_vec3(axis == 0 ? -ray.x : ray.x, axis == 1 ? -ray.y : ray.y, axis == 2 ? -ray.z : ray.z);
    BwLight3 far = bw_sky_at(tank->picture, back);
    for (int c = 0; c < 3; c++)
        light->c[c] += mirrored * (far.c[c] - light->c[c]);
}

// The share of a pixel that an edge covers: by how far its ray passes the edge, in pixels.
static float edge_cover(const Tank *tank, BwVec3 from, BwVec3 to, BwVec3 ray, float pixel, float t_max)
{
    BwVec3 along = bw_sub(to, from);
    float square = bw_dot(along, along), slope = bw_dot(along, ray), det = square - slope * slope;
    float s = det > 1e-12f * square ? (slope * bw_dot(from, ray) - bw_dot(from, along)) / det : 0.0f;
    BwVec3 place = bw_add(from, bw_mul(along, bw_smaller(bw_larger(s, 0.0f), 1.0f)));
    float t = bw_dot(place, ray);
    if (!(t > 0.0f) || t > t_max + tank->reach)
        return 0.0f;
    BwVec3 off = bw_sub(place, bw_mul(ray, t));
    float width = tank->width / (pixel * t);
    float cover = bw_smaller(bw_larger(0.5f + width - bw_length(off) / (pixel * t), 0.0f), 1.0f);
    return cover * bw_smaller(2.0f * width, 1.0f);
}

// Edges are mirrors of all that is around: they have the light of the sky in the colour of glass.
static void add_edge(const Tank *tank, float cover, BwLight3 *light)
{
    const float *sky = tank->picture->rig.sky;
    for (int c = 0; c < 3; c++)
        light->c[c] +=
            EDGE_HIDES * cover * (edge_color[c] * (0.4f * light->c[c] + 0.9f * sky[c]) - light->c[c]);
}

// Those on the ground, or below an open bottom, are not drawn.
static bool has_edge(const Tank *tank, int side, int other)
{
    bool is_low = side == BW_BOTTOM || other == BW_BOTTOM;
    return is_low ? is_closed(tank, BW_BOTTOM) : is_closed(tank, side) || is_closed(tank, other);
}

// A pane that faces away from the eye is behind one that faces it, and what is in the tank is between them.
static bool is_behind(const Tank *tank, int side)
{
    return side % 2 == 0 ? bw_component(tank->low, side / 2) <= 0.0f
                         : bw_component(tank->high, side / 2) >= 0.0f;
}

static float edges_cover(const Tank *tank, BwTankPart part, BwVec3 ray, float pixel, float t_max)
{
    float most = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < 4; n++) {
            int b = (axis + 1) % 3, c = (axis + 2) % 3, side_b = 2 * b + (n & 1), side_c = 2 * c + (n >> 1);
            bool is_far = is_behind(tank, side_b) && is_behind(tank, side_c);
            if (!has_edge(tank, side_b, side_c) || is_far != (part == BW_TANK_BEHIND))
                continue;
            float from[3], to[3];
            from[axis] = bw_component(tank->low, axis);
            to[axis] = bw_component(tank->high, axis);
            from[b] = to[b] = bw_component(n & 1 ? tank->high : tank->low, b);
            from[c] = to[c] = bw_component(n >> 1 ? tank->high : tank->low, c);
            most = bw_larger(most, edge_cover(tank, bw_vec3(from[0], from[1], from[2]),
                                              bw_vec3(to[0], to[1], to[2]), ray, pixel, t_max));
        }
    return most;
}

// The rays of a pixel: one through its middle, and those that tell how much of it is covered.
typedef struct PixelRays {
    BwVec3 middle, others[BW_SUBSAMPLES];
    float t_max;
} PixelRays;

// The share of a pixel that a pane covers, before what is seen.
static float pane_cover(const Tank *tank, int side, const PixelRays *rays)
{
    int hits = 0;
    for (int n = 0; n < BW_SUBSAMPLES; n++)
        hits += pane_distance(tank, side, rays->others[n]) < rays->t_max + tank->reach;
    return (float)hits / BW_SUBSAMPLES;
}

static void draw_pixel(const Tank *tank, BwTankPart part, const PixelRays *rays, float pixel, BwLight3 *light)
{
    for (int side = 0; side < BW_SIDE_COUNT; side++) {
        if (!is_closed(tank, side) || is_behind(tank, side) != (part == BW_TANK_BEHIND))
            continue;
        float cover = pane_cover(tank, side, rays);
        if (cover > 0.0f)
            add_pane(tank, side, rays->middle, cover, light);
    }
    float cover = edges_cover(tank, part, rays->middle, pixel, rays->t_max);
    if (cover > 0.0f)
        add_edge(tank, cover, light);
}

static PixelRays rays_of(const BwPicture *picture, const BwPane *pane, int n)
{
    float x_px = (float)(pane->x_px + n % BW_PANE), y_px = (float)(pane->y_px + n / BW_PANE);
    PixelRays rays = {.middle = pane->rays[n], .t_max = pane->distance[n]};
    for (int s = 0; s < BW_SUBSAMPLES; s++)
        rays.others[s] =
            bw_picture_ray(picture, x_px + bw_subsample_offsets[s][0], y_px + bw_subsample_offsets[s][1]);
    return rays;
}

void bw_tank_draw(const BwPicture *picture, BwTankPart part, BwPane *pane)
{
    if (picture->tank_sides == 0)
        return;
    const Tank tank = find_tank(picture);
    float pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        if (n % BW_PANE < pane->width_px && n / BW_PANE < pane->height_px) {
            const PixelRays rays = rays_of(picture, pane, n);
            draw_pixel(&tank, part, &rays, pixel, &pane->light[n]);
        }
}
