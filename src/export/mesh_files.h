// What files of meshes and particles share.
#pragma once

#include "export/vtk.h"

#include <math.h>
#include <string.h>

// Checks Def and path, and begins the file.
BwResult bw_mesh_begin(const BwVolumeDef *def, BwVolumeDef *checked, const char *path, BwFileWriter *writer,
                       BwError *err);

// A place on the axes of the file.
void bw_turn_place(const double place[3], BwUp up, double turned[3]);
void bw_vertex_place(const BwFrameMesh *mesh, int32_t n, BwUp up, double place[3]);

// Floats, which every reader takes, are exact where vertices are: counted from an origin that is not zero
// they need doubles.
bool bw_mesh_needs_doubles(const BwFrameMesh *mesh);

// A colour is three bytes in the files that know one.
static inline bool bw_is_color(const BwFrameAttribute *attribute)
{
    return strcmp(attribute->name, "color") == 0 && attribute->components == 3 && attribute->values != NULL;
}

static inline uint8_t bw_color_byte(float value)
{
    return isfinite(value) ? (uint8_t)lrintf(255.0f * fminf(fmaxf(value, 0.0f), 1.0f)) : 0;
}
