// The benchmark of the stable box as a program of its own.
#include "stable.h"

int main(void)
{
    return bench_stable();
}
