// Adding brushes to a scene.
#include "stage.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Of the brush, as a share of the smallest side of what is seen; and what it brings.
static const float brush_share = 0.03f, brush_density = 1.0f, brush_heat = 600.0f;

struct Stage {
    atomic_int owners;
    BwScene *scene; // NULL: it belongs to somebody else
    BwSceneDef def;
    BwEmitterDef *emitters;
    BwForceDef *forces;
    int own_emitters;
    int first[BRUSH_COUNT]; // -1: this fluid has no such brush
    float radius;           // m
    BwBox box;
};

static const char stam_box[] =
    "scene { title = 'Stam\\'s box', fluid = 'stable', dimension = 2, cell = 1 / 256, fps = 60 }\n"
    "walls { min = {0, 0}, max = {1, 1} }\n"
    "stable { confinement = 2, sweeps = 20 }\n";

static BwResult fail(BwError *err, BwResult code, const char *message)
{
    if (err != NULL) {
        err->code = code;
        strncpy(err->message, message, sizeof err->message - 1);
        err->message[sizeof err->message - 1] = '\0';
    }
    return code;
}

static BwResult load(Stage *stage, const StageDef *def, BwError *err)
{
    BwSceneLoad load = {.settings = def->settings, .setting_count = def->setting_count};
    BwResult result = BW_OK;
    if (def->loaded != NULL)
        stage->def = *bw_scene_view_def(def->loaded);
    else if (def->path != NULL)
        result = bw_scene_load(&stage->scene, def->path, &load, err);
    else
        result = bw_scene_load_text(&stage->scene, stam_box, strlen(stam_box), "Stam's box", NULL, err);
    if (result == BW_OK && stage->scene != NULL)
        stage->def = *bw_scene_view_def(stage->scene);
    return result;
}

static void add_shape(BwBox *box, const BwShape *shape)
{
    BwBox bounds = bw_shape_bounds(shape);
    if (isfinite(bounds.low.x) && isfinite(bounds.low.y) && isfinite(bounds.high.x) &&
        isfinite(bounds.high.y))
        *box = bw_box_union(*box, bounds);
}

// The walls; without them what the scene begins with and brings, and room for it to move.
static BwBox find_box(const BwSceneDef *def)
{
    BwBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (def->has_walls)
        box = (BwBox){def->walls.min, def->walls.max};
    for (int n = 0; n < def->emitter_count && !def->has_walls; n++)
        add_shape(&box, &def->emitters[n].shape);
    for (int n = 0; n < def->fill_count && !def->has_walls; n++)
        add_shape(&box, &def->fills[n].shape);
    if (bw_box_is_empty(box))
        box = (BwBox){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    float size = bw_length(bw_sub(box.high, box.low));
    if (!def->has_walls) {
        box.low = bw_sub(box.low, bw_vec3(size, 0.5f * size, size));
        box.high = bw_add(box.high, bw_vec3(size, 2.0f * size, size));
    }
    if (def->dimension == 2)
        box.low.z = box.high.z = 0.0f;
    return box;
}

static float brush_radius(const BwSceneDef *def, BwBox box)
{
    BwVec3 size = bw_sub(box.high, box.low);
    float least = fminf(size.x, size.y);
    least = def->dimension == 3 ? fminf(least, size.z) : least;
    return fmaxf(brush_share * least, 1.5f * def->cell);
}

static bool has_brush(BwFluid fluid, Brush brush)
{
    bool is_gas = fluid == BW_FLUID_SMOKE || fluid == BW_FLUID_FIRE;
    switch (brush) {
    case BRUSH_SMOKE:
        return is_gas || fluid == BW_FLUID_STABLE;
    case BRUSH_HEAT:
        return is_gas;
    case BRUSH_WATER:
        return fluid == BW_FLUID_LIQUID;
    default:
        return is_gas || fluid == BW_FLUID_STABLE || fluid == BW_FLUID_LIQUID;
    }
}

static BwEmitterDef spare_emitter(const Stage *stage, Brush brush)
{
    BwEmitterDef emitter = bw_emitter_def_default();
    emitter.shape = bw_sphere(stage->box.low, stage->radius);
    emitter.start = (double)INFINITY;
    if (brush == BRUSH_SMOKE)
        emitter.density = bw_curve_number(brush_density);
    if (brush == BRUSH_HEAT)
        emitter.temperature = bw_curve_number(brush_heat);
    if (brush == BRUSH_WATER) {
        emitter.kind = BW_EMIT_BLOB;
        emitter.velocity = bw_curve_vector(0.0f, 0.0f, 0.0f);
    }
    return emitter;
}

static BwForceDef spare_force(const Stage *stage)
{
    BwForceDef force = bw_force_def_default();
    force.shape = bw_sphere(stage->box.low, stage->radius);
    force.acceleration = bw_curve_vector(0.0f, 0.0f, 0.0f);
    force.start = (double)INFINITY;
    return force;
}

static void add_brush(Stage *stage, Brush brush)
{
    BwSceneDef *def = &stage->def;
    stage->first[brush] = -1;
    if (!has_brush(def->fluid, brush))
        return;
    stage->first[brush] = brush == BRUSH_PUSH ? def->force_count : def->emitter_count;
    for (int n = 0; n < BRUSH_PIECES; n++)
        if (brush == BRUSH_PUSH)
            stage->forces[def->force_count++] = spare_force(stage);
        else
            stage->emitters[def->emitter_count++] = spare_emitter(stage, brush);
}

static BwResult add_brushes(Stage *stage, BwError *err)
{
    BwSceneDef *def = &stage->def;
    size_t emitters = (size_t)def->emitter_count, forces = (size_t)def->force_count;
    def->output.pressure = def->fluid != BW_FLUID_STABLE; // for those who want to see it; Stam's box has none
    stage->own_emitters = def->emitter_count;
    stage->emitters = calloc(emitters + BRUSH_COUNT * BRUSH_PIECES, sizeof *stage->emitters);
    stage->forces = calloc(forces + BRUSH_PIECES, sizeof *stage->forces);
    if (stage->emitters == NULL || stage->forces == NULL)
        return fail(err, BW_ERR_MEMORY, bw_result_text(BW_ERR_MEMORY));
    if (emitters > 0)
        memcpy(stage->emitters, def->emitters, emitters * sizeof *stage->emitters);
    if (forces > 0)
        memcpy(stage->forces, def->forces, forces * sizeof *stage->forces);
    def->emitters = stage->emitters;
    def->forces = stage->forces;
    stage->box = find_box(def);
    stage->radius = brush_radius(def, stage->box);
    for (int brush = 0; brush < BRUSH_COUNT; brush++)
        add_brush(stage, (Brush)brush);
    return BW_OK;
}

BwResult stage_create(Stage **out, const StageDef *def, BwError *err)
{
    Stage *stage = calloc(1, sizeof *stage);
    *out = NULL;
    if (stage == NULL)
        return fail(err, BW_ERR_MEMORY, bw_result_text(BW_ERR_MEMORY));
    atomic_init(&stage->owners, 1);
    BwResult result = load(stage, def, err);
    if (result == BW_OK)
        result = add_brushes(stage, err);
    if (result != BW_OK)
        stage_release(stage);
    else
        *out = stage;
    return result;
}

Stage *stage_share(Stage *stage)
{
    if (stage != NULL)
        atomic_fetch_add(&stage->owners, 1);
    return stage;
}

void stage_release(Stage *stage)
{
    if (stage == NULL || atomic_fetch_sub(&stage->owners, 1) > 1)
        return;
    bw_scene_destroy(stage->scene);
    free(stage->emitters);
    free(stage->forces);
    free(stage);
}

const BwSceneDef *stage_scene(const Stage *stage)
{
    return &stage->def;
}

bool stage_has_brush(const Stage *stage, Brush brush)
{
    return stage->first[brush] >= 0;
}

float stage_brush_radius(const Stage *stage)
{
    return stage->radius;
}

BwBox stage_box(const Stage *stage)
{
    return stage->box;
}

int stage_brush_first(const Stage *stage, Brush brush)
{
    return stage->first[brush];
}

int stage_own_emitters(const Stage *stage)
{
    return stage->own_emitters;
}
