// Sums and extremes of fields, in block order, so that they do not depend on the number of workers.
#include "domain/measure.h"

#include "base/extremes.h"

#include <math.h>
#include <string.h>

typedef struct Measure {
    const BwDomain *domain;
    const BwField *field;
    const BwMask *valid;
    float neutral;
} Measure;

// A size by its bits: for positive numbers they lie in the same order, so that vectors compare them; those of
// NaN lie above all others, and NaN must come out as NaN.
static inline uint32_t size_bits(float away)
{
    uint32_t bits;
    memcpy(&bits, &away, sizeof bits);
    return bits & 0x7fffffffu;
}

// Layers without gaps, nearly all of them, run without looking at bits.
static float layer_max(const float *restrict values, uint64_t valid, float neutral)
{
    uint32_t most = 0;
    for (int c = 0; c < BW_TILE_LAYER && valid == ~(uint64_t)0; c++) {
        uint32_t bits = size_bits(values[c] - neutral);
        most = bits > most ? bits : most;
    }
    for (int c = 0; c < BW_TILE_LAYER && valid != ~(uint64_t)0; c++) {
        uint32_t bits = valid >> c & 1 ? size_bits(values[c] - neutral) : 0;
        most = bits > most ? bits : most;
    }
    float size;
    memcpy(&size, &most, sizeof size);
    return size;
}

static double layer_total(const float *restrict values, uint64_t valid, float neutral)
{
    double sum = 0.0;
    for (int c = 0; c < BW_TILE_LAYER; c++)
        sum += valid >> c & 1 ? (double)values[c] - (double)neutral : 0.0;
    return sum;
}

static double max_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Measure *job = context;
    const BwGrid *grid = job->domain->grid;
    float most = 0.0f;
    for (int64_t n = begin; n < end; n++) {
        const float *values = bw_field_tile(job->field, grid->order[n]);
        const uint64_t *valid = bw_words(grid, job->valid, grid->order[n]);
        for (int k = 0; k < grid->layers; k++) {
            float size = layer_max(values + BW_TILE_LAYER * k, valid[k], job->neutral);
            most = size > most || isnan(size) ? size : most;
        }
    }
    return (double)most;
}

static double total_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Measure *job = context;
    const BwGrid *grid = job->domain->grid;
    double total = 0.0;
    for (int64_t n = begin; n < end; n++) {
        const float *values = bw_field_tile(job->field, grid->order[n]);
        const uint64_t *valid = bw_words(grid, job->valid, grid->order[n]);
        for (int k = 0; k < grid->layers; k++)
            total += layer_total(values + BW_TILE_LAYER * k, valid[k], job->neutral);
    }
    return total;
}

float bw_field_max_abs(const BwDomain *domain, const BwField *field, const BwMask *valid, float neutral)
{
    Measure job = {domain, field, valid, neutral};
    float most = (float)bw_parallel_max(domain->pool, domain->grid->tile_count, 32, max_range, &job);
    return most > 0.0f || isnan(most) ? most : 0.0f;
}

float bw_velocity_max(const BwDomain *domain, const BwVelocity *velocity)
{
    float sum = 0.0f;
    double exact = 0.0; // squares past 1.8e19 m/s are no floats
    for (int a = 0; a < domain->grid->dimension; a++) {
        float most = bw_field_max_abs(domain, &velocity->u[a], &domain->face[a], 0.0f);
        sum += most * most;
        exact += (double)most * (double)most;
    }
    return isinf(sum) ? bw_speed_of_square(exact) : sqrtf(sum);
}

double bw_cell_volume(const BwGrid *grid)
{
    double h = (double)grid->cell_size;
    return grid->dimension == 3 ? h * h * h : h * h;
}

double bw_field_total(const BwDomain *domain, const BwField *field, const BwMask *valid, float neutral)
{
    Measure job = {domain, field, valid, neutral};
    return bw_parallel_sum(domain->pool, domain->grid->tile_count, 32, total_range, &job) *
           bw_cell_volume(domain->grid);
}
