// Steps of bodies: kick, drift, kick (Verlet 1967), so that free fall is exact and what bobs neither gains
// nor loses by the size of the step.
#include "flow/scene_bodies.h"

#include "flow/scene_box.h"

#include <math.h>
#include <string.h>

// A step of theirs is so short that they turn, bob, are slowed down and go in it by no more than these: rad,
// rad, 1, spacings of their nodes.
static const double turn_most = 0.2, phase_most = 0.2, slowed_most = 0.25, way_most = 1.5;
enum { SUBSTEPS_MAX = 200 };

BwResult bw_scene_bodies_create(BwSceneBodies *bodies, const BwSceneDef *scene, BwAllocator allocator,
                                BwError *err)
{
    size_t count = (size_t)scene->body_count, obstacles = (size_t)scene->obstacle_count + 1;
    *bodies = (BwSceneBodies){.allocator = allocator};
    if (count == 0)
        return BW_OK;
    bodies->scene = scene;
    bodies->bodies = bw_alloc_zeroed(&allocator, count * sizeof *bodies->bodies, BW_ALIGN);
    bodies->loads = bw_alloc_zeroed(&allocator, count * sizeof *bodies->loads, BW_ALIGN);
    bodies->told = bw_alloc_zeroed(&allocator, count * sizeof *bodies->told, BW_ALIGN);
    bodies->obstacles = bw_alloc_zeroed(&allocator, obstacles * sizeof *bodies->obstacles, BW_ALIGN);
    if (bodies->bodies == NULL || bodies->loads == NULL || bodies->told == NULL || bodies->obstacles == NULL)
        return bw_fail_memory(err);
    for (size_t n = 0; n < count; n++)
        BW_TRY(
            bw_rigid_body_create(&bodies->bodies[n], &scene->bodies[n], scene->dimension, &allocator, err));
    return BW_OK;
}

void bw_scene_bodies_destroy(BwSceneBodies *bodies)
{
    const BwAllocator *allocator = &bodies->allocator;
    if (bodies->scene == NULL)
        return;
    size_t count = (size_t)bodies->scene->body_count, obstacles = (size_t)bodies->scene->obstacle_count + 1;
    for (size_t n = 0; n < count && bodies->bodies != NULL; n++)
        bw_rigid_body_destroy(&bodies->bodies[n], allocator);
    bw_free(allocator, bodies->bodies, count * sizeof *bodies->bodies, BW_ALIGN);
    bw_free(allocator, bodies->loads, count * sizeof *bodies->loads, BW_ALIGN);
    bw_free(allocator, bodies->told, count * sizeof *bodies->told, BW_ALIGN);
    bw_free(allocator, bodies->obstacles, obstacles * sizeof *bodies->obstacles, BW_ALIGN);
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// How many steps a second a body needs. A light one bobs fastest: its draft is the least.
static double rate_of(const BwRigidBody *body, double density, double gravity)
{
    double spin[3], draft = 6.0 * (double)body->spacing * body->mass / (body->volume * density);
    bw_rigid_body_spin(body, spin);
    double bobbing = sqrt(gravity / fmax(draft, 1e-9));
    return fmax(
        fmax(length_of(spin) / turn_most, bobbing / phase_most),
        fmax(body->damping / slowed_most, length_of(body->velocity) / (way_most * (double)body->spacing)));
}

static int substeps_of(const BwSceneBodies *bodies, const BwBodyWater *water, double dt)
{
    double rate = 1.0;
    for (int n = 0; n < bodies->scene->body_count; n++)
        rate = fmax(rate, rate_of(&bodies->bodies[n], (double)bodies->scene->liquid.density,
                                  (double)bw_length(water->gravity)));
    return (int)fmin(ceil(rate * dt), SUBSTEPS_MAX);
}

// Bodies leave through whole sides that let the liquid out, and through no others.
static bool keeps_bodies(const BwBoxSide *side)
{
    return side->part != NULL || (side->kind != BW_WALL_OPEN && side->kind != BW_WALL_OUTFLOW);
}

static BwBodyRoom room_of(BwSceneBodies *bodies, const BwDomain *domain, const BwSceneSolids *solids,
                          double dt)
{
    const BwSceneDef *scene = bodies->scene;
    BwBodyRoom room = {.obstacles = bodies->obstacles,
                       .obstacle_count = scene->obstacle_count,
                       .box = bw_grid_box(domain->grid),
                       .dimension = scene->dimension,
                       .dt = dt};
    for (int n = 0; n < scene->obstacle_count; n++)
        bodies->obstacles[n] =
            (BwBodyObstacle){solids->poses[n].shape, solids->poses[n].pose, solids->poses[n].before};
    for (int side = 0; side < BW_SIDE_COUNT && scene->has_walls; side++)
        room.is_closed[side] = !scene->walls.periodic[side / 2] && keeps_bodies(&domain->side[side]);
    return room;
}

static void kick(BwSceneBodies *bodies, double dt)
{
    for (int n = 0; n < bodies->scene->body_count; n++) {
        const BwBodyLoad *load = &bodies->loads[n];
        if (load->drag.is_any)
            bw_rigid_body_kick_dragged(&bodies->bodies[n], load->force, load->torque, &load->drag, dt);
        else
            bw_rigid_body_kick(&bodies->bodies[n], load->force, load->torque, dt);
    }
}

void bw_scene_bodies_move(BwSceneBodies *bodies, const BwBodyWater *water, const BwSceneSolids *solids,
                          double dt)
{
    if (bodies->scene == NULL)
        return;
    int count = bodies->scene->body_count, steps = substeps_of(bodies, water, dt);
    BwBodyRoom room = room_of(bodies, water->domain, solids, dt);
    BwBodyWater now = *water;
    for (int n = 0; n < count; n++)
        bodies->bodies[n].is_stiff = bodies->bodies[n].damping * dt / steps > 1.001 * slowed_most;
    bw_body_loads(&now, bodies->bodies, count, bodies->loads);
    for (int step = 0; step < steps; step++) {
        kick(bodies, 0.5 * dt / steps);
        for (int n = 0; n < count; n++)
            bw_rigid_body_drift(&bodies->bodies[n], dt / steps);
        now.share = water->share + (step + 1) * (water->share_after - water->share) / steps;
        bw_body_loads(&now, bodies->bodies, count, bodies->loads);
        kick(bodies, 0.5 * dt / steps);
        bw_bodies_collide(bodies->bodies, count, &room);
    }
}

void bw_scene_bodies_show(const BwSceneBodies *bodies, BwSceneSolids *solids, BwFrame *frame)
{
    for (int n = 0; bodies->scene != NULL && n < bodies->scene->body_count; n++) {
        const BwBodyDef *def = &bodies->scene->bodies[n];
        solids->in_frame[frame->solid_count++] =
            (BwFrameSolid){.shape = &def->shape,
                           .pose = bw_rigid_body_pose(&bodies->bodies[n]),
                           .color = {def->color[0], def->color[1], def->color[2]}};
    }
    frame->body_count = bodies->scene != NULL ? bodies->scene->body_count : 0;
}

void bw_scene_bodies_tell(BwSceneBodies *bodies, BwStats *stats)
{
    if (bodies->scene == NULL)
        return;
    for (int n = 0; n < bodies->scene->body_count; n++) {
        const BwRigidBody *body = &bodies->bodies[n];
        BwBodyStats *told = &bodies->told[n];
        memcpy(told->position, body->place, sizeof body->place);
        memcpy(told->velocity, body->velocity, sizeof body->velocity);
        bw_rigid_body_spin(body, told->spin);
        told->wet = bodies->loads[n].wet;
    }
    stats->bodies = bodies->told;
    stats->body_count = bodies->scene->body_count;
}

// With how much of each is wet, which only stats tell: those of a run that goes on are the same too.
BwResult bw_scene_bodies_save(const BwSceneBodies *bodies, BwRecord *record, BwError *err)
{
    void *values;
    if (bodies->scene == NULL)
        return BW_OK;
    BW_TRY(bw_record_add(record, "bodies", BW_RECORD_DOUBLE, bodies->scene->body_count, BW_BODY_NUMBERS + 1,
                         &values, err));
    for (int n = 0; n < bodies->scene->body_count; n++) {
        double *numbers = (double *)values + (size_t)n * (BW_BODY_NUMBERS + 1);
        bw_rigid_body_save(&bodies->bodies[n], numbers);
        numbers[BW_BODY_NUMBERS] = bodies->loads[n].wet;
    }
    return BW_OK;
}

BwResult bw_scene_bodies_load(BwSceneBodies *bodies, const BwRecord *record, BwError *err)
{
    const void *values;
    if (bodies->scene == NULL)
        return BW_OK;
    int64_t rows = bodies->scene->body_count;
    BW_TRY(bw_record_find(record, "bodies", BW_RECORD_DOUBLE, &rows, BW_BODY_NUMBERS + 1, &values, err));
    for (int n = 0; n < bodies->scene->body_count; n++) {
        const double *numbers = (const double *)values + (size_t)n * (BW_BODY_NUMBERS + 1);
        double wet = numbers[BW_BODY_NUMBERS];
        if (!bw_rigid_body_load(&bodies->bodies[n], numbers) || !(wet >= 0.0 && wet <= 1.0 + 1e-6))
            return bw_fail(err, BW_ERR_FORMAT, "\"bodies\" of the state hold what no body can be: body %d",
                           n + 1);
        bodies->loads[n].wet = wet;
    }
    return BW_OK;
}
