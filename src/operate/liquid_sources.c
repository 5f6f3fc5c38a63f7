// Few cells are near a source, so all of this goes tile by tile, one after the other.
#include "operate/liquid_sources.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "grid/bits.h"
#include "solid/shape_file.h"

#include <math.h>
#include <string.h>

static float plate_distance(const BwGrid *grid, int32_t slot, int cell, const BwShape *shape)
{
    BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
    return bw_shape_plate_distance(shape, center, 0.5f * grid->cell_size);
}

// Whether a shape reaches into a tile.
static bool is_near(const BwGrid *grid, int32_t slot, const BwShape *shape)
{
    BwStamp stamp = {.shape = shape, .pose = bw_pose_identity(), .plate = grid->cell_size};
    return bw_stamp_is_near(grid, grid->tiles[slot].coord, &stamp);
}

void bw_liquid_carve(BwField *phi, BwMask *liquid, const BwDomain *domain, const BwShape *shape)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        float *values = bw_field_tile(phi, slot);
        if (!is_near(grid, slot, shape))
            continue;
        for (int n = 0; n < grid->tile_cells; n++)
            values[n] = bw_larger(values[n], -plate_distance(grid, slot, n, shape));
    }
    bw_mark_liquid(liquid, phi, domain->pool);
}

// The cell that a point is in, and its tile; 0 where none is awake.
static int32_t find_cell(const BwGrid *grid, BwVec3 point, int *cell)
{
    int32_t tile[3] = {0};
    *cell = 0;
    for (int a = 0; a < grid->dimension; a++) {
        int32_t at = (int32_t)floor((double)bw_component(point, a) / (double)grid->cell_size);
        tile[a] = at >> 3;
        *cell += (at & 7) << (3 * a);
    }
    return bw_grid_find(grid, (BwTileCoord){tile[0], tile[1], tile[2]});
}

BwPointKind bw_liquid_kind_at(const BwField *phi, const BwDomain *domain, BwVec3 point)
{
    int cell;
    int32_t slot = find_cell(domain->grid, point, &cell);
    if (slot == 0)
        return domain->grid->has_bounds ? BW_POINT_BLOCKED : BW_POINT_AIR;
    if (!bw_bit(bw_mask_tile(&domain->open, slot), cell))
        return BW_POINT_BLOCKED;
    return bw_field_tile(phi, slot)[cell] < 0.0f ? BW_POINT_LIQUID : BW_POINT_AIR;
}

void bw_divergence_clear(BwField *divergence, const BwDomain *domain)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++)
        memset(bw_field_tile(divergence, grid->order[m]), 0, (size_t)grid->tile_cells * sizeof(float));
}

void bw_divergence_add_point(BwField *divergence, const BwDomain *domain, BwVec3 point, double flow)
{
    int cell;
    int32_t slot = find_cell(domain->grid, point, &cell);
    if (slot != 0 && bw_bit(bw_mask_tile(&domain->fluid, slot), cell))
        bw_field_tile(divergence, slot)[cell] += (float)(flow / bw_cell_volume(domain->grid));
}

// A face of the cell at a point, that a stream leaves by or comes in by; 0 where there is none awake.
static int32_t mouth_face(const BwGrid *grid, BwVec3 point, BwVec3 stream, bool is_front, int *axis,
                          int *face)
{
    int32_t slot = find_cell(grid, point, face);
    *axis = 0;
    for (int a = 1; a < grid->dimension; a++)
        if (fabsf(bw_component(stream, a)) > fabsf(bw_component(stream, *axis)))
            *axis = a;
    bool is_high = (bw_component(stream, *axis) > 0.0f) == is_front;
    return slot != 0 && is_high ? bw_cell_beside(grid, slot, face, 2 * *axis + 1) : slot;
}

// The part of a cell that a mouth covers so that its stream is that of the cell.
static const float mouth_part = 0.7f;

void bw_mouth_prescribe(BwPrescribed *prescribed, const BwDomain *domain, BwVelocity *velocity,
                        const BwField *divergence, BwVec3 point, BwVec3 stream)
{
    const BwGrid *grid = domain->grid;
    int axis, face, cell;
    int32_t tile = mouth_face(grid, point, stream, true, &axis, &face), slot = find_cell(grid, point, &cell);
    float speed = bw_component(stream, axis);
    if (tile == 0 || !bw_bit(bw_mask_tile(&domain->flow[axis], tile), face) ||
        bw_field_tile(divergence, slot)[cell] * grid->cell_size < mouth_part * fabsf(speed))
        return;
    bw_field_tile(&velocity->u[axis], tile)[face] = speed;
    bw_mask_tile(&prescribed->face[axis], tile)[face >> 6] |= (uint64_t)1 << (face & 63);
    prescribed->has_any = true;
}

void bw_mouth_hold(BwPrescribed *prescribed, const BwMask passable[3], BwVelocity *velocity, BwVec3 point,
                   BwVec3 stream)
{
    const BwGrid *grid = velocity->u[0].store.grid;
    int cell;
    int32_t slot = find_cell(grid, point, &cell);
    for (int side = 0; side < 2 * grid->dimension && slot != 0; side++) {
        int face = cell, axis = side / 2;
        int32_t tile = side % 2 == 0 ? slot : bw_cell_beside(grid, slot, &face, side);
        if (tile == 0 || !bw_bit(bw_mask_tile(&passable[axis], tile), face))
            continue;
        bw_field_tile(&velocity->u[axis], tile)[face] = bw_component(stream, axis);
        bw_mask_tile(&prescribed->face[axis], tile)[face >> 6] |= (uint64_t)1 << (face & 63);
        prescribed->has_any = true;
    }
}

void bw_mouth_open(const BwDomain *domain, BwVelocity *velocity, BwVec3 point, BwVec3 stream)
{
    int axis, face;
    int32_t tile = mouth_face(domain->grid, point, stream, false, &axis, &face);
    if (tile != 0)
        bw_field_tile(&velocity->u[axis], tile)[face] = bw_component(stream, axis);
}

// The covered cells of a tile that count, as a sum; with a rate, 1/s, they get their share of it.
static double cover_tile(const BwDomain *domain, const BwStamp *stamp, int32_t slot, bool in_liquid_alone,
                         double rate, BwField *divergence)
{
    const BwGrid *grid = domain->grid;
    float found[BW_TILE_CELLS_MAX];
    const float *coverage = bw_stamp_coverage(stamp, grid, slot, BW_AT_CELL, found);
    double sum = 0.0;
    if (coverage == NULL)
        return 0.0;
    const uint64_t *fluid = bw_mask_tile(&domain->fluid, slot), *open = bw_mask_tile(&domain->open, slot);
    float *values = bw_field_tile(divergence, slot);
    for (int n = 0; n < grid->tile_cells; n++) {
        if (!bw_bit(in_liquid_alone ? fluid : open, n))
            continue;
        sum += (double)coverage[n];
        if (rate != 0.0 && bw_bit(fluid, n))
            values[n] += (float)(rate * (double)coverage[n]);
    }
    return sum;
}

double bw_divergence_add_shape(BwField *divergence, const BwDomain *domain, const BwStamp *stamp, double flow,
                               bool in_liquid_alone)
{
    const BwGrid *grid = domain->grid;
    double volume = 0.0;
    bw_coverage_prepare(domain, stamp, BW_AT_CELL);
    for (int32_t m = 0; m < grid->tile_count; m++)
        volume += bw_cell_volume(grid) *
                  cover_tile(domain, stamp, grid->order[m], in_liquid_alone, 0.0, divergence);
    for (int32_t m = 0; m < grid->tile_count && volume > 0.0 && flow != 0.0; m++)
        cover_tile(domain, stamp, grid->order[m], in_liquid_alone, flow / volume, divergence);
    return volume;
}

void bw_divergence_scale_given(BwField *divergence, const BwDomain *domain, double part)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        float *values = bw_field_tile(divergence, grid->order[m]);
        for (int n = 0; n < grid->tile_cells; n++)
            values[n] *= values[n] > 0.0f ? (float)part : 1.0f;
    }
}

double bw_liquid_touched(const BwDomain *domain, const BwStamp *stamp)
{
    const BwGrid *grid = domain->grid;
    float found[BW_TILE_CELLS_MAX];
    int64_t cells = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        const float *coverage = bw_stamp_coverage(stamp, grid, grid->order[m], BW_AT_CELL, found);
        const uint64_t *fluid = bw_mask_tile(&domain->fluid, grid->order[m]);
        for (int n = 0; coverage != NULL && n < grid->tile_cells; n++)
            cells += coverage[n] > 0.0f && bw_bit(fluid, n);
    }
    return (double)cells * bw_cell_volume(grid);
}

double bw_core_drain(BwCore *core, const BwDomain *domain, const BwStamp *stamp, double volume, double taken)
{
    const BwGrid *grid = domain->grid;
    double sum = 0.0, part = volume > 0.0 ? taken / volume : 0.0;
    float found[BW_TILE_CELLS_MAX];
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        const float *coverage = bw_stamp_coverage(stamp, grid, slot, BW_AT_CELL, found);
        float *excess = bw_field_tile(&core->excess, slot);
        for (int n = 0; coverage != NULL && n < grid->tile_cells; n++) {
            if (excess[n] == BW_NOT_CORE || coverage[n] <= 0.0f)
                continue;
            float before = excess[n];
            excess[n] -= (float)(part * (double)coverage[n]);
            sum += (double)before - (double)excess[n]; // as floats have it
        }
    }
    return sum;
}

void bw_core_keep_off(BwCore *core, const BwDomain *domain, BwCellBox box)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m], first[3];
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        bool is_apart = false;
        for (int a = 0; a < grid->dimension; a++)
            is_apart |= first[a] >= box.high[a] || first[a] + BW_TILE <= box.low[a];
        for (int n = 0; n < grid->tile_cells && !is_apart; n++) {
            bool is_in = true;
            for (int a = 0; a < grid->dimension; a++) {
                int32_t at = first[a] + (n >> (3 * a) & 7);
                is_in &= at >= box.low[a] && at < box.high[a];
            }
            if (is_in)
                bw_mask_tile(&core->next, slot)[n >> 6] &= ~((uint64_t)1 << (n & 63));
        }
    }
}

// On the faces of the cell that a point is in, but for those that are spared.
static void set_cell(BwVelocity *velocity, const BwMask *spared, BwVec3 point, BwVec3 value)
{
    const BwGrid *grid = velocity->u[0].store.grid;
    int cell;
    int32_t slot = find_cell(grid, point, &cell);
    for (int side = 0; side < 2 * grid->dimension && slot != 0; side++) {
        int face = cell;
        int32_t tile = side % 2 == 0 ? slot : bw_cell_beside(grid, slot, &face, side);
        if (tile != 0 && (spared == NULL || !bw_bit(bw_mask_tile(&spared[side / 2], tile), face)))
            bw_field_tile(&velocity->u[side / 2], tile)[face] = bw_component(value, side / 2);
    }
}

void bw_velocity_set_around(BwVelocity *velocity, const BwMask known[3], BwVec3 point, BwVec3 value)
{
    const BwGrid *grid = velocity->u[0].store.grid;
    int layers = grid->dimension == 3 ? 3 : 1;
    for (int n = 0; n < 9 * layers; n++) {
        BwVec3 beside =
            bw_vec3((float)(n % 3 - 1), (float)(n / 3 % 3 - 1), layers == 3 ? (float)(n / 9 - 1) : 0.0f);
        set_cell(velocity, known, bw_add(point, bw_mul(beside, grid->cell_size)), value);
    }
    set_cell(velocity, NULL, point, value);
}

// Cells of a tile's layer that have air beside them along a side of the box.
static uint64_t cells_beside_air(const BwDomain *domain, int32_t slot, int side, int k)
{
    const BwGrid *grid = domain->grid;
    uint64_t bits = 0;
    for (int way = 0; way < 2 * grid->dimension; way++)
        if (way / 2 != side / 2)
            bits |= bw_bits_beside(grid, &domain->open, slot, way, k) &
                    ~bw_bits_beside(grid, &domain->fluid, slot, way, k);
    return bits;
}

// The part of a cell at the surface that is wet.
static double wet_part(const BwField *phi, const BwGrid *grid, int32_t slot, int cell)
{
    double below = 0.5 - (double)(bw_field_tile(phi, slot)[cell] / grid->cell_size);
    return fmin(fmax(below, 0.0), 1.0);
}

double bw_liquid_wet_area(const BwField *phi, const BwDomain *domain, int side)
{
    const BwGrid *grid = domain->grid;
    double faces = 0.0;
    for (int64_t n = 0; n < (int64_t)grid->tile_count * grid->layers; n++) {
        int32_t slot = grid->order[n / grid->layers];
        int k = (int)(n % grid->layers);
        uint64_t bits = bw_bits_beside(grid, &domain->inflow, slot, side, k) &
                        ~bw_mask_tile(&domain->inflow, slot)[k] & bw_mask_tile(&domain->fluid, slot)[k];
        uint64_t surface = bits & cells_beside_air(domain, slot, side, k);
        faces += (double)__builtin_popcountll(bits & ~surface);
        for (; surface != 0; surface &= surface - 1)
            faces += wet_part(phi, grid, slot, BW_TILE_LAYER * k + __builtin_ctzll(surface));
    }
    return faces * bw_cell_volume(grid) / (double)grid->cell_size;
}
