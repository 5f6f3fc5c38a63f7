// Shapes from mesh files: distance and inside against spheres and tori that are known exactly, meshes with
// holes and flipped triangles, sheets, what is reported, and short memory.
#include "mesh_maker.h"
#include "random.h"
#include "scratch_folder.h"
#include "solid/local_thickness.h"
#include "solid/shape_file.h"
#include "solid/smooth_distance.h"
#include "strict_allocator.h"
#include <billow/shape.h>

enum { SOUP_MAX = 40000 };
static Soup soup[SOUP_MAX];

static BwShape load_mesh(const char *path, float thickness)
{
    BwError err = {0};
    BwShapeFile *content;
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f, .file = path, .thickness = thickness};
    if (bw_shape_file_load(&content, &shape, path, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    shape.content = content;
    return shape;
}

static void unload(BwShape *shape)
{
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)shape->content);
    shape->content = NULL;
}

static BwShape make_mesh(int round, int along, double radius, double tube)
{
    write_obj("mesh.obj", soup, make_soup(soup, round, along, radius, tube));
    return load_mesh("mesh.obj", 0.0f);
}

typedef struct Errors {
    double near, within; // largest, within a twentieth of the surface and in the box around the mesh
    double excess;       // largest share that a distance outside of that box is too long by
    int wrong_side;      // points whose side is wrong though they are not on the surface
} Errors;

static bool is_within(BwBox box, BwVec3 p)
{
    return p.x > box.low.x && p.y > box.low.y && p.z > box.low.z && p.x < box.high.x && p.y < box.high.y &&
           p.z < box.high.z;
}

static Errors compare(const BwShape *mesh, const BwShape *exact)
{
    Random random = random_seeded(7);
    Errors errors = {0};
    for (int n = 0; n < 20000; n++) {
        BwVec3 p = bw_vec3((float)random_between(&random, -2, 2), (float)random_between(&random, -2, 2),
                           (float)random_between(&random, -2, 2));
        double is = (double)bw_shape_distance(mesh, p), wanted = (double)bw_shape_distance(exact, p);
        double error = fabs(is - wanted);
        if (is_within(bw_shape_bounds(mesh), p))
            errors.within = fmax(errors.within, error);
        else if (wanted > 0.1) // nearer, the facets are what differs
            errors.excess = fmax(errors.excess, (is - wanted) / wanted);
        if (fabs(wanted) < 0.05)
            errors.near = fmax(errors.near, error);
        errors.wrong_side += fabs(wanted) > 2e-3 && (is < 0.0) != (wanted < 0.0);
    }
    return errors;
}

static void distance_to_a_sphere(void **state)
{
    (void)state;
    BwShape mesh = make_mesh(96, 48, 1.0, 0.0);
    BwShape exact = {.kind = BW_SHAPE_SPHERE, .radius = 1.0f};
    Errors errors = compare(&mesh, &exact);
    assert_null(bw_shape_file_warning(mesh.content));
    gate("mesh_sphere_error_near", errors.near, GATE_BELOW, 1.5e-3);
    gate("mesh_sphere_error_within", errors.within, GATE_BELOW, 0.03);
    gate("mesh_sphere_excess_outside", errors.excess, GATE_BELOW, 0.05);
    gate("mesh_sphere_wrong_side", errors.wrong_side, GATE_BELOW, 0);
    unload(&mesh);
}

static void distance_to_a_torus(void **state)
{
    (void)state;
    BwShape mesh = make_mesh(96, 48, 1.2, 0.4);
    BwShape exact = {.kind = BW_SHAPE_TORUS, .b = {0, 1, 0}, .radius = 1.2f, .thickness = 0.4f};
    Errors errors = compare(&mesh, &exact);
    assert_null(bw_shape_file_warning(mesh.content));
    gate("mesh_torus_error_near", errors.near, GATE_BELOW, 2e-3);
    gate("mesh_torus_error_within", errors.within, GATE_BELOW, 0.04);
    gate("mesh_torus_excess_outside", errors.excess, GATE_BELOW, 0.05);
    gate("mesh_torus_wrong_side", errors.wrong_side, GATE_BELOW, 0);
    unload(&mesh);
}

static bool is_in_hole(BwVec3 p, const BwVec3 *holes, int count, float radius)
{
    for (int n = 0; n < count; n++)
        if (bw_length(bw_sub(p, holes[n])) < radius)
            return true;
    return false;
}

// Punches holes, turns triangles, and gives each triangle corners of its own, moved by less than the eye
// sees, so that no two know each other.
static int break_soup(int count, const BwVec3 *holes, int hole_count, float radius, double turned,
                      double moved)
{
    Random random = random_seeded(3);
    int kept = 0;
    for (int n = 0; n < count; n++) {
        Soup t = soup[n];
        if (is_in_hole(t.corner[0], holes, hole_count, radius))
            continue;
        if (random_between(&random, 0, 1) < turned) {
            BwVec3 second = t.corner[1];
            t.corner[1] = t.corner[2];
            t.corner[2] = second;
        }
        for (int c = 0; c < 3 && moved > 0.0; c++)
            t.corner[c] = bw_add(t.corner[c], bw_vec3((float)random_between(&random, -moved, moved),
                                                      (float)random_between(&random, -moved, moved),
                                                      (float)random_between(&random, -moved, moved)));
        soup[kept++] = t;
    }
    return kept;
}

// The share of cells that are on the right side, away from the holes.
static double share_right(const BwShape *mesh, const BwShape *exact, const BwVec3 *holes, int hole_count,
                          float radius)
{
    enum { CELLS = IS_FULL ? 48 : 32 };
    int right = 0, all = 0;
    for (int n = 0; n < CELLS * CELLS * CELLS; n++) {
        float h = 4.0f / CELLS;
        BwVec3 p =
            bw_vec3(((float)(n % CELLS) + 0.5f) * h - 2.0f, ((float)(n / CELLS % CELLS) + 0.5f) * h - 2.0f,
                    ((float)(n / CELLS / CELLS) + 0.5f) * h - 2.0f);
        if (is_in_hole(p, holes, hole_count, 1.5f * radius))
            continue;
        all++;
        right += (bw_shape_distance(mesh, p) < 0.0f) == (bw_shape_distance(exact, p) < 0.0f);
    }
    return (double)right / all;
}

static void a_broken_torus_has_an_inside(void **state)
{
    (void)state;
    const BwVec3 holes[] = {{1.6f, 0, 0}, {0, 0.4f, 1.2f}, {-0.85f, 0.2f, -0.85f}, {-1.2f, -0.4f, 0}};
    const float radius = 0.2f;
    BwShape exact = {.kind = BW_SHAPE_TORUS, .b = {0, 1, 0}, .radius = 1.2f, .thickness = 0.4f};
    const struct {
        const char *name;
        double turned, moved;
    } cases[] = {{"mesh_soup_holes_right", 0.0, 0.0},
                 {"mesh_soup_holes_and_flips_right", 0.3, 0.0},
                 {"mesh_soup_loose_right", 0.02, 1e-3}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        int count = make_soup(soup, 160, 80, 1.2, 0.4);
        count = break_soup(count, holes, 4, radius, cases[n].turned, cases[n].moved);
        write_obj("mesh.obj", soup, count);
        BwShape mesh = load_mesh("mesh.obj", 0.0f);
        assert_non_null(strstr(bw_shape_file_warning(mesh.content), "open edges"));
        gate(cases[n].name, share_right(&mesh, &exact, holes, 4, radius), GATE_ABOVE, 0.999);
        unload(&mesh);
    }
}

// Two balls that cross are one solid; one that is inside out is as solid as the other.
static void crossing_and_inside_out(void **state)
{
    (void)state;
    int half = make_soup(soup, 48, 24, 0.8, 0.0), count = 2 * half;
    for (int n = 0; n < half; n++) {
        soup[half + n] = soup[n];
        for (int c = 0; c < 3; c++)
            soup[half + n].corner[c].x += 0.7f;
    }
    write_obj("mesh.obj", soup, count);
    BwShape mesh = load_mesh("mesh.obj", 0.0f);
    assert_true(bw_shape_distance(&mesh, bw_vec3(0.35f, 0, 0)) < 0.0f);
    assert_true(bw_shape_distance(&mesh, bw_vec3(-0.7f, 0, 0)) < 0.0f);
    assert_true(bw_shape_distance(&mesh, bw_vec3(0.35f, 0.75f, 0)) > 0.0f);
    unload(&mesh);
    for (int n = 0; n < half; n++)
        soup[n] = (Soup){{soup[n].corner[0], soup[n].corner[2], soup[n].corner[1]}};
    write_obj("mesh.obj", soup, half);
    mesh = load_mesh("mesh.obj", 0.0f);
    assert_null(bw_shape_file_warning(mesh.content));
    assert_float_equal(bw_shape_distance(&mesh, bw_vec3(0, 0, 0)), -0.8f, 0.03f);
    unload(&mesh);
}

// Of points near and far: how many bounds do not hold, and how wide they are near the surface.
typedef struct Bounds {
    int wrong, count;
    double width; // mean, where the distance is less than 0.05
} Bounds;

static BwVec3 random_place(Random *random)
{
    return bw_vec3((float)random_between(random, -2, 2), (float)random_between(random, -2, 2),
                   (float)random_between(random, -2, 2));
}

static Bounds check_bounds(const BwShape *shape)
{
    Random random = random_seeded(11);
    Bounds bounds = {0};
    for (int n = 0; n < 5000; n++) {
        BwVec3 p = random_place(&random);
        float distance = bw_shape_distance(shape, p);
        BwDistanceBounds span = bw_shape_distance_bounds(shape, p);
        bounds.wrong += !(span.low <= distance && distance <= span.high);
        if (fabsf(distance) < 0.05f) {
            bounds.width += (double)(span.high - span.low);
            bounds.count++;
        }
    }
    bounds.width /= bounds.count;
    return bounds;
}

static BwVec3 slope_by_differences(const BwShape *shape, BwVec3 p, float step)
{
    float slope[3];
    for (int a = 0; a < 3; a++) {
        BwVec3 along = bw_vec3(a == 0 ? step : 0.0f, a == 1 ? step : 0.0f, a == 2 ? step : 0.0f);
        slope[a] = bw_shape_distance(shape, bw_add(p, along)) - bw_shape_distance(shape, bw_sub(p, along));
    }
    return bw_mul(bw_vec3(slope[0], slope[1], slope[2]), 0.5f / step);
}

// How far slopes near the surface are off: along one the distance must rise by as much as one goes. A few
// steps off, no part of the way is where distances are linear between nodes.
static double worst_slope(const BwShape *shape)
{
    const float step = 1e-3f;
    Random random = random_seeded(12);
    double worst = 0.0;
    int count = 0;
    for (int n = 0; n < 5000; n++) {
        BwVec3 p = random_place(&random), slope;
        float distance = bw_shape_distance(shape, p), own;
        if (fabsf(distance) > 0.05f)
            continue;
        float wanted = distance < 0.0f ? -3.0f * step : 3.0f * step;
        p = bw_add(p, bw_mul(slope_by_differences(shape, p, step), wanted - distance));
        distance = bw_shape_distance(shape, p);
        if (fabsf(distance) < 2.0f * step || fabsf(distance) > 4.0f * step ||
            !bw_shape_slope(shape, p, &slope, &own))
            continue;
        float rise = bw_shape_distance(shape, bw_add(p, bw_mul(slope, step))) - distance;
        worst = fmax(worst, fabs((double)(rise / step) - 1.0));
        BwDistanceBounds bounds = bw_shape_distance_bounds(shape, p);
        assert_true(own == distance || (bounds.low <= own && own <= bounds.high));
        count++;
    }
    gate("mesh_slopes_compared", count, GATE_ABOVE, 10);
    return worst;
}

static void bounds_hold(void **state)
{
    (void)state;
    BwShape ring = make_mesh(96, 48, 1.0, 0.3);
    BwShape ball = {.kind = BW_SHAPE_SPHERE, .a = {0.8f, 0.3f, 0.0f}, .radius = 0.4f};
    BwShape parts[2] = {ring, ball};
    BwShape cut = {.kind = BW_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2};
    BwShape turned = {.kind = BW_SHAPE_ROTATE, .b = {1.0f, 1.0f, 0.0f}, .angle = 0.7f, .parts = &ring};
    BwShape halved = {.kind = BW_SHAPE_SCALE, .factor = 0.5f, .parts = &turned};
    Bounds of_ring = check_bounds(&ring), of_cut = check_bounds(&cut), of_halved = check_bounds(&halved);
    gate("mesh_bounds_wrong", of_ring.wrong + of_cut.wrong + of_halved.wrong, GATE_BELOW, 0);
    gate("mesh_bounds_width", of_ring.width, GATE_BELOW, 0.03);
    gate("mesh_slope_error", fmax(worst_slope(&ring), worst_slope(&halved)), GATE_BELOW, 0.02);
    unload(&ring);
    // Sheets have bounds about their triangles; across a hole there are none but the distance itself.
    write_obj("half.obj", soup, make_soup(soup, 96, 48, 1.0, 0.3) / 2);
    BwShape sheet = load_mesh("half.obj", 0.1f), torn = load_mesh("half.obj", 0.0f);
    gate("mesh_bounds_wrong_sheet", check_bounds(&sheet).wrong, GATE_BELOW, 0);
    gate("mesh_bounds_wrong_torn", check_bounds(&torn).wrong, GATE_BELOW, 0);
    unload(&sheet);
    unload(&torn);
}

// Near the surface of a fine mesh: how far the middle of the bounds and the slope are off, the first in
// spacings of its nodes, and the share of points that need no triangle.
typedef struct Smooth {
    double off, slope, share;
    int wrong;
} Smooth;

static Smooth check_smooth(const BwShape *shape, BwVec3 middle, double reach)
{
    const BwShape torus = {.kind = BW_SHAPE_TORUS, .b = {0, 1, 0}, .radius = 1.0f, .thickness = 0.3f};
    float spacing = shape->content->grid.spacing * shape->content->unit;
    Random random = random_seeded(13);
    Smooth smooth = {0};
    int count = 0, near = 0;
    for (int n = 0; n < 20000; n++) {
        BwVec3 p = bw_add(middle, bw_mul(random_place(&random), (float)(0.5 * reach))), slope;
        float distance = bw_shape_distance(shape, p), own;
        BwDistanceBounds span = bw_shape_distance_bounds(shape, p);
        smooth.wrong += !(span.low <= distance && distance <= span.high);
        if (!(fabsf(distance) < spacing))
            continue;
        near++;
        // As wide as bounds of smooth cells are; others may be as narrow by chance.
        bool is_smooth = fabsf((span.high - span.low) / spacing - 2.0f * BW_SMOOTH_OFF) < 0.001f;
        if (!is_smooth || !bw_shape_slope(shape, p, &slope, &own))
            continue;
        BwVec3 wanted = slope_by_differences(&torus, p, 1e-3f);
        smooth.off =
            fmax(smooth.off, fabs((double)(0.5f * (span.low + span.high) - distance) / (double)spacing));
        smooth.slope = fmax(smooth.slope, (double)bw_length(bw_sub(slope, wanted)));
        count++;
    }
    smooth.share = (double)count / near;
    return smooth;
}

// Pulls one corner of all triangles that share it out of the surface.
static BwVec3 pull_corner(int count, float by)
{
    BwVec3 corner = soup[count / 3].corner[0], out = bw_normalize(bw_vec3(corner.x, 0.0f, corner.z));
    BwVec3 away = bw_normalize(bw_sub(corner, out)), tip = bw_add(corner, bw_mul(away, by));
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            if (memcmp(&soup[n].corner[c], &corner, sizeof corner) == 0)
                soup[n].corner[c] = tip;
    return tip;
}

// The nodes of a fine mesh tell distances and slopes without triangles; but a needle that they do not see is
// not overlooked.
static void smooth_parts_need_no_triangles(void **state)
{
    (void)state;
    int count = make_soup(soup, 200, 100, 1.0, 0.3);
    write_obj("mesh.obj", soup, count);
    BwShape ring = load_mesh("mesh.obj", 0.0f);
    Smooth smooth = check_smooth(&ring, bw_vec3(0, 0, 0), 1.4);
    gate("mesh_smooth_share", smooth.share, GATE_ABOVE, 0.45); // the rest has facets that are too wide
    gate("mesh_smooth_wrong", smooth.wrong, GATE_BELOW, 0);
    gate("mesh_smooth_off", smooth.off, GATE_BELOW, 0.01);
    gate("mesh_smooth_slope_off", smooth.slope, GATE_BELOW, 0.03);
    float spacing = ring.content->grid.spacing * ring.content->unit;
    unload(&ring);
    BwVec3 tip = pull_corner(count, 0.3f * spacing);
    write_obj("needle.obj", soup, count);
    BwShape needle = load_mesh("needle.obj", 0.0f);
    gate("mesh_needle_wrong", check_smooth(&needle, tip, 0.05).wrong, GATE_BELOW, 0);
    unload(&needle);
}

// How deep below the surface the way between two points comes.
static float depth_between(const BwShape *shape, BwVec3 from, BwVec3 to)
{
    float depth = 0.0f;
    for (int n = 1; n < 32; n++) {
        BwVec3 at = bw_add(from, bw_mul(bw_sub(to, from), (float)n / 32.0f));
        depth = fmaxf(depth, -bw_shape_distance(shape, at));
    }
    return depth;
}

typedef struct Ways {
    int count, thick; // from points near the surface; those that begin where the solid is said to be thick
    int through;      // of the thick ones, deeper than a bulge is high
} Ways;

static BwVec3 point_about(Random *random, BwVec3 middle, double reach)
{
    return bw_add(middle, bw_vec3((float)random_between(random, -reach, reach),
                                  (float)random_between(random, -reach, reach),
                                  (float)random_between(random, -reach, reach)));
}

static Ways ways_past(const BwShape *shape, float length)
{
    Random random = random_seeded(11);
    BwBox box = bw_shape_bounds(shape);
    BwVec3 middle = bw_mul(bw_add(box.low, box.high), 0.5f);
    double reach = 0.5 * (double)(box.high.x - box.low.x);
    Ways ways = {0};
    for (int n = 0; n < 400000 && ways.count < 1000; n++) {
        BwVec3 from = point_about(&random, middle, reach), to = point_about(&random, from, (double)length);
        float distance = bw_shape_distance(shape, from), way = bw_length(bw_sub(to, from));
        if (distance < 0.0f || distance > 0.5f * length || way > length ||
            bw_shape_distance(shape, to) < 0.0f)
            continue;
        bool is_thick = bw_shape_is_thick(shape, from, length);
        ways.count++;
        ways.thick += is_thick;
        ways.through += is_thick && depth_between(shape, from, to) > 0.1f * length;
    }
    return ways;
}

static BwShape make_flattened(double height)
{
    int count = make_soup(soup, 96, 48, 1.0, 0.0);
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            soup[n].corner[c].y *= (float)height;
    write_obj("flat.obj", soup, count);
    return load_mesh("flat.obj", 0.0f);
}

// Within a ball that a solid is said to be thick in for some length, it is at each point. Gives how many
// points it is not said of.
static int check_thick_around(const BwShape *shape, float size, int *wrong)
{
    Random random = random_seeded(12);
    int silent = 0;
    for (int n = 0; n < 20000; n++) {
        BwVec3 middle = point_about(&random, bw_vec3(0, 0, 0), 2.0);
        float radius = (float)random_between(&random, 0.0, (double)size);
        float length = bw_shape_thick_around(shape, middle, radius);
        BwVec3 away = bw_mul(bw_normalize(point_about(&random, bw_vec3(0, 0, 0), 1.0)), 0.999f * radius);
        silent += length == 0.0f;
        *wrong += length > 0.0f && !bw_shape_is_thick(shape, bw_add(middle, away), 0.999f * length);
    }
    return silent;
}

static void a_ball_is_as_thick_as_its_points(void **state)
{
    (void)state;
    int wrong = 0;
    BwShape torus = make_mesh(96, 48, 1.0, 0.3);
    gate("ring_not_thick_around", check_thick_around(&torus, 0.5f, &wrong), GATE_BELOW, 0);
    BwShape parts[] = {{.kind = BW_SHAPE_ROTATE, .b = {0.0f, 0.6f, 0.8f}, .angle = 0.7f, .parts = &torus},
                       {.kind = BW_SHAPE_SCALE, .factor = 0.5f}};
    parts[1].parts = &parts[0];
    parts[0].part_count = parts[1].part_count = 1;
    gate("turned_ring_not_thick_around", check_thick_around(&parts[1], 0.5f, &wrong), GATE_BELOW, 0);
    unload(&torus);
    BwShape lens = make_flattened(0.25);
    int silent = check_thick_around(&lens, 0.1f, &wrong);
    gate("lens_thick_around_somewhere", silent / 20000.0, GATE_BELOW, 0.99);
    gate("thick_balls_with_thin_points", wrong, GATE_BELOW, 0);
    unload(&lens);
}

static Ways ways_past_flattened(double height, float length)
{
    BwShape mesh = make_flattened(height);
    Ways ways = ways_past(&mesh, length);
    unload(&mesh);
    return ways;
}

// A ring with a tube of 0.6 is thick for ways of 0.1; a lens is in its middle; a disc as thin as that or
// thinner nowhere.
static void no_way_leads_through_what_is_thick(void **state)
{
    (void)state;
    BwShape torus = make_mesh(96, 48, 1.0, 0.3);
    Ways past_torus = ways_past(&torus, 0.1f), past_longer = ways_past(&torus, 0.5f);
    gate("thick_ring_found", (double)past_torus.thick / past_torus.count, GATE_ABOVE, 0.99);
    gate("thick_ring_ways_through", past_torus.through, GATE_BELOW, 0);
    gate("ring_ways_as_long_as_it_is_thick", past_longer.thick, GATE_BELOW, 0);
    unload(&torus);
    Ways past_lens = ways_past_flattened(0.25, 0.1f);
    gate("lens_thick_in_its_middle", (double)past_lens.thick / past_lens.count, GATE_ABOVE, 0.2);
    gate("lens_thick_at_its_rim_too", (double)past_lens.thick / past_lens.count, GATE_BELOW, 0.9);
    gate("lens_ways_through", past_lens.through, GATE_BELOW, 0);
    const double heights[] = {0.05, 0.001};
    for (int n = 0; n < 2; n++)
        gate("thick_parts_of_a_disc", ways_past_flattened(heights[n], 0.1f).thick, GATE_BELOW, 0);
}

static BwShape upright_cylinder(float bottom, float top, float size)
{
    return (BwShape){.kind = BW_SHAPE_CYLINDER,
                     .a = bw_vec3(0.0f, bottom, 0.0f),
                     .b = bw_vec3(0.0f, top, 0.0f),
                     .radius = size};
}

// A glass with walls of .3 is thick for ways of .2, but for its edges; one with walls of .1 is at its bottom
// alone, which is as thick as the other's.
static void a_glass_is_as_thick_as_its_walls(void **state)
{
    (void)state;
    const float walls[] = {0.3f, 0.1f};
    double found[2];
    for (int n = 0; n < 2; n++) {
        BwShape parts[] = {upright_cylinder(-1.0f, 1.0f, 1.0f),
                           upright_cylinder(-0.7f, 2.0f, 1.0f - walls[n])};
        BwShape glass = {.kind = BW_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2};
        Ways ways = ways_past(&glass, 0.2f);
        found[n] = (double)ways.thick / ways.count;
        gate("glass_ways_through", ways.through, GATE_BELOW, 0);
    }
    gate("thick_glass_found", found[0], GATE_ABOVE, 0.5);
    gate("thin_glass_found", found[1], GATE_BELOW, 0.3);
    BwShape two[] = {upright_cylinder(-1.0f, 1.0f, 0.5f),
                     {.kind = BW_SHAPE_SPHERE, .a = bw_vec3(1.3f, 0.0f, 0.0f), .radius = 0.6f}};
    BwShape both = {.kind = BW_SHAPE_UNION, .parts = two, .part_count = 2};
    Ways past_both = ways_past(&both, 0.2f);
    gate("thick_union_found", (double)past_both.thick / past_both.count, GATE_ABOVE, 0.5);
    gate("union_ways_through", past_both.through, GATE_BELOW, 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

// Ridges and valleys along z, of slope one, from 0 to 1 over 16 pixels of a quarter: exact at every place.
static double ridge_height(double x)
{
    double away = fmod(x, 2.0);
    return away < 1.0 ? away : 2.0 - away;
}

static bool is_in_ridges(BwVec3 p)
{
    return p.x > 0.0f && p.x < 4.0f && p.z > 0.0f && p.z < 4.0f && p.y > -4.0f &&
           (double)p.y < ridge_height((double)p.x);
}

static BwShape load_ridges(void)
{
    BwError err = {0};
    BwShapeFile *content;
    BwShape shape = {.kind = BW_SHAPE_HEIGHTMAP, .factor = 0.25f, .height = 1.0f, .file = "ridges.pgm"};
    FILE *stream = fopen(shape.file, "w");
    assert_non_null(stream);
    fprintf(stream, "P2 17 17 4\n");
    for (int n = 0; n < 17 * 17; n++)
        fprintf(stream, "%d\n", (int)lround(4.0 * ridge_height(0.25 * (n % 17))));
    assert_int_equal(fclose(stream), 0);
    if (bw_shape_file_load(&content, &shape, shape.file, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    shape.content = content;
    return shape;
}

// Above ridges, in valleys, beside the rim and on a lattice that has triangles' sides in it the nearest place
// is an edge or a corner, which tells the side too.
static void edges_and_corners_tell_the_side(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    Random random = random_seeded(11);
    BwShape ridges = load_ridges();
    int wrong = 0, looked_at = 0;
    for (int n = 0; n < 2 * COUNT; n++) {
        double x = random_between(&random, -0.5, 4.5), y = random_between(&random, -0.5, 1.5),
               z = random_between(&random, -0.5, 4.5);
        if (n < COUNT) { // near ridges and valleys
            x = 1.0 + floor(random_between(&random, 0.0, 3.0)) + random_between(&random, -0.02, 0.02);
            y = ridge_height(x) + random_between(&random, -0.02, 0.02);
        } else { // half of the pixels' spacing
            x = 0.125 * floor(8.0 * x);
            y = 0.125 * floor(8.0 * y);
            z = 0.125 * floor(8.0 * z);
        }
        BwVec3 place = bw_vec3((float)x, (float)y, (float)z);
        float distance = bw_shape_distance(&ridges, place);
        if (fabsf(distance) < 1e-4f)
            continue;
        looked_at++;
        wrong += (distance < 0.0f) != is_in_ridges(place);
    }
    gate("mesh_edges_looked_at", looked_at, GATE_ABOVE, 30000);
    gate("mesh_edges_wrong", wrong, GATE_BELOW, 0);
    unload(&ridges);
}

// A square sheet has no inside, and nothing passes it.
static void a_sheet_is_closed(void **state)
{
    (void)state;
    write_text("sheet.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 2 3 4\n");
    BwShape mesh = load_mesh("sheet.obj", 0.0f);
    assert_non_null(strstr(bw_shape_file_warning(mesh.content), "4 open edges"));
    Random random = random_seeded(5);
    for (int n = 0; n < 2000; n++) {
        float x = (float)random_between(&random, -1.5, 1.5), z = (float)random_between(&random, -1.5, 1.5);
        bool is_over = fabsf(x) < 1.0f && fabsf(z) < 1.0f;
        assert_true(bw_shape_distance(&mesh, bw_vec3(x, 1e-3f, z)) > 0.0f);
        float share = bw_shape_meet(&mesh, bw_vec3(x, -0.01f, z), bw_vec3(x, 0.02f, z), 0.0f);
        assert_float_equal(share, (is_over ? 1.0f / 3.0f : 2.0f), 1e-4f);
        assert_true(bw_shape_meet(&mesh, bw_vec3(x, 0.01f, z), bw_vec3(z, 0.02f, x), 0.0f) > 1.0f);
    }
    // Along the line where its two triangles meet, too.
    for (int n = 0; n < 100; n++) {
        float t = 0.0198f * (float)n - 0.99f;
        assert_true(bw_shape_meet(&mesh, bw_vec3(t, -0.01f, t), bw_vec3(t, 0.01f, t), 0.0f) <= 1.0f);
    }
    unload(&mesh);
    mesh = load_mesh("sheet.obj", 0.1f);
    assert_null(bw_shape_file_warning(mesh.content));
    assert_float_equal(bw_shape_distance(&mesh, bw_vec3(0.3f, 0.02f, 0.1f)), -0.03f, 1e-6f);
    assert_float_equal(bw_shape_distance(&mesh, bw_vec3(0.3f, 0.15f, 0.1f)), 0.1f, 1e-6f);
    assert_float_equal(bw_shape_bounds(&mesh).high.y, 0.05f, 1e-6f);
    unload(&mesh);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    write_text("box.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 6 7 3\nf 1 5 8 4\nf 1 1 2\n");
    BwShape mesh = load_mesh("box.obj", 0.0f);
    assert_string_equal(bw_shape_file_warning(mesh.content),
                        "1 triangles without area, left out, 2 triangles that faced the wrong way, turned");
    assert_float_equal(bw_shape_distance(&mesh, bw_vec3(0.5f, 0.5f, 0.5f)), -0.5f, 0.02f);
    assert_float_equal(bw_shape_distance(&mesh, bw_vec3(0.9f, 0.5f, 0.5f)), -0.1f, 1e-5f);
    unload(&mesh);
}

// Millimetres, far from the origin, combined and turned: all as for other shapes.
static void scaled_and_combined(void **state)
{
    (void)state;
    int count = make_soup(soup, 64, 32, 500.0, 0.0);
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            soup[n].corner[c].x += 2000.0f;
    write_obj("mesh.obj", soup, count);
    BwShape mesh = load_mesh("mesh.obj", 0.0f);
    mesh.factor = 1e-3f;
    BwShape back = {.kind = BW_SHAPE_TRANSLATE, .a = {-2, 0, 0}, .parts = &mesh, .part_count = 1};
    BwShape parts[] = {back, {.kind = BW_SHAPE_BOX, .a = {-1, 0, -1}, .b = {1, 1, 1}}};
    BwShape lower = {.kind = BW_SHAPE_DIFFERENCE, .parts = parts, .part_count = 2};
    BwShape turned = {
        .kind = BW_SHAPE_ROTATE, .b = {0, 0, 1}, .angle = 3.14159265f, .parts = &lower, .part_count = 1};
    assert_true(bw_shape_distance(&turned, bw_vec3(0, 0.3f, 0)) < 0.0f);
    assert_true(bw_shape_distance(&turned, bw_vec3(0, -0.3f, 0)) > 0.0f);
    assert_float_equal(bw_shape_distance(&back, bw_vec3(0, 0.6f, 0)), 0.1f, 2e-3f);
    BwBox bounds = bw_shape_bounds(&back);
    assert_float_equal(bounds.high.x, 0.5f, 2e-3f);
    assert_float_equal(bounds.low.y, -0.5f, 2e-3f);
    unload(&mesh);
}

static void short_memory_is_a_result(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f};
    BwShapeFile *content = NULL;
    write_obj("mesh.obj", soup, make_soup(soup, 12, 6, 1.0, 0.0));
    int n = 0;
    for (BwResult result = BW_ERR_MEMORY; result != BW_OK; n++) {
        fail_after(&strict, n);
        result = bw_shape_file_load(&content, &shape, "mesh.obj", &allocator, NULL);
        assert_true(result == BW_OK || (result == BW_ERR_MEMORY && content == NULL));
        if (result != BW_OK)
            assert_nothing_left(&strict);
    }
    assert_true(n > 8);
    bw_shape_file_destroy(content);
    assert_nothing_left(&strict);
}

// What is round in a mesh has the normals of what it stands for, where those of its triangles are off by half
// the angle between two of them; also where the file has the triangles inside out. The gap is the distance,
// up to its bound.
static void round_meshes_have_round_normals(void **state)
{
    (void)state;
    const int count = make_soup(soup, 48, 24, 1.0, 0.0);
    const BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 1.0f};
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        for (int n = 0; n < count && is_turned; n++) {
            BwVec3 corner = soup[n].corner[1];
            soup[n].corner[1] = soup[n].corner[2];
            soup[n].corner[2] = corner;
        }
        write_obj("mesh.obj", soup, count);
        BwShape mesh = load_mesh("mesh.obj", 0.0f);
        Random random = random_seeded(5);
        double worst = 0.0, flat = 0.0, deep = 0.0, measured = 0.0, gap_error = 0.0;
        for (int n = 0; n < 2000; n++) {
            BwVec3 p = sphere_point(random_between(&random, 0, 1), random_between(&random, 0.1, 0.9), 1.0),
                   normal, slope;
            float distance;
            assert_true(bw_shape_smooth_normal(&mesh, p, 0.1f, &normal));
            assert_true(bw_shape_slope(&mesh, bw_mul(p, 0.99f), &slope, &distance));
            worst = fmax(worst, (double)bw_length(bw_sub(normal, p)));
            flat = fmax(flat, (double)bw_length(bw_sub(slope, p)));
            assert_true(bw_shape_slope(&mesh, bw_mul(p, 0.6f), &slope, &distance));
            deep = fmax(deep, (double)bw_length(bw_sub(slope, p)));
            slope = bw_normalize(slope_by_differences(&mesh, bw_mul(p, 0.6f), 5e-3f));
            measured = fmax(measured, (double)bw_length(bw_sub(slope, p)));
            assert_true(distance == bw_shape_distance(&mesh, bw_mul(p, 0.6f)));
            p = bw_mul(p, (float)random_between(&random, 0.7, 1.5));
            double gap = (double)bw_shape_gap(&mesh, p, 0.2f),
                   truth = fabs((double)bw_shape_distance(&ball, p));
            gap_error = fmax(gap_error, truth > 0.21 ? 0.2 - gap : fabs(gap - truth));
        }
        gate("round_normal_error", worst, GATE_BELOW, 0.012);
        gate("flat_normal_error", flat, GATE_ABOVE, 0.06);
        gate("deep_normal_error", deep, GATE_BELOW, 0.1);
        gate("deep_normal_over_measured", deep / measured, GATE_BELOW, 1.25);
        gate("gap_error", gap_error, GATE_BELOW, 0.012);
        unload(&mesh);
    }
}

// The edges of a box are no part of something round.
static void edges_keep_the_normals_of_their_faces(void **state)
{
    (void)state;
    FILE *file = fopen("box.obj", "w");
    for (int n = 0; n < 8; n++)
        fprintf(file, "v %d %d %d\n", n & 1, n >> 1 & 1, n >> 2);
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    fclose(file);
    BwShape mesh = load_mesh("box.obj", 0.0f);
    BwVec3 normal;
    double worst = 0.0;
    for (int n = 1; n < 100; n++) {
        assert_true(bw_shape_smooth_normal(&mesh, bw_vec3(0.01f * (float)n, 1.001f, 0.3f), 0.1f, &normal));
        worst = fmax(worst, 1.0 - (double)normal.y);
    }
    gate("edge_normal_error", worst, GATE_BELOW, 1e-6);
    assert_false(bw_shape_smooth_normal(&mesh, bw_vec3(0.5f, 1.2f, 0.5f), 0.1f, &normal));
    unload(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_meshes_have_round_normals),
        cmocka_unit_test(edges_keep_the_normals_of_their_faces),
        cmocka_unit_test(distance_to_a_sphere),
        cmocka_unit_test(distance_to_a_torus),
        cmocka_unit_test(no_way_leads_through_what_is_thick),
        cmocka_unit_test(a_ball_is_as_thick_as_its_points),
        cmocka_unit_test(a_glass_is_as_thick_as_its_walls),
        cmocka_unit_test(a_broken_torus_has_an_inside),
        cmocka_unit_test(crossing_and_inside_out),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(smooth_parts_need_no_triangles),
        cmocka_unit_test(edges_and_corners_tell_the_side),
        cmocka_unit_test(a_sheet_is_closed),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(scaled_and_combined),
        cmocka_unit_test(short_memory_is_a_result),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
