// The billow command: picks the subcommand, which lives in a file of its own.
#include <billow/billow.h>

#include <stdio.h>
#include <string.h>

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--version") == 0) {
        printf("billow %s\n", bw_version());
        return 0;
    }
    fprintf(stderr, "usage: billow --version\n");
    return 1;
}
