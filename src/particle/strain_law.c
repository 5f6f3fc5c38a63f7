// The strain of one place over a step.
#include "particle/strain_law.h"

#include <math.h>

// The gradient of a step is no larger: liquid would be turned inside out.
static const float gradient_max = 0.9f;

// Liquid that is stretched farther has come apart: its parts are no longer neighbours on the grid.
static const double torn_strain = 2.0;

// f = 1 + dt grad u.
static void find_stretch(const BwStretchRate *rate, int axes, float dt, double f[3][3])
{
    float step[3][3] = {{0.0f}}, most = 0.0f;
    for (int a = 0; a < axes; a++)
        step[a][a] = dt * rate->diagonal[a];
    for (int e = axes == 3 ? 0 : 2; e < 3; e++) {
        int a = e == 0 ? 1 : 0, b = e == 2 ? 1 : 2;
        step[a][b] = dt * rate->shear[e] + dt * rate->spin[e];
        step[b][a] = dt * rate->shear[e] - dt * rate->spin[e];
    }
    for (int a = 0; a < axes; a++)
        for (int b = 0; b < axes; b++)
            most = fmaxf(most, fabsf(step[a][b]));
    float part = most > gradient_max ? gradient_max / most : 1.0f;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            f[a][b] = (a == b ? 1.0 : 0.0) + (double)(part * step[a][b]);
}

// Where the components of a symmetric tensor stand.
static const int place_of[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

// b to f b f'.
static void stretch(double b[3][3], const double f[3][3])
{
    double half[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = f[i][0] * b[0][j] + f[i][1] * b[1][j] + f[i][2] * b[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b[i][j] = half[i][0] * f[j][0] + half[i][1] * f[j][1] + half[i][2] * f[j][2];
}

// What makes the determinant 1: its power of -1 / axes, by Newton's method. In the plane b[2][2] is 1 and
// stays so.
static double unit_scale(double b[3][3], int axes)
{
    double det = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                 b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                 b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    if (!(det > 1e-3 && det < 1e3))
        return 1.0;
    if (axes == 2)
        return 1.0 / sqrt(det);
    double scale = det > 1.0 ? 1.0 / det : 1.0;
    for (int n = 0; n < 20; n++) {
        double excess = det * scale * scale * scale - 1.0;
        scale -= scale * excess / 3.0;
        if (fabs(excess) < 1e-8) // what is left is its square
            break;
    }
    return scale;
}

// What is above the yield fades.
static double kept_part(double b[3][3], BwYield yield)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double strain = 0.5 * (b[i][j] - (i == j ? 1.0 : 0.0));
            sum += strain * strain;
        }
    double norm = sqrt(sum), limit = (double)yield.strain;
    double kept = norm > limit ? limit + (norm - limit) * (double)yield.keep : norm;
    kept = fmin(kept, torn_strain);
    return norm > 0.0 ? kept / norm : 1.0;
}

void bw_strain_step(float strain[BW_STRAIN_COMPONENTS], int axes, const BwStretchRate *rate, float dt,
                    BwYield yield)
{
    double f[3][3], b[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < axes; i++)
        for (int j = 0; j < axes; j++)
            b[i][j] += 2.0 * (double)strain[place_of[i][j]];
    find_stretch(rate, axes, dt, f);
    stretch(b, f);
    double scale = unit_scale(b, axes);
    for (int i = 0; i < axes; i++)
        for (int j = 0; j < axes; j++)
            b[i][j] *= scale;
    double part = rate->is_whole ? kept_part(b, yield) : 0.0;
    for (int i = 0; i < axes; i++)
        for (int j = i; j < axes; j++) {
            float left = (float)(0.5 * part * (b[i][j] - (i == j ? 1.0 : 0.0)));
            strain[place_of[i][j]] = fminf(fmaxf(left, i == j ? -0.5f : -BW_STRAIN_MAX), BW_STRAIN_MAX);
        }
}
