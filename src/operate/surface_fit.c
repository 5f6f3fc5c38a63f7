// Normal equations of a few unknowns, solved by Cholesky's method in double.
#include "operate/surface_fit.h"

#include <math.h>
#include <string.h>

enum { MOST = BW_FIT_UNKNOWNS_MAX };

// Added to the diagonal, so that the equations always have an answer; and what the rough curvature counts.
// Points all around that count 1 each are 10 and more for the bend.
static const double ridge = 1e-4, bend_weight = 0.02;

// Rounds for q, which depends on the answer.
enum { ROUNDS = 4 };

// An axis across the normal, far from it.
static BwVec3 any_across(BwVec3 normal)
{
    float x = fabsf(normal.x), y = fabsf(normal.y), z = fabsf(normal.z);
    BwVec3 axis = {(float)(x <= y && x <= z), (float)(y < x && y <= z), (float)(z < x && z < y)};
    return bw_normalize(bw_cross(normal, axis));
}

void bw_surface_fit_begin(BwSurfaceFit *fit, int dimension, BwVec3 origin, BwVec3 normal, float curvature)
{
    memset(fit, 0, sizeof *fit);
    fit->unknowns = dimension == 3 ? 6 : 3;
    fit->origin = origin;
    fit->normal = normal;
    if (dimension == 3) {
        fit->across[0] = any_across(normal);
        fit->across[1] = bw_cross(normal, fit->across[0]);
    } else
        fit->across[0] = bw_vec3(-normal.y, normal.x, 0.0f);
    for (int n = 0; n < fit->unknowns; n++)
        fit->matrix[n][n] = bend_weight;
    fit->matrix[0][0] = fit->matrix[1][1] = fit->matrix[3][3] = ridge;
    fit->height[2] = fit->height[5] = -0.5 * bend_weight * (double)curvature / (dimension - 1);
}

// One equation: the terms of the unknowns, and what they add up to, z less q z^2; and how z moves.
typedef struct Equation {
    double terms[MOST], height, square, motion;
} Equation;

static void add_equation(BwSurfaceFit *fit, const Equation *equation, double weight)
{
    for (int i = 0; i < fit->unknowns; i++) {
        double part = weight * equation->terms[i];
        for (int j = 0; j <= i; j++)
            fit->matrix[i][j] += part * equation->terms[j];
        fit->height[i] += part * equation->height;
        fit->square[i] += part * equation->square;
        fit->motion[i] += part * equation->motion;
    }
}

void bw_surface_fit_add_point(BwSurfaceFit *fit, BwVec3 point, float motion, float weight)
{
    BwVec3 way = bw_sub(point, fit->origin);
    double x = (double)bw_dot(way, fit->across[0]), y = (double)bw_dot(way, fit->across[1]),
           z = (double)bw_dot(way, fit->normal);
    Equation equation = {{1.0, x, x * x, y, x * y, y * y}, z, z * z, (double)motion};
    add_equation(fit, &equation, (double)weight);
    fit->weight += (double)weight;
}

void bw_surface_fit_add_direction(BwSurfaceFit *fit, BwVec3 point, BwVec3 direction, float weight)
{
    BwVec3 way = bw_sub(point, fit->origin);
    double x = (double)bw_dot(way, fit->across[0]), y = (double)bw_dot(way, fit->across[1]),
           z = (double)bw_dot(way, fit->normal);
    double u = (double)bw_dot(direction, fit->across[0]), v = (double)bw_dot(direction, fit->across[1]),
           w = (double)bw_dot(direction, fit->normal);
    Equation equation = {{0.0, u, 2.0 * x * u, v, x * v + y * u, 2.0 * y * v}, w, 2.0 * z * w, 0.0};
    add_equation(fit, &equation, (double)weight);
}

// Factors the matrix in place: the lower triangle becomes Cholesky's.
static void factor(double matrix[MOST][MOST], int count)
{
    for (int j = 0; j < count; j++) {
        for (int k = 0; k < j; k++)
            matrix[j][j] -= matrix[j][k] * matrix[j][k];
        matrix[j][j] = sqrt(fmax(matrix[j][j], 1e-300));
        for (int i = j + 1; i < count; i++) {
            for (int k = 0; k < j; k++)
                matrix[i][j] -= matrix[i][k] * matrix[j][k];
            matrix[i][j] /= matrix[j][j];
        }
    }
}

static void solve(double matrix[MOST][MOST], int count, double *x)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= matrix[i][k] * x[k];
        x[i] /= matrix[i][i];
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++)
            x[i] -= matrix[k][i] * x[k];
        x[i] /= matrix[i][i];
    }
}

// q of a quadric: its curvature along z goes with those across. Both of a sphere, the one of a cylinder.
static double bend_along_normal(const double x[MOST])
{
    double sum = x[2] + x[5], squares = x[2] * x[2] + x[5] * x[5] + 0.5 * x[4] * x[4];
    return squares < sum * sum ? squares / sum : sum;
}

// Of F = z - a - b.t - t.D t - q z^2 where it is 0 above the origin: div (grad F / |grad F|).
static double curvature_of(const double x[MOST], double q)
{
    double z = x[0] + q * x[0] * x[0], slope_z = 1.0 - 2.0 * q * z;
    double length2 = x[1] * x[1] + x[3] * x[3] + slope_z * slope_z;
    double trace = -2.0 * (x[2] + x[5] + q);
    double along =
        -2.0 * (x[2] * x[1] * x[1] + x[5] * x[3] * x[3] + x[4] * x[1] * x[3] + q * slope_z * slope_z);
    return (trace * length2 - along) / (length2 * sqrt(length2));
}

double bw_surface_fit_curvature(const BwSurfaceFit *fit, double *change)
{
    double matrix[MOST][MOST], height[MOST], square[MOST], motion[MOST], x[MOST] = {0}, q = 0.0;
    *change = 0.0;
    memcpy(matrix, fit->matrix, sizeof matrix);
    memcpy(height, fit->height, sizeof height);
    memcpy(square, fit->square, sizeof square);
    memcpy(motion, fit->motion, sizeof motion);
    factor(matrix, fit->unknowns);
    solve(matrix, fit->unknowns, height);
    solve(matrix, fit->unknowns, square);
    solve(matrix, fit->unknowns, motion);
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < fit->unknowns; n++)
            x[n] = height[n] - q * square[n];
        q = bend_along_normal(x);
    }
    *change = -2.0 * (motion[2] + (fit->unknowns > 3 ? motion[5] : 0.0));
    return curvature_of(x, q);
}
