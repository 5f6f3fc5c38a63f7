// Any bytes as a checkpoint: only what was sealed is taken. HDF5 never sees the others.
#include "fuzz.h"

#include "cache/seal.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    BwError err = {0};
    must_hold(bw_seal_check((const char *)bytes, size, "fuzz", &err) != BW_OK || size >= BW_SEAL_SIZE);
    if (size < BW_SEAL_SIZE + 1)
        return 0;
    char *file = malloc(size);
    must_hold(file != NULL);
    memcpy(file, bytes, size);
    bw_seal_write(file, size, 7);
    must_hold(bw_seal_check(file, size, "fuzz", &err) == BW_OK);
    size_t at = (bytes[0] * 256u + bytes[1]) % size;
    file[at] ^= (char)(1 << (bytes[2] & 7));
    must_hold(bw_seal_check(file, size, "fuzz", &err) == BW_ERR_FORMAT);
    free(file);
    return 0;
}
