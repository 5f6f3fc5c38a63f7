// The solvers that need floating point: conjugate gradients, and the direct solve by transforms, which is
// exact in a box whose sides are each of one kind and preconditions the gradients where walls stand inside
// it. Invariant: directions carry homogeneous ghosts; only the true residual sees inflow.
#pragma once

#include "solvers/stable_transform.h"

// The system's matrix at a cell: alpha x + a (sum of differences to the neighbours). Differences of near
// values are exact; the sum of neighbours would lose digits that the residual lives in.
BOX_INLINE float matrix_at(const RowJob *job, const float *x, ptrdiff_t c)
{
    const ptrdiff_t *stride = job->box->stride;
    int sides = job->sides != NULL ? job->sides[c] : 0;
    Mirror m = mirror_of(job->part);
    float own = x[c],
          sum = (own - neighbour(x, c, -1, sides, 0, m.x)) + (own - neighbour(x, c, 1, sides, 1, m.x));
    sum += (own - neighbour(x, c, -stride[1], sides, 2, m.y)) +
           (own - neighbour(x, c, stride[1], sides, 3, m.y));
    if (job->box->dimension == 3)
        sum += (own - neighbour(x, c, -stride[2], sides, 4, m.z)) +
               (own - neighbour(x, c, stride[2], sides, 5, m.z));
    return job->gain[0] * own + job->gain[1] * sum;
}

static void residual_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    Sum *sums = (Sum *)job->box->row_sums + 3 * q;
    sums[0] = sums[1] = sums[2] = 0.0;
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++) {
        float rhs = job->in[1][c], r = rhs - matrix_at(job, job->in[0], c);
        job->out[0][c] = r;
        sums[0] += (double)r * r;
        sums[1] += (double)rhs * rhs;
        sums[2] += r;
    }
}

static void apply_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    Sum dot = 0.0;
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++) {
        job->out[0][c] = matrix_at(job, job->in[0], c);
        dot += (double)job->in[0][c] * job->out[0][c];
    }
    ((Sum *)job->box->row_sums)[3 * q] = dot;
}

// x += step * direction, r -= step * image, and the new r * r.
static void descend_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    float *x = job->out[0] + first, *r = job->out[1] + first, step = job->gain[2];
    const float *direction = job->in[0] + first, *image = job->in[1] + first;
    Sum sum = 0.0;
    for (int i = 0; i < job->box->size[0]; i++) {
        x[i] += step * direction[i];
        r[i] -= step * image[i];
        sum += (double)r[i] * r[i];
    }
    ((Sum *)job->box->row_sums)[3 * q] = sum;
}

static void dot_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    const float *a = job->in[0] + first, *b = job->in[1] + first;
    Sum sum = 0.0;
    for (int i = 0; i < job->box->size[0]; i++)
        sum += (double)a[i] * b[i];
    ((Sum *)job->box->row_sums)[3 * q] = sum;
}

// direction = z + keep * direction
static void turn_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    float *restrict direction = job->out[0] + first, keep = job->gain[2];
    const float *restrict z = job->in[0] + first;
    for (int i = 0; i < job->box->size[0]; i++)
        direction[i] = z[i] + keep * direction[i];
}

static void lower_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++)
        job->out[0][c] -= job->sides != NULL && job->sides[c] & CELL_SOLID ? 0.0f : job->gain[2];
}

static Sum total_of(const BwStable *box, int which)
{
    Sum sum = 0.0;
    for (int q = 0; q < box_row_count(box); q++)
        sum += ((const Sum *)box->row_sums)[3 * q + which];
    return sum;
}

static RowJob system_job(BwStable *box, const System *system)
{
    return (RowJob){.box = box, .part = system->part, .gain = {system->alpha, system->a}};
}

// How the sides look to a part: exact when each is a mirror or a negative mirror as a whole.
static bool find_ends(const BwStable *box, BoxPart part, LineEnds ends[3])
{
    bool is_exact = !box->has_solids;
    for (int axis = 0; axis < box->dimension; axis++) {
        int sign[2];
        for (int high = 0; high < 2; high++) {
            sign[high] = ghost_rule(box->def.side[2 * axis + high], part, axis, 0.0f).sign;
            is_exact &= sign[high] != 0 || box->def.periodic[axis];
        }
        ends[axis] = (LineEnds){box->def.periodic[axis], sign[0] > 0 ? 1 : -1, sign[1] > 0 ? 1 : -1};
    }
    for (int n = 0; n < box->def.patch_count; n++) {
        const BwStablePatch *patch = &box->def.patches[n];
        int axis = patch->side / 2, sign = ghost_rule(patch->kind, part, axis, 0.0f).sign;
        is_exact &= sign == (patch->side & 1 ? ends[axis].high : ends[axis].low);
    }
    return is_exact;
}

typedef enum LinePass { LINES_FORWARD, LINES_SOLVE, LINES_INVERSE } LinePass;

typedef struct LineJob {
    BwStable *box;
    float *x;
    LineEnds ends[3];
    const Waves *waves[3];
    int axis;
    LinePass pass;
    float alpha, a;
} LineJob;

// Divides by the system's eigenvalues along the last axis; a mode that the system does not fix is left out.
static void divide_lines(const LineJob *job, float *lines, int i, int j, int count)
{
    const BwStable *box = job->box;
    const float *eigen_x = box->eigenvalues[0] + i, *eigen = box->eigenvalues[job->axis];
    float rest = job->axis == 2 ? box->eigenvalues[1][j] : 0.0f;
    for (int k = 0; k < box->size[job->axis]; k++)
        for (int l = 0; l < count; l++) {
            float value = job->alpha + job->a * (eigen_x[l] + rest + eigen[k]);
            float *x = &lines[k * LINE_LANES + l];
            *x = value > 1e-12f ? *x / value : 0.0f;
        }
}

static void transform_lines(const LineJob *job, float *lines, float *work, int i, int j, int count)
{
    int n = job->box->size[job->axis];
    if (job->pass != LINES_INVERSE)
        bw_lines_forward(job->waves[job->axis], job->ends[job->axis], n, lines, work);
    if (job->pass == LINES_SOLVE)
        divide_lines(job, lines, i, j, count);
    if (job->pass != LINES_FORWARD)
        bw_lines_inverse(job->waves[job->axis], job->ends[job->axis], n, lines, work);
}

// A bundle of lines along y or z: neighbours in x, so rows are copied whole.
static void cross_lines(const LineJob *job, float *lines, float *work, int i, int other)
{
    const BwStable *box = job->box;
    int n = box->size[job->axis], count = at_most(LINE_LANES, box->size[0] - i);
    ptrdiff_t step = box->stride[job->axis], first = i + other * box->stride[3 - job->axis];
    size_t bytes = (size_t)count * sizeof(float);
    memset(lines, 0, (size_t)n * LINE_LANES * sizeof(float));
    for (int k = 0; k < n; k++)
        memcpy(lines + k * LINE_LANES, job->x + first + k * step, bytes);
    transform_lines(job, lines, work, i, other, count);
    for (int k = 0; k < n; k++)
        memcpy(job->x + first + k * step, lines + k * LINE_LANES, bytes);
}

// A bundle of rows.
static void along_lines(const LineJob *job, float *lines, float *work, int64_t row)
{
    const BwStable *box = job->box;
    int n = box->size[0], count = at_most(LINE_LANES, box_row_count(box) - (int)row);
    memset(lines, 0, (size_t)n * LINE_LANES * sizeof(float));
    for (int l = 0; l < count; l++)
        for (int i = 0; i < n; i++)
            lines[i * LINE_LANES + l] = job->x[box_row(box, row + l) + i];
    transform_lines(job, lines, work, 0, 0, count);
    for (int l = 0; l < count; l++)
        for (int i = 0; i < n; i++)
            job->x[box_row(box, row + l) + i] = lines[i * LINE_LANES + l];
}

static void line_range(int64_t begin, int64_t end, int worker, void *context)
{
    const LineJob *job = context;
    const BwStable *box = job->box;
    float *lines = box->line_memory + (size_t)worker * box->line_memory_size;
    float *work = lines + (size_t)box->size[job->axis] * LINE_LANES;
    int bundles = (box->size[0] + LINE_LANES - 1) / LINE_LANES;
    for (int64_t b = begin; b < end && !box_is_stopped(box); b++) {
        if (job->axis == 0)
            along_lines(job, lines, work, b * LINE_LANES);
        else
            cross_lines(job, lines, work, (int)(b % bundles) * LINE_LANES, (int)(b / bundles));
    }
}

static void line_pass(LineJob *job, int axis, LinePass pass)
{
    const BwStable *box = job->box;
    job->axis = axis;
    job->pass = pass;
    int rows = (box_row_count(box) + LINE_LANES - 1) / LINE_LANES;
    int bundles = (box->size[0] + LINE_LANES - 1) / LINE_LANES, others = axis == 0 ? 1 : box->size[3 - axis];
    bw_parallel_for(box->pool, axis == 0 ? rows : bundles * others, 1, line_range, job);
}

// x becomes the answer to the right side that it holds.
static void solve_directly(BwStable *box, const System *system, const LineEnds ends[3], float *x)
{
    LineJob job = {.box = box, .x = x, .alpha = system->alpha, .a = system->a};
    for (int axis = 0; axis < box->dimension; axis++) {
        bool is_mixed = !ends[axis].is_periodic && ends[axis].low != ends[axis].high;
        job.ends[axis] = ends[axis];
        job.waves[axis] = &box->waves[axis][is_mixed];
        for (int k = 0; k < box->size[axis]; k++)
            box->eigenvalues[axis][k] = bw_line_eigenvalue(ends[axis], box->size[axis], k);
    }
    int last = box->dimension - 1;
    for (int axis = 0; axis < last; axis++)
        line_pass(&job, axis, LINES_FORWARD);
    line_pass(&job, last, LINES_SOLVE);
    for (int axis = last - 1; axis >= 0; axis--)
        line_pass(&job, axis, LINES_INVERSE);
}

// r = rhs - A x with the boundaries as they are; the relative size of r. Where the pressure is free by a
// constant, what no pressure can answer (the mean) does not count.
static double true_residual(BwStable *box, const System *system, float *r)
{
    fill_ghosts(box, *system->slot, system->part);
    RowJob job = system_job(box, system);
    job.fn = residual_row;
    job.out[0] = r;
    job.in[0] = *system->slot;
    job.in[1] = system->rhs;
    for_rows(&job);
    double count = (double)box->fluid_cell_count, rr = total_of(box, 0), bb = total_of(box, 1);
    double mean = total_of(box, 2) / count;
    if (system->part == PART_PRESSURE && !box->has_open_side) {
        job.fn = lower_row;
        job.gain[2] = (float)mean;
        for_rows(&job);
        rr -= mean * mean * count;
    }
    return bb > 0.0 ? sqrt(fmax(rr, 0.0) / bb) : 0.0;
}

static void precondition(BwStable *box, const System *system, const LineEnds ends[3], float *z,
                         const float *r)
{
    memcpy(z - box->origin, r - box->origin, box->element_count * sizeof *z);
    if (box->def.solver == BW_STABLE_FAST)
        solve_directly(box, system, ends, z);
}

static double dot_of(BwStable *box, const float *a, const float *b)
{
    RowJob job = {.box = box, .fn = dot_row, .in = {a, b}};
    for_rows(&job);
    return total_of(box, 0);
}

// One turn of the method: down along the direction, then a new direction. Gives the relative residual.
static double gradient_iteration(BwStable *box, const System *system, const LineEnds ends[3], double *rz,
                                 double rhs_size)
{
    float *r = box->spare[0], *direction = box->spare[1], *image = box->spare[2], *z = box->spare[3];
    fill_ghosts_from(box, direction, system->part, 0, true);
    RowJob job = system_job(box, system);
    job.fn = apply_row;
    job.out[0] = image;
    job.in[0] = direction;
    for_rows(&job);
    double curvature = total_of(box, 0);
    if (!(curvature > 0.0))
        return 0.0;
    job.fn = descend_row;
    job.out[0] = *system->slot;
    job.out[1] = r;
    job.in[1] = image;
    job.gain[2] = (float)(*rz / curvature);
    for_rows(&job);
    double residual = sqrt(total_of(box, 0)) / rhs_size;
    precondition(box, system, ends, z, r);
    double next = dot_of(box, r, z);
    job.fn = turn_row;
    job.out[0] = direction;
    job.in[0] = z;
    job.gain[2] = (float)(next / *rz);
    for_rows(&job);
    *rz = next;
    return residual;
}

static void solve_by_gradients(BwStable *box, const System *system, const LineEnds ends[3])
{
    if (system->has_zero_guess)
        clear(box, *system->slot);
    float *r = box->spare[0], *direction = box->spare[1];
    double residual = true_residual(box, system, r), rhs_size = sqrt(total_of(box, 1));
    precondition(box, system, ends, direction, r);
    double rz = dot_of(box, r, direction);
    int iterations = 0;
    while (residual > box->def.tolerance && iterations < box->def.iterations_max && !box_is_stopped(box)) {
        residual = gradient_iteration(box, system, ends, &rz, rhs_size);
        iterations++;
    }
    box->report.iterations += iterations;
}

static void solve_to_tolerance(BwStable *box, const System *system)
{
    LineEnds ends[3];
    bool is_exact = find_ends(box, system->part, ends);
    if (box->def.solver == BW_STABLE_FAST && is_exact) {
        memcpy((float *)*system->slot - box->origin, system->rhs - box->origin,
               box->element_count * sizeof(float));
        solve_directly(box, system, ends, *system->slot);
    } else {
        solve_by_gradients(box, system, ends);
    }
    float residual = (float)true_residual(box, system, box->spare[0]);
    box->report.residual = fmaxf(box->report.residual, residual);
}
