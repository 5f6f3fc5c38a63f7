// What a solver is to the world: made from a scene, stepped, measured, and asked for frames. Each solver is
// one table of functions; the world never knows which one it holds.
#pragma once

#include "base/log.h"
#include "base/pool.h"
#include "base/record.h"
#include "base/stop.h"
#include "flow/flow.h"
#include <billow/world.h>

typedef struct BwSolverSetup {
    const BwSceneDef *scene; // checked
    BwAllocator allocator;
    BwPool *pool;
    BwLog log;
    BwWatch watch;                   // of the creation
    const volatile int *const *stop; // of the step at work: not 0 once somebody asks; either may be NULL
} BwSolverSetup;

// What may be NULL is done by the solver's flow, if it has one.
typedef struct BwSolverType {
    BwFluid fluid;
    bool (*runs)(const BwSceneDef *scene); // whether it is this one of its fluid's; NULL: there is but one
    // A solver at time 0, with what is there at the start.
    BwResult (*create)(void **solver, const BwSolverSetup *def, BwError *err);
    void (*destroy)(void *solver);
    // The longest step from here, s, by the scene's cfl; infinity when nothing moves.
    BwResult (*step_limit)(void *solver, double time, double *limit, BwError *err);
    // Advances from `time` to `time + dt`, and adds to the frame's stats.
    BwResult (*step)(void *solver, double time, double dt, BwStats *stats, BwError *err);
    // What a frame's stats tell of its end: tiles, mass, speed, divergence.
    void (*measure)(void *solver, BwStats *stats);
    // Fills the tiles, fields and solids of a frame; its arrays stay the solver's, until the next call or
    // step. Fields that `kept`, the saved state of this moment, holds are shown from there; NULL: all are
    // copied.
    BwResult (*frame)(void *solver, const BwRecord *kept, BwFrame *frame, BwError *err);

    // The flow of a fluid that has one, and the fields of its state, with those of the flow; gives their
    // number.
    BwFlow *(*flow)(void *solver);
    int (*state_fields)(void *solver, BwStateField list[BW_STATE_FIELDS_MAX]);

    // What drives the fluid at this time, and where it is fastest. May be NULL, as may all below.
    BwResult (*drive)(void *solver, double time, BwDrive *drive, BwError *err);
    BwVec3 (*fastest_place)(void *solver);
    // Whether the last step, of `dt`, left something to go on from; BW_ERR_NUMERICS says what is wrong,
    // where.
    BwResult (*check)(void *solver, double dt, BwError *err);
    // The whole state: a solver made from the same scene that loads it goes on with the same bits.
    BwResult (*save)(void *solver, BwRecord *record, BwError *err);
    BwResult (*load)(void *solver, const BwRecord *record, BwError *err);
    // Whether a state that was just loaded agrees with itself and the scene, as every saved one does.
    BwResult (*agree)(void *solver, const BwRecord *record, BwError *err);
} BwSolverType;

// The calls that a type may leave to its flow.
BwResult bw_solver_drive(const BwSolverType *type, void *solver, double time, BwDrive *drive, BwError *err);
BwVec3 bw_solver_fastest_place(const BwSolverType *type, void *solver);
BwResult bw_solver_check(const BwSolverType *type, void *solver, double dt, BwError *err);
BwResult bw_solver_save(const BwSolverType *type, void *solver, BwRecord *record, BwError *err);
BwResult bw_solver_load(const BwSolverType *type, void *solver, const BwRecord *record, BwError *err);
BwResult bw_solver_agree(const BwSolverType *type, void *solver, const BwRecord *record, BwError *err);

// Between the stages of a step, whose state is thrown away then: the world keeps that of the last whole
// frame.
static inline BwResult bw_obey_stop(const volatile int *const *stop, BwError *err)
{
    bool is_asked = stop != NULL && bw_is_asked_to_stop(*stop);
    return is_asked ? bw_fail(err, BW_ERR_INTERRUPTED, "interrupted within a step") : BW_OK;
}

extern const BwSolverType bw_fire_solver;
extern const BwSolverType bw_height_solver;
extern const BwSolverType bw_chain_solver;
extern const BwSolverType bw_levelset_solver;
extern const BwSolverType bw_liquid_solver;
extern const BwSolverType bw_recorded_solver;
extern const BwSolverType bw_smoke_solver;
extern const BwSolverType bw_stable_solver;
