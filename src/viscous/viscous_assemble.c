// The finest level from geometry. A line between two faces counts by the liquid in the cube around it; one
// that a surface cuts counts for its own face alone, as a pull towards the surface's speed there.
//
// Beside a solid the speed is the solid's own at the face, not on the surface: the stress holds the slope of
// both components, and the solid's rotation gives the other one.
#include "viscous/viscous_assemble.h"

#include "domain/measure.h"
#include "domain/solid_faces.h"
#include "operate/prescribe.h"
#include "viscous/liquid_fractions.h"

#include <math.h>

typedef struct Job {
    BwViscousAssembly *assembly;
    float k; // dt / h^2
} Job;

// Faces between two live cells, but those that are closed, or whose velocity an inflow or a source
// prescribes.
static void find_candidates(const BwViscousAssembly *assembly, int32_t slot)
{
    const BwDomain *domain = assembly->def->domain;
    for (int a = 0; a < domain->grid->dimension; a++)
        for (int k = 0; k < domain->grid->layers; k++) {
            uint64_t flow = bw_mask_tile(&domain->flow[a], slot)[k],
                     closed = bw_mask_tile(&domain->face[a], slot)[k] & ~flow,
                     passable = bw_mask_tile(&assembly->def->passable[a], slot)[k] & ~closed;
            if (domain->prescribed != NULL && domain->prescribed->has_any)
                closed |= bw_mask_tile(&domain->prescribed->face[a], slot)[k];
            bw_mask_tile(&assembly->viscosity->candidates[a], slot)[k] = (flow | passable) & ~closed;
        }
}

static void find_candidates_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const BwViscousAssembly *assembly = context;
    for (int64_t m = begin; m < end; m++)
        find_candidates(assembly, assembly->def->domain->grid->order[m]);
}

BwBoundaryField bw_viscous_boundary(const BwViscousAssembly *assembly, int axis)
{
    const BwViscosityDef *def = assembly->def;
    return (BwBoundaryField){.domain = def->domain,
                             .solids = def->solids,
                             .solid_count = def->solid_count,
                             .dt = def->solids_dt,
                             .field = &assembly->velocity->u[axis],
                             .candidates = &assembly->viscosity->candidates[axis]};
}

void bw_viscous_find_free(const BwViscousAssembly *assembly)
{
    const BwDomain *domain = assembly->def->domain;
    BwViscousAssembly job = *assembly;
    bw_parallel_for(domain->pool, domain->grid->tile_count, 64, find_candidates_range, &job);
    for (int a = 0; a < domain->grid->dimension; a++) {
        BwBoundaryField boundary = bw_viscous_boundary(assembly, a);
        bw_boundary_find_free(&boundary, &assembly->viscosity->masks[a]);
    }
}

// Leaves out what faces beside cells that have let go would stick to.
static void forget_released(const BwViscousAssembly *assembly, int axis, int32_t slot, BwContacts *contacts)
{
    const BwGrid *grid = assembly->def->domain->grid;
    const BwMask *released = assembly->def->released;
    int kept = 0;
    for (int c = 0; c < contacts->count; c++) {
        int layer = contacts->list[c].sample / BW_TILE_LAYER,
            index = contacts->list[c].sample % BW_TILE_LAYER;
        uint64_t beside =
            bw_mask_tile(released, slot)[layer] | bw_bits_beside(grid, released, slot, 2 * axis, layer);
        if (!(beside >> index & 1))
            contacts->list[kept++] = contacts->list[c];
    }
    contacts->count = kept;
}

void bw_viscous_contacts(const BwViscousAssembly *assembly, int axis, int32_t slot, BwBoundaryTerms *terms,
                         BwContacts *contacts)
{
    BwBoundaryField boundary = bw_viscous_boundary(assembly, axis);
    bw_boundary_contacts(&boundary, &assembly->viscosity->masks[axis], slot, terms, contacts);
    if (assembly->def->released != NULL)
        forget_released(assembly, axis, slot, contacts);
}

static BwResult find_tiles(BwViscousAssembly *assembly, BwError *err)
{
    const BwGrid *grid = assembly->def->domain->grid;
    BwViscousLevel *level = assembly->level;
    size_t tiles = (size_t)grid->tile_count + 1;
    level->coord = bw_workspace_alloc(level->workspace, tiles * sizeof *level->coord);
    assembly->slot = bw_workspace_alloc(level->workspace, tiles * sizeof *assembly->slot);
    if (level->coord == NULL || assembly->slot == NULL)
        return bw_fail_memory(err);
    for (int32_t m = 0; m < grid->tile_count; m++) {
        int32_t slot = grid->order[m];
        if (!bw_liquid_is_near(assembly->def->phi, slot))
            continue;
        BwTileCoord c = grid->tiles[slot].coord;
        assembly->slot[++level->count] = slot;
        level->coord[level->count] = (BwTileCoord){c.x - (grid->period[0] > 0 ? grid->period_low[0] : 0),
                                                   c.y - (grid->period[1] > 0 ? grid->period_low[1] : 0),
                                                   c.z - (grid->period[2] > 0 ? grid->period_low[2] : 0)};
    }
    return BW_OK;
}

// The speed that a surface has where a face is.
static float speed_at(const BwViscousAssembly *assembly, int a, int32_t slot, const BwContact *contact)
{
    const BwViscosityDef *def = assembly->def;
    if (contact->surface < BW_SIDE_COUNT || contact->side / 2 == a)
        return contact->value;
    const BwGrid *grid = def->domain->grid;
    BwVec3 at =
        bw_sample_position(grid, grid->tiles[slot].coord, contact->sample, assembly->velocity->u[a].location);
    const BwSolidPose *solid = &def->solids[contact->surface - BW_SIDE_COUNT];
    return bw_component(bw_solid_displacement(solid, at), a) / def->solids_dt;
}

// A tile at work.
typedef struct Tile {
    int32_t t, slot;
    BwLiquidFractions fractions;
    BwViscositySamples viscosity;
    BwBoundaryTerms terms[3];
} Tile;

static float fraction_of(const BwLiquidFractions *fractions, const float *values, int n)
{
    return fractions->is_full ? 1.0f : fractions->is_empty ? 0.0f : values[n];
}

static float viscosity_of(const BwViscositySamples *samples, const float *values, int n)
{
    return samples->is_constant ? samples->constant : values[n];
}

// Between a face and a surface: where it follows the rate of strain, that of the line between them counts.
static float wall_viscosity(const Job *job, const Tile *tile, int a, const BwContact *contact)
{
    const BwViscousAssembly *assembly = job->assembly;
    float viscosity = viscosity_of(&tile->viscosity, tile->viscosity.face[a], contact->sample);
    if (!bw_law_follows_rate(&assembly->source.law))
        return viscosity;
    float h = assembly->def->domain->grid->cell_size, grip = contact->weight * contact->length,
          slip = bw_field_tile(&assembly->velocity->u[a], tile->slot)[contact->sample] -
                 speed_at(assembly, a, tile->slot, contact),
          slope = contact->side / 2 == a ? 0.0f : grip * slip / (fmaxf(contact->length, 0.01f) * h);
    float rest = tile->viscosity.rest[a][contact->side / 2][contact->sample];
    return bw_law_viscosity(&assembly->source.law, viscosity, slope * slope + rest);
}

// What a surface adds to the diagonal of a face, per grip and length.
static float wall_weight(const Job *job, const Tile *tile, int a, const BwContact *contact)
{
    const BwLiquidFractions *fractions = &tile->fractions;
    float fullness = fmaxf(fraction_of(fractions, fractions->face[a], contact->sample), BW_VISCOUS_MASS_MIN);
    float k = job->k * wall_viscosity(job, tile, a, contact);
    return (contact->side / 2 == a ? 2.0f : 1.0f) * k * fullness * contact->weight;
}

static void add_walls(const Job *job, const Tile *tile, int a, const BwContacts *contacts)
{
    const BwViscousAssembly *assembly = job->assembly;
    int64_t first = (int64_t)tile->t * assembly->level->cells;
    for (int c = 0; c < contacts->count; c++) {
        const BwContact *contact = &contacts->list[c];
        float speed = speed_at(assembly, a, tile->slot, contact);
        float weight = wall_weight(job, tile, a, contact);
        assembly->level->wall[a][first + contact->sample] += weight;
        assembly->pull.speed.u[a][first + contact->sample] += weight * speed;
        assembly->pull.square.u[a][first + contact->sample] += weight * speed * speed;
    }
}

static void set_weights(const Job *job, const Tile *tile)
{
    BwViscousLevel *level = job->assembly->level;
    const BwLiquidFractions *fractions = &tile->fractions;
    const BwViscositySamples *viscosity = &tile->viscosity;
    int64_t first = (int64_t)tile->t * level->cells;
    for (int a = 0; a < level->dimension; a++)
        for (int n = 0; n < level->cells; n++)
            if (bw_bit(tile->terms[a].link[a], n))
                level->normal[a][first + n] = 2.0f * job->k *
                                              viscosity_of(viscosity, viscosity->before[a], n) *
                                              fraction_of(fractions, fractions->before[a], n);
    for (int a = 0; a < level->dimension; a++)
        for (int b = 0; b < level->dimension; b++) {
            int axis = a != b ? 3 - a - b : 0;
            const float *edge = fractions->edge[axis], *values = viscosity->edge[axis];
            for (int n = 0; n < level->cells && a != b; n++)
                if (bw_bit(tile->terms[a].link[b], n))
                    level->shear[a][b][first + n] =
                        sqrtf(job->k * viscosity_of(viscosity, values, n) * fraction_of(fractions, edge, n));
        }
}

static void assemble_lines(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    const BwViscousAssembly *assembly = job->assembly;
    Tile tile;
    BwContacts contacts;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++) {
        tile.t = t;
        tile.slot = assembly->slot[t];
        bw_liquid_fractions_find(&tile.fractions, assembly->def->phi, tile.slot);
        if (!tile.fractions.is_empty)
            bw_viscosity_samples_find(&tile.viscosity, &assembly->source, tile.slot);
        for (int a = 0; a < assembly->level->dimension; a++) {
            bw_viscous_contacts(assembly, a, tile.slot, &tile.terms[a], &contacts);
            if (!tile.fractions.is_empty)
                add_walls(job, &tile, a, &contacts);
            for (int n = 0; n < assembly->level->cells; n++)
                assembly->level->mass[a][(int64_t)t * assembly->level->cells + n] =
                    fraction_of(&tile.fractions, tile.fractions.face[a], n);
        }
        if (!tile.fractions.is_empty)
            set_weights(job, &tile);
    }
}

// Whether any line of a face carries a force: its own ones, and those that it is the low end of.
static bool has_line(const BwViscousLevel *level, int a, int32_t t, int cell)
{
    static const int stride[3] = {1, 8, 64};
    for (int b = 0; b < level->dimension; b++) {
        const float *weight = a == b ? level->normal[a] : level->shear[a][b];
        bool is_last = cell / stride[b] % 8 == 7;
        int64_t next = is_last
                           ? (int64_t)bw_viscous_beside(level, t, b, 1) * level->cells + cell - 7 * stride[b]
                           : (int64_t)t * level->cells + cell + stride[b];
        if (weight[(int64_t)t * level->cells + cell] > 0.0f || weight[next] > 0.0f)
            return true;
    }
    return false;
}

// Free faces with liquid around them, or with a line that has.
static void assemble_masses(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    BwViscousLevel *level = job->assembly->level;
    for (int32_t t = (int32_t)begin + 1; t <= end; t++)
        for (int a = 0; a < level->dimension; a++) {
            int32_t slot = job->assembly->slot[t];
            const uint64_t *free = bw_mask_tile(&job->assembly->viscosity->masks[a].free, slot),
                           *flow = bw_mask_tile(&job->assembly->def->domain->flow[a], slot);
            float *mass = level->mass[a] + (int64_t)t * level->cells;
            for (int n = 0; n < level->cells; n++) {
                bool is_unknown = bw_bit(free, n) && (mass[n] > 0.0f || has_line(level, a, t, n));
                float share = bw_bit(flow, n) ? fmaxf(mass[n], BW_VISCOUS_MASS_MIN) : BW_VISCOUS_MASS_MIN;
                mass[n] = is_unknown ? share : 0.0f;
            }
        }
}

static BwResult reserve_pull(BwViscousAssembly *assembly, BwError *err)
{
    BwViscousLevel *level = assembly->level;
    size_t bytes = ((size_t)level->count + 1) * (size_t)level->cells * sizeof(float);
    for (int a = 0; a < level->dimension; a++) {
        assembly->pull.speed.u[a] = bw_workspace_alloc_zeroed(level->workspace, bytes);
        assembly->pull.square.u[a] = bw_workspace_alloc_zeroed(level->workspace, bytes);
        if (assembly->pull.speed.u[a] == NULL || assembly->pull.square.u[a] == NULL)
            return bw_fail_memory(err);
    }
    return BW_OK;
}

static Job job_of(BwViscousAssembly *assembly)
{
    double h = (double)assembly->def->domain->grid->cell_size;
    return (Job){assembly, (float)(assembly->def->dt / (h * h))};
}

static BwViscositySource source_of(const BwViscousAssembly *assembly)
{
    const BwViscosityDef *def = assembly->def;
    float exponent = def->law.exponent > 0.0f ? def->law.exponent : 1.0f;
    return (BwViscositySource){.domain = def->domain,
                               .constant = (float)def->viscosity,
                               .field = def->viscosities,
                               .law = {def->law.yield, exponent},
                               .velocity = assembly->velocity,
                               .faces = assembly->viscosity->candidates};
}

BwResult bw_viscous_assemble(BwViscousAssembly *assembly, BwError *err)
{
    const BwDomain *domain = assembly->def->domain;
    const BwGrid *grid = domain->grid;
    Job job = job_of(assembly);
    assembly->source = source_of(assembly);
    *assembly->level = (BwViscousLevel){.pool = domain->pool,
                                        .workspace = &assembly->viscosity->workspace,
                                        .dimension = grid->dimension,
                                        .layers = grid->layers,
                                        .cells = grid->tile_cells,
                                        .extent = {BW_TILE, BW_TILE, grid->layers},
                                        .period = {grid->period[0], grid->period[1], grid->period[2]}};
    bw_viscous_find_free(assembly);
    BW_TRY(find_tiles(assembly, err));
    BW_TRY(bw_viscous_level_reserve(assembly->level, true, err));
    BW_TRY(reserve_pull(assembly, err));
    bw_viscous_level_link(assembly->level);
    bw_parallel_for(domain->pool, assembly->level->count, 1, assemble_lines, &job);
    bw_parallel_for(domain->pool, assembly->level->count, BW_VISCOUS_GRAIN, assemble_masses, &job);
    bw_viscous_level_finish(assembly->level);
    return BW_OK;
}

// What the surface of a solid takes from one face in the step, over its density, m/s times a cell.
static void add_load(const Job *job, const Tile *tile, int a, const BwContact *contact, double per_second)
{
    const BwViscousAssembly *assembly = job->assembly;
    const BwGrid *grid = assembly->def->domain->grid;
    int s = contact->surface - BW_SIDE_COUNT;
    if (s < 0 || !bw_bit(bw_mask_tile(&assembly->def->domain->flow[a], tile->slot), contact->sample))
        return;
    BwVec3 at = bw_sample_position(grid, grid->tiles[tile->slot].coord, contact->sample,
                                   assembly->velocity->u[a].location);
    float u = bw_field_tile(&assembly->velocity->u[a], tile->slot)[contact->sample];
    double slip = (double)u - (double)speed_at(assembly, a, tile->slot, contact);
    double force = (double)wall_weight(job, tile, a, contact) * slip * per_second;
    BwVec3 arm = bw_sub(at, assembly->def->solids[s].pose.position);
    BwVec3 turn = bw_cross(arm, bw_vec3((float)(a == 0), (float)(a == 1), (float)(a == 2)));
    assembly->def->loads[s].force[a] += force;
    for (int n = 0; n < 3; n++)
        assembly->def->loads[s].torque[n] += force * (double)bw_component(turn, n);
}

void bw_viscous_add_loads(BwViscousAssembly *assembly)
{
    Job job = job_of(assembly);
    const BwViscosityDef *def = assembly->def;
    double per_second = bw_cell_volume(def->domain->grid) / def->dt;
    Tile tile;
    BwContacts contacts;
    for (int32_t t = 1; t <= assembly->level->count; t++) {
        tile.t = t;
        tile.slot = assembly->slot[t];
        if (!bw_solids_are_near(def->domain->cut, tile.slot))
            continue;
        bw_liquid_fractions_find(&tile.fractions, def->phi, tile.slot);
        bw_viscosity_samples_find(&tile.viscosity, &assembly->source, tile.slot);
        for (int a = 0; a < assembly->level->dimension; a++) {
            bw_viscous_contacts(assembly, a, tile.slot, &tile.terms[a], &contacts);
            for (int c = 0; c < contacts.count; c++)
                add_load(&job, &tile, a, &contacts.list[c], per_second);
        }
    }
}
