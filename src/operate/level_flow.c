// A cell is done when all cells beside it that are nearer to the surface are. A face between two cells is set
// by the nearer one, so no two cells set the same, and the order of tiles does not matter.
#include "operate/level_flow.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "domain/solid_faces.h"

// Of a cell's side: the rise of phi over it that counts at least, all sides of a cell together.
static const float rise_min = 0.25f;

// No face above the surface gets faster than this many times the fastest in the liquid.
static const float excess_max = 2.0f;

BwResult bw_level_flow_create(BwLevelFlow *flow, BwGrid *grid, BwError *err)
{
    *flow = (BwLevelFlow){0};
    BW_TRY(bw_mask_create(&flow->done, grid, err));
    return bw_mask_create(&flow->front, grid, err);
}

void bw_level_flow_destroy(BwLevelFlow *flow)
{
    bw_mask_destroy(&flow->done);
    bw_mask_destroy(&flow->front);
}

typedef struct Job {
    BwLevelFlow *flow;
    const BwFaceMasks *faces;
    const BwDomain *domain;
    const BwGrid *grid;
    const BwField *phi;
    float far, speed_max;
    BwVelocity *velocity;
} Job;

static void begin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->flow->done, job->grid->order[m])[k] =
                bw_mask_tile(&job->domain->fluid, job->grid->order[m])[k];
}

// A face of a cell: that of one of its sides.
typedef struct Face {
    float *value; // m/s; NULL: there is none that may be set
    float rise;   // m, of phi, over it
} Face;

static Face face_of(const Job *job, int32_t slot, int cell, int side)
{
    int next = cell, axis = side / 2;
    int32_t beside = bw_cell_beside(job->grid, slot, &next, side);
    int32_t tile = side % 2 == 0 ? slot : beside;
    int index = side % 2 == 0 ? cell : next;
    Face face = {NULL, 0.0f};
    if (beside == 0)
        return face;
    face.rise = bw_field_tile(job->phi, beside)[next] - bw_field_tile(job->phi, slot)[cell];
    if (bw_bit(bw_mask_tile(&job->faces->passable[axis], tile), index) &&
        !bw_bit(bw_mask_tile(&job->domain->face[axis], tile), index))
        face.value = &bw_field_tile(&job->velocity->u[axis], tile)[index];
    return face;
}

// What flows out of a cell in all, m/s.
static float outflow(const Job *job, int32_t slot, int cell)
{
    float sum = 0.0f;
    for (int a = 0; a < job->grid->dimension; a++)
        sum += bw_value_beside(&job->velocity->u[a], slot, cell, 2 * a + 1) -
               bw_field_tile(&job->velocity->u[a], slot)[cell];
    return sum;
}

// Gives whether the cells nearer to the surface are done.
static bool is_ready(const Job *job, int32_t slot, int cell, const uint64_t done[6])
{
    float own = bw_field_tile(job->phi, slot)[cell];
    bool has_lower = false;
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        bool is_lower = bw_value_beside(job->phi, slot, cell, side) < own;
        if (is_lower && !(done[side] >> (cell & 63) & 1))
            return false;
        has_lower |= is_lower;
    }
    return has_lower;
}

// Lets out of a cell what comes in, over the faces that lead up, by how much they do. Where bodies of liquid
// come together what is between them runs out along the ridge of phi, as in a river bed, and would get ever
// faster there.
static void let_out(const Job *job, int32_t slot, int cell)
{
    Face faces[6];
    float rises = 0.0f, out = outflow(job, slot, cell);
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        faces[side] = face_of(job, slot, cell, side);
        rises += faces[side].value != NULL ? bw_larger(faces[side].rise, 0.0f) : 0.0f;
    }
    if (rises < rise_min * job->grid->cell_size)
        return;
    for (int side = 0; side < 2 * job->grid->dimension; side++)
        if (faces[side].value != NULL && faces[side].rise > 0.0f)
            *faces[side].value = bw_smaller(
                bw_larger(*faces[side].value + (side % 2 == 0 ? out : -out) * faces[side].rise / rises,
                          -job->speed_max),
                job->speed_max);
}

static uint64_t near_bits(const Job *job, int32_t slot, int k)
{
    const float *phi = bw_field_tile(job->phi, slot) + BW_TILE_LAYER * k;
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(phi[n] < job->far) << n;
    return bits & job->grid->tiles[slot].live[k] & ~bw_mask_tile(&job->flow->done, slot)[k];
}

// Gives 1 where a cell was done.
static double round_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    uint64_t any = 0;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t done[6] = {0}, reached = 0, wanted = near_bits(job, slot, k), ready = 0;
            bool is_cut = job->domain->cut != NULL && bw_solids_are_near(job->domain->cut, slot);
            for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++)
                reached |= done[side] = bw_bits_beside(grid, &job->flow->done, slot, side, k);
            for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
                int index = __builtin_ctzll(bits), cell = BW_TILE_LAYER * k + index;
                if (!is_ready(job, slot, cell, done))
                    continue;
                if (!is_cut)
                    let_out(job, slot, cell);
                ready |= (uint64_t)1 << index;
            }
            bw_mask_tile(&job->flow->front, slot)[k] = ready;
            any |= ready;
        }
    return any != 0;
}

void bw_level_flow_out(BwLevelFlow *flow, const BwFaceMasks *faces, const BwDomain *domain, float far,
                       BwVelocity *velocity)
{
    float fastest = excess_max * bw_velocity_max(domain, velocity);
    Job job = {flow, faces, domain, domain->grid, domain->terms->phi, far, fastest, velocity};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, begin_range, &job);
    while (bw_parallel_max(domain->pool, domain->grid->tile_count, 16, round_range, &job) > 0.0)
        bw_mask_join(&flow->done, &flow->front);
}
