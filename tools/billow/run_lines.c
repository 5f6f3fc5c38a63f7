// A line tells its frame. Lines may be missing, but none may follow one of a later frame, and each must be
// what the run wrote, as far as its checksum is known.
#include "run_lines.h"

#include "base/checksum.h"
#include "base/file.h"
#include "base/json_read.h"

#include <string.h>

enum { STATS_BYTES_MAX = 1 << 30 };

// A look at the lines, one after the other. Rows count from 1; 0: none.
typedef struct LineCheck {
    const RunSums *sums;
    int last;          // the frame that the run goes on after
    int frame;         // of the line before; -1: none yet
    int count;         // of lines, that of the start left out
    int unknown_count; // whose checksum is not there
    int row, wrong_row;
    int jump_row, jump_from; // the last that leaves frames out, and the frame before it
} LineCheck;

// The frame that a line says it is of; -1: it says none.
static int frame_of(BwJsonText line)
{
    double frame;
    bool is_told = bw_json_find_number(line, "frame", &frame) && frame >= 0.0 && frame < 1e9;
    return is_told && frame == (double)(int)frame ? (int)frame : -1;
}

// Of a line that follows one of a later frame, that one is wrong if it jumped over this one.
static void check_order(LineCheck *check, int frame)
{
    if (frame > check->frame + 1) {
        check->jump_row = check->row;
        check->jump_from = check->frame;
    } else if (frame <= check->frame) {
        bool is_jumped = check->jump_row > 0 && frame > check->jump_from;
        check->wrong_row = is_jumped ? check->jump_row : check->row;
    }
    check->frame = frame;
}

// A line whose checksum is lost must still be one. False where it is of a frame that is to be made again.
static bool check_line(LineCheck *check, BwJsonText line)
{
    int frame = frame_of(line);
    check->row++;
    check_order(check, frame);
    if (frame > check->last)
        return false;
    uint64_t wanted = run_sums_find(check->sums, frame < 0 ? 0 : frame).stats;
    bool is_known = frame >= 0 && wanted != 0;
    bool is_right =
        is_known ? wanted == bw_mix_bytes(0, line.begin, (size_t)(line.end - line.begin)) : frame >= 0;
    check->unknown_count += !is_known;
    check->count += frame > 0;
    check->wrong_row = check->wrong_row == 0 && !is_right ? check->row : check->wrong_row;
    return true;
}

// Gives where the lines up to that of the last frame end; what follows that one does not matter. Before it a
// line of a later frame may be a wrong one: what follows tells.
static void check_lines(LineCheck *check, BwJsonText text, size_t *end)
{
    size_t begin = 0, size = (size_t)(text.end - text.begin);
    *end = 0;
    for (size_t at = 0; at < size && check->wrong_row == 0 && check->frame != check->last; at++)
        if (text.begin[at] == '\n') {
            if (check_line(check, (BwJsonText){text.begin + begin, text.begin + at + 1}))
                *end = at + 1;
            begin = at + 1;
        }
}

static BwResult tell(const LineCheck *check, const char *path, BwError *err)
{
    int lost = check->last - check->count; // the start has no line in stats of version 0.1
    if (check->wrong_row > 0)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s:%d is not the line that the run wrote; without that line the run can go on", path,
                       check->wrong_row);
    if (lost > 0)
        fprintf(stderr, "billow: %s has no line of %d of %d frames; they are lost, the frames are not\n",
                path, lost, check->last);
    if (check->unknown_count > 0)
        fprintf(stderr, "billow: %s does not tell what %d line%s of %s were; they are kept as they are\n",
                check->sums->path, check->unknown_count, check->unknown_count == 1 ? "" : "s", path);
    return BW_OK;
}

BwResult run_lines_find_end(const char *path, const RunSums *sums, int frame, size_t *end, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    LineCheck check = {.sums = sums, .last = frame, .frame = -1};
    char *text;
    size_t size;
    *end = 0;
    if (bw_file_exists(path)) {
        BW_TRY(bw_file_read(&allocator, path, STATS_BYTES_MAX, &text, &size, err));
        check_lines(&check, (BwJsonText){text, text + size}, end);
        bw_free(&allocator, text, size + 1, BW_ALIGN);
    }
    return tell(&check, path, err);
}
