// Time for measuring and for progress, never for results.
#pragma once

// Seconds since some fixed moment, never going back.
double bw_clock_seconds(void);

// Seconds that the calling thread has had a processor.
double bw_clock_thread_seconds(void);
