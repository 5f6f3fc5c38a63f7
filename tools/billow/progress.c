// Progress of a run.
#include "progress.h"

#include "say.h"

#include "base/clock.h"
#include "world/stats_json.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

// A frame's share in the time that frames are expected to take: what happened ten frames ago hardly counts.
static const double newest_share = 0.2;

Progress progress_begin(ProgressStyle style, int frame_count)
{
    double now = bw_clock_seconds();
    return (Progress){.style = style,
                      .is_terminal = isatty(STDOUT_FILENO) != 0,
                      .frame_count = frame_count,
                      .began = now,
                      .last = now};
}

// "43 s", "3:20 min", "1:02:10 h".
static void write_duration(char *text, size_t size, double seconds)
{
    long long whole = (long long)(seconds + 0.5), minutes = whole / 60, hours = minutes / 60;
    if (minutes == 0)
        snprintf(text, size, "%lld s", whole);
    else if (hours == 0)
        snprintf(text, size, "%lld:%02lld min", minutes, whole % 60);
    else
        snprintf(text, size, "%lld:%02lld:%02lld h", hours, minutes % 60, whole % 60);
}

// Where the frame's time went; what the world did not spend went into pictures and files.
static const char *longest_stage(const BwStats *stats, double frame_seconds)
{
    const char *name = "pictures";
    double longest = frame_seconds - stats->seconds;
    for (int n = 0; n < stats->stage_count; n++)
        if (stats->stages[n].seconds > longest) {
            longest = stats->stages[n].seconds;
            name = stats->stages[n].name;
        }
    return name;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A line as wide as the terminal would start another one.
static void rewrite_line(Progress *progress, const char *text)
{
    printf("\r%.*s\033[K", terminal_width() - 1, text);
    progress->has_open_line = true;
}

static void write_line(Progress *progress, const BwStats *stats, double last_seconds)
{
    char text[240], left[32], particles[40] = "";
    int to_do = progress->frame_count - progress->frame;
    write_duration(left, sizeof left, to_do * progress->frame_seconds);
    if (!isnan(stats->volume))
        snprintf(particles, sizeof particles, ", %lld particles", (long long)stats->particles);
    snprintf(text, sizeof text, "frame %d of %d, %d%%, %s left, %lld cells%s, longest: %s", progress->frame,
             progress->frame_count, (int)(100LL * progress->frame / progress->frame_count), left,
             (long long)stats->cells, particles, longest_stage(stats, last_seconds));
    if (progress->is_terminal)
        rewrite_line(progress, text);
    else
        printf("%s\n", text);
}

void progress_start(const Progress *progress, const BwStats *stats)
{
    if (progress->style == PROGRESS_JSON)
        bw_stats_write(stdout, stats);
    fflush(stdout);
}

void progress_frame(Progress *progress, const BwStats *stats)
{
    double now = bw_clock_seconds(), taken = now - progress->last;
    progress->last = now;
    progress->frame_seconds =
        progress->frame == 0 ? taken
                             : progress->frame_seconds + newest_share * (taken - progress->frame_seconds);
    progress->frame = stats->frame;
    if (progress->style == PROGRESS_LINES)
        write_line(progress, stats, taken);
    else if (progress->style == PROGRESS_JSON)
        bw_stats_write(stdout, stats);
    fflush(stdout);
}

void progress_end(Progress *progress)
{
    if (progress->has_open_line)
        printf("\n");
    progress->has_open_line = false;
    fflush(stdout);
}

static void write_summary(const Progress *progress, const char *folder, const char *movie)
{
    char taken[32];
    write_duration(taken, sizeof taken, bw_clock_seconds() - progress->began);
    printf("%d frame%s in %s: %s\n", progress->frame, progress->frame == 1 ? "" : "s", taken, folder);
    if (movie != NULL)
        printf("movie: %s\n", movie);
}

bool progress_summary(const Progress *progress, const char *folder, const char *movie)
{
    if (progress->style == PROGRESS_LINES)
        write_summary(progress, folder, movie);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "billow: could not write to the standard output; what is in %s is whole\n", folder);
    return false;
}

static void write_message(void *user, BwLogLevel level, const char *message)
{
    (void)level;
    progress_end(user);
    fputs("billow: ", stderr);
    say(stderr, message);
    fputs("\n", stderr);
}

BwLog progress_log(Progress *progress)
{
    return (BwLog){.write = write_message, .user = progress};
}
