// What may go wrong in a step of smoke, looked for after it: numbers that are none, a flow too fast to
// follow, a pressure solver that got nowhere, smoke that came out of nothing.
#include "solvers/smoke.h"

#include <math.h>

// In a box, a float cannot tell apart the ends of paths longer than this.
static const float cells_a_step_in_box = 1 << 20;

// A solver that gives up before it has taken away half of the divergence has not projected anything.
static const double residual_of_stuck_solver = 0.5;

// Carrying neither makes smoke nor destroys it, but for errors of a few percent in rough flow. Twice as much
// after one step is an explosion. (Less than before may have left through an open side.)
static const double mass_growth_max = 2.0;

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

static BwResult report_place(const BwGrid *grid, const BwSmokeField *named, int32_t slot, BwError *err)
{
    const float *values = bw_field_tile(named->field, slot);
    int c = 0;
    while (isfinite(values[c]))
        c++;
    BwVec3 at = bw_sample_position(grid, grid->tiles[slot].coord, c, named->field->location);
    return bw_fail(err, BW_ERR_NUMERICS, "%s became %g at (%.4g, %.4g, %.4g) m", named->name,
                   (double)values[c], (double)at.x, (double)at.y, (double)at.z);
}

static BwResult check_finite(BwSmoke *smoke, BwError *err)
{
    const BwGrid *grid = smoke->grid;
    BwSmokeField fields[BW_SMOKE_FIELDS];
    int count = bw_smoke_list_fields(smoke, fields);
    for (int n = 0; n < count; n++) {
        Search job = {grid, fields[n].field};
        double worst = bw_parallel_max(smoke->pool, grid->tile_count, 64, search_range, &job);
        if (isfinite(worst))
            return report_place(grid, &fields[n], grid->order[(int64_t)-worst], err);
    }
    return BW_OK;
}

static BwResult check_speed(const BwSmoke *smoke, double dt, BwError *err)
{
    float cells = smoke->max_speed * (float)dt / smoke->grid->cell_size;
    float most = smoke->is_whole_box ? cells_a_step_in_box : (float)BW_SMOKE_REACH_MAX;
    if (cells <= most)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS,
                   "the flow reached %g m/s, which is %g cells in a step of %g s; at most %g can be followed",
                   (double)smoke->max_speed, (double)cells, dt, (double)most);
}

static BwResult check_pressure(const BwSmokeOutcome *outcome, BwError *err)
{
    bool is_stuck = outcome->stop == BW_STOP_STALLED && !(outcome->residual <= residual_of_stuck_solver);
    if (!is_stuck)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS, "the pressure solver got stuck with %.3g of the divergence left",
                   outcome->residual);
}

static BwResult check_mass(const BwSmokeOutcome *outcome, BwError *err)
{
    if (outcome->mass_carried <= mass_growth_max * outcome->mass_before)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS, "carrying made a mass of %.4g out of %.4g in one step",
                   outcome->mass_carried, outcome->mass_before);
}

BwResult bw_smoke_check(void *solver, double dt, BwError *err)
{
    BwSmoke *smoke = solver;
    BW_TRY(check_finite(smoke, err));
    BW_TRY(check_speed(smoke, dt, err));
    BW_TRY(check_pressure(&smoke->outcome, err));
    return check_mass(&smoke->outcome, err);
}
