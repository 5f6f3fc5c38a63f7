// The table of fuels: stoichiometric mixtures with air at 298 K and 1013 hPa.
//
// Flame speeds of propane, methane and petrol (as iso-octane) are laminar burning velocities (Law 2006,
// Combustion Physics, chapter 7; propane's 0.44 m/s is that of Nguyen, Fedkiw and Jensen 2002), hydrogen's is
// that of the stoichiometric mixture. Temperatures are adiabatic ones at constant pressure, densities follow
// from the ideal gas law and the mean molar masses. Wood gas stands for what wood gives off at 800 K. Soot is
// a measure of looks: none of hydrogen, much of what has many carbon atoms.
//
// Blue is what CH and C2 send out where fuel comes apart (Gaydon 1974, The Spectroscopy of Flames), so
// hydrogen, without carbon, has none of it, methane, whose carbon is single, less C2, and wood's gas, mostly
// carbon monoxide and hydrogen, by the share of its heat that hydrocarbons bring.
#include "scene/fuel.h"

#include "scene/gas.h"
#include <math.h>

static const BwFuelDef fuels[] = {
    [BW_FUEL_PROPANE] = {BW_FUEL_PROPANE, 743.0f, 2267.0f, 0.4f, 0.44f, 1.205f, 0.152f, 1.0f},
    [BW_FUEL_METHANE] = {BW_FUEL_METHANE, 810.0f, 2226.0f, 0.15f, 0.40f, 1.130f, 0.151f, 0.7f},
    [BW_FUEL_HYDROGEN] = {BW_FUEL_HYDROGEN, 844.0f, 2390.0f, 0.0f, 2.10f, 0.855f, 0.125f, 0.0f},
    [BW_FUEL_WOOD_GAS] = {BW_FUEL_WOOD_GAS, 620.0f, 1900.0f, 0.7f, 0.35f, 1.100f, 0.176f, 0.1f},
    [BW_FUEL_PETROL] = {BW_FUEL_PETROL, 553.0f, 2270.0f, 1.5f, 0.40f, 1.237f, 0.152f, 1.0f},
};

static void take(float *number, float standard)
{
    if (isnan(*number))
        *number = standard;
}

BwFuelDef bw_fuel_numbers(const BwFuelDef *fuel)
{
    BwFuelDef numbers = *fuel;
    const BwFuelDef *named = &fuels[fuel->name];
    take(&numbers.ignition, named->ignition);
    take(&numbers.temperature_max, named->temperature_max);
    take(&numbers.soot, named->soot);
    take(&numbers.flame_speed, named->flame_speed);
    take(&numbers.density, named->density);
    take(&numbers.density_products, named->density_products);
    take(&numbers.blue, named->blue);
    return numbers;
}

float bw_fuel_front_light(const BwFuelDef *fuel)
{
    const BwFuelDef *propane = &fuels[BW_FUEL_PROPANE];
    BwFuelDef numbers = bw_fuel_numbers(fuel);
    return numbers.blue * (numbers.density * numbers.flame_speed) / (propane->density * propane->flame_speed);
}

float bw_scene_lift(const BwSceneDef *scene, float gravity)
{
    const BwSmokeDef *gas = bw_scene_gas(scene);
    if (!isnan(gas->buoyancy_heat))
        return gas->buoyancy_heat;
    if (scene->fluid != BW_FLUID_FIRE)
        return gravity / gas->ambient;
    return 2.0f * gravity / (gas->ambient + bw_fuel_numbers(&scene->fire.fuel).temperature_max);
}
