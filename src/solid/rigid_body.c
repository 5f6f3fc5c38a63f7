// Motion of a body: kicks change its momenta, drifts its place and turn.
#include "solid/rigid_body.h"

#include <math.h>
#include <string.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

static void multiply(const double p[4], const double q[4], double out[4])
{
    double r[4] = {p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
                   p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
                   p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
                   p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
    memcpy(out, r, sizeof r);
}

// v + 2 q x (q x v + w v)
static void rotate(const double turn[4], const double v[3], double sign, double out[3])
{
    const double q[3] = {sign * turn[0], sign * turn[1], sign * turn[2]};
    double once[3], twice[3];
    cross(q, v, once);
    for (int a = 0; a < 3; a++)
        once[a] += turn[3] * v[a];
    cross(q, once, twice);
    for (int a = 0; a < 3; a++)
        out[a] = v[a] + 2.0 * twice[a];
}

void bw_rigid_body_rotate(const BwRigidBody *body, const double local[3], double world[3])
{
    rotate(body->turn, local, 1.0, world);
}

void bw_rigid_body_to_world(const BwRigidBody *body, BwVec3 local, double point[3])
{
    const double from[3] = {(double)local.x, (double)local.y, (double)local.z};
    bw_rigid_body_rotate(body, from, point);
    for (int a = 0; a < 3; a++)
        point[a] += body->place[a];
}

BwPose bw_rigid_body_pose(const BwRigidBody *body)
{
    double origin[3];
    bw_rigid_body_to_world(body, bw_mul(body->center, -1.0f), origin);
    return (BwPose){
        .position = bw_vec3((float)origin[0], (float)origin[1], (float)origin[2]),
        .rotation = {(float)body->turn[0], (float)body->turn[1], (float)body->turn[2], (float)body->turn[3]}};
}

// The change of spin that a change of the angular momentum makes: R I^-1 R^T.
static void spin_of(const BwRigidBody *body, const double turn[4], const double momentum[3], double spin[3])
{
    double local[3], turned[3];
    rotate(turn, momentum, -1.0, local);
    for (int a = 0; a < 3; a++)
        turned[a] = body->inverse_inertia[a][0] * local[0] + body->inverse_inertia[a][1] * local[1] +
                    body->inverse_inertia[a][2] * local[2];
    rotate(turn, turned, 1.0, spin);
}

void bw_rigid_body_spin(const BwRigidBody *body, double spin[3])
{
    spin_of(body, body->turn, body->momentum, spin);
}

void bw_rigid_body_velocity_at(const BwRigidBody *body, const double point[3], double velocity[3])
{
    double spin[3], round[3],
        arm[3] = {point[0] - body->place[0], point[1] - body->place[1], point[2] - body->place[2]};
    bw_rigid_body_spin(body, spin);
    cross(spin, arm, round);
    for (int a = 0; a < 3; a++)
        velocity[a] = body->velocity[a] + round[a];
}

double bw_rigid_body_give(const BwRigidBody *body, const double point[3], const double direction[3])
{
    double momentum[3], spin[3], round[3],
        arm[3] = {point[0] - body->place[0], point[1] - body->place[1], point[2] - body->place[2]};
    cross(arm, direction, momentum);
    spin_of(body, body->turn, momentum, spin);
    cross(spin, arm, round);
    return 1.0 / body->mass + round[0] * direction[0] + round[1] * direction[1] + round[2] * direction[2];
}

void bw_rigid_body_push(BwRigidBody *body, const double point[3], const double impulse[3])
{
    double momentum[3],
        arm[3] = {point[0] - body->place[0], point[1] - body->place[1], point[2] - body->place[2]};
    cross(arm, impulse, momentum);
    bw_rigid_body_kick(body, impulse, momentum, 1.0);
}

void bw_rigid_body_kick(BwRigidBody *body, const double force[3], const double torque[3], double dt)
{
    for (int a = 0; a < 3; a++) {
        body->velocity[a] += force[a] / body->mass * dt;
        body->momentum[a] += torque[a] * dt;
    }
}

void bw_body_drag_add(BwBodyDrag *drag, const double arm[3], int axis, double c, double flow)
{
    double row[6] = {0}; // times velocity and spin: how fast the point goes along the axis
    row[axis] = 1.0;
    cross(arm, row, row + 3);
    for (int m = 0; m < 6; m++) {
        for (int n = 0; n < 6; n++)
            drag->matrix[m][n] += c * row[m] * row[n];
        drag->pull[m] += c * flow * row[m];
    }
    drag->is_any = true;
}

// Velocity and spin that a force and a torque bring about.
static void answer(const BwRigidBody *body, const double force[6], double motion[6])
{
    for (int a = 0; a < 3; a++)
        motion[a] = force[a] / body->mass;
    spin_of(body, body->turn, force + 3, motion + 3);
}

// Gauss elimination with row pivots; the solution takes the place of `x`.
static void solve_six(double a[6][6], double x[6])
{
    for (int n = 0; n < 6; n++) {
        int pivot = n;
        for (int m = n + 1; m < 6; m++)
            pivot = fabs(a[m][n]) > fabs(a[pivot][n]) ? m : pivot;
        for (int k = 0; k < 6; k++) {
            double kept = a[n][k];
            a[n][k] = a[pivot][k];
            a[pivot][k] = kept;
        }
        double kept = x[n];
        x[n] = x[pivot];
        x[pivot] = kept;
        for (int m = n + 1; m < 6; m++) {
            double factor = a[m][n] / a[n][n];
            for (int k = n; k < 6; k++)
                a[m][k] -= factor * a[n][k];
            x[m] -= factor * x[n];
        }
    }
    for (int n = 5; n >= 0; n--) {
        for (int k = n + 1; k < 6; k++)
            x[n] -= a[n][k] * x[k];
        x[n] /= a[n][n];
    }
}

// How much of the velocity after a step counts in its drag, the rest being that before: what slows down by
// exp(-z) in the step does so exactly, from 1/2 for weak drag to 1 for the strongest.
static double share_of_after(double z)
{
    return z < 1e-3 ? 0.5 + z / 12.0 : z < 700.0 ? -1.0 / expm1(-z) - 1.0 / z : 1.0 - 1.0 / z;
}

// Force and torque at a velocity and spin.
static void resist(const BwBodyDrag *drag, const double force[3], const double torque[3], const double x[6],
                   double total[6])
{
    for (int m = 0; m < 6; m++) {
        total[m] = (m < 3 ? force[m] : torque[m - 3]) + drag->pull[m];
        for (int n = 0; n < 6; n++)
            total[m] -= drag->matrix[m][n] * x[n];
    }
}

// (1 + s dt M^-1 D) x = x_before + dt M^-1 (f + pull - (1 - s) D x_before), for x of velocity and spin, M of
// mass and inertia, D the matrix of the drag, s the share of what is after.
void bw_rigid_body_kick_dragged(BwRigidBody *body, const double force[3], const double torque[3],
                                const BwBodyDrag *drag, double dt)
{
    double x[6], mixed[6], matrix[6][6], given[6], total[6], after = share_of_after(body->damping * dt);
    memcpy(x, body->velocity, sizeof body->velocity);
    bw_rigid_body_spin(body, x + 3);
    for (int n = 0; n < 6; n++)
        mixed[n] = (1.0 - after) * x[n];
    resist(drag, force, torque, mixed, total);
    answer(body, total, given);
    for (int n = 0; n < 6; n++) {
        double column[6];
        answer(body, drag->matrix[n], column); // a row, of a symmetric matrix
        for (int m = 0; m < 6; m++)
            matrix[m][n] = after * dt * column[m] + (m == n);
        x[n] += dt * given[n];
    }
    solve_six(matrix, x);
    for (int n = 0; n < 6; n++)
        mixed[n] += after * x[n];
    resist(drag, force, torque, mixed, total);
    bw_rigid_body_kick(body, total, total + 3, dt);
}

// The turn after a spin has acted for a time.
static void turn_by(const double turn[4], const double spin[3], double dt, double out[4])
{
    double rate = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]), half = 0.5 * rate * dt;
    double share = rate > 0.0 ? sin(half) / rate : 0.0;
    const double by[4] = {share * spin[0], share * spin[1], share * spin[2], cos(half)};
    multiply(by, turn, out);
}

// The spin of a tumbling body changes as it turns: that of the middle is taken.
void bw_rigid_body_drift(BwRigidBody *body, double dt)
{
    double spin[3], middle[4], next[4];
    for (int a = 0; a < 3; a++)
        body->place[a] += body->velocity[a] * dt;
    bw_rigid_body_spin(body, spin);
    turn_by(body->turn, spin, 0.5 * dt, middle);
    spin_of(body, middle, body->momentum, spin);
    turn_by(body->turn, spin, dt, next);
    double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (int n = 0; n < 4; n++)
        body->turn[n] = next[n] / length;
}

void bw_rigid_body_save(const BwRigidBody *body, double numbers[BW_BODY_NUMBERS])
{
    memcpy(numbers, body->place, sizeof body->place);
    memcpy(numbers + 3, body->turn, sizeof body->turn);
    memcpy(numbers + 7, body->velocity, sizeof body->velocity);
    memcpy(numbers + 10, body->momentum, sizeof body->momentum);
}

bool bw_rigid_body_load(BwRigidBody *body, const double numbers[BW_BODY_NUMBERS])
{
    const double *q = numbers + 3;
    double length = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    for (int n = 0; n < BW_BODY_NUMBERS; n++)
        if (!(fabs(numbers[n]) < 1e15))
            return false;
    if (!(fabs(length - 1.0) < 1e-9))
        return false;
    memcpy(body->place, numbers, sizeof body->place);
    memcpy(body->turn, numbers + 3, sizeof body->turn);
    memcpy(body->velocity, numbers + 7, sizeof body->velocity);
    memcpy(body->momentum, numbers + 10, sizeof body->momentum);
    return true;
}
