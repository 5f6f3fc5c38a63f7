/// Volumes: frames as files that other programs open. OpenVDB files (Blender, Houdini) keep the tiles sparse;
/// VTK images (ParaView) are dense boxes; particles, columns and meshes have files of their own. Both kinds
/// of volume hold every field that sits at cell centres ("density", "temperature", ...; not the masks "fluid"
/// and "solid"), and the velocity as one vector, "vel". A file appears whole or not at all.
/// ```c
/// const BwFrame *frame = NULL; // of bw_world_view_frame
/// BwVolumeDef def = bw_volume_def_default();
/// def.up = BW_UP_Z;
/// BwError err;
/// if (bw_volume_has_vdb() && bw_volume_save_vdb(frame, &def, "smoke.vdb", &err) != BW_OK)
///     puts(err.message);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/frame.h>
#include <billow/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BwVolumeDef {
    uint32_t cookie;           // set by bw_volume_def_default
    BwAllocator allocator;     // zero: malloc and free; OpenVDB takes its own memory
    BwUp up;                   // default y; z turns the scene about x, so that (x, y, z) becomes (x, -z, y)
    bool half;                 // OpenVDB: 16 bits a number, 11 of them digits; default false
    BwCompression compression; // OpenVDB, default zip
    bool faces;       // VTK: also "u", "v", "w", the velocity on the low faces of cells; default false
    int worker_count; // OpenVDB: threads that compress; default 0: one per core
} BwVolumeDef;

/// One file of a series, and the moment it shows.
typedef struct BwVolumeFile {
    double time;      // s
    const char *name; // relative to the series' own folder
} BwVolumeFile;

BW_API BwVolumeDef bw_volume_def_default(void);

/// Whether this build can write OpenVDB files.
BW_API bool bw_volume_has_vdb(void);

/// Writes an OpenVDB file: a leaf a tile, active where cells are live. "vel" is staggered: its components sit
/// on the low faces of their voxel. `def` may be NULL for the defaults. Fails with BW_ERR_BACKEND where the
/// build has no OpenVDB, and when the file cannot be written.
BW_API BwResult bw_volume_save_vdb(const BwFrame *frame, const BwVolumeDef *def, const char *path,
                                   BwError *err);

/// Writes a VTK image (.vti): a point at each cell centre of the box around the live cells, with the velocity
/// averaged there; the background where nothing lives. `def` may be NULL for the defaults. Fails when the box
/// would hold 2^31 numbers or more, and when the file cannot be written.
BW_API BwResult bw_volume_save_vti(const BwFrame *frame, const BwVolumeDef *def, const char *path,
                                   BwError *err);

/// One block of a VTK file that lists several.
typedef struct BwVolumeBlock {
    const char *name; // "volume", "water"
    const char *file; // from the folder of the list
} BwVolumeBlock;

/// Writes a VTK file (.vtm) that lists others as its blocks. A series of images whose boxes differ must be
/// listed by these: ParaView cuts bare images to the box of the first. Fails when the file cannot be written.
BW_API BwResult bw_volume_save_vtm(const BwVolumeBlock *blocks, int count, const char *path, BwError *err);

/// Writes particles or a mesh as VTK polygons (.vtp), or the surface of columns as a VTK grid (.vts), with
/// all their attributes; of columns also "height". Three floats with a unit are vectors, which turn with the
/// axes. `def` may be NULL for the defaults. They fail when the file cannot be written.
BW_API BwResult bw_particles_save_vtp(const BwFrame *frame, const BwFrameParticles *particles,
                                      const BwVolumeDef *def, const char *path, BwError *err);
BW_API BwResult bw_mesh_save_vtp(const BwFrame *frame, const BwFrameMesh *mesh, const BwVolumeDef *def,
                                 const char *path, BwError *err);
BW_API BwResult bw_columns_save_vts(const BwFrame *frame, const BwFrameColumns *columns,
                                    const BwVolumeDef *def, const char *path, BwError *err);

/// Writes a mesh, or particles as points, as a PLY file, with all attributes ("color" as bytes "red",
/// "green", "blue", others of three as "velocity_x" and so on), or a mesh as an OBJ file, which knows places
/// and "color" alone. As above.
BW_API BwResult bw_mesh_save_ply(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path,
                                 BwError *err);
BW_API BwResult bw_particles_save_ply(const BwFrame *frame, const BwFrameParticles *particles,
                                      const BwVolumeDef *def, const char *path, BwError *err);
BW_API BwResult bw_mesh_save_obj(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path,
                                 BwError *err);

/// Writes a mesh as a binary glTF 2.0 file (.glb), with normals, the material of clear water and all
/// attributes: "color" as COLOR_0, others as _VELOCITY and so on. y is up there whatever the Def says, for
/// glTF knows no other; readers turn it. As above.
BW_API BwResult bw_mesh_save_gltf(const BwFrameMesh *mesh, const BwVolumeDef *def, const char *path,
                                  BwError *err);

/// Writes a ParaView collection (.pvd), which shows files of a series at their times. Fails when the file
/// cannot be written.
BW_API BwResult bw_volume_save_pvd(const BwVolumeFile *files, int count, const char *path, BwError *err);

#ifdef __cplusplus
}
#endif
