// Paths on tiles.
//
// Stam 1999, Stable Fluids; the interpolation with missing cells is that of Carlson's "Fluid Flow for the
// Rest of Us", fig 5; the cubic one is that of the course notes of Bridson and Mueller-Fischer, section 5.2
// (Fedkiw, Stam and Jensen 2001).
#include "operate/trace.h"

#include "operate/sides.h"
#include <string.h>

void bw_trace_pass(BwTracePass *pass, const BwDomain *domain, const BwVelocity *velocity, BwLocation location,
                   bool is_cubic, float dt)
{
    const BwGrid *grid = domain->grid;
    pass->is_cubic = is_cubic;
    pass->domain = domain;
    pass->velocity = velocity;
    pass->location = location;
    pass->cells_per_speed = dt / grid->cell_size;
    for (int n = 0; n < grid->tile_cells; n++) {
        pass->start[0][n] = (float)(n & 7) + bw_location_shift(location, 0);
        pass->start[1][n] = (float)(n >> 3 & 7) + bw_location_shift(location, 1);
        pass->start[2][n] = grid->layers == 1 ? 0.0f : (float)(n >> 6) + bw_location_shift(location, 2);
    }
}

void bw_trace_gather(BwTraceBlock *block, const BwField *field, const BwMask *valid, int32_t slot)
{
    const BwGrid *grid = field->store.grid;
    bw_block_gather(field, slot, block->value);
    block->is_full = bw_block_gather_weight(grid, valid, field->location, slot, block->weight);
    block->background = bw_field_background(field);
    for (int a = 0; a < 3; a++)
        block->shift[a] = bw_location_shift(field->location, a);
    if (!block->is_full)
        for (int n = 0; n < BW_BLOCK_LAYER * bw_block_layers(grid); n++)
            block->value[n] *= block->weight[n];
}

void bw_trace_tile(BwTracer *tracer, const BwTracePass *pass, int32_t slot)
{
    const BwGrid *grid = pass->domain->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        tracer->low[a] = (float)((int64_t)grid->bounds.low[a] - first[a]);
        tracer->high[a] = (float)((int64_t)grid->bounds.high[a] - first[a]);
    }
    for (int a = 0; a < grid->dimension; a++)
        bw_trace_gather(&tracer->velocity[a], &pass->velocity->u[a], &pass->domain->face[a], slot);
}

typedef float Pair __attribute__((vector_size(8)));
typedef float Quad __attribute__((vector_size(16)));

// Four samples of a layer around a place: two neighbours in x, of two neighbouring rows.
static inline Quad load_square(const float *corner)
{
    Pair near, far;
    memcpy(&near, corner, sizeof near);
    memcpy(&far, corner + BW_BLOCK, sizeof far);
    return __builtin_shufflevector(near, far, 0, 1, 2, 3);
}

// Trilinear samples of a block at many places. In 2-D `layer` is 0: both layers are the same one. Half of the
// time of advection goes by here; blending squares of four lanes takes half of what eight single reads did.
static void sample_many(const float *restrict block, const float shift[3], const float *restrict x,
                        const float *restrict y, const float *restrict z, int layer, int count,
                        float *restrict out)
{
    float dx = BW_HALO - shift[0], dy = BW_HALO - shift[1], dz = layer == 0 ? 0.0f : BW_HALO - shift[2];
    for (int n = 0; n < count; n++) {
        float px = x[n] + dx, py = y[n] + dy, pz = layer == 0 ? 0.0f : z[n] + dz;
        int i = (int)px, j = (int)py, k = (int)pz; // never negative: the block begins at 0
        const float *corner = block + i + BW_BLOCK * j + layer * k;
        Quad low = load_square(corner), high = load_square(corner + layer);
        Quad square = low + (pz - (float)k) * (high - low);
        Pair near = __builtin_shufflevector(square, square, 0, 1),
             far = __builtin_shufflevector(square, square, 2, 3);
        Pair row = near + (py - (float)j) * (far - near);
        out[n] = row[0] + (px - (float)i) * (row[1] - row[0]);
    }
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

// E (5.11) between b and c: the cubic through both, with the slopes of Catmull and Rom.
static inline Quad catmull_rom(Quad a, Quad b, Quad c, Quad d, float x)
{
    Quad rise = c - b, slope = 0.5f * (c - a), slope_end = 0.5f * (d - b);
    return b + x * (slope +
                    x * ((3.0f * rise - 2.0f * slope - slope_end) + x * (slope + slope_end - 2.0f * rise)));
}

static inline Quad load_row(const float *from)
{
    Quad row;
    memcpy(&row, from, sizeof row);
    return row;
}

// The cubic through the 4x4x4 samples (4x4 in 2-D) of which `corner` is the first, along z, then y, then x;
// limited to what the innermost samples span. The notes limit each axis by itself: that flattens every ridge
// that lies along one, where this one cuts no more than peaks.
static inline float cubic_at(const float *corner, int layer, float x, float y, float z)
{
    Quad row[4], least[2], most[2];
    for (int j = 0; j < 4; j++, corner += BW_BLOCK) {
        Quad near = load_row(corner + layer), far = load_row(corner + 2 * layer);
        row[j] =
            layer == 0 ? near : catmull_rom(load_row(corner), near, far, load_row(corner + 3 * layer), z);
        least[j & 1] = j == 1 || j == 2 ? smaller(near, far) : least[j & 1];
        most[j & 1] = j == 1 || j == 2 ? larger(near, far) : most[j & 1];
    }
    Quad line = catmull_rom(row[0], row[1], row[2], row[3], y);
    float value = catmull_rom((Quad){line[0]}, (Quad){line[1]}, (Quad){line[2]}, (Quad){line[3]}, x)[0];
    Quad low = smaller(least[0], least[1]), high = larger(most[0], most[1]);
    float lowest = low[1] < low[2] ? low[1] : low[2], highest = high[1] > high[2] ? high[1] : high[2];
    value = value > lowest ? value : lowest;
    return value < highest ? value : highest;
}

static inline bool is_whole(const float *corner, int layer)
{
    Quad least = load_row(corner);
    for (int k = 0; k < (layer == 0 ? 1 : 4); k++)
        for (int j = 0; j < 4; j++)
            least = smaller(least, load_row(corner + BW_BLOCK * j + layer * k));
    return least[0] > 0.0f && least[1] > 0.0f && least[2] > 0.0f && least[3] > 0.0f;
}

// Cubic samples of a block, where all the samples they need exist; elsewhere `out` stays as it is.
static void sample_many_cubic(const BwTraceBlock *block, float *const at[3], int layer, int count,
                              float *restrict out)
{
    float shift[3];
    for (int a = 0; a < 3; a++)
        shift[a] = BW_HALO - block->shift[a];
    for (int n = 0; n < count; n++) {
        float x = at[0][n] + shift[0], y = at[1][n] + shift[1], z = layer == 0 ? 0.0f : at[2][n] + shift[2];
        int i = (int)x, j = (int)y, k = (int)z;
        int corner = i - 1 + BW_BLOCK * (j - 1) + (layer == 0 ? 0 : layer * (k - 1));
        if (block->is_full || is_whole(block->weight + corner, layer))
            out[n] = cubic_at(block->value + corner, layer, x - (float)i, y - (float)j, z - (float)k);
    }
}

// Below this share of valid samples a place counts as having none: float cannot divide by less with sense.
static const float least_weight = 1e-5f;

// Samples by A3's rule. Where none is around, `fallback` stays.
static void sample_block(BwTracer *tracer, const BwTraceBlock *block, float *const at[3], int layer,
                         int count, const float *fallback, float *out)
{
    sample_many(block->value, block->shift, at[0], at[1], at[2], layer, count, out);
    if (block->is_full)
        return;
    sample_many(block->weight, block->shift, at[0], at[1], at[2], layer, count, tracer->sum);
    for (int n = 0; n < count; n++)
        out[n] = tracer->sum[n] > least_weight ? out[n] / tracer->sum[n]
                 : fallback != NULL            ? fallback[n]
                                               : block->background;
}

static void speeds_at(BwTracer *tracer, float *const at[3], int dimension, int layer, int count, float scale)
{
    for (int a = 0; a < dimension; a++) {
        sample_block(tracer, &tracer->velocity[a], at, layer, count, NULL, tracer->speed[a]);
        for (int n = 0; n < count; n++)
            tracer->speed[a][n] *= scale;
    }
}

// Where the samples of a block lie that surround a sample of another location: half a cell off along some
// axes.
static int offsets_around(const BwTraceBlock *block, BwLocation location, int dimension, int offsets[8])
{
    static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    int count = 1;
    offsets[0] = 0;
    for (int a = 0; a < dimension; a++) {
        float apart = bw_location_shift(location, a) - block->shift[a];
        if (apart == 0.0f)
            continue;
        for (int n = 0; n < count; n++)
            offsets[count + n] = offsets[n] + (apart > 0.0f ? stride[a] : -stride[a]);
        count *= 2;
    }
    return count;
}

static void add_rows(const float *restrict block, const int *offsets, int offset_count, const BwGrid *grid,
                     float *restrict sum)
{
    for (int row = 0; row < grid->tile_cells / BW_TILE; row++) {
        const float *from =
            block + bw_block_origin(grid) + BW_BLOCK * (row % BW_TILE) + BW_BLOCK_LAYER * (row / BW_TILE);
        for (int i = 0; i < BW_TILE; i++)
            sum[BW_TILE * row + i] = from[offsets[0] + i];
        for (int n = 1; n < offset_count; n++)
            for (int i = 0; i < BW_TILE; i++)
                sum[BW_TILE * row + i] += from[offsets[n] + i];
    }
}

// Speeds at the samples themselves: plain averages of the samples around, which is what interpolation gives
// there.
static void speeds_at_start(BwTracer *tracer, const BwGrid *grid, BwLocation location, float scale)
{
    for (int a = 0; a < grid->dimension; a++) {
        const BwTraceBlock *block = &tracer->velocity[a];
        float *restrict speed = tracer->speed[a];
        int offsets[8], count = offsets_around(block, location, grid->dimension, offsets);
        add_rows(block->value, offsets, count, grid, speed);
        if (block->is_full) {
            for (int n = 0; n < grid->tile_cells; n++)
                speed[n] *= scale / (float)count;
            continue;
        }
        add_rows(block->weight, offsets, count, grid, tracer->sum);
        for (int n = 0; n < grid->tile_cells; n++)
            speed[n] = scale * (tracer->sum[n] > 0.0f ? speed[n] / tracer->sum[n] : block->background);
    }
}

// Moves places along the speeds, and stops them at the box. Tells whether all ended inside the block.
static bool move(BwTracer *tracer, const BwTracePass *pass, float part)
{
    const BwGrid *grid = pass->domain->grid;
    float nearest = 0.0f, farthest = 0.0f;
    for (int a = 0; a < grid->dimension; a++) {
        const float *restrict start = pass->start[a], *restrict speed = tracer->speed[a];
        float *restrict path = tracer->path[a];
        float low = tracer->low[a], high = tracer->high[a];
        for (int n = 0; n < grid->tile_cells; n++) {
            float place = start[n] + part * speed[n];
            place = place > low ? place : low; // written so that NaN stops too
            place = place < high ? place : high;
            path[n] = place;
            nearest = place < nearest ? place : nearest;
            farthest = place > farthest ? place : farthest;
        }
    }
    // Half a cell of shift and one sample more on the far side must stay inside the halo; a cubic reads one
    // more on both.
    float more = pass->is_cubic ? 1.0f : 0.0f;
    return nearest >= 0.5f + more - BW_HALO && farthest <= (float)(BW_TILE + BW_HALO) - 1.5f - more;
}

static int layer_stride(const BwGrid *grid)
{
    return grid->layers == 1 ? 0 : BW_BLOCK_LAYER;
}

static bool trace_in_block(BwTracer *tracer, const BwTracePass *pass, float direction)
{
    const BwGrid *grid = pass->domain->grid;
    float *const path[3] = {tracer->path[0], tracer->path[1], tracer->path[2]};
    speeds_at_start(tracer, grid, pass->location, pass->cells_per_speed);
    if (!move(tracer, pass, 0.5f * direction))
        return false;
    speeds_at(tracer, path, grid->dimension, layer_stride(grid), grid->tile_cells, pass->cells_per_speed);
    return move(tracer, pass, direction);
}

static void trace_far(BwTracer *tracer, const BwTracePass *pass, int32_t slot, float direction, int n)
{
    const BwGrid *grid = pass->domain->grid;
    float at[3] = {pass->start[0][n], pass->start[1][n], pass->start[2][n]};
    for (int stage = 0; stage < 2; stage++) {
        float speed[3] = {0}, part = (stage == 0 ? 0.5f : 1.0f) * direction * pass->cells_per_speed;
        for (int a = 0; a < grid->dimension; a++) {
            const BwField *u = &pass->velocity->u[a];
            speed[a] = bw_field_background(u);
            bw_sample_local(u, &pass->domain->face[a], slot, at, &speed[a]);
        }
        for (int a = 0; a < grid->dimension; a++) {
            float place = pass->start[a][n] + part * speed[a];
            at[a] = !(place > tracer->low[a]) ? tracer->low[a]
                    : place > tracer->high[a] ? tracer->high[a]
                                              : place;
        }
    }
    for (int a = 0; a < 3; a++)
        tracer->path[a][n] = at[a];
}

void bw_trace(BwTracer *tracer, const BwTracePass *pass, int32_t slot, float direction)
{
    tracer->is_near = trace_in_block(tracer, pass, direction);
    for (int n = 0; n < pass->domain->grid->tile_cells && !tracer->is_near; n++)
        trace_far(tracer, pass, slot, direction, n);
}

bool bw_trace_is_outside(const BwTracer *tracer, const BwDomain *domain, int sample)
{
    for (int a = 0; a < domain->grid->dimension; a++) {
        if (bw_air_enters(&domain->side[2 * a]) && tracer->path[a][sample] <= tracer->low[a])
            return true;
        if (bw_air_enters(&domain->side[2 * a + 1]) && tracer->path[a][sample] >= tracer->high[a])
            return true;
    }
    return false;
}

bool bw_trace_meets_open_side(const BwTracer *tracer, const BwDomain *domain)
{
    for (int side = 0; side < 2 * domain->grid->dimension; side++) {
        float at = side % 2 == 0 ? tracer->low[side / 2] : tracer->high[side / 2];
        bool is_close = !tracer->is_near || (at > -2.0f * BW_BLOCK && at < 2.0f * BW_BLOCK);
        if (bw_air_enters(&domain->side[side]) && is_close)
            return true;
    }
    return false;
}

void bw_trace_sample(BwTracer *tracer, const BwTracePass *pass, const BwTraceBlock *block,
                     const float *fallback, float *out)
{
    const BwGrid *grid = pass->domain->grid;
    float *const path[3] = {tracer->path[0], tracer->path[1], tracer->path[2]};
    if (!pass->is_cubic || !block->is_full)
        sample_block(tracer, block, path, layer_stride(grid), grid->tile_cells, fallback, out);
    if (pass->is_cubic)
        sample_many_cubic(block, path, layer_stride(grid), grid->tile_cells, out);
}

void bw_trace_sample_far(const BwTracer *tracer, const BwField *field, const BwMask *valid, int32_t slot,
                         const float *fallback, float *out)
{
    for (int n = 0; n < field->store.grid->tile_cells; n++) {
        const float at[3] = {tracer->path[0][n], tracer->path[1][n], tracer->path[2][n]};
        out[n] = fallback[n];
        bw_sample_local(field, valid, slot, at, &out[n]);
    }
}

// A missing sample must not count, whatever it holds: put it out of the way.
static inline Quad set_aside(Quad value, const float *weight, float aside)
{
    Quad share = load_square(weight);
    for (int n = 0; n < 4; n++)
        value[n] = share[n] > 0.0f ? value[n] : aside;
    return value;
}

void bw_trace_corners(const BwTracer *tracer, const BwTracePass *pass, bool air_enters, uint16_t *corners)
{
    const BwGrid *grid = pass->domain->grid;
    int layer = layer_stride(grid);
    float shift[3];
    for (int a = 0; a < 3; a++)
        shift[a] = BW_HALO - bw_location_shift(pass->location, a);
    bool may_enter = air_enters && bw_trace_meets_open_side(tracer, pass->domain);
    for (int n = 0; n < grid->tile_cells; n++) {
        int i = (int)(tracer->path[0][n] + shift[0]), j = (int)(tracer->path[1][n] + shift[1]);
        int k = layer == 0 ? 0 : (int)(tracer->path[2][n] + shift[2]);
        bool has_none = !tracer->is_near || (may_enter && bw_trace_is_outside(tracer, pass->domain, n));
        corners[n] = (uint16_t)(has_none ? BW_NO_CORNER : (unsigned)(i + BW_BLOCK * j + layer * k));
    }
}

void bw_trace_range(const BwTracePass *pass, const BwTraceBlock *block, const uint16_t *corners, float *low,
                    float *high)
{
    int layer = layer_stride(pass->domain->grid);
    for (int n = 0; n < pass->domain->grid->tile_cells; n++) {
        bool has_none = corners[n] == BW_NO_CORNER;
        int corner = has_none ? 0 : corners[n];
        Quad near = load_square(block->value + corner), far = load_square(block->value + corner + layer);
        Quad least = smaller(near, far), most = larger(near, far);
        if (!block->is_full) {
            const float *weight = block->weight + corner;
            least = smaller(set_aside(near, weight, 3e38f), set_aside(far, weight + layer, 3e38f));
            most = larger(set_aside(near, weight, -3e38f), set_aside(far, weight + layer, -3e38f));
        }
        least = smaller(least, __builtin_shufflevector(least, least, 2, 3, 0, 1));
        most = larger(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
        low[n] = has_none ? 1.0f : least[0] < least[1] ? least[0] : least[1];
        high[n] = has_none ? 0.0f : most[0] > most[1] ? most[0] : most[1];
    }
}
