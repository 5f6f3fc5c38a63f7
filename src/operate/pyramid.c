// Building the pyramid: the finest level from the system, coefficient blocks, and the direct factor of the
// last level. How a level becomes the next one is in coarsen.c.
#include "operate/pyramid.h"

#include <string.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

// At most so many unknowns are solved directly: the factor then costs less than a sweep over a few tiles.
enum { DIRECT_MAX = 96 };

// Pivots below this share of the diagonal are those of a region that nothing fixes.
static const double pivot_min = 1e-5;

static bool is_unknown_at(const BwLevel *level, int32_t t, int cell)
{
    if (t == 0)
        return false;
    int place = bw_place_of(cell, level->half);
    const BwMasked *masks = bw_level_masks(level, t);
    if (masks != NULL)
        return masks->inverse[place] > 0.0f;
    return level->uniform[t] > 0.0f ||
           bw_level_block(level, t)[BW_LINK_INVERSE * level->cells + place] > 0.0f;
}

// A uniform tile's links to cells that hold no unknown are part of its diagonal.
static void fix_rim(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    static const int step[3] = {1, 8, 64};
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        int axis = side / 2;
        int across = (side % 2 ? -7 : 7) * step[axis];
        for (int n = 0; n < level->cells; n++) {
            if ((n >> (3 * axis) & 7) != (side % 2 ? 7 : 0) ||
                is_unknown_at(level, level->beside[t][side], n + across))
                continue;
            links->extra[n] += links->link[side][n];
            links->link[side][n] = 0.0f;
        }
    }
}

static void load_uniform(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    for (int side = 0; side < BW_BESIDE_COUNT; side++) {
        float value = level->layers == 1 && side >= BW_Z_LOW ? 0.0f : level->uniform[t];
        for (int n = 0; n < level->cells; n++)
            links->link[side][n] = value;
    }
    for (int n = 0; n < level->cells; n++) {
        links->extra[n] = links->mass[n] = 0.0f;
        links->unknown[n] = 1.0f;
    }
    if (!level->is_inner[t])
        fix_rim(level, t, links);
}

static void load_masked(const BwLevel *level, const BwMasked *masks, float link, BwTileLinks *links)
{
    BwRows all = {0};
    all += link;
    memset(links->mass, 0, sizeof links->mass);
    for (int at = 0; at < level->cells; at += 16) {
        int k = at >> 6, shift = at & 63;
        BwRows extra = {0};
        uint64_t any = 0;
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            uint64_t linked = masks->linked[side][k] >> shift, fixed = masks->fixed[side][k] >> shift;
            bw_rows_store(links->link[side] + at, bw_rows_keep(all, bw_lanes((uint16_t)linked)));
            extra += bw_rows_keep(all, bw_lanes((uint16_t)fixed));
            any |= linked | fixed;
        }
        bw_rows_store(links->extra + at, extra);
        BwRows one = {0};
        bw_rows_store(links->unknown + at, bw_rows_keep(one + 1.0f, bw_lanes((uint16_t)any)));
    }
}

// A block's row in the order of cells, four rows of a layer at a time.
static void load_rows(const BwLevel *level, const float *row, int at, BwRows *low, BwRows *high)
{
    BwRows first = bw_rows_load(row + at), second = bw_rows_load(row + level->half + at);
    if (at & 32)
        bw_rows_merge(second, first, low, high);
    else
        bw_rows_merge(first, second, low, high);
}

static void store_rows(const BwLevel *level, float *row, int at, BwRows low, BwRows high)
{
    BwRows first, second;
    bw_rows_split(low, high, &first, &second);
    bw_rows_store(row + at, at & 32 ? second : first);
    bw_rows_store(row + level->half + at, at & 32 ? first : second);
}

// Even cells of a row from a, odd ones from b.
static BwRows alternate(BwRows a, BwRows b)
{
    return __builtin_shufflevector(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31);
}

void bw_level_load_links(const BwLevel *level, int32_t t, BwTileLinks *links)
{
    const BwMasked *masks = bw_level_masks(level, t);
    if (masks != NULL) {
        load_masked(level, masks, level->uniform[t], links);
        return;
    }
    if (level->uniform[t] > 0.0f) {
        load_uniform(level, t, links);
        return;
    }
    const float *block = bw_level_block(level, t);
    float *plain[BW_LINK_ROWS] = {NULL,           NULL,           links->link[2],
                                  links->link[3], links->link[4], links->link[5],
                                  links->extra,   links->unknown, links->mass};
    for (int at = 0; at < level->half; at += 16) {
        BwRows same[2], shifted[2], rows[2];
        load_rows(level, block + BW_LINK_SAME * level->cells, at, &same[0], &same[1]);
        load_rows(level, block + BW_LINK_SHIFTED * level->cells, at, &shifted[0], &shifted[1]);
        for (int n = 0; n < 2; n++) {
            bw_rows_store(links->link[BW_X_LOW] + 2 * at + 16 * n, alternate(shifted[n], same[n]));
            bw_rows_store(links->link[BW_X_HIGH] + 2 * at + 16 * n, alternate(same[n], shifted[n]));
        }
        for (int row = BW_LINK_Y_LOW; row < level->rows; row++) {
            load_rows(level, block + row * level->cells, at, &rows[0], &rows[1]);
            for (int n = 0; n < 2; n++) {
                if (row == BW_LINK_INVERSE)
                    rows[n] = bw_rows_keep((BwRows){0} + 1.0f, rows[n] > 0.0f);
                bw_rows_store(plain[row] + 2 * at + 16 * n, rows[n]);
            }
        }
        if (level->rows <= BW_LINK_MASS)
            memset(links->mass + 2 * at, 0, 32 * sizeof(float));
    }
}

static bool any_positive(BwRows rows)
{
    BwLanes positive = rows > 0.0f;
    int32_t any = 0;
    for (int lane = 0; lane < 16; lane++)
        any |= positive[lane];
    return any != 0;
}

// Sum of a cell's links and of the rest of its diagonal, inverted where it holds an unknown.
static BwRows inverse_rows(const BwTileLinks *links, int at)
{
    BwRows diagonal = bw_rows_load(links->extra + at);
    for (int side = 0; side < BW_BESIDE_COUNT; side++)
        diagonal += bw_rows_load(links->link[side] + at);
    return bw_rows_keep(bw_rows_load(links->unknown + at) / diagonal, diagonal > 0.0f);
}

void bw_level_store_links(BwLevel *level, int32_t t, const BwTileLinks *links)
{
    float *block = bw_level_block(level, t);
    level->filled[t][0] = level->filled[t][1] = 0;
    for (int at = 0; at < level->half; at += 16) {
        const float *x_low = links->link[BW_X_LOW] + 2 * at, *x_high = links->link[BW_X_HIGH] + 2 * at;
        BwRows low[2] = {bw_rows_load(x_low), bw_rows_load(x_low + 16)};
        BwRows high[2] = {bw_rows_load(x_high), bw_rows_load(x_high + 16)};
        store_rows(level, block + BW_LINK_SAME * level->cells, at, alternate(high[0], low[0]),
                   alternate(high[1], low[1]));
        store_rows(level, block + BW_LINK_SHIFTED * level->cells, at, alternate(low[0], high[0]),
                   alternate(low[1], high[1]));
        const float *plain[BW_LINK_ROWS] = {
            [BW_LINK_Y_LOW] = links->link[2], [BW_LINK_Y_HIGH] = links->link[3],
            [BW_LINK_Z_LOW] = links->link[4], [BW_LINK_Z_HIGH] = links->link[5],
            [BW_LINK_EXTRA] = links->extra,   [BW_LINK_MASS] = links->mass};
        for (int row = BW_LINK_Y_LOW; row < level->rows; row++)
            if (plain[row] != NULL)
                store_rows(level, block + row * level->cells, at, bw_rows_load(plain[row] + 2 * at),
                           bw_rows_load(plain[row] + 2 * at + 16));
        float *inverse = block + BW_LINK_INVERSE * level->cells;
        store_rows(level, inverse, at, inverse_rows(links, 2 * at), inverse_rows(links, 2 * at + 16));
        for (int color = 0; color < 2; color++)
            level->filled[t][color] |=
                (uint16_t)(any_positive(bw_rows_load(inverse + color * level->half + at)) << (at / 16));
    }
}

void *bw_level_alloc(const BwPyramid *pyramid, size_t count, size_t size)
{
    return bw_workspace_alloc(pyramid->workspace, count * size);
}

BwResult bw_level_reserve_tiles(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)level->count + 1;
    level->coord = bw_level_alloc(pyramid, count, sizeof *level->coord);
    level->beside = bw_level_alloc(pyramid, count, sizeof *level->beside);
    level->child = bw_level_alloc(pyramid, count, sizeof *level->child);
    level->parent = bw_level_alloc(pyramid, count, sizeof *level->parent);
    level->uniform = bw_level_alloc(pyramid, count, sizeof *level->uniform);
    level->is_inner = bw_level_alloc(pyramid, count, sizeof *level->is_inner);
    level->block = bw_level_alloc(pyramid, count, sizeof *level->block);
    level->filled = bw_level_alloc(pyramid, count, sizeof *level->filled);
    level->extra_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->tied_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    level->exception_first = bw_workspace_alloc_zeroed(pyramid->workspace, (count + 1) * sizeof(int32_t));
    if (level->coord == NULL || level->beside == NULL || level->child == NULL || level->parent == NULL ||
        level->uniform == NULL || level->is_inner == NULL || level->block == NULL || level->filled == NULL ||
        level->extra_first == NULL || level->tied_first == NULL || level->exception_first == NULL)
        return bw_fail_memory(err);
    memset(level->beside[0], 0, sizeof level->beside[0]);
    level->uniform[0] = 0.0f;
    level->filled[0][0] = level->filled[0][1] = 0;
    return BW_OK;
}

BwResult bw_level_reserve_values(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    size_t count = (size_t)bw_level_nodes(level) + BW_TILE_LAYER;
    level->x = bw_level_alloc(pyramid, count, sizeof(float));
    level->b = bw_level_alloc(pyramid, count, sizeof(float));
    if (level->x == NULL || level->b == NULL)
        return bw_fail_memory(err);
    memset(level->x, 0, (size_t)level->cells * sizeof(float));
    memset(level->b, 0, (size_t)level->cells * sizeof(float));
    return BW_OK;
}

// Numbers the blocks of the tiles that are not uniform and makes room for them.
BwResult bw_level_reserve_blocks(const BwPyramid *pyramid, BwLevel *level, BwError *err)
{
    int32_t count = 0;
    for (int32_t t = 1; t <= level->count; t++)
        level->block[t] = level->uniform[t] > 0.0f ? -1 : count++;
    level->blocks =
        bw_level_alloc(pyramid, (size_t)count * (size_t)(level->rows * level->cells), sizeof(float));
    return level->blocks != NULL ? BW_OK : bw_fail_memory(err);
}

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
static TileKind kind_of_tile(const BwPoissonTiles *tiles, int32_t t, const BwPoissonStar *star, float link)
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
            BwFaceBits same = bw_poisson_face_bits(tiles, t, star, axis, k, link);
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
        float link = first_coefficient(&star);
        TileKind kind = link > 0.0f ? kind_of_tile(job->tiles, t, &star, link) : TILE_OTHER;
        uint64_t fixed = 0;
        for (int k = 0; k < job->tiles->layers; k++)
            fixed |= job->tiles->tile[t].fixed[k];
        job->level->uniform[t] = kind == TILE_OTHER ? 0.0f : link;
        job->tiles->tile[t].uniform = kind == TILE_UNIFORM ? link : 0.0f;
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
    open[BW_LINK_SAME] = (high & EVEN_CELLS) | (low & ~EVEN_CELLS);
    open[BW_LINK_SHIFTED] = (low & EVEN_CELLS) | (high & ~EVEN_CELLS);
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

// The high faces of sixteen cells, from their low faces and those beyond.
static BwRows high_faces(const BwPoissonStar *star, int axis, int at)
{
    int last = star->layers - 1;
    if (axis == 2)
        return bw_rows_load(at < 64 * last ? star->face[2] + at + 64 : star->face_high[2] + at - 64 * last);
    BwRows own = bw_rows_load(star->face[axis] + at);
    if (axis == 0)
        return __builtin_shufflevector(own, bw_rows_load(star->face_high[0] + at), 1, 2, 3, 4, 5, 6, 7, 16, 9,
                                       10, 11, 12, 13, 14, 15, 24);
    BwRows next = bw_rows_load((at & 48) == 48 ? star->face_high[1] + at - 48 : star->face[1] + at + 16);
    return __builtin_shufflevector(own, next, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

static void finest_links(const BwPoissonTiles *tiles, int32_t t, BwTileLinks *links)
{
    BwPoissonStar star = bw_poisson_star(tiles, t);
    for (int at = 0; at < tiles->cells; at += 16) {
        BwLanes unknown = bw_lanes((uint16_t)(star.unknown[at >> 6] >> (at & 63)));
        BwRows zero = {0};
        BwRows mass = star.mass != NULL ? bw_rows_keep(bw_rows_load(star.mass + at), unknown) : zero;
        bw_rows_store(links->unknown + at, bw_rows_keep(zero + 1.0f, unknown));
        bw_rows_store(links->mass + at, mass);
        bw_rows_store(links->extra + at, mass);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < tiles->layers; k++) {
            BwFaceBits f = bw_poisson_face_bits(tiles, t, &star, axis, k, 0.0f);
            for (int at = 64 * k; at < 64 * k + 64; at += 16) {
                BwLanes unknown = bw_lanes((uint16_t)(star.unknown[k] >> (at & 63)));
                BwLanes low = bw_lanes((uint16_t)(f.unknown_low >> (at & 63)));
                BwLanes high = bw_lanes((uint16_t)(f.unknown_high >> (at & 63)));
                BwRows a_low = bw_rows_keep(bw_rows_load(star.face[axis] + at), unknown);
                BwRows a_high = bw_rows_keep(high_faces(&star, axis, at), unknown);
                bw_rows_store(links->link[2 * axis] + at, bw_rows_keep(a_low, low));
                bw_rows_store(links->link[2 * axis + 1] + at, bw_rows_keep(a_high, high));
                bw_rows_store(links->extra + at, bw_rows_load(links->extra + at) + bw_rows_keep(a_low, ~low) +
                                                     bw_rows_keep(a_high, ~high));
            }
        }
}

static void fill_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const FinestJob *job = context;
    BwTileLinks links;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        if (job->level->masked[t] >= 0)
            fill_masks(job->tiles, t, job->level);
        if (job->level->uniform[t] > 0.0f)
            continue;
        finest_links(job->tiles, t, &links);
        bw_level_store_links(job->level, t, &links);
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

static BwResult build_finest(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    const BwGrid *grid = tiles->system->grid;
    BwLevel *level = &pyramid->level[0];
    *level = (BwLevel){.layers = tiles->layers,
                       .cells = tiles->cells,
                       .half = tiles->cells / 2,
                       .rows = tiles->system->mass != NULL ? BW_LINK_ROWS : BW_LINK_MASS,
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

// Fills one row of the dense matrix of the last level: links of a cell of a tile.
static void direct_row_of_cell(const BwLevel *level, int32_t node, const int32_t *number, double *row)
{
    static const int step[3] = {1, 8, 64};
    int32_t t = node / level->cells;
    int cell = bw_cell_of(node % level->cells, level->half);
    BwTileLinks links;
    bw_level_load_links(level, t, &links);
    row[number[node]] += (double)links.extra[cell];
    for (int side = 0; side < (level->layers == 1 ? 4 : 6); side++) {
        double a = (double)links.link[side][cell];
        int place = cell >> (3 * (side / 2)) & 7;
        bool is_inside = side % 2 ? place < 7 : place > 0;
        int other = cell + (side % 2 == (int)is_inside ? 1 : -1) * step[side / 2] * (is_inside ? 1 : 7);
        if (a == 0.0)
            continue;
        int32_t other_node =
            (is_inside ? t : level->beside[t][side]) * level->cells + bw_place_of(other, level->half);
        row[number[node]] += a;
        row[number[other_node]] -= a;
    }
}

static void direct_links(const BwLevel *level, int32_t node, int32_t first, int32_t end,
                         const int32_t *number, double *row)
{
    for (int32_t l = first; l < end; l++) {
        row[number[node]] += (double)level->links[l].weight;
        row[number[level->links[l].other]] -= (double)level->links[l].weight;
    }
}

static void direct_matrix(const BwPyramid *pyramid, const BwLevel *level, const int32_t *number, double *a)
{
    int32_t count = pyramid->direct_count;
    memset(a, 0, (size_t)count * (size_t)count * sizeof *a);
    for (int32_t n = 0; n < count; n++) {
        int32_t node = pyramid->direct_node[n];
        if (!bw_is_extra(level, node)) {
            direct_row_of_cell(level, node, number, a + (size_t)n * (size_t)count);
            continue;
        }
        int32_t e = node - (level->count + 1) * level->cells;
        a[(size_t)n * (size_t)count + (size_t)n] += (double)level->extra_diagonal[e];
        direct_links(level, node, level->link_first[e], level->link_first[e + 1], number,
                     a + (size_t)n * (size_t)count);
    }
    for (int32_t tied = 0; tied < level->tied_first[level->count + 1]; tied++) {
        int32_t node = level->tied_node[tied];
        if (number[node] >= 0)
            direct_links(level, node, level->tied_link_first[tied], level->tied_link_first[tied + 1], number,
                         a + (size_t)number[node] * (size_t)count);
    }
}

// L D L^T in place, D's reciprocal on the diagonal; 0 for the pivots of singular regions.
static void direct_factor(double *a, int count)
{
    for (int j = 0; j < count; j++) {
        double *row = a + (size_t)j * (size_t)count;
        double diagonal = row[j];
        for (int k = 0; k < j; k++) {
            const double *other = a + (size_t)k * (size_t)count;
            double sum = row[k];
            for (int m = 0; m < k; m++)
                sum -= row[m] * other[m];
            row[k] = sum; // l_jk d_k, divided below once it is not needed any more
        }
        double pivot = diagonal;
        for (int k = 0; k < j; k++) {
            double l = row[k] * a[(size_t)k * (size_t)count + (size_t)k];
            pivot -= l * row[k];
            row[k] = l;
        }
        row[j] = pivot > pivot_min * diagonal ? 1.0 / pivot : 0.0;
    }
}

// Numbers the unknowns of the last level; gives how many there are.
static int32_t number_unknowns(const BwLevel *level, int32_t *number, int32_t *nodes, int32_t most)
{
    int32_t count = 0, first_extra = (level->count + 1) * level->cells;
    for (int32_t node = 0; node < first_extra + level->extra_count; node++) {
        bool is_unknown = node >= first_extra ? level->extra_inverse[node - first_extra] > 0.0f
                                              : is_unknown_at(level, node / level->cells,
                                                              bw_cell_of(node % level->cells, level->half));
        number[node] = is_unknown ? count : -1;
        if (!is_unknown)
            continue;
        if (count < most)
            nodes[count] = node;
        count++;
    }
    return count;
}

static BwResult build_direct(BwPyramid *pyramid, BwError *err)
{
    const BwLevel *level = &pyramid->level[pyramid->level_count - 1];
    pyramid->direct_count = 0;
    if (level->unknowns > DIRECT_MAX)
        return BW_OK;
    int32_t *number = bw_level_alloc(pyramid, (size_t)bw_level_nodes(level), sizeof *number);
    pyramid->direct_node = bw_level_alloc(pyramid, DIRECT_MAX, sizeof *pyramid->direct_node);
    pyramid->direct_factor = bw_level_alloc(pyramid, (size_t)DIRECT_MAX * DIRECT_MAX, sizeof(double));
    pyramid->direct_value = bw_level_alloc(pyramid, DIRECT_MAX, sizeof(double));
    if (number == NULL || pyramid->direct_node == NULL || pyramid->direct_factor == NULL ||
        pyramid->direct_value == NULL)
        return bw_fail_memory(err);
    pyramid->direct_count = number_unknowns(level, number, pyramid->direct_node, DIRECT_MAX);
    direct_matrix(pyramid, level, number, pyramid->direct_factor);
    direct_factor(pyramid->direct_factor, pyramid->direct_count);
    return BW_OK;
}

BwResult bw_pyramid_build(BwPyramid *pyramid, const BwPoissonTiles *tiles, BwError *err)
{
    *pyramid = (BwPyramid){.pool = tiles->pool, .workspace = tiles->workspace, .level_count = 1};
    BW_TRY(build_finest(pyramid, tiles, err));
    while (pyramid->level_count < BW_LEVELS_MAX) {
        BwLevel *fine = &pyramid->level[pyramid->level_count - 1];
        if (fine->unknowns <= DIRECT_MAX)
            break;
        BW_TRY(bw_level_coarsen(pyramid, fine, fine + 1, err));
        pyramid->level_count++;
        // Unknowns without links are solved by one sweep and go no further, so a pyramid may end early.
        if (fine[1].unknowns == 0)
            break;
    }
    return build_direct(pyramid, err);
}
