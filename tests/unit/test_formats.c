// The table of formats: every file that a frame is written as lies where the table says, under a name that it
// knows again, and no other name is taken for one.
#include "base/file.h"
#include "frame_parts.h"
#include "gate.h"
#include "liquid_frame.h"
#include "scratch_folder.h"

#include "formats.h"
#include "run_volumes.h"

#include <sys/stat.h>

static FrameParts parts;
static BwError err;

// In the command the folder of a run has it.
BwResult run_file_path(char path[RUN_PATH_SIZE], const char *folder, const char *name, BwError *error)
{
    (void)error;
    snprintf(path, RUN_PATH_SIZE, "%s/%s", folder, name);
    return BW_OK;
}

// Names in a folder that the format knows; others fail the test. The folder is removed with them.
static int known_files(const Format *format)
{
    int count = 0;
    DIR *folder = opendir(format->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[600];
        const char *rest;
        if (entry->d_name[0] == '.')
            continue;
        if (!format_names(format, entry->d_name, &rest) || *rest != '\0')
            fail_msg("%s does not know %s", format->name, entry->d_name);
        snprintf(path, sizeof path, "%s/%s", format->folder, entry->d_name);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_true(status.st_size > 0);
        remove(path);
        count++;
    }
    closedir(folder);
    assert_int_equal(rmdir(format->folder), 0);
    return count;
}

static int export_to(const char *name)
{
    RunVolumes volumes;
    const BwOutputDef output = {.up = BW_UP_Y, .mesh_resolution = 1};
    const Format *format = format_to_export(name);
    assert_non_null(format);
    assert_int_equal(run_volumes_begin(&volumes, ".", &output, format, &err), BW_OK);
    assert_int_equal(run_volumes_make_folders(&volumes, &err), BW_OK);
    if (run_volumes_add(&volumes, &parts.frame, &err) != BW_OK)
        fail_msg("%s", err.message);
    assert_int_equal(run_volumes_settle(&volumes, &err), BW_OK);
    run_volumes_end(&volumes);
    return known_files(format);
}

static void each_part_has_its_file(void **state)
{
    (void)state;
    parts_make(&parts);
    assert_int_equal(export_to("vtk"), 4); // particles, columns, mesh, and the list of the three
    assert_true(bw_file_exists("run.pvd"));
    assert_int_equal(export_to("particles"), 1);
    assert_int_equal(export_to("particles_ply"), 1);
    assert_int_equal(export_to("ply"), 1);
    assert_int_equal(export_to("obj"), 1);
    assert_int_equal(export_to("gltf"), 1);
    parts.frame.mesh_count = 0;
    RunVolumes volumes;
    const BwOutputDef output = {.mesh = true};
    assert_int_equal(run_volumes_begin(&volumes, ".", &output, NULL, &err), BW_OK);
    assert_int_equal(run_volumes_add(&volumes, &parts.frame, &err), BW_OK);
    assert_int_equal(volumes.written_count, 0);
    assert_false(bw_file_exists("ply"));
    run_volumes_end(&volumes);
}

static float pool(const void *context, float x, float y, float z)
{
    (void)context, (void)x, (void)z;
    return y - 0.33f;
}

// Liquids are meshed for the formats that hold meshes; for ParaView only where the scene asks for it.
static void liquids_are_meshed(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {1, 1, 1};
    Liquid *liquid = liquid_make(0.1f, low, count, pool, NULL);
    const BwFrame kept = parts.frame;
    parts.frame = liquid->puff->frame;
    assert_int_equal(export_to("ply"), 1);
    assert_int_equal(export_to("obj"), 1);
    assert_int_equal(export_to("vtk"), 2); // the fields, and the list
    RunVolumes volumes;
    const BwOutputDef output = {.mesh = true, .vtk = true, .mesh_resolution = 2};
    assert_int_equal(run_volumes_begin(&volumes, ".", &output, NULL, &err), BW_OK);
    assert_int_equal(run_volumes_make_folders(&volumes, &err), BW_OK);
    assert_int_equal(run_volumes_add(&volumes, &parts.frame, &err), BW_OK);
    assert_int_equal(run_volumes_settle(&volumes, &err), BW_OK);
    run_volumes_end(&volumes);
    assert_true(bw_file_exists("vtk/frame_0000_water_mesh.vtp"));
    assert_int_equal(known_files(format_to_export("vtk")), 3);
    assert_int_equal(known_files(format_to_export("ply")), 1);
    parts.frame = kept;
    liquid_free(liquid);
}

static void other_names_are_not_ours(void **state)
{
    (void)state;
    static const char *const strange[] = {"frame_12.vti",       "frame_0012.vtix",    "frame_0012.vdb",
                                          "frame_0012_.vtp",    "notes.txt",          "frame_0012__mesh.vtp",
                                          "frame_0012_a.b.vtp", "frame_water.vti",    "frame_0012_water.vtp",
                                          "frame_0012.vti.bak", "frame_0012_mesh.vtp"};
    const Format *vtk = format_to_export("vtk");
    const char *rest;
    for (size_t n = 0; n < sizeof strange / sizeof *strange; n++)
        if (format_names(vtk, strange[n], &rest))
            fail_msg("%s is taken for a file of ours", strange[n]);
    assert_true(format_names(vtk, "frame_0012.vti.part", &rest));
    assert_string_equal(rest, ".part");
    assert_true(format_names(vtk, "frame_123456_a_mesh_mesh.vtp", &rest));
    assert_string_equal(rest, "");
}

// Every entry can be shown, and one that a scene asks for names the field.
static void the_table_is_whole(void **state)
{
    (void)state;
    char list[120];
    for (int n = 0; n < format_count; n++) {
        const Format *format = &formats[n];
        assert_true(format->name != NULL && format->label != NULL && format->holds != NULL);
        assert_true(format->file != NULL || format->folder != NULL);
        assert_true((format->folder != NULL) == (format->patterns[0] != NULL));
        assert_true((format->key != NULL) == (format->is_asked != NULL));
        assert_true(format->is_built == NULL || format->needs != NULL);
        assert_true((format_to_export(format->name) == format) == (format->write != NULL));
    }
    assert_null(format_to_export("gif"));
    assert_null(format_to_export(NULL));
    formats_list(list, sizeof list);
    assert_string_equal(list, "vdb, vtk, particles, particles_ply, ply, obj or gltf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_has_its_file),
        cmocka_unit_test(liquids_are_meshed),
        cmocka_unit_test(other_names_are_not_ours),
        cmocka_unit_test(the_table_is_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
