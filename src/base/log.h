// Messages to the host's log hook.
#pragma once

#include <billow/base.h>

// One message, without a line end. Silent where the hook is all zero.
void bw_log(const BwLog *log, BwLogLevel level, const char *format, ...) BW_PRINTF(3, 4);
