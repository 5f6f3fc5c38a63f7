// The cubic along one axis after the other, the slowest first, so that the inner loops run over neighbours.
#include "render/refine.h"

#include <math.h>
#include <string.h>

void bw_cube_fill(BwCube *cube, float value)
{
    for (int n = 0; n < cube->side * cube->side * cube->side; n++)
        cube->values[n] = value;
}

void bw_cube_copy(BwCube *cube, const float *tile, const int32_t begin[3])
{
    int32_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
        int32_t end = cube->low[a] + cube->side;
        from[a] = begin[a] > cube->low[a] ? begin[a] : cube->low[a];
        to[a] = begin[a] + BW_TILE < end ? begin[a] + BW_TILE : end;
    }
    for (int32_t k = from[2]; k < to[2]; k++)
        for (int32_t j = from[1]; j < to[1]; j++) {
            int32_t row = ((k - cube->low[2]) * cube->side + (j - cube->low[1])) * cube->side;
            int32_t tile_row = ((k - begin[2]) * BW_TILE + (j - begin[1])) * BW_TILE;
            memcpy(cube->values + row + (from[0] - cube->low[0]), tile + tile_row + (from[0] - begin[0]),
                   (size_t)(to[0] - from[0]) * sizeof *tile);
        }
}

BwCube bw_cube_to_refine(const int32_t low[3], int refine)
{
    int rim = refine == 1 ? 0 : 2;
    BwCube cube;
    cube.side = refine == 1 ? BW_BRICK_SIDE : BW_BRICK / refine + 4;
    for (int a = 0; a < 3; a++)
        cube.low[a] = low[a] - rim;
    return cube;
}

// The weights of the four values round a place that lies `x` of the way from the second to the third.
static void cubic_weights(float x, float b, float weights[4])
{
    float c = 0.5f * (1.0f - b);
    for (int n = 0; n < 4; n++) {
        float d = fabsf(x + 1.0f - (float)n);
        float near = (12.0f - 9.0f * b - 6.0f * c) * d * d * d + (-18.0f + 12.0f * b + 6.0f * c) * d * d +
                     (6.0f - 2.0f * b);
        float far = (-b - 6.0f * c) * d * d * d + (6.0f * b + 30.0f * c) * d * d +
                    (-12.0f * b - 48.0f * c) * d + (8.0f * b + 24.0f * c);
        weights[n] = (d < 1.0f ? near : far) / 6.0f;
    }
}

// Where the points along an axis lie among the values: the first of four, and their weights.
typedef struct Taps {
    int first[BW_BRICK_SIDE];
    float weights[BW_BRICK_SIDE][4];
} Taps;

static Taps taps_to_refine(int refine, float b)
{
    Taps taps;
    for (int n = 0; n < BW_BRICK_SIDE; n++) {
        float x = ((float)n + 0.5f) / (float)refine - 0.5f;
        taps.first[n] = (int)floorf(x) + 1; // the cube begins two values before the brick
        cubic_weights(x - floorf(x), b, taps.weights[n]);
    }
    return taps;
}

static Taps taps_to_smooth(float b)
{
    Taps taps;
    for (int n = 0; n < BW_BRICK_SIDE; n++) {
        taps.first[n] = n;
        cubic_weights(0.0f, b, taps.weights[n]);
    }
    return taps;
}

// `side` layers of `size` values become nine.
static void along_layers(const float *restrict from, int size, const Taps *taps, float *restrict to)
{
    for (int n = 0; n < BW_BRICK_SIDE; n++) {
        const float *a = from + taps->first[n] * size, *b = a + size, *c = b + size, *d = c + size;
        const float *w = taps->weights[n];
        for (int m = 0; m < size; m++)
            to[n * size + m] = w[0] * a[m] + w[1] * b[m] + w[2] * c[m] + w[3] * d[m];
    }
}

static void along_rows(const float *restrict from, int side, int count, const Taps *taps, float *restrict to)
{
    for (int row = 0; row < count; row++)
        for (int n = 0; n < BW_BRICK_SIDE; n++) {
            const float *v = from + row * side + taps->first[n], *w = taps->weights[n];
            to[row * BW_BRICK_SIDE + n] = w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3];
        }
}

static void apply(const BwCube *cube, const Taps *taps, float *points)
{
    enum { SIDE = BW_CUBE_SIDE_MAX };
    float a[BW_BRICK_SIDE * SIDE * SIDE], b[BW_BRICK_SIDE * BW_BRICK_SIDE * SIDE];
    int side = cube->side;
    along_layers(cube->values, side * side, taps, a);
    for (int k = 0; k < BW_BRICK_SIDE; k++)
        along_layers(a + k * side * side, side, taps, b + k * BW_BRICK_SIDE * side);
    along_rows(b, side, BW_BRICK_SIDE * BW_BRICK_SIDE, taps, points);
}

void bw_cube_refine(const BwCube *cube, int refine, float b, float points[BW_BRICK_POINTS])
{
    if (refine == 1) {
        memcpy(points, cube->values, BW_BRICK_POINTS * sizeof *points);
        return;
    }
    Taps taps = taps_to_refine(refine, b);
    apply(cube, &taps, points);
}

void bw_cube_smooth(const BwCube *cube, float b, float points[BW_BRICK_POINTS])
{
    Taps taps = taps_to_smooth(b);
    apply(cube, &taps, points);
}
