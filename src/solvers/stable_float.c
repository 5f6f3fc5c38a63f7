// Stam's solver in floating point: the numbers that the kernels work with, and the choice of linear solver.
#include "solvers/stable_number.h"
#include <math.h>

typedef float Num;
typedef float Wide;
typedef float Gain;
typedef float Trace; // cells at 1 m/s
typedef float Place; // cells
typedef double Sum;

#define NUM_ONE    1.0f
#define PLACE_HALF 0.5f

BOX_INLINE Num num_narrow(Wide x)
{
    return x;
}

BOX_INLINE Wide num_scale(Gain gain, Wide x)
{
    return gain * x;
}

BOX_INLINE Wide num_scale_keeping(Gain gain, Wide x, Wide *rest)
{
    (void)rest;
    return gain * x;
}

BOX_INLINE Num num_half(Wide x)
{
    return 0.5f * x;
}

BOX_INLINE Wide num_times_dt(Num x, Gain dt)
{
    return x * dt;
}

static Gain num_ratio(Sum a, Sum b)
{
    return (Gain)(a / b);
}

BOX_INLINE Num num_mix(Num a, Num b, Num weight)
{
    return (1.0f - weight) * a + weight * b;
}

BOX_INLINE Wide num_product(Num a, Num b)
{
    return a * b;
}

BOX_INLINE Wide num_confined(const BwStable *box, Wide force)
{
    return box->def.confinement * force;
}

BOX_INLINE Num num_length(const Num v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

BOX_INLINE void num_normalize(Num v[3])
{
    float inv_length = 1.0f / (num_length(v) + 1e-20f);
    for (int axis = 0; axis < 3; axis++)
        v[axis] *= inv_length;
}

BOX_INLINE Place place_of(int i)
{
    return (float)i;
}

BOX_INLINE Place place_move(Num u, Trace cells)
{
    return cells * u;
}

// Written so that NaN lands in the box too.
BOX_INLINE Place place_clamp(Place place, int n)
{
    float high = (float)n + 0.5f, raised = place > 0.5f ? place : 0.5f;
    return raised < high ? raised : high;
}

BOX_INLINE Place place_wrap(Place place, int n)
{
    float rounds = floorf((place - 0.5f) / (float)n);
    return place_clamp(place - rounds * (float)n, n);
}

BOX_INLINE int place_cell(Place place)
{
    return (int)place;
}

BOX_INLINE Num place_fraction(Place place)
{
    return place - (float)(int)place;
}

BOX_INLINE Num place_weight(Place off)
{
    return off;
}

static Gain chebyshev_rho2(const BwStable *box, Gain gain)
{
    float rho = 2.0f * (float)box->dimension * gain;
    rho = rho < box->chebyshev_rho ? rho : box->chebyshev_rho;
    return rho * rho;
}

static Gain chebyshev_omega(Gain omega, Gain rho2, bool is_first)
{
    return 1.0f / (1.0f - (is_first ? 0.5f * rho2 : 0.25f * rho2 * omega));
}

#include "solvers/stable_system.h"

static System pressure_system(int neighbour_count)
{
    float inverse = 1.0f / (float)neighbour_count;
    return (System){.gain = inverse, .share = inverse, .alpha = 0.0f, .a = 1.0f};
}

static System diffusion_system(const BwStable *box, float dt, float rate)
{
    float a = dt * rate * box->inv_cell * box->inv_cell;
    float share = 1.0f / (1.0f + 2.0f * (float)box->dimension * a);
    return (System){.gain = a * share, .share = share, .alpha = 1.0f, .a = a};
}

static Num patch_value(const BwStable *box, int n, BoxPart part)
{
    const BwStablePatch *patch = &box->def.patches[n];
    return part == PART_DENSITY ? patch->density : part == PART_PRESSURE ? 0.0f : patch->velocity[part];
}

#include "solvers/stable_kernels.h"
#include "solvers/stable_solve.h"

static void solve(BwStable *box, const System *system)
{
    if (box->def.solver == BW_STABLE_RELAXATION)
        relax(box, system);
    else
        solve_to_tolerance(box, system);
}

void bw_stable_step_as_float(BwStable *box, float dt)
{
    StepGains gains = {.dt = dt,
                       .cells = dt * box->inv_cell,
                       .viscosity = diffusion_system(box, dt, box->def.viscosity),
                       .diffusion = diffusion_system(box, dt, box->def.diffusion)};
    step(box, &gains);
}
