// Stam's listing: relaxation with 20 sweeps, tracing back, projecting, in unit box. Written for reading;
// nothing here is tuned.
#include "listing.h"

#include <stdlib.h>

enum { SWEEPS = 20 };

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

static void add_source(int n, float *x, const float *s, float dt)
{
    int size = (n + 2) * (n + 2);
    for (int i = 0; i < size; i++)
        x[i] += dt * s[i];
}

#define IX(i, j) ((i) + (n + 2) * (j))

static void set_boundary(int n, int b, float *x)
{
    for (int i = 1; i <= n; i++) {
        x[IX(0, i)] = b == 1 ? -x[IX(1, i)] : x[IX(1, i)];
        x[IX(n + 1, i)] = b == 1 ? -x[IX(n, i)] : x[IX(n, i)];
        x[IX(i, 0)] = b == 2 ? -x[IX(i, 1)] : x[IX(i, 1)];
        x[IX(i, n + 1)] = b == 2 ? -x[IX(i, n)] : x[IX(i, n)];
    }
    x[IX(0, 0)] = 0.5f * (x[IX(1, 0)] + x[IX(0, 1)]);
    x[IX(0, n + 1)] = 0.5f * (x[IX(1, n + 1)] + x[IX(0, n)]);
    x[IX(n + 1, 0)] = 0.5f * (x[IX(n, 0)] + x[IX(n + 1, 1)]);
    x[IX(n + 1, n + 1)] = 0.5f * (x[IX(n, n + 1)] + x[IX(n + 1, n)]);
}

static void relax_cell(int n, float *x, const float *x0, float a, float c, int i, int j)
{
    x[IX(i, j)] =
        (x0[IX(i, j)] + a * (x[IX(i - 1, j)] + x[IX(i + 1, j)] + x[IX(i, j - 1)] + x[IX(i, j + 1)])) / c;
}

static void relax(const Listing *listing, int b, float *x, const float *x0, float a, float c)
{
    int n = listing->n;
    for (int k = 0; k < SWEEPS; k++) {
        if (listing->loops == LISTING_AS_PRINTED) {
            for (int i = 1; i <= n; i++)
                for (int j = 1; j <= n; j++)
                    relax_cell(n, x, x0, a, c, i, j);
        } else {
            for (int j = 1; j <= n; j++)
                for (int i = 1; i <= n; i++)
                    relax_cell(n, x, x0, a, c, i, j);
        }
        set_boundary(n, b, x);
    }
}

void listing_diffuse(const Listing *listing, int b, float *x, const float *x0, float diffusion, float dt)
{
    float a = dt * diffusion * (float)listing->n * (float)listing->n;
    relax(listing, b, x, x0, a, 1 + 4 * a);
}

static void advect_cell(int n, float *d, const float *d0, const float *u, const float *v, float dt0, int i,
                        int j)
{
    float x = (float)i - dt0 * u[IX(i, j)], y = (float)j - dt0 * v[IX(i, j)];
    if (x < 0.5f)
        x = 0.5f;
    if (x > (float)n + 0.5f)
        x = (float)n + 0.5f;
    if (y < 0.5f)
        y = 0.5f;
    if (y > (float)n + 0.5f)
        y = (float)n + 0.5f;
    int i0 = (int)x, i1 = i0 + 1, j0 = (int)y, j1 = j0 + 1;
    float s1 = x - (float)i0, s0 = 1 - s1, t1 = y - (float)j0, t0 = 1 - t1;
    d[IX(i, j)] =
        s0 * (t0 * d0[IX(i0, j0)] + t1 * d0[IX(i0, j1)]) + s1 * (t0 * d0[IX(i1, j0)] + t1 * d0[IX(i1, j1)]);
}

static void advect(const Listing *listing, int b, float *d, const float *d0, const float *u, const float *v,
                   float dt)
{
    int n = listing->n;
    float dt0 = dt * (float)n;
    if (listing->loops == LISTING_AS_PRINTED) {
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++)
                advect_cell(n, d, d0, u, v, dt0, i, j);
    } else {
        for (int j = 1; j <= n; j++)
            for (int i = 1; i <= n; i++)
                advect_cell(n, d, d0, u, v, dt0, i, j);
    }
    set_boundary(n, b, d);
}

void listing_project(const Listing *listing, float *u, float *v, float *p, float *divergence)
{
    int n = listing->n;
    float h = 1.0f / (float)n;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            divergence[IX(i, j)] =
                -0.5f * h * (u[IX(i + 1, j)] - u[IX(i - 1, j)] + v[IX(i, j + 1)] - v[IX(i, j - 1)]);
            p[IX(i, j)] = 0;
        }
    set_boundary(n, 0, divergence);
    set_boundary(n, 0, p);
    relax(listing, 0, p, divergence, 1, 4);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            u[IX(i, j)] -= 0.5f * (p[IX(i + 1, j)] - p[IX(i - 1, j)]) / h;
            v[IX(i, j)] -= 0.5f * (p[IX(i, j + 1)] - p[IX(i, j - 1)]) / h;
        }
    set_boundary(n, 1, u);
    set_boundary(n, 2, v);
}

static void velocity_step(Listing *l, float viscosity, float dt)
{
    int n = l->n;
    add_source(n, l->u, l->u_source, dt);
    add_source(n, l->v, l->v_source, dt);
    swap(&l->u_source, &l->u);
    listing_diffuse(l, 1, l->u, l->u_source, viscosity, dt);
    swap(&l->v_source, &l->v);
    listing_diffuse(l, 2, l->v, l->v_source, viscosity, dt);
    listing_project(l, l->u, l->v, l->u_source, l->v_source);
    swap(&l->u_source, &l->u);
    swap(&l->v_source, &l->v);
    advect(l, 1, l->u, l->u_source, l->u_source, l->v_source, dt);
    advect(l, 2, l->v, l->v_source, l->u_source, l->v_source, dt);
    listing_project(l, l->u, l->v, l->u_source, l->v_source);
}

static void density_step(Listing *l, float diffusion, float dt)
{
    add_source(l->n, l->density, l->density_source, dt);
    swap(&l->density_source, &l->density);
    listing_diffuse(l, 0, l->density, l->density_source, diffusion, dt);
    swap(&l->density_source, &l->density);
    advect(l, 0, l->density, l->density_source, l->u, l->v, dt);
}

void listing_step(Listing *listing, float viscosity, float diffusion, float dt)
{
    velocity_step(listing, viscosity, dt);
    density_step(listing, diffusion, dt);
}

int listing_create(Listing *listing, int n, ListingLoops loops)
{
    size_t count = (size_t)(n + 2) * (size_t)(n + 2);
    *listing = (Listing){.n = n, .loops = loops};
    float **arrays[] = {&listing->u,        &listing->v,        &listing->density,
                        &listing->u_source, &listing->v_source, &listing->density_source};
    int is_whole = 1;
    for (int a = 0; a < 6; a++) {
        *arrays[a] = calloc(count, sizeof(float));
        is_whole &= *arrays[a] != NULL;
    }
    if (!is_whole)
        listing_destroy(listing);
    return is_whole;
}

void listing_destroy(Listing *listing)
{
    float *arrays[] = {listing->u,        listing->v,        listing->density,
                       listing->u_source, listing->v_source, listing->density_source};
    for (int a = 0; a < 6; a++)
        free(arrays[a]);
}
