// From a frame to a mesh that rays meet, and the crossings themselves.
#include "render/water_mesh.h"

#include "base/extremes.h"
#include "render/optics.h"

#include <math.h>
#include <string.h>

#define ON_WALL    1e-3f // cells
#define BEVEL      0.12f // cells
#define ALONG_WALL 0.5f  // cosine of the angle between a bevel and its wall
#define ON_GROUND  0.02f
#define ON_SOLID   0.35f // cells: the mesh is blunt where water, air and a solid meet
#define INTO_SOLID 0.25f // cells: less is left of the distance to a solid half a cell on
#define INSIDE     0.3f  // cells: as deep a vertex is moved into the solid that its triangle lies on
#define PROBE      0.1f  // cells, between distances whose difference is a normal

#define LENGTH_LIFT 2e-3f // cells
enum { LENGTH_HITS = 16 };

typedef struct Job {
    BwWaterMesh *mesh;
    const BwWaterMeshDef *def;
    const BwFrameMesh *from;
    const BwVec3 *velocities; // m/s; NULL: none
    float half_shutter;       // s
    uint8_t *lies;            // of triangles: a Lie
    uint8_t *is_hidden;       // of vertices: in a solid
} Job;

// What a triangle of the mesh lies on.
typedef enum Lie { LIES_FREE, LIES_ON_GROUND, LIES_ON_SOLID } Lie;

static const BwVec3 *vectors_of(const BwFrameMesh *mesh, const char *name)
{
    const BwFrameAttribute *attribute = bw_frame_attribute(mesh->attributes, mesh->attribute_count, name);
    return attribute != NULL && attribute->components == 3 ? (const BwVec3 *)(const void *)attribute->values
                                                           : NULL;
}

// Vertices as places, half of the shutter before and after the frame.
static void place_vertices(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwWater *water = job->def->water;
    for (int64_t n = begin; n < end; n++) {
        const BwVec3 vertex = job->from->vertices[n];
        const double point[3] = {job->from->origin[0] + (double)vertex.x,
                                 job->from->origin[1] + (double)vertex.y,
                                 job->from->origin[2] + (double)vertex.z};
        float place[3];
        bw_water_place(water, point, place);
        BwVec3 middle = bw_vec3(place[0], place[1], place[2]), way = {0.0f, 0.0f, 0.0f};
        if (job->velocities != NULL)
            way = bw_mul(job->velocities[n], job->half_shutter / water->cell);
        if (!isfinite(bw_dot(way, way)))
            way = bw_vec3(0.0f, 0.0f, 0.0f);
        job->mesh->starts[n] = bw_sub(middle, way);
        job->mesh->ends[n] = bw_add(middle, way);
    }
}

static BwVec3 middle_of(const BwWaterMesh *mesh, int32_t vertex)
{
    return bw_mul(bw_add(mesh->starts[vertex], mesh->ends[vertex]), 0.5f);
}

// Twice the area of a triangle along its normal.
static BwVec3 area_of(const BwWaterMesh *mesh, const int32_t corners[3])
{
    BwVec3 a = middle_of(mesh, corners[0]);
    return bw_cross(bw_sub(middle_of(mesh, corners[1]), a), bw_sub(middle_of(mesh, corners[2]), a));
}

static bool lies_on(const BwWaterMesh *mesh, const int32_t corners[3], int axis, float place, float most)
{
    for (int c = 0; c < 3; c++)
        if (!(fabsf(bw_component(middle_of(mesh, corners[c]), axis) - place) < most))
            return false;
    return true;
}

static BwVec3 wall_normal(int wall)
{
    float side = wall % 2 == 1 ? -1.0f : 1.0f;
    int axis = (wall - 1) / 2;
    return bw_vec3(axis == 0 ? side : 0.0f, axis == 1 ? side : 0.0f, axis == 2 ? side : 0.0f);
}

// The wall that a triangle lies on, or 0. The mesh is bevelled a little along the edges of the box: that is
// wall too.
static int wall_of(const Job *job, const int32_t corners[3], BwVec3 area)
{
    const BwWater *water = job->def->water;
    for (int wall = 1; wall <= 6; wall++) {
        int axis = (wall - 1) / 2;
        float place = wall % 2 == 1 ? water->low[axis] : water->high[axis];
        if (lies_on(job->mesh, corners, axis, place, BEVEL) &&
            (bw_dot(area, wall_normal(wall)) > ALONG_WALL * bw_length(area) ||
             lies_on(job->mesh, corners, axis, place, ON_WALL)))
            return wall;
    }
    return 0;
}

// The bevel between a wall and the ground lies on the ground.
static bool is_on_ground(const Job *job, const int32_t corners[3])
{
    const BwWater *water = job->def->water;
    float ground = (float)((job->def->ground - water->origin[1]) / (double)water->cell);
    BwVec3 area = area_of(job->mesh, corners);
    return lies_on(job->mesh, corners, 1, ground, ON_GROUND) ||
           (-area.y > ALONG_WALL * bw_length(area) && lies_on(job->mesh, corners, 1, ground, BEVEL));
}

// Cells from the nearest solid to a place.
static float solid_distance(const Job *job, BwVec3 place)
{
    const BwWater *water = job->def->water;
    double cell = (double)water->cell;
    const double point[3] = {water->origin[0] + cell * (double)place.x,
                             water->origin[1] + cell * (double)place.y,
                             water->origin[2] + cell * (double)place.z};
    return bw_solids_gap(job->def->solids, point, 2.0f * water->cell) / water->cell;
}

// Whether a triangle lies on a solid, with the water on the other side.
static bool is_on_solid(const Job *job, const int32_t corners[3])
{
    if (job->def->solids->count == 0)
        return false;
    BwVec3 middle = {0.0f, 0.0f, 0.0f}, area = area_of(job->mesh, corners);
    for (int c = 0; c < 3; c++)
        middle = bw_add(middle, bw_mul(middle_of(job->mesh, corners[c]), 1.0f / 3.0f));
    float distance = solid_distance(job, middle);
    if (!(distance < ON_SOLID) || !(bw_dot(area, area) > 0.0f))
        return distance < ON_SOLID;
    BwVec3 on = bw_add(middle, bw_mul(bw_normalize(area), 0.5f));
    return distance < -ON_SOLID || solid_distance(job, on) < distance - INTO_SOLID;
}

static void sort_out(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        const int32_t *corners = job->from->triangles[n];
        job->lies[n] = is_on_ground(job, corners)  ? LIES_ON_GROUND
                       : is_on_solid(job, corners) ? LIES_ON_SOLID
                                                   : LIES_FREE;
    }
}

// Out of the solid, 0 where that is not known.
static BwVec3 solid_normal(const Job *job, BwVec3 place)
{
    float slope[3];
    for (int a = 0; a < 3; a++) {
        BwVec3 step = bw_vec3(a == 0 ? PROBE : 0.0f, a == 1 ? PROBE : 0.0f, a == 2 ? PROBE : 0.0f);
        slope[a] = solid_distance(job, bw_add(place, step)) - solid_distance(job, bw_sub(place, step));
    }
    BwVec3 normal = bw_vec3(slope[0], slope[1], slope[2]);
    return bw_dot(normal, normal) > 1e-8f && isfinite(bw_dot(normal, normal)) ? bw_normalize(normal)
                                                                              : bw_vec3(0.0f, 0.0f, 0.0f);
}

// Moves the vertices that lie on a solid into it, so that it is the solid that cuts the water. Without the
// triangles alone water would end in their corners: saw-teeth, in what the surface mirrors from below.
static void hide_vertices(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t n = begin; n < end; n++) {
        BwVec3 place = middle_of(job->mesh, (int32_t)n);
        float distance = job->is_hidden[n] ? solid_distance(job, place) : -INSIDE;
        if (!(distance > -INSIDE))
            continue;
        BwVec3 way = bw_mul(solid_normal(job, place), -(distance + INSIDE));
        if (!(solid_distance(job, bw_add(place, way)) < 0.0f)) // a thin one: it would come out behind
            continue;
        job->mesh->starts[n] = bw_add(job->mesh->starts[n], way);
        job->mesh->ends[n] = bw_add(job->mesh->ends[n], way);
    }
}

static void mark_hidden(const Job *job)
{
    memset(job->is_hidden, 0, (size_t)job->from->vertex_count);
    for (int64_t n = 0; n < job->from->triangle_count; n++)
        for (int c = 0; c < 3 && job->lies[n] == LIES_ON_SOLID; c++)
            job->is_hidden[job->from->triangles[n][c]] = 1;
}

static bool is_left_out(const Job *job, int64_t triangle)
{
    const int32_t *corners = job->from->triangles[triangle];
    return job->lies[triangle] == LIES_ON_GROUND ||
           (job->is_hidden[corners[0]] && job->is_hidden[corners[1]] && job->is_hidden[corners[2]]);
}

// The normals that triangles give to their corners, each by its area; those on solids would bend the surface
// where it meets them.
static void add_normals(const Job *job)
{
    BwWaterMesh *mesh = job->mesh;
    memset(mesh->normals, 0, (size_t)mesh->vertex_count * sizeof *mesh->normals);
    for (int64_t n = 0; n < job->from->triangle_count; n++) {
        const int32_t *corners = job->from->triangles[n];
        BwVec3 area = area_of(mesh, corners);
        if (job->lies[n] == LIES_ON_SOLID || wall_of(job, corners, area) > 0)
            continue;
        for (int c = 0; c < 3; c++)
            mesh->normals[corners[c]] = bw_add(mesh->normals[corners[c]], area);
    }
    for (int64_t n = 0; n < mesh->vertex_count; n++)
        if (bw_dot(mesh->normals[n], mesh->normals[n]) > 0.0f)
            mesh->normals[n] = bw_normalize(mesh->normals[n]);
}

// Those that are kept, in their order.
static void keep_triangles(const Job *job)
{
    BwWaterMesh *mesh = job->mesh;
    for (int64_t n = 0; n < job->from->triangle_count; n++) {
        const int32_t *corners = job->from->triangles[n];
        if (is_left_out(job, n))
            continue;
        memcpy(mesh->triangles[mesh->triangle_count], corners, sizeof *mesh->triangles);
        mesh->walls[mesh->triangle_count++] = (uint8_t)wall_of(job, corners, area_of(mesh, corners));
    }
}

static void find_bounds(BwWaterMesh *mesh)
{
    for (int a = 0; a < 3; a++) {
        mesh->low[a] = INFINITY;
        mesh->high[a] = -INFINITY;
        for (int64_t n = 0; n < mesh->vertex_count; n++) {
            float start = bw_component(mesh->starts[n], a), end = bw_component(mesh->ends[n], a);
            mesh->low[a] = bw_smaller(mesh->low[a], bw_smaller(start, end));
            mesh->high[a] = bw_larger(mesh->high[a], bw_larger(start, end));
        }
    }
}

static BwResult make_room(BwWaterMesh *mesh, const BwFrameMesh *from, BwError *err)
{
    const BwAllocator *allocator = &mesh->allocator;
    int64_t vertices = from->vertex_count, triangles = from->triangle_count;
    BW_TRY(bw_reserve(allocator, (void **)&mesh->starts, &mesh->start_capacity, vertices,
                      sizeof *mesh->starts, err));
    BW_TRY(
        bw_reserve(allocator, (void **)&mesh->ends, &mesh->end_capacity, vertices, sizeof *mesh->ends, err));
    BW_TRY(bw_reserve(allocator, (void **)&mesh->normals, &mesh->normal_capacity, vertices,
                      sizeof *mesh->normals, err));
    BW_TRY(bw_reserve(allocator, (void **)&mesh->triangles, &mesh->triangle_capacity, triangles,
                      sizeof *mesh->triangles, err));
    return bw_reserve(allocator, (void **)&mesh->walls, &mesh->wall_capacity, triangles, sizeof *mesh->walls,
                      err);
}

static BwResult take_mesh(BwWaterMesh *mesh, BwPool *pool, const BwWaterMeshDef *def, const BwFrameMesh *from,
                          BwError *err)
{
    Job job = {.mesh = mesh, .def = def, .from = from, .half_shutter = 0.5f * def->shutter};
    BW_TRY(make_room(mesh, from, err));
    size_t size = (size_t)(from->triangle_count + from->vertex_count);
    job.lies = bw_alloc(&mesh->allocator, size, BW_ALIGN);
    if (job.lies == NULL)
        return bw_fail_memory(err);
    job.is_hidden = job.lies + from->triangle_count;
    job.velocities = def->shutter > 0.0f ? vectors_of(from, "velocity") : NULL;
    mesh->vertex_count = from->vertex_count;
    bw_parallel_for(pool, mesh->vertex_count, 4096, place_vertices, &job);
    bw_parallel_for(pool, from->triangle_count, 1024, sort_out, &job);
    add_normals(&job);
    mark_hidden(&job);
    bw_parallel_for(pool, mesh->vertex_count, 1024, hide_vertices, &job);
    keep_triangles(&job);
    find_bounds(mesh);
    bw_free(&mesh->allocator, job.lies, size, BW_ALIGN);
    BwRayMesh rays = {mesh->vertex_count, mesh->triangle_count, mesh->starts,
                      job.velocities != NULL ? mesh->ends : NULL, (const int32_t(*)[3])mesh->triangles};
    return mesh->triangle_count > 0 ? bw_mesh_rays_set(mesh->rays, &rays, err) : BW_OK;
}

BwResult bw_water_mesh_build(BwWaterMesh *mesh, BwPool *pool, const BwWaterMeshDef *def, BwError *err)
{
    bw_water_mesh_clear(mesh);
    if (mesh->surface == NULL)
        BW_TRY(bw_surface_create(&mesh->surface, &def->surface, err));
    if (mesh->rays == NULL)
        BW_TRY(bw_mesh_rays_create(&mesh->rays, &mesh->allocator, err));
    BwError why;
    const BwFrameMesh *from = bw_surface_mesh(mesh->surface, def->frame, &why);
    if (from == NULL)
        return bw_fail(err, why.code, "%s", why.message);
    return from->triangle_count > 0 ? take_mesh(mesh, pool, def, from, err) : BW_OK;
}

void bw_water_mesh_clear(BwWaterMesh *mesh)
{
    mesh->vertex_count = mesh->triangle_count = 0;
    if (mesh->rays != NULL)
        bw_mesh_rays_clear(mesh->rays);
}

void bw_water_mesh_free(BwWaterMesh *mesh)
{
    const BwAllocator *allocator = &mesh->allocator;
    bw_surface_destroy(mesh->surface);
    bw_mesh_rays_destroy(mesh->rays);
    bw_free(allocator, mesh->starts, (size_t)mesh->start_capacity * sizeof *mesh->starts, BW_ALIGN);
    bw_free(allocator, mesh->ends, (size_t)mesh->end_capacity * sizeof *mesh->ends, BW_ALIGN);
    bw_free(allocator, mesh->normals, (size_t)mesh->normal_capacity * sizeof *mesh->normals, BW_ALIGN);
    bw_free(allocator, mesh->triangles, (size_t)mesh->triangle_capacity * sizeof *mesh->triangles, BW_ALIGN);
    bw_free(allocator, mesh->walls, (size_t)mesh->wall_capacity * sizeof *mesh->walls, BW_ALIGN);
    *mesh = (BwWaterMesh){.allocator = *allocator};
}

static BwVec3 blend(const BwVec3 *values, const int32_t corners[3], const BwMeshHit *hit)
{
    return bw_add(bw_mul(values[corners[0]], 1.0f - hit->u - hit->v),
                  bw_add(bw_mul(values[corners[1]], hit->u), bw_mul(values[corners[2]], hit->v)));
}

static BwVec3 smooth_normal(const BwWaterMesh *mesh, const BwMeshHit *hit, BwVec3 ray)
{
    if (mesh->walls[hit->triangle] > 0)
        return wall_normal(mesh->walls[hit->triangle]);
    BwVec3 normal = blend(mesh->normals, mesh->triangles[hit->triangle], hit);
    if (!(bw_dot(normal, hit->normal) > 0.0f))
        return hit->normal;
    float side = bw_dot(hit->normal, ray) < 0.0f ? 1.0f : -1.0f;
    return bw_mul(bw_turn_off(bw_mul(bw_normalize(normal), side), bw_mul(hit->normal, side), ray), side);
}

bool bw_water_mesh_cross(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, float t_max,
                         float time, bool *is_inside, BwCrossing *crossing)
{
    BwMeshHit hit;
    if (mesh->triangle_count == 0 || !bw_mesh_rays_hit(mesh->rays, origin, direction, t_max, time, &hit)) {
        *is_inside = *is_inside && isfinite(t_max); // what has no end is not in a closed mesh
        return false;
    }
    *is_inside = bw_dot(hit.normal, direction) > 0.0f;
    crossing->t = hit.t;
    crossing->face = hit.normal;
    crossing->normal = smooth_normal(mesh, &hit, direction);
    return true;
}

bool bw_water_mesh_holds(const BwWaterMesh *mesh, const float place[3])
{
    BwMeshHit hit;
    const BwVec3 up = {0.0f, 1.0f, 0.0f};
    return mesh->triangle_count > 0 && bw_mesh_rays_hit(mesh->rays, place, up, INFINITY, 0.5f, &hit) &&
           hit.normal.y > 0.0f;
}

bool bw_water_mesh_is_beyond(const BwWaterMesh *mesh, const float place[3], float reach)
{
    return mesh->triangle_count == 0 ||
           (!bw_mesh_rays_is_near(mesh->rays, place, reach) && !bw_water_mesh_holds(mesh, place));
}

float bw_water_mesh_length(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, bool *is_inside)
{
    *is_inside = false;
    float at[3] = {origin[0], origin[1], origin[2]}, length = 0.0f;
    BwMeshHit hit;
    for (int n = 0; n < LENGTH_HITS && mesh->triangle_count > 0 &&
                    bw_mesh_rays_hit(mesh->rays, at, direction, INFINITY, 0.5f, &hit);
         n++) {
        bool is_exit = bw_dot(hit.normal, direction) > 0.0f;
        *is_inside |= n == 0 && is_exit;
        length += is_exit ? hit.t : 0.0f;
        at[0] += (hit.t + LENGTH_LIFT) * direction.x;
        at[1] += (hit.t + LENGTH_LIFT) * direction.y;
        at[2] += (hit.t + LENGTH_LIFT) * direction.z;
    }
    return length;
}

bool bw_water_mesh_may_hit(const BwWaterMesh *mesh, const float origin[3], BwVec3 direction, float spread)
{
    const float ray[3] = {direction.x, direction.y, direction.z};
    float middle[3], radius = 0.0f, along = 0.0f, away = 0.0f;
    if (mesh->triangle_count == 0)
        return false;
    for (int a = 0; a < 3; a++) {
        float half = 0.5f * (mesh->high[a] - mesh->low[a]);
        middle[a] = mesh->low[a] + half - origin[a];
        radius += half * half;
        along += middle[a] * ray[a];
        away += middle[a] * middle[a];
    }
    radius = sqrtf(radius) * 1.001f;
    float reach = radius + spread * bw_larger(along + radius, 0.0f);
    return away - along * along <= reach * reach && along > -radius;
}
