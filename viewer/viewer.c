// The viewer's life, and the making of a picture.
#include "viewer_state.h"

#include "seconds.h"

#include <stdio.h>
#include <stdlib.h>

static const float letter_px = 13.0f;

ViewerDef viewer_def_default(void)
{
    return (ViewerDef){.width = 960, .height = 720};
}

static BwResult open_window(Viewer *viewer, BwError *err)
{
    const ViewerDef *def = &viewer->def;
    WindowDef window = {.title = def->title != NULL ? def->title : "Billow",
                        .width = def->width,
                        .height = def->height,
                        .is_hidden = def->is_hidden,
                        .viewer = viewer};
    BwResult result = window_create(&viewer->window, &window, err);
    if (result != BW_OK)
        return result;
    window_pixels(viewer->window, &viewer->camera.width_px, &viewer->camera.height_px);
    int letters = (int)(letter_px * window_scale(viewer->window) + 0.5f);
    if (picture_create(&viewer->picture) && overlay_create(&viewer->overlay, letters))
        return BW_OK;
    *err = (BwError){BW_ERR_BACKEND, "this OpenGL takes the viewer's shaders not; see above"};
    return BW_ERR_BACKEND;
}

BwResult viewer_create(Viewer **out, const ViewerDef *def, BwError *err)
{
    Viewer *viewer = calloc(1, sizeof *viewer);
    *out = NULL;
    if (viewer == NULL) {
        *err = (BwError){BW_ERR_MEMORY, "out of memory for the window"};
        return BW_ERR_MEMORY;
    }
    viewer->def = *def;
    viewer->watch = watch_begin(def->simulation.recording == NULL ? def->simulation.stage.path : NULL);
    BwResult result = open_window(viewer, err);
    if (result == BW_OK)
        result = simulation_create(&viewer->simulation, &def->simulation, err);
    if (result != BW_OK) {
        viewer_destroy(viewer, NULL);
        return result;
    }
    viewer->look.emitter_offsets = viewer->hand.offsets;
    viewer->look.offset_count = EMITTERS_MOVED_MAX;
    viewer_show(viewer, SHOW_FLUID);
    *out = viewer;
    return BW_OK;
}

BwResult viewer_destroy(Viewer *viewer, BwError *err)
{
    if (viewer == NULL)
        return BW_OK;
    BwResult result = capture_end(&viewer->capture, err);
    BwResult end = simulation_destroy(viewer->simulation, err);
    stage_release(viewer->stage);
    if (viewer->window != NULL) {
        picture_free(&viewer->picture);
        overlay_free(&viewer->overlay);
    }
    window_destroy(viewer->window);
    free(viewer->capture.pixels);
    free(viewer->capture.rows);
    free(viewer);
    return result == BW_OK ? end : result;
}

void viewer_show(Viewer *viewer, Show show)
{
    viewer->look.show = show;
    simulation_want(viewer->simulation, look_channels(&viewer->look));
}

// A brush that the fluid has.
static void choose_tool(Viewer *viewer)
{
    if (viewer->tool == TOOL_MOVE || stage_has_brush(viewer->stage, (Brush)viewer->tool))
        return;
    viewer->tool = stage_has_brush(viewer->stage, BRUSH_WATER) ? TOOL_WATER : TOOL_SMOKE;
}

// Another scene came on the stage. A scene that was edited keeps the camera.
static void take_stage(Viewer *viewer)
{
    Stage *stage = viewer->snapshot->stage, *last = viewer->stage;
    if (stage == last)
        return;
    char title[300];
    viewer->stage = stage_share(stage);
    if (last == NULL || stage_scene(last)->dimension != stage_scene(stage)->dimension)
        camera_frame(&viewer->camera, stage);
    stage_release(last);
    choose_tool(viewer);
    viewer_add_sliders(viewer);
    snprintf(title, sizeof title, "%s - Billow", stage_scene(stage)->title);
    window_set_title(viewer->window, title);
}

static Pointer pointer_of(const Viewer *viewer)
{
    bool is_brush = viewer->tool != TOOL_MOVE && viewer->def.simulation.recording == NULL;
    BwBox box = stage_box(viewer->stage);
    BwVec3 middle = bw_mul(bw_add(box.low, box.high), 0.5f);
    return (Pointer){is_brush && !viewer->hides_texts,
                     camera_point(&viewer->camera, viewer->hand.x, viewer->hand.y, middle),
                     stage_brush_radius(viewer->stage)};
}

static void draw_picture(Viewer *viewer)
{
    int width = viewer->camera.width_px, height = viewer->camera.height_px;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, width, height);
    if (viewer->snapshot == NULL) {
        glClearColor(0.06f, 0.07f, 0.09f, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    } else {
        Pointer pointer = pointer_of(viewer);
        picture_draw(&viewer->picture, &viewer->look, viewer->snapshot, viewer->is_new, &viewer->camera,
                     &pointer);
    }
    overlay_flush(&viewer->overlay, width, height);
    viewer->errors += program_check_errors("a picture");
}

static void take_capture(Viewer *viewer)
{
    BwError err = {0};
    if (capture_take(&viewer->capture, viewer->camera.width_px, viewer->camera.height_px, viewer->is_new,
                     &err) != BW_OK)
        snprintf(viewer->capture.told, sizeof viewer->capture.told, "%s", err.message);
}

static void count_pictures(Viewer *viewer, double now)
{
    double seconds = now - viewer->last_second;
    volume_draw_adapt(&viewer->picture.volume, seconds);
    if (viewer->last_second > 0.0 && seconds > 0.0)
        viewer->frames_per_second += 0.1 * (1.0 / seconds - viewer->frames_per_second);
    viewer->last_second = now;
}

bool viewer_frame(Viewer *viewer)
{
    double began = seconds_now();
    count_pictures(viewer, began);
    window_poll(viewer->window);
    if (watch_has_changed(&viewer->watch, began))
        simulation_reload(viewer->simulation);
    viewer->snapshot = simulation_view(viewer->simulation, &viewer->is_new);
    if (viewer->snapshot != NULL)
        take_stage(viewer);
    hud_add(viewer);
    double prepared = seconds_now();
    draw_picture(viewer);
    take_capture(viewer);
    window_swap(viewer->window);
    viewer->own_seconds = prepared - began + viewer->picture.prepare_seconds;
    return !viewer->is_closing;
}

Simulation *viewer_simulation(Viewer *viewer)
{
    return viewer->simulation;
}

const Snapshot *viewer_snapshot(const Viewer *viewer)
{
    return viewer->snapshot;
}

void viewer_pixel_of(const Viewer *viewer, BwVec3 point, double *x_px, double *y_px)
{
    Matrix view = camera_view(&viewer->camera), projection = camera_projection(&viewer->camera);
    Matrix both = matrix_mul(&projection, &view);
    const float p[4] = {point.x, point.y, point.z, 1.0f};
    float clip[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++)
            clip[row] += both.m[4 * k + row] * p[k];
    *x_px = (0.5 + 0.5 * (double)(clip[0] / clip[3])) * viewer->camera.width_px;
    *y_px = (0.5 - 0.5 * (double)(clip[1] / clip[3])) * viewer->camera.height_px;
}

void viewer_size(const Viewer *viewer, int *width_px, int *height_px)
{
    *width_px = viewer->camera.width_px;
    *height_px = viewer->camera.height_px;
}

int viewer_errors(const Viewer *viewer)
{
    return viewer->errors;
}

double viewer_own_seconds(const Viewer *viewer)
{
    return viewer->own_seconds;
}

BwResult viewer_capture(Viewer *viewer, const char *path, BwError *err)
{
    snprintf(viewer->capture.png, sizeof viewer->capture.png, "%s", path);
    viewer_frame(viewer);
    bool is_written = strncmp(viewer->capture.told, "wrote ", 6) == 0;
    if (!is_written)
        snprintf(err->message, sizeof err->message, "%s", viewer->capture.told);
    return is_written ? BW_OK : BW_ERR_FILE;
}

void viewer_resize(Viewer *viewer, int width, int height)
{
    window_set_size(viewer->window, width, height);
}
