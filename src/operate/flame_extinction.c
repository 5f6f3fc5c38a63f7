// Loops over the cells near the front.
#include "operate/flame_extinction.h"

#include "base/extremes.h"
#include "operate/front_block.h"

#include <math.h>

// The nearest gas behind the front, in cells, that can be looked at without the cold fuel before it: samples
// around a place reach a cell's diagonal. And the least depth.
static const float touch_cells = 1.75f, depth_cells_min = 2.0f;

// A flame that begins has air behind it: it has this many times as long as products take to get that far, for
// they push the air before them and slow down.
static const float patience = 6.0f;

typedef struct Lit {
    const BwDomain *domain;
    const BwField *phi, *from;
    BwField *to;
    const BwVelocity *front;
    const BwFlameLaw *law;
    float dt, value;
    bool has_value;
} Lit;

// The front's nearest place to a cell, in cells from the first of its tile, and the normal out of the fuel.
typedef struct Foot {
    float place[3], normal[3];
} Foot;

static bool find_foot(const BwGrid *grid, const float *at, int n, Foot *foot)
{
    const int *stride = bw_front_stride;
    float square = 0.0f, cells = at[0] / grid->cell_size;
    for (int a = 0; a < 3; a++) {
        foot->normal[a] = a < grid->dimension ? at[stride[a]] - at[-stride[a]] : 0.0f;
        square += foot->normal[a] * foot->normal[a];
    }
    if (!(square > 0.0f))
        return false;
    float scale = 1.0f / sqrtf(square);
    for (int a = 0; a < 3; a++) {
        foot->normal[a] *= scale;
        foot->place[a] =
            a < grid->dimension ? (float)(n >> 3 * a & 7) + 0.5f - cells * foot->normal[a] : 0.5f;
    }
    return true;
}

// A tile of phi with cells around it; false where no front is near.
static bool gather_front(const BwField *phi, int32_t slot, float block[BW_BLOCK_CELLS])
{
    const BwGrid *grid = phi->store.grid;
    bool is_near = bw_front_is_near(grid, bw_field_tile(phi, slot));
    if (is_near)
        bw_block_gather(phi, slot, block);
    return is_near;
}

static float advected_at(const Lit *job, int32_t slot, const Foot *foot)
{
    const BwGrid *grid = job->domain->grid;
    float back[3], lit = 1.0f, scale = job->dt / grid->cell_size;
    for (int a = 0; a < 3; a++) {
        float u = 0.0f;
        if (a < grid->dimension)
            bw_sample_local(&job->front->u[a], NULL, slot, foot->place, &u);
        back[a] = foot->place[a] - scale * u;
    }
    bw_sample_local(job->from, NULL, slot, back, &lit);
    return lit;
}

static void advect_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lit *job = context;
    const BwGrid *grid = job->domain->grid;
    float block[BW_BLOCK_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        bool is_near = gather_front(job->phi, slot, block);
        float *to = bw_field_tile(job->to, slot);
        for (int n = 0; n < grid->tile_cells; n++) {
            Foot foot;
            bool has_foot =
                is_near && find_foot(grid, bw_cell_in_block(block + bw_block_origin(grid), n), n, &foot);
            to[n] = has_foot ? advected_at(job, slot, &foot) : 1.0f;
        }
    }
}

void bw_lit_advect(const BwDomain *domain, const BwField *phi, const BwVelocity *front, const BwField *from,
                   float dt, BwField *to)
{
    Lit job = {.domain = domain, .phi = phi, .from = from, .to = to, .front = front, .dt = dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, advect_range, &job);
}

// How far behind the front gas has to be hot, in cells.
static float depth_of(const BwFlameLaw *law, float h)
{
    return bw_larger(law->ratio * law->speed * law->quench / h, depth_cells_min);
}

// Temperature so far behind the front; false where there are no products, but a wall or other fuel.
static bool heat_behind(const Lit *job, int32_t slot, const Foot *foot, float cells, float *heat)
{
    float at[3], phi = 0.0f;
    for (int a = 0; a < 3; a++)
        at[a] = foot->place[a] + cells * foot->normal[a];
    bool is_there = bw_sample_local(job->phi, &job->domain->open, slot, at, &phi) &&
                    bw_sample_local(job->from, &job->domain->open, slot, at, heat);
    return is_there && phi > 0.5f * job->domain->grid->cell_size;
}

// Gas behind a front that is alight has to be hot at both places; one of them lights a front that is out.
static float updated(const Lit *job, int32_t slot, const Foot *foot, float lit)
{
    float h = job->domain->grid->cell_size, depth = depth_of(job->law, h), ignition = job->law->ignition;
    float near = 0.0f, deep = 0.0f;
    bool has_near = heat_behind(job, slot, foot, touch_cells, &near),
         has_deep = heat_behind(job, slot, foot, depth, &deep);
    if (!has_near && !has_deep)
        return lit;
    bool is_cold = (has_near && near < ignition) || (has_deep && deep < ignition),
         is_hot = (has_near && near >= ignition) || (has_deep && deep >= ignition);
    float transit = depth * h / (job->law->ratio * job->law->speed),
          change = 0.5f * job->dt / (patience * transit);
    if (bw_is_lit(lit) > 0.0f)
        return !is_cold ? bw_smaller(lit + change, 1.0f) : lit - change > 0.5f ? lit - change : 0.0f;
    return !is_hot ? bw_larger(lit - change, 0.0f) : lit + change < 0.5f ? lit + change : 1.0f;
}

static void update_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lit *job = context;
    const BwGrid *grid = job->domain->grid;
    float block[BW_BLOCK_CELLS];
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m];
        float *lit = bw_field_tile(job->to, slot);
        if (!gather_front(job->phi, slot, block))
            continue;
        for (int n = 0; n < grid->tile_cells; n++) {
            Foot foot;
            if (find_foot(grid, bw_cell_in_block(block + bw_block_origin(grid), n), n, &foot))
                lit[n] = updated(job, slot, &foot, lit[n]);
        }
    }
}

void bw_lit_update(const BwDomain *domain, const BwField *phi, const BwField *temperature,
                   const BwFlameLaw *law, float dt, BwField *lit)
{
    Lit job = {.domain = domain, .phi = phi, .from = temperature, .to = lit, .law = law, .dt = dt};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 8, update_range, &job);
}

// 0 where the front is out; elsewhere a value, or what is there.
static void mask_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Lit *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->domain->grid->order[m];
        const float *lit = bw_field_tile(job->from, slot);
        float *to = bw_field_tile(job->to, slot);
        for (int n = 0; n < job->domain->grid->tile_cells; n++)
            to[n] = (job->has_value ? job->value : to[n]) * bw_is_lit(lit[n]);
    }
}

void bw_lit_spread(const BwDomain *domain, const BwField *lit, float value, BwField *to)
{
    Lit job = {.domain = domain, .from = lit, .to = to, .value = value, .has_value = true};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, mask_range, &job);
}

void bw_lit_mask(const BwDomain *domain, const BwField *lit, BwField *field)
{
    Lit job = {.domain = domain, .from = lit, .to = field};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, mask_range, &job);
}
