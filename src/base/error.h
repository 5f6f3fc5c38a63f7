// Failing with a message, returning early, and asserting what only a mistake of ours or the caller's can
// break.
#pragma once

#include <billow/base.h>

// Puts code and text into err, when there is one, and returns the code, so that a check reads `return
// bw_fail(...)`.
BwResult bw_fail(BwError *err, BwResult code, const char *format, ...) BW_PRINTF(3, 4);

// The one failure that has nothing more to say.
BwResult bw_fail_memory(BwError *err);

#define BW_TRY(call)                                                                                         \
    do {                                                                                                     \
        BwResult try_result = (call);                                                                        \
        if (try_result != BW_OK)                                                                             \
            return try_result;                                                                               \
    } while (0)

#ifdef BW_ASSERTS
#define BW_ASSERT(condition) ((condition) ? (void)0 : bw_assert_failed(#condition, __FILE__, __LINE__))
#else
#define BW_ASSERT(condition) ((void)sizeof(condition))
#endif

__attribute__((noreturn)) void bw_assert_failed(const char *condition, const char *file, int line);
