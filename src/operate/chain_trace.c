// Chains around shapes: marching squares on nodes half a cell apart, with each crossing looked for on its
// edge; particles in between are put on the surface too.
#include "operate/chain.h"

#include <math.h>

// Nodes along a cell; cells beyond the bounds that are looked at; halvings of the way to a crossing.
enum { NODES = 2, MARGIN = 4, HALVINGS = 30 };

typedef struct Lattice {
    const BwShape *const *shapes;
    int shape_count;
    double low[2], step; // m
    int64_t count[2];    // nodes
    float *values;       // m, the signed distance at nodes
    int32_t *points;     // of the edges that leave each node along x and y; -1: not crossed
} Lattice;

static double distance_at(const Lattice *lattice, const double place[2])
{
    float least = INFINITY;
    for (int n = 0; n < lattice->shape_count; n++)
        least = fminf(least,
                      bw_shape_distance(lattice->shapes[n], bw_vec3((float)place[0], (float)place[1], 0.0f)));
    return (double)least;
}

static void node_place(const Lattice *lattice, int64_t node, double place[2])
{
    place[0] = lattice->low[0] + (double)(node % lattice->count[0]) * lattice->step;
    place[1] = lattice->low[1] + (double)(node / lattice->count[0]) * lattice->step;
}

static bool is_inside(const Lattice *lattice, int64_t node)
{
    int64_t i = node % lattice->count[0], j = node / lattice->count[0];
    bool is_rim = i == 0 || j == 0 || i == lattice->count[0] - 1 || j == lattice->count[1] - 1;
    return !is_rim && lattice->values[node] < 0.0f; // so that chains close
}

// Where the way from a place inside to one outside leaves the shapes.
static void find_crossing(const Lattice *lattice, const double inside[2], const double outside[2],
                          double place[2])
{
    double low = 0.0, high = 1.0;
    for (int n = 0; n < HALVINGS; n++) {
        double middle = 0.5 * (low + high);
        for (int a = 0; a < 2; a++)
            place[a] = inside[a] + middle * (outside[a] - inside[a]);
        if (distance_at(lattice, place) < 0.0)
            low = middle;
        else
            high = middle;
    }
}

static BwResult add_point(BwChains *chains, const double place[2], BwError *err)
{
    BW_TRY(bw_chains_reserve(chains, chains->point_count + 1, 0, err));
    chains->points[chains->point_count++] = (BwChainPoint){.place = {place[0], place[1]}};
    return BW_OK;
}

static BwResult cross_edges(BwChains *chains, Lattice *lattice, BwError *err)
{
    int64_t nodes = lattice->count[0] * lattice->count[1];
    for (int64_t node = 0; node < nodes; node++)
        for (int a = 0; a < 2; a++) {
            int64_t beside = node + (a == 0 ? 1 : lattice->count[0]);
            bool is_there = a == 0 ? node % lattice->count[0] + 1 < lattice->count[0] : beside < nodes;
            double here[2], there[2], place[2];
            lattice->points[2 * node + a] = -1;
            if (!is_there || is_inside(lattice, node) == is_inside(lattice, beside))
                continue;
            node_place(lattice, node, here);
            node_place(lattice, beside, there);
            bool is_in = is_inside(lattice, node);
            find_crossing(lattice, is_in ? here : there, is_in ? there : here, place);
            lattice->points[2 * node + a] = (int32_t)chains->point_count;
            BW_TRY(add_point(chains, place, err));
        }
    return BW_OK;
}

// The links in one square, with the liquid to the left: from an edge at whose end the square's rim, counter-
// clockwise, leaves the liquid to the one where it enters it. Two liquid corners that face each other are
// apart.
static void link_square(BwChains *chains, const Lattice *lattice, int64_t node)
{
    int64_t row = lattice->count[0];
    const int64_t corner[4] = {node, node + 1, node + row + 1, node + row};
    const int32_t edge[4] = {lattice->points[2 * node], lattice->points[2 * (node + 1) + 1],
                             lattice->points[2 * (node + row)], lattice->points[2 * node + 1]};
    for (int n = 0; n < 4; n++) {
        if (!is_inside(lattice, corner[n]) || is_inside(lattice, corner[(n + 1) % 4]))
            continue;
        int back = n; // the corners before, as far as they are inside
        while (is_inside(lattice, corner[(back + 3) % 4]))
            back = (back + 3) % 4;
        chains->next[edge[n]] = edge[(back + 3) % 4];
    }
}

static BwResult link_points(BwChains *chains, const Lattice *lattice, BwError *err)
{
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->next, &chains->next_capacity,
                      chains->point_count + 1, sizeof *chains->next, err));
    for (int64_t j = 0; j + 1 < lattice->count[1]; j++)
        for (int64_t i = 0; i + 1 < lattice->count[0]; i++)
            link_square(chains, lattice, j * lattice->count[0] + i);
    return bw_chains_collect(chains, err);
}

// Half way along each link, where the shapes end there.
static BwResult refine(BwChains *chains, const Lattice *lattice, BwError *err)
{
    int64_t count = 0;
    BW_TRY(bw_reserve(&chains->allocator, (void **)&chains->other, &chains->other_capacity,
                      2 * chains->point_count + 1, sizeof *chains->other, err));
    for (int64_t n = 0; n < chains->chain_count; n++) {
        int64_t start = count;
        for (int64_t p = chains->starts[n]; p < chains->starts[n + 1]; p++) {
            const double *a = chains->points[p].place, *b = chains->points[bw_chain_next(chains, n, p)].place;
            double out[2] = {0.5 * (b[1] - a[1]), -0.5 * (b[0] - a[0])}, place[2];
            const double near[2] = {0.5 * (a[0] + b[0]) - out[0], 0.5 * (a[1] + b[1]) - out[1]},
                         far[2] = {0.5 * (a[0] + b[0]) + out[0], 0.5 * (a[1] + b[1]) + out[1]};
            chains->other[count++] = chains->points[p];
            if (distance_at(lattice, near) < 0.0 && distance_at(lattice, far) >= 0.0) {
                find_crossing(lattice, near, far, place);
                chains->other[count++] = (BwChainPoint){.place = {place[0], place[1]}};
            }
        }
        chains->starts[n] = start;
    }
    chains->starts[chains->chain_count] = count;
    bw_chains_take_other(chains, count);
    return BW_OK;
}

static BwResult trace_on(BwChains *chains, Lattice *lattice, BwError *err)
{
    int64_t nodes = lattice->count[0] * lattice->count[1];
    for (int64_t node = 0; node < nodes; node++) {
        double place[2];
        node_place(lattice, node, place);
        lattice->values[node] = (float)distance_at(lattice, place);
    }
    BW_TRY(cross_edges(chains, lattice, err));
    BW_TRY(link_points(chains, lattice, err));
    BW_TRY(refine(chains, lattice, err));
    return bw_chains_space(chains, err);
}

BwResult bw_chains_trace(BwChains *chains, const BwShape *const *shapes, int count, BwError *err)
{
    double h = (double)chains->grid->cell_size;
    Lattice lattice = {.shapes = shapes, .shape_count = count, .step = h / NODES};
    int64_t nodes = 1;
    for (int a = 0; a < 2; a++) {
        lattice.low[a] = (chains->low[a] - MARGIN + 0.01) * h; // off what is drawn along cells
        lattice.count[a] = (int64_t)NODES * (chains->count[a] + 2 * MARGIN) + 1;
        nodes *= lattice.count[a];
    }
    size_t bytes = (size_t)nodes * (sizeof *lattice.values + 2 * sizeof *lattice.points);
    char *memory = bw_alloc(&chains->allocator, bytes, BW_ALIGN);
    if (memory == NULL)
        return bw_fail_memory(err);
    lattice.points = (int32_t *)(void *)memory;
    lattice.values = (float *)(void *)(memory + (size_t)nodes * 2 * sizeof *lattice.points);
    BwResult result = trace_on(chains, &lattice, err);
    bw_free(&chains->allocator, memory, bytes, BW_ALIGN);
    return result;
}
