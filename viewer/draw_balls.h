// Particles as lit balls, in 2-D as discs, from blue to white by their speed. Each is a point that its
// fragments make round, with the depth of a ball.
#pragma once

#include "look.h"
#include "program.h"

typedef struct BallDraw {
    GLuint program, depth_program, thickness_program, vertices, buffer;
    int64_t count;
} BallDraw;

bool balls_create(BallDraw *balls);
void balls_free(BallDraw *balls);

// Takes the particles of a new snapshot.
void balls_update(BallDraw *balls, const View *view);

typedef enum BallPass { BALLS_LIT, BALLS_DEPTH, BALLS_THICKNESS } BallPass;

// `size` is a factor on the radius.
void balls_draw(const BallDraw *balls, const View *view, BallPass pass, float size);
