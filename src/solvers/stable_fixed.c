// Stam's solver in whole numbers, for processors without floating point: this file compiles with
// -mgeneral-regs-only. Values are in 2^-16 and stay within +-8192, so that every product below fits 64 bits;
// what would leave that range stays at its end. The kernels are those of floating point.
#include "solvers/stable_number.h"

typedef int32_t Num;   // 2^-16
typedef int64_t Wide;  // the same, room for sums
typedef int64_t Gain;  // 2^-30
typedef int64_t Trace; // 2^-20 cells at 1 m/s
typedef int64_t Place; // 2^-16 cells
typedef int64_t Sum;   // 2^-16

#define NUM_ONE    ((Gain)1 << 30)
#define NUM_LIMIT  ((Wide)1 << 29)
#define PLACE_HALF ((Place)1 << 15)

BOX_INLINE Num num_narrow(Wide x)
{
    return (Num)(x > NUM_LIMIT ? NUM_LIMIT : x < -NUM_LIMIT ? -NUM_LIMIT : x);
}

BOX_INLINE Wide num_scale(Gain gain, Wide x)
{
    return (gain * x + ((Wide)1 << 29)) >> 30;
}

// The same, with what rounding took kept in `rest`.
BOX_INLINE Wide num_scale_keeping(Gain gain, Wide x, Wide *rest)
{
    Wide exact = gain * x + *rest, rounded = (exact + ((Wide)1 << 29)) >> 30;
    *rest = exact - rounded * ((Wide)1 << 30);
    return rounded;
}

BOX_INLINE Num num_half(Wide x)
{
    return num_narrow(x / 2);
}

// dt is in 2^-24 s.
BOX_INLINE Wide num_times_dt(Num x, Gain dt)
{
    return (x * dt + ((Wide)1 << 23)) >> 24;
}

static Gain num_ratio(Sum a, Sum b)
{
    while (a >= (Sum)1 << 32 || a <= -((Sum)1 << 32)) {
        a /= 2;
        b /= 2;
    }
    if (b == 0)
        return 0;
    Gain ratio = a * ((Sum)1 << 30) / b;
    return ratio > NUM_ONE ? NUM_ONE : ratio < -NUM_ONE ? -NUM_ONE : ratio;
}

BOX_INLINE Num num_mix(Num a, Num b, Num weight)
{
    return a + (Num)((((Wide)b - a) * weight + (1 << 15)) >> 16);
}

BOX_INLINE Wide num_product(Num a, Num b)
{
    return ((Wide)a * b) >> 16;
}

static Wide num_confined(const BwStable *box, Wide force)
{
    return (box->rates.confinement * force) >> 16;
}

// The root of the sum of squares, bit by bit from the top.
static Num num_length(const Num v[3])
{
    uint64_t left = 0, root = 0;
    for (int axis = 0; axis < 3; axis++)
        left += (uint64_t)((Wide)v[axis] * v[axis]);
    for (uint64_t bit = (uint64_t)1 << 62; bit != 0; bit >>= 2) {
        uint64_t trial = root + bit;
        root >>= 1;
        if (left >= trial) {
            left -= trial;
            root += bit;
        }
    }
    return num_narrow((Wide)root);
}

static void num_normalize(Num v[3])
{
    Wide length = num_length(v);
    for (int axis = 0; axis < 3 && length != 0; axis++)
        v[axis] = (Num)((Wide)v[axis] * 65536 / length);
}

BOX_INLINE Place place_of(int i)
{
    return (Place)i * 65536;
}

BOX_INLINE Place place_move(Num u, Trace cells)
{
    return (u * cells + ((Place)1 << 19)) >> 20;
}

BOX_INLINE Place place_clamp(Place place, int n)
{
    Place high = place_of(n) + PLACE_HALF;
    return place < PLACE_HALF ? PLACE_HALF : place > high ? high : place;
}

BOX_INLINE Place place_wrap(Place place, int n)
{
    Place round = (place - PLACE_HALF) % place_of(n);
    return round + PLACE_HALF + (round < 0 ? place_of(n) : 0);
}

BOX_INLINE int place_cell(Place place)
{
    return (int)(place >> 16);
}

BOX_INLINE Num place_fraction(Place place)
{
    return (Num)(place & 0xffff);
}

BOX_INLINE Num place_weight(Place off)
{
    return (Num)off;
}

static Gain chebyshev_rho2(const BwStable *box, Gain gain)
{
    Gain rho = 2 * box->dimension * gain, rho2 = (rho * rho) >> 30;
    return rho2 < box->fixed_rho2 ? rho2 : box->fixed_rho2;
}

static Gain chebyshev_omega(Gain omega, Gain rho2, bool is_first)
{
    Gain taken = is_first ? rho2 / 2 : (rho2 * omega) >> 32;
    return ((Gain)1 << 60) / (NUM_ONE - taken);
}

#include "solvers/stable_system.h"

static System pressure_system(int neighbour_count)
{
    return (System){.gain = NUM_ONE / neighbour_count, .share = NUM_ONE / neighbour_count};
}

// a = dt * rate, 2^-24; a box where it passes 256 is as mixed as its sweeps can make it.
static System diffusion_system(const BwStable *box, int32_t dt, int64_t rate)
{
    uint64_t high = (uint64_t)dt * ((uint64_t)rate >> 32),
             low = (uint64_t)dt * ((uint64_t)rate & 0xffffffffu);
    uint64_t limit = (uint64_t)1 << 32;
    Gain a = high >= limit >> 8 ? (Gain)limit : (Gain)((high << 8) + (low >> 24));
    a = a > (Gain)limit ? (Gain)limit : a;
    Gain sum = ((Gain)1 << 24) + 2 * box->dimension * a;
    return (System){.gain = a * NUM_ONE / sum, .share = ((Gain)1 << 54) / sum};
}

static Num patch_value(const BwStable *box, int n, BoxPart part)
{
    return part == PART_DENSITY    ? box->patches[n].density
           : part == PART_PRESSURE ? 0
                                   : box->patches[n].velocity[part];
}

#include "solvers/stable_kernels.h"

static void solve(BwStable *box, const System *system)
{
    relax(box, system);
}

void bw_stable_step_as_fixed(BwStable *box, int32_t dt)
{
    Trace cells = (dt * box->rates.inv_cell) >> 20, limit = (Trace)1 << 33;
    StepGains gains = {.dt = dt,
                       .cells = cells < limit ? cells : limit,
                       .viscosity = diffusion_system(box, dt, box->rates.viscosity),
                       .diffusion = diffusion_system(box, dt, box->rates.diffusion)};
    step(box, &gains);
}
