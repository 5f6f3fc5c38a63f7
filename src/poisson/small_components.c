// Small connected components, each solved by an L D L^T factor within the envelope of its matrix (Jennings
// 1966), in double. A column is taken off all rows behind it at once, so that sums keep their order whatever
// the lanes; components do not depend on one another, so any number of workers gives the same bits.
#include "poisson/small_components.h"

#include <string.h>

// A component is small when it has no more unknowns than this, its bounding box no more cells, and its factor
// no more numbers: beyond, multigrid is as fast.
enum { UNKNOWNS_MAX = 256, BOX_MAX = 4096, ENVELOPE_MAX = 16384 };

// Components a block of parallel work.
enum { GRAIN = 8 };

// One component, while it is solved. Unknowns are gathered tile by tile; numbers follow the box, along its
// shortest side first, which makes the envelope narrow.
typedef struct Component {
    int count;
    int32_t tile[UNKNOWNS_MAX]; // in the order of gathering, as are `cell` and `place`
    int16_t cell[UNKNOWNS_MAX], place[UNKNOWNS_MAX], at[UNKNOWNS_MAX][3]; // the last in the box
    int32_t low[3], high[3];                                              // of the box, in cells
    int size[3], stride[3];                        // its cells along each axis, and of their places
    int16_t number[BOX_MAX];                       // by place, -1: no unknown of the component
    int16_t beside[UNKNOWNS_MAX][BW_BESIDE_COUNT]; // by number: the unknown across each face, or -1
    double weight[UNKNOWNS_MAX][BW_BESIDE_COUNT], diagonal[UNKNOWNS_MAX], right[UNKNOWNS_MAX];
    double x[UNKNOWNS_MAX], column[UNKNOWNS_MAX];
    int first[UNKNOWNS_MAX], last[UNKNOWNS_MAX]; // columns that a row begins with, rows that a column ends in
    int row[UNKNOWNS_MAX];                       // where each begins in the envelope, less its first column
    double envelope[ENVELOPE_MAX];
} Component;

typedef struct SmallJob {
    BwPoissonTiles *tiles;
    int32_t count;  // of components with few enough unknowns
    int32_t *first; // of their parts in `part`; [count + 1]
    int32_t *part, *tile_of_part;
    int32_t *component_of_part; // -1: not small
    bool *is_solved;            // by component
    BwPoissonNorms *norms;
    Component *scratch; // by worker
} SmallJob;

static void widen_box(Component *c, const int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        c->low[a] = at[a] < c->low[a] ? at[a] : c->low[a];
        c->high[a] = at[a] > c->high[a] ? at[a] : c->high[a];
    }
}

static void cell_position(const BwPoissonTiles *tiles, int32_t t, int cell, int32_t at[3])
{
    const BwGrid *grid = tiles->system->grid;
    bw_tile_first_cell(grid, grid->tiles[tiles->tile[t].slot].coord, at);
    for (int a = 0; a < 3; a++)
        at[a] += cell >> (3 * a) & 7;
}

static void gather_part(const SmallJob *job, int32_t part, Component *c)
{
    int32_t t = job->tile_of_part[part];
    const BwPoissonTile *tile = &job->tiles->tile[t];
    const uint16_t *labels = tile->label < 0 ? NULL : job->tiles->labels + tile->label;
    for (int k = 0; k < job->tiles->layers; k++)
        for (uint64_t bits = tile->unknown[k]; bits != 0; bits &= bits - 1) {
            int cell = 64 * k + __builtin_ctzll(bits);
            if (labels != NULL && labels[cell] != part - tile->first_part)
                continue;
            int32_t at[3];
            cell_position(job->tiles, t, cell, at);
            widen_box(c, at);
            c->tile[c->count] = t;
            c->cell[c->count++] = (int16_t)cell;
        }
}

// Gives false where the box is too large.
static bool lay_out_box(Component *c)
{
    int64_t places = 1;
    for (int a = 0; a < 3; a++) {
        int64_t size = (int64_t)c->high[a] - c->low[a] + 1;
        if (size > BOX_MAX)
            return false;
        c->size[a] = (int)size;
        places *= size;
    }
    if (places > BOX_MAX)
        return false;
    for (int a = 0; a < 3; a++) {
        c->stride[a] = 1;
        for (int b = 0; b < 3; b++)
            c->stride[a] *= c->size[b] < c->size[a] || (c->size[b] == c->size[a] && b < a) ? c->size[b] : 1;
    }
    memset(c->number, -1, (size_t)places * sizeof *c->number);
    return true;
}

// The place of a cell in the box, or -1, and where that is.
static int place_of_cell(const BwPoissonTiles *tiles, const Component *c, int32_t t, int cell,
                         int16_t in_box[3])
{
    int32_t at[3];
    int place = 0;
    cell_position(tiles, t, cell, at);
    for (int a = 0; a < 3; a++) {
        if (at[a] < c->low[a] || at[a] > c->high[a])
            return -1;
        in_box[a] = (int16_t)(at[a] - c->low[a]);
        place += c->stride[a] * in_box[a];
    }
    return place;
}

static bool number_unknowns(const BwPoissonTiles *tiles, Component *c)
{
    if (!lay_out_box(c))
        return false;
    int end = 0;
    for (int n = 0; n < c->count; n++) {
        int place = place_of_cell(tiles, c, c->tile[n], c->cell[n], c->at[n]);
        c->place[n] = (int16_t)place;
        c->number[place] = 0;
        end = place >= end ? place + 1 : end;
    }
    for (int place = 0, number = 0; place < end; place++)
        if (c->number[place] == 0)
            c->number[place] = (int16_t)number++;
    return true;
}

// The number across one side of an unknown, or -1. Unknowns beside each other on an open face are connected,
// so one of another component is not asked for.
static int number_across(const BwPoissonTiles *tiles, const Component *c, int m, int side)
{
    int axis = side / 2, sign = side % 2 ? 1 : -1;
    if (tiles->system->grid->period[axis] == 0) {
        bool is_inside = c->at[m][axis] != (side % 2 ? c->size[axis] - 1 : 0);
        return is_inside ? c->number[c->place[m] + sign * c->stride[axis]] : -1;
    }
    int32_t t = c->tile[m];
    int cell = c->cell[m], step = 1 << (3 * axis), last = axis == 2 ? tiles->layers - 1 : BW_TILE - 1;
    bool is_inside = (cell >> (3 * axis) & 7) != (side % 2 ? last : 0);
    int32_t other = is_inside ? t : tiles->tile[t].beside[side];
    int16_t at[3];
    cell += sign * (is_inside ? 1 : -last) * step;
    int place = other == 0 ? -1 : place_of_cell(tiles, c, other, cell, at);
    return place < 0 ? -1 : c->number[place];
}

static double face_weight(const BwPoissonStar *star, int cell, int side)
{
    int axis = side / 2, step = 1 << (3 * axis), last = axis == 2 ? star->layers - 1 : BW_TILE - 1;
    if (side % 2 == 0)
        return (double)star->face[axis][cell];
    bool is_inside = (cell >> (3 * axis) & 7) != last;
    return (double)(is_inside ? star->face[axis][cell + step] : star->face_high[axis][cell - last * step]);
}

// The equation of every unknown.
static void gather_equations(const BwPoissonTiles *tiles, Component *c, double shift)
{
    BwPoissonStar star = {0};
    const float *right = NULL;
    for (int m = 0; m < c->count; m++) {
        int32_t t = c->tile[m];
        int cell = c->cell[m], n = c->number[c->place[m]];
        if (m == 0 || t != c->tile[m - 1]) {
            star = bw_poisson_star(tiles, t);
            right = bw_field_tile(tiles->system->right, tiles->tile[t].slot);
        }
        c->right[n] = (double)right[cell] - shift;
        c->diagonal[n] = star.mass != NULL ? (double)star.mass[cell] : 0.0;
        for (int side = 0; side < BW_BESIDE_COUNT; side++) {
            double weight = face_weight(&star, cell, side);
            c->weight[n][side] = weight;
            c->diagonal[n] += weight;
            c->beside[n][side] = (int16_t)(weight > 0.0 ? number_across(tiles, c, m, side) : -1);
        }
    }
}

// Fills the envelope of the lower triangle; gives false where it is too large.
static bool fill_envelope(Component *c)
{
    int size = 0;
    for (int n = 0; n < c->count; n++) {
        c->first[n] = c->last[n] = n;
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (c->beside[n][side] >= 0 && c->beside[n][side] < c->first[n])
                c->first[n] = c->beside[n][side];
        c->row[n] = size - c->first[n];
        size += n - c->first[n] + 1;
        c->last[c->first[n]] = n;
    }
    if (size > ENVELOPE_MAX)
        return false;
    for (int n = 1; n < c->count; n++)
        c->last[n] = c->last[n] > c->last[n - 1] ? c->last[n] : c->last[n - 1];
    memset(c->envelope, 0, (size_t)size * sizeof *c->envelope);
    for (int n = 0; n < c->count; n++) {
        c->envelope[c->row[n] + n] = c->diagonal[n];
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (c->beside[n][side] >= 0 && c->beside[n][side] < n)
                c->envelope[c->row[n] + c->beside[n][side]] -= c->weight[n][side];
    }
    return true;
}

static inline void subtract_scaled(double *restrict row, const double *restrict column, double scale, int end)
{
    for (int m = 0; m < end; m++)
        row[m] -= scale * column[m];
}

// L D L^T in place, the reciprocal of D on the diagonal, and x = L^-1 b beside it. Where nothing fixes x the
// last pivot is rounding, and x is taken to be zero there.
static void factor(Component *c, bool is_singular)
{
    double *a = c->envelope;
    memcpy(c->x, c->right, (size_t)c->count * sizeof *c->x);
    for (int k = 0; k < c->count; k++) {
        double pivot = a[c->row[k] + k];
        bool is_none = !(pivot > 0.0) || (is_singular && k == c->count - 1);
        double reciprocal = a[c->row[k] + k] = is_none ? 0.0 : 1.0 / pivot;
        int length = c->last[k] - k;
        for (int m = 0; m < length; m++)
            c->column[m] = c->first[k + 1 + m] <= k ? a[c->row[k + 1 + m] + k] : 0.0;
        for (int m = 0; m < length; m++) {
            if (c->column[m] == 0.0)
                continue;
            double *row = a + c->row[k + 1 + m] + k;
            row[0] = c->column[m] * reciprocal;
            c->x[k + 1 + m] -= row[0] * c->x[k];
            subtract_scaled(row + 1, c->column, row[0], m + 1);
        }
    }
}

// x = L^-T D^-1 x.
static void substitute_back(Component *c)
{
    const double *a = c->envelope;
    for (int n = 0; n < c->count; n++)
        c->x[n] *= a[c->row[n] + n];
    for (int n = c->count - 1; n >= 0; n--)
        subtract_scaled(c->x + c->first[n], a + c->row[n] + c->first[n], c->x[n], n - c->first[n]);
}

static void take_off_mean(Component *c)
{
    double sum = 0.0;
    for (int n = 0; n < c->count; n++)
        sum += c->x[n];
    for (int n = 0; n < c->count; n++)
        c->x[n] -= sum / c->count;
}

static BwPoissonNorms residual_norms(Component *c)
{
    for (int n = 0; n < c->count; n++) {
        double residual = c->right[n] - c->diagonal[n] * c->x[n];
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            if (c->beside[n][side] >= 0)
                residual += c->weight[n][side] * c->x[c->beside[n][side]];
        c->column[n] = residual;
    }
    int end = (c->count + BW_TILE - 1) / BW_TILE * BW_TILE;
    memset(c->column + c->count, 0, (size_t)(end - c->count) * sizeof *c->column);
    return bw_poisson_norms_of(c->column, end);
}

// Gives false where the component is too large after all.
static bool solve_component(const SmallJob *job, int32_t component, Component *c)
{
    const BwPoissonTiles *tiles = job->tiles;
    int32_t region = tiles->region_of_part[job->part[job->first[component]]];
    c->count = 0;
    for (int a = 0; a < 3; a++) {
        c->low[a] = INT32_MAX;
        c->high[a] = INT32_MIN;
    }
    for (int32_t n = job->first[component]; n < job->first[component + 1]; n++)
        gather_part(job, job->part[n], c);
    if (!number_unknowns(tiles, c))
        return false;
    gather_equations(tiles, c, region >= 0 ? tiles->shift[region] : 0.0);
    if (!fill_envelope(c))
        return false;
    factor(c, region >= 0);
    substitute_back(c);
    if (region >= 0)
        take_off_mean(c);
    for (int m = 0; m < c->count; m++)
        bw_wide_field_tile(tiles->system->x, tiles->tile[c->tile[m]].slot)[c->cell[m]] =
            c->x[c->number[c->place[m]]];
    job->norms[component] = residual_norms(c);
    return true;
}

static void solve_components(int64_t begin, int64_t end, int worker, void *context)
{
    const SmallJob *job = context;
    for (int32_t component = (int32_t)begin; component < end; component++)
        job->is_solved[component] = solve_component(job, component, &job->scratch[worker]);
}

// Numbers the components of few unknowns and lists their parts.
static BwResult find_components(SmallJob *job, BwError *err)
{
    BwPoissonTiles *tiles = job->tiles;
    BwWorkspace *workspace = tiles->workspace;
    size_t parts = (size_t)tiles->part_count;
    int32_t *cells = bw_workspace_alloc_zeroed(workspace, parts * sizeof *cells); // by root
    job->tile_of_part = bw_workspace_alloc(workspace, parts * sizeof *job->tile_of_part);
    job->component_of_part = bw_workspace_alloc(workspace, parts * sizeof *job->component_of_part);
    job->part = bw_workspace_alloc(workspace, parts * sizeof *job->part);
    job->first = bw_workspace_alloc_zeroed(workspace, (parts + 2) * sizeof *job->first);
    if (cells == NULL || job->tile_of_part == NULL || job->component_of_part == NULL || job->part == NULL ||
        job->first == NULL)
        return bw_fail_memory(err);
    for (int32_t t = 1; t <= tiles->count; t++) {
        int32_t end = t < tiles->count ? tiles->tile[t + 1].first_part : tiles->part_count;
        for (int32_t part = tiles->tile[t].first_part; part < end; part++)
            job->tile_of_part[part] = t;
    }
    for (int32_t part = 0; part < tiles->part_count; part++)
        cells[tiles->root_of_part[part]] += tiles->cells_of_part[part];
    for (int32_t part = 0; part < tiles->part_count; part++) {
        int32_t root = tiles->root_of_part[part];
        if (root == part)
            job->component_of_part[part] = cells[part] <= UNKNOWNS_MAX ? job->count++ : -1;
        else
            job->component_of_part[part] = job->component_of_part[root];
        if (job->component_of_part[part] >= 0)
            job->first[job->component_of_part[part] + 2]++;
    }
    for (int32_t n = 0; n < job->count; n++)
        job->first[n + 2] += job->first[n + 1];
    for (int32_t part = 0; part < tiles->part_count; part++)
        if (job->component_of_part[part] >= 0)
            job->part[job->first[job->component_of_part[part] + 1]++] = part;
    return BW_OK;
}

static bool is_part_solved(const SmallJob *job, int32_t part)
{
    int32_t component = job->component_of_part[part];
    return component >= 0 && job->is_solved[component];
}

static void remove_unknowns(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const SmallJob *job = context;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        BwPoissonTile *tile = &job->tiles->tile[t];
        const uint16_t *labels = tile->label < 0 ? NULL : job->tiles->labels + tile->label;
        for (int k = 0; k < job->tiles->layers; k++) {
            uint64_t solved = labels == NULL && is_part_solved(job, tile->first_part) ? UINT64_MAX : 0;
            for (uint64_t bits = labels == NULL ? 0 : tile->unknown[k]; bits != 0; bits &= bits - 1) {
                int n = __builtin_ctzll(bits);
                bool is_solved = is_part_solved(job, tile->first_part + labels[64 * k + n]);
                solved |= (uint64_t)is_solved << n;
            }
            tile->unknown[k] &= ~solved;
            tile->fixed[k] &= ~solved;
            for (int axis = 0; axis < 3; axis++)
                tile->open[axis][k] &= ~solved;
        }
    }
}

// Closes the ranks of the tiles that still hold unknowns; their parts keep their numbers.
static BwResult renumber_tiles(BwPoissonTiles *tiles, BwError *err)
{
    size_t bytes = ((size_t)tiles->count + 1) * sizeof(int32_t);
    int32_t *number = bw_workspace_alloc_zeroed(tiles->workspace, bytes), count = 0;
    if (number == NULL)
        return bw_fail_memory(err);
    tiles->unknowns = 0;
    for (int32_t t = 1; t <= tiles->count; t++) {
        int64_t unknowns = 0;
        for (int k = 0; k < tiles->layers; k++)
            unknowns += __builtin_popcountll(tiles->tile[t].unknown[k]);
        if (unknowns == 0)
            continue;
        number[t] = ++count;
        tiles->unknowns += unknowns;
        if (count < t)
            tiles->tile[count] = tiles->tile[t];
    }
    tiles->count = count;
    for (int32_t t = 1; t <= count; t++)
        for (int side = 0; side < BW_BESIDE_COUNT; side++)
            tiles->tile[t].beside[side] = number[tiles->tile[t].beside[side]];
    return BW_OK;
}

static BwPoissonNorms sum_norms(const SmallJob *job)
{
    BwPoissonNorms all = {0};
    for (int32_t n = 0; n < job->count; n++) {
        if (!job->is_solved[n])
            continue;
        all.square += job->norms[n].square;
        all.max = job->norms[n].max > all.max ? job->norms[n].max : all.max;
    }
    return all;
}

BwResult bw_poisson_solve_small(BwPoissonTiles *tiles, BwPoissonNorms *norms, BwError *err)
{
    SmallJob job = {.tiles = tiles};
    *norms = (BwPoissonNorms){0};
    BW_TRY(find_components(&job, err));
    if (job.count == 0)
        return BW_OK;
    size_t workers = tiles->pool != NULL ? (size_t)bw_pool_worker_count(tiles->pool) : 1;
    job.is_solved = bw_workspace_alloc(tiles->workspace, (size_t)job.count * sizeof *job.is_solved);
    job.norms = bw_workspace_alloc(tiles->workspace, (size_t)job.count * sizeof *job.norms);
    job.scratch = bw_workspace_alloc(tiles->workspace, workers * sizeof *job.scratch);
    if (job.is_solved == NULL || job.norms == NULL || job.scratch == NULL)
        return bw_fail_memory(err);
    bw_parallel_for(tiles->pool, job.count, GRAIN, solve_components, &job);
    bw_parallel_for(tiles->pool, tiles->count, BW_POISSON_GRAIN, remove_unknowns, &job);
    *norms = sum_norms(&job);
    return renumber_tiles(tiles, err);
}
