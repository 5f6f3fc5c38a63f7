// Files of shapes: the same box in every format, ground, voxels and points where they should be, and what is
// said of files that are broken.
#include "gate.h"
#include "scratch_folder.h"
#include "solid/heights_detail.h"
#include "solid/shape_file.h"
#include "strict_allocator.h"
#include <billow/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef BW_HAVE_PNG
#include <png.h>
#endif

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void load(BwShape *shape, const char *path)
{
    BwError err = {0};
    BwShapeFile *content;
    if (bw_shape_file_load(&content, shape, path, NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    shape->content = content;
}

static void unload(BwShape *shape)
{
    bw_shape_file_destroy((BwShapeFile *)(uintptr_t)shape->content);
}

// The box from (0, 0, 0) to (1, 2, 3).
static const float box_points[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0},
                                       {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}};
static const int box_quads[6][4] = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 4, 7, 3}};

static void write_box_ply_text(FILE *stream)
{
    fputs("ply\r\nformat ascii 1.0\r\ncomment ours\r\nelement vertex 8\r\nproperty float x\r\nproperty uchar "
          "red\r\nproperty float y\r\nproperty float z\r\nelement face 6\r\nproperty list uchar int "
          "vertex_indices\r\nend_header\r\n",
          stream);
    for (int n = 0; n < 8; n++)
        fprintf(stream, "%g 7 %g %g\r\n", (double)box_points[n][0], (double)box_points[n][1],
                (double)box_points[n][2]);
    for (int n = 0; n < 6; n++)
        fprintf(stream, "4 %d %d %d %d\r\n", box_quads[n][0], box_quads[n][1], box_quads[n][2],
                box_quads[n][3]);
}

static void write_swapped(FILE *stream, const void *value, int size, bool is_big)
{
    const char *bytes = value; // of a little-endian machine
    for (int n = 0; n < size; n++)
        fputc(bytes[is_big ? size - 1 - n : n], stream);
}

static void write_box_ply_binary(FILE *stream, bool is_big)
{
    fprintf(
        stream,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 8\nproperty double x\nproperty float y\nproperty "
        "float z\nelement face 6\nproperty ushort flags\nproperty list uchar uint vertex_index\nend_header\n",
        is_big ? "big" : "little");
    for (int n = 0; n < 8; n++) {
        double x = (double)box_points[n][0];
        write_swapped(stream, &x, 8, is_big);
        write_swapped(stream, &box_points[n][1], 4, is_big);
        write_swapped(stream, &box_points[n][2], 4, is_big);
    }
    for (int n = 0; n < 6; n++) {
        fwrite("\1\2\4", 1, 3, stream);
        for (int c = 0; c < 4; c++)
            write_swapped(stream, &box_quads[n][c], 4, is_big);
    }
}

static void write_box_stl(FILE *stream, bool is_text)
{
    char header[80] = "solid, so it says, but it is binary";
    unsigned count = 12;
    if (is_text)
        fputs("solid box of ours\n", stream);
    else
        fwrite(header, 1, 80, stream), fwrite(&count, 4, 1, stream);
    for (int n = 0; n < 12; n++) {
        static const int corners[2][3] = {{0, 1, 2}, {0, 2, 3}};
        float zero[3] = {0};
        if (is_text)
            fputs("  facet normal 0 nan 0\n    outer loop\n", stream);
        else
            fwrite(zero, 4, 3, stream);
        for (int c = 0; c < 3; c++) {
            const float *p = box_points[box_quads[n / 2][corners[n % 2][c]]];
            if (is_text)
                fprintf(stream, "      vertex %e %e %e\n", (double)p[0], (double)p[1], (double)p[2]);
            else
                fwrite(p, 4, 3, stream);
        }
        if (is_text)
            fputs("    endloop\n  endfacet\n", stream);
        else
            fwrite("\0", 1, 2, stream);
    }
    if (is_text)
        fputs("endsolid box of ours\n", stream);
}

static void write_box_obj(FILE *stream)
{
    fputs("# ours\nmtllib none.mtl\no box\n", stream);
    for (int n = 0; n < 8; n++)
        fprintf(stream, "v %.1f %.1f +%.1fe0 1.0\n", (double)box_points[n][0], (double)box_points[n][1],
                (double)box_points[n][2]);
    fputs("vt 0 0\nvn 0 0 1\ns off\n", stream);
    for (int n = 0; n < 6; n++)
        fprintf(stream, "f %d/1/1 %d//1 %d %d/1\n", box_quads[n][0] + 1, box_quads[n][1] + 1,
                box_quads[n][2] - 8, box_quads[n][3] - 8);
}

static void the_same_box_in_every_format(void **state)
{
    (void)state;
    static const char *const names[] = {"a.obj", "b.ply", "c.ply", "d.PLY", "e.stl", "f.STL"};
    BwShape exact = {.kind = BW_SHAPE_BOX, .b = {1, 2, 3}};
    for (int n = 0; n < 6; n++) {
        FILE *stream = fopen(names[n], "wb");
        assert_non_null(stream);
        if (n == 0)
            write_box_obj(stream);
        else if (n == 1)
            write_box_ply_text(stream);
        else if (n < 4)
            write_box_ply_binary(stream, n == 3);
        else
            write_box_stl(stream, n == 4);
        assert_int_equal(fclose(stream), 0);
        BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f};
        load(&shape, names[n]);
        assert_null(bw_shape_file_warning(shape.content));
        assert_int_equal(shape.content->tree.triangle_count, 12);
        for (float x = -0.4f; x < 1.5f; x += 0.3f)
            for (float y = -0.45f; y < 2.5f; y += 0.4f)
                for (float z = -0.45f; z < 3.5f; z += 0.4f) {
                    BwVec3 p = bw_vec3(x, y, z);
                    float wanted = bw_shape_distance(&exact, p), is = bw_shape_distance(&shape, p);
                    assert_float_equal(is, wanted, 0.03f);
                    assert_int_equal(is < 0.0f, wanted < 0.0f);
                }
        unload(&shape);
    }
}

static void ground_from_a_picture(void **state)
{
    (void)state;
    // A slope along x from 0 to 255, of three rows; pixels are 0.5 m apart and white is 4 m up: 1 in 1.
    static const char pgm[] =
        "P2\n# a slope\n9 3 # columns and rows\n8\n0 1 2 3 4 5 6 7 8  0 1 2 3 4 5 6 7 8\n"
        "0 1 2 3 4 5 6 7 8\n";
    BwShape ground = {.kind = BW_SHAPE_HEIGHTMAP, .factor = 0.5f, .height = 4.0f};
    write_bytes("slope.pgm", pgm, sizeof pgm - 1);
    load(&ground, "slope.pgm");
    assert_null(bw_shape_file_warning(ground.content));
    BwBox bounds = bw_shape_bounds(&ground);
    assert_float_equal(bounds.high.x, 4.0f, 1e-5f);
    assert_float_equal(bounds.high.y, 4.0f, 1e-5f);
    assert_float_equal(bounds.high.z, 1.0f, 1e-5f);
    assert_float_equal(bounds.low.y, -4.0f, 1e-5f);
    for (float x = 0.8f; x < 3.2f; x += 0.4f) {
        assert_float_equal(bw_shape_distance(&ground, bw_vec3(x, x + 0.1f, 0.5f)), 0.1f * sqrtf(0.5f), 1e-4f);
        assert_float_equal(bw_shape_distance(&ground, bw_vec3(x, x - 0.1f, 0.5f)), -0.1f * sqrtf(0.5f),
                           1e-4f);
    }
    unload(&ground);
    // Two bytes a pixel; one row is a profile for flat scenes.
    static const char raw[] = "P5 3 1 65535\n\0\0\x80\0\xff\xff";
    write_bytes("profile.pgm", raw, sizeof raw - 1);
    ground = (BwShape){.kind = BW_SHAPE_HEIGHTMAP, .factor = 1.0f, .height = 1.0f};
    load(&ground, "profile.pgm");
    assert_float_equal(bw_shape_distance(&ground, bw_vec3(1.0f, 0.6f, 0.0f)), 0.1f * cosf(atanf(0.5f)),
                       1e-3f);
    assert_true(bw_shape_distance(&ground, bw_vec3(1.0f, 0.45f, 0.0f)) < 0.0f);
    unload(&ground);
}

// Heights of a picture of 64 x 64 pixels: level, or a wave of 16 pixels along both axes.
static BwHeights picture_of_wave(double amplitude)
{
    static const BwFileBytes file = {.name = "wave"};
    BwHeights heights = {.allocator = bw_allocator_or_default((BwAllocator){0})};
    assert_int_equal(bw_heights_create(&heights, &file, 64, 64, NULL), BW_OK);
    for (int n = 0; n < 64 * 64; n++)
        heights.values[n] = (float)(0.5 + amplitude * sin(0.125 * 3.14159265 * (n % 64)) *
                                              sin(0.125 * 3.14159265 * (n / 64)));
    return heights;
}

// How far the values between the pixels are from the wave, at most or in the mean of squares; away from the
// rim.
static void compare_with_wave(const BwHeights *fine, double amplitude, double *most, double *mean)
{
    int count = 0;
    *most = *mean = 0.0;
    for (int k = 6; k < fine->rows - 6; k++)
        for (int i = 6; i < fine->columns - 6; i++, count++) {
            double wave = 0.5 + amplitude * sin(0.125 * 3.14159265 * i / BW_HEIGHTS_FINER) *
                                    sin(0.125 * 3.14159265 * k / BW_HEIGHTS_FINER),
                   off = (double)fine->values[k * fine->columns + i] - wave;
            *most = fmax(*most, fabs(off));
            *mean += off * off;
        }
    *mean = sqrt(*mean / count);
}

// Patches go through the pixels and are smooth between; noise on top has the height that is asked for.
static void ground_has_detail(void **state)
{
    (void)state;
    static const BwFileBytes file = {.name = "wave"};
    double most, mean;
    BwHeights heights = picture_of_wave(0.3);
    assert_int_equal(bw_heights_add_detail(&heights, &file, 0.0f, NULL), BW_OK);
    assert_int_equal(heights.columns, 63 * BW_HEIGHTS_FINER + 1);
    compare_with_wave(&heights, 0.3, &most, &mean);
    gate("heights_patch_error", most / 0.3, GATE_BELOW, 0.002); // straight lines: .017
    bw_heights_free(&heights);
    heights = picture_of_wave(0.0);
    assert_int_equal(bw_heights_add_detail(&heights, &file, 0.1f, NULL), BW_OK);
    compare_with_wave(&heights, 0.0, &most, &mean);
    gate("heights_detail_off", fabs(mean / 0.1 - 1.0), GATE_BELOW, 0.1);
    gate("heights_detail_most", most / 0.1, GATE_BELOW, 5.0);
    bw_heights_free(&heights);
    // As a shape: closed, and as large as the picture.
    static const char pgm[] = "P2 3 3 2\n1 1 1 1 1 1 1 1 1\n";
    BwShape ground = {.kind = BW_SHAPE_HEIGHTMAP, .factor = 0.5f, .height = 2.0f, .detail = 0.05f};
    write_bytes("level.pgm", pgm, sizeof pgm - 1);
    load(&ground, "level.pgm");
    assert_null(bw_shape_file_warning(ground.content));
    BwBox bounds = bw_shape_bounds(&ground);
    assert_float_equal(bounds.high.x, 1.0f, 1e-5f);
    assert_float_equal(bounds.high.z, 1.0f, 1e-5f);
    assert_float_equal(bounds.low.y, -1.0f, 1e-5f);
    assert_true(bounds.high.y > 1.0f && bounds.high.y < 1.25f);
    unload(&ground);
    // Needles: winding numbers between them took half a minute.
    BwShapeFile *content;
    BwError err = {0};
    ground.detail = 2.1f;
    assert_int_equal(bw_shape_file_load(&content, &ground, "level.pgm", NULL, &err), BW_ERR_FORMAT);
    assert_string_equal(err.message, "level.pgm: detail is 4.2 times scale, the way between two pixels; its "
                                     "features are one and two of these wide, and it must be 4 of them high "
                                     "at most");
}

#ifdef BW_HAVE_PNG
static void ground_from_a_png(void **state)
{
    (void)state;
    png_uint_16 grey[8 * 8];
    for (int n = 0; n < 64; n++)
        grey[n] = (png_uint_16)(n % 8 * 9362); // 65534 / 7
    FILE *stream = fopen("slope.png", "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, stream);
    png_set_IHDR(png, info, 8, 8, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_ADAM7, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_swap(png);
    png_bytep rows[8];
    for (int n = 0; n < 8; n++)
        rows[n] = (png_bytep)&grey[8 * n];
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(stream), 0);
    BwShape ground = {.kind = BW_SHAPE_HEIGHTMAP, .factor = 1.0f, .height = 7.0f};
    load(&ground, "slope.png");
    for (float x = 1.5f; x < 6.0f; x += 0.7f)
        assert_float_equal(bw_shape_distance(&ground, bw_vec3(x, x + 0.2f, 3.5f)), 0.2f * sqrtf(0.5f), 1e-3f);
    unload(&ground);
}
#endif

static void voxels_are_cubes(void **state)
{
    (void)state;
    static const char text[] =
        "NRRD0004\n# two cubes that touch along an edge\ntype: unsigned char\ndimension: 3\n"
        "sizes: 2 2 1\nspacings: 1 1 1\nencoding: text\n\n1 0\n0 200\n";
    BwShape voxels = {.kind = BW_SHAPE_VOXELS, .factor = 0.1f, .threshold = 0.5f};
    write_bytes("v.nrrd", text, sizeof text - 1);
    load(&voxels, "v.nrrd");
    assert_null(bw_shape_file_warning(voxels.content));
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.05f, 0.05f, 0.05f)), -0.05f, 2e-3f);
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.15f, 0.15f, 0.05f)), -0.05f, 2e-3f);
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.15f, 0.05f, 0.05f)), 0.05f, 2e-3f);
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.05f, 0.25f, 0.05f)), 0.0707f, 2e-3f);
    unload(&voxels);
    char raw[200];
    int length =
        snprintf(raw, sizeof raw, "NRRD0001\ntype: float\nsizes: 1 1 2\nendian: big\nencoding: raw\n\n");
    memcpy(raw + length, "\x3f\x80\0\0\0\0\0\0", 8); // 1 and 0
    write_bytes("v.nrrd", raw, (size_t)length + 8);
    load(&voxels, "v.nrrd");
    assert_true(bw_shape_distance(&voxels, bw_vec3(0.05f, 0.05f, 0.05f)) < 0.0f);
    assert_true(bw_shape_distance(&voxels, bw_vec3(0.05f, 0.05f, 0.15f)) > 0.0f);
    unload(&voxels);
}

static void points_are_balls(void **state)
{
    (void)state;
    static const char text[] = "# x y z, and a colour\n1 2 3 255 0 0\n\n4 2 3\n1 7 3\n";
    BwShape points = {.kind = BW_SHAPE_POINTS, .factor = 0.5f, .radius = 0.25f};
    write_bytes("p.xyz", text, sizeof text - 1);
    load(&points, "p.xyz");
    assert_float_equal(bw_shape_distance(&points, bw_vec3(0.5f, 1.0f, 1.5f)), -0.25f, 1e-5f);
    assert_float_equal(bw_shape_distance(&points, bw_vec3(2.0f, 1.1f, 1.5f)), -0.15f, 1e-3f);
    assert_float_equal(bw_shape_distance(&points, bw_vec3(2.0f, 1.3f, 1.5f)), 0.05f, 0.01f);
    assert_float_equal(bw_shape_bounds(&points).high.y, 3.75f, 1e-5f);
    unload(&points);
}

static void what_is_wrong_with_a_file_is_told(void **state)
{
    (void)state;
    static const struct {
        BwShapeKind kind;
        const char *name, *text, *message;
    } cases[] = {
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\nv 1 zero 0\n",
         "a.obj:2: \"zero\" stands where there must be a number, one of x, y and z"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0\n",
         "a.obj:1: the line ends here; there must be a number, one of x, y and z"},
        {BW_SHAPE_MESH, "a.obj", "v 1e39 0 0\n",
         "a.obj:1: \"1e39\" stands where there must be a number, one of x, y and z"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\nf 1 2 3\n",
         "a.obj:2: a face has point 2; there are 1 points before it"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\nf 1 1\n",
         "a.obj:2: a face has 2 corners; it must have three or more"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\nf 1 x 1\n",
         "a.obj:2: \"x\" stands where there must be the number of a point"},
        {BW_SHAPE_MESH, "a.obj", "curv 1 2\n",
         "a.obj:1: \"curv\" stands where there must be v (a point), f (a face) or another word of OBJ files "
         "with "
         "faces"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\n", "a.obj holds no triangles"},
        {BW_SHAPE_MESH, "a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
         "a.obj holds no triangle that has an area"},
        {BW_SHAPE_MESH, "a.ply", "plx\n", "a.ply:1: \"plx\" stands where there must be ply"},
        {BW_SHAPE_MESH, "a.ply", "ply\nformat ascii 1.0\nelement vertex -1\nend_header\n",
         "a.ply:3: \"-1\" stands where there must be how many there are, at most 33554432"},
        {BW_SHAPE_MESH, "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
         "a.ply: the header gives vertices no x, y and z"},
        {BW_SHAPE_MESH, "a.ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nproperty float "
         "y\nproperty "
         "float z\nend_header\nabc",
         "a.ply: the file ends at byte 118, before all its elements"},
        {BW_SHAPE_MESH, "a.ply",
         "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float "
         "z\nelement face "
         "1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n",
         "a.ply:11: a corner of a face is 1; it must be the number of a vertex before it, from 0 on"},
        {BW_SHAPE_MESH, "a.stl",
         "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nendloop\n",
         "a.stl:6: \"endloop\" stands where there must be vertex"},
        {BW_SHAPE_MESH, "a.stl", "nothing",
         "a.stl holds 7 bytes; an STL file begins with \"solid\" or has 84 or more"},
        {BW_SHAPE_HEIGHTMAP, "a.pgm", "P6 2 2 255\n",
         "a.pgm:1: \"P6\" stands where there must be P2 or P5, as in PGM pictures, or the first bytes of a "
         "PNG"},
        {BW_SHAPE_HEIGHTMAP, "a.pgm", "P5 2 2 255\nab",
         "a.pgm: 2 bytes follow the header; its 2 x 2 pixels take 4"},
        {BW_SHAPE_HEIGHTMAP, "a.pgm", "P2 9000 2 255\n",
         "a.pgm is 9000 x 2 pixels; it must be 2 to 4096 wide and 1 to 4096 high"},
        {BW_SHAPE_VOXELS, "a.nrrd", "NRRD0004\ntype: double\n",
         "a.nrrd:2: \"double\" stands where there must be a type: uint8, uint16 or float"},
        {BW_SHAPE_VOXELS, "a.nrrd", "NRRD0004\ntype: uint8\nsizes: 2 2 2\nencoding: raw\n\nabc",
         "a.nrrd: 3 bytes follow the header; its voxels take 8"},
        {BW_SHAPE_VOXELS, "a.nrrd", "NRRD0004\ntype: uint8\nsizes: 2 2 2\nencoding: gzip\n\n",
         "a.nrrd:4: \"gzip\" stands where there must be raw or text; compressed volumes are not read"},
        {BW_SHAPE_VOXELS, "a.nrrd", "NRRD0004\ntype: uint8\nsizes: 1 1 1\nencoding: text\n\n0\n",
         "a.nrrd holds no full voxels"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n##.\n#O.\n",
         "a.txt:3:2: a voxel is 'O'; it must be # (full) or . (empty)"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n##.\n##\n",
         "a.txt:3:3: the row has 2 voxels, the first has 3; all must be as long"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n##.\n##.\n\n##.\n",
         "a.txt:6:1: the layer ends after 1 rows, the first has 2; all must have as many"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n##.\nrepeat 2\n##.\n",
         "a.txt:3:1: repeat stands within a layer; an empty line ends one"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\nrepeat 0\n#\n",
         "a.txt:2: \"0\" stands where there must be how often, 1 to 1024"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels above\n#\n",
         "a.txt:1: \"above\" stands where there must be plan or front, how the layers are seen"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\nrepeat 1024\n#\n\n#\n",
         "a.txt is 1 x 1025 x 1 voxels; at most 1024 a side are read"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n..\n", "a.txt holds no full voxels"},
        {BW_SHAPE_VOXELS, "a.txt", "voxels plan\n", "a.txt holds no full voxels"},
        {BW_SHAPE_VOXELS, "a.txt", "##\n",
         "a.txt:1: \"##\" stands where there must be NRRD0001 to NRRD0005, as in volumes, or voxels, as in "
         "drawings"},
        {BW_SHAPE_POINTS, "a.xyz", "1 2\n",
         "a.xyz:1: the line ends here; there must be a number, one of x, y and z"},
        {BW_SHAPE_POINTS, "a.xyz", "", "a.xyz holds no points"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        BwShapeFile *content;
        BwError err = {0};
        BwShape shape = {
            .kind = cases[n].kind, .factor = 1.0f, .height = 1.0f, .threshold = 0.5f, .radius = 1.0f};
        write_bytes(cases[n].name, cases[n].text, strlen(cases[n].text));
        assert_int_equal(bw_shape_file_load(&content, &shape, cases[n].name, NULL, &err), BW_ERR_FORMAT);
        assert_string_equal(err.message, cases[n].message);
        assert_null(content);
    }
}

static BwResult load_scene(BwScene **scene, const char *folder, BwAllocator allocator, BwError *err)
{
    static const char text[] = "scene { cell = 0.1 }\n"
                               "local m = mesh { file = 'box.obj' }\n"
                               "obstacle { shape = union { m, translate { m, by = {3, 0, 0} } } }\n"
                               "fill { shape = mesh { file = 'box.obj', thickness = 0.1 } }\n";
    BwSceneLoad load = {.allocator = allocator, .folder = folder};
    return bw_scene_load_text(scene, text, sizeof text - 1, "text", &load, err);
}

// A file is read once for all shapes that make the same of it; without a folder there is none.
static void scenes_share_files(void **state)
{
    (void)state;
    BwScene *scene;
    BwError err = {0};
    int count;
    FILE *stream = fopen("box.obj", "wb");
    write_box_obj(stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(load_scene(&scene, ".", (BwAllocator){0}, &err), BW_OK);
    const BwSceneFile *files = bw_scene_view_files(scene, &count);
    const BwShape *both = &bw_scene_view_def(scene)->obstacles[0].shape;
    assert_int_equal(count, 2);
    assert_ptr_equal(both->parts[0].content, files[1].content);
    assert_ptr_equal(both->parts[1].parts[0].content, files[1].content);
    assert_ptr_equal(bw_scene_view_def(scene)->fills[0].shape.content, files[0].content);
    assert_true(bw_shape_distance(both, bw_vec3(3.5f, 1.0f, 1.5f)) < 0.0f);
    assert_int_equal(bw_scene_def_check_runnable(bw_scene_view_def(scene), &err), BW_OK);
    bw_scene_destroy(scene);
    assert_int_equal(load_scene(&scene, NULL, (BwAllocator){0}, &err), BW_ERR_SCENE);
    assert_string_equal(err.message,
                        "text:4: mesh.file is \"box.obj\"; a scene that is no file itself has no "
                        "folder to look in");
}

// Every allocation from the last that the script makes on.
static void scenes_with_files_when_memory_is_short(void **state)
{
    (void)state;
    enum { LAST = 60 };
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    BwScene *scene;
    int before = strict.left;
    assert_int_equal(load_scene(&scene, ".", allocator, NULL), BW_OK);
    int used = before - strict.left;
    bw_scene_destroy(scene);
    assert_nothing_left(&strict);
    for (int n = used - LAST; n < used; n++) {
        fail_after(&strict, n);
        // Lua's tables differ a little from run to run, so the last few may be enough.
        BwResult result = load_scene(&scene, ".", allocator, NULL);
        assert_true(result == BW_ERR_MEMORY || (result == BW_OK && n > used - LAST / 2));
        bw_scene_destroy(scene);
        assert_nothing_left(&strict);
    }
}

// Whether the middle of a voxel of a tenth of a metre is inside.
static bool holds_voxel(const BwShape *voxels, int i, int j, int k)
{
    BwVec3 middle = bw_mul(bw_vec3((float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f), 0.1f);
    return bw_shape_distance(voxels, middle) < 0.0f;
}

static void drawings_are_voxels(void **state)
{
    (void)state;
    static const char plan[] = "voxels plan -- from above\r\nrepeat 2\r\n##.  \n...\n-- more\n\n\n..#\n#..\n";
    static const char front[] = "voxels front\n#.\n..\n\n..\n.#\n";
    static const char profile[] = "voxels front\n#.\n##";
    BwShape voxels = {.kind = BW_SHAPE_VOXELS, .factor = 0.1f, .threshold = 0.5f};
    write_bytes("v.txt", plan, sizeof plan - 1);
    load(&voxels, "v.txt");
    int full = 0;
    for (int n = 0; n < 3 * 3 * 2; n++)
        full += holds_voxel(&voxels, n % 3, n / 3 % 3, n / 9);
    assert_int_equal(full, 6);
    assert_true(holds_voxel(&voxels, 0, 0, 0) && holds_voxel(&voxels, 1, 1, 0)); // layers go up
    assert_true(holds_voxel(&voxels, 2, 2, 0) && holds_voxel(&voxels, 0, 2, 1)); // rows to the front
    unload(&voxels);
    write_bytes("v.txt", front, sizeof front - 1);
    load(&voxels, "v.txt");
    assert_true(holds_voxel(&voxels, 0, 1, 0) && !holds_voxel(&voxels, 0, 0, 0)); // rows go down
    assert_true(holds_voxel(&voxels, 1, 0, 1) && !holds_voxel(&voxels, 1, 1, 1));
    unload(&voxels);
    write_bytes("v.txt", profile, sizeof profile - 1);
    load(&voxels, "v.txt");
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.05f, 0.15f, 0.0f)), -0.05f, 5e-3f);
    assert_float_equal(bw_shape_distance(&voxels, bw_vec3(0.15f, 0.15f, 0.0f)), 0.05f, 5e-3f);
    unload(&voxels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_box_in_every_format),
        cmocka_unit_test(ground_from_a_picture),
        cmocka_unit_test(ground_has_detail),
#ifdef BW_HAVE_PNG
        cmocka_unit_test(ground_from_a_png),
#endif
        cmocka_unit_test(voxels_are_cubes),
        cmocka_unit_test(drawings_are_voxels),
        cmocka_unit_test(points_are_balls),
        cmocka_unit_test(what_is_wrong_with_a_file_is_told),
        cmocka_unit_test(scenes_share_files),
        cmocka_unit_test(scenes_with_files_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
