// Solids as cut cells: flow along a tilted wall, round a cylinder, and solids that move several cells a step.
#include "run.h"

#include "operate/project.h"
#include "operate/solid_faces.h"
#include <stdio.h>

static BwShape half_plane(float x, float y, float nx, float ny)
{
    return (BwShape){.kind = BW_SHAPE_PLANE, .a = {x, y, 0.0f}, .b = {nx, ny, 0.0f}};
}

// A channel at an angle between two half planes, through a box that is open all round, with a flow along it.
typedef struct Channel {
    BwObstacleDef banks[2];
    float along[3];
} Channel;

static void channel_create(Channel *channel, float degrees, float width)
{
    float angle = degrees * 0.017453293f, c = cosf(angle), s = sinf(angle);
    for (int n = 0; n < 2; n++) {
        float out = n == 0 ? 1.0f : -1.0f; // the half plane lies against its normal
        channel->banks[n] = bw_obstacle_def_default();
        channel->banks[n].shape =
            half_plane(0.5f + out * 0.5f * width * s, 0.5f - out * 0.5f * width * c, -out * s, out * c);
    }
    channel->along[0] = c;
    channel->along[1] = s;
    channel->along[2] = 0.0f;
}

static BwResult even_flow(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)point, (void)err;
    memcpy(value, user, 3 * sizeof *value);
    return BW_OK;
}

// Mean and largest |velocity - even one| over the faces that are at least partly open, away from the box's
// sides, where the outside air stands still.
typedef struct Departure {
    double mean, most;
} Departure;

static Departure departure_of(const BwFrame *frame, const float along[3], int cells)
{
    const BwFrameField *u[2] = {bw_frame_field(frame, "u"), bw_frame_field(frame, "v")};
    const BwFrameField *open[2] = {bw_frame_field(frame, "open_u"), bw_frame_field(frame, "open_v")};
    Departure departure = {0};
    int count = 0;
    for (int j = 2; j < cells - 1; j++)
        for (int i = 2; i < cells - 1; i++)
            for (int a = 0; a < 2; a++) {
                if (frame_value(frame, open[a], i, j, 0) == 0.0f)
                    continue;
                double off = fabs((double)frame_value(frame, u[a], i, j, 0) - (double)along[a]);
                departure.mean += off;
                departure.most = fmax(departure.most, off);
                count++;
            }
    departure.mean /= count;
    return departure;
}

static void slip_flow_along_a_tilted_channel_keeps_its_speed(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        Channel channel;
        channel_create(&channel, n == 0 ? 30.0f : -12.0f, 0.4f);
        BwSceneDef scene = smoke_scene(2, 1.0f / 40.0f);
        set_box(&scene, 1.0f, 1.0f, 0.0f);
        for (int side = 0; side < 4; side++)
            scene.walls.side[side].kind = BW_WALL_OPEN;
        scene.obstacles = channel.banks;
        scene.obstacle_count = 2;
        scene.initial.velocity = (BwPlaceCurve){even_flow, channel.along};
        BwWorld *world = make_world(&scene, 1);
        step_frames(world, 24); // once through the box
        Departure departure = departure_of(frame_of(world), channel.along, 40);
        gate(n == 0 ? "channel_at_30_degrees_mean_departure" : "channel_at_-12_degrees_mean_departure",
             departure.mean, GATE_BELOW, 0.01);
        gate(n == 0 ? "channel_at_30_degrees_most_departure" : "channel_at_-12_degrees_most_departure",
             departure.most, GATE_BELOW, 0.05);
        bw_world_destroy(world);
    }
}

// What one projection changes of an even flow along the channel, on average, with cut or whole cells.
static double changed_by_projection(bool is_cut)
{
    enum { CELLS = 40 };
    Channel channel;
    channel_create(&channel, 30.0f, 0.4f);
    BwSolidPose solids[2];
    for (int n = 0; n < 2; n++)
        solids[n] = (BwSolidPose){
            .shape = &channel.banks[n].shape, .pose = bw_pose_identity(), .before = bw_pose_identity()};
    BwGridDef def = {.cell_size = 1.0f / CELLS,
                     .dimension = 2,
                     .has_bounds = true,
                     .bounds = {{0, 0, 0}, {CELLS, CELLS, 1}},
                     .is_open = {true, true, false}};
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity;
    BwSolidFaces faces;
    BwProjection projection;
    assert_int_equal(bw_grid_create(&grid, &def, NULL), BW_OK);
    for (int n = 0; n < 25; n++)
        assert_int_equal(bw_grid_wake(grid, &(BwTileCoord){n % 5, n / 5, 0}, 1, NULL), BW_OK);
    assert_int_equal(bw_domain_create(&domain, grid, NULL, NULL), BW_OK);
    assert_int_equal(bw_solid_faces_create(&faces, grid, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&velocity, grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_projection_create(&projection, grid, NULL, NULL), BW_OK);
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        domain.side[side].kind = BW_WALL_OPEN;
    domain.cut = is_cut ? &faces : NULL;
    bw_solid_faces_measure(&faces, &domain, solids, 2, 1.0f);
    bw_domain_label(&domain, solids, 2);
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int a = 0; a < 2; a++)
            for (int c = 0; c < grid->tile_cells; c++)
                bw_field_tile(&velocity.u[a], grid->order[n])[c] = channel.along[a];
    bw_domain_set_wall_velocity(&domain, &velocity, solids, 2, 1.0f);
    BwPoissonOptions options = {.method = BW_PRESSURE_MULTIGRID, .tolerance = 1e-6, .iterations_max = 200};
    BwPoissonReport report;
    assert_int_equal(bw_project(&projection, &domain, &velocity, &options, &report, NULL), BW_OK);
    double sum = 0.0, count = 0.0;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++)
            if (bw_bit(bw_mask_tile(&domain.flow[0], grid->order[n]), c)) {
                sum +=
                    fabs((double)bw_field_tile(&velocity.u[0], grid->order[n])[c] - (double)channel.along[0]);
                count += 1.0;
            }
    bw_projection_destroy(&projection);
    bw_velocity_destroy(&velocity);
    bw_solid_faces_destroy(&faces);
    bw_domain_destroy(&domain);
    bw_grid_destroy(grid);
    return sum / count;
}

static void cut_cells_do_not_brake_where_stairs_do(void **state)
{
    (void)state;
    gate("channel_flow_changed_by_stairs", changed_by_projection(false), GATE_ABOVE, 0.02);
    gate("channel_flow_changed_by_cut_cells", changed_by_projection(true), GATE_BELOW, 1e-3);
}

// Flow round a cylinder of diameter 1 in a tunnel 12 wide, right after the first projection: potential flow.
typedef struct Cylinder {
    double top;      // speed beside the top, error in U
    double mean;     // of |error| over the faces within a radius of the surface, in U
    double net_flux; // through the sides of the box, in U times its height
} Cylinder;

static double potential_flow(int axis, double x, double y)
{
    double a2 = 0.25, r2 = x * x + y * y;
    double effective = 1.0 + 9.8696 / 12.0 / 144.0; // the walls squeeze the flow: images of the doublet
    return effective * (axis == 0 ? 1.0 - a2 * (x * x - y * y) / (r2 * r2) : -a2 * 2.0 * x * y / (r2 * r2));
}

static Cylinder flow_past_cylinder(int cells_a_diameter)
{
    BwSceneDef scene = smoke_scene(2, 1.0f / (float)cells_a_diameter);
    set_box(&scene, 12.0f, 12.0f, 0.0f);
    scene.walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene.walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene.walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    float along[3] = {1.0f, 0.0f, 0.0f};
    scene.initial.velocity = (BwPlaceCurve){even_flow, along};
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(6.03f, 6.02f, 0.0f, 0.5f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    scene.fps = 1e5;
    scene.steps = 1;
    scene.solver.tolerance = 1e-7f;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 1);
    const BwFrame *frame = frame_of(world);
    int n = 12 * cells_a_diameter, count = 0;
    double h = 1.0 / cells_a_diameter;
    Cylinder result = {0};
    const BwFrameField *u[2] = {bw_frame_field(frame, "u"), bw_frame_field(frame, "v")};
    const BwFrameField *open[2] = {bw_frame_field(frame, "open_u"), bw_frame_field(frame, "open_v")};
    for (int a = 0; a < 2; a++)
        for (int j = n / 2 - cells_a_diameter; j < n / 2 + cells_a_diameter; j++)
            for (int i = n / 2 - cells_a_diameter; i < n / 2 + cells_a_diameter; i++) {
                double x = (i + (a == 0 ? 0.0 : 0.5)) * h - (double)6.03f,
                       y = (j + (a == 1 ? 0.0 : 0.5)) * h - (double)6.02f, r = hypot(x, y);
                if (frame_value(frame, open[a], i, j, 0) == 0.0f || r > 1.0)
                    continue;
                r = fmax(r, 0.5); // a face whose middle is inside speaks for its open part
                double error = fabs((double)frame_value(frame, u[a], i, j, 0) -
                                    potential_flow(a, x * r / hypot(x, y), y * r / hypot(x, y)));
                result.mean += error;
                count++;
                if (a == 0 && fabs(x) <= 0.51 * h && y > 0.5 && y < 0.5 + 1.01 * h)
                    result.top = error;
            }
    result.mean /= count;
    for (int j = 0; j < n; j++)
        result.net_flux +=
            ((double)frame_value(frame, u[0], 1, j, 0) - (double)frame_value(frame, u[0], n - 1, j, 0)) / n;
    bw_world_destroy(world);
    return result;
}

static void flow_round_a_cylinder_is_potential_flow(void **state)
{
    (void)state;
    Cylinder coarse = flow_past_cylinder(16), fine = flow_past_cylinder(32);
    gate("cylinder_speed_at_the_top_error", coarse.top, GATE_BELOW, 0.04);
    gate("cylinder_mean_error_16_cells", coarse.mean, GATE_BELOW, 0.02);
    gate("cylinder_mean_error_order", log2(coarse.mean / fine.mean), GATE_ABOVE, 1.0);
    gate("cylinder_net_flux", fabs(coarse.net_flux), GATE_BELOW, 1e-5);
}

// A ball of smoke-free solid shot through smoke, three cells a step.
static void a_fast_ball_leaves_no_smoke_inside(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        BwSceneDef scene = smoke_scene(dimension, 1.0f / 24.0f);
        set_box(&scene, 2.0f, 1.0f, 1.0f);
        float z = dimension == 3 ? 0.5f : 0.0f, speed = 3.0f / 24.0f * 24.0f;
        BwFillDef fill = bw_fill_def_default();
        fill.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {0.0f, 0.0f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}};
        fill.temperature = 300.0f;
        scene.fills = &fill;
        scene.fill_count = 1;
        scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
        BwObstacleDef obstacle = bw_obstacle_def_default();
        obstacle.shape = ball(0.3f, 0.5f, z, 0.15f);
        obstacle.motion.velocity = bw_curve_vector(speed, 0.1f, 0.0f);
        scene.obstacles = &obstacle;
        scene.obstacle_count = 1;
        scene.steps = 1;
        BwWorld *world = make_world(&scene, 2);
        double inside = 0.0, cold = 0.0, thin = 1.0, fastest = 0.0;
        int iterations = 0;
        for (int n = 0; n < 10; n++) {
            step_frames(world, 1);
            const BwStats *stats = bw_world_view_stats(world);
            const BwFrame *frame = frame_of(world);
            const BwFrameField *density = bw_frame_field(frame, "density"),
                               *heat = bw_frame_field(frame, "temperature"),
                               *solid = bw_frame_field(frame, "solid");
            assert_int_equal(stats->stop_reason, BW_STOP_CONVERGED);
            iterations = stats->iterations > iterations ? stats->iterations : iterations;
            fastest = fmax(fastest, (double)stats->max_speed);
            for (int c = 0; c < 48 * 24 * (dimension == 3 ? 24 : 1); c++) {
                int i = c % 48, j = c / 48 % 24, k = c / 48 / 24;
                double here = (double)frame_value(frame, density, i, j, k);
                if (frame_value(frame, solid, i, j, k) != 0.0f) {
                    inside = fmax(inside, here);
                    continue;
                }
                thin = fmin(thin, here);
                cold = fmax(cold, fabs((double)frame_value(frame, heat, i, j, k) - 300.0));
            }
        }
        char name[64];
        const struct {
            const char *what;
            double value;
            GateSide side;
            double bound;
        } gates[] = {{"smoke_inside", inside, GATE_BELOW, 0.0},
                     {"iterations", iterations, GATE_BELOW, 25.0},
                     {"fastest_flow_in_its_speed", fastest / (double)speed, GATE_BELOW, 2.5},
                     {"thinnest_smoke_behind", thin, GATE_ABOVE, 0.99},
                     {"temperature_off_behind", cold, GATE_BELOW, 0.1}};
        for (size_t n = 0; n < sizeof gates / sizeof *gates; n++) {
            snprintf(name, sizeof name, "fast_ball_%dd_%s", dimension, gates[n].what);
            gate(name, gates[n].value, gates[n].side, gates[n].bound);
        }
        bw_world_destroy(world);
    }
}

// A propeller in a sealed box: a rigid turn neither swells nor shrinks, so the pressure can balance it.
static void a_turning_solid_moves_no_volume(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(2, 1.0f / 32.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {-0.3f, -0.05f, -9.0f}, .b = {0.3f, 0.05f, 9.0f}};
    obstacle.motion.position = bw_curve_vector(0.5f, 0.5f, 0.0f);
    obstacle.motion.spin = bw_curve_vector(0.0f, 0.0f, 9.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    double divergence = 0.0;
    for (int n = 0; n < 12; n++) {
        step_frames(world, 1);
        divergence = fmax(divergence, bw_world_view_stats(world)->divergence);
    }
    gate("propeller_divergence", divergence, GATE_BELOW, 0.05);
    gate("propeller_stirs", (double)bw_world_view_stats(world)->max_speed, GATE_ABOVE, 1.0);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_flow_along_a_tilted_channel_keeps_its_speed),
        cmocka_unit_test(cut_cells_do_not_brake_where_stairs_do),
        cmocka_unit_test(flow_round_a_cylinder_is_potential_flow),
        cmocka_unit_test(a_fast_ball_leaves_no_smoke_inside),
        cmocka_unit_test(a_turning_solid_moves_no_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
