// Patches first, along each axis, then two octaves of noise, the first as wide as two pixels.
#include "solid/heights_detail.h"

#include "scene/noise.h"

// Of one octave of the noise where y and t are whole: its square root of the mean of squares.
static const double noise_rms = 0.2625;
static const double first_pixels = 2.0;

// Noise higher than this many pixels, in features of two and one, is needles and no ground: slopes steeper
// than 85 degrees, between which the nodes of the distance miss most sides.
static const float detail_max = 4.0f;

BwResult bw_heights_check_detail(const BwFileBytes *file, float detail, BwError *err)
{
    if (detail <= detail_max)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "%s: detail is %g times scale, the way between two pixels; its features are one and two "
                   "of these wide, and it must be %g of them high at most",
                   file->name, (double)detail, (double)detail_max);
}

// The heights before; between pixels, and beyond the rim as at it.
static float patch_at(const BwHeights *heights, double column, double row)
{
    const double at[2] = {column, row};
    const int count[2] = {heights->columns, heights->rows};
    double weights[2][4], sum = 0.0;
    int first[2];
    for (int a = 0; a < 2; a++) {
        double t = at[a] - floor(at[a]), s = t * t, c = s * t;
        first[a] = (int)floor(at[a]) - 1;
        weights[a][0] = 0.5 * (-c + 2.0 * s - t);
        weights[a][1] = 0.5 * (3.0 * c - 5.0 * s + 2.0);
        weights[a][2] = 0.5 * (-3.0 * c + 4.0 * s + t);
        weights[a][3] = 0.5 * (c - s);
    }
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            int x = first[0] + i, z = first[1] + k;
            x = x < 0 ? 0 : x >= count[0] ? count[0] - 1 : x;
            z = z < 0 ? 0 : z >= count[1] ? count[1] - 1 : z;
            sum += weights[0][i] * weights[1][k] * (double)heights->values[(int64_t)z * count[0] + x];
        }
    return (float)sum;
}

static float noise_at(double column, double row)
{
    const double share = 1.0 / (noise_rms * sqrt(1.25)); // of both octaves, the second half as high
    double x = column / first_pixels, z = row / first_pixels;
    return (float)(share * ((double)bw_noise(x + 0.5, 0.0, z + 0.5, 0.0) +
                            0.5 * (double)bw_noise(2.0 * x + 0.25, 7.0, 2.0 * z + 0.25, 0.0)));
}

BwResult bw_heights_add_detail(BwHeights *heights, const BwFileBytes *file, float detail, BwError *err)
{
    BwHeights fine = {.allocator = heights->allocator};
    long long columns = BW_HEIGHTS_FINER * (heights->columns - 1) + 1,
              rows = heights->rows > 1 ? BW_HEIGHTS_FINER * (heights->rows - 1) + 1 : 1;
    if (columns > BW_HEIGHTS_SIDE_MAX || rows > BW_HEIGHTS_SIDE_MAX)
        return bw_fail(err, BW_ERR_FORMAT,
                       "%s is %d x %d pixels; with detail it must be %d wide and high at most", file->name,
                       heights->columns, heights->rows, (BW_HEIGHTS_SIDE_MAX - 1) / BW_HEIGHTS_FINER + 1);
    BW_TRY(bw_heights_create(&fine, file, columns, rows, err));
    for (int k = 0; k < fine.rows; k++)
        for (int i = 0; i < fine.columns; i++) {
            double column = (double)i / BW_HEIGHTS_FINER, row = (double)k / BW_HEIGHTS_FINER;
            fine.values[(int64_t)k * fine.columns + i] =
                patch_at(heights, column, row) + detail * noise_at(column, row);
        }
    bw_heights_free(heights);
    *heights = fine;
    return BW_OK;
}
