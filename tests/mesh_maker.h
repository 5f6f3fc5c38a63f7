// Meshes of known solids, for tests: a sphere and a torus as lists of triangles, and files of them.
#pragma once

#include "gate.h"
#include "solid/mesh.h"

#include <billow/shape.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Soup {
    BwVec3 corner[3];
} Soup;

// On a sphere about the origin: u goes round, v from pole to pole, both 0 to 1.
static inline BwVec3 sphere_point(double u, double v, double radius)
{
    double a = 2.0 * 3.14159265358979323846 * u, b = 3.14159265358979323846 * v;
    return bw_vec3((float)(radius * sin(b) * cos(a)), (float)(radius * cos(b)),
                   (float)(radius * sin(b) * sin(a)));
}

// On a torus about y.
static inline BwVec3 torus_point(double u, double v, double radius, double tube)
{
    double a = 2.0 * 3.14159265358979323846 * u, b = 2.0 * 3.14159265358979323846 * v;
    double away = radius + tube * cos(b);
    return bw_vec3((float)(away * cos(a)), (float)(-tube * sin(b)), (float)(away * sin(a)));
}

// Two triangles for each of `round` x `along` quads, facing out; a tube of 0 makes a sphere. Gives the count.
static inline int make_soup(Soup *soup, int round, int along, double radius, double tube)
{
    int count = 0;
    for (int j = 0; j < along; j++)
        for (int i = 0; i < round; i++) {
            BwVec3 p[4];
            for (int n = 0; n < 4; n++) {
                // The last row and column are the first ones exactly, and so are the points of a pole.
                int column = (i + (n & 1)) % round, row = j + (n >> 1);
                bool is_pole = tube == 0.0 && (row == 0 || row == along);
                double u = is_pole ? 0.0 : (double)column / round, v = (double)row / along;
                p[n] = tube == 0.0 ? sphere_point(u, v, radius)
                                   : torus_point(u, (double)(row % along) / along, radius, tube);
                if (is_pole)
                    p[n].x = p[n].z = 0.0f;
            }
            if (tube > 0.0 || j > 0)
                soup[count++] = (Soup){{p[0], p[1], p[2]}};
            if (tube > 0.0 || j < along - 1)
                soup[count++] = (Soup){{p[1], p[3], p[2]}};
        }
    return count;
}

static inline void write_obj(const char *path, const Soup *soup, int count)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
            fprintf(stream, "v %.9g %.9g %.9g\n", (double)soup[n].corner[c].x, (double)soup[n].corner[c].y,
                    (double)soup[n].corner[c].z);
    for (int n = 0; n < count; n++)
        fprintf(stream, "f %d %d/1 %d//2\n", 3 * n + 1, 3 * n + 2, 3 * n + 3);
    assert_int_equal(fclose(stream), 0);
}

// The triangles as a shape, read back from a file; the caller destroys its content. A thickness makes sheets.
static inline BwShape load_soup_as(const Soup *soup, int count, float thickness)
{
    char path[] = "/tmp/billow-test-XXXXXX.obj";
    BwError err = {0};
    BwShapeFile *content;
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f, .thickness = thickness, .file = "mesh.obj"};
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_obj(path, soup, count);
    if (bw_shape_file_load(&content, &shape, path, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    unlink(path);
    shape.content = content;
    return shape;
}

static inline BwShape load_soup(const Soup *soup, int count)
{
    return load_soup_as(soup, count, 0.0f);
}
