// Keys and mouse: from what happened to what it means.
#define GLFW_INCLUDE_NONE
#include "viewer_state.h"

#include "seconds.h"

#include <GLFW/glfw3.h>
#include <stdio.h>

static void set_tool(Viewer *viewer, Tool tool)
{
    const Stage *stage = viewer->stage;
    if (tool == TOOL_MOVE || (stage != NULL && stage_has_brush(stage, (Brush)tool)))
        viewer->tool = tool;
}

static void on_digit(Viewer *viewer, int digit)
{
    if (digit >= 1 && digit <= SHOW_COUNT)
        viewer_show(viewer, (Show)(digit - 1));
    if (digit == 8)
        viewer->look.shows_cells = !viewer->look.shows_cells;
    if (digit == 9)
        viewer->look.hides_solids = !viewer->look.hides_solids;
}

// Of a recorded run: the frame before or after.
static void scrub_by(Viewer *viewer, int way)
{
    const Recording *recording = viewer->def.simulation.recording;
    if (recording == NULL || viewer->snapshot == NULL)
        return;
    int count = recording->frame_count + 1, frame = (int)viewer->snapshot->steps + way;
    simulation_pause(viewer->simulation, true);
    simulation_scrub(viewer->simulation, (frame + count) % count);
}

static void toggle_movie(Viewer *viewer)
{
    BwError err = {0};
    int width, height;
    viewer_size(viewer, &width, &height);
    if (capture_toggle_movie(&viewer->capture, width, height, &err) != BW_OK)
        snprintf(viewer->capture.told, sizeof viewer->capture.told, "%s", err.message);
}

static void restart(Viewer *viewer)
{
    for (int n = 0; n < EMITTERS_MOVED_MAX; n++)
        viewer->hand.offsets[n] = bw_vec3(0.0f, 0.0f, 0.0f);
    if (viewer->stage != NULL)
        viewer_add_sliders(viewer); // as the scene has them
    simulation_restart(viewer->simulation);
}

static void on_control_key(Viewer *viewer, int key)
{
    switch (key) {
    case GLFW_KEY_SPACE:
        simulation_pause(viewer->simulation, !simulation_is_paused(viewer->simulation));
        break;
    case GLFW_KEY_PERIOD:
        simulation_pause(viewer->simulation, true);
        simulation_step(viewer->simulation);
        break;
    case GLFW_KEY_R:
        restart(viewer);
        break;
    case GLFW_KEY_LEFT:
        scrub_by(viewer, -1);
        break;
    case GLFW_KEY_RIGHT:
        scrub_by(viewer, 1);
        break;
    case GLFW_KEY_ESCAPE:
    case GLFW_KEY_Q:
        viewer->is_closing = true;
        break;
    default:
        break;
    }
}

static void on_window_key(Viewer *viewer, int key)
{
    switch (key) {
    case GLFW_KEY_H:
        viewer->shows_help = !viewer->shows_help;
        break;
    case GLFW_KEY_P:
        viewer->panel.is_shown = !viewer->panel.is_shown;
        break;
    case GLFW_KEY_I:
        viewer->hides_texts = !viewer->hides_texts;
        break;
    case GLFW_KEY_C:
        capture_name(viewer->capture.png, sizeof viewer->capture.png, "png");
        break;
    case GLFW_KEY_V:
        toggle_movie(viewer);
        break;
    case GLFW_KEY_O:
        if (viewer->stage != NULL)
            camera_frame(&viewer->camera, viewer->stage);
        break;
    case GLFW_KEY_F11:
        window_toggle_full_screen(viewer->window);
        break;
    default:
        break;
    }
}

static void on_tool_key(Viewer *viewer, int key)
{
    static const struct {
        int key;
        Tool tool;
    } tools[] = {{GLFW_KEY_S, TOOL_SMOKE},
                 {GLFW_KEY_F, TOOL_PUSH},
                 {GLFW_KEY_W, TOOL_WATER},
                 {GLFW_KEY_T, TOOL_HEAT},
                 {GLFW_KEY_M, TOOL_MOVE}};
    for (size_t n = 0; n < sizeof tools / sizeof *tools; n++)
        if (tools[n].key == key)
            set_tool(viewer, tools[n].tool);
    viewer->look.shows_emitters = viewer->tool == TOOL_MOVE;
}

void viewer_on_key(Viewer *viewer, int key)
{
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9)
        on_digit(viewer, key - GLFW_KEY_0);
    on_control_key(viewer, key);
    on_window_key(viewer, key);
    on_tool_key(viewer, key);
}

// Where the mouse is in the plane that it moves in.
static BwVec3 hand_point(const Viewer *viewer)
{
    return camera_point(&viewer->camera, viewer->hand.x, viewer->hand.y, viewer->hand.depth);
}

static BwVec3 middle_of(const Stage *stage)
{
    BwBox box = stage_box(stage);
    return bw_mul(bw_add(box.low, box.high), 0.5f);
}

// The share of the ray after which it meets a shape in a pose; above 1: not.
static float meet(const Viewer *viewer, const BwShape *shape, BwPose pose)
{
    BwVec3 from, along, point = hand_point(viewer);
    if (viewer->camera.is_flat)
        return bw_shape_distance(shape, bw_pose_to_local(pose, point)) <= 0.0f ? 0.0f : 2.0f;
    camera_ray(&viewer->camera, viewer->hand.x, viewer->hand.y, &from, &along);
    BwVec3 to = bw_add(from, bw_mul(along, viewer->camera.reach));
    return bw_shape_meet(shape, bw_pose_to_local(pose, from), bw_pose_to_local(pose, to),
                         1e-3f * viewer->camera.distance);
}

static bool take_obstacle(Viewer *viewer)
{
    const Snapshot *snapshot = viewer->snapshot;
    const BwSceneDef *scene = stage_scene(snapshot->stage);
    float nearest = 1.5f;
    Hand *hand = &viewer->hand;
    for (int n = 0; n < snapshot->solid_count && n < scene->obstacle_count; n++) {
        float share =
            snapshot->is_removed[n] ? 2.0f : meet(viewer, &scene->obstacles[n].shape, snapshot->poses[n]);
        if (share >= nearest)
            continue;
        nearest = share;
        hand->number = n;
    }
    if (nearest > 1.0f)
        return false;
    hand->pose = snapshot->poses[hand->number];
    hand->depth = viewer->camera.is_flat ? hand->depth : hand->pose.position;
    hand->grip = bw_sub(hand->pose.position, hand_point(viewer));
    return true;
}

static bool take_emitter(Viewer *viewer)
{
    const Stage *stage = viewer->snapshot->stage;
    Hand *hand = &viewer->hand;
    for (int n = 0; n < stage_own_emitters(stage) && n < EMITTERS_MOVED_MAX; n++) {
        BwPose pose = {hand->offsets[n], bw_quat_identity()};
        if (meet(viewer, &stage_scene(stage)->emitters[n].shape, pose) > 1.0f)
            continue;
        hand->number = n;
        hand->grip = bw_sub(hand->offsets[n], hand_point(viewer));
        return true;
    }
    return false;
}

static void draw_stroke(Viewer *viewer, bool is_first)
{
    Hand *hand = &viewer->hand;
    BwVec3 point = hand_point(viewer);
    double seconds = seconds_now();
    simulation_draw(viewer->simulation, hand->brush, point, seconds, is_first);
    if (hand->brush == BRUSH_SMOKE) // smoke is dragged along
        simulation_draw(viewer->simulation, BRUSH_PUSH, point, seconds, is_first);
}

static void begin_stroke(Viewer *viewer, Brush brush)
{
    if (!stage_has_brush(viewer->stage, brush) || viewer->def.simulation.recording != NULL)
        return;
    viewer->hand.drag = DRAG_BRUSH;
    viewer->hand.brush = brush;
    draw_stroke(viewer, true);
}

static void set_slider(Viewer *viewer)
{
    Slider *slider = &viewer->panel.list[viewer->hand.number];
    slider->value = panel_value(&viewer->panel, viewer->hand.number, viewer->hand.x);
    viewer_set_number(viewer, viewer->hand.number, slider->value);
}

static void scrub(Viewer *viewer)
{
    int last = viewer->def.simulation.recording->frame_count;
    simulation_scrub(viewer->simulation, player_bar_frame(viewer->camera.width_px, viewer->hand.x, last));
}

// Sliders and bars lie over the picture, and are asked first.
static bool press_controls(Viewer *viewer)
{
    Hand *hand = &viewer->hand;
    int slider = panel_find(&viewer->panel, hand->x, hand->y);
    if (slider >= 0) {
        hand->drag = DRAG_SLIDER;
        hand->number = slider;
        set_slider(viewer);
        return true;
    }
    if (viewer->def.simulation.recording != NULL &&
        player_bar_has(viewer->camera.width_px, viewer->camera.height_px, hand->x, hand->y)) {
        hand->drag = DRAG_SCRUB;
        simulation_pause(viewer->simulation, true);
        scrub(viewer);
        return true;
    }
    return false;
}

static void press_left(Viewer *viewer)
{
    bool is_live = viewer->def.simulation.recording == NULL;
    if (press_controls(viewer))
        return;
    if (is_live && viewer->tool == TOOL_MOVE && take_emitter(viewer))
        viewer->hand.drag = DRAG_EMITTER;
    else if (is_live && !viewer->look.hides_solids && take_obstacle(viewer))
        viewer->hand.drag = DRAG_OBSTACLE;
    else if (is_live && viewer->tool != TOOL_MOVE)
        begin_stroke(viewer, (Brush)viewer->tool);
    else if (!viewer->camera.is_flat)
        viewer->hand.drag = DRAG_ORBIT;
}

void viewer_on_button(Viewer *viewer, int button, bool is_down)
{
    Hand *hand = &viewer->hand;
    if (!is_down && hand->drag == DRAG_BRUSH)
        simulation_lift(viewer->simulation);
    hand->drag = DRAG_NONE;
    if (!is_down || viewer->snapshot == NULL || viewer->stage == NULL)
        return;
    hand->depth = middle_of(viewer->stage);
    if (button == 0)
        press_left(viewer);
    else if (button == 1 && viewer->camera.is_flat)
        begin_stroke(viewer, BRUSH_PUSH);
    else
        hand->drag = button == 1 ? DRAG_ORBIT : DRAG_PAN;
}

static void drag_obstacle(Viewer *viewer)
{
    BwPose pose = viewer->hand.pose;
    pose.position = bw_add(hand_point(viewer), viewer->hand.grip);
    simulation_move_obstacle(viewer->simulation, viewer->hand.number, pose);
}

static void drag_emitter(Viewer *viewer)
{
    Hand *hand = &viewer->hand;
    hand->offsets[hand->number] = bw_add(hand_point(viewer), hand->grip);
    simulation_move_emitter(viewer->simulation, hand->number, hand->offsets[hand->number]);
}

void viewer_on_cursor(Viewer *viewer, double x_px, double y_px)
{
    Hand *hand = &viewer->hand;
    float dx = (float)(x_px - hand->x), dy = (float)(y_px - hand->y);
    hand->x = x_px;
    hand->y = y_px;
    switch (hand->drag) {
    case DRAG_BRUSH:
        draw_stroke(viewer, false);
        break;
    case DRAG_OBSTACLE:
        drag_obstacle(viewer);
        break;
    case DRAG_EMITTER:
        drag_emitter(viewer);
        break;
    case DRAG_ORBIT:
        camera_orbit(&viewer->camera, dx, dy);
        break;
    case DRAG_PAN:
        camera_pan(&viewer->camera, dx, dy);
        break;
    case DRAG_SLIDER:
        set_slider(viewer);
        break;
    case DRAG_SCRUB:
        scrub(viewer);
        break;
    default:
        break;
    }
}

void viewer_on_scroll(Viewer *viewer, double notches)
{
    camera_zoom(&viewer->camera, (float)notches);
}

void viewer_on_size(Viewer *viewer, int width_px, int height_px)
{
    if (width_px > 0 && height_px > 0) { // 0 while it is put away
        viewer->camera.width_px = width_px;
        viewer->camera.height_px = height_px;
    }
}

void viewer_on_close(Viewer *viewer)
{
    viewer->is_closing = true;
}
