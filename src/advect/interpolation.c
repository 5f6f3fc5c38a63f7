// Blocks, and the kernels that interpolate in them. Most of the time of advection goes by here: half of it in
// copying blocks, half in kernels that read squares of four samples and blend those of four places at once.
// The plain form that they are tested against is bw_sample (grid/sample.h).
//
// The interpolation with missing cells is that of Cline, Cardon and Egbert 2005, fig. 5; the cubic
// one is that of the course notes of Bridson and Mueller-Fischer, section 5.2 (Fedkiw, Stam and Jensen 2001).
#include "advect/interpolation.h"

#include "advect/cubic.h"
#include "base/extremes.h"
#include "grid/bits.h"
#include <math.h>
#include <string.h>

// In a flat grid the next layer is the layer itself.
static int layer_stride(const BwGrid *grid, BwBlockShape shape)
{
    return grid->layers == 1 ? 0 : shape.layer;
}

// Rows of a block that are in use along an axis, high end excluded.
typedef struct Span {
    int begin, end;
} Span;

static Span used(const BwGrid *grid, int axis, const BwInterpolationBlock *block)
{
    bool is_flat = axis == 2 && grid->layers == 1;
    int margin = bw_block_shape(block->reach).margin;
    return is_flat ? (Span){0, 1}
                   : (Span){margin - block->extent.below[axis], margin + BW_TILE + block->extent.above[axis]};
}

static float least_lane(BwLanes a)
{
    float least = a[0];
    for (int lane = 1; lane < BW_LANES; lane++)
        least = a[lane] < least ? a[lane] : least;
    return least;
}

// The least and the largest place along each axis; all axes in one loop, so that none waits for its own
// steps.
static inline void find_extents(BwBlockPoints *places, float *const at[3], int dimension, int count)
{
    BwLanes least[3], most[3]; // the latter with its sign turned
    for (int a = 0; a < dimension; a++) {
        least[a] = bw_lanes_load_any(at[a]);
        most[a] = -least[a];
    }
    for (int n = BW_LANES; n < count; n += BW_LANES)
        for (int a = 0; a < dimension; a++) {
            BwLanes x = bw_lanes_load_any(at[a] + n);
            least[a] = bw_lanes_smaller(x, least[a]);
            most[a] = bw_lanes_smaller(-x, most[a]);
        }
    for (int a = 0; a < dimension; a++) {
        places->low[a] = least_lane(least[a]);
        places->high[a] = -least_lane(most[a]);
    }
}

// Samples before and after the tile that places need: those at the whole numbers below and above. They count
// from `first`, as find_many does: a place just below a whole number may be rounded up to it there, and then
// needs one sample more.
static float below_of(float low, float first)
{
    return bw_larger(BW_REACH_MAX - floorf(low + first), 0.0f);
}

static float above_of(float high, float first)
{
    return bw_larger(floorf(high + first) + 2.0f - BW_TILE - BW_REACH_MAX, 0.0f);
}

// Counted from the first sample of a wide block whatever the shape, so that a place is rounded the same way
// in both.
static inline void find_many(BwBlockPoints *places, float *const at[3], const float first[3],
                             BwBlockShape shape, int dimension, int count)
{
    const float *restrict x = at[0], *restrict y = at[1], *restrict z = at[2];
    float *restrict x_part = places->part[0], *restrict y_part = places->part[1],
                    *restrict z_part = places->part[2];
    int32_t *restrict corner = places->corner;
    int32_t skipped = BW_REACH_MAX - shape.margin;
    int32_t origin = skipped * (1 + shape.row + (dimension == 3 ? shape.layer : 0));
    for (int n = 0; n < count; n++) {
        float px = x[n] + first[0], py = y[n] + first[1], pz = dimension == 3 ? z[n] + first[2] : 0.0f;
        int32_t i = (int32_t)px, j = (int32_t)py, k = (int32_t)pz; // not negative, for the block begins at 0
        x_part[n] = px - (float)i;
        y_part[n] = py - (float)j;
        z_part[n] = pz - (float)k;
        corner[n] = i + shape.row * j + shape.layer * k - origin;
    }
}

// Below this share of valid samples a place counts as having none: float cannot divide by less with sense.
static const float least_weight = 1e-5f;

// Notes the places whose samples along an axis both lie outside the box.
static void find_outside(BwBlockPoints *places, const float *restrict at, float shift, BwSampleExtent span,
                         int count)
{
    float low = (float)(span.low - 1) + shift + least_weight,
          high = (float)(span.high + 1) + shift - least_weight;
    if (!places->has_outside)
        memset(places->is_outside, 0, sizeof places->is_outside);
    places->has_outside = true;
    for (int n = 0; n < count; n++)
        places->is_outside[n] |= at[n] < low || at[n] > high;
}

void bw_block_points_find(BwBlockPoints *places, const BwGrid *grid, const BwSampleBox *samples, int32_t slot,
                          float *const at[3], BwStencil stencil, int reach_min)
{
    float reach = 0.0f, first[3] = {0}, below[3] = {0}, above[3] = {0},
          more = stencil == BW_STENCIL_CUBIC ? 1.0f : 0.0f;
    places->has_outside = false;
    if (grid->dimension == 3)
        find_extents(places, at, 3, grid->tile_cells);
    else
        find_extents(places, at, 2, grid->tile_cells);
    for (int a = 0; a < grid->dimension; a++) {
        float shift = bw_location_shift(samples->location, a);
        float low = places->low[a] - shift, high = places->high[a] - shift;
        BwSampleExtent span = bw_sample_box_span(samples, grid, slot, a);
        first[a] = BW_REACH_MAX - shift;
        below[a] = below_of(places->low[a], first[a]) + more;
        above[a] = above_of(places->high[a], first[a]) + more;
        reach = bw_larger(reach, bw_larger(below[a], above[a]));
        if (low < (float)(span.low - 1) + 1e-3f || high > (float)(span.high + 1) - 1e-3f)
            find_outside(places, at[a], shift, span, grid->tile_cells);
    }
    reach = bw_larger(reach, (float)reach_min);
    places->is_near = reach <= BW_REACH_MAX;
    places->reach = places->is_near ? (int)reach : 0;
    for (int a = 0; a < 3; a++) {
        places->extent.below[a] = places->is_near ? (int)below[a] : 0;
        places->extent.above[a] = places->is_near ? (int)above[a] : 0;
    }
    if (places->is_near && grid->dimension == 3)
        find_many(places, at, first, bw_block_shape(places->reach), 3, grid->tile_cells);
    else if (places->is_near)
        find_many(places, at, first, bw_block_shape(places->reach), 2, grid->tile_cells);
}

void bw_block_points_join(BwBlockPoints *places, const BwBlockPoints *others)
{
    if (!places->is_near || !others->is_near || others->reach > places->reach)
        return;
    for (int a = 0; a < 3; a++) {
        int *below = &places->extent.below[a], *above = &places->extent.above[a];
        *below = others->extent.below[a] > *below ? others->extent.below[a] : *below;
        *above = others->extent.above[a] > *above ? others->extent.above[a] : *above;
    }
}

// In the values or the weights of a block.
static void copy_plane(const BwInterpolationBlock *block, const BwGrid *grid, float *restrict values,
                       int axis, int from, int to)
{
    BwBlockShape shape = bw_block_shape(block->reach);
    const int stride[3] = {1, shape.row, shape.layer};
    Span y = used(grid, axis == 1 ? 0 : 1, block), z = used(grid, axis == 2 ? 0 : 2, block);
    int y_stride = stride[axis == 1 ? 0 : 1], z_stride = stride[axis == 2 ? 0 : 2];
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            float *line = values + k * z_stride + j * y_stride;
            line[to * stride[axis]] = line[from * stride[axis]];
        }
}

static void repeat_beyond_box(const BwInterpolationBlock *block, const BwGrid *grid,
                              const BwSampleBox *samples, int32_t slot, float *restrict values)
{
    int margin = bw_block_shape(block->reach).margin;
    for (int axis = 0; axis < grid->dimension; axis++) {
        Span span = used(grid, axis, block);
        BwSampleExtent inside = bw_sample_box_span(samples, grid, slot, axis);
        inside.low += margin;
        inside.high += margin;
        for (int n = span.begin; n < span.end && n < inside.low && inside.low < span.end; n++)
            copy_plane(block, grid, values, axis, (int)inside.low, n);
        for (int n = span.end - 1; n >= span.begin && n > inside.high && inside.high >= span.begin; n--)
            copy_plane(block, grid, values, axis, (int)inside.high, n);
    }
}

// The row of a tile between what its neighbours have of the margin.
static inline void gather_row(float *restrict row, const float *left, const float *middle, const float *right,
                              int margin)
{
    memcpy(row, left + BW_TILE - margin, (size_t)margin * sizeof *row);
    memcpy(row + margin, middle, BW_TILE * sizeof *row);
    memcpy(row + margin + BW_TILE, right, (size_t)margin * sizeof *row);
}

static inline void gather_shape(BwInterpolationBlock *block, const BwField *field, int32_t slot,
                                BwBlockShape shape)
{
    const BwGrid *grid = field->store.grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    const BwBlockExtent *extent = &block->extent;
    bool is_flat = grid->layers == 1;
    int layer_begin = is_flat ? 0 : -extent->below[2], layer_end = is_flat ? 1 : BW_TILE + extent->above[2];
    for (int k = layer_begin; k < layer_end; k++) {
        float *layer_out =
            block->value + (is_flat ? 0 : k + shape.margin) * shape.layer + shape.margin * shape.row;
        for (int dy = -1; dy <= 1; dy++) {
            int dz = k < 0 ? -1 : k >= BW_TILE, layer = BW_TILE_LAYER * (k & 7);
            const float *left = bw_field_tile(field, neighbour[bw_neighbour(-1, dy, dz)]) + layer;
            const float *middle = bw_field_tile(field, neighbour[bw_neighbour(0, dy, dz)]) + layer;
            const float *right = bw_field_tile(field, neighbour[bw_neighbour(1, dy, dz)]) + layer;
            int begin = dy < 0 ? -extent->below[1] : BW_TILE * dy,
                end = dy > 0 ? BW_TILE + extent->above[1] : BW_TILE * (dy + 1);
            for (int j = begin; j < end; j++) {
                int row = BW_TILE * (j & 7);
                gather_row(layer_out + j * shape.row, left + row, middle + row, right + row, shape.margin);
            }
        }
    }
}

static void gather_values(BwInterpolationBlock *block, const BwField *field, int32_t slot)
{
    if (block->reach <= BW_REACH_NARROW)
        gather_shape(block, field, slot, bw_block_shape(BW_REACH_NARROW));
    else
        gather_shape(block, field, slot, bw_block_shape(BW_REACH_MAX));
}

// The far wall's faces are valid where the cell before them is.
static void mark_far_wall(BwInterpolationBlock *block, const BwGrid *grid, BwLocation location, int32_t slot)
{
    int axis = bw_location_normal(location);
    if (axis < 0 || axis >= grid->dimension || !grid->far_wall[axis])
        return;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    int64_t at = (int64_t)grid->bounds.high[axis] - first[axis] + bw_block_shape(block->reach).margin;
    Span span = used(grid, axis, block);
    if (at > span.begin && at < span.end)
        copy_plane(block, grid, block->weight, axis, (int)at - 1, (int)at);
}

static void gather_weights(BwInterpolationBlock *block, const BwGrid *grid, const BwMask *valid, int32_t slot)
{
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    BwBlockShape shape = bw_block_shape(block->reach);
    Span y = used(grid, 1, block), z = used(grid, 2, block);
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            int dy = ((j - shape.margin + BW_TILE) >> 3) - 1;
            int dz = grid->layers == 1 ? 0 : ((k - shape.margin + BW_TILE) >> 3) - 1;
            int layer = grid->layers == 1 ? 0 : (k - shape.margin) & 7;
            uint32_t row = 0;
            for (int dx = -1; dx <= 1; dx++) {
                const uint64_t *words = bw_mask_tile(valid, neighbour[bw_neighbour(dx, dy, dz)]);
                row |= (uint32_t)(words[layer] >> (BW_TILE * ((j - shape.margin) & 7)) & 0xff)
                       << (BW_TILE * (dx + 1));
            }
            row >>= BW_TILE - shape.margin;
            float *restrict out = block->weight + k * shape.layer + j * shape.row;
            for (uint32_t i = 0; i < (uint32_t)shape.row; i++)
                out[i] = (float)(int32_t)(row >> i & 1u);
        }
}

// The bits of a tile's layer that a block holds which reaches so far, of a tile so many beside its own.
static inline uint64_t bits_reached(int dx, int dy, int reach)
{
    unsigned shift = (unsigned)reach;
    uint64_t columns = dx == 0 ? 0xffu : dx < 0 ? 0xff00u >> shift & 0xffu : 0xffu >> (BW_TILE - shift);
    uint64_t rows = ~UINT64_C(0);
    if (dy != 0 && reach < BW_TILE)
        rows = dy < 0 ? ~(rows >> BW_TILE * reach) : ~(rows << BW_TILE * reach);
    return rows & (BW_COLUMN * columns);
}

// Whether every sample that a block holds exists and is in the box of samples. Near solids few blocks lack
// any, and weights are dear.
static bool is_block_whole(const BwGrid *grid, const BwSampleBox *samples, int32_t slot, int reach)
{
    for (int a = 0; a < grid->dimension; a++) {
        BwSampleExtent inside = bw_sample_box_span(samples, grid, slot, a);
        if (inside.low > -reach || inside.high < BW_TILE - 1 + reach)
            return false;
    }
    for (int n = bw_first_beside(grid); n < 27 - bw_first_beside(grid); n++) {
        int32_t tile = grid->tiles[slot].neighbour[n];
        int dz = n / 9 - 1, begin = dz < 0 ? BW_TILE - reach : 0, end = dz > 0 ? reach : grid->layers;
        const uint64_t *words = bw_mask_tile(samples->valid, tile);
        uint64_t all = ~UINT64_C(0);
        for (int k = begin; k < end; k++)
            all &= words[k];
        if (tile == 0 || (~all & bits_reached(n % 3 - 1, n / 3 % 3 - 1, reach)) != 0)
            return false;
    }
    return true;
}

// What the extent of the block asks for. Whether it is whole is told by its reach alone.
static void gather(BwInterpolationBlock *block, const BwField *field, const BwSampleBox *samples,
                   bool is_full, int32_t slot)
{
    const BwGrid *grid = field->store.grid;
    block->is_full = is_full || is_block_whole(grid, samples, slot, block->reach);
    block->background = bw_field_background(field);
    gather_values(block, field, slot);
    BwSampleBox around = is_full ? *samples : bw_sample_box_in_bounds(samples, grid);
    repeat_beyond_box(block, grid, &around, slot, block->value);
    if (block->is_full)
        return;
    gather_weights(block, grid, samples->valid, slot);
    mark_far_wall(block, grid, samples->location, slot);
    repeat_beyond_box(block, grid, &around, slot, block->weight);
    BwBlockShape shape = bw_block_shape(block->reach);
    Span y = used(grid, 1, block), z = used(grid, 2, block);
    for (int k = z.begin; k < z.end; k++)
        for (int n = k * shape.layer + y.begin * shape.row; n < k * shape.layer + y.end * shape.row; n++)
            block->value[n] *= block->weight[n];
}

void bw_interpolation_gather(BwInterpolationBlock *block, const BwField *field, const BwSampleBox *samples,
                             bool is_full, int32_t slot, int reach)
{
    block->reach = reach;
    for (int a = 0; a < 3; a++)
        block->extent.below[a] = block->extent.above[a] = reach;
    gather(block, field, samples, is_full, slot);
}

void bw_interpolation_gather_for(BwInterpolationBlock *block, const BwField *field,
                                 const BwSampleBox *samples, bool is_full, int32_t slot,
                                 const BwBlockPoints *places)
{
    block->reach = places->reach;
    block->extent = places->extent;
    gather(block, field, samples, is_full, slot);
}

bool bw_interpolation_holds(const BwInterpolationBlock *block, const BwBlockPoints *places)
{
    bool holds = places->reach <= block->reach;
    for (int a = 0; a < 3; a++)
        holds &= places->extent.below[a] <= block->extent.below[a] &&
                 places->extent.above[a] <= block->extent.above[a];
    return holds;
}

static inline BwQuad blend(BwSquares near_layer, BwSquares far_layer, const BwBlockPoints *places, int n,
                           bool is_flat)
{
    const BwQuad part[3] = {bw_quad_load(places->part[0] + n), bw_quad_load(places->part[1] + n),
                            bw_quad_load(places->part[2] + n)};
    return bw_squares_blend(near_layer, far_layer, part, is_flat);
}

// Trilinear samples at all places; in 2-D `layer` is 0.
static inline void linear_many(const float *restrict block, const BwBlockPoints *places, int row, int layer,
                               int count, float *restrict out)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        BwSquares near = bw_squares_load(block, corner, row),
                  far = layer == 0 ? near : bw_squares_load(block + layer, corner, row);
        bw_quad_store(out + n, blend(near, far, places, n, layer == 0));
    }
}

static void sample_linear(const float *block, const BwBlockPoints *places, const BwGrid *grid, float *out)
{
    const BwBlockShape narrow = bw_block_shape(BW_REACH_NARROW), shape = bw_block_shape(places->reach);
    if (grid->layers == 1)
        linear_many(block, places, shape.row, 0, grid->tile_cells, out);
    else if (places->reach <= BW_REACH_NARROW)
        linear_many(block, places, narrow.row, narrow.layer, grid->tile_cells, out);
    else
        linear_many(block, places, shape.row, shape.layer, grid->tile_cells, out);
}

// In a full block only places outside the box have no sample around.
static void leave_outside(const BwInterpolationBlock *block, const BwBlockPoints *places,
                          const float *fallback, int count, float *out)
{
    for (int n = 0; n < count && places->has_outside; n++)
        if (places->is_outside[n])
            out[n] = fallback != NULL ? fallback[n] : block->background;
}

static void leave_range_outside(const BwBlockPoints *places, int count, float *low, float *high)
{
    for (int n = 0; n < count && places->has_outside; n++)
        if (places->is_outside[n]) {
            low[n] = 3e38f;
            high[n] = -3e38f;
        }
}

void bw_interpolate_linear(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                           const float *fallback, float *out)
{
    sample_linear(block->value, places, grid, out);
    if (block->is_full) {
        leave_outside(block, places, fallback, grid->tile_cells, out);
        return;
    }
    sample_linear(block->weight, places, grid, block->sum);
    for (int n = 0; n < grid->tile_cells; n++)
        out[n] = block->sum[n] > least_weight ? out[n] / block->sum[n]
                 : fallback != NULL           ? fallback[n]
                                              : block->background;
}

static inline bool is_whole(const float *corner, int row, int layer)
{
    BwQuad least = bw_quad_load(corner);
    for (int k = 0; k < (layer == 0 ? 1 : 4); k++)
        for (int j = 0; j < 4; j++)
            least = bw_quad_smaller(least, bw_quad_load(corner + row * j + layer * k));
    return least[0] > 0.0f && least[1] > 0.0f && least[2] > 0.0f && least[3] > 0.0f;
}

void bw_interpolate_cubic(BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                          const float *fallback, float *out)
{
    BwBlockShape shape = bw_block_shape(places->reach);
    int layer = layer_stride(grid, shape);
    if (!block->is_full)
        bw_interpolate_linear(block, grid, places, fallback, out);
    for (int n = 0; n < grid->tile_cells; n++) {
        int first = places->corner[n] - 1 - shape.row - layer;
        float z = layer == 0 ? 0.0f : places->part[2][n];
        if (block->is_full || is_whole(block->weight + first, shape.row, layer))
            out[n] = bw_cubic_at(block->value + first, shape.row, layer, places->part[0][n],
                                 places->part[1][n], z);
    }
}

static inline void store_range(BwSquares least, BwSquares most_turned, float *restrict low,
                               float *restrict high)
{
    bw_quad_store(low, bw_squares_smallest(least));
    bw_quad_store(high, -bw_squares_smallest(most_turned));
}

// Of all samples around places; the largest ones as the smallest with their sign turned.
static inline void store_range_of(BwSquares near, BwSquares far, float *restrict low, float *restrict high)
{
    store_range(bw_squares_smaller(near, far),
                bw_squares_smaller(bw_squares_negate(near), bw_squares_negate(far)), low, high);
}

// Of the samples that exist: a missing one must not count, whatever it holds, and is put out of the way.
static void range_of_existing(const BwInterpolationBlock *block, const BwBlockPoints *places, int row,
                              int layer, int count, float *restrict low, float *restrict high)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        BwSquares near = bw_squares_load(block->value, corner, row),
                  far = bw_squares_load(block->value + layer, corner, row),
                  near_exists = bw_squares_load(block->weight, corner, row),
                  far_exists = bw_squares_load(block->weight + layer, corner, row);
        store_range(bw_squares_smaller(bw_squares_where(near_exists, near, 3e38f),
                                       bw_squares_where(far_exists, far, 3e38f)),
                    bw_squares_smaller(bw_squares_where(near_exists, bw_squares_negate(near), 3e38f),
                                       bw_squares_where(far_exists, bw_squares_negate(far), 3e38f)),
                    low + n, high + n);
    }
}

static void range_of_all(const float *restrict block, const BwBlockPoints *places, int row, int layer,
                         int count, float *restrict low, float *restrict high)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        store_range_of(bw_squares_load(block, corner, row), bw_squares_load(block + layer, corner, row),
                       low + n, high + n);
    }
}

void bw_interpolate_range(const BwInterpolationBlock *block, const BwGrid *grid, const BwBlockPoints *places,
                          float *low, float *high)
{
    BwBlockShape shape = bw_block_shape(places->reach);
    int layer = layer_stride(grid, shape), count = grid->tile_cells;
    if (!block->is_full) {
        range_of_existing(block, places, shape.row, layer, count, low, high);
        return;
    }
    range_of_all(block->value, places, shape.row, layer, count, low, high);
    leave_range_outside(places, count, low, high);
}

// Of a full block, samples as well as their range.
static inline void linear_and_range_many(const float *restrict block, const BwBlockPoints *places, int row,
                                         int layer, int count, float *restrict out, float *restrict low,
                                         float *restrict high)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        BwSquares near = bw_squares_load(block, corner, row),
                  far = bw_squares_load(block + layer, corner, row);
        bw_quad_store(out + n, blend(near, far, places, n, layer == 0));
        store_range_of(near, far, low + n, high + n);
    }
}

void bw_interpolate_linear_and_range(BwInterpolationBlock *block, const BwGrid *grid,
                                     const BwBlockPoints *places, const float *fallback, float *out,
                                     float *low, float *high)
{
    const BwBlockShape narrow = bw_block_shape(BW_REACH_NARROW), shape = bw_block_shape(places->reach);
    int layer = layer_stride(grid, shape), count = grid->tile_cells;
    if (!block->is_full) {
        bw_interpolate_linear(block, grid, places, fallback, out);
        bw_interpolate_range(block, grid, places, low, high);
        return;
    }
    if (layer == narrow.layer)
        linear_and_range_many(block->value, places, narrow.row, narrow.layer, count, out, low, high);
    else
        linear_and_range_many(block->value, places, shape.row, layer, count, out, low, high);
    leave_outside(block, places, fallback, count, out);
    leave_range_outside(places, count, low, high);
}
