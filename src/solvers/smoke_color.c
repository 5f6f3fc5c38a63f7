// The colour of smoke. What is carried is colour times density, for that is what mixing adds up; each of its
// coordinates like a density of its own, with limits and tile totals of its own. Those know nothing of each
// other, so where colours meet, the answers may not agree on one colour that mixing can give. Every cell is
// then brought back to the nearest one that can, and what that changed of the tile's total goes to those of
// its cells, and of the tiles around, that are mixed already: pure ones stay pure as long as there are
// others.
//
// Density, heat and velocity never look at colour: with it or without it they are the same to the bit.
#include "solvers/smoke.h"

#include <math.h>
#include <string.h>

// Less than this of a tile's density is rounding.
static const float rounding = 1e-6f;

static BwResult make_hull(BwSmoke *smoke, BwError *err)
{
    int count = bw_scene_colors(smoke->scene, NULL, 0);
    size_t size = (size_t)count * sizeof(float[3]);
    float(*colors)[3] = bw_alloc(&smoke->allocator, size, BW_ALIGN);
    if (colors == NULL)
        return bw_fail_memory(err);
    bw_scene_colors(smoke->scene, colors, count);
    BwResult result =
        bw_color_hull_make(&smoke->color.hull, (const float(*)[3])colors, count, &smoke->allocator, err);
    bw_free(&smoke->allocator, colors, size, BW_ALIGN);
    return result;
}

BwResult bw_smoke_create_color(BwSmoke *smoke, BwError *err)
{
    BwSmokeColor *color = &smoke->color;
    color->is_used = bw_scene_has_color(smoke->scene);
    if (!color->is_used)
        return BW_OK;
    BW_TRY(make_hull(smoke, err));
    for (int n = 0; n < 2 && color->hull.dimension > 0; n++)
        BW_TRY(bw_notes_create(&color->left[n], smoke->grid, err));
    for (int n = 0; n < 3; n++) {
        BW_TRY(bw_field_create(&color->field[n], smoke->grid, BW_AT_CELL, 0.0f, err));
        if (n < color->hull.dimension)
            BW_TRY(bw_field_create(&color->next[n], smoke->grid, BW_AT_CELL, 0.0f, err));
        color->from[n] = color->amount[n] = &color->field[n];
        color->to[n] = &color->next[n];
    }
    return BW_OK;
}

void bw_smoke_destroy_color(BwSmoke *smoke)
{
    for (int n = 0; n < 3; n++) {
        bw_field_destroy(&smoke->color.field[n]);
        bw_field_destroy(&smoke->color.next[n]);
    }
    for (int n = 0; n < 2; n++)
        bw_notes_destroy(&smoke->color.left[n]);
}

// One tile's colours, at work.
typedef struct Tile {
    const BwColorHull *hull;
    const float *density;
    float *field[3];
    uint64_t bound[BW_TILE]; // cells that are solid, or that owe smoke until their source fills them up
    int count;
} Tile;

static Tile tile_at(const BwSmoke *smoke, int32_t slot)
{
    Tile tile = {.hull = &smoke->color.hull,
                 .density = bw_field_tile(&smoke->density, slot),
                 .count = smoke->grid->tile_cells};
    for (int c = 0; c < 3; c++)
        tile.field[c] = bw_field_tile(&smoke->color.field[c], slot);
    for (int k = 0; k < smoke->grid->layers; k++)
        tile.bound[k] = bw_mask_tile(&smoke->held, slot)[k] | ~bw_mask_tile(&smoke->domain.scalar, slot)[k];
    return tile;
}

static bool has_smoke(const Tile *tile)
{
    int found = 0;
    for (int n = 0; n < tile->count; n++)
        found |= tile->density[n] > 0.0f;
    return found != 0;
}

static void clear(Tile *tile, int fields)
{
    for (int c = 0; c < fields; c++)
        memset(tile->field[c], 0, (size_t)tile->count * sizeof(float));
}

static void read_cell(const Tile *tile, int n, float at[3])
{
    for (int c = 0; c < 3; c++)
        at[c] = c < tile->hull->dimension ? tile->field[c][n] : 0.0f;
}

static void write_cell(Tile *tile, int n, const float at[3])
{
    for (int c = 0; c < tile->hull->dimension; c++)
        tile->field[c][n] = at[c];
}

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSmoke *smoke = context;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(smoke, smoke->grid->order[t]);
        if (!has_smoke(&tile)) {
            clear(&tile, tile.hull->dimension);
            continue;
        }
        for (int n = 0; n < tile.count; n++) {
            const float color[3] = {tile.field[0][n], tile.field[1][n], tile.field[2][n]};
            float at[3] = {0.0f}, density = tile.density[n];
            if (density > 0.0f)
                bw_color_hull_coordinates(tile.hull, color, at);
            for (int c = 0; c < 3; c++)
                at[c] *= density;
            write_cell(&tile, n, at);
        }
    }
}

void bw_smoke_begin_color(BwSmoke *smoke)
{
    if (smoke->color.hull.dimension > 0)
        bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, begin_range, smoke);
}

// Brings the cells of a tile back into the hull. Gives what that took off the tile's total.
static void hold_cells(Tile *tile, double lost[3])
{
    for (int n = 0; n < tile->count; n++) {
        float at[3], fixed[3] = {0.0f};
        if (bw_bit(tile->bound, n))
            continue;
        read_cell(tile, n, at);
        if (tile->density[n] > 0.0f) {
            memcpy(fixed, at, sizeof fixed);
            bw_color_hull_hold(tile->hull, tile->density[n], fixed);
        }
        for (int c = 0; c < 3; c++)
            lost[c] += (double)at[c] - (double)fixed[c];
        write_cell(tile, n, fixed);
    }
}

// Which cells take something up.
typedef enum Takers {
    MIXED, // by the room they have to either side, so that pure ones stay pure
    ANY,   // by the room they have
} Takers;

static float share_of_cell(const Tile *tile, int n, const float lost[3], float length, Takers takers)
{
    float at[3];
    if (!(tile->density[n] > 0.0f) || bw_bit(tile->bound, n))
        return 0.0f;
    read_cell(tile, n, at);
    float room = bw_color_hull_room(tile->hull, tile->density[n], at, lost, length, takers == MIXED);
    return room < INFINITY ? room : 0.0f;
}

// Shares of a tile's cells in something that was lost, and their sum.
static float find_shares(const Tile *tile, const float lost[3], Takers takers, float share[BW_TILE_CELLS_MAX])
{
    float all = 0.0f, length = sqrtf(lost[0] * lost[0] + lost[1] * lost[1] + lost[2] * lost[2]);
    for (int n = 0; n < tile->count; n++) {
        share[n] = share_of_cell(tile, n, lost, length, takers);
        all += share[n];
    }
    return all;
}

static void give_shares(Tile *tile, const float lost[3], const float share[BW_TILE_CELLS_MAX], float part)
{
    for (int n = 0; n < tile->count; n++)
        for (int c = 0; c < tile->hull->dimension && share[n] > 0.0f; c++)
            tile->field[c][n] = fmaxf(tile->field[c][n] + part * share[n] * lost[c], 0.0f);
}

static float *left_of(const BwSmoke *smoke, int c, int32_t slot)
{
    return (float *)(void *)bw_note(&smoke->color.left[c / 2], slot) + c % 2;
}

// Gives back to the tile what it has room for, and notes the rest.
static void give_back(const BwSmoke *smoke, Tile *tile, int32_t slot, const float lost[3])
{
    float share[BW_TILE_CELLS_MAX];
    float all = find_shares(tile, lost, MIXED, share), given = fminf(all, 1.0f);
    if (all > 0.0f)
        give_shares(tile, lost, share, given / all);
    for (int c = 0; c < 3; c++)
        *left_of(smoke, c, slot) = (1.0f - given) * lost[c];
}

static void hold_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSmoke *smoke = context;
    for (int64_t t = begin; t < end; t++) {
        int32_t slot = smoke->grid->order[t];
        Tile tile = tile_at(smoke, slot);
        double sums[3] = {0.0};
        hold_cells(&tile, sums);
        const float lost[3] = {(float)sums[0], (float)sums[1], (float)sums[2]};
        float all = 0.0f;
        for (int n = 0; n < tile.count; n++)
            all += fabsf(tile.density[n]);
        for (int c = 0; c < 3; c++)
            *left_of(smoke, c, slot) = 0.0f;
        if (fabsf(lost[0]) + fabsf(lost[1]) + fabsf(lost[2]) > rounding * all)
            give_back(smoke, &tile, slot, lost);
    }
}

// Gives something to a tile and those around it. Gives what they had room for, as a share of it.
static float give_to(const BwSmoke *smoke, int32_t slot, const float lost[3], Takers takers)
{
    const int32_t *neighbour = smoke->grid->tiles[slot].neighbour;
    int first = bw_first_beside(smoke->grid);
    float share[BW_TILE_CELLS_MAX], of_tile[27] = {0.0f}, all = 0.0f;
    for (int n = first; n < 27 - first; n++) {
        Tile tile = tile_at(smoke, neighbour[n]);
        of_tile[n] = neighbour[n] != 0 ? find_shares(&tile, lost, takers, share) : 0.0f;
        all += of_tile[n];
    }
    for (int n = first; n < 27 - first; n++) {
        if (!(of_tile[n] > 0.0f))
            continue;
        Tile tile = tile_at(smoke, neighbour[n]);
        find_shares(&tile, lost, takers, share);
        give_shares(&tile, lost, share, all > 1.0f ? 1.0f / all : 1.0f);
    }
    return fminf(all, 1.0f);
}

static float give_rest_to(const BwSmoke *smoke, int32_t slot, float lost[3], Takers takers)
{
    float rest = 1.0f - give_to(smoke, slot, lost, takers);
    for (int c = 0; c < 3; c++)
        lost[c] *= rest;
    return rest;
}

// What a tile has no room for has come from the tiles around, and goes back to them. What no cell can take as
// it is may still be shared out by coordinates.
static void give_around(const BwSmoke *smoke, int32_t slot)
{
    float lost[3];
    for (int c = 0; c < 3; c++)
        lost[c] = *left_of(smoke, c, slot);
    if (!(give_rest_to(smoke, slot, lost, MIXED) > 0.0f) || !(give_rest_to(smoke, slot, lost, ANY) > 0.0f))
        return;
    for (int c = 0; c < smoke->color.hull.dimension && smoke->color.hull.dimension > 1; c++) {
        float part[3] = {0.0f};
        part[c] = lost[c];
        if (part[c] != 0.0f)
            give_to(smoke, slot, part, ANY);
    }
}

// Tiles that are three apart have no neighbour in common.
typedef struct Giving {
    const BwSmoke *smoke;
    int phase; // 0 to 26
} Giving;

static int phase_of(BwTileCoord at)
{
    // Coordinates may be below zero.
    return (at.x % 3 + 3) % 3 + 3 * ((at.y % 3 + 3) % 3) + 9 * ((at.z % 3 + 3) % 3);
}

static void give_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Giving *job = context;
    const BwGrid *grid = job->smoke->grid;
    for (int64_t t = begin; t < end; t++) {
        int32_t slot = grid->order[t];
        bool has_left = false;
        for (int c = 0; c < 3; c++)
            has_left |= *left_of(job->smoke, c, slot) != 0.0f;
        if (has_left && (job->phase < 0 || phase_of(grid->tiles[slot].coord) == job->phase))
            give_around(job->smoke, slot);
    }
}

// Where the ends of the box are joined, tiles that are far apart may be neighbours: one after the other then.
static void give_rest(BwSmoke *smoke)
{
    const BwGrid *grid = smoke->grid;
    bool is_joined = grid->period[0] > 0 || grid->period[1] > 0 || grid->period[2] > 0;
    Giving job = {smoke, -1};
    if (is_joined) {
        give_range(0, grid->tile_count, 0, &job);
        return;
    }
    for (job.phase = 0; job.phase < (grid->layers == 1 ? 9 : 27); job.phase++)
        bw_parallel_for(smoke->pool, grid->tile_count, 64, give_range, &job);
}

void bw_smoke_hold_color(BwSmoke *smoke)
{
    if (smoke->color.hull.dimension == 0)
        return;
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 16, hold_range, smoke);
    give_rest(smoke);
}

static void end_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSmoke *smoke = context;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(smoke, smoke->grid->order[t]);
        if (!has_smoke(&tile)) {
            clear(&tile, 3);
            continue;
        }
        for (int n = 0; n < tile.count; n++) {
            float at[3], color[3] = {0.0f}, density = tile.density[n];
            if (density > 0.0f) {
                read_cell(&tile, n, at);
                bw_color_hull_hold(tile.hull, density, at);
                for (int c = 0; c < 3; c++)
                    at[c] /= density;
                bw_color_hull_hold(tile.hull, 1.0f, at); // the thinnest smoke has but a few bits
                bw_color_hull_color(tile.hull, at, color);
            }
            for (int c = 0; c < 3; c++)
                tile.field[c][n] = color[c];
        }
    }
}

void bw_smoke_end_color(BwSmoke *smoke)
{
    if (smoke->color.is_used)
        bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, end_range, smoke);
}

// The farthest that a cell's colour is from what it may be: one of the hull where there is smoke, else none.
static double stray_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwSmoke *smoke = context;
    double farthest = 0.0;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(smoke, smoke->grid->order[t]);
        for (int n = 0; n < tile.count; n++) {
            const float found[3] = {tile.field[0][n], tile.field[1][n], tile.field[2][n]};
            float at[3], color[3] = {0.0f};
            if (tile.density[n] > 0.0f) {
                bw_color_hull_coordinates(tile.hull, found, at);
                bw_color_hull_hold(tile.hull, 1.0f, at);
                bw_color_hull_color(tile.hull, at, color);
            }
            for (int c = 0; c < 3; c++)
                farthest = fmax(farthest, fabs((double)found[c] - (double)color[c]));
        }
    }
    return farthest;
}

BwResult bw_smoke_agree_on_color(BwSmoke *smoke, BwError *err)
{
    if (!smoke->color.is_used)
        return BW_OK;
    double farthest = bw_parallel_max(smoke->pool, smoke->grid->tile_count, 32, stray_range, smoke);
    if (smoke->grid->tile_count == 0 || farthest <= 1e-5)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "the colour of the state is %.3g from all that mixing the scene's colours can give",
                   farthest);
}
