// Volumes as NRRD files (nearly raw raster data): a header of lines, an empty line, then one number a voxel,
// x fastest. Drawings (voxel_drawing.c) are read by their own reader.
#include "solid/mesh_read.h"
#include "solid/text_scan.h"
#include "solid/voxel_faces.h"

#include <math.h>
#include <string.h>

typedef enum Type { UINT8, UINT16, FLOAT, TYPE_COUNT } Type;

static const int type_bytes[] = {1, 2, 4};

typedef struct Voxels {
    BwTextScan scan;
    BwMesh *mesh;
    long long size[3];
    Type type;
    bool has_type, has_sizes, has_encoding, is_raw, is_big_endian;
    uint8_t *full; // 1 where the value is at or above the threshold
    BwError *err;
} Voxels;

static int64_t voxel_count(const Voxels *voxels)
{
    return voxels->size[0] * voxels->size[1] * voxels->size[2];
}

static BwResult read_type(Voxels *voxels, BwWord word)
{
    static const char *const names[][5] = {{"uint8", "uchar", "uint8_t", "unsigned", "unsigned"},
                                           {"uint16", "ushort", "uint16_t", "uint16", "uint16"},
                                           {"float", "float", "float", "float", "float"}};
    for (int type = 0; type < TYPE_COUNT; type++)
        for (int n = 0; n < 5; n++)
            if (bw_word_is(word, names[type][n])) {
                voxels->type = (Type)type;
                voxels->has_type = true;
                // "unsigned char" is two words.
                if (!bw_word_is(word, "unsigned") || bw_word_is(bw_scan_word(&voxels->scan), "char"))
                    return BW_OK;
            }
    return bw_fail_word(voxels->err, &voxels->scan, word, "a type: uint8, uint16 or float");
}

static BwResult read_sizes(Voxels *voxels, BwWord word)
{
    for (int a = 0; a < 3; a++, word = bw_scan_word(&voxels->scan))
        if (!bw_word_integer(word, &voxels->size[a]) || voxels->size[a] < 1 ||
            voxels->size[a] > BW_VOXELS_SIDE_MAX)
            return bw_fail_word(voxels->err, &voxels->scan, word, "three sizes, each 1 to 1024");
    voxels->has_sizes = true;
    if (voxel_count(voxels) <= BW_VOXELS_MAX)
        return BW_OK;
    return bw_fail(voxels->err, BW_ERR_FORMAT, "%s:%lld: %lld voxels; at most %d are read", voxels->scan.name,
                   voxels->scan.line, (long long)voxel_count(voxels), BW_VOXELS_MAX);
}

static BwResult read_encoding(Voxels *voxels, BwWord word)
{
    voxels->is_raw = bw_word_is(word, "raw");
    voxels->has_encoding = true;
    if (voxels->is_raw || bw_word_is(word, "text") || bw_word_is(word, "ascii") || bw_word_is(word, "txt"))
        return BW_OK;
    return bw_fail_word(voxels->err, &voxels->scan, word, "raw or text; compressed volumes are not read");
}

static BwResult read_endian(Voxels *voxels, BwWord word)
{
    voxels->is_big_endian = bw_word_is(word, "big");
    if (voxels->is_big_endian || bw_word_is(word, "little"))
        return BW_OK;
    return bw_fail_word(voxels->err, &voxels->scan, word, "little or big");
}

// A line of the header: "sizes: 4 4 4". What we do not know does not bear on where voxels are.
static BwResult read_header_line(Voxels *voxels, BwWord name)
{
    BwTextScan *scan = &voxels->scan;
    if (bw_word_is(name, "type:"))
        return read_type(voxels, bw_scan_word(scan));
    if (bw_word_is(name, "sizes:"))
        return read_sizes(voxels, bw_scan_word(scan));
    if (bw_word_is(name, "encoding:"))
        return read_encoding(voxels, bw_scan_word(scan));
    if (bw_word_is(name, "endian:"))
        return read_endian(voxels, bw_scan_word(scan));
    if (bw_word_is(name, "dimension:")) {
        BwWord word = bw_scan_word(scan);
        return bw_word_is(word, "3") ? BW_OK : bw_fail_word(voxels->err, scan, word, "3, for a volume");
    }
    if (bw_word_is(name, "data"))
        return bw_fail_word(voxels->err, scan, name, "a header whose volume follows it in the same file");
    return BW_OK;
}

static BwResult read_header(Voxels *voxels)
{
    BwTextScan *scan = &voxels->scan;
    BwWord word = bw_scan_word(scan);
    if (word.length != 8 || memcmp(word.text, "NRRD000", 7) != 0)
        return bw_fail_word(voxels->err, scan, word,
                            "NRRD0001 to NRRD0005, as in volumes, or voxels, as in drawings");
    while (bw_scan_next_line(scan)) {
        word = bw_scan_word(scan);
        if (word.length == 0)
            break; // the empty line that ends the header
        if (word.text[0] != '#')
            BW_TRY(read_header_line(voxels, word));
    }
    bw_scan_next_line(scan);
    if (voxels->has_type && voxels->has_sizes && voxels->has_encoding)
        return BW_OK;
    return bw_fail(voxels->err, BW_ERR_FORMAT, "%s: the header has no %s", scan->name,
                   !voxels->has_type    ? "type"
                   : !voxels->has_sizes ? "sizes"
                                        : "encoding");
}

static float decode(const Voxels *voxels, const unsigned char *at)
{
    uint32_t bits = 0;
    float value;
    int count = type_bytes[voxels->type];
    for (int n = 0; n < count; n++)
        bits |= (uint32_t)at[n] << 8 * (voxels->is_big_endian ? count - 1 - n : n);
    if (voxels->type != FLOAT)
        return (float)bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static BwResult read_values(Voxels *voxels, float threshold)
{
    BwTextScan *scan = &voxels->scan;
    int64_t count = voxel_count(voxels), bytes = type_bytes[voxels->type];
    if (voxels->is_raw && scan->end - scan->at < count * bytes)
        return bw_fail(voxels->err, BW_ERR_FORMAT, "%s: %lld bytes follow the header; its voxels take %lld",
                       scan->name, (long long)(scan->end - scan->at), (long long)(count * bytes));
    for (int64_t n = 0; n < count; n++) {
        double value;
        if (voxels->is_raw) {
            voxels->full[n] = decode(voxels, (const unsigned char *)scan->at + n * bytes) >= threshold;
            continue;
        }
        BwWord word = bw_scan_word_anywhere(scan);
        if (!bw_word_number(word, &value))
            return bw_fail_word(voxels->err, scan, word, "a number, one a voxel");
        voxels->full[n] = (float)value >= threshold;
    }
    return BW_OK;
}

BwResult bw_mesh_read_voxels(BwMesh *mesh, const BwFileBytes *file, float threshold, BwError *err)
{
    Voxels voxels = {.scan = bw_text_scan(file->name, file->bytes, file->size), .mesh = mesh, .err = err};
    if (bw_voxel_drawing_begins(file))
        return bw_mesh_read_voxel_drawing(mesh, file, err);
    BW_TRY(read_header(&voxels));
    size_t count = (size_t)voxel_count(&voxels);
    voxels.full = bw_alloc(&mesh->allocator, count, BW_ALIGN);
    if (voxels.full == NULL)
        return bw_fail_memory(err);
    BwResult result = read_values(&voxels, threshold);
    if (result == BW_OK)
        result = bw_mesh_add_voxels(mesh, voxels.full, voxels.size, err);
    bw_free(&mesh->allocator, voxels.full, count, BW_ALIGN);
    return result;
}
