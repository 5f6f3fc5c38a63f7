// The paper's advect: from every cell's centre follow the velocity back over the step and take what is there.
// Positions count as in the paper, cell i having its centre at i + 1, ghosts at 0 and n + 1.
//
// All fields that move with one velocity share its trace: positions and weights are found for a run of cells
// first, which is arithmetic alone and vectorises, then each field is read.
#pragma once

enum { TRACE_RUN = 64 };

typedef struct TraceRun {
    int32_t cell[TRACE_RUN];  // low corner, as an offset from cell (0, 0, 0)
    Num weight[3][TRACE_RUN]; // of the high corner along each axis
} TraceRun;

typedef struct AdvectJob {
    BwStable *box;
    Num *out[3];
    const Num *in[3];
    BoxPart part[3];
    int count; // of fields
    const Num *velocity[3];
    Trace cells;
} AdvectJob;

// Where the trace of cell i (or j, or k) ends along one axis: in the box, or round it where it is periodic.
BOX_INLINE Place trace_end(int i, Num u, Trace cells, int n, bool is_periodic)
{
    Place place = place_of(i + 1) - place_move(u, cells);
    return is_periodic ? place_wrap(place, n) : place_clamp(place, n);
}

// One axis of the traces of a run that starts at place i and goes on by `along` a cell: weights, and the low
// corner's part of the offset, which is added up over the axes.
static void trace_axis(int32_t *restrict cell, Num *restrict weight, const Num *restrict u,
                       const AdvectJob *job, int axis, int i, int count)
{
    const int n = job->box->size[axis], along = axis == 0;
    const int32_t stride = (int32_t)job->box->stride[axis];
    const Trace cells = job->cells;
    const bool is_periodic = job->box->def.periodic[axis];
    for (int m = 0; m < count; m++) {
        Place end = trace_end(i + m * along, u[m], cells, n, is_periodic);
        weight[m] = place_fraction(end);
        cell[m] += (place_cell(end) - 1) * stride;
    }
}

static void trace_run(const AdvectJob *job, TraceRun *run, const int at[3], int count)
{
    const ptrdiff_t *stride = job->box->stride;
    ptrdiff_t c = at[0] + at[1] * stride[1] + at[2] * stride[2];
    memset(run->cell, 0, sizeof run->cell);
    for (int axis = 0; axis < job->box->dimension; axis++)
        trace_axis(run->cell, run->weight[axis], job->velocity[axis] + c, job, axis, at[axis], count);
}

// Linear interpolation, along y first as in the paper.
BOX_INLINE Num sample_flat(const Num *x, ptrdiff_t row, Num s, Num t)
{
    return num_mix(num_mix(x[0], x[row], t), num_mix(x[1], x[row + 1], t), s);
}

static void read_run(const AdvectJob *job, const TraceRun *run, int field, ptrdiff_t c, int count)
{
    const Num *restrict in = job->in[field];
    Num *restrict out = job->out[field] + c;
    const Num *s = run->weight[0], *t = run->weight[1], *r = run->weight[2];
    ptrdiff_t row = job->box->stride[1], plane = job->box->stride[2];
    if (job->box->dimension == 2) {
        for (int n = 0; n < count; n++)
            out[n] = sample_flat(in + run->cell[n], row, s[n], t[n]);
        return;
    }
    for (int n = 0; n < count; n++) {
        const Num *x = in + run->cell[n];
        out[n] = num_mix(sample_flat(x, row, s[n], t[n]), sample_flat(x + plane, row, s[n], t[n]), r[n]);
    }
}

// A trace that may meet an internal wall. It goes in moves of less than a cell, one axis at a time, and stops
// at closed faces.
typedef struct Walk {
    int cell[3];
    Place at[3];
} Walk;

static ptrdiff_t walk_offset(const BwStable *box, const Walk *walk)
{
    return walk->cell[0] + walk->cell[1] * box->stride[1] + walk->cell[2] * box->stride[2];
}

// One move along an axis. The face towards the next cell is half a cell from the centre, at cell + 1 +- 1/2.
static void walk_axis(const BwStable *box, Walk *walk, int axis, Place move)
{
    int n = box->size[axis], sides = box->sides[walk_offset(box, walk)];
    Place to = walk->at[axis] + move, center = place_of(walk->cell[axis] + 1);
    Place low = center - PLACE_HALF, high = center + PLACE_HALF;
    if (to >= low && to < high) {
        walk->at[axis] = to;
        return;
    }
    int up = to >= high, next = walk->cell[axis] + (up ? 1 : -1);
    bool is_outside = (next < 0 || next >= n) && !box->def.periodic[axis];
    if (is_outside || sides >> (2 * axis + up) & 1) {
        walk->at[axis] = up ? high : low;
        return;
    }
    walk->cell[axis] = (next + n) % n;
    walk->at[axis] = to + place_of(walk->cell[axis] - next);
}

// Value of a corner of the interpolation, reached from a cell by at most one hop an axis. A hop over a closed
// face is not made: its cell's own image stands there.
static Num corner_value(const BwStable *box, const Num *x, BoxPart part, const Walk *walk, const int hop[3])
{
    ptrdiff_t c = walk_offset(box, walk);
    Num sign = 1;
    for (int axis = 0; axis < box->dimension; axis++) {
        if (hop[axis] == 0)
            continue;
        if (box->sides[c] >> (2 * axis + (hop[axis] > 0)) & 1)
            sign = (int)part == axis ? -sign : sign;
        else
            c += hop[axis] * box->stride[axis];
    }
    return sign * x[c];
}

static Num sample_walled(const BwStable *box, const Num *x, BoxPart part, const Walk *walk)
{
    int toward[3] = {0, 0, 0};
    Num weight[3] = {0, 0, 0}, value[8];
    for (int axis = 0; axis < box->dimension; axis++) {
        Place off = walk->at[axis] - place_of(walk->cell[axis] + 1);
        toward[axis] = off < 0 ? -1 : 1;
        weight[axis] = place_weight(off < 0 ? -off : off);
    }
    int corner_count = 1 << box->dimension;
    for (int n = 0; n < corner_count; n++) {
        int hop[3] = {n & 1 ? toward[0] : 0, n & 2 ? toward[1] : 0, n & 4 ? toward[2] : 0};
        value[n] = corner_value(box, x, part, walk, hop);
    }
    for (int axis = 0, left = corner_count / 2; axis < box->dimension; axis++, left /= 2)
        for (int n = 0; n < left; n++)
            value[n] = num_mix(value[2 * n], value[2 * n + 1], weight[axis]);
    return value[0];
}

static void advect_walled(const AdvectJob *job, int i, int j, int k)
{
    const BwStable *box = job->box;
    Walk walk = {{i, j, k}, {place_of(i + 1), place_of(j + 1), place_of(k + 1)}};
    ptrdiff_t c = walk_offset(box, &walk);
    Place move[3] = {0, 0, 0}, longest = 0;
    for (int axis = 0; axis < box->dimension; axis++) {
        Place limit = place_of(box->size[axis]);
        Place m = -place_move(job->velocity[axis][c], job->cells);
        move[axis] = m > limit ? limit : m < -limit ? -limit : m;
        Place length = move[axis] < 0 ? -move[axis] : move[axis];
        longest = length > longest ? length : longest;
    }
    if (longest + place_of(2) < place_of(box->clearance[c]))
        return;
    int moves = 2 * place_cell(longest) + 2;
    for (int n = 0; n < moves; n++)
        for (int axis = 0; axis < box->dimension; axis++)
            walk_axis(box, &walk, axis, move[axis] / (Place)moves);
    bool is_solid = box->sides[c] & CELL_SOLID;
    for (int f = 0; f < job->count; f++)
        job->out[f][c] = is_solid ? 0 : sample_walled(box, job->in[f], job->part[f], &walk);
}

static void advect_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const AdvectJob *job = context;
    const BwStable *box = job->box;
    TraceRun run;
    for (int64_t q = begin; q < end; q++) {
        int j = (int)(q % box->size[1]), k = (int)(q / box->size[1]);
        for (int i = 0; i < box->size[0]; i += TRACE_RUN) {
            int count = at_most(TRACE_RUN, box->size[0] - i);
            trace_run(job, &run, (int[3]){i, j, k}, count);
            for (int f = 0; f < job->count; f++)
                read_run(job, &run, f, i + box_row(box, q), count);
        }
        for (int i = 0; box->has_solids && i < box->size[0]; i++)
            advect_walled(job, i, j, k);
    }
}

static void advect(AdvectJob *job)
{
    BwStable *box = job->box;
    bw_parallel_for(box->pool, box_row_count(box), 4096 / box->size[0] + 1, advect_rows, job);
    for (int f = 0; f < job->count; f++)
        fill_ghosts(box, job->out[f], job->part[f]);
}

// The velocity carries itself: from the source arrays, where it was swapped to, into the fields.
static void advect_velocity(BwStable *box, Trace cells)
{
    AdvectJob job = {.box = box, .count = box->dimension, .cells = cells};
    for (int f = 0; f < box->dimension; f++) {
        job.out[f] = box->field[f];
        job.in[f] = job.velocity[f] = box->source[f];
        job.part[f] = (BoxPart)f;
    }
    advect(&job);
}

static void advect_density(BwStable *box, Trace cells)
{
    AdvectJob job = {.box = box,
                     .out = {box->field[BW_STABLE_DENSITY]},
                     .in = {box->source[BW_STABLE_DENSITY]},
                     .part = {PART_DENSITY},
                     .count = 1,
                     .velocity = {box->field[0], box->field[1], box->field[2]},
                     .cells = cells};
    advect(&job);
}
