// What the core holds in all.
#include "particle/core.h"

#include "base/extremes.h"
#include "grid/bits.h"

#include <math.h>

typedef struct Sum {
    const BwCore *core;
    const BwGrid *grid;
    const BwVelocity *velocity;
} Sum;

static float square_of(const Sum *sum, int32_t slot, int cell)
{
    float square = 0.0f;
    for (int a = 0; a < sum->grid->dimension; a++) {
        const BwField *u = &sum->velocity->u[a];
        float mean = 0.5f * (bw_field_tile(u, slot)[cell] + bw_value_beside(u, slot, cell, 2 * a + 1));
        square += mean * mean;
    }
    return square;
}

// The same for speeds past 1.8e19 m/s, whose squares are no floats.
static double huge_square_of(const Sum *sum, int32_t slot, int cell)
{
    double square = 0.0;
    for (int a = 0; a < sum->grid->dimension; a++) {
        const BwField *u = &sum->velocity->u[a];
        double mean =
            0.5 * ((double)bw_field_tile(u, slot)[cell] + (double)bw_value_beside(u, slot, cell, 2 * a + 1));
        square += mean * mean;
    }
    return square;
}

static double volume_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    double volume = 0.0;
    for (int64_t m = begin; m < end; m++) {
        const float *excess = bw_field_tile(&sum->core->excess, sum->grid->order[m]);
        for (int n = 0; n < sum->grid->tile_cells; n++)
            volume += excess[n] != BW_NOT_CORE ? 1.0 + (double)excess[n] : 0.0;
    }
    return volume;
}

static double energy_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    double energy = 0.0;
    for (int64_t m = begin; m < end; m++) {
        const float *excess = bw_field_tile(&sum->core->excess, sum->grid->order[m]);
        for (int n = 0; n < sum->grid->tile_cells; n++)
            if (excess[n] != BW_NOT_CORE)
                energy += 0.5 * (1.0 + (double)excess[n]) * (double)square_of(sum, sum->grid->order[m], n);
    }
    return energy;
}

typedef struct Fastest {
    float square; // (m/s)^2
    double exact; // where that is past the floats
} Fastest;

static void note_speed(Fastest *fastest, const Sum *sum, int32_t slot, int cell)
{
    float square = square_of(sum, slot, cell);
    fastest->square = bw_larger(fastest->square, square);
    if (isinf(square))
        fastest->exact = fmax(fastest->exact, huge_square_of(sum, slot, cell));
}

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Sum *sum = context;
    Fastest fastest = {0};
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < sum->grid->layers; k++)
            for (uint64_t bits = bw_mask_tile(&sum->core->full, sum->grid->order[m])[k]; bits != 0;
                 bits &= bits - 1)
                note_speed(&fastest, sum, sum->grid->order[m], BW_TILE_LAYER * k + __builtin_ctzll(bits));
    return (double)(isinf(fastest.square) ? bw_speed_of_square(fastest.exact) : sqrtf(fastest.square));
}

double bw_core_volume(const BwCore *core)
{
    Sum sum = {core, core->excess.store.grid, NULL};
    return core->left_over + bw_parallel_sum(sum.grid->pool, sum.grid->tile_count, 64, volume_range, &sum);
}

double bw_core_kinetic_energy(const BwCore *core, const BwVelocity *velocity)
{
    Sum sum = {core, core->excess.store.grid, velocity};
    return bw_parallel_sum(sum.grid->pool, sum.grid->tile_count, 64, energy_range, &sum);
}

float bw_core_max_speed(const BwCore *core, const BwVelocity *velocity)
{
    Sum sum = {core, core->excess.store.grid, velocity};
    if (sum.grid->tile_count == 0)
        return 0.0f;
    return (float)bw_parallel_max(sum.grid->pool, sum.grid->tile_count, 64, speed_range, &sum);
}
