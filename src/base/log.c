// Messages to the host's log hook; formatting costs nothing when nobody listens.
#include "base/log.h"

#include "base/number_text.h"

#include <stdarg.h>

void bw_log(const BwLog *log, BwLogLevel level, const char *format, ...)
{
    if (log->write == NULL)
        return;
    char message[1024];
    va_list args;
    va_start(args, format);
    bw_text_print_list(message, sizeof message, format, args);
    va_end(args);
    log->write(log->user, level, message);
}
