// The state of a world after its last whole step, as a record: what checkpoints hold.
#pragma once

#include "base/record.h"
#include <billow/world.h>

// Borrowed until the next step. After a step that failed it is the state before it; NULL when memory is
// short.
const BwRecord *bw_world_record(BwWorld *world, BwError *err);

// Goes back, or on, to the recorded frame, which must be of the same scene, or `of_any_scene` of the same
// fluid, dimension, cell and fps. After a failure the world may only be destroyed.
BwResult bw_world_restore(BwWorld *world, const BwRecord *record, bool of_any_scene, BwError *err);

const BwAllocator *bw_world_allocator(const BwWorld *world);

// Of the run that the world belongs to; 0: none.
uint64_t bw_world_run_id(const BwWorld *world);
