// billow describe [CONSTRUCTOR]: the reference of scene scripts.
#include "scene/describe.h"
#include "options.h"

#include <stdio.h>

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
    if (bw_describe(stdout, options.target))
        return EXIT_DONE;
    fprintf(stderr, "billow: there is no constructor \"%s\"; billow describe lists them\n", options.target);
    return EXIT_USE;
}
