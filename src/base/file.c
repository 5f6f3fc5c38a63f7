// Whole files or none: see the header. The folder is flushed as well, for the rename lives there.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static BwResult fail_file(BwError *err, const char *verb, const char *path)
{
    if (errno == 0)
        return bw_fail(err, BW_ERR_FILE, "could not %s %s", verb, path);
    return bw_fail(err, BW_ERR_FILE, "could not %s %s: %s", verb, path, strerror(errno));
}

static void release(BwFileWriter *writer)
{
    bw_text_free(&writer->allocator, writer->path);
    bw_text_free(&writer->allocator, writer->temporary);
    *writer = (BwFileWriter){.allocator = writer->allocator};
}

BwResult bw_file_begin(BwFileWriter *writer, const BwAllocator *allocator, const char *path, BwError *err)
{
    *writer = (BwFileWriter){.allocator = *allocator};
    writer->path = bw_text_join(allocator, path, "");
    writer->temporary = bw_text_join(allocator, path, ".part");
    if (writer->path == NULL || writer->temporary == NULL) {
        release(writer);
        return bw_fail_memory(err);
    }
    writer->stream = fopen(writer->temporary, "wb");
    if (writer->stream == NULL) {
        BwResult result = fail_file(err, "create", writer->temporary);
        release(writer);
        return result;
    }
    return BW_OK;
}

static int flush_folder_of(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder)
        return 0;
    if (slash == NULL)
        strcpy(folder, ".");
    else
        snprintf(folder, sizeof folder, "%.*s", length > 0 ? (int)length : 1, path);
    // A folder that may be written but not read, or a file system that cannot flush one, is no reason to lose
    // the file.
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == EACCES ? 0 : -1;
    int status = fsync(descriptor) != 0 && errno != EINVAL ? -1 : 0;
    close(descriptor);
    return status;
}

static BwResult rename_flushed(const char *temporary, const char *path, BwError *err)
{
    if (rename(temporary, path) != 0) {
        BwResult result = fail_file(err, "rename to", path);
        remove(temporary);
        return result;
    }
    return flush_folder_of(path) == 0 ? BW_OK : fail_file(err, "flush the folder of", path);
}

// Of a write that failed earlier the stream keeps only a flag. The same write is tried again to learn the
// reason; the first time it may still fill what room is left. errno is 0 where the reason has gone.
static void find_reason(FILE *stream)
{
    static const char zeros[1 << 16];
    for (int trial = 0; trial < 2; trial++)
        if (write(fileno(stream), zeros, sizeof zeros) < 0)
            return;
    errno = 0;
}

static bool flush_stream(FILE *stream)
{
    if (ferror(stream)) {
        find_reason(stream);
        return false;
    }
    return fflush(stream) == 0 && fsync(fileno(stream)) == 0;
}

BwResult bw_file_commit(BwFileWriter *writer, BwError *err)
{
    BW_ASSERT(writer->stream != NULL);
    BwResult result = BW_OK;
    if (!flush_stream(writer->stream))
        result = fail_file(err, "write", writer->path);
    if (fclose(writer->stream) != 0 && result == BW_OK)
        result = fail_file(err, "write", writer->path);
    if (result == BW_OK)
        result = rename_flushed(writer->temporary, writer->path, err);
    else
        remove(writer->temporary);
    release(writer);
    return result;
}

void bw_file_abandon(BwFileWriter *writer)
{
    if (writer->stream == NULL)
        return;
    fclose(writer->stream);
    remove(writer->temporary);
    release(writer);
}

BwResult bw_file_publish(const char *temporary, const char *path, BwError *err)
{
    int descriptor = open(temporary, O_RDONLY);
    if (descriptor < 0)
        return fail_file(err, "open", temporary);
    int status = fsync(descriptor);
    if (status != 0) {
        BwResult result = fail_file(err, "write", path);
        close(descriptor);
        remove(temporary);
        return result;
    }
    close(descriptor);
    return rename_flushed(temporary, path, err);
}

static BwResult read_stream(const BwAllocator *allocator, FILE *stream, const char *path, size_t size_max,
                            char **content, size_t *size, BwError *err)
{
    struct stat status;
    if (fstat(fileno(stream), &status) != 0)
        return fail_file(err, "read", path);
    if (S_ISDIR(status.st_mode))
        return bw_fail(err, BW_ERR_FILE, "could not read %s: it is a folder", path);
    if (!S_ISREG(status.st_mode))
        return bw_fail(err, BW_ERR_FILE, "could not read %s: it is not a plain file", path);
    if ((uint64_t)status.st_size > size_max)
        return bw_fail(err, BW_ERR_FILE, "%s holds %lld bytes; at most %zu are read", path,
                       (long long)status.st_size, size_max);
    size_t wanted = (size_t)status.st_size;
    char *bytes = bw_alloc(allocator, wanted + 1, BW_ALIGN);
    if (bytes == NULL)
        return bw_fail_memory(err);
    if (fread(bytes, 1, wanted, stream) != wanted) {
        bw_free(allocator, bytes, wanted + 1, BW_ALIGN);
        return bw_fail(err, BW_ERR_FILE, "could not read %s: it ended early", path);
    }
    bytes[wanted] = '\0';
    *content = bytes;
    *size = wanted;
    return BW_OK;
}

BwResult bw_file_read(const BwAllocator *allocator, const char *path, size_t size_max, char **content,
                      size_t *size, BwError *err)
{
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (stream == NULL) {
        BwResult result = fail_file(err, "read", path);
        if (descriptor >= 0)
            close(descriptor);
        return result;
    }
    BwResult result = read_stream(allocator, stream, path, size_max, content, size, err);
    fclose(stream);
    return result;
}

bool bw_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

// Leaves errno as it was.
static bool is_folder(const char *path)
{
    int before = errno;
    struct stat status;
    bool is = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    errno = before;
    return is;
}

BwResult bw_folder_make(const char *path, BwError *err)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return bw_fail(err, BW_ERR_FILE, "could not make the folder: its path has %zu characters", length);
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && !is_folder(part)) {
            if (errno != EEXIST)
                return fail_file(err, "make the folder", part);
            return bw_fail(err, BW_ERR_FILE, "could not make the folder %s: a file of that name is there",
                           part);
        }
        part[i] = path[i];
    }
    return BW_OK;
}
