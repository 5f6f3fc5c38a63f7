// Formats that we do not read ourselves are read by Assimp, in a program of its own (tools/read_mesh) that
// sends what it found as a PLY. A file that makes Assimp crash, hang or grow costs a message and nothing
// else.
#include "solid/mesh_read.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double seconds_max = 90.0;            // on the wall; the program limits its own work
static const int64_t bytes_max = (int64_t)1 << 30; // of what it sends

#define PROGRAM "billow-read-mesh"

typedef struct Child {
    const char *path; // of the mesh
    pid_t pid;
    int output;  // descriptor that it writes to, read end
    char *bytes; // what it sent
    int64_t size, capacity;
} Child;

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

// In the folder that BILLOW_HELPERS names, beside the running program, or where both are installed.
static bool find_program(char *path, size_t size)
{
    char self[3000];
    const char *named = getenv("BILLOW_HELPERS");
    if (named != NULL) {
        snprintf(path, size, "%s/" PROGRAM, named);
        return is_program(path);
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    while (length > 0 && self[length - 1] != '/')
        length--;
    if (length <= 0)
        return false;
    self[length] = '\0';
    snprintf(path, size, "%s" PROGRAM, self);
    if (is_program(path))
        return true;
    snprintf(path, size, "%s../libexec/billow/" PROGRAM, self);
    return is_program(path);
}

static int spawn_program(Child *child, const char *program, int output)
{
    char *arguments[] = {(char *)(uintptr_t)PROGRAM, (char *)(uintptr_t)child->path, NULL};
    posix_spawn_file_actions_t actions;
    int trouble = posix_spawn_file_actions_init(&actions);
    if (trouble != 0)
        return trouble;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    trouble = posix_spawn(&child->pid, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return trouble;
}

static BwResult start(Child *child, BwError *err)
{
    char program[4096];
    int ends[2];
    if (!find_program(program, sizeof program))
        return bw_fail(err, BW_ERR_BACKEND,
                       "%s: .obj, .ply and .stl are read without help; other meshes take " PROGRAM
                       ", which comes with libassimp-dev: install it and build again",
                       child->path);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", child->path, strerror(errno));
    int trouble = spawn_program(child, program, ends[1]);
    close(ends[1]);
    child->output = ends[0];
    if (trouble == 0)
        return BW_OK;
    close(ends[0]);
    return bw_fail(err, BW_ERR_BACKEND, "could not read %s: %s: %s", child->path, program, strerror(trouble));
}

// Reads until the program closes its output.
static BwResult receive(Child *child, const BwAllocator *allocator, BwError *err)
{
    double deadline = bw_clock_seconds() + seconds_max;
    for (;;) {
        struct pollfd wait = {child->output, POLLIN, 0};
        double left = deadline - bw_clock_seconds();
        if (left <= 0.0)
            return bw_fail(err, BW_ERR_BACKEND, "%s: Assimp took more than %g s", child->path, seconds_max);
        int ready = poll(&wait, 1, (int)(1e3 * left) + 1);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        if (child->size >= bytes_max)
            return bw_fail(err, BW_ERR_BACKEND, "%s: Assimp makes more than %lld bytes of it", child->path,
                           (long long)bytes_max);
        BW_TRY(bw_reserve(allocator, (void **)&child->bytes, &child->capacity, child->size + 65536, 1, err));
        ssize_t count = read(child->output, child->bytes + child->size, 65536);
        if (count == 0)
            return BW_OK;
        if (count < 0 && errno != EINTR)
            return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", child->path, strerror(errno));
        child->size += count > 0 ? count : 0;
    }
}

// Ends the program if it still runs, and judges how it ended.
static BwResult finish(Child *child, BwResult result, BwError *err)
{
    int status = 0;
    close(child->output);
    if (result != BW_OK)
        kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (result != BW_OK || (WIFEXITED(status) && WEXITSTATUS(status) <= 1))
        return result;
    return bw_fail(err, BW_ERR_BACKEND, "%s: Assimp broke down on it (%s)", child->path,
                   WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it gave up");
}

static BwResult take_mesh(BwMesh *mesh, const Child *child, BwError *err)
{
    static const char mark[] = "error ";
    int64_t length = (int64_t)sizeof mark - 1;
    BwFileBytes file = {.name = mesh->name, .bytes = child->bytes, .size = (size_t)child->size};
    if (child->size < length || memcmp(child->bytes, mark, (size_t)length) != 0)
        return bw_mesh_read_ply(mesh, &file, err);
    const char *end = memchr(child->bytes, '\n', (size_t)child->size);
    int64_t text = (end != NULL ? end - child->bytes : child->size) - length;
    return bw_fail(err, BW_ERR_FORMAT, "%s: Assimp says: %.*s", child->path, (int)(text < 400 ? text : 400),
                   child->bytes + length);
}

BwResult bw_mesh_read_assimp(BwMesh *mesh, const char *path, BwError *err)
{
    Child child = {.path = path};
    BW_TRY(start(&child, err));
    BwResult result = receive(&child, &mesh->allocator, err);
    result = finish(&child, result, err);
    if (result == BW_OK)
        result = take_mesh(mesh, &child, err);
    bw_free(&mesh->allocator, child.bytes, (size_t)child.capacity, BW_ALIGN);
    return result;
}
