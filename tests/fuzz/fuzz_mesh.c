// Any bytes as the file of a shape. The first byte picks the format; what is read must be fit to be measured.
#include "fuzz.h"

#include "solid/heights.h"
#include "solid/mesh_read.h"

#include <math.h>

enum { FORMATS = 6, MEASURED_MAX = 20000 };

static BwResult read_any(BwMesh *mesh, int format, const BwFileBytes *file, BwError *err)
{
    switch (format) {
    case 0:
        return bw_mesh_read_obj(mesh, file, err);
    case 1:
        return bw_mesh_read_ply(mesh, file, err);
    case 2:
        return bw_mesh_read_stl(mesh, file, err);
    case 3:
        return bw_mesh_read_xyz(mesh, file, err);
    case 4:
        return bw_mesh_read_heights(mesh, file, 1.0f, file->size % 2 == 0 ? 0.0f : 0.1f, err);
    default:
        return bw_mesh_read_voxels(mesh, file, 0.5f, err);
    }
}

static void check(const BwMesh *mesh)
{
    for (int64_t n = 0; n < mesh->point_count; n++)
        must_hold(isfinite(mesh->points[n].x) && isfinite(mesh->points[n].y) && isfinite(mesh->points[n].z));
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        for (int c = 0; c < 3; c++)
            must_hold(mesh->triangles[n].corner[c] >= 0 && mesh->triangles[n].corner[c] < mesh->point_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    BwError err = {0};
    BwMeshReport report;
    BwFileBytes file = {"fuzz", (const char *)bytes + 1, size - 1};
    BwMesh mesh = {.allocator = bw_allocator_or_default((BwAllocator){0}), .name = "fuzz"};
    if (read_any(&mesh, bytes[0] % FORMATS, &file, &err) == BW_OK) {
        check(&mesh);
        if (mesh.triangle_count < MEASURED_MAX) {
            must_hold(bw_mesh_mend(&mesh, &report, &err) == BW_OK);
            check(&mesh);
        }
    } else {
        must_hold(err.code != BW_OK && err.message[0] != '\0');
    }
    bw_mesh_free(&mesh);
    return 0;
}
