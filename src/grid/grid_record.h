// Tiles and fields in a record. Values go tile after tile in the grid's order, so nothing in a record depends
// on slots, and a grid that takes it back may keep its tiles in other slots than the one that gave it.
#pragma once

#include "base/pool.h"
#include "base/record.h"
#include "grid/field.h"

// Which tiles are awake, as "tiles".
BwResult bw_grid_save(const BwGrid *grid, BwRecord *record, BwError *err);

// Wakes exactly the tiles of the record; fields hold their backgrounds after it.
BwResult bw_grid_load(BwGrid *grid, const BwRecord *record, BwError *err);

BwResult bw_field_save(const BwField *field, BwPool *pool, BwRecord *record, const char *name, BwError *err);
BwResult bw_field_load(BwField *field, BwPool *pool, const BwRecord *record, const char *name, BwError *err);
BwResult bw_wide_field_save(const BwWideField *field, BwPool *pool, BwRecord *record, const char *name,
                            BwError *err);
BwResult bw_wide_field_load(BwWideField *field, BwPool *pool, const BwRecord *record, const char *name,
                            BwError *err);
