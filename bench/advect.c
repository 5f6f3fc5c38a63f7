// Advection alone: density, temperature and velocity of a dense box, by each scheme and at several Courant
// numbers. Nanoseconds of the processor a cell and step on one thread, which a busy machine changes little,
// and the ratio to the first scheme shown. Half of the box holds smoke; the flow is a sum of waves that
// reaches its Courant number in few places, as flows do.
#include "advect/advect.h"
#include "cases.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 3 };

typedef struct Box {
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity, next_velocity;
    BwField scalar[2], next_scalar[2];
    BwAdvector *advector[BW_SCHEME_MACCORMACK + 1];
} Box;

static float wave(BwVec3 at, int component)
{
    float x = component == 0 ? at.y : component == 1 ? at.z : at.x;
    float y = component == 0 ? at.z : component == 1 ? at.x : at.y;
    return 0.6f * sinf(6.0f * x) * cosf(9.0f * y) + 0.4f * sinf(31.0f * x + 23.0f * y);
}

static float smoke(BwVec3 at, int field)
{
    float dx = at.x - 0.5f, dy = at.y - 0.5f, away = sqrtf(dx * dx + dy * dy);
    float density = away < 0.4f ? 0.5f + 0.5f * cosf(40.0f * away) : 0.0f;
    return field == 0 ? density : 293.15f + 100.0f * density;
}

static void fill(const Box *box, BwField *field, int kind, float (*value)(BwVec3 at, int kind))
{
    const BwGrid *grid = box->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, field->location);
            bw_field_tile(field, slot)[c] = value(at, kind);
        }
}

static BwResult wake_all(BwGrid *grid, int tiles)
{
    for (int n = 0; n < tiles * tiles * tiles; n++) {
        BwTileCoord coord = {n % tiles, n / tiles % tiles, n / tiles / tiles};
        BW_TRY(bw_grid_wake(grid, &coord, 1, NULL));
    }
    return BW_OK;
}

static BwResult create_fields(Box *box)
{
    const float background[2] = {0.0f, 293.15f};
    BW_TRY(bw_velocity_create(&box->velocity, box->grid, bw_vec3(0.0f, 0.0f, 0.0f), NULL));
    BW_TRY(bw_velocity_create(&box->next_velocity, box->grid, bw_vec3(0.0f, 0.0f, 0.0f), NULL));
    for (int n = 0; n < 2; n++) {
        BW_TRY(bw_field_create(&box->scalar[n], box->grid, BW_AT_CELL, background[n], NULL));
        BW_TRY(bw_field_create(&box->next_scalar[n], box->grid, BW_AT_CELL, background[n], NULL));
    }
    for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++)
        BW_TRY(bw_advector_create(&box->advector[carry], box->grid, NULL, (BwScheme)carry, (BwLentFields){0},
                                  NULL));
    return BW_OK;
}

static BwResult create(Box *box, int cells)
{
    *box = (Box){0};
    BwGridDef def = {.cell_size = 1.0f / (float)cells,
                     .dimension = 3,
                     .has_bounds = true,
                     .bounds = {{0}, {cells, cells, cells}}};
    BW_TRY(bw_grid_create(&box->grid, &def, NULL));
    BW_TRY(wake_all(box->grid, cells / BW_TILE));
    BW_TRY(bw_domain_create(&box->domain, box->grid, NULL, NULL));
    BW_TRY(create_fields(box));
    bw_domain_label(&box->domain, NULL, 0);
    for (int a = 0; a < 3; a++)
        fill(box, &box->velocity.u[a], a, wave);
    for (int n = 0; n < 2; n++)
        fill(box, &box->scalar[n], n, smoke);
    return BW_OK;
}

static void destroy(Box *box)
{
    for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++)
        bw_advector_destroy(box->advector[carry]);
    bw_velocity_destroy(&box->velocity);
    bw_velocity_destroy(&box->next_velocity);
    for (int n = 0; n < 2; n++) {
        bw_field_destroy(&box->scalar[n]);
        bw_field_destroy(&box->next_scalar[n]);
    }
    bw_domain_destroy(&box->domain);
    bw_grid_destroy(box->grid);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Best seconds of a step, always the same one: nothing is swapped.
static double time_step(Box *box, BwScheme carry, float courant)
{
    BwAdvectField fields[5] = {{&box->scalar[0], &box->next_scalar[0]},
                               {&box->scalar[1], &box->next_scalar[1]}};
    BwAdvectSet sets[4] = {{.fields = fields,
                            .count = 2,
                            .valid = &box->domain.scalar,
                            .keeps_total = true,
                            .entry = BW_ENTERS_BACKGROUND}};
    for (int a = 0; a < 3; a++) {
        fields[2 + a] = (BwAdvectField){&box->velocity.u[a], &box->next_velocity.u[a]};
        sets[1 + a] = (BwAdvectSet){.fields = &fields[2 + a], .count = 1, .valid = &box->domain.face[a]};
    }
    double best = INFINITY;
    for (int n = 0; n < REPEATS; n++) {
        double begin = processor_seconds();
        bw_advect(box->advector[carry], &box->domain, &box->velocity, (BwPathSolids){0}, sets, 4,
                  courant * box->grid->cell_size);
        best = fmin(best, processor_seconds() - begin);
    }
    return best;
}

int bench_advect(int argument_count, char **arguments)
{
    int cells = argument_count > 1 ? atoi(arguments[1]) : 64;
    const char *only = argument_count > 2 ? arguments[2] : NULL;
    if (cells < 16 || cells > 512 || cells % BW_TILE != 0 || argument_count > 3) {
        fprintf(stderr, "advect takes a number of cells from 16 to 512 that 8 divides, and a scheme\n");
        return 1;
    }
    Box box;
    if (create(&box, cells) != BW_OK) {
        fprintf(stderr, "not enough memory for a box of %d^3 cells\n", cells);
        return 2; // the process ends, and its memory with it
    }
    const char *names[] = {"semi_lagrangian", "cubic", "maccormack"};
    const float courants[] = {0.5f, 1.0f, 2.0f, 4.0f, 8.0f};
    double count = (double)cells * cells * cells;
    printf("%d^3 cells, density, temperature and velocity; ns a cell and step on one thread\n", cells);
    printf("%-16s %8s %9s %9s\n", "scheme", "Courant", "ns", "ratio");
    for (size_t c = 0; c < sizeof courants / sizeof *courants; c++) {
        double plain = 0.0;
        for (int carry = 0; carry <= BW_SCHEME_MACCORMACK; carry++) {
            if (only != NULL && strcmp(only, names[carry]) != 0)
                continue;
            double seconds = time_step(&box, (BwScheme)carry, courants[c]);
            plain = plain == 0.0 ? seconds : plain;
            printf("%-16s %8.1f %9.1f %9.2f\n", names[carry], (double)courants[c], 1e9 * seconds / count,
                   seconds / plain);
        }
    }
    destroy(&box);
    return 0;
}
