// Life and stages of a thin flame.
#include "flow/flame.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "operate/level_extend.h"
#include "scene/fuel.h"

#include <math.h>

// Cells on each side of the front in which phi is a distance; beyond them it is +-band.
enum { BAND_CELLS = 6 };

// Over which the share of fuel of frames falls from 1 to 0: enough for pictures to tell the front's place
// from.
static const float share_cells = 5.0f;

// Cells inside of solids that stencils of phi look into.
enum { LAYERS_IN_SOLIDS = 3 };

static float band_of(const BwGrid *grid)
{
    return (float)BAND_CELLS * grid->cell_size;
}

static BwFlameLaw law_of(const BwFireDef *fire)
{
    BwFuelDef fuel = bw_fuel_numbers(&fire->fuel);
    float ratio = fuel.density / fuel.density_products;
    return (BwFlameLaw){.speed = fuel.flame_speed,
                        .ratio = ratio,
                        .ignition = fuel.ignition,
                        .temperature_max = fuel.temperature_max,
                        .ambient = fire->smoke.ambient,
                        .rise = fire->rise,
                        .cooling = fire->cooling,
                        .soot = fuel.soot / ratio, // what unit fuel leaves is in so much more gas
                        .quench = fire->quench};
}

// Of the normal velocity across the front, products less fuel, m/s.
static float jump_of(const BwFlameLaw *law)
{
    return (law->ratio - 1.0f) * law->speed;
}

double bw_flame_products_density(const BwSceneDef *scene)
{
    return (double)bw_fuel_numbers(&scene->fire.fuel).density_products;
}

static bool can_go_out(const BwFlame *flame)
{
    return flame->law.quench > 0.0f;
}

static const BwField *lit_of(const BwFlame *flame)
{
    return can_go_out(flame) ? &flame->lit : NULL;
}

static float pressure_jump_of(const BwFlame *flame, const BwFlow *flow)
{
    return -bw_fuel_numbers(&flow->scene->fire.fuel).density * flame->law.speed * jump_of(&flame->law);
}

// The jumps are the same wherever the front is alight: where it cannot be put out, the background of their
// fields is all that they need.
static BwResult create_terms(BwFlame *flame, BwFlow *flow, BwError *err)
{
    BwGrid *grid = flow->grid;
    float jump = jump_of(&flame->law);
    BW_TRY(bw_field_create(&flame->density, grid, BW_AT_CELL, 1.0f, err));
    BW_TRY(bw_field_create(&flame->velocity_jump, grid, BW_AT_CELL, jump, err));
    BW_TRY(bw_field_create(&flame->pressure_jump, grid, BW_AT_CELL, pressure_jump_of(flame, flow), err));
    flow->terms.phi = &flame->phi;
    flow->terms.density = &flame->density;
    flow->terms.velocity_jump = &flame->velocity_jump;
    flow->terms.pressure_jump = &flame->pressure_jump;
    flow->terms.reference = (float)flow->def.density;
    flow->terms.dt = (float)(1.0 / flow->scene->fps); // until there is a step
    return BW_OK;
}

BwResult bw_flame_create(BwFlame *flame, BwFlow *flow, BwError *err)
{
    const BwSceneDef *scene = flow->scene;
    BwGrid *grid = flow->grid;
    BwVec3 none = {0};
    flame->is_used = scene->fluid == BW_FLUID_FIRE && scene->fire.model == BW_FIRE_THIN;
    if (!flame->is_used)
        return BW_OK;
    flame->law = law_of(&scene->fire);
    BW_TRY(bw_field_create(&flame->phi, grid, BW_AT_CELL, band_of(grid), err));
    BW_TRY(bw_field_create(&flame->emitted, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&flame->reaction, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&flame->next_reaction, grid, BW_AT_CELL, 0.0f, err));
    if (can_go_out(flame)) {
        BW_TRY(bw_field_create(&flame->lit, grid, BW_AT_CELL, 1.0f, err));
        BW_TRY(bw_field_create(&flame->next_lit, grid, BW_AT_CELL, 1.0f, err));
    }
    BW_TRY(bw_velocity_create(&flame->fuel, grid, none, err));
    BW_TRY(bw_velocity_create(&flame->next_fuel, grid, none, err));
    BW_TRY(bw_notes_create(&flame->wanted, grid, err));
    BW_TRY(bw_mask_create(&flame->known, grid, err));
    BW_TRY(bw_mask_create(&flame->front, grid, err));
    BW_TRY(bw_distance_create(&flame->distance, grid, err));
    BW_TRY(bw_level_advector_create(&flame->advector, grid, err));
    return create_terms(flame, flow, err);
}

void bw_flame_destroy(BwFlame *flame)
{
    BwField *fields[] = {&flame->phi,           &flame->emitted, &flame->reaction,
                         &flame->next_reaction, &flame->density, &flame->pressure_jump,
                         &flame->velocity_jump, &flame->lit,     &flame->next_lit};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++)
        bw_field_destroy(fields[n]);
    bw_velocity_destroy(&flame->fuel);
    bw_velocity_destroy(&flame->next_fuel);
    bw_notes_destroy(&flame->wanted);
    bw_mask_destroy(&flame->known);
    bw_mask_destroy(&flame->front);
    bw_distance_destroy(&flame->distance);
    bw_level_advector_destroy(&flame->advector);
}

BwPresence bw_flame_presence(const BwFlame *flame)
{
    float band = band_of(flame->phi.store.grid);
    return (BwPresence){&flame->phi, band, 0.5f * band, false};
}

int bw_flame_list(BwFlame *flame, BwAdvectField *list, int count)
{
    if (flame->is_used)
        list[count++] = (BwAdvectField){&flame->reaction, &flame->next_reaction};
    return count;
}

// The front moves with the fuel, and into it.
static void move_front(BwFlame *flame, BwFlow *flow, double dt)
{
    const BwDomain *domain = &flow->domain;
    BwLevelMotion motion = {&flame->next_fuel, BW_LEVEL_WENO, band_of(flow->grid), (float)dt};
    bw_front_velocity(domain, &flame->phi, lit_of(flame), &flame->fuel, flame->law.speed, &flame->next_fuel);
    bw_level_advect_far(&flame->advector, &flame->phi, flow->pool, &motion,
                        bw_level_speed(&flame->next_fuel, flow->pool));
    bw_front_smooth(domain, &flame->phi, &flame->advector.first, &flame->advector.reached, flame->law.speed,
                    (float)dt);
    if (can_go_out(flame)) {
        bw_lit_advect(domain, &flame->phi, &flame->next_fuel, &flame->lit, (float)dt, &flame->next_lit);
        bw_field_swap(&flame->lit, &flame->next_lit);
    }
}

void bw_flame_advect(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature, double dt)
{
    const BwDomain *domain = &flow->domain;
    BwProducts products = {&flame->reaction, temperature, density};
    if (!flame->is_used)
        return;
    bw_velocity_copy(domain, &flow->velocity, &flame->fuel);
    bw_front_shift(domain, &flame->phi, lit_of(flame), BW_PRODUCTS_SIDE, -jump_of(&flame->law), &flame->fuel);
    bw_front_shift(domain, &flame->phi, lit_of(flame), BW_FUEL_SIDE, jump_of(&flame->law), &flow->velocity);
    bw_products_ghost(domain, &flame->phi, lit_of(flame), &flame->law, &products);
    bw_front_note(domain, &flame->phi, BW_ADVECT_WANTED, &flame->wanted); // before it moves on
    move_front(flame, flow, dt);
    bw_flow_advect_other(flow, &flame->fuel, &flame->next_fuel, &flame->wanted, dt);
}

void bw_flame_take_over(BwFlame *flame, const BwFlow *flow, BwField *density, BwField *temperature)
{
    BwProducts products = {&flame->reaction, temperature, density};
    if (!flame->is_used)
        return;
    bw_field_swap(&flame->reaction, &flame->next_reaction);
    bw_products_clear(&flow->domain, &flame->phi, &flame->law, &products);
}

// phi goes on into solids as it is beside them.
static void extend_into_solids(BwFlame *flame, const BwDomain *domain)
{
    if (domain->cut == NULL)
        return;
    bw_mask_clear(domain, &flame->known);
    bw_mask_join(&flame->known, &domain->open);
    bw_level_extend(&flame->phi, &flame->known, &flame->front, domain, LAYERS_IN_SOLIDS);
}

void bw_flame_settle(BwFlame *flame, BwFlow *flow)
{
    const BwDomain *domain = &flow->domain;
    BwRedistance how = {.method = BW_DISTANCE_MARCH,
                        .valid = domain->cut != NULL ? &domain->open : NULL,
                        .band = band_of(flow->grid)};
    if (!flame->is_used)
        return;
    bw_front_add_fuel(domain, &flame->phi, &flame->emitted);
    extend_into_solids(flame, domain);
    bw_redistance(&flame->distance, &flame->phi, flow->pool, &how);
    extend_into_solids(flame, domain);
    bw_front_select(domain, &flame->phi, &flame->next_fuel, &flame->wanted, BW_ADVECT_WANTED,
                    &flow->velocity);
    bw_field_clear(domain, &flame->emitted);
}

void bw_flame_start(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature)
{
    BwProducts products = {&flame->reaction, temperature, density};
    if (!flame->is_used)
        return;
    bw_velocity_copy(&flow->domain, &flow->velocity, &flame->next_fuel);
    bw_front_note(&flow->domain, &flame->phi, BW_ADVECT_WANTED, &flame->wanted);
    bw_flame_settle(flame, flow);
    bw_products_clear(&flow->domain, &flame->phi, &flame->law, &products);
}

double bw_flame_react(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature, double dt,
                      BwStats *stats)
{
    BwProducts products = {&flame->reaction, temperature, density};
    if (!flame->is_used)
        return 0.0;
    double burnt = (double)flame->law.speed * bw_front_area(&flow->domain, &flame->phi, lit_of(flame)) * dt;
    stats->burnt += burnt;
    stats->expanded += (double)(flame->law.ratio - 1.0f) * burnt;
    bw_products_clear(&flow->domain, &flame->phi, &flame->law, &products); // of what sources brought
    double made = bw_products_react(&flow->domain, &flame->phi, &flame->law, &products, (float)dt);
    if (can_go_out(flame))
        bw_lit_update(&flow->domain, &flame->phi, temperature, &flame->law, (float)dt, &flame->lit);
    return made;
}

void bw_flame_hide_jump(BwFlame *flame, BwFlow *flow)
{
    if (!flame->is_used)
        return;
    bw_velocity_copy(&flow->domain, &flow->velocity, &flame->fuel);
    bw_front_shift(&flow->domain, &flame->phi, lit_of(flame), BW_FUEL_SIDE, jump_of(&flame->law),
                   &flow->velocity);
}

void bw_flame_show_jump(BwFlame *flame, BwFlow *flow)
{
    if (!flame->is_used)
        return;
    bw_front_select(&flow->domain, &flame->phi, &flame->fuel, NULL, 0, &flow->velocity);
    bw_flow_set_wall_velocity(flow); // which has been set in between
}

void bw_flame_press(BwFlame *flame, BwFlow *flow, double dt)
{
    if (!flame->is_used)
        return;
    flow->terms.dt = (float)dt;
    bw_field_set_background(&flame->density, 1.0f);
    bw_front_densities(&flow->domain, &flame->phi, flame->law.ratio, &flame->density);
    if (!can_go_out(flame))
        return;
    bw_lit_spread(&flow->domain, &flame->lit, jump_of(&flame->law), &flame->velocity_jump);
    bw_lit_spread(&flow->domain, &flame->lit, pressure_jump_of(flame, flow), &flame->pressure_jump);
}

float bw_flame_heat_max(const BwFlame *flame)
{
    return flame->is_used ? flame->law.temperature_max - flame->law.ambient : 0.0f;
}

float bw_flame_speed_max(const BwFlame *flame)
{
    return flame->is_used ? flame->law.ratio * flame->law.speed : 0.0f;
}

double bw_flame_fuel(BwFlame *flame, const BwFlow *flow)
{
    const BwDomain *domain = &flow->domain;
    bw_front_share(domain, &flame->phi, 1.0f, &flame->next_reaction);
    return bw_field_total(domain, &flame->next_reaction, &domain->open, 0.0f);
}

int bw_flame_frame_fields(BwFlame *flame, BwFlow *flow, const BwField *temperature, BwFrameSource *sources,
                          int count)
{
    const BwDomain *domain = &flow->domain;
    BwField *glow = &flame->next_reaction, *share = &flame->advector.first, *area = &flame->advector.second,
            *heat = &flame->density;
    if (!flame->is_used)
        return count;
    bw_field_set_background(share, 0.0f);
    bw_field_set_background(area, 0.0f);
    bw_field_set_background(heat, 0.0f);
    bw_products_glow(domain, &flame->phi, &flame->law, temperature, glow);
    bw_front_share(domain, &flame->phi, share_cells, share);
    bw_front_spread(domain, &flame->phi, area);
    if (can_go_out(flame))
        bw_lit_mask(domain, &flame->lit, area);
    bw_field_normalize(domain, temperature, flame->law.ambient, flame->law.temperature_max, heat);
    sources[count++] = (BwFrameSource){"flame", "1", glow, NULL, false};
    sources[count++] = (BwFrameSource){"front", "1/m", area, NULL, false};
    sources[count++] = (BwFrameSource){"fuel", "1", share, NULL, false};
    sources[count++] = (BwFrameSource){"heat", "1", heat, NULL, true};
    return count;
}

BwResult bw_flame_agree(const BwFlame *flame, BwError *err)
{
    float low, high, band = flame->is_used ? band_of(flame->phi.store.grid) : 0.0f, most = 1.0001f * band;
    if (!flame->is_used)
        return BW_OK;
    bw_field_range(&flame->phi, &low, &high);
    if (!(low >= -most && high <= most))
        return bw_fail(err, BW_ERR_FORMAT, "\"phi\" of the state goes from %g to %g m; its band is %g m",
                       (double)low, (double)high, (double)band);
    bw_field_range(&flame->reaction, &low, &high);
    if (!(low >= -1e-3f && high <= 1.001f))
        return bw_fail(err, BW_ERR_FORMAT, "\"reaction\" of the state goes from %g to %g; it is 0 to 1",
                       (double)low, (double)high);
    bw_field_range(&flame->emitted, &low, &high);
    if (!(low >= -1e-3f && high <= 1.001f))
        return bw_fail(err, BW_ERR_FORMAT, "\"emitted_fuel\" of the state goes from %g to %g; it is 0 to 1",
                       (double)low, (double)high);
    if (!can_go_out(flame))
        return BW_OK;
    bw_field_range(&flame->lit, &low, &high);
    if (!(low >= -1e-3f && high <= 1.001f))
        return bw_fail(err, BW_ERR_FORMAT, "\"lit\" of the state goes from %g to %g; it is 0 to 1",
                       (double)low, (double)high);
    return BW_OK;
}

int bw_flame_state_fields(BwFlame *flame, BwStateField *list, int count)
{
    if (!flame->is_used)
        return count;
    list[count++] = (BwStateField){"phi", &flame->phi};
    list[count++] = (BwStateField){"emitted_fuel", &flame->emitted};
    list[count++] = (BwStateField){"reaction", &flame->reaction};
    if (can_go_out(flame))
        list[count++] = (BwStateField){"lit", &flame->lit};
    return count;
}
