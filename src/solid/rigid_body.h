// Rigid bodies: nodes that carry their volume and mass, a place, a turn, a velocity and an angular momentum.
// The momentum is state and the spin follows from it, so that a body that nothing touches keeps it to the
// last bit, however it tumbles. State is kept in double: free fall is exact.
//
// A body is a lattice of nodes, each with the part of its cube that is inside of the shape (Foster and
// Metaxas 1996, section 5: nodes with lumped masses). In 2-D it is one layer of them, 1 m deep, that turns
// about z alone.
#pragma once

#include "base/memory.h"
#include <billow/scene.h>

typedef struct BwBodyNode {
    BwVec3 place; // m, from the centre of mass, in the body's frame
    float volume; // m^3
} BwBodyNode;

typedef struct BwRigidBody {
    const BwShape *shape;
    BwVec3 center; // m, of mass, from the shape's origin
    float spacing; // m, of nodes
    float reach;   // m, from the centre of mass to the farthest of it
    BwBodyNode *nodes;
    int64_t node_count, node_capacity;
    BwVec3 *surface; // points of its surface, m, as nodes
    int64_t surface_count, surface_capacity;
    double mass, volume;          // kg, m^3
    double inverse_inertia[3][3]; // 1/(kg m^2), in the body's frame
    double damping;               // 1/s
    bool is_stiff;                // its steps are too long to follow its drag, which is implicit then

    double place[3];    // m, of the centre of mass
    double turn[4];     // unit quaternion, x, y, z, w
    double velocity[3]; // m/s
    double momentum[3]; // kg m^2/s, angular, about the centre of mass
} BwRigidBody;

enum { BW_BODY_NUMBERS = 13 }; // of its state

// What a flow drags a body with: so much of its velocity and spin, of three numbers each, comes back as a
// force and a torque against them; and with so much a body at rest is carried along. The matrix is symmetric
// and never pushes.
typedef struct BwBodyDrag {
    double matrix[6][6]; // kg/s, kg m/s, kg m^2/s
    double pull[6];      // N, N m
    bool is_any;
} BwBodyDrag;

// Adds the drag at a point that is so far from the centre of mass, m: c (flow - v) along an axis, c in kg/s.
void bw_body_drag_add(BwBodyDrag *drag, const double arm[3], int axis, double c, double flow);

// A body as the scene has it at the start. Fails where the shape has no inside, or no end.
BwResult bw_rigid_body_create(BwRigidBody *body, const BwBodyDef *def, int dimension,
                              const BwAllocator *allocator, BwError *err);
void bw_rigid_body_destroy(BwRigidBody *body, const BwAllocator *allocator);

// Where the shape stands.
BwPose bw_rigid_body_pose(const BwRigidBody *body);

// A node or point of the surface, or a direction, in the world.
void bw_rigid_body_to_world(const BwRigidBody *body, BwVec3 local, double point[3]);
void bw_rigid_body_rotate(const BwRigidBody *body, const double local[3], double world[3]);

// rad/s; and m/s, of what of it is at a point.
void bw_rigid_body_spin(const BwRigidBody *body, double spin[3]);
void bw_rigid_body_velocity_at(const BwRigidBody *body, const double point[3], double velocity[3]);

// How much an impulse of 1 N s at a point along a direction changes the speed there along it, 1/kg.
double bw_rigid_body_give(const BwRigidBody *body, const double point[3], const double direction[3]);

// An impulse at a point, N s; a force and a torque over a time, N, N m, s; going on for a time, s.
void bw_rigid_body_push(BwRigidBody *body, const double point[3], const double impulse[3]);
void bw_rigid_body_kick(BwRigidBody *body, const double force[3], const double torque[3], double dt);
void bw_rigid_body_drift(BwRigidBody *body, double dt);

// A kick with drag, implicit in the velocity and spin, so that no drag is too strong: it brings the body to
// the flow and never past it. A body that is all wet slows down exactly.
void bw_rigid_body_kick_dragged(BwRigidBody *body, const double force[3], const double torque[3],
                                const BwBodyDrag *drag, double dt);

// The state as numbers, and back. False where they are none that a body can have.
void bw_rigid_body_save(const BwRigidBody *body, double numbers[BW_BODY_NUMBERS]);
bool bw_rigid_body_load(BwRigidBody *body, const double numbers[BW_BODY_NUMBERS]);
