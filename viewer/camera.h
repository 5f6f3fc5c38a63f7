// The camera: flat over 2-D scenes, in orbit around a point of 3-D ones.
#pragma once

#include "matrix.h"
#include "stage.h"

typedef struct Camera {
    bool is_flat;
    BwVec3 target;
    float distance;          // m; flat: half of the height that is seen
    float yaw, pitch;        // rad
    float field_of_view;     // rad
    int width_px, height_px; // of the picture
    float reach;             // m, how far away things may be
} Camera;

// Shows the whole stage, by the scene's own camera where it has one that stands still.
void camera_frame(Camera *camera, const Stage *stage);

BwVec3 camera_position(const Camera *camera);
BwVec3 camera_forward(const Camera *camera);
Matrix camera_view(const Camera *camera);
Matrix camera_projection(const Camera *camera);

void camera_orbit(Camera *camera, float dx_px, float dy_px);
void camera_pan(Camera *camera, float dx_px, float dy_px);
void camera_zoom(Camera *camera, float notches);

// The ray through a pixel, counted from the top left.
void camera_ray(const Camera *camera, double x_px, double y_px, BwVec3 *from, BwVec3 *along);

// Where the ray meets the plane through a point that faces the camera.
BwVec3 camera_point(const Camera *camera, double x_px, double y_px, BwVec3 through);
