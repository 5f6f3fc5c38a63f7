// What a step of smoke leaves agrees with itself: the fastest speed is that of the velocity, the wind and the
// solids are what their curves say, and colours are mixtures of the scene's.
#include "solvers/smoke.h"

#include "base/extremes.h"
#include "domain/measure.h"
#include "grid/bits.h"
#include "solvers/state_agree.h"

static BwResult agree_on_speed(const BwSmoke *smoke, BwError *err)
{
    float found = bw_velocity_max(&smoke->domain, &smoke->velocity);
    if (found == smoke->max_speed)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"max_speed\" of the state is %.9g m/s; its velocity reaches %.9g m/s",
                   (double)smoke->max_speed, (double)found);
}

// The wind of the last step is that of its beginning.
static BwResult agree_on_wind(const BwSmoke *smoke, double time, BwError *err)
{
    BwVec3 wanted;
    BW_TRY(bw_curve_vector_at(&smoke->scene->smoke.wind, time, &wanted, err));
    float apart = bw_length(bw_sub(wanted, smoke->wind));
    if (apart <= 1e-3f * (1.0f + bw_length(wanted)))
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "\"wind\" of the state is (%.4g, %.4g, %.4g) m/s; the scene's was (%.4g, %.4g, %.4g) m/s",
                   (double)smoke->wind.x, (double)smoke->wind.y, (double)smoke->wind.z, (double)wanted.x,
                   (double)wanted.y, (double)wanted.z);
}

// No scene has smoke or temperatures below zero, and no scheme goes beyond the values around: rounding and
// solves that stop at a tolerance leave far less than this of the largest.
static BwResult agree_on_sign(const BwField *field, const char *name, BwError *err)
{
    const float share_max = 0.1f;
    const BwGrid *grid = field->store.grid;
    float low = 0.0f, high = 0.0f;
    for (int32_t n = 0; n < grid->tile_count; n++) {
        const float *values = bw_field_tile(field, grid->order[n]);
        for (int c = 0; c < grid->tile_cells; c++) {
            low = bw_bit(grid->tiles[grid->order[n]].live, c) ? bw_smaller(low, values[c]) : low;
            high = bw_larger(high, values[c]);
        }
    }
    if (low >= -share_max * high)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state is down to %.9g; it must be 0 or more", name,
                   (double)low);
}

BwResult bw_smoke_agree(void *solver, const BwRecord *record, BwError *err)
{
    BwSmoke *smoke = solver;
    double time;
    BW_TRY(bw_record_find_number(record, "time", &time, err));
    if (smoke->is_whole_box)
        BW_TRY(bw_state_agree_on_box(smoke->scene, smoke->grid, err));
    double dt = time > 0.0 ? (double)smoke->solids_dt : 0.0;
    BW_TRY(bw_state_agree_on_solids(&smoke->solids, time, dt, err));
    BW_TRY(agree_on_wind(smoke, time > dt ? time - dt : 0.0, err));
    BW_TRY(agree_on_sign(&smoke->density, "density", err));
    BW_TRY(agree_on_sign(&smoke->temperature, "temperature", err));
    BW_TRY(bw_smoke_agree_on_color(smoke, err));
    return agree_on_speed(smoke, err);
}
