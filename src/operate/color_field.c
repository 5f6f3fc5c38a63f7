// Colour as a field. Advection knows nothing of colours: it moves each coordinate times density like a
// density of its own, with limits and tile totals of its own. So where colours meet, the coordinates may not
// agree on one colour that mixing can give. Every cell is then brought back to the nearest one that can, and
// what that changed of the tile's total goes to those of its cells, and of the tiles around, that are mixed
// already: pure ones stay pure as long as there are others.
#include "operate/color_field.h"

#include <math.h>
#include <string.h>

// Less than this of a tile's density is rounding.
static const float rounding = 1e-6f;

BwResult bw_color_field_create(BwColorField *color, BwGrid *grid, const float (*colors)[3], int count,
                               BwError *err)
{
    *color = (BwColorField){.is_used = true};
    BW_TRY(bw_color_hull_make(&color->hull, colors, count, &grid->allocator, err));
    for (int n = 0; n < 2 && color->hull.dimension > 0; n++)
        BW_TRY(bw_notes_create(&color->left[n], grid, err));
    for (int n = 0; n < 3; n++) {
        BW_TRY(bw_field_create(&color->field[n], grid, BW_AT_CELL, 0.0f, err));
        if (n < color->hull.dimension)
            BW_TRY(bw_field_create(&color->next[n], grid, BW_AT_CELL, 0.0f, err));
        color->amount[n] = &color->field[n];
        color->next_amount[n] = &color->next[n];
    }
    return BW_OK;
}

void bw_color_field_destroy(BwColorField *color)
{
    for (int n = 0; n < 3; n++) {
        bw_field_destroy(&color->field[n]);
        bw_field_destroy(&color->next[n]);
    }
    for (int n = 0; n < 2; n++)
        bw_notes_destroy(&color->left[n]);
}

void bw_color_swap(BwColorField *color)
{
    for (int n = 0; n < color->hull.dimension; n++)
        bw_field_swap(&color->field[n], &color->next[n]);
}

// What the loops work on.
typedef struct Job {
    const BwColorField *color;
    const BwDomain *domain;
    const BwField *density;
    const BwMask *sources; // NULL: none
} Job;

// One tile's colours, at work.
typedef struct Tile {
    const BwColorHull *hull;
    const float *density;
    float *field[3];
    uint64_t bound[BW_TILE]; // cells that are solid, or that owe smoke until their source fills them up
    int count;
} Tile;

static Tile tile_at(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    Tile tile = {
        .hull = &job->color->hull, .density = bw_field_tile(job->density, slot), .count = grid->tile_cells};
    for (int c = 0; c < 3; c++)
        tile.field[c] = bw_field_tile(&job->color->field[c], slot);
    for (int k = 0; k < grid->layers && job->sources != NULL; k++)
        tile.bound[k] = bw_mask_tile(job->sources, slot)[k] | ~bw_mask_tile(&job->domain->scalar, slot)[k];
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

static void premultiply_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(job, job->domain->grid->order[t]);
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

void bw_color_premultiply(BwColorField *color, const BwDomain *domain, const BwField *density)
{
    Job job = {color, domain, density, NULL};
    if (color->hull.dimension > 0)
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, premultiply_range, &job);
}

// Brings the cells of a tile back into the hull. Gives what that took off the tile's total.
static void limit_cells(Tile *tile, double lost[3])
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

static float *left_of(const Job *job, int c, int32_t slot)
{
    return (float *)(void *)bw_note(&job->color->left[c / 2], slot) + c % 2;
}

// Gives back to the tile what it has room for, and notes the rest.
static void give_back(const Job *job, Tile *tile, int32_t slot, const float lost[3])
{
    float share[BW_TILE_CELLS_MAX];
    float all = find_shares(tile, lost, MIXED, share), given = fminf(all, 1.0f);
    if (all > 0.0f)
        give_shares(tile, lost, share, given / all);
    for (int c = 0; c < 3; c++)
        *left_of(job, c, slot) = (1.0f - given) * lost[c];
}

static void limit_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t t = begin; t < end; t++) {
        int32_t slot = job->domain->grid->order[t];
        Tile tile = tile_at(job, slot);
        double sums[3] = {0.0};
        limit_cells(&tile, sums);
        const float lost[3] = {(float)sums[0], (float)sums[1], (float)sums[2]};
        float all = 0.0f;
        for (int n = 0; n < tile.count; n++)
            all += fabsf(tile.density[n]);
        for (int c = 0; c < 3; c++)
            *left_of(job, c, slot) = 0.0f;
        if (fabsf(lost[0]) + fabsf(lost[1]) + fabsf(lost[2]) > rounding * all)
            give_back(job, &tile, slot, lost);
    }
}

// Gives something to a tile and those around it. Gives what they had room for, as a share of it.
static float give_to(const Job *job, int32_t slot, const float lost[3], Takers takers)
{
    const int32_t *neighbour = job->domain->grid->tiles[slot].neighbour;
    int first = bw_first_beside(job->domain->grid);
    float share[BW_TILE_CELLS_MAX], of_tile[27] = {0.0f}, all = 0.0f;
    for (int n = first; n < 27 - first; n++) {
        Tile tile = tile_at(job, neighbour[n]);
        of_tile[n] = neighbour[n] != 0 ? find_shares(&tile, lost, takers, share) : 0.0f;
        all += of_tile[n];
    }
    for (int n = first; n < 27 - first; n++) {
        if (!(of_tile[n] > 0.0f))
            continue;
        Tile tile = tile_at(job, neighbour[n]);
        find_shares(&tile, lost, takers, share);
        give_shares(&tile, lost, share, all > 1.0f ? 1.0f / all : 1.0f);
    }
    return fminf(all, 1.0f);
}

static float give_rest_to(const Job *job, int32_t slot, float lost[3], Takers takers)
{
    float rest = 1.0f - give_to(job, slot, lost, takers);
    for (int c = 0; c < 3; c++)
        lost[c] *= rest;
    return rest;
}

// What a tile has no room for has come from the tiles around, and goes back to them. What no cell can take as
// it is may still be shared out by coordinates.
static void give_around(const Job *job, int32_t slot)
{
    float lost[3];
    for (int c = 0; c < 3; c++)
        lost[c] = *left_of(job, c, slot);
    if (!(give_rest_to(job, slot, lost, MIXED) > 0.0f) || !(give_rest_to(job, slot, lost, ANY) > 0.0f))
        return;
    for (int c = 0; c < job->color->hull.dimension && job->color->hull.dimension > 1; c++) {
        float part[3] = {0.0f};
        part[c] = lost[c];
        if (part[c] != 0.0f)
            give_to(job, slot, part, ANY);
    }
}

// Tiles that are three apart have no neighbour in common.
typedef struct Giving {
    Job job;
    int phase; // 0 to 26, or -1: all
} Giving;

static int phase_of(BwTileCoord at)
{
    // Coordinates may be below zero.
    return (at.x % 3 + 3) % 3 + 3 * ((at.y % 3 + 3) % 3) + 9 * ((at.z % 3 + 3) % 3);
}

static void give_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Giving *giving = context;
    const BwGrid *grid = giving->job.domain->grid;
    for (int64_t t = begin; t < end; t++) {
        int32_t slot = grid->order[t];
        bool has_left = false;
        for (int c = 0; c < 3; c++)
            has_left |= *left_of(&giving->job, c, slot) != 0.0f;
        if (has_left && (giving->phase < 0 || phase_of(grid->tiles[slot].coord) == giving->phase))
            give_around(&giving->job, slot);
    }
}

// Where the ends of the box are joined, tiles that are far apart may be neighbours: one after the other then.
static void give_rest(const Job *job)
{
    const BwGrid *grid = job->domain->grid;
    bool is_joined = grid->period[0] > 0 || grid->period[1] > 0 || grid->period[2] > 0;
    Giving giving = {*job, -1};
    if (is_joined) {
        give_range(0, grid->tile_count, 0, &giving);
        return;
    }
    for (giving.phase = 0; giving.phase < (grid->layers == 1 ? 9 : 27); giving.phase++)
        bw_parallel_for(job->domain->pool, grid->tile_count, 64, give_range, &giving);
}

void bw_color_limit(BwColorField *color, const BwDomain *domain, const BwField *density,
                    const BwMask *sources)
{
    Job job = {color, domain, density, sources};
    if (color->hull.dimension == 0)
        return;
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, limit_range, &job);
    give_rest(&job);
}

static void divide_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(job, job->domain->grid->order[t]);
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

void bw_color_divide(BwColorField *color, const BwDomain *domain, const BwField *density)
{
    Job job = {color, domain, density, NULL};
    if (color->is_used)
        bw_parallel_for(domain->pool, domain->grid->tile_count, 32, divide_range, &job);
}

// The farthest that a cell's colour is from what it may be: one of the hull where there is smoke, else none.
static double stray_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double farthest = 0.0;
    for (int64_t t = begin; t < end; t++) {
        Tile tile = tile_at(job, job->domain->grid->order[t]);
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

double bw_color_stray(const BwColorField *color, const BwDomain *domain, const BwField *density)
{
    Job job = {color, domain, density, NULL};
    if (!color->is_used || domain->grid->tile_count == 0)
        return 0.0;
    return bw_parallel_max(domain->pool, domain->grid->tile_count, 32, stray_range, &job);
}
