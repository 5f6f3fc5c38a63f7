// What stands behind the smoke: solids, particles and surfaces of water, the ground, and a backdrop into
// which the ground fades, as in a photographer's studio. With the ground switched off the backdrop is one
// plain colour, exactly look.background. By day it is the sky, and its haze below the horizon.
#include "render/backdrop.h"

#include "base/extremes.h"
#include "render/tone.h"

#define FADE_BEGIN 0.1f // distances from the middle, in sizes of the scene, over which the ground fades
#define FADE_END   1.7f
#define HAZE_BEGIN 0.8f // the same by day
#define HAZE_END   7.0f

#define HORIZON_BEGIN 0.0f // sines of the heights over which the backdrop turns into the sky
#define HORIZON_END   0.4f

#define CREASE 0.12f // that pixels beside one another differ by in a lamp's light, at an edge of a solid

static float smoothstep(float low, float high, float x)
{
    float t = bw_smaller(bw_larger((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

BwVec3 bw_picture_ray(const BwPicture *picture, float x_px, float y_px)
{
    float x = 2.0f * x_px / (float)picture->image->width_px - 1.0f;
    float y = 1.0f - 2.0f * y_px / (float)picture->image->height_px;
    return bw_camera_ray(&picture->camera, x, y);
}

static bool is_day(const BwPicture *picture)
{
    return picture->sky->look == BW_SKY_DAY && picture->scene->look.show_ground;
}

// Brightest where the subject stands, darker towards the edges of the picture; the sky of a day.
BwLight3 bw_backdrop_at(const BwPicture *picture, float x_px, float y_px)
{
    BwLight3 light;
    float glow = 1.0f;
    if (is_day(picture)) {
        bw_sky_look_up(picture->sky, bw_picture_ray(picture, x_px, y_px), light.c);
        return light;
    }
    if (picture->scene->look.show_ground) {
        float x = 2.0f * x_px / (float)picture->image->width_px - 1.0f;
        float y = 2.0f * y_px / (float)picture->image->height_px - 1.0f;
        glow = 1.35f - 0.8f * smoothstep(0.0f, 1.5f, sqrtf(x * x + 0.8f * (y - 0.1f) * (y - 0.1f)));
    }
    for (int c = 0; c < 3; c++)
        light.c[c] = glow * picture->backdrop[c];
    return light;
}

float bw_ground_distance(const BwPicture *picture, const double origin[3], BwVec3 direction)
{
    float height = (float)(origin[1] - (double)picture->ground);
    if (!picture->scene->look.show_ground || height <= 0.0f || direction.y >= -1e-6f)
        return INFINITY;
    return height / -direction.y;
}

float bw_ground_fade(const BwPicture *picture, const double origin[3], BwVec3 ray, float t)
{
    float x = (float)(origin[0] - picture->center[0]) + ray.x * t;
    float z = (float)(origin[2] - picture->center[2]) + ray.z * t;
    float away = sqrtf(x * x + z * z) / picture->size;
    return is_day(picture) ? smoothstep(HAZE_BEGIN, HAZE_END, away) : smoothstep(FADE_BEGIN, FADE_END, away);
}

BwLight3 bw_surface_light(const BwPicture *picture, const BwShade *shade, const float color[3])
{
    const float albedo[3] = {bw_srgb_decode(color[0]), bw_srgb_decode(color[1]), bw_srgb_decode(color[2])};
    BwLight3 light = bw_shade_light(picture, shade, albedo);
    float away = 1.0f - shade->facing;
    float sheen = 0.35f * away * away * away * away;
    for (int c = 0; c < 3; c++)
        light.c[c] += sheen * (picture->rig.sky[c] - light.c[c]);
    return light;
}

// What a ray meets before the ground: a solid, or a thing (a particle, a surface); -1 for neither.
typedef struct Meeting {
    int solid;
    int32_t thing;
    float t;
    int subsample; // which ray of the pixel
    BwVec3 ray;
} Meeting;

static BwVec3 subsample_ray(const BwPicture *picture, int x_px, int y_px, int subsample)
{
    const float *offset = bw_subsample_offsets[subsample];
    return bw_picture_ray(picture, (float)x_px + offset[0], (float)y_px + offset[1]);
}

static Meeting meet(const BwPicture *picture, int x_px, int y_px, int subsample, float t_max)
{
    Meeting meeting = {.thing = -1, .t = t_max, .subsample = subsample};
    float t_thing;
    meeting.ray = subsample_ray(picture, x_px, y_px, subsample);
    meeting.solid = bw_solids_trace(picture->solids, picture->camera.eye, meeting.ray, &meeting.t);
    if (bw_things_is_empty(picture->things))
        return meeting;
    int32_t thing = bw_things_trace(picture->things, x_px, y_px, subsample, &t_thing);
    bool is_first = thing >= 0 && t_thing < (meeting.solid >= 0 ? meeting.t : t_max);
    return is_first ? (Meeting){-1, thing, t_thing, subsample, meeting.ray} : meeting;
}

BwLight3 bw_thing_light(const BwPicture *picture, int32_t thing, BwVec3 ray, float t)
{
    double place[3];
    BwVec3 normal;
    float color[3];
    bw_place_on_ray(picture, ray, t, place);
    bw_things_look(picture->things, thing, ray, t, &normal, color);
    BwShade shade = bw_shade_at(picture, place, ray, normal);
    return bw_surface_light(picture, &shade, color);
}

// The sky is the light from all around above the horizon, and below it the backdrop goes on, as it is seen
// behind the scene.
BwLight3 bw_sky_at(const BwPicture *picture, BwVec3 direction)
{
    const BwCamera *camera = &picture->camera;
    BwLight3 above;
    bw_sky_look_up(picture->sky, direction, above.c);
    if (is_day(picture))
        return above;
    float depth = bw_larger(bw_dot(direction, camera->forward), 1e-3f);
    float x = bw_dot(direction, camera->right) / (depth * camera->tan_x);
    float y = bw_dot(direction, camera->up) / (depth * camera->tan_y);
    x = bw_smaller(bw_larger(x, -1.5f), 1.5f);
    y = bw_smaller(bw_larger(y, -1.5f), 1.5f);
    BwLight3 light = bw_backdrop_at(picture, 0.5f * (1.0f + x) * (float)picture->image->width_px,
                                    0.5f * (1.0f - y) * (float)picture->image->height_px);
    float share = smoothstep(HORIZON_BEGIN, HORIZON_END, direction.y);
    for (int c = 0; c < 3; c++)
        light.c[c] += share * (above.c[c] - light.c[c]);
    return light;
}

// Surfaces cover the pixel by as many of its subsamples as hit one; the nearest is shaded once for all of
// them.
static int trace_surfaces(const BwPicture *picture, int x_px, int y_px, float t_max, Meeting *nearest)
{
    int hits = 0;
    *nearest = (Meeting){.solid = -1, .thing = -1, .t = INFINITY};
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        Meeting meeting = meet(picture, x_px, y_px, n, t_max);
        if (meeting.solid < 0 && meeting.thing < 0)
            continue;
        hits++;
        if (meeting.t < nearest->t)
            *nearest = meeting;
    }
    return hits;
}

static bool has_thing(const BwPicture *picture, int x_px, int y_px)
{
    float distance;
    bool has = false;
    for (int n = 0; n < BW_SUBSAMPLES && !has && !bw_things_is_empty(picture->things); n++)
        has = bw_things_trace(picture->things, x_px, y_px, n, &distance) >= 0;
    return has;
}

// The same for a pixel that sees solids alone, from what the picture before saw or for the next to see.
static int recall_surfaces(const BwPicture *picture, int x_px, int y_px, float t_max, Meeting *nearest)
{
    BwSighting *sighting =
        &picture->sightings->pixels[(size_t)y_px * (size_t)picture->image->width_px + (size_t)x_px];
    if (!picture->sightings->is_known) {
        int hits = trace_surfaces(picture, x_px, y_px, t_max, nearest);
        *sighting =
            (BwSighting){nearest->t, (int16_t)nearest->solid, (uint8_t)nearest->subsample, (uint8_t)hits};
        return hits;
    }
    *nearest = (Meeting){sighting->solid, -1, sighting->t, sighting->subsample, {0.0f, 0.0f, 0.0f}};
    if (sighting->covered_count > 0)
        nearest->ray = subsample_ray(picture, x_px, y_px, sighting->subsample);
    return sighting->covered_count;
}

// What the pixels of a pane see: the surfaces in front, by how much they cover each, and the ground behind.
typedef struct Sights {
    BwSurfacePane front, ground;
    float covered[BW_PANE_PIXELS], fade[BW_PANE_PIXELS];
    int32_t things[BW_PANE_PIXELS]; // in front; -1: none, or a solid
} Sights;

static void see_pixel(const BwPicture *picture, const BwPane *pane, int n, bool may_hit, Sights *sights)
{
    int x_px = pane->x_px + n % BW_PANE, y_px = pane->y_px + n / BW_PANE;
    float pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    BwVec3 ray = pane->rays[n];
    float t_ground = sights->ground.t[n];
    Meeting nearest = {.solid = -1, .thing = -1};
    int hits = 0;
    if (may_hit && picture->sightings != NULL)
        hits = recall_surfaces(picture, x_px, y_px, t_ground, &nearest);
    else if ((may_hit && bw_solids_may_hit(picture->solids, picture->camera.eye, ray, pixel)) ||
             has_thing(picture, x_px, y_px))
        hits = trace_surfaces(picture, x_px, y_px, t_ground, &nearest);
    sights->covered[n] = (float)hits / BW_SUBSAMPLES;
    sights->things[n] = nearest.thing;
    sights->front.surfaces[n] = nearest.solid >= 0 ? BW_SURFACE_SOLID + nearest.solid : BW_SURFACE_NONE;
    sights->front.t[n] = nearest.t;
    sights->front.rays[n] = nearest.ray;
    bool is_ground_seen = sights->covered[n] < 1.0f && sights->fade[n] < 1.0f;
    sights->ground.surfaces[n] = is_ground_seen ? BW_SURFACE_GROUND : BW_SURFACE_NONE;
    sights->ground.rays[n] = ray;
}

// The rays of a pane, where they meet the ground, and how much of it has faded there.
static void see_ground(const BwPicture *picture, BwPane *pane, Sights *sights)
{
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        pane->rays[n] = bw_picture_ray(picture, (float)(pane->x_px + n % BW_PANE) + 0.5f,
                                       (float)(pane->y_px + n / BW_PANE) + 0.5f);
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        sights->ground.t[n] = bw_ground_distance(picture, picture->camera.eye, pane->rays[n]);
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        float t = sights->ground.t[n];
        sights->fade[n] = isfinite(t) ? bw_ground_fade(picture, picture->camera.eye, pane->rays[n], t) : 1.0f;
    }
}

static BwLight3 solid_light(const BwPicture *picture, const Meeting *meeting)
{
    double place[3];
    bw_place_on_ray(picture, meeting->ray, meeting->t, place);
    BwVec3 normal = bw_solids_normal(picture->solids, meeting->solid, place);
    BwShade shade = bw_shade_at(picture, place, meeting->ray, normal);
    return bw_surface_light(picture, &shade, picture->solids->views[meeting->solid].solid->color);
}

static bool shades_differ(const BwPicture *picture, const BwShade *a, const BwShade *b)
{
    bool differ = fabsf(a->open - b->open) > CREASE;
    for (int n = 0; n < picture->rig.lamp_count; n++)
        differ = differ || fabsf(a->lamps[n] - b->lamps[n]) > CREASE;
    return differ;
}

// Whether a pixel of a solid looks much unlike one beside it: there is an edge between two of its faces.
static bool is_at_crease(const BwPicture *picture, const BwPane *pane, int n, const BwSurfacePane *front)
{
    int x = n % BW_PANE, y = n / BW_PANE;
    static const int steps[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    for (int s = 0; s < 8; s++) {
        int i = x + steps[s][0], j = y + steps[s][1], other = j * BW_PANE + i;
        bool is_there = i >= 0 && j >= 0 && i < pane->width_px && j < pane->height_px;
        if (is_there && front->surfaces[other] == front->surfaces[n] &&
            shades_differ(picture, &front->shades[n], &front->shades[other]))
            return true;
    }
    return false;
}

// All rays of a pixel that meet a solid, each with its own light.
static BwLight3 crease_light(const BwPicture *picture, const BwPane *pane, int n, float t_max)
{
    int x_px = pane->x_px + n % BW_PANE, y_px = pane->y_px + n / BW_PANE, hits = 0;
    BwLight3 sum = {{0.0f, 0.0f, 0.0f}};
    for (int s = 0; s < BW_SUBSAMPLES; s++) {
        Meeting meeting = meet(picture, x_px, y_px, s, t_max);
        if (meeting.solid < 0)
            continue;
        BwLight3 light = solid_light(picture, &meeting);
        hits++;
        for (int c = 0; c < 3; c++)
            sum.c[c] += light.c[c];
    }
    for (int c = 0; c < 3; c++)
        sum.c[c] /= (float)(hits > 0 ? hits : 1);
    return sum;
}

// The ground near the scene, less and less of it towards the backdrop.
static BwLight3 light_behind(const BwPicture *picture, const BwPane *pane, int n, const Sights *sights)
{
    BwLight3 light = bw_backdrop_at(picture, (float)(pane->x_px + n % BW_PANE) + 0.5f,
                                    (float)(pane->y_px + n / BW_PANE) + 0.5f);
    if (sights->ground.surfaces[n] == BW_SURFACE_GROUND) {
        BwLight3 ground = bw_shade_light(picture, &sights->ground.shades[n], picture->ground_albedo);
        for (int c = 0; c < 3; c++)
            light.c[c] = ground.c[c] + sights->fade[n] * (light.c[c] - ground.c[c]);
    }
    return light;
}

static BwLight3 light_in_front(const BwPicture *picture, const BwPane *pane, int n, const Sights *sights)
{
    int solid = sights->front.surfaces[n] - BW_SURFACE_SOLID;
    if (solid < 0)
        return bw_thing_light(picture, sights->things[n], sights->front.rays[n], sights->front.t[n]);
    if (is_at_crease(picture, pane, n, &sights->front))
        return crease_light(picture, pane, n, sights->ground.t[n]);
    return bw_surface_light(picture, &sights->front.shades[n], picture->solids->views[solid].solid->color);
}

// What stands in front is mixed with what is behind; smoke between them needs both.
static void finish_pixel(const BwPicture *picture, BwPane *pane, int n, const Sights *sights)
{
    float covered = sights->covered[n];
    BwEdge *edge = &pane->edges[n];
    *edge = (BwEdge){.covered = covered, .t_front = sights->front.t[n], .t_behind = sights->ground.t[n]};
    if (covered < 1.0f)
        edge->behind = light_behind(picture, pane, n, sights);
    if (covered > 0.0f)
        edge->front = light_in_front(picture, pane, n, sights);
    for (int c = 0; c < 3; c++)
        edge->mixed.c[c] = edge->behind.c[c] + covered * (edge->front.c[c] - edge->behind.c[c]);
    pane->light[n] = edge->mixed;
}

// A pane is narrow: a cone round its middle tells whether any of its pixels may see a solid.
static bool pane_may_hit(const BwPicture *picture, const BwPane *pane)
{
    float half = 0.5f * (float)BW_PANE,
          pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    BwVec3 middle = bw_picture_ray(picture, (float)pane->x_px + half, (float)pane->y_px + half);
    return bw_solids_may_hit(picture->solids, picture->camera.eye, middle,
                             1.5f * half * pixel + 2.0f * pixel);
}

void bw_backdrop_draw(const BwPicture *picture, BwPane *pane)
{
    Sights sights;
    bool may_hit = pane_may_hit(picture, pane);
    see_ground(picture, pane, &sights);
    for (int n = 0; n < BW_PANE_PIXELS; n++) {
        if (n % BW_PANE >= pane->width_px || n / BW_PANE >= pane->height_px)
            continue;
        see_pixel(picture, pane, n, may_hit, &sights);
        pane->distance[n] = sights.covered[n] >= 0.5f ? sights.front.t[n] : sights.ground.t[n];
    }
    bw_shade_pane(picture, &sights.ground, pane->width_px, pane->height_px);
    bw_shade_pane(picture, &sights.front, pane->width_px, pane->height_px);
    for (int n = 0; n < BW_PANE_PIXELS; n++)
        if (n % BW_PANE < pane->width_px && n / BW_PANE < pane->height_px)
            finish_pixel(picture, pane, n, &sights);
}
