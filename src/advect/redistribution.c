// Deficits of tiles, redistributed by weights that are linear between the corners of tiles: at any place
// those of the corners around sum to one.
#include "advect/redistribution.h"

#include "base/extremes.h"
#include <math.h>
#include <string.h>

BwResult bw_redistribution_create(BwRedistribution *redistribution, BwGrid *grid, BwError *err)
{
    _Static_assert(sizeof(BwTileRoom) % sizeof(uint64_t) == 0, "notes are whole words");
    return bw_notes_create_wide(&redistribution->rooms, grid,
                                BW_REDISTRIBUTED_FIELDS * sizeof(BwTileRoom) / sizeof(uint64_t), err);
}

void bw_redistribution_destroy(BwRedistribution *redistribution)
{
    bw_notes_destroy(&redistribution->rooms);
}

static BwTileRoom *room_of(const BwRedistribution *redistribution, int f, int32_t slot)
{
    return (BwTileRoom *)(void *)bw_note(&redistribution->rooms, slot) + f;
}

void bw_redistribution_note_none(BwRedistribution *redistribution, int f, int32_t slot)
{
    memset(room_of(redistribution, f, slot), 0, sizeof(BwTileRoom));
}

bool bw_redistribution_has_limits(const BwRedistribution *redistribution, int f, int32_t slot)
{
    return room_of(redistribution, f, slot)->has_limits != 0;
}

void bw_redistribution_note_alone(BwRedistribution *redistribution, int f, int32_t slot, float deficit)
{
    *room_of(redistribution, f, slot) = (BwTileRoom){.alone = deficit, .has_limits = 1, .is_alone = 1};
}

float bw_redistribution_deficit(const BwRedistribution *redistribution, int f, int32_t slot)
{
    float deficit = room_of(redistribution, f, slot)->alone;
    for (int c = 0; c < BW_CORNERS; c++)
        deficit += room_of(redistribution, f, slot)->given[c];
    return deficit;
}

// Weight of the high corner along an axis, for the cells from the low side on.
static const float high_weight[BW_TILE] = {0.0625f, 0.1875f, 0.3125f, 0.4375f,
                                           0.5625f, 0.6875f, 0.8125f, 0.9375f};

// Of a layer of a tile, by the corners along y and the cells along x.
typedef struct LayerRoom {
    float up[2][BW_TILE], down[2][BW_TILE];
} LayerRoom;

static void add_row(LayerRoom *layer, BwLimited cells, int first, float weight)
{
    for (int i = 0; i < BW_TILE; i++) {
        float value = cells.value[first + i], low = cells.low[first + i], high = cells.high[first + i];
        float up = low <= high ? high - value : 0.0f, down = low <= high ? value - low : 0.0f;
        layer->up[0][i] += (1.0f - weight) * up;
        layer->up[1][i] += weight * up;
        layer->down[0][i] += (1.0f - weight) * down;
        layer->down[1][i] += weight * down;
    }
}

static void add_to_corners(float corner[2], const float row[BW_TILE], float weight)
{
    float low = 0.0f, high = 0.0f;
    for (int i = 0; i < BW_TILE; i++) {
        low += (1.0f - high_weight[i]) * row[i];
        high += high_weight[i] * row[i];
    }
    corner[0] += weight * low;
    corner[1] += weight * high;
}

static void find_room(BwTileRoom *tile, BwLimited cells, int layers)
{
    memset(tile->room, 0, sizeof tile->room);
    for (int k = 0; k < layers; k++) {
        LayerRoom layer = {0};
        for (int j = 0; j < BW_TILE; j++)
            add_row(&layer, cells, BW_TILE_LAYER * k + BW_TILE * j, high_weight[j]);
        for (int y = 0; y < 2; y++)
            for (int z = 0; z < (layers > 1 ? 2 : 1); z++) {
                float weight = layers == 1 ? 1.0f : z == 1 ? high_weight[k] : 1.0f - high_weight[k];
                add_to_corners(&tile->room[0][4 * z + 2 * y], layer.up[y], weight);
                add_to_corners(&tile->room[1][4 * z + 2 * y], layer.down[y], weight);
            }
    }
}

// Where the tile's own room is, or evenly where it has none: then the cells of others have to do.
static void give_to_corners(BwTileRoom *tile, float deficit, int corners)
{
    const float *room = tile->room[deficit < 0.0f];
    float all = 0.0f;
    for (int c = 0; c < corners; c++)
        all += room[c];
    for (int c = 0; c < corners; c++)
        tile->given[c] = deficit * (all > 0.0f ? room[c] / all : 1.0f / (float)corners);
}

void bw_redistribution_note(BwRedistribution *redistribution, int f, int32_t slot, BwLimited cells,
                            float deficit)
{
    const BwGrid *grid = redistribution->rooms.store.grid;
    BwTileRoom *tile = room_of(redistribution, f, slot);
    tile->has_limits = 1;
    tile->alone = 0.0f;
    tile->is_alone = 0;
    find_room(tile, cells, grid->layers);
    give_to_corners(tile, deficit, 1 << grid->dimension);
}

// Deficits and excesses of the tiles around a corner, and the room that their cells have.
typedef struct Corner {
    float deficit, excess, room[2];
} Corner;

// In one order, from whichever of the tiles it is looked at.
static Corner add_up_corner(const BwRedistribution *redistribution, int f, int32_t slot, int corner)
{
    const BwGrid *grid = redistribution->rooms.store.grid;
    int last = (1 << grid->dimension) - 1;
    Corner sum = {0};
    for (int n = 0; n <= last; n++) {
        int way[3] = {0};
        for (int a = 0; a < grid->dimension; a++)
            way[a] = (corner >> a & 1) - 1 + (n >> a & 1);
        int32_t other = grid->tiles[slot].neighbour[bw_neighbour(way[0], way[1], way[2])];
        const BwTileRoom *tile = room_of(redistribution, f, other);
        int its = last ^ n;
        sum.deficit += bw_larger(tile->given[its], 0.0f);
        sum.excess += bw_larger(-tile->given[its], 0.0f);
        sum.room[0] += tile->room[0][its];
        sum.room[1] += tile->room[1][its];
    }
    return sum;
}

// The part of their room that the cells at each corner take, up and down; of which one is zero.
typedef struct Parts {
    float part[2][BW_CORNERS];
} Parts;

// Of what the tile gave to a corner, what nobody takes: deficits and excesses that meet there are done with.
static float find_part(Parts *parts, Corner sum, float given, int corner)
{
    float net = sum.deficit - sum.excess, size = fabsf(net), room = sum.room[net < 0.0f];
    float taken = fminf(size, room);
    parts->part[net < 0.0f][corner] = taken > 0.0f ? taken / room : 0.0f;
    bool is_of_rest = net < 0.0f ? given < 0.0f : given > 0.0f;
    return is_of_rest ? given * (size - taken) / (net < 0.0f ? sum.excess : sum.deficit) : 0.0f;
}

static float between(float low, float high, float weight)
{
    return low + weight * (high - low);
}

static void settle_row(BwLimited cells, int first, const float up[2], const float down[2])
{
    for (int i = 0; i < BW_TILE; i++) {
        float value = cells.value[first + i], low = cells.low[first + i], high = cells.high[first + i];
        float settled = value + between(up[0], up[1], high_weight[i]) * (high - value) -
                        between(down[0], down[1], high_weight[i]) * (value - low);
        settled = settled > low ? settled : low;
        settled = settled < high ? settled : high;
        cells.value[first + i] = low <= high ? settled : value;
    }
}

static void settle_layer(BwLimited cells, const Parts *parts, int k, int layers)
{
    float part[2][4];
    for (int way = 0; way < 2; way++)
        for (int c = 0; c < 4; c++)
            part[way][c] = layers == 1
                               ? parts->part[way][c]
                               : between(parts->part[way][c], parts->part[way][c + 4], high_weight[k]);
    for (int j = 0; j < BW_TILE; j++) {
        float ends[2][2];
        for (int way = 0; way < 2; way++)
            for (int c = 0; c < 2; c++)
                ends[way][c] = between(part[way][c], part[way][c + 2], high_weight[j]);
        settle_row(cells, BW_TILE_LAYER * k + BW_TILE * j, ends[0], ends[1]);
    }
}

float bw_add_within_limits(BwLimited cells, int count, float amount)
{
    const float *restrict limit = amount < 0.0f ? cells.low : cells.high;
    float size = fabsf(amount), room = 0.0f;
    for (int n = 0; n < count; n++)
        room += cells.low[n] <= cells.high[n] ? fabsf(limit[n] - cells.value[n]) : 0.0f;
    float part = room > size ? size / room : room > 0.0f ? 1.0f : 0.0f;
    for (int n = 0; n < count; n++)
        cells.value[n] += cells.low[n] <= cells.high[n] ? part * (limit[n] - cells.value[n]) : 0.0f;
    return size > room ? copysignf(size - room, amount) : 0.0f;
}

float bw_redistribution_settle(const BwRedistribution *redistribution, int f, int32_t slot, BwLimited cells)
{
    const BwGrid *grid = redistribution->rooms.store.grid;
    const BwTileRoom *tile = room_of(redistribution, f, slot);
    Parts parts = {0};
    float left = 0.0f, most = 0.0f;
    if (tile->is_alone)
        return bw_add_within_limits(cells, grid->tile_cells, tile->alone);
    for (int c = 0; c < 1 << grid->dimension; c++) {
        left += find_part(&parts, add_up_corner(redistribution, f, slot, c), tile->given[c], c);
        most = fmaxf(most, fmaxf(parts.part[0][c], parts.part[1][c]));
    }
    for (int k = 0; k < grid->layers && most > 0.0f; k++)
        settle_layer(cells, &parts, k, grid->layers);
    return left;
}
