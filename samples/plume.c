// A plume past a ball without a scene file, as a movie: plume [FILE] [FRAMES] [CELLS A METRE].
#include <billow/billow.h>

#include <stdio.h>
#include <stdlib.h>

static BwResult add_frame(BwWorld *world, BwRenderer *renderer, BwMovie *movie, BwError *err)
{
    if (bw_world_step_frame(world, NULL, err) != BW_OK)
        return err->code;
    const BwFrame *frame = bw_world_view_frame(world, err);
    const BwImage *image = frame != NULL ? bw_renderer_draw(renderer, frame, err) : NULL;
    return image != NULL ? bw_movie_add(movie, image, err) : err->code;
}

int main(int count, char **words)
{
    const char *path = count > 1 ? words[1] : "plume.mp4";
    int frames = count > 2 ? atoi(words[2]) : 120;
    BwEmitterDef vent = bw_emitter_def_default();
    vent.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .a = bw_vec3(0.5f, 0.15f, 0.5f), .radius = 0.1f};
    vent.density = bw_curve_number(1.0f);
    vent.temperature = bw_curve_number(400.0f);
    BwObstacleDef ball = bw_obstacle_def_default();
    ball.shape = (BwShape){.kind = BW_SHAPE_SPHERE, .a = bw_vec3(0.5f, 1.0f, 0.5f), .radius = 0.15f};

    BwSceneDef scene = bw_scene_def_default();
    scene.cell = 1.0f / (count > 3 ? (float)atoi(words[3]) : 48.0f);
    scene.has_walls = true;
    scene.walls = bw_walls_def_default();
    scene.walls.max = bw_vec3(1.0f, 2.0f, 1.0f);
    scene.walls.side[BW_TOP].kind = BW_WALL_OPEN;
    scene.emitters = &vent, scene.emitter_count = 1;
    scene.obstacles = &ball, scene.obstacle_count = 1;

    BwWorldDef world_def = bw_world_def_default();
    BwRendererDef renderer_def = bw_renderer_def_default();
    world_def.scene = renderer_def.scene = &scene;
    BwWorld *world = NULL;
    BwRenderer *renderer = NULL;
    BwMovie *movie = NULL;
    BwError err = {0};
    BwResult result = bw_world_create(&world, &world_def, &err);
    if (result == BW_OK)
        result = bw_renderer_create(&renderer, &renderer_def, &err);
    if (result == BW_OK)
        result = bw_movie_begin(&movie, path, scene.output.width, scene.output.height, scene.fps, &err);
    for (int n = 0; n < frames && result == BW_OK; n++)
        result = add_frame(world, renderer, movie, &err);
    if (result == BW_OK)
        result = bw_movie_finish(movie, &err);
    else
        bw_movie_abandon(movie);
    fprintf(stderr, "plume: %s\n", result == BW_OK ? path : err.message);
    bw_renderer_destroy(renderer);
    bw_world_destroy(world);
    return result == BW_OK ? 0 : 1;
}
