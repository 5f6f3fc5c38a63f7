// The direct solve of the pyramid's last level, where it is small enough: the dense matrix of its unknowns,
// factored as L D L^T when the pyramid is built. Regions that nothing fixes make it singular; their last
// pivot is left out.
#include "poisson/pyramid.h"

#include <string.h>

// Pivots below this share of the diagonal are those of a region that nothing fixes.
static const double pivot_min = 1e-5;

// Fills one row of the dense matrix of the last level: couplings of a cell of a tile.
static void direct_row_of_cell(const BwLevel *level, int32_t node, const int32_t *number, double *row)
{
    int32_t t = node / level->cells;
    int cell = bw_cell_of(node % level->cells, level->half);
    BwTileCouplings couplings;
    bw_level_load_couplings(level, t, &couplings);
    row[number[node]] += (double)couplings.extra[cell];
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        double a = (double)couplings.coupling[side][cell];
        if (a == 0.0)
            continue;
        row[number[node]] += a;
        row[number[bw_node_beside(level, t, cell, side)]] -= a;
    }
}

static void direct_couplings(const BwLevel *level, int32_t node, int32_t first, int32_t end,
                             const int32_t *number, double *row)
{
    for (int32_t l = first; l < end; l++) {
        row[number[node]] += (double)level->couplings[l].weight;
        row[number[level->couplings[l].other]] -= (double)level->couplings[l].weight;
    }
}

static void direct_matrix(const BwPyramid *pyramid, const BwLevel *level, const int32_t *number, double *a)
{
    int32_t count = pyramid->direct_count;
    memset(a, 0, (size_t)count * (size_t)count * sizeof *a);
    for (int32_t n = 0; n < count; n++) {
        int32_t node = pyramid->direct_node[n];
        if (!bw_is_extra(level, node)) {
            direct_row_of_cell(level, node, number, a + (size_t)n * (size_t)count);
            continue;
        }
        int32_t e = node - (level->count + 1) * level->cells;
        a[(size_t)n * (size_t)count + (size_t)n] += (double)level->extra_diagonal[e];
        direct_couplings(level, node, level->coupling_first[e], level->coupling_first[e + 1], number,
                         a + (size_t)n * (size_t)count);
    }
    for (int32_t explicit_cells = 0; explicit_cells < level->explicit_first[level->count + 1];
         explicit_cells++) {
        int32_t node = level->explicit_node[explicit_cells];
        if (number[node] >= 0)
            direct_couplings(level, node, level->explicit_coupling_first[explicit_cells],
                             level->explicit_coupling_first[explicit_cells + 1], number,
                             a + (size_t)number[node] * (size_t)count);
    }
}

// L D L^T in place, D's reciprocal on the diagonal; 0 for the pivots of singular regions.
static void direct_factor(double *a, int count)
{
    for (int j = 0; j < count; j++) {
        double *row = a + (size_t)j * (size_t)count;
        double diagonal = row[j];
        for (int k = 0; k < j; k++) {
            const double *other = a + (size_t)k * (size_t)count;
            double sum = row[k];
            for (int m = 0; m < k; m++)
                sum -= row[m] * other[m];
            row[k] = sum; // l_jk d_k, divided below once it is not needed any more
        }
        double pivot = diagonal;
        for (int k = 0; k < j; k++) {
            double l = row[k] * a[(size_t)k * (size_t)count + (size_t)k];
            pivot -= l * row[k];
            row[k] = l;
        }
        row[j] = pivot > pivot_min * diagonal ? 1.0 / pivot : 0.0;
    }
}

// Numbers the unknowns of the last level; gives how many there are.
static int32_t number_unknowns(const BwLevel *level, int32_t *number, int32_t *nodes, int32_t most)
{
    int32_t count = 0, first_extra = (level->count + 1) * level->cells;
    for (int32_t node = 0; node < first_extra + level->extra_count; node++) {
        bool is_unknown = node >= first_extra
                              ? level->extra_inverse[node - first_extra] > 0.0f
                              : bw_level_has_unknown(level, node / level->cells,
                                                     bw_cell_of(node % level->cells, level->half));
        number[node] = is_unknown ? count : -1;
        if (!is_unknown)
            continue;
        if (count < most)
            nodes[count] = node;
        count++;
    }
    return count;
}

BwResult bw_pyramid_build_direct(BwPyramid *pyramid, BwError *err)
{
    const BwLevel *level = &pyramid->level[pyramid->level_count - 1];
    pyramid->direct_count = 0;
    if (level->unknowns > BW_DIRECT_MAX)
        return BW_OK;
    int32_t *number = bw_level_alloc(pyramid, (size_t)bw_level_nodes(level), sizeof *number);
    pyramid->direct_node = bw_level_alloc(pyramid, BW_DIRECT_MAX, sizeof *pyramid->direct_node);
    pyramid->direct_factor = bw_level_alloc(pyramid, (size_t)BW_DIRECT_MAX * BW_DIRECT_MAX, sizeof(double));
    pyramid->direct_value = bw_level_alloc(pyramid, BW_DIRECT_MAX, sizeof(double));
    if (number == NULL || pyramid->direct_node == NULL || pyramid->direct_factor == NULL ||
        pyramid->direct_value == NULL)
        return bw_fail_memory(err);
    pyramid->direct_count = number_unknowns(level, number, pyramid->direct_node, BW_DIRECT_MAX);
    direct_matrix(pyramid, level, number, pyramid->direct_factor);
    direct_factor(pyramid->direct_factor, pyramid->direct_count);
    return BW_OK;
}

void bw_pyramid_solve_direct(const BwPyramid *pyramid)
{
    const BwLevel *level = &pyramid->level[pyramid->level_count - 1];
    int32_t count = pyramid->direct_count;
    const double *factor = pyramid->direct_factor;
    double *value = pyramid->direct_value;
    for (int32_t j = 0; j < count; j++) {
        value[j] = (double)level->b[pyramid->direct_node[j]];
        for (int32_t k = 0; k < j; k++)
            value[j] -= factor[(size_t)j * (size_t)count + (size_t)k] * value[k];
    }
    for (int32_t j = 0; j < count; j++)
        value[j] *= factor[(size_t)j * (size_t)count + (size_t)j];
    for (int32_t j = count - 1; j >= 0; j--) {
        for (int32_t k = 0; k < j; k++)
            value[k] -= factor[(size_t)j * (size_t)count + (size_t)k] * value[j];
        level->x[pyramid->direct_node[j]] = (float)value[j];
    }
}
