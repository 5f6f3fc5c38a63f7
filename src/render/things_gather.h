// From the parts of a frame to triangles and balls.
#pragma once

#include "render/things.h"

BwResult bw_things_gather(BwThings *things, const BwFrame *frame, const double eye[3], float bottom,
                          BwError *err);
