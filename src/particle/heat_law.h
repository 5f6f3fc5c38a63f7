// Heat and temperature of a liquid that may take up latent heat. Heat counts in kelvins, over density and
// heat capacity: H = T, and `latent` more once it has melted, in proportion between the temperatures `solid`
// and `liquid`. So each follows from the other.
#pragma once

typedef struct BwHeatLaw {
    float solid, liquid; // K
    float latent;        // K, latent heat over heat capacity; 0: none
} BwHeatLaw;

static inline float bw_heat_of_temperature(const BwHeatLaw *law, float temperature)
{
    float part = (temperature - law->solid) / (law->liquid - law->solid);
    part = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
    return law->latent > 0.0f ? temperature + law->latent * part : temperature;
}

static inline float bw_temperature_of_heat(const BwHeatLaw *law, float heat)
{
    float width = law->liquid - law->solid;
    if (!(law->latent > 0.0f) || heat <= law->solid)
        return heat;
    if (heat >= law->liquid + law->latent)
        return heat - law->latent;
    return law->solid + (heat - law->solid) * width / (width + law->latent);
}
