// Triangles are listed by the point they meet at; each corner then asks those of its point.
#include "solid/corner_normals.h"

#include <math.h>
#include <string.h>

#define CREASE 0.77f // cosine of 40 degrees: what bends more is an edge

// Points with more triangles are hubs of fans, flat or the tip of a cone: they keep the triangles' own
// normals.
enum { AROUND_MAX = 400 };

// The corners that meet at each point: those of point p are `corners` from starts[p] to starts[p + 1], each
// three times its triangle plus its place there.
typedef struct Around {
    int64_t *starts, *corners;
} Around;

static BwVec3 point_of(const BwMesh *mesh, int64_t triangle, int place)
{
    return mesh->points[mesh->triangles[triangle].corner[place]];
}

static BwVec3 face_normal(const BwMesh *mesh, int64_t triangle)
{
    BwVec3 a = point_of(mesh, triangle, 0);
    BwVec3 area = bw_cross(bw_sub(point_of(mesh, triangle, 1), a), bw_sub(point_of(mesh, triangle, 2), a));
    float length = bw_length(area);
    return length > 0.0f ? bw_mul(area, 1.0f / length) : bw_vec3(0.0f, 0.0f, 0.0f);
}

static float corner_angle(const BwMesh *mesh, int64_t corner)
{
    int place = (int)(corner % 3);
    BwVec3 at = point_of(mesh, corner / 3, place);
    BwVec3 a = bw_sub(point_of(mesh, corner / 3, (place + 1) % 3), at),
           b = bw_sub(point_of(mesh, corner / 3, (place + 2) % 3), at);
    return atan2f(bw_length(bw_cross(a, b)), bw_dot(a, b));
}

// Counts, then places: a sort by point.
static void list_corners(const BwMesh *mesh, const Around *around)
{
    int64_t corners = 3 * mesh->triangle_count;
    memset(around->starts, 0, (size_t)(mesh->point_count + 2) * sizeof *around->starts);
    for (int64_t n = 0; n < corners; n++)
        around->starts[mesh->triangles[n / 3].corner[n % 3] + 2]++;
    for (int64_t p = 0; p < mesh->point_count; p++)
        around->starts[p + 2] += around->starts[p + 1];
    for (int64_t n = 0; n < corners; n++)
        around->corners[around->starts[mesh->triangles[n / 3].corner[n % 3] + 1]++] = n;
}

static BwVec3 mean_normal(const BwMesh *mesh, const Around *around, int64_t corner)
{
    int32_t point = mesh->triangles[corner / 3].corner[corner % 3];
    BwVec3 own = face_normal(mesh, corner / 3), sum = {0.0f, 0.0f, 0.0f};
    int64_t begin = around->starts[point], end = around->starts[point + 1];
    if (end - begin > AROUND_MAX)
        return own;
    for (int64_t n = begin; n < end; n++) {
        int64_t other = around->corners[n];
        BwVec3 normal = face_normal(mesh, other / 3);
        if (other == corner || bw_dot(normal, own) > CREASE)
            sum = bw_add(sum, bw_mul(normal, corner_angle(mesh, other)));
    }
    return bw_dot(sum, sum) > 0.0f ? bw_normalize(sum) : own;
}

// Six times the volume that the triangles enclose, below 0 where they are inside out.
static double volume_of(const BwMesh *mesh)
{
    double sum = 0.0;
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        sum += (double)bw_dot(point_of(mesh, n, 0), bw_cross(point_of(mesh, n, 1), point_of(mesh, n, 2)));
    return sum;
}

BwResult bw_mesh_corner_normals(const BwMesh *mesh, BwVec3 (*normals)[3], BwError *err)
{
    size_t starts = (size_t)(mesh->point_count + 2) * sizeof(int64_t),
           corners = 3 * (size_t)mesh->triangle_count * sizeof(int64_t);
    Around around = {bw_alloc(&mesh->allocator, starts, BW_ALIGN),
                     bw_alloc(&mesh->allocator, corners, BW_ALIGN)};
    bool has_room = around.starts != NULL && around.corners != NULL;
    if (has_room) {
        list_corners(mesh, &around);
        float side = volume_of(mesh) < 0.0 ? -1.0f : 1.0f;
        for (int64_t n = 0; n < 3 * mesh->triangle_count; n++)
            normals[n / 3][n % 3] = bw_mul(mean_normal(mesh, &around, n), side);
    }
    bw_free(&mesh->allocator, around.starts, starts, BW_ALIGN);
    bw_free(&mesh->allocator, around.corners, corners, BW_ALIGN);
    return has_room ? BW_OK : bw_fail_memory(err);
}
