// What the files of assembly share: the job, and arrays of a tile moved by one cell along an axis, the rim
// taken from the tile beside, so that loops stay plain.
#pragma once

#include "grid/bits.h"
#include "poisson/assemble.h"
#include <string.h>

#define BW_ASSEMBLE_CELLS (BW_TILE * BW_TILE_LAYER)

typedef struct BwAssembleJob {
    const BwGrid *grid;
    BwPressureSystem *system;
    const BwPressureTerms *terms;
    BwField *const *velocity;
} BwAssembleJob;

static inline int32_t bw_slot_low(const BwAssembleJob *job, int32_t slot, int axis)
{
    return job->grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis]];
}

static inline int32_t bw_slot_high(const BwAssembleJob *job, int32_t slot, int axis)
{
    return job->grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis + 1]];
}

// For each cell the value of the next one along the axis; at the rim that of the first in the tile behind.
static inline void bw_move_from_high(const BwAssembleJob *job, int axis, const double *own,
                                     const double *behind, double *out)
{
    int run = 1 << (3 * axis), line = BW_TILE * run;
    for (int first = 0; first < job->grid->tile_cells; first += line) {
        memcpy(out + first, own + first + run, (size_t)(line - run) * sizeof *out);
        memcpy(out + first + line - run, behind + first, (size_t)run * sizeof *out);
    }
}

// The same from the other side.
static inline void bw_move_from_low(const BwAssembleJob *job, int axis, const double *own,
                                    const double *before, double *out)
{
    int run = 1 << (3 * axis), line = BW_TILE * run;
    for (int first = 0; first < job->grid->tile_cells; first += line) {
        memcpy(out + first + run, own + first, (size_t)(line - run) * sizeof *out);
        memcpy(out + first, before + first + line - run, (size_t)run * sizeof *out);
    }
}

static inline void bw_widen(const float *values, int count, double *out)
{
    for (int n = 0; n < count; n++)
        out[n] = (double)values[n];
}

// Values of a cell field and those of the low neighbours along an axis.
static inline void bw_own_and_low(const BwAssembleJob *job, const BwField *field, int32_t slot, int axis,
                                  double *own, double *low)
{
    double before[BW_ASSEMBLE_CELLS];
    int cells = job->grid->tile_cells;
    bw_widen(bw_field_tile(field, slot), cells, own);
    bw_widen(bw_field_tile(field, bw_slot_low(job, slot, axis)), cells, before);
    bw_move_from_low(job, axis, own, before, low);
}

// Which cells of a layer hold fluid, and which of their low neighbours do.
typedef struct BwFluidBits {
    uint64_t own, low;
} BwFluidBits;

static inline BwFluidBits bw_fluid_bits(const BwAssembleJob *job, int32_t slot, int axis, int k)
{
    const BwMask *fluid = job->terms->fluid;
    return (BwFluidBits){bw_mask_tile(fluid, slot)[k], bw_bits_beside(job->grid, fluid, slot, 2 * axis, k)};
}

// Whether k is 1 on every face that borders fluid.
static inline bool bw_conductance_is_plain(const BwAssembleJob *job)
{
    return job->terms->phi == NULL && job->terms->density == NULL;
}

// Whether x changes by a given amount across some faces.
static inline bool bw_has_offsets(const BwAssembleJob *job)
{
    return job->terms->surface != NULL || job->terms->pressure_jump != NULL;
}

// k of the low faces of a tile that border fluid, 0 of the others (poisson/interface.c).
void bw_conductance_of_tile(const BwAssembleJob *job, int axis, int32_t slot, float *k_face);

// What x gains from the low neighbour to the cell itself where the pressure has no gradient: across a face
// that an interface crosses the jump; across one to a free surface its x, for the solver has 0 beyond it.
// False where it gains nothing in all of the tile; `offset` is not written then.
bool bw_offset_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double *offset);

// The velocity of a face that an interface of two fluids crosses belongs to the fluid that the face's centre
// is in. What the cell itself and its low neighbour have to add to it, where they hold the other one.
typedef struct BwGhostVelocity {
    int n; // the cell whose low face it is
    double for_own, for_low;
} BwGhostVelocity;

// Those of all low faces of a tile that are crossed, in order, and how many there are.
int bw_ghost_velocities_of_tile(const BwAssembleJob *job, int axis, int32_t slot,
                                BwGhostVelocity list[BW_ASSEMBLE_CELLS]);

// Net outflow of all cells of a tile, m/s, less what they are asked to let out (poisson/outflow.c). `driven`
// adds the flow that offsets of x cause; the coefficients must be known then.
void bw_outflow_of_tile(const BwAssembleJob *job, int32_t slot, bool driven, double *sum);
