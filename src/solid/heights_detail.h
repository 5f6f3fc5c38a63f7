// Heights between the pixels of a picture: smooth patches through them (bicubic, Catmull and Rom 1974) and
// noise on top, for ground whose picture is coarse.
#pragma once

#include "solid/heights.h"

enum { BW_HEIGHTS_FINER = 3 };

// Makes the picture BW_HEIGHTS_FINER times as fine and adds noise of the mean height `detail`, as a share of
// white. Fails where it would become larger than pictures may be.
BwResult bw_heights_add_detail(BwHeights *heights, const BwFileBytes *file, float detail, BwError *err);

// Fails where noise of a mean height of `detail` pixels would be too steep for ground.
BwResult bw_heights_check_detail(const BwFileBytes *file, float detail, BwError *err);
