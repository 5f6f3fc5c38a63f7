// What a body is made of: nodes on a lattice over its shape, their mass and inertia, and points of its
// surface, which collide.
#include "solid/rigid_body.h"

#include <billow/world.h>

#include <math.h>
#include <string.h>

// Nodes along the shortest side of a shape, and at most in all.
enum { NODES_ACROSS = 6, NODES_MAX = 3000 };

// Damping of more 1/s than this holds a body to the flow to all digits there are.
static const double damping_max = 1e12;

// Samples of a node's cube along an axis, for the part of it that is inside.
enum { SAMPLES = 3 };

typedef struct Lattice {
    const BwShape *shape;
    int dimension;
    BwVec3 low;
    float spacing;
    int count[3];
} Lattice;

static int64_t cubes_of(const BwBox *box, int dimension, float spacing, int count[3])
{
    const float size[3] = {box->high.x - box->low.x, box->high.y - box->low.y, box->high.z - box->low.z};
    int64_t all = 1;
    for (int a = 0; a < 3; a++) {
        count[a] = a < dimension ? (int)ceilf(size[a] / spacing * 0.9999f) : 1;
        all *= count[a];
    }
    return all;
}

static BwResult place_lattice(Lattice *lattice, const BwBodyDef *def, int dimension, BwError *err)
{
    BwBox box = bw_shape_bounds(&def->shape);
    const float size[3] = {box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z};
    float least = INFINITY, most = 0.0f;
    for (int a = 0; a < dimension; a++) {
        least = fminf(least, size[a]);
        most = fmaxf(most, size[a]);
    }
    if (!isfinite(most))
        return bw_fail(err, BW_ERR_SCENE, "body.shape has no end; a body must have one");
    if (!(least > 0.0f) || bw_shape_is_flat(&def->shape))
        return bw_fail(err, BW_ERR_SCENE, "body.shape has no inside; a body must have one");
    *lattice = (Lattice){.shape = &def->shape, .dimension = dimension, .spacing = least / NODES_ACROSS};
    while (cubes_of(&box, dimension, lattice->spacing, lattice->count) > NODES_MAX)
        lattice->spacing *= 1.1f;
    const float *h = &lattice->spacing;
    lattice->low = bw_vec3(0.5f * (box.low.x + box.high.x - *h * (float)lattice->count[0]),
                           0.5f * (box.low.y + box.high.y - *h * (float)lattice->count[1]),
                           0.5f * (box.low.z + box.high.z - *h * (float)lattice->count[2]));
    if (dimension == 2)
        lattice->low.z = 0.0f;
    return BW_OK;
}

// A place in cubes of the lattice; in 2-D all are in the plane.
static BwVec3 lattice_point(const Lattice *lattice, float i, float j, float k)
{
    return bw_add(lattice->low, bw_mul(bw_vec3(i, j, lattice->dimension == 2 ? 0.0f : k), lattice->spacing));
}

// The part of a cube that is inside, and the middle of that part.
static BwBodyNode node_of_cube(const Lattice *lattice, int i, int j, int k)
{
    int deep = lattice->dimension == 2 ? 1 : SAMPLES;
    float part = lattice->spacing / SAMPLES, sum = 0.0f;
    BwVec3 middle = {0};
    for (int n = 0; n < SAMPLES * SAMPLES * deep; n++) {
        BwVec3 point = lattice_point(lattice, (float)i + ((float)(n % SAMPLES) + 0.5f) / SAMPLES,
                                     (float)j + ((float)(n / SAMPLES % SAMPLES) + 0.5f) / SAMPLES,
                                     (float)k + ((float)(n / SAMPLES / SAMPLES) + 0.5f) / SAMPLES);
        float inside = fminf(fmaxf(0.5f - bw_shape_distance(lattice->shape, point) / part, 0.0f), 1.0f);
        sum += inside;
        middle = bw_add(middle, bw_mul(point, inside));
    }
    float depth = lattice->dimension == 2 ? 1.0f : part; // m
    return (BwBodyNode){sum > 0.0f ? bw_mul(middle, 1.0f / sum) : middle, sum * part * part * depth};
}

static BwResult add_nodes(BwRigidBody *body, const Lattice *lattice, const BwAllocator *allocator,
                          BwError *err)
{
    const int *count = lattice->count;
    BW_TRY(bw_reserve(allocator, (void **)&body->nodes, &body->node_capacity,
                      (int64_t)count[0] * count[1] * count[2], sizeof *body->nodes, err));
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                BwBodyNode node = node_of_cube(lattice, i, j, k);
                if (node.volume > 0.0f)
                    body->nodes[body->node_count++] = node;
            }
    return body->node_count > 0
               ? BW_OK
               : bw_fail(err, BW_ERR_SCENE, "body.shape has no inside; a body must have one");
}

static BwVec3 slope_at(const BwShape *shape, BwVec3 p, float step, int dimension)
{
    float x = bw_shape_distance(shape, bw_add(p, bw_vec3(step, 0.0f, 0.0f))) -
              bw_shape_distance(shape, bw_sub(p, bw_vec3(step, 0.0f, 0.0f)));
    float y = bw_shape_distance(shape, bw_add(p, bw_vec3(0.0f, step, 0.0f))) -
              bw_shape_distance(shape, bw_sub(p, bw_vec3(0.0f, step, 0.0f)));
    float z = dimension == 2 ? 0.0f
                             : bw_shape_distance(shape, bw_add(p, bw_vec3(0.0f, 0.0f, step))) -
                                   bw_shape_distance(shape, bw_sub(p, bw_vec3(0.0f, 0.0f, step)));
    return bw_normalize(bw_vec3(x, y, z));
}

// The corners of the lattice that are near the surface, put onto it.
static BwResult add_surface(BwRigidBody *body, const Lattice *lattice, const BwAllocator *allocator,
                            BwError *err)
{
    const int *count = lattice->count;
    int layers = lattice->dimension == 2 ? 1 : count[2] + 1;
    float near = 0.55f * lattice->spacing;
    BW_TRY(bw_reserve(allocator, (void **)&body->surface, &body->surface_capacity,
                      (int64_t)(count[0] + 1) * (count[1] + 1) * layers, sizeof *body->surface, err));
    for (int n = 0; n < (count[0] + 1) * (count[1] + 1) * layers; n++) {
        int i = n % (count[0] + 1), j = n / (count[0] + 1) % (count[1] + 1),
            k = n / (count[0] + 1) / (count[1] + 1);
        BwVec3 point = lattice_point(lattice, (float)i, (float)j, (float)k);
        float distance = bw_shape_distance(lattice->shape, point);
        if (!(fabsf(distance) <= near))
            continue;
        BwVec3 out = slope_at(lattice->shape, point, 0.05f * lattice->spacing, lattice->dimension);
        body->surface[body->surface_count++] = bw_sub(point, bw_mul(out, distance));
    }
    return BW_OK;
}

static void find_center(BwRigidBody *body)
{
    double sum[3] = {0};
    for (int64_t n = 0; n < body->node_count; n++) {
        const BwBodyNode *node = &body->nodes[n];
        body->volume += (double)node->volume;
        for (int a = 0; a < 3; a++)
            sum[a] += (double)node->volume * (double)bw_component(node->place, a);
    }
    body->center = bw_vec3((float)(sum[0] / body->volume), (float)(sum[1] / body->volume),
                           (float)(sum[2] / body->volume));
    for (int64_t n = 0; n < body->node_count; n++)
        body->nodes[n].place = bw_sub(body->nodes[n].place, body->center);
    for (int64_t n = 0; n < body->surface_count; n++) {
        body->surface[n] = bw_sub(body->surface[n], body->center);
        body->reach = fmaxf(body->reach, bw_length(body->surface[n]));
    }
}

static void invert(const double m[3][3], double out[3][3])
{
    double minor[3][3], determinant = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            minor[j][i] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                          m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; j++)
        determinant += m[0][j] * minor[j][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = minor[i][j] / determinant;
}

// Of the nodes as cubes of their spacing, each with its part of the mass.
static void find_inertia(BwRigidBody *body, int dimension, double inertia[3][3])
{
    double own = (double)body->spacing * (double)body->spacing / 6.0;
    for (int64_t n = 0; n < body->node_count; n++) {
        const BwBodyNode *node = &body->nodes[n];
        const double p[3] = {(double)node->place.x, (double)node->place.y, (double)node->place.z};
        double mass = body->mass * (double)node->volume / body->volume,
               square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + own;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inertia[i][j] += mass * ((i == j ? square : 0.0) - p[i] * p[j]);
    }
    if (dimension == 3)
        invert((const double(*)[3])inertia, body->inverse_inertia);
    else
        body->inverse_inertia[2][2] = 1.0 / inertia[2][2]; // it turns about z alone
}

// The angular momentum that a spin takes: R I R^T.
static void begin_motion(BwRigidBody *body, const BwBodyDef *def, const double inertia[3][3])
{
    BwQuat q = bw_quat_turn(def->rotation, bw_length(def->rotation));
    BwVec3 spin = bw_quat_rotate(bw_quat_conjugate(q), def->spin);
    double length = sqrt((double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z +
                         (double)q.w * (double)q.w);
    const double turn[4] = {(double)q.x / length, (double)q.y / length, (double)q.z / length,
                            (double)q.w / length};
    double local[3], offset[3],
        center[3] = {(double)body->center.x, (double)body->center.y, (double)body->center.z};
    memcpy(body->turn, turn, sizeof turn);
    bw_rigid_body_rotate(body, center, offset);
    for (int a = 0; a < 3; a++) {
        body->place[a] = (double)bw_component(def->position, a) + offset[a];
        body->velocity[a] = (double)bw_component(def->velocity, a);
        local[a] =
            inertia[a][0] * (double)spin.x + inertia[a][1] * (double)spin.y + inertia[a][2] * (double)spin.z;
    }
    bw_rigid_body_rotate(body, local, body->momentum);
}

// One that is lighter than the air in its place would be thrown about without end by the least of forces.
static double mass_of(const BwBodyDef *def, double volume)
{
    double mass = def->mass > 0.0f ? (double)def->mass : (double)def->material_density * volume;
    return fmax(mass, BW_AIR_DENSITY * volume);
}

BwResult bw_rigid_body_create(BwRigidBody *body, const BwBodyDef *def, int dimension,
                              const BwAllocator *allocator, BwError *err)
{
    Lattice lattice = {0};
    double inertia[3][3] = {{0}};
    *body = (BwRigidBody){.shape = &def->shape, .damping = fmin((double)def->damping, damping_max)};
    BW_TRY(place_lattice(&lattice, def, dimension, err));
    body->spacing = lattice.spacing;
    BW_TRY(add_nodes(body, &lattice, allocator, err));
    BW_TRY(add_surface(body, &lattice, allocator, err));
    find_center(body);
    body->mass = mass_of(def, body->volume);
    find_inertia(body, dimension, inertia);
    begin_motion(body, def, (const double(*)[3])inertia);
    return BW_OK;
}

void bw_rigid_body_destroy(BwRigidBody *body, const BwAllocator *allocator)
{
    bw_free(allocator, body->nodes, (size_t)body->node_capacity * sizeof *body->nodes, BW_ALIGN);
    bw_free(allocator, body->surface, (size_t)body->surface_capacity * sizeof *body->surface, BW_ALIGN);
    *body = (BwRigidBody){0};
}
