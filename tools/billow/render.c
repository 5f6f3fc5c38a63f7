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
    const char *path; // of what is made
    int frame_count, missing_count, damaged_count;
    bool is_movie; // else a picture of one frame
    int frame;     // that it shows; -1: the last
    FrameSource source;
    BwRendererDef renderer_def;
    BwRenderer *renderer;
    BwMovie *movie;
} Drawing;

static const BwImage *draw_frame(Drawing *drawing, int number, BwError *err)
{
    const BwFrame *frame = frame_source_view(&drawing->source, number, err);
    return frame != NULL ? bw_renderer_draw(drawing->renderer, frame, err) : NULL;
}

// A frame that was not kept is shown by the one before it; the start can always be drawn.
static BwResult add_frame(Drawing *drawing, const BwImage **image, int number, BwError *err)
{
    const BwImage *drawn = draw_frame(drawing, number, err);
    if (drawn != NULL) {
        *image = drawn;
    } else {
        bool is_damaged = frame_is_damaged(err);
        if (*image == NULL || !(is_damaged || err->code == BW_ERR_DEF))
            return err->code;
        if (is_damaged)
            fprintf(stderr, "billow: %s; the frame before it is shown\n", err->message);
        drawing->missing_count += !is_damaged;
        drawing->damaged_count += is_damaged;
    }
    return bw_movie_add(drawing->movie, *image, err);
}

static BwResult draw_movie(Drawing *drawing, BwError *err)
{
    const BwSceneDef *scene = drawing->source.scene;
    const BwImage *image = NULL;
    if (drawing->frame_count >= MANY_FRAMES)
        fprintf(stderr, "billow: drawing %d frames; -o x.png draws the last alone, --frame N another\n",
                drawing->frame_count + 1);
    BW_TRY(bw_movie_begin(&drawing->movie, drawing->path, scene->output.width, scene->output.height,
                          scene->fps, err));
    BW_TRY(bw_movie_set_title(drawing->movie, scene->title, err));
    for (int number = 0; number <= drawing->frame_count; number++)
        BW_TRY(add_frame(drawing, &image, number, err));
    BwMovie *movie = drawing->movie;
    drawing->movie = NULL;
    return bw_movie_finish(movie, err);
}

static BwResult draw(Drawing *drawing, BwError *err)
{
    BW_TRY(bw_renderer_create(&drawing->renderer, &drawing->renderer_def, err));
    if (drawing->is_movie)
        return draw_movie(drawing, err);
    if (drawing->frame > drawing->frame_count)
        return bw_fail(err, BW_ERR_DEF, "--frame is %d; the last frame of %s is %d", drawing->frame,
                       drawing->source.folder, drawing->frame_count);
    int frame = drawing->frame >= 0 ? drawing->frame : drawing->frame_count;
    const BwImage *image = draw_frame(drawing, frame, err);
    const char *title = drawing->source.scene->title;
    return image != NULL ? bw_image_save_titled_png(image, title, drawing->path, err) : err->code;
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
    View view = past_view(past, drawing->source.scene, 0);
    drawing->renderer_def.has_view = view.is_narrow;
    drawing->renderer_def.view = view.box;
    return draw_to_file(drawing, past, err);
}

static void tell(const Drawing *drawing, const Past *past)
{
    printf("%s\n", drawing->path);
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

static int draw_run(const char *folder, const char *path, int frame, const char *force)
{
    static Past past; // too much for the stack
    BwError err = {0};
    BwScene *scene = NULL;
    Drawing drawing = {.path = path, .is_movie = ends_with(path, ".mp4"), .frame = frame};
    BwResult result = past_take_over(&past, &scene, folder, "render", force != NULL, &err);
    if (result == BW_OK) {
        drawing.source = (FrameSource){.folder = folder,
                                       .scene = bw_scene_view_def(scene),
                                       .run_id = past.run_id,
                                       .force = force != NULL};
        result = draw_past(&drawing, &past, &err);
    }
    if (result == BW_OK)
        tell(&drawing, &past);
    past_release(&past);
    bw_scene_destroy(scene);
    return report(result, &err);
}

int run_render(const Command *command, int argument_count, char **words)
{
    Options options;
    char movie[RUN_PATH_SIZE];
    BwError err = {0};
    const char *path = NULL, *frame = NULL, *force = NULL;
    int number = -1;
    const OptionDef own[] = {
        {"-o", true, &path}, {"--frame", true, &frame}, {"--force", false, &force}, {NULL, false, NULL}};
    if (!options_read(&options, command, false, own, argument_count, words) ||
        !options_need_target(&options, command, "DIR") ||
        !options_read_count("--frame", frame, 0, 1000000, &number))
        return EXIT_USE;
    if (run_file_path(movie, options.target, "movie.mp4", &err) != BW_OK)
        return report(err.code, &err);
    path = path != NULL ? path : movie;
    if (!ends_with(path, ".mp4") && !ends_with(path, ".png")) {
        fprintf(stderr, "billow: -o is %s; it must end with .mp4 or .png\n", path);
        return EXIT_USE;
    }
    if (frame != NULL && ends_with(path, ".mp4")) {
        fprintf(stderr, "billow: --frame is for pictures: give -o FILE.png\n");
        return EXIT_USE;
    }
    return draw_run(options.target, path, number, force);
}
