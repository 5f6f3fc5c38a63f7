// Each part grows from one cell on, through the faces that fluid may pass.
#include "advect/tile_parts.h"

#include "grid/bits.h"
#include <string.h>

typedef struct Tile {
    int layers;
    bool is_deep;
    const uint64_t *flow[3];
} Tile;

static bool begin_at_first(uint64_t part[BW_TILE], const uint64_t left[BW_TILE], int layers)
{
    memset(part, 0, BW_TILE * sizeof *part);
    for (int k = 0; k < layers; k++)
        if (left[k] != 0) {
            part[k] = left[k] & -left[k];
            return true;
        }
    return false;
}

// What lies beside a layer's cells: upwards through the low faces of those beside, downwards through their
// own.
static uint64_t beside(const Tile *tile, const uint64_t part[BW_TILE], int k)
{
    uint64_t own = part[k], x = tile->flow[0][k], y = tile->flow[1][k];
    uint64_t next = (bw_bits_x_low(own, 0) & x) | bw_bits_x_high(own & x, 0) | (bw_bits_y_low(own, 0) & y) |
                    bw_bits_y_high(own & y, 0);
    if (tile->is_deep && k > 0)
        next |= part[k - 1] & tile->flow[2][k];
    if (tile->is_deep && k + 1 < tile->layers)
        next |= part[k + 1] & tile->flow[2][k + 1];
    return next;
}

static void grow(const Tile *tile, uint64_t part[BW_TILE], const uint64_t left[BW_TILE])
{
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int k = 0; k < tile->layers; k++) {
            uint64_t grown = part[k] | (beside(tile, part, k) & left[k]);
            has_grown |= grown != part[k];
            part[k] = grown;
        }
    }
}

static void mark_part(BwTileParts *parts, const uint64_t part[BW_TILE], int number, int layers)
{
    for (int k = 0; k < layers; k++) {
        parts->bits[0][k] |= number & 1 ? part[k] : 0;
        parts->bits[1][k] |= number & 2 ? part[k] : 0;
    }
}

static void take_off(uint64_t cells[BW_TILE], const uint64_t others[BW_TILE], int layers)
{
    for (int k = 0; k < layers; k++)
        cells[k] &= ~others[k];
}

int bw_tile_parts_find(BwTileParts *parts, const BwDomain *domain, int32_t slot)
{
    Tile tile = {.layers = domain->grid->layers, .is_deep = domain->grid->dimension == 3};
    for (int a = 0; a < domain->grid->dimension; a++)
        tile.flow[a] = bw_mask_tile(&domain->flow[a], slot);
    uint64_t left[BW_TILE] = {0}, covered[BW_TILE] = {0}, part[BW_PARTS_MAX][BW_TILE];
    for (int k = 0; k < tile.layers; k++) {
        uint64_t next = domain->has_prediction ? bw_mask_tile(&domain->next_solid, slot)[k] |
                                                     bw_mask_tile(&domain->next_swept, slot)[k]
                                               : 0;
        left[k] = bw_mask_tile(&domain->open, slot)[k] & ~next;
        covered[k] = bw_mask_tile(&domain->open, slot)[k] & next;
    }
    memset(parts, 0, sizeof *parts);
    int count = 0;
    for (; count < BW_PARTS_MAX && begin_at_first(part[count], left, tile.layers); count++) {
        if (count == BW_PARTS_MAX - 1)
            memcpy(part[count], left, sizeof part[count]);
        else
            grow(&tile, part[count], left);
        take_off(left, part[count], tile.layers);
    }
    for (int n = 0; n < count; n++) {
        grow(&tile, part[n], covered);
        take_off(covered, part[n], tile.layers);
        mark_part(parts, part[n], n, tile.layers);
    }
    return count;
}

static bool has_open_cells(const BwDomain *domain, int32_t slot)
{
    uint64_t any = 0;
    for (int k = 0; k < domain->grid->layers && slot != 0; k++)
        any |= bw_mask_tile(&domain->open, slot)[k];
    return any != 0;
}

// Whether fluid may pass the low side of a tile along an axis.
static bool is_side_open(const BwDomain *domain, int32_t slot, int axis)
{
    static const uint64_t side[3] = {BW_COLUMN, BW_ROW, ~UINT64_C(0)};
    const uint64_t *flow = bw_mask_tile(&domain->flow[axis], slot);
    uint64_t any = 0;
    for (int k = 0; k < (axis == 2 ? 1 : domain->grid->layers); k++)
        any |= flow[k] & side[axis];
    return any != 0;
}

// What is known of a tile and those around it, by neighbour.
typedef struct Around {
    bool counts[27];      // has fluid, all of it in one part
    uint8_t open_low[27]; // low sides that fluid may pass, bit a along axis a
} Around;

static void find_around(const BwDomain *domain, const BwNotes *notes, uint64_t bit, int32_t slot,
                        Around *around)
{
    const BwGrid *grid = domain->grid;
    for (int n = bw_first_beside(grid); n < 27 - bw_first_beside(grid); n++) {
        int32_t tile = grid->tiles[slot].neighbour[n];
        around->counts[n] = (*bw_note(notes, tile) & bit) == 0 && has_open_cells(domain, tile);
        around->open_low[n] = 0;
        for (int a = 0; a < grid->dimension && around->counts[n]; a++)
            around->open_low[n] |= (uint8_t)(is_side_open(domain, tile, a) << a);
    }
}

// The tiles around a corner by number, bit a the high one along axis a, and those that count. Fluid spreads
// from one of them to the others.
static bool are_together(const uint8_t open_low[8], int dimension, unsigned open)
{
    unsigned reached = open & -open, before = 0;
    while (reached != open && reached != before) {
        before = reached;
        for (int n = 0; n < 1 << dimension; n++)
            for (int a = 0; a < dimension; a++) {
                int low = n & ~(1 << a), high = n | 1 << a;
                unsigned both = 1u << low | 1u << high;
                if ((open & both) == both && (reached & both) != 0 && (open_low[high] >> a & 1))
                    reached |= both;
            }
    }
    return reached == open;
}

bool bw_tile_has_walls_around(const BwDomain *domain, const BwNotes *notes, uint64_t bit, int32_t slot)
{
    int dimension = domain->grid->dimension, count = 1 << dimension;
    Around around;
    find_around(domain, notes, bit, slot, &around);
    for (int corner = 0; corner < count; corner++) {
        uint8_t open_low[8];
        unsigned open = 0;
        for (int n = 0; n < count; n++) {
            int way[3] = {0};
            for (int a = 0; a < dimension; a++)
                way[a] = (corner >> a & 1) - 1 + (n >> a & 1);
            int tile = bw_neighbour(way[0], way[1], way[2]);
            open_low[n] = around.open_low[tile];
            open |= (unsigned)around.counts[tile] << n;
        }
        if (!are_together(open_low, dimension, open))
            return true;
    }
    return false;
}
