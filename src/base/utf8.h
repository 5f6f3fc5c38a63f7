// Text that others read must be UTF-8, whatever bytes a scene is made of.
#pragma once

#include <stdbool.h>

// Length of the UTF-8 sequence that starts here, or 0 if it is not one.
static inline int bw_utf8_length(const unsigned char *text)
{
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool is_overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool is_surrogate = text[0] == 0xed && text[1] >= 0xa0;
    bool is_too_large = text[0] == 0xf4 && text[1] >= 0x90;
    return is_overlong || is_surrogate || is_too_large ? 0 : length;
}
