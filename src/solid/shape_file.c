// From the path of a file to something that can be measured.
#include "solid/shape_file.h"

#include "base/checksum.h"
#include "base/file.h"
#include "base/need.h"
#include "solid/heights.h"
#include "solid/local_thickness.h"
#include "solid/points_wrap.h"
#include "solid/smooth_distance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)

static bool has_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot + 1, ending) == 0;
}

static BwResult read_mesh(BwMesh *mesh, const char *path, const BwFileBytes *bytes, BwError *err)
{
    if (has_ending(path, "obj"))
        return bw_mesh_read_obj(mesh, bytes, err);
    if (has_ending(path, "ply"))
        return bw_mesh_read_ply(mesh, bytes, err);
    if (has_ending(path, "stl"))
        return bw_mesh_read_stl(mesh, bytes, err);
    return bw_mesh_read_assimp(mesh, path, err);
}

// Balls stand about points: triangles of three equal corners.
static BwResult read_points(BwMesh *mesh, const char *path, const BwFileBytes *bytes, BwError *err)
{
    BW_TRY(has_ending(path, "ply") ? bw_mesh_read_ply(mesh, bytes, err) : bw_mesh_read_xyz(mesh, bytes, err));
    mesh->triangle_count = 0;
    for (int32_t n = 0; n < mesh->point_count; n++)
        BW_TRY(bw_mesh_add_triangle(mesh, n, n, n, err));
    return BW_OK;
}

BwResult bw_shape_file_read(BwMesh *mesh, const BwShape *shape, const char *path, const BwFileBytes *bytes,
                            BwError *err)
{
    switch (shape->kind) {
    case BW_SHAPE_HEIGHTMAP:
        return bw_mesh_read_heights(mesh, bytes, shape->height / shape->factor, shape->detail / shape->factor,
                                    err);
    case BW_SHAPE_VOXELS:
        return bw_mesh_read_voxels(mesh, bytes, shape->threshold, err);
    case BW_SHAPE_POINTS:
        return read_points(mesh, path, bytes, err);
    case BW_SHAPE_WRAPPED:
        BW_TRY(read_points(mesh, path, bytes, err));
        return bw_points_wrap(mesh, shape->radius / shape->factor, err);
    default:
        return read_mesh(mesh, path, bytes, err);
    }
}

static bool is_sheet(const BwShape *shape)
{
    return shape->kind == BW_SHAPE_POINTS || shape->thickness > 0.0f;
}

// To a frame where the whole has size one.
static void move_to_middle(BwShapeFile *file, BwMesh *mesh)
{
    BwBox box = {mesh->points[0], mesh->points[0]};
    for (int64_t n = 0; n < mesh->triangle_count; n++)
        for (int c = 0; c < 3; c++) {
            BwVec3 point = mesh->points[mesh->triangles[n].corner[c]];
            box = n == 0 && c == 0 ? (BwBox){point, point} : bw_box_union(box, (BwBox){point, point});
        }
    BwVec3 half = bw_sub(bw_mul(box.high, 0.5f), bw_mul(box.low, 0.5f));
    float reach = fmaxf(half.x, fmaxf(half.y, half.z));
    file->bounds = box;
    file->middle = bw_add(bw_mul(box.high, 0.5f), bw_mul(box.low, 0.5f));
    file->unit = reach > 0.0f ? 2.0f * reach : 1.0f;
    for (int64_t n = 0; n < mesh->point_count; n++)
        mesh->points[n] = bw_mul(bw_sub(mesh->points[n], file->middle), 1.0f / file->unit);
}

static void add_warning(BwShapeFile *file, int64_t count, const char *what)
{
    size_t length = strlen(file->warning);
    if (count > 0)
        snprintf(file->warning + length, sizeof file->warning - length, "%s%lld %s", length > 0 ? ", " : "",
                 (long long)count, what);
}

static void tell_report(BwShapeFile *file, const BwMeshReport *report, bool has_inside)
{
    add_warning(file, report->without_area, "triangles without area, left out");
    add_warning(file, report->doubled, "triangles that are there twice, left out");
    add_warning(file, report->turned, "triangles that faced the wrong way, turned");
    add_warning(file, report->crowded_edges, "edges with more than two triangles");
    if (has_inside)
        add_warning(file, report->open_edges,
                    "open edges: holes are taken as closed; thickness makes sheets of it");
}

// What a file must have one of at least.
static const char *contents_of(BwShapeKind kind)
{
    return kind == BW_SHAPE_POINTS || kind == BW_SHAPE_WRAPPED ? "points"
           : kind == BW_SHAPE_VOXELS                           ? "full voxels"
                                                               : "triangles";
}

static BwResult measure(BwShapeFile *file, BwMesh *mesh, const BwShape *shape, BwTask *task, BwError *err)
{
    BwMeshReport report = {0};
    bool has_inside = !is_sheet(shape),
         is_mesh = shape->kind == BW_SHAPE_MESH || shape->kind == BW_SHAPE_WRAPPED;
    if (mesh->triangle_count == 0)
        return bw_fail(err, BW_ERR_FORMAT, "%s holds no %s", mesh->name, contents_of(shape->kind));
    move_to_middle(file, mesh);
    if (is_mesh)
        BW_TRY(bw_mesh_mend(mesh, &report, err));
    if (mesh->triangle_count == 0)
        return bw_fail(err, BW_ERR_FORMAT, "%s holds no triangle that has an area", mesh->name);
    tell_report(file, &report, has_inside);
    BW_TRY(bw_triangle_tree_create(&file->tree, mesh, err));
    if (has_inside)
        BW_TRY(bw_triangle_tree_smooth(&file->tree, mesh, err));
    bool is_closed = report.open_edges == 0 && report.crowded_edges == 0; // as ground and voxels are made
    BwDistanceGridDef grid = {&file->tree, 64, 2, has_inside, is_closed, task, 0.1, 0.8};
    BwDistanceGridDef wide = {&file->tree, 40, 15, false, is_closed, task, 0.9, 0.1};
    BW_TRY(bw_distance_grid_create(&file->grid, &grid, err));
    BW_TRY(bw_smooth_distance_find(&file->grid, &grid, err));
    BW_TRY(bw_local_thickness_find(&file->grid, &grid, err));
    return bw_distance_grid_create(&file->wide, &wide, err);
}

static BwResult read_and_measure(BwShapeFile *file, const BwShape *shape, const char *path, BwTask *task,
                                 BwError *err)
{
    BwFileBytes bytes = {.name = path};
    char *content;
    BW_TRY(bw_file_read(&file->allocator, path, FILE_BYTES_MAX, &content, &bytes.size, err));
    bytes.bytes = content;
    BwMesh mesh = {.allocator = file->allocator, .name = path};
    file->hash = bw_mix_bytes(0, content, bytes.size);
    BwResult result = bw_shape_file_read(&mesh, shape, path, &bytes, err);
    // A file may point to others.
    if (result == BW_OK && mesh.point_count > 0)
        file->hash = bw_mix_bytes(file->hash, mesh.points, (size_t)mesh.point_count * sizeof *mesh.points);
    bw_free(&file->allocator, content, bytes.size + 1, BW_ALIGN);
    if (result == BW_OK)
        result = bw_task_go_on(task, 0.05, err);
    if (result == BW_OK)
        result = measure(file, &mesh, shape, task, err);
    bw_mesh_free(&mesh);
    return result;
}

BwResult bw_shape_file_load(BwShapeFile **out, const BwShape *shape, const char *path,
                            const BwAllocator *allocator, BwError *err)
{
    return bw_shape_file_load_watched(out, shape, path, allocator, NULL, err);
}

BwResult bw_shape_file_load_watched(BwShapeFile **out, const BwShape *shape, const char *path,
                                    const BwAllocator *allocator, const BwWatch *watch, BwError *err)
{
    BW_TRY(bw_need(out, "the place for the file", err));
    *out = NULL;
    BW_TRY(bw_need(shape, "the shape", err));
    BW_TRY(bw_need(path, "the path of the shape's file", err));
    bool has_file = shape->kind >= BW_SHAPE_MESH && shape->kind <= BW_SHAPE_POINTS;
    if (!has_file)
        return bw_fail(err, BW_ERR_DEF, "the shape is of kind %d, which has no file", (int)shape->kind);
    BwTask task = bw_task(watch != NULL ? *watch : (BwWatch){0}, "reading %s", path);
    BwAllocator own = bw_allocator_or_default(allocator != NULL ? *allocator : (BwAllocator){0});
    BwShapeFile *file = bw_alloc_zeroed(&own, sizeof *file, BW_ALIGN);
    if (file == NULL)
        return bw_fail_memory(err);
    atomic_init(&file->owners, 1);
    file->allocator = file->tree.allocator = file->grid.allocator = file->wide.allocator = own;
    BwResult result = read_and_measure(file, shape, path, &task, err);
    if (result != BW_OK)
        bw_shape_file_destroy(file);
    else
        *out = file;
    return result;
}

BwShapeFile *bw_shape_file_share(const BwShapeFile *file)
{
    BwShapeFile *shared = (BwShapeFile *)(uintptr_t)file; // only the count of its owners changes
    if (shared != NULL)
        atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void bw_shape_file_destroy(BwShapeFile *file)
{
    if (file == NULL || atomic_fetch_sub(&file->owners, 1) > 1)
        return;
    BwAllocator allocator = file->allocator;
    bw_distance_grid_destroy(&file->grid);
    bw_distance_grid_destroy(&file->wide);
    bw_triangle_tree_destroy(&file->tree);
    bw_free(&allocator, file, sizeof *file, BW_ALIGN);
}

uint64_t bw_shape_file_hash(const BwShapeFile *file)
{
    return file != NULL ? file->hash : 0;
}

static size_t grid_bytes(const BwDistanceGrid *grid)
{
    size_t nodes = (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
    return nodes * sizeof *grid->values +
           (grid->sides != NULL ? (size_t)(BW_TREE_WIDTH * grid->tree->pack_count) : 0) +
           (grid->thick != NULL ? bw_distance_grid_thick_bytes(grid) : 0) +
           (grid->kinds != NULL ? nodes * (sizeof *grid->kinds + sizeof *grid->bent) : 0);
}

size_t bw_shape_file_bytes(const BwShapeFile *file)
{
    if (file == NULL)
        return 0;
    const BwTriangleTree *tree = &file->tree;
    return sizeof *file + (size_t)tree->node_capacity * sizeof *tree->nodes +
           (size_t)tree->dipole_capacity * sizeof *tree->dipoles +
           (size_t)tree->pack_capacity * sizeof *tree->packs +
           (tree->normals != NULL ? (size_t)tree->triangle_count * sizeof *tree->normals : 0) +
           grid_bytes(&file->grid) + grid_bytes(&file->wide);
}

const char *bw_shape_file_warning(const BwShapeFile *file)
{
    return file != NULL && file->warning[0] != '\0' ? file->warning : NULL;
}

static BwVec3 to_tree(const BwShapeFile *file, BwVec3 point)
{
    return bw_mul(bw_sub(point, file->middle), 1.0f / file->unit);
}

float bw_shape_file_distance(const BwShapeFile *file, BwVec3 point)
{
    BwVec3 at = to_tree(file, point);
    float distance;
    if (!bw_distance_grid_at(&file->grid, at, &distance) && !bw_distance_grid_at(&file->wide, at, &distance))
        distance = bw_triangle_tree_nearest(&file->tree, at, INFINITY).distance;
    return file->unit * distance;
}

// Beyond the close grid the box around all triangles bounds the distance as well, and better where it is
// near; but not where the distance is no more than a value between far nodes.
BwDistanceBounds bw_shape_file_distance_bounds(const BwShapeFile *file, BwVec3 point)
{
    BwVec3 at = to_tree(file, point);
    BwDistanceBounds span = {0.0f, INFINITY};
    if (!bw_distance_grid_bounds_at(&file->grid, at, &span)) {
        float outside = bw_triangle_tree_outside(&file->tree, at);
        if (!bw_distance_grid_bounds_at(&file->wide, at, &span) || span.low < span.high)
            span.low = fmaxf(span.low, outside);
    }
    return (BwDistanceBounds){file->unit * span.low, file->unit * span.high};
}

bool bw_shape_file_slope(const BwShapeFile *file, BwVec3 point, BwVec3 *slope, float *distance)
{
    if (!bw_distance_grid_slope(&file->grid, to_tree(file, point), slope, distance))
        return false;
    *distance *= file->unit;
    return true;
}

bool bw_shape_file_normal(const BwShapeFile *file, BwVec3 point, float bound, BwVec3 *normal)
{
    return bw_triangle_tree_normal(&file->tree, to_tree(file, point), bound / file->unit, normal);
}

// Grids tell without asking the tree where all is far.
float bw_shape_file_gap(const BwShapeFile *file, BwVec3 point, float bound)
{
    BwVec3 at = to_tree(file, point);
    BwDistanceBounds span = {0.0f, INFINITY};
    float most = bound / file->unit;
    if ((bw_distance_grid_bounds_at(&file->grid, at, &span) ||
         bw_distance_grid_bounds_at(&file->wide, at, &span)) &&
        span.low >= most)
        return file->unit * span.low;
    return file->unit * bw_triangle_tree_nearest(&file->tree, at, most).distance;
}

float bw_shape_file_meet(const BwShapeFile *file, BwVec3 from, BwVec3 to)
{
    return bw_triangle_tree_meet(&file->tree, to_tree(file, from), to_tree(file, to));
}
