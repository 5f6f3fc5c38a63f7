// Pointers that a caller of the public API must give. A missing one is refused by name: who embeds the
// library in another language cannot see an assertion coming.
#pragma once

#include "base/error.h"

#include <stddef.h>

static inline BwResult bw_need(const void *pointer, const char *name, BwError *err)
{
    return pointer != NULL ? BW_OK : bw_fail(err, BW_ERR_DEF, "%s is NULL", name);
}

// A list of so many items, none of which need be there.
static inline BwResult bw_need_list(const void *list, long long count, const char *name, BwError *err)
{
    if (count < 0)
        return bw_fail(err, BW_ERR_DEF, "there are %lld of %s; it must be 0 or more", count, name);
    if (count > 0 && list == NULL)
        return bw_fail(err, BW_ERR_DEF, "there are %lld of %s, and their list is NULL", count, name);
    return BW_OK;
}
