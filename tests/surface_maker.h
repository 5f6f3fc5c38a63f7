// Makes meshes of frames of liquids, and fails where there is none.
#pragma once

#include "gate.h"
#include "strict_allocator.h"

#include <billow/surface.h>

static inline BwSurface *surface_make(BwMeshFrom from, int resolution, int smoothing, int workers)
{
    BwError err = {0};
    BwSurface *surface;
    BwSurfaceDef def = bw_surface_def_default();
    def.from = from;
    def.resolution = resolution;
    def.smoothing = smoothing;
    def.worker_count = workers;
    if (bw_surface_create(&surface, &def, &err) != BW_OK)
        fail_msg("%s", err.message);
    return surface;
}

static inline const BwFrameMesh *mesh_of(BwSurface *surface, const BwFrame *frame)
{
    BwError err = {0};
    const BwFrameMesh *mesh = bw_surface_mesh(surface, frame, &err);
    if (mesh == NULL)
        fail_msg("%s", err.message);
    return mesh;
}

// Bit for bit.
static inline void assert_same_mesh(const BwFrameMesh *mesh, const BwFrameMesh *other)
{
    assert_int_equal(mesh->vertex_count, other->vertex_count);
    assert_int_equal(mesh->triangle_count, other->triangle_count);
    assert_memory_equal(mesh->vertices, other->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    assert_memory_equal(mesh->triangles, other->triangles,
                        (size_t)mesh->triangle_count * sizeof *mesh->triangles);
}

// Lets each allocation in turn fail on the way to a mesh of twice the resolution: the error says so, the
// surface then makes the mesh that it would have made, and nothing is left.
static inline void assert_short_memory_is_told(BwMeshFrom from, const BwFrame *frame)
{
    StrictAllocator strict = {0};
    BwSurface *ample = surface_make(from, 2, 3, 2);
    const BwFrameMesh *whole = mesh_of(ample, frame);
    BwSurfaceDef def = bw_surface_def_default();
    def.from = from;
    def.allocator = strict_allocator(&strict);
    def.resolution = 2;
    def.worker_count = 2;
    bool is_done = false;
    for (int n = 0; !is_done && n < 1000; n++) {
        BwError err = {0};
        BwSurface *surface = NULL;
        fail_after(&strict, n);
        BwResult result = bw_surface_create(&surface, &def, &err);
        is_done = result == BW_OK && bw_surface_mesh(surface, frame, &err) != NULL;
        if (!is_done)
            assert_int_equal(err.code, BW_ERR_MEMORY);
        fail_after(&strict, 1 << 30);
        if (result == BW_OK)
            assert_same_mesh(mesh_of(surface, frame), whole);
        bw_surface_destroy(surface);
        assert_nothing_left(&strict);
    }
    bw_surface_destroy(ample);
    assert_true(is_done);
}
