// Sliders.
#include "slider.h"

#include <stdio.h>

void panel_clear(Panel *panel)
{
    panel->count = 0;
}

void panel_add(Panel *panel, Slider slider)
{
    if (panel->count < SLIDERS_MAX)
        panel->list[panel->count++] = slider;
}

void panel_place(Panel *panel, const Overlay *overlay, int width_px)
{
    panel->row = 2.0f * (float)overlay->letter_height + 4.0f;
    panel->width = 30.0f * (float)overlay->letter_width;
    panel->x = (float)width_px - panel->width - 12.0f;
    panel->y = 12.0f;
}

static const float decades = 4.0f;

// From 0 to 1 along the slider.
static float share_of(const Slider *slider)
{
    float share = (slider->value - slider->low) / (slider->high - slider->low);
    if (slider->is_logarithmic)
        share = share > 0.0f ? 1.0f + log10f(share) / decades : 0.0f;
    return fminf(fmaxf(share, 0.0f), 1.0f);
}

static float value_at(const Slider *slider, float share)
{
    share = fminf(fmaxf(share, 0.0f), 1.0f);
    if (slider->is_logarithmic)
        share = share > 0.0f ? powf(10.0f, decades * (share - 1.0f)) : 0.0f;
    return slider->low + share * (slider->high - slider->low);
}

void panel_draw(const Panel *panel, Overlay *overlay)
{
    const Paint back = {0.03f, 0.035f, 0.05f, 0.75f}, rail = {0.35f, 0.38f, 0.43f, 1.0f};
    const Paint knob = {0.98f, 0.72f, 0.25f, 1.0f}, ink = {0.92f, 0.94f, 0.96f, 1.0f};
    if (!panel->is_shown || panel->count == 0)
        return;
    overlay_rectangle(overlay, panel->x - 8.0f, panel->y - 6.0f, panel->width + 16.0f,
                      panel->row * (float)panel->count + 10.0f, back);
    for (int n = 0; n < panel->count; n++) {
        const Slider *slider = &panel->list[n];
        float y = panel->y + panel->row * (float)n, middle = y + 1.5f * (float)overlay->letter_height;
        char text[100];
        snprintf(text, sizeof text, "%-18s %.4g %s", slider->name, (double)slider->value, slider->unit);
        overlay_text(overlay, panel->x, y, text, ink);
        overlay_rectangle(overlay, panel->x, middle - 1.0f, panel->width, 3.0f, rail);
        overlay_rectangle(overlay, panel->x + share_of(slider) * (panel->width - 8.0f), middle - 6.0f, 8.0f,
                          13.0f, knob);
    }
}

int panel_find(const Panel *panel, double x_px, double y_px)
{
    float x = (float)x_px - panel->x, y = (float)y_px - panel->y;
    if (!panel->is_shown || x < -8.0f || x > panel->width + 8.0f || y < 0.0f)
        return -1;
    int number = (int)(y / panel->row);
    return number < panel->count ? number : -1;
}

float panel_value(const Panel *panel, int number, double x_px)
{
    return value_at(&panel->list[number], ((float)x_px - panel->x - 4.0f) / (panel->width - 8.0f));
}
