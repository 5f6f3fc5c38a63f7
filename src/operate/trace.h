// Paths through a velocity, a tile at a time: where the fluid at each sample comes from (or goes to), and
// what is there. Inside a padded block paths read plain memory; a tile whose paths leave its block takes the
// slow way, sample by sample.
#pragma once

#include "grid/block.h"
#include "operate/domain.h"

enum { BW_TILE_CELLS_MAX = BW_TILE * BW_TILE_LAYER };

// A padded copy of a field, with weights where samples are missing.
typedef struct BwTraceBlock {
    _Alignas(BW_ALIGN) float value[BW_BLOCK_CELLS]; // times the weight, where there are weights
    float weight[BW_BLOCK_CELLS];
    bool is_full; // no sample is missing, the weights are not set
    float shift[3];
    float background;
} BwTraceBlock;

// One worker's memory for the tile it is at. Places are in cells from the tile's first cell.
typedef struct BwTracer {
    BwTraceBlock velocity[3];
    float speed[3][BW_TILE_CELLS_MAX]; // cells per step
    float path[3][BW_TILE_CELLS_MAX];  // where the paths end
    float sum[BW_TILE_CELLS_MAX];
    float low[3], high[3]; // the grid's bounds around this tile
    bool is_near;          // all paths ended inside the block
} BwTracer;

// What all tiles of a pass share.
typedef struct BwTracePass {
    const BwDomain *domain;
    const BwVelocity *velocity;
    BwLocation location; // of the samples whose paths are traced
    bool is_cubic;       // what is at the ends of the paths comes from cubics, else from trilinear ones
    float start[3][BW_TILE_CELLS_MAX];
    float cells_per_speed; // dt / h
} BwTracePass;

void bw_trace_pass(BwTracePass *pass, const BwDomain *domain, const BwVelocity *velocity, BwLocation location,
                   bool is_cubic, float dt);

// Gathers the velocity around a tile.
void bw_trace_tile(BwTracer *tracer, const BwTracePass *pass, int32_t slot);

// Ends of the paths of the tile's samples: direction -1 back through the step, 1 forward. Second order: the
// speed half way carries the whole way. Paths that leave the box end at its side.
void bw_trace(BwTracer *tracer, const BwTracePass *pass, int32_t slot, float direction);

// Whether the path of a sample ended on an open side of the box: its fluid came from outside.
bool bw_trace_is_outside(const BwTracer *tracer, const BwDomain *domain, int sample);

// Whether any path of the tile can.
bool bw_trace_meets_open_side(const BwTracer *tracer, const BwDomain *domain);

void bw_trace_gather(BwTraceBlock *block, const BwField *field, const BwMask *valid, int32_t slot);

// Values at the ends of the paths, by A3's rule; `fallback` where no sample is around. Next to missing
// samples a cubic gives way to the trilinear rule.
void bw_trace_sample(BwTracer *tracer, const BwTracePass *pass, const BwTraceBlock *block,
                     const float *fallback, float *out);

// The same the slow way and always trilinear, for paths that left the block.
void bw_trace_sample_far(const BwTracer *tracer, const BwField *field, const BwMask *valid, int32_t slot,
                         const float *fallback, float *out);

// Where in a block the samples around the end of each path begin. A path that left the block, or whose fluid
// came in from outside when `air_enters`, has none.
#define BW_NO_CORNER 0xffffu
void bw_trace_corners(const BwTracer *tracer, const BwTracePass *pass, bool air_enters, uint16_t *corners);

// The smallest and largest of the valid samples at each corner; low above high where there are none.
void bw_trace_range(const BwTracePass *pass, const BwTraceBlock *block, const uint16_t *corners, float *low,
                    float *high);
