// Text of a scene on its way to a terminal. Control characters, which could move the cursor, change the title
// of the window or hide what was said, are shown as what they are: \x1b.
#pragma once

#include <stddef.h>
#include <stdio.h>

// Writes text that is one line of its own or part of one.
void say(FILE *stream, const char *text);

// The same where the text may have lines and tabs of its own.
void say_lines(FILE *stream, const char *text);

// The same into memory, cut to fit.
void say_into(char *out, size_t size, const char *text);
