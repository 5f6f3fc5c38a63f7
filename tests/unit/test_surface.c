// Meshes of liquids: closed whatever the level set, of the right area and volume, flat on walls, along
// solids, the same for any number of threads.
#include "liquid_frame.h"
#include "mesh_walk.h"
#include "random.h"
#include "surface_maker.h"

static BwSurface *surface_of(int resolution, int smoothing, int workers)
{
    return surface_make(BW_MESH_FROM_LEVELSET, resolution, smoothing, workers);
}

// Values of a corner of a tile, `side` cells long, drawn from a few levels among which is 0.
static void draw_values(Liquid *liquid, Random *random, int side)
{
    static const float levels[] = {-2.0f, -0.5f, -1e-7f, 0.0f, 0.0f, 1e-7f, 0.5f, 2.0f};
    float *values = liquid->puff->values, cell = liquid->puff->frame.cell_size;
    bool is_smooth = random_below(random, 2) == 0;
    for (int n = 0; n < 512; n++) {
        bool is_drawn = (n & 7) < side && (n >> 3 & 7) < side && (n >> 6) < side;
        float value = is_smooth ? (float)random_between(random, -1.0, 1.0) : levels[random_below(random, 8)];
        values[n] = is_drawn ? cell * value : 3.0f * cell;
    }
}

// Every sign pattern closes, with values of 0 among them, at any resolution, between walls and without.
static void random_fields_are_closed(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    Liquid *liquid = liquid_make(0.1f, low, count, liquid_splash, NULL);
    Random random = random_seeded(7);
    BwSurface *surfaces[4];
    const int fields = IS_FULL ? 3000 : 750;
    int64_t triangles = 0, faults = 0;
    for (int n = 0; n < 4; n++)
        surfaces[n] = surface_of(n + 1, n % 2, 1);
    for (int n = 0; n < fields; n++) {
        draw_values(liquid, &random, 2 + n % 7);
        liquid->puff->frame.has_walls = n / 7 % 2 == 0;
        const BwFrameMesh *mesh = mesh_of(surfaces[n % 40 == 0 ? n / 40 % 4 : n % 2], &liquid->puff->frame);
        MeshFaults found = mesh_walk(mesh);
        faults += found.edges + found.fans + found.lone;
        triangles += mesh->triangle_count;
    }
    gate("random_mesh_faults", (double)faults, GATE_BELOW, 0.0);
    gate("random_mesh_triangles_of_a_field", (double)triangles / fields, GATE_ABOVE, 1e6 / 3000);
    for (int n = 0; n < 4; n++)
        bw_surface_destroy(surfaces[n]);
    liquid_free(liquid);
}

// Random fields over several tiles with solids at random places, some of them smaller than a cell.
static void random_solids_are_closed(void **state)
{
    (void)state;
    const int32_t low[3] = {-1, 0, 0}, count[3] = {2, 2, 2};
    Liquid *liquid = liquid_make(0.1f, low, count, liquid_splash, NULL);
    Random random = random_seeded(11);
    BwSurface *surfaces[2] = {surface_of(1, 2, 2), surface_of(3, 1, 2)};
    int64_t faults = 0;
    for (int n = 0; n < 60; n++) {
        BwShape shapes[3];
        BwFrameSolid solids[3];
        for (int s = 0; s < 3; s++) {
            BwVec3 at =
                bw_vec3((float)random_between(&random, -0.8, 0.8), (float)random_between(&random, 0.0, 1.6),
                        (float)random_between(&random, 0.0, 1.6));
            float size = (float)random_between(&random, 0.01, 0.5);
            shapes[s] = s == 0   ? bw_sphere(at, size)
                        : s == 1 ? bw_box(at, bw_add(at, bw_vec3(size, 2.0f * size, 0.3f)))
                                 : bw_cylinder(at, bw_add(at, bw_vec3(0.2f, 0.5f, -0.3f)), 0.3f * size);
            solids[s] = (BwFrameSolid){.shape = &shapes[s], .pose = bw_pose_identity()};
        }
        for (int c = 0; c < 8 * 512; c++)
            liquid->puff->values[c] = (float)random_between(&random, -0.3, n % 2 == 0 ? 0.1 : 0.0);
        liquid->puff->frame.solids = solids;
        liquid->puff->frame.solid_count = 3;
        liquid->puff->frame.has_walls = n % 3 != 0;
        MeshFaults found = mesh_walk(mesh_of(surfaces[n % 10 == 0], &liquid->puff->frame));
        faults += found.edges + found.fans + found.lone;
    }
    gate("random_solid_faults", (double)faults, GATE_BELOW, 0.0);
    bw_surface_destroy(surfaces[0]);
    bw_surface_destroy(surfaces[1]);
    liquid_free(liquid);
}

// All 256 sign patterns of a single cube, with the rest outside: the cube in the middle of a tile, on its
// rim, and in the corner of the box.
static void all_cubes_are_closed(void **state)
{
    (void)state;
    const int32_t low[3] = {-1, -1, -1}, count[3] = {2, 2, 2};
    Liquid *liquid = liquid_make(0.1f, low, count, liquid_splash, NULL);
    BwSurface *surface = surface_of(1, 0, 1);
    float *values = liquid->puff->values;
    int64_t faults = 0;
    for (int pattern = 0; pattern < 3 * 256; pattern++) {
        static const int starts[3] = {3, 7, 0};
        for (int n = 0; n < 8 * 512; n++)
            values[n] = 0.3f;
        for (int c = 0; c < 8; c++) {
            int at[3];
            for (int a = 0; a < 3; a++)
                at[a] = starts[pattern / 256] + (c >> a & 1);
            int tile = (at[0] >> 3) + 2 * (at[1] >> 3) + 4 * (at[2] >> 3);
            values[512 * tile + (at[0] & 7) + 8 * (at[1] & 7) + 64 * (at[2] & 7)] =
                pattern >> c & 1 ? -0.03f * (float)(c + 1) : 0.02f * (float)(9 - c);
        }
        MeshFaults found = mesh_walk(mesh_of(surface, &liquid->puff->frame));
        faults += found.edges + found.fans + found.lone;
    }
    gate("cube_pattern_faults", (double)faults, GATE_BELOW, 0.0);
    bw_surface_destroy(surface);
    liquid_free(liquid);
}

// A ball of radius 0.3 m in a box of 1 m.
static float ball(const void *context, float x, float y, float z)
{
    (void)context;
    float dx = x - 0.513f, dy = y - 0.492f, dz = z - 0.507f;
    return sqrtf(dx * dx + dy * dy + dz * dz) - 0.3f;
}

typedef struct BallErrors {
    double area, volume;
} BallErrors;

static BallErrors ball_errors(int tiles, int resolution, int smoothing)
{
    const int32_t low[3] = {0, 0, 0}, count[3] = {tiles, tiles, tiles};
    Liquid *liquid = liquid_make(1.0f / (float)(8 * tiles), low, count, ball, NULL);
    BwSurface *surface = surface_of(resolution, smoothing, 2);
    const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
    const double pi = 3.14159265358979, radius = 0.3;
    assert_closed(mesh);
    BallErrors errors = {fabs(mesh_area(mesh) / (4.0 * pi * radius * radius) - 1.0),
                         fabs(mesh_volume(mesh) / (4.0 / 3.0 * pi * radius * radius * radius) - 1.0)};
    bw_surface_destroy(surface);
    liquid_free(liquid);
    return errors;
}

static void ball_converges(void **state)
{
    (void)state;
    for (int smoothing = 0; smoothing <= 3; smoothing += 3) {
        BallErrors coarse = ball_errors(2, 1, smoothing), fine = ball_errors(8, 1, smoothing);
        char name[64];
        snprintf(name, sizeof name, "ball_area_order_%d", smoothing);
        gate(name, log2(coarse.area / fine.area) / 2.0, GATE_ABOVE, 1.8);
        snprintf(name, sizeof name, "ball_volume_order_%d", smoothing);
        gate(name, log2(coarse.volume / fine.volume) / 2.0, GATE_ABOVE, 1.8);
        snprintf(name, sizeof name, "ball_volume_error_%d", smoothing);
        gate(name, fine.volume, GATE_BELOW, 2e-3);
    }
    for (int resolution = 2; resolution <= 4; resolution++) {
        BallErrors refined = ball_errors(4, resolution, 3);
        gate("refined_ball_volume_error", refined.volume, GATE_BELOW, 2e-3);
        gate("refined_ball_area_error", refined.area, GATE_BELOW, 4e-3);
    }
}

static float pool_level(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return y - *(const float *)context;
}

// Flat water is a box: flat on top, exactly on the walls, of its volume.
static void flat_water_is_flat(void **state)
{
    (void)state;
    const int32_t low[3] = {-1, 0, 2}, count[3] = {2, 2, 1};
    const float cell = 0.05f;
    for (int n = 0; n < 12; n++) {
        float level = cell * (5.0f + 0.1f * (float)n);
        Liquid *liquid = liquid_make(cell, low, count, pool_level, &level);
        BwSurface *surface = surface_of(1 + n % 4, 3, 1);
        const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
        BwBox walls = liquid->puff->frame.walls;
        double worst = 0.0, rim = -1.0; // cells; the highest vertices on walls are those of the waterline
        assert_closed(mesh);
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            BwVec3 at = mesh->vertices[v];
            bool is_inner =
                at.x > walls.low.x && at.x < walls.high.x && at.z > walls.low.z && at.z < walls.high.z;
            double above = (double)((at.y - level) / cell);
            assert_true(at.x >= walls.low.x && at.x <= walls.high.x && at.y >= walls.low.y);
            assert_true(at.z >= walls.low.z && at.z <= walls.high.z);
            if (is_inner && at.y > walls.low.y)
                worst = fmax(worst, fabs(above));
            else
                rim = fmax(rim, above);
        }
        gate("waterline_cells", fabs(rim), GATE_BELOW, 0.05);
        gate("flat_water_cells", worst, GATE_BELOW, 0.05);
        BwVec3 size = bw_sub(walls.high, walls.low);
        double volume = (double)size.x * (double)size.z * (double)level;
        gate("flat_water_volume", fabs(mesh_volume(mesh) / volume - 1.0), GATE_BELOW, 1e-3);
        bw_surface_destroy(surface);
        liquid_free(liquid);
    }
}

// A sheet as thick as the context says, across the box.
static float sheet(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return fabsf(y - 0.3971f) - 0.5f * *(const float *)context;
}

// A film of two cells, and even of one, stays whole, and as thick as it is.
static void films_stay_whole(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {2, 1, 2};
    const float cell = 0.1f;
    for (int thick = 1; thick <= 2; thick++)
        for (int resolution = 1; resolution <= 3; resolution++) {
            float thickness = cell * (float)thick;
            Liquid *liquid = liquid_make(cell, low, count, sheet, &thickness);
            BwSurface *surface = surface_of(resolution, 10, 1);
            const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
            assert_closed(mesh);
            double area = 1.6 * 1.6;
            gate("film_area", mesh_area(mesh) / (2.0 * area), GATE_ABOVE, 0.99); // both sides, no holes
            if (thick == 2) // linear samples cannot tell how thick one of a single cell is
                gate("film_volume_error", fabs(mesh_volume(mesh) / (area * (double)thickness) - 1.0),
                     GATE_BELOW, 0.03);
            bw_surface_destroy(surface);
            liquid_free(liquid);
        }
}

// A large drop and one of three cells.
static float two_drops(const void *context, float x, float y, float z)
{
    (void)context;
    float dx = x - 0.62f, dy = y - 0.6f, dz = z - 0.6f, large = sqrtf(dx * dx + dy * dy + dz * dz) - 0.3f;
    dx = x - 0.16f, dy = y - 0.17f, dz = z - 0.15f;
    return fminf(large, sqrtf(dx * dx + dy * dy + dz * dz) - 0.07f);
}

// The volume of the vertices near the small drop.
static double small_volume(const BwFrameMesh *mesh)
{
    BwFrameMesh part = *mesh;
    int32_t(*triangles)[3] = malloc((size_t)mesh->triangle_count * sizeof *triangles);
    part.triangle_count = 0;
    for (int32_t n = 0; n < mesh->triangle_count; n++)
        if (mesh->vertices[mesh->triangles[n][0]].x < 0.28f)
            memcpy(triangles[part.triangle_count++], mesh->triangles[n], sizeof *triangles);
    part.triangles = (const int32_t(*)[3])triangles;
    double volume = mesh_volume(&part);
    free(triangles);
    return volume;
}

// However much a mesh is smoothed, every drop keeps its volume.
static void drops_keep_their_volume(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {3, 3, 3};
    Liquid *liquid = liquid_make(1.0f / 24.0f, low, count, two_drops, NULL);
    BwSurface *plain = surface_of(1, 0, 1), *smooth = surface_of(1, 20, 1);
    const BwFrameMesh *before = mesh_of(plain, &liquid->puff->frame),
                      *after = mesh_of(smooth, &liquid->puff->frame);
    gate("smooth_volume_error", fabs(mesh_volume(after) / mesh_volume(before) - 1.0), GATE_BELOW, 1e-4);
    gate("small_drop_volume_error", fabs(small_volume(after) / small_volume(before) - 1.0), GATE_BELOW, 5e-3);
    bw_surface_destroy(plain);
    bw_surface_destroy(smooth);
    liquid_free(liquid);
}

// A ball as an obstacle in a full box, and one that stands across the surface: the mesh ends at it.
static void solids_cut_the_mesh(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
    const double pi = 3.14159265358979, radius = 0.25;
    const float levels[2] = {2.0f, 0.5f};
    BwShape shape = bw_sphere(bw_vec3(0.5f, 0.5f, 0.5f), 0.25f);
    const BwFrameSolid solid = {.shape = &shape, .pose = bw_pose_identity()};
    for (int n = 0; n < 2; n++)
        for (int resolution = 1; resolution <= 2; resolution++) {
            Liquid *liquid = liquid_make(1.0f / 32.0f, low, count, pool_level, &levels[n]);
            BwSurface *surface = surface_of(resolution, 3, 1);
            liquid->puff->frame.solids = &solid;
            liquid->puff->frame.solid_count = 1;
            const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
            double ball_volume = 4.0 / 3.0 * pi * radius * radius * radius, worst = 0.0;
            double volume = n == 0 ? 1.0 - ball_volume : 0.5 - 0.5 * ball_volume;
            assert_closed(mesh);
            for (int32_t v = 0; v < mesh->vertex_count; v++)
                worst = fmin(worst, (double)bw_shape_distance(&shape, mesh->vertices[v]));
            gate("solid_cut_volume_error", fabs(mesh_volume(mesh) / volume - 1.0), GATE_BELOW, 2e-3);
            gate("solid_cut_depth_cells", -32.0 * worst, GATE_BELOW, 0.1);
            bw_surface_destroy(surface);
            liquid_free(liquid);
        }
}

// Into a ball the mesh goes as deep as it is told, into a plate no farther than half through; outside of both
// nothing changes: there, water has the same volume.
static void meshes_go_into_solids(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
    const float level = 0.5f, cell = 1.0f / 32.0f;
    BwShape shapes[2] = {bw_sphere(bw_vec3(0.5f, 0.5f, 0.5f), 0.25f),
                         bw_box(bw_vec3(-0.1f, -0.1f, 0.14f), bw_vec3(1.1f, 1.1f, 0.14f + 0.9f * cell))};
    for (int n = 0; n < 2; n++)
        for (int resolution = 2; resolution <= 3; resolution++) {
            const BwFrameSolid solid = {.shape = &shapes[n], .pose = bw_pose_identity()};
            Liquid *liquid = liquid_make(cell, low, count, pool_level, &level);
            BwSurfaceDef def = bw_surface_def_default();
            BwSurface *surface;
            def.resolution = resolution;
            def.into_solids = 1.0f;
            assert_int_equal(bw_surface_create(&surface, &def, NULL), BW_OK);
            liquid->puff->frame.solids = &solid;
            liquid->puff->frame.solid_count = 1;
            const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
            double deepest = 0.0, rise = 0.0;
            assert_closed(mesh);
            for (int32_t v = 0; v < mesh->vertex_count; v++) {
                double depth = -32.0 * (double)bw_shape_distance(&shapes[n], mesh->vertices[v]);
                deepest = fmax(deepest, depth);
                if (depth < 0.1) // the surface is flat up to the solid, and on into it
                    rise = fmax(rise, 32.0 * (double)(mesh->vertices[v].y - level));
            }
            gate("into_solid_depth_error", fabs(deepest - (n == 0 ? 1.0 : 0.45)), GATE_BELOW, 0.12);
            gate("into_solid_rise_cells", rise, GATE_BELOW, 0.05);
            bw_surface_destroy(surface);
            liquid_free(liquid);
        }
    BwSurfaceDef wrong = bw_surface_def_default();
    BwSurface *none;
    wrong.into_solids = -1.0f;
    assert_int_equal(bw_surface_create(&none, &wrong, NULL), BW_ERR_DEF);
    wrong.into_solids = NAN;
    assert_int_equal(bw_surface_create(&none, &wrong, NULL), BW_ERR_DEF);
}

static float wavy_level(const void *context, float x, float y, float z)
{
    (void)z;
    const float *wave = context; // length, height
    return y - 0.5f - wave[1] * sinf(6.2831853f * x / wave[0]);
}

// The part of a wave that is left on the surface away from the walls.
static double wave_left(const BwFrameMesh *mesh, const float wave[2])
{
    double left = 0.0, all = 0.0;
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 at = mesh->vertices[n];
        bool is_inner = at.x > 0.25f && at.x < 0.75f && at.z > 0.25f && at.z < 0.75f && at.y > 0.1f;
        double sine = is_inner ? sin(6.2831853 * (double)at.x / (double)wave[0]) : 0.0;
        left += sine * ((double)at.y - 0.5);
        all += sine * sine * (double)wave[1];
    }
    return left / all;
}

// Smoothing takes bumps of four cells away and leaves waves of sixteen, at every resolution alike.
static void smoothing_tells_bumps_from_waves(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {6, 6, 6};
    const float cell = 1.0f / 48.0f, bump[2] = {4.0f * cell, 0.1f * cell}, wave[2] = {16.0f * cell, cell};
    Liquid *bumpy = liquid_make(cell, low, count, wavy_level, bump),
           *wavy = liquid_make(cell, low, count, wavy_level, wave);
    for (int resolution = 1; resolution <= 3; resolution++) {
        BwSurface *surface = surface_of(resolution, 3, 2);
        gate("bump_left", fabs(wave_left(mesh_of(surface, &bumpy->puff->frame), bump)), GATE_BELOW, 0.25);
        gate("wave_lost", fabs(wave_left(mesh_of(surface, &wavy->puff->frame), wave) - 1.0), GATE_BELOW,
             0.03);
        bw_surface_destroy(surface);
    }
    liquid_free(bumpy);
    liquid_free(wavy);
}

// A slope with rows of bumps as particles leave them where a film stretches: along x 2.7 cells apart and a
// fifth of a cell high, across it 3.3 cells apart and a quarter as high.
static float rows_level(const void *context, float x, float y, float z)
{
    const float cell = *(const float *)context, turn = 6.2831853f / cell;
    return y - 0.5f - 0.04f * x - cell * (0.2f * sinf(turn * x / 2.7f) + 0.05f * sinf(turn * z / 3.3f));
}

// Also where the filter moves vertices along the surface, which is more where they are fewer.
static void smoothing_takes_rows_of_bumps_away(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {6, 6, 6};
    const float cell = 1.0f / 48.0f;
    const double most[3] = {0.04, 0.009, 0.006}; // cells; .054, .014, .0098 where one reach holds both
    Liquid *liquid = liquid_make(cell, low, count, rows_level, &cell);
    for (int resolution = 1; resolution <= 3; resolution++) {
        BwSurface *surface = surface_of(resolution, 3, 2);
        const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
        double sines = 0.0, cosines = 0.0;
        int inner = 0;
        for (int32_t n = 0; n < mesh->vertex_count; n++) {
            BwVec3 at = mesh->vertices[n];
            if (at.x < 0.2f || at.x > 0.8f || at.z < 0.2f || at.z > 0.8f || at.y < 0.1f)
                continue;
            double off = ((double)at.y - 0.5 - 0.04 * (double)at.x) / (double)cell;
            double turn = 6.283185307 / 2.7 * (double)at.x / (double)cell;
            sines += off * sin(turn);
            cosines += off * cos(turn);
            inner++;
        }
        gate("rows_of_bumps_left_cells", 2.0 * hypot(sines, cosines) / inner, GATE_BELOW,
             most[resolution - 1]);
        bw_surface_destroy(surface);
    }
    liquid_free(liquid);
}

static void threads_agree(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {8, 4, 4};
    Liquid *liquid = liquid_make(1.0f / 32.0f, low, count, liquid_splash, NULL);
    for (int resolution = 1; resolution <= 2; resolution++) {
        BwSurface *one = surface_of(resolution, 3, 1);
        const BwFrameMesh *first = mesh_of(one, &liquid->puff->frame);
        assert_closed(first);
        for (int workers = 2; workers <= 8; workers += workers == 3 ? 5 : 1) {
            BwSurface *many = surface_of(resolution, 3, workers);
            const BwFrameMesh *mesh = mesh_of(many, &liquid->puff->frame);
            assert_same_mesh(mesh, first);
            bw_surface_destroy(many);
        }
        bw_surface_destroy(one);
    }
    liquid_free(liquid);
}

// Far from the origin the same surface has the same shape.
static void far_surfaces_are_the_same(void **state)
{
    (void)state;
    const int32_t near[3] = {0, 0, 0}, far[3] = {100000, 0, -70000}, count[3] = {4, 4, 4};
    const float cell = 1.0f / 32.0f;
    Liquid *here = liquid_make(cell, near, count, ball, NULL),
           *there = liquid_make(cell, far, count, ball, NULL);
    here->puff->frame.has_walls = there->puff->frame.has_walls = false;
    BwSurface *surfaces[2] = {surface_of(1, 3, 1), surface_of(1, 3, 1)};
    const BwFrameMesh *a = mesh_of(surfaces[0], &here->puff->frame),
                      *b = mesh_of(surfaces[1], &there->puff->frame);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices);
    assert_true(b->origin[0] == 800000.0 / 32.0 && b->origin[1] == 0.0 && b->origin[2] == -560000.0 / 32.0);
    assert_true(a->origin[0] == 0.0);
    for (int n = 0; n < 2; n++)
        bw_surface_destroy(surfaces[n]);
    liquid_free(here);
    liquid_free(there);
}

// Vertices have the velocity and the colour that the fields have where they are.
static void vertices_have_values(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
    const float cell = 1.0f / 32.0f;
    Liquid *liquid = liquid_make(cell, low, count, ball, NULL);
    BwFrame *frame = &liquid->puff->frame;
    float *red = calloc(64 * 512, sizeof *red);
    for (int n = 0; n < 64 * 512; n++) {
        BwTileCoord tile = frame->tiles[n / 512];
        float x = cell * (float)(8 * tile.x + (n & 7)),
              y = cell * ((float)(8 * tile.y + (n >> 3 & 7)) + 0.5f);
        liquid->u[n] = 2.0f * x - y; // on the low face
        liquid->v[n] = 3.0f * (y - 0.5f * cell);
        red[n] = 0.5f * (x + 0.5f * cell);
    }
    const BwFrameField fields[] = {liquid->fields[0],
                                   liquid->fields[1],
                                   liquid->fields[2],
                                   {"w", "m/s", BW_AT_FACE_Z, 0.0f, liquid->u, false},
                                   {"color_r", "1", BW_AT_CELL, 0.0f, red, false},
                                   {"color_g", "1", BW_AT_CELL, 0.0f, red, false},
                                   {"color_b", "1", BW_AT_CELL, 0.0f, red, false},
                                   {"temperature", "K", BW_AT_CELL, 0.0f, red, false},
                                   {"age", "s", BW_AT_CELL, 0.0f, red, false}};
    frame->fields = fields;
    frame->field_count = 9;
    BwSurface *surface = surface_of(1, 3, 2);
    const BwFrameMesh *mesh = mesh_of(surface, frame);
    const BwFrameAttribute *velocity =
                               bw_frame_attribute(mesh->attributes, mesh->attribute_count, "velocity"),
                           *color = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "color"),
                           *heat = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "temperature"),
                           *age = bw_frame_attribute(mesh->attributes, mesh->attribute_count, "age");
    assert_non_null(velocity);
    assert_non_null(color);
    assert_true(heat != NULL && heat->components == 1 && age != NULL && age->components == 1);
    double worst = 0.0;
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 at = mesh->vertices[n];
        worst = fmax(worst, fabs((double)(velocity->values[3 * n] - (2.0f * at.x - at.y))));
        worst = fmax(worst, fabs((double)(velocity->values[3 * n + 1] - 3.0f * at.y)));
        worst = fmax(worst, fabs((double)(color->values[3 * n] - 0.5f * at.x)));
        worst = fmax(worst, fabs((double)(heat->values[n] - 0.5f * at.x)));
        worst = fmax(worst, fabs((double)(age->values[n] - 0.5f * at.x)));
    }
    gate("vertex_value_error", worst, GATE_BELOW, 1e-5);
    bw_surface_destroy(surface);
    free(red);
    liquid_free(liquid);
}

// A frame without a velocity on its grid has that of its particles.
static void particles_give_their_velocity(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    const float cell = 0.1f, level = 0.43f;
    Liquid *liquid = liquid_make(cell, low, count, pool_level, &level);
    BwFrame *frame = &liquid->puff->frame;
    frame->field_count = 1; // phi
    liquid_add_particles(liquid, 8 * 512, 0.02f);
    for (int n = 0; n < 8 * 512; n++) {
        int i = n / 8 & 7, j = n / 64 & 7, k = n / 512;
        BwVec3 at = bw_vec3(cell * ((float)i + 0.25f + 0.5f * (float)(n & 1)),
                            cell * ((float)j + 0.25f + 0.5f * (float)(n >> 1 & 1)),
                            cell * ((float)k + 0.25f + 0.5f * (float)(n >> 2 & 1)));
        liquid->positions[n] = at;
        liquid->velocities[n] = bw_vec3(3.0f * at.x - at.z, 2.0f, at.y);
    }
    BwSurface *surface = surface_of(1, 0, 1);
    const BwFrameMesh *mesh = mesh_of(surface, frame);
    const BwFrameAttribute *velocity =
        bw_frame_attribute(mesh->attributes, mesh->attribute_count, "velocity");
    assert_non_null(velocity);
    double worst = 0.0;
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 at = mesh->vertices[n];
        bool is_inner = at.x > cell && at.x < 7.0f * cell && at.z > cell && at.z < 7.0f * cell && at.y > cell;
        const float *found = velocity->values + 3 * n;
        assert_true(found[1] == 2.0f);
        if (is_inner)
            worst = fmax(
                worst, fmax(fabs((double)(found[0] - 3.0f * at.x + at.z)), fabs((double)(found[2] - at.y))));
    }
    gate("particle_velocity_error", worst, GATE_BELOW, 1e-5);
    bw_surface_destroy(surface);
    liquid_free(liquid);
}

static void expect_error(const BwSurfaceDef *def, const char *message)
{
    BwError err = {0};
    BwSurface *surface = NULL;
    assert_int_equal(bw_surface_create(&surface, def, &err), BW_ERR_DEF);
    assert_null(surface);
    assert_string_equal(err.message, message);
}

static void expect_frame_error(BwSurface *surface, const BwFrame *frame, const char *message)
{
    BwError err = {0};
    assert_null(bw_surface_mesh(surface, frame, &err));
    assert_string_equal(err.message, message);
}

static void errors_are_clear(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1}, flat[3] = {1, 1, 0};
    BwSurfaceDef def = bw_surface_def_default();
    def.resolution = 5;
    expect_error(&def, "the surface's resolution is 5; it must be from 1 to 4");
    def.resolution = 1;
    def.smoothing = -1;
    expect_error(&def, "the surface's smoothing is -1 rounds; it must be from 0 to 100");
    def.cookie = 0;
    expect_error(&def, "the surface's Def was not made by bw_surface_def_default");
    Liquid *liquid = liquid_make(0.1f, low, count, ball, NULL),
           *thin = liquid_make(0.1f, low, flat, ball, NULL);
    BwSurface *surface = surface_of(1, 3, 1);
    expect_frame_error(surface, &thin->puff->frame,
                       "the frame is 2-D; meshes are made of 3-D liquids, and of flat ones within "
                       "chains");
    liquid->fields[0].name = "density";
    expect_frame_error(surface, &liquid->puff->frame,
                       "the frame has no level set \"phi\" to make a mesh of; liquids have one");
    expect_frame_error(NULL, &liquid->puff->frame, "the surface is NULL");
    bw_surface_destroy(surface);
    bw_surface_destroy(NULL);
    liquid_free(liquid);
    liquid_free(thin);
}

// An empty frame and one all of air have no triangles.
static void nothing_has_no_mesh(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    const float level = -1.0f;
    Liquid *liquid = liquid_make(0.1f, low, count, pool_level, &level);
    BwSurface *surface = surface_of(2, 3, 1);
    assert_int_equal(mesh_of(surface, &liquid->puff->frame)->triangle_count, 0);
    liquid->puff->frame.tile_count = 0;
    const BwFrameMesh *mesh = mesh_of(surface, &liquid->puff->frame);
    assert_true(mesh->triangle_count == 0 && mesh->vertex_count == 0);
    bw_surface_destroy(surface);
    liquid_free(liquid);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {2, 2, 2};
    Liquid *liquid = liquid_make(1.0f / 16.0f, low, count, ball, NULL);
    liquid->puff->frame.field_count = 1; // phi; velocities are those of the particles
    liquid_add_particles(liquid, 100, 0.02f);
    assert_short_memory_is_told(BW_MESH_FROM_LEVELSET, &liquid->puff->frame);
    liquid_free(liquid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cubes_are_closed),
        cmocka_unit_test(random_fields_are_closed),
        cmocka_unit_test(random_solids_are_closed),
        cmocka_unit_test(ball_converges),
        cmocka_unit_test(flat_water_is_flat),
        cmocka_unit_test(films_stay_whole),
        cmocka_unit_test(drops_keep_their_volume),
        cmocka_unit_test(solids_cut_the_mesh),
        cmocka_unit_test(meshes_go_into_solids),
        cmocka_unit_test(smoothing_tells_bumps_from_waves),
        cmocka_unit_test(smoothing_takes_rows_of_bumps_away),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(far_surfaces_are_the_same),
        cmocka_unit_test(vertices_have_values),
        cmocka_unit_test(particles_give_their_velocity),
        cmocka_unit_test(errors_are_clear),
        cmocka_unit_test(nothing_has_no_mesh),
        cmocka_unit_test(memory_may_be_short),
    };
    only_threads_when_watched();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
