// Patches look at the gas around them in any order; they write to it one after the other, so that results do
// not depend on threads.
#include "operate/gasify.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "grid/sample.h"
#include "operate/flame_extinction.h"

#include <math.h>

// Off the surface, in cells: where gas appears, and how far sideways of a patch fuel is held.
static const float outlet = 0.75f, sideways = 0.9f;

// Where a patch looks for heat: where its own gas burns first, and farther out.
enum { LOOKS = 3 };
static const float looks[LOOKS] = {0.75f, 2.0f, 3.0f};

// Steps on the way to the front through fuel, each as long as the band of phi is wide.
enum { FRONT_STEPS_MAX = 32 };

static BwPlace place_of(const BwGrid *grid, BwVec3 point)
{
    const float at[3] = {point.x / grid->cell_size, point.y / grid->cell_size, point.z / grid->cell_size};
    BwPlace place = {0};
    for (int a = 0; a < grid->dimension; a++) {
        place.cell[a] = (int32_t)floorf(at[a]);
        place.offset[a] = at[a] - floorf(at[a]);
    }
    return place;
}

// Beyond the walls there is nothing.
static bool is_in_grid(const BwGrid *grid, const int32_t at[3])
{
    int32_t slot = bw_grid_find(grid, bw_tile_of_cell(grid, at));
    return bw_bit(grid->tiles[slot].live, bw_index_in_tile(grid, at));
}

typedef struct Standing {
    BwVec3 place, normal; // in the world
} Standing;

static Standing standing_of(const BwFuelSurface *surface, int64_t n)
{
    const BwSurfacePatch *patch = &surface->patches->list[n];
    return (Standing){bw_pose_to_world(surface->solid->pose, patch->place),
                      bw_quat_rotate(surface->solid->pose.rotation, patch->normal)};
}

static BwVec3 point_above(Standing at, float distance)
{
    return bw_add(at.place, bw_mul(at.normal, distance));
}

typedef struct Heating {
    const BwFuelSurface *surface;
    const BwDomain *domain;
    const BwSurfaceGas *gas;
    float dt;
} Heating;

// What the gas at a place does to a surface, K; fuel that has not burnt yet does nothing, for the flame
// behind it keeps the surface hot, unless that flame is out. Products whose clock runs are a flame, as long
// as nothing has cooled them.
static bool heat_at(const Heating *job, BwPlace place, float *heat)
{
    const BwSolidFuelLaw *law = &job->surface->law;
    float phi = 1.0f, reaction = 0.0f;
    if (!bw_sample(job->gas->temperature, &job->domain->open, place, heat))
        return false;
    if (job->gas->phi == NULL)
        return true;
    bw_sample(job->gas->phi, &job->domain->open, place, &phi);
    bw_sample(job->gas->reaction, &job->domain->open, place, &reaction);
    if (phi > 0.0f && reaction > 0.0f && *heat >= law->ignition)
        *heat = law->hottest;
    return phi > 0.0f;
}

// Whether the flame over a patch that is wrapped in its own gas is out: the front is looked for along the
// normal, in steps as long as phi tells that there is none. Gas that reaches out of the grid has no flame.
static bool is_flame_out(const Heating *job, Standing at)
{
    const BwGrid *grid = job->domain->grid;
    float way = looks[0] * grid->cell_size, phi, lit = 1.0f;
    for (int step = 0; step < FRONT_STEPS_MAX; step++, way -= phi) {
        BwPlace place = place_of(grid, point_above(at, way));
        if (!bw_sample(job->gas->phi, &job->domain->open, place, &phi))
            return !is_in_grid(grid, place.cell);
        if (phi > -grid->cell_size)
            return bw_sample(job->gas->lit, &job->domain->open, place, &lit) && bw_is_lit(lit) == 0.0f;
    }
    return false;
}

// The rate, 1/s, at which fire on patches beside heats this one: so that it gets there at its speed.
static float creeping(const BwFuelSurface *surface, int64_t n)
{
    const BwSurfacePatches *patches = surface->patches;
    const BwSolidFuelLaw *law = &surface->law;
    float nearest = INFINITY;
    if (law->spread <= 0.0f || law->hottest <= law->ignition)
        return 0.0f;
    for (int64_t m = patches->first[n]; m < patches->first[n + 1]; m++)
        if (bw_patch_burns(surface, patches->beside[m])) {
            BwVec3 way = bw_sub(patches->list[patches->beside[m]].place, patches->list[n].place);
            nearest = bw_smaller(nearest, bw_length(way));
        }
    return law->spread / nearest * logf((law->hottest - law->ambient) / (law->hottest - law->ignition));
}

static void heat_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Heating *job = context;
    const BwFuelSurface *surface = job->surface;
    const BwSolidFuelLaw *law = &surface->law;
    float h = job->domain->grid->cell_size;
    for (int64_t n = begin; n < end; n++) {
        Standing at = standing_of(surface, n);
        float T = surface->temperature[n], hottest = -INFINITY, heat;
        for (int look = 0; look < LOOKS; look++)
            if (heat_at(job, place_of(job->domain->grid, point_above(at, looks[look] * h)), &heat))
                hottest = bw_larger(hottest, heat);
        if (hottest < 0.0f && job->gas->lit != NULL && is_flame_out(job, at))
            hottest = law->ambient;
        if (hottest > 0.0f) // else it is buried, or its own fuel and a flame are all around it
            T += (hottest - T) * (1.0f - expf(-law->heating * job->dt));
        float creep = creeping(surface, n);
        if (creep > 0.0f && T < law->ignition)
            T += (law->hottest - T) * (1.0f - expf(-creep * job->dt));
        if (!isnan(surface->solid->temperature))
            T = surface->solid->temperature;
        surface->next_temperature[n] = bw_smaller(T, law->ignition + BW_SUPERHEAT_MAX);
    }
}

void bw_fuel_surface_heat(const BwFuelSurface *surface, const BwDomain *domain, const BwSurfaceGas *gas,
                          float dt)
{
    Heating job = {surface, domain, gas, dt};
    bw_parallel_for(domain->pool, surface->patches->count, 256, heat_range, &job);
    for (int64_t n = 0; n < surface->patches->count; n++)
        surface->temperature[n] = surface->next_temperature[n];
}

// A cell of the grid, where there is one that gas can be in.
typedef struct Cell {
    int32_t slot;
    int index;
} Cell;

static bool find_cell(const BwDomain *domain, const int32_t at[3], Cell *cell)
{
    const BwGrid *grid = domain->grid;
    cell->slot = bw_grid_find(grid, bw_tile_of_cell(grid, at));
    cell->index = bw_index_in_tile(grid, at);
    return cell->slot != 0 && bw_bit(bw_mask_tile(&domain->open, cell->slot), cell->index) &&
           bw_bit(bw_mask_tile(&domain->fluid, cell->slot), cell->index);
}

static float *value_in(const BwField *field, Cell cell)
{
    return &bw_field_tile(field, cell.slot)[cell.index];
}

static bool is_lifted(const BwFuelSurface *surface, int64_t n)
{
    const BwSolidFuelLaw *law = &surface->law;
    float speed = surface->rate[n] * law->gas_ratio / surface->spread[n];
    return law->flame_speed > 0.0f && speed >= law->flame_speed;
}

static void cover_cell(const BwDomain *domain, const BwSurfaceGas *gas, Standing patch, const int32_t at[3])
{
    float h = domain->grid->cell_size;
    BwVec3 way = bw_sub(bw_vec3(h * ((float)at[0] + 0.5f), h * ((float)at[1] + 0.5f),
                                domain->grid->dimension == 3 ? h * ((float)at[2] + 0.5f) : 0.0f),
                        patch.place);
    float above = bw_dot(way, patch.normal), beside = bw_dot(way, way) - above * above;
    Cell cell;
    if (above < -h || beside > sideways * sideways * h * h || !find_cell(domain, at, &cell))
        return;
    float *share = value_in(gas->emitted, cell);
    *share = bw_larger(*share, bw_smaller(0.5f + BW_FUEL_LAYER - above / h, 1.0f));
}

void bw_fuel_surface_cover(const BwFuelSurface *surface, const BwDomain *domain, const BwSurfaceGas *gas)
{
    const BwGrid *grid = domain->grid;
    for (int64_t n = 0; n < surface->patches->count && gas->phi != NULL; n++) {
        if (!is_lifted(surface, n))
            continue;
        Standing patch = standing_of(surface, n);
        BwPlace place = place_of(grid, point_above(patch, outlet * grid->cell_size));
        int deep = grid->dimension == 3 ? 2 : 0;
        for (int k = -deep; k <= deep; k++)
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++)
                    cover_cell(domain, gas, patch,
                               (int32_t[3]){place.cell[0] + i, place.cell[1] + j, place.cell[2] + k});
    }
}

// The open cells around the place where a patch's gas comes out, and their shares of it.
typedef struct Outlet {
    Cell cells[8];
    float shares[8];
    int count;
} Outlet;

static Outlet find_outlet(const BwDomain *domain, Standing patch)
{
    const BwGrid *grid = domain->grid;
    BwPlace place = place_of(grid, point_above(patch, outlet * grid->cell_size));
    Outlet found = {.count = 0};
    float sum = 0.0f;
    if (!is_in_grid(grid, place.cell))
        return found;
    for (int corner = 0; corner < 1 << grid->dimension; corner++) {
        int32_t at[3] = {0};
        float weight = 1.0f;
        for (int a = 0; a < grid->dimension; a++) {
            float x = place.offset[a] + 0.5f, part = x - floorf(x); // from the centre of a cell to the next
            int high = corner >> a & 1;
            at[a] = place.cell[a] + (int32_t)floorf(x) - 1 + high;
            weight *= high ? part : 1.0f - part;
        }
        if (weight > 0.0f && find_cell(domain, at, &found.cells[found.count])) {
            found.shares[found.count++] = weight;
            sum += weight;
        }
    }
    for (int n = 0; n < found.count; n++)
        found.shares[n] /= sum;
    return found;
}

// New gas, `share` of a cell's.
static void mix_in(const BwSurfaceGas *gas, const BwSolidFuelLaw *law, Cell cell, float share, float heat)
{
    float *T = value_in(gas->temperature, cell), *fuel = gas->fuel != NULL ? value_in(gas->fuel, cell) : NULL;
    *T += share * bw_larger(heat - *T, 0.0f);
    if (fuel != NULL)
        *fuel += share * (1.0f - *fuel);
    if (gas->phi != NULL) {
        float *reaction = value_in(gas->reaction, cell);
        *reaction += share * (1.0f - *reaction);
        *T = bw_smaller(*T, bw_larger(law->hottest, heat));
    }
}

// Gas where there is fuel already becomes fuel, whose values are not its own. `rate` is of gas, m^3/s; gives
// the share of it that burns at once.
static double let_out(const BwSurfaceGas *gas, const BwSolidFuelLaw *law, const Outlet *out, double rate,
                      bool is_fuel, float heat, double cell_volume, float dt)
{
    double burnt = 0.0;
    for (int n = 0; n < out->count; n++) {
        Cell cell = out->cells[n];
        bool has_front = gas->phi != NULL, burns = has_front && !is_fuel && *value_in(gas->phi, cell) > 0.0f;
        double share = (double)out->shares[n], expanded = burns ? rate * (double)law->flame_ratio : rate;
        float divergence = (float)(share * expanded / cell_volume);
        *value_in(gas->divergence, cell) += divergence;
        if (burns || !has_front)
            mix_in(gas, law, cell, 1.0f - expf(-divergence * dt), heat);
        burnt += burns ? share : 0.0;
    }
    return burnt;
}

BwGasified bw_fuel_surface_release(const BwFuelSurface *surface, const BwDomain *domain,
                                   const BwSurfaceGas *gas, float dt)
{
    const BwSolidFuelLaw *law = &surface->law;
    BwGasified sum = {0};
    for (int64_t n = 0; n < surface->patches->count; n++) {
        float rate = bw_smaller(surface->rate[n], (law->thickness - surface->depth[n]) / dt);
        if (!(rate > 0.0f))
            continue;
        Outlet out = find_outlet(domain, standing_of(surface, n));
        if (out.count == 0)
            continue;
        double area = (double)surface->patches->list[n].area, speed = (double)(rate * law->gas_ratio);
        sum.burnt += area * speed * (double)dt *
                     let_out(gas, law, &out, area * speed, is_lifted(surface, n), surface->temperature[n],
                             bw_cell_volume(domain->grid), dt);
        surface->depth[n] += rate * dt;
        sum.solid += area * (double)rate * (double)dt;
    }
    return sum;
}
