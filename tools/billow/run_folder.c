// The folder of a run. run.json is the first file to come and the last to go, so every folder that holds
// files of ours can be told from one that does not.
#include "run_folder.h"

#include "base/checksum.h"
#include "base/file.h"
#include "interrupt.h"
#include "run_cache.h"
#include "run_clear.h"
#include "run_frames.h"
#include "run_json.h"
#include "run_lines.h"
#include "run_pictures.h"
#include "run_remake.h"
#include "run_volumes.h"
#include "world/stats_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct RunFolder {
    BwAllocator allocator;
    const BwSceneDef *scene;
    char path[RUN_PATH_SIZE], movie_path[RUN_PATH_SIZE], stats_path[RUN_PATH_SIZE];
    bool had_run; // that this one overwrites
    uint64_t script_sum;
    FILE *stats;
    RunPictures pictures;
    int checkpoint_frame, checkpoint_before; // the last two; 0: none
    BwCheckpointWrite *written;              // one that is on its way to the disk, or NULL
    int written_frame;
    RunVolumes volumes;
    RunFrames frames;
    RunSums sums;
    uint64_t stats_sum;                // of the last line
    off_t stats_before;                // bytes, where it begins
    int lost_pictures, drawn_pictures; // of frames before the one that the run went on from
};

BwResult run_file_path(char path[RUN_PATH_SIZE], const char *folder, const char *name, BwError *err)
{
    if (snprintf(path, RUN_PATH_SIZE, "%s/%s", folder, name) < RUN_PATH_SIZE)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "the path of the folder has %zu characters; that is too long",
                   strlen(folder));
}

// "scenes/plume.lua" gives "out/plume".
static BwResult default_path(char path[RUN_PATH_SIZE], const char *scene_path, BwError *err)
{
    const char *slash = strrchr(scene_path, '/');
    const char *name = slash != NULL ? slash + 1 : scene_path;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".lua") == 0)
        length -= 4;
    if (snprintf(path, RUN_PATH_SIZE, "out/%.*s", (int)length, name) < RUN_PATH_SIZE)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "the scene's name has %zu characters; that is too long", length);
}

BwResult run_folder_choose(char path[RUN_PATH_SIZE], const RunFolderDef *def, BwError *err)
{
    if (def->path == NULL)
        return default_path(path, def->scene_path, err);
    if (def->path[0] == '\0')
        return bw_fail(err, BW_ERR_DEF, "-o is empty; it must be a folder");
    if (snprintf(path, RUN_PATH_SIZE, "%s", def->path) < RUN_PATH_SIZE)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "-o has %zu characters; that is too long", strlen(def->path));
}

static BwResult has_file(const char *folder, const char *name, bool *has, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder, name, err));
    *has = bw_file_exists(path);
    return BW_OK;
}

// Whether a folder is the run that the scene takes its liquid from, by whatever path.
static bool is_source(const RunFolderDef *def, const struct stat *folder)
{
    struct stat source;
    return def->scene->fluid == BW_FLUID_RECORDED && stat(def->scene->recorded.run, &source) == 0 &&
           source.st_dev == folder->st_dev && source.st_ino == folder->st_ino;
}

BwResult run_folder_check(const RunFolderDef *def, BwError *err)
{
    char folder[RUN_PATH_SIZE];
    bool has_run;
    struct stat status;
    BW_TRY(run_folder_choose(folder, def, err));
    if (stat(folder, &status) != 0)
        return BW_OK;
    if (!S_ISDIR(status.st_mode))
        return bw_fail(err, BW_ERR_FILE, "could not make the folder %s: a file of that name is there",
                       folder);
    if (is_source(def, &status))
        return bw_fail(err, BW_ERR_DEF,
                       "%s is the run that the scene takes its liquid from; -o DIR writes to another folder",
                       folder);
    BW_TRY(has_file(folder, "run.json", &has_run, err));
    if (!has_run)
        return run_refuse_strange_files(folder, err);
    if (def->overwrite)
        return BW_OK;
    return bw_fail(
        err, BW_ERR_DEF,
        "%s holds a run; billow resume %s goes on with it, --force overwrites it, -o DIR writes to "
        "another folder",
        folder, folder);
}

void write_file_mark(char mark[FILE_MARK], const BwShapeFile *file)
{
    snprintf(mark, FILE_MARK, "%016llx", (unsigned long long)bw_shape_file_hash(file));
}

static BwResult write_run_json(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BwFileWriter writer;
    BW_TRY(run_file_path(path, folder->path, "run.json", err));
    BW_TRY(bw_file_begin(&writer, &folder->allocator, path, err));
    run_json_write(writer.stream, def, folder->path, folder->script_sum);
    return bw_file_commit(&writer, err);
}

BwResult run_script_sum(const char *path, uint64_t *sum, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *text;
    size_t size;
    BW_TRY(bw_file_read(&allocator, path, SCENE_BYTES_MAX, &text, &size, err));
    *sum = bw_mix_bytes(0, text, size);
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    return BW_OK;
}

BwResult run_keep_script(const char *from, const char *to, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *text;
    size_t size;
    BwFileWriter writer;
    BW_TRY(bw_file_read(&allocator, from, SCENE_BYTES_MAX, &text, &size, err));
    BwResult result = bw_file_begin(&writer, &allocator, to, err);
    if (result == BW_OK) {
        fwrite(text, 1, size, writer.stream);
        result = bw_file_commit(&writer, err);
    }
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    return result;
}

// The script as it is now, for a later resume to compare with.
static BwResult keep_scene(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder->path, "scene.lua", err));
    return run_keep_script(def->scene_path, path, err);
}

static BwResult create_renderer(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    if (!def->scene->output.movie && !def->scene->output.images)
        return BW_OK;
    BwRendererDef renderer = bw_renderer_def_default();
    renderer.scene = def->scene;
    renderer.worker_count = def->worker_count;
    renderer.has_view = def->view.is_narrow;
    renderer.view = def->view.box;
    return bw_renderer_create(&folder->pictures.renderer, &renderer, err);
}

static BwResult begin_stats(RunFolder *folder, BwError *err)
{
    folder->stats = fopen(folder->stats_path, "wb");
    if (folder->stats != NULL)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not create %s: %s", folder->stats_path, strerror(errno));
}

static BwResult make_folder_inside(const RunFolder *folder, const char *name, bool is_asked, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder->path, name, err));
    return is_asked ? bw_folder_make(path, err) : BW_OK;
}

// `frame` is the one that a run goes on after; -1: none.
static BwResult begin_frames(RunFolder *folder, const RunFolderDef *def, int frame, BwError *err)
{
    const BwOutputDef *output = &folder->scene->output;
    bool has_cache = (output->checkpoint_every > 0 || output->record) && bw_checkpoint_is_built();
    BW_TRY(make_folder_inside(folder, "images", output->images, err));
    BW_TRY(make_folder_inside(folder, "cache", has_cache, err));
    BW_TRY(run_volumes_make_folders(&folder->volumes, err));
    BW_TRY(run_frames_begin(&folder->frames, folder->path, output, def->run_id, frame, err));
    if (!output->movie)
        return BW_OK;
    folder->pictures.is_kept = output->checkpoint_every > 0 && bw_checkpoint_is_built() && !output->images;
    BW_TRY(bw_movie_begin(&folder->pictures.movie, folder->movie_path, output->width, output->height,
                          folder->scene->fps, err));
    return bw_movie_set_title(folder->pictures.movie, folder->scene->title, err);
}

static BwResult name_files(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    BW_TRY(run_folder_choose(folder->path, def, err));
    BW_TRY(run_file_path(folder->movie_path, folder->path, "movie.mp4", err));
    BW_TRY(run_file_path(folder->stats_path, folder->path, "stats.jsonl", err));
    BW_TRY(run_volumes_begin(&folder->volumes, folder->path, &folder->scene->output, NULL, err));
    folder->volumes.def.worker_count = def->worker_count;
    return BW_OK;
}

// Everything that can fail without touching a file comes first.
static BwResult begin_folder(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    BW_TRY(name_files(folder, def, err));
    BW_TRY(create_renderer(folder, def, err));
    BW_TRY(has_file(folder->path, "run.json", &folder->had_run, err));
    if (folder->had_run)
        BW_TRY(run_remove_old(folder->path, err));
    BW_TRY(run_script_sum(def->scene_path, &folder->script_sum, err));
    BW_TRY(write_run_json(folder, def, err));
    BW_TRY(keep_scene(folder, def, err));
    BW_TRY(begin_stats(folder, err));
    BW_TRY(begin_frames(folder, def, -1, err));
    BW_TRY(run_sums_read(&folder->sums, folder->path, -1, err));
    bool has_cache = folder->scene->output.checkpoint_every > 0 && bw_checkpoint_is_built();
    return has_cache ? run_sums_begin(&folder->sums, err) : BW_OK;
}

static BwResult continue_stats(RunFolder *folder, int frame, BwError *err)
{
    size_t end = 0;
    BW_TRY(run_sums_read(&folder->sums, folder->path, frame > 0 ? frame : -1, err));
    if (frame > 0)
        BW_TRY(run_lines_find_end(folder->stats_path, &folder->sums, frame, &end, err));
    folder->stats = fopen(folder->stats_path, "ab");
    if (folder->stats != NULL && ftruncate(fileno(folder->stats), (off_t)end) == 0)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
}

// What pictures of earlier frames are put together from.
typedef struct Album {
    RunFolder *folder;
    FrameSource source;
    BwImage image; // the last one
    bool has_image;
} Album;

static bool is_own_picture(const Album *album, int number)
{
    uint64_t wanted = run_sums_find(&album->folder->sums, number).picture;
    return wanted == 0 || wanted == run_picture_sum(&album->image);
}

// The picture as it was kept, in the place where it belongs now or where it belonged before the scene's
// output was changed; false where it is not there, damaged or of another size.
static bool load_picture(Album *album, int number)
{
    char path[RUN_PATH_SIZE];
    BwOutputDef output = album->folder->scene->output;
    for (int n = 0; n < 2; n++, output.images = !output.images)
        if (run_picture_path(path, album->folder->path, &output, number, NULL) == BW_OK &&
            bw_file_exists(path) && bw_image_load_png(&album->image, path, NULL) == BW_OK &&
            is_own_picture(album, number))
            return true;
    return false;
}

static bool draw_picture(Album *album, int number)
{
    BwError err = {0};
    const BwFrame *frame = frame_source_view(&album->source, number, &err);
    const BwImage *image =
        frame != NULL ? bw_renderer_draw(album->folder->pictures.renderer, frame, &err) : NULL;
    if (image == NULL)
        return false;
    memcpy(album->image.pixels, image->pixels, 3 * (size_t)image->width_px * (size_t)image->height_px);
    album->folder->drawn_pictures++;
    return true;
}

// A picture that is neither there nor can be drawn is stood for by the one before.
static BwResult add_old_picture(Album *album, int number, BwError *err)
{
    RunFolder *folder = album->folder;
    char path[RUN_PATH_SIZE];
    bool is_loaded = load_picture(album, number), is_found = is_loaded || draw_picture(album, number);
    folder->lost_pictures += !is_found;
    RunSum sum = run_sums_find(&folder->sums, number);
    sum.picture = is_found ? run_picture_sum(&album->image) : 0;
    BW_TRY(run_sums_set(&folder->sums, number, sum, err));
    album->has_image = album->has_image || is_found;
    BW_TRY(run_picture_path(path, folder->path, &folder->scene->output, number, err));
    if (is_found && (folder->scene->output.images || folder->pictures.is_kept) &&
        !(is_loaded && bw_file_exists(path)))
        BW_TRY(bw_image_save_titled_png(&album->image, folder->scene->title, path, err));
    if (folder->pictures.movie != NULL && album->has_image) {
        BW_TRY(bw_movie_add(folder->pictures.movie, &album->image, err));
        folder->pictures.count++;
    }
    return BW_OK;
}

static void tell_of_pictures(const RunFolder *folder)
{
    if (folder->drawn_pictures > 0)
        fprintf(stderr, "billow: %d picture%s not there as asked for and %s drawn again\n",
                folder->drawn_pictures, folder->drawn_pictures == 1 ? " was" : "s were",
                folder->drawn_pictures == 1 ? "was" : "were");
    if (folder->lost_pictures > 0)
        fprintf(stderr,
                "billow: %d picture%s lost and nothing was kept to draw %s from; the movie shows the one "
                "before\n",
                folder->lost_pictures, folder->lost_pictures == 1 ? " is" : "s are",
                folder->lost_pictures == 1 ? "it" : "them");
}

static BwResult fail_interrupted(const RunFolder *folder, int number, int last, BwError *err)
{
    return bw_fail(
        err, BW_ERR_INTERRUPTED,
        "interrupted at picture %d of %d that the movie is made of again; what is in %s is whole, and "
        "billow resume %s goes on after frame %d",
        number, last + 1, folder->path, folder->path, last);
}

// A movie cannot be written on to, so it is made anew from the pictures that were kept.
static BwResult continue_pictures(RunFolder *folder, const RunFolderDef *def, int frame, BwError *err)
{
    const BwOutputDef *output = &folder->scene->output;
    if (folder->pictures.renderer == NULL)
        return BW_OK;
    size_t bytes = (size_t)output->width * (size_t)output->height * 3;
    Album album = {
        .folder = folder,
        .source = {.folder = folder->path, .scene = def->scene, .run_id = def->run_id, .force = true},
        .image = {output->width, output->height, bw_alloc(&folder->allocator, bytes, BW_ALIGN)}};
    BwResult result = album.image.pixels == NULL ? bw_fail_memory(err) : BW_OK;
    for (int n = 0; n <= frame && result == BW_OK; n++)
        result = *interrupt_request() == 0 ? add_old_picture(&album, n, err)
                                           : fail_interrupted(folder, n, frame, err);
    bw_free(&folder->allocator, album.image.pixels, bytes, BW_ALIGN);
    frame_source_end(&album.source);
    tell_of_pictures(folder);
    return result;
}

static BwResult continue_volumes(RunFolder *folder, const RunFolderDef *def, int frame, BwError *err)
{
    FrameSource source = {.folder = folder->path,
                          .scene = def->scene,
                          .run_id = def->run_id,
                          .force = true,
                          .is_whole = true,
                          .may_lack = true};
    BwResult result = run_remake(&folder->volumes, &source, frame, err);
    frame_source_end(&source);
    for (int n = 0; n <= frame && result == BW_OK; n++)
        result = run_volumes_list(&folder->volumes, n, (double)n / folder->scene->fps, err);
    return result;
}

static BwResult continue_folder(RunFolder *folder, const RunFolderDef *def, int frame, BwError *err)
{
    bool has_scene;
    BW_TRY(name_files(folder, def, err));
    BW_TRY(create_renderer(folder, def, err));
    BW_TRY(has_file(folder->path, "scene.lua", &has_scene, err));
    folder->script_sum = def->script_sum;
    if (!has_scene) { // killed before it was kept
        BW_TRY(run_script_sum(def->scene_path, &folder->script_sum, err));
        BW_TRY(keep_scene(folder, def, err));
    }
    BW_TRY(continue_stats(folder, frame, err));
    BW_TRY(begin_frames(folder, def, frame > 0 ? frame : -1, err));
    if (frame > 0)
        BW_TRY(continue_pictures(folder, def, frame, err));
    if (folder->scene->output.checkpoint_every > 0 && bw_checkpoint_is_built())
        BW_TRY(run_sums_begin(&folder->sums, err));
    if (frame > 0)
        BW_TRY(continue_volumes(folder, def, frame, err));
    BW_TRY(write_run_json(folder, def, err));
    folder->checkpoint_frame = frame;
    return run_newest_checkpoint(folder->path, frame, &folder->checkpoint_before, err);
}

// A run that did not begin leaves nothing.
static void undo(RunFolder *folder)
{
    char path[RUN_PATH_SIZE];
    run_pictures_end(&folder->pictures);
    if (!folder->had_run && run_remove_old(folder->path, NULL) == BW_OK &&
        run_file_path(path, folder->path, "run.json", NULL) == BW_OK)
        unlink(path);
}

static RunFolder *make_folder(const RunFolderDef *def)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    RunFolder *folder = bw_alloc_zeroed(&allocator, sizeof *folder, BW_ALIGN);
    if (folder != NULL) {
        folder->allocator = allocator;
        folder->scene = def->scene;
        folder->pictures = (RunPictures){.scene = def->scene, .folder = folder->path, .sums = &folder->sums};
    }
    return folder;
}

BwResult run_folder_create(RunFolder **out, const RunFolderDef *def, BwError *err)
{
    *out = NULL;
    RunFolder *folder = make_folder(def);
    if (folder == NULL)
        return bw_fail_memory(err);
    BwResult result = begin_folder(folder, def, err);
    if (result != BW_OK) {
        undo(folder);
        run_folder_destroy(folder);
    } else {
        *out = folder;
    }
    return result;
}

BwResult run_folder_reopen(RunFolder **out, const RunFolderDef *def, int frame, BwError *err)
{
    *out = NULL;
    RunFolder *folder = make_folder(def);
    if (folder == NULL)
        return bw_fail_memory(err);
    BwResult result = continue_folder(folder, def, frame, err);
    if (result != BW_OK)
        run_folder_destroy(folder);
    else
        *out = folder;
    return result;
}

static BwResult check_stats(RunFolder *folder, const RunFolderDef *def, int frame, BwError *err)
{
    size_t end;
    BW_TRY(name_files(folder, def, err));
    BW_TRY(run_sums_read(&folder->sums, folder->path, frame, err));
    return run_lines_find_end(folder->stats_path, &folder->sums, frame, &end, err);
}

BwResult run_folder_check_stats(const RunFolderDef *def, int frame, BwError *err)
{
    RunFolder *folder = make_folder(def);
    if (folder == NULL)
        return bw_fail_memory(err);
    BwResult result = check_stats(folder, def, frame, err);
    run_folder_destroy(folder);
    return result;
}

void run_folder_destroy(RunFolder *folder)
{
    if (folder == NULL)
        return;
    BwAllocator allocator = folder->allocator;
    if (folder->written != NULL)
        bw_checkpoint_finish(folder->written, NULL);
    if (folder->stats != NULL)
        fclose(folder->stats);
    run_pictures_end(&folder->pictures); // one may be in the making
    run_frames_settle(&folder->frames, NULL);
    run_sums_end(&folder->sums);
    run_volumes_end(&folder->volumes); // a volume may be on its way to the disk
    bw_free(&allocator, folder, sizeof *folder, BW_ALIGN);
}

BwResult run_folder_add_frame(RunFolder *folder, const BwFrame *frame, BwError *err)
{
    BW_TRY(run_volumes_add(&folder->volumes, frame, err));
    BW_TRY(run_frames_add(&folder->frames, frame, err));
    return run_pictures_add(&folder->pictures, frame, folder->stats_sum, err);
}

// Flushed line by line, so that a look at a run that goes on, or that was killed, finds whole lines.
BwResult run_folder_add_stats(RunFolder *folder, const BwStats *stats, BwError *err)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);
    if (stream == NULL)
        return bw_fail_memory(err);
    bw_stats_write(stream, stats);
    bool is_well = fclose(stream) == 0;
    folder->stats_before = lseek(fileno(folder->stats), 0, SEEK_END);
    errno = 0;
    is_well = is_well && fwrite(line, 1, size, folder->stats) == size && fflush(folder->stats) == 0;
    folder->stats_sum = is_well ? bw_mix_bytes(0, line, size) : 0;
    free(line);
    if (is_well)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
}

void run_folder_take_stats_back(RunFolder *folder)
{
    if (folder->stats_before < 0 || ftruncate(fileno(folder->stats), folder->stats_before) != 0)
        fprintf(stderr, "billow: %s has a line too many\n", folder->stats_path);
}

// Waits for the checkpoint that is being written while the run goes on. One older checkpoint stays, in case
// the newest cannot be read back.
static BwResult finish_checkpoint(RunFolder *folder, BwError *err)
{
    BwCheckpointWrite *written = folder->written;
    if (written == NULL)
        return BW_OK;
    folder->written = NULL;
    BW_TRY(bw_checkpoint_finish(written, err));
    folder->checkpoint_before = folder->checkpoint_frame;
    folder->checkpoint_frame = folder->written_frame;
    if (folder->scene->output.keep_checkpoints)
        return BW_OK;
    return run_prune_checkpoints(folder->path, folder->checkpoint_before, err);
}

// The lines and volumes up to the checkpoint must be on the disk before it is.
static BwResult save_checkpoint(RunFolder *folder, BwWorld *world, int frame, BwError *err)
{
    char path[RUN_PATH_SIZE];
    if (fsync(fileno(folder->stats)) != 0)
        return bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
    BW_TRY(run_checkpoint_path(path, folder->path, frame, err));
    BW_TRY(run_volumes_settle(&folder->volumes, err));
    BW_TRY(run_frames_settle(&folder->frames, err));
    BW_TRY(finish_checkpoint(folder, err));
    folder->written_frame = frame;
    return bw_checkpoint_begin(&folder->written, world, path, folder->scene->output.compress, err);
}

BwResult run_folder_checkpoint_start(RunFolder *folder, BwWorld *world, BwError *err)
{
    const BwOutputDef *output = &folder->scene->output;
    bool is_kept = output->checkpoint_every > 0 && output->keep_checkpoints;
    return is_kept && bw_checkpoint_is_built() ? save_checkpoint(folder, world, 0, err) : BW_OK;
}

BwResult run_folder_checkpoint(RunFolder *folder, BwWorld *world, int frame, bool is_end, BwError *err)
{
    int every = folder->scene->output.checkpoint_every;
    bool is_due = every > 0 && (is_end || frame % every == 0);
    bool is_kept =
        frame == folder->checkpoint_frame || (folder->written != NULL && frame == folder->written_frame);
    if (!is_due || is_kept || !bw_checkpoint_is_built())
        return BW_OK;
    return save_checkpoint(folder, world, frame, err);
}

int run_folder_resume_frame(const RunFolder *folder)
{
    return folder->checkpoint_frame;
}

BwResult run_folder_finish(RunFolder *folder, BwError *err)
{
    FILE *stats = folder->stats;
    folder->stats = NULL;
    BwResult kept = finish_checkpoint(folder, err);
    if (kept == BW_OK)
        kept = run_volumes_settle(&folder->volumes, err);
    if (kept == BW_OK)
        kept = run_frames_settle(&folder->frames, err);
    BwResult result = run_pictures_finish(&folder->pictures, kept == BW_OK ? err : NULL);
    bool is_flushed = fsync(fileno(stats)) == 0;
    if ((fclose(stats) != 0 || !is_flushed) && kept == BW_OK && result == BW_OK)
        result = bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
    return kept != BW_OK ? kept : result;
}

bool run_folder_kept(const RunFolder *folder, double *bytes, int *stride)
{
    *bytes = folder->frames.bytes;
    *stride = folder->frames.stride;
    return folder->frames.last >= 0;
}

const char *run_folder_path(const RunFolder *folder)
{
    return folder->path;
}

const char *run_folder_movie(const RunFolder *folder)
{
    return folder->scene->output.movie ? folder->movie_path : NULL;
}
