// A stage reads the one before around a cell, and phi as it was only in the cell itself, so that the last one
// may overwrite it.
#include "operate/level_advect.h"

#include "base/extremes.h"
#include "grid/block.h"

#include <string.h>

BwResult bw_level_advector_create(BwLevelAdvector *advector, BwGrid *grid, BwError *err)
{
    *advector = (BwLevelAdvector){0};
    BW_TRY(bw_field_create(&advector->first, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_notes_create(&advector->reached, grid, err));
    return bw_field_create(&advector->second, grid, BW_AT_CELL, 0.0f, err);
}

void bw_level_advector_destroy(BwLevelAdvector *advector)
{
    bw_field_destroy(&advector->first);
    bw_field_destroy(&advector->second);
    bw_notes_destroy(&advector->reached);
}

// One stage: `to` is a share of phi as it was at the start of the step and of `from` moved on by dt.
typedef struct Stage {
    const BwLevelMotion *motion;
    const BwField *start, *from;
    BwField *to;
    float start_share;
    BwNotes *reached;
} Stage;

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

static float smaller_of(float a, float b)
{
    return fabsf(a) < fabsf(b) ? a : b;
}

// The slope between two samples, from the five differences of neighbours around it, `v[2]` that before the
// cell as seen from where the flow comes from.
static float slope_eno(const float v[5])
{
    float second = smaller_of(v[2] - v[1], v[3] - v[2]);
    bool is_back = fabsf(v[2] - v[1]) < fabsf(v[3] - v[2]);
    float third = is_back ? smaller_of(v[2] - 2.0f * v[1] + v[0], v[3] - 2.0f * v[2] + v[1])
                          : smaller_of(v[3] - 2.0f * v[2] + v[1], v[4] - 2.0f * v[3] + v[2]);
    return v[2] + 0.5f * second + (is_back ? third * (1.0f / 3.0f) : third * (-1.0f / 6.0f));
}

static float slope_weno(const float v[5], float h)
{
    float a = v[0] * (1.0f / 3.0f) - v[1] * (7.0f / 6.0f) + v[2] * (11.0f / 6.0f),
          b = v[2] * (5.0f / 6.0f) - v[1] * (1.0f / 6.0f) + v[3] * (1.0f / 3.0f),
          c = v[2] * (1.0f / 3.0f) + v[3] * (5.0f / 6.0f) - v[4] * (1.0f / 6.0f);
    float bend_a = v[0] - 2.0f * v[1] + v[2], bend_b = v[1] - 2.0f * v[2] + v[3],
          bend_c = v[2] - 2.0f * v[3] + v[4];
    float lean_a = v[0] - 4.0f * v[1] + 3.0f * v[2], lean_b = v[1] - v[3],
          lean_c = 3.0f * v[2] - 4.0f * v[3] + v[4];
    float small = 1e-6f * h * h; // differences are of h where phi is a distance
    float rough_a = (13.0f / 12.0f) * bend_a * bend_a + 0.25f * lean_a * lean_a + small,
          rough_b = (13.0f / 12.0f) * bend_b * bend_b + 0.25f * lean_b * lean_b + small,
          rough_c = (13.0f / 12.0f) * bend_c * bend_c + 0.25f * lean_c * lean_c + small;
    float weight_a = 0.1f / (rough_a * rough_a), weight_b = 0.6f / (rough_b * rough_b),
          weight_c = 0.3f / (rough_c * rough_c);
    return (weight_a * a + weight_b * b + weight_c * c) / (weight_a + weight_b + weight_c);
}

// The change of phi from a cell to the next along an axis, upwind: from -3 s on for a flow along it.
static float upwind_slope(const float *at, int s, bool is_ahead, BwLevelScheme scheme, float h)
{
    float v[5];
    if (scheme == BW_LEVEL_UPWIND)
        return is_ahead ? at[0] - at[-s] : at[s] - at[0];
    for (int n = 0; n < 5; n++)
        v[n] = is_ahead ? at[(n - 2) * s] - at[(n - 3) * s] : at[(3 - n) * s] - at[(2 - n) * s];
    return scheme == BW_LEVEL_ENO ? slope_eno(v) : slope_weno(v, h);
}

// Whether phi is level around a cell, as it is beyond the band.
static bool is_level(const float *at, int dimension)
{
    for (int a = 0; a < dimension; a++)
        if (at[stride[a]] != at[0] || at[-stride[a]] != at[0])
            return false;
    return true;
}

static float advected(const Stage *stage, const float *at, const float speed[3], float h)
{
    float change = 0.0f;
    for (int a = 0; a < 3; a++)
        if (speed[a] != 0.0f)
            change += speed[a] * upwind_slope(at, stride[a], speed[a] > 0.0f, stage->motion->scheme, h);
    return at[0] - stage->motion->dt / h * change;
}

static void step_tile(const Stage *stage, int32_t slot)
{
    const BwGrid *grid = stage->start->store.grid;
    float block[BW_BLOCK_CELLS], *to = bw_field_tile(stage->to, slot);
    const float *start = bw_field_tile(stage->start, slot);
    bw_block_gather(stage->from, slot, block);
    const float *origin = block + bw_block_origin(grid);
    for (int n = 0; n < grid->tile_cells; n++) {
        float speed[3] = {0.0f};
        const float *at = origin + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        if (is_level(at, grid->dimension)) {
            to[n] = stage->start_share * start[n] + (1.0f - stage->start_share) * at[0];
            continue;
        }
        for (int a = 0; a < grid->dimension; a++)
            speed[a] = 0.5f * (bw_field_tile(&stage->motion->velocity->u[a], slot)[n] +
                               bw_value_beside(&stage->motion->velocity->u[a], slot, n, 2 * a + 1));
        float moved = advected(stage, at, speed, grid->cell_size);
        to[n] = stage->start_share * start[n] + (1.0f - stage->start_share) * moved;
    }
}

static void note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Stage *stage = context;
    const BwGrid *grid = stage->start->store.grid;
    for (int64_t m = begin; m < end; m++) {
        const float *phi = bw_field_tile(stage->from, grid->order[m]);
        int inside = 0;
        for (int n = 0; n < grid->tile_cells; n++)
            inside += fabsf(phi[n]) < stage->motion->band;
        *bw_note(stage->reached, grid->order[m]) = inside > 0;
    }
}

// Whether the band reaches into a tile or the cells around it: where phi is not level.
static bool is_reached(const Stage *stage, int32_t slot)
{
    const BwGrid *grid = stage->start->store.grid;
    int first = bw_first_beside(grid);
    for (int b = first; b < 27 - first; b++) {
        int32_t beside = grid->tiles[slot].neighbour[b];
        if (beside != 0 && *bw_note(stage->reached, beside) != 0)
            return true;
    }
    return false;
}

static void stage_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Stage *stage = context;
    const BwGrid *grid = stage->start->store.grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (is_reached(stage, slot))
            step_tile(stage, slot);
        else if (stage->to != stage->start)
            memcpy(bw_field_tile(stage->to, slot), bw_field_tile(stage->start, slot),
                   (size_t)grid->tile_cells * sizeof(float));
    }
}

void bw_level_advect(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion)
{
    int32_t count = phi->store.grid->tile_count;
    bw_field_set_background(&advector->first, bw_field_background(phi));
    bw_field_set_background(&advector->second, bw_field_background(phi));
    BwNotes *reached = &advector->reached;
    Stage stages[] = {{motion, phi, phi, &advector->first, 0.0f, reached},
                      {motion, phi, &advector->first, &advector->second, 0.75f, reached},
                      {motion, phi, &advector->second, phi, 1.0f / 3.0f, reached}};
    for (int n = 0; n < 3; n++) {
        bw_parallel_for(pool, count, 16, note_range, &stages[n]);
        bw_parallel_for(pool, count, 4, stage_range, &stages[n]);
    }
}

// The sum over the axes of the cells that a part of a step crosses.
static const double cells_a_part = 0.9;

// A flow that crosses more cells in a step than so many parts allow has run away: its step need not end well,
// but it has to end.
static const double parts_max = 1000.0;

void bw_level_advect_far(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion,
                         float speed)
{
    const BwGrid *grid = phi->store.grid;
    double cells =
        sqrt((double)grid->dimension) * (double)speed * (double)motion->dt / (double)grid->cell_size;
    int parts = (int)fmin(fmax(ceil(cells / cells_a_part), 1.0), parts_max);
    BwLevelMotion part = *motion;
    part.dt = (float)((double)motion->dt / parts);
    for (int n = 0; n < parts; n++)
        bw_level_advect(advector, phi, pool, &part);
}
