/// The surface of a liquid as a mesh: closed, with an inside and an outside everywhere, cut flat where the
/// liquid meets walls and along solids, with the velocity at its vertices.
/// ```c
/// const BwFrame *frame = NULL; // of bw_world_view_frame
/// BwSurfaceDef def = bw_surface_def_default();
/// def.resolution = 2;
/// BwSurface *surface;
/// BwError err;
/// if (bw_surface_create(&surface, &def, &err) != BW_OK)
///     return;
/// const BwFrameMesh *mesh = bw_surface_mesh(surface, frame, &err);
/// if (mesh != NULL)
///     printf("%d triangles\n", mesh->triangle_count); // bw_mesh_save_ply of billow/volume.h writes them
/// bw_surface_destroy(surface);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/frame.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Makes meshes of one frame after the other; keeps its memory in between.
typedef struct BwSurface BwSurface;

/// What the mesh of a liquid is wrapped around: the level set phi, and the particles "water" where it is of
/// two cells or thinner; or those particles all over. Deep inside phi tells that there is liquid.
typedef enum BwMeshFrom { BW_MESH_FROM_LEVELSET, BW_MESH_FROM_PARTICLES } BwMeshFrom;

typedef struct BwSurfaceDef {
    uint32_t cookie;       // set by bw_surface_def_default
    BwAllocator allocator; // zero: malloc and free
    BwScheduler scheduler; // zero: threads of our own
    int worker_count;      // default 0: one per core; the mesh is the same to the bit for any number
    int resolution;        // cells of the mesh along a cell of the frame, 1 to 4, default 1
    int smoothing;         // rounds, 0 to 100, default 3; the volume is kept
    BwMeshFrom from;       // default the level set
    // Cells of the frame that the mesh goes into solids, 0 to 2, but no farther than half through them;
    // default 0. For pictures: a solid that is drawn as well then cuts the water, without the blunt edges of
    // the mesh; and thin liquid, which they draw as drops, is what the level set has of it.
    float into_solids;
} BwSurfaceDef;

BW_API BwSurfaceDef bw_surface_def_default(void);
BW_API BwResult bw_surface_create(BwSurface **surface, const BwSurfaceDef *def, BwError *err);
BW_API void bw_surface_destroy(BwSurface *surface);

/// The surface of the liquid of a 3-D frame, or of a flat one within chains, turned about the y axis at x =
/// 0, as a mesh named "water", borrowed until the next call. Every edge has two triangles, in opposite
/// directions; each connected component is closed, and a bubble is one of its own. Has no triangles where the
/// frame has no liquid. Attributes: "velocity", m/s, of the particles "water" around or of the grid, and
/// "color", "temperature", K, and "age", s, where the frame has them. NULL, with the reason, when the frame
/// has no phi or, where the mesh is to be wrapped around them, no particles "water" with a "volume", or is
/// 2-D, or memory is short.
BW_API const BwFrameMesh *bw_surface_mesh(BwSurface *surface, const BwFrame *frame, BwError *err);

#ifdef __cplusplus
}
#endif
