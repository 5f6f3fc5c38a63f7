// Amounts that tiles lack, or have too much of, given to cells so that no seam shows where tiles meet. Each
// tile hands what it lacks to its corners; at a corner what the tiles around it lack is added up and taken by
// the cells around it, the more the nearer they are and the more room they have up to their limits. The part
// of its room that a cell takes is then continuous over all tiles, and the total is kept to the rounding.
#pragma once

#include "grid/field.h"

enum { BW_SPREAD_FIELDS = 2, BW_CORNERS = 8 };

// Of one field of a tile.
typedef struct BwTileRoom {
    float room[2][BW_CORNERS]; // up to the upper limits, down to the lower ones, by the weight of each corner
    float given[BW_CORNERS];   // of what the tile lacks; below zero of what it has too much of
    float alone;               // what a tile lacks that shares with no other
    uint16_t has_limits;       // else none of its cells takes anything
    uint16_t is_alone;
} BwTileRoom;

typedef struct BwSpread {
    BwNotes rooms;
} BwSpread;

BwResult bw_spread_create(BwSpread *spread, BwGrid *grid, BwError *err);
void bw_spread_destroy(BwSpread *spread);

// Values of a tile and their limits; where low is above high, a cell takes nothing.
typedef struct BwLimited {
    float *value;
    const float *low, *high;
} BwLimited;

// Notes the room of a tile's cells, and what the tile lacks.
void bw_spread_note(BwSpread *spread, int f, int32_t slot, BwLimited cells, float lack);

// The same of a tile that shares with no other: its own cells take what it lacks, and nothing else.
void bw_spread_note_alone(BwSpread *spread, int f, int32_t slot, float lack);

// Notes that a tile lacks nothing, and that none of its cells has limits.
void bw_spread_note_none(BwSpread *spread, int f, int32_t slot);

// What was noted.
float bw_spread_lack(const BwSpread *spread, int f, int32_t slot);
bool bw_spread_has_limits(const BwSpread *spread, int f, int32_t slot);

// Gives the cells of a tile their part of what is lacking around them, once all tiles around are noted.
// Returns what there was no room for of what this tile lacks.
float bw_spread_settle(const BwSpread *spread, int f, int32_t slot, BwLimited cells);

// Adds so much to the cells of a tile. Every cell takes part in proportion to its distance from the limit on
// that side, so that none passes it. Returns what there was no room for.
float bw_add_within_limits(BwLimited cells, int count, float amount);
