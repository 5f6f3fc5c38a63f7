// billow render DIR: draws a run again from the checkpoints it kept, with the camera, light and look that its
// scene has now. Nothing is simulated.
#include "past.h"
#include "run_cache.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

typedef struct Drawing {
    const char *folder, *path; // of the run, of what is made
    const BwSceneDef *scene;
    uint64_t run_id;
    int frame_count;
    bool is_movie; // else a picture of the last frame
    bool force;    // whatever became of the scene
    BwWorld *world;
    BwRenderer *renderer;
    BwMovie *movie;
} Drawing;

static BwResult go_to_frame(const Drawing *drawing, int frame, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_checkpoint_path(path, drawing->folder, frame, err));
    if (frame > 0 && !bw_file_exists(path))
        return bw_fail(
            err, BW_ERR_DEF,
            "%s is not there; output { keep_checkpoints = true, checkpoint_every = 1 } keeps all that "
            "billow render needs",
            path);
    return run_load_checkpoint(drawing->world, drawing->folder, frame, drawing->force, err);
}

static BwResult draw_frame(const Drawing *drawing, int frame, BwError *err)
{
    BW_TRY(go_to_frame(drawing, frame, err));
    const BwFrame *now = bw_world_view_frame(drawing->world, err);
    const BwImage *image = now != NULL ? bw_renderer_draw(drawing->renderer, now, err) : NULL;
    if (image == NULL)
        return err->code;
    return drawing->is_movie ? bw_movie_add(drawing->movie, image, err)
                             : bw_image_save_png(image, drawing->path, err);
}

static BwResult draw_movie(Drawing *drawing, BwError *err)
{
    const BwOutputDef *output = &drawing->scene->output;
    BW_TRY(bw_movie_begin(&drawing->movie, drawing->path, output->width, output->height, drawing->scene->fps,
                          err));
    for (int frame = 0; frame <= drawing->frame_count; frame++)
        BW_TRY(draw_frame(drawing, frame, err));
    BwMovie *movie = drawing->movie;
    drawing->movie = NULL;
    return bw_movie_finish(movie, err);
}

static BwResult draw(Drawing *drawing, BwError *err)
{
    BwWorldDef world = bw_world_def_default();
    world.run_id = drawing->run_id;
    BwRendererDef renderer = bw_renderer_def_default();
    world.scene = renderer.scene = drawing->scene;
    BW_TRY(bw_world_create(&drawing->world, &world, err));
    BW_TRY(bw_renderer_create(&drawing->renderer, &renderer, err));
    return drawing->is_movie ? draw_movie(drawing, err) : draw_frame(drawing, drawing->frame_count, err);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

// A file in the folder of another run is written under that folder's lock.
static BwResult lock_target(RunLock *lock, const Past *past, const char *path, BwError *err)
{
    char folder[RUN_PATH_SIZE], run[RUN_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
    *lock = (RunLock){.descriptor = -1};
    snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : path);
    BW_TRY(run_file_path(run, folder, "run.json", err));
    return bw_file_exists(run) ? run_lock_take_other(lock, &past->lock, folder, "render", false, err) : BW_OK;
}

static BwResult draw_to_file(Drawing *drawing, const Past *past, BwError *err)
{
    RunLock lock;
    BW_TRY(lock_target(&lock, past, drawing->path, err));
    BwResult result = draw(drawing, err);
    bw_movie_abandon(drawing->movie);
    bw_renderer_destroy(drawing->renderer);
    bw_world_destroy(drawing->world);
    run_lock_release(&lock);
    return result;
}

static int draw_run(const char *folder, const char *path, const char *force)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    BwResult result = past_take_over(&past, &scene, folder, "render", force != NULL, &err);
    if (result == BW_OK) {
        Drawing drawing = {.folder = folder,
                           .path = path,
                           .scene = bw_scene_view_def(scene),
                           .frame_count = past.frame_count,
                           .run_id = past.run_id,
                           .is_movie = ends_with(path, ".mp4"),
                           .force = force != NULL};
        result = draw_to_file(&drawing, &past, &err);
    }
    past_release(&past);
    bw_scene_destroy(scene);
    if (result == BW_OK)
        printf("%s\n", path);
    return report(result, &err);
}

int run_render(const Command *command, int argument_count, char **words)
{
    Options options;
    char movie[RUN_PATH_SIZE];
    BwError err = {0};
    const char *path = NULL, *force = NULL;
    const OptionDef own[] = {{"-o", true, &path}, {"--force", false, &force}, {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR"))
        return EXIT_USE;
    if (run_file_path(movie, options.target, "movie.mp4", &err) != BW_OK)
        return report(err.code, &err);
    path = path != NULL ? path : movie;
    if (!ends_with(path, ".mp4") && !ends_with(path, ".png")) {
        fprintf(stderr, "billow: -o is %s; it must end with .mp4 or .png\n", path);
        return EXIT_USE;
    }
    return draw_run(options.target, path, force);
}
