// The words of scene scripts: every constructor and every field, with kind, unit, range, default, meaning and
// place in its Def. This one table drives defaults, checks, the reader of scripts and `billow describe`;
// nothing about a field is said anywhere else, save rules between fields (rules.c).
#pragma once

#include "scene/place.h"
#include <billow/scene.h>

typedef enum BwFieldKind {
    BW_FIELD_TEXT,               // const char *
    BW_FIELD_FLAG,               // bool
    BW_FIELD_INTEGER,            // int
    BW_FIELD_SEED,               // uint64_t
    BW_FIELD_NUMBER,             // float
    BW_FIELD_DOUBLE,             // double
    BW_FIELD_CHOICE,             // an enum, stored as int
    BW_FIELD_VECTOR,             // BwVec3
    BW_FIELD_COLOR,              // float[3]
    BW_FIELD_PAIR,               // float[2]
    BW_FIELD_AXES,               // bool[3]
    BW_FIELD_CURVE,              // BwCurve of one number
    BW_FIELD_VECTOR_CURVE,       // BwCurve of three
    BW_FIELD_PLACE_CURVE,        // BwCurve of one number, whose function is one of place and time
    BW_FIELD_VECTOR_PLACE_CURVE, // such a BwCurve of three
    BW_FIELD_CHOICE_CURVE,       // an enum at `offset`, and over time a BwCurve at `curve_offset`
    BW_FIELD_PLACE,              // BwPlaceCurve of one number
    BW_FIELD_VECTOR_PLACE,       // BwPlaceCurve of three
    BW_FIELD_SHAPE,              // BwShape
    BW_FIELD_PARTS,              // the BwShape's own parts, one or more; given without a name
    BW_FIELD_GROUP,              // a Def inside the Def
    BW_FIELD_OWNED_GROUP,        // a pointer to such a Def, NULL when not given
} BwFieldKind;

enum {
    BW_REQUIRED = 1,
    BW_ENDLESS = 2,     // infinity is a value
    BW_NAN_UNSET = 4,   // NaN in the Def means not given
    BW_ZERO_UNSET = 8,  // 0 in the Def means not given
    BW_IN_PLANE = 16,   // in 2-D z must be 0
    BW_ABOUT_Z = 32,    // in 2-D a turn: only z may differ from 0, and a script may write the number alone
    BW_DIRECTION = 64,  // a vector that must not be zero
    BW_DEFAULTED = 128, // a curve that starts as a constant
    BW_LOW_CORNER = 256,
    BW_HIGH_CORNER = 512, // of a box: without a z it is endless in z
    BW_ONE_PART = 1024,   // exactly one
};

typedef struct BwRange {
    double low, high;
    bool low_is_out; // above low, not at it
} BwRange;

typedef struct BwNames {
    const char *const *texts; // the text of an enum's value is at its number
    int count;
} BwNames;

typedef struct BwConstructor BwConstructor;

typedef struct BwSceneField {
    const char *name;
    BwFieldKind kind;
    size_t offset;
    const char *unit; // "1" for pure numbers, NULL where there is none
    BwRange range;
    int flags;
    const char *meaning;
    double value[3];      // the default
    const char *text;     // the default of texts; the default in words where the number means something else
    const BwNames *names; // choices
    const BwConstructor *group; // groups
    size_t curve_offset;        // choice curves
} BwSceneField;

// A BwCurve of three numbers.
static inline bool bw_field_is_vector_curve(const BwSceneField *field)
{
    return field->kind == BW_FIELD_VECTOR_CURVE || field->kind == BW_FIELD_VECTOR_PLACE_CURVE;
}

typedef enum BwConstructorUse {
    BW_USE_SINGLE, // once a scene; lives in BwSceneDef
    BW_USE_LIST,   // any number of times; an array and a count in BwSceneDef
    BW_USE_SHAPE,  // makes a value
    BW_USE_GROUP,  // only inside another
} BwConstructorUse;

// Checks what one field alone cannot show.
typedef BwResult BwRuleFn(const void *def, const BwPlace *place, BwError *err);

struct BwConstructor {
    const char *name;
    BwConstructorUse use;
    const BwSceneField *fields;
    int field_count;
    size_t size;         // of the Def
    size_t offset;       // in BwSceneDef: of the Def, or of the array's pointer
    size_t count_offset; // in BwSceneDef: lists
    BwShapeKind shape;
    bool first_alone;                  // a value that is not a table stands for the first field
    const char *const (*conflicts)[2]; // pairs of fields of which one may be given; ends with NULL
    BwRuleFn *rule;
    const char *meaning;
};

extern const BwConstructor bw_constructors[];
extern const int bw_constructor_count;

// By name or kind; NULL when there is none. Groups are not found by name.
const BwConstructor *bw_constructor_find(const char *name);
const BwConstructor *bw_constructor_of_shape(BwShapeKind kind);
const BwSceneField *bw_field_find(const BwConstructor *constructor, const char *name);

// How many Defs of this constructor a scene holds, and the one at `index`.
int bw_instance_count(const BwSceneDef *def, const BwConstructor *constructor);
const void *bw_instance_at(const BwSceneDef *def, const BwConstructor *constructor, int index);

// Fills a Def with the table's defaults.
void bw_constructor_defaults(const BwConstructor *constructor, void *def);
