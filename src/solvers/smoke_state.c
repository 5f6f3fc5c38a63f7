// What is kept, shown and told of smoke and fire, and what may go wrong with it.
#include "solvers/smoke.h"

#include "domain/measure.h"
#include "operate/field_math.h"

static const char *const color_names[3] = {"color_r", "color_g", "color_b"};

// Advection neither makes smoke nor destroys it, but for errors of a few percent in rough flow. Twice as much
// after one step is an explosion. (Less than before may have left through an open side.)
static const double mass_growth_max = 2.0;

double bw_smoke_mass(const BwSmoke *smoke)
{
    return bw_field_total(&smoke->flow.domain, &smoke->density, &smoke->flow.domain.open, 0.0f);
}

void bw_smoke_measure(void *solver, BwStats *stats)
{
    BwSmoke *smoke = solver;
    const BwDomain *domain = &smoke->flow.domain;
    bw_flow_measure(&smoke->flow, stats);
    stats->mass = bw_smoke_mass(smoke);
    if (smoke->burning.is_used)
        stats->fuel = bw_field_total(domain, &smoke->burning.fuel, &domain->open, 0.0f);
    else if (smoke->flame.is_used)
        stats->fuel = bw_flame_fuel(&smoke->flame, &smoke->flow);
    else
        stats->burnt = (double)NAN;
    stats->heat = BW_AIR_DENSITY * BW_AIR_HEAT_CAPACITY *
                  bw_field_total(domain, &smoke->temperature, &domain->open, smoke->gas->ambient);
}

BwResult bw_smoke_frame(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err)
{
    BwSmoke *smoke = solver;
    bool is_flat = smoke->scene->dimension == 2; // pictures of flat smoke show its heat
    BwFrameSource sources[BW_FRAME_FIELDS_MAX] = {
        {"density", "1", &smoke->density, NULL, false},
        {"temperature", "K", &smoke->temperature, NULL, !is_flat && smoke->scene->fluid != BW_FLUID_FIRE},
    };
    int count = bw_burning_frame_fields(&smoke->burning, &smoke->flow, &smoke->temperature, sources, 2);
    count = bw_flame_frame_fields(&smoke->flame, &smoke->flow, &smoke->temperature, sources, count);
    count = bw_flow_frame_fields(&smoke->flow, sources, count);
    for (int c = 0; c < 3 && smoke->color.is_used; c++)
        sources[count++] = (BwFrameSource){color_names[c], "1", &smoke->color.field[c], NULL, false};
    count = bw_flow_frame_pressure(&smoke->flow, sources, count);
    BW_TRY(bw_flow_show(&smoke->flow, kept, sources, count, frame, err));
    bw_solid_fuel_show(&smoke->solid_fuel, &smoke->flow.solids);
    return BW_OK;
}

int bw_smoke_state_fields(void *solver, BwStateField list[BW_STATE_FIELDS_MAX])
{
    BwSmoke *smoke = solver;
    int count = 0;
    list[count++] = (BwStateField){"density", &smoke->density};
    list[count++] = (BwStateField){"temperature", &smoke->temperature};
    for (int c = 0; c < 3 && smoke->color.is_used; c++)
        list[count++] = (BwStateField){color_names[c], &smoke->color.field[c]};
    if (smoke->burning.is_used) {
        list[count++] = (BwStateField){"flame", &smoke->burning.flame};
        list[count++] = (BwStateField){"fuel", &smoke->burning.fuel};
    }
    count = bw_flame_state_fields(&smoke->flame, list, count);
    return bw_flow_state_fields(&smoke->flow, list, count);
}

BwResult bw_smoke_save(void *solver, BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_smoke_state_fields(smoke, fields);
    BW_TRY(bw_flow_save(&smoke->flow, fields, count, record, err));
    return bw_solid_fuel_save(&smoke->solid_fuel, record, err);
}

// The account of a step belongs to that step: what is loaded has made none.
BwResult bw_smoke_load(void *solver, const BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_smoke_state_fields(smoke, fields);
    smoke->mass_before = smoke->mass_advected = 0.0;
    BW_TRY(bw_solid_fuel_load(&smoke->solid_fuel, record, err));
    return bw_flow_load(&smoke->flow, fields, count, record, err);
}

// No scene has smoke or temperatures below zero, and no scheme goes beyond the values around: rounding and
// solves that stop at a tolerance leave far less than this of the largest.
static BwResult agree_on_sign(const BwField *field, const char *name, BwError *err)
{
    const float share_max = 0.1f;
    float low, high;
    bw_field_range(field, &low, &high);
    if (low >= -share_max * high)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state is down to %.9g; it must be 0 or more", name,
                   (double)low);
}

static BwResult agree_on_color(const BwSmoke *smoke, BwError *err)
{
    double farthest = bw_color_stray(&smoke->color, &smoke->flow.domain, &smoke->density);
    if (farthest <= 1e-5)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "the colour of the state is %.3g from all that mixing the scene's colours can give",
                   farthest);
}

BwResult bw_smoke_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    BW_TRY(bw_flow_agree(&smoke->flow, record, err));
    BW_TRY(agree_on_sign(&smoke->density, "density", err));
    BW_TRY(agree_on_sign(&smoke->temperature, "temperature", err));
    if (smoke->burning.is_used) {
        BW_TRY(agree_on_sign(&smoke->burning.fuel, "fuel", err));
        BW_TRY(agree_on_sign(&smoke->burning.flame, "flame", err));
    }
    BW_TRY(bw_flame_agree(&smoke->flame, err));
    return agree_on_color(smoke, err);
}

BwResult bw_smoke_check(void *solver, double dt, BwError *err)
{
    BwSmoke *smoke = solver;
    BwStateField fields[BW_STATE_FIELDS_MAX];
    int count = bw_smoke_state_fields(smoke, fields);
    BW_TRY(bw_flow_check(&smoke->flow, fields, count, dt, err));
    if (smoke->mass_advected <= mass_growth_max * smoke->mass_before)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS, "advection made a mass of %.4g out of %.4g in one step",
                   smoke->mass_advected, smoke->mass_before);
}
