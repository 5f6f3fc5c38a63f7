// Meshes as binary glTF 2.0 files (Khronos Group 2017, sections 3 and 4): a chunk of JSON that says what the
// numbers in the second chunk are. glTF has metres and y up, as we do, whatever a Def says of other files.
#include "export/mesh_files.h"

#include "base/json.h"
#include "base/need.h"
#include "grid/frame_check.h"

#include <ctype.h>

// The words of the format: magic numbers, types of components, what a buffer view is for.
enum {
    MAGIC = 0x46546c67,
    VERSION = 2,
    CHUNK_JSON = 0x4e4f534a,
    CHUNK_BINARY = 0x004e4942,
    HEAD_BYTES = 12,
    CHUNK_HEAD_BYTES = 8,
    TYPE_UNSIGNED = 5125,
    TYPE_FLOAT = 5126,
    FOR_VERTICES = 34962,
    FOR_INDICES = 34963
};

// A file counts its bytes in 32 bits.
static const uint64_t bytes_max = UINT32_MAX - (UINT64_C(1) << 20);

// The arrays of a file in their order: indices, places, normals, then the attributes.
enum { INDICES, PLACES, NORMALS, ATTRIBUTES };

typedef struct Gltf {
    const BwFrameMesh *mesh;
    const BwVec3 *normals;
    FILE *stream;
} Gltf;

static int array_count(const Gltf *gltf)
{
    return gltf->mesh->triangle_count == 0 ? 0 : ATTRIBUTES + gltf->mesh->attribute_count;
}

static int components_of(const Gltf *gltf, int array)
{
    return array == INDICES     ? 1
           : array < ATTRIBUTES ? 3
                                : gltf->mesh->attributes[array - ATTRIBUTES].components;
}

static uint64_t rows_of(const Gltf *gltf, int array)
{
    return array == INDICES ? 3 * (uint64_t)gltf->mesh->triangle_count : (uint64_t)gltf->mesh->vertex_count;
}

static uint64_t bytes_of(const Gltf *gltf, int array)
{
    return 4 * rows_of(gltf, array) * (uint64_t)components_of(gltf, array);
}

static uint64_t all_bytes(const Gltf *gltf)
{
    uint64_t bytes = 0;
    for (int n = 0; n < array_count(gltf); n++)
        bytes += bytes_of(gltf, n);
    return bytes;
}

// Attributes that the format does not know begin with an underscore.
static void name_attribute(const BwFrameAttribute *attribute, char name[BW_FRAME_NAME_SIZE + 2])
{
    if (bw_is_color(attribute)) {
        snprintf(name, BW_FRAME_NAME_SIZE + 2, "COLOR_0");
        return;
    }
    snprintf(name, BW_FRAME_NAME_SIZE + 2, "_%s", attribute->name);
    for (char *at = name; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
}

// Names that differ in their case alone are one in the file.
static BwResult check_names(const BwFrameMesh *mesh, BwError *err)
{
    char name[BW_FRAME_NAME_SIZE + 2], other[BW_FRAME_NAME_SIZE + 2];
    for (int n = 0; n < mesh->attribute_count; n++) {
        name_attribute(&mesh->attributes[n], name);
        for (int m = 0; m < n; m++) {
            name_attribute(&mesh->attributes[m], other);
            if (strcmp(name, other) == 0)
                return bw_fail(err, BW_ERR_DEF, "a glTF file of \"%s\" would have two of \"%s\"", mesh->name,
                               name);
        }
    }
    return BW_OK;
}

static void say_views(BwJson *json, const Gltf *gltf)
{
    uint64_t offset = 0;
    bw_json_open(json, "bufferViews", '[');
    for (int n = 0; n < array_count(gltf); n++) {
        bw_json_open(json, NULL, '{');
        bw_json_integer(json, "buffer", 0);
        bw_json_integer(json, "byteOffset", (int64_t)offset);
        bw_json_integer(json, "byteLength", (int64_t)bytes_of(gltf, n));
        bw_json_integer(json, "target", n == INDICES ? FOR_INDICES : FOR_VERTICES);
        bw_json_close(json, '}');
        offset += bytes_of(gltf, n);
    }
    bw_json_close(json, ']');
}

// Readers want the bounds of the places.
static void say_bounds(BwJson *json, const Gltf *gltf)
{
    static const char *const words[2] = {"min", "max"};
    for (int side = 0; side < 2; side++) {
        bw_json_open(json, words[side], '[');
        for (int a = 0; a < 3; a++) {
            float bound = bw_component(gltf->mesh->vertices[0], a);
            for (int32_t n = 1; n < gltf->mesh->vertex_count; n++) {
                float value = bw_component(gltf->mesh->vertices[n], a);
                bound = side == 0 ? fminf(bound, value) : fmaxf(bound, value);
            }
            bw_json_number(json, NULL, (double)bound);
        }
        bw_json_close(json, ']');
    }
}

static void say_accessors(BwJson *json, const Gltf *gltf)
{
    bw_json_open(json, "accessors", '[');
    for (int n = 0; n < array_count(gltf); n++) {
        bw_json_open(json, NULL, '{');
        bw_json_integer(json, "bufferView", n);
        bw_json_integer(json, "componentType", n == INDICES ? TYPE_UNSIGNED : TYPE_FLOAT);
        bw_json_integer(json, "count", (int64_t)rows_of(gltf, n));
        bw_json_text(json, "type", components_of(gltf, n) == 1 ? "SCALAR" : "VEC3");
        if (n == PLACES)
            say_bounds(json, gltf);
        bw_json_close(json, '}');
    }
    bw_json_close(json, ']');
}

static void say_mesh(BwJson *json, const Gltf *gltf)
{
    char name[BW_FRAME_NAME_SIZE + 2];
    bw_json_open(json, "meshes", '[');
    bw_json_open(json, NULL, '{');
    bw_json_text(json, "name", gltf->mesh->name);
    bw_json_open(json, "primitives", '[');
    bw_json_open(json, NULL, '{');
    bw_json_open(json, "attributes", '{');
    bw_json_integer(json, "POSITION", PLACES);
    bw_json_integer(json, "NORMAL", NORMALS);
    for (int n = 0; n < gltf->mesh->attribute_count; n++) {
        name_attribute(&gltf->mesh->attributes[n], name);
        bw_json_integer(json, name, ATTRIBUTES + n);
    }
    bw_json_close(json, '}');
    bw_json_integer(json, "indices", INDICES);
    bw_json_integer(json, "material", 0);
    bw_json_close(json, '}');
    bw_json_close(json, ']');
    bw_json_close(json, '}');
    bw_json_close(json, ']');
}

static void say_extension(BwJson *json, const char *name, const char *field, double value)
{
    bw_json_open(json, name, '{');
    bw_json_number(json, field, value);
    bw_json_close(json, '}');
}

// Clear water. Readers that do not know the extensions show it white and smooth.
static void say_material(BwJson *json)
{
    bw_json_open(json, "extensionsUsed", '[');
    bw_json_text(json, NULL, "KHR_materials_transmission");
    bw_json_text(json, NULL, "KHR_materials_ior");
    bw_json_close(json, ']');
    bw_json_open(json, "materials", '[');
    bw_json_open(json, NULL, '{');
    bw_json_text(json, "name", "water");
    bw_json_open(json, "pbrMetallicRoughness", '{');
    bw_json_number(json, "metallicFactor", 0.0);
    bw_json_number(json, "roughnessFactor", 0.0);
    bw_json_close(json, '}');
    bw_json_open(json, "extensions", '{');
    say_extension(json, "KHR_materials_transmission", "transmissionFactor", 1.0);
    say_extension(json, "KHR_materials_ior", "ior", 1.333);
    bw_json_close(json, '}');
    bw_json_close(json, '}');
    bw_json_close(json, ']');
}

// One node, which is empty where there is no liquid, for the format has no empty meshes. Vertices keep their
// floats far from the origin: the node has the rest of the way.
static void say_scene(BwJson *json, const Gltf *gltf)
{
    bw_json_integer(json, "scene", 0);
    bw_json_open(json, "scenes", '[');
    bw_json_open(json, NULL, '{');
    bw_json_open(json, "nodes", '[');
    bw_json_integer(json, NULL, 0);
    bw_json_close(json, ']');
    bw_json_close(json, '}');
    bw_json_close(json, ']');
    bw_json_open(json, "nodes", '[');
    bw_json_open(json, NULL, '{');
    bw_json_text(json, "name", gltf->mesh->name);
    if (array_count(gltf) > 0)
        bw_json_integer(json, "mesh", 0);
    if (bw_mesh_needs_doubles(gltf->mesh)) {
        bw_json_open(json, "translation", '[');
        for (int a = 0; a < 3; a++)
            bw_json_number(json, NULL, gltf->mesh->origin[a]);
        bw_json_close(json, ']');
    }
    bw_json_close(json, '}');
    bw_json_close(json, ']');
}

static void say_all(const Gltf *gltf)
{
    char generator[64];
    BwJson json = bw_json_line(gltf->stream);
    snprintf(generator, sizeof generator, "Billow %s", bw_version());
    bw_json_open(&json, NULL, '{');
    bw_json_open(&json, "asset", '{');
    bw_json_text(&json, "version", "2.0");
    bw_json_text(&json, "generator", generator);
    bw_json_close(&json, '}');
    say_scene(&json, gltf);
    if (array_count(gltf) > 0) {
        say_mesh(&json, gltf);
        say_material(&json);
        say_accessors(&json, gltf);
        say_views(&json, gltf);
        bw_json_open(&json, "buffers", '[');
        bw_json_open(&json, NULL, '{');
        bw_json_integer(&json, "byteLength", (int64_t)all_bytes(gltf));
        bw_json_close(&json, '}');
        bw_json_close(&json, ']');
    }
    bw_json_close(&json, '}');
}

// Numbers have their lowest byte first, whatever the machine.
static void put_word(FILE *stream, uint32_t word)
{
    for (int n = 0; n < 4; n++)
        putc((int)(word >> 8 * n & 0xff), stream);
}

static void put_float(FILE *stream, float value)
{
    uint32_t word;
    value = isfinite(value) ? value : 0.0f; // others are not allowed
    memcpy(&word, &value, sizeof word);
    put_word(stream, word);
}

static void put_vector(FILE *stream, BwVec3 value)
{
    put_float(stream, value.x);
    put_float(stream, value.y);
    put_float(stream, value.z);
}

static void put_attribute(FILE *stream, const BwFrameAttribute *attribute, int64_t rows)
{
    bool is_color = bw_is_color(attribute);
    for (int64_t n = 0; n < rows * attribute->components && !ferror(stream); n++) {
        float value = attribute->values != NULL ? attribute->values[n] : (float)attribute->integers[n];
        put_float(stream, is_color ? fminf(fmaxf(value, 0.0f), 1.0f) : value);
    }
}

static void put_arrays(const Gltf *gltf)
{
    const BwFrameMesh *mesh = gltf->mesh;
    for (int32_t n = 0; n < mesh->triangle_count && !ferror(gltf->stream); n++)
        for (int c = 0; c < 3; c++)
            put_word(gltf->stream, (uint32_t)mesh->triangles[n][c]);
    for (int32_t n = 0; n < mesh->vertex_count && !ferror(gltf->stream); n++)
        put_vector(gltf->stream, mesh->vertices[n]);
    for (int32_t n = 0; n < mesh->vertex_count && !ferror(gltf->stream); n++)
        put_vector(gltf->stream, gltf->normals[n]);
    for (int n = 0; n < mesh->attribute_count; n++)
        put_attribute(gltf->stream, &mesh->attributes[n], mesh->vertex_count);
}

// The lengths that the heads of file and chunks want are known when the JSON is written.
static BwResult write_gltf(const Gltf *gltf, BwError *err)
{
    FILE *stream = gltf->stream;
    uint32_t binary = (uint32_t)all_bytes(gltf);
    for (int n = 0; n < HEAD_BYTES + CHUNK_HEAD_BYTES; n++)
        putc(0, stream);
    say_all(gltf);
    long place = ftell(stream);
    for (; place >= 0 && place % 4 != 0; place++)
        putc(' ', stream);
    uint32_t end = (uint32_t)place;
    if (binary > 0) {
        put_word(stream, binary);
        put_word(stream, CHUNK_BINARY);
        put_arrays(gltf);
    }
    if (place < 0 || fseek(stream, 0, SEEK_SET) != 0)
        return bw_fail(err, BW_ERR_FILE, "could not write the head of a glTF file");
    put_word(stream, MAGIC);
    put_word(stream, VERSION);
    put_word(stream, end + (binary > 0 ? CHUNK_HEAD_BYTES + binary : 0));
    put_word(stream, end - HEAD_BYTES - CHUNK_HEAD_BYTES);
    put_word(stream, CHUNK_JSON);
    return BW_OK;
}

// Means over the triangles of each vertex, by their area: readers draw facets where there are none.
static void find_normals(const BwFrameMesh *mesh, BwVec3 *normals)
{
    memset(normals, 0, (size_t)mesh->vertex_count * sizeof *normals);
    for (int32_t n = 0; n < mesh->triangle_count; n++) {
        const int32_t *corner = mesh->triangles[n];
        BwVec3 a = mesh->vertices[corner[0]], b = mesh->vertices[corner[1]], c = mesh->vertices[corner[2]];
        BwVec3 area = bw_cross(bw_sub(b, a), bw_sub(c, a));
        for (int k = 0; k < 3; k++)
            normals[corner[k]] = bw_add(normals[corner[k]], area);
    }
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        float length = bw_length(normals[n]);
        normals[n] =
            length > 0.0f && isfinite(length) ? bw_mul(normals[n], 1.0f / length) : bw_vec3(0.0f, 1.0f, 0.0f);
    }
}

static BwResult write_with_normals(Gltf *gltf, const BwAllocator *allocator, BwError *err)
{
    size_t bytes = (size_t)gltf->mesh->vertex_count * sizeof(BwVec3);
    BwVec3 *normals = NULL;
    if (array_count(gltf) > 0) {
        normals = bw_alloc(allocator, bytes, BW_ALIGN);
        if (normals == NULL)
            return bw_fail_memory(err);
        find_normals(gltf->mesh, normals);
    }
    gltf->normals = normals;
    BwResult result = write_gltf(gltf, err);
    if (normals != NULL)
        bw_free(allocator, normals, bytes, BW_ALIGN);
    return result;
}

BwResult bw_mesh_save_gltf(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwVolumeDef checked;
    BwFileWriter writer;
    BW_TRY(bw_need(mesh, "the mesh", err));
    BW_TRY(bw_mesh_check(mesh, err));
    BW_TRY(check_names(mesh, err));
    Gltf gltf = {.mesh = mesh};
    if (all_bytes(&gltf) > bytes_max)
        return bw_fail(err, BW_ERR_DEF, "\"%s\" is too large for a glTF file of 4 GiB", mesh->name);
    BW_TRY(bw_mesh_begin(def, &checked, path, &writer, err));
    gltf.stream = writer.stream;
    BwResult result = write_with_normals(&gltf, &checked.allocator, err);
    if (result == BW_OK)
        return bw_file_commit(&writer, err);
    bw_file_abandon(&writer);
    return result;
}
