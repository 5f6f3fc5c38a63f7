// Arguments and errors of the subcommands.
#include "options.h"

#include "interrupt.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_usage(const Command *command)
{
    fprintf(stderr, "usage: billow %s %s\n", command->name, command->arguments);
}

static bool read_setting(Options *options, char *text)
{
    char *equals = text != NULL ? strchr(text, '=') : NULL;
    if (equals == NULL || equals == text) {
        fprintf(stderr, "billow: --set %s; it must be --set name=value\n", text != NULL ? text : "is alone");
        return false;
    }
    if (options->setting_count == SETTINGS_MAX) {
        fprintf(stderr, "billow: more than %d --set\n", SETTINGS_MAX);
        return false;
    }
    *equals = '\0';
    options->settings[options->setting_count++] = (BwSetting){text, equals + 1};
    return true;
}

static const OptionDef *find_option(const OptionDef *own, const char *name)
{
    for (; own != NULL && own->name != NULL; own++)
        if (strcmp(own->name, name) == 0)
            return own;
    return NULL;
}

static bool refuse(const Command *command, const char *format, const char *text)
{
    fprintf(stderr, format, text);
    print_usage(command);
    return false;
}

// What looks like the next option is hardly meant as a value; a file of that name may be given as ./--name.
static bool refuse_next(const Command *command, const char *option, const char *next)
{
    fprintf(stderr, "billow: %s needs a value; what follows it is %s\n", option, next);
    print_usage(command);
    return false;
}

bool options_read(Options *options, const Command *command, bool allow_set, const OptionDef *own,
                  int argument_count, char **arguments)
{
    *options = (Options){0};
    for (int n = 0; n < argument_count; n++) {
        char *argument = arguments[n];
        const OptionDef *option = find_option(own, argument);
        if (option != NULL) {
            if (option->takes_value && n + 1 == argument_count)
                return refuse(command, "billow: %s needs a value\n", argument);
            if (option->takes_value && strncmp(arguments[n + 1], "--", 2) == 0)
                return refuse_next(command, argument, arguments[n + 1]);
            *option->value = option->takes_value ? arguments[++n] : "";
        } else if (allow_set && strcmp(argument, "--set") == 0) {
            n++;
            if (!read_setting(options, n < argument_count ? arguments[n] : NULL))
                return false;
        } else if (argument[0] == '-' && argument[1] != '\0') {
            return refuse(command, "billow: unknown option %s\n", argument);
        } else if (options->target != NULL) {
            return refuse(command, "billow: one argument too many: %s\n", argument);
        } else {
            options->target = argument;
        }
    }
    return true;
}

bool options_need_target(const Options *options, const Command *command, const char *what)
{
    return options->target != NULL || refuse(command, "billow: %s is missing\n", what);
}

bool options_read_count(const char *name, const char *text, int low, int high, int *value)
{
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && number >= low && number <= high) {
        *value = (int)number;
        return true;
    }
    fprintf(stderr, "billow: %s is \"%s\"; it must be a whole number from %d to %d\n", name, text, low, high);
    return false;
}

int report(BwResult result, const BwError *err)
{
    if (result == BW_OK)
        return EXIT_DONE;
    fputs("billow: ", stderr);
    say(stderr, err->message);
    fputs("\n", stderr);
    if (result == BW_ERR_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return result == BW_ERR_SCENE || result == BW_ERR_DEF ? EXIT_USE : EXIT_TROUBLE;
}

static void print_message(void *user, BwLogLevel level, const char *message)
{
    (void)user;
    (void)level;
    loading_clear();
    say_lines(stderr, message);
    fputs("\n", stderr);
}

int load_scene(BwScene **scene, const Options *options)
{
    BwError err;
    BwSceneLoad load = {.log = {.write = print_message},
                        .watch = loading_watch(),
                        .settings = options->settings,
                        .setting_count = options->setting_count};
    BwResult result = bw_scene_load(scene, options->target, &load, &err);
    loading_clear();
    int code = report(result, &err);
    return result == BW_ERR_FILE ? EXIT_USE
                                 : code; // a scene file that is not there is wrong use, not trouble
}

int open_scene(BwScene **scene, Options *options, const Command *command, int argument_count,
               char **arguments)
{
    if (!options_read(options, command, true, NULL, argument_count, arguments) ||
        !options_need_target(options, command, "SCENE"))
        return EXIT_USE;
    return load_scene(scene, options);
}
