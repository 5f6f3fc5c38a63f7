// What the subcommands share: reading their arguments, loading a scene, and telling of trouble.
#pragma once

#include "command.h"

#include <stdbool.h>

enum { SETTINGS_MAX = 64 };

typedef struct Options {
    const char *target; // the one argument that is no option, or NULL
    BwSetting settings[SETTINGS_MAX];
    int setting_count;
} Options;

// What an option takes, for a subcommand's own ones. `value` gets the text after --name, or "" for a flag.
typedef struct OptionDef {
    const char *name; // "--frames"
    bool takes_value;
    const char **value;
} OptionDef;

// Reads the arguments: the target, --set where `allow_set`, and the command's own options (a list that ends
// with a NULL name, or NULL). On a mistake it says so on stderr and returns false.
bool options_read(Options *options, const Command *command, bool allow_set, const OptionDef *own,
                  int argument_count, char **arguments);

// Says what is missing; false when there is no target.
bool options_need_target(const Options *options, const Command *command, const char *what);

// A whole number within bounds as the value of an option; where it was not given, `text` is NULL, the value
// stays. Says what is wrong.
bool options_read_count(const char *name, const char *text, int low, int high, int *value);

// Loads the scene that the options name; the script's print goes to stderr. Tells what is wrong and gives the
// exit code.
int load_scene(BwScene **scene, const Options *options);

// For commands that take SCENE and --set and nothing else: reads the arguments and loads the scene.
int open_scene(BwScene **scene, Options *options, const Command *command, int argument_count,
               char **arguments);

// Prints "billow: message" on stderr and gives the exit code of the result.
int report(BwResult result, const BwError *err);

void print_usage(const Command *command);
