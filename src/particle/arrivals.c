// One after the other: there are few of them, and the order of their names is that of the list.
#include "particle/arrivals.h"

#include "grid/sample.h"
#include "particle/sort.h"

#include <math.h>

// A particle starts at least so far from a solid, in cells.
static const float clearance = 0.01f;

// Rounds of putting a particle out of solids and back into the box.
enum { COLLISION_ROUNDS = 4 };

BwResult bw_arrivals_begin(BwArrivals *arrivals, BwParticles *particles, const BwCollision *collision,
                           int64_t count, BwError *err)
{
    *arrivals = (BwArrivals){.particles = particles, .collision = collision, .room = count};
    if (count > INT32_MAX - particles->next_id)
        return bw_fail(err, BW_ERR_NUMERICS,
                       "the scene's sources have emitted more particles than there are names for");
    int64_t added = particles->far_count + count;
    BW_TRY(bw_particles_reserve(particles, particles->count + added, err));
    return bw_reserve(&particles->allocator, (void **)&particles->far, &particles->far_capacity, added,
                      sizeof *particles->far, err);
}

// The tile of a cell's place, and the place in it; 0 where none is awake.
static int32_t tile_at(const BwGrid *grid, const double at[3], float place[3])
{
    int32_t tile[3] = {0};
    for (int a = 0; a < grid->dimension; a++) {
        double first = floor(at[a] / BW_TILE);
        tile[a] = (int32_t)first;
        place[a] = fminf((float)(at[a] - BW_TILE * first), BW_PARTICLE_LAST_PLACE);
    }
    return bw_grid_find(grid, (BwTileCoord){tile[0], tile[1], tile[2]});
}

static bool is_live(const BwGrid *grid, int32_t slot, const float place[3])
{
    return slot != 0 && bw_bit(grid->tiles[slot].live, bw_particle_cell_at(grid, place));
}

static bool is_in_solid(const BwArrivals *arrivals, const double at[3])
{
    const BwCollider *collider = &arrivals->collider;
    double h = (double)collider->grid->cell_size;
    bool is_deep = collider->grid->dimension == 3;
    BwVec3 point = bw_vec3((float)(h * at[0]), (float)(h * at[1]), is_deep ? (float)(h * at[2]) : 0.0f);
    return bw_solids_distance(collider->list, collider->count, point) < clearance * (float)h;
}

// Past solids as they have moved, and within the box; what finds no way out between them stays.
static void pass_solids(const BwArrivals *arrivals, const float start[3], float place[3])
{
    const BwGrid *grid = arrivals->particles->grid;
    BwParticleContact contact;
    for (int round = 0; round < COLLISION_ROUNDS; round++) {
        bool has_met = bw_collide(&arrivals->collider, start, place, &contact);
        if (bw_keep_in_box(arrivals->collision, grid, arrivals->slot, place) == 0 || !has_met)
            return;
    }
    for (int a = 0; a < grid->dimension; a++)
        place[a] = start[a];
}

static void follow_flow(const BwArrival *arrival, int axes, int32_t slot, const float start[3],
                        BwVec3 *velocity, BwVec3 *way)
{
    float u[3] = {0};
    for (int a = 0; a < axes; a++)
        (void)bw_sample_local(&arrival->flow->u[a], NULL, slot, start, &u[a]);
    *velocity = bw_vec3(u[0], u[1], u[2]);
    *way = bw_mul(*velocity, arrival->seconds);
}

static void put(BwArrivals *arrivals, int32_t slot, const float place[3], BwVec3 velocity,
                const BwArrival *arrival)
{
    BwParticles *particles = arrivals->particles;
    int64_t number = particles->far_count++, n = particles->count + number;
    bw_particle_write(particles, n, place, velocity, particles->next_id++, &arrival->load);
    for (int a = 0; a < particles->grid->dimension; a++)
        for (int b = 0; b < particles->grid->dimension && particles->has_gradient; b++)
            particles->column[BW_PARTICLE_UX + 3 * a + b][n] = particles->grid->cell_size *
                                                               bw_component(arrival->change, a) *
                                                               bw_component(arrival->along, b);
    particles->cell[n] = (uint16_t)bw_particle_cell_at(particles->grid, place);
    particles->far[number] = (BwFarMove){slot, (int32_t)n};
    arrivals->volume += 1.0;
    arrivals->room--;
}

bool bw_arrivals_add(BwArrivals *arrivals, const BwArrival *arrival)
{
    const BwGrid *grid = arrivals->particles->grid;
    BwVec3 velocity = arrival->velocity, way = arrival->way;
    float start[3] = {0}, place[3] = {0};
    int32_t slot = tile_at(grid, arrival->start, start);
    BW_ASSERT(arrivals->room > 0);
    if (!is_live(grid, slot, start))
        return false;
    if (slot != arrivals->slot)
        bw_collider_begin(&arrivals->collider, arrivals->collision, grid, slot);
    arrivals->slot = slot;
    if (is_in_solid(arrivals, arrival->start))
        return false;
    if (arrival->flow != NULL)
        follow_flow(arrival, grid->dimension, slot, start, &velocity, &way);
    for (int a = 0; a < grid->dimension; a++)
        place[a] = start[a] + bw_component(way, a) / grid->cell_size;
    pass_solids(arrivals, start, place);
    int32_t found = bw_particle_settle(grid, slot, place);
    bool is_there = is_live(grid, found, place);
    put(arrivals, is_there ? found : slot, is_there ? place : start, velocity, arrival);
    return true;
}
