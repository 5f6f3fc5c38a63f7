// The loop over frames. A frame's line and picture are written before the checkpoint that counts on them.
#include "simulate.h"

#include "estimate.h"

#include "base/error.h"
#include "interrupt.h"

#include <stdio.h>

bool run_options_read(RunOptions *options)
{
    return options_read_count("--frames", options->frames, 1, 1000000, &options->frame_count) &&
           options_read_count("--threads", options->threads, 1, 256, &options->thread_count);
}

ProgressStyle run_progress_style(const RunOptions *options)
{
    if (options->json != NULL)
        return PROGRESS_JSON;
    return options->quiet != NULL ? PROGRESS_QUIET : PROGRESS_LINES;
}

BwResult run_create_world(Run *run, const RunFolderDef *folder, BwError *err)
{
    BwWorldDef def = bw_world_def_default();
    def.scene = folder->scene;
    def.worker_count = folder->worker_count;
    def.run_id = folder->run_id;
    def.log = progress_log(&run->progress);
    def.watch = loading_watch();
    return bw_world_create(&run->world, &def, err);
}

// The line of stats comes first: a picture notes its checksum. It goes again where the frame cannot be
// written.
static BwResult write_frame(Run *run, const BwStats *stats, BwError *err)
{
    BW_TRY(run_folder_add_stats(run->folder, stats, err));
    const BwFrame *frame = bw_world_view_frame(run->world, err);
    BwResult result = frame != NULL ? run_folder_add_frame(run->folder, frame, err) : err->code;
    if (result != BW_OK)
        run_folder_take_stats_back(run->folder);
    return result;
}

// The start is frame 0.
static BwResult keep_start(Run *run, BwError *err)
{
    const BwStats *stats = bw_world_view_stats(run->world);
    BW_TRY(write_frame(run, stats, err));
    BW_TRY(run_folder_checkpoint_start(run->folder, run->world, err));
    progress_start(&run->progress, stats);
    return BW_OK;
}

static BwResult make_frame(Run *run, BwError *err)
{
    BW_TRY(bw_world_step_frame(run->world, interrupt_request(), err));
    const BwStats *stats = bw_world_view_stats(run->world);
    BW_TRY(write_frame(run, stats, err));
    run->frame++;
    BW_TRY(run_folder_checkpoint(run->folder, run->world, run->frame, run->frame == run->frame_count, err));
    progress_frame(&run->progress, stats);
    return BW_OK;
}

static BwResult simulate(Run *run, BwError *err)
{
    if (run->frame == 0)
        BW_TRY(keep_start(run, err));
    while (run->frame < run->frame_count) {
        if (*interrupt_request() != 0)
            return BW_ERR_INTERRUPTED;
        BW_TRY(make_frame(run, err));
    }
    return BW_OK;
}

// A run that ends early, but not because of its files, keeps its last frame.
static BwResult keep_last_frame(Run *run, BwResult result, BwError *err)
{
    bool is_kept = (result == BW_ERR_INTERRUPTED || result == BW_ERR_NUMERICS || result == BW_ERR_SCENE ||
                    result == BW_ERR_DEF) &&
                   run->frame > 0;
    return is_kept ? run_folder_checkpoint(run->folder, run->world, run->frame, true, err) : BW_OK;
}

static void tell_how_to_go_on(const Run *run)
{
    int frame = run_folder_resume_frame(run->folder);
    if (frame > 0)
        fprintf(stderr, "billow: billow resume %s goes on after frame %d\n", run_folder_path(run->folder),
                frame);
}

// Whatever ends a run that has begun is trouble, also a scene's function that fails: there are files.
static int report_stop(const Run *run, BwResult result, const BwError *err)
{
    report(result, err);
    fprintf(stderr, "billow: frame %d of %d is the last one; what is in %s is whole\n", run->frame,
            run->frame_count, run_folder_path(run->folder));
    return EXIT_TROUBLE;
}

static void tell_what_is_kept(const Run *run)
{
    double bytes;
    int stride;
    char text[32];
    if (!run_folder_kept(run->folder, &bytes, &stride))
        return;
    estimate_write_bytes(text, sizeof text, bytes);
    if (stride == 1)
        printf("kept for billow render: every frame, %s\n", text);
    else
        printf("kept for billow render: one of %d frames, %s; output.keep_frames allows more\n", stride,
               text);
}

int run_carry_out(Run *run)
{
    BwError err = {0}, end_err = {0};
    interrupt_end_load();
    BwResult result = simulate(run, &err);
    progress_end(&run->progress);
    BwResult end_result = keep_last_frame(run, result, &end_err);
    if (end_result == BW_OK)
        end_result = run_folder_finish(run->folder, &end_err);
    int code = EXIT_DONE;
    const char *folder = run_folder_path(run->folder);
    if (result != BW_OK && result != BW_ERR_INTERRUPTED)
        code = report_stop(run, result, &err);
    else if (end_result != BW_OK)
        code = report(end_result, &end_err);
    else if (result == BW_ERR_INTERRUPTED) {
        fprintf(stderr, "billow: stopped after frame %d of %d; what is in %s is whole\n", run->frame,
                run->frame_count, folder);
        code = EXIT_INTERRUPTED;
    }
    if (code == EXIT_DONE && run->progress.style == PROGRESS_LINES)
        tell_what_is_kept(run);
    if (code != EXIT_DONE)
        tell_how_to_go_on(run);
    else if (!progress_summary(&run->progress, folder, run_folder_movie(run->folder)))
        code = EXIT_TROUBLE;
    return code;
}

void run_end(Run *run)
{
    run_folder_destroy(run->folder);
    bw_world_destroy(run->world);
}
