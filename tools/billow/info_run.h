// billow info DIR, where DIR is the folder of a run.
#pragma once

// Tells what the run is and how far it came; gives the exit code.
int tell_run(const char *folder);
