// Loops over the cells beside the surface.
#include "operate/surface_pressure.h"

#include "grid/bits.h"

#include <math.h>
#include <string.h>

// The cells of a layer that have liquid on one side and air on another, or are the other way round.
static uint64_t surface_bits(const BwDomain *domain, const BwMask *liquid, int32_t slot, int k)
{
    const BwGrid *grid = domain->grid;
    uint64_t wet = bw_mask_tile(liquid, slot)[k], dry = bw_mask_tile(&domain->open, slot)[k] & ~wet,
             found = 0;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        uint64_t wet_beside = bw_bits_beside(grid, liquid, slot, side, k),
                 open_beside = bw_bits_beside(grid, &domain->open, slot, side, k);
        found |= (wet & open_beside & ~wet_beside) | (dry & wet_beside);
    }
    return found;
}

static BwResult load_at(const BwPressureLoad *load, BwVec3 point, float *sum, BwError *err)
{
    float value[4];
    if (load->shape != NULL && !(bw_shape_distance(load->shape, point) < 0.0f))
        return BW_OK;
    if (load->function != NULL)
        BW_TRY(bw_curve_at_place(load->function, point, load->time, value, err));
    else
        value[0] = load->amplitude * cosf(bw_dot(load->wave, point) - load->phase);
    *sum += load->share * value[0];
    return BW_OK;
}

static BwResult find_in_layer(float *pressure, const BwDomain *domain, int32_t slot, int first, uint64_t bits,
                              const BwPressureLoad *loads, int count, BwError *err)
{
    const BwGrid *grid = domain->grid;
    for (int n = 0; n < BW_TILE_LAYER && bits >> n != 0; n++) {
        BwVec3 point = bw_sample_position(grid, grid->tiles[slot].coord, first + n, BW_AT_CELL);
        for (int load = 0; load < count && (bits >> n & 1); load++)
            BW_TRY(load_at(&loads[load], point, &pressure[first + n], err));
    }
    return BW_OK;
}

// The most that surface cells of a layer differ from those beside them on their low sides.
static float difference_in_layer(const BwField *pressure, const BwDomain *domain, const BwMask *liquid,
                                 int32_t slot, int k)
{
    const BwGrid *grid = domain->grid;
    const float *values = bw_field_tile(pressure, slot);
    uint64_t bits = surface_bits(domain, liquid, slot, k);
    float most = 0.0f;
    for (int n = 0; n < BW_TILE_LAYER && bits >> n != 0; n++)
        for (int axis = 0; axis < grid->dimension && (bits >> n & 1); axis++) {
            int beside = BW_TILE_LAYER * k + n;
            int32_t tile = bw_cell_beside(grid, slot, &beside, 2 * axis);
            if (surface_bits(domain, liquid, tile, beside >> 6) >> (beside & 63) & 1)
                most =
                    fmaxf(most, fabsf(values[BW_TILE_LAYER * k + n] - bw_field_tile(pressure, tile)[beside]));
        }
    return most;
}

BwResult bw_surface_pressure_find(BwField *pressure, const BwDomain *domain, const BwMask *liquid,
                                  const BwPressureLoad *loads, int count, float *slope, BwError *err)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        float *values = bw_field_tile(pressure, slot);
        memset(values, 0, (size_t)grid->tile_cells * sizeof *values);
        for (int k = 0; k < grid->layers; k++)
            BW_TRY(find_in_layer(values, domain, slot, BW_TILE_LAYER * k,
                                 surface_bits(domain, liquid, slot, k), loads, count, err));
    }
    float most = 0.0f;
    for (int32_t m = 0; m < grid->tile_count; m++)
        for (int k = 0; k < grid->layers; k++)
            most = fmaxf(most, difference_in_layer(pressure, domain, liquid, grid->order[m], k));
    *slope = most / grid->cell_size;
    return BW_OK;
}
