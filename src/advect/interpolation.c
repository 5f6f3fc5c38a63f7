// Blocks, and the kernels that interpolate in them. Most of the time of advection goes by here: half of it in
// copying blocks, half in kernels that read squares of four samples and blend those of four places at once.
// The plain form that they are tested against is bw_sample (grid/sample.h).
//
// The interpolation with missing cells is that of Cline, Cardon and Egbert 2005, fig. 5; the cubic
// one is that of the course notes of Bridson and Mueller-Fischer, section 5.2 (Fedkiw, Stam and Jensen 2001).
#include "advect/interpolation.h"

#include <math.h>
#include <string.h>

typedef float Pair __attribute__((vector_size(8)));
typedef float Quad __attribute__((vector_size(16)));
typedef float Oct __attribute__((vector_size(32)));
typedef float Wide __attribute__((vector_size(64)));

typedef int32_t WideBits __attribute__((vector_size(64)));

// Lanes of a where the condition holds, else those of b.
static inline Wide choose(WideBits condition, Wide a, Wide b)
{
    return (Wide)(((WideBits)a & condition) | ((WideBits)b & ~condition));
}

// In a flat grid the next layer is the layer itself.
static int layer_stride(const BwGrid *grid, BwBlockShape shape)
{
    return grid->layers == 1 ? 0 : shape.layer;
}

// Rows of a block that are in use along an axis, high end excluded.
typedef struct Span {
    int begin, end;
} Span;

static Span used(const BwGrid *grid, int axis, int reach)
{
    bool is_flat = axis == 2 && grid->layers == 1;
    int margin = bw_block_shape(reach).margin;
    return is_flat ? (Span){0, 1} : (Span){margin - reach, margin + BW_TILE + reach};
}

static inline Wide load_wide(const float *from)
{
    Wide wide;
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static float least_lane(Wide a)
{
    float least = a[0];
    for (int lane = 1; lane < 16; lane++)
        least = a[lane] < least ? a[lane] : least;
    return least;
}

// The least and the largest place along each axis; all axes in one loop, so that none waits for its own
// steps.
static inline void find_extents(BwBlockPoints *places, float *const at[3], int dimension, int count)
{
    Wide least[3], most[3]; // the latter with its sign turned
    for (int a = 0; a < dimension; a++) {
        least[a] = load_wide(at[a]);
        most[a] = -least[a];
    }
    for (int n = 16; n < count; n += 16)
        for (int a = 0; a < dimension; a++) {
            Wide x = load_wide(at[a] + n);
            least[a] = choose(x < least[a], x, least[a]);
            most[a] = choose(-x < most[a], -x, most[a]);
        }
    for (int a = 0; a < dimension; a++) {
        places->low[a] = least_lane(least[a]);
        places->high[a] = -least_lane(most[a]);
    }
}

// Samples around the tile that places need: those at the whole numbers below and above. They count from
// `first`, as find_many does: a place just below a whole number may be rounded up to it there, and then needs
// one sample more.
static float reach_of(float low, float high, float first)
{
    return fmaxf(0.0f, fmaxf(BW_REACH_MAX - floorf(low + first),
                             floorf(high + first) + 2.0f - BW_TILE - BW_REACH_MAX));
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
    float reach = 0.0f, first[3] = {0};
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
        reach = fmaxf(reach, reach_of(places->low[a], places->high[a], first[a]));
        if (low < (float)(span.low - 1) + 1e-3f || high > (float)(span.high + 1) - 1e-3f)
            find_outside(places, at[a], shift, span, grid->tile_cells);
    }
    reach = fmaxf(reach + (stencil == BW_STENCIL_CUBIC ? 1.0f : 0.0f), (float)reach_min);
    places->is_near = reach <= BW_REACH_MAX;
    places->reach = places->is_near ? (int)reach : 0;
    if (places->is_near && grid->dimension == 3)
        find_many(places, at, first, bw_block_shape(places->reach), 3, grid->tile_cells);
    else if (places->is_near)
        find_many(places, at, first, bw_block_shape(places->reach), 2, grid->tile_cells);
}

static void copy_plane(float *restrict block, const BwGrid *grid, int reach, int axis, int from, int to)
{
    BwBlockShape shape = bw_block_shape(reach);
    const int stride[3] = {1, shape.row, shape.layer};
    Span y = used(grid, axis == 1 ? 0 : 1, reach), z = used(grid, axis == 2 ? 0 : 2, reach);
    int y_stride = stride[axis == 1 ? 0 : 1], z_stride = stride[axis == 2 ? 0 : 2];
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            float *line = block + k * z_stride + j * y_stride;
            line[to * stride[axis]] = line[from * stride[axis]];
        }
}

static void repeat_beyond_box(float *restrict block, const BwGrid *grid, const BwSampleBox *samples,
                              int32_t slot, int reach)
{
    int margin = bw_block_shape(reach).margin;
    for (int axis = 0; axis < grid->dimension; axis++) {
        Span span = used(grid, axis, reach);
        BwSampleExtent inside = bw_sample_box_span(samples, grid, slot, axis);
        inside.low += margin;
        inside.high += margin;
        for (int n = span.begin; n < span.end && n < inside.low && inside.low < span.end; n++)
            copy_plane(block, grid, reach, axis, (int)inside.low, n);
        for (int n = span.end - 1; n >= span.begin && n > inside.high && inside.high >= span.begin; n--)
            copy_plane(block, grid, reach, axis, (int)inside.high, n);
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

static inline void gather_shape(float *restrict block, const BwField *field, int32_t slot, int reach,
                                BwBlockShape shape)
{
    const BwGrid *grid = field->store.grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    bool is_flat = grid->layers == 1;
    int layer_begin = is_flat ? 0 : -reach, layer_end = is_flat ? 1 : BW_TILE + reach;
    for (int k = layer_begin; k < layer_end; k++) {
        float *layer_out = block + (is_flat ? 0 : k + shape.margin) * shape.layer + shape.margin * shape.row;
        for (int dy = -1; dy <= 1; dy++) {
            int dz = k < 0 ? -1 : k >= BW_TILE, layer = BW_TILE_LAYER * (k & 7);
            const float *left = bw_field_tile(field, neighbour[bw_neighbour(-1, dy, dz)]) + layer;
            const float *middle = bw_field_tile(field, neighbour[bw_neighbour(0, dy, dz)]) + layer;
            const float *right = bw_field_tile(field, neighbour[bw_neighbour(1, dy, dz)]) + layer;
            int begin = dy < 0 ? -reach : BW_TILE * dy, end = dy > 0 ? BW_TILE + reach : BW_TILE * (dy + 1);
            for (int j = begin; j < end; j++) {
                int row = BW_TILE * (j & 7);
                gather_row(layer_out + j * shape.row, left + row, middle + row, right + row, shape.margin);
            }
        }
    }
}

static void gather_values(float *restrict block, const BwField *field, int32_t slot, int reach)
{
    if (reach <= BW_REACH_NARROW)
        gather_shape(block, field, slot, reach, bw_block_shape(BW_REACH_NARROW));
    else
        gather_shape(block, field, slot, reach, bw_block_shape(BW_REACH_MAX));
}

// The far wall's faces are valid where the cell before them is.
static void mark_far_wall(float *restrict weight, const BwGrid *grid, BwLocation location, int32_t slot,
                          int reach)
{
    int axis = bw_location_normal(location);
    if (axis < 0 || axis >= grid->dimension || !grid->far_wall[axis])
        return;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    int64_t at = (int64_t)grid->bounds.high[axis] - first[axis] + bw_block_shape(reach).margin;
    Span span = used(grid, axis, reach);
    if (at > span.begin && at < span.end)
        copy_plane(weight, grid, reach, axis, (int)at - 1, (int)at);
}

static void gather_weights(float *restrict weight, const BwGrid *grid, const BwMask *valid, int32_t slot,
                           int reach)
{
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    BwBlockShape shape = bw_block_shape(reach);
    Span y = used(grid, 1, reach), z = used(grid, 2, reach);
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
            float *restrict out = weight + k * shape.layer + j * shape.row;
            for (uint32_t i = 0; i < (uint32_t)shape.row; i++)
                out[i] = (float)(int32_t)(row >> i & 1u);
        }
}

void bw_interpolation_gather(BwInterpolationBlock *block, const BwField *field, const BwSampleBox *samples,
                             bool is_full, int32_t slot, int reach)
{
    const BwGrid *grid = field->store.grid;
    block->is_full = is_full;
    block->background = bw_field_background(field);
    block->reach = reach;
    gather_values(block->value, field, slot, reach);
    BwSampleBox around = is_full ? *samples : bw_sample_box_in_bounds(samples, grid);
    repeat_beyond_box(block->value, grid, &around, slot, reach);
    if (is_full)
        return;
    gather_weights(block->weight, grid, samples->valid, slot, reach);
    mark_far_wall(block->weight, grid, samples->location, slot, reach);
    repeat_beyond_box(block->weight, grid, &around, slot, reach);
    BwBlockShape shape = bw_block_shape(reach);
    Span y = used(grid, 1, reach), z = used(grid, 2, reach);
    for (int k = z.begin; k < z.end; k++)
        for (int n = k * shape.layer + y.begin * shape.row; n < k * shape.layer + y.end * shape.row; n++)
            block->value[n] *= block->weight[n];
}

static inline Quad load_quad(const float *from)
{
    Quad quad;
    memcpy(&quad, from, sizeof quad);
    return quad;
}

// Four samples of a layer around a place: two neighbours in x, of two neighbouring rows.
static inline Quad load_square(const float *corner, int row)
{
    Pair near, far;
    memcpy(&near, corner, sizeof near);
    memcpy(&far, corner + row, sizeof far);
    return __builtin_shufflevector(near, far, 0, 1, 2, 3);
}

// The squares of four places.
static inline Wide load_squares(const float *block, const int32_t *corner, int row)
{
    Oct low = __builtin_shufflevector(load_square(block + corner[0], row),
                                      load_square(block + corner[1], row), 0, 1, 2, 3, 4, 5, 6, 7);
    Oct high = __builtin_shufflevector(load_square(block + corner[2], row),
                                       load_square(block + corner[3], row), 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// By way of halves: gcc 12 goes through memory, and waits for it, when told to do it at once.
static inline Wide four_of_each(Quad a)
{
    Oct low = __builtin_shufflevector(a, a, 0, 0, 0, 0, 1, 1, 1, 1);
    Oct high = __builtin_shufflevector(a, a, 2, 2, 2, 2, 3, 3, 3, 3);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// Of the squares, the rows near and far in y; of those, the samples near and far in x.
static inline Oct near_rows(Wide squares)
{
    return __builtin_shufflevector(squares, squares, 0, 1, 4, 5, 8, 9, 12, 13);
}

static inline Oct far_rows(Wide squares)
{
    return __builtin_shufflevector(squares, squares, 2, 3, 6, 7, 10, 11, 14, 15);
}

static inline Quad near_samples(Oct rows)
{
    return __builtin_shufflevector(rows, rows, 0, 2, 4, 6);
}

static inline Quad far_samples(Oct rows)
{
    return __builtin_shufflevector(rows, rows, 1, 3, 5, 7);
}

// A blend of the samples around four places: first along z, then y, then x.
static inline Quad blend(Wide near_layer, Wide far_layer, const BwBlockPoints *places, int n, bool is_flat)
{
    Quad x = load_quad(places->part[0] + n), y = load_quad(places->part[1] + n);
    Wide squares = near_layer;
    if (!is_flat)
        squares += four_of_each(load_quad(places->part[2] + n)) * (far_layer - near_layer);
    Oct near = near_rows(squares), part = __builtin_shufflevector(y, y, 0, 0, 1, 1, 2, 2, 3, 3);
    Oct rows = near + part * (far_rows(squares) - near);
    Quad first = near_samples(rows);
    return first + x * (far_samples(rows) - first);
}

// Trilinear samples at all places; in 2-D `layer` is 0.
static inline void linear_many(const float *restrict block, const BwBlockPoints *places, int row, int layer,
                               int count, float *restrict out)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        Wide near = load_squares(block, corner, row),
             far = layer == 0 ? near : load_squares(block + layer, corner, row);
        Quad value = blend(near, far, places, n, layer == 0);
        memcpy(out + n, &value, sizeof value);
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

// By single lanes, for C has no vector choice; the compilers make one instruction of it.
static inline Quad smaller(Quad a, Quad b)
{
    for (int n = 0; n < 4; n++)
        a[n] = a[n] < b[n] ? a[n] : b[n];
    return a;
}

static inline Quad larger(Quad a, Quad b)
{
    for (int n = 0; n < 4; n++)
        a[n] = a[n] > b[n] ? a[n] : b[n];
    return a;
}

// Bridson and Mueller-Fischer 2007, eq. 5.11: the cubic of Catmull and Rom between the second and third of
// four samples, as their weights.
static inline Quad cubic_weights(float x)
{
    const Quad one = {0.0f, 1.0f, 0.0f, 0.0f}, linear = {-0.5f, 0.0f, 0.5f, 0.0f},
               square = {1.0f, -2.5f, 2.0f, -0.5f}, cube = {-0.5f, 1.5f, -1.5f, 0.5f};
    return one + x * (linear + x * (square + x * cube));
}

// Four rows of four samples.
static inline Wide load_rows(const float *corner, int row)
{
    Oct low = __builtin_shufflevector(load_quad(corner), load_quad(corner + row), 0, 1, 2, 3, 4, 5, 6, 7);
    Oct high = __builtin_shufflevector(load_quad(corner + 2 * row), load_quad(corner + 3 * row), 0, 1, 2, 3,
                                       4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// The four in the middle of four rows.
static inline Quad middle(Wide rows)
{
    return __builtin_shufflevector(rows, rows, 5, 6, 9, 10);
}

// The sum along y of rows with their weights, then that along x.
static inline float sum_of_rows(Wide rows, float x, float y)
{
    Quad w = cubic_weights(y);
    rows *= four_of_each(w);
    Oct two = __builtin_shufflevector(rows, rows, 0, 1, 2, 3, 4, 5, 6, 7) +
              __builtin_shufflevector(rows, rows, 8, 9, 10, 11, 12, 13, 14, 15);
    Quad line = __builtin_shufflevector(two, two, 0, 1, 2, 3) + __builtin_shufflevector(two, two, 4, 5, 6, 7);
    line *= cubic_weights(x);
    return (line[0] + line[1]) + (line[2] + line[3]);
}

// The cubic through the 4x4x4 samples (4x4 in 2-D) of which `corner` is the first, limited to what the
// innermost samples span. The notes limit each axis by itself: that flattens every ridge that lies along one,
// where this one cuts no more than peaks.
static inline float cubic_at(const float *corner, int row, int layer, float x, float y, float z)
{
    Wide rows = load_rows(corner + layer, row), next = load_rows(corner + 2 * layer, row);
    Quad least = smaller(middle(rows), middle(next)), most = larger(middle(rows), middle(next));
    if (layer != 0) {
        Quad w = cubic_weights(z);
        rows = w[0] * load_rows(corner, row) + w[1] * rows + w[2] * next +
               w[3] * load_rows(corner + 3 * layer, row);
    }
    float value = sum_of_rows(rows, x, y);
    least = smaller(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
    most = larger(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    float low = least[0] < least[1] ? least[0] : least[1], high = most[0] > most[1] ? most[0] : most[1];
    value = value > low ? value : low;
    return value < high ? value : high;
}

static inline bool is_whole(const float *corner, int row, int layer)
{
    Quad least = load_quad(corner);
    for (int k = 0; k < (layer == 0 ? 1 : 4); k++)
        for (int j = 0; j < 4; j++)
            least = smaller(least, load_quad(corner + row * j + layer * k));
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
            out[n] =
                cubic_at(block->value + first, shape.row, layer, places->part[0][n], places->part[1][n], z);
    }
}

static inline Wide smaller_wide(Wide a, Wide b)
{
    return choose(a < b, a, b);
}

// The smallest sample around each of four places.
static inline Quad smallest_of_squares(Wide squares)
{
    Oct near = near_rows(squares), far = far_rows(squares), rows;
    for (int n = 0; n < 8; n++)
        rows[n] = near[n] < far[n] ? near[n] : far[n];
    return smaller(near_samples(rows), far_samples(rows));
}

static inline void store_range(Wide least, Wide most, float *restrict low, float *restrict high)
{
    Quad lowest = smallest_of_squares(least), highest = -smallest_of_squares(-most);
    memcpy(low, &lowest, sizeof lowest);
    memcpy(high, &highest, sizeof highest);
}

// Of the samples that exist: a missing one must not count, whatever it holds, and is put out of the way.
static void range_of_existing(const BwInterpolationBlock *block, const BwBlockPoints *places, int row,
                              int layer, int count, float *restrict low, float *restrict high)
{
    const Wide none = {0};
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        Wide near = load_squares(block->value, corner, row),
             far = load_squares(block->value + layer, corner, row);
        WideBits near_exists = load_squares(block->weight, corner, row) > none,
                 far_exists = load_squares(block->weight + layer, corner, row) > none;
        store_range(
            smaller_wide(choose(near_exists, near, none + 3e38f), choose(far_exists, far, none + 3e38f)),
            -smaller_wide(choose(near_exists, -near, none + 3e38f), choose(far_exists, -far, none + 3e38f)),
            low + n, high + n);
    }
}

static void range_of_all(const float *restrict block, const BwBlockPoints *places, int row, int layer,
                         int count, float *restrict low, float *restrict high)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        Wide near = load_squares(block, corner, row), far = load_squares(block + layer, corner, row);
        store_range(smaller_wide(near, far), -smaller_wide(-near, -far), low + n, high + n);
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
        Wide near = load_squares(block, corner, row), far = load_squares(block + layer, corner, row);
        Quad value = blend(near, far, places, n, layer == 0);
        memcpy(out + n, &value, sizeof value);
        store_range(smaller_wide(near, far), -smaller_wide(-near, -far), low + n, high + n);
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
