// A tile's particles read the velocity from padded blocks (grid/block.h), a group of them at a time
// (particle/advance_lanes.h). Particles whose paths lead out of the blocks, where the grid itself is read, or
// to a side of the box go alone, by the same formulas.
#include "particle/advance.h"

#include "base/extremes.h"
#include "particle/loose_particles.h"

#include <math.h>

enum { ROUNDS_MAX = 4 };

// How far particles are pushed off solids that crowd beside them, in cells.
static const float push_off_cells = 0.25f;

// Seldom, and long: not inlined.
__attribute__((noinline)) float bw_component_far(const BwAdvanceAround *around, int axis, int32_t slot,
                                                 const float place[3])
{
    float value = 0.0f;
    bw_sample_local(&around->velocity->u[axis], NULL, slot, place, &value);
    return value;
}

static void look_around(BwAdvanceAround *around, const BwVelocity *velocity, int32_t slot)
{
    around->velocity = velocity;
    for (int a = 0; a < velocity->u[0].store.grid->dimension; a++)
        bw_block_gather(&velocity->u[a], slot, around->blocks.component[a]);
}

// Where a particle takes its velocity from: its place; but in a cell beside a side that lets go, which is no
// part of the liquid, the far face of that cell, where the velocity there leads away. Gives whether it is
// another place.
BW_FOR_AXES bool come_off(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                          float place[3])
{
    const BwGrid *grid = job->grid;
    const BwAdvance *advance = job->advance;
    int32_t first[3];
    bool has_come_off = false;
    if (advance->lets_go == 0 ||
        bw_bit(bw_mask_tile(advance->liquid, slot), bw_particle_cell_at(grid, place)))
        return false;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int side = 0; side < 2 * axes; side++) {
        int a = side / 2;
        float slope[3], far_face = (float)(side % 2 == 0 ? grid->bounds.low[a] - first[a] + 1
                                                         : grid->bounds.high[a] - first[a] - 1);
        float way = side % 2 == 0 ? 1.0f : -1.0f, at[3] = {place[0], place[1], place[2]};
        at[a] = far_face;
        if (!(advance->lets_go >> side & 1) || way * (far_face - place[a]) <= 0.0f ||
            way * bw_component_at(&scratch->velocity, a, axes, slot, at, slope) <= 0.0f)
            continue;
        place[a] = far_face;
        has_come_off = true;
    }
    return has_come_off;
}

// The particle's new velocity.
BW_FOR_AXES void take_velocity(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                               int32_t slot, int64_t n, const float place[3])
{
    float *const *column = job->particles->column, from[3] = {place[0], place[1], place[2]};
    const BwAdvance *advance = job->advance;
    come_off(job, scratch, axes, slot, from);
    for (int a = 0; a < axes; a++) {
        float slope[3], unused[3];
        float speed = bw_component_at(&scratch->velocity, a, axes, slot, from, slope);
        if (advance->before != NULL) {
            float change = speed - bw_component_at(&scratch->before, a, axes, slot, from, unused);
            speed += advance->flip * (column[BW_PARTICLE_U + a][n] + change - speed);
        }
        column[BW_PARTICLE_U + a][n] = speed;
        for (int b = 0; b < axes && job->particles->has_gradient; b++)
            column[BW_PARTICLE_UX + 3 * a + b][n] = slope[b];
    }
}

// The velocity that paths follow at a place, times `scale`.
BW_FOR_AXES void motion_at(const BwAdvanceScratch *scratch, int axes, int32_t slot, const float place[3],
                           float scale, float way[3])
{
    float unused[3];
    for (int a = 0; a < axes; a++)
        way[a] = scale * bw_component_at(&scratch->path, a, axes, slot, place, unused);
}

// One part of a step, `scale` seconds over the size of a cell: Ralston's method of order three.
BW_FOR_AXES void move_part(const BwAdvanceScratch *scratch, int axes, int32_t slot, float place[3],
                           const float first[3], float scale)
{
    float second[3] = {0}, third[3] = {0}, at[3] = {0};
    for (int a = 0; a < axes; a++)
        at[a] = place[a] + 0.5f * first[a];
    motion_at(scratch, axes, slot, at, scale, second);
    for (int a = 0; a < axes; a++)
        at[a] = place[a] + 0.75f * second[a];
    motion_at(scratch, axes, slot, at, scale, third);
    for (int a = 0; a < axes; a++)
        place[a] += (2.0f * first[a] + 3.0f * second[a] + 4.0f * third[a]) * (1.0f / 9.0f);
}

static void clear_gradient(BwParticles *particles, int component, int64_t n)
{
    for (int b = 0; b < particles->grid->dimension && particles->has_gradient; b++)
        particles->column[BW_PARTICLE_UX + 3 * component + b][n] = 0.0f;
}

// After a particle met a side of the box: nothing leads on along those axes.
static void stop_at_sides(BwParticles *particles, unsigned met, int64_t n)
{
    for (int a = 0; a < particles->grid->dimension; a++) {
        if (!(met >> a & 1))
            continue;
        particles->column[BW_PARTICLE_U + a][n] = 0.0f;
        clear_gradient(particles, a, n);
    }
}

// After it met a solid: what leads into it is taken off.
static void stop_at_solid(BwParticles *particles, const BwParticleContact *contact, float dt, int64_t n)
{
    int axes = particles->grid->dimension;
    float into = 0.0f;
    for (int a = 0; a < axes; a++)
        into += bw_component(contact->normal, a) *
                (particles->column[BW_PARTICLE_U + a][n] - bw_component(contact->displacement, a) / dt);
    for (int a = 0; a < axes; a++) {
        if (into < 0.0f)
            particles->column[BW_PARTICLE_U + a][n] -= into * bw_component(contact->normal, a);
        clear_gradient(particles, a, n);
    }
}

// A particle that solids held up is no faster than it got on: else gravity would go on to speed it up in a
// corner.
static void slow_to_way(const BwAdvanceJob *job, int64_t n, const float start[3], const float place[3])
{
    float way = 0.0f, speed = 0.0f;
    for (int a = 0; a < job->grid->dimension; a++) {
        float u = job->particles->column[BW_PARTICLE_U + a][n];
        way += (place[a] - start[a]) * (place[a] - start[a]);
        speed += u * u;
    }
    float most = sqrtf(way) / job->cells_per_speed;
    for (int a = 0; a < job->grid->dimension && speed > most * most; a++)
        job->particles->column[BW_PARTICLE_U + a][n] *= most / sqrtf(speed);
}

// Past solids, and within the box: a solid may push a particle through a side, and the side back into the
// solid. One that finds no way out between them stays where it was. Gives the sides that were in the way.
static unsigned pass_solids(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int32_t slot, int64_t n,
                            const float start[3], float place[3])
{
    unsigned met = 0, last = 0;
    bool has_velocity =
        job->advance->velocity != NULL; // else it moves for other reasons, which do not stop it
    BwParticleContact contact;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (!bw_collide(&scratch->collider, start, place, &contact))
            return met;
        if (has_velocity)
            stop_at_solid(job->particles, &contact, job->advance->dt, n);
        last = bw_keep_in_box(&job->advance->collision, job->grid, slot, place);
        met |= last;
        if (last == 0)
            break;
    }
    for (int a = 0; a < 3 && last != 0; a++)
        place[a] = start[a];
    if (has_velocity)
        slow_to_way(job, n, start, place);
    return met;
}

// What moves a particle besides the velocity is that of its place at the start: on its way it would read what
// is meant for others.
BW_FOR_AXES void shift(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                       float place[3])
{
    float at[3] = {place[0], place[1], place[2]}, unused[3];
    for (int a = 0; a < axes; a++)
        place[a] += job->cells_per_speed * bw_component_at(&scratch->shift, a, axes, slot, at, unused);
}

// Along the velocity, in as many parts as it asks for. Gives the sides of the box that were in the way.
BW_FOR_AXES unsigned follow(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                            float place[3])
{
    float way[3] = {0}, longest = 0.0f;
    unsigned met = 0;
    motion_at(scratch, axes, slot, place, job->cells_per_speed, way);
    for (int a = 0; a < axes; a++)
        longest = bw_larger(longest, fabsf(way[a]));
    int parts = longest > BW_PATH_PART_CELLS
                    ? (int)bw_smaller(ceilf(longest / BW_PATH_PART_CELLS), BW_PATH_PARTS_MAX)
                    : 1;
    float scale = job->cells_per_speed / (float)parts;
    for (int part = 0; part < parts; part++) {
        if (part > 0 || parts > 1)
            motion_at(scratch, axes, slot, place, scale, way);
        move_part(scratch, axes, slot, place, way, scale);
        met |= bw_keep_in_box(&job->advance->collision, job->grid, slot, place);
    }
    return met;
}

// The way straight on by the velocity at a place, cells; gives how straight that is.
BW_FOR_AXES float way_ahead(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                            const float place[3], float way[3])
{
    float differences = 0.0f, slope[3] = {0};
    for (int a = 0; a < axes; a++) {
        way[a] = job->cells_per_speed * bw_component_at(&scratch->velocity, a, axes, slot, place, slope);
        for (int b = 0; b < axes; b++)
            differences += slope[b] * slope[b];
    }
    return bw_straightness(job->cells_per_speed * job->cells_per_speed * differences);
}

// Straight on by the velocity at the start, along the velocity, or in between. Gives the sides of the box
// that were in the way.
BW_FOR_AXES unsigned go(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                        const float start[3], float place[3])
{
    float way[3] = {0}, ahead[3], from[3] = {start[0], start[1], start[2]};
    unsigned met = 0;
    bool has_come_off = come_off(job, scratch, axes, slot, from);
    float straightness = way_ahead(job, scratch, axes, slot, from, way);
    if (has_come_off || job->advance->is_curved)
        straightness = has_come_off ? 1.0f : 0.0f;
    for (int a = 0; a < 3; a++)
        ahead[a] = place[a] + way[a];
    if (!(straightness >= 1.0f))
        met |= follow(job, scratch, axes, slot, place);
    for (int a = 0; a < axes; a++)
        place[a] = straightness >= 1.0f ? ahead[a] : place[a] + straightness * (ahead[a] - place[a]);
    return met | bw_keep_in_box(&job->advance->collision, job->grid, slot, place);
}

// No pressure reaches particles that have got into what solids leave of a cell, where that is little.
static bool is_crammed(const BwAdvanceJob *job, int32_t slot, const float start[3])
{
    return job->advance->crammed != NULL &&
           bw_bit(bw_mask_tile(job->advance->crammed, slot), bw_particle_cell_at(job->grid, start));
}

// The end of a particle's step: past solids, and no longer into the sides that it met.
BW_FOR_AXES void land(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                      int64_t n, const float start[3], float place[3], unsigned met)
{
    if (scratch->collider.count > 0) {
        if (is_crammed(job, slot, start)) {
            bw_push_off(&scratch->collider, push_off_cells, place);
            bw_keep_in_box(&job->advance->collision, job->grid, slot, place);
        }
        met |= pass_solids(job, scratch, slot, n, start, place);
    }
    if (met != 0 && job->advance->velocity != NULL)
        stop_at_sides(job->particles, met, n);
    for (int a = 0; a < axes; a++)
        job->particles->column[BW_PARTICLE_X + a][n] = place[a];
}

BW_FOR_AXES void move(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                      int64_t n, float place[3])
{
    const float start[3] = {place[0], place[1], place[2]};
    unsigned met = 0;
    if (job->advance->shift != NULL) {
        shift(job, scratch, axes, slot, place);
        bw_keep_in_box(&job->advance->collision, job->grid, slot, place);
    }
    if (job->advance->velocity != NULL)
        met |= go(job, scratch, axes, slot, start, place);
    land(job, scratch, axes, slot, n, start, place, met);
}

BW_FOR_AXES BwAdvanceGroup group_of(const BwAdvanceJob *job, int axes, int64_t first, int64_t end)
{
    BwAdvanceGroup group = {.first = first, .count = end - first < BW_LANES ? (int)(end - first) : BW_LANES};
    for (int a = 0; a < axes; a++) {
        group.start[a] = bw_lanes_load_some(job->particles->column[BW_PARTICLE_X + a] + first, group.count);
        group.before[a] = bw_lanes_load_some(job->particles->column[BW_PARTICLE_U + a] + first, group.count);
    }
    bw_lane_stencil(group.start, axes, &group.stencil);
    group.stencil.is_inside &= bw_lane_bits(((uint64_t)1 << group.count) - 1);
    return group;
}

// Particles that come off a side go alone.
BW_FOR_AXES void leave_out_what_comes_off(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                                          int32_t slot, BwAdvanceGroup *group)
{
    uint64_t off = 0;
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0};
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        off |= (uint64_t)come_off(job, scratch, axes, slot, place) << lane;
    }
    group->stencil.is_inside &= ~bw_lane_bits(off);
}

BW_FOR_AXES void take_velocities(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                                 BwAdvanceGroup *group)
{
    float *const *column = job->particles->column;
    const BwAdvance *advance = job->advance;
    uint64_t done = bw_lanes_bits(group->stencil.is_inside);
    BwLanes differences = bw_lanes_of(0.0f);
    for (int a = 0; a < axes; a++) {
        BwLanes slope[3], unused[3];
        float *own = column[BW_PARTICLE_U + a] + group->first;
        BwLanes speed =
            bw_lane_component(scratch->velocity.blocks.component[a], &group->stencil, a, axes, slope);
        group->way[a] = job->cells_per_speed * speed;
        for (int b = 0; b < axes; b++)
            differences += slope[b] * slope[b];
        if (advance->before != NULL) {
            BwLanes change = speed - bw_lane_component(scratch->before.blocks.component[a], &group->stencil,
                                                       a, axes, unused);
            speed += advance->flip * (bw_lanes_load_some(own, group->count) + change - speed);
        }
        bw_lanes_store_some(own, speed, done);
        for (int b = 0; b < axes && job->particles->has_gradient; b++)
            bw_lanes_store_some(column[BW_PARTICLE_UX + 3 * a + b] + group->first, slope[b], done);
    }
    differences *= job->cells_per_speed * job->cells_per_speed;
    group->straightness = advance->is_curved ? bw_lanes_of(0.0f) : bw_lanes_straightness(differences);
}

BW_FOR_AXES void land_group(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes, int32_t slot,
                            const BwAdvanceGroup *group, const BwPathLanes *path, uint64_t done)
{
    if (scratch->collider.count == 0) {
        for (int a = 0; a < axes; a++)
            bw_lanes_store_some(job->particles->column[BW_PARTICLE_X + a] + group->first, path->place[a],
                                done);
        return;
    }
    for (uint64_t bits = done; bits != 0; bits &= bits - 1) {
        int lane = __builtin_ctzll(bits);
        float start[3] = {0}, place[3] = {0};
        for (int a = 0; a < axes; a++) {
            start[a] = group->start[a][lane];
            place[a] = path->place[a][lane];
        }
        land(job, scratch, axes, slot, group->first + lane, start, place, 0);
    }
}

// Gives the particles that have moved, a bit each.
BW_FOR_AXES uint64_t move_group(const BwAdvanceJob *job, const BwAdvanceScratch *scratch,
                                const BwPathDef *def, int axes, int32_t slot, BwAdvanceGroup *group)
{
    BwPathLanes path = {.is_whole = group->stencil.is_inside};
    for (int a = 0; a < axes; a++)
        path.place[a] = group->start[a];
    if (def->shift != NULL) {
        BwLanes unused[3];
        for (int a = 0; a < axes; a++)
            path.place[a] += def->cells_per_speed *
                             bw_lane_component(def->shift->component[a], &group->stencil, a, axes, unused);
        path.is_whole &= bw_lanes_in_room(def, path.place, axes);
    }
    if (def->path != NULL)
        bw_lanes_go(def, axes, group->way, group->straightness, &path);
    uint64_t done = bw_lanes_bits(path.is_whole);
    land_group(job, scratch, axes, slot, group, &path, done);
    return done;
}

// The particles of a group that do not go with the others.
BW_FOR_AXES void advance_alone(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                               int32_t slot, const BwAdvanceGroup *group, uint64_t have_taken,
                               uint64_t have_moved)
{
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0};
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        if (job->advance->velocity != NULL && !(have_taken >> lane & 1))
            take_velocity(job, scratch, axes, slot, group->first + lane, place);
        if (job->moves && !(have_moved >> lane & 1))
            move(job, scratch, axes, slot, group->first + lane, place);
    }
}

BW_FOR_AXES void advance_particles(const BwAdvanceJob *job, const BwAdvanceScratch *scratch, int axes,
                                   int32_t slot)
{
    BwParticleRange range = bw_particle_range(job->particles, slot);
    BwPathDef def = {.cells_per_speed = job->cells_per_speed,
                     .path = job->advance->velocity != NULL ? &scratch->path.blocks : NULL,
                     .shift = job->advance->shift != NULL ? &scratch->shift.blocks : NULL};
    bw_room_in_box(job->grid, slot, def.low, def.high);
    for (int64_t n = range.begin; n < range.end; n += BW_LANES) {
        BwAdvanceGroup group = group_of(job, axes, n, range.end);
        if (job->advance->lets_go != 0)
            leave_out_what_comes_off(job, scratch, axes, slot, &group);
        uint64_t moved = 0, taken = bw_lanes_bits(group.stencil.is_inside);
        if (job->advance->velocity != NULL)
            take_velocities(job, scratch, axes, &group);
        if (job->moves)
            moved = move_group(job, scratch, &def, axes, slot, &group);
        if (taken != BW_ALL_LANES || moved != BW_ALL_LANES)
            advance_alone(job, scratch, axes, slot, &group, taken, moved);
        bw_loose_particles_settle(job, scratch, slot, &group);
    }
}

static void advance_tile(const BwAdvanceJob *job, BwAdvanceScratch *scratch, int32_t slot)
{
    BwParticleRange range = bw_particle_range(job->particles, slot);
    const BwAdvance *advance = job->advance;
    if (range.end == range.begin)
        return;
    if (advance->velocity != NULL)
        look_around(&scratch->velocity, advance->velocity, slot);
    if (advance->before != NULL)
        look_around(&scratch->before, advance->before, slot);
    if (advance->phi != NULL)
        bw_block_gather(advance->phi, slot, scratch->phi);
    if (advance->share != NULL)
        bw_block_gather(advance->share, slot, scratch->share);
    if (job->moves) {
        if (advance->velocity != NULL)
            look_around(&scratch->path, advance->path, slot);
        if (advance->shift != NULL)
            look_around(&scratch->shift, advance->shift, slot);
        bw_collider_begin(&scratch->collider, &advance->collision, job->grid, slot);
    }
    if (job->grid->dimension == 3)
        advance_particles(job, scratch, 3, slot);
    else
        advance_particles(job, scratch, 2, slot);
}

static void advance_range(int64_t begin, int64_t end, int worker, void *context)
{
    const BwAdvanceJob *job = context;
    for (int64_t m = begin; m < end; m++)
        advance_tile(job, &job->scratch[worker], job->grid->order[m]);
}

struct BwAdvancer {
    BwAllocator allocator;
    int worker_count;
    BwAdvanceScratch *scratch;
};

BwResult bw_advancer_create(BwAdvancer **out, const BwAllocator *allocator, BwPool *pool, BwError *err)
{
    BwAdvancer *advancer = *out = bw_alloc_zeroed(allocator, sizeof *advancer, BW_ALIGN);
    if (advancer == NULL)
        return bw_fail_memory(err);
    advancer->allocator = *allocator;
    advancer->worker_count = bw_pool_worker_count(pool);
    advancer->scratch =
        bw_alloc_zeroed(allocator, (size_t)advancer->worker_count * sizeof *advancer->scratch, BW_ALIGN);
    return advancer->scratch != NULL ? BW_OK : bw_fail_memory(err);
}

void bw_advancer_destroy(BwAdvancer *advancer)
{
    if (advancer == NULL)
        return;
    BwAllocator allocator = advancer->allocator;
    bw_free(&allocator, advancer->scratch, (size_t)advancer->worker_count * sizeof *advancer->scratch,
            BW_ALIGN);
    bw_free(&allocator, advancer, sizeof *advancer, BW_ALIGN);
}

static void run(BwParticles *particles, BwAdvancer *advancer, const BwAdvance *advance, bool moves)
{
    BwAdvanceJob job = {.particles = particles,
                        .advance = advance,
                        .grid = particles->grid,
                        .scratch = advancer->scratch,
                        .moves = moves,
                        .cells_per_speed = advance->dt / particles->grid->cell_size};
    bw_parallel_for(particles->pool, particles->grid->tile_count, 2, advance_range, &job);
}

void bw_particles_advance(BwParticles *particles, BwAdvancer *advancer, const BwAdvance *advance)
{
    run(particles, advancer, advance, true);
}

void bw_particles_take_velocity(BwParticles *particles, BwAdvancer *advancer, const BwVelocity *velocity)
{
    BwAdvance advance = {.velocity = velocity};
    run(particles, advancer, &advance, false);
}
