// What changed between two scenes, as far as a run that goes on would notice: not the title, the length, what
// is there at the start, nor what only pictures show.
#pragma once

#include <billow/scene.h>
#include <stdio.h>

// Writes a line for each change, at most a few; gives their number, or -1 when memory is short.
int scene_changes(FILE *stream, const BwSceneDef *was, const BwSceneDef *is);

// The same of what files for other programs are made with, which changes no simulation.
int output_changes(FILE *stream, const BwOutputDef *was, const BwOutputDef *is);
