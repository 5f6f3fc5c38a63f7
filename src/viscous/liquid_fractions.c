// Octants from -1 to the tile's last cell, and sums of them.
#include "viscous/liquid_fractions.h"

#include "grid/block.h"

// Distances from two cells before the tile to one behind it; octants of all of these but the outermost.
enum { PLACES = BW_TILE + 3, OCTANTS = 2 * (BW_TILE + 1) };

bool bw_liquid_is_near(const BwField *phi, int32_t slot)
{
    const BwGrid *grid = phi->store.grid;
    for (int n = bw_first_beside(grid); n <= 26 - bw_first_beside(grid); n++) {
        const float *values = bw_field_tile(phi, grid->tiles[slot].neighbour[n]);
        for (int c = 0; c < grid->tile_cells; c++)
            if (values[c] < grid->cell_size)
                return true;
    }
    return false;
}

// One axis: `outer` slices of PLACES steps of `inner` values become slices of OCTANTS steps.
static void split_axis(const float *from, float *to, int outer, int inner)
{
    for (int o = 0; o < outer; o++)
        for (int n = 0; n < OCTANTS; n++) {
            const float *own = from + (o * PLACES + n / 2 + 1) * inner,
                        *other = n % 2 == 0 ? own - inner : own + inner;
            for (int i = 0; i < inner; i++)
                to[(o * OCTANTS + n) * inner + i] = 0.75f * own[i] + 0.25f * other[i];
        }
}

static void load(const float *block, int layers, float *places)
{
    for (int k = 0; k < (layers == 1 ? 1 : PLACES); k++)
        for (int j = 0; j < PLACES; j++)
            for (int i = 0; i < PLACES; i++)
                *places++ = block[i + BW_HALO - 2 + BW_BLOCK * (j + BW_HALO - 2) +
                                  BW_BLOCK_LAYER * (layers == 1 ? 0 : k + BW_HALO - 2)];
}

// Means over cubes that begin so many octants before the cell's first, along each axis.
static void add_up(const float *octants, int layers, const int before[3], float *fractions)
{
    int deep = layers == 1 ? 1 : 2;
    float share = layers == 1 ? 0.25f : 0.125f;
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < BW_TILE; j++)
            for (int i = 0; i < BW_TILE; i++) {
                const float *first = octants + 2 * i + 2 - before[0] + OCTANTS * (2 * j + 2 - before[1]) +
                                     OCTANTS * OCTANTS * (layers == 1 ? 0 : 2 * k + 2 - before[2]);
                float sum = 0.0f;
                for (int z = 0; z < deep; z++, first += OCTANTS * OCTANTS)
                    sum += (first[0] + first[1]) + (first[OCTANTS] + first[OCTANTS + 1]);
                fractions[i + 8 * j + 64 * k] = share * sum;
            }
}

static void find_octants(const float *block, int layers, float cell, float *octants)
{
    float places[PLACES * PLACES * PLACES], next[OCTANTS * OCTANTS * PLACES];
    int deep = layers == 1 ? 1 : PLACES, count = OCTANTS * OCTANTS * (layers == 1 ? 1 : OCTANTS);
    load(block, layers, places);
    split_axis(places, octants, deep * PLACES, 1);
    split_axis(octants, next, deep, OCTANTS);
    if (layers > 1)
        split_axis(next, octants, 1, OCTANTS * OCTANTS);
    const float *distances = layers > 1 ? octants : next;
    for (int n = 0; n < count; n++) {
        float full = 0.5f - 2.0f * distances[n] / cell;
        octants[n] = full < 0.0f ? 0.0f : full > 1.0f ? 1.0f : full;
    }
}

void bw_liquid_fractions_find(BwLiquidFractions *fractions, const BwField *phi, int32_t slot)
{
    const BwGrid *grid = phi->store.grid;
    int dimension = grid->dimension;
    float block[BW_BLOCK_CELLS], octants[OCTANTS * OCTANTS * OCTANTS];
    bw_block_gather(phi, slot, block);
    find_octants(block, grid->layers, grid->cell_size, octants);
    fractions->is_full = fractions->is_empty = true;
    for (int n = 0; n < OCTANTS * OCTANTS * (grid->layers == 1 ? 1 : OCTANTS); n++) {
        fractions->is_full &= octants[n] >= 1.0f;
        fractions->is_empty &= octants[n] <= 0.0f;
    }
    if (fractions->is_full || fractions->is_empty)
        return;
    for (int a = 0; a < dimension; a++) {
        int before[3] = {0}, half[3] = {0}, edge[3] = {1, 1, 1};
        before[a] = 2;
        half[a] = 1;
        edge[a] = 0;
        add_up(octants, grid->layers, before, fractions->before[a]);
        add_up(octants, grid->layers, half, fractions->face[a]);
        if (dimension == 3)
            add_up(octants, grid->layers, edge, fractions->edge[a]);
    }
    if (dimension == 2)
        add_up(octants, 1, (const int[3]){1, 1, 0}, fractions->edge[2]);
}
