// MIC(0), the modified incomplete Cholesky factor of Bridson and Mueller-Fischer's course notes (2007,
// figures 4.2 and 4.3), on tiles: A = F + D + F^T is approximated by L L^T, L = F E^-1 + E.
//
// Cells are eliminated tile after tile. Invariant: what the factor takes for a cell's low neighbour comes
// before it in that order; couplings through a periodic border that do not are left out of the factor, though
// not of the diagonal, which keeps it positive.
#include "poisson/poisson_methods.h"

#include <math.h>

static const double modification = 0.97; // tau: how much of the dropped fill goes to the diagonal

// Below this share of the diagonal the modification has eaten too much of it, and is undone.
static const double pivot_min = 0.25;

static const int step_of_axis[3] = {1, 8, 64};

// Place of a cell along an axis, in its tile.
static int place(int cell, int axis)
{
    return cell >> (3 * axis) & 7;
}

static int64_t low_cell(const BwPoissonTiles *tiles, int32_t t, int cell, int axis)
{
    int last = axis == 2 ? tiles->layers - 1 : BW_TILE - 1;
    if (place(cell, axis) > 0)
        return (int64_t)t * tiles->cells + cell - step_of_axis[axis];
    return (int64_t)tiles->tile[t].beside[2 * axis] * tiles->cells + cell + last * step_of_axis[axis];
}

static int64_t high_cell(const BwPoissonTiles *tiles, int32_t t, int cell, int axis)
{
    int last = axis == 2 ? tiles->layers - 1 : BW_TILE - 1;
    if (place(cell, axis) < last)
        return (int64_t)t * tiles->cells + cell + step_of_axis[axis];
    return (int64_t)tiles->tile[t].beside[2 * axis + 1] * tiles->cells + cell - last * step_of_axis[axis];
}

static void keep_couplings(BwIncomplete *factor, int32_t t)
{
    const BwPoissonTiles *tiles = factor->tiles;
    BwPoissonStar star = bw_poisson_star(tiles, t);
    for (int axis = 0; axis < 3; axis++)
        for (int n = 0; n < tiles->cells; n++) {
            bool is_kept = bw_bit(tiles->tile[t].open[axis], n) &&
                           low_cell(tiles, t, n, axis) < (int64_t)t * tiles->cells + n;
            factor->low[axis][(int64_t)t * tiles->cells + n] = is_kept ? star.face[axis][n] : 0.0f;
        }
}

// Coefficient of a cell's high face; 0 at a periodic border that the factor leaves out.
static double high_coupling(const BwIncomplete *factor, int64_t id, int axis)
{
    const BwPoissonTiles *tiles = factor->tiles;
    int32_t t = (int32_t)(id / tiles->cells);
    int64_t high = high_cell(tiles, t, (int)(id % tiles->cells), axis);
    return high > id ? (double)factor->low[axis][high] : 0.0;
}

// E^2 of a cell, equation (4.34) with the weight tau.
static double pivot(const BwIncomplete *factor, int32_t t, int cell, double diagonal)
{
    double e = diagonal;
    for (int axis = 0; axis < 3; axis++) {
        double a = (double)factor->low[axis][(int64_t)t * factor->tiles->cells + cell];
        if (a == 0.0)
            continue;
        int64_t low = low_cell(factor->tiles, t, cell, axis);
        double r = factor->reciprocal[low];
        double others =
            high_coupling(factor, low, (axis + 1) % 3) + high_coupling(factor, low, (axis + 2) % 3);
        e -= a * r * a * r + modification * a * others * r * r;
    }
    return e < pivot_min * diagonal ? diagonal : e;
}

BwResult bw_incomplete_build(BwIncomplete *factor, const BwPoissonTiles *tiles, BwError *err)
{
    factor->tiles = tiles;
    size_t size = ((size_t)tiles->count + 1) * (size_t)tiles->cells;
    factor->reciprocal = bw_workspace_alloc_zeroed(tiles->workspace, size * sizeof(double));
    if (factor->reciprocal == NULL)
        return bw_fail_memory(err);
    for (int axis = 0; axis < 3; axis++) {
        factor->low[axis] = bw_workspace_alloc_zeroed(tiles->workspace, size * sizeof(float));
        if (factor->low[axis] == NULL)
            return bw_fail_memory(err);
    }
    for (int32_t t = 1; t <= tiles->count; t++)
        keep_couplings(factor, t);
    for (int32_t t = 1; t <= tiles->count; t++) {
        double diagonal[BW_TILE_CELLS_MAX];
        BwPoissonStar star = bw_poisson_star(tiles, t);
        bw_poisson_diagonal(&star, diagonal);
        for (int n = 0; n < tiles->cells; n++)
            if (diagonal[n] > 0.0)
                factor->reciprocal[(int64_t)t * tiles->cells + n] =
                    1.0 / sqrt(pivot(factor, t, n, diagonal[n]));
    }
    return BW_OK;
}

// L q = r, in the order of the cells; q goes to `out`.
static void solve_forward(const BwIncomplete *factor, const double *right, double *out)
{
    const BwPoissonTiles *tiles = factor->tiles;
    for (int32_t t = 1; t <= tiles->count; t++)
        for (int n = 0; n < tiles->cells; n++) {
            int64_t id = (int64_t)t * tiles->cells + n;
            double sum = right[id];
            for (int axis = 0; axis < 3; axis++) {
                double a = (double)factor->low[axis][id];
                int64_t low = low_cell(tiles, t, n, axis);
                sum += a * factor->reciprocal[low] * out[low];
            }
            out[id] = sum * factor->reciprocal[id];
        }
}

// L^T z = q, backwards, in place.
static void solve_backward(const BwIncomplete *factor, double *out)
{
    const BwPoissonTiles *tiles = factor->tiles;
    for (int32_t t = tiles->count; t >= 1; t--)
        for (int n = tiles->cells - 1; n >= 0; n--) {
            int64_t id = (int64_t)t * tiles->cells + n;
            double sum = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                int64_t high = high_cell(tiles, t, n, axis);
                if (high > id)
                    sum += (double)factor->low[axis][high] * out[high];
            }
            out[id] = (out[id] + sum * factor->reciprocal[id]) * factor->reciprocal[id];
        }
}

void bw_incomplete_apply(const BwIncomplete *factor, const double *right, double *out)
{
    solve_forward(factor, right, out);
    solve_backward(factor, out);
}
