// What the C files of volumes share.
#pragma once

#include "base/error.h"
#include "export/volume_fields.h"

// Checks a volume's Def, NULL standing for the default, and fills in its allocator.
BwResult bw_volume_check(BwVolumeDef *checked, const BwVolumeDef *def, BwError *err);
