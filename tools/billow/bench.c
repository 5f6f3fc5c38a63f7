// billow bench [CASE]: runs one of the benchmarks of bench/, or lists them.
#include "options.h"

#include <stdio.h>

#ifdef BW_BENCH

#include "cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void list_cases(FILE *stream)
{
    for (const BenchCase *bench = bench_cases; bench->name != NULL; bench++)
        fprintf(stream, "  %-9s %-35s %s\n", bench->name, bench->arguments, bench->summary);
}

static const BenchCase *find_case(const char *name)
{
    const BenchCase *bench = bench_cases;
    while (bench->name != NULL && strcmp(bench->name, name) != 0)
        bench++;
    return bench->name != NULL ? bench : NULL;
}

// Ratios of runs with several threads mean little on a machine that has other work to do, so it is said.
static void print_load(const char *when)
{
    double load;
    if (getloadavg(&load, 1) == 1)
        printf("load %s: %.1f on %ld cores\n", when, load, sysconf(_SC_NPROCESSORS_ONLN));
    fflush(stdout);
}

int run_bench(const Command *command, int argument_count, char **arguments)
{
    if (argument_count == 0) {
        list_cases(stdout);
        return EXIT_DONE;
    }
    const BenchCase *bench = find_case(arguments[0]);
    if (bench == NULL) {
        fprintf(stderr, "billow: there is no benchmark \"%s\"; known:\n", arguments[0]);
        list_cases(stderr);
        return EXIT_USE;
    }
    if (bench->arguments[0] == '\0' && argument_count > 1) {
        fprintf(stderr, "billow: one argument too many: %s\n", arguments[1]);
        print_usage(command);
        return EXIT_USE;
    }
    print_load("before");
    int code = bench->run(argument_count, arguments);
    if (code == EXIT_DONE)
        print_load("after");
    return code;
}

#else

int run_bench(const Command *command, int argument_count, char **arguments)
{
    (void)command, (void)argument_count, (void)arguments;
    fprintf(stderr, "billow: this build has no benchmarks; configure with -DBW_BENCH=ON to have them\n");
    return EXIT_USE;
}

#endif
