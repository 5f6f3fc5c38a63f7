// What a fluid leaves to its flow.
#include "solvers/solver.h"

#include "operate/field_math.h"

BwResult bw_solver_drive(const BwSolverType *type, void *solver, double time, BwDrive *drive, BwError *err)
{
    if (type->drive != NULL)
        return type->drive(solver, time, drive, err);
    return bw_flow_drive(type->flow(solver), time, drive, err);
}

BwVec3 bw_solver_fastest_place(const BwSolverType *type, void *solver)
{
    if (type->fastest_place != NULL)
        return type->fastest_place(solver);
    const BwFlow *flow = type->flow(solver);
    return bw_velocity_fastest_place(flow->grid, &flow->velocity);
}

BwResult bw_solver_check(const BwSolverType *type, void *solver, double dt, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    if (type->check != NULL)
        return type->check(solver, dt, err);
    int count = type->state_fields(solver, fields);
    return bw_flow_check(type->flow(solver), fields, count, dt, err);
}

BwResult bw_solver_save(const BwSolverType *type, void *solver, BwRecord *record, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    if (type->save != NULL)
        return type->save(solver, record, err);
    int count = type->state_fields(solver, fields);
    return bw_flow_save(type->flow(solver), fields, count, record, err);
}

BwResult bw_solver_load(const BwSolverType *type, void *solver, const BwRecord *record, BwError *err)
{
    BwStateField fields[BW_STATE_FIELDS_MAX];
    if (type->load != NULL)
        return type->load(solver, record, err);
    int count = type->state_fields(solver, fields);
    return bw_flow_load(type->flow(solver), fields, count, record, err);
}

BwResult bw_solver_agree(const BwSolverType *type, void *solver, const BwRecord *record, BwError *err)
{
    return type->agree != NULL ? type->agree(solver, record, err)
                               : bw_flow_agree(type->flow(solver), record, err);
}
