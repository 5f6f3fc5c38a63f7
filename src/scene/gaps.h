// What a scene may ask for and this version does not do: refused by `run`, told by `check`, marked by
// `describe`, never ignored. All three read this one table; a row goes when the code that closes the gap
// comes.
#pragma once

#include "scene/vocabulary.h"

// The choice of a field that changes while the scene runs.
#define BW_OVER_TIME "over time"

// Whether a scene asks for it: `def` holds the field.
typedef bool BwGapFn(const BwSceneDef *scene, const void *def);

#define BW_ALL_FLUIDS (~0u)

typedef struct BwGap {
    unsigned fluids;         // bit n: fluid n has the gap; or BW_ALL_FLUIDS
    const char *constructor; // a group by its own name, such as "side"
    const char *field;       // NULL: the constructor as a whole
    const char *choice;      // one of a field's names, or one of those above; NULL: not the default
    const char *verb;        // what does not happen to it: "run", "written"
    const char *condition;   // in words, where only some scenes have the gap; else NULL
    BwGapFn *is_asked;       // NULL: as told by `choice`
} BwGap;

extern const BwGap bw_gaps[];
extern const int bw_gap_count;

// The rows of a constructor (no field), a field (no choice) or a choice, one after another from NULL on; NULL
// after the last. Parameters of a fluid share the row of their fluid.
const BwGap *bw_gap_next(const BwGap *before, const BwConstructor *constructor, const BwSceneField *field,
                         const char *choice);

// `run by this version with fluid "stable"`: what follows "not" where the gap is told.
enum { BW_GAP_TEXT = 160 };
void bw_gap_text(const BwGap *gap, char text[BW_GAP_TEXT]);

// Fails for the first gap that the scene asks for: "emitter.fuel cannot be run by this version".
BwResult bw_check_gaps(const BwSceneDef *scene, BwError *err);
