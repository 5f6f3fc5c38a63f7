// Room for a liquid beside solids and walls: what is open of each cell, and of the hat function around its
// centre.
#include "operate/liquid_surface.h"

#include "base/extremes.h"
#include "domain/cut_box.h"
#include "domain/solid_faces.h"

#include <string.h>

enum { SIDE = BW_TILE + 2, LAYER = SIDE * SIDE, SAMPLES = SIDE * LAYER };

// When the room of a tile was measured; a fresh tile never was.
enum { MEASURED_NEVER, MEASURED_NOW, MEASURED_BEFORE };

typedef struct Job {
    BwLiquidSurface *surface; // NULL: only what is open is asked
    BwField *open_share;
    BwNotes *measured;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwSolidPose *solids;
    int solid_count;
    bool is_all_new; // solids or sides have changed: what was measured does not count
    bool has_edges;  // of solids are looked for
} Job;

// The share of each cell that is outside of solids.
static void measure_open(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *open = bw_field_tile(job->open_share, slot);
        uint64_t *measured = bw_note(job->measured, slot);
        BwNearSolids near;
        if (*measured != MEASURED_NEVER && !job->is_all_new)
            continue;
        *measured = MEASURED_NOW;
        for (int n = 0; n < grid->tile_cells; n++)
            open[n] = 1.0f;
        if (job->domain->cut == NULL || !bw_solids_are_near(job->domain->cut, slot))
            continue;
        bw_near_solids_find(&near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
        for (int n = 0; n < grid->tile_cells; n++) {
            BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL);
            open[n] = bw_cut_cell(&near, center, grid->cell_size, grid->dimension, job->has_edges).left;
        }
    }
}

// Whether liquid ends at a side of the box beside a cell behind it: at walls, and, as far as the surface is
// concerned, where water comes in or goes out that is the same on both sides.
static bool ends_at_side(const Job *job, const int32_t cell[3], int side)
{
    const BwGrid *grid = job->grid;
    const BwBoxSide *def = &job->domain->side[side];
    int axis = side / 2;
    float h = grid->cell_size, at[3] = {0};
    if (def->kind != BW_WALL_OPEN || def->part == NULL)
        return def->kind != BW_WALL_OPEN;
    for (int a = 0; a < grid->dimension; a++)
        at[a] = h * ((float)cell[a] + 0.5f);
    at[axis] = h * (float)(side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis]);
    return !bw_box_side_holds(def, grid, bw_vec3(at[0], at[1], at[2]));
}

// Whether a cell is behind a side of the box that the liquid ends at.
static bool is_behind_wall(const Job *job, const int32_t cell[3])
{
    const BwGrid *grid = job->grid;
    for (int a = 0; a < grid->dimension && grid->has_bounds; a++) {
        if (grid->period[a] != 0)
            continue;
        bool is_low = cell[a] < grid->bounds.low[a], is_high = cell[a] >= grid->bounds.high[a];
        if ((is_low || is_high) && ends_at_side(job, cell, 2 * a + is_high))
            return true;
    }
    return false;
}

// Whether solids or walls are within a cell of a tile.
static bool is_cramped(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension && grid->has_bounds; a++)
        if (grid->period[a] == 0 &&
            (first[a] - 1 < grid->bounds.low[a] || first[a] + BW_TILE >= grid->bounds.high[a]))
            return true;
    for (int c = bw_first_beside(grid); c < 27 - bw_first_beside(grid) && job->domain->cut != NULL; c++) {
        int32_t beside = grid->tiles[slot].neighbour[c];
        if (beside != 0 && bw_solids_are_near(job->domain->cut, beside))
            return true;
    }
    return false;
}

// The open shares of a tile and of one cell around it.
static void gather_open(const Job *job, int32_t slot, float block[SAMPLES])
{
    const BwGrid *grid = job->grid;
    int layers = grid->layers == 1 ? 1 : SIDE;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                int local[3] = {i - 1, j - 1, layers == 1 ? 0 : k - 1};
                int32_t cell[3] = {first[0] + local[0], first[1] + local[1], first[2] + local[2]};
                int c = bw_neighbour(local[0] >> 3, local[1] >> 3, local[2] >> 3);
                int32_t beside = grid->tiles[slot].neighbour[c];
                int index = (local[0] & 7) + 8 * (local[1] & 7) + 64 * (local[2] & 7);
                block[i + SIDE * j + LAYER * k] =
                    is_behind_wall(job, cell) ? 0.0f : bw_field_tile(&job->surface->open, beside)[index];
            }
}

// The hat function holds 3/4 of its weight in the cell itself and 1/8 in each beside it, along an axis.
static float hat_mean(float low, float own, float high)
{
    return 0.125f * (low + high) + 0.75f * own;
}

static void blur(float *block, int stride, int count)
{
    float before = block[0];
    for (int n = 1; n < count - 1; n++) {
        float own = block[n * stride];
        block[n * stride] = hat_mean(before, own, block[(n + 1) * stride]);
        before = own;
    }
}

static void blur_block(float block[SAMPLES], int layers)
{
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < SIDE; j++)
            blur(block + SIDE * j + LAYER * k, 1, SIDE);
    for (int k = 0; k < layers; k++)
        for (int i = 0; i < SIDE; i++)
            blur(block + i + LAYER * k, SIDE, SIDE);
    for (int n = 0; n < LAYER && layers > 1; n++)
        blur(block + n, LAYER, SIDE);
}

static float hat(float place)
{
    return bw_larger(1.0f - fabsf(place), 0.0f);
}

// What the hat function around the centre of a neighbour holds of a cell that solids cut, less what it would
// of as much that is spread evenly over the cell. `beside` is -1, 0 or 1 along each axis.
static float uneven_part(const BwCutCell *cell, const int beside[3], int axes)
{
    static const float even[3] = {0.125f, 0.75f, 0.125f};
    float sum = 0.0f;
    for (int n = 0; n < 1 << axes; n++) {
        float held = 1.0f, spread = 1.0f;
        for (int a = 0; a < axes; a++) {
            float place = bw_part_offset(n, a) + 0.5f * cell->part[n].middle[a];
            held *= hat(place - (float)beside[a]);
            spread *= even[beside[a] + 1];
        }
        sum += cell->part[n].share * (held - spread);
    }
    return sum / (float)(1 << axes);
}

// Corrects the room of those of a tile's cells that a cell beside or among them concerns which solids cut.
static void add_cut_cell(const BwCutCell *cell, const int local[3], int axes, float room[SAMPLES])
{
    for (int c = 0; c < (axes == 3 ? 27 : 9); c++) {
        int beside[3] = {c % 3 - 1, c / 3 % 3 - 1, axes == 3 ? c / 9 - 1 : 0}, at = 0, stride = 1;
        bool is_in_tile = true;
        for (int a = 0; a < axes; a++, stride *= SIDE) {
            int place = local[a] + beside[a];
            is_in_tile &= place >= 0 && place < BW_TILE;
            at += stride * (place + 1);
        }
        if (is_in_tile)
            room[at] += uneven_part(cell, beside, axes);
    }
}

// Corrects the room in and around the cells that solids cut, of a tile and of one cell around it.
static void add_cut_cells(const Job *job, int32_t slot, const float open[SAMPLES], float room[SAMPLES])
{
    const BwGrid *grid = job->grid;
    int axes = grid->dimension;
    int32_t first[3];
    BwNearSolids near;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    bw_near_solids_find(&near, job->solids, job->solid_count, grid, grid->tiles[slot].coord);
    for (int n = 0; n < (axes == 3 ? SAMPLES : LAYER); n++) {
        if (open[n] <= 0.0f || open[n] >= 1.0f)
            continue;
        int local[3] = {n % SIDE - 1, n / SIDE % SIDE - 1, axes == 3 ? n / LAYER - 1 : 0};
        float center[3] = {0.0f};
        for (int a = 0; a < axes; a++)
            center[a] = (float)((double)grid->cell_size * (first[a] + local[a] + 0.5));
        BwCutCell cell = bw_cut_cell(&near, bw_vec3(center[0], center[1], center[2]), grid->cell_size, axes,
                                     job->has_edges);
        if (cell.is_cut)
            add_cut_cell(&cell, local, axes, room);
    }
}

// Whether the tile or one beside it was measured just now.
static bool is_new_around(const Job *job, int32_t slot)
{
    int first = bw_first_beside(job->grid);
    for (int c = first; c < 27 - first; c++) {
        int32_t beside = job->grid->tiles[slot].neighbour[c];
        if (beside != 0 && *bw_note(&job->surface->measured, beside) == MEASURED_NOW)
            return true;
    }
    return false;
}

static void measure_room(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *room = bw_field_tile(&job->surface->room, slot), open[SAMPLES], block[SAMPLES];
        if (!is_new_around(job, slot))
            continue;
        bool is_plain = !is_cramped(job, slot);
        if (!is_plain) {
            gather_open(job, slot, open);
            memcpy(block, open, (grid->layers == 1 ? LAYER : SAMPLES) * sizeof *open);
            blur_block(block, grid->layers == 1 ? 1 : SIDE);
            add_cut_cells(job, slot, open, block);
        }
        for (int n = 0; n < grid->tile_cells; n++) {
            int k = grid->layers == 1 ? 0 : (n >> 6) + 1;
            room[n] = is_plain ? 1.0f : block[(n & 7) + 1 + SIDE * ((n >> 3 & 7) + 1) + LAYER * k];
        }
    }
}

static void keep_marks(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        *bw_note(&job->surface->measured, job->grid->order[m]) = MEASURED_BEFORE;
}

// A bit for each side of the box that is not open.
static uint32_t closed_sides(const BwDomain *domain)
{
    uint32_t closed = 0;
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        closed |= (uint32_t)(domain->side[side].kind != BW_WALL_OPEN) << side;
    return closed;
}

void bw_liquid_surface_measure_room(BwLiquidSurface *surface, const BwDomain *domain,
                                    const BwSolidPose *solids, int solid_count, bool is_all_new)
{
    uint32_t closed = closed_sides(domain);
    Job job = {.surface = surface,
               .open_share = &surface->open,
               .measured = &surface->measured,
               .domain = domain,
               .grid = domain->grid,
               .solids = solids,
               .solid_count = solid_count,
               .is_all_new = is_all_new || closed != surface->closed,
               .has_edges = !surface->is_rough};
    surface->closed = closed;
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, measure_open, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, measure_room, &job);
    bw_parallel_for(domain->pool, job.grid->tile_count, 64, keep_marks, &job);
}

void bw_measure_open(BwField *open, BwNotes *measured, const BwDomain *domain, const BwSolidPose *solids,
                     int solid_count, bool is_all_new)
{
    Job job = {.open_share = open,
               .measured = measured,
               .domain = domain,
               .grid = domain->grid,
               .solids = solids,
               .solid_count = solid_count,
               .is_all_new = is_all_new};
    bw_parallel_for(domain->pool, job.grid->tile_count, 8, measure_open, &job);
}
