// billow new NAME: writes a starter scene of a fluid, and never over a file that is there.
#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Starter {
    const char *fluid, *idea;
    int resolution, frames;
    const char *rest; // what follows the line of the scene
} Starter;

static const Starter starters[] = {
    {"smoke", "smoke that rises from a ball and meets another one", 64, 120,
     "-- A floor, and open air around: smoke leaves through open sides. Sides that are not named are walls.\n"
     "walls { min = {0, 0, 0}, max = {1, 2, 1}, top = \"open\",\n"
     "        left = \"open\", right = \"open\", front = \"open\", back = \"open\" }\n"
     "emitter { shape = sphere { center = {0.5, 0.15, 0.5}, radius = 0.1 },\n"
     "          density = 1, temperature = 400, velocity = {0, 0.5, 0} }\n"
     "obstacle { shape = sphere { center = {0, 0, 0}, radius = 0.15 },\n"
     "           motion = { position = function(t) return {0.5 + 0.2 * math.sin(3 * t), 1, 0.5} end } }\n"
     "output { movie = true }\n"},
    {"liquid", "a column of water is let go in a tank, splits at a post and climbs the far wall", 40, 72,
     "\n"
     "-- The tank, without a lid. A side that is \"open\" lets water out: right = \"open\". Lengths of "
     "whole\n"
     "-- eighths of a metre are whole cells at 32, 40, 48, 64 and 80 cells a metre.\n"
     "walls { min = {0, 0, 0}, max = {1.625, 1.5, 0.75}, top = \"open\" }\n"
     "\n"
     "-- The water at the start. There may be more fills, of any shape, and with a velocity = {1, 0, 0}.\n"
     "fill { shape = box { min = {0, 0, 0}, max = {0.625, 0.625, 0.75} } }\n"
     "\n"
     "-- What stands in its way. It may move: motion = { position = function(t) ... end }.\n"
     "obstacle { shape = box { min = {1.05, -0.1, 0.295}, max = {1.19, 0.42, 0.455} },\n"
     "           color = {0.75, 0.36, 0.22} }\n"
     "\n"
     "-- \"flip\" is livelier and noisier.\n"
     "liquid { method = \"apic\" }\n"
     "\n"
     "camera { position = {1.9, 1.2, 2.75}, target = {0.8, 0.6, 0.375}, field_of_view = deg(40) }\n"
     "light { direction = {-0.5, 1, 0.6} }\n"
     "light { direction = {0.8, 0.4, -0.3}, color = {0.6, 0.75, 1}, intensity = 0.4 }\n"
     "look { show_walls = true } -- the tank, as glass\n"
     "output { movie = true, width = 640, height = 360 }\n"},
    {"fire", "a camp fire: gas burns between logs, lights the ground and leaves smoke", 32, 72,
     "\n"
     "-- The air around, open on all sides but the ground. Leave room: fire draws air in from far away.\n"
     "walls { min = {-0.75, 0, -0.75}, max = {0.75, 2, 0.75},\n"
     "        left = \"open\", right = \"open\", back = \"open\", front = \"open\", top = \"open\" }\n"
     "\n"
     "-- How it burns. model = \"thin\" has a blue front and true expansion; see docs/fire.md.\n"
     "fire { model = \"simple\", fuel = { name = \"wood_gas\", soot = 0.1 }, cooling = 3500, burn_rate = 8,\n"
     "       confinement = 6 }\n"
     "\n"
     "-- What burns: gas that is hot enough from the start. An obstacle with a `fuel` burns by itself.\n"
     "emitter { shape = cylinder { from = {0, 0.04, 0}, to = {0, 0.14, 0}, radius = 0.22 },\n"
     "          fuel = 1, temperature = 800, noise = { amplitude = 1.2, size = 0.12, speed = 4 } }\n"
     "for n = 0, 4 do -- logs that lean on one another\n"
     "    local x, z = math.cos(deg(72 * n + 20)), math.sin(deg(72 * n + 20))\n"
     "    obstacle { shape = capsule { from = {0.42 * x, 0.05, 0.42 * z}, to = {0.04 * x, 0.3, 0.04 * z}, "
     "radius = 0.045 },\n"
     "               color = {0.33, 0.22, 0.15} }\n"
     "end\n"
     "\n"
     "camera { position = {1.6, 0.9, 2.4}, target = {0, 0.75, 0} }\n"
     "light { direction = {-0.5, 1, 0.3}, color = {0.5, 0.65, 1}, intensity = 0.06 } -- the moon\n"
     "look { ambient_light = 0.03, background = {0.02, 0.025, 0.035}, fire_brightness = 4 }\n"
     "output { movie = true, width = 640, height = 360 }\n"},
};
enum { STARTERS = sizeof starters / sizeof *starters };

// NULL, and said, where there is none of that fluid.
static const Starter *find_starter(const char *fluid)
{
    for (int n = 0; n < STARTERS; n++)
        if (strcmp(starters[n].fluid, fluid) == 0)
            return &starters[n];
    fprintf(stderr, "billow: there is no starter of --fluid %s; known:", fluid);
    for (int n = 0; n < STARTERS; n++)
        fprintf(stderr, "%s %s", n > 0 ? "," : "", starters[n].fluid);
    fputs("\n", stderr);
    return NULL;
}

// "a/plume.lua" gives "plume": its start and length.
static const char *title_of(const char *path, int *length)
{
    const char *slash = strrchr(path, '/');
    const char *title = slash != NULL ? slash + 1 : path;
    *length = (int)strcspn(title, ".\"\\");
    return title;
}

static bool write_starter(FILE *file, const Starter *starter, const char *path)
{
    int length;
    const char *title = title_of(path, &length);
    bool is_written =
        fprintf(file,
                "-- A scene: %s.\n"
                "-- billow describe tells every word; billow check %s checks this file.\n"
                "local resolution = param(\"resolution\", %d) -- cells a metre: --set resolution=%d for more "
                "detail\n"
                "\n"
                "scene { title = \"%.*s\", fluid = \"%s\", cell = 1 / resolution, frames = %d, fps = 24 }\n"
                "%s",
                starter->idea, path, starter->resolution, 2 * starter->resolution, length, title,
                starter->fluid, starter->frames, starter->rest) > 0;
    return fclose(file) == 0 && is_written;
}

int run_new(const Command *command, int argument_count, char **arguments)
{
    Options options;
    const char *fluid = "smoke";
    const OptionDef own[] = {{"--fluid", true, &fluid}, {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, arguments) ||
        !options_need_target(&options, command, "NAME"))
        return EXIT_USE;
    const Starter *starter = find_starter(fluid);
    if (starter == NULL)
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
    if (file == NULL || !write_starter(file, starter, path)) {
        fprintf(stderr, "billow: %s: could not be written\n", path);
        unlink(path);
        return EXIT_TROUBLE;
    }
    printf("wrote %s\n", path);
    return EXIT_DONE;
}
