// Life of columns, their room, their heights, and the labels of cells.
#include "operate/columns.h"

#include "domain/measure.h"
#include "domain/sides.h"

#include <math.h>
#include <string.h>

// Columns of dry land that the surface beside them is shown to go on into.
enum { SHORE_LAYERS = 6 };

// How deep below dry land it is shown where no water is near, and at least, in cells.
static const double depth_far = 2.0, depth_dry = 0.25;

static double **lists_of(BwColumns *columns, int n)
{
    double **list[] = {&columns->water,      &columns->height,  &columns->ground,  &columns->shown,
                       &columns->next_shown, &columns->speed,   &columns->flow[0], &columns->flow[1],
                       &columns->inflow,     &columns->outflow, &columns->source,  &columns->most,
                       &columns->under,      &columns->over};
    return n < (int)(sizeof list / sizeof *list) ? list[n] : NULL;
}

BwResult bw_columns_create(BwColumns *columns, const BwAllocator *allocator, const BwGrid *grid, BwError *err)
{
    *columns = (BwColumns){.allocator = *allocator, .grid = grid};
    columns->columns = columns->cells = 1;
    for (int a = 0; a < 3; a++) {
        bool is_there = a < grid->dimension, wraps = is_there && grid->period[a] != 0;
        columns->low[a] = !is_there ? 0 : wraps ? BW_TILE * grid->period_low[a] : grid->bounds.low[a];
        columns->count[a] = !is_there ? 1
                            : wraps   ? BW_TILE * grid->period[a]
                                      : grid->bounds.high[a] - grid->bounds.low[a];
        columns->cells *= columns->count[a];
    }
    columns->columns = (int64_t)columns->count[0] * columns->count[2];
    for (int n = 0; lists_of(columns, n) != NULL; n++) {
        double **list = lists_of(columns, n);
        *list = bw_alloc_zeroed(allocator, (size_t)columns->columns * sizeof **list, BW_ALIGN);
        if (*list == NULL)
            return bw_fail_memory(err);
    }
    columns->room = bw_alloc_zeroed(allocator, (size_t)columns->cells * sizeof(float), BW_ALIGN);
    columns->open = bw_alloc_zeroed(allocator, (size_t)columns->cells * sizeof(float), BW_ALIGN);
    return columns->room == NULL || columns->open == NULL ? bw_fail_memory(err) : BW_OK;
}

void bw_columns_destroy(BwColumns *columns)
{
    if (columns->grid == NULL)
        return;
    for (int n = 0; lists_of(columns, n) != NULL; n++)
        bw_free(&columns->allocator, *lists_of(columns, n),
                (size_t)columns->columns * sizeof **lists_of(columns, n), BW_ALIGN);
    bw_free(&columns->allocator, columns->room, (size_t)columns->cells * sizeof(float), BW_ALIGN);
    bw_free(&columns->allocator, columns->open, (size_t)columns->cells * sizeof(float), BW_ALIGN);
    *columns = (BwColumns){0};
}

typedef struct Job {
    BwColumns *columns;
    const BwDomain *domain;
    const BwField *open;
    const BwColumnLabels *labels;
    BwField *head;
    float gravity;
} Job;

// The column of a tile's cell; -1: it is not inside of the bounds.
static int64_t column_of(const BwColumns *columns, const int32_t first[3], int cell, int32_t *j)
{
    int32_t i = first[0] + (cell & 7) - columns->low[0], k = first[2] + (cell >> 6) - columns->low[2];
    *j = first[1] + (cell >> 3 & 7) - columns->low[1];
    bool is_in = i >= 0 && i < columns->count[0] && *j >= 0 && *j < columns->count[1] && k >= 0 &&
                 k < columns->count[2];
    return is_in ? bw_column_at(columns, i, k) : -1;
}

static int32_t clamped(int32_t at, int32_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static int64_t nearest_column(const BwColumns *columns, const int32_t first[3], int cell)
{
    return bw_column_at(columns, clamped(first[0] + (cell & 7) - columns->low[0], columns->count[0]),
                        clamped(first[2] + (cell >> 6) - columns->low[2], columns->count[2]));
}

// The cells of a layer that are outside, along sides that are not closed.
static uint64_t outside_bits(const BwDomain *domain, int32_t slot, int k)
{
    uint64_t bits = 0;
    for (int side = 0; side < 2 * domain->grid->dimension; side++)
        if (domain->side[side].kind != BW_WALL_CLOSED && domain->grid->period[side / 2] == 0)
            bits |= bw_side_cells(domain, slot, side, k).opening;
    return bits;
}

static void room_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3], j;
        uint64_t outside[BW_TILE];
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int k = 0; k < grid->layers; k++)
            outside[k] = outside_bits(job->domain, slot, k);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = column_of(job->columns, first, cell, &j);
            if (n < 0)
                continue;
            bool is_open = job->open != NULL ? bw_bit(grid->tiles[slot].live, cell)
                                             : bw_bit(bw_mask_tile(&job->domain->open, slot), cell);
            float share = !is_open ? 0.0f : job->open != NULL ? bw_field_tile(job->open, slot)[cell] : 1.0f;
            int64_t at = n * job->columns->count[1] + j;
            job->columns->open[at] = share;
            job->columns->room[at] = bw_bit(outside, cell) ? 0.0f : share;
        }
    }
}

// Shares below this are no room: water there could not be seen or solved for.
static const float room_min = 1e-3f;

// What room there is below the lowest solid that hangs over a column.
static void find_overhang(BwColumns *columns, int64_t n)
{
    const float *room = columns->room + n * columns->count[1];
    double h = (double)columns->grid->cell_size, below = 0.0;
    int32_t j = 0;
    columns->under[n] = columns->over[n] = (double)INFINITY;
    while (j < columns->count[1] && !(room[j] > 0.0f))
        j++;
    for (; j < columns->count[1] && room[j] > 0.0f; j++)
        below += (double)room[j] * h;
    while (j < columns->count[1] && !(room[j] > 0.0f))
        j++;
    if (j == columns->count[1])
        return;
    columns->under[n] = below;
    columns->over[n] = bw_column_level(columns, j);
}

static void ground_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwColumns *columns = ((const Job *)context)->columns;
    for (int64_t n = begin; n < end; n++) {
        float *room = columns->room + n * columns->count[1];
        columns->ground[n] = (double)INFINITY;
        columns->most[n] = 0.0;
        for (int32_t j = columns->count[1] - 1; j >= 0; j--) {
            if (room[j] < room_min)
                room[j] = 0.0f;
            if (room[j] > 0.0f)
                columns->ground[n] = bw_column_level(columns, j);
            columns->most[n] += (double)room[j] * (double)columns->grid->cell_size;
        }
        find_overhang(columns, n);
    }
}

void bw_columns_find_room(BwColumns *columns, const BwDomain *domain, const BwField *open)
{
    Job job = {.columns = columns, .domain = domain, .open = open};
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, room_range, &job);
    bw_parallel_for(domain->pool, columns->columns, 64, ground_range, &job);
}

// Water above a solid that hangs over a column, but less than so many cells, is not seen there: it is
// pressed aside in the next step.
static const double film_most = 1.0;

static double height_of(const BwColumns *columns, int64_t n)
{
    const float *room = columns->room + n * columns->count[1];
    double h = (double)columns->grid->cell_size, left = columns->water[n], top = columns->ground[n];
    if (left < columns->under[n] + film_most * h) // what a solid that moves has just left no room for
        left = fmin(left, columns->under[n]);
    if (!bw_column_is_there(columns, n))
        return bw_column_level(columns, columns->count[1]);
    for (int32_t j = 0; j < columns->count[1] && left > 0.0; j++) {
        double part = (double)room[j] * h;
        if (part <= 0.0)
            continue;
        top = bw_column_level(columns, j) + h * fmin(left / part, 1.0);
        left -= part;
    }
    return top;
}

static void height_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwColumns *columns = ((const Job *)context)->columns;
    for (int64_t n = begin; n < end; n++)
        columns->height[n] = height_of(columns, n);
}

double bw_column_water_below(const BwColumns *columns, int64_t n, double height)
{
    const float *room = columns->room + n * columns->count[1];
    double h = (double)columns->grid->cell_size, sum = 0.0;
    for (int32_t j = 0; j < columns->count[1]; j++)
        sum += (double)room[j] * fmax(fmin(height - bw_column_level(columns, j), h), 0.0);
    return sum;
}

bool bw_column_is_cut(const BwColumns *columns, int64_t n, double height)
{
    int32_t j = (int32_t)floor((height - bw_column_level(columns, 0)) / (double)columns->grid->cell_size);
    return j >= 0 && j < columns->count[1] && columns->room[n * columns->count[1] + j] < 1.0f;
}

void bw_columns_find_heights(BwColumns *columns, BwPool *pool)
{
    Job job = {.columns = columns};
    bw_parallel_for(pool, columns->columns, 64, height_range, &job);
}

// The column beside one, along x (0) or z (1); -1: there is none.
static int64_t beside(const BwColumns *columns, int64_t n, int axis, int step)
{
    int32_t at[2] = {(int32_t)(n % columns->count[0]), (int32_t)(n / columns->count[0])};
    int32_t size = columns->count[2 * axis], place = at[axis] + step;
    if (columns->grid->dimension == 2 && axis == 1)
        return -1;
    if (columns->grid->period[2 * axis] != 0)
        place = (place + size) % size;
    at[axis] = place;
    return place >= 0 && place < size ? bw_column_at(columns, at[0], at[1]) : -1;
}

// The mean of what is shown beside a column; NaN: nothing is.
static double mean_beside(const BwColumns *columns, int64_t n)
{
    double sum = 0.0;
    int count = 0;
    for (int side = 0; side < 4; side++) {
        int64_t next = beside(columns, n, side / 2, side % 2 == 0 ? -1 : 1);
        if (next < 0 || isnan(columns->shown[next]))
            continue;
        sum += columns->shown[next];
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

// The surface goes on level into the land, and below that where it is dry.
static double shown_in_land(const BwColumns *columns, int64_t n, double level)
{
    double h = (double)columns->grid->cell_size;
    return bw_column_is_there(columns, n) ? fmin(level, columns->ground[n] - depth_dry * h) : level;
}

static void show_land(BwColumns *columns)
{
    double h = (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++)
        columns->shown[n] =
            bw_column_is_there(columns, n) && bw_column_is_wet(columns, n) ? columns->height[n] : (double)NAN;
    for (int layer = 0; layer < SHORE_LAYERS; layer++) {
        for (int64_t n = 0; n < columns->columns; n++)
            columns->next_shown[n] = isnan(columns->shown[n])
                                         ? shown_in_land(columns, n, mean_beside(columns, n))
                                         : columns->shown[n];
        double *shown = columns->shown;
        columns->shown = columns->next_shown;
        columns->next_shown = shown;
    }
    for (int64_t n = 0; n < columns->columns; n++)
        if (isnan(columns->shown[n]))
            columns->shown[n] =
                (bw_column_is_there(columns, n) ? columns->ground[n] : bw_column_level(columns, 0)) -
                depth_far * h;
}

// 1 over the length of the surface's normal that points up by 1.
static double steepness(const BwColumns *columns, int64_t n)
{
    double h = (double)columns->grid->cell_size, sum = 1.0;
    for (int axis = 0; axis < 2; axis++) {
        int64_t before = beside(columns, n, axis, -1), after = beside(columns, n, axis, 1);
        double low = before < 0 ? columns->shown[n] : columns->shown[before],
               high = after < 0 ? columns->shown[n] : columns->shown[after];
        double slope = (high - low) / (h * (before < 0 || after < 0 ? 1.0 : 2.0));
        sum += slope * slope;
    }
    return 1.0 / sqrt(sum);
}

static bool is_wet_or_outside(const BwColumns *columns, int64_t n)
{
    return !bw_column_is_there(columns, n) || bw_column_is_wet(columns, n);
}

static void label_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->domain->grid;
    const BwColumns *columns = job->columns;
    double h = (double)grid->cell_size, band = (double)job->labels->band, touch = 1e-4 * h;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3], j;
        float *phi = bw_field_tile(job->labels->phi, slot);
        uint64_t *liquid = bw_mask_tile(job->labels->liquid, slot);
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        memset(liquid, 0, (size_t)grid->layers * sizeof *liquid);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            bool is_inside = column_of(columns, first, cell, &j) >= 0;
            int64_t n = nearest_column(columns, first, cell); // phi goes on behind walls
            double up = bw_column_level(columns, j) - columns->shown[n];
            phi[cell] = (float)fmax(fmin((up + 0.5 * h) * columns->next_shown[n], band), -band);
            // The cell below dry ground may be cut, and would be water that slides down a slope.
            if (!is_wet_or_outside(columns, n) && up + 1.5 * h > columns->ground[n] - columns->shown[n])
                phi[cell] = fmaxf(phi[cell], (float)(0.05 * h));
            bool is_in =
                job->labels->are_crossed ? up < -touch && is_wet_or_outside(columns, n) : phi[cell] < 0.0f;
            if (is_in && is_inside) // in solids too, where a cell may have a face that is open
                liquid[cell >> 6] |= (uint64_t)1 << (cell & 63);
        }
    }
}

void bw_columns_label(BwColumns *columns, const BwDomain *domain, const BwColumnLabels *labels)
{
    Job job = {.columns = columns, .domain = domain, .labels = labels};
    show_land(columns);
    for (int64_t n = 0; n < columns->columns; n++)
        columns->next_shown[n] = steepness(columns, n);
    bw_parallel_for(domain->pool, domain->grid->tile_count, 16, label_range, &job);
}

static void head_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwGrid *grid = job->columns->grid;
    double h = (double)grid->cell_size;
    for (int64_t m = begin; m < end; m++) {
        int32_t slot = grid->order[m], first[3], j;
        float *head = bw_field_tile(job->head, slot);
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = column_of(job->columns, first, cell, &j);
            double above = n < 0 ? 0.0 : job->columns->height[n] - bw_column_level(job->columns, j) - 0.5 * h;
            head[cell] = job->gravity * (float)fmax(fmin(above, 0.5 * h), -0.5 * h);
        }
    }
}

void bw_columns_find_head(const BwColumns *columns, float gravity, BwPool *pool, BwField *head)
{
    BwColumns view = *columns;
    Job job = {.columns = &view, .head = head, .gravity = gravity};
    bw_parallel_for(pool, columns->grid->tile_count, 16, head_range, &job);
}

double bw_columns_volume(const BwColumns *columns)
{
    double sum = 0.0, base = bw_cell_volume(columns->grid) / (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++)
        sum += columns->water[n];
    return sum * base;
}

double bw_columns_room_left(const BwColumns *columns)
{
    double sum = 0.0, base = bw_cell_volume(columns->grid) / (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++)
        sum += bw_column_is_there(columns, n) ? columns->most[n] - columns->water[n] : 0.0;
    return sum * base;
}

BwColumnPassing bw_columns_asked(const BwColumns *columns)
{
    BwColumnPassing asked = {0};
    double base = bw_cell_volume(columns->grid) / (double)columns->grid->cell_size;
    for (int64_t n = 0; n < columns->columns; n++) {
        asked.given += base * fmax(columns->source[n], 0.0);
        asked.taken += base * fmax(-columns->source[n], 0.0);
    }
    return asked;
}

void bw_columns_clear_sources(BwColumns *columns)
{
    memset(columns->source, 0, (size_t)columns->columns * sizeof *columns->source);
}

void bw_columns_add_point(BwColumns *columns, BwVec3 point, double flow)
{
    double h = (double)columns->grid->cell_size, base = bw_cell_volume(columns->grid) / h;
    int32_t at[2] = {0, 0};
    for (int axis = 0; axis < (columns->grid->dimension == 3 ? 2 : 1); axis++) {
        int32_t cell = (int32_t)floor((double)bw_component(point, 2 * axis) / h) - columns->low[2 * axis];
        at[axis] = cell < 0 ? 0 : cell >= columns->count[2 * axis] ? columns->count[2 * axis] - 1 : cell;
    }
    int64_t n = bw_column_at(columns, at[0], at[1]);
    if (bw_column_is_there(columns, n))
        columns->source[n] += flow / base;
}

// Tile after tile, so that sums have one order.
void bw_columns_add_divergence(BwColumns *columns, const BwDomain *domain, const BwField *divergence)
{
    const BwGrid *grid = domain->grid;
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m], first[3], j;
        const float *values = bw_field_tile(divergence, slot);
        bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
        for (int cell = 0; cell < grid->tile_cells; cell++) {
            int64_t n = column_of(columns, first, cell, &j);
            if (n >= 0 && bw_bit(bw_mask_tile(&domain->fluid, slot), cell))
                columns->source[n] += (double)values[cell] * (double)grid->cell_size;
        }
    }
}
