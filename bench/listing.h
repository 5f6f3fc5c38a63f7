// The 2-D solver of Stam 2003 as its paper lists it, kept plain: what our box is timed and tested against.
#pragma once

// Which way the inner loop of sweeps and traces runs. The paper's own goes along j, across memory; a reader
// who knows caches turns it. The answer is the same.
typedef enum ListingLoops { LISTING_AS_PRINTED, LISTING_TURNED } ListingLoops;

// Arrays of (n + 2)^2 values, ghosts included. The sources are used up.
typedef struct Listing {
    int n;
    ListingLoops loops;
    float *u, *v, *density;
    float *u_source, *v_source, *density_source;
} Listing;

// Cell (i, j), ghosts at 0 and n + 1.
static inline int listing_index(int n, int i, int j)
{
    return i + (n + 2) * j;
}

// False when memory is short.
int listing_create(Listing *listing, int n, ListingLoops loops);
void listing_destroy(Listing *listing);
void listing_step(Listing *listing, float viscosity, float diffusion, float dt);

// The parts that tests look at alone.
void listing_diffuse(const Listing *listing, int b, float *x, const float *x0, float diffusion, float dt);
void listing_project(const Listing *listing, float *u, float *v, float *p, float *divergence);
