// A record: named arrays of plain numbers. It is the neutral form in which a solver hands out its state and
// takes it back, so that solvers know nothing of files, and files nothing of solvers. Its memory is kept from
// one use to the next.
#pragma once

#include "base/memory.h"

enum { BW_RECORD_ARRAYS_MAX = 48, BW_RECORD_NAME_SIZE = 32 };

typedef enum BwRecordType { BW_RECORD_INT32, BW_RECORD_FLOAT, BW_RECORD_DOUBLE } BwRecordType;

typedef struct BwRecordArray {
    char name[BW_RECORD_NAME_SIZE];
    BwRecordType type;
    int64_t rows, columns;
    void *values;    // row after row
    size_t capacity; // bytes of `values`
} BwRecordArray;

// All zero but the allocator is a valid empty one.
typedef struct BwRecord {
    BwAllocator allocator;
    BwRecordArray arrays[BW_RECORD_ARRAYS_MAX];
    int count;
} BwRecord;

// Empties the record and keeps its memory.
void bw_record_clear(BwRecord *record);
void bw_record_free(BwRecord *record);

// Adds an array for the caller to fill.
BwResult bw_record_add(BwRecord *record, const char *name, BwRecordType type, int64_t rows, int64_t columns,
                       void **values, BwError *err);
BwResult bw_record_add_number(BwRecord *record, const char *name, double value, BwError *err);

// Whether there is an array of that name. What files of older versions do not have may be missing, but not be
// of another shape.
bool bw_record_has(const BwRecord *record, const char *name);

// The array of that name, which must have that type and that many columns; `rows` is told, or, when it is
// not negative, must agree.
BwResult bw_record_find(const BwRecord *record, const char *name, BwRecordType type, int64_t *rows,
                        int64_t columns, const void **values, BwError *err);
BwResult bw_record_find_number(const BwRecord *record, const char *name, double *value, BwError *err);

// Fails when a float or double of the record is not finite, and names its array. The array called `except`,
// which may be NULL, is not looked at.
BwResult bw_record_check_finite(const BwRecord *record, const char *except, BwError *err);

size_t bw_record_type_size(BwRecordType type);

// Bytes of an array's values, and of all.
size_t bw_record_array_bytes(const BwRecordArray *array);
size_t bw_record_bytes(const BwRecord *record);
