// What the C files of volumes share.
#pragma once

#include "base/error.h"
#include "base/file.h"
#include "export/vdb.h"
#include "export/volume_fields.h"

// Checks a volume's Def, NULL standing for the default, and fills in its allocator.
BwResult bw_volume_check(BwVolumeDef *checked, const BwVolumeDef *def, BwError *err);

// Refuses frames that would make two grids or arrays of one name in a file.
BwResult bw_volume_check_names(const BwFrame *frame, BwError *err);

// bw_volume_save_vdb but for the commit.
BwResult bw_volume_write_vdb(const BwFrame *frame, const BwVolumeDef *def, const char *path,
                             BwFileWriter *writer, BwError *err);
