// Results and messages. No global error state: a message lives in the caller's BwError or nowhere.
#include "base/error.h"

#include "base/number_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_OF(number)                   #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *bw_version(void)
{
    return VERSION_TEXT(BW_VERSION_MAJOR, BW_VERSION_MINOR, BW_VERSION_PATCH);
}

const char *bw_result_text(BwResult result)
{
    static const char *const texts[] = {"ok",
#define X(name, text) text,
                                        BW_ERRORS(X)
#undef X
    };
    size_t count = sizeof texts / sizeof texts[0];
    return (size_t)result < count ? texts[result] : "unknown result";
}

BwResult bw_fail(BwError *err, BwResult code, const char *format, ...)
{
    if (err == NULL)
        return code;
    // Written aside first, for the arguments may hold err's own older message.
    BwError fresh = {.code = code};
    va_list args;
    va_start(args, format);
    bw_text_print_list(fresh.message, sizeof fresh.message, format, args);
    va_end(args);
    *err = fresh;
    return code;
}

BwResult bw_fail_memory(BwError *err)
{
    return bw_fail(err, BW_ERR_MEMORY, "%s", bw_result_text(BW_ERR_MEMORY));
}

void bw_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
