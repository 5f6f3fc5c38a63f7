// The growing lists of a mesh.
#include "solid/mesh.h"

BwResult bw_mesh_add_point(BwMesh *mesh, BwVec3 point, BwError *err)
{
    if (mesh->point_count >= BW_MESH_POINTS_MAX)
        return bw_fail(err, BW_ERR_FORMAT, "%s has more than %d points", mesh->name, BW_MESH_POINTS_MAX);
    BW_TRY(bw_reserve(&mesh->allocator, (void **)&mesh->points, &mesh->point_capacity, mesh->point_count + 1,
                      sizeof *mesh->points, err));
    mesh->points[mesh->point_count++] = point;
    return BW_OK;
}

BwResult bw_mesh_add_triangle(BwMesh *mesh, int32_t a, int32_t b, int32_t c, BwError *err)
{
    if (mesh->triangle_count >= BW_MESH_TRIANGLES_MAX)
        return bw_fail(err, BW_ERR_FORMAT, "%s has more than %d triangles", mesh->name,
                       BW_MESH_TRIANGLES_MAX);
    BW_TRY(bw_reserve(&mesh->allocator, (void **)&mesh->triangles, &mesh->triangle_capacity,
                      mesh->triangle_count + 1, sizeof *mesh->triangles, err));
    mesh->triangles[mesh->triangle_count++] = (BwMeshTriangle){{a, b, c}};
    return BW_OK;
}

void bw_mesh_free(BwMesh *mesh)
{
    bw_free(&mesh->allocator, mesh->points, (size_t)mesh->point_capacity * sizeof *mesh->points, BW_ALIGN);
    bw_free(&mesh->allocator, mesh->triangles, (size_t)mesh->triangle_capacity * sizeof *mesh->triangles,
            BW_ALIGN);
    *mesh = (BwMesh){.allocator = mesh->allocator, .name = mesh->name};
}
