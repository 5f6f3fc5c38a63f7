// The folder of a run. run.json is the first file to come and the last to go, so every folder that holds
// files of ours can be told from one that does not.
#include "run_folder.h"

#include "base/file.h"
#include "base/json.h"
#include "world/stats_json.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUN_FORMAT = 1 }; // grows when a reader of run.json must know

struct RunFolder {
    BwAllocator allocator;
    const BwSceneDef *scene;
    char path[RUN_PATH_SIZE], movie_path[RUN_PATH_SIZE], stats_path[RUN_PATH_SIZE];
    bool is_new;  // was not there before
    bool had_run; // that this one overwrites
    FILE *stats;
    BwRenderer *renderer;
    BwMovie *movie;
    int picture_count;
    BwVolumeDef volume;
    BwArena names;       // of the files for ParaView
    BwVolumeFile *files; // those written so far
    int64_t file_count, file_capacity;
};

// Files of a run beside run.json; each may have a half-written twin.
static const char *const file_names[] = {"stats.jsonl", "movie.mp4",    "movie.mp4.part",
                                         "run.pvd",     "run.pvd.part", "run.json.part"};

// Folders of a run, with a file a frame.
static const struct {
    const char *name, *ending;
} series[] = {{"images", ".png"}, {"vdb", ".vdb"}, {"vtk", ".vti"}};
enum { SERIES_IMAGES, SERIES_VDB, SERIES_VTK, SERIES_COUNT };

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

static BwResult choose_path(char path[RUN_PATH_SIZE], const RunFolderDef *def, BwError *err)
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

// A file that has the name of one of ours, in a folder that no run of ours made, is somebody else's.
static BwResult refuse_strange_files(const char *folder, BwError *err)
{
    static const char *const names[] = {"stats.jsonl", "movie.mp4", "images", "vdb", "vtk", "run.pvd"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        bool has;
        BW_TRY(has_file(folder, names[n], &has, err));
        if (has)
            return bw_fail(err, BW_ERR_DEF,
                           "%s holds %s but no run.json, so it is no run to overwrite; choose another folder "
                           "with -o",
                           folder, names[n]);
    }
    return BW_OK;
}

BwResult run_folder_check(const RunFolderDef *def, BwError *err)
{
    char folder[RUN_PATH_SIZE];
    bool has_run;
    struct stat status;
    BW_TRY(choose_path(folder, def, err));
    if (stat(folder, &status) != 0)
        return BW_OK;
    if (!S_ISDIR(status.st_mode))
        return bw_fail(err, BW_ERR_FILE, "could not make the folder %s: a file of that name is there",
                       folder);
    BW_TRY(has_file(folder, "run.json", &has_run, err));
    if (!has_run)
        return refuse_strange_files(folder, err);
    if (def->overwrite)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "%s holds a run; --force overwrites it, -o DIR writes to another folder",
                   folder);
}

static BwResult remove_file(const char *path, BwError *err)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not remove %s: %s", path, strerror(errno));
}

// frame_0012.png, and what a killed run left of one.
static bool is_of_series(const char *name, const char *ending)
{
    if (strncmp(name, "frame_", 6) != 0)
        return false;
    size_t digits = strspn(name + 6, "0123456789"), length = strlen(ending);
    const char *end = name + 6 + digits;
    return digits >= 4 && strncmp(end, ending, length) == 0 &&
           (end[length] == '\0' || strcmp(end + length, ".part") == 0);
}

static BwResult remove_series(const char *folder, const char *name, const char *ending, BwError *err)
{
    char frames[RUN_PATH_SIZE], path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(frames, folder, name, err));
    DIR *list = opendir(frames);
    if (list == NULL)
        return BW_OK;
    BwResult result = BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL && result == BW_OK; entry = readdir(list)) {
        if (!is_of_series(entry->d_name, ending))
            continue;
        result = run_file_path(path, frames, entry->d_name, err);
        if (result == BW_OK)
            result = remove_file(path, err);
    }
    closedir(list);
    rmdir(frames); // stays where it holds something else
    return result;
}

// All but run.json, which the next run replaces.
static BwResult remove_old_run(const char *folder, BwError *err)
{
    char path[RUN_PATH_SIZE];
    for (size_t n = 0; n < sizeof file_names / sizeof *file_names; n++) {
        BW_TRY(run_file_path(path, folder, file_names[n], err));
        BW_TRY(remove_file(path, err));
    }
    for (int n = 0; n < SERIES_COUNT; n++)
        BW_TRY(remove_series(folder, series[n].name, series[n].ending, err));
    return BW_OK;
}

static const char *fluid_name(BwFluid fluid)
{
#define X(name, text) text,
    static const char *const names[] = {BW_FLUIDS(X)};
#undef X
    return names[fluid];
}

static void describe_run(FILE *stream, const RunFolderDef *def)
{
    const BwSceneDef *scene = def->scene;
    BwJson json = bw_json_line(stream);
    bw_json_open(&json, NULL, '{');
    bw_json_integer(&json, "format", RUN_FORMAT);
    bw_json_text(&json, "version", bw_version());
    bw_json_text(&json, "scene", def->scene_path);
    bw_json_text(&json, "title", scene->title);
    bw_json_text(&json, "fluid", fluid_name(scene->fluid));
    bw_json_integer(&json, "dimension", scene->dimension);
    bw_json_number(&json, "cell", (double)scene->cell);
    bw_json_integer(&json, "frames", def->frame_count);
    bw_json_number(&json, "fps", scene->fps);
    bw_json_open(&json, "params", '{');
    for (int n = 0; n < def->param_count; n++)
        bw_json_text(&json, def->params[n].name, def->params[n].value);
    bw_json_close(&json, '}');
    bw_json_integer(&json, "threads", def->worker_count);
    bw_json_bool(&json, "movie", scene->output.movie);
    bw_json_bool(&json, "images", scene->output.images);
    bw_json_bool(&json, "vdb", scene->output.vdb);
    bw_json_bool(&json, "vtk", scene->output.vtk);
    bw_json_integer(&json, "width", scene->output.width);
    bw_json_integer(&json, "height", scene->output.height);
    bw_json_close(&json, '}');
}

static BwResult write_run_json(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BwFileWriter writer;
    BW_TRY(run_file_path(path, folder->path, "run.json", err));
    BW_TRY(bw_file_begin(&writer, &folder->allocator, path, err));
    describe_run(writer.stream, def);
    return bw_file_commit(&writer, err);
}

static BwResult create_renderer(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    if (!def->scene->output.movie && !def->scene->output.images)
        return BW_OK;
    BwRendererDef renderer = bw_renderer_def_default();
    renderer.scene = def->scene;
    renderer.worker_count = def->worker_count;
    return bw_renderer_create(&folder->renderer, &renderer, err);
}

static BwResult begin_stats(RunFolder *folder, BwError *err)
{
    folder->stats = fopen(folder->stats_path, "wb");
    if (folder->stats != NULL)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not create %s: %s", folder->stats_path, strerror(errno));
}

static BwResult make_series(const RunFolder *folder, int which, bool is_asked, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_file_path(path, folder->path, series[which].name, err));
    return is_asked ? bw_folder_make(path, err) : BW_OK;
}

static BwResult begin_frames(RunFolder *folder, BwError *err)
{
    const BwOutputDef *output = &folder->scene->output;
    BW_TRY(make_series(folder, SERIES_IMAGES, output->images, err));
    BW_TRY(make_series(folder, SERIES_VDB, output->vdb, err));
    BW_TRY(make_series(folder, SERIES_VTK, output->vtk, err));
    if (!output->movie)
        return BW_OK;
    return bw_movie_begin(&folder->movie, folder->movie_path, output->width, output->height,
                          folder->scene->fps, err);
}

static BwResult choose_volume(RunFolder *folder, BwError *err)
{
    const BwOutputDef *output = &folder->scene->output;
    folder->volume = bw_volume_def_default();
    folder->volume.up = output->up;
    folder->volume.half = output->half;
    folder->volume.compression = output->compression;
    if (!output->vdb || bw_volume_has_vdb())
        return BW_OK;
    return bw_fail(err, BW_ERR_BACKEND,
                   "output.vdb is asked for and this build has no OpenVDB; install libopenvdb-dev and "
                   "libboost-dev and build again");
}

// Everything that can fail without the folder comes before it.
static BwResult begin_folder(RunFolder *folder, const RunFolderDef *def, BwError *err)
{
    BW_TRY(choose_path(folder->path, def, err));
    BW_TRY(run_file_path(folder->movie_path, folder->path, "movie.mp4", err));
    BW_TRY(run_file_path(folder->stats_path, folder->path, "stats.jsonl", err));
    BW_TRY(choose_volume(folder, err));
    BW_TRY(create_renderer(folder, def, err));
    folder->is_new = !bw_file_exists(folder->path);
    BW_TRY(has_file(folder->path, "run.json", &folder->had_run, err));
    BW_TRY(bw_folder_make(folder->path, err));
    if (folder->had_run)
        BW_TRY(remove_old_run(folder->path, err));
    BW_TRY(write_run_json(folder, def, err));
    BW_TRY(begin_stats(folder, err));
    return begin_frames(folder, err);
}

// A run that did not begin leaves nothing.
static void undo(RunFolder *folder)
{
    char path[RUN_PATH_SIZE];
    bw_movie_abandon(folder->movie);
    folder->movie = NULL;
    if (!folder->had_run && remove_old_run(folder->path, NULL) == BW_OK &&
        run_file_path(path, folder->path, "run.json", NULL) == BW_OK)
        unlink(path);
    if (folder->is_new)
        rmdir(folder->path);
}

BwResult run_folder_create(RunFolder **out, const RunFolderDef *def, BwError *err)
{
    *out = NULL;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    RunFolder *folder = bw_alloc_zeroed(&allocator, sizeof *folder, BW_ALIGN);
    if (folder == NULL)
        return bw_fail_memory(err);
    folder->allocator = allocator;
    folder->names.allocator = allocator;
    folder->scene = def->scene;
    BwResult result = begin_folder(folder, def, err);
    if (result != BW_OK) {
        undo(folder);
        run_folder_destroy(folder);
    } else {
        *out = folder;
    }
    return result;
}

void run_folder_destroy(RunFolder *folder)
{
    if (folder == NULL)
        return;
    BwAllocator allocator = folder->allocator;
    if (folder->stats != NULL)
        fclose(folder->stats);
    bw_movie_abandon(folder->movie);
    bw_renderer_destroy(folder->renderer);
    bw_arena_clear(&folder->names);
    bw_free(&allocator, folder->files, (size_t)folder->file_capacity * sizeof *folder->files, BW_ALIGN);
    bw_free(&allocator, folder, sizeof *folder, BW_ALIGN);
}

// "images/frame_0012.png", and its path.
static BwResult frame_path(const RunFolder *folder, int which, int number, char name[64],
                           char path[RUN_PATH_SIZE], BwError *err)
{
    snprintf(name, 64, "%s/frame_%04d%s", series[which].name, number, series[which].ending);
    return run_file_path(path, folder->path, name, err);
}

static BwResult add_picture(RunFolder *folder, const BwFrame *frame, BwError *err)
{
    char name[64], path[RUN_PATH_SIZE];
    if (folder->renderer == NULL)
        return BW_OK;
    const BwImage *image = bw_renderer_draw(folder->renderer, frame, err);
    if (image == NULL)
        return err->code;
    if (folder->scene->output.images) {
        BW_TRY(frame_path(folder, SERIES_IMAGES, frame->number, name, path, err));
        BW_TRY(bw_image_save_png(image, path, err));
    }
    if (folder->movie != NULL)
        BW_TRY(bw_movie_add(folder->movie, image, err));
    folder->picture_count++;
    return BW_OK;
}

static BwResult add_vdb(RunFolder *folder, const BwFrame *frame, BwError *err)
{
    char name[64], path[RUN_PATH_SIZE];
    if (!folder->scene->output.vdb)
        return BW_OK;
    BW_TRY(frame_path(folder, SERIES_VDB, frame->number, name, path, err));
    return bw_volume_save_vdb(frame, &folder->volume, path, err);
}

// The collection is written anew for each frame, so that it is right also while the run goes on, or when it
// was killed.
static BwResult add_vtk(RunFolder *folder, const BwFrame *frame, BwError *err)
{
    char name[64], path[RUN_PATH_SIZE];
    if (!folder->scene->output.vtk)
        return BW_OK;
    BW_TRY(frame_path(folder, SERIES_VTK, frame->number, name, path, err));
    BW_TRY(bw_volume_save_vti(frame, &folder->volume, path, err));
    BW_TRY(bw_reserve(&folder->allocator, (void **)&folder->files, &folder->file_capacity,
                      folder->file_count + 1, sizeof *folder->files, err));
    const char *kept = bw_arena_copy_text(&folder->names, name, strlen(name));
    if (kept == NULL)
        return bw_fail_memory(err);
    folder->files[folder->file_count++] = (BwVolumeFile){frame->time, kept};
    BW_TRY(run_file_path(path, folder->path, "run.pvd", err));
    return bw_volume_save_pvd(folder->files, (int)folder->file_count, path, err);
}

BwResult run_folder_add_frame(RunFolder *folder, const BwFrame *frame, BwError *err)
{
    BW_TRY(add_vdb(folder, frame, err));
    BW_TRY(add_vtk(folder, frame, err));
    return add_picture(folder, frame, err);
}

// Flushed line by line, so that a look at a run that goes on, or that was killed, finds whole lines.
BwResult run_folder_add_stats(RunFolder *folder, const BwStats *stats, BwError *err)
{
    errno = 0;
    bw_stats_write(folder->stats, stats);
    if (fflush(folder->stats) == 0 && !ferror(folder->stats))
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
}

BwResult run_folder_finish(RunFolder *folder, BwError *err)
{
    FILE *stats = folder->stats;
    BwMovie *movie = folder->movie;
    folder->stats = NULL;
    folder->movie = NULL;
    BwResult result = BW_OK;
    if (movie != NULL && folder->picture_count == 0)
        bw_movie_abandon(movie);
    else if (movie != NULL)
        result = bw_movie_finish(movie, err);
    bool is_flushed = fsync(fileno(stats)) == 0;
    if ((fclose(stats) != 0 || !is_flushed) && result == BW_OK)
        result = bw_fail(err, BW_ERR_FILE, "could not write %s: %s", folder->stats_path, strerror(errno));
    return result;
}

const char *run_folder_path(const RunFolder *folder)
{
    return folder->path;
}

const char *run_folder_movie(const RunFolder *folder)
{
    return folder->scene->output.movie ? folder->movie_path : NULL;
}
