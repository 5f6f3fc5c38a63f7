// A small random pressure system on a few tiles, and its answer by a dense direct solve.
#pragma once

#include "gate.h"
#include "poisson/poisson.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct PoissonCase {
    BwGrid *grid;
    BwField face[3], mass, right;
    BwMask unknown;
    BwWideField x;
    BwPoisson system;
    int32_t low[3], size[3]; // the box of cells
    bool periodic[3];
} PoissonCase;

static inline void poisson_case_create(PoissonCase *c, int dimension, const int32_t low[3],
                                       const int32_t size[3], const bool periodic[3])
{
    *c = (PoissonCase){0};
    BwGridDef def = {.cell_size = 1.0f, .dimension = dimension, .has_bounds = true};
    for (int a = 0; a < 3; a++) {
        c->low[a] = def.bounds.low[a] = a < dimension ? low[a] : 0;
        c->size[a] = a < dimension ? size[a] : 1;
        def.bounds.high[a] = c->low[a] + c->size[a];
        c->periodic[a] = a < dimension && periodic != NULL && periodic[a];
        if (c->periodic[a]) {
            assert_true(low[a] % BW_TILE == 0 && size[a] % BW_TILE == 0);
            def.period[a] = size[a] / BW_TILE;
            def.period_low[a] = low[a] / BW_TILE;
        }
    }
    assert_int_equal(bw_grid_create(&c->grid, &def, NULL), BW_OK);
    for (int a = 0; a < 3; a++)
        assert_int_equal(bw_field_create(&c->face[a], c->grid, (BwLocation)(BW_AT_FACE_X + a), 0.0f, NULL),
                         BW_OK);
    assert_int_equal(bw_field_create(&c->mass, c->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_field_create(&c->right, c->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&c->unknown, c->grid, NULL), BW_OK);
    assert_int_equal(bw_wide_field_create(&c->x, c->grid, NULL), BW_OK);
    // One layer of tiles more on the high side, for the faces there.
    for (int32_t z = c->low[2] >> 3; z <= (dimension == 3 ? (c->low[2] + c->size[2]) >> 3 : 0); z++)
        for (int32_t y = c->low[1] >> 3; y <= (c->low[1] + c->size[1]) >> 3; y++)
            for (int32_t x = c->low[0] >> 3; x <= (c->low[0] + c->size[0]) >> 3; x++) {
                BwTileCoord coord = {x, y, z};
                assert_int_equal(bw_grid_wake(c->grid, &coord, 1, NULL), BW_OK);
            }
    c->system = (BwPoisson){.grid = c->grid,
                            .unknown = &c->unknown,
                            .face = {&c->face[0], &c->face[1], dimension == 3 ? &c->face[2] : NULL},
                            .right = &c->right,
                            .x = &c->x};
}

static inline void poisson_case_destroy(PoissonCase *c)
{
    for (int a = 0; a < 3; a++)
        bw_field_destroy(&c->face[a]);
    bw_field_destroy(&c->mass);
    bw_field_destroy(&c->right);
    bw_mask_destroy(&c->unknown);
    bw_wide_field_destroy(&c->x);
    bw_grid_destroy(c->grid);
}

// Number of a cell of the box, or -1 outside; wraps where periodic. `cell` counts from the box's low corner.
static inline int poisson_case_number(const PoissonCase *c, const int cell[3])
{
    int at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = cell[a];
        if (c->periodic[a])
            at[a] = (cell[a] + c->size[a]) % c->size[a];
        if (at[a] < 0 || at[a] >= c->size[a])
            return -1;
    }
    return at[0] + c->size[0] * (at[1] + c->size[1] * at[2]);
}

static inline void poisson_case_cell(const PoissonCase *c, int number, int cell[3])
{
    cell[0] = number % c->size[0];
    cell[1] = number / c->size[0] % c->size[1];
    cell[2] = number / c->size[0] / c->size[1];
}

static inline int poisson_case_count(const PoissonCase *c)
{
    return c->size[0] * c->size[1] * c->size[2];
}

// Where a cell's values live; cells just outside the box have a place too.
typedef struct PoissonPlace {
    int32_t slot;
    int index;
} PoissonPlace;

static inline PoissonPlace poisson_case_place(const PoissonCase *c, const int cell[3])
{
    int32_t at[3];
    for (int a = 0; a < 3; a++)
        at[a] = c->low[a] + cell[a];
    return (PoissonPlace){bw_grid_find(c->grid, bw_tile_of_cell(c->grid, at)), bw_index_in_tile(c->grid, at)};
}

static inline bool poisson_case_is_unknown(const PoissonCase *c, const int cell[3])
{
    PoissonPlace place = poisson_case_place(c, cell);
    return poisson_case_number(c, cell) >= 0 && bw_bit(bw_mask_tile(&c->unknown, place.slot), place.index);
}

// Coefficient of the face between a cell and its neighbour along the axis, on the low side or the high.
static inline float *poisson_case_face(const PoissonCase *c, const int cell[3], int axis, bool is_high)
{
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] += is_high;
    if (c->periodic[axis] && at[axis] == c->size[axis])
        at[axis] = 0;
    PoissonPlace place = poisson_case_place(c, at);
    return bw_field_tile(&c->face[axis], place.slot) + place.index;
}

typedef struct PoissonRandom {
    double unknown_share, closed_share; // of cells, of faces
    bool is_cut;                        // coefficients between 0.01 and 1, not just 1
    bool is_sealed;                     // no face to a cell without unknown
    bool has_mass;
} PoissonRandom;

static inline void poisson_case_fill(PoissonCase *c, const PoissonRandom *kind, Random *random)
{
    int dimension = c->grid->dimension;
    for (int n = 0; n < poisson_case_count(c); n++) {
        int cell[3];
        poisson_case_cell(c, n, cell);
        PoissonPlace place = poisson_case_place(c, cell);
        if (random_between(random, 0.0, 1.0) < kind->unknown_share)
            bw_mask_tile(&c->unknown, place.slot)[place.index >> 6] |= (uint64_t)1 << (place.index & 63);
        bw_field_tile(&c->right, place.slot)[place.index] = (float)random_between(random, -1.0, 1.0);
        bw_field_tile(&c->mass, place.slot)[place.index] =
            random_below(random, 4) == 0 ? (float)random_between(random, 0.0, 0.1) : 0.0f;
    }
    for (int n = 0; n < poisson_case_count(c); n++)
        for (int side = 0; side < 2 * dimension; side++) {
            int cell[3], across[3];
            poisson_case_cell(c, n, cell);
            memcpy(across, cell, sizeof across);
            across[side / 2] += side % 2 ? 1 : -1;
            bool is_inner = poisson_case_is_unknown(c, cell) && poisson_case_is_unknown(c, across);
            bool is_closed =
                random_between(random, 0.0, 1.0) < kind->closed_share || (kind->is_sealed && !is_inner);
            double value = kind->is_cut ? random_between(random, 0.01, 1.0) : 1.0;
            *poisson_case_face(c, cell, side / 2, side % 2) = is_closed ? 0.0f : (float)value;
        }
    c->system.mass = kind->has_mass ? &c->mass : NULL;
}

// Marks the cells connected to `n` with `region`, and tells whether something fixes x among them.
static inline bool poisson_case_flood(const PoissonCase *c, int n, int region, int *region_of)
{
    int *stack = malloc((size_t)poisson_case_count(c) * sizeof *stack);
    int top = 0;
    bool is_fixed = false;
    stack[top++] = n;
    region_of[n] = region;
    while (top > 0) {
        int cell[3];
        poisson_case_cell(c, stack[--top], cell);
        PoissonPlace place = poisson_case_place(c, cell);
        is_fixed |= c->system.mass != NULL && bw_field_tile(&c->mass, place.slot)[place.index] > 0.0f;
        for (int side = 0; side < 2 * c->grid->dimension; side++) {
            int across[3] = {cell[0], cell[1], cell[2]};
            across[side / 2] += side % 2 ? 1 : -1;
            if (*poisson_case_face(c, cell, side / 2, side % 2) == 0.0f)
                continue;
            int other = poisson_case_number(c, across);
            if (other < 0 || !poisson_case_is_unknown(c, across))
                is_fixed = true;
            else if (region_of[other] < 0) {
                region_of[other] = region;
                stack[top++] = other;
            }
        }
    }
    free(stack);
    return is_fixed;
}

// Cholesky in place, then the solve.
static inline void dense_solve(double *a, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        double *row = a + (size_t)j * (size_t)n;
        for (int k = 0; k < j; k++) {
            const double *other = a + (size_t)k * (size_t)n;
            double sum = row[k];
            for (int m = 0; m < k; m++)
                sum -= row[m] * other[m];
            row[k] = sum / other[k];
        }
        double pivot = row[j];
        for (int m = 0; m < j; m++)
            pivot -= row[m] * row[m];
        assert_true(pivot > 0.0);
        row[j] = sqrt(pivot);
    }
    for (int j = 0; j < n; j++) {
        for (int m = 0; m < j; m++)
            b[j] -= a[(size_t)j * (size_t)n + (size_t)m] * b[m];
        b[j] /= a[(size_t)j * (size_t)n + (size_t)j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int m = j + 1; m < n; m++)
            b[j] -= a[(size_t)m * (size_t)n + (size_t)j] * b[m];
        b[j] /= a[(size_t)j * (size_t)n + (size_t)j];
    }
}

static inline void poisson_case_matrix(const PoissonCase *c, double *a)
{
    int count = poisson_case_count(c);
    for (int n = 0; n < count; n++) {
        int cell[3];
        poisson_case_cell(c, n, cell);
        double *row = a + (size_t)n * (size_t)count;
        if (!poisson_case_is_unknown(c, cell)) {
            row[n] = 1.0;
            continue;
        }
        PoissonPlace place = poisson_case_place(c, cell);
        row[n] += c->system.mass != NULL ? (double)bw_field_tile(&c->mass, place.slot)[place.index] : 0.0;
        for (int side = 0; side < 2 * c->grid->dimension; side++) {
            int across[3] = {cell[0], cell[1], cell[2]};
            across[side / 2] += side % 2 ? 1 : -1;
            double value = (double)*poisson_case_face(c, cell, side / 2, side % 2);
            row[n] += value;
            int other = poisson_case_number(c, across);
            if (other >= 0 && poisson_case_is_unknown(c, across))
                row[other] -= value;
        }
    }
}

// The answer by a direct solve: in regions that nothing fixes the right side is made to sum to zero, and the
// answer with mean zero is taken. Gives the number of such regions.
static inline int poisson_case_answer(const PoissonCase *c, double *answer)
{
    int count = poisson_case_count(c), regions = 0;
    double *a = calloc((size_t)count * (size_t)count, sizeof *a);
    int *region_of = malloc((size_t)count * sizeof *region_of);
    poisson_case_matrix(c, a);
    for (int n = 0; n < count; n++) {
        int cell[3];
        poisson_case_cell(c, n, cell);
        PoissonPlace place = poisson_case_place(c, cell);
        region_of[n] = -1;
        answer[n] = poisson_case_is_unknown(c, cell)
                        ? (double)bw_field_tile(&c->right, place.slot)[place.index]
                        : 0.0;
    }
    for (int n = 0; n < count; n++) {
        int cell[3];
        poisson_case_cell(c, n, cell);
        if (region_of[n] >= 0 || !poisson_case_is_unknown(c, cell) || poisson_case_flood(c, n, n, region_of))
            continue;
        double sum = 0.0, size = 0.0;
        for (int m = 0; m < count; m++)
            if (region_of[m] == n) {
                sum += answer[m];
                size += 1.0;
            }
        for (int m = 0; m < count; m++)
            if (region_of[m] == n) {
                answer[m] -= sum / size;
                for (int k = 0; k < count; k++)
                    if (region_of[k] == n)
                        a[(size_t)m * (size_t)count + (size_t)k] += 1.0 / size;
            }
        regions++;
    }
    dense_solve(a, answer, count);
    free(region_of);
    free(a);
    return regions;
}

// Largest difference between x and the answer, over the largest of the answer.
static inline double poisson_case_error(const PoissonCase *c, const double *answer)
{
    double error = 0.0, scale = 0.0;
    for (int n = 0; n < poisson_case_count(c); n++) {
        int cell[3];
        poisson_case_cell(c, n, cell);
        PoissonPlace place = poisson_case_place(c, cell);
        error = fmax(error, fabs(bw_wide_field_tile(&c->x, place.slot)[place.index] - answer[n]));
        scale = fmax(scale, fabs(answer[n]));
    }
    return scale > 0.0 ? error / scale : error;
}
