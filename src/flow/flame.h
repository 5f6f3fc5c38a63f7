// Fire by the thin flame, as a part of smoke's recipe: a front, carried by a level set, between fuel and hot
// products (operate/flame_front.h), and what products become (operate/flame_products.h).
//
// Two velocities are advected, each as if its gas were everywhere: that of the products is the flow's, that
// of the fuel stands beside it. The one pressure solve has both densities, and the jumps of pressure and
// velocity across the front (eq. 1.20, 1.21 of Fedkiw 2003), as the flow's terms.
#pragma once

#include "flow/flow.h"
#include "operate/distance.h"
#include "operate/flame_extinction.h"
#include "operate/flame_front.h"
#include "operate/flame_products.h"
#include "operate/level_advect.h"

typedef struct BwFlame {
    bool is_used;
    BwFlameLaw law;
    BwField phi;                     // m, below 0 in fuel
    BwField emitted;                 // 1, share of fuel where sources hold it; they fill it in every step
    BwField reaction, next_reaction; // 1, the products' clock; where advection writes, and scratch
    BwField lit, next_lit;           // 1 where the front is alight; where it can be put out
    BwField density;                 // of cells, relative to that of products
    BwField pressure_jump, velocity_jump; // Pa, m/s; the same everywhere, but 0 where the front is out
    BwVelocity fuel, next_fuel;           // m/s, of the fuel; where advection writes, and scratch
    BwNotes wanted;                       // tiles that fuel is in or near to, as of advect/advect.h
    BwMask known, front;                  // scratch of extending phi into solids
    BwDistance distance;
    BwLevelAdvector advector;
} BwFlame;

// Makes the fields where the scene's fluid burns by a thin flame, and tells the flow of it.
BwResult bw_flame_create(BwFlame *flame, BwFlow *flow, BwError *err);
void bw_flame_destroy(BwFlame *flame);

// Takes what the scene has filled in.
void bw_flame_start(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature);

// The density of the scene's products, kg/m^3.
double bw_flame_products_density(const BwSceneDef *scene);

// Cells keep tiles awake where this says so.
BwPresence bw_flame_presence(const BwFlame *flame);

// The products' clock, to be advected with the other scalars, appended to a list; gives its new length.
int bw_flame_list(BwFlame *flame, BwAdvectField *list, int count);

// Advection: ghost values of velocity and scalars on both sides, the front, and the fuel's velocity; then the
// recipe advects velocity and scalars, which are those of the products, and takes over.
void bw_flame_advect(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature, double dt);
void bw_flame_take_over(BwFlame *flame, const BwFlow *flow, BwField *density, BwField *temperature);

// With labels for the new time: adds what sources emitted to the fuel, makes phi a distance, and gives faces
// the velocity of the gas that they are in. It then begins to gather what sources emit.
void bw_flame_settle(BwFlame *flame, BwFlow *flow);

// A step of what products go through, and its part of the stats. Gives the smoke that was made, m^3.
double bw_flame_react(BwFlame *flame, BwFlow *flow, BwField *density, BwField *temperature, double dt,
                      BwStats *stats);

// Around what looks at differences of the velocity, which the jump is none of: all faces have the velocity of
// products, and then those of fuel their own again.
void bw_flame_hide_jump(BwFlame *flame, BwFlow *flow);
void bw_flame_show_jump(BwFlame *flame, BwFlow *flow);

// Readies the flow's terms for a projection over dt.
void bw_flame_press(BwFlame *flame, BwFlow *flow, double dt);

// The most that burning heats the gas above the air, K; the speed that it pushes it with, m/s; 0 where there
// is no flame.
float bw_flame_heat_max(const BwFlame *flame);
float bw_flame_speed_max(const BwFlame *flame);

// m^3 of fuel; it is written where advection writes.
double bw_flame_fuel(BwFlame *flame, const BwFlow *flow);

// What frames show: what glows, the share of fuel, the area of the front per volume, and the heat; they are
// written where a step writes. Gives the list's new length.
int bw_flame_frame_fields(BwFlame *flame, BwFlow *flow, const BwField *temperature, BwFrameSource *sources,
                          int count);
int bw_flame_state_fields(BwFlame *flame, BwStateField *list, int count);

// Whether fields that were loaded can be those of a flame.
BwResult bw_flame_agree(const BwFlame *flame, BwError *err);
