// A tile's particles read the velocity from padded blocks (grid/block.h), a group of them at a time
// (particle/advance_lanes.h). Particles whose paths lead out of the blocks, where the grid itself is read, or
// to a side of the box go alone, by the same formulas.
#include "particle/advance.h"

#include "base/extremes.h"
#include "particle/advance_lanes.h"

#include <math.h>

enum { ROUNDS_MAX = 4 };

// Particles this far above the surface, in cells, begin to fall, and fall freely; the grid's velocity bears
// none this far (support in operate/extrapolate.c).
static const float borne_cells = 0.25f, loose_cells = 0.75f, unborne_cells = 1.5f;

// A particle is alone where particles fill no more than the lower share, and part of a body from the other
// on: that has a half around its surface.
static const float lone_share = 0.25f, joined_share = 0.5f;

// What is loose on a liquid that holds together is bound to what lies so many cells away, so deep below the
// surface, in cells.
enum { HOLD_REACH = 2 };
static const float body_depth = 0.4f;

// How far particles are pushed off solids that crowd beside them, in cells.
static const float push_off_cells = 0.25f;

// One worker's view of a velocity around a tile.
typedef struct Around {
    const BwVelocity *velocity;
    BwVelocityBlocks blocks;
} Around;

typedef struct Scratch {
    Around velocity, path, before, shift;
    float phi[BW_BLOCK_CELLS];
    float share[BW_BLOCK_CELLS];
    BwCollider collider;
} Scratch;

typedef struct Job {
    BwParticles *particles;
    const BwAdvance *advance;
    const BwGrid *grid;
    Scratch *scratch; // by worker
    bool moves;
    float cells_per_speed; // dt / h
} Job;

static void look_around(Around *around, const BwVelocity *velocity, int32_t slot)
{
    around->velocity = velocity;
    for (int a = 0; a < velocity->u[0].store.grid->dimension; a++)
        bw_block_gather(&velocity->u[a], slot, around->blocks.component[a]);
}

// The low one of the samples beside a place, in a block, and how far past it.
typedef struct Beside {
    int low[3];
    float part[3];
} Beside;

// Gives whether all samples around the place lie in the block.
BW_FOR_AXES bool find_beside(const float place[3], int axis, int axes, Beside *beside)
{
    bool is_inside = true;
    for (int a = 0; a < axes; a++) {
        float at = place[a] - (a == axis ? 0.0f : 0.5f) + (float)BW_HALO;
        is_inside &= at >= 0.0f && at < (float)(BW_BLOCK - 1);
        at = is_inside ? at : 0.0f;
        beside->low[a] = (int)at;
        beside->part[a] = at - (float)beside->low[a];
    }
    return is_inside;
}

static inline float mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

// The velocity component at a place between samples of a block, and how it changes along each axis, a cell.
static inline float interpolate(const float *restrict block, const Beside *beside, float slope[3])
{
    const float *at = block + beside->low[0] + BW_BLOCK * beside->low[1] + BW_BLOCK_LAYER * beside->low[2];
    float x = beside->part[0], y = beside->part[1], z = beside->part[2];
    const float *up = at + BW_BLOCK, *far = at + BW_BLOCK_LAYER, *far_up = far + BW_BLOCK;
    float dx_near = mix(at[1] - at[0], up[1] - up[0], y),
          dx_far = mix(far[1] - far[0], far_up[1] - far_up[0], y);
    float near_low = mix(at[0], at[1], x), near_high = mix(up[0], up[1], x);
    float far_low = mix(far[0], far[1], x), far_high = mix(far_up[0], far_up[1], x);
    float near = mix(near_low, near_high, y), beyond = mix(far_low, far_high, y);
    slope[0] = mix(dx_near, dx_far, z);
    slope[1] = mix(near_high - near_low, far_high - far_low, z);
    slope[2] = beyond - near;
    return mix(near, beyond, z);
}

static inline float interpolate_flat(const float *restrict block, const Beside *beside, float slope[3])
{
    const float *at = block + beside->low[0] + BW_BLOCK * beside->low[1], *up = at + BW_BLOCK;
    float x = beside->part[0], y = beside->part[1];
    float low = mix(at[0], at[1], x), high = mix(up[0], up[1], x);
    slope[0] = mix(at[1] - at[0], up[1] - up[0], y);
    slope[1] = high - low;
    return mix(low, high, y);
}

// Paths that lead out of the block.
static __attribute__((noinline)) float component_far(const Around *around, int axis, int32_t slot,
                                                     const float place[3])
{
    float value = 0.0f;
    bw_sample_local(&around->velocity->u[axis], NULL, slot, place, &value);
    return value;
}

// The component of a velocity at a place counted from a tile, wherever that is.
BW_FOR_AXES float component_at(const Around *around, int axis, int axes, int32_t slot, const float place[3],
                               float slope[3])
{
    Beside beside = {0};
    if (!find_beside(place, axis, axes, &beside)) {
        slope[0] = slope[1] = slope[2] = 0.0f;
        return component_far(around, axis, slot, place);
    }
    return axes == 3 ? interpolate(around->blocks.component[axis], &beside, slope)
                     : interpolate_flat(around->blocks.component[axis], &beside, slope);
}

// Where a particle takes its velocity from: its place; but in a cell beside a side that lets go, which is no
// part of the liquid, the far face of that cell, where the velocity there leads away. Gives whether it is
// another place.
BW_FOR_AXES bool come_off(const Job *job, const Scratch *scratch, int axes, int32_t slot, float place[3])
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
            way * component_at(&scratch->velocity, a, axes, slot, at, slope) <= 0.0f)
            continue;
        place[a] = far_face;
        has_come_off = true;
    }
    return has_come_off;
}

// The particle's new velocity.
BW_FOR_AXES void take_velocity(const Job *job, const Scratch *scratch, int axes, int32_t slot, int64_t n,
                               const float place[3])
{
    float *const *column = job->particles->column, from[3] = {place[0], place[1], place[2]};
    const BwAdvance *advance = job->advance;
    come_off(job, scratch, axes, slot, from);
    for (int a = 0; a < axes; a++) {
        float slope[3], unused[3];
        float speed = component_at(&scratch->velocity, a, axes, slot, from, slope);
        if (advance->before != NULL) {
            float change = speed - component_at(&scratch->before, a, axes, slot, from, unused);
            speed += advance->flip * (column[BW_PARTICLE_U + a][n] + change - speed);
        }
        column[BW_PARTICLE_U + a][n] = speed;
        for (int b = 0; b < axes && job->particles->has_gradient; b++)
            column[BW_PARTICLE_UX + 3 * a + b][n] = slope[b];
    }
}

// The velocity that paths follow at a place, times `scale`.
BW_FOR_AXES void motion_at(const Scratch *scratch, int axes, int32_t slot, const float place[3], float scale,
                           float way[3])
{
    float unused[3];
    for (int a = 0; a < axes; a++)
        way[a] = scale * component_at(&scratch->path, a, axes, slot, place, unused);
}

// One part of a step, `scale` seconds over the size of a cell: Ralston's method of order three.
BW_FOR_AXES void move_part(const Scratch *scratch, int axes, int32_t slot, float place[3],
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
static void slow_to_way(const Job *job, int64_t n, const float start[3], const float place[3])
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
static unsigned pass_solids(const Job *job, const Scratch *scratch, int32_t slot, int64_t n,
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
BW_FOR_AXES void shift(const Job *job, const Scratch *scratch, int axes, int32_t slot, float place[3])
{
    float at[3] = {place[0], place[1], place[2]}, unused[3];
    for (int a = 0; a < axes; a++)
        place[a] += job->cells_per_speed * component_at(&scratch->shift, a, axes, slot, at, unused);
}

// Along the velocity, in as many parts as it asks for. Gives the sides of the box that were in the way.
BW_FOR_AXES unsigned follow(const Job *job, const Scratch *scratch, int axes, int32_t slot, float place[3])
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
BW_FOR_AXES float way_ahead(const Job *job, const Scratch *scratch, int axes, int32_t slot,
                            const float place[3], float way[3])
{
    float differences = 0.0f, slope[3] = {0};
    for (int a = 0; a < axes; a++) {
        way[a] = job->cells_per_speed * component_at(&scratch->velocity, a, axes, slot, place, slope);
        for (int b = 0; b < axes; b++)
            differences += slope[b] * slope[b];
    }
    return bw_straightness(job->cells_per_speed * job->cells_per_speed * differences);
}

// Straight on by the velocity at the start, along the velocity, or in between. Gives the sides of the box
// that were in the way.
BW_FOR_AXES unsigned go(const Job *job, const Scratch *scratch, int axes, int32_t slot, const float start[3],
                        float place[3])
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
static bool is_crammed(const Job *job, int32_t slot, const float start[3])
{
    return job->advance->crammed != NULL &&
           bw_bit(bw_mask_tile(job->advance->crammed, slot), bw_particle_cell_at(job->grid, start));
}

// The end of a particle's step: past solids, and no longer into the sides that it met.
BW_FOR_AXES void land(const Job *job, const Scratch *scratch, int axes, int32_t slot, int64_t n,
                      const float start[3], float place[3], unsigned met)
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

BW_FOR_AXES void move(const Job *job, const Scratch *scratch, int axes, int32_t slot, int64_t n,
                      float place[3])
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

// A group of particles that stand side by side in the columns, from `first` on.
typedef struct Group {
    int64_t first;
    int count;
    BwLanes start[3];      // their places, cells
    BwLanes before[3];     // their velocities before the step, m/s
    BwLaneStencil stencil; // of those
    BwLanes way[3];        // straight on by the grid's velocity there, cells
    BwLanes straightness;  // of their paths
} Group;

BW_FOR_AXES Group group_of(const Job *job, int axes, int64_t first, int64_t end)
{
    Group group = {.first = first, .count = end - first < BW_LANES ? (int)(end - first) : BW_LANES};
    for (int a = 0; a < axes; a++) {
        group.start[a] = bw_lanes_load_some(job->particles->column[BW_PARTICLE_X + a] + first, group.count);
        group.before[a] = bw_lanes_load_some(job->particles->column[BW_PARTICLE_U + a] + first, group.count);
    }
    bw_lane_stencil(group.start, axes, &group.stencil);
    group.stencil.is_inside &= bw_lane_bits(((uint64_t)1 << group.count) - 1);
    return group;
}

// Particles that come off a side go alone.
BW_FOR_AXES void leave_out_what_comes_off(const Job *job, const Scratch *scratch, int axes, int32_t slot,
                                          Group *group)
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

BW_FOR_AXES void take_velocities(const Job *job, const Scratch *scratch, int axes, Group *group)
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

BW_FOR_AXES void land_group(const Job *job, const Scratch *scratch, int axes, int32_t slot,
                            const Group *group, const BwPathLanes *path, uint64_t done)
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
BW_FOR_AXES uint64_t move_group(const Job *job, const Scratch *scratch, const BwPathDef *def, int axes,
                                int32_t slot, Group *group)
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
BW_FOR_AXES void advance_alone(const Job *job, const Scratch *scratch, int axes, int32_t slot,
                               const Group *group, uint64_t have_taken, uint64_t have_moved)
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

// How far above the surface a place is, in cells, and which way up is; 0 where it is too far from the tile to
// tell.
BW_FOR_AXES float height_above(const Job *job, const Scratch *scratch, int axes, const float place[3],
                               float slope[3])
{
    Beside beside = {0};
    if (!find_beside(place, -1, axes, &beside))
        return 0.0f;
    float phi = axes == 3 ? interpolate(scratch->phi, &beside, slope)
                          : interpolate_flat(scratch->phi, &beside, slope);
    return phi / job->grid->cell_size;
}

// The body that a loose particle of a liquid that holds together is bound to: the middle of the nearest cell
// inside of it, cells, and the way up from there. A particle by itself is no body.
typedef struct Hold {
    bool is_there;
    float inside[3];
    BwVec3 up;
} Hold;

// Up from a body: as its surface rises at a particle, unless that is the particle's own, which leads
// elsewhere than the way from the body does.
BW_FOR_AXES BwVec3 way_up(BwVec3 way, const float slope[3], int axes)
{
    BwVec3 rise = bw_vec3(slope[0], slope[1], axes == 3 ? slope[2] : 0.0f);
    float length = bw_larger(bw_length(way), 0.5f), steep = bw_length(rise);
    bool is_own = !(bw_dot(rise, way) > 0.5f * steep * length);
    return is_own ? bw_mul(way, 1.0f / length) : bw_mul(rise, 1.0f / steep);
}

BW_FOR_AXES Hold hold_on(const Job *job, const Scratch *scratch, int axes, const float place[3],
                         const float slope[3])
{
    const int side = 2 * HOLD_REACH + 1, count = axes == 3 ? side * side * side : side * side;
    float nearest = INFINITY, deep = -body_depth * job->grid->cell_size;
    Hold hold = {0};
    for (int n = 0; n < count; n++) {
        int cell[3] = {n % side - HOLD_REACH, n / side % side - HOLD_REACH, n / (side * side) - HOLD_REACH};
        float inside[3] = {0}, way[3] = {0};
        int at = 0;
        for (int a = 0; a < axes; a++) {
            cell[a] += (int)place[a];
            inside[a] = (float)cell[a] + 0.5f;
            way[a] = place[a] - inside[a];
            at += (cell[a] + BW_HALO) << (4 * a);
        }
        float square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        if (!(scratch->phi[at] < deep && square < nearest))
            continue;
        nearest = square;
        hold = (Hold){true, {inside[0], inside[1], inside[2]}, bw_vec3(way[0], way[1], way[2])};
    }
    if (hold.is_there)
        hold.up = way_up(hold.up, slope, axes);
    return hold;
}

// A loose particle goes along with the body that it is bound to, as that moves and turns there.
BW_FOR_AXES void go_along(const Job *job, const Scratch *scratch, int axes, int32_t slot, int64_t n,
                          const float place[3], const Hold *hold, float part)
{
    float speed[3], slope[3][3];
    for (int a = 0; a < axes; a++)
        speed[a] = component_at(&scratch->velocity, a, axes, slot, hold->inside, slope[a]);
    for (int a = 0; a < axes; a++) {
        float *own = &job->particles->column[BW_PARTICLE_U + a][n];
        for (int b = 0; b < axes; b++)
            speed[a] += 0.5f * (slope[a][b] - slope[b][a]) * (place[b] - hold->inside[b]);
        *own += part * (speed[a] - *own);
    }
}

// How much of what gravity gives in a step is lacking in the change that the grid has made to a velocity: all
// where the liquid is at rest, nothing where the grid falls freely too, as in drops smaller than a cell.
BW_FOR_AXES float lacking_fall(const Job *job, int axes, const Group *group, int lane)
{
    float done = 0.0f, all = 0.0f;
    for (int a = 0; a < axes; a++) {
        float fall = bw_component(job->advance->fall, a),
              now = job->particles->column[BW_PARTICLE_U + a][group->first + lane];
        done += fall * (now - group->before[a][lane]);
        all += fall * fall;
    }
    return all > 0.0f ? bw_smaller(bw_larger(1.0f - done / all, 0.0f), 1.0f) : 0.0f;
}

// How fast a loose particle comes back to its body: as gravity makes it in the step, or on its way down from
// there, if it would not get there in the step.
static float speed_home(const Job *job, float above)
{
    const BwAdvance *advance = job->advance;
    float fall = bw_length(advance->fall), way = above * job->grid->cell_size;
    return bw_larger(fall, bw_smaller(sqrtf(2.0f * fall / advance->dt * way), way / advance->dt));
}

// Faces of the air within a cell of the surface take part in what pressure does to the liquid, so that it
// bears the particles in its uppermost cells. One that has got above the surface itself would hover there: it
// falls, as far as the grid does not; if the liquid holds together, towards its body, whose motion it takes.
BW_FOR_AXES void let_fall(const Job *job, const Scratch *scratch, int axes, int32_t slot, const Group *group)
{
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0}, slope[3] = {0};
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        float above = height_above(job, scratch, axes, place, slope);
        if (above <= borne_cells || above >= unborne_cells)
            continue;
        float loose = bw_smaller((above - borne_cells) / (loose_cells - borne_cells), 1.0f),
              borne = bw_smaller((unborne_cells - above) / (unborne_cells - 1.0f), 1.0f);
        BwVec3 fall = job->advance->fall;
        if (job->advance->holds_together) {
            Hold hold = hold_on(job, scratch, axes, place, slope);
            if (hold.is_there) {
                go_along(job, scratch, axes, slot, group->first + lane, place, &hold, loose);
                fall = bw_mul(hold.up, -speed_home(job, above));
            }
        } else
            fall = bw_mul(fall, lacking_fall(job, axes, group, lane));
        for (int a = 0; a < axes; a++)
            job->particles->column[BW_PARTICLE_U + a][group->first + lane] +=
                loose * borne * bw_component(fall, a);
    }
}

// How much particles fill around a place, as cells have it; 1 in cells that are full.
BW_FOR_AXES float share_around(const Scratch *scratch, int axes, const float place[3])
{
    Beside beside = {0};
    float unused[3];
    if (!find_beside(place, -1, axes, &beside))
        return 1.0f;
    return axes == 3 ? interpolate(scratch->share, &beside, unused)
                     : interpolate_flat(scratch->share, &beside, unused);
}

// What fills little of the cells around is a drop smaller than they are: it turns, and is not deformed. The
// strain that its particles brought from the body that they left would stay as it was. Beside a wall they
// stand for a speed on faces that they hardly touch which is many times their own, and whenever a cell of
// theirs counts as liquid, pressure makes that their own: the shorter the steps, the more often.
BW_FOR_AXES void round_off(const Job *job, const Scratch *scratch, int axes, const Group *group)
{
    for (int lane = 0; lane < group->count; lane++) {
        float place[3] = {0};
        int64_t n = group->first + lane;
        for (int a = 0; a < axes; a++)
            place[a] = group->start[a][lane];
        float share = share_around(scratch, axes, place),
              part = bw_larger((share - lone_share) / (joined_share - lone_share), 0.0f);
        for (int a = 0; a < axes && part < 1.0f; a++)
            for (int b = 0; b <= a; b++) {
                float *ab = &job->particles->column[BW_PARTICLE_UX + 3 * a + b][n],
                      *ba = &job->particles->column[BW_PARTICLE_UX + 3 * b + a][n];
                float strain = 0.5f * (*ab + *ba), turn = 0.5f * (*ab - *ba);
                *ab = part * strain + turn;
                *ba = part * strain - turn;
            }
    }
}

BW_FOR_AXES void advance_particles(const Job *job, const Scratch *scratch, int axes, int32_t slot)
{
    BwParticleRange range = bw_particle_range(job->particles, slot);
    BwPathDef def = {.cells_per_speed = job->cells_per_speed,
                     .path = job->advance->velocity != NULL ? &scratch->path.blocks : NULL,
                     .shift = job->advance->shift != NULL ? &scratch->shift.blocks : NULL};
    bw_room_in_box(job->grid, slot, def.low, def.high);
    for (int64_t n = range.begin; n < range.end; n += BW_LANES) {
        Group group = group_of(job, axes, n, range.end);
        if (job->advance->lets_go != 0)
            leave_out_what_comes_off(job, scratch, axes, slot, &group);
        uint64_t moved = 0, taken = bw_lanes_bits(group.stencil.is_inside);
        if (job->advance->velocity != NULL)
            take_velocities(job, scratch, axes, &group);
        if (job->moves)
            moved = move_group(job, scratch, &def, axes, slot, &group);
        if (taken != BW_ALL_LANES || moved != BW_ALL_LANES)
            advance_alone(job, scratch, axes, slot, &group, taken, moved);
        if (job->advance->phi != NULL)
            let_fall(job, scratch, axes, slot, &group);
        if (job->advance->share != NULL)
            round_off(job, scratch, axes, &group);
    }
}

static void advance_tile(const Job *job, Scratch *scratch, int32_t slot)
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
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        advance_tile(job, &job->scratch[worker], job->grid->order[m]);
}

struct BwAdvancer {
    BwAllocator allocator;
    int worker_count;
    Scratch *scratch;
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
    Job job = {.particles = particles,
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
