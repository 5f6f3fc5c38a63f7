// Walking over a mesh: whether it is closed and has one fan of triangles at each vertex, its volume and area.
#pragma once

#include "gate.h"

#include <billow/frame.h>

#include <math.h>
#include <stdlib.h>

// One corner of a triangle: a vertex and the two that follow.
typedef struct MeshCorner {
    int32_t at, next, last;
} MeshCorner;

static inline int mesh_corner_order(const void *a, const void *b)
{
    const MeshCorner *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return left->next < right->next ? -1 : left->next > right->next;
}

// Where a fan goes on: the corner whose `next` is that vertex; -1 without one.
static inline int64_t mesh_find_corner(const MeshCorner *fan, int64_t count, int32_t next)
{
    for (int64_t n = 0; n < count; n++)
        if (fan[n].next == next)
            return n;
    return -1;
}

// What is wrong with a mesh: edges that have not exactly two triangles in opposite directions, vertices whose
// triangles are not one closed fan, vertices without any.
typedef struct MeshFaults {
    int64_t edges, fans, lone;
} MeshFaults;

static inline void mesh_walk_fan(const MeshCorner *fan, int64_t count, MeshFaults *faults)
{
    int64_t at = 0, walked = 0;
    for (int64_t n = 1; n < count; n++)
        faults->edges += fan[n].next == fan[n - 1].next; // twice in one direction
    do {
        at = mesh_find_corner(fan, count, fan[at].last); // the same edge in the other direction
        walked++;
    } while (at > 0 && walked <= count);
    faults->edges += at < 0;
    faults->fans += at == 0 && walked != count;
}

static inline MeshFaults mesh_walk(const BwFrameMesh *mesh)
{
    MeshFaults faults = {0};
    int64_t count = 3 * (int64_t)mesh->triangle_count, vertices = 0;
    MeshCorner *corners = malloc((size_t)(count + 1) * sizeof *corners);
    for (int64_t n = 0; n < count; n++) {
        const int32_t *triangle = mesh->triangles[n / 3];
        corners[n] = (MeshCorner){triangle[n % 3], triangle[(n + 1) % 3], triangle[(n + 2) % 3]};
    }
    qsort(corners, (size_t)count, sizeof *corners, mesh_corner_order);
    for (int64_t begin = 0, end; begin < count; begin = end, vertices++) {
        for (end = begin; end < count && corners[end].at == corners[begin].at;)
            end++;
        mesh_walk_fan(corners + begin, end - begin, &faults);
    }
    faults.lone = mesh->vertex_count - vertices;
    free(corners);
    return faults;
}

static inline void assert_closed(const BwFrameMesh *mesh)
{
    MeshFaults faults = mesh_walk(mesh);
    assert_int_equal(faults.edges, 0);
    assert_int_equal(faults.fans, 0);
    assert_int_equal(faults.lone, 0);
}

static inline double mesh_volume(const BwFrameMesh *mesh)
{
    double sum = 0.0;
    for (int32_t n = 0; n < mesh->triangle_count; n++) {
        BwVec3 a = mesh->vertices[mesh->triangles[n][0]], b = mesh->vertices[mesh->triangles[n][1]],
               c = mesh->vertices[mesh->triangles[n][2]];
        double x = (double)b.y * (double)c.z - (double)b.z * (double)c.y,
               y = (double)b.z * (double)c.x - (double)b.x * (double)c.z,
               z = (double)b.x * (double)c.y - (double)b.y * (double)c.x;
        sum += ((double)a.x * x + (double)a.y * y + (double)a.z * z) / 6.0;
    }
    return sum;
}

static inline double mesh_area(const BwFrameMesh *mesh)
{
    double sum = 0.0;
    for (int32_t n = 0; n < mesh->triangle_count; n++) {
        BwVec3 a = mesh->vertices[mesh->triangles[n][0]], b = mesh->vertices[mesh->triangles[n][1]],
               c = mesh->vertices[mesh->triangles[n][2]];
        sum += 0.5 * (double)bw_length(bw_cross(bw_sub(b, a), bw_sub(c, a)));
    }
    return sum;
}
