// The order in which things are drawn.
#include "picture.h"

#include "seconds.h"

bool picture_create(Picture *picture)
{
    *picture = (Picture){0};
    bool is_made = slice_create(&picture->slice);
    is_made &= volume_draw_create(&picture->volume);
    is_made &= balls_create(&picture->balls);
    is_made &= surface_create(&picture->surface);
    is_made &= dots_create(&picture->dots);
    is_made &= solids_create(&picture->solids);
    is_made &= lines_create(&picture->lines);
    if (epoxy_is_desktop_gl())
        glEnable(GL_PROGRAM_POINT_SIZE);
    return is_made;
}

static void free_target(Picture *picture)
{
    glDeleteFramebuffers(1, &picture->target);
    glDeleteTextures(1, &picture->color);
    glDeleteTextures(1, &picture->depth);
}

void picture_free(Picture *picture)
{
    fields_free(&picture->fields);
    slice_free(&picture->slice);
    volume_draw_free(&picture->volume);
    balls_free(&picture->balls);
    surface_free(&picture->surface);
    dots_free(&picture->dots);
    solids_free(&picture->solids);
    lines_free(&picture->lines);
    free_target(picture);
}

static void make_target(Picture *picture, int width, int height)
{
    if (picture->width == width && picture->height == height)
        return;
    free_target(picture);
    glGenFramebuffers(1, &picture->target);
    picture->color = texture_create_color(width, height);
    picture->depth = texture_create_depth(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, picture->target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, picture->color, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, picture->depth, 0);
    picture->width = width;
    picture->height = height;
}

static BwVec3 light_of(const Stage *stage)
{
    const BwSceneDef *scene = stage_scene(stage);
    BwVec3 light = scene->light_count > 0 ? scene->lights[0].direction : bw_vec3(-0.5f, 1.0f, 0.6f);
    return bw_normalize(light);
}

static View view_of(const Snapshot *snapshot, bool is_new, const Camera *camera)
{
    View view = {.snapshot = snapshot, .camera = camera, .is_new = is_new};
    view.view = camera_view(camera);
    view.projection = camera_projection(camera);
    view.both = matrix_mul(&view.projection, &view.view);
    view.light = light_of(snapshot->stage);
    return view;
}

static bool is_liquid(const View *view)
{
    return stage_scene(view->snapshot->stage)->fluid == BW_FLUID_LIQUID;
}

// Where the ground is under 3-D scenes, as a grid of lines.
static void add_ground(LineDraw *lines, const View *view)
{
    static const float faint[4] = {0.4f, 0.42f, 0.46f, 0.35f};
    BwBox box = stage_box(view->snapshot->stage);
    for (int n = 0; n <= 10; n++) {
        float x = box.low.x + 0.1f * (float)n * (box.high.x - box.low.x);
        float z = box.low.z + 0.1f * (float)n * (box.high.z - box.low.z);
        lines_add(lines, bw_vec3(x, box.low.y, box.low.z), bw_vec3(x, box.low.y, box.high.z), faint);
        lines_add(lines, bw_vec3(box.low.x, box.low.y, z), bw_vec3(box.high.x, box.low.y, z), faint);
    }
}

static void add_scene_lines(LineDraw *lines, const View *view, const Look *look)
{
    static const float edge[4] = {0.6f, 0.63f, 0.68f, 0.6f};
    const BwSceneDef *scene = stage_scene(view->snapshot->stage);
    if (scene->has_walls)
        lines_add_box(lines, stage_box(view->snapshot->stage), edge);
    if (scene->dimension == 3)
        add_ground(lines, view);
    if (look->shows_cells)
        flow_add_cells(lines, view);
}

// Emitters that may be taken hold of.
static void add_emitters(LineDraw *lines, const View *view, const Look *look)
{
    static const float warm[4] = {1.0f, 0.75f, 0.3f, 0.9f};
    const Stage *stage = view->snapshot->stage;
    const BwSceneDef *scene = stage_scene(stage);
    for (int n = 0; n < stage_own_emitters(stage); n++) {
        BwBox box = bw_shape_bounds(&scene->emitters[n].shape);
        BwVec3 offset = n < look->offset_count ? look->emitter_offsets[n] : bw_vec3(0.0f, 0.0f, 0.0f);
        box = (BwBox){bw_add(box.low, offset), bw_add(box.high, offset)};
        if (scene->dimension == 2)
            box.low.z = box.high.z = 0.0f;
        if (isfinite(bw_length(box.low)) && isfinite(bw_length(box.high)))
            lines_add_box(lines, box, warm);
    }
}

static bool shows_slice(const View *view, Show show)
{
    bool is_flat = view->snapshot->dimension == 2;
    if (show == SHOW_PRESSURE || show == SHOW_VORTICITY || show == SHOW_TEMPERATURE)
        return true;
    return is_flat && (show != SHOW_SOFT || is_liquid(view));
}

static void draw_opaque(Picture *picture, const View *view, const Look *look)
{
    const float *back = stage_scene(view->snapshot->stage)->look.background;
    bool is_flat = view->snapshot->dimension == 2;
    float dim = is_flat ? 0.35f : 0.8f;
    glBindFramebuffer(GL_FRAMEBUFFER, picture->target);
    glViewport(0, 0, picture->width, picture->height);
    glClearColor(dim * back[0], dim * back[1], dim * back[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    if (is_flat && shows_slice(view, look->show))
        slice_draw(&picture->slice, view, &picture->fields, look->show);
    if (!is_flat)
        glEnable(GL_DEPTH_TEST);
    add_scene_lines(&picture->lines, view, look);
    lines_flush(&picture->lines, &view->both);
    if (!look->hides_solids)
        solids_draw(&picture->solids, view);
    if (!is_flat && shows_slice(view, look->show))
        slice_draw(&picture->slice, view, &picture->fields, look->show);
    bool has_balls = look->show == SHOW_FLUID || look->show == SHOW_ARROWS || look->show == SHOW_STREAKS;
    if (is_liquid(view) && has_balls)
        balls_draw(&picture->balls, view, BALLS_LIT, 1.0f);
    if (look->show == SHOW_SOFT && !is_liquid(view)) { // what is before them hides them; they hide nothing
        glDepthMask(GL_FALSE);
        dots_draw(&picture->dots, view);
        glDepthMask(GL_TRUE);
    }
}

static void copy_to_window(const Picture *picture)
{
    glBindFramebuffer(GL_READ_FRAMEBUFFER, picture->target);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, picture->width, picture->height, 0, 0, picture->width, picture->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_DEPTH_TEST);
}

static void draw_clear_things(Picture *picture, const View *view, const Look *look)
{
    bool is_deep = view->snapshot->dimension == 3, is_smoke = !is_liquid(view);
    bool has_flow = look->show == SHOW_ARROWS || look->show == SHOW_STREAKS;
    if (look->show == SHOW_SOFT && !is_smoke && is_deep) // in 2-D the level set shows it
        surface_draw(&picture->surface, view, &picture->balls, picture->color, picture->depth, 0);
    if (is_deep && is_smoke && (look->show == SHOW_FLUID || has_flow))
        volume_draw(&picture->volume, view, &picture->fields, picture->depth);
}

static void add_flow(Picture *picture, const View *view, const Look *look)
{
    if (look->show == SHOW_ARROWS)
        flow_add_arrows(&picture->lines, view);
    if (look->show == SHOW_STREAKS)
        flow_add_streaks(&picture->lines, view);
}

void picture_draw(Picture *picture, const Look *look, const Snapshot *snapshot, bool is_new,
                  const Camera *camera, const Pointer *pointer)
{
    static const float ring[4] = {1.0f, 1.0f, 1.0f, 0.5f};
    View view = view_of(snapshot, is_new, camera);
    make_target(picture, camera->width_px, camera->height_px);
    fields_update(&picture->fields, &view);
    balls_update(&picture->balls, &view);
    draw_opaque(picture, &view, look);
    copy_to_window(picture);
    draw_clear_things(picture, &view, look);
    double began = seconds_now();
    add_flow(picture, &view, look);
    if (look->shows_emitters)
        add_emitters(&picture->lines, &view, look);
    if (pointer->is_shown)
        lines_add_ring(&picture->lines, camera, pointer->place, pointer->radius, ring);
    picture->prepare_seconds = seconds_now() - began + picture->fields.own_seconds;
    picture->prepare_seconds += look->show == SHOW_SOFT ? picture->dots.own_seconds : 0.0;
    lines_flush(&picture->lines, &view.both);
}
