// Plumes in boxes with open sides: air that comes in does not feed itself at any resolution and time step,
// and the fluid inside does not notice where the box ends.
#include "open_plume.h"

// Speeds of a plume in a box twice as tall and wide, and closed, are what buoyancy alone can make.
static double fastest_undisturbed(int dimension, int frames)
{
    Plume plume;
    plume_create(&plume, dimension, 32, CLOSED, 2.0f, 4.0f);
    return fastest_of(&plume.scene, frames);
}

static void plume_stays_calm(int dimension, int cells, float cfl, Opening opening, int frames, double calm)
{
    Plume plume;
    plume_create(&plume, dimension, cells, opening, 1.0f, 2.0f);
    plume.scene.cfl = cfl;
    char name[100];
    snprintf(name, sizeof name, "open_%s_%dd_%d_cells_cfl_%g_fastest_over_undisturbed",
             opening_names[opening], dimension, cells, (double)cfl);
    gate(name, fastest_of(&plume.scene, frames) / calm, GATE_BELOW, 3.0);
}

#ifdef FULL_SIZE
static void plumes_stay_calm_at_any_step(int dimension, Opening opening)
{
    const float cfls[] = {0.5f, 1.0f, 2.0f, 4.0f};
    double calm = fastest_undisturbed(dimension, 100);
    // Without walls a plume in 3-D rises for ever, and takes more memory the longer it does.
    int frames = opening == UNBOUNDED && dimension == 3 ? 100 : 400;
    for (int n = 0; n < 4; n++) {
        plume_stays_calm(dimension, 24, cfls[n], opening, frames, calm);
        plume_stays_calm(dimension, 32, cfls[n], opening, frames, calm);
    }
    plume_stays_calm(dimension, 48, 2.0f, opening, frames, calm);
    plume_stays_calm(dimension, 64, 2.0f, opening, frames, calm);
}
#endif

static void plumes_stay_calm(void **state)
{
    (void)state;
#ifdef FULL_SIZE
    plumes_stay_calm_at_any_step(FULL_SIZE, OPENING);
#else
    double calm = fastest_undisturbed(2, 100);
    plume_stays_calm(2, 24, 0.5f, ALL, 400, calm);
    plume_stays_calm(2, 32, 4.0f, TOP, 400, calm);
    plume_stays_calm(2, 32, 2.0f, SIDES, 400, calm);
    plume_stays_calm(2, 24, 2.0f, OUTFLOW_ALL, 200, calm);
    plume_stays_calm(2, 16, 1.0f, UNBOUNDED, 200, calm);
    plume_stays_calm(3, 12, 2.0f, ALL, 200, calm);
#endif
}

// Smoke below a height: its mass, and the height that 99 of 100 parts of it are below.
typedef struct Below {
    double mass, height;
} Below;

static Below smoke_below(const BwFrame *frame, float top)
{
    enum { LAYERS = 512 };
    const BwFrameField *density = bw_frame_field(frame, "density");
    double layer[LAYERS] = {0}, total = 0.0, sum = 0.0;
    float h = frame->cell_size;
    int cells = 64 * frame->layers, last = (int)lroundf(top / h);
    for (int64_t t = 0; t < frame->tile_count; t++)
        for (int c = 0; c < cells; c++) {
            int y = 8 * frame->tiles[t].y + (c >> 3 & 7);
            if (y >= 0 && y < last)
                layer[y] += (double)density->values[t * cells + c];
        }
    for (int y = 0; y < last; y++)
        total += layer[y];
    Below below = {total * pow((double)h, frame->layers == 1 ? 2.0 : 3.0), 0.0};
    for (int y = 0; y < last && sum < 0.99 * total; y++) {
        sum += layer[y];
        below.height = (double)h * (y + 1);
    }
    return below;
}

// What differs below three quarters of a cut between a box that ends there and one twice as tall, over all
// frames: of the height, over the cut's; of the mass, over the largest.
static void cut_box_agrees(int dimension, int cells, Opening opening, float cut, int frames)
{
    Plume whole, half;
    plume_create(&whole, dimension, cells, opening, 1.0f, 2.0f * cut);
    plume_create(&half, dimension, cells, opening, 1.0f, cut);
    BwWorld *tall = make_world(&whole.scene, 2), *low = make_world(&half.scene, 2);
    double height_apart = 0.0, mass_apart = 0.0, most = 0.0;
    for (int n = 0; n < frames; n++) {
        step_frames(tall, 1);
        step_frames(low, 1);
        Below a = smoke_below(frame_of(tall), 0.75f * cut), b = smoke_below(frame_of(low), 0.75f * cut);
        height_apart = fmax(height_apart, fabs(a.height - b.height) / (0.75 * (double)cut));
        mass_apart = fmax(mass_apart, fabs(a.mass - b.mass));
        most = fmax(most, a.mass);
    }
    bw_world_destroy(tall);
    bw_world_destroy(low);
    char name[100];
    snprintf(name, sizeof name, "cut_box_%s_%dd_%d_cells_height_apart", opening_names[opening], dimension,
             cells);
    gate(name, height_apart, GATE_BELOW, 0.05);
    snprintf(name, sizeof name, "cut_box_%s_%dd_%d_cells_mass_apart", opening_names[opening], dimension,
             cells);
    gate(name, mass_apart / most, GATE_BELOW, 0.05);
}

static void a_cut_box_changes_nothing_below(void **state)
{
    (void)state;
#ifdef FULL_SIZE
    if (OPENING == TOP || OPENING == ALL)
        cut_box_agrees(FULL_SIZE, FULL_SIZE == 2 ? 48 : 32, OPENING, 1.5f, 72);
#else
    cut_box_agrees(2, 24, TOP, 1.5f, 72);
    cut_box_agrees(2, 24, ALL, 1.5f, 72);
    cut_box_agrees(3, 16, ALL, 1.0f, 40);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_box_changes_nothing_below),
        cmocka_unit_test(plumes_stay_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
