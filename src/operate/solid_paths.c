// Clipping paths at solids.
#include "operate/solid_paths.h"

#include "solid/shape_file.h"
#include <math.h>
#include <string.h>

// A path ends this near to a solid, in cells; one that slides along nearer than that cannot be told from one
// that enters.
static const float skin = 0.02f;

enum { STEPS_MAX = 200 };

static BwVec3 on_way(BwVec3 from, BwVec3 along, float part)
{
    return bw_add(from, bw_mul(along, part));
}

// How much of the straight way from one point to another is clear of the shape: 1 if all. Where the distances
// at both ends of a stretch add up to more than its length, no surface can cross it, however thin; other
// stretches are halved until they are as short as `close`.
static float clear_part(const BwShape *shape, BwVec3 from, BwVec3 to, float distance, float close)
{
    BwVec3 along = bw_sub(to, from);
    float length = bw_length(along), at = 0.0f;
    if (bw_shape_is_triangles(shape)) {
        float met = bw_shape_cross(shape, from, to);
        return met > 1.0f ? 1.0f : fmaxf(met - close / length, 0.0f);
    }
    for (int n = 0; n < STEPS_MAX && at < length; n++) {
        float step = fminf(fmaxf(2.0f * distance, close), length - at);
        float next = bw_shape_distance(shape, on_way(from, along, (at + step) / length));
        while (!(distance + next > 1.001f * step) && step > close) {
            step *= 0.5f;
            next = bw_shape_distance(shape, on_way(from, along, (at + step) / length));
        }
        if (!(distance + next > 1.001f * step))
            return at / length;
        at += step;
        distance = next;
    }
    return at < length ? at / length : 1.0f;
}

// The way out of a shape from a point inside, by the slope of its distance.
static BwVec3 pushed_out(const BwShape *shape, BwVec3 point, float distance, float h)
{
    float e = 0.1f * h;
    BwVec3 slope = bw_vec3(bw_shape_distance(shape, bw_add(point, bw_vec3(e, 0.0f, 0.0f))) - distance,
                           bw_shape_distance(shape, bw_add(point, bw_vec3(0.0f, e, 0.0f))) - distance,
                           bw_shape_distance(shape, bw_add(point, bw_vec3(0.0f, 0.0f, e))) - distance);
    return bw_add(point, bw_mul(bw_normalize(slope), skin * h - distance));
}

// What all paths of a tile share.
typedef struct Tile {
    const BwGrid *grid;
    int32_t first[3];
    float shift[3];
    float lowest[3], highest[3]; // samples inside the bounds
    bool is_scalar, is_back;
} Tile;

static BwVec3 position(const Tile *tile, const float at[3])
{
    float p[3] = {0};
    for (int a = 0; a < tile->grid->dimension; a++)
        p[a] = (float)(((double)tile->first[a] + (double)at[a]) * (double)tile->grid->cell_size);
    return bw_vec3(p[0], p[1], p[2]);
}

static void place(const Tile *tile, BwVec3 point, float at[3])
{
    const float p[3] = {point.x, point.y, point.z};
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = (float)((double)p[a] / (double)tile->grid->cell_size - (double)tile->first[a]);
}

// A solid as the end of a path sees it.
typedef struct View {
    const BwShape *shape;
    BwPose pose;
    BwVec3 from;    // the end of the path, in the solid's frame
    float distance; // from it to the solid
} View;

// Where the sample sits that is so many ahead of the corner of a place, rounded as bw_places_find does.
// Beyond the bounds a block repeats the last one inside.
static void sample_near(const Tile *tile, const float at[3], const int ahead[3], float sample[3])
{
    for (int a = 0; a < tile->grid->dimension; a++) {
        int corner = (int)(at[a] + (BW_REACH_MAX - tile->shift[a])) - BW_REACH_MAX;
        sample[a] = (float)(corner + ahead[a]) + tile->shift[a];
        sample[a] = fminf(fmaxf(sample[a], tile->lowest[a]), tile->highest[a]);
    }
}

typedef enum Sight { IN_SIGHT, INSIDE, HIDDEN } Sight;

static Sight sight_of(const Tile *tile, const View *view, const float sample[3])
{
    BwVec3 other = bw_pose_to_local(view->pose, position(tile, sample));
    float length = bw_length(bw_sub(other, view->from));
    if (view->distance > length) // distances are dear
        return IN_SIGHT;
    if (bw_shape_is_triangles(view->shape) && bw_shape_cross(view->shape, view->from, other) > 1.0f)
        return view->distance < 0.0f ? INSIDE : IN_SIGHT;
    float distance = bw_shape_distance(view->shape, other);
    if (distance < 0.0f)
        return INSIDE;
    if (view->distance + distance > 1.001f * length)
        return IN_SIGHT;
    float close = skin * tile->grid->cell_size;
    return clear_part(view->shape, view->from, other, view->distance, close) < 1.0f ? HIDDEN : IN_SIGHT;
}

// Moves a place to the closest sample that is in sight, if there is one nearby.
static void go_to_closest(const Tile *tile, const View *view, float at[3])
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
        if (away >= nearest || sight_of(tile, view, sample) != IN_SIGHT)
            continue;
        nearest = away;
        memcpy(best, sample, sizeof best);
    }
    memcpy(at, best, sizeof best);
}

// Which of the samples around a place are outside the solid, but not in sight of it. Where none is in sight,
// a scalar, which has nothing inside, takes the closest one that is.
static uint8_t hidden_corners(const Tile *tile, const View *view, float at[3])
{
    int corners = 1 << tile->grid->dimension;
    for (int attempt = 0;; attempt++) {
        uint8_t hidden = 0;
        int seen = 0;
        for (int corner = 0; corner < corners; corner++) {
            const int ahead[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
            float sample[3] = {0};
            sample_near(tile, at, ahead, sample);
            Sight sight = sight_of(tile, view, sample);
            hidden |= (uint8_t)((sight == HIDDEN) << corner);
            seen += sight == IN_SIGHT;
        }
        if (seen > 0 || !tile->is_scalar || attempt > 0)
            return hidden;
        go_to_closest(tile, view, at);
    }
}

// The ends of a path as the solid sees them.
typedef struct Way {
    BwVec3 from, to;
    BwPose pose;    // at the end
    float distance; // of the start from the solid
} Way;

static Way way_past(const Tile *tile, const BwSolidPose *solid, const float start[3], const float end[3])
{
    Way way = {.pose = tile->is_back ? solid->before : solid->pose};
    way.from = bw_pose_to_local(tile->is_back ? solid->pose : solid->before, position(tile, start));
    way.to = bw_pose_to_local(way.pose, position(tile, end));
    way.distance = bw_shape_distance(solid->shape, way.from);
    return way;
}

// Whether a solid has nothing to do with a path: it is further off than the samples around its end; or it
// holds the start, where no scalar lives.
static bool is_of_no_concern(const Tile *tile, const Way *way)
{
    return way->distance > bw_length(bw_sub(way->to, way->from)) + 2.0f * tile->grid->cell_size ||
           (tile->is_scalar && way->distance < 0.0f);
}

// Velocities count at faces that are open in part, and their paths start at middles that may lie inside: such
// a path ends outside, on the nearest side. Gives true if the end has moved.
static bool clip_end(const Tile *tile, const BwSolidPose *solid, const float start[3], float end[3])
{
    float h = tile->grid->cell_size;
    Way way = way_past(tile, solid, start, end);
    if (is_of_no_concern(tile, &way) || way.distance > bw_length(bw_sub(way.to, way.from)))
        return false;
    float part = 1.0f, distance = bw_shape_distance(solid->shape, way.to);
    if (way.distance >= 0.0f && !(way.distance + distance > 1.001f * bw_length(bw_sub(way.to, way.from))))
        part = clear_part(solid->shape, way.from, way.to, way.distance, skin * h);
    if (part == 1.0f && distance >= 0.0f)
        return false;
    way.to = part < 1.0f ? on_way(way.from, bw_sub(way.to, way.from), part)
                         : pushed_out(solid->shape, way.to, distance, h);
    place(tile, bw_pose_to_world(way.pose, way.to), end);
    return true;
}

// What is hidden from the end of a path around a place; the two differ where a turning solid took the end out
// of the box.
static uint8_t look(const Tile *tile, const BwSolidPose *solid, const float start[3], const float end[3],
                    float at[3])
{
    Way way = way_past(tile, solid, start, end);
    View view = {solid->shape, way.pose, way.to, bw_shape_distance(solid->shape, way.to)};
    if (is_of_no_concern(tile, &way) || view.distance > 2.0f * tile->grid->cell_size)
        return 0;
    return hidden_corners(tile, &view, at);
}

static void clip_path(BwClipped *clipped, BwTracer *tracer, const Tile *tile, BwPathSolids solids, int n)
{
    const float start[3] = {tracer->start[0][n], tracer->start[1][n], tracer->start[2][n]};
    float end[3] = {tracer->at[0][n], tracer->at[1][n], tracer->at[2][n]}, at[3] = {0};
    bool is_cut = false;
    uint8_t hidden = 0;
    for (int s = 0; s < solids.count; s++)
        is_cut |= clip_end(tile, &solids.list[s], start, end);
    for (int a = 0; a < tile->grid->dimension; a++)
        at[a] = fminf(fmaxf(end[a], tracer->low[a]), tracer->high[a]);
    for (int s = 0; s < solids.count; s++)
        hidden |= look(tile, &solids.list[s], start, end, at);
    for (int a = 0; a < tile->grid->dimension; a++)
        tracer->at[a][n] = at[a];
    clipped->hidden[n] = hidden;
    clipped->is_cut[n] = is_cut || hidden != 0;
}

// The most that any bit of the tile moves in the solid's frame, as its corners tell.
static float most_moved(const Tile *tile, const BwSolidPose *solid)
{
    float moved = 0.0f;
    for (int corner = 0; corner < 1 << tile->grid->dimension; corner++) {
        const float at[3] = {corner & 1 ? BW_TILE : 0.0f, corner & 2 ? BW_TILE : 0.0f,
                             corner & 4 ? BW_TILE : 0.0f};
        BwVec3 point = position(tile, at);
        moved = fmaxf(moved, bw_length(bw_sub(bw_pose_to_local(solid->pose, point),
                                              bw_pose_to_local(solid->before, point))));
    }
    return moved;
}

// The most that any sample of the tile moves past a solid.
static float longest_way(const BwTracer *tracer, const Tile *tile, const BwSolidPose *solid)
{
    float longest = 0.0f;
    for (int a = 0; a < tile->grid->dimension; a++)
        for (int n = 0; n < tile->grid->tile_cells; n++) {
            float way = fabsf(tracer->at[a][n] - tracer->start[a][n]);
            longest = way > longest ? way : longest;
        }
    return longest * tile->grid->cell_size * sqrtf((float)tile->grid->dimension) + most_moved(tile, solid);
}

// Paths are looked at in blocks of 2x2x2, most of which no solid concerns.
enum { BLOCK = 2 };

static int first_of_block(int block)
{
    return BLOCK * (block & 3) + BLOCK * BW_TILE * (block >> 2 & 3) + BLOCK * BW_TILE_LAYER * (block >> 4);
}

// Whether a solid may have to do with any path from a block: the distance at its middle tells. `longest`
// bounds the ways of the tile's samples past the solid.
static bool may_concern(const Tile *tile, const BwSolidPose *solid, int block, float longest)
{
    int cell = first_of_block(block);
    const float half = 0.5f * BLOCK, middle[3] = {(float)(cell & 7) + half, (float)(cell >> 3 & 7) + half,
                                                  (float)(cell >> 6) + half};
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    float distance = bw_shape_distance(solid->shape, bw_pose_to_local(pose, position(tile, middle)));
    float h = tile->grid->cell_size, radius = half * h * sqrtf((float)tile->grid->dimension);
    return distance <= longest + radius + 2.0f * h && (!tile->is_scalar || distance >= -radius);
}

static void clip_block(BwClipped *clipped, BwTracer *tracer, const Tile *tile, BwPathSolids solids, int block)
{
    int first = first_of_block(block);
    for (int k = 0; k < (tile->grid->layers == 1 ? 1 : BLOCK); k++)
        for (int j = 0; j < BLOCK; j++)
            for (int i = 0; i < BLOCK; i++)
                clip_path(clipped, tracer, tile, solids, first + i + BW_TILE * j + BW_TILE_LAYER * k);
}

void bw_clip_paths(BwClipped *clipped, BwTracer *tracer, BwPathSolids solids, const BwGrid *grid,
                   BwLocation location, int32_t slot, bool is_back)
{
    Tile tile = {.grid = grid, .is_scalar = location == BW_AT_CELL, .is_back = is_back};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, tile.first);
    for (int a = 0; a < 3; a++) {
        bool has_far_face = grid->far_wall[a] && bw_location_normal(location) == a;
        tile.shift[a] = bw_location_shift(location, a);
        tile.lowest[a] = tracer->low[a] + tile.shift[a];
        tile.highest[a] = tracer->high[a] + tile.shift[a] - (has_far_face ? 0.0f : 1.0f);
    }
    int blocks = grid->layers == 1 ? 16 : 64;
    uint64_t concerned = 0;
    for (int s = 0; s < solids.count; s++) {
        float longest = longest_way(tracer, &tile, &solids.list[s]);
        for (int block = 0; block < blocks; block++)
            concerned |= (uint64_t)may_concern(&tile, &solids.list[s], block, longest) << block;
    }
    memset(clipped, 0, sizeof *clipped);
    for (; concerned != 0; concerned &= concerned - 1)
        clip_block(clipped, tracer, &tile, solids, __builtin_ctzll(concerned));
}

bool bw_solids_may_cut(BwPathSolids solids, const BwGrid *grid, int32_t slot, float cells)
{
    if (solids.count == 0)
        return false;
    Tile tile = {.grid = grid};
    bw_tile_first_cell(grid, grid->tiles[slot].coord, tile.first);
    const float half = 0.5f * BW_TILE, middle[3] = {half, half, half};
    float radius = half * sqrtf((float)grid->dimension) * grid->cell_size;
    BwVec3 center = position(&tile, middle);
    for (int s = 0; s < solids.count; s++) {
        const BwSolidPose *solid = &solids.list[s];
        float moved = most_moved(&tile, solid);
        float distance = bw_shape_distance(solid->shape, bw_pose_to_local(solid->pose, center));
        if (distance <= radius + moved + (cells + 3.0f) * grid->cell_size)
            return true;
    }
    return false;
}
