// Any number of fields ride on the same paths, each as if it were alone.
#include "advect/advect.h"
#include "gate.h"

#include <math.h>
#include <string.h>

enum { FIELDS = 7, SIDE = 5, CELLS = 8 * SIDE, STEPS = 4 };

typedef struct Basin {
    BwGrid *grid;
    BwDomain domain;
    BwVelocity velocity;
    BwMask held;
    BwAdvector *advector;
    BwField from[FIELDS], to[FIELDS];
    BwField lent[3 + 2 * BW_ADVECT_FIELDS]; // for paths and limits, where the advector has none of its own
} Basin;

// A turn about the middle.
static float speed_at(BwVec3 at, int axis)
{
    return axis == 0 ? 0.5f - at.y : at.x - 0.5f;
}

// A block of each field in a place of its own, far from the others' tiles or over them.
static float start_at(BwVec3 at, int f)
{
    float x = at.x - 0.15f - 0.1f * (float)f, y = at.y - 0.5f + 0.02f * (float)f;
    return fabsf(x) < 0.12f && fabsf(y) < 0.2f ? 0.3f + 0.2f * (float)f : 0.0f;
}

static void fill(Basin *basin)
{
    const BwGrid *grid = basin->grid;
    for (int32_t n = 0; n < grid->tile_count; n++)
        for (int c = 0; c < grid->tile_cells; c++) {
            int32_t slot = grid->order[n];
            BwTileCoord coord = grid->tiles[slot].coord;
            for (int a = 0; a < 2; a++)
                bw_field_tile(&basin->velocity.u[a], slot)[c] =
                    speed_at(bw_sample_position(grid, coord, c, basin->velocity.u[a].location), a);
            for (int f = 0; f < FIELDS; f++)
                bw_field_tile(&basin->from[f], slot)[c] =
                    start_at(bw_sample_position(grid, coord, c, BW_AT_CELL), f);
        }
    bw_mask_tile(&basin->held, grid->order[grid->tile_count / 2])[0] = 0xff00; // a source
}

// Fields full of what would be seen at once, if it got into a result.
static BwLentFields lend(Basin *basin)
{
    enum { LENT = sizeof basin->lent / sizeof *basin->lent };
    for (int n = 0; n < LENT; n++) {
        assert_int_equal(bw_field_create(&basin->lent[n], basin->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
        for (int32_t t = 0; t < basin->grid->tile_count; t++)
            for (int c = 0; c < basin->grid->tile_cells; c++)
                bw_field_tile(&basin->lent[n], basin->grid->order[t])[c] = NAN;
    }
    return (BwLentFields){.paths = basin->lent,
                          .low = {&basin->lent[3], &basin->lent[4]},
                          .high = {&basin->lent[5], &basin->lent[6]}};
}

static void create(Basin *basin, BwScheme carry, bool is_lent)
{
    memset(basin, 0, sizeof *basin);
    BwGridDef def = {.cell_size = 1.0f / (float)CELLS,
                     .dimension = 2,
                     .has_bounds = true,
                     .bounds = {{0}, {CELLS, CELLS, 0}}};
    assert_int_equal(bw_grid_create(&basin->grid, &def, NULL), BW_OK);
    for (int n = 0; n < SIDE * SIDE; n++) {
        BwTileCoord coord = {n % SIDE, n / SIDE, 0};
        assert_int_equal(bw_grid_wake(basin->grid, &coord, 1, NULL), BW_OK);
    }
    assert_int_equal(bw_domain_create(&basin->domain, basin->grid, NULL, NULL), BW_OK);
    assert_int_equal(bw_velocity_create(&basin->velocity, basin->grid, bw_vec3(0, 0, 0), NULL), BW_OK);
    assert_int_equal(bw_mask_create(&basin->held, basin->grid, NULL), BW_OK);
    for (int f = 0; f < FIELDS; f++) {
        assert_int_equal(bw_field_create(&basin->from[f], basin->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
        assert_int_equal(bw_field_create(&basin->to[f], basin->grid, BW_AT_CELL, 0.0f, NULL), BW_OK);
    }
    assert_int_equal(bw_advector_create(&basin->advector, basin->grid, NULL, carry,
                                        is_lent ? lend(basin) : (BwLentFields){0}, NULL),
                     BW_OK);
    bw_domain_label(&basin->domain, NULL, 0);
    fill(basin);
}

static void destroy(Basin *basin)
{
    bw_advector_destroy(basin->advector);
    for (int f = 0; f < FIELDS; f++) {
        bw_field_destroy(&basin->from[f]);
        bw_field_destroy(&basin->to[f]);
    }
    for (size_t n = 0; n < sizeof basin->lent / sizeof *basin->lent; n++)
        bw_field_destroy(&basin->lent[n]);
    bw_mask_destroy(&basin->held);
    bw_velocity_destroy(&basin->velocity);
    bw_domain_destroy(&basin->domain);
    bw_grid_destroy(basin->grid);
}

// Carries `count` fields from the `first` on, in one set.
static void carry_fields(Basin *basin, int first, int count)
{
    BwAdvectField fields[FIELDS];
    for (int n = 0; n < count; n++)
        fields[n] = (BwAdvectField){&basin->from[first + n], &basin->to[first + n]};
    BwAdvectSet set = {.fields = fields,
                       .count = count,
                       .valid = &basin->domain.scalar,
                       .sources = &basin->held,
                       .keeps_total = true,
                       .entry = BW_ENTERS_BACKGROUND};
    bw_advect(basin->advector, &basin->domain, &basin->velocity, (BwPathSolids){0}, &set, 1, 0.08f);
    for (int f = first; f < first + count; f++)
        bw_field_swap(&basin->from[f], &basin->to[f]);
}

static void fields_do_not_know_of_each_other(void **state)
{
    (void)state;
    const BwScheme carries[] = {BW_SCHEME_LINEAR, BW_SCHEME_CUBIC, BW_SCHEME_MACCORMACK};
    int differing = 0, moved = 0;
    for (int n = 0; n < 3; n++) {
        Basin together, alone;
        create(&together, carries[n], false);
        create(&alone, carries[n], false);
        for (int step = 0; step < STEPS; step++) {
            carry_fields(&together, 0, FIELDS);
            for (int f = 0; f < FIELDS; f++)
                carry_fields(&alone, f, 1);
        }
        for (int32_t t = 0; t < together.grid->tile_count; t++)
            for (int f = 0; f < FIELDS; f++) {
                const float *a = bw_field_tile(&together.from[f], together.grid->order[t]),
                            *b = bw_field_tile(&alone.from[f], alone.grid->order[t]);
                differing += memcmp(a, b, (size_t)together.grid->tile_cells * sizeof *a) != 0;
                for (int c = 0; c < together.grid->tile_cells; c++)
                    moved += a[c] > 0.0f;
            }
        destroy(&together);
        destroy(&alone);
    }
    gate("advect_fields_differing_tiles", differing, GATE_BELOW, 0);
    gate("advect_fields_cells", moved, GATE_ABOVE, 1000);
}

// Whose memory paths and limits are in makes no difference; all is given back, and while it is lent nobody
// else has it.
static void lent_memory_makes_no_difference(void **state)
{
    (void)state;
    int differing = 0, kept = 0;
    for (int scheme = 0; scheme < BW_SCHEME_COUNT; scheme++) {
        Basin lent, own;
        create(&lent, (BwScheme)scheme, true);
        create(&own, (BwScheme)scheme, false);
        for (int step = 0; step < STEPS; step++) {
            carry_fields(&lent, 0, FIELDS);
            carry_fields(&own, 0, FIELDS);
        }
        for (size_t n = 0; n < sizeof lent.lent / sizeof *lent.lent; n++)
            kept += bw_field_is_lent(&lent.lent[n]);
        for (int32_t t = 0; t < lent.grid->tile_count; t++)
            for (int f = 0; f < FIELDS; f++)
                differing += memcmp(bw_field_tile(&lent.from[f], lent.grid->order[t]),
                                    bw_field_tile(&own.from[f], own.grid->order[t]),
                                    (size_t)lent.grid->tile_cells * sizeof(float)) != 0;
        destroy(&lent);
        destroy(&own);
    }
    gate("advect_lent_memory_differing_tiles", differing, GATE_BELOW, 0);
    gate("advect_lent_memory_kept", kept, GATE_BELOW, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_do_not_know_of_each_other),
        cmocka_unit_test(lent_memory_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
