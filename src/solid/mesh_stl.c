// Stereolithography STL. A binary file tells its number of triangles at byte 80, and has exactly as many; a
// text file begins with "solid", but so do some binary ones, so the size is asked first.
#include "solid/mesh_read.h"
#include "solid/text_scan.h"

#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 80, TRIANGLE_BYTES = 50 };

static uint32_t read_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float read_float(const char *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static BwResult add_last_three(BwMesh *mesh, BwError *err)
{
    int32_t first = (int32_t)mesh->point_count - 3;
    return bw_mesh_add_triangle(mesh, first, first + 1, first + 2, err);
}

static BwResult read_binary(BwMesh *mesh, const BwFileBytes *file, uint32_t count, BwError *err)
{
    for (uint32_t n = 0; n < count; n++) {
        const char *at = file->bytes + HEADER_BYTES + 4 + (size_t)n * TRIANGLE_BYTES + 12; // past the normal
        for (int corner = 0; corner < 3; corner++, at += 12) {
            BwVec3 point = bw_vec3(read_float(at), read_float(at + 4), read_float(at + 8));
            if (!isfinite(point.x) || !isfinite(point.y) || !isfinite(point.z))
                return bw_fail(err, BW_ERR_FORMAT, "%s: the point at byte %zu is not finite", file->name,
                               (size_t)(at - file->bytes));
            BW_TRY(bw_mesh_add_point(mesh, point, err));
        }
        BW_TRY(add_last_three(mesh, err));
    }
    return BW_OK;
}

static BwResult want_word(BwTextScan *scan, const char *wanted, BwError *err)
{
    BwWord word = bw_scan_word_anywhere(scan);
    return bw_word_is(word, wanted) ? BW_OK : bw_fail_word(err, scan, word, wanted);
}

static BwResult read_numbers(BwTextScan *scan, double value[3], BwError *err)
{
    for (int n = 0; n < 3; n++) {
        BwWord word = bw_scan_word_anywhere(scan);
        if (!bw_word_number(word, &value[n]))
            return bw_fail_word(err, scan, word, "a number");
    }
    return BW_OK;
}

// Past "facet": its normal is what its corners say, whatever stands there.
static BwResult read_facet(BwMesh *mesh, BwTextScan *scan, BwError *err)
{
    double value[3];
    BW_TRY(want_word(scan, "normal", err));
    for (int n = 0; n < 3; n++)
        bw_scan_word_anywhere(scan);
    BW_TRY(want_word(scan, "outer", err));
    BW_TRY(want_word(scan, "loop", err));
    for (int corner = 0; corner < 3; corner++) {
        BW_TRY(want_word(scan, "vertex", err));
        BW_TRY(read_numbers(scan, value, err));
        BW_TRY(bw_mesh_add_point(mesh, bw_vec3((float)value[0], (float)value[1], (float)value[2]), err));
    }
    BW_TRY(want_word(scan, "endloop", err));
    BW_TRY(want_word(scan, "endfacet", err));
    return add_last_three(mesh, err);
}

// One solid after another; a name may follow on the line of "solid" and "endsolid".
static BwResult read_text(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    BwTextScan scan = bw_text_scan(file->name, file->bytes, file->size);
    for (BwWord word = bw_scan_word_anywhere(&scan); word.length > 0; word = bw_scan_word_anywhere(&scan)) {
        if (bw_word_is(word, "facet"))
            BW_TRY(read_facet(mesh, &scan, err));
        else if (bw_word_is(word, "solid") || bw_word_is(word, "endsolid"))
            bw_scan_next_line(&scan);
        else
            return bw_fail_word(err, &scan, word, "facet, solid or endsolid");
    }
    return BW_OK;
}

BwResult bw_mesh_read_stl(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    bool has_count = file->size >= HEADER_BYTES + 4;
    uint32_t count = has_count ? read_u32(file->bytes + HEADER_BYTES) : 0;
    uint64_t wanted = HEADER_BYTES + 4 + (uint64_t)count * TRIANGLE_BYTES;
    if (has_count && wanted == file->size)
        return read_binary(mesh, file, count, err);
    if (file->size >= 5 && memcmp(file->bytes, "solid", 5) == 0)
        return read_text(mesh, file, err);
    if (!has_count)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s holds %zu bytes; an STL file begins with \"solid\" or has 84 or more", file->name,
                       file->size);
    return bw_fail(err, BW_ERR_FORMAT,
                   "%s holds %zu bytes; at byte 80 it tells of %u triangles, which take %llu", file->name,
                   file->size, count, (unsigned long long)wanted);
}
