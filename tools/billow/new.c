// billow new NAME: writes a starter scene, and never over a file that is there.
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char starter[] =
    "-- A scene: smoke that rises from a ball and meets another one.\n"
    "-- billow describe tells every word; billow check %s checks this file.\n"
    "local resolution = param(\"resolution\", 64) -- cells a metre: --set resolution=128 for more detail\n"
    "\n"
    "scene { title = \"%.*s\", fluid = \"smoke\", cell = 1 / resolution, frames = 120, fps = 24 }\n"
    "walls { min = {0, 0, 0}, max = {1, 2, 1}, top = \"open\" }\n"
    "emitter { shape = sphere { center = {0.5, 0.15, 0.5}, radius = 0.1 },\n"
    "          density = 1, temperature = 400, velocity = {0, 0.5, 0} }\n"
    "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },\n"
    "           motion = { position = function(t) return {0.5 + 0.2 * math.sin(3 * t), 1, 0.5} end } }\n"
    "output { movie = true }\n";

// "a/plume.lua" gives "plume": its start and length.
static const char *title_of(const char *path, int *length)
{
    const char *slash = strrchr(path, '/');
    const char *title = slash != NULL ? slash + 1 : path;
    *length = (int)strcspn(title, ".\"\\");
    return title;
}

static bool write_starter(FILE *file, const char *path)
{
    int length;
    const char *title = title_of(path, &length);
    bool is_written = fprintf(file, starter, path, length, title) > 0;
    return fclose(file) == 0 && is_written;
}

int run_new(const Command *command, int argument_count, char **arguments)
{
    Options options;
    if (!options_read(&options, command, false, NULL, argument_count, arguments) ||
        !options_need_target(&options, command, "NAME"))
        return EXIT_USE;
    char path[1000];
    size_t length = strlen(options.target);
    bool has_ending = length > 4 && strcmp(options.target + length - 4, ".lua") == 0;
    if (snprintf(path, sizeof path, "%s%s", options.target, has_ending ? "" : ".lua") >= (int)sizeof path) {
        fprintf(stderr, "billow: NAME is longer than %d bytes\n", (int)sizeof path - 5);
        return EXIT_USE;
    }
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        bool is_there = errno == EEXIST;
        if (is_there)
            fprintf(stderr, "billow: %s is there already; it is not overwritten\n", path);
        else
            fprintf(stderr, "billow: could not create %s: %s\n", path, strerror(errno));
        return is_there ? EXIT_USE : EXIT_TROUBLE;
    }
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL || !write_starter(file, path)) {
        fprintf(stderr, "billow: %s: could not be written\n", path);
        unlink(path);
        return EXIT_TROUBLE;
    }
    printf("wrote %s\n", path);
    return EXIT_DONE;
}
