// Bounds of the distance to one solid at the samples around a tile. Paths that end side by side look at the
// same samples; what was found out about one is kept until the next tile is at work.
#pragma once

#include "advect/interpolation.h"
#include "domain/domain.h"
#include "solid/distance_bounds.h"
#include <string.h>

enum { BW_SIGHT_WIDTH = BW_TILE + 2 * BW_REACH_MAX + 2 };

typedef struct BwSightNote {
    uint32_t round; // in which it was made
    BwDistanceBounds distance;
} BwSightNote;

typedef struct BwSightMemo {
    const BwSolidPose *solid; // that the notes are about; NULL: none is kept
    uint32_t round;           // of notes that count
    float slack;              // m: a sample is not at quite the same place from everywhere
    BwSightNote notes[BW_SIGHT_WIDTH * BW_SIGHT_WIDTH * BW_SIGHT_WIDTH];
} BwSightMemo;

// Forgets all, and begins to keep notes about a solid.
static inline void bw_sight_memo_begin(BwSightMemo *memo, const BwSolidPose *solid, float slack)
{
    memo->solid = solid;
    memo->slack = slack;
    if (++memo->round == 0) {
        memset(memo->notes, 0, sizeof memo->notes);
        memo->round = 1;
    }
}

// The note of a sample, counted from the tile's first; NULL where none is kept.
static inline BwSightNote *bw_sight_note(BwSightMemo *memo, const BwSolidPose *solid, const int sample[3])
{
    const int margin = BW_REACH_MAX + 1;
    int at = 0;
    if (memo->solid == NULL || memo->solid != solid)
        return NULL;
    for (int a = 2; a >= 0; a--) {
        int along = sample[a] + margin;
        if (along < 0 || along >= BW_SIGHT_WIDTH)
            return NULL;
        at = at * BW_SIGHT_WIDTH + along;
    }
    return &memo->notes[at];
}

static inline bool bw_sight_is_noted(const BwSightMemo *memo, const BwSightNote *note)
{
    return note != NULL && note->round == memo->round;
}

static inline BwDistanceBounds bw_sight_recall(const BwSightMemo *memo, const BwSightNote *note)
{
    return (BwDistanceBounds){note->distance.low - memo->slack, note->distance.high + memo->slack};
}

static inline void bw_sight_keep(const BwSightMemo *memo, BwSightNote *note, BwDistanceBounds distance)
{
    if (note != NULL)
        *note = (BwSightNote){memo->round, distance};
}
