// The formulas of distance_bounds.c, shape.c and distance_grid.c on lanes, in the same order of operations.
// Shapes that are not worth it are asked place by place.
#include "domain/places.h"

#include "base/extremes.h"
#include "grid/lanes.h"
#include "solid/distance_bounds.h"
#include "solid/shape_file.h"
#include "solid/smooth_distance.h"

typedef struct Points {
    BwLanes x, y, z;
} Points;

typedef struct Bounds {
    BwLanes low, high;
} Bounds;

static Points minus(Points a, BwVec3 b)
{
    return (Points){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Points times(Points a, float factor)
{
    return (Points){a.x * factor, a.y * factor, a.z * factor};
}

static BwVec3 point_of(Points points, int lane)
{
    return bw_vec3(points.x[lane], points.y[lane], points.z[lane]);
}

static Points turned(BwQuat q, Points v)
{
    Points t = {q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x};
    t = times(t, 2.0f);
    return (Points){v.x + t.x * q.w + (q.y * t.z - q.z * t.y), v.y + t.y * q.w + (q.z * t.x - q.x * t.z),
                    v.z + t.z * q.w + (q.x * t.y - q.y * t.x)};
}

static BwLanes length_of(BwLanes x, BwLanes y, BwLanes z)
{
    return bw_lanes_sqrt(x * x + y * y + z * z);
}

static Bounds scaled(Bounds bounds, float factor)
{
    return (Bounds){factor * bounds.low, factor * bounds.high};
}

static BwLanes box_distance(BwVec3 low, BwVec3 high, Points p)
{
    const BwLanes zero = {0};
    BwLanes x = bw_lanes_larger(low.x - p.x, p.x - high.x), y = bw_lanes_larger(low.y - p.y, p.y - high.y),
            z = bw_lanes_larger(low.z - p.z, p.z - high.z);
    return length_of(bw_lanes_larger(x, zero), bw_lanes_larger(y, zero), bw_lanes_larger(z, zero)) +
           bw_lanes_smaller(bw_lanes_larger(x, bw_lanes_larger(y, z)), zero);
}

// Between the nodes of a grid: the values at the corners of each lane's cell, x fastest, and how far beyond
// the lowest one it lies.
typedef struct Between {
    BwLaneBits first; // the lowest node
    BwLanes corner[8];
    Points share;
} Between;

// Compilers do not find the instruction for it.
static inline BwLanes gather(const float *from, BwLaneBits at)
{
#if BW_LANES == 16 && defined(__AVX512F__)
    return (BwLanes)_mm512_i32gather_ps((__m512i)at, from, sizeof *from);
#elif BW_LANES == 8 && defined(__AVX2__)
    return (BwLanes)_mm256_i32gather_ps(from, (__m256i)at, sizeof *from);
#else
    BwLanes lanes;
    for (int n = 0; n < BW_LANES; n++)
        lanes[n] = from[at[n]];
    return lanes;
#endif
}

static inline BwLanes mix(BwLanes a, BwLanes b, BwLanes share)
{
    return a + share * (b - a);
}

static inline BwLanes between_four(const BwLanes four[4], BwLanes first, BwLanes second)
{
    return mix(mix(four[0], four[1], first), mix(four[2], four[3], first), second);
}

static BwLanes linear(const Between *between)
{
    const BwLanes *corner = between->corner;
    Points share = between->share;
    return mix(between_four(corner, share.x, share.y), between_four(corner + 4, share.x, share.y), share.z);
}

// The value of a node and its bends, side by side: each place reads eight of these, where lanes would gather
// twenty numbers one by one.
typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadBits __attribute__((vector_size(16)));

static inline Quad mix_quads(Quad a, Quad b, Quad share)
{
    return a + share * (b - a);
}

static inline Quad share_of(float share, QuadBits blended)
{
    const Quad all = {share, share, share, share};
    return (Quad)((QuadBits)all & blended);
}

static inline void load_two(const float (*node)[4], Quad two[2])
{
    memcpy(two, node, 2 * sizeof *two);
}

// The linear value at a place, and the bends along x, y and z: those of edges along an axis are the same all
// along it, and blended along the others.
static inline Quad blend(const BwDistanceGrid *grid, int32_t first, float x, float y, float z)
{
    const QuadBits not_x = {-1, 0, -1, -1}, not_y = {-1, -1, 0, -1}, not_z = {-1, -1, -1, 0};
    const int32_t row = grid->size[0], layer = grid->size[0] * grid->size[1];
    const float(*node)[4] = (const float(*)[4])grid->bent + first;
    Quad along_x = share_of(x, not_x), along_y = share_of(y, not_y), two[2], four[4];
    for (int n = 0; n < 4; n++) {
        load_two(node + (n & 1 ? row : 0) + (n & 2 ? layer : 0), two);
        four[n] = mix_quads(two[0], two[1], along_x);
    }
    return mix_quads(mix_quads(four[0], four[1], along_y), mix_quads(four[2], four[3], along_y),
                     share_of(z, not_z));
}

// As bw_smooth_distance_at; `flat` gets the linear value.
static BwLanes smooth(const BwDistanceGrid *grid, const Between *between, BwLanes *flat)
{
    Points share = between->share;
    BwLanes x = share.x * (1.0f - share.x), y = share.y * (1.0f - share.y), z = share.z * (1.0f - share.z);
    BwLanes distance;
    for (int n = 0; n < BW_LANES; n++) {
        Quad told = blend(grid, between->first[n], share.x[n], share.y[n], share.z[n]);
        (*flat)[n] = told[0];
        distance[n] = told[0] + x[n] * told[1] + y[n] * told[2] + z[n] * told[3];
    }
    return distance;
}

static BwLanes size_of(BwLanes value)
{
    return bw_lanes_larger(value, -value);
}

// As span_between of distance_grid.c, where the distance has slope one.
static Bounds span(const BwDistanceGrid *grid, const Between *between)
{
    BwLanes low[8], high[8];
    for (int n = 0; n < 8; n++) {
        BwLanes away = BW_DISTANCE_ROUNDING + (1.0f + BW_DISTANCE_ROUNDING) * grid->spacing *
                                                  length_of((float)(n & 1) - between->share.x,
                                                            (float)(n >> 1 & 1) - between->share.y,
                                                            (float)(n >> 2) - between->share.z);
        BwLanes value = between->corner[n];
        low[n] = value - away;
        high[n] = value + away;
    }
    for (int half = 4; half > 0; half /= 2)
        for (int n = 0; n < half; n++) {
            low[n] = bw_lanes_larger(low[n], low[n + half]);
            high[n] = bw_lanes_smaller(high[n], high[n + half]);
        }
    return (Bounds){low[0], high[0]};
}

static BwLaneBits find_between(const BwDistanceGrid *grid, Points point, Between *between)
{
    Points at = times(minus(point, grid->low), grid->nodes_per_length);
    BwLaneBits is_within = (at.x >= 0.0f) & (at.y >= 0.0f) & (at.z >= 0.0f) &
                           (at.x < (float)(grid->size[0] - 1)) & (at.y < (float)(grid->size[1] - 1)) &
                           (at.z < (float)(grid->size[2] - 1));
    at = (Points){bw_lanes_keep(at.x, is_within), bw_lanes_keep(at.y, is_within),
                  bw_lanes_keep(at.z, is_within)};
    BwLaneBits x = __builtin_convertvector(at.x, BwLaneBits), y = __builtin_convertvector(at.y, BwLaneBits),
               z = __builtin_convertvector(at.z, BwLaneBits);
    between->first = x + grid->size[0] * (y + grid->size[1] * z);
    between->share =
        (Points){at.x - __builtin_convertvector(x, BwLanes), at.y - __builtin_convertvector(y, BwLanes),
                 at.z - __builtin_convertvector(z, BwLanes)};
    return is_within;
}

static void read_corners(const BwDistanceGrid *grid, Between *between)
{
    int32_t row = grid->size[0], layer = row * grid->size[1];
    for (int n = 0; n < 8; n++)
        between->corner[n] =
            gather(grid->values + (n & 1) + row * (n >> 1 & 1) + layer * (n >> 2), between->first);
}

static Bounds choose(BwLaneBits condition, Bounds a, Bounds b)
{
    return (Bounds){bw_lanes_choose(condition, a.low, b.low), bw_lanes_choose(condition, a.high, b.high)};
}

// As bw_distance_grid_bounds_at, within a grid whose distances have slope one, where no cell is known to be
// smooth.
static Bounds bounds_of_corners(const BwDistanceGrid *grid, Between *between, BwLaneBits wanted)
{
    read_corners(grid, between);
    BwLanes value = linear(between), nearest = size_of(between->corner[0]);
    for (int n = 1; n < 8; n++)
        nearest = bw_lanes_smaller(nearest, size_of(between->corner[n]));
    BwLaneBits is_rough = ~(nearest >= bw_distance_grid_linear_from(grid)) & wanted;
    Bounds bounds = {value, value};
    return bw_lanes_bits(is_rough) != 0 ? choose(is_rough, span(grid, between), bounds) : bounds;
}

// The same where kinds of cells are known.
static Bounds bounds_of_kinds(const BwDistanceGrid *grid, Between *between, BwLaneBits wanted)
{
    BwLaneBits kind;
    for (int n = 0; n < BW_LANES; n++)
        kind[n] = grid->kinds[between->first[n]];
    BwLanes value, distance = smooth(grid, between, &value),
                   off = bw_lanes_of(BW_SMOOTH_OFF * grid->spacing + BW_DISTANCE_ROUNDING);
    BwLaneBits is_rough = (kind == BW_DISTANCE_ROUGH) & wanted;
    Bounds bounds =
        choose(kind == BW_DISTANCE_SMOOTH, (Bounds){distance - off, distance + off}, (Bounds){value, value});
    if (bw_lanes_bits(is_rough) == 0)
        return bounds;
    read_corners(grid, between);
    return choose(is_rough, span(grid, between), bounds);
}

static Bounds bounds_between(const BwDistanceGrid *grid, Between *between, BwLaneBits wanted)
{
    return grid->kinds != NULL ? bounds_of_kinds(grid, between, wanted)
                               : bounds_of_corners(grid, between, wanted);
}

// As bw_triangle_tree_outside.
static BwLanes outside_of(const BwTriangleTree *tree, Points p)
{
    const BwLanes zero = {0};
    BwVec3 low = tree->box.low, high = tree->box.high;
    return (1.0f - BW_TREE_ROUNDING) *
           length_of(bw_lanes_larger(bw_lanes_larger(low.x - p.x, p.x - high.x), zero),
                     bw_lanes_larger(bw_lanes_larger(low.y - p.y, p.y - high.y), zero),
                     bw_lanes_larger(bw_lanes_larger(low.z - p.z, p.z - high.z), zero));
}

// As bw_shape_file_distance_bounds beyond the close grid.
static Bounds bounds_beyond(const BwShapeFile *file, Points at)
{
    Between between;
    BwLaneBits is_within = find_between(&file->wide, at, &between);
    Bounds bounds = {bw_lanes_of(0.0f), bw_lanes_of(INFINITY)};
    if (bw_lanes_bits(is_within) != 0)
        bounds = choose(is_within, bounds_between(&file->wide, &between, is_within), bounds);
    BwLanes least = bw_lanes_larger(bounds.low, outside_of(&file->tree, at));
    bounds.low = bw_lanes_choose(~is_within | (bounds.low < bounds.high), least, bounds.low);
    return bounds;
}

static Bounds bounds_one_by_one(const BwShape *shape, Points p)
{
    Bounds bounds;
    for (int n = 0; n < BW_LANES; n++) {
        BwDistanceBounds one = bw_shape_distance_bounds(shape, point_of(p, n));
        bounds.low[n] = one.low;
        bounds.high[n] = one.high;
    }
    return bounds;
}

// Between nodes, where these bound the distance; else the triangles have to be asked.
static Bounds file_bounds(const BwShape *shape, Points p)
{
    const BwShapeFile *file = shape->content;
    if (file == NULL || !bw_distance_grid_has_slope_one(&file->grid))
        return bounds_one_by_one(shape, p);
    Points at = times(minus(times(p, 1.0f / shape->factor), file->middle), 1.0f / file->unit);
    Between between;
    BwLaneBits is_within = find_between(&file->grid, at, &between);
    uint64_t within = bw_lanes_bits(is_within);
    Bounds bounds = within == BW_ALL_LANES ? (Bounds){{0}, {0}} : bounds_beyond(file, at);
    if (within != 0)
        bounds = choose(is_within, bounds_between(&file->grid, &between, is_within), bounds);
    bounds = scaled(scaled(bounds, file->unit), shape->factor);
    float offset = bw_shape_file_offset(shape);
    return (Bounds){bounds.low - offset, bounds.high - offset};
}

static Bounds bounds_at(const BwShape *shape, Points p);

static Bounds combined(const BwShape *shape, Points p)
{
    if (shape->part_count == 0)
        return bounds_one_by_one(shape, p);
    Bounds bounds = bounds_at(&shape->parts[0], p);
    for (int n = 1; n < shape->part_count; n++) {
        Bounds other = bounds_at(&shape->parts[n], p);
        if (shape->kind == BW_SHAPE_DIFFERENCE)
            other = (Bounds){-other.high, -other.low};
        bounds =
            shape->kind == BW_SHAPE_UNION
                ? (Bounds){bw_lanes_smaller(bounds.low, other.low), bw_lanes_smaller(bounds.high, other.high)}
                : (Bounds){bw_lanes_larger(bounds.low, other.low), bw_lanes_larger(bounds.high, other.high)};
    }
    return bounds;
}

static Bounds bounds_at(const BwShape *shape, Points p)
{
    BwLanes distance;
    switch (shape->kind) {
    case BW_SHAPE_BOX:
        distance = box_distance(shape->a, shape->b, p);
        return (Bounds){distance, distance};
    case BW_SHAPE_SPHERE:
        p = minus(p, shape->a);
        distance = length_of(p.x, p.y, p.z) - shape->radius;
        return (Bounds){distance, distance};
    case BW_SHAPE_MESH:
    case BW_SHAPE_HEIGHTMAP:
    case BW_SHAPE_VOXELS:
    case BW_SHAPE_WRAPPED:
    case BW_SHAPE_POINTS:
        return file_bounds(shape, p);
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return combined(shape, p);
    case BW_SHAPE_TRANSLATE:
        return bounds_at(shape->parts, minus(p, shape->a));
    case BW_SHAPE_ROTATE:
        return bounds_at(shape->parts, turned(bw_quat_turn(shape->b, -shape->angle), p));
    case BW_SHAPE_SCALE:
        return scaled(bounds_at(shape->parts, times(p, 1.0f / shape->factor)), shape->factor);
    default:
        return bounds_one_by_one(shape, p);
    }
}

static Points load(const BwPlaces *places, int n)
{
    return (Points){bw_lanes_load(places->at[0] + n), bw_lanes_load(places->at[1] + n),
                    bw_lanes_load(places->at[2] + n)};
}

// What is beyond the last place is worked on with it, and must be numbers.
static void pad(BwPlaces *places)
{
    for (int a = 0; a < 3; a++)
        for (int n = places->count; n % BW_LANES != 0; n++)
            places->at[a][n] = places->at[a][places->count - 1];
}

void bw_places_to_local(BwPlaces *places, BwPose pose)
{
    BwQuat back = bw_quat_conjugate(pose.rotation);
    pad(places);
    for (int n = 0; n < places->count; n += BW_LANES) {
        Points local = turned(back, minus(load(places, n), pose.position));
        bw_lanes_store(places->at[0] + n, local.x);
        bw_lanes_store(places->at[1] + n, local.y);
        bw_lanes_store(places->at[2] + n, local.z);
    }
}

void bw_places_measure(BwPlaces *places, const BwShape *shape)
{
    pad(places);
    for (int n = 0; n < places->count; n += BW_LANES) {
        Bounds bounds = bounds_at(shape, load(places, n));
        bw_lanes_store(places->low + n, bounds.low);
        bw_lanes_store(places->high + n, bounds.high);
    }
}

void bw_places_apart(const BwPlaces *from, const BwPlaces *to, float *length)
{
    for (int n = 0; n < from->count; n += BW_LANES) {
        Points a = load(from, n), b = load(to, n);
        bw_lanes_store(length + n, length_of(b.x - a.x, b.y - a.y, b.z - a.z));
    }
}

// The share of a way that lies between the two sides of a box along an axis, as in solid/box_ways.c.
static void cut_to_sides(Bounds *share, float low, float high, BwLanes from, BwLanes to)
{
    const BwLanes one = bw_lanes_of(1.0f), always = bw_lanes_of(INFINITY);
    BwLanes along = to - from;
    BwLaneBits stays = along == 0.0f, is_between = (from > low) & (from < high);
    BwLanes scale = 1.0f / bw_lanes_choose(stays, one, along), a = scale * (low - from),
            b = scale * (high - from), still = bw_lanes_choose(is_between, -always, always);
    share->low = bw_lanes_larger(share->low, bw_lanes_choose(stays, still, bw_lanes_smaller(a, b)));
    share->high = bw_lanes_smaller(share->high, bw_lanes_choose(stays, -still, bw_lanes_larger(a, b)));
}

static BwLaneBits enters_box(const BwShape *box, Points from, Points to)
{
    Bounds share = {bw_lanes_of(0.0f), bw_lanes_of(1.0f)};
    cut_to_sides(&share, box->a.x, box->b.x, from.x, to.x);
    cut_to_sides(&share, box->a.y, box->b.y, from.y, to.y);
    cut_to_sides(&share, box->a.z, box->b.z, from.z, to.z);
    return share.low < share.high;
}

static BwLaneBits enters(const BwShape *shape, Points from, Points to)
{
    BwQuat back;
    switch (shape->kind) {
    case BW_SHAPE_TRANSLATE:
        return enters(shape->parts, minus(from, shape->a), minus(to, shape->a));
    case BW_SHAPE_ROTATE:
        back = bw_quat_turn(shape->b, -shape->angle);
        return enters(shape->parts, turned(back, from), turned(back, to));
    case BW_SHAPE_SCALE:
        return enters(shape->parts, times(from, 1.0f / shape->factor), times(to, 1.0f / shape->factor));
    default:
        return enters_box(shape, from, to);
    }
}

void bw_places_entering_box(const BwPlaces *from, const BwPlaces *to, const BwShape *box,
                            uint64_t entering[BW_PLACES_WORDS])
{
    memset(entering, 0, BW_PLACES_WORDS * sizeof *entering);
    for (int n = 0; n < from->count; n += BW_LANES)
        entering[n >> 6] |= bw_lanes_bits(enters(box, load(from, n), load(to, n))) << (n & 63);
}
