// What a picture or a movie is called, in the form that files may hold.
#pragma once

#include "base/utf8.h"
#include <string.h>

enum { BW_TITLE_SIZE = 512 };

// Control characters become spaces, bytes that are no UTF-8 question marks; what is too long is cut between
// characters. NULL and "" give "".
static inline void bw_title_write(char to[BW_TITLE_SIZE], const char *title)
{
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)(title != NULL ? title : ""); *c != '\0';) {
        int length = bw_utf8_length(c);
        size_t size = length > 0 ? (size_t)length : 1;
        if (used + size >= BW_TITLE_SIZE)
            break;
        memcpy(to + used, length == 0 ? "?" : *c < 0x20 || *c == 0x7f ? " " : (const char *)c, size);
        used += size;
        c += size;
    }
    to[used] = '\0';
}
