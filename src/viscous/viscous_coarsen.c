// The next level: which tiles it has, and its masses and weights. A field of even strain has the same energy
// on both levels: a coarse difference is twice the fine one, so that weights are a quarter of the sum. What
// sticks to a wall half a cell away is half as stiff at twice the distance.
#include "viscous/viscous_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A level that has not fewer unknowns than this share of the finer one is not worth it.
static const double shrink_min = 0.8;

// Along an axis of an odd number of tiles it is their extent that is halved.
static bool halves_extent(const BwViscousLevel *fine, int axis)
{
    return fine->period[axis] % 2 == 1;
}

static bool can_coarsen(const BwViscousLevel *fine)
{
    for (int axis = 0; axis < fine->dimension; axis++)
        if (halves_extent(fine, axis) && fine->extent[axis] == 1)
            return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    return bw_tile_coord_compare(*(const BwTileCoord *)a, *(const BwTileCoord *)b);
}

// The coarse tiles that the unknowns of a fine one interpolate from.
static int32_t add_tiles(const BwViscousLevel *fine, const BwViscousLevel *coarse, int32_t t,
                         BwTileCoord *list, int32_t count)
{
    const int32_t first_tile[3] = {fine->coord[t].x, fine->coord[t].y, fine->coord[t].z};
    int32_t low[3] = {0}, high[3] = {0};
    for (int axis = 0; axis < fine->dimension; axis++) {
        int32_t first = first_tile[axis] * fine->extent[axis];
        // Tiles begin at even places, so that halving is exact also below zero.
        low[axis] = bw_tile_of_place(first / 2 + fine->box[t].low[axis] / 2 - 1, coarse->extent[axis]);
        high[axis] =
            bw_tile_of_place(first / 2 + (fine->box[t].high[axis] - 1) / 2 + 1, coarse->extent[axis]);
    }
    for (int32_t z = low[2]; z <= high[2]; z++)
        for (int32_t y = low[1]; y <= high[1]; y++)
            for (int32_t x = low[0]; x <= high[0]; x++) {
                int32_t place[3] = {x, y, z};
                for (int axis = 0; axis < 3; axis++)
                    if (coarse->period[axis] > 0)
                        place[axis] = (place[axis] % coarse->period[axis] + coarse->period[axis]) %
                                      coarse->period[axis];
                list[count++] = (BwTileCoord){place[0], place[1], place[2]};
            }
    return count;
}

static BwResult find_tiles(const BwViscousLevel *fine, BwViscousLevel *coarse, BwError *err)
{
    size_t most = (size_t)fine->count * 27;
    BwTileCoord *list = bw_workspace_alloc(coarse->workspace, (most + 1) * sizeof *list);
    if (list == NULL)
        return bw_fail_memory(err);
    int32_t count = 1;
    for (int32_t t = 1; t <= fine->count; t++)
        if (fine->box[t].high[0] > 0)
            count = add_tiles(fine, coarse, t, list, count);
    qsort(list + 1, (size_t)count - 1, sizeof *list, compare);
    coarse->coord = list;
    coarse->count = 0;
    for (int32_t n = 1; n < count; n++)
        if (n == 1 || bw_tile_coord_compare(list[n], list[coarse->count]) != 0)
            list[++coarse->count] = list[n];
    return BW_OK;
}

typedef struct Job {
    BwViscousLevel *fine, *coarse;
    BwTileBox all; // of a coarse tile
} Job;

static void link_levels(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwViscousLevel *fine = job->fine;
    BwViscousLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        const int32_t own[3] = {coarse->coord[t].x, coarse->coord[t].y, coarse->coord[t].z};
        int32_t first[3];
        for (int axis = 0; axis < 3; axis++)
            first[axis] = axis < fine->dimension && coarse->extent[axis] == fine->extent[axis] ? 2 * own[axis]
                                                                                               : own[axis];
        for (int n = 0; n < 64; n++) {
            int32_t x = first[0] + (n & 3) - 1, y = first[1] + (n >> 2 & 3) - 1, z = first[2] + (n >> 4) - 1;
            coarse->finer[t][n] = bw_viscous_level_find(fine, x, y, z);
        }
    }
}

static void find_coarser(const BwViscousLevel *fine, const BwViscousLevel *coarse)
{
    for (int32_t t = 1; t <= fine->count; t++) {
        int32_t place[3] = {fine->coord[t].x, fine->coord[t].y, fine->coord[t].z};
        for (int axis = 0; axis < fine->dimension; axis++)
            place[axis] = bw_tile_of_place(place[axis] * fine->extent[axis] / 2, coarse->extent[axis]);
        fine->coarser[t] = bw_viscous_level_find(coarse, place[0], place[1], place[2]);
    }
}

static void scale(float *values, int count, float by)
{
    for (int n = 0; n < count; n++)
        values[n] *= by;
}

static void gather_masses(const Job *job, int32_t t, int a)
{
    BwViscousLevel *coarse = job->coarse;
    int64_t first = (int64_t)t * coarse->cells;
    BwPlaceAlong face[3] = {BW_IN_CELL, BW_IN_CELL, BW_IN_CELL},
                 cell[3] = {BW_WEIGHT_IN_CELL, BW_WEIGHT_IN_CELL, BW_WEIGHT_IN_CELL};
    face[a] = BW_ON_FACE;
    cell[a] = BW_WEIGHT_IN_CELL_BEFORE;
    bw_viscous_gather(job->fine, coarse, t, &job->all, job->fine->mass[a], face, coarse->mass[a] + first);
    bw_viscous_gather(job->fine, coarse, t, &job->all, job->fine->wall[a], face, coarse->wall[a] + first);
    bw_viscous_gather(job->fine, coarse, t, &job->all, job->fine->normal[a], cell, coarse->normal[a] + first);
    scale(coarse->wall[a] + first, coarse->cells, 0.5f);
    scale(coarse->normal[a] + first, coarse->cells, 0.25f);
}

// The fine level's weights of a pair stand in one of its force arrays meanwhile.
static void gather_shear(const Job *job, int32_t t, int a, int b)
{
    BwViscousLevel *coarse = job->coarse;
    float *to = coarse->shear[a][b] + (int64_t)t * coarse->cells;
    BwPlaceAlong edge[3] = {BW_WEIGHT_IN_CELL, BW_WEIGHT_IN_CELL, BW_WEIGHT_IN_CELL};
    edge[a] = edge[b] = BW_ON_FACE;
    bw_viscous_gather(job->fine, coarse, t, &job->all, job->fine->force[a][b], edge, to);
    for (int n = 0; n < coarse->cells; n++)
        to[n] = sqrtf(0.25f * to[n]);
}

static void gather_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < job->coarse->dimension; a++) {
            gather_masses(job, t, a);
            for (int b = a + 1; b < job->coarse->dimension; b++)
                gather_shear(job, t, a, b);
        }
}

// Where only one line of a pair is free, coarse cells take both as coupled.
static void square_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwViscousLevel *fine = job->fine;
    for (int64_t n = (begin + 1) * fine->cells; n < (end + 1) * fine->cells; n++)
        for (int a = 0; a < fine->dimension; a++)
            for (int b = a + 1; b < fine->dimension; b++) {
                float s = fmaxf(fine->shear[a][b][n], fine->shear[b][a][n]);
                fine->force[a][b][n] = s * s;
            }
}

static void clear_forces(const BwViscousLevel *level)
{
    size_t bytes = ((size_t)level->count + 1) * (size_t)level->cells * sizeof(float);
    for (int a = 0; a < level->dimension; a++)
        for (int b = a + 1; b < level->dimension; b++)
            memset(level->force[a][b], 0, bytes);
}

BwResult bw_viscous_coarsen(BwViscousLevel *fine, BwViscousLevel *coarse, bool *is_coarser, BwError *err)
{
    *is_coarser = can_coarsen(fine);
    if (!*is_coarser)
        return BW_OK;
    *coarse = (BwViscousLevel){.pool = fine->pool,
                               .workspace = fine->workspace,
                               .dimension = fine->dimension,
                               .layers = fine->layers,
                               .cells = fine->cells};
    for (int axis = 0; axis < 3; axis++) {
        bool is_halved = axis < fine->dimension && halves_extent(fine, axis);
        coarse->extent[axis] = is_halved ? fine->extent[axis] / 2 : fine->extent[axis];
        coarse->period[axis] = is_halved ? fine->period[axis] : fine->period[axis] / 2;
    }
    BW_TRY(find_tiles(fine, coarse, err));
    BW_TRY(bw_viscous_level_reserve(coarse, false, err));
    coarse->finer =
        bw_workspace_alloc_zeroed(coarse->workspace, ((size_t)coarse->count + 1) * sizeof *coarse->finer);
    if (coarse->finer == NULL)
        return bw_fail_memory(err);
    Job job = {fine, coarse, {.high = {0}}};
    for (int axis = 0; axis < 3; axis++)
        job.all.high[axis] = (uint8_t)coarse->extent[axis];
    bw_viscous_level_link(coarse);
    bw_parallel_for(coarse->pool, coarse->count, 8, link_levels, &job);
    find_coarser(fine, coarse);
    bw_parallel_for(fine->pool, fine->count, BW_VISCOUS_GRAIN, square_range, &job);
    bw_parallel_for(coarse->pool, coarse->count, 2, gather_range, &job);
    clear_forces(fine);
    bw_viscous_level_finish(coarse);
    *is_coarser = (double)coarse->unknowns < shrink_min * (double)fine->unknowns;
    return BW_OK;
}
