// Embree's scene with one mesh in it.
#include "trace/mesh_rays.h"

#ifndef BW_HAVE_EMBREE

bool bw_mesh_rays_are_there(void)
{
    return false;
}

BwResult bw_mesh_rays_create(BwMeshRays **rays, const BwAllocator *allocator, BwError *err)
{
    (void)allocator;
    *rays = NULL;
    return bw_fail(err, BW_ERR_BACKEND, "this build has no Embree (Debian: libembree-dev)");
}

void bw_mesh_rays_destroy(BwMeshRays *rays)
{
    (void)rays;
}

BwResult bw_mesh_rays_set(BwMeshRays *rays, const BwRayMesh *mesh, BwError *err)
{
    (void)rays, (void)mesh;
    return bw_fail(err, BW_ERR_BACKEND, "this build has no Embree (Debian: libembree-dev)");
}

void bw_mesh_rays_clear(BwMeshRays *rays)
{
    (void)rays;
}

bool bw_mesh_rays_hit(const BwMeshRays *rays, const float origin[3], BwVec3 direction, float t_max,
                      float time, BwMeshHit *hit)
{
    (void)rays, (void)origin, (void)direction, (void)t_max, (void)time, (void)hit;
    return false;
}

bool bw_mesh_rays_is_near(const BwMeshRays *rays, const float place[3], float reach)
{
    (void)rays, (void)place, (void)reach;
    return false;
}

#else

#if __has_include(<embree3/rtcore.h>)
#include <embree3/rtcore.h>
#else
#include <embree4/rtcore.h>
#endif

#include <math.h>
#include <string.h>

struct BwMeshRays {
    BwAllocator allocator;
    RTCDevice device; // NULL: no mesh
    RTCScene scene;   // as well
    BwRayMesh mesh;
};

bool bw_mesh_rays_are_there(void)
{
    return true;
}

static BwResult fail(enum RTCError error, BwError *err)
{
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return bw_fail_memory(err);
    return bw_fail(err, BW_ERR_BACKEND, "Embree failed with its error %d", (int)error);
}

BwResult bw_mesh_rays_create(BwMeshRays **out, const BwAllocator *allocator, BwError *err)
{
    *out = bw_alloc_zeroed(allocator, sizeof **out, BW_ALIGN);
    if (*out == NULL)
        return bw_fail_memory(err);
    (*out)->allocator = *allocator;
    return BW_OK;
}

void bw_mesh_rays_clear(BwMeshRays *rays)
{
    if (rays->scene != NULL)
        rtcReleaseScene(rays->scene);
    if (rays->device != NULL)
        rtcReleaseDevice(rays->device);
    rays->scene = NULL;
    rays->device = NULL;
}

void bw_mesh_rays_destroy(BwMeshRays *rays)
{
    if (rays == NULL)
        return;
    BwAllocator allocator = rays->allocator;
    bw_mesh_rays_clear(rays);
    bw_free(&allocator, rays, sizeof *rays, BW_ALIGN);
}

static bool copy_places(RTCGeometry geometry, unsigned step, const BwVec3 *places, int64_t count)
{
    BwVec3 *to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3,
                                         sizeof *to, (size_t)count);
    if (to != NULL)
        memcpy(to, places, (size_t)count * sizeof *to);
    return to != NULL;
}

static bool fill_geometry(RTCGeometry geometry, const BwRayMesh *mesh)
{
    rtcSetGeometryTimeStepCount(geometry, mesh->ends != NULL ? 2 : 1);
    if (!copy_places(geometry, 0, mesh->starts, mesh->vertex_count) ||
        (mesh->ends != NULL && !copy_places(geometry, 1, mesh->ends, mesh->vertex_count)))
        return false;
    int32_t(*triangles)[3] = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                     sizeof *triangles, (size_t)mesh->triangle_count);
    if (triangles == NULL)
        return false;
    memcpy(triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *triangles);
    rtcCommitGeometry(geometry);
    return true;
}

// Robust: rays do not slip through between two triangles.
static bool build_scene(BwMeshRays *rays, const BwRayMesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    bool is_filled = geometry != NULL && fill_geometry(geometry, mesh);
    rays->scene = rtcNewScene(rays->device);
    if (is_filled && rays->scene != NULL) {
        rtcSetSceneFlags(rays->scene, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(rays->scene, RTC_BUILD_QUALITY_MEDIUM);
        rtcAttachGeometry(rays->scene, geometry);
        rtcCommitScene(rays->scene);
    }
    if (geometry != NULL)
        rtcReleaseGeometry(geometry);
    return is_filled && rays->scene != NULL;
}

// One thread builds: its trees are the same each time, and it starts no threads beside our own.
BwResult bw_mesh_rays_set(BwMeshRays *rays, const BwRayMesh *mesh, BwError *err)
{
    bw_mesh_rays_clear(rays);
    rays->mesh = *mesh;
    rays->device = rtcNewDevice("threads=1,start_threads=0,set_affinity=0");
    if (rays->device == NULL)
        return fail(rtcGetDeviceError(NULL), err);
    bool is_built = build_scene(rays, mesh);
    enum RTCError error = rtcGetDeviceError(rays->device);
    if (is_built && error == RTC_ERROR_NONE)
        return BW_OK;
    bw_mesh_rays_clear(rays);
    return fail(error == RTC_ERROR_NONE ? RTC_ERROR_OUT_OF_MEMORY : error, err);
}

static void intersect(const BwMeshRays *rays, struct RTCRayHit *query)
{
#if RTC_VERSION_MAJOR >= 4
    rtcIntersect1(rays->scene, query, NULL);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(rays->scene, &context, query);
#endif
}

bool bw_mesh_rays_hit(const BwMeshRays *rays, const float origin[3], BwVec3 direction, float t_max,
                      float time, BwMeshHit *hit)
{
    struct RTCRayHit query = {.ray = {.org_x = origin[0],
                                      .org_y = origin[1],
                                      .org_z = origin[2],
                                      .dir_x = direction.x,
                                      .dir_y = direction.y,
                                      .dir_z = direction.z,
                                      .time = time,
                                      .tfar = t_max,
                                      .mask = UINT32_MAX},
                              .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    if (rays->scene == NULL)
        return false;
    intersect(rays, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    *hit = (BwMeshHit){.t = query.ray.tfar,
                       .u = query.hit.u,
                       .v = query.hit.v,
                       .triangle = (int32_t)query.hit.primID,
                       .normal = bw_normalize(bw_vec3(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z))};
    return true;
}

// A question for what is near a place.
typedef struct Nearness {
    const BwRayMesh *mesh;
    BwVec3 place;
    float reach;
    bool is_near;
} Nearness;

static BwVec3 corner_at(const BwRayMesh *mesh, int32_t vertex)
{
    BwVec3 start = mesh->starts[vertex];
    return mesh->ends != NULL ? bw_mul(bw_add(start, mesh->ends[vertex]), 0.5f) : start;
}

static float edge_distance2(BwVec3 from, BwVec3 along)
{
    float length2 = bw_dot(along, along), t = length2 > 0.0f ? bw_dot(from, along) / length2 : 0.0f;
    BwVec3 off = bw_sub(from, bw_mul(along, t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t));
    return bw_dot(off, off);
}

// The square of the distance to a triangle: to its plane above its inside, else to the nearest edge.
static float triangle_distance2(const BwVec3 corners[3], BwVec3 place)
{
    BwVec3 area = bw_cross(bw_sub(corners[1], corners[0]), bw_sub(corners[2], corners[0]));
    float least = INFINITY;
    bool is_above = true;
    for (int n = 0; n < 3; n++) {
        BwVec3 along = bw_sub(corners[(n + 1) % 3], corners[n]), from = bw_sub(place, corners[n]);
        is_above = is_above && bw_dot(bw_cross(along, from), area) >= 0.0f;
        least = fminf(least, edge_distance2(from, along));
    }
    float height = bw_dot(area, bw_sub(place, corners[0])), area2 = bw_dot(area, area);
    return is_above && area2 > 0.0f ? height * height / area2 : least;
}

// Embree calls it for triangles that may be near. True where its search may end sooner than it would.
static bool ask_triangle(struct RTCPointQueryFunctionArguments *arguments)
{
    Nearness *nearness = arguments->userPtr;
    const int32_t *triangle = nearness->mesh->triangles[arguments->primID];
    const BwVec3 corners[3] = {corner_at(nearness->mesh, triangle[0]), corner_at(nearness->mesh, triangle[1]),
                               corner_at(nearness->mesh, triangle[2])};
    if (nearness->is_near || triangle_distance2(corners, nearness->place) > nearness->reach * nearness->reach)
        return false;
    nearness->is_near = true;
    arguments->query->radius = 0.0f;
    return true;
}

bool bw_mesh_rays_is_near(const BwMeshRays *rays, const float place[3], float reach)
{
    Nearness nearness = {&rays->mesh, bw_vec3(place[0], place[1], place[2]), reach, false};
    struct RTCPointQuery query = {.x = place[0], .y = place[1], .z = place[2], .time = 0.5f, .radius = reach};
    struct RTCPointQueryContext context;
    if (rays->scene == NULL)
        return false;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(rays->scene, &query, &context, ask_triangle, &nearness);
    return nearness.is_near;
}

#endif
