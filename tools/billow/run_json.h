// run.json: what was asked for, in one JSON object whose last member is a checksum of those before it.
#pragma once

#include "run_folder.h"

#include "base/error.h"
#include "base/json_read.h"

#include <stdio.h>

enum { RUN_JSON_MAX = 256 << 20, SCENE_BYTES_MAX = 16 << 20 };

// Writes the object. `folder` is where it goes; `script_sum` is that of the copy of the script in it.
void run_json_write(FILE *stream, const RunFolderDef *def, const char *folder, uint64_t script_sum);

// What the run's pictures show; all of the scene where it tells nothing.
View run_json_view(BwJsonText run);

// Fails when the text is not what run_json_write has written; texts of versions without checksum are taken.
BwResult run_json_check(BwJsonText run, const char *path, BwError *err);
