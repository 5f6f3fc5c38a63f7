// Light inside smoke, computed once for each lattice point with smoke and interpolated by the marcher. Each
// lamp is followed through the smoke to the point (Beer and Lambert), and scattered towards the eye with the
// phase function of Henyey and Greenstein (1941). Light that is scattered more than once is what makes smoke
// bright and soft; it is approximated by octaves (Wrenninge, Kulla and Lundqvist 2013): copies of the single
// scattering that are weaker, reach deeper and have less direction.
#include "render/light.h"
#include "render/ray_walk.h"

#include <string.h>

enum { OCTAVES = 4 };

#define FORWARDNESS     0.4f  // g of the first octave; each next has half of it
#define OCTAVE_STRENGTH 0.7f  // of an octave, relative to the one before
#define DEPTH_MAX       60.0f // darker than this is black, also for the deepest octave

#define SKY_OBLIQUE    0.8f  // of the depth straight above counts: light also comes in from the sides
#define SKY_FROM_BELOW 0.10f // share of the sky's light that the ground sends up

static void add_lamp(BwRig *rig, BwVec3 direction, float intensity, const float color[3])
{
    BwLamp *lamp = &rig->lamps[rig->lamp_count++];
    lamp->direction = bw_normalize(direction);
    for (int c = 0; c < 3; c++)
        lamp->light[c] = intensity * color[c];
}

BwResult bw_rig_make(BwRig *rig, const BwSceneDef *scene, BwError *err)
{
    *rig = (BwRig){0};
    if (scene->light_count > BW_LAMPS_MAX)
        return bw_fail(err, BW_ERR_SCENE, "the scene has %d lights; pictures take at most %d",
                       scene->light_count, BW_LAMPS_MAX);
    for (int n = 0; n < scene->light_count; n++) {
        if (!(bw_length(scene->lights[n].direction) > 0.0f))
            return bw_fail(err, BW_ERR_SCENE, "light %d has no direction; it must point towards the light",
                           n + 1);
        add_lamp(rig, scene->lights[n].direction, scene->lights[n].intensity, scene->lights[n].color);
    }
    if (scene->light_count == 0) {
        add_lamp(rig, bw_vec3(-0.85f, 0.80f, 0.0f), 1.35f, (float[3]){1.0f, 0.96f, 0.9f});
        add_lamp(rig, bw_vec3(0.7f, 0.45f, -0.75f), 0.35f, (float[3]){0.75f, 0.87f, 1.0f});
    }
    const float sky_color[3] = {0.86f, 0.94f, 1.08f};
    for (int c = 0; c < 3; c++) {
        rig->sky[c] = scene->look.ambient_light * sky_color[c];
        rig->albedo[c] = fminf(fmaxf(scene->look.smoke_color[c], 0.0f), 1.0f);
    }
    return BW_OK;
}

float bw_volume_depth(const BwVolume *volume, const float place[3], BwVec3 direction, float step)
{
    BwRayWalk walk;
    if (!bw_ray_walk_begin(&walk, volume, place, (float[3]){direction.x, direction.y, direction.z}, 0.0f,
                           INFINITY))
        return 0.0f;
    float depth = 0.0f, t_in, t_out, t = 0.0f;
    for (int32_t n; (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;) {
        const BwBrick *brick = &volume->bricks[n];
        t = bw_larger(t, t_in);
        for (; t < t_out; t += step) {
            float middle = bw_smaller(t + 0.5f * step, t_out);
            depth += step * bw_brick_sample(brick->extinction, bw_in_brick(&walk, brick->place, middle));
        }
        if (depth > DEPTH_MAX)
            break;
    }
    return depth;
}

// 4 pi times Henyey and Greenstein's phase function: 1 in every direction for g = 0.
static float phase(float g, float cosine)
{
    float s = 1.0f + g * g - 2.0f * g * cosine;
    return (1.0f - g * g) / (s * sqrtf(s));
}

// Scattered light at depth `depth` under a lamp, as a share of what a white card would send back, per octave.
// A card spreads light over a half sphere with a cosine, smoke over the whole sphere: hence the quarter.
static void scatter_octaves(float depth, float cosine, float shares[OCTAVES])
{
    float through = expf(-depth / (float)(1 << (OCTAVES - 1)));
    for (int octave = OCTAVES - 1; octave >= 0; octave--) {
        shares[octave] = through;
        through *= through;
    }
    float strength = 0.25f, g = FORWARDNESS;
    for (int octave = 0; octave < OCTAVES; octave++) {
        shares[octave] *= strength * phase(g, cosine);
        strength *= OCTAVE_STRENGTH;
        g *= 0.5f;
    }
}

// Adds octaves in each colour; light that has been scattered n times carries the albedo n times.
static BwFloat4 tinted(const float shares[OCTAVES], const float light[3], const float albedo[3])
{
    BwFloat4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 3; c++) {
        float tint = albedo[c];
        for (int octave = 0; octave < OCTAVES; octave++) {
            sum[c] += light[c] * shares[octave] * tint;
            tint *= albedo[c];
        }
    }
    return sum;
}

// One lamp's part of the lighting; `lamp` is NULL for the sky.
typedef struct Lighting {
    BwVolume *volume;
    const float *depth; // towards the lamp
    const BwRig *rig;
    const BwLamp *lamp;
    const BwSolids *solids;
    float eye[3]; // lattice units
} Lighting;

static BwFloat4 lamp_light(const Lighting *lighting, const float place[3], float depth, const float albedo[3])
{
    const BwVolume *volume = lighting->volume;
    const BwLamp *lamp = lighting->lamp;
    double world[3];
    for (int a = 0; a < 3; a++)
        world[a] = volume->origin[a] + (double)volume->spacing * (double)place[a];
    float lit = bw_solids_light(lighting->solids, world, lamp->direction);
    if (lit <= 0.0f)
        return (BwFloat4){0.0f, 0.0f, 0.0f, 0.0f};
    BwVec3 view = bw_normalize(
        bw_vec3(place[0] - lighting->eye[0], place[1] - lighting->eye[1], place[2] - lighting->eye[2]));
    float shares[OCTAVES];
    scatter_octaves(depth, bw_dot(view, lamp->direction), shares);
    return lit * tinted(shares, lamp->light, albedo);
}

// Light from all around reaches a point mostly from above, through the smoke over it, and a part of it from
// the ground below, whatever is between.
static BwFloat4 sky_light(const Lighting *lighting, float depth, const float albedo[3])
{
    float shares[OCTAVES];
    scatter_octaves(SKY_OBLIQUE * depth, 0.0f, shares);
    shares[0] += SKY_FROM_BELOW;
    return tinted(shares, lighting->rig->sky, albedo);
}

static void find_albedo(const Lighting *lighting, int64_t brick, int point, float albedo[3])
{
    const BwVolume *volume = lighting->volume;
    for (int c = 0; c < 3; c++)
        albedo[c] =
            lighting->rig->albedo[c] * (volume->has_tint ? volume->tints[brick].tint[c][point] : 1.0f);
}

// The points a brick owns: all but its last ones along each axis, which its neighbours own.
static void light_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    for (int64_t n = begin; n < end; n++) {
        const BwBrick *brick = &lighting->volume->bricks[n];
        for (int owned = 0; owned < BW_SWEEP_POINTS; owned++) {
            int i = owned & 7, j = owned >> 3 & 7, k = owned >> 6;
            int point = (k * BW_BRICK_SIDE + j) * BW_BRICK_SIDE + i;
            float extinction = brick->extinction[point];
            if (extinction <= 0.0f)
                continue;
            const float place[3] = {(float)(BW_BRICK * brick->place[0] + i),
                                    (float)(BW_BRICK * brick->place[1] + j),
                                    (float)(BW_BRICK * brick->place[2] + k)};
            float depth = lighting->depth[n * BW_SWEEP_POINTS + owned];
            float albedo[3];
            find_albedo(lighting, n, point, albedo);
            BwFloat4 light = lighting->lamp != NULL ? lamp_light(lighting, place, depth, albedo)
                                                    : sky_light(lighting, depth, albedo);
            lighting->volume->lit[n].points[point] += extinction * light;
        }
    }
}

static void darken_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    for (int64_t n = begin; n < end; n++)
        for (int point = 0; point < BW_BRICK_POINTS; point++)
            lighting->volume->lit[n].points[point] =
                (BwFloat4){0.0f, 0.0f, 0.0f, lighting->volume->bricks[n].extinction[point]};
}

// Copies the last points along each axis from the neighbours that own them. One that does not exist owns no
// smoke, and then there is none to light.
static void copy_rims(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    const BwVolume *volume = lighting->volume;
    for (int64_t n = begin; n < end; n++) {
        const int32_t *place = volume->bricks[n].place;
        int32_t owners[8];
        for (int o = 1; o < 8; o++)
            owners[o] =
                bw_volume_brick(volume, place[0] + (o & 1), place[1] + (o >> 1 & 1), place[2] + (o >> 2));
        BwFloat4 *lit = volume->lit[n].points;
        for (int point = 0; point < BW_BRICK_POINTS; point++) {
            int i = point % BW_BRICK_SIDE, j = point / BW_BRICK_SIDE % BW_BRICK_SIDE;
            int k = point / (BW_BRICK_SIDE * BW_BRICK_SIDE);
            int owner = (i == BW_BRICK) | (j == BW_BRICK) << 1 | (k == BW_BRICK) << 2;
            if (owner == 0 || owners[owner] < 0)
                continue;
            int from = ((k & 7) * BW_BRICK_SIDE + (j & 7)) * BW_BRICK_SIDE + (i & 7);
            lit[point] = volume->lit[owners[owner]].points[from];
        }
    }
}

BwResult bw_volume_light(BwVolume *volume, BwSweep *sweep, BwPool *pool, const BwRig *rig,
                         const BwCamera *camera, const BwSolids *solids, BwError *err)
{
    if (volume->brick_count == 0)
        return BW_OK;
    Lighting lighting = {.volume = volume, .rig = rig, .solids = solids};
    for (int a = 0; a < 3; a++)
        lighting.eye[a] = (float)((camera->eye[a] - volume->origin[a]) / (double)volume->spacing);
    bw_parallel_for(pool, volume->brick_count, 16, darken_bricks, &lighting);
    for (int n = 0; n <= rig->lamp_count; n++) {
        lighting.lamp = n < rig->lamp_count ? &rig->lamps[n] : NULL;
        BwVec3 direction = lighting.lamp != NULL ? lighting.lamp->direction : bw_vec3(0.0f, 1.0f, 0.0f);
        BW_TRY(bw_sweep_run(sweep, volume, pool, direction, err));
        lighting.depth = sweep->depth;
        bw_parallel_for(pool, volume->brick_count, 8, light_bricks, &lighting);
    }
    bw_parallel_for(pool, volume->brick_count, 16, copy_rims, &lighting);
    return BW_OK;
}
