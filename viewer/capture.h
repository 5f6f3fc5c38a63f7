// Pictures and movies of the window.
#pragma once

#include <billow/billow.h>

typedef struct Capture {
    char png[1000]; // where the next picture goes; "": nowhere
    BwMovie *movie; // NULL: none is being made
    char movie_path[1000];
    int width, height; // of the movie
    uint8_t *pixels, *rows;
    size_t capacity;
    char told[1024]; // what was done last, for the window
} Capture;

// A name that no file has yet: billow_001.png.
void capture_name(char *path, size_t size, const char *ending);

// Begins a movie, or ends the one that is being made.
BwResult capture_toggle_movie(Capture *capture, int width, int height, BwError *err);

// Takes the picture that was just drawn, where one is wanted. `is_new`: it shows another step.
BwResult capture_take(Capture *capture, int width, int height, bool is_new, BwError *err);

// Ends what is open.
BwResult capture_end(Capture *capture, BwError *err);
