// Signals and loads.
#include "interrupt.h"

#include "base/clock.h"
#include "command.h"
#include "say.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_OF_GRACE 1

static volatile int stop_request;
static volatile sig_atomic_t is_loading, is_shown; // is_shown: the watch may write to a terminal

static void write_text(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; // there is nobody to tell
}

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_request = 1;
}

// Whoever asks twice does not want to wait. What is half-written has a name that says so.
static void stop_or_end(int signal_number)
{
    if (stop_request != 0)
        _exit(EXIT_INTERRUPTED);
    ask_to_stop(signal_number);
    alarm(SECONDS_OF_GRACE);
}

// A terminal that is closed may say so twice, by the system and by its shell: nobody is in a hurry.
static void hang_up(int signal_number)
{
    if (stop_request == 0)
        stop_or_end(signal_number);
}

// A second has gone by: since the load began, or since somebody asked to stop.
static void second_is_over(int signal_number)
{
    (void)signal_number;
    if (stop_request == 0) {
        if (is_loading && is_shown)
            write_text("\rloading\033[K");
        return;
    }
    if (is_loading) {
        write_text(is_shown ? "\r\033[Kbillow: interrupted\n" : "billow: interrupted\n");
        _exit(EXIT_INTERRUPTED);
    }
    write_text(
        "billow: stopping after this stage of the step, or this picture; a second signal stops at once\n");
}

void interrupt_listen(bool is_silent)
{
    is_loading = 1;
    is_shown = !is_silent && isatty(STDERR_FILENO) != 0;
    signal(SIGALRM, second_is_over);
    signal(SIGINT, stop_or_end);
    signal(SIGTERM, stop_or_end);
    if (signal(SIGHUP, hang_up) == SIG_IGN)
        signal(SIGHUP, SIG_IGN); // nohup: the run is to outlive its terminal
    // Whoever read our lines and has gone wants no more of them either. A file too large is told by the write
    // that made it so.
    signal(SIGPIPE, ask_to_stop);
    signal(SIGXFSZ, SIG_IGN);
    alarm(SECONDS_OF_GRACE);
}

void interrupt_end_load(void)
{
    is_loading = 0;
    if (stop_request == 0)
        alarm(0);
    loading_clear();
}

const volatile int *interrupt_request(void)
{
    return &stop_request;
}

static struct {
    double began; // s, on the clock; 0: not yet
    bool has_line;
} line;

static bool look(void *user, const char *task, double share)
{
    (void)user;
    double now = bw_clock_seconds();
    if (line.began == 0.0)
        line.began = now;
    bool is_terminal = is_loading ? is_shown != 0 : isatty(STDERR_FILENO) != 0;
    if (is_terminal && now - line.began > SECONDS_OF_GRACE) {
        char text[70];
        say_into(text, sizeof text, task);
        fprintf(stderr, share >= 0.0 ? "\r%s, %d%%\033[K" : "\r%s\033[K", text, (int)(100.0 * share));
        fflush(stderr);
        line.has_line = true;
    }
    return stop_request == 0;
}

BwWatch loading_watch(void)
{
    return (BwWatch){.look = look};
}

void loading_clear(void)
{
    if (line.has_line || is_shown)
        fputs("\r\033[K", stderr);
    line.has_line = false;
}
