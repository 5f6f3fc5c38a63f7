// What a kill leaves of a run's files: each grows under its name with ".part" after it and gets its name when
// it is whole, so such a file is never needed again.
#pragma once

#include "run_folder.h"

// Removes the half-written files of the run in the folder, which the caller has locked; files of other names
// stay.
BwResult run_remove_parts(const char *folder, BwError *err);
