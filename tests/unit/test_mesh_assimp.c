// Meshes that Assimp reads for us: a glTF with a moved node, and a helper that crashes, lies or is not there.
#include "liquid_frame.h"
#include "mesh_walk.h"
#include "scratch_folder.h"
#include "solid/mesh_read.h"
#include <billow/shape.h>
#include <billow/surface.h>
#include <billow/volume.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A tetrahedron, twice as large and at x = 10.
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh"
    "\":0,\"translation\":[10,0,0],\"scale\":[2,2,2]}],\"meshes\":[{\"primitives\":[{\"attributes"
    "\":{\"POSITION\":0},\"indices\":1}]}],\"buffers\":[{\"byteLength\":72,\"uri\":\"data:applica"
    "tion/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAA"
    "CAAEAAAABAAMAAAADAAIAAQACAAMA\"}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLeng"
    "th\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24}],\"accessors\":[{\"bufferView\":"
    "0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]},{\"b"
    "ufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}]}";

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

#ifdef BW_HELPERS
static void a_gltf_is_read(void **state)
{
    (void)state;
    BwError err = {0};
    BwShapeFile *content;
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f};
    setenv("BILLOW_HELPERS", BW_HELPERS, 1);
    write_text("a.gltf", gltf);
    if (bw_shape_file_load(&content, &shape, "a.gltf", NULL, &err) != BW_OK)
        fail_msg("%s", err.message);
    shape.content = content;
    assert_null(bw_shape_file_warning(content));
    assert_float_equal(bw_shape_bounds(&shape).low.x, 10.0f, 1e-5f);
    assert_float_equal(bw_shape_bounds(&shape).high.x, 12.0f, 1e-5f);
    assert_float_equal(bw_shape_distance(&shape, bw_vec3(10.1f, 0.5f, 0.5f)), -0.1f, 1e-4f);
    assert_true(bw_shape_distance(&shape, bw_vec3(11.0f, 1.0f, 1.0f)) > 0.0f);
    bw_shape_file_destroy(content);
}

// What Assimp makes of a file of ours: as many triangles, closed, of the same volume.
static void expect_same(const char *path, const BwFrameMesh *ours)
{
    BwError err = {0};
    BwMeshReport report;
    BwMesh theirs = {.allocator = bw_allocator_or_default((BwAllocator){0}), .name = path};
    if (bw_mesh_read_assimp(&theirs, path, &err) != BW_OK || bw_mesh_mend(&theirs, &report, &err) != BW_OK)
        fail_msg("%s", err.message);
    assert_int_equal(theirs.triangle_count, ours->triangle_count);
    assert_true(report.without_area == 0 && report.doubled == 0 && report.open_edges == 0);
    assert_true(report.crowded_edges == 0 && report.turned == 0);
    BwFrameMesh copy = {.vertex_count = (int32_t)theirs.point_count,
                        .triangle_count = (int32_t)theirs.triangle_count,
                        .vertices = theirs.points,
                        .triangles = (const int32_t(*)[3])(const void *)theirs.triangles};
    MeshFaults faults = mesh_walk(&copy); // points that were joined with others are left over
    assert_true(faults.edges == 0 && faults.fans == 0);
    assert_int_equal(theirs.point_count - faults.lone, ours->vertex_count);
    assert_true(fabs(mesh_volume(&copy) / mesh_volume(ours) - 1.0) < 1e-6);
    bw_mesh_free(&theirs);
}

// Meshes that we write are read by Assimp, vertex by vertex.
static void our_meshes_are_read(void **state)
{
    (void)state;
    const int32_t low[3] = {0, 0, 0}, count[3] = {8, 4, 4};
    BwError err = {0};
    BwSurface *surface;
    Liquid *liquid = liquid_make(1.0f / 32.0f, low, count, liquid_splash, NULL);
    assert_int_equal(bw_surface_create(&surface, NULL, &err), BW_OK);
    const BwFrameMesh *mesh = bw_surface_mesh(surface, &liquid->puff->frame, &err);
    assert_non_null(mesh);
    setenv("BILLOW_HELPERS", BW_HELPERS, 1);
    assert_int_equal(bw_mesh_save_ply(mesh, NULL, "water.ply", &err), BW_OK);
    assert_int_equal(bw_mesh_save_obj(mesh, NULL, "water.obj", &err), BW_OK);
    assert_int_equal(bw_mesh_save_gltf(mesh, NULL, "water.glb", &err), BW_OK);
    expect_same("water.ply", mesh);
    expect_same("water.glb", mesh);
    expect_same("water.obj", mesh);
    bw_surface_destroy(surface);
    liquid_free(liquid);
}

static void what_is_no_mesh_is_told(void **state)
{
    (void)state;
    BwError err = {0};
    BwShapeFile *content;
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f};
    setenv("BILLOW_HELPERS", BW_HELPERS, 1);
    write_text("a.fbx", "no such thing");
    assert_int_equal(bw_shape_file_load(&content, &shape, "a.fbx", NULL, &err), BW_ERR_FORMAT);
    assert_non_null(strstr(err.message, "a.fbx: Assimp says: "));
}
#endif

static void a_helper_that_fails_costs_a_message(void **state)
{
    static const struct {
        const char *script;
        BwResult result;
        const char *message;
    } cases[] = {
        {"kill -SEGV $$", BW_ERR_BACKEND, "a.glb: Assimp broke down on it (Segmentation fault)"},
        {"echo ply; kill -KILL $$", BW_ERR_BACKEND, "a.glb: Assimp broke down on it (Killed)"},
        {"exit 7", BW_ERR_BACKEND, "a.glb: Assimp broke down on it (it gave up)"},
        {"echo error no such thing; exit 1", BW_ERR_FORMAT, "a.glb: Assimp says: no such thing"},
        {"true", BW_ERR_FORMAT, "a.glb:1: the file ends here; there must be ply"},
        {"echo nonsense", BW_ERR_FORMAT, "a.glb:1: \"nonsense\" stands where there must be ply"},
    };
    const char *folder = *state;
    BwShape shape = {.kind = BW_SHAPE_MESH, .factor = 1.0f};
    BwShapeFile *content;
    setenv("BILLOW_HELPERS", folder, 1);
    write_text("a.glb", "anything");
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char script[200];
        BwError err = {0};
        snprintf(script, sizeof script, "#!/bin/sh\n%s\n", cases[n].script);
        write_text("billow-read-mesh", script);
        assert_int_equal(chmod("billow-read-mesh", 0755), 0);
        assert_int_equal(bw_shape_file_load(&content, &shape, "a.glb", NULL, &err), cases[n].result);
        assert_string_equal(err.message, cases[n].message);
    }
    BwError err = {0};
    assert_int_equal(remove("billow-read-mesh"), 0);
    assert_int_equal(bw_shape_file_load(&content, &shape, "a.glb", NULL, &err), BW_ERR_BACKEND);
    assert_non_null(strstr(err.message, "libassimp-dev"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef BW_HELPERS
        cmocka_unit_test(a_gltf_is_read),
        cmocka_unit_test(our_meshes_are_read),
        cmocka_unit_test(what_is_no_mesh_is_told),
#endif
        cmocka_unit_test(a_helper_that_fails_costs_a_message),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
