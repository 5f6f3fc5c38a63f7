// Cubes that the surface passes through are found by halving a box around the shape; a cube farther from the
// surface than its own half diagonal has none of it. Each is cut into simplices along its diagonal, in which
// the distance is taken to be linear.
#include "solid/surface_patches.h"

#include <math.h>
#include <stdlib.h>

// Distances of combined shapes and of files may be a little too long.
static const float distance_slack = 1.1f;

// Halvings of the box, so that cubes are counted by int32_t.
enum { HALVINGS_MAX = 24 };

typedef struct Cutter {
    BwSurfacePatches *patches;
    const BwShape *shape;
    int dimension;
    float spacing;
} Cutter;

typedef struct Corner {
    BwVec3 place;
    float phi;
} Corner;

static BwVec3 lattice_point(const Cutter *cutter, const int32_t cube[3], float share)
{
    float s = cutter->spacing;
    return bw_vec3(s * ((float)cube[0] + share), s * ((float)cube[1] + share),
                   cutter->dimension == 3 ? s * ((float)cube[2] + share) : 0.0f);
}

static BwVec3 crossing(const Corner *inside, const Corner *outside)
{
    float t = inside->phi / (inside->phi - outside->phi);
    return bw_add(inside->place, bw_mul(bw_sub(outside->place, inside->place), t));
}

// Adds a triangle, or in 2-D a line (c is not looked at), whose normal points `out`.
static void add_piece(const Cutter *cutter, BwSurfacePatch *patch, BwVec3 a, BwVec3 b, BwVec3 c, BwVec3 out)
{
    BwVec3 along = bw_sub(b, a);
    BwVec3 normal = cutter->dimension == 3 ? bw_mul(bw_cross(along, bw_sub(c, a)), 0.5f)
                                           : bw_vec3(along.y, -along.x, 0.0f);
    BwVec3 middle =
        cutter->dimension == 3 ? bw_mul(bw_add(bw_add(a, b), c), 1.0f / 3.0f) : bw_mul(bw_add(a, b), 0.5f);
    float area = bw_length(normal);
    patch->area += area;
    patch->place = bw_add(patch->place, bw_mul(middle, area));
    patch->normal = bw_add(patch->normal, bw_mul(normal, bw_dot(normal, out) < 0.0f ? -1.0f : 1.0f));
}

// One corner on one side, all others on the other; or two and two.
static void cut_simplex(const Cutter *cutter, const Corner corners[4], BwSurfacePatch *patch)
{
    const Corner *in[4], *out[4];
    int in_count = 0, out_count = 0, all = cutter->dimension + 1;
    for (int n = 0; n < all; n++)
        if (corners[n].phi < 0.0f)
            in[in_count++] = &corners[n];
        else
            out[out_count++] = &corners[n];
    if (in_count == 0 || out_count == 0)
        return;
    BwVec3 way = bw_sub(out[0]->place, in[0]->place), cut[4];
    int count = 0;
    for (int n = 0; n < in_count; n++) // around a quadrangle
        for (int m = 0; m < out_count; m++)
            cut[count++] = crossing(in[n], out[n == 0 ? m : out_count - 1 - m]);
    add_piece(cutter, patch, cut[0], cut[1], cut[2 % count], way);
    if (count == 4)
        add_piece(cutter, patch, cut[2], cut[3], cut[0], way);
}

static const unsigned char orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static BwResult keep_patch(BwSurfacePatches *patches, BwSurfacePatch patch, BwError *err)
{
    if (!(patch.area > 0.0f) || !(bw_length(patch.normal) > 0.0f))
        return BW_OK;
    void *list = patches->list;
    BW_TRY(bw_reserve(&patches->allocator, &list, &patches->capacity, patches->count + 1,
                      sizeof *patches->list, err));
    patches->list = list;
    patch.place = bw_mul(patch.place, 1.0f / patch.area);
    patch.normal = bw_normalize(patch.normal);
    patches->list[patches->count++] = patch;
    return BW_OK;
}

static BwResult cut_cube(const Cutter *cutter, const int32_t cube[3], BwError *err)
{
    Corner corners[8];
    BwSurfacePatch patch = {.cube = {cube[0], cube[1], cube[2]}};
    for (int n = 0; n < 1 << cutter->dimension; n++) {
        int32_t at[3] = {cube[0] + (n & 1), cube[1] + (n >> 1 & 1), cube[2] + (n >> 2)};
        corners[n].place = lattice_point(cutter, at, 0.0f);
        corners[n].phi = bw_shape_distance(cutter->shape, corners[n].place);
    }
    for (int order = 0; order < (cutter->dimension == 3 ? 6 : 2); order++) {
        Corner simplex[4] = {corners[0]};
        for (int n = 0, at = 0; n < cutter->dimension; n++) {
            at |= 1 << orders[order][n];
            simplex[n + 1] = corners[at];
        }
        cut_simplex(cutter, simplex, &patch);
    }
    return keep_patch(cutter->patches, patch, err);
}

static BwResult search_cube(const Cutter *cutter, const int32_t cube[3], int halvings, BwError *err)
{
    if (halvings == 0)
        return cut_cube(cutter, cube, err);
    float half = 0.5f * (float)(1 << halvings);
    BwVec3 middle = lattice_point(cutter, cube, half);
    float reach = half * cutter->spacing * sqrtf((float)cutter->dimension) * distance_slack;
    if (fabsf(bw_shape_distance(cutter->shape, middle)) > reach)
        return BW_OK;
    for (int n = 0; n < 1 << cutter->dimension; n++) {
        int32_t part[3];
        for (int a = 0; a < 3; a++)
            part[a] = cube[a] + ((n >> a & 1) << (halvings - 1));
        BW_TRY(search_cube(cutter, part, halvings - 1, err));
    }
    return BW_OK;
}

static int compare_cubes(const int32_t a[3], const int32_t b[3])
{
    for (int n = 2; n >= 0; n--)
        if (a[n] != b[n])
            return a[n] < b[n] ? -1 : 1;
    return 0;
}

static int compare_patches(const void *a, const void *b)
{
    return compare_cubes(((const BwSurfacePatch *)a)->cube, ((const BwSurfacePatch *)b)->cube);
}

static BwResult add_neighbours(BwSurfacePatches *patches, int64_t n, BwError *err)
{
    for (int m = 0; m < 27; m++) {
        const int32_t *cube = patches->list[n].cube;
        BwSurfacePatch key = {.cube = {cube[0] + m % 3 - 1, cube[1] + m / 3 % 3 - 1, cube[2] + m / 9 - 1}};
        const BwSurfacePatch *found =
            bsearch(&key, patches->list, (size_t)patches->count, sizeof *patches->list, compare_patches);
        if (found == NULL || m == 13)
            continue;
        void *beside = patches->beside;
        BW_TRY(bw_reserve(&patches->allocator, &beside, &patches->beside_capacity, patches->beside_count + 1,
                          sizeof *patches->beside, err));
        patches->beside = beside;
        patches->beside[patches->beside_count++] = (int32_t)(found - patches->list);
    }
    return BW_OK;
}

static BwResult join_neighbours(BwSurfacePatches *patches, BwError *err)
{
    patches->first =
        bw_alloc(&patches->allocator, (size_t)(patches->count + 1) * sizeof *patches->first, BW_ALIGN);
    if (patches->first == NULL)
        return bw_fail_memory(err);
    for (int64_t n = 0; n < patches->count; n++) {
        patches->first[n] = patches->beside_count;
        BW_TRY(add_neighbours(patches, n, err));
    }
    patches->first[patches->count] = patches->beside_count;
    return BW_OK;
}

BwResult bw_surface_patches_create(BwSurfacePatches *patches, const BwShape *shape, int dimension,
                                   float spacing, BwAllocator allocator, BwError *err)
{
    BwBox box = bw_shape_bounds(shape);
    Cutter cutter = {patches, shape, dimension, spacing};
    int32_t low[3] = {0};
    int halvings = 0;
    *patches = (BwSurfacePatches){.allocator = allocator};
    for (int a = 0; a < dimension && !bw_box_is_empty(box); a++) {
        float from = bw_component(box.low, a) / spacing, to = bw_component(box.high, a) / spacing;
        low[a] = (int32_t)floorf(from) - 1;
        while (halvings < HALVINGS_MAX && (float)(1 << halvings) < to - (float)low[a] + 1.0f)
            halvings++;
    }
    if (!bw_box_is_empty(box))
        BW_TRY(search_cube(&cutter, low, halvings, err));
    if (patches->count > 0)
        qsort(patches->list, (size_t)patches->count, sizeof *patches->list, compare_patches);
    return join_neighbours(patches, err);
}

void bw_surface_patches_destroy(BwSurfacePatches *patches)
{
    const BwAllocator *allocator = &patches->allocator;
    if (patches->first != NULL)
        bw_free(allocator, patches->first, (size_t)(patches->count + 1) * sizeof *patches->first, BW_ALIGN);
    bw_free(allocator, patches->list, (size_t)patches->capacity * sizeof *patches->list, BW_ALIGN);
    bw_free(allocator, patches->beside, (size_t)patches->beside_capacity * sizeof *patches->beside, BW_ALIGN);
    *patches = (BwSurfacePatches){0};
}

float bw_patch_curvature(const BwSurfacePatches *patches, int64_t n)
{
    const BwSurfacePatch *patch = &patches->list[n];
    double turned = 0.0, length2 = 0.0;
    for (int64_t m = patches->first[n]; m < patches->first[n + 1]; m++) {
        const BwSurfacePatch *other = &patches->list[patches->beside[m]];
        BwVec3 way = bw_sub(other->place, patch->place);
        turned += (double)bw_dot(bw_sub(other->normal, patch->normal), way);
        length2 += (double)bw_dot(way, way);
    }
    return length2 > 0.0 ? (float)(turned / length2) : 0.0f;
}
