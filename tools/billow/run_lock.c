// A lock on the folder itself (flock), so that there is no file whose absence or age could be misread.
#include "run_lock.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OWNER_SIZE = 64, TRIES = 50 };

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static BwResult owner_path(char path[RUN_PATH_SIZE], const char *folder)
{
    return run_file_path(path, folder, "run.lock", NULL);
}

// The command and process that wrote run.lock; false where there is none that is alive.
static bool read_owner(const char *folder, char command[OWNER_SIZE], long *process)
{
    char path[RUN_PATH_SIZE];
    FILE *stream = owner_path(path, folder) == BW_OK ? fopen(path, "r") : NULL;
    if (stream == NULL)
        return false;
    bool is_read = fscanf(stream, "%63[a-z] %ld", command, process) == 2 && *process > 0;
    fclose(stream);
    return is_read && (kill((pid_t)*process, 0) == 0 || errno == EPERM);
}

// The holder writes its name just after it gets the lock, so it may not be there yet.
static BwResult refuse(const char *folder, BwError *err)
{
    char command[OWNER_SIZE];
    long process;
    for (int n = 0; n < TRIES; n++) {
        if (read_owner(folder, command, &process))
            return bw_fail(err, BW_ERR_DEF, "%s is being written by %s, process %ld", folder, command,
                           process);
        wait_a_little();
    }
    return bw_fail(err, BW_ERR_DEF, "%s is being written by another billow", folder);
}

// In a folder that cannot be written to nobody is told who reads it.
static void write_owner(const RunLock *lock, const char *command)
{
    char path[RUN_PATH_SIZE];
    FILE *stream = owner_path(path, lock->path) == BW_OK ? fopen(path, "w") : NULL;
    if (stream == NULL)
        return;
    fprintf(stream, "%s %ld\n", command, (long)getpid());
    fclose(stream);
}

static bool is_same_file(int descriptor, const char *path)
{
    struct stat held, named;
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

// The length of the longest part of the path that is there.
static int existing_length(const char *path)
{
    char part[RUN_PATH_SIZE];
    size_t length = strlen(path);
    memcpy(part, path, length + 1);
    while (length > 0 && access(part, F_OK) != 0) {
        while (length > 0 && part[length - 1] == '/')
            part[--length] = '\0';
        while (length > 0 && part[length - 1] != '/')
            part[--length] = '\0';
    }
    return (int)length;
}

// Another process may remove a folder above that it made, between our steps.
static BwResult make_folder(const char *path, BwError *err)
{
    BwResult result = bw_folder_make(path, err);
    for (int n = 0; n < TRIES && result != BW_OK && errno == ENOENT; n++)
        result = bw_folder_make(path, err);
    return result;
}

// Opens and locks what has the name now. False, with nothing open, when the folder was taken away meanwhile.
static BwResult try_to_lock(RunLock *lock, bool make, bool *is_done, BwError *err)
{
    *is_done = true;
    if (make)
        BW_TRY(make_folder(lock->path, err));
    lock->descriptor = open(lock->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->descriptor < 0)
        return BW_OK;
    if (flock(lock->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(lock->descriptor);
        lock->descriptor = -1;
        BwResult result = refuse(lock->path, err);
        lock->path[0] = '\0'; // whoever made the folder, it is another's now
        return result;
    }
    *is_done = is_same_file(lock->descriptor, lock->path);
    if (*is_done)
        return BW_OK;
    close(lock->descriptor);
    lock->descriptor = -1;
    return BW_OK;
}

BwResult run_lock_take(RunLock *lock, const char *path, const char *command, bool make, BwError *err)
{
    bool is_done = false;
    *lock = (RunLock){.descriptor = -1};
    if (snprintf(lock->path, sizeof lock->path, "%s", path) >= (int)sizeof lock->path)
        return bw_fail(err, BW_ERR_DEF, "the path of the folder has %zu characters; that is too long",
                       strlen(path));
    lock->kept_length = existing_length(lock->path);
    BwResult result = BW_OK;
    while (result == BW_OK && !is_done)
        result = try_to_lock(lock, make, &is_done, err);
    if (lock->descriptor >= 0)
        write_owner(lock, command);
    else if (result != BW_OK)
        run_lock_release(lock);
    return result;
}

BwResult run_lock_take_other(RunLock *lock, const RunLock *first, const char *path, const char *command,
                             bool make, BwError *err)
{
    *lock = (RunLock){.descriptor = -1};
    if (first->descriptor >= 0 && is_same_file(first->descriptor, path))
        return BW_OK;
    return run_lock_take(lock, path, command, make, err);
}

// From the deepest up; one that holds something stays.
static void remove_made_folders(RunLock *lock)
{
    for (size_t length = strlen(lock->path); (int)length > lock->kept_length;) {
        if (rmdir(lock->path) != 0 && errno != ENOENT && errno != EINVAL)
            return;
        while ((int)length > lock->kept_length && lock->path[length - 1] != '/')
            lock->path[--length] = '\0';
        while ((int)length > lock->kept_length && lock->path[length - 1] == '/')
            lock->path[--length] = '\0';
    }
}

void run_lock_release(RunLock *lock)
{
    char path[RUN_PATH_SIZE];
    if (lock->descriptor >= 0 && owner_path(path, lock->path) == BW_OK)
        unlink(path);
    if (lock->path[0] != '\0')
        remove_made_folders(lock);
    if (lock->descriptor >= 0)
        close(lock->descriptor);
    *lock = (RunLock){.descriptor = -1};
}
