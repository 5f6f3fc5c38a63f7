// 64 bits that stand for a run of bytes. Each word is folded in by a step that can be undone, so one changed
// word always changes the result; it guards against accidents, not against forgers.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Multiply and fold: every bit of `word` reaches every bit of the result after two rounds.
static inline uint64_t bw_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

// The length goes in as well, so that neighbouring pieces cannot trade bytes.
static inline uint64_t bw_mix_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const char *from = bytes;
    hash = bw_mix(hash, size);
    for (; size >= 8; size -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, 8);
        hash = bw_mix(hash, word);
    }
    uint64_t rest = 0;
    if (size > 0) // of nothing there may be no place
        memcpy(&rest, from, size);
    return bw_mix(hash, rest);
}
