// Few cells are beside walls, so all of this goes tile by tile, one after the other.
#include "operate/level_air.h"

#include "base/extremes.h"
#include "base/memory.h"
#include "operate/level_volume.h"

// Cells that a front is drawn into ahead of itself: those whose distance to it is the shortest.
static const float cells_ahead = 1.5f;

static bool is_inside(const BwDomain *domain, int32_t slot, int cell)
{
    return slot != 0 && bw_bit(domain->grid->tiles[slot].live, cell) &&
           !bw_level_is_outside(domain, slot, cell);
}

// Whether the velocity leads from a cell to one inside of the box.
static bool leads_in(const BwVelocity *velocity, const BwDomain *domain, int32_t slot, int cell)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++) {
        int next = cell, axis = side / 2;
        int32_t beside = bw_cell_beside(domain->grid, slot, &next, side);
        if (!is_inside(domain, beside, next))
            continue;
        float u = side % 2 == 0 ? -bw_field_tile(&velocity->u[axis], slot)[cell]
                                : bw_field_tile(&velocity->u[axis], beside)[next];
        if (u > 0.0f)
            return true;
    }
    return false;
}

bool bw_level_open_sides(BwField *phi, const BwVelocity *velocity, const BwDomain *domain, bool is_given)
{
    const BwGrid *grid = domain->grid;
    bool has_any = false;
    for (int32_t m = 0; m < grid->tile_count && grid->has_bounds; m++) {
        int32_t slot = grid->order[m];
        float *values = bw_field_tile(phi, slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            bool is_held = bw_bit(bw_mask_tile(&domain->inflow, slot), n) ||
                           (!is_given && bw_bit(bw_mask_tile(&domain->outflow, slot), n));
            if (values[n] < 0.5f * grid->cell_size && bw_bit(grid->tiles[slot].live, n) && !is_held &&
                bw_level_is_outside(domain, slot, n) && leads_in(velocity, domain, slot, n)) {
                values[n] = 0.5f * grid->cell_size;
                has_any = true;
            }
        }
    }
    return has_any;
}

void bw_level_fronts_destroy(BwLevelFronts *fronts)
{
    bw_free(&fronts->allocator, fronts->list, (size_t)fronts->capacity * sizeof *fronts->list, BW_ALIGN);
    *fronts = (BwLevelFronts){.allocator = fronts->allocator};
}

// Whether a closed side of the box or a solid is beside a cell.
static bool is_wall(const BwDomain *domain, int32_t slot, int cell, int side)
{
    const BwGrid *grid = domain->grid;
    int next = cell, axis = side / 2;
    int32_t first[3], beside = bw_cell_beside(grid, slot, &next, side);
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    int32_t at = first[axis] + (cell >> (3 * axis) & 7);
    if (grid->has_bounds && grid->period[axis] == 0 &&
        at == (side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis] - 1))
        return true;
    return beside != 0 && bw_bit(bw_mask_tile(&domain->solid, beside), next);
}

static BwVec3 face_place(const BwGrid *grid, int32_t slot, int cell, int side)
{
    BwVec3 place = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
    float half = side % 2 == 0 ? -0.5f * grid->cell_size : 0.5f * grid->cell_size;
    return bw_add(place, bw_vec3(side / 2 == 0 ? half : 0.0f, side / 2 == 1 ? half : 0.0f,
                                 side / 2 == 2 ? half : 0.0f));
}

static BwResult add_fronts(BwLevelFronts *fronts, const BwDomain *domain, int32_t slot, int cell, float phi,
                           BwError *err)
{
    const BwGrid *grid = domain->grid;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        if (!is_wall(domain, slot, cell, side))
            continue;
        BW_TRY(bw_reserve(&fronts->allocator, (void **)&fronts->list, &fronts->capacity, fronts->count + 1,
                          sizeof *fronts->list, err));
        fronts->list[fronts->count++] = (BwLevelFront){slot, cell, side, face_place(grid, slot, cell, side),
                                                       bw_larger(phi + 0.5f * grid->cell_size, 0.0f)};
    }
    return BW_OK;
}

BwResult bw_level_fronts_find(BwLevelFronts *fronts, const BwField *phi, const BwDomain *domain, BwError *err)
{
    const BwGrid *grid = domain->grid;
    fronts->count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        const float *values = bw_field_tile(phi, slot);
        for (int n = 0; n < grid->tile_cells; n++)
            if (values[n] < 0.0f && bw_bit(bw_mask_tile(&domain->open, slot), n) &&
                is_inside(domain, slot, n))
                BW_TRY(add_fronts(fronts, domain, slot, n, values[n], err));
    }
    return BW_OK;
}

void bw_level_fronts_draw(const BwLevelFronts *fronts, const BwDomain *domain, BwField *phi)
{
    const float h = domain->grid->cell_size;
    for (int64_t n = 0; n < fronts->count; n++) {
        const BwLevelFront *front = &fronts->list[n];
        int32_t slot = front->slot;
        int cell = front->cell;
        float distance = front->way - 0.5f * h; // of air from the centre
        while (slot != 0 && bw_bit(bw_mask_tile(&domain->open, slot), cell) && distance > -cells_ahead * h) {
            float *value = &bw_field_tile(phi, slot)[cell];
            *value = bw_larger(*value, distance);
            slot = bw_cell_beside(domain->grid, slot, &cell, front->side ^ 1);
            distance -= h;
        }
    }
}
