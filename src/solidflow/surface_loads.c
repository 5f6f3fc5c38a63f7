// Sums over tiles, by surface: a row of numbers for each block of tiles, added in block order.
#include "solidflow/surface_loads.h"

#include "domain/measure.h"
#include "domain/near_solids.h"
#include "domain/solid_faces.h"
#include "grid/bits.h"
#include "grid/lanes.h"
#include "grid/sample.h"
#include "solid/fractions.h"
#include <string.h>

enum { BLOCKS = 64, LOAD = 7 }; // numbers a solid has in a row: force, torque, volume or dissipation

// Heat counts sides too.
static size_t row_width(int solid_count)
{
    return (size_t)LOAD * (size_t)solid_count + BW_SIDE_COUNT + 1;
}

BwResult bw_surface_sums_create(BwSurfaceSums *sums, const BwAllocator *allocator, int solid_count,
                                BwError *err)
{
    *sums = (BwSurfaceSums){.allocator = *allocator, .solid_count = solid_count};
    sums->rows = bw_alloc(allocator, BLOCKS * row_width(solid_count) * sizeof(double), BW_ALIGN);
    return sums->rows != NULL ? BW_OK : bw_fail_memory(err);
}

void bw_surface_sums_destroy(BwSurfaceSums *sums)
{
    if (sums->rows != NULL)
        bw_free(&sums->allocator, sums->rows, BLOCKS * row_width(sums->solid_count) * sizeof(double),
                BW_ALIGN);
    *sums = (BwSurfaceSums){0};
}

typedef struct Job {
    const BwSurfaceSums *sums;
    const BwDomain *domain;
    const BwSolidPose *solids;
    const BwBoundaryField *boundary; // of boundary terms
    const BwBoundaryMasks *masks;
    const BwField *pressure;
    int64_t grain;
    void (*add_tile)(const struct Job *job, int32_t slot, double *row);
} Job;

static void add_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    double *row = job->sums->rows + (size_t)(begin / job->grain) * row_width(job->sums->solid_count);
    for (int64_t m = begin; m < end; m++)
        job->add_tile(job, job->domain->grid->order[m], row);
}

// Runs over all tiles; the first row then holds the sums.
static const double *sum_tiles(Job *job)
{
    int32_t count = job->domain->grid->tile_count;
    size_t width = row_width(job->sums->solid_count);
    double *rows = job->sums->rows;
    job->grain = count > BLOCKS ? (count + BLOCKS - 1) / BLOCKS : 1;
    memset(rows, 0, BLOCKS * width * sizeof *rows);
    bw_parallel_for(job->domain->pool, count, job->grain, add_range, job);
    for (size_t block = 1; block < BLOCKS; block++)
        for (size_t n = 0; n < width; n++)
            rows[n] += rows[block * width + n];
    return rows;
}

// A force along an axis at a point, on a solid whose numbers are `load`.
static void add_force(double *load, const BwSolidPose *solid, BwVec3 at, int axis, double force)
{
    BwVec3 arm = bw_sub(at, solid->pose.position);
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    load[axis] += force;
    load[3 + b] += (double)bw_component(arm, c) * force;
    load[3 + c] -= (double)bw_component(arm, b) * force;
}

static BwVec3 moved(BwVec3 point, int axis, float by)
{
    return bw_add(point, bw_vec3(axis == 0 ? by : 0.0f, axis == 1 ? by : 0.0f, axis == 2 ? by : 0.0f));
}

// What solids leave open of a face, whatever else closes it.
static float share_by_solids(const Job *job, const BwNearSolids *solids, BwVec3 center, int axis)
{
    const BwGrid *grid = job->domain->grid;
    float half = 0.5f * grid->cell_size, corner[4];
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (bw_solids_are_beyond(solids->list, solids->count, center, grid->cell_size))
        return 1.0f;
    if (grid->dimension == 2) {
        int other = 1 - axis;
        for (int n = 0; n < 2; n++)
            corner[n] =
                bw_solids_distance(solids->list, solids->count, moved(center, other, n == 0 ? -half : half));
        return bw_edge_open(corner[0], corner[1]);
    }
    for (int n = 0; n < 4; n++) {
        BwVec3 at = moved(moved(center, b, n == 0 || n == 3 ? -half : half), c, n < 2 ? -half : half);
        corner[n] = bw_solids_distance(solids->list, solids->count, at);
    }
    return bw_square_open(corner);
}

// A face on a side of the box is closed by the wall, not by a solid.
static bool is_on_side(const BwGrid *grid, int32_t slot, int cell, int side)
{
    int axis = side / 2;
    int32_t first[3];
    bw_tile_first_cell(grid, grid->tiles[slot].coord, first);
    int32_t at = first[axis] + (cell >> (3 * axis) & 7);
    return grid->has_bounds && grid->period[axis] == 0 &&
           at == (side % 2 == 0 ? grid->bounds.low[axis] : grid->bounds.high[axis] - 1);
}

static BwVec3 face_center(const BwGrid *grid, int32_t slot, int cell, int side)
{
    float half = 0.5f * grid->cell_size;
    return moved(bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL), side / 2,
                 side % 2 == 0 ? -half : half);
}

// The open share of a cell's face towards a side.
static float share_of_face(const Job *job, const BwNearSolids *solids, int32_t slot, int cell, int side)
{
    const BwGrid *grid = job->domain->grid;
    int axis = side / 2, stride = 1 << (3 * axis), last = 7 * stride;
    const BwField *open = &job->domain->cut->open[axis];
    if (is_on_side(grid, slot, cell, side))
        return share_by_solids(job, solids, face_center(grid, slot, cell, side), axis);
    if (side % 2 == 0)
        return bw_field_tile(open, slot)[cell];
    bool is_rim = (cell & last) == last;
    return is_rim ? bw_field_tile(open,
                                  grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis + 1]])[cell - last]
                  : bw_field_tile(open, slot)[cell + stride];
}

static void add_pressure_of_cell(const Job *job, const BwNearSolids *solids, int32_t slot, int cell,
                                 double *row)
{
    const BwGrid *grid = job->domain->grid;
    double area = bw_cell_volume(grid) / (double)grid->cell_size;
    for (int axis = 0; axis < grid->dimension; axis++) {
        float low = share_of_face(job, solids, slot, cell, 2 * axis);
        float high = share_of_face(job, solids, slot, cell, 2 * axis + 1);
        if (low == high)
            continue;
        const BwSolidPose *solid = bw_solids_nearest(
            solids->list, solids->count, face_center(grid, slot, cell, low < high ? 2 * axis : 2 * axis + 1));
        BwVec3 center = bw_sample_position(grid, grid->tiles[slot].coord, cell, BW_AT_CELL);
        double *load = row + LOAD * bw_near_solid_index(solids, solid),
               cut = ((double)low - (double)high) * area;
        add_force(load, solid, center, axis, (double)bw_field_tile(job->pressure, slot)[cell] * cut);
        load[6] -= axis == 0 ? cut * (double)(center.x - solid->pose.position.x) : 0.0;
    }
}

// The cells of a layer that lie on a side of the box.
static uint64_t cells_on_sides(const BwGrid *grid, int32_t slot, int k)
{
    static const uint64_t plane[2] = {BW_COLUMN, BW_ROW};
    uint64_t bits = 0;
    for (int side = 0; side < 2 * grid->dimension; side++) {
        int axis = side / 2, shift = 3 * axis;
        for (int n = 0; n < BW_TILE; n++) {
            int cell = axis == 2 ? BW_TILE_LAYER * k : n << shift;
            if (is_on_side(grid, slot, cell, side))
                bits |= axis == 2 ? ~UINT64_C(0) : plane[axis] << (n << shift);
        }
    }
    return bits;
}

// What a layer of a field's tile has at the next cells along an axis; `behind` is the tile there.
static void layer_ahead(const float *tile, const float *behind, int axis, int k, float ahead[BW_TILE_LAYER])
{
    const float *layer = tile + BW_TILE_LAYER * k;
    if (axis == 2) {
        memcpy(ahead, k + 1 < BW_TILE ? layer + BW_TILE_LAYER : behind, BW_TILE_LAYER * sizeof *ahead);
        return;
    }
    int step = axis == 0 ? 1 : BW_TILE;
    memcpy(ahead, layer + step, (size_t)(BW_TILE_LAYER - step) * sizeof *ahead);
    for (int n = 0; n < BW_TILE; n++) {
        int cell = axis == 0 ? BW_TILE * n : n;
        ahead[cell + (BW_TILE - 1) * step] = behind[BW_TILE_LAYER * k + cell];
    }
}

// The cells of a layer that pressure may push a solid from: those between faces of different open shares, and
// those on a side of the box, whose faces count as solids leave them open.
static uint64_t cells_beside_solids(const Job *job, int32_t slot, int k)
{
    const BwGrid *grid = job->domain->grid;
    uint64_t bits = cells_on_sides(grid, slot, k);
    for (int axis = 0; axis < grid->dimension; axis++) {
        const BwField *share = &job->domain->cut->open[axis];
        const float *open = bw_field_tile(share, slot);
        _Alignas(BW_ALIGN) float ahead[BW_TILE_LAYER];
        layer_ahead(open, bw_field_tile(share, grid->tiles[slot].neighbour[bw_side_neighbour[2 * axis + 1]]),
                    axis, k, ahead);
        for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES)
            bits |= bw_lanes_bits(bw_lanes_load(open + BW_TILE_LAYER * k + n) != bw_lanes_load(ahead + n))
                    << n;
    }
    return bits & bw_mask_tile(&job->domain->fluid, slot)[k];
}

static void add_pressure_of_tile(const Job *job, int32_t slot, double *row)
{
    const BwGrid *grid = job->domain->grid;
    BwNearSolids solids;
    if (!bw_solids_are_near(job->domain->cut, slot))
        return;
    bw_near_solids_find(&solids, job->solids, job->sums->solid_count, grid, grid->tiles[slot].coord);
    for (int k = 0; k < grid->layers; k++)
        for (uint64_t bits = cells_beside_solids(job, slot, k); bits != 0; bits &= bits - 1)
            add_pressure_of_cell(job, &solids, slot, BW_TILE_LAYER * k + __builtin_ctzll(bits), row);
}

void bw_pressure_loads(const BwSurfaceSums *sums, const BwDomain *domain, const BwSolidPose *solids,
                       const BwField *pressure, double scale, BwSurfaceLoad *loads, double *volumes)
{
    Job job = {.sums = sums,
               .domain = domain,
               .solids = solids,
               .pressure = pressure,
               .add_tile = add_pressure_of_tile};
    const double *sum = sum_tiles(&job);
    for (int s = 0; s < sums->solid_count; s++, sum += LOAD) {
        for (int a = 0; a < 3; a++) {
            loads[s].force[a] = scale * sum[a];
            loads[s].torque[a] = scale * sum[3 + a];
        }
        volumes[s] = sum[6];
    }
}

// Squares of the differences along the lines between free samples.
static double squares_of_tile(const Job *job, int32_t slot, const BwBoundaryTerms *terms)
{
    const BwGrid *grid = job->domain->grid;
    const BwField *field = job->boundary->field;
    const float *value = bw_field_tile(field, slot);
    double sum = 0.0;
    for (int a = 0; a < grid->dimension; a++)
        for (int n = 0; n < grid->tile_cells; n++) {
            float low = bw_bit(terms->link[a], n) ? bw_value_beside(field, slot, n, 2 * a) : value[n];
            double slope = (double)value[n] - (double)low;
            sum += slope * slope;
        }
    return sum;
}

// All contacts of one sample, which follow one another after sorting.
typedef struct Touch {
    const BwContact *first;
    int count;
} Touch;

static bool is_touched(Touch touch, int side)
{
    for (int n = 0; n < touch.count; n++)
        if (touch.first[n].side == side)
            return true;
    return false;
}

// What comes to a sample along all its lines: k times this is what the solve gives it.
static double net_gain(const Job *job, int32_t slot, Touch touch)
{
    const BwGrid *grid = job->domain->grid;
    const BwField *field = job->boundary->field;
    int sample = touch.first->sample, k = sample >> 6;
    double value = (double)bw_field_tile(field, slot)[sample], sum = 0.0;
    for (int n = 0; n < touch.count; n++)
        sum += (double)touch.first[n].weight * ((double)touch.first[n].value - value);
    for (int side = 0; side < 2 * grid->dimension; side++) {
        bool is_free = bw_bits_beside(grid, &job->masks->free, slot, side, k) >> (sample & 63) & 1;
        if (is_free && !is_touched(touch, side))
            sum += (double)bw_value_beside(field, slot, sample, side) - value;
    }
    return sum;
}

// The solve takes a sample for a whole cell, but between it and a surface lies another length of fluid than
// half a cell. What the cell gains in the part that is too much, or lacks in the part that is missing, is not
// the surface's: flux = slope + (1/2 - length) gain along the one line that meets it, a mean where several
// do.
static double excess_share(Touch touch, const BwContact *contact)
{
    int solids = 0;
    for (int n = 0; n < touch.count; n++)
        solids += touch.first[n].surface >= BW_SIDE_COUNT;
    return contact->surface >= BW_SIDE_COUNT ? (0.5 - (double)contact->length) / solids : 0.0;
}

// What passes from the fluid to a surface at a contact: slope times area, over the coefficient.
static double flux_at(Touch touch, const BwContact *contact, double value, double gain)
{
    if (!(contact->weight > 0.0f))
        return 0.0;
    return (double)contact->weight * (value - (double)contact->value) + excess_share(touch, contact) * gain;
}

typedef void AddFluxFn(const Job *job, int32_t slot, const BwContact *contact, double flux, double *row);

// Contacts come line by line; those of a sample are brought together.
static void sort_contacts(BwContacts *contacts)
{
    for (int n = 1; n < contacts->count; n++) {
        BwContact one = contacts->list[n];
        int at = n;
        for (; at > 0 && contacts->list[at - 1].sample > one.sample; at--)
            contacts->list[at] = contacts->list[at - 1];
        contacts->list[at] = one;
    }
}

static void add_fluxes(const Job *job, int32_t slot, BwContacts *contacts, AddFluxFn *add, double *row)
{
    const float *value = bw_field_tile(job->boundary->field, slot);
    sort_contacts(contacts);
    for (int first = 0, end; first < contacts->count; first = end) {
        for (end = first;
             end < contacts->count && contacts->list[end].sample == contacts->list[first].sample;)
            end++;
        Touch touch = {&contacts->list[first], end - first};
        double gain = net_gain(job, slot, touch);
        for (int n = first; n < end; n++) {
            const BwContact *contact = &contacts->list[n];
            add(job, slot, contact, flux_at(touch, contact, (double)value[contact->sample], gain), row);
        }
    }
}

// The slope is that of the middle of the line, so the force counts as acting there.
static void add_drag(const Job *job, int32_t slot, const BwContact *contact, double flux, double *row)
{
    const BwGrid *grid = job->domain->grid;
    int s = contact->surface - BW_SIDE_COUNT, axis = bw_location_normal(job->boundary->field->location);
    float value = bw_field_tile(job->boundary->field, slot)[contact->sample];
    double slip = (double)value - (double)contact->value;
    row[LOAD * job->sums->solid_count] += (double)contact->weight * slip * slip;
    if (s < 0)
        return;
    float way = 0.5f * contact->length * grid->cell_size;
    BwVec3 at =
        bw_sample_position(grid, grid->tiles[slot].coord, contact->sample, job->boundary->field->location);
    add_force(row + LOAD * s, &job->solids[s],
              moved(at, contact->side / 2, contact->side % 2 == 0 ? -way : way), axis, flux);
}

static void add_viscosity_of_tile(const Job *job, int32_t slot, double *row)
{
    BwBoundaryTerms terms;
    BwContacts contacts;
    bw_boundary_contacts(job->boundary, job->masks, slot, &terms, &contacts);
    row[LOAD * job->sums->solid_count] += squares_of_tile(job, slot, &terms);
    add_fluxes(job, slot, &contacts, add_drag, row);
}

// A slope over a cell, times the share of a cell's volume that it stands for.
static double slope_scale(const BwGrid *grid, float coefficient)
{
    double h = (double)grid->cell_size;
    return (double)coefficient * bw_cell_volume(grid) / (h * h);
}

double bw_viscous_loads(const BwSurfaceSums *sums, const BwBoundaryField *boundary,
                        const BwBoundaryMasks *masks, float viscosity, BwSurfaceLoad *loads)
{
    Job job = {.sums = sums,
               .domain = boundary->domain,
               .solids = boundary->solids,
               .boundary = boundary,
               .masks = masks,
               .add_tile = add_viscosity_of_tile};
    const double *sum = sum_tiles(&job);
    double scale = slope_scale(boundary->domain->grid, viscosity);
    for (int s = 0; s < sums->solid_count; s++, sum += LOAD)
        for (int a = 0; a < 3; a++) {
            loads[s].force[a] += scale * sum[a];
            loads[s].torque[a] += scale * sum[3 + a];
        }
    return scale * *sum;
}

void bw_add_spin_torque(const BwSolidPose *solid, float dt, float viscosity, double volume,
                        BwSurfaceLoad *load)
{
    BwVec3 at = solid->pose.position, still = bw_solid_displacement(solid, at);
    BwVec3 by_x = bw_sub(bw_solid_displacement(solid, moved(at, 0, 1.0f)), still);
    BwVec3 by_y = bw_sub(bw_solid_displacement(solid, moved(at, 1, 1.0f)), still);
    const double turn[3] = {(double)by_y.z, -(double)by_x.z, (double)by_x.y};
    for (int a = 0; a < 3; a++)
        load->torque[a] -=
            2.0 * (double)viscosity * volume * turn[a] / (double)dt * (1.0 - (double)solid->slip);
}

static void add_heat(const Job *job, int32_t slot, const BwContact *contact, double flux, double *row)
{
    (void)job;
    (void)slot;
    row[contact->surface] -= flux;
}

static void add_heat_of_tile(const Job *job, int32_t slot, double *row)
{
    BwBoundaryTerms terms;
    BwContacts contacts;
    bw_boundary_contacts(job->boundary, job->masks, slot, &terms, &contacts);
    add_fluxes(job, slot, &contacts, add_heat, row);
}

void bw_heat_flux(const BwSurfaceSums *sums, const BwBoundaryField *boundary, const BwBoundaryMasks *masks,
                  float conductivity, double *flux)
{
    Job job = {.sums = sums,
               .domain = boundary->domain,
               .solids = boundary->solids,
               .boundary = boundary,
               .masks = masks,
               .add_tile = add_heat_of_tile};
    const double *sum = sum_tiles(&job);
    double scale = slope_scale(boundary->domain->grid, conductivity);
    for (int n = 0; n < BW_SIDE_COUNT + sums->solid_count; n++)
        flux[n] = scale * sum[n];
}
