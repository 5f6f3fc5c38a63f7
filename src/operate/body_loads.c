// Samples at the nodes of bodies.
#include "operate/body_loads.h"

#include "grid/sample.h"

#include <math.h>

typedef struct Job {
    const BwBodyWater *water;
    const BwRigidBody *bodies;
    BwBodyLoad *loads;
} Job;

// A face where the liquid ends counts by so much beside those within: its pressure is that of the surface,
// which tension and wind may change.
static const double rim_weight = 1e-3;

static BwPlace place_of(const BwGrid *grid, const double point[3])
{
    BwPlace place = {.cell = {0}};
    for (int a = 0; a < grid->dimension; a++) {
        double at = point[a] / (double)grid->cell_size;
        at = fmin(fmax(at, -1e8), 1e8);
        place.cell[a] = (int32_t)floor(at);
        place.offset[a] = (float)(at - floor(at));
    }
    return place;
}

// The gradient of the pressure on the low face of a cell along an axis, and how much it counts; between two
// cells of liquid, or up to where the surface is between one and air.
static double face_gradient(const BwBodyWater *water, const int32_t cell[3], int axis, double *weight)
{
    const BwGrid *grid = water->domain->grid;
    int32_t low[3] = {cell[0], cell[1], cell[2]};
    float phi[2], pressure[2];
    low[axis]--;
    *weight = 0.0;
    if (!bw_fetch(water->phi, NULL, low, &phi[0]) || !bw_fetch(water->phi, NULL, cell, &phi[1]))
        return 0.0;
    bool is_low = bw_fetch(water->pressure, water->liquid, low, &pressure[0]),
         is_high = bw_fetch(water->pressure, water->liquid, cell, &pressure[1]);
    double h = (double)grid->cell_size, p_low = is_low ? water->pressure_scale * (double)pressure[0] : 0.0,
           p_high = is_high ? water->pressure_scale * (double)pressure[1] : 0.0;
    *weight = is_low && is_high ? 1.0 : is_low || is_high ? rim_weight : 0.0;
    if (is_low == is_high)
        return (p_high - p_low) / h;
    double inside = (double)(is_low ? phi[0] : phi[1]), outside = (double)(is_low ? phi[1] : phi[0]);
    if (outside <= 0.0) { // a solid
        *weight = 0.0;
        return 0.0;
    }
    return (p_high - p_low) / (h * fmax(inside / (inside - outside), 0.05));
}

// The gradient along an axis at a place: between the faces around that it is known on.
static double gradient_along(const BwBodyWater *water, BwPlace place, int axis)
{
    int dimension = water->domain->grid->dimension;
    int32_t first[3] = {0};
    double share[3] = {0}, sum = 0.0, all = 0.0;
    for (int a = 0; a < dimension; a++) {
        double at = (double)place.offset[a] - (a == axis ? 0.0 : 0.5);
        first[a] = place.cell[a] + (int32_t)floor(at);
        share[a] = at - floor(at);
    }
    for (int n = 0; n < 1 << dimension; n++) {
        double part = 1.0, weight;
        int32_t cell[3] = {0};
        for (int a = 0; a < dimension; a++) {
            int high = n >> a & 1;
            cell[a] = first[a] + high;
            part *= high ? share[a] : 1.0 - share[a];
        }
        double gradient = face_gradient(water, cell, axis, &weight);
        sum += (part + 1e-6) * weight * gradient;
        all += (part + 1e-6) * weight;
    }
    return all > 0.0 ? sum / all : 0.0;
}

// A place within a cell of the surface is moved down from it, where the pressure is known all around; so the
// gradient goes on to the surface as it is below.
static void dive(const BwBodyWater *water, float phi, double point[3])
{
    const BwGrid *grid = water->domain->grid;
    double h = (double)grid->cell_size, slope[3] = {0}, length = 0.0, way = (double)phi + h;
    float low, high;
    if (way <= 0.0)
        return;
    for (int a = 0; a < grid->dimension; a++) {
        double beside[3] = {point[0], point[1], point[2]};
        beside[a] = point[a] - 0.5 * h;
        bool is_known = bw_sample(water->phi, NULL, place_of(grid, beside), &low);
        beside[a] = point[a] + 0.5 * h;
        is_known &= bw_sample(water->phi, NULL, place_of(grid, beside), &high);
        slope[a] = is_known ? (double)(high - low) : 0.0;
        length += slope[a] * slope[a];
    }
    for (int a = 0; a < grid->dimension && length > 0.0; a++)
        point[a] -= way * slope[a] / sqrt(length);
}

// Force on a node; gives the share of it that is wet.
static double load_node(const BwBodyWater *water, const BwRigidBody *body, const BwBodyNode *node,
                        const double point[3], double force[3])
{
    const BwGrid *grid = water->domain->grid;
    double mass = body->mass * (double)node->volume / body->volume, own[3],
           inner[3] = {point[0], point[1], point[2]};
    float phi, flow;
    for (int a = 0; a < 3; a++)
        force[a] = a < grid->dimension ? mass * (double)bw_component(water->gravity, a) : 0.0;
    if (!bw_sample(water->phi, NULL, place_of(grid, point), &phi))
        return 0.0;
    double wet = fmin(fmax(0.5 - (double)phi / (double)body->spacing, 0.0), 1.0);
    if (!(wet > 0.0))
        return 0.0;
    dive(water, phi, inner);
    BwPlace place = place_of(grid, inner);
    bw_rigid_body_velocity_at(body, point, own);
    for (int a = 0; a < grid->dimension; a++) {
        force[a] -= wet * (double)node->volume * gradient_along(water, place, a);
        if (body->damping > 0.0 && bw_sample(&water->velocity->u[a], NULL, place, &flow))
            force[a] += wet * body->damping * mass * ((double)flow - own[a]);
    }
    return wet;
}

static void load_range(int64_t begin, int64_t end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int64_t b = begin; b < end; b++) {
        const BwRigidBody *body = &job->bodies[b];
        BwBodyLoad load = {.wet = 0.0};
        for (int64_t n = 0; n < body->node_count; n++) {
            double point[3], f[3];
            bw_rigid_body_to_world(body, body->nodes[n].place, point);
            double wet = load_node(job->water, body, &body->nodes[n], point, f);
            double arm[3] = {point[0] - body->place[0], point[1] - body->place[1], point[2] - body->place[2]};
            load.wet += wet * (double)body->nodes[n].volume / body->volume;
            for (int a = 0; a < 3; a++) {
                load.force[a] += f[a];
                load.torque[a] += arm[(a + 1) % 3] * f[(a + 2) % 3] - arm[(a + 2) % 3] * f[(a + 1) % 3];
            }
        }
        job->loads[b] = load;
    }
}

void bw_body_loads(const BwBodyWater *water, const BwRigidBody *bodies, int count, BwBodyLoad *loads)
{
    Job job = {water, bodies, loads};
    bw_parallel_for(water->domain->pool, count, 1, load_range, &job);
}
