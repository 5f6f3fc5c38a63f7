// The last level, solved by a Cholesky factor of its matrix in double.
#include "viscous/viscous_cycle.h"

#include <math.h>

// Numbers of the last level's unknowns by component and node while its matrix is put together; -1: none.
typedef struct Numbers {
    int32_t *of[3];
} Numbers;

static int64_t nodes_of(const BwViscousLevel *level)
{
    return ((int64_t)level->count + 1) * level->cells;
}

static BwResult number_unknowns(BwViscousPyramid *pyramid, const BwViscousLevel *level, Numbers *numbers,
                                BwError *err)
{
    int64_t nodes = nodes_of(level);
    pyramid->direct_node =
        bw_workspace_alloc(level->workspace, (size_t)level->unknowns * sizeof *pyramid->direct_node);
    if (pyramid->direct_node == NULL)
        return bw_fail_memory(err);
    for (int a = 0; a < level->dimension; a++) {
        numbers->of[a] = bw_workspace_alloc(level->workspace, (size_t)nodes * sizeof(int32_t));
        if (numbers->of[a] == NULL)
            return bw_fail_memory(err);
        for (int64_t n = 0; n < nodes; n++) {
            bool is_unknown = level->inverse[a][n] > 0.0f;
            numbers->of[a][n] = is_unknown ? pyramid->direct_count : -1;
            if (is_unknown)
                pyramid->direct_node[pyramid->direct_count++] = a * nodes + n;
        }
    }
    return BW_OK;
}

// The node before one along an axis.
static int64_t node_before(const BwViscousLevel *level, int64_t node, int axis)
{
    static const int stride[3] = {1, 8, 64};
    int32_t t = (int32_t)(node / level->cells);
    int cell = (int)(node % level->cells), place = cell / stride[axis] % 8;
    if (place > 0)
        return node - stride[axis];
    int beside = cell + (level->extent[axis] - 1) * stride[axis];
    return (int64_t)bw_viscous_beside(level, t, axis, -1) * level->cells + beside;
}

// One line, or a pair of lines: the square of a sum of unknowns times coefficients.
typedef struct Term {
    int count;
    int32_t number[4];
    double weight[4];
} Term;

static void add_ends(Term *term, const BwViscousLevel *level, const Numbers *numbers, int64_t node, int a,
                     int b, double weight)
{
    term->number[term->count] = numbers->of[a][node];
    term->weight[term->count++] = weight;
    term->number[term->count] = numbers->of[a][node_before(level, node, b)];
    term->weight[term->count++] = -weight;
}

static void add_term(double *matrix, int32_t count, const Term *term)
{
    for (int m = 0; m < term->count; m++)
        for (int n = 0; n < term->count; n++)
            if (term->number[m] >= 0 && term->number[n] >= 0)
                matrix[(int64_t)term->number[m] * count + term->number[n]] +=
                    term->weight[m] * term->weight[n];
}

static void assemble(const BwViscousLevel *level, const Numbers *numbers, double *matrix, int32_t count)
{
    for (int64_t node = level->cells; node < nodes_of(level); node++)
        for (int a = 0; a < level->dimension; a++) {
            int32_t number = numbers->of[a][node];
            if (number >= 0)
                matrix[(int64_t)number * count + number] += (double)level->shift[a][node];
            if (level->normal[a][node] > 0.0f) {
                Term term = {0};
                add_ends(&term, level, numbers, node, a, a, sqrt((double)level->normal[a][node]));
                add_term(matrix, count, &term);
            }
            for (int b = a + 1; b < level->dimension; b++) {
                Term term = {0};
                if (!(level->shear[a][b][node] > 0.0f) && !(level->shear[b][a][node] > 0.0f))
                    continue;
                add_ends(&term, level, numbers, node, a, b, (double)level->shear[a][b][node]);
                add_ends(&term, level, numbers, node, b, a, (double)level->shear[b][a][node]);
                add_term(matrix, count, &term);
            }
        }
}

// A = L L', L in the lower half.
static void factorize(double *matrix, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        double *row = matrix + (int64_t)j * count, square = row[j];
        for (int32_t n = 0; n < j; n++)
            square -= row[n] * row[n];
        row[j] = sqrt(fmax(square, 1e-12 * fabs(row[j]) + 1e-300));
        for (int32_t i = j + 1; i < count; i++) {
            double *below = matrix + (int64_t)i * count, sum = below[j];
            for (int32_t n = 0; n < j; n++)
                sum -= below[n] * row[n];
            below[j] = sum / row[j];
        }
    }
}

BwResult bw_viscous_direct_build(BwViscousPyramid *pyramid, BwError *err)
{
    const BwViscousLevel *level = &pyramid->level[pyramid->level_count - 1];
    Numbers numbers;
    pyramid->direct_count = 0;
    if (level->unknowns > BW_VISCOUS_DIRECT_MAX)
        return BW_OK;
    BW_TRY(number_unknowns(pyramid, level, &numbers, err));
    size_t count = (size_t)pyramid->direct_count;
    pyramid->direct_factor = bw_workspace_alloc_zeroed(level->workspace, count * count * sizeof(double));
    pyramid->direct_value = bw_workspace_alloc(level->workspace, count * sizeof(double));
    if (pyramid->direct_factor == NULL || pyramid->direct_value == NULL)
        return bw_fail_memory(err);
    assemble(level, &numbers, pyramid->direct_factor, pyramid->direct_count);
    factorize(pyramid->direct_factor, pyramid->direct_count);
    return BW_OK;
}

void bw_viscous_direct_solve(const BwViscousPyramid *pyramid)
{
    const BwViscousLevel *level = &pyramid->level[pyramid->level_count - 1];
    int64_t nodes = nodes_of(level);
    int32_t count = pyramid->direct_count;
    double *value = pyramid->direct_value;
    const double *factor = pyramid->direct_factor;
    for (int32_t i = 0; i < count; i++) {
        int64_t node = pyramid->direct_node[i];
        double sum = (double)level->b.u[node / nodes][node % nodes];
        for (int32_t n = 0; n < i; n++)
            sum -= factor[(int64_t)i * count + n] * value[n];
        value[i] = sum / factor[(int64_t)i * count + i];
    }
    for (int32_t i = count; i-- > 0;) {
        double sum = value[i];
        for (int32_t n = i + 1; n < count; n++)
            sum -= factor[(int64_t)n * count + i] * value[n];
        value[i] = sum / factor[(int64_t)i * count + i];
        int64_t node = pyramid->direct_node[i];
        level->x.u[node / nodes][node % nodes] = (float)value[i];
    }
}
