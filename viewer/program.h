// Shader programs, textures and targets of OpenGL ES 3, or of OpenGL 3.3 where there is no ES: shaders are
// written in what both have.
#pragma once

#include "matrix.h"
#include <billow/base.h>
#include <epoxy/gl.h>

// Compiles and links; 0 and the compiler's words on stderr where it does not.
GLuint program_create(const char *name, const char *vertex, const char *fragment);

void program_matrix(GLuint program, const char *name, const Matrix *matrix);
void program_vector(GLuint program, const char *name, BwVec3 v);
void program_number(GLuint program, const char *name, float value);
void program_integer(GLuint program, const char *name, int value);
// Binds a texture to a unit and tells the program.
void program_texture(GLuint program, const char *name, int unit, GLenum target, GLuint texture);

// Draws a triangle that covers the target.
void program_cover(void);

// A texture of a picture's size that can be drawn to: RGBA8, or a depth.
GLuint texture_create_color(int width, int height);
GLuint texture_create_depth(int width, int height);

// Uploads floats as a 3-D texture of 16-bit floats with 1, 2 or 3 numbers a cell; makes or remakes it.
typedef struct Volume {
    GLuint texture;
    int size[3], components;
} Volume;
void volume_upload(Volume *volume, const float *values, const int size[3], int components);
void volume_free(Volume *volume);

// What went wrong since the last call, told on stderr with the place; counts all of them.
int program_check_errors(const char *place);
