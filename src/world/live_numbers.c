// The numbers, by the fields of the scene that they are.
#include "world/live_numbers.h"

#include "scene/check.h"

#include <string.h>

// A number that is 0 in the scene has nothing prepared for it in the solver; one that is prepared stays above
// 0.
typedef struct LiveNumber {
    const char *constructor, *field;
    bool is_prepared;
} LiveNumber;

static const LiveNumber numbers[BW_LIVE_NUMBER_COUNT] = {
#define X(name, constructor, field, is_prepared) {constructor, field, is_prepared},
    BW_LIVE_NUMBERS(X)
#undef X
};

bool bw_live_is_number(BwEventKind kind)
{
    return kind == BW_EVENT_NUMBER || kind == BW_EVENT_GRAVITY;
}

static const char *name_of(BwFluid fluid)
{
    static const char *const names[] = {
#define X(name, text) text,
        BW_FLUIDS(X)
#undef X
    };
    return names[fluid];
}

static size_t offset_of_fluid(BwFluid fluid)
{
    return fluid == BW_FLUID_SMOKE    ? offsetof(BwSceneDef, smoke)
           : fluid == BW_FLUID_LIQUID ? offsetof(BwSceneDef, liquid)
           : fluid == BW_FLUID_FIRE   ? offsetof(BwSceneDef, fire)
                                      : offsetof(BwSceneDef, stable);
}

static const BwSceneField *field_of(const LiveNumber *number)
{
    return bw_field_find(bw_constructor_find(number->constructor), number->field);
}

static float first_value(const BwLiveScene *live, const LiveNumber *number)
{
    float value;
    const char *def = (const char *)&live->first.def + offset_of_fluid(live->def.fluid);
    memcpy(&value, def + field_of(number)->offset, sizeof value);
    return value;
}

static BwResult check_gravity(const BwLiveScene *live, const BwEvent *event, BwError *err)
{
    const BwSceneField *field = bw_field_find(bw_constructor_find("scene"), "gravity");
    BwPlace place = bw_place(NULL, 0, "scene");
    if (live->def.fluid == BW_FLUID_STABLE)
        return bw_fail(err, BW_ERR_DEF, "the fluid \"stable\" has no gravity to set");
    if (live->def.dimension == 2)
        BW_TRY(bw_check_in_plane(field, event->value, &place, err));
    return bw_check_numbers(field, event->value, 3, &place, err);
}

BwResult bw_live_check_number(const BwLiveScene *live, const BwEvent *event, BwError *err)
{
    if (event->kind == BW_EVENT_GRAVITY)
        return check_gravity(live, event, err);
    if (event->index < 0 || event->index >= BW_LIVE_NUMBER_COUNT)
        return bw_fail(err, BW_ERR_DEF, "number %d is none that can be set; there are %d", (int)event->index,
                       (int)BW_LIVE_NUMBER_COUNT);
    const LiveNumber *number = &numbers[event->index];
    BwPlace place = bw_place(NULL, 0, number->constructor);
    if (strcmp(number->constructor, name_of(live->def.fluid)) != 0)
        return bw_fail(err, BW_ERR_DEF, "%s.%s cannot be set: the fluid is \"%s\"", number->constructor,
                       number->field, name_of(live->def.fluid));
    if (number->is_prepared && !(first_value(live, number) > 0.0f))
        return bw_fail_at(err, &place, number->field, "is 0 in the scene, so it cannot be set");
    if (number->is_prepared && !(event->value[0] > 0.0f))
        return bw_fail_at(err, &place, number->field, "is to become %g; it must stay above 0",
                          (double)event->value[0]);
    return bw_check_numbers(field_of(number), event->value, 1, &place, err);
}

void bw_live_set_number(BwLiveScene *live, const BwEvent *event)
{
    const float *v = event->value;
    if (event->kind == BW_EVENT_GRAVITY) {
        live->def.gravity = bw_curve_vector(v[0], v[1], v[2]);
        return;
    }
    char *def = (char *)&live->def + offset_of_fluid(live->def.fluid);
    memcpy(def + field_of(&numbers[event->index])->offset, v, sizeof *v);
}
