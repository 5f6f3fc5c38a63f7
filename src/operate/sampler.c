// Blocks and kernels of the sampler. More than half of the time of advection goes by in linear_many: it reads
// squares of four samples and blends those of four places at once. The plain form that it is tested against
// is bw_sample (grid/sample.h).
//
// The interpolation with missing cells is that of Carlson's "Fluid Flow for the Rest of Us", fig 5; the cubic
// one is that of the course notes of Bridson and Mueller-Fischer, section 5.2 (Fedkiw, Stam and Jensen 2001).
#include "operate/sampler.h"

#include <math.h>
#include <string.h>

enum { ROW = BW_SAMPLER_ROW, LAYER = BW_SAMPLER_LAYER, MARGIN = BW_REACH_MAX };

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

static int layer_stride(const BwGrid *grid)
{
    return grid->layers == 1 ? 0 : LAYER;
}

// Rows of a block that are in use along an axis, high end excluded.
typedef struct Span {
    int begin, end;
} Span;

static Span used(const BwGrid *grid, int axis, int reach)
{
    bool is_flat = axis == 2 && grid->layers == 1;
    return is_flat ? (Span){0, 1} : (Span){MARGIN - reach, MARGIN + BW_TILE + reach};
}

// Samples around the tile that places along one axis need: those at the whole numbers below and above.
static float reach_along(const float *at, float shift, int count)
{
    Wide nearest = {0}, farthest = {0};
    for (int n = 0; n < count; n += 16) {
        Wide x;
        memcpy(&x, at + n, sizeof x);
        nearest = choose(x < nearest, x, nearest);
        farthest = choose(x > farthest, x, farthest);
    }
    float low = 0.0f, high = 0.0f;
    for (int lane = 0; lane < 16; lane++) {
        low = nearest[lane] < low ? nearest[lane] : low;
        high = farthest[lane] > high ? farthest[lane] : high;
    }
    return fmaxf(-floorf(low - shift), floorf(high - shift) + 2.0f - BW_TILE);
}

static void find_along(BwPlaces *places, const float *restrict at, float shift, int stride, int axis,
                       int count)
{
    float *restrict part = places->part[axis];
    int32_t *restrict corner = places->corner;
    for (int n = 0; n < count; n++) {
        float x = at[n] + (MARGIN - shift);
        int32_t whole = (int32_t)x; // not negative, for the block begins at 0
        part[n] = x - (float)whole;
        corner[n] = (axis == 0 ? 0 : corner[n]) + stride * whole;
    }
}

void bw_places_find(BwPlaces *places, const BwGrid *grid, BwLocation location, float *const at[3])
{
    const int stride[3] = {1, ROW, LAYER};
    float reach = 0.0f;
    for (int a = 0; a < grid->dimension; a++)
        reach = fmaxf(reach, reach_along(at[a], bw_location_shift(location, a), grid->tile_cells));
    places->is_near = reach <= BW_REACH_MAX;
    places->reach = places->is_near ? (int)reach : 0;
    for (int a = 0; a < grid->dimension && places->is_near; a++)
        find_along(places, at[a], bw_location_shift(location, a), stride[a], a, grid->tile_cells);
}

// Whether a missing tile is no gap, because all its cells lie outside the bounds.
static bool is_outside(const BwGrid *grid, BwTileCoord coord, int dx, int dy, int dz)
{
    int32_t first[3];
    bw_tile_first_cell(grid, (BwTileCoord){coord.x + dx, coord.y + dy, coord.z + dz}, first);
    for (int a = 0; a < grid->dimension; a++)
        if (first[a] >= grid->bounds.high[a] || first[a] + BW_TILE <= grid->bounds.low[a])
            return true;
    return false;
}

bool bw_sampler_is_full(const BwGrid *grid, const BwMask *valid, int32_t slot)
{
    const BwGridTile *tile = &grid->tiles[slot];
    int dz_max = grid->layers == 1 ? 0 : 1;
    size_t size = (size_t)grid->layers * sizeof(uint64_t);
    for (int dz = -dz_max; dz <= dz_max; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int32_t other = tile->neighbour[bw_neighbour(dx, dy, dz)];
                const uint64_t *words = bw_mask_tile(valid, other);
                bool is_full = other == 0
                                   ? words[0] == ~(uint64_t)0 || is_outside(grid, tile->coord, dx, dy, dz)
                                   : memcmp(words, grid->tiles[other].live, size) == 0;
                if (!is_full)
                    return false;
            }
    return true;
}

static void copy_plane(float *restrict block, const BwGrid *grid, int reach, int axis, int from, int to)
{
    const int stride[3] = {1, ROW, LAYER};
    Span y = used(grid, axis == 1 ? 0 : 1, reach), z = used(grid, axis == 2 ? 0 : 2, reach);
    int y_stride = stride[axis == 1 ? 0 : 1], z_stride = stride[axis == 2 ? 0 : 2];
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            float *line = block + k * z_stride + j * y_stride;
            line[to * stride[axis]] = line[from * stride[axis]];
        }
}

// The samples inside the bounds along an axis, in block coordinates, both ends included.
static void inside_span(const BwGrid *grid, BwLocation location, int32_t slot, int axis, int *low, int *high)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    bool has_far_face = grid->far_wall[axis] && bw_location_normal(location) == axis;
    int64_t from = (int64_t)grid->bounds.low[axis] - first[axis] + MARGIN;
    int64_t to = (int64_t)grid->bounds.high[axis] - first[axis] + MARGIN - (has_far_face ? 0 : 1);
    *low = from > 0 ? (int)from : 0;
    *high = to < ROW - 1 ? (int)to : ROW - 1;
}

static void repeat_beyond_bounds(float *restrict block, const BwGrid *grid, BwLocation location, int32_t slot,
                                 int reach)
{
    for (int axis = 0; axis < grid->dimension; axis++) {
        Span span = used(grid, axis, reach);
        int low, high;
        inside_span(grid, location, slot, axis, &low, &high);
        for (int n = span.begin; n < low; n++)
            copy_plane(block, grid, reach, axis, low, n);
        for (int n = high + 1; n < span.end; n++)
            copy_plane(block, grid, reach, axis, high, n);
    }
}

// Half a neighbour's row is enough for most blocks.
static void gather_row(float *restrict row, const float *left, const float *middle, const float *right,
                       bool is_wide)
{
    memcpy(row + 4, left + 4, 4 * sizeof *row);
    memcpy(row + 8, middle, 8 * sizeof *row);
    memcpy(row + 16, right, 4 * sizeof *row);
    if (is_wide) {
        memcpy(row, left, 4 * sizeof *row);
        memcpy(row + 20, right + 4, 4 * sizeof *row);
    }
}

static void gather_values(float *restrict block, const BwField *field, int32_t slot, int reach)
{
    const BwGrid *grid = field->store.grid;
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    Span y = used(grid, 1, reach), z = used(grid, 2, reach);
    bool is_flat = grid->layers == 1;
    for (int k = z.begin; k < z.end; k++) {
        int dz = is_flat ? 0 : (k >> 3) - 1;
        for (int dy = -1; dy <= 1; dy++) {
            int layer = BW_TILE_LAYER * (k & 7);
            const float *left = bw_field_tile(field, neighbour[bw_neighbour(-1, dy, dz)]) + layer;
            const float *middle = bw_field_tile(field, neighbour[bw_neighbour(0, dy, dz)]) + layer;
            const float *right = bw_field_tile(field, neighbour[bw_neighbour(1, dy, dz)]) + layer;
            int begin = dy < 0 ? y.begin : BW_TILE * (dy + 1), end = dy > 0 ? y.end : BW_TILE * (dy + 2);
            for (int j = begin; j < end; j++) {
                int row = BW_TILE * (j & 7);
                gather_row(block + k * LAYER + j * ROW, left + row, middle + row, right + row, reach > 4);
            }
        }
    }
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
    int64_t at = (int64_t)grid->bounds.high[axis] - first[axis] + MARGIN;
    Span span = used(grid, axis, reach);
    if (at > span.begin && at < span.end)
        copy_plane(weight, grid, reach, axis, (int)at - 1, (int)at);
}

static void gather_weights(float *restrict weight, const BwGrid *grid, const BwMask *valid, int32_t slot,
                           int reach)
{
    const int32_t *neighbour = grid->tiles[slot].neighbour;
    Span y = used(grid, 1, reach), z = used(grid, 2, reach);
    for (int k = z.begin; k < z.end; k++)
        for (int j = y.begin; j < y.end; j++) {
            int dy = (j >> 3) - 1, dz = grid->layers == 1 ? 0 : (k >> 3) - 1;
            uint32_t row = 0;
            for (int dx = -1; dx <= 1; dx++) {
                const uint64_t *words = bw_mask_tile(valid, neighbour[bw_neighbour(dx, dy, dz)]);
                row |= (uint32_t)(words[k & 7] >> (BW_TILE * (j & 7)) & 0xff) << (BW_TILE * (dx + 1));
            }
            float *restrict out = weight + k * LAYER + j * ROW;
            for (uint32_t i = 0; i < ROW; i++)
                out[i] = (float)(int32_t)(row >> i & 1u);
        }
}

void bw_sampler_gather(BwSamplerBlock *block, const BwField *field, const BwMask *valid, bool is_full,
                       int32_t slot, int reach)
{
    const BwGrid *grid = field->store.grid;
    block->is_full = is_full;
    block->background = bw_field_background(field);
    block->reach = reach;
    gather_values(block->value, field, slot, reach);
    repeat_beyond_bounds(block->value, grid, field->location, slot, reach);
    if (is_full)
        return;
    gather_weights(block->weight, grid, valid, slot, reach);
    mark_far_wall(block->weight, grid, field->location, slot, reach);
    repeat_beyond_bounds(block->weight, grid, field->location, slot, reach);
    Span y = used(grid, 1, reach), z = used(grid, 2, reach);
    for (int k = z.begin; k < z.end; k++)
        for (int n = k * LAYER + y.begin * ROW; n < k * LAYER + y.end * ROW; n++)
            block->value[n] *= block->weight[n];
}

static inline Quad load_quad(const float *from)
{
    Quad quad;
    memcpy(&quad, from, sizeof quad);
    return quad;
}

// Four samples of a layer around a place: two neighbours in x, of two neighbouring rows.
static inline Quad load_square(const float *corner)
{
    Pair near, far;
    memcpy(&near, corner, sizeof near);
    memcpy(&far, corner + ROW, sizeof far);
    return __builtin_shufflevector(near, far, 0, 1, 2, 3);
}

// The squares of four places.
static inline Wide load_squares(const float *block, const int32_t *corner)
{
    Oct low = __builtin_shufflevector(load_square(block + corner[0]), load_square(block + corner[1]), 0, 1, 2,
                                      3, 4, 5, 6, 7);
    Oct high = __builtin_shufflevector(load_square(block + corner[2]), load_square(block + corner[3]), 0, 1,
                                       2, 3, 4, 5, 6, 7);
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

// Trilinear samples at all places; in 2-D `layer` is 0.
static inline void linear_many(const float *restrict block, const BwPlaces *places, int layer, int count,
                               float *restrict out)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        Quad x = load_quad(places->part[0] + n), y = load_quad(places->part[1] + n);
        Wide squares = load_squares(block, corner);
        if (layer != 0) {
            Quad z = load_quad(places->part[2] + n);
            squares += four_of_each(z) * (load_squares(block + layer, corner) - squares);
        }
        Oct near = near_rows(squares), part = __builtin_shufflevector(y, y, 0, 0, 1, 1, 2, 2, 3, 3);
        Oct rows = near + part * (far_rows(squares) - near);
        Quad first = near_samples(rows), value = first + x * (far_samples(rows) - first);
        memcpy(out + n, &value, sizeof value);
    }
}

static void sample_linear(const float *block, const BwPlaces *places, const BwGrid *grid, float *out)
{
    if (grid->layers == 1)
        linear_many(block, places, 0, grid->tile_cells, out);
    else
        linear_many(block, places, LAYER, grid->tile_cells, out);
}

// Below this share of valid samples a place counts as having none: float cannot divide by less with sense.
static const float least_weight = 1e-5f;

void bw_sampler_linear(BwSamplerBlock *block, const BwGrid *grid, const BwPlaces *places,
                       const float *fallback, float *out)
{
    sample_linear(block->value, places, grid, out);
    if (block->is_full)
        return;
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

// E (5.11), the cubic of Catmull and Rom between the second and third of four samples, as their weights.
static inline Quad cubic_weights(float x)
{
    const Quad one = {0.0f, 1.0f, 0.0f, 0.0f}, linear = {-0.5f, 0.0f, 0.5f, 0.0f},
               square = {1.0f, -2.5f, 2.0f, -0.5f}, cube = {-0.5f, 1.5f, -1.5f, 0.5f};
    return one + x * (linear + x * (square + x * cube));
}

// Four rows of four samples.
static inline Wide load_rows(const float *corner)
{
    Oct low = __builtin_shufflevector(load_quad(corner), load_quad(corner + ROW), 0, 1, 2, 3, 4, 5, 6, 7);
    Oct high = __builtin_shufflevector(load_quad(corner + 2 * ROW), load_quad(corner + 3 * ROW), 0, 1, 2, 3,
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
static inline float cubic_at(const float *corner, int layer, float x, float y, float z)
{
    Wide rows = load_rows(corner + layer), next = load_rows(corner + 2 * layer);
    Quad least = smaller(middle(rows), middle(next)), most = larger(middle(rows), middle(next));
    if (layer != 0) {
        Quad w = cubic_weights(z);
        rows = w[0] * load_rows(corner) + w[1] * rows + w[2] * next + w[3] * load_rows(corner + 3 * layer);
    }
    float value = sum_of_rows(rows, x, y);
    least = smaller(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
    most = larger(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    float low = least[0] < least[1] ? least[0] : least[1], high = most[0] > most[1] ? most[0] : most[1];
    value = value > low ? value : low;
    return value < high ? value : high;
}

static inline bool is_whole(const float *corner, int layer)
{
    Quad least = load_quad(corner);
    for (int k = 0; k < (layer == 0 ? 1 : 4); k++)
        for (int j = 0; j < 4; j++)
            least = smaller(least, load_quad(corner + ROW * j + layer * k));
    return least[0] > 0.0f && least[1] > 0.0f && least[2] > 0.0f && least[3] > 0.0f;
}

void bw_sampler_cubic(BwSamplerBlock *block, const BwGrid *grid, const BwPlaces *places,
                      const float *fallback, float *out)
{
    int layer = layer_stride(grid);
    BW_ASSERT(block->reach > places->reach);
    if (!block->is_full)
        bw_sampler_linear(block, grid, places, fallback, out);
    for (int n = 0; n < grid->tile_cells; n++) {
        int first = places->corner[n] - 1 - ROW - layer;
        float z = layer == 0 ? 0.0f : places->part[2][n];
        if (block->is_full || is_whole(block->weight + first, layer))
            out[n] = cubic_at(block->value + first, layer, places->part[0][n], places->part[1][n], z);
    }
}

// The smallest of each four, in all four.
static inline Wide smallest_of_four(Wide a)
{
    Wide b = __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    a = choose(a < b, a, b);
    b = __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    return choose(a < b, a, b);
}

static inline void range_many(const BwSamplerBlock *block, const BwPlaces *places, int layer, bool is_full,
                              int count, float *restrict low, float *restrict high)
{
    for (int n = 0; n < count; n += 4) {
        const int32_t *corner = places->corner + n;
        const Wide none = {0};
        Wide near = load_squares(block->value, corner), far = load_squares(block->value + layer, corner);
        Wide least = choose(near < far, near, far), most = choose(near > far, near, far);
        if (!is_full) { // a missing sample must not count, whatever it holds: put it out of the way
            Wide near_share = load_squares(block->weight, corner),
                 far_share = load_squares(block->weight + layer, corner);
            Wide near_low = choose(near_share > none, near, none + 3e38f),
                 far_low = choose(far_share > none, far, none + 3e38f),
                 near_high = choose(near_share > none, near, none - 3e38f),
                 far_high = choose(far_share > none, far, none - 3e38f);
            least = choose(near_low < far_low, near_low, far_low);
            most = choose(near_high > far_high, near_high, far_high);
        }
        least = smallest_of_four(least);
        most = -smallest_of_four(-most);
        Quad lowest = __builtin_shufflevector(least, least, 0, 4, 8, 12),
             highest = __builtin_shufflevector(most, most, 0, 4, 8, 12);
        memcpy(low + n, &lowest, sizeof lowest);
        memcpy(high + n, &highest, sizeof highest);
    }
}

void bw_sampler_range(const BwSamplerBlock *block, const BwGrid *grid, const BwPlaces *places, float *low,
                      float *high)
{
    if (block->is_full)
        range_many(block, places, layer_stride(grid), true, grid->tile_cells, low, high);
    else
        range_many(block, places, layer_stride(grid), false, grid->tile_cells, low, high);
}
