// Boxes around the parts of a frame, m. Places that are not finite do not count.
#pragma once

#include <billow/frame.h>

BwBox bw_particles_bounds(const BwFrame *frame, const BwFrameParticles *set);
BwBox bw_columns_bounds(const BwFrameColumns *set);
BwBox bw_mesh_bounds(const BwFrameMesh *mesh);
