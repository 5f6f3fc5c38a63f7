// From the parts of a frame to triangles and balls.
#pragma once

#include "render/things.h"

BwResult bw_things_gather(BwThings *things, BwPool *pool, const BwFrame *frame, const BwDropLook *look,
                          const double eye[3], float bottom, BwError *err);
