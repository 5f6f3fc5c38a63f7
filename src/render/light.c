// Light inside smoke, computed once for each lattice point with smoke and interpolated by the marcher. Each
// lamp is followed through the smoke to the point (Beer and Lambert), and scattered towards the eye with the
// phase function of Henyey and Greenstein (1941). Light that is scattered more than once is what makes smoke
// bright and soft; it is approximated by octaves (Wrenninge, Kulla and Lundqvist 2013): copies of the single
// scattering that are weaker, reach deeper and have less direction.
#include "render/light.h"
#include "render/falloff.h"
#include "render/ray_walk.h"
#include "render/refine.h"

#include <string.h>

enum { OCTAVES = 4, POINTS = BW_BRICK_POINTS };

#define FORWARDNESS     0.4f  // g of the first octave; each next has half of it
#define OCTAVE_STRENGTH 0.7f  // of an octave, relative to the one before
#define EXTINCTION_MIN  1e-4f // a brick of less hides a thousandth of what is behind
#define DEPTH_MAX       60.0f // darker than this is black, also for the deepest octave

#define SOOT 0.2f // albedo of the smoke of fire, where the scene gives none

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
    const BwLookDef standard = bw_scene_def_default().look;
    bool is_soot = scene->fluid == BW_FLUID_FIRE &&
                   memcmp(scene->look.smoke_color, standard.smoke_color, sizeof standard.smoke_color) == 0;
    const float sky_color[3] = {0.86f, 0.94f, 1.08f};
    for (int c = 0; c < 3; c++) {
        rig->sky[c] = scene->look.ambient_light * sky_color[c];
        rig->albedo[c] = fminf(fmaxf(is_soot ? SOOT : scene->look.smoke_color[c], 0.0f), 1.0f);
    }
    return BW_OK;
}

float bw_volume_depth(const BwVolume *volume, const float place[3], BwVec3 direction, float step)
{
    BwRayWalk walk;
    if (!bw_ray_walk_begin(&walk, &volume->map, place, (float[3]){direction.x, direction.y, direction.z},
                           0.0f, INFINITY))
        return 0.0f;
    float depth = 0.0f, t_in, t_out, t = 0.0f;
    for (int32_t n; (n = bw_ray_walk_next(&walk, &t_in, &t_out)) >= 0;) {
        const BwBrick *brick = &volume->bricks[n];
        if (brick->most < EXTINCTION_MIN)
            continue;
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

// One lamp's part of the lighting; `lamp` is NULL for the sky.
typedef struct Lighting {
    BwVolume *volume;
    const BwVolume *coarse; // what was swept: the volume itself where it is as coarse as the cells
    BwSweep *sweep;
    const BwRig *rig;
    const BwLamp *lamp;
    const BwSolids *solids;
    const BwFireLight *fire;
    float eye[3]; // lattice units
} Lighting;

// Light at the points of a brick: what gets there, and what of it is scattered towards the eye n times, as a
// share of what a white card would send back.
typedef struct Scattering {
    float depth[POINTS];  // towards the lamp
    float open[POINTS];   // share of the lamp that solids leave
    float cosine[POINTS]; // of the angle between the view and the lamp
    float shares[OCTAVES][POINTS];
} Scattering;

// A card spreads light over a half sphere with a cosine, smoke over the whole sphere: hence the quarter. An
// octave sees half the depth of the one before, so its share squared is what gets through of that one. Light
// without direction comes from the side, on the whole.
static void scatter(Scattering *light, bool has_direction)
{
    const float strengths[OCTAVES] = {0.25f, 0.25f * OCTAVE_STRENGTH,
                                      0.25f * OCTAVE_STRENGTH * OCTAVE_STRENGTH,
                                      0.25f * OCTAVE_STRENGTH * OCTAVE_STRENGTH * OCTAVE_STRENGTH};
    float through[POINTS];
    for (int p = 0; p < POINTS; p++)
        through[p] = bw_falloff(light->depth[p] / (float)(1 << (OCTAVES - 1)));
    for (int octave = OCTAVES - 1; octave >= 0; octave--) {
        float strength = strengths[octave], g = FORWARDNESS / (float)(1 << octave);
        for (int p = 0; p < POINTS; p++) {
            light->shares[octave][p] = strength * through[p];
            through[p] *= through[p];
        }
        if (has_direction)
            for (int p = 0; p < POINTS; p++)
                light->shares[octave][p] *= light->open[p] * phase(g, light->cosine[p]);
        else
            for (int p = 0; p < POINTS; p++)
                light->shares[octave][p] *= phase(g, 0.0f);
    }
}

// Adds octaves in each colour; light that has been scattered n times carries the albedo n times.
static void add_white(const Scattering *light, const float lamp[3], const float albedo[3], BwLitBrick *lit)
{
    for (int c = 0; c < 3; c++) {
        float weights[OCTAVES], weight = lamp[c];
        for (int octave = 0; octave < OCTAVES; octave++)
            weights[octave] = weight *= albedo[c];
        for (int p = 0; p < POINTS; p++)
            lit->colors[c][p] += weights[0] * light->shares[0][p] + weights[1] * light->shares[1][p] +
                                 weights[2] * light->shares[2][p] + weights[3] * light->shares[3][p];
    }
}

static void add_tinted(const Scattering *light, const float lamp[3], const float albedo[3],
                       const BwTintBrick *tints, BwLitBrick *lit)
{
    for (int c = 0; c < 3; c++)
        for (int p = 0; p < POINTS; p++) {
            float a = albedo[c] * tints->tint[c][p];
            float sum = light->shares[2][p] + a * light->shares[3][p];
            sum = light->shares[0][p] + a * (light->shares[1][p] + a * sum);
            lit->colors[c][p] += lamp[c] * a * sum;
        }
}

// Values of the swept bricks at the points of a finer one, by a cubic that goes through them; `none` where
// there is no brick.
static void refine_swept(const Lighting *lighting, const BwBrick *brick, const float *values, float none,
                         float points[POINTS])
{
    const BwVolume *fine = lighting->volume, *coarse = lighting->coarse;
    int32_t low[3], first[3], last[3], at[3];
    int finer = fine->refine / coarse->refine;
    for (int a = 0; a < 3; a++)
        low[a] = BW_BRICK / finer * (brick->place[a] + fine->anchor[a]) - BW_BRICK * coarse->anchor[a];
    BwCube cube = bw_cube_to_refine(low, finer);
    bw_cube_fill(&cube, none);
    for (int a = 0; a < 3; a++) {
        first[a] = cube.low[a] >> 3;
        last[a] = (cube.low[a] + cube.side - 1) >> 3;
    }
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
                int32_t n = bw_volume_brick(coarse, at[0], at[1], at[2]);
                if (n >= 0)
                    bw_cube_copy(&cube, values + (size_t)n * BW_SWEEP_POINTS,
                                 (int32_t[3]){BW_BRICK * at[0], BW_BRICK * at[1], BW_BRICK * at[2]});
            }
    bw_cube_refine(&cube, finer, 0.0f, points);
}

// The angle between view and lamp changes little over a brick, but its cosine is cheap.
static void find_cosines(const Lighting *lighting, const BwBrick *brick, float cosine[POINTS])
{
    BwVec3 lamp = lighting->lamp->direction;
    float x = (float)(BW_BRICK * brick->place[0]) - lighting->eye[0];
    for (int k = 0; k < BW_BRICK_SIDE; k++)
        for (int j = 0; j < BW_BRICK_SIDE; j++) {
            float y = (float)(BW_BRICK * brick->place[1] + j) - lighting->eye[1];
            float z = (float)(BW_BRICK * brick->place[2] + k) - lighting->eye[2];
            float *row = cosine + (k * BW_BRICK_SIDE + j) * BW_BRICK_SIDE;
            float along = y * lamp.y + z * lamp.z, square = y * y + z * z;
            for (int i = 0; i < BW_BRICK_SIDE; i++) {
                float at = x + (float)i;
                row[i] = (along + at * lamp.x) / sqrtf(square + at * at);
            }
        }
}

// The cubic may leave the range of what it goes through.
static void clamp_points(float points[POINTS], float low, float high)
{
    for (int p = 0; p < POINTS; p++)
        points[p] = bw_smaller(bw_larger(points[p], low), high);
}

static void fill_points(float points[POINTS], float value)
{
    for (int p = 0; p < POINTS; p++)
        points[p] = value;
}

static void scatter_lamp(const Lighting *lighting, const BwBrick *brick, Scattering *light)
{
    refine_swept(lighting, brick, lighting->sweep->depth, 0.0f, light->depth);
    clamp_points(light->depth, 0.0f, INFINITY);
    find_cosines(lighting, brick, light->cosine);
    if (lighting->solids->count == 0) {
        fill_points(light->open, 1.0f);
    } else {
        refine_swept(lighting, brick, lighting->sweep->open, 1.0f, light->open);
        clamp_points(light->open, 0.0f, 1.0f);
    }
    scatter(light, true);
}

// Light from all around reaches a point mostly from above, through the smoke over it, and a part of it from
// the ground below, whatever is between.
static void scatter_sky(const Lighting *lighting, const BwBrick *brick, Scattering *light)
{
    refine_swept(lighting, brick, lighting->sweep->depth, 0.0f, light->depth);
    for (int p = 0; p < POINTS; p++)
        light->depth[p] = SKY_OBLIQUE * bw_larger(light->depth[p], 0.0f);
    scatter(light, false);
    for (int p = 0; p < POINTS; p++)
        light->shares[0][p] += SKY_FROM_BELOW;
}

static void light_bricks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    const BwVolume *volume = lighting->volume;
    const BwRig *rig = lighting->rig;
    const float *light = lighting->lamp != NULL ? lighting->lamp->light : rig->sky;
    Scattering scattering;
    for (int64_t n = begin; n < end; n++) {
        if (lighting->lamp != NULL)
            scatter_lamp(lighting, &volume->bricks[n], &scattering);
        else
            scatter_sky(lighting, &volume->bricks[n], &scattering);
        if (volume->has_tint)
            add_tinted(&scattering, light, rig->albedo, &volume->tints[n], &volume->lit[n]);
        else
            add_white(&scattering, light, rig->albedo, &volume->lit[n]);
    }
}

static void add_fire_lamp(const BwVolume *volume, const BwBrick *brick, const BwFireLamp *lamp,
                          const float albedo[3], BwLitBrick *lit)
{
    float to[3], h = volume->spacing, size = lamp->size * lamp->size, weight[3];
    for (int a = 0; a < 3; a++)
        to[a] =
            (float)(volume->origin[a] + (double)h * (double)(BW_BRICK * brick->place[a]) - lamp->place[a]);
    for (int c = 0; c < 3; c++)
        weight[c] = 0.25f * albedo[c] * lamp->intensity[c];
    for (int p = 0; p < POINTS; p++) {
        int i = p % BW_BRICK_SIDE, j = p / BW_BRICK_SIDE % BW_BRICK_SIDE,
            k = p / (BW_BRICK_SIDE * BW_BRICK_SIDE);
        float x = to[0] + h * (float)i, y = to[1] + h * (float)j, z = to[2] + h * (float)k;
        float share = 1.0f / (x * x + y * y + z * z + size);
        for (int c = 0; c < 3; c++)
            lit->colors[c][p] += weight[c] * share;
    }
}

static void add_glow(const BwGlowBrick *glow, BwLitBrick *lit)
{
    for (int p = 0; p < POINTS; p++)
        lit->points[p] += (BwFloat4){glow->light[0][p], glow->light[1][p], glow->light[2][p], 0.0f};
}

// Smoke in the light of a fire: a card sends light back over a half sphere with a cosine, smoke over the
// whole sphere, hence the quarter.
static void light_by_fire(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    const BwVolume *volume = lighting->volume;
    for (int64_t n = begin; n < end; n++)
        for (int lamp = 0; lamp < lighting->fire->count; lamp++)
            add_fire_lamp(volume, &volume->bricks[n], &lighting->fire->lamps[lamp], lighting->rig->albedo,
                          &volume->lit[n]);
}

// From colours apart to points: what each sends towards the eye per spacing, and its extinction.
static void merge_colors(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    for (int64_t n = begin; n < end; n++) {
        BwLitBrick *lit = &lighting->volume->lit[n], apart = *lit;
        const float *extinction = lighting->volume->bricks[n].extinction;
        for (int p = 0; p < POINTS; p++)
            lit->points[p] =
                (BwFloat4){extinction[p] * apart.colors[0][p], extinction[p] * apart.colors[1][p],
                           extinction[p] * apart.colors[2][p], extinction[p]};
        if (lighting->volume->has_glow)
            add_glow(&lighting->volume->glows[n], lit);
    }
}

// Where a point of a brick is, m.
static void world_place(const BwVolume *volume, const BwBrick *brick, const float offset[3], double place[3])
{
    for (int a = 0; a < 3; a++)
        place[a] = volume->origin[a] +
                   (double)volume->spacing * ((double)(BW_BRICK * brick->place[a]) + (double)offset[a]);
}

// What solids leave of the lamp, at the points that a swept brick owns. Most bricks no solid can shade.
static void find_shadows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lighting *lighting = context;
    const BwVolume *volume = lighting->coarse;
    const BwVec3 lamp = lighting->lamp->direction;
    const float half = 0.5f * (float)BW_BRICK, radius = 1.7321f * half * volume->spacing;
    for (int64_t n = begin; n < end; n++) {
        const BwBrick *brick = &volume->bricks[n];
        float *open = lighting->sweep->open + n * BW_SWEEP_POINTS;
        double place[3];
        world_place(volume, brick, (const float[3]){half, half, half}, place);
        bool may_shade = bw_solids_may_shade(lighting->solids, place, radius, lamp);
        for (int p = 0; p < BW_SWEEP_POINTS; p++) {
            int i = p & 7, j = p >> 3 & 7, k = p >> 6;
            world_place(volume, brick, (const float[3]){(float)i, (float)j, (float)k}, place);
            bool is_used = volume != lighting->volume || // points beside smoke are interpolated between
                           brick->extinction[(k * BW_BRICK_SIDE + j) * BW_BRICK_SIDE + i] > 0.0f;
            open[p] = may_shade && is_used ? bw_solids_light(lighting->solids, place, lamp) : 1.0f;
        }
    }
}

static BwResult add_lamp_light(Lighting *lighting, BwPool *pool, BwError *err)
{
    const BwVolume *coarse = lighting->coarse;
    BwSweep *sweep = lighting->sweep;
    BwVec3 direction = lighting->lamp != NULL ? lighting->lamp->direction : bw_vec3(0.0f, 1.0f, 0.0f);
    BW_TRY(bw_sweep_run(sweep, coarse, pool, direction, err));
    if (lighting->lamp != NULL && lighting->solids->count > 0) {
        BW_TRY(bw_reserve(&sweep->allocator, (void **)&sweep->open, &sweep->open_capacity,
                          coarse->brick_count * BW_SWEEP_POINTS, sizeof *sweep->open, err));
        bw_parallel_for(pool, coarse->brick_count, 4, find_shadows, lighting);
    }
    bw_parallel_for(pool, lighting->volume->brick_count, 8, light_bricks, lighting);
    return BW_OK;
}

BwResult bw_volume_light(BwVolume *volume, const BwVolume *coarse, BwSweep *sweep, BwPool *pool,
                         const BwRig *rig, const BwCamera *camera, const BwSolids *solids,
                         const BwFireLight *fire, BwError *err)
{
    if (volume->brick_count == 0)
        return BW_OK;
    Lighting lighting = {
        .volume = volume, .coarse = coarse, .sweep = sweep, .rig = rig, .solids = solids, .fire = fire};
    for (int a = 0; a < 3; a++)
        lighting.eye[a] = (float)((camera->eye[a] - volume->origin[a]) / (double)volume->spacing);
    memset(volume->lit, 0, (size_t)volume->brick_count * sizeof *volume->lit);
    for (int n = 0; n <= rig->lamp_count; n++) {
        lighting.lamp = n < rig->lamp_count ? &rig->lamps[n] : NULL;
        BW_TRY(add_lamp_light(&lighting, pool, err));
    }
    if (fire->count > 0)
        bw_parallel_for(pool, volume->brick_count, 8, light_by_fire, &lighting);
    bw_parallel_for(pool, volume->brick_count, 16, merge_colors, &lighting);
    return BW_OK;
}
