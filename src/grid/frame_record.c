// Copies of sets into records, and views of them back. Texts are stored a letter a number, for a record knows
// numbers only.
#include "grid/frame_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_COLUMNS = BW_FRAME_NAME_SIZE + BW_UNIT_SIZE };

static const char *const kind_names[] = {"particles", "columns", "mesh"};

// The name of a set's head: its own, a dot, and that of its kind.
static void name_head(char path[BW_SET_PATH_SIZE], const char *set, BwSetKind kind)
{
    snprintf(path, BW_SET_PATH_SIZE, "%.*s.%s", BW_FRAME_NAME_SIZE, set, kind_names[kind]);
}

// The name of an array: that of the head, and for its parts a dot and the name of the part.
static void name_array(char name[BW_RECORD_NAME_SIZE], const char *path, const char *part)
{
    snprintf(name, BW_RECORD_NAME_SIZE, "%s%s%.*s", path, part[0] != '\0' ? "." : "", BW_FRAME_NAME_SIZE,
             part);
}

static BwResult add_array(BwRecord *record, const char *path, const char *part, BwRecordType type,
                          int64_t rows, int64_t columns, void **values, BwError *err)
{
    char name[BW_RECORD_NAME_SIZE];
    name_array(name, path, part);
    if (record->count >= BW_RECORD_ARRAYS_MAX)
        return bw_fail(err, BW_ERR_DEF, "there is no room for \"%s\": a record has %d arrays at most", name,
                       BW_RECORD_ARRAYS_MAX);
    if (bw_record_has(record, name))
        return bw_fail(err, BW_ERR_DEF, "there are two of \"%s\"", name);
    return bw_record_add(record, name, type, rows, columns, values, err);
}

static BwResult copy_array(BwRecord *record, const char *path, const char *part, BwRecordType type,
                           int64_t rows, int64_t columns, const void *from, BwError *err)
{
    void *values;
    BW_TRY(add_array(record, path, part, type, rows, columns, &values, err));
    if (rows > 0)
        memcpy(values, from, (size_t)rows * (size_t)columns * bw_record_type_size(type));
    return BW_OK;
}

void bw_record_put_text(int32_t *letters, int size, const char *text)
{
    memset(letters, 0, (size_t)size * sizeof *letters);
    for (int n = 0; n + 1 < size && text[n] != '\0'; n++)
        letters[n] = text[n];
}

bool bw_record_take_text(char *text, int size, const int32_t *letters)
{
    for (int n = 0; n < size; n++) {
        if (letters[n] != 0 && (letters[n] < ' ' || letters[n] > '~'))
            return false;
        text[n] = (char)letters[n];
    }
    return text[size - 1] == '\0';
}

// A row of names and units.
static BwResult add_texts(BwRecord *record, const char *path, const BwFrameAttribute *attributes, int count,
                          BwError *err)
{
    void *values;
    if (count > BW_ATTRIBUTES_MAX)
        return bw_fail(err, BW_ERR_DEF, "\"%s\" has %d attributes; it may have %d", path, count,
                       BW_ATTRIBUTES_MAX);
    BW_TRY(add_array(record, path, "attributes", BW_RECORD_INT32, count, TEXT_COLUMNS, &values, err));
    int32_t *letters = values;
    for (int n = 0; n < count; n++, letters += TEXT_COLUMNS) {
        const BwFrameAttribute *attribute = &attributes[n];
        if (!bw_frame_is_unit(attribute->unit))
            return bw_fail(err, BW_ERR_DEF, "the unit of \"%s\" is not of at most %d letters",
                           attribute->name, BW_UNIT_SIZE - 1);
        bw_record_put_text(letters, BW_FRAME_NAME_SIZE, attribute->name);
        bw_record_put_text(letters + BW_FRAME_NAME_SIZE, BW_UNIT_SIZE, attribute->unit);
    }
    return BW_OK;
}

static BwResult add_attributes(BwRecord *record, const char *path, const BwFrameAttribute *attributes,
                               int count, int64_t items, BwError *err)
{
    BW_TRY(add_texts(record, path, attributes, count, err));
    for (int n = 0; n < count; n++) {
        const BwFrameAttribute *attribute = &attributes[n];
        const void *from = attribute->values != NULL ? (const void *)attribute->values : attribute->integers;
        BW_TRY(copy_array(record, path, attribute->name,
                          attribute->values != NULL ? BW_RECORD_FLOAT : BW_RECORD_INT32, items,
                          attribute->components, from, err));
    }
    return BW_OK;
}

BwResult bw_record_add_particles(BwRecord *record, const BwFrameParticles *set, BwError *err)
{
    const double head[2] = {(double)bw_record_count_sets(record, BW_SET_PARTICLES), (double)set->radius};
    char path[BW_SET_PATH_SIZE];
    BW_TRY(bw_particles_check(set, err));
    name_head(path, set->name, BW_SET_PARTICLES);
    BW_TRY(copy_array(record, path, "", BW_RECORD_DOUBLE, 1, 2, head, err));
    BW_TRY(copy_array(record, path, "tiles", BW_RECORD_INT32, set->tile_count, 3, set->tiles, err));
    BW_TRY(copy_array(record, path, "tile", BW_RECORD_INT32, set->count, 1, set->tile, err));
    BW_TRY(copy_array(record, path, "positions", BW_RECORD_FLOAT, set->count, 3, set->positions, err));
    return add_attributes(record, path, set->attributes, set->attribute_count, set->count, err);
}

BwResult bw_record_add_columns(BwRecord *record, const BwFrameColumns *set, BwError *err)
{
    char path[BW_SET_PATH_SIZE];
    BW_TRY(bw_columns_check(set, err));
    name_head(path, set->name, BW_SET_COLUMNS);
    const double head[6] = {(double)bw_record_count_sets(record, BW_SET_COLUMNS),
                            (double)set->cell_size,
                            (double)set->low[0],
                            (double)set->low[1],
                            (double)set->count[0],
                            (double)set->count[1]};
    int64_t count = (int64_t)set->count[0] * set->count[1];
    BW_TRY(copy_array(record, path, "", BW_RECORD_DOUBLE, 1, 6, head, err));
    BW_TRY(copy_array(record, path, "heights", BW_RECORD_FLOAT, count, 1, set->heights, err));
    return add_attributes(record, path, set->attributes, set->attribute_count, count, err);
}

BwResult bw_record_add_mesh(BwRecord *record, const BwFrameMesh *mesh, BwError *err)
{
    char path[BW_SET_PATH_SIZE];
    BW_TRY(bw_mesh_check(mesh, err));
    name_head(path, mesh->name, BW_SET_MESH);
    const double head[4] = {(double)bw_record_count_sets(record, BW_SET_MESH), mesh->origin[0],
                            mesh->origin[1], mesh->origin[2]};
    BW_TRY(copy_array(record, path, "", BW_RECORD_DOUBLE, 1, 4, head, err));
    BW_TRY(copy_array(record, path, "vertices", BW_RECORD_FLOAT, mesh->vertex_count, 3, mesh->vertices, err));
    BW_TRY(copy_array(record, path, "triangles", BW_RECORD_INT32, mesh->triangle_count, 3, mesh->triangles,
                      err));
    return add_attributes(record, path, mesh->attributes, mesh->attribute_count, mesh->vertex_count, err);
}

// An array of the set, whose floats must be finite.
static BwResult find_array(const BwRecord *record, const char *path, const char *part, BwRecordType type,
                           int64_t *rows, int64_t columns, const void **values, BwError *err)
{
    char name[BW_RECORD_NAME_SIZE];
    name_array(name, path, part);
    BW_TRY(bw_record_find(record, name, type, rows, columns, values, err));
    for (int64_t n = 0; n < *rows * columns && type != BW_RECORD_INT32; n++) {
        double value =
            type == BW_RECORD_FLOAT ? (double)((const float *)*values)[n] : ((const double *)*values)[n];
        if (!isfinite(value))
            return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state holds %g", name, value);
    }
    return BW_OK;
}

static bool has_array(const BwRecord *record, const char *path, const char *part, BwRecordType type,
                      int64_t columns)
{
    char name[BW_RECORD_NAME_SIZE];
    const void *values;
    int64_t rows = -1;
    name_array(name, path, part);
    return bw_record_find(record, name, type, &rows, columns, &values, NULL) == BW_OK;
}

static BwResult find_attribute(const BwRecord *record, BwSetView *view, int n, int64_t items, BwError *err)
{
    const char *name = view->names[n];
    bool is_whole = !has_array(record, view->path, name, BW_RECORD_FLOAT, 1) &&
                    !has_array(record, view->path, name, BW_RECORD_FLOAT, 3);
    BwRecordType type = is_whole ? BW_RECORD_INT32 : BW_RECORD_FLOAT;
    int components = has_array(record, view->path, name, type, 3) ? 3 : 1;
    static const int32_t nothing[1]; // of an empty set, which its attributes must not be told apart by
    const void *values;
    BW_TRY(find_array(record, view->path, name, type, &items, components, &values, err));
    if (items == 0)
        values = nothing;
    view->attributes[n] = (BwFrameAttribute){.name = name,
                                             .unit = view->units[n],
                                             .components = components,
                                             .values = is_whole ? NULL : values,
                                             .integers = is_whole ? values : NULL};
    return BW_OK;
}

static BwResult find_attributes(const BwRecord *record, BwSetView *view, int64_t items, int *count,
                                BwError *err)
{
    const void *values;
    int64_t rows = -1;
    BW_TRY(find_array(record, view->path, "attributes", BW_RECORD_INT32, &rows, TEXT_COLUMNS, &values, err));
    if (rows > BW_ATTRIBUTES_MAX)
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state has %lld attributes; it may have %d",
                       view->name, (long long)rows, BW_ATTRIBUTES_MAX);
    for (int n = 0; n < (int)rows; n++) {
        const int32_t *letters = (const int32_t *)values + n * TEXT_COLUMNS;
        if (!bw_record_take_text(view->names[n], BW_FRAME_NAME_SIZE, letters) ||
            !bw_record_take_text(view->units[n], BW_UNIT_SIZE, letters + BW_FRAME_NAME_SIZE) ||
            !bw_frame_is_name(view->names[n]))
            return bw_fail(err, BW_ERR_FORMAT, "attribute %d of \"%s\" of the state has no name, or no unit",
                           n, view->name);
        BW_TRY(find_attribute(record, view, n, items, err));
    }
    *count = (int)rows;
    return BW_OK;
}

static void begin_view(BwSetView *view, const char *name, BwSetKind kind)
{
    memset(view, 0, sizeof *view);
    snprintf(view->name, sizeof view->name, "%s", name);
    name_head(view->path, name, kind);
}

// What a set says of itself is checked as if a caller had made it; here it comes from a file.
static BwResult told_of_state(BwResult result, const BwError *reason, BwError *err)
{
    return result == BW_OK ? BW_OK : bw_fail(err, BW_ERR_FORMAT, "the state: %s", reason->message);
}

static BwResult check_count(const char *name, const char *what, int64_t count, BwError *err)
{
    if (count <= INT32_MAX)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state has %lld %s; that is too many", name,
                   (long long)count, what);
}

BwResult bw_record_find_particles(const BwRecord *record, const char *name, BwSetView *view, BwError *err)
{
    const void *head, *tiles, *tile, *positions;
    int64_t one = 1, tile_count = -1, count = -1;
    BwError reason = {0};
    begin_view(view, name, BW_SET_PARTICLES);
    BW_TRY(find_array(record, view->path, "", BW_RECORD_DOUBLE, &one, 2, &head, err));
    BW_TRY(find_array(record, view->path, "tiles", BW_RECORD_INT32, &tile_count, 3, &tiles, err));
    BW_TRY(check_count(name, "tiles", tile_count, err));
    BW_TRY(find_array(record, view->path, "positions", BW_RECORD_FLOAT, &count, 3, &positions, err));
    BW_TRY(find_array(record, view->path, "tile", BW_RECORD_INT32, &count, 1, &tile, err));
    view->particles = (BwFrameParticles){.name = view->name,
                                         .radius = (float)((const double *)head)[1],
                                         .tile_count = (int32_t)tile_count,
                                         .tiles = tiles,
                                         .count = count,
                                         .tile = tile,
                                         .positions = positions,
                                         .attributes = view->attributes};
    BW_TRY(find_attributes(record, view, count, &view->particles.attribute_count, err));
    return told_of_state(bw_particles_check(&view->particles, &reason), &reason, err);
}

// A whole number that an int32 can hold.
static BwResult take_whole(const char *name, double value, int32_t *whole, BwError *err)
{
    if (!(fabs(value) <= (double)(1 << 30)) || value != floor(value))
        return bw_fail(err, BW_ERR_FORMAT, "\"%s.columns\" of the state holds %g", name, value);
    *whole = (int32_t)value;
    return BW_OK;
}

BwResult bw_record_find_columns(const BwRecord *record, const char *name, BwSetView *view, BwError *err)
{
    const void *values, *heights;
    int64_t one = 1;
    BwError reason = {0};
    begin_view(view, name, BW_SET_COLUMNS);
    BW_TRY(find_array(record, view->path, "", BW_RECORD_DOUBLE, &one, 6, &values, err));
    const double *head = values;
    BwFrameColumns *set = &view->columns;
    *set = (BwFrameColumns){.name = view->name, .cell_size = (float)head[1], .attributes = view->attributes};
    for (int a = 0; a < 2; a++) {
        BW_TRY(take_whole(name, head[2 + a], &set->low[a], err));
        BW_TRY(take_whole(name, head[4 + a], &set->count[a], err));
    }
    int64_t count = (int64_t)set->count[0] * set->count[1];
    if (set->count[0] < 0 || set->count[1] < 0)
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state has %d x %d columns", name, set->count[0],
                       set->count[1]);
    BW_TRY(find_array(record, view->path, "heights", BW_RECORD_FLOAT, &count, 1, &heights, err));
    set->heights = heights;
    BW_TRY(find_attributes(record, view, count, &set->attribute_count, err));
    return told_of_state(bw_columns_check(set, &reason), &reason, err);
}

BwResult bw_record_find_mesh(const BwRecord *record, const char *name, BwSetView *view, BwError *err)
{
    const void *head, *vertices, *triangles;
    int64_t one = 1, vertex_count = -1, triangle_count = -1;
    BwError reason = {0};
    begin_view(view, name, BW_SET_MESH);
    BW_TRY(find_array(record, view->path, "", BW_RECORD_DOUBLE, &one, 4, &head, err));
    BW_TRY(find_array(record, view->path, "vertices", BW_RECORD_FLOAT, &vertex_count, 3, &vertices, err));
    BW_TRY(find_array(record, view->path, "triangles", BW_RECORD_INT32, &triangle_count, 3, &triangles, err));
    BW_TRY(check_count(name, "vertices", vertex_count, err));
    BW_TRY(check_count(name, "triangles", triangle_count, err));
    view->mesh = (BwFrameMesh){.name = view->name,
                               .vertex_count = (int32_t)vertex_count,
                               .triangle_count = (int32_t)triangle_count,
                               .vertices = vertices,
                               .triangles = triangles,
                               .attributes = view->attributes};
    memcpy(view->mesh.origin, (const double *)head + 1, sizeof view->mesh.origin);
    BW_TRY(find_attributes(record, view, vertex_count, &view->mesh.attribute_count, err));
    return told_of_state(bw_mesh_check(&view->mesh, &reason), &reason, err);
}

// The length of the set's name where the array is the head of a set of that kind; else 0.
static size_t head_length(const BwRecordArray *array, BwSetKind kind)
{
    const char *dot = strchr(array->name, '.');
    bool is_head = dot != NULL && strcmp(dot + 1, kind_names[kind]) == 0 && array->rows == 1 &&
                   array->type == BW_RECORD_DOUBLE;
    return is_head ? (size_t)(dot - array->name) : 0;
}

int bw_record_count_sets(const BwRecord *record, BwSetKind kind)
{
    int count = 0;
    for (int n = 0; n < record->count; n++)
        count += head_length(&record->arrays[n], kind) > 0;
    return count;
}

BwResult bw_record_name_set(const BwRecord *record, BwSetKind kind, int n, char name[BW_FRAME_NAME_SIZE],
                            BwError *err)
{
    name[0] = '\0';
    for (int a = 0; a < record->count; a++) {
        const BwRecordArray *array = &record->arrays[a];
        size_t length = head_length(array, kind);
        if (length == 0 || *(const double *)array->values != (double)n)
            continue;
        if (length < BW_FRAME_NAME_SIZE)
            snprintf(name, BW_FRAME_NAME_SIZE, "%.*s", (int)length, array->name);
        if (bw_frame_is_name(name))
            return BW_OK;
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state is no name of a set", array->name);
    }
    return bw_fail(err, BW_ERR_FORMAT, "the state has no %s with the number %d", kind_names[kind], n);
}
