// Before anything else: enough room for what the libraries do before main. OpenVDB's log library starts
// threads while it is being loaded, and ends the program with an abort where their stacks find no room.
#include "command.h"

// A sanitizer sets itself up at the same time, and needs more room than any limit leaves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
#endif
#endif

#if defined(__linux__) && !defined(IS_SANITIZED)

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 4 };
#define OTHER_BYTES     ((size_t)2 << 20) // what else they take
#define STACK_UNLIMITED ((size_t)2 << 20) // the stack of a thread where the limit gives no size

static size_t stack_bytes(void)
{
    struct rlimit limit;
    bool is_known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? (size_t)limit.rlim_cur : STACK_UNLIMITED;
}

// Nothing of C's library that needs to be set up may be used here.
static void check_room(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments, (void)environment;
    static const char message[] =
        "billow: out of memory: the limit on its address space (ulimit -v) leaves no room for "
        "the threads of its libraries; 512 MB are enough to start\n";
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    size_t bytes = THREADS * stack_bytes() + OTHER_BYTES;
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
            _exit(EXIT_TROUBLE);
        _exit(EXIT_TROUBLE);
    }
    munmap(room, bytes);
}

// The loader calls these before the first library sets itself up.
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **,
                                                                                 char **) = check_room;

#endif
