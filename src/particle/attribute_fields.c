// Each tile collects from its own particles and from those of the tiles around, in the order of tiles and of
// particles: no two threads write to one place, and sums are the same whoever makes them.
#include "particle/attribute_fields.h"

#include "base/extremes.h"
#include "grid/bits.h"

#include <math.h>
#include <string.h>

// Layers of cells around the particles' own that get values: what a cubic spline at the surface may read.
enum { LAYERS = 4 };

// Less weight than this tells nothing.
static const float weight_min = 1e-6f;

static bool is_among(BwAttributeField which, unsigned carried)
{
    static const unsigned needed[BW_ATTRIBUTE_FIELDS] = {BW_CARRIES_COLOR,     BW_CARRIES_COLOR,
                                                         BW_CARRIES_COLOR,     BW_CARRIES_TEMPERATURE,
                                                         BW_CARRIES_VISCOSITY, BW_CARRIES_AGE};
    return (carried & needed[which]) != 0;
}

bool bw_attribute_field_is_there(const BwAttributeFields *fields, BwAttributeField which)
{
    return is_among(which, fields->carried);
}

BwResult bw_attribute_fields_create(BwAttributeFields *fields, BwGrid *grid, unsigned carried, float ambient,
                                    BwError *err)
{
    *fields = (BwAttributeFields){.carried = carried & (BW_CARRIES_COLOR | BW_CARRIES_TEMPERATURE |
                                                        BW_CARRIES_VISCOSITY | BW_CARRIES_AGE)};
    if (fields->carried == 0)
        return BW_OK;
    for (int n = 0; n < BW_ATTRIBUTE_FIELDS; n++)
        if (bw_attribute_field_is_there(fields, (BwAttributeField)n))
            BW_TRY(bw_field_create(&fields->field[n], grid, BW_AT_CELL,
                                   n == BW_ATTRIBUTE_TEMPERATURE ? ambient : 0.0f, err));
    BW_TRY(bw_mask_create(&fields->known, grid, err));
    return bw_mask_create(&fields->grown, grid, err);
}

void bw_attribute_fields_destroy(BwAttributeFields *fields)
{
    for (int n = 0; n < BW_ATTRIBUTE_FIELDS; n++)
        bw_field_destroy(&fields->field[n]);
    bw_mask_destroy(&fields->known);
    bw_mask_destroy(&fields->grown);
}

typedef struct Job {
    BwAttributeFields *fields;
    const BwParticles *particles;
    const BwGrid *grid;
    double time;
    int count;                                  // of those that are there
    BwAttributeField list[BW_ATTRIBUTE_FIELDS]; // in the order of the particles' columns from red on
} Job;

typedef struct Sums {
    float weight[BW_TILE_CELLS_MAX];
    float value[BW_ATTRIBUTE_FIELDS][BW_TILE_CELLS_MAX];
} Sums;

// Where in the lattice of a tile's centres a particle of it, or of one beside it, lies: the low corner of the
// centres around it, and how far it is from that. False where it reaches none of them.
static bool find_corner(const Job *job, int64_t n, const int tile[3], int low[3], float part[3])
{
    for (int a = 0; a < job->grid->dimension; a++) {
        float at = job->particles->column[BW_PARTICLE_X + a][n] + (float)(BW_TILE * tile[a]) - 0.5f;
        if (!(at > -1.0f && at < (float)BW_TILE))
            return false;
        low[a] = (int)(at + 1.0f) - 1;
        part[a] = at - (float)low[a];
    }
    return true;
}

static void add_particle(const Job *job, int64_t n, const int tile[3], Sums *sums)
{
    float *const *column = job->particles->column;
    int low[3] = {0}, axes = job->grid->dimension;
    float part[3] = {0};
    if (!find_corner(job, n, tile, low, part))
        return;
    for (int corner = 0; corner < 1 << axes; corner++) {
        float weight = column[BW_PARTICLE_VOLUME][n];
        int cell = 0;
        bool is_inside = true;
        for (int a = 0; a < axes; a++) {
            int at = low[a] + (corner >> a & 1);
            is_inside &= at >= 0 && at < BW_TILE;
            cell += at * (1 << (3 * a)); // may be below 0, outside
            weight *= corner >> a & 1 ? part[a] : 1.0f - part[a];
        }
        if (!is_inside)
            continue;
        sums->weight[cell] += weight;
        for (int m = 0; m < job->count; m++)
            sums->value[job->list[m]][cell] += weight * column[BW_PARTICLE_RED + job->list[m]][n];
    }
}

// A particle carries when it was born, and the logarithm of its viscosity.
static float value_of(const Job *job, const Sums *sums, BwAttributeField which, int cell)
{
    float mean = sums->value[which][cell] / sums->weight[cell];
    if (which == BW_ATTRIBUTE_VISCOSITY)
        return expf(mean);
    return which != BW_ATTRIBUTE_AGE ? mean : bw_larger((float)(job->time - (double)mean), 0.0f);
}

static void set_tile(const Job *job, int32_t slot)
{
    Sums sums = {{0}, {{0}}};
    const int32_t *neighbour = job->grid->tiles[slot].neighbour;
    int first = bw_first_beside(job->grid);
    uint64_t *known = bw_mask_tile(&job->fields->known, slot);
    for (int c = first; c < 27 - first; c++) {
        const int tile[3] = {c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1};
        BwParticleRange range = bw_particle_range(job->particles, neighbour[c]);
        for (int64_t n = range.begin; n < range.end && neighbour[c] != 0; n++)
            add_particle(job, n, tile, &sums);
    }
    memset(known, 0, (size_t)job->grid->layers * sizeof *known);
    for (int cell = 0; cell < job->grid->tile_cells; cell++) {
        bool is_known = sums.weight[cell] > weight_min;
        known[cell >> 6] |= (uint64_t)is_known << (cell & 63);
        for (int m = 0; m < job->count; m++) {
            const BwField *field = &job->fields->field[job->list[m]];
            bw_field_tile(field, slot)[cell] =
                is_known ? value_of(job, &sums, job->list[m], cell) : bw_field_background(field);
        }
    }
}

static void set_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        set_tile(job, job->grid->order[m]);
}

// The mean of the known values beside a cell.
static void take_from_beside(const Job *job, int32_t slot, int cell)
{
    float sum[BW_ATTRIBUTE_FIELDS] = {0.0f}, count = 0.0f;
    for (int side = 0; side < 2 * job->grid->dimension; side++) {
        int other = cell;
        int32_t beside = bw_cell_beside(job->grid, slot, &other, side);
        if (!bw_bit(bw_mask_tile(&job->fields->known, beside), other))
            continue;
        count += 1.0f;
        for (int m = 0; m < job->count; m++)
            sum[m] += bw_field_tile(&job->fields->field[job->list[m]], beside)[other];
    }
    for (int m = 0; m < job->count; m++)
        bw_field_tile(&job->fields->field[job->list[m]], slot)[cell] = sum[m] / count;
}

// Cells beside known ones get values, which nobody reads in this round.
static void grow_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        for (int k = 0; k < job->grid->layers; k++) {
            uint64_t known = bw_mask_tile(&job->fields->known, slot)[k], near = 0;
            for (int side = 0; side < 2 * job->grid->dimension; side++)
                near |= bw_bits_beside(job->grid, &job->fields->known, slot, side, k);
            bw_mask_tile(&job->fields->grown, slot)[k] = known | near;
            for (uint64_t bits = near & ~known; bits != 0; bits &= bits - 1)
                take_from_beside(job, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits));
        }
    }
}

static void turn_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++)
        for (int k = 0; k < job->grid->layers; k++)
            bw_mask_tile(&job->fields->known, job->grid->order[m])[k] =
                bw_mask_tile(&job->fields->grown, job->grid->order[m])[k];
}

void bw_attribute_fields_set(BwAttributeFields *fields, const BwParticles *particles, unsigned wanted,
                             double time)
{
    Job job = {.fields = fields, .particles = particles, .grid = particles->grid, .time = time};
    for (int n = 0; n < BW_ATTRIBUTE_FIELDS; n++)
        if (is_among((BwAttributeField)n, fields->carried & wanted))
            job.list[job.count++] = (BwAttributeField)n;
    if (job.count == 0)
        return;
    bw_parallel_for(particles->pool, job.grid->tile_count, 4, set_range, &job);
    for (int layer = 0; layer < LAYERS; layer++) {
        bw_parallel_for(particles->pool, job.grid->tile_count, 16, grow_range, &job);
        bw_parallel_for(particles->pool, job.grid->tile_count, 64, turn_range, &job);
    }
}
