// Which files are there is read from their folders, one a format; of each frame one file is enough, if all of
// it are whole.
#include "run_remake.h"

#include "info_export.h"
#include "interrupt.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef enum FileState { FILE_MISSING, FILE_WHOLE, FILE_DAMAGED } FileState;

// Files that are damaged are named, so many at most.
enum { NAMES_MAX = 8 };

typedef struct Remaking {
    RunVolumes *volumes;
    FrameSource *source;
    int last;                 // frame
    FileState *states;        // by format, then by frame
    int damaged[FORMATS_MAX]; // frames
    int made[FORMATS_MAX];    // again, in frames
    int missing[FORMATS_MAX]; // still
    bool is_telling;          // of damaged files
} Remaking;

static FileState *state_of(Remaking *remaking, int format, int frame)
{
    return &remaking->states[(size_t)format * ((size_t)remaking->last + 1) + (size_t)frame];
}

// Notes a file that is there. One that is damaged counts as missing.
static void note_file(Remaking *remaking, int format, int frame, const char *path)
{
    BwError trouble = {0};
    FileState *state = state_of(remaking, format, frame);
    if (check_export_file(path, &trouble) == BW_OK) {
        *state = *state == FILE_DAMAGED ? FILE_DAMAGED : FILE_WHOLE;
        return;
    }
    remaking->damaged[format] += *state != FILE_DAMAGED;
    *state = FILE_DAMAGED;
    if (remaking->is_telling && remaking->damaged[format] <= NAMES_MAX)
        fprintf(stderr, "billow: %s\n", trouble.message);
}

static BwResult look_into(Remaking *remaking, int format, BwError *err)
{
    char path[RUN_PATH_SIZE], file[RUN_PATH_SIZE];
    const char *rest;
    BW_TRY(run_file_path(path, remaking->source->folder, formats[format].folder, err));
    DIR *list = opendir(path);
    if (list == NULL) // made with its first file
        return BW_OK;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (!format_names(&formats[format], entry->d_name, &rest) || rest[0] != '\0')
            continue;
        long frame = strtol(entry->d_name + strlen("frame_"), NULL, 10);
        if (frame >= 0 && frame <= remaking->last && run_file_path(file, path, entry->d_name, NULL) == BW_OK)
            note_file(remaking, format, (int)frame, file);
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
        bool is_missing = remaking->volumes->is_asked[n] && *state_of(remaking, n, number) != FILE_WHOLE;
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
        if (remaking->damaged[n] > 0)
            fprintf(stderr, "billow: %s/%s had damaged files of %d frames, which count as lacking\n", folder,
                    name, remaking->damaged[n]);
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

static size_t states_size(const Remaking *remaking)
{
    return (size_t)format_count * ((size_t)remaking->last + 1) * sizeof *remaking->states;
}

bool run_remake_has_all(const char *folder, const BwOutputDef *output, int last, bool is_telling)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    FrameSource source = {.folder = folder};
    Remaking remaking = {.source = &source, .last = last, .is_telling = is_telling};
    bool has_all = true;
    remaking.states = bw_alloc_zeroed(&allocator, states_size(&remaking), BW_ALIGN);
    for (int n = 0; n < format_count && remaking.states != NULL; n++) {
        bool is_asked =
            formats[n].is_asked != NULL && formats[n].is_asked(output) && formats[n].write != NULL;
        if (!is_asked || look_into(&remaking, n, NULL) != BW_OK)
            continue;
        for (int frame = 0; frame <= last && formats[n].needs_little; frame++)
            has_all &= *state_of(&remaking, n, frame) == FILE_WHOLE;
    }
    if (remaking.states != NULL)
        bw_free(&allocator, remaking.states, states_size(&remaking), BW_ALIGN);
    return has_all;
}

BwResult run_remake(RunVolumes *volumes, FrameSource *source, int last, BwError *err)
{
    Remaking remaking = {.volumes = volumes, .source = source, .last = last, .is_telling = true};
    remaking.states = bw_alloc_zeroed(&volumes->allocator, states_size(&remaking), BW_ALIGN);
    if (remaking.states == NULL)
        return bw_fail_memory(err);
    BwResult result = remake_all(&remaking, err);
    bw_free(&volumes->allocator, remaking.states, states_size(&remaking), BW_ALIGN);
    return result;
}
