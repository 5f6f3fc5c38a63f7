// A host program that speaks a language with decimal commas: by a locale of the system or, where it has none,
// by one that localedef makes of a few lines.
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool comma_locale_set(const char *name)
{
    return setlocale(LC_NUMERIC, name) != NULL && strcmp(localeconv()->decimal_point, ",") == 0;
}

static inline bool comma_locale_make(void)
{
    char folder[] = "/tmp/billow-locale-XXXXXX", command[300];
    if (mkdtemp(folder) == NULL)
        return false;
    snprintf(command, sizeof command,
             "cd %s && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\ngrouping 3\\n"
             "END LC_NUMERIC\\n' >source && localedef -c -i source -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1",
             folder);
    int result = system(command); // not 0 by its warnings already
    setenv("LOCPATH", folder, 1);
    bool is_set = result != -1 && comma_locale_set("comma");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 && is_set;
}

// False, with a word about it, where no such locale is to be had. setlocale(LC_NUMERIC, "C") ends it.
static inline bool comma_locale_begin(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR", "nl_NL.UTF-8"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (comma_locale_set(names[n]))
            return true;
    if (comma_locale_make())
        return true;
    setlocale(LC_NUMERIC, "C");
    fprintf(stderr, "no locale with a decimal comma on this system, and localedef makes none\n");
    return false;
}
