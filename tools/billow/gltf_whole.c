// A binary glTF file: its head, its chunks and its JSON have to agree on lengths and counts.
#include "base/error.h"
#include "base/json_read.h"
#include "mesh_whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 12, CHUNK_HEAD_BYTES = 8, CHUNK_JSON = 0x4e4f534a, CHUNK_BINARY = 0x004e4942 };

// More JSON than any mesh needs.
static const uint32_t json_max = 1u << 26;

typedef struct Gltf {
    const char *path;
    int64_t size;         // bytes, of the file
    int64_t binary_bytes; // of the second chunk; below 0: there is none
    BwJsonText json, views, accessors;
} Gltf;

static BwResult fail(const Gltf *gltf, const char *what, double found, double wanted, BwError *err)
{
    return bw_fail(err, BW_ERR_FORMAT, "%s is damaged or cut: %s %.15g, and %.15g are wanted", gltf->path,
                   what, found, wanted);
}

static uint32_t word_at(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// The length of the JSON, from the heads of the file and of its first chunk.
static BwResult read_heads(Gltf *gltf, FILE *stream, uint32_t *length, BwError *err)
{
    unsigned char head[HEAD_BYTES + CHUNK_HEAD_BYTES] = {0};
    size_t read = fread(head, 1, sizeof head, stream);
    if (read < sizeof head)
        return fail(gltf, "bytes in all:", (double)read, (double)sizeof head, err);
    if (word_at(head + 4) != 2)
        return fail(gltf, "the version is", (double)word_at(head + 4), 2.0, err);
    if ((int64_t)word_at(head + 8) != gltf->size)
        return fail(gltf, "bytes in all:", (double)gltf->size, (double)word_at(head + 8), err);
    *length = word_at(head + HEAD_BYTES);
    if (word_at(head + HEAD_BYTES + 4) != CHUNK_JSON || *length > json_max ||
        (int64_t)*length > gltf->size - (int64_t)sizeof head)
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its first part is no JSON that fits into the file",
                       gltf->path);
    return BW_OK;
}

static BwResult read_binary_head(Gltf *gltf, FILE *stream, BwError *err)
{
    unsigned char head[CHUNK_HEAD_BYTES];
    int64_t left = gltf->size - ftell(stream);
    gltf->binary_bytes = -1;
    if (left == 0)
        return BW_OK;
    if (left < CHUNK_HEAD_BYTES || fread(head, 1, sizeof head, stream) != sizeof head ||
        word_at(head + 4) != CHUNK_BINARY)
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: no part with numbers follows its JSON",
                       gltf->path);
    gltf->binary_bytes = word_at(head);
    left -= CHUNK_HEAD_BYTES;
    return gltf->binary_bytes <= left
               ? BW_OK
               : fail(gltf, "bytes of numbers:", (double)left, (double)gltf->binary_bytes, err);
}

static BwJsonText list_of(BwJsonText object, const char *key)
{
    BwJsonText list;
    return bw_json_find(object, key, &list) ? list : (BwJsonText){NULL, NULL};
}

static bool item_of(BwJsonText list, double index, BwJsonText *item)
{
    const char *at = list.begin;
    for (double n = 0.0; list.begin != NULL && bw_json_next_item(list, &at, item); n++)
        if (n == index)
            return true;
    return false;
}

static double number_of(BwJsonText object, const char *key, double otherwise)
{
    double number;
    return bw_json_find_number(object, key, &number) ? number : otherwise;
}

static bool is_count(double number)
{
    return number >= 0.0 && number <= 9e15 && number == floor(number);
}

static int components_of(BwJsonText accessor)
{
    static const struct {
        const char *name;
        int count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    char type[16];
    if (bw_json_find_text(accessor, "type", type, sizeof type))
        for (size_t n = 0; n < sizeof types / sizeof *types; n++)
            if (strcmp(type, types[n].name) == 0)
                return types[n].count;
    return 0;
}

static int bytes_of(double component)
{
    return component == 5120.0 || component == 5121.0   ? 1
           : component == 5122.0 || component == 5123.0 ? 2
           : component == 5125.0 || component == 5126.0 ? 4
                                                        : 0;
}

// The count of an accessor, which its view has to have the bytes for, and the file those of its view.
static BwResult read_accessor(const Gltf *gltf, double index, double *count, BwError *err)
{
    BwJsonText accessor, view;
    if (!item_of(gltf->accessors, index, &accessor))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: there is no accessor %g", gltf->path, index);
    *count = number_of(accessor, "count", -1.0);
    double row = components_of(accessor) * bytes_of(number_of(accessor, "componentType", 0.0));
    if (!is_count(*count) || !(row > 0.0))
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is damaged: accessor %g tells no count, type and componentType", gltf->path,
                       index);
    double place = number_of(accessor, "bufferView", -1.0);
    if (place < 0.0) // all zeros, or numbers that an extension packs
        return BW_OK;
    if (!item_of(gltf->views, place, &view))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: there is no bufferView %g", gltf->path, place);
    double stride = number_of(view, "byteStride", row), bytes = number_of(view, "byteLength", -1.0);
    double wanted =
        number_of(accessor, "byteOffset", 0.0) + (*count > 0.0 ? (*count - 1.0) * stride + row : 0.0);
    if (!(bytes >= wanted))
        return fail(gltf, "bytes that a bufferView has for its numbers:", bytes, wanted, err);
    double end = number_of(view, "byteOffset", 0.0) + bytes;
    if (number_of(view, "buffer", 0.0) == 0.0 && gltf->binary_bytes >= 0 &&
        !((double)gltf->binary_bytes >= end))
        return fail(gltf, "bytes of numbers:", (double)gltf->binary_bytes, end, err);
    return BW_OK;
}

static BwResult count_primitive(const Gltf *gltf, BwJsonText primitive, MeshCounts *counts, BwError *err)
{
    BwJsonText attributes;
    double place, vertices, corners;
    if (!bw_json_find(primitive, "attributes", &attributes) ||
        !bw_json_find_number(attributes, "POSITION", &place))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: a mesh of it has no POSITION", gltf->path);
    BW_TRY(read_accessor(gltf, place, &vertices, err));
    corners = vertices;
    if (bw_json_find_number(primitive, "indices", &place))
        BW_TRY(read_accessor(gltf, place, &corners, err));
    BwJsonText name, value;
    for (const char *at = attributes.begin; bw_json_next(attributes, &at, &name, &value);) {
        char text[32];
        double rows;
        snprintf(text, sizeof text, "%.*s", (int)(value.end - value.begin), value.begin);
        BW_TRY(read_accessor(gltf, atof(text), &rows, err));
        if (rows != vertices)
            return fail(gltf, "rows of an attribute:", rows, vertices, err);
    }
    counts->vertices += (int64_t)vertices;
    if (number_of(primitive, "mode", 4.0) == 4.0) {
        if (fmod(corners, 3.0) != 0.0)
            return fail(gltf, "corners of triangles:", corners, 3.0 * floor(corners / 3.0), err);
        counts->faces += (int64_t)corners / 3;
    }
    return BW_OK;
}

static BwResult count_meshes(Gltf *gltf, MeshCounts *counts, BwError *err)
{
    BwJsonText asset, mesh, primitive, meshes = list_of(gltf->json, "meshes");
    if (!bw_json_is_whole(gltf->json) || !bw_json_find(gltf->json, "asset", &asset))
        return bw_fail(err, BW_ERR_FORMAT, "%s is damaged: its JSON is not whole, or has no asset",
                       gltf->path);
    gltf->views = list_of(gltf->json, "bufferViews");
    gltf->accessors = list_of(gltf->json, "accessors");
    for (const char *at = meshes.begin; at != NULL && bw_json_next_item(meshes, &at, &mesh);) {
        BwJsonText primitives = list_of(mesh, "primitives");
        for (const char *next = primitives.begin;
             next != NULL && bw_json_next_item(primitives, &next, &primitive);)
            BW_TRY(count_primitive(gltf, primitive, counts, err));
    }
    return BW_OK;
}

static BwResult read_parts(Gltf *gltf, FILE *stream, MeshCounts *counts, char generator[64], BwError *err)
{
    uint32_t length = 0;
    BW_TRY(read_heads(gltf, stream, &length, err));
    char *text = malloc((size_t)length + 1);
    if (text == NULL)
        return bw_fail_memory(err);
    BwResult result = BW_OK;
    if (fread(text, 1, length, stream) != length)
        result = bw_fail(err, BW_ERR_FILE, "could not read %s", gltf->path);
    gltf->json = (BwJsonText){text, text + length};
    if (result == BW_OK)
        result = read_binary_head(gltf, stream, err);
    if (result == BW_OK)
        result = count_meshes(gltf, counts, err);
    BwJsonText asset;
    if (result == BW_OK && bw_json_find(gltf->json, "asset", &asset))
        bw_json_find_text(asset, "generator", generator, 64);
    free(text);
    return result;
}

BwResult mesh_count_gltf(const char *path, MeshCounts *counts, char generator[64], BwError *err)
{
    Gltf gltf = {.path = path};
    FILE *stream = fopen(path, "rb");
    *counts = (MeshCounts){0};
    generator[0] = '\0';
    gltf.size = stream != NULL && fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    if (stream == NULL || gltf.size < 0 || fseek(stream, 0, SEEK_SET) != 0) {
        if (stream != NULL)
            fclose(stream);
        return bw_fail(err, BW_ERR_FILE, "could not read %s", path);
    }
    BwResult result = read_parts(&gltf, stream, counts, generator, err);
    fclose(stream);
    return result;
}
