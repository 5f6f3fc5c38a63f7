// Orbiting, panning, zooming; matrices and rays.
#include "camera.h"

static const float turn_per_px = 0.006f, zoom_per_notch = 0.88f, pitch_most = 1.55f, margin = 1.06f;

static void look_from(Camera *camera, BwVec3 from, BwVec3 to)
{
    BwVec3 way = bw_sub(from, to);
    camera->target = to;
    camera->distance = fmaxf(bw_length(way), 1e-3f);
    camera->yaw = atan2f(way.x, way.z);
    camera->pitch = asinf(fminf(fmaxf(way.y / camera->distance, -1.0f), 1.0f));
}

static bool is_still(const BwCurve *curve)
{
    return curve->kind == BW_CURVE_CONSTANT;
}

static BwVec3 still_vector(const BwCurve *curve)
{
    return bw_vec3(curve->value[0], curve->value[1], curve->value[2]);
}

void camera_frame(Camera *camera, const Stage *stage)
{
    const BwSceneDef *scene = stage_scene(stage);
    BwBox box = stage_box(stage);
    BwVec3 size = bw_sub(box.high, box.low);
    camera->is_flat = scene->dimension == 2;
    camera->target = bw_mul(bw_add(box.low, box.high), 0.5f);
    camera->field_of_view = scene->camera.field_of_view;
    camera->reach = 20.0f * bw_length(size);
    if (camera->is_flat) {
        float aspect = (float)camera->width_px / (float)camera->height_px;
        camera->distance = 0.5f * margin * fmaxf(size.y, size.x / aspect);
        return;
    }
    camera->distance = 0.62f * bw_length(size) / tanf(0.5f * camera->field_of_view);
    camera->yaw = 0.5f;
    camera->pitch = 0.35f;
    if (is_still(&scene->camera.position))
        look_from(camera, still_vector(&scene->camera.position),
                  is_still(&scene->camera.target) ? still_vector(&scene->camera.target) : camera->target);
}

// From the target to the camera, of length one.
static BwVec3 backward(const Camera *camera)
{
    if (camera->is_flat)
        return bw_vec3(0.0f, 0.0f, 1.0f);
    float flat = cosf(camera->pitch);
    return bw_vec3(flat * sinf(camera->yaw), sinf(camera->pitch), flat * cosf(camera->yaw));
}

static BwVec3 rightward(const Camera *camera)
{
    return camera->is_flat ? bw_vec3(1.0f, 0.0f, 0.0f) : bw_vec3(cosf(camera->yaw), 0.0f, -sinf(camera->yaw));
}

BwVec3 camera_forward(const Camera *camera)
{
    return bw_mul(backward(camera), -1.0f);
}

BwVec3 camera_position(const Camera *camera)
{
    float away = camera->is_flat ? camera->reach * 0.5f : camera->distance;
    return bw_add(camera->target, bw_mul(backward(camera), away));
}

Matrix camera_view(const Camera *camera)
{
    BwVec3 z = backward(camera), x = rightward(camera), y = bw_cross(z, x), p = camera_position(camera);
    return (Matrix){{x.x, y.x, z.x, 0, x.y, y.y, z.y, 0, x.z, y.z, z.z, 0, -bw_dot(x, p), -bw_dot(y, p),
                     -bw_dot(z, p), 1}};
}

Matrix camera_projection(const Camera *camera)
{
    float aspect = (float)camera->width_px / (float)camera->height_px, far = camera->reach;
    if (camera->is_flat) {
        float s = 1.0f / camera->distance;
        return (Matrix){{s / aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, -2.0f / far, 0, 0, 0, -1, 1}};
    }
    float s = 1.0f / tanf(0.5f * camera->field_of_view), near = 0.002f * far;
    return (Matrix){{s / aspect, 0, 0, 0, 0, s, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0,
                     -2.0f * far * near / (far - near), 0}};
}

void camera_orbit(Camera *camera, float dx_px, float dy_px)
{
    camera->yaw -= turn_per_px * dx_px;
    camera->pitch = fminf(fmaxf(camera->pitch + turn_per_px * dy_px, -pitch_most), pitch_most);
}

// Metres of a pixel at the target.
static float pixel_size(const Camera *camera)
{
    float half = camera->is_flat ? camera->distance : camera->distance * tanf(0.5f * camera->field_of_view);
    return 2.0f * half / (float)camera->height_px;
}

void camera_pan(Camera *camera, float dx_px, float dy_px)
{
    float h = pixel_size(camera);
    BwVec3 x = rightward(camera), y = bw_cross(backward(camera), x);
    camera->target = bw_add(camera->target, bw_add(bw_mul(x, -dx_px * h), bw_mul(y, dy_px * h)));
}

void camera_zoom(Camera *camera, float notches)
{
    float least = 1e-4f * camera->reach, most = 0.5f * camera->reach;
    camera->distance = fminf(fmaxf(camera->distance * powf(zoom_per_notch, notches), least), most);
}

void camera_ray(const Camera *camera, double x_px, double y_px, BwVec3 *from, BwVec3 *along)
{
    float across = (float)(x_px - 0.5 * camera->width_px), up = (float)(0.5 * camera->height_px - y_px);
    float h = pixel_size(camera);
    BwVec3 x = rightward(camera), y = bw_cross(backward(camera), x);
    BwVec3 point = bw_add(camera->target, bw_add(bw_mul(x, across * h), bw_mul(y, up * h)));
    *from = camera_position(camera);
    *along = bw_normalize(bw_sub(point, *from));
    if (camera->is_flat) {
        *along = camera_forward(camera);
        *from = bw_sub(point, bw_mul(*along, 0.5f * camera->reach));
    }
}

BwVec3 camera_point(const Camera *camera, double x_px, double y_px, BwVec3 through)
{
    BwVec3 from, along, normal = camera_forward(camera);
    camera_ray(camera, x_px, y_px, &from, &along);
    BwVec3 point = bw_add(from, bw_mul(along, bw_dot(bw_sub(through, from), normal) / bw_dot(along, normal)));
    point.z = camera->is_flat ? 0.0f : point.z;
    return point;
}
