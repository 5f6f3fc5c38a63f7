// Deficits and excesses of tiles, given to cells so that no seam shows where tiles meet. Each
// tile hands its deficit to its corners; at a corner the deficits of the tiles around it are added up and
// taken by the cells around it, the more the nearer they are and the more room they have up to their limits.
// The part of its room that a cell takes is then continuous over all tiles, and the total is kept to the
// rounding.
#pragma once

#include "grid/field.h"

enum { BW_REDISTRIBUTED_FIELDS = 2, BW_CORNERS = 8 };

// Of one field of a tile.
typedef struct BwTileRoom {
    float room[2][BW_CORNERS]; // up to the upper limits, down to the lower ones, by the weight of each corner
    float given[BW_CORNERS];   // of the tile's deficit; below zero of what it has too much of
    float alone;               // the deficit of a tile that shares with no other
    uint16_t has_limits;       // else none of its cells takes anything
    uint16_t is_alone;
} BwTileRoom;

typedef struct BwRedistribution {
    BwNotes rooms;
} BwRedistribution;

BwResult bw_redistribution_create(BwRedistribution *redistribution, BwGrid *grid, BwError *err);
void bw_redistribution_destroy(BwRedistribution *redistribution);

// Values of a tile and their limits; where low is above high, a cell takes nothing.
typedef struct BwLimited {
    float *value;
    const float *low, *high;
} BwLimited;

// Notes the room of a tile's cells, and the tile's deficit.
void bw_redistribution_note(BwRedistribution *redistribution, int f, int32_t slot, BwLimited cells,
                            float deficit);

// The same of a tile that shares with no other: its own cells take its deficit, and nothing else.
void bw_redistribution_note_alone(BwRedistribution *redistribution, int f, int32_t slot, float deficit);

// Notes that a tile has no deficit, and that none of its cells has limits.
void bw_redistribution_note_none(BwRedistribution *redistribution, int f, int32_t slot);

// What was noted.
float bw_redistribution_deficit(const BwRedistribution *redistribution, int f, int32_t slot);
bool bw_redistribution_has_limits(const BwRedistribution *redistribution, int f, int32_t slot);

// Gives the cells of a tile their part of the deficits around them, once all tiles around are noted.
// Returns what there was no room for of this tile's deficit.
float bw_redistribution_settle(const BwRedistribution *redistribution, int f, int32_t slot, BwLimited cells);

// Adds so much to the cells of a tile. Every cell takes part in proportion to its distance from the limit on
// that side, so that none passes it. Returns what there was no room for.
float bw_add_within_limits(BwLimited cells, int count, float amount);
