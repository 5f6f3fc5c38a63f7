// A hand that draws into smoke: stroke [STEPS]. Between steps a spare emitter is put along the way that the
// hand went, and a spare force pushes the air along: a stroke without gaps, however fast the hand. Drawn as
// text.
#include <billow/billow.h>

#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 48 };

// Spares never begin: a program switches them on.
static BwWorld *make_world(BwError *err)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.fluid = BW_FLUID_STABLE;
    scene.dimension = 2;
    scene.cell = 1.0f / CELLS;
    scene.has_walls = true;
    scene.walls = bw_walls_def_default();
    scene.walls.max = bw_vec3(1.0f, 1.0f, 0.0f);
    BwEmitterDef brush = bw_emitter_def_default();
    brush.shape = bw_sphere(bw_vec3(0.5f, 0.5f, 0.0f), 0.05f);
    brush.density = bw_curve_number(1.0f);
    brush.start = (double)INFINITY;
    BwForceDef push = bw_force_def_default();
    push.shape = brush.shape;
    push.acceleration = bw_curve_vector(0.0f, 0.0f, 0.0f);
    push.start = (double)INFINITY;
    scene.emitters = &brush;
    scene.forces = &push;
    scene.emitter_count = scene.force_count = 1;
    BwWorldDef def = bw_world_def_default();
    def.scene = &scene; // the world copies it
    BwWorld *world;
    return bw_world_create(&world, &def, err) == BW_OK ? world : NULL;
}

// Where the hand is: a loop in ten steps, faster than its brush is wide.
static BwVec3 hand_at(int step)
{
    float turn = 0.63f * (float)step;
    return bw_vec3(0.5f + 0.3f * cosf(turn), 0.5f + 0.25f * sinf(2.0f * turn), 0.0f);
}

static BwResult draw_and_step(BwWorld *world, int step, double dt, BwError *err)
{
    BwEmitterId brush = bw_world_emitter(world, 0);
    BwForceId push = bw_world_force(world, 0);
    BwVec3 from = hand_at(step), to = hand_at(step + 1);
    bool is_down = step % 20 < 10; // it draws, and rests
    BwResult result = bw_world_set_emitter_on(world, brush, is_down, err);
    if (result == BW_OK)
        result = bw_world_set_force_on(world, push, is_down, err);
    if (result == BW_OK)
        result = bw_world_set_emitter_capsule(world, brush, from, to, 0.04f, err);
    if (result == BW_OK)
        result = bw_world_set_force_capsule(world, push, from, to, 0.04f, err);
    if (result == BW_OK) // half of the hand's speed in one step
        result = bw_world_set_force_acceleration(world, push,
                                                 bw_mul(bw_sub(to, from), (float)(0.5 / dt / dt)), err);
    return result == BW_OK ? bw_world_step(world, dt, NULL, err) : result;
}

static BwResult show(BwWorld *world, BwError *err)
{
    static const char shades[] = " .:-=+*%@";
    static float values[CELLS * CELLS];
    const int32_t low[3] = {0, 0, 0}, high[3] = {CELLS, CELLS, 1};
    const BwFrame *frame = bw_world_view_frame(world, err);
    if (frame == NULL ||
        bw_frame_copy_dense(frame, "density", low, high, values, CELLS * CELLS, err) != BW_OK)
        return err->code;
    printf("t = %.2f s\n", frame->time);
    for (int j = CELLS - 2; j >= 0; j -= 2) {
        for (int i = 0; i < CELLS; i++)
            putchar(shades[(int)(8.9f * fminf(fmaxf(values[i + CELLS * j], 0.0f), 1.0f))]);
        putchar('\n');
    }
    return BW_OK;
}

int main(int argument_count, char **arguments)
{
    int steps = argument_count > 1 ? atoi(arguments[1]) : 60;
    BwError err = {BW_OK, ""};
    BwWorld *world = make_world(&err);
    BwResult result = world != NULL ? BW_OK : err.code;
    for (int step = 0; step < steps && result == BW_OK; step++) {
        result = draw_and_step(world, step, 1.0 / 60.0, &err);
        if (result == BW_OK && (step + 1) % 10 == 0)
            result = show(world, &err);
    }
    if (result != BW_OK)
        fprintf(stderr, "stroke: %s\n", err.message);
    bw_world_destroy(world);
    return result == BW_OK ? 0 : 1;
}
