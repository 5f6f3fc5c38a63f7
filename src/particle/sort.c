// The sort is written as a gather. Each tile first groups its particles by which of the 27 tiles around they
// go to; then each tile collects those meant for it from the tiles around, in a fixed order, and counts them
// into its cells. So tiles work side by side, and the result is the same whoever does. The few that go
// farther, or to tiles that are asleep, are seen to one by one in between.
#include "particle/sort.h"

#include "grid/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Besides the 27 tiles around.
enum { MOVE_FAR = 27, MOVE_AWAY = 28, MOVE_CORE = 29 };

// Cells that a particle is followed back through the core, at most.
static const float farthest_entry = 32.0f;

// Cells that a step may cross, at most; a float tells places apart up to there.
static const float farthest_place = 1 << 20;

BwResult bw_particles_add_room(BwParticles *particles, int64_t added, BwError *err)
{
    if (added > INT32_MAX - particles->next_id)
        return bw_fail(err, BW_ERR_NUMERICS, "the liquid has had more particles than there are names for");
    BW_TRY(bw_particles_reserve(particles, particles->count + added, err));
    return bw_reserve(&particles->allocator, (void **)&particles->far, &particles->far_capacity, added,
                      sizeof *particles->far, err);
}

static int tiles_away(float place)
{
    return place >= 0.0f && place < (float)BW_TILE ? 0 : (int)floorf(place * (1.0f / BW_TILE));
}

static float place_in_tile(float place, int tiles)
{
    float rest = place - (float)(BW_TILE * tiles);
    return rest > BW_PARTICLE_LAST_PLACE ? BW_PARTICLE_LAST_PLACE : rest;
}

// The tile that a particle is in now, as an offset from the one it is counted from, and its place there.
static void find_steps(const BwParticles *particles, int64_t n, int step[3])
{
    step[0] = step[1] = step[2] = 0;
    for (int a = 0; a < particles->grid->dimension; a++)
        step[a] = tiles_away(particles->column[BW_PARTICLE_X + a][n]);
}

static void settle(BwParticles *particles, int64_t n, const int step[3])
{
    for (int a = 0; a < particles->grid->dimension; a++) {
        float *place = &particles->column[BW_PARTICLE_X + a][n];
        *place = place_in_tile(*place, step[a]);
    }
    particles->cell[n] = (uint16_t)bw_particle_cell(particles, n);
}

static BwTileCoord coord_after(const BwGrid *grid, int32_t slot, const int step[3])
{
    BwTileCoord own = grid->tiles[slot].coord;
    return (BwTileCoord){own.x + step[0], own.y + step[1], own.z + step[2]};
}

static bool is_in_bounds(const BwParticles *particles, int32_t slot, int64_t n)
{
    const BwGrid *grid = particles->grid;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < grid->dimension && grid->has_bounds; a++) {
        double at = first[a] + (double)particles->column[BW_PARTICLE_X + a][n];
        if (grid->period[a] == 0 && !(at >= grid->bounds.low[a] && at < grid->bounds.high[a]))
            return false;
    }
    return true;
}

// A place that no tile can have. The particle is put where it does no harm, with a velocity that tells.
static bool is_lost(BwParticles *particles, int64_t n)
{
    bool is_good = true;
    for (int a = 0; a < particles->grid->dimension; a++)
        is_good &= fabsf(particles->column[BW_PARTICLE_X + a][n]) < farthest_place;
    for (int a = 0; a < particles->grid->dimension && !is_good; a++) {
        particles->column[BW_PARTICLE_X + a][n] = 0.0f;
        particles->column[BW_PARTICLE_U + a][n] = NAN;
    }
    return !is_good;
}

// Whether a particle that goes to a tile gets into the core there.
static bool gets_into_core(const BwParticles *particles, const BwCore *core, int32_t slot, int64_t n)
{
    int cell = 0;
    for (int a = 0; a < particles->grid->dimension; a++) {
        float place = particles->column[BW_PARTICLE_X + a][n];
        cell += (int)place_in_tile(place, tiles_away(place)) << (3 * a);
    }
    return bw_bit(bw_mask_tile(&core->full, slot), cell);
}

// Where a particle of a tile goes.
static int find_move(BwParticles *particles, const BwCore *core, int32_t slot, int64_t n)
{
    int step[3];
    if (is_lost(particles, n)) {
        particles->cell[n] = 0;
        return bw_neighbour(0, 0, 0);
    }
    find_steps(particles, n, step);
    if (!is_in_bounds(particles, slot, n))
        return MOVE_AWAY;
    if (abs(step[0]) > 1 || abs(step[1]) > 1 || abs(step[2]) > 1)
        return MOVE_FAR;
    int code = bw_neighbour(step[0], step[1], step[2]);
    int32_t beside = particles->grid->tiles[slot].neighbour[code];
    if (beside == 0)
        return MOVE_FAR;
    if (core != NULL && gets_into_core(particles, core, beside, n))
        return MOVE_CORE;
    settle(particles, n, step);
    return code;
}

// Along an axis, the places of a tile that are surely within the bounds, cells from the tile.
static void find_room(const BwGrid *grid, int32_t slot, float low[3], float high[3])
{
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int a = 0; a < 3; a++) {
        bool is_free = !grid->has_bounds || grid->period[a] != 0;
        int64_t from = is_free ? 0 : (int64_t)grid->bounds.low[a] - first[a],
                to = is_free ? BW_TILE : (int64_t)grid->bounds.high[a] - first[a];
        low[a] = from > 0 ? (float)from : 0.0f;
        high[a] = to < BW_TILE ? (float)to : (float)BW_TILE;
    }
}

typedef uint16_t LaneCells __attribute__((vector_size(2 * BW_LANES)));

// Most particles stay in their tile, at a place that is good as it is. Finds the cells of those among the
// ones that stand side by side from `n` on, and gives a bit for each.
static inline uint64_t find_staying(BwParticles *particles, int64_t n, const float low[3],
                                    const float high[3])
{
    BwLaneBits stays = bw_lane_bits(BW_ALL_LANES), cell = {0};
    for (int a = 0; a < particles->grid->dimension; a++) {
        BwLanes at = bw_lanes_load_any(particles->column[BW_PARTICLE_X + a] + n);
        stays &= (at >= low[a]) & (at < high[a]);
        cell |= __builtin_convertvector(bw_lanes_keep(at, stays), BwLaneBits) << (3 * a);
    }
    LaneCells cells = __builtin_convertvector(cell, LaneCells);
    memcpy(particles->cell + n, &cells, sizeof cells);
    return bw_lanes_bits(stays);
}

// Of lanes that stay in their tile, those whose cell is not core.
static uint64_t outside_core(const BwParticles *particles, const uint64_t *core, int64_t n, uint64_t staying)
{
    uint64_t outside = staying;
    for (uint64_t lanes = core != NULL ? staying : 0; lanes != 0; lanes &= lanes - 1)
        if (bw_bit(core, particles->cell[n + __builtin_ctzll(lanes)]))
            outside &= ~(lanes & (~lanes + 1));
    return outside;
}

// Finds where each particle of a tile goes, and how many go to each place.
static void find_moves(BwParticles *particles, const BwCore *core, int32_t slot, int32_t *code,
                       uint64_t *count)
{
    BwParticleRange range = bw_particle_range(particles, slot);
    const int stay = bw_neighbour(0, 0, 0);
    float low[3], high[3];
    const uint64_t *core_cells = core != NULL ? bw_mask_tile(&core->full, slot) : NULL;
    find_room(particles->grid, slot, low, high);
    int64_t n = range.begin;
    for (; n + BW_LANES <= range.end; n += BW_LANES) {
        uint64_t staying = outside_core(particles, core_cells, n, find_staying(particles, n, low, high));
        BwLaneBits codes = (BwLaneBits){0} + stay;
        memcpy(code + n, &codes, sizeof codes);
        count[stay] += (uint64_t)__builtin_popcountll(staying);
        for (uint64_t others = staying ^ BW_ALL_LANES; others != 0; others &= others - 1) {
            int64_t other = n + __builtin_ctzll(others);
            code[other] = find_move(particles, core, slot, other);
            count[code[other]]++;
        }
    }
    for (; n < range.end; n++) {
        code[n] = find_move(particles, core, slot, n);
        count[code[n]]++;
    }
}

// Groups a tile's particles by where they go: their places in `list`, their numbers in `moves`.
static void group_tile(BwParticles *particles, const BwCore *core, int32_t slot)
{
    BwParticleRange range = bw_particle_range(particles, slot);
    uint64_t *count = bw_note(&particles->moves, slot);
    int64_t next[BW_PARTICLE_MOVE_WORDS], at = range.begin;
    int32_t *code = particles->permutation; // not in use yet
    memset(count, 0, BW_PARTICLE_MOVE_WORDS * sizeof *count);
    find_moves(particles, core, slot, code, count);
    for (int c = 0; c < BW_PARTICLE_MOVE_WORDS; c++) {
        next[c] = at;
        at += (int64_t)count[c];
    }
    for (int64_t n = range.begin; n < range.end; n++)
        particles->list[next[code[n]]++] = (int32_t)n;
}

typedef struct Grouping {
    BwParticles *particles;
    const BwCore *core;
} Grouping;

static void group(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Grouping *job = context;
    for (int64_t m = begin; m < end; m++)
        group_tile(job->particles, job->core, job->particles->grid->order[m]);
}

// The part of `list` that holds a tile's particles of one kind of move.
static BwParticleRange listed(const BwParticles *particles, int32_t slot, int code)
{
    const uint64_t *count = bw_note(&particles->moves, slot);
    int64_t at = bw_particle_range(particles, slot).begin;
    for (int c = 0; c < code; c++)
        at += (int64_t)count[c];
    return (BwParticleRange){at, at + (int64_t)count[code]};
}

// Far moves of a tile: the tiles that they lead to are woken first, then looked up.
static BwResult wake_for_far(BwParticles *particles, int32_t slot, BwError *err)
{
    BwGrid *grid = particles->grid;
    BwParticleRange range = listed(particles, slot, MOVE_FAR);
    for (int64_t m = range.begin; m < range.end; m++) {
        int step[3];
        find_steps(particles, particles->list[m], step);
        BwTileCoord coord = bw_grid_wrap_coord(grid, coord_after(grid, slot, step));
        if (bw_grid_find_wrapped(grid, coord) == 0)
            BW_TRY(bw_grid_wake(grid, &coord, 1, err));
    }
    return BW_OK;
}

static BwResult add_far(BwParticles *particles, int32_t slot, BwError *err)
{
    const BwGrid *grid = particles->grid;
    BwParticleRange range = listed(particles, slot, MOVE_FAR);
    BW_TRY(bw_reserve(&particles->allocator, (void **)&particles->far, &particles->far_capacity,
                      particles->far_count + range.end - range.begin, sizeof *particles->far, err));
    for (int64_t m = range.begin; m < range.end; m++) {
        int32_t n = particles->list[m];
        int step[3];
        find_steps(particles, n, step);
        particles->far[particles->far_count++] =
            (BwFarMove){bw_grid_find(grid, coord_after(grid, slot, step)), n};
        settle(particles, n, step);
    }
    return BW_OK;
}

static int compare_far(const void *a, const void *b)
{
    const BwFarMove *one = a, *other = b;
    if (one->slot != other->slot)
        return one->slot < other->slot ? -1 : 1;
    return one->particle < other->particle ? -1 : one->particle > other->particle;
}

// Waking tiles changes their order, so all slots are listed by the tiles' own words, before any wakes.
static BwResult follow_far(BwParticles *particles, BwError *err)
{
    const BwGrid *grid = particles->grid;
    for (int32_t slot = 1; slot < grid->slot_count; slot++)
        if (grid->tiles[slot].is_awake && bw_note(&particles->moves, slot)[MOVE_FAR] > 0)
            BW_TRY(wake_for_far(particles, slot, err));
    for (int32_t slot = 1; slot < grid->slot_count; slot++)
        if (grid->tiles[slot].is_awake && bw_note(&particles->moves, slot)[MOVE_FAR] > 0)
            BW_TRY(add_far(particles, slot, err));
    if (particles->far_count > 1)
        qsort(particles->far, (size_t)particles->far_count, sizeof *particles->far, compare_far);
    return BW_OK;
}

// The far moves that lead to a tile.
static BwParticleRange arrivals(const BwParticles *particles, int32_t slot)
{
    int64_t low = 0, high = particles->far_count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (particles->far[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    while (high < particles->far_count && particles->far[high].slot == slot)
        high++;
    return (BwParticleRange){low, high};
}

// Collects what a tile gets, in the order of the tiles around it; gives how many. NULL: only counts.
static int64_t collect(const BwParticles *particles, int32_t slot, int32_t *into)
{
    const int32_t *neighbour = particles->grid->tiles[slot].neighbour;
    int first = bw_first_beside(particles->grid);
    BwParticleRange far = arrivals(particles, slot);
    int64_t count = 0;
    for (int c = first; c < 27 - first; c++) {
        if (neighbour[c] == 0 || bw_note(&particles->moves, neighbour[c])[26 - c] == 0)
            continue;
        BwParticleRange from = listed(particles, neighbour[c], 26 - c);
        if (into != NULL)
            memcpy(into + count, particles->list + from.begin,
                   (size_t)(from.end - from.begin) * sizeof *into);
        count += from.end - from.begin;
    }
    for (int64_t m = far.begin; m < far.end; m++, count++)
        if (into != NULL)
            into[count] = particles->far[m].particle;
    return count;
}

static void count_arrivals(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwParticles *particles = context;
    for (int64_t m = begin; m < end; m++)
        particles->starts[m] = collect(particles, particles->grid->order[m], NULL);
}

// From counts to where each tile's particles begin; gives the number of all.
static int64_t add_up(BwParticles *particles)
{
    int64_t sum = 0;
    for (int32_t m = 0; m < particles->grid->tile_count; m++) {
        int64_t here = particles->starts[m];
        particles->starts[m] = sum;
        sum += here;
    }
    particles->starts[particles->grid->tile_count] = sum;
    return sum;
}

// Collects the particles of a tile and counts them into its cells.
static void arrange_tile(BwParticles *particles, int32_t rank)
{
    int64_t begin = particles->starts[rank], count = particles->starts[rank + 1] - begin;
    int32_t *found = (int32_t *)(void *)particles->spare + begin, *out = particles->permutation + begin;
    int32_t next[BW_TILE_CELLS_MAX] = {0}, sum = 0;
    collect(particles, particles->grid->order[rank], found);
    for (int64_t n = 0; n < count; n++)
        next[particles->cell[found[n]]]++;
    for (int c = 0; c < particles->grid->tile_cells; c++) {
        int32_t here = next[c];
        next[c] = sum;
        sum += here;
    }
    for (int64_t n = 0; n < count; n++)
        out[next[particles->cell[found[n]]]++] = found[n];
}

static void arrange(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    for (int64_t m = begin; m < end; m++)
        arrange_tile(context, (int32_t)m);
}

// Columns that are copied in one pass, which reads the order once for both.
enum { PASS_COLUMNS = 2 };

typedef struct Permutation {
    const float *from[PASS_COLUMNS];
    float *to[PASS_COLUMNS];
    const int32_t *order;
} Permutation;

static void permute_one(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Permutation *job = context;
    for (int64_t n = begin; n < end; n++)
        job->to[0][n] = job->from[0][job->order[n]];
}

static void permute_two(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    Permutation job = *(const Permutation *)context;
    for (int64_t n = begin; n < end; n++) {
        int32_t source = job.order[n];
        float one = job.from[0][source], other = job.from[1][source];
        job.to[0][n] = one;
        job.to[1][n] = other;
    }
}

static void exchange(void **a, int64_t *a_capacity, void **b, int64_t *b_capacity)
{
    void *array = *a;
    int64_t capacity = *a_capacity;
    *a = *b;
    *a_capacity = *b_capacity;
    *b = array;
    *b_capacity = capacity;
}

// Copies one or two columns to arrays that are not in use, which take their place.
static void permute_pass(BwParticles *particles, const int *columns, int column_count, int64_t count)
{
    void **unused[PASS_COLUMNS] = {(void **)&particles->spare, (void **)&particles->list};
    int64_t *unused_capacity[PASS_COLUMNS] = {&particles->capacity[BW_PARTICLE_COLUMNS],
                                              &particles->capacity[BW_PARTICLE_COLUMNS + 2]};
    Permutation job = {.order = particles->permutation};
    for (int n = 0; n < column_count; n++) {
        job.from[n] = particles->column[columns[n]];
        job.to[n] = *unused[n];
    }
    bw_parallel_for(particles->pool, count, 1 << 14, column_count == 2 ? permute_two : permute_one, &job);
    for (int n = 0; n < column_count; n++)
        exchange((void **)&particles->column[columns[n]], &particles->capacity[columns[n]], unused[n],
                 unused_capacity[n]);
}

static void permute_columns(BwParticles *particles, int64_t count)
{
    int columns[BW_PARTICLE_COLUMNS], column_count = 0;
    for (int c = 0; c < BW_PARTICLE_COLUMNS; c++)
        if (bw_particles_have(particles, c))
            columns[column_count++] = c;
    for (int c = 0; c < column_count; c += PASS_COLUMNS)
        permute_pass(particles, columns + c,
                     column_count - c < PASS_COLUMNS ? column_count - c : PASS_COLUMNS, count);
}

// The side of the box that a particle is farthest beyond.
static int side_left(const BwParticles *particles, int32_t slot, int64_t n)
{
    const BwGrid *grid = particles->grid;
    int32_t first[3];
    float farthest = -INFINITY;
    int left = 0;
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int a = side / 2;
        float place = particles->column[BW_PARTICLE_X + a][n],
              beyond = side % 2 == 0 ? (float)(grid->bounds.low[a] - first[a]) - place
                                     : place - (float)(grid->bounds.high[a] - first[a]);
        if (beyond > farthest) {
            farthest = beyond;
            left = side;
        }
    }
    return left;
}

static BwParticlesGone count_gone(const BwParticles *particles)
{
    const BwGrid *grid = particles->grid;
    BwParticlesGone gone = {0};
    for (int32_t t = 0; t < grid->tile_count; t++) {
        int32_t slot = grid->order[t];
        if (bw_note(&particles->moves, slot)[MOVE_AWAY] == 0)
            continue;
        BwParticleRange range = listed(particles, slot, MOVE_AWAY);
        gone.count += range.end - range.begin;
        for (int64_t m = range.begin; m < range.end; m++) {
            int64_t n = particles->list[m];
            double volume = (double)particles->column[BW_PARTICLE_VOLUME][n];
            gone.volume += volume;
            gone.by_side[side_left(particles, slot, n)] += volume;
        }
    }
    return gone;
}

// The account of the cell that a particle has got to; where that was core before, of the cell by which it
// came in: the last one on the way back that was, half a cell at a time. Accounts of cells farther in have
// had what passed it already.
static float *account_of(const BwParticles *particles, const BwParticleSink *sink, int32_t slot, int64_t n)
{
    const BwGrid *grid = particles->grid;
    float way[3] = {0}, longest = 0.0f;
    float *account = NULL;
    for (int a = 0; a < grid->dimension; a++) {
        way[a] = sink->cells_per_speed * particles->column[BW_PARTICLE_U + a][n];
        longest = fmaxf(longest, fabsf(way[a]));
    }
    int parts = (int)ceilf(2.0f * fminf(longest, farthest_entry));
    for (int part = 0; part <= parts; part++) {
        float place[3] = {0};
        for (int a = 0; a < grid->dimension; a++)
            place[a] = particles->column[BW_PARTICLE_X + a][n] -
                       (part > 0 ? way[a] * (float)part / (float)parts : 0.0f);
        int32_t found = bw_particle_settle(grid, slot, place);
        int cell = found != 0 ? bw_particle_cell_at(grid, place) : 0;
        bool was_core = found != 0 && bw_bit(bw_mask_tile(&sink->core->stays, found), cell);
        if (part == 0 || was_core)
            account = &bw_field_tile(&sink->core->excess, found)[cell];
        if (!was_core)
            break;
    }
    return account;
}

// Adds what gets into the core to its accounts.
static void absorb(BwParticles *particles, const BwParticleSink *sink, int32_t slot)
{
    BwParticleRange range = listed(particles, slot, MOVE_CORE);
    for (int64_t m = range.begin; m < range.end; m++) {
        int64_t n = particles->list[m];
        *account_of(particles, sink, slot, n) += sink->unit * particles->column[BW_PARTICLE_VOLUME][n];
    }
}

// Of the particles that were added, those that are in the core by now go over to it at once.
static void absorb_added(BwParticles *particles, const BwParticleSink *sink)
{
    int64_t kept = 0;
    for (int64_t m = 0; m < particles->far_count; m++) {
        BwFarMove move = particles->far[m];
        int cell = particles->cell[move.particle];
        if (bw_bit(bw_mask_tile(&sink->core->full, move.slot), cell))
            bw_field_tile(&sink->core->excess, move.slot)[cell] +=
                sink->unit * particles->column[BW_PARTICLE_VOLUME][move.particle];
        else
            particles->far[kept++] = move;
    }
    particles->far_count = kept;
}

BwResult bw_particles_sort(BwParticles *particles, const BwParticleSink *sink, BwParticlesGone *gone,
                           BwError *err)
{
    const BwGrid *grid = particles->grid;
    Grouping grouping = {particles, sink != NULL ? sink->core : NULL};
    bw_parallel_for(particles->pool, grid->tile_count, 4, group, &grouping);
    *gone = count_gone(particles);
    for (int32_t m = 0; m < grid->tile_count && sink != NULL; m++)
        if (bw_note(&particles->moves, grid->order[m])[MOVE_CORE] > 0)
            absorb(particles, sink, grid->order[m]);
    if (sink != NULL)
        absorb_added(particles, sink);
    BW_TRY(follow_far(particles, err));
    BW_TRY(bw_reserve(&particles->allocator, (void **)&particles->starts, &particles->start_capacity,
                      grid->tile_count + 1, sizeof *particles->starts, err));
    bw_parallel_for(particles->pool, grid->tile_count, 16, count_arrivals, particles);
    int64_t count = add_up(particles);
    bw_parallel_for(particles->pool, grid->tile_count, 4, arrange, particles);
    permute_columns(particles, count);
    particles->count = count;
    particles->far_count = 0;
    for (int32_t m = 0; m < grid->tile_count; m++)
        bw_particle_set_range(particles, grid->order[m],
                              (BwParticleRange){particles->starts[m], particles->starts[m + 1]});
    return BW_OK;
}
