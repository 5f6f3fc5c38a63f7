// Listing, counting and making patches.
#include "mesh/patches.h"

#include "mesh/tiles_around.h"
#include "mesh/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { PATCH_GRAIN = 4 };

typedef struct Job {
    BwPatches *patches;
    const BwLevel *level;
    int nodes;    // of a tile along an axis
    int64_t rows; // of a patch
} Job;

static BwResult push_tile(BwPatches *patches, BwTileCoord tile, BwError *err)
{
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->reached, &patches->reached_capacity,
                      patches->reached_count + 1, sizeof *patches->reached, err));
    patches->reached[patches->reached_count++] = tile;
    return BW_OK;
}

// Liquid of a tile may show in those beside it that the frame does not have: behind walls and around
// splashes.
static void missing_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFrame *frame = job->level->frame;
    for (int64_t n = begin; n < end; n++) {
        int32_t found[27];
        uint32_t missing = 0;
        if (job->level->ranges[n][0] < 0.0f) {
            bw_tiles_around(frame, frame->tiles[n], found);
            for (int m = 0; m < 27; m++)
                missing |= (uint32_t)(found[m] < 0) << m;
        }
        job->patches->missing[n] = missing;
    }
}

static int order_of_tiles(const void *a, const void *b)
{
    const BwTileCoord *left = a, *right = b;
    return bw_tile_is_before(*left, *right) ? -1 : bw_tile_is_before(*right, *left) ? 1 : 0;
}

// The tiles that particles reach into, and those before them, whose cubes end at their nodes, as far as the
// frame does not have them.
static BwResult list_wrapped(const Job *job, BwError *err)
{
    const BwNearParticles *near = &job->level->wrap->kernels.near;
    for (int64_t n = 0; n < near->tile_count; n++) {
        int32_t found[27];
        BwTileCoord tile = near->tiles[n];
        bw_tiles_around(job->level->frame, tile, found);
        for (int s = 0; s < 8; s++) {
            BwTileCoord before = {tile.x - (s & 1), tile.y - (s >> 1 & 1), tile.z - (s >> 2)};
            if (found[13 - (s & 1) - 3 * (s >> 1 & 1) - 9 * (s >> 2)] < 0)
                BW_TRY(push_tile(job->patches, before, err));
        }
    }
    return BW_OK;
}

// All tiles that the liquid may reach into, sorted, some of them more than once.
static BwResult list_tiles(const Job *job, BwPool *pool, BwError *err)
{
    BwPatches *patches = job->patches;
    const BwFrame *frame = job->level->frame;
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->missing, &patches->missing_capacity,
                      frame->tile_count, sizeof *patches->missing, err));
    bw_parallel_for(pool, frame->tile_count, 64, missing_range, (void *)job);
    patches->reached_count = 0;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        BwTileCoord tile = frame->tiles[n];
        BW_TRY(push_tile(patches, tile, err));
        for (uint32_t bits = patches->missing[n]; bits != 0; bits &= bits - 1) {
            int m = __builtin_ctz(bits);
            BwTileCoord near = {tile.x + m % 3 - 1, tile.y + m / 3 % 3 - 1, tile.z + m / 9 - 1};
            BW_TRY(push_tile(patches, near, err));
        }
    }
    if (job->level->wrap != NULL)
        BW_TRY(list_wrapped(job, err));
    if (patches->reached_count > 0)
        qsort(patches->reached, (size_t)patches->reached_count, sizeof *patches->reached, order_of_tiles);
    return BW_OK;
}

static void may_cross_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwPatches *patches = job->patches;
    for (int64_t n = begin; n < end; n++) {
        bool is_again = n > 0 && !bw_tile_is_before(patches->reached[n - 1], patches->reached[n]);
        patches->may_cross[n] = !is_again && bw_tile_may_cross(job->level, patches->reached[n]);
    }
}

static BwResult list_patches(const Job *job, BwPool *pool, BwError *err)
{
    BwPatches *patches = job->patches;
    BW_TRY(list_tiles(job, pool, err));
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->may_cross, &patches->cross_capacity,
                      patches->reached_count, sizeof *patches->may_cross, err));
    bw_parallel_for(pool, patches->reached_count, 64, may_cross_range, (void *)job);
    patches->count = 0;
    for (int64_t n = 0; n < patches->reached_count; n++) {
        if (!patches->may_cross[n])
            continue;
        BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->list, &patches->capacity,
                          patches->count + 1, sizeof *patches->list, err));
        patches->list[patches->count++] = (BwPatch){.tile = patches->reached[n]};
    }
    return BW_OK;
}

static int64_t find_patch(const BwPatches *patches, BwTileCoord tile)
{
    int64_t low = 0, high = patches->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (bw_tile_is_before(patches->list[middle].tile, tile))
            low = middle + 1;
        else
            high = middle;
    }
    return low < patches->count && !bw_tile_is_before(tile, patches->list[low].tile) ? low : -1;
}

// Which cubes of a row of them the surface crosses, from the nodes of its four edges.
static uint64_t crossed_cubes(const BwNodeBlock *block, int j, int k)
{
    uint64_t a = block->inside[k][j], b = block->inside[k][j + 1], c = block->inside[k + 1][j],
             d = block->inside[k + 1][j + 1];
    uint64_t any = a | b | c | d, all = a & b & c & d, own = (UINT64_C(1) << (block->side - 1)) - 1;
    return (any | any >> 1) & ~(all & all >> 1) & own;
}

// The polygons of a cube: from the table, or into `own` where they depend on how far nodes are inside.
static const BwPolygons *find_polygons(const Job *job, const BwNodeBlock *block, const int cube[3],
                                       BwPolygons *own)
{
    int i = cube[0], j = cube[1], k = cube[2];
    unsigned inside = 0;
    for (int n = 0; n < 4; n++)
        inside |= (unsigned)(block->inside[k + (n >> 1)][j + (n & 1)] >> i & 3) << 2 * n;
    if (!job->patches->table.is_ambiguous[inside])
        return &job->patches->table.polygons[inside];
    float level[8];
    for (int c = 0; c < 8; c++)
        level[c] = bw_node_level(block, bw_node(block, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)));
    bw_cube_polygons(own, inside, level);
    return own;
}

// The rows of a patch with their ranks; gives how many crossings there are.
static int32_t find_crossings(const Job *job, const BwNodeBlock *block, int64_t number)
{
    int nodes = job->nodes;
    uint64_t *rows = job->patches->rows + number * job->rows, own = (UINT64_C(1) << nodes) - 1;
    uint32_t *ranks = job->patches->ranks + number * job->rows, count = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < nodes; k++)
            for (int j = 0; j < nodes; j++) {
                uint64_t here = block->inside[k][j];
                uint64_t next = axis == 0   ? here >> 1
                                : axis == 1 ? block->inside[k][j + 1]
                                            : block->inside[k + 1][j];
                int64_t row = ((int64_t)axis * nodes + k) * nodes + j;
                rows[row] = (here ^ next) & own;
                ranks[row] = count;
                count += (uint32_t)__builtin_popcountll(rows[row]);
            }
    return (int32_t)count;
}

static void count_triangles(const Job *job, const BwNodeBlock *block, BwPatch *patch)
{
    BwPolygons own;
    for (int k = 0; k + 1 < block->side; k++)
        for (int j = 0; j + 1 < block->side; j++)
            for (uint64_t bits = crossed_cubes(block, j, k); bits != 0; bits &= bits - 1) {
                const int cube[3] = {__builtin_ctzll(bits), j, k};
                const BwPolygons *polygons = find_polygons(job, block, cube, &own);
                for (int n = 0; n < polygons->count; n++) {
                    bool has_middle = bw_polygon_needs_middle(polygons->edges[n], polygons->sides[n]);
                    patch->vertex_count += has_middle;
                    patch->triangle_count += has_middle ? polygons->sides[n] : polygons->sides[n] - 2;
                }
            }
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Job *job = context;
    BwNodeBlock *block = &job->patches->blocks[worker];
    for (int64_t n = begin; n < end; n++) {
        BwPatch *patch = &job->patches->list[n];
        bw_node_block_set(block, patch->tile);
        patch->crossing_count = patch->vertex_count = find_crossings(job, block, n);
        for (int side = 0; side < 8; side++)
            patch->beside[side] = find_patch(job->patches, (BwTileCoord){patch->tile.x + (side & 1),
                                                                         patch->tile.y + (side >> 1 & 1),
                                                                         patch->tile.z + (side >> 2)});
        count_triangles(job, block, patch);
    }
}

// The vertex on an edge of the lattice that crosses the surface; its node may be of a tile after this one.
static int32_t vertex_of_edge(const Job *job, const BwPatch *patch, const int at[3], int axis)
{
    int nodes = job->nodes;
    int side = (at[0] >= nodes) | (at[1] >= nodes) << 1 | (at[2] >= nodes) << 2;
    int64_t number = patch->beside[side];
    BW_ASSERT(number >= 0);
    int i = side & 1 ? at[0] - nodes : at[0], j = side & 2 ? at[1] - nodes : at[1],
        k = side & 4 ? at[2] - nodes : at[2];
    int64_t row = number * job->rows + ((int64_t)axis * nodes + k) * nodes + j;
    uint64_t before = job->patches->rows[row] & ((UINT64_C(1) << i) - 1);
    return (int32_t)(job->patches->list[number].first_vertex + job->patches->ranks[row] +
                     __builtin_popcountll(before));
}

static void make_crossings(const Job *job, const BwNodeBlock *block, int64_t number)
{
    BwPatches *patches = job->patches;
    int64_t at = patches->list[number].first_vertex;
    const uint64_t *row = patches->rows + number * job->rows;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < job->nodes; k++)
            for (int j = 0; j < job->nodes; j++, row++)
                for (uint64_t bits = *row; bits != 0; bits &= bits - 1) {
                    const int node[3] = {__builtin_ctzll(bits), j, k};
                    BwVertex vertex = bw_node_crossing(block, node, axis);
                    patches->places[at] = vertex.place;
                    if (vertex.hold & BW_ON_SOLID)
                        patches->solid_normals[at] = vertex.normal;
                    patches->holds[at++] = vertex.hold;
                }
}

// Where the next triangle and the next vertex in the middle of a polygon go.
typedef struct Cursor {
    int64_t triangle, middle;
} Cursor;

// The corners of a polygon: numbers of its vertices, and where they are.
typedef struct Corners {
    int32_t vertex[BW_POLYGON_SIDES_MAX];
    BwVec3 place[BW_POLYGON_SIDES_MAX], normal[BW_POLYGON_SIDES_MAX];
    uint8_t hold[BW_POLYGON_SIDES_MAX];
} Corners;

// A vertex in the middle stays on what all its corners are on.
static int32_t make_middle(const Job *job, const Corners *corners, int sides, Cursor *cursor)
{
    BwVec3 sum = bw_vec3(0.0f, 0.0f, 0.0f), normal = sum;
    unsigned hold = 0xff;
    for (int n = 0; n < sides; n++) {
        sum = bw_add(sum, corners->place[n]);
        normal = bw_add(normal, corners->normal[n]);
        hold &= corners->hold[n];
    }
    if (hold & BW_ON_SOLID)
        job->patches->solid_normals[cursor->middle] = bw_normalize(normal);
    job->patches->places[cursor->middle] = bw_mul(sum, 1.0f / (float)sides);
    job->patches->holds[cursor->middle] = (uint8_t)hold;
    return (int32_t)cursor->middle++;
}

static void push_triangle(const Job *job, Cursor *cursor, int32_t a, int32_t b, int32_t c)
{
    int32_t *triangle = job->patches->triangles[cursor->triangle++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static void make_polygon(const Job *job, const int8_t *edges, const Corners *corners, int sides,
                         Cursor *cursor)
{
    const int32_t *vertex = corners->vertex;
    int apex = sides == 3 ? 0 : bw_polygon_apex(edges, sides, corners->place);
    if (apex < 0) {
        int32_t middle = make_middle(job, corners, sides, cursor);
        for (int n = 0; n < sides; n++)
            push_triangle(job, cursor, middle, vertex[n], vertex[(n + 1) % sides]);
        return;
    }
    for (int n = 1; n + 1 < sides; n++)
        push_triangle(job, cursor, vertex[apex], vertex[(apex + n) % sides], vertex[(apex + n + 1) % sides]);
}

// Vertices of the patch are made by now; those of the tiles after it may not be, and are made again.
static void set_corner(const Job *job, const BwNodeBlock *block, const int at[3], int axis, Corners *corners,
                       int corner)
{
    const BwPatches *patches = job->patches;
    int32_t n = corners->vertex[corner];
    BwVertex vertex;
    if (at[0] >= job->nodes || at[1] >= job->nodes || at[2] >= job->nodes)
        vertex = bw_node_crossing(block, at, axis);
    else {
        vertex = (BwVertex){.place = patches->places[n], .hold = patches->holds[n]};
        if (vertex.hold & BW_ON_SOLID)
            vertex.normal = patches->solid_normals[n];
    }
    corners->place[corner] = vertex.place;
    corners->normal[corner] = vertex.normal;
    corners->hold[corner] = vertex.hold;
}

static void make_cube(const Job *job, const BwNodeBlock *block, const BwPatch *patch, const int cube[3],
                      Cursor *cursor)
{
    BwPolygons own;
    Corners corners;
    const BwPolygons *polygons = find_polygons(job, block, cube, &own);
    for (int n = 0; n < polygons->count; n++) {
        for (int s = 0; s < polygons->sides[n]; s++) {
            int edge = polygons->edges[n][s], corner = bw_edge_corner[edge];
            const int at[3] = {cube[0] + (corner & 1), cube[1] + (corner >> 1 & 1), cube[2] + (corner >> 2)};
            corners.vertex[s] = vertex_of_edge(job, patch, at, edge / 4);
            if (polygons->sides[n] > 3) // there is one way to make a triangle
                set_corner(job, block, at, edge / 4, &corners, s);
        }
        make_polygon(job, polygons->edges[n], &corners, polygons->sides[n], cursor);
    }
}

static void make_triangles(const Job *job, const BwNodeBlock *block, const BwPatch *patch)
{
    Cursor cursor = {patch->first_triangle, patch->first_vertex + patch->crossing_count};
    for (int k = 0; k < job->nodes; k++)
        for (int j = 0; j < job->nodes; j++)
            for (uint64_t bits = crossed_cubes(block, j, k); bits != 0; bits &= bits - 1)
                make_cube(job, block, patch, (const int[3]){__builtin_ctzll(bits), j, k}, &cursor);
}

static void make_range(int64_t begin, int64_t end, int worker, void *context)
{
    const Job *job = context;
    BwNodeBlock *block = &job->patches->blocks[worker];
    for (int64_t n = begin; n < end; n++) {
        const BwPatch *patch = &job->patches->list[n];
        if (patch->triangle_count + patch->vertex_count == 0)
            continue;
        bw_node_block_set(block, patch->tile);
        make_crossings(job, block, n);
        make_triangles(job, block, patch);
    }
}

// Where each patch begins in the mesh.
static BwResult number_patches(BwPatches *patches, BwError *err)
{
    patches->vertex_count = patches->triangle_count = 0;
    for (int64_t n = 0; n < patches->count; n++) {
        BwPatch *patch = &patches->list[n];
        patch->first_vertex = patches->vertex_count;
        patch->first_triangle = patches->triangle_count;
        patches->vertex_count += patch->vertex_count;
        patches->triangle_count += patch->triangle_count;
    }
    if (patches->vertex_count > INT32_MAX / 8 || patches->triangle_count > INT32_MAX / 8)
        return bw_fail(err, BW_ERR_DEF,
                       "the mesh would have %lld triangles, more than %d; a lower resolution has fewer",
                       (long long)patches->triangle_count, INT32_MAX / 8);
    return BW_OK;
}

static BwResult reserve_rows(BwPatches *patches, int64_t rows, BwError *err)
{
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->rows, &patches->row_capacity,
                      patches->count * rows, sizeof *patches->rows, err));
    return bw_reserve(&patches->allocator, (void **)&patches->ranks, &patches->rank_capacity,
                      patches->count * rows, sizeof *patches->ranks, err);
}

static BwResult reserve_mesh(BwPatches *patches, bool has_solids, BwError *err)
{
    const BwAllocator *allocator = &patches->allocator;
    if (has_solids)
        BW_TRY(bw_reserve(allocator, (void **)&patches->solid_normals, &patches->normal_capacity,
                          patches->vertex_count, sizeof *patches->solid_normals, err));
    BW_TRY(bw_reserve(allocator, (void **)&patches->places, &patches->place_capacity, patches->vertex_count,
                      sizeof *patches->places, err));
    BW_TRY(bw_reserve(allocator, (void **)&patches->holds, &patches->hold_capacity, patches->vertex_count,
                      sizeof *patches->holds, err));
    return bw_reserve(allocator, (void **)&patches->triangles, &patches->triangle_capacity,
                      patches->triangle_count, sizeof *patches->triangles, err);
}

// A block of nodes for each worker.
static BwResult reserve_blocks(BwPatches *patches, const BwLevel *level, BwPool *pool, BwError *err)
{
    int workers = bw_pool_worker_count(pool);
    int64_t floats = bw_node_block_floats(level->lattice->refine);
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->blocks, &patches->block_capacity, workers,
                      sizeof *patches->blocks, err));
    BW_TRY(bw_reserve(&patches->allocator, (void **)&patches->floats, &patches->float_capacity,
                      workers * floats, sizeof *patches->floats, err));
    for (int n = 0; n < workers; n++)
        bw_node_block_create(&patches->blocks[n], level, patches->floats + n * floats);
    return BW_OK;
}

BwResult bw_patches_make(BwPatches *patches, const BwLevel *level, BwPool *pool, BwError *err)
{
    int nodes = level->lattice->nodes;
    Job job = {patches, level, nodes, (int64_t)3 * nodes * nodes};
    patches->lattice = level->lattice;
    bw_cube_table_fill(&patches->table);
    BW_TRY(list_patches(&job, pool, err));
    BW_TRY(reserve_blocks(patches, level, pool, err));
    BW_TRY(reserve_rows(patches, job.rows, err));
    bw_parallel_for(pool, patches->count, PATCH_GRAIN, count_range, &job);
    BW_TRY(number_patches(patches, err));
    BW_TRY(reserve_mesh(patches, level->frame->solid_count > 0, err));
    bw_parallel_for(pool, patches->count, PATCH_GRAIN, make_range, &job);
    return BW_OK;
}

void bw_patches_free(BwPatches *patches)
{
    const BwAllocator *allocator = &patches->allocator;
    bw_free(allocator, patches->list, (size_t)patches->capacity * sizeof *patches->list, BW_ALIGN);
    bw_free(allocator, patches->rows, (size_t)patches->row_capacity * sizeof *patches->rows, BW_ALIGN);
    bw_free(allocator, patches->ranks, (size_t)patches->rank_capacity * sizeof *patches->ranks, BW_ALIGN);
    bw_free(allocator, patches->missing, (size_t)patches->missing_capacity * sizeof *patches->missing,
            BW_ALIGN);
    bw_free(allocator, patches->may_cross, (size_t)patches->cross_capacity * sizeof *patches->may_cross,
            BW_ALIGN);
    bw_free(allocator, patches->reached, (size_t)patches->reached_capacity * sizeof *patches->reached,
            BW_ALIGN);
    bw_free(allocator, patches->blocks, (size_t)patches->block_capacity * sizeof *patches->blocks, BW_ALIGN);
    bw_free(allocator, patches->floats, (size_t)patches->float_capacity * sizeof *patches->floats, BW_ALIGN);
    bw_free(allocator, patches->places, (size_t)patches->place_capacity * sizeof *patches->places, BW_ALIGN);
    bw_free(allocator, patches->holds, (size_t)patches->hold_capacity * sizeof *patches->holds, BW_ALIGN);
    bw_free(allocator, patches->solid_normals,
            (size_t)patches->normal_capacity * sizeof *patches->solid_normals, BW_ALIGN);
    bw_free(allocator, patches->triangles, (size_t)patches->triangle_capacity * sizeof *patches->triangles,
            BW_ALIGN);
    *patches = (BwPatches){.allocator = patches->allocator};
}
