// Smoke that a program stirs: live [STEPS]. A paddle is moved before every step, as a player would move it;
// the run is drawn as text, and then replayed from its events to the same bits.
#include <billow/billow.h>

#include <stdio.h>
#include <stdlib.h>

static BwWorld *make_world(BwError *err)
{
    BwSceneDef scene = bw_scene_def_default();
    scene.dimension = 2;
    scene.cell = 1.0f / 48;
    scene.has_walls = true;
    scene.walls = bw_walls_def_default();
    scene.walls.max = bw_vec3(1.0f, 1.0f, 0.0f);

    BwEmitterDef fire = bw_emitter_def_default();
    fire.shape = bw_box(bw_vec3(0.4f, 0.0f, -1.0f), bw_vec3(0.6f, 0.05f, 1.0f));
    fire.density = bw_curve_number(1.0f);
    fire.temperature = bw_curve_number(600.0f);
    scene.emitters = &fire;
    scene.emitter_count = 1;

    BwObstacleDef paddle = bw_obstacle_def_default();
    paddle.shape = bw_box(bw_vec3(-0.15f, -0.03f, -1.0f), bw_vec3(0.15f, 0.03f, 1.0f));
    paddle.motion.position = bw_curve_vector(0.5f, 0.6f, 0.0f);
    scene.obstacles = &paddle;
    scene.obstacle_count = 1;

    BwWorldDef def = bw_world_def_default();
    def.scene = &scene; // the world copies it
    BwWorld *world;
    return bw_world_create(&world, &def, err) == BW_OK ? world : NULL;
}

// What a player does: the paddle swings to and fro, and the fire goes out in the end.
static BwResult play(BwWorld *world, int step, int step_count, BwError *err)
{
    float phase = 0.12f * (float)step;
    BwPose pose = {{0.5f + 0.25f * sinf(phase), 0.6f, 0.0f},
                   bw_quat_turn(bw_vec3(0.0f, 0.0f, 1.0f), 0.6f * sinf(phase))};
    BwResult result = bw_world_set_obstacle_pose(world, bw_world_obstacle(world, 0), pose, err);
    if (result == BW_OK && step == 2 * step_count / 3)
        result = bw_world_set_emitter_on(world, bw_world_emitter(world, 0), false, err);
    return result == BW_OK ? bw_world_step(world, 1.0 / 30.0, NULL, err) : result;
}

static float value_at(const BwFrame *frame, const char *name, int i, int j)
{
    const BwFrameField *field = bw_frame_field(frame, name);
    BwTileCoord coord = {i / BW_TILE, j / BW_TILE, 0};
    int32_t tile = bw_frame_find_tile(frame, coord);
    int cell = i % BW_TILE + BW_TILE * (j % BW_TILE);
    return tile < 0 ? field->background : field->values[tile * BW_TILE * BW_TILE + cell];
}

static void draw(const BwFrame *frame)
{
    static const char shades[] = " .:-=+*%@";
    printf("t = %.2f s\n", frame->time);
    for (int j = 46; j >= 0; j -= 2) {
        for (int i = 0; i < 48; i++) {
            int shade = (int)(8.9f * value_at(frame, "density", i, j));
            putchar(value_at(frame, "solid", i, j) > 0.0f ? '#'
                                                          : shades[shade < 0   ? 0
                                                                   : shade > 8 ? 8
                                                                               : shade]);
        }
        putchar('\n');
    }
}

int main(int argument_count, char **arguments)
{
    int steps = argument_count > 1 ? atoi(arguments[1]) : 90;
    BwError err = {BW_OK, ""};
    BwWorld *world = make_world(&err), *again = world != NULL ? make_world(&err) : NULL;
    BwResult result = again != NULL ? BW_OK : err.code;
    for (int step = 0; step < steps && result == BW_OK; step++) {
        result = play(world, step, steps, &err);
        const BwFrame *frame = result == BW_OK ? bw_world_view_frame(world, &err) : NULL;
        if (frame != NULL && (step + 1) % 15 == 0)
            draw(frame);
    }
    BwEvents events = bw_world_view_events(world);
    if (result == BW_OK)
        result = bw_world_replay(again, &events, steps, NULL, &err);
    if (result == BW_OK)
        printf("%lld events replayed: %s\n", (long long)events.count,
               bw_frame_hash(bw_world_view_frame(world, &err)) ==
                       bw_frame_hash(bw_world_view_frame(again, &err))
                   ? "the same bits"
                   : "other bits");
    else
        fprintf(stderr, "live: %s\n", err.message);
    bw_world_destroy(world);
    bw_world_destroy(again);
    return result == BW_OK ? 0 : 1;
}
