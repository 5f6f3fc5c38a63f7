// The state of a liquid below a height field, shared by the files of its solver: height.c (life and recipe),
// height_sources.c (what comes and goes), height_spray.c and height_state.c (frames, stats, and keeping and
// taking back).
#pragma once

#include "flow/bulk.h"
#include "operate/spray.h"
#include "solvers/solver.h"

// Cells on each side of the surface in which phi is a distance; beyond them it is +-band.
enum { BW_HEIGHT_BAND = 5 };

// The columns as a frame shows them.
typedef struct BwHeightFrame {
    float *heights, *depths;
    BwVec3 *velocities;
    BwFrameAttribute attributes[2];
    BwFrameColumns set;
} BwHeightFrame;

typedef struct BwHeight {
    BwBulk bulk;
    BwColumns columns;
    BwHeightFrame frame;
    BwSpray spray;
    BwSprayFrame spray_frame[2]; // of drops, of foam
    BwFrameParticles sets[2];
    bool has_spray;
    BwLog log;
    bool has_told_full;     // that sources give more water than there is room for
    bool has_told_squeezed; // that solids left no room for some
} BwHeight;

// height.c. Finds the room of columns, their heights and the cells that hold liquid.
void bw_height_label(BwHeight *height);

// height_sources.c. What sources give to the columns in a step, once the velocity is found; and the account
// of it, with what passed the sides of the box.
void bw_height_add_sources(BwHeight *height);

// Once the surface has moved: a box that lets nothing out loses what solids have left no room for.
void bw_height_squeeze_out(BwHeight *height, double time, BwStats *stats);

// Before the velocity is found: a box that lets nothing out takes no more than it has room for.
void bw_height_hold_back(BwHeight *height, double time, double dt);
void bw_height_account(BwHeight *height, BwColumnPassing passing, BwStats *stats);

// height_spray.c.
BwResult bw_height_create_spray(BwHeight *height, BwError *err);
void bw_height_destroy_spray(BwHeight *height);
BwResult bw_height_spray(BwHeight *height, BwVec3 gravity, double time, double dt, BwError *err);
BwResult bw_height_show_spray(BwHeight *height, BwFrame *frame, BwError *err);
BwResult bw_height_save_spray(const BwHeight *height, BwRecord *record, BwError *err);
BwResult bw_height_load_spray(BwHeight *height, const BwRecord *record, BwError *err);

// What of BwSolverType is in height_state.c.
void bw_height_measure(void *solver, BwStats *stats);
BwResult bw_height_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);
int bw_height_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);
BwResult bw_height_check(void *solver, double dt, BwError *err);
BwResult bw_height_save(void *solver, BwRecord *record, BwError *err);
BwResult bw_height_load(void *solver, const BwRecord *record, BwError *err);
BwResult bw_height_agree(void *solver, const BwRecord *record, BwError *err);
