// What solids hide from the ends of paths. Where a formula or the side of a sample does not tell, each way to
// a sample is asked on its own.
#include "advect/path_sight.h"

#include "base/extremes.h"
#include "solid/box_ways.h"
#include "solid/local_thickness.h"
#include "solid/shape_file.h"

#include <math.h>
#include <string.h>

// Position of the sample that is so many ahead of the corner of a place, rounded as bw_block_points_find
// does. Beyond the bounds a block repeats the last one inside.
static void sample_near(const BwPathTile *tile, const float at[3], const int ahead[3], float sample[3])
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
static Sight sight_along(const BwPathTile *tile, BwWay *way)
{
    if (way->to.distance.high < 0.0f)
        return INSIDE;
    if (way->is_triangles &&
        (bw_way_is_apart(tile, way) || bw_shape_cross(way->shape, way->from.at, way->to.at) > 1.0f))
        return IN_SIGHT;
    if (bw_way_end_is_below(way->shape, &way->to, 0.0f))
        return INSIDE;
    if (way->is_triangles)
        return HIDDEN;
    return !bw_way_is_apart(tile, way) && bw_way_clear_part(way, bw_path_skin * tile->grid->cell_size) < 1.0f
               ? HIDDEN
               : IN_SIGHT;
}

// `note` is what is kept of the distance at the sample; NULL: nothing.
static Sight sight_of(const BwPathTile *tile, const BwWay *path, BwVec3 sample, BwSightNote *note)
{
    BwWay way = {
        .shape = path->shape, .is_triangles = path->is_triangles, .is_box = path->is_box, .from = path->to};
    way.length = bw_length(bw_sub(sample, way.from.at));
    if (way.from.distance.low > way.length)
        return IN_SIGHT;
    bool is_noted = bw_sight_is_noted(tile->memo, note);
    way.to = is_noted ? (BwWayEnd){sample, bw_sight_recall(tile->memo, note)}
                      : bw_way_end_at(tile, way.shape, sample);
    Sight sight = sight_along(tile, &way);
    if (!is_noted || !(way.to.distance.low < way.to.distance.high)) // it may have been asked for by now
        bw_sight_keep(tile->memo, note, way.to.distance);
    return sight;
}

// Moves a place to the closest sample that is in sight, if there is one nearby.
static void go_to_closest(const BwPathTile *tile, const BwWay *way, float at[3])
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

static BwSightNote *note_of_corner(const BwPathTile *tile, const BwWay *way, const float low[3],
                                   const float high[3], int corner)
{
    int sample[3] = {0};
    for (int a = 0; a < tile->grid->dimension; a++)
        sample[a] = (int)((corner >> a & 1 ? high[a] : low[a]) - tile->shift[a]);
    return bw_sight_note(tile->memo, way->solid, sample);
}

// Past a thick solid nothing is hidden that is outside of it: a sample beyond a bulge is on the same side.
// Velocities ask for no more; a scalar for whether any sample is outside, the closest one first.
static Corners corners_past_thick(const BwPathTile *tile, const BwWay *way, const float low[3],
                                  const float high[3], const float at[3])
{
    int closest = 0;
    Corners corners = {0};
    for (int a = 0; a < 3; a++)
        closest |= (at[a] - low[a] > high[a] - at[a]) << a;
    for (int n = 0; n < 8 && tile->is_scalar && !corners.has_any; n++) {
        int corner = closest ^ n;
        const float sample[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                                 corner & 4 ? high[2] : low[2]};
        BwWayEnd place =
            bw_way_end_at(tile, way->shape, bw_pose_to_local(way->pose, bw_path_position(tile, sample)));
        corners.has_any = !bw_way_end_is_below(way->shape, &place, 0.0f);
    }
    return corners;
}

// The samples around a place in the solid's frame, x first.
static void find_samples(const BwPathTile *tile, const BwWay *way, const float low[3], const float high[3],
                         float samples[3][BW_SEEN])
{
    BwVec3 first = bw_pose_to_local(way->pose, bw_path_position(tile, low)), step[3];
    for (int a = 0; a < 3; a++) {
        const float next[3] = {a == 0 ? high[0] : low[0], a == 1 ? high[1] : low[1],
                               a == 2 ? high[2] : low[2]};
        step[a] = bw_sub(bw_pose_to_local(way->pose, bw_path_position(tile, next)), first);
    }
    for (int corner = 0; corner < BW_SEEN; corner++) {
        BwVec3 sample = first;
        for (int a = 0; a < 3; a++)
            sample = corner >> a & 1 ? bw_add(sample, step[a]) : sample;
        samples[0][corner] = sample.x;
        samples[1][corner] = sample.y;
        samples[2][corner] = sample.z;
    }
}

static Corners corners_past_box(const BwPathTile *tile, BwSeen seen)
{
    unsigned all = tile->grid->dimension == 3 ? 0xff : 0xf, lost = (unsigned)(seen.inside | seen.hidden);
    return (Corners){.hidden = (uint8_t)(seen.hidden & all), .has_any = (~lost & all) != 0};
}

static Corners corners_one_by_one(const BwPathTile *tile, const BwWay *way, const float low[3],
                                  const float high[3], float samples[3][BW_SEEN])
{
    Corners corners = {0};
    for (int corner = 0; corner < 1 << tile->grid->dimension; corner++) {
        BwVec3 sample = bw_vec3(samples[0][corner], samples[1][corner], samples[2][corner]);
        Sight sight = sight_of(tile, way, sample, note_of_corner(tile, way, low, high, corner));
        corners.hidden |= (uint8_t)((sight == HIDDEN) << corner);
        corners.has_any |= sight == IN_SIGHT;
    }
    return corners;
}

// `end` is the end of the path itself; the place differs from it where a turning solid took the end out of
// the box.
static Corners corners_in_sight(const BwPathTile *tile, const BwWay *way, const float end[3],
                                const float at[3])
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
    float samples[3][BW_SEEN];
    BwSeen seen;
    find_samples(tile, way, low, high, samples);
    if (way->is_box && bw_box_seen(way->shape, way->to.at, samples, &seen))
        return corners_past_box(tile, seen);
    return corners_one_by_one(tile, way, low, high, samples);
}

// What is hidden from the end of a path around a place. Where no sample is in sight, a scalar, which has
// nothing inside, takes the closest one that is: then the path is cut.
uint8_t bw_path_look(const BwPathTile *tile, const BwWay *way, const float end[3], float at[3], bool *is_cut)
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
