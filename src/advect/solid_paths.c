// Clipping paths at solids.
//
// Most paths near a solid miss it, and bounds of its distance tell so (solid/distance_bounds.h). Let d be the
// distance, which changes by no more than one goes, and `from` and `to` the ends of a path of length l in the
// solid's frame. All of the path is clear of the solid where low(from) > l, since d >= d(from) - l along it;
// and where low(from) + low(to) > l, since 2 d >= (d(from) - a) + (d(to) - (l - a)) at a point a away from
// one end. No sample around the end, at most r away from it, is hidden where low(to) > r, which low(from) > l
// + r implies. Bounds reject and never decide anything else: who is not rejected is told by the distance
// itself, or by the triangles that a path crosses.
//
// Paths ahead only serve to correct what came along those back, within the limits of the samples at their
// ends, so nothing gets through a solid along them: whether they meet one is all that is asked.
#include "advect/solid_paths.h"

#include "advect/path_concern.h"
#include "advect/path_sight.h"
#include "base/extremes.h"
#include "grid/lanes.h"
#include "solid/box_ways.h"
#include "solid/local_thickness.h"
#include "solid/shape_file.h"
#include <math.h>
#include <string.h>

static void put(const BwPathTile *tile, BwVec3 point, float at[3])
{
    const float p[3] = {point.x, point.y, point.z};
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = (float)((double)p[a] / (double)tile->grid->cell_size - (double)tile->first[a]);
}

static BwWayEnd end_of_path(const BwPathTile *tile, const BwWay *way, const float end[3])
{
    return bw_way_end_at(tile, way->shape, bw_pose_to_local(way->pose, bw_path_position(tile, end)));
}

// The way of a path past a solid. False where the solid is too far off.
static bool find_way(const BwPathTile *tile, const BwSolidPose *solid, const float start[3],
                     const float end[3], BwWay *way)
{
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    way->solid = solid;
    way->shape = solid->shape;
    way->pose = tile->is_back ? solid->before : solid->pose;
    way->from = bw_way_end_at(tile, way->shape, bw_pose_to_local(pose, bw_path_position(tile, start)));
    BwVec3 to = bw_pose_to_local(way->pose, bw_path_position(tile, end));
    way->length = bw_length(bw_sub(to, way->from.at));
    if (way->from.distance.low > bw_path_reach(tile, way->length))
        return false;
    way->is_triangles = bw_shape_is_triangles(way->shape);
    way->is_box = bw_shape_is_box(way->shape);
    way->to = bw_way_end_at(tile, way->shape, to);
    return true;
}

// No scalar lives deeper than this in a solid, and no velocity that counts.
static float depth_that_counts(const BwPathTile *tile)
{
    return tile->is_scalar ? 0.0f : bw_path_deep * tile->grid->cell_size;
}

static bool starts_too_deep(const BwPathTile *tile, BwWay *way)
{
    return bw_way_end_is_below(way->shape, &way->from, -depth_that_counts(tile));
}

// Whether a way from outside ends outside of a solid that is too thick to be passed through, beyond a bulge
// of it at most. What is thick in space may be thin in the plane of a 2-D grid.
static bool leads_around(const BwPathTile *tile, BwWay *way)
{
    return tile->grid->dimension == 3 && bw_shape_is_thick(way->shape, way->from.at, way->length) &&
           !bw_way_end_is_below(way->shape, &way->to, 0.0f);
}

// Velocities count at faces that are open in part, and their paths start at centres that may lie inside: such
// a path ends outside, on the nearest side. Gives true if the end has moved; of paths ahead it is not moved,
// since nobody asks.
static bool clip_end(const BwPathTile *tile, BwWay *way, float end[3])
{
    float h = tile->grid->cell_size, part = 1.0f;
    if (way->from.distance.low > way->length)
        return false;
    bool is_from_outside = !bw_way_end_is_below(way->shape, &way->from, 0.0f);
    if (is_from_outside && !leads_around(tile, way) && !bw_way_is_apart(tile, way))
        part = bw_way_clear_part(way, bw_path_skin * h);
    // What comes from outside and crosses no triangle is outside.
    if (part == 1.0f && ((is_from_outside && way->is_triangles) || !(way->to.distance.low < 0.0f)))
        return false;
    if (!tile->is_back)
        return part < 1.0f || bw_way_end_is_below(way->shape, &way->to, 0.0f);
    BwVec3 to = way->to.at;
    if (part < 1.0f)
        to = bw_on_way(way->from.at, bw_sub(to, way->from.at), part);
    else if (!bw_push_out(way->shape, &to, h, bw_path_skin * h))
        return false;
    put(tile, bw_pose_to_world(way->pose, to), end);
    return true;
}

// Looks past each solid of a set that concerns a path, but for those that hold its start. Where it is only
// one, its way may be known.
static uint8_t look_past(const BwPathTile *tile, BwPathSolids solids, uint64_t set, const BwWay *only,
                         const float start[3], const float end[3], float at[3], bool *is_cut)
{
    if (only != NULL)
        return bw_path_look(tile, only, end, at, is_cut);
    uint8_t hidden = 0;
    BwWay way;
    for (int s = 0; s < solids.count; s++)
        if ((set & bw_solid_bit(s)) && find_way(tile, &solids.list[s], start, end, &way) &&
            !starts_too_deep(tile, &way))
            hidden |= bw_path_look(tile, &way, end, at, is_cut);
    return hidden;
}

static void start_and_end(const BwTracer *tracer, int n, float start[3], float end[3])
{
    for (int a = 0; a < 3; a++) {
        start[a] = tracer->start[a][n];
        end[a] = tracer->at[a][n];
    }
}

static void ask_all(const BwShape *shape, BwPlaces *places)
{
    for (int n = 0; n < places->count; n++)
        places->low[n] = places->high[n] = bw_shape_distance(shape, bw_place_of(places, n));
}

static void measure_places(const BwPathTile *tile, const BwShape *shape, BwPlaces *places)
{
    bw_places_measure(places, shape);
    if (tile->is_plain)
        ask_all(shape, places);
}

// The ways from `n` on that the solid is not too far off for; those of them whose starts are for sure too
// deep in it are marked, and left out.
static uint64_t near_ways(BwWays *ways, int n, float around, float deepest)
{
    BwLanes low = bw_lanes_load(ways->from.low + n), high = bw_lanes_load(ways->from.high + n),
            length = bw_lanes_load(ways->length + n);
    int left = ways->from.count - n;
    uint64_t all = left < BW_LANES ? ((uint64_t)1 << left) - 1 : BW_ALL_LANES,
             near = ~bw_lanes_bits(low > bw_safely * length + around) & all,
             deep = bw_lanes_bits(high < deepest) & near;
    for (uint64_t bits = deep; bits != 0; bits &= bits - 1) {
        int cell = ways->cell[n + __builtin_ctzll(bits)];
        ways->deep[cell >> 6] |= UINT64_C(1) << (cell & 63);
    }
    return near & ~deep;
}

// Keeps the ways that the solid is not too far off for, nor their starts for sure too deep in it.
static void keep_near_ways(const BwPathTile *tile, BwWays *ways)
{
    int kept = 0;
    float deepest = -depth_that_counts(tile), around = bw_path_reach(tile, 0.0f);
    memset(ways->deep, 0, sizeof ways->deep);
    for (int first = 0; first < ways->from.count; first += BW_LANES)
        for (uint64_t near = near_ways(ways, first, around, deepest); near != 0; near &= near - 1) {
            int n = first + __builtin_ctzll(near), to = kept++;
            if (n == to)
                continue;
            bw_place_move(&ways->from, to, n);
            bw_place_move(&ways->to, to, n);
            ways->length[to] = ways->length[n];
            ways->cell[to] = ways->cell[n];
        }
    ways->from.count = ways->to.count = kept;
}

// Finds the ends of ways whose starts are measured, and keeps those that the solid may have to do with.
static void find_ends(const BwPathTile *tile, const BwSolidPose *solid, const BwTracer *tracer, BwWays *ways)
{
    bw_path_places(tile, tracer->at, ways->cell, ways->from.count, &ways->to);
    bw_places_to_local(&ways->to, tile->is_back ? solid->before : solid->pose);
    bw_places_apart(&ways->from, &ways->to, ways->length);
    keep_near_ways(tile, ways);
    measure_places(tile, solid->shape, &ways->to);
}

// Finds the ways of `count` cells past a solid: those that it may have to do with.
static void find_ways(const BwPathTile *tile, const BwSolidPose *solid, const BwTracer *tracer, int count,
                      BwWays *ways)
{
    bw_path_places(tile, tracer->start, ways->cell, count, &ways->from);
    bw_places_to_local(&ways->from, tile->is_back ? solid->pose : solid->before);
    measure_places(tile, solid->shape, &ways->from);
    find_ends(tile, solid, tracer, ways);
}

// What all ways past a solid share.
static BwWay way_past(const BwPathTile *tile, const BwSolidPose *solid)
{
    return (BwWay){.solid = solid,
                   .shape = solid->shape,
                   .is_triangles = bw_shape_is_triangles(solid->shape),
                   .is_box = bw_shape_is_box(solid->shape),
                   .pose = tile->is_back ? solid->before : solid->pose};
}

static BwWay begin_ways(const BwPathTile *tile, const BwSolidPose *solid, BwWays *ways)
{
    BwWay way = way_past(tile, solid);
    if (way.is_box)
        bw_places_entering_box(&ways->from, &ways->to, way.shape, ways->entering);
    return way;
}

static void set_way(BwWay *way, const BwWays *ways, int n)
{
    way->from = (BwWayEnd){bw_place_of(&ways->from, n), {ways->from.low[n], ways->from.high[n]}};
    way->to = (BwWayEnd){bw_place_of(&ways->to, n), {ways->to.low[n], ways->to.high[n]}};
    way->length = ways->length[n];
}

// Of the ways from `n` on, a bit each: those that are told to be clear from outside to an end that is farther
// outside than `around`; those that end so far outside as `beside` of a solid that is thick around the tile,
// so that one leads around it, if it does not start too deep; and those that pass a box.
typedef struct ClearWays {
    uint64_t all_along, past_thick, past_box;
} ClearWays;

static ClearWays clear_ways(const BwPathTile *tile, const BwWay *way, const BwWays *ways, int n, float around,
                            float beside)
{
    BwLanes from = bw_lanes_load(ways->from.low + n), to = bw_lanes_load(ways->to.low + n),
            length = bw_lanes_load(ways->length + n), sure = bw_lanes_choose(to > 0.0f, 0.95f * to, to);
    BwLaneBits is_outside = from >= 0.0f, is_apart = (from > length) | (from + to > bw_safely * length),
               ends_clear = to > around;
    ClearWays clear = {.all_along = bw_lanes_bits(is_outside & is_apart & ends_clear),
                       .past_thick = bw_lanes_bits((length < tile->thick) & (sure >= beside))};
    if (way->is_box) {
        clear.past_box = bw_lanes_bits(is_outside & (to >= 0.0f)) & ~(ways->entering[n >> 6] >> (n & 63));
        clear.all_along |= clear.past_box & bw_lanes_bits(ends_clear);
    }
    return clear;
}

static bool is_in_box(const BwPathTile *tile, const BwTracer *tracer, const float end[3])
{
    bool is_in = true;
    for (int a = 0; a < tile->grid->dimension; a++)
        is_in &= end[a] >= tracer->low[a] && end[a] <= tracer->high[a];
    return is_in;
}

// Clips a path that may meet a solid. Once its end has moved, it may have come near to any solid.
static void clip_way(const BwPathTile *tile, int s, bool is_past, BwWay *way, int cell, BwTracer *tracer,
                     BwPassing *passing)
{
    float end[3] = {tracer->at[0][cell], tracer->at[1][cell], tracer->at[2][cell]};
    bool has_moved = !is_past && clip_end(tile, way, end);
    bool sees_all = tile->sees_all && is_in_box(tile, tracer, end);
    if (has_moved && !sees_all)
        way->to = end_of_path(tile, way, end);
    for (int a = 0; a < tile->grid->dimension && has_moved; a++)
        tracer->at[a][cell] = end[a];
    passing->is_cut |= has_moved;
    passing->set = passing->is_cut ? ~UINT64_C(0) : passing->set;
    if (sees_all)
        return;
    passing->count++;
    passing->solid = s;
    passing->from = way->from;
    passing->to = way->to;
    passing->length = way->length;
}

// What is outside beside the end of a way past something thick is in sight.
static void clip_ways(const BwPathTile *tile, const BwSolidPose *solid, int s, BwClipped *clipped,
                      BwTracer *tracer)
{
    BwWays *ways = &clipped->ways;
    BwWay way = begin_ways(tile, solid, ways);
    float around = bw_path_reach(tile, 0.0f),
          beside = bw_path_beside_thick(tile->grid->cell_size, tile->is_scalar);
    for (int first = 0; first < ways->to.count; first += BW_LANES) {
        ClearWays clear = clear_ways(tile, &way, ways, first, around, beside);
        for (int n = first; n < first + BW_LANES && n < ways->to.count; n++) {
            int cell = ways->cell[n], bit = n - first;
            if ((clear.all_along | clear.past_thick) >> bit & 1)
                continue;
            set_way(&way, ways, n);
            bool is_past = clear.past_box >> bit & 1;
            if (is_past || !starts_too_deep(tile, &way))
                clip_way(tile, s, is_past, &way, cell, tracer, &clipped->passing[cell]);
        }
    }
}

// Looks from the end of a path that was clipped; gives what is hidden.
static uint8_t look_from_end(const BwPathTile *tile, BwPathSolids solids, BwTracer *tracer, int cell,
                             BwPassing *passing)
{
    float start[3], end[3], at[3] = {0};
    start_and_end(tracer, cell, start, end);
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = bw_smaller(bw_larger(end[a], tracer->low[a]), tracer->high[a]);
    bool is_known = passing->count == 1 && (!passing->is_cut || solids.count == 1);
    BwWay only = way_past(tile, &solids.list[passing->solid]);
    only.from = passing->from;
    only.to = passing->to;
    only.length = passing->length;
    uint8_t hidden =
        look_past(tile, solids, passing->set, is_known ? &only : NULL, start, end, at, &passing->is_cut);
    for (int a = 0; a < tile->grid->dimension; a++)
        tracer->at[a][cell] = at[a];
    return hidden;
}

// What may have to do with the paths of a tile's cells, before any is clipped.
static void begin_passing(const BwPathTile *tile, const uint64_t *near, BwPassing *passing)
{
    for (int k = 0; k < tile->grid->layers; k++)
        for (uint64_t left = near[k]; left != 0; left &= left - 1) {
            int cell = BW_TILE_LAYER * k + __builtin_ctzll(left);
            passing[cell] = (BwPassing){.set = tile->concerned};
        }
}

static int cells_of_solid(const BwPathTile *tile, const uint64_t *near, const BwPassing *passing, int s,
                          int16_t *cell)
{
    int count = 0;
    for (int k = 0; k < tile->grid->layers; k++)
        for (uint64_t left = near[k]; left != 0; left &= left - 1) {
            int n = BW_TILE_LAYER * k + __builtin_ctzll(left);
            if (passing[n].set & bw_solid_bit(s))
                cell[count++] = (int16_t)n;
        }
    return count;
}

// Clips the paths back of a tile's cells, solid by solid, and then looks from their ends.
static void clip_cells(const BwPathTile *tile, BwPathSolids solids, const uint64_t *near, BwClipped *clipped,
                       BwTracer *tracer)
{
    begin_passing(tile, near, clipped->passing);
    for (int s = 0; s < solids.count; s++) {
        int count = cells_of_solid(tile, near, clipped->passing, s, clipped->ways.cell);
        if (count == 0)
            continue;
        find_ways(tile, &solids.list[s], tracer, count, &clipped->ways);
        clip_ways(tile, &solids.list[s], s, clipped, tracer);
    }
    for (int k = 0; k < tile->grid->layers; k++)
        for (uint64_t left = near[k]; left != 0; left &= left - 1) {
            int cell = BW_TILE_LAYER * k + __builtin_ctzll(left);
            BwPassing *passing = &clipped->passing[cell];
            if (passing->count > 0)
                clipped->hidden[cell] = look_from_end(tile, solids, tracer, cell, passing);
            clipped->is_cut[cell] = passing->is_cut;
        }
}

// Leaves out the ways of cells that have met a solid already.
static void keep_free(const uint64_t *met, BwWays *ways)
{
    int kept = 0;
    for (int n = 0; n < ways->from.count; n++) {
        int16_t cell = ways->cell[n];
        ways->cell[kept] = cell;
        bw_place_move(&ways->from, kept, n);
        kept += !bw_bit(met, cell);
    }
    ways->from.count = kept;
}

// Adds to `met` the cells whose paths ahead meet a solid, of those in ways->cell. What a solid has left
// behind has no way ahead: it was no fluid.
static void meet_solid(const BwPathTile *tile, const BwSolidPose *solid, const BwTracer *tracer,
                       bool is_measured, BwWays *ways, uint64_t *met)
{
    keep_free(met, ways);
    if (ways->from.count == 0)
        return;
    if (is_measured)
        find_ends(tile, solid, tracer, ways);
    else
        find_ways(tile, solid, tracer, ways->from.count, ways);
    for (int k = 0; k < tile->grid->layers; k++)
        met[k] |= ways->deep[k];
    float deepest = -depth_that_counts(tile);
    BwWay way = begin_ways(tile, solid, ways);
    for (int first = 0; first < ways->to.count; first += BW_LANES) {
        ClearWays clear = clear_ways(tile, &way, ways, first, 0.0f, 0.0f);
        for (int n = first; n < first + BW_LANES && n < ways->to.count; n++) {
            int cell = ways->cell[n], bit = n - first;
            if (((clear.all_along | clear.past_box) >> bit & 1) ||
                ((clear.past_thick >> bit & 1) && ways->from.low[n] >= deepest))
                continue;
            set_way(&way, ways, n);
            float end[3] = {tracer->at[0][cell], tracer->at[1][cell], tracer->at[2][cell]};
            if (starts_too_deep(tile, &way) || clip_end(tile, &way, end))
                met[cell >> 6] |= UINT64_C(1) << (cell & 63);
        }
    }
}

static BwPathTile make_tile(BwPathSolids solids, const BwGrid *grid, int32_t slot, bool is_back)
{
    BwPathTile tile = {.grid = grid, .is_back = is_back, .is_plain = solids.is_plain};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, tile.first);
    return tile;
}

// Finds the cells whose paths ahead meet a solid; their starts are in the tracer.
static void find_met(BwPathTile *tile, const BwField paths[3], BwTracer *tracer, BwWays *ways,
                     BwPathSolids solids, int32_t slot, uint64_t *met)
{
    BwPathLengths lengths;
    bw_path_ends(tracer, paths, BW_AT_CELL, slot);
    bw_path_lengths_find(&lengths, paths, false, slot);
    for (int s = 0; s < solids.count; s++) {
        bool is_known = bw_paths_starting_near(tile, solids, s, &lengths, ways, met);
        if (ways->from.count == 0)
            continue;
        tile->thick = bw_paths_thick(tile, &solids.list[s], &lengths);
        meet_solid(tile, &solids.list[s], tracer, !tile->is_plain && !is_known, ways, met);
    }
}

static float *thick_of(const BwPathMarks *marks, int32_t slot)
{
    return (float *)(void *)bw_note(&marks->thick, slot);
}

void bw_paths_mark(const BwPathMarks *marks, const BwPaths *paths, BwTracer *tracer, BwWays *ways,
                   BwPathSolids solids, int32_t slot)
{
    const BwGrid *grid = marks->met.store.grid;
    BwPathTile tile = make_tile(solids, grid, slot, true);
    bw_rest_distance_measure(&marks->rest, solids, slot);
    tile.rest = bw_rest_distance_of(&marks->rest, solids, slot);
    BwPathConcern concern;
    bw_paths_concern(&concern, &tile, paths->back, solids, slot, tracer, ways);
    *bw_note(&marks->solids, slot) = concern.set;
    *thick_of(marks, slot) = concern.thick;
    for (int n = 0; n <= grid->dimension; n++)
        memcpy(bw_mask_tile(&marks->near[n], slot), concern.near[n], (size_t)grid->layers * sizeof(uint64_t));
    uint64_t *met = bw_mask_tile(&marks->met, slot);
    memset(met, 0, (size_t)grid->layers * sizeof *met);
    if (paths->ahead == NULL)
        return;
    tile.is_back = false;
    find_met(&tile, paths->ahead, tracer, ways, solids, slot, met);
}

void bw_paths_mark_none(const BwPathMarks *marks, int32_t slot)
{
    size_t bytes = (size_t)marks->met.store.grid->layers * sizeof(uint64_t);
    for (int n = 0; n <= marks->met.store.grid->dimension; n++)
        memset(bw_mask_tile(&marks->near[n], slot), 0, bytes);
    memset(bw_mask_tile(&marks->met, slot), 0, bytes);
}

static void clear(BwClipped *clipped)
{
    memset(clipped->is_cut, 0, sizeof clipped->is_cut);
    memset(clipped->hidden, 0, sizeof clipped->hidden);
}

// Notes are kept about the first solid that has to do with the tile's paths, if it is of triangles: others
// are as quickly measured as looked up. Places are as exact as floats of their size.
static void begin_memo(BwPathTile *tile, BwClipped *clipped, BwPathSolids solids)
{
    const float middle[3] = {0.5f * BW_TILE, 0.5f * BW_TILE, 0.5f * BW_TILE};
    int first = tile->concerned != 0 ? __builtin_ctzll(tile->concerned) : solids.count;
    const BwSolidPose *solid = first < solids.count ? &solids.list[first] : NULL;
    if (solid == NULL || tile->is_plain || !bw_shape_is_triangles(solid->shape))
        solid = NULL;
    float size =
        solid != NULL ? bw_length(bw_path_position(tile, middle)) + bw_length(solid->before.position) : 0.0f;
    bw_sight_memo_begin(&clipped->memo, solid, 2e-6f * (size + 2.0f * BW_TILE * tile->grid->cell_size));
    tile->memo = &clipped->memo;
}

void bw_clip_paths(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, BwPathSolids solids,
                   BwLocation location, int32_t slot)
{
    const BwGrid *grid = marks->met.store.grid;
    BwPathTile tile = make_tile(solids, grid, slot, true);
    tile.is_scalar = location == BW_AT_CELL;
    tile.concerned = *bw_note(&marks->solids, slot);
    tile.thick = *thick_of(marks, slot);
    // Velocities ask for nothing past a thick solid (corners_past_thick), and there is no other.
    tile.sees_all = tile.thick > 0.0f && !tile.is_scalar && solids.count == 1;
    for (int a = 0; a < 3; a++) {
        bool has_far_face = grid->far_wall[a] && bw_location_normal(location) == a;
        tile.shift[a] = bw_location_shift(location, a);
        tile.lowest[a] = tracer->low[a] + tile.shift[a];
        tile.highest[a] = tracer->high[a] + tile.shift[a] - (has_far_face ? 0.0f : 1.0f);
    }
    clear(clipped);
    begin_memo(&tile, clipped, solids);
    const uint64_t *near = bw_mask_tile(&marks->near[1 + bw_location_normal(location)], slot);
    clip_cells(&tile, solids, near, clipped, tracer);
    for (int k = 0; k < grid->layers; k++) {
        uint64_t *cut = &bw_mask_tile(&marks->cut, slot)[k];
        *cut = 0;
        for (uint64_t left = near[k]; left != 0; left &= left - 1) {
            int bit = __builtin_ctzll(left);
            *cut |= (uint64_t)clipped->is_cut[BW_TILE_LAYER * k + bit] << bit;
        }
    }
}

// Cuts some paths of a layer, and lets them end where they start.
static void cut_paths(BwClipped *clipped, BwTracer *tracer, int k, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1) {
        int n = BW_TILE_LAYER * k + __builtin_ctzll(bits);
        clipped->is_cut[n] = true;
        for (int a = 0; a < 3; a++)
            tracer->at[a][n] = tracer->start[a][n];
    }
}

void bw_clip_paths_again(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, int32_t slot)
{
    clear(clipped);
    for (int k = 0; k < marks->cut.store.grid->layers; k++)
        cut_paths(clipped, tracer, k, bw_mask_tile(&marks->cut, slot)[k]);
}

void bw_clip_paths_ahead(BwClipped *clipped, BwTracer *tracer, const BwPathMarks *marks, BwLocation location,
                         int32_t slot)
{
    const BwGrid *grid = marks->met.store.grid;
    int normal = bw_location_normal(location);
    clear(clipped);
    for (int k = 0; k < grid->layers; k++) {
        uint64_t bits = bw_mask_tile(&marks->met, slot)[k];
        if (normal >= 0)
            bits |= bw_bits_beside(grid, &marks->met, slot, 2 * normal, k);
        cut_paths(clipped, tracer, k, bits);
    }
}

BwResult bw_path_marks_create(BwPathMarks *marks, BwGrid *grid, bool keeps_distances, BwError *err)
{
    *marks = (BwPathMarks){0};
    BwResult result = bw_mask_create(&marks->met, grid, err);
    for (int n = 0; n <= grid->dimension && result == BW_OK; n++)
        result = bw_mask_create(&marks->near[n], grid, err);
    if (result == BW_OK)
        result = bw_mask_create(&marks->cut, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&marks->solids, grid, err);
    if (result == BW_OK)
        result = bw_notes_create(&marks->thick, grid, err);
    if (result == BW_OK && keeps_distances)
        result = bw_rest_distance_create(&marks->rest, grid, err);
    if (result != BW_OK)
        bw_path_marks_destroy(marks);
    return result;
}

void bw_path_marks_destroy(BwPathMarks *marks)
{
    for (int n = 0; n < 4; n++)
        bw_mask_destroy(&marks->near[n]);
    bw_mask_destroy(&marks->met);
    bw_mask_destroy(&marks->cut);
    bw_notes_destroy(&marks->solids);
    bw_notes_destroy(&marks->thick);
    bw_rest_distance_destroy(&marks->rest);
}

bool bw_solids_may_cut(BwPathSolids solids, const BwGrid *grid, int32_t slot, float cells)
{
    if (solids.count == 0)
        return false;
    BwPathTile tile = make_tile(solids, grid, slot, true);
    const float half = 0.5f * BW_TILE, middle[3] = {half, half, half};
    float radius = half * sqrtf((float)grid->dimension) * grid->cell_size;
    BwVec3 center = bw_path_position(&tile, middle);
    for (int s = 0; s < solids.count; s++) {
        const BwSolidPose *solid = &solids.list[s];
        float moved = bw_path_tile_moved(&tile, solid);
        BwDistanceBounds distance =
            bw_shape_distance_bounds(solid->shape, bw_pose_to_local(solid->pose, center));
        if (distance.low <= radius + moved + (cells + 3.0f) * grid->cell_size)
            return true;
    }
    return false;
}
