// PGM pictures, and ground from heights: a top of two triangles a pixel, a rim and a bottom, all closed.
#include "solid/heights.h"
#include "solid/heights_detail.h"
#include "solid/text_scan.h"

#include <string.h>

BwResult bw_heights_create(BwHeights *heights, const BwFileBytes *file, long long columns, long long rows,
                           BwError *err)
{
    if (columns < 2 || columns > BW_HEIGHTS_SIDE_MAX || rows < 1 || rows > BW_HEIGHTS_SIDE_MAX)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is %lld x %lld pixels; it must be 2 to %d wide and 1 to %d high", file->name,
                       columns, rows, BW_HEIGHTS_SIDE_MAX, BW_HEIGHTS_SIDE_MAX);
    heights->columns = (int)columns;
    heights->rows = (int)rows;
    heights->values =
        bw_alloc(&heights->allocator, (size_t)columns * (size_t)rows * sizeof *heights->values, BW_ALIGN);
    return heights->values != NULL ? BW_OK : bw_fail_memory(err);
}

void bw_heights_free(BwHeights *heights)
{
    bw_free(&heights->allocator, heights->values,
            (size_t)heights->columns * (size_t)heights->rows * sizeof *heights->values, BW_ALIGN);
    heights->values = NULL;
}

// The next word of a PGM; a comment goes to the end of its line.
static BwWord pgm_word(BwTextScan *scan)
{
    BwWord word = bw_scan_word_anywhere(scan);
    while (word.length > 0 && word.text[0] == '#') {
        bw_scan_next_line(scan);
        word = bw_scan_word_anywhere(scan);
    }
    return word;
}

static BwResult pgm_number(BwTextScan *scan, long long low, long long high, const char *wanted,
                           long long *value, BwError *err)
{
    BwWord word = pgm_word(scan);
    if (bw_word_integer(word, value) && *value >= low && *value <= high)
        return BW_OK;
    return bw_fail_word(err, scan, word, wanted);
}

static BwResult read_plain(BwHeights *heights, BwTextScan *scan, long long white, BwError *err)
{
    for (int64_t n = 0; n < (int64_t)heights->columns * heights->rows; n++) {
        long long grey;
        BW_TRY(pgm_number(scan, 0, white, "a grey, a whole number up to white", &grey, err));
        heights->values[n] = (float)((double)grey / (double)white);
    }
    return BW_OK;
}

// One byte a pixel, or two with the high one first. A single gap parts them from the header.
static BwResult read_raw(BwHeights *heights, const BwTextScan *scan, long long white, BwError *err)
{
    int64_t count = (int64_t)heights->columns * heights->rows;
    int width = white > 255 ? 2 : 1;
    const unsigned char *at = (const unsigned char *)scan->at + 1;
    if (scan->end - scan->at - 1 < width * count)
        return bw_fail(err, BW_ERR_FORMAT, "%s: %lld bytes follow the header; its %d x %d pixels take %lld",
                       scan->name, (long long)(scan->end - scan->at) - 1, heights->columns, heights->rows,
                       (long long)(width * count));
    for (int64_t n = 0; n < count; n++, at += width) {
        int grey = width == 2 ? at[0] << 8 | at[1] : at[0];
        heights->values[n] = (float)((double)(grey < white ? grey : white) / (double)white);
    }
    return BW_OK;
}

static BwResult read_pgm(BwHeights *heights, const BwFileBytes *file, BwError *err)
{
    BwTextScan scan = bw_text_scan(file->name, file->bytes, file->size);
    long long columns, rows, white;
    BwWord kind = pgm_word(&scan);
    bool is_raw = bw_word_is(kind, "P5");
    if (!is_raw && !bw_word_is(kind, "P2"))
        return bw_fail_word(err, &scan, kind, "P2 or P5, as in PGM pictures, or the first bytes of a PNG");
    BW_TRY(pgm_number(&scan, 1, 1 << 20, "the number of columns", &columns, err));
    BW_TRY(pgm_number(&scan, 1, 1 << 20, "the number of rows", &rows, err));
    BW_TRY(pgm_number(&scan, 1, 65535, "what white is, 1 to 65535", &white, err));
    BW_TRY(bw_heights_create(heights, file, columns, rows, err));
    return is_raw ? read_raw(heights, &scan, white, err) : read_plain(heights, &scan, white, err);
}

static bool is_png(const BwFileBytes *file)
{
    static const char mark[] = "\x89PNG\r\n\x1a\n";
    return file->size >= 8 && memcmp(file->bytes, mark, 8) == 0;
}

static BwResult add_quad(BwMesh *mesh, int64_t a, int64_t b, int64_t c, int64_t d, BwError *err)
{
    BW_TRY(bw_mesh_add_triangle(mesh, (int32_t)a, (int32_t)b, (int32_t)c, err));
    return bw_mesh_add_triangle(mesh, (int32_t)a, (int32_t)c, (int32_t)d, err);
}

// Where the points of the ground stand: columns and rows, `step` apart along x, and along z by the first and
// the step of their rows.
typedef struct Ground {
    int columns, rows;
    float step, z_first, z_step;
} Ground;

// A profile goes as far to both sides of z = 0 as it is long.
static Ground ground_of(const BwHeights *heights, bool is_fine)
{
    float step = is_fine ? 1.0f / BW_HEIGHTS_FINER : 1.0f, length = (float)(heights->columns - 1) * step;
    return heights->rows == 1 ? (Ground){heights->columns, 2, step, -length, 2.0f * length}
                              : (Ground){heights->columns, heights->rows, step, 0.0f, step};
}

// Points of the top, then as many of the bottom.
static BwResult add_points(BwMesh *mesh, const BwHeights *heights, const Ground *ground, float height,
                           BwError *err)
{
    int longest = ground->columns > ground->rows ? ground->columns : ground->rows;
    float depth = (float)(longest - 1) * ground->step;
    for (int is_bottom = 0; is_bottom < 2; is_bottom++)
        for (int k = 0; k < ground->rows; k++)
            for (int i = 0; i < ground->columns; i++) {
                int row = k < heights->rows ? k : heights->rows - 1;
                float value = heights->values[(int64_t)row * heights->columns + i];
                BwVec3 point = bw_vec3(ground->step * (float)i, is_bottom ? -depth : height * value,
                                       ground->z_first + ground->z_step * (float)k);
                BW_TRY(bw_mesh_add_point(mesh, point, err));
            }
    return BW_OK;
}

static BwResult add_top_and_bottom(BwMesh *mesh, int64_t columns, int64_t rows, BwError *err)
{
    int64_t below = columns * rows;
    for (int64_t k = 0; k + 1 < rows; k++)
        for (int64_t i = 0; i + 1 < columns; i++) {
            int64_t at = k * columns + i, next = at + columns;
            BW_TRY(add_quad(mesh, at, next, next + 1, at + 1, err));
            BW_TRY(add_quad(mesh, below + at, below + at + 1, below + next + 1, below + next, err));
        }
    return BW_OK;
}

static BwResult add_rim(BwMesh *mesh, int64_t columns, int64_t rows, BwError *err)
{
    int64_t below = columns * rows, last = (rows - 1) * columns;
    for (int64_t i = 0; i + 1 < columns; i++) {
        BW_TRY(add_quad(mesh, i, i + 1, below + i + 1, below + i, err));
        BW_TRY(add_quad(mesh, last + i + 1, last + i, below + last + i, below + last + i + 1, err));
    }
    for (int64_t k = 0; k + 1 < rows; k++) {
        int64_t left = k * columns, right = left + columns - 1;
        BW_TRY(add_quad(mesh, left + columns, left, below + left, below + left + columns, err));
        BW_TRY(add_quad(mesh, right, right + columns, below + right + columns, below + right, err));
    }
    return BW_OK;
}

BwResult bw_mesh_read_heights(BwMesh *mesh, const BwFileBytes *file, float height, float detail, BwError *err)
{
    BwHeights heights = {.allocator = mesh->allocator};
    BW_TRY(bw_heights_check_detail(file, detail, err));
    BwResult result = is_png(file) ? bw_heights_read_png(&heights, file, err) : read_pgm(&heights, file, err);
    if (result == BW_OK && detail > 0.0f)
        result = bw_heights_add_detail(&heights, file, detail / height, err);
    Ground ground = ground_of(&heights, detail > 0.0f);
    if (result == BW_OK)
        result = add_points(mesh, &heights, &ground, height, err);
    if (result == BW_OK)
        result = add_top_and_bottom(mesh, ground.columns, ground.rows, err);
    if (result == BW_OK)
        result = add_rim(mesh, ground.columns, ground.rows, err);
    bw_heights_free(&heights);
    return result;
}
