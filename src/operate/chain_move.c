// How chains move, touch solids, and get back what moving has cost them.
#include "operate/chain.h"

#include <math.h>

// Cells: chains so near to a solid that faces them touch it; and the farthest that particles get out of the
// bounds.
static const double touch_distance = 0.15, beyond_max = 6.0;

// Cells that a surface grows or shrinks by in a step at most.
static const double growth_max = 0.05;

static float face_at(const BwField *u, int64_t i, int64_t j)
{
    const BwGrid *grid = u->store.grid;
    const int32_t cell[3] = {(int32_t)i, (int32_t)j, 0};
    return bw_field_tile(u, bw_grid_find(grid, bw_tile_of_cell(grid, cell)))[bw_index_in_tile(grid, cell)];
}

// Between the four faces around. Behind the bounds it is what it is at them.
static double component_at(const BwChains *chains, const BwField *u, int axis, const double place[2])
{
    double h = (double)chains->grid->cell_size, at[2], part[2];
    for (int a = 0; a < 2; a++) {
        double inset = a == axis ? 0.0 : 0.5; // where on the cell the faces are
        at[a] = fmin(fmax(place[a] / h - inset, (double)chains->low[a]),
                     (double)(chains->low[a] + chains->count[a]) - 2.0 * inset);
        part[a] = at[a] - floor(at[a]);
        at[a] = floor(at[a]);
    }
    int64_t i = (int64_t)at[0], j = (int64_t)at[1], right = part[0] > 0.0, up = part[1] > 0.0;
    double low = (1.0 - part[0]) * (double)face_at(u, i, j) + part[0] * (double)face_at(u, i + right, j),
           high = (1.0 - part[0]) * (double)face_at(u, i, j + up) +
                  part[0] * (double)face_at(u, i + right, j + up);
    return (1.0 - part[1]) * low + part[1] * high;
}

void bw_chain_velocity(const BwChains *chains, const BwVelocity *velocity, const double place[2],
                       double value[2])
{
    for (int a = 0; a < 2; a++)
        value[a] = component_at(chains, &velocity->u[a], a, place);
}

typedef struct Motion {
    BwChains *chains;
    const BwVelocity *velocity;
    double dt;
} Motion;

static void move_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Motion *motion = context;
    const BwChains *chains = motion->chains;
    double h = (double)chains->grid->cell_size;
    for (int64_t n = begin; n < end; n++) {
        double *place = chains->points[n].place, speed[2], middle[2];
        bw_chain_velocity(chains, motion->velocity, place, speed);
        for (int a = 0; a < 2; a++)
            middle[a] = place[a] + 0.5 * motion->dt * speed[a];
        bw_chain_velocity(chains, motion->velocity, middle, speed);
        for (int a = 0; a < 2; a++)
            place[a] = fmin(fmax(place[a] + motion->dt * speed[a], (chains->low[a] - beyond_max) * h),
                            (chains->low[a] + chains->count[a] + beyond_max) * h);
    }
}

void bw_chains_move(BwChains *chains, const BwVelocity *velocity, double dt, BwPool *pool)
{
    Motion motion = {chains, velocity, dt};
    bw_parallel_for(pool, chains->point_count, 256, move_range, &motion);
}

static bool is_shut(const BwChains *chains, const double place[2])
{
    int64_t cell;
    return !bw_chain_cell(chains, place, &cell) || !(chains->open[cell] > 0.0f);
}

// A particle just before a solid goes into it.
void bw_chains_touch(BwChains *chains)
{
    double reach = touch_distance * (double)chains->grid->cell_size;
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            double normal[2], *place = chains->points[p].place;
            bw_chain_normal(chains, n, p, normal);
            // Only straight on: a surface that goes along a solid is not before it.
            int axis = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
            double ahead[2] = {place[0], place[1]};
            ahead[axis] += copysign(reach, normal[axis]);
            if (fabs(normal[axis]) > 0.8 && !is_shut(chains, place) && is_shut(chains, ahead))
                place[axis] += copysign(2.0 * reach, normal[axis]);
        }
}

// Whether a place is within a chain.
static bool holds(const BwChains *chains, int64_t chain, const double place[2])
{
    int winding = 0;
    for (int64_t p = chains->starts[chain]; p < chains->starts[chain + 1]; p++) {
        const double *a = chains->points[p].place, *b = chains->points[bw_chain_next(chains, chain, p)].place;
        if ((a[1] <= place[1]) == (b[1] <= place[1]))
            continue;
        double x = a[0] + (place[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        winding += x > place[0] ? (b[1] > a[1] ? 1 : -1) : 0;
    }
    return winding != 0;
}

// The chain around a liquid that another is a hole in: the smallest that holds it.
static int64_t chain_around(const BwChains *chains, int64_t hole)
{
    int64_t found = -1;
    double least = (double)INFINITY;
    for (int64_t n = 0; n < chains->chain_count; n++) {
        double area = bw_chain_signed_area(chains, n);
        if (area > 0.0 && area < least && holds(chains, n, chains->points[chains->starts[hole]].place)) {
            least = area;
            found = n;
        }
    }
    return found >= 0 ? found : hole;
}

// Each chain's body of liquid, by the number of the chain around it, and the volumes of these.
static BwResult find_bodies(BwChains *chains, BwError *err)
{
    int64_t count = chains->chain_count;
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->volumes, &chains->volume_capacity, 2 * count + 2,
                      sizeof *chains->volumes, err));
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->body, &chains->body_capacity, count + 1,
                      sizeof *chains->body, err));
    for (int64_t n = 0; n < count; n++)
        chains->body[n] = bw_chain_signed_area(chains, n) < 0.0 ? chain_around(chains, n) : n;
    return BW_OK;
}

static void find_volumes(BwChains *chains, double *volumes)
{
    for (int64_t n = 0; n < chains->chain_count; n++)
        volumes[n] = 0.0;
    for (int64_t n = 0; n < chains->chain_count; n++)
        volumes[chains->body[n]] += bw_chain_area(chains, n);
}

BwResult bw_chains_remember(BwChains *chains, BwError *err)
{
    BW_TRY(find_bodies(chains, err));
    find_volumes(chains, chains->volumes);
    return BW_OK;
}

// Spreads numbers of bodies over their particles.
static void spread_over_bodies(BwChains *chains, const double *lacks, bool is_new)
{
    for (int64_t n = 0; n < chains->chain_count; n++) {
        int64_t points = 0, body = chains->body[n];
        for (int64_t m = 0; m < chains->chain_count; m++)
            points += chains->body[m] == body ? chains->starts[m + 1] - chains->starts[m] : 0;
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++)
            chains->points[p].lack = (is_new ? 0.0 : chains->points[p].lack) + lacks[body] / (double)points;
    }
}

void bw_chains_note_loss(BwChains *chains)
{
    double *now = chains->volumes + chains->chain_count;
    find_volumes(chains, now);
    for (int64_t n = 0; n < chains->chain_count; n++)
        now[n] = chains->volumes[n] - now[n];
    spread_over_bodies(chains, now, false);
}

void bw_chains_spread(BwChains *chains, double lack)
{
    for (int64_t n = 0; n < chains->point_count; n++)
        lack -= chains->points[n].lack;
    for (int64_t n = 0; n < chains->point_count; n++)
        chains->points[n].lack += lack / (double)chains->point_count;
}

// m, of a body's links that are outside of solids.
static double free_length(const BwChains *chains, int64_t body)
{
    double sum = 0.0;
    for (int64_t n = 0; n < chains->chain_count; n++)
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1] && chains->body[n] == body; p++) {
            const double *a = chains->points[p].place, *b = chains->points[bw_chain_next(chains, n, p)].place,
                         middle[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
            sum += is_shut(chains, middle) ? 0.0 : hypot(b[0] - a[0], b[1] - a[1]);
        }
    return sum;
}

// Moves all particles of a body along their normals.
static void grow_body(BwChains *chains, int64_t body, double way)
{
    for (int64_t n = 0; n < chains->chain_count; n++) {
        if (chains->body[n] != body)
            continue;
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            double normal[2];
            bw_chain_normal(chains, n, p, normal);
            for (int a = 0; a < 2; a++)
                chains->other[p].place[a] = chains->points[p].place[a] + way * normal[a];
        }
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++)
            for (int a = 0; a < 2; a++)
                chains->points[p].place[a] = chains->other[p].place[a];
    }
}

BwResult bw_chains_give_back(BwChains *chains, double share, BwError *err)
{
    double most = growth_max * (double)chains->grid->cell_size;
    BW_TRY(bw_chains_remember(chains, err));
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->other, &chains->other_capacity,
                      chains->point_count + 1, sizeof *chains->other, err));
    double *lacks = chains->volumes + chains->chain_count;
    for (int64_t body = 0; body < chains->chain_count; body++) {
        double length = free_length(chains, body), lack = 0.0;
        for (int64_t n = 0; n < chains->chain_count; n++)
            for (int64_t p = chains->starts[n]; p < chains->starts[n + 1] && chains->body[n] == body; p++)
                lack += chains->points[p].lack;
        lacks[body] = lack + chains->volumes[body];
        if (length > 0.0)
            grow_body(chains, body, fmin(fmax(share * lack / length, -most), most));
    }
    find_volumes(chains, chains->volumes);
    for (int64_t n = 0; n < chains->chain_count; n++)
        lacks[n] -= chains->volumes[n];
    spread_over_bodies(chains, lacks, true);
    return BW_OK;
}
