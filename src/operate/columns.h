// Water as columns: a surface h(x, z) over the cells below it, for liquids that do not overturn (Foster and
// Metaxas 1996, Realistic Animation of Liquids, section 4.3).
//
// What is kept of a column is how much water it holds, m^3 over the area of its base; its height follows from
// the room that solids leave in it. So solids that move lift the water and lose none. Columns stand on all
// cells of the grid's bounds, every tile of which is awake; cells outside, along sides of the box that are
// not closed, have no room.
#pragma once

#include "domain/domain.h"
#include "operate/extrapolate.h"

typedef struct BwColumns {
    BwAllocator allocator;
    const BwGrid *grid;
    int32_t low[3], count[3]; // cells
    double *water;            // m, of each column, x fastest
    double *height;           // m, of its surface; of dry ones that of the ground
    double *ground;           // m, the lowest room; infinity: there is none
    double *most;             // m, of water that the room of a column holds
    double *under;            // m, the same below the lowest solid that hangs over it; infinity: none does
    double *over;             // m, of the room above that solid, the lowest
    double *shown;            // m, the height that phi is of: goes on into dry land
    double *next_shown;       // scratch
    double *speed;            // m/s, at which the surface rises
    double *flow[2];          // m/s, through the low faces along x and z, over the base
    double *inflow, *outflow; // m/s, through sides of the box, over the base
    double *source;           // m/s, what sources give, over the base
    float *room;              // 1, of each cell, a column after the other, bottom up
    float *open;              // 1, the same with the cells outside
    int64_t columns, cells;
} BwColumns;

BwResult bw_columns_create(BwColumns *columns, const BwAllocator *allocator, const BwGrid *grid,
                           BwError *err);
void bw_columns_destroy(BwColumns *columns);

static inline int64_t bw_column_at(const BwColumns *columns, int32_t i, int32_t k)
{
    return (int64_t)k * columns->count[0] + i;
}

// m, of the bottom of layer j.
static inline double bw_column_level(const BwColumns *columns, int32_t j)
{
    return (double)(columns->low[1] + j) * (double)columns->grid->cell_size;
}

static inline bool bw_column_is_there(const BwColumns *columns, int64_t n)
{
    return columns->ground[n] < 1e30;
}

static inline bool bw_column_is_wet(const BwColumns *columns, int64_t n)
{
    return columns->water[n] > 1e-4 * (double)columns->grid->cell_size;
}

// Takes over what each cell has room for: `open` is the share that solids leave; NULL: they are whole cells.
void bw_columns_find_room(BwColumns *columns, const BwDomain *domain, const BwField *open);

// m, of water that a column holds when it stands as high as this; and whether a solid is in its cell there.
double bw_column_water_below(const BwColumns *columns, int64_t n, double height);
bool bw_column_is_cut(const BwColumns *columns, int64_t n, double height);

// Heights from the water.
void bw_columns_find_heights(BwColumns *columns, BwPool *pool);

// What shapes fill at the start. Fails where their surface is not one height over each place.
BwResult bw_columns_fill(BwColumns *columns, const BwShape *const *shapes, int count, BwError *err);

// The signed distance to the surface, m, up to `band`, and the cells that hold liquid: all that the surface
// crosses, or those whose centre is below it.
typedef struct BwColumnLabels {
    BwField *phi;
    BwMask *liquid;
    float band;
    bool are_crossed;
} BwColumnLabels;
void bw_columns_label(BwColumns *columns, const BwDomain *domain, const BwColumnLabels *labels);

// What water that stands above or below the centre of a Surface cell adds to its pressure over density,
// m^2/s^2, under a pull of `gravity` downwards.
void bw_columns_find_head(const BwColumns *columns, float gravity, BwPool *pool, BwField *head);

// A step of the surface.
typedef struct BwColumnStep {
    const BwDomain *domain;
    const BwMask *passable; // three: faces that solids leave open
    const BwVelocity *velocity;
    double donor; // 1, share of the donor column in the height of a face; NaN: |u| dt / h
    double dt;    // s
} BwColumnStep;

// m^3, that came and went through sides of the box, and that sources gave and took.
typedef struct BwColumnPassing {
    double in, out, given, taken;
} BwColumnPassing;

// m^3, that columns have room for yet; and m^3/s, that sources give and take, as they were added.
double bw_columns_room_left(const BwColumns *columns);
BwColumnPassing bw_columns_asked(const BwColumns *columns);

// Moves the surface by (11) and (12), in the form that keeps the volume: what passes the sides of columns
// below the surface, whose height there is the mean of both columns' but for the donor's share. No column
// gives more than it has. What a column then holds beyond its room goes out where the box has no lid over it,
// and else to the columns beside it, as far as these have room. So does what has no room below a solid that
// hangs over it, unless the water beside stands higher than that, and what would stand more than a cell above
// the water around in a cell that a solid cuts.
BwColumnPassing bw_columns_move(BwColumns *columns, const BwColumnStep *step);

// Takes away what all columns together have no room for, from those that hold too much: a solid has come into
// a full box. m^3, that it was.
double bw_columns_squeeze_out(BwColumns *columns);

// m^3, of all; and the velocity on the surface of a column, m/s.
double bw_columns_volume(const BwColumns *columns);
BwVec3 bw_columns_velocity(const BwColumns *columns, const BwVelocity *velocity, int64_t n);

// Sources: m^3/s at a point, and those of a divergence, 1/s of a cell, in the liquid. Clear them first.
void bw_columns_clear_sources(BwColumns *columns);
void bw_columns_add_point(BwColumns *columns, BwVec3 point, double flow);
void bw_columns_add_divergence(BwColumns *columns, const BwDomain *domain, const BwField *divergence);
