// Framing by a scout.
#include "framing.h"

#include "scout.h"

#include "base/error.h"
#include "render/camera.h"
#include "scene/extent.h"

#include <math.h>

// Cells along the longest side of the scene, and across its smallest source: enough to tell where it goes.
// On fewer than the least smoke comes out too weak to be believed.
#define CELLS_ALONG          24.0f
#define CELLS_A_SOURCE       3.5f
#define CELLS_A_SOURCE_LEAST 2.3f

// At least this much wider than the scene's own cells, where sources are not too small for that; else they
// are few, and the run ahead may take as much work as the run.
#define WIDER_LEAST 2.0f

// Cells times steps, at most: some seconds. Where it is not enough, once more on wider cells, as far as the
// sources allow.
#define WORK_MAX 1.2e7
#define COARSER  1.2f

static float scout_cell(const BwSceneDef *scene, float widest)
{
    BwBox whole;
    const BwFrame nothing = {.cell_size = scene->cell, .layers = BW_TILE};
    if (bw_picture_extent(&whole, scene, &nothing, NULL) != BW_OK)
        return 0.0f;
    BwVec3 size = bw_sub(whole.high, whole.low);
    float longest = fmaxf(size.x, fmaxf(size.y, scene->dimension == 3 ? size.z : 0.0f));
    float cell = fminf(longest / CELLS_ALONG, scout_source_width(scene) / CELLS_A_SOURCE);
    bool is_coarse = WIDER_LEAST * scene->cell > widest;
    return fmaxf(cell, (is_coarse ? 1.0f : WIDER_LEAST) * scene->cell);
}

// Where fluid was seen at any time; false where the scout did not get to the end.
static bool fluid_seen(const ScoutDef *def, BwBox *seen)
{
    static Scout scout;
    BwSceneDef coarse;
    BwWorld *world;
    BwError err;
    BwResult result = scout_run(&scout, &coarse, &world, def, &err);
    bw_world_destroy(world);
    if (result != BW_OK || scout.count < scout.wanted)
        return false;
    *seen = (BwBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int n = 0; n < scout.count; n++)
        *seen = bw_box_union(*seen, scout.samples[n].fluid);
    return true;
}

View framing_find(const BwSceneDef *scene, int worker_count)
{
    View view = {0};
    BwBox seen;
    if (bw_curve_is_given(&scene->camera.position) || scene->fluid == BW_FLUID_RECORDED)
        return view;
    float widest = scout_source_width(scene) / CELLS_A_SOURCE_LEAST;
    ScoutDef def = {.scene = scene,
                    .cell = scout_cell(scene, widest),
                    .frame_count = bw_scene_def_frame_count(scene),
                    .worker_count = worker_count,
                    .is_sparse = true,
                    .work_max = WORK_MAX,
                    .seconds_max = (double)INFINITY};
    bool is_seen = false;
    for (; !is_seen && def.cell > 0.0f && def.cell <= widest; def.cell *= COARSER)
        is_seen = fluid_seen(&def, &seen);
    if (is_seen && bw_scene_view(&view.box, &view.is_narrow, scene, seen, NULL) != BW_OK)
        view.is_narrow = false;
    return view;
}
