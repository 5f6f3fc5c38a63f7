// Random numbers for tests: small, seeded, the same everywhere (xorshift64*, Vigna 2016).
#pragma once

#include <stdint.h>

typedef struct Random {
    uint64_t state; // not 0
} Random;

static inline Random random_seeded(uint64_t seed)
{
    return (Random){seed * 0x9e3779b97f4a7c15u | 1};
}

static inline uint64_t random_bits(Random *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1du;
}

// 0 to count - 1.
static inline int random_below(Random *random, int count)
{
    return (int)(random_bits(random) >> 33) % count;
}

// From low up to high.
static inline double random_between(Random *random, double low, double high)
{
    return low + (high - low) * (double)(random_bits(random) >> 11) * 0x1p-53;
}
