// The few solids of a tile must stand for all: the nearest one and its distance, at points of the tile and up
// to a cell around it, are those that all solids give, to the bit.
#include "domain/near_solids.h"
#include "domain/places.h"
#include "domain/solid_faces.h"
#include "gate.h"
#include "mesh_maker.h"
#include "random.h"
#include "solid/distance_bounds.h"

enum { SOLIDS = 40, TILES = 6, POINTS = 200, KINDS = 6 };

static const float h = 1.0f / 32.0f;

typedef struct Crowd {
    BwGrid *grid;
    BwShape kinds[KINDS], parts[2];
    BwSolidPose solids[SOLIDS];
} Crowd;

static void crowd_create(Crowd *crowd, float spread)
{
    static Soup soup[4000];
    BwGridDef def = {.cell_size = h, .dimension = 3};
    assert_int_equal(bw_grid_create(&crowd->grid, &def, NULL), BW_OK);
    crowd->parts[0] = bw_sphere(bw_vec3(0, 0, 0), 0.05f);
    crowd->parts[1] = load_soup(soup, make_soup(soup, 24, 12, 0.1, 0.03));
    crowd->kinds[0] = bw_box(bw_vec3(-0.05f, -0.01f, -0.1f), bw_vec3(0.05f, 0.01f, 0.1f));
    crowd->kinds[1] = bw_sphere(bw_vec3(0.02f, 0, 0), 0.04f);
    crowd->kinds[2] = load_soup_as(soup, make_soup(soup, 24, 12, 0.1, 0.03), 0.01f);
    crowd->kinds[3] = bw_union(crowd->parts, 2);
    crowd->kinds[4] = crowd->parts[1];
    crowd->kinds[5] = bw_torus(bw_vec3(0, 0, 0), bw_vec3(0, 1, 0), 0.1f, 0.02f);
    Random random = random_seeded(7);
    for (int n = 0; n < SOLIDS; n++) {
        BwSolidPose *solid = &crowd->solids[n];
        *solid = (BwSolidPose){.shape = &crowd->kinds[n % KINDS], .pose = bw_pose_identity()};
        solid->pose.position = bw_vec3((float)random_between(&random, -1.0, 1.0) * spread,
                                       (float)random_between(&random, -1.0, 1.0) * spread,
                                       (float)random_between(&random, -1.0, 1.0) * spread);
        solid->pose.rotation = bw_quat_turn(bw_vec3(1, (float)n, 0.5f), (float)n);
        solid->before = solid->pose;
    }
}

static void crowd_destroy(Crowd *crowd)
{
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)crowd->parts[1].content);
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)crowd->kinds[2].content);
    bw_grid_destroy(crowd->grid);
}

// The plain way: each distance is asked for.
static const BwSolidPose *nearest_of_all(const BwSolidPose *solids, BwVec3 point, float *least)
{
    const BwSolidPose *nearest = NULL;
    *least = INFINITY;
    for (int n = 0; n < SOLIDS; n++) {
        float distance = bw_shape_distance(solids[n].shape, bw_pose_to_local(solids[n].pose, point));
        if (distance < *least)
            nearest = &solids[n];
        *least = fminf(distance, *least);
    }
    return nearest;
}

static int count_differences(const Crowd *crowd, const BwNearSolids *near, BwVec3 point)
{
    float wanted, found = INFINITY;
    const BwSolidPose *solid = nearest_of_all(crowd->solids, point, &wanted);
    const BwSolidPose *other = bw_solids_nearest_within(near->list, near->count, point, &found);
    return (memcmp(&wanted, &found, sizeof found) != 0) +
           (bw_near_solid_index(near, other) != (int)(solid - crowd->solids)) +
           (bw_solids_nearest(near->list, near->count, point) != other) +
           (bw_solids_distance(near->list, near->count, point) != wanted);
}

// Solids close together, so that a tile has more than its list holds, and far apart.
static void the_few_of_a_tile_stand_for_all(void **state)
{
    (void)state;
    int differ = 0, lists[2] = {0}; // of all, and of few
    for (int spread = 0; spread < 3; spread++) {
        Crowd crowd;
        Random random = random_seeded(3);
        crowd_create(&crowd, spread == 0 ? 0.3f : spread == 1 ? 1.0f : 4.0f);
        for (int n = 0; n < TILES * TILES * TILES; n++) {
            BwTileCoord coord = {n % TILES - 3, n / TILES % TILES - 3, n / TILES / TILES - 3};
            BwNearSolids near;
            bw_near_solids_find(&near, crowd.solids, SOLIDS, crowd.grid, coord);
            lists[near.list == near.few]++;
            for (int p = 0; p < POINTS; p++) {
                float at[3];
                for (int a = 0; a < 3; a++)
                    at[a] = h * (float)random_between(&random, -1.0, BW_TILE + 1.0);
                BwVec3 low = bw_mul(bw_vec3((float)coord.x, (float)coord.y, (float)coord.z), BW_TILE * h);
                differ += count_differences(&crowd, &near, bw_add(low, bw_vec3(at[0], at[1], at[2])));
            }
        }
        crowd_destroy(&crowd);
    }
    assert_true(lists[0] > 10 && lists[1] > 10);
    gate("nearest_solids_of_tiles_that_differ", (double)differ, GATE_BELOW, 0.0);
}

static bool is_within(BwDistanceBounds bounds, float distance)
{
    return bounds.low <= distance && distance <= bounds.high;
}

// Many places at once: in the frame of a solid, and with the bounds, that they have one by one, to the bit.
static int count_places_apart(const BwSolidPose *solid, float reach, Random *random, int *loose)
{
    BwPlaces places = {.count = POINTS};
    BwVec3 world[POINTS];
    int differ = 0;
    for (int n = 0; n < POINTS; n++)
        for (int a = 0; a < 3; a++)
            places.at[a][n] = reach * (float)random_between(random, -1.0, 1.0);
    for (int n = 0; n < POINTS; n++)
        world[n] = bw_place_of(&places, n);
    bw_places_to_local(&places, solid->pose);
    bw_places_measure(&places, solid->shape);
    for (int n = 0; n < POINTS; n++) {
        BwVec3 local = bw_pose_to_local(solid->pose, world[n]), found = bw_place_of(&places, n);
        BwDistanceBounds one = bw_shape_distance_bounds(solid->shape, local),
                         bounds = {places.low[n], places.high[n]};
        differ += memcmp(&local, &found, sizeof found) != 0 || memcmp(&one, &bounds, sizeof one) != 0 ||
                  !is_within(bounds, bw_shape_distance(solid->shape, local));
        *loose += bounds.low < bounds.high;
    }
    return differ;
}

static void many_places_are_measured_as_one(void **state)
{
    (void)state;
    enum { SHAPES = 14, ROUND = 240, ALONG = 120 };
    static Soup soup[2 * ROUND * ALONG], small[4000];
    BwShape parts[3] = {bw_sphere(bw_vec3(0, 0, 0), 0.05f),
                        load_soup(soup, make_soup(soup, ROUND, ALONG, 0.1, 0.06)),
                        bw_box(bw_vec3(-0.05f, -0.01f, -0.1f), bw_vec3(0.05f, 0.01f, 0.1f))};
    BwShape files[2] = {load_soup(small, make_soup(small, 24, 12, 0.1, 0.03)),
                        load_soup_as(small, make_soup(small, 24, 12, 0.1, 0.03), 0.01f)};
    const BwVec3 up = {0.3f, 1.0f, 0.2f};
    BwShape shapes[SHAPES] = {parts[0],
                              parts[1],
                              parts[2],
                              files[0],
                              files[1],
                              bw_torus(bw_vec3(0, 0, 0), up, 0.1f, 0.02f),
                              bw_union(parts, 3),
                              bw_intersection(parts, 3),
                              bw_difference(&parts[1], 2),
                              bw_translate(&parts[1], up),
                              bw_rotate(&parts[1], up, 0.4f),
                              bw_scale(&parts[1], 1.7f),
                              bw_union(parts, 0)};
    shapes[SHAPES - 1] = parts[1];
    shapes[SHAPES - 1].factor = 2.5f;
    int differ = 0, loose = 0;
    Random random = random_seeded(11);
    for (int n = 0; n < SHAPES; n++)
        for (int round = 0; round < 8; round++) {
            BwSolidPose solid = {.shape = &shapes[n], .pose = bw_pose_identity()};
            solid.pose.rotation = bw_quat_turn(up, (float)round);
            differ += count_places_apart(&solid, round < 6 ? 0.15f : 0.6f, &random, &loose);
        }
    assert_true(loose > 1000); // so that not all were measured by formulas
    gate("places_measured_at_once_that_differ", (double)differ, GATE_BELOW, 0.0);
    for (int n = 0; n < 2; n++)
        bw_shape_file_destroy((BwShapeFile *)(uintptr_t)files[n].content);
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)parts[1].content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_few_of_a_tile_stand_for_all),
                                       cmocka_unit_test(many_places_are_measured_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
