// The four pressure systems that tests, benchmarks and rivals share, at any size n:
//
//   P1  a closed box, random compatible right side
//   P2  a dam block of half the width and height, off every coarse grid by 3 cells, a ball of liquid in the
//   air, a
//       solid ball on the floor; right side from gravity and a smooth velocity
//   P3  a thousand droplets 1 to 6 cells across over a shallow pool with a curved floor: cut faces, theta
//   from
//       a level set
//   P4  a closed box crossed by a moving plate one cell thick and by a tilted one thinner than a cell
#pragma once

#include "grid/field.h"
#include "poisson/poisson.h"

#include <math.h>
#include <stdlib.h>

typedef enum PressureCaseKind {
    PRESSURE_P1,
    PRESSURE_P2,
    PRESSURE_P3,
    PRESSURE_P4,
    PRESSURE_KINDS
} PressureCaseKind;

typedef struct PressureCase {
    int n;
    BwGrid *grid;
    BwField face[3], right;
    BwMask unknown;
    BwWideField x;
    BwPoisson system;
    int64_t unknowns, tile_cells; // of tiles that hold unknowns
} PressureCase;

// Scratch while a case is made: dense arrays over n^3 cells.
typedef struct PressureDense {
    int n;
    unsigned char *kind; // 0 liquid, 1 air, 2 solid
    float *face[3];      // of low faces, (n + 1) wide along their axis
    float *right;
} PressureDense;

static inline size_t pressure_cell(int n, int i, int j, int k)
{
    return (size_t)i + (size_t)(n + 1) * ((size_t)j + (size_t)(n + 1) * (size_t)k);
}

// Random numbers by place, the same for every order of asking.
static inline double pressure_noise(uint64_t seed)
{
    seed = (seed + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    return (double)((seed ^ seed >> 31) >> 11) * 0x1p-53;
}

static inline double pressure_length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

static inline int pressure_kind_p2(int n, int i, int j, int k)
{
    double x = i + 0.5, y = j + 0.5, z = k + 0.5;
    if (pressure_length(x - 0.3 * n, y, z - 0.5 * n) < 0.12 * n)
        return 2;
    bool is_dam = i >= 3 && i < 3 + n / 2 && j >= 3 && j < 3 + n / 2;
    bool is_ball = pressure_length(x - 0.78 * n, y - 0.75 * n, z - 0.5 * n) < 0.13 * n;
    return is_dam || is_ball ? 0 : 1;
}

// Distance to the liquid of P3, in cells, negative inside.
static inline void pressure_droplets(int n, float *phi)
{
    size_t side = (size_t)n + 1;
    for (size_t c = 0; c < side * side * side; c++)
        phi[c] = (float)((double)(c / side % side) + 0.5 - 0.12 * n);
    for (uint64_t d = 0; d < 1000; d++) {
        double radius = 0.5 + 2.5 * pressure_noise(7 * d), center[3];
        for (uint64_t a = 0; a < 3; a++)
            center[a] =
                n * (a == 1 ? 0.15 + 0.85 * pressure_noise(7 * d + 2) : pressure_noise(7 * d + 1 + a));
        for (int k = (int)center[2] - 5; k <= (int)center[2] + 5; k++)
            for (int j = (int)center[1] - 5; j <= (int)center[1] + 5; j++)
                for (int i = (int)center[0] - 5; i <= (int)center[0] + 5; i++) {
                    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n)
                        continue;
                    double distance =
                        pressure_length(i + 0.5 - center[0], j + 0.5 - center[1], k + 0.5 - center[2]) -
                        radius;
                    float *at = &phi[pressure_cell(n, i, j, k)];
                    *at = distance < (double)*at ? (float)distance : *at;
                }
    }
}

// Open share of a face at that place over the curved floor of P3.
static inline double pressure_floor_open(int n, double x, double y, double z)
{
    double height = 0.05 * n * (1.0 + 0.5 * sin(6.0 * x / n) * cos(5.0 * z / n));
    double open = 0.5 + (y - height);
    return open < 0.0 ? 0.0 : open > 1.0 ? 1.0 : open;
}

static inline bool pressure_tilted_plate(int n, double x, double y)
{
    return y < 0.31 * n + 0.17 * x;
}

static inline float pressure_face(PressureCaseKind kind, const PressureDense *d, const float *phi, int axis,
                                  int i, int j, int k)
{
    int n = d->n, low[3] = {i, j, k}, at[3] = {i, j, k};
    low[axis]--;
    if (low[axis] < 0 || at[axis] == n)
        return 0.0f;
    size_t a = pressure_cell(n, low[0], low[1], low[2]), b = pressure_cell(n, i, j, k);
    if (d->kind[a] == 2 || d->kind[b] == 2)
        return 0.0f;
    if (kind == PRESSURE_P4 && i >= n / 3 &&
        pressure_tilted_plate(n, low[0] + 0.5, low[1] + 0.5) != pressure_tilted_plate(n, i + 0.5, j + 0.5))
        return 0.0f;
    if (kind != PRESSURE_P3)
        return 1.0f;
    double place[3] = {i + 0.5, j + 0.5, k + 0.5};
    place[axis] -= 0.5;
    double open = pressure_floor_open(n, place[0], place[1], place[2]);
    double theta = 1.0;
    if (d->kind[a] != d->kind[b]) {
        double in = (double)(d->kind[a] == 0 ? phi[a] : phi[b]),
               out = (double)(d->kind[a] == 0 ? phi[b] : phi[a]);
        theta = in / (in - out);
        theta = theta < 1e-3 ? 1e-3 : theta;
    }
    return (float)(open / theta);
}

static inline void pressure_kinds(PressureCaseKind kind, PressureDense *d, const float *phi)
{
    int n = d->n;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                size_t c = pressure_cell(n, i, j, k);
                if (kind == PRESSURE_P2)
                    d->kind[c] = (unsigned char)pressure_kind_p2(n, i, j, k);
                if (kind == PRESSURE_P3)
                    d->kind[c] = phi[c] < 0.0f ? 0 : 1;
                if (kind == PRESSURE_P4)
                    d->kind[c] = i == n / 3 && j < 3 * n / 4 ? 2 : 0;
            }
}

// Right side: random, or minus the divergence of gravity and a smooth velocity through the open faces.
static inline float pressure_right(PressureCaseKind kind, const PressureDense *d, int i, int j, int k)
{
    int n = d->n;
    if (kind == PRESSURE_P1)
        return (float)(2.0 * pressure_noise(pressure_cell(n, i, j, k)) - 1.0);
    double sum = 0.0;
    for (int side = 0; side < 6; side++) {
        int at[3] = {i, j, k}, axis = side / 2;
        at[axis] += side % 2;
        double open = (double)d->face[axis][pressure_cell(n, at[0], at[1], at[2])];
        double x = (double)at[0] / n, y = (double)at[1] / n, z = (double)at[2] / n;
        double u = axis == 0   ? sin(4.0 * y) * cos(3.0 * z + 5.0 * x)
                   : axis == 1 ? cos(5.0 * x) * sin(2.0 * z + 1.0) - 2.0
                               : sin(3.0 * x + 2.0 * y) * cos(4.0 * z);
        if (kind == PRESSURE_P4 && axis == 0 && (at[0] == n / 3 || at[0] == n / 3 + 1) && at[1] < 3 * n / 4) {
            u = 1.0; // the plate moves
            open = 1.0;
        }
        sum += (side % 2 ? u : -u) * (open > 1.0 ? 1.0 : open);
    }
    return (float)-sum;
}

static inline void pressure_case_wake(PressureCase *c, const PressureDense *d)
{
    int tiles = c->n / BW_TILE;
    BwTileCoord *coords = malloc((size_t)tiles * (size_t)tiles * (size_t)tiles * sizeof *coords);
    int64_t count = 0;
    for (int t = 0; t < tiles * tiles * tiles; t++) {
        int first[3] = {8 * (t % tiles), 8 * (t / tiles % tiles), 8 * (t / tiles / tiles)};
        bool is_needed = false;
        // A tile with liquid, or whose low faces are a liquid's high ones.
        for (int k = -1; k < 8 && !is_needed; k++)
            for (int j = -1; j < 8 && !is_needed; j++)
                for (int i = -1; i < 8 && !is_needed; i++)
                    is_needed = first[0] + i >= 0 && first[1] + j >= 0 && first[2] + k >= 0 &&
                                d->kind[pressure_cell(c->n, first[0] + i, first[1] + j, first[2] + k)] == 0;
        if (is_needed)
            coords[count++] = (BwTileCoord){first[0] / 8, first[1] / 8, first[2] / 8};
    }
    if (bw_grid_wake(c->grid, coords, count, NULL) != BW_OK)
        abort();
    free(coords);
}

static inline void pressure_case_copy(PressureCase *c, const PressureDense *d)
{
    for (int32_t m = 0; m < c->grid->tile_count; m++) {
        int32_t slot = c->grid->order[m];
        BwTileCoord coord = c->grid->tiles[slot].coord;
        uint64_t *unknown = bw_mask_tile(&c->unknown, slot);
        for (int cell = 0; cell < 512; cell++) {
            size_t at = pressure_cell(c->n, 8 * coord.x + (cell & 7), 8 * coord.y + (cell >> 3 & 7),
                                      8 * coord.z + (cell >> 6));
            for (int a = 0; a < 3; a++)
                bw_field_tile(&c->face[a], slot)[cell] = d->face[a][at];
            bool is_unknown = d->kind[at] == 0;
            bw_field_tile(&c->right, slot)[cell] = is_unknown ? d->right[at] : 0.0f;
            unknown[cell >> 6] |= (uint64_t)is_unknown << (cell & 63);
        }
        int64_t count = 0;
        for (int k = 0; k < 8; k++)
            count += __builtin_popcountll(unknown[k]);
        c->unknowns += count;
        c->tile_cells += count > 0 ? 512 : 0;
    }
}

// A cell without any open face has no equation: it is taken for solid.
static inline void pressure_case_close(PressureDense *d)
{
    int n = d->n;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                float sum =
                    d->face[0][pressure_cell(n, i, j, k)] + d->face[0][pressure_cell(n, i + 1, j, k)] +
                    d->face[1][pressure_cell(n, i, j, k)] + d->face[1][pressure_cell(n, i, j + 1, k)] +
                    d->face[2][pressure_cell(n, i, j, k)] + d->face[2][pressure_cell(n, i, j, k + 1)];
                if (sum == 0.0f)
                    d->kind[pressure_cell(n, i, j, k)] = 2;
            }
}

static inline void pressure_case_create(PressureCase *c, PressureCaseKind kind, int n)
{
    *c = (PressureCase){.n = n};
    size_t count = (size_t)(n + 1) * (size_t)(n + 1) * (size_t)(n + 1);
    PressureDense d = {.n = n, .kind = calloc(count, 1), .right = calloc(count, sizeof(float))};
    float *phi = calloc(kind == PRESSURE_P3 ? count : 1, sizeof(float));
    if (kind == PRESSURE_P3)
        pressure_droplets(n, phi);
    pressure_kinds(kind, &d, phi);
    for (int a = 0; a < 3; a++)
        d.face[a] = calloc(count, sizeof(float));
    for (int k = 0; k <= n; k++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++)
                for (int a = 0; a < 3; a++) {
                    bool is_face = (a == 0 || i < n) && (a == 1 || j < n) && (a == 2 || k < n);
                    d.face[a][pressure_cell(n, i, j, k)] =
                        is_face ? pressure_face(kind, &d, phi, a, i, j, k) : 0.0f;
                }
    pressure_case_close(&d);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                d.right[pressure_cell(n, i, j, k)] = pressure_right(kind, &d, i, j, k);

    BwGridDef def = {.cell_size = 1.0f, .dimension = 3, .has_bounds = true, .bounds = {{0, 0, 0}, {n, n, n}}};
    BwError err;
    if (bw_grid_create(&c->grid, &def, &err) != BW_OK ||
        bw_mask_create(&c->unknown, c->grid, &err) != BW_OK ||
        bw_wide_field_create(&c->x, c->grid, &err) != BW_OK ||
        bw_field_create(&c->right, c->grid, BW_AT_CELL, 0.0f, &err) != BW_OK ||
        bw_field_create(&c->face[0], c->grid, BW_AT_FACE_X, 0.0f, &err) != BW_OK ||
        bw_field_create(&c->face[1], c->grid, BW_AT_FACE_Y, 0.0f, &err) != BW_OK ||
        bw_field_create(&c->face[2], c->grid, BW_AT_FACE_Z, 0.0f, &err) != BW_OK)
        abort();
    pressure_case_wake(c, &d);
    pressure_case_copy(c, &d);
    c->system = (BwPoisson){.grid = c->grid,
                            .unknown = &c->unknown,
                            .face = {&c->face[0], &c->face[1], &c->face[2]},
                            .right = &c->right,
                            .x = &c->x};
    for (int a = 0; a < 3; a++)
        free(d.face[a]);
    free(d.kind);
    free(d.right);
    free(phi);
}

static inline void pressure_case_destroy(PressureCase *c)
{
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&c->face[a]);
    bw_field_destroy(&c->right);
    bw_mask_destroy(&c->unknown);
    bw_wide_field_destroy(&c->x);
    bw_grid_destroy(c->grid);
}

static inline void pressure_case_reset(PressureCase *c)
{
    for (int32_t m = 0; m < c->grid->tile_count; m++) {
        double *x = bw_wide_field_tile(&c->x, c->grid->order[m]);
        for (int cell = 0; cell < 512; cell++)
            x[cell] = 0.0;
    }
}
