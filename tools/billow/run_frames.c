// Keeping frames within bounds, and finding them again.
#include "run_frames.h"

#include "cache/frame_file.h"
#include "run_cache.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : 0.0;
}

static BwResult remove_frame(const RunFrames *frames, int number, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BW_TRY(run_frame_path(path, frames->folder, number, err));
    if (unlink(path) == 0 || errno == ENOENT)
        return BW_OK;
    return bw_fail(err, BW_ERR_FILE, "could not remove %s: %s", path, strerror(errno));
}

// Calls for each kept frame from the last down to the first.
static BwResult sum_up(RunFrames *frames, BwError *err)
{
    char path[RUN_PATH_SIZE];
    frames->bytes = 0.0;
    frames->last = -1;
    for (int number = INT_MAX;;) {
        BW_TRY(run_newest_frame(frames->folder, number, &number, err));
        if (number < 0)
            return BW_OK;
        BW_TRY(run_frame_path(path, frames->folder, number, err));
        frames->bytes += file_bytes(path);
        frames->last = frames->last < 0 ? number : frames->last;
    }
}

// The widest step that all frames but the start are whole numbers of; what was lost does not matter.
static int stride_of(const char *folder, BwError *err)
{
    int stride = 1 << 20, number = INT_MAX, count = 0;
    while (run_newest_frame(folder, number, &number, err) == BW_OK && number > 0) {
        while (number % stride != 0)
            stride /= 2;
        count++;
    }
    return count > 1 ? stride : 1;
}

static BwResult remove_after(const char *folder, int frame, BwError *err)
{
    const RunFrames frames = {.folder = folder};
    for (int number = INT_MAX;;) {
        BW_TRY(run_newest_frame(folder, number, &number, err));
        if (number <= frame)
            return BW_OK;
        BW_TRY(remove_frame(&frames, number, err));
    }
}

BwResult run_frames_begin(RunFrames *frames, const char *folder, const BwOutputDef *output, uint64_t run_id,
                          int frame, BwError *err)
{
    bool is_asked = output->checkpoint_every > 0 && bw_checkpoint_is_built();
    *frames = (RunFrames){.folder = folder,
                          .run_id = run_id,
                          .bytes_max = is_asked ? 1e6 * (double)output->keep_frames : 0.0,
                          .is_recorded = output->record,
                          .stride = 1,
                          .last = -1};
    if (output->record) // all of them
        frames->bytes_max = (double)INFINITY;
    if (frames->bytes_max <= 0.0)
        return BW_OK;
    BW_TRY(remove_after(folder, frame, err));
    frames->stride = stride_of(folder, err);
    return sum_up(frames, err);
}

BwResult run_frames_settle(RunFrames *frames, BwError *err)
{
    return bw_file_commit_finish(&frames->commit, err);
}

// Every second one goes.
static BwResult thin_out(RunFrames *frames, BwError *err)
{
    BW_TRY(run_frames_settle(frames, err));
    frames->stride *= 2;
    for (int number = INT_MAX;;) {
        BW_TRY(run_newest_frame(frames->folder, number, &number, err));
        if (number < 0)
            break;
        if (number % frames->stride != 0)
            BW_TRY(remove_frame(frames, number, err));
    }
    return sum_up(frames, err);
}

static BwResult write_frame(RunFrames *frames, const BwFrame *frame, BwError *err)
{
    char path[RUN_PATH_SIZE];
    BwFileWriter writer;
    BW_TRY(run_frame_path(path, frames->folder, frame->number, err));
    BW_TRY(bw_frame_write(frame, frames->is_recorded, path, frames->run_id, &writer, err));
    long size = ftell(writer.stream);
    BW_TRY(bw_file_commit_begin(&frames->commit, &writer, err));
    frames->bytes += (double)size;
    frames->last = frame->number;
    return BW_OK;
}

BwResult run_frames_add(RunFrames *frames, const BwFrame *frame, BwError *err)
{
    if (frames->bytes_max <= 0.0 || frame->number % frames->stride != 0)
        return BW_OK;
    BW_TRY(write_frame(frames, frame, err));
    while (frames->bytes > frames->bytes_max && frames->last > 0)
        BW_TRY(thin_out(frames, err));
    return BW_OK;
}

static const BwFrame *view_file(FrameSource *source, const char *path, int number, BwError *err)
{
    if (bw_frame_load(&source->file, path, source->scene, source->run_id, err) != BW_OK)
        return NULL;
    const BwFrame *frame = bw_frame_file_view(source->file);
    if (frame->number == number)
        return frame;
    bw_fail(err, BW_ERR_FORMAT, "%s holds frame %d", path, frame->number);
    return NULL;
}

// The start is the first frame of a world that nobody has taken anywhere.
static const BwFrame *view_world(FrameSource *source, int number, BwError *err)
{
    BwWorldDef def = bw_world_def_default();
    def.scene = source->scene;
    def.run_id = source->run_id;
    bool is_fresh = source->world == NULL || number == 0;
    if (is_fresh) {
        bw_world_destroy(source->world);
        source->world = NULL;
        if (bw_world_create(&source->world, &def, err) != BW_OK)
            return NULL;
    }
    if (run_load_checkpoint(source->world, source->folder, number, source->force, err) != BW_OK) {
        bw_world_destroy(source->world); // it may only be destroyed now
        source->world = NULL;
        return NULL;
    }
    return bw_world_view_frame(source->world, err);
}

bool frame_source_has(const FrameSource *source, int number)
{
    char path[RUN_PATH_SIZE];
    bool may_lack = !source->is_whole || source->may_lack;
    return number == 0 ||
           (run_checkpoint_path(path, source->folder, number, NULL) == BW_OK && bw_file_exists(path)) ||
           (may_lack && run_frame_path(path, source->folder, number, NULL) == BW_OK && bw_file_exists(path));
}

bool frame_is_damaged(const BwError *err)
{
    return err->code == BW_ERR_FORMAT || err->code == BW_ERR_FILE;
}

// The one goes before the other, which serves where the first is damaged; what is told is of the first.
static const BwFrame *view_either(FrameSource *source, int number, const char *path, bool world_first,
                                  BwError *err)
{
    BwError second_err = {0};
    const BwFrame *frame =
        world_first ? view_world(source, number, err) : view_file(source, path, number, err);
    if (frame != NULL || !frame_is_damaged(err))
        return frame;
    return world_first ? view_file(source, path, number, &second_err)
                       : view_world(source, number, &second_err);
}

const BwFrame *frame_source_view(FrameSource *source, int number, BwError *err)
{
    char path[RUN_PATH_SIZE], checkpoint[RUN_PATH_SIZE];
    bw_frame_file_destroy(source->file);
    source->file = NULL;
    if (run_frame_path(path, source->folder, number, err) != BW_OK ||
        run_checkpoint_path(checkpoint, source->folder, number, err) != BW_OK)
        return NULL;
    bool has_checkpoint = number == 0 || bw_file_exists(checkpoint),
         has_file = (!source->is_whole || source->may_lack) && bw_file_exists(path);
    if (has_checkpoint && has_file)
        return view_either(source, number, path, source->is_whole, err);
    if (has_file)
        return view_file(source, path, number, err);
    if (has_checkpoint)
        return view_world(source, number, err);
    bw_fail(err, BW_ERR_DEF, "nothing is kept of frame %d: neither %s nor a checkpoint is there", number,
            path);
    return NULL;
}

void frame_source_end(FrameSource *source)
{
    bw_frame_file_destroy(source->file);
    bw_world_destroy(source->world);
    source->file = NULL;
    source->world = NULL;
}

BwResult run_frames_last(const char *folder, int *last, BwError *err)
{
    int checkpoint;
    BW_TRY(run_newest_frame(folder, INT_MAX, last, err));
    BW_TRY(run_newest_checkpoint(folder, INT_MAX, &checkpoint, err));
    *last = checkpoint > *last ? checkpoint : *last;
    return BW_OK;
}
