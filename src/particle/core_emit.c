// Particles that come of the core: what leaves its faces, where it has got to, and all of a cell that is core
// no more.
#include "particle/core_job.h"

#include "base/extremes.h"
#include "grid/bits.h"
#include "grid/sample.h"
#include "particle/random_place.h"
#include "particle/sort.h"

#include <math.h>

// Where a particle is put whose own place is none: so far outside the face that it left by, in cells.
static const float beside_face = 0.1f;

// Rounds of putting a particle out of solids and back into the box.
enum { COLLISION_ROUNDS = 4 };

int bw_core_emitted(const BwCoreJob *job, float excess, float leaves)
{
    float wanted = bw_smaller(excess, BW_CORE_EXCESS_MAX) * (float)job->parts;
    return leaves > 0.0f && wanted > 0.5f ? (int)(wanted + 0.5f) : 0;
}

// Cells that the liquid moves along an axis at a place.
static float way_at(const BwCoreJob *job, int32_t slot, const float place[3], int axis)
{
    const BwVelocity *of[2] = {job->motion->velocity, job->motion->shift};
    float sum = 0.0f;
    for (int n = 0; n < 2; n++) {
        float speed = 0.0f;
        if (of[n] != NULL && bw_sample_local(&of[n]->u[axis], NULL, slot, place, &speed))
            sum += speed;
    }
    return job->scale * sum;
}

// A sample of a tile or of those around it.
static float value_around(const BwField *field, int32_t slot, const int at[3])
{
    const BwGrid *grid = field->store.grid;
    int32_t tile = grid->tiles[slot].neighbour[bw_neighbour(at[0] >> 3, at[1] >> 3, at[2] >> 3)];
    return bw_field_tile(field, tile)[(at[0] & 7) + 8 * (at[1] & 7) + 64 * (at[2] & 7)];
}

// The component of a velocity at a place of a tile, and how it changes along each axis, a cell.
static float value_and_slopes(const BwField *u, int axis, int axes, int32_t slot, const float place[3],
                              float slope[3])
{
    int low[3] = {0};
    float part[3] = {0}, value = 0.0f;
    slope[0] = slope[1] = slope[2] = 0.0f;
    for (int b = 0; b < axes; b++) {
        float at = place[b] - (b == axis ? 0.0f : 0.5f);
        low[b] = (int)floorf(at);
        part[b] = at - (float)low[b];
    }
    for (int corner = 0; corner < 1 << axes; corner++) {
        int at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2 & 1)};
        float here = value_around(u, slot, at), weight[3] = {1.0f, 1.0f, 1.0f};
        for (int b = 0; b < axes; b++)
            weight[b] = corner >> b & 1 ? part[b] : 1.0f - part[b];
        value += weight[0] * weight[1] * weight[2] * here;
        for (int b = 0; b < axes; b++)
            slope[b] += (corner >> b & 1 ? here : -here) * weight[(b + 1) % 3] * weight[(b + 2) % 3];
    }
    return value;
}

// The velocity that the grid has carried there, with its gradient where particles have one.
static void give_velocity(const BwCoreJob *job, int32_t slot, int64_t n, const float place[3])
{
    BwParticles *particles = job->particles;
    int axes = job->grid->dimension;
    for (int a = 0; a < axes; a++) {
        float slope[3];
        particles->column[BW_PARTICLE_U + a][n] =
            value_and_slopes(&job->motion->carried->u[a], a, axes, slot, place, slope);
        for (int b = 0; b < axes && particles->has_gradient; b++)
            particles->column[BW_PARTICLE_UX + 3 * a + b][n] = slope[b];
    }
}

// Adds a particle in a tile, `number` of those that are added.
static void add(const BwCoreJob *job, int32_t slot, const float place[3], float volume, int64_t number)
{
    BwParticles *particles = job->particles;
    int64_t n = particles->count + number;
    for (int a = 0; a < job->grid->dimension; a++)
        particles->column[BW_PARTICLE_X + a][n] = place[a];
    particles->column[BW_PARTICLE_VOLUME][n] = volume;
    bw_particle_ids(particles)[n] = particles->next_id + (int32_t)number;
    give_velocity(job, slot, n, place);
    particles->cell[n] = (uint16_t)bw_particle_cell_at(job->grid, place);
    particles->far[number] = (BwFarMove){slot, (int32_t)n};
}

// A cell as the grid counts them.
static void cell_in_grid(const BwGrid *grid, int32_t slot, int cell, int32_t at[3])
{
    bw_tile_first_cell(grid, grid->tiles[slot].coord, at);
    for (int a = 0; a < 3; a++)
        at[a] += cell >> (3 * a) & 7;
}

static uint64_t seed_of(const BwCoreJob *job)
{
    return job->motion->seed + (uint64_t)job->particles->next_id;
}

// Past solids as they have moved, and within the box; what finds no way out between them stays.
static void pass_solids(const BwCoreJob *job, const BwCollider *collider, int32_t slot, const float start[3],
                        float place[3])
{
    BwParticleContact contact;
    for (int round = 0; round < COLLISION_ROUNDS; round++)
        if (!bw_collide(collider, start, place, &contact) ||
            bw_keep_in_box(job->motion->collision, job->grid, slot, place) == 0)
            return;
    for (int a = 0; a < job->grid->dimension; a++)
        place[a] = start[a];
}

// Where what starts at a place has got to after a part of the step, and its tile; 0: nowhere that is awake
// and in the box.
static int32_t place_after_way(const BwCoreJob *job, const BwCollider *collider, int32_t slot,
                               const float start[3], float part, float place[3])
{
    for (int a = 0; a < job->grid->dimension; a++)
        place[a] = start[a] + part * way_at(job, slot, start, a);
    pass_solids(job, collider, slot, start, place);
    int32_t found = bw_particle_settle(job->grid, slot, place);
    bool is_live = found != 0 && bw_bit(job->grid->tiles[found].live, bw_particle_cell_at(job->grid, place));
    return is_live ? found : 0;
}

// Where a particle is that left through a point of a face and has come a part of the way that the liquid
// takes there in the step: beside the face where that is nowhere, in the cell where nothing is beside it.
// Gives its tile.
static int32_t emitted_place(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                             int side, const float random[3], float place[3])
{
    int axis = side / 2, across = 0, axes = job->grid->dimension;
    float start[3] = {0};
    for (int a = 0; a < axes; a++)
        start[a] = a == axis ? (float)((cell >> (3 * a) & 7) + side % 2)
                             : bw_particle_place(cell, a, random[across++]);
    int32_t found = place_after_way(job, collider, slot, start, random[2], place);
    if (found != 0)
        return found;
    for (int a = 0; a < axes; a++)
        place[a] = start[a];
    place[axis] += side % 2 == 0 ? -beside_face : beside_face;
    found = bw_particle_settle(job->grid, slot, place);
    if (found != 0)
        return found;
    for (int a = 0; a < axes; a++)
        place[a] = start[a];
    place[axis] -= side % 2 == 0 ? -beside_face : beside_face;
    return slot;
}

static float fraction(float value)
{
    return value - floorf(value);
}

// The n-th of `count` points, from 0 to 1 along three axes, evenly spread from a first one on: by the powers
// of the plastic number across the face (Roberts 2018), one after the other along the way.
static void spread_out(const float first[3], int n, int count, float point[3])
{
    point[0] = fraction(first[0] + 0.7548777f * (float)n);
    point[1] = fraction(first[1] + 0.5698403f * (float)n);
    point[2] = ((float)n + first[2]) / (float)count;
}

// The faces share what a cell emits by what leaves through each.
int64_t bw_core_emit(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                     const BwCoreOutflow *out, int64_t number)
{
    float *excess = &bw_field_tile(&job->core->excess, slot)[cell], sum = 0.0f;
    int count = bw_core_emitted(job, *excess, out->sum), done = 0;
    int32_t at[3];
    if (count == 0)
        return number;
    cell_in_grid(job->grid, slot, cell, at);
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        float first[3], point[3], place[3] = {0};
        sum += out->through[side];
        int begin = done;
        done = (int)((float)count * (sum / out->sum) + 0.5f);
        done = done > count ? count : done;
        bw_random_place(seed_of(job), at, side, first);
        for (int n = begin; n < done; n++) {
            spread_out(first, n - begin, done - begin, point);
            int32_t found = emitted_place(job, collider, slot, cell, side, point, place);
            add(job, found, place, 1.0f, number++);
        }
    }
    *excess -= (float)count / (float)job->parts;
    return number;
}

// Fills a cell that is core no more with particles, and takes them along for the step.
int64_t bw_core_fill_cell(const BwCoreJob *job, const BwCollider *collider, int32_t slot, int cell,
                          int64_t number)
{
    float content = 1.0f + bw_field_tile(&job->core->excess, slot)[cell] + job->more;
    int per_axis = job->motion->per_axis;
    int32_t at[3];
    cell_in_grid(job->grid, slot, cell, at);
    for (int part = 0; part < job->parts; part++) {
        float random[3], start[3] = {0}, place[3] = {0};
        int parts[3] = {part % per_axis, part / per_axis % per_axis, part / per_axis / per_axis};
        bw_random_place(seed_of(job), at, part, random);
        for (int a = 0; a < job->grid->dimension; a++)
            start[a] = bw_particle_place(cell, a, ((float)parts[a] + random[a]) / (float)per_axis);
        int32_t found = place_after_way(job, collider, slot, start, 1.0f, place);
        add(job, found != 0 ? found : slot, found != 0 ? place : start, content, number++);
    }
    return number;
}
