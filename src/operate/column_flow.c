// How the surface of columns moves: (11) of Foster and Metaxas 1996, dh/dt = w - u dh/dx - v dh/dz, with (12)
// as a balance of what passes the sides of a column.
//
// Where the cells below are free of divergence the two are the same: with the mean of both columns' heights
// on a side, what passes below it is the w that (12) takes at the surface, interpolated between the faces of
// its cell, less u times the central difference of h. As a balance it loses nothing, however steep the
// surface. Forward Euler with central differences is unstable by itself: a share of the column that the flow
// comes from keeps it stable, of |u| dt / h as in the momentum (operate/momentum.h).
#include "operate/columns.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"

#include <math.h>

typedef struct Job {
    BwColumns *columns;
    const BwColumnStep *step;
    double *limit; // 1, of what leaves each column
} Job;

// What stands at a face of the box's sides.
typedef struct Face {
    double speed;       // m/s, along the axis
    double share;       // 1, that solids leave
    bool before, after; // there is room on that side
    int32_t slot, cell; // of the cell that owns it
} Face;

// The low face along an axis of cell j of a column, whose tile is in `slot`.
static Face face_at(const Job *job, int axis, int64_t n, int64_t previous, int32_t j, int32_t slot, int cell)
{
    const BwColumns *columns = job->columns;
    const BwSolidFaces *cut = job->step->domain->cut;
    Face face = {.slot = slot, .cell = cell};
    if (!bw_bit(bw_mask_tile(&job->step->passable[axis], slot), cell))
        return face;
    face.speed = (double)bw_field_tile(&job->step->velocity->u[axis], slot)[cell];
    face.share = cut != NULL && bw_solids_are_near(cut, slot)
                     ? (double)bw_field_tile(&cut->open[axis], slot)[cell]
                     : 1.0;
    face.before = columns->room[previous * columns->count[1] + j] > 0.0f;
    face.after = columns->room[n * columns->count[1] + j] > 0.0f;
    return face;
}

// 1, of cell j that is below a height.
static double wet_share(const BwColumns *columns, int32_t j, double height)
{
    double h = (double)columns->grid->cell_size;
    return fmax(fmin((height - bw_column_level(columns, j)) / h, 1.0), 0.0);
}

// The height of the surface between two columns, where the flow goes from one of them.
static double height_between(const Job *job, double before, double after, double speed)
{
    double h = (double)job->columns->grid->cell_size;
    double donor = isnan(job->step->donor) ? fmin(fabs(speed) * job->step->dt / h, 1.0) : job->step->donor;
    return 0.5 * (before + after) + (speed > 0.0 ? 0.5 : -0.5) * donor * (before - after);
}

// m/s times shares, through a face of the box's sides: below 0 outwards through a low one. All of an inflow
// is wet; air comes in where a side is open.
static double side_flow(const Job *job, const Face *face, int axis, int64_t inside, int32_t j)
{
    const BwDomain *domain = job->step->domain;
    double inwards = face->after ? face->speed : -face->speed;
    int cell = face->cell;
    int32_t slot = face->slot;
    if (face->after) // the cell outside is the one before
        slot = bw_cell_beside(domain->grid, slot, &cell, 2 * axis);
    bool is_inflow = bw_bit(bw_mask_tile(&domain->inflow, slot), cell),
         is_outflow = bw_bit(bw_mask_tile(&domain->outflow, slot), cell);
    if (inwards > 0.0 && is_inflow)
        return inwards * face->share;
    if (inwards > 0.0 && !is_outflow)
        return 0.0;
    return inwards * face->share * wet_share(job->columns, j, job->columns->height[inside]);
}

static void add_side(const Job *job, const Face *face, int axis, int64_t n, int64_t previous, int32_t j)
{
    int64_t inside = face->after ? n : previous;
    double flow = side_flow(job, face, axis, inside, j);
    if (flow > 0.0)
        job->columns->inflow[inside] += flow;
    else
        job->columns->outflow[inside] -= flow;
}

// What passes the low face of a column, or what of it is a side of the box, which is added to the column
// inside.
static double pass_face(const Job *job, int axis, int64_t n, int64_t previous, bool is_side)
{
    BwColumns *columns = job->columns;
    const BwGrid *grid = columns->grid;
    int32_t at[3] = {columns->low[0] + (int32_t)(n % columns->count[0]), columns->low[1],
                     columns->low[2] + (int32_t)(n / columns->count[0])};
    int32_t slot = 0;
    double sum = 0.0;
    for (int32_t j = 0; j < columns->count[1]; j++, at[1]++) {
        if (j == 0 || (at[1] & 7) == 0)
            slot = bw_grid_find(grid, bw_tile_of_cell(grid, at));
        Face face = face_at(job, axis, n, previous, j, slot, bw_index_in_tile(grid, at));
        if (!is_side && face.before && face.after) {
            double height = height_between(job, columns->height[previous], columns->height[n], face.speed);
            sum += face.speed * face.share * wet_share(columns, j, height);
        } else if (is_side && face.before != face.after && face.speed != 0.0) {
            add_side(job, &face, axis, n, previous, j);
        }
    }
    return sum;
}

// The column before one along x (0) or z (2); -1: the box ends there.
static int64_t column_before(const BwColumns *columns, int64_t n, int axis)
{
    int32_t at[2] = {(int32_t)(n % columns->count[0]), (int32_t)(n / columns->count[0])};
    if (at[axis / 2] > 0)
        return axis == 0 ? n - 1 : n - columns->count[0];
    if (columns->grid->period[axis] == 0)
        return -1;
    at[axis / 2] = columns->count[axis] - 1;
    return bw_column_at(columns, at[0], at[1]);
}

static int64_t column_after(const BwColumns *columns, int64_t n, int axis)
{
    int32_t at[2] = {(int32_t)(n % columns->count[0]), (int32_t)(n / columns->count[0])};
    if (at[axis / 2] + 1 < columns->count[axis])
        return axis == 0 ? n + 1 : n + columns->count[0];
    at[axis / 2] = 0;
    return columns->grid->period[axis] == 0 ? -1 : bw_column_at(columns, at[0], at[1]);
}

static int axis_count(const BwColumns *columns)
{
    return columns->grid->dimension == 3 ? 2 : 1;
}

static void flow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwColumns *columns = job->columns;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < axis_count(columns); a++) {
            int64_t previous = column_before(columns, n, 2 * a);
            bool is_there =
                previous >= 0 && bw_column_is_there(columns, n) && bw_column_is_there(columns, previous);
            columns->flow[a][n] = is_there ? pass_face(job, 2 * a, n, previous, false) : 0.0;
        }
}

// What passes the floor of a column that stands on cells outside: on those of an outflow whose part ends
// below the surface.
static void pass_floor(const Job *job, int64_t n)
{
    BwColumns *columns = job->columns;
    const BwDomain *domain = job->step->domain;
    int32_t j = 0;
    while (j < columns->count[1] && !(columns->room[n * columns->count[1] + j] > 0.0f))
        j++;
    if (j == 0 || j == columns->count[1])
        return;
    int32_t at[3] = {columns->low[0] + (int32_t)(n % columns->count[0]), columns->low[1] + j,
                     columns->low[2] + (int32_t)(n / columns->count[0])};
    int32_t slot = bw_grid_find(columns->grid, bw_tile_of_cell(columns->grid, at));
    int cell = bw_index_in_tile(columns->grid, at), below = cell;
    int32_t slot_below = bw_cell_beside(columns->grid, slot, &below, BW_BOTTOM);
    if (slot_below == 0 || !bw_bit(bw_mask_tile(&domain->outflow, slot_below), below))
        return;
    double flow = (double)bw_field_tile(&job->step->velocity->u[1], slot)[cell] *
                  (double)columns->room[n * columns->count[1] + j];
    if (flow > 0.0)
        columns->inflow[n] += flow;
    else if (columns->water[n] > 0.0)
        columns->outflow[n] -= flow;
}

// Sides of the box: few columns are beside them, and two of these may share one.
static void find_side_flows(const Job *job)
{
    BwColumns *columns = job->columns;
    for (int64_t n = 0; n < columns->columns; n++)
        columns->inflow[n] = columns->outflow[n] = 0.0;
    for (int64_t n = 0; n < columns->columns; n++)
        for (int a = 0; a < axis_count(columns); a++) {
            int32_t at = (int32_t)(a == 0 ? n % columns->count[0] : n / columns->count[0]);
            bool is_rim = at <= 1 || at + 1 == columns->count[2 * a];
            int64_t previous = is_rim ? column_before(columns, n, 2 * a) : -1;
            if (previous >= 0)
                pass_face(job, 2 * a, n, previous, true);
        }
    for (int64_t n = 0; n < columns->columns; n++)
        pass_floor(job, n);
}

// m/s over the base: what leaves a column.
static double leaving(const BwColumns *columns, int64_t n)
{
    double sum = columns->outflow[n] + fmax(-columns->source[n], 0.0);
    for (int a = 0; a < axis_count(columns); a++) {
        int64_t after = column_after(columns, n, 2 * a);
        sum += fmax(-columns->flow[a][n], 0.0) + (after >= 0 ? fmax(columns->flow[a][after], 0.0) : 0.0);
    }
    return sum;
}

static void limit_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        double out = leaving(job->columns, n) * job->step->dt, held = fmax(job->columns->water[n], 0.0);
        job->limit[n] = out > held ? held / out : 1.0;
    }
}

// What passes between two columns, of which the one that it leaves has its limit.
static double limited(const Job *job, double flow, int64_t before, int64_t after)
{
    return flow * (flow > 0.0 ? job->limit[before] : job->limit[after]);
}

static void move_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwColumns *columns = job->columns;
    for (int64_t n = begin; n < end; n++) {
        double own = job->limit[n], source = columns->source[n];
        double rate = columns->inflow[n] - own * columns->outflow[n] + (source < 0.0 ? own * source : source);
        for (int a = 0; a < axis_count(columns); a++) {
            int64_t before = column_before(columns, n, 2 * a), after = column_after(columns, n, 2 * a);
            if (before >= 0)
                rate += limited(job, columns->flow[a][n], before, n);
            if (after >= 0)
                rate -= limited(job, columns->flow[a][after], n, after);
        }
        columns->speed[n] = rate;
    }
}

// Sweeps in which a lid presses water aside, at most; what is left goes on in the next step.
enum { PRESS_SWEEPS = 64 };

static double excess_of(const BwColumns *columns, int64_t n)
{
    double touch = 1e-9 * (double)columns->grid->cell_size;
    double excess = bw_column_is_there(columns, n) ? columns->water[n] - columns->most[n] : 0.0;
    return excess > touch ? excess : 0.0;
}

// Whether a column ends at the open top of the box: the cell there is outside.
static bool has_no_lid(const BwColumns *columns, int64_t n)
{
    int64_t top = (n + 1) * columns->count[1] - 1;
    return columns->count[1] > 1 && columns->open[top] > 0.0f && columns->room[top] == 0.0f &&
           columns->room[top - 1] > 0.0f;
}

// m, over the base, of all columns.
static double spill_over(BwColumns *columns)
{
    double sum = 0.0;
    for (int64_t n = 0; n < columns->columns; n++) {
        double excess = has_no_lid(columns, n) ? excess_of(columns, n) : 0.0;
        columns->water[n] -= excess;
        sum += excess;
    }
    return sum;
}

// The columns beside one that water can be pressed into.
static int list_beside(const BwColumns *columns, int64_t n, int64_t list[4])
{
    int count = 0;
    for (int a = 0; a < axis_count(columns); a++) {
        int64_t both[2] = {column_before(columns, n, 2 * a), column_after(columns, n, 2 * a)};
        for (int side = 0; side < 2; side++)
            if (both[side] >= 0 && bw_column_is_there(columns, both[side]))
                list[count++] = both[side];
    }
    return count;
}

// m, of the highest surface beside a column; minus infinity: all is dry.
static double level_beside(const BwColumns *columns, int64_t n)
{
    int64_t list[4];
    int count = list_beside(columns, n, list);
    double level = -(double)INFINITY;
    for (int side = 0; side < count; side++)
        if (bw_column_is_wet(columns, list[side]))
            level = fmax(level, columns->height[list[side]]);
    return level;
}

// What a column holds more than it has room for; below a solid that hangs over it, unless the water beside
// stands higher; and beside a solid up to a cell above the water around: a narrow gap would fill as a tube.
static double pressed_out(const BwColumns *columns, int64_t n)
{
    double h = (double)columns->grid->cell_size, held = excess_of(columns, n), beyond = 0.0;
    double level = level_beside(columns, n);
    if (!bw_column_is_there(columns, n) || isinf(level))
        return held;
    if (!(level > columns->over[n]))
        beyond = columns->water[n] - columns->under[n];
    if (bw_column_is_cut(columns, n, level))
        beyond = fmax(beyond, columns->water[n] - bw_column_water_below(columns, n, level + h));
    return beyond > 1e-9 * h ? fmax(beyond, held) : held;
}

// Every column keeps what it has room for and gets its part of what its neighbours have no room for. False:
// nothing had to move.
static bool press_aside(BwColumns *columns, double *next)
{
    bool has_pressed = false;
    for (int64_t n = 0; n < columns->columns; n++)
        next[n] = columns->water[n];
    for (int64_t n = 0; n < columns->columns; n++) {
        int64_t list[4];
        double excess = pressed_out(columns, n);
        int count = excess > 0.0 ? list_beside(columns, n, list) : 0;
        for (int side = 0; side < count; side++)
            next[list[side]] += excess / count;
        next[n] -= count > 0 ? excess : 0.0;
        has_pressed |= count > 0;
    }
    for (int64_t n = 0; n < columns->columns && has_pressed; n++)
        columns->water[n] = next[n];
    return has_pressed;
}

BwColumnPassing bw_columns_move(BwColumns *columns, const BwColumnStep *step)
{
    Job job = {.columns = columns, .step = step, .limit = columns->next_shown};
    BwPool *pool = step->domain->pool;
    BwColumnPassing passing = {0};
    double base = bw_cell_volume(columns->grid) / (double)columns->grid->cell_size;
    find_side_flows(&job);
    bw_parallel_for(pool, columns->columns, 64, flow_range, &job);
    bw_parallel_for(pool, columns->columns, 64, limit_range, &job);
    bw_parallel_for(pool, columns->columns, 64, move_range, &job);
    for (int64_t n = 0; n < columns->columns; n++) {
        passing.in += base * step->dt * columns->inflow[n];
        passing.out += base * step->dt * job.limit[n] * columns->outflow[n];
        passing.given += base * step->dt * fmax(columns->source[n], 0.0);
        passing.taken += base * step->dt * job.limit[n] * fmax(-columns->source[n], 0.0);
        columns->water[n] += step->dt * columns->speed[n];
    }
    passing.out += base * spill_over(columns);
    for (int sweep = 0; sweep < PRESS_SWEEPS && press_aside(columns, columns->next_shown);)
        sweep++;
    bw_columns_find_heights(columns, pool);
    return passing;
}

double bw_columns_squeeze_out(BwColumns *columns)
{
    double base = bw_cell_volume(columns->grid) / (double)columns->grid->cell_size,
           surplus = -bw_columns_room_left(columns) / base, excess = 0.0;
    for (int64_t n = 0; n < columns->columns; n++)
        excess += excess_of(columns, n);
    if (!(surplus > 0.0) || !(excess > 0.0))
        return 0.0;
    double part = fmin(surplus / excess, 1.0);
    for (int64_t n = 0; n < columns->columns; n++)
        columns->water[n] -= part * excess_of(columns, n);
    return base * part * excess;
}

// The height of the surface beside column n; where it ends, at a side, a solid or dry land, it goes on level.
static double height_beside(const BwColumns *columns, int64_t n, int64_t beside)
{
    bool goes_on = beside >= 0 && bw_column_is_there(columns, beside) && bw_column_is_wet(columns, beside);
    return columns->height[goes_on ? beside : n];
}

// The velocity at the surface: along the ground that of its cell, upwards by (11).
BwVec3 bw_columns_velocity(const BwColumns *columns, const BwVelocity *velocity, int64_t n)
{
    const BwGrid *grid = columns->grid;
    double h = (double)grid->cell_size, up = columns->speed[n];
    int32_t at[3] = {columns->low[0] + (int32_t)(n % columns->count[0]),
                     (int32_t)floor((columns->height[n] - 1e-3 * h) / h),
                     columns->low[2] + (int32_t)(n / columns->count[0])};
    float speed[2] = {0.0f, 0.0f};
    int32_t slot = bw_grid_find(grid, bw_tile_of_cell(grid, at));
    int cell = bw_index_in_tile(grid, at);
    for (int a = 0; a < axis_count(columns) && slot != 0; a++) {
        int64_t before = column_before(columns, n, 2 * a), after = column_after(columns, n, 2 * a);
        const BwField *u = &velocity->u[2 * a];
        speed[a] = 0.5f * (bw_field_tile(u, slot)[cell] + bw_value_beside(u, slot, cell, 4 * a + 1));
        up += (double)speed[a] * (height_beside(columns, n, after) - height_beside(columns, n, before)) /
              (2.0 * h);
    }
    return bw_vec3(speed[0], (float)up, speed[1]);
}
