// Finding and sorting particles, in the order of the frame whatever number of threads looks.
#include "mesh/near_particles.h"

#include "base/extremes.h"
#include "mesh/particle_cell.h"
#include "mesh/tiles_around.h"

#include <stdlib.h>
#include <string.h>

// NEAR_THIN: cells around thin liquid whose particles tell of it: kernels that reach nodes beside it, and
// what tells these how particles lie.
enum { TILE_CELLS = BW_TILE * BW_TILE * BW_TILE, BLOCK = 4096, NEAR_THIN = 3 };

typedef struct Job {
    BwNearParticles *near;
    const BwLevel *level;
    const BwWetCells *wet;
    const BwThinLiquid *thin; // NULL: all liquid matters
    const BwFrameParticles *water;
    const float *volumes;
} Job;

static int32_t along(BwTileCoord tile, int axis)
{
    return axis == 0 ? tile.x : axis == 1 ? tile.y : tile.z;
}

// The walls across an axis, cells from the anchor.
static float wall_place(const BwLattice *lattice, int axis, bool is_high)
{
    int64_t wall = is_high ? lattice->high[axis] : lattice->low[axis];
    return (float)(wall - (int64_t)BW_TILE * lattice->anchor[axis]);
}

// A cell matters where one that is not deep is as near as particles reach.
static void shallow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t tile = begin; tile < end; tile++) {
        float cells[BW_LEVEL_CELLS], range[2];
        uint64_t *shallow = job->near->wanted[tile];
        bw_level_range(job->level, job->level->frame->tiles[tile], range);
        memset(shallow, range[1] < -BW_DEEP ? 0 : 0xff, sizeof *job->near->wanted);
        if (range[0] >= -BW_DEEP || range[1] < -BW_DEEP)
            continue;
        bw_level_gather(job->level, job->level->frame->tiles[tile], cells);
        bw_level_spread(cells);
        memset(shallow, 0, sizeof *job->near->wanted);
        for (int n = 0; n < TILE_CELLS; n++) {
            int at = ((n >> 6) + BW_LEVEL_BEFORE) * BW_LEVEL_SIDE + (n >> 3 & 7) + BW_LEVEL_BEFORE;
            bool is_shallow = cells[at * BW_LEVEL_SIDE + (n & 7) + BW_LEVEL_BEFORE] >= -BW_DEEP;
            shallow[n >> 6] |= (uint64_t)is_shallow << (n & 63);
        }
    }
}

static void near_thin_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwFrame *frame = job->level->frame;
    for (int64_t tile = begin; tile < end; tile++)
        bw_thin_liquid_around(job->thin, frame, frame->tiles[tile], NEAR_THIN, job->near->wanted[tile]);
}

// Whether a particle's cell is one whose particles matter.
static bool is_wanted(const Job *job, int64_t n)
{
    int32_t cell = job->wet->cell[n];
    return cell >= 0 ? job->near->wanted[cell >> 9][cell >> 6 & 7] >> (cell & 63) & 1 : job->thin == NULL;
}

// The particle itself; false where it does not matter.
static bool find_particle(const Job *job, int64_t n, BwNearParticle *found)
{
    const BwLevel *level = job->level;
    float per_cell = 1.0f / level->frame->cell_size, place[3];
    int32_t tile = job->water->tile[n], of_frame = job->wet->cell[n];
    int cell = 0;
    for (int a = 0; a < 3; a++) {
        float within = bw_component(job->water->positions[n], a) * per_cell;
        cell |= bw_cell_along(within) << 3 * a;
        place[a] =
            (float)(BW_TILE * (along(job->water->tiles[tile], a) - level->lattice->anchor[a])) + within;
    }
    *found = (BwNearParticle){.place = bw_vec3(place[0], place[1], place[2]),
                              .volume = job->volumes[n] * per_cell * per_cell * per_cell,
                              .tile = tile,
                              .source = -1,
                              .cell = (uint16_t)cell,
                              .is_deep = of_frame >= 0 && level->values[of_frame] < -BW_DEEP};
    return found->volume > 0.0f && isfinite(place[0]) && isfinite(place[1]) && isfinite(place[2]);
}

// Whether a wall has an image of a particle behind it.
static bool has_image(const BwLattice *lattice, BwVec3 place, int axis, bool is_high)
{
    float wall = wall_place(lattice, axis, is_high), at = bw_component(place, axis);
    return (is_high ? wall - at : at - wall) <= (float)BW_NEAR_REACH;
}

// Appends the images of the first `count` of a list of `size` behind one wall; gives the new size.
static int add_images(const Job *job, BwNearParticle *list, int count, int size, int axis, bool is_high)
{
    float wall = wall_place(job->level->lattice, axis, is_high);
    if (!has_image(job->level->lattice, list[0].place, axis, is_high))
        return size;
    for (int n = 0; n < count; n++) {
        BwNearParticle *image = &list[size + n];
        *image = list[n];
        float *place = axis == 0 ? &image->place.x : axis == 1 ? &image->place.y : &image->place.z;
        *place = 2.0f * wall - *place;
        image->flips |= (uint8_t)(1u << axis);
    }
    return size + count;
}

// How many a particle and its images are, and then these.
static int count_images(const Job *job, int64_t n)
{
    BwNearParticle particle;
    const BwLattice *lattice = job->level->lattice;
    int count = find_particle(job, n, &particle);
    for (int a = 0; a < 3 && lattice->has_walls; a++)
        count *=
            1 + has_image(lattice, particle.place, a, false) + has_image(lattice, particle.place, a, true);
    return count;
}

static void find_images(const Job *job, int64_t n, BwNearParticle *list)
{
    int size = find_particle(job, n, list);
    for (int a = 0; a < 3 && job->level->lattice->has_walls && size > 0; a++) {
        int count = size;
        size = add_images(job, list, count, size, a, false);
        size = add_images(job, list, count, size, a, true);
    }
}

static void count_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    int64_t count = 0;
    for (int64_t n = begin; n < end; n++)
        count += is_wanted(job, n) ? count_images(job, n) : 0;
    job->near->blocks[begin / BLOCK + 1] = count;
}

static void find_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    int64_t at = job->near->blocks[begin / BLOCK];
    for (int64_t n = begin; n < end; n++) {
        int count = is_wanted(job, n) ? count_images(job, n) : 0;
        if (count == 0)
            continue;
        find_images(job, n, job->near->found + at);
        for (int m = 1; m < count; m++)
            job->near->found[at + m].source = (int32_t)at;
        at += count;
    }
}

static BwResult find_particles(const Job *job, BwPool *pool, BwError *err)
{
    BwNearParticles *near = job->near;
    int64_t count = job->water->count, blocks = (count + BLOCK - 1) / BLOCK;
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->blocks, &near->block_capacity, blocks + 1,
                      sizeof *near->blocks, err));
    near->blocks[0] = 0;
    bw_parallel_for(pool, count, BLOCK, count_range, (void *)job);
    for (int64_t n = 0; n < blocks; n++)
        near->blocks[n + 1] += near->blocks[n];
    near->found_count = near->blocks[blocks];
    if (near->found_count > INT32_MAX / 2)
        return bw_fail(err, BW_ERR_DEF, "%lld particles are too many for one mesh",
                       (long long)near->found_count);
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->found, &near->found_capacity, near->found_count,
                      sizeof *near->found, err));
    bw_parallel_for(pool, count, BLOCK, find_range, (void *)job);
    return BW_OK;
}

static BwResult reserve_tiles(const Job *job, BwError *err)
{
    BwNearParticles *near = job->near;
    int32_t count = job->water->tile_count;
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->own_tiles, &near->own_tile_capacity, count,
                      sizeof *near->own_tiles, err));
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->bounds, &near->bound_capacity, count,
                      sizeof *near->bounds, err));
    return BW_OK;
}

// Which cells of the set's tiles have particles.
static void find_bounds(const Job *job)
{
    static const int8_t none[6] = {BW_TILE, BW_TILE, BW_TILE, -1, -1, -1};
    BwNearParticles *near = job->near;
    for (int32_t n = 0; n < job->water->tile_count; n++)
        memcpy(near->bounds[n], none, sizeof none);
    for (int64_t n = 0; n < near->found_count; n++) {
        if (near->found[n].flips != 0)
            continue;
        int8_t *bounds = near->bounds[near->found[n].tile];
        for (int a = 0; a < 3; a++) {
            int8_t at = (int8_t)(near->found[n].cell >> 3 * a & 7);
            bounds[a] = at < bounds[a] ? at : bounds[a];
            bounds[3 + a] = at > bounds[3 + a] ? at : bounds[3 + a];
        }
    }
}

static BwResult push_tile(BwNearParticles *near, BwTileCoord tile, BwError *err)
{
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->tiles, &near->tile_capacity, near->tile_count + 1,
                      sizeof *near->tiles, err));
    near->tiles[near->tile_count++] = tile;
    return BW_OK;
}

// A tile of the set and those around it that its particles reach into.
static BwResult push_reached(const Job *job, int32_t n, BwError *err)
{
    const int8_t *bounds = job->near->bounds[n];
    BwTileCoord tile = job->water->tiles[n];
    if (bounds[3] < 0)
        return BW_OK;
    for (int m = 0; m < 27; m++) {
        const int step[3] = {m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1};
        bool is_reached = true;
        for (int a = 0; a < 3; a++)
            is_reached &= step[a] == 0 || (step[a] < 0 ? bounds[a] <= BW_NEAR_REACH
                                                       : bounds[3 + a] >= BW_TILE - 1 - BW_NEAR_REACH);
        if (is_reached)
            BW_TRY(push_tile(job->near, (BwTileCoord){tile.x + step[0], tile.y + step[1], tile.z + step[2]},
                             err));
    }
    return BW_OK;
}

static int order_of_tiles(const void *a, const void *b)
{
    const BwTileCoord *left = a, *right = b;
    return bw_tile_is_before(*left, *right) ? -1 : bw_tile_is_before(*right, *left) ? 1 : 0;
}

// A tile of the frame in which the liquid begins to be deep, and those beside a deep one that the frame does
// not have: they are behind walls.
static BwResult push_deep(const Job *job, int32_t n, BwError *err)
{
    const BwLevel *level = job->level;
    BwTileCoord tile = level->frame->tiles[n];
    int32_t found[27];
    if (level->ranges[n][0] >= -BW_DEEP)
        return BW_OK;
    if (level->ranges[n][1] >= -BW_DEEP)
        BW_TRY(push_tile(job->near, tile, err));
    bw_tiles_around(level->frame, tile, found);
    for (int m = 0; m < 27; m++)
        if (found[m] < 0)
            BW_TRY(push_tile(job->near,
                             (BwTileCoord){tile.x + m % 3 - 1, tile.y + m / 3 % 3 - 1, tile.z + m / 9 - 1},
                             err));
    return BW_OK;
}

// The tiles that particles reach into, and those at the rim of the deep.
static BwResult list_tiles(const Job *job, BwError *err)
{
    BwNearParticles *near = job->near;
    const BwLevel *level = job->level;
    near->tile_count = 0;
    for (int32_t n = 0; n < job->water->tile_count; n++)
        BW_TRY(push_reached(job, n, err));
    for (int32_t n = 0; n < level->frame->tile_count && job->thin == NULL; n++)
        BW_TRY(push_deep(job, n, err));
    if (near->tile_count > 0)
        qsort(near->tiles, (size_t)near->tile_count, sizeof *near->tiles, order_of_tiles);
    int64_t kept = 0;
    for (int64_t n = 0; n < near->tile_count; n++)
        if (kept == 0 || bw_tile_is_before(near->tiles[kept - 1], near->tiles[n]))
            near->tiles[kept++] = near->tiles[n];
    near->tile_count = kept;
    return BW_OK;
}

int32_t bw_near_tile(const BwNearParticles *near, BwTileCoord tile)
{
    return bw_tiles_find(near->tiles, (int32_t)near->tile_count, tile);
}

// Gives an image its tile and cell.
static void place_image(const Job *job, BwNearParticle *image)
{
    int32_t tile[3];
    int cell = 0;
    for (int a = 0; a < 3; a++) {
        float place = bw_component(image->place, a), start = floorf(place / BW_TILE);
        tile[a] = (int32_t)start + job->level->lattice->anchor[a];
        cell |= bw_cell_along(place - start * BW_TILE) << 3 * a;
    }
    image->tile = bw_near_tile(job->near, (BwTileCoord){tile[0], tile[1], tile[2]});
    image->cell = (uint16_t)cell;
}

// Sorts by counting.
static BwResult sort(const Job *job, BwError *err)
{
    BwNearParticles *near = job->near;
    const BwAllocator *allocator = &near->allocator;
    int64_t cells = near->tile_count * TILE_CELLS;
    BW_TRY(bw_reserve(allocator, (void **)&near->starts, &near->start_capacity, cells + 2,
                      sizeof *near->starts, err));
    BW_TRY(bw_reserve(allocator, (void **)&near->list, &near->list_capacity, near->found_count,
                      sizeof *near->list, err));
    BW_TRY(bw_reserve(allocator, (void **)&near->rank, &near->rank_capacity, near->found_count,
                      sizeof *near->rank, err));
    int32_t *starts = near->starts + 1; // while filled, `starts` of a cell is where its next one goes
    memset(near->starts, 0, (size_t)(cells + 2) * sizeof *near->starts);
    for (int64_t n = 0; n < near->found_count; n++)
        if (near->found[n].tile >= 0)
            starts[(int64_t)near->found[n].tile * TILE_CELLS + near->found[n].cell + 1]++;
    for (int64_t n = 0; n < cells; n++)
        starts[n + 1] += starts[n];
    near->count = starts[cells];
    for (int64_t n = 0; n < near->found_count; n++) {
        const BwNearParticle *found = &near->found[n];
        int32_t at = found->tile >= 0 ? starts[(int64_t)found->tile * TILE_CELLS + found->cell]++ : -1;
        near->rank[n] = at;
        if (at >= 0)
            near->list[at] = *found;
    }
    return BW_OK;
}

BwResult bw_near_particles_set(BwNearParticles *near, const BwLevel *level, const BwWetCells *wet,
                               const BwThinLiquid *thin, BwPool *pool, BwError *err)
{
    const BwFrameParticles *water = bw_water_with_volume(level->frame, err);
    if (water == NULL)
        return BW_ERR_DEF;
    const BwFrameAttribute *volume = bw_frame_attribute(water->attributes, water->attribute_count, "volume");
    Job job = {near, level, wet, thin, water, volume != NULL ? volume->values : NULL};
    BW_TRY(reserve_tiles(&job, err));
    BW_TRY(bw_reserve(&near->allocator, (void **)&near->wanted, &near->wanted_capacity,
                      level->frame->tile_count, sizeof *near->wanted, err));
    bw_parallel_for(pool, level->frame->tile_count, 8, thin != NULL ? near_thin_range : shallow_range, &job);
    BW_TRY(find_particles(&job, pool, err));
    find_bounds(&job);
    BW_TRY(list_tiles(&job, err));
    for (int32_t n = 0; n < water->tile_count; n++)
        near->own_tiles[n] = bw_near_tile(near, water->tiles[n]);
    for (int64_t n = 0; n < near->found_count; n++) {
        if (near->found[n].flips != 0)
            place_image(&job, &near->found[n]);
        else
            near->found[n].tile = near->own_tiles[near->found[n].tile];
    }
    return sort(&job, err);
}

void bw_near_particles_free(BwNearParticles *near)
{
    const BwAllocator *allocator = &near->allocator;
    bw_free(allocator, near->tiles, (size_t)near->tile_capacity * sizeof *near->tiles, BW_ALIGN);
    bw_free(allocator, near->list, (size_t)near->list_capacity * sizeof *near->list, BW_ALIGN);
    bw_free(allocator, near->starts, (size_t)near->start_capacity * sizeof *near->starts, BW_ALIGN);
    bw_free(allocator, near->found, (size_t)near->found_capacity * sizeof *near->found, BW_ALIGN);
    bw_free(allocator, near->rank, (size_t)near->rank_capacity * sizeof *near->rank, BW_ALIGN);
    bw_free(allocator, near->blocks, (size_t)near->block_capacity * sizeof *near->blocks, BW_ALIGN);
    bw_free(allocator, near->wanted, (size_t)near->wanted_capacity * sizeof *near->wanted, BW_ALIGN);
    bw_free(allocator, near->own_tiles, (size_t)near->own_tile_capacity * sizeof *near->own_tiles, BW_ALIGN);
    bw_free(allocator, near->bounds, (size_t)near->bound_capacity * sizeof *near->bounds, BW_ALIGN);
    *near = (BwNearParticles){.allocator = near->allocator};
}
