// Stam's solver over arrays of Num, written once for floating and for fixed point: the including file has
// said what Num, Wide, Gain, Place and Sum are and how they multiply (stable_float.c, stable_fixed.c).
// Nothing here may name a floating-point type.
//
// References: Stam 2003, Real-Time Fluid Dynamics for Games; Fedkiw, Stam and Jensen 2001, Visual Simulation
// of Smoke (confinement).
#pragma once

// What a ghost cell holds: sign times the cell inside the boundary, plus a value.
typedef struct GhostRule {
    int sign;
    Num value;
} GhostRule;

static GhostRule ghost_rule(BwStableKind kind, BoxPart part, int axis, Num given)
{
    if (kind == BW_STABLE_INFLOW && part != PART_PRESSURE)
        return (GhostRule){0, given};
    if (kind == BW_STABLE_OPEN && part == PART_PRESSURE)
        return (GhostRule){-1, 0};
    if (kind == BW_STABLE_OPEN && part == PART_DENSITY)
        return (GhostRule){0, 0};
    bool is_mirror = kind == BW_STABLE_WALL && (int)part == axis;
    return (GhostRule){is_mirror ? -1 : 1, 0};
}

// A rectangle of ghost cells on one side, in cells along the two other axes.
typedef struct GhostPatch {
    ptrdiff_t start;     // ghost cell at the rectangle's low corner
    ptrdiff_t inward;    // from a ghost to the cell it looks at
    ptrdiff_t stride[2]; // along the rectangle
    int count[2];
} GhostPatch;

static GhostPatch ghost_patch(const BwStable *box, int side, const int low[2], const int high[2])
{
    int axis = side / 2, across = axis == 0 ? 1 : 0, along = axis == 2 ? 1 : 2;
    GhostPatch patch = {.stride = {box->stride[across], box->stride[along]},
                        .count = {high[0] - low[0], high[1] - low[1]}};
    patch.start = low[0] * patch.stride[0] + low[1] * patch.stride[1];
    patch.start += (side & 1 ? box->size[axis] : -1) * box->stride[axis];
    patch.inward = side & 1 ? -box->stride[axis] : box->stride[axis];
    return patch;
}

static void fill_ghost_patch(Num *x, const GhostPatch *patch, GhostRule rule)
{
    for (int b = 0; b < patch->count[1]; b++) {
        Num *row = x + patch->start + b * patch->stride[1];
        for (int a = 0; a < patch->count[0]; a++) {
            Num *ghost = row + a * patch->stride[0];
            *ghost = (Num)rule.sign * ghost[patch->inward] + rule.value;
        }
    }
}

// The whole of a side, grown by the ghosts of the axes that are already filled, so that corners get values
// too.
static void fill_side(const BwStable *box, Num *x, BoxPart part, int side)
{
    int axis = side / 2, across = axis == 0 ? 1 : 0, along = axis == 2 ? 1 : 2;
    int low[2] = {across < axis ? -1 : 0, along < axis ? -1 : 0};
    int high[2] = {box->size[across] - low[0], box->size[along] - low[1]};
    GhostPatch patch = ghost_patch(box, side, low, high);
    if (box->def.periodic[axis]) {
        patch.inward *= box->size[axis];
        fill_ghost_patch(x, &patch, (GhostRule){1, 0});
        return;
    }
    fill_ghost_patch(x, &patch, ghost_rule(box->def.side[side], part, axis, 0));
}

static void fill_patches(const BwStable *box, Num *x, BoxPart part, bool is_homogeneous)
{
    for (int n = 0; n < box->def.patch_count; n++) {
        const BwStablePatch *def = &box->def.patches[n];
        GhostPatch patch = ghost_patch(box, def->side, def->low, def->high);
        Num value = is_homogeneous ? 0 : patch_value(box, n, part);
        fill_ghost_patch(x, &patch, ghost_rule(def->kind, part, def->side / 2, value));
    }
}

// The paper's corners: the mean of the two ghosts beside them.
static void fill_corners(const BwStable *box, Num *x)
{
    for (int corner = 0; corner < 4; corner++) {
        int i = corner & 1 ? box->size[0] : -1, j = corner & 2 ? box->size[1] : -1;
        ptrdiff_t row = box->stride[1], c = i + j * row;
        x[c] = num_half((Wide)x[c + (i < 0 ? 1 : -1)] + x[c + (j < 0 ? row : -row)]);
    }
}

// The paper's set_bnd, from a side on. Homogeneous: as for a correction, which must not bring in the inflow
// again.
static void fill_ghosts_from(const BwStable *box, Num *x, BoxPart part, int first_side, bool is_homogeneous)
{
    for (int side = first_side; side < 2 * box->dimension; side++)
        fill_side(box, x, part, side);
    fill_patches(box, x, part, is_homogeneous);
    if (box->dimension == 2 && !box->def.periodic[0] && !box->def.periodic[1])
        fill_corners(box, x);
}

static void fill_ghosts(const BwStable *box, Num *x, BoxPart part)
{
    fill_ghosts_from(box, x, part, 0, false);
}

// How the mirror image behind a closed face looks for this part, along each axis.
typedef struct Mirror {
    int x, y, z;
} Mirror;

static Mirror mirror_of(BoxPart part)
{
    return (Mirror){part == PART_U ? -1 : 1, part == PART_V ? -1 : 1, part == PART_W ? -1 : 1};
}

// The neighbour of cell c across one of its sides; behind a closed side stands the cell's own image.
BOX_INLINE Num neighbour(const Num *x, ptrdiff_t c, ptrdiff_t step, int sides, int side, int sign)
{
    return sides >> side & 1 ? (Num)sign * x[c] : x[c + step];
}

// Sum over the four or six neighbours of cell c.
BOX_INLINE Wide neighbour_sum(const Num *x, ptrdiff_t c, const ptrdiff_t *stride, int sides, Mirror m,
                              bool is_3d)
{
    Wide sum = (Wide)neighbour(x, c, -1, sides, 0, m.x) + neighbour(x, c, 1, sides, 1, m.x) +
               neighbour(x, c, -stride[1], sides, 2, m.y) + neighbour(x, c, stride[1], sides, 3, m.y);
    if (is_3d)
        sum += (Wide)neighbour(x, c, -stride[2], sides, 4, m.z) + neighbour(x, c, stride[2], sides, 5, m.z);
    return sum;
}

// Work on rows: `fn` gets the row's first cell.
typedef struct RowJob {
    BwStable *box;
    void (*fn)(const struct RowJob *job, ptrdiff_t first, int64_t q);
    Num *out[4];
    const Num *in[4];
    const uint8_t *sides; // NULL: no internal walls
    BoxPart part;
    Gain gain[3];
} RowJob;

static void run_rows(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const RowJob *job = context;
    for (int64_t q = begin; q < end; q++)
        job->fn(job, box_row(job->box, q), q);
}

static void for_rows(RowJob *job)
{
    BwStable *box = job->box;
    job->sides = box->has_solids ? box->sides : NULL;
    int grain = 8192 / box->size[0] + 1; // some 8192 cells a block
    bw_parallel_for(box->pool, box_row_count(box), grain, run_rows, job);
}

// x += dt * s, the paper's add_source.
static void add_source_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    Num *restrict x = job->out[0] + first;
    const Num *restrict s = job->in[0] + first;
    Gain dt = job->gain[0];
    for (int i = 0; i < job->box->size[0]; i++)
        x[i] = num_narrow(x[i] + num_times_dt(s[i], dt));
}

// One row of a Chebyshev sweep: out = before + omega (rhs + gain * neighbours - before), where before is what
// out held. The first sweep has omega 1 and is plain Jacobi.
BOX_INLINE void relax_row(const RowJob *job, ptrdiff_t first, const uint8_t *sides, bool is_3d)
{
    Num *restrict out = job->out[0];
    const Num *restrict x = job->in[0], *restrict rhs = job->in[1];
    Gain gain = job->gain[0], share = job->gain[1], omega = job->gain[2];
    Mirror m = mirror_of(job->part);
    const ptrdiff_t stride[3] = {1, job->box->stride[1], job->box->stride[2]};
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++) {
        Wide sum = neighbour_sum(x, c, stride, sides != NULL ? sides[c] : 0, m, is_3d);
        Wide jacobi = num_scale(share, rhs[c]) + num_scale(gain, sum);
        out[c] = num_narrow(out[c] + num_scale(omega, jacobi - out[c]));
    }
}

// A row's own two ghosts, while it is in the cache: the left and right side of fill_ghosts.
static void fill_row_ends(const BwStable *box, Num *row, BoxPart part)
{
    int n = box->size[0];
    bool is_periodic = box->def.periodic[0];
    int low = ghost_rule(box->def.side[0], part, 0, 0).sign,
        high = ghost_rule(box->def.side[1], part, 0, 0).sign;
    row[-1] = is_periodic ? row[n - 1] : (Num)low * row[0];
    row[n] = is_periodic ? row[0] : (Num)high * row[n - 1];
}

static void relax_row_any(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    bool is_3d = job->box->dimension == 3;
    if (job->sides != NULL)
        is_3d ? relax_row(job, first, job->sides, true) : relax_row(job, first, job->sides, false);
    else
        is_3d ? relax_row(job, first, NULL, true) : relax_row(job, first, NULL, false);
    fill_row_ends(job->box, job->out[0] + first, job->part);
}

#include "solvers/stable_sweep.h"

static void swap_arrays(void **a, void **b)
{
    void *swap = *a;
    *a = *b;
    *b = swap;
}

static void clear(const BwStable *box, Num *x)
{
    memset(x - box->origin, 0, box->element_count * sizeof *x);
}

// Jacobi sweeps with Chebyshev's weights: no order among the cells, so a shifted periodic box gives the
// shifted answer, and no slower to converge than Gauss-Seidel (Golub and Varga 1961). The weights want a
// bound rho < 1 on what one plain sweep leaves of an error: diffusion knows its own, the pressure takes the
// one that pays within this number of sweeps.
static void relax_by_chebyshev(BwStable *box, const System *system)
{
    Num *x = *system->slot;
    if (system->has_zero_guess)
        clear(box, x);
    memcpy((Num *)box->spare[0] - box->origin, x - box->origin, box->element_count * sizeof *x);
    Gain omega = NUM_ONE, rho2 = chebyshev_rho2(box, system->gain);
    for (int sweep = 0; sweep < box->def.sweeps && !box_is_stopped(box); sweep++) {
        RowJob job = {.box = box,
                      .fn = relax_row_any,
                      .out = {box->spare[0]},
                      .in = {*system->slot, system->rhs},
                      .part = system->part,
                      .gain = {system->gain, system->share, omega}};
        for_rows(&job);
        swap_arrays(system->slot, &box->spare[0]);
        fill_ghosts_from(box, *system->slot, system->part, 2, false);
        omega = chebyshev_omega(omega, rho2, sweep == 0);
    }
}

static void relax(BwStable *box, const System *system)
{
    if (box->is_plain && !box->has_solids)
        relax_by_sweeps(box, system);
    else
        relax_by_chebyshev(box, system);
}

// Chosen by the number type: relax, or in floating point what the Def asks for.
static void solve(BwStable *box, const System *system);

// Makes good the mass that unfinished sweeps lost: every value gets its share, by its size, of the
// difference.
static void sum_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    const Num *before = job->in[0] + first, *after = job->in[1] + first;
    Sum sums[3] = {0, 0, 0};
    for (int i = 0; i < job->box->size[0]; i++) {
        sums[0] += before[i];
        sums[1] += after[i];
        sums[2] += after[i] < 0 ? -(Sum)after[i] : (Sum)after[i];
    }
    memcpy((Sum *)job->box->row_sums + 3 * q, sums, sizeof sums);
}

// What rounding takes from one cell goes to the next, or small shares would all be lost in fixed point; only
// not in periodic boxes, where no cell comes first.
static void share_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    Num *x = job->out[0] + first;
    const bool *periodic = job->box->def.periodic;
    bool is_kept = !periodic[0] && !periodic[1] && !periodic[2];
    Wide rest = 0;
    for (int i = 0; i < job->box->size[0]; i++) {
        Wide size = x[i] < 0 ? -(Wide)x[i] : (Wide)x[i];
        x[i] = num_narrow(x[i] + num_scale_keeping(job->gain[0], size, &rest));
        rest = is_kept ? rest : 0;
    }
}

static void conserve_mass(BwStable *box, Num *x, const Num *before)
{
    RowJob job = {.box = box, .fn = sum_row, .out = {x}, .in = {before, x}};
    for_rows(&job);
    Sum sums[3] = {0, 0, 0};
    const Sum *rows = box->row_sums;
    for (int q = 0; q < box_row_count(box); q++)
        for (int n = 0; n < 3; n++)
            sums[n] += rows[3 * q + n];
    if (sums[2] == 0 || sums[0] == sums[1])
        return;
    job.fn = share_row;
    job.gain[0] = num_ratio(sums[0] - sums[1], sums[2]);
    for_rows(&job);
    fill_ghosts(box, x, PART_DENSITY);
}

// The paper's diffuse: the new values, diffused backward in time, give the old ones. The field and its source
// array change places, and the source array is then free.
static void diffuse(BwStable *box, int f, System system)
{
    if (system.gain == 0)
        return;
    swap_arrays(&box->field[f], &box->source[f]);
    Num *x = box->field[f], *before = box->source[f];
    if (!box->def.guess_is_source)
        memcpy(x - box->origin, before - box->origin, box->element_count * sizeof *x);
    system.slot = &box->field[f];
    system.rhs = before;
    system.part = (BoxPart)f;
    system.has_zero_ghosts = box->def.guess_is_source;
    solve(box, &system);
    if (f == BW_STABLE_DENSITY && box->def.conserve_mass && box->is_sealed)
        conserve_mass(box, box->field[f], before);
}

// Minus the divergence times h, halved as in the paper's central difference.
BOX_INLINE void divergence_row(const RowJob *job, ptrdiff_t first, const uint8_t *closed, bool is_3d)
{
    Num *restrict out = job->out[0];
    const Num *restrict u = job->in[0], *restrict v = job->in[1], *restrict w = job->in[2];
    ptrdiff_t row = job->box->stride[1], plane = job->box->stride[2];
    for (ptrdiff_t c = first; c < first + job->box->size[0]; c++) {
        int sides = closed != NULL ? closed[c] : 0;
        Wide sum = (Wide)neighbour(u, c, 1, sides, 1, -1) - neighbour(u, c, -1, sides, 0, -1) +
                   neighbour(v, c, row, sides, 3, -1) - neighbour(v, c, -row, sides, 2, -1);
        if (is_3d)
            sum += (Wide)neighbour(w, c, plane, sides, 5, -1) - neighbour(w, c, -plane, sides, 4, -1);
        out[c] = num_half(-sum);
    }
}

static void divergence_row_any(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    bool is_3d = job->box->dimension == 3;
    if (job->sides != NULL)
        divergence_row(job, first, job->sides, is_3d);
    else if (is_3d)
        divergence_row(job, first, NULL, true);
    else
        divergence_row(job, first, NULL, false);
}

// One component minus the gradient of the pressure along its axis; nothing moves inside solids.
static void subtract_gradient(Num *restrict u, const Num *restrict p, const uint8_t *closed, ptrdiff_t step,
                              int axis, int count)
{
    if (closed == NULL) {
        for (int i = 0; i < count; i++)
            u[i] = num_narrow(u[i] - num_half((Wide)p[i + step] - p[i - step]));
        return;
    }
    for (int i = 0; i < count; i++) {
        int sides = closed[i];
        Wide slope =
            (Wide)neighbour(p, i, step, sides, 2 * axis + 1, 1) - neighbour(p, i, -step, sides, 2 * axis, 1);
        u[i] = sides & CELL_SOLID ? 0 : num_narrow(u[i] - num_half(slope));
    }
}

static void subtract_gradient_row(const RowJob *job, ptrdiff_t first, int64_t q)
{
    (void)q;
    const BwStable *box = job->box;
    const uint8_t *closed = job->sides != NULL ? job->sides + first : NULL;
    for (int axis = 0; axis < box->dimension; axis++)
        subtract_gradient(job->out[axis] + first, job->in[0] + first, closed, box->stride[axis], axis,
                          box->size[0]);
}

// The paper's project: solve for the pressure, subtract its gradient. h cancels out, so it never appears and
// fixed point loses nothing to it. Scratch is the source arrays of u and v.
static void project(BwStable *box)
{
    Num *divergence = box->source[1];
    RowJob job = {.box = box,
                  .fn = divergence_row_any,
                  .out = {divergence},
                  .in = {box->field[0], box->field[1], box->field[2]}};
    for_rows(&job);
    System system = pressure_system(2 * box->dimension);
    system.slot = &box->source[0];
    system.rhs = divergence;
    system.part = PART_PRESSURE;
    system.has_zero_guess = true;
    solve(box, &system);
    job = (RowJob){.box = box,
                   .fn = subtract_gradient_row,
                   .out = {box->field[0], box->field[1], box->field[2]},
                   .in = {box->source[0]}};
    for_rows(&job);
    for (int f = 0; f < box->dimension; f++)
        fill_ghosts(box, box->field[f], (BoxPart)f);
}

#include "solvers/stable_advect.h"
#include "solvers/stable_confine.h"

static void add_source(BwStable *box, int f, Gain dt)
{
    RowJob job = {
        .box = box, .fn = add_source_row, .out = {box->field[f]}, .in = {box->source[f]}, .gain = {dt}};
    for_rows(&job);
    fill_ghosts(box, box->field[f], (BoxPart)f);
}

// A step's numbers, made from dt by each number type.
typedef struct StepGains {
    Gain dt;          // s
    Trace cells;      // dt / h: cells crossed at 1 m/s
    System viscosity; // with gain and share set
    System diffusion;
} StepGains;

// The paper's vel_step and dens_step.
static void step(BwStable *box, const StepGains *gains)
{
    int velocity_count = box->dimension;
    box->report = (BwStableReport){0};
    if (box->has_confinement)
        confine_vorticity(box);
    for (int f = 0; f < velocity_count; f++) {
        add_source(box, f, gains->dt);
        diffuse(box, f, gains->viscosity);
    }
    project(box);
    for (int f = 0; f < velocity_count; f++)
        swap_arrays(&box->field[f], &box->source[f]);
    advect_velocity(box, gains->cells);
    project(box);

    add_source(box, BW_STABLE_DENSITY, gains->dt);
    diffuse(box, BW_STABLE_DENSITY, gains->diffusion);
    swap_arrays(&box->field[BW_STABLE_DENSITY], &box->source[BW_STABLE_DENSITY]);
    advect_density(box, gains->cells);
    for (int f = 0; f < BW_STABLE_FIELDS; f++)
        if (box->source[f] != NULL)
            clear(box, box->source[f]);
}
