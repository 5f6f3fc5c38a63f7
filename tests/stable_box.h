// Boxes of stable fluid for tests: making them, reading and writing them by cell, a repeatable random number.
#pragma once

#include "gate.h"
#include <billow/stable.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline BwStableBoxDef box_def(int nx, int ny, int nz)
{
    BwStableBoxDef def = bw_stable_box_def_default();
    def.size[0] = nx;
    def.size[1] = ny;
    def.size[2] = nz;
    return def;
}

static inline BwStable *make_box(const BwStableBoxDef *def)
{
    BwStable *box;
    BwError err = {0};
    if (bw_stable_create(&box, def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return box;
}

static inline double read_cell(BwStableView view, int i, int j, int k)
{
    ptrdiff_t c = i + j * view.row + k * view.plane;
    return view.values != NULL ? (double)view.values[c] : view.fixed[c] / 65536.0;
}

static inline void write_cell(BwStableView view, int i, int j, int k, double value)
{
    ptrdiff_t c = i + j * view.row + k * view.plane;
    if (view.values != NULL)
        view.values[c] = (float)value;
    else
        view.fixed[c] = (int32_t)lrint(value * 65536.0);
}

// -1 to 1.
static inline double random_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static inline double sum_cells(const BwStableBoxDef *def, BwStableView view)
{
    double sum = 0.0;
    for (int k = 0; k < def->size[2]; k++)
        for (int j = 0; j < def->size[1]; j++)
            for (int i = 0; i < def->size[0]; i++)
                sum += read_cell(view, i, j, k);
    return sum;
}

static inline double largest_cell(const BwStableBoxDef *def, BwStableView view)
{
    double largest = 0.0;
    for (int k = 0; k < def->size[2]; k++)
        for (int j = 0; j < def->size[1]; j++)
            for (int i = 0; i < def->size[0]; i++) {
                double value = fabs(read_cell(view, i, j, k));
                if (!(value <= largest))
                    largest = value;
            }
    return largest;
}

// Smoke from a jet near the floor and a breeze across it, into the sources: the demo of the tests.
static inline void add_demo_sources(BwStable *box, const BwStableBoxDef *def)
{
    BwStableView u = bw_stable_source(box, BW_STABLE_U), v = bw_stable_source(box, BW_STABLE_V);
    BwStableView density = bw_stable_source(box, BW_STABLE_DENSITY);
    int nx = def->size[0], ny = def->size[1], nz = def->size[2];
    for (int k = nz / 3; k <= 2 * nz / 3 && k < nz; k++)
        for (int j = ny / 16 + 1; j < ny / 8 + 1; j++)
            for (int i = 7 * nx / 16; i < 9 * nx / 16; i++) {
                write_cell(density, i, j, k, 2.0);
                write_cell(v, i, j, k, 1.0);
                write_cell(u, i, ny / 2 + j, k, 0.3);
            }
}

// All fields as bytes, so that two boxes compare bit for bit.
static inline uint64_t hash_box(BwStable *box, const BwStableBoxDef *def)
{
    uint64_t hash = 1469598103934665603u;
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f == BW_STABLE_W && def->size[2] == 1)
            continue;
        BwStableView view = bw_stable_field(box, (BwStableField)f);
        for (int k = 0; k < def->size[2]; k++)
            for (int j = 0; j < def->size[1]; j++)
                for (int i = 0; i < def->size[0]; i++) {
                    ptrdiff_t c = i + j * view.row + k * view.plane;
                    uint32_t bits;
                    memcpy(&bits, view.values != NULL ? (void *)&view.values[c] : (void *)&view.fixed[c], 4);
                    hash = (hash ^ bits) * 1099511628211u;
                }
    }
    return hash;
}
