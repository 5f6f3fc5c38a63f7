// The tables behind the colours.
#include "render/black_body.h"

#include <math.h>

// Where a brightness of 1 is meant, K: the middle of a camp fire.
#define USUAL 1700.0

// The three kinds of film, or of pixels of a sensor, each see a little of the others' light: what is far too
// bright turns white, and not to the purest of yellows.
#define OVERLAP 0.06

enum { FIRST_NM = 380, STEP_NM = 10, LINES = 40 };

// CIE 1931 colour matching functions from 380 to 770 nm.
static const double observer[LINES][3] = {
    {0.0014, 0.0000, 0.0065}, {0.0042, 0.0001, 0.0201}, {0.0143, 0.0004, 0.0679}, {0.0435, 0.0012, 0.2074},
    {0.1344, 0.0040, 0.6456}, {0.2839, 0.0116, 1.3856}, {0.3483, 0.0230, 1.7471}, {0.3362, 0.0380, 1.7721},
    {0.2908, 0.0600, 1.6692}, {0.1954, 0.0910, 1.2876}, {0.0956, 0.1390, 0.8130}, {0.0320, 0.2080, 0.4652},
    {0.0049, 0.3230, 0.2720}, {0.0093, 0.5030, 0.1582}, {0.0633, 0.7100, 0.0782}, {0.1655, 0.8620, 0.0422},
    {0.2904, 0.9540, 0.0203}, {0.4334, 0.9950, 0.0087}, {0.5945, 0.9950, 0.0039}, {0.7621, 0.9520, 0.0021},
    {0.9163, 0.8700, 0.0017}, {1.0263, 0.7570, 0.0011}, {1.0622, 0.6310, 0.0008}, {1.0026, 0.5030, 0.0003},
    {0.8544, 0.3810, 0.0002}, {0.6424, 0.2650, 0.0000}, {0.4479, 0.1750, 0.0000}, {0.2835, 0.1070, 0.0000},
    {0.1649, 0.0610, 0.0000}, {0.0874, 0.0320, 0.0000}, {0.0468, 0.0170, 0.0000}, {0.0227, 0.0082, 0.0000},
    {0.0114, 0.0041, 0.0000}, {0.0058, 0.0021, 0.0000}, {0.0029, 0.0010, 0.0000}, {0.0014, 0.0005, 0.0000},
    {0.0007, 0.0002, 0.0000}, {0.0003, 0.0001, 0.0000}, {0.0002, 0.0001, 0.0000}, {0.0001, 0.0000, 0.0000},
};

// Planck's law by wavelength, m.
static double radiance(double wavelength, double temperature)
{
    const double first = 1.191042972e-16, second = 1.438776877e-2; // W m^2/sr, m K
    return first / pow(wavelength, 5.0) / expm1(second / (wavelength * temperature));
}

void bw_black_body_xyz(double temperature, double xyz[3])
{
    xyz[0] = xyz[1] = xyz[2] = 0.0;
    for (int n = 0; n < LINES; n++) {
        double power = radiance(1e-9 * (FIRST_NM + STEP_NM * n), temperature);
        for (int c = 0; c < 3; c++)
            xyz[c] += power * observer[n][c];
    }
}

// Light of a display's colours. What is purer than these is shown by them, as bright.
static void display_colors(const double xyz[3], double light[3])
{
    static const double matrix[3][3] = {
        {3.2406, -1.5372, -0.4986}, {-0.9689, 1.8758, 0.0415}, {0.0557, -0.2040, 1.0570}};
    for (int c = 0; c < 3; c++)
        light[c] = fmax(matrix[c][0] * xyz[0] + matrix[c][1] * xyz[1] + matrix[c][2] * xyz[2], 0.0);
}

static void display_light(double temperature, double light[3])
{
    double xyz[3];
    bw_black_body_xyz(temperature, xyz);
    display_colors(xyz, light);
}

// Shares of power at 430, 470, 520 and 560 nm.
void bw_core_light(float brightness, float light[3])
{
    static const struct {
        int nm;
        double power;
    } bands[] = {{430, 0.5}, {470, 0.27}, {520, 0.18}, {560, 0.05}};
    double xyz[3] = {0.0}, colors[3];
    for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++)
            xyz[c] += bands[n].power * observer[(bands[n].nm - FIRST_NM) / STEP_NM][c];
    display_colors(xyz, colors);
    double most = fmax(colors[0], fmax(colors[1], colors[2])), sum = colors[0] + colors[1] + colors[2];
    for (int c = 0; c < 3; c++)
        light[c] = brightness * (float)((colors[c] + OVERLAP * (sum / 3.0 - colors[c])) / most);
}

void bw_glow_table_fill(BwGlowTable *table, float brightness, float white)
{
    double usual[3], seen[3], light[3], gain[3];
    bw_black_body_xyz(USUAL, usual);
    display_light((double)white, seen);
    double mean = 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2];
    for (int c = 0; c < 3; c++) // a white without any blue cannot be adapted to altogether
        gain[c] = (double)brightness / usual[1] * mean / fmax(seen[c], 0.05 * mean);
    for (int n = 0; n < BW_GLOW_COUNT; n++) {
        display_light((double)(BW_GLOW_FIRST + BW_GLOW_STEP * n), light);
        double sum = 0.0;
        for (int c = 0; c < 3; c++)
            sum += light[c] *= gain[c];
        for (int c = 0; c < 3; c++)
            table->light[n][c] = (float)(light[c] + OVERLAP * (sum / 3.0 - light[c]));
    }
}
