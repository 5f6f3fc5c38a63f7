// Blocks of viscosity and velocity, a cell wider than the tile, and means over them.
#include "viscous/viscosity_samples.h"

#include "grid/block.h"

// Cells from one before the tile to one behind it.
enum { WIDE = BW_TILE + 2, WIDE_CELLS = WIDE * WIDE * WIDE };

typedef struct Lattice {
    int layers;    // of the tile
    int stride[3]; // between cells; 0 along z in 2-D
} Lattice;

static Lattice lattice_of(const BwGrid *grid)
{
    return (Lattice){grid->layers, {1, WIDE, grid->layers == 1 ? 0 : WIDE * WIDE}};
}

// The place in the lattice of a cell of the tile, -1 to BW_TILE.
static int at(const Lattice *lattice, int i, int j, int k)
{
    return i + 1 + (j + 1) * WIDE + (lattice->layers == 1 ? 0 : (k + 1) * WIDE * WIDE);
}

static int block_at(int layers, int i, int j, int k)
{
    return i + BW_HALO + BW_BLOCK * (j + BW_HALO) + (layers == 1 ? 0 : BW_BLOCK_LAYER * (k + BW_HALO));
}

// The first and the last layer of the lattice.
static int first_layer(int layers)
{
    return layers == 1 ? 0 : -1;
}

// Squares of the rates of strain, 1/s^2, on the lattice.
typedef struct Rates {
    float normal[WIDE_CELLS];   // 2 (D_xx^2 + D_yy^2 + D_zz^2), at cells
    float edge[3][WIDE_CELLS];  // (2 D_ab)^2 on the low edges along each axis; below 0: a wall is there
    float shear[3][WIDE_CELLS]; // the same at cells, the mean over their edges
} Rates;

// What the strain of a tile is read from.
typedef struct Blocks {
    float velocity[3][BW_BLOCK_CELLS], weight[3][BW_BLOCK_CELLS];
    bool is_whole[3];    // all weights are 1, and not filled in
    int low[3], high[3]; // cells of the tile that the box begins and ends with; far off: not here
} Blocks;

static bool is_liquid(const Blocks *blocks, int a, int n)
{
    return blocks->is_whole[a] || blocks->weight[a][n] > 0.0f;
}

// The ends of the box that the liquid does not go on behind, from the low corner of the tile.
static void find_bounds(const BwGrid *grid, int32_t slot, Blocks *blocks)
{
    BwTileCoord coord = grid->tiles[slot].coord;
    const int32_t corner[3] = {coord.x * BW_TILE, coord.y * BW_TILE, coord.z * BW_TILE};
    for (int a = 0; a < 3; a++) {
        bool is_closed = grid->has_bounds && a < grid->dimension && grid->period[a] == 0;
        blocks->low[a] = is_closed ? grid->bounds.low[a] - corner[a] : -1000;
        blocks->high[a] = is_closed ? grid->bounds.high[a] - corner[a] : 1000;
    }
}

static bool is_inside(const Blocks *blocks, int axis, int place)
{
    return place > blocks->low[axis] && place < blocks->high[axis];
}

static void find_normal(const Blocks *blocks, const Lattice *lattice, float inv_h, Rates *rates)
{
    static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    int layers = lattice->layers, axes = layers == 1 ? 2 : 3;
    for (int k = first_layer(layers); k < layers - first_layer(layers); k++)
        for (int j = -1; j <= BW_TILE; j++)
            for (int i = -1; i <= BW_TILE; i++) {
                int n = block_at(layers, i, j, k);
                float sum = 0.0f;
                for (int a = 0; a < axes; a++) {
                    bool is_there = is_liquid(blocks, a, n) && is_liquid(blocks, a, n + stride[a]);
                    float slope = inv_h * (blocks->velocity[a][n + stride[a]] - blocks->velocity[a][n]);
                    sum += is_there ? slope * slope : 0.0f;
                }
                rates->normal[at(lattice, i, j, k)] = 2.0f * sum;
            }
}

static void find_edges(const Blocks *blocks, const Lattice *lattice, int axis, float inv_h, float *edge)
{
    static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};
    int layers = lattice->layers, a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int k = first_layer(layers); k < layers - first_layer(layers); k++)
        for (int j = -1; j <= BW_TILE; j++)
            for (int i = -1; i <= BW_TILE; i++) {
                const int place[3] = {i, j, k};
                int n = block_at(layers, i, j, k);
                bool is_there = is_inside(blocks, a, place[a]) && is_inside(blocks, b, place[b]) &&
                                is_liquid(blocks, a, n) && is_liquid(blocks, a, n - stride[b]) &&
                                is_liquid(blocks, b, n) && is_liquid(blocks, b, n - stride[a]);
                float slope = inv_h * ((blocks->velocity[a][n] - blocks->velocity[a][n - stride[b]]) +
                                       (blocks->velocity[b][n] - blocks->velocity[b][n - stride[a]]));
                edge[at(lattice, i, j, k)] = is_there ? slope * slope : -1.0f;
            }
}

// Of the cells whose high edges are in the lattice.
static void find_shear(const Lattice *lattice, int axis, const float *edge, float *shear)
{
    int layers = lattice->layers, one = lattice->stride[(axis + 1) % 3],
        other = lattice->stride[(axis + 2) % 3];
    for (int k = first_layer(layers); k < layers; k++)
        for (int j = -1; j < BW_TILE; j++)
            for (int i = -1; i < BW_TILE; i++) {
                int n = at(lattice, i, j, k), around[4] = {n, n + one, n + other, n + one + other};
                float sum = 0.0f, count = 0.0f;
                for (int m = 0; m < 4; m++) {
                    float square = edge[around[m]];
                    sum += square >= 0.0f ? square : 0.0f;
                    count += square >= 0.0f ? 1.0f : 0.0f;
                }
                shear[n] = count > 0.0f ? sum / count : 0.0f;
            }
}

static void find_rates(const BwViscositySource *source, const Lattice *lattice, int32_t slot, Rates *rates)
{
    const BwGrid *grid = source->domain->grid;
    float inv_h = 1.0f / grid->cell_size;
    Blocks blocks;
    find_bounds(grid, slot, &blocks);
    for (int a = 0; a < grid->dimension; a++) {
        bw_block_gather(&source->velocity->u[a], slot, blocks.velocity[a]);
        blocks.is_whole[a] = bw_block_gather_weight(grid, &source->faces[a], source->velocity->u[a].location,
                                                    slot, blocks.weight[a]);
    }
    find_normal(&blocks, lattice, inv_h, rates);
    for (int axis = grid->dimension == 3 ? 0 : 2; axis < 3; axis++) {
        find_edges(&blocks, lattice, axis, inv_h, rates->edge[axis]);
        find_shear(lattice, axis, rates->edge[axis], rates->shear[axis]);
    }
}

// The square of all of the rate at a cell, without the shear on edges along an axis (3: with all of it).
static float rate_at_cell(const Rates *rates, int dimension, int n, int without)
{
    float sum = rates->normal[n];
    for (int axis = dimension == 3 ? 0 : 2; axis < 3; axis++)
        sum += axis != without ? rates->shear[axis][n] : 0.0f;
    return sum;
}

static void load_viscosity(const BwViscositySource *source, const Lattice *lattice, int32_t slot, float *wide)
{
    float block[BW_BLOCK_CELLS];
    int layers = lattice->layers;
    if (source->field != NULL)
        bw_block_gather(source->field, slot, block);
    for (int k = first_layer(layers); k < layers; k++)
        for (int j = -1; j < BW_TILE; j++)
            for (int i = -1; i < BW_TILE; i++)
                wide[at(lattice, i, j, k)] =
                    source->field != NULL ? block[block_at(layers, i, j, k)] : source->constant;
}

// Cells around a tile at work.
typedef struct Work {
    const BwViscositySource *source;
    Lattice lattice;
    int dimension;
    bool follows_rate;
    float viscosity[WIDE_CELLS];
    Rates rates;
} Work;

static float law_at(const Work *work, float viscosity, float rate_squared)
{
    return work->follows_rate ? bw_law_viscosity(&work->source->law, viscosity, rate_squared) : viscosity;
}

static void set_faces(const Work *work, BwViscositySamples *samples, int cell, int n)
{
    for (int a = 0; a < work->dimension; a++) {
        int before = n - work->lattice.stride[a];
        samples->before[a][cell] =
            law_at(work, work->viscosity[before],
                   work->follows_rate ? rate_at_cell(&work->rates, work->dimension, before, 3) : 0.0f);
        samples->face[a][cell] = sqrtf(work->viscosity[before] * work->viscosity[n]);
        for (int b = 0; b < work->dimension && work->follows_rate; b++) {
            int axis = a == b ? 3 : 3 - a - b;
            samples->rest[a][b][cell] = 0.5f * (rate_at_cell(&work->rates, work->dimension, before, axis) +
                                                rate_at_cell(&work->rates, work->dimension, n, axis));
        }
    }
}

static void set_edge(const Work *work, BwViscositySamples *samples, int axis, int cell, int n)
{
    int one = work->lattice.stride[(axis + 1) % 3], other = work->lattice.stride[(axis + 2) % 3];
    int around[4] = {n, n - one, n - other, n - one - other};
    const float *nu = work->viscosity;
    float mean = sqrtf(sqrtf(nu[around[0]] * nu[around[1]]) * sqrtf(nu[around[2]] * nu[around[3]]));
    float own = work->follows_rate ? fmaxf(work->rates.edge[axis][n], 0.0f) : 0.0f, rest = 0.0f;
    for (int m = 0; m < 4 && work->follows_rate; m++)
        rest += 0.25f * rate_at_cell(&work->rates, work->dimension, around[m], axis);
    samples->edge[axis][cell] = law_at(work, mean, own + rest);
}

void bw_viscosity_samples_find(BwViscositySamples *samples, const BwViscositySource *source, int32_t slot)
{
    const BwGrid *grid = source->domain->grid;
    Work work = {.source = source,
                 .lattice = lattice_of(grid),
                 .dimension = grid->dimension,
                 .follows_rate = bw_law_follows_rate(&source->law)};
    samples->constant = source->constant;
    samples->is_constant = source->field == NULL && !work.follows_rate;
    if (samples->is_constant)
        return;
    load_viscosity(source, &work.lattice, slot, work.viscosity);
    if (work.follows_rate)
        find_rates(source, &work.lattice, slot, &work.rates);
    for (int cell = 0; cell < grid->tile_cells; cell++) {
        int n = at(&work.lattice, cell & 7, cell >> 3 & 7, cell >> 6);
        set_faces(&work, samples, cell, n);
        for (int axis = grid->dimension == 3 ? 0 : 2; axis < 3; axis++)
            set_edge(&work, samples, axis, cell, n);
    }
}
