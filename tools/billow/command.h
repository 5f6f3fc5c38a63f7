// A subcommand: a file with a run function, and a line in main.c's table.
#pragma once

#include <billow/billow.h>

enum { EXIT_DONE = 0, EXIT_USE = 1, EXIT_TROUBLE = 2, EXIT_INTERRUPTED = 130 };

typedef struct Command {
    const char *name;
    const char *arguments; // "SCENE [--set name=value]..."
    const char *summary;   // one line
    const char *help;      // more lines, or ""
    int (*run)(const struct Command *command, int argument_count, char **arguments);
} Command;

int run_bench(const Command *command, int argument_count, char **arguments);
int run_check(const Command *command, int argument_count, char **arguments);
int run_describe(const Command *command, int argument_count, char **arguments);
int run_export(const Command *command, int argument_count, char **arguments);
int run_info(const Command *command, int argument_count, char **arguments);
int run_render(const Command *command, int argument_count, char **arguments);
int run_resume(const Command *command, int argument_count, char **arguments);
int run_new(const Command *command, int argument_count, char **arguments);
int run_view(const Command *command, int argument_count, char **arguments);
int run_run(const Command *command, int argument_count, char **arguments);
