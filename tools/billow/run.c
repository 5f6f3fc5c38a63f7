// billow run SCENE: simulates a scene and writes its folder: stats, pictures, a movie.
#include "estimate.h"
#include "interrupt.h"
#include "run_lock.h"
#include "simulate.h"

#include "base/checksum.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct Arguments {
    Options options;
    RunOptions run;
    const char *folder;
} Arguments;

static bool read_arguments(Arguments *arguments, const Command *command, int count, char **words)
{
    *arguments = (Arguments){0};
    const OptionDef own[] = {
        {"-o", true, &arguments->folder}, RUN_OPTIONS(&arguments->run), {NULL, false, NULL}};
    return options_read(&arguments->options, command, true, own, count, words) &&
           options_need_target(&arguments->options, command, "SCENE") && run_options_read(&arguments->run);
}

// The world comes before the files: a scene that cannot run leaves nothing behind.
static int run_in_folder(Run *run, const Arguments *arguments, const BwScene *scene, RunFolderDef *def)
{
    BwError err = {0};
    const RunOptions *options = &arguments->run;
    BwResult result = run_folder_check(def, &err);
    if (result == BW_OK && options->force == NULL)
        result = estimate_check(scene, def->frame_count, def->path, &err);
    if (result == BW_OK)
        result = run_create_world(run, def, &err);
    if (result == BW_OK && (def->scene->output.movie || def->scene->output.images))
        def->view = framing_find(def->scene, def->worker_count);
    if (result == BW_OK)
        result = run_folder_create(&run->folder, def, &err);
    int code = result == BW_OK ? run_carry_out(run) : report(result, &err);
    run_end(run);
    return code;
}

// A number that no other run has, but by the odds of 64 bits.
static uint64_t new_run_id(void)
{
    uint64_t id = 0;
    FILE *stream = fopen("/dev/urandom", "rb");
    if (stream == NULL || fread(&id, sizeof id, 1, stream) != 1)
        id = bw_mix(bw_mix(0, (uint64_t)time(NULL)), (uint64_t)getpid());
    if (stream != NULL)
        fclose(stream);
    return id != 0 ? id : 1;
}

// The folder is ours from the first look to the last write.
static int run_scene(const Arguments *arguments, const BwScene *scene)
{
    BwError err = {0};
    RunLock lock;
    char path[RUN_PATH_SIZE];
    const BwSceneDef *def = bw_scene_view_def(scene);
    const RunOptions *options = &arguments->run;
    RunFolderDef folder = {.scene = def,
                           .scene_path = arguments->options.target,
                           .path = arguments->folder,
                           .settings = arguments->options.settings,
                           .setting_count = arguments->options.setting_count,
                           .frame_count = options->frame_count > 0 ? options->frame_count
                                                                   : bw_scene_def_frame_count(def),
                           .worker_count = options->thread_count,
                           .run_id = new_run_id(),
                           .overwrite = options->force != NULL};
    folder.params = bw_scene_view_params(scene, &folder.param_count);
    folder.files = bw_scene_view_files(scene, &folder.file_count);
    Run run = {.frame_count = folder.frame_count,
               .progress = progress_begin(run_progress_style(options), folder.frame_count)};
    BwResult result = run_folder_choose(path, &folder, &err);
    if (result == BW_OK)
        result = run_lock_take(&lock, path, "run", true, &err);
    if (result != BW_OK)
        return report(result, &err);
    folder.path = path;
    int code = run_in_folder(&run, arguments, scene, &folder);
    run_lock_release(&lock);
    return code;
}

int run_run(const Command *command, int argument_count, char **words)
{
    Arguments arguments;
    BwScene *scene;
    if (!read_arguments(&arguments, command, argument_count, words))
        return EXIT_USE;
    interrupt_listen(arguments.run.quiet != NULL || arguments.run.json != NULL);
    int code = load_scene(&scene, &arguments.options);
    if (code != EXIT_DONE)
        return code;
    code = run_scene(&arguments, scene);
    bw_scene_destroy(scene);
    return code;
}
