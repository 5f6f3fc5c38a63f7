// billow render DIR: draws a run again from the frames or the checkpoints it kept, with the camera, light and
// look that its scene has now. Nothing is simulated.
#include "past.h"
#include "run_frames.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

enum { MANY_FRAMES = 24 }; // it takes a while to draw

typedef struct Drawing {
    const char *movie, *picture; // what is made: NULL: not that
    const char *images;          // the folder of a picture a frame, likewise
    int frame_count, missing_count, damaged_count;
    int frame;        // that the picture shows; -1: the last
    int thread_count; // 0: one per core
    FrameSource source;
    BwRendererDef renderer_def;
    BwRenderer *renderer;
    BwMovie *stream;
} Drawing;

static const BwImage *draw_frame(Drawing *drawing, int number, BwError *err)
{
    const BwFrame *frame = frame_source_view(&drawing->source, number, err);
    return frame != NULL ? bw_renderer_draw(drawing->renderer, frame, err) : NULL;
}

static BwResult save_image(const Drawing *drawing, const BwImage *image, int number, BwError *err)
{
    char name[32], path[RUN_PATH_SIZE];
    if (drawing->images == NULL)
        return BW_OK;
    snprintf(name, sizeof name, "frame_%04d.png", number);
    BW_TRY(run_file_path(path, drawing->images, name, err));
    return bw_image_save_titled_png(image, drawing->source.scene->title, path, err);
}

// A frame that was not kept is shown by the one before it, and has no picture of its own; the start can
// always be drawn.
static BwResult add_frame(Drawing *drawing, const BwImage **image, int number, BwError *err)
{
    const BwImage *drawn = draw_frame(drawing, number, err);
    if (drawn != NULL) {
        *image = drawn;
        BW_TRY(save_image(drawing, drawn, number, err));
    } else {
        bool is_damaged = frame_is_damaged(err);
        if (*image == NULL || !(is_damaged || err->code == BW_ERR_DEF))
            return err->code;
        if (is_damaged)
            fprintf(stderr, "billow: %s; the frame before it is shown\n", err->message);
        drawing->missing_count += !is_damaged;
        drawing->damaged_count += is_damaged;
    }
    return drawing->stream != NULL ? bw_movie_add(drawing->stream, *image, err) : BW_OK;
}

static BwResult begin_movie(Drawing *drawing, BwError *err)
{
    const BwSceneDef *scene = drawing->source.scene;
    if (drawing->movie == NULL)
        return BW_OK;
    BW_TRY(bw_movie_begin(&drawing->stream, drawing->movie, scene->output.width, scene->output.height,
                          scene->fps, err));
    return bw_movie_set_title(drawing->stream, scene->title, err);
}

static BwResult draw_all(Drawing *drawing, BwError *err)
{
    const BwImage *image = NULL;
    if (drawing->frame_count >= MANY_FRAMES)
        fprintf(stderr, "billow: drawing %d frames; -o x.png draws the last alone, --frame N another\n",
                drawing->frame_count + 1);
    if (drawing->images != NULL)
        BW_TRY(bw_folder_make(drawing->images, err));
    BW_TRY(begin_movie(drawing, err));
    for (int number = 0; number <= drawing->frame_count; number++)
        BW_TRY(add_frame(drawing, &image, number, err));
    BwMovie *movie = drawing->stream;
    drawing->stream = NULL;
    return movie != NULL ? bw_movie_finish(movie, err) : BW_OK;
}

static BwResult draw(Drawing *drawing, BwError *err)
{
    BW_TRY(bw_renderer_create(&drawing->renderer, &drawing->renderer_def, err));
    if (drawing->picture == NULL)
        return draw_all(drawing, err);
    if (drawing->frame > drawing->frame_count)
        return bw_fail(err, BW_ERR_DEF, "--frame is %d; the last frame of %s is %d", drawing->frame,
                       drawing->source.folder, drawing->frame_count);
    int frame = drawing->frame >= 0 ? drawing->frame : drawing->frame_count;
    const BwImage *image = draw_frame(drawing, frame, err);
    const char *title = drawing->source.scene->title;
    return image != NULL ? bw_image_save_titled_png(image, title, drawing->picture, err) : err->code;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

// A file in the folder of another run is written under that folder's lock, and so are pictures beside its
// own.
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
    const char *target = drawing->picture != NULL ? drawing->picture
                         : drawing->movie != NULL ? drawing->movie
                                                  : drawing->images;
    BW_TRY(lock_target(&lock, past, target, err));
    BwResult result = draw(drawing, err);
    bw_movie_abandon(drawing->stream);
    bw_renderer_destroy(drawing->renderer);
    frame_source_end(&drawing->source);
    run_lock_release(&lock);
    return result;
}

// A run that was stopped is drawn as far as it came.
static BwResult draw_past(Drawing *drawing, const Past *past, BwError *err)
{
    int last;
    BW_TRY(run_frames_last(drawing->source.folder, &last, err));
    if (last < 0)
        return bw_fail(
            err, BW_ERR_DEF,
            "%s kept nothing to draw from; output.keep_frames and output.checkpoint_every must not "
            "be 0 for that",
            drawing->source.folder);
    drawing->frame_count = last < past->frame_count ? last : past->frame_count;
    drawing->renderer_def = bw_renderer_def_default();
    drawing->renderer_def.scene = drawing->source.scene;
    drawing->renderer_def.worker_count = drawing->thread_count;
    View view = past_view(past, drawing->source.scene, drawing->thread_count);
    drawing->renderer_def.has_view = view.is_narrow;
    drawing->renderer_def.view = view.box;
    return draw_to_file(drawing, past, err);
}

static void tell(const Drawing *drawing, const Past *past)
{
    const char *made[] = {drawing->picture, drawing->movie, drawing->images};
    for (int n = 0; n < 3; n++)
        if (made[n] != NULL)
            printf("%s\n", made[n]);
    if (drawing->missing_count > 0)
        fprintf(stderr,
                "billow: nothing was kept of %d of %d frames, and the one before is shown for each; a larger "
                "output.keep_frames (MB) keeps more\n",
                drawing->missing_count, drawing->frame_count + 1);
    if (drawing->damaged_count > 0)
        fprintf(stderr, "billow: %d of %d frames %s damaged, as told above\n", drawing->damaged_count,
                drawing->frame_count + 1, drawing->damaged_count == 1 ? "is" : "are");
    if (drawing->frame_count < past->frame_count)
        fprintf(stderr, "billow: the run has %d of %d frames so far\n", drawing->frame_count,
                past->frame_count);
}

// What is drawn unless a file is named: what the scene asks for, a movie where that is nothing.
static BwResult choose_files(Drawing *drawing, char movie[RUN_PATH_SIZE], char images[RUN_PATH_SIZE],
                             BwError *err)
{
    const BwOutputDef *output = &drawing->source.scene->output;
    if (drawing->picture != NULL || drawing->movie != NULL || drawing->images != NULL)
        return BW_OK;
    BW_TRY(run_file_path(movie, drawing->source.folder, "movie.mp4", err));
    BW_TRY(run_file_path(images, drawing->source.folder, "images", err));
    drawing->images = output->images ? images : NULL;
    drawing->movie = output->movie || !output->images ? movie : NULL;
    return BW_OK;
}

static int draw_run(Drawing *drawing, const char *folder, bool force)
{
    static Past past; // too much for the stack
    char movie[RUN_PATH_SIZE], images[RUN_PATH_SIZE];
    BwError err = {0};
    BwScene *scene = NULL;
    BwResult result = past_take_over(&past, &scene, folder, "render", force, &err);
    if (result == BW_OK) {
        drawing->source = (FrameSource){
            .folder = folder, .scene = bw_scene_view_def(scene), .run_id = past.run_id, .force = force};
        result = choose_files(drawing, movie, images, &err);
    }
    if (result == BW_OK)
        result = draw_past(drawing, &past, &err);
    if (result == BW_OK)
        tell(drawing, &past);
    past_release(&past);
    bw_scene_destroy(scene);
    return report(result, &err);
}

// A folder is named with a slash at its end.
static bool name_target(Drawing *drawing, const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    if (path == NULL)
        return true;
    drawing->movie = ends_with(path, ".mp4") ? path : NULL;
    drawing->picture = ends_with(path, ".png") ? path : NULL;
    drawing->images = length > 0 && path[length - 1] == '/' ? path : NULL;
    return drawing->movie != NULL || drawing->picture != NULL || drawing->images != NULL;
}

int run_render(const Command *command, int argument_count, char **words)
{
    Options options;
    const char *path = NULL, *frame = NULL, *threads = NULL, *force = NULL;
    Drawing drawing = {.frame = -1};
    const OptionDef own[] = {{"-o", true, &path},
                             {"--frame", true, &frame},
                             {"--threads", true, &threads},
                             {"--force", false, &force},
                             {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR") ||
        !options_read_count("--frame", frame, 0, 1000000, &drawing.frame) ||
        !options_read_count("--threads", threads, 1, 256, &drawing.thread_count))
        return EXIT_USE;
    if (!name_target(&drawing, path)) {
        fprintf(stderr, "billow: -o is %s; it must end with .mp4, .png or, for a picture a frame, /\n", path);
        return EXIT_USE;
    }
    if (frame != NULL && drawing.picture == NULL) {
        fprintf(stderr, "billow: --frame is for pictures: give -o FILE.png\n");
        return EXIT_USE;
    }
    return draw_run(&drawing, options.target, force != NULL);
}
