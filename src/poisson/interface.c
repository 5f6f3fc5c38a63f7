// Interfaces that pass between the centres of two cells, by ghost fluid: the free surface, where only one
// side is solved (Gibou, Fedkiw, Cheng and Kang 2002, A Second-Order-Accurate Symmetric Discretization of the
// Poisson Equation on Irregular Domains), and the interface of two fluids that are both solved (Liu, Fedkiw
// and Kang 2000, A Boundary Condition Capturing Method for Poisson's Equation on Irregular Domains; Nguyen,
// Fedkiw and Jensen 2002, Physically Based Modeling and Animation of Fire). Invariant: all three functions
// place the interface alike.
//
// Where two fluids that are both solved end, at the open air, there is no interface: phi has either sign
// there and tells nothing of how far the air is. Taken for a free surface it would put the open air right at
// the middle of the last cell, and a face without inertia takes on any speed.
//
// As in the papers the gradient is taken to be that along the axis; a jump that changes along the interface
// leaves an error of first order there.
#include "grid/lanes.h"
#include "poisson/assemble_job.h"

#include <math.h>
#include <string.h>

typedef enum FaceKind {
    FACE_DRY,      // no fluid on either side
    FACE_INSIDE,   // one fluid on both sides
    FACE_CROSSED,  // two fluids
    FACE_OWN_ONLY, // a free surface, fluid in the cell itself
    FACE_LOW_ONLY, // a free surface, fluid in its low neighbour
} FaceKind;

// The low faces of a tile along an axis.
typedef struct Faces {
    uint8_t kind[BW_ASSEMBLE_CELLS];
    double theta[BW_ASSEMBLE_CELLS]; // share of the way between the centres that is fluid
    double place[BW_ASSEMBLE_CELLS]; // of the interface on the way from the low neighbour's centre, 0 to 1
    bool own_is_outside[BW_ASSEMBLE_CELLS]; // the cell itself has phi >= 0; where crossed
} Faces;

static FaceKind kind_of(bool own, bool low, bool is_crossed)
{
    if (own && low)
        return is_crossed ? FACE_CROSSED : FACE_INSIDE;
    return own ? FACE_OWN_ONLY : low ? FACE_LOW_ONLY : FACE_DRY;
}

static void place_interface(const BwAssembleJob *job, Faces *faces, int n, double phi, double phi_low)
{
    float theta_min = job->terms->theta_min > 0.0f ? job->terms->theta_min : BW_THETA_MIN;
    switch ((FaceKind)faces->kind[n]) {
    case FACE_OWN_ONLY:
        faces->theta[n] = (double)bw_surface_theta((float)phi, (float)phi_low, theta_min);
        faces->place[n] = 1.0 - faces->theta[n];
        break;
    case FACE_LOW_ONLY:
        faces->theta[n] = faces->place[n] = (double)bw_surface_theta((float)phi_low, (float)phi, theta_min);
        break;
    case FACE_CROSSED:
        faces->place[n] = fabs(phi_low) / (fabs(phi_low) + fabs(phi)); // one of them is below 0
        break;
    case FACE_DRY:
    case FACE_INSIDE:
        break;
    }
}

static void find_faces(const BwAssembleJob *job, int axis, int32_t slot, Faces *faces)
{
    const BwField *distance = job->terms->phi;
    double phi[BW_ASSEMBLE_CELLS], phi_low[BW_ASSEMBLE_CELLS];
    if (distance != NULL)
        bw_own_and_low(job, distance, slot, axis, phi, phi_low);
    BwFluidBits bits = {0};
    for (int n = 0; n < job->grid->tile_cells; n++) {
        if ((n & 63) == 0)
            bits = bw_fluid_bits(job, slot, axis, n >> 6);
        bool own = bits.own >> (n & 63) & 1, low = bits.low >> (n & 63) & 1;
        bool is_crossed = distance != NULL && (phi[n] < 0.0) != (phi_low[n] < 0.0);
        faces->kind[n] = (uint8_t)kind_of(own, low, is_crossed);
        faces->theta[n] = 1.0;
        faces->place[n] = own ? 0.0 : 1.0;
        faces->own_is_outside[n] = is_crossed && phi[n] >= 0.0;
        if (distance != NULL && !(own != low && job->terms->parts_fluids))
            place_interface(job, faces, n, phi[n], phi_low[n]);
    }
}

// Which cells of a tile have phi < 0.
static void find_inside(const BwAssembleJob *job, int32_t slot, uint64_t inside[BW_TILE])
{
    const float *phi = bw_field_tile(job->terms->phi, slot);
    for (int k = 0; k < job->grid->layers; k++) {
        inside[k] = 0;
        for (int n = 0; n < BW_TILE_LAYER; n += BW_LANES)
            inside[k] |= bw_lanes_bits(bw_lanes_load(phi + BW_TILE_LAYER * k + n) < 0.0f) << n;
    }
}

// A face between two fluids, with phi on both sides of it.
typedef struct Crossed {
    int n; // the cell whose low face it is
    double phi, phi_low;
} Crossed;

// Finds the low faces of a tile with fluid on both sides that an interface crosses, and how many there are:
// few, in most tiles none.
static int find_crossed(const BwAssembleJob *job, int axis, int32_t slot, Crossed list[BW_ASSEMBLE_CELLS])
{
    const BwField *phi = job->terms->phi;
    uint64_t own[BW_TILE], before[BW_TILE];
    int count = 0, last = job->grid->layers - 1;
    find_inside(job, slot, own);
    find_inside(job, bw_slot_low(job, slot, axis), before);
    for (int k = 0; k <= last; k++) {
        BwFluidBits fluid = bw_fluid_bits(job, slot, axis, k);
        uint64_t low = axis == 0   ? bw_bits_x_low(own[k], before[k])
                       : axis == 1 ? bw_bits_y_low(own[k], before[k])
                       : k > 0     ? own[k - 1]
                                   : before[last];
        for (uint64_t bits = (own[k] ^ low) & fluid.own & fluid.low; bits != 0; bits &= bits - 1) {
            int n = BW_TILE_LAYER * k + __builtin_ctzll(bits);
            list[count++] = (Crossed){n, (double)bw_field_tile(phi, slot)[n],
                                      (double)bw_value_beside(phi, slot, n, 2 * axis)};
        }
    }
    return count;
}

// Of the interface on the way from the low neighbour's centre, 0 to 1.
static double place_of(const Crossed *crossed)
{
    return fabs(crossed->phi_low) / (fabs(crossed->phi_low) + fabs(crossed->phi)); // one of them is below 0
}

// A value at the interface, between those of the two cells.
static double value_at(const BwField *field, int axis, int32_t slot, const Crossed *crossed)
{
    double own = (double)bw_field_tile(field, slot)[crossed->n],
           low = (double)bw_value_beside(field, slot, crossed->n, 2 * axis), place = place_of(crossed);
    return (1.0 - place) * low + place * own;
}

// For two fluids this is the harmonic mean of 1 / density by the shares of the way (Liu, Fedkiw and Kang
// 2000, section 3).
static double density_where_crossed(double place, double own, double low)
{
    return place * low + (1.0 - place) * own;
}

// Of the fluids on the way between two centres.
static double density_between(const Faces *faces, int n, double own, double low)
{
    switch ((FaceKind)faces->kind[n]) {
    case FACE_INSIDE:
        return 0.5 * (own + low);
    case FACE_CROSSED:
        return density_where_crossed(faces->place[n], own, low);
    case FACE_OWN_ONLY:
        return own;
    case FACE_DRY:
    case FACE_LOW_ONLY:
        break;
    }
    return low;
}

// Whether fluid is on both sides of all low faces of a tile.
static bool is_all_fluid(const BwAssembleJob *job, int axis, int32_t slot)
{
    uint64_t all = ~(uint64_t)0;
    for (int k = 0; k < job->grid->layers; k++) {
        BwFluidBits bits = bw_fluid_bits(job, slot, axis, k);
        all &= bits.own & bits.low;
    }
    return all == ~(uint64_t)0;
}

static bool is_one_density(const BwAssembleJob *job, int axis, int32_t slot)
{
    const float *own = bw_field_tile(job->terms->density, slot),
                *before = bw_field_tile(job->terms->density, bw_slot_low(job, slot, axis)), first = own[0];
    int others = 0;
    for (int n = 0; n < job->grid->tile_cells; n++)
        others += (own[n] != first) + (before[n] != first);
    return others == 0;
}

// The same of a tile that is all fluid, of one or two.
static void conductance_of_fluids(const BwAssembleJob *job, int axis, int32_t slot, float *k_face)
{
    const BwField *density = job->terms->density;
    double own[BW_ASSEMBLE_CELLS], low[BW_ASSEMBLE_CELLS];
    Crossed crossed[BW_ASSEMBLE_CELLS];
    int count = job->terms->phi != NULL ? find_crossed(job, axis, slot, crossed) : 0;
    if (count == 0 && is_one_density(job, axis, slot)) {
        float same = (float)(1.0 / (double)bw_field_tile(density, slot)[0]);
        for (int n = 0; n < job->grid->tile_cells; n++)
            k_face[n] = same;
        return;
    }
    bw_own_and_low(job, density, slot, axis, own, low);
    for (int n = 0; n < job->grid->tile_cells; n++)
        k_face[n] = (float)(1.0 / (0.5 * (own[n] + low[n])));
    for (const Crossed *c = crossed; c < crossed + count; c++)
        k_face[c->n] = (float)(1.0 / density_where_crossed(place_of(c), own[c->n], low[c->n]));
}

void bw_conductance_of_tile(const BwAssembleJob *job, int axis, int32_t slot, float *k_face)
{
    Faces faces;
    const BwField *density = job->terms->density;
    double rho[BW_ASSEMBLE_CELLS], rho_low[BW_ASSEMBLE_CELLS];
    if (density != NULL && is_all_fluid(job, axis, slot)) {
        conductance_of_fluids(job, axis, slot, k_face);
        return;
    }
    find_faces(job, axis, slot, &faces);
    if (density != NULL)
        bw_own_and_low(job, density, slot, axis, rho, rho_low);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        double between = density != NULL ? density_between(&faces, n, rho[n], rho_low[n]) : 1.0;
        k_face[n] = faces.kind[n] != FACE_DRY ? (float)(1.0 / (between * faces.theta[n])) : 0.0f;
    }
}

// Values at the interface, between those of the two cells.
static void at_interface(const BwAssembleJob *job, const Faces *faces, const BwField *field, int axis,
                         int32_t slot, double *out)
{
    double own[BW_ASSEMBLE_CELLS], low[BW_ASSEMBLE_CELLS];
    bw_own_and_low(job, field, slot, axis, own, low);
    for (int n = 0; n < job->grid->tile_cells; n++)
        out[n] = (1.0 - faces->place[n]) * low[n] + faces->place[n] * own[n];
}

// Of tiles without a free surface.
static bool jumps_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double scale, double *offset)
{
    const BwField *jump = job->terms->pressure_jump;
    Crossed crossed[BW_ASSEMBLE_CELLS];
    int count = jump != NULL ? find_crossed(job, axis, slot, crossed) : 0;
    if (count == 0)
        return false;
    memset(offset, 0, (size_t)job->grid->tile_cells * sizeof *offset);
    for (const Crossed *c = crossed; c < crossed + count; c++) {
        double gain = value_at(jump, axis, slot, c);
        offset[c->n] = scale * (c->phi >= 0.0 ? gain : -gain);
    }
    return true;
}

bool bw_offset_of_tile(const BwAssembleJob *job, int axis, int32_t slot, double *offset)
{
    const BwPressureTerms *terms = job->terms;
    double scale = terms->pressure_scale != 0.0f ? (double)terms->pressure_scale : 1.0;
    double surface[BW_ASSEMBLE_CELLS], jump[BW_ASSEMBLE_CELLS];
    Faces faces;
    if (terms->surface == NULL)
        return jumps_of_tile(job, axis, slot, scale, offset);
    find_faces(job, axis, slot, &faces);
    at_interface(job, &faces, terms->surface, axis, slot, surface);
    if (terms->pressure_jump != NULL)
        at_interface(job, &faces, terms->pressure_jump, axis, slot, jump);
    else
        memset(jump, 0, sizeof jump);
    for (int n = 0; n < job->grid->tile_cells; n++) {
        FaceKind kind = (FaceKind)faces.kind[n];
        double gain = kind == FACE_CROSSED    ? (faces.own_is_outside[n] ? jump[n] : -jump[n])
                      : kind == FACE_OWN_ONLY ? surface[n]
                      : kind == FACE_LOW_ONLY ? -surface[n]
                                              : 0.0;
        offset[n] = scale * gain;
    }
    return true;
}

// The normal's component along the axis: phi is a distance, its gradient is of length 1.
static double normal_along(const BwAssembleJob *job, double phi, double phi_low)
{
    double slope = (phi - phi_low) / (double)job->grid->cell_size;
    return fmin(fmax(slope, -1.0), 1.0);
}

int bw_ghost_velocities_of_tile(const BwAssembleJob *job, int axis, int32_t slot,
                                BwGhostVelocity list[BW_ASSEMBLE_CELLS])
{
    Crossed crossed[BW_ASSEMBLE_CELLS];
    int count = find_crossed(job, axis, slot, crossed);
    for (int i = 0; i < count; i++) {
        const Crossed *c = &crossed[i];
        double along =
            value_at(job->terms->velocity_jump, axis, slot, c) * normal_along(job, c->phi, c->phi_low);
        int face = c->phi + c->phi_low >= 0.0, own = c->phi >= 0.0, low = c->phi_low >= 0.0; // 1: outside
        list[i] = (BwGhostVelocity){c->n, along * (own - face), along * (low - face)};
    }
    return count;
}
