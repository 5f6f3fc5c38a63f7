// Particles, columns and meshes in a record, so that frames and the states of solvers keep them alike. A set
// called "water" is the arrays "water.particles" (or ".columns", ".mesh"), which is its head,
// "water.particles.positions" and so on; "water.particles.attributes" names its attributes and their units,
// and "water.particles.velocity" holds the numbers of one.
#pragma once

#include "base/record.h"
#include "grid/frame_check.h"

enum { BW_ATTRIBUTES_MAX = 16, BW_SET_PATH_SIZE = BW_FRAME_NAME_SIZE + 12 };

// Copies a set into the record. Fails with BW_ERR_DEF where the set is not one that can be read, or where
// there are more attributes, longer units or more arrays than a record has room for.
BwResult bw_record_add_particles(BwRecord *record, const BwFrameParticles *set, BwError *err);
BwResult bw_record_add_columns(BwRecord *record, const BwFrameColumns *set, BwError *err);
BwResult bw_record_add_mesh(BwRecord *record, const BwFrameMesh *mesh, BwError *err);

// A set of a record, with the texts that it points to. Must not move; lives as long as the record is not
// changed.
typedef struct BwSetView {
    union {
        BwFrameParticles particles;
        BwFrameColumns columns;
        BwFrameMesh mesh;
    };
    char name[BW_FRAME_NAME_SIZE], path[BW_SET_PATH_SIZE];
    BwFrameAttribute attributes[BW_ATTRIBUTES_MAX];
    char names[BW_ATTRIBUTES_MAX][BW_FRAME_NAME_SIZE];
    char units[BW_ATTRIBUTES_MAX][BW_UNIT_SIZE];
} BwSetView;

// The set of that name. What comes from a file is checked: counts must agree, numbers be finite, indices in
// range; the message names the array.
BwResult bw_record_find_particles(const BwRecord *record, const char *name, BwSetView *view, BwError *err);
BwResult bw_record_find_columns(const BwRecord *record, const char *name, BwSetView *view, BwError *err);
BwResult bw_record_find_mesh(const BwRecord *record, const char *name, BwSetView *view, BwError *err);

typedef enum BwSetKind { BW_SET_PARTICLES, BW_SET_COLUMNS, BW_SET_MESH } BwSetKind;

// How many sets of a kind the record has, and the name of the n-th of them, in the order they were added.
int bw_record_count_sets(const BwRecord *record, BwSetKind kind);
BwResult bw_record_name_set(const BwRecord *record, BwSetKind kind, int n, char name[BW_FRAME_NAME_SIZE],
                            BwError *err);

// A text of fewer than `size` letters as that many numbers, zeros at the end, and back; false where they are
// no text.
void bw_record_put_text(int32_t *letters, int size, const char *text);
bool bw_record_take_text(char *text, int size, const int32_t *letters);
