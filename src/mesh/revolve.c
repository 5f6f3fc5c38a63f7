// The profile is measured on a lattice of its own and then read at each cell of the frame in space by its
// distance from the axis.
#include "mesh/revolve.h"

#include "grid/polygon_distance.h"
#include "mesh/chain_curve.h"

#include <math.h>
#include <string.h>

// Cells across the round frame are made smaller until there are this many, but no more than so many to a flat
// cell; cells of the profile to one of those; and how far from the surface, in cells, it is a distance.
enum { ACROSS_MIN = 96, REFINE_MAX = 4, PROFILE = 2 };
static const double band_cells = 5.0;

// The round frame's cells.
typedef struct Room {
    double cell, radius; // m
    int32_t low[3], high[3];
} Room;

static Room room_of(const BwFrame *flat)
{
    Room room = {.cell = (double)flat->cell_size, .radius = (double)flat->walls.high.x};
    int refine = 1;
    while (refine < REFINE_MAX && 2.0 * room.radius / room.cell * refine < ACROSS_MIN)
        refine++;
    room.cell /= refine;
    room.high[0] = room.high[2] = (int32_t)ceil(room.radius / room.cell - 1e-4);
    room.low[0] = room.low[2] = -room.high[0];
    room.low[1] = (int32_t)floor((double)flat->walls.low.y / room.cell + 1e-4);
    room.high[1] = (int32_t)ceil((double)flat->walls.high.y / room.cell - 1e-4);
    return room;
}

static BwResult list_tiles(BwRevolve *revolve, const Room *room, BwError *err)
{
    const BwAllocator *allocator = &revolve->allocator;
    BwTileCoord first = {room->low[0] >> 3, room->low[1] >> 3, room->low[2] >> 3},
                last = {(room->high[0] - 1) >> 3, (room->high[1] - 1) >> 3, (room->high[2] - 1) >> 3};
    int64_t count = (int64_t)(last.x - first.x + 1) * (last.y - first.y + 1) * (last.z - first.z + 1);
    BW_TRY(bw_reserve(allocator, (void **)&revolve->tiles, &revolve->tile_capacity, count,
                      sizeof *revolve->tiles, err));
    BW_TRY(bw_reserve(allocator, (void **)&revolve->live, &revolve->live_capacity, count,
                      sizeof *revolve->live, err));
    BW_TRY(bw_reserve(allocator, (void **)&revolve->phi, &revolve->phi_capacity, 512 * count,
                      sizeof *revolve->phi, err));
    revolve->frame.tile_count = 0;
    for (int32_t z = first.z; z <= last.z; z++)
        for (int32_t y = first.y; y <= last.y; y++)
            for (int32_t x = first.x; x <= last.x; x++)
                revolve->tiles[revolve->frame.tile_count++] = (BwTileCoord){x, y, z};
    return BW_OK;
}

static void add_edge(void *context, const double from[2], const double to[2])
{
    bw_polygon_distance_add(context, from, to, 0);
}

// The distances of the profile, with a rim of two cells.
static BwResult measure_profile(BwRevolve *revolve, const BwFrame *flat, const Room *room,
                                BwPolygonDistance *profile, BwError *err)
{
    *profile = (BwPolygonDistance){.side = room->cell / PROFILE, .band = band_cells * room->cell};
    profile->low[0] = -2.0 * profile->side;
    profile->low[1] = room->low[1] * room->cell - 2.0 * profile->side;
    profile->count[0] = PROFILE * room->high[0] * 3 / 2 + 5; // to the corners of the box
    profile->count[1] = PROFILE * (room->high[1] - room->low[1]) + 5;
    int64_t cells = (int64_t)profile->count[0] * profile->count[1];
    BW_TRY(bw_reserve(&revolve->allocator, (void **)&revolve->profile, &revolve->profile_capacity, cells,
                      sizeof *revolve->profile, err));
    BW_TRY(bw_reserve(&revolve->allocator, (void **)&revolve->winding, &revolve->winding_capacity, cells,
                      sizeof *revolve->winding, err));
    profile->distance = revolve->profile;
    profile->winding = revolve->winding;
    bw_polygon_distance_begin(profile);
    bw_chain_curves(flat, bw_frame_chains(flat), add_edge, profile);
    bw_polygon_distance_end(profile);
    return BW_OK;
}

static double profile_at(const BwPolygonDistance *profile, double radius, double height)
{
    double x = (radius - profile->low[0]) / profile->side - 0.5,
           y = (height - profile->low[1]) / profile->side - 0.5;
    int64_t i = (int64_t)fmin(floor(x), profile->count[0] - 2),
            j = (int64_t)fmin(floor(y), profile->count[1] - 2);
    const float *cell = profile->distance + j * profile->count[0] + i, *above = cell + profile->count[0];
    double s = fmin(x - (double)i, 1.0), t = fmin(y - (double)j, 1.0);
    return (1.0 - t) * ((1.0 - s) * (double)cell[0] + s * (double)cell[1]) +
           t * ((1.0 - s) * (double)above[0] + s * (double)above[1]);
}

// Beyond the radius of the box there is nothing.
static void fill_tile(BwRevolve *revolve, const Room *room, const BwPolygonDistance *profile, int32_t n)
{
    BwTileCoord tile = revolve->tiles[n];
    for (int c = 0; c < 512; c++) {
        int32_t at[3] = {tile.x * 8 + (c & 7), tile.y * 8 + (c >> 3 & 7), tile.z * 8 + (c >> 6)};
        bool is_live = true;
        for (int a = 0; a < 3; a++)
            is_live &= at[a] >= room->low[a] && at[a] < room->high[a];
        uint64_t *word = &revolve->live[n][c >> 6], bit = (uint64_t)1 << (c & 63);
        *word = is_live ? *word | bit : *word & ~bit;
        double radius = hypot((at[0] + 0.5) * room->cell, (at[2] + 0.5) * room->cell);
        double band = band_cells * room->cell,
               phi = is_live ? profile_at(profile, radius, (at[1] + 0.5) * room->cell) : band;
        revolve->phi[512 * (int64_t)n + c] = (float)fmin(fmax(phi, radius - room->radius), band);
    }
}

static BwResult new_shapes(BwRevolve *revolve, int count, BwShape **out, BwError *err)
{
    if (revolve->shape_count + count > revolve->shape_capacity)
        return bw_fail(err, BW_ERR_DEF, "the solids of the frame have too many parts to be turned");
    *out = revolve->shapes + revolve->shape_count;
    revolve->shape_count += count;
    return BW_OK;
}

// A ring, or all of a cylinder where it reaches the axis.
static BwResult turn_box(BwRevolve *revolve, const BwShape *box, BwVec3 offset, BwShape *out, BwError *err)
{
    float inner = box->a.x + offset.x, outer = box->b.x + offset.x;
    BwVec3 low = bw_vec3(0.0f, box->a.y + offset.y, 0.0f), high = bw_vec3(0.0f, box->b.y + offset.y, 0.0f);
    BwShape *parts = NULL;
    if (!(outer > 0.0f)) {
        *out = (BwShape){.kind = BW_SHAPE_NONE};
        return BW_OK;
    }
    BwShape whole = bw_cylinder(low, high, outer);
    if (!(inner > 0.0f)) {
        *out = whole;
        return BW_OK;
    }
    BW_TRY(new_shapes(revolve, 2, &parts, err));
    parts[0] = whole;
    parts[1] =
        bw_cylinder(bw_sub(low, bw_vec3(0.0f, outer, 0.0f)), bw_add(high, bw_vec3(0.0f, outer, 0.0f)), inner);
    *out = bw_difference(parts, 2);
    return BW_OK;
}

static BwResult revolve_parts(BwRevolve *revolve, const BwShape *shape, BwVec3 offset, BwShape *out,
                              BwError *err)
{
    BwShape *parts = NULL;
    BW_TRY(new_shapes(revolve, shape->part_count, &parts, err));
    for (int n = 0; n < shape->part_count; n++) {
        BW_TRY(bw_revolve_shape(revolve, &shape->parts[n], offset, &parts[n], err));
        if (parts[n].kind == BW_SHAPE_NONE) {
            *out = (BwShape){.kind = BW_SHAPE_NONE};
            return BW_OK;
        }
    }
    *out = bw_shape_combined(shape->kind, parts, shape->part_count);
    return BW_OK;
}

BwResult bw_revolve_shape(BwRevolve *revolve, const BwShape *shape, BwVec3 offset, BwShape *out, BwError *err)
{
    const BwVec3 up = {0.0f, 1.0f, 0.0f};
    BwVec3 middle = bw_add(shape->a, offset);
    *out = (BwShape){.kind = BW_SHAPE_NONE};
    switch (shape->kind) {
    case BW_SHAPE_SPHERE:
        *out = fabsf(middle.x) <= 1e-4f * shape->radius
                   ? bw_sphere(bw_vec3(0.0f, middle.y, 0.0f), shape->radius)
                   : bw_torus(bw_vec3(0.0f, middle.y, 0.0f), up, fabsf(middle.x), shape->radius);
        return BW_OK;
    case BW_SHAPE_BOX:
        return turn_box(revolve, shape, offset, out, err);
    case BW_SHAPE_PLANE:
        if (shape->b.x == 0.0f)
            *out = bw_plane(bw_vec3(0.0f, middle.y, 0.0f), bw_vec3(0.0f, shape->b.y, 0.0f));
        return BW_OK;
    case BW_SHAPE_UNION:
    case BW_SHAPE_INTERSECTION:
    case BW_SHAPE_DIFFERENCE:
        return revolve_parts(revolve, shape, offset, out, err);
    case BW_SHAPE_TRANSLATE:
        return bw_revolve_shape(revolve, shape->parts, middle, out, err);
    default:
        return BW_OK;
    }
}

// Shapes that parts of a shape become at most, with it.
static int64_t parts_of(const BwShape *shape)
{
    int64_t count = 3;
    for (int n = 0; n < shape->part_count; n++)
        count += parts_of(&shape->parts[n]);
    return count;
}

// Solids that are turned in the plane, or of other kinds, are not there in the round frame.
static BwResult turn_solids(BwRevolve *revolve, const BwFrame *flat, BwError *err)
{
    int64_t parts = flat->solid_count;
    for (int n = 0; n < flat->solid_count; n++)
        parts += parts_of(flat->solids[n].shape);
    BW_TRY(bw_reserve(&revolve->allocator, (void **)&revolve->solids, &revolve->solid_capacity,
                      flat->solid_count, sizeof *revolve->solids, err));
    BW_TRY(bw_reserve(&revolve->allocator, (void **)&revolve->shapes, &revolve->shape_capacity, parts,
                      sizeof *revolve->shapes, err));
    revolve->shape_count = flat->solid_count;
    for (int n = 0; n < flat->solid_count; n++) {
        BwFrameSolid *solid = &revolve->solids[n];
        *solid = flat->solids[n];
        bool is_upright = solid->pose.rotation.x == 0.0f && solid->pose.rotation.y == 0.0f &&
                          solid->pose.rotation.z == 0.0f;
        revolve->shapes[n] = (BwShape){.kind = BW_SHAPE_NONE};
        if (is_upright)
            BW_TRY(bw_revolve_shape(revolve, solid->shape, solid->pose.position, &revolve->shapes[n], err));
        solid->shape = &revolve->shapes[n];
        solid->pose.position = bw_vec3(0.0f, 0.0f, 0.0f);
    }
    return BW_OK;
}

BwBox bw_revolve_box(BwBox flat)
{
    float radius = flat.high.x;
    return (BwBox){bw_vec3(-radius, flat.low.y, -radius), bw_vec3(radius, flat.high.y, radius)};
}

BwResult bw_revolve(BwRevolve *revolve, const BwFrame *flat, const BwFrame **out, BwError *err)
{
    BwPolygonDistance profile;
    *out = NULL;
    if (bw_frame_chains(flat) == NULL)
        return bw_fail(err, BW_ERR_DEF,
                       "the frame is 2-D and has no chains of surface particles; only what is "
                       "within chains can be turned about an axis");
    if (!flat->has_walls || !(flat->walls.high.x > 0.0f))
        return bw_fail(err, BW_ERR_DEF,
                       "the frame has no box on the right of x = 0, which it would be turned "
                       "about");
    Room room = room_of(flat);
    BW_TRY(list_tiles(revolve, &room, err));
    BW_TRY(measure_profile(revolve, flat, &room, &profile, err));
    BW_TRY(turn_solids(revolve, flat, err));
    for (int32_t n = 0; n < revolve->frame.tile_count; n++)
        fill_tile(revolve, &room, &profile, n);
    float band = (float)(band_cells * room.cell), r = (float)(room.high[0] * room.cell);
    revolve->field = (BwFrameField){
        .name = "phi", .unit = "m", .location = BW_AT_CELL, .background = band, .values = revolve->phi};
    revolve->frame = (BwFrame){
        .number = flat->number,
        .time = flat->time,
        .dimension = 3,
        .layers = BW_TILE,
        .cell_size = (float)room.cell,
        .has_walls = true,
        .walls = {bw_vec3(-r, flat->walls.low.y, -r), bw_vec3(r, flat->walls.high.y, r)},
        .tile_count = revolve->frame.tile_count,
        .tiles = revolve->tiles,
        .live = (const uint64_t(*)[8])revolve->live,
        .fields = &revolve->field,
        .field_count = 1,
        .solids = revolve->solids,
        .solid_count = flat->solid_count,
    };
    *out = &revolve->frame;
    return BW_OK;
}

void bw_revolve_free(BwRevolve *revolve)
{
    const BwAllocator *allocator = &revolve->allocator;
#define FREE(list, capacity) bw_free(allocator, list, (size_t)(capacity) * sizeof *(list), BW_ALIGN)
    FREE(revolve->tiles, revolve->tile_capacity);
    FREE(revolve->live, revolve->live_capacity);
    FREE(revolve->phi, revolve->phi_capacity);
    FREE(revolve->profile, revolve->profile_capacity);
    FREE(revolve->winding, revolve->winding_capacity);
    FREE(revolve->solids, revolve->solid_capacity);
    FREE(revolve->shapes, revolve->shape_capacity);
#undef FREE
    *revolve = (BwRevolve){0};
}
