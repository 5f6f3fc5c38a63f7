// A mesh laid on the spline patches through the columns of a height field: bicubic, of Catmull and Rom 1974,
// so that the surface goes through the top of each column and has no creases between them.
#pragma once

#include "mesh/patches.h"

// Lifts or lowers the vertices of a mesh that are free along y onto the patches of the frame's columns
// "water", where all columns around are wet. Nothing to do in frames without.
void bw_drape_mesh(BwPatches *patches, const BwFrame *frame, BwPool *pool);
