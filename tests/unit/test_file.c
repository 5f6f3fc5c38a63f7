// Whole files or none: after a kill, a full disk, a wrong folder or short memory the old file stands and no
// temporary is left.
#include "base/file.h"
#include "scratch_folder.h"
#include "strict_allocator.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static BwResult write_with(const BwAllocator *allocator, const char *path, const char *text, BwError *err)
{
    BwFileWriter writer;
    BW_TRY(bw_file_begin(&writer, allocator, path, err));
    fputs(text, writer.stream);
    return bw_file_commit(&writer, err);
}

static BwResult write_file(const char *path, const char *text, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    return write_with(&allocator, path, text, err);
}

static void assert_content(const char *path, const char *wanted)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *content;
    size_t size;
    assert_int_equal(bw_file_read(&allocator, path, 1 << 20, &content, &size, NULL), BW_OK);
    assert_int_equal(size, strlen(wanted));
    assert_string_equal(content, wanted);
    bw_free(&allocator, content, size + 1, BW_ALIGN);
}

static void a_commit_replaces_the_file(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    assert_int_equal(write_file("frame", "one", NULL), BW_OK);
    assert_content("frame", "one");
    BwFileWriter writer;
    assert_int_equal(bw_file_begin(&writer, &allocator, "frame", NULL), BW_OK);
    fputs("two, longer", writer.stream);
    fflush(writer.stream);
    assert_content("frame", "one");
    assert_true(bw_file_exists("frame.part"));
    assert_int_equal(bw_file_commit(&writer, NULL), BW_OK);
    assert_content("frame", "two, longer");
    assert_false(bw_file_exists("frame.part"));
    bw_file_abandon(&writer);
    assert_content("frame", "two, longer");
}

static void giving_up_keeps_the_old_file(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    assert_int_equal(write_file("frame", "old", NULL), BW_OK);
    BwFileWriter writer;
    assert_int_equal(bw_file_begin(&writer, &allocator, "frame", NULL), BW_OK);
    fputs("new", writer.stream);
    bw_file_abandon(&writer);
    bw_file_abandon(&writer);
    assert_content("frame", "old");
    assert_false(bw_file_exists("frame.part"));
}

// A kill at any moment of writing leaves one of the two whole contents under the final name.
static void a_kill_leaves_a_whole_file(void **state)
{
    enum { SIZE = 100000, KILLS = 40 };
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    static char pages[2][SIZE + 1];
    memset(pages[0], 'a', SIZE);
    memset(pages[1], 'b', SIZE);
    assert_int_equal(write_file("frame", pages[0], NULL), BW_OK);
    for (int n = 0; n < KILLS; n++) {
        pid_t child = fork();
        if (child == 0)
            for (int turn = 0;; turn++)
                write_file("frame", pages[turn & 1], NULL);
        usleep((useconds_t)(300 * n));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        char *content;
        size_t size;
        assert_int_equal(bw_file_read(&allocator, "frame", SIZE, &content, &size, NULL), BW_OK);
        assert_int_equal(size, SIZE);
        assert_string_equal(content, pages[content[0] == 'b']);
        bw_free(&allocator, content, size + 1, BW_ALIGN);
    }
    assert_int_equal(write_file("frame", "after", NULL), BW_OK);
    assert_content("frame", "after");
    assert_false(bw_file_exists("frame.part"));
}

// A limit on the size of files stands for a full disk: both make write fail half way.
static void write_past_the_limit(size_t chunk, BwError *err)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    limit = (struct rlimit){20000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    BwFileWriter writer;
    BwResult begun = bw_file_begin(&writer, &allocator, "frame", err);
    char bytes[4096] = {0};
    for (size_t written = 0; begun == BW_OK && written < 100000; written += chunk)
        fwrite(bytes, 1, chunk, writer.stream);
    BwResult committed = begun == BW_OK ? bw_file_commit(&writer, err) : begun;
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(begun, BW_OK);
    assert_int_equal(committed, BW_ERR_FILE);
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    BwError err;
    assert_int_equal(write_file("frame", "old", NULL), BW_OK);
    write_past_the_limit(4096, &err);
    assert_string_equal(err.message, "could not write frame: File too large");
    write_past_the_limit(1000, &err);
    assert_string_equal(err.message, "could not write frame: File too large");
    assert_content("frame", "old");
    assert_false(bw_file_exists("frame.part"));
}

static void a_device_without_room_is_told(void **state)
{
    (void)state;
    if (symlink("/dev/full", "frame.part") != 0 || !bw_file_exists("/dev/full"))
        skip();
    BwError err;
    assert_int_equal(write_file("frame", "text", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not write frame: No space left on device");
    assert_false(bw_file_exists("frame"));
    assert_false(bw_file_exists("frame.part"));
}

static void places_that_cannot_be_written_are_told(void **state)
{
    (void)state;
    BwError err;
    assert_int_equal(write_file("none/frame", "", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not create none/frame.part: No such file or directory");
    assert_int_equal(mkdir("taken", 0777), 0);
    assert_int_equal(write_file("taken", "", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not rename to taken: Is a directory");
    assert_false(bw_file_exists("taken.part"));
}

// Root may write anywhere, so a child without root's rights tries, in a folder with these permissions.
static void as_another_user(mode_t permissions, bool (*test)(void))
{
    assert_int_equal(chmod(".", permissions), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(9);
        _exit(test() ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(chmod(".", 0777), 0);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 9)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool is_told_of_permission(void)
{
    BwError err;
    return write_file("frame", "new", &err) == BW_ERR_FILE &&
           strcmp(err.message, "could not create frame.part: Permission denied") == 0;
}

static void a_read_only_folder_is_told(void **state)
{
    (void)state;
    assert_int_equal(write_file("frame", "old", NULL), BW_OK);
    as_another_user(0555, is_told_of_permission);
    assert_content("frame", "old");
}

static bool writes(void)
{
    return write_file("frame", "new", NULL) == BW_OK;
}

// A folder that may be written but not read cannot be flushed; the file is whole all the same.
static void a_folder_that_cannot_be_read_takes_files(void **state)
{
    (void)state;
    as_another_user(0333, writes);
    assert_content("frame", "new");
}

static void a_finished_file_is_published(void **state)
{
    (void)state;
    assert_int_equal(write_file("movie", "old", NULL), BW_OK);
    assert_int_equal(write_file("movie.tmp", "new", NULL), BW_OK);
    assert_int_equal(bw_file_publish("movie.tmp", "movie", NULL), BW_OK);
    assert_content("movie", "new");
    assert_false(bw_file_exists("movie.tmp"));
    BwError err;
    assert_int_equal(bw_file_publish("movie.tmp", "movie", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not open movie.tmp: No such file or directory");
    assert_content("movie", "new");
}

static void wrong_things_to_read_are_told(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *content;
    size_t size;
    BwError err;
    assert_int_equal(bw_file_read(&allocator, "none", 10, &content, &size, &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not read none: No such file or directory");
    assert_int_equal(bw_file_read(&allocator, ".", 10, &content, &size, &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not read .: it is a folder");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(bw_file_read(&allocator, "pipe", 10, &content, &size, &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not read pipe: it is not a plain file");
    assert_int_equal(write_file("long", "12345678901", NULL), BW_OK);
    assert_int_equal(bw_file_read(&allocator, "long", 10, &content, &size, &err), BW_ERR_FILE);
    assert_string_equal(err.message, "long holds 11 bytes; at most 10 are read");
}

static void folders_are_made_with_those_above(void **state)
{
    (void)state;
    BwError err;
    assert_int_equal(bw_folder_make("a/b//c/", NULL), BW_OK);
    assert_int_equal(bw_folder_make("a/b/c", NULL), BW_OK);
    assert_int_equal(bw_folder_make("/", NULL), BW_OK);
    assert_int_equal(rmdir("a/b/c"), 0);
    assert_int_equal(rmdir("a/b"), 0);
    assert_int_equal(close(creat("file", 0666)), 0);
    assert_int_equal(bw_folder_make("file", &err), BW_ERR_FILE);
    assert_string_equal(err.message, "could not make the folder file: a file of that name is there");
    assert_int_equal(bw_folder_make("file/below", &err), BW_ERR_FILE);
    assert_int_equal(symlink("nowhere", "link"), 0);
    assert_int_equal(bw_folder_make("link", &err), BW_ERR_FILE);
    assert_int_equal(bw_folder_make("", &err), BW_ERR_FILE);
}

static void short_memory_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    assert_int_equal(write_file("frame", "old", NULL), BW_OK);
    int allocations = 0;
    for (BwResult result = BW_ERR_MEMORY; result != BW_OK; allocations++) {
        assert_content("frame", "old");
        fail_after(&strict, allocations);
        result = write_with(&allocator, "frame", "new", NULL);
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        assert_false(bw_file_exists("frame.part"));
        assert_nothing_left(&strict);
    }
    assert_int_equal(allocations, 3);
    char *content;
    size_t size;
    fail_after(&strict, 0);
    assert_int_equal(bw_file_read(&allocator, "frame", 10, &content, &size, NULL), BW_ERR_MEMORY);
    assert_nothing_left(&strict);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_commit_replaces_the_file),        IN_FOLDER(giving_up_keeps_the_old_file),
        IN_FOLDER(a_kill_leaves_a_whole_file),        IN_FOLDER(a_full_disk_keeps_the_old_file),
        IN_FOLDER(a_device_without_room_is_told),     IN_FOLDER(places_that_cannot_be_written_are_told),
        IN_FOLDER(a_read_only_folder_is_told),        IN_FOLDER(a_folder_that_cannot_be_read_takes_files),
        IN_FOLDER(a_finished_file_is_published),      IN_FOLDER(wrong_things_to_read_are_told),
        IN_FOLDER(folders_are_made_with_those_above), IN_FOLDER(short_memory_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
