// Where the picture is taken from. Without a camera in the scene it frames the scene by itself, from the Defs
// alone, so that it stands still over a run.
#pragma once

#include "base/error.h"
#include <billow/frame.h>
#include <billow/scene.h>

typedef struct BwCamera {
    double eye[3];             // m; double, for scenes may lie far from the origin
    BwVec3 right, up, forward; // unit vectors
    float tan_x, tan_y;        // half the width and height of the image at distance 1
} BwCamera;

// Whether it is taken straight on, of a plane.
static inline bool bw_picture_is_flat(const BwSceneDef *scene)
{
    return scene->dimension == 2 && !scene->look.revolve;
}

// The box a picture should show: that of the scene, or of the frame where the scene tells nothing. Never
// empty, never infinite.
BwResult bw_picture_extent(BwBox *extent, const BwSceneDef *scene, const BwFrame *frame, BwError *err);

// The camera at a time: the scene's own, completed by one that sees all of `extent`.
BwResult bw_camera_at(BwCamera *camera, const BwSceneDef *scene, BwBox extent, double time, float aspect,
                      BwError *err);

// Direction through an image point; x and y run from -1 (left, bottom) to 1 (right, top). Unit length.
static inline BwVec3 bw_camera_ray(const BwCamera *camera, float x, float y)
{
    BwVec3 across = bw_mul(camera->right, x * camera->tan_x);
    BwVec3 upward = bw_mul(camera->up, y * camera->tan_y);
    return bw_normalize(bw_add(camera->forward, bw_add(across, upward)));
}

// The image point of a place, and its distance along the view axis; behind the camera it is negative.
float bw_camera_project(const BwCamera *camera, const double place[3], float *x, float *y);
