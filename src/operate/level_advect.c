// A stage reads the one before around a cell, and phi as it was only in the cell itself, so that the last one
// may overwrite it.
#include "operate/level_advect.h"

#include "base/extremes.h"
#include "grid/block.h"
#include "grid/rows.h"

#include <string.h>

BwResult bw_level_advector_create(BwLevelAdvector *advector, BwGrid *grid, BwError *err)
{
    *advector = (BwLevelAdvector){0};
    BW_TRY(bw_field_create(&advector->first, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_notes_create(&advector->reached, grid, err));
    return bw_field_create(&advector->second, grid, BW_AT_CELL, 0.0f, err);
}

void bw_level_advector_destroy(BwLevelAdvector *advector)
{
    bw_field_destroy(&advector->first);
    bw_field_destroy(&advector->second);
    bw_notes_destroy(&advector->reached);
}

// One stage: `to` is a share of phi as it was at the start of the step and of `from` moved on by dt.
typedef struct Stage {
    const BwLevelMotion *motion;
    const BwField *start, *from;
    BwField *to;
    float start_share;
    BwNotes *reached;
} Stage;

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

#if BW_LANES == 16
typedef float BwRow __attribute__((vector_size(8 * sizeof(float))));
#endif

// Lanes of a block: sixteen are two of its rows. They are joined in registers: through memory, what is
// written by halves and read as a whole has to wait.
static inline BwLanes lanes_at(const float *at)
{
#if BW_LANES == 16
    BwRow low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + BW_BLOCK, sizeof high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    return bw_lanes_load_any(at);
#endif
}

static inline BwLanes size_of(BwLanes a)
{
    return bw_lanes_choose(a < 0.0f, -a, a);
}

static inline BwLanes smaller_of(BwLanes a, BwLanes b)
{
    return bw_lanes_choose(size_of(a) < size_of(b), a, b);
}

// The slope between two samples, from the five differences of neighbours around it, `v[2]` that before the
// cell as seen from where the flow comes from.
static inline BwLanes slope_eno(const BwLanes v[5])
{
    BwLanes second = smaller_of(v[2] - v[1], v[3] - v[2]);
    BwLaneBits is_back = size_of(v[2] - v[1]) < size_of(v[3] - v[2]);
    BwLanes before = smaller_of(v[2] - 2.0f * v[1] + v[0], v[3] - 2.0f * v[2] + v[1]),
            behind = smaller_of(v[3] - 2.0f * v[2] + v[1], v[4] - 2.0f * v[3] + v[2]);
    return v[2] + 0.5f * second + bw_lanes_choose(is_back, before * (1.0f / 3.0f), behind * (-1.0f / 6.0f));
}

static inline BwLanes slope_weno(const BwLanes v[5], float h)
{
    BwLanes a = v[0] * (1.0f / 3.0f) - v[1] * (7.0f / 6.0f) + v[2] * (11.0f / 6.0f),
            b = v[2] * (5.0f / 6.0f) - v[1] * (1.0f / 6.0f) + v[3] * (1.0f / 3.0f),
            c = v[2] * (1.0f / 3.0f) + v[3] * (5.0f / 6.0f) - v[4] * (1.0f / 6.0f);
    BwLanes bend_a = v[0] - 2.0f * v[1] + v[2], bend_b = v[1] - 2.0f * v[2] + v[3],
            bend_c = v[2] - 2.0f * v[3] + v[4];
    BwLanes lean_a = v[0] - 4.0f * v[1] + 3.0f * v[2], lean_b = v[1] - v[3],
            lean_c = 3.0f * v[2] - 4.0f * v[3] + v[4];
    float scale = 1.0f / (h * h); // differences are of h where phi is a distance
    BwLanes rough_a = ((13.0f / 12.0f) * bend_a * bend_a + 0.25f * lean_a * lean_a) * scale + 1e-6f,
            rough_b = ((13.0f / 12.0f) * bend_b * bend_b + 0.25f * lean_b * lean_b) * scale + 1e-6f,
            rough_c = ((13.0f / 12.0f) * bend_c * bend_c + 0.25f * lean_c * lean_c) * scale + 1e-6f;
    // Weights of .1, .6 and .3 over the squares of the roughness, times all of these: one division is enough.
    BwLanes bc = rough_b * rough_c, ac = rough_a * rough_c, ab = rough_a * rough_b;
    BwLanes weight_a = 0.1f * bc * bc, weight_b = 0.6f * ac * ac, weight_c = 0.3f * ab * ab;
    return (weight_a * a + weight_b * b + weight_c * c) / (weight_a + weight_b + weight_c);
}

// The change of phi from a cell to the next along an axis, upwind: from -3 s on for a flow along it.
static inline BwLanes upwind_slope(const float *at, int s, BwLaneBits is_ahead, BwLevelScheme scheme, float h)
{
    BwLanes v[5], step[6], before = lanes_at(at - 3 * s);
    for (int n = 0; n < 6; n++) {
        BwLanes next = lanes_at(at + (n - 2) * s);
        step[n] = next - before;
        before = next;
    }
    if (scheme == BW_LEVEL_UPWIND)
        return bw_lanes_choose(is_ahead, step[2], step[3]);
    for (int n = 0; n < 5; n++)
        v[n] = bw_lanes_choose(is_ahead, step[n], step[5 - n]);
    return scheme == BW_LEVEL_ENO ? slope_eno(v) : slope_weno(v, h);
}

// Where phi is level around a cell, as it is beyond the band.
static inline BwLaneBits is_level(const float *at, int dimension)
{
    BwLanes own = lanes_at(at);
    BwLaneBits is = own == own;
    for (int a = 0; a < dimension; a++)
        is &= (lanes_at(at + stride[a]) == own) & (lanes_at(at - stride[a]) == own);
    return is;
}

// The velocity of cells along an axis: the mean of their two faces.
static inline BwLanes speed_at(const BwStar *faces, int axis, int n)
{
    BwLanes low = bw_lanes_load(faces->center + n);
    BwLanes high = axis == 0   ? bw_lanes_x_high(faces, low, n)
                   : axis == 1 ? bw_lanes_y_high(faces, low, n)
                               : bw_lanes_z_high(faces, n);
    return 0.5f * (low + high);
}

static inline BwLanes advected(const Stage *stage, const BwStar faces[3], const float *at, int n)
{
    const BwGrid *grid = stage->start->store.grid;
    BwLanes change = {0};
    for (int a = 0; a < grid->dimension; a++) {
        BwLanes speed = speed_at(&faces[a], a, n);
        if (bw_lanes_bits(speed != 0.0f) != 0)
            change +=
                speed * upwind_slope(at, stride[a], speed > 0.0f, stage->motion->scheme, grid->cell_size);
    }
    return lanes_at(at) - stage->motion->dt / grid->cell_size * change;
}

static void step_tile(const Stage *stage, int32_t slot)
{
    const BwGrid *grid = stage->start->store.grid;
    float block[BW_BLOCK_CELLS], *to = bw_field_tile(stage->to, slot);
    const float *start = bw_field_tile(stage->start, slot);
    BwStar faces[3];
    bw_block_gather(stage->from, slot, block);
    for (int a = 0; a < grid->dimension; a++)
        faces[a] = bw_star(&stage->motion->velocity->u[a], slot);
    for (int n = 0; n < grid->tile_cells; n += BW_LANES) {
        const float *at =
            block + bw_block_origin(grid) + (n & 7) + BW_BLOCK * (n >> 3 & 7) + BW_BLOCK_LAYER * (n >> 6);
        BwLaneBits is_still = is_level(at, grid->dimension);
        BwLanes moved = lanes_at(at);
        if (bw_lanes_bits(is_still) != BW_ALL_LANES)
            moved = bw_lanes_choose(is_still, moved, advected(stage, faces, at, n));
        bw_lanes_store(to + n,
                       stage->start_share * bw_lanes_load(start + n) + (1.0f - stage->start_share) * moved);
    }
}

static void note_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Stage *stage = context;
    const BwGrid *grid = stage->start->store.grid;
    for (int64_t m = begin; m < end; m++) {
        const float *phi = bw_field_tile(stage->from, grid->order[m]);
        int inside = 0;
        for (int n = 0; n < grid->tile_cells; n++)
            inside += fabsf(phi[n]) < stage->motion->band;
        *bw_note(stage->reached, grid->order[m]) = inside > 0;
    }
}

// Whether the band reaches into a tile or the cells around it: where phi is not level.
static bool is_reached(const Stage *stage, int32_t slot)
{
    const BwGrid *grid = stage->start->store.grid;
    int first = bw_first_beside(grid);
    for (int b = first; b < 27 - first; b++) {
        int32_t beside = grid->tiles[slot].neighbour[b];
        if (beside != 0 && *bw_note(stage->reached, beside) != 0)
            return true;
    }
    return false;
}

static void stage_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Stage *stage = context;
    const BwGrid *grid = stage->start->store.grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        if (is_reached(stage, slot))
            step_tile(stage, slot);
        else if (stage->to != stage->start)
            memcpy(bw_field_tile(stage->to, slot), bw_field_tile(stage->start, slot),
                   (size_t)grid->tile_cells * sizeof(float));
    }
}

void bw_level_advect(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion)
{
    int32_t count = phi->store.grid->tile_count;
    bw_field_set_background(&advector->first, bw_field_background(phi));
    bw_field_set_background(&advector->second, bw_field_background(phi));
    BwNotes *reached = &advector->reached;
    Stage stages[] = {{motion, phi, phi, &advector->first, 0.0f, reached},
                      {motion, phi, &advector->first, &advector->second, 0.75f, reached},
                      {motion, phi, &advector->second, phi, 1.0f / 3.0f, reached}};
    for (int n = 0; n < 3; n++) {
        bw_parallel_for(pool, count, 16, note_range, &stages[n]);
        bw_parallel_for(pool, count, 4, stage_range, &stages[n]);
    }
}

typedef struct Speeds {
    const BwGrid *grid;
    const BwVelocity *velocity;
} Speeds;

static float speed_of_tile(const Speeds *job, int32_t slot)
{
    BwLanes most = {0};
    BwStar faces[3];
    float fastest = 0.0f;
    for (int a = 0; a < job->grid->dimension; a++)
        faces[a] = bw_star(&job->velocity->u[a], slot);
    for (int n = 0; n < job->grid->tile_cells; n += BW_LANES) {
        BwLanes sum = {0};
        for (int a = 0; a < job->grid->dimension; a++)
            sum += size_of(speed_at(&faces[a], a, n));
        most = bw_lanes_larger(sum, most);
    }
    for (int n = 0; n < BW_LANES; n++)
        fastest = bw_larger(most[n], fastest);
    return fastest;
}

static double speed_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Speeds *job = context;
    float fastest = 0.0f;
    for (int64_t m = begin; m < end; m++)
        fastest = bw_larger(speed_of_tile(job, job->grid->order[m]), fastest);
    return (double)fastest;
}

float bw_level_speed(const BwVelocity *velocity, BwPool *pool)
{
    Speeds job = {velocity->u[0].store.grid, velocity};
    return (float)bw_parallel_max(pool, job.grid->tile_count, 16, speed_range, &job);
}

// The sum over the axes of the cells that a part of a step crosses.
static const double cells_a_part = 0.9;

// A flow that crosses more cells in a step than so many parts allow has run away: its step need not end well,
// but it has to end.
static const double parts_max = 1000.0;

void bw_level_advect_far(BwLevelAdvector *advector, BwField *phi, BwPool *pool, const BwLevelMotion *motion,
                         float speed)
{
    double cells = (double)speed * (double)motion->dt / (double)phi->store.grid->cell_size;
    int parts = (int)fmin(fmax(ceil(cells / cells_a_part), 1.0), parts_max);
    BwLevelMotion part = *motion;
    part.dt = (float)((double)motion->dt / parts);
    for (int n = 0; n < parts; n++)
        bw_level_advect(advector, phi, pool, &part);
}
