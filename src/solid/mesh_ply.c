// Stanford PLY. The header lists elements (vertex, face, ...) and the properties of each; what follows is one
// number after another in that order, as text or as bytes. Of all that the vertices' x, y, z and the faces'
// corners are kept.
#include "solid/mesh_read.h"
#include "solid/text_scan.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64, LIST_MAX = 1 << 16 };

typedef enum Type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT } Type;

static const int type_bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};

// What a property means to us.
typedef enum Meaning { IS_OTHER = -1, IS_X, IS_Y, IS_Z, IS_CORNERS } Meaning;

typedef struct Property {
    Type type, count_type;
    bool is_list;
    Meaning meaning;
} Property;

typedef struct Element {
    long long count;
    int first, property_count; // in the header's list
    bool is_vertex, is_face;
} Element;

typedef struct Ply {
    const BwFileBytes *file;
    BwMesh *mesh;
    BwTextScan scan;
    Element elements[ELEMENTS_MAX];
    Property properties[PROPERTIES_MAX];
    int element_count, property_count;
    bool is_binary, is_big_endian;
    BwError *err;
} Ply;

static bool find_type(BwWord word, Type *type)
{
    static const char *const names[][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                           {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                           {"float", "float32"}, {"double", "float64"}};
    for (int n = 0; n < TYPE_COUNT; n++)
        if (bw_word_is(word, names[n][0]) || bw_word_is(word, names[n][1])) {
            *type = (Type)n;
            return true;
        }
    return false;
}

static BwResult read_format(Ply *ply)
{
    BwWord word = bw_scan_word(&ply->scan);
    ply->is_big_endian = bw_word_is(word, "binary_big_endian");
    ply->is_binary = ply->is_big_endian || bw_word_is(word, "binary_little_endian");
    if (!ply->is_binary && !bw_word_is(word, "ascii"))
        return bw_fail_word(ply->err, &ply->scan, word, "ascii, binary_little_endian or binary_big_endian");
    return BW_OK;
}

static BwResult read_element(Ply *ply)
{
    BwWord name = bw_scan_word(&ply->scan), count = bw_scan_word(&ply->scan);
    if (ply->element_count == ELEMENTS_MAX)
        return bw_fail(ply->err, BW_ERR_FORMAT, "%s:%lld: more than %d elements", ply->scan.name,
                       ply->scan.line, ELEMENTS_MAX);
    Element *element = &ply->elements[ply->element_count++];
    *element = (Element){.first = ply->property_count,
                         .is_vertex = bw_word_is(name, "vertex"),
                         .is_face = bw_word_is(name, "face")};
    if (!bw_word_integer(count, &element->count) || element->count < 0 || element->count > BW_MESH_POINTS_MAX)
        return bw_fail_word(ply->err, &ply->scan, count, "how many there are, at most 33554432");
    return BW_OK;
}

static Meaning meaning_of(const Element *element, BwWord name, bool is_list)
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int n = 0; n < 3; n++)
        if (element->is_vertex && !is_list && bw_word_is(name, axes[n]))
            return (Meaning)n;
    bool is_corners = bw_word_is(name, "vertex_indices") || bw_word_is(name, "vertex_index");
    return element->is_face && is_list && is_corners ? IS_CORNERS : IS_OTHER;
}

static BwResult read_property(Ply *ply)
{
    BwTextScan *scan = &ply->scan;
    if (ply->element_count == 0 || ply->property_count == PROPERTIES_MAX)
        return bw_fail(ply->err, BW_ERR_FORMAT,
                       "%s:%lld: a property stands before any element, or is one of more than %d", scan->name,
                       scan->line, PROPERTIES_MAX);
    Element *element = &ply->elements[ply->element_count - 1];
    Property *property = &ply->properties[ply->property_count++];
    BwWord word = bw_scan_word(scan);
    *property = (Property){.is_list = bw_word_is(word, "list")};
    element->property_count++;
    if (property->is_list) {
        word = bw_scan_word(scan);
        if (!find_type(word, &property->count_type) || property->count_type >= FLOAT32)
            return bw_fail_word(ply->err, scan, word, "a type of whole numbers");
        word = bw_scan_word(scan);
    }
    if (!find_type(word, &property->type))
        return bw_fail_word(ply->err, scan, word,
                            "a type: char, uchar, short, ushort, int, uint, float or double");
    property->meaning = meaning_of(element, bw_scan_word(scan), property->is_list);
    if (property->meaning == IS_CORNERS && property->type >= FLOAT32)
        return bw_fail_word(ply->err, scan, word, "a type of whole numbers");
    return BW_OK;
}

static BwResult check_header(const Ply *ply)
{
    for (int n = 0; n < ply->element_count; n++) {
        const Element *element = &ply->elements[n];
        int axes = 0;
        for (int p = 0; p < element->property_count; p++)
            axes |= 1 << (ply->properties[element->first + p].meaning + 1);
        if (element->is_vertex && (axes >> 1 & 7) != 7)
            return bw_fail(ply->err, BW_ERR_FORMAT, "%s: the header gives vertices no x, y and z",
                           ply->file->name);
        if (element->is_vertex)
            return BW_OK;
    }
    return bw_fail(ply->err, BW_ERR_FORMAT, "%s: the header has no element vertex", ply->file->name);
}

static BwResult read_header(Ply *ply)
{
    BwTextScan *scan = &ply->scan;
    BwWord word = bw_scan_word(scan);
    if (!bw_word_is(word, "ply"))
        return bw_fail_word(ply->err, scan, word, "ply");
    for (bool has_format = false; bw_scan_next_line(scan);) {
        word = bw_scan_word(scan);
        if (bw_word_is(word, "end_header")) {
            bw_scan_next_line(scan);
            return has_format ? check_header(ply)
                              : bw_fail(ply->err, BW_ERR_FORMAT, "%s: the header has no format", scan->name);
        }
        has_format |= bw_word_is(word, "format");
        if (bw_word_is(word, "format"))
            BW_TRY(read_format(ply));
        else if (bw_word_is(word, "element"))
            BW_TRY(read_element(ply));
        else if (bw_word_is(word, "property"))
            BW_TRY(read_property(ply));
        else if (!bw_word_is(word, "comment") && !bw_word_is(word, "obj_info") && word.length > 0)
            return bw_fail_word(ply->err, scan, word, "format, element, property, comment or end_header");
    }
    return bw_fail(ply->err, BW_ERR_FORMAT, "%s:%lld: the file ends before end_header", scan->name,
                   scan->line);
}

static double decode(Type type, uint64_t bits)
{
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case INT8:
        return (int8_t)bits;
    case UINT8:
        return (uint8_t)bits;
    case INT16:
        return (int16_t)bits;
    case UINT16:
        return (uint16_t)bits;
    case INT32:
        return (int32_t)low;
    case UINT32:
        return low;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    default:
        memcpy(&number, &bits, sizeof number);
        return number;
    }
}

static BwResult read_bytes(Ply *ply, Type type, double *value)
{
    BwTextScan *scan = &ply->scan;
    int count = type_bytes[type];
    if (scan->end - scan->at < count)
        return bw_fail(ply->err, BW_ERR_FORMAT, "%s: the file ends at byte %zu, before all its elements",
                       scan->name, ply->file->size);
    uint64_t bits = 0;
    for (int n = 0; n < count; n++) {
        int place = ply->is_big_endian ? count - 1 - n : n;
        bits |= (uint64_t)(unsigned char)scan->at[n] << (8 * place);
    }
    scan->at += count;
    *value = decode(type, bits);
    return BW_OK;
}

static BwResult read_value(Ply *ply, Type type, double *value)
{
    if (ply->is_binary)
        return read_bytes(ply, type, value);
    BwWord word = bw_scan_word_anywhere(&ply->scan);
    return bw_word_number(word, value) ? BW_OK : bw_fail_word(ply->err, &ply->scan, word, "a number");
}

// Where the reader stands, for messages: a byte or a line.
static BwResult fail_here(const Ply *ply, const char *what, double found, const char *wanted)
{
    if (ply->is_binary)
        return bw_fail(ply->err, BW_ERR_FORMAT, "%s: before byte %zu: %s is %g; it must be %s",
                       ply->file->name, (size_t)(ply->scan.at - ply->file->bytes), what, found, wanted);
    return bw_fail(ply->err, BW_ERR_FORMAT, "%s:%lld: %s is %g; it must be %s", ply->file->name,
                   ply->scan.line, what, found, wanted);
}

static BwResult read_corner(Ply *ply, Type type, int32_t *corner)
{
    double value;
    BW_TRY(read_value(ply, type, &value));
    if (!(value >= 0.0 && value < (double)ply->mesh->point_count && value == floor(value)))
        return fail_here(ply, "a corner of a face", value, "the number of a vertex before it, from 0 on");
    *corner = (int32_t)value;
    return BW_OK;
}

static BwResult read_list(Ply *ply, const Property *property)
{
    double count, skipped;
    int32_t first = 0, last = 0, corner = 0;
    BW_TRY(read_value(ply, property->count_type, &count));
    if (!(count >= 0.0 && count <= LIST_MAX && count == floor(count)))
        return fail_here(ply, "the length of a list", count, "a whole number up to 65536");
    for (int n = 0; n < (int)count; n++) {
        if (property->meaning != IS_CORNERS) {
            BW_TRY(read_value(ply, property->type, &skipped));
            continue;
        }
        BW_TRY(read_corner(ply, property->type, &corner));
        if (n >= 2)
            BW_TRY(bw_mesh_add_triangle(ply->mesh, first, last, corner, ply->err));
        first = n == 0 ? corner : first;
        last = corner;
    }
    return BW_OK;
}

static BwResult read_item(Ply *ply, const Element *element)
{
    double value, at[3] = {0};
    for (int n = 0; n < element->property_count; n++) {
        const Property *property = &ply->properties[element->first + n];
        if (property->is_list) {
            BW_TRY(read_list(ply, property));
            continue;
        }
        BW_TRY(read_value(ply, property->type, &value));
        if (property->meaning == IS_OTHER)
            continue;
        if (!(fabs(value) <= 3.4e38))
            return fail_here(ply, "a coordinate", value, "finite");
        at[property->meaning] = value;
    }
    if (!element->is_vertex)
        return BW_OK;
    return bw_mesh_add_point(ply->mesh, bw_vec3((float)at[0], (float)at[1], (float)at[2]), ply->err);
}

BwResult bw_mesh_read_ply(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    Ply ply = {
        .file = file, .mesh = mesh, .scan = bw_text_scan(file->name, file->bytes, file->size), .err = err};
    BW_TRY(read_header(&ply));
    for (int n = 0; n < ply.element_count; n++)
        for (long long item = 0; item < ply.elements[n].count && ply.elements[n].property_count > 0; item++)
            BW_TRY(read_item(&ply, &ply.elements[n]));
    return BW_OK;
}
