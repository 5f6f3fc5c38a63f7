// The camera. Without one in the scene it looks a little from above, from the front right in 3-D and straight
// on in 2-D, as near as it can with all eight corners of the scene's extent inside the image. It depends on
// the scene only, not on the frame, so it neither jumps nor drifts.
#include "render/camera.h"

#define MARGIN        0.92f   // of the image that the extent may fill in 3-D; flat pictures fill all of it
#define AZIMUTH       0.50f   // rad, from the front towards the right
#define ELEVATION     0.17f   // rad, above the horizontal
#define FIELD_OF_VIEW 0.6981f // rad, 40 degrees

// A plume is framed up to this many times the size of what emits it.
#define GROWTH_MAX   10.0f
#define TIME_SAMPLES 9

// A view of the smoke alone: the room left about it, as a share of its size, the solids that belong to it,
// and the share of the box from which on the box is shown instead.
#define VIEW_RIM    0.06f
#define REACH_MORE  0.4f
#define NEAR_SHARE  0.5f
#define WHOLE_SHARE 0.6f

static BwBox empty_box(void)
{
    return (BwBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static bool is_finite_box(BwBox box)
{
    return !bw_box_is_empty(box) && isfinite(bw_length(box.low)) && isfinite(bw_length(box.high));
}

static BwVec3 box_center(BwBox box)
{
    return bw_add(box.low, bw_mul(bw_sub(box.high, box.low), 0.5f));
}

static float box_longest(BwBox box)
{
    BwVec3 size = bw_sub(box.high, box.low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static BwBox moved(BwBox box, BwVec3 by)
{
    return (BwBox){bw_add(box.low, by), bw_add(box.high, by)};
}

static double scene_seconds(const BwSceneDef *scene)
{
    if (scene->duration > 0.0)
        return scene->duration;
    return (scene->frames > 0 ? scene->frames : 120) / (scene->fps > 0.0 ? scene->fps : 24.0);
}

static BwResult vector_at(const BwCurve *curve, double time, BwVec3 *vector, BwError *err)
{
    float value[4];
    BW_TRY(bw_curve_at(curve, time, value, err));
    *vector = bw_vec3(value[0], value[1], value[2]);
    return BW_OK;
}

// Where a moving solid passes; it may turn, so its bounds are those of the sphere round its own origin.
static BwResult swept_bounds(const BwShape *shape, const BwMotionDef *motion, double seconds, BwBox *box,
                             BwError *err)
{
    BwBox bounds = bw_shape_bounds(shape);
    *box = empty_box();
    if (!is_finite_box(bounds))
        return BW_OK;
    if (bw_curve_is_given(&motion->rotation) || bw_curve_is_given(&motion->spin)) {
        float reach = fmaxf(bw_length(bounds.low), bw_length(bounds.high));
        bounds = (BwBox){{-reach, -reach, -reach}, {reach, reach, reach}};
    }
    BwVec3 travelled = {0.0f, 0.0f, 0.0f};
    for (int n = 0; n < TIME_SAMPLES; n++) {
        BwVec3 position, velocity;
        double time = seconds * n / (TIME_SAMPLES - 1);
        BW_TRY(vector_at(&motion->position, time, &position, err));
        BW_TRY(vector_at(&motion->velocity, time, &velocity, err));
        *box = bw_box_union(*box, moved(bounds, bw_add(position, travelled)));
        travelled = bw_add(travelled, bw_mul(velocity, (float)seconds / (TIME_SAMPLES - 1)));
    }
    return BW_OK;
}

static BwResult solid_bounds(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    double seconds = scene_seconds(scene);
    for (int n = 0; n < scene->obstacle_count; n++) {
        BwBox swept;
        const BwObstacleDef *obstacle = &scene->obstacles[n];
        BW_TRY(swept_bounds(&obstacle->shape, &obstacle->motion, seconds, &swept, err));
        *box = bw_box_union(*box, swept);
    }
    for (int n = 0; n < scene->body_count; n++) {
        BwBox bounds = bw_shape_bounds(&scene->bodies[n].shape);
        if (is_finite_box(bounds))
            *box = bw_box_union(*box, moved(bounds, scene->bodies[n].position));
    }
    return BW_OK;
}

// A vector no longer than `length`.
static BwVec3 shortened(BwVec3 v, float length)
{
    float own = bw_length(v);
    return own > length ? bw_mul(v, length / own) : v;
}

// How far smoke that leaves `box` gets: carried by its own speed and by the wind, and lifted by its heat at
// the speed sqrt(beta dT size) of a rising puff of that size.
static BwResult likely_travel(const BwSceneDef *scene, BwBox box, BwVec3 velocity, float heat, BwVec3 *travel,
                              BwError *err)
{
    float size = fmaxf(box_longest(box), scene->cell);
    BwVec3 gravity, wind;
    BW_TRY(vector_at(&scene->gravity, 0.0, &gravity, err));
    BW_TRY(vector_at(&scene->smoke.wind, 0.0, &wind, err));
    float ambient = scene->smoke.ambient > 0.0f ? scene->smoke.ambient : 293.15f;
    float beta = scene->smoke.buoyancy_heat;
    float lift = isnan(beta) ? bw_length(gravity) / ambient : beta;
    float rise = sqrtf(fmaxf(lift * (heat - ambient) * size, 0.0f));
    BwVec3 up = bw_mul(bw_normalize(gravity), -rise);
    BwVec3 speed = bw_add(bw_add(velocity, wind), up);
    *travel = shortened(bw_mul(speed, (float)scene_seconds(scene)), GROWTH_MAX * size);
    return BW_OK;
}

// The box and where it travels to, wider at the far end: a plume spreads by about a sixth of its length.
static BwBox grown(BwBox box, BwVec3 travel)
{
    float spread = bw_length(travel) / 6.0f + 0.25f * box_longest(box);
    BwBox far = moved(box, travel);
    far.low = bw_sub(far.low, bw_vec3(spread, spread, spread));
    far.high = bw_add(far.high, bw_vec3(spread, spread, spread));
    // The spread is sideways and onwards, not back below the source.
    BwBox both = bw_box_union(box, far);
    if (travel.y > 0.0f)
        both.low.y = box.low.y;
    return both;
}

// Adds a source of smoke and the room that its smoke is likely to fill.
static BwResult add_source(const BwSceneDef *scene, const BwShape *shape, BwVec3 velocity, float heat,
                           BwBox *box, BwError *err)
{
    BwBox bounds = bw_shape_bounds(shape);
    if (!is_finite_box(bounds))
        return BW_OK;
    BwVec3 travel;
    BW_TRY(likely_travel(scene, bounds, velocity, heat, &travel, err));
    *box = bw_box_union(*box, grown(bounds, travel));
    return BW_OK;
}

static BwResult source_bounds(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    for (int n = 0; n < scene->emitter_count; n++) {
        const BwEmitterDef *emitter = &scene->emitters[n];
        BwVec3 velocity, heat;
        BW_TRY(vector_at(&emitter->velocity, emitter->start, &velocity, err));
        BW_TRY(vector_at(&emitter->temperature, emitter->start, &heat, err));
        BW_TRY(add_source(scene, &emitter->shape, velocity, heat.x, box, err));
    }
    for (int n = 0; n < scene->fill_count; n++) {
        const BwFillDef *fill = &scene->fills[n];
        float heat = isnan(fill->temperature) ? 0.0f : fill->temperature;
        BW_TRY(add_source(scene, &fill->shape, fill->velocity, heat, box, err));
    }
    return BW_OK;
}

static BwBox tile_bounds(const BwFrame *frame)
{
    BwBox box = empty_box();
    float side = (float)BW_TILE * frame->cell_size;
    for (int32_t n = 0; n < frame->tile_count; n++) {
        BwTileCoord tile = frame->tiles[n];
        BwVec3 low = bw_vec3(side * (float)tile.x, side * (float)tile.y, side * (float)tile.z);
        BwVec3 size = bw_vec3(side, side, (float)frame->layers * frame->cell_size);
        box = bw_box_union(box, (BwBox){low, bw_add(low, size)});
    }
    return box;
}

BwResult bw_scene_extent(BwBox *extent, const BwSceneDef *scene, const BwFrame *frame, BwError *err)
{
    BwBox box = empty_box();
    if (scene->has_walls)
        box = (BwBox){scene->walls.min, scene->walls.max};
    if (!is_finite_box(box)) {
        box = empty_box();
        BW_TRY(source_bounds(scene, &box, err));
        BW_TRY(solid_bounds(scene, &box, err));
    }
    if (!is_finite_box(box))
        box = tile_bounds(frame);
    if (!is_finite_box(box))
        box = (BwBox){{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    // A flat or pointlike extent still needs room round it.
    float least = fmaxf(0.01f * box_longest(box), 4.0f * frame->cell_size);
    BwVec3 center = box_center(box), half = bw_vec3(0.5f * least, 0.5f * least, 0.5f * least);
    *extent = bw_box_union(box, (BwBox){bw_sub(center, half), bw_add(center, half)});
    return BW_OK;
}

static BwBox widened(BwBox box, float by)
{
    BwVec3 rim = bw_vec3(by, by, by);
    return (BwBox){bw_sub(box.low, rim), bw_add(box.high, rim)};
}

static BwBox with_sources(const BwSceneDef *scene, BwBox box)
{
    for (int n = 0; n < scene->emitter_count; n++)
        if (is_finite_box(bw_shape_bounds(&scene->emitters[n].shape)))
            box = bw_box_union(box, bw_shape_bounds(&scene->emitters[n].shape));
    for (int n = 0; n < scene->fill_count; n++)
        if (is_finite_box(bw_shape_bounds(&scene->fills[n].shape)))
            box = bw_box_union(box, bw_shape_bounds(&scene->fills[n].shape));
    return box;
}

// Coarse cells dampen what they carry: smoke gets further from its sources on the scene's own.
static BwBox reaching_further(BwBox box, BwBox sources)
{
    if (!is_finite_box(sources))
        return box;
    box.low = bw_sub(box.low, bw_mul(bw_sub(sources.low, box.low), REACH_MORE));
    box.high = bw_add(box.high, bw_mul(bw_sub(box.high, sources.high), REACH_MORE));
    return box;
}

// A solid beside the smoke is shown; one that reaches far away, as far as it stands beside it.
static BwResult add_near_solids(const BwSceneDef *scene, BwBox *box, BwError *err)
{
    BwBox near = widened(*box, NEAR_SHARE * box_longest(*box)), solids = empty_box();
    BW_TRY(solid_bounds(scene, &solids, err));
    if (is_finite_box(solids))
        *box = bw_box_union(*box, bw_box_intersection(solids, near));
    return BW_OK;
}

BwResult bw_scene_view(BwBox *view, bool *is_narrow, const BwSceneDef *scene, BwBox smoke, BwError *err)
{
    *is_narrow = false;
    *view = smoke;
    if (!is_finite_box(smoke))
        return BW_OK;
    BwBox box = reaching_further(with_sources(scene, smoke), with_sources(scene, empty_box()));
    BwBox walls = {scene->walls.min, scene->walls.max};
    BW_TRY(add_near_solids(scene, &box, err));
    *view = widened(box, VIEW_RIM * box_longest(box));
    bool is_boxed = scene->has_walls && is_finite_box(walls);
    if (is_boxed) {
        if (scene->dimension == 2)
            walls.low.z = view->low.z, walls.high.z = view->high.z;
        *view = bw_box_intersection(*view, walls);
    }
    *is_narrow =
        !bw_box_is_empty(*view) && !(is_boxed && box_longest(*view) > WHOLE_SHARE * box_longest(walls));
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

static BwResult look_at_space(BwCamera *camera, const BwCameraDef *def, BwBox extent, double time,
                              BwError *err)
{
    const BwVec3 zero = {0.0f, 0.0f, 0.0f};
    BwVec3 target = box_center(extent), up = {0.0f, 1.0f, 0.0f}, position;
    BwVec3 direction = {-sinf(AZIMUTH) * cosf(ELEVATION), -sinf(ELEVATION), -cosf(AZIMUTH) * cosf(ELEVATION)};
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
    if (scene->dimension == 2)
        return look_at_plane(camera, &scene->camera, extent, time, err);
    return look_at_space(camera, &scene->camera, extent, time, err);
}

BwVec3 bw_camera_ray(const BwCamera *camera, float x, float y)
{
    BwVec3 across = bw_mul(camera->right, x * camera->tan_x);
    BwVec3 upward = bw_mul(camera->up, y * camera->tan_y);
    return bw_normalize(bw_add(camera->forward, bw_add(across, upward)));
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
