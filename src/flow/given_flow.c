// From the scene's curve to the faces of the grid.
#include "flow/given_flow.h"

#include "domain/measure.h"
#include "operate/field_math.h"
#include "operate/place_fill.h"

#include <math.h>

bool bw_flow_is_given(const BwFlow *flow)
{
    return bw_curve_is_given(&flow->scene->flow.velocity);
}

BwResult bw_given_flow_find(BwFlow *flow, double time, BwError *err)
{
    float square = 0.0f;
    for (int a = 0; a < flow->grid->dimension; a++) {
        BwField *u = &flow->velocity.u[a];
        BW_TRY(bw_fill_from_curve(&flow->scene->flow.velocity, time, u, a, err));
        float most = bw_field_max_abs(&flow->domain, u, NULL, 0.0f);
        square += most * most;
    }
    flow->max_speed = sqrtf(square);
    return BW_OK;
}

BwResult bw_given_flow_at(const BwFlow *flow, BwVec3 point, double time, BwVec3 *velocity, BwError *err)
{
    float value[4];
    BW_TRY(bw_curve_at_place(&flow->scene->flow.velocity, point, time, value, err));
    *velocity = bw_vec3(value[0], value[1], value[2]);
    return BW_OK;
}

void bw_given_flow_know(const BwFlow *flow, BwFaceMasks *faces)
{
    for (int a = 0; a < flow->grid->dimension; a++) {
        bw_mask_clear(&flow->domain, &faces->known[a]);
        bw_mask_join(&faces->known[a], &faces->passable[a]);
    }
}
