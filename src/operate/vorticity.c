// Vorticity confinement in three passes: curl at the cells, force at the cells, force averaged to the faces.
// Only cells whose neighbours are all fluid have a curl, so walls and the rim of the smoke make none.
#include "operate/vorticity.h"

#include <math.h>

typedef struct Job {
    const BwDomain *domain;
    BwVelocity *velocity;
    const BwVorticityScratch *scratch;
    float epsilon, dt;
} Job;

// Reads around a cell by its index in the tile, through the linked neighbours.
typedef struct Reader {
    const BwGrid *grid;
    const int32_t *neighbour;
} Reader;

static float value_at(const Reader *reader, const BwField *field, int c, int dx, int dy, int dz)
{
    int i = (c & 7) + dx, j = (c >> 3 & 7) + dy, k = (c >> 6) + dz;
    int flat = reader->grid->layers == 1;
    int link = bw_neighbour(i >> 3, j >> 3, flat ? 0 : k >> 3);
    int index = (i & 7) + 8 * (j & 7) + (flat ? 0 : 64 * (k & 7));
    return bw_field_tile(field, reader->neighbour[link])[index];
}

// A component of the velocity in the middle of the cell at an offset: the mean of its two faces.
static float middle(const Reader *reader, const BwVelocity *velocity, int axis, int c, int dx, int dy, int dz)
{
    const BwField *u = &velocity->u[axis];
    float low = value_at(reader, u, c, dx, dy, dz);
    float high = value_at(reader, u, c, dx + (axis == 0), dy + (axis == 1), dz + (axis == 2));
    return 0.5f * (low + high);
}

// Central difference over two cells of component `of` along axis `along`, times 2 h.
static float slope(const Reader *reader, const BwVelocity *velocity, int of, int along, int c)
{
    int x = along == 0, y = along == 1, z = along == 2;
    return middle(reader, velocity, of, c, x, y, z) - middle(reader, velocity, of, c, -x, -y, -z);
}

// The cells of a layer whose neighbours are all fluid.
static uint64_t inner_cells(const BwDomain *domain, int32_t slot, int k)
{
    uint64_t inner = bw_mask_tile(&domain->fluid, slot)[k];
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        inner &= bw_bits_beside(domain->grid, &domain->fluid, slot, side, k);
    return inner;
}

// Curl of one cell: component a is d u_d / d x_b - d u_b / d x_d, with a, b, d in cyclic order.
static float curl_component(const Reader *reader, const BwVelocity *velocity, int a, int c)
{
    int b = (a + 1) % 3, d = (a + 2) % 3;
    float scale = 0.5f / reader->grid->cell_size;
    return scale * (slope(reader, velocity, d, b, c) - slope(reader, velocity, b, d, c));
}

static void curl_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        Reader reader = {grid, grid->tiles[slot].neighbour};
        float *curl[3], *length = bw_field_tile(job->scratch->length, slot);
        uint64_t inner = 0;
        for (int a = 0; a < 3; a++)
            curl[a] = bw_field_tile(job->scratch->vector[a], slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            if ((c & 63) == 0)
                inner = inner_cells(job->domain, slot, c >> 6);
            bool is_inner = inner >> (c & 63) & 1;
            for (int a = 0; a < 3; a++) {
                bool has_turn = is_inner && (grid->dimension == 3 || a == 2);
                curl[a][c] = has_turn ? curl_component(&reader, job->velocity, a, c) : 0.0f;
            }
            length[c] = sqrtf(curl[0][c] * curl[0][c] + curl[1][c] * curl[1][c] + curl[2][c] * curl[2][c]);
        }
    }
}

// Turns the curl into the force, in place: it needs no other cell's curl, only the slope of the length.
static void force_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    float strength = job->epsilon * grid->cell_size;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        Reader reader = {grid, grid->tiles[slot].neighbour};
        float *vector[3];
        for (int a = 0; a < 3; a++)
            vector[a] = bw_field_tile(job->scratch->vector[a], slot);
        for (int c = 0; c < grid->tile_cells; c++) {
            BwVec3 curl = {vector[0][c], vector[1][c], vector[2][c]}, slope_of_length = {0.0f, 0.0f, 0.0f};
            if (curl.x != 0.0f || curl.y != 0.0f || curl.z != 0.0f) {
                const BwField *length = job->scratch->length;
                slope_of_length.x =
                    value_at(&reader, length, c, 1, 0, 0) - value_at(&reader, length, c, -1, 0, 0);
                slope_of_length.y =
                    value_at(&reader, length, c, 0, 1, 0) - value_at(&reader, length, c, 0, -1, 0);
                if (grid->dimension == 3)
                    slope_of_length.z =
                        value_at(&reader, length, c, 0, 0, 1) - value_at(&reader, length, c, 0, 0, -1);
            }
            BwVec3 force = bw_mul(bw_cross(bw_normalize(slope_of_length), curl), strength);
            vector[0][c] = force.x;
            vector[1][c] = force.y;
            vector[2][c] = force.z;
        }
    }
}

static void apply_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        Reader reader = {grid, grid->tiles[slot].neighbour};
        for (int a = 0; a < grid->dimension; a++) {
            const BwField *force = job->scratch->vector[a];
            const uint64_t *flow = bw_mask_tile(&job->domain->flow[a], slot);
            float *u = bw_field_tile(&job->velocity->u[a], slot);
            for (int c = 0; c < grid->tile_cells; c++) {
                float sum = value_at(&reader, force, c, 0, 0, 0) +
                            value_at(&reader, force, c, -(a == 0), -(a == 1), -(a == 2));
                u[c] += bw_bit(flow, c) ? 0.5f * job->dt * sum : 0.0f;
            }
        }
    }
}

void bw_confine_vorticity(const BwDomain *domain, BwVelocity *velocity, const BwVorticityScratch *scratch,
                          float epsilon, float dt)
{
    Job job = {domain, velocity, scratch, epsilon, dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, curl_range, &job);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, force_range, &job);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, apply_range, &job);
}
