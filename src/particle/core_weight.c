#include "particle/core_weight.h"

#include "grid/bits.h"

enum { SIDE = BW_TILE + 2, LAYER = SIDE * SIDE, SAMPLES = SIDE * LAYER };

BwCoreFill bw_core_fill(const BwGrid *grid, const BwCore *core, int32_t slot)
{
    int first = bw_first_beside(grid);
    uint64_t any = 0, all = ~(uint64_t)0;
    for (int c = first; c < 27 - first; c++) {
        const uint64_t *words = bw_mask_tile(&core->full, grid->tiles[slot].neighbour[c]);
        for (int k = 0; k < grid->layers; k++) {
            any |= words[k];
            all &= words[k];
        }
    }
    return any == 0 ? BW_CORE_NONE : all == ~(uint64_t)0 ? BW_CORE_ALL : BW_CORE_PART;
}

// What the core holds in a tile and one cell around it, or 1 for each of its cells.
static void gather(const BwGrid *grid, const BwCore *core, int32_t slot, bool by_content,
                   float block[SAMPLES])
{
    int layers = grid->layers == 1 ? 1 : SIDE;
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                int local[3] = {i - 1, j - 1, layers == 1 ? 0 : k - 1};
                int c = bw_neighbour(local[0] >> 3, local[1] >> 3, local[2] >> 3);
                int cell = (local[0] & 7) + 8 * (local[1] & 7) + 64 * (local[2] & 7);
                float excess = bw_field_tile(&core->excess, grid->tiles[slot].neighbour[c])[cell];
                float content = by_content ? 1.0f + excess : 1.0f;
                block[i + SIDE * j + LAYER * k] = excess != BW_NOT_CORE ? content : 0.0f;
            }
}

// The hat function around a cell's centre holds 3/4 of its weight in the cell itself and 1/8 in each beside
// it, along an axis; that around a face half in each of its cells.
static void blur(float *block, int stride, bool is_at_face)
{
    float before = block[0];
    for (int n = 1; n < SIDE - 1; n++) {
        float own = block[n * stride], after = block[(n + 1) * stride];
        block[n * stride] = is_at_face ? 0.5f * (before + own) : 0.125f * (before + after) + 0.75f * own;
        before = own;
    }
}

// Around the faces of an axis, or around centres where that is -1.
static void blur_block(float block[SAMPLES], int layers, int axis)
{
    for (int k = 0; k < layers; k++)
        for (int j = 0; j < SIDE; j++)
            blur(block + SIDE * j + LAYER * k, 1, axis == 0);
    for (int k = 0; k < layers; k++)
        for (int i = 0; i < SIDE; i++)
            blur(block + i + LAYER * k, SIDE, axis == 1);
    for (int n = 0; n < LAYER && layers > 1; n++)
        blur(block + n, LAYER, axis == 2);
}

static void copy_out(const BwGrid *grid, const float block[SAMPLES], float *restrict out)
{
    for (int n = 0; n < grid->tile_cells; n++) {
        int k = grid->layers == 1 ? 0 : (n >> 6) + 1;
        out[n] = block[(n & 7) + 1 + SIDE * ((n >> 3 & 7) + 1) + LAYER * k];
    }
}

void bw_core_face_weights(const BwGrid *grid, const BwCore *core, int32_t slot, int axis,
                          float *restrict weight)
{
    float block[SAMPLES];
    gather(grid, core, slot, false, block);
    blur_block(block, grid->layers == 1 ? 1 : SIDE, axis);
    copy_out(grid, block, weight);
}

void bw_core_shares(const BwGrid *grid, const BwCore *core, int32_t slot, float *restrict share)
{
    float block[SAMPLES];
    gather(grid, core, slot, true, block);
    blur_block(block, grid->layers == 1 ? 1 : SIDE, -1);
    copy_out(grid, block, share);
}
