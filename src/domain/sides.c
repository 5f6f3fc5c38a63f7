// Sides of the box. Only tiles that touch one do any work.
#include "domain/sides.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"
#include "grid/sample.h"
#include <math.h>

// A part of a side may be a flat shape that lies in it: points this near, in cells, are on it.
static const float flat_part = 1e-3f;

BwBoxSide bw_box_side_plain(void)
{
    return (BwBoxSide){.kind = BW_WALL_CLOSED, .temperature = NAN, .slip = 1.0f};
}

bool bw_box_side_holds(const BwBoxSide *side, const BwGrid *grid, BwVec3 point)
{
    return side->part == NULL || bw_shape_distance(side->part, point) <= flat_part * grid->cell_size;
}

void bw_domain_set_far_walls(const BwDomain *domain)
{
    BwGrid *grid = domain->grid;
    for (int a = 0; a < grid->dimension; a++) {
        const BwBoxSide *side = &domain->side[2 * a + 1];
        // Particles have to get through a part of a side, and are kept from the rest of it by themselves.
        bool is_of_particles = domain->terms != NULL && domain->terms->liquid != NULL;
        bool is_wall = side->kind == BW_WALL_CLOSED || (side->part != NULL && !is_of_particles);
        grid->far_wall[a] = grid->has_bounds && grid->period[a] == 0 && is_wall;
    }
}

// Where along its axis the cells beside a side lie, in cells from the first of the tile; outside 0 to 7 the
// tile does not touch it.
static int64_t layer_beside(const BwGrid *grid, BwTileCoord coord, int side)
{
    int axis = side / 2;
    int32_t first[3];
    bw_tile_first_cell(grid, coord, first);
    return side % 2 == 0 ? (int64_t)grid->bounds.low[axis] - first[axis]
                         : (int64_t)grid->bounds.high[axis] - 1 - first[axis];
}

// The centre of a cell's face on a side.
static BwVec3 on_side(const BwGrid *grid, BwTileCoord coord, int cell, int side)
{
    BwVec3 point = bw_sample_position(grid, coord, cell, BW_AT_CELL);
    float half = side % 2 == 0 ? -0.5f * grid->cell_size : 0.5f * grid->cell_size;
    return bw_add(point, bw_vec3(side / 2 == 0 ? half : 0.0f, side / 2 == 1 ? half : 0.0f,
                                 side / 2 == 2 ? half : 0.0f));
}

BwSideCells bw_side_cells(const BwDomain *domain, int32_t slot, int side, int k)
{
    const BwGrid *grid = domain->grid;
    const BwBoxSide *def = &domain->side[side];
    BwTileCoord coord = grid->tiles[slot].coord;
    int64_t at = layer_beside(grid, coord, side);
    int axis = side / 2;
    if (at < 0 || at >= BW_TILE)
        return (BwSideCells){0};
    uint64_t touching = axis == 0   ? BW_COLUMN << at
                        : axis == 1 ? BW_ROW << (BW_TILE * at)
                        : at == k   ? ~(uint64_t)0
                                    : 0;
    if (def->kind == BW_WALL_CLOSED)
        return (BwSideCells){.closed = touching};
    if (def->part == NULL)
        return (BwSideCells){.opening = touching};
    BwSideCells cells = {.closed = touching};
    for (uint64_t bits = touching; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits);
        bool holds = bw_box_side_holds(def, grid, on_side(grid, coord, BW_TILE_LAYER * k + index, side));
        cells.opening |= (uint64_t)holds << index;
    }
    cells.closed &= ~cells.opening;
    return cells;
}

bool bw_outside_is_clean(const BwDomain *domain, int32_t slot)
{
    const BwGrid *grid = domain->grid;
    for (int side = 0; side < 2 * grid->dimension && grid->has_bounds; side++) {
        const BwBoxSide *def = &domain->side[side];
        int64_t at = layer_beside(grid, grid->tiles[slot].coord, side);
        bool brings_own = def->kind == BW_WALL_INFLOW || (def->kind == BW_WALL_OPEN && !bw_air_enters(def));
        if (brings_own && at >= 0 && at < BW_TILE)
            return false;
    }
    return true;
}

// The side whose inflow fills a cell; the first where several meet in a corner, -1 where there is none.
static int inflow_side(const BwDomain *domain, int32_t slot, int cell)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        if (domain->side[side].kind == BW_WALL_INFLOW &&
            bw_side_cells(domain, slot, side, cell >> 6).opening >> (cell & 63) & 1)
            return side;
    return -1;
}

// The cell below another along an axis, maybe in the tile beside.
static int32_t cell_below(const BwGrid *grid, int32_t slot, int cell, int axis, int *below)
{
    int last = 7 << (3 * axis);
    bool is_rim = (cell & last) == 0;
    *below = is_rim ? cell + last : cell - (1 << (3 * axis));
    return is_rim ? grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis]] : slot;
}

float bw_inflow_speed(const BwDomain *domain, int32_t slot, int cell, int axis)
{
    int below;
    int32_t slot_below = cell_below(domain->grid, slot, cell, axis, &below);
    bool is_own = bw_bit(bw_mask_tile(&domain->inflow, slot), cell);
    bool is_below = bw_bit(bw_mask_tile(&domain->inflow, slot_below), below);
    int side = is_own ? inflow_side(domain, slot, cell) : inflow_side(domain, slot_below, below);
    bool is_across = side / 2 == axis || (is_own && is_below);
    return side >= 0 && is_across ? bw_component(domain->side[side].velocity, axis) : 0.0f;
}

// Speed into the box at the inner face of a cell beside a side.
static float speed_inwards(const BwGrid *grid, const BwVelocity *velocity, int32_t slot, int cell, int side)
{
    int axis = side / 2, last = 7 << (3 * axis);
    const BwField *u = &velocity->u[axis];
    if (side % 2 == 1)
        return -bw_field_tile(u, slot)[cell];
    bool is_rim = (cell & last) == last;
    return is_rim
               ? bw_field_tile(u, grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis + 1]])[cell - last]
               : bw_field_tile(u, slot)[cell + (1 << (3 * axis))];
}

static void set_cell(BwField *density, BwField *temperature, int32_t slot, int cell, float heat)
{
    if (density != NULL)
        bw_field_tile(density, slot)[cell] = 0.0f;
    if (temperature != NULL)
        bw_field_tile(temperature, slot)[cell] = heat;
}

bool bw_box_has_way_out(const BwDomain *domain)
{
    bool is_any = !domain->grid->has_bounds;
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        is_any |= domain->side[side].kind != BW_WALL_CLOSED;
    return is_any;
}

double bw_impose_outside(const BwDomain *domain, const BwVelocity *velocity, BwField *density,
                         BwField *temperature, float ambient)
{
    const BwGrid *grid = domain->grid;
    double cleared = 0.0;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        const BwBoxSide *def = &domain->side[side];
        bool is_inflow = def->kind == BW_WALL_INFLOW,
             is_vent = def->kind == BW_WALL_OPEN && !bw_air_enters(def);
        float heat = isnan(def->temperature) ? ambient : def->temperature;
        if (!grid->has_bounds || (!is_inflow && !is_vent))
            continue;
        for (int64_t n = 0; n < (int64_t)grid->tile_count * grid->layers; n++) {
            int32_t slot = grid->order[n / grid->layers];
            int k = (int)(n % grid->layers);
            uint64_t bits =
                bw_side_cells(domain, slot, side, k).opening & bw_mask_tile(&domain->open, slot)[k];
            for (; bits != 0; bits &= bits - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                if (!is_inflow && !(speed_inwards(grid, velocity, slot, cell, side) > 0.0f))
                    continue;
                cleared += density != NULL ? (double)bw_field_tile(density, slot)[cell] : 0.0;
                set_cell(density, temperature, slot, cell, heat);
            }
        }
    }
    return cleared * bw_cell_volume(grid);
}

static double open_share(const BwDomain *domain, int32_t slot, int axis, int cell)
{
    return domain->cut == NULL ? 1.0 : (double)bw_field_tile(&domain->cut->open[axis], slot)[cell];
}

// Faces between fluid and an inflow; the sign tells on which side of the face the inflow lies.
static void add_inflow(const BwDomain *domain, const BwVelocity *velocity, int32_t slot, BwInflowSum *sum)
{
    const BwGrid *grid = domain->grid;
    for (int a = 0; a < grid->dimension; a++)
        for (int k = 0; k < grid->layers; k++) {
            uint64_t fluid = bw_mask_tile(&domain->fluid, slot)[k],
                     inflow = bw_mask_tile(&domain->inflow, slot)[k];
            uint64_t from_below = fluid & bw_bits_beside(grid, &domain->inflow, slot, 2 * a, k);
            uint64_t from_above = inflow & bw_bits_beside(grid, &domain->fluid, slot, 2 * a, k);
            const float *u = bw_field_tile(&velocity->u[a], slot) + BW_TILE_LAYER * k;
            for (uint64_t bits = from_below | from_above; bits != 0; bits &= bits - 1) {
                int index = __builtin_ctzll(bits);
                double speed = (double)u[index] * open_share(domain, slot, a, BW_TILE_LAYER * k + index);
                sum->net += from_below >> index & 1 ? speed : -speed;
                sum->gross += fabs(speed);
            }
        }
}

BwInflowSum bw_inflow_sum(const BwDomain *domain, const BwVelocity *velocity)
{
    BwInflowSum sum = {0};
    double h = (double)domain->grid->cell_size, area = domain->grid->dimension == 3 ? h * h : h;
    for (int32_t n = 0; n < domain->grid->tile_count; n++)
        add_inflow(domain, velocity, domain->grid->order[n], &sum);
    return (BwInflowSum){sum.net * area, sum.gross * area};
}

// How deep in the box a sample lies below a side, in cells.
static float depth_of_sample(const BwGrid *grid, int32_t slot, int cell, BwLocation location, int side)
{
    int axis = side / 2;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    float at = (float)(cell >> 3 * axis & 7) + bw_location_shift(location, axis);
    return side % 2 == 0 ? (float)((int64_t)first[axis] - grid->bounds.low[axis]) + at
                         : (float)((int64_t)grid->bounds.high[axis] - first[axis]) - at;
}

// How deep the tile's nearest samples lie, at least.
static float depth_of_tile(const BwGrid *grid, int32_t slot, int side)
{
    int cell = side % 2 == 0 ? 0 : BW_TILE_LAYER * (grid->layers - 1) + BW_TILE_LAYER - 1;
    return depth_of_sample(grid, slot, cell, BW_AT_CELL, side) - 0.5f;
}

static double side_mean_component(const BwDomain *domain, const BwField *u, const BwMask *flow, int side)
{
    const BwGrid *grid = domain->grid;
    const float deepest = 2.0f;
    double sum = 0.0, count = 0.0;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (depth_of_tile(grid, slot, side) > deepest)
            continue;
        for (int c = 0; c < grid->tile_cells; c++) {
            if (!bw_bit(bw_mask_tile(flow, slot), c) ||
                depth_of_sample(grid, slot, c, u->location, side) > deepest)
                continue;
            sum += (double)bw_field_tile(u, slot)[c];
            count += 1.0;
        }
    }
    return count > 0.0 ? sum / count : 0.0;
}

BwVec3 bw_side_mean_velocity(const BwDomain *domain, const BwVelocity *velocity, int side)
{
    float mean[3] = {0};
    for (int a = 0; a < domain->grid->dimension && domain->grid->has_bounds; a++)
        mean[a] = (float)side_mean_component(domain, &velocity->u[a], &domain->flow[a], side);
    return bw_vec3(mean[0], mean[1], mean[2]);
}
