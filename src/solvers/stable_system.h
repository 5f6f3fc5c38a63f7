// The linear systems of Stam's solver, in the numbers of the including file.
#pragma once

// (alpha + a n) x - a (sum of the n neighbours) = rhs: diffusion has alpha 1, the pressure has alpha 0 and
// a 1. Sweeps use gain = a / (alpha + a n) and share = 1 / (alpha + a n).
typedef struct System {
    void **slot;    // of the box: guess in, answer out with its ghosts; the array in it may change
    const Num *rhs; // not changed
    BoxPart part;
    bool has_zero_guess;  // whatever x holds, take zero
    bool has_zero_ghosts; // the guess's ghosts count as zero in the first sweep
    Gain gain, share;
    Gain alpha, a; // for conjugate gradients and transforms; not set in fixed point
} System;
