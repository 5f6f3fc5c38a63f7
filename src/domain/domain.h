// What each cell is: fluid (its pressure is solved), solid, or air (live, at the pressure of the open air).
// From that, which faces exist and which are closed.
//
// Solids are whole cells, those whose centre is inside; or, where the domain has `cut`, they take their share
// of each face, and every cell with an open face is fluid, wherever its centre lies. Smoke and heat live at
// the centres of cells: in both ways a cell whose centre is inside a solid holds none.
//
// A live cell with room for fluid is air when a neighbour is missing and no closed wall stands there: the rim
// of sparse smoke, and the outermost layer along a side of the box that is not closed. That layer belongs to
// the outside: along an open or outflow side it has the pressure of the open air, along an inflow side what
// flows in has its speed and temperature there. Where the domain's terms say where the liquid is, a cell that
// holds none is air too. All faces of a fluid cell are stored, or lie on a closed far wall.
#pragma once

#include "base/pool.h"
#include "domain/fluid_terms.h"
#include "grid/bits.h"
#include <billow/scene.h>

// A solid as it stands at the end of the step and as it stood at its start.
typedef struct BwSolidPose {
    const BwShape *shape;
    BwPose pose, before;
    float slip;        // 1 slides freely, 0 sticks
    float temperature; // K; NaN: insulated
    bool has_jumped;   // its motion has no speed in the step
} BwSolidPose;

// How far the bit of the solid that is now at a point has come in the step: the turn as a rotation vector, so
// that the speeds of a solid are those of a rigid one, which neither swells nor shrinks, and one that stands
// still has come exactly nowhere.
BwVec3 bw_solid_displacement(const BwSolidPose *solid, BwVec3 point);

// The same for many points: the turn of the solid that was asked about last is kept, for it takes longest.
// Begins as {0}, and serves only for as long as that solid stays where it is in memory.
typedef struct BwSolidTurn {
    const BwSolidPose *solid;
    BwVec3 turn;
} BwSolidTurn;

BwVec3 bw_solid_displacement_by(BwSolidTurn *turn, const BwSolidPose *solid, BwVec3 point);

bool bw_solid_is_at_rest(const BwSolidPose *solid);

// A number that stands for a solid's shape and place as well as for those before it.
uint64_t bw_solid_mix(uint64_t key, const BwSolidPose *solid);

// What stands at one side of the box, as it is now. All zero but for slip and temperature is a closed wall at
// rest.
typedef struct BwBoxSide {
    BwWallKind kind;
    BwVec3 velocity;     // m/s: of the moving lid, along the wall; of what flows in; or of the air outside
    float temperature;   // K: of a heated wall, or of what flows in; NaN: insulated
    float slip;          // 1 slides freely, 0 sticks
    const BwShape *part; // where this holds; the rest of the side is closed, resting and insulated. NULL: all
} BwBoxSide;

typedef struct BwDomain {
    BwGrid *grid;
    BwPool *pool;
    BwBoxSide side[BW_SIDE_COUNT]; // where there are no bounds, all open
    struct BwSolidFaces
        *cut; // what solids leave open of the faces, measured before labels; NULL: whole cells
    const struct BwPrescribed
        *prescribed;           // faces whose velocity sources prescribe (operate/prescribe.h); NULL: none
    const BwFluidTerms *terms; // where the fluid is and what it is asked; NULL: everywhere, nothing
    BwMask solid;              // cells whose centre is in a solid
    BwMask fluid;
    BwMask inflow, outflow;        // cells outside, beside sides of these kinds
    BwMask was_solid;              // at the labelling before this one
    BwMask swept;                  // not solid, but was, or a solid has passed over it since
    BwMask next_solid, next_swept; // the same two at the next labelling, where that is predicted
    bool has_prediction;
    BwMask open; // live and not solid: fluid or air
    BwMask
        scalar; // where scalars can be read: not in solids; air that is not awake counts, with the background
    BwMask face[3]; // faces that border fluid or an inflow, or lie in cut solids: where velocity exists
    BwMask flow[3]; // of those, the ones fluid may pass
} BwDomain;

BwResult bw_domain_create(BwDomain *domain, BwGrid *grid, BwPool *pool, BwError *err);
void bw_domain_destroy(BwDomain *domain);

// A closed wall at rest, insulated, that all slides along.
BwBoxSide bw_box_side_plain(void);

// Whether what a side is holds at a point of it.
bool bw_box_side_holds(const BwBoxSide *side, const BwGrid *grid, BwVec3 point);

// Finds what the next labelling will find solid and swept, so that advection before it can know.
void bw_domain_predict_solids(BwDomain *domain, const BwSolidPose *solids, int solid_count);

// Labels all cells and faces of the awake tiles anew.
void bw_domain_label(BwDomain *domain, const BwSolidPose *solids, int solid_count);

// The same where neither solids nor tiles have changed, only sides of the box or where the liquid is.
void bw_domain_label_sides(BwDomain *domain);

// A MAC velocity: one field a component, at its faces.
typedef struct BwVelocity {
    BwField u[3];
} BwVelocity;

BwResult bw_velocity_create(BwVelocity *velocity, BwGrid *grid, BwVec3 background, BwError *err);
void bw_velocity_destroy(BwVelocity *velocity);

// Faces that border fluid and that nothing may pass get the speed of the wall or solid there
// (difference of poses over the step), those of an inflow its own.
void bw_domain_set_wall_velocity(const BwDomain *domain, BwVelocity *velocity, const BwSolidPose *solids,
                                 int solid_count, float dt);

// Position of a sample, in metres.
BwVec3 bw_sample_position(const BwGrid *grid, BwTileCoord tile, int index, BwLocation location);
