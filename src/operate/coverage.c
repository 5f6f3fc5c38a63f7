// Distances become volume fractions; those of still shapes are kept in a list that is sorted like the grid's
// tiles.
#include "operate/coverage.h"

#include "solid/same_shape.h"
#include "solid/shape_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Distance to what is stamped: the shape, or the shell around it.
float bw_stamp_distance(const BwStamp *stamp, BwVec3 point)
{
    BwVec3 local = bw_pose_to_local(stamp->pose, point);
    float distance = bw_shape_plate_distance(stamp->shape, local, 0.5f * stamp->plate);
    return stamp->shell > 0.0f ? fabsf(distance - 0.5f * stamp->shell) - 0.5f * stamp->shell : distance;
}

// How much of a cell or of the cell around a face is covered, by the distance at its centre: exact where a
// flat surface runs along the grid.
static float coverage_by_distance(float distance, float h)
{
    float covered = 0.5f - distance / h;
    return covered < 0.0f ? 0.0f : covered > 1.0f ? 1.0f : covered;
}

// Volume fraction of a cell that a curved or slanted surface crosses: the mean over parts of it, each by its
// distance. Without it a ball of 1.6 cells radius holds a tenth too much.
static float volume_fraction(const BwStamp *stamp, BwVec3 point, float h, int dimension)
{
    const int parts = dimension == 3 ? 3 : 4, layers = dimension == 3 ? parts : 1;
    const float part = h / (float)parts, first = 0.5f * (part - h);
    float sum = 0.0f;
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < parts; j++)
            for (int i = 0; i < parts; i++) {
                BwVec3 offset = {first + part * (float)i, first + part * (float)j,
                                 dimension == 3 ? first + part * (float)k : 0.0f};
                sum += coverage_by_distance(bw_stamp_distance(stamp, bw_add(point, offset)), part);
            }
    return sum / (float)(layers * parts * parts);
}

// Half the diagonal of a cell, in cells: past it a surface does not cross the cell.
static const float half_diagonal = 0.8661f;

bool bw_stamp_is_soft(const BwStamp *stamp, const BwGrid *grid)
{
    return stamp->falloff > grid->cell_size;
}

// From 1 to 0 across the soft edge, smooth, and as much outside of the surface as is missing inside.
static float soft_coverage(const BwStamp *stamp, float distance)
{
    float s = coverage_by_distance(distance, stamp->falloff);
    return s * s * (3.0f - 2.0f * s);
}

static float coverage_at(const BwStamp *stamp, BwVec3 point, const BwGrid *grid, BwLocation location)
{
    float h = grid->cell_size, distance = bw_stamp_distance(stamp, point);
    if (bw_stamp_is_soft(stamp, grid))
        return soft_coverage(stamp, distance);
    bool is_crossed = fabsf(distance) < half_diagonal * h;
    if (!is_crossed || location != BW_AT_CELL || stamp->shell > 0.0f)
        return coverage_by_distance(distance, h);
    return volume_fraction(stamp, point, h, grid->dimension);
}

bool bw_stamp_is_near(const BwGrid *grid, BwTileCoord coord, const BwStamp *stamp)
{
    int middle = 4 + 8 * 4 + (grid->layers == 1 ? 0 : 64 * 4);
    BwVec3 point = bw_sample_position(grid, coord, middle, BW_AT_CELL);
    float distance = bw_stamp_distance(stamp, point);
    return distance <=
           8.0f * grid->cell_size +
               0.5f * stamp->falloff; // half a tile's diagonal is 6.9 cells, and half a cell of edge
}

static BwBox posed_bounds(const BwShape *shape, BwPose pose)
{
    BwBox local = bw_shape_bounds(shape),
          world = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bool is_turned = pose.rotation.x != 0.0f || pose.rotation.y != 0.0f || pose.rotation.z != 0.0f;
    if (!is_turned)
        return (BwBox){bw_add(local.low, pose.position), bw_add(local.high, pose.position)};
    for (int corner = 0; corner < 8; corner++) {
        BwVec3 point = {corner & 1 ? local.high.x : local.low.x, corner & 2 ? local.high.y : local.low.y,
                        corner & 4 ? local.high.z : local.low.z};
        point = bw_pose_to_world(pose, point);
        world.low = bw_min(world.low, point);
        world.high = bw_max(world.high, point);
    }
    return world;
}

// A coordinate in cells. What has no end stops at the limit; what is farther than cells can count, there.
static int32_t cell_at(float meters, float h, int32_t limit)
{
    const double most = BW_TILE_COORD_MAX / 2 * BW_TILE;
    double end = isinf(meters) ? limit : most, cell = floor((double)meters / (double)h);
    return (int32_t)fmin(fmax(cell, -end), end);
}

BwCellBox bw_shape_cells(const BwGrid *grid, const BwShape *shape, BwPose pose, int32_t limit)
{
    BwBox bounds = posed_bounds(shape, pose);
    if (bw_box_is_empty(bw_shape_bounds(shape)))
        return (BwCellBox){{0}, {0}};
    BwCellBox cells = {{cell_at(bounds.low.x, grid->cell_size, limit),
                        cell_at(bounds.low.y, grid->cell_size, limit),
                        cell_at(bounds.low.z, grid->cell_size, limit)},
                       {cell_at(bounds.high.x, grid->cell_size, limit) + 1,
                        cell_at(bounds.high.y, grid->cell_size, limit) + 1,
                        cell_at(bounds.high.z, grid->cell_size, limit) + 1}};
    return cells;
}

// Marks in place of a tile's values.
enum { COVERED_NOWHERE = -1, COVERED_WHOLLY = -2 };

// In tiles, a source and a location: 8 MB.
static const int64_t kept_most = 4096;

// True where something is covered.
static bool find_tile(const BwStamp *stamp, const BwGrid *grid, BwTileCoord coord, BwLocation location,
                      float *values)
{
    bool is_any = false;
    for (int n = 0; n < grid->tile_cells; n++) {
        values[n] = coverage_at(stamp, bw_sample_position(grid, coord, n, location), grid, location);
        is_any |= values[n] > 0.0f;
    }
    return is_any;
}

static const BwCoveredTile *find_kept(const BwCoverageAt *kept, BwTileCoord coord)
{
    int64_t low = 0, high = kept->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        int order = bw_tile_coord_compare(kept->tiles[middle].coord, coord);
        if (order == 0)
            return &kept->tiles[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const float *bw_stamp_coverage(const BwStamp *stamp, const BwGrid *grid, int32_t slot, BwLocation location,
                               float found[BW_TILE_CELLS_MAX])
{
    BwTileCoord coord = grid->tiles[slot].coord;
    const BwCoverageAt *kept = stamp->kept != NULL ? &stamp->kept->at[location] : NULL;
    const BwCoveredTile *tile = kept != NULL ? find_kept(kept, coord) : NULL;
    if (tile != NULL && tile->place >= 0)
        return &kept->values[tile->place * grid->tile_cells];
    if (tile != NULL && tile->place == COVERED_WHOLLY) {
        for (int n = 0; n < grid->tile_cells; n++)
            found[n] = 1.0f;
        return found;
    }
    if (tile != NULL || (kept != NULL && kept->is_whole) || !bw_stamp_is_near(grid, coord, stamp))
        return NULL;
    return find_tile(stamp, grid, coord, location, found) ? found : NULL;
}

// Tiles around all that the stamp may cover.
static BwCellBox tiles_around(const BwStamp *stamp, const BwGrid *grid)
{
    const int32_t far = BW_TILE_COORD_MAX / 2 * BW_TILE;
    BwCellBox box = bw_shape_cells(grid, stamp->shape, stamp->pose, far);
    float reach = (stamp->shell + 0.5f * (stamp->falloff + stamp->plate)) / grid->cell_size + 2.0f;
    int32_t more = (int32_t)fminf(reach, (float)far) / BW_TILE + 1;
    for (int a = 0; a < 3; a++) {
        bool is_flat = a >= grid->dimension;
        box.low[a] = is_flat ? 0 : (box.low[a] >> 3) - more;
        box.high[a] = is_flat ? 0 : (box.high[a] >> 3) + more;
    }
    return box;
}

static bool is_in(const BwCellBox *box, BwTileCoord coord)
{
    return coord.x >= box->low[0] && coord.x <= box->high[0] && coord.y >= box->low[1] &&
           coord.y <= box->high[1] && coord.z >= box->low[2] && coord.z <= box->high[2];
}

static bool push_tile(BwCoverageAt *kept, const BwGrid *grid, BwTileCoord coord)
{
    BwError ignored;
    if (kept->value_count >= kept_most ||
        bw_reserve(&grid->allocator, (void **)&kept->tiles, &kept->capacity, kept->count + 1,
                   sizeof *kept->tiles, &ignored) != BW_OK ||
        bw_reserve(&grid->allocator, (void **)&kept->values, &kept->value_capacity,
                   (kept->value_count + 1) * grid->tile_cells, sizeof *kept->values, &ignored) != BW_OK)
        return false;
    kept->tiles[kept->count++] = (BwCoveredTile){coord, (int32_t)kept->value_count++};
    return true;
}

// Adds the tiles that woke since the last time, and gives how many there were before.
static int64_t push_new_tiles(BwCoverageAt *kept, const BwGrid *grid, const BwStamp *stamp)
{
    BwCellBox box = tiles_around(stamp, grid);
    int64_t before = kept->count, next = 0;
    kept->is_whole = true;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        BwTileCoord coord = grid->tiles[grid->order[n]].coord;
        if (!is_in(&box, coord))
            continue;
        while (next < before && bw_tile_coord_compare(kept->tiles[next].coord, coord) < 0)
            next++;
        if (next < before && bw_tile_coord_equal(kept->tiles[next].coord, coord))
            continue;
        if (!bw_stamp_is_near(grid, coord, stamp))
            continue;
        if (!push_tile(kept, grid, coord)) {
            kept->is_whole = false;
            break;
        }
    }
    return before;
}

typedef struct Finding {
    const BwGrid *grid;
    const BwStamp *stamp;
    BwLocation location;
    const BwCoverageAt *kept;
    int64_t first;
} Finding;

static void find_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Finding *job = context;
    for (int64_t n = begin; n < end; n++) {
        const BwCoveredTile *tile = &job->kept->tiles[job->first + n];
        find_tile(job->stamp, job->grid, tile->coord, job->location,
                  &job->kept->values[tile->place * job->grid->tile_cells]);
    }
}

// Most tiles near a large shape are covered wholly or not at all: a mark says as much as values.
static void drop_even_tiles(BwCoverageAt *kept, const BwGrid *grid, int64_t first)
{
    kept->value_count = first < kept->count ? kept->tiles[first].place : kept->value_count;
    for (int64_t n = first; n < kept->count; n++) {
        const float *values = &kept->values[kept->tiles[n].place * grid->tile_cells];
        bool is_none = true, is_all = true;
        for (int c = 0; c < grid->tile_cells; c++) {
            is_none &= values[c] <= 0.0f;
            is_all &= values[c] >= 1.0f;
        }
        kept->tiles[n].place = is_none ? COVERED_NOWHERE : COVERED_WHOLLY;
        if (is_none || is_all)
            continue;
        kept->tiles[n].place = (int32_t)kept->value_count;
        memmove(&kept->values[kept->value_count++ * grid->tile_cells], values,
                (size_t)grid->tile_cells * sizeof *values);
    }
}

static int compare_tiles(const void *a, const void *b)
{
    return bw_tile_coord_compare(((const BwCoveredTile *)a)->coord, ((const BwCoveredTile *)b)->coord);
}

// A program may have changed the shape since.
static void forget_other_shape(const BwStamp *stamp)
{
    BwCoverage *coverage = stamp->kept;
    if (bw_same_shape(&coverage->shape, stamp->shape))
        return;
    for (int n = 0; n < 4; n++)
        coverage->at[n].count = coverage->at[n].value_count = 0;
    coverage->shape = *stamp->shape;
}

void bw_coverage_prepare(const BwDomain *domain, const BwStamp *stamp, BwLocation location)
{
    if (stamp->kept == NULL)
        return;
    forget_other_shape(stamp);
    BwCoverageAt *kept = &stamp->kept->at[location];
    int64_t first = push_new_tiles(kept, domain->grid, stamp);
    if (first == kept->count)
        return;
    Finding job = {domain->grid, stamp, location, kept, first};
    bw_parallel_for(domain->pool, kept->count - first, 1, find_range, &job);
    drop_even_tiles(kept, domain->grid, first);
    qsort(kept->tiles, (size_t)kept->count, sizeof *kept->tiles, compare_tiles);
}

void bw_coverage_free(BwCoverage *coverage, const BwAllocator *allocator)
{
    for (int n = 0; n < 4; n++) {
        BwCoverageAt *kept = &coverage->at[n];
        bw_free(allocator, kept->tiles, (size_t)kept->capacity * sizeof *kept->tiles, BW_ALIGN);
        bw_free(allocator, kept->values, (size_t)kept->value_capacity * sizeof *kept->values, BW_ALIGN);
    }
    *coverage = (BwCoverage){0};
}
