// The paper's Gauss-Seidel sweeps of a plain 2-D box, in the paper's order and to its answer, but many at
// once.
//
// A sweep's new value needs the new values to its left and below (lower j) and the old ones to its right and
// above. So cells along a diagonal do not need each other: a vector takes LANES rows, each lane one column
// behind the lane before it. And the next sweep can follow one row and one column behind. With
//
//     row = band + lane - sweep,   column = time - lane - sweep
//
// everything that vector (sweep, time) needs was made at time - 1, by its own sweep or by the one before: the
// values to the left and below are its own last vector and that vector moved by a lane; those above and to
// the right are the same two of the sweep before. A pass through memory thus makes up to SWEEPS sweeps, with
// all of them in the first cache, and the vectors of one time are independent, which hides the latency of the
// sums.
//
// Ghost cells are cells of the pattern with a rule of their own, so every sweep sees the paper's set_bnd of
// the sweep before. Bands of LANES rows follow one another through `edge`, which hands each sweep's last row
// to the next band; a second worker may take the next band as soon as the first is LANES columns ahead.
#pragma once

// Diagonals of the right side that are in use: sweep s looks 2 s diagonals back.
enum { RING = 64, RING_WIDTH = LANES + SWEEPS + 12 };

// Vectors start at LANE0, so that they are aligned and the lane before them can be read.
enum { LANE0 = 16, CHAIN_WIDTH = LANE0 + LANES };

typedef struct SweepJob {
    BwStable *box;
    Num *x;
    const Num *rhs;
    Gain gain, share;
    int sweeps;
    bool has_zero_guess;
    int sign_x, sign_y; // of ghosts on the left and right, below and above
    int first_sign;     // 0: the guess's low ghosts are zero
    Num *edge;          // [time][sweep]
} SweepJob;

// What a worker has at hand: chain[time & 1][sweep + 1] are the vectors, sweep -1 being the guess.
typedef struct SweepState {
    _Alignas(64) Num chain[2][SWEEPS + 1][CHAIN_WIDTH];
    _Alignas(64) Num ring[RING][RING_WIDTH];
} SweepState;

// The first and the last time of a band: column -1 of the first lane and sweep, column n of the last.
enum { TIME_FIRST = -1 };

static int time_end(const SweepJob *job)
{
    return job->box->size[0] + LANES + job->sweeps - 1;
}

static Num *edge_at(const SweepJob *job, int time)
{
    return job->edge + (ptrdiff_t)(time + LANES) * SWEEPS;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

// Brings in one diagonal of the right side, scaled: rows band - SWEEPS + 1 to band + LANES - 1.
static void load_diagonal(const SweepJob *job, SweepState *state, int band, int time)
{
    int first = at_least(at_least(1 - SWEEPS, -band), time - job->box->size[0] + 1);
    int last = at_most(at_most(LANES - 1, job->box->size[1] - 1 - band), time);
    Num *ring = state->ring[(unsigned)time % RING] + SWEEPS;
    ptrdiff_t row = job->box->stride[1];
    const Num *rhs = job->rhs + band * row + time;
    for (int r = first; r <= last; r++)
        ring[r] = num_narrow(num_scale(job->share, rhs[r * (row - 1)]));
}

// The guess as the vector of sweep -1: rows band to band + LANES, from column time + 1 downwards.
static void load_guess(const SweepJob *job, Num *guess, int band, int time)
{
    int first = at_least(at_least(-1, -band - 1), time + 1 - job->box->size[0]);
    int last = at_most(at_most(LANES - 1, job->box->size[1] - 1 - band), time + 2);
    ptrdiff_t row = job->box->stride[1];
    const Num *x = job->x + (band + 1) * row + time + 1;
    for (int lane = first; lane <= last; lane++)
        guess[lane] = x[lane * (row - 1)];
}

// One vector of cells that are all inside the box.
BOX_INLINE void sweep_inside(Num *restrict next, const Num *restrict own, const Num *restrict old,
                             const Num *restrict rhs, Gain gain)
{
    for (int lane = 0; lane < LANES; lane++) {
        Wide sum = ((Wide)own[lane] + own[lane - 1]) + ((Wide)old[lane] + old[lane - 1]);
        next[lane] = num_narrow(rhs[lane] + num_scale(gain, sum));
    }
}

// The same where some lanes are ghosts, or nothing at all.
static void sweep_border(const SweepJob *job, Num *restrict next, const Num *restrict own,
                         const Num *restrict old, const Num *restrict rhs, int row0, int column0,
                         int low_sign)
{
    int nx = job->box->size[0], ny = job->box->size[1];
    Num sign_x = (Num)job->sign_x, sign_y = (Num)job->sign_y, low = (Num)low_sign;
    for (int lane = 0; lane < LANES; lane++) {
        int row = row0 + lane, column = column0 - lane;
        Num left = own[lane], below = own[lane - 1], above = old[lane], right = old[lane - 1];
        Wide sum = ((Wide)left + below) + ((Wide)above + right);
        Num inside = num_narrow(rhs[lane] + num_scale(job->gain, sum));
        Num side = column == -1 ? low * sign_x * right : column == nx ? sign_x * left : 0;
        Num flat = row == -1 ? low * sign_y * above : row == ny ? sign_y * below : 0;
        bool in_row = row >= 0 && row < ny, in_column = column >= 0 && column < nx;
        next[lane] = in_row && in_column ? inside : in_row ? side : in_column ? flat : 0;
    }
}

// The last sweep's vector goes back to its cells.
static void store_vector(const SweepJob *job, const Num *vector, int row0, int column0)
{
    int first = at_least(at_least(0, -row0), column0 - job->box->size[0] + 1);
    int last = at_most(at_most(LANES - 1, job->box->size[1] - 1 - row0), column0);
    ptrdiff_t row = job->box->stride[1];
    Num *x = job->x + row0 * row + column0;
    for (int lane = first; lane <= last; lane++)
        x[lane * (row - 1)] = vector[lane];
}

// All sweeps of a band at one time. The edge of this time comes from the band before; ours is left for the
// next.
static void sweep_time(const SweepJob *job, SweepState *state, int band, int time)
{
    int nx = job->box->size[0], ny = job->box->size[1];
    Num(*own)[CHAIN_WIDTH] = state->chain[time & 1], (*next)[CHAIN_WIDTH] = state->chain[~time & 1];
    const Num *edge_in = edge_at(job, time);
    Num *edge_out = edge_at(job, time - LANES + 1);
    for (int s = 0; s < job->sweeps; s++)
        own[s + 1][LANE0 - 1] = edge_in[s];
    for (int s = 0; s < job->sweeps; s++) {
        int row0 = band - s, column0 = time - s;
        if (row0 > ny || row0 + LANES <= -1 || column0 < -1 || column0 - LANES >= nx)
            continue; // nobody looks at what lies beyond the ghosts
        const Num *rhs = state->ring[(unsigned)(time - 2 * s) % RING] + SWEEPS - s;
        Num *to = next[s + 1] + LANE0;
        if (row0 >= 0 && row0 + LANES <= ny && column0 - LANES + 1 >= 0 && column0 < nx)
            sweep_inside(to, own[s + 1] + LANE0, own[s] + LANE0, rhs, job->gain);
        else
            sweep_border(job, to, own[s + 1] + LANE0, own[s] + LANE0, rhs, row0, column0,
                         s == 0 ? job->first_sign : 1);
        edge_out[s] = to[LANES - 1];
    }
    int last = job->sweeps - 1;
    store_vector(job, next[last + 1] + LANE0, band - last, time - last);
}

// Times pass in runs of TIME_RUN between looks at the band before. Places of the pipeline count times from 0.
enum { TIME_RUN = 16 };

static void sweep_band(BwPipeline *pipeline, int n, void *context)
{
    const SweepJob *job = context;
    int band = -1 + n * LANES, end = time_end(job);
    SweepState state;
    memset(&state, 0, sizeof state);
    for (int time = TIME_FIRST - SWEEPS; time < TIME_FIRST; time++)
        load_diagonal(job, &state, band, time);
    if (!job->has_zero_guess)
        load_guess(job, state.chain[TIME_FIRST & 1][0] + LANE0, band, TIME_FIRST - 1);
    for (int start = TIME_FIRST; start < end; start += TIME_RUN) {
        int stop = at_most(start + TIME_RUN, end);
        bw_band_wait(pipeline, n, at_most(stop + LANES, end) - TIME_FIRST);
        for (int time = start; time < stop && !box_is_stopped(job->box); time++) {
            load_diagonal(job, &state, band, time);
            sweep_time(job, &state, band, time);
            if (!job->has_zero_guess)
                load_guess(job, state.chain[~time & 1][0] + LANE0, band, time);
        }
        bw_band_reach(pipeline, n, stop - TIME_FIRST);
    }
}

static void sweep_pass(BwStable *box, const System *system, int sweeps, bool is_first)
{
    Mirror m = mirror_of(system->part);
    SweepJob job = {.box = box,
                    .x = *system->slot,
                    .rhs = system->rhs,
                    .gain = system->gain,
                    .share = system->share,
                    .sweeps = sweeps,
                    .has_zero_guess = is_first && system->has_zero_guess,
                    .sign_x = m.x,
                    .sign_y = m.y,
                    .first_sign = is_first && system->has_zero_ghosts ? 0 : 1,
                    .edge = box->edge};
    memset(box->edge, 0, box_edge_count(box) * sizeof(Num));
    int band_count = (box->size[1] + 1 + sweeps + LANES - 1) / LANES;
    bw_parallel_bands(box->pool, band_count, sweep_band, &job);
}

// Gauss-Seidel in the paper's order: the answer of `sweeps` sweeps, to round-off.
static void relax_by_sweeps(BwStable *box, const System *system)
{
    for (int done = 0; done < box->def.sweeps && !box_is_stopped(box); done += SWEEPS) {
        sweep_pass(box, system, at_most(SWEEPS, box->def.sweeps - done), done == 0);
        fill_ghosts(box, *system->slot, system->part);
    }
}
