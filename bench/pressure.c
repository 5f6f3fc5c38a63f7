// The pressure solve alone: `billow bench pressure [size,...] [method,...] [case,...] [threads]`. Cases P1 to
// P4, seconds of set-up and solve together (the solver's memory is kept between runs, as in a simulation),
// median of 5. Where bench_hypre was built it runs on the same matrices with as many MPI ranks, in the same
// run, and the ratio to its best method is printed.
#include "bench.h"
#include "cases.h"
#include "pressure_cases.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 5 };

typedef struct Method {
    const char *name;
    BwPressureMethod method;
    int size_max; // beyond it the method takes minutes
} Method;

static const Method methods[] = {{"multigrid", BW_PRESSURE_MULTIGRID, 1024},
                                 {"miccg", BW_PRESSURE_MICCG, 128},
                                 {"cg", BW_PRESSURE_CG, 128},
                                 {"relaxation", BW_PRESSURE_RELAXATION, 64}};
static const char *const case_names[PRESSURE_KINDS] = {"P1", "P2", "P3", "P4"};
static const char *const reasons[] = {"converged", "iterations", "stalled", "empty"};

// Writes the system as dense arrays: n, then unknowns (a byte a cell), three low faces and the right side
// (floats).
static bool write_system(const PressureCase *c, const char *path)
{
    FILE *file = fopen(path, "wb");
    size_t n = (size_t)c->n, cells = n * n * n;
    float *values = calloc(cells, sizeof *values);
    unsigned char *unknown = calloc(cells, 1);
    bool is_written = file != NULL && fwrite(&c->n, sizeof c->n, 1, file) == 1;
    for (int array = 0; array < 5 && is_written; array++) {
        for (int32_t m = 0; m < c->grid->tile_count; m++) {
            int32_t slot = c->grid->order[m];
            BwTileCoord t = c->grid->tiles[slot].coord;
            const BwField *field = array == 4 ? &c->right : array > 0 ? &c->face[array - 1] : NULL;
            for (int cell = 0; cell < 512; cell++) {
                size_t at = (size_t)(8 * t.x + (cell & 7)) +
                            n * ((size_t)(8 * t.y + (cell >> 3 & 7)) + n * (size_t)(8 * t.z + (cell >> 6)));
                if (field == NULL)
                    unknown[at] = bw_bit(bw_mask_tile(&c->unknown, slot), cell);
                else
                    values[at] = bw_field_tile(field, slot)[cell];
            }
        }
        is_written = array == 0 ? fwrite(unknown, 1, cells, file) == cells
                                : fwrite(values, sizeof *values, cells, file) == cells;
    }
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    free(values);
    free(unknown);
    return is_written;
}

// Runs the rival on the case and prints its lines and the ratio of its best to our seconds.
static void measure_hypre(const PressureCase *c, const char *name, double ours, int ranks)
{
#ifdef BENCH_HYPRE
    char path[] = "/tmp/bench_pressure_XXXXXX", command[512], line[256];
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        return;
    close(descriptor);
    double best = 1e30;
    snprintf(
        command, sizeof command,
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n %d --oversubscribe '%s' '%s'%s",
        ranks, BENCH_HYPRE, path, c->n <= 128 ? " boomer" : "");
    FILE *pipe = write_system(c, path) ? popen(command, "r") : NULL;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        char method[64];
        double setup, solve, residual;
        int iterations;
        if (sscanf(line, "%63s %lf %lf %d %lf", method, &setup, &solve, &iterations, &residual) != 5)
            continue;
        printf("%-3s %4d hypre %-16s %9.4f s (set-up %.4f) %5d iterations  residual %.2e\n", name, c->n,
               method, setup + solve, setup, iterations, residual);
        best = residual <= 1e-6 && setup + solve < best ? setup + solve : best;
    }
    if (pipe != NULL)
        pclose(pipe);
    unlink(path);
    if (best < 1e30)
        printf("%-3s %4d multigrid is %.1f times as fast as hypre's best\n", name, c->n, best / ours);
    fflush(stdout);
#else
    (void)c;
    (void)name;
    (void)ours;
    (void)ranks;
    (void)write_system;
#endif
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double measure(PressureCase *c, const char *name, const Method *method, BwPool *pool)
{
    BwPoissonSolver *solver;
    BwPoissonOptions options = {
        .method = method->method, .tolerance = 1e-6, .iterations_max = 5000, .relaxation = 1.7f};
    BwPoissonReport report = {0};
    BwError err = {0};
    double seconds[REPEATS];
    int repeats = method->method == BW_PRESSURE_MULTIGRID ? REPEATS : 1;
    if (bw_poisson_solver_create(&solver, NULL, pool, &err) != BW_OK)
        return 0.0;
    for (int n = method->method == BW_PRESSURE_MULTIGRID ? -1 : 0; n < repeats; n++) {
        pressure_case_reset(c);
        double begin = bw_clock_seconds();
        if (bw_poisson_solve(solver, &c->system, &options, &report, &err) != BW_OK)
            printf("%s\n", err.message);
        if (n >= 0)
            seconds[n] = bw_clock_seconds() - begin;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare_seconds);
    double median = seconds[repeats / 2];
    printf("%-3s %4d %-10s %9.4f s %5d iterations  residual %.2e %-10s %5.1f bytes/cell %7.1f ns/unknown  %d "
           "regions\n",
           name, c->n, method->name, median, report.iterations, report.residual, reasons[report.reason],
           (double)report.bytes / (double)c->tile_cells, 1e9 * median / (double)c->unknowns, report.regions);
    fflush(stdout);
    bw_poisson_solver_destroy(solver);
    return median;
}

// Whether a list with commas holds the word.
static bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool is_word(const char *word, int length, const char *name)
{
    return (int)strlen(name) == length && strncmp(word, name, (size_t)length) == 0;
}

static bool is_method(const char *word, int length)
{
    bool is_found = false;
    for (size_t n = 0; n < sizeof methods / sizeof *methods; n++)
        is_found |= is_word(word, length, methods[n].name);
    return is_found;
}

static bool is_case(const char *word, int length)
{
    bool is_found = false;
    for (int n = 0; n < PRESSURE_KINDS; n++)
        is_found |= is_word(word, length, case_names[n]);
    return is_found;
}

static bool is_size(const char *word, int length)
{
    (void)length;
    return atoi(word) >= BW_TILE && atoi(word) <= 1024;
}

static bool is_thread_count(const char *word, int length)
{
    (void)length;
    return atoi(word) >= 1 && atoi(word) <= BW_WORKERS_MAX;
}

typedef struct ArgumentKind {
    bool (*is_right)(const char *word, int length);
    const char *wanted;
} ArgumentKind;

static const ArgumentKind argument_kinds[] = {{is_size, "a size from 8 to 1024"},
                                              {is_method, "a method: multigrid, miccg, cg or relaxation"},
                                              {is_case, "a case: P1, P2, P3 or P4"},
                                              {is_thread_count, "a number of threads"}};

static bool check_arguments(int argument_count, char **arguments)
{
    if (argument_count > 5) {
        fprintf(stderr, "billow: one argument too many: %s\n", arguments[5]);
        return false;
    }
    for (int n = 1; n < argument_count; n++)
        for (const char *word = arguments[n]; word != NULL; word = strchr(word, ',')) {
            word += *word == ',';
            int length = (int)strcspn(word, ",");
            const ArgumentKind *kind = &argument_kinds[n - 1];
            if (kind->is_right(word, length))
                continue;
            fprintf(stderr, "billow: bench pressure: \"%.*s\" is not %s\n", length, word, kind->wanted);
            return false;
        }
    return true;
}

// Every method that is listed; multigrid goes first, and the others are compared with it.
static void compare_methods(PressureCase *c, int kind, const char *wanted, BwPool *pool)
{
    double multigrid = 0.0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const Method *method = &methods[m];
        if (!is_listed(wanted, method->name) || c->n > method->size_max)
            continue;
        double seconds = measure(c, case_names[kind], method, pool);
        if (method->method != BW_PRESSURE_MULTIGRID && multigrid > 0.0)
            printf("%-3s %4d multigrid is %.1f times as fast as %s\n", case_names[kind], c->n,
                   seconds / multigrid, method->name);
        if (method->method != BW_PRESSURE_MULTIGRID)
            continue;
        multigrid = seconds;
        if (kind <= PRESSURE_P3)
            measure_hypre(c, case_names[kind], seconds, bw_pool_worker_count(pool));
    }
}

int bench_pressure(int argument_count, char **arguments)
{
    if (!check_arguments(argument_count, arguments))
        return 1;
    char *sizes = argument_count > 1 ? arguments[1] : (char[]){"64,128"};
    const char *wanted = argument_count > 2 ? arguments[2] : "multigrid,miccg,cg,relaxation";
    const char *cases = argument_count > 3 ? arguments[3] : "P1,P2,P3,P4";
    BwPool *pool;
    BwPoolDef def = {.worker_count = argument_count > 4 ? atoi(arguments[4]) : 0};
    if (bw_pool_create(&pool, &def, NULL) != BW_OK)
        return 2;
    for (char *size = strtok(sizes, ","); size != NULL; size = strtok(NULL, ","))
        for (int kind = 0; kind < PRESSURE_KINDS; kind++) {
            if (!is_listed(cases, case_names[kind]))
                continue;
            PressureCase c;
            pressure_case_create(&c, (PressureCaseKind)kind, atoi(size) / BW_TILE * BW_TILE);
            compare_methods(&c, kind, wanted, pool);
            pressure_case_destroy(&c);
        }
    bw_pool_destroy(pool);
    return 0;
}
