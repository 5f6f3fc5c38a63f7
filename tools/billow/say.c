// Which bytes a terminal may see: printable UTF-8. Invariant: no byte below 32 or from 127 to 159 gets out
// unless it is part of a whole character, or a line end or tab that was asked for; nor does a character that
// turns the direction of writing.
#include "say.h"

#include <stdbool.h>
#include <string.h>

// The length of the UTF-8 character at a place and its number; 0 where there is none.
static int read_character(const unsigned char *at, unsigned *number)
{
    int length = at[0] < 0x80                    ? 1
                 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                 : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                 : 0;
    static const unsigned char mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    *number = at[0] & mask[length];
    for (int n = 1; n < length; n++) {
        if ((at[n] & 0xc0) != 0x80) // also where the text ends
            return 0;
        *number = *number << 6 | (at[n] & 0x3fu);
    }
    return length;
}

static bool is_harmless(unsigned number, int length)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool is_control = number < 0x20 || (number >= 0x7f && number < 0xa0);
    bool turns = number == 0x200e || number == 0x200f || (number >= 0x2028 && number <= 0x202e) ||
                 (number >= 0x2066 && number <= 0x2069);
    return number >= least[length] && !is_control && !turns;
}

// The next piece of the text as it may be shown. Gives the number of its bytes.
static int next_piece(const char *text, bool keep_lines, char piece[5])
{
    unsigned number;
    int length = read_character((const unsigned char *)text, &number);
    bool is_kept = keep_lines && (text[0] == '\n' || text[0] == '\t');
    if (length > 0 && (is_kept || is_harmless(number, length))) {
        memcpy(piece, text, (size_t)length);
        piece[length] = '\0';
        return length;
    }
    snprintf(piece, 5, text[0] == '\n' ? "\\n" : text[0] == '\t' ? "\\t" : "\\x%02x", (unsigned char)text[0]);
    return 1;
}

static void write_pieces(FILE *stream, const char *text, bool keep_lines)
{
    char piece[5];
    while (*text != '\0') {
        text += next_piece(text, keep_lines, piece);
        fputs(piece, stream);
    }
}

void say(FILE *stream, const char *text)
{
    write_pieces(stream, text, false);
}

void say_lines(FILE *stream, const char *text)
{
    write_pieces(stream, text, true);
}

void say_into(char *out, size_t size, const char *text)
{
    char piece[5];
    size_t length = 0;
    while (*text != '\0') {
        text += next_piece(text, false, piece);
        if (length + strlen(piece) >= size)
            break;
        strcpy(out + length, piece);
        length += strlen(piece);
    }
    out[length] = '\0';
}
