// The bar along the lower edge.
#include "player_bar.h"

#include <stdio.h>

static const float margin = 16.0f, height = 22.0f;

void player_bar_draw(Overlay *overlay, int width_px, int height_px, int frame, int last)
{
    const Paint rail = {0.3f, 0.33f, 0.38f, 0.9f}, knob = {0.98f, 0.72f, 0.25f, 1.0f};
    float length = (float)width_px - 2.0f * margin, y = (float)height_px - margin - 0.5f * height;
    float share = last > 0 ? (float)frame / (float)last : 0.0f;
    char text[60];
    overlay_rectangle(overlay, margin, y - 2.0f, length, 4.0f, rail);
    overlay_rectangle(overlay, margin, y - 2.0f, length * share, 4.0f, knob);
    overlay_rectangle(overlay, margin + length * share - 4.0f, y - 8.0f, 8.0f, 16.0f, knob);
    snprintf(text, sizeof text, "frame %d of %d", frame, last);
    overlay_text(overlay, margin, y - 12.0f - (float)overlay->letter_height, text,
                 (Paint){0.95f, 0.96f, 0.97f, 1.0f});
}

bool player_bar_has(int width_px, int height_px, double x_px, double y_px)
{
    return x_px > (double)(margin - 8.0f) && x_px < (double)((float)width_px - margin + 8.0f) &&
           y_px > (double)((float)height_px - margin - height);
}

int player_bar_frame(int width_px, double x_px, int last)
{
    double length = (double)width_px - 2.0 * (double)margin, share = (x_px - (double)margin) / length;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return (int)(share * (double)last + 0.5);
}
