// Smoke: hot or heavy gas in air of the same density, after Stam 1999, Fedkiw, Stam and Jensen 2001, and
// Carlson's "Fluid Flow for the Rest of Us", section 9. Density and temperature ride on an incompressible
// velocity; tiles live where there is smoke, with an envelope of air solved around it.
//
// The velocity is free of divergence whenever anything is carried along it: a step carries first, then
// applies forces, then projects.
#include "solvers/smoke.h"

#include "operate/measure.h"
#include "solid/motion.h"
#include <math.h>

// Air this near to the ambient temperature, K, is not what keeps a tile awake.
static const float still_heat = 1.0f;

// Cells of air around the smoke, at least (row A15).
enum { ENVELOPE_CELLS = 3 };

static BwVec3 vector_of(const float v[4])
{
    return bw_vec3(v[0], v[1], v[2]);
}

float bw_smoke_heat_lift(const BwSmoke *smoke, float gravity)
{
    float given = smoke->scene->smoke.buoyancy_heat;
    return isnan(given) ? gravity / smoke->scene->smoke.ambient : given;
}

static int32_t cell_floor(float meters, float h)
{
    return (int32_t)floor((double)meters / (double)h + 1e-4);
}

static int32_t cell_ceil(float meters, float h)
{
    return (int32_t)ceil((double)meters / (double)h - 1e-4);
}

// Walls grow outwards to whole cells, periods to whole tiles. A ten-thousandth of a cell is taken for
// rounding.
static BwGridDef grid_def(const BwSolverSetup *def)
{
    const BwSceneDef *scene = def->scene;
    BwGridDef grid = {.allocator = def->allocator, .cell_size = scene->cell, .dimension = scene->dimension};
    grid.has_bounds = scene->has_walls;
    const float low[3] = {scene->walls.min.x, scene->walls.min.y, scene->walls.min.z};
    const float high[3] = {scene->walls.max.x, scene->walls.max.y, scene->walls.max.z};
    for (int a = 0; a < scene->dimension && scene->has_walls; a++) {
        grid.bounds.low[a] = cell_floor(low[a], scene->cell);
        grid.bounds.high[a] = cell_ceil(high[a], scene->cell);
        grid.is_open[a] = scene->walls.side[2 * a + 1].kind == BW_WALL_OPEN;
        if (!scene->walls.periodic[a])
            continue;
        grid.period_low[a] = grid.bounds.low[a] >> 3;
        grid.period[a] = (grid.bounds.high[a] - grid.bounds.low[a] + BW_TILE - 1) / BW_TILE;
    }
    return grid;
}

// All tiles between the walls.
static BwResult wake_box(BwSmoke *smoke, BwError *err)
{
    const BwGrid *grid = smoke->grid;
    BwGridDef def = grid_def(&(BwSolverSetup){.scene = smoke->scene});
    BwCellBox box = def.bounds;
    for (int a = 0; a < 3; a++)
        if (grid->period[a] > 0) {
            box.low[a] = grid->period_low[a] * BW_TILE;
            box.high[a] = box.low[a] + grid->period[a] * BW_TILE;
        }
    BW_TRY(bw_follow_plan(&smoke->plan, grid, smoke->spans, &box, 1, 0, err));
    return bw_follow_apply(&smoke->plan, smoke->grid, err);
}

// MacCormack keeps a carried copy of each field, with the field's own location and background.
static BwResult create_advection_scratch(BwSmoke *smoke, float ambient, BwVec3 wind, BwError *err)
{
    const BwLocation locations[] = {BW_AT_CELL, BW_AT_CELL, BW_AT_FACE_X, BW_AT_FACE_Y, BW_AT_FACE_Z};
    const float backgrounds[] = {0.0f, ambient, wind.x, wind.y, wind.z};
    for (int n = 0; n < 2 + smoke->grid->dimension; n++)
        BW_TRY(bw_field_create(&smoke->carried[n], smoke->grid, locations[n], backgrounds[n], err));
    for (int n = 0; n < 1 + smoke->grid->dimension; n++)
        BW_TRY(bw_corners_create(&smoke->corners[n], smoke->grid, err));
    return BW_OK;
}

static BwResult create_fields(BwSmoke *smoke, BwError *err)
{
    BwGrid *grid = smoke->grid;
    float ambient = smoke->scene->smoke.ambient;
    // Behind a wall nothing moves; in the open, air that joins has the speed of the wind.
    BwVec3 background = smoke->scene->has_walls ? bw_vec3(0.0f, 0.0f, 0.0f) : smoke->wind;
    BW_TRY(bw_domain_create(&smoke->domain, grid, smoke->pool, err));
    BW_TRY(bw_velocity_create(&smoke->velocity, grid, background, err));
    BW_TRY(bw_velocity_create(&smoke->next_velocity, grid, background, err));
    BW_TRY(bw_field_create(&smoke->density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->next_density, grid, BW_AT_CELL, 0.0f, err));
    BW_TRY(bw_field_create(&smoke->temperature, grid, BW_AT_CELL, ambient, err));
    BW_TRY(bw_field_create(&smoke->next_temperature, grid, BW_AT_CELL, ambient, err));
    if (smoke->scene->smoke.advection == BW_ADVECT_MACCORMACK)
        BW_TRY(create_advection_scratch(smoke, ambient, background, err));
    BW_TRY(bw_projection_create(&smoke->projection, grid, smoke->pool, err));
    return bw_advect_scratch_create(&smoke->advect, &smoke->allocator, smoke->pool, err);
}

static BwResult allocate_lists(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    size_t boxes = (size_t)(scene->emitter_count + scene->fill_count), solids = (size_t)scene->obstacle_count;
    smoke->boxes = bw_alloc(&smoke->allocator, boxes * sizeof *smoke->boxes, BW_ALIGN);
    smoke->solids = bw_alloc(&smoke->allocator, solids * sizeof *smoke->solids, BW_ALIGN);
    smoke->frame_solids = bw_alloc(&smoke->allocator, solids * sizeof *smoke->frame_solids, BW_ALIGN);
    smoke->forces = bw_alloc(&smoke->allocator, (size_t)scene->force_count * sizeof *smoke->forces, BW_ALIGN);
    bool is_short = (boxes > 0 && smoke->boxes == NULL) ||
                    (scene->force_count > 0 && smoke->forces == NULL) ||
                    (solids > 0 && (smoke->solids == NULL || smoke->frame_solids == NULL));
    return is_short ? bw_fail_memory(err) : BW_OK;
}

static BwResult place_solids(BwSmoke *smoke, BwError *err)
{
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        BwSolidPose *solid = &smoke->solids[n];
        solid->shape = &smoke->scene->obstacles[n].shape;
        BW_TRY(bw_motion_start(&smoke->scene->obstacles[n].motion, &solid->pose, err));
        solid->before = solid->pose;
    }
    return BW_OK;
}

void bw_smoke_set_wind(BwSmoke *smoke, BwVec3 wind)
{
    smoke->wind = wind;
    const float values[3] = {wind.x, wind.y, wind.z};
    for (int a = 0; a < 3 && smoke->velocity.u[0].store.grid != NULL && !smoke->scene->has_walls; a++) {
        bw_field_set_background(&smoke->velocity.u[a], values[a]);
        bw_field_set_background(&smoke->next_velocity.u[a], values[a]);
        if (smoke->carried[2 + a].store.grid != NULL)
            bw_field_set_background(&smoke->carried[2 + a], values[a]);
    }
}

static BwResult look_up_wind(BwSmoke *smoke, double time, BwError *err)
{
    float wind[4];
    BW_TRY(bw_curve_at(&smoke->scene->smoke.wind, time, wind, err));
    bw_smoke_set_wind(smoke, vector_of(wind));
    return BW_OK;
}

// Cells to keep awake around the smoke: the envelope the scene asks for, and no less than a step's paths
// reach.
static int envelope_cells(const BwSmoke *smoke, double dt)
{
    float h = smoke->grid->cell_size;
    float asked = ceilf(smoke->scene->smoke.envelope / h),
          reach = ceilf(smoke->max_speed * (float)dt / h) + 2.0f;
    float cells = fmaxf(fmaxf(asked, reach), ENVELOPE_CELLS);
    return cells < 256.0f ? (int)cells : 256;
}

static BwResult start(BwSmoke *smoke, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    if (smoke->is_whole_box) {
        BW_TRY(wake_box(smoke, err));
    } else {
        int count = bw_smoke_source_boxes(smoke, 0.0);
        for (int n = 0; n < scene->fill_count; n++)
            smoke->boxes[count++] =
                bw_shape_cells(smoke->grid, &scene->fills[n].shape, bw_pose_identity(), 512);
        BW_TRY(bw_follow_plan(&smoke->plan, smoke->grid, NULL, smoke->boxes, count,
                              envelope_cells(smoke, 0.0), err));
        BW_TRY(bw_follow_apply(&smoke->plan, smoke->grid, err));
    }
    bw_domain_label(&smoke->domain, smoke->solids, scene->obstacle_count);
    BW_TRY(bw_smoke_fill(smoke, err));
    bw_domain_set_wall_velocity(&smoke->domain, &smoke->velocity, smoke->solids, scene->obstacle_count, 1.0f);
    smoke->max_speed = bw_velocity_max(&smoke->domain, &smoke->velocity);
    return BW_OK;
}

static void smoke_destroy(void *solver);

static BwResult smoke_create(void **out, const BwSolverSetup *def, BwError *err)
{
    *out = NULL;
    BwSmoke *smoke = bw_alloc_zeroed(&def->allocator, sizeof *smoke, BW_ALIGN);
    if (smoke == NULL)
        return bw_fail_memory(err);
    smoke->scene = def->scene;
    smoke->allocator = def->allocator;
    smoke->pool = def->pool;
    // Between walls the air pushes back from all of the box; an envelope says that the near air is enough.
    smoke->is_whole_box = def->scene->has_walls && def->scene->smoke.envelope == 0.0f;
    BwGridDef grid = grid_def(def);
    BwResult result = bw_grid_create(&smoke->grid, &grid, err);
    if (result == BW_OK)
        result = look_up_wind(smoke, 0.0, err);
    if (result == BW_OK)
        result = create_fields(smoke, err);
    for (int side = 0; side < BW_SIDE_COUNT && result == BW_OK; side++)
        smoke->domain.is_closed[side] =
            def->scene->has_walls && def->scene->walls.side[side].kind != BW_WALL_OPEN;
    if (result == BW_OK)
        result = allocate_lists(smoke, err);
    if (result == BW_OK)
        result = place_solids(smoke, err);
    if (result == BW_OK)
        result = start(smoke, err);
    if (result != BW_OK)
        smoke_destroy(smoke);
    else
        *out = smoke;
    return result;
}

static void smoke_destroy(void *solver)
{
    BwSmoke *smoke = solver;
    if (smoke == NULL)
        return;
    const BwSceneDef *scene = smoke->scene;
    BwAllocator allocator = smoke->allocator;
    size_t boxes = (size_t)(scene->emitter_count + scene->fill_count), solids = (size_t)scene->obstacle_count;
    bw_domain_destroy(&smoke->domain);
    bw_velocity_destroy(&smoke->velocity);
    bw_velocity_destroy(&smoke->next_velocity);
    bw_field_destroy(&smoke->density);
    bw_field_destroy(&smoke->next_density);
    bw_field_destroy(&smoke->temperature);
    bw_field_destroy(&smoke->next_temperature);
    for (int n = 0; n < 5; n++)
        bw_field_destroy(&smoke->carried[n]);
    for (int n = 0; n < 4; n++)
        bw_corners_destroy(&smoke->corners[n]);
    bw_projection_destroy(&smoke->projection);
    bw_advect_scratch_destroy(smoke->advect);
    bw_follow_free(&smoke->plan, &allocator);
    bw_frame_copy_free(&smoke->frame, &allocator);
    bw_grid_destroy(smoke->grid);
    bw_free(&allocator, smoke->spans, (size_t)smoke->span_capacity * sizeof *smoke->spans, BW_ALIGN);
    bw_free(&allocator, smoke->boxes, boxes * sizeof *smoke->boxes, BW_ALIGN);
    bw_free(&allocator, smoke->solids, solids * sizeof *smoke->solids, BW_ALIGN);
    bw_free(&allocator, smoke->frame_solids, solids * sizeof *smoke->frame_solids, BW_ALIGN);
    bw_free(&allocator, smoke->forces, (size_t)scene->force_count * sizeof *smoke->forces, BW_ALIGN);
    bw_free(&allocator, smoke, sizeof *smoke, BW_ALIGN);
}

// E (3.12): from the fastest flow, with what sources and forces will add over the step.
static BwResult smoke_step_limit(void *solver, double time, double *limit, BwError *err)
{
    BwSmoke *smoke = solver;
    float speed, acceleration, h = smoke->grid->cell_size, cfl = smoke->scene->cfl;
    BW_TRY(bw_smoke_source_limits(smoke, time, &speed, &acceleration, err));
    speed = fmaxf(speed, smoke->max_speed);
    acceleration = fmaxf(acceleration, smoke->acceleration);
    float bound = speed + sqrtf(cfl * h * acceleration);
    *limit = bound > 0.0f ? (double)(cfl * h / bound) : (double)INFINITY;
    return BW_OK;
}

typedef struct Spans {
    const BwSmoke *smoke;
    BwTileSpan *spans;
} Spans;

// The box of the cells that hold smoke or heat, from the bits of each layer.
static BwTileSpan span_of_bits(const uint64_t *bits, int layers)
{
    uint64_t all = 0;
    BwTileSpan span = {{8, 8, 8}, {0, 0, 0}};
    for (int k = 0; k < layers; k++) {
        if (bits[k] == 0)
            continue;
        all |= bits[k];
        span.low[2] = (int8_t)(span.low[2] < k ? span.low[2] : k);
        span.high[2] = (int8_t)(k + 1);
    }
    for (int n = 0; n < BW_TILE && all != 0; n++) {
        bool has_row = (all >> (8 * n) & BW_ROW) != 0, has_column = (all >> n & BW_COLUMN) != 0;
        span.low[1] = (int8_t)(has_row && n < span.low[1] ? n : span.low[1]);
        span.high[1] = (int8_t)(has_row ? n + 1 : span.high[1]);
        span.low[0] = (int8_t)(has_column && n < span.low[0] ? n : span.low[0]);
        span.high[0] = (int8_t)(has_column ? n + 1 : span.high[0]);
    }
    return span;
}

static void spans_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Spans *job = context;
    const BwSmoke *smoke = job->smoke;
    const BwGrid *grid = smoke->grid;
    float threshold = smoke->scene->smoke.threshold, ambient = smoke->scene->smoke.ambient;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = grid->order[n];
        const float *density = bw_field_tile(&smoke->density, slot),
                    *heat = bw_field_tile(&smoke->temperature, slot);
        uint64_t bits[BW_TILE] = {0};
        for (int c = 0; c < grid->tile_cells; c++) {
            bool matters = density[c] > threshold || fabsf(heat[c] - ambient) > still_heat;
            bits[c >> 6] |= (uint64_t)matters << (c & 63);
        }
        job->spans[n] = span_of_bits(bits, grid->layers);
    }
}

static double slept_mass(const BwSmoke *smoke)
{
    double sum = 0.0;
    for (int64_t n = 0; n < smoke->plan.sleep_count; n++) {
        const float *density = bw_field_tile(&smoke->density, smoke->plan.sleep[n]);
        for (int c = 0; c < smoke->grid->tile_cells; c++)
            sum += (double)density[c];
    }
    return sum * bw_cell_volume(smoke->grid);
}

// Wakes tiles where the smoke may go, puts those to sleep that it has left.
static BwResult follow_smoke(BwSmoke *smoke, double time, double dt, BwStats *stats, BwError *err)
{
    if (smoke->is_whole_box)
        return BW_OK;
    BW_TRY(bw_reserve(&smoke->allocator, (void **)&smoke->spans, &smoke->span_capacity,
                      smoke->grid->tile_count, sizeof *smoke->spans, err));
    Spans job = {smoke, smoke->spans};
    bw_parallel_for(smoke->pool, smoke->grid->tile_count, 32, spans_range, &job);
    int boxes = bw_smoke_source_boxes(smoke, time);
    BW_TRY(bw_follow_plan(&smoke->plan, smoke->grid, smoke->spans, smoke->boxes, boxes,
                          envelope_cells(smoke, dt), err));
    stats->removed[BW_REMOVED_SLEEP] += slept_mass(smoke);
    return bw_follow_apply(&smoke->plan, smoke->grid, err);
}

// Density and temperature share their paths; each component of the velocity has its own.
static void carry(BwSmoke *smoke, double dt)
{
    BwAdvectSet sets[BW_ADVECT_SETS] = {{.from = {&smoke->density, &smoke->temperature},
                                         .to = {&smoke->next_density, &smoke->next_temperature},
                                         .count = 2,
                                         .valid = &smoke->domain.scalar,
                                         .keeps_total = true,
                                         .air_enters = true}};
    int count = 1 + smoke->grid->dimension;
    for (int a = 0; a < smoke->grid->dimension; a++)
        sets[1 + a] = (BwAdvectSet){.from = {&smoke->velocity.u[a]},
                                    .to = {&smoke->next_velocity.u[a]},
                                    .count = 1,
                                    .valid = &smoke->domain.face[a]};
    for (int s = 0, field = 0; s < count && smoke->scene->smoke.advection == BW_ADVECT_MACCORMACK; s++) {
        sets[s].corners = &smoke->corners[s];
        for (int f = 0; f < sets[s].count; f++)
            sets[s].carried[f] = &smoke->carried[field++];
    }
    bw_advect(smoke->advect, &smoke->domain, &smoke->velocity, sets, count, (float)dt);
}

static bool has_dead_cells(const BwGrid *grid, int32_t slot)
{
    for (int k = 0; k < grid->layers; k++)
        if (grid->tiles[slot].live[k] != ~(uint64_t)0)
            return true;
    return false;
}

// Advection leaves dead cells alone, and the faces of a far wall are theirs. They keep what they hold, so
// that what a field will be never depends on what its other buffer was used for.
static void keep_dead_faces(BwSmoke *smoke)
{
    const BwGrid *grid = smoke->grid;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        int32_t slot = grid->order[n];
        if (!has_dead_cells(grid, slot))
            continue;
        for (int a = 0; a < grid->dimension; a++) {
            float *to = bw_field_tile(&smoke->velocity.u[a], slot);
            const float *from = bw_field_tile(&smoke->next_velocity.u[a], slot);
            for (int c = 0; c < grid->tile_cells; c++)
                to[c] = bw_bit(grid->tiles[slot].live, c) ? to[c] : from[c];
        }
    }
}

static void take_over_carried(BwSmoke *smoke)
{
    bw_field_swap(&smoke->density, &smoke->next_density);
    bw_field_swap(&smoke->temperature, &smoke->next_temperature);
    for (int a = 0; a < smoke->grid->dimension; a++)
        bw_field_swap(&smoke->velocity.u[a], &smoke->next_velocity.u[a]);
    keep_dead_faces(smoke);
}

static BwResult move_solids(BwSmoke *smoke, double time, double dt, BwError *err)
{
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        smoke->solids[n].before = smoke->solids[n].pose;
        BW_TRY(bw_motion_advance(&smoke->scene->obstacles[n].motion, &smoke->solids[n].pose, time, dt, err));
    }
    return BW_OK;
}

typedef struct Decay {
    BwSmoke *smoke;
    float lost, cooled; // density taken away; factor on the heat
} Decay;

// Smoke that a solid moved over is gone. What advection brought into a solid that stood there never was
// smoke; where the solid has left, it is what the closest fluid holds.
static double clear_solid_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwSmoke *smoke = job->smoke;
    double removed = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = smoke->grid->order[n];
        float *density = bw_field_tile(&smoke->density, slot),
              *heat = bw_field_tile(&smoke->temperature, slot);
        const uint64_t *solid = bw_mask_tile(&smoke->domain.solid, slot);
        const uint64_t *was_solid = bw_mask_tile(&smoke->domain.was_solid, slot);
        for (int k = 0; k < smoke->grid->layers; k++)
            for (uint64_t bits = solid[k]; bits != 0; bits &= bits - 1) {
                int c = BW_TILE_LAYER * k + __builtin_ctzll(bits);
                removed += bw_bit(was_solid, c) ? 0.0 : (double)density[c];
                density[c] = 0.0f;
                heat[c] = smoke->scene->smoke.ambient;
            }
    }
    return removed;
}

// A (25), and cooling towards the ambient temperature.
static double decay_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Decay *job = context;
    const BwSmoke *smoke = job->smoke;
    float ambient = smoke->scene->smoke.ambient;
    double removed = 0.0;
    for (int64_t n = begin; n < end; n++) {
        int32_t slot = smoke->grid->order[n];
        float *density = bw_field_tile(&smoke->density, slot),
              *heat = bw_field_tile(&smoke->temperature, slot);
        for (int c = 0; c < smoke->grid->tile_cells; c++) {
            float left = density[c] > job->lost ? density[c] - job->lost : 0.0f;
            removed += (double)density[c] - (double)left;
            density[c] = left;
            heat[c] = ambient + job->cooled * (heat[c] - ambient);
        }
    }
    return removed;
}

static void clear_solids(BwSmoke *smoke, BwStats *stats)
{
    if (smoke->scene->obstacle_count == 0)
        return;
    Decay job = {.smoke = smoke};
    double removed = bw_parallel_sum(smoke->pool, smoke->grid->tile_count, 32, clear_solid_range, &job);
    stats->removed[BW_REMOVED_SOLID] += removed * bw_cell_volume(smoke->grid);
}

static void decay(BwSmoke *smoke, double dt, BwStats *stats)
{
    const BwSmokeDef *def = &smoke->scene->smoke;
    if (def->dissipation == 0.0f && def->cooling == 0.0f)
        return;
    Decay job = {
        .smoke = smoke, .lost = def->dissipation * (float)dt, .cooled = expf(-def->cooling * (float)dt)};
    double removed = bw_parallel_sum(smoke->pool, smoke->grid->tile_count, 32, decay_range, &job);
    stats->removed[BW_REMOVED_DISSIPATED] += removed * bw_cell_volume(smoke->grid);
}

static BwResult look_up_force(const BwForceDef *def, double time, BwForce *force, BwError *err)
{
    float value[4];
    *force = (BwForce){.shape = def->shape.kind != BW_SHAPE_NONE ? &def->shape : NULL,
                       .field = def->field,
                       .radius = def->radius};
    BW_TRY(bw_curve_at(&def->acceleration, time, value, err));
    force->acceleration = vector_of(value);
    BW_TRY(bw_curve_at(&def->center, time, value, err));
    force->center = vector_of(value);
    BW_TRY(bw_curve_at(&def->axis, time, value, err));
    force->axis = vector_of(value);
    BW_TRY(bw_curve_at(&def->strength, time, value, err));
    force->strength = value[0];
    return BW_OK;
}

static BwResult add_forces(BwSmoke *smoke, double time, double dt, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    float value[4];
    BW_TRY(bw_curve_at(&scene->gravity, time, value, err));
    BwVec3 gravity = vector_of(value);
    BwBuoyancy law = {.density = &smoke->density,
                      .temperature = &smoke->temperature,
                      .weight = scene->smoke.buoyancy_weight,
                      .heat = bw_smoke_heat_lift(smoke, bw_length(gravity)),
                      .ambient = scene->smoke.ambient,
                      .down = bw_normalize(gravity)};
    bw_add_buoyancy(&smoke->domain, &smoke->velocity, &law, (float)dt);
    smoke->acceleration =
        law.heat * bw_field_max_abs(&smoke->domain, &smoke->temperature, &smoke->domain.open, law.ambient) +
        fabsf(law.weight) * bw_field_max_abs(&smoke->domain, &smoke->density, &smoke->domain.open, 0.0f);
    int count = 0;
    for (int n = 0; n < scene->force_count; n++) {
        const BwForceDef *def = &scene->forces[n];
        if (time < def->start || time >= def->stop)
            continue;
        BwForce *force = &smoke->forces[count++];
        BW_TRY(look_up_force(def, time, force, err));
        bool is_pull = def->field == BW_FORCE_POINT || def->field == BW_FORCE_VORTEX;
        smoke->acceleration += bw_length(force->acceleration) + (is_pull ? fabsf(force->strength) : 0.0f);
    }
    bw_add_forces(&smoke->domain, &smoke->velocity, smoke->forces, count, (float)dt);
    if (scene->smoke.confinement != 0.0f) {
        // What was carried has been taken over, so its fields are free.
        BwVorticityScratch scratch = {
            {&smoke->next_velocity.u[0], &smoke->next_velocity.u[1], &smoke->next_velocity.u[2]},
            &smoke->next_density};
        bw_confine_vorticity(&smoke->domain, &smoke->velocity, &scratch, scene->smoke.confinement, (float)dt);
    }
    if (!smoke->is_whole_box)
        bw_add_wind(&smoke->domain, &smoke->velocity, smoke->wind, scene->smoke.wind_rate, (float)dt);
    return BW_OK;
}

static BwResult project(BwSmoke *smoke, BwStats *stats, BwError *err)
{
    const BwSceneDef *scene = smoke->scene;
    BwPoissonOptions options = {.method = scene->solver.pressure,
                                .tolerance = (double)scene->solver.tolerance,
                                .bound =
                                    (double)scene->solver.divergence_max * (double)smoke->grid->cell_size,
                                .iterations_max = scene->solver.iterations_max,
                                .relaxation = scene->solver.relaxation};
    BwPoissonReport report;
    BW_TRY(bw_project(&smoke->projection, &smoke->domain, &smoke->velocity, &options, &report, err));
    stats->iterations += report.iterations;
    stats->residual = fmax(stats->residual, report.residual);
    stats->stop_reason = report.reason > stats->stop_reason ? report.reason : stats->stop_reason;
    return BW_OK;
}

static BwResult smoke_step(void *solver, double time, double dt, BwStats *stats, BwError *err)
{
    BwSmoke *smoke = solver;
    BwStageClock clock = bw_stage_clock(stats);
    bw_stage(&clock, "tiles");
    BW_TRY(look_up_wind(smoke, time, err));
    BW_TRY(follow_smoke(smoke, time, dt, stats, err));
    bw_stage(&clock, "advect");
    carry(smoke, dt);
    take_over_carried(smoke);
    bw_stage(&clock, "solids");
    BW_TRY(move_solids(smoke, time, dt, err));
    bw_domain_label(&smoke->domain, smoke->solids, smoke->scene->obstacle_count);
    clear_solids(smoke, stats);
    bw_stage(&clock, "sources");
    decay(smoke, dt, stats);
    BW_TRY(bw_smoke_run_sources(smoke, time, dt, stats, err));
    bw_stage(&clock, "forces");
    BW_TRY(add_forces(smoke, time, dt, err));
    bw_domain_set_wall_velocity(&smoke->domain, &smoke->velocity, smoke->solids, smoke->scene->obstacle_count,
                                (float)dt);
    bw_stage(&clock, "pressure");
    BW_TRY(project(smoke, stats, err));
    smoke->max_speed = bw_velocity_max(&smoke->domain, &smoke->velocity);
    bw_stage(&clock, NULL);
    return BW_OK;
}

static void smoke_measure(void *solver, BwStats *stats)
{
    BwSmoke *smoke = solver;
    stats->tiles = smoke->grid->tile_count;
    stats->cells = bw_grid_live_cells(smoke->grid);
    stats->mass = bw_field_total(&smoke->domain, &smoke->density, &smoke->domain.open, 0.0f);
    stats->max_speed = smoke->max_speed;
    stats->divergence = bw_divergence_max(&smoke->domain, &smoke->velocity);
}

static BwResult smoke_frame(void *solver, BwFrame *frame, BwError *err)
{
    BwSmoke *smoke = solver;
    const BwFrameSource sources[] = {
        {"density", "1", &smoke->density, NULL},    {"temperature", "K", &smoke->temperature, NULL},
        {"fluid", "1", NULL, &smoke->domain.fluid}, {"solid", "1", NULL, &smoke->domain.solid},
        {"u", "m/s", &smoke->velocity.u[0], NULL},  {"v", "m/s", &smoke->velocity.u[1], NULL},
        {"w", "m/s", &smoke->velocity.u[2], NULL},
    };
    int count = smoke->grid->dimension == 3 ? 7 : 6;
    BW_TRY(bw_frame_copy(&smoke->frame, frame, smoke->grid, sources, count, err));
    for (int n = 0; n < smoke->scene->obstacle_count; n++) {
        const BwObstacleDef *obstacle = &smoke->scene->obstacles[n];
        smoke->frame_solids[n] =
            (BwFrameSolid){.shape = &obstacle->shape,
                           .pose = smoke->solids[n].pose,
                           .color = {obstacle->color[0], obstacle->color[1], obstacle->color[2]}};
    }
    frame->solids = smoke->frame_solids;
    frame->solid_count = smoke->scene->obstacle_count;
    return BW_OK;
}

const BwSolverType bw_smoke_solver = {
    .fluid = BW_FLUID_SMOKE,
    .create = smoke_create,
    .destroy = smoke_destroy,
    .step_limit = smoke_step_limit,
    .step = smoke_step,
    .measure = smoke_measure,
    .frame = smoke_frame,
    .check = bw_smoke_check,
    .save = bw_smoke_save,
    .load = bw_smoke_load,
};
