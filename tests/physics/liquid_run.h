// Liquids for tests: small scenes, and sums over the particles and the surface of their frames.
#pragma once

#include "run.h"

#include <stdlib.h>

static const double liquid_gravity = 9.81;

static inline bool is_level_set(BwLiquidMethod method)
{
    return method == BW_LIQUID_LEVELSET || method == BW_LIQUID_PARTICLE_LEVELSET;
}

static inline BwSceneDef liquid_scene(int dimension, float cell, BwLiquidMethod method)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.fluid = BW_FLUID_LIQUID;
    scene.dimension = dimension;
    scene.cell = cell;
    scene.frames = 10000;
    scene.liquid.method = method;
    if (is_level_set(method) || method == BW_LIQUID_HEIGHT || method == BW_LIQUID_CHAIN)
        return scene;
    scene.liquid.narrow_band = 0.0f;
    scene.liquid.seeding = BW_SEEDING_LATTICE;
    return scene;
}

static inline const char *method_name(BwLiquidMethod method)
{
    static const char *const names[] = {"apic",  "flip",  "markers", "levelset", "particle_levelset",
                                        "chain", "height"};
    return names[method];
}

static inline BwFillDef fill_of(BwShape shape)
{
    BwFillDef fill = bw_fill_def_default();
    fill.shape = shape;
    return fill;
}

// Water from the low corner of the box up to these lengths.
static inline BwFillDef fill_corner(float x, float y, float z)
{
    return fill_of(bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(x, y, z)));
}

static inline BwObstacleDef solid_of(BwShape shape)
{
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = shape;
    return obstacle;
}

static inline const BwFrameParticles *water_of(const BwFrame *frame)
{
    const BwFrameParticles *water = bw_frame_particles(frame, "water");
    assert_non_null(water);
    return water;
}

static inline const float *water_velocities(const BwFrameParticles *water)
{
    const BwFrameAttribute *velocity =
        bw_frame_attribute(water->attributes, water->attribute_count, "velocity");
    assert_non_null(velocity);
    return velocity->values;
}

static inline const int32_t *water_ids(const BwFrameParticles *water)
{
    const BwFrameAttribute *id = bw_frame_attribute(water->attributes, water->attribute_count, "id");
    assert_non_null(id);
    return id->integers;
}

static inline const float *water_volumes(const BwFrameParticles *water)
{
    const BwFrameAttribute *volume = bw_frame_attribute(water->attributes, water->attribute_count, "volume");
    assert_non_null(volume);
    return volume->values;
}

// m^3, of all particles.
static inline double water_volume(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    double sum = 0.0;
    for (int64_t p = 0; p < water->count; p++)
        sum += (double)water_volumes(water)[p];
    return sum;
}

// Means over the particles, by their volumes. Those of the first place and velocity are taken off first, so
// that a drop far away loses nothing.
typedef struct WaterSums {
    int64_t count;
    double volume;      // m^3
    double center[3];   // m
    double velocity[3]; // m/s
    double spin;        // m^2/s, angular momentum about the centre along z, per mass
    double kinetic;     // m^2/s^2, per mass
    double speed_max;   // m/s
} WaterSums;

static inline WaterSums water_sums(const BwFrame *frame)
{
    const BwFrameParticles *water = water_of(frame);
    const float *velocity = water_velocities(water);
    double all = water_volume(frame), moment = 0.0;
    WaterSums sums = {.count = water->count, .volume = all};
    for (int64_t p = 0; p < water->count; p++) {
        double place[3], square = 0.0, part = (double)water_volumes(water)[p] / all;
        bw_frame_particle_place(frame, water, p, place);
        for (int a = 0; a < 3; a++) {
            double u = (double)velocity[3 * p + a];
            sums.center[a] += part * place[a];
            sums.velocity[a] += part * u;
            square += u * u;
        }
        moment += (place[0] * (double)velocity[3 * p + 1] - place[1] * (double)velocity[3 * p]) * part;
        sums.kinetic += 0.5 * part * square;
        sums.speed_max = fmax(sums.speed_max, sqrt(square));
    }
    sums.spin = moment - sums.center[0] * sums.velocity[1] + sums.center[1] * sums.velocity[0];
    return sums;
}

static inline int64_t piece_of(int64_t *piece, int64_t p)
{
    while (piece[p] != p)
        p = piece[p] = piece[piece[p]];
    return p;
}

static inline int compare_first(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

// Of how many pieces the liquid is: particles within so many cells of one another are of the same.
static inline int water_pieces(const BwFrame *frame, double cells)
{
    const BwFrameParticles *water = water_of(frame);
    double(*place)[3] = calloc((size_t)water->count + 1, sizeof *place),
    reach = cells * (double)frame->cell_size;
    int64_t *piece = calloc((size_t)water->count + 1, sizeof *piece);
    int count = (int)water->count;
    assert_true(place != NULL && piece != NULL);
    for (int64_t p = 0; p < water->count; p++) {
        bw_frame_particle_place(frame, water, p, place[p]);
        piece[p] = p;
    }
    qsort(place, (size_t)water->count, sizeof *place, compare_first);
    for (int64_t p = 0; p < water->count; p++)
        for (int64_t q = p + 1; q < water->count && place[q][0] - place[p][0] < reach; q++) {
            double x = place[q][0] - place[p][0], y = place[q][1] - place[p][1],
                   z = place[q][2] - place[p][2];
            int64_t one = piece_of(piece, p), other = piece_of(piece, q);
            if (one == other || x * x + y * y + z * z >= reach * reach)
                continue;
            piece[one > other ? one : other] = one > other ? other : one;
            count--;
        }
    free(place);
    free(piece);
    return count;
}

// The height of the surface over a column of cells, in cells from the bottom: the highest place where phi
// changes its sign; NaN where it does not.
static inline double surface_height(const BwFrame *frame, int x, int z, int top)
{
    const BwFrameField *phi = bw_frame_field(frame, "phi");
    assert_non_null(phi);
    for (int y = top - 1; y > 0; y--) {
        double above = (double)frame_value(frame, phi, x, y, z),
               below = (double)frame_value(frame, phi, x, y - 1, z);
        if (above > 0.0 && below <= 0.0)
            return y - 0.5 + below / (below - above);
    }
    return NAN;
}

// A bound that is wanted and not reached: the gate stands where the liquid does, and tells what is missing.
static inline void gate_wanted(const char *name, double value, double bound, double wanted)
{
    if (!(value <= wanted))
        printf("WANTED %s <=%.6g, is %.6g\n", name, wanted, value);
    gate(name, value, GATE_BELOW, bound);
}

// The worst of two, where one may not be a number: that is worse.
static inline double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}
