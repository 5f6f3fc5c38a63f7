// Loops over whole fields. Searches give the same answer for any number of workers: the first in the grid's
// order.
#include "operate/field_math.h"

#include "base/extremes.h"
#include <math.h>
#include <string.h>

typedef struct Pair {
    const BwGrid *grid;
    const BwField *from;
    BwField *to;
    float factor;
} Pair;

static void copy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Pair *job = context;
    for (int64_t n = begin; n < end; n++)
        memcpy(bw_field_tile(job->to, job->grid->order[n]), bw_field_tile(job->from, job->grid->order[n]),
               (size_t)job->grid->tile_cells * sizeof(float));
}

void bw_velocity_copy(const BwDomain *domain, const BwVelocity *from, BwVelocity *to)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        Pair job = {domain->grid, &from->u[a], &to->u[a], 1.0f};
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, copy_range, &job);
    }
}

typedef struct Difference {
    const BwField *what, *from;
} Difference;

static void subtract_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Difference *job = context;
    const BwGrid *grid = job->from->store.grid;
    for (int64_t m = begin; m < end; m++) {
        const float *what = bw_field_tile(job->what, grid->order[m]);
        float *from = bw_field_tile(job->from, grid->order[m]);
        for (int n = 0; n < grid->tile_cells; n++)
            from[n] -= what[n];
    }
}

void bw_velocity_subtract(const BwDomain *domain, const BwVelocity *what, BwVelocity *from)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        Difference job = {&what->u[a], &from->u[a]};
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, subtract_range, &job);
    }
}

static void clear_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwField *field = context;
    const BwGrid *grid = field->store.grid;
    for (int64_t n = begin; n < end; n++)
        memset(bw_field_tile(field, grid->order[n]), 0, (size_t)grid->tile_cells * sizeof(float));
}

void bw_velocity_clear(const BwDomain *domain, BwVelocity *velocity)
{
    for (int a = 0; a < domain->grid->dimension; a++)
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, clear_range, &velocity->u[a]);
}

void bw_field_clear(const BwDomain *domain, BwField *field)
{
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, clear_range, field);
}

void bw_velocity_swap(BwVelocity *a, BwVelocity *b)
{
    for (int n = 0; n < a->u[0].store.grid->dimension; n++)
        bw_field_swap(&a->u[n], &b->u[n]);
}

static void scale_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Pair *job = context;
    for (int64_t m = begin; m < end; m++) {
        const float *restrict from = bw_field_tile(job->from, job->grid->order[m]);
        float *restrict to = bw_field_tile(job->to, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            to[n] = job->factor * from[n];
    }
}

void bw_field_scale(const BwDomain *domain, const BwField *from, float factor, BwField *to)
{
    Pair job = {domain->grid, from, to, factor};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, scale_range, &job);
}

void bw_field_add(const BwDomain *domain, const BwField *more, BwField *to)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        float *values = bw_field_tile(to, grid->order[m]);
        const float *added = bw_field_tile(more, grid->order[m]);
        for (int n = 0; n < grid->tile_cells; n++)
            values[n] += added[n];
    }
}

typedef struct Range {
    const BwGrid *grid;
    const BwField *from;
    BwField *to;
    float low, high;
} Range;

static void normalize_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Range *job = context;
    float per_unit = 1.0f / (job->high - job->low);
    for (int64_t m = begin; m < end; m++) {
        const float *restrict from = bw_field_tile(job->from, job->grid->order[m]);
        float *restrict to = bw_field_tile(job->to, job->grid->order[m]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            to[n] = per_unit * (from[n] - job->low);
    }
}

void bw_field_normalize(const BwDomain *domain, const BwField *from, float low, float high, BwField *to)
{
    Range job = {domain->grid, from, to, low, high};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, normalize_range, &job);
}

void bw_mask_clear(const BwDomain *domain, BwMask *mask)
{
    const BwGrid *grid = domain->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        memset(bw_mask_tile(mask, grid->order[n]), 0, (size_t)grid->layers * sizeof(uint64_t));
}

void bw_field_range(const BwField *field, float *low, float *high)
{
    const BwGrid *grid = field->store.grid;
    *low = *high = 0.0f;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const float *values = bw_field_tile(field, grid->order[n]);
        for (int c = 0; c < grid->tile_cells; c++) {
            *low = bw_bit(grid->tiles[grid->order[n]].live, c) ? bw_smaller(*low, values[c]) : *low;
            *high = bw_larger(*high, values[c]);
        }
    }
}

// A value is not finite when its exponent is all ones; this form of the test is one that compilers make
// vectors of.
static bool is_tile_finite(const float *values, int count)
{
    uint32_t found = 0;
    for (int c = 0; c < count; c++) {
        uint32_t bits;
        memcpy(&bits, &values[c], sizeof bits);
        found |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return found == 0;
}

// Minus the rank of the first tile that holds a number that is not finite; minus infinity where all are well.
static double bad_tile_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwField *field = context;
    const BwGrid *grid = field->store.grid;
    for (int64_t n = begin; n < end; n++)
        if (!is_tile_finite(bw_field_tile(field, grid->order[n]), grid->tile_cells))
            return -(double)n;
    return -(double)INFINITY;
}

BwBadNumber bw_field_find_bad(const BwDomain *domain, const BwField *field)
{
    const BwGrid *grid = domain->grid;
    double worst =
        bw_parallel_max(domain->pool, grid->tile_count, 64, bad_tile_range, (void *)(uintptr_t)field);
    if (!isfinite(worst))
        return (BwBadNumber){0};
    int32_t slot = grid->order[(int64_t)-worst];
    const float *values = bw_field_tile(field, slot);
    int c = 0;
    while (isfinite(values[c]))
        c++;
    return (BwBadNumber){true, values[c],
                         bw_sample_position(grid, grid->tiles[slot].coord, c, field->location)};
}

BwVec3 bw_velocity_fastest_place(const BwGrid *grid, const BwVelocity *velocity)
{
    BwVec3 place = {0};
    float most = -1.0f;
    for (int a = 0; a < grid->dimension; a++)
        for (int32_t n = 0; n < grid->tile_count; n++) {
            const BwField *u = &velocity->u[a];
            const float *values = bw_field_tile(u, grid->order[n]);
            for (int c = 0; c < grid->tile_cells; c++) {
                if (!(fabsf(values[c]) > most) || !bw_bit(grid->tiles[grid->order[n]].live, c))
                    continue;
                most = fabsf(values[c]);
                place = bw_sample_position(grid, grid->tiles[grid->order[n]].coord, c, u->location);
            }
        }
    return place;
}

typedef struct Speed {
    const BwGrid *grid;
    const BwVelocity *velocity;
} Speed;

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Speed *job = context;
    double most = 0.0;
    for (int64_t n = begin; n < end; n++)
        for (int c = 0; c < job->grid->tile_cells; c++) {
            double sum = 0.0;
            for (int a = 0; a < job->grid->dimension; a++)
                sum += pow((double)bw_field_tile(&job->velocity->u[a], job->grid->order[n])[c], 2.0);
            most = fmax(most, sum);
        }
    return sqrt(most);
}

double bw_centred_speed_max(const BwGrid *grid, BwPool *pool, const BwVelocity *velocity)
{
    Speed job = {grid, velocity};
    return bw_parallel_max(pool, grid->tile_count, 16, speed_range, &job);
}
