// Which files are there is read from their folders, one a format; of each frame one file is enough.
#include "run_remake.h"

#include "interrupt.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct Remaking {
    RunVolumes *volumes;
    FrameSource *source;
    int last;                 // frame
    bool *is_there;           // by format, then by frame
    int made[FORMATS_MAX];    // again, in frames
    int missing[FORMATS_MAX]; // still
} Remaking;

static bool *there(Remaking *remaking, int format, int frame)
{
    return &remaking->is_there[(size_t)format * ((size_t)remaking->last + 1) + (size_t)frame];
}

static BwResult look_into(Remaking *remaking, int format, BwError *err)
{
    char path[RUN_PATH_SIZE];
    const char *rest;
    BW_TRY(run_file_path(path, remaking->source->folder, formats[format].folder, err));
    DIR *list = opendir(path);
    if (list == NULL) // made with its first file
        return BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (!format_names(&formats[format], entry->d_name, &rest) || rest[0] != '\0')
            continue;
        long frame = strtol(entry->d_name + strlen("frame_"), NULL, 10);
        if (frame >= 0 && frame <= remaking->last)
            *there(remaking, format, (int)frame) = true;
    }
    closedir(list);
    return BW_OK;
}

// Makes what `is_lacking` of a frame, by format, as if nothing else were asked for.
static BwResult make_again(Remaking *remaking, const bool is_lacking[FORMATS_MAX], const BwFrame *frame,
                           BwError *err)
{
    RunVolumes *volumes = remaking->volumes;
    bool is_asked[FORMATS_MAX];
    memcpy(is_asked, volumes->is_asked, sizeof is_asked);
    memcpy(volumes->is_asked, is_lacking, sizeof is_asked);
    BwResult result = run_volumes_add(volumes, frame, err);
    memcpy(volumes->is_asked, is_asked, sizeof is_asked);
    return result;
}

static BwResult remake_frame(Remaking *remaking, int number, BwError *err)
{
    bool is_lacking[FORMATS_MAX] = {false}, lacks_any = false;
    BwError view_err = {0};
    for (int n = 0; n < format_count; n++) {
        bool is_missing = remaking->volumes->is_asked[n] && !*there(remaking, n, number);
        is_lacking[n] = is_missing && formats[n].needs_little;
        lacks_any |= is_lacking[n];
        remaking->missing[n] += is_missing;
    }
    if (!lacks_any)
        return BW_OK;
    const BwFrame *frame = frame_source_view(remaking->source, number, &view_err);
    if (frame == NULL)
        return view_err.code == BW_ERR_MEMORY ? bw_fail_memory(err) : BW_OK;
    BW_TRY(make_again(remaking, is_lacking, frame, err));
    for (int n = 0; n < format_count; n++) {
        remaking->made[n] += is_lacking[n];
        remaking->missing[n] -= is_lacking[n];
    }
    return BW_OK;
}

static void tell(const Remaking *remaking)
{
    for (int n = 0; n < format_count; n++) {
        const char *folder = remaking->source->folder, *name = formats[n].folder;
        if (remaking->made[n] > 0)
            fprintf(stderr, "billow: %s/%s lacked %d of %d frames, which were made again\n", folder, name,
                    remaking->made[n], remaking->last + 1);
        if (remaking->missing[n] > 0 && formats[n].needs_little)
            fprintf(stderr, "billow: %s/%s lacks %d of %d frames, of which nothing was kept\n", folder, name,
                    remaking->missing[n], remaking->last + 1);
        else if (remaking->missing[n] > 0)
            fprintf(stderr,
                    "billow: %s/%s lacks %d of %d frames; billow export %s --to %s makes those that have a "
                    "checkpoint\n",
                    folder, name, remaking->missing[n], remaking->last + 1, folder, formats[n].name);
    }
}

static BwResult remake_all(Remaking *remaking, BwError *err)
{
    for (int n = 0; n < format_count; n++)
        if (remaking->volumes->is_asked[n])
            BW_TRY(look_into(remaking, n, err));
    for (int frame = 0; frame <= remaking->last; frame++) {
        if (*interrupt_request() != 0)
            return bw_fail(err, BW_ERR_INTERRUPTED,
                           "interrupted at frame %d of %d whose files are made again; billow resume %s goes "
                           "on after frame %d",
                           frame, remaking->last, remaking->source->folder, remaking->last);
        BW_TRY(remake_frame(remaking, frame, err));
    }
    tell(remaking);
    return BW_OK;
}

BwResult run_remake(RunVolumes *volumes, FrameSource *source, int last, BwError *err)
{
    Remaking remaking = {.volumes = volumes, .source = source, .last = last};
    size_t size = (size_t)format_count * ((size_t)last + 1) * sizeof *remaking.is_there;
    remaking.is_there = bw_alloc_zeroed(&volumes->allocator, size, BW_ALIGN);
    if (remaking.is_there == NULL)
        return bw_fail_memory(err);
    BwResult result = remake_all(&remaking, err);
    bw_free(&volumes->allocator, remaking.is_there, size, BW_ALIGN);
    return result;
}
