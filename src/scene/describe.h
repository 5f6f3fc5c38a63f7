// The reference of scene scripts, written from the vocabulary.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Every constructor with its meaning.
void bw_describe_all(FILE *stream);

// One constructor: every field with what it takes, its default and its meaning. False when there is none of
// that name.
bool bw_describe(FILE *stream, const char *name);
