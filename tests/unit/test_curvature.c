// The curvature of surfaces that are known exactly: second order on smooth ones, exact on round ones, and the
// contact angle at a wall.
#include "gate.h"

#include "operate/curvature.h"
#include <math.h>
#include <string.h>

// A signed distance, and the curvature at the nearest point of the surface.
typedef struct Truth {
    double distance, curvature;
} Truth;
typedef Truth TruthFn(double x, double y, double z);

typedef struct Box {
    BwPool *pool;
    BwGrid *grid;
    BwDomain domain;
    BwField phi;
    BwMask liquid;
    BwCurvature curvature;
} Box;

// The unit box with so many cells a side, all awake.
static void box_create(Box *box, int dimension, int n, int workers)
{
    *box = (Box){0};
    BwPoolDef pool = {.allocator = bw_allocator_or_default((BwAllocator){0}), .worker_count = workers};
    BwGridDef def = {.cell_size = 1.0f / (float)n,
                     .dimension = dimension,
                     .has_bounds = true,
                     .bounds = {{0, 0, 0}, {n, n, n}}};
    int tiles = n / BW_TILE;
    assert_int_equal(bw_pool_create(&box->pool, &pool, NULL), BW_OK);
    assert_int_equal(bw_grid_create(&box->grid, &def, NULL), BW_OK);
    for (int t = 0; t < (dimension == 3 ? tiles : 1) * tiles * tiles; t++) {
        BwTileCoord coord = {t % tiles, t / tiles % tiles, t / tiles / tiles};
        assert_int_equal(bw_grid_wake(box->grid, &coord, 1, NULL), BW_OK);
    }
    assert_int_equal(bw_domain_create(&box->domain, box->grid, box->pool, NULL), BW_OK);
    assert_int_equal(bw_field_create(&box->phi, box->grid, BW_AT_CELL, 1.0f, NULL), BW_OK);
    assert_int_equal(bw_mask_create(&box->liquid, box->grid, NULL), BW_OK);
    assert_int_equal(bw_curvature_create(&box->curvature, box->grid, box->pool, NULL), BW_OK);
}

static void box_destroy(Box *box)
{
    bw_curvature_destroy(&box->curvature);
    bw_mask_destroy(&box->liquid);
    bw_field_destroy(&box->phi);
    bw_domain_destroy(&box->domain);
    bw_grid_destroy(box->grid);
    bw_pool_destroy(box->pool);
}

static Truth truth_at(const Box *box, TruthFn *fn, int32_t slot, int cell)
{
    BwVec3 p = bw_sample_position(box->grid, box->grid->tiles[slot].coord, cell, BW_AT_CELL);
    return fn((double)p.x, (double)p.y, box->grid->dimension == 3 ? (double)p.z : 0.5);
}

// Steady noise, as that of particles is.
static double noise_at(int32_t slot, int cell)
{
    uint32_t bits = (uint32_t)slot * 2654435761u ^ (uint32_t)cell * 40503u;
    bits = (bits ^ bits >> 13) * 1274126177u;
    return (double)(bits ^ bits >> 16) / 4294967295.0 - 0.5;
}

static void find(Box *box, TruthFn *fn, double noise, float angle, bool is_noisy)
{
    for (int32_t m = 0; m < box->grid->tile_count; m++)
        for (int cell = 0; cell < box->grid->tile_cells; cell++) {
            int32_t slot = box->grid->order[m];
            double h = (double)box->grid->cell_size;
            bw_field_tile(&box->phi, slot)[cell] =
                (float)(truth_at(box, fn, slot, cell).distance + h * noise * noise_at(slot, cell));
        }
    bw_domain_label(&box->domain, NULL, 0);
    bw_mark_liquid(&box->liquid, &box->phi, box->pool);
    BwCurvatureDef def = {.domain = &box->domain,
                          .phi = &box->phi,
                          .liquid = &box->liquid,
                          .contact_angle = angle,
                          .is_noisy = is_noisy};
    bw_curvature_find(&box->curvature, &def);
}

// Of all points between two centres: the largest error, and the root of the mean square, 1/m.
typedef struct Errors {
    double most, rms;
    int count;
} Errors;

static TruthFn tilted_cylinder;

static Errors errors_of(const Box *box, TruthFn *fn)
{
    Errors errors = {0};
    const BwGrid *grid = box->grid;
    for (int32_t m = 0; m < grid->tile_count; m++)
        for (int cell = 0; cell < grid->tile_cells; cell++)
            for (int side = 1; side < 2 * grid->dimension; side += 2) {
                int32_t slot = grid->order[m], other = cell;
                int32_t beside = bw_cell_beside(grid, slot, &other, side);
                double own = (double)bw_field_tile(&box->phi, slot)[cell],
                       next = (double)bw_field_tile(&box->phi, beside)[other];
                BwVec3 place = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
                bool is_rim = fminf(fminf(place.x, place.y), place.z) < 0.12f ||
                              fmaxf(fmaxf(place.x, place.y), place.z) > 0.88f;
                if (is_rim && fn == tilted_cylinder) // it meets the walls at any angle
                    continue;
                if (beside == 0 || (own < 0.0) == (next < 0.0))
                    continue;
                double part = own / (own - next);
                double found = (1.0 - part) * (double)bw_field_tile(&box->curvature.value, slot)[cell] +
                               part * (double)bw_field_tile(&box->curvature.value, beside)[other];
                double truth = (1.0 - part) * truth_at(box, fn, slot, cell).curvature +
                               part * truth_at(box, fn, beside, other).curvature;
                errors.most = fmax(errors.most, fabs(found - truth));
                errors.rms += (found - truth) * (found - truth);
                errors.count++;
            }
    errors.rms = sqrt(errors.rms / errors.count);
    return errors;
}

static Truth circle(double x, double y, double z)
{
    (void)z;
    return (Truth){hypot(x - 0.503, y - 0.507) - 0.25, 1.0 / 0.25};
}

static Truth sphere(double x, double y, double z)
{
    return (Truth){sqrt((x - 0.503) * (x - 0.503) + (y - 0.507) * (y - 0.507) + (z - 0.498) * (z - 0.498)) -
                       0.25,
                   2.0 / 0.25};
}

static Truth tilted_cylinder(double x, double y, double z)
{
    double u = x - 0.503, v = y - 0.507, w = z - 0.498, along = (u + 0.5 * v + 0.3 * w) / sqrt(1.34);
    return (Truth){sqrt(u * u + v * v + w * w - along * along) - 0.2, 1.0 / 0.2};
}

// The nearest point of an ellipse, by its angle; what there is to it is found by Newton's method.
static double nearest_angle(double a, double b, double x, double y)
{
    double best = 0.0, least = INFINITY;
    for (int n = 0; n < 64; n++) {
        double t = 6.283185307179586 * n / 64, d = hypot(x - a * cos(t), y - b * sin(t));
        if (d < least) {
            least = d;
            best = t;
        }
    }
    for (int n = 0; n < 20; n++) {
        double c = cos(best), s = sin(best);
        double slope = (x - a * c) * a * s - (y - b * s) * b * c;
        double bend = a * s * a * s + (x - a * c) * a * c + b * c * b * c + (y - b * s) * b * s;
        best -= slope / bend;
    }
    return best;
}

static const double long_axis = 0.32, short_axis = 0.2;

static Truth ellipse(double x, double y, double z)
{
    double turn = 0.4, u = cos(turn) * (x - 0.503) + sin(turn) * (y - 0.507),
           v = cos(turn) * (y - 0.507) - sin(turn) * (x - 0.503);
    double t = nearest_angle(long_axis, short_axis, u, v), c = cos(t), s = sin(t);
    double away = hypot(u - long_axis * c, v - short_axis * s);
    double inside = u * u / (long_axis * long_axis) + v * v / (short_axis * short_axis);
    double size = sqrt(long_axis * long_axis * s * s + short_axis * short_axis * c * c);
    (void)z;
    return (Truth){inside < 1.0 ? -away : away, long_axis * short_axis / (size * size * size)};
}

// The same turned about its long axis.
static Truth spheroid(double x, double y, double z)
{
    double u = x - 0.503, v = hypot(y - 0.507, z - 0.498);
    double t = nearest_angle(long_axis, short_axis, u, v), c = cos(t), s = sin(t);
    double away = hypot(u - long_axis * c, v - short_axis * s);
    double inside = u * u / (long_axis * long_axis) + v * v / (short_axis * short_axis);
    double size = sqrt(long_axis * long_axis * s * s + short_axis * short_axis * c * c);
    return (Truth){inside < 1.0 ? -away : away,
                   long_axis * short_axis / (size * size * size) + long_axis / (short_axis * size)};
}

static Errors measure(int dimension, int n, TruthFn *fn, double noise, int averages)
{
    Box box;
    box_create(&box, dimension, n, 1);
    find(&box, fn, noise, 1.5707963f, averages);
    Errors errors = errors_of(&box, fn);
    box_destroy(&box);
    return errors;
}

static void gate_named(const char *name, const char *what, double value, GateSide side, double bound)
{
    char full[96];
    snprintf(full, sizeof full, "curvature_%s_%s", name, what);
    gate(full, value, side, bound);
}

// What a surface is gated with: errors over `scale`, of phi that is exact on the finer grid, and of phi that
// trembles by a tenth of a cell on one of 32 cells.
typedef struct Case {
    const char *name;
    int dimension, cells;
    TruthFn *fn;
    double scale, exact, averaged, noisy;
} Case;

static const Case cases[] = {{"circle", 2, 64, circle, 4.0, 1e-3, 5e-3, 0.05},
                             {"sphere", 3, 32, sphere, 8.0, 1e-3, 5e-3, 0.02},
                             {"cylinder", 3, 32, tilted_cylinder, 5.0, 2e-3, 5e-3, 0.04},
                             {"ellipse", 2, 64, ellipse, 4.0, 5e-3, 0.01, 0.08},
                             {"spheroid", 3, 32, spheroid, 8.0, 8e-3, 0.02, 0.05}};

static void curvature_is_that_of_the_surface(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const Case *c = &cases[n];
        Errors exact = measure(c->dimension, 2 * c->cells, c->fn, 0.0, 0);
        Errors averaged = measure(c->dimension, 2 * c->cells, c->fn, 0.0, 1);
        Errors noisy = measure(c->dimension, 32, c->fn, 0.1, 1);
        gate_named(c->name, "rms", exact.rms / c->scale, GATE_BELOW, c->exact);
        gate_named(c->name, "averaged_rms", averaged.rms / c->scale, GATE_BELOW, c->averaged);
        gate_named(c->name, "noisy_rms", noisy.rms / c->scale, GATE_BELOW, c->noisy);
    }
}

static void errors_fall_by_second_order(void **state)
{
    (void)state;
    for (size_t n = 3; n < sizeof cases / sizeof *cases; n++) {
        const Case *c = &cases[n];
        for (int is_noisy = 0; is_noisy <= 1; is_noisy++) {
            Errors coarse = measure(c->dimension, c->cells, c->fn, 0.0, is_noisy);
            Errors fine = measure(c->dimension, 2 * c->cells, c->fn, 0.0, is_noisy);
            gate_named(c->name, is_noisy ? "order_averaged" : "order", log2(coarse.rms / fine.rms),
                       GATE_ABOVE, 1.4);
        }
    }
}

// Round caps on the bottom of the box, with their contact angle: the curvature is theirs up to the wall. Told
// of another angle it is not.
static double cap_center;

static Truth cap(double x, double y, double z)
{
    (void)z;
    return (Truth){hypot(x - 0.503, y - cap_center) - 0.3, 1.0 / 0.3};
}

static Truth round_cap(double x, double y, double z)
{
    double r =
        sqrt((x - 0.503) * (x - 0.503) + (z - 0.498) * (z - 0.498) + (y - cap_center) * (y - cap_center));
    return (Truth){r - 0.3, 2.0 / 0.3};
}

static Errors measure_cap(int dimension, double angle, double told)
{
    Box box;
    TruthFn *fn = dimension == 3 ? round_cap : cap;
    cap_center = -0.3 * cos(angle);
    box_create(&box, dimension, 48, 1);
    find(&box, fn, 0.0, (float)told, true);
    Errors errors = errors_of(&box, fn);
    box_destroy(&box);
    return errors;
}

static void the_contact_angle_is_that_of_the_wall(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int degrees = 45; degrees <= 135; degrees += 45) {
            char name[32];
            double angle = degrees * 0.017453292519943295;
            snprintf(name, sizeof name, "cap_%dd_%d", dimension, degrees);
            gate_named(name, "most", measure_cap(dimension, angle, angle).most * 0.3 / (dimension - 1),
                       GATE_BELOW, 0.1);
            gate_named(name, "told_wrong_most",
                       measure_cap(dimension, angle, angle + 0.35).most * 0.3 / (dimension - 1), GATE_ABOVE,
                       0.3);
        }
}

// A velocity that stretches the drop: the ends that go out will bend more, and the damped curvature says so;
// one that carries it on, or turns it, adds nothing.
static double stretch_x, turn_rate;

static void set_velocity(Box *box, BwVelocity *velocity)
{
    for (int32_t m = 0; m < box->grid->tile_count; m++)
        for (int a = 0; a < 2; a++)
            for (int cell = 0; cell < box->grid->tile_cells; cell++) {
                int32_t slot = box->grid->order[m];
                BwVec3 p = bw_sample_position(box->grid, box->grid->tiles[slot].coord, cell,
                                              a == 0 ? BW_AT_FACE_X : BW_AT_FACE_Y);
                double x = (double)p.x - 0.503, y = (double)p.y - 0.507;
                bw_field_tile(&velocity->u[a], slot)[cell] =
                    (float)(3.0 + (a == 0 ? stretch_x * x - turn_rate * y : turn_rate * x - stretch_x * y));
            }
}

// How much more than the drop's own the curvature at its right end is, over that.
static double damped_end(double stretch, double turn)
{
    Box box;
    BwVelocity velocity;
    stretch_x = stretch;
    turn_rate = turn;
    box_create(&box, 2, 64, 1);
    assert_int_equal(bw_velocity_create(&velocity, box.grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    find(&box, circle, 0.0, 1.5707963f, false);
    set_velocity(&box, &velocity);
    BwCurvatureDef def = {.domain = &box.domain,
                          .phi = &box.phi,
                          .liquid = &box.liquid,
                          .contact_angle = 1.5707963f,
                          .velocity = &velocity,
                          .damping = 0.1f};
    bw_curvature_find(&box.curvature, &def);
    int32_t cell[3] = {(int)(64.0 * 0.753), (int)(64.0 * 0.507), 0};
    int32_t slot = bw_grid_find(box.grid, bw_tile_of_cell(box.grid, cell));
    double found = (double)bw_field_tile(&box.curvature.value, slot)[bw_index_in_tile(box.grid, cell)];
    bw_velocity_destroy(&velocity);
    box_destroy(&box);
    return found / 4.0 - 1.0;
}

static void change_is_that_of_the_motion(void **state)
{
    (void)state;
    // An ellipse bends by 3 times its stretch more at its ends; half of it counts for long ripples.
    gate("curvature_damped_stretch", fabs(damped_end(1.0, 0.0) / (0.5 * 3.0 * 0.1) - 1.0), GATE_BELOW, 0.1);
    gate("curvature_damped_at_rest", fabs(damped_end(0.0, 0.0)), GATE_BELOW, 2e-3);
    gate("curvature_damped_turn", fabs(damped_end(0.0, 1.0)), GATE_BELOW, 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(curvature_is_that_of_the_surface),
                                       cmocka_unit_test(errors_fall_by_second_order),
                                       cmocka_unit_test(the_contact_angle_is_that_of_the_wall),
                                       cmocka_unit_test(change_is_that_of_the_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
