// A thin layer over OpenGL.
#include "program.h"

#include <stdio.h>

static GLuint compile(const char *name, GLenum kind, const char *text)
{
    const char *head = epoxy_is_desktop_gl()
                           ? "#version 330 core\n"
                           : "#version 300 es\nprecision highp float;\nprecision highp int;\n"
                             "precision highp sampler2D;\nprecision highp sampler3D;\n";
    const char *parts[2] = {head, text};
    GLuint shader = glCreateShader(kind);
    GLint is_good = 0;
    glShaderSource(shader, 2, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_good);
    if (!is_good) {
        char words[2000] = "";
        glGetShaderInfoLog(shader, sizeof words, NULL, words);
        fprintf(stderr, "billow: shader %s: %s\n", name, words);
    }
    return shader;
}

GLuint program_create(const char *name, const char *vertex, const char *fragment)
{
    GLuint shaders[2] = {compile(name, GL_VERTEX_SHADER, vertex),
                         compile(name, GL_FRAGMENT_SHADER, fragment)};
    GLuint program = glCreateProgram();
    GLint is_good = 0;
    for (int n = 0; n < 2; n++)
        glAttachShader(program, shaders[n]);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_good);
    for (int n = 0; n < 2; n++)
        glDeleteShader(shaders[n]);
    if (is_good)
        return program;
    char words[2000] = "";
    glGetProgramInfoLog(program, sizeof words, NULL, words);
    fprintf(stderr, "billow: program %s: %s\n", name, words);
    glDeleteProgram(program);
    return 0;
}

void program_matrix(GLuint program, const char *name, const Matrix *matrix)
{
    glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, matrix->m);
}

void program_vector(GLuint program, const char *name, BwVec3 v)
{
    glUniform3f(glGetUniformLocation(program, name), v.x, v.y, v.z);
}

void program_number(GLuint program, const char *name, float value)
{
    glUniform1f(glGetUniformLocation(program, name), value);
}

void program_integer(GLuint program, const char *name, int value)
{
    glUniform1i(glGetUniformLocation(program, name), value);
}

void program_texture(GLuint program, const char *name, int unit, GLenum target, GLuint texture)
{
    glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
    glBindTexture(target, texture);
    program_integer(program, name, unit);
}

void program_cover(void)
{
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static GLuint create_target(GLenum format, int width, int height, GLint filter)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

GLuint texture_create_color(int width, int height)
{
    return create_target(GL_RGBA8, width, height, GL_LINEAR);
}

GLuint texture_create_depth(int width, int height)
{
    return create_target(GL_DEPTH_COMPONENT24, width, height, GL_NEAREST);
}

static void create_volume(Volume *volume, const int size[3], int components)
{
    static const GLenum formats[4] = {0, GL_R16F, GL_RG16F, GL_RGB16F};
    volume_free(volume);
    glGenTextures(1, &volume->texture);
    glBindTexture(GL_TEXTURE_3D, volume->texture);
    glTexStorage3D(GL_TEXTURE_3D, 1, formats[components], size[0], size[1], size[2]);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (int a = 0; a < 3; a++) {
        static const GLenum wraps[3] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
        glTexParameteri(GL_TEXTURE_3D, wraps[a], GL_CLAMP_TO_EDGE);
        volume->size[a] = size[a];
    }
    volume->components = components;
}

void volume_upload(Volume *volume, const float *values, const int size[3], int components)
{
    static const GLenum formats[4] = {0, GL_RED, GL_RG, GL_RGB};
    if (volume->texture == 0 || volume->components != components ||
        memcmp(volume->size, size, sizeof volume->size) != 0)
        create_volume(volume, size, components);
    glBindTexture(GL_TEXTURE_3D, volume->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage3D(GL_TEXTURE_3D, 0, 0, 0, 0, size[0], size[1], size[2], formats[components], GL_FLOAT,
                    values);
}

void volume_free(Volume *volume)
{
    glDeleteTextures(1, &volume->texture);
    *volume = (Volume){0};
}

int program_check_errors(const char *place)
{
    int count = 0;
    for (GLenum error = glGetError(); error != GL_NO_ERROR && count < 16; error = glGetError(), count++)
        fprintf(stderr, "billow: OpenGL error 0x%04x after %s\n", error, place);
    return count;
}
