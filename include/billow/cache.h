/// Checkpoints: the whole state of a world in one file, from which a world of the same scene goes on as if it
/// had never stopped, bit for bit. HDF5 with a seal of our own around it; docs/formats.md has the layout.
/// Threads may save and load at once, each its own world or frame: they take turns with HDF5. A host that
/// uses HDF5 itself, of a build that is not thread-safe, must not do so meanwhile.
/// ```c
/// BwWorld *world = NULL, *later = NULL; // of bw_world_create, from the same scene
/// BwError err;
/// if (bw_checkpoint_save(world, "state.h5", false, &err) != BW_OK ||
///     bw_checkpoint_load(later, "state.h5", &err) != BW_OK)
///     puts(err.message);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/world.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the state after the last whole step, with what was set since: also after a step that failed.
/// The file appears whole or not at all, and is on the disk when the call returns. `compress` makes it
/// smaller and slower. Fails when the file cannot be written, memory is short, or the build has no HDF5.
BW_API BwResult bw_checkpoint_save(BwWorld *world, const char *path, bool compress, BwError *err);

/// The same in two parts: `begin` takes the state, and the file is written by a thread while the world goes
/// on; `finish` waits for it, tells how it went, and frees the write. A write that began must be finished.
typedef struct BwCheckpointWrite BwCheckpointWrite;
BW_API BwResult bw_checkpoint_begin(BwCheckpointWrite **write, BwWorld *world, const char *path,
                                    bool compress, BwError *err);
BW_API BwResult bw_checkpoint_finish(BwCheckpointWrite *write, BwError *err);

/// Takes a world to the frame of a checkpoint. A file that is cut short, damaged, of another kind or of
/// another scene or of another run (BwWorldDef.run_id) is refused by name, as is a state that no run leaves;
/// title, length, pictures and output of a scene may change. After a failure the world may only be destroyed
/// or loaded again.
BW_API BwResult bw_checkpoint_load(BwWorld *world, const char *path, BwError *err);

/// The same for a world whose scene was changed since: the state is taken as it is, as long as fluid,
/// dimension, cell, frames per second and the number of obstacles are the same.
BW_API BwResult bw_checkpoint_adopt(BwWorld *world, const char *path, BwError *err);

/// Whether the file is a whole checkpoint: its seal is checked, its content is not looked at.
BW_API BwResult bw_checkpoint_check(const char *path, BwError *err);

/// Bytes that a checkpoint of the world takes, uncompressed.
BW_API BwResult bw_checkpoint_size(BwWorld *world, uint64_t *bytes, BwError *err);

/// A frame as a file of its own, as far as pictures need it: smoke, its colour and where solids stand; in 2-D
/// also heat and speed; and all of its particles, columns and meshes. Much smaller than a checkpoint, and of
/// no use to go on from. `run_id` says which run it belongs to; 0: none. The file appears whole or not at
/// all. A frame that could not be read back, because it holds what is not finite or tiles out of order, is
/// refused.
BW_API BwResult bw_frame_save(const BwFrame *frame, const char *path, uint64_t run_id, BwError *err);

/// The same with velocity, pressure and where the fluid is, which a scene of fluid BW_FLUID_RECORDED needs:
/// as cache/frame_0012.h5 and so on, all of a run from frame 0 on, in the folder that its `recorded.run`
/// names. Fails where the frame has none of them: the world's scene must have output.record.
BW_API BwResult bw_frame_record(const BwFrame *frame, const char *path, uint64_t run_id, BwError *err);

/// A frame read back, with the shapes and colours of the scene, which must outlive it; solids that were
/// removed stay so. Pictures of it are those of the frame that was saved, bit for bit. A file that is
/// damaged, of another scene or, where `run_id` is not 0, of another run is refused by name. Without a scene
/// (NULL) the frame has no solids, and walls only where it was recorded; a scene without bodies leaves out
/// those of the file.
typedef struct BwFrameFile BwFrameFile;
BW_API BwResult bw_frame_load(BwFrameFile **file, const char *path, const BwSceneDef *scene, uint64_t run_id,
                              BwError *err);
BW_API const BwFrame *bw_frame_file_view(const BwFrameFile *file); // lives as long as the file
BW_API uint64_t bw_frame_file_run_id(const BwFrameFile *file);     // 0: none
BW_API void bw_frame_file_destroy(BwFrameFile *file);

/// Whether this build can write and read checkpoints.
BW_API bool bw_checkpoint_is_built(void);

#ifdef __cplusplus
}
#endif
