// What stands behind the smoke: solids, particles and surfaces of water, the ground, and a backdrop into
// which the ground fades, as in a photographer's studio. With the ground switched off the backdrop is one
// plain colour, exactly look.background.
#include "render/picture.h"
#include "render/tone.h"

// Lattice spacings between samples of the smoke that shades a surface.
#define SHADOW_STEP 1.5f
#define SKY_STEP    4.0f

static float smoothstep(float low, float high, float x)
{
    float t = fminf(fmaxf((x - low) / (high - low), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

BwVec3 bw_picture_ray(const BwPicture *picture, float x_px, float y_px)
{
    float x = 2.0f * x_px / (float)picture->image->width_px - 1.0f;
    float y = 1.0f - 2.0f * y_px / (float)picture->image->height_px;
    return bw_camera_ray(&picture->camera, x, y);
}

static void place_on_ray(const BwPicture *picture, BwVec3 direction, float t, double place[3])
{
    place[0] = picture->camera.eye[0] + (double)direction.x * (double)t;
    place[1] = picture->camera.eye[1] + (double)direction.y * (double)t;
    place[2] = picture->camera.eye[2] + (double)direction.z * (double)t;
}

static float depth_towards(const BwPicture *picture, const double place[3], BwVec3 direction, float step)
{
    const BwVolume *volume = picture->volume;
    float at[3];
    for (int a = 0; a < 3; a++)
        at[a] = (float)((place[a] - volume->origin[a]) / (double)volume->spacing);
    return bw_volume_depth(volume, at, direction, step);
}

// Light off a matt surface: each lamp as far as smoke and solids let it through, and the sky as far as it is
// open. A trace of every lamp gets round: smoke scatters light into its own shadow.
static BwLight3 shade(const BwPicture *picture, const double place[3], BwVec3 normal, const float albedo[3])
{
    const BwRig *rig = &picture->rig;
    BwLight3 sum = {{0.0f, 0.0f, 0.0f}};
    for (int n = 0; n < rig->lamp_count; n++) {
        const BwLamp *lamp = &rig->lamps[n];
        float facing = bw_dot(normal, lamp->direction);
        if (facing <= 0.0f)
            continue;
        float light = facing * bw_solids_light(picture->solids, place, lamp->direction);
        if (light > 0.0f) {
            float depth = depth_towards(picture, place, lamp->direction, SHADOW_STEP);
            light *= 0.85f * expf(-depth) + 0.15f * expf(-0.25f * depth);
        }
        for (int c = 0; c < 3; c++)
            sum.c[c] += light * lamp->light[c];
    }
    float above =
        depth_towards(picture, place, bw_normalize(bw_add(normal, bw_vec3(0.0f, 0.5f, 0.0f))), SKY_STEP);
    float open = bw_solids_openness(picture->solids, place, normal) * (0.4f + 0.6f * expf(-0.3f * above));
    open *= 0.65f + 0.35f * normal.y;
    for (int c = 0; c < 3; c++)
        sum.c[c] = albedo[c] * (sum.c[c] + open * rig->sky[c]);
    return sum;
}

// Brightest where the subject stands, darker towards the edges of the picture.
static BwLight3 backdrop_at(const BwPicture *picture, float x_px, float y_px)
{
    BwLight3 light;
    float glow = 1.0f;
    if (picture->scene->look.show_ground) {
        float x = 2.0f * x_px / (float)picture->image->width_px - 1.0f;
        float y = 2.0f * y_px / (float)picture->image->height_px - 1.0f;
        glow = 1.35f - 0.8f * smoothstep(0.0f, 1.5f, sqrtf(x * x + 0.8f * (y - 0.1f) * (y - 0.1f)));
    }
    for (int c = 0; c < 3; c++)
        light.c[c] = glow * picture->backdrop[c];
    return light;
}

// Distance to the ground along a ray; infinite when it does not get there.
static float ground_distance(const BwPicture *picture, BwVec3 direction)
{
    float height = (float)(picture->camera.eye[1] - (double)picture->ground);
    if (!picture->scene->look.show_ground || height <= 0.0f || direction.y >= -1e-6f)
        return INFINITY;
    return height / -direction.y;
}

static float extent_size(const BwPicture *picture)
{
    return bw_length(bw_sub(picture->extent.high, picture->extent.low));
}

// The ground near the scene, and less and less of it towards the backdrop.
static BwLight3 ground_at(const BwPicture *picture, BwVec3 direction, float t, BwLight3 behind)
{
    double place[3];
    place_on_ray(picture, direction, t, place);
    BwBox extent = picture->extent;
    float x = (float)(place[0] - 0.5 * ((double)extent.low.x + (double)extent.high.x));
    float z = (float)(place[2] - 0.5 * ((double)extent.low.z + (double)extent.high.z));
    float away = sqrtf(x * x + z * z) / extent_size(picture);
    float fade = smoothstep(0.1f, 1.7f, away);
    if (fade >= 1.0f)
        return behind;
    BwLight3 light = shade(picture, place, bw_vec3(0.0f, 1.0f, 0.0f), picture->ground_albedo);
    for (int c = 0; c < 3; c++)
        light.c[c] += fade * (behind.c[c] - light.c[c]);
    return light;
}

// A matt surface, with a sheen where it turns away, which sets it off from what is behind.
static BwLight3 surface_at(const BwPicture *picture, const double place[3], BwVec3 direction, BwVec3 normal,
                           const float color[3])
{
    const float albedo[3] = {bw_srgb_decode(color[0]), bw_srgb_decode(color[1]), bw_srgb_decode(color[2])};
    BwLight3 light = shade(picture, place, normal, albedo);
    float facing = fmaxf(-bw_dot(normal, direction), 0.0f);
    float sheen = 0.35f * powf(1.0f - facing, 4.0f);
    for (int c = 0; c < 3; c++)
        light.c[c] += sheen * (picture->rig.sky[c] - light.c[c]);
    return light;
}

// What a ray meets before the ground: a solid, or a thing (a particle, a surface); -1 for neither.
typedef struct Meeting {
    int solid;
    int32_t thing;
    float t;
    BwVec3 ray;
} Meeting;

static Meeting meet(const BwPicture *picture, int x_px, int y_px, int subsample, float t_max)
{
    const float *offset = bw_subsample_offsets[subsample];
    Meeting meeting = {.thing = -1, .t = t_max};
    float t_thing;
    meeting.ray = bw_picture_ray(picture, (float)x_px + offset[0], (float)y_px + offset[1]);
    meeting.solid = bw_solids_trace(picture->solids, picture->camera.eye, meeting.ray, &meeting.t);
    if (bw_things_is_empty(picture->things))
        return meeting;
    int32_t thing = bw_things_trace(picture->things, x_px, y_px, subsample, &t_thing);
    bool is_first = thing >= 0 && t_thing < (meeting.solid >= 0 ? meeting.t : t_max);
    return is_first ? (Meeting){-1, thing, t_thing, meeting.ray} : meeting;
}

static BwLight3 light_of(const BwPicture *picture, const Meeting *meeting)
{
    double place[3];
    BwVec3 normal;
    float color[3];
    place_on_ray(picture, meeting->ray, meeting->t, place);
    if (meeting->solid >= 0)
        return surface_at(picture, place, meeting->ray,
                          bw_solids_normal(picture->solids, meeting->solid, place),
                          picture->solids->views[meeting->solid].solid->color);
    bw_things_look(picture->things, meeting->thing, meeting->ray, meeting->t, &normal, color);
    return surface_at(picture, place, meeting->ray, normal, color);
}

// Surfaces cover the pixel by as many of its subsamples as hit one; the nearest is shaded once for all of
// them.
static float cover_by_surfaces(const BwPicture *picture, int x_px, int y_px, float t_max, BwLight3 *light,
                               float *t_surface)
{
    int hits = 0;
    Meeting nearest = {.solid = -1, .thing = -1};
    *t_surface = INFINITY;
    for (int n = 0; n < BW_SUBSAMPLES; n++) {
        Meeting meeting = meet(picture, x_px, y_px, n, t_max);
        if (meeting.solid < 0 && meeting.thing < 0)
            continue;
        hits++;
        if (meeting.t < *t_surface) {
            *t_surface = meeting.t;
            nearest = meeting;
        }
    }
    if (hits > 0)
        *light = light_of(picture, &nearest);
    return (float)hits / BW_SUBSAMPLES;
}

static bool has_thing(const BwPicture *picture, int x_px, int y_px)
{
    float distance;
    bool has = false;
    for (int n = 0; n < BW_SUBSAMPLES && !has && !bw_things_is_empty(picture->things); n++)
        has = bw_things_trace(picture->things, x_px, y_px, n, &distance) >= 0;
    return has;
}

BwLight3 bw_backdrop_seen(const BwPicture *picture, int x_px, int y_px, float *distance)
{
    float x = (float)x_px + 0.5f, y = (float)y_px + 0.5f;
    BwVec3 direction = bw_picture_ray(picture, x, y);
    float t_ground = ground_distance(picture, direction), t_surface;
    BwLight3 surface_light = {{0.0f, 0.0f, 0.0f}};
    float covered = 0.0f;
    *distance = t_ground;
    float pixel = 2.0f * picture->camera.tan_y / (float)picture->image->height_px;
    if (bw_solids_may_hit(picture->solids, picture->camera.eye, direction, pixel) ||
        has_thing(picture, x_px, y_px)) {
        covered = cover_by_surfaces(picture, x_px, y_px, t_ground, &surface_light, &t_surface);
        if (covered >= 0.5f)
            *distance = t_surface;
        if (covered >= 1.0f)
            return surface_light;
    }
    BwLight3 light = backdrop_at(picture, x, y);
    if (isfinite(t_ground))
        light = ground_at(picture, direction, t_ground, light);
    for (int c = 0; c < 3; c++)
        light.c[c] += covered * (surface_light.c[c] - light.c[c]);
    return light;
}
