// The colour of things that glow: Planck's law, through the eye of CIE's standard observer (CIE 1931, 2
// degrees, every 10 nm), to the light of the three colours of a display (IEC 61966-2-1).
#pragma once

// Temperatures of the table, K. Below its first nothing glows that could be seen beside what is hotter.
enum { BW_GLOW_FIRST = 600, BW_GLOW_STEP = 10, BW_GLOW_COUNT = 341 };

typedef struct BwGlowTable {
    float light[BW_GLOW_COUNT][3];
    float core[3]; // of a flame's front, seen straight on; see bw_core_light
} BwGlowTable;

// X, Y and Z of a black body, W/(m^2 sr) up to a constant.
void bw_black_body_xyz(double temperature, double xyz[3]);

// Fills the table with the light of opaque soot. A luminance of `brightness` is that of soot at 1700 K;
// hotter soot is as much brighter as Planck's law has it. An eye or a film that is used to a light of the
// temperature `white`, K, sees that as white; 6500 is the display's own white.
void bw_glow_table_fill(BwGlowTable *table, float brightness, float white);

// The light that a thin flame's front sends out, in which fuel comes apart: bands of CH at 431 nm and of C2
// at 474, 516 and 564 nm (Gaydon 1974, The Spectroscopy of Flames). Its bluest part is as bright as asked.
void bw_core_light(float brightness, float light[3]);

// The light at a temperature.
static inline void bw_glow_at(const BwGlowTable *table, float temperature, float light[3])
{
    float at = (temperature - (float)BW_GLOW_FIRST) * (1.0f / (float)BW_GLOW_STEP);
    if (!(at >= 0.0f)) { // nor where it is NaN
        light[0] = light[1] = light[2] = 0.0f;
        return;
    }
    at = at < (float)(BW_GLOW_COUNT - 1) ? at : (float)(BW_GLOW_COUNT - 1) - 0.001f;
    int n = (int)at;
    float rest = at - (float)n;
    for (int c = 0; c < 3; c++)
        light[c] = table->light[n][c] + rest * (table->light[n + 1][c] - table->light[n][c]);
}
