// Names and needs of drawing modes.
#include "look.h"

const char *show_name(Show show)
{
    static const char *const names[SHOW_COUNT] = {"fluid",    "soft",      "arrows",     "streaks",
                                                  "pressure", "vorticity", "temperature"};
    return names[show];
}

unsigned look_channels(const Look *look)
{
    const unsigned velocity = CHANNEL_BIT(CHANNEL_U) | CHANNEL_BIT(CHANNEL_V) | CHANNEL_BIT(CHANNEL_W);
    const unsigned smoke = CHANNEL_BIT(CHANNEL_DENSITY) | CHANNEL_BIT(CHANNEL_RED) |
                           CHANNEL_BIT(CHANNEL_GREEN) | CHANNEL_BIT(CHANNEL_BLUE) |
                           CHANNEL_BIT(CHANNEL_FLAME);
    switch (look->show) {
    case SHOW_ARROWS:
    case SHOW_STREAKS:
        return smoke | velocity | CHANNEL_BIT(CHANNEL_PHI);
    case SHOW_PRESSURE:
        return CHANNEL_BIT(CHANNEL_PRESSURE);
    case SHOW_VORTICITY:
        return velocity;
    case SHOW_TEMPERATURE:
        return CHANNEL_BIT(CHANNEL_TEMPERATURE);
    default:
        return smoke | CHANNEL_BIT(CHANNEL_PHI);
    }
}
