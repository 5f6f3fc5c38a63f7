// billow run SCENE: simulates a scene and writes its folder: stats, pictures, a movie.
#include "options.h"
#include "progress.h"
#include "run_folder.h"

#include "base/error.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

// The one thing a signal may touch.
static volatile int stop_request;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_request = 1;
}

// Whoever read our lines and has gone wants no more of them either.
static void listen_to_signals(void)
{
    signal(SIGINT, ask_to_stop);
    signal(SIGTERM, ask_to_stop);
    signal(SIGPIPE, ask_to_stop);
}

typedef struct Arguments {
    Options options;
    const char *folder, *frames, *threads, *force, *quiet, *json;
    int frame_count, thread_count;
} Arguments;

// A whole number within bounds, or the default where the option was not given.
static bool read_count(const char *name, const char *text, int low, int high, int *value)
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

static bool read_arguments(Arguments *arguments, const Command *command, int count, char **words)
{
    *arguments = (Arguments){0};
    const OptionDef own[] = {{"-o", true, &arguments->folder},
                             {"--frames", true, &arguments->frames},
                             {"--threads", true, &arguments->threads},
                             {"--force", false, &arguments->force},
                             {"--quiet", false, &arguments->quiet},
                             {"--json", false, &arguments->json},
                             {NULL, false, NULL}};
    return options_read(&arguments->options, command, true, own, count, words) &&
           options_need_target(&arguments->options, command, "SCENE") &&
           read_count("--frames", arguments->frames, 1, 1000000, &arguments->frame_count) &&
           read_count("--threads", arguments->threads, 1, 256, &arguments->thread_count);
}

static ProgressStyle style_of(const Arguments *arguments)
{
    if (arguments->json != NULL)
        return PROGRESS_JSON;
    return arguments->quiet != NULL ? PROGRESS_QUIET : PROGRESS_LINES;
}

// What a run holds while it goes.
typedef struct Run {
    BwWorld *world;
    RunFolder *folder;
    Progress progress;
    int frame_count;
} Run;

static BwResult write_frame(Run *run, BwError *err)
{
    const BwFrame *frame = bw_world_view_frame(run->world, err);
    return frame != NULL ? run_folder_add_frame(run->folder, frame, err) : err->code;
}

static BwResult make_frame(Run *run, BwError *err)
{
    BW_TRY(bw_world_step_frame(run->world, &stop_request, err));
    const BwStats *stats = bw_world_view_stats(run->world);
    BW_TRY(run_folder_add_stats(run->folder, stats, err));
    BW_TRY(write_frame(run, err));
    progress_frame(&run->progress, stats);
    return BW_OK;
}

static BwResult simulate(Run *run, BwError *err)
{
    BW_TRY(write_frame(run, err));
    for (int n = 1; n <= run->frame_count; n++) {
        if (stop_request != 0)
            return BW_ERR_INTERRUPTED;
        BW_TRY(make_frame(run, err));
    }
    return BW_OK;
}

// Runs, then ends the folder's files whatever happened, so that what is there is whole.
static int carry_out(Run *run)
{
    BwError err = {0}, end_err = {0};
    BwResult result = simulate(run, &err);
    progress_end(&run->progress);
    BwResult end_result = run_folder_finish(run->folder, &end_err);
    if (result != BW_OK && result != BW_ERR_INTERRUPTED)
        return report(result, &err);
    if (end_result != BW_OK)
        return report(end_result, &end_err);
    const char *folder = run_folder_path(run->folder);
    if (result == BW_ERR_INTERRUPTED) {
        fprintf(stderr, "billow: stopped after frame %d of %d; what is in %s is whole\n", run->progress.frame,
                run->frame_count, folder);
        return EXIT_INTERRUPTED;
    }
    return progress_summary(&run->progress, folder, run_folder_movie(run->folder)) ? EXIT_DONE : EXIT_TROUBLE;
}

static BwResult create_world(Run *run, const BwSceneDef *scene, int worker_count, BwError *err)
{
    BwWorldDef def = bw_world_def_default();
    def.scene = scene;
    def.worker_count = worker_count;
    def.log = progress_log(&run->progress);
    return bw_world_create(&run->world, &def, err);
}

// The world comes before the folder: a scene that cannot run leaves nothing behind.
static int run_scene(const Arguments *arguments, const BwScene *scene)
{
    BwError err = {0};
    const BwSceneDef *def = bw_scene_view_def(scene);
    RunFolderDef folder = {.scene = def,
                           .scene_path = arguments->options.target,
                           .path = arguments->folder,
                           .frame_count = arguments->frame_count > 0 ? arguments->frame_count
                                                                     : bw_scene_def_frame_count(def),
                           .worker_count = arguments->thread_count,
                           .overwrite = arguments->force != NULL};
    folder.params = bw_scene_view_params(scene, &folder.param_count);
    Run run = {.frame_count = folder.frame_count,
               .progress = progress_begin(style_of(arguments), folder.frame_count)};
    BwResult result = run_folder_check(&folder, &err);
    if (result == BW_OK)
        result = create_world(&run, def, arguments->thread_count, &err);
    if (result == BW_OK)
        result = run_folder_create(&run.folder, &folder, &err);
    int code = result == BW_OK ? carry_out(&run) : report(result, &err);
    run_folder_destroy(run.folder);
    bw_world_destroy(run.world);
    return code;
}

int run_run(const Command *command, int argument_count, char **words)
{
    Arguments arguments;
    BwScene *scene;
    if (!read_arguments(&arguments, command, argument_count, words))
        return EXIT_USE;
    listen_to_signals();
    int code = load_scene(&scene, &arguments.options);
    if (code != EXIT_DONE)
        return code;
    code = run_scene(&arguments, scene);
    bw_scene_destroy(scene);
    return code;
}
