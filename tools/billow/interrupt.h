// Signals, and what is said while a scene loads. Invariant: whoever asks the command to stop is heard within
// a second: a load ends, if need be in the middle of it, for it has written nothing; a run ends after the
// stage of the step that it is in, or the picture that it draws again, and says so when that takes longer.
#pragma once

#include <billow/base.h>
#include <stdbool.h>

// From here on signals ask to stop, and what follows is a load; a second signal ends the command at once. A
// silent load shows no progress.
void interrupt_listen(bool is_silent);

// The load is over, and files are written: what is at work ends by itself, between steps or pictures.
void interrupt_end_load(void);

// Not 0 once somebody has asked.
const volatile int *interrupt_request(void);

// Shows on a terminal how far a load has come, once it has taken a second, and ends it when somebody asks.
// Works without interrupt_listen as well.
BwWatch loading_watch(void);

// Wipes the line of the watch, so that other text may follow.
void loading_clear(void);
