// Forces on faces. Each loop visits the faces of one component that fluid may pass; others keep what they
// have.
#include "operate/forces.h"

#include "base/memory.h"
#include "grid/sample.h"
#include "scene/noise.h"
#include <math.h>

typedef struct Forces {
    const BwDomain *domain;
    const BwMask *faces;
    BwVelocity *velocity;
    const BwForce *forces;
    int count, axis;
    float dt;
} Forces;

// Strength is what it says at `radius`; nearer it falls to zero evenly, farther with the inverse of the
// distance.
static float falloff(float distance, float radius)
{
    return distance < radius ? distance / radius : radius / distance;
}

// Root mean square of the slope of noise along an axis, per unit of its argument.
#define BW_NOISE_SLOPE 0.7184f

// One component of the vector potential of turbulence, each from a stretch of noise of its own.
static float potential(const BwForce *force, BwVec3 point, int axis)
{
    double scale = 1.0 / (double)force->scale;
    return bw_noise((double)point.x * scale + force->shift + 71.0 * axis,
                    (double)point.y * scale + 37.0 * axis, (double)point.z * scale, (double)force->phase);
}

// Difference of a component of the potential over a cell along another axis, per scale.
static float potential_slope(const BwForce *force, BwVec3 point, int of, int along, float h)
{
    float half = 0.5f * h;
    BwVec3 step = {along == 0 ? half : 0.0f, along == 1 ? half : 0.0f, along == 2 ? half : 0.0f};
    float change = potential(force, bw_add(point, step), of) - potential(force, bw_sub(point, step), of);
    return change * force->scale / h;
}

// Curl noise (Bridson, Hourihan and Nordenstam 2007, Curl-Noise for Procedural Fluid Flow). The curl is that
// of the grid, from one edge of the face to the other, so that what flows into a cell is just what flows out.
float bw_turbulence_at(const BwForce *force, BwVec3 point, int axis, float h)
{
    if (force->dimension == 2)
        return force->strength / (BW_NOISE_SLOPE * 1.4142136f) *
               (axis == 0 ? potential_slope(force, point, 2, 1, h) : -potential_slope(force, point, 2, 0, h));
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    return force->strength / (BW_NOISE_SLOPE * 2.4494897f) *
           (potential_slope(force, point, last, next, h) - potential_slope(force, point, next, last, h));
}

static float force_at(const BwForce *force, BwVec3 point, float u, int axis, float dt, float h)
{
    if (force->shape != NULL && bw_shape_distance(force->shape, point) > 0.0f)
        return 0.0f;
    BwVec3 away = bw_sub(point, force->center);
    switch (force->field) {
    case BW_FORCE_UNIFORM:
        return bw_component(force->acceleration, axis);
    case BW_FORCE_POINT:
        return force->strength * falloff(bw_length(away), force->radius) *
               bw_component(bw_normalize(away), axis);
    case BW_FORCE_VORTEX: {
        BwVec3 round = bw_cross(bw_normalize(force->axis), away);
        return force->strength * falloff(bw_length(round), force->radius) *
               bw_component(bw_normalize(round), axis);
    }
    case BW_FORCE_DRAG: // exact over the step, so that no rate turns the flow round
        return u * (expf(-force->strength * dt) - 1.0f) / dt;
    case BW_FORCE_TURBULENCE:
        return bw_turbulence_at(force, point, axis, h);
    }
    return 0.0f;
}

static void forces_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Forces *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const BwField *field = &job->velocity->u[job->axis];
        float *u = bw_field_tile(field, slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            if (!bw_bit(bw_mask_tile(&job->faces[job->axis], slot), c))
                continue;
            BwVec3 point = bw_sample_position(grid, grid->tiles[slot].coord, c, field->location);
            for (int f = 0; f < job->count; f++)
                u[c] += job->dt * force_at(&job->forces[f], point, u[c], job->axis, job->dt, grid->cell_size);
        }
    }
}

float bw_force_max(const BwForce *force)
{
    switch (force->field) {
    case BW_FORCE_UNIFORM:
        return bw_length(force->acceleration);
    case BW_FORCE_POINT:
    case BW_FORCE_VORTEX:
        return fabsf(force->strength);
    case BW_FORCE_TURBULENCE:
        return BW_TURBULENCE_PEAK * fabsf(force->strength);
    case BW_FORCE_DRAG:
        return 0.0f;
    }
    return INFINITY; // a field that is not here has no bound yet
}

void bw_add_forces(const BwDomain *domain, const BwMask faces[3], BwVelocity *velocity, const BwForce *forces,
                   int count, float dt)
{
    for (int a = 0; a < domain->grid->dimension && count > 0; a++) {
        Forces job = {domain, faces, velocity, forces, count, a, dt};
        bw_parallel_for(domain->pool, domain->grid->tile_count, 16, forces_range, &job);
    }
}

typedef struct Push {
    const BwGrid *grid;
    const BwMask *faces;
    BwField *u;
    float change; // m/s
} Push;

static void push_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Push *job = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = job->grid->order[n];
        float *u = bw_field_tile(job->u, slot);
        const uint64_t *faces = bw_mask_tile(job->faces, slot);
        for (int c = 0; c < job->grid->tile_cells; c++)
            u[c] += bw_bit(faces, c) ? job->change : 0.0f;
    }
}

void bw_add_gravity(const BwDomain *domain, const BwMask faces[3], BwVelocity *velocity, BwVec3 gravity,
                    float dt)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        Push job = {domain->grid, &faces[a], &velocity->u[a], dt * bw_component(gravity, a)};
        if (job.change != 0.0f)
            bw_parallel_for(domain->pool, domain->grid->tile_count, 64, push_range, &job);
    }
}

typedef struct Wind {
    const BwDomain *domain;
    BwField *u;
    int axis;
    float wind, part;
} Wind;

// Faces between fluid and the air of the rim.
static void wind_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Wind *job = context;
    const BwDomain *domain = job->domain;
    const BwGrid *grid = domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        float *u = bw_field_tile(job->u, slot);
        for (int k = 0; k < grid->layers; k++) {
            uint64_t both = bw_mask_tile(&domain->fluid, slot)[k] &
                            bw_bits_beside(grid, &domain->fluid, slot, 2 * job->axis, k);
            uint64_t rim = bw_mask_tile(&domain->flow[job->axis], slot)[k] & ~both;
            for (; rim != 0; rim &= rim - 1) {
                float *value = &u[BW_TILE_LAYER * k + __builtin_ctzll(rim)];
                *value += job->part * (job->wind - *value);
            }
        }
    }
}

void bw_add_wind(const BwDomain *domain, BwVelocity *velocity, BwVec3 wind, float rate, float dt)
{
    float part = rate * dt < 1.0f ? rate * dt : 1.0f;
    for (int a = 0; a < domain->grid->dimension; a++) {
        Wind job = {domain, &velocity->u[a], a, bw_component(wind, a), part};
        bw_parallel_for(domain->pool, domain->grid->tile_count, 64, wind_range, &job);
    }
}
