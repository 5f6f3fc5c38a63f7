// billow view SCENE|DIR: the live window. The viewer is a library of its own on the public API; this file
// reads the arguments and finds what a folder has recorded.
#include "options.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BW_VIEWER
#include "past.h"
#include "run_frames.h"
#include "viewer.h"

#include "base/error.h"

#include <sys/stat.h>
#endif

static int is_script(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".lua") == 0;
}

static void list_scene(const char *folder, const char *name)
{
    char path[1000];
    BwScene *scene = NULL;
    BwError err;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (bw_scene_load(&scene, path, NULL, &err) == BW_OK) {
        const BwSceneDef *def = bw_scene_view_def(scene);
        static const char *const fluids[] = {
#define X(fluid, text) text,
            BW_FLUIDS(X)
#undef X
        };
        printf("  %-38s %d-D %-7s %s\n", path, def->dimension, fluids[def->fluid], def->title);
    }
    bw_scene_destroy(scene);
}

// The gallery is in the tree that Billow was cloned as.
static int list_gallery(void)
{
    static const char folder[] = "scenes/gallery";
    struct dirent **entries;
    int count = scandir(folder, &entries, is_script, alphasort);
    if (count < 0) {
        fprintf(stderr, "billow: there is no %s here; --list shows it from the folder that holds it\n",
                folder);
        return EXIT_USE;
    }
    printf(
        "billow view            Stam's box, for the mouse\nbillow view SCENE      any scene; the gallery:\n");
    for (int n = 0; n < count; n++) {
        list_scene(folder, entries[n]->d_name);
        free(entries[n]);
    }
    free(entries);
    return EXIT_DONE;
}

#ifdef BW_VIEWER

static bool is_folder(const char *path)
{
    struct stat info;
    return path != NULL && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// When a window closes by itself, and what it leaves.
typedef struct Ending {
    bool closes;
    int steps;           // after so many
    const char *capture; // a picture of the last one; NULL: none
} Ending;

// Whoever ends the command closes the window, and what is recorded is kept.
static volatile sig_atomic_t must_close;

static void close_window(int signal_number)
{
    (void)signal_number;
    must_close = 1;
}

// One step after the other is asked for, so that the window closes after just as many; a replay has a pace of
// its own.
static BwResult look(Viewer *viewer, const Ending *ending, BwError *err)
{
    char trouble[1100];
    int64_t asked = 0;
    while (!must_close && viewer_frame(viewer)) {
        const Snapshot *snapshot = viewer_snapshot(viewer);
        bool is_wrong = simulation_trouble(viewer_simulation(viewer), trouble, sizeof trouble);
        if (!ending->closes)
            continue;
        if (is_wrong) // with the scene, unless it has begun to run
            return bw_fail(err, snapshot == NULL ? BW_ERR_SCENE : BW_ERR_NUMERICS, "%.1000s", trouble);
        if (snapshot == NULL || snapshot->steps < asked)
            continue;
        if (snapshot->steps >= ending->steps)
            return ending->capture != NULL ? viewer_capture(viewer, ending->capture, err) : BW_OK;
        if (simulation_is_paused(viewer_simulation(viewer)))
            simulation_step(viewer_simulation(viewer));
        asked = snapshot->steps + 1;
    }
    return BW_OK;
}

static int show(const ViewerDef *def, const Ending *ending)
{
    Viewer *viewer;
    BwError err = {0};
    BwResult result = viewer_create(&viewer, def, &err);
    if (result == BW_ERR_BACKEND) {
        fprintf(stderr, "billow: %s\n", err.message);
        return EXIT_USE;
    }
    if (result == BW_OK) {
        BwError end = {0};
        signal(SIGINT, close_window);
        signal(SIGTERM, close_window);
        result = look(viewer, ending, &err);
        BwResult last = viewer_destroy(viewer, &end);
        if (result == BW_OK && last != BW_OK) {
            result = last;
            err = end;
        }
    }
    return report(result, &err);
}

// What a run kept, and the last frame that was told to be damaged.
typedef struct Kept {
    FrameSource source;
    int told;
} Kept;

// A frame that cannot be read is shown by the one before it, and told once; the start needs no file.
static const BwFrame *view_frame(void *user, int number, BwError *err)
{
    Kept *kept = user;
    const BwFrame *frame = frame_source_view(&kept->source, number, err);
    for (int before = number - 1; frame == NULL && err->code != BW_ERR_MEMORY && before >= 0; before--) {
        if (before == number - 1 && number > kept->told && err->code != BW_ERR_DEF) {
            fprintf(stderr, "billow: %s; the frame before it is shown\n", err->message);
            kept->told = number;
        }
        frame = frame_source_view(&kept->source, before, err);
    }
    return frame;
}

static int show_run(ViewerDef *def, const Ending *ending, const char *folder)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    int last = -1, code;
    BwResult result = past_take_over(&past, &scene, folder, "view", false, &err);
    if (result == BW_OK)
        result = run_frames_last(folder, &last, &err);
    if (result == BW_OK && last < 0) {
        fprintf(stderr, "billow: %s kept no frames to show; output.keep_frames must not be 0 for that\n",
                folder);
        code = EXIT_USE;
    } else if (result == BW_OK) {
        Kept kept = {.source = {.folder = folder, .scene = bw_scene_view_def(scene), .run_id = past.run_id},
                     .told = -1};
        Recording recording = {&kept, last, view_frame, scene, kept.source.scene->fps};
        def->simulation.recording = &recording;
        Ending within = *ending;
        within.steps = ending->steps < last ? ending->steps : last;
        code = show(def, &within);
        frame_source_end(&kept.source);
    } else {
        code = report(result, &err);
    }
    past_release(&past);
    bw_scene_destroy(scene);
    return code;
}

enum { NUMBER_MAX = 16384 };

int run_view(const Command *command, int argument_count, char **arguments)
{
    Options options;
    const char *list = NULL, *record = NULL, *replay = NULL, *threads = NULL, *width = NULL, *height = NULL,
               *paused = NULL, *steps = NULL;
    Ending ending = {0};
    const OptionDef own[] = {{"--list", false, &list},
                             {"--record", true, &record},
                             {"--replay", true, &replay},
                             {"--threads", true, &threads},
                             {"--width", true, &width},
                             {"--height", true, &height},
                             {"--paused", false, &paused},
                             {"--steps", true, &steps},
                             {"--capture", true, &ending.capture},
                             {NULL, false, NULL}};
    ViewerDef def = viewer_def_default();
    if (!options_read(&options, command, true, own, argument_count, arguments) ||
        !options_read_count("--threads", threads, 1, NUMBER_MAX, &def.simulation.worker_count) ||
        !options_read_count("--width", width, 64, NUMBER_MAX, &def.width) ||
        !options_read_count("--height", height, 64, NUMBER_MAX, &def.height) ||
        !options_read_count("--steps", steps, 1, NUMBER_MAX, &ending.steps))
        return EXIT_USE;
    if (list != NULL)
        return list_gallery();
    def.simulation.stage = (StageDef){
        .path = options.target, .settings = options.settings, .setting_count = options.setting_count};
    def.simulation.record = record;
    def.simulation.replay = replay;
    ending.closes = steps != NULL;
    def.simulation.is_paused = paused != NULL || (ending.closes && replay == NULL);
    if (is_folder(options.target) && (record != NULL || replay != NULL || options.setting_count > 0)) {
        fprintf(
            stderr,
            "billow: %s is a run, which is shown as it was: --record, --replay and --set are for scenes\n",
            options.target);
        return EXIT_USE;
    }
    if (is_folder(options.target))
        return show_run(&def, &ending, options.target);
    if (options.target != NULL) { // what is wrong is told before a window opens
        BwScene *scene = NULL;
        int code = load_scene(&scene, &options);
        bw_scene_destroy(scene);
        if (code != EXIT_DONE)
            return code;
    }
    return show(&def, &ending);
}

#else

int run_view(const Command *command, int argument_count, char **arguments)
{
    (void)command;
    if (argument_count > 0 && strcmp(arguments[0], "--list") == 0)
        return list_gallery();
    fprintf(stderr,
            "billow: this build has no window: it was made without GLFW, epoxy, FreeType or Fontconfig "
            "(Debian: libglfw3-dev libepoxy-dev libfreetype-dev libfontconfig-dev)\n");
    return EXIT_USE;
}

#endif
