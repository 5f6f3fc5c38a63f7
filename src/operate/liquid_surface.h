// The surface of a liquid from its particles, as a signed distance at cell centres.
//
// The share of the hat function around a cell's centre that particles fill (particle/transfer.h), over the
// share that solids leave to them, is 1 inside the liquid, 1/2 on a flat surface and 0 outside. How far from
// a flat surface a centre with that share would be is the distance. So the level set's volume is that of the
// particles at rest density, water meets walls without a meniscus, and the same number tells how far the
// particles' spacing is off.
#pragma once

#include "operate/distance.h"
#include "particle/particles.h"

// With less room than this a cell tells nothing of its own; a plane that ends short of its centre leaves .5.
#define BW_ROOM_MIN 0.45f

typedef struct BwLiquidSurface {
    BwField share;  // 1, that particles fill of the hat function around a cell's centre; then over `room`
    BwField room;   // 1, that solids and walls leave of it
    BwField open;   // 1, of a cell's volume that is outside of solids
    BwField phi;    // m, below 0 inside
    BwField spread; // 1/s, the divergence that gives the particles their spacing back
    BwMask liquid;  // cells whose centre is inside
    BwMask bulk;    // near the surface of a body of liquid, no sheet or drop
    BwMask known;   // cells with room enough to tell a share
    BwMask crammed; // cells that solids leave little room, with more particles than fit in
    BwMask filled, front; // scratch
    BwField smooth;       // scratch
    BwDistance distance;  // scratch
    BwNotes measured;     // whether open and room of a tile are
    uint32_t closed;      // sides of the box that were when they were measured, a bit each
    bool is_rough;        // edges of solids are not looked for: these move, and all is measured step by step
} BwLiquidSurface;

BwResult bw_liquid_surface_create(BwLiquidSurface *surface, BwGrid *grid, BwError *err);
void bw_liquid_surface_destroy(BwLiquidSurface *surface);

// Measures open and room of the tiles that have woken since the last time, or of all where solids have moved
// or a side of the box has opened or closed.
void bw_liquid_surface_measure_room(BwLiquidSurface *surface, const BwDomain *domain,
                                    const BwSolidPose *solids, int solid_count, bool is_all_new);

// The first of both alone, into fields of the caller: the share of each cell that is outside of solids.
void bw_measure_open(BwField *open, BwNotes *measured, const BwDomain *domain, const BwSolidPose *solids,
                     int solid_count, bool is_all_new);

// How the surface is found. The cells of `inside`, if there is such a mask, are known to be: what their share
// lacks is no air. A smooth surface is for its curvature.
typedef struct BwLiquidSurfaceDef {
    const BwMask *inside;
    bool is_smooth;
    const BwSolidPose *solids;
    int solid_count;
} BwLiquidSurfaceDef;

// Finds phi and the liquid's cells from the share that the particles fill.
void bw_liquid_surface_find(BwLiquidSurface *surface, const BwDomain *domain, const BwLiquidSurfaceDef *def);

// A stage of that: into `smooth`, the shares that cells would have without solids (operate/liquid_contact.c).
// It takes phi of the cells that solids do not cut.
void bw_liquid_surface_find_contact(BwLiquidSurface *surface, const BwDomain *domain,
                                    const BwSolidPose *solids, int solid_count);

// How the particles' density is corrected: over a step of dt by `part` of its error, but for what is beyond
// `crowding_max`. In the cells of a mask, where particles come and go by ones and twos, only `unsure_part` of
// that is done; NULL: there are no such cells.
typedef struct BwSpreadDef {
    float part, dt, crowding_max;
    const BwMask *unsure;
    float unsure_part;
} BwSpreadDef;

// The divergence that does it: where they crowd anywhere, where they are too few only inside, away from the
// surface.
void bw_liquid_surface_find_spread(BwLiquidSurface *surface, const BwDomain *domain, const BwSpreadDef *def);

// The part of all particles that is too much in the cells they are in.
double bw_liquid_surface_crowding(BwLiquidSurface *surface, const BwDomain *domain);

// The part of the liquid that there is no room for: what cells hold beyond being full. Particles at rest are
// uneven enough for 0.02 to 0.04.
double bw_liquid_surface_overlap(BwLiquidSurface *surface, const BwDomain *domain);

// m^3, of the liquid inside the surface, and of the spray outside of it, which its particles tell; they are
// sorted, and `unit` is the volume of a seeded one, in cells.
double bw_liquid_surface_volume(const BwLiquidSurface *surface, const BwDomain *domain,
                                const BwParticles *particles, float unit);

// The volume of particles in cells that solids cover altogether, as so many seeded ones.
double bw_liquid_surface_covered(const BwLiquidSurface *surface, const BwDomain *domain,
                                 const BwParticles *particles);
