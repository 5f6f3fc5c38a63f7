// Which paths of a tile a solid may have to do with: the tile is asked first, then cubes of its cells, then
// cells, side by side, by the distance at their centres. Of those that are left the distance is measured at
// the ends of their paths too. Both distances hold for the paths to a cell's low faces as well, less how far
// these start and end from the cell's own: distances change by no more than one goes. So one measurement at
// each end tells of all four paths whether they are clear. Bounds reject and never decide anything else.
#include "advect/path_concern.h"

#include "base/extremes.h"
#include "grid/lanes.h"
#include "solid/local_thickness.h"
#include "solid/shape_file.h"

#include <math.h>
#include <string.h>

float bw_path_tile_moved(const BwPathTile *tile, const BwSolidPose *solid)
{
    float moved = 0.0f;
    if (bw_solid_is_at_rest(solid))
        return moved;
    for (int corner = 0; corner < 1 << tile->grid->dimension; corner++) {
        const float at[3] = {corner & 1 ? BW_TILE : 0.0f, corner & 2 ? BW_TILE : 0.0f,
                             corner & 4 ? BW_TILE : 0.0f};
        BwVec3 point = bw_path_position(tile, at);
        moved = bw_larger(moved, bw_length(bw_sub(bw_pose_to_local(solid->pose, point),
                                                  bw_pose_to_local(solid->before, point))));
    }
    return moved;
}

static float square_of(const BwField paths[3], int32_t slot, int n)
{
    float square = 0.0f;
    for (int a = 0; a < paths[0].store.grid->dimension; a++) {
        float way = bw_field_tile(&paths[a], slot)[n];
        square += way * way;
    }
    return square;
}

static void find_squares(const BwField paths[3], int32_t slot, float squares[BW_TILE_CELLS_MAX])
{
    const BwGrid *grid = paths[0].store.grid;
    memset(squares, 0, (size_t)grid->tile_cells * sizeof *squares);
    for (int a = 0; a < grid->dimension; a++) {
        const float *restrict way = bw_field_tile(&paths[a], slot);
        for (int n = 0; n < grid->tile_cells; n++)
            squares[n] += way[n] * way[n];
    }
}

// The path of a face is a mean of two, so no longer than the longer one: each cell takes that of its own and
// of those before it.
static void take_longest(float lengths[BW_TILE_CELLS_MAX], const BwField paths[3], int32_t slot)
{
    const BwGrid *grid = paths[0].store.grid;
    float own[BW_TILE_CELLS_MAX];
    memcpy(own, lengths, (size_t)grid->tile_cells * sizeof *own);
    for (int a = 0; a < grid->dimension; a++) {
        int step = 1 << 3 * a, last = 7 << 3 * a;
        int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(-(a == 0), -(a == 1), -(a == 2))];
        for (int n = 0; n < grid->tile_cells; n += a == 0   ? BW_TILE
                                                   : a == 1 ? BW_TILE_LAYER
                                                            : BW_TILE_CELLS_MAX)
            for (int m = 0; m < step; m++)
                lengths[n + m] =
                    bw_larger(lengths[n + m], square_of(paths, tile != 0 ? tile : slot, n + m + last));
        for (int n = 0; n < grid->tile_cells; n += 8 * step)
            for (int m = n + step; m < n + 8 * step; m++)
                lengths[m] = bw_larger(lengths[m], own[m - step]);
    }
}

void bw_path_lengths_find(BwPathLengths *lengths, const BwField paths[3], bool with_faces, int32_t slot)
{
    const BwGrid *grid = paths[0].store.grid;
    find_squares(paths, slot, lengths->of);
    if (with_faces)
        take_longest(lengths->of, paths, slot);
    BwLanes longest = {0};
    for (int n = 0; n < grid->tile_cells; n += BW_LANES) {
        BwLanes length = bw_safely * grid->cell_size * bw_lanes_sqrt(bw_lanes_load(lengths->of + n));
        bw_lanes_store(lengths->of + n, length);
        longest = bw_lanes_larger(longest, length);
    }
    lengths->longest = 0.0f;
    for (int n = 0; n < BW_LANES; n++)
        lengths->longest = bw_larger(lengths->longest, longest[n]);
}

// Whether a solid may have to do with any path of those lengths that starts in a cube of cells: all starts
// are within a radius of its centre.
static bool may_concern(const BwPathTile *tile, const BwSolidPose *solid, const float low[3], float size,
                        float length)
{
    const float middle[3] = {low[0] + 0.5f * size, low[1] + 0.5f * size, low[2] + 0.5f * size};
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    BwDistanceBounds distance =
        bw_shape_distance_bounds(solid->shape, bw_pose_to_local(pose, bw_path_position(tile, middle)));
    float h = tile->grid->cell_size,
          radius = bw_safely * 0.5f * size * h * sqrtf((float)tile->grid->dimension);
    return distance.low <= bw_path_reach(tile, length) + radius &&
           (!tile->is_back || distance.high >= -bw_path_deep * h - radius);
}

// The centres of cubes of cells, each given by its first one.
static void put_middles(const BwPathTile *tile, int size, int count, BwWays *ways)
{
    float along[3][BW_TILE];
    for (int n = 0; n < BW_TILE; n++) {
        float middle = (float)n + 0.5f * (float)size;
        BwVec3 at = bw_path_position(tile, (const float[3]){middle, middle, middle});
        along[0][n] = at.x;
        along[1][n] = at.y;
        along[2][n] = at.z;
    }
    ways->from.count = count;
    for (int a = 0; a < 3; a++)
        for (int n = 0; n < count; n++)
            ways->from.at[a][n] = along[a][ways->cell[n] >> 3 * a & 7];
}

// Keeps those cubes of cells, each given by its first one, that a solid may concern, of paths as long as
// `lengths` tells of their first cells. Gives how many those are; ways->from has their centres.
static int keep_concerned(const BwPathTile *tile, const BwSolidPose *solid, int size, const float *lengths,
                          int count, BwWays *ways)
{
    float h = tile->grid->cell_size,
          radius = bw_safely * 0.5f * (float)size * h * sqrtf((float)tile->grid->dimension);
    float around = bw_path_reach(tile, 0.0f) + radius,
          deepest = tile->is_back ? -bw_path_deep * h - radius : -INFINITY;
    _Alignas(BW_ALIGN) float reach[BW_TILE_CELLS_MAX];
    put_middles(tile, size, count, ways);
    for (int n = 0; n < count; n++)
        reach[n] = lengths[ways->cell[n]];
    bw_places_to_local(&ways->from, tile->is_back ? solid->pose : solid->before);
    bw_places_measure(&ways->from, solid->shape);
    int kept = 0;
    for (int first = 0; first < count; first += BW_LANES) {
        BwLanes low = bw_lanes_load(ways->from.low + first), high = bw_lanes_load(ways->from.high + first);
        uint64_t near =
            bw_lanes_bits((low <= bw_safely * bw_lanes_load(reach + first) + around) & (high >= deepest));
        for (; near != 0 && first + __builtin_ctzll(near) < count; near &= near - 1) {
            int n = first + __builtin_ctzll(near);
            ways->cell[kept] = ways->cell[n];
            bw_place_move(&ways->from, kept++, n);
        }
    }
    ways->from.count = kept;
    return kept;
}

// The cells of the first `count` cubes of ways->cell instead of these.
static int cells_of_cubes(const BwPathTile *tile, int size, int count, BwWays *ways)
{
    int16_t cube[BW_TILE_CELLS_MAX];
    int cells = 0, layers = tile->grid->layers == 1 ? 1 : size;
    memcpy(cube, ways->cell, (size_t)count * sizeof *cube);
    for (int n = 0; n < count; n++)
        for (int m = 0; m < size * size * layers; m++)
            ways->cell[cells++] = (int16_t)(cube[n] + m % size + BW_TILE * (m / size % size) +
                                            BW_TILE_LAYER * (m / size / size));
    return cells;
}

// The whole tile is asked first, then cubes of 4x4x4.
static void find_starts(const BwPathTile *tile, const BwSolidPose *solid, const BwPathLengths *lengths,
                        BwWays *ways)
{
    enum { CUBE = 4 };
    float moved = bw_path_tile_moved(tile, solid), each[BW_TILE_CELLS_MAX];
    ways->from.count = 0;
    if (!may_concern(tile, solid, (const float[3]){0}, BW_TILE, lengths->longest + moved))
        return;
    int count = tile->grid->tile_cells / (CUBE * CUBE * (tile->grid->layers == 1 ? 1 : CUBE));
    for (int n = 0; n < count; n++) {
        ways->cell[n] =
            (int16_t)(CUBE * (n & 1) + CUBE * BW_TILE * (n >> 1 & 1) + CUBE * BW_TILE_LAYER * (n >> 2));
        each[ways->cell[n]] = lengths->longest + moved;
    }
    count = keep_concerned(tile, solid, CUBE, each, count, ways);
    for (int n = 0; n < tile->grid->tile_cells; n++)
        each[n] = lengths->of[n] + moved;
    count = cells_of_cubes(tile, CUBE, count, ways);
    keep_concerned(tile, solid, 1, each, count, ways);
}

// The same of a solid that rests, by what is kept of distances.
static void find_starts_resting(const BwPathTile *tile, const BwPathLengths *lengths, BwWays *ways,
                                uint64_t known_deep[BW_TILE])
{
    float h = tile->grid->cell_size, radius = bw_safely * 0.5f * h * sqrtf((float)tile->grid->dimension),
          around = bw_path_reach(tile, 0.0f) + radius, deepest = -bw_path_deep * h - radius;
    int count = 0;
    for (int first = 0; first < tile->grid->tile_cells; first += BW_LANES) {
        BwLanes low = bw_lanes_load(tile->rest.low + first), high = bw_lanes_load(tile->rest.high + first);
        uint64_t deep = bw_lanes_bits(high < deepest),
                 near = bw_lanes_bits(low <= bw_safely * bw_lanes_load(lengths->of + first) + around) & ~deep;
        known_deep[first >> 6] |= deep << (first & 63);
        for (; near != 0; near &= near - 1) {
            int n = first + __builtin_ctzll(near);
            ways->cell[count] = (int16_t)n;
            ways->from.low[count] = tile->rest.low[n];
            ways->from.high[count++] = tile->rest.high[n];
        }
    }
    ways->from.count = count;
}

static void take_all_cells(const BwPathTile *tile, BwWays *ways)
{
    ways->from.count = tile->grid->tile_cells;
    for (int n = 0; n < ways->from.count; n++)
        ways->cell[n] = (int16_t)n;
}

bool bw_paths_starting_near(const BwPathTile *tile, BwPathSolids solids, int s, const BwPathLengths *lengths,
                            BwWays *ways, uint64_t known_deep[BW_TILE])
{
    bool is_kept = !tile->is_plain && bw_solid_rests(solids, s) && tile->rest.low != NULL;
    if (tile->is_plain)
        take_all_cells(tile, ways);
    else if (is_kept)
        find_starts_resting(tile, lengths, ways, known_deep);
    else
        find_starts(tile, &solids.list[s], lengths, ways);
    return is_kept;
}

// How far the paths of a tile's cells and of their low faces start and end from those of the cells, and how
// far they go, m.
typedef struct Strays {
    bool is_found;
    _Alignas(BW_ALIGN) float end[4][BW_TILE_CELLS_MAX], length[4][BW_TILE_CELLS_MAX];
} Strays;

static void find_stray(const BwTracer *tracer, const BwGrid *grid, float cell_end[3][BW_TILE_CELLS_MAX],
                       float *restrict end, float *restrict length)
{
    memset(end, 0, (size_t)grid->tile_cells * sizeof *end);
    memset(length, 0, (size_t)grid->tile_cells * sizeof *length);
    for (int a = 0; a < grid->dimension; a++)
        for (int n = 0; n < grid->tile_cells; n++) {
            float stray = tracer->at[a][n] - cell_end[a][n], way = tracer->at[a][n] - tracer->start[a][n];
            end[n] += stray * stray;
            length[n] += way * way;
        }
    for (int n = 0; n < grid->tile_cells; n++) {
        end[n] = bw_safely * grid->cell_size * sqrtf(end[n]);
        length[n] = bw_safely * grid->cell_size * sqrtf(length[n]);
    }
}

// Leaves those of the cells themselves in the tracer.
static void find_strays(Strays *strays, BwTracer *tracer, const BwField paths[3], int32_t slot)
{
    const BwGrid *grid = paths[0].store.grid;
    float cell_end[3][BW_TILE_CELLS_MAX];
    bw_path_ends(tracer, paths, BW_AT_CELL, slot);
    memcpy(cell_end, tracer->at, sizeof cell_end);
    for (int a = 0; a < grid->dimension; a++) {
        BwLocation face = (BwLocation)(BW_AT_FACE_X + a);
        bw_path_ends(tracer, paths, face, slot);
        bw_path_starts(tracer, grid, face);
        find_stray(tracer, grid, cell_end, strays->end[1 + a], strays->length[1 + a]);
    }
    memcpy(tracer->at, cell_end, sizeof cell_end);
    bw_path_starts(tracer, grid, BW_AT_CELL);
    find_stray(tracer, grid, cell_end, strays->end[0], strays->length[0]);
    strays->is_found = true;
}

// Bounds of distances at the starts and ends of the paths of a tile's cells; those that are left out are far.
typedef struct Ends {
    uint64_t kept[BW_TILE]; // a bit of each that is not
    _Alignas(BW_ALIGN) float from[BW_TILE_CELLS_MAX], from_high[BW_TILE_CELLS_MAX], to[BW_TILE_CELLS_MAX];
} Ends;

static void measure_ends(const BwPathTile *tile, const BwSolidPose *solid, const BwTracer *tracer,
                         BwWays *ways, Ends *ends)
{
    memset(ends->kept, 0, sizeof ends->kept);
    for (int n = 0; n < tile->grid->tile_cells; n++)
        ends->from[n] = ends->from_high[n] = ends->to[n] = INFINITY;
    bw_path_places(tile, tracer->at, ways->cell, ways->from.count, &ways->to);
    bw_places_to_local(&ways->to, solid->before);
    bw_places_measure(&ways->to, solid->shape);
    for (int n = 0; n < ways->to.count; n++) {
        int cell = ways->cell[n];
        ends->kept[cell >> 6] |= UINT64_C(1) << (cell & 63);
        ends->from[cell] = bw_sure_distance(ways->from.low[n]);
        ends->from_high[cell] = ways->from.high[n];
        ends->to[cell] = bw_sure_distance(ways->to.low[n]);
    }
}

// What is pushed out of the solid goes no farther than its path and a cell.
float bw_paths_thick(const BwPathTile *tile, const BwSolidPose *solid, const BwPathLengths *lengths)
{
    const float half = 0.5f * BW_TILE, middle[3] = {half, half, half};
    float longest = bw_safely * (lengths->longest + bw_path_tile_moved(tile, solid)),
          root = sqrtf((float)tile->grid->dimension) * tile->grid->cell_size;
    BwPose pose = tile->is_back ? solid->pose : solid->before;
    if (tile->is_plain || tile->grid->dimension != 3)
        return 0.0f;
    float thick = bw_shape_thick_around(solid->shape, bw_pose_to_local(pose, bw_path_position(tile, middle)),
                                        bw_safely * half * root + 2.0f * longest + tile->grid->cell_size);
    return thick > 1.01f * root ? thick : 0.0f; // as long as the ways to samples
}

// A path back past a solid, as far as the same holds for all of a tile.
typedef struct Limits {
    float half, moved; // m, from the cell's centre to the start of the path; and that the solid moves
    float deepest;     // m, what starts below that is too deep
    float around;      // m, the end is so far outside where the samples around it are outside
    float beside;      // m, so far where the solid is thick and that does, for paths that are
    float thick;       // shorter than this, m
} Limits;

// Sets the bits of the paths to cells, or to one of their faces, that are neither told to be clear, with the
// samples around their ends, nor to start too deep; gives whether there are any.
static bool mark_unclear(const BwPathTile *tile, const Ends *ends, const Strays *strays, int face,
                         Limits limits, uint64_t *bits)
{
    uint64_t any = 0;
    for (int n = 0; n < tile->grid->tile_cells; n += BW_LANES) {
        if ((ends->kept[n >> 6] >> (n & 63) & BW_ALL_LANES) == 0)
            continue;
        BwLanes from = bw_lanes_load(ends->from + n) - limits.half,
                to = bw_lanes_load(ends->to + n) - bw_lanes_load(strays->end[face] + n),
                length = bw_lanes_load(strays->length[face] + n) + limits.moved;
        BwLaneBits is_clear =
                       (from >= 0.0f) & (to > limits.around) & ((from > length) | (from + to > length)),
                   is_past = (to >= limits.beside) & (length < limits.thick),
                   is_deep = bw_lanes_load(ends->from_high + n) + limits.half < limits.deepest;
        uint64_t unclear = bw_lanes_bits(~(is_clear | is_past | is_deep));
        bits[n >> 6] |= unclear << (n & 63);
        any |= unclear;
    }
    return any != 0;
}

// Marks the cells of ways->cell that a solid may have to do with; true if there are any.
static bool mark_near(const BwPathTile *tile, const BwSolidPose *solid, float thick, const BwTracer *tracer,
                      const Strays *strays, BwWays *ways, uint64_t near[4][BW_TILE])
{
    float h = tile->grid->cell_size;
    Limits limits = {.moved = bw_safely * bw_path_tile_moved(tile, solid),
                     .around = bw_path_reach(tile, 0.0f),
                     .thick = thick};
    Ends ends;
    measure_ends(tile, solid, tracer, ways, &ends);
    bool has_any = false;
    for (int face = 0; face <= tile->grid->dimension; face++) {
        limits.half = face == 0 ? 0.0f : bw_safely * 0.5f * h;
        limits.deepest = face == 0 ? 0.0f : -bw_path_deep * h;
        limits.beside = bw_path_beside_thick(h, face == 0);
        has_any |= mark_unclear(tile, &ends, strays, face, limits, near[face]);
    }
    return has_any;
}

void bw_paths_concern(BwPathConcern *concern, const BwPathTile *tile, const BwField paths[3],
                      BwPathSolids solids, int32_t slot, BwTracer *tracer, BwWays *ways)
{
    BwPathLengths lengths;
    Strays strays;
    uint64_t known_deep[BW_TILE] = {0};
    memset(concern->near, tile->is_plain ? 0xff : 0, sizeof concern->near);
    concern->set = tile->is_plain ? ~UINT64_C(0) : 0;
    concern->thick = tile->is_plain ? 0.0f : INFINITY;
    if (tile->is_plain)
        return;
    strays.is_found = false;
    bw_path_lengths_find(&lengths, paths, true, slot);
    for (int s = 0; s < solids.count; s++) {
        const BwSolidPose *solid = &solids.list[s];
        bw_paths_starting_near(tile, solids, s, &lengths, ways, known_deep);
        if (ways->from.count == 0)
            continue;
        if (!strays.is_found)
            find_strays(&strays, tracer, paths, slot);
        float thick = bw_paths_thick(tile, solid, &lengths);
        if (!mark_near(tile, solid, thick, tracer, &strays, ways, concern->near))
            continue;
        concern->set |= bw_solid_bit(s);
        concern->thick = bw_smaller(thick, concern->thick);
    }
}
