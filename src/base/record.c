// Records: a short list, searched by name.
#include "base/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const type_names[] = {"int32", "float", "double"};

size_t bw_record_type_size(BwRecordType type)
{
    return type == BW_RECORD_DOUBLE ? 8 : 4;
}

size_t bw_record_array_bytes(const BwRecordArray *array)
{
    return (size_t)array->rows * (size_t)array->columns * bw_record_type_size(array->type);
}

size_t bw_record_bytes(const BwRecord *record)
{
    size_t sum = 0;
    for (int n = 0; n < record->count; n++)
        sum += bw_record_array_bytes(&record->arrays[n]);
    return sum;
}

void bw_record_clear(BwRecord *record)
{
    record->count = 0;
}

void bw_record_free(BwRecord *record)
{
    for (int n = 0; n < BW_RECORD_ARRAYS_MAX; n++)
        bw_free(&record->allocator, record->arrays[n].values, record->arrays[n].capacity, BW_ALIGN);
    *record = (BwRecord){.allocator = record->allocator};
}

// What was in the array is not wanted any more, so growing copies nothing. An eighth of spare room lets a
// state grow for a while.
static BwResult make_room(const BwAllocator *allocator, BwRecordArray *array, size_t bytes, BwError *err)
{
    if (bytes <= array->capacity)
        return BW_OK;
    bw_free(allocator, array->values, array->capacity, BW_ALIGN);
    array->capacity = 0;
    array->values = bw_alloc(allocator, bytes + bytes / 8, BW_ALIGN);
    if (array->values == NULL)
        return bw_fail_memory(err);
    array->capacity = bytes + bytes / 8;
    return BW_OK;
}

BwResult bw_record_add(BwRecord *record, const char *name, BwRecordType type, int64_t rows, int64_t columns,
                       void **values, BwError *err)
{
    BW_ASSERT(record->count < BW_RECORD_ARRAYS_MAX && strlen(name) < BW_RECORD_NAME_SIZE);
    BwRecordArray *array = &record->arrays[record->count];
    BW_TRY(make_room(&record->allocator, array, (size_t)rows * (size_t)columns * bw_record_type_size(type),
                     err));
    snprintf(array->name, sizeof array->name, "%s", name);
    array->type = type;
    array->rows = rows;
    array->columns = columns;
    record->count++;
    *values = array->values;
    return BW_OK;
}

BwResult bw_record_add_number(BwRecord *record, const char *name, double value, BwError *err)
{
    void *values;
    BW_TRY(bw_record_add(record, name, BW_RECORD_DOUBLE, 1, 1, &values, err));
    memcpy(values, &value, sizeof value);
    return BW_OK;
}

static const BwRecordArray *find(const BwRecord *record, const char *name)
{
    for (int n = 0; n < record->count; n++)
        if (strcmp(record->arrays[n].name, name) == 0)
            return &record->arrays[n];
    return NULL;
}

bool bw_record_has(const BwRecord *record, const char *name)
{
    return find(record, name) != NULL;
}

BwResult bw_record_find(const BwRecord *record, const char *name, BwRecordType type, int64_t *rows,
                        int64_t columns, const void **values, BwError *err)
{
    const BwRecordArray *array = find(record, name);
    if (array == NULL)
        return bw_fail(err, BW_ERR_FORMAT, "the state has no \"%s\"", name);
    if (array->type != type || array->columns != columns)
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state is %lld wide, of %s; it must be %lld, of %s",
                       name, (long long)array->columns, type_names[array->type], (long long)columns,
                       type_names[type]);
    if (*rows >= 0 && array->rows != *rows)
        return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state has %lld rows; it must have %lld", name,
                       (long long)array->rows, (long long)*rows);
    *rows = array->rows;
    *values = array->values;
    return BW_OK;
}

BwResult bw_record_find_number(const BwRecord *record, const char *name, double *value, BwError *err)
{
    const void *values;
    int64_t rows = 1;
    BW_TRY(bw_record_find(record, name, BW_RECORD_DOUBLE, &rows, 1, &values, err));
    memcpy(value, values, sizeof *value);
    return BW_OK;
}

static double value_at(const BwRecordArray *array, int64_t n)
{
    return array->type == BW_RECORD_FLOAT ? (double)((const float *)array->values)[n]
                                          : ((const double *)array->values)[n];
}

static BwResult check_array_finite(const BwRecordArray *array, BwError *err)
{
    for (int64_t n = 0; n < array->rows * array->columns; n++)
        if (!isfinite(value_at(array, n)))
            return bw_fail(err, BW_ERR_FORMAT, "\"%s\" of the state holds %g", array->name,
                           value_at(array, n));
    return BW_OK;
}

BwResult bw_record_check_finite(const BwRecord *record, const char *except, BwError *err)
{
    for (int n = 0; n < record->count; n++)
        if (record->arrays[n].type != BW_RECORD_INT32 &&
            (except == NULL || strcmp(record->arrays[n].name, except) != 0))
            BW_TRY(check_array_finite(&record->arrays[n], err));
    return BW_OK;
}
