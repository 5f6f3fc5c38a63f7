// Nothing is kept of a file but its head and its counts. What follows the head of a PLY file is passed over
// row by row; lines of OBJ files are counted, and their faces must name vertices that are there.
#include "mesh_whole.h"

#include "base/error.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 4096, ELEMENTS_MAX = 16, PROPERTIES_MAX = 64 };

// Of a row of an element: so many bytes, or a list, whose count has so many bytes and each item others.
typedef struct Property {
    int bytes, count_bytes;
} Property;

typedef struct Element {
    char name[64];
    int64_t count;
    Property properties[PROPERTIES_MAX];
    int property_count;
} Element;

typedef struct Ply {
    const char *path;
    FILE *stream;
    int64_t size; // bytes, of the file
    bool is_text, has_low_bytes_first;
    Element elements[ELEMENTS_MAX];
    int element_count;
} Ply;

static BwResult fail_head(const Ply *ply, const char *line, BwError *err)
{
    return bw_fail(err, BW_ERR_FORMAT, "%s is damaged or cut: no whole head of a PLY file, at \"%.40s\"",
                   ply->path, line);
}

static int bytes_of(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
                 {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
                 {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    for (size_t n = 0; n < sizeof types / sizeof *types; n++)
        if (strcmp(type, types[n].name) == 0)
            return types[n].bytes;
    return 0;
}

static bool add_property(Ply *ply, const char *line)
{
    char first[16] = "", second[16] = "";
    Element *element = ply->element_count > 0 ? &ply->elements[ply->element_count - 1] : NULL;
    Property property = {0};
    if (element == NULL || element->property_count == PROPERTIES_MAX)
        return false;
    if (sscanf(line, "property list %15s %15s", first, second) == 2)
        property = (Property){.bytes = bytes_of(second), .count_bytes = bytes_of(first)};
    else if (sscanf(line, "property %15s", first) == 1)
        property.bytes = bytes_of(first);
    bool is_list = second[0] != '\0';
    element->properties[element->property_count++] = property;
    return property.bytes > 0 && (!is_list || property.count_bytes > 0);
}

static bool add_element(Ply *ply, const char *line)
{
    Element *element = &ply->elements[ply->element_count];
    long long count;
    if (ply->element_count == ELEMENTS_MAX || sscanf(line, "element %63s %lld", element->name, &count) != 2 ||
        count < 0)
        return false;
    element->count = count;
    ply->element_count++;
    return true;
}

static bool read_format(Ply *ply, const char *line)
{
    ply->is_text = strncmp(line, "format ascii ", 13) == 0;
    ply->has_low_bytes_first = strncmp(line, "format binary_little_endian ", 28) == 0;
    return ply->is_text || ply->has_low_bytes_first || strncmp(line, "format binary_big_endian ", 25) == 0;
}

static BwResult read_head(Ply *ply, BwError *err)
{
    char line[LINE_SIZE] = "";
    bool has_format = false;
    while (fgets(line, sizeof line, ply->stream) != NULL && strncmp(line, "end_header", 10) != 0) {
        bool is_well = true;
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "format ", 7) == 0)
            is_well = has_format = read_format(ply, line);
        else if (strncmp(line, "element ", 8) == 0)
            is_well = add_element(ply, line);
        else if (strncmp(line, "property ", 9) == 0)
            is_well = add_property(ply, line);
        if (!is_well)
            return fail_head(ply, line, err);
    }
    bool has_end = strncmp(line, "end_header", 10) == 0;
    line[strcspn(line, "\r\n")] = '\0';
    return has_end && has_format ? BW_OK : fail_head(ply, line, err);
}

static BwResult fail_short(const Ply *ply, const Element *element, int64_t found, BwError *err)
{
    return bw_fail(err, BW_ERR_FORMAT,
                   "%s is damaged or cut: its head tells of %" PRId64
                   " of element \"%s\", and it holds %" PRId64,
                   ply->path, element->count, element->name, found);
}

// Reads a number of a list's count; below 0 where the file ends.
static int64_t read_count(Ply *ply, int bytes)
{
    unsigned char raw[8];
    int64_t value = 0;
    if (fread(raw, 1, (size_t)bytes, ply->stream) != (size_t)bytes)
        return -1;
    for (int n = 0; n < bytes; n++)
        value |= (int64_t)raw[n] << 8 * (ply->has_low_bytes_first ? n : bytes - 1 - n);
    return value;
}

// Past so many bytes; false where the file ends before.
static bool skip(Ply *ply, int64_t bytes)
{
    char scrap[512];
    if (bytes >= 0 && bytes <= (int64_t)sizeof scrap) // which keeps what the stream has read ahead
        return fread(scrap, 1, (size_t)bytes, ply->stream) == (size_t)bytes;
    long at = ftell(ply->stream);
    return at >= 0 && bytes >= 0 && bytes <= ply->size - at && fseek(ply->stream, (long)bytes, SEEK_CUR) == 0;
}

static bool skip_row(Ply *ply, const Element *element)
{
    for (int n = 0; n < element->property_count; n++) {
        const Property *property = &element->properties[n];
        int64_t items = property->count_bytes > 0 ? read_count(ply, property->count_bytes) : 1;
        if (items < 0 || items > ply->size || !skip(ply, items * property->bytes))
            return false;
    }
    return true;
}

static BwResult skip_rows(Ply *ply, const Element *element, BwError *err)
{
    bool has_list = false;
    int64_t bytes = 0;
    for (int n = 0; n < element->property_count; n++) {
        has_list |= element->properties[n].count_bytes > 0;
        bytes += element->properties[n].bytes;
    }
    if (bytes == 0)
        return element->count == 0 ? BW_OK : fail_head(ply, element->name, err);
    if (!has_list) {
        int64_t rows = (ply->size - ftell(ply->stream)) / bytes;
        return rows >= element->count && skip(ply, element->count * bytes)
                   ? BW_OK
                   : fail_short(ply, element, rows, err);
    }
    for (int64_t n = 0; n < element->count; n++)
        if (!skip_row(ply, element))
            return fail_short(ply, element, n, err);
    return BW_OK;
}

// A row of text is a line that is not empty.
static BwResult skip_lines(Ply *ply, const Element *element, BwError *err)
{
    bool is_empty = true;
    int64_t rows = 0;
    int byte = 0;
    while (rows < element->count && byte != EOF) {
        byte = getc(ply->stream);
        if ((byte == '\n' || byte == EOF) && !is_empty)
            rows++;
        is_empty = byte == '\n' || (is_empty && byte != EOF && isspace(byte));
    }
    return rows == element->count ? BW_OK : fail_short(ply, element, rows, err);
}

static BwResult count_elements(Ply *ply, MeshCounts *counts, BwError *err)
{
    BW_TRY(read_head(ply, err));
    for (int n = 0; n < ply->element_count; n++) {
        const Element *element = &ply->elements[n];
        BW_TRY(ply->is_text ? skip_lines(ply, element, err) : skip_rows(ply, element, err));
        if (strcmp(element->name, "vertex") == 0)
            counts->vertices = element->count;
        if (strcmp(element->name, "face") == 0)
            counts->faces = element->count;
    }
    long at = ftell(ply->stream);
    if (!ply->is_text && at < ply->size)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is damaged: %" PRId64 " bytes follow after all that its head tells of", ply->path,
                       ply->size - at);
    return BW_OK;
}

// The file, open and measured; NULL where it cannot be read.
static FILE *open_file(const char *path, int64_t *size, BwError *err)
{
    FILE *stream = fopen(path, "rb");
    *size = stream != NULL && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    if (*size >= 0 && fseek(stream, 0, SEEK_SET) == 0)
        return stream;
    if (stream != NULL)
        fclose(stream);
    bw_fail(err, BW_ERR_FILE, "could not read %s", path);
    return NULL;
}

BwResult mesh_count_ply(const char *path, MeshCounts *counts, BwError *err)
{
    Ply ply = {.path = path};
    *counts = (MeshCounts){0};
    ply.stream = open_file(path, &ply.size, err);
    if (ply.stream == NULL)
        return BW_ERR_FILE;
    BwResult result = count_elements(&ply, counts, err);
    fclose(ply.stream);
    return result;
}

typedef struct Obj {
    const char *path;
    FILE *stream;
    int64_t line;
    MeshCounts said; // by the comment that our files begin with; below 0: none
} Obj;

// Counted from the first vertex, or below 0 back from the last.
static bool names_vertices(const char *text, int64_t vertices)
{
    int corners = 0;
    for (char *end; *(text += strspn(text, " \t\r\n")) != '\0'; corners++) {
        long long index = strtoll(text, &end, 10);
        if (end == text || index == 0 || index > vertices || index < -vertices)
            return false;
        text = end + strcspn(end, " \t\r\n");
    }
    return corners >= 3;
}

static int numbers_in(const char *text)
{
    int count = 0;
    char *end;
    for (strtod(text, &end); end != text; strtod(text, &end)) {
        text = end;
        count++;
    }
    return count;
}

static BwResult count_line(Obj *obj, const char *line, MeshCounts *counts, BwError *err)
{
    bool is_vertex = strncmp(line, "v ", 2) == 0, is_face = strncmp(line, "f ", 2) == 0;
    long long vertices, faces;
    if (sscanf(line, "# %lld vertices, %lld triangles", &vertices, &faces) == 2 && obj->said.vertices < 0)
        obj->said = (MeshCounts){vertices, faces};
    if ((is_vertex && numbers_in(line + 2) < 3) || (is_face && !names_vertices(line + 2, counts->vertices)))
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s:%" PRId64 ": damaged or cut: \"%.*s\" is no whole %s after %" PRId64 " vertices",
                       obj->path, obj->line,
                       (int)strcspn(line, "\r\n") < 40 ? (int)strcspn(line, "\r\n") : 40, line,
                       is_vertex ? "vertex" : "face", counts->vertices);
    counts->vertices += is_vertex;
    counts->faces += is_face;
    return BW_OK;
}

static BwResult count_lines(Obj *obj, MeshCounts *counts, BwError *err)
{
    char line[LINE_SIZE];
    bool goes_on = false; // the last piece was no whole line
    while (fgets(line, sizeof line, obj->stream) != NULL) {
        if (!goes_on) {
            obj->line++;
            BW_TRY(count_line(obj, line, counts, err));
        }
        goes_on = strchr(line, '\n') == NULL;
    }
    bool has_all = obj->said.vertices < 0 ||
                   (counts->vertices == obj->said.vertices && counts->faces == obj->said.faces);
    if (!has_all)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is damaged or cut: its head tells of %" PRId64 " vertices and %" PRId64
                       " triangles, and it holds %" PRId64 " and %" PRId64,
                       obj->path, obj->said.vertices, obj->said.faces, counts->vertices, counts->faces);
    if (obj->said.vertices >= 0 && goes_on)
        return bw_fail(err, BW_ERR_FORMAT, "%s is cut: its last line has no end", obj->path);
    return BW_OK;
}

BwResult mesh_count_obj(const char *path, MeshCounts *counts, BwError *err)
{
    int64_t size;
    Obj obj = {.path = path, .said = {-1, -1}};
    *counts = (MeshCounts){0};
    obj.stream = open_file(path, &size, err);
    if (obj.stream == NULL)
        return BW_ERR_FILE;
    BwResult result = count_lines(&obj, counts, err);
    fclose(obj.stream);
    return result;
}
