// The state of smoke: what a step needs of the one before, kept in a record, taken back from it, and looked
// over for numbers that went wrong. Masks are labelled anew from the tiles and the poses; the second buffers
// and all scratch are written before they are read.
#include "solvers/smoke.h"

#include "grid/grid_record.h"
#include "operate/solids_record.h"
#include <math.h>

// Cells that the flow may cross in a step. In the open a longer path leads nowhere, for the envelope of tiles
// around the smoke ends before; in a box, a float cannot tell apart the ends of longer ones.
static const float cells_a_step_in_open = 256.0f, cells_a_step_in_box = 1 << 20;

typedef struct NamedField {
    const char *name;
    BwField *field;
} NamedField;

enum { FIELD_COUNT = 8 };

static int list_fields(BwSmoke *smoke, NamedField list[FIELD_COUNT])
{
    static const char *const velocity[] = {"u", "v", "w"}, *const push[] = {"push_u", "push_v", "push_w"};
    int count = 0;
    list[count++] = (NamedField){"density", &smoke->density};
    list[count++] = (NamedField){"temperature", &smoke->temperature};
    for (int a = 0; a < smoke->grid->dimension; a++)
        list[count++] = (NamedField){velocity[a], &smoke->velocity.u[a]};
    for (int a = 0; a < smoke->grid->dimension && smoke->has_push; a++)
        list[count++] = (NamedField){push[a], &smoke->push.u[a]};
    return count;
}

BwResult bw_smoke_save(void *solver, BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    NamedField fields[FIELD_COUNT];
    int count = list_fields(smoke, fields);
    void *wind;
    BW_TRY(bw_grid_save(smoke->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_save(fields[n].field, smoke->pool, record, fields[n].name, err));
    BW_TRY(bw_wide_field_save(&smoke->projection.system.x, smoke->pool, record, "pressure_guess", err));
    BW_TRY(bw_solids_save(smoke->solids.poses, smoke->scene->obstacle_count, record, err));
    BW_TRY(bw_record_add(record, "wind", BW_RECORD_FLOAT, 1, 3, &wind, err));
    memcpy(wind, &smoke->wind, sizeof smoke->wind);
    BW_TRY(bw_record_add_number(record, "max_speed", (double)smoke->max_speed, err));
    BW_TRY(bw_record_add_number(record, "walls_time", smoke->walls_time, err));
    return bw_record_add_number(record, "acceleration", (double)smoke->acceleration, err);
}

static BwResult load_numbers(BwSmoke *smoke, const BwRecord *record, BwError *err)
{
    const void *values;
    double max_speed, acceleration, walls_time;
    int64_t rows = 1;
    BwVec3 wind;
    BW_TRY(bw_record_find(record, "wind", BW_RECORD_FLOAT, &rows, 3, &values, err));
    BW_TRY(bw_record_find_number(record, "max_speed", &max_speed, err));
    BW_TRY(bw_record_find_number(record, "acceleration", &acceleration, err));
    BW_TRY(bw_record_find_number(record, "walls_time", &walls_time, err));
    memcpy(&wind, values, sizeof wind);
    bw_smoke_set_wind(smoke, wind);
    smoke->max_speed = (float)max_speed;
    smoke->acceleration = (float)acceleration;
    return bw_smoke_set_walls(smoke, walls_time, err);
}

// The wind comes first: tiles that wake hold the background that it sets.
BwResult bw_smoke_load(void *solver, const BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    NamedField fields[FIELD_COUNT];
    int count = list_fields(smoke, fields);
    BW_TRY(load_numbers(smoke, record, err));
    BW_TRY(bw_solids_load(smoke->solids.poses, smoke->scene->obstacle_count, record, err));
    BW_TRY(bw_grid_load(smoke->grid, record, err));
    for (int n = 0; n < count; n++)
        BW_TRY(bw_field_load(fields[n].field, smoke->pool, record, fields[n].name, err));
    BW_TRY(bw_wide_field_load(&smoke->projection.system.x, smoke->pool, record, "pressure_guess", err));
    bw_domain_label(&smoke->domain, smoke->solids.poses, smoke->scene->obstacle_count);
    return BW_OK;
}

typedef struct Search {
    const BwGrid *grid;
    const BwField *field;
} Search;

// A value is not finite when its exponent is all ones; this form of the test is one that compilers make
// vectors of.
static bool is_tile_finite(const float *values, int count)
{
    uint32_t found = 0;
    for (int c = 0; c < count; c++) {
        uint32_t bits;
        memcpy(&bits, &values[c], sizeof bits);
        found |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return found == 0;
}

// Minus the rank of the first tile that holds a number that is not finite; minus infinity where all are well.
static double search_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Search *job = context;
    for (int64_t n = begin; n < end; n++)
        if (!is_tile_finite(bw_field_tile(job->field, job->grid->order[n]), job->grid->tile_cells))
            return -(double)n;
    return -(double)INFINITY;
}

static BwResult report_place(const BwGrid *grid, const NamedField *named, int32_t slot, BwError *err)
{
    const float *values = bw_field_tile(named->field, slot);
    int c = 0;
    while (isfinite(values[c]))
        c++;
    BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, named->field->location);
    return bw_fail(err, BW_ERR_NUMERICS, "%s became %g at (%.4g, %.4g, %.4g) m", named->name,
                   (double)values[c], (double)at.x, (double)at.y, (double)at.z);
}

BwResult bw_smoke_check(void *solver, double dt, BwError *err)
{
    BwSmoke *smoke = solver;
    const BwGrid *grid = smoke->grid;
    NamedField fields[FIELD_COUNT];
    int count = list_fields(smoke, fields);
    for (int n = 0; n < count; n++) {
        Search job = {grid, fields[n].field};
        double worst = bw_parallel_max(smoke->pool, grid->tile_count, 64, search_range, &job);
        if (isfinite(worst))
            return report_place(grid, &fields[n], grid->order[(int64_t)-worst], err);
    }
    float cells = smoke->max_speed * (float)dt / grid->cell_size;
    float most = smoke->is_whole_box ? cells_a_step_in_box : cells_a_step_in_open;
    if (!(cells <= most))
        return bw_fail(
            err, BW_ERR_NUMERICS,
            "the flow reached %g m/s, which is %g cells in a step of %g s; at most %g can be followed",
            (double)smoke->max_speed, (double)cells, dt, (double)most);
    return BW_OK;
}
