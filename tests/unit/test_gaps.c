// The table of gaps is the whole truth: over every word of the vocabulary, what it marks is refused by name,
// and what it does not mark runs.
#include "gate.h"
#include "scene/describe.h"
#include "scene/gaps.h"

#include <billow/world.h>
#include <math.h>
#include <string.h>

// Scenes that a word is tried in: some gaps are there only in some of them.
typedef enum Base {
    IN_BOX,
    WITHOUT_WALLS,
    WITH_ENVELOPE,
    FLAT,
    CARRYING,
    CHARGED,
    LEVEL_SET,
    EXPLICIT,
    HEIGHT_FIELD,
    BASE_COUNT
} Base;

typedef struct Case {
    BwFluid fluid;
    Base base;
    BwSceneDef scene;
    _Alignas(BwSceneDef) char item[sizeof(BwSceneDef)]; // of a list
    BwEmitterDef emit;
    BwSolidFuelDef solid_fuel;
    BwFillDef fill;
    BwChargeDef charge;
    const char *path; // "walls.left"
    int refused, ran, invalid;
    bool is_refused_once;
} Case;

static const BwShape ball = {.kind = BW_SHAPE_SPHERE, .radius = 0.5f};

static bool is_running(BwFluid fluid)
{
    return fluid == BW_FLUID_SMOKE || fluid == BW_FLUID_LIQUID || fluid == BW_FLUID_STABLE ||
           fluid == BW_FLUID_FIRE;
}

static const char *fluid_name(BwFluid fluid)
{
    return bw_field_find(bw_constructor_find("scene"), "fluid")->names->texts[fluid];
}

static BwResult half(void *user, BwVec3 point, float value[4], BwError *err)
{
    (void)user, (void)point, (void)err;
    value[0] = value[1] = value[2] = 0.0f;
    return BW_OK;
}

static float other_number(const BwSceneField *field)
{
    float standard = (float)field->value[0];
    if (field->unit != NULL && strcmp(field->unit, "K") == 0 && field->range.low < 310.0)
        return 310.0f;
    float wanted = isfinite(standard) && standard != 0.0f ? 0.5f * standard : 0.5f;
    return (double)wanted >= field->range.low && (double)wanted <= field->range.high ? wanted
                                                                                     : 1.1f * standard;
}

// A value that is not the default. Choices are set one by one elsewhere.
static void set_other(const BwSceneField *field, void *at, Case *c)
{
    float number = other_number(field);
    switch (field->kind) {
    case BW_FIELD_TEXT:
        *(const char **)at = "words";
        break;
    case BW_FIELD_FLAG:
        *(bool *)at = field->value[0] == 0.0;
        break;
    case BW_FIELD_INTEGER:
        *(int *)at = (int)fmin(field->value[0] + 2.0, field->range.high);
        break;
    case BW_FIELD_SEED:
        *(uint64_t *)at = 7;
        break;
    case BW_FIELD_NUMBER:
        *(float *)at = number;
        break;
    case BW_FIELD_DOUBLE:
        *(double *)at = (double)number;
        break;
    case BW_FIELD_VECTOR:
        *(BwVec3 *)at = bw_vec3(0.0f, 0.5f, 0.0f);
        break;
    case BW_FIELD_COLOR:
        memcpy(at, (float[3]){0.5f, 0.2f, 0.1f}, 3 * sizeof(float));
        break;
    case BW_FIELD_PAIR:
        memcpy(at, (float[2]){0.5f, 0.5f}, 2 * sizeof(float));
        break;
    case BW_FIELD_AXES:
        *(bool *)at = true;
        break;
    case BW_FIELD_CURVE:
    case BW_FIELD_PLACE_CURVE:
        *(BwCurve *)at = bw_curve_number(number);
        break;
    case BW_FIELD_VECTOR_CURVE:
    case BW_FIELD_VECTOR_PLACE_CURVE:
        *(BwCurve *)at = bw_curve_vector(0.0f, 0.5f, 0.0f);
        break;
    case BW_FIELD_PLACE:
    case BW_FIELD_VECTOR_PLACE:
        *(BwPlaceCurve *)at = (BwPlaceCurve){half, NULL};
        break;
    case BW_FIELD_SHAPE:
        *(BwShape *)at = ball;
        break;
    case BW_FIELD_OWNED_GROUP:
        if (strcmp(field->group->name, "solid_fuel") == 0) {
            c->solid_fuel = bw_solid_fuel_def_default();
            *(const BwSolidFuelDef **)at = &c->solid_fuel;
            break;
        }
        c->emit = bw_emitter_def_default();
        c->emit.density = bw_curve_number(1.0f);
        *(const BwEmitterDef **)at = &c->emit;
        break;
    default:
        break;
    }
}

static void set_required(const BwConstructor *constructor, void *def, Case *c)
{
    for (int n = 0; n < constructor->field_count; n++)
        if (constructor->fields[n].flags & BW_REQUIRED)
            set_other(&constructor->fields[n], (char *)def + constructor->fields[n].offset, c);
}

// A small scene that is valid, with one Def of the constructor; returns that.
static void *begin(Case *c, const BwConstructor *constructor)
{
    c->scene = bw_scene_def_default();
    c->scene.fluid = c->fluid;
    c->scene.cell = 0.25f;
    c->scene.has_walls =
        (c->base != WITHOUT_WALLS && c->base != FLAT) || strcmp(constructor->name, "walls") == 0;
    c->scene.dimension = c->base == FLAT ? 2 : 3;
    c->scene.walls.min = bw_vec3(-2.0f, -2.0f, -2.0f);
    c->scene.walls.max = bw_vec3(2.0f, 2.0f, 2.0f);
    if (c->base == WITH_ENVELOPE)
        *(c->fluid == BW_FLUID_FIRE ? &c->scene.fire.smoke.envelope : &c->scene.smoke.envelope) = 1.0f;
    if (c->fluid == BW_FLUID_FIRE) { // that needs no way out
        c->scene.fire.model = BW_FIRE_SIMPLE;
        c->scene.fire.expansion = 0.0f;
    }
    c->charge = bw_charge_def_default();
    c->charge.shape = ball;
    c->charge.volume = 0.1f;
    c->scene.charges = &c->charge;
    c->scene.charge_count = c->base == CHARGED;
    c->scene.output.source = c->base == CARRYING;
    if (c->base == LEVEL_SET)
        c->scene.liquid.method = BW_LIQUID_PARTICLE_LEVELSET;
    if (c->base == EXPLICIT) {
        c->scene.liquid.method = BW_LIQUID_MARKERS;
        c->scene.liquid.scheme = BW_SCHEME_EXPLICIT;
    }
    if (c->base == HEIGHT_FIELD)
        c->scene.liquid.method = BW_LIQUID_HEIGHT;
    if (c->fluid == BW_FLUID_LIQUID) { // without one there is nothing to step
        c->fill = bw_fill_def_default();
        c->fill.shape = ball;
        c->fill.viscosity = c->base == CARRYING ? 0.1f : NAN;
        c->scene.fills = &c->fill;
        c->scene.fill_count = 1;
    }
    if (constructor->use != BW_USE_LIST)
        return (char *)&c->scene + constructor->offset;
    bw_constructor_defaults(constructor, c->item);
    set_required(constructor, c->item, c);
    if (strcmp(constructor->name, "emitter") == 0 && c->fluid == BW_FLUID_LIQUID)
        ((BwEmitterDef *)c->item)->flow = bw_curve_number(0.1f);
    else if (strcmp(constructor->name, "emitter") == 0)
        ((BwEmitterDef *)c->item)->density_rate = bw_curve_number(1.0f);
    if (strcmp(constructor->name, "charge") == 0)
        ((BwChargeDef *)c->item)->volume = 0.1f;
    if (strcmp(constructor->name, "surface_pressure") == 0) // what has a speed has a wavelength
        ((BwSurfacePressureDef *)c->item)->wavelength = 1.0f;
    if (strcmp(constructor->name, "force") == 0)
        ((BwForceDef *)c->item)->acceleration = bw_curve_vector(0.0f, 1.0f, 0.0f);
    void *list = c->item;
    memcpy((char *)&c->scene + constructor->offset, &list, sizeof list);
    *(int *)((char *)&c->scene + constructor->count_offset) = 1;
    return c->item;
}

static void mend_sides(BwWallsDef *walls)
{
    for (int n = 0; n < BW_SIDE_COUNT; n++) {
        BwWallSideDef *side = &walls->side[n];
        if (side->color[0] != 1.0f)
            side->kind = BW_WALL_INFLOW;
        float inward = n % 2 == 0 ? 0.5f : -0.5f;
        if (side->kind == BW_WALL_INFLOW) {
            walls->side[n ^ 1].kind = BW_WALL_OPEN;
            side->velocity = bw_curve_vector(n / 2 == 0 ? inward : 0.0f, n / 2 == 1 ? inward : 0.0f,
                                             n / 2 == 2 ? inward : 0.0f);
        } else if (bw_curve_is_given(&side->velocity) && n / 2 == 1)
            side->velocity = bw_curve_vector(0.5f, 0.0f, 0.0f);
    }
}

static void mend_force(BwForceDef *force)
{
    const BwForceDef plain = bw_force_def_default();
    if (force->scale != plain.scale || force->speed != plain.speed)
        force->field = BW_FORCE_TURBULENCE;
    else if (force->field == BW_FORCE_UNIFORM &&
             (bw_curve_is_given(&force->center) || bw_curve_is_given(&force->axis) ||
              bw_curve_is_given(&force->strength) || force->radius != plain.radius))
        force->field = BW_FORCE_VORTEX;
    if (force->field == BW_FORCE_UNIFORM)
        return;
    force->acceleration = (BwCurve){0};
    force->strength = bw_curve_number(1.0f);
    if (force->field == BW_FORCE_POINT || force->field == BW_FORCE_VORTEX)
        force->center = bw_curve_vector(0.0f, 0.5f, 0.0f);
}

static void mend_control(BwSurfaceControlDef *control)
{
    const BwSurfaceControlDef plain = bw_surface_control_def_default();
    if (control->scale != plain.scale || control->speed != plain.speed ||
        bw_curve_is_given(&control->strength))
        control->kind = BW_CONTROL_CHURN;
    control->velocity = control->kind == BW_CONTROL_WIND ? bw_curve_vector(1.0f, 0.0f, 0.0f) : (BwCurve){0};
    control->strength = control->kind == BW_CONTROL_CHURN ? bw_curve_number(1.0f) : (BwCurve){0};
}

static void mend_emitter(BwEmitterDef *emitter)
{
    if (bw_curve_is_given(&emitter->density))
        emitter->density_rate = (BwCurve){0};
    if (emitter->spread != 0.0f)
        emitter->kind = BW_EMIT_SPOUT;
    if (emitter->kind != BW_EMIT_REGION)
        emitter->flow = (BwCurve){0};
    if (emitter->kind == BW_EMIT_SPOUT)
        emitter->velocity = bw_curve_vector(0.0f, 0.5f, 0.0f);
}

static void mend_charge(BwChargeDef *charge)
{
    if (charge->energy > 0.0f)
        charge->volume = 0.0f;
    if (!(charge->stop > charge->start))
        charge->stop = charge->start + 0.1;
}

// What burns must get hotter than it has to be to burn, and what expands must have a way out.
static void mend_fire(BwSceneDef *scene)
{
    if (scene->fire.fuel.temperature_max == 310.0f)
        scene->fire.fuel.ignition = 300.0f;
    const BwFireDef *fire = &scene->fire;
    if (fire->model == BW_FIRE_THIN || fire->rise != bw_scene_def_default().fire.rise ||
        fire->quench > 0.0f || !isnan(fire->fuel.flame_speed) || !isnan(fire->fuel.density) ||
        !isnan(fire->fuel.density_products) || !isnan(fire->fuel.blue)) {
        scene->fire.model = BW_FIRE_THIN;
        scene->fire.expansion = 1.0f;
    }
    if (scene->charge_count > 0 ||
        (scene->fluid == BW_FLUID_FIRE && (scene->fire.expansion > 0.0f || scene->obstacle_count > 0)))
        scene->walls.side[BW_TOP].kind = BW_WALL_OPEN;
}

// What only level sets have, which carry nothing.
static void mend_liquid(BwSceneDef *scene)
{
    const BwLiquidDef *liquid = &scene->liquid, plain = bw_scene_def_default().liquid;
    if (liquid->flip_ratio != plain.flip_ratio)
        scene->liquid.method = BW_LIQUID_FLIP;
    if (liquid->elastic.yield != plain.elastic.yield || liquid->elastic.flow != plain.elastic.flow)
        scene->liquid.elastic.modulus = 100.0f;
    if (!isnan(liquid->donor_cell) || liquid->outflow != plain.outflow) {
        scene->liquid.method = BW_LIQUID_MARKERS;
        scene->liquid.scheme = BW_SCHEME_EXPLICIT;
    }
    if (memcmp(&liquid->spray, &plain.spray, sizeof plain.spray) != 0 ||
        memcmp(&liquid->foam, &plain.foam, sizeof plain.foam) != 0) {
        scene->liquid.method = BW_LIQUID_HEIGHT;
        scene->liquid.spray.speed = 1.0f;
        scene->output.source = false;
    }
    if (liquid->advection == plain.advection && liquid->redistance == plain.redistance &&
        liquid->correction_side == plain.correction_side &&
        liquid->surface_particles == plain.surface_particles)
        return;
    scene->liquid.method = BW_LIQUID_PARTICLE_LEVELSET;
    scene->output.source = false;
}

// What other fields must be so that the one that was set makes sense.
static void mend(Case *c)
{
    mend_sides(&c->scene.walls);
    if (c->scene.fluid == BW_FLUID_RECORDED) // which lacks its run, and has none of its own
        c->scene.fill_count = c->scene.charge_count = 0;
    if (c->scene.solver.relaxation != bw_scene_def_default().solver.relaxation)
        c->scene.solver.pressure = BW_PRESSURE_RELAXATION;
    mend_fire(&c->scene);
    if (c->scene.charge_count > 0 && c->base != CHARGED)
        mend_charge((BwChargeDef *)c->item);
    mend_liquid(&c->scene);
    if (c->scene.liquid.method == BW_LIQUID_PARTICLE_LEVELSET || c->scene.liquid.elastic.modulus > 0.0f ||
        c->scene.liquid.scheme == BW_SCHEME_EXPLICIT)
        c->fill.viscosity = NAN;
    if (c->scene.liquid.method == BW_LIQUID_HEIGHT) { // one surface
        c->fill.shape = bw_box(bw_vec3(-3.0f, -3.0f, -3.0f), bw_vec3(3.0f, 0.0f, 3.0f));
        c->fill.viscosity = NAN;
    }
    if (c->scene.force_count > 0)
        mend_force((BwForceDef *)c->item);
    if (c->scene.surface_control_count > 0)
        mend_control((BwSurfaceControlDef *)c->item);
    if (c->scene.emitter_count > 0)
        mend_emitter((BwEmitterDef *)c->item);
}

static void expect_to_run(Case *c, const char *name)
{
    BwError err = {0};
    BwWorld *world;
    mend(c);
    if (bw_scene_def_check_runnable(&c->scene, &err) != BW_OK)
        fail_msg("%s is not marked and is refused: %s", name, err.message);
    if (bw_scene_def_check(&c->scene, &err) != BW_OK) { // wrong in itself
        print_message("%s: %s\n", name, err.message);
        c->invalid++;
        return;
    }
    BwWorldDef def = bw_world_def_default();
    def.scene = &c->scene;
    def.worker_count = 1;
    if (bw_world_create(&world, &def, &err) != BW_OK ||
        (c->base == IN_BOX && bw_world_step_frame(world, NULL, &err) != BW_OK))
        fail_msg("%s is not marked and does not run: %s", name, err.message);
    bw_world_destroy(world);
    c->ran++;
}

static bool is_marked(const Case *c, const BwConstructor *constructor, const BwSceneField *field,
                      const char *choice)
{
    for (const BwGap *gap = NULL; (gap = bw_gap_next(gap, constructor, field, choice)) != NULL;)
        if (gap->fluids >> c->fluid & 1)
            return true;
    return false;
}

// What the table says of the word is what happens to the scene.
static void look_at(Case *c, bool marked, const char *name)
{
    BwError err = {0};
    if (c->base == EXPLICIT && c->scene.liquid.method != BW_LIQUID_MARKERS)
        return; // which the scheme alone is refused for
    if (!marked && (c->base == LEVEL_SET || c->base == EXPLICIT || c->base == HEIGHT_FIELD))
        return; // where only what is refused is looked for
    if (!marked) {
        expect_to_run(c, name);
        return;
    }
    if (bw_scene_def_check_runnable(&c->scene, &err) == BW_OK)
        return; // in this base
    if (strncmp(err.message, name, strlen(name)) != 0 || strstr(err.message, "by this version") == NULL)
        fail_msg("%s is refused with: %s", name, err.message);
    c->refused++;
    c->is_refused_once = true;
}

// Smoke and fire have gaps without walls and with an envelope, smoke with a charge, files of liquids in 2-D,
// liquids whose particles carry something, what needs particles in level sets, and the explicit scheme.
static bool is_base(const Case *c, const BwConstructor *constructor)
{
    if (c->base == FLAT)
        return c->fluid == BW_FLUID_LIQUID && strcmp(constructor->name, "output") == 0;
    if (c->base == CARRYING)
        return c->fluid == BW_FLUID_LIQUID && strcmp(constructor->name, "liquid") == 0;
    if (c->base == EXPLICIT)
        return c->fluid == BW_FLUID_LIQUID &&
               (strcmp(constructor->name, "liquid") == 0 || strcmp(constructor->name, "solver") == 0);
    if (c->base == CHARGED)
        return c->fluid == BW_FLUID_SMOKE && strcmp(constructor->name, "smoke") == 0;
    if (c->base == LEVEL_SET || c->base == HEIGHT_FIELD)
        return c->fluid == BW_FLUID_LIQUID &&
               (strcmp(constructor->name, "output") == 0 || strcmp(constructor->name, "look") == 0 ||
                strcmp(constructor->name, "emitter") == 0);
    return c->base == IN_BOX || c->fluid == BW_FLUID_SMOKE || c->fluid == BW_FLUID_FIRE;
}

static void try_choice(Case *c, const BwConstructor *owner, const BwConstructor *constructor,
                       const BwSceneField *field, size_t offset, int value)
{
    char name[200];
    const char *choice = value < 0 ? BW_OVER_TIME : field->names->texts[value];
    static BwKey keys[2] = {{.time = 0.0}, {.time = 1.0, .value = {1.0f}}};
    c->is_refused_once = false;
    bool marked = false;
    for (c->base = IN_BOX; c->base < BASE_COUNT; c->base++) {
        if (!is_base(c, owner))
            continue;
        char *def = (char *)begin(c, owner) + offset;
        if (value < 0)
            *(BwCurve *)(def + field->curve_offset) =
                (BwCurve){.kind = BW_CURVE_KEYS, .components = 1, .keys = keys, .key_count = 2};
        else
            memcpy(def + field->offset, &value, sizeof value);
        marked = is_marked(c, constructor, field, choice) ||
                 (value != (int)field->value[0] && is_marked(c, constructor, field, NULL)) ||
                 is_marked(c, owner, NULL, NULL);
        snprintf(name, sizeof name, "%s.%s", c->path, field->name);
        look_at(c, marked, is_marked(c, owner, NULL, NULL) ? owner->name : name);
    }
    if (marked && !c->is_refused_once)
        fail_msg("%s %s is marked and never refused", name, choice);
}

static void try_field(Case *c, const BwConstructor *owner, const BwConstructor *constructor,
                      const BwSceneField *field, size_t offset)
{
    char name[200];
    c->is_refused_once = false;
    bool marked = false;
    snprintf(name, sizeof name, "%s.%s", c->path, field->name);
    for (c->base = IN_BOX; c->base < BASE_COUNT; c->base++) {
        if (!is_base(c, owner))
            continue;
        char *def = (char *)begin(c, owner) + offset;
        set_other(field, def + field->offset, c);
        marked = is_marked(c, constructor, field, NULL) || is_marked(c, owner, NULL, NULL);
        look_at(c, marked, is_marked(c, owner, NULL, NULL) ? owner->name : name);
    }
    if (marked && !c->is_refused_once)
        fail_msg("%s is marked and never refused", name);
}

static void try_fields(Case *c, const BwConstructor *owner, const BwConstructor *constructor, size_t offset,
                       const char *path)
{
    for (int n = 0; n < constructor->field_count; n++) {
        const BwSceneField *field = &constructor->fields[n];
        char inside[200];
        c->path = path;
        bool is_choice = field->kind == BW_FIELD_CHOICE || field->kind == BW_FIELD_CHOICE_CURVE;
        if (strcmp(field->name, "fluid") == 0)
            continue; // below
        for (int v = field->kind == BW_FIELD_CHOICE_CURVE ? -1 : 0; is_choice && v < field->names->count; v++)
            try_choice(c, owner, constructor, field, offset, v);
        if (!is_choice && field->kind != BW_FIELD_GROUP)
            try_field(c, owner, constructor, field, offset);
        snprintf(inside, sizeof inside, "%s.%s", path, field->name);
        if (field->kind == BW_FIELD_GROUP)
            try_fields(c, owner, field->group, offset + field->offset, inside);
    }
}

static bool is_for_other_fluid(const BwConstructor *constructor, BwFluid fluid)
{
    const BwNames *names = bw_field_find(bw_constructor_find("scene"), "fluid")->names;
    for (int n = 0; n < names->count; n++)
        if (strcmp(names->texts[n], constructor->name) == 0)
            return n != (int)fluid;
    return false;
}

static void the_table_is_what_happens(void **state)
{
    (void)state;
    static Case c;
    for (int fluid = 0; fluid <= BW_FLUID_STABLE; fluid++) {
        if (!is_running((BwFluid)fluid))
            continue;
        c = (Case){.fluid = (BwFluid)fluid};
        for (int n = 0; n < bw_constructor_count; n++) {
            const BwConstructor *constructor = &bw_constructors[n];
            if (constructor->use != BW_USE_SHAPE && !is_for_other_fluid(constructor, c.fluid))
                try_fields(&c, constructor, constructor, 0, constructor->name);
        }
        printf("%s: %d scenes ran, %d were refused by name, %d are wrong in themselves\n",
               fluid_name(c.fluid), c.ran, c.refused, c.invalid);
        assert_true(c.ran > 100 && c.refused > 20 && c.invalid == 0);
    }
}

// What an obstacle emits is an emitter without a shape.
static void what_obstacles_emit_is_looked_at(void **state)
{
    (void)state;
    const BwConstructor *obstacle = bw_constructor_find("obstacle");
    const BwConstructor *emit = bw_field_find(obstacle, "emit")->group;
    static Case c;
    c = (Case){.fluid = BW_FLUID_SMOKE, .path = "obstacle.emit"};
    for (int n = 0; n < emit->field_count; n++) {
        const BwSceneField *field = &emit->fields[n];
        char name[200];
        if (field->kind == BW_FIELD_CHOICE || field->kind == BW_FIELD_GROUP)
            continue;
        BwObstacleDef *def = begin(&c, obstacle);
        c.emit = bw_emitter_def_default();
        c.emit.density_rate = bw_curve_number(1.0f);
        def->emit = &c.emit;
        set_other(field, (char *)&c.emit + field->offset, &c);
        snprintf(name, sizeof name, "obstacle.emit.%s", field->name);
        c.is_refused_once = false;
        look_at(&c, is_marked(&c, emit, field, NULL), name);
        assert_int_equal(c.is_refused_once, is_marked(&c, emit, field, NULL));
    }
}

static void fluids_and_their_parameters_go_together(void **state)
{
    (void)state;
    static Case c;
    const BwConstructor *scene = bw_constructor_find("scene");
    const BwSceneField *field = bw_field_find(scene, "fluid");
    for (int n = 0; n < field->names->count; n++) {
        BwError err = {0};
        char wanted[200];
        const BwConstructor *own = bw_constructor_find(field->names->texts[n]);
        c = (Case){.fluid = (BwFluid)n};
        begin(&c, scene);
        bool runs = bw_scene_def_check_runnable(&c.scene, &err) == BW_OK;
        assert_int_equal(runs, bw_gap_next(NULL, scene, field, field->names->texts[n]) == NULL);
        assert_int_equal(runs, bw_gap_next(NULL, own, NULL, NULL) == NULL);
        assert_int_equal(runs,
                         is_running((BwFluid)n) || n == BW_FLUID_RECORDED); // which needs a run to do so
        snprintf(wanted, sizeof wanted, "scene.fluid \"%s\" cannot be run by this version",
                 field->names->texts[n]);
        if (!runs)
            assert_string_equal(err.message, wanted);
    }
}

// Every shape that needs no file.
static void every_shape_runs(void **state)
{
    (void)state;
    static Case c;
    for (int n = 0; n < bw_constructor_count; n++) {
        const BwConstructor *shape = &bw_constructors[n];
        if (shape->use != BW_USE_SHAPE || bw_field_find(shape, "file") != NULL)
            continue;
        assert_null(bw_gap_next(NULL, shape, NULL, NULL));
        c = (Case){.fluid = BW_FLUID_SMOKE};
        BwEmitterDef *emitter = begin(&c, bw_constructor_find("emitter"));
        emitter->density = bw_curve_number(1.0f);
        emitter->velocity = bw_curve_vector(0.0f, 0.5f, 0.0f); // flat ones need it
        bw_constructor_defaults(shape, &emitter->shape);
        set_required(shape, &emitter->shape, &c);
        if (bw_field_find(shape, "from") != NULL || strcmp(shape->name, "box") == 0)
            emitter->shape.a = bw_vec3(-0.5f, -0.5f, -0.5f);
        if (strcmp(shape->name, "box") == 0)
            emitter->shape.b = bw_vec3(0.5f, 0.5f, 0.5f);
        if (strcmp(shape->name, "torus") == 0)
            emitter->shape.thickness = 0.3f;
        emitter->shape.parts = (BwShape *)(uintptr_t)&ball;
        emitter->shape.part_count = emitter->shape.kind >= BW_SHAPE_UNION;
        expect_to_run(&c, shape->name);
        if (c.ran != 1)
            fail_msg("%s could not be tried", shape->name);
    }
}

static void describe(char text[20000], const char *name)
{
    FILE *stream = fmemopen(text, 20000, "w");
    assert_non_null(stream);
    if (name == NULL)
        bw_describe_all(stream);
    else
        assert_true(bw_describe(stream, name));
    assert_true(ftell(stream) < 19999);
    fclose(stream);
}

static void every_gap_is_described(void **state)
{
    (void)state;
    static char text[20000];
    for (int n = 0; n < bw_gap_count; n++) {
        const BwGap *gap = &bw_gaps[n];
        char wanted[200], words[BW_GAP_TEXT];
        bool is_of_liquid = strcmp(gap->constructor, "elastic") == 0 ||
                            strcmp(gap->constructor, "melt") == 0 || strcmp(gap->constructor, "spray") == 0;
        const char *name = strcmp(gap->constructor, "side") == 0    ? "walls"
                           : strcmp(gap->constructor, "emit") == 0  ? "obstacle"
                           : strcmp(gap->constructor, "noise") == 0 ? "emitter"
                           : strcmp(gap->constructor, "fuel") == 0  ? "fire"
                           : is_of_liquid                           ? "liquid"
                                                                    : gap->constructor;
        bw_gap_text(gap, words);
        snprintf(wanted, sizeof wanted, "%s(not %s)", gap->choice != NULL ? " " : "", words);
        describe(text, name);
        const char *at = gap->field != NULL ? strstr(text, gap->field) : text;
        if (at == NULL || strstr(at, wanted) == NULL || (gap->choice != NULL && !strstr(at, gap->choice)))
            fail_msg("describe %s does not say: %s %s", name, gap->field, wanted);
    }
    describe(text, NULL);
    for (int n = 0; n < bw_constructor_count; n++) {
        char start[40];
        snprintf(start, sizeof start, "\n  %s ", bw_constructors[n].name);
        char *line = strstr(text, start);
        assert_non_null(line);
        bool is_told = memmem(line, strcspn(line + 1, "\n") + 1, "(not run", 8) != NULL;
        const BwGap *gap = NULL; // what only some fluids lack is told on the page of the constructor
        do
            gap = bw_gap_next(gap, &bw_constructors[n], NULL, NULL);
        while (gap != NULL && gap->fluids != BW_ALL_FLUIDS);
        assert_int_equal(is_told, gap != NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_what_happens),
        cmocka_unit_test(what_obstacles_emit_is_looked_at),
        cmocka_unit_test(fluids_and_their_parameters_go_together),
        cmocka_unit_test(every_shape_runs),
        cmocka_unit_test(every_gap_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
