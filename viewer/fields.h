// The fields of a snapshot as 3-D textures; 2-D fields are one layer thick.
#pragma once

#include "look.h"
#include "program.h"

typedef struct Fields {
    Volume volumes[CHANNEL_COUNT];
    bool has[CHANNEL_COUNT];
    float most[CHANNEL_COUNT]; // largest amount of a value, slowly following, so that colours do not flicker
    float ambient;             // of the temperature
    double own_seconds;        // of the last update, outside of OpenGL
} Fields;

void fields_update(Fields *fields, const View *view);
void fields_free(Fields *fields);

// Binds a field; one that is not there is a texture of nothing.
void fields_bind(const Fields *fields, GLuint program, const char *name, int unit, Channel channel);

// Tells a program where the fields are: `low` and `extent`, m, and `cell`.
void fields_place(const View *view, GLuint program);
