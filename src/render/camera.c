// The camera. Without one in the scene it looks a little from above, from the front right in 3-D and straight
// on in 2-D, as near as it can with all eight corners of the scene's extent inside the image. It depends on
// the scene only, not on the frame, so it neither jumps nor drifts.
#include "render/camera.h"

#include "grid/frame_bounds.h"
#include "mesh/revolve.h"
#include "scene/extent.h"

#define MARGIN        0.92f   // of the image that the extent may fill in 3-D; flat pictures fill all of it
#define AZIMUTH       0.50f   // rad, from the front towards the right
#define ELEVATION     0.17f   // rad, above the horizontal
#define OVER_WATER    0.38f   // rad, the same for liquids, whose surface is seen from above
#define FIELD_OF_VIEW 0.6981f // rad, 40 degrees

static BwVec3 box_center(BwBox box)
{
    return bw_add(box.low, bw_mul(bw_sub(box.high, box.low), 0.5f));
}

static float box_longest(BwBox box)
{
    BwVec3 size = bw_sub(box.high, box.low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static BwResult vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err)
{
    float value[4];
    BW_TRY(bw_curve_at(curve, time, value, err));
    *vector = bw_vec3(value[0], value[1], value[2]);
    return BW_OK;
}

// Everything that a frame shows.
static BwBox frame_bounds(const BwFrame *frame)
{
    BwBox box = bw_box_empty();
    float side = (float)BW_TILE * frame->cell_size;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        BwTileCoord tile = frame->tiles[n];
        BwVec3 low = bw_vec3(side * (float)tile.x, side * (float)tile.y, side * (float)tile.z);
        BwVec3 size = bw_vec3(side, side, (float)frame->layers * frame->cell_size);
        box = bw_box_union(box, (BwBox){low, bw_add(low, size)});
    }
    for (int n = 0; n < frame->particle_set_count; n++)
        box = bw_box_union(box, bw_particles_bounds(frame, &frame->particles[n]));
    for (int n = 0; n < frame->column_set_count; n++)
        box = bw_box_union(box, bw_columns_bounds(&frame->columns[n]));
    for (int n = 0; n < frame->mesh_count; n++)
        box = bw_box_union(box, bw_mesh_bounds(&frame->meshes[n]));
    return box;
}

BwResult bw_picture_extent(BwBox *extent, const BwSceneDef *scene, const BwFrame *frame, BwError *err)
{
    BwBox box;
    BW_TRY(bw_scene_extent(&box, scene, err));
    if (scene->look.revolve)
        box = bw_revolve_box(box);
    if (!bw_box_is_finite(box))
        box = frame_bounds(frame);
    if (!bw_box_is_finite(box))
        box = (BwBox){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    // A flat or pointlike extent still needs room round it.
    float least = fmaxf(0.01f * box_longest(box), 4.0f * frame->cell_size);
    BwVec3 center = box_center(box), half = bw_vec3(0.5f * least, 0.5f * least, 0.5f * least);
    *extent = bw_box_union(box, (BwBox){bw_sub(center, half), bw_add(center, half)});
    return BW_OK;
}

static void look_along(BwCamera *camera, BwVec3 forward, BwVec3 up)
{
    camera->forward = bw_normalize(forward);
    BwVec3 right = bw_cross(camera->forward, up);
    if (bw_length(right) < 1e-4f * bw_length(up)) // looking along `up`: any other will do
        right = bw_cross(camera->forward, bw_vec3(0.0f, 0.0f, -1.0f));
    if (bw_length(right) < 1e-4f)
        right = bw_vec3(1.0f, 0.0f, 0.0f);
    camera->right = bw_normalize(right);
    camera->up = bw_cross(camera->right, camera->forward);
}

static BwVec3 corner(BwBox box, int n)
{
    BwVec3 size = bw_sub(box.high, box.low);
    return bw_vec3(n & 1 ? 0.5f * size.x : -0.5f * size.x, n & 2 ? 0.5f * size.y : -0.5f * size.y,
                   n & 4 ? 0.5f * size.z : -0.5f * size.z);
}

// How far back from `target` (relative to the box's centre) the camera must stand to see every corner.
static float distance_to_see(const BwCamera *camera, BwBox box, BwVec3 target, float margin)
{
    float distance = 0.0f;
    for (int n = 0; n < 8; n++) {
        BwVec3 point = bw_sub(corner(box, n), target);
        float across = fabsf(bw_dot(point, camera->right)) / (margin * camera->tan_x);
        float upward = fabsf(bw_dot(point, camera->up)) / (margin * camera->tan_y);
        distance = fmaxf(distance, fmaxf(across, upward) - bw_dot(point, camera->forward));
    }
    return distance;
}

// The shift of the target that puts the corners' image in the middle.
static BwVec3 centering_shift(const BwCamera *camera, BwBox box, BwVec3 target, float distance)
{
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int n = 0; n < 8; n++) {
        BwVec3 point = bw_sub(corner(box, n), target);
        float depth = distance + bw_dot(point, camera->forward);
        float at[2] = {bw_dot(point, camera->right) / depth, bw_dot(point, camera->up) / depth};
        for (int c = 0; c < 2; c++) {
            low[c] = fminf(low[c], at[c]);
            high[c] = fmaxf(high[c], at[c]);
        }
    }
    BwVec3 across = bw_mul(camera->right, 0.5f * (low[0] + high[0]) * distance);
    return bw_add(across, bw_mul(camera->up, 0.5f * (low[1] + high[1]) * distance));
}

static void set_eye(BwCamera *camera, BwVec3 center, BwVec3 target, float distance)
{
    BwVec3 back = bw_sub(target, bw_mul(camera->forward, distance));
    camera->eye[0] = (double)center.x + (double)back.x;
    camera->eye[1] = (double)center.y + (double)back.y;
    camera->eye[2] = (double)center.z + (double)back.z;
}

static void stand_back(BwCamera *camera, BwBox extent)
{
    BwVec3 target = {0.0f, 0.0f, 0.0f};
    float distance = distance_to_see(camera, extent, target, MARGIN);
    for (int round = 0; round < 8; round++) {
        target = bw_add(target, centering_shift(camera, extent, target, distance));
        distance = distance_to_see(camera, extent, target, MARGIN);
    }
    set_eye(camera, box_center(extent), target, distance);
}

// Flat pictures are seen straight on; only place and height over the plane can be chosen.
static BwResult look_at_plane(BwCamera *camera, const BwCameraDef *def, BwBox extent, double time,
                              BwError *err)
{
    BwVec3 at = box_center(extent), position = {0.0f, 0.0f, 0.0f};
    look_along(camera, bw_vec3(0.0f, 0.0f, -1.0f), bw_vec3(0.0f, 1.0f, 0.0f));
    extent.low.z = extent.high.z = 0.0f;
    float height = distance_to_see(camera, extent, bw_vec3(0.0f, 0.0f, 0.0f), 1.0f);
    if (bw_curve_is_given(&def->target))
        BW_TRY(vector_at(&def->target, time, &at, err));
    if (bw_curve_is_given(&def->position)) {
        BW_TRY(vector_at(&def->position, time, &position, err));
        at = position;
    }
    at.z = 0.0f;
    set_eye(camera, at, bw_vec3(0.0f, 0.0f, 0.0f), position.z > 0.0f ? position.z : height);
    return BW_OK;
}

static BwResult look_at_space(BwCamera *camera, const BwCameraDef *def, BwFluid fluid, BwBox extent,
                              double time, BwError *err)
{
    const BwVec3 zero = {0.0f, 0.0f, 0.0f};
    BwVec3 target = box_center(extent), up = {0.0f, 1.0f, 0.0f}, position;
    float elevation = fluid == BW_FLUID_LIQUID ? OVER_WATER : ELEVATION;
    BwVec3 direction = {-sinf(AZIMUTH) * cosf(elevation), -sinf(elevation), -cosf(AZIMUTH) * cosf(elevation)};
    if (bw_curve_is_given(&def->target))
        BW_TRY(vector_at(&def->target, time, &target, err));
    if (bw_curve_is_given(&def->up))
        BW_TRY(vector_at(&def->up, time, &up, err));
    if (bw_curve_is_given(&def->position)) {
        BW_TRY(vector_at(&def->position, time, &position, err));
        BwVec3 forward = bw_sub(target, position);
        look_along(camera, bw_length(forward) > 0.0f ? forward : direction, up);
        set_eye(camera, position, zero, 0.0f);
        return BW_OK;
    }
    look_along(camera, direction, up);
    if (bw_curve_is_given(&def->target))
        set_eye(camera, target, zero, distance_to_see(camera, extent, zero, MARGIN));
    else
        stand_back(camera, extent);
    return BW_OK;
}

BwResult bw_camera_at(BwCamera *camera, const BwSceneDef *scene, BwBox extent, double time, float aspect,
                      BwError *err)
{
    float field = scene->camera.field_of_view;
    camera->tan_y = tanf(0.5f * (field > 0.0f ? field : FIELD_OF_VIEW));
    camera->tan_x = aspect * camera->tan_y;
    if (bw_picture_is_flat(scene))
        return look_at_plane(camera, &scene->camera, extent, time, err);
    return look_at_space(camera, &scene->camera, scene->fluid, extent, time, err);
}

float bw_camera_project(const BwCamera *camera, const double place[3], float *x, float *y)
{
    BwVec3 point = bw_vec3((float)(place[0] - camera->eye[0]), (float)(place[1] - camera->eye[1]),
                           (float)(place[2] - camera->eye[2]));
    float depth = bw_dot(point, camera->forward);
    *x = bw_dot(point, camera->right) / (depth * camera->tan_x);
    *y = bw_dot(point, camera->up) / (depth * camera->tan_y);
    return depth;
}
