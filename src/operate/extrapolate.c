// A layer reads only faces known before it and writes only others, so that the order of tiles does not
// matter.
#include "operate/extrapolate.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "domain/sides.h"
#include "domain/solid_faces.h"

// A face that is less open than this tells nothing of the flow beside it: little fluid passes it, at whatever
// speed.
static const float sliver_share = 0.3f;

BwResult bw_face_masks_create(BwFaceMasks *masks, BwGrid *grid, BwError *err)
{
    *masks = (BwFaceMasks){0};
    BwResult result = bw_notes_create(&masks->tiles, grid, err);
    for (int a = 0; a < grid->dimension && result == BW_OK; a++) {
        result = bw_mask_create(&masks->held[a], grid, err);
        if (result == BW_OK)
            result = bw_mask_create(&masks->known[a], grid, err);
        if (result == BW_OK)
            result = bw_mask_create(&masks->front[a], grid, err);
        if (result == BW_OK)
            result = bw_mask_create(&masks->fresh[a], grid, err);
        if (result == BW_OK)
            result = bw_mask_create(&masks->passable[a], grid, err);
        if (result == BW_OK)
            result = bw_mask_create(&masks->sliver[a], grid, err);
    }
    if (result != BW_OK)
        bw_face_masks_destroy(masks);
    return result;
}

void bw_face_masks_destroy(BwFaceMasks *masks)
{
    for (int a = 0; a < 3; a++) {
        bw_mask_destroy(&masks->held[a]);
        bw_mask_destroy(&masks->known[a]);
        bw_mask_destroy(&masks->front[a]);
        bw_mask_destroy(&masks->fresh[a]);
        bw_mask_destroy(&masks->passable[a]);
        bw_mask_destroy(&masks->sliver[a]);
    }
    bw_notes_destroy(&masks->tiles);
}

// Where layers start: what particles hold, what borders fluid too, or only what pressure may change.
typedef enum Start { START_HELD, START_HELD_AND_FLUID, START_FLUID } Start;

typedef struct Job {
    BwFaceMasks *masks;
    const BwDomain *domain;
    BwVelocity *velocity;
    const BwVelocity *before; // what is extended is the change since; NULL: the velocity
    Start start;
    float band;      // m; above 0: in the order of phi
    bool fades;      // a change does, above the surface
    bool is_led_on;  // a velocity goes on as it changes, where it else stays as it is
    float speed_max; // m/s, of far air
} Job;

// The faces of a layer that solids leave more open than that.
static uint64_t open_bits(const BwDomain *domain, int32_t slot, int axis, int k, float least)
{
    if (domain->cut == NULL || !bw_solids_are_near(domain->cut, slot))
        return ~(uint64_t)0;
    const float *share = bw_field_tile(&domain->cut->open[axis], slot) + BW_TILE_LAYER * k;
    uint64_t bits = 0;
    for (int n = 0; n < BW_TILE_LAYER; n++)
        bits |= (uint64_t)(share[n] > least) << n;
    return bits;
}

static void find_passable_layer(const Job *job, int32_t slot, int axis, int k)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t inside = grid->tiles[slot].live[k] & bw_bits_beside(grid, NULL, slot, 2 * axis, k);
    uint64_t passable = inside & open_bits(job->domain, slot, axis, k, 0.0f);
    bw_mask_tile(&job->masks->passable[axis], slot)[k] = passable;
    bw_mask_tile(&job->masks->sliver[axis], slot)[k] =
        passable & ~open_bits(job->domain, slot, axis, k, sliver_share);
}

static void find_passable(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                find_passable_layer(job, grid->order[n], a, k);
}

void bw_find_passable_faces(BwFaceMasks *masks, const BwDomain *domain)
{
    Job job = {.masks = masks, .domain = domain};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, find_passable, &job);
}

// What is known at the start is the first front.
static void begin_layers(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                const BwMask *faces = job->before != NULL ? job->domain->flow : job->domain->face;
                uint64_t fluid = bw_mask_tile(&faces[a], grid->order[n])[k],
                         held = bw_mask_tile(&job->masks->held[a], grid->order[n])[k];
                bw_mask_tile(&job->masks->known[a], grid->order[n])[k] = 0;
                bw_mask_tile(&job->masks->front[a], grid->order[n])[k] =
                    ((job->start != START_HELD ? fluid : 0) | (job->start != START_FLUID ? held : 0)) &
                    ~bw_mask_tile(&job->masks->sliver[a], grid->order[n])[k];
            }
}

// The velocity on the face beside one, or its change.
static float extended_beside(const Job *job, int32_t slot, int axis, int face, int side)
{
    float value = bw_value_beside(&job->velocity->u[axis], slot, face, side);
    return job->before != NULL ? value - bw_value_beside(&job->before->u[axis], slot, face, side) : value;
}

// phi on a face, between the two cells that it lies between.
static float phi_on_face(const Job *job, int32_t slot, int axis, int face)
{
    const BwField *phi = job->domain->terms->phi;
    return 0.5f * (bw_field_tile(phi, slot)[face] + bw_value_beside(phi, slot, face, 2 * axis));
}

// The part of what pressure does to the liquid that reaches a face above it: all of it within a cell of the
// surface, nothing half a cell farther.
static float support(const Job *job, int32_t slot, int axis, int face)
{
    float above = phi_on_face(job, slot, axis, face) / job->domain->grid->cell_size;
    return above <= 1.0f ? 1.0f : above >= 1.5f ? 0.0f : 3.0f - 2.0f * above;
}

// What a face gets of the mean of those beside it that are known.
static float extended(const Job *job, int32_t slot, int axis, int face, float mean)
{
    float own = bw_field_tile(&job->velocity->u[axis], slot)[face];
    if (job->before == NULL)
        return mean;
    return own + (job->fades ? support(job, slot, axis, face) : 1.0f) * mean;
}

// What the velocity beside a face comes to at it, if it goes on as it does from the face behind that one.
// Where that is not known it is the same.
static float led_on_from(const Job *job, int32_t slot, int axis, int face, int side)
{
    const BwGrid *grid = job->domain->grid;
    int next = face;
    int32_t beside = bw_cell_beside(grid, slot, &next, side);
    float value = bw_field_tile(&job->velocity->u[axis], beside)[next];
    int behind = next;
    int32_t far = bw_cell_beside(grid, beside, &behind, side);
    return far != 0 && bw_bit(bw_mask_tile(&job->masks->known[axis], far), behind)
               ? 2.0f * value - bw_field_tile(&job->velocity->u[axis], far)[behind]
               : value;
}

static void extend_layer(const Job *job, int32_t slot, int axis, int k)
{
    const BwGrid *grid = job->domain->grid;
    const BwMask *known = &job->masks->known[axis];
    uint64_t wanted = bw_mask_tile(&job->masks->passable[axis], slot)[k] & ~bw_mask_tile(known, slot)[k];
    if (job->before != NULL)
        wanted &= bw_mask_tile(&job->masks->held[axis], slot)[k] &
                  ~bw_mask_tile(&job->domain->flow[axis], slot)[k] & // those have had their pressure
                  ~bw_mask_tile(&job->domain->inflow, slot)[k] &     // and these keep what they are given
                  ~bw_bits_beside(grid, &job->domain->inflow, slot, 2 * axis, k);
    uint64_t beside[6] = {0}, reached = 0;
    for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++)
        reached |= beside[side] = bw_bits_beside(grid, known, slot, side, k);
    bw_mask_tile(&job->masks->front[axis], slot)[k] = wanted & reached;
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits), face = BW_TILE_LAYER * k + index, count = 0;
        float sum = 0.0f;
        for (int side = 0; side < 2 * grid->dimension; side++)
            if (beside[side] >> index & 1) {
                sum += job->is_led_on ? led_on_from(job, slot, axis, face, side)
                                      : extended_beside(job, slot, axis, face, side);
                count++;
            }
        bw_field_tile(&job->velocity->u[axis], slot)[face] =
            extended(job, slot, axis, face, sum / (float)count);
    }
}

static void extend(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++)
                extend_layer(job, grid->order[n], a, k);
}

// A face takes what the ones below it say, along each axis by how far below they are, once all of those are
// known: just as if faces were set one by one in the order of phi. Gives whether it can.
static bool descend(const Job *job, int32_t slot, int axis, int face, const uint64_t passable[6],
                    const uint64_t known[6])
{
    float own = phi_on_face(job, slot, axis, face), sum = 0.0f, weights = 0.0f;
    if (own > job->band)
        return false;
    for (int side = 0; side < 2 * job->domain->grid->dimension; side++) {
        int next = face;
        if (!(passable[side] >> (face & 63) & 1))
            continue;
        int32_t beside = bw_cell_beside(job->domain->grid, slot, &next, side);
        float below = own - phi_on_face(job, beside, axis, next);
        if (below <= 0.0f)
            continue;
        if (!(known[side] >> (face & 63) & 1))
            return false;
        sum += below * bw_field_tile(&job->velocity->u[axis], beside)[next];
        weights += below;
    }
    if (weights > 0.0f)
        bw_field_tile(&job->velocity->u[axis], slot)[face] = sum / weights;
    return weights > 0.0f;
}

static void descend_layer(const Job *job, int32_t slot, int axis, int k)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t wanted = bw_mask_tile(&job->masks->passable[axis], slot)[k] &
                      ~bw_mask_tile(&job->masks->known[axis], slot)[k],
             passable[6] = {0}, known[6] = {0}, reached = 0, set = 0;
    for (int side = 0; side < 2 * grid->dimension && wanted != 0; side++) {
        known[side] = bw_bits_beside(grid, &job->masks->known[axis], slot, side, k);
        reached |= bw_bits_beside(grid, &job->masks->fresh[axis], slot, side, k);
        passable[side] = bw_bits_beside(grid, &job->masks->passable[axis], slot, side, k);
    }
    for (uint64_t bits = wanted & reached; bits != 0; bits &= bits - 1) {
        int index = __builtin_ctzll(bits);
        if (descend(job, slot, axis, BW_TILE_LAYER * k + index, passable, known))
            set |= (uint64_t)1 << index;
    }
    bw_mask_tile(&job->masks->front[axis], slot)[k] = set;
}

// Of each axis a bit: a tile has fresh faces across it, or one beside it has. Only a face beside a fresh one
// may have become ready.
static uint64_t fresh_around(const Job *job, int32_t slot)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t fresh = *bw_note(&job->masks->tiles, slot);
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int way = side % 2 == 0 ? -1 : 1, axis = side / 2;
        int32_t beside =
            grid->tiles[slot]
                .neighbour[bw_neighbour(way * (axis == 0), way * (axis == 1), way * (axis == 2))];
        fresh |= beside != 0 ? *bw_note(&job->masks->tiles, beside) : 0;
    }
    return fresh;
}

// Gives 1 where a face was set.
static double descend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    uint64_t any = 0;
    for (int64_t n = begin; n < end; n++) {
        uint64_t fresh = fresh_around(job, grid->order[n]);
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                if (fresh >> a & 1)
                    descend_layer(job, grid->order[n], a, k);
                else
                    bw_mask_tile(&job->masks->front[a], grid->order[n])[k] = 0;
                any |= bw_mask_tile(&job->masks->front[a], grid->order[n])[k];
            }
    }
    return any != 0;
}

static void join_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++) {
        uint64_t fresh = 0;
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                uint64_t front = bw_mask_tile(&job->masks->front[a], grid->order[n])[k];
                bw_mask_tile(&job->masks->known[a], grid->order[n])[k] |= front;
                bw_mask_tile(&job->masks->fresh[a], grid->order[n])[k] = front;
                fresh |= (uint64_t)(front != 0) << a;
            }
        *bw_note(&job->masks->tiles, grid->order[n]) = fresh;
    }
}

static void join_front(Job *job)
{
    bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 64, join_range, job);
}

static void run(Job *job, int layers)
{
    const BwDomain *domain = job->domain;
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, begin_layers, job);
    join_front(job);
    while (job->band > 0.0f &&
           bw_parallel_max(domain->pool, domain->grid->tile_count, 16, descend_range, job) > 0.0)
        join_front(job);
    for (int n = 0; n < layers; n++) {
        bw_parallel_for(domain->pool, domain->grid->tile_count, 16, extend, job);
        join_front(job);
    }
}

void bw_extrapolate_change(BwFaceMasks *masks, const BwDomain *domain, const BwVelocity *before,
                           BwVelocity *velocity, int layers, bool fades)
{
    Job job = {.masks = masks,
               .domain = domain,
               .velocity = velocity,
               .before = before,
               .start = START_FLUID,
               .fades = fades};
    run(&job, layers);
}

void bw_extrapolate_to_loose(BwFaceMasks *masks, const BwDomain *domain, BwVelocity *velocity, int layers)
{
    Job job = {
        .masks = masks, .domain = domain, .velocity = velocity, .start = START_FLUID, .is_led_on = true};
    run(&job, layers);
}

// The face of a cell outside, beside a low side, that lies in the side itself, takes that of the one next to
// it. Nothing solves for it, nor drives it.
static void continue_face(const Job *job, int32_t slot, int axis, int face)
{
    const BwGrid *grid = job->domain->grid;
    BwVec3 place = bw_sample_position(grid, grid->tiles[slot].coord, face, (BwLocation)(BW_AT_FACE_X + axis));
    int next = face;
    int32_t beside = bw_cell_beside(grid, slot, &next, 2 * axis + 1);
    if (beside != 0 && bw_bit(bw_mask_tile(&job->masks->known[axis], beside), next) &&
        bw_box_side_holds(&job->domain->side[2 * axis], grid, place))
        bw_field_tile(&job->velocity->u[axis], slot)[face] =
            bw_field_tile(&job->velocity->u[axis], beside)[next];
}

static void continue_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++)
        for (int a = 0; a < grid->dimension; a++) {
            int32_t slot = grid->order[m], first[3];
            bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
            int at = grid->bounds.low[a] - first[a];
            if (!bw_side_lets_air_in(&job->domain->side[2 * a]) || grid->period[a] != 0 || at < 0 ||
                at >= BW_TILE)
                continue;
            for (int n = 0; n < grid->tile_cells; n++)
                if ((n >> (3 * a) & 7) == at && bw_bit(grid->tiles[slot].live, n))
                    continue_face(job, slot, a, n);
        }
}

// What leaves by an open side goes on as fast: through low sides as well as through high ones, beyond which
// there are no faces and the last are read (grid/block.h).
static void continue_outwards(Job *job)
{
    if (job->domain->grid->has_bounds)
        bw_parallel_for(job->domain->pool, job->domain->grid->tile_count, 64, continue_range, job);
}

void bw_extrapolate(BwFaceMasks *masks, const BwDomain *domain, BwExtrapolation extrapolation,
                    BwVelocity *velocity)
{
    Job job = {.masks = masks,
               .domain = domain,
               .velocity = velocity,
               .start = extrapolation.from == BW_FROM_FLUID ? START_HELD_AND_FLUID : START_HELD,
               .band = extrapolation.band};
    run(&job, extrapolation.layers);
    if (!extrapolation.stays)
        continue_outwards(&job);
}

static void slow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            for (int k = 0; k < grid->layers; k++) {
                int32_t slot = grid->order[n];
                float *u = bw_field_tile(&job->velocity->u[a], slot) + BW_TILE_LAYER * k;
                uint64_t far = bw_mask_tile(&job->masks->passable[a], slot)[k] &
                               ~bw_mask_tile(&job->masks->known[a], slot)[k];
                for (; far != 0; far &= far - 1)
                    u[__builtin_ctzll(far)] =
                        bw_smaller(bw_larger(u[__builtin_ctzll(far)], -job->speed_max), job->speed_max);
            }
}

void bw_slow_far_air(BwFaceMasks *masks, const BwDomain *domain, BwVelocity *velocity)
{
    Job job = {.masks = masks,
               .domain = domain,
               .velocity = velocity,
               .speed_max = bw_velocity_max(domain, velocity)};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, slow_range, &job);
}
