// Particles on tiles: seeding counts, the sort against a plain one, transfers against sums written out.
#include "operate/liquid_surface.h"
#include "particle/advance.h"
#include "particle/particle_sums.h"
#include "particle/transfer.h"
#include "particle/transfer_lanes.h"
#include "particle_box.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void seeding_fills_whole_cells(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int per_axis = 1; per_axis <= 4; per_axis++)
            for (int jittered = 0; jittered <= 1; jittered++) {
                Box box;
                BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
                BwShape shape = bw_box(bw_vec3(3.0f, 2.0f, -1.0f), bw_vec3(14.0f, 9.0f, 5.0f));
                int64_t parts = (int64_t)per_axis * per_axis * (dimension == 3 ? per_axis : 1);
                box_create(&box, &def, 2, 2);
                seed(&box, &shape, per_axis, jittered == 1);
                assert_int_equal(box.particles.count, parts * 11 * 7 * (dimension == 3 ? 5 : 1));
                assert_true(bw_particles_volume(&box.particles) == (double)box.particles.count);
                const int32_t *ids = bw_particle_ids(&box.particles);
                for (int64_t n = 0; n < box.particles.count; n++) {
                    assert_int_equal(ids[n], n);
                    assert_true(box.particles.column[BW_PARTICLE_V][n] == 2.0f);
                }
                box_destroy(&box);
            }
}

// 7 and the largest number below 1 make 8 when they are added: the next tile, and no cell of this one.
static void places_stay_in_their_tile(void **state)
{
    (void)state;
    BwGrid grid = {.dimension = 3};
    float last = nextafterf(1.0f, 0.0f);
    for (int cell = 0; cell < BW_TILE_CELLS_MAX; cell++) {
        float low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = bw_particle_place(cell, a, 0.0f);
            high[a] = bw_particle_place(cell, a, last);
            assert_true(high[a] > low[a] + 0.999f && high[a] < (float)BW_TILE);
        }
        assert_int_equal(bw_particle_cell_at(&grid, low), cell);
        assert_in_range(bw_particle_cell_at(&grid, high), cell, BW_TILE_CELLS_MAX - 1);
    }
}

// The cells that shapes fill with particles, in all.
static double seeded_cells(const BwShape *shapes, int count, int per_axis, bool is_jittered)
{
    Box box;
    BwGridDef def = {.cell_size = 0.25f, .dimension = 3};
    BwSeedShape seeded[2] = {{.shape = &shapes[0]}, {.shape = &shapes[count - 1]}};
    BwSeeding seeding = {
        .shapes = seeded, .shape_count = count, .per_axis = per_axis, .is_jittered = is_jittered};
    box_create(&box, &def, 4, 1);
    assert_int_equal(bw_particles_seed(&box.particles, box.grid, &seeding, NULL), BW_OK);
    double cells = bw_particles_volume(&box.particles) / pow(per_axis, 3.0);
    box_destroy(&box);
    return cells;
}

// Wherever a flat surface lies in a cell, and whatever way, what is under it has its volume; so has a ball.
// Boxes that touch hold no less than one box, boxes that lie over each other no more.
static void seeding_keeps_volumes(void **state)
{
    (void)state;
    double worst = 0.0, worst_ball = 0.0;
    for (int n = 0; n <= 20; n += IS_FULL ? 1 : 3) {
        float height = 2.0f + 0.0125f * (float)n, half = 0.5f * height;
        BwShape one = bw_box(bw_vec3(1.0f, 1.0f, 1.0f), bw_vec3(5.0f, 1.0f + height, 5.0f)),
                touching[2] = {bw_box(bw_vec3(1.0f, 1.0f, 1.0f), bw_vec3(5.0f, 1.0f + half, 5.0f)),
                               bw_box(bw_vec3(1.0f, 1.0f + half, 1.0f), bw_vec3(5.0f, 1.0f + height, 5.0f))},
                over[2] = {one, bw_box(bw_vec3(2.03f, 1.0f, 1.0f), bw_vec3(5.0f, 1.0f + height, 5.0f))},
                ball = bw_sphere(bw_vec3(4.0f, 4.0f, 4.0f), height);
        double wanted = 16.0 * 16.0 * 4.0 * (double)height,
               wanted_ball = 64.0 * 4.0 / 3.0 * 3.14159265358979 * pow((double)height, 3.0);
        for (int per_axis = 2; per_axis <= 3; per_axis++) {
            worst = fmax(worst, fabs(seeded_cells(&one, 1, per_axis, true) / wanted - 1.0));
            worst = fmax(worst, fabs(seeded_cells(touching, 2, per_axis, false) / wanted - 1.0));
            worst = fmax(worst, fabs(seeded_cells(over, 2, per_axis, true) / wanted - 1.0));
            worst_ball = fmax(worst_ball, fabs(seeded_cells(&ball, 1, per_axis, true) / wanted_ball - 1.0));
        }
    }
    gate("seeded_box_volume_error", worst, GATE_BELOW, 2.5e-3); // of its edges
    gate("seeded_ball_volume_error", worst_ball, GATE_BELOW, 5e-3);
}

static void seeding_leaves_solids_out(void **state)
{
    (void)state;
    Box box;
    BwGridDef def = {.cell_size = 1.0f, .dimension = 3};
    BwShape shape = bw_box(bw_vec3(0.0f, 0.0f, 0.0f), bw_vec3(32.0f, 32.0f, 32.0f)),
            solid = bw_sphere(bw_vec3(16.0f, 16.0f, 16.0f), 9.0f);
    BwSeedShape seeded = {.shape = &shape, .velocity = {0.0f, 0.0f, 0.0f}};
    BwSolidPose pose = {.shape = &solid, .pose = bw_pose_identity(), .before = bw_pose_identity()};
    BwSeeding seeding = {.shapes = &seeded,
                         .shape_count = 1,
                         .solids = &pose,
                         .solid_count = 1,
                         .per_axis = 2,
                         .is_jittered = true};
    box_create(&box, &def, 4, 2);
    assert_int_equal(bw_particles_seed(&box.particles, box.grid, &seeding, NULL), BW_OK);
    double least = 1e9, volume = 0.0, wanted = 8.0 * (32.0 * 32.0 * 32.0 - 4.0 / 3.0 * 3.14159265 * 729.0);
    for (int32_t m = 0; m < box.grid->tile_count; m++) {
        int32_t slot = box.grid->order[m];
        BwParticleRange range = bw_particle_range(&box.particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            double place[3];
            place_of(&box.particles, slot, n, place);
            double away = hypot(hypot(place[0] - 16.0, place[1] - 16.0), place[2] - 16.0) - 9.0;
            least = fmin(least, away);
            volume += (double)box.particles.column[BW_PARTICLE_VOLUME][n];
        }
    }
    gate("seeding_distance_from_a_solid_cells", least, GATE_ABOVE, 0.0);
    gate("seeding_volume_beside_a_solid", fabs(volume / wanted - 1.0), GATE_BELOW, 2e-3);
    box_destroy(&box);
}

// Where each particle must be after a sort, by identity.
typedef struct Model {
    double (*place)[3];
    bool *is_gone;
    int64_t count, gone;
    double gone_volume;
} Model;

static double wrapped(const BwGrid *grid, int axis, double at)
{
    double length = BW_TILE * (double)grid->period[axis];
    return length == 0.0 ? at : at - length * floor(at / length);
}

// Moves every particle: most of them a little, some across tiles, a few far. Steps of 1/64 cell are exact.
static void move_all(Box *box, Random *random, Model *model)
{
    BwGrid *grid = box->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        BwParticleRange range = bw_particle_range(&box->particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            int32_t id = bw_particle_ids(&box->particles)[n];
            int kind = random_below(random, 20), reach = kind == 0 ? 40 * 64 : kind < 4 ? 10 * 64 : 64;
            double place[3];
            for (int a = 0; a < grid->dimension; a++)
                box->particles.column[BW_PARTICLE_X + a][n] +=
                    (float)(random_below(random, 2 * reach + 1) - reach) / 64.0f;
            place_of(&box->particles, slot, n, place);
            for (int a = 0; a < grid->dimension; a++) {
                model->is_gone[id] |= grid->has_bounds && grid->period[a] == 0 &&
                                      !(place[a] >= grid->bounds.low[a] && place[a] < grid->bounds.high[a]);
                model->place[id][a] = wrapped(grid, a, place[a]);
            }
            model->gone += model->is_gone[id];
            model->gone_volume +=
                model->is_gone[id] ? (double)box->particles.column[BW_PARTICLE_VOLUME][n] : 0.0;
        }
    }
}

// Every particle is in its place and its tile's range, ordered by cell, with what belongs to it.
static int64_t count_wrong(const Box *box, const Model *model)
{
    const BwParticles *particles = &box->particles;
    int64_t wrong = 0, at = 0;
    for (int32_t m = 0; m < box->grid->tile_count; m++) {
        int32_t slot = box->grid->order[m];
        BwParticleRange range = bw_particle_range(particles, slot);
        int last = 0;
        wrong += range.begin != at;
        at = range.end;
        for (int64_t n = range.begin; n < range.end; n++) {
            int32_t id = bw_particle_ids(particles)[n];
            double place[3];
            place_of(particles, slot, n, place);
            bool is_right = !model->is_gone[id] && particles->column[BW_PARTICLE_U][n] == (float)id &&
                            particles->column[BW_PARTICLE_VY][n] == -(float)id;
            for (int a = 0; a < box->grid->dimension; a++) {
                float within = particles->column[BW_PARTICLE_X + a][n];
                is_right &= place[a] == model->place[id][a] && within >= 0.0f && within < BW_TILE;
            }
            int cell = bw_particle_cell(particles, n);
            wrong += !is_right || cell < last;
            last = cell;
        }
    }
    return wrong + (at != particles->count) + (at != model->count - model->gone);
}

static void sort_often(const BwGridDef *def, uint64_t seed_number, const char *name)
{
    Box box;
    Random random = random_seeded(seed_number);
    BwShape shape = bw_box(bw_vec3(2.0f, 2.0f, def->dimension == 3 ? 2.0f : -1.0f),
                           bw_vec3(22.0f, 22.0f, 22.0f)); // exact places
    int64_t wrong = 0;
    box_create(&box, def, 3, 3);
    seed(&box, &shape, 2, false);
    Model model = {.count = box.particles.count};
    model.place = calloc((size_t)model.count, sizeof *model.place);
    model.is_gone = calloc((size_t)model.count, sizeof *model.is_gone);
    for (int64_t n = 0; n < model.count; n++) {
        box.particles.column[BW_PARTICLE_U][n] = (float)n;
        box.particles.column[BW_PARTICLE_VY][n] = -(float)n;
        box.particles.column[BW_PARTICLE_VOLUME][n] = 0.25f * (float)(1 + random_below(&random, 8));
    }
    for (int round = 0; round < 10; round++) {
        BwParticlesGone gone;
        int64_t before = model.gone;
        model.gone_volume = 0.0;
        move_all(&box, &random, &model);
        assert_int_equal(bw_particles_sort(&box.particles, NULL, &gone, NULL), BW_OK);
        assert_int_equal(gone.count, model.gone - before);
        assert_true(gone.volume == model.gone_volume);
        wrong += count_wrong(&box, &model);
    }
    assert_true(!def->has_bounds || def->period[1] != 0 || model.gone > 0);
    gate(name, (double)wrong, GATE_BELOW, 0.0);
    free(model.place);
    free(model.is_gone);
    box_destroy(&box);
}

static void the_sort_is_a_sort(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwGridDef free_space = {.cell_size = 1.0f, .dimension = dimension};
        BwGridDef bounded = {.cell_size = 1.0f,
                             .dimension = dimension,
                             .has_bounds = true,
                             .bounds = {{-20, 0, -3}, {29, 24, 27}}};
        BwGridDef periodic = bounded;
        periodic.period[0] = 4;
        periodic.period[1] = 3;
        sort_often(&free_space, 1, dimension == 3 ? "sort_wrong_free_3d" : "sort_wrong_free_2d");
        sort_often(&bounded, 2, dimension == 3 ? "sort_wrong_bounded_3d" : "sort_wrong_bounded_2d");
        sort_often(&periodic, 3, dimension == 3 ? "sort_wrong_periodic_3d" : "sort_wrong_periodic_2d");
    }
}

// The grid's side of transfers.
typedef struct Faces {
    BwTransfer transfer;
    BwVelocity velocity, weight;
    BwMask known[3];
    BwField share;
} Faces;

static void faces_create(Faces *faces, Box *box)
{
    BwVec3 none = {0};
    assert_int_equal(bw_transfer_create(&faces->transfer, &box->particles.allocator, box->grid, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&faces->velocity, box->grid, none, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&faces->weight, box->grid, none, NULL), BW_OK);
    assert_int_equal(bw_field_create(&faces->share, box->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    for (int a = 0; a < 3; a++)
        assert_int_equal(bw_mask_create(&faces->known[a], box->grid, NULL), BW_OK);
}

static void faces_destroy(Faces *faces)
{
    bw_transfer_destroy(&faces->transfer);
    bw_velocity_destroy(&faces->velocity);
    bw_velocity_destroy(&faces->weight);
    bw_field_destroy(&faces->share);
    for (int a = 0; a < 3; a++)
        bw_mask_destroy(&faces->known[a]);
}

static void transfer(Faces *faces, Box *box, float unit)
{
    BwTransferred to = {&faces->velocity, &faces->weight, faces->known, &faces->share};
    assert_int_equal(bw_transfer_to_grid(&faces->transfer, &box->particles, unit, NULL, &to, NULL), BW_OK);
}

static const double affine[3][4] = {
    {0.7, 0.31, -0.53, 0.11}, {-0.2, 0.05, 0.17, -0.4}, {0.4, -0.21, 0.33, 0.09}};

static double affine_at(int component, const double place[3])
{
    const double *row = affine[component];
    return row[0] + row[1] * place[0] + row[2] * place[1] + row[3] * place[2];
}

static void give_affine(Box *box)
{
    for (int32_t m = 0; m < box->grid->tile_count; m++) {
        int32_t slot = box->grid->order[m];
        BwParticleRange range = bw_particle_range(&box->particles, slot);
        for (int64_t n = range.begin; n < range.end; n++) {
            double place[3];
            place_of(&box->particles, slot, n, place);
            for (int a = 0; a < box->grid->dimension; a++) {
                box->particles.column[BW_PARTICLE_U + a][n] = (float)affine_at(a, place);
                for (int b = 0; b < box->grid->dimension; b++)
                    box->particles.column[BW_PARTICLE_UX + 3 * a + b][n] = (float)affine[a][b + 1];
            }
        }
    }
}

// The worst error of a face that particles give a velocity to, against the affine field.
static double affine_error(const Box *box, const Faces *faces, int64_t *faces_known)
{
    double worst = 0.0;
    *faces_known = 0;
    for (int32_t m = 0; m < box->grid->tile_count; m++)
        for (int a = 0; a < box->grid->dimension; a++)
            for (int cell = 0; cell < box->grid->tile_cells; cell++) {
                int32_t slot = box->grid->order[m];
                if (!bw_bit(bw_mask_tile(&faces->known[a], slot), cell))
                    continue;
                BwVec3 at = bw_sample_position(box->grid, box->grid->tiles[slot].coord, cell,
                                               (BwLocation)(BW_AT_FACE_X + a));
                const double place[3] = {(double)at.x, (double)at.y,
                                         box->grid->dimension == 3 ? (double)at.z : 0.0};
                double u = (double)bw_field_tile(&faces->velocity.u[a], slot)[cell];
                worst = fmax(worst, fabs(u - affine_at(a, place)));
                ++*faces_known;
            }
    return worst;
}

static void faces_get_an_affine_velocity_exactly(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Box box;
        Faces faces;
        int64_t known;
        BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
        BwShape shape = bw_sphere(bw_vec3(12.0f, 12.0f, dimension == 3 ? 12.0f : 0.0f), 9.0f);
        box_create(&box, &def, 3, 2);
        faces_create(&faces, &box);
        seed(&box, &shape, 2, true);
        give_affine(&box);
        transfer(&faces, &box, dimension == 3 ? 0.125f : 0.25f);
        double error = affine_error(&box, &faces, &known);
        assert_true(known > 400);
        gate(dimension == 3 ? "transfer_affine_error_3d" : "transfer_affine_error_2d", error, GATE_BELOW,
             1e-5);
        faces_destroy(&faces);
        box_destroy(&box);
    }
}

enum { SPAN = 3 * BW_TILE };

static int face_index(const int at[3])
{
    return at[0] + SPAN * (at[1] + SPAN * at[2]);
}

// Adds a particle's weight and momentum to the samples around it, as the definition says.
static void spread_plainly(const Box *box, int64_t n, const double place[3], int axis, double *weight,
                           double *momentum)
{
    const BwParticles *particles = &box->particles;
    int axes = box->grid->dimension, low[3] = {0};
    for (int a = 0; a < axes; a++)
        low[a] = (int)floor(place[a] - (a == axis ? 0.0 : 0.5));
    for (int corner = 0; corner < 1 << axes; corner++) {
        int at[3] = {0};
        double w = (double)particles->column[BW_PARTICLE_VOLUME][n],
               u = axis < 3 ? (double)particles->column[BW_PARTICLE_U + axis][n] : 0.0;
        for (int a = 0; a < axes; a++) {
            at[a] = low[a] + (corner >> a & 1);
            double away = at[a] + (a == axis ? 0.0 : 0.5) - place[a];
            w *= 1.0 - fabs(away);
            u += axis < 3 ? away * (double)particles->column[BW_PARTICLE_UX + 3 * axis + a][n] : 0.0;
        }
        weight[face_index(at)] += w;
        momentum[face_index(at)] += w * u;
    }
}

static void make_random(Box *box, Random *random)
{
    for (int64_t n = 0; n < box->particles.count; n++) {
        box->particles.column[BW_PARTICLE_VOLUME][n] = (float)random_between(random, 0.5, 2.0);
        for (int c = BW_PARTICLE_U; c < BW_PARTICLE_COLUMNS; c++)
            if (c != BW_PARTICLE_VOLUME && c != BW_PARTICLE_ID && bw_particles_have(&box->particles, c))
                box->particles.column[c][n] = (float)random_between(random, -1.0, 1.0);
    }
}

// Sums over all particles for one component (3: the share), plainly.
static void sum_plainly(const Box *box, int axis, double *weight, double *momentum)
{
    memset(weight, 0, SPAN * SPAN * SPAN * sizeof *weight);
    memset(momentum, 0, SPAN * SPAN * SPAN * sizeof *momentum);
    for (int32_t m = 0; m < box->grid->tile_count; m++) {
        BwParticleRange range = bw_particle_range(&box->particles, box->grid->order[m]);
        for (int64_t n = range.begin; n < range.end; n++) {
            double place[3];
            place_of(&box->particles, box->grid->order[m], n, place);
            spread_plainly(box, n, place, axis, weight, momentum);
        }
    }
}

typedef struct Compared {
    double error;    // the worst of any sample
    double momentum; // sum of weight times the grid's velocity
} Compared;

static Compared compare(const Box *box, const BwField *field, int axis, const double *weight,
                        const double *momentum)
{
    Compared compared = {0};
    for (int32_t m = 0; m < box->grid->tile_count; m++)
        for (int cell = 0; cell < box->grid->tile_cells; cell++) {
            BwTileCoord coord = box->grid->tiles[box->grid->order[m]].coord;
            const int at[3] = {8 * coord.x + (cell & 7), 8 * coord.y + (cell >> 3 & 7),
                               8 * coord.z + (cell >> 6)};
            double w = weight[face_index(at)], wanted = axis == 3 ? w : momentum[face_index(at)] / w;
            double value = (double)bw_field_tile(field, box->grid->order[m])[cell];
            if (w > 1e-3 || axis == 3)
                compared.error = fmax(compared.error, fabs(value - wanted));
            compared.momentum += w * value;
        }
    return compared;
}

static void transfers_are_the_sums_they_should_be(void **state)
{
    (void)state;
    static double weight[SPAN * SPAN * SPAN], momentum[SPAN * SPAN * SPAN];
    Random random = random_seeded(11);
    for (int dimension = 2; dimension <= 3; dimension++) {
        Box box;
        Faces faces;
        BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
        BwShape shape = bw_sphere(bw_vec3(11.0f, 13.0f, dimension == 3 ? 12.0f : 0.0f), 9.0f);
        box_create(&box, &def, 3, 3);
        faces_create(&faces, &box);
        seed(&box, &shape, 2, true);
        make_random(&box, &random);
        transfer(&faces, &box, 1.0f);
        double worst = 0.0, lost = 0.0;
        for (int a = 0; a < dimension; a++) {
            double carried = 0.0;
            sum_plainly(&box, a, weight, momentum);
            Compared compared = compare(&box, &faces.velocity.u[a], a, weight, momentum);
            for (int64_t n = 0; n < box.particles.count; n++)
                carried += (double)box.particles.column[BW_PARTICLE_VOLUME][n] *
                           (double)box.particles.column[BW_PARTICLE_U + a][n];
            worst = fmax(worst, compared.error);
            lost = fmax(lost, fabs(compared.momentum - carried) / bw_particles_volume(&box.particles));
        }
        sum_plainly(&box, 3, weight, momentum);
        worst = fmax(worst, compare(&box, &faces.share, 3, weight, momentum).error);
        gate(dimension == 3 ? "transfer_error_3d" : "transfer_error_2d", worst, GATE_BELOW, 1e-4);
        gate(dimension == 3 ? "transfer_momentum_lost_3d" : "transfer_momentum_lost_2d", lost, GATE_BELOW,
             1e-6);
        faces_destroy(&faces);
        box_destroy(&box);
    }
}

// The span of a tile is that of its particles' cells.
static void spans_are_those_of_cells(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Box box;
        BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
        BwShape shape = bw_sphere(bw_vec3(11.0f, 12.0f, dimension == 3 ? 13.0f : 0.0f), 6.3f);
        BwTileSpan spans[27], wanted;
        box_create(&box, &def, 3, 2);
        seed(&box, &shape, 2, true);
        bw_particles_find_spans(&box.particles, spans);
        for (int32_t m = 0; m < box.grid->tile_count; m++) {
            BwParticleRange range = bw_particle_range(&box.particles, box.grid->order[m]);
            wanted = (BwTileSpan){{BW_TILE, BW_TILE, BW_TILE}, {0, 0, 0}};
            for (int64_t n = range.begin; n < range.end; n++)
                for (int a = 0; a < 3; a++) {
                    int8_t at = (int8_t)(bw_particle_cell(&box.particles, n) >> (3 * a) & 7);
                    wanted.low[a] = at < wanted.low[a] ? at : wanted.low[a];
                    wanted.high[a] = at + 1 > wanted.high[a] ? (int8_t)(at + 1) : wanted.high[a];
                }
            assert_memory_equal(&spans[m], &wanted, sizeof wanted);
        }
        box_destroy(&box);
    }
}

// What one particle adds to the sample at corner i, j, k around it: its momentum and its weight.
static void add_plainly(const BwTransferLanes *lanes, int lane, int axis, int axes, const int corner[3],
                        float addend[2])
{
    float weight = lanes->volume[lane], speed = lanes->speed[lane];
    for (int a = axes - 1; a >= 0; a--) {
        float at = lanes->place[a][lane] + (a == axis ? 1.0f : 0.5f), part = at - floorf(at);
        weight *= corner[a] == 1 ? part : 1.0f - part;
        if (a > 0)
            speed += lanes->slope[a][lane] * ((float)corner[a] - part);
        else
            speed = (corner[0] == 1 ? 1.0f - part : -part) * lanes->slope[0][lane] + speed;
    }
    addend[0] = weight * speed;
    addend[1] = weight;
}

static int count_differing(const BwTransferLanes *lanes, int axis, int axes)
{
    BwAddends addends;
    int differing = 0;
    if (axis < 0)
        bw_transfer_share(lanes, axes, &addends);
    else
        bw_transfer_component(lanes, axis, axes, &addends);
    for (int lane = 0; lane < BW_LANES; lane++)
        for (int n = 0; n < 1 << axes; n++) {
            const int corner[3] = {n & 1, n >> 1 & 1, n >> 2};
            const float *four = addends.row[axis < 0 ? n >> 2 : n >> 1] + bw_addend_of(lane);
            float wanted[2];
            add_plainly(lanes, lane, axis, axes, corner, wanted);
            differing += axis < 0 ? memcmp(four + (n & 3), wanted + 1, sizeof(float)) != 0
                                  : memcmp(four + 2 * (n & 1), wanted, sizeof wanted) != 0;
        }
    return differing;
}

// Lanes add, bit for bit, what the formulas give for a particle alone.
static void lanes_add_what_single_particles_do(void **state)
{
    (void)state;
    Random random = random_seeded(11);
    int differing = 0;
    for (int round = 0; round < 2000; round++) {
        BwTransferLanes lanes;
        for (int lane = 0; lane < BW_LANES; lane++) {
            lanes.volume[lane] = (float)random_between(&random, 0.5, 2.0);
            lanes.speed[lane] = (float)random_between(&random, -9.0, 9.0);
            for (int a = 0; a < 3; a++) {
                lanes.place[a][lane] = (float)random_below(&random, 8 << 10) / 1024.0f; // halves are exact
                lanes.slope[a][lane] = (float)random_between(&random, -3.0, 3.0);
            }
        }
        for (int axes = 2; axes <= 3; axes++)
            for (int axis = -1; axis < axes; axis++)
                differing += count_differing(&lanes, axis, axes);
    }
    gate("transfer_lanes_differing", differing, GATE_BELOW, 0);
}

static void fill_affine(Box *box, BwVelocity *velocity)
{
    for (int32_t m = 0; m < box->grid->tile_count; m++)
        for (int a = 0; a < box->grid->dimension; a++)
            for (int cell = 0; cell < box->grid->tile_cells; cell++) {
                int32_t slot = box->grid->order[m];
                BwVec3 at = bw_sample_position(box->grid, box->grid->tiles[slot].coord, cell,
                                               (BwLocation)(BW_AT_FACE_X + a));
                const double place[3] = {(double)at.x, (double)at.y,
                                         box->grid->dimension == 3 ? (double)at.z : 0.0};
                bw_field_tile(&velocity->u[a], slot)[cell] = (float)affine_at(a, place);
            }
}

// Particles take an affine velocity and its gradient as they are.
static void particles_take_an_affine_velocity_exactly(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        Box box;
        Faces faces;
        BwAdvancer *advancer;
        BwGridDef def = {.cell_size = 1.0f, .dimension = dimension};
        BwShape shape = bw_sphere(bw_vec3(12.0f, 12.0f, dimension == 3 ? 12.0f : 0.0f), 9.0f);
        double worst = 0.0;
        box_create(&box, &def, 3, 2);
        faces_create(&faces, &box);
        assert_int_equal(bw_advancer_create(&advancer, &box.particles.allocator, box.pool, NULL), BW_OK);
        seed(&box, &shape, 2, true);
        fill_affine(&box, &faces.velocity);
        bw_particles_take_velocity(&box.particles, advancer, &faces.velocity);
        for (int32_t m = 0; m < box.grid->tile_count; m++) {
            int32_t slot = box.grid->order[m];
            BwParticleRange range = bw_particle_range(&box.particles, slot);
            for (int64_t n = range.begin; n < range.end; n++) {
                double place[3];
                place_of(&box.particles, slot, n, place);
                for (int a = 0; a < dimension; a++) {
                    double u = (double)box.particles.column[BW_PARTICLE_U + a][n];
                    worst = fmax(worst, fabs(u - affine_at(a, place)));
                    for (int b = 0; b < dimension; b++)
                        worst = fmax(worst, fabs((double)box.particles.column[BW_PARTICLE_UX + 3 * a + b][n] -
                                                 affine[a][b + 1]));
                }
            }
        }
        gate(dimension == 3 ? "particles_take_affine_error_3d" : "particles_take_affine_error_2d", worst,
             GATE_BELOW, 1e-5);
        bw_advancer_destroy(advancer);
        faces_destroy(&faces);
        box_destroy(&box);
    }
}

// A shift moves particles up to a wall and takes nothing of their velocity.
static void a_shift_keeps_velocities(void **state)
{
    (void)state;
    Box box;
    BwGridDef def = {
        .cell_size = 1.0f, .dimension = 2, .has_bounds = true, .bounds = {{0, 0, 0}, {16, 16, 1}}};
    BwShape shape = bw_box(bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(4.0f, 4.0f, 1.0f));
    BwBoxSide sides[BW_SIDE_COUNT];
    BwAdvancer *advancer;
    BwVelocity shift;
    box_create(&box, &def, 2, 1);
    seed(&box, &shape, 2, false);
    for (int n = 0; n < BW_SIDE_COUNT; n++)
        sides[n] = bw_box_side_plain();
    assert_int_equal(bw_velocity_create(&shift, box.grid, bw_vec3(0.0f, 0.0f, 0.0f), NULL), BW_OK);
    for (int32_t m = 0; m < box.grid->tile_count; m++)
        for (int c = 0; c < box.grid->tile_cells; c++)
            bw_field_tile(&shift.u[0], box.grid->order[m])[c] = -1.0f;
    assert_int_equal(bw_advancer_create(&advancer, &box.grid->allocator, box.pool, NULL), BW_OK);
    BwAdvance advance = {.shift = &shift, .dt = 1.0f, .collision = {.sides = sides, .reach = 2.0f}};
    bw_particles_advance(&box.particles, advancer, &advance);
    for (int64_t n = 0; n < box.particles.count; n++) {
        assert_true(box.particles.column[BW_PARTICLE_X][n] > 0.0f);
        assert_true(box.particles.column[BW_PARTICLE_X][n] < 3.0f);
        assert_true(box.particles.column[BW_PARTICLE_U][n] == 1.0f);
        assert_true(box.particles.column[BW_PARTICLE_V][n] == 2.0f);
    }
    bw_advancer_destroy(advancer);
    bw_velocity_destroy(&shift);
    box_destroy(&box);
}

// Beside a wall an eighth of the hat function lies behind it; once the wall has opened, nothing does.
static void room_follows_the_sides(void **state)
{
    (void)state;
    Box box;
    BwGridDef def = {
        .cell_size = 1.0f, .dimension = 2, .has_bounds = true, .bounds = {{0, 0, 0}, {16, 16, 1}}};
    BwDomain domain;
    BwLiquidSurface surface;
    box_create(&box, &def, 2, 1);
    assert_int_equal(bw_domain_create(&domain, box.grid, box.pool, NULL), BW_OK);
    assert_int_equal(bw_liquid_surface_create(&surface, box.grid, NULL), BW_OK);
    const float *room = bw_field_tile(&surface.room, bw_grid_find(box.grid, (BwTileCoord){0, 0, 0}));
    bw_liquid_surface_measure_room(&surface, &domain, NULL, 0, false);
    assert_float_equal(room[8 * 4], 0.875f, 1e-6f);
    assert_float_equal(room[8 * 4 + 1], 1.0f, 1e-6f);
    domain.side[BW_LEFT].kind = BW_WALL_OPEN;
    bw_liquid_surface_measure_room(&surface, &domain, NULL, 0, false);
    assert_float_equal(room[8 * 4], 1.0f, 1e-6f);
    assert_float_equal(room[0], 0.875f, 1e-6f); // the floor is still there
    bw_liquid_surface_destroy(&surface);
    bw_domain_destroy(&domain);
    box_destroy(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shift_keeps_velocities),
        cmocka_unit_test(room_follows_the_sides),
        cmocka_unit_test(seeding_fills_whole_cells),
        cmocka_unit_test(places_stay_in_their_tile),
        cmocka_unit_test(seeding_keeps_volumes),
        cmocka_unit_test(seeding_leaves_solids_out),
        cmocka_unit_test(the_sort_is_a_sort),
        cmocka_unit_test(spans_are_those_of_cells),
        cmocka_unit_test(faces_get_an_affine_velocity_exactly),
        cmocka_unit_test(transfers_are_the_sums_they_should_be),
        cmocka_unit_test(lanes_add_what_single_particles_do),
        cmocka_unit_test(particles_take_an_affine_velocity_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
