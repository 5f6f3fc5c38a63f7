// billow check SCENE: validates a scene and runs nothing.
#include "base/file.h"
#include "options.h"
#include "run_cache.h"
#include "say.h"

#include <stdio.h>

// A recorded run is looked for where `run` would open it; its frames are read only then, for it may be large.
static BwResult check_recording(const BwSceneDef *def, BwError *err)
{
    char path[RUN_PATH_SIZE];
    if (def->fluid != BW_FLUID_RECORDED)
        return BW_OK;
    BW_TRY(run_frame_path(path, def->recorded.run, 0, err));
    if (bw_file_exists(path))
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE,
                   "recorded.run \"%s\" has no cache/frame_0000.h5; it must be the folder of a run with "
                   "output { record = true }",
                   def->recorded.run);
}

int run_check(const Command *command, int argument_count, char **arguments)
{
    Options options;
    BwScene *scene;
    BwError err;
    int code = open_scene(&scene, &options, command, argument_count, arguments);
    if (code != EXIT_DONE)
        return code;
    printf("%s: valid scene", options.target);
    const BwSceneDef *def = bw_scene_view_def(scene);
    if (bw_scene_def_check_runnable(def, &err) != BW_OK) {
        printf(", but this version does not run it: ");
        say(stdout, err.message);
    } else if (check_recording(def, &err) != BW_OK) {
        printf(", but what it takes its liquid from is not there: ");
        say(stdout, err.message);
    }
    printf("\n");
    bw_scene_destroy(scene);
    return EXIT_DONE;
}
