// Life of what burns, and the law that a scene gives it.
#include "flow/burning.h"

#include "operate/field_math.h"
#include "scene/fuel.h"

BwResult bw_burning_create(BwBurning *burning, const BwSceneDef *scene, BwGrid *grid, BwError *err)
{
    burning->is_used = scene->fluid == BW_FLUID_FIRE && scene->fire.model == BW_FIRE_SIMPLE;
    if (!burning->is_used)
        return BW_OK;
    BwField *fields[] = {&burning->fuel, &burning->flame, &burning->next_fuel, &burning->next_flame};
    for (int n = 0; n < 4; n++)
        BW_TRY(bw_field_create(fields[n], grid, BW_AT_CELL, 0.0f, err));
    return bw_mask_create(&burning->heated, grid, err);
}

void bw_burning_destroy(BwBurning *burning)
{
    bw_mask_destroy(&burning->heated);
    bw_field_destroy(&burning->fuel);
    bw_field_destroy(&burning->flame);
    bw_field_destroy(&burning->next_fuel);
    bw_field_destroy(&burning->next_flame);
}

int bw_burning_list(BwBurning *burning, BwAdvectField *list, int count)
{
    if (!burning->is_used)
        return count;
    list[count++] = (BwAdvectField){&burning->fuel, &burning->next_fuel};
    list[count++] = (BwAdvectField){&burning->flame, &burning->next_flame};
    return count;
}

void bw_burning_take_over(BwBurning *burning)
{
    if (!burning->is_used)
        return;
    bw_field_swap(&burning->fuel, &burning->next_fuel);
    bw_field_swap(&burning->flame, &burning->next_flame);
}

static BwBurnLaw law_of(const BwFireDef *fire)
{
    BwFuelDef fuel = bw_fuel_numbers(&fire->fuel);
    return (BwBurnLaw){.ignition = fuel.ignition,
                       .temperature_max = fuel.temperature_max,
                       .ambient = fire->smoke.ambient,
                       .rate = fire->burn_rate,
                       .fade = fire->fade,
                       .soot = fuel.soot,
                       .cooling = fire->cooling,
                       .expansion = fire->expansion};
}

double bw_burning_react(BwBurning *burning, BwFlow *flow, BwField *density, BwField *temperature, double dt,
                        BwStats *stats)
{
    if (!burning->is_used)
        return 0.0;
    BwBurnLaw law = law_of(&flow->scene->fire);
    BwBurnFields fields = {.fuel = &burning->fuel,
                           .flame = &burning->flame,
                           .temperature = temperature,
                           .density = density,
                           .heated = &burning->heated,
                           .divergence = law.expansion > 0.0f ? &flow->divergence : NULL};
    return bw_burn(&flow->domain, &fields, &law, (float)dt, &stats->burnt);
}

float bw_burning_heat_max(const BwBurning *burning, const BwSceneDef *scene)
{
    BwBurnLaw law = law_of(&scene->fire);
    return burning->is_used ? law.temperature_max - law.ambient : 0.0f;
}

int bw_burning_frame_fields(BwBurning *burning, BwFlow *flow, const BwField *temperature,
                            BwFrameSource *sources, int count)
{
    if (!burning->is_used)
        return count;
    BwBurnLaw law = law_of(&flow->scene->fire);
    BwField *heat = &burning->next_flame;
    bw_field_normalize(&flow->domain, temperature, law.ambient, law.temperature_max, heat);
    sources[count++] = (BwFrameSource){"flame", "1", &burning->flame, NULL, false};
    sources[count++] = (BwFrameSource){"fuel", "1", &burning->fuel, NULL, true};
    sources[count++] = (BwFrameSource){"heat", "1", heat, NULL, true};
    return count;
}
