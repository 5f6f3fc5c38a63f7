// The default allocator, growing arrays and arenas. Every free passes the size that was allocated, so a host
// may run an allocator without headers.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)

static void *aligned_block(size_t size, size_t align)
{
    if (align <= _Alignof(max_align_t))
        return malloc(size);
    void *block = NULL;
    if (posix_memalign(&block, align, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    // Fields of many tiles walk memory in long strides: huge pages give 1.2x at 256^3.
    if (align >= HUGE_PAGE)
        madvise(block, size, MADV_HUGEPAGE);
#endif
    return block;
}

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size, size_t align)
{
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (block != NULL && align <= _Alignof(max_align_t))
        return realloc(block, new_size);
    void *fresh = aligned_block(new_size, align);
    if (fresh != NULL && block != NULL) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return fresh;
}

BwAllocator bw_allocator_or_default(BwAllocator allocator)
{
    return allocator.resize != NULL ? allocator : (BwAllocator){default_resize, NULL};
}

void *bw_alloc(const BwAllocator *allocator, size_t size, size_t align)
{
    return size == 0 ? NULL : allocator->resize(allocator->user, NULL, 0, size, align);
}

void *bw_alloc_zeroed(const BwAllocator *allocator, size_t size, size_t align)
{
    void *block = bw_alloc(allocator, size, align);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void bw_free(const BwAllocator *allocator, void *block, size_t size, size_t align)
{
    if (block != NULL)
        allocator->resize(allocator->user, block, size, 0, align);
}

char *bw_text_join(const BwAllocator *allocator, const char *text, const char *suffix)
{
    size_t length = strlen(text), size = length + strlen(suffix) + 1;
    char *joined = bw_alloc(allocator, size, 1);
    if (joined != NULL) {
        memcpy(joined, text, length);
        memcpy(joined + length, suffix, size - length);
    }
    return joined;
}

void bw_text_free(const BwAllocator *allocator, char *text)
{
    if (text != NULL)
        bw_free(allocator, text, strlen(text) + 1, 1);
}

BwResult bw_reserve(const BwAllocator *allocator, void **block, int64_t *capacity, int64_t needed,
                    size_t element_size, BwError *err)
{
    if (needed <= *capacity)
        return BW_OK;
    int64_t wanted = *capacity < 8 ? 8 : *capacity <= INT64_MAX / 2 ? 2 * *capacity : needed;
    if (wanted < needed)
        wanted = needed;
    // Counts may come from files: a size that does not fit must not wrap round to a small block.
    if ((uint64_t)wanted > SIZE_MAX / element_size)
        return bw_fail_memory(err);
    size_t old_size = (size_t)*capacity * element_size;
    void *grown =
        allocator->resize(allocator->user, *block, old_size, (size_t)wanted * element_size, BW_ALIGN);
    if (grown == NULL)
        return bw_fail_memory(err);
    *block = grown;
    *capacity = wanted;
    return BW_OK;
}

typedef struct BwArenaBlock {
    struct BwArenaBlock *older;
    size_t size, used; // both with this header
} BwArenaBlock;

#define ARENA_BLOCK_SIZE ((size_t)64 << 10)

void *bw_arena_alloc(BwArena *arena, size_t size, size_t align)
{
    BW_ASSERT(align <= BW_ALIGN);
    BwArenaBlock *block = arena->newest;
    size_t start = block != NULL ? (block->used + align - 1) & ~(align - 1) : 0;
    if (block == NULL || start > block->size || size > block->size - start) {
        size_t header = (sizeof(BwArenaBlock) + align - 1) & ~(align - 1);
        if (size > SIZE_MAX - header)
            return NULL;
        size_t block_size = header + size > ARENA_BLOCK_SIZE ? header + size : ARENA_BLOCK_SIZE;
        block = bw_alloc(&arena->allocator, block_size, BW_ALIGN);
        if (block == NULL)
            return NULL;
        *block = (BwArenaBlock){arena->newest, block_size, header};
        arena->newest = block;
        start = header;
    }
    block->used = start + size;
    return memset((char *)block + start, 0, size);
}

char *bw_arena_copy_text(BwArena *arena, const char *text, size_t length)
{
    char *copy = bw_arena_alloc(arena, length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void bw_arena_clear(BwArena *arena)
{
    while (arena->newest != NULL) {
        BwArenaBlock *block = arena->newest;
        arena->newest = block->older;
        bw_free(&arena->allocator, block, block->size, BW_ALIGN);
    }
}
