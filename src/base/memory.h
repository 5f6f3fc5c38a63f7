// Memory through the host's allocator, always with sizes, and arenas for what lives and dies together.
#pragma once

#include "base/error.h"
#include <billow/base.h>
#include <stdbool.h>

// A cache line: what kernels, rows of tiles and per-worker counters are aligned to.
#define BW_ALIGN 64

// The given allocator, or malloc and free where it is all zero.
BwAllocator bw_allocator_or_default(BwAllocator allocator);

// Fresh memory, not cleared; NULL when memory is short or size is 0. With the default allocator an `align` of
// 2 MiB asks for huge pages.
void *bw_alloc(const BwAllocator *allocator, size_t size, size_t align);
void *bw_alloc_zeroed(const BwAllocator *allocator, size_t size, size_t align);
void bw_free(const BwAllocator *allocator, void *block, size_t size, size_t align);

// A text of its own made of two, and its end; NULL when memory is short. Nothing is freed for NULL.
char *bw_text_join(const BwAllocator *allocator, const char *text, const char *suffix);
void bw_text_free(const BwAllocator *allocator, char *text);

// Makes room for `needed` elements in a growing array: *block and *capacity change only on success. Doubles,
// so pushing one by one stays linear.
BwResult bw_reserve(const BwAllocator *allocator, void **block, int64_t *capacity, int64_t needed,
                    size_t element_size, BwError *err);

// An arena: blocks that are all freed at once. All zero but the allocator is a valid empty one.
typedef struct BwArena {
    BwAllocator allocator;
    struct BwArenaBlock *newest;
} BwArena;

// Zeroed memory that lives until the arena is cleared; NULL when memory is short. `align` is BW_ALIGN at
// most.
void *bw_arena_alloc(BwArena *arena, size_t size, size_t align);
char *bw_arena_copy_text(BwArena *arena, const char *text, size_t length);
void bw_arena_clear(BwArena *arena);
