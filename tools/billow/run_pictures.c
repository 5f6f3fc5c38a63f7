// Drawing beside the simulation. The thread owns renderer, movie and sums from the time it is started until
// it is joined; nobody else touches them meanwhile.
#include "run_pictures.h"

#include "base/checksum.h"
#include "cache/frame_file.h"
#include "run_cache.h"

uint64_t run_picture_sum(const BwImage *image)
{
    return bw_mix_bytes((uint64_t)image->width_px, image->pixels,
                        3 * (size_t)image->width_px * (size_t)image->height_px);
}

// Pictures of the movie are kept where the build can: without libpng a run still makes its movie.
static BwResult save(RunPictures *pictures, const BwImage *image, int number, BwError *err)
{
    char path[RUN_PATH_SIZE];
    const BwOutputDef *output = &pictures->scene->output;
    if (!output->images && !pictures->is_kept)
        return BW_OK;
    BW_TRY(run_picture_path(path, pictures->folder, output, number, err));
    BwResult result = bw_image_save_titled_png(image, pictures->scene->title, path, err);
    if (result != BW_ERR_BACKEND || output->images)
        return result;
    pictures->is_kept = false;
    return BW_OK;
}

static BwResult draw(RunPictures *pictures, const BwFrame *frame, RunSum sum, BwError *err)
{
    const BwImage *image = bw_renderer_draw(pictures->renderer, frame, err);
    if (image == NULL)
        return err->code;
    pictures->has_drawn = true;
    sum.picture = run_picture_sum(image);
    BW_TRY(save(pictures, image, frame->number, err));
    if (pictures->movie != NULL)
        BW_TRY(bw_movie_add(pictures->movie, image, err));
    pictures->count++;
    return run_sums_add(pictures->sums, frame->number, sum, err);
}

static void *draw_held(void *context)
{
    RunPictures *pictures = context;
    pictures->result = draw(pictures, bw_frame_file_view(pictures->held), pictures->sum, &pictures->err);
    return NULL;
}

BwResult run_pictures_settle(RunPictures *pictures, BwError *err)
{
    if (pictures->held == NULL)
        return BW_OK;
    pthread_join(pictures->thread, NULL);
    bw_frame_file_destroy(pictures->held);
    pictures->held = NULL;
    return pictures->result == BW_OK ? BW_OK : bw_fail(err, pictures->result, "%s", pictures->err.message);
}

// Functions of the script may be called by one thread at a time, and the simulation calls them. The first
// picture asks them how far everything moves, and a camera may ask at each.
static bool calls_script(const RunPictures *pictures)
{
    const BwCameraDef *camera = &pictures->scene->camera;
    return !pictures->has_drawn || camera->position.kind == BW_CURVE_FUNCTION ||
           camera->target.kind == BW_CURVE_FUNCTION || camera->up.kind == BW_CURVE_FUNCTION;
}

// The sum of the stats is entered at once: the picture may never be done.
BwResult run_pictures_add(RunPictures *pictures, const BwFrame *frame, uint64_t stats_sum, BwError *err)
{
    RunSum sum = {.stats = stats_sum};
    BW_TRY(run_pictures_settle(pictures, err));
    if (pictures->renderer == NULL)
        return run_sums_add(pictures->sums, frame->number, sum, err);
    if (calls_script(pictures) || bw_frame_hold(&pictures->held, frame, pictures->scene, NULL) != BW_OK)
        return draw(pictures, frame, sum, err);
    pictures->sum = sum;
    BwResult result = run_sums_add(pictures->sums, frame->number, sum, err);
    bool has_thread = result == BW_OK && pthread_create(&pictures->thread, NULL, draw_held, pictures) == 0;
    if (has_thread)
        return BW_OK;
    bw_frame_file_destroy(pictures->held);
    pictures->held = NULL;
    return result == BW_OK ? draw(pictures, frame, sum, err) : result;
}

BwResult run_pictures_finish(RunPictures *pictures, BwError *err)
{
    BwResult result = run_pictures_settle(pictures, err), end = BW_OK;
    BwMovie *movie = pictures->movie;
    pictures->movie = NULL;
    if (movie != NULL && pictures->count == 0)
        bw_movie_abandon(movie);
    else if (movie != NULL)
        end = bw_movie_finish(movie, result == BW_OK ? err : NULL);
    if (movie != NULL && pictures->count > 0 && result == BW_OK && end == BW_OK)
        end = run_sums_add_movie(pictures->sums, err);
    return result != BW_OK ? result : end;
}

void run_pictures_end(RunPictures *pictures)
{
    run_pictures_settle(pictures, NULL);
    bw_movie_abandon(pictures->movie);
    bw_renderer_destroy(pictures->renderer);
    pictures->movie = NULL;
    pictures->renderer = NULL;
}
