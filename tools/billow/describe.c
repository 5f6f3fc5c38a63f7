// billow describe [CONSTRUCTOR]: the reference of scene scripts.
#include "scene/describe.h"
#include "formats.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static void describe_formats(void)
{
    printf("\nFormats: what billow export takes, the field that asks for it in a run, what it holds\n");
    for (int n = 0; n < format_count; n++) {
        const Format *format = &formats[n];
        bool is_built = format->is_built == NULL || format->is_built();
        printf("  %-10s %-10s %s%s\n", format->write != NULL ? format->name : "-",
               format->key != NULL ? format->key : "-", format->holds,
               is_built ? "" : " (not in this build)");
    }
}

int run_describe(const Command *command, int argument_count, char **arguments)
{
    Options options;
    if (!options_read(&options, command, false, NULL, argument_count, arguments))
        return EXIT_USE;
    if (options.target == NULL) {
        bw_describe_all(stdout);
        printf("\nbillow describe CONSTRUCTOR tells its fields.\n");
        return EXIT_DONE;
    }
    if (bw_describe(stdout, options.target)) {
        if (strcmp(options.target, "output") == 0)
            describe_formats();
        return EXIT_DONE;
    }
    fprintf(stderr, "billow: there is no constructor \"%s\"; billow describe lists them\n", options.target);
    return EXIT_USE;
}
