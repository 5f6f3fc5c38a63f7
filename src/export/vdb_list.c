// The heads of OpenVDB files, read without OpenVDB: it believes every count and size in a file, and a damaged
// one makes it ask for all memory or read without end. Here every size is compared with what is left of the
// file, and every grid ends after it began, so reading goes forward only.
//
// A file is: the magic number, versions, whether it has an index, a UUID, metadata, the number of grids, and
// for each its name, type and three offsets (its metadata, its values, its end).
#include "export/vdb_list.h"

#include "base/error.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 128, UUID_SIZE = 36 };

// Versions of the format at which its head changed.
enum { VERSION_OLDEST = 218, VERSION_FLAG_BEGIN = 220, VERSION_FLAG_END = 222 };

// The file as it is read. After the first trouble nothing more is read, and numbers are zero.
typedef struct Reader {
    FILE *stream;
    int64_t at, size;
    uint32_t version;
    bool is_damaged;
} Reader;

static bool take(Reader *reader, int64_t size)
{
    if (reader->is_damaged || size > reader->size - reader->at) {
        reader->is_damaged = true;
        return false;
    }
    reader->at += size;
    return true;
}

static void read_bytes(Reader *reader, void *bytes, size_t size)
{
    if (!take(reader, (int64_t)size) || fread(bytes, 1, size, reader->stream) != size) {
        reader->is_damaged = true;
        memset(bytes, 0, size);
    }
}

static uint32_t read_u32(Reader *reader)
{
    uint32_t number;
    read_bytes(reader, &number, sizeof number);
    return le32toh(number);
}

static int64_t read_i64(Reader *reader)
{
    uint64_t number;
    read_bytes(reader, &number, sizeof number);
    return (int64_t)le64toh(number);
}

static void go_to(Reader *reader, int64_t place)
{
    if (reader->is_damaged || place < reader->at || place > reader->size ||
        fseeko(reader->stream, place, SEEK_SET) != 0)
        reader->is_damaged = true;
    else
        reader->at = place;
}

static void skip(Reader *reader, int64_t size)
{
    go_to(reader, reader->at + size);
}

// A text of `size` bytes, cut to fit.
static void read_chars(Reader *reader, uint32_t size, char text[TEXT_SIZE])
{
    uint32_t kept = size < TEXT_SIZE ? size : TEXT_SIZE - 1;
    memset(text, 0, TEXT_SIZE);
    if (size > reader->size - reader->at)
        reader->is_damaged = true;
    read_bytes(reader, text, kept);
    skip(reader, size - kept);
}

static void read_text(Reader *reader, char text[TEXT_SIZE])
{
    read_chars(reader, read_u32(reader), text);
}

// A text up to one of the bytes that end it, cut to fit.
static void keep_text(char *kept, size_t size, const char *text, const char *ends)
{
    size_t length = strcspn(text, ends);
    length = length < size ? length : size - 1;
    memcpy(kept, text, length);
    kept[length] = '\0';
}

static void keep_entry(const char *name, const char *type, const char *text, BwVdbGrid *grid)
{
    uint64_t number;
    memcpy(&number, text, sizeof number);
    if (strcmp(name, "unit") == 0 && strcmp(type, "string") == 0)
        keep_text(grid->unit, sizeof grid->unit, text, "");
    else if (strcmp(name, "file_voxel_count") == 0 && strcmp(type, "int64") == 0)
        grid->voxels = (int64_t)le64toh(number);
}

// Entries of name, type and value. What they tell of a grid goes into `grid`.
static void read_metadata(Reader *reader, BwVdbGrid *grid)
{
    char name[TEXT_SIZE], type[TEXT_SIZE], text[TEXT_SIZE];
    uint32_t count = read_u32(reader);
    for (uint32_t n = 0; n < count && !reader->is_damaged; n++) {
        read_text(reader, name);
        read_text(reader, type);
        read_text(reader, text);
        keep_entry(name, type, text, grid);
    }
}

static void read_grid(Reader *reader, BwVdbGrid *grid)
{
    char name[TEXT_SIZE], tree[TEXT_SIZE], parent[TEXT_SIZE];
    *grid = (BwVdbGrid){.voxels = -1};
    read_text(reader, name);
    read_text(reader, tree);
    read_text(reader, parent);
    // Grids of one name have a control character and a number behind it. "Tree_float_5_4_3", perhaps with
    // "_HalfFloat" behind it, holds values of the type float.
    keep_text(grid->name, sizeof grid->name, name, "\x1e");
    keep_text(grid->type, sizeof grid->type, strncmp(tree, "Tree_", 5) == 0 ? tree + 5 : tree, "_");
    int64_t start = read_i64(reader), values = read_i64(reader), end = read_i64(reader);
    reader->is_damaged |= values < start || end < values;
    go_to(reader, start);
    if (reader->version >= VERSION_FLAG_END)
        read_u32(reader); // how the values are compressed
    read_metadata(reader, grid);
    go_to(reader, end);
}

static bool is_uuid(const char text[UUID_SIZE])
{
    for (int n = 0; n < UUID_SIZE; n++)
        if (strchr("0123456789abcdefABCDEF-", text[n]) == NULL || text[n] == '\0')
            return false;
    return true;
}

// All before the number of grids. False where there is no index of them.
static bool read_head(Reader *reader)
{
    char has_index, uuid[UUID_SIZE];
    BwVdbGrid none;
    skip(reader, 2 * (int64_t)sizeof(uint32_t)); // the version of the library that wrote it
    read_bytes(reader, &has_index, 1);
    if (reader->version >= VERSION_FLAG_BEGIN && reader->version < VERSION_FLAG_END)
        skip(reader, 1); // whether the values are compressed
    read_bytes(reader, uuid, UUID_SIZE);
    reader->is_damaged |= !is_uuid(uuid);
    read_metadata(reader, &none);
    return has_index != 0;
}

static BwResult list(Reader *reader, const char *path, BwVdbGrid *grids, int grids_max, int *count,
                     BwError *err)
{
    if (read_i64(reader) != 0x56444220)
        return bw_fail(err, BW_ERR_FORMAT, "%s is no OpenVDB file", path);
    reader->version = read_u32(reader);
    if (!reader->is_damaged && reader->version < VERSION_OLDEST)
        return bw_fail(err, BW_ERR_FORMAT, "%s: version %u of OpenVDB's format; known from %d on", path,
                       reader->version, VERSION_OLDEST);
    bool has_index = read_head(reader);
    uint32_t grid_count = read_u32(reader);
    if (!reader->is_damaged && !has_index)
        return bw_fail(err, BW_ERR_FORMAT, "%s was written to a stream: it has no index of its %u grids",
                       path, grid_count);
    for (*count = 0; (uint32_t)*count < grid_count && !reader->is_damaged; ++*count) {
        BwVdbGrid grid;
        read_grid(reader, &grid);
        if (*count < grids_max)
            grids[*count] = grid;
    }
    if (reader->is_damaged)
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged or cut: no whole OpenVDB file of %lld bytes", path,
                       (long long)reader->size);
    return BW_OK;
}

BwResult bw_vdb_list(const char *path, BwVdbGrid *grids, int grids_max, int *count, BwError *err)
{
    Reader reader = {.stream = fopen(path, "rb")};
    *count = 0;
    if (reader.stream == NULL)
        return bw_fail(err, BW_ERR_FILE, "could not read %s: %s", path, strerror(errno));
    reader.is_damaged = fseeko(reader.stream, 0, SEEK_END) != 0;
    reader.size = ftello(reader.stream);
    rewind(reader.stream);
    BwResult result = list(&reader, path, grids, grids_max, count, err);
    fclose(reader.stream);
    return result;
}
