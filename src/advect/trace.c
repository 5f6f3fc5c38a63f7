// Paths on tiles, by Runge-Kutta steps of second order (Cline, Cardon and Egbert 2005) or third (Ralston
// 1962). The first speed is that of the cell's centre, which is a mean of its faces; the others are sampled
// on the way.
#include "advect/trace.h"

#include "domain/sides.h"
#include "grid/rows.h"

#include <string.h>

BwResult bw_paths_create(BwPaths *paths, BwGrid *grid, bool with_ahead, BwField *lent, BwError *err)
{
    *paths = (BwPaths){0};
    int wanted = (with_ahead ? 6 : 3) - (lent != NULL ? 3 : 0);
    BwResult result = BW_OK;
    for (int n = 0; n < wanted && result == BW_OK; n++)
        if (n % 3 < grid->dimension)
            result = bw_field_create(&paths->own[n], grid, BW_AT_CELL, 0.0f, err);
    if (result != BW_OK)
        bw_paths_destroy(paths);
    BwField *last = lent != NULL ? lent : &paths->own[wanted - 3];
    paths->back = with_ahead ? paths->own : last;
    paths->ahead = with_ahead ? last : NULL;
    return result;
}

void bw_paths_destroy(BwPaths *paths)
{
    for (int n = 0; n < 6; n++)
        bw_field_destroy(&paths->own[n]);
}

static void find_bounds(BwTracer *tracer, const BwGrid *grid, int32_t slot)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        tracer->low[a] = (float)((int64_t)grid->bounds.low[a] - first[a]);
        tracer->high[a] = (float)((int64_t)grid->bounds.high[a] - first[a]);
    }
}

void bw_path_starts(BwTracer *tracer, const BwGrid *grid, BwLocation location)
{
    for (int n = 0; n < grid->tile_cells; n++) {
        tracer->start[0][n] = (float)(n & 7) + bw_location_shift(location, 0);
        tracer->start[1][n] = (float)(n >> 3 & 7) + bw_location_shift(location, 1);
        tracer->start[2][n] = grid->layers == 1 ? 0.0f : (float)(n >> 6) + bw_location_shift(location, 2);
    }
}

// at <- start + part * way, stopped at the box.
static void go(BwTracer *tracer, const BwGrid *grid, float part, int axis, const float *restrict way)
{
    const float *restrict start = tracer->start[axis];
    float *restrict at = tracer->at[axis];
    float low = tracer->low[axis], high = tracer->high[axis];
    for (int n = 0; n < grid->tile_cells; n++) {
        float place = start[n] + part * way[n];
        place = place > low ? place : low; // written so that NaN stops too
        at[n] = place < high ? place : high;
    }
}

static void gather_velocity(BwTracer *tracer, const BwGrid *grid, const BwVelocity *velocity,
                            const bool is_full[3], int32_t slot, const BwTraceOptions *options)
{
    for (int a = 0; a < grid->dimension; a++)
        bw_interpolation_gather(&tracer->velocity[a], &velocity->u[a], &options->face[a], is_full[a], slot,
                                1);
}

static void fill_plane(float *values, const BwGrid *grid, int axis, int at, float value)
{
    int step = 1 << 3 * axis;
    for (int first = at * step; first < grid->tile_cells; first += BW_TILE * step)
        for (int n = first; n < first + step; n++)
            values[n] = value;
}

// Of a full block, cells outside the box of samples have no face that exists.
static void leave_speeds_outside(BwTracer *tracer, const BwGrid *grid, const BwSampleBox *face, int axis,
                                 int32_t slot)
{
    for (int a = 0; a < grid->dimension; a++) {
        BwSampleExtent span = bw_sample_box_span(face, grid, slot, a);
        for (int n = 0; n < BW_TILE; n++)
            if (n + (a == axis) < span.low || n > span.high)
                fill_plane(tracer->speed[0][axis], grid, a, n, tracer->velocity[axis].background);
    }
}

// Means of the low and high face of each cell, of those that exist.
static void speeds_in_middle(BwTracer *tracer, const BwGrid *grid, const BwTraceOptions *options,
                             int32_t slot)
{
    for (int a = 0; a < grid->dimension; a++) {
        const BwInterpolationBlock *block = &tracer->velocity[a];
        BwBlockShape shape = bw_block_shape(block->reach);
        const int stride[3] = {1, shape.row, shape.layer};
        int origin = shape.margin * (1 + shape.row + (grid->layers == 1 ? 0 : shape.layer));
        float *restrict speed = tracer->speed[0][a];
        for (int row = 0; row < grid->tile_cells / BW_TILE; row++) {
            int at = origin + shape.row * (row & 7) + shape.layer * (row >> 3);
            const float *restrict low = block->value + at, *restrict high = low + stride[a];
            for (int i = 0; i < BW_TILE; i++)
                speed[BW_TILE * row + i] = 0.5f * (low[i] + high[i]);
            const float *restrict share = block->weight + at, *restrict next_share = share + stride[a];
            for (int i = 0; i < BW_TILE && !block->is_full; i++) {
                float sum = share[i] + next_share[i];
                speed[BW_TILE * row + i] = sum > 0.0f ? (low[i] + high[i]) / sum : block->background;
            }
        }
        if (block->is_full)
            leave_speeds_outside(tracer, grid, &options->face[a], a, slot);
    }
}

static void sample_far(BwTracer *tracer, const BwDomain *domain, const BwField *u, int axis, int32_t slot,
                       float *out)
{
    for (int n = 0; n < domain->grid->tile_cells; n++) {
        const float at[3] = {tracer->at[0][n], tracer->at[1][n], tracer->at[2][n]};
        out[n] = tracer->speed[0][axis][n];
        bw_sample_local(u, &domain->face[axis], slot, at, &out[n]);
    }
}

// Speeds at the present places; where no sample is around, as outside an open side, that of the start. Few
// paths reach further than the block that their start took.
static void speeds_on_way(BwTracer *tracer, const BwDomain *domain, const BwVelocity *velocity,
                          const bool is_full[3], int32_t slot, const BwTraceOptions *options, int stage)
{
    const BwGrid *grid = domain->grid;
    float *const at[3] = {tracer->at[0], tracer->at[1], tracer->at[2]};
    for (int a = 0; a < grid->dimension; a++) {
        BwInterpolationBlock *block = &tracer->velocity[a];
        float *restrict speed = tracer->speed[stage][a];
        bw_block_points_find(&tracer->places, grid, &options->face[a], slot, at, BW_STENCIL_LINEAR,
                             block->reach);
        if (tracer->places.is_near && tracer->places.reach > block->reach)
            bw_interpolation_gather(block, &velocity->u[a], &options->face[a], is_full[a], slot,
                                    tracer->places.reach);
        if (tracer->places.is_near)
            bw_interpolate_linear(block, grid, &tracer->places, tracer->speed[0][a], speed);
        else
            sample_far(tracer, domain, &velocity->u[a], a, slot, speed);
    }
}

void bw_paths_trace(BwPaths *paths, BwTracer *tracer, const BwDomain *domain, const BwVelocity *velocity,
                    const bool is_full[3], int32_t slot, const BwTraceOptions *options)
{
    const BwGrid *grid = domain->grid;
    float scale = options->cells_per_speed;
    find_bounds(tracer, grid, slot);
    bw_path_starts(tracer, grid, BW_AT_CELL);
    gather_velocity(tracer, grid, velocity, is_full, slot, options);
    speeds_in_middle(tracer, grid, options, slot);
    for (int a = 0; a < grid->dimension; a++)
        go(tracer, grid, -0.5f * scale, a, tracer->speed[0][a]);
    speeds_on_way(tracer, domain, velocity, is_full, slot, options, 1);
    if (options->is_third_order) {
        for (int a = 0; a < grid->dimension; a++)
            go(tracer, grid, -0.75f * scale, a, tracer->speed[1][a]);
        speeds_on_way(tracer, domain, velocity, is_full, slot, options, 2);
    }
    for (int a = 0; a < grid->dimension; a++) {
        const float *restrict first = tracer->speed[0][a], *restrict middle = tracer->speed[1][a],
                              *restrict late = tracer->speed[2][a];
        float *restrict back = bw_field_tile(&paths->back[a], slot);
        for (int n = 0; n < grid->tile_cells; n++)
            back[n] = options->is_third_order
                          ? -scale * (2.0f * first[n] + 3.0f * middle[n] + 4.0f * late[n]) / 9.0f
                          : -scale * middle[n];
        // Where the way back bends by so much to one side, the way ahead bends to the other: the same to
        // third order as a trace of its own.
        float *restrict ahead = paths->ahead != NULL ? bw_field_tile(&paths->ahead[a], slot) : NULL;
        for (int n = 0; n < grid->tile_cells && ahead != NULL; n++)
            ahead[n] = 2.0f * scale * first[n] + back[n];
    }
}

// The ways of the cells before lanes along an axis.
static inline BwLanes way_before(const BwStar *star, BwLanes way, int axis, int at)
{
    return axis == 0   ? bw_lanes_x_low(star, way, at)
           : axis == 1 ? bw_lanes_y_low(star, way, at)
                       : bw_lanes_z_low(star, at);
}

// How far each lane's cell is along an axis from the first lane's.
static inline BwLanes steps_of_lanes(int axis)
{
    static const _Alignas(BW_ALIGN) float steps[3][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
                                                          {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}};
    return bw_lanes_load(steps[axis]);
}

// The ways where no tile is before: as if it repeated the tile's first cells.
static void repeat_before(float *before, const float *own, int axis, int count)
{
    int step = 1 << 3 * axis;
    for (int n = 0; n < count; n++)
        if ((n >> 3 * axis & 7) == 0)
            before[n + 7 * step] = own[n];
}

static inline BwLanes within(BwLanes at, BwLanes low, BwLanes high)
{
    at = bw_lanes_larger(at, low); // written so that NaN stops too
    return bw_lanes_smaller(at, high);
}

// The ends along one axis of the paths of samples on faces along another, or of cells (normal -1).
static inline void ends_along(BwTracer *tracer, const BwField *path, int axis, int normal, float shift,
                              int32_t slot)
{
    const BwGrid *grid = path->store.grid;
    _Alignas(BW_ALIGN) float repeated[BW_TILE_CELLS_MAX];
    BwStar star = bw_star(path, slot);
    int32_t other = grid->tiles[slot].neighbour[bw_neighbour(-(normal == 0), -(normal == 1), -(normal == 2))];
    if (normal >= 0 && other == 0) {
        repeat_before(repeated, star.center, normal, grid->tile_cells);
        *(normal == 0 ? &star.x_low : normal == 1 ? &star.y_low : &star.z_low) = repeated;
    }
    BwLanes steps = steps_of_lanes(axis) + shift;
    BwLanes low = bw_lanes_of(tracer->low[axis]), high = bw_lanes_of(tracer->high[axis]);
    for (int n = 0; n < grid->tile_cells; n += BW_LANES) {
        BwLanes way = bw_lanes_load(star.center + n);
        if (normal >= 0)
            way = 0.5f * (way + way_before(&star, way, normal, n));
        BwLanes start = steps + (float)(n >> 3 * axis & 7);
        bw_lanes_store(tracer->at[axis] + n, within(start + way, low, high));
    }
}

void bw_path_ends(BwTracer *tracer, const BwField paths[3], BwLocation location, int32_t slot)
{
    const BwGrid *grid = paths[0].store.grid;
    int normal = bw_location_normal(location);
    find_bounds(tracer, grid, slot);
    for (int a = 0; a < grid->dimension; a++) {
        float shift = bw_location_shift(location, a);
        if (normal < 0)
            ends_along(tracer, &paths[a], a, -1, shift, slot);
        else if (normal == 0)
            ends_along(tracer, &paths[a], a, 0, shift, slot);
        else if (normal == 1)
            ends_along(tracer, &paths[a], a, 1, shift, slot);
        else
            ends_along(tracer, &paths[a], a, 2, shift, slot);
    }
}

bool bw_path_is_outside(const BwTracer *tracer, const BwDomain *domain, int sample)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        if (bw_air_enters(&domain->side[2 * a]) && tracer->at[a][sample] <= tracer->low[a])
            return true;
        if (bw_air_enters(&domain->side[2 * a + 1]) && tracer->at[a][sample] >= tracer->high[a])
            return true;
    }
    return false;
}

bool bw_path_meets_open_side(const BwTracer *tracer, const BwDomain *domain)
{
    for (int a = 0; a < domain->grid->dimension; a++)
        if ((bw_air_enters(&domain->side[2 * a]) && tracer->places.low[a] <= tracer->low[a]) ||
            (bw_air_enters(&domain->side[2 * a + 1]) && tracer->places.high[a] >= tracer->high[a]))
            return true;
    return false;
}
