// Real transforms along one axis of a box that make a diagonal of the second difference, for each kind of
// end: cosines between mirrors, sines between negative mirrors, quarter waves between one of each, Hartley's
// cas round a periodic axis. LINE_LANES lines go at once, interleaved, so that all arithmetic is on vectors.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LINE_LANES = 16 };

// What the neighbour beyond either end is: the end's own value times this.
typedef struct LineEnds {
    bool is_periodic;
    int low, high; // 1 or -1
} LineEnds;

// Roots of unity and of their quarters for one length.
typedef struct Waves {
    int length;
    float *cosine, *sine;                 // of 2 pi k / length
    float *quarter_cosine, *quarter_sine; // of pi k / (2 length)
} Waves;

// Floats that a table takes, and making it in memory of that size.
size_t bw_waves_size(int length);
void bw_waves_make(Waves *waves, int length, float *memory);

// Floats of work for lines of a length.
size_t bw_line_work_size(int length);

// Lines of n values, [n][LINE_LANES], to coefficients and back. `waves` is of length n, or 2 n where the ends
// differ.
void bw_lines_forward(const Waves *waves, LineEnds ends, int n, float *lines, float *work);
void bw_lines_inverse(const Waves *waves, LineEnds ends, int n, float *lines, float *work);

// What minus the second difference multiplies coefficient k by.
float bw_line_eigenvalue(LineEnds ends, int n, int k);
