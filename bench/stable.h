// The benchmark of the stable box: `billow bench stable`, or the program bench_stable.
#pragma once

// Prints the table of ratios to standard output. 0, or 1 when memory was short.
int bench_stable(void);
