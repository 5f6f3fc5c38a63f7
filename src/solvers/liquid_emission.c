// The particles that sources emit in a step and sinks take, each at its own moment of it, and put where they
// are at its end. What comes out into the air falls from that moment on. Velocities are those of the middle
// of a step, so a free jet keeps to its parabola, whatever the step.
#include "solvers/liquid.h"

#include "domain/measure.h"
#include "operate/liquid_sources.h"
#include "particle/arrivals.h"
#include "particle/drain.h"
#include "particle/random_place.h"
#include "scene/carried.h"
#include "scene/curve.h"

#include <math.h>

// Tries to find a place inside a shape.
enum { TRIES_MAX = 64 };

// Cells that the core keeps away from a stream at most.
static const int32_t reach_max = 512;

// What a cell behind an outflow holds, cells; less is only uneven.
static const double outside_max = 1.5;

// A sink that has run dry catches up on this much at most, in particles.
static const double owed_max = 1.0;

// Cells around a sink that is too small to hold its flow of a step, from which it draws the rest.
static const float around = 1.0f;

typedef struct Emitting {
    BwLiquid *liquid;
    BwArrivals *arrivals;
    const BwSourceStep *step;
    const BwShape *shape; // NULL: a side of the box
    BwSpout *spout;
    float spread; // rad
    uint64_t seed;
    double end, dt; // s, of the step
    BwVec3 gravity; // 0 along sides of the box, whose water stands on other water
    BwVec3 normal;  // of the surface that a stream comes out of; 0: none
    bool sets_grid; // the grid alone carries the velocity
    BwParticleLoad load;
} Emitting;

static BwArrival arrival_at(const Emitting *emitting, BwVec3 point, double seconds)
{
    double h = (double)emitting->liquid->flow.grid->cell_size;
    BwArrival arrival = {.start = {(double)point.x / h, (double)point.y / h, (double)point.z / h},
                         .load = emitting->load};
    arrival.load.born = (float)(emitting->end - seconds);
    return arrival;
}

// Where the next particle of a stream comes from. The grid's paths of the next step lead back to there, and
// would find what the step before has left.
static BwVec3 point_behind(const Emitting *emitting, BwVec3 point, BwVec3 velocity)
{
    float half = 0.5f * emitting->liquid->flow.grid->cell_size;
    return bw_sub(point, bw_mul(bw_normalize(velocity), half));
}

// A particle that starts at a point with a velocity, so many seconds before the end of the step. Inside of
// the liquid it does not fall: what is around it carries it.
static bool emit(const Emitting *emitting, BwVec3 point, BwVec3 velocity, double seconds, bool is_free)
{
    BwArrival arrival = arrival_at(emitting, point, seconds);
    BwVec3 gravity = is_free ? emitting->gravity : bw_vec3(0.0f, 0.0f, 0.0f);
    float after = (float)seconds;
    float across = bw_dot(bw_sub(velocity, emitting->step->motion), emitting->normal);
    float fallen = after - 0.5f * (float)emitting->dt;
    arrival.velocity = bw_add(velocity, bw_mul(gravity, fallen));
    arrival.way = bw_mul(bw_add(velocity, bw_mul(gravity, 0.5f * after)), after);
    if (across != 0.0f) { // what came out before has fallen for longer
        arrival.change = gravity;
        arrival.along = bw_mul(emitting->normal, 1.0f / across);
    }
    if (!bw_arrivals_add(emitting->arrivals, &arrival))
        return false;
    if (emitting->sets_grid) {
        BwVelocity *carried = &emitting->liquid->carried;
        BwVec3 next = bw_add(velocity, bw_mul(gravity, -0.5f * (float)emitting->dt));
        const BwMask *known = emitting->liquid->faces.known;
        bw_velocity_set_around(carried, known, point_behind(emitting, point, velocity), next);
        bw_velocity_set_around(carried, known, bw_add(point, arrival.way), arrival.velocity);
    }
    return true;
}

// Turned away from the axis, evenly over a cone, as the shape sees it.
static BwVec3 spread_out(const Emitting *emitting, int64_t number)
{
    BwVec3 velocity = bw_sub(emitting->step->velocity, emitting->step->motion);
    const BwSpout *spout = emitting->spout;
    const int32_t cell[3] = {(int32_t)number, 0, 0};
    float random[3], speed = bw_length(velocity);
    if (emitting->spread == 0.0f)
        return emitting->step->velocity;
    bw_random_place(emitting->seed + 2, cell, 0, random);
    bool is_flat = emitting->liquid->scene->dimension == 2;
    float cosine = is_flat ? cosf(emitting->spread * random[0])
                           : 1.0f - random[0] * (1.0f - cosf(emitting->spread)),
          sine = sqrtf(fmaxf(1.0f - cosine * cosine, 0.0f)), turn = 6.2831853f * random[1];
    BwVec3 aside = is_flat ? bw_mul(spout->across, random[1] < 0.5f ? -1.0f : 1.0f)
                           : bw_add(bw_mul(spout->across, cosf(turn)), bw_mul(spout->up, sinf(turn)));
    BwVec3 turned = bw_mul(bw_add(bw_mul(spout->direction, cosine), bw_mul(aside, sine)), speed);
    return bw_add(turned, emitting->step->motion);
}

// A place inside the shape, by the powers of a number that spread points evenly (Roberts 2018), tried again
// where it is outside.
static bool place_inside(const Emitting *emitting, int64_t number, int attempt, BwVec3 *point)
{
    static const double powers[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    const BwGrid *grid = emitting->liquid->flow.grid;
    const int32_t cell[3] = {attempt, 0, 0};
    float random[3], at[3] = {0}, h = grid->cell_size;
    BwBox box = bw_shape_bounds(emitting->shape);
    bw_random_place(emitting->seed, cell, 0, random);
    for (int a = 0; a < grid->dimension; a++) {
        double part = (double)random[a] + powers[a] * (double)number;
        float low = bw_component(box.low, a), high = bw_component(box.high, a);
        if (grid->has_bounds) {
            low = fmaxf(low, h * (float)grid->bounds.low[a]);
            high = fminf(high, h * (float)grid->bounds.high[a]);
        }
        at[a] = low + (high - low) * (float)(part - floor(part));
    }
    *point = bw_vec3(at[0], at[1], at[2]);
    return bw_shape_distance(emitting->shape, *point) < 0.0f;
}

static bool emit_inside(const Emitting *emitting, int64_t number, double seconds)
{
    const BwLiquid *liquid = emitting->liquid;
    BwVec3 point;
    for (int attempt = 0; attempt < TRIES_MAX; attempt++) {
        if (!place_inside(emitting, number, attempt, &point))
            continue;
        bool is_free = bw_liquid_kind_at(&liquid->surface.phi, &liquid->flow.domain, point) == BW_POINT_AIR;
        if (emitting->step->has_velocity || is_free) {
            if (emit(emitting, point, emitting->step->velocity, seconds, is_free))
                return true;
            continue;
        }
        BwArrival arrival = arrival_at(emitting, point, seconds);
        arrival.flow = &liquid->flow.velocity;
        arrival.seconds = (float)seconds;
        if (bw_arrivals_add(emitting->arrivals, &arrival))
            return true;
    }
    return false;
}

// Where a point of a shape that moves was so many seconds before the end of the step; it is known as of the
// middle of the time that it is on.
static BwVec3 moved(const Emitting *emitting, BwVec3 point, double seconds)
{
    const BwSourceStep *step = emitting->step;
    double middle = step->begin + 0.5 * step->seconds;
    return bw_add(point, bw_mul(step->motion, (float)(emitting->end - seconds - middle)));
}

static bool emit_across(const Emitting *emitting, int64_t number, double seconds)
{
    const BwLiquid *liquid = emitting->liquid;
    bool is_jittered = liquid->scene->liquid.seeding == BW_SEEDING_JITTERED;
    float jitter = is_jittered ? liquid->sources.spacing : 0.0f;
    BwVec3 point = bw_spout_place(emitting->spout, emitting->shape, number, jitter, emitting->seed);
    BwVec3 behind = bw_sub(point, bw_mul(emitting->spout->direction, liquid->flow.grid->cell_size));
    bool is_free = bw_liquid_kind_at(&liquid->surface.phi, &liquid->flow.domain, behind) != BW_POINT_LIQUID;
    is_free &= !emitting->step->is_held;
    return emit(emitting, moved(emitting, point, seconds), spread_out(emitting, number), seconds, is_free);
}

// All that the clock passes: the n-th particle when it is half past n.
static void emit_by_clock(const Emitting *emitting, double *clock, bool is_volume)
{
    const BwSourceStep *step = emitting->step;
    double before = *clock, after = before + step->particles;
    int64_t first = (int64_t)ceil(before - 0.5), last = (int64_t)ceil(after - 0.5);
    for (int64_t number = first; number < last; number++) {
        double part = ((double)number + 0.5 - before) / step->particles;
        double seconds = emitting->end - (step->begin + part * step->seconds);
        if (is_volume)
            emit_inside(emitting, number, seconds);
        else
            emit_across(emitting, number, seconds);
    }
    *clock = after;
}

// Fills what is air of a shape with particles as a fill would. Gives how many; only counts where it is told
// to.
static int64_t fill_shape(const Emitting *emitting, bool only_counts)
{
    const BwLiquid *liquid = emitting->liquid;
    const BwGrid *grid = liquid->flow.grid;
    BwCellBox box = bw_shape_cells(grid, emitting->shape, bw_pose_identity(), 512);
    int per_axis = liquid->scene->liquid.particles_per_cell;
    int parts = per_axis * per_axis * (grid->dimension == 3 ? per_axis : 1);
    bool is_jittered = liquid->scene->liquid.seeding == BW_SEEDING_JITTERED;
    int64_t size[3], count = 0;
    for (int a = 0; a < 3; a++)
        size[a] = a < grid->dimension ? box.high[a] - box.low[a] : 1;
    for (int64_t n = 0; n < size[0] * size[1] * size[2] * parts; n++) {
        int64_t place = n / parts, part = n % parts;
        int32_t cell[3] = {box.low[0] + (int32_t)(place % size[0]),
                           box.low[1] + (int32_t)(place / size[0] % size[1]),
                           grid->dimension == 3 ? box.low[2] + (int32_t)(place / size[0] / size[1]) : 0};
        int step[3] = {(int)part % per_axis, (int)part / per_axis % per_axis,
                       (int)part / per_axis / per_axis};
        float within[3] = {0.5f, 0.5f, 0.5f}, at[3] = {0};
        if (is_jittered)
            bw_random_place(emitting->seed, cell, (int)part, within);
        for (int a = 0; a < grid->dimension; a++)
            at[a] = grid->cell_size *
                    ((float)cell[a] + ((float)step[a] + bw_jittered(within[a])) / (float)per_axis);
        BwVec3 point = bw_vec3(at[0], at[1], at[2]);
        if (bw_shape_distance(emitting->shape, point) >= 0.0f ||
            bw_liquid_kind_at(&liquid->surface.phi, &liquid->flow.domain, point) != BW_POINT_AIR)
            continue;
        count += only_counts ||
                 emit(emitting, point, emitting->step->velocity, emitting->end - emitting->step->begin, true);
    }
    return count;
}

// A blob's clock counts its particles, and stands at one at least when it has been emitted.
static void emit_blob(const Emitting *emitting, double *clock)
{
    *clock = fmax(*clock + (double)fill_shape(emitting, false), 1.0);
}

static BwVec3 normal_of(const BwLiquid *liquid, int n)
{
    const BwEmitterDef *emitter = &liquid->scene->emitters[n];
    BwVec3 none = {0};
    if (n >= liquid->scene->emitter_count || bw_liquid_emission(emitter) != BW_EMITS_STREAM ||
        emitter->spread != 0.0f)
        return none;
    return bw_shape_is_flat(&emitter->shape) ? bw_flat_normal(&emitter->shape)
                                             : liquid->sources.spouts[n].direction;
}

static Emitting emitting_of(BwLiquid *liquid, int n, BwVec3 gravity, double end, double dt)
{
    bool is_emitter = n < liquid->scene->emitter_count;
    const BwEmitterDef *emitter = is_emitter ? &liquid->scene->emitters[n] : NULL;
    return (Emitting){.liquid = liquid,
                      .step = &liquid->sources.steps[n],
                      .shape = is_emitter ? &liquid->sources.shapes[n] : NULL,
                      .spout = &liquid->sources.spouts[n],
                      .spread = is_emitter ? emitter->spread : 0.0f,
                      .seed = liquid->scene->seed + 1000u * (uint64_t)(n + 1),
                      .end = end,
                      .dt = dt,
                      .gravity = is_emitter ? gravity : bw_vec3(0.0f, 0.0f, 0.0f),
                      .normal = normal_of(liquid, n),
                      .sets_grid = liquid->scene->liquid.method == BW_LIQUID_MARKERS};
}

// As of its other curves, in the middle of the time that it is on.
static BwResult look_up_load(const BwLiquid *liquid, int n, BwParticleLoad *load, BwError *err)
{
    const BwSceneDef *scene = liquid->scene;
    const BwSourceStep *step = &liquid->sources.steps[n];
    bool is_emitter = n < scene->emitter_count;
    int side = n - scene->emitter_count;
    const BwCurve *curve =
        is_emitter ? &scene->emitters[n].temperature : &scene->walls.side[side].temperature;
    double middle = step->begin + 0.5 * step->seconds;
    float temperature, viscosity = NAN;
    BW_TRY(bw_curve_number_at(curve, middle, NAN, &temperature, err));
    if (is_emitter)
        BW_TRY(bw_curve_number_at(&scene->emitters[n].viscosity, middle, NAN, &viscosity, err));
    *load = bw_liquid_source_load(
        scene, is_emitter ? scene->emitters[n].color : scene->walls.side[side].color, temperature, viscosity,
        is_emitter ? bw_source_of_emitter(scene, n) : bw_source_of_side(scene, side));
    return BW_OK;
}

static bool is_blob(const BwLiquid *liquid, int n)
{
    return n < liquid->scene->emitter_count &&
           bw_liquid_emission(&liquid->scene->emitters[n]) == BW_EMITS_BLOB;
}

BwResult bw_liquid_emit(BwLiquid *liquid, const BwCollision *collision, double time, double dt,
                        BwStats *stats, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    BwArrivals arrivals;
    BwVec3 gravity;
    double most = 0.0;
    if (!sources->has_divergence)
        return BW_OK;
    BW_TRY(bw_curve_vector_at(&liquid->scene->gravity, time, &gravity, err));
    for (int n = 0; n < sources->count; n++) {
        Emitting emitting = emitting_of(liquid, n, gravity, time + dt, dt);
        if (sources->steps[n].is_on)
            most +=
                is_blob(liquid, n) ? (double)fill_shape(&emitting, true) : sources->steps[n].particles + 2.0;
    }
    if (most > (double)INT32_MAX)
        return bw_fail(err, BW_ERR_NUMERICS, "the scene's sources emit %.3g particles in a step", most);
    BW_TRY(bw_arrivals_begin(&arrivals, &liquid->particles, collision, (int64_t)ceil(most), err));
    for (int n = 0; n < sources->count; n++) {
        Emitting emitting = emitting_of(liquid, n, gravity, time + dt, dt);
        emitting.arrivals = &arrivals;
        if (!sources->steps[n].is_on)
            continue;
        BW_TRY(look_up_load(liquid, n, &emitting.load, err));
        if (is_blob(liquid, n))
            emit_blob(&emitting, &sources->clock[n]);
        else
            emit_by_clock(&emitting, &sources->clock[n],
                          emitting.shape != NULL &&
                              bw_liquid_emission(&liquid->scene->emitters[n]) == BW_EMITS_VOLUME);
    }
    sources->emitted += arrivals.volume;
    stats->emitted += arrivals.volume * bw_liquid_particle_volume(liquid);
    return BW_OK;
}

void bw_liquid_clear_core(BwLiquid *liquid, double dt)
{
    const BwGrid *grid = liquid->flow.grid;
    for (int n = 0; n < liquid->scene->emitter_count; n++) {
        const BwSourceStep *step = &liquid->sources.steps[n];
        if (!step->is_on || !step->has_velocity)
            continue;
        BwCellBox box = bw_liquid_source_cells(&liquid->sources, &liquid->sources.shapes[n]);
        float reach = fminf(bw_length(step->velocity) * (float)dt / grid->cell_size, (float)reach_max);
        for (int a = 0; a < grid->dimension; a++) {
            box.low[a] -= (int32_t)reach + 3;
            box.high[a] += (int32_t)reach + 3;
        }
        bw_core_keep_off(&liquid->core, &liquid->flow.domain, box);
    }
}

// A sink with a flow takes its part out of the core's accounts and the rest as particles, by its clock.
static BwResult drain_flow(BwLiquid *liquid, int n, double dt, double *removed, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    double *clock = &sources->clock[sources->count + n], unit = (double)bw_liquid_unit(liquid->scene);
    double cell = bw_cell_volume(liquid->flow.grid), flow, core = 0.0;
    BwStamp stamp = bw_liquid_sink_stamp(&liquid->sources, n);
    BW_TRY(bw_liquid_sink_flow(&liquid->sources, n, dt, &flow, err));
    double wanted = flow * dt / cell;
    if (liquid->has_core)
        core = bw_core_drain(&liquid->core, &liquid->flow.domain, &stamp, sources->drained[n] / cell, wanted);
    *clock += (wanted - core) / unit;
    BW_TRY(bw_particles_drain(&liquid->particles, stamp.shape, 0.0f, *clock, removed, err));
    *clock -= *removed;
    if (sources->drained[n] < wanted * cell) { // a sink smaller than that draws from the cells it is in
        double more;
        BW_TRY(bw_particles_drain(&liquid->particles, stamp.shape, around * liquid->flow.grid->cell_size,
                                  *clock, &more, err));
        *clock -= more;
        *removed += more;
    }
    *clock = fmin(*clock, owed_max);
    *removed += core / unit;
    return BW_OK;
}

// The cells behind an outflow are outside: no pressure acts there, and nothing gets back in. What they hold
// that would crowd runs off.
static void run_off(BwLiquid *liquid, BwStats *stats)
{
    double most = outside_max / (double)bw_liquid_unit(liquid->scene);
    double removed = bw_particles_run_off(&liquid->particles, &liquid->flow.domain.outflow, most);
    stats->removed[BW_REMOVED_OPEN] += removed * bw_liquid_particle_volume(liquid);
}

// An inflow side that points outwards draws area times speed times time. Particles carry a little less of it
// out, for they cut the corners of an opening; the rest is taken from among those before it. It owes or is
// owed what a layer of cells holds at most.
static BwResult draw_out(BwLiquid *liquid, int side, double left, double dt, BwStats *stats, BwError *err)
{
    BwLiquidSources *sources = &liquid->sources;
    const BwBoxSide *now = &liquid->flow.domain.side[side];
    double speed = fabs((double)bw_component(now->velocity, side / 2)), drawn = sources->drawn[side],
           layer = drawn > 0.0 ? drawn / speed * (double)liquid->flow.grid->cell_size : 0.0, removed = 0.0;
    double owed = sources->owed[side] + drawn * dt / sources->seed_volume - left;
    if (owed > 0.0 && drawn > 0.0)
        BW_TRY(bw_particles_drain_beside(&liquid->particles, &liquid->flow.domain.inflow, side, owed,
                                         &removed, err));
    stats->removed[BW_REMOVED_OPEN] += removed * bw_liquid_particle_volume(liquid);
    double most = layer / sources->seed_volume;
    sources->owed[side] = fmin(fmax(owed - removed, -most), most);
    return BW_OK;
}

BwResult bw_liquid_drain(BwLiquid *liquid, const BwParticlesGone *gone, double dt, BwStats *stats,
                         BwError *err)
{
    for (int side = 0; side < BW_SIDE_COUNT; side++)
        if (liquid->sources.drawn[side] > 0.0 || liquid->sources.owed[side] != 0.0)
            BW_TRY(draw_out(liquid, side, gone->by_side[side], dt, stats, err));
    if (liquid->sources.has_outflow)
        run_off(liquid, stats);
    for (int n = 0; n < liquid->scene->sink_count; n++) {
        const BwSinkDef *sink = &liquid->scene->sinks[n];
        double removed;
        if (!bw_liquid_sink_is_open(&liquid->sources, n))
            continue;
        if (bw_curve_is_given(&sink->flow))
            BW_TRY(drain_flow(liquid, n, dt, &removed, err));
        else
            BW_TRY(
                bw_particles_drain(&liquid->particles, &sink->shape, 0.0f, (double)INFINITY, &removed, err));
        stats->removed[BW_REMOVED_SINK] += removed * bw_liquid_particle_volume(liquid);
    }
    return BW_OK;
}
