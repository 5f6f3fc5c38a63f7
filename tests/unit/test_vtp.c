// Particles, meshes and columns as files of VTK, PLY and OBJ, read back number by number.
#include "base/file.h"
#include "frame_parts.h"
#include "scratch_folder.h"
#include <billow/volume.h>

static FrameParts parts;
static BwError err;

typedef struct Reading {
    char *text;
    size_t size;
    const char *appended; // the first byte of the first array
} Reading;

static Reading read_text(const char *path)
{
    Reading r = {0};
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    if (bw_file_read(&allocator, path, 1 << 24, &r.text, &r.size, &err) != BW_OK)
        fail_msg("%s", err.message);
    return r;
}

static void free_reading(Reading *r)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    bw_free(&allocator, r->text, r->size + 1, BW_ALIGN);
}

static const char *after(const char *text, const char *mark)
{
    const char *found = strstr(text, mark);
    if (found == NULL)
        fail_msg("there is no %s", mark);
    return found + strlen(mark);
}

static Reading read_vtk(const char *path, const char *kind)
{
    char head[200];
    Reading r = read_text(path);
    snprintf(head, sizeof head,
             "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">",
             kind);
    after(r.text, head);
    r.appended = after(r.text, "<AppendedData encoding=\"raw\">\n    _");
    const char *end = "\n  </AppendedData>\n</VTKFile>\n";
    assert_memory_equal(r.text + r.size - strlen(end), end, strlen(end));
    return r;
}

// The numbers of the array whose tag comes after `mark`; type, components and bytes must be these.
static const char *array_of(const Reading *r, const char *mark, const char *type, int components,
                            size_t bytes)
{
    char wanted[120];
    unsigned long long offset, found;
    const char *tag = strstr(r->text, mark);
    assert_non_null(tag);
    if (mark[0] == '<')
        tag = strstr(tag, "<DataArray");
    while (strncmp(tag, "<DataArray", 10) != 0)
        tag--;
    snprintf(wanted, sizeof wanted, "<DataArray type=\"%s\"", type);
    assert_memory_equal(tag, wanted, strlen(wanted));
    snprintf(wanted, sizeof wanted, "NumberOfComponents=\"%d\"", components);
    assert_memory_equal(strstr(tag, "NumberOfComponents"), wanted, strlen(wanted));
    sscanf(after(tag, "offset=\""), "%llu", &offset);
    memcpy(&found, r->appended + offset, sizeof found);
    assert_int_equal(found, bytes);
    assert_true(r->appended + offset + sizeof found + bytes < r->text + r->size);
    return r->appended + offset + sizeof found;
}

static void check_place(const char *numbers, int64_t n, const double place[3], BwUp up)
{
    double found[3];
    memcpy(found, numbers + (size_t)n * sizeof found, sizeof found);
    assert_true(found[0] == place[0]);
    assert_true(found[1] == (up == BW_UP_Z ? -place[2] : place[1]));
    assert_true(found[2] == (up == BW_UP_Z ? place[1] : place[2]));
}

static void check_vector(const char *numbers, int64_t n, const float vector[3], BwUp up)
{
    check_place((const char *)(double[3]){(double)((const float *)(const void *)numbers)[3 * n],
                                          (double)((const float *)(const void *)numbers)[3 * n + 1],
                                          (double)((const float *)(const void *)numbers)[3 * n + 2]},
                0, (double[3]){(double)vector[0], (double)vector[1], (double)vector[2]}, up);
}

// Arrays need not be aligned in the file.
static float *aligned(const char *numbers, size_t bytes)
{
    static float copy[4096];
    assert_true(bytes <= sizeof copy);
    memcpy(copy, numbers, bytes);
    return copy;
}

static void particles_are_points(void **state)
{
    (void)state;
    parts_make(&parts);
    for (BwUp up = BW_UP_Y; up <= BW_UP_Z; up = (BwUp)(up + 1)) {
        BwVolumeDef def = bw_volume_def_default();
        def.up = up;
        assert_int_equal(bw_particles_save_vtp(&parts.frame, &parts.particles, &def, "a.vtp", &err), BW_OK);
        Reading r = read_vtk("a.vtp", "PolyData");
        after(r.text, "<Piece NumberOfPoints=\"50\" NumberOfVerts=\"50\">");
        after(r.text, "format=\"ascii\">0.25</DataArray>");
        const char *points = array_of(&r, "<Points>", "Float64", 3, 50 * 24);
        const char *links = array_of(&r, "Name=\"connectivity\"", "Int64", 1, 50 * 8);
        const char *ends = array_of(&r, "Name=\"offsets\"", "Int64", 1, 50 * 8);
        const char *ages = array_of(&r, "Name=\"age\"", "Float32", 1, 50 * 4);
        const char *ids = array_of(&r, "Name=\"id\"", "Int32", 1, 50 * 4);
        const char *speeds = array_of(&r, "Name=\"velocity\"", "Float32", 3, 50 * 12);
        assert_memory_equal(ages, parts.ages, sizeof parts.ages);
        assert_memory_equal(ids, parts.ids, sizeof parts.ids);
        for (int64_t n = 0; n < 50; n++) {
            double place[3];
            int64_t link, end;
            bw_frame_particle_place(&parts.frame, &parts.particles, n, place);
            check_place(points, n, place, up);
            check_vector((const char *)aligned(speeds, 600), n, parts.velocities[n], up);
            memcpy(&link, links + 8 * n, 8);
            memcpy(&end, ends + 8 * n, 8);
            assert_true(link == n && end == n + 1);
        }
        free_reading(&r);
    }
}

static void check_mesh_points(const Reading *r, BwUp up)
{
    const char *points = array_of(r, "<Points>", "Float64", 3, 4 * 24);
    for (int n = 0; n < 4; n++) {
        BwVec3 v = parts.vertices[n];
        check_place(points, n, (double[3]){50000.0 + (double)v.x, 0.5 + (double)v.y, -2.25 + (double)v.z},
                    up);
    }
}

static void meshes_are_polygons(void **state)
{
    (void)state;
    parts_make(&parts);
    for (BwUp up = BW_UP_Y; up <= BW_UP_Z; up = (BwUp)(up + 1)) {
        BwVolumeDef def = bw_volume_def_default();
        def.up = up;
        assert_int_equal(bw_mesh_save_vtp(&parts.frame, &parts.mesh, &def, "a.vtp", &err), BW_OK);
        Reading r = read_vtk("a.vtp", "PolyData");
        after(r.text, "<Piece NumberOfPoints=\"4\" NumberOfPolys=\"4\">");
        check_mesh_points(&r, up);
        const char *corners = array_of(&r, "Name=\"connectivity\"", "Int64", 1, 12 * 8);
        for (int n = 0; n < 12; n++) {
            int64_t corner;
            memcpy(&corner, corners + 8 * n, 8);
            assert_int_equal(corner, parts.triangles[n / 3][n % 3]);
        }
        int64_t last;
        memcpy(&last, array_of(&r, "Name=\"offsets\"", "Int64", 1, 4 * 8) + 24, 8);
        assert_int_equal(last, 12);
        // Colours do not turn, speeds do.
        assert_memory_equal(array_of(&r, "Name=\"color\"", "Float32", 3, 48), parts.colors, 48);
        check_vector((const char *)aligned(array_of(&r, "Name=\"velocity\"", "Float32", 3, 48), 48), 2,
                     parts.speeds[2], up);
        free_reading(&r);
    }
}

static void columns_are_a_grid(void **state)
{
    (void)state;
    parts_make(&parts);
    size_t count = PARTS_ACROSS * PARTS_ALONG;
    assert_int_equal(bw_columns_save_vts(&parts.frame, &parts.columns, NULL, "a.vts", &err), BW_OK);
    Reading r = read_vtk("a.vts", "StructuredGrid");
    after(r.text, "<StructuredGrid WholeExtent=\"0 6 0 0 0 4\">");
    after(r.text, "<Piece Extent=\"0 6 0 0 0 4\">");
    const char *points = array_of(&r, "<Points>", "Float64", 3, count * 24);
    for (int n = 0; n < (int)count; n++)
        check_place(points, n,
                    (double[3]){0.25 * (-3 + n % PARTS_ACROSS + 0.5), (double)parts.heights[n],
                                0.25 * (2 + n / PARTS_ACROSS + 0.5)},
                    BW_UP_Y);
    assert_memory_equal(array_of(&r, "Name=\"height\"", "Float32", 1, count * 4), parts.heights, count * 4);
    assert_memory_equal(array_of(&r, "Name=\"depth\"", "Float32", 1, count * 4), parts.depths, count * 4);
    free_reading(&r);
}

static void check_ply(bool is_far)
{
    const char *type = is_far ? "double" : "float";
    size_t width = is_far ? 24 : 12, row = width + 3 + 12;
    Reading r = read_text("a.ply");
    char head[400];
    snprintf(head, sizeof head,
             "element vertex 4\nproperty %s x\nproperty %s y\nproperty %s z\n"
             "property uchar red\nproperty uchar green\nproperty uchar blue\n"
             "property float velocity_x\nproperty float velocity_y\nproperty float velocity_z\n"
             "element face 4\nproperty list uchar int vertex_indices\nend_header\n",
             type, type, type);
    assert_memory_equal(r.text, "ply\nformat binary_little_endian 1.0\n", 36);
    const char *body = after(r.text, head);
    assert_int_equal(r.text + r.size - body, 4 * row + 4 * 13);
    for (int n = 0; n < 4; n++) {
        BwVec3 v = parts.vertices[n];
        const double wide[3] = {50000.0 + (double)v.x, 0.5 + (double)v.y, -2.25 + (double)v.z};
        const uint8_t gray = (uint8_t)(n == 0 ? 0 : n == 1 ? 64 : n == 2 ? 128 : 191);
        const uint8_t color[3] = {gray, gray, gray};
        assert_memory_equal(body + (size_t)n * row, is_far ? (const void *)wide : &v, width);
        assert_memory_equal(body + (size_t)n * row + width, color, 3);
        assert_memory_equal(body + (size_t)n * row + width + 3, parts.speeds[n], 12);
        assert_int_equal(body[4 * row + 13 * (size_t)n], 3);
        assert_memory_equal(body + 4 * row + 13 * (size_t)n + 1, parts.triangles[n], 12);
    }
    free_reading(&r);
}

static void meshes_are_ply_files(void **state)
{
    (void)state;
    parts_make(&parts);
    assert_int_equal(bw_mesh_save_ply(&parts.mesh, NULL, "a.ply", &err), BW_OK);
    check_ply(true);
    memset(parts.mesh.origin, 0, sizeof parts.mesh.origin);
    assert_int_equal(bw_mesh_save_ply(&parts.mesh, NULL, "a.ply", &err), BW_OK);
    check_ply(false);
}

// A word of a glTF file.
static uint32_t word_at(const Reading *r, size_t at)
{
    uint32_t word;
    memcpy(&word, r->text + at, sizeof word);
    return word;
}

// Two chunks, in the second the arrays one after another: triangles, vertices, normals, colours, speeds. The
// way to the origin is the node's.
static void meshes_are_gltf_files(void **state)
{
    (void)state;
    BwVolumeDef def = bw_volume_def_default();
    def.up = BW_UP_Z; // which glTF does not know
    parts_make(&parts);
    size_t vertices = 12 * (size_t)parts.mesh.vertex_count,
           triangles = 12 * (size_t)parts.mesh.triangle_count;
    assert_int_equal(bw_mesh_save_gltf(&parts.mesh, &def, "a.glb", &err), BW_OK);
    Reading r = read_text("a.glb");
    size_t json = word_at(&r, 12), body = 20 + json + 8;
    assert_memory_equal(r.text, "glTF\2\0\0\0", 8);
    assert_int_equal(word_at(&r, 8), r.size);
    assert_memory_equal(r.text + 16, "JSON", 4);
    assert_int_equal(word_at(&r, 20 + json), triangles + 4 * vertices);
    assert_memory_equal(r.text + 24 + json, "BIN\0", 4);
    assert_int_equal(r.size, body + triangles + 4 * vertices);
    assert_int_equal(body % 4, 0);
    assert_memory_equal(r.text + body, parts.mesh.triangles, triangles);
    assert_memory_equal(r.text + body + triangles, parts.mesh.vertices, vertices);
    assert_memory_equal(r.text + body + triangles + 3 * vertices, parts.speeds, vertices);
    for (int32_t n = 0; n < parts.mesh.vertex_count; n++) {
        float normal[3];
        memcpy(normal, r.text + body + triangles + vertices + 12 * (size_t)n, sizeof normal);
        assert_float_equal(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2], 1.0f,
                           1e-5f);
    }
    float outward; // of the corner at the origin
    memcpy(&outward, r.text + body + triangles + vertices, sizeof outward);
    assert_float_equal(outward, -0.57735f, 1e-4f);
    const char *place = after(r.text + 20, "\"translation\":[");
    assert_true(strtod(place, NULL) == parts.mesh.origin[0]);
    assert_int_equal(atoi(after(r.text + 20, "\"_VELOCITY\":")), 4);
    assert_int_equal(atoi(after(r.text + 20, "\"COLOR_0\":")), 3);
    free_reading(&r);
    parts.of_mesh[0] = parts.of_mesh[1];
    parts.of_mesh[0].name = "Velocity";
    assert_int_equal(bw_mesh_save_gltf(&parts.mesh, NULL, "a.glb", &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "two of \"_VELOCITY\""));
}

// Particles are points without faces; vectors turn with the axes.
static void particles_are_ply_files(void **state)
{
    (void)state;
    BwVolumeDef def = bw_volume_def_default();
    def.up = BW_UP_Z;
    parts_make(&parts);
    for (int is_far = 1; is_far >= 0; is_far--) {
        size_t width = is_far ? 24 : 12, row = width + 12 + 4 + 4;
        if (!is_far)
            parts.tiles[0] = (BwTileCoord){3, 0, 0};
        assert_int_equal(bw_particles_save_ply(&parts.frame, &parts.particles, &def, "a.ply", &err), BW_OK);
        Reading r = read_text("a.ply");
        const char *body =
            after(r.text, "property float velocity_z\nproperty float age\nproperty int id\nend_header\n");
        assert_null(strstr(r.text, "element face"));
        assert_int_equal(r.text + r.size - body, PARTS_PARTICLES * row);
        for (int n = 0; n < PARTS_PARTICLES; n++, body += row) {
            double place[3];
            bw_frame_particle_place(&parts.frame, &parts.particles, n, place);
            const double wide[3] = {place[0], -place[2], place[1]};
            const float narrow[3] = {(float)wide[0], (float)wide[1], (float)wide[2]};
            const float velocity[3] = {parts.velocities[n][0], -parts.velocities[n][2],
                                       parts.velocities[n][1]};
            assert_memory_equal(body, is_far ? (const void *)wide : narrow, width);
            assert_memory_equal(body + width, velocity, 12);
            assert_memory_equal(body + width + 12, &parts.ages[n], 4);
            assert_memory_equal(body + width + 16, &parts.ids[n], 4);
        }
        free_reading(&r);
    }
}

static void meshes_are_obj_files(void **state)
{
    (void)state;
    parts_make(&parts);
    BwVolumeDef def = bw_volume_def_default();
    def.up = BW_UP_Z;
    parts.vertices[1].x = 0.1f;
    assert_int_equal(bw_mesh_save_obj(&parts.mesh, &def, "a.obj", &err), BW_OK);
    Reading r = read_text("a.obj");
    double v[3], color[3];
    const char *line = after(r.text, "\no water\nv ");
    line = after(line, "\nv ");
    assert_int_equal(
        sscanf(line, "%lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &color[0], &color[1], &color[2]), 6);
    assert_true(v[0] == 50000.0 + (double)0.1f && v[1] == 2.25 && v[2] == 0.5);
    assert_true(color[0] == 0.25 && color[1] == 0.25 && color[2] == 0.25);
    after(line, "\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    free_reading(&r);
}

// Readers take one array of a name.
static void two_arrays_of_a_name_are_refused(void **state)
{
    (void)state;
    static const char *const taken[] = {"x", "red", "color_x", "color"};
    for (int n = 0; n < 4; n++) {
        parts_make(&parts);
        parts.of_mesh[1].name = taken[n];
        parts.of_mesh[1].components = 1;
        bool is_taken = n != 2; // a colour's components have names of their own
        assert_int_equal(bw_mesh_save_ply(&parts.mesh, NULL, "a.ply", &err), is_taken ? BW_ERR_DEF : BW_OK);
        assert_true(!is_taken || strstr(err.message, "two of") != NULL);
        assert_int_equal(bw_mesh_save_vtp(&parts.frame, &parts.mesh, NULL, "a.vtp", &err),
                         n == 3 ? BW_ERR_DEF : BW_OK);
    }
    parts_make(&parts);
    parts.of_particles[1].name = "velocity";
    assert_int_equal(bw_particles_save_vtp(&parts.frame, &parts.particles, NULL, "a.vtp", &err), BW_ERR_DEF);
    parts.of_columns[0].name = "height";
    assert_int_equal(bw_columns_save_vts(&parts.frame, &parts.columns, NULL, "a.vts", &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "two of \"height\""));
}

// Nothing at all is a file too; what cannot be written leaves none.
static void empty_sets_and_trouble(void **state)
{
    (void)state;
    parts_make(&parts);
    BwFrameParticles none = {.name = "none"};
    BwFrameColumns dry = {.name = "dry", .cell_size = 1.0f};
    BwFrameMesh bare = {.name = "bare"};
    assert_int_equal(bw_particles_save_vtp(&parts.frame, &none, NULL, "a.vtp", &err), BW_OK);
    assert_int_equal(bw_columns_save_vts(&parts.frame, &dry, NULL, "a.vts", &err), BW_OK);
    assert_int_equal(bw_mesh_save_vtp(&parts.frame, &bare, NULL, "b.vtp", &err), BW_OK);
    assert_int_equal(bw_mesh_save_ply(&bare, NULL, "a.ply", &err), BW_OK);
    assert_int_equal(bw_mesh_save_obj(&bare, NULL, "a.obj", &err), BW_OK);
    assert_int_equal(bw_mesh_save_gltf(&bare, NULL, "a.glb", &err), BW_OK);
    Reading r = read_vtk("a.vts", "StructuredGrid");
    after(r.text, "Extent=\"0 -1 0 -1 0 -1\"");
    free_reading(&r);
    int count = files_in_folder();
    assert_int_equal(bw_mesh_save_obj(&parts.mesh, NULL, "no/a.obj", &err), BW_ERR_FILE);
    assert_int_equal(bw_mesh_save_gltf(&parts.mesh, NULL, "no/a.glb", &err), BW_ERR_FILE);
    assert_int_equal(bw_mesh_save_ply(&parts.mesh, NULL, "no/a.ply", &err), BW_ERR_FILE);
    assert_int_equal(bw_particles_save_vtp(&parts.frame, &parts.particles, NULL, "no/a.vtp", &err),
                     BW_ERR_FILE);
    parts.triangles[1][1] = 4;
    assert_int_equal(bw_mesh_save_ply(&parts.mesh, NULL, "c.ply", &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "vertex 4 of 4"));
    assert_int_equal(files_in_folder(), count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_points),
        cmocka_unit_test(meshes_are_polygons),
        cmocka_unit_test(columns_are_a_grid),
        cmocka_unit_test(meshes_are_ply_files),
        cmocka_unit_test(particles_are_ply_files),
        cmocka_unit_test(meshes_are_obj_files),
        cmocka_unit_test(meshes_are_gltf_files),
        cmocka_unit_test(empty_sets_and_trouble),
        cmocka_unit_test(two_arrays_of_a_name_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
