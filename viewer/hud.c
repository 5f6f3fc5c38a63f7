// What is written over the picture.
#include "viewer_state.h"

#include <stdio.h>

static const Paint ink = {0.93f, 0.95f, 0.97f, 1.0f}, faint = {0.7f, 0.74f, 0.78f, 0.95f};
static const Paint back = {0.02f, 0.025f, 0.04f, 0.8f};

static const char help_text[] = "left drag    draw with the brush; on an obstacle: move it\n"
                                "right drag   2-D: push the fluid; 3-D: turn the camera\n"
                                "middle drag  move the camera    wheel  zoom    o  reset\n"
                                "s f w t      brush: smoke, force, water, temperature\n"
                                "m            move emitters (marked) and obstacles\n"
                                "1  fluid     2  soft dots, or the surface of water\n"
                                "3  arrows    4  streaks   5  pressure   6  vorticity\n"
                                "7  temperature   8  tiles and cells   9  obstacles\n"
                                "space pause  .  one step  r  restart\n"
                                "left, right  frames of a recorded run\n"
                                "p  sliders   i  texts     c  picture    v  movie\n"
                                "F11  full screen          h  this help  q  close";

static float line_height(const Viewer *viewer)
{
    return (float)viewer->overlay.letter_height;
}

// A line with a dark ground.
static void add_line(Viewer *viewer, float x, float y, const char *text, Paint paint)
{
    Overlay *overlay = &viewer->overlay;
    float width = (float)(strlen(text) * (size_t)overlay->letter_width);
    overlay_rectangle(overlay, x - 4.0f, y, width + 8.0f, line_height(viewer),
                      (Paint){0.0f, 0.0f, 0.0f, 0.4f});
    overlay_text(overlay, x, y, text, paint);
}

static void add_stages(Viewer *viewer, const BwStats *stats, float y)
{
    for (int n = 0; n < stats->stage_count; n++) {
        char text[80];
        snprintf(text, sizeof text, "  %-11s %6.2f ms", stats->stages[n].name,
                 1e3 * stats->stages[n].seconds);
        add_line(viewer, 10.0f, y, text, faint);
        y += line_height(viewer);
    }
}

static void add_times(Viewer *viewer)
{
    const Snapshot *s = viewer->snapshot;
    char text[200];
    float y = 8.0f;
    snprintf(text, sizeof text, "%s", stage_scene(s->stage)->title);
    add_line(viewer, 10.0f, y, text, ink);
    y += line_height(viewer);
    snprintf(text, sizeof text, "%.2f s  step %lld  %.0f pictures/s", s->time, (long long)s->steps,
             viewer->frames_per_second);
    add_line(viewer, 10.0f, y, text, faint);
    y += line_height(viewer);
    if (viewer->def.simulation.recording != NULL)
        return;
    snprintf(text, sizeof text, "solver %.1f ms in %d steps", 1e3 * s->stats.seconds, s->stats.steps);
    add_line(viewer, 10.0f, y, text, faint);
    add_stages(viewer, &s->stats, y + line_height(viewer));
}

static void add_state(Viewer *viewer)
{
    static const char *const tools[] = {"smoke", "force", "water", "heat", "move"};
    char text[200];
    bool is_live = viewer->def.simulation.recording == NULL;
    float y = (float)viewer->camera.height_px - line_height(viewer) - (is_live ? 8.0f : 60.0f);
    snprintf(text, sizeof text, "%s%s%s%s%s%s   h help", show_name(viewer->look.show),
             is_live ? "   brush: " : "", is_live ? tools[viewer->tool] : "",
             simulation_is_paused(viewer->simulation) ? "   paused" : "",
             simulation_is_replaying(viewer->simulation) ? "   replaying" : "",
             viewer->capture.movie != NULL ? "   filming" : "");
    add_line(viewer, 10.0f, y, text, ink);
    if (viewer->capture.told[0] != '\0')
        add_line(viewer, 10.0f, y - line_height(viewer), viewer->capture.told, faint);
}

// Lines as long as the window is wide.
static void wrap(char *text, size_t columns)
{
    size_t length = 0;
    char *space = NULL;
    for (char *c = text; *c != '\0'; c++, length++) {
        if (*c == ' ')
            space = c;
        if (*c == '\n')
            length = 0;
        if (length >= columns && space != NULL) {
            *space = '\n';
            length = (size_t)(c - space);
            space = NULL;
        }
    }
}

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void add_sheet(Viewer *viewer, const char *text, Paint ground, Paint paint)
{
    float height = line_height(viewer) * (float)count_lines(text) + 24.0f;
    float width = (float)viewer->camera.width_px, y = 0.5f * ((float)viewer->camera.height_px - height);
    overlay_rectangle(&viewer->overlay, 0.0f, y, width, height, ground);
    overlay_text(&viewer->overlay, 24.0f, y + 12.0f, text, paint);
}

static void add_trouble(Viewer *viewer)
{
    char text[1100];
    if (!simulation_trouble(viewer->simulation, text, sizeof text))
        return;
    wrap(text, (size_t)(viewer->camera.width_px / viewer->overlay.letter_width - 6));
    add_sheet(viewer, text, (Paint){0.35f, 0.04f, 0.04f, 0.92f}, ink);
}

void hud_add(Viewer *viewer)
{
    const Recording *recording = viewer->def.simulation.recording;
    if (viewer->snapshot != NULL && !viewer->hides_texts) {
        add_times(viewer);
        add_state(viewer);
    }
    if (viewer->snapshot != NULL && recording != NULL)
        player_bar_draw(&viewer->overlay, viewer->camera.width_px, viewer->camera.height_px,
                        (int)viewer->snapshot->steps, recording->frame_count);
    panel_place(&viewer->panel, &viewer->overlay, viewer->camera.width_px);
    panel_draw(&viewer->panel, &viewer->overlay);
    if (viewer->shows_help)
        add_sheet(viewer, help_text, back, ink);
    add_trouble(viewer);
    if (viewer->snapshot == NULL)
        overlay_text(&viewer->overlay, 24.0f, 24.0f, "loading ...", ink);
}
