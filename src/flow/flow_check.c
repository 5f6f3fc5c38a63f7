// What may go wrong in a step of any flow, looked for after it: numbers that are none, a flow too fast to
// follow, a pressure solver that got nowhere.
#include "flow/flow.h"
#include "operate/field_math.h"

// In a box, a float cannot tell apart the ends of paths longer than this.
static const float cells_a_step_in_box = 1 << 20;

// A solver that gives up before it has taken away half of the divergence has not projected anything.
static const double residual_of_stuck_solver = 0.5;

static BwResult check_finite(const BwFlow *flow, const BwStateField *fields, int count, BwError *err)
{
    for (int n = 0; n < count; n++) {
        BwBadNumber bad = bw_field_find_bad(&flow->domain, fields[n].field);
        if (bad.is_found)
            return bw_fail(err, BW_ERR_NUMERICS, "%s became %g at (%.4g, %.4g, %.4g) m", fields[n].name,
                           (double)bad.value, (double)bad.place.x, (double)bad.place.y, (double)bad.place.z);
    }
    return BW_OK;
}

static BwResult check_speed(const BwFlow *flow, double dt, BwError *err)
{
    float cells = flow->max_speed * (float)dt / flow->grid->cell_size;
    float most = flow->is_whole_box ? cells_a_step_in_box : (float)BW_FLOW_REACH_MAX;
    if (cells <= most)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS,
                   "the flow reached %g m/s, which is %g cells in a step of %g s; at most %g can be followed",
                   (double)flow->max_speed, (double)cells, dt, (double)most);
}

static BwResult check_pressure(const BwFlow *flow, BwError *err)
{
    bool is_stuck = flow->stop == BW_STOP_STALLED && !(flow->residual <= residual_of_stuck_solver);
    if (!is_stuck)
        return BW_OK;
    return bw_fail(err, BW_ERR_NUMERICS, "the pressure solver got stuck with %.3g of the divergence left",
                   flow->residual);
}

BwResult bw_flow_check(const BwFlow *flow, const BwStateField *fields, int count, double dt, BwError *err)
{
    BW_TRY(check_finite(flow, fields, count, err));
    BW_TRY(check_speed(flow, dt, err));
    return check_pressure(flow, err);
}
