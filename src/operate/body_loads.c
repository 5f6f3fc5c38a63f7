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

// The liquid in the cells around one, found once for all faces that are looked at.
enum { AROUND = 27, HOME = 13 };
typedef struct Around {
    float phi[AROUND], pressure[AROUND];
    bool is_known[AROUND], is_liquid[AROUND];
} Around;

static const int stride[3] = {1, 3, 9};

static void look_around(const BwBodyWater *water, const int32_t home[3], Around *around)
{
    const BwGrid *grid = water->domain->grid;
    BwTileCoord last = bw_tile_of_cell(grid, home);
    int32_t slot = bw_grid_find(grid, last);
    for (int n = grid->dimension == 3 ? 0 : 9; n < (grid->dimension == 3 ? AROUND : 18); n++) {
        int32_t cell[3] = {home[0] + n % 3 - 1, home[1] + n / 3 % 3 - 1, home[2] + n / 9 - 1};
        BwTileCoord tile = bw_tile_of_cell(grid, cell);
        if (!bw_tile_coord_equal(tile, last))
            slot = bw_grid_find(grid, tile);
        last = tile;
        int at = bw_index_in_tile(grid, cell);
        around->is_known[n] = slot != 0 && bw_bit(grid->tiles[slot].live, at);
        around->is_liquid[n] = slot != 0 && bw_bit(bw_mask_tile(water->liquid, slot), at);
        around->phi[n] = bw_field_tile(water->phi, slot)[at];
        around->pressure[n] = bw_field_tile(water->pressure, slot)[at];
    }
}

// The gradient of the pressure on the low face of a cell along an axis, and how much it counts; between two
// cells of liquid, or up to where the surface is between one and air.
static double face_gradient(const BwBodyWater *water, const Around *around, int cell, int axis,
                            double *weight)
{
    int low = cell - stride[axis];
    *weight = 0.0;
    if (!around->is_known[low] || !around->is_known[cell])
        return 0.0;
    bool is_low = around->is_liquid[low], is_high = around->is_liquid[cell];
    double h = (double)water->domain->grid->cell_size,
           p_low = is_low ? water->pressure_scale * (double)around->pressure[low] : 0.0,
           p_high = is_high ? water->pressure_scale * (double)around->pressure[cell] : 0.0;
    *weight = is_low && is_high ? 1.0 : is_low || is_high ? rim_weight : 0.0;
    if (is_low == is_high)
        return (p_high - p_low) / h;
    double inside = (double)around->phi[is_low ? low : cell],
           outside = (double)around->phi[is_low ? cell : low];
    if (outside <= 0.0) { // a solid
        *weight = 0.0;
        return 0.0;
    }
    return (p_high - p_low) / (h * fmax(inside / (inside - outside), 0.05));
}

// The gradient along an axis at a place in the home cell: between the faces around that it is known on.
static double gradient_along(const BwBodyWater *water, const Around *around, const float offset[3], int axis)
{
    int dimension = water->domain->grid->dimension, first = HOME;
    double share[3] = {0}, sum = 0.0, all = 0.0;
    for (int a = 0; a < dimension; a++) {
        double at = fmin((double)offset[a], 1.0 - 1e-7) - (a == axis ? 0.0 : 0.5); // floats round up to 1
        first += (int)floor(at) * stride[a];
        share[a] = at - floor(at);
    }
    for (int n = 0; n < 1 << dimension; n++) {
        double part = 1.0, weight;
        int cell = first;
        for (int a = 0; a < dimension; a++) {
            int high = n >> a & 1;
            cell += high * stride[a];
            part *= high ? share[a] : 1.0 - share[a];
        }
        double gradient = face_gradient(water, around, cell, axis, &weight);
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

// The signed distance to the surface at a moment; where nothing is known the surface is far.
static float distance_at(const BwBodyWater *water, const double point[3], bool *is_known)
{
    float phi = bw_field_background(water->phi);
    *is_known = bw_sample(water->phi, NULL, place_of(water->domain->grid, point), &phi);
    return phi;
}

// What a liquid has at a place, as a mean over its moments.
typedef struct Push {
    double gradient[3], flow[3]; // Pa/m, m/s
    double pressed, carried[3];  // 1, the parts of the moments that know
} Push;

// The pressure of a moment is the mean over the step that led to it, which is often all of the time since the
// moment before: it is taken to be of the middle of that time.
static const double pressure_ahead = 0.5;

// A moment at which the place is far above the surface has nothing to tell.
static void add_moment(const BwBodyWater *water, const double point[3], double part, double pressure_part,
                       bool is_one_of_two, Push *push)
{
    const BwGrid *grid = water->domain->grid;
    double inner[3] = {point[0], point[1], point[2]};
    bool is_known;
    float flow;
    Around around;
    dive(water, distance_at(water, point, &is_known), inner);
    if (is_one_of_two && (!is_known || distance_at(water, inner, &is_known) > 0.0f || !is_known))
        return;
    BwPlace place = place_of(grid, inner);
    bool is_pressed = water->pressure != NULL && pressure_part > 0.0;
    push->pressed += is_pressed ? pressure_part : 0.0;
    if (is_pressed)
        look_around(water, place.cell, &around);
    for (int a = 0; a < grid->dimension; a++) {
        if (is_pressed)
            push->gradient[a] += pressure_part * gradient_along(water, &around, place.offset, a);
        if (!bw_sample(&water->velocity->u[a], NULL, place, &flow))
            continue;
        push->flow[a] += part * (double)flow;
        push->carried[a] += part;
    }
}

// How much of a node is below the surface, whose distance goes evenly from one moment to the other.
static double wet_share(const BwBodyWater *water, const BwRigidBody *body, const double point[3])
{
    bool is_known, is_known_later = false;
    double phi = (double)distance_at(water, point, &is_known);
    if (water->later != NULL)
        phi += water->share * ((double)distance_at(water->later, point, &is_known_later) - phi);
    if (!is_known && !is_known_later)
        return 0.0;
    return fmin(fmax(0.5 - phi / (double)body->spacing, 0.0), 1.0);
}

// Force on a node, and drag; gives the share of it that is wet.
static double load_node(const BwBodyWater *water, const BwRigidBody *body, const BwBodyNode *node,
                        const double point[3], const double arm[3], double force[3], BwBodyDrag *drag)
{
    int dimension = water->domain->grid->dimension;
    double mass = body->mass * (double)node->volume / body->volume, own[3],
           wet = wet_share(water, body, point);
    Push push = {.pressed = 0.0};
    for (int a = 0; a < 3; a++)
        force[a] = a < dimension ? mass * (double)bw_component(water->gravity, a) : 0.0;
    if (!(wet > 0.0))
        return 0.0;
    double ahead = water->later != NULL ? fmin(water->share + pressure_ahead, 1.0) : 0.0;
    add_moment(water, point, 1.0 - water->share, 1.0 - ahead, water->later != NULL, &push);
    if (water->later != NULL)
        add_moment(water->later, point, water->share, ahead, true, &push);
    bw_rigid_body_velocity_at(body, point, own);
    for (int a = 0; a < dimension; a++) {
        if (push.pressed > 0.0)
            force[a] -= wet * (double)node->volume * push.gradient[a] / push.pressed;
        if (!(body->damping > 0.0 && push.carried[a] > 0.0))
            continue;
        double flow = push.flow[a] / push.carried[a];
        if (body->is_stiff)
            bw_body_drag_add(drag, arm, a, wet * body->damping * mass, flow);
        else
            force[a] += wet * body->damping * mass * (flow - own[a]);
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
            double arm[3] = {point[0] - body->place[0], point[1] - body->place[1], point[2] - body->place[2]};
            double wet = load_node(job->water, body, &body->nodes[n], point, arm, f, &load.drag);
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
