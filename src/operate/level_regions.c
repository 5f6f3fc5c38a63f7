// Sums are by part of a tile, then by region in the order of parts: the same for any number of workers.
#include "operate/level_regions.h"

#include "domain/measure.h"
#include "grid/bits.h"
#include "operate/level_volume.h"

#include <math.h>
#include <string.h>

// Layers of cells around a region that have its label: the band of phi, and what a path may miss it by.
enum { LAYERS_AROUND = 5 };

// A part has come out of so many regions at most; more in one tile are rare, and then the first ones count.
enum { ORIGINS = 6 };

// Bounds that no cell has widened yet.
#define NOWHERE_LOW                                                                                          \
    {                                                                                                        \
        INT32_MAX, INT32_MAX, INT32_MAX                                                                      \
    }
#define NOWHERE_HIGH                                                                                         \
    {                                                                                                        \
        INT32_MIN, INT32_MIN, INT32_MIN                                                                      \
    }

typedef struct BwRegionPart {
    double volume, area, blown;
    int32_t low[3], high[3]; // cells
    int32_t origin[ORIGINS]; // regions before
    double weight[ORIGINS];  // m^3 of this part that was in them
    int origin_count;
} BwRegionPart;

typedef struct Job {
    BwLevelRegions *regions;
    const BwLevelLiquid *liquid;
    const BwVelocity *velocity; // NULL: where the liquid came from does not matter
    const BwVelocity *before;   // the change
    const BwGrid *grid;
    float cells_per_speed; // dt / h
} Job;

BwResult bw_level_regions_create(BwLevelRegions *regions, const BwAllocator *allocator, BwGrid *grid,
                                 BwError *err)
{
    regions->allocator = *allocator;
    BW_TRY(bw_mask_create(&regions->cells, grid, err));
    BW_TRY(bw_mask_create(&regions->known, grid, err));
    BW_TRY(bw_mask_create(&regions->front, grid, err));
    BW_TRY(bw_field_create(&regions->label, grid, BW_AT_CELL, -1.0f, err));
    return bw_components_create(&regions->components, allocator, grid, err);
}

void bw_level_regions_destroy(BwLevelRegions *regions)
{
    const BwAllocator *allocator = &regions->allocator;
    bw_mask_destroy(&regions->cells);
    bw_mask_destroy(&regions->known);
    bw_mask_destroy(&regions->front);
    bw_field_destroy(&regions->label);
    bw_components_destroy(&regions->components);
    bw_free(allocator, regions->list, (size_t)regions->list_capacity * sizeof *regions->list, BW_ALIGN);
    bw_free(allocator, regions->before, (size_t)regions->before_capacity * sizeof *regions->before, BW_ALIGN);
    bw_free(allocator, regions->region_of_part,
            (size_t)regions->part_capacity * sizeof *regions->region_of_part, BW_ALIGN);
    bw_free(allocator, regions->parts, (size_t)regions->sum_capacity * sizeof *regions->parts, BW_ALIGN);
    *regions = (BwLevelRegions){0};
}

static void mark_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *phi = bw_field_tile(job->liquid->phi, slot),
                    *open = bw_field_tile(job->liquid->open, slot);
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t word = 0, may = job->grid->tiles[slot].live[k];
            for (int n = BW_TILE_LAYER * k; n < BW_TILE_LAYER * (k + 1) && may != 0; n++)
                word |= (uint64_t)(phi[n] < job->grid->cell_size && open[n] > 0.0f) << (n & 63);
            bw_mask_tile(&job->regions->cells, slot)[k] = word & may;
        }
    }
}

// The region before that the liquid of a cell was in, below 0: none.
static int32_t origin_of(const Job *job, int32_t slot, int cell)
{
    const BwGrid *grid = job->grid;
    int32_t at[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, at);
    for (int a = 0; a < 3; a++)
        at[a] += cell >> (3 * a) & 7;
    for (int a = 0; a < grid->dimension; a++) {
        const BwField *u = &job->velocity->u[a];
        float speed = 0.5f * (bw_field_tile(u, slot)[cell] + bw_value_beside(u, slot, cell, 2 * a + 1));
        at[a] -= (int32_t)lrintf(fminf(fmaxf(job->cells_per_speed * speed, -1e6f), 1e6f));
    }
    int32_t tile = bw_grid_find(grid, bw_tile_of_cell(grid, at));
    int there = (at[0] & 7) + 8 * (at[1] & 7) + (grid->dimension == 3 ? 64 * (at[2] & 7) : 0);
    return tile > 0 ? (int32_t)bw_field_tile(&job->regions->label, tile)[there] : -1;
}

static void add_origin(BwRegionPart *part, int32_t origin, double weight)
{
    int n = 0;
    while (n < part->origin_count && part->origin[n] != origin)
        n++;
    if (origin < 0 || n == ORIGINS)
        return;
    if (n == part->origin_count)
        part->weight[n] = 0.0;
    part->origin_count = n == part->origin_count ? n + 1 : part->origin_count;
    part->origin[n] = origin;
    part->weight[n] += weight;
}

// The smooth delta function of Osher and Fedkiw 2003, over a cell to each side, times the side of a cell.
static double area_of(const Job *job, float phi, float open)
{
    float h = job->grid->cell_size;
    return fabsf(phi) < h ? (double)(0.5f * open * (1.0f + cosf(3.14159265f * phi / h))) : 0.0;
}

static void widen(int32_t low[3], int32_t high[3], const int32_t from[3], const int32_t to[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = from[a] < low[a] ? from[a] : low[a];
        high[a] = to[a] > high[a] ? to[a] : high[a];
    }
}

static void sum_tile(const Job *job, int32_t slot)
{
    const BwLevelLiquid *liquid = job->liquid;
    const float *phi = bw_field_tile(liquid->phi, slot), *open = bw_field_tile(liquid->open, slot);
    double cell_volume = bw_cell_volume(job->grid), cell_area = cell_volume / (double)job->grid->cell_size;
    float shares[BW_TILE_CELLS_MAX];
    int32_t first[3];
    bw_level_shares(liquid->phi, liquid->open, liquid->domain, slot, shares);
    bw_tile_first_cell(job->grid, job->grid->tiles[slot].coord, first);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        if (!bw_bit(bw_mask_tile(&job->regions->cells, slot), n))
            continue;
        BwRegionPart *part = &job->regions->parts[bw_part_of(&job->regions->components, slot, n)];
        const int32_t at[3] = {first[0] + (n & 7), first[1] + (n >> 3 & 7), first[2] + (n >> 6)};
        widen(part->low, part->high, at, at);
        double volume = cell_volume * (double)shares[n];
        part->volume += volume;
        part->area += cell_area * area_of(job, phi[n], open[n]);
        if (volume > 0.0 && job->velocity != NULL)
            add_origin(part, origin_of(job, slot, n), volume);
    }
}

static void sum_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        if (bw_tile_has_parts(&job->regions->components, job->grid->order[m]))
            sum_tile(job, job->grid->order[m]);
}

// Regions by number, in the order of their first parts, with their sums.
static BwResult number_regions(BwLevelRegions *regions, BwError *err)
{
    const BwComponents *components = &regions->components;
    int32_t count = 0;
    for (int32_t n = 0; n < components->part_count; n++)
        regions->region_of_part[n] =
            components->parent[n] == n ? count++ : regions->region_of_part[components->parent[n]];
    regions->count = count;
    BW_TRY(bw_reserve(&regions->allocator, (void **)&regions->list, &regions->list_capacity,
                      (int64_t)count + 1, sizeof *regions->list, err));
    for (int32_t n = 0; n < count; n++)
        regions->list[n] = (BwLevelRegion){.low = NOWHERE_LOW, .high = NOWHERE_HIGH};
    for (int32_t n = 0; n < components->part_count; n++) {
        BwLevelRegion *region = &regions->list[regions->region_of_part[n]];
        region->volume += regions->parts[n].volume;
        region->area += regions->parts[n].area;
        widen(region->low, region->high, regions->parts[n].low, regions->parts[n].high);
    }
    return BW_OK;
}

static BwResult find(Job *job, BwError *err)
{
    BwLevelRegions *regions = job->regions;
    const BwDomain *domain = job->liquid->domain;
    bw_parallel_for(domain->pool, job->grid->tile_count, 32, mark_range, job);
    BW_TRY(bw_components_find(&regions->components, &regions->cells, domain, err));
    int64_t count = regions->components.part_count;
    BW_TRY(bw_reserve(&regions->allocator, (void **)&regions->parts, &regions->sum_capacity, count + 1,
                      sizeof *regions->parts, err));
    BW_TRY(bw_reserve(&regions->allocator, (void **)&regions->region_of_part, &regions->part_capacity,
                      count + 1, sizeof *regions->region_of_part, err));
    for (int64_t n = 0; n < count; n++)
        regions->parts[n] = (BwRegionPart){.low = NOWHERE_LOW, .high = NOWHERE_HIGH};
    bw_parallel_for(domain->pool, job->grid->tile_count, 32, sum_range, job);
    return number_regions(regions, err);
}

static void label_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwLevelRegions *regions = job->regions;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        float *labels = bw_field_tile(&regions->label, slot);
        const uint64_t *cells = bw_mask_tile(&regions->cells, slot);
        for (int n = 0; n < job->grid->tile_cells; n++)
            labels[n] = bw_bit(cells, n)
                            ? (float)regions->region_of_part[bw_part_of(&regions->components, slot, n)]
                            : -1.0f;
        memcpy(bw_mask_tile(&regions->known, slot), cells, (size_t)job->grid->layers * sizeof *cells);
    }
}

// Cells without a label beside ones that have one take that of the first of these.
static void extend_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->grid;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < grid->layers; k++) {
            int32_t slot = grid->order[m];
            uint64_t wanted = grid->tiles[slot].live[k] & ~bw_mask_tile(&job->regions->known, slot)[k],
                     set = 0;
            for (int side = 0; side < 2 * grid->dimension; side++) {
                uint64_t bits = wanted & ~set & bw_bits_beside(grid, &job->regions->known, slot, side, k);
                set |= bits;
                for (; bits != 0; bits &= bits - 1) {
                    int cell = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                    bw_field_tile(&job->regions->label, slot)[cell] =
                        bw_value_beside(&job->regions->label, slot, cell, side);
                }
            }
            bw_mask_tile(&job->regions->front, slot)[k] = set;
        }
}

static void label(Job *job)
{
    const BwDomain *domain = job->liquid->domain;
    bw_parallel_for(domain->pool, job->grid->tile_count, 32, label_range, job);
    for (int n = 0; n < LAYERS_AROUND; n++) {
        bw_parallel_for(domain->pool, job->grid->tile_count, 32, extend_range, job);
        bw_mask_join(&job->regions->known, &job->regions->front);
    }
}

// m/s, that the change moves the surface by along its normal, in a cell.
static double blown_at(const Job *job, int32_t slot, int cell)
{
    double sum = 0.0;
    for (int a = 0; a < job->grid->dimension; a++) {
        const BwField *now = &job->velocity->u[a], *before = &job->before->u[a], *phi = job->liquid->phi;
        float change = bw_field_tile(now, slot)[cell] - bw_field_tile(before, slot)[cell] +
                       bw_value_beside(now, slot, cell, 2 * a + 1) -
                       bw_value_beside(before, slot, cell, 2 * a + 1);
        float slope = bw_value_beside(phi, slot, cell, 2 * a + 1) - bw_value_beside(phi, slot, cell, 2 * a);
        sum += 0.25 * (double)(change * slope) / (double)job->grid->cell_size;
    }
    return sum;
}

static void blow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double cell_area = bw_cell_volume(job->grid) / (double)job->grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        const float *phi = bw_field_tile(job->liquid->phi, slot),
                    *open = bw_field_tile(job->liquid->open, slot);
        for (int n = 0; n < job->grid->tile_cells; n++)
            if (fabsf(phi[n]) < job->grid->cell_size && bw_bit(bw_mask_tile(&job->regions->cells, slot), n))
                job->regions->parts[bw_part_of(&job->regions->components, slot, n)].blown +=
                    cell_area * area_of(job, phi[n], open[n]) * blown_at(job, slot, n);
    }
}

void bw_level_regions_find_blown(BwLevelRegions *regions, const BwLevelLiquid *liquid,
                                 const BwVelocity *before, const BwVelocity *velocity)
{
    Job job = {.regions = regions,
               .liquid = liquid,
               .velocity = velocity,
               .before = before,
               .grid = liquid->domain->grid};
    for (int32_t n = 0; n < regions->components.part_count; n++)
        regions->parts[n].blown = 0.0;
    bw_parallel_for(liquid->domain->pool, job.grid->tile_count, 32, blow_range, &job);
    for (int32_t n = 0; n < regions->count; n++)
        regions->list[n].blown = 0.0;
    for (int32_t n = 0; n < regions->components.part_count; n++)
        regions->list[regions->region_of_part[n]].blown += regions->parts[n].blown;
}

double bw_level_regions_target(const BwLevelRegions *regions)
{
    double sum = 0.0;
    for (int32_t n = 0; n < regions->count; n++)
        sum += regions->list[n].target;
    return sum;
}

static double volume_of_all(const BwLevelRegions *regions)
{
    double sum = 0.0;
    for (int32_t n = 0; n < regions->count; n++)
        sum += regions->list[n].volume;
    return sum;
}

static double got_by_all(const BwLevelRegions *regions)
{
    double sum = 0.0;
    for (int32_t n = 0; n < regions->count; n++)
        sum += regions->list[n].got;
    return sum;
}

void bw_level_regions_begin_count(BwLevelRegions *regions)
{
    regions->given_back = 0.0;
    for (int32_t n = 0; n < regions->count; n++)
        regions->list[n].got = 0.0;
}

// What of all targets is in no region goes to all of them by their volumes.
static void share_rest(BwLevelRegions *regions, double total)
{
    double volume = volume_of_all(regions), rest = total - bw_level_regions_target(regions),
           got = regions->given_back - got_by_all(regions);
    for (int32_t n = 0; n < regions->count && volume > 0.0; n++) {
        BwLevelRegion *region = &regions->list[n];
        region->target = fmax(region->target + rest * region->volume / volume, 0.0);
        region->got += got * region->volume / volume;
    }
    double sum = bw_level_regions_target(regions), scale = sum > 0.0 ? fmax(total, 0.0) / sum : 0.0;
    for (int32_t n = 0; n < regions->count; n++) // where none may be below 0
        regions->list[n].target *= scale;
    regions->total = total;
}

BwResult bw_level_regions_start(BwLevelRegions *regions, const BwLevelLiquid *liquid, double total,
                                BwError *err)
{
    Job job = {.regions = regions, .liquid = liquid, .grid = liquid->domain->grid};
    BW_TRY(find(&job, err));
    label(&job);
    regions->given_back = 0.0;
    share_rest(regions, total);
    return BW_OK;
}

// The square of how far apart the bounds of two regions are, in cells.
static double apart2(const BwLevelRegion *one, const BwLevelRegion *other)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        double gap =
            fmax(fmax((double)one->low[a] - other->high[a], (double)other->low[a] - one->high[a]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

// What a region left that is gone goes to the nearest one, to several as near by their volumes: to the splash
// that it was part of, not to a pool elsewhere.
static void hand_to_nearest(BwLevelRegions *regions, const BwLevelRegion *gone)
{
    double nearest2 = INFINITY, volume = 0.0;
    for (int32_t n = 0; n < regions->count; n++) {
        double distance2 = regions->list[n].volume > 0.0 ? apart2(gone, &regions->list[n]) : INFINITY;
        if (distance2 < nearest2)
            volume = 0.0;
        nearest2 = fmin(nearest2, distance2);
        volume += distance2 <= nearest2 ? regions->list[n].volume : 0.0;
    }
    for (int32_t n = 0; n < regions->count && volume > 0.0; n++) {
        BwLevelRegion *region = &regions->list[n];
        double share = apart2(gone, region) <= nearest2 ? region->volume / volume : 0.0;
        region->target += share * gone->target;
        region->got += share * gone->got;
    }
}

// Hands targets, volumes and what was given back of the regions before on to those now. `came` becomes the
// volume that came along, by region, then how much of each region before is somewhere now.
static void hand_on(BwLevelRegions *regions, double *came)
{
    int32_t count = regions->components.part_count;
    double *shared = came + regions->count; // m^3 of each region before that is somewhere now
    memset(came, 0, (size_t)(regions->count + regions->before_count) * sizeof *came);
    for (int32_t n = 0; n < count; n++)
        for (int o = 0; o < regions->parts[n].origin_count; o++)
            shared[regions->parts[n].origin[o]] += regions->parts[n].weight[o];
    for (int32_t n = 0; n < count; n++)
        for (int o = 0; o < regions->parts[n].origin_count; o++) {
            int32_t origin = regions->parts[n].origin[o], region = regions->region_of_part[n];
            double share = regions->parts[n].weight[o] / shared[origin];
            regions->list[region].target += share * regions->before[origin].target;
            regions->list[region].got += share * regions->before[origin].got;
            came[region] += share * regions->before[origin].volume;
        }
}

// Whether a region before is nowhere now.
static bool is_gone(const BwLevelRegions *regions, const double *came, int32_t before)
{
    return came[regions->count + before] == 0.0;
}

// What sources gave or sinks took is where the volume has changed that way in the step: sinks may have taken
// what is gone.
static void attribute(BwLevelRegions *regions, const double *came, double change)
{
    double sum = 0.0;
    for (int pass = 0; pass < 2 && change != 0.0; pass++) {
        for (int32_t n = 0; n < regions->count; n++) {
            double weight = fmax(copysign(1.0, change) * (regions->list[n].volume - came[n]), 0.0);
            if (pass == 0)
                sum += weight;
            else if (sum > 0.0)
                regions->list[n].target += change * weight / sum;
        }
        for (int32_t n = 0; n < regions->before_count && change < 0.0; n++) {
            BwLevelRegion *before = &regions->before[n];
            double weight = is_gone(regions, came, n) ? before->volume : 0.0;
            if (pass == 0)
                sum += weight;
            else if (sum > 0.0)
                before->target = fmax(before->target + change * weight / sum, 0.0);
        }
    }
}

BwResult bw_level_regions_follow(BwLevelRegions *regions, const BwLevelLiquid *liquid,
                                 const BwVelocity *velocity, double dt, double total, BwError *err)
{
    Job job = {.regions = regions,
               .liquid = liquid,
               .velocity = velocity,
               .grid = liquid->domain->grid,
               .cells_per_speed = (float)(dt / (double)liquid->domain->grid->cell_size)};
    BwLevelRegion *list = regions->before;
    int64_t capacity = regions->before_capacity;
    regions->before = regions->list;
    regions->before_capacity = regions->list_capacity;
    regions->before_count = regions->count;
    regions->list = list;
    regions->list_capacity = capacity;
    BW_TRY(find(&job, err));
    size_t bytes = (size_t)(regions->count + regions->before_count + 1) * sizeof(double);
    double *came = bw_alloc(&regions->allocator, bytes, BW_ALIGN);
    if (came == NULL)
        return bw_fail_memory(err);
    hand_on(regions, came);
    attribute(regions, came, total - regions->total);
    for (int32_t n = 0; n < regions->before_count; n++)
        if (is_gone(regions, came, n))
            hand_to_nearest(regions, &regions->before[n]);
    bw_free(&regions->allocator, came, bytes, BW_ALIGN);
    label(&job);
    share_rest(regions, total);
    return BW_OK;
}
