// Values of a frame's field at points and in boxes of cells.
#include "base/need.h"
#include "grid/frame_check.h"
#include "grid/sample.h"

#include <math.h>
#include <string.h>

// Cells farther from the origin than this have no tile.
#define CELLS_MAX 1e9

// One field of a frame, and where its samples sit.
typedef struct Source {
    const BwFrame *frame;
    const BwFrameField *field;
} Source;

// A cell that is not live has no value at its centre; its faces may be those of a live neighbour.
static float value_in_tile(const Source *source, int32_t tile, int n)
{
    const BwFrame *frame = source->frame;
    bool is_there = tile >= 0 && (source->field->location != BW_AT_CELL ||
                                  (frame->live[tile][n >> 6] >> (n & 63) & 1) != 0);
    return is_there ? source->field->values[(size_t)tile * 64 * (size_t)frame->layers + (size_t)n]
                    : source->field->background;
}

static int32_t tile_of(const Source *source, int64_t i, int64_t j, int64_t k)
{
    bool is_flat = source->frame->layers == 1;
    BwTileCoord coord = {(int32_t)(i >> 3), (int32_t)(j >> 3), (int32_t)(is_flat ? k : k >> 3)};
    return bw_frame_find_tile(source->frame, coord);
}

static int cell_in_tile(const Source *source, int64_t i, int64_t j, int64_t k)
{
    return (source->frame->layers == 1 ? 0 : 64 * (int)(k & 7)) + 8 * (int)(j & 7) + (int)(i & 7);
}

static float value_at(const Source *source, int64_t i, int64_t j, int64_t k)
{
    return value_in_tile(source, tile_of(source, i, j, k), cell_in_tile(source, i, j, k));
}

static BwResult find_source(Source *source, const BwFrame *frame, const char *name, BwError *err)
{
    BW_TRY(bw_frame_check_fields(frame, err));
    BW_TRY(bw_need(name, "the name of the field", err));
    *source = (Source){frame, bw_frame_field(frame, name)};
    if (source->field == NULL)
        return bw_fail(err, BW_ERR_DEF, "the frame has no field \"%s\"", name);
    return BW_OK;
}

// The samples on both sides of a point along each axis, and how far it is from the lower one.
typedef struct Cube {
    int64_t low[3];
    double share[3];
} Cube;

static Cube cube_around(const Source *source, const double point[3])
{
    Cube cube = {{0, 0, 0}, {0.0, 0.0, 0.0}};
    for (int a = 0; a < source->frame->dimension; a++) {
        double at = point[a] / (double)source->frame->cell_size -
                    (double)bw_location_shift(source->field->location, a);
        at = fmin(fmax(at, -CELLS_MAX), CELLS_MAX);
        cube.low[a] = (int64_t)floor(at);
        cube.share[a] = at - floor(at);
    }
    return cube;
}

static double between(double low, double high, double share)
{
    return low + share * (high - low);
}

// Samples that have no weight are not read: beyond the last tile they would be the background.
static double along_x(const Source *source, const Cube *cube, int64_t j, int64_t k)
{
    double low = (double)value_at(source, cube->low[0], j, k);
    return cube->share[0] > 0.0
               ? between(low, (double)value_at(source, cube->low[0] + 1, j, k), cube->share[0])
               : low;
}

static double along_xy(const Source *source, const Cube *cube, int64_t k)
{
    double low = along_x(source, cube, cube->low[1], k);
    return cube->share[1] > 0.0 ? between(low, along_x(source, cube, cube->low[1] + 1, k), cube->share[1])
                                : low;
}

BwResult bw_frame_sample(const BwFrame *frame, const char *name, const double point[3], float *value,
                         BwError *err)
{
    Source source;
    BW_TRY(find_source(&source, frame, name, err));
    BW_TRY(bw_need(point, "the point", err));
    BW_TRY(bw_need(value, "the place for the value", err));
    for (int a = 0; a < frame->dimension; a++)
        if (!isfinite(point[a]))
            return bw_fail(err, BW_ERR_DEF, "the point is (%g, %g, %g) m; it must be finite", point[0],
                           point[1], point[2]);
    Cube cube = cube_around(&source, point);
    double low = along_xy(&source, &cube, cube.low[2]);
    *value =
        (float)(cube.share[2] > 0.0 ? between(low, along_xy(&source, &cube, cube.low[2] + 1), cube.share[2])
                                    : low);
    return BW_OK;
}

// Tile by tile along a row.
static void copy_row(const Source *source, int64_t low, int64_t high, int64_t j, int64_t k, float *row)
{
    for (int64_t i = low; i < high;) {
        int32_t tile = tile_of(source, i, j, k);
        for (int64_t end = (i | 7) + 1; i < end && i < high; i++)
            row[i - low] = value_in_tile(source, tile, cell_in_tile(source, i, j, k));
    }
}

static BwResult check_box(const int32_t low[3], const int32_t high[3], int64_t count, BwError *err)
{
    double wanted = 1.0;
    for (int a = 0; a < 3; a++) {
        if (low[a] > high[a])
            return bw_fail(err, BW_ERR_DEF, "the box of cells goes from %d to %d along axis %d", low[a],
                           high[a], a);
        wanted *= (double)((int64_t)high[a] - low[a]);
    }
    if ((double)count == wanted)
        return BW_OK;
    return bw_fail(err, BW_ERR_DEF, "there is room for %lld values; the box of cells has %.0f",
                   (long long)count, wanted);
}

BwResult bw_frame_copy_dense(const BwFrame *frame, const char *name, const int32_t low[3],
                             const int32_t high[3], float *values, int64_t count, BwError *err)
{
    Source source;
    BW_TRY(find_source(&source, frame, name, err));
    BW_TRY(bw_need(low, "the low corner of the box", err));
    BW_TRY(bw_need(high, "the high corner of the box", err));
    BW_TRY(check_box(low, high, count, err));
    BW_TRY(bw_need_list(values, count, "values", err));
    if (count == 0)
        return BW_OK; // a box without a width may be as high as there are cells
    float *row = values;
    for (int64_t k = low[2]; k < high[2]; k++)
        for (int64_t j = low[1]; j < high[1]; j++) {
            copy_row(&source, low[0], high[0], j, k, row);
            row += (int64_t)high[0] - low[0];
        }
    return BW_OK;
}
