// What the stable box must show: it never blows up, keeps mass, holds behind thin walls, has no favourite
// place when periodic, and all its solvers solve the same system.
#include "solvers/stable_box.h"
#include "stable_box.h"

// The full test runs the long cases at size.

static void shake(BwStable *box, const BwStableBoxDef *def, uint32_t *random)
{
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f == BW_STABLE_W && def->size[2] == 1)
            continue;
        BwStableView view = bw_stable_source(box, (BwStableField)f);
        for (int n = 0; n < 8; n++) {
            int cell[3];
            for (int axis = 0; axis < 3; axis++)
                cell[axis] = (int)(0.4999 * (random_number(random) + 1.0) * def->size[axis]);
            double strength = f == BW_STABLE_DENSITY ? 1.0 : 10.0;
            write_cell(view, cell[0], cell[1], cell[2], strength * random_number(random));
        }
    }
}

// dt from 1e-4 to 10, evenly in its logarithm. The largest speed and density ever seen.
static void random_steps(BwStableBoxDef def, int steps, double *speed, double *density)
{
    BwStable *box = make_box(&def);
    uint32_t random = 7;
    *speed = *density = 0.0;
    for (int step = 0; step < steps; step++) {
        shake(box, &def, &random);
        bw_stable_step(box, (float)pow(10.0, -1.5 + 2.5 * random_number(&random)));
        if (step % 16 != 0 && step + 1 < steps)
            continue;
        *speed = fmax(*speed, largest_cell(&def, bw_stable_field(box, BW_STABLE_U)));
        *speed = fmax(*speed, largest_cell(&def, bw_stable_field(box, BW_STABLE_V)));
        *density = fmax(*density, largest_cell(&def, bw_stable_field(box, BW_STABLE_DENSITY)));
        assert_true(isfinite(*speed) && isfinite(*density));
    }
    bw_stable_destroy(box);
}

// A kick is at most 100 m/s and brings at most 10 of density a cell; ten of each is far from a blow-up.
static void any_step_is_stable(void **state)
{
    (void)state;
    for (int make = 0; make < 6; make++) {
        int n = IS_FULL && make < 2 ? 96 : 16;
        BwStableBoxDef def = make < 4 ? box_def(n, n, 1) : box_def(10, 10, 10);
        def.number = make % 2 == 1 ? BW_NUMBER_FIXED : BW_NUMBER_FLOAT;
        def.periodic[0] = def.periodic[1] = make == 2 || make == 3;
        def.viscosity = def.diffusion = 1e-4f;
        def.confinement = make == 2 ? 0.0f : 0.05f;
        double speed, density;
        random_steps(def, IS_FULL ? 10000 : make < 2 ? 1500 : 200, &speed, &density);
        char name[64];
        snprintf(name, sizeof name, "stable.random_speed.make%d", make);
        gate(name, speed, GATE_BELOW, 1000.0);
        snprintf(name, sizeof name, "stable.random_density.make%d", make);
        gate(name, density, GATE_BELOW, 100.0);
    }
}

static void fixed_point_follows_floating_point(void **state)
{
    (void)state;
    const int size = IS_FULL ? 128 : 48;
    BwStableBoxDef def = box_def(size, size, 1);
    def.viscosity = def.diffusion = 1e-5f;
    BwStable *box[2];
    for (int n = 0; n < 2; n++) {
        def.number = n == 0 ? BW_NUMBER_FLOAT : BW_NUMBER_FIXED;
        box[n] = make_box(&def);
        for (int step = 0; step < 200; step++) {
            add_demo_sources(box[n], &def);
            bw_stable_step(box[n], 1.0f / 30);
        }
    }
    double difference = 0.0, sum = 0.0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            double a = read_cell(bw_stable_field(box[0], BW_STABLE_DENSITY), i, j, 0);
            double b = read_cell(bw_stable_field(box[1], BW_STABLE_DENSITY), i, j, 0);
            difference += fabs(a - b);
            sum += a;
        }
    gate("stable.fixed_against_float", difference / sum, GATE_BELOW, 0.02);
    gate("stable.demo_mass", sum, GATE_ABOVE, 100.0);
    bw_stable_destroy(box[0]);
    bw_stable_destroy(box[1]);
}

// Sources and diffusion alone: nothing flows. Strong diffusion leaves the sweeps far from done.
static double mass_error(BwStableBoxDef def)
{
    BwStable *box = make_box(&def);
    double expected = 0.0;
    for (int step = 0; step < 50; step++) {
        add_demo_sources(box, &def);
        for (int f = 0; f < 3; f++)
            for (int n = 0; f != BW_STABLE_W && n < def.size[0] * def.size[1]; n++)
                write_cell(bw_stable_source(box, (BwStableField)f), n % def.size[0], n / def.size[0], 0, 0.0);
        expected += 0.125 * sum_cells(&def, bw_stable_source(box, BW_STABLE_DENSITY));
        bw_stable_step(box, 0.125f);
    }
    double mass = sum_cells(&def, bw_stable_field(box, BW_STABLE_DENSITY));
    bw_stable_destroy(box);
    return fabs(mass / expected - 1.0);
}

static void diffusion_and_sources_keep_mass(void **state)
{
    (void)state;
    BwStableBoxDef def = box_def(64, 64, 1);
    def.diffusion = 1e-2f; // 2 da dt / h^2 is 20: twenty sweeps are not nearly enough
    gate("stable.mass_error.sweeps", mass_error(def), GATE_BELOW, 1e-6);
    def.periodic[0] = true;
    gate("stable.mass_error.periodic", mass_error(def), GATE_BELOW, 1e-6);
    def.periodic[0] = false;
    def.number = BW_NUMBER_FIXED;
    gate("stable.mass_error.fixed", mass_error(def), GATE_BELOW, 1e-4);
    def.number = BW_NUMBER_FLOAT;
    def.conserve_mass = false;
    def.solver = BW_STABLE_FAST;
    gate("stable.mass_error.fast", mass_error(def), GATE_BELOW, 1e-5);
}

// Smoke under the wall, and gusts on both sides of it that would pull smoke through if they could.
static void blow(BwStable *box, const BwStableBoxDef *def, uint32_t *random)
{
    int nx = def->size[0], ny = def->size[1], nz = def->size[2];
    BwStableView density = bw_stable_source(box, BW_STABLE_DENSITY);
    for (int i = 0; i < nx; i++)
        write_cell(density, i, ny / 2 - 2, nz / 2, 1.0);
    for (int f = 0; f < 2; f++)
        for (int n = 0; n < nx; n++) {
            int i = (int)(0.4999 * (random_number(random) + 1.0) * nx);
            int j = ny / 2 - 3 + (int)(3.0 * (random_number(random) + 1.0));
            write_cell(bw_stable_source(box, (BwStableField)f), i, j, nz / 2, 40.0 * random_number(random));
        }
}

// A wall across the box at row ny / 2, of cells or of faces: what has come through it after so many steps.
static double leak(BwStableBoxDef def, bool is_face_thin, int steps)
{
    BwStable *box = make_box(&def);
    int nx = def.size[0], ny = def.size[1], nz = def.size[2];
    uint8_t *wall = calloc((size_t)(nx * ny * nz), 1);
    for (int k = 0; k < nz; k++)
        for (int i = 0; i < nx; i++)
            wall[i + nx * (ny / 2 + ny * k)] = is_face_thin ? 2 : 1;
    if (is_face_thin)
        bw_stable_set_faces(box, wall);
    else
        bw_stable_set_solids(box, wall);
    free(wall);
    uint32_t random = 1;
    for (int step = 0; step < steps; step++) {
        blow(box, &def, &random);
        bw_stable_step(box, step % 100 == 0 ? 3.0f : 0.1f);
    }
    double leaked = 0.0, kept = 0.0;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                double value = fabs(read_cell(bw_stable_field(box, BW_STABLE_DENSITY), i, j, k));
                *(j < ny / 2 ? &kept : &leaked) += value;
            }
    assert_true(kept > 1.0);
    bw_stable_destroy(box);
    return leaked;
}

static void thin_walls_hold(void **state)
{
    (void)state;
    for (int is_face_thin = 0; is_face_thin < 2; is_face_thin++) {
        BwStableBoxDef def = IS_FULL ? box_def(96, 80, 1) : box_def(24, 20, 1);
        def.viscosity = def.diffusion = 1e-3f;
        def.confinement = 0.2f;
        const char *kind = is_face_thin ? "face" : "cell";
        char name[64];
        snprintf(name, sizeof name, "stable.leak.%s", kind);
        gate(name, leak(def, is_face_thin, IS_FULL ? 1000 : 150), GATE_BELOW, 0.0);
        def.number = BW_NUMBER_FIXED;
        snprintf(name, sizeof name, "stable.leak.%s.fixed", kind);
        gate(name, leak(def, is_face_thin, IS_FULL ? 1000 : 150), GATE_BELOW, 0.0);
        def.number = BW_NUMBER_FLOAT;
        def.periodic[0] = true;
        snprintf(name, sizeof name, "stable.leak.%s.periodic", kind);
        gate(name, leak(def, is_face_thin, IS_FULL ? 1000 : 100), GATE_BELOW, 0.0);
        def = IS_FULL ? box_def(24, 24, 24) : box_def(10, 10, 8);
        def.diffusion = 1e-3f;
        snprintf(name, sizeof name, "stable.leak.%s.3d", kind);
        gate(name, leak(def, is_face_thin, IS_FULL ? 1000 : 60), GATE_BELOW, 0.0);
    }
}

// Random fields, moved round the box by `shift` cells.
static void fill_at_random(BwStable *box, const BwStableBoxDef *def, uint32_t random, const int shift[3])
{
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f == BW_STABLE_W && def->size[2] == 1)
            continue;
        BwStableView view = bw_stable_field(box, (BwStableField)f);
        for (int k = 0; k < def->size[2]; k++)
            for (int j = 0; j < def->size[1]; j++)
                for (int i = 0; i < def->size[0]; i++)
                    write_cell(view, (i + shift[0]) % def->size[0], (j + shift[1]) % def->size[1],
                               (k + shift[2]) % def->size[2], random_number(&random));
    }
}

static BwStable *shifted_box(const BwStableBoxDef *def, const int shift[3], int steps)
{
    BwStable *box = make_box(def);
    fill_at_random(box, def, 3, shift);
    for (int step = 0; step < steps; step++)
        bw_stable_step(box, 0.1f);
    return box;
}

static double shift_error(BwStableBoxDef def, int steps)
{
    static const int none[3] = {0, 0, 0}, some[3] = {5, 11, 3};
    BwStable *a = shifted_box(&def, none, steps), *b = shifted_box(&def, some, steps);
    double worst = 0.0;
    for (int f = 0; f < BW_STABLE_FIELDS; f++) {
        if (f == BW_STABLE_W && def.size[2] == 1)
            continue;
        BwStableView va = bw_stable_field(a, (BwStableField)f), vb = bw_stable_field(b, (BwStableField)f);
        for (int k = 0; k < def.size[2]; k++)
            for (int j = 0; j < def.size[1]; j++)
                for (int i = 0; i < def.size[0]; i++) {
                    double there = read_cell(vb, (i + some[0]) % def.size[0], (j + some[1]) % def.size[1],
                                             (k + some[2]) % def.size[2]);
                    worst = fmax(worst, fabs(read_cell(va, i, j, k) - there));
                }
    }
    bw_stable_destroy(a);
    bw_stable_destroy(b);
    return worst;
}

static void a_periodic_box_has_no_favourite_place(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 12; depth += 11) {
        BwStableBoxDef def = box_def(depth == 1 ? 48 : 14, 30, depth);
        def.periodic[0] = def.periodic[1] = def.periodic[2] = true;
        def.viscosity = def.diffusion = 1e-4f;
        def.confinement = 0.1f;
        // White noise is chaos: rounding of positions, which depends on the place, grows with every step.
        gate("stable.shift.float", shift_error(def, 2), GATE_BELOW, 1e-3);
        def.number = BW_NUMBER_FIXED;
        gate("stable.shift.fixed", shift_error(def, 20), GATE_BELOW, 0.0);
    }
}

// Boxes with every kind of side, of sizes that are not powers of two.
static BwStableBoxDef def_of_sides(int make)
{
    BwStableBoxDef def = make < 5 ? box_def(45, 28, 1) : box_def(18, 14, 22);
    def.viscosity = def.diffusion = 1e-3f;
    def.tolerance = 1e-5f;
    def.iterations_max = 2000;
    def.periodic[0] = make == 1 || make == 6;
    def.periodic[1] = make == 1;
    def.periodic[2] = make == 6;
    if (make == 2) { // wind tunnel
        def.patch_count = 1;
        def.patches[0] =
            (BwStablePatch){.side = 0, .high = {28, 1}, .kind = BW_STABLE_INFLOW, .velocity = {1.0f}};
        def.side[1] = BW_STABLE_OPEN;
    }
    if (make == 3)
        def.side[2] = def.side[3] = BW_STABLE_OPEN;
    if (make == 7)
        def.side[4] = BW_STABLE_OPEN;
    return def;
}

// Conjugate gradients and transforms stop at the tolerance and agree; also where a thin wall stands.
static void every_solver_solves(void **state)
{
    (void)state;
    double residual = 0.0, difference = 0.0;
    for (int make = 0; make < 8; make++) {
        BwStable *box[2];
        BwStableBoxDef def = def_of_sides(make);
        for (int n = 0; n < 2; n++) {
            def.solver = n == 0 ? BW_STABLE_CG : BW_STABLE_FAST;
            box[n] = make_box(&def);
            if (make == 4) {
                uint8_t *cells = calloc(45 * 28, 1);
                for (int j = 0; j < 20; j++)
                    cells[20 + 45 * j] = 1;
                bw_stable_set_solids(box[n], cells);
                free(cells);
            }
            fill_at_random(box[n], &def, 5, (const int[3]){0, 0, 0});
            bw_stable_step(box[n], 0.1f);
            residual = fmax(residual, bw_stable_report(box[n]).residual);
        }
        for (int k = 0; k < def.size[2]; k++)
            for (int j = 0; j < def.size[1]; j++)
                for (int i = 0; i < def.size[0]; i++)
                    difference =
                        fmax(difference, fabs(read_cell(bw_stable_field(box[0], BW_STABLE_U), i, j, k) -
                                              read_cell(bw_stable_field(box[1], BW_STABLE_U), i, j, k)));
        bw_stable_destroy(box[0]);
        bw_stable_destroy(box[1]);
    }
    // A pressure in float holds no less than some 5e-5 of a long tunnel's right side.
    gate("stable.solver_residual", residual, GATE_BELOW, 1e-4);
    gate("stable.cg_against_fast", difference, GATE_BELOW, 1e-3);
}

// Root of the sum of squares of the central divergence.
static double divergence_of(BwStable *box, const BwStableBoxDef *def)
{
    BwStableView u = bw_stable_field(box, BW_STABLE_U), v = bw_stable_field(box, BW_STABLE_V);
    BwStableView w = bw_stable_field(box, BW_STABLE_W);
    double sum = 0.0;
    for (int k = 0; k < def->size[2]; k++)
        for (int j = 0; j < def->size[1]; j++)
            for (int i = 0; i < def->size[0]; i++) {
                double d = read_cell(u, i + 1, j, k) - read_cell(u, i - 1, j, k) + read_cell(v, i, j + 1, k) -
                           read_cell(v, i, j - 1, k);
                if (def->size[2] > 1)
                    d += read_cell(w, i, j, k + 1) - read_cell(w, i, j, k - 1);
                sum += d * d;
            }
    return sqrt(sum);
}

// Smooth random stirring that a projection has work with.
static void stir(BwStable *box, const BwStableBoxDef *def)
{
    uint32_t random = 11;
    for (int f = 0; f < def->size[2] / 2 && f < 3; f++)
        for (int n = 0; n < 12; n++) {
            BwStableView view = bw_stable_field(box, (BwStableField)f);
            double strength = random_number(&random), at[3];
            for (int axis = 0; axis < 3; axis++)
                at[axis] = 0.5 * (random_number(&random) + 1.0) * def->size[axis];
            for (int k = 0; k < def->size[2]; k++)
                for (int j = 0; j < def->size[1]; j++)
                    for (int i = 0; i < def->size[0]; i++) {
                        double r2 = pow(i - at[0], 2) + pow(j - at[1], 2) + pow(k - at[2], 2);
                        write_cell(view, i, j, k, read_cell(view, i, j, k) + strength * exp(-r2 / 18.0));
                    }
        }
}

static double *plain_array(int n)
{
    return calloc((size_t)((n + 2) * (n + 2) * (n + 2)), sizeof(double));
}

static void mirror(double *x, int n, int b)
{
    int row = n + 2, plane = row * row, step[3] = {1, row, plane};
    for (int axis = 0; axis < 3; axis++)
        for (int a = 1; a <= n; a++)
            for (int c = 1; c <= n; c++) {
                int base = a * step[(axis + 1) % 3] + c * step[(axis + 2) % 3], sign = b == axis ? -1 : 1;
                x[base] = sign * x[base + step[axis]];
                x[base + (n + 1) * step[axis]] = sign * x[base + n * step[axis]];
            }
}

static double plain_divergence(double *const u[3], double *divergence, int n)
{
    int row = n + 2, plane = row * row, step[3] = {1, row, plane};
    double sum = 0.0;
    for (int k = 1; k <= n; k++)
        for (int j = 1; j <= n; j++)
            for (int i = 1; i <= n; i++) {
                int c = i + row * j + plane * k;
                divergence[c] = 0.0;
                for (int axis = 0; axis < 3; axis++)
                    divergence[c] -= 0.5 * (u[axis][c + step[axis]] - u[axis][c - step[axis]]);
                sum += 4.0 * divergence[c] * divergence[c];
            }
    return sqrt(sum);
}

static double plain_3d_divergence(const BwStableBoxDef *def, BwStable *start)
{
    int n = def->size[0], row = n + 2, plane = row * row, step[3] = {1, row, plane};
    double *u[3] = {plain_array(n), plain_array(n), plain_array(n)}, *p = plain_array(n), *d = plain_array(n);
    for (int f = 0; f < 3; f++) {
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    u[f][i + 1 + row * (j + 1) + plane * (k + 1)] =
                        read_cell(bw_stable_field(start, (BwStableField)f), i, j, k);
        mirror(u[f], n, f);
    }
    plain_divergence(u, d, n);
    for (int sweep = 0; sweep < def->sweeps; sweep++) {
        for (int k = 1; k <= n; k++)
            for (int j = 1; j <= n; j++)
                for (int i = 1; i <= n; i++) {
                    int c = i + row * j + plane * k;
                    p[c] =
                        (d[c] + p[c - 1] + p[c + 1] + p[c - row] + p[c + row] + p[c - plane] + p[c + plane]) /
                        6.0;
                }
        mirror(p, n, -1);
    }
    for (int f = 0; f < 3; f++) {
        for (int k = 1; k <= n; k++)
            for (int j = 1; j <= n; j++)
                for (int i = 1; i <= n; i++) {
                    int c = i + row * j + plane * k;
                    u[f][c] -= 0.5 * (p[c + step[f]] - p[c - step[f]]);
                }
        mirror(u[f], n, f);
    }
    double left = plain_divergence(u, d, n);
    for (int f = 0; f < 3; f++)
        free(u[f]);
    free(p);
    free(d);
    return left;
}

// Where sweeps do not run in the paper's order they must leave no more divergence than those that do. A step
// so short that nothing moves is two projections; the plain ones are made twice as well.
static void sweeps_in_3d_are_as_good_as_gauss_seidel(void **state)
{
    (void)state;
    BwStableBoxDef def = IS_FULL ? box_def(64, 64, 64) : box_def(24, 24, 24);
    BwStable *box = make_box(&def);
    stir(box, &def);
    def.sweeps *= 2;
    double theirs = plain_3d_divergence(&def, box);
    bw_stable_step(box, 1e-7f);
    gate("stable.divergence_3d_against_gauss_seidel", divergence_of(box, &def) / theirs, GATE_BELOW, 1.0);
    bw_stable_destroy(box);
}

// Swirl left after 60 steps of a decaying flow, with and without confinement.
static double swirl(float confinement, BwNumber number, int depth)
{
    BwStableBoxDef def = box_def(48, 48, depth);
    def.confinement = confinement;
    def.number = number;
    BwStable *box = make_box(&def);
    for (int step = 0; step < 60; step++) {
        if (step < 10)
            add_demo_sources(box, &def);
        bw_stable_step(box, 0.05f);
    }
    BwStableView u = bw_stable_field(box, BW_STABLE_U), v = bw_stable_field(box, BW_STABLE_V);
    double sum = 0.0;
    for (int k = 0; k < depth; k++)
        for (int j = 1; j < 47; j++)
            for (int i = 1; i < 47; i++)
                sum += pow(read_cell(v, i + 1, j, k) - read_cell(v, i - 1, j, k) - read_cell(u, i, j + 1, k) +
                               read_cell(u, i, j - 1, k),
                           2);
    bw_stable_destroy(box);
    return sum;
}

static void confinement_keeps_swirls(void **state)
{
    (void)state;
    for (int number = BW_NUMBER_FLOAT; number <= BW_NUMBER_FIXED; number++) {
        double ratio = swirl(3.0f, (BwNumber)number, 1) / swirl(0.0f, (BwNumber)number, 1);
        gate(number == BW_NUMBER_FLOAT ? "stable.confinement.float" : "stable.confinement.fixed", ratio,
             GATE_ABOVE, 1.3);
    }
    const int depth = IS_FULL ? 32 : 6;
    gate("stable.confinement.3d", swirl(3.0f, BW_NUMBER_FLOAT, depth) / swirl(0.0f, BW_NUMBER_FLOAT, depth),
         GATE_ABOVE, 1.3);
}

// An empty wind tunnel runs at the speed of its inflow, and carries the inflow's smoke through.
static void a_wind_tunnel_blows(void **state)
{
    (void)state;
    for (int solver = BW_STABLE_RELAXATION; solver <= BW_STABLE_FAST; solver++) {
        BwStableBoxDef def = def_of_sides(2);
        def.solver = (BwStableSolver)solver;
        def.patches[0].density = 0.5f;
        def.cell = 1.0f / 32;
        BwStable *box = make_box(&def);
        for (int step = 0; step < 100; step++)
            bw_stable_step(box, 0.05f);
        double u = read_cell(bw_stable_field(box, BW_STABLE_U), 30, 14, 0);
        double density = read_cell(bw_stable_field(box, BW_STABLE_DENSITY), 30, 14, 0);
        gate("stable.tunnel_speed_error", fabs(u - 1.0), GATE_BELOW, 0.02);
        gate("stable.tunnel_density_error", fabs(density - 0.5), GATE_BELOW, 0.01);
        bw_stable_destroy(box);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_step_is_stable),
        cmocka_unit_test(fixed_point_follows_floating_point),
        cmocka_unit_test(diffusion_and_sources_keep_mass),
        cmocka_unit_test(thin_walls_hold),
        cmocka_unit_test(a_periodic_box_has_no_favourite_place),
        cmocka_unit_test(every_solver_solves),
        cmocka_unit_test(sweeps_in_3d_are_as_good_as_gauss_seidel),
        cmocka_unit_test(confinement_keeps_swirls),
        cmocka_unit_test(a_wind_tunnel_blows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
