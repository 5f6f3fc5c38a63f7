// What the files of VTK share: XML heads, and arrays that follow them as raw numbers ("appended"), each with
// its size in bytes before it.
#pragma once

#include "base/error.h"
#include "export/volume.h"

#include <stdio.h>

const char *bw_vtk_byte_order(void);
void bw_vtk_write_escaped(FILE *stream, const char *text);

// The time of a frame, as field data.
void bw_vtk_write_time(FILE *stream, double time);

typedef enum BwVtkType { BW_VTK_FLOAT32, BW_VTK_FLOAT64, BW_VTK_INT32, BW_VTK_INT64 } BwVtkType;

// Fills row n of an array: as many numbers of its type as it has components.
typedef void BwVtkRowFn(const void *context, int64_t n, void *row);

typedef struct BwVtkArray {
    const char *name; // NULL: coordinates of points, which need none
    BwVtkType type;
    int components;
    int64_t rows;
    BwVtkRowFn *row;
    const void *context;
} BwVtkArray;

// Says where the array begins in the appended part; gives where the next one will.
uint64_t bw_vtk_announce(FILE *stream, const BwVtkArray *array, uint64_t offset);
void bw_vtk_append(FILE *stream, const BwVtkArray *array);

// Attributes as arrays. Three floats that have a unit are vectors, which turn with the axes.
typedef struct BwVtkAttribute {
    const BwFrameAttribute *attribute;
    BwUp up;
} BwVtkAttribute;

BwVtkArray bw_vtk_attribute(const BwVtkAttribute *attribute, int64_t rows);
