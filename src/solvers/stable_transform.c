// Fast transforms of lines. A complex FFT in Stockham's order, any length (radix 4 and 2, other primes by
// their definition), works on two real lines at a time: lanes 0 to 7 are the real parts, lanes 8 to 15 the
// imaginary. The cosine transform is Makhoul's (1980): reorder, FFT, turn by a quarter.
#include "solvers/stable_transform.h"

#include <math.h>
#include <string.h>

enum { PAIRS = LINE_LANES / 2 };

typedef float Line[LINE_LANES];

size_t bw_waves_size(int length)
{
    return 4 * (size_t)length;
}

void bw_waves_make(Waves *waves, int length, float *memory)
{
    const double pi = 3.14159265358979323846;
    *waves = (Waves){length, memory, memory + length, memory + 2 * length, memory + 3 * length};
    for (int k = 0; k < length; k++) {
        waves->cosine[k] = (float)cos(2.0 * pi * k / length);
        waves->sine[k] = (float)sin(2.0 * pi * k / length);
        waves->quarter_cosine[k] = (float)cos(0.5 * pi * k / length);
        waves->quarter_sine[k] = (float)sin(0.5 * pi * k / length);
    }
}

// Two lines of the FFT's double length, and one more to unpack into.
size_t bw_line_work_size(int length)
{
    return 3 * (size_t)length * LINE_LANES;
}

// to = from * exp(-2 pi i turn / length)
static void turn_line(float *restrict to, const float *restrict from, const Waves *waves, int turn)
{
    float c = waves->cosine[turn], s = waves->sine[turn];
    for (int l = 0; l < PAIRS; l++) {
        float re = from[l], im = from[l + PAIRS];
        to[l] = re * c + im * s;
        to[l + PAIRS] = im * c - re * s;
    }
}

static void butterfly2(Line *to, const float *a, const float *b, const Waves *waves, int turn, int step)
{
    Line difference;
    for (int l = 0; l < LINE_LANES; l++) {
        to[0][l] = a[l] + b[l];
        difference[l] = a[l] - b[l];
    }
    turn_line(to[step], difference, waves, turn);
}

static void butterfly4(Line *to, const Line *from, int gap, const Waves *waves, int turn, int step)
{
    const float *a = from[0], *b = from[gap], *c = from[2 * gap], *d = from[3 * gap];
    Line half, plus, minus;
    for (int l = 0; l < PAIRS; l++) {
        int m = l + PAIRS;
        float sum_re = a[l] + c[l], sum_im = a[m] + c[m], odd_re = b[l] + d[l], odd_im = b[m] + d[m];
        float dif_re = a[l] - c[l], dif_im = a[m] - c[m], rot_re = b[m] - d[m], rot_im = d[l] - b[l];
        to[0][l] = sum_re + odd_re;
        to[0][m] = sum_im + odd_im;
        half[l] = sum_re - odd_re;
        half[m] = sum_im - odd_im;
        plus[l] = dif_re + rot_re;
        plus[m] = dif_im + rot_im;
        minus[l] = dif_re - rot_re;
        minus[m] = dif_im - rot_im;
    }
    turn_line(to[step], plus, waves, turn);
    turn_line(to[2 * step], half, waves, 2 * turn % waves->length);
    turn_line(to[3 * step], minus, waves, (int)((long)3 * turn % waves->length));
}

// Any prime, by the definition of the transform.
static void butterfly_prime(Line *to, const Line *from, int gap, int prime, const Waves *waves, int turn,
                            int step)
{
    int n = waves->length, root = n / prime;
    for (int k = 0; k < prime; k++) {
        Line sum = {0}, turned;
        for (int j = 0; j < prime; j++) {
            turn_line(turned, from[(ptrdiff_t)j * gap], waves, (int)((long)j * k % prime) * root);
            for (int l = 0; l < LINE_LANES; l++)
                sum[l] += turned[l];
        }
        turn_line(to[(ptrdiff_t)k * step], sum, waves, (int)((long)turn * k % n));
    }
}

static int next_radix(int length)
{
    if (length % 4 == 0)
        return 4;
    for (int p = 2; p * p <= length; p++)
        if (length % p == 0)
            return p;
    return length;
}

// Transforms a, using b; gives back which of the two holds the answer.
static Line *fft(const Waves *waves, Line *a, Line *b)
{
    int stride = 1;
    for (int length = waves->length; length > 1;) {
        int radix = next_radix(length), m = length / radix, gap = stride * m;
        for (int q = 0; q < m; q++)
            for (int r = 0; r < stride; r++) {
                const Line *from = (const Line *)a + r + (ptrdiff_t)stride * q;
                Line *to = b + r + (ptrdiff_t)stride * radix * q;
                if (radix == 4)
                    butterfly4(to, from, gap, waves, q * stride, stride);
                else if (radix == 2)
                    butterfly2(to, from[0], from[gap], waves, q * stride, stride);
                else
                    butterfly_prime(to, from, gap, radix, waves, q * stride, stride);
            }
        Line *swap = a;
        a = b;
        b = swap;
        stride *= radix;
        length = m;
    }
    return a;
}

// Cosine transform, in place, of `length` lines.
static void cosine_forward(const Waves *waves, Line *x, Line *work)
{
    int n = waves->length;
    Line *v = work, *spare = work + n;
    for (int i = 0; i < n; i++)
        memcpy(v[i % 2 == 0 ? i / 2 : n - 1 - i / 2], x[i], sizeof(Line));
    const Line *f = (const Line *)fft(waves, v, spare);
    for (int k = 0; k < n; k++) {
        const float *a = f[k], *b = f[k == 0 ? 0 : n - k];
        float c = 0.5f * waves->quarter_cosine[k], s = 0.5f * waves->quarter_sine[k];
        for (int l = 0; l < PAIRS; l++) {
            int m = l + PAIRS;
            x[k][l] = (a[l] + b[l]) * c + (a[m] - b[m]) * s;
            x[k][m] = (a[m] + b[m]) * c + (b[l] - a[l]) * s;
        }
    }
}

// Real and imaginary parts change places on the way in and out: that makes the FFT its own inverse.
static void cosine_inverse(const Waves *waves, Line *x, Line *work)
{
    static const Line zero;
    int n = waves->length;
    Line *v = work, *spare = work + n;
    float scale = 1.0f / (float)n;
    for (int k = 0; k < n; k++) {
        const float *a = x[k], *b = k == 0 ? zero : x[n - k];
        float c = scale * waves->quarter_cosine[k], s = scale * waves->quarter_sine[k];
        for (int l = 0; l < PAIRS; l++) {
            int m = l + PAIRS;
            v[k][m] = (a[l] * c + b[l] * s) - (a[m] * s - b[m] * c);
            v[k][l] = (a[l] * s - b[l] * c) + (a[m] * c + b[m] * s);
        }
    }
    const Line *f = (const Line *)fft(waves, v, spare);
    for (int i = 0; i < n; i++) {
        const float *from = f[i % 2 == 0 ? i / 2 : n - 1 - i / 2];
        memcpy(x[i], from + PAIRS, PAIRS * sizeof(float));
        memcpy(x[i] + PAIRS, from, PAIRS * sizeof(float));
    }
}

// Hartley's transform, its own inverse up to 1 / n.
static void cas_transform(const Waves *waves, Line *x, Line *work, float scale)
{
    int n = waves->length;
    Line *spare = work + n;
    memcpy(work, x, (size_t)n * sizeof(Line));
    const Line *f = (const Line *)fft(waves, work, spare);
    for (int k = 0; k < n; k++) {
        const float *a = f[k], *b = f[k == 0 ? 0 : n - k];
        for (int l = 0; l < PAIRS; l++) {
            int m = l + PAIRS;
            x[k][l] = 0.5f * scale * ((a[l] + b[l]) - (a[m] - b[m]));
            x[k][m] = 0.5f * scale * ((a[m] + b[m]) - (b[l] - a[l]));
        }
    }
}

// Every other value with its sign turned makes sines of cosines.
static void alternate(Line *x, int n)
{
    for (int i = 1; i < n; i += 2)
        for (int l = 0; l < LINE_LANES; l++)
            x[i][l] = -x[i][l];
}

static void reverse(Line *x, int n)
{
    for (int i = 0; i < n / 2; i++) {
        Line kept;
        memcpy(kept, x[i], sizeof kept);
        memcpy(x[i], x[n - 1 - i], sizeof kept);
        memcpy(x[n - 1 - i], kept, sizeof kept);
    }
}

// A mirror at the low end and a negative one at the high end: a line of twice the length between mirrors,
// whose second half is minus the first turned round. Its even coefficients are zero.
static void quarter_forward(const Waves *waves, Line *x, int n, Line *work)
{
    Line *twice = work + 2 * waves->length;
    for (int i = 0; i < n; i++)
        for (int l = 0; l < LINE_LANES; l++) {
            twice[i][l] = x[i][l];
            twice[2 * n - 1 - i][l] = -x[i][l];
        }
    cosine_forward(waves, twice, work);
    for (int k = 0; k < n; k++)
        memcpy(x[k], twice[2 * k + 1], sizeof(Line));
}

static void quarter_inverse(const Waves *waves, Line *x, int n, Line *work)
{
    Line *twice = work + 2 * waves->length;
    for (int k = 0; k < n; k++) {
        memset(twice[2 * k], 0, sizeof(Line));
        memcpy(twice[2 * k + 1], x[k], sizeof(Line));
    }
    cosine_inverse(waves, twice, work);
    memcpy(x, twice, (size_t)n * sizeof(Line));
}

void bw_lines_forward(const Waves *waves, LineEnds ends, int n, float *lines, float *work)
{
    Line *x = (Line *)lines, *w = (Line *)work;
    if (ends.is_periodic) {
        cas_transform(waves, x, w, 1.0f);
    } else if (ends.low == ends.high) {
        if (ends.low < 0)
            alternate(x, n);
        cosine_forward(waves, x, w);
    } else {
        if (ends.low < 0)
            reverse(x, n);
        quarter_forward(waves, x, n, w);
    }
}

void bw_lines_inverse(const Waves *waves, LineEnds ends, int n, float *lines, float *work)
{
    Line *x = (Line *)lines, *w = (Line *)work;
    if (ends.is_periodic) {
        cas_transform(waves, x, w, 1.0f / (float)n);
    } else if (ends.low == ends.high) {
        cosine_inverse(waves, x, w);
        if (ends.low < 0)
            alternate(x, n);
    } else {
        quarter_inverse(waves, x, n, w);
        if (ends.low < 0)
            reverse(x, n);
    }
}

float bw_line_eigenvalue(LineEnds ends, int n, int k)
{
    const double pi = 3.14159265358979323846;
    double angle = ends.is_periodic ? 2.0 * pi * k / n : pi * k / n;
    if (!ends.is_periodic && ends.low < 0 && ends.high < 0)
        angle = pi * (n - k) / n;
    if (!ends.is_periodic && ends.low != ends.high)
        angle = pi * (2 * k + 1) / (2 * n);
    double s = sin(0.5 * angle);
    return (float)(4.0 * s * s);
}
