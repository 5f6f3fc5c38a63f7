// Levels: memory, neighbours, diagonals.
#include "viscous/viscous_level.h"

#include "grid/tile_search.h"
#include "viscous/strain_rows.h"

#include <string.h>

static BwResult reserve_array(BwViscousLevel *level, float **array, BwError *err)
{
    size_t bytes = ((size_t)level->count + 1) * (size_t)level->cells * sizeof(float);
    *array = bw_workspace_alloc_zeroed(level->workspace, bytes);
    return *array != NULL ? BW_OK : bw_fail_memory(err);
}

static BwResult reserve_vector(BwViscousLevel *level, BwViscousVector *vector, BwError *err)
{
    for (int a = 0; a < level->dimension; a++)
        BW_TRY(reserve_array(level, &vector->u[a], err));
    return BW_OK;
}

static BwResult reserve_lines(BwViscousLevel *level, bool is_finest, BwError *err)
{
    for (int a = 0; a < level->dimension; a++)
        for (int b = 0; b < level->dimension; b++) {
            BW_TRY(reserve_array(level, &level->force[a][b], err));
            if (a != b && (is_finest || a < b))
                BW_TRY(reserve_array(level, &level->shear[a][b], err));
            else if (a != b)
                level->shear[a][b] = level->shear[b][a];
        }
    return BW_OK;
}

BwResult bw_viscous_level_reserve(BwViscousLevel *level, bool is_finest, BwError *err)
{
    size_t tiles = (size_t)level->count + 1;
    level->around = bw_workspace_alloc_zeroed(level->workspace, tiles * sizeof *level->around);
    level->coarser = bw_workspace_alloc_zeroed(level->workspace, tiles * sizeof *level->coarser);
    level->box = bw_workspace_alloc_zeroed(level->workspace, tiles * sizeof *level->box);
    if (level->around == NULL || level->coarser == NULL || level->box == NULL)
        return bw_fail_memory(err);
    for (int a = 0; a < level->dimension; a++) {
        float **arrays[] = {&level->mass[a], &level->wall[a], &level->shift[a], &level->normal[a],
                            &level->inverse[a]};
        for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++)
            BW_TRY(reserve_array(level, arrays[n], err));
    }
    BW_TRY(reserve_lines(level, is_finest, err));
    BW_TRY(reserve_vector(level, &level->x, err));
    BW_TRY(reserve_vector(level, &level->b, err));
    BW_TRY(reserve_vector(level, &level->step, err));
    return reserve_vector(level, &level->residual, err);
}

static int32_t wrapped(int32_t tile, int32_t period)
{
    return period == 0 ? tile : (tile % period + period) % period;
}

int32_t bw_viscous_level_find(const BwViscousLevel *level, int32_t x, int32_t y, int32_t z)
{
    BwTileCoord wanted = {wrapped(x, level->period[0]), wrapped(y, level->period[1]),
                          wrapped(z, level->period[2])};
    return bw_find_tile(level->coord, level->count, wanted);
}

static void link_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwViscousLevel *level = context;
    int deep = level->dimension == 3;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int dz = -deep; dz <= deep; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    BwTileCoord c = level->coord[t];
                    level->around[t][bw_neighbour(dx, dy, dz)] =
                        bw_viscous_level_find(level, c.x + dx, c.y + dy, c.z + dz);
                }
}

void bw_viscous_level_link(BwViscousLevel *level)
{
    bw_parallel_for(level->pool, level->count, 16, link_range, level);
}

// What each line adds to the diagonals of its two ends, where the forces go later.
static void square_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwViscousLevel *level = context;
    for (int64_t n = (begin + 1) * level->cells; n < (end + 1) * level->cells; n++)
        for (int a = 0; a < level->dimension; a++)
            for (int b = 0; b < level->dimension; b++) {
                float s = a == b ? 0.0f : level->shear[a][b][n];
                level->force[a][b][n] = a == b ? level->normal[a][n] : s * s;
            }
}

static void widen_box(BwTileBox *box, const int cell[3])
{
    bool is_first = box->high[0] == 0;
    for (int axis = 0; axis < 3; axis++) {
        if (is_first || cell[axis] < box->low[axis])
            box->low[axis] = (uint8_t)cell[axis];
        if (is_first || cell[axis] >= box->high[axis])
            box->high[axis] = (uint8_t)(cell[axis] + 1);
    }
}

// Of one row of eight: what the lines and the shift add up to.
static int64_t finish_row(BwViscousLevel *level, int32_t t, int j, int k)
{
    int64_t first = (int64_t)t * level->cells + 8 * j + 64 * k, unknowns = 0;
    for (int a = 0; a < level->dimension; a++) {
        float_Row sum = {0.0f};
        for (int b = 0; b < level->dimension; b++)
            sum += float_load_row(level->force[a][b] + first) +
                   float_high_row(level, level->force[a][b], t, b, j, k);
        for (int i = 0; i < level->extent[0]; i++) {
            level->shift[a][first + i] = level->mass[a][first + i] + level->wall[a][first + i];
            if (!(level->mass[a][first + i] > 0.0f))
                continue;
            level->inverse[a][first + i] = 1.0f / (level->shift[a][first + i] + sum[i]);
            widen_box(&level->box[t], (const int[3]){i, j, k});
            unknowns++;
        }
    }
    return unknowns;
}

static double finish_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwViscousLevel *level = context;
    int64_t unknowns = 0;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int k = 0; k < level->extent[2]; k++)
            for (int j = 0; j < level->extent[1]; j++)
                unknowns += finish_row(level, t, j, k);
    return (double)unknowns;
}

static void clear_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwViscousLevel *level = context;
    size_t first = ((size_t)begin + 1) * (size_t)level->cells,
           count = (size_t)(end - begin) * (size_t)level->cells;
    for (int a = 0; a < level->dimension; a++)
        for (int b = 0; b < level->dimension; b++)
            memset(level->force[a][b] + first, 0, count * sizeof(float));
}

void bw_viscous_level_finish(BwViscousLevel *level)
{
    bw_parallel_for(level->pool, level->count, BW_VISCOUS_GRAIN, square_range, level);
    level->unknowns =
        (int64_t)bw_parallel_sum(level->pool, level->count, BW_VISCOUS_GRAIN, finish_range, level);
    bw_parallel_for(level->pool, level->count, BW_VISCOUS_GRAIN, clear_range, level);
}
