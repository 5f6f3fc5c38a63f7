// An allocator that holds its users to their word: it fails on demand, counts what is alive, and checks that
// a block comes back with the size and alignment it was given out with.
//
// The usual loop: for each n from 0, fail_after(&strict, n), try, and stop at the first n that succeeds.
#pragma once

#include "gate.h"
#include <billow/base.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct StrictAllocator {
    atomic_int left;   // allocations that still succeed
    atomic_int blocks; // alive
    atomic_int wrong;  // blocks resized or freed with another size or alignment
} StrictAllocator;

// Before each block, on an alignment of its own so that the block keeps the one asked for.
typedef struct StrictHeader {
    size_t size, align;
} StrictHeader;

static inline size_t strict_room(size_t align)
{
    return align > sizeof(StrictHeader) ? align : sizeof(StrictHeader);
}

static inline void strict_release(StrictAllocator *strict, void *block, size_t size, size_t align)
{
    StrictHeader *header = (StrictHeader *)((char *)block - strict_room(align));
    if (header->size != size || header->align != align)
        strict->wrong++;
    free(header);
    strict->blocks--;
}

static inline void *strict_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    StrictAllocator *strict = user;
    if (new_size == 0) {
        strict_release(strict, block, old_size, align);
        return NULL;
    }
    if (strict->left-- <= 0)
        return NULL;
    size_t room = strict_room(align);
    char *start = aligned_alloc(room, (room + new_size + room - 1) / room * room);
    if (start == NULL)
        return NULL;
    *(StrictHeader *)start = (StrictHeader){new_size, align};
    strict->blocks++;
    // Nobody may count on what memory holds; of large blocks the beginning will do, for time's sake.
    memset(start + room, 0xab, new_size < 1 << 17 ? new_size : 1 << 17);
    if (block != NULL) {
        memcpy(start + room, block, old_size < new_size ? old_size : new_size);
        strict_release(strict, block, old_size, align);
    }
    return start + room;
}

static inline BwAllocator strict_allocator(StrictAllocator *strict)
{
    strict->left = 1 << 30;
    return (BwAllocator){strict_resize, strict};
}

static inline void fail_after(StrictAllocator *strict, int allocations)
{
    strict->left = allocations;
}

static inline void assert_nothing_left(StrictAllocator *strict)
{
    assert_int_equal(strict->blocks, 0);
    assert_int_equal(strict->wrong, 0);
}
