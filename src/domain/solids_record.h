// Poses of solids in a record, as "solids": where each is and where it was a step ago, position, then
// rotation.
#pragma once

#include "base/record.h"
#include "domain/domain.h"

#include <stddef.h>
#include <string.h>

enum { BW_POSE_NUMBERS = 14 };
_Static_assert(2 * sizeof(BwPose) == BW_POSE_NUMBERS * sizeof(float), "a pose is seven floats");
_Static_assert(offsetof(BwSolidPose, before) == offsetof(BwSolidPose, pose) + sizeof(BwPose),
               "the two poses follow each other");

static inline BwResult bw_solids_save(const BwSolidPose *solids, int count, BwRecord *record, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, "solids", BW_RECORD_FLOAT, count, BW_POSE_NUMBERS, &values, err));
    for (int n = 0; n < count; n++)
        memcpy((char *)values + (size_t)n * 2 * sizeof(BwPose), &solids[n].pose, 2 * sizeof(BwPose));
    return BW_OK;
}

static inline BwResult bw_solids_load(BwSolidPose *solids, int count, const BwRecord *record, BwError *err)
{
    const void *values;
    int64_t rows = count;
    BW_TRY(bw_record_find(record, "solids", BW_RECORD_FLOAT, &rows, BW_POSE_NUMBERS, &values, err));
    for (int n = 0; n < count; n++)
        memcpy(&solids[n].pose, (const char *)values + (size_t)n * 2 * sizeof(BwPose), 2 * sizeof(BwPose));
    return BW_OK;
}
