// Wavefront OBJ.
#include "solid/mesh_read.h"
#include "solid/text_scan.h"

// What a line may begin with and we have no use for.
static const char *const not_needed[] = {
    "vt",     "vn",     "vp",  "l",      "p",     "o",        "g",        "s",          "mg",       "usemtl",
    "mtllib", "usemap", "lod", "maplib", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

static BwResult read_point(BwMesh *mesh, BwTextScan *scan, BwError *err)
{
    double value[3];
    for (int n = 0; n < 3; n++) {
        BwWord word = bw_scan_word(scan);
        if (!bw_word_number(word, &value[n]))
            return bw_fail_word(err, scan, word, "a number, one of x, y and z");
    }
    return bw_mesh_add_point(mesh, bw_vec3((float)value[0], (float)value[1], (float)value[2]), err);
}

// A corner is 7, 7/1, 7//3 or 7/1/3: the point's number, from 1 on, or counted back from the last by -1.
static BwResult read_corner(const BwMesh *mesh, const BwTextScan *scan, BwWord word, int32_t *corner,
                            BwError *err)
{
    BwWord number = {word.text, 0};
    long long index;
    while (number.length < word.length && word.text[number.length] != '/')
        number.length++;
    if (!bw_word_integer(number, &index))
        return bw_fail_word(err, scan, word, "the number of a point");
    long long at = index > 0 ? index - 1 : mesh->point_count + index;
    if (index == 0 || at < 0 || at >= mesh->point_count)
        return bw_fail(err, BW_ERR_FORMAT, "%s:%lld: a face has point %lld; there are %lld points before it",
                       scan->name, scan->line, index, (long long)mesh->point_count);
    *corner = (int32_t)at;
    return BW_OK;
}

static BwResult read_face(BwMesh *mesh, BwTextScan *scan, BwError *err)
{
    int32_t first = 0, last = 0, corner = 0;
    int count = 0;
    for (BwWord word = bw_scan_word(scan); word.length > 0 && word.text[0] != '#';
         word = bw_scan_word(scan)) {
        BW_TRY(read_corner(mesh, scan, word, &corner, err));
        if (count >= 2)
            BW_TRY(bw_mesh_add_triangle(mesh, first, last, corner, err));
        first = count == 0 ? corner : first;
        last = corner;
        count++;
    }
    if (count >= 3)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "%s:%lld: a face has %d corners; it must have three or more",
                   scan->name, scan->line, count);
}

static BwResult read_line(BwMesh *mesh, BwTextScan *scan, BwError *err)
{
    BwWord word = bw_scan_word(scan);
    if (word.length == 0 || word.text[0] == '#')
        return BW_OK;
    if (bw_word_is(word, "v"))
        return read_point(mesh, scan, err);
    if (bw_word_is(word, "f"))
        return read_face(mesh, scan, err);
    for (size_t n = 0; n < sizeof not_needed / sizeof *not_needed; n++)
        if (bw_word_is(word, not_needed[n]))
            return BW_OK;
    return bw_fail_word(err, scan, word, "v (a point), f (a face) or another word of OBJ files with faces");
}

BwResult bw_mesh_read_obj(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    BwTextScan scan = bw_text_scan(file->name, file->bytes, file->size);
    if (file->size > 0)
        do
            BW_TRY(read_line(mesh, &scan, err));
        while (bw_scan_next_line(&scan));
    return BW_OK;
}
