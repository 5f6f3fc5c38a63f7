// Distances of the cells beside the surface.
//
// Around a cell's centre phi is a parabola, from the samples around it; the nearest point of its zero set is
// where its slope points back at the centre (Chopp 2001, Some Improvements of the Fast Marching Method). Two
// cells that share a piece of the surface see parabolas that differ by terms of third order, and by so much
// the zero set moves.
//
// At edges and in sheets a parabola says little. So no cell is farther than where phi changes its sign along
// an axis, by a parabola that takes the smaller of the curvatures on both sides (Min 2010, On Reinitializing
// Level Set Functions); and where no nearest point is found, the plane through those crossings counts.
#include "grid/block.h"
#include "operate/distance_job.h"

static const int stride[3] = {1, BW_BLOCK, BW_BLOCK_LAYER};

// The nearest point is looked for by so many steps, each to be shorter than the last is allowed to be, and
// not farther off than that, in cells.
enum { STEPS = 8 };
static const float last_step = 1e-4f, farthest = 1.6f;

// An inside cell has a distance, or it would be outside.
static const float nearest = 1e-5f;

static float smaller_curvature(float a, float b)
{
    return a * b <= 0.0f ? 0.0f : fabsf(a) < fabsf(b) ? a : b;
}

// The share of the way from a sample to the next at which phi is zero; the two have different signs.
static float crossing(float before, float from, float to, float behind)
{
    float curvature = smaller_curvature(before - 2.0f * from + to, from - 2.0f * to + behind);
    float slope = to - from - 0.5f * curvature;
    float root = sqrtf(bw_larger(slope * slope - 2.0f * curvature * from, 0.0f));
    float part = -0.5f * (slope + copysignf(root, to - from));
    float share = part != 0.0f ? from / part : 0.5f;
    return bw_smaller(bw_larger(share, 0.0f), 1.0f);
}

// The nearest crossing along any axis, and the distance of the plane through the nearest of each.
typedef struct Crossings {
    float nearest, plane;
} Crossings;

static Crossings find_crossings(const float *at, int dimension)
{
    float nearest_of_all = INFINITY, squares = 0.0f;
    for (int a = 0; a < dimension; a++) {
        float share = INFINITY;
        for (int step = -stride[a]; step <= stride[a]; step += 2 * stride[a])
            if ((at[0] < 0.0f) != (at[step] < 0.0f))
                share = bw_smaller(share, crossing(at[-step], at[0], at[step], at[2 * step]));
        nearest_of_all = bw_smaller(nearest_of_all, share);
        squares += 1.0f / bw_larger(share * share, nearest * nearest);
    }
    return (Crossings){nearest_of_all, 1.0f / sqrtf(squares)};
}

typedef struct Parabola {
    float value, slope[3], curvature[3][3];
} Parabola;

static Parabola parabola_at(const float *at, int dimension)
{
    Parabola parabola = {.value = at[0]};
    for (int a = 0; a < dimension; a++) {
        int s = stride[a];
        parabola.slope[a] = 0.5f * (at[s] - at[-s]);
        parabola.curvature[a][a] = at[s] - 2.0f * at[0] + at[-s];
        for (int b = 0; b < a; b++) {
            int t = stride[b];
            parabola.curvature[a][b] = parabola.curvature[b][a] =
                0.25f * (at[s + t] - at[s - t] - at[t - s] + at[-s - t]);
        }
    }
    return parabola;
}

// The distance of the parabola's zero set; INFINITY where none is found nearby.
static float parabola_distance(const Parabola *parabola, int dimension)
{
    float d[3] = {0.0f};
    for (int step = 0; step < STEPS; step++) {
        float value = parabola->value, along = 0.0f, square = 0.0f, normal[3];
        for (int a = 0; a < dimension; a++) {
            float bend = 0.0f;
            for (int b = 0; b < dimension; b++)
                bend += parabola->curvature[a][b] * d[b];
            normal[a] = parabola->slope[a] + bend;
            value += d[a] * (parabola->slope[a] + 0.5f * bend);
            along += d[a] * normal[a];
            square += normal[a] * normal[a];
        }
        float by = (along - value) / square, length = 0.0f, change = 0.0f;
        for (int a = 0; a < dimension; a++) {
            float next = by * normal[a];
            change += (next - d[a]) * (next - d[a]);
            length += next * next;
            d[a] = next;
        }
        if (!(length < farthest * farthest))
            return INFINITY;
        if (change < last_step * last_step)
            return sqrtf(length);
    }
    return INFINITY;
}

// In cells, of a cell of a block; its zero set is near.
static float measure_cell(const float *at, int dimension)
{
    Crossings crossings = find_crossings(at, dimension);
    Parabola parabola = parabola_at(at, dimension);
    float distance = parabola_distance(&parabola, dimension);
    if (distance == INFINITY)
        distance = crossings.plane;
    return bw_larger(bw_smaller(distance, crossings.nearest), nearest);
}

static void mark_inside_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *phi = bw_field_tile(job->phi, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t inside = 0;
            for (int n = 0; n < BW_TILE_LAYER; n++)
                inside |= (uint64_t)(phi[BW_TILE_LAYER * k + n] < 0.0f) << n;
            bw_mask_tile(&job->distance->front, slot)[k] = inside;
        }
    }
}

// The cells of a layer beside one of the other sign.
static uint64_t surface_bits(const BwDistanceJob *job, int32_t slot, int k)
{
    const BwGrid *grid = job->grid;
    uint64_t own = bw_mask_tile(&job->distance->front, slot)[k], differs = 0;
    for (int side = 0; side < 2 * grid->dimension; side++)
        differs |= (own ^ bw_bits_beside(grid, &job->distance->front, slot, side, k)) &
                   bw_bits_beside(grid, job->valid, slot, side, k);
    return differs & bw_words(grid, job->valid, slot)[k];
}

static void measure_tile(const BwDistanceJob *job, int32_t slot)
{
    const BwGrid *grid = job->grid;
    float block[BW_BLOCK_CELLS], *next = bw_field_tile(&job->distance->next, slot);
    bw_block_gather(job->phi, slot, block);
    bw_block_extrapolate(job->phi, slot, block);
    const float *origin = block + bw_block_origin(grid), *phi = bw_field_tile(job->phi, slot);
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t bits = bw_mask_tile(&job->distance->known, slot)[k]; bits != 0; bits &= bits - 1) {
            int n = __builtin_ctzll(bits), cell = BW_TILE_LAYER * k + n;
            const float *at = origin + (n & 7) + BW_BLOCK * (n >> 3) + BW_BLOCK_LAYER * k;
            next[cell] = copysignf(job->h * measure_cell(at, grid->dimension), phi[cell]);
        }
}

static void measure_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwDistanceJob *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t any = 0;
        for (int k = 0; k < job->grid->layers; k++)
            any |= bw_mask_tile(&job->distance->known, slot)[k] = surface_bits(job, slot, k);
        if (any != 0)
            measure_tile(job, slot);
    }
}

static uint64_t known_bits(const BwDistanceJob *job, int32_t slot, int k)
{
    return bw_mask_tile(&job->distance->known, slot)[k];
}

void bw_distance_measure(BwDistanceJob *job)
{
    int32_t count = job->grid->tile_count;
    bw_parallel_for(job->pool, count, 32, mark_inside_range, job);
    bw_parallel_for(job->pool, count, 8, measure_range, job);
    bw_distance_take(job, known_bits);
}
