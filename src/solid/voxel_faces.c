// Two triangles for each side of a full voxel that an empty one is beside.
#include "solid/voxel_faces.h"

typedef struct Job {
    BwMesh *mesh;
    const uint8_t *full;
    const long long *size;
    BwError *err;
} Job;

static bool is_full(const Job *job, const long long at[3])
{
    for (int a = 0; a < 3; a++)
        if (at[a] < 0 || at[a] >= job->size[a])
            return false;
    return job->full[at[0] + job->size[0] * (at[1] + job->size[1] * at[2])] != 0;
}

// The side of a voxel across an axis, facing up that axis or down.
static BwResult add_face(BwMesh *mesh, const long long at[3], int axis, bool is_high, BwError *err)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    int32_t first = (int32_t)mesh->point_count;
    for (int n = 0; n < 4; n++) {
        float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
        bool goes_b = n == 1 || n == 2, goes_c = n >= 2;
        place[axis] += is_high ? 1.0f : 0.0f;
        place[is_high ? b : c] += goes_b ? 1.0f : 0.0f;
        place[is_high ? c : b] += goes_c ? 1.0f : 0.0f;
        BW_TRY(bw_mesh_add_point(mesh, bw_vec3(place[0], place[1], place[2]), err));
    }
    BW_TRY(bw_mesh_add_triangle(mesh, first, first + 1, first + 2, err));
    return bw_mesh_add_triangle(mesh, first, first + 2, first + 3, err);
}

static BwResult add_voxel(const Job *job, const long long at[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int is_high = 0; is_high < 2; is_high++) {
            long long beside[3] = {at[0], at[1], at[2]};
            beside[axis] += is_high ? 1 : -1;
            if (!is_full(job, beside))
                BW_TRY(add_face(job->mesh, at, axis, is_high, job->err));
        }
    return BW_OK;
}

BwResult bw_mesh_add_voxels(BwMesh *mesh, const uint8_t *full, const long long size[3], BwError *err)
{
    const Job all = {mesh, full, size, err}, *job = &all;
    long long at[3];
    for (at[2] = 0; at[2] < job->size[2]; at[2]++)
        for (at[1] = 0; at[1] < job->size[1]; at[1]++)
            for (at[0] = 0; at[0] < job->size[0]; at[0]++)
                if (is_full(job, at))
                    BW_TRY(add_voxel(job, at));
    return BW_OK;
}
