// The default allocator, growing arrays and arenas: alignment, sizes, and every allocation failing in turn.
#include "base/memory.h"
#include "strict_allocator.h"

#include <unistd.h>

static bool is_aligned(const void *block, size_t align)
{
    return ((uintptr_t)block & (align - 1)) == 0;
}

static void default_allocator_keeps_content_and_alignment(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    for (size_t align = 1; align <= (size_t)4 << 20; align *= 4) {
        char *block = bw_alloc(&allocator, 1000, align);
        assert_true(is_aligned(block, align));
        memset(block, 7, 1000);
        block = allocator.resize(allocator.user, block, 1000, 300000, align);
        assert_true(is_aligned(block, align));
        for (int i = 0; i < 1000; i++)
            assert_int_equal(block[i], 7);
        block = allocator.resize(allocator.user, block, 300000, 10, align);
        assert_true(is_aligned(block, align));
        assert_int_equal(block[9], 7);
        bw_free(&allocator, block, 10, align);
    }
}

static void a_zero_size_is_no_block(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    assert_null(bw_alloc(&allocator, 0, BW_ALIGN));
    assert_null(bw_alloc_zeroed(&allocator, 0, BW_ALIGN));
    bw_free(&allocator, NULL, 0, BW_ALIGN);
    assert_nothing_left(&strict);
}

static void more_than_there_is_gives_null(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    char *block = bw_alloc(&allocator, 8, 2 << 20);
    assert_non_null(block);
    block[7] = 5;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    size_t too_much = SIZE_MAX / 4;
    assert_null(bw_alloc(&allocator, too_much, 8));
    assert_null(bw_alloc(&allocator, too_much, 2 << 20));
    assert_null(allocator.resize(allocator.user, block, 8, too_much, 2 << 20));
#endif
    assert_int_equal(block[7], 5);
    bw_free(&allocator, block, 8, 2 << 20);
}

// The number after a name in /proc/self/smaps, in bytes, for the mapping that holds the block.
static size_t huge_bytes_of(const void *block)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (maps == NULL)
        return 0;
    char line[512];
    size_t kilobytes = 0;
    bool is_inside = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t low, high;
        if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
            is_inside = low <= (uintptr_t)block && (uintptr_t)block < high;
        else if (is_inside && sscanf(line, "AnonHugePages: %zu", &kilobytes) == 1)
            break;
    }
    fclose(maps);
    return kilobytes << 10;
}

static bool system_has_huge_pages(void)
{
    char mode[64] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file == NULL)
        return false;
    bool is_read = fgets(mode, sizeof mode, file) != NULL;
    fclose(file);
    return is_read && strstr(mode, "[never]") == NULL;
}

// Whether the system grants them depends on its memory at the moment, so the number is only told.
static void large_alignment_may_bring_huge_pages(void **state)
{
    (void)state;
    BwAllocator allocator = bw_allocator_or_default((BwAllocator){0});
    size_t huge = (size_t)2 << 20, size = (size_t)64 << 20;
    char *block = bw_alloc_zeroed(&allocator, size, huge);
    assert_true(is_aligned(block, huge));
    print_message("huge pages: system %s, %zu of %zu MiB\n", system_has_huge_pages() ? "offers" : "has none",
                  huge_bytes_of(block) >> 20, size >> 20);
    bw_free(&allocator, block, size, huge);
}

static void reserve_doubles(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    void *block = NULL;
    int64_t capacity = 0;
    int growths = 0;
    for (int64_t n = 0; n < 100000; n++) {
        int64_t before = capacity;
        assert_int_equal(bw_reserve(&allocator, &block, &capacity, n + 1, sizeof n, NULL), BW_OK);
        growths += capacity != before;
        ((int64_t *)block)[n] = n;
    }
    assert_true(growths < 20);
    for (int64_t n = 0; n < 100000; n++)
        assert_int_equal(((int64_t *)block)[n], n);
    bw_free(&allocator, block, (size_t)capacity * sizeof(int64_t), BW_ALIGN);
    assert_nothing_left(&strict);
}

static void reserve_changes_nothing_on_failure(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    BwError err;
    void *block = NULL;
    int64_t capacity = 0;
    assert_int_equal(bw_reserve(&allocator, &block, &capacity, 100, 8, NULL), BW_OK);
    void *before = block;
    fail_after(&strict, 0);
    assert_int_equal(bw_reserve(&allocator, &block, &capacity, 101, 8, &err), BW_ERR_MEMORY);
    assert_string_equal(err.message, "out of memory");
    assert_ptr_equal(block, before);
    assert_int_equal(capacity, 100);
    bw_free(&allocator, block, 800, BW_ALIGN);
    assert_nothing_left(&strict);
}

static void reserve_refuses_sizes_that_wrap_round(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwAllocator allocator = strict_allocator(&strict);
    void *block = NULL;
    int64_t capacity = 0;
    // 16 bytes each: in 64 bits the product is 16.
    int64_t needed = (INT64_C(1) << 60) + 1;
    assert_int_equal(bw_reserve(&allocator, &block, &capacity, needed, 16, NULL), BW_ERR_MEMORY);
    assert_int_equal(bw_reserve(&allocator, &block, &capacity, INT64_MAX, 16, NULL), BW_ERR_MEMORY);
    assert_null(block);
    assert_int_equal(capacity, 0);
}

static void arena_gives_zeroed_aligned_blocks_apart(void **state)
{
    (void)state;
    enum { BLOCKS = 3000 };
    StrictAllocator strict = {0};
    BwArena arena = {.allocator = strict_allocator(&strict)};
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    uint32_t random = 1;
    for (int n = 0; n < BLOCKS; n++) {
        random = random * 1664525u + 1013904223u;
        sizes[n] = n % 500 == 0 ? 100000 : (random >> 8) % 300;
        size_t align = (size_t)1 << (random >> 24) % 7;
        blocks[n] = bw_arena_alloc(&arena, sizes[n], align);
        assert_true(is_aligned(blocks[n], align));
        for (size_t i = 0; i < sizes[n]; i++)
            assert_int_equal(blocks[n][i], 0);
        memset(blocks[n], n % 255 + 1, sizes[n]);
    }
    for (int n = 0; n < BLOCKS; n++)
        for (size_t i = 0; i < sizes[n]; i++)
            assert_int_equal(blocks[n][i], n % 255 + 1);
    bw_arena_clear(&arena);
    bw_arena_clear(&arena);
    assert_nothing_left(&strict);
}

static void arena_lives_on_after_a_failure(void **state)
{
    (void)state;
    StrictAllocator strict = {0};
    BwArena arena = {.allocator = strict_allocator(&strict)};
    char *text = bw_arena_copy_text(&arena, "plume, and more", 5);
    assert_string_equal(text, "plume");
    fail_after(&strict, 0);
    assert_null(bw_arena_alloc(&arena, 1 << 20, 8));
    assert_null(bw_arena_alloc(&arena, SIZE_MAX, 8));
    assert_null(bw_arena_alloc(&arena, SIZE_MAX - 32, 64));
    assert_non_null(bw_arena_alloc(&arena, 16, 8));
    assert_string_equal(text, "plume");
    bw_arena_clear(&arena);
    assert_nothing_left(&strict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_allocator_keeps_content_and_alignment),
        cmocka_unit_test(a_zero_size_is_no_block),
        cmocka_unit_test(more_than_there_is_gives_null),
        cmocka_unit_test(large_alignment_may_bring_huge_pages),
        cmocka_unit_test(reserve_doubles),
        cmocka_unit_test(reserve_changes_nothing_on_failure),
        cmocka_unit_test(reserve_refuses_sizes_that_wrap_round),
        cmocka_unit_test(arena_gives_zeroed_aligned_blocks_apart),
        cmocka_unit_test(arena_lives_on_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
