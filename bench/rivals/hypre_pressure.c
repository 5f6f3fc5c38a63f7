// hypre on the matrices of bench_pressure: PFMG and BoomerAMG under conjugate gradients, on as many MPI ranks
// as it is started with. Reads a file that bench_pressure writes, prints a line a method: seconds of set-up
// (filling of hypre's arrays included) and of solve, median of 5, iterations, relative residual.
//
// Settings are the best of those tried for the 7-point Poisson matrix: PFMG with red-black sweeps and either
// coarse operator, BoomerAMG with HMIS, extended+i interpolation of four entries and one aggressive level.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };

// A slab of the box, with one layer more on its high side for faces.
typedef struct Slab {
    int n, first, layers, rank, ranks;
    unsigned char *unknown; // layers + 2: one before, one behind
    float *face[3];         // layers + 1
    float *right;
} Slab;

typedef struct Outcome {
    double setup, solve, residual;
    int iterations;
} Outcome;

static size_t cell(const Slab *slab, int i, int j, int k)
{
    return (size_t)i + (size_t)slab->n * ((size_t)j + (size_t)slab->n * (size_t)k);
}

static void read_layers(FILE *file, long start, size_t size, const Slab *slab, int first, int count,
                        void *out)
{
    size_t layer = (size_t)slab->n * (size_t)slab->n * size;
    memset(out, 0, layer * (size_t)count);
    for (int k = 0; k < count; k++) {
        int at = first + k;
        if (at < 0 || at >= slab->n)
            continue;
        fseek(file, start + (long)layer * at, SEEK_SET);
        if (fread((char *)out + layer * (size_t)k, 1, layer, file) != layer)
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void read_slab(Slab *slab, const char *path)
{
    FILE *file = fopen(path, "rb");
    int n;
    if (file == NULL || fread(&n, sizeof n, 1, file) != 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    slab->n = n;
    slab->first = n * slab->rank / slab->ranks;
    slab->layers = n * (slab->rank + 1) / slab->ranks - slab->first;
    size_t layer = (size_t)n * (size_t)n, cells = layer * (size_t)n;
    slab->unknown = malloc(layer * (size_t)(slab->layers + 2));
    slab->right = malloc(layer * (size_t)slab->layers * sizeof(float));
    read_layers(file, sizeof n, 1, slab, slab->first - 1, slab->layers + 2, slab->unknown);
    long start = (long)(sizeof n + cells);
    for (int a = 0; a < 3; a++, start += (long)(cells * sizeof(float))) {
        slab->face[a] = malloc(layer * (size_t)(slab->layers + 1) * sizeof(float));
        read_layers(file, start, sizeof(float), slab, slab->first, slab->layers + 1, slab->face[a]);
    }
    read_layers(file, start, sizeof(float), slab, slab->first, slab->layers, slab->right);
    fclose(file);
}

static int is_unknown(const Slab *slab, int i, int j, int k)
{
    if (i < 0 || j < 0 || i >= slab->n || j >= slab->n)
        return 0;
    return slab->unknown[cell(slab, i, j, k + 1)];
}

// Coefficients of a row: six neighbours as x low, x high, ..., and the diagonal last. Faces on the far side
// of the box are closed in all cases.
static void row_of(const Slab *slab, int i, int j, int k, double row[7])
{
    static const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memset(row, 0, 7 * sizeof *row);
    if (!is_unknown(slab, i, j, k)) {
        row[6] = 1.0;
        return;
    }
    for (int side = 0; side < 6; side++) {
        const int *s = step[side / 2];
        int sign = side % 2 ? 1 : -1, at[3] = {i, j, k};
        at[side / 2] += side % 2;
        if (at[0] == slab->n || at[1] == slab->n || at[2] + slab->first == slab->n)
            continue;
        double a = (double)slab->face[side / 2][cell(slab, at[0], at[1], at[2])];
        row[6] += a;
        if (is_unknown(slab, i + sign * s[0], j + sign * s[1], k + sign * s[2]))
            row[side] = -a;
    }
}

typedef struct StructSystem {
    HYPRE_StructGrid grid;
    HYPRE_StructStencil stencil;
    HYPRE_StructMatrix a;
    HYPRE_StructVector b, x;
} StructSystem;

static void create_struct(const Slab *slab, StructSystem *system)
{
    static int offsets[7][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0},
                                {0, 0, -1}, {0, 0, 1}, {0, 0, 0}};
    int low[3] = {0, 0, slab->first}, high[3] = {slab->n - 1, slab->n - 1, slab->first + slab->layers - 1};
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &system->grid);
    HYPRE_StructGridSetExtents(system->grid, low, high);
    HYPRE_StructGridAssemble(system->grid);
    HYPRE_StructStencilCreate(3, 7, &system->stencil);
    for (int e = 0; e < 7; e++)
        HYPRE_StructStencilSetElement(system->stencil, e, offsets[e]);
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, system->grid, system->stencil, &system->a);
    HYPRE_StructMatrixInitialize(system->a);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, system->grid, &system->b);
    HYPRE_StructVectorInitialize(system->b);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, system->grid, &system->x);
    HYPRE_StructVectorInitialize(system->x);
}

static void fill_struct(const Slab *slab, double mean, StructSystem *system)
{
    int entries[7] = {0, 1, 2, 3, 4, 5, 6};
    size_t layer = (size_t)slab->n * (size_t)slab->n;
    double *values = malloc(7 * layer * sizeof *values), *right = malloc(layer * sizeof *right);
    for (int k = 0; k < slab->layers; k++) {
        int from[3] = {0, 0, slab->first + k}, to[3] = {slab->n - 1, slab->n - 1, slab->first + k};
        for (int j = 0; j < slab->n; j++)
            for (int i = 0; i < slab->n; i++) {
                row_of(slab, i, j, k, values + 7 * cell(slab, i, j, 0));
                right[cell(slab, i, j, 0)] =
                    is_unknown(slab, i, j, k) ? (double)slab->right[cell(slab, i, j, k)] - mean : 0.0;
            }
        HYPRE_StructMatrixSetBoxValues(system->a, from, to, 7, entries, values);
        HYPRE_StructVectorSetBoxValues(system->b, from, to, right);
    }
    free(values);
    free(right);
    HYPRE_StructMatrixAssemble(system->a);
    HYPRE_StructVectorAssemble(system->b);
    HYPRE_StructVectorAssemble(system->x);
}

static void destroy_struct(StructSystem *system)
{
    HYPRE_StructVectorDestroy(system->x);
    HYPRE_StructVectorDestroy(system->b);
    HYPRE_StructMatrixDestroy(system->a);
    HYPRE_StructStencilDestroy(system->stencil);
    HYPRE_StructGridDestroy(system->grid);
}

static HYPRE_StructSolver create_pfmg(int relax, int coarse_operator)
{
    HYPRE_StructSolver precond;
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &precond);
    HYPRE_StructPFMGSetMaxIter(precond, 1);
    HYPRE_StructPFMGSetTol(precond, 0.0);
    HYPRE_StructPFMGSetZeroGuess(precond);
    HYPRE_StructPFMGSetRAPType(precond, coarse_operator);
    HYPRE_StructPFMGSetRelaxType(precond, relax);
    return precond;
}

// Seconds since *begin, once all ranks are here; the clock starts again.
static double lap(double *begin)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double now = MPI_Wtime(), seconds = now - *begin;
    *begin = now;
    return seconds;
}

static Outcome run_pfmg(const Slab *slab, int relax, int coarse_operator, double mean)
{
    double begin = MPI_Wtime();
    StructSystem system;
    create_struct(slab, &system);
    fill_struct(slab, mean, &system);
    HYPRE_StructSolver solver, precond = create_pfmg(relax, coarse_operator);
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
    HYPRE_StructPCGSetTol(solver, 1e-6);
    HYPRE_StructPCGSetTwoNorm(solver, 1);
    HYPRE_StructPCGSetMaxIter(solver, 200);
    HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, precond);
    HYPRE_StructPCGSetup(solver, system.a, system.b, system.x);
    Outcome outcome = {.setup = lap(&begin)};
    HYPRE_StructPCGSolve(solver, system.a, system.b, system.x);
    outcome.solve = lap(&begin);
    HYPRE_StructPCGGetNumIterations(solver, &outcome.iterations);
    HYPRE_StructPCGGetFinalRelativeResidualNorm(solver, &outcome.residual);
    HYPRE_StructPFMGDestroy(precond);
    HYPRE_StructPCGDestroy(solver);
    destroy_struct(&system);
    return outcome;
}

// Numbers of unknowns: those of this rank from `first` on; the layers beside it get the neighbours' numbers.
static int *number_unknowns(const Slab *slab, int *first, int *count)
{
    size_t layer = (size_t)slab->n * (size_t)slab->n;
    int *number = malloc(layer * (size_t)(slab->layers + 2) * sizeof *number);
    *count = 0;
    for (size_t c = 0; c < layer * (size_t)slab->layers; c++)
        *count += slab->unknown[layer + c];
    MPI_Scan(count, first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *first -= *count;
    int next = *first;
    for (size_t c = 0; c < layer * (size_t)slab->layers; c++)
        number[layer + c] = slab->unknown[layer + c] ? next++ : -1;
    int before = 0, behind = 0;
    for (size_t c = 0; c < layer; c++)
        before += slab->unknown[c];
    before = *first - before;
    behind = *first + *count;
    for (size_t c = 0; c < layer; c++) {
        number[c] = slab->unknown[c] ? before++ : -1;
        size_t far = layer * (size_t)(slab->layers + 1) + c;
        number[far] = slab->unknown[far] ? behind++ : -1;
    }
    return number;
}

// The rows of this rank as hypre takes them: sizes and columns of one after another.
typedef struct Rows {
    int first, count, next;
    size_t filled; // columns and values
    int *index, *sizes, *columns;
    double *values, *right, *zero;
} Rows;

static void add_row(const Slab *slab, const int *number, int i, int j, int k, Rows *rows)
{
    double row[7];
    row_of(slab, i, j, k, row);
    long layer = (long)slab->n * slab->n, at = (long)cell(slab, i, j, k) + layer;
    long beside[6] = {-1, 1, -slab->n, slab->n, -layer, layer};
    int r = rows->next++;
    rows->index[r] = rows->first + r;
    rows->sizes[r] = 1;
    rows->columns[rows->filled] = number[at];
    rows->values[rows->filled++] = row[6];
    for (int side = 0; side < 6; side++)
        if (row[side] != 0.0) {
            rows->columns[rows->filled] = number[at + beside[side]];
            rows->values[rows->filled++] = row[side];
            rows->sizes[r]++;
        }
}

static Rows make_rows(const Slab *slab, double mean)
{
    Rows rows = {0};
    int *number = number_unknowns(slab, &rows.first, &rows.count);
    size_t count = (size_t)rows.count;
    rows.index = malloc((count + 1) * sizeof *rows.index);
    rows.sizes = malloc((count + 1) * sizeof *rows.sizes);
    rows.columns = malloc((7 * count + 1) * sizeof *rows.columns);
    rows.values = malloc((7 * count + 1) * sizeof *rows.values);
    rows.right = malloc((count + 1) * sizeof *rows.right);
    rows.zero = calloc(count + 1, sizeof *rows.zero);
    for (int k = 0; k < slab->layers; k++)
        for (int j = 0; j < slab->n; j++)
            for (int i = 0; i < slab->n; i++) {
                if (!is_unknown(slab, i, j, k))
                    continue;
                rows.right[rows.next] = (double)slab->right[cell(slab, i, j, k)] - mean;
                add_row(slab, number, i, j, k, &rows);
            }
    free(number);
    return rows;
}

static void free_rows(Rows *rows)
{
    free(rows->index);
    free(rows->sizes);
    free(rows->columns);
    free(rows->values);
    free(rows->right);
    free(rows->zero);
}

static HYPRE_IJMatrix create_matrix(const Rows *rows)
{
    HYPRE_IJMatrix a;
    int first = rows->first, last = first + rows->count - 1;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &a);
    HYPRE_IJMatrixSetObjectType(a, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(a, rows->sizes);
    HYPRE_IJMatrixInitialize(a);
    HYPRE_IJMatrixSetValues(a, rows->count, rows->sizes, rows->index, rows->columns, rows->values);
    HYPRE_IJMatrixAssemble(a);
    return a;
}

static HYPRE_IJVector create_vector(const Rows *rows, const double *values)
{
    HYPRE_IJVector v;
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, rows->first, rows->first + rows->count - 1, &v);
    HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(v);
    HYPRE_IJVectorSetValues(v, rows->count, rows->index, values);
    HYPRE_IJVectorAssemble(v);
    return v;
}

static HYPRE_Solver create_boomer(void)
{
    HYPRE_Solver precond;
    HYPRE_BoomerAMGCreate(&precond);
    HYPRE_BoomerAMGSetMaxIter(precond, 1);
    HYPRE_BoomerAMGSetTol(precond, 0.0);
    HYPRE_BoomerAMGSetCoarsenType(precond, 10);
    HYPRE_BoomerAMGSetInterpType(precond, 6);
    HYPRE_BoomerAMGSetPMaxElmts(precond, 4);
    HYPRE_BoomerAMGSetAggNumLevels(precond, 1);
    HYPRE_BoomerAMGSetStrongThreshold(precond, 0.25);
    HYPRE_BoomerAMGSetRelaxType(precond, 6);
    return precond;
}

static Outcome run_boomer(const Slab *slab, double mean)
{
    double begin = MPI_Wtime();
    Rows rows = make_rows(slab, mean);
    HYPRE_IJMatrix a = create_matrix(&rows);
    HYPRE_IJVector b = create_vector(&rows, rows.right), x = create_vector(&rows, rows.zero);
    HYPRE_ParCSRMatrix matrix;
    HYPRE_ParVector par_b, par_x;
    HYPRE_IJMatrixGetObject(a, (void **)&matrix);
    HYPRE_IJVectorGetObject(b, (void **)&par_b);
    HYPRE_IJVectorGetObject(x, (void **)&par_x);
    HYPRE_Solver solver, precond = create_boomer();
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &solver);
    HYPRE_PCGSetTol(solver, 1e-6);
    HYPRE_PCGSetTwoNorm(solver, 1);
    HYPRE_PCGSetMaxIter(solver, 200);
    HYPRE_PCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, precond);
    HYPRE_ParCSRPCGSetup(solver, matrix, par_b, par_x);
    Outcome outcome = {.setup = lap(&begin)};
    HYPRE_ParCSRPCGSolve(solver, matrix, par_b, par_x);
    outcome.solve = lap(&begin);
    HYPRE_PCGGetNumIterations(solver, &outcome.iterations);
    HYPRE_PCGGetFinalRelativeResidualNorm(solver, &outcome.residual);
    HYPRE_BoomerAMGDestroy(precond);
    HYPRE_ParCSRPCGDestroy(solver);
    HYPRE_IJVectorDestroy(x);
    HYPRE_IJVectorDestroy(b);
    HYPRE_IJMatrixDestroy(a);
    free_rows(&rows);
    return outcome;
}

static int compare_outcomes(const void *a, const void *b)
{
    const Outcome *x = a, *y = b;
    double d = (x->setup + x->solve) - (y->setup + y->solve);
    return d < 0.0 ? -1 : d > 0.0;
}

static void print_median(const Slab *slab, const char *name, Outcome *outcomes)
{
    qsort(outcomes, REPEATS, sizeof *outcomes, compare_outcomes);
    Outcome o = outcomes[REPEATS / 2];
    if (slab->rank == 0)
        printf("%s %.6f %.6f %d %.3e\n", name, o.setup, o.solve, o.iterations, o.residual);
}

// The mean of the right side where nothing fixes the pressure; one region is taken, as in P1.
static double mean_of_right(const Slab *slab)
{
    double sums[2] = {0.0, 0.0}, all[2];
    int is_fixed = 0, any_fixed;
    for (int k = 0; k < slab->layers; k++)
        for (int j = 0; j < slab->n; j++)
            for (int i = 0; i < slab->n; i++) {
                double row[7], sum = 0.0;
                if (!is_unknown(slab, i, j, k))
                    continue;
                row_of(slab, i, j, k, row);
                for (int e = 0; e < 7; e++)
                    sum += row[e];
                is_fixed |= sum > 1e-9;
                sums[0] += (double)slab->right[cell(slab, i, j, k)];
                sums[1] += 1.0;
            }
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&is_fixed, &any_fixed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any_fixed ? 0.0 : all[0] / all[1];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [boomer]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    HYPRE_Init();
    Slab slab = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &slab.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &slab.ranks);
    read_slab(&slab, argv[1]);
    double mean = mean_of_right(&slab);
    Outcome outcomes[REPEATS];
    for (int coarse_operator = 0; coarse_operator < 2; coarse_operator++) {
        for (int n = 0; n < REPEATS; n++)
            outcomes[n] = run_pfmg(&slab, 2, coarse_operator, mean);
        print_median(&slab, coarse_operator ? "pfmg-nongalerkin" : "pfmg", outcomes);
    }
    if (argc > 2)
        for (int n = 0; n < REPEATS; n++)
            outcomes[n] = run_boomer(&slab, mean);
    if (argc > 2)
        print_median(&slab, "boomeramg", outcomes);
    HYPRE_Finalize();
    MPI_Finalize();
    return 0;
}
