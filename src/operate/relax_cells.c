// Sweeps of the relaxation. A cell reads and writes its own sides alone.
#include "operate/relax_cells.h"

#include <math.h>

typedef struct Job {
    const BwRelaxation *relaxation;
    BwVelocity *velocity;
    BwField *pressure;
    int color;
} Job;

// The cells of a layer of one colour: every other one, the next row and layer shifted.
static uint64_t color_bits(int color, int k)
{
    return (color + k) % 2 == 0 ? UINT64_C(0xAA55AA55AA55AA55) : UINT64_C(0x55AA55AA55AA55AA);
}

// A tile's velocities, with those behind its high sides.
typedef struct Sides {
    float *own[3], *behind[3];
    uint64_t moves[6];
} Sides;

static Sides sides_of(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->relaxation->domain->grid;
    Sides sides = {0};
    for (int a = 0; a < grid->dimension; a++) {
        const BwMask *moves = &job->relaxation->surface->moves[a];
        sides.own[a] = bw_field_tile(&job->velocity->u[a], slot);
        sides.behind[a] =
            bw_field_tile(&job->velocity->u[a], grid->tiles[slot].neighbour[bw_side_neighbour[2 * a + 1]]);
        sides.moves[2 * a] = bw_mask_tile(moves, slot)[k];
        sides.moves[2 * a + 1] = bw_bits_beside(grid, moves, slot, 2 * a + 1, k);
    }
    return sides;
}

static inline float *high_side(const Sides *sides, int axis, int cell)
{
    int last = 7 << (3 * axis), step = 1 << (3 * axis);
    return (cell & last) == last ? &sides->behind[axis][cell - last] : &sides->own[axis][cell + step];
}

// Gives the cell's divergence beyond what is asked, before it was changed, 1/s.
static double relax_cell(const Job *job, const Sides *sides, int cell, float asked, float *pressure)
{
    const BwRelaxation *relaxation = job->relaxation;
    int axes = relaxation->domain->grid->dimension, count = 0, bit = cell % BW_TILE_LAYER;
    float h = relaxation->domain->grid->cell_size, sum = 0.0f;
    for (int a = 0; a < axes; a++)
        sum += *high_side(sides, a, cell) - sides->own[a][cell];
    for (int s = 0; s < 2 * axes; s++)
        count += (int)(sides->moves[s] >> bit & 1);
    float divergence = sum / h - asked;
    if (count == 0)
        return 0.0;
    // dt / h times the change of pressure, which is -beta times the divergence.
    float push = -relaxation->factor * h / (float)count * divergence;
    *pressure += push * h / relaxation->dt;
    for (int a = 0; a < axes; a++) {
        if (sides->moves[2 * a] >> bit & 1)
            sides->own[a][cell] -= push;
        if (sides->moves[2 * a + 1] >> bit & 1)
            *high_side(sides, a, cell) += push;
    }
    return fabs((double)divergence);
}

static double relax_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->relaxation->domain->grid;
    const BwField *asked = job->relaxation->divergence;
    double most = 0.0;
    for (int64_t n = begin; n < end; n++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[n];
            uint64_t cells =
                bw_mask_tile(&job->relaxation->surface->full, slot)[k] & color_bits(job->color, k);
            if (cells == 0)
                continue;
            Sides sides = sides_of(job, slot, k);
            float *pressure = bw_field_tile(job->pressure, slot);
            const float *wanted = asked != NULL ? bw_field_tile(asked, slot) : NULL;
            for (; cells != 0; cells &= cells - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(cells);
                double found =
                    relax_cell(job, &sides, cell, wanted != NULL ? wanted[cell] : 0.0f, &pressure[cell]);
                most = found > most || isnan(found) ? found : most;
            }
        }
    return most;
}

BwRelaxationReport bw_relax_cells(const BwRelaxation *relaxation, BwVelocity *velocity, BwField *pressure)
{
    const BwDomain *domain = relaxation->domain;
    BwRelaxationReport report = {0};
    while (report.sweeps < relaxation->sweeps_max && !report.has_converged) {
        double most = 0.0;
        for (int color = 0; color < 2; color++) {
            Job job = {relaxation, velocity, pressure, color};
            double found = bw_parallel_max(domain->pool, domain->grid->tile_count, 4, relax_range, &job);
            most = found > most || isnan(found) ? found : most;
        }
        report.first = report.sweeps == 0 ? most : report.first;
        report.last = most;
        report.sweeps++;
        report.has_converged = most < relaxation->epsilon;
        if (isnan(most))
            return report;
    }
    return report;
}
