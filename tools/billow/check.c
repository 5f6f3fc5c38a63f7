// billow check SCENE: validates a scene and runs nothing.
#include "options.h"
#include "say.h"

#include <stdio.h>

int run_check(const Command *command, int argument_count, char **arguments)
{
    Options options;
    BwScene *scene;
    BwError err;
    int code = open_scene(&scene, &options, command, argument_count, arguments);
    if (code != EXIT_DONE)
        return code;
    printf("%s: valid scene", options.target);
    if (bw_scene_def_check_runnable(bw_scene_view_def(scene), &err) != BW_OK) {
        printf(", but this version does not run it: ");
        say(stdout, err.message);
    }
    printf("\n");
    bw_scene_destroy(scene);
    return EXIT_DONE;
}
