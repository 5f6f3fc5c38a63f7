// Messages to the host's log hook; formatting costs nothing when nobody listens.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void bw_log(const BwLog *log, BwLogLevel level, const char *format, ...)
{
    if (log->write == NULL)
        return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log->write(log->user, level, message);
}
