// Pictures of a run: drawn, saved and added to the movie while the next frame is simulated. At most one frame
// is behind; a run that is killed then draws its picture again when it goes on, from what was kept of it.
#pragma once

#include "run_sums.h"

#include <pthread.h>

typedef struct RunPictures {
    const BwSceneDef *scene;
    const char *folder;   // of the run
    RunSums *sums;        // that pictures are entered in
    BwRenderer *renderer; // NULL: none are asked for
    BwMovie *movie;       // NULL: none
    int count;
    bool is_kept;   // those of the movie, to make it anew when the run goes on
    bool has_drawn; // one at least

    // The picture that is being drawn.
    BwFrameFile *held; // its frame, or NULL
    RunSum sum;        // of that frame
    pthread_t thread;
    BwResult result;
    BwError err;
} RunPictures;

// Draws the frame, or begins to. Fails where the picture before it did.
BwResult run_pictures_add(RunPictures *pictures, const BwFrame *frame, uint64_t stats_sum, BwError *err);

// Waits for the picture that is being drawn; at once where none is.
BwResult run_pictures_settle(RunPictures *pictures, BwError *err);

// Ends the movie, which then can be played; one without pictures leaves no file.
BwResult run_pictures_finish(RunPictures *pictures, BwError *err);
void run_pictures_end(RunPictures *pictures);

// What tells the pixels of a picture from others.
uint64_t run_picture_sum(const BwImage *image);
