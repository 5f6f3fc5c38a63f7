// Buoyancy on faces: each takes the mean of the two cells beside it.
#include "operate/buoyancy.h"

#include "domain/measure.h"
#include <math.h>

float bw_buoyancy_max(const BwBuoyancy *law, const BwDomain *domain, float heat_max, float density_max)
{
    float heat = fabsf(law->heat), weight = fabsf(law->weight);
    if (heat > 0.0f)
        heat_max = fmaxf(heat_max, bw_field_max_abs(domain, law->temperature, &domain->open, law->ambient));
    if (weight > 0.0f)
        density_max = fmaxf(density_max, bw_field_max_abs(domain, law->density, &domain->open, 0.0f));
    return heat * heat_max + weight * density_max;
}

typedef struct Buoyancy {
    const BwDomain *domain;
    BwVelocity *velocity;
    const BwBuoyancy *law;
    int axis;
    float factor; // dt times the component of `down`
} Buoyancy;

// The tile's value and the one a cell lower along an axis, averaged: a cell value brought to its low face.
typedef struct FaceAverage {
    const float *own, *below;
    int stride, first_row_mask;
} FaceAverage;

static FaceAverage face_average(const BwField *field, int32_t slot, int axis)
{
    int32_t beside = field->store.grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis]];
    return (FaceAverage){bw_field_tile(field, slot), bw_field_tile(field, beside),
                         axis == 0   ? 1
                         : axis == 1 ? 8
                                     : 64,
                         axis == 0   ? 7
                         : axis == 1 ? 56
                                     : 448};
}

static float low_neighbour(const FaceAverage *average, int index)
{
    bool is_rim = (index & average->first_row_mask) == 0;
    return is_rim ? average->below[index + average->first_row_mask] : average->own[index - average->stride];
}

// Faces between a cell and one whose middle is in a solid take what the first holds.
static void add_beside_solids(const Buoyancy *job, int32_t slot, int k, FaceAverage *density,
                              FaceAverage *temperature)
{
    const BwDomain *domain = job->domain;
    uint64_t solid = bw_mask_tile(&domain->solid, slot)[k],
             solid_below = bw_bits_beside(domain->grid, &domain->solid, slot, 2 * job->axis, k);
    uint64_t bits = bw_mask_tile(&domain->flow[job->axis], slot)[k] & (solid ^ solid_below);
    float *u = bw_field_tile(&job->velocity->u[job->axis], slot);
    for (; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits), c = BW_TILE_LAYER * k + index;
        bool is_own = solid_below >> index & 1;
        float smoke = is_own ? density->own[c] : low_neighbour(density, c);
        float heat = (is_own ? temperature->own[c] : low_neighbour(temperature, c)) - job->law->ambient;
        u[c] += job->factor * (job->law->weight * smoke - job->law->heat * heat);
    }
}

static void buoyancy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Buoyancy *job = context;
    const BwBuoyancy *law = job->law;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        FaceAverage density = face_average(law->density, slot, job->axis);
        FaceAverage temperature = face_average(law->temperature, slot, job->axis);
        float *u = bw_field_tile(&job->velocity->u[job->axis], slot);
        uint64_t flow[BW_TILE];
        for (int k = 0; k < grid->layers; k++) {
            add_beside_solids(job, slot, k, &density, &temperature);
            flow[k] = bw_mask_tile(&job->domain->flow[job->axis], slot)[k] &
                      ~bw_mask_tile(&job->domain->solid, slot)[k] &
                      ~bw_bits_beside(grid, &job->domain->solid, slot, 2 * job->axis, k);
        }
        for (int c = 0; c < grid->tile_cells; c++) {
            float smoke = 0.5f * (density.own[c] + low_neighbour(&density, c));
            float heat = 0.5f * (temperature.own[c] + low_neighbour(&temperature, c)) - law->ambient;
            float change = job->factor * (law->weight * smoke - law->heat * heat);
            u[c] += bw_bit(flow, c) ? change : 0.0f;
        }
    }
}

void bw_add_buoyancy(const BwDomain *domain, BwVelocity *velocity, const BwBuoyancy *law, float dt)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        Buoyancy job = {domain, velocity, law, a, dt * bw_component(law->down, a)};
        if (job.factor != 0.0f)
            bw_parallel_for(domain->pool, domain->grid->tile_count, 64, buoyancy_range, &job);
    }
}
