// What the particles of a liquid carry besides their motion: colour, temperature and viscosity where anything
// that gives liquid has one, temperature too where the liquid is heated or melts, age and source where the
// output asks for them, strain where it is elastic. A scene that has none of it carries none.
//
// Liquid is given by the scene's fills, its emitters and the sides of its box that let it in. A particle's
// source is their number in that order: 1 for the first fill, behind all fills the first emitter, and behind
// all emitters the sides in the order of BwSide.
#pragma once

#include <billow/scene.h>

typedef enum BwCarried {
    BW_CARRIES_COLOR = 1,
    BW_CARRIES_TEMPERATURE = 2,
    BW_CARRIES_AGE = 4,
    BW_CARRIES_SOURCE = 8,
    BW_CARRIES_STRAIN = 16, // of elastic liquids
    BW_CARRIES_VISCOSITY = 32,
} BwCarried;

// A set of them.
unsigned bw_scene_carried(const BwSceneDef *scene);

// Whether the viscosity of a liquid follows its temperature; and whether heat is conducted in it: it melts,
// or a closed side or an obstacle has a temperature, or its conductivity is not the default.
bool bw_scene_melts(const BwSceneDef *scene);
bool bw_scene_conducts_in_liquid(const BwSceneDef *scene);

// Whether a liquid has a viscosity, now or at some time; and whether that is another from place to place.
bool bw_scene_is_viscous(const BwSceneDef *scene);
bool bw_scene_varies_viscosity(const BwSceneDef *scene);

// Whether a liquid's colour is given: white, the default, is not, and means look.water_color.
bool bw_color_is_given(const float color[3]);

// Numbers of sources, from 0 on what they count; and how many there may be.
int bw_source_of_fill(const BwSceneDef *scene, int n);
int bw_source_of_emitter(const BwSceneDef *scene, int n);
int bw_source_of_side(const BwSceneDef *scene, int side);
int bw_source_count(const BwSceneDef *scene);
