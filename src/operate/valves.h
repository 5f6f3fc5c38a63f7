// Outflow sides as valves: the pressure behind them is that of the open air, and nothing flows back. A face
// is open where fluid leaves, and shut where the open air would push in; which is which is part of the
// answer. Each solve tells: an open face through which fluid came in is shut, a shut one through which its
// pressure would drive fluid out is opened (a primal-dual active set: Hintermueller, Ito and Kunisch 2002).
#pragma once

#include "domain/domain.h"
#include "poisson/assemble.h"

// A face beside an outflow.
typedef struct BwValve {
    int32_t slot;
    int16_t index; // in the tile
    int8_t axis;
    bool is_low; // the outside is on the low side of the face
    bool is_shut;
    float wanted; // m/s outwards, of a shut one: what it would let through
} BwValve;

typedef struct BwValves {
    BwValve *list; // in the order of tiles, then axes
    int64_t count, capacity;
} BwValves;

// What valves act on.
typedef struct BwValveFaces {
    const BwDomain *domain;
    BwMask *flow; // of three axes: faces that the pressure may change; shut ones are not among them
    BwVelocity *velocity;
} BwValveFaces;

// Lists the faces of flow beside outflows, and shuts those through which no fluid leaves as it moves now:
// most often that is the answer, for what was shut in the last step holds still. Or shuts all of them.
BwResult bw_valves_find(BwValves *valves, const BwValveFaces *faces, bool are_all_shut, BwError *err);
void bw_valves_free(BwValves *valves, const BwAllocator *allocator);

bool bw_valves_are_shut(const BwValves *valves);

// What passes more slowly than this, m/s, turns no valve.
float bw_valves_slowest(const BwValveFaces *faces);

// Shuts and, where asked, opens valves as the system's last answer, which the velocity has got, tells; gives
// whether any has changed. Without an answer (NULL) nothing has pushed since.
bool bw_valves_turn(BwValves *valves, const BwValveFaces *faces, const BwPressureSystem *answer,
                    const BwPressureTerms *terms, bool may_open);
