// VTK images and collections, read back by a small reader of what their XML says.
#include "base/file.h"
#include "scratch_folder.h"
#include "strict_allocator.h"
#include "volume_frame.h"
#include <billow/volume.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static const char path[] = "a.vti";

// A file as it was read.
typedef struct Reading {
    char *text;
    size_t size;
    int extent[6];
    double origin[3], spacing[3], time;
    const char *appended; // the first byte of the first array
} Reading;

static const char *after(const char *text, const char *mark)
{
    const char *found = strstr(text, mark);
    if (found == NULL)
        fail_msg("there is no %s", mark);
    return found + strlen(mark);
}

static Reading read_image(void)
{
    Reading r = {0};
    BwError err;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    if (bw_file_read(&allocator, path, 1 << 26, &r.text, &r.size, &err) != BW_OK)
        fail_msg("%s", err.message);
    int *e = r.extent;
    assert_int_equal(sscanf(after(r.text, "WholeExtent=\""), "%d %d %d %d %d %d", &e[0], &e[1], &e[2], &e[3],
                            &e[4], &e[5]),
                     6);
    sscanf(after(r.text, "Origin=\""), "%lf %lf %lf", &r.origin[0], &r.origin[1], &r.origin[2]);
    sscanf(after(r.text, "Spacing=\""), "%lf %lf %lf", &r.spacing[0], &r.spacing[1], &r.spacing[2]);
    sscanf(after(after(r.text, "Name=\"TimeValue\""), ">"), "%lf", &r.time);
    after(r.text, "type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"");
    r.appended = after(r.text, "<AppendedData encoding=\"raw\">\n    _");
    return r;
}

static void free_reading(Reading *r)
{
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    bw_free(&allocator, r->text, r->size + 1, BW_ALIGN);
}

static size_t point_count(const Reading *r)
{
    return (size_t)(r->extent[1] - r->extent[0] + 1) * (size_t)(r->extent[3] - r->extent[2] + 1) *
           (size_t)(r->extent[5] - r->extent[4] + 1);
}

// The numbers of an array; its size must be that of the extent, and end inside the file.
static const char *array_of(const Reading *r, const char *name, int components)
{
    char mark[64];
    int found;
    unsigned long long offset, bytes;
    snprintf(mark, sizeof mark, "type=\"Float32\" Name=\"%s\"", name);
    const char *tag = after(r->text, mark);
    sscanf(after(tag, "NumberOfComponents=\""), "%d", &found);
    sscanf(after(tag, "offset=\""), "%llu", &offset);
    assert_int_equal(found, components);
    memcpy(&bytes, r->appended + offset, sizeof bytes);
    assert_int_equal(bytes, point_count(r) * (size_t)components * sizeof(float));
    assert_true(r->appended + offset + sizeof bytes + bytes < r->text + r->size);
    return r->appended + offset + sizeof bytes;
}

// The number at a place in metres.
static float value_at(const Reading *r, const char *array, int components, int component,
                      const double place[3])
{
    size_t at = 0;
    for (int a = 2; a >= 0; a--) {
        double index = (place[a] - r->origin[a]) / r->spacing[a];
        assert_true(fabs(index - round(index)) < 1e-6 * (1.0 + fabs(index)));
        assert_true(round(index) >= r->extent[2 * a] && round(index) <= r->extent[2 * a + 1]);
        at = at * (size_t)(r->extent[2 * a + 1] - r->extent[2 * a] + 1) +
             (size_t)((int)round(index) - r->extent[2 * a]);
    }
    float value;
    memcpy(&value, array + (at * (size_t)components + (size_t)component) * sizeof value, sizeof value);
    return value;
}

// What the frame holds there, by its tiles alone.
static float frame_value(const VolumeFrame *volume, int f, int i, int j, int k)
{
    int layers = volume->frame.layers;
    BwTileCoord coord = {i >> 3, j >> 3, layers == 1 ? k : k >> 3};
    const BwFrameField *field = &volume->fields[f];
    bool is_there = bw_frame_find_tile(&volume->frame, coord) >= 0;
    bool shows = is_there && (f >= VOLUME_U || volume_is_live(i, j, k));
    return shows ? volume_value(field, i, j, k) : field->background;
}

static void check_cell(const Reading *r, const VolumeFrame *volume, BwUp up, const int cell[3])
{
    int i = cell[0], j = cell[1], k = cell[2];
    double h = (double)volume->frame.cell_size, x = (i + 0.5) * h, y = (j + 0.5) * h, z = (k + 0.5) * h;
    double place[3] = {x, up == BW_UP_Z ? -z : y, up == BW_UP_Z ? y : z};
    const char *density = array_of(r, "density", 1), *temperature = array_of(r, "temperature", 1);
    const char *vel = array_of(r, "vel", 3), *color = array_of(r, "color", 3);
    assert_true(value_at(r, density, 1, 0, place) == frame_value(volume, 0, i, j, k));
    assert_true(value_at(r, temperature, 1, 0, place) == frame_value(volume, 1, i, j, k));
    for (int c = 0; c < 3; c++) // colours do not turn
        assert_true(value_at(r, color, 3, c, place) == frame_value(volume, VOLUME_COLOR + c, i, j, k));
    float mean[3] = {
        0.5f * (frame_value(volume, VOLUME_U, i, j, k) + frame_value(volume, VOLUME_U, i + 1, j, k)),
        0.5f * (frame_value(volume, VOLUME_U + 1, i, j, k) + frame_value(volume, VOLUME_U + 1, i, j + 1, k)),
        0.0f};
    if (volume->frame.dimension == 3)
        mean[2] = 0.5f * (frame_value(volume, VOLUME_U + 2, i, j, k) +
                          frame_value(volume, VOLUME_U + 2, i, j, k + 1));
    const float wanted[3] = {mean[0], up == BW_UP_Z ? -mean[2] : mean[1], up == BW_UP_Z ? mean[1] : mean[2]};
    for (int a = 0; a < 3; a++)
        assert_true(value_at(r, vel, 3, a, place) == wanted[a]);
}

// The components on the low faces of a cell, along the axes of the file.
static void check_faces(const Reading *r, const VolumeFrame *volume, BwUp up, const int cell[3])
{
    static const char *const names[2][3] = {{"u", "v", "w"}, {"u", "w", "v"}};
    int i = cell[0], j = cell[1], k = cell[2];
    double h = (double)volume->frame.cell_size, x = (i + 0.5) * h, y = (j + 0.5) * h, z = (k + 0.5) * h;
    double place[3] = {x, up == BW_UP_Z ? -z : y, up == BW_UP_Z ? y : z};
    float wanted[3] = {frame_value(volume, VOLUME_U, i, j, k), frame_value(volume, VOLUME_U + 1, i, j, k)};
    if (volume->frame.dimension == 3) // turned about x, the low face along y is the high one along z
        wanted[2] = up == BW_UP_Z ? -frame_value(volume, VOLUME_U + 2, i, j, k + 1)
                                  : frame_value(volume, VOLUME_U + 2, i, j, k);
    for (int a = 0; a < volume->frame.dimension; a++) {
        const char *name = names[up == BW_UP_Z][a];
        assert_true(value_at(r, array_of(r, name, 1), 1, 0, place) == wanted[a]);
    }
}

static void check_frame(const VolumeFrame *volume, BwUp up, bool faces)
{
    BwError err;
    BwVolumeDef def = bw_volume_def_default();
    def.up = up;
    def.faces = faces;
    if (bw_volume_save_vti(&volume->frame, &def, path, &err) != BW_OK)
        fail_msg("%s", err.message);
    Reading r = read_image();
    assert_true(r.time == volume->frame.time);
    assert_null(strstr(r.text, "Name=\"solid\""));
    assert_null(strstr(r.text, "Name=\"color_r\""));
    // Every point of the file, tiles and gaps.
    for (int z = r.extent[4]; z <= r.extent[5]; z++)
        for (int y = r.extent[2]; y <= r.extent[3]; y++)
            for (int x = r.extent[0]; x <= r.extent[1]; x++) {
                const int cell[3] = {x, up == BW_UP_Z ? z : y, up == BW_UP_Z ? -y - 1 : z};
                check_cell(&r, volume, up, cell);
                if (faces)
                    check_faces(&r, volume, up, cell);
            }
    assert_int_equal(strstr(r.text, "Name=\"u\"") != NULL, faces);
    free_reading(&r);
}

static void images_hold_the_frame(void **state)
{
    (void)state;
    VolumeFrame *volumes[] = {volume_make(3, volume_tiles_near, 5), volume_make(3, volume_tiles_far, 2),
                              volume_make(2, volume_tiles_flat, 3)};
    for (int n = 0; n < 3; n++) {
        check_frame(volumes[n], BW_UP_Y, false);
        check_frame(volumes[n], BW_UP_Z, false);
        check_frame(volumes[n], BW_UP_Y, true);
        check_frame(volumes[n], BW_UP_Z, true);
        free(volumes[n]);
    }
}

static void the_box_is_that_of_the_live_cells(void **state)
{
    (void)state;
    BwTileCoord tile = {2, -1, 0};
    VolumeFrame *volume = volume_make(3, &tile, 1);
    memset(volume->live, 0, sizeof volume->live);
    volume->live[0][3] = (uint64_t)1 << (8 * 5 + 2);
    volume->live[0][4] = (uint64_t)1 << (8 * 5 + 6);
    BwError err;
    assert_int_equal(bw_volume_save_vti(&volume->frame, NULL, path, &err), BW_OK);
    Reading r = read_image();
    assert_memory_equal(r.extent, ((int[6]){18, 22, -3, -3, 3, 4}), sizeof r.extent);
    free_reading(&r);
    free(volume);
}

static void an_empty_frame_is_an_empty_image(void **state)
{
    (void)state;
    VolumeFrame *volume = volume_make(3, NULL, 0);
    BwError err;
    assert_int_equal(bw_volume_save_vti(&volume->frame, NULL, path, &err), BW_OK);
    Reading r = read_image();
    assert_memory_equal(r.extent, ((int[6]){0, -1, 0, -1, 0, -1}), sizeof r.extent);
    array_of(&r, "vel", 3);
    free_reading(&r);
    free(volume);
}

static void collections_list_files_and_times(void **state)
{
    (void)state;
    const BwVolumeFile files[] = {{0.0, "a.vti"}, {1.0 / 3.0, "b & \"c\".vti"}};
    BwError err;
    assert_int_equal(bw_volume_save_pvd(files, 2, path, &err), BW_OK);
    char *text;
    size_t size;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    assert_int_equal(bw_file_read(&allocator, path, 4096, &text, &size, &err), BW_OK);
    after(text, "<DataSet timestep=\"0\" part=\"0\" file=\"a.vti\"/>");
    after(text, "<DataSet timestep=\"0.33333333333333331\" part=\"0\" file=\"b &amp; &quot;c&quot;.vti\"/>");
    bw_free(&allocator, text, size + 1, BW_ALIGN);
}

static void a_block_names_its_image(void **state)
{
    (void)state;
    BwError err;
    assert_int_equal(bw_volume_save_vtm(&(BwVolumeBlock){"volume", "b & c.vti"}, 1, path, &err), BW_OK);
    char *text;
    size_t size;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    assert_int_equal(bw_file_read(&allocator, path, 4096, &text, &size, &err), BW_OK);
    after(text, "<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\">");
    after(text, "<DataSet index=\"0\" name=\"volume\" file=\"b &amp; c.vti\"/>");
    bw_free(&allocator, text, size + 1, BW_ALIGN);
    assert_int_equal(bw_volume_save_vtm(&(BwVolumeBlock){"volume", "a.vti"}, 1, "no/a.vtm", &err),
                     BW_ERR_FILE);
}

static void trouble_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    remove(path);
    BwError err;
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    assert_int_equal(bw_volume_save_vti(&volume->frame, NULL, "no/a.vti", &err), BW_ERR_FILE);
    assert_non_null(strstr(err.message, "No such file"));
    BwVolumeDef zeros = {0};
    assert_int_equal(bw_volume_save_vti(&volume->frame, &zeros, path, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "bw_volume_def_default"));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){5000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    BwResult result = bw_volume_save_vti(&volume->frame, NULL, path, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(result, BW_ERR_FILE);
    assert_non_null(strstr(err.message, "File too large"));
    // Two tiles a long way apart: a box that no disk should get.
    volume->tiles[4].x = 1 << 20;
    assert_int_equal(bw_volume_save_vti(&volume->frame, NULL, path, &err), BW_ERR_DEF);
    assert_non_null(strstr(err.message, "OpenVDB"));
    assert_int_equal(files_in_folder(), 0);
    free(volume);
}

// In both kinds of volumes: readers would find one of the two, or a name that nobody gave.
static void two_fields_of_one_name_are_refused(void **state)
{
    (void)state;
    static const struct {
        int field;
        const char *name, *words;
    } cases[] = {{1, "density", "two fields \"density\""},
                 {7, "u", "two fields \"u\""},
                 {1, "solid", "two fields \"solid\""},
                 {1, "vel", "\"vel\", which is what volumes call the velocity"},
                 {0, "color", "\"color\", which is what volumes call the colour"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        BwError err = {0};
        VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
        volume->fields[cases[n].field].name = cases[n].name;
        remove(path);
        assert_int_equal(bw_volume_save_vti(&volume->frame, NULL, path, &err), BW_ERR_DEF);
        assert_non_null(strstr(err.message, cases[n].words));
        if (bw_volume_has_vdb()) {
            err = (BwError){0};
            assert_int_equal(bw_volume_save_vdb(&volume->frame, NULL, "a.vdb", &err), BW_ERR_DEF);
            assert_non_null(strstr(err.message, cases[n].words));
        }
        assert_int_equal(files_in_folder(), 0);
        free(volume);
    }
}

static void short_memory_is_told(void **state)
{
    (void)state;
    remove(path);
    StrictAllocator strict = {0};
    VolumeFrame *volume = volume_make(3, volume_tiles_near, 5);
    BwVolumeDef def = bw_volume_def_default();
    def.allocator = strict_allocator(&strict);
    BwError err;
    BwResult result = BW_ERR_MEMORY;
    int tries = 0;
    for (; result != BW_OK; tries++) {
        fail_after(&strict, tries);
        result = bw_volume_save_vti(&volume->frame, &def, path, &err);
        assert_true(result == BW_OK || result == BW_ERR_MEMORY);
        assert_nothing_left(&strict);
        assert_int_equal(files_in_folder(), result == BW_OK);
    }
    assert_int_equal(tries, 4); // the rows and two names of the file
    free(volume);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_hold_the_frame),
        cmocka_unit_test(the_box_is_that_of_the_live_cells),
        cmocka_unit_test(an_empty_frame_is_an_empty_image),
        cmocka_unit_test(collections_list_files_and_times),
        cmocka_unit_test(a_block_names_its_image),
        cmocka_unit_test(trouble_is_told_and_leaves_nothing),
        cmocka_unit_test(two_fields_of_one_name_are_refused),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
