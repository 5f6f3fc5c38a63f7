// Voxels as a person draws them in a text editor: `#` is full, `.` is empty.
//
//     voxels plan
//     -- The floor, two layers of it.
//     repeat 2
//     #####
//     #####
//
//     -- Walls around a yard that is open in front.
//     #####
//     #...#
//
// The first line says how layers are seen. In a plan each is seen from above: its rows go from the back (low
// z) to the front, and layers from the ground up. In a front each is seen from in front: its rows go from the
// top down, and layers from the back to the front. Columns go along x. An empty line ends a layer; `repeat N`
// before one draws it N times; `--` begins a comment. All rows are of one length, all layers of as many rows.
#include "solid/text_scan.h"
#include "solid/voxel_faces.h"

#include <stdio.h>
#include <string.h>

typedef struct Drawing {
    BwTextScan scan;
    bool is_front;
    long long columns, rows, layers; // of the drawing
    long long row, repeat;           // the rows of this layer so far; times that it is drawn
    uint8_t *full;                   // NULL: the drawing is being measured
    long long size[3];               // of the voxels
    BwError *err;
} Drawing;

bool bw_voxel_drawing_begins(const BwFileBytes *file)
{
    BwTextScan scan = bw_text_scan(file->name, file->bytes, file->size);
    return bw_word_is(bw_scan_word(&scan), "voxels");
}

static BwResult fail_at_column(const Drawing *drawing, long long column, const char *text)
{
    return bw_fail(drawing->err, BW_ERR_FORMAT, "%s:%lld:%lld: %s", drawing->scan.name, drawing->scan.line,
                   column, text);
}

static BwResult read_view(Drawing *drawing)
{
    bw_scan_word(&drawing->scan); // "voxels"
    BwWord view = bw_scan_word(&drawing->scan);
    drawing->is_front = bw_word_is(view, "front");
    if (!drawing->is_front && !bw_word_is(view, "plan"))
        return bw_fail_word(drawing->err, &drawing->scan, view, "plan or front, how the layers are seen");
    BwWord more = bw_scan_word(&drawing->scan);
    return more.length == 0 || (more.length >= 2 && memcmp(more.text, "--", 2) == 0)
               ? BW_OK
               : bw_fail_word(drawing->err, &drawing->scan, more, "nothing more on this line");
}

static BwResult read_repeat(Drawing *drawing)
{
    BwWord word = bw_scan_word(&drawing->scan);
    if (drawing->row > 0)
        return fail_at_column(drawing, 1, "repeat stands within a layer; an empty line ends one");
    if (bw_word_integer(word, &drawing->repeat) && drawing->repeat >= 1 &&
        drawing->repeat <= BW_VOXELS_SIDE_MAX)
        return BW_OK;
    return bw_fail_word(drawing->err, &drawing->scan, word, "how often, 1 to 1024");
}

static void set_voxel(const Drawing *drawing, long long column, long long layer)
{
    long long y = drawing->is_front ? drawing->rows - 1 - drawing->row : layer,
              z = drawing->is_front ? layer : drawing->row;
    drawing->full[column + drawing->size[0] * (y + drawing->size[1] * z)] = 1;
}

static BwResult read_row(Drawing *drawing, BwWord row)
{
    char text[120];
    if (drawing->columns == 0)
        drawing->columns = row.length;
    for (int n = 0; n < row.length; n++) {
        if (row.text[n] != '#' && row.text[n] != '.') {
            snprintf(text, sizeof text, "a voxel is '%c'; it must be # (full) or . (empty)",
                     row.text[n] >= ' ' && row.text[n] < 127 ? row.text[n] : '?');
            return fail_at_column(drawing, n + 1, text);
        }
        for (long long r = 0; r < drawing->repeat && drawing->full != NULL && row.text[n] == '#'; r++)
            set_voxel(drawing, n, drawing->layers + r);
    }
    drawing->row++;
    if (row.length == drawing->columns)
        return BW_OK;
    snprintf(text, sizeof text, "the row has %d voxels, the first has %lld; all must be as long", row.length,
             drawing->columns);
    return fail_at_column(drawing, row.length < drawing->columns ? row.length + 1 : drawing->columns + 1,
                          text);
}

static BwResult end_layer(Drawing *drawing)
{
    char text[120];
    if (drawing->row == 0)
        return BW_OK;
    if (drawing->rows == 0)
        drawing->rows = drawing->row;
    if (drawing->row != drawing->rows) {
        snprintf(text, sizeof text,
                 "the layer ends after %lld rows, the first has %lld; all must have as many", drawing->row,
                 drawing->rows);
        return fail_at_column(drawing, 1, text);
    }
    drawing->layers += drawing->repeat;
    drawing->repeat = 1;
    drawing->row = 0;
    return BW_OK;
}

// The line without the blanks at its end, which editors leave and nobody sees; what a comment follows has
// none of its own.
static BwWord whole_line(const BwTextScan *scan)
{
    BwWord line = {scan->at, 0};
    while (scan->at + line.length < scan->end && line.text[line.length] != '\n')
        line.length++;
    while (line.length > 0 && (line.text[line.length - 1] == ' ' || line.text[line.length - 1] == '\r' ||
                               line.text[line.length - 1] == '\t'))
        line.length--;
    return line;
}

static BwResult read_line(Drawing *drawing)
{
    BwWord line = whole_line(&drawing->scan);
    if (line.length == 0)
        return end_layer(drawing);
    if (line.length >= 2 && memcmp(line.text, "--", 2) == 0)
        return BW_OK;
    if (line.length >= 6 && memcmp(line.text, "repeat", 6) == 0) {
        bw_scan_word(&drawing->scan);
        return read_repeat(drawing);
    }
    if (line.length > BW_VOXELS_SIDE_MAX)
        return fail_at_column(drawing, BW_VOXELS_SIDE_MAX + 1, "a row has at most 1024 voxels");
    return read_row(drawing, line);
}

// Once to measure it, once to fill in the voxels.
static BwResult read_layers(Drawing *drawing, const BwFileBytes *file)
{
    drawing->scan = bw_text_scan(file->name, file->bytes, file->size);
    drawing->layers = drawing->row = 0;
    drawing->repeat = 1;
    BW_TRY(read_view(drawing));
    while (bw_scan_next_line(&drawing->scan))
        BW_TRY(read_line(drawing));
    return end_layer(drawing);
}

static BwResult check_size(Drawing *drawing)
{
    const long long size[3] = {drawing->columns, drawing->is_front ? drawing->rows : drawing->layers,
                               drawing->is_front ? drawing->layers : drawing->rows};
    memcpy(drawing->size, size, sizeof size);
    for (int a = 0; a < 3; a++)
        if (size[a] > BW_VOXELS_SIDE_MAX)
            return bw_fail(drawing->err, BW_ERR_FORMAT,
                           "%s is %lld x %lld x %lld voxels; at most 1024 a side are read",
                           drawing->scan.name, size[0], size[1], size[2]);
    if (size[0] * size[1] * size[2] > BW_VOXELS_MAX)
        return bw_fail(drawing->err, BW_ERR_FORMAT, "%s holds %lld voxels; at most %d are read",
                       drawing->scan.name, size[0] * size[1] * size[2], BW_VOXELS_MAX);
    return BW_OK;
}

// One layer seen from the front is a profile for flat scenes: it reaches as far to both sides of z = 0 as it
// is long.
static void stretch_profile(const Drawing *drawing, BwMesh *mesh)
{
    float reach = (float)(drawing->columns > drawing->rows ? drawing->columns : drawing->rows);
    for (int64_t n = 0; n < mesh->point_count && drawing->is_front && drawing->layers == 1; n++)
        mesh->points[n].z = mesh->points[n].z > 0.5f ? reach : -reach;
}

BwResult bw_mesh_read_voxel_drawing(BwMesh *mesh, const BwFileBytes *file, BwError *err)
{
    Drawing drawing = {.err = err};
    BW_TRY(read_layers(&drawing, file));
    BW_TRY(check_size(&drawing));
    size_t count = (size_t)(drawing.size[0] * drawing.size[1] * drawing.size[2]);
    if (count == 0)
        return BW_OK; // as one without a full voxel: whoever asked says so
    drawing.full = bw_alloc_zeroed(&mesh->allocator, count, BW_ALIGN);
    if (drawing.full == NULL)
        return bw_fail_memory(err);
    BwResult result = read_layers(&drawing, file);
    if (result == BW_OK)
        result = bw_mesh_add_voxels(mesh, drawing.full, drawing.size, err);
    if (result == BW_OK)
        stretch_profile(&drawing, mesh);
    bw_free(&mesh->allocator, drawing.full, count, BW_ALIGN);
    return result;
}
