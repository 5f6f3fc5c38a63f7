// The billow command: picks the subcommand, which lives in a file of its own.
#include "base/cpu.h"
#include "command.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

#define SETTINGS_HELP "  --set name=value   gives a param of the scene another value; may be repeated\n"

static const Command commands[] = {
    {"run", "SCENE [-o DIR] [OPTION]...", "simulate a scene: a movie, pictures, stats",
     "  -o DIR             where the run goes; default out/<scene name>\n"
     "  --frames N         how many frames, instead of what the scene says\n" SETTINGS_HELP
     "  --threads N        how many threads work; default one per core; results are the same for any number\n"
     "  --force            overwrites the run that is in DIR, and runs what looks too large\n"
     "  --quiet            says nothing but what goes wrong\n"
     "  --json             prints a line of stats a frame, as in DIR/stats.jsonl\n"
     "Ctrl-C stops after the step it meets and leaves whole files; a second one stops at once.\n",
     run_run},
    {"resume", "DIR [OPTION]...", "go on with a run from its last whole checkpoint",
     "  --frames N         how many frames in all, to make the run longer\n"
     "  --threads N        how many threads work; results are the same for any number\n"
     "  --force            goes on although the scene has changed\n"
     "  --quiet            says nothing but what goes wrong\n"
     "  --json             prints a line of stats a frame, as in DIR/stats.jsonl\n",
     run_resume},
    {"render", "DIR [-o FILE] [--frame N] [--threads N] [--force]",
     "draw a run again from the frames it kept",
     "  -o FILE            a movie, FILE.mp4, one frame, FILE.png, or FOLDER/: a PNG a frame;\n"
     "                     default what the scene asks for: DIR/movie.mp4, DIR/images\n"
     "  --frame N          the frame that FILE.png shows; default the last\n"
     "  --threads N        how many threads work; pictures are the same for any number\n"
     "  --force            draws although the scene has changed in more than its picture\n",
     run_render},
    {"export", "DIR --to FORMAT [OPTION]...", "volumes, particles or meshes of a run from what it kept",
     "  --to FORMAT        one of those that billow describe output lists, such as vdb or vtk\n"
     "  -o DIR             where they go; default the run's own folder\n"
     "  --mesh-resolution N  of ply, obj, gltf: cells of the mesh along a cell, 1 to 4; default the scene's\n"
     "  --mesh-smoothing N   of ply, obj, gltf: rounds, 0 to 100; default the scene's\n"
     "  --mesh-from WHAT     of ply, obj, gltf: levelset or particles; default the scene's\n"
     "  --threads N        how many threads work; files are the same for any number\n"
     "  --force            exports although the scene has changed\n",
     run_export},
    {"view", "[SCENE|DIR] [OPTION]...", "a live window: draw into smoke and water with the mouse",
     "Without a SCENE it shows Stam's box; of a DIR it plays what the run kept. h in the window tells the "
     "keys.\n"
     "  --list             shows the scenes of the gallery\n" SETTINGS_HELP
     "  --record FILE      writes all that was done, as events, when the window closes\n"
     "  --replay FILE      does it again, to the same bits, and goes on from there\n"
     "  --paused           waits for the space key\n"
     "  --steps N          closes after N steps, or frames of a run\n"
     "  --capture FILE     with --steps: a PNG of the last picture\n"
     "  --width N, --height N  of the window\n"
     "  --threads N        how many threads work\n",
     run_view},
    {"info", "SCENE|DIR|FILE [--set name=value]...", "what a scene, a run or a file of one holds",
     SETTINGS_HELP, run_info},
    {"check", "SCENE [--set name=value]...", "validate a scene, run nothing", SETTINGS_HELP, run_check},
    {"describe", "[CONSTRUCTOR]", "every field, unit, default and meaning", "", run_describe},
    {"new", "NAME [--fluid FLUID]", "write NAME.lua, a starter scene",
     "  --fluid FLUID      smoke (default) or liquid\n", run_new},
    {"bench", "[CASE [ARGUMENT]...]", "speed, side by side, as ratios", "Without a CASE it lists them.\n",
     run_bench},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: billow COMMAND ...\n\n");
    for (int n = 0; n < COMMAND_COUNT; n++)
        fprintf(stream, "  %-9s %-32s %s\n", commands[n].name, commands[n].arguments, commands[n].summary);
    fprintf(stream, "\nbillow COMMAND --help tells more. Exit codes: 0 done, 1 wrong use or wrong scene,\n"
                    "2 trouble while running, 130 interrupted.\n");
}

static void print_command_help(const Command *command)
{
    printf("billow %s %s\n%s.\n%s", command->name, command->arguments, command->summary, command->help);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int run_command(const Command *command, int argument_count, char **arguments)
{
    for (int n = 0; n < argument_count; n++) {
        if (asks_for_help(arguments[n])) {
            print_command_help(command);
            return EXIT_DONE;
        }
    }
    return command->run(command, argument_count, arguments);
}

static int print_version(void)
{
    BwCpu cpu;
    BwError err = {0};
    printf("billow %s\n", bw_version());
    BwResult result = bw_cpu_choose(&cpu, &err);
    if (result == BW_OK)
        printf("instruction set: %s\n", bw_instruction_set());
    printf("water is drawn from its %s\n",
           bw_water_mesh_is_built() ? "mesh (Embree)" : "level set (libembree-dev brings its mesh)");
    return report(result, &err);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        print_help(stderr);
        return EXIT_USE;
    }
    const char *name = arguments[1];
    if (asks_for_help(name) || strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0)
        return print_version();
    for (int n = 0; n < COMMAND_COUNT; n++)
        if (strcmp(commands[n].name, name) == 0)
            return run_command(&commands[n], argument_count - 2, arguments + 2);
    fprintf(stderr, "billow: unknown command \"%s\"\n", name);
    print_help(stderr);
    return EXIT_USE;
}
