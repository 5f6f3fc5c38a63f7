// Defaults, all from the table.
#include "scene/vocabulary.h"

#include "scene/check.h"

#include <assert.h>
#include <string.h>

static void set_choice(const BwSceneField *field, void *at)
{
    int number = (int)field->value[0];
    memcpy(at, &number, sizeof number);
}

static void set_curve(const BwSceneField *field, BwCurve *curve)
{
    *curve = (BwCurve){0};
    if (!(field->flags & BW_DEFAULTED))
        return;
    const double *v = field->value;
    *curve = !bw_field_is_vector_curve(field) ? bw_curve_number((float)v[0])
                                              : bw_curve_vector((float)v[0], (float)v[1], (float)v[2]);
}

static void set_default(const BwSceneField *field, void *at)
{
    const double *v = field->value;
    switch (field->kind) {
    case BW_FIELD_TEXT:
        *(const char **)at = field->text;
        break;
    case BW_FIELD_FLAG:
        *(bool *)at = v[0] != 0.0;
        break;
    case BW_FIELD_INTEGER:
        *(int *)at = (int)v[0];
        break;
    case BW_FIELD_SEED:
        *(uint64_t *)at = (uint64_t)v[0];
        break;
    case BW_FIELD_NUMBER:
        *(float *)at = (float)v[0];
        break;
    case BW_FIELD_DOUBLE:
        *(double *)at = v[0];
        break;
    case BW_FIELD_CHOICE:
    case BW_FIELD_CHOICE_CURVE:
        set_choice(field, at);
        break;
    case BW_FIELD_VECTOR:
        *(BwVec3 *)at = bw_vec3((float)v[0], (float)v[1], (float)v[2]);
        break;
    case BW_FIELD_COLOR:
        for (int n = 0; n < 3; n++)
            ((float *)at)[n] = (float)v[n];
        break;
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
    case BW_FIELD_VECTOR_CURVE:
        set_curve(field, at);
        break;
    case BW_FIELD_GROUP:
        bw_constructor_defaults(field->group, at);
        break;
    case BW_FIELD_PAIR:
    case BW_FIELD_AXES:
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
    case BW_FIELD_SHAPE:
    case BW_FIELD_PARTS:
    case BW_FIELD_OWNED_GROUP:
        break; // all zero is not given
    }
}

void bw_constructor_defaults(const BwConstructor *constructor, void *def)
{
    memset(def, 0, constructor->size);
    for (int n = 0; n < constructor->field_count; n++)
        set_default(&constructor->fields[n], (char *)def + constructor->fields[n].offset);
    if (constructor->use == BW_USE_SHAPE)
        ((BwShape *)def)->kind = constructor->shape;
}

// Enums are written through int.
static_assert(sizeof(BwFluid) == sizeof(int), "choices are stored as int");

BwSceneDef bw_scene_def_default(void)
{
    BwSceneDef def; // the constructor of the scene itself is the first, and clears all
    for (int n = 0; n < bw_constructor_count; n++)
        if (bw_constructors[n].use == BW_USE_SINGLE)
            bw_constructor_defaults(&bw_constructors[n], (char *)&def + bw_constructors[n].offset);
    def.cookie = BW_SCENE_COOKIE;
    return def;
}

#define DEFAULT_OF(type, function, name)                                                                     \
    type function(void)                                                                                      \
    {                                                                                                        \
        type def;                                                                                            \
        bw_constructor_defaults(bw_constructor_find(name), &def);                                            \
        return def;                                                                                          \
    }

DEFAULT_OF(BwWallsDef, bw_walls_def_default, "walls")
DEFAULT_OF(BwFillDef, bw_fill_def_default, "fill")
DEFAULT_OF(BwEmitterDef, bw_emitter_def_default, "emitter")
DEFAULT_OF(BwSinkDef, bw_sink_def_default, "sink")
DEFAULT_OF(BwPumpDef, bw_pump_def_default, "pump")
DEFAULT_OF(BwObstacleDef, bw_obstacle_def_default, "obstacle")
DEFAULT_OF(BwBodyDef, bw_body_def_default, "body")
DEFAULT_OF(BwForceDef, bw_force_def_default, "force")
DEFAULT_OF(BwChargeDef, bw_charge_def_default, "charge")
DEFAULT_OF(BwSurfaceControlDef, bw_surface_control_def_default, "surface_control")
DEFAULT_OF(BwSurfacePressureDef, bw_surface_pressure_def_default, "surface_pressure")
DEFAULT_OF(BwLightDef, bw_light_def_default, "light")

BwSolidFuelDef bw_solid_fuel_def_default(void)
{
    BwSolidFuelDef def;
    bw_constructor_defaults(bw_field_find(bw_constructor_find("obstacle"), "fuel")->group, &def);
    return def;
}

int bw_scene_def_frame_count(const BwSceneDef *def)
{
    if (def == NULL)
        return 0;
    if (def->frames > 0)
        return def->frames;
    if (def->duration > 0.0) {
        // A duration of a whole number of frames must not gain one by rounding.
        double frames = ceil(def->duration * def->fps - 1e-6);
        return frames < 1.0 ? 1 : (int)frames;
    }
    return 120;
}
