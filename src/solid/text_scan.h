// Words and numbers of a text file, line by line, with the line number for messages. Numbers are read without
// the C library, whose idea of a decimal point is the user's locale.
#pragma once

#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct BwTextScan {
    const char *name; // of the file, for messages
    const char *at, *end;
    long long line; // counted from 1
} BwTextScan;

typedef struct BwWord {
    const char *text; // not terminated
    int length;       // 0: the line, or the file, has ended
} BwWord;

BwTextScan bw_text_scan(const char *name, const char *text, size_t size);

// The next word of this line; the scan stays on the line.
BwWord bw_scan_word(BwTextScan *scan);

// The next word of this line or of a later one.
BwWord bw_scan_word_anywhere(BwTextScan *scan);

// To the beginning of the next line; false at the end of the file.
bool bw_scan_next_line(BwTextScan *scan);

bool bw_word_is(BwWord word, const char *text);

// The whole word as a number that a float can hold; false when it is none.
bool bw_word_number(BwWord word, double *value);

// The whole word as a whole number; false when it is none.
bool bw_word_integer(BwWord word, long long *value);

// Fails with "file:line: text", where the text's %s stands for the word, in quotes and cut to a readable
// length.
BwResult bw_fail_word(BwError *err, const BwTextScan *scan, BwWord word, const char *wanted);
