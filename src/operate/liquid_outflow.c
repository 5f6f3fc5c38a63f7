// Columns of water beside the cells outside.
#include "operate/liquid_outflow.h"

#include "domain/sides.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    const BwDomain *domain;
    const BwGrid *grid;
    const BwOutflowDef *def;
    int up;         // the side of a cell that lies against gravity
    float strength; // m/s^2, of gravity along it
} Job;

static Job job_of(const BwDomain *domain, const BwOutflowDef *def)
{
    Job job = {.domain = domain, .grid = domain->grid, .def = def};
    int axis = 0;
    for (int a = 1; a < domain->grid->dimension; a++)
        if (fabsf(bw_component(def->gravity, a)) > fabsf(bw_component(def->gravity, axis)))
            axis = a;
    job.strength = fabsf(bw_component(def->gravity, axis));
    job.up = 2 * axis + (bw_component(def->gravity, axis) <= 0.0f);
    return job;
}

// A column of water: its ends along the axis that is up, m, where the pressure in it is 0, and its mean speed
// out of a side, m/s.
typedef struct Column {
    float bed, surface, zero, speed;
} Column;

// Goes from a cell of liquid to the last one above or below it; gives how far the water ends from its centre,
// m, and adds the speeds on the way.
static float reach_end(const Job *job, int32_t slot, int cell, int way, int side, float *speed, int *count)
{
    const BwGrid *grid = job->grid;
    float h = grid->cell_size, here = bw_field_tile(job->def->phi, slot)[cell], length = 0.0f;
    for (;;) {
        float u = bw_field_tile(&job->def->velocity->u[side / 2], slot)[cell];
        *speed += side % 2 == 0 ? -u : u;
        *count += 1;
        slot = bw_cell_beside(grid, slot, &cell, way);
        if (slot == 0 || !bw_bit(bw_mask_tile(&job->domain->open, slot), cell))
            return length + 0.5f * h;
        float next = bw_field_tile(job->def->phi, slot)[cell];
        if (next >= 0.0f)
            return length + h * here / (here - next);
        length += h;
        here = next;
    }
}

// The height of a cell's centre along the axis that is up, m.
static float height_of(const Job *job, int32_t slot, int cell)
{
    BwVec3 center = bw_sample_position(job->grid, job->grid->tiles[slot].coord, cell, BW_AT_CELL);
    return (job->up % 2 == 1 ? 1.0f : -1.0f) * bw_component(center, job->up / 2);
}

// The height of the centre of the uppermost cell of fluid above a cell, m.
static float center_of_last(const Job *job, int32_t slot, int cell)
{
    float height = height_of(job, slot, cell);
    for (;;) {
        slot = bw_cell_beside(job->grid, slot, &cell, job->up);
        if (slot == 0 || !bw_bit(bw_mask_tile(&job->domain->fluid, slot), cell))
            return height;
        height = height_of(job, slot, cell);
    }
}

// The column in the box beside a cell outside; false where that is dry.
static bool find_column(const Job *job, int32_t slot, int cell, int side, Column *column)
{
    int32_t inside = bw_cell_beside(job->grid, slot, &cell, side ^ 1);
    float speed = 0.0f;
    int count = 0;
    if (inside == 0 || !bw_bit(bw_mask_tile(&job->domain->open, inside), cell) ||
        !(bw_field_tile(job->def->phi, inside)[cell] < 0.0f))
        return false;
    float center = height_of(job, inside, cell);
    column->surface = center + reach_end(job, inside, cell, job->up, side, &speed, &count);
    column->bed = center - reach_end(job, inside, cell, job->up ^ 1, side, &speed, &count);
    column->zero = job->def->is_from_centers ? center_of_last(job, inside, cell) : column->surface;
    column->speed = speed / (float)count;
    return true;
}

// How high the water stands in the column outside, m above the bed.
static float depth_outside(const Job *job, const Column *column, const BwOutflowState *start)
{
    float g = job->strength, depth = column->surface - column->bed, c = sqrtf(g * depth);
    if (column->speed >= c) // faster than waves: nothing comes in
        return depth;
    float depth_start = fmaxf((float)start->level - column->bed, 0.0f), c_start = sqrtf(g * depth_start);
    float outside = 0.5f * (c + c_start) + 0.25f * (column->speed - (float)start->speed);
    return outside > 0.0f ? outside * outside / g : 0.0f;
}

static float pressure_at(const Job *job, int32_t slot, int cell, int side)
{
    Column column;
    if (!find_column(job, slot, cell, side, &column))
        return 0.0f;
    float deeper = depth_outside(job, &column, &job->def->states[side]) - (column.surface - column.bed);
    float above = column.zero + deeper - height_of(job, slot, cell);
    return job->def->density * job->strength * fmaxf(above, 0.0f);
}

void bw_outflow_pressure(BwField *pressure, const BwDomain *domain, const BwOutflowDef *def)
{
    const BwGrid *grid = domain->grid;
    Job job = job_of(domain, def);
    for (int32_t m = 0; m < grid->tile_count; m++)
        memset(bw_field_tile(pressure, grid->order[m]), 0, (size_t)grid->tile_cells * sizeof(float));
    for (int side = 0; side < 2 * grid->dimension && job.strength > 0.0f; side++) {
        if (domain->side[side].kind != BW_WALL_OUTFLOW || side / 2 == job.up / 2)
            continue;
        for (int64_t n = 0; n < (int64_t)grid->tile_count * grid->layers; n++) {
            int32_t slot = grid->order[n / grid->layers];
            int k = (int)(n % grid->layers);
            uint64_t bits =
                bw_side_cells(domain, slot, side, k).opening & bw_mask_tile(&domain->open, slot)[k];
            for (; bits != 0; bits &= bits - 1) {
                int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                bw_field_tile(pressure, slot)[cell] = pressure_at(&job, slot, cell, side);
            }
        }
    }
}

// The cells of a tile's layer that touch a side.
static uint64_t cells_beside(const BwDomain *domain, int32_t slot, int side, int k)
{
    BwSideCells cells = bw_side_cells(domain, slot, side, k);
    return (cells.closed | cells.opening) & bw_mask_tile(&domain->open, slot)[k];
}

BwOutflowState bw_outflow_state(const BwDomain *domain, const BwOutflowDef *def, int side)
{
    const BwGrid *grid = domain->grid;
    Job job = job_of(domain, def);
    double level = 0.0, speed = 0.0, count = 0.0;
    for (int64_t n = 0; n < (int64_t)grid->tile_count * grid->layers && side / 2 != job.up / 2; n++) {
        int32_t slot = grid->order[n / grid->layers];
        int k = (int)(n % grid->layers);
        for (uint64_t bits = cells_beside(domain, slot, side, k); bits != 0; bits &= bits - 1) {
            Column column;
            if (!find_column(&job, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits), side, &column))
                continue;
            level += (double)column.surface;
            speed += (double)column.speed;
            count += 1.0;
        }
    }
    if (count == 0.0)
        return (BwOutflowState){.level = (double)-INFINITY};
    return (BwOutflowState){level / count, speed / count};
}
