// Impulses at contacts, as of Guendelman, Bridson and Fedkiw 2003 (Nonconvex Rigid Bodies with Stacking):
// distances of shapes tell who is inside of whom, with points of the surface of each.
#include "solid/body_contacts.h"

#include <math.h>

// Rounds over all pairs; of the speed at which things meet, what they part with; and friction.
enum { ROUNDS = 3 };
static const double bounce = 0.2, friction = 0.3;

// Slower than this nothing bounces, so that what lies comes to rest, m/s.
static const double slow = 0.3;

// What a body meets: another, or something whose velocity is given.
typedef struct Other {
    const BwShape *shape;
    BwPose pose;
    BwRigidBody *body;              // NULL: an obstacle or a wall
    const BwBodyObstacle *obstacle; // NULL: it stands still
    int dimension;
    double dt;
} Other;

typedef struct Contact {
    double point[3], normal[3]; // out of the other
    double depth;               // m, how far it is inside
} Contact;

static BwVec3 float_of(const double v[3])
{
    return bw_vec3((float)v[0], (float)v[1], (float)v[2]);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void other_velocity(const Other *other, const double point[3], double velocity[3])
{
    velocity[0] = velocity[1] = velocity[2] = 0.0;
    if (other->body != NULL)
        bw_rigid_body_velocity_at(other->body, point, velocity);
    if (other->obstacle == NULL || !(other->dt > 0.0))
        return;
    BwVec3 local = bw_pose_to_local(other->obstacle->pose, float_of(point));
    BwVec3 way = bw_sub(bw_pose_to_world(other->obstacle->pose, local),
                        bw_pose_to_world(other->obstacle->before, local));
    for (int a = 0; a < 3; a++)
        velocity[a] = (double)bw_component(way, a) / other->dt;
}

static void push_pair(BwRigidBody *body, const Other *other, const double point[3], const double direction[3],
                      double size)
{
    double impulse[3];
    for (int a = 0; a < 3; a++)
        impulse[a] = size * direction[a];
    bw_rigid_body_push(body, point, impulse);
    for (int a = 0; a < 3; a++)
        impulse[a] = -impulse[a];
    if (other->body != NULL)
        bw_rigid_body_push(other->body, point, impulse);
}

static double give_of_pair(const BwRigidBody *body, const Other *other, const double point[3],
                           const double direction[3])
{
    double give = bw_rigid_body_give(body, point, direction);
    return other->body != NULL ? give + bw_rigid_body_give(other->body, point, direction) : give;
}

static void relative_velocity(const BwRigidBody *body, const Other *other, const double point[3],
                              double velocity[3])
{
    double of_other[3];
    bw_rigid_body_velocity_at(body, point, velocity);
    other_velocity(other, point, of_other);
    for (int a = 0; a < 3; a++)
        velocity[a] -= of_other[a];
}

// What slides along the contact is slowed down by no more than the friction of the impulse.
static void rub(BwRigidBody *body, const Other *other, const Contact *contact, double impulse)
{
    double along[3];
    relative_velocity(body, other, contact->point, along);
    double out = dot(along, contact->normal);
    for (int a = 0; a < 3; a++)
        along[a] -= out * contact->normal[a];
    double speed = sqrt(dot(along, along));
    if (!(speed > 1e-9))
        return;
    for (int a = 0; a < 3; a++)
        along[a] /= speed;
    double wanted = speed / give_of_pair(body, other, contact->point, along);
    push_pair(body, other, contact->point, along, -fmin(wanted, friction * impulse));
}

static void meet(BwRigidBody *body, const Other *other, const Contact *contact)
{
    double velocity[3];
    relative_velocity(body, other, contact->point, velocity);
    double out = dot(velocity, contact->normal);
    if (!(out < 0.0))
        return;
    double back = out < -slow ? bounce : 0.0;
    double impulse = -(1.0 + back) * out / give_of_pair(body, other, contact->point, contact->normal);
    push_pair(body, other, contact->point, contact->normal, impulse);
    rub(body, other, contact, impulse);
}

// The way out of a shape at a point of its frame.
static BwVec3 way_out(const Other *other, BwVec3 p, float step)
{
    BwVec3 slope = {0};
    for (int a = 0; a < other->dimension; a++) {
        BwVec3 by = bw_vec3(a == 0 ? step : 0.0f, a == 1 ? step : 0.0f, a == 2 ? step : 0.0f);
        float rise =
            bw_shape_distance(other->shape, bw_add(p, by)) - bw_shape_distance(other->shape, bw_sub(p, by));
        slope = bw_add(slope, bw_mul(by, rise / step));
    }
    return bw_normalize(slope);
}

static bool find_contact(const BwRigidBody *body, const Other *other, BwVec3 local, Contact *contact)
{
    bw_rigid_body_to_world(body, local, contact->point);
    BwVec3 point = bw_pose_to_local(other->pose, float_of(contact->point));
    float distance = bw_shape_distance(other->shape, point);
    if (!(distance < 0.0f))
        return false;
    BwVec3 out = bw_quat_rotate(other->pose.rotation, way_out(other, point, 0.05f * body->spacing));
    contact->depth = -(double)distance;
    for (int a = 0; a < 3; a++)
        contact->normal[a] = (double)bw_component(out, a);
    return dot(contact->normal, contact->normal) > 0.5;
}

// Moves the two apart, each by its share of the mass.
static void part(BwRigidBody *body, const Other *other, const Contact *deepest)
{
    double share = other->body != NULL ? other->body->mass / (body->mass + other->body->mass) : 1.0;
    for (int a = 0; a < 3; a++) {
        double way = deepest->depth * deepest->normal[a];
        body->place[a] += share * way;
        if (other->body != NULL)
            other->body->place[a] -= (1.0 - share) * way;
    }
}

static void collide_with(BwRigidBody *body, const Other *other)
{
    Contact contact, deepest = {.depth = 0.0};
    for (int64_t n = 0; n < body->surface_count; n++) {
        if (!find_contact(body, other, body->surface[n], &contact))
            continue;
        meet(body, other, &contact);
        if (contact.depth > deepest.depth)
            deepest = contact;
    }
    if (deepest.depth > 0.0)
        part(body, other, &deepest);
}

static void collide_with_sides(BwRigidBody *body, const BwBodyRoom *room)
{
    for (int side = 0; side < 2 * room->dimension; side++) {
        int axis = side / 2;
        bool is_high = side % 2 != 0;
        double wall = (double)bw_component(is_high ? room->box.high : room->box.low, axis),
               inwards = is_high ? -1.0 : 1.0;
        if (!room->is_closed[side] || inwards * (body->place[axis] - wall) > (double)body->reach)
            continue;
        const Other still = {.dimension = room->dimension};
        Contact contact = {.normal = {0}}, deepest = {.depth = 0.0};
        contact.normal[axis] = inwards;
        for (int64_t n = 0; n < body->surface_count; n++) {
            bw_rigid_body_to_world(body, body->surface[n], contact.point);
            contact.depth = inwards * (wall - contact.point[axis]);
            if (!(contact.depth > 0.0))
                continue;
            meet(body, &still, &contact);
            if (contact.depth > deepest.depth)
                deepest = contact;
        }
        if (deepest.depth > 0.0)
            part(body, &still, &deepest);
    }
}

static void collide_with_obstacles(BwRigidBody *body, const BwBodyRoom *room)
{
    for (int n = 0; n < room->obstacle_count; n++) {
        const BwBodyObstacle *obstacle = &room->obstacles[n];
        if (obstacle->shape->kind == BW_SHAPE_NONE ||
            bw_shape_distance(obstacle->shape, bw_pose_to_local(obstacle->pose, float_of(body->place))) >
                body->reach)
            continue;
        collide_with(body, &(Other){.shape = obstacle->shape,
                                    .pose = obstacle->pose,
                                    .obstacle = obstacle,
                                    .dimension = room->dimension,
                                    .dt = room->dt});
    }
}

// Points of each in the shape of the other.
static void collide_pair(BwRigidBody *a, BwRigidBody *b, int dimension)
{
    double apart[3] = {a->place[0] - b->place[0], a->place[1] - b->place[1], a->place[2] - b->place[2]};
    if (sqrt(dot(apart, apart)) > (double)(a->reach + b->reach))
        return;
    collide_with(
        a, &(Other){.shape = b->shape, .pose = bw_rigid_body_pose(b), .body = b, .dimension = dimension});
    collide_with(
        b, &(Other){.shape = a->shape, .pose = bw_rigid_body_pose(a), .body = a, .dimension = dimension});
}

void bw_bodies_collide(BwRigidBody *bodies, int count, const BwBodyRoom *room)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int n = 0; n < count; n++) {
            for (int m = n + 1; m < count; m++)
                collide_pair(&bodies[n], &bodies[m], room->dimension);
            collide_with_obstacles(&bodies[n], room);
            collide_with_sides(&bodies[n], room);
        }
}
