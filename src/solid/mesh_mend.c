// Mending. Files that list each triangle by itself (STL) have every point many times over; once equal points
// are one, triangles that share an edge know each other, and whoever runs along it in the same direction as
// its neighbour faces the other way. A surface is turned as a whole never: most of its area decides.
#include "base/checksum.h"
#include "solid/mesh.h"

#include <math.h>
#include <stdlib.h>

// One side of a triangle, with the lower point first.
typedef struct Side {
    int32_t low, high, triangle;
    int8_t number;      // of the triangle's three
    bool is_descending; // the triangle runs from high to low
} Side;

// Across a side: the other triangle, and whether it runs the same way along it, which is wrong.
typedef struct Link {
    int32_t triangle; // -1: none, or more than one
    bool disagrees;
} Link;

typedef struct Mending {
    BwMesh *mesh;
    BwMeshReport *report;
    Side *sides;      // three a triangle
    Link (*links)[3]; // a triangle's neighbours
    int32_t *queue;   // triangles of the surface that is walked
    int8_t *facing;   // 0: not seen yet, 1: as the first of its surface, -1: the other way
} Mending;

static uint64_t point_hash(BwVec3 p)
{
    const float values[3] = {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}; // -0 becomes 0
    return bw_mix_bytes(0, values, sizeof values);
}

static bool are_equal(BwVec3 a, BwVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Fills `same`: for each point the first that equals it. `table` has a power of two of places, over half of
// them free, all -1.
static void find_same_points(const BwMesh *mesh, int32_t *same, int32_t *table, size_t places)
{
    for (int32_t n = 0; n < mesh->point_count; n++) {
        size_t at = (size_t)point_hash(mesh->points[n]) & (places - 1);
        while (table[at] >= 0 && !are_equal(mesh->points[table[at]], mesh->points[n]))
            at = (at + 1) & (places - 1);
        if (table[at] < 0)
            table[at] = n;
        same[n] = table[at];
    }
}

static BwResult join_points(BwMesh *mesh, BwError *err)
{
    size_t places = 16;
    while (places < 2 * (size_t)mesh->point_count)
        places *= 2;
    size_t count = (size_t)mesh->point_count;
    int32_t *table = bw_alloc(&mesh->allocator, places * sizeof *table, BW_ALIGN);
    int32_t *same = bw_alloc(&mesh->allocator, count * sizeof *same, BW_ALIGN);
    bool is_short = table == NULL || (count > 0 && same == NULL);
    if (!is_short) {
        for (size_t n = 0; n < places; n++)
            table[n] = -1;
        find_same_points(mesh, same, table, places);
        for (int64_t n = 0; n < mesh->triangle_count; n++)
            for (int c = 0; c < 3; c++)
                mesh->triangles[n].corner[c] = same[mesh->triangles[n].corner[c]];
    }
    bw_free(&mesh->allocator, table, places * sizeof *table, BW_ALIGN);
    bw_free(&mesh->allocator, same, count * sizeof *same, BW_ALIGN);
    return is_short ? bw_fail_memory(err) : BW_OK;
}

// Twice its size.
static float triangle_area(const BwMesh *mesh, const BwMeshTriangle *triangle)
{
    BwVec3 a = mesh->points[triangle->corner[0]];
    return bw_length(
        bw_cross(bw_sub(mesh->points[triangle->corner[1]], a), bw_sub(mesh->points[triangle->corner[2]], a)));
}

static void drop_without_area(BwMesh *mesh, BwMeshReport *report)
{
    int64_t kept = 0;
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        if (triangle_area(mesh, &mesh->triangles[n]) > 0.0f)
            mesh->triangles[kept++] = mesh->triangles[n];
    report->without_area = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
}

// A triangle by its points in ascending order, and which way round it runs through them.
typedef struct Corners {
    int32_t point[3], is_odd;
    int32_t triangle;
} Corners;

static Corners corners_of(const BwMeshTriangle *triangle, int64_t n)
{
    const int32_t *c = triangle->corner;
    int32_t low = c[0] < c[1] ? c[0] : c[1], high = c[0] < c[1] ? c[1] : c[0];
    int32_t first = c[2] < low ? c[2] : low, last = c[2] > high ? c[2] : high;
    int32_t middle = c[2] < low ? low : c[2] > high ? high : c[2];
    int32_t is_odd = ((c[0] > c[1]) + (c[0] > c[2]) + (c[1] > c[2])) % 2;
    return (Corners){{first, middle, last}, is_odd, (int32_t)n};
}

static bool are_same(const Corners *a, const Corners *b)
{
    return a->point[0] == b->point[0] && a->point[1] == b->point[1] && a->point[2] == b->point[2] &&
           a->is_odd == b->is_odd;
}

static int compare_corners(const void *left, const void *right)
{
    const Corners *a = left, *b = right;
    for (int c = 0; c < 3; c++)
        if (a->point[c] != b->point[c])
            return a->point[c] < b->point[c] ? -1 : 1;
    if (a->is_odd != b->is_odd)
        return a->is_odd < b->is_odd ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// A pile of equal triangles would be looked through as a whole whenever one of them is near: no box tells
// them apart. The first of each stays, and of those that face the other way.
static BwResult drop_doubled(BwMesh *mesh, BwMeshReport *report, BwError *err)
{
    size_t bytes = (size_t)mesh->triangle_count * sizeof(Corners);
    Corners *list = bw_alloc(&mesh->allocator, bytes, BW_ALIGN);
    if (list == NULL)
        return bw_fail_memory(err);
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        list[n] = corners_of(&mesh->triangles[n], n);
    qsort(list, (size_t)mesh->triangle_count, sizeof *list, compare_corners);
    for (int64_t n = 1; n < mesh->triangle_count; n++)
        if (are_same(&list[n], &list[n - 1]))
            mesh->triangles[list[n].triangle].corner[0] = -1;
    int64_t kept = 0;
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        if (mesh->triangles[n].corner[0] >= 0)
            mesh->triangles[kept++] = mesh->triangles[n];
    report->doubled = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
    bw_free(&mesh->allocator, list, bytes, BW_ALIGN);
    return BW_OK;
}

static int compare_sides(const void *left, const void *right)
{
    const Side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static void list_sides(Mending *job)
{
    const BwMesh *mesh = job->mesh;
    for (int32_t n = 0; n < mesh->triangle_count; n++)
        for (int c = 0; c < 3; c++) {
            int32_t from = mesh->triangles[n].corner[c], to = mesh->triangles[n].corner[(c + 1) % 3];
            job->sides[3 * (int64_t)n + c] =
                (Side){from < to ? from : to, from < to ? to : from, n, (int8_t)c, from > to};
            job->links[n][c] = (Link){-1, false};
        }
    qsort(job->sides, 3 * (size_t)mesh->triangle_count, sizeof *job->sides, compare_sides);
}

static void link_pair(Mending *job, const Side *a, const Side *b)
{
    bool disagrees = a->is_descending == b->is_descending;
    job->links[a->triangle][a->number] = (Link){b->triangle, disagrees};
    job->links[b->triangle][b->number] = (Link){a->triangle, disagrees};
}

static void link_neighbours(Mending *job)
{
    int64_t count = 3 * job->mesh->triangle_count, next;
    for (int64_t n = 0; n < count; n = next) {
        for (next = n + 1; next < count && job->sides[next].low == job->sides[n].low &&
                           job->sides[next].high == job->sides[n].high;)
            next++;
        if (next - n == 2)
            link_pair(job, &job->sides[n], &job->sides[n + 1]);
        job->report->open_edges += next - n == 1;
        job->report->crowded_edges += next - n > 2;
    }
}

// Walks the surface that a triangle belongs to. Gives the number of its triangles, which are in the queue,
// and whether those that face the other way than the first have more area.
static int64_t walk_surface(Mending *job, int32_t first, bool *is_first_wrong)
{
    int64_t count = 1;
    double balance = 0.0;
    job->queue[0] = first;
    job->facing[first] = 1;
    for (int64_t n = 0; n < count; n++) {
        int32_t at = job->queue[n];
        balance += (double)triangle_area(job->mesh, &job->mesh->triangles[at]) * job->facing[at];
        for (int c = 0; c < 3; c++) {
            const Link *link = &job->links[at][c];
            if (link->triangle < 0 || job->facing[link->triangle] != 0)
                continue;
            job->facing[link->triangle] = (int8_t)(link->disagrees ? -job->facing[at] : job->facing[at]);
            job->queue[count++] = link->triangle;
        }
    }
    *is_first_wrong = balance < 0.0;
    return count;
}

static void turn(BwMeshTriangle *triangle)
{
    int32_t second = triangle->corner[1];
    triangle->corner[1] = triangle->corner[2];
    triangle->corner[2] = second;
}

static void turn_minorities(Mending *job)
{
    for (int32_t n = 0; n < job->mesh->triangle_count; n++) {
        bool is_first_wrong;
        if (job->facing[n] != 0)
            continue;
        int64_t count = walk_surface(job, n, &is_first_wrong);
        int8_t wrong = is_first_wrong ? 1 : -1;
        for (int64_t q = 0; q < count; q++)
            if (job->facing[job->queue[q]] == wrong) {
                turn(&job->mesh->triangles[job->queue[q]]);
                job->report->turned++;
            }
    }
}

static BwResult agree_on_facing(BwMesh *mesh, BwMeshReport *report, BwError *err)
{
    size_t count = (size_t)mesh->triangle_count;
    const BwAllocator *allocator = &mesh->allocator;
    Mending job = {.mesh = mesh,
                   .report = report,
                   .sides = bw_alloc(allocator, 3 * count * sizeof(Side), BW_ALIGN),
                   .links = bw_alloc(allocator, 3 * count * sizeof(Link), BW_ALIGN),
                   .queue = bw_alloc(allocator, count * sizeof(int32_t), BW_ALIGN),
                   .facing = bw_alloc_zeroed(allocator, count, BW_ALIGN)};
    bool is_short = job.sides == NULL || job.links == NULL || job.queue == NULL || job.facing == NULL;
    if (!is_short) {
        list_sides(&job);
        link_neighbours(&job);
        turn_minorities(&job);
    }
    bw_free(allocator, job.sides, 3 * count * sizeof(Side), BW_ALIGN);
    bw_free(allocator, job.links, 3 * count * sizeof(Link), BW_ALIGN);
    bw_free(allocator, job.queue, count * sizeof(int32_t), BW_ALIGN);
    bw_free(allocator, job.facing, count, BW_ALIGN);
    return is_short ? bw_fail_memory(err) : BW_OK;
}

BwResult bw_mesh_mend(BwMesh *mesh, BwMeshReport *report, BwError *err)
{
    *report = (BwMeshReport){0};
    BW_TRY(join_points(mesh, err));
    drop_without_area(mesh, report);
    if (mesh->triangle_count == 0)
        return BW_OK;
    BW_TRY(drop_doubled(mesh, report, err));
    return agree_on_facing(mesh, report, err);
}
