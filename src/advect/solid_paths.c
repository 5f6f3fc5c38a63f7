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

#include "advect/clear_part.h"
#include "advect/path_concern.h"
#include "base/extremes.h"
#include "solid/local_thickness.h"
#include "solid/shape_file.h"
#include <math.h>
#include <string.h>

// A path ends this near to a solid, in cells; one that slides along nearer than that cannot be told from one
// that enters.
static const float skin = 0.02f;

typedef BwPathTile Tile;

static void put(const Tile *tile, BwVec3 point, float at[3])
{
    const float p[3] = {point.x, point.y, point.z};
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = (float)((double)p[a] / (double)tile->grid->cell_size - (double)tile->first[a]);
}

typedef BwWayEnd Place;

static float ask(const BwShape *shape, Place *place)
{
    if (place->distance.low < place->distance.high)
        place->distance.low = place->distance.high = bw_shape_distance(shape, place->at);
    return place->distance.low;
}

static Place place_at(const Tile *tile, const BwShape *shape, BwVec3 at)
{
    Place place = {at, bw_shape_distance_bounds(shape, at)};
    if (tile->is_plain)
        ask(shape, &place);
    return place;
}

// Whether the distance is below a bound; this one decides, so it is asked for where its bounds do not tell.
static bool is_below(const BwShape *shape, Place *place, float bound)
{
    if (place->distance.low < bound && !(place->distance.high < bound))
        ask(shape, place);
    return place->distance.low < bound;
}

// A path, or the way from its end to a sample, past a solid.
typedef struct Way {
    const BwSolidPose *solid;
    const BwShape *shape;
    bool is_triangles;
    BwPose pose; // of the solid, at the end of the path
    Place from, to;
    float length;
} Way;

// Whether the balls of their bounds about places on the way cover all of it, so that it crosses no triangle.
static bool is_covered(const Way *way)
{
    enum { PLACES_MAX = 3 };
    float length = bw_safely * way->length, ball = way->from.distance.low, clear = ball;
    BwVec3 along = bw_sub(way->to.at, way->from.at);
    for (int n = 0; n < PLACES_MAX && ball > 0.0f; n++) {
        float at = clear + 0.8f * ball;
        if (at > length)
            return false;
        ball = bw_shape_distance_bounds(way->shape, bw_on_way(way->from.at, along, at / length)).low;
        if (!(clear + ball > at))
            return false;
        clear = at + ball;
        if (clear + way->to.distance.low > length)
            return true;
    }
    return false;
}

// Whether the solid cannot lie between the ends. Triangles are not asked for distances: where bounds do not
// tell, asking which one is crossed is cheaper.
static bool are_apart(const Tile *tile, Way *way)
{
    float wanted = bw_safely * way->length;
    if (way->from.distance.low + way->to.distance.low > wanted)
        return true;
    if (way->is_triangles)
        return !tile->is_plain && is_covered(way);
    return ask(way->shape, &way->from) + ask(way->shape, &way->to) > wanted;
}

static float clear_part_of(Way *way, float close)
{
    return way->is_triangles
               ? bw_clear_part_of_triangles(way->shape, way->from.at, way->to.at, close)
               : bw_clear_part(way->shape, way->from.at, way->to.at, ask(way->shape, &way->from), close);
}

// Position of the sample that is so many ahead of the corner of a place, rounded as bw_block_points_find
// does. Beyond the bounds a block repeats the last one inside.
static void sample_near(const Tile *tile, const float at[3], const int ahead[3], float sample[3])
{
    for (int a = 0; a < tile->grid->dimension; a++) {
        int corner = (int)floorf(at[a] + (BW_REACH_MAX - tile->shift[a])) - BW_REACH_MAX;
        sample[a] = (float)(corner + ahead[a]) + tile->shift[a];
        sample[a] = bw_smaller(bw_larger(sample[a], tile->lowest[a]), tile->highest[a]);
    }
}

typedef enum Sight { IN_SIGHT, INSIDE, HIDDEN } Sight;

// How the end of a path sees the other end of a way, which is a sample in the solid's frame. The end is
// outside; what of a closed surface is inside cannot be seen from there.
static Sight sight_along(const Tile *tile, Way *way)
{
    if (way->to.distance.high < 0.0f)
        return INSIDE;
    if (way->is_triangles &&
        (are_apart(tile, way) || bw_shape_cross(way->shape, way->from.at, way->to.at) > 1.0f))
        return IN_SIGHT;
    if (is_below(way->shape, &way->to, 0.0f))
        return INSIDE;
    if (way->is_triangles)
        return HIDDEN;
    return !are_apart(tile, way) && clear_part_of(way, skin * tile->grid->cell_size) < 1.0f ? HIDDEN
                                                                                            : IN_SIGHT;
}

// `note` is what is kept of the distance at the sample; NULL: nothing.
static Sight sight_of(const Tile *tile, const Way *path, BwVec3 sample, BwSightNote *note)
{
    Way way = {.shape = path->shape, .is_triangles = path->is_triangles, .from = path->to};
    way.length = bw_length(bw_sub(sample, way.from.at));
    if (way.from.distance.low > way.length)
        return IN_SIGHT;
    bool is_noted = bw_sight_is_noted(tile->memo, note);
    way.to =
        is_noted ? (Place){sample, bw_sight_recall(tile->memo, note)} : place_at(tile, way.shape, sample);
    Sight sight = sight_along(tile, &way);
    if (!is_noted || !(way.to.distance.low < way.to.distance.high)) // it may have been asked for by now
        bw_sight_keep(tile->memo, note, way.to.distance);
    return sight;
}

// Moves a place to the closest sample that is in sight, if there is one nearby.
static void go_to_closest(const Tile *tile, const Way *way, float at[3])
{
    enum { WIDTH = 4 };
    float best[3] = {at[0], at[1], at[2]}, nearest = INFINITY;
    int count = tile->grid->dimension == 3 ? WIDTH * WIDTH * WIDTH : WIDTH * WIDTH;
    for (int n = 0; n < count; n++) {
        const int ahead[3] = {n % WIDTH - 1, n / WIDTH % WIDTH - 1, n / WIDTH / WIDTH - 1};
        float sample[3] = {0}, away = 0.0f;
        sample_near(tile, at, ahead, sample);
        for (int a = 0; a < tile->grid->dimension; a++)
            away += (sample[a] - at[a]) * (sample[a] - at[a]);
        if (away >= nearest ||
            sight_of(tile, way, bw_pose_to_local(way->pose, bw_path_position(tile, sample)), NULL) !=
                IN_SIGHT)
            continue;
        nearest = away;
        memcpy(best, sample, sizeof best);
    }
    memcpy(at, best, sizeof best);
}

// The samples around a place: a bit for each that is outside the solid, but not in sight.
typedef struct Corners {
    uint8_t hidden;
    bool has_any; // in sight
} Corners;

static BwSightNote *note_of_corner(const Tile *tile, const Way *way, const float low[3], const float high[3],
                                   int corner)
{
    int sample[3] = {0};
    for (int a = 0; a < tile->grid->dimension; a++)
        sample[a] = (int)((corner >> a & 1 ? high[a] : low[a]) - tile->shift[a]);
    return bw_sight_note(tile->memo, way->solid, sample);
}

// Past a thick solid nothing is hidden that is outside of it: a sample beyond a bulge is on the same side.
// Velocities ask for no more; a scalar for whether any sample is outside, the closest one first.
static Corners corners_past_thick(const Tile *tile, const Way *way, const float low[3], const float high[3],
                                  const float at[3])
{
    int closest = 0;
    Corners corners = {0};
    for (int a = 0; a < 3; a++)
        closest |= (at[a] - low[a] > high[a] - at[a]) << a;
    for (int n = 0; n < 8 && tile->is_scalar && !corners.has_any; n++) {
        int corner = closest ^ n;
        const float sample[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                                 corner & 4 ? high[2] : low[2]};
        Place place = place_at(tile, way->shape, bw_pose_to_local(way->pose, bw_path_position(tile, sample)));
        corners.has_any = !is_below(way->shape, &place, 0.0f);
    }
    return corners;
}

// `end` is the end of the path itself; the place differs from it where a turning solid took the end out of
// the box.
static Corners corners_in_sight(const Tile *tile, const Way *way, const float end[3], const float at[3])
{
    float low[3] = {0}, high[3] = {0}, farthest2 = 0.0f;
    sample_near(tile, at, (const int[3]){0, 0, 0}, low);
    sample_near(tile, at, (const int[3]){1, 1, 1}, high);
    for (int a = 0; a < tile->grid->dimension; a++) {
        float far = bw_larger(fabsf(low[a] - end[a]), fabsf(high[a] - end[a]));
        farthest2 += far * far;
    }
    float farthest = bw_safely * tile->grid->cell_size * sqrtf(farthest2);
    if (way->to.distance.low > farthest)
        return (Corners){.has_any = true};
    // What is thick in space may be thin in the plane of a 2-D grid.
    if (tile->grid->dimension == 3 && bw_shape_is_thick(way->shape, way->to.at, farthest))
        return corners_past_thick(tile, way, low, high, at);
    Corners corners = {0};
    BwVec3 first = bw_pose_to_local(way->pose, bw_path_position(tile, low)), step[3];
    for (int a = 0; a < 3; a++) {
        const float next[3] = {a == 0 ? high[0] : low[0], a == 1 ? high[1] : low[1],
                               a == 2 ? high[2] : low[2]};
        step[a] = bw_sub(bw_pose_to_local(way->pose, bw_path_position(tile, next)), first);
    }
    for (int corner = 0; corner < 1 << tile->grid->dimension; corner++) {
        BwVec3 sample = first;
        for (int a = 0; a < 3; a++)
            sample = corner >> a & 1 ? bw_add(sample, step[a]) : sample;
        Sight sight = sight_of(tile, way, sample, note_of_corner(tile, way, low, high, corner));
        corners.hidden |= (uint8_t)((sight == HIDDEN) << corner);
        corners.has_any |= sight == IN_SIGHT;
    }
    return corners;
}

static Place end_of_path(const Tile *tile, const Way *way, const float end[3])
{
    return place_at(tile, way->shape, bw_pose_to_local(way->pose, bw_path_position(tile, end)));
}

// The way of a path past a solid. False where the solid is too far off.
static bool find_way(const Tile *tile, const BwSolidPose *solid, const float start[3], const float end[3],
                     Way *way)
{
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    way->solid = solid;
    way->shape = solid->shape;
    way->pose = tile->is_back ? solid->before : solid->pose;
    way->from = place_at(tile, way->shape, bw_pose_to_local(pose, bw_path_position(tile, start)));
    BwVec3 to = bw_pose_to_local(way->pose, bw_path_position(tile, end));
    way->length = bw_length(bw_sub(to, way->from.at));
    if (way->from.distance.low > bw_path_reach(tile, way->length))
        return false;
    way->is_triangles = bw_shape_is_triangles(way->shape);
    way->to = place_at(tile, way->shape, to);
    return true;
}

// No scalar lives deeper than this in a solid, and no velocity that counts.
static float depth_that_counts(const Tile *tile)
{
    return tile->is_scalar ? 0.0f : bw_path_deep * tile->grid->cell_size;
}

static bool starts_too_deep(const Tile *tile, Way *way)
{
    return is_below(way->shape, &way->from, -depth_that_counts(tile));
}

// Whether a way from outside ends outside of a solid that is too thick to be passed through, beyond a bulge
// of it at most. What is thick in space may be thin in the plane of a 2-D grid.
static bool leads_around(const Tile *tile, Way *way)
{
    return tile->grid->dimension == 3 && bw_shape_is_thick(way->shape, way->from.at, way->length) &&
           !is_below(way->shape, &way->to, 0.0f);
}

// Velocities count at faces that are open in part, and their paths start at centres that may lie inside: such
// a path ends outside, on the nearest side. Gives true if the end has moved; of paths ahead it is not moved,
// since nobody asks.
static bool clip_end(const Tile *tile, Way *way, float end[3])
{
    float h = tile->grid->cell_size, part = 1.0f;
    if (way->from.distance.low > way->length)
        return false;
    bool is_from_outside = !is_below(way->shape, &way->from, 0.0f);
    if (is_from_outside && !leads_around(tile, way) && !are_apart(tile, way))
        part = clear_part_of(way, skin * h);
    // What comes from outside and crosses no triangle is outside.
    if (part == 1.0f && ((is_from_outside && way->is_triangles) || !(way->to.distance.low < 0.0f)))
        return false;
    if (!tile->is_back)
        return part < 1.0f || is_below(way->shape, &way->to, 0.0f);
    BwVec3 to = way->to.at;
    if (part < 1.0f)
        to = bw_on_way(way->from.at, bw_sub(to, way->from.at), part);
    else if (!bw_push_out(way->shape, &to, h, skin * h))
        return false;
    put(tile, bw_pose_to_world(way->pose, to), end);
    return true;
}

// What is hidden from the end of a path around a place. Where no sample is in sight, a scalar, which has
// nothing inside, takes the closest one that is: then the path is cut.
static uint8_t look(const Tile *tile, const Way *way, const float end[3], float at[3], bool *is_cut)
{
    Corners corners = corners_in_sight(tile, way, end, at);
    bool is_lost = tile->is_scalar && !corners.has_any;
    if (is_lost) {
        go_to_closest(tile, way, at);
        corners = corners_in_sight(tile, way, end, at);
    }
    *is_cut |= is_lost || corners.hidden != 0;
    return corners.hidden;
}

// Looks past each solid of a set that concerns a path, but for those that hold its start. Where it is only
// one, its way may be known.
static uint8_t look_past(const Tile *tile, BwPathSolids solids, uint64_t set, const Way *only,
                         const float start[3], const float end[3], float at[3], bool *is_cut)
{
    if (only != NULL)
        return look(tile, only, end, at, is_cut);
    uint8_t hidden = 0;
    Way way;
    for (int s = 0; s < solids.count; s++)
        if ((set & bw_solid_bit(s)) && find_way(tile, &solids.list[s], start, end, &way) &&
            !starts_too_deep(tile, &way))
            hidden |= look(tile, &way, end, at, is_cut);
    return hidden;
}

static void start_and_end(const BwTracer *tracer, int n, float start[3], float end[3])
{
    for (int a = 0; a < 3; a++) {
        start[a] = tracer->start[a][n];
        end[a] = tracer->at[a][n];
    }
}

// The positions of the starts or ends of ways.
static void find_places(const Tile *tile, const float at[3][BW_TILE_CELLS_MAX], const int16_t *cell,
                        int count, BwPlaces *places)
{
    places->count = count;
    for (int a = 0; a < 3; a++) {
        double first = (double)tile->first[a], h = (double)tile->grid->cell_size;
        for (int n = 0; n < count; n++)
            places->at[a][n] =
                a < tile->grid->dimension ? (float)((first + (double)at[a][cell[n]]) * h) : 0.0f;
    }
}

static void ask_all(const BwShape *shape, BwPlaces *places)
{
    for (int n = 0; n < places->count; n++)
        places->low[n] = places->high[n] = bw_shape_distance(shape, bw_place_of(places, n));
}

static void measure_places(const Tile *tile, const BwShape *shape, BwPlaces *places)
{
    bw_places_measure(places, shape);
    if (tile->is_plain)
        ask_all(shape, places);
}

// Keeps the ways that the solid is not too far off for, nor their starts for sure too deep in it.
static void keep_near_ways(const Tile *tile, BwWays *ways)
{
    int count = 0;
    float deepest = -depth_that_counts(tile), around = bw_path_reach(tile, 0.0f);
    memset(ways->deep, 0, sizeof ways->deep);
    for (int n = 0; n < ways->from.count; n++) {
        bool is_far = ways->from.low[n] > bw_safely * ways->length[n] + around,
             is_deep = ways->from.high[n] < deepest;
        int cell = ways->cell[n];
        ways->deep[cell >> 6] |= (uint64_t)(is_deep && !is_far) << (cell & 63);
        if (is_far || is_deep)
            continue;
        bw_place_move(&ways->from, count, n);
        bw_place_move(&ways->to, count, n);
        ways->length[count] = ways->length[n];
        ways->cell[count++] = ways->cell[n];
    }
    ways->from.count = ways->to.count = count;
}

// Finds the ways of `count` cells past a solid: those that it may have to do with.
static void find_ways(const Tile *tile, const BwSolidPose *solid, const BwTracer *tracer, int count,
                      BwWays *ways)
{
    find_places(tile, tracer->start, ways->cell, count, &ways->from);
    find_places(tile, tracer->at, ways->cell, count, &ways->to);
    bw_places_to_local(&ways->from, tile->is_back ? solid->pose : solid->before);
    bw_places_to_local(&ways->to, tile->is_back ? solid->before : solid->pose);
    for (int n = 0; n < count; n++)
        ways->length[n] = bw_length(bw_sub(bw_place_of(&ways->to, n), bw_place_of(&ways->from, n)));
    measure_places(tile, solid->shape, &ways->from);
    keep_near_ways(tile, ways);
    measure_places(tile, solid->shape, &ways->to);
}

static Way way_past(const Tile *tile, const BwSolidPose *solid, Place from, Place to, float length)
{
    return (Way){.solid = solid,
                 .shape = solid->shape,
                 .is_triangles = bw_shape_is_triangles(solid->shape),
                 .pose = tile->is_back ? solid->before : solid->pose,
                 .from = from,
                 .to = to,
                 .length = length};
}

static Place place_among(const BwPlaces *places, int n)
{
    return (Place){bw_place_of(places, n), {places->low[n], places->high[n]}};
}

static Way way_among(const Tile *tile, const BwSolidPose *solid, const BwWays *ways, int n)
{
    return way_past(tile, solid, place_among(&ways->from, n), place_among(&ways->to, n), ways->length[n]);
}

// Whether bounds tell that a way from outside is all clear, with the samples around its end.
static bool is_clear(const BwWays *ways, int n, float around)
{
    float from = ways->from.low[n], to = ways->to.low[n], length = ways->length[n];
    return from >= 0.0f && to > around && (from > length || from + to > bw_safely * length);
}

// Whether bounds tell that a way back ends outside of a solid that is thick around the tile: then it leads
// around it, if it does not start too deep, and what is outside beside its end is in sight.
static bool is_past_thick(const Tile *tile, const BwWays *ways, int n)
{
    float beside = tile->is_back ? bw_path_beside_thick(tile->grid->cell_size, tile->is_scalar) : 0.0f;
    return ways->length[n] < tile->thick && bw_sure_distance(ways->to.low[n]) >= beside;
}

static bool is_in_box(const Tile *tile, const BwTracer *tracer, const float end[3])
{
    bool is_in = true;
    for (int a = 0; a < tile->grid->dimension; a++)
        is_in &= end[a] >= tracer->low[a] && end[a] <= tracer->high[a];
    return is_in;
}

// Clips the paths of cells at a solid. Once the end of one has moved, it may have come near to any solid.
static void clip_ways(const Tile *tile, const BwSolidPose *solid, int s, BwClipped *clipped, BwTracer *tracer)
{
    const BwWays *ways = &clipped->ways;
    float around = bw_path_reach(tile, 0.0f);
    for (int n = 0; n < ways->to.count; n++) {
        int cell = ways->cell[n];
        BwPassing *passing = &clipped->passing[cell];
        Way way = way_among(tile, solid, ways, n);
        bool is_way_clear = is_clear(ways, n, around) || is_past_thick(tile, ways, n);
        if (!is_way_clear && starts_too_deep(tile, &way))
            continue;
        float end[3] = {tracer->at[0][cell], tracer->at[1][cell], tracer->at[2][cell]};
        bool has_moved = !is_way_clear && clip_end(tile, &way, end);
        bool sees_all = is_way_clear || (tile->sees_all && is_in_box(tile, tracer, end));
        if (has_moved && !sees_all)
            way.to = end_of_path(tile, &way, end);
        for (int a = 0; a < tile->grid->dimension && has_moved; a++)
            tracer->at[a][cell] = end[a];
        passing->is_cut |= has_moved;
        passing->set = passing->is_cut ? ~UINT64_C(0) : passing->set;
        passing->count++;
        passing->is_near |= !sees_all;
        passing->solid = s;
        passing->from = way.from;
        passing->to = way.to;
        passing->length = way.length;
    }
}

// Looks from the end of a path that was clipped; gives what is hidden.
static uint8_t look_from_end(const Tile *tile, BwPathSolids solids, BwTracer *tracer, int cell,
                             BwPassing *passing)
{
    float start[3], end[3], at[3] = {0};
    start_and_end(tracer, cell, start, end);
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = bw_smaller(bw_larger(end[a], tracer->low[a]), tracer->high[a]);
    bool is_known = passing->count == 1 && (!passing->is_cut || solids.count == 1);
    Way only = way_past(tile, &solids.list[passing->solid], passing->from, passing->to, passing->length);
    uint8_t hidden =
        look_past(tile, solids, passing->set, is_known ? &only : NULL, start, end, at, &passing->is_cut);
    for (int a = 0; a < tile->grid->dimension; a++)
        tracer->at[a][cell] = at[a];
    return hidden;
}

// What may have to do with the paths of a tile's cells, before any is clipped.
static void begin_passing(const Tile *tile, const uint64_t *near, BwPassing *passing)
{
    for (int k = 0; k < tile->grid->layers; k++)
        for (uint64_t left = near[k]; left != 0; left &= left - 1) {
            int cell = BW_TILE_LAYER * k + __builtin_ctzll(left);
            passing[cell] = (BwPassing){.set = tile->concerned};
        }
}

static int cells_of_solid(const Tile *tile, const uint64_t *near, const BwPassing *passing, int s,
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
static void clip_cells(const Tile *tile, BwPathSolids solids, const uint64_t *near, BwClipped *clipped,
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
            if (passing->is_near)
                clipped->hidden[cell] = look_from_end(tile, solids, tracer, cell, passing);
            clipped->is_cut[cell] = passing->is_cut;
        }
}

// Adds to `met` the cells whose paths ahead meet a solid, of those in ways->cell. What a solid has left
// behind has no way ahead: it was no fluid.
static void meet_solid(const Tile *tile, const BwSolidPose *solid, const BwTracer *tracer, BwWays *ways,
                       uint64_t *met)
{
    int count = 0;
    for (int n = 0; n < ways->from.count; n++)
        if (!bw_bit(met, ways->cell[n]))
            ways->cell[count++] = ways->cell[n];
    if (count == 0)
        return;
    find_ways(tile, solid, tracer, count, ways);
    for (int k = 0; k < tile->grid->layers; k++)
        met[k] |= ways->deep[k];
    float deepest = -depth_that_counts(tile);
    for (int n = 0; n < ways->to.count; n++) {
        if (is_clear(ways, n, 0.0f) || (ways->from.low[n] >= deepest && is_past_thick(tile, ways, n)))
            continue;
        int cell = ways->cell[n];
        Way way = way_among(tile, solid, ways, n);
        float end[3] = {tracer->at[0][cell], tracer->at[1][cell], tracer->at[2][cell]};
        if (starts_too_deep(tile, &way) || clip_end(tile, &way, end))
            met[cell >> 6] |= UINT64_C(1) << (cell & 63);
    }
}

static Tile make_tile(BwPathSolids solids, const BwGrid *grid, int32_t slot, bool is_back)
{
    Tile tile = {.grid = grid, .is_back = is_back, .is_plain = solids.is_plain};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, tile.first);
    return tile;
}

// Finds the cells whose paths ahead meet a solid; their starts are in the tracer.
static void find_met(Tile *tile, const BwField paths[3], BwTracer *tracer, BwWays *ways, BwPathSolids solids,
                     int32_t slot, uint64_t *met)
{
    BwPathLengths lengths;
    bw_path_ends(tracer, paths, BW_AT_CELL, slot);
    bw_path_lengths_find(&lengths, paths, false, slot);
    for (int s = 0; s < solids.count; s++) {
        bw_paths_starting_near(tile, solids, s, &lengths, ways, met);
        if (ways->from.count == 0)
            continue;
        tile->thick = bw_paths_thick(tile, &solids.list[s], &lengths);
        meet_solid(tile, &solids.list[s], tracer, ways, met);
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
    Tile tile = make_tile(solids, grid, slot, true);
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
static void begin_memo(Tile *tile, BwClipped *clipped, BwPathSolids solids)
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
    Tile tile = make_tile(solids, grid, slot, true);
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
    Tile tile = make_tile(solids, grid, slot, true);
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
