// Heads of files, which name all that follows; meshes have to hold what theirs tell of (mesh_whole.h). A file
// that is called as one of a kind and does not hold it is refused.
#include "info_export.h"

#include "base/error.h"
#include "base/file.h"
#include "export/vdb_list.h"
#include "mesh_whole.h"
#include "options.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_SIZE = 65536, GRIDS_MAX = 64, WORD_SIZE = 256 };

typedef struct Head {
    char text[HEAD_SIZE + 1]; // ends with a zero; bytes that are zero are spaces
    size_t size;
    bool has_zeros;
} Head;

// The beginning of a file; empty where it cannot be read.
static const Head *read_head(const char *path)
{
    static Head head; // too much for the stack
    FILE *stream = fopen(path, "rb");
    head.size = stream != NULL ? fread(head.text, 1, HEAD_SIZE, stream) : 0;
    head.has_zeros = memchr(head.text, '\0', head.size) != NULL;
    for (size_t n = 0; n < head.size; n++)
        head.text[n] = head.text[n] == '\0' ? ' ' : head.text[n];
    head.text[head.size] = '\0';
    if (stream != NULL)
        fclose(stream);
    return &head;
}

static bool begins_with(const Head *head, const char *text)
{
    return strncmp(head->text, text, strlen(text)) == 0;
}

static bool is_vdb(const Head *head)
{
    return begins_with(head, " BDV    "); // the number 0x56444220 in eight bytes, the lowest first
}

static bool is_vtk(const Head *head)
{
    return begins_with(head, "<?xml") && strstr(head->text, "<VTKFile ") != NULL;
}

static bool is_ply(const Head *head)
{
    return begins_with(head, "ply\n") || begins_with(head, "ply\r");
}

// The first word of a line of OBJ that says something.
static bool is_obj_word(const char *word)
{
    static const char *const words[] = {"v", "vt", "vn", "vp", "f",      "l",
                                        "p", "o",  "g",  "s",  "mtllib", "usemtl"};
    for (size_t n = 0; n < sizeof words / sizeof *words; n++)
        if (strcmp(word, words[n]) == 0)
            return true;
    return false;
}

// Text that begins with comments alone, or whose first other line is one of OBJ.
static bool is_obj(const Head *head)
{
    char word[WORD_SIZE];
    const char *at = head->text;
    while (*(at += strspn(at, " \t\r\n")) == '#')
        at += strcspn(at, "\n");
    bool is_only_comments = *at == '\0' && strchr(head->text, '#') != NULL;
    return !head->has_zeros && (is_only_comments || (sscanf(at, "%255s", word) == 1 && is_obj_word(word)));
}

typedef struct Kind {
    const char *name;
    const char *endings; // of names of files, each before a space
    bool (*is_one)(const Head *head);
    BwResult (*tell)(const Head *head, const char *path, BwError *err);
    BwResult (*check)(const char *path, BwError *err); // whether it is whole
} Kind;

bool is_binary_file(const char *path)
{
    return read_head(path)->has_zeros;
}

static BwResult tell_vdb(const Head *head, const char *path, BwError *err)
{
    (void)head;
    static BwVdbGrid grids[GRIDS_MAX];
    int count;
    BW_TRY(bw_vdb_list(path, grids, GRIDS_MAX, &count, err));
    printf("kind       OpenVDB volume\n");
    for (int n = 0; n < count && n < GRIDS_MAX; n++) {
        printf("grid       ");
        say(stdout, grids[n].name);
        fputs(" (", stdout);
        say(stdout, grids[n].type);
        fputs(grids[n].unit[0] != '\0' ? ", " : "", stdout);
        say(stdout, grids[n].unit);
        fputs(")", stdout);
        if (grids[n].voxels >= 0)
            printf(", %" PRId64 " active voxels", grids[n].voxels);
        printf("\n");
    }
    if (count > GRIDS_MAX)
        printf("           and %d more\n", count - GRIDS_MAX);
    return BW_OK;
}

// What stands between `before` and the next `end` after a place of a text; "" where there is none. Gives the
// place after it, or NULL.
static const char *word_after(const char *at, const char *before, char end, char word[WORD_SIZE])
{
    const char *start = strstr(at, before);
    word[0] = '\0';
    if (start == NULL)
        return NULL;
    start += strlen(before);
    const char *stop = strchr(start, end);
    if (stop == NULL)
        return NULL;
    snprintf(word, WORD_SIZE, "%.*s", (int)(stop - start), start);
    return stop;
}

static void tell_word(const char *text, const char *before, char end, const char *label)
{
    char word[WORD_SIZE];
    if (word_after(text, before, end, word) == NULL)
        return;
    printf("%-10s ", label);
    say(stdout, word);
    printf("\n");
}

// The arrays of values; places and the way they are joined go without saying.
static void tell_arrays(const char *text)
{
    static const char *const parts[] = {"TimeValue", "Points", "connectivity", "offsets"};
    char name[WORD_SIZE], components[WORD_SIZE];
    bool is_first = true;
    const char *at = text, *end = strstr(text, "<AppendedData");
    while ((at = word_after(at, " Name=\"", '"', name)) != NULL && (end == NULL || at < end)) {
        bool is_part = false;
        for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
            is_part |= strcmp(name, parts[n]) == 0;
        if (is_part)
            continue;
        word_after(at, "NumberOfComponents=\"", '"', components);
        fputs(is_first ? "arrays     " : ", ", stdout);
        say(stdout, name);
        if (strcmp(components, "3") == 0)
            printf(" (vectors)");
        is_first = false;
    }
    fputs(is_first ? "" : "\n", stdout);
}

// The files that a list names, one a line; there may be more of them than the head has.
static void tell_list(const char *path)
{
    char line[4096];
    int files = 0;
    FILE *stream = fopen(path, "rb");
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
        files += strstr(line, "<DataSet ") != NULL;
    if (stream != NULL)
        fclose(stream);
    printf("files      %d\n", files);
}

// Whether a file of VTK ends as it must.
static bool has_vtk_end(const char *path)
{
    char end[64] = "";
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return false;
    if (fseek(stream, -(long)sizeof end + 1, SEEK_END) != 0)
        rewind(stream);
    size_t size = fread(end, 1, sizeof end - 1, stream);
    fclose(stream);
    return memmem(end, size, "</VTKFile>", 10) != NULL;
}

static BwResult check_vtk(const char *path, BwError *err)
{
    return has_vtk_end(path) ? BW_OK
                             : bw_fail(err, BW_ERR_FORMAT, "%s is damaged or cut: no whole VTK file", path);
}

static BwResult check_vdb(const char *path, BwError *err)
{
    static BwVdbGrid grids[GRIDS_MAX];
    int count;
    return bw_vdb_list(path, grids, GRIDS_MAX, &count, err);
}

static BwResult check_ply(const char *path, BwError *err)
{
    MeshCounts counts;
    return mesh_count_ply(path, &counts, err);
}

static BwResult check_obj(const char *path, BwError *err)
{
    MeshCounts counts;
    return mesh_count_obj(path, &counts, err);
}

static BwResult check_gltf(const char *path, BwError *err)
{
    MeshCounts counts;
    char generator[64];
    return mesh_count_gltf(path, &counts, generator, err);
}

static BwResult tell_vtk(const Head *head, const char *path, BwError *err)
{
    const char *text = strstr(head->text, "<VTKFile ");
    char word[WORD_SIZE];
    word_after(text, " type=\"", '"', word);
    if (word[0] == '\0' || !has_vtk_end(path))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged or cut: no whole VTK file", path);
    printf("kind       VTK ");
    say(stdout, word);
    printf("\n");
    tell_word(text, " NumberOfPoints=\"", '"', "points");
    tell_word(text, " NumberOfVerts=\"", '"', "particles");
    tell_word(text, " NumberOfPolys=\"", '"', "triangles");
    tell_word(text, " WholeExtent=\"", '"', "extent");
    tell_word(text, " Spacing=\"", '"', "spacing");
    const char *time = strstr(text, "Name=\"TimeValue\"");
    if (time != NULL)
        tell_word(time, ">", '<', "time");
    tell_arrays(text);
    if (strcmp(word, "Collection") == 0 || strcmp(word, "vtkMultiBlockDataSet") == 0)
        tell_list(path);
    return BW_OK;
}

static const char *element_label(const char *name)
{
    return strcmp(name, "vertex") == 0 ? "vertices" : strcmp(name, "face") == 0 ? "faces" : "others";
}

// Lines of the head: "element vertex 8", "property float x". How faces list their vertices goes without
// saying.
static BwResult tell_ply(const Head *head, const char *path, BwError *err)
{
    char line[WORD_SIZE], name[WORD_SIZE];
    long long count;
    int properties = 0;
    const char *at = head->text;
    MeshCounts counts;
    BW_TRY(mesh_count_ply(path, &counts, err));
    fputs("kind       PLY mesh", stdout);
    while ((at = word_after(at, "\n", '\n', line)) != NULL && strncmp(line, "end_header", 10) != 0) {
        if (sscanf(line, "element %255s %lld", name, &count) == 2) {
            printf("\n%-10s %lld", element_label(name), count);
            properties = 0;
        } else if (strncmp(line, "property list", 13) != 0 && sscanf(line, "property %*s %255s", name) == 1) {
            fputs(properties++ > 0 ? ", " : ": ", stdout);
            say(stdout, name);
        }
    }
    fputs("\n", stdout);
    return BW_OK;
}

static BwResult tell_obj(const Head *head, const char *path, BwError *err)
{
    (void)head;
    MeshCounts counts;
    BW_TRY(mesh_count_obj(path, &counts, err));
    printf("kind       OBJ mesh\nvertices   %" PRId64 "\nfaces      %" PRId64 "\n", counts.vertices,
           counts.faces);
    return BW_OK;
}

static bool is_gltf(const Head *head)
{
    return begins_with(head, "glTF");
}

static BwResult tell_gltf(const Head *head, const char *path, BwError *err)
{
    (void)head;
    char generator[64];
    MeshCounts counts;
    BW_TRY(mesh_count_gltf(path, &counts, generator, err));
    printf("kind       glTF mesh\nwritten by ");
    say(stdout, generator[0] != '\0' ? generator : "unknown");
    printf("\nvertices   %" PRId64 "\nfaces      %" PRId64 "\n", counts.vertices, counts.faces);
    return BW_OK;
}

static const Kind kinds[] = {{"OpenVDB", ".vdb ", is_vdb, tell_vdb, check_vdb},
                             {"VTK", ".vti .vtp .vts .vtm .pvd ", is_vtk, tell_vtk, check_vtk},
                             {"PLY", ".ply ", is_ply, tell_ply, check_ply},
                             {"glTF", ".glb ", is_gltf, tell_gltf, check_gltf},
                             {"OBJ", ".obj ", is_obj, tell_obj, check_obj}};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds, OBJ = KIND_COUNT - 1 };

// The kind that the name of a file tells, or NULL.
static const Kind *kind_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    char ending[8];
    if (dot == NULL || strlen(dot) != 4)
        return NULL;
    snprintf(ending, sizeof ending, "%s ", dot);
    for (int n = 0; n < KIND_COUNT; n++)
        if (strcasestr(kinds[n].endings, ending) != NULL)
            return &kinds[n];
    return NULL;
}

// The kind that the beginning of a file tells, or NULL; OBJ files begin with nothing of their own.
static const Kind *kind_of_head(const Head *head)
{
    for (int n = 0; n < OBJ; n++)
        if (kinds[n].is_one(head))
            return &kinds[n];
    return NULL;
}

bool is_export_file(const char *path)
{
    return kind_of_head(read_head(path)) != NULL || (bw_file_exists(path) && kind_of_name(path) != NULL);
}

BwResult check_export_file(const char *path, BwError *err)
{
    const Kind *kind = kind_of_name(path);
    const Head *head = read_head(path);
    if (kind == NULL)
        return BW_OK;
    if (!kind->is_one(head))
        return bw_fail(err, BW_ERR_FORMAT, "%s is no %s file%s", path, kind->name,
                       head->size == 0 ? ": it is empty" : "");
    return kind->check(path, err);
}

int tell_export_file(const char *path)
{
    BwError err = {0};
    const Head *head = read_head(path);
    const Kind *kind = kind_of_head(head);
    if (kind == NULL)
        kind = kind_of_name(path);
    BwResult result = kind->is_one(head) ? kind->tell(head, path, &err)
                                         : bw_fail(&err, BW_ERR_FORMAT, "%s is no %s file%s", path,
                                                   kind->name, head->size == 0 ? ": it is empty" : "");
    return report(result, &err);
}
