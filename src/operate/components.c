// Flooding bits within tiles, union and find across them.
#include "operate/components.h"

#include "grid/connect.h"

typedef struct Job {
    BwComponents *components;
    const BwMask *cells;
    const BwGrid *grid;
} Job;

BwResult bw_components_create(BwComponents *components, const BwAllocator *allocator, BwGrid *grid,
                              BwError *err)
{
    *components = (BwComponents){.allocator = *allocator};
    return bw_notes_create_wide(&components->parts, grid, BW_PART_WORDS, err);
}

void bw_components_destroy(BwComponents *components)
{
    const BwAllocator *allocator = &components->allocator;
    bw_notes_destroy(&components->parts);
    bw_free(allocator, components->parent, (size_t)components->parent_capacity * sizeof *components->parent,
            BW_ALIGN);
    bw_free(allocator, components->labels, (size_t)components->label_capacity * sizeof *components->labels,
            BW_ALIGN);
    *components = (BwComponents){0};
}

// The faces between two cells of the mask, by axis.
static void find_open_faces(const Job *job, int32_t slot, uint64_t open[3][BW_TILE])
{
    for (int a = 0; a < job->grid->dimension; a++)
        for (int k = 0; k < job->grid->layers; k++)
            open[a][k] =
                bw_mask_tile(job->cells, slot)[k] & bw_bits_beside(job->grid, job->cells, slot, 2 * a, k);
}

// Leaves the count in place of the first part.
static void count_parts(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t open[3][BW_TILE] = {{0}}, left[BW_TILE] = {0}, part[BW_TILE], count = 0;
        find_open_faces(job, slot, open);
        memcpy(left, bw_mask_tile(job->cells, slot), (size_t)job->grid->layers * sizeof *left);
        while (bw_part_take(open, job->grid->layers, left, part))
            count++;
        bw_note(&job->components->parts, slot)[BW_FIRST_PART] = count;
    }
}

static BwResult number_parts(const Job *job, BwError *err)
{
    BwComponents *components = job->components;
    uint64_t parts = 0, labels = 0;
    for (int32_t m = 0; m < job->grid->tile_count; m++) {
        uint64_t *tile = bw_note(&components->parts, job->grid->order[m]), count = tile[BW_FIRST_PART];
        tile[BW_FIRST_PART] = parts;
        tile[BW_FIRST_LABEL] = count == 0 ? bw_no_part : count == 1 ? bw_one_part : labels;
        parts += count;
        labels += count > 1 ? (uint64_t)job->grid->tile_cells : 0;
    }
    components->part_count = (int32_t)parts;
    BW_TRY(bw_reserve(&components->allocator, (void **)&components->parent, &components->parent_capacity,
                      (int64_t)parts + 1, sizeof *components->parent, err));
    return bw_reserve(&components->allocator, (void **)&components->labels, &components->label_capacity,
                      (int64_t)labels + 1, sizeof *components->labels, err);
}

static void label_cells(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = job->grid->order[m];
        uint64_t first = bw_note(&job->components->parts, slot)[BW_FIRST_LABEL];
        if (first == bw_one_part || first == bw_no_part)
            continue;
        uint64_t open[3][BW_TILE] = {{0}}, left[BW_TILE] = {0}, part[BW_TILE];
        find_open_faces(job, slot, open);
        memcpy(left, bw_mask_tile(job->cells, slot), (size_t)job->grid->layers * sizeof *left);
        for (uint16_t number = 0; bw_part_take(open, job->grid->layers, left, part); number++)
            for (int k = 0; k < job->grid->layers; k++)
                for (uint64_t bits = part[k]; bits != 0; bits &= bits - 1)
                    job->components->labels[first + (uint64_t)(64 * k + __builtin_ctzll(bits))] = number;
    }
}

// Joins the parts of a tile to those of the tile before it along an axis.
static void join_tile(const Job *job, int32_t slot, int axis)
{
    static const uint64_t rim[3] = {BW_COLUMN, BW_ROW, ~UINT64_C(0)};
    int layers = axis == 2 ? 1 : job->grid->layers;
    for (int k = 0; k < layers; k++) {
        uint64_t open =
            bw_mask_tile(job->cells, slot)[k] & bw_bits_beside(job->grid, job->cells, slot, 2 * axis, k);
        for (uint64_t bits = open & rim[axis]; bits != 0; bits &= bits - 1) {
            int cell = 64 * k + __builtin_ctzll(bits), other = cell;
            int32_t beside = bw_cell_beside(job->grid, slot, &other, 2 * axis);
            bw_roots_join(job->components->parent, bw_part_of(job->components, slot, cell),
                          bw_part_of(job->components, beside, other));
        }
    }
}

static void join_parts(const Job *job)
{
    BwComponents *components = job->components;
    for (int32_t n = 0; n < components->part_count; n++)
        components->parent[n] = n;
    for (int32_t m = 0; m < job->grid->tile_count; m++)
        for (int a = 0; a < job->grid->dimension && bw_tile_has_parts(components, job->grid->order[m]); a++)
            join_tile(job, job->grid->order[m], a);
    for (int32_t n = 0; n < components->part_count; n++)
        components->parent[n] = bw_root_of(components->parent, n);
}

BwResult bw_components_find(BwComponents *components, const BwMask *cells, const BwDomain *domain,
                            BwError *err)
{
    Job job = {components, cells, domain->grid};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, count_parts, &job);
    BW_TRY(number_parts(&job, err));
    bw_parallel_for(domain->pool, domain->grid->tile_count, 32, label_cells, &job);
    join_parts(&job);
    return BW_OK;
}
