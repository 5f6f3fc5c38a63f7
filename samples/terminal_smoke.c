// Smoke in a terminal: terminal_smoke [FRAMES]. All it takes to embed Billow's stable box.
#include <billow/stable.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WIDTH = 96, HEIGHT = 96 };

// Hot smoke from the floor, pushed to and fro by a draught.
static void feed(BwStable *fluid, int frame)
{
    BwStableView density = bw_stable_source(fluid, BW_STABLE_DENSITY);
    BwStableView u = bw_stable_source(fluid, BW_STABLE_U), v = bw_stable_source(fluid, BW_STABLE_V);
    float draught = 3.0f * sinf(0.11f * (float)frame);
    for (int j = 2; j < 7; j++)
        for (int i = WIDTH / 2 - 5; i < WIDTH / 2 + 5; i++) {
            density.values[i + j * density.row] = 12.0f;
            u.values[i + j * u.row] = draught;
            v.values[i + j * v.row] = 8.0f;
        }
}

// Two rows of cells make a line of text; the top of the box comes first.
static void draw(BwStable *fluid)
{
    static const char shades[] = " .:-=+*#%@";
    BwStableView density = bw_stable_field(fluid, BW_STABLE_DENSITY);
    char line[WIDTH + 1] = {0};
    printf("\033[H");
    for (int j = HEIGHT - 2; j >= 0; j -= 2) {
        for (int i = 0; i < WIDTH; i++) {
            const float *cell = density.values + i + j * density.row;
            int shade = (int)(8.0f * (cell[0] + cell[density.row]));
            line[i] = shades[shade < 0 ? 0 : shade > 9 ? 9 : shade];
        }
        puts(line);
    }
    fflush(stdout);
}

int main(int argument_count, char **arguments)
{
    int frames = argument_count > 1 ? atoi(arguments[1]) : 600;
    BwStableBoxDef def = bw_stable_box_def_default();
    def.size[0] = WIDTH;
    def.size[1] = HEIGHT;
    def.confinement = 3.0f;
    BwStable *fluid;
    BwError err;
    if (bw_stable_create(&fluid, &def, &err) != BW_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("\033[2J");
    for (int frame = 0; frame < frames; frame++) {
        feed(fluid, frame);
        bw_stable_step(fluid, 1.0f / 30);
        draw(fluid);
        nanosleep(&(struct timespec){.tv_nsec = 15000000}, NULL);
    }
    bw_stable_destroy(fluid);
    return 0;
}
