// Internal walls of a box: from solid cells and closed faces to one byte of closed sides a cell, and the
// distance to the nearest of them. Invariant: a face is closed as seen from both its cells; ghost cells copy
// the sides of the cells they mirror, so that nothing passes a wall's end by way of the ghosts.
#include "solvers/stable_box.h"

#include <string.h>

typedef struct Cell {
    int at[3];
} Cell;

static ptrdiff_t offset_of(const BwStable *box, Cell cell)
{
    return cell.at[0] + cell.at[1] * box->stride[1] + cell.at[2] * box->stride[2];
}

// The offset of the neighbour across a side, round a periodic axis; -1 when the side is the box's own.
static bool find_neighbour(const BwStable *box, Cell cell, int side, ptrdiff_t *found)
{
    int axis = side / 2, n = box->size[axis];
    cell.at[axis] += side & 1 ? 1 : -1;
    bool is_outside = cell.at[axis] < 0 || cell.at[axis] >= n;
    if (is_outside && !box->def.periodic[axis])
        return false;
    cell.at[axis] = (cell.at[axis] + n) % n;
    *found = offset_of(box, cell);
    return true;
}

static bool is_closed(const BwStable *box, Cell cell, int side)
{
    ptrdiff_t c = offset_of(box, cell), next;
    int axis = side / 2;
    if (!find_neighbour(box, cell, side, &next))
        return box->solids[c] != 0;
    bool is_face_closed = box->faces[side & 1 ? next : c] >> axis & 1;
    return is_face_closed || box->solids[c] != 0 || box->solids[next] != 0;
}

static uint8_t sides_of(const BwStable *box, Cell cell)
{
    int sides = box->solids[offset_of(box, cell)] != 0 ? CELL_SOLID : 0;
    for (int side = 0; side < 2 * box->dimension; side++)
        sides |= is_closed(box, cell, side) << side;
    return (uint8_t)sides;
}

static int clamp_to(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// The cell itself, or the one that a ghost stands for.
static Cell inner_cell(const BwStable *box, Cell cell)
{
    for (int axis = 0; axis < 3; axis++) {
        int n = box->size[axis];
        cell.at[axis] = box->def.periodic[axis] ? (cell.at[axis] + n) % n : clamp_to(cell.at[axis], n);
    }
    return cell;
}

static bool is_inside(const BwStable *box, Cell cell)
{
    return offset_of(box, cell) == offset_of(box, inner_cell(box, cell));
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

// One way of the two-pass distance transform: each cell from its neighbours towards `way`, and from those
// beside them. A wall's distance never comes round a periodic end, so there it is only taken as far as the
// end.
static void spread_distance(BwStable *box, Cell cell, int way)
{
    int depth = box->dimension == 3 ? 1 : 0, best = box->clearance[offset_of(box, cell)];
    for (int dz = -depth; dz <= depth; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int order = dx + 3 * dy + 9 * dz;
                if (order * way <= 0)
                    continue;
                Cell next = {{cell.at[0] + dx, cell.at[1] + dy, cell.at[2] + dz}};
                best = least_of(best, box->clearance[offset_of(box, next)] + 1);
            }
    box->clearance[offset_of(box, cell)] = (uint8_t)best;
}

// Calls spread_distance over all cells, forwards or backwards.
static void sweep_distance(BwStable *box, int way)
{
    int nx = box->size[0], ny = box->size[1], nz = box->size[2];
    int64_t count = (int64_t)nx * ny * nz;
    for (int64_t n = 0; n < count; n++) {
        int64_t m = way < 0 ? n : count - 1 - n;
        spread_distance(box, (Cell){{(int)(m % nx), (int)(m / nx % ny), (int)(m / nx / ny)}}, way);
    }
}

// A distance round a periodic end is not known to the transform; there no distance is more than the way to
// the end.
static int distance_limit(const BwStable *box, Cell cell)
{
    int limit = 254;
    for (int axis = 0; axis < box->dimension; axis++)
        if (box->def.periodic[axis])
            limit = least_of(limit, least_of(cell.at[axis], box->size[axis] - 1 - cell.at[axis]));
    return limit;
}

static void measure_clearance(BwStable *box)
{
    memset(box->clearance - box->origin, 254, box->element_count);
    for (int k = 0; k < box->size[2]; k++)
        for (int j = 0; j < box->size[1]; j++)
            for (int i = 0; i < box->size[0]; i++) {
                Cell cell = {{i, j, k}};
                ptrdiff_t c = offset_of(box, cell);
                box->clearance[c] = box->sides[c] != 0 ? 0 : (uint8_t)distance_limit(box, cell);
            }
    sweep_distance(box, -1);
    sweep_distance(box, 1);
}

// Fluid inside solids is gone.
static void clear_solids(BwStable *box, ptrdiff_t c)
{
    for (int f = 0; f < BW_STABLE_FIELDS; f++)
        if (box->field[f] != NULL)
            memset((char *)box->field[f] + c * (ptrdiff_t)sizeof(float), 0, sizeof(float));
}

static void rebuild(BwStable *box)
{
    int depth = box->dimension == 3 ? 1 : 0;
    box->has_solids = false;
    box->fluid_cell_count = 0;
    for (int k = -depth; k < box->size[2] + depth; k++)
        for (int j = -1; j <= box->size[1]; j++)
            for (int i = -1; i <= box->size[0]; i++) {
                Cell cell = {{i, j, k}};
                ptrdiff_t c = offset_of(box, cell);
                box->sides[c] = sides_of(box, inner_cell(box, cell));
                box->has_solids |= box->sides[c] != 0;
                box->fluid_cell_count += is_inside(box, cell) && !(box->sides[c] & CELL_SOLID);
                if (box->sides[c] & CELL_SOLID)
                    clear_solids(box, c);
            }
    if (box->has_solids)
        measure_clearance(box);
}

static void copy_cells(const BwStable *box, uint8_t *to, const uint8_t *from)
{
    for (int k = 0; k < box->size[2]; k++)
        for (int j = 0; j < box->size[1]; j++) {
            uint8_t *row = to + j * box->stride[1] + k * box->stride[2];
            if (from == NULL)
                memset(row, 0, (size_t)box->size[0]);
            else
                memcpy(row, from + (size_t)box->size[0] * (size_t)(j + box->size[1] * k),
                       (size_t)box->size[0]);
        }
}

void bw_stable_set_solids(BwStable *box, const uint8_t *cells)
{
    if (box == NULL)
        return;
    copy_cells(box, box->solids, cells);
    rebuild(box);
}

void bw_stable_set_faces(BwStable *box, const uint8_t *faces)
{
    if (box == NULL)
        return;
    copy_cells(box, box->faces, faces);
    rebuild(box);
}
