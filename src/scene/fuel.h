// Fuels by name.
#pragma once

#include <billow/scene.h>

// The fuel with every number: those that it leaves out (NaN) are those of its name.
BwFuelDef bw_fuel_numbers(const BwFuelDef *fuel);

// What the front of a thin flame of this fuel sends out from an area, beside one of propane: light of CH and
// C2 goes as what burns there (Hurle, Price, Sugden and Thomas 1968), density times flame speed.
float bw_fuel_front_light(const BwFuelDef *fuel);

// The acceleration upwards of a degree above ambient, m/(s^2 K), under a gravity of that many m/s^2. Where
// the scene does not say: of smoke that of an ideal gas in air, g / ambient. Fire is several times thinner
// than air, and all gas here has one density to move, so the difference of both densities counts by their
// mean, and the line through the hottest: 2 g / (ambient + temperature_max).
float bw_scene_lift(const BwSceneDef *scene, float gravity);
