// Products behind a thin flame (operate/flame_front.h; Fedkiw 2003, section 4). A parcel of them has its
// clock, the reaction coordinate Y (eq. 1.30): 1 at the front and 0 once `rise` seconds have passed. While it
// runs the parcel heats up evenly, from the temperature of ignition to its highest, and soot forms; then it
// cools as glowing gas does (operate/cooling.h).
#pragma once

#include "domain/domain.h"

typedef struct BwFlameLaw {
    float speed;                              // m/s, S
    float ratio;                              // 1, density of the fuel over that of the products
    float ignition, temperature_max, ambient; // K
    float rise;                               // s
    float cooling;                            // K/s
    float soot;                               // 1, density of smoke in products
    float quench;                             // s, of operate/flame_extinction.h; 0: nothing puts it out
} BwFlameLaw;

// What products have.
typedef struct BwProducts {
    BwField *reaction;    // 1, Y
    BwField *temperature; // K
    BwField *density;     // 1, of smoke
} BwProducts;

// Fills the fuel with what products would have been before they came to the front, so that those which pass
// it within a step begin in the midst of it. Behind a front that is out fuel counts as air; a NULL `lit`: all
// is alight.
void bw_products_ghost(const BwDomain *domain, const BwField *phi, const BwField *lit, const BwFlameLaw *law,
                       const BwProducts *products);

// Makes fuel what fuel is: cold and clear, its clock not begun.
void bw_products_clear(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                       const BwProducts *products);

// Heats and cools products for dt. Gives the smoke that was made, density times volume, m^3.
double bw_products_react(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                         const BwProducts *products, float dt);

// What of products glows: where their temperature is between that of ignition and the highest, 0 to 1.
void bw_products_glow(const BwDomain *domain, const BwField *phi, const BwFlameLaw *law,
                      const BwField *temperature, BwField *glow);
