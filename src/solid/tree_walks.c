// The walks through trees of triangles, as compiled for each instruction set (cmake/cpus.cmake).
#include "solid/tree_walks.h"

#include "base/cpu.h"
#include "solid/tree_walk.h"

#if BW_HAS_V3
BwTreeNearestFn bw_tree_walk_nearest_v3;
BwTreeMeetFn bw_tree_walk_meet_v3;
#endif
#if BW_HAS_V4
BwTreeNearestFn bw_tree_walk_nearest_v4;
BwTreeMeetFn bw_tree_walk_meet_v4;
#endif

static const BwTreeWalk walks[BW_CPU_COUNT] = {
    [BW_CPU_BASELINE] = {bw_tree_walk_nearest, bw_tree_walk_meet},
#if BW_HAS_V3
    [BW_CPU_V3] = {bw_tree_walk_nearest_v3, bw_tree_walk_meet_v3},
#endif
#if BW_HAS_V4
    [BW_CPU_V4] = {bw_tree_walk_nearest_v4, bw_tree_walk_meet_v4},
#endif
    // Plain loops, which the compiler makes vectors of: they need no twin.
    [BW_CPU_SCALAR] = {bw_tree_walk_nearest, bw_tree_walk_meet},
};

BwResult bw_tree_walk_choose(BwTreeWalk *walk, BwError *err)
{
    BwCpu cpu;
    BW_TRY(bw_cpu_choose(&cpu, err));
    *walk = walks[cpu];
    return BW_OK;
}
