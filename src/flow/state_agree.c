// Checks of loaded states, for all solvers.
#include "flow/state_agree.h"

#include "flow/scene_box.h"
#include "solid/motion.h"

#include <math.h>

BwResult bw_state_agree_on_box(const BwSceneDef *scene, const BwGrid *grid, BwError *err)
{
    BwGridDef def = bw_scene_grid_def(scene, (BwAllocator){0});
    BwCellBox box = bw_scene_cells(&def);
    int64_t wanted = 1;
    for (int a = 0; a < 3; a++)
        wanted *= ((box.high[a] - 1) >> 3) - (box.low[a] >> 3) + 1;
    if (grid->tile_count == wanted)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "the state has %d tiles; the scene's box has %lld", grid->tile_count,
                   (long long)wanted);
}

BwResult bw_state_number(const BwRecord *record, const char *name, double low, double high, double *value,
                         BwError *err)
{
    BW_TRY(bw_record_find_number(record, name, value, err));
    if (*value >= low && *value <= high)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state is %.9g; it must be %.9g to %.9g", name, *value,
                   low, high);
}

static float far(BwVec3 a, BwVec3 b)
{
    return bw_length(bw_sub(a, b)) / (1.0f + bw_length(a));
}

// Turns by q and -q are the same.
static float turned(BwQuat a, BwQuat b)
{
    return 1.0f - fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

// Curves are looked up again at a time that a float's rounding may have moved.
static BwResult agree_on_pose(const BwMotionDef *motion, const BwPose *pose, double time, int n, BwError *err)
{
    const float place_bound = 1e-3f, turn_bound = 1e-4f;
    BwPose wanted;
    BwQuat q = pose->rotation;
    BW_TRY(bw_motion_at(motion, time, &wanted, err));
    bool is_well = fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0f) < 1e-3f;
    if (!bw_curve_is_given(&motion->velocity))
        is_well = is_well && far(wanted.position, pose->position) < place_bound;
    if (!bw_curve_is_given(&motion->spin))
        is_well = is_well && turned(wanted.rotation, q) < turn_bound;
    if (is_well)
        return BW_OK;
    return bw_fail(err, BW_ERR_FORMAT,
                   "obstacle %d of the state is at (%.4g, %.4g, %.4g) m and turned by (%.4g, %.4g, %.4g, "
                   "%.4g); its motion does not take it there",
                   n + 1, (double)pose->position.x, (double)pose->position.y, (double)pose->position.z,
                   (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

BwResult bw_state_agree_on_solids(const BwSceneSolids *solids, double time, double dt, BwError *err)
{
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        const BwMotionDef *motion = &solids->scene->obstacles[n].motion;
        BW_TRY(agree_on_pose(motion, &solids->poses[n].pose, time, n, err));
        if (dt >= 0.0)
            BW_TRY(agree_on_pose(motion, &solids->poses[n].before, fmax(time - dt, 0.0), n, err));
    }
    return BW_OK;
}
