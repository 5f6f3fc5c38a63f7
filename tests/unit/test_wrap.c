// Meshes wrapped around particles: closed whatever the particles, flat over flat water, whole in films, round
// and of their volume for drops, without a surface inside where there are no particles, the same for any
// number of threads. Cells of 1 m.
#include "liquid_frame.h"
#include "mesh_walk.h"
#include "random.h"
#include "surface_maker.h"

enum { SIDE = 3, TILES = SIDE * SIDE * SIDE, CELLS = 8 * SIDE, PARTICLES_MAX = 8 * CELLS * CELLS * CELLS };

// A level set and particles in a box of three tiles a side.
typedef struct Water {
    Liquid *liquid;
    BwFrameParticles set;
    BwTileCoord tiles[TILES];
    int32_t tile[PARTICLES_MAX];
    BwVec3 positions[PARTICLES_MAX];
    float volumes[PARTICLES_MAX];
    BwFrameAttribute volume;
} Water;

static Water *water_make(PuffDensity *phi, const void *context)
{
    const int32_t low[3] = {0, 0, 0}, count[3] = {SIDE, SIDE, SIDE};
    Water *water = calloc(1, sizeof *water);
    water->liquid = liquid_make(1.0f, low, count, phi, context);
    for (int n = 0; n < TILES; n++)
        water->tiles[n] = (BwTileCoord){n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE};
    water->volume = (BwFrameAttribute){"volume", "m^3", 1, water->volumes, NULL};
    water->set = (BwFrameParticles){.name = "water",
                                    .radius = 0.3f,
                                    .tile_count = TILES,
                                    .tiles = water->tiles,
                                    .tile = water->tile,
                                    .positions = water->positions,
                                    .attributes = &water->volume,
                                    .attribute_count = 1};
    water->liquid->puff->frame.particles = &water->set;
    water->liquid->puff->frame.particle_set_count = 1;
    return water;
}

static void water_free(Water *water)
{
    liquid_free(water->liquid);
    free(water);
}

static void add_particle(Water *water, BwVec3 at)
{
    int64_t n = water->set.count++;
    int x = (int)at.x / 8, y = (int)at.y / 8, z = (int)at.z / 8;
    water->tile[n] = x + SIDE * (y + SIDE * z);
    water->positions[n] = bw_sub(at, bw_vec3((float)(8 * x), (float)(8 * y), (float)(8 * z)));
    water->volumes[n] = 0.125f;
}

// Eight particles a cell where the level set is below 0 and above `deepest`, each somewhere in the middle
// half of its share.
static void seed(Water *water, PuffDensity *phi, const void *context, float deepest)
{
    Random random = random_seeded(5);
    for (int n = 0; n < PARTICLES_MAX; n++) {
        const int at[3] = {n % (2 * CELLS), n / (2 * CELLS) % (2 * CELLS), n / (2 * CELLS) / (2 * CELLS)};
        float place[3];
        for (int a = 0; a < 3; a++)
            place[a] = 0.5f * ((float)at[a] + (float)random_between(&random, 0.25, 0.75));
        float level = phi(context, place[0], place[1], place[2]);
        if (level < 0.0f && level > deepest)
            add_particle(water, bw_vec3(place[0], place[1], place[2]));
    }
}

static const BwFrame *frame_of(const Water *water)
{
    return &water->liquid->puff->frame;
}

static double volume_of(const Water *water)
{
    return 0.125 * (double)water->set.count;
}

static BwSurface *surface_of(int resolution, int smoothing, int workers)
{
    return surface_make(BW_MESH_FROM_PARTICLES, resolution, smoothing, workers);
}

static float air(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)y, (void)z;
    return 3.0f;
}

static float pool(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return y - *(const float *)context;
}

static float sheet(const void *context, float x, float y, float z)
{
    (void)x, (void)z;
    return fabsf(y - 12.0f) - 0.5f * *(const float *)context;
}

static float ball(const void *context, float x, float y, float z)
{
    float dx = x - 12.1f, dy = y - 12.3f, dz = z - 11.8f;
    return sqrtf(dx * dx + dy * dy + dz * dz) - *(const float *)context;
}

// Clouds from single drops to dense fog, over all walls and in solids, at every resolution.
static void clouds_are_closed(void **state)
{
    (void)state;
    Random random = random_seeded(3);
    BwShape shapes[2] = {bw_sphere(bw_vec3(9.0f, 9.0f, 9.0f), 4.0f),
                         bw_box(bw_vec3(14.0f, 0.0f, 3.0f), bw_vec3(14.4f, 20.0f, 30.0f))};
    const BwFrameSolid solids[2] = {{.shape = &shapes[0], .pose = bw_pose_identity()},
                                    {.shape = &shapes[1], .pose = bw_pose_identity()}};
    int64_t faults = 0, triangles = 0;
    for (int n = 0; n < 16; n++) {
        Water *water = water_make(air, NULL);
        BwSurface *surface = surface_of(1 + n % 4, n % 3, 2);
        water->liquid->puff->frame.has_walls = n % 2 == 0;
        water->liquid->puff->frame.solids = solids;
        water->liquid->puff->frame.solid_count = n / 2 % 2 == 0 ? 2 : 0;
        for (int p = 0; p < 100 << n / 2; p++)
            add_particle(water, bw_vec3((float)random_between(&random, 0.0, CELLS),
                                        (float)random_between(&random, 0.0, CELLS),
                                        (float)random_between(&random, 0.0, CELLS)));
        const BwFrameMesh *mesh = mesh_of(surface, frame_of(water));
        MeshFaults found = mesh_walk(mesh);
        faults += found.edges + found.fans + found.lone;
        triangles += mesh->triangle_count;
        bw_surface_destroy(surface);
        water_free(water);
    }
    gate("wrapped_cloud_faults", (double)faults, GATE_BELOW, 0.0);
    gate("wrapped_cloud_triangles", (double)triangles, GATE_ABOVE, 1e5);
}

// Where it is between walls: how far vertices of the surface are from a level, and whether there are some far
// below it.
static void flat_water_is_flat(void **state)
{
    (void)state;
    for (int n = 0; n < 6; n++) {
        float level = 5.0f + 1.5f * (float)n,
              deepest = n % 2 == 0 ? -100.0f : -5.5f; // a core of whole cells without particles
        Water *water = water_make(pool, &level);
        BwSurface *surface = surface_of(1 + n % 3, 3, 2);
        seed(water, pool, &level, deepest);
        const BwFrameMesh *mesh = mesh_of(surface, frame_of(water));
        double worst = 0.0, rim = -1.0;
        assert_closed(mesh);
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            BwVec3 at = mesh->vertices[v];
            bool is_inner = at.x > 0.0f && at.x < CELLS && at.z > 0.0f && at.z < CELLS && at.y > 0.0f;
            if (is_inner)
                worst = fmax(worst, fabs((double)(at.y - level)));
            else
                rim = fmax(rim, (double)(at.y - level));
        }
        gate("wrapped_flat_cells", worst, GATE_BELOW, 0.05);
        gate("wrapped_waterline_cells", fabs(rim), GATE_BELOW, 0.05);
        gate("wrapped_flat_volume", fabs(mesh_volume(mesh) / (CELLS * CELLS * (double)level) - 1.0),
             GATE_BELOW, 2e-3);
        bw_surface_destroy(surface);
        water_free(water);
    }
}

static void films_stay_whole(void **state)
{
    (void)state;
    for (int resolution = 1; resolution <= 3; resolution++) {
        const float thickness = 2.0f;
        Water *water = water_make(sheet, &thickness);
        BwSurface *surface = surface_of(resolution, 3, 2);
        seed(water, sheet, &thickness, -100.0f);
        const BwFrameMesh *mesh = mesh_of(surface, frame_of(water));
        assert_closed(mesh);
        gate("wrapped_film_area", mesh_area(mesh) / (2.0 * CELLS * CELLS), GATE_ABOVE, 0.99);
        gate("wrapped_film_volume", fabs(mesh_volume(mesh) / volume_of(water) - 1.0), GATE_BELOW, 0.03);
        bw_surface_destroy(surface);
        water_free(water);
    }
}

// One layer of particles that the level set does not see.
static void single_layers_stay_whole(void **state)
{
    (void)state;
    Random random = random_seeded(9);
    Water *water = water_make(air, NULL);
    BwSurface *surface = surface_of(3, 3, 2);
    for (int n = 0; n < 4 * CELLS * CELLS; n++) {
        float at[2] = {0.5f * (float)(n % (2 * CELLS)), 0.5f * (float)(n / (2 * CELLS))};
        add_particle(water, bw_vec3(at[0] + (float)random_between(&random, 0.15, 0.35),
                                    12.07f + (float)random_between(&random, -0.05, 0.05),
                                    at[1] + (float)random_between(&random, 0.15, 0.35)));
    }
    const BwFrameMesh *mesh = mesh_of(surface, frame_of(water));
    assert_closed(mesh);
    gate("wrapped_layer_area", mesh_area(mesh) / (2.0 * CELLS * CELLS), GATE_ABOVE, 0.97);
    gate("wrapped_layer_volume", fabs(mesh_volume(mesh) / volume_of(water) - 1.0), GATE_BELOW, 0.1);
    bw_surface_destroy(surface);
    water_free(water);
}

// A drop is a ball of its volume, and single particles have theirs all together.
static void drops_are_balls(void **state)
{
    (void)state;
    const float radius = 4.0f;
    const double pi = 3.14159265358979;
    Water *water = water_make(ball, &radius);
    BwSurface *surface = surface_of(2, 3, 2);
    seed(water, ball, &radius, -100.0f);
    water->liquid->puff->frame.has_walls = false;
    const BwFrameMesh *mesh = mesh_of(surface, frame_of(water));
    assert_closed(mesh);
    double own = cbrt(0.75 * volume_of(water) / pi), worst = 0.0;
    for (int32_t n = 0; n < mesh->vertex_count; n++) {
        BwVec3 from = bw_sub(mesh->vertices[n], bw_vec3(12.1f, 12.3f, 11.8f));
        worst = fmax(worst, fabs((double)bw_length(from) - own));
    }
    gate("wrapped_ball_volume", fabs(mesh_volume(mesh) / volume_of(water) - 1.0), GATE_BELOW, 0.04);
    gate("wrapped_ball_cells", worst, GATE_BELOW, 0.15);
    water_free(water);
    Random random = random_seeded(4);
    water = water_make(air, NULL);
    for (int n = 0; n < 6 * 6 * 6; n++) {
        const int at[3] = {n % 6, n / 6 % 6, n / 36};
        float place[3];
        for (int a = 0; a < 3; a++)
            place[a] = 2.0f + 3.5f * (float)at[a] + (float)random_between(&random, 0.0, 1.0);
        add_particle(water, bw_vec3(place[0], place[1], place[2]));
    }
    mesh = mesh_of(surface, frame_of(water));
    assert_closed(mesh);
    gate("wrapped_drops_volume", fabs(mesh_volume(mesh) / volume_of(water) - 1.0), GATE_BELOW, 0.2);
    bw_surface_destroy(surface);
    water_free(water);
}

static Water *splash(void)
{
    const float level = 9.3f;
    Random random = random_seeded(8);
    Water *water = water_make(pool, &level);
    seed(water, pool, &level, -100.0f);
    for (int n = 0; n < 2000; n++)
        add_particle(water, bw_vec3((float)random_between(&random, 0.0, CELLS),
                                    (float)random_between(&random, 9.0, 16.0),
                                    (float)random_between(&random, 0.0, CELLS)));
    return water;
}

static void threads_agree(void **state)
{
    (void)state;
    Water *water = splash();
    BwSurface *one = surface_of(2, 3, 1);
    const BwFrameMesh *first = mesh_of(one, frame_of(water));
    assert_closed(first);
    for (int workers = 2; workers <= 8; workers += 3) {
        BwSurface *many = surface_of(2, 3, workers);
        const BwFrameMesh *mesh = mesh_of(many, frame_of(water));
        assert_same_mesh(mesh, first);
        bw_surface_destroy(many);
    }
    bw_surface_destroy(one);
    water_free(water);
}

static void errors_are_clear(void **state)
{
    (void)state;
    const float level = 3.0f;
    BwError err = {0};
    Water *water = water_make(pool, &level);
    BwSurface *surface = surface_of(1, 3, 1);
    water->volume.name = "mass";
    assert_non_null(mesh_of(surface, frame_of(water))); // without particles none has to have a volume
    add_particle(water, bw_vec3(4.0f, 2.0f, 9.0f));
    assert_null(bw_surface_mesh(surface, frame_of(water), &err));
    assert_string_equal(err.message,
                        "the frame has no particles \"water\" with a \"volume\" to wrap a mesh around");
    water->liquid->puff->frame.particle_set_count = 0;
    assert_null(bw_surface_mesh(surface, frame_of(water), &err));
    bw_surface_destroy(surface);
    water_free(water);
    BwSurfaceDef def = bw_surface_def_default();
    def.from = (BwMeshFrom)7;
    assert_int_equal(bw_surface_create(&surface, &def, &err), BW_ERR_DEF);
    assert_string_equal(
        err.message, "the surface's from is 7; it must be BW_MESH_FROM_LEVELSET or BW_MESH_FROM_PARTICLES");
}

static void memory_may_be_short(void **state)
{
    (void)state;
    Water *water = water_make(air, NULL);
    for (int n = 0; n < 100; n++) // two bodies
        add_particle(water, bw_vec3(4.0f + 0.3f * (float)(n / 2), n % 2 == 0 ? 11.0f : 19.0f, 9.0f));
    assert_short_memory_is_told(BW_MESH_FROM_PARTICLES, frame_of(water));
    water_free(water);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clouds_are_closed), cmocka_unit_test(flat_water_is_flat),
        cmocka_unit_test(films_stay_whole),  cmocka_unit_test(single_layers_stay_whole),
        cmocka_unit_test(drops_are_balls),   cmocka_unit_test(threads_agree),
        cmocka_unit_test(errors_are_clear),  cmocka_unit_test(memory_may_be_short),
    };
    only_threads_when_watched();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
