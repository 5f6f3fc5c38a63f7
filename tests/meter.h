// An allocator that counts the bytes in use, and the most there ever were. It may be called by several
// threads.
#pragma once

#include <billow/base.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct Meter {
    atomic_llong bytes, peak;
} Meter;

static inline void *metered_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    Meter *meter = user;
    size_t room = align > 64 ? align : 64;
    void *fresh = new_size > 0 ? aligned_alloc(room, (new_size + room - 1) / room * room) : NULL;
    if (new_size > 0 && fresh == NULL)
        return NULL;
    if (new_size > 0 && block != NULL)
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    free(block);
    long long grown = (long long)new_size - (long long)old_size;
    long long now = atomic_fetch_add(&meter->bytes, grown) + grown, peak = meter->peak;
    while (now > peak && !atomic_compare_exchange_weak(&meter->peak, &peak, now))
        ;
    return fresh;
}

static inline BwAllocator metered(Meter *meter)
{
    return (BwAllocator){metered_resize, meter};
}
