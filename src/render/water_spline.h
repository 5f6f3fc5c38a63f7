// The cubic B-spline over the coefficients of a brick of water.
#pragma once

#include "render/volume.h"
#include "render/water.h"

static inline void bw_spline_weights(float x, float weights[4])
{
    float y = 1.0f - x;
    weights[0] = y * y * y * (1.0f / 6.0f);
    weights[1] = 2.0f / 3.0f - x * x + 0.5f * x * x * x;
    weights[2] = 2.0f / 3.0f - y * y + 0.5f * y * y * y;
    weights[3] = x * x * x * (1.0f / 6.0f);
}

// Their derivatives.
static inline void bw_spline_slopes(float x, float slopes[4])
{
    float y = 1.0f - x;
    slopes[0] = -0.5f * y * y;
    slopes[1] = -2.0f * x + 1.5f * x * x;
    slopes[2] = 2.0f * y - 1.5f * y * y;
    slopes[3] = 0.5f * x * x;
}

// Where a place lies among the coefficients: the first of four along each axis, and the way between the
// middle two. Rounding may put a place a hair outside of the brick, no more.
typedef struct BwSplinePlace {
    int index;
    float rest[3];
} BwSplinePlace;

static inline BwSplinePlace bw_spline_place(const float at[3])
{
    BwSplinePlace place;
    int first[3];
    for (int a = 0; a < 3; a++) {
        float x = at[a] + 1.5f; // the first coefficient is that of a cell two before the brick
        int n = (int)x;
        n = n < 1 ? 1 : n > BW_BRICK + 1 ? BW_BRICK + 1 : n;
        place.rest[a] = x - (float)n;
        first[a] = n - 1;
    }
    place.index = (first[2] * BW_WATER_SIDE + first[1]) * BW_WATER_SIDE + first[0];
    return place;
}

static inline BwFloat4 bw_spline_row(const float *values)
{
    BwFloat4 row;
    memcpy(&row, values, sizeof row);
    return row;
}

static inline float bw_spline_dot(const float weights[4], BwFloat4 row)
{
    return (weights[0] * row[0] + weights[1] * row[1]) + (weights[2] * row[2] + weights[3] * row[3]);
}

// The value at a place in cells from the low corner of the brick.
static inline float bw_spline_value(const float *values, const float at[3])
{
    BwSplinePlace place = bw_spline_place(at);
    float x[4], y[4], z[4];
    bw_spline_weights(place.rest[0], x);
    bw_spline_weights(place.rest[1], y);
    bw_spline_weights(place.rest[2], z);
    BwFloat4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 4; k++) {
        const float *from = values + place.index + k * BW_WATER_SIDE * BW_WATER_SIDE;
        BwFloat4 layer = y[0] * bw_spline_row(from) + y[1] * bw_spline_row(from + BW_WATER_SIDE) +
                         y[2] * bw_spline_row(from + 2 * BW_WATER_SIDE) +
                         y[3] * bw_spline_row(from + 3 * BW_WATER_SIDE);
        sum += z[k] * layer;
    }
    return bw_spline_dot(x, sum);
}

static inline BwVec3 bw_spline_gradient(const float *values, const float at[3])
{
    BwSplinePlace place = bw_spline_place(at);
    float x[4], y[4], z[4], dx[4], dy[4], dz[4];
    bw_spline_weights(place.rest[0], x);
    bw_spline_weights(place.rest[1], y);
    bw_spline_weights(place.rest[2], z);
    bw_spline_slopes(place.rest[0], dx);
    bw_spline_slopes(place.rest[1], dy);
    bw_spline_slopes(place.rest[2], dz);
    BwFloat4 sum = {0.0f, 0.0f, 0.0f, 0.0f}, sum_y = sum, sum_z = sum;
    for (int k = 0; k < 4; k++) {
        const float *from = values + place.index + k * BW_WATER_SIDE * BW_WATER_SIDE;
        BwFloat4 a = bw_spline_row(from), b = bw_spline_row(from + BW_WATER_SIDE),
                 c = bw_spline_row(from + 2 * BW_WATER_SIDE), d = bw_spline_row(from + 3 * BW_WATER_SIDE);
        BwFloat4 layer = y[0] * a + y[1] * b + y[2] * c + y[3] * d;
        sum += z[k] * layer;
        sum_y += z[k] * (dy[0] * a + dy[1] * b + dy[2] * c + dy[3] * d);
        sum_z += dz[k] * layer;
    }
    return bw_vec3(bw_spline_dot(dx, sum), bw_spline_dot(x, sum_y), bw_spline_dot(x, sum_z));
}

// A rougher value, linear between the coefficients: the spline would be smoother by up to a sixth of a cell.
static inline float bw_linear_value(const float *values, const float at[3])
{
    BwSplinePlace place = bw_spline_place(at);
    const float *a = values + place.index + (BW_WATER_SIDE + 1) * BW_WATER_SIDE + 1, *b = a + BW_WATER_SIDE,
                *c = a + BW_WATER_SIDE * BW_WATER_SIDE, *d = c + BW_WATER_SIDE;
    float x = place.rest[0], y = place.rest[1];
    float low = a[0] + x * (a[1] - a[0]), low_up = b[0] + x * (b[1] - b[0]);
    float high = c[0] + x * (c[1] - c[0]), high_up = d[0] + x * (d[1] - d[0]);
    low += y * (low_up - low);
    high += y * (high_up - high);
    return low + place.rest[2] * (high - low);
}
