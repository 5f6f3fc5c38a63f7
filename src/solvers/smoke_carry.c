// What of smoke rides along its velocity, and how: the buffers that `smoke.advection` needs, and the sets of
// fields that are carried together.
#include "solvers/smoke.h"

#include "advect/skew.h"
#include <string.h>

static BwScheme scheme_of(BwAdvection advection)
{
    return advection == BW_ADVECT_SEMI_LAGRANGIAN ? BW_SCHEME_LINEAR
           : advection == BW_ADVECT_CUBIC         ? BW_SCHEME_CUBIC
                                                  : BW_SCHEME_MACCORMACK;
}

BwResult bw_smoke_create_carrying(BwSmoke *smoke, BwVec3 air, BwError *err)
{
    if (bw_smoke_reflects(smoke))
        BW_TRY(bw_velocity_create(&smoke->reflected, smoke->grid, air, err));
    BwPressureSystem *system = &smoke->projection.system;
    BwField *next = smoke->next_velocity.u;
    BwLentFields lent = {.paths = system->face,
                         .low = {&next[0], &next[1]},
                         .high = {&system->right, smoke->grid->dimension == 3 ? &next[2] : NULL}};
    return bw_advector_create(&smoke->advector, smoke->grid, smoke->pool,
                              scheme_of(smoke->scene->smoke.advection), lent, err);
}

void bw_smoke_destroy_carrying(BwSmoke *smoke)
{
    bw_velocity_destroy(&smoke->reflected);
    bw_advector_destroy(smoke->advector);
}

void bw_smoke_set_air(BwSmoke *smoke, BwVec3 air)
{
    const float values[3] = {air.x, air.y, air.z};
    for (int a = 0; a < 3; a++) {
        BwField *fields[] = {&smoke->velocity.u[a], &smoke->next_velocity.u[a], &smoke->reflected.u[a]};
        for (int n = 0; n < 3; n++)
            if (fields[n]->store.grid != NULL)
                bw_field_set_background(fields[n], values[a]);
    }
}

enum { SCALARS = 5 }; // density, temperature and as many coordinates of colour as there may be

// They share their paths.
static BwAdvectSet scalars(BwSmoke *smoke, BwAdvectField list[SCALARS])
{
    list[0] = (BwAdvectField){&smoke->density, &smoke->next_density};
    list[1] = (BwAdvectField){&smoke->temperature, &smoke->next_temperature};
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        list[2 + n] = (BwAdvectField){smoke->color.from[n], smoke->color.to[n]};
    return (BwAdvectSet){.fields = list,
                         .count = 2 + smoke->color.hull.dimension,
                         .valid = &smoke->domain.scalar,
                         .sources = &smoke->held,
                         .keeps_total = bw_schemes[scheme_of(smoke->scene->smoke.advection)].keeps_totals,
                         .entry = BW_ENTERS_BACKGROUND};
}

static BwAdvectSet component(const BwSmoke *smoke, const BwAdvectField *field, int axis)
{
    const float wind[3] = {smoke->wind.x, smoke->wind.y, smoke->wind.z};
    return (BwAdvectSet){.fields = field,
                         .count = 1,
                         .valid = &smoke->domain.face[axis],
                         .entry = BW_ENTERS_FROM_REST,
                         .air = wind[axis]};
}

static BwPathSolids solids_of(const BwSmoke *smoke)
{
    return (BwPathSolids){.list = smoke->solids.poses, .count = smoke->scene->obstacle_count};
}

// Advection leaves dead cells alone, and the faces of a far wall are theirs. They keep what they hold, so
// that what a field will be never depends on what its other buffer was used for.
static void keep_dead_faces(BwSmoke *smoke)
{
    const BwGrid *grid = smoke->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (bw_tile_is_all_live(grid, slot))
            continue;
        for (int a = 0; a < grid->dimension; a++) {
            float *to = bw_field_tile(&smoke->velocity.u[a], slot);
            const float *from = bw_field_tile(&smoke->next_velocity.u[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(grid->tiles[slot].live, c) ? to[c] : from[c];
        }
    }
}

void bw_smoke_swap_velocity(BwSmoke *smoke)
{
    for (int a = 0; a < smoke->grid->dimension; a++)
        bw_field_swap(&smoke->velocity.u[a], &smoke->next_velocity.u[a]);
}

// `from` along the velocity, and scalars if any.
static void carry_velocity(BwSmoke *smoke, const BwVelocity *from, const BwAdvectSet *scalars, double dt)
{
    BwAdvectSet sets[BW_ADVECT_SETS];
    BwAdvectField fields[3];
    int count = 0;
    if (scalars != NULL)
        sets[count++] = *scalars;
    for (int a = 0; a < smoke->grid->dimension; a++) {
        fields[a] = (BwAdvectField){&from->u[a], &smoke->next_velocity.u[a]};
        sets[count++] = component(smoke, &fields[a], a);
    }
    bw_advect(smoke->advector, &smoke->domain, &smoke->velocity, solids_of(smoke), sets, count, (float)dt);
}

static void take_over_velocity(BwSmoke *smoke)
{
    bw_smoke_swap_velocity(smoke);
    keep_dead_faces(smoke);
}

static void take_over_scalars(BwSmoke *smoke)
{
    for (int n = 0; n < smoke->color.hull.dimension; n++)
        bw_field_swap(&smoke->color.field[n], &smoke->color.next[n]);
    bw_field_swap(&smoke->density, &smoke->next_density);
    bw_field_swap(&smoke->temperature, &smoke->next_temperature);
}

void bw_smoke_carry(BwSmoke *smoke, double dt)
{
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    carry_velocity(smoke, &smoke->velocity, &set, dt);
    take_over_scalars(smoke);
    take_over_velocity(smoke);
}

// A step by reflection loses no energy by its projections, and so may not win any by carrying. The mirror
// image is not there yet, or no longer needed.
static void make_skew(BwSmoke *smoke, double dt)
{
    bw_make_skew(&smoke->domain, &smoke->velocity, &smoke->next_velocity, &smoke->reflected,
                 smoke->projection.system.face, (float)dt);
    for (int a = 0; a < smoke->grid->dimension; a++)
        bw_field_swap(&smoke->next_velocity.u[a], &smoke->reflected.u[a]);
}

// Faces that nothing may pass have the speed of their wall, which no advection changes.
static void keep_closed_faces(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwSmoke *smoke = context;
    const BwGrid *grid = smoke->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++) {
            int32_t slot = grid->order[n];
            float *to = bw_field_tile(&smoke->velocity.u[a], slot);
            const float *from = bw_field_tile(&smoke->next_velocity.u[a], slot);
            const uint64_t *face = bw_mask_tile(&smoke->domain.face[a], slot),
                           *flow = bw_mask_tile(&smoke->domain.flow[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(face, c) && !bw_bit(flow, c) ? from[c] : to[c];
        }
}

void bw_smoke_carry_first_half(BwSmoke *smoke, bool with_scalars, double dt)
{
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    set.keeps_total = false; // they are looked at, and thrown away
    set.count = 2;           // colour is not
    carry_velocity(smoke, &smoke->velocity, with_scalars ? &set : NULL, 0.5 * dt);
    make_skew(smoke, 0.5 * dt);
    take_over_velocity(smoke);
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, keep_closed_faces, smoke);
}

void bw_smoke_carry_second_half(BwSmoke *smoke, double dt)
{
    BwAdvectField list[SCALARS];
    BwAdvectSet set = scalars(smoke, list);
    bw_advect(smoke->advector, &smoke->domain, &smoke->velocity, solids_of(smoke), &set, 1, (float)dt);
    take_over_scalars(smoke);
    carry_velocity(smoke, &smoke->reflected, NULL, 0.5 * dt);
    make_skew(smoke, 0.5 * dt);
    take_over_velocity(smoke);
}

static void hold_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwSmoke *smoke = context;
    const BwGrid *grid = smoke->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++)
            memcpy(bw_field_tile(&smoke->reflected.u[a], grid->order[n]),
                   bw_field_tile(&smoke->velocity.u[a], grid->order[n]),
                   (size_t)grid->tile_cells * sizeof(float));
}

// Only what the pressure changes is reflected: faces that nothing passes have what their wall gives them.
static void reflect_tiles(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    BwSmoke *smoke = context;
    const BwGrid *grid = smoke->grid;
    for (int64_t n = begin; n < end; n++)
        for (int a = 0; a < grid->dimension; a++) {
            float *restrict to = bw_field_tile(&smoke->reflected.u[a], grid->order[n]);
            const float *restrict mirror = bw_field_tile(&smoke->velocity.u[a], grid->order[n]);
            const uint64_t *flow = bw_mask_tile(&smoke->domain.flow[a], grid->order[n]);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(flow, c) ? 2.0f * mirror[c] - to[c] : mirror[c];
        }
}

void bw_smoke_hold_for_reflection(BwSmoke *smoke)
{
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, hold_tiles, smoke);
}

void bw_smoke_reflect(BwSmoke *smoke)
{
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, reflect_tiles, smoke);
}
