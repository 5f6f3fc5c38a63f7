// Few cells are near a source, so all of this goes tile by tile, one after the other.
#include "operate/level_emit.h"

#include "base/extremes.h"
#include "domain/sides.h"
#include "domain/solid_faces.h"
#include "operate/coverage.h"
#include "operate/spout.h"
#include "solid/shape_file.h"

#include <math.h>

// What reaches on into the stream that came out before gets narrower, for the stream may have too: by so much
// of the way.
static const float taper = 2.0f;

// Where a point is on the way of a stream.
typedef struct Swept {
    float distance; // m, to all of the stamp; below 0 inside
    float along;    // m, from the mouth
} Swept;

// A flat shape is drawn out along the way: its outline where the point came from, and how far it came.
static Swept swept_flat(const BwLevelStamp *stamp, BwVec3 normal, BwVec3 point)
{
    BwBox box = bw_shape_bounds(stamp->shape);
    BwVec3 center = bw_mul(bw_add(box.low, box.high), 0.5f), direction = bw_normalize(stamp->way);
    for (int a = 0; a < 3; a++)
        if (!isfinite(bw_component(center, a)))
            center = stamp->shape->a;
    float across = bw_dot(direction, normal), length = bw_length(stamp->way) + stamp->overlap;
    float along = across != 0.0f ? bw_dot(bw_sub(point, center), normal) / across : INFINITY;
    if (!isfinite(along))
        return (Swept){INFINITY, INFINITY};
    BwVec3 origin = bw_sub(point, bw_mul(direction, along));
    float on = bw_larger(along - bw_length(stamp->way), 0.0f);
    float aside = bw_shape_plate_distance(stamp->shape, origin, 1e6f) + taper * on;
    float beyond = (fabsf(along - 0.5f * length) - 0.5f * length) * fabsf(across);
    return (Swept){bw_larger(aside, beyond), along};
}

// Of a shape with an inside, what has left it.
static Swept swept_body(const BwLevelStamp *stamp, BwVec3 point)
{
    float length = bw_length(stamp->way);
    BwVec3 all = bw_mul(stamp->way, (length + stamp->overlap) / length);
    float own = bw_shape_distance(stamp->shape, point),
          moved = bw_shape_distance(stamp->shape, bw_sub(point, all)),
          fresh = bw_shape_distance(stamp->shape, bw_sub(point, stamp->way));
    return (Swept){bw_larger(bw_larger(moved, fresh - stamp->overlap), -own), own};
}

static Swept find_swept(const BwLevelStamp *stamp, BwVec3 point)
{
    if (bw_length(stamp->way) == 0.0f)
        return (Swept){bw_shape_distance(stamp->shape, point), 0.0f};
    BwVec3 normal = bw_flat_normal(stamp->shape);
    bool is_flat = bw_shape_is_flat(stamp->shape) && bw_length(normal) > 0.0f;
    return is_flat ? swept_flat(stamp, normal, point) : swept_body(stamp, point);
}

static void set_faces(BwVelocity *velocity, const BwGrid *grid, int32_t slot, int cell, BwVec3 value)
{
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int face = cell;
        int32_t tile = side % 2 == 0 ? slot : bw_cell_beside(grid, slot, &face, side);
        if (tile != 0)
            bw_field_tile(&velocity->u[side / 2], tile)[face] = bw_component(value, side / 2);
    }
}

static bool may_reach(const BwGrid *grid, int32_t slot, BwBox box, float far)
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension; a++) {
        float low = grid->cell_size * (float)first[a], high = low + BW_TILE * grid->cell_size;
        if (high < bw_component(box.low, a) - far || low > bw_component(box.high, a) + far)
            return false;
    }
    return true;
}

void bw_level_add(BwField *phi, BwVelocity *velocity, const BwDomain *domain, const BwLevelStamp *stamp,
                  float band)
{
    const BwGrid *grid = domain->grid;
    BwBox box = bw_shape_bounds(stamp->shape);
    float h = grid->cell_size, far = bw_length(stamp->way) + stamp->overlap + band;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        float *values = bw_field_tile(phi, slot);
        for (int n = 0; n < grid->tile_cells && may_reach(grid, slot, box, far); n++) {
            Swept swept = find_swept(stamp, bw_sample_position(grid, grid->tiles[slot].coord, n, BW_AT_CELL));
            bool is_mouth = stamp->has_velocity && swept.distance < 0.5f * h &&
                            swept.along < bw_length(stamp->way) + 0.5f * h;
            values[n] = bw_smaller(values[n], bw_larger(swept.distance, -band));
            if (is_mouth)
                set_faces(velocity, grid, slot, n, stamp->velocity);
        }
    }
}

// Whether liquid comes in through an inflow side of the box, and does not stand or go out.
static bool comes_in(const BwBoxSide *def, int side)
{
    float speed = bw_component(def->velocity, side / 2);
    return (side % 2 == 0 ? speed : -speed) > 0.0f;
}

static void set_cell(BwField *phi, const BwGrid *grid, int32_t slot, int cell, int side, bool is_wet)
{
    float *value = &bw_field_tile(phi, slot)[cell];
    *value =
        is_wet ? bw_smaller(*value, -0.5f * grid->cell_size) : bw_value_beside(phi, slot, cell, side ^ 1);
}

// Sets the cells outside, beside inflow sides that liquid comes in through, or does not.
static void set_outside(BwField *phi, const BwDomain *domain, bool is_wet)
{
    const BwGrid *grid = domain->grid;
    for (int side = 0; side < 2 * grid->dimension && grid->has_bounds; side++) {
        const BwBoxSide *def = &domain->side[side];
        if (def->kind != BW_WALL_INFLOW || comes_in(def, side) != is_wet)
            continue;
        for (int64_t m = 0; m < (int64_t)grid->tile_count * grid->layers; m++) {
            int32_t slot = grid->order[m / grid->layers];
            int k = (int)(m % grid->layers);
            uint64_t bits =
                bw_side_cells(domain, slot, side, k).opening & bw_mask_tile(&domain->inflow, slot)[k];
            for (; bits != 0; bits &= bits - 1)
                set_cell(phi, grid, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits), side, is_wet);
        }
    }
}

void bw_level_close_inflow(BwField *phi, const BwDomain *domain)
{
    set_outside(phi, domain, false);
}

void bw_level_fill_inflow(BwField *phi, const BwDomain *domain)
{
    set_outside(phi, domain, true);
}
