// VTK images (.vti), as VTK's XML file formats describe them: a head in XML, then every array as its size in
// bytes and its numbers.
//
// Points are cell centres, and extents are cell indices, so that a box far from the origin keeps its exact
// place. The box is written row by row and never held in memory. Rows run along x, which no turn changes.
#include "base/file.h"
#include "base/need.h"
#include "base/number_text.h"
#include "export/volume.h"
#include "export/vtk.h"
#include "grid/frame_check.h"

#include <inttypes.h>
#include <math.h>

#define VALUES_MAX INT32_MAX

// Cells of the file, high end excluded; its axes are those of the file.
typedef struct Box {
    int64_t low[3], high[3];
} Box;

typedef struct Image {
    const BwFrame *frame;
    const BwVolumeDef *def;
    Box box;
    BwVolumeVelocity velocity;
    BwVolumeColor color;
    float *rows; // five of one number a cell and one more, then one of vectors
    FILE *stream;
} Image;

static int64_t box_side(const Box *box, int axis)
{
    return box->high[axis] - box->low[axis];
}

static int64_t cell_count(const Box *box)
{
    return box_side(box, 0) * box_side(box, 1) * box_side(box, 2);
}

static size_t row_length(const Image *image)
{
    return (size_t)box_side(&image->box, 0) + 1;
}

static void grow_box(Box *box, int64_t x, int64_t y, int64_t z)
{
    const int64_t at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) {
        box->low[a] = at[a] < box->low[a] ? at[a] : box->low[a];
        box->high[a] = at[a] + 1 > box->high[a] ? at[a] + 1 : box->high[a];
    }
}

static Box live_box(const BwFrame *frame, BwUp up)
{
    Box box = {{INT64_MAX, INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN, INT64_MIN}};
    for (int32_t tile = 0; tile < frame->tile_count; tile++) {
        BwTileCoord at = frame->tiles[tile];
        for (int n = 0; n < 64 * frame->layers; n++) {
            if (!bw_volume_is_live(frame, tile, n))
                continue;
            int64_t i = 8 * (int64_t)at.x + (n & 7), j = 8 * (int64_t)at.y + (n >> 3 & 7);
            int64_t k = (int64_t)at.z * frame->layers + (n >> 6);
            grow_box(&box, i, up == BW_UP_Z ? -k - 1 : j, up == BW_UP_Z ? j : k);
        }
    }
    return box.low[0] < box.high[0] ? box : (Box){0};
}

// The velocity's component along an axis of the file, as it sits on faces; NULL where the frame has none, or
// nobody asks for faces.
static const BwFrameField *component_on_faces(const Image *image, int axis)
{
    const BwVolumeVelocity *velocity = &image->velocity;
    if (!image->def->faces || velocity->u == NULL || velocity->u->location == BW_AT_CELL)
        return NULL;
    if (image->def->up == BW_UP_Z)
        return axis == 0 ? velocity->u : axis == 1 ? velocity->w : velocity->v;
    return axis == 0 ? velocity->u : axis == 1 ? velocity->v : velocity->w;
}

// Numbers a point holds.
static int value_count(const Image *image)
{
    int count = (image->velocity.u != NULL ? 3 : 0) + (image->color.part[0] != NULL ? 3 : 0);
    for (int axis = 0; axis < 3; axis++)
        count += component_on_faces(image, axis) != NULL;
    for (int n = 0; n < image->frame->field_count; n++)
        count += bw_volume_holds(&image->frame->fields[n]);
    return count;
}

static BwResult check_size(const Image *image, const char *path, BwError *err)
{
    const Box *box = &image->box;
    double values = (double)value_count(image);
    for (int a = 0; a < 3; a++)
        values *= (double)box_side(box, a);
    if (values <= (double)VALUES_MAX)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF,
                   "%s: the box around the live cells has %" PRId64 " x %" PRId64 " x %" PRId64
                   " cells, which makes %.3g numbers; a VTK image is dense and holds at most %.3g: use "
                   "OpenVDB, which is sparse",
                   path, box_side(box, 0), box_side(box, 1), box_side(box, 2), values, (double)VALUES_MAX);
}

static void write_extent(const Image *image, const char *name)
{
    fprintf(image->stream, "%s=\"", name);
    for (int a = 0; a < 3; a++)
        fprintf(image->stream, "%s%" PRId64 " %" PRId64, a > 0 ? " " : "", image->box.low[a],
                image->box.high[a] - 1);
    fputc('"', image->stream);
}

// Says where an array begins in the appended part, and returns where the next one will.
static uint64_t announce_array(const Image *image, const char *name, int components, uint64_t offset)
{
    fprintf(image->stream,
            "        <DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%" PRIu64 "\"/>\n",
            name, components, offset);
    return offset + sizeof offset + (uint64_t)cell_count(&image->box) * (uint64_t)components * sizeof(float);
}

static const char *const face_names[3] = {"u", "v", "w"};

static void announce_arrays(const Image *image)
{
    const BwFrame *frame = image->frame;
    uint64_t offset = 0;
    for (int n = 0; n < frame->field_count; n++)
        if (bw_volume_holds(&frame->fields[n]))
            offset = announce_array(image, frame->fields[n].name, 1, offset);
    if (image->color.part[0] != NULL)
        offset = announce_array(image, "color", 3, offset);
    if (image->velocity.u != NULL)
        offset = announce_array(image, "vel", 3, offset);
    for (int axis = 0; axis < 3; axis++)
        if (component_on_faces(image, axis) != NULL)
            offset = announce_array(image, face_names[axis], 1, offset);
}

static void write_head(const Image *image)
{
    FILE *stream = image->stream;
    double h = (double)image->frame->cell_size;
    char cell[BW_NUMBER_TEXT_SIZE], half[BW_NUMBER_TEXT_SIZE];
    bw_number_print(cell, 17, h);
    bw_number_print(half, 17, 0.5 * h);
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n"
            "<!-- Billow %s: metres and seconds, %s up, points are cell centres -->\n"
            "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n",
            bw_version(), image->def->up == BW_UP_Z ? "z" : "y", bw_vtk_byte_order());
    write_extent(image, "  <ImageData WholeExtent");
    fprintf(stream, " Origin=\"%s %s %s\" Spacing=\"%s %s %s\">\n", half, half, half, cell, cell, cell);
    bw_vtk_write_time(stream, image->frame->time);
    write_extent(image, "    <Piece Extent");
    fputs(">\n      <PointData>\n", stream);
    announce_arrays(image);
    fputs("      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n    _",
          stream);
}

// A cell that is not live shows the background; a face of it may belong to a live neighbour.
static float value_at(const BwFrame *frame, const BwFrameField *field, int32_t tile, int n)
{
    if (tile < 0 || (field->location == BW_AT_CELL && !bw_volume_is_live(frame, tile, n)))
        return field->background;
    return field->values[(size_t)tile * 64 * (size_t)frame->layers + (size_t)n];
}

// One row of a field, at cells (j, k) of the frame, with the first value after it.
static void gather_row(const Image *image, const BwFrameField *field, int64_t j, int64_t k, float *row)
{
    const BwFrame *frame = image->frame;
    int64_t low = image->box.low[0], high = image->box.high[0];
    bool is_flat = frame->layers == 1;
    int first = (is_flat ? 0 : 64 * (int)(k & 7)) + 8 * (int)(j & 7);
    for (int64_t i = low; i <= high;) {
        BwTileCoord coord = {(int32_t)(i >> 3), (int32_t)(j >> 3), (int32_t)(is_flat ? k : k >> 3)};
        int32_t tile = bw_frame_find_tile(frame, coord);
        for (int64_t end = (i | 7) + 1; i < end && i <= high; i++)
            row[i - low] = value_at(frame, field, tile, first + (int)(i & 7));
    }
}

// Velocity at the centres of a row: the mean of each cell's two faces along every axis.
static void average_faces(const Image *image, int64_t j, int64_t k)
{
    size_t length = row_length(image);
    float *u = image->rows, *v = u + length, *v_above = v + length, *w = v_above + length;
    float *w_behind = w + length, *out = w_behind + length;
    gather_row(image, image->velocity.u, j, k, u);
    gather_row(image, image->velocity.v, j, k, v);
    gather_row(image, image->velocity.v, j + 1, k, v_above);
    if (image->velocity.w != NULL) {
        gather_row(image, image->velocity.w, j, k, w);
        gather_row(image, image->velocity.w, j, k + 1, w_behind);
    }
    for (size_t n = 0; n + 1 < length; n++) {
        BwVec3 mean = {0.5f * (u[n] + u[n + 1]), 0.5f * (v[n] + v_above[n]), 0.0f};
        if (image->velocity.w != NULL)
            mean.z = 0.5f * (w[n] + w_behind[n]);
        mean = bw_volume_turn(mean, image->def->up);
        memcpy(out + 3 * n, &mean, sizeof mean);
    }
}

// The colours of a row, each cell's three together.
static void interleave_colors(const Image *image, int64_t j, int64_t k)
{
    size_t length = row_length(image);
    float *out = image->rows + 5 * length;
    for (int c = 0; c < 3; c++) {
        gather_row(image, image->color.part[c], j, k, image->rows);
        for (size_t n = 0; n + 1 < length; n++)
            out[3 * n + (size_t)c] = image->rows[n];
    }
}

// What an array holds.
typedef enum Kind { NUMBERS, COLORS, VELOCITIES } Kind;

static void write_row(const Image *image, Kind kind, const BwFrameField *field, int64_t j, int64_t k)
{
    size_t count = row_length(image) - 1;
    if (kind == NUMBERS) {
        gather_row(image, field, j, k, image->rows);
        fwrite(image->rows, sizeof(float), count, image->stream);
        return;
    }
    if (kind == COLORS)
        interleave_colors(image, j, k);
    else
        average_faces(image, j, k);
    fwrite(image->rows + 5 * row_length(image), sizeof(float), 3 * count, image->stream);
}

// The field's numbers; it is NULL for vectors. A stream that has failed gets no more rows.
static void write_array(const Image *image, Kind kind, const BwFrameField *field)
{
    const Box *box = &image->box;
    uint64_t bytes = (uint64_t)cell_count(box) * (kind == NUMBERS ? 1 : 3) * sizeof(float);
    fwrite(&bytes, sizeof bytes, 1, image->stream);
    for (int64_t z = box->low[2]; z < box->high[2] && !ferror(image->stream); z++)
        for (int64_t y = box->low[1]; y < box->high[1]; y++)
            if (image->def->up == BW_UP_Z)
                write_row(image, kind, field, z, -y - 1);
            else
                write_row(image, kind, field, y, z);
}

// One component on the low faces of all cells. Where the scene is turned, the low face along the file's y is
// the high face along z, and the speed there is turned too.
static void write_faces(const Image *image, int axis)
{
    const Box *box = &image->box;
    const BwFrameField *field = component_on_faces(image, axis);
    size_t count = row_length(image) - 1;
    uint64_t bytes = (uint64_t)cell_count(box) * sizeof(float);
    bool is_turned = image->def->up == BW_UP_Z, is_mirrored = is_turned && axis == 1;
    fwrite(&bytes, sizeof bytes, 1, image->stream);
    for (int64_t z = box->low[2]; z < box->high[2] && !ferror(image->stream); z++)
        for (int64_t y = box->low[1]; y < box->high[1]; y++) {
            int64_t j = is_turned ? z : y, k = is_turned ? -y - 1 : z;
            gather_row(image, field, j, is_mirrored ? k + 1 : k, image->rows);
            for (size_t n = 0; n < count && is_mirrored; n++)
                image->rows[n] = -image->rows[n];
            fwrite(image->rows, sizeof(float), count, image->stream);
        }
}

static void write_image(const Image *image)
{
    const BwFrame *frame = image->frame;
    write_head(image);
    for (int n = 0; n < frame->field_count; n++)
        if (bw_volume_holds(&frame->fields[n]))
            write_array(image, NUMBERS, &frame->fields[n]);
    if (image->color.part[0] != NULL)
        write_array(image, COLORS, NULL);
    if (image->velocity.u != NULL)
        write_array(image, VELOCITIES, NULL);
    for (int axis = 0; axis < 3; axis++)
        if (component_on_faces(image, axis) != NULL)
            write_faces(image, axis);
    fputs("\n  </AppendedData>\n</VTKFile>\n", image->stream);
}

static BwResult save_image(Image *image, const char *path, BwError *err)
{
    const BwAllocator *allocator = &image->def->allocator;
    size_t size = 8 * row_length(image) * sizeof *image->rows;
    BwFileWriter writer;
    image->rows = bw_alloc(allocator, size, BW_ALIGN);
    if (image->rows == NULL)
        return bw_fail_memory(err);
    BwResult result = bw_file_begin(&writer, allocator, path, err);
    if (result == BW_OK) {
        image->stream = writer.stream;
        write_image(image);
        result = bw_file_commit(&writer, err);
    }
    bw_free(allocator, image->rows, size, BW_ALIGN);
    return result;
}

BwResult bw_volume_save_vti(const BwFrame *frame, const BwVolumeDef *def, const char *path, BwError *err)
{
    BwVolumeDef checked;
    BW_TRY(bw_frame_check(frame, err));
    BW_TRY(bw_need(path, "the path of the volume", err));
    BW_TRY(bw_volume_check(&checked, def, err));
    BW_TRY(bw_volume_check_names(frame, err));
    Image image = {.frame = frame,
                   .def = &checked,
                   .box = live_box(frame, checked.up),
                   .velocity = bw_volume_velocity(frame),
                   .color = bw_volume_color(frame)};
    BW_TRY(check_size(&image, path, err));
    return save_image(&image, path, err);
}
