// What is allowed and hardly ever meant: a source outside of the walls, a temperature in degrees Celsius, an
// angle in degrees, a scene in which nothing happens. It is told when a script is loaded, and nothing is
// refused for it.
#include "scene/doubts.h"

#include "base/log.h"
#include "base/number_text.h"
#include "scene/box_cells.h"
#include "scene/curve.h"
#include "scene/extent.h"
#include "scene/fuel.h"
#include "scene/fuel_doubts.h"
#include "scene/gas.h"
#include "scene/liquid_doubts.h"
#include "scene/room.h"
#include "scene/thin_wall.h"
#include "scene/walk.h"
#include <billow/shape.h>

#include <math.h>
#include <stdarg.h>
#include <string.h>

// Below this, K, a temperature was probably meant in degrees Celsius.
static const double cold = 150.0;

// Beyond this, rad, an angle was probably meant in degrees.
static const double whole_turn = 6.2832;

// A velocity within this of a flat shape's plane, in sines, brings nothing out of it.
static const float sliver = 1e-3f;

typedef struct Doubts {
    const BwSceneDef *def;
    const BwOrigins *origins;
    const BwLog *log;
} Doubts;

static void tell(const Doubts *doubts, const BwPlace *place, const char *format, ...) BW_PRINTF(3, 4);

static void tell(const Doubts *doubts, const BwPlace *place, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    bw_text_print_list(text, sizeof text, format, args);
    va_end(args);
    bw_log(doubts->log, BW_LOG_WARNING, "%s:%d: %s%s", place->file, place->line, place->path, text);
}

static BwPlace place_of(const Doubts *doubts, const char *constructor, int index)
{
    return bw_origin(doubts->origins, bw_constructor_find(constructor), index);
}

static void doubt_place(const Doubts *doubts, const BwPlace *place, BwBox box)
{
    if (bw_box_is_outside(doubts->def, box))
        tell(doubts, place, " lies outside of the walls and has no effect");
    else if (doubts->def->dimension == 2 && (box.low.z > 0.0f || box.high.z < 0.0f))
        tell(doubts, place, " lies beside the plane of the scene, z = 0, and has no effect");
}

static void doubt_size(const Doubts *doubts, const BwPlace *place, BwBox box)
{
    float half = 0.5f * doubts->def->cell;
    BwVec3 size = bw_sub(box.high, box.low);
    if (size.x < half && size.y < half && (doubts->def->dimension == 2 || size.z < half))
        tell(doubts, place, " is smaller than half a cell of %g m and may give nothing",
             (double)doubts->def->cell);
}

// Particles come out of the smallest nozzle or spring as it says. Blobs, level sets and gas fill cells.
static bool gives_by_number(const BwSceneDef *def, const BwEmitterDef *emitter)
{
    BwLiquidMethod method = def->liquid.method;
    bool has_particles = method == BW_LIQUID_APIC || method == BW_LIQUID_FLIP || method == BW_LIQUID_MARKERS;
    return def->fluid == BW_FLUID_LIQUID && has_particles && emitter->kind != BW_EMIT_BLOB;
}

// A drain or pump acts on the cells that it covers. Flat shapes are taken to be a cell thick; what else is
// thinner than a cell may miss the centres of all.
static void doubt_narrow(const Doubts *doubts, const BwPlace *place, const BwShape *shape, const char *what)
{
    BwBox box = bw_shape_bounds(shape);
    float least = INFINITY, cell = doubts->def->cell;
    int thin = 0;
    for (int a = 0; a < doubts->def->dimension; a++) {
        float size = bw_component(box.high, a) - bw_component(box.low, a);
        thin += size < 1e-3f * cell;
        least = size < 1e-3f * cell && bw_shape_is_flat(shape) && thin == 1 ? least : fminf(least, size);
    }
    if (least < 0.999f * cell)
        tell(doubts, place, " is %.3g m wide, less than a cell of %g m: %s", (double)least, (double)cell,
             what);
}

// What never begins is meant so.
static void doubt_start(const Doubts *doubts, const BwPlace *place, double start)
{
    double end = bw_scene_def_frame_count(doubts->def) / doubts->def->fps;
    if (start >= end && isfinite(start))
        tell(doubts, place, ".start is %g s, and the scene ends at %g s", start, end);
}

// Where a nozzle passes: its shape at so many times of the scene.
enum { OFFSETS = 33 };

static BwBox emitter_bounds(const BwSceneDef *def, const BwEmitterDef *emitter)
{
    BwBox still = bw_shape_bounds(&emitter->shape), box = bw_box_empty();
    double end = bw_scene_def_frame_count(def) / def->fps;
    float by[4];
    if (!bw_curve_is_given(&emitter->offset))
        return still;
    for (int n = 0; n < OFFSETS; n++)
        if (bw_curve_at(&emitter->offset, end * n / (OFFSETS - 1), by, NULL) == BW_OK)
            box = bw_box_union(box, (BwBox){bw_add(still.low, bw_vec3(by[0], by[1], by[2])),
                                            bw_add(still.high, bw_vec3(by[0], by[1], by[2]))});
    return box;
}

// The farthest of a body from where it stands, however it turns; flat scenes have no depth.
static float reach_of(BwBox own, int dimension)
{
    BwVec3 far = bw_max(bw_mul(own.low, -1.0f), own.high);
    return bw_length(bw_vec3(far.x, far.y, dimension == 3 ? far.z : 0.0f));
}

// Beyond an open side a body never meets the liquid.
static void doubt_body_place(const Doubts *doubts, const BwPlace *place, const BwBodyDef *body)
{
    float reach = reach_of(bw_shape_bounds(&body->shape), doubts->def->dimension);
    BwVec3 around = bw_vec3(reach, reach, reach);
    if (isfinite(reach) && bw_box_is_outside(doubts->def, (BwBox){bw_sub(body->position, around),
                                                                  bw_add(body->position, around)}))
        tell(
            doubts, place,
            " lies outside of the walls: closed sides move it inside at once, and beyond others it stays out "
            "and has no effect");
}

static bool is_closed(const BwWallsDef *walls, int side)
{
    const BwWallSideDef *wall = &walls->side[side];
    return !bw_curve_is_given(&wall->kind_curve) && wall->kind != BW_WALL_OPEN &&
           wall->kind != BW_WALL_OUTFLOW;
}

// One that is turned may have any of its sides along an axis: the shortest counts.
static void doubt_body_size(const Doubts *doubts, const BwPlace *place, const BwBodyDef *body)
{
    const BwWallsDef *walls = &doubts->def->walls;
    BwBox own = bw_shape_bounds(&body->shape);
    BwVec3 size = bw_sub(own.high, own.low), room = bw_sub(walls->max, walls->min);
    float least = fminf(fminf(size.x, size.y), doubts->def->dimension == 3 ? size.z : INFINITY);
    bool is_turned = bw_length(body->rotation) > 0.0f;
    for (int a = 0; a < doubts->def->dimension && doubts->def->has_walls; a++) {
        float width = is_turned ? least : bw_component(size, a);
        if (width > bw_component(room, a) && isfinite(width) && !walls->periodic[a] &&
            is_closed(walls, 2 * a) && is_closed(walls, 2 * a + 1)) {
            tell(doubts, place,
                 " is %.3g m wide along %c, and the box %.3g m: it has no room, and is pushed out of it",
                 (double)width, "xyz"[a], (double)bw_component(room, a));
            return;
        }
    }
}

static void doubt_bodies(const Doubts *doubts)
{
    for (int n = 0; n < doubts->def->body_count; n++) {
        BwPlace place = place_of(doubts, "body", n);
        doubt_body_place(doubts, &place, &doubts->def->bodies[n]);
        doubt_body_size(doubts, &place, &doubts->def->bodies[n]);
    }
}

static void doubt_sources(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    for (int n = 0; n < def->emitter_count; n++) {
        BwPlace place = place_of(doubts, "emitter", n);
        BwBox box = emitter_bounds(def, &def->emitters[n]);
        // Liquid may come out of a wall.
        float edge =
            def->fluid == BW_FLUID_LIQUID && bw_shape_is_flat(&def->emitters[n].shape) ? def->cell : 0.0f;
        BwVec3 around = bw_vec3(1e-3f * edge, 1e-3f * edge, 1e-3f * edge);
        doubt_place(doubts, &place, (BwBox){bw_sub(box.low, around), bw_add(box.high, around)});
        if (!gives_by_number(def, &def->emitters[n]))
            doubt_size(doubts, &place, bw_shape_bounds(&def->emitters[n].shape));
        doubt_start(doubts, &place, def->emitters[n].start);
    }
    for (int n = 0; n < def->fill_count; n++) {
        BwPlace place = place_of(doubts, "fill", n);
        BwBox box = bw_shape_bounds(&def->fills[n].shape);
        doubt_place(doubts, &place, box);
        doubt_size(doubts, &place, box);
    }
    for (int n = 0; n < def->sink_count; n++) {
        BwPlace place = place_of(doubts, "sink", n);
        doubt_place(doubts, &place, bw_shape_bounds(&def->sinks[n].shape));
        doubt_start(doubts, &place, def->sinks[n].start);
        if (!bw_curve_is_given(&def->sinks[n].flow))
            doubt_narrow(doubts, &place, &def->sinks[n].shape,
                         def->fluid == BW_FLUID_LIQUID
                             ? "it may draw little or nothing; make it a cell wide, or give it a flow"
                             : "it may draw little or nothing; make it a cell wide");
    }
    for (int n = 0; n < def->pump_count; n++) {
        BwPlace place = place_of(doubts, "pump", n);
        doubt_place(doubts, &place, bw_shape_bounds(&def->pumps[n].shape));
        doubt_start(doubts, &place, def->pumps[n].start);
        doubt_narrow(doubts, &place, &def->pumps[n].shape,
                     "it may drive little or nothing, or a whole cell; make it a cell wide");
    }
    for (int n = 0; n < def->charge_count; n++) {
        BwPlace place = place_of(doubts, "charge", n);
        doubt_place(doubts, &place, bw_shape_bounds(&def->charges[n].shape));
        doubt_start(doubts, &place, def->charges[n].start);
    }
    for (int n = 0; n < def->force_count; n++) {
        BwPlace place = place_of(doubts, "force", n);
        if (def->forces[n].shape.kind != BW_SHAPE_NONE)
            doubt_place(doubts, &place, bw_shape_bounds(&def->forces[n].shape));
        doubt_start(doubts, &place, def->forces[n].start);
    }
}

// One that moves may come in later.
static bool is_level_set(const BwSceneDef *def)
{
    BwLiquidMethod method = def->liquid.method;
    return def->fluid == BW_FLUID_LIQUID &&
           (method == BW_LIQUID_LEVELSET || method == BW_LIQUID_PARTICLE_LEVELSET);
}

static void doubt_obstacles(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    for (int n = 0; n < def->obstacle_count; n++) {
        const BwMotionDef *motion = &def->obstacles[n].motion;
        bool is_placed = motion->position.kind == BW_CURVE_CONSTANT;
        if (bw_curve_is_given(&motion->velocity) || bw_curve_is_given(&motion->rotation) ||
            bw_curve_is_given(&motion->spin) || (bw_curve_is_given(&motion->position) && !is_placed))
            continue;
        BwBox box = bw_shape_bounds(&def->obstacles[n].shape);
        const float *p = motion->position.value;
        BwVec3 by = is_placed ? bw_vec3(p[0], p[1], p[2]) : bw_vec3(0.0f, 0.0f, 0.0f);
        BwPlace place = place_of(doubts, "obstacle", n);
        // One that touches a wall stands there to be seen.
        BwVec3 touch = bw_vec3(0.5f * def->cell, 0.5f * def->cell, 0.5f * def->cell);
        doubt_place(doubts, &place,
                    (BwBox){bw_sub(bw_add(box.low, by), touch), bw_add(bw_add(box.high, by), touch)});
    }
}

// A number that does not change; NaN for all else.
static double plain_number(const BwSceneField *field, const void *at)
{
    const BwCurve *curve = at;
    if (field->kind == BW_FIELD_NUMBER)
        return (double)*(const float *)at;
    if (field->kind == BW_FIELD_CURVE && curve->kind == BW_CURVE_CONSTANT)
        return (double)curve->value[0];
    return (double)NAN;
}

// Numbers in another unit than theirs.
static BwResult doubt_unit(BwWalk *walk, const BwSceneField *field, const void *at, const BwPlace *place,
                           BwError *err)
{
    (void)err;
    double value = plain_number(field, at);
    const char *unit = field->unit != NULL ? field->unit : "";
    if (strcmp(unit, "K") == 0 && value < cold)
        tell(walk->context, place, ".%s is %g K; temperatures are in kelvin, and %g degrees Celsius are %g K",
             field->name, value, value, value + 273.15);
    if (strcmp(unit, "rad") == 0 && fabs(value) > whole_turn)
        tell(walk->context, place, ".%s is %g rad, more than a whole turn; deg(%g) are degrees", field->name,
             value, value);
    return BW_OK;
}

static void doubt_cells(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    BwVec3 size = bw_sub(def->walls.max, def->walls.min);
    float largest = fmaxf(size.x, fmaxf(size.y, size.z));
    BwPlace place = place_of(doubts, "scene", 0);
    if (def->has_walls && largest < 4.0f * def->cell)
        tell(doubts, &place, ".cell is %g m; the walls are only %.3g cells long", (double)def->cell,
             (double)(largest / def->cell));
}

// What the box is in whole cells.
static void doubt_length(const Doubts *doubts, int axis, float low, float high)
{
    const BwSceneDef *def = doubts->def;
    double h = (double)def->cell;
    int32_t first = bw_cell_floor(low, def->cell), last = bw_cell_ceil(high, def->cell);
    double from = first * h, to = last * h, rounding = 1e-3 * h + 1e-6 * fmax(fabs(from), fabs(to));
    if (fabs(from - (double)low) <= rounding && fabs(to - (double)high) <= rounding)
        return;
    BwPlace place = place_of(doubts, "walls", 0);
    tell(doubts, &place,
         ": along %c from %g to %g m are no whole cells of %g m; the box is enlarged to %g to %g m, %d cells",
         "xyz"[axis], (double)low, (double)high, h, from, to, last - first);
}

static void doubt_box(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    const float low[3] = {def->walls.min.x, def->walls.min.y, def->walls.min.z};
    const float high[3] = {def->walls.max.x, def->walls.max.y, def->walls.max.z};
    bool has_cells = bw_is_gas(def->fluid) || def->fluid == BW_FLUID_LIQUID || def->fluid == BW_FLUID_STABLE;
    for (int axis = 0; axis < def->dimension && def->has_walls && has_cells; axis++)
        doubt_length(doubts, axis, low[axis], high[axis]);
}

static bool wall_does_something(const BwWallSideDef *side)
{
    return side->kind == BW_WALL_INFLOW || bw_curve_is_given(&side->kind_curve) ||
           bw_curve_is_given(&side->velocity) || bw_curve_is_given(&side->temperature);
}

static void doubt_rest(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    bool moves = def->emitter_count > 0 || def->fill_count > 0 || def->pump_count > 0 ||
                 def->force_count > 0 || def->charge_count > 0 || def->obstacle_count > 0 ||
                 def->body_count > 0 || def->initial.velocity.function != NULL ||
                 def->initial.density.function != NULL || def->initial.temperature.function != NULL;
    for (int side = 0; side < BW_SIDE_COUNT && def->has_walls; side++)
        moves |= wall_does_something(&def->walls.side[side]);
    bool has_surface = def->fluid == BW_FLUID_WAVES || def->fluid == BW_FLUID_RECORDED;
    BwPlace place = place_of(doubts, "scene", 0);
    if (!moves && !has_surface && def->fluid != BW_FLUID_LIQUID)
        tell(doubts, &place, " has no emitter and no fill; nothing will happen in it");
}

static bool is_weightless(const BwSceneDef *def)
{
    const BwCurve *gravity = &def->gravity;
    return !bw_curve_is_given(gravity) || (gravity->kind == BW_CURVE_CONSTANT && gravity->value[0] == 0.0f &&
                                           gravity->value[1] == 0.0f && gravity->value[2] == 0.0f);
}

// Whether a side of the box may be an inflow.
static bool lets_liquid_in(const BwSceneDef *def)
{
    bool lets_in = false;
    for (int n = 0; n < BW_SIDE_COUNT && def->has_walls; n++)
        lets_in |= def->walls.side[n].kind == BW_WALL_INFLOW ||
                   bw_curve_may_be(&def->walls.side[n].kind_curve, (float)BW_WALL_INFLOW);
    return lets_in;
}

static bool liquid_is_pushed(const BwSceneDef *def)
{
    bool is_pushed = def->force_count > 0 || def->initial.velocity.function != NULL || def->pump_count > 0 ||
                     def->emitter_count > 0 || lets_liquid_in(def) || def->liquid.surface_tension > 0.0f;
    for (int n = 0; n < def->fill_count; n++)
        is_pushed |= bw_length(def->fills[n].velocity) > 0.0f;
    for (int n = 0; n < def->obstacle_count; n++) {
        const BwMotionDef *motion = &def->obstacles[n].motion;
        is_pushed |= bw_curve_is_given(&motion->velocity) || bw_curve_is_given(&motion->rotation) ||
                     bw_curve_is_given(&motion->spin) || bw_curve_is_given(&motion->position);
    }
    return is_pushed;
}

static void doubt_liquid(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    BwPlace scene = place_of(doubts, "scene", 0);
    if (def->fluid != BW_FLUID_LIQUID)
        return;
    if (def->fill_count == 0 && def->emitter_count == 0 && !lets_liquid_in(def))
        tell(doubts, &scene, " has no fill, no emitter and no inflow; there will be no liquid in it");
    else if (bw_curve_is_given(&def->flow.velocity))
        return; // neither weight nor walls move it
    else if (is_weightless(def) && !liquid_is_pushed(def))
        tell(doubts, &scene, ".gravity is 0 and nothing else moves the liquid; it will stay where it is");
    else if (!is_weightless(def) && !def->has_walls && def->obstacle_count == 0)
        tell(doubts, &scene, " has no walls and no obstacle; the liquid will fall without end");
}

// Liquid that was meant to be there may be missing; so it is with most of a shape. Boxes are drawn beyond
// walls so that they reach them.
static const double outside_part = 0.5;

static void doubt_cut(const Doubts *doubts, const BwPlace *place, const BwShape *shape)
{
    double part = shape->kind == BW_SHAPE_BOX ? 0.0 : bw_shape_part_outside(doubts->def, shape);
    if (part > outside_part && part < 1.0)
        tell(doubts, place, ": %.0f%% of it lie outside of the walls and are cut off", 100.0 * part);
}

// A level set knows no liquid between the centres of its cells.
static void doubt_thin(const Doubts *doubts, const BwPlace *place, const BwShape *shape)
{
    const BwSceneDef *def = doubts->def;
    BwVec3 size = bw_sub(bw_shape_bounds(shape).high, bw_shape_bounds(shape).low);
    float least = def->dimension == 3 ? fminf(size.x, fminf(size.y, size.z)) : fminf(size.x, size.y);
    if (is_level_set(def) && least < 0.5f * def->cell)
        tell(doubts, place,
             " is %.3g m thick, less than half a cell of %g m; a level set may hold none of it",
             (double)least, (double)def->cell);
}

// Phi is not told apart across a wall thinner than this, in cells: where one side is wet, the other gets wet.
static const float level_wall = 3.0f;

// Of a solid's surface, that has so thin a wall behind it: less is an edge or a corner.
static const double thin_part = 0.2;

static void doubt_walls_of(const Doubts *doubts, const BwPlace *place, const BwShape *shape)
{
    const BwSceneDef *def = doubts->def;
    float depth = level_wall * def->cell;
    if (bw_shape_part_thin(shape, depth, def->dimension) > thin_part)
        tell(
            doubts, place,
            " has walls thinner than three cells, %.3g m; a level set that stands on one side of them leaks. "
            "Take smaller cells, thicker walls, or the method \"apic\"",
            (double)depth);
}

static void doubt_walls(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    bool is_moved = is_level_set(def) && !bw_curve_is_given(&def->flow.velocity);
    for (int n = 0; n < def->obstacle_count && is_moved; n++) {
        BwPlace place = place_of(doubts, "obstacle", n);
        doubt_walls_of(doubts, &place, &def->obstacles[n].shape);
    }
}

// The columns of a height field begin inside: the outermost cells along a side that is no wall have none.
static void doubt_rim(const Doubts *doubts, const BwPlace *place, const BwShape *shape)
{
    static const char *const names[BW_SIDE_COUNT] = {"left", "right", "bottom", "top", "back", "front"};
    const BwSceneDef *def = doubts->def;
    BwBox box = bw_shape_bounds(shape);
    for (int side = 0; side < 2 * def->dimension && def->has_walls; side++) {
        int axis = side / 2;
        float depth = side % 2 == 0 ? bw_component(box.low, axis) - bw_component(def->walls.min, axis)
                                    : bw_component(def->walls.max, axis) - bw_component(box.high, axis);
        if (def->liquid.method == BW_LIQUID_HEIGHT && def->walls.side[side].kind != BW_WALL_CLOSED &&
            !def->walls.periodic[axis] && depth < 0.99f * def->cell)
            tell(
                doubts, place,
                " reaches the %s side, which is no wall: the outermost cells there are outside, and a height "
                "field holds none of it in them",
                names[side]);
    }
}

static void doubt_fills(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    for (int n = 0; n < def->fill_count && def->fluid == BW_FLUID_LIQUID; n++) {
        BwPlace place = place_of(doubts, "fill", n);
        if (bw_shape_is_buried(def, &def->fills[n].shape, false))
            tell(doubts, &place, " gives no liquid: all of it is inside of obstacles%s",
                 def->has_walls ? " or outside of the walls" : "");
        else
            doubt_thin(doubts, &place, &def->fills[n].shape);
        doubt_rim(doubts, &place, &def->fills[n].shape);
        doubt_cut(doubts, &place, &def->fills[n].shape);
    }
}

static void doubt_fuels(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    char why[200];
    for (int n = 0; n < def->obstacle_count && def->fluid == BW_FLUID_FIRE; n++) {
        BwPlace place = place_of(doubts, "obstacle", n);
        if (bw_fuel_never_burns(def, n, why, sizeof why))
            tell(doubts, &place, ".fuel can never burn: %s", why);
    }
}

// A flame is not looked at nearer than two cells behind its front (operate/flame_extinction.h).
static void doubt_quench(const Doubts *doubts)
{
    const BwFireDef *fire = &doubts->def->fire;
    BwFuelDef fuel = bw_fuel_numbers(&fire->fuel);
    BwPlace place = place_of(doubts, "fire", 0);
    double least =
        2.0 * (double)(doubts->def->cell * fuel.density_products / (fuel.density * fuel.flame_speed));
    if (doubts->def->fluid == BW_FLUID_FIRE && fire->quench > 0.0f && (double)fire->quench < least)
        tell(doubts, &place,
             ".quench of %.3g s acts as one of %.3g s, in which products pass two cells: a strain rate of "
             "%.3g /s puts the flame out",
             (double)fire->quench, least, 1.0 / least);
}

// Wind drags the rim of the air around smoke; between walls all of the air is solved, and has no rim.
static void doubt_wind(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    if (!bw_is_gas(def->fluid) || !def->has_walls)
        return;
    const BwSmokeDef *gas = bw_scene_gas(def);
    const BwCurve *wind = &gas->wind;
    bool blows = wind->kind != BW_CURVE_CONSTANT || wind->value[0] != 0.0f || wind->value[1] != 0.0f ||
                 wind->value[2] != 0.0f;
    BwPlace place = place_of(doubts, def->fluid == BW_FLUID_FIRE ? "fire" : "smoke", 0);
    if (bw_curve_is_given(wind) && blows && gas->envelope == 0.0f)
        tell(doubts, &place,
             ".wind does nothing between walls without an `envelope`; for wind through a box give a side "
             "{ kind = \"inflow\", velocity = ... } and open the one across");
}

// Below four cells the core is not deep inside any more (solvers/liquid_life.c).
static void doubt_band(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    float band = def->liquid.narrow_band;
    BwPlace place = place_of(doubts, "liquid", 0);
    if (def->fluid == BW_FLUID_LIQUID && band > 0.0f && band < 3.999f * def->cell)
        tell(doubts, &place, ".narrow_band of %g m acts as one of %g m, four cells, or more in fast water",
             (double)band, 4.0 * (double)def->cell);
}

// The tank that is drawn is the box.
static void doubt_tank(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    BwPlace place = place_of(doubts, "look", 0);
    if (def->look.show_walls && !def->has_walls)
        tell(doubts, &place, ".show_walls shows nothing: the scene has no walls");
    else if (def->look.show_walls && def->look.revolve)
        tell(doubts, &place, ".show_walls shows nothing: the box is not turned");
    else if (def->look.show_walls && def->dimension == 2)
        tell(doubts, &place, ".show_walls shows nothing: the scene is flat");
}

// A curve that is the same at all times; false where it is none, or is not given.
static bool is_constant(const BwCurve *curve, BwVec3 *value)
{
    if (curve->kind != BW_CURVE_CONSTANT)
        return false;
    *value = bw_vec3(curve->value[0], curve->value[1], curve->value[2]);
    return true;
}

// Of a disc or a rectangle, wherever it was put; 0 for other shapes.
static BwVec3 normal_of_sheet(const BwShape *shape)
{
    switch (shape->kind) {
    case BW_SHAPE_DISC:
    case BW_SHAPE_RECTANGLE:
        return bw_normalize(shape->b);
    case BW_SHAPE_ROTATE:
        return bw_quat_rotate(bw_quat_turn(shape->b, shape->angle), normal_of_sheet(shape->parts));
    case BW_SHAPE_TRANSLATE:
    case BW_SHAPE_SCALE:
        return normal_of_sheet(shape->parts);
    default:
        return bw_vec3(0.0f, 0.0f, 0.0f);
    }
}

// What comes out of a flat shape goes across it; what comes out of any as a stream of liquid has a speed.
static void doubt_stream(const Doubts *doubts, const BwEmitterDef *emitter, const BwPlace *place)
{
    BwVec3 velocity, normal = normal_of_sheet(&emitter->shape);
    bool is_flat = bw_shape_is_flat(&emitter->shape);
    bool is_stream = is_flat || (doubts->def->fluid == BW_FLUID_LIQUID && emitter->kind != BW_EMIT_BLOB &&
                                 !bw_curve_is_given(&emitter->flow));
    if (!is_stream || !is_constant(&emitter->velocity, &velocity))
        return;
    float speed = bw_length(velocity);
    if (speed == 0.0f)
        tell(doubts, place, " gives nothing: its velocity is 0");
    else if (bw_length(normal) > 0.0f && fabsf(bw_dot(normal, velocity)) < sliver * speed)
        tell(doubts, place,
             " gives nothing: its shape is flat and its velocity runs along it; what comes out goes across, "
             "along the shape's normal");
}

// What fills the box before the first frame is a slip of the unit, or of a power of ten.
static void doubt_flow(const Doubts *doubts, const BwEmitterDef *emitter, const BwPlace *place)
{
    const BwSceneDef *def = doubts->def;
    BwVec3 size = bw_sub(def->walls.max, def->walls.min), flow;
    double room = (double)size.x * (double)size.y * (def->dimension == 3 ? (double)size.z : 1.0);
    if (def->has_walls && def->fluid == BW_FLUID_LIQUID && is_constant(&emitter->flow, &flow) &&
        (double)flow.x > room * def->fps)
        tell(doubts, place, ".flow of %.3g m^3/s fills the box of %.3g m^3 in %.2g s, less than a frame",
             (double)flow.x, room, room / (double)flow.x);
}

static void doubt_emitters(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    if (def->fluid != BW_FLUID_LIQUID && !bw_is_gas(def->fluid))
        return;
    for (int n = 0; n < def->emitter_count; n++) {
        BwPlace place = place_of(doubts, "emitter", n);
        doubt_stream(doubts, &def->emitters[n], &place);
        doubt_flow(doubts, &def->emitters[n], &place);
        if (bw_shape_is_buried(def, &def->emitters[n].shape, true))
            tell(doubts, &place, " gives nothing: all of it is inside of obstacles%s",
                 def->has_walls ? " or outside of the walls" : "");
    }
}

// Surface tension holds its own against gravity up to the capillary length, sqrt(sigma / (rho g)).
static void doubt_tension(const Doubts *doubts)
{
    const BwSceneDef *def = doubts->def;
    const BwLiquidDef *liquid = &def->liquid;
    BwPlace place = place_of(doubts, "liquid", 0);
    BwVec3 gravity;
    if (def->fluid != BW_FLUID_LIQUID || !(liquid->surface_tension > 0.0f) ||
        !is_constant(&def->gravity, &gravity))
        return;
    float length = sqrtf(liquid->surface_tension / (liquid->density * bw_length(gravity)));
    if (length < def->cell)
        tell(doubts, &place,
             ".surface_tension of %g N/m matters below %.2g m (the capillary length), less than a cell of "
             "%.3g m; it does next to nothing here",
             (double)liquid->surface_tension, (double)length, (double)def->cell);
}

static void doubt_idle(const Doubts *doubts)
{
    BwIdleField fields[BW_IDLE_FIELDS_MAX];
    BwPlace place = place_of(doubts, "liquid", 0);
    int count = bw_liquid_idle_fields(doubts->def, fields);
    for (int n = 0; n < count; n++)
        tell(doubts, &place, ".%s%s", fields[n].name, fields[n].lacks);
}

// The texture of what is emitted has a size and a speed, and does nothing without an amplitude.
static void doubt_noise(const Doubts *doubts)
{
    const BwNoiseDef none = bw_emitter_def_default().noise;
    for (int n = 0; n < doubts->def->emitter_count; n++) {
        const BwNoiseDef *noise = &doubts->def->emitters[n].noise;
        BwPlace place = place_of(doubts, "emitter", n);
        if (noise->amplitude == 0.0f && (noise->size != none.size || noise->speed != none.speed))
            tell(doubts, &place, ".noise does nothing: its amplitude is 0");
    }
}

static void doubt_camera(const Doubts *doubts)
{
    const BwCameraDef *camera = &doubts->def->camera;
    BwPlace place = place_of(doubts, "camera", 0);
    BwVec3 position, target, up;
    if (is_constant(&camera->position, &position) && is_constant(&camera->target, &target) &&
        bw_length(bw_sub(target, position)) == 0.0f)
        tell(doubts, &place,
             " stands on its target and has nothing to look along; it looks the way of a camera that is "
             "not given");
    if (is_constant(&camera->up, &up) && bw_length(up) == 0.0f)
        tell(doubts, &place, ".up is 0 and no direction; x is to the right in pictures");
}

void bw_scene_tell_doubts(const BwSceneDef *def, const BwOrigins *origins, const BwLog *log)
{
    Doubts doubts = {def, origins, log};
    BwWalk temperatures = {.visit_field = doubt_unit, .context = &doubts};
    doubt_cells(&doubts);
    doubt_box(&doubts);
    doubt_rest(&doubts);
    doubt_liquid(&doubts);
    doubt_sources(&doubts);
    doubt_bodies(&doubts);
    doubt_obstacles(&doubts);
    doubt_walls(&doubts);
    doubt_fills(&doubts);
    doubt_emitters(&doubts);
    doubt_tension(&doubts);
    doubt_idle(&doubts);
    doubt_fuels(&doubts);
    doubt_quench(&doubts);
    doubt_wind(&doubts);
    doubt_band(&doubts);
    doubt_tank(&doubts);
    doubt_noise(&doubts);
    doubt_camera(&doubts);
    bw_walk_scene(&temperatures, def, origins, NULL);
}
