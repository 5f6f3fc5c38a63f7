// Solids as cut cells: flow along a tilted wall, round a cylinder, and solids that move several cells a step.
#include "run.h"

#include "domain/solid_faces.h"
#include "operate/project.h"
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

static Departure flow_along_channel(float degrees, BwAdvection advection)
{
    Channel channel;
    channel_create(&channel, degrees, 0.4f);
    BwSceneDef scene = smoke_scene(2, 1.0f / 40.0f);
    set_box(&scene, 1.0f, 1.0f, 0.0f);
    for (int side = 0; side < 4; side++)
        scene.walls.side[side].kind = BW_WALL_OPEN;
    scene.obstacles = channel.banks;
    scene.obstacle_count = 2;
    scene.smoke.advection = advection;
    scene.initial.velocity = (BwPlaceCurve){even_flow, channel.along};
    BwWorld *world = make_world(&scene, 1);
    step_frames(world, 24); // once through the box
    Departure departure = departure_of(frame_of(world), channel.along, 40);
    bw_world_destroy(world);
    return departure;
}

static void slip_flow_along_a_tilted_channel_keeps_its_speed(void **state)
{
    (void)state;
    const char *names[] = {"semi_lagrangian", "cubic", "maccormack", "reflection"};
    for (int n = 0; n < 4; n++)
        for (int k = 0; k < 2; k++) {
            float degrees = k == 0 ? 30.0f : -12.0f;
            Departure departure = flow_along_channel(degrees, (BwAdvection)n);
            char name[80];
            snprintf(name, sizeof name, "channel_at_%g_degrees_%s_mean_departure", (double)degrees, names[n]);
            gate(name, departure.mean, GATE_BELOW, 0.01);
            snprintf(name, sizeof name, "channel_at_%g_degrees_%s_most_departure", (double)degrees, names[n]);
            gate(name, departure.most, GATE_BELOW,
                 n == BW_ADVECT_REFLECTION ? 0.1 : 0.05); // it damps nothing
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

// Flow of speed 1 round a cylinder of diameter 1.
static double potential_flow(int axis, double x, double y)
{
    double a2 = 0.25, r2 = x * x + y * y;
    double effective = 1.0 + 9.8696 / 12.0 / 144.0; // the walls squeeze the flow: images of the doublet
    return effective * (axis == 0 ? 1.0 - a2 * (x * x - y * y) / (r2 * r2) : -a2 * 2.0 * x * y / (r2 * r2));
}

// Flow round a cylinder of diameter 1 in a tunnel 12 wide, right after the first projection: potential flow.
typedef struct Cylinder {
    double top;      // speed beside the top, error in U
    double mean;     // of |error| over the faces within a radius of the surface, in U
    double net_flux; // through the sides of the box, in U times its height
    double across;   // most that a path at the surface would go through it, in U
    double along;    // mean error of the speed along the surface, in U
} Cylinder;

// Bilinear velocity from a frame's faces, as paths read it.
static double frame_velocity(const BwFrame *frame, const BwFrameField *u, int axis, double x, double y)
{
    double px = x - (axis == 0 ? 0.0 : 0.5), py = y - (axis == 1 ? 0.0 : 0.5);
    int i = (int)floor(px), j = (int)floor(py);
    double sum = 0.0;
    for (int n = 0; n < 4; n++) {
        int di = n & 1, dj = n >> 1;
        double weight = (di ? px - i : 1.0 - px + i) * (dj ? py - j : 1.0 - py + j);
        sum += weight * (double)frame_value(frame, u, i + di, j + dj, 0);
    }
    return sum;
}

static void measure_surface(const BwFrame *frame, const BwFrameField *const u[2], double h, Cylinder *result)
{
    enum { POINTS = 360 };
    for (int n = 0; n < POINTS; n++) {
        double c = cos(n * 6.283185307 / POINTS), s = sin(n * 6.283185307 / POINTS);
        double x = ((double)6.03f + 0.5 * c) / h, y = ((double)6.02f + 0.5 * s) / h;
        double v[2] = {frame_velocity(frame, u[0], 0, x, y), frame_velocity(frame, u[1], 1, x, y)};
        double truth = potential_flow(0, 0.5 * c, 0.5 * s) * -s + potential_flow(1, 0.5 * c, 0.5 * s) * c;
        result->across = fmax(result->across, fabs(v[0] * c + v[1] * s));
        result->along += fabs(-v[0] * s + v[1] * c - truth) / POINTS;
    }
}

// A tunnel with a flow of speed 1 past a round obstacle, after one short step.
static BwWorld *tunnel_with(BwSceneDef *scene, int dimension, float cell, float size, BwObstacleDef *obstacle)
{
    static float along[3] = {1.0f, 0.0f, 0.0f};
    *scene = smoke_scene(dimension, cell);
    set_box(scene, size, size, size);
    scene->walls.side[BW_LEFT].kind = BW_WALL_INFLOW;
    scene->walls.side[BW_LEFT].velocity = bw_curve_vector(1.0f, 0.0f, 0.0f);
    scene->walls.side[BW_RIGHT].kind = BW_WALL_OUTFLOW;
    scene->initial.velocity = (BwPlaceCurve){even_flow, along};
    scene->obstacles = obstacle;
    scene->obstacle_count = 1;
    scene->fps = 1e5;
    scene->steps = 1;
    scene->solver.tolerance = 1e-7f;
    BwWorld *world = make_world(scene, 2);
    step_frames(world, 1);
    return world;
}

static Cylinder flow_past_cylinder(int cells_a_diameter)
{
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(6.03f, 6.02f, 0.0f, 0.5f);
    BwSceneDef scene;
    BwWorld *world = tunnel_with(&scene, 2, 1.0f / (float)cells_a_diameter, 12.0f, &obstacle);
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
    measure_surface(frame, u, h, &result);
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
    gate("cylinder_speed_through_surface", coarse.across, GATE_BELOW, 0.1);
    gate("cylinder_speed_along_surface_error", coarse.along, GATE_BELOW, 0.05);
    gate("cylinder_speed_along_surface_error_fine", fine.along, GATE_BELOW, 0.03);
    gate("cylinder_net_flux", fabs(coarse.net_flux), GATE_BELOW, 1e-5);
}

#ifdef FULL_SIZE
// Flow of speed 1 round a ball of diameter 1 in a square tunnel 6 wide, images of the doublet included.
static double flow_round_ball(int axis, const double at[3])
{
    double r2 = at[0] * at[0] + at[1] * at[1] + at[2] * at[2], a3 = 0.125, r3 = r2 * sqrt(r2);
    double effective = 1.0 + 0.5 * 9.0336 / 1728.0;
    double even = axis == 0 ? 1.0 + 0.5 * a3 / r3 : 0.0;
    return effective * (even - 1.5 * a3 * at[0] * at[axis] / (r3 * r2));
}

// Mean error over the open faces within a radius of the surface.
static double ball_error(int cells_a_diameter)
{
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(3.03f, 3.02f, 2.99f, 0.5f);
    const double center[3] = {(double)3.03f, (double)3.02f, (double)2.99f}, h = 1.0 / cells_a_diameter;
    BwSceneDef scene;
    BwWorld *world = tunnel_with(&scene, 3, 1.0f / (float)cells_a_diameter, 6.0f, &obstacle);
    const BwFrame *frame = frame_of(world);
    static const char *const names[3][2] = {{"u", "open_u"}, {"v", "open_v"}, {"w", "open_w"}};
    int first = 2 * cells_a_diameter, side = 2 * cells_a_diameter, count = 0;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        const BwFrameField *u = bw_frame_field(frame, names[a][0]),
                           *open = bw_frame_field(frame, names[a][1]);
        for (int n = 0; n < side * side * side; n++) {
            int cell[3] = {first + n % side, first + n / side % side, first + n / side / side};
            double at[3], r = 0.0;
            for (int b = 0; b < 3; b++) {
                at[b] = (cell[b] + (a == b ? 0.0 : 0.5)) * h - center[b];
                r += at[b] * at[b];
            }
            r = sqrt(r);
            if (frame_value(frame, open, cell[0], cell[1], cell[2]) == 0.0f || r > 1.0)
                continue;
            for (int b = 0; b < 3; b++)
                at[b] *= fmax(r, 0.5) / r;
            sum += fabs((double)frame_value(frame, u, cell[0], cell[1], cell[2]) - flow_round_ball(a, at));
            count++;
        }
    }
    bw_world_destroy(world);
    return sum / count;
}

static void flow_round_a_ball_is_potential_flow(void **state)
{
    (void)state;
    double coarse = ball_error(10), fine = ball_error(20);
    gate("ball_mean_error_20_cells", fine, GATE_BELOW, 0.01);
    gate("ball_mean_error_order", log2(coarse / fine), GATE_ABOVE, 1.0);
}
#endif

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

// A plate one cell thick, as wide as the tunnel, pushes smoke before it three cells a step. Nothing is behind
// it, and nothing comes through. `offset` is where it begins in its cell.
static void push_with_plate(float offset, double *behind, double *before)
{
    const float h = 1.0f / 32.0f, low = 0.5f + offset * h;
    BwSceneDef scene = smoke_scene(2, h);
    set_box(&scene, 3.0f, 0.5f, 0.0f);
    scene.walls.side[BW_LEFT].kind = scene.walls.side[BW_RIGHT].kind = BW_WALL_OPEN;
    scene.gravity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    BwFillDef fill = bw_fill_def_default();
    fill.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {low + h, -9.0f, -9.0f}, .b = {9.0f, 9.0f, 9.0f}};
    scene.fills = &fill;
    scene.fill_count = 1;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = (BwShape){.kind = BW_SHAPE_BOX, .a = {low, -9.0f, -9.0f}, .b = {low + h, 9.0f, 9.0f}};
    obstacle.motion.velocity = bw_curve_vector(3.0f * h * 24.0f, 0.0f, 0.0f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    scene.steps = 1;
    BwWorld *world = make_world(&scene, 1);
    for (int n = 1; n <= 16; n++) {
        step_frames(world, 1);
        BwStop stop = bw_world_view_stats(world)->stop_reason;
        assert_true(stop == BW_STOP_CONVERGED || stop == BW_STOP_EMPTY);
        const BwFrame *frame = frame_of(world);
        const BwFrameField *density = bw_frame_field(frame, "density");
        for (int i = 0; i < 96; i++)
            for (int j = 0; j < 16; j++) {
                double here = (double)frame_value(frame, density, i, j, 0);
                *behind = fmax(*behind, i < 16 + 3 * n ? here : 0.0);
                *before = fmax(*before, i > 18 + 3 * n ? here : 0.0);
            }
    }
    bw_world_destroy(world);
}

static void a_fast_plate_lets_no_smoke_through(void **state)
{
    (void)state;
    const float offsets[] = {0.0f, 0.37f, 0.5f, 0.81f};
    double behind = 0.0, before = 0.0;
    for (int n = 0; n < 4; n++)
        push_with_plate(offsets[n], &behind, &before);
    gate("fast_plate_smoke_behind", behind, GATE_BELOW, 0.0);
    gate("fast_plate_smoke_before", before, GATE_ABOVE, 0.99);
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

// A thermal in a sealed box with a ball half sunk into a wall: nothing goes through any side.
static void sealed_boxes_stay_sealed(void **state)
{
    (void)state;
    BwSceneDef scene = smoke_scene(3, 1.0f / 24.0f);
    set_box(&scene, 1.0f, 1.0f, 1.0f);
    BwFillDef fill = bw_fill_def_default();
    fill.shape = ball(0.5f, 0.3f, 0.5f, 0.2f);
    fill.temperature = 400.0f;
    scene.fills = &fill;
    scene.fill_count = 1;
    BwObstacleDef obstacle = bw_obstacle_def_default();
    obstacle.shape = ball(0.95f, 0.6f, 0.5f, 0.2f);
    scene.obstacles = &obstacle;
    scene.obstacle_count = 1;
    BwWorld *world = make_world(&scene, 2);
    step_frames(world, 12);
    const BwFrame *frame = frame_of(world);
    const char *names[] = {"u", "v", "w"};
    double through = 0.0;
    for (int a = 0; a < 3; a++)
        for (int end = 0; end < 2; end++)
            for (int n = 0; n < 24 * 24; n++) {
                int at[3];
                at[a] = end * 24;
                at[(a + 1) % 3] = n % 24;
                at[(a + 2) % 3] = n / 24;
                through +=
                    fabs((double)frame_value(frame, bw_frame_field(frame, names[a]), at[0], at[1], at[2]));
            }
    gate("sealed_box_flux_through_sides", through, GATE_BELOW, 0.0);
    gate("sealed_box_speed", (double)bw_world_view_stats(world)->max_speed, GATE_ABOVE, 0.1);
    gate("sealed_box_divergence", bw_world_view_stats(world)->divergence, GATE_BELOW, 0.01);
    bw_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_flow_along_a_tilted_channel_keeps_its_speed),
        cmocka_unit_test(cut_cells_do_not_brake_where_stairs_do),
        cmocka_unit_test(flow_round_a_cylinder_is_potential_flow),
#ifdef FULL_SIZE
        cmocka_unit_test(flow_round_a_ball_is_potential_flow),
#endif
        cmocka_unit_test(a_fast_ball_leaves_no_smoke_inside),
        cmocka_unit_test(a_fast_plate_lets_no_smoke_through),
        cmocka_unit_test(a_turning_solid_moves_no_volume),
        cmocka_unit_test(sealed_boxes_stay_sealed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
