// Between two levels. Corrections are interpolated linearly along every axis, so that rigid motion of the
// coarse faces is rigid motion of the fine ones; residuals go the transposed way. Every coarse face that a
// fine unknown interpolates from holds an unknown, also outside of the liquid.
#include "viscous/viscous_level.h"

#include <string.h>

// Fine places around a coarse tile, and coarse ones around a fine tile.
enum { FINE_MAX = 2 * BW_TILE + 3, COARSE_MAX = BW_TILE / 2 + 2 };

// Where the fine places are that some coarse ones of a tile gather from, from two before the first's double
// to one behind the last's: which of the four tiles along the axis, and which cell of it.
typedef struct Along {
    int count;
    int tile[FINE_MAX], cell[FINE_MAX];
} Along;

// Places one after another in the same tile.
typedef struct Run {
    int tile, cell, count;
} Run;

static Along fine_along(const BwViscousLevel *fine, int axis, int low, int high)
{
    Along along = {.count = 2 * (high - low) + 3};
    if (axis >= fine->dimension)
        return (Along){.count = 1, .tile = {1}};
    for (int n = 0; n < along.count; n++) {
        int32_t place = n + 2 * low - 2, tile = bw_tile_of_place(place, fine->extent[axis]);
        along.tile[n] = tile + 1;
        along.cell[n] = place - tile * fine->extent[axis];
    }
    return along;
}

// Weights of the fine places that a coarse one gathers from, and how many before its double the first is.
typedef struct Stencil {
    int before, count;
    float weight[4];
} Stencil;

// Weights of strain stay in the coarse cell that they lie in, but for this share, which keeps a line on every
// coarse face. Spread as far as corrections are interpolated, they would make thin bodies as thick as a
// coarse cell, and far too stiff where they bend: the coarse correction is then too small by the square of
// that.
static const float spread = 0.0125f;

static Stencil stencil_of(BwPlaceAlong place)
{
    if (place == BW_ON_FACE)
        return (Stencil){1, 3, {0.5f, 1.0f, 0.5f}};
    if (place == BW_IN_CELL)
        return (Stencil){1, 4, {0.25f, 0.75f, 0.75f, 0.25f}};
    return (Stencil){place == BW_WEIGHT_IN_CELL ? 1 : 2, 4, {spread, 1.0f - spread, 1.0f - spread, spread}};
}

// One axis of values: `outer` slices of `fine` steps of `inner` values each become slices of `coarse` steps.
// A stencil of three has a fourth weight of zero.
static void gather_axis(const float *restrict from, float *restrict to, int outer, int fine, int coarse,
                        int inner, BwPlaceAlong place)
{
    Stencil stencil = stencil_of(place);
    const float *w = stencil.weight;
    for (int o = 0; o < outer; o++)
        for (int c = 0; c < coarse; c++, to += inner) {
            const float *f0 = from + (o * fine + 2 * c + 2 - stencil.before) * inner, *f1 = f0 + inner,
                        *f2 = f1 + inner, *f3 = f2 + inner;
            for (int i = 0; i < inner; i++)
                to[i] = ((w[0] * f0[i] + w[1] * f1[i]) + w[2] * f2[i]) + w[3] * f3[i];
        }
}

// The same along x, where steps are single values.
static void gather_x(const float *restrict from, float *restrict to, int rows, int fine, int coarse,
                     BwPlaceAlong place)
{
    Stencil stencil = stencil_of(place);
    const float *w = stencil.weight;
    for (int o = 0; o < rows; o++, from += fine, to += coarse)
        for (int c = 0; c < coarse; c++) {
            const float *first = from + 2 * c + 2 - stencil.before;
            to[c] = ((w[0] * first[0] + w[1] * first[1]) + w[2] * first[2]) + w[3] * first[3];
        }
}

static int find_runs(const Along *along, Run runs[FINE_MAX])
{
    int count = 0;
    for (int n = 0; n < along->count; n++) {
        if (n == 0 || along->tile[n] != along->tile[n - 1])
            runs[count++] = (Run){along->tile[n], along->cell[n], 0};
        runs[count - 1].count++;
    }
    return count;
}

static void copy_run(const float *from, float *to, int count)
{
    if (count == BW_TILE) {
        memcpy(to, from, BW_TILE * sizeof *to);
        return;
    }
    for (int n = 0; n < count; n++)
        to[n] = from[n];
}

static void load_fine(const BwViscousLevel *fine, const BwViscousLevel *coarse, int32_t t,
                      const BwTileBox *box, const float *from, float *block)
{
    Along x = fine_along(fine, 0, box->low[0], box->high[0]),
          y = fine_along(fine, 1, box->low[1], box->high[1]),
          z = fine_along(fine, 2, box->low[2], box->high[2]);
    Run runs[FINE_MAX];
    int run_count = find_runs(&x, runs);
    for (int k = 0; k < z.count; k++)
        for (int j = 0; j < y.count; j++) {
            const int32_t *tiles = coarse->finer[t] + 4 * y.tile[j] + 16 * z.tile[k];
            int within = 8 * y.cell[j] + 64 * z.cell[k];
            for (const Run *run = runs; run < runs + run_count; block += run++->count)
                copy_run(from + (int64_t)tiles[run->tile] * fine->cells + within + run->cell, block,
                         run->count);
        }
}

// Whole layers first, single values last, where the least are left.
void bw_viscous_gather(const BwViscousLevel *fine, const BwViscousLevel *coarse, int32_t t,
                       const BwTileBox *box, const float *from, const BwPlaceAlong place[3], float *to)
{
    float block[FINE_MAX * FINE_MAX * FINE_MAX], layers[FINE_MAX * FINE_MAX * BW_TILE],
        rows[FINE_MAX * BW_TILE * BW_TILE], cells[BW_TILE * BW_TILE * BW_TILE];
    int nx = box->high[0] - box->low[0], ny = box->high[1] - box->low[1], nz = box->high[2] - box->low[2];
    int fx = 2 * nx + 3, fy = 2 * ny + 3, fz = 2 * nz + 3;
    load_fine(fine, coarse, t, box, from, block);
    const float *flat = block;
    if (coarse->dimension == 3) {
        gather_axis(block, layers, 1, fz, nz, fy * fx, place[2]);
        flat = layers;
    }
    gather_axis(flat, rows, nz, fy, ny, fx, place[1]);
    gather_x(rows, cells, nz * ny, fx, nx, place[0]);
    const float *row = cells;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++, row += nx)
            for (int i = 0; i < nx; i++)
                to[box->low[0] + i + 8 * (box->low[1] + j) + 64 * (box->low[2] + k)] = row[i];
}

typedef struct Job {
    const BwViscousLevel *fine, *coarse;
} Job;

static void faces_of(int component, BwPlaceAlong place[3])
{
    for (int axis = 0; axis < 3; axis++)
        place[axis] = axis == component ? BW_ON_FACE : BW_IN_CELL;
}

static void restrict_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwViscousLevel *coarse = job->coarse;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < coarse->dimension && coarse->box[t].high[0] > 0; a++) {
            BwPlaceAlong place[3];
            faces_of(a, place);
            bw_viscous_gather(job->fine, coarse, t, &coarse->box[t], job->fine->residual.u[a], place,
                              coarse->b.u[a] + (int64_t)t * coarse->cells);
        }
}

void bw_viscous_restrict(const BwViscousLevel *fine, const BwViscousLevel *coarse)
{
    Job job = {fine, coarse};
    bw_parallel_for(coarse->pool, coarse->count, 2, restrict_range, &job);
}

// The coarse places that a fine tile interpolates from: one before its first to one behind its last.
static void load_coarse(const Job *job, int32_t t, const float *from, float *block)
{
    const BwViscousLevel *fine = job->fine, *coarse = job->coarse;
    const int32_t first_tile[3] = {fine->coord[t].x, fine->coord[t].y, fine->coord[t].z};
    int offset[3][COARSE_MAX], cell[3][COARSE_MAX], count[3] = {1, 1, 1};
    offset[2][0] = cell[2][0] = 0;
    for (int axis = 0; axis < fine->dimension; axis++) {
        int32_t first = first_tile[axis] * fine->extent[axis] / 2,
                parent = bw_tile_of_place(first, coarse->extent[axis]);
        count[axis] = fine->extent[axis] / 2 + 2;
        for (int n = 0; n < count[axis]; n++) {
            int32_t tile = bw_tile_of_place(first - 1 + n, coarse->extent[axis]);
            offset[axis][n] = (int)(tile - parent);
            cell[axis][n] = (int)(first - 1 + n - tile * coarse->extent[axis]);
        }
    }
    const int32_t *around = coarse->around[fine->coarser[t]];
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                int32_t tile = around[bw_neighbour(offset[0][i], offset[1][j], offset[2][k])];
                *block++ =
                    from[(int64_t)tile * coarse->cells + cell[0][i] + 8 * cell[1][j] + 64 * cell[2][k]];
            }
}

// One axis: `outer` slices of `coarse` steps of `inner` values become slices of `fine` steps.
static void interpolate_axis(const float *from, float *to, int outer, int coarse, int fine, int inner,
                             bool is_on_face)
{
    for (int o = 0; o < outer; o++)
        for (int f = 0; f < fine; f++) {
            const float *own = from + (o * coarse + f / 2 + 1) * inner,
                        *other = f % 2 == 0 && !is_on_face ? own - inner : own + inner;
            float share = is_on_face ? (f % 2 == 0 ? 1.0f : 0.5f) : 0.75f;
            float *row = to + (o * fine + f) * inner;
            for (int i = 0; i < inner; i++)
                row[i] = share * own[i] + (1.0f - share) * other[i];
        }
}

static void prolong_component(const Job *job, int32_t t, int a)
{
    const BwViscousLevel *fine = job->fine;
    float block[BW_TILE * BW_TILE * BW_TILE], next[BW_TILE * BW_TILE * BW_TILE];
    int n[3], c[3];
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = fine->extent[axis];
        c[axis] = axis < fine->dimension ? n[axis] / 2 + 2 : 1;
    }
    load_coarse(job, t, job->coarse->x.u[a], block);
    interpolate_axis(block, next, c[2] * c[1], c[0], n[0], 1, a == 0);
    interpolate_axis(next, block, c[2], c[1], n[1], n[0], a == 1);
    const float *all = block;
    if (fine->dimension == 3) {
        interpolate_axis(block, next, 1, c[2], n[2], n[1] * n[0], a == 2);
        all = next;
    }
    float *x = fine->x.u[a] + (int64_t)t * fine->cells;
    const float *inverse = fine->inverse[a] + (int64_t)t * fine->cells;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                int at = i + 8 * j + 64 * k;
                x[at] += inverse[at] > 0.0f ? all[i + n[0] * (j + n[1] * k)] : 0.0f;
            }
}

static void prolong_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < job->fine->dimension && job->fine->box[t].high[0] > 0; a++)
            prolong_component(job, t, a);
}

void bw_viscous_prolong(const BwViscousLevel *fine, const BwViscousLevel *coarse)
{
    Job job = {fine, coarse};
    bw_parallel_for(fine->pool, fine->count, BW_VISCOUS_GRAIN, prolong_range, &job);
}
