// Places that are too far away for their cells, and boxes of more cells than can be counted.
#include "scene/reach.h"

#include "scene/check.h"
#include "scene/vocabulary.h"

#include <math.h>

#define CELLS_MAX 8388608.0 // 2^23, the places that a float tells apart

static BwResult fail_far(const BwPlace *place, const char *field, double meters, int axis, double cell,
                         BwError *err)
{
    return bw_fail_at(
        err, place, field,
        "is at %c = %g m; with cells of %g m the farthest place is %g m from the origin, where a "
        "32-bit number still tells cells apart; move it nearer or make the cells larger",
        "xyz"[axis], meters, cell, CELLS_MAX * cell);
}

static double component(BwVec3 v, int axis)
{
    return (double)bw_component(v, axis);
}

static BwResult check_walls(const BwSceneDef *def, const BwPlace *place, BwError *err)
{
    for (int a = 0; a < def->dimension; a++) {
        double low = component(def->walls.min, a), high = component(def->walls.max, a);
        if (fabs(low) > CELLS_MAX * (double)def->cell)
            return fail_far(place, "min", low, a, (double)def->cell, err);
        if (fabs(high) > CELLS_MAX * (double)def->cell)
            return fail_far(place, "max", high, a, (double)def->cell, err);
    }
    return BW_OK;
}

// A shape may reach as far as it likes, as a ground does, but all of it must not be out of reach.
static BwResult check_shape(const BwSceneDef *def, const BwShape *shape, const BwPlace *place, BwError *err)
{
    BwBox box = bw_shape_bounds(shape);
    for (int a = 0; a < def->dimension; a++) {
        double low = component(box.low, a), high = component(box.high, a);
        double nearest = low > 0.0 ? low : high < 0.0 ? high : 0.0;
        if (isfinite(nearest) && fabs(nearest) > CELLS_MAX * (double)def->cell)
            return fail_far(place, "shape", nearest, a, (double)def->cell, err);
    }
    return BW_OK;
}

// Between walls a source that lies outside of them is told as a doubt.
static BwResult check_sources(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    for (int n = 0; n < def->emitter_count; n++) {
        BwPlace place = bw_origin(origins, bw_constructor_find("emitter"), n);
        BW_TRY(check_shape(def, &def->emitters[n].shape, &place, err));
    }
    for (int n = 0; n < def->fill_count; n++) {
        BwPlace place = bw_origin(origins, bw_constructor_find("fill"), n);
        BW_TRY(check_shape(def, &def->fills[n].shape, &place, err));
    }
    return BW_OK;
}

BwResult bw_check_reach(const BwSceneDef *def, const BwOrigins *origins, BwError *err)
{
    if (!def->has_walls)
        return check_sources(def, origins, err);
    BwPlace walls = bw_origin(origins, bw_constructor_find("walls"), 0);
    return check_walls(def, &walls, err);
}
