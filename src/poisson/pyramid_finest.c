// The finest level of the pyramid, from the system. Most of its tiles are far from walls and surfaces and
// need one number, or bits beside it; the others get blocks of coefficients.
#include "grid/rows.h"
#include "poisson/pyramid.h"

#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

typedef struct FinestJob {
    const BwPoissonTiles *tiles;
    BwLevel *level;
} FinestJob;

// The first coefficient above zero on a tile's low faces, or 0.
static float first_coefficient(const BwPoissonStar *star)
{
    for (int n = 0; n < BW_TILE_LAYER * star->layers; n++)
        for (int axis = 0; axis < 3; axis++)
            if (star->face[axis][n] > 0.0f)
                return star->face[axis][n];
    return 0.0f;
}

typedef enum TileKind { TILE_UNIFORM, TILE_MASKED, TILE_OTHER } TileKind;

// What the faces of a tile are like: all open and alike, closed or alike, or anything else.
static TileKind kind_of_tile(const BwPoissonTiles *tiles, int32_t t, const BwPoissonStar *star,
                             float coupling)
{
    const BwPoissonTile *tile = &tiles->tile[t];
    const float *mass = star->mass;
    TileKind kind = TILE_UNIFORM;
    for (int n = 0; mass != NULL && n < tiles->cells; n++)
        if (mass[n] != 0.0f)
            return TILE_OTHER;
    for (int k = 0; k < tiles->layers; k++)
        for (int axis = 0; axis < tiles->system->grid->dimension; axis++) {
            uint64_t unknown = tile->unknown[k];
            BwFaceBits open = bw_poisson_face_bits(tiles, t, star, axis, k, 0.0f);
            BwFaceBits same = bw_poisson_face_bits(tiles, t, star, axis, k, coupling);
            uint64_t odd = (open.low & ~same.low) | (open.high & ~same.high) |
                           (open.unknown_low & ~open.low) | (open.unknown_high & ~open.high);
            if ((odd & unknown) != 0)
                return TILE_OTHER;
            if ((same.low & same.high & unknown) != UINT64_MAX)
                kind = TILE_MASKED;
        }
    return kind;
}

static void find_kinds(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const FinestJob *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonStar star = bw_poisson_star(job->tiles, t);
        float coupling = first_coefficient(&star);
        TileKind kind = coupling > 0.0f ? kind_of_tile(job->tiles, t, &star, coupling) : TILE_OTHER;
        uint64_t fixed = 0;
        for (int k = 0; k < job->tiles->layers; k++)
            fixed |= job->tiles->tile[t].fixed[k];
        job->level->uniform[t] = kind == TILE_OTHER ? 0.0f : coupling;
        job->tiles->tile[t].uniform = kind == TILE_UNIFORM ? coupling : 0.0f;
        job->level->masked[t] = kind == TILE_MASKED ? 0 : -1;
        job->level->is_inner[t] = kind == TILE_UNIFORM && fixed == 0;
        job->level->filled[t][0] = job->level->filled[t][1] = (uint16_t)((1 << 2 * job->tiles->layers) - 1);
    }
}

static BwResult reserve_masks(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    int32_t count = 0;
    for (int32_t t = 1; t <= level->count; t++)
        if (level->masked[t] >= 0)
            level->masked[t] = count++;
    level->masks = bw_level_alloc(pyramid, (size_t)count, sizeof *level->masks);
    return level->masks != NULL ? BW_OK : bw_fail_memory(err);
}

// Eight bits to eight bytes of 0 or 1.
static uint64_t spread_bits(uint64_t bits)
{
    uint64_t bytes = (bits & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
    return (bytes + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}

// The sixteen bits of one colour among the four rows in `bits`.
static uint16_t bits_of_color(uint32_t bits, bool is_second)
{
    uint32_t pattern = is_second ? 0x55aa55aau : 0xaa55aa55u;
#ifdef __BMI2__
    return (uint16_t)_pext_u32(bits, pattern);
#else
    uint16_t result = 0;
    for (int n = 0, at = 0; n < 32; n++)
        if (pattern >> n & 1)
            result |= (uint16_t)((bits >> n & 1) << at++);
    return result;
#endif
}

#define EVEN_CELLS 0x5555555555555555u

static void open_by_color(BwMasked *masks, int k)
{
    uint64_t open[BW_BESIDE_COUNT];
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        open[side] = masks->linked[side][k] | masks->fixed[side][k];
    uint64_t low = open[BW_X_LOW], high = open[BW_X_HIGH];
    open[BW_COUPLING_SAME] = (high & EVEN_CELLS) | (low & ~EVEN_CELLS);
    open[BW_COUPLING_SHIFTED] = (low & EVEN_CELLS) | (high & ~EVEN_CELLS);
    for (int row = 0; row < BW_BESIDE_COUNT; row++)
        for (int half = 0; half < 2; half++)
            for (int color = 0; color < 2; color++)
                masks->open[row][color][2 * k + half] =
                    bits_of_color((uint32_t)(open[row] >> (32 * half)), (k + color) & 1);
}

static void fill_masks(const BwPoissonTiles *tiles, int32_t t, BwLevel *level)
{
    BwMasked *masks = &level->masks[level->masked[t]];
    BwPoissonStar star = bw_poisson_star(tiles, t);
    float inverse[BW_BESIDE_COUNT + 1] = {0.0f};
    for (int n = 1; n <= BW_BESIDE_COUNT; n++)
        inverse[n] = 1.0f / ((float)n * level->uniform[t]);
    uint64_t any[BW_TILE] = {0};
    for (int k = 0; k < tiles->layers; k++) {
        for (int axis = 0; axis < 3; axis++) {
            uint64_t unknown = tiles->tile[t].unknown[k];
            BwFaceBits f = bw_poisson_face_bits(tiles, t, &star, axis, k, 0.0f);
            masks->linked[2 * axis][k] = unknown & f.low & f.unknown_low;
            masks->linked[2 * axis + 1][k] = unknown & f.high & f.unknown_high;
            masks->fixed[2 * axis][k] = unknown & f.low & ~f.unknown_low;
            masks->fixed[2 * axis + 1][k] = unknown & f.high & ~f.unknown_high;
            any[k] |= unknown & (f.low | f.high);
        }
        open_by_color(masks, k);
        for (int j = 0; j < BW_TILE; j++) {
            uint64_t count = 0;
            for (int side = 0; side < BW_BESIDE_COUNT; side++)
                count += spread_bits((masks->linked[side][k] | masks->fixed[side][k]) >> (8 * j));
            for (int i = 0; i < BW_TILE; i++)
                masks->inverse[bw_place_of(64 * k + 8 * j + i, level->half)] = inverse[count >> (8 * i) & 7];
        }
    }
    level->filled[t][0] = level->filled[t][1] = 0;
    for (int v = 0; v < 2 * tiles->layers; v++)
        for (int color = 0; color < 2; color++) {
            uint16_t bits = bits_of_color((uint32_t)(any[v / 2] >> (32 * (v & 1))), (v / 2 + color) & 1);
            level->filled[t][color] |= (uint16_t)((bits != 0) << v);
        }
}

// The high faces of lanes, from their low faces and those beyond.
static BwLanes high_faces(const BwPoissonStar *star, int axis, int at)
{
    int last = star->layers - 1;
    const BwStar faces = {
        .center = star->face[axis], .x_high = star->face_high[axis], .y_high = star->face_high[axis]};
    if (axis == 2)
        return bw_lanes_load(at < 64 * last ? star->face[2] + at + 64 : star->face_high[2] + at - 64 * last);
    BwLanes own = bw_lanes_load(star->face[axis] + at);
    return axis == 0 ? bw_lanes_x_high(&faces, own, at) : bw_lanes_y_high(&faces, own, at);
}

static void finest_couplings(const BwPoissonTiles *tiles, int32_t t, BwTileCouplings *couplings)
{
    BwPoissonStar star = bw_poisson_star(tiles, t);
    for (int at = 0; at < tiles->cells; at += BW_LANES) {
        BwLaneBits unknown = bw_lane_bits(star.unknown[at >> 6] >> (at & 63));
        BwLanes mass =
            star.mass != NULL ? bw_lanes_keep(bw_lanes_load(star.mass + at), unknown) : bw_lanes_of(0.0f);
        bw_lanes_store(couplings->unknown + at, bw_lanes_keep(bw_lanes_of(1.0f), unknown));
        bw_lanes_store(couplings->mass + at, mass);
        bw_lanes_store(couplings->extra + at, mass);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < tiles->layers; k++) {
            BwFaceBits f = bw_poisson_face_bits(tiles, t, &star, axis, k, 0.0f);
            for (int at = 64 * k; at < 64 * k + 64; at += BW_LANES) {
                BwLaneBits unknown = bw_lane_bits(star.unknown[k] >> (at & 63));
                BwLaneBits low = bw_lane_bits(f.unknown_low >> (at & 63));
                BwLaneBits high = bw_lane_bits(f.unknown_high >> (at & 63));
                BwLanes a_low = bw_lanes_keep(bw_lanes_load(star.face[axis] + at), unknown);
                BwLanes a_high = bw_lanes_keep(high_faces(&star, axis, at), unknown);
                bw_lanes_store(couplings->coupling[2 * axis] + at, bw_lanes_keep(a_low, low));
                bw_lanes_store(couplings->coupling[2 * axis + 1] + at, bw_lanes_keep(a_high, high));
                bw_lanes_store(couplings->extra + at, bw_lanes_load(couplings->extra + at) +
                                                          bw_lanes_keep(a_low, ~low) +
                                                          bw_lanes_keep(a_high, ~high));
            }
        }
}

static void fill_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const FinestJob *job = context;
    BwTileCouplings couplings;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (job->level->masked[t] >= 0)
            fill_masks(job->tiles, t, job->level);
        if (job->level->uniform[t] > 0.0f)
            continue;
        finest_couplings(job->tiles, t, &couplings);
        bw_level_store_couplings(job->level, t, &couplings);
    }
}

// Where the pyramid counts from: coordinates must not be negative, or halving them would never bring the two
// sides of the origin together.
static BwTileCoord lowest_coord(const BwPoissonTiles *tiles)
{
    const BwGrid *grid = tiles->system->grid;
    BwTileCoord low = grid->tiles[tiles->tile[1].slot].coord;
    for (int32_t t = 2; t <= tiles->count; t++) {
        BwTileCoord coord = grid->tiles[tiles->tile[t].slot].coord;
        low.x = coord.x < low.x ? coord.x : low.x;
        low.y = coord.y < low.y ? coord.y : low.y;
        low.z = coord.z < low.z ? coord.z : low.z;
    }
    return (BwTileCoord){grid->period[0] > 0 ? grid->period_low[0] : low.x,
                         grid->period[1] > 0 ? grid->period_low[1] : low.y,
                         grid->period[2] > 0 ? grid->period_low[2] : low.z};
}

BwResult bw_pyramid_build_finest(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    const BwGrid *grid = tiles->system->grid;
    BwLevel *level = &pyramid->level[0];
    *level = (BwLevel){.layers = tiles->layers,
                       .cells = tiles->cells,
                       .half = tiles->cells / 2,
                       .rows = tiles->system->mass != NULL ? BW_COUPLING_ROWS : BW_COUPLING_MASS,
                       .count = tiles->count,
                       .unknowns = tiles->unknowns};
    BW_TRY(bw_level_reserve_tiles(pyramid, level, err));
    BwTileCoord low = lowest_coord(tiles);
    for (int32_t t = 1; t <= level->count; t++) {
        BwTileCoord coord = grid->tiles[tiles->tile[t].slot].coord;
        level->coord[t] = (BwTileCoord){coord.x - low.x, coord.y - low.y, coord.z - low.z};
        memcpy(level->beside[t], tiles->tile[t].beside, sizeof level->beside[t]);
    }
    for (int axis = 0; axis < 3; axis++)
        level->period[axis] = grid->period[axis] * BW_TILE;
    FinestJob job = {tiles, level};
    level->masked = bw_level_alloc(pyramid, (size_t)level->count + 1, sizeof *level->masked);
    if (level->masked == NULL)
        return bw_fail_memory(err);
    level->masked[0] = -1;
    bw_parallel_for(pyramid->pool, level->count, BW_POISSON_GRAIN, find_kinds, &job);
    BW_TRY(reserve_masks(pyramid, level, err));
    BW_TRY(bw_level_reserve_blocks(pyramid, level, err));
    bw_parallel_for(pyramid->pool, level->count, BW_POISSON_GRAIN, fill_tiles, &job);
    return bw_level_reserve_values(pyramid, level, err);
}
