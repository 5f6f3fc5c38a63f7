// Motions are looked up a few times over a step, for one may rest at both its ends and be fast between them.
#include "flow/solid_pace.h"

#include "scene/curve.h"
#include "solid/motion.h"
#include <math.h>

// Parts of a step in each of which a motion is taken for straight.
enum { PARTS = 8 };

// Halves of a step that are tried; what is faster still shows in the stats as steps that are too long.
enum { SHORTENED_MAX = 24 };

static const float rounding = 1e-4f;

BwBox bw_awake_box(const BwGrid *grid)
{
    BwTileCoord low = {INT32_MAX, INT32_MAX, INT32_MAX}, high = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (int32_t n = 0; n < grid->tile_count; n++) {
        BwTileCoord at = grid->tiles[grid->order[n]].coord;
        low = (BwTileCoord){at.x < low.x ? at.x : low.x, at.y < low.y ? at.y : low.y,
                            at.z < low.z ? at.z : low.z};
        high = (BwTileCoord){at.x > high.x ? at.x : high.x, at.y > high.y ? at.y : high.y,
                             at.z > high.z ? at.z : high.z};
    }
    float tile = (float)BW_TILE * grid->cell_size, is_deep = grid->layers == 1 ? 0.0f : 1.0f;
    return (BwBox){
        bw_mul(bw_vec3((float)low.x, (float)low.y, is_deep * (float)low.z), tile),
        bw_mul(bw_vec3((float)high.x + 1.0f, (float)high.y + 1.0f, is_deep * ((float)high.z + 1.0f)), tile)};
}

// How far the fluid is from a solid's origin at most, m.
static float reach_of(BwVec3 origin, BwBox room)
{
    if (bw_box_is_empty(room))
        return 0.0f;
    BwVec3 low = bw_sub(room.low, origin), high = bw_sub(room.high, origin);
    return bw_length(bw_vec3(fmaxf(fabsf(low.x), fabsf(high.x)), fmaxf(fabsf(low.y), fabsf(high.y)),
                             fmaxf(fabsf(low.z), fabsf(high.z))));
}

BwBox bw_solid_near(const BwSolidPose *solid, BwBox room)
{
    float reach = reach_of(solid->pose.position, room);
    BwVec3 most = bw_vec3(reach, reach, reach);
    return bw_box_intersection(bw_shape_bounds(solid->shape), (BwBox){bw_mul(most, -1.0f), most});
}

// A motion from some time on.
typedef struct Path {
    const BwMotionDef *motion;
    BwSolidPose solid; // as it stands at that time
    BwBox ends;        // of its shape
    float radius;      // m, of that around its origin
    float jump;        // m, what is farther in no time is a jump
} Path;

static BwVec3 corner_of(BwBox box, int n)
{
    return bw_vec3(n & 1 ? box.high.x : box.low.x, n & 2 ? box.high.y : box.low.y,
                   n & 4 ? box.high.z : box.low.z);
}

static float low_end(float low, float reach)
{
    return low == -INFINITY ? -reach : low;
}

// Where it has no end, as far as the fluid is: the rest of it may get there.
static BwBox ends_of(const BwSolidPose *solid, BwBox room)
{
    float reach = reach_of(solid->pose.position, room);
    BwBox box = bw_shape_bounds(solid->shape);
    return (BwBox){
        bw_vec3(low_end(box.low.x, reach), low_end(box.low.y, reach), low_end(box.low.z, reach)),
        bw_vec3(-low_end(-box.high.x, reach), -low_end(-box.high.y, reach), -low_end(-box.high.z, reach))};
}

static Path path_of(const BwSceneSolids *solids, int n, BwBox room)
{
    Path path = {.motion = &solids->scene->obstacles[n].motion,
                 .solid = solids->poses[n],
                 .jump = BW_JUMP_CELLS * solids->scene->cell};
    path.ends = ends_of(&path.solid, room);
    if (solids->scene->dimension == 2)
        path.ends.low.z = path.ends.high.z = 0.0f;
    for (int corner = 0; corner < 8 && !bw_box_is_empty(path.ends); corner++)
        path.radius = fmaxf(path.radius, bw_length(corner_of(path.ends, corner)));
    return path;
}

static bool moves(const BwMotionDef *motion)
{
    return bw_curve_is_given(&motion->position) || bw_curve_is_given(&motion->velocity) ||
           bw_curve_is_given(&motion->rotation) || bw_curve_is_given(&motion->spin);
}

// The fastest that a spin moves any corner, m/s.
static float spin_speed(const Path *path, BwVec3 spin)
{
    float speed = 0.0f;
    for (int n = 0; n < 8 && !bw_box_is_empty(path->ends); n++) {
        BwVec3 arm = bw_quat_rotate(path->solid.pose.rotation, corner_of(path->ends, n));
        speed = fmaxf(speed, bw_length(bw_cross(spin, arm)));
    }
    return speed;
}

// By velocity and spin, which are added up at the middle of a step.
static BwResult add_driven_way(const Path *path, double middle, double dt, float *way, BwVec3 *shift,
                               BwError *err)
{
    BwVec3 value;
    *shift = bw_vec3(0.0f, 0.0f, 0.0f);
    if (bw_curve_is_given(&path->motion->velocity)) {
        BW_TRY(bw_curve_vector_at(&path->motion->velocity, middle, &value, err));
        *shift = bw_mul(value, (float)dt);
        *way += bw_length(*shift);
    }
    if (bw_curve_is_given(&path->motion->spin)) {
        BW_TRY(bw_curve_vector_at(&path->motion->spin, middle, &value, err));
        *way += spin_speed(path, value) * (float)dt;
    }
    return BW_OK;
}

// By positions and rotations, as they are looked up.
static BwResult add_looked_up_way(const Path *path, double time, double dt, float *way, BwError *err)
{
    BwPose from, to;
    float jump = 0.0f;
    BW_TRY(bw_motion_at(path->motion, time, &from, err));
    BW_TRY(bw_motion_at(path->motion, time + dt, &to, err));
    float part = bw_pose_way(from, to, path->radius);
    if (part > path->jump)
        BW_TRY(bw_motion_find_jump(path->motion, from, to, path->radius, time, dt, &jump, err));
    *way += jump > 0.0f ? 0.0f : part;
    return BW_OK;
}

// Around the solid as it stands, whichever way it turns.
static BwBox box_around(const Path *path)
{
    bool turns = bw_curve_is_given(&path->motion->rotation) || bw_curve_is_given(&path->motion->spin);
    BwVec3 all = bw_vec3(path->radius, path->radius, path->radius), place = path->solid.pose.position;
    return turns ? (BwBox){bw_sub(place, all), bw_add(place, all)}
                 : (BwBox){bw_add(place, path->ends.low), bw_add(place, path->ends.high)};
}

// The way of a solid, m; 0 where it does not come near the room.
static BwResult find_way(Path path, BwBox room, double time, double dt, float *way, BwError *err)
{
    double part = dt / PARTS;
    BwBox swept = box_around(&path);
    *way = 0.0f;
    for (int n = 0; n < PARTS; n++) {
        double from = time + n * part;
        BwVec3 shift;
        BwPose there = path.solid.pose;
        BW_TRY(add_driven_way(&path, from + 0.5 * part, part, way, &shift, err));
        BW_TRY(add_looked_up_way(&path, from, part, way, err));
        if (bw_curve_is_given(&path.motion->position))
            BW_TRY(bw_motion_at(path.motion, from + part, &there, err));
        path.solid.pose.position = bw_add(there.position, shift);
        swept = bw_box_union(swept, box_around(&path));
    }
    if (bw_box_is_empty(bw_box_intersection(swept, room)))
        *way = 0.0f;
    return BW_OK;
}

BwResult bw_solids_way(const BwSceneSolids *solids, BwBox room, double time, double dt, float *way,
                       BwError *err)
{
    *way = 0.0f;
    for (int n = 0; n < solids->scene->obstacle_count; n++) {
        float one = 0.0f;
        if (moves(&solids->scene->obstacles[n].motion))
            BW_TRY(find_way(path_of(solids, n, room), room, time, dt, &one, err));
        *way = fmaxf(*way, one);
    }
    return BW_OK;
}

// A steady motion takes one look; of one that begins within the step halves are tried, so that the step ends
// no sooner than it has to.
BwResult bw_solids_shorten_step(const BwSceneSolids *solids, BwBox room, double time, float way_max,
                                double *dt, BwError *err)
{
    for (int n = 0; n < SHORTENED_MAX; n++) {
        float way;
        BW_TRY(bw_solids_way(solids, room, time, *dt, &way, err));
        if (way <= way_max * (1.0f + rounding))
            return BW_OK;
        *dt *= fmax(0.5, (double)(way_max / way));
    }
    return BW_OK;
}
