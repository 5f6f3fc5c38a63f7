// Results, their texts and messages, and the log hook.
#include "base/error.h"
#include "base/log.h"
#include "gate.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void every_result_has_its_text(void **state)
{
    (void)state;
    assert_string_equal(bw_result_text(BW_OK), "ok");
#define X(name, text) assert_string_equal(bw_result_text(BW_ERR_##name), text);
    BW_ERRORS(X)
#undef X
    assert_string_equal(bw_result_text((BwResult)1000), "unknown result");
    assert_string_equal(bw_result_text((BwResult)-1), "unknown result");
}

static void a_failure_leaves_code_and_message(void **state)
{
    (void)state;
    BwError err = {0};
    assert_int_equal(bw_fail(&err, BW_ERR_SCENE, "cell is %g m; it must be positive", -1.0), BW_ERR_SCENE);
    assert_int_equal(err.code, BW_ERR_SCENE);
    assert_string_equal(err.message, "cell is -1 m; it must be positive");
    assert_int_equal(bw_fail_memory(&err), BW_ERR_MEMORY);
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(bw_fail(NULL, BW_ERR_FILE, "nobody %s", "listens"), BW_ERR_FILE);
    assert_int_equal(bw_fail_memory(NULL), BW_ERR_MEMORY);
}

static void a_message_may_wrap_the_older_one(void **state)
{
    (void)state;
    BwError err;
    bw_fail(&err, BW_ERR_FILE, "no such file");
    bw_fail(&err, BW_ERR_SCENE, "ball.obj: %s, line %d", err.message, 3);
    assert_string_equal(err.message, "ball.obj: no such file, line 3");
}

static void a_long_message_is_cut(void **state)
{
    (void)state;
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    BwError err;
    bw_fail(&err, BW_ERR_FILE, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static BwResult tries(BwResult first, int *reached)
{
    BW_TRY(first);
    (*reached)++;
    return BW_OK;
}

static void try_returns_early(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(tries(BW_ERR_NUMERICS, &reached), BW_ERR_NUMERICS);
    assert_int_equal(reached, 0);
    assert_int_equal(tries(BW_OK, &reached), BW_OK);
    assert_int_equal(reached, 1);
}

static void a_broken_assertion_aborts(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        bw_assert_failed("count > 0", "grid.c", 7);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

typedef struct Heard {
    int count;
    BwLogLevel level;
    char message[2048];
} Heard;

static void hear(void *user, BwLogLevel level, const char *message)
{
    Heard *heard = user;
    heard->count++;
    heard->level = level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

static void log_reaches_the_hook(void **state)
{
    (void)state;
    Heard heard = {0};
    BwLog log = {hear, &heard};
    bw_log(&log, BW_LOG_WARNING, "frame %d: %s", 12, "residual 1e-3");
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, BW_LOG_WARNING);
    assert_string_equal(heard.message, "frame 12: residual 1e-3");
    bw_log(&log, BW_LOG_INFO, "%2000d", 1);
    assert_int_equal(strlen(heard.message), 1023);
    BwLog silence = {0};
    bw_log(&silence, BW_LOG_ERROR, "%s", "unheard");
    assert_int_equal(heard.count, 2);
}

static void version_is_that_of_the_header(void **state)
{
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", BW_VERSION_MAJOR, BW_VERSION_MINOR, BW_VERSION_PATCH);
    assert_string_equal(bw_version(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_text),
        cmocka_unit_test(a_failure_leaves_code_and_message),
        cmocka_unit_test(a_message_may_wrap_the_older_one),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(try_returns_early),
        cmocka_unit_test(a_broken_assertion_aborts),
        cmocka_unit_test(log_reaches_the_hook),
        cmocka_unit_test(version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
