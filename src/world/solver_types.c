// One table of solvers for each instruction set (cmake/cpus.cmake). Stam's box is the same in all: it chooses
// for itself, for it is embedded without a world as well (src/solvers/stable_cpus.c). So are recorded runs,
// which calculate little.
#include "world/solver_types.h"

#include "base/cpu.h"

#if BW_HAS_V3
extern const BwSolverType bw_fire_solver_v3, bw_liquid_solver_v3, bw_levelset_solver_v3, bw_smoke_solver_v3;
extern const BwSolverType bw_height_solver_v3, bw_chain_solver_v3;
#endif
#if BW_HAS_V4
extern const BwSolverType bw_fire_solver_v4, bw_liquid_solver_v4, bw_levelset_solver_v4, bw_smoke_solver_v4;
extern const BwSolverType bw_height_solver_v4, bw_chain_solver_v4;
#endif
#if BW_HAS_SCALAR
extern const BwSolverType bw_fire_solver_scalar, bw_liquid_solver_scalar, bw_levelset_solver_scalar,
    bw_smoke_solver_scalar, bw_height_solver_scalar, bw_chain_solver_scalar;
#endif

enum { SOLVERS = 8 };

static const BwSolverType *const types[BW_CPU_COUNT][SOLVERS] = {
    [BW_CPU_BASELINE] = {&bw_smoke_solver, &bw_fire_solver, &bw_liquid_solver, &bw_levelset_solver,
                         &bw_height_solver, &bw_chain_solver, &bw_stable_solver, &bw_recorded_solver},
#if BW_HAS_V3
    [BW_CPU_V3] = {&bw_smoke_solver_v3, &bw_fire_solver_v3, &bw_liquid_solver_v3, &bw_levelset_solver_v3,
                   &bw_height_solver_v3, &bw_chain_solver_v3, &bw_stable_solver, &bw_recorded_solver},
#endif
#if BW_HAS_V4
    [BW_CPU_V4] = {&bw_smoke_solver_v4, &bw_fire_solver_v4, &bw_liquid_solver_v4, &bw_levelset_solver_v4,
                   &bw_height_solver_v4, &bw_chain_solver_v4, &bw_stable_solver, &bw_recorded_solver},
#endif
#if BW_HAS_SCALAR
    [BW_CPU_SCALAR] = {&bw_smoke_solver_scalar, &bw_fire_solver_scalar, &bw_liquid_solver_scalar,
                       &bw_levelset_solver_scalar, &bw_height_solver_scalar, &bw_chain_solver_scalar,
                       &bw_stable_solver, &bw_recorded_solver},
#endif
};

BwResult bw_solver_type_find(const BwSolverType **type, const BwSceneDef *scene, BwError *err)
{
    BwCpu cpu;
    *type = NULL;
    BW_TRY(bw_cpu_choose(&cpu, err));
    for (int n = 0; n < SOLVERS; n++)
        if (types[cpu][n]->fluid == scene->fluid &&
            (types[cpu][n]->runs == NULL || types[cpu][n]->runs(scene)))
            *type = types[cpu][n];
    return BW_OK;
}
