/// Pictures and movies from frames.
/// ```c
/// BwSceneDef scene = bw_scene_def_default(); // as the world's
/// const BwFrame *frame = NULL;               // of bw_world_view_frame
/// BwRendererDef def = bw_renderer_def_default();
/// def.scene = &scene;
/// BwRenderer *renderer;
/// BwError err;
/// if (bw_renderer_create(&renderer, &def, &err) != BW_OK)
///     return;
/// const BwImage *image = bw_renderer_draw(renderer, frame, &err);
/// if (image == NULL || bw_image_save_png(image, "smoke.png", &err) != BW_OK)
///     puts(err.message);
/// bw_renderer_destroy(renderer);
/// ```
#pragma once

#include <billow/base.h>
#include <billow/frame.h>
#include <billow/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An image, 8 bits a channel, rows from the top, RGB without padding.
typedef struct BwImage {
    int width_px, height_px;
    uint8_t *pixels; // 3 * width_px * height_px bytes
} BwImage;

/// Draws frames of one run: keeps the camera steady and its scratch memory from frame to frame.
typedef struct BwRenderer BwRenderer;

typedef struct BwRendererDef {
    uint32_t cookie;         // set by bw_renderer_def_default
    BwAllocator allocator;   // zero: malloc and free
    BwScheduler scheduler;   // zero: threads of our own
    int worker_count;        // default 0: one per core
    const BwSceneDef *scene; // camera, lights, look, size; required
    int width_px, height_px; // default 0: from scene.output
    bool has_view;           // default false: a scene without a camera is shown as a whole
    BwBox view; // m, what it is to show of it, when has_view; smoke is as thick as suits its size
} BwRendererDef;

BW_API BwRendererDef bw_renderer_def_default(void);
BW_API BwResult bw_renderer_create(BwRenderer **renderer, const BwRendererDef *def, BwError *err);
BW_API void bw_renderer_destroy(BwRenderer *renderer);

/// Whether this build draws water from its mesh, through Embree; else it is drawn from its level set.
BW_API bool bw_water_mesh_is_built(void);

/// Draws a frame. The image is borrowed until the next call.
BW_API const BwImage *bw_renderer_draw(BwRenderer *renderer, const BwFrame *frame, BwError *err);

/// Writes a PNG file, whole or not at all.
BW_API BwResult bw_image_save_png(const BwImage *image, const char *path, BwError *err);

/// The same with a title, which programs that show the file tell; NULL: none. What of it is no UTF-8 is
/// written as question marks, and not more than 511 bytes are.
BW_API BwResult bw_image_save_titled_png(const BwImage *image, const char *title, const char *path,
                                         BwError *err);

/// Reads a PNG file back into an image, whose size it must have.
BW_API BwResult bw_image_load_png(BwImage *image, const char *path, BwError *err);

/// An H.264 movie in an MP4 file that grows frame by frame; it gets its final name when finished.
typedef struct BwMovie BwMovie;

/// Sizes that are odd lose their last row or column, for H.264 stores colour at half the size. Where FFmpeg
/// has no H.264 encoder the movie is MPEG-4 part 2; bw_movie_codec tells.
BW_API BwResult bw_movie_begin(BwMovie **movie, const char *path, int width_px, int height_px, double fps,
                               BwError *err);
/// Gives the movie a title, at any time before it is finished; as for pictures.
BW_API BwResult bw_movie_set_title(BwMovie *movie, const char *title, BwError *err);
BW_API BwResult bw_movie_add(BwMovie *movie, const BwImage *image, BwError *err);
/// What the movie is coded in: "h264" or "mpeg4".
BW_API const char *bw_movie_codec(const BwMovie *movie);
/// Ends the file and frees the movie, also on failure.
BW_API BwResult bw_movie_finish(BwMovie *movie, BwError *err);
/// Throws the unfinished file away. NULL is fine.
BW_API void bw_movie_abandon(BwMovie *movie);

#ifdef __cplusplus
}
#endif
