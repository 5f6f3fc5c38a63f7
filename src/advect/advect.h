// Advecting values along a velocity: trace each sample's path back through the step and take what was there
// (Stam 1999, Stable Fluids). Fields may be the velocity's own components.
#pragma once

#include "advect/scheme.h"
#include "advect/solid_paths.h"

// Fields that are advected at the same time; a set goes in batches of so many.
enum { BW_ADVECT_FIELDS = 2 };

// What a path brings that came in from outside.
typedef enum BwEntry {
    BW_ENTERS_AS_THERE,   // what is where it came in
    BW_ENTERS_BACKGROUND, // through open sides of the box that of the field; tiles that sleep hold it anyway
    // Of a velocity: half of what it differs from that of the air outside (advect/advect_entry.c).
    BW_ENTERS_FROM_REST,
} BwEntry;

// What a field is advected to. The two are different fields.
typedef struct BwAdvectField {
    const BwField *from;
    BwField *to;
} BwAdvectField;

// Fields of one location that share their paths, any number of them. Each is advected as if it were alone, so
// that the others make no difference to it.
typedef struct BwAdvectSet {
    const BwAdvectField *fields;
    int count;
    const BwMask *valid;   // which samples of them exist
    const BwMask *sources; // cells that a source fills up after every step (advect/source_cells.h); or NULL
    bool keeps_total;      // tiles are held to what passes through their sides
    BwEntry entry;         // what comes in from outside
    float air;             // of the field, outside; beyond the rim; for BW_ENTERS_FROM_REST
} BwAdvectSet;

enum { BW_ADVECT_SETS = 4 };

// Paths, copies and per-worker memory; made once, kept by the solver. Nothing in it lives from step to step.
typedef struct BwAdvector BwAdvector;

// Fields of others, any of them NULL: then the memory is the advector's own. It borrows them
// (bw_field_borrow) only for as long as it needs them: `paths` for a call of bw_advect; `low` for a batch of
// fields that keep their totals; `high` for a batch whose scheme has limits, or that keeps its totals, the
// second of each only for a batch of two. So low and the second of high may be fields that sets of one field
// go to which keep no totals.
typedef struct BwLentFields {
    BwField *paths; // three, of background 0
    BwField *low[BW_ADVECT_FIELDS], *high[BW_ADVECT_FIELDS];
    bool has_solids; // there will be some, so that what is measured of those at rest is worth its memory
} BwLentFields;

BwResult bw_advector_create(BwAdvector **advector, BwGrid *grid, BwPool *pool, BwScheme scheme,
                            BwLentFields lent, BwError *err);
void bw_advector_destroy(BwAdvector *advector);

// Computes `to` in all live cells. Paths that leave the box end at its side, those that meet one of the
// solids (as they move over the step) on its surface. Where no sample is around the end of a path, the value
// stays what it was.
void bw_advect(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity, BwPathSolids solids,
               const BwAdvectSet *sets, int set_count, float dt);

// The same in tiles whose note in `wanted` is BW_ADVECT_WANTED alone; the others' are 0. It writes to the
// notes of tiles around those, and what `to` holds anywhere else means nothing.
enum { BW_ADVECT_WANTED = 4 };
void bw_advect_where(BwAdvector *advector, const BwDomain *domain, const BwVelocity *velocity,
                     BwPathSolids solids, const BwAdvectSet *sets, int set_count, const BwNotes *wanted,
                     float dt);
