// The smallest program of a user: links the library and asks its version.
#include <billow/billow.h>

#include <stdio.h>

int main(void)
{
    printf("%s\n", bw_version());
    return 0;
}
